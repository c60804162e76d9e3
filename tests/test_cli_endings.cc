// How a recording ends: errors of scripts and of the engine, signals.
#include <cstring>

#include "cli_help.h"

using namespace cli_help;

namespace {

TEST_F(Cli, NonFiniteActionsEndTheEpisodeOnly) {
  Put("cart.lua", Task("function(s, rng) if s.step >= 3 then return {0/0} end return {1} end"));
  Outcome o = Record("run", {"--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  json_t *tally = Json(o);
  json_t *e = json_array_get(json_object_get(tally, "episodes"), 0);
  EXPECT_EQ(Text(e, "end_reason"), "nan");
  EXPECT_EQ(json_integer_value(json_object_get(e, "actions")), 3);
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

TEST_F(Cli, AnEpisodeWithoutAStepIsDiscardedAndNamed) {
  Put("cart.lua", Task("function(s, rng) return {0/0} end"));
  Outcome o = Run({"record", "cart.lua", "--episodes", "2", "--out", "run", "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 2) << o.err;
  const char line[] = "env 0 episode 1: discarded, it has no step: nan: "
                      "cart: policy: step 0: action[0] (push) is not finite";
  EXPECT_NE(o.err.find(string("playhead: ") + line + "\n"), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *errors = json_object_get(tally, "errors");
  ASSERT_EQ(json_array_size(errors), 2u);
  EXPECT_STREQ(json_string_value(json_array_get(errors, 1)), line);
  EXPECT_EQ(json_array_size(json_object_get(tally, "episodes")), 0u);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "discards")), 2);
  json_decref(tally);
}

TEST_F(Cli, AScriptThatFailsKeepsWhatWasRecorded) {
  Put("cart.lua", Task("function(s, rng) if s.step >= 3 then error('tired') end return {1} end"));
  Outcome o = Record("run", {"--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("tired"), string::npos) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")),
            json_integer_value(json_object_get(tally, "commits")) +
                json_integer_value(json_object_get(tally, "discards")));
  EXPECT_GE(json_array_size(json_object_get(tally, "errors")), 1u);
  EXPECT_EQ(Text(json_array_get(json_object_get(tally, "episodes"), 0), "end_reason"), "aborted");
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

/* Env 0 starts right of the middle and env 1 left of it, by the seed 4. */
const char kTwoSides[] =
    "return { name = 'sides', model = 'cart.xml', control_steps = 2, hold_seconds = 0,\n"
    "  max_steps = 9, success = function(s) return s.step == 5 end,\n"
    "  reset = function(env, rng) env.qpos.cart = rng() - 0.5 end,\n"
    "  policy = function(s) return {0} end,\n"
    "  reward = function(s) if s.step == 5 and s.joint.cart < 0 then error('lost') end\n"
    "    return 0 end }\n";

TEST_F(Cli, AnErrorOfOneEnvTakesNothingFromTheOthers) {
  Put("cart.lua", kTwoSides);
  Outcome o = Run({"record", "cart.lua", "--envs", "2", "--episodes", "2", "--seed", "4", "--out",
                   "run", "--jobs", "1", "--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_NE(o.err.find("env 1 episode 0: sides: step 5: "), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *episodes = json_object_get(tally, "episodes");
  ASSERT_EQ(json_array_size(episodes), 2u) << o.out;
  json_t *good = json_array_get(episodes, 0), *bad = json_array_get(episodes, 1);
  EXPECT_EQ(Text(good, "id"), "env000_ep000000");
  EXPECT_EQ(Text(good, "end_reason"), "success") << "it ended before the error";
  EXPECT_TRUE(json_is_true(json_object_get(good, "success")));
  EXPECT_EQ(json_integer_value(json_object_get(good, "actions")), 5);
  EXPECT_EQ(Text(bad, "end_reason"), "aborted");
  EXPECT_EQ(json_integer_value(json_object_get(bad, "actions")), 4);
  json_t *errors = json_object_get(tally, "errors");
  ASSERT_EQ(json_array_size(errors), 1u);
  EXPECT_NE(strstr(json_string_value(json_array_get(errors, 0)), "lost"), nullptr);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")), 2) << "nothing begins any more";
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
  EXPECT_NE(Slurp(top / "run" / "env001_ep000000_4.h5").find("lost"), string::npos)
      << "end_detail holds the error";
}

TEST_F(Cli, AnEngineErrorAbortsTheEpisodeWithTheEnginesText) {
  /* Four contacts are more than its stack holds, and there are none before it falls. */
  Put("cart.xml",
      "<mujoco><size nstack='200'/><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 1'>"
      "<joint name='cart' type='slide' axis='1 0 0'/><joint name='up' type='slide' axis='0 0 1'/>"
      "<geom type='box' condim='6' size='.1 .1 .1' mass='1'/></body></worldbody>"
      "<actuator><motor name='push' joint='cart'/></actuator></mujoco>");
  Put("cart.lua", "return { name = 'odd', model = 'cart.xml', control_steps = 2, max_steps = 60,\n"
                  "  reset = function(env) env.qpos.up = -0.895 end,\n"
                  "  policy = function(s) return {0} end }\n");
  Outcome o = Run({"record", "cart.lua", "--out", "run", "--json"});
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("env 0 episode 0: odd: step 8: physics engine: "), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *e = json_array_get(json_object_get(tally, "episodes"), 0);
  EXPECT_EQ(Text(e, "end_reason"), "aborted");
  EXPECT_EQ(json_integer_value(json_object_get(e, "actions")), 7);
  EXPECT_EQ(json_array_size(json_object_get(tally, "errors")), 1u);
  json_decref(tally);
  EXPECT_NE(Slurp(top / "run" / "env000_ep000000_7.h5").find("step 8: physics engine: "),
            string::npos)
      << "end_detail holds the engine's text";
}

TEST_F(Cli, InterruptSavesWhatIsUnfinished) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 20));
  pid_t pid = Start({"record", "cart.lua", "--envs", "2", "--episodes", "100000000", "--out",
                     Path("run"), "--json"});
  for (int i = 0; i < 10000 && Slurp(top / "run" / "index").empty(); i++)
    usleep(1000);
  kill(pid, SIGINT);
  Outcome o = Wait(pid);
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")),
            json_integer_value(json_object_get(tally, "commits")) +
                json_integer_value(json_object_get(tally, "discards")));
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
  for (auto &file : fs::directory_iterator(top / "run"))
    EXPECT_EQ(file.path().string().find(".tmp"), string::npos) << file.path();
}

TEST_F(Cli, ASignalThatIsIgnoredStaysIgnored) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 5));
  for (int number : {SIGHUP, SIGINT}) {
    string run = "run" + std::to_string(number);
    auto size = [&] { return Slurp(top / run / "index").size(); };
    pid_t pid = Start({"record", "cart.lua", "--episodes", "100000000", "--out", run}, number);
    for (int i = 0; i < 10000 && size() == 0; i++)
      usleep(1000);
    kill(pid, number);
    size_t before = size();
    for (int i = 0; i < 10000 && size() < before + 5 * 256 && waitpid(pid, nullptr, WNOHANG) == 0;
         i++)
      usleep(1000);
    ASSERT_GE(size(), before + 5 * 256) << "it goes on after signal " << number;
    kill(pid, SIGTERM);
    EXPECT_EQ(Wait(pid).status, 1);
  }
}

} // namespace
