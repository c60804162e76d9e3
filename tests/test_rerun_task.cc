/* Reruns under a task: terms with memory, hold, stages and outcomes are those of the env. */
#include "action_help.h"
#include "rerun_maker.h"

using namespace rerun_help;

namespace {

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/ph_rerun_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/* Episodes of a task's own policy, recorded to a run. */
void record(const std::string &dir, ph_model *model, ph_task *task, int episodes, int limit = 400) {
  ph_recorder *rec = nullptr;
  ph_env *env = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model, &opt)) << ph_error();
  ASSERT_EQ(PH_OK, ph_env_create(&env, task, model, nullptr)) << ph_error();
  for (int k = 0; k < episodes; k++)
    rollout(env, ph_env_seed(3, 0, k), rec, 0, limit);
  ph_env_free(env);
  ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
}

/* What the action makes of ctrl is known before the step is taken, and asking moves nothing. */
void expect_ctrl(Cursor &c, const Episode &e) {
  const ph_instant *now = ph_cursor_now(c.cursor);
  const double *ctrl = nullptr;
  if (now->step + 1 >= e.meta().states) {
    EXPECT_EQ(PH_EINVAL, ph_cursor_ctrl(c.cursor, &ctrl));
    return;
  }
  for (int twice = 0; twice < 2; twice++) {
    ASSERT_EQ(PH_OK, ph_cursor_ctrl(c.cursor, &ctrl)) << ph_error();
    std::string row = e.row(PH_COL_CTRL, now->step + 1);
    ASSERT_EQ(0, memcmp(ctrl, row.data(), row.size())) << now->step;
  }
  expect_recorded(*now, e);
}

/* Every step of the episode, by one cursor, and from an anchor; then in any order. */
void expect_whole(const Recorded &run, size_t i, bool around) {
  Episode e(run, i);
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.budget = 24 << 10;
  for (int64_t anchor : {int64_t{0}, e.meta().states / 3}) {
    opt.anchor = anchor;
    Rerun r(e.episode, run.model, run.task, opt);
    ASSERT_NE(nullptr, r.run);
    Cursor c(r);
    for (int64_t t = anchor; t < e.meta().states; t++) {
      expect_recorded(c.go(t), e);
      if (t > anchor)
        expect_outcome(c.go(t), e);
      expect_ctrl(c, e);
      if (testing::Test::HasFatalFailure())
        return;
    }
    EXPECT_EQ(e.meta().end_reason == PH_END_ABORTED ? PH_END_UNKNOWN : e.meta().end_reason,
              ph_cursor_now(c.cursor)->end);
    if (around)
      seek_around(r, Straight(r, 1), 25);
  }
}

TEST(RerunTerms, EveryTermFromAnyStep) {
  Model model(arm_xml());
  for (const std::string &term : arm_terms()) {
    SCOPED_TRACE(term);
    int dim = 0;
    {
      Task plain(arm_task(term));
      Env env(plain, model);
      dim = ph_env_dims(env.env)->action_dim;
    }
    Task task(arm_task(term, "policy = function(s, rng) local a = {} for i = 1, " +
                                 std::to_string(dim) +
                                 " do a[i] = 2.6 * rng() - 1.3 end return a end,"));
    Folder folder;
    record(folder.path + "/run", model.model, task.task, 1);
    Recorded run(folder.path + "/run");
    expect_whole(run, 0, true);
    Episode e(run, 0);
    Rerun r(e.episode, run.model, run.task);
    Cursor c(r);
    for (int64_t t = e.meta().actions - 1; t >= 0; t -= 7) {
      ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, t)) << ph_error();
      expect_recorded(*ph_cursor_now(c.cursor), e, false);
    }
    if (HasFatalFailure())
      return;
  }
}

/* The stacking task of data/ has no recorded run of its own here: record one. */
TEST(RerunTask, StackOfCubes) {
  ph_task *task = nullptr;
  ph_model *model = nullptr;
  std::string path = std::string(TEST_SOURCE_ROOT) + "/data/stack.lua";
  ASSERT_EQ(PH_OK, ph_task_open(&task, path.c_str())) << ph_error();
  ASSERT_EQ(PH_OK, ph_task_model(&model, task, nullptr)) << ph_error();
  Folder folder;
  record(folder.path + "/run", model, task, 1, 150);
  Recorded run(folder.path + "/run");
  expect_whole(run, 0, false);
  ph_model_unref(model);
  ph_task_unref(task);
}

const char kStages[] =
    "reward = function(s) return s.joint.a + (s.predicate and 10 or 0) + s.stages_done end,\n"
    "success = function(s) return s.joint.a > 0.25 end, hold_seconds = 0.06, max_steps = 90,\n"
    "failure = function(s) return s.joint.b < -0.9 end,\n"
    "stages = { { name = 'up', hold_seconds = 0.03,\n"
    "             test = function(s) return s.joint.a > 0.1 end },\n"
    "           { name = 'down', test = function(s) return s.joint.a < -0.05 end },\n"
    "           { name = 'again', hold_seconds = 0.02,\n"
    "             test = function(s) return s.joint.a > 0.1 end } },\n";

/* What the env counted at each step is what a cursor says there, however it came. */
TEST(RerunTask, HoldAndStagesInAnyOrder) {
  Model model;
  Task task(rec_task(kStages));
  Folder folder;
  record(folder.path + "/run", model.model, task.task, 3);
  Recorded run(folder.path + "/run");
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    Env env(task, model);
    ph_row row;
    ph_outcome out = {};
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, strtoull(e.meta().seed, nullptr, 10), &row));
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.budget = 3 << 10;
    Rerun r(e.episode, run.model, run.task, opt);
    ASSERT_NE(nullptr, r.run);
    Straight straight(r, 1);
    seek_around(r, straight, 120, static_cast<uint32_t>(i));
    EXPECT_GT(r.cached().every, 1);
    Cursor c(r);
    std::vector<ph_hold> holds = {*ph_env_hold(env.env)};
    std::vector<ph_stages> stages = {*ph_env_stages(env.env)};
    for (int64_t t = 0; t < e.meta().actions; t++) {
      std::string action = e.row(PH_COL_ACTIONS, t);
      ASSERT_EQ(PH_OK, ph_env_step(env.env, reinterpret_cast<const double *>(action.data()), &out));
      holds.push_back(*ph_env_hold(env.env));
      stages.push_back(*ph_env_stages(env.env));
    }
    EXPECT_GT(stages.back().done, 0u);
    for (int64_t k = 0; k < e.meta().states; k++) {
      int64_t t = k * 29 % e.meta().states;
      const ph_instant &now = c.go(t);
      ASSERT_TRUE(now.judged);
      ASSERT_EQ(holds[static_cast<size_t>(t)].count, now.hold.count) << t;
      ASSERT_EQ(holds[static_cast<size_t>(t)].steps, now.hold.steps) << t;
      ASSERT_EQ(holds[static_cast<size_t>(t)].latched, now.hold.latched) << t;
      ASSERT_EQ(0, memcmp(&stages[static_cast<size_t>(t)], &now.stages, sizeof now.stages)) << t;
    }
    EXPECT_STREQ(out.detail, c.go(e.meta().actions).detail);
    EXPECT_EQ(out.end, ph_cursor_now(c.cursor)->end);
    /* an anchor knows what was counted before it */
    for (int64_t anchor : {int64_t{9}, int64_t{30}}) {
      if (anchor >= e.meta().states)
        continue;
      opt.anchor = anchor;
      Rerun later(e.episode, run.model, run.task, opt);
      Cursor at(later);
      const ph_instant &now = *ph_cursor_now(at.cursor);
      EXPECT_EQ(holds[static_cast<size_t>(anchor)].count, now.hold.count);
      EXPECT_EQ(holds[static_cast<size_t>(anchor)].latched, now.hold.latched);
      EXPECT_EQ(stages[static_cast<size_t>(anchor)].done, now.stages.done);
      EXPECT_EQ(stages[static_cast<size_t>(anchor)].count, now.stages.count);
    }
  }
}

/* A rerun goes on after an end, and after a reward that is no number. */
TEST(RerunTask, GoesOnAfterAnEnd) {
  Model model;
  Task task(rec_task("max_steps = 20,\nsuccess = function(s) return s.step >= 5 end,\n"
                     "reward = function(s) return s.step == 25 and 0/0 or s.step end,"));
  Folder folder;
  record(folder.path + "/run", model.model, task.task, 1);
  Recorded run(folder.path + "/run");
  Episode e(run, 0);
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.states = 60;
  Rerun r(e.episode, run.model, run.task, opt);
  ASSERT_NE(nullptr, r.run);
  EXPECT_EQ(60, ph_rerun_states(r.run));
  Cursor c(r);
  EXPECT_EQ(PH_END_SUCCESS, c.go(7).end);
  EXPECT_STREQ("held for 3 steps", ph_cursor_now(c.cursor)->detail);
  EXPECT_EQ(PH_END_UNKNOWN, c.go(8).end);
  EXPECT_EQ(PH_END_TRUNCATED, c.go(20).end);
  EXPECT_EQ(PH_END_NAN, c.go(25).end);
  EXPECT_TRUE(std::isnan(ph_cursor_now(c.cursor)->reward));
  EXPECT_NE(nullptr, strstr(ph_cursor_now(c.cursor)->detail, "reward is not finite"));
  EXPECT_EQ(26, c.go(26).reward);
  EXPECT_EQ(59, c.go(1000).step);
  EXPECT_EQ(PH_END_SUCCESS, c.go(7).end);
  EXPECT_STREQ("held for 3 steps", ph_cursor_now(c.cursor)->detail);
}

/* A script that fails stops a seek before it; physics stands. One that fails at the anchor judges
 * nothing, and says why. */
TEST(RerunTask, ScriptThatFails) {
  Model model;
  Task good(rec_task(""));
  Folder folder;
  record(folder.path + "/run", model.model, good.task, 1);
  Recorded run(folder.path + "/run");
  Episode e(run, 0);
  Task late(rec_task("success = function(s) if s.step == 9 then error('nine') end "
                     "return false end,"));
  Rerun r(e.episode, run.model, late.task);
  ASSERT_NE(nullptr, r.run);
  Cursor c(r);
  EXPECT_EQ(PH_ETASK, ph_cursor_seek(c.cursor, 30, 0, nullptr, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "nine")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "step 8")) << ph_error();
  EXPECT_EQ(8, ph_cursor_now(c.cursor)->step);
  expect_recorded(*ph_cursor_now(c.cursor), e, false);
  EXPECT_EQ(PH_ETASK, ph_cursor_seek(c.cursor, 9, 0, nullptr, nullptr));
  EXPECT_EQ(3, c.go(8, 3).substep);
  Task never(rec_task("success = function(s) return s.body.nothing.z > 0 end,"));
  Rerun unjudged(e.episode, run.model, never.task);
  ASSERT_NE(nullptr, unjudged.run);
  Cursor u(unjudged);
  const ph_instant &now = u.go(e.meta().states - 1);
  EXPECT_FALSE(now.judged);
  EXPECT_NE(nullptr, strstr(now.detail, "nothing")) << now.detail;
  EXPECT_EQ(nullptr, now.row.predicate);
  expect_recorded(now, e, false);
}

} // namespace
