// The analysis pass against a plain loop over the same episode, and how it ends.
#include "analysis_help.h"

#include <atomic>
#include <thread>

namespace {

using analysis_help::Analysis;
using analysis_help::kActions;
using analysis_help::kTask;
using replay_help::Memory;

TEST_F(Analysis, FactsAreThoseOfAPlainLoop) {
  parse(kTask);
  start_run(); /* mocap, userdata and welds of that episode change on their own: it diverges */
  auto plain = naive();
  size_t unequal = 0, changes = 0;
  for (const auto &f : plain) {
    unequal += !f.free_equal;
    changes += f.contacts_changed;
  }
  EXPECT_GT(unequal, 50u);
  EXPECT_GT(changes, 2u);
  ph_analysis_summary first = {};
  for (int jobs : {1, 2, 4}) {
    ph_analysis *a = whole(jobs);
    expect_same(facts(a), plain);
    ph_analysis_summary s = sum(a);
    if (jobs == 1)
      first = s;
    EXPECT_EQ(0, memcmp(&first, &s, sizeof s)) << jobs;
    auto p = look(a);
    EXPECT_TRUE(p.ended);
    EXPECT_EQ(PH_OK, p.status);
    EXPECT_STREQ("", p.text);
    EXPECT_EQ(meta.states, p.free_run);
    EXPECT_EQ(meta.states - 1, p.one_step);
    EXPECT_EQ(-1, p.stopped);
    EXPECT_EQ(run, ph_analysis_rerun(a));
    ph_analysis_free(a);
  }
}

TEST_F(Analysis, SumsAreThoseOfThePlainLoop) {
  start_run();
  ph_analysis *a = whole(3);
  auto plain = naive();
  ph_analysis_summary s = sum(a);
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    float most = 0, one = 0;
    int64_t at = -1, one_at = -1;
    for (size_t t = 0; t < plain.size(); t++) {
      if (plain[t].free_max[m] > most)
        most = plain[t].free_max[m], at = static_cast<int64_t>(t);
      if (plain[t].one_max[m] > one)
        one = plain[t].one_max[m], one_at = static_cast<int64_t>(t);
    }
    EXPECT_EQ(most, static_cast<float>(s.max[m])) << ph_measure_name(static_cast<ph_measure>(m));
    EXPECT_EQ(one, static_cast<float>(s.one_max[m]));
    EXPECT_EQ(at, s.max_step[m]);
    EXPECT_EQ(one_at, s.one_max_step[m]);
    if (at >= 0) {
      EXPECT_EQ(plain[static_cast<size_t>(at)].free_worst[m], s.worst[m]);
    }
  }
  for (int c = 0; c < PH_CLASS_COUNT; c++) {
    int64_t first = -1, one_first = -1, count = 0;
    for (size_t t = plain.size(); t-- > 0;) {
      if (plain[t].free_class >= c)
        first = static_cast<int64_t>(t);
      if (plain[t].one_known && plain[t].one_class >= c)
        one_first = static_cast<int64_t>(t);
      count += plain[t].one_known && plain[t].one_class == c;
    }
    EXPECT_EQ(first, s.first[c]);
    EXPECT_EQ(one_first, s.one_first[c]);
    EXPECT_EQ(count, s.one_count[c]);
  }
  EXPECT_EQ(-1, s.latch);
  EXPECT_TRUE(std::isnan(s.reward));
  EXPECT_EQ(PH_END_UNKNOWN, s.end);
  std::vector<ph_joint_summary> joints(20);
  size_t n = ph_analysis_joints(a, joints.data(), joints.size());
  ASSERT_EQ(static_cast<size_t>(ph_model_count(model, PH_JOINT)), n);
  double rad = 0, m = 0, one_rad = 0, rad_s = 0, m_s = 0;
  for (size_t i = 0; i < n; i++) {
    rad = std::fmax(rad, joints[i].rad);
    m = std::fmax(m, joints[i].m);
    one_rad = std::fmax(one_rad, joints[i].one_rad);
    rad_s = std::fmax(rad_s, joints[i].rad_s);
    m_s = std::fmax(m_s, joints[i].m_s);
    if (static_cast<int>(i) == s.worst[PH_MEASURE_JOINT_ANGLE_SPEED]) {
      EXPECT_EQ(s.max_step[PH_MEASURE_JOINT_ANGLE_SPEED], joints[i].rad_s_step);
    }
  }
  EXPECT_EQ(s.max[PH_MEASURE_JOINT_ANGLE_SPEED], rad_s);
  EXPECT_EQ(s.max[PH_MEASURE_JOINT_PLACE_SPEED], m_s);
  EXPECT_LT(0, rad_s);
  EXPECT_EQ(s.max[PH_MEASURE_JOINT_ANGLE], rad);
  EXPECT_EQ(s.max[PH_MEASURE_JOINT_PLACE], m);
  EXPECT_EQ(s.one_max[PH_MEASURE_JOINT_ANGLE], one_rad);
  int slide = ph_model_find(model, PH_JOINT, "slide");
  EXPECT_TRUE(std::isnan(joints[static_cast<size_t>(slide)].rad));
  ph_analysis_free(a);
}

TEST_F(Analysis, WhatIsRightIsBitwiseEverywhere) {
  parse(kTask);
  start_plain();
  ph_analysis *a = whole(2);
  ph_analysis_summary s = sum(a);
  EXPECT_EQ(PH_BITWISE, s.cls);
  EXPECT_EQ(PH_BITWISE, s.one_cls);
  EXPECT_EQ(kActions, s.one_count[PH_BITWISE]);
  EXPECT_EQ(0, s.first[PH_BITWISE]);
  EXPECT_EQ(-1, s.first[PH_ROUNDING]);
  EXPECT_EQ(0, s.ctrl_unequal);
  EXPECT_EQ(-1, s.ctrl_first);
  double lane[40];
  ph_analysis_lane(a, false, 0, meta.states, lane, 40);
  for (double x : lane)
    EXPECT_EQ(0, x);
  expect_same(facts(a), naive());
  ph_analysis_free(a);
}

TEST_F(Analysis, APushIsOneSpikeAndDriftBehindIt) {
  kick = 60;
  start_plain();
  ph_analysis *a = whole(2);
  ph_analysis_summary s = sum(a);
  EXPECT_EQ(61, s.first[PH_ROUNDING]);
  EXPECT_EQ(61, s.first[PH_CLOSE]);
  EXPECT_EQ(61, s.one_first[PH_DIVERGED]);
  EXPECT_EQ(1, s.one_count[PH_DIVERGED]);
  EXPECT_EQ(kActions - 1, s.one_count[PH_BITWISE]);
  EXPECT_EQ(PH_DIVERGED, s.cls);
  EXPECT_EQ(ph_model_find(model, PH_JOINT, "shoulder"), s.one_worst[PH_MEASURE_JOINT_ANGLE_SPEED]);
  auto all = facts(a);
  for (size_t t = 0; t < all.size(); t++) {
    EXPECT_EQ(t < 61, all[t].free_class == PH_BITWISE) << t;
    EXPECT_TRUE(all[t].ctrl_equal);
  }
  ph_analysis_free(a);
}

TEST_F(Analysis, AWrongActionShowsInCtrlToo) {
  wrong = {{30, 0.9}, {50, -0.9}};
  start_plain();
  ph_analysis *a = whole(2);
  ph_analysis_summary s = sum(a);
  EXPECT_EQ(2, s.ctrl_unequal);
  EXPECT_EQ(31, s.ctrl_first);
  EXPECT_EQ(kActions - 2, s.one_count[PH_BITWISE]);
  auto all = facts(a);
  EXPECT_FALSE(all[31].ctrl_equal);
  EXPECT_TRUE(all[32].ctrl_equal);
  EXPECT_GT(all[31].one_max[PH_MEASURE_CTRL], 0.05f);
  ph_analysis_free(a);
}

TEST_F(Analysis, BinsOfALaneHoldTheLargestOfTheirSteps) {
  start_run();
  ph_analysis *a = whole(2);
  auto all = facts(a);
  std::vector<double> each(all.size());
  for (bool one : {false, true}) {
    ph_analysis_lane(a, one, 0, meta.states, each.data(), each.size());
    for (size_t t = 0; t < all.size(); t++) {
      double ratio = 0;
      const float *max = one ? all[t].one_max : all[t].free_max;
      ph_class cls = one ? all[t].one_class : all[t].free_class;
      for (int m = 0; m < PH_MEASURE_COUNT; m++)
        if (m != PH_MEASURE_CTRL && cls != PH_BITWISE)
          ratio = std::fmax(ratio, static_cast<double>(max[m]) / how.tolerance.of[m]);
      if (one && t == 0) {
        EXPECT_TRUE(std::isnan(each[t])) << "no step leads to it";
      } else if (ratio > 0) {
        EXPECT_FLOAT_EQ(static_cast<float>(ratio), static_cast<float>(each[t]));
      } else {
        EXPECT_EQ(cls != PH_BITWISE, each[t] > 0) << t;
      }
    }
    for (size_t n : {size_t{1}, size_t{2}, size_t{7}, size_t{50}, size_t{120}, size_t{300}})
      for (int64_t first : {int64_t{0}, int64_t{5}, int64_t{33}}) {
        std::vector<double> bins(n);
        int64_t steps = meta.states - first;
        ph_analysis_lane(a, one, first, steps, bins.data(), n);
        for (size_t k = 0; k < n; k++) {
          auto from = static_cast<size_t>(first + static_cast<int64_t>(k) * steps /
                                                      static_cast<int64_t>(n)),
               to = static_cast<size_t>(first + (static_cast<int64_t>(k) + 1) * steps /
                                                    static_cast<int64_t>(n));
          double most = NAN;
          for (size_t t = from; t < std::max(to, from + 1); t++)
            most = std::fmax(most, each[t]);
          EXPECT_EQ(0, memcmp(&most, &bins[k], std::isnan(most) ? 0 : sizeof most))
              << n << " " << k;
          EXPECT_EQ(std::isnan(most), std::isnan(bins[k]));
        }
      }
  }
  double out[3];
  ph_analysis_lane(a, false, meta.states - 1, 100, out, 3);
  EXPECT_TRUE(std::isnan(out[1])) << "behind the end";
  ph_analysis_lane(a, false, -5, 3, out, 3);
  EXPECT_TRUE(std::isnan(out[0]));
  ph_analysis_lane(a, false, 0, INT64_MAX, out, 3);
  EXPECT_TRUE(std::isnan(out[2]));
  ph_analysis_free(a);
}

TEST_F(Analysis, StartsAtItsAnchor) {
  parse(kTask);
  kick = 30;
  opt.anchor = 50;
  start_plain();
  for (int jobs : {1, 2}) {
    ph_analysis *a = whole(jobs);
    auto all = facts(a);
    expect_same(all, naive());
    EXPECT_FALSE(all[49].free_known);
    EXPECT_TRUE(all[50].free_known);
    EXPECT_EQ(31, sum(a).one_first[PH_ROUNDING]);
    EXPECT_EQ(PH_BITWISE, sum(a).cls) << "behind the push nothing is wrong";
    EXPECT_EQ(50, sum(a).first[PH_BITWISE]);
    EXPECT_EQ(50, look(a).anchor);
    ph_analysis_free(a);
  }
}

TEST_F(Analysis, CanLeaveOut) {
  kick = 10;
  start_plain();
  how.no_one_step = true;
  ph_analysis *a = whole(4);
  expect_same(facts(a), naive());
  EXPECT_EQ(0, look(a).one_step);
  EXPECT_EQ(-1, sum(a).one_first[PH_BITWISE]);
  ph_analysis_free(a);
  how.no_one_step = false;
  how.no_bodies = true;
  a = whole(2);
  auto all = facts(a);
  expect_same(all, naive());
  EXPECT_TRUE(std::isnan(all[5].free_max[PH_MEASURE_BODY_PLACE]));
  EXPECT_TRUE(std::isnan(all[40].free_max[PH_MEASURE_BODY_PLACE]));
  EXPECT_TRUE(std::isnan(sum(a).max[PH_MEASURE_BODY_ANGLE]));
  EXPECT_EQ(-1, sum(a).max_step[PH_MEASURE_BODY_ANGLE]);
  ph_analysis_free(a);
}

TEST_F(Analysis, HasAToleranceOfItsOwn) {
  start_plain();
  how = {};
  ph_analysis *a = whole(1 << 30);
  ph_tolerance usual = ph_tolerance_default();
  EXPECT_EQ(0, memcmp(&usual, ph_analysis_tolerance(a), sizeof usual));
  ph_analysis_free(a);
  ph_tolerance_parse(&how.tolerance, "0.5");
  a = whole(1);
  EXPECT_EQ(0.5, ph_analysis_tolerance(a)->of[PH_MEASURE_BODY_PLACE]);
  ph_analysis_free(a);
}

TEST_F(Analysis, RefusesStepsThatThereAreNot) {
  start_plain();
  ph_analysis *a = whole(1);
  ph_step_facts f[2];
  EXPECT_EQ(PH_EINVAL, ph_analysis_read(a, -1, 1, f));
  EXPECT_EQ(PH_EINVAL, ph_analysis_read(a, meta.states - 1, 2, f));
  EXPECT_EQ(PH_EINVAL, ph_analysis_read(a, INT64_MAX, 2, f));
  EXPECT_EQ(PH_EINVAL, ph_analysis_read(a, 0, -1, f));
  EXPECT_EQ(PH_OK, ph_analysis_read(a, meta.states, 0, f));
  ph_analysis_free(a);
}

/* --- judged --- */

TEST_F(Analysis, JudgesAsItsTaskDoes) {
  parse(kTask);
  start_plain();
  ph_analysis *a = whole(2);
  ph_analysis_summary s = sum(a);
  auto all = facts(a);
  double reward = 0;
  int64_t held = 0, longest = 0, at = -1, latch = -1;
  for (size_t t = 1; t < all.size(); t++) {
    ASSERT_TRUE(all[t].judged);
    reward += all[t].reward;
    held = all[t].predicate ? held + 1 : 0;
    if (held > longest)
      longest = held, at = static_cast<int64_t>(t);
    if (held == 5 && latch < 0)
      latch = static_cast<int64_t>(t);
  }
  EXPECT_EQ(reward, s.reward);
  EXPECT_GT(longest, 0);
  EXPECT_EQ(longest, s.longest_hold);
  EXPECT_EQ(at, s.longest_hold_step);
  EXPECT_EQ(latch, s.latch);
  EXPECT_TRUE(std::isnan(all[0].reward));
  EXPECT_EQ(latch >= 0 && latch < 100 ? PH_END_SUCCESS : PH_END_TRUNCATED, s.end) << s.end_detail;
  EXPECT_EQ(latch >= 0 && latch < 100 ? latch : 100, s.end_step);
  ph_analysis_free(a);
}

/* --- what stops it --- */

TEST_F(Analysis, PhysicsThatLeavesTheNumbersStopsTheFreeRunAlone) {
  parse("return { name = 'never', control_steps = 2, hold_seconds = 0.04, max_steps = 100,\n"
        " success = function(s) return false end }\n");
  wrong = {{40, 1e11}};
  start_plain();
  for (int jobs : {1, 2}) {
    ph_analysis *a = whole(jobs);
    auto p = look(a);
    EXPECT_TRUE(p.ended);
    EXPECT_EQ(PH_ESIM, p.status);
    EXPECT_EQ(41, p.stopped);
    EXPECT_NE(nullptr, strstr(p.text, "step 40")) << p.text;
    EXPECT_EQ(41, p.free_run);
    EXPECT_EQ(kActions, p.one_step);
    auto all = facts(a);
    EXPECT_TRUE(all[40].free_known);
    EXPECT_FALSE(all[41].free_known);
    EXPECT_FALSE(all[41].judged);
    EXPECT_TRUE(all[41].one_known);
    EXPECT_EQ(PH_DIVERGED, all[41].one_class);
    EXPECT_TRUE(std::isnan(all[41].one_max[PH_MEASURE_JOINT_ANGLE]));
    EXPECT_EQ(PH_BITWISE, all[42].one_class);
    ph_analysis_summary s = sum(a);
    EXPECT_EQ(1, s.one_count[PH_DIVERGED]);
    EXPECT_EQ(PH_END_NAN, s.end);
    EXPECT_EQ(41, s.end_step);
    double lane[1];
    ph_analysis_lane(a, true, 41, 1, lane, 1);
    EXPECT_TRUE(std::isinf(lane[0]));
    ph_analysis_lane(a, false, 41, 1, lane, 1);
    EXPECT_TRUE(std::isnan(lane[0]));
    ph_analysis_free(a);
  }
}

TEST_F(Analysis, ADamagedStateIsNotKnownAndTheRestIs) {
  record_plain();
  start_run();
  memory->corrupt = 70;
  for (ph_column col : {PH_COL_STATES, PH_COL_CTRL}) {
    memory->corrupt_col = col;
    ph_analysis *a = whole(2);
    auto all = facts(a);
    for (size_t t = 0; t < all.size(); t++) {
      EXPECT_EQ(t != 70, all[t].free_known) << t;
      EXPECT_EQ(t != 0 && t != 70 && t != 71, all[t].one_known) << t;
    }
    auto p = look(a);
    EXPECT_EQ(PH_OK, p.status);
    EXPECT_NE(nullptr, strstr(p.text, "recorded state 70 cannot be compared")) << p.text;
    EXPECT_NE(nullptr, strstr(p.text, "the step to 71 cannot be taken")) << p.text;
    EXPECT_EQ(meta.states, p.free_run);
    EXPECT_EQ(kActions - 2, p.one_step);
    EXPECT_EQ(PH_BITWISE, sum(a).cls);
    ph_analysis_free(a);
  }
}

TEST_F(Analysis, DamageOfWhatDrivesFromOutsideStopsTheFreeRunAlone) {
  record_plain();
  start_run();
  memory->corrupt = 70;
  memory->corrupt_col = PH_COL_MOCAP_POS;
  ph_analysis *a = whole(2);
  auto p = look(a);
  EXPECT_EQ(PH_ECORRUPT, p.status);
  EXPECT_EQ(70, p.stopped);
  auto all = facts(a);
  for (size_t t = 0; t < all.size(); t++) {
    EXPECT_EQ(t < 70, all[t].free_known) << t;
    EXPECT_EQ(t != 0 && t != 70 && t != 71, all[t].one_known) << t;
  }
  ph_analysis_free(a);
}

TEST_F(Analysis, ADamagedActionStopsTheFreeRunAlone) {
  record_plain();
  start_run();
  memory->corrupt = 50;
  memory->corrupt_col = PH_COL_ACTIONS;
  ph_analysis *a = whole(2);
  auto p = look(a);
  EXPECT_EQ(PH_ECORRUPT, p.status);
  EXPECT_EQ(51, p.stopped);
  auto all = facts(a);
  for (size_t t = 0; t < all.size(); t++) {
    EXPECT_EQ(t < 51, all[t].free_known) << t;
    EXPECT_EQ(t != 0 && t != 51, all[t].one_known) << t;
  }
  ph_analysis_free(a);
}

TEST_F(Analysis, FewerActionsThanStatesAreComparedAsFarAsTheyLead) {
  record_plain();
  open();
  episode->rows[PH_COL_ACTIONS] = 80;
  ASSERT_EQ(PH_OK, ph_rerun_create(&run, episode, model, nullptr, &opt)) << ph_error();
  ph_analysis *a = whole(2);
  auto all = facts(a);
  EXPECT_TRUE(all[80].free_known && all[80].one_known);
  EXPECT_FALSE(all[81].free_known || all[81].one_known);
  EXPECT_EQ(81, look(a).free_run);
  EXPECT_TRUE(look(a).ended);
  ph_analysis_free(a);
}

/* --- cancel --- */

/* Reads of states block at a row until the test lets them go. */
struct Gate {
  static std::atomic<bool> closed, reached;
  static ph_status read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                        void *out) {
    while (closed && col == PH_COL_STATES && first + n > 64) {
      reached = true;
      std::this_thread::yield();
    }
    return Memory::read(backend, col, first, n, out);
  }
};
std::atomic<bool> Gate::closed, Gate::reached;

TEST_F(Analysis, CanceledInTheMiddleItKeepsWhatItHas) {
  kick = 5;
  record_plain();
  memory->backend.read = Gate::read;
  start_run();
  auto plain = naive();
  for (int jobs : {1, 2, 4}) {
    Gate::reached = false;
    Gate::closed = true;
    ph_analysis *a = begin(jobs);
    while (!Gate::reached)
      std::this_thread::yield();
    auto before = facts(a);
    EXPECT_FALSE(look(a).ended);
    ph_analysis_cancel(a);
    Gate::closed = false;
    EXPECT_EQ(PH_ECANCELED, ph_analysis_wait(a, nullptr, nullptr));
    auto p = look(a);
    EXPECT_TRUE(p.ended);
    EXPECT_EQ(PH_ECANCELED, p.status);
    auto after = facts(a);
    size_t unknown = 0;
    for (size_t t = 0; t < after.size(); t++) {
      unknown += !after[t].free_known || (t > 0 && !after[t].one_known);
      if (before[t].free_known) {
        EXPECT_TRUE(after[t].free_known);
      }
      if (after[t].free_known) {
        EXPECT_EQ(0, memcmp(plain[t].free_max, after[t].free_max, sizeof plain[t].free_max));
        EXPECT_EQ(plain[t].free_class, after[t].free_class);
      }
      if (after[t].one_known) {
        EXPECT_EQ(0, memcmp(plain[t].one_max, after[t].one_max, sizeof plain[t].one_max));
      }
    }
    EXPECT_GT(unknown, 0u);
    ph_analysis_free(a);
    a = whole(jobs);
    expect_same(facts(a), plain); /* and once more, whole */
    ph_analysis_free(a);
  }
}

TEST_F(Analysis, FreeingOneThatRunsCancelsIt) {
  record_plain();
  start_run();
  for (int i = 0; i < 8; i++)
    ph_analysis_free(begin(1 + i % 4));
}

TEST_F(Analysis, TheOneWhoWaitsMayCancel) {
  record_plain();
  memory->backend.read = Gate::read;
  start_run();
  Gate::closed = true;
  ph_analysis *a = begin(2);
  int asked = 0;
  EXPECT_EQ(PH_ECANCELED, ph_analysis_wait(
                              a,
                              [](void *arg) {
                                Gate::closed = ++*static_cast<int *>(arg) < 2;
                                return *static_cast<int *>(arg) < 2;
                              },
                              &asked));
  EXPECT_NE(nullptr, strstr(ph_error(), "canceled"));
  ph_analysis_free(a);
}

TEST_F(Analysis, CanBeReadWhileItRuns) {
  kick = 20;
  parse(kTask);
  start_plain();
  auto plain = naive();
  for (int round = 0; round < 4; round++) {
    ph_analysis *a = begin(3);
    bool ended = false;
    while (!ended) {
      ended = look(a).ended;
      auto p = look(a);
      auto all = facts(a);
      double lane[30];
      ph_analysis_lane(a, round & 1, 0, meta.states, lane, 30);
      ph_joint_summary joints[20];
      ph_analysis_joints(a, joints, 20);
      sum(a);
      for (size_t t = 0; t < all.size(); t++) {
        if (static_cast<int64_t>(t) < p.free_run) {
          ASSERT_TRUE(all[t].free_known) << t;
        }
        if (all[t].free_known) {
          ASSERT_EQ(0, memcmp(plain[t].free_max, all[t].free_max, sizeof plain[t].free_max)) << t;
          ASSERT_EQ(plain[t].contacts, all[t].contacts);
        }
        if (all[t].one_known) {
          ASSERT_EQ(0, memcmp(plain[t].one_max, all[t].one_max, sizeof plain[t].one_max)) << t;
        }
      }
    }
    expect_same(facts(a), plain);
    ph_analysis_free(a);
  }
}

/* --- data/ --- */

TEST(AnalysisData, EveryRunIsBitwiseInAllSteps) {
  for (const char *name : {"drawer_close", "muscle_reach", "quadruped_stand"}) {
    std::string path = std::string(TEST_SOURCE_ROOT) + "/data/runs/" + name;
    const char *paths[] = {path.c_str()};
    ph_store *store = nullptr;
    ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    ph_episode *episode = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    ph_model *model = nullptr;
    ASSERT_EQ(PH_OK, ph_store_model(&model, store, meta->model_sha256)) << ph_error();
    ph_task *task = nullptr;
    const char *source = nullptr;
    ASSERT_EQ(PH_OK, ph_store_task(&source, store, meta->task_sha256)) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_parse(&task, source, strlen(source), "task.lua")) << ph_error();
    ph_rerun *run = nullptr;
    ASSERT_EQ(PH_OK, ph_rerun_create(&run, episode, model, task, nullptr)) << ph_error();
    ph_analysis *a = nullptr;
    ASSERT_EQ(PH_OK, ph_analysis_start(&a, run, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_analysis_wait(a, nullptr, nullptr)) << ph_error();
    ph_analysis_summary s;
    ph_analysis_sum(a, &s);
    ph_analysis_progress p;
    ph_analysis_look(a, &p);
    EXPECT_STREQ("", p.text);
    EXPECT_EQ(meta->states, p.free_run);
    EXPECT_EQ(PH_BITWISE, s.cls) << name << " first " << s.first[PH_ROUNDING];
    EXPECT_EQ(PH_BITWISE, s.one_cls) << name << " first " << s.one_first[PH_ROUNDING];
    EXPECT_EQ(meta->actions, s.one_count[PH_BITWISE]);
    EXPECT_EQ(meta->end_reason, s.end) << s.end_detail;
    EXPECT_EQ(meta->actions, s.end_step);
    auto n = static_cast<size_t>(meta->actions);
    std::vector<double> rewards(n);
    std::vector<uint8_t> flags(n), predicate(n + 1);
    std::vector<ph_step_facts> all(n + 1);
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_REWARDS, 0, meta->actions, rewards.data()));
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_FLAGS, 0, meta->actions, flags.data()));
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_PREDICATE, 0, meta->states, predicate.data()));
    ASSERT_EQ(PH_OK, ph_analysis_read(a, 0, meta->states, all.data()));
    for (size_t t = 1; t <= n; t++) {
      EXPECT_EQ(rewards[t - 1], all[t].reward);
      EXPECT_EQ(flags[t - 1], all[t].flags);
      EXPECT_EQ(predicate[t] != 0, all[t].predicate);
    }
    ph_analysis_free(a);
    ph_rerun_unref(run);
    ph_task_unref(task);
    ph_model_unref(model);
    ph_episode_free(episode);
    ph_store_free(store);
  }
}

} // namespace
