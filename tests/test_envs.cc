/* Many envs at once are each what one is alone, whatever the threads, and whatever befalls others.
 */
#include <cmath>

#include "rec_help.h"

namespace {

struct Envs {
  ph_envs *envs = nullptr;
  int n, width;
  size_t dim, nreadouts;
  std::vector<double> actions;
  std::vector<uint64_t> seeds;
  Envs(int count, const Task &task, const Model &model, int threads, bool autoreset = false,
       bool no_readouts = false)
      : n(count) {
    ph_envs_options opt = {-1.0, threads, autoreset, no_readouts};
    EXPECT_EQ(PH_OK, ph_envs_create(&envs, n, task.task, model.model, &opt)) << ph_error();
    width = ph_envs_width(envs);
    dim = static_cast<size_t>(ph_envs_dims(envs)->action_dim);
    nreadouts = ph_envs_nreadouts(envs);
    actions.resize(static_cast<size_t>(n) * dim);
    for (int i = 0; i < n; i++)
      seeds.push_back(ph_env_seed(11, i, 0));
  }
  ~Envs() { ph_envs_free(envs); }
  Envs(const Envs &) = delete;
};

template <typename T> void put(std::string &out, const T *array, size_t first, size_t n) {
  out.append(reinterpret_cast<const char *>(array + first), n * sizeof(T));
}

/* All that there is to know of env i after a call, byte for byte. */
std::string bytes_of(const Envs &e, const ph_envs_outcome &out, int at) {
  std::string s;
  size_t i = static_cast<size_t>(at), w = static_cast<size_t>(e.width);
  put(s, out.states, i * w, w);
  put(s, out.readouts, i * e.nreadouts, e.nreadouts);
  put(s, out.rewards, i, 1);
  for (const uint8_t *flags : {out.flags, out.terminated, out.truncated, out.success, out.stepped})
    put(s, flags, i, 1);
  put(s, out.ends, i, 1);
  put(s, ph_envs_states(e.envs), i * w, w);
  put(s, ph_envs_readouts(e.envs), i * e.nreadouts, e.nreadouts);
  put(s, ph_envs_seeds(e.envs), i, 1);
  return s + ph_envs_error(e.envs, at);
}

/* What n envs go through in that many steps. */
std::vector<std::string> run(Envs &e, int steps) {
  std::vector<std::string> all(static_cast<size_t>(e.n));
  ph_envs_outcome out;
  ph_envs_reset(e.envs, e.seeds.data(), nullptr);
  for (int k = 0; k < steps; k++) {
    ph_envs_policy(e.envs, e.actions.data());
    ph_envs_step(e.envs, e.actions.data(), &out);
    for (int i = 0; i < e.n; i++)
      all[static_cast<size_t>(i)] += bytes_of(e, out, i);
  }
  return all;
}

/* The same of one ph_env, by its own calls. */
class Alone {
public:
  Alone(const Task &task, const Model &model, int number, bool again)
      : env(task, model), i(number), autoreset(again),
        nreadouts(ph_task_info_of(task.task)->nreadouts) {
    begin(ph_env_seed(11, i, 0));
  }
  std::string step() {
    std::vector<double> action(static_cast<size_t>(ph_env_dims(env.env)->action_dim));
    uint8_t stepped = ph_env_running(env.env);
    double reward = 0;
    if (stepped != 0) {
      EXPECT_EQ(PH_OK, ph_env_policy(env.env, action.data())) << ph_error();
      EXPECT_EQ(PH_OK, ph_env_step(env.env, action.data(), &out)) << ph_error();
      reward = out.reward;
      if (out.end != PH_END_NAN)
        look(out.row);
      last_state = state;
      last_readouts = readouts;
      if (out.done && autoreset)
        begin(ph_env_seed(ph_env_seed(11, i, 0), i, ++followed));
    }
    std::string s = last_state + last_readouts;
    uint8_t flags[] = {out.flags, out.terminated, out.truncated, out.success, stepped};
    put(s, &reward, 0, 1);
    put(s, flags, 0, 5);
    put(s, &out.end, 0, 1);
    s += state + readouts;
    put(s, &seed, 0, 1);
    return s;
  }

private:
  void look(const ph_row &row) {
    std::vector<double> values(nreadouts + 1);
    state.clear();
    readouts.clear();
    put(state, row.state, 0, ph_schema_width(PH_COL_STATES, ph_env_dims(env.env)));
    EXPECT_EQ(PH_OK, ph_env_readouts(env.env, values.data())) << ph_error();
    put(readouts, values.data(), 0, nreadouts);
  }
  void begin(uint64_t from) {
    ph_row row;
    seed = from;
    EXPECT_EQ(PH_OK, ph_env_reset(env.env, seed, &row)) << ph_error();
    look(row);
  }
  Env env;
  int i;
  bool autoreset;
  size_t nreadouts;
  int64_t followed = 0;
  uint64_t seed = 0;
  ph_outcome out = {};
  std::string state, readouts, last_state, last_readouts;
};

/* A quarter of the episodes ends with success, a quarter by failure, a quarter is cut, a quarter is
 * no numbers. */
std::string many_task(const std::string &more = "") {
  return "local fate, stop = 0, 0\n" +
         rec_task("hold_seconds = 0, max_steps = 25,\n"
                  "reset = function(env, rng) env.qpos.a = 0.2 * rng()\n"
                  "  fate, stop = rng(), math.floor(3 + 15 * rng())\n"
                  "  if rng() < 0.5 then env.model.body.arm.pos = {0, 0.1 * rng(), 0.5} end end,\n"
                  "success = function(s) return fate < 0.25 and s.step >= stop end,\n"
                  "failure = function(s) return fate > 0.75 and s.step >= stop end,\n"
                  "reward = function(s) if fate > 0.25 and fate < 0.5 and s.step >= stop then\n"
                  "  return 0/0 end return s.joint.a end,\n"
                  "readouts = { tip = function(s) return s.site.tip.z end,\n"
                  "  a = function(s) return s.joint.a end },\n" +
                  more);
}

TEST(Envs, AreWhatEachIsAlone) {
  Model model;
  Task task(many_task());
  const int n = 12, steps = 50;
  for (bool autoreset : {false, true}) {
    Envs e(n, task, model, 3, autoreset);
    std::vector<std::string> all = run(e, steps);
    for (int i = 0; i < n; i++) {
      Alone alone(task, model, i, autoreset);
      std::string expected;
      for (int k = 0; k < steps; k++)
        expected += alone.step();
      EXPECT_TRUE(expected == all[static_cast<size_t>(i)]) << i << " autoreset " << autoreset;
    }
  }
}

TEST(Envs, ThreadsChangeNoBit) {
  Model model;
  Task task(many_task());
  std::vector<std::string> first;
  for (int threads : {1, 2, 40, 0}) {
    Envs e(10, task, model, threads, true);
    std::vector<std::string> all = run(e, 60);
    if (first.empty())
      first = all;
    EXPECT_TRUE(first == all) << threads;
  }
}

/* All ends are met in this task: else the two tests above look at little. */
TEST(Envs, EveryEndIsMet) {
  Model model;
  Task task(many_task());
  Envs e(24, task, model, 2, true);
  std::map<ph_end, int> ends;
  ph_envs_outcome out;
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  for (int k = 0; k < 60; k++) {
    ASSERT_EQ(PH_OK, ph_envs_policy(e.envs, e.actions.data())) << ph_error();
    ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out)) << ph_error();
    for (int i = 0; i < e.n; i++) {
      ends[out.ends[i]]++;
      EXPECT_EQ(out.ends[i] != PH_END_UNKNOWN, out.terminated[i] || out.truncated[i]);
      EXPECT_TRUE(std::isfinite(out.rewards[i]));
      for (int j = 0; j < e.width; j++)
        EXPECT_TRUE(std::isfinite(out.states[i * e.width + j]));
    }
  }
  for (ph_end end : {PH_END_SUCCESS, PH_END_TERMINATED, PH_END_TRUNCATED, PH_END_NAN})
    EXPECT_GT(ends[end], 0) << ph_end_name(end);
}

/* What gymnasium calls final_observation: the states of the outcome are those before the reset. */
TEST(Envs, TheOutcomeIsOfTheStateBeforeTheReset) {
  Model model;
  Task task(rec_task("max_steps = 4,"));
  Envs e(3, task, model, 2, true);
  ph_envs_outcome out;
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  for (int k = 1; k <= 9; k++) {
    ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
    for (int i = 0; i < e.n; i++) {
      double before = out.states[i * e.width], now = ph_envs_states(e.envs)[i * e.width];
      EXPECT_EQ(k % 4 == 0, out.truncated[i] != 0);
      EXPECT_NEAR(0.01 * ((k - 1) % 4 + 1), before, 1e-9);
      EXPECT_NEAR(0.01 * (k % 4), now, 1e-9);
      EXPECT_EQ(k < 4 ? e.seeds[static_cast<size_t>(i)]
                      : ph_env_seed(e.seeds[static_cast<size_t>(i)], i, k / 4),
                ph_envs_seeds(e.envs)[i]);
    }
  }
}

TEST(Envs, WithoutAutoresetTheOthersGoOn) {
  Model model;
  Task task(
      rec_task("max_steps = 30, failure = function(s) return s.step > 2 and s.start.joint.a > "
               "0.1 end,"));
  Envs e(8, task, model, 2);
  ph_envs_outcome out;
  std::vector<int> steps(8), over(8);
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  for (int k = 0; k < 40; k++) {
    ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
    for (int i = 0; i < 8; i++) {
      size_t at = static_cast<size_t>(i);
      EXPECT_EQ(over[at] == 0, out.stepped[i] == 1);
      steps[at] += out.stepped[i];
      over[at] = over[at] || out.terminated[i] || out.truncated[i];
      EXPECT_EQ(over[at] != 0, out.ends[i] != PH_END_UNKNOWN); /* it is still said afterwards */
    }
  }
  EXPECT_EQ(1, std::count_if(steps.begin(), steps.end(), [](int n) { return n == 3; }) > 0);
  EXPECT_EQ(1, std::count_if(steps.begin(), steps.end(), [](int n) { return n == 30; }) > 0);
  /* only those that are asked for begin anew */
  std::vector<uint8_t> which = {0, 1, 0, 0, 1, 0, 0, 0};
  std::vector<uint64_t> seeds(8, 5);
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, seeds.data(), which.data()));
  ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
  for (int i = 0; i < 8; i++) {
    EXPECT_EQ(which[static_cast<size_t>(i)], out.stepped[i]) << i;
    EXPECT_EQ(which[static_cast<size_t>(i)] != 0, ph_envs_seeds(e.envs)[i] == 5);
  }
}

/* Env 3 and 5 of eight come upon an error in their script, each with a seed of its own. */
TEST(Envs, AnErrorOfOneTouchesNoOther) {
  Model model;
  std::string bad = "reward = function(s) if s.step == 6 and s.start.joint.a > 0.1 then "
                    "error('no luck') end return s.joint.a end,";
  Task task(rec_task(bad)), good(rec_task("reward = function(s) return s.joint.a end,"));
  Envs e(8, task, model, 3), other(8, good, model, 1);
  ph_envs_outcome out, plain;
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  ASSERT_EQ(PH_OK, ph_envs_reset(other.envs, e.seeds.data(), nullptr));
  std::vector<bool> cursed;
  for (int i = 0; i < 8; i++)
    cursed.push_back(ph_envs_states(e.envs)[i * e.width + 1] > 0.1);
  int first = static_cast<int>(std::find(cursed.begin(), cursed.end(), true) - cursed.begin());
  ASSERT_LT(first, 8);
  ASSERT_TRUE(std::count(cursed.begin(), cursed.end(), false) > 0);
  for (int k = 1; k <= 12; k++) {
    ph_status status = ph_envs_step(e.envs, e.actions.data(), &out);
    ASSERT_EQ(PH_OK, ph_envs_step(other.envs, e.actions.data(), &plain));
    EXPECT_EQ(k == 6 ? PH_ETASK : PH_OK, status) << k; /* it is news once */
    if (k == 6) {
      std::string text = ph_error();
      EXPECT_EQ(0u, text.rfind("env " + std::to_string(first) + ": ", 0)) << text;
      EXPECT_NE(std::string::npos, text.find("no luck")) << text;
    }
    for (int i = 0; i < 8; i++) {
      bool failed = k >= 6 && cursed[static_cast<size_t>(i)];
      EXPECT_EQ(failed ? PH_ETASK : PH_OK, ph_envs_status(e.envs, i));
      EXPECT_EQ(failed, std::string(ph_envs_error(e.envs, i)).find("no luck") != std::string::npos);
      if (failed) {
        EXPECT_EQ(k == 6, out.stepped[i] == 1);
        EXPECT_EQ(1, out.truncated[i]);
        EXPECT_EQ(PH_END_ABORTED, out.ends[i]);
      } else {
        EXPECT_TRUE(bytes_of(e, out, i) == bytes_of(other, plain, i)) << k << " " << i;
      }
    }
  }
  ASSERT_EQ(PH_OK, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  EXPECT_EQ(PH_OK, ph_envs_status(e.envs, first));
  EXPECT_STREQ("", ph_envs_error(e.envs, first));
  ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
  EXPECT_EQ(1, out.stepped[first]);
  EXPECT_EQ(0, out.truncated[first]);
}

TEST(Envs, ResetsAndPoliciesFailOneByOne) {
  Model model;
  Task task(
      rec_task("reset = function(env, rng) if rng() < 0.5 then env.qpos.a = 0/0 end end,\n"
               "policy = function(s) if s.step == 2 and s.time > 0 then return { 0/0, 0 } end "
               "return { 0, 0 } end,"));
  Envs e(9, task, model, 2);
  ph_envs_outcome out;
  EXPECT_EQ(PH_EINVAL, ph_envs_reset(e.envs, e.seeds.data(), nullptr));
  EXPECT_NE(std::string::npos, std::string(ph_error()).find("reset")) << ph_error();
  int bad = 0;
  for (int i = 0; i < 9; i++)
    bad += ph_envs_status(e.envs, i) == PH_EINVAL;
  ASSERT_TRUE(bad > 0 && bad < 9);
  for (int k = 0; k < 2; k++) {
    ASSERT_EQ(PH_OK, ph_envs_policy(e.envs, e.actions.data()));
    ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
    for (int i = 0; i < 9; i++)
      EXPECT_EQ(ph_envs_status(e.envs, i) == PH_OK, out.stepped[i] == 1);
  }
  std::fill(e.actions.begin(), e.actions.end(), 3.0);
  EXPECT_EQ(PH_EINVAL, ph_envs_policy(e.envs, e.actions.data()));
  EXPECT_EQ(std::vector<double>(e.actions.size(), 0.0), e.actions);
  EXPECT_NE(std::string::npos, std::string(ph_error()).find("is not finite")) << ph_error();
  ASSERT_EQ(PH_OK, ph_envs_step(e.envs, e.actions.data(), &out));
  for (int i = 0; i < 9; i++) {
    EXPECT_EQ(0, out.stepped[i]);
    EXPECT_EQ(1, out.truncated[i]);
    EXPECT_EQ(PH_END_ABORTED, out.ends[i]);
  }
}

TEST(Envs, WhatIsOutOfRangeIsRefused) {
  Model model;
  Task task(rec_task()),
      strange(rec_task("actions = { { type = 'ctrl', actuators = { 'none' } } },"));
  Task idle("return { name = 'idle' }");
  ph_envs *envs = nullptr;
  for (int n : {0, -1, (1 << 20) + 1})
    EXPECT_EQ(PH_EINVAL, ph_envs_create(&envs, n, task.task, model.model, nullptr));
  for (int threads : {-1, 1025}) {
    ph_envs_options opt = PH_ENVS_OPTIONS_INIT;
    opt.threads = threads;
    EXPECT_EQ(PH_EINVAL, ph_envs_create(&envs, 1, task.task, model.model, &opt));
  }
  EXPECT_EQ(PH_EMISMATCH, ph_envs_create(&envs, 4, strange.task, model.model, nullptr));
  EXPECT_EQ(nullptr, envs);
  ph_envs_free(nullptr);
  ASSERT_EQ(PH_OK, ph_envs_create(&envs, 2, idle.task, model.model, nullptr)) << ph_error();
  double actions[4] = {};
  ph_envs_outcome out;
  EXPECT_EQ(PH_ENOTFOUND, ph_envs_policy(envs, actions));
  ASSERT_EQ(PH_OK, ph_envs_step(envs, actions, &out)); /* no episode runs: nothing is stepped */
  EXPECT_EQ(0, out.stepped[0] + out.stepped[1]);
  EXPECT_EQ(nullptr, ph_envs_env(envs, 2));
  EXPECT_EQ(nullptr, ph_envs_env(envs, -1));
  EXPECT_STREQ("", ph_envs_error(envs, 7));
  EXPECT_EQ(0u, ph_envs_nreadouts(envs));
  ph_envs_free(envs);
}

TEST(Envs, ReadoutsAreLeftOutWhereTheyAreNotWanted) {
  Model model;
  Task task(many_task("readouts = { bad = function(s) error('asked') end },"));
  Envs asked(2, task, model, 1, false, false), plain(2, task, model, 1, false, true);
  EXPECT_EQ(1u, asked.nreadouts);
  EXPECT_EQ(0u, plain.nreadouts);
  EXPECT_EQ(PH_ETASK, ph_envs_reset(asked.envs, asked.seeds.data(), nullptr));
  EXPECT_EQ(PH_OK, ph_envs_reset(plain.envs, plain.seeds.data(), nullptr)) << ph_error();
}

} // namespace
