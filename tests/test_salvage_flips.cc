/* HDF5 files of each kind with bytes that were changed, some cut, too: never a crash, one line for
 * what fails, and of ours no row that was not recorded. PLAYHEAD_TEST_FLIPS files of each kind (30
 * unless set), eight flips in each. */
#include "salvage_help.h"

using namespace salvage;

namespace {

struct Kind {
  const char *name;
  bool ours;
  void (*write)(const std::string &path);
};

const Kind kinds[] = {
    {"old", false, [](const std::string &p) { foreign::write_robomimic(p, small(false, false)); }},
    {"old_packed", false,
     [](const std::string &p) { foreign::write_robomimic(p, small(false, true)); }},
    {"latest", false,
     [](const std::string &p) { foreign::write_robomimic(p, small(true, false)); }},
    {"latest_packed", false,
     [](const std::string &p) { foreign::write_robomimic(p, small(true, true)); }},
    {"ours", true,
     [](const std::string &p) {
       write_ours(p, {20, 300, 11}, false);
     }},
    {"ours_packed", true,
     [](const std::string &p) {
       write_ours(p, {20, 300, 11}, true);
     }},
};

int files() {
  const char *n = getenv("PLAYHEAD_TEST_FLIPS");
  return n ? atoi(n) : 30;
}

class Flips : public Salvage, public testing::WithParamInterface<Kind> {
protected:
  uint64_t state = 0;
  size_t random(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((state >> 33) % n);
  }
  /* Half of the flips where headers and lists are: bytes that are not of the arrays. */
  Bytes damaged(const Bytes &all) {
    Bytes bytes = all;
    for (int i = 0; i < 8; i++) {
      size_t at = random(bytes.size());
      for (int tries = 0;
           i % 2 && tries < 200 && memcmp(&all[at & ~(size_t)511], "OHDR", 4) != 0 &&
           memcmp(&all[at & ~(size_t)7], "TREE", 4) != 0 && all[at & ~(size_t)7] != 1;
           tries++)
        at = random(bytes.size());
      bytes[at] ^= (char)(1 << random(8));
    }
    if (random(4) == 0)
      bytes.resize(bytes.size() / 2 + random(bytes.size() / 2));
    return bytes;
  }
};

TEST_P(Flips, GiveBackWhatIsThereOrSayWhyNot) {
  GetParam().write(whole);
  const Bytes all = bytes_of(whole);
  int given = 0;
  for (int i = 0; i < files(); i++) {
    SCOPED_TRACE("file " + std::to_string(i));
    state = (uint64_t)i * 1000003u + 7;
    write_bytes(cut, damaged(all));
    Report report;
    ph_status status = salvage(report);
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    EXPECT_TRUE(!status || *ph_error());
    if (status || !std::filesystem::exists(out))
      continue;
    given++;
    SCOPED_TRACE(report.text());
    if (GetParam().ours && report.text().find("not checked") == std::string::npos)
      expect_beginnings(out, whole, {"/index", "crc", "final_", "/models", "/tasks", "/mask"},
                        &report);
  }
  EXPECT_GT(given, files() / 4);
  EXPECT_LE(unknown, files() / 50);
}

INSTANTIATE_TEST_SUITE_P(Salvage, Flips, testing::ValuesIn(kinds),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
