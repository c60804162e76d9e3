// The predicate of an episode by its three sources, and why there is no latch.
#include <string>

#include "analysis_help.h"

using analysis_help::Analysis;

namespace {

const char kUp[] = "return { name = 'swing', control_steps = 2, hold_seconds = 0.04, %s\n"
                   " success = { up = function(s) return s.joint.shoulder > %.3f end,\n"
                   " always = function(s) return true end } }\n";

struct Taken {
  ph_outcomes of = {};
  ~Taken() { ph_outcomes_free(&of); }
  ph_latch_answer ask(int64_t hold) const {
    ph_latch_answer out;
    ph_outcomes_latch(&of, hold, &out);
    return out;
  }
};

struct Outcomes : Analysis {
  double above = 0;

  void SetUp() override {
    Analysis::SetUp();
    meta.end_reason = PH_END_UNKNOWN;
  }
  void judge_by(double threshold, const char *more = "") {
    char text[600];
    above = threshold;
    snprintf(text, sizeof text, kUp, more, threshold);
    parse(text);
    meta.hold_seconds = 0.04;
    ASSERT_EQ(PH_OK, ph_hold_steps(&meta.hold_steps, 0.04, meta.control_dt));
    snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  }
  double shoulder(int64_t row) const {
    int at = ph_model_joint(model, ph_model_find(model, PH_JOINT, "shoulder"))->qposadr;
    return memory->data[PH_COL_STATES][static_cast<size_t>(row) * memory->width[PH_COL_STATES] + 1 +
                                       static_cast<size_t>(at)];
  }
  double *state(int64_t row) {
    return &memory->data[PH_COL_STATES][static_cast<size_t>(row) * memory->width[PH_COL_STATES]];
  }
  void store_predicate() {
    columns |= PH_COL_BIT(PH_COL_PREDICATE);
    for (int64_t t = 0; t < meta.states; t++)
      memory->bytes[PH_COL_PREDICATE].push_back(shoulder(t) > above);
  }
  /* What the file says is what its task said. */
  void record_it() {
    record_plain();
    store_predicate();
  }
  void take(Taken &out, ph_latch_source source, const ph_outcomes_options *how_to = nullptr) {
    ASSERT_EQ(PH_OK, ph_outcomes_take(&out.of, source, episode, model, task, how_to)) << ph_error();
  }
  /* Row at which a hold completes, by a plain loop over what is recorded. */
  int64_t expected(int64_t hold) const {
    int64_t count = 0;
    for (int64_t t = 1; t < meta.states; t++) {
      count = shoulder(t) > above ? count + 1 : 0;
      if (count > 0 && count >= hold)
        return t;
    }
    return -1;
  }
};

const ph_latch_source kAll[] = {PH_LATCH_RECORDED, PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC};

TEST_F(Outcomes, TheThreeAgreeOnWhatWasRecordedByThisEngine) {
  judge_by(1.06);
  record_it();
  open();
  Taken of[3];
  for (ph_latch_source source : kAll) {
    SCOPED_TRACE(ph_latch_source_name(source));
    take(of[source], source);
    EXPECT_TRUE(of[source].of.known) << of[source].of.why;
    EXPECT_STREQ("", of[source].of.why);
    EXPECT_EQ(meta.actions, of[source].of.rows);
    EXPECT_EQ(meta.actions, of[source].of.actions);
    EXPECT_EQ(-1, of[source].of.left);
    EXPECT_EQ(-1, of[source].of.ended);
    for (int64_t hold : {0, 1, 5, 10}) {
      ph_latch_answer a = of[source].ask(hold);
      ASSERT_GE(expected(hold), 0);
      EXPECT_EQ(expected(hold), a.latching.latch) << hold;
      EXPECT_EQ(PH_REFUSAL_NONE, a.refusal);
      EXPECT_STREQ("", a.text);
      EXPECT_EQ(-1, a.row);
    }
    ASSERT_EQ(of[0].of.intervals.n, of[source].of.intervals.n);
    for (size_t i = 0; i < of[0].of.intervals.n; i++) {
      EXPECT_EQ(of[0].of.intervals.at[i].first, of[source].of.intervals.at[i].first);
      EXPECT_EQ(of[0].of.intervals.at[i].last, of[source].of.intervals.at[i].last);
    }
  }
  ph_outcomes all[3] = {of[0].of, of[1].of, of[2].of};
  ph_finding found[4];
  EXPECT_EQ(0u, ph_outcomes_findings(all, 5, found, 4));
}

TEST_F(Outcomes, SuccessThatNeverLatchesIsRefused) {
  judge_by(1.06);
  record_it();
  open();
  for (ph_latch_source source : kAll) {
    Taken of;
    take(of, source);
    ph_latch_answer a = of.ask(100);
    EXPECT_EQ(PH_REFUSAL_NEVER, a.refusal);
    EXPECT_EQ(-1, a.latching.latch);
    EXPECT_EQ(-1, a.row);
    EXPECT_STREQ("success does not latch within the 120 recorded steps", a.text);
  }
}

/* A joint is pushed where no action says so: states replay, actions do not (FIELD row 5).
 */
TEST_F(Outcomes, AReplayThatLeavesTheRecordingBeforeTheLatchIsRefused) {
  kick = 32;
  judge_by(1.06);
  record_it();
  open();
  Taken kinematic, dynamic;
  take(kinematic, PH_LATCH_KINEMATIC);
  take(dynamic, PH_LATCH_DYNAMIC);
  EXPECT_EQ(36, kinematic.ask(11).latching.latch); /* by its states it holds */
  EXPECT_EQ(33, dynamic.of.left);
  EXPECT_EQ(32, dynamic.of.rows);
  ph_latch_answer a = dynamic.ask(11);
  EXPECT_EQ(PH_REFUSAL_LEFT, a.refusal);
  EXPECT_EQ(33, a.row);
  EXPECT_EQ(-1, a.latching.latch);
  std::string start = "the replay leaves the recording at row 33 (wrist, ";
  EXPECT_EQ(start, std::string(a.text).substr(0, start.size()));
  EXPECT_EQ(std::string(a.text).size() - 7, std::string(a.text).find(" rad/s)")) << a.text;
  /* a latch before it is one */
  EXPECT_EQ(expected(5), dynamic.ask(5).latching.latch);
  EXPECT_LT(expected(5), 33);

  ph_outcomes all[3] = {{}, kinematic.of, dynamic.of};
  ph_finding found[4];
  ASSERT_EQ(1u, ph_outcomes_findings(all, 11, found, 4));
  EXPECT_EQ(PH_FINDING_DISAGREEMENT, found[0].kind);
  EXPECT_EQ(33, found[0].step);
  EXPECT_EQ("latch: kinematic 36, dynamic none: " + std::string(a.text), found[0].text);
  EXPECT_EQ(0u, ph_outcomes_findings(all, 11, found, 0));
  EXPECT_EQ(0u, ph_outcomes_findings(all, 5, found, 4));
}

TEST_F(Outcomes, ATolerancePassesOverWhatIsWithinIt) {
  judge_by(1.06);
  record_it();
  state(20)[1] += 1e-7; /* one number of one recorded state */
  open();
  Taken strict, relaxed, narrow;
  ph_outcomes_options how_to = {};
  ph_tolerance tolerance = ph_tolerance_default();
  take(strict, PH_LATCH_DYNAMIC);
  EXPECT_EQ(20, strict.of.left);
  EXPECT_NE(nullptr, strstr(strict.of.left_text, ", 1.0e-7 ")) << strict.of.left_text;
  how_to.tolerance = &tolerance;
  take(relaxed, PH_LATCH_DYNAMIC, &how_to);
  EXPECT_EQ(-1, relaxed.of.left);
  EXPECT_EQ(expected(10), relaxed.ask(10).latching.latch);
  ASSERT_EQ(PH_OK, ph_tolerance_parse(&tolerance, "1e-8"));
  take(narrow, PH_LATCH_DYNAMIC, &how_to);
  EXPECT_EQ(20, narrow.of.left);
}

/* --- the env ends --- */

TEST_F(Outcomes, AFailureBeforeTheLatchIsRefused) {
  judge_by(1.06, "failure = function(s) return s.step == 30 end,");
  record_it();
  open();
  for (ph_latch_source source : {PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC}) {
    Taken of;
    take(of, source);
    EXPECT_EQ(30, of.of.ended);
    EXPECT_EQ(meta.actions, of.of.rows); /* outcomes behind it are known all the same */
    ph_latch_answer a = of.ask(10);
    EXPECT_GT(expected(10), 30);
    EXPECT_EQ(PH_REFUSAL_ENDED, a.refusal);
    EXPECT_EQ(30, a.row);
    EXPECT_STREQ("the env ends the episode at row 30 without success (terminated: failure)",
                 a.text);
    EXPECT_EQ(expected(3), of.ask(3).latching.latch); /* before it */
    EXPECT_LT(expected(3), 30);
  }
}

/* Success outranks failure and the limit at its own row. */
TEST_F(Outcomes, AnEndAtTheVeryRowOfTheLatchIsNone) {
  judge_by(1.06, "failure = function(s) return s.step == 29 end,");
  record_it();
  open();
  int64_t hold = 0;
  while (expected(hold) >= 0 && expected(hold) < 29)
    hold++;
  ASSERT_EQ(29, expected(hold));
  for (ph_latch_source source : {PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC}) {
    Taken of;
    take(of, source);
    EXPECT_EQ(29, of.ask(hold).latching.latch);
    EXPECT_EQ(PH_REFUSAL_ENDED, of.ask(hold + 1).refusal);
  }
}

/* What a task says of a state does not depend on the hold that it was recorded with: the failure
 * at the row where that hold latches is there for a longer one. */
TEST_F(Outcomes, TheHoldThatWasInForceHidesNothing) {
  judge_by(1.06, "failure = function(s) return s.step == 29 or s.latched end,");
  record_it();
  meta.hold_steps = 4; /* latches at 29 */
  meta.hold_seconds = 4 * meta.control_dt;
  open();
  Taken of;
  take(of, PH_LATCH_DYNAMIC);
  EXPECT_EQ(29, of.of.ended);
  EXPECT_EQ(29, of.ask(4).latching.latch) << of.ask(4).text;
}

TEST_F(Outcomes, TheLimitOfStepsEndsAnEpisode) {
  judge_by(1.06, "max_steps = 30,");
  record_it();
  open();
  for (ph_latch_source source : {PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC}) {
    Taken of;
    take(of, source);
    EXPECT_STREQ("the env ends the episode at row 30 without success (truncated: max_steps 30)",
                 of.ask(10).text);
  }
}

TEST_F(Outcomes, ARewardThatIsNoNumberEndsItAndIsNoOutcome) {
  judge_by(1.06, "reward = function(s) return s.step == 30 and 0/0 or 0 end,");
  record_it();
  open();
  for (ph_latch_source source : {PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC}) {
    Taken of;
    take(of, source);
    EXPECT_EQ(29, of.of.rows);
    ph_latch_answer a = of.ask(10);
    EXPECT_EQ(PH_REFUSAL_ENDED, a.refusal);
    EXPECT_EQ(30, a.row);
    EXPECT_NE(nullptr, strstr(a.text, "(nan: step 29: reward is not finite)")) << a.text;
  }
}

TEST_F(Outcomes, AStateThatIsNoNumberEndsItToo) {
  judge_by(1.06);
  record_it();
  state(30)[2] = NAN;
  open();
  Taken of;
  take(of, PH_LATCH_KINEMATIC);
  EXPECT_EQ(30, of.of.ended);
  EXPECT_EQ(29, of.of.rows);
  EXPECT_EQ(PH_REFUSAL_ENDED, of.ask(10).refusal);
  EXPECT_NE(nullptr, strstr(of.ask(10).text, "(nan: ")) << of.ask(10).text;
}

TEST_F(Outcomes, WhatTheFileSaysOfItsEndCountsForTheRecordedSource) {
  judge_by(1.06);
  meta.end_reason = PH_END_TRUNCATED;
  snprintf(meta.end_detail, sizeof meta.end_detail, "max_steps 120");
  record_it();
  open();
  Taken of;
  take(of, PH_LATCH_RECORDED);
  EXPECT_EQ(120, of.of.ended);
  EXPECT_STREQ("the env ends the episode at row 120 without success (truncated: max_steps 120)",
               of.ask(100).text);
  EXPECT_EQ(expected(10), of.ask(10).latching.latch);
}

TEST_F(Outcomes, AFlagInTheMiddleOfTheFileEndsItUnlessItIsSuccess) {
  judge_by(1.06);
  record_it();
  meta.hold_steps = 4;
  int64_t latch = expected(4);
  memory->bytes[PH_COL_FLAGS][static_cast<size_t>(latch) - 1] = PH_FLAG_TERMINATED;
  memory->bytes[PH_COL_FLAGS][31] = PH_FLAG_TERMINATED; /* row 32 */
  open();
  Taken of;
  take(of, PH_LATCH_RECORDED);
  EXPECT_EQ(32, of.of.ended);
  EXPECT_STREQ("the env ends the episode at row 32 without success (terminated)", of.ask(10).text);
}

/* Whether the env has ended in rows whose flags cannot be read is not known, nor what is behind. */
TEST_F(Outcomes, DamagedFlagsEndWhatIsKnown) {
  judge_by(1.06);
  record_it();
  int64_t many = 600; /* three blocks of rows: success at 300 and at 590 */
  std::vector<uint8_t> &bits = memory->bytes[PH_COL_PREDICATE];
  bits.assign(static_cast<size_t>(many) + 1, 0);
  bits[255] = bits[256] = bits[257] = bits[590] = 1;
  memory->bytes[PH_COL_FLAGS].assign(static_cast<size_t>(many), 0);
  meta.actions = many;
  meta.states = many + 1;
  meta.hold_steps = 1;
  open();
  Taken whole, cut, none;
  take(whole, PH_LATCH_RECORDED);
  EXPECT_FALSE(whole.of.damaged);
  EXPECT_EQ(4, whole.of.intervals.true_rows);
  EXPECT_EQ(257, whole.ask(3).latching.latch);
  memory->corrupt_col = PH_COL_FLAGS;
  memory->corrupt = 300; /* the block of rows 257 .. */
  take(cut, PH_LATCH_RECORDED);
  EXPECT_TRUE(cut.of.known);
  EXPECT_TRUE(cut.of.damaged);
  EXPECT_EQ(256, cut.of.rows);
  EXPECT_EQ(2, cut.of.intervals.true_rows);
  ASSERT_EQ(1u, cut.of.intervals.n);
  EXPECT_EQ(256, cut.of.intervals.at[0].last);
  EXPECT_FALSE(cut.of.intervals.at[0].broken);
  EXPECT_EQ(256, cut.ask(2).latching.latch);
  EXPECT_EQ(PH_REFUSAL_NEVER, cut.ask(3).refusal);
  EXPECT_STRNE("", cut.of.why);
  memory->corrupt = 3;
  take(none, PH_LATCH_RECORDED);
  EXPECT_FALSE(none.of.known);
  EXPECT_TRUE(none.of.damaged);
  EXPECT_EQ(PH_REFUSAL_UNKNOWN, none.ask(1).refusal);
}

/* --- sources that have nothing --- */

TEST_F(Outcomes, WithoutAPredicateNothingIsRecorded) {
  judge_by(1.06);
  meta.success = -1;
  record_plain();
  open();
  Taken of;
  take(of, PH_LATCH_RECORDED);
  EXPECT_FALSE(of.of.known);
  EXPECT_EQ(PH_REFUSAL_UNKNOWN, of.ask(1).refusal);
  EXPECT_STREQ("the file stores no predicate", of.ask(1).text);
}

TEST_F(Outcomes, SuccessOfTheWholeEpisodeIsNoPredicate) {
  judge_by(1.06);
  meta.success = 1;
  snprintf(meta.success_source, sizeof meta.success_source, "attribute success: true");
  record_plain();
  open();
  Taken of;
  take(of, PH_LATCH_RECORDED);
  EXPECT_FALSE(of.of.known);
  EXPECT_STREQ("the file stores only that the whole episode is a success (attribute success: true)",
               of.of.why);
}

TEST_F(Outcomes, WithoutATaskOrAModelNothingIsJudged) {
  record_plain();
  open();
  Taken of[4];
  EXPECT_EQ(PH_OK,
            ph_outcomes_take(&of[0].of, PH_LATCH_KINEMATIC, episode, model, nullptr, nullptr));
  EXPECT_STREQ("no task with a success condition", of[0].of.why);
  EXPECT_EQ(PH_LACK_TASK, of[0].of.lack);
  EXPECT_EQ(PH_OK,
            ph_outcomes_take(&of[1].of, PH_LATCH_KINEMATIC, episode, nullptr, nullptr, nullptr));
  EXPECT_STREQ("no model", of[1].of.why);
  EXPECT_EQ(PH_LACK_MODEL, of[1].of.lack);
  EXPECT_EQ(PH_OK,
            ph_outcomes_take(&of[2].of, PH_LATCH_DYNAMIC, episode, nullptr, nullptr, nullptr));
  EXPECT_STREQ("STATES ONLY: no model", of[2].of.why);
  EXPECT_EQ(PH_LACK_MODEL, of[2].of.lack);
  EXPECT_EQ(PH_OK, ph_outcomes_take(&of[3].of, PH_LATCH_DYNAMIC, episode, model, nullptr, nullptr));
  EXPECT_STREQ("no task with a success condition", of[3].of.why);
  EXPECT_EQ(PH_LACK_TASK, of[3].of.lack);
}

TEST_F(Outcomes, StatesAloneCannotBeRunAgain) {
  judge_by(1.06);
  record_it();
  columns &= ~PH_COL_BIT(PH_COL_ACTIONS);
  open();
  Taken kinematic, dynamic;
  take(kinematic, PH_LATCH_KINEMATIC);
  take(dynamic, PH_LATCH_DYNAMIC);
  EXPECT_EQ(expected(10), kinematic.ask(10).latching.latch);
  EXPECT_FALSE(dynamic.of.known);
  EXPECT_STREQ("STATES ONLY: no actions are stored", dynamic.of.why);
  EXPECT_EQ(PH_LACK_OTHER, dynamic.of.lack);
}

TEST_F(Outcomes, AScriptThatFailsKnowsWhatIsBefore) {
  judge_by(1.06);
  std::string text = "return { name = 'swing', control_steps = 2, hold_seconds = 0.04, success = "
                     "function(s) if s.step == 30 then error('no more') end\n"
                     " return s.joint.shoulder > 1.06 end }\n";
  parse(text.c_str());
  record_it();
  open();
  for (ph_latch_source source : {PH_LATCH_KINEMATIC, PH_LATCH_DYNAMIC}) {
    Taken of;
    take(of, source);
    EXPECT_TRUE(of.of.known);
    EXPECT_EQ(29, of.of.rows);
    EXPECT_EQ(expected(3), of.ask(3).latching.latch);
    ph_latch_answer a = of.ask(20);
    EXPECT_EQ(PH_REFUSAL_NEVER, a.refusal);
    std::string start = "success does not latch within the 120 recorded steps: ";
    EXPECT_EQ(start, std::string(a.text).substr(0, start.size()));
    EXPECT_NE(nullptr, strstr(a.text, "no more")) << a.text;
  }
}

TEST_F(Outcomes, DamagedRowsEndWhatIsKnown) {
  judge_by(1.06);
  record_it();
  memory->corrupt = 30;
  memory->corrupt_col = PH_COL_STATES;
  open();
  Taken of;
  take(of, PH_LATCH_KINEMATIC);
  EXPECT_TRUE(of.of.known);
  EXPECT_EQ(29, of.of.rows);
  EXPECT_EQ(expected(3), of.ask(3).latching.latch);
  memory->corrupt = 0;
  Taken none;
  take(none, PH_LATCH_KINEMATIC);
  EXPECT_FALSE(none.of.known);
  EXPECT_STRNE("", none.of.why);
}

/* As robomimic has it: no state after the last action. */
TEST_F(Outcomes, WithoutALastStateTheLastOutcomeIsNotKnown) {
  judge_by(1.06);
  record_it();
  meta.states = meta.actions;
  open();
  for (ph_latch_source source : kAll) {
    Taken of;
    take(of, source);
    EXPECT_EQ(119, of.of.rows);
    EXPECT_EQ(120, of.of.actions);
    EXPECT_EQ(expected(10), of.ask(10).latching.latch);
    EXPECT_STREQ("success does not latch within the 120 recorded steps: outcomes behind row 119 "
                 "are not in the file",
                 of.ask(100).text);
  }
}

/* A command says what the predicate is; what else ends an episode is the task's. */
TEST_F(Outcomes, ACommandJudgesInThePlaceOfTheTask) {
  judge_by(1.06, "failure = function(s) return s.step == 30 end,");
  record_it();
  open();
  ph_outcomes_options how_to = {};
  ASSERT_EQ(PH_OK, ph_judge_open(&how_to.judge,
                                 "python3 -c \"import sys, json\n"
                                 "for text in sys.stdin.buffer:\n"
                                 " head = json.loads(text)\n"
                                 " sys.stdin.buffer.read(8 * head['count'] * head['row'])\n"
                                 " print('0' * 21 + '1' * (head['count'] - 21), flush=True)\"",
                                 nullptr))
      << ph_error();
  Taken of, bare;
  take(of, PH_LATCH_KINEMATIC, &how_to);
  EXPECT_STREQ(meta.task_sha256, of.of.judge); /* it says what the file's own task does */
  EXPECT_EQ(21, of.ask(0).latching.latch);
  EXPECT_EQ(30, of.ask(10).latching.latch);
  EXPECT_STREQ("the env ends the episode at row 30 without success (terminated: failure)",
               of.ask(11).text);
  EXPECT_EQ(PH_OK,
            ph_outcomes_take(&bare.of, PH_LATCH_KINEMATIC, episode, nullptr, nullptr, &how_to));
  EXPECT_EQ(31, bare.ask(11).latching.latch); /* without a task nothing ends it */
  ph_judge_close(how_to.judge);
  how_to.judge = nullptr;
  ASSERT_EQ(PH_OK, ph_judge_open(&how_to.judge, "exit 4", nullptr));
  Taken none;
  EXPECT_EQ(PH_EIO, ph_outcomes_take(&none.of, PH_LATCH_KINEMATIC, episode, model, task, &how_to));
  ph_judge_close(how_to.judge);
}

/* --- holds --- */

/* Everything that could compute a predicate is gone before holds are asked. */
TEST_F(Outcomes, AnotherHoldIsNoOtherPredicate) {
  judge_by(1.06);
  record_it();
  open();
  Taken of[3];
  int64_t want[40];
  for (ph_latch_source source : kAll)
    take(of[source], source);
  for (int64_t hold = 0; hold < 40; hold++)
    want[hold] = expected(hold);
  ph_episode_free(episode);
  ph_task_unref(task);
  ph_model_unref(model);
  episode = nullptr;
  task = nullptr;
  model = nullptr;
  for (ph_latch_source source : kAll)
    for (int64_t hold = 0; hold < 40; hold++)
      EXPECT_EQ(want[hold], of[source].ask(hold).latching.latch) << hold;
}

/* Each state is judged once, and none of them again. */
TEST_F(Outcomes, EachStateIsJudgedOnce) {
  judge_by(1.06);
  std::string text = "local n = 0\nreturn { name = 'swing', control_steps = 2, hold_seconds = 0.04,"
                     " success = function(s) n = n + 1; if n > 121 then error('again') end\n"
                     " return s.joint.shoulder > 1.06 end }\n";
  parse(text.c_str());
  record_it();
  open();
  Taken of;
  take(of, PH_LATCH_KINEMATIC);
  EXPECT_STREQ("", of.of.why);
  EXPECT_EQ(120, of.of.rows);
}

TEST_F(Outcomes, ProgressMayEndIt) {
  judge_by(1.06);
  record_it();
  open();
  ph_outcomes_options how_to = {};
  how_to.progress = [](void *, int64_t, int64_t) { return false; };
  for (ph_latch_source source : kAll) {
    Taken of;
    EXPECT_EQ(PH_ECANCELED, ph_outcomes_take(&of.of, source, episode, model, task, &how_to));
    EXPECT_EQ(nullptr, of.of.intervals.at);
  }
}

/* --- disagreement --- */

TEST_F(Outcomes, APredicateThatTheStatesDoNotBearOutIsAFinding) {
  judge_by(1.06);
  record_it();
  int64_t latch = expected(5);
  memory->bytes[PH_COL_PREDICATE][static_cast<size_t>(latch) - 1] = 0;
  open();
  Taken of[3];
  for (ph_latch_source source : kAll)
    take(of[source], source);
  ph_outcomes all[3] = {of[0].of, of[1].of, of[2].of};
  ph_finding found[4];
  char want[80];
  ASSERT_EQ(2u, ph_outcomes_findings(all, 5, found, 4));
  snprintf(want, sizeof want, "latch: recorded %lld, kinematic %lld",
           (long long)of[0].ask(5).latching.latch, (long long)latch);
  EXPECT_STREQ(want, found[0].text);
  EXPECT_EQ(latch, found[0].step);
  EXPECT_NE(nullptr, strstr(found[1].text, ", dynamic ")) << found[1].text;
  ph_disagreement both[4];
  ASSERT_EQ(2u, ph_outcomes_compare(all, 5, both, 4));
  EXPECT_EQ(PH_LATCH_RECORDED, both[1].a);
  EXPECT_EQ(PH_LATCH_DYNAMIC, both[1].b);
  EXPECT_TRUE(both[1].both);
  EXPECT_STREQ(found[1].text, both[1].finding.text);
  ASSERT_EQ(1u, ph_outcomes_compare(all, 5, both, 1));
  all[0].known = false; /* who knows nothing contradicts nobody */
  EXPECT_EQ(0u, ph_outcomes_findings(all, 5, found, 4));
}

/* Another judge contradicts nobody either; two of its own still may. */
TEST_F(Outcomes, PredicatesOfDifferentJudgesAreNotHeldAgainstEachOther) {
  kick = 32;
  judge_by(1.06);
  record_it();
  open();
  std::string recorded = ph_episode_meta_of(episode)->task_sha256;
  parse("return { name = 'swing', control_steps = 2, hold_seconds = 0.04, success = function(s)\n"
        " return s.joint.shoulder > 0.9 end }\n");
  Taken of[3];
  for (ph_latch_source source : kAll)
    take(of[source], source);
  EXPECT_EQ(recorded, of[0].of.judge);
  EXPECT_STREQ(ph_task_sha256(task), of[1].of.judge);
  EXPECT_STREQ(ph_task_sha256(task), of[2].of.judge);
  ph_outcomes all[3] = {of[0].of, of[1].of, of[2].of};
  ph_disagreement found[4];
  EXPECT_NE(of[0].ask(1).latching.latch, of[1].ask(1).latching.latch);
  EXPECT_EQ(0u, ph_outcomes_compare(all, 1, found, 4));
  int64_t hold = 1;
  while (of[2].ask(hold).latching.latch >= 0 && hold < 100)
    hold++;
  ASSERT_GE(of[1].ask(hold).latching.latch, 0) << hold;
  ASSERT_EQ(1u, ph_outcomes_compare(all, hold, found, 4)); /* physics against the states */
  EXPECT_EQ(PH_LATCH_KINEMATIC, found[0].a);
  EXPECT_EQ(PH_LATCH_DYNAMIC, found[0].b);
  EXPECT_FALSE(found[0].both);
}

} // namespace
