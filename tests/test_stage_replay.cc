/* Stages along a recorded episode: what a replay finds, from whatever step it is asked. */
#include "replay_help.h"

#include <algorithm>
#include <cmath>

namespace {

using replay_help::ReplayTask;

struct StageReplay : ReplayTask {
  ph_stages stages = {};
  int64_t rows = 0;
  void begin(const char *text) {
    parse(text);
    open();
    ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  }
  bool predicate(int64_t step) {
    bool value = false;
    seek(step);
    EXPECT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << step << ": " << ph_error();
    return value;
  }
};

/* Of the episode's 120 actions: s.stages_done 2 holds at 31 to 59. */
const char kReplay[] =
    "return { stages = { { name = 'a', test = function(s) return s.step >= 20 end },\n"
    "  { name = 'b', hold_seconds = 0.04, test = function(s) return s.step % 30 > 20 or\n"
    "    s.step == 30 or s.step == 31 end },\n"
    "  { name = 'c', test = function(s) return s.time - s.start.time > 0.2 and\n"
    "    s.action[1] ~= nil end } },\n"
    "  success = function(s) return s.stages_done == 2 end }";

TEST_F(StageReplay, AlongTheEpisodeInPieces) {
  begin(kReplay);
  seek(77);
  std::string before = said(ph_replay_frame(replay));
  for (int64_t at = 0; rows < meta.states; at = rows) {
    ASSERT_EQ(PH_OK, ph_replay_stages(replay, 13, &stages, &rows)) << ph_error();
    ASSERT_TRUE(rows == at + 13 || rows == meta.states) << rows;
  }
  EXPECT_EQ(before, said(ph_replay_frame(replay)));
  EXPECT_EQ(77, ph_replay_frame(replay)->step);
  EXPECT_EQ(3u, stages.done);
  EXPECT_EQ(20, stages.latch[0]);
  int64_t hold = llrint(0.04 / meta.control_dt);
  EXPECT_EQ(hold, stages.steps[1]);
  EXPECT_EQ(20 + hold, stages.latch[1]);
  EXPECT_GT(stages.latch[2], stages.latch[1]);
  ph_stages again;
  ASSERT_EQ(PH_OK, ph_replay_stages(replay, 0, &again, &rows));
  EXPECT_EQ(0, memcmp(&stages, &again, sizeof stages));
}

/* What the predicate says does not hang on the way there. */
TEST_F(StageReplay, PredicateIsTheSameFromAnywhere) {
  begin(kReplay);
  std::vector<bool> forward, jumps(static_cast<size_t>(meta.states));
  for (int64_t t = 0; t < meta.states; t++)
    forward.push_back(predicate(t));
  EXPECT_EQ(1, std::count(forward.begin(), forward.end(), true) > 0);
  EXPECT_FALSE(forward[20]);
  ph_replay_free(replay);
  replay = nullptr;
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task));
  for (int64_t i = 0; i < meta.states; i++) {
    int64_t t = i * 67 % meta.states;
    jumps[static_cast<size_t>(t)] = predicate(t);
  }
  EXPECT_EQ(forward, jumps);
}

TEST_F(StageReplay, WhereAStateCannotBeJudged) {
  begin("return { stages = { { name = 'a', test = function(s) return s.step == 10 end },\n"
        "  { name = 'b', test = function(s) return s.step < 50 and s.step == 9 end },\n"
        "  { name = 'c', test = function(s) return false end } },\n"
        "  success = function(s) return s.stages_done == 1 end,\n"
        "  readouts = { x = function(s) return 1 end } }");
  memory->corrupt = 40;
  bool value = false;
  EXPECT_EQ(PH_ECORRUPT, ph_replay_stages(replay, 1000, &stages, &rows));
  EXPECT_EQ(0u, std::string(ph_error()).find("step 40: ")) << ph_error();
  EXPECT_EQ(40, rows);
  EXPECT_EQ(1u, stages.done);
  EXPECT_TRUE(predicate(12));
  seek(60);
  EXPECT_EQ(PH_ECORRUPT, ph_replay_predicate(replay, &value, nullptr));
  EXPECT_EQ(60, ph_replay_frame(replay)->step);
}

TEST_F(StageReplay, ConditionsThatDoNotAskForThem) {
  begin("return { stages = { { name = 'a', hold_seconds = 1e-9,\n"
        "  test = function(s) return true end } }, success = function(s) return true end }");
  EXPECT_EQ(PH_EINVAL, ph_replay_stages(replay, 1, &stages, &rows));
  EXPECT_TRUE(predicate(100)) << "it does not need what cannot be counted";
}

TEST_F(StageReplay, AnErrorOfATestIsNotThatOfSuccess) {
  begin("return { stages = { { name = 'a', test = function(s)\n"
        "  return s.step == 5 and s.nonsense end } }, success = function(s) return true end }");
  EXPECT_TRUE(predicate(100));
  EXPECT_EQ(PH_ETASK, ph_replay_stages(replay, 1000, &stages, &rows));
  EXPECT_STREQ("step 5: task.lua:2: stages.a: s has no 'nonsense'", ph_error());
  EXPECT_TRUE(predicate(5));
  EXPECT_EQ(5, rows);
}

/* A row that is none of the episode's is judged as it is, and not as a row of it. */
TEST_F(StageReplay, AStateBetweenTwoRowsReachesNoStage) {
  char text[300];
  snprintf(text, sizeof text,
           "return { stages = { { name = 'a', test = function(s)\n"
           "  return s.time - s.start.time > %.17g end } },\n"
           "  success = function(s) return s.stages_done == 1 end,\n"
           "  readouts = { time = function(s) return s.time end } }",
           30.5 * meta.control_dt);
  begin(text);
  for (int64_t t = 0; t <= 10; t++)
    EXPECT_FALSE(predicate(t));
  std::vector<double> state(memory->width[PH_COL_STATES]);
  ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_STATES, 60, 1, state.data()));
  ph_row row = {};
  row.state = state.data();
  bool value = true;
  ASSERT_EQ(PH_OK, ph_replay_show(replay, 11, &row, nullptr)) << ph_error();
  EXPECT_EQ(state[0], ph_replay_frame(replay)->values[signal("time")]);
  EXPECT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << ph_error();
  EXPECT_FALSE(value);
  EXPECT_EQ(state[0], ph_replay_frame(replay)->time) << "it is still shown";
  ASSERT_EQ(PH_OK, ph_replay_stages(replay, 1000, &stages, &rows)) << ph_error();
  EXPECT_EQ(31, stages.latch[0]);
  EXPECT_EQ(state[0], ph_replay_frame(replay)->time);
}

/* --- readouts --- */

/* What a readout says does not hang on the way there, and is what the same function says as a
 * condition's last read. */
/* A state of another run is judged by what that came to, not by what was recorded. */
TEST_F(StageReplay, AStateOfAnotherRunHasStagesOfItsOwn) {
  begin("return { stages = { { name = 'a', test = function(s) return s.step >= 20 end },\n"
        "  { name = 'b', test = function(s) return true end } },\n"
        "  success = function(s) return s.stages_done == 2 end,\n"
        "  readouts = { done = function(s) return s.stages_done end } }");
  int done = signal("done");
  ASSERT_TRUE(predicate(40));
  std::vector<double> state(memory->data[PH_COL_STATES].begin(),
                            memory->data[PH_COL_STATES].begin() +
                                static_cast<long>(memory->width[PH_COL_STATES]));
  ph_row row = {};
  row.state = state.data();
  ph_stages own;
  ASSERT_EQ(PH_OK, ph_stages_begin(&own, task, meta.control_dt));
  bool value = true;
  ASSERT_EQ(PH_OK, ph_replay_show_judged(replay, 40, &row, nullptr, &own)) << ph_error();
  EXPECT_EQ(0, ph_replay_frame(replay)->values[done]);
  ASSERT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << ph_error();
  EXPECT_FALSE(value);
  ASSERT_EQ(PH_OK, ph_replay_show(replay, 40, &row, nullptr)) << ph_error();
  EXPECT_EQ(2, ph_replay_frame(replay)->values[done]);
  ASSERT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr));
  EXPECT_TRUE(value) << "without any, those of the recording";
  own.done = 2;
  ASSERT_EQ(PH_OK, ph_replay_show_judged(replay, 5, &row, nullptr, &own));
  ASSERT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr));
  EXPECT_TRUE(value);
  EXPECT_FALSE(predicate(5)) << "a recorded row is judged as before";
}

TEST_F(StageReplay, ReadoutsFromAnywhere) {
  begin("return { stages = { { name = 'a', test = function(s) return s.step >= 20 end } },\n"
        "  success = function(s) return s.stages_done == 1 end,\n"
        "  readouts = { time = function(s) return s.time - s.start.time end,\n"
        "    done = function(s) return s.stages_done end,\n"
        "    pushed = function(s) return s.action[1] or -1 end } }");
  int done = signal("done"), pushed = signal("pushed"), time = signal("time");
  size_t n = 0;
  const ph_signal *signals = ph_replay_signals(replay, &n);
  EXPECT_EQ(PH_SIGNAL_READOUT, signals[time].kind);
  EXPECT_STREQ("", signals[time].unit);
  EXPECT_EQ(0, signals[done].index);
  for (int64_t t : {100, 7, 20, 19, 0, 120, 21}) {
    seek(t);
    const double *v = ph_replay_frame(replay)->values;
    double action[16] = {-1};
    if (t > 0) {
      ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_ACTIONS, t - 1, 1, action));
    }
    EXPECT_EQ(t >= 20, v[done]) << t;
    EXPECT_EQ(action[0], v[pushed]) << t;
    EXPECT_NEAR((double)t * meta.control_dt, v[time], 1e-9) << t;
    EXPECT_STREQ("", ph_replay_frame(replay)->note);
    std::vector<double> before(v, v + n);
    EXPECT_EQ(t >= 20, predicate(t));
    ASSERT_EQ(PH_OK, ph_replay_stages(replay, 9, &stages, &rows)) << ph_error();
    EXPECT_EQ(0, memcmp(before.data(), ph_replay_frame(replay)->values, n * sizeof(double))) << t;
  }
}

TEST_F(StageReplay, AReadoutThatFailsIsInTheNote) {
  begin("return { success = function(s) return true end, readouts = {\n"
        "  a = function(s) return s.step end,\n"
        "  b = function(s) if s.step > 50 then return s.nonsense end return 1 end,\n"
        "  c = function(s) while s.step == 60 do end return 3 end,\n"
        "  d = function(s) return s.predicate and 1 or 0 end } }");
  int a = signal("a"), b = signal("b"), c = signal("c"), d = signal("d");
  const ph_frame *frame = ph_replay_frame(replay);
  seek(50);
  EXPECT_EQ(50, frame->values[a]);
  EXPECT_EQ(1, frame->values[b]);
  EXPECT_EQ(3, frame->values[c]);
  EXPECT_TRUE(std::isnan(frame->values[d])) << "of this task nothing is recorded";
  EXPECT_STREQ("task.lua:5: readouts.d: s.predicate: what was judged so far is not known here",
               frame->note);
  seek(51);
  EXPECT_TRUE(std::isnan(frame->values[b]));
  EXPECT_EQ(3, frame->values[c]);
  EXPECT_STREQ("task.lua:3: readouts.b: s has no 'nonsense' (and 1 more)", frame->note);
  seek(60);
  EXPECT_EQ(60, frame->values[a]);
  EXPECT_TRUE(std::isnan(frame->values[c]));
  EXPECT_TRUE(frame->forward);
  EXPECT_TRUE(predicate(60)) << "what spends its limits takes no condition along";
}

TEST_F(StageReplay, ATaskWithoutReadoutsHasNone) {
  begin("return { success = function(s) return true end }");
  seek(50);
  size_t n = 0;
  const ph_signal *signals = ph_replay_signals(replay, &n);
  for (size_t i = 0; i < n; i++)
    EXPECT_NE(PH_SIGNAL_READOUT, signals[i].kind);
}

TEST_F(StageReplay, NoneToJudge) {
  begin("return { success = function(s) return true end }");
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_stages(replay, 1, &stages, &rows));
  EXPECT_STREQ("demo_3: stages: the task has no such condition", ph_error());
  ph_replay_free(replay);
  replay = nullptr;
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, nullptr, task));
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_stages(replay, 1, &stages, &rows));
}

} // namespace
