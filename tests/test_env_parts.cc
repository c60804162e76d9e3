/* A control step in parts comes to the bits of a whole one; what is read between changes nothing.
 */
#include "rec_help.h"

namespace {

struct Step {
  std::string row, detail;
  double reward;
  uint8_t flags;
  ph_end end;
  bool done, terminated, truncated, success;
  bool operator==(const Step &o) const {
    return row == o.row && detail == o.detail && memcmp(&reward, &o.reward, sizeof reward) == 0 &&
           flags == o.flags && end == o.end && done == o.done && terminated == o.terminated &&
           truncated == o.truncated && success == o.success;
  }
};

Step step_of(const ph_outcome &out, const ph_dims &dims) {
  Rollout r;
  if (out.row.state != nullptr)
    keep_row(r, out.row, dims);
  std::string bytes;
  for (auto &[column, rows] : r.columns)
    bytes += std::to_string(column) + ":" + rows[0];
  return {bytes,    out.detail,     out.reward,    out.flags,  out.end,
          out.done, out.terminated, out.truncated, out.success};
}

/* Conditions, readouts, rows and a policy that is refused: as a screen does between substeps. */
void look(ph_env *env) {
  const ph_condition *conditions = nullptr;
  size_t n = 0;
  ph_row row;
  std::vector<double> readouts(ph_task_info_of(ph_env_task(env))->nreadouts + 1),
      action(static_cast<size_t>(ph_env_dims(env)->action_dim) + 1);
  EXPECT_EQ(PH_OK, ph_env_conditions(env, &conditions, &n)) << ph_error();
  EXPECT_EQ(ph_task_info_of(ph_env_task(env))->nconditions, n);
  EXPECT_EQ(PH_OK, ph_env_readouts(env, readouts.data())) << ph_error();
  EXPECT_EQ(PH_OK, ph_sim_get_row(ph_env_sim(env), &row));
  if (ph_env_acting(env)) {
    EXPECT_EQ(PH_EINVAL, ph_env_policy(env, action.data()));
  }
}

/* All steps of an episode; parts[k % size] substeps at a time, none: ph_env_step. */
std::vector<Step> episode(ph_env *env, uint64_t seed, const std::vector<int> &parts, bool looks) {
  std::vector<Step> all;
  ph_row row;
  EXPECT_EQ(PH_OK, ph_env_reset(env, seed, &row)) << ph_error();
  const ph_dims &dims = *ph_env_dims(env);
  std::vector<double> action(static_cast<size_t>(dims.action_dim));
  ph_outcome out = {};
  size_t k = 0;
  while (!out.done) {
    EXPECT_EQ(PH_OK, ph_env_policy(env, action.data())) << ph_error();
    if (parts.empty()) {
      EXPECT_EQ(PH_OK, ph_env_step(env, action.data(), &out)) << ph_error();
    } else {
      EXPECT_EQ(PH_OK, ph_env_act(env, action.data(), &out)) << ph_error();
      EXPECT_EQ(nullptr, out.row.state);
    }
    while (!out.done && ph_env_acting(env)) {
      if (looks)
        look(env);
      int before = ph_env_substep(env), n = parts[k++ % parts.size()];
      EXPECT_EQ(PH_OK, ph_env_substeps(env, n, &out)) << ph_error();
      if (ph_env_acting(env)) {
        EXPECT_EQ(nullptr, out.row.state);
        EXPECT_EQ(before + n, ph_env_substep(env));
      } else {
        EXPECT_EQ(0, ph_env_substep(env));
      }
    }
    if (looks && out.end != PH_END_NAN)
      look(env);
    all.push_back(step_of(out, dims));
  }
  return all;
}

const char kMore[] = "success = { up = function(s) return s.joint.a > 0.1 end,\n"
                     "            early = function(s) return s.step % 9 ~= 0 end },\n"
                     "failure = function(s) return s.joint.b > 0.29 end,\n"
                     "stages = { { name = 'one', hold_seconds = 0.02, test = function(s) return "
                     "s.joint.a > 0 end },\n"
                     "  { name = 'two', test = function(s) return s.joint.b > 0.1 end } },\n"
                     "reward = function(s) return s.joint.a + s.stages_done + s.action[1] end,\n"
                     "readouts = { tip = function(s) return s.site.tip.z end, v = function(s) "
                     "return s.qvel.a end },\n";

class EnvParts : public testing::TestWithParam<std::vector<int>> {};

TEST_P(EnvParts, ComeToTheBitsOfAWholeStep) {
  Model model;
  for (const char *terms : {"", "actions = { { type = 'joint_delta', joints = { 'a', 'b' }, of = "
                                "'target', scale = 0.1 } },\n"}) {
    Task task(rec_task(std::string(kMore) + terms));
    Env whole(task, model), parts(task, model), looked(task, model);
    for (uint64_t seed = 0; seed < 8; seed++) {
      std::vector<Step> expected = episode(whole.env, seed, {}, false);
      EXPECT_TRUE(expected == episode(parts.env, seed, GetParam(), false)) << seed;
      EXPECT_TRUE(expected == episode(looked.env, seed, GetParam(), true)) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EnvParts,
                         testing::Values(std::vector<int>{1}, std::vector<int>{2, 1},
                                         std::vector<int>{3}, std::vector<int>{5},
                                         std::vector<int>{1000}));

/* Velocity past any engine's bound within a step: text and end are those of the whole step. */
TEST(EnvPart, ANumberThatIsNotFiniteEndsItWithTheSameWords) {
  Model model;
  std::string blow = "actions = { { type = 'ctrl', actuators = { 'pa', 'pb' } } },\n"
                     "policy = function(s) return { s.step < 3 and 0 or 9e9, 0 } end,\n";
  Task task(rec_task(blow));
  Env whole(task, model), parts(task, model);
  std::vector<Step> expected = episode(whole.env, 1, {}, false);
  ASSERT_EQ(PH_END_NAN, expected.back().end);
  EXPECT_TRUE(expected.back().truncated);
  EXPECT_FALSE(expected.back().terminated);
  for (const std::vector<int> &sizes : {std::vector<int>{1}, {2}, {4, 1}})
    EXPECT_TRUE(expected == episode(parts.env, 1, sizes, false));
}

TEST(EnvPart, NoNumberAndNoControlEndWithTheBeginning) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  ph_row row;
  ph_outcome out, whole;
  for (double bad : {double(NAN), 1e300}) {
    const double action[2] = {0, bad};
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
    ASSERT_EQ(PH_OK, ph_env_act(env.env, action, &out));
    EXPECT_TRUE(out.done);
    EXPECT_EQ(PH_END_NAN, out.end);
    EXPECT_FALSE(ph_env_acting(env.env));
    EXPECT_FALSE(ph_env_running(env.env));
    std::string detail = out.detail;
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &whole));
    EXPECT_EQ(whole.detail, detail);
  }
}

TEST(EnvPart, WhatIsOutOfOrderIsRefusedAndHarmsNothing) {
  Model model;
  Task task(rec_task());
  Env env(task, model), other(task, model);
  const double action[2] = {0.3, 0.1};
  ph_row row;
  ph_outcome out, plain;
  EXPECT_EQ(PH_EINVAL, ph_env_act(env.env, action, &out));
  EXPECT_EQ(PH_EINVAL, ph_env_substeps(env.env, 1, &out));
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 4, &row));
  ASSERT_EQ(PH_OK, ph_env_reset(other.env, 4, &row));
  EXPECT_TRUE(ph_env_running(env.env));
  EXPECT_EQ(PH_EINVAL, ph_env_substeps(env.env, 1, &out));
  EXPECT_STREQ("env: no control step has begun", ph_error());
  ASSERT_EQ(PH_OK, ph_env_act(env.env, action, &out));
  EXPECT_TRUE(ph_env_acting(env.env));
  EXPECT_EQ(PH_EINVAL, ph_env_act(env.env, action, &out));
  EXPECT_STREQ("env: a control step has begun: end it first", ph_error());
  EXPECT_EQ(PH_EINVAL, ph_env_step(env.env, action, &out));
  EXPECT_EQ(PH_EINVAL, ph_env_substeps(env.env, 0, &out));
  EXPECT_EQ(PH_EINVAL, ph_env_substeps(env.env, -3, &out));
  ASSERT_EQ(PH_OK, ph_env_substeps(env.env, 99, &out)) << ph_error();
  ASSERT_EQ(PH_OK, ph_env_step(other.env, action, &plain));
  EXPECT_TRUE(step_of(out, *ph_env_dims(env.env)) == step_of(plain, *ph_env_dims(env.env)));
  EXPECT_EQ(1, ph_env_step_index(env.env));
  /* and a reset within a step forgets it */
  ASSERT_EQ(PH_OK, ph_env_act(env.env, action, &out));
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 4, &row));
  EXPECT_FALSE(ph_env_acting(env.env));
  EXPECT_EQ(0, ph_env_step_index(env.env));
}

TEST(EnvPart, WhatIsReadIsOfThePresentState) {
  Model model;
  Task task(rec_task("success = { low = function(s) return s.joint.a < 0.1 end, "
                     "now = function(s) return s.time > 0.003 end },\n"
                     "readouts = { a = function(s) return s.joint.a end, "
                     "t = function(s) return s.time end },\n"));
  Env env(task, model);
  const ph_condition *conditions = nullptr;
  size_t n = 9;
  double readouts[2];
  const double action[2] = {0.5, 0};
  ph_row row;
  ph_outcome out;
  EXPECT_EQ(PH_EINVAL, ph_env_conditions(env.env, &conditions, &n));
  EXPECT_EQ(0u, n);
  EXPECT_EQ(PH_EINVAL, ph_env_readouts(env.env, readouts));
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 2, &row));
  ASSERT_EQ(PH_OK, ph_env_act(env.env, action, &out));
  for (int k = 0; k <= 2; k++) {
    ASSERT_EQ(PH_OK, ph_env_conditions(env.env, &conditions, &n)) << ph_error();
    ASSERT_EQ(2u, n);
    EXPECT_STREQ("low", conditions[0].name);
    EXPECT_STREQ("joint.a", conditions[0].reads);
    EXPECT_EQ(k == 2, conditions[1].value) << k;
    ASSERT_EQ(PH_OK, ph_env_readouts(env.env, readouts));
    ASSERT_EQ(PH_OK, ph_sim_get_row(ph_env_sim(env.env), &row));
    EXPECT_EQ(row.state[0], readouts[1]);
    EXPECT_EQ(row.state[1], readouts[0]);
    EXPECT_EQ(conditions[0].read, readouts[0]);
    EXPECT_NEAR(0.002 * k, readouts[1], 1e-12);
    EXPECT_EQ(0.5, row.ctrl[0]);
    ASSERT_EQ(PH_OK, ph_env_substeps(env.env, 1, &out));
  }
}

/* The end of an episode and no condition at all. */
TEST(EnvPart, OutcomesTellEveryReasonApart) {
  Model model;
  const double action[2] = {0, 0};
  ph_row row;
  ph_outcome out = {};
  struct {
    const char *more;
    bool terminated, truncated, success;
    ph_end end;
  } cases[] = {
      {"max_steps = 1,", false, true, false, PH_END_TRUNCATED},
      {"failure = function(s) return true end,", true, false, false, PH_END_TERMINATED},
      {"hold_seconds = 0, success = function(s) return true end,", true, false, true,
       PH_END_SUCCESS},
      {"hold_seconds = 0, max_steps = 1, success = function(s) return true end,", true, true, true,
       PH_END_SUCCESS},
      {"max_steps = 1, failure = function(s) return true end,", true, true, false,
       PH_END_TERMINATED},
      {"reward = function(s) return 0/0 end,", false, true, false, PH_END_NAN},
      {"", false, false, false, PH_END_UNKNOWN},
  };
  for (auto &c : cases) {
    Task task(rec_task(c.more));
    Env env(task, model);
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 0, &row));
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out)) << ph_error();
    EXPECT_EQ(c.terminated, out.terminated) << c.more;
    EXPECT_EQ(c.truncated, out.truncated) << c.more;
    EXPECT_EQ(c.success, out.success) << c.more;
    EXPECT_EQ(c.end, out.end) << c.more;
    EXPECT_EQ(out.done, out.terminated || out.truncated);
    EXPECT_EQ(!out.done, ph_env_running(env.env));
  }
}

} // namespace
