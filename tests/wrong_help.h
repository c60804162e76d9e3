/* Episodes recorded in a bare loop, right or wrong in a way that is known, and what the diagnosis
 * says of them. */
#ifndef TESTS_WRONG_HELP_H
#define TESTS_WRONG_HELP_H

#include <functional>

#include "replay_help.h"

#include <playhead/diagnosis.h>

namespace wrong_help {

/* Two hinges that touch nothing. */
inline std::string arm_xml(const char *option = "") {
  return std::string("<mujoco><compiler angle='radian'/><option timestep='0.002' ") + option +
         "/><worldbody><body name='upper' pos='0 0 1'><joint name='shoulder' axis='0 1 0' "
         "damping='.3'/><geom name='upper' type='capsule' fromto='0 0 0 .3 0 0' size='.03' "
         "mass='.8'/><body name='fore' pos='.3 0 0'><joint name='elbow' axis='0 1 0' "
         "damping='.1'/><geom name='fore' type='capsule' fromto='0 0 0 .3 0 0' size='.02' "
         "mass='.4'/></body></body></worldbody><actuator><position name='ms' joint='shoulder' "
         "kp='30'/><position name='me' joint='elbow' kp='15'/></actuator></mujoco>";
}

/* The same, and boxes that are thrown and slide: contacts come and go, and stay. */
inline std::string box_xml(const char *option = "") {
  std::string text = arm_xml(option);
  std::string boxes = "<geom name='floor' type='plane' size='3 3 .1'/>";
  for (int i = 0; i < 3; i++) {
    std::string name = "box" + std::to_string(i), at = std::to_string(0.3 * i + 0.2);
    boxes += "<body name='" + name + "' pos='" + at + " .5 " + at +
             "' euler='.3 .2 .1'><freejoint "
             "name='" +
             name + "'/><geom name='" + name +
             "' type='box' size='.05 .04 .03' "
             "mass='.3'/></body>";
  }
  return text.insert(text.find("<worldbody>") + 11, boxes);
}

/* How it was really recorded. */
struct Truth {
  int actions = 120;
  int control_steps = 5;
  ph_recipe recipe = PH_RECIPE_STEP;
  bool cold = false;                             /* no warmstart is used */
  std::function<void(mjData *, int, int)> touch; /* before substep s of step t */
  std::function<void(int, double *)> alter;      /* the ctrl that is really sent at step t */
};

inline std::vector<double> action_of(int t, int n) {
  std::vector<double> action(static_cast<size_t>(n));
  for (int i = 0; i < n; i++)
    action[static_cast<size_t>(i)] =
        i % 2 == 0 ? 0.6 * std::sin(0.31 * t + i) + 0.2 * std::sin(1.3 * t + 1)
                   : 0.8 * std::cos(0.43 * t + i - 1) - 0.2 * std::sin(1.7 * t);
  return action;
}

struct Wrong {
  ph_model *model = nullptr; /* that of the recording */
  ph_model *used = nullptr;  /* that of the rerun */
  ph_episode *episode = nullptr;
  replay_help::Memory *memory = nullptr;
  ph_episode_meta meta = {};
  uint32_t columns = 0;
  bool float32 = false;
  ph_diagnosis said = {};
  ph_analysis_summary sum = {};

  explicit Wrong(const std::string &xml, const Truth &truth = Truth()) : model(help_model(xml)) {
    snprintf(meta.id, sizeof meta.id, "demo_0");
    snprintf(meta.recipe, sizeof meta.recipe, "step");
    snprintf(meta.engine, sizeof meta.engine, "mujoco");
    snprintf(meta.substrate, sizeof meta.substrate, "%s", ph_substrate());
    snprintf(meta.model_sha256, sizeof meta.model_sha256, "%s", ph_model_sha256(model));
    meta.provenance = "[]";
    meta.actions = truth.actions;
    meta.states = truth.actions + 1;
    meta.timestep = ph_model_timestep(model);
    meta.dims = *ph_model_dims(model);
    meta.dims.action_dim = meta.dims.nu;
    meta.dims.control_steps = truth.control_steps;
    meta.hold_seconds = -1;
    for (ph_column col : {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL, PH_COL_ACTIONS,
                          PH_COL_REWARDS, PH_COL_FLAGS})
      columns |= PH_COL_BIT(col);
    record(truth);
  }
  Wrong(const Wrong &) = delete;
  ~Wrong() {
    ph_episode_free(episode);
    if (episode == nullptr)
      delete memory;
    ph_model_unref(used);
    ph_model_unref(model);
  }

  void keep(ph_sim *sim) {
    ph_row row;
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
    for (ph_column col : {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL})
      memory->add(col, ph_row_column(&row, col));
  }
  static void substep(const mjModel *m, mjData *d, const Truth &truth, const double *ctrl) {
    if (truth.cold)
      mju_zero(d->qacc_warmstart, static_cast<int>(m->nv));
    if (truth.recipe == PH_RECIPE_STEP1_STEP2) {
      mj_step1(m, d);
      mju_copy(d->ctrl, ctrl, static_cast<int>(m->nu));
      mj_step2(m, d);
      return;
    }
    mju_copy(d->ctrl, ctrl, static_cast<int>(m->nu));
    if (truth.recipe == PH_RECIPE_FORWARD_STEP)
      mj_forward(m, d);
    mj_step(m, d);
  }
  void record(const Truth &truth) {
    ph_sim *sim = nullptr;
    memory = new replay_help::Memory();
    memory->backend = {replay_help::Memory::read, replay_help::Memory::release, nullptr, nullptr};
    memory->corrupt = -1;
    for (int i = 0; i < PH_COL_COUNT; i++)
      memory->width[i] = ph_schema_width(static_cast<ph_column>(i), &meta.dims);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
    for (int i = 0; i < static_cast<int>(sim->m->nv); i++)
      sim->d->qvel[i] = 0.3 * std::sin(i + 1.0);
    keep(sim);
    for (int t = 0; t < truth.actions; t++) {
      double reward = 0;
      uint8_t flags = 0;
      std::vector<double> action = action_of(t, meta.dims.nu), ctrl = action;
      if (truth.alter)
        truth.alter(t, ctrl.data());
      for (int s = 0; s < truth.control_steps; s++) {
        if (truth.touch)
          truth.touch(sim->d, t, s);
        substep(sim->m, sim->d, truth, ctrl.data());
      }
      memory->add(PH_COL_ACTIONS, action.data());
      memory->add(PH_COL_REWARDS, &reward);
      memory->add(PH_COL_FLAGS, &flags);
      keep(sim);
    }
    ph_sim_free(sim);
  }

  double *row(ph_column col, int64_t t) {
    return memory->data[col].data() + static_cast<size_t>(t) * memory->width[col];
  }
  /* The action of step t is stored at step t + by. */
  void move_actions(int by) {
    std::vector<double> &all = memory->data[PH_COL_ACTIONS], old = all;
    int64_t width = meta.dims.action_dim, n = meta.actions;
    for (int64_t t = 0; t < n; t++) {
      int64_t from = std::min(std::max<int64_t>(t - by, 0), n - 1);
      memcpy(&all[static_cast<size_t>(t * width)], &old[static_cast<size_t>(from * width)],
             static_cast<size_t>(width) * sizeof(double));
    }
  }
  void say_control_steps(int n) { meta.dims.control_steps = n; }
  /* The states' times are those of n substeps a step. */
  void say_time(double step) {
    for (int64_t t = 0; t < meta.states; t++)
      row(PH_COL_STATES, t)[0] = static_cast<double>(t) * step;
  }
  void round_states() {
    for (double &x : memory->data[PH_COL_STATES])
      x = static_cast<double>(static_cast<float>(x));
  }
  void drop(ph_column col) { columns &= ~PH_COL_BIT(col); }
  void zero(ph_column col) {
    for (double &x : memory->data[col])
      x = 0;
  }
  void use(const std::string &xml) { used = help_model(xml); }

  void open() {
    meta.control_dt = meta.dims.control_steps * meta.timestep;
    ASSERT_EQ(PH_OK, ph_episode_new(&episode, &meta, columns, nullptr, 0, &memory->backend))
        << ph_error();
    if (float32)
      episode->stored[PH_COL_STATES] = PH_F32;
  }
  ph_status diagnose(const ph_task *task = nullptr) {
    ph_rerun *run = nullptr;
    ph_analysis *analysis = nullptr;
    ph_analysis_options opt = {2, ph_tolerance_default(), false, false};
    if (episode == nullptr)
      open();
    ph_status status = ph_rerun_create(&run, episode, used ? used : model, task, nullptr);
    if (status == PH_OK)
      status = ph_analysis_start(&analysis, run, &opt);
    if (status == PH_OK)
      status = ph_analysis_wait(analysis, nullptr, nullptr);
    if (status == PH_OK) {
      ph_analysis_sum(analysis, &sum);
      status = ph_diagnose(&said, analysis, nullptr, nullptr);
    }
    ph_analysis_free(analysis);
    ph_rerun_unref(run);
    return status;
  }
  /* Whether it is this cause, in words that hold `text`. */
  void expect(ph_cause cause, const char *text, const ph_task *task = nullptr) {
    ASSERT_EQ(PH_OK, diagnose(task)) << ph_error();
    if (getenv("PLAYHEAD_TEST_SAY") != nullptr)
      printf("  %d of %d: %s\n", static_cast<int>(said.fits), static_cast<int>(said.sampled),
             said.text);
    EXPECT_EQ(cause, said.cause) << said.text;
    EXPECT_NE(nullptr, strstr(said.text, text)) << said.text;
    EXPECT_NE(nullptr, strchr(".?", said.text[strlen(said.text) - 1])) << said.text;
    EXPECT_GT(sizeof said.text - 1, strlen(said.text)) << said.text;
  }
  void expect_variant(int shift, int control_steps, ph_recipe recipe, const char *text) {
    expect(PH_CAUSE_VARIANT, text);
    EXPECT_EQ(shift, said.best.shift) << said.text;
    EXPECT_EQ(control_steps, said.best.control_steps) << said.text;
    EXPECT_EQ(recipe, said.best.recipe) << said.text;
  }
};

} // namespace wrong_help

#endif
