#include "mj_help.h"

#include <unistd.h>

namespace {

TEST(Substrate, IsSixteenHexDigitsAndStays) {
  std::string first = ph_substrate();
  EXPECT_EQ(16u, first.size());
  EXPECT_EQ(std::string::npos, first.find_first_not_of("0123456789abcdef"));
  EXPECT_EQ(first, ph_substrate());
}

/* Run by the test below in a process of its own, where addresses differ. */
TEST(Substrate, Prints) {
  ph_model *model = help_model(help_scene());
  ASSERT_NE(nullptr, model);
  printf("substrate %s compiled %s source %s\n", ph_substrate(), ph_model_compiled_sha256(model),
         ph_model_sha256(model));
  ph_model_unref(model);
}

std::string printed() {
  char self[4096], line[512];
  std::string found;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0)
    return "";
  self[n] = 0;
  std::string command = std::string("'") + self + "' --gtest_filter=Substrate.Prints";
  FILE *out = popen(command.c_str(), "r");
  while (out && fgets(line, sizeof line, out))
    if (!strncmp(line, "substrate ", 10))
      found = line;
  if (out)
    pclose(out);
  return found;
}

TEST(Substrate, HashesAreEqualInOtherProcesses) {
  ph_model *model = help_model(help_scene());
  ASSERT_NE(nullptr, model);
  std::string want = std::string("substrate ") + ph_substrate() + " compiled " +
                     ph_model_compiled_sha256(model) + " source " + ph_model_sha256(model) + "\n";
  EXPECT_EQ(want, printed());
  EXPECT_EQ(want, printed());
  ph_model_unref(model);
}

} // namespace
