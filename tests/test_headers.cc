// Each public header alone, as C17 and as C++, and who may include what.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static const fs::path root = TEST_SOURCE_ROOT;

static std::vector<fs::path> sources(const std::vector<std::string> &folders) {
  std::vector<fs::path> found;
  for (const auto &folder : folders)
    for (const auto &entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".c" || entry.path().extension() == ".h" ||
          entry.path().extension() == ".cc")
        found.push_back(entry.path());
  return found;
}

static std::string text_of(const fs::path &path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(Headers, PublicOnesCompileAloneAsCAndAsCxx) {
  int headers = 0;
  for (const auto &entry : fs::directory_iterator(root / "include/playhead")) {
    if (entry.path().extension() != ".h")
      continue;
    headers++;
    std::string flags = " -Wall -Wextra -Wshadow -Wvla -Werror -fsyntax-only -I" +
                        (root / "include").string() + " " + entry.path().string();
    EXPECT_EQ(
        std::system(("cc -std=c17 -Wstrict-prototypes -Wmissing-prototypes -x c" + flags).c_str()),
        0);
    EXPECT_EQ(std::system(("c++ -std=c++17 -x c++" + flags).c_str()), 0);
  }
  EXPECT_GE(headers, 12);
}

TEST(Headers, EachPublicOneIsInstalledAndInTheUmbrella) {
  fs::path folder = root / "include/playhead";
  std::string installed = text_of(folder / "meson.build"),
              umbrella = text_of(folder / "playhead.h");
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (entry.path().extension() != ".h")
      continue;
    EXPECT_NE(installed.find("'" + name + "'"), std::string::npos) << name;
    EXPECT_TRUE(name == "playhead.h" ||
                umbrella.find("#include <playhead/" + name + ">") != std::string::npos)
        << name;
  }
}

TEST(Headers, PublicOnesReachNoForeignHeader) {
  std::regex include("#include <([^>]+)>");
  for (const auto &path : sources({"include"})) {
    std::string text = text_of(path);
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      std::string name = (*it)[1];
      EXPECT_TRUE(name.rfind("playhead/", 0) == 0 || name.rfind("std", 0) == 0)
          << path << ": " << name;
    }
  }
}

TEST(Headers, EachLibraryHasOneDoor) {
  struct {
    const char *pattern, *allowed;
  } doors[] = {
      {"#include <(n?curses|ncursesw)", "tui/term\\.c"},
      {"#include <hdf5", "src/h5\\.[ch]"},
      {"#include <mujoco/", "src/mj\\.[ch]"},
      {"#include <(lua|lauxlib)", "src/script\\.[ch]"},
      {"#include <libxml/", "src/mjcf\\.[ch]"},
      {"#include <zip\\.h", "src/npz_(door\\.h|write\\.c)"},
      {"#include <jansson", "src/json\\.[ch]"},
      {"#include <(sha2|zlib)", "src/hash\\.[ch]"},
  };
  for (const auto &door : doors) {
    int holders = 0;
    for (const auto &path : sources({"src", "tui", "include"})) {
      if (!std::regex_search(text_of(path), std::regex(door.pattern)))
        continue;
      holders++;
      std::string relative = fs::relative(path, root).string();
      EXPECT_TRUE(std::regex_match(relative, std::regex(door.allowed)))
          << relative << ": " << door.pattern;
    }
    EXPECT_GE(holders, 1) << door.pattern;
  }
}

TEST(Headers, TheScreenUsesThePublicLibraryOnly) {
  std::regex own("#include \"([^\"]+)\"");
  for (const auto &path : sources({"tui"})) {
    std::string text = text_of(path);
    for (std::sregex_iterator it(text.begin(), text.end(), own), end; it != end; ++it) {
      std::string name = (*it)[1];
      EXPECT_EQ(name.find('/'), std::string::npos) << path << ": " << name;
      EXPECT_TRUE(fs::exists(root / "tui" / name)) << path << ": " << name;
    }
  }
}

TEST(Headers, FilesStayReadable) {
  for (const auto &path : sources({"src", "tui", "include"})) {
    std::string text = text_of(path);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 600) << path;
  }
}
