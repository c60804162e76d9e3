// "What if from here": a branch beside the episode, held against a rerun of the library's.
#include "dynamic_help.h"

extern "C" {
#include "branch_save.h"
}

using dynamic_help::Dynamic;
using dynamic_help::Library;
using dynamic_help::record_arm;

TEST_F(Dynamic, ABranchIsARerunOfItsOwn) {
  record_arm(dir / "run", 200, -1);
  ASSERT_EQ(open(), PH_OK) << ph_error();
  want.dyn.branch.serial = 1;
  want.dyn.branch.at = 50;
  want.dyn.branch.feed = PH_FEED_ZERO;
  const struct dynamic_answer *d = ask(MODE_BOTH, 60);
  EXPECT_EQ(d->branch, 1u);
  EXPECT_NE(strstr(d->branch_text, "from 50 (recorded), actions zero: leaves the recording at"),
            nullptr)
      << d->branch_text;
  EXPECT_EQ(d->sum.cls, PH_BITWISE) << "the main run is none of its business";
  ASSERT_TRUE(d->lanes && d->lanes->ghost);
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = 50;
  opt.feed = PH_FEED_ZERO;
  Library lib(dir / "run", 0);
  lib.rerun(opt);
  ph_analysis *a = nullptr;
  ph_analysis_options how = {};
  how.jobs = 1;
  how.tolerance = ph_tolerance_default();
  how.no_one_step = true;
  ASSERT_EQ(ph_analysis_start(&a, lib.run, &how), PH_OK);
  ASSERT_EQ(ph_analysis_wait(a, nullptr, nullptr), PH_OK);
  for (int i = 0; i < d->lanes->n; i++) {
    double ratio;
    int64_t n = 201, first = (i * n + 39) / 40, last = ((i + 1) * n + 39) / 40 - 1;
    ph_analysis_lane(a, false, first, last - first + 1, &ratio, 1);
    EXPECT_EQ(memcmp(&ratio, &d->lanes->ghost[i], sizeof ratio), 0) << i;
  }
  ph_analysis_free(a);
}

TEST_F(Dynamic, ABranchOffTheDynamicStateGoesOnAsItDoes) {
  record_arm(dir / "run", 200, 60);
  ASSERT_EQ(open(), PH_OK);
  want.dyn.branch.serial = 1;
  want.dyn.branch.at = 100;
  want.dyn.branch.dynamic = true;
  const struct dynamic_answer *d = ask(MODE_BOTH, 150);
  ASSERT_TRUE(d->has_frame) << "the frame that is wanted is there all the same";
  EXPECT_EQ(d->step, 150);
  ASSERT_TRUE(d->lanes && d->lanes->ghost) << d->branch_text;
  for (int i = 21; i < d->lanes->n; i++)
    EXPECT_EQ(d->lanes->ghost[i], d->lanes->drift[i]) << i;
  EXPECT_NE(strstr(d->branch_text, "from 100 (dynamic), actions as recorded"), nullptr)
      << d->branch_text;
}

TEST_F(Dynamic, ABranchIsSavedAsAnEpisodeThatComesOutTheSame) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  struct branch_wish *b = &want.dyn.branch;
  b->serial = 1;
  b->at = 20;
  b->feed = PH_FEED_HELD;
  ASSERT_TRUE(ask(MODE_BOTH, 30)->lanes->ghost);
  b->saves = 1;
  snprintf(b->save, sizeof b->save, "%s", (dir / "branch.h5").c_str());
  const struct dynamic_answer *d = ask(MODE_BOTH, 30);
  EXPECT_EQ(d->saves, 1u);
  EXPECT_NE(strstr(d->saved, "the branch is in"), nullptr) << d->saved;
  Library lib(dir / "branch.h5", 0), source(dir / "run", 0);
  const ph_episode_meta *meta = ph_episode_meta_of(lib.episode);
  EXPECT_NE(strstr(meta->parent, ph_episode_meta_of(source.episode)->id), nullptr) << meta->parent;
  EXPECT_NE(strstr(meta->provenance, "\"branch\""), nullptr) << meta->provenance;
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = 20;
  opt.feed = PH_FEED_HELD;
  source.rerun(opt);
  std::vector<double> row((size_t)(1 + meta->dims.nq + meta->dims.nv + meta->dims.na));
  ASSERT_GT(meta->states, 1);
  for (int64_t t = 0; t < meta->states; t++) {
    ASSERT_EQ(ph_episode_read(lib.episode, PH_COL_STATES, t, 1, row.data()), PH_OK);
    ASSERT_EQ(memcmp(row.data(), source.at(20 + t)->row.state, 8 * row.size()), 0) << t;
    ASSERT_EQ(memcmp(row.data(), lib.at(t)->row.state, 8 * row.size()), 0) << t;
  }
  b->saves = 2; /* what is there stays */
  d = ask(MODE_BOTH, 30);
  EXPECT_EQ(std::string(d->saved).rfind("not saved: it exists already", 0), 0u)
      << "why comes before the path: " << d->saved;
}

// Longer than what waits to be written: no row is lost, doubled or out of its place between blocks.
TEST_F(Dynamic, ALongBranchIsSavedInBlocks) {
  record_arm(dir / "run", 50000, -1);
  Library source(dir / "run", 0);
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = 7;
  source.rerun(opt);
  struct Count {
    int64_t asked, end;
  } count = {0, 1 << 30};
  auto ask = [](void *arg) {
    auto *c = static_cast<Count *>(arg);
    return ++c->asked > c->end;
  };
  const std::string path = dir / "long.h5";
  ASSERT_EQ(ph_rerun_save(source.run, path.c_str(), ask, &count), PH_OK) << ph_error();
  Library saved(dir / "long.h5", 0);
  ASSERT_EQ(ph_episode_meta_of(saved.episode)->states, 50001 - 7);
  for (ph_column col : {PH_COL_STATES, PH_COL_ACTIONS, PH_COL_CTRL, PH_COL_WARMSTART}) {
    const ph_dims &dims = ph_episode_meta_of(saved.episode)->dims;
    int64_t n = ph_episode_rows(saved.episode, col);
    size_t width = ph_schema_width(col, &dims);
    std::vector<double> a((size_t)n * width), b(a.size());
    ASSERT_EQ(ph_episode_read(saved.episode, col, 0, n, a.data()), PH_OK) << ph_error();
    ASSERT_EQ(ph_episode_read(source.episode, col, 7, n, b.data()), PH_OK) << ph_error();
    EXPECT_EQ(memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
        << ph_schema_column(col)->path;
  }
  EXPECT_EQ(count.asked, 2 * (50000 - 7)) << "also for states that are kept";
  const std::string none = dir / "none.h5";
  count = {0, count.asked - 10}; /* in the last block */
  EXPECT_EQ(ph_rerun_save(source.run, none.c_str(), ask, &count), PH_ECANCELED);
  EXPECT_FALSE(std::filesystem::exists(none));
}

// Too large for the engine: which element, and what it was.
TEST_F(Dynamic, ABranchThatPhysicsStopsSaysWhereAndWhy) {
  record_arm(dir / "run", 120, -1);
  ASSERT_EQ(open(), PH_OK);
  struct branch_wish *b = &want.dyn.branch;
  b->at = 50;
  for (double value : {1e11, 1e20, 1e100, 1e308}) {
    char number[40];
    snprintf(number, sizeof number, "is %g", value);
    b->serial++;
    b->dynamic = !b->dynamic;
    b->set[0] = true;
    b->value[0] = value;
    const struct dynamic_answer *d = ask(MODE_BOTH, 50);
    EXPECT_TRUE(d->branch_ended) << number;
    EXPECT_EQ(d->branch_stopped, 51) << number;
    EXPECT_NE(strstr(d->branch_why, "ctrl[0]"), nullptr) << d->branch_why;
    EXPECT_NE(strstr(d->branch_why, number), nullptr) << d->branch_why;
    b->saves++;
    snprintf(b->save, sizeof b->save, "%s", (dir / "none.h5").c_str());
    d = ask(MODE_BOTH, 50);
    EXPECT_NE(strstr(d->saved, "no step of it was taken"), nullptr) << d->saved;
    EXPECT_NE(strstr(d->saved, number), nullptr) << d->saved;
    EXPECT_FALSE(std::filesystem::exists(dir / "none.h5"));
  }
  b->serial++;
  b->set[0] = false;
  const struct dynamic_answer *d = ask(MODE_BOTH, 50);
  EXPECT_TRUE(d->branch_ended);
  EXPECT_EQ(d->branch_stopped, -1);
  EXPECT_STREQ(d->branch_why, "");
}

TEST_F(Dynamic, WhatABranchChangesIsSaidAndANameThatIsNoneToo) {
  record_arm(dir / "run", 100, -1);
  ASSERT_EQ(open(), PH_OK);
  struct branch_wish *b = &want.dyn.branch;
  b->serial = 1;
  b->at = 10;
  b->set[1] = true;
  b->value[1] = 0.3;
  ASSERT_EQ(ph_change_parse(&b->change[b->nchanges++], "solver=CG"), PH_OK);
  ASSERT_EQ(ph_change_parse(&b->change[b->nchanges++], "friction=x0.5"), PH_OK);
  const struct dynamic_answer *d = ask(MODE_KINEMATIC, 0);
  EXPECT_NE(strstr(d->branch_text, "but for 1 element, solver CG, friction x0.5: "), nullptr)
      << d->branch_text;
  b->serial = 2;
  b->nchanges = 0;
  ASSERT_EQ(ph_change_parse(&b->change[b->nchanges++], "friction:nobody=0.2"), PH_OK);
  d = ask(MODE_KINEMATIC, 0);
  EXPECT_EQ(d->branch, 2u);
  EXPECT_NE(strstr(d->branch_text, "nobody"), nullptr) << d->branch_text;
  b->serial = 0;
  d = ask(MODE_BOTH, 0);
  EXPECT_EQ(d->branch, 0u);
  EXPECT_EQ(d->lanes->ghost, nullptr);
}

/* Saving takes as long as all its physics: meanwhile requests are answered. */
TEST_F(Dynamic, ABranchIsWrittenInTheBackgroundAndSaysHowFarItIs) {
  record_arm(dir / "run", 6000, -1);
  ASSERT_EQ(open(), PH_OK) << ph_error();
  std::string path = (dir / "long.h5").string();
  struct branch_wish *b = &want.dyn.branch;
  b->serial = 1;
  b->feed = PH_FEED_HELD;
  ask(MODE_KINEMATIC, 3);
  b->saves = 1;
  snprintf(b->save, sizeof b->save, "%s", path.c_str());
  serve();
  struct snapshot *fresh = nullptr;
  for (int i = 0; i < 1000 && !snap->dyn->saving[0]; i++) {
    fresh = nullptr;
    session_work(s, nullptr, nullptr, &fresh);
    take(fresh);
  }
  EXPECT_NE(strstr(snap->dyn->saving, ("writing " + path + ": ").c_str()), nullptr)
      << snap->dyn->saving << snap->dyn->saved;
  EXPECT_NE(strstr(snap->dyn->saving, "/6000"), nullptr) << snap->dyn->saving;
  EXPECT_EQ(snap->dyn->saves, 0u) << "it is on its way";
  EXPECT_NE(session_wait(s), UINT64_MAX);
  settle();
  EXPECT_EQ(snap->dyn->saves, 1u);
  EXPECT_STREQ(snap->dyn->saved, ("the branch is in " + path).c_str());
  EXPECT_STREQ(snap->dyn->saving, "");
  Library lib(path, 0);
  EXPECT_EQ(ph_episode_meta_of(lib.episode)->actions, 6000);
  b->saves = b->unsaved = 2; /* given up before it begins */
  snprintf(b->save, sizeof b->save, "%s2", path.c_str());
  serve();
  settle();
  EXPECT_EQ(snap->dyn->saves, 2u);
  EXPECT_STREQ(snap->dyn->saved, "not saved: canceled");
  EXPECT_FALSE(std::filesystem::exists(path + "2"));
}

TEST_F(Dynamic, ASaveThatIsGivenUpLeavesNothing) {
  record_arm(dir / "run", 6000, -1);
  Library lib(dir / "run", 0);
  std::string path = (dir / "given_up.h5").string();
  char text[500];
  struct branch_save *save = branch_save_start(lib.run, path.c_str());
  ASSERT_NE(save, nullptr);
  branch_save_cancel(save);
  while (!branch_save_ended(save))
    usleep(1000);
  branch_save_text(save, text, sizeof text);
  EXPECT_STREQ(text, ("not saved: canceled; there is no " + path).c_str());
  branch_save_free(save);
  EXPECT_FALSE(std::filesystem::exists(path));
  branch_save_free(branch_save_start(lib.run, path.c_str())); /* while it is on its way */
  EXPECT_FALSE(std::filesystem::exists(path));
}

/* Actions are other, what moves it from outside is not: that is said. */
TEST_F(Dynamic, ABranchSaysWhatElseGoesOnBeingFed) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  struct branch_wish *b = &want.dyn.branch;
  b->serial = 1;
  b->at = 20;
  b->feed = PH_FEED_ZERO;
  EXPECT_NE(
      strstr(ask(MODE_KINEMATIC, 3)->branch_text, "actions zero; mocap, welds still as recorded: "),
      nullptr)
      << snap->dyn->branch_text;
  b->serial = 2;
  b->feed = PH_FEED_RECORDED;
  EXPECT_EQ(strstr(ask(MODE_KINEMATIC, 3)->branch_text, "still as recorded"), nullptr);
  b->serial = 3;
  b->set[0] = true;
  EXPECT_NE(strstr(ask(MODE_KINEMATIC, 3)->branch_text, "but for 1 element; mocap, welds still"),
            nullptr)
      << snap->dyn->branch_text;
}
