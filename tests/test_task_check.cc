/* What a task's check finds, and what it does not. */
#include "script_help.h"

#include <playhead/check.h>

#include <algorithm>

namespace {

class Check : public ::testing::Test {
protected:
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  ph_check *check = nullptr;
  ph_check_options opt = PH_CHECK_OPTIONS_INIT;

  void SetUp() override {
    model = help_model(script_xml());
    opt.steps = 20;
  }
  void TearDown() override {
    ph_check_free(check);
    ph_task_unref(task);
    ph_model_unref(model);
  }
  ph_status run(const std::string &body, bool with_model = true) {
    ph_check_free(check);
    ph_task_unref(task);
    check = nullptr;
    task = nullptr;
    std::string source = "return { name = 'x', control_steps = 2, " + body + " }";
    EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "dir/t.lua")) << ph_error();
    return task ? ph_task_check(&check, task, with_model ? model : nullptr, &opt) : PH_ETASK;
  }
  /* Its findings, a line each. */
  std::string found(const std::string &body, bool with_model = true) {
    return listed(body, with_model, false);
  }
  /* The same of what is only worth knowing. */
  std::string noted(const std::string &body) { return listed(body, true, true); }
  /* The names that the text alone shows to be none. */
  std::string names_in(const std::string &source) {
    ph_task_unref(task);
    task = nullptr;
    EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "dir/t.lua"))
        << ph_error() << source;
    return task ? checked_names() : "";
  }
  std::string checked_names() {
    ph_check_free(check);
    check = nullptr;
    EXPECT_EQ(PH_OK, ph_task_check_names(&check, task, model)) << ph_error();
    std::string all;
    for (size_t i = 0; check && i < check->nfindings; i++)
      all += std::string(check->finding[i].where) + ": " + check->finding[i].text + "\n";
    return all;
  }
  std::string listed(const std::string &body, bool with_model, bool notes) {
    ph_status status = run(body, with_model);
    if (status != PH_OK)
      return std::string("! ") + ph_error();
    std::string all;
    for (size_t i = 0; i < check->nfindings; i++) {
      const ph_check_finding &f = check->finding[i];
      EXPECT_EQ(i >= check->nfindings - check->nnotes, f.note) << "notes are the last";
      if (f.note != notes)
        continue;
      all += std::string(ph_check_name(f.kind)) + " " + f.where + ": " + f.text + "\n";
    }
    return all;
  }
};

const char kFine[] = "reset = function(env, rng) env.qpos.drawer = 0.1 * rng() end,\n"
                     "reward = function(s) return s.joint.drawer end,\n"
                     "success = function(s) return s.step % 2 == 0 end, hold_seconds = 1,\n"
                     "failure = function(s) return false end,\n"
                     "policy = function(s, rng) return { rng(), 0, 0.5 - rng(), 0 } end,\n"
                     "readouts = { x = function(s) return s.time end }";

TEST_F(Check, SuccessAndFailureInOneStepAreToldOf) {
  const std::string both = "success = function(s) return s.step > 2 end, hold_seconds = 0,\n"
                           "reset = function(env, rng) env.qpos.drawer = 0.1 * rng() end,\n"
                           "max_steps = 30, failure = function(s) return s.step > ";
  const char told[] = "both seed 0 step 3: success had been held and failure was true in one step: "
                      "it ends as a success\n";
  EXPECT_NE(std::string::npos, found(both + "2 end").find(told)) << found(both + "2 end");
  EXPECT_EQ(3, check->ends[PH_END_SUCCESS]);
  EXPECT_EQ(std::string::npos, found(both + "3 end").find("both"));
  EXPECT_EQ(std::string::npos, found(both + "1 end").find("both")) << "it has failed before";
}

TEST_F(Check, NothingToFind) {
  EXPECT_EQ("", found(kFine));
  EXPECT_TRUE(check->ran && check->has_policy);
  EXPECT_EQ(3, check->episodes);
  EXPECT_EQ(60, check->steps);
  EXPECT_EQ(3u, check->nseeds);
  EXPECT_EQ(2u, check->seed[2]);
  EXPECT_EQ(2u, check->nconditions);
  EXPECT_STREQ("success", check->condition[0].name);
  EXPECT_EQ(30, check->condition[0].yes);
  EXPECT_EQ(60, check->condition[0].judged);
  EXPECT_STREQ("failure", check->condition[1].name);
  EXPECT_EQ(0, check->condition[1].yes);
  EXPECT_EQ(4u, check->nelements);
  EXPECT_STREQ("lift", check->element[0].name);
  EXPECT_GE(check->element[0].least, 0);
  EXPECT_LE(check->element[0].most, 1);
  EXPECT_LT(check->element[0].least, check->element[0].most);
  EXPECT_EQ(250, check->hold_steps);
  EXPECT_LT(check->reward_min, check->reward_max);
  const ph_check_cost &cost = check->cost;
  for (double us :
       {cost.physics, cost.actions, cost.policy, cost.conditions, cost.reward, cost.readouts})
    EXPECT_GT(us, 0);
}

TEST_F(Check, WhatThereIsNotHasNoCost) {
  EXPECT_EQ("", found("max_steps = 5"));
  EXPECT_FALSE(check->has_policy);
  EXPECT_EQ(15, check->steps);
  EXPECT_EQ(3, check->ends[PH_END_TRUNCATED]);
  EXPECT_TRUE(std::isnan(check->cost.policy) && std::isnan(check->cost.conditions) &&
              std::isnan(check->cost.reward) && std::isnan(check->cost.readouts));
  EXPECT_TRUE(std::isnan(check->reward_min));
  EXPECT_EQ(0, check->element[3].most);
}

TEST_F(Check, ConditionsAndRewardsThatSayNothing) {
  EXPECT_EQ("condition success.a: never true in 60 steps\n"
            "reward reward: is 2 at each of 60 steps\n",
            found("success = { a = function(s) return false end, b = function(s) return true end,\n"
                  "c = function(s) return s.step > 3 end }, reward = function(s) return 2 end"));
  opt.episodes = 1;
  EXPECT_EQ("condition failure: always true in 1 steps\n",
            found("failure = function(s) return true end"));
  EXPECT_EQ(1, check->ends[PH_END_TERMINATED]);
}

TEST_F(Check, Stages) {
  opt.episodes = 1;
  EXPECT_EQ("condition stages.b.never: never true in 17 steps\n",
            found("stages = { { name = 'a', test = function(s) return s.step == 3 end },\n"
                  "{ name = 'b', test = { never = function(s) return false end,\n"
                  "  some = function(s) return s.step % 2 == 0 end } },\n"
                  "{ name = 'c', test = function(s) return true end } }"));
  EXPECT_EQ(4u, check->nconditions);
  EXPECT_STREQ("stages.a", check->condition[0].name);
  EXPECT_EQ(1, check->condition[0].yes);
  EXPECT_EQ(3, check->condition[0].judged);
  EXPECT_EQ(17, check->condition[2].judged);
  EXPECT_STREQ("stages.c", check->condition[3].name);
  EXPECT_EQ(0, check->condition[3].judged);
}

TEST_F(Check, SuccessMayAskForStages) {
  opt.episodes = 1;
  EXPECT_EQ("", found("stages = { { name = 'a', test = function(s) return s.step == 3 end },\n"
                      "{ name = 'b', test = function(s) return s.step == 9 end } },\n"
                      "success = function(s) return s.stages_done == 2 and s.stage == '' end"));
  EXPECT_EQ(1, check->ends[PH_END_SUCCESS]);
  EXPECT_EQ(9, check->steps);
}

TEST_F(Check, Resets) {
  EXPECT_EQ("reset reset: changes nothing: row 0 is what the model has\n",
            found("reset = function(env, rng) local x = rng() end"));
  EXPECT_EQ("reset reset: 3 seeds begin alike, bit for bit\n",
            found("reset = function(env, rng) env.qpos.drawer = 0.1 end"));
  EXPECT_EQ("", found("reset = function(env, rng) env.model.body.cup.mass = 0.1 + rng() end"));
  EXPECT_EQ("error seed 0 step 0: dir/t.lua:1: reset: env.qpos: no joint 'drwer'; did you mean "
            "'drawer'?\n",
            found("reset = function(env, rng) env.qpos.drwer = 0.1 end").substr(0, 92));
  EXPECT_EQ(0, check->episodes);
}

TEST_F(Check, ElementsThatAreCut) {
  EXPECT_EQ("clipped action[0] lift: cut at 33 of 60 steps\n",
            found("policy = function(s, rng) return { s.step % 20 > 8 and 2 or 0, 0, 0, 0 } end"));
  const char half[] = "max_steps = 99, policy = function(s, rng)\n"
                      "return { s.step % 2 > 0 and 2 or 0, 0, 0, 0 } end";
  EXPECT_EQ("", found(half)) << "half of the steps is not most of them";
  EXPECT_EQ("clipped action[0] lift: cut at 30 of 60 steps\n", noted(half));
}

TEST_F(Check, WhatIsTrueAtAllTimesBesideOthersIsANote) {
  const char parts[] = "max_steps = 99, success = { a = function(s) return true end,\n"
                       "b = function(s) return s.step % 2 == 0 end }, hold_seconds = 1";
  EXPECT_EQ("", found(parts));
  EXPECT_EQ("condition success.a: always true in 60 steps\n", noted(parts));
  EXPECT_EQ("condition success: always true in 60 steps\n",
            found("success = function(s) return true end, hold_seconds = 1"));
}

TEST_F(Check, WhatHasNoEndIsANote) {
  EXPECT_EQ("", noted("max_steps = 9"));
  EXPECT_EQ("endless max_steps: is missing: nothing ends an episode\n", noted(""));
  const std::string success = "success = function(s) return s.step > 3 end",
                    failure = "failure = function(s) return s.step > 30 end";
  EXPECT_EQ("endless max_steps: is missing: nothing but success ends an episode\n", noted(success));
  EXPECT_EQ("endless max_steps: is missing: only failure ends an episode\n", noted(failure));
  EXPECT_EQ("endless max_steps: is missing: only success or failure end an episode\n",
            noted(success + ", " + failure));
}

TEST_F(Check, OneMistakeIsOneFinding) {
  EXPECT_EQ("error seed 0 step 0: dir/t.lua:1: success: no body 'cop'; did you mean 'cup'?\n",
            found("success = function(s) return s.body.cop.z > 1 end"));
  EXPECT_EQ("error seed 0 step 3: x: step 3: dir/t.lua:3: reward: no body 'cop'; did you mean "
            "'cup'?\n",
            found("success = function(s) return s.time < 0 end,\nreward = function(s)\n"
                  "  return s.step > 2 and s.body.cop.z or 1 end"));
  std::string all = found("success = function(s) return s.contact('t[ab]x*', 'top') end");
  EXPECT_EQ(1, std::count(all.begin(), all.end(), '\n')) << all;
  EXPECT_EQ("error ", all.substr(0, 6)) << all;
}

TEST_F(Check, NumbersThatAreNone) {
  opt.episodes = 1;
  EXPECT_EQ("not_finite seed 0: step 4: reward is not finite\n",
            found("reward = function(s) return s.step == 5 and 0 / 0 or s.step end"));
  EXPECT_EQ(1, check->ends[PH_END_NAN]);
  EXPECT_EQ("error seed 0 step 3: x: policy: step 3: action[1] (pull) is not finite\n",
            found("policy = function(s, rng) return { 0, s.step == 3 and 1 / 0 or 0, 0, 0 } end"));
  EXPECT_EQ("error seed 0 step 1: dir/t.lua:1: readouts.x: must return a finite number, returned "
            "inf\n",
            found("readouts = { x = function(s) return 1 / 0 end }"));
}

TEST_F(Check, ConditionsThatRemember) {
  opt.episodes = 1;
  std::string all = found("success = (function() local n = 0 return function(s) n = n + 1\n"
                          "return n % 2 == 0 end end)(), hold_seconds = 1");
  EXPECT_NE(std::string::npos, all.find("memory success: says false and, asked again of the same "
                                        "state, true\n"))
      << all;
}

TEST_F(Check, ErrorsWhereTheyHappen) {
  opt.episodes = 2;
  EXPECT_EQ("error seed 7 step 4: x: step 4: dir/t.lua:2: reward: no body 'cop'; did you mean "
            "'cup'?\n",
            (opt.seed = 7, found("reward = function(s)\n"
                                 "  return s.step > 3 and s.body.cop.z or s.step end")));
}

/* --- names in what did not run --- */

TEST_F(Check, NamesNobodyHasLookedUp) {
  struct {
    const char *code, *finding;
  } cases[] = {
      {"s.joint.drwer < 1", "s.joint.drwer: no joint 'drwer'; did you mean 'drawer'?"},
      {"s.jont.drawer < 1", "s.jont: s has no 'jont'; did you mean 'joint'?"},
      {"s.start.joint.drwer < 1", "s.start.joint.drwer: no joint 'drwer'; did you mean 'drawer'?"},
      {"s.start.step < 1", "s.start.step: s.start has no 'step'; did you mean 'site'?"},
      {"s.body['cop'].z < 1", "s.body.cop: no body 'cop'; did you mean 'cup'?"},
      {"s.body.cup.zz < 1", "s.body.cup.zz: body 'cup' has no 'zz'"},
      {"s.dist('gripp', 'cup') < 1", "s.dist: no site, body or geom 'gripp'; did you mean 'grip'?"},
      {"s.dist('grip', \"kup\") < 1",
       "s.dist: no site, body or geom 'kup'; did you mean 'cup' or 'top'?"},
      {"s.contact('tabl*', 'cop')",
       "s.contact: no body or geom 'cop'; did you mean 'cup', 'top' or 'box'?"},
      {"s.force('t[ab]_*', 'cup') > 1", "s.force: no body or geom 't[ab]_*'"},
      {"s.speed('grip') < 1", "s.speed: no body 'grip'"},
      {"s.sensor.angel < 1", "s.sensor.angel: no sensor 'angel'; did you mean 'angle'?"},
      {"s.ctrl.lifft < 1", "s.ctrl.lifft: no actuator 'lifft'; did you mean 'lift'?"},
      {"s.model.geom.bax.friction[1] < 1", "s.model.geom.bax: no geom 'bax'; did you mean 'box'?"},
  };
  for (const auto &c : cases) {
    std::string all = found("failure = function(s)\n  if s.time < 100 then return false end\n"
                            "  return " +
                            std::string(c.code) + " end");
    EXPECT_EQ("name t.lua:3: " + std::string(c.finding), all.substr(0, all.find('\n'))) << c.code;
    EXPECT_EQ(1, std::count(all.begin(), all.end(), '\n')) << all;
  }
  EXPECT_EQ("name t.lua:2: env.mocap.gaol: no mocap body 'gaol'; did you mean 'goal'?\n"
            "name t.lua:3: env.model.body.cop: no body 'cop'; did you mean 'cup'?\n"
            "name t.lua:4: env.qps: env has no 'qps'; did you mean 'qpos'?\n",
            found("reset = function(env, rng) env.qpos.drawer = rng() if env.qpos.drawer > 2 then\n"
                  "env.mocap.gaol.pos = { 0, 0, 0 }\n"
                  "env.model.body.cop.mass = 1\nenv.qps.drawer = 1 end end"));
}

TEST_F(Check, NamesThatAreFine) {
  EXPECT_EQ(
      "",
      found(
          "failure = function(s)\n  if s.time < 100 then return false end\n"
          "  -- s.joint.nonsense\n"
          "  local t = { s = 1, x = 's.joint.nonsense' }\n"
          "  local name = 'drawer'\n"
          "  local joints = s.joint\n"
          "  return t.s.joint.nonsense == 1 and s.joint[name] < 1 and s.dist(name, 'c' .. 'up') "
          "< 1 and\n"
          "    s.body.cup.pos[1] < s.body['cup'].up and s.contact('c*', 'to[p]') and\n"
          "    s.joint.arm_wrist.quat[1] < s.qvel.drawer and s.start.dist('grip', 'cup') < 1 and\n"
          "    s.model.timestep < s.model.dof.drawer.damping and s.action[1] < #s.action\n"
          "end"));
}

/* Every finding of a name in code that may stand in front of the task's table. */
struct ScopeCase {
  const char *before, *code, *finding;
};

TEST_F(Check, NamesOfSomethingElse) {
  const ScopeCase cases[] = {
      {"", "reset = function(env, rng) local s = { size = 1 } env.qpos.drawer = rng() * s.size end",
       ""},
      {"", "reset = function(e, s) local env = { x = 1 } e.qpos.drawer = s() * env.x end", ""},
      {"", "reset = function(e, rng) e.qpos.drawer = rng() if rng() > 2 then e.qps.x = 1 end end",
       "e.qps: env has no 'qps'; did you mean 'qpos'?"},
      {"", "reward = function(x) return x.time < 100 and x.time or x.jont.drawer end",
       "x.jont: s has no 'jont'; did you mean 'joint'?"},
      {"",
       "failure = function(s) for _, s in ipairs({ { w = 2 } }) do if s.w < 1 then return true "
       "end end return s.time > 99 and s.bdy end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"", "failure = function(s) for s = 1, 2 do local x = s end return s.time > 99 and s.bdy end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"",
       "failure = function(s) do local s <const> = { bdy = 1 } if s.bdy > 1 then return true end "
       "end return s.time > 99 and s.bdi end",
       "s.bdi: s has no 'bdi'; did you mean 'body'?"},
      {"",
       "failure = function(s) local s = s.time > 99 and s.bdy or { mine = false } return s.mine "
       "end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"",
       "failure = function(s) repeat local s = { done = true } until s.done local z = 1 while "
       "s.time > 99 do z = s.bdy end end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"",
       "failure = function(s) if s.time > 99 then local s = 1 elseif s.time > 98 then return "
       "s.bdy else local s = { q = 1 } return s.q > 1 end end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"",
       "failure = function(s) local function s2(t) local s = t return s.q end return s.time > 99 "
       "and s.bdy end",
       "s.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"local function area(s, env) return s.size * env.size end ",
       "readouts = { a = function(s) return area({ size = 1 }, { size = 2 }) end }", ""},
      {"local function far(a, s) return s.joint.drwer < a end ",
       "failure = function(s) return s.time > 99 and far(1, s) end",
       "s.joint.drwer: no joint 'drwer'; did you mean 'drawer'?"},
      {"local function far(a, s) return s.body.cup.zz < a end ",
       "failure = function(s) return s.time > 99 and far(1, s) end",
       "s.body.cup.zz: body 'cup' has no 'zz'"},
      {"local s = { limit = 1 } ", "failure = function(x) return x.time > 99 * s.limit end", ""},
      {"", "stages = { { name = 'a', test = function(q) return q.time < 99 or q.bdy end } }",
       "q.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"", "readouts = { r = function(q) return q.time < 99 and 1 or q.bdy end }",
       "q.bdy: s has no 'bdy'; did you mean 'body'?"},
      {"",
       "policy = function(q, s) if q.time > 99 then return s.w, q.bdy end return { 0, 0, 0, 0 } "
       "end",
       "q.bdy: s has no 'bdy'; did you mean 'body'?"},
  };
  for (const ScopeCase &c : cases) {
    std::string all =
        names_in(std::string(c.before) + "return { control_steps = 2, " + c.code + " }");
    EXPECT_EQ(c.finding[0] ? "t.lua:1: " + std::string(c.finding) + "\n" : "", all) << c.code;
  }
}

TEST_F(Check, NamesInATaskOfLayers) {
  const char base[] = "return { failure = function(q) return q.time > 99 and q.bdy end }";
  ph_task *plain = nullptr;
  ASSERT_EQ(PH_OK, ph_task_parse(&plain, base, strlen(base), "dir/t.lua"));
  ASSERT_EQ(PH_OK, ph_task_with_success(&task, plain, "s.joint.drawer > 1")) << ph_error();
  ph_task_unref(plain);
  EXPECT_EQ("t.lua:1: q.bdy: s has no 'bdy'; did you mean 'body'?\n", checked_names());
}

/* More names than anybody has: nothing is said, and nothing breaks. */
TEST_F(Check, NamesTooDeep) {
  for (int deep : {1, 3}) {
    std::string text = "return { failure = function(s) ";
    for (int i = 0; i < deep; i++) {
      text += "local function f() ";
      for (int k = 0; k < 180; k++)
        text += "local l" + std::to_string(k) + " = 1 ";
    }
    text += "do local x = s.time > 99 and s.bdy end ";
    for (int i = 0; i < deep; i++)
      text += "end ";
    EXPECT_EQ(deep == 1 ? "t.lua:1: s.bdy: s has no 'bdy'; did you mean 'body'?\n" : "",
              names_in(text + "return false end }"));
  }
}

TEST_F(Check, WhatARunHasSaidIsNotSaidAgain) {
  std::string all = found("success = function(s) return s.joint.drwer < 1 end");
  EXPECT_EQ(std::string::npos, all.find("name ")) << all;
  EXPECT_NE(std::string::npos, all.find("no joint 'drwer'")) << all;
}

/* --- without a model --- */

TEST_F(Check, TheTextAlone) {
  EXPECT_EQ("name t.lua:1: s.bdy: s has no 'bdy'; did you mean 'body'?\n",
            found("success = function(s) return s.bdy.x.z > s.body.anything.z end", false));
  EXPECT_FALSE(check->ran);
  EXPECT_EQ(0u, check->nelements);
  EXPECT_EQ(0, check->steps);
}

TEST_F(Check, WhatCannotBegin) {
  EXPECT_EQ("! dir/t.lua:1: actions[1] (joint_position): 'nobody': the model has no such joint",
            found("actions = { { type = 'joint_position', joints = { 'nobody' } } }"));
  opt.steps = 0;
  EXPECT_EQ("! check: 3 episodes of 0 steps", found("max_steps = 3"));
}

} // namespace
