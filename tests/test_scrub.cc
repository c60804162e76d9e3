// The app on a real session and its thread: pauses, seeks and resumes in all three modes, quits in
// the middle of a seek, and a storm of keys. The clock of the keys is the test's own.
#include <poll.h>
#include <random>

#include "dynamic_help.h"

extern "C" {
#include "app.h"
#include "loop.h"
#include "worker.h"
}

using dynamic_help::Library;
using dynamic_help::record_arm;

namespace {

namespace fs = std::filesystem;

struct Scrub : ::testing::Test {
  fs::path dir;
  std::vector<std::string> paths;
  struct app app;
  struct worker *worker = nullptr;
  struct surface surface = {};
  uint64_t now = 1000;
  bool open_ = false;

  void SetUp() override {
    char name[] = "/tmp/scrubXXXXXX";
    dir = mkdtemp(name);
    fs::current_path(dir); /* whatever a line of random keys may write */
  }
  void TearDown() override {
    close();
    surface_free(&surface);
    fs::current_path("/");
    fs::remove_all(dir);
  }
  void add(const char *run) {
    fs::copy(fs::path(TEST_SOURCE_ROOT) / "data/runs" / run, dir / run);
    paths.push_back((dir / run).string());
  }
  void add_arm(int actions, int push) {
    std::string name = "arm" + std::to_string(paths.size());
    record_arm(dir / name, actions, push);
    paths.push_back((dir / name).string());
  }
  void open(enum tui_mode mode = MODE_KINEMATIC, int64_t step = 0) {
    std::vector<const char *> all;
    struct view_options opt = {};
    struct session *session = nullptr;
    char error[400] = "";
    for (auto &path : paths)
      all.push_back(path.c_str());
    opt.session.paths = all.data();
    opt.session.npaths = all.size();
    opt.mode = mode;
    opt.step = step;
    app_init(&app);
    open_ = true;
    ASSERT_EQ(session_open(&session, &opt.session), PH_OK) << ph_error();
    ASSERT_EQ(view_begin(&app, session, &opt, error, sizeof error), PH_OK) << error;
    ASSERT_EQ(worker_start(&worker, session), PH_OK);
    app_resize(&app, 40, 120);
    worker_ask(worker, &app.want);
  }
  void close() {
    worker_stop(worker);
    worker = nullptr;
    if (open_)
      app_free(&app);
    open_ = false;
  }
  unsigned react(unsigned r) {
    if (r & REACT_SEEK)
      worker_ask(worker, &app.want);
    return r;
  }
  void take() {
    if (struct snapshot *snap = worker_take(worker))
      react(app_take(&app, snap));
  }
  unsigned key(uint32_t code) {
    now += 30;
    return react(app_key(&app, code, now));
  }
  void keys(const char *names) {
    std::string copy = names;
    char *rest = nullptr;
    for (char *name = strtok_r(copy.data(), " ", &rest); name;
         name = strtok_r(nullptr, " ", &rest)) {
      ASSERT_NE(key_from_name(name), KEY_NONE_) << name;
      key(key_from_name(name));
    }
  }
  /* What is on show answers what is wanted, in the mode that is wanted. */
  bool answered() const {
    if (!app.snap || app.snap->serial != app.want.serial)
      return false;
    if (!app.snap->reel && !app.snap->error[0]) /* it was opened just now */
      return false;
    const struct dynamic_answer *d = app.snap->dyn;
    return app.want.dyn.mode == MODE_KINEMATIC ||
           (d && (d->has_frame || d->refused[0] || d->error[0]));
  }
  void settle() {
    struct pollfd fd = {worker_fd(worker), POLLIN, 0};
    for (int i = 0; i < 3000 && !answered(); i++) {
      poll(&fd, 1, 20);
      take();
    }
    const struct dynamic_answer *d = app.snap ? app.snap->dyn : nullptr;
    ASSERT_TRUE(answered()) << mode_name(app.want.dyn.mode) << " " << app.want.step << "+"
                            << app.want.dyn.substep << " from " << app.want.dyn.anchor << ": "
                            << (app.snap ? app.snap->error : "nothing") << " "
                            << (d ? d->error : "no physics");
  }
  /* The program's turns for so long, at real speed for the app. */
  void play(uint64_t ms) {
    for (uint64_t end = now + ms; now < end;) {
      now += 10;
      react(app_tick(&app, now));
      take();
    }
  }
  int64_t step() const { return app.want.step; }
  void mode(enum tui_mode wanted) {
    const char *name[] = {"K", "D", "B"};
    keys(name[wanted]);
    ASSERT_EQ(app.want.dyn.mode, wanted);
    settle();
  }
};

const enum tui_mode kModes[] = {MODE_KINEMATIC, MODE_DYNAMIC, MODE_BOTH};

/* gazebosim/gz-sim #720: a seek while it was paused began to play. */
TEST_F(Scrub, APauseSurvivesASeek) {
  add_arm(400, -1);
  open();
  for (enum tui_mode m : kModes) {
    mode(m);
    for (const char *seek : {"2 1 3 Enter", "End", "r", "5 0 %", "e", "PgUp", "u", "1 5 g"}) {
      SCOPED_TRACE(std::string(mode_name(m)) + " " + seek);
      keys(seek);
      int64_t at = step();
      EXPECT_FALSE(app.playing);
      settle();
      play(500);
      EXPECT_FALSE(app.playing) << "neither when the answer came";
      EXPECT_EQ(step(), at);
      EXPECT_EQ(app.snap->step, at);
      EXPECT_EQ(app_deadline(&app), UINT64_MAX) << "nothing is due";
    }
  }
}

/* ihmc scs2 #159, gz-sim #299: after a pause it went on from elsewhere, or at the end. */
TEST_F(Scrub, ResumeGoesOnFromWhereItWas) {
  add_arm(2000, -1);
  open();
  for (enum tui_mode m : kModes) {
    SCOPED_TRACE(mode_name(m));
    mode(m);
    keys("1 0 0 Enter Space");
    play(300);
    keys("Space");
    int64_t at = step();
    EXPECT_GT(at, 120);
    EXPECT_LT(at, 140);
    now += 3600000; /* an hour */
    settle();
    EXPECT_EQ(step(), at);
    keys("Space");
    EXPECT_EQ(step(), at);
    play(100);
    EXPECT_GT(step(), at);
    EXPECT_LE(step(), at + 14) << "0.13 s of 0.01 s a step";
    keys("Space 7 0 0 Enter"); /* a seek in the pause */
    now += 60000;
    keys("Space");
    play(100);
    EXPECT_GT(step(), 700);
    EXPECT_LE(step(), 714);
    keys("Space");
  }
}

/* opensim-gui #1618: a hand on the slider while it plays. */
TEST_F(Scrub, ScrubbingWhileItPlaysGoesOnFromThere) {
  add_arm(2000, -1);
  open();
  for (enum tui_mode m : kModes) {
    SCOPED_TRACE(mode_name(m));
    mode(m);
    keys("r Space");
    for (const char *to : {"9 0 0 Enter", "1 0 0 Enter", "1 5 0 0 Enter", "5 0 0 Enter"}) {
      int64_t target = 0;
      for (const char *c = to; *c != 'E'; c++)
        target = *c == ' ' ? target : target * 10 + (*c - '0');
      keys(to);
      EXPECT_TRUE(app.playing);
      play(200);
      EXPECT_GT(step(), target);
      EXPECT_LE(step(), target + 40) << "digits take their time too";
    }
    keys("n");
    EXPECT_FALSE(app.playing) << "a step is a pause";
    int64_t at = step();
    play(200);
    EXPECT_EQ(step(), at);
    settle();
    EXPECT_EQ(app.snap->step, at);
  }
}

/* commaai/openpilot #22221, #23323: a crash at quit while a seek was under way. */
TEST_F(Scrub, QuitInTheMiddleOfASeek) {
  add_arm(4000, 1234);
  add("quadruped_stand");
  std::mt19937 random(22221);
  for (int i = 0; i < 12; i++) {
    open(kModes[i % 3], i % 2 ? 3999 : 0);
    if (::testing::Test::HasFatalFailure())
      return;
    if (i % 4 >= 2)
      settle();
    keys("B End S");
    if (i % 4 == 1)
      keys("> D End x r");
    if (i % 4 == 3)
      react(app_line(&app, "branch held friction=x0.5"));
    for (unsigned turns = random() % 3; turns > 0; turns--)
      play(10);
    unsigned r = key('q');
    EXPECT_TRUE(r & REACT_QUIT);
    close();
  }
}

/* --- a storm --- */

/* The frame is the file's, and the dynamic one the library's, bit for bit. */
void expect_true(const struct app &app, Library &lib) {
  const struct snapshot *snap = app.snap;
  const ph_dims &dims = ph_episode_meta_of(lib.episode)->dims;
  std::vector<double> state(static_cast<size_t>(1 + dims.nq + dims.nv + dims.na));
  ASSERT_EQ(PH_OK, ph_episode_read(lib.episode, PH_COL_STATES, snap->step, 1, state.data()));
  ASSERT_TRUE(snap->has_frame) << snap->error;
  EXPECT_EQ(0, memcmp(&snap->time, &state[0], sizeof state[0]));
  EXPECT_EQ(0, memcmp(snap->qpos, &state[1], sizeof state[0] * static_cast<size_t>(dims.nq)));
  const struct dynamic_answer *d = snap->dyn;
  if (app.want.dyn.mode == MODE_KINEMATIC || !d || !d->has_frame)
    return;
  const ph_instant *at = lib.at(d->step, d->substep);
  EXPECT_EQ(at->step, d->step);
  EXPECT_EQ(at->substep, d->substep);
  EXPECT_EQ(0, memcmp(d->qpos, at->row.state + 1, sizeof state[0] * static_cast<size_t>(dims.nq)))
      << d->step << "+" << d->substep;
  EXPECT_EQ(0, memcmp(d->qvel, at->row.state + 1 + dims.nq,
                      sizeof state[0] * static_cast<size_t>(dims.nv)));
}

uint32_t any_key(std::mt19937 &random) {
  static const char common[] = "nnpp.,sssSSSeEFlLmu'<>()+-jkzfgG%[]{}aRr?KDBKDBxx0123456789 hH:";
  switch (random() % 10) {
  case 0:
    return KEY_SPECIAL_ + random() % (KEY_LIMIT_ - KEY_SPECIAL_);
  case 1:
    return 1 + random() % 31;
  case 2:
    return random() % 3 ? KEY_ENTER_ : KEY_ESC_;
  default:
    return static_cast<unsigned char>(common[random() % (sizeof common - 1)]);
  }
}

void expect_sound(const struct app &app) {
  ASSERT_LT(app.want.episode, app_count(&app));
  ASSERT_GE(app.want.step, 0);
  ASSERT_LE(app.want.step, app_last_step(&app));
  ASSERT_GE(app.want.dyn.substep, 0);
  ASSERT_GE(app.want.dyn.anchor, 0);
  ASSERT_LT(app.want.dyn.mode, MODE_COUNT);
}

/* gz-sim #720, scs2 #159, openpilot #23323: any key, size, pause of the hand and quit at any
 * moment, while physics runs. Now and then the hand rests, and what is on show must be true. */
TEST_F(Scrub, AStormOfKeysAndSizes) {
  const char *wanted = getenv("PLAYHEAD_STORM"), *seed = getenv("PLAYHEAD_TEST_SEED");
  int count = wanted ? atoi(wanted) : 10000, rests = 0, quits = 0;
  std::mt19937 random(seed ? static_cast<unsigned>(atoi(seed)) : 720);
  add_arm(300, 150);
  add("drawer_close");
  open();
  for (int i = 0; i < count && !::testing::Test::HasFailure(); i++) {
    SCOPED_TRACE(i);
    now += random() % 60;
    unsigned r = 0;
    switch (random() % 16) {
    case 0:
      react(app_resize(&app, 1 + static_cast<int>(random() % 60),
                       1 + static_cast<int>(random() % 180)));
      break;
    case 1:
      react(app_tick(&app, now));
      break;
    case 2:
    case 3:
      take();
      break;
    default:
      r = key(random() % 300 ? any_key(random) : 'q');
    }
    expect_sound(app);
    if (i % 16 == 0)
      app_draw(&app, &surface);
    if (r & REACT_QUIT) {
      close();
      open(kModes[quits++ % 3], static_cast<int64_t>(random() % 300));
    }
    if (random() % 256 == 0) { /* the hand rests */
      keys("Esc Esc Esc");
      app.playing = false;
      settle();
      std::string path = paths[app.want.episode == 0 ? 0 : 1];
      Library lib(path, app.want.episode == 0 ? 0 : app.want.episode - 1, app.want.dyn.anchor);
      expect_true(app, lib);
      rests++;
    }
  }
  EXPECT_GT(rests, count / 1000);
  EXPECT_GT(quits, count / 10000);
}

} // namespace
