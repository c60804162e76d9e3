// What the tests of the analysis share: an episode that may be given events, a pass, and the same
// facts by a plain loop.
#pragma once

#include <map>
#include <set>

#include "replay_help.h"

namespace analysis_help {

using replay_help::kActions;
using replay_help::kRow;
using replay_help::kSteps;
using replay_help::Memory;

const char kTask[] = "return { name = 'swing', control_steps = 2, hold_seconds = 0.04, max_steps = "
                     "100,\n success = function(s) return s.joint.shoulder > 0.02 end,\n"
                     " reward = function(s) return s.joint.shoulder end }\n";

struct Analysis : replay_help::ReplayTask {
  ph_rerun *run = nullptr;
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  ph_analysis_options how = {};
  int kick = -1;               /* after row `kick` is recorded, a joint is pushed */
  std::map<int, double> wrong; /* action (first element) that is recorded in place of the
                                  one that was fed */

  void SetUp() override {
    ReplayTask::SetUp();
    how.tolerance = ph_tolerance_default();
  }
  void TearDown() override {
    ph_rerun_unref(run);
    ReplayTask::TearDown();
  }
  /* As replay_help's, but what is not physics stays as it is. */
  void record_plain() {
    ph_sim *sim = nullptr;
    memory = new Memory();
    memory->backend = {Memory::read, Memory::release, nullptr, nullptr};
    memory->corrupt = -1;
    for (int i = 0; i < PH_COL_COUNT; i++)
      memory->width[i] = ph_schema_width(static_cast<ph_column>(i), &meta.dims);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
    add_row(sim);
    for (int t = 0; t < kActions; t++) {
      double ctrl[2], action[16] = {}, reward = 0.5 * t;
      uint8_t flags = 0;
      bool warned;
      help_ctrl(t, ctrl);
      if (t == kick)
        sim->d->qvel[ph_model_joint(model, ph_model_find(model, PH_JOINT, "shoulder"))->dofadr] +=
            0.3;
      ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl, kSteps, &warned)) << ph_error();
      action[0] = wrong.count(t) ? wrong[t] : ctrl[0];
      action[1] = ctrl[1];
      memory->add(PH_COL_ACTIONS, action);
      memory->add(PH_COL_REWARDS, &reward);
      memory->add(PH_COL_FLAGS, &flags);
      add_row(sim);
    }
    ph_sim_free(sim);
  }
  void start_run() {
    open();
    ASSERT_EQ(PH_OK, ph_rerun_create(&run, episode, model, task, &opt)) << ph_error();
  }
  void start_plain() {
    record_plain();
    start_run();
  }
  ph_analysis *begin(int jobs) {
    ph_analysis *a = nullptr;
    how.jobs = jobs;
    EXPECT_EQ(PH_OK, ph_analysis_start(&a, run, &how)) << ph_error();
    return a;
  }
  ph_analysis *whole(int jobs) {
    ph_analysis *a = begin(jobs);
    EXPECT_EQ(PH_OK, ph_analysis_wait(a, nullptr, nullptr)) << ph_error();
    return a;
  }
  std::vector<ph_step_facts> facts(const ph_analysis *a) {
    std::vector<ph_step_facts> all(static_cast<size_t>(meta.states));
    EXPECT_EQ(PH_OK, ph_analysis_read(a, 0, meta.states, all.data())) << ph_error();
    return all;
  }
  static ph_analysis_progress look(const ph_analysis *a) {
    ph_analysis_progress p;
    ph_analysis_look(a, &p);
    return p;
  }
  static ph_analysis_summary sum(const ph_analysis *a) {
    ph_analysis_summary s;
    ph_analysis_sum(a, &s);
    return s;
  }

  /* --- the plain loop --- */

  void empty(ph_step_facts *f) {
    memset(f, 0, sizeof *f);
    f->ctrl_equal = true;
    f->reward = NAN;
    for (int m = 0; m < PH_MEASURE_COUNT; m++) {
      f->free_max[m] = f->one_max[m] = NAN;
      f->free_worst[m] = f->one_worst[m] = -1;
    }
  }
  static std::set<std::pair<int, int>> touching(const ph_sim *sim) {
    std::set<std::pair<int, int>> pairs;
    for (int i = 0; i < sim->d->ncon; i++) {
      const mjContact *c = &sim->d->contact[i];
      if (c->efc_address >= 0 || c->dist <= 0)
        pairs.insert({std::min(c->geom1, c->geom2), std::max(c->geom1, c->geom2)});
    }
    return pairs;
  }
  /* One row at a time. */
  void recorded(int64_t step, std::map<int, std::vector<double>> *data, ph_row *row) {
    *row = {};
    for (ph_column col : kRow) {
      (*data)[col].resize(memory->width[col] + 1);
      ASSERT_EQ(PH_OK, ph_episode_read(episode, col, step, 1, (*data)[col].data()));
      ph_row_set_column(row, col, (*data)[col].data());
    }
  }
  void naive_one(ph_cursor *cursor, ph_divergence *d, int64_t t, ph_difference *diff) {
    std::map<int, std::vector<double>> data;
    ph_row row;
    recorded(t, &data, &row);
    ASSERT_EQ(PH_OK, ph_divergence_compare(d, &row, &ph_cursor_now(cursor)->row, !how.no_bodies,
                                           &how.tolerance, diff));
  }
  std::vector<ph_step_facts> naive() {
    std::vector<ph_step_facts> all(static_cast<size_t>(meta.states));
    ph_cursor *cursor = nullptr;
    ph_divergence *d = nullptr;
    ph_difference diff;
    std::set<std::pair<int, int>> before;
    EXPECT_EQ(PH_OK, ph_cursor_open(&cursor, run));
    EXPECT_EQ(PH_OK, ph_divergence_create(&d, model, edits.data(), edits.size()));
    for (ph_step_facts &f : all)
      empty(&f);
    for (int64_t t = ph_rerun_anchor(run); t < meta.states; t++) {
      ph_step_facts &f = all[static_cast<size_t>(t)];
      EXPECT_EQ(PH_OK, ph_cursor_seek(cursor, t, 0, nullptr, nullptr)) << ph_error();
      naive_one(cursor, d, t, &diff);
      const ph_instant *now = ph_cursor_now(cursor);
      f.free_known = true;
      f.free_class = diff.cls;
      f.free_equal = diff.equal;
      f.ctrl_equal = diff.ctrl_equal;
      for (int m = 0; m < PH_MEASURE_COUNT; m++) {
        f.free_max[m] = static_cast<float>(diff.max[m]);
        f.free_worst[m] = static_cast<int16_t>(diff.worst[m]);
      }
      f.judged = now->judged;
      f.predicate = now->judged && now->predicate;
      f.flags = now->judged ? now->flags : 0;
      f.reward = now->judged ? now->reward : NAN;
      auto pairs = touching(now->sim);
      f.contacts = static_cast<uint16_t>(pairs.size());
      f.contacts_changed = t > ph_rerun_anchor(run) && pairs != before;
      before = pairs;
    }
    for (int64_t t = 1; t < meta.states && !how.no_one_step; t++) {
      ph_step_facts &f = all[static_cast<size_t>(t)];
      EXPECT_EQ(PH_OK, ph_cursor_one_step(cursor, t - 1)) << ph_error();
      naive_one(cursor, d, t, &diff);
      f.one_known = true;
      f.one_class = diff.cls;
      f.one_equal = diff.equal;
      f.ctrl_equal = diff.ctrl_equal;
      for (int m = 0; m < PH_MEASURE_COUNT; m++) {
        f.one_max[m] = static_cast<float>(diff.max[m]);
        f.one_worst[m] = static_cast<int16_t>(diff.worst[m]);
      }
    }
    ph_divergence_free(d);
    ph_cursor_close(cursor);
    return all;
  }
  static bool same(const ph_step_facts &a, const ph_step_facts &b) {
    return memcmp(&a, &b, sizeof a) == 0;
  }
  void expect_same(const std::vector<ph_step_facts> &a, const std::vector<ph_step_facts> &b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t t = 0; t < a.size(); t++)
      ASSERT_TRUE(same(a[t], b[t])) << "step " << t;
  }
};

} // namespace analysis_help
