/* Stages: what an engine remembers of them, and what scripts see. */
#include "script_help.h"

#include <playhead/stage.h>

namespace {

struct Task {
  ph_task *task = nullptr;
  explicit Task(const std::string &source) {
    EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << ph_error();
  }
  ~Task() { ph_task_unref(task); }
  operator const ph_task *() const { return task; }
};

std::string error_of(const std::string &stages) {
  ph_task *task = nullptr;
  std::string source = "return { stages = " + stages + " }";
  EXPECT_EQ(PH_ETASK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << stages;
  ph_task_unref(task);
  return ph_error();
}

const char kThree[] =
    "return { stages = { { name = 'reach', test = function(s) return s.step >= 3 end },\n"
    "  { name = 'grasp', hold_seconds = 0.02, test = { far = function(s) return s.step > 5 end,\n"
    "    even = function(s) return s.step ~= 7 end } },\n"
    "  { name = 'lift', test = function(s) return s.start.time == 0 end } },\n"
    "  success = function(s) return s.stages_done == 2 and s.stage == 'lift' end }";

/* --- reading --- */

TEST(Stage, AreRead) {
  Task task(kThree);
  EXPECT_EQ(3u, ph_task_info_of(task)->nstages);
  EXPECT_TRUE(ph_task_info_of(task)->judges_only);
  EXPECT_STREQ("reach", ph_task_stage(task, 0)->name);
  EXPECT_EQ(0.02, ph_task_stage(task, 1)->hold_seconds);
  EXPECT_EQ(nullptr, ph_task_stage(task, 3));
}

TEST(Stage, ErrorsOfTheTable) {
  const std::string f = "test = function(s) return true end";
  EXPECT_EQ("t.lua:1: stages: must be a table, is a number", error_of("3"));
  EXPECT_EQ("t.lua:1: stages: must be a list of 1 to 1000 elements without gaps", error_of("{}"));
  EXPECT_EQ("t.lua:1: stages[1]: must be a table, is a function", error_of("{function() end}"));
  EXPECT_EQ("t.lua:1: stages[1]: needs a name", error_of("{{" + f + "}}"));
  EXPECT_EQ(
      "t.lua:1: stages[1]: test: must be a function or a table of named functions, is not there",
      error_of("{{name='a'}}"));
  EXPECT_EQ("t.lua:1: stages[1]: test: must have 1 to 1000 named functions, has 0",
            error_of("{{name='a', test={}}}"));
  EXPECT_EQ("t.lua:1: stages[2]: name: stages[1] has 'a' too",
            error_of("{{name='a'," + f + "},{name='a'," + f + "}}"));
  EXPECT_EQ("t.lua:1: stages[1]: hold_seconds: must be 0 or more, is -1.0",
            error_of("{{name='a', hold_seconds=-1, " + f + "}}"));
  EXPECT_EQ("t.lua:1: stages[1]: unknown key 'hold'; did you mean 'hold_seconds'?",
            error_of("{{name='a', hold=1, " + f + "}}"));
  std::string many;
  for (int i = 0; i < 33; i++)
    many += "{name='a" + std::to_string(i) + "'," + f + "},";
  EXPECT_EQ("t.lua:1: stages: has 33, may have 32", error_of("{" + many + "}"));
}

/* --- memory --- */

TEST(Stage, OneAfterTheOther) {
  Task task(kThree);
  ph_stages stages;
  ASSERT_EQ(PH_OK, ph_stages_begin(&stages, task, 0.01)) << ph_error();
  EXPECT_EQ(2, stages.steps[1]);
  EXPECT_STREQ("reach", ph_stages_name(&stages, task));
  EXPECT_FALSE(ph_stages_update(&stages, 0, true)) << "the reset row never counts";
  EXPECT_FALSE(ph_stages_update(&stages, 1, false));
  EXPECT_TRUE(ph_stages_update(&stages, 2, true));
  EXPECT_EQ(1u, stages.done);
  EXPECT_EQ(2, stages.latch[0]);
  EXPECT_STREQ("grasp", ph_stages_name(&stages, task));
  EXPECT_FALSE(ph_stages_update(&stages, 3, true));
  EXPECT_EQ(1, stages.count);
  EXPECT_FALSE(ph_stages_update(&stages, 4, false));
  EXPECT_EQ(0, stages.count);
  EXPECT_FALSE(ph_stages_update(&stages, 5, true));
  EXPECT_TRUE(ph_stages_update(&stages, 6, true));
  EXPECT_EQ(6, stages.latch[1]);
  EXPECT_EQ(0, stages.count);
  EXPECT_TRUE(ph_stages_update(&stages, 7, true));
  EXPECT_STREQ("", ph_stages_name(&stages, task));
  EXPECT_FALSE(ph_stages_update(&stages, 8, true));
  ph_stages before;
  ph_stages_at(&stages, 6, &before);
  EXPECT_EQ(2u, before.done);
  EXPECT_EQ(-1, before.latch[2]);
  ph_stages_at(&stages, 1, &before);
  EXPECT_EQ(0u, before.done);
}

TEST(Stage, HoldsThatCannotBeCounted) {
  Task task(kThree), none("return {}");
  ph_stages stages;
  EXPECT_EQ(PH_EINVAL, ph_stages_begin(&stages, task, 0.1));
  EXPECT_STREQ("t.lua: stage grasp: hold: 0.02 s: comes to 0 steps of 0.1 s; use 0 for no hold",
               ph_error());
  EXPECT_EQ(PH_OK, ph_stages_begin(&stages, none, 0.1));
  EXPECT_EQ(0u, stages.n);
  EXPECT_FALSE(ph_stages_update(&stages, 1, true));
  EXPECT_STREQ("", ph_stages_name(&stages, none));
}

/* --- scripts --- */

class StageScript : public ScriptTest {
protected:
  ph_stages stages = {};
  void load(const std::string &source) {
    Task task(source);
    ph_script_free(script);
    script = nullptr;
    ASSERT_EQ(PH_OK, ph_task_script(&script, task)) << ph_error();
    ASSERT_EQ(PH_OK, ph_stages_begin(&stages, task, 0.01)) << ph_error();
  }
  /* Rows 1 to n, as an env takes them. */
  void run(int n) {
    for (scene.step = 1; scene.step <= n; scene.step++)
      ASSERT_EQ(PH_OK, ph_script_stages(script, &scene, &stages)) << ph_error();
    scene.step = n;
  }
};

TEST_F(StageScript, AreJudgedInOrder) {
  load(kThree);
  run(20);
  EXPECT_EQ(3u, stages.done);
  EXPECT_EQ(3, stages.latch[0]);
  EXPECT_EQ(9, stages.latch[1]) << "6, then 7 breaks it, 8 and 9";
  EXPECT_EQ(10, stages.latch[2]);
}

TEST_F(StageScript, SuccessReadsThem) {
  bool value = true;
  ph_condition condition;
  load(kThree);
  scene.stages = &stages;
  run(8);
  EXPECT_EQ(PH_OK, ph_script_success(script, &scene, &value, &condition)) << ph_error();
  EXPECT_FALSE(value);
  EXPECT_STREQ("stages_done", condition.reads);
  EXPECT_EQ(1, condition.read);
  run(9);
  load(kThree);
  run(9);
  EXPECT_EQ(PH_OK, ph_script_success(script, &scene, &value, nullptr)) << ph_error();
  EXPECT_TRUE(value);
  EXPECT_FALSE(ph_script_wants_stages(script));
  scene.stages = nullptr;
  EXPECT_EQ(PH_ETASK, ph_script_success(script, &scene, &value, nullptr));
  EXPECT_TRUE(ph_script_wants_stages(script));
  EXPECT_STREQ("t.lua:5: success: s.stages_done: the stages reached so far are not known here",
               ph_error());
}

TEST_F(StageScript, TestsOfTheirOwnConditions) {
  bool value = true;
  ph_condition conditions[2];
  load(kThree);
  scene.step = 7;
  EXPECT_EQ(PH_OK, ph_script_stage(script, &scene, 1, &value, conditions)) << ph_error();
  EXPECT_FALSE(value);
  EXPECT_STREQ("even", conditions[0].name);
  EXPECT_FALSE(conditions[0].value);
  EXPECT_TRUE(conditions[1].value);
  EXPECT_EQ(PH_ENOTFOUND, ph_script_stage(script, &scene, 3, &value, nullptr));
}

TEST_F(StageScript, ErrorsHaveFileAndLine) {
  struct {
    const char *body, *error;
  } cases[] = {
      {"return s.stage == 'a'",
       "t.lua:2: stages.a: s.stage: is what the stages decide; their tests cannot read it"},
      {"return s.stages_done > 0",
       "t.lua:2: stages.a: s.stages_done: is what the stages decide; their tests cannot read it"},
      {"return s.predicate",
       "t.lua:2: stages.a: s.predicate: is what the conditions decide; they cannot read it"},
      {"return s.body.cop.z > 1", "t.lua:2: stages.a: no body 'cop'; did you mean 'cup'?"},
      {"return 1", "t.lua:2: stages.a: must return true or false, returned number"},
      {"return s.stag",
       "t.lua:2: stages.a: s has no 'stag'; did you mean 'stage', 'step' or 'start'?"},
  };
  for (const auto &c : cases) {
    load("return { stages = { { name = 'a',\n  test = function(s) " + std::string(c.body) +
         " end } } }");
    scene.step = 1;
    EXPECT_EQ(PH_ETASK, ph_script_stages(script, &scene, &stages)) << c.body;
    EXPECT_STREQ(c.error, ph_error());
  }
  load("return { stages = { { name = 'a', test = { b = function(s)\n"
       "  return s.joint.drwer < 1 end } } } }");
  EXPECT_EQ(PH_ETASK, ph_script_stages(script, &scene, &stages));
  EXPECT_STREQ("t.lua:2: stages.a.b: no joint 'drwer'; did you mean 'drawer'?", ph_error());
}

} // namespace
