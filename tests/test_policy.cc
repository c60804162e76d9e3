// A command that chooses the actions: what it is told, what it may answer, and runs with it.
#include <atomic>

#include "pool_help.h"
#include "program_help.h"

extern "C" {
#include "json.h"
#include "probe_child.h"
}

using std::string;

namespace {

/* What has no name, and joints of all kinds. */
const char kXml[] =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body name='cart'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
    "<geom size='.1' mass='1'/></body>"
    "<body name='lone'><joint type='hinge'/><geom size='.1' mass='1'/></body>"
    "<body name='ball' pos='0 0 2'><freejoint name='ball'/><geom size='.1' mass='1'/>"
    "<body name='eye'><joint name='look &quot;x&quot;' type='ball'/><geom size='.1' "
    "mass='1'/></body>"
    "</body></worldbody>"
    "<actuator><motor joint='look &quot;x&quot;'/></actuator>"
    "<sensor><framepos name='where' objtype='body' objname='ball'/><clock/></sensor></mujoco>";

const char kTask[] =
    "return { name = 't', control_steps = 3, max_steps = 100,\n"
    "  reset = function(env, rng) env.qpos.ball = {rng(), 1/3, 2, 1, 0, 0, 0} end,\n"
    "  readouts = { z = function(s) return s.body.ball.z / 3 end,\n"
    "    half = function(s) return s.step / 2 end } }";

struct Policy {
  ph_policy *policy = nullptr;
  ph_status opened;
  explicit Policy(const string &command, double timeout = 20, bool (*cancel)(void *) = nullptr) {
    ph_policy_options opt = {timeout, cancel, nullptr};
    opened = ph_policy_open(&policy, command.c_str(), &opt);
  }
  ~Policy() { ph_policy_close(policy); }
  Policy(const Policy &) = delete;
};

class Policies : public program_help::Programs {
protected:
  void TearDown() override {
    ph_server_end(); // the library's own child is not of the commands
    Programs::TearDown();
  }
  /* The program says what it got, line by line, into a file, and answers with that. */
  string Listener(const string &answer) {
    return Python("import sys\n"
                  "log = open('" +
                  Path("log") +
                  "', 'w')\n"
                  "for n, line in enumerate(sys.stdin):\n"
                  "  log.write(line); log.flush()\n"
                  "  if n: print('" +
                  answer + "')\n");
  }
  std::vector<json_t *> Lines() {
    std::vector<json_t *> lines;
    std::ifstream in(top / "log");
    for (string line; std::getline(in, line);) {
      json_error_t why;
      lines.push_back(json_loads(line.c_str(), 0, &why));
      EXPECT_NE(lines.back(), nullptr) << why.text << ": " << line;
    }
    return lines;
  }
  /* The first answer is refused or does not come. */
  void ExpectFault(const string &command, const string &part, ph_status expected = PH_EFORMAT,
                   double timeout = 20) {
    Model model(kXml);
    Task task(kTask);
    Env env(task, model);
    Policy policy(command, timeout);
    ph_row row;
    double action = 7;
    ASSERT_EQ(ph_env_reset(env.env, 1, &row), PH_OK) << ph_error();
    EXPECT_EQ(ph_policy_ask(policy.policy, 0, 0, 1, env.env, &action), expected) << command;
    string error = ph_error();
    EXPECT_NE(error.find(part), string::npos) << command << ": " << error;
    EXPECT_EQ(error.rfind("step 0: policy: " + command.substr(0, 20), 0), 0u) << error;
    EXPECT_EQ(ph_policy_ask(policy.policy, 1, 0, 1, env.env, &action), PH_ECANCELED);
  }
};

string Names(json_t *list) {
  string names;
  size_t i;
  json_t *value;
  json_array_foreach(list, i, value) {
    const char *name =
        json_string_value(json_is_object(value) ? json_object_get(value, "name") : value);
    names += string(i ? "|" : "") + (name != nullptr ? name : "?");
  }
  return names;
}

/* The bits of a number or a list, as they come back from the text. */
std::vector<double> Numbers(json_t *value) {
  std::vector<double> numbers;
  if (!json_is_array(value))
    return {json_number_value(value)};
  size_t i;
  json_t *number;
  json_array_foreach(value, i, number) numbers.push_back(json_number_value(number));
  return numbers;
}

void ExpectBits(json_t *object, const char *name, const double *expected, size_t n) {
  json_t *value = json_object_get(object, name);
  ASSERT_NE(value, nullptr) << name;
  EXPECT_EQ(json_is_array(value), n > 1) << name;
  std::vector<double> numbers = Numbers(value);
  ASSERT_EQ(numbers.size(), n) << name;
  EXPECT_EQ(memcmp(numbers.data(), expected, n * sizeof(double)), 0) << name;
}

TEST_F(Policies, TheFirstLineSaysWhatThereIs) {
  Model model(kXml);
  Task task(kTask);
  Env env(task, model);
  {
    Policy policy(Listener("[0.25]"));
    ph_row row;
    double action = 0;
    ASSERT_EQ(ph_env_reset(env.env, 1, &row), PH_OK) << ph_error();
    ASSERT_EQ(ph_policy_ask(policy.policy, 0, 0, 1, env.env, &action), PH_OK) << ph_error();
    EXPECT_EQ(action, 0.25);
  }
  auto lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  json_t *first = lines[0];
  EXPECT_STREQ(json_string_value(json_object_get(first, "protocol")), "playhead-policy");
  EXPECT_EQ(json_integer_value(json_object_get(first, "version")), 1);
  EXPECT_STREQ(json_string_value(json_object_get(first, "task")), "t");
  EXPECT_EQ(json_number_value(json_object_get(first, "control_dt")), ph_env_control_dt(env.env));
  EXPECT_EQ(json_array_size(json_object_get(first, "action")), 1u);
  EXPECT_EQ(Names(json_object_get(first, "joints")), "joint 0|joint 1|lone|ball|look \"x\"")
      << "two joints of one body have not one name";
  EXPECT_EQ(Names(json_object_get(first, "actuators")), "actuator 0");
  EXPECT_EQ(Names(json_object_get(first, "sensors")), "where|sensor 1");
  EXPECT_EQ(Names(json_object_get(first, "readouts")), "half|z");
  for (json_t *line : lines)
    json_decref(line);
}

TEST_F(Policies, EachLineHasTheBitsOfTheState) {
  Model model(kXml);
  Task task(kTask);
  Env env(task, model);
  std::vector<Rollout> states(2);
  {
    Policy policy(Listener("[-1e-3]"));
    for (int episode = 0; episode < 2; episode++) {
      ph_row row;
      ph_outcome out = {};
      ASSERT_EQ(ph_env_reset(env.env, 5 + episode, &row), PH_OK) << ph_error();
      keep_row(states[episode], row, *ph_env_dims(env.env));
      for (int step = 0; step < 4; step++) {
        double action = 0;
        ASSERT_EQ(ph_policy_ask(policy.policy, 3, episode, 18446744073709551615u, env.env, &action),
                  PH_OK)
            << ph_error();
        EXPECT_EQ(action, -1e-3);
        ASSERT_EQ(ph_env_step(env.env, &action, &out), PH_OK) << ph_error();
        keep_row(states[episode], out.row, *ph_env_dims(env.env));
      }
    }
  }
  auto lines = Lines();
  ASSERT_EQ(lines.size(), 9u);
  for (int i = 0; i < 8; i++) {
    json_t *line = lines[1 + i];
    int step = i % 4;
    const double *state = states[i / 4].state(step), *qpos = state + 1, *qvel = qpos + 14;
    EXPECT_EQ(json_integer_value(json_object_get(line, "env")), 3);
    EXPECT_EQ(json_integer_value(json_object_get(line, "episode")), i / 4);
    EXPECT_EQ(json_integer_value(json_object_get(line, "step")), step);
    EXPECT_STREQ(json_string_value(json_object_get(line, "seed")), "18446744073709551615");
    EXPECT_EQ(json_is_true(json_object_get(line, "reset")), step == 0);
    ExpectBits(line, "time", state, 1);
    json_t *p = json_object_get(line, "qpos"), *v = json_object_get(line, "qvel");
    ExpectBits(p, "joint 1", qpos + 1, 1);
    ExpectBits(p, "lone", qpos + 2, 1);
    ExpectBits(p, "ball", qpos + 3, 7);
    ExpectBits(p, "look \"x\"", qpos + 10, 4);
    ExpectBits(v, "joint 0", qvel, 1);
    ExpectBits(v, "ball", qvel + 3, 6);
    ExpectBits(v, "look \"x\"", qvel + 9, 3);
    double ctrl = step ? -1e-3 : 0, half = step / 2.0;
    ExpectBits(json_object_get(line, "ctrl"), "actuator 0", &ctrl, 1);
    ExpectBits(json_object_get(line, "readouts"), "half", &half, 1);
    ExpectBits(json_object_get(line, "sensors"), "sensor 1", state, 1);
    EXPECT_EQ(json_array_size(json_object_get(json_object_get(line, "sensors"), "where")), 3u);
    json_decref(line);
  }
  json_decref(lines[0]);
}

TEST_F(Policies, WhatIsNoAnswerIsRefusedAndNamed) {
  const string ask = "read h; read q; ", stay = "; cat > /dev/null";
  auto says = [&](const string &text) { return ask + "echo '" + text + "'" + stay; };
  ExpectFault(says("nonsense"),
              "its answer is no list of 1 numbers: invalid token near 'nonsense'");
  ExpectFault(says(""), "its answer is no list of 1 numbers: ");
  ExpectFault(says("0.5"), "its answer is no list of 1 numbers: \"0.5\"");
  ExpectFault(says("{\"a\": 1}"), "its answer is no list of 1 numbers: \"{\"a\": 1}\"");
  ExpectFault(says("[]"), "its answer is a list of 0, not of 1 numbers");
  ExpectFault(says("[1, 2]"), "its answer is a list of 2, not of 1 numbers");
  ExpectFault(says("[NaN]"), "near 'NaN'");
  ExpectFault(says("[Infinity]"), "near 'Infinity'");
  ExpectFault(says("[-Infinity]"), "its answer is no list of 1 numbers: ");
  ExpectFault(says("[1e999]"), "real number overflow");
  ExpectFault(says("[null]"), "action[0] of its answer is no number: \"[null]\"");
  ExpectFault(says("[true]"), "action[0] of its answer is no number");
  ExpectFault(says("[\"1\"]"), "action[0] of its answer is no number");
  ExpectFault(says("[[1]]"), "action[0] of its answer is no number");
  ExpectFault(says("[1"), "its answer is no list of 1 numbers");
  ExpectFault(says("[1] [2]"), "its answer is no list of 1 numbers: end of file expected");
  ExpectFault(Python("import sys\nh, q = sys.stdin.readline(), sys.stdin.readline()\n"
                     "print('[1\\0]')\nsys.stdin.read()"),
              "its answer is no list of 1 numbers: there is a byte 0 in it");
  ExpectFault(ask + "printf '\\377\\376\\n'" + stay, "its answer is no list of 1 numbers");
  ExpectFault(Python("import sys\nh, q = sys.stdin.readline(), sys.stdin.readline()\n"
                     "print('[' * 4000)\nsys.stdin.read()"),
              "maximum parsing depth reached");
}

TEST_F(Policies, OneThatDoesNotAnswerIsNamed) {
  ExpectFault("read h; read q; exit 9", "it ended with status 9", PH_EIO);
  ExpectFault("no-such-policy", "it ended with status 127: ", PH_EIO);
  ExpectFault("read h; read q; yes '[1]'", "it wrote more than one line: \"[1]\"", PH_EIO);
  ExpectFault("read h; read q; exec tr '\\0' 1 < /dev/zero", "it wrote a line of more than ",
              PH_EIO);
  ExpectFault(Python("import sys, math\nfor line in sys.stdin: math.sqrt(-1)"),
              "it ended with status 1: ValueError: math domain error", PH_EIO);
}

TEST_F(Policies, WholeNumbersAreTaken) {
  Model model(kXml);
  Task task(kTask);
  Env env(task, model);
  Policy policy("read h; while read q; do echo ' [ -3 ] '; done");
  ph_row row;
  double action = 0;
  ASSERT_EQ(ph_env_reset(env.env, 1, &row), PH_OK);
  ASSERT_EQ(ph_policy_ask(policy.policy, 0, 0, 1, env.env, &action), PH_OK) << ph_error();
  EXPECT_EQ(action, -3);
}

TEST_F(Policies, WhatIsNoCommandIsRefused) {
  EXPECT_EQ(Policy(" ").opened, PH_EINVAL);
  EXPECT_EQ(Policy("cat", 0).opened, PH_EINVAL);
}

/* --- runs --- */

/* A policy whose answer is a function of its line. */
const char kPure[] =
    "import sys, json, math, random\n"
    "for text in sys.stdin:\n"
    "  line = json.loads(text)\n"
    "  if 'protocol' in line: continue\n"
    "  rng = random.Random(line['seed'] + str(line['step']))\n"
    "  print(json.dumps([0.4 * math.sin(0.3 * line['step']) + 0.1 * rng.random(),\n"
    "                    line['qpos']['a']]))\n";

ph_status Ask(void *user, int env_id, int64_t episode, ph_env *env, double *action) {
  return ph_policy_ask(static_cast<ph_policy *>(user), env_id, episode,
                       ph_env_seed(3, env_id, episode), env, action);
}

ph_pool_options With(const Policy &policy, int envs, int64_t episodes, int jobs) {
  ph_pool_options opt = Pool::options(envs, episodes, jobs);
  opt.policy = Ask;
  opt.policy_user = policy.policy;
  return opt;
}

TEST_F(Policies, ARunIsTheSameWhateverJobsIs) {
  Model model;
  Task task(pool_task(30));
  std::vector<string> hashes;
  for (int jobs : {1, 3}) {
    Policy policy(Python(kPure));
    string run = Path("run" + std::to_string(jobs));
    ph_tally tally = record(run, task, model, With(policy, 3, 6, jobs));
    EXPECT_EQ(tally.commits, 6);
    hashes.push_back(content_hash(run));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST_F(Policies, TheEpisodeOfOneThatDiesIsKept) {
  Model model;
  Task task(rec_task());
  // The seventh question is not answered.
  Policy policy(Python("import sys\n"
                       "for n, line in enumerate(sys.stdin):\n"
                       "  if n == 7: raise RuntimeError('out of ideas')\n"
                       "  if n: print('[0.1, 0.2]')\n"));
  string run = Path("run");
  Pool pool(task, model, With(policy, 1, 2, 1));
  ASSERT_EQ(pool.created, PH_OK) << ph_error();
  {
    Recorder rec(run, task, model, pool);
    EXPECT_EQ(ph_pool_run(pool.pool, rec.rec), PH_EIO);
    string error = ph_error();
    EXPECT_EQ(error.rfind("env 0 episode 0: step 6: policy: exec ", 0), 0u) << error;
    EXPECT_NE(error.find("it ended with status 1: RuntimeError: out of ideas"), string::npos)
        << error;
    rec.close();
  }
  ASSERT_EQ(pool.told.size(), 1u);
  EXPECT_EQ(pool.told[0].e.actions, 6);
  EXPECT_EQ(pool.told[0].e.end, PH_END_ABORTED);
  EXPECT_EQ(pool.told[0].detail.rfind("step 6: policy: ", 0), 0u) << pool.told[0].detail;
  Store store(run);
  ASSERT_EQ(store.count(), 1u);
  EXPECT_EQ(ph_store_entry(store.store, 0)->actions, 6);
}

TEST_F(Policies, OneEnvTellsOfItAndTheOthersAreAborted) {
  Model model;
  Task task(rec_task());
  Policy policy(Python("import sys\n"
                       "for n, line in enumerate(sys.stdin):\n"
                       "  if n == 40: break\n"
                       "  if n: print('[0.1, 0.2]')\n"));
  Pool pool(task, model, With(policy, 4, 8, 4));
  ASSERT_EQ(pool.created, PH_OK) << ph_error();
  Recorder rec(Path("run"), task, model, pool);
  EXPECT_EQ(ph_pool_run(pool.pool, rec.rec), PH_EIO);
  rec.close();
  int blamed = 0;
  int64_t actions = 0;
  for (const Told &told : pool.told) {
    blamed += told.error != "";
    actions += told.e.actions;
    EXPECT_EQ(told.e.end, PH_END_ABORTED);
    if (told.error == "") {
      EXPECT_EQ(told.detail.rfind("the run ended with an error of env ", 0), 0u) << told.detail;
    }
  }
  EXPECT_EQ(blamed, 1);
  EXPECT_EQ(actions, 39) << "every answer is a step that is kept";
}

std::atomic<bool> asked_to_stop;

TEST_F(Policies, ARunThatIsStoppedWhileItWaitsKeepsWhatThereIs) {
  Model model;
  Task task(rec_task());
  Policy policy(Python("import sys, time\n"
                       "for n, line in enumerate(sys.stdin):\n"
                       "  if n == 5: time.sleep(1000)\n"
                       "  if n: print('[0.1, 0.2]')\n"),
                600, [](void *) { return asked_to_stop.load(); });
  Pool pool(task, model, With(policy, 1, 2, 1));
  Recorder rec(Path("run"), task, model, pool);
  asked_to_stop = false;
  std::thread stop([&] {
    while (pool.progress().steps < 4)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    asked_to_stop = true;
  });
  EXPECT_EQ(ph_pool_run(pool.pool, rec.rec), PH_OK) << ph_error();
  stop.join();
  rec.close();
  ASSERT_EQ(pool.told.size(), 1u);
  EXPECT_EQ(pool.told[0].e.actions, 4);
  EXPECT_EQ(pool.told[0].e.end, PH_END_ABORTED);
  EXPECT_EQ(pool.told[0].detail, "interrupted");
  EXPECT_EQ(pool.told[0].error, "");
}

} // namespace
