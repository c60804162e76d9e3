// The drawer episode of panel_fixture.h run again: equal bits up to 213, then it drifts away; its
// hold breaks at 292 and never latches.
#pragma once

#include "panel_fixture.h"

extern "C" {
#include "dynamic_view.h"
}

struct Dynamic : Fixture {
  dynamic_answer dyn{};
  struct lanes lane {};
  std::vector<double> drift, one, ghost, dyn_values, dyn_reads, dyn_next;
  std::vector<uint8_t> dyn_pred;
  std::vector<int64_t> dyn_hold;
  std::vector<joint_errors> joints;
  std::vector<ph_finding> found;
  std::vector<dynamic_answer::dynamic_contact> touches;
  bool dyn_conditions[2] = {false, true};

  explicit Dynamic(tui_mode mode = MODE_BOTH) {
    dyn.control_steps = 10;
    a.want.dyn.mode = mode;
    whole();
    snap.dyn = &dyn;
    resize(120);
    walk(213);
  }

  // What the pass came to.
  void whole() {
    dyn.pass.states = 342;
    dyn.pass.free_run = 342;
    dyn.pass.one_step = 341;
    dyn.pass.ended = true;
    dyn.pass.stopped = -1;
    dyn.cache = {1, 342, 342, 629146, false};
    ph_analysis_summary &s = dyn.sum;
    s.cls = s.one_cls = PH_DIVERGED;
    for (int i = 1; i < PH_CLASS_COUNT; i++)
      s.first[i] = s.one_first[i] = 213;
    s.first[PH_BITWISE] = s.one_first[PH_BITWISE] = 0;
    s.latch = -1;
    s.end = PH_END_TRUNCATED;
    s.end_step = 341;
    find(PH_FINDING_DIVERGENCE, 213,
         "LEFT THE RECORDING: arm_wrist 4.10e-3 rad, equal bits before. 1-step errors at 1 of 341 "
         "steps, arm_wrist 4.10e-3 rad here. ctrl: equal bits.");
    find(PH_FINDING_DIAGNOSIS, 213,
         "an event that the file does not hold turned arm_wrist at 213; shifts, decimations 1..20 "
         "and float32 do not explain it.");
    find(
        PH_FINDING_DISAGREEMENT, 292,
        "latch: recorded 287, dynamic never: it broke here at 22/25. Run again, this episode FAILS "
        "the task that its recording passes.");
    find(PH_FINDING_LATCH, 287, "LATCH, recorded: true 263..341, 25/25 = 0.50 s");
    find(PH_FINDING_NEAR_MISS, 251, "near miss, recorded: broke at 12/25");
    dyn.findings = found.data();
    dyn.nfindings = found.size();
  }

  void find(ph_finding_kind kind, int64_t step, const char *text) {
    ph_finding f{};
    f.kind = kind;
    f.step = step;
    set_text(f.text, text);
    found.push_back(f);
  }

  double error_at(int64_t step) const {
    return step < 213 ? 0 : 4.1 * std::pow(10.0, (double)(step - 213) / 90);
  }

  // Lanes for a screen so wide.
  void resize(int cols) {
    int w = timeline_lane_width(cols);
    drift.assign((size_t)w, 0);
    one.assign((size_t)w, 0);
    dyn_pred.assign((size_t)w, 0);
    dyn_hold.assign((size_t)w, 0);
    for (int c = 0; c < w; c++) {
      int64_t first = (int64_t)c * 342 / w, last = (int64_t)(c + 1) * 342 / w - 1;
      drift[(size_t)c] = error_at(last);
      one[(size_t)c] = first <= 213 && last >= 213 ? 4.1 : 0;
      bool yes = (last >= 239 && first <= 250) || (last >= 270 && first <= 291);
      dyn_pred[(size_t)c] = yes ? 2 : 0;
      dyn_hold[(size_t)c] = !yes ? 0 : last < 260 ? last - 238 : last - 269;
    }
    lane.first = 0;
    lane.last = 341;
    lane.n = w;
    lane.drift = drift.data();
    lane.one = one.data();
    lane.ghost = ghost.empty() ? nullptr : ghost.data();
    lane.pred = dyn_pred.data();
    lane.hold = dyn_hold.data();
    dyn.lanes = &lane;
  }
  static int timeline_lane_width(int cols) { return cols >= 60 ? cols - 10 : cols - 5; }

  // The pass is at `step`, and no further.
  void running(int64_t step, int64_t ones) {
    dyn.pass.ended = false;
    dyn.pass.free_run = step + 1;
    dyn.pass.one_step = ones;
    dyn.cache.cached = step + 1;
    if (step < 213)
      for (int i = 1; i < PH_CLASS_COUNT; i++)
        dyn.sum.first[i] = -1;
    dyn.sum.end = PH_END_UNKNOWN;
    dyn.nfindings = 0;
    for (int c = 0; c < lane.n; c++) {
      int64_t last = (int64_t)(c + 1) * 342 / lane.n - 1;
      if (last > step) {
        drift[(size_t)c] = NAN;
        dyn_pred[(size_t)c] = 255;
        dyn_hold[(size_t)c] = -1;
      }
      if (last > ones)
        one[(size_t)c] = NAN;
    }
  }

  // The dynamic frame of a step comes with the recorded one.
  void walk(int64_t step, int substep = 0) {
    go(step);
    a.want.dyn.substep = substep;
    double error = error_at(step) * 1e-3;
    dyn.has_frame = true;
    dyn.step = step;
    dyn.substep = substep;
    dyn.time = 0.02 * (double)step + 0.002 * substep;
    dyn_values = values;
    joints.assign(8, joint_errors{});
    const double part[] = {0, 1e-3, 8e-3, 1, 0, 0, 0, 0};
    const double worst[] = {7.31e-3, 1.22e-2, 4.1e-2, 8.93e-2, 6.2e-3, 6.02e-3, 5.88e-3, 9.4e-4};
    for (int j = 0; j < 8; j++) {
      double now = error * part[j];
      joint_errors &e = joints[(size_t)j];
      bool angle = j < 4, place = j >= 4;
      e.now.rad = angle || j == 7 ? now : NAN;
      e.now.m = place ? now : NAN;
      e.now.equal = now == 0;
      e.worst.rad = angle ? worst[j] : j == 7 ? 2.1e-3 : NAN;
      e.worst.m = place ? worst[j] : NAN;
      e.now.rad_s = e.now.rad;
      e.now.m_s = e.now.m;
      e.worst.rad_s = j == 7 ? NAN : 50 * e.worst.rad;
      e.worst.m_s = j == 7 ? NAN : 50 * e.worst.m;
      e.worst.rad_s_step = 335 - j;
      e.worst.m_s_step = 312 - j;
      e.worst.rad_step = 341 - j;
      e.worst.m_step = 318 - j;
      if (j < 7)
        dyn_values[(size_t)j] += now;
    }
    dyn.values = dyn_values.data();
    dyn.njoints = joints.size();
    dyn.joints = joints.data();
    dyn.differs = substep == 0;
    dyn.difference.equal = error == 0;
    dyn.difference.ctrl_equal = dyn.difference.memory_equal = true;
    for (int i = 0; i < PH_MEASURE_COUNT; i++)
      dyn.difference.worst[i] = -1;
    dyn.judged = substep == 0;
    dyn.predicate = false;
    dyn.held = 0;
    dyn.reward = step == 0 || substep ? NAN : 0.0;
    dyn.flags = 0;
    dyn.nconditions = 2;
    dyn.condition = dyn_conditions;
    dyn_reads = {0.06556 + error, 0.081};
    dyn.condition_reads = dyn_reads.data();
    touches.clear();
    for (size_t i = 0; i < contacts.size(); i++) {
      dynamic_answer::dynamic_contact c{};
      memcpy(c.geom, contacts[i].geom, sizeof c.geom);
      c.dist = contacts[i].dist;
      c.force = contacts[i].force;
      if (i != 1)
        touches.push_back(c);
    }
    dyn.contacts = touches.data();
    dyn.ncontacts = touches.size();
    dyn.qpos = dyn.qvel = dyn.values;
    dyn_next = next_ctrl;
    dyn.next_ctrl = snap.next_ctrl ? dyn_next.data() : nullptr;
  }

  std::string at(int rows, int cols) {
    resize(cols);
    return text(rows, cols);
  }
};
