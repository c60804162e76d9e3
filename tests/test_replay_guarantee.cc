// What is promised of a replay, and why no more.
#include "replay_help.h"

using namespace replay_help;

namespace {

struct Guarantee : ReplayTask {
  char why[300];
  ph_guarantee judge() {
    ph_episode_free(episode);
    episode = nullptr;
    memory = nullptr;
    open();
    return ph_episode_guarantee(episode, model, task, why, sizeof why);
  }
  void expect(ph_guarantee want, const char *text) {
    EXPECT_EQ(want, judge()) << why;
    EXPECT_NE(nullptr, strstr(why, text)) << why;
  }
};

TEST_F(Guarantee, IsExactOnlyWhenAllIsTheSame) {
  expect(PH_EXACT, "same");
  snprintf(meta.substrate, sizeof meta.substrate, "0123456789abcdef");
  expect(PH_NOT_EXACT, "substrate 0123456789abcdef");
  meta.substrate[0] = 0;
  expect(PH_NOT_EXACT, "substrate unknown");
  snprintf(meta.recipe, sizeof meta.recipe, "step1_step2");
  expect(PH_NOT_EXACT, "step1_step2");
}

TEST_F(Guarantee, KnowsWhatTheModelSaysOfItsRecording) {
  snprintf(model->facts.engine_version, sizeof model->facts.engine_version, "3.12.0");
  expect(PH_NOT_EXACT, "recorded with MuJoCo 3.12.0");
  snprintf(model->facts.engine_version, sizeof model->facts.engine_version, "%s",
           ph_engine_version());
  snprintf(model->facts.arch, sizeof model->facts.arch, "vax");
  expect(PH_NOT_EXACT, "recorded on vax");
  snprintf(model->facts.arch, sizeof model->facts.arch, "%s", ph_mj_arch());
  model->facts.compiled_sha256[0] = 'x';
  expect(PH_NOT_EXACT, "compiles to");
  memcpy(model->facts.compiled_sha256, model->compiled_sha256, PH_SHA256_SIZE);
  expect(PH_EXACT, "same");
  meta.model_sha256[0] = 'x';
  expect(PH_NOT_EXACT, "another model");
}

TEST_F(Guarantee, KnowsWhatIsMissing) {
  uint32_t all = columns;
  columns = all & ~PH_COL_BIT(PH_COL_WARMSTART);
  expect(PH_NOT_EXACT, "no warmstart is stored");
  columns = all & ~PH_COL_BIT(PH_COL_CTRL);
  expect(PH_NOT_EXACT, "no ctrl is stored");
  columns = all & ~PH_COL_BIT(PH_COL_ACTIONS);
  expect(PH_STATES_ONLY, "no actions");
  columns = all;
  snprintf(meta.engine, sizeof meta.engine, "physx");
  expect(PH_STATES_ONLY, "physx");
  snprintf(meta.engine, sizeof meta.engine, "mujoco");
  meta.dims.control_steps = 0;
  expect(PH_STATES_ONLY, "substeps");
  meta.dims.control_steps = kSteps;
  meta.dims.action_dim = 7;
  expect(PH_STATES_ONLY, "7 actions for 2 actuators");
}

TEST_F(Guarantee, NeedsTheTaskThatMapsTheActions) {
  const char *ctrl = "return { control_steps = 2, actions = { {type='ctrl', actuators={'.*'}} } }";
  expect(PH_EXACT, "taken as ctrl");
  parse("return { hold_seconds = 0, success = function(s) return true end }");
  expect(PH_EXACT, "taken as ctrl");
  parse(ctrl);
  expect(PH_NOT_EXACT, "recorded with none");
  snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  expect(PH_EXACT, "full state");
  ph_task_unref(task);
  task = nullptr;
  expect(PH_STATES_ONLY, "what an action does to ctrl is not known");
  EXPECT_NE(nullptr, strstr(why, std::string(meta.task_sha256, 12).c_str())) << why;
  parse("return { name = 'other', control_steps = 2, actions = { {type='ctrl', actuators={'.*'}} } "
        "}");
  expect(PH_NOT_EXACT, "another task is in use");
}

TEST_F(Guarantee, NeedsEditsThatTheModelTakes) {
  double one = 1;
  auto expect = [&](ph_guarantee want, const ph_edit &edit, const char *text) {
    ph_episode_free(episode);
    episode = nullptr;
    edits.clear();
    record();
    edits.push_back(edit);
    open();
    EXPECT_EQ(want, ph_episode_guarantee(episode, model, task, why, sizeof why));
    EXPECT_NE(nullptr, strstr(why, text)) << why;
  };
  expect(PH_STATES_ONLY, {"nonsense", PH_F64, {1, 1}, &one}, "nonsense: this engine has no such");
  expect(PH_STATES_ONLY, {"body_pos", PH_F64, {1, 1}, &one}, "body_pos: the edit is f64 (1 x 1)");
  std::vector<double> pos(model->m->body_pos, model->m->body_pos + 3 * model->m->nbody);
  ph_edit edit = {"body_pos", PH_F64, {model->m->nbody, 3}, pos.data()};
  expect(PH_EXACT, edit, "same");
  pos[7] = NAN;
  expect(PH_STATES_ONLY, edit, "body_pos[2][1] is not a number");
  EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&replay, episode, model, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "body_pos[2][1] is not a number")) << ph_error();
}

TEST_F(Guarantee, BelievesWhatTheFileSaysAgainstItself) {
  snprintf(meta.determinism, sizeof meta.determinism, "bitwise");
  snprintf(meta.derived, sizeof meta.derived, "fresh");
  expect(PH_EXACT, "same");
  snprintf(meta.determinism, sizeof meta.determinism, "fails(3)");
  expect(PH_NOT_EXACT, "fails(3)");
  snprintf(meta.determinism, sizeof meta.determinism, "tol(1e-9)");
  expect(PH_NOT_EXACT, "tol(1e-9)");
  snprintf(meta.determinism, sizeof meta.determinism, "unchecked");
  snprintf(meta.derived, sizeof meta.derived, "stale");
  expect(PH_NOT_EXACT, "stale");
  snprintf(meta.derived, sizeof meta.derived, "fresh");
  snprintf(meta.oddity, sizeof meta.oddity, "it says two things");
  expect(PH_NOT_EXACT, "it says two things");
  meta.oddity[0] = 0;
  meta.timestep *= 2;
  expect(PH_NOT_EXACT, "timestep is");
  meta.timestep /= 2;
  parse("return { control_steps = 10, actions = { {type='ctrl', actuators={'.*'}} } }");
  snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  expect(PH_NOT_EXACT, "a step has 2 substeps in the episode, 10 in task");
}

TEST_F(Guarantee, NamesAreFixed) {
  EXPECT_STREQ("EXACT", ph_guarantee_name(PH_EXACT));
  EXPECT_STREQ("NOT EXACT", ph_guarantee_name(PH_NOT_EXACT));
  EXPECT_STREQ("STATES ONLY", ph_guarantee_name(PH_STATES_ONLY));
}

} // namespace
