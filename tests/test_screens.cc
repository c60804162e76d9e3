// Whole screens of the recorded runs in data/, as `playhead screen` prints them, and of previews of
// their tasks, against tests/golden/screens_*.txt. PH_GOLDEN_UPDATE=1 writes them instead; look at
// what changed.
//
// Digits are compared where the run was recorded: the same substrate gives the same bits. On
// another one of the same MuJoCo version only the picture around them is, and with another version,
// whose contacts may be others, only the size of the picture.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "loop.h"
#include "text.h"
}

namespace fs = std::filesystem;

namespace {

struct Shot {
  const char *name, *run;
  int rows, cols;
  const char *keys; // nullable
  bool color;       // ANSI in the mono scheme
};

const Shot shots[] = {
    {"drawer_near_miss_120x40", "drawer_close", 40, 120, "1 0 0 Enter", false},
    {"drawer_latch_80x24", "drawer_close", 24, 80, "r e e e e", false},
    {"drawer_end_200x60", "drawer_close", 60, 200, "G m a p p m b l 1 5 0 Enter l", false},
    {"drawer_zoom_40x12", "drawer_close", 12, 40, "1 0 0 Enter + +", false},
    {"drawer_filter_120x40", "drawer_close", 40, 120, "> 2 0 Enter Tab f c u p Enter j", false},
    {"drawer_help_80x24", "drawer_close", 24, 80, "? j j", false},
    {"drawer_mono_120x40", "drawer_close", 40, 120, "1 0 0 Enter Tab", true},
    {"muscle_120x40", "muscle_reach", 40, 120, "5 0 %", false},
    {"muscle_truncated_80x24", "muscle_reach", 24, 80, "End", false},
    {"muscle_200x60", "muscle_reach", 60, 200, "> > n", false},
    {"muscle_40x12", "muscle_reach", 12, 40, "9 9 n p", false},
    {"muscle_mono_80x24", "muscle_reach", 24, 80, ": g o Space 1", true},
    // the latch laboratory: a run that had to hold for longer than its task asks, at the task's
    // hold
    {"latch_lab_120x40", "muscle_hold", 40, 120,
     "> : h o l d Space 0 . 4 Enter B 7 0 Enter S-Tab S-Tab S-Tab S-Tab j j j j j j j", false},
    {"latch_lab_80x24", "muscle_hold", 24, 80, "> 3 0 h S-Tab S-Tab S-Tab S-Tab z 7 0 Enter",
     false},
    {"latch_lab_200x60", "muscle_hold", 60, 200, "3 2 h B", false},
    {"latch_lab_40x20", "muscle_hold", 20, 40, "> h S-Tab S-Tab S-Tab S-Tab", false},
    {"quadruped_120x40", "quadruped_stand", 40, 120, "4 0 g", false},
    {"quadruped_80x24", "quadruped_stand", 24, 80, "E PgDn", false},
    {"quadruped_episodes_200x60", "quadruped_stand", 60, 200, "S-Tab S-Tab z j j", false},
    {"quadruped_40x12", "quadruped_stand", 12, 40, "Up", false},
    {"quadruped_mono_40x12", "quadruped_stand", 12, 40, "2 0 Enter", true},
    {"preview_by_hand_120x40", "drawer_close", 40, 120, "6 0 n s s s Tab Tab j i i", false},
    {"preview_cut_120x40", "drawer_close", 40, 120,
     "2 n : e l e m e n t Space 1 Space 9 Enter 1 2 n N n : e l e m e n t Space 0 Space - 9 Enter "
     "2 n",
     false},
    {"preview_history_80x24", "drawer_close", 24, 80, "d 1 n d d 1 5 0 n 2 0 p", false},
    {"preview_end_200x60", "drawer_close", 60, 200, "9 9 9 n", false},
    {"preview_40x12", "drawer_close", 12, 40, "2 n s", false},
    {"preview_help_80x24", "drawer_close", 24, 80, "?", false},
    {"preview_stack_120x40", "stack", 40, 120, "4 0 n r 3 e", false},
};

enum Compare { BITS, WORDS, SIZE };

struct Source {
  Compare compare = SIZE;
  std::string why;
};

Source source_of(const std::string &run) {
  Source source;
  const char *paths[] = {run.c_str()};
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ph_model *model = nullptr;
  EXPECT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
  EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK) << ph_error();
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  EXPECT_EQ(ph_store_model(&model, store, meta->model_sha256), PH_OK) << ph_error();
  std::string version = ph_model_engine_version(model);
  if (ph_substrate() == std::string(meta->substrate))
    source.compare = BITS;
  else if (version == ph_engine_version())
    source.compare = WORDS;
  if (source.compare != BITS)
    source.why = run + ": recorded on substrate " + meta->substrate + " with MuJoCo " + version +
                 ", here are " + ph_substrate() + " and " + ph_engine_version();
  ph_model_unref(model);
  ph_episode_free(episode);
  ph_store_free(store);
  return source;
}

// The words alone: numbers, with the blanks and bars that go with them, and what is promised here
// are left out.
std::string words(const std::string &text) {
  static const std::regex number("[-+]?[0-9][-+.0-9e]*|[█▌▐▁▂▃▄▅▆▇·]+"), blanks(" +");
  std::istringstream in(text);
  std::string line, out;
  while (std::getline(in, line))
    if (line.find("promised") == std::string::npos)
      out += std::regex_replace(std::regex_replace(line, number, " "), blanks, " ") + "\n";
  return out;
}

// A preview is of a task, which most runs were recorded with.
bool previews(const Shot &shot) {
  return std::string(shot.name).rfind("preview_", 0) == 0;
}

std::string render(const Shot &shot, const std::string &run) {
  const std::string task = TEST_SOURCE_ROOT "/data/" + std::string(shot.run) + ".lua";
  const char *paths[] = {previews(shot) ? task.c_str() : run.c_str()};
  struct view_options opt = {};
  if (previews(shot)) {
    opt.session.live = true;
    opt.session.hold = -1;
    opt.seed = 5;
    opt.step = -1;
  }
  opt.session.paths = paths;
  opt.session.npaths = 1;
  opt.term.scheme = shot.color ? SCHEME_MONO : SCHEME_DARK;
  char *out = nullptr;
  EXPECT_EQ(screen_render(&out, &opt, shot.rows, shot.cols, shot.keys, shot.color), PH_OK)
      << screen_error();
  std::string text = out ? out : "";
  std::free(out);
  return text;
}

std::string without_escapes(const std::string &text) {
  return std::regex_replace(text, std::regex("\033\\[[0-9;]*m"), "");
}

void expect_size(const Shot &shot, const std::string &text) {
  std::istringstream in(without_escapes(text));
  std::string line;
  int rows = 0;
  for (; std::getline(in, line); rows++)
    EXPECT_LE(text_width(line.c_str(), 1 << 20, nullptr), shot.cols) << line;
  EXPECT_EQ(rows, shot.rows);
}

// Copies of the runs, beside which nobody has left marks.
class Runs : public ::testing::Environment {
public:
  static inline fs::path dir;
  void SetUp() override {
    char name[] = "/tmp/screensXXXXXX";
    dir = mkdtemp(name);
    fs::copy(fs::path(TEST_SOURCE_ROOT) / "data/runs", dir, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(dir); }
};

const auto *runs = ::testing::AddGlobalTestEnvironment(new Runs);

class Screens : public ::testing::TestWithParam<Shot> {};

TEST_P(Screens, Golden) {
  const Shot &shot = GetParam();
  std::string run = (Runs::dir / shot.run).string();
  std::string path = std::string(TEST_SOURCE_ROOT) + "/tests/golden/screens_" + shot.name + ".txt";
  std::string text = render(shot, run);
  if (text.empty() || text.back() != '\n')
    text += "\n";
  expect_size(shot, text);
  bool recorded = fs::exists(run); // one machine recorded them all
  Source source = source_of(recorded ? run : (Runs::dir / "drawer_close").string());
  if (std::getenv("PH_GOLDEN_UPDATE")) {
    ASSERT_EQ(source.compare, BITS) << source.why;
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream want;
  want << file.rdbuf();
  ASSERT_FALSE(want.str().empty()) << path;
  if (source.compare == SIZE)
    GTEST_SKIP() << source.why << ": nothing but the size is compared";
  if (source.compare == WORDS) {
    std::cerr << source.why << ": digits are not compared\n";
    EXPECT_EQ(words(without_escapes(text)), words(without_escapes(want.str()))) << shot.name;
    return;
  }
  EXPECT_EQ(text, want.str()) << shot.name << ": look at it, and if it is right: "
                              << "PH_GOLDEN_UPDATE=1 meson test screens";
}

INSTANTIATE_TEST_SUITE_P(Data, Screens, ::testing::ValuesIn(shots),
                         [](const ::testing::TestParamInfo<Shot> &info) {
                           return std::string(info.param.name);
                         });

TEST(ScreensMono, UseNoColour) {
  for (const Shot &shot : shots) {
    if (!shot.color)
      continue;
    std::string text = render(shot, (Runs::dir / shot.run).string());
    EXPECT_NE(text.find("\033["), std::string::npos);
    std::regex escape("\033\\[([0-9;]*)m"), color("(^|;)(3[0-9]|4[0-9]|9[0-9])");
    for (std::sregex_iterator it(text.begin(), text.end(), escape), end; it != end; ++it)
      EXPECT_FALSE(std::regex_search((*it)[1].str(), color)) << (*it)[1];
  }
}

} // namespace
