/* Envs on threads: broadcast reruns stay equal bit for bit, the pass measures behind. */
#include <atomic>
#include <thread>

#include "ensemble_help.h"

using namespace ensemble_help;

namespace {

/* --- broadcast --- */

/* What each of N reruns is at every step and at a substep, and that they are all the same. */
std::vector<std::string> broadcast(const Sources &s, int jobs, size_t n, bool measured) {
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.jobs = jobs;
  opt.broadcast = static_cast<int>(n);
  Ensemble e(s, opt);
  ph_dims dims = e.dims(0);
  std::vector<std::string> all;
  if (measured) {
    EXPECT_EQ(PH_OK, ph_ensemble_start(e.e)) << ph_error();
  }
  for (int64_t p = 0; p <= ph_ensemble_last(e.e); p++)
    for (int k : {0, 1}) {
      e.seek(p, true, k);
      for (size_t i = 0; i < n; i++) {
        const ph_ensemble_frame &f = e.frame(i);
        if (!f.dynamic) {
          ADD_FAILURE() << f.note;
          return all;
        }
        std::string now = bits(*f.dynamic, dims);
        if (i == 0)
          all.push_back(now);
        else if (now.size() != all.back().size() ||
                 memcmp(now.data(), all.back().data(), now.size()) != 0)
          ADD_FAILURE() << "env " << i << " at " << p << "+" << k << ", " << jobs << " threads";
      }
    }
  return all;
}

TEST(EnsembleThreads, BroadcastStaysEqualBitForBit) {
  Model model(pile());
  Sources s;
  s.make(model.model, 40);
  std::vector<std::string> one = broadcast(s, 1, 5, false);
  EXPECT_EQ(82u, one.size());
  EXPECT_EQ(one, broadcast(s, 2, 5, false));
  EXPECT_EQ(one, broadcast(s, 4, 5, true)) << "while it is measured";
}

TEST(EnsembleThreads, BroadcastWithATask) {
  Recorded run(runs + "muscle_reach");
  Episode episode(run, ph_store_find(run.store, "env000_ep000002"));
  Sources s;
  s.list.push_back({episode.episode, run.model, run.task, nullptr, nullptr, 0, 0});
  std::vector<std::string> one = broadcast(s, 1, 4, false);
  EXPECT_EQ(one, broadcast(s, 2, 4, true));
  EXPECT_EQ(one, broadcast(s, 4, 4, true));
}

/* --- the pass --- */

/* Lengths of their own; the third is pushed behind the recording's back. */
struct Pushed : testing::Test {
  Model model{pile()};
  Sources s;
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  static constexpr int64_t push = 17;
  Pushed() {
    s.make(model.model, 40);
    s.make(model.model, 25);
    Maker maker(model.model);
    maker.actions = 50;
    maker.start = disturb;
    maker.between = [](ph_sim *sim, int t) {
      if (t == push)
        sim->d->qvel[0] += 0.5;
    };
    s.add(maker.make(), model.model);
  }
};

/* As an analysis of each alone. */
void expect_alone(const Ensemble &e, const Sources &s, const ph_model *model) {
  for (size_t i = 0; i < s.episodes.size(); i++) {
    Rerun alone(s.episodes[i]->episode, model, nullptr);
    ph_analysis_options how = {};
    ph_analysis *a = nullptr;
    ph_analysis_summary sum;
    how.no_one_step = true;
    ASSERT_EQ(PH_OK, ph_analysis_start(&a, alone.run, &how)) << ph_error();
    ASSERT_EQ(PH_OK, ph_analysis_wait(a, nullptr, nullptr)) << ph_error();
    ph_analysis_sum(a, &sum);
    const ph_ensemble_result r = e.result(i);
    EXPECT_TRUE(r.ended && r.ran);
    EXPECT_EQ(sum.cls, r.cls);
    EXPECT_EQ(0, memcmp(sum.first, r.sum.first, sizeof sum.first));
    EXPECT_EQ(0, memcmp(sum.max, r.sum.max, sizeof sum.max));
    EXPECT_EQ(0, memcmp(sum.worst, r.sum.worst, sizeof sum.worst));
    int64_t states = s.episodes[i]->meta().states;
    EXPECT_EQ(states, r.known);
    for (size_t n : {size_t(7), static_cast<size_t>(states)}) {
      std::vector<double> lane(n), mine = e.lane(i, 0, states, n);
      ph_analysis_lane(a, false, 0, states, lane.data(), n);
      for (size_t k = 0; k < n; k++)
        EXPECT_EQ(static_cast<float>(lane[k]), static_cast<float>(mine[k])) << i << " bin " << k;
    }
    ph_analysis_free(a);
  }
}

TEST_F(Pushed, EachIsMeasuredAsAlone) {
  for (int jobs : {1, 2, 4}) {
    opt.jobs = jobs;
    Ensemble e(s, opt);
    EXPECT_FALSE(e.look().begun);
    e.measure();
    expect_alone(e, s, model.model);
    EXPECT_EQ(PH_BITWISE, e.result(1).cls);
    EXPECT_EQ(PH_DIVERGED, e.result(2).cls);
    EXPECT_EQ(push + 1, e.result(2).sum.first[PH_ROUNDING]);
    ph_ensemble_progress p = e.look();
    EXPECT_TRUE(p.begun && p.over);
    EXPECT_EQ(3u, p.ended);
    EXPECT_EQ(41 + 26 + 51, p.states);
    EXPECT_EQ(p.states, p.known);
    EXPECT_EQ(2u, p.class_of[PH_BITWISE]);
    EXPECT_EQ(1u, p.class_of[PH_DIVERGED]);
    EXPECT_EQ(PH_EINVAL, ph_ensemble_start(e.e)) << "once";
  }
}

/* On one axis: a bin a step of the playhead. */
TEST_F(Pushed, LanesOnOneAxis) {
  Ensemble e(s, opt);
  for (double v : e.lane(0, 0, 41, 41))
    EXPECT_TRUE(std::isnan(v)) << "not known yet";
  e.measure();
  std::vector<double> shorter = e.lane(1, 0, 51, 51), pushed = e.lane(2, 0, 51, 51);
  for (size_t p = 0; p < 51; p++) {
    EXPECT_EQ(p <= 25 ? 0 : PH_LANE_NONE, shorter[p]) << p;
    EXPECT_EQ(p <= push, pushed[p] == 0) << p;
    EXPECT_FALSE(std::isnan(pushed[p]));
  }
  EXPECT_EQ(0, e.lane(2, 0, push + 1, 1)[0]);
  EXPECT_EQ(*std::max_element(pushed.begin(), pushed.end()), e.lane(2, 0, 51, 1)[0]);
  EXPECT_EQ(pushed[20], e.lane(2, 20, 1, 1)[0]);
  EXPECT_EQ(PH_LANE_NONE, e.lane(2, 60, 5, 1)[0]);
  EXPECT_EQ(PH_LANE_NONE, e.lane(2, 0, 0, 1)[0]);
  EXPECT_EQ(PH_LANE_NONE, e.lane(2, INT64_MAX - 1, INT64_MAX, 3)[2]);
  EXPECT_EQ(PH_LANE_NONE, e.lane(3, 0, 5, 1)[0]);
}

/* A long one is kept in bins: the largest error of a bin stays. */
TEST(EnsembleThreads, LongLanesKeepTheirLargest) {
  Model model(
      "<mujoco><option timestep='.01'/><worldbody><body><joint name='j' damping='.2'/>"
      "<geom size='.1' pos='0 0 .2'/></body></worldbody><actuator><motor joint='j'/></actuator>"
      "</mujoco>");
  Sources s;
  Maker maker(model.model);
  maker.actions = 10000;
  maker.steps = 1;
  maker.between = [](ph_sim *sim, int t) {
    if (t == 7000)
      sim->d->qpos[0] += 1e-5;
  };
  s.add(maker.make(), model.model);
  Ensemble e(s);
  e.measure();
  std::vector<double> lane = e.lane(0, 0, 10001, 10001), few = e.lane(0, 0, 10001, 100);
  for (size_t p = 0; p < 6990; p++)
    ASSERT_EQ(0, lane[p]) << p;
  for (size_t p = 7001; p < 10001; p++)
    ASSERT_GT(lane[p], 0) << p;
  for (size_t k = 0; k < 100; k++) {
    double most = 0;
    for (size_t p = k * 10001 / 100; p < (k + 1) * 10001 / 100; p++)
      most = std::max(most, lane[p]);
    EXPECT_EQ(most, few[k]) << k;
  }
}

/* --- while it runs --- */

/* Reads all there is from other threads while it is measured, then compares with the end. */
TEST_F(Pushed, ReadWhileItRuns) {
  opt.broadcast = 0;
  opt.jobs = 2;
  Ensemble e(s, opt);
  std::atomic<bool> over{false};
  std::vector<std::thread> readers;
  ASSERT_EQ(PH_OK, ph_ensemble_start(e.e)) << ph_error();
  for (int k = 0; k < 2; k++)
    readers.emplace_back([&] {
      int64_t known[3] = {0, 0, 0};
      while (!over)
        for (size_t i = 0; i < 3; i++) {
          ph_ensemble_result r = e.result(i);
          EXPECT_GE(r.known, known[i]) << "what is known stays known";
          known[i] = r.known;
          std::vector<double> lane = e.lane(i, 0, 51, 51);
          for (int64_t t = 0; t < r.known; t++)
            EXPECT_FALSE(std::isnan(lane[static_cast<size_t>(t)])) << t;
          ph_rerun_cache cache;
          ph_ensemble_cached(e.e, &cache);
          e.look();
        }
    });
  for (int64_t p : {3, 25, 10})
    e.seek(p, true);
  ASSERT_EQ(PH_OK, ph_ensemble_wait(e.e, nullptr, nullptr));
  over = true;
  for (std::thread &t : readers)
    t.join();
  expect_alone(e, s, model.model);
}

TEST(EnsembleThreads, IsCanceled) {
  Model model(pile());
  Task task("return { name = 'never', control_steps = 4, hold_seconds = 0,\n"
            "success = function(s) return false end }");
  Sources s;
  Maker maker(model.model);
  maker.actions = 600;
  s.add(maker.make(), model.model, task.task);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = 8;
  opt.jobs = 2;
  opt.budget = 1 << 20;
  Ensemble e(s, opt);
  EXPECT_EQ(PH_OK, ph_ensemble_wait(e.e, nullptr, nullptr)) << "nothing was begun";
  ASSERT_EQ(PH_OK, ph_ensemble_start(e.e)) << ph_error();
  while (e.result(0).known == 0)
    std::this_thread::yield();
  ph_ensemble_cancel(e.e);
  EXPECT_EQ(PH_ECANCELED, ph_ensemble_wait(e.e, nullptr, nullptr));
  ph_ensemble_progress p = e.look();
  EXPECT_TRUE(p.over);
  EXPECT_LT(p.known, p.states);
  EXPECT_EQ(0u, p.refused);
  for (size_t i = 0; i < 8; i++) {
    ph_ensemble_result r = e.result(i);
    EXPECT_EQ(r.begun, r.ended);
    EXPECT_EQ(-1, r.sum.first[PH_ROUNDING]);
    EXPECT_EQ(r.ended && r.known == 601 ? PH_LATCH_NEVER : PH_LATCH_UNKNOWN,
              r.latch[PH_LATCH_DYNAMIC])
        << i << " of " << r.known;
  }
  EXPECT_FALSE(e.result(7).begun);
  /* what there is is shown all the same */
  e.seek(5, true);
  EXPECT_EQ(1, e.frame(7).equal);
}

TEST(EnsembleThreads, IsFreedWhileItRuns) {
  Model model(pile());
  Sources s;
  s.make(model.model, 400);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = 4;
  opt.jobs = 4;
  for (int i = 0; i < 3; i++) {
    Ensemble e(s, opt);
    ASSERT_EQ(PH_OK, ph_ensemble_start(e.e)) << ph_error();
    if (i > 0)
      e.seek(i, true);
  }
}

/* The lead is measured first. */
TEST(EnsembleThreads, TheLeadFirst) {
  Model model(pile());
  Sources s;
  s.make(model.model, 30);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = 6;
  opt.jobs = 1;
  opt.lead = 4;
  Ensemble e(s, opt);
  ASSERT_EQ(PH_OK, ph_ensemble_start(e.e)) << ph_error();
  std::vector<size_t> begun;
  while (!e.look().over)
    for (size_t i = 0; i < 6; i++)
      if (e.result(i).begun && std::find(begun.begin(), begun.end(), i) == begun.end()) {
        EXPECT_TRUE(i == 4 || e.result(4).begun);
        begun.push_back(i);
      }
  EXPECT_EQ(PH_OK, ph_ensemble_wait(e.e, nullptr, nullptr));
}

/* Physics that leaves the numbers ends one env, not the others. */
TEST(EnsembleThreads, OneBlowsUp) {
  Model model(pile());
  Sources s;
  s.make(model.model, 30);
  Maker maker(model.model);
  maker.actions = 30;
  maker.start = disturb;
  maker.amend = [](std::vector<double> &actions) { actions[2 * 12] = 1e300; };
  s.add(maker.make(), model.model);
  Ensemble e(s);
  e.measure();
  ph_ensemble_result r = e.result(1);
  EXPECT_EQ(PH_BITWISE, e.result(0).cls);
  EXPECT_EQ(PH_ESIM, r.status) << r.text;
  EXPECT_EQ(PH_DIVERGED, r.cls);
  EXPECT_EQ(13, r.stopped);
  EXPECT_EQ(13, r.known);
  EXPECT_NE('\0', r.text[0]);
  EXPECT_TRUE(std::isnan(e.lane(1, 13, 1, 1)[0]));
  e.seek(20, true);
  EXPECT_EQ(1, e.frame(0).equal);
  EXPECT_EQ(nullptr, e.frame(1).dynamic);
  EXPECT_NE('\0', e.frame(1).note[0]);
  e.seek(12, true);
  EXPECT_EQ(1, e.frame(1).equal) << e.frame(1).note;
}

} // namespace
