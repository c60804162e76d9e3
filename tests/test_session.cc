// The engine behind the screen, on copies of the recorded runs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "app.h"
#include "loop.h"
#include "session.h"
}

namespace fs = std::filesystem;

struct Session : ::testing::Test {
  fs::path dir;
  struct session *s = nullptr;
  uint64_t serial = 0;

  void SetUp() override {
    char name[] = "/tmp/sessionXXXXXX";
    dir = mkdtemp(name);
    fs::copy(fs::path(TEST_SOURCE_ROOT) / "data/runs/drawer_close", dir / "run");
  }
  void TearDown() override {
    session_free(s);
    fs::remove_all(dir);
  }
  ph_status open(const fs::path &path, const char *task = nullptr) {
    std::string text = path.string();
    const char *paths[] = {text.c_str()};
    struct session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    opt.task_path = task;
    session_free(s);
    s = nullptr;
    return session_open(&s, &opt);
  }
  struct snapshot *serve(size_t episode, int64_t step) {
    request req = {};
    req.serial = ++serial;
    req.episode = episode;
    req.step = step;
    struct snapshot *snap = nullptr;
    EXPECT_EQ(session_serve(s, &req, &snap), PH_OK) << ph_error();
    if (snap) {
      EXPECT_EQ(snap->serial, serial);
    }
    return snap;
  }
  // Flips one bit of the bytes in a file that equal `data`; the last place of several.
  static bool damage(const fs::path &path, const void *data, size_t n) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    size_t at = all.rfind(std::string(static_cast<const char *>(data), n));
    if (at == std::string::npos)
      return false;
    file.clear();
    file.seekp((std::streamoff)at);
    file.put((char)(all[at] ^ 1));
    return file.good();
  }
};

TEST_F(Session, ADamagedTaskIsNotTakenForAMissingOne) {
  ASSERT_TRUE(damage(dir / "run" / "run.h5", "control_steps =", 15));
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  struct snapshot *snap = serve(0, 0);
  ASSERT_TRUE(snap && snap->reel);
  std::string note = snap->reel->task_note;
  EXPECT_NE(note.find("checksum"), std::string::npos) << note;
  EXPECT_EQ(note.find("does not hold"), std::string::npos) << note;
  EXPECT_EQ(snap->reel->guarantee, PH_STATES_ONLY) << snap->reel->reason;
  snapshot_free(snap);
}

TEST_F(Session, FirstSnapshotIsTheCatalogAlone) {
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  struct snapshot *snap = session_first(s);
  ASSERT_TRUE(snap && snap->catalog);
  EXPECT_EQ(snap->catalog->n, 8u);
  EXPECT_EQ(session_count(s), 8u);
  EXPECT_STREQ(snap->catalog->layout, "run");
  EXPECT_FALSE(snap->has_frame);
  EXPECT_EQ(snap->reel, nullptr);
  EXPECT_EQ(session_find(s, catalog_entry(snap->catalog, 3)->id), 3u);
  EXPECT_EQ(session_find(s, "no such"), SIZE_MAX);
  snapshot_free(snap);
}

TEST_F(Session, EveryFrameHoldsTheFilesBits) {
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  std::string text = (dir / "run").string();
  const char *paths[] = {text.c_str()};
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ASSERT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK);
  ASSERT_EQ(ph_store_episode(&episode, store, 2), PH_OK);
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  const ph_dims *d = &meta->dims;
  std::vector<double> state((size_t)(1 + d->nq + d->nv + d->na)), ctrl((size_t)d->nu),
      action((size_t)d->action_dim);
  for (int64_t t = 0; t < meta->states; t += 7) {
    struct snapshot *snap = serve(2, t);
    ASSERT_TRUE(snap && snap->has_frame) << (snap ? snap->error : "");
    ASSERT_EQ(ph_episode_read(episode, PH_COL_STATES, t, 1, state.data()), PH_OK);
    ASSERT_EQ(ph_episode_read(episode, PH_COL_CTRL, t, 1, ctrl.data()), PH_OK);
    EXPECT_EQ(snap->step, t);
    EXPECT_EQ(memcmp(&snap->time, state.data(), 8), 0);
    EXPECT_EQ(memcmp(snap->qpos, &state[1], 8 * (size_t)d->nq), 0);
    EXPECT_EQ(memcmp(snap->qvel, &state[(size_t)(1 + d->nq)], 8 * (size_t)d->nv), 0);
    EXPECT_EQ(memcmp(snap->ctrl, ctrl.data(), 8 * ctrl.size()), 0);
    EXPECT_EQ(snap->action != nullptr, t < meta->actions);
    EXPECT_EQ(snap->next_ctrl != nullptr, t < meta->actions);
    if (snap->action) {
      ASSERT_EQ(ph_episode_read(episode, PH_COL_ACTIONS, t, 1, action.data()), PH_OK);
      EXPECT_EQ(memcmp(snap->action, action.data(), 8 * action.size()), 0);
      ASSERT_EQ(ph_episode_read(episode, PH_COL_CTRL, t + 1, 1, ctrl.data()), PH_OK);
      EXPECT_EQ(memcmp(snap->next_ctrl, ctrl.data(), 8 * ctrl.size()), 0);
    }
    EXPECT_EQ(snap->flags < 0, t == 0);
    EXPECT_EQ(std::isnan(snap->reward), t == 0);
    EXPECT_EQ(snap->has_conditions, true);
    EXPECT_EQ(snap->predicate_now, (bool)snap->reel->predicate[t]) << t;
    snapshot_free(snap);
  }
  ph_episode_free(episode);
  ph_store_free(store);
}

TEST_F(Session, StepsAreClamped) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(0, INT64_MAX);
  ASSERT_TRUE(snap->has_frame);
  EXPECT_EQ(snap->step, snap->reel->states - 1);
  EXPECT_EQ(snap->action, nullptr);
  snapshot_free(snap);
  snap = serve(0, -5);
  EXPECT_EQ(snap->step, 0);
  snapshot_free(snap);
  snap = serve(999, 0);
  EXPECT_FALSE(snap->has_frame);
  EXPECT_NE(snap->error[0], 0);
  snapshot_free(snap);
}

TEST_F(Session, ReelTellsPredicateHoldAndEvents) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  int broke = 0, latched = 0;
  for (size_t i = 0; i < session_count(s); i++) {
    struct snapshot *snap = serve(i, 0);
    ASSERT_TRUE(snap && snap->reel) << snap->error;
    const struct reel *reel = snap->reel;
    EXPECT_STREQ(reel->model_note, "");
    EXPECT_STREQ(reel->task_note, "");
    EXPECT_EQ(reel->guarantee, PH_EXACT) << reel->reason;
    ASSERT_TRUE(reel->predicate && reel->hold);
    EXPECT_EQ(reel->hold[0], 0) << "the reset row never counts";
    int64_t run = 0, latch = -1;
    for (int64_t t = 1; t < reel->states; t++) {
      run = reel->predicate[t] ? run + 1 : 0;
      EXPECT_EQ(reel->hold[t], run) << t;
      if (latch < 0 && run >= reel->hold_steps)
        latch = t;
    }
    EXPECT_EQ(reel->latch, latch);
    EXPECT_EQ(reel->meta.success == 1, latch >= 0);
    latched += latch >= 0;
    int edges = 0, ends = 0;
    for (size_t k = 0; k < reel->nevents; k++) {
      const struct event &event = reel->events[k];
      EXPECT_LE(k ? reel->events[k - 1].step : 0, event.step);
      if (event.kind == EVENT_TRUE || event.kind == EVENT_FALSE) {
        EXPECT_EQ((bool)reel->predicate[event.step], event.kind == EVENT_TRUE);
        EXPECT_NE(reel->predicate[event.step], reel->predicate[event.step - 1]);
        edges++;
        broke += event.kind == EVENT_FALSE;
      }
      if (event.kind == EVENT_LATCH) {
        EXPECT_EQ(event.step, latch);
      }
      if (event.kind == EVENT_END) {
        EXPECT_EQ(event.step, reel->states - 1);
        ends++;
      }
    }
    int64_t expected = 0;
    for (int64_t t = 1; t < reel->states; t++)
      expected += reel->predicate[t] != reel->predicate[t - 1];
    EXPECT_EQ(edges, expected);
    EXPECT_EQ(ends, 1);
    snapshot_free(snap);
  }
  EXPECT_GE(broke, 1) << "the recording holds a near miss";
  EXPECT_GE(latched, 1);
}

TEST_F(Session, ClippedAndWarnedAreTheFirstOfARun) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  std::string text = (dir / "run").string();
  const char *paths[] = {text.c_str()};
  ph_store *store = nullptr;
  ASSERT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK);
  for (size_t i = 0; i < session_count(s); i++) {
    ph_episode *episode = nullptr;
    ASSERT_EQ(ph_store_episode(&episode, store, i), PH_OK);
    std::vector<uint8_t> flags((size_t)ph_episode_rows(episode, PH_COL_FLAGS));
    ASSERT_EQ(ph_episode_read(episode, PH_COL_FLAGS, 0, (int64_t)flags.size(), flags.data()),
              PH_OK);
    std::vector<int64_t> expected, found;
    for (size_t t = 0; t < flags.size(); t++)
      if ((flags[t] & PH_FLAG_CLIPPED) && (t == 0 || !(flags[t - 1] & PH_FLAG_CLIPPED)))
        expected.push_back((int64_t)t + 1);
    struct snapshot *snap = serve(i, 0);
    for (size_t k = 0; k < snap->reel->nevents; k++)
      if (snap->reel->events[k].kind == EVENT_CLIPPED)
        found.push_back(snap->reel->events[k].step);
    EXPECT_EQ(found, expected);
    snapshot_free(snap);
    ph_episode_free(episode);
  }
  ph_store_free(store);
}

TEST_F(Session, NamesActionsCtrlAndConditions) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(0, 10);
  const struct reel *reel = snap->reel;
  EXPECT_STREQ(reel->task_name, "drawer_close");
  ASSERT_EQ(reel->nactions, reel->meta.dims.action_dim);
  ASSERT_EQ(reel->nctrl, reel->meta.dims.nu);
  for (int i = 0; i < reel->nactions; i++) {
    EXPECT_NE(reel->action_name[i][0], 0);
    EXPECT_GE(reel->action_ctrl[i], 0);
    EXPECT_LT(reel->action_ctrl[i], reel->nctrl);
    EXPECT_LT(reel->action_min[i], reel->action_max[i]);
  }
  for (int i = 0; i < reel->nctrl; i++)
    EXPECT_NE(reel->ctrl_name[i][0], 0);
  EXPECT_GE(reel->nconditions, 2u);
  EXPECT_GT(reel->nsignals, 10u);
  snapshot_free(snap);
}

TEST_F(Session, SnapshotOutlivesTheSession) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(1, 3);
  session_free(s);
  s = nullptr;
  EXPECT_GT(snap->reel->states, 3);
  EXPECT_EQ(snap->catalog->n, 8u);
  snapshot_free(snap);
}

TEST_F(Session, MoreEpisodesThanAreKeptOpen) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < session_count(s); i++) {
      struct snapshot *snap = serve(i, 5);
      ASSERT_TRUE(snap && snap->has_frame) << snap->error;
      EXPECT_EQ(snap->reel->episode, i);
      snapshot_free(snap);
    }
}

TEST_F(Session, CorruptBlockIsAnErrorThatNamesItAndNothingElseSuffers) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(0, 20);
  ASSERT_TRUE(snap->has_frame);
  std::string file = catalog_entry(snap->catalog, 0)->file;
  std::string path = file[0] == '/' ? file : (dir / "run" / file).string();
  std::vector<double> qpos(snap->qpos, snap->qpos + snap->reel->meta.dims.nq);
  snapshot_free(snap);
  session_free(s);
  s = nullptr;
  ASSERT_TRUE(damage(path, qpos.data(), 8 * qpos.size()));
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  snap = serve(0, 20);
  ASSERT_TRUE(snap);
  EXPECT_FALSE(snap->has_frame);
  EXPECT_NE(std::string(snap->error).find("states"), std::string::npos) << snap->error;
  EXPECT_EQ(std::string(snap->error).find('\n'), std::string::npos);
  EXPECT_EQ(snap->step, 20);
  snapshot_free(snap);
  snap = serve(1, 20);
  EXPECT_TRUE(snap->has_frame) << snap->error;
  snapshot_free(snap);
  snap = serve(0, 21);
  EXPECT_FALSE(snap->has_frame) << "same block";
  snapshot_free(snap);
}

TEST_F(Session, CorruptPredicateLeavesTheStatesToBeSeen) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(0, 0);
  std::string file = catalog_entry(snap->catalog, 0)->file;
  std::string path = file[0] == '/' ? file : (dir / "run" / file).string();
  std::vector<uint8_t> predicate(snap->reel->predicate, snap->reel->predicate + snap->reel->states);
  snapshot_free(snap);
  session_free(s);
  s = nullptr;
  ASSERT_TRUE(damage(path, predicate.data(), predicate.size()));
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  snap = serve(0, 0);
  ASSERT_TRUE(snap->reel) << snap->error;
  EXPECT_EQ(snap->reel->predicate, nullptr);
  EXPECT_NE(std::string(snap->reel->task_note).find("predicate"), std::string::npos)
      << snap->reel->task_note;
  snapshot_free(snap);
}

TEST_F(Session, CorruptRewardsAreToldAtTheStepAndTheStateStays) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = serve(0, 20);
  ASSERT_TRUE(std::isfinite(snap->reward));
  EXPECT_STREQ(snap->note, "");
  std::string file = catalog_entry(snap->catalog, 0)->file;
  std::string path = file[0] == '/' ? file : (dir / "run" / file).string();
  double reward = snap->reward;
  snapshot_free(snap);
  session_free(s);
  s = nullptr;
  ASSERT_TRUE(damage(path, &reward, sizeof reward));
  ASSERT_EQ(open(dir / "run"), PH_OK) << ph_error();
  snap = serve(0, 20);
  ASSERT_TRUE(snap->has_frame) << snap->error;
  EXPECT_TRUE(std::isnan(snap->reward));
  EXPECT_NE(std::string(snap->note).find("rewards"), std::string::npos) << snap->note;
  snapshot_free(snap);
}

TEST_F(Session, EpisodeThatDoesNotOpenIsAnErrorAndTheNextOneOpens) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *snap = session_first(s);
  std::string file = catalog_entry(snap->catalog, 0)->file;
  snapshot_free(snap);
  fs::resize_file(file[0] == '/' ? fs::path(file) : dir / "run" / file, 300);
  snap = serve(0, 5);
  ASSERT_TRUE(snap);
  EXPECT_FALSE(snap->has_frame);
  EXPECT_EQ(snap->reel, nullptr);
  EXPECT_NE(snap->error[0], 0);
  snapshot_free(snap);
  snap = serve(1, 5);
  EXPECT_TRUE(snap->has_frame) << snap->error;
  snapshot_free(snap);
}

TEST_F(Session, WhatAnOpeningTellsIsPublishedInANewCatalog) {
  ASSERT_EQ(open(dir / "run"), PH_OK);
  struct snapshot *first = session_first(s), *good = serve(1, 5);
  EXPECT_EQ(good->catalog, first->catalog) << "nothing new, nothing copied";
  std::string file = catalog_entry(first->catalog, 0)->file;
  fs::resize_file(file[0] == '/' ? fs::path(file) : dir / "run" / file, 300);
  struct snapshot *bad = serve(0, 5), *after = serve(1, 5);
  ASSERT_TRUE(bad && bad->catalog);
  EXPECT_NE(bad->catalog, first->catalog);
  EXPECT_NE(catalog_entry(bad->catalog, 0)->oddity[0], 0);
  EXPECT_EQ(catalog_entry(first->catalog, 0)->oddity[0], 0) << "what is on show does not change";
  EXPECT_EQ(bad->catalog->n, first->catalog->n);
  EXPECT_EQ(after->catalog, bad->catalog);
  EXPECT_TRUE(after->has_frame) << after->error;
  struct snapshot *again = serve(0, 6);
  EXPECT_EQ(again->catalog, bad->catalog) << "the same fault is no news";
  for (struct snapshot *snap : {first, good, bad, after, again})
    snapshot_free(snap);
}

TEST_F(Session, AnotherTaskThatDoesNotFitIsSaid) {
  std::string task = std::string(TEST_SOURCE_ROOT) + "/data/quadruped_stand.lua";
  ASSERT_EQ(open(dir / "run", task.c_str()), PH_OK) << ph_error();
  struct snapshot *snap = serve(0, 5);
  ASSERT_TRUE(snap);
  EXPECT_TRUE(snap->has_frame) << snap->error;
  EXPECT_NE(snap->reel->task_note[0], 0);
  EXPECT_TRUE(snap->reel->predicate) << "the recorded predicate stays";
  snapshot_free(snap);
}

TEST_F(Session, OpenErrors) {
  EXPECT_NE(open(dir / "none"), PH_OK);
  EXPECT_NE(std::string(ph_error()).find("none"), std::string::npos);
  EXPECT_NE(open(dir / "run", "/nowhere/task.lua"), PH_OK);
  EXPECT_NE(std::string(ph_error()).find("task.lua"), std::string::npos);
}

/* --- the screen without a terminal
 * ---------------------------------------------------------------- */

struct Screen : Session {
  std::string render(const char *keys, int64_t step = 0, const char *episode = nullptr) {
    std::string text = (dir / "run").string(), shown;
    const char *paths[] = {text.c_str()};
    struct view_options opt = {};
    opt.session.paths = paths;
    opt.session.npaths = 1;
    opt.episode = episode;
    opt.step = step;
    char *out = nullptr;
    status = screen_render(&out, &opt, 40, 120, keys, false);
    if (out)
      shown = out;
    free(out);
    return shown;
  }
  ph_status status = PH_OK;
};

TEST_F(Screen, KeysArePlayedFirst) {
  EXPECT_NE(render(nullptr).find("step 0/162"), std::string::npos);
  EXPECT_NE(render("n n n").find("step 3/162"), std::string::npos);
  EXPECT_NE(render("1 0 n").find("step 10/162"), std::string::npos);
  EXPECT_NE(render("10n 3p").find("step 7/162"), std::string::npos);
  EXPECT_NE(render("120Enter End").find("step 162/162"), std::string::npos);
  EXPECT_NE(render(": g o Space 4 2 Enter").find("step 42/162"), std::string::npos);
  EXPECT_NE(render(nullptr, 33).find("step 33/162"), std::string::npos);
  EXPECT_NE(render(nullptr, 99999).find("step 162/162"), std::string::npos);
  EXPECT_NE(render(">", 33).find("step 0/88"), std::string::npos);
  EXPECT_NE(render(nullptr, 5, "env000_ep000001").find("step 5/88"), std::string::npos);
  std::string there = render("n p"), here = render(nullptr);
  EXPECT_TRUE(there.substr(0, there.find("PAUSED")) == here.substr(0, here.find("PAUSED")))
      << "the same state is the same picture";
}

TEST_F(Screen, BadKeysAndEpisodesAreNamed) {
  EXPECT_EQ(render("n Rihgt"), "");
  EXPECT_EQ(status, PH_EINVAL);
  EXPECT_NE(std::string(screen_error()).find("Rihgt"), std::string::npos);
  EXPECT_EQ(render(nullptr, 0, "demo_99"), "");
  EXPECT_EQ(status, PH_ENOTFOUND);
  EXPECT_NE(std::string(screen_error()).find("demo_99"), std::string::npos);
  fs::remove_all(dir / "run");
  EXPECT_EQ(render(nullptr), "");
  EXPECT_NE(status, PH_OK);
  EXPECT_NE(screen_error()[0], 0);
}

TEST_F(Screen, WritesNothingBesideTheSource) {
  render("m a Q n : n o t e Space x Enter");
  EXPECT_EQ(status, PH_OK);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 1);
}

TEST_F(Screen, BeginsWhereQLeft) {
  ph_marks marks = {};
  ASSERT_TRUE(ph_marks_load(&marks, (dir / "run").c_str()) == PH_OK) << ph_error();
  marks.last.set = true;
  marks.last.step = 44;
  strcpy(marks.last.episode, "env000_ep000001");
  ASSERT_TRUE(ph_marks_save(&marks) == PH_OK) << ph_error();
  ph_marks_clear(&marks);
  EXPECT_NE(render(nullptr, -1).find("step 44/88"), std::string::npos);
  EXPECT_NE(render(nullptr, 0).find("step 0/162"), std::string::npos);
}

/* --- two runs that hold episodes of one name
 * ------------------------------------------------------ */

struct TwoRuns : Session {
  std::string a, b;
  struct app app;
  struct session *session = nullptr;
  char error[400] = "";

  void SetUp() override {
    Session::SetUp();
    fs::copy(dir / "run", dir / "other");
    a = (dir / "run").string();
    b = (dir / "other").string() + "/";
    app_init(&app);
  }
  void TearDown() override {
    session_free(session);
    app_free(&app);
    Session::TearDown();
  }
  ph_status begin(const char *episode, const std::vector<std::string> &list, int64_t step = 0) {
    std::vector<const char *> paths;
    for (const std::string &path : list)
      paths.push_back(path.c_str());
    struct view_options opt = {};
    opt.session.paths = paths.data();
    opt.session.npaths = paths.size();
    opt.episode = episode;
    opt.step = step;
    session_free(session);
    app_free(&app);
    app_init(&app);
    session = nullptr;
    EXPECT_EQ(session_open(&session, &opt.session), PH_OK) << ph_error();
    return view_begin(&app, session, &opt, error, sizeof error);
  }
  void save() {
    for (size_t i = 0; i < app.nsheets; i++) {
      if (app.sheet[i].changed) {
        EXPECT_EQ(ph_marks_save(&app.sheet[i]), PH_OK) << ph_error();
      }
    }
  }
};

TEST_F(TwoRuns, AMarkBelongsToItsFile) {
  ASSERT_EQ(begin("8", {a, b}), PH_OK) << error;
  ASSERT_EQ(app.want.episode, 8u);
  EXPECT_STREQ(catalog_entry(app.snap->catalog, 8)->id, catalog_entry(app.snap->catalog, 0)->id);
  app.want.step = 12;
  EXPECT_TRUE(app_line(&app, "mark x") & REACT_SAVE);
  app_line(&app, "note of the other run");
  EXPECT_EQ(app_marks(&app, 8)->nmarks, 1u);
  EXPECT_EQ(app_marks(&app, 0)->nmarks, 0u);
  app_line(&app, "episode 0");
  app_line(&app, "jump x");
  EXPECT_TRUE(app.message_bad);
  save();
  EXPECT_FALSE(fs::exists(a + ".playhead.json"));
  EXPECT_TRUE(fs::exists((dir / "other").string() + ".playhead.json"));
  ASSERT_EQ(begin(nullptr, {b}), PH_OK) << error;
  EXPECT_EQ(app_marks(&app, 0)->nmarks, 1u) << "alone it has its own";
  EXPECT_EQ(app_marks(&app, 0)->nnotes, 1u);
  ASSERT_EQ(begin(nullptr, {a}), PH_OK) << error;
  EXPECT_EQ(app_marks(&app, 0)->nmarks, 0u);
}

TEST_F(TwoRuns, EachEpisodeHasAName) {
  ASSERT_EQ(begin("env000_ep000001", {a, b}), PH_OK) << error;
  EXPECT_EQ(app.want.episode, 1u) << "the first of that name";
  ASSERT_EQ(begin("other:env000_ep000001", {a, b}), PH_OK) << error;
  EXPECT_EQ(app.want.episode, 9u);
  ASSERT_EQ(begin((b + ":env000_ep000001").c_str(), {a, b}), PH_OK) << error;
  EXPECT_EQ(app.want.episode, 9u);
  app_line(&app, "episode run:env000_ep000001");
  EXPECT_EQ(app.want.episode, 1u);
  app_line(&app, "episode other:env000_ep000002");
  EXPECT_EQ(app.want.episode, 10u);
  for (const char *bad : {"ther:env000_ep000001", ":env000_ep000001", "other:", "other:ep000001",
                          "none:env000_ep000001", "16", "-1", "1x", ""})
    EXPECT_EQ(catalog_find(app.snap->catalog, bad), SIZE_MAX) << bad;
  EXPECT_EQ(begin("none:env000_ep000001", {a, b}), PH_ENOTFOUND);
}

TEST_F(TwoRuns, EnvsAreThoseOfTheSameRun) {
  ASSERT_EQ(begin("other:env000_ep000000", {a, b}), PH_OK) << error;
  app_key(&app, ')', 1000);
  EXPECT_EQ(app.want.episode, 12u);
  EXPECT_STREQ(catalog_entry(app.snap->catalog, 12)->id, "env001_ep000000");
  app_key(&app, '(', 1001);
  EXPECT_EQ(app.want.episode, 8u);
}

TEST_F(TwoRuns, QIsRememberedInTheFileThatWasLeft) {
  ASSERT_EQ(begin("1", {a, b}), PH_OK) << error;
  app.want.step = 5;
  app_apply(&app, CMD_QUIT_REMEMBER, 0, nullptr);
  save();
  ASSERT_EQ(begin("other:env000_ep000001", {a, b}), PH_OK) << error;
  app.want.step = 7;
  app_apply(&app, CMD_QUIT_REMEMBER, 0, nullptr);
  save();
  ASSERT_EQ(begin(nullptr, {a, b}, -1), PH_OK) << error;
  EXPECT_EQ(app.want.episode, 9u);
  EXPECT_EQ(app.want.step, 7);
}

TEST_F(TwoRuns, OnePathGivenTwiceHasOneSheet) {
  ASSERT_EQ(begin("8", {a, a + "/"}), PH_OK) << error;
  app_line(&app, "mark x");
  EXPECT_EQ(app_marks(&app, 0), app_marks(&app, 8));
  EXPECT_EQ(app_marks(&app, 0)->nmarks, 1u);
}
