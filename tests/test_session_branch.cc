// "What if from here": a branch beside the episode, held against a rerun of the library's.
#include "dynamic_help.h"

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
  EXPECT_NE(strstr(d->saved, "not saved"), nullptr) << d->saved;
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
