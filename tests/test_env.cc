#include <cmath>

#include "rec_help.h"

using std::string;

namespace {

/* Runs with one constant action. */
ph_outcome run_constant(ph_env *env, double a, double b, int steps, Rollout *keep = nullptr) {
  ph_outcome out = {};
  double action[2] = {a, b};
  for (int i = 0; i < steps && !out.done; i++) {
    EXPECT_EQ(PH_OK, ph_env_step(env, action, &out)) << ph_error();
    if (keep != nullptr && out.end != PH_END_NAN)
      keep_row(*keep, out.row, *ph_env_dims(env));
  }
  return out;
}

TEST(Env, SameSeedSameBitsOtherSeedOtherBits) {
  Model model;
  Task task(rec_task());
  Env one(task, model), two(task, model);
  Rollout a = rollout(one.env, 5), b = rollout(two.env, 5), c = rollout(two.env, 6);
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a != c);
  EXPECT_EQ(40u, a.actions.size());
  EXPECT_EQ(PH_END_TRUNCATED, a.end);
}

TEST(Env, AnEpisodeDoesNotKnowWhatCameBefore) {
  Model model;
  Task task(rec_task("reset = function(env, rng) env.qpos.a = rng(); if rng() < 0.5 then "
                     "env.xfrc.ball = {0, 0, 1, 0, 0, 0}; env.eq_active.grab = true; "
                     "env.model.body.arm.pos = {0, 0.1, 0.5} end end"));
  Env used(task, model);
  for (uint64_t seed = 0; seed < 6; seed++) {
    Env fresh(task, model);
    EXPECT_TRUE(rollout(used.env, seed) == rollout(fresh.env, seed)) << seed;
  }
}

TEST(Env, SeedsAreAFunctionOfRunEnvAndEpisode) {
  EXPECT_EQ(ph_env_seed(7, 1, 2), ph_env_seed(7, 1, 2));
  EXPECT_NE(ph_env_seed(7, 1, 2), ph_env_seed(7, 2, 1));
  EXPECT_NE(ph_env_seed(7, 1, 2), ph_env_seed(8, 1, 2));
  EXPECT_NE(ph_env_seed(7, 0, 0), ph_env_seed(7, 0, 1));
}

TEST(Env, ResetAndPolicyDrawFromStreamsOfTheirOwn) {
  Model model;
  Task few(rec_task("reset = function(env, rng) rng() end"));
  Task many(rec_task("reset = function(env, rng) for i = 1, 9 do rng() end end"));
  Env a(few, model), b(many, model);
  EXPECT_TRUE(rollout(a.env, 3) == rollout(b.env, 3));
}

TEST(Env, RowZeroIsWhatResetLeft) {
  Model model;
  Task task(rec_task("reset = function(env, rng) env.qpos.a = 0.125; env.qvel.b = -2; "
                     "env.ctrl.pa = 0.75; env.xfrc.ball = {0, 0, 0.25, 0, 0, 0}; "
                     "env.mocap.target.pos = {0.5, 0.5, 0.5}; env.eq_active.grab = true end, "
                     "success = function(s) return s.joint.a == 0.125 end"));
  Env env(task, model);
  ph_row row;
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row)) << ph_error();
  const ph_dims *dims = ph_env_dims(env.env);
  EXPECT_EQ(0.0, row.state[0]);
  EXPECT_EQ(0.125, row.state[1]);
  EXPECT_EQ(-2.0, row.state[1 + dims->nq + 1]);
  EXPECT_EQ(0.75, row.ctrl[0]);
  EXPECT_EQ(0.5, row.mocap_pos[1]);
  EXPECT_EQ(1, row.eq_active[0]);
  for (int i = 0; i < dims->nv; i++)
    EXPECT_EQ(0.0, row.warmstart[i]) << i;
  ASSERT_NE(nullptr, row.predicate);
  EXPECT_EQ(1, row.predicate[0]);
  EXPECT_EQ(0, ph_env_step_index(env.env));
  EXPECT_EQ(0, ph_env_hold(env.env)->count) << "the reset row never counts";
}

TEST(Env, WarmstartAndForcesAreClearedByReset) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  rollout(env.env, 1);
  ph_row row;
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 2, &row));
  const ph_dims *dims = ph_env_dims(env.env);
  for (int i = 0; i < dims->nv; i++)
    EXPECT_EQ(0.0, row.warmstart[i]);
  for (int i = 0; i < 6 * dims->nbody; i++)
    EXPECT_EQ(0.0, row.xfrc_applied[i]);
}

/* The rows are those of a bare simulation: readouts and forwards leave no trace. */
TEST(Env, RowsAreTheBitsOfABareSimulation) {
  Model model;
  Task task(rec_task("readouts = { x = function(s) return s.site.tip.x end }, "
                     "success = function(s) return s.dist('tip', 'ball') < 0.1 end"));
  Env env(task, model);
  Rollout r = rollout(env.env, 9);
  ph_sim *sim = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&sim, model.model));
  ph_row row0 = {};
  for (auto &column : r.columns)
    ph_row_set_column(&row0, static_cast<ph_column>(column.first), column.second[0].data());
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row0));
  for (size_t t = 0; t < r.actions.size(); t++) {
    bool warned = false;
    const std::string &ctrl = r.columns[PH_COL_CTRL][t + 1];
    ASSERT_EQ(PH_OK, ph_sim_step(sim, reinterpret_cast<const double *>(ctrl.data()), 5, &warned));
    ph_row row = {};
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
    for (ph_column col : {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL}) {
      const std::string &want = r.columns[col][t + 1];
      ASSERT_EQ(0, memcmp(want.data(), ph_row_column(&row, col), want.size())) << t;
    }
  }
  ph_sim_free(sim);
}

TEST(Env, ConditionsSeeTheStateAfterTheStep) {
  Model model; /* the predicate compares a derived value with the row's own bits */
  Task task(rec_task("success = function(s) return s.site.tip.z > 0.5 end, hold_seconds = 10"));
  Env env(task, model);
  Rollout r = rollout(env.env, 4);
  int seen[2] = {0, 0};
  for (size_t t = 0; t < r.columns[PH_COL_STATES].size(); t++) {
    double a = r.state(t)[1], b = r.state(t)[2];
    bool want = 0.5 - 0.3 * std::sin(a) - 0.3 * std::sin(a + b) > 0.5;
    EXPECT_EQ(want, r.columns[PH_COL_PREDICATE][t][0] == 1) << t;
    seen[want]++;
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

TEST(Env, HoldBreaksStartsAgainAndEndsAtTheLatch) {
  Model model; /* 0.03 s at 0.01 s: 3 steps. True at rows 2, 3, then from 6 on */
  Task task(rec_task("success = function(s) return s.step == 2 or s.step == 3 or s.step >= 6 end, "
                     "reward = function(s) return s.predicate and 1 or 0 end"));
  Env env(task, model);
  Rollout r = rollout(env.env, 1);
  EXPECT_EQ(PH_END_SUCCESS, r.end);
  EXPECT_EQ(8u, r.actions.size());
  EXPECT_EQ(8, ph_env_hold(env.env)->latch);
  EXPECT_EQ(PH_FLAG_TERMINATED, r.flags.back());
  EXPECT_EQ(0, r.flags[6]);
  EXPECT_EQ((std::vector<double>{0, 1, 1, 0, 0, 1, 1, 1}), r.rewards);
}

TEST(Env, HoldOverrideTakesTheTasksPlace) {
  Model model;
  Task task(rec_task("success = function(s) return s.step >= 6 end"));
  Env longer(task, model, 0.1), none(task, model, 0.0);
  EXPECT_EQ(15u, rollout(longer.env, 1).actions.size());
  EXPECT_EQ(6u, rollout(none.env, 1).actions.size());
  ph_env *env = nullptr;
  ph_env_options tiny = {0.001};
  EXPECT_EQ(PH_EINVAL, ph_env_create(&env, task.task, model.model, &tiny));
  EXPECT_EQ(nullptr, env);
}

TEST(Env, WhenEndsMeetTheFirstOfTheOrderHolds) {
  Model model;
  Task both(rec_task("max_steps = 3, hold_seconds = 0, success = function(s) return s.step == 3 "
                     "end, failure = function(s) return s.step == 3 end"));
  Task fails(rec_task("max_steps = 3, failure = function(s) return s.step == 3 end"));
  Env a(both, model), b(fails, model);
  Rollout r = rollout(a.env, 1);
  EXPECT_EQ(PH_END_SUCCESS, r.end);
  EXPECT_EQ(PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED, r.flags.back());
  r = rollout(b.env, 1);
  EXPECT_EQ(PH_END_TERMINATED, r.end);
  EXPECT_EQ(3u, r.actions.size());
}

TEST(Env, NanComesBeforeTheOthers) {
  Model model; /* the same step would end the episode by its length */
  Task task(rec_task("max_steps = 3, policy = function(s) return { s.step == 2 and 0/0 or 0, 0 } "
                     "end"));
  Env env(task, model);
  Rollout r = rollout(env.env, 1);
  EXPECT_EQ(PH_END_NAN, r.end);
  EXPECT_EQ(2u, r.actions.size());
}

TEST(Env, ARewardThatIsNotFiniteEndsTheEpisodeAsNan) {
  Model model; /* the same step would end the episode by its length */
  for (std::string value : {"0/0", "1/0", "-1/0"}) {
    Task task(rec_task("max_steps = 3, reward = function(s) return s.step == 3 and " + value +
                       " or 0 end"));
    Env env(task, model);
    ph_row row;
    ph_outcome out;
    double action[2] = {0, 0};
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
    for (int i = 0; i < 2; i++)
      ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out)) << ph_error();
    EXPECT_TRUE(out.done);
    EXPECT_EQ(PH_END_NAN, out.end);
    EXPECT_STREQ("step 2: reward is not finite", out.detail);
    EXPECT_EQ(0, out.flags);
    EXPECT_EQ(0.0, out.reward);
    EXPECT_EQ(2, ph_env_step_index(env.env)) << "the last step is no row";
    EXPECT_EQ(PH_EINVAL, ph_env_step(env.env, action, &out)) << "it has ended";
    EXPECT_EQ(PH_OK, ph_env_reset(env.env, 1, &row)) << "and another begins";
  }
}

TEST(Env, ARewardThatIsNoNumberIsTheTasksFault) {
  Model model;
  Task task(rec_task("reward = function(s) return s.step == 3 and 'much' or 0 end"));
  Env env(task, model);
  ph_row row;
  ph_outcome out;
  double action[2] = {0, 0};
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  for (int i = 0; i < 2; i++)
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  EXPECT_EQ(PH_ETASK, ph_env_step(env.env, action, &out));
  EXPECT_NE(nullptr, strstr(ph_error(), "step 3: ")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "reward")) << ph_error();
}

TEST(Env, ANonFiniteActionEndsTheEpisodeAndIsNamed) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  ph_row row;
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  run_constant(env.env, 0.1, 0.1, 5);
  double action[2] = {0.0, INFINITY};
  ph_outcome out;
  ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  EXPECT_TRUE(out.done);
  EXPECT_EQ(PH_END_NAN, out.end);
  EXPECT_STREQ("step 5: action[1] (b) is not finite", out.detail);
  EXPECT_EQ(nullptr, out.row.state) << "not a row to record";
  EXPECT_EQ(PH_EINVAL, ph_env_step(env.env, action, &out)) << "ended: reset first";
  EXPECT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  EXPECT_EQ(PH_OK, ph_env_step(env.env, (const double[]){0.1, 0.1}, &out));
  EXPECT_FALSE(out.done);
}

TEST(Env, ANonFinitePolicyIsNamed) {
  Model model;
  Task task(rec_task("policy = function(s) return { s.step == 2 and 0/0 or 0, 0 } end"));
  Env env(task, model);
  ph_row row;
  ph_outcome out;
  double action[2];
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(PH_OK, ph_env_policy(env.env, action));
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  }
  EXPECT_EQ(PH_EINVAL, ph_env_policy(env.env, action));
  EXPECT_NE(nullptr, strstr(ph_error(), "step 2: action[0] (a)")) << ph_error();
  ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  EXPECT_EQ(PH_END_NAN, out.end);
}

TEST(Env, PhysicsThatBlowsUpEndsAsNan) {
  Model model; /* finite, but so large that the integrator leaves the finite */
  Task task(rec_task());
  Env env(task, model);
  for (double huge : {1e300, 1e13}) {
    ph_row row;
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
    run_constant(env.env, 0.1, 0.1, 3);
    Rollout r;
    ph_outcome out = run_constant(env.env, huge, 0, 10, &r);
    EXPECT_TRUE(out.done);
    EXPECT_EQ(PH_END_NAN, out.end) << huge;
    EXPECT_EQ(0, strncmp(out.detail, "step ", 5)) << out.detail;
    EXPECT_EQ(nullptr, strchr(out.detail, '\n'));
    for (auto &state : r.columns[PH_COL_STATES])
      for (size_t i = 0; i < state.size() / sizeof(double); i++)
        EXPECT_TRUE(std::isfinite(reinterpret_cast<const double *>(state.data())[i]));
  }
}

TEST(Env, AResetThatLeavesNanIsNamedWithItsElement) {
  Model model;
  Task task(rec_task("reset = function(env) env.qvel.b = 0/0 end"));
  Task ctrl(rec_task("reset = function(env) env.ctrl.pb = 1/0 end"));
  Env a(task, model), b(ctrl, model);
  ph_row row;
  ph_outcome out;
  double action[2] = {0, 0};
  EXPECT_EQ(PH_EINVAL, ph_env_reset(a.env, 1, &row));
  EXPECT_NE(nullptr, strstr(ph_error(), "qvel")) << ph_error();
  EXPECT_EQ(PH_EINVAL, ph_env_step(a.env, action, &out));
  EXPECT_EQ(PH_EINVAL, ph_env_reset(b.env, 1, &row));
  EXPECT_NE(nullptr, strstr(ph_error(), "pb")) << ph_error();
  Task far(rec_task("reset = function(env) env.qpos.a = 1e20 end"));
  Env c(far, model);
  EXPECT_EQ(PH_EINVAL, ph_env_reset(c.env, 1, &row)) << "finite, but no engine takes it";
  EXPECT_EQ(nullptr, row.state);
  EXPECT_NE(nullptr, strstr(ph_error(), "reset: ")) << ph_error();
  Task caught(rec_task("reset = function(env) pcall(function() env.qpos.a = 0/0 end)\n"
                       "  error('something else') end"));
  Env d(caught, model);
  EXPECT_EQ(PH_ETASK, ph_env_reset(d.env, 1, &row)) << "that is not why it ends";
}

TEST(Env, ScriptErrorsNameTheStep) {
  Model model;
  Task task(rec_task("reward = function(s) return s.step < 4 and 0 or s.joint.nothing end"));
  Env env(task, model);
  ph_row row;
  ph_outcome out;
  double action[2] = {0, 0};
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  for (int i = 0; i < 3; i++)
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  EXPECT_EQ(PH_ETASK, ph_env_step(env.env, action, &out));
  EXPECT_NE(nullptr, strstr(ph_error(), "step 4")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "t.lua")) << ph_error();
  EXPECT_EQ(PH_EINVAL, ph_env_step(env.env, action, &out)) << "must be reset first";
  Task odd(rec_task("reset = function(env) env.qpos.nothing = 1 end"));
  Env bad(odd, model);
  EXPECT_EQ(PH_ETASK, ph_env_reset(bad.env, 1, &row));
}

TEST(Env, EditsAreListedAndUndone) {
  Model model;
  Task task(rec_task("reset = function(env, rng) if rng() < 0.5 then env.model.body.arm.pos = "
                     "{0, rng(), 0.5}; env.model.geom.ball.friction = {0.2, 0.1, 0.1} end; "
                     "env.eq_active.grab = true end"));
  Env env(task, model);
  int with = 0, without = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    ph_row row;
    size_t n = 0;
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, seed, &row));
    const ph_edit *edits = ph_env_edits(env.env, &n);
    if (n == 0) {
      without++;
      continue;
    }
    with++;
    ASSERT_EQ(2u, n) << "state such as eq_active is no edit";
    for (size_t i = 0; i < n; i++) {
      EXPECT_TRUE(!strcmp(edits[i].field, "body_pos") || !strcmp(edits[i].field, "geom_friction"))
          << edits[i].field;
    }
  }
  EXPECT_GT(with, 0);
  EXPECT_GT(without, 0);
}

TEST(Env, ClippedActionsAreFlagged) {
  Model model;
  Task task(rec_task("actions = { { type = 'ctrl', actuators = { 'p.' } } }, "
                     "action_range = { min = {-1, -1}, max = {1, 1} }"));
  Env env(task, model);
  ph_row row;
  ph_outcome out;
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  ASSERT_EQ(PH_OK, ph_env_step(env.env, (const double[]){0.5, 0.5}, &out));
  EXPECT_EQ(0, out.flags);
  ASSERT_EQ(PH_OK, ph_env_step(env.env, (const double[]){3.0, 0.5}, &out));
  EXPECT_EQ(PH_FLAG_CLIPPED, out.flags);
}

TEST(Env, ATaskWithoutConditionsHasNoPredicateAndNoPolicy) {
  Model model;
  const char *source = "return { name = 'bare', control_steps = 2 }";
  Task task(source);
  Env env(task, model);
  ph_row row;
  ph_outcome out;
  double action[2] = {0, 0};
  EXPECT_EQ(PH_EINVAL, ph_env_step(env.env, action, &out)) << "not reset yet";
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row)) << ph_error();
  EXPECT_EQ(nullptr, row.predicate);
  EXPECT_EQ(PH_ENOTFOUND, ph_env_policy(env.env, action));
  ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  EXPECT_EQ(nullptr, out.row.predicate);
  EXPECT_EQ(0.0, out.reward);
  EXPECT_DOUBLE_EQ(0.004, ph_env_control_dt(env.env));
  EXPECT_DOUBLE_EQ(0.004, out.row.state[0]);
}

/* Every message that begins with the task: its name, or where it has none its file. */
TEST(Env, ATaskWithoutANameIsCalledByItsFile) {
  Model model;
  const struct {
    const char *more, *after;
  } cases[] = {
      {"", ": the task has no policy"},
      {"policy = function(s, rng) return {0, 0/0} end", ": policy: step 0: action[1] "},
      {"reward = function(s) error('no') end", ": step 1: "},
  };
  for (const auto &c : cases)
    for (const char *name : {"", "name = 'named', "}) {
      string source = string("return { ") + name + "control_steps = 2, " + c.more + " }";
      Task task(source.c_str());
      Env env(task, model);
      ph_row row;
      ph_outcome out;
      double action[2] = {0, 0};
      ph_status status = ph_env_reset(env.env, 1, &row);
      if (status == PH_OK)
        status = ph_env_policy(env.env, action);
      string error = ph_error();
      if (status == PH_ENOTFOUND && strstr(c.more, "reward"))
        status = ph_env_step(env.env, action, &out), error = ph_error();
      EXPECT_NE(PH_OK, status) << source;
      EXPECT_EQ(0u, error.find((*name ? "named" : "t.lua") + string(c.after))) << error;
    }
}

} // namespace
