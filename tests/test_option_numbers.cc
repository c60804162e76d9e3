// Numbers of the public option structs that no call can mean anything with.
#include <climits>
#include <cmath>
#include <functional>

#include "rec_help.h"

#include <playhead/playhead.h>

namespace {

const double kNan = std::nan(""), kInf = std::numeric_limits<double>::infinity();

struct Case {
  const char *what;
  ph_status expected;
  std::function<ph_status()> call;
};

class OptionNumbers : public testing::Test {
protected:
  OptionNumbers()
      : judged(rec_task("success = function(s) return s.joint.a > 0 end")), plain(rec_task()) {}
  ph_status MakeEnv(double hold, const Task &task) {
    const ph_env_options opt = {hold};
    ph_env *env = nullptr;
    ph_status status = ph_env_create(&env, task.task, model.model, &opt);
    EXPECT_EQ(status == PH_OK, env != nullptr);
    ph_env_free(env);
    return status;
  }
  ph_status MakeEnvs(double hold, int n, int threads) {
    ph_envs_options opt = PH_ENVS_OPTIONS_INIT;
    ph_envs *envs = nullptr;
    opt.hold_seconds = hold;
    opt.threads = threads;
    ph_status status = ph_envs_create(&envs, n, judged.task, model.model, &opt);
    ph_envs_free(envs);
    return status;
  }
  ph_status MakeLive(double hold, size_t room = 0) {
    ph_live_options opt = PH_LIVE_OPTIONS_INIT;
    ph_live *live = nullptr;
    opt.hold_seconds = hold;
    opt.room = room;
    ph_status status = ph_live_open(&live, judged.task, model.model, &opt);
    ph_live_free(live);
    return status;
  }
  ph_status MakePool(const std::function<void(ph_pool_options &)> &set) {
    ph_pool_options opt = PH_POOL_OPTIONS_INIT;
    ph_pool *pool = nullptr;
    set(opt);
    ph_status status = ph_pool_create(&pool, judged.task, model.model, &opt);
    ph_pool_free(pool);
    return status;
  }
  ph_status MakeRecorder(const std::function<void(ph_recorder_options &)> &set, bool task = false) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    ph_recorder *rec = nullptr;
    TempDir dir;
    opt.task = task ? judged.task : nullptr;
    opt.control_steps = 1;
    set(opt);
    std::string path = dir.path + "/run";
    ph_status status = ph_recorder_open(&rec, path.c_str(), model.model, &opt);
    if (rec != nullptr)
      ph_recorder_close(rec, nullptr);
    EXPECT_FALSE(std::filesystem::exists(path)) << "where nothing was recorded nothing is left";
    return status;
  }
  ph_status MakePolicy(double timeout) {
    ph_policy_options opt = PH_POLICY_OPTIONS_INIT;
    ph_policy *policy = nullptr;
    opt.timeout = timeout;
    ph_status status = ph_policy_open(&policy, "cat", &opt);
    ph_policy_close(policy);
    return status;
  }
  ph_status MakeJudge(double timeout) {
    ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
    ph_judge *judge = nullptr;
    opt.timeout = timeout;
    ph_status status = ph_judge_open(&judge, "cat", &opt);
    ph_judge_close(judge);
    return status;
  }
  ph_status Check(int episodes, int64_t steps) {
    ph_check_options opt = PH_CHECK_OPTIONS_INIT;
    ph_check *check = nullptr;
    opt.episodes = episodes;
    opt.steps = steps;
    ph_status status = ph_task_check(&check, judged.task, model.model, &opt);
    ph_check_free(check);
    return status;
  }
  static void Expect(const std::vector<Case> &cases) {
    for (const Case &c : cases) {
      ph_status status = c.call();
      EXPECT_EQ(status, c.expected) << c.what << ": " << (status == PH_OK ? "" : ph_error());
      if (status != PH_OK) {
        EXPECT_NE(std::string(ph_error()), "") << c.what;
      }
    }
  }
  Model model;
  Task judged, plain;
};

TEST_F(OptionNumbers, Hold) {
  Expect({
      {"env nan", PH_EINVAL, [&] { return MakeEnv(kNan, judged); }},
      {"env -nan", PH_EINVAL, [&] { return MakeEnv(-kNan, judged); }},
      {"env inf", PH_EINVAL, [&] { return MakeEnv(kInf, judged); }},
      {"env huge", PH_EINVAL, [&] { return MakeEnv(1e300, judged); }},
      {"env tiny", PH_EINVAL, [&] { return MakeEnv(1e-9, judged); }},
      {"env 0", PH_OK, [&] { return MakeEnv(0, judged); }},
      {"env -0", PH_OK, [&] { return MakeEnv(-0.0, judged); }},
      {"env negative: the task's", PH_OK, [&] { return MakeEnv(-1e300, judged); }},
      {"env nan, no success", PH_EINVAL, [&] { return MakeEnv(kNan, plain); }},
      {"env inf, no success", PH_EINVAL, [&] { return MakeEnv(kInf, plain); }},
      {"envs nan", PH_EINVAL, [&] { return MakeEnvs(kNan, 2, 1); }},
      {"envs inf", PH_EINVAL, [&] { return MakeEnvs(kInf, 2, 1); }},
      {"envs negative", PH_OK, [&] { return MakeEnvs(-1, 2, 1); }},
      {"live nan", PH_EINVAL, [&] { return MakeLive(kNan); }},
      {"live inf", PH_EINVAL, [&] { return MakeLive(kInf); }},
      {"live negative", PH_OK, [&] { return MakeLive(-1); }},
      {"pool nan", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.hold_seconds = kNan; }); }},
      {"pool inf", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.hold_seconds = kInf; }); }},
      {"recorder nan", PH_EINVAL,
       [&] { return MakeRecorder([](ph_recorder_options &o) { o.hold_seconds = kNan; }); }},
      {"recorder inf", PH_EINVAL,
       [&] { return MakeRecorder([](ph_recorder_options &o) { o.hold_seconds = kInf; }); }},
      {"recorder nan, of a task", PH_EINVAL,
       [&] { return MakeRecorder([](ph_recorder_options &o) { o.hold_seconds = kNan; }, true); }},
      {"recorder inf, of a task", PH_EINVAL,
       [&] { return MakeRecorder([](ph_recorder_options &o) { o.hold_seconds = kInf; }, true); }},
      {"recorder of a task", PH_OK,
       [&] { return MakeRecorder([](ph_recorder_options &) {}, true); }},
  });
}

TEST_F(OptionNumbers, Counts) {
  Expect({
      {"envs of none", PH_EINVAL, [&] { return MakeEnvs(-1, 0, 1); }},
      {"envs of -1", PH_EINVAL, [&] { return MakeEnvs(-1, -1, 1); }},
      {"envs of INT_MAX", PH_EINVAL, [&] { return MakeEnvs(-1, INT_MAX, 1); }},
      {"envs on -1 threads", PH_EINVAL, [&] { return MakeEnvs(-1, 1, -1); }},
      {"envs on INT_MAX threads", PH_EINVAL, [&] { return MakeEnvs(-1, 1, INT_MAX); }},
      {"live of a byte", PH_OK, [&] { return MakeLive(-1, 1); }},
      {"live of all there is", PH_OK, [&] { return MakeLive(-1, SIZE_MAX); }},
      {"pool of none", PH_EINVAL, [&] { return MakePool([](ph_pool_options &o) { o.envs = 0; }); }},
      {"pool of -1", PH_EINVAL, [&] { return MakePool([](ph_pool_options &o) { o.envs = -1; }); }},
      {"pool of INT_MAX", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.envs = INT_MAX; }); }},
      {"pool of -1 episodes", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.episodes = -1; }); }},
      {"pool of INT64_MAX episodes", PH_OK,
       [&] { return MakePool([](ph_pool_options &o) { o.episodes = INT64_MAX; }); }},
      {"pool of -1 jobs", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.jobs = -1; }); }},
      {"pool of INT_MAX jobs", PH_EINVAL,
       [&] { return MakePool([](ph_pool_options &o) { o.jobs = INT_MAX; }); }},
      {"check of no episodes", PH_EINVAL, [&] { return Check(0, 100); }},
      {"check of -1 episodes", PH_EINVAL, [&] { return Check(-1, 100); }},
      {"check of INT_MAX episodes", PH_EINVAL, [&] { return Check(INT_MAX, 100); }},
      {"check of no steps", PH_EINVAL, [&] { return Check(1, 0); }},
      {"check of INT64_MIN steps", PH_EINVAL, [&] { return Check(1, INT64_MIN); }},
      {"check of INT64_MAX steps", PH_OK, [&] { return Check(1, INT64_MAX); }},
  });
}

TEST_F(OptionNumbers, SizesOfARecorder) {
  auto with = [&](int steps, int dim, int state, bool substeps = false) {
    return MakeRecorder([=](ph_recorder_options &o) {
      o.control_steps = steps;
      o.action_dim = dim;
      o.action_state = state;
      o.ctrl_substeps = substeps;
    });
  };
  Expect({
      {"plain", PH_OK, [&] { return with(1, 0, 0); }},
      {"no control_steps", PH_EINVAL, [&] { return with(0, 0, 0); }},
      {"control_steps -1", PH_EINVAL, [&] { return with(-1, 0, 0); }},
      {"control_steps INT_MIN", PH_EINVAL, [&] { return with(INT_MIN, 0, 0); }},
      {"action_dim -1", PH_EINVAL, [&] { return with(1, -1, 0); }},
      {"action_dim INT_MIN", PH_EINVAL, [&] { return with(1, INT_MIN, 0); }},
      {"action_dim INT_MAX", PH_EINVAL, [&] { return with(1, INT_MAX, 0); }},
      {"action_state -1", PH_EINVAL, [&] { return with(1, 2, -1); }},
      {"action_state INT_MAX", PH_EINVAL, [&] { return with(1, 2, INT_MAX); }},
      {"control_steps INT_MAX", PH_EINVAL, [&] { return with(INT_MAX, 0, 0); }},
      {"ctrl of INT_MAX substeps", PH_EINVAL, [&] { return with(INT_MAX, 0, 0, true); }},
      {"as many as a journal can name", PH_OK, [&] { return with(1 << 24, 2, 1); }},
      {"one more", PH_EINVAL, [&] { return with((1 << 24) + 1, 2, 1); }},
  });
}

TEST_F(OptionNumbers, Times) {
  for (double timeout : {kNan, -kNan, kInf, -kInf, 0.0, -0.0, -1.0, -1e300}) {
    EXPECT_EQ(MakePolicy(timeout), PH_EINVAL) << timeout;
    EXPECT_EQ(MakeJudge(timeout), PH_EINVAL) << timeout;
  }
  for (double timeout : {1e-300, 1e300}) {
    EXPECT_EQ(MakePolicy(timeout), PH_OK) << ph_error();
    EXPECT_EQ(MakeJudge(timeout), PH_OK) << ph_error();
  }
}

} // namespace
