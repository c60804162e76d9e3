/* How envs lie to each other: by step, time, latch; rounds of runs. */
#include <filesystem>
#include <fstream>
#include <sys/resource.h>

#include <playhead/pack.h>

#include "ensemble_help.h"

using namespace ensemble_help;

namespace {

TEST(EnsembleAlign, NamesGoBothWays) {
  for (int i = 0; i < PH_ALIGN_COUNT; i++) {
    ph_align a = PH_ALIGN_COUNT;
    EXPECT_TRUE(ph_align_from_name(ph_align_name(static_cast<ph_align>(i)), &a));
    EXPECT_EQ(i, a);
  }
  ph_align a;
  EXPECT_FALSE(ph_align_from_name("luck", &a));
  EXPECT_STREQ("kinematic", ph_latch_source_name(PH_LATCH_KINEMATIC));
  EXPECT_STREQ("unknown", ph_latch_source_name(PH_LATCH_SOURCES));
}

/* --- time --- */

struct Rates : testing::Test {
  Model model{pile()};
  Sources s;
  Rates() { /* control steps of 16, 32, 16 and 12 ms */
    s.make(model.model, 40, 4);
    s.make(model.model, 15, 8);
    s.make(model.model, 30, 4);
    s.make(model.model, 60, 3);
  }
};

TEST_F(Rates, ByTime) {
  Ensemble e(s);
  ph_ensemble_align(e.e, PH_ALIGN_TIME);
  EXPECT_EQ(PH_ALIGN_TIME, ph_ensemble_align_of(e.e));
  EXPECT_EQ(0.5, ph_ensemble_alignment(e.e, 1).rate);
  EXPECT_EQ(1, ph_ensemble_alignment(e.e, 2).rate);
  for (int64_t p = 0; p <= 40; p++)
    for (size_t i = 0; i < 4; i++) {
      const double dt[] = {0.016, 0.032, 0.016, 0.012};
      double apart =
          static_cast<double>(e.place(i, p).wanted) * dt[i] - static_cast<double>(p) * 0.016;
      EXPECT_LE(fabs(apart), dt[i] / 2 + 1e-12) << p << " env " << i;
    }
  /* 0.64, 0.48, 0.48 and 0.72 s */
  int64_t last = ph_ensemble_last(e.e);
  EXPECT_EQ(30, last);
  EXPECT_EQ(15, e.place(1, last).step);
  EXPECT_EQ(30, e.place(2, last).step);
  EXPECT_EQ(40, e.place(3, last).step);
  ph_ensemble_set_hold(e.e, true);
  last = ph_ensemble_last(e.e);
  EXPECT_EQ(45, last);
  EXPECT_EQ(60, e.place(3, last).step);
  EXPECT_FALSE(e.place(3, last).held);
  EXPECT_TRUE(e.place(3, last + 1).held);
  EXPECT_TRUE(e.place(0, last).held);
  e.seek(last, true);
  for (size_t i = 0; i < 4; i++) {
    ASSERT_NE(nullptr, e.frame(i).dynamic) << e.frame(i).note;
    EXPECT_EQ(e.place(i, last).wanted, e.frame(i).dynamic->step) << i;
  }
}

/* The last step is the last one that all of them have, whatever is rounded. */
TEST_F(Rates, TheLastStepByTime) {
  for (int actions : {2, 3, 14, 15})
    for (size_t lead = 0; lead < 4; lead++) {
      Sources more;
      more.make(model.model, actions, 8);
      s.list.resize(4);
      s.list.push_back(more.list[0]);
      Ensemble e(s);
      ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, lead));
      ph_ensemble_align(e.e, PH_ALIGN_TIME);
      int64_t least = INT64_MAX, most = 0;
      for (size_t i = 0; i < 5; i++) {
        int64_t p = 0;
        while (!e.place(i, p + 1).held)
          p++;
        least = std::min(least, p);
        most = std::max(most, p);
      }
      EXPECT_EQ(least, ph_ensemble_last(e.e)) << actions << " led by " << lead;
      ph_ensemble_set_hold(e.e, true);
      EXPECT_EQ(most, ph_ensemble_last(e.e));
    }
}

TEST_F(Rates, AnotherLeadsByTime) {
  Ensemble e(s);
  ph_ensemble_align(e.e, PH_ALIGN_TIME);
  ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, 1));
  EXPECT_EQ(1u, ph_ensemble_lead(e.e));
  EXPECT_EQ(2, ph_ensemble_alignment(e.e, 0).rate);
  EXPECT_EQ(1, ph_ensemble_alignment(e.e, 1).rate);
  EXPECT_EQ(20, e.place(0, 10).step);
  EXPECT_EQ(15, ph_ensemble_last(e.e));
  EXPECT_EQ(PH_EINVAL, ph_ensemble_set_lead(e.e, 4));
  EXPECT_EQ(1u, ph_ensemble_lead(e.e));
  ph_ensemble_align(e.e, PH_ALIGN_STEP);
  EXPECT_EQ(1, ph_ensemble_alignment(e.e, 0).rate);
  EXPECT_EQ(15, ph_ensemble_last(e.e));
}

/* Its own clock is not known: it is aligned by step, and that is said. */
TEST_F(Rates, WithoutAControlStep) {
  Maker maker(model.model);
  maker.actions = 33;
  ph_episode *episode = maker.make();
  const_cast<ph_episode_meta *>(ph_episode_meta_of(episode))->control_dt = 0;
  s.add(episode, model.model);
  Ensemble e(s);
  ph_ensemble_align(e.e, PH_ALIGN_TIME);
  ph_alignment a = ph_ensemble_alignment(e.e, 4);
  EXPECT_TRUE(a.by_step);
  EXPECT_STREQ("its control step is not known: aligned by step", a.note);
  EXPECT_EQ(17, e.place(4, 17).step);
  EXPECT_FALSE(ph_ensemble_alignment(e.e, 1).by_step);
  ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, 4));
  for (size_t i = 0; i < 5; i++) {
    EXPECT_TRUE(ph_ensemble_alignment(e.e, i).by_step);
    EXPECT_EQ(9, e.place(i, 9).step);
  }
}

/* --- latches --- */

TEST(EnsembleAlign, LatchesMeet) {
  Recorded run(runs + "drawer_close");
  size_t entry = ph_store_find(run.store, "env001_ep000002");
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.align = PH_ALIGN_LATCH;
  Ensemble e(run.store, entry, opt);
  ASSERT_EQ(2u, ph_ensemble_count(e.e));
  int64_t latch[2];
  for (size_t i = 0; i < 2; i++) {
    latch[i] = e.result(i).latch[PH_LATCH_RECORDED];
    ASSERT_GT(latch[i], 0);
    EXPECT_EQ(PH_LATCH_UNKNOWN, e.result(i).latch[PH_LATCH_DYNAMIC]);
  }
  ASSERT_NE(latch[0], latch[1]);
  EXPECT_EQ(0, ph_ensemble_alignment(e.e, 0).shift);
  EXPECT_EQ(latch[1] - latch[0], ph_ensemble_alignment(e.e, 1).shift);
  EXPECT_EQ(latch[1], e.place(1, latch[0]).step);
  e.seek(0);
  EXPECT_TRUE(e.frame(1).at.waits) << "it begins later";
  EXPECT_EQ(0, e.frame(1).at.step);
  EXPECT_EQ(latch[1] - latch[0], e.frame(1).at.wanted);
  e.seek(latch[0]);
  for (size_t i = 0; i < 2; i++) {
    ASSERT_NE(nullptr, e.frame(i).recorded.predicate);
    EXPECT_EQ(1, *e.frame(i).recorded.predicate);
    EXPECT_EQ(latch[i], e.frame(i).at.step);
  }
  /* the other leads: nothing moves */
  int64_t before[2] = {e.place(0, 120).step, e.place(1, 120).step};
  ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, 1));
  EXPECT_EQ(0, ph_ensemble_alignment(e.e, 1).shift);
  for (size_t i = 0; i < 2; i++)
    EXPECT_EQ(before[i], e.place(i, before[1]).step);
  ph_ensemble_align(e.e, PH_ALIGN_LATCH);
  for (size_t i = 0; i < 2; i++)
    EXPECT_EQ(before[i], e.place(i, before[1]).step);
}

/* A dynamic latch is known after the pass, and a waiting env stands at its first state. */
TEST(EnsembleAlign, DynamicLatches) {
  Recorded run(runs + "drawer_close");
  Ensemble e(run.store, ph_store_find(run.store, "env000_ep000003"));
  ph_ensemble_align(e.e, PH_ALIGN_DYNAMIC);
  EXPECT_TRUE(ph_ensemble_alignment(e.e, 1).by_step);
  EXPECT_STREQ("no latch of its dynamic run is known: aligned by step",
               ph_ensemble_alignment(e.e, 1).note);
  EXPECT_EQ(0, ph_ensemble_alignment(e.e, 1).shift);
  e.measure();
  ph_ensemble_align(e.e, PH_ALIGN_DYNAMIC);
  int64_t latch[2];
  for (size_t i = 0; i < 2; i++) {
    const ph_ensemble_result r = e.result(i);
    latch[i] = r.latch[PH_LATCH_DYNAMIC];
    EXPECT_GT(latch[i], 0);
    EXPECT_EQ(latch[i], r.latch[PH_LATCH_RECORDED]);
    EXPECT_EQ(latch[i], r.latch[PH_LATCH_KINEMATIC]);
    EXPECT_FALSE(ph_ensemble_alignment(e.e, i).by_step);
  }
  EXPECT_EQ(latch[1] - latch[0], ph_ensemble_alignment(e.e, 1).shift);
  e.seek(0, true);
  ASSERT_TRUE(e.frame(1).at.waits);
  EXPECT_EQ(0, e.frame(1).dynamic->step);
  EXPECT_EQ(-1, e.frame(1).equal);
  e.seek(latch[0], true);
  for (size_t i = 0; i < 2; i++) {
    EXPECT_EQ(1, e.frame(i).equal);
    EXPECT_TRUE(e.frame(i).dynamic->hold.latched);
    EXPECT_EQ(latch[i], e.frame(i).dynamic->hold.latch);
  }
}

/* env 1 of this round never latches. */
TEST(EnsembleAlign, WithoutALatch) {
  Recorded run(runs + "drawer_close");
  Ensemble e(run.store, 0);
  ph_ensemble_align(e.e, PH_ALIGN_LATCH);
  EXPECT_EQ(PH_LATCH_NEVER, e.result(1).latch[PH_LATCH_RECORDED]);
  EXPECT_TRUE(ph_ensemble_alignment(e.e, 1).by_step);
  EXPECT_STREQ("it never latches: aligned by step", ph_ensemble_alignment(e.e, 1).note);
  EXPECT_FALSE(ph_ensemble_alignment(e.e, 0).by_step);
  EXPECT_EQ(100, e.place(1, 100).step);
  ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, 1));
  EXPECT_EQ(100, e.place(0, 100).step);
}

/* One begins later on its clock, so that its latch comes early: held ends are far beyond it. No
 * predicate is stored: the task's on the recorded states counts. */
TEST(EnsembleAlign, KinematicLatchesMeet) {
  Model model(pile());
  Task task("return { name = 'late', control_steps = 4, hold_seconds = 0.032,\n"
            "success = function(s) return s.time > 0.29 end }");
  Sources s;
  Maker maker(model.model);
  maker.actions = 24;
  s.add(maker.make(), model.model, task.task);
  maker.actions = 60;
  maker.start = [](ph_sim *sim) { sim->d->time = 0.25; };
  s.add(maker.make(), model.model, task.task);
  Ensemble e(s);
  ph_ensemble_align(e.e, PH_ALIGN_LATCH);
  EXPECT_STREQ("no latch of it is known: aligned by step", ph_ensemble_alignment(e.e, 0).note);
  e.measure();
  ph_ensemble_align(e.e, PH_ALIGN_LATCH);
  const int64_t latch[] = {20, 4};
  for (size_t i = 0; i < 2; i++) {
    EXPECT_EQ(PH_LATCH_UNKNOWN, e.result(i).latch[PH_LATCH_RECORDED]);
    EXPECT_EQ(latch[i], e.result(i).latch[PH_LATCH_KINEMATIC]) << e.result(i).text;
    EXPECT_EQ(latch[i], e.result(i).latch[PH_LATCH_DYNAMIC]);
    EXPECT_FALSE(ph_ensemble_alignment(e.e, i).by_step);
  }
  EXPECT_EQ(-16, ph_ensemble_alignment(e.e, 1).shift);
  EXPECT_EQ(24, ph_ensemble_last(e.e));
  ph_ensemble_set_hold(e.e, true);
  EXPECT_EQ(76, ph_ensemble_last(e.e));
  e.seek(76, true);
  EXPECT_EQ(60, e.frame(1).at.step);
  EXPECT_FALSE(e.frame(1).at.held);
  EXPECT_TRUE(e.frame(0).at.held);
  ASSERT_NE(nullptr, e.frame(0).dynamic) << e.frame(0).note;
  EXPECT_EQ(76, e.frame(0).dynamic->step) << "it goes on further than any recording";
}

/* --- rounds --- */

std::vector<std::string> round_of(const Recorded &run, const char *id, size_t room) {
  size_t round[64];
  std::vector<std::string> ids;
  size_t n = ph_ensemble_round(run.store, ph_store_find(run.store, id), round, room);
  for (size_t i = 0; i < std::min(n, room); i++)
    ids.push_back(ph_store_entry(run.store, round[i])->id);
  ids.push_back(std::to_string(n));
  return ids;
}

using Ids = std::vector<std::string>;

TEST(EnsembleRound, AllEnvsOfOneNumber) {
  Recorded run(runs + "drawer_close");
  EXPECT_EQ((Ids{"env000_ep000002", "env001_ep000002", "2"}), round_of(run, "env001_ep000002", 64));
  EXPECT_EQ((Ids{"env000_ep000002", "env001_ep000002", "2"}), round_of(run, "env000_ep000002", 2));
  EXPECT_EQ((Ids{"env001_ep000002", "2"}), round_of(run, "env001_ep000002", 1))
      << "it is among them";
  EXPECT_EQ((Ids{"env000_ep000002", "2"}), round_of(run, "env000_ep000002", 1));
  size_t none;
  EXPECT_EQ(0u, ph_ensemble_round(run.store, 1000, &none, 1));
  EXPECT_EQ(0u, ph_ensemble_round(run.store, 0, &none, 0));
}

/* Files of one folder are of one run; another run that is open too is not. */
TEST(EnsembleRound, FilesOneByOne) {
  std::string a = runs + "drawer_close/env001_ep000002_99.h5",
              b = runs + "drawer_close/env000_ep000002_162.h5",
              c = runs + "muscle_reach/env000_ep000002_49.h5", d = runs + "quadruped_stand";
  const char *paths[] = {a.c_str(), b.c_str(), c.c_str(), d.c_str()};
  ph_store *store = nullptr;
  size_t round[8];
  ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 4, nullptr)) << ph_error();
  ASSERT_EQ(2u, ph_ensemble_round(store, 0, round, 8));
  EXPECT_EQ(1u, round[0]) << "env 0 first";
  EXPECT_EQ(0u, round[1]);
  EXPECT_EQ(1u, ph_ensemble_round(store, 2, round, 8));
  Ensemble e(store, 0);
  e.seek(50, true);
  EXPECT_EQ(1, e.frame(0).equal);
  EXPECT_EQ(1, e.frame(1).equal) << e.frame(1).note;
  ph_store_free(store);
  e.seek(51, true);
  EXPECT_EQ(1, e.frame(1).equal) << "the store is not needed any more";
}

/* Two runs in one dataset: those beside the entry are of its own. Their tasks differ. */
TEST(EnsembleRound, TwoRunsInOneDataset) {
  TempDir folder;
  std::string out = folder.path + "/both.h5", a = runs + "drawer_close", b = runs + "muscle_reach";
  const char *from[] = {a.c_str(), b.c_str()};
  ASSERT_EQ(PH_OK, ph_pack(out.c_str(), from, 2, nullptr, nullptr)) << ph_error();
  Recorded both(out);
  size_t n = ph_store_count(both.store), round[8];
  ASSERT_EQ(14u, n);
  for (size_t i = 0; i < n; i++) {
    const ph_entry *entry = ph_store_entry(both.store, i);
    ASSERT_EQ(2u, ph_ensemble_round(both.store, i, round, 8)) << entry->id;
    for (size_t k = 0; k < 2; k++) {
      const ph_entry *other = ph_store_entry(both.store, round[k]);
      EXPECT_EQ(static_cast<int>(k), other->env_id);
      EXPECT_EQ(entry->episode, other->episode);
      EXPECT_STREQ(entry->task_sha256, other->task_sha256) << entry->id << ", " << other->id;
    }
  }
  size_t mixed[] = {0, n - 1};
  ph_ensemble *e = nullptr;
  ASSERT_STRNE(ph_store_entry(both.store, 0)->task_sha256,
               ph_store_entry(both.store, n - 1)->task_sha256);
  ASSERT_EQ(PH_OK, ph_ensemble_open(&e, both.store, mixed, 2, nullptr, nullptr, nullptr));
  ASSERT_EQ(PH_OK, ph_ensemble_seek(e, 30, 0, true, nullptr, nullptr));
  for (size_t i = 0; i < 2; i++)
    EXPECT_EQ(1, ph_ensemble_frame_of(e, i)->equal) << ph_ensemble_frame_of(e, i)->note;
  ph_ensemble_free(e);
}

/* --- stores --- */

void copy_run(const std::string &from, const std::string &to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

/* One file is no file any more: one env with a reason. */
TEST(EnsembleOpen, AFileThatCannotBeRead) {
  TempDir folder;
  copy_run(runs + "drawer_close", folder.path + "/run");
  Recorded run(folder.path + "/run");
  std::ofstream(folder.path + "/run/env001_ep000002_99.h5", std::ios::trunc) << "gone";
  Ensemble e(run.store, ph_store_find(run.store, "env000_ep000002"));
  ASSERT_EQ(2u, ph_ensemble_count(e.e));
  const ph_ensemble_env *bad = ph_ensemble_env_of(e.e, 1);
  EXPECT_STREQ("env001_ep000002", bad->id);
  EXPECT_EQ(1, bad->env_id);
  EXPECT_EQ(2, bad->number);
  EXPECT_NE('\0', bad->reason[0]);
  EXPECT_EQ(162, ph_ensemble_last(e.e));
  e.seek(162, true);
  EXPECT_EQ(1, e.frame(0).equal);
  e.measure();
  EXPECT_EQ(PH_BITWISE, e.result(0).cls);
  EXPECT_EQ(1u, e.look().refused);
}

/* Files that stay open leave room for those of others. */
TEST(EnsembleOpen, MoreThanMayBeOpen) {
  Recorded run(runs + "muscle_reach");
  std::vector<size_t> entries(50, 0);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  ph_ensemble *e = nullptr;
  rlimit was, low;
  opt.lead = 47;
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &was));
  low = {80, was.rlim_max};
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &low));
  EXPECT_EQ(40u, ph_ensemble_room());
  ph_status status = ph_ensemble_open(&e, run.store, entries.data(), 50, &opt, nullptr, nullptr);
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &was));
  ASSERT_EQ(PH_OK, status) << ph_error();
  for (size_t i = 0; i < 50; i++)
    EXPECT_STREQ(i < 40 || i == 47 ? ""
                                   : "this process may have no more files open: raise `ulimit -n` "
                                     "above 100",
                 ph_ensemble_env_of(e, i)->reason)
        << i;
  ph_ensemble_free(e);
}

TEST(EnsembleOpen, AnotherTaskJudges) {
  Recorded run(runs + "drawer_close");
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.success = "true";
  Ensemble e(run.store, 0, opt);
  e.measure();
  for (size_t i = 0; i < 2; i++) {
    EXPECT_EQ(PH_BITWISE, e.result(i).cls) << "actions are still the recorded task's";
    EXPECT_EQ(e.result(i).latch[PH_LATCH_KINEMATIC], e.result(i).latch[PH_LATCH_DYNAMIC]);
    EXPECT_GT(e.result(i).latch[PH_LATCH_DYNAMIC], 0);
  }
  EXPECT_EQ(e.result(0).latch[PH_LATCH_DYNAMIC], e.result(1).latch[PH_LATCH_DYNAMIC]);
  EXPECT_EQ(PH_LATCH_NEVER, e.result(1).latch[PH_LATCH_RECORDED]);
}

/* Its hold is its own, not the recorded one. */
TEST(EnsembleOpen, AnotherTaskHoldsAsLongAsItSays) {
  Recorded run(runs + "drawer_close");
  Task judge("return { hold_seconds = 0.06, success = function(s) return true end }");
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.task = judge.task;
  Ensemble e(run.store, 0, opt);
  e.measure();
  for (size_t i = 0; i < 2; i++) {
    EXPECT_EQ(PH_BITWISE, e.result(i).cls) << e.result(i).text;
    EXPECT_EQ(3, e.result(i).latch[PH_LATCH_KINEMATIC]);
    EXPECT_EQ(3, e.result(i).latch[PH_LATCH_DYNAMIC]);
  }
}

/* In pieces: how far it is, what is judged by is kept, and it is given up at any place. */
TEST(EnsembleOpen, InPiecesItIsTheSame) {
  Recorded run(runs + "drawer_close");
  size_t entry[] = {0, 4, 1};
  for (size_t until = 0; until < 3; until++) {
    std::string success = "s.step >= 3";
    ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
    opt.success = success.c_str();
    ph_ensemble_opening *o = nullptr;
    ASSERT_EQ(PH_OK, ph_ensemble_opening_begin(&o, run.store, entry, 3, &opt));
    success.assign(success.size(), '?');
    for (size_t i = 0; i < until; i++) {
      EXPECT_EQ(i, ph_ensemble_opening_done(o));
      ASSERT_EQ(PH_OK, ph_ensemble_opening_next(o)) << ph_error();
    }
    if (until < 2) {
      ph_ensemble_opening_free(o);
      continue;
    }
    ph_ensemble *e = nullptr;
    ASSERT_EQ(PH_END, ph_ensemble_opening_next(o));
    EXPECT_EQ(3u, ph_ensemble_opening_done(o));
    EXPECT_EQ(PH_END, ph_ensemble_opening_next(o)) << "and so it stays";
    ASSERT_EQ(PH_OK, ph_ensemble_opening_end(&e, o)) << ph_error();
    ph_ensemble_opening_free(o);
    for (size_t i = 0; i < 3; i++) {
      EXPECT_STREQ("", ph_ensemble_env_of(e, i)->reason);
      EXPECT_STREQ(ph_store_entry(run.store, entry[i])->id, ph_ensemble_env_of(e, i)->id);
    }
    ph_ensemble_free(e);
  }
}

TEST(EnsembleOpen, WhatIsNotThereIsRefused) {
  Recorded run(runs + "drawer_close");
  ph_ensemble *e = nullptr;
  size_t entry[] = {0, 99};
  EXPECT_EQ(PH_EINVAL, ph_ensemble_open(&e, run.store, entry, 2, nullptr, nullptr, nullptr));
  EXPECT_EQ(PH_EINVAL, ph_ensemble_open(&e, run.store, entry, 0, nullptr, nullptr, nullptr));
  auto cancel = [](void *) { return true; };
  EXPECT_EQ(PH_ECANCELED, ph_ensemble_open(&e, run.store, entry, 1, nullptr, cancel, nullptr));
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.success = "s.nothing(";
  EXPECT_EQ(PH_ETASK, ph_ensemble_open(&e, run.store, entry, 1, &opt, nullptr, nullptr));
  EXPECT_EQ(nullptr, e);
}

} // namespace
