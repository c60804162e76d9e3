// The screen on a run that a recorder adds to. The recorder is the test: it holds the lock of the
// folder and gives files their names.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
#include "app.h"
#include "loop.h"
#include "worker.h"
}

namespace fs = std::filesystem;

namespace {

struct FollowView : ::testing::Test {
  fs::path dir, from = fs::path(TEST_SOURCE_ROOT) / "data/runs/drawer_close";
  std::vector<std::string> files;
  size_t next = 0;
  int lock = -1;
  struct session *s = nullptr;
  app a;

  void SetUp() override {
    char name[] = "/tmp/followviewXXXXXX";
    dir = mkdtemp(name);
    for (auto &entry : fs::directory_iterator(from))
      if (entry.path().filename().string().rfind("env", 0) == 0)
        files.push_back(entry.path().filename());
    std::sort(files.begin(), files.end());
    ASSERT_EQ(files.size(), 8u);
    fs::create_directory(dir / "run");
    app_init(&a);
    app_resize(&a, 40, 120);
  }
  void TearDown() override {
    if (lock >= 0)
      close(lock);
    session_free(s);
    app_free(&a);
    fs::remove_all(dir);
  }
  // A recorder that has begun.
  void record() {
    lock = open((dir / "run").c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
    if (!fs::exists(dir / "run/run.h5"))
      fs::copy_file(from / "run.h5", dir / "run/run.h5");
  }
  void stop_recording() {
    close(lock);
    lock = -1;
  }
  void add(size_t n = 1) {
    for (; n > 0; n--, next++) {
      fs::copy_file(from / files[next], dir / "run/.part");
      fs::rename(dir / "run/.part", dir / "run" / files[next]);
    }
  }
  void view(bool follow = true) {
    std::string text = (dir / "run").string();
    const char *paths[] = {text.c_str()};
    struct view_options opt = {};
    char error[400] = "";
    opt.session.paths = paths;
    opt.session.npaths = 1;
    opt.step = -1;
    opt.follow = follow;
    ASSERT_EQ(session_open(&s, &opt.session), PH_OK) << ph_error();
    ASSERT_EQ(view_begin(&a, s, &opt, error, sizeof error), PH_OK) << error;
    serve();
  }
  void serve() {
    struct snapshot *snap = nullptr;
    ASSERT_EQ(session_serve(s, &a.want, &snap), PH_OK);
    app_take(&a, snap);
  }
  // All that can wait. A look for episodes is due as soon as what is followed changes.
  void work() {
    struct snapshot *snap = nullptr;
    bool more = true;
    while (more) {
      more = session_work(s, nullptr, nullptr, &snap);
      if (snap)
        app_take(&a, snap);
    }
  }
  void look() {
    a.want.follow = false;
    serve();
    a.want.follow = true;
    serve();
    work();
  }
  void press(const char *keys) {
    std::istringstream words(keys);
    for (std::string word; words >> word;)
      if (app_key(&a, key_from_name(word.c_str()), 1000) & REACT_SEEK)
        serve();
  }
  void command(const char *line) {
    if (app_line(&a, line) & REACT_SEEK)
      serve();
  }
  std::string screen() {
    struct surface surface = {};
    app_draw(&a, &surface);
    char *text = surface_text(&surface);
    std::string out = text;
    free(text);
    surface_free(&surface);
    return out + "\n";
  }
  bool shows(const std::string &part) { return screen().find(part) != std::string::npos; }
  std::string list() { // the panel alone
    std::istringstream all(screen());
    std::string out;
    bool in = false;
    for (std::string line; std::getline(all, line);) {
      size_t at = line.rfind("├─");
      if (at == std::string::npos)
        at = line.rfind("│");
      std::string right = at == std::string::npos ? "" : line.substr(at);
      in = right.find("episodes:") != std::string::npos ||
           (in && right.find("─ ") == std::string::npos && right.rfind("├", 0) != 0);
      out += in ? right + "\n" : "";
    }
    return out;
  }
  void golden(const std::string &name, const std::string &text) {
    std::string path = std::string(TEST_SOURCE_ROOT) + "/tests/golden/" + name + ".txt";
    if (getenv("PH_GOLDEN_UPDATE")) {
      std::ofstream(path) << text;
      return;
    }
    std::ifstream file(path);
    std::stringstream want;
    want << file.rdbuf();
    EXPECT_EQ(want.str(), text) << name << " differs; if it is right: PH_GOLDEN_UPDATE=1";
  }
};

TEST_F(FollowView, WaitsForTheFirstEpisodeAndOpensIt) {
  record();
  view();
  work();
  EXPECT_TRUE(shows("no episode yet; waiting")) << screen();
  EXPECT_TRUE(shows("recording")) << screen();
  EXPECT_EQ(a.nlog, 0);
  press("n Space e G > $ j Enter"); /* nothing of that has anything to act on */
  add();
  look();
  EXPECT_EQ(app_count(&a), 1u);
  ASSERT_NE(app_reel(&a), nullptr) << screen();
  EXPECT_STREQ(app_reel(&a)->meta.id, "env000_ep000000");
  EXPECT_TRUE(shows("1/1  recording")) << screen();
}

TEST_F(FollowView, NothingMovesWhenEpisodesCome) {
  record();
  add(4);
  view();
  work();
  press("Tab Tab Tab");
  while (a.focus != PANEL_EPISODES)
    press("Tab");
  press("j j");
  command("go 57");
  work();
  golden("follow_before", list());
  app before = a;
  add(3);
  look();
  EXPECT_EQ(app_count(&a), 7u);
  EXPECT_EQ(a.want.episode, before.want.episode);
  EXPECT_EQ(a.want.step, 57);
  EXPECT_EQ(app_shown_step(&a), 57);
  EXPECT_EQ(a.focus, PANEL_EPISODES);
  EXPECT_EQ(a.cursor[PANEL_EPISODES], 2);
  EXPECT_EQ(memcmp(a.scroll, before.scroll, sizeof a.scroll), 0);
  EXPECT_EQ(memcmp(a.cursor, before.cursor, sizeof a.cursor), 0);
  golden("follow_after", list());
  EXPECT_TRUE(shows("1/7  recording")) << screen();
  press("Enter"); /* the line under the cursor is the one that was */
  EXPECT_STREQ(app_reel(&a)->meta.id, "env000_ep000002") << screen();
}

TEST_F(FollowView, TheFilterHoldsForWhatComes) {
  record();
  add(2);
  view();
  work();
  while (a.focus != PANEL_EPISODES)
    press("Tab");
  command("filter env001");
  EXPECT_EQ(app_episode_lines(&a), 0);
  add(6);
  look();
  EXPECT_EQ(app_count(&a), 8u);
  int want = 0;
  for (const std::string &file : files)
    want += file.find("env001") != std::string::npos;
  EXPECT_EQ(app_episode_lines(&a), want);
}

TEST_F(FollowView, TheNewestIsAKeyAway) {
  record();
  add(2);
  view();
  add(3);
  look();
  press("$");
  EXPECT_EQ(a.want.episode, 4u);
  EXPECT_TRUE(shows("5/5  recording")) << screen();
  press("$");
  EXPECT_TRUE(shows("this is the last episode"));
}

TEST_F(FollowView, SaysOnceThatTheRecorderIsDone) {
  record();
  add(2);
  view();
  work();
  add(1);
  stop_recording();
  look(); /* what came before the end is there, too */
  EXPECT_EQ(app_count(&a), 3u);
  EXPECT_TRUE(shows("recorder done")) << screen();
  int lines = a.nlog;
  EXPECT_GT(lines, 0);
  record(); /* and it may be taken up again */
  look();
  EXPECT_TRUE(shows("3/3  recording") || shows("1/3  recording")) << screen();
}

TEST_F(FollowView, ARunThatIsGoneIsSaidAndStaysOnShow) {
  record();
  add(2);
  view();
  work();
  fs::rename(dir / "run", dir / "away");
  look();
  EXPECT_EQ(app_count(&a), 2u);
  EXPECT_TRUE(shows("run lost")) << screen();
  EXPECT_NE(app_reel(&a), nullptr);
  EXPECT_NE(strstr(a.log[(a.nlog - 1) % APP_LOG_LINES], "No such file"), nullptr);
  fs::rename(dir / "away", dir / "run");
  add(1);
  look();
  EXPECT_EQ(app_count(&a), 3u);
  EXPECT_TRUE(shows("recording")) << screen();
}

TEST_F(FollowView, OnlyWhereItIsAskedFor) {
  record();
  add(2);
  view(false);
  work();
  add(1);
  work();
  EXPECT_EQ(app_count(&a), 2u);
  EXPECT_FALSE(shows("recording")) << screen();
  struct snapshot *done = nullptr; /* physics was run again, and that has ended */
  ASSERT_EQ(session_settle(s, 0, &done), PH_OK);
  if (done)
    app_take(&a, done);
  EXPECT_EQ(session_wait(s), UINT64_MAX);
  command("follow on");
  work();
  EXPECT_EQ(app_count(&a), 3u);
  EXPECT_TRUE(shows("recording")) << screen();
  EXPECT_LT(session_wait(s), 60000u); /* asleep until then, the longer the dearer a look is */
  command("follow off");
  add(1);
  work();
  EXPECT_EQ(app_count(&a), 3u);
  EXPECT_FALSE(shows("recording")) << screen();
  command("follow maybe");
  EXPECT_TRUE(shows("expected on or off")) << screen();
  command("follow"); /* the other way */
  work();
  EXPECT_EQ(app_count(&a), 4u);
}

TEST_F(FollowView, AFileIsNotFollowed) {
  std::string file = (from / files[0]).string();
  const char *paths[] = {file.c_str()};
  struct view_options opt = {};
  char error[400] = "";
  opt.session.paths = paths;
  opt.session.npaths = 1;
  opt.step = -1;
  opt.follow = true;
  ASSERT_EQ(session_open(&s, &opt.session), PH_OK) << ph_error();
  EXPECT_EQ(view_begin(&a, s, &opt, error, sizeof error), PH_EINVAL);
  EXPECT_NE(strstr(error, "--follow: it is no folder of a run"), nullptr) << error;
  command("follow on");
  EXPECT_TRUE(shows("no folder of a run is open")) << screen();
}

TEST_F(FollowView, TheThreadLooksByItself) {
  record();
  add(2);
  view();
  struct worker *w = nullptr;
  ASSERT_EQ(worker_start(&w, s), PH_OK);
  s = nullptr;
  worker_ask(w, &a.want);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (size_t want = 2; want <= 4 && std::chrono::steady_clock::now() < end;) {
    if (struct snapshot *snap = worker_take(w))
      app_take(&a, snap);
    if (app_count(&a) == want && a.snap->following == FOLLOW_LIVE) {
      add(want < 4);
      want++;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(app_count(&a), 4u);
  EXPECT_EQ(a.snap->following, FOLLOW_LIVE);
  worker_stop(w);
}

} // namespace
