/* What becomes of the arrays of another recorder: which model fits, columns, lengths, channels. */
#include <cmath>

#include "foreign_help.h"

#include <playhead/export.h>
#include <playhead/track.h>

using namespace foreign_help;
using Names = std::vector<std::string>;

static bool same(const std::vector<double> &a, const std::vector<double> &b) {
  return a.size() == b.size() && memcmp(a.data(), b.data(), a.size() * 8) == 0;
}

/* --- the hand-over --- */

TEST(Foreign, ClearClosesEveryArray) {
  int closed = 0;
  {
    Maker m;
    for (int i = 0; i < 9; i++)
      m.add("a" + std::to_string(i), 1, {1, 2});
    m.add_image("picture", 2);
    EXPECT_EQ(m.f.narrays, 10u);
    EXPECT_STREQ(m.f.arrays[8].channel.name, "a8");
    ph_foreign_clear(&m.f);
    closed = m.closed;
    EXPECT_EQ(m.f.narrays, 0u);
    EXPECT_EQ(m.f.arrays, nullptr);
  }
  EXPECT_EQ(closed, 9);
}

TEST(Foreign, NamesAndSentencesAreEscapedAndCut) {
  Maker m;
  m.add("obs/\x1b[31m\xff" + std::string(300, 'x'), 1, {1});
  EXPECT_EQ(std::string(m.f.arrays[0].channel.name).substr(0, 17), "obs/\\x1b[31m\\xffx");
  EXPECT_LT(strlen(m.f.arrays[0].channel.name), sizeof m.f.arrays[0].channel.name);
  ph_foreign_find(&m.f, PH_FINDING_ODDITY, 3, "%s\n%s", "one", std::string(900, 'y').c_str());
  ASSERT_EQ(m.f.nfindings, 1u);
  EXPECT_EQ(m.f.findings[0].step, 3);
  EXPECT_EQ(std::string(m.f.findings[0].text).substr(0, 8), "one\\x0ay");
  EXPECT_EQ(strlen(m.f.findings[0].text), sizeof m.f.findings[0].text - 1);
}

TEST(Foreign, TheNumberOfSentencesIsBounded) {
  Maker m;
  for (int i = 0; i < 5000; i++)
    ph_foreign_find(&m.f, PH_FINDING_ODDITY, i, "sentence %d", i);
  EXPECT_EQ(m.f.nfindings, 1000u);
  EXPECT_STREQ(m.f.findings[998].text, "sentence 998");
  EXPECT_STREQ(m.f.findings[999].text, "4001 more findings are not listed");
}

TEST(Foreign, TheEpisodeOwnsTheArrays) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(4));
  m.add("obs/x", 2, ramp(8));
  Episode e = m.make(model);
  EXPECT_EQ(m.closed, 0);
  e.reset();
  EXPECT_EQ(m.closed, 2);
}

/* --- the model --- */

TEST(Foreign, AModelWhoseWidthFitsGivesTheColumnsTheirNames) {
  Model model(scene());
  Maker m;
  std::vector<double> rows = states(5);
  rows[17] = 0x1.23456789abcdep-5; /* bits that decimal text would lose */
  m.f.timed = true;
  m.f.states = m.add("states", 16, rows);
  Episode e = m.make(model);
  const ph_episode_meta *meta = ph_episode_meta_of(e.get());
  EXPECT_EQ(meta->states, 5);
  EXPECT_EQ(meta->dims.nq, 8);
  EXPECT_EQ(meta->dims.nv, 7);
  EXPECT_EQ(meta->dims.nu, 1);
  EXPECT_STREQ(meta->model_sha256, ph_model_sha256(model));
  EXPECT_TRUE(same(read(e, PH_COL_STATES), rows));
  EXPECT_EQ(channels(e), Names{});
  EXPECT_EQ(all(findings(e)), "");
}

TEST(Foreign, AnotherWidthIsNamedWithBothSides) {
  Model model(scene());
  Maker m;
  std::vector<double> rows = states(3, 0.05, 0.65, true, 2);
  m.f.timed = true;
  m.f.states = m.add("states", 18, rows);
  Episode e = m.make(model);
  const ph_episode_meta *meta = ph_episode_meta_of(e.get());
  EXPECT_EQ(findings(e), Names{"missing -1: the model does not fit: a state has 18 numbers; the "
                               "model wants 1+nq+nv = 1+8+7 = 16"});
  EXPECT_STREQ(meta->model_sha256, "");
  EXPECT_EQ(meta->dims.nq + meta->dims.nv + meta->dims.na + meta->dims.nu, 0);
  EXPECT_EQ(channels(e), Names{"states"});
  EXPECT_TRUE(same(read(e, PH_COL_STATES), {rows[0], rows[18], rows[36]}))
      << "the state is its time alone";
  std::vector<double> back(3 * 18);
  ASSERT_EQ(PH_OK, ph_episode_channel_read(e.get(), 0, 0, 3, back.data()));
  EXPECT_TRUE(same(back, rows));
}

TEST(Foreign, ActivationsAreThereOrNotStored) {
  Model model(scene(true));
  for (int act = 0; act < 2; act++) {
    Maker m;
    m.f.timed = true;
    m.f.states = m.add("states", static_cast<size_t>(16 + act), states(4, 0.05, 0, true, act));
    Episode e = m.make(model);
    std::vector<double> got = read(e, PH_COL_STATES);
    ASSERT_EQ(got.size(), 4u * 17);
    EXPECT_EQ(got[16], act ? 0.25 : 0);
    EXPECT_EQ(got[17 + 8], 0.1) << "the second row is where it belongs";
    EXPECT_EQ(all(findings(e)), act ? ""
                                    : "missing -1: states: the model's 1 activations are not in "
                                      "the file and are shown as 0\n");
  }
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 18, states(4, 0.05, 0, true, 2));
  EXPECT_NE(all(findings(m.make(model))).find("1+nq+nv+na = 1+8+7+1 = 17"), std::string::npos);
}

TEST(Foreign, StatesWithoutTimeGetOneFromTheRate) {
  Model model(scene());
  Maker m;
  m.f.states = m.add("states", 15, states(4, 0, 0, false));
  m.f.dt = 0.04;
  Episode e = m.make(model);
  std::vector<double> got = read(e, PH_COL_STATES);
  ASSERT_EQ(got.size(), 4u * 16);
  for (int t = 0; t < 4; t++) {
    EXPECT_DOUBLE_EQ(got[static_cast<size_t>(t) * 16], 0.04 * t);
    EXPECT_EQ(got[static_cast<size_t>(t) * 16 + 8], 0.1 * t) << "the hinge";
  }
}

TEST(Foreign, TheWidthSaysThatARowHasNoTime) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 15, states(4, 0, 0, false));
  Episode e = m.make(model);
  EXPECT_EQ(ph_episode_meta_of(e.get())->dims.nq, 8);
  EXPECT_EQ(read(e, PH_COL_STATES)[16], 1) << "rate unknown: the place of the row";
  EXPECT_EQ(findings(e)[0], "oddity -1: states: a row has no time: nq+nv = 8+7 = 15");
}

TEST(Foreign, TheWidthSaysThatARowHasATimeThatGoesBack) {
  Model model(scene());
  Maker m;
  m.f.states = m.add("states", 16, states(4, -0.05));
  m.f.dt = 0.05;
  Episode e = m.make(model);
  EXPECT_EQ(ph_episode_meta_of(e.get())->dims.nq, 8);
  EXPECT_EQ(read(e, PH_COL_STATES)[16], -0.05);
  EXPECT_EQ(read(e, PH_COL_STATES)[16 + 8], 0.1) << "the hinge";
  EXPECT_EQ(findings(e)[0], "oddity 1: time: it goes back at 3 steps, the first is 1");
}

TEST(Foreign, WhyThereIsNoModelIsSaid) {
  const struct {
    const char *why, *fault, *want;
  } cases[] = {
      {"it wants 3 meshes", "", "no model: it wants 3 meshes"},
      {nullptr, "models/m.xml is missing", "no model: models/m.xml is missing"},
      {"", "", "no model: the file names none"},
  };
  for (const auto &c : cases) {
    Maker m;
    m.f.states = m.add("states", 3, ramp(9));
    snprintf(m.f.model_fault, sizeof m.f.model_fault, "%s", c.fault);
    Episode e = m.make(nullptr, c.why);
    EXPECT_EQ(findings(e), Names{std::string("missing -1: ") + c.want});
  }
}

TEST(Foreign, AModelNeedsFlatStates) {
  Model model(scene());
  Maker m;
  m.f.meta.states = 4;
  m.add("qpos", 8, ramp(32));
  Episode e = m.make(model);
  EXPECT_EQ(ph_episode_meta_of(e.get())->states, 4);
  EXPECT_EQ(channels(e), Names{"qpos"});
  EXPECT_NE(all(findings(e)).find("no states of one row each"), std::string::npos);
}

/* --- lengths --- */

static Episode with_actions(Maker &m, const ph_model *model, int64_t s, int64_t rows, int shift) {
  m.f.timed = true;
  m.f.action_shift = shift;
  m.f.states = m.add("states", 16, states(s));
  m.f.actions = m.add("actions", 2, ramp(2 * rows));
  return m.make(model);
}

TEST(Foreign, ActionsAreCountedFromTheOneThatIsTakenAtStateZero) {
  Model model(scene());
  const struct {
    int64_t s, rows;
    int shift;
    int64_t a;
    double first;
    const char *said;
  } cases[] = {
      {5, 5, 0, 5, 0, ""},
      {6, 5, 0, 5, 0, ""},
      {5, 5, 1, 4, 2, ""},
      {9, 12, 0, 9, 0,
       "oddity 8: 12 actions for 9 states: the last 3 have no state and are left out\n"},
      {267, 217, 0, 217, 0,
       "oddity 217: 217 actions for 267 states: from step 217 on the states have none\n"},
      {3, 2, 5, 0, 0, ""},
  };
  for (const auto &c : cases) {
    Maker m;
    Episode e = with_actions(m, model, c.s, c.rows, c.shift);
    const ph_episode_meta *meta = ph_episode_meta_of(e.get());
    EXPECT_EQ(meta->states, c.s);
    EXPECT_EQ(meta->actions, c.a);
    EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_ACTIONS), c.a);
    EXPECT_EQ(all(findings(e)), c.said);
    EXPECT_EQ(ph_episode_has(e.get(), PH_COL_FINAL_STATE), c.s == c.a + 1);
    if (c.a > 0) {
      EXPECT_EQ(read(e, PH_COL_ACTIONS)[0], c.first);
      EXPECT_EQ(channels(e), Names{});
    } else {
      EXPECT_EQ(channels(e), Names{"actions"}) << "what is no column is a channel";
    }
  }
}

TEST(Foreign, AnActionThatNobodyStoredIsNoNumber) {
  Model model(scene());
  Maker m;
  Episode e = with_actions(m, model, 4, 3, -1);
  std::vector<double> got = read(e, PH_COL_ACTIONS);
  ASSERT_EQ(got.size(), 8u);
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(got[7], 5);
}

TEST(Foreign, TheLastStateIsTheFinalOne) {
  Model model(scene());
  Maker m;
  Episode e = with_actions(m, model, 6, 5, 0);
  double last[16];
  ASSERT_EQ(PH_OK, ph_episode_read(e.get(), PH_COL_FINAL_STATE, 0, 1, last)) << ph_error();
  std::vector<double> rows = states(6);
  EXPECT_EQ(0, memcmp(last, &rows[5 * 16], sizeof last));
}

TEST(Foreign, WithoutAnyArrayOfStatesTheLongestCounts) {
  Maker m;
  m.add("a", 1, ramp(3));
  m.add("b", 1, ramp(8));
  Episode e = m.make(nullptr);
  EXPECT_EQ(ph_episode_meta_of(e.get())->states, 8);
  EXPECT_EQ(read(e, PH_COL_STATES), ramp(8));
  EXPECT_STREQ(ph_episode_meta_of(e.get())->rate_source, "rate unknown: one row is one unit");
}

/* --- outcome --- */

TEST(Foreign, TheOutcomeOfAnActionIsInTheStateAfterIt) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(5));
  m.f.actions = m.add("actions", 1, ramp(5));
  m.f.rewards = m.add("rewards", 1, {0, 0, 1, 0.5, 1}, PH_F32);
  m.f.dones = m.add("dones", 1, {0, 0, 2, NAN, -1}, PH_I64);
  m.f.success = m.f.rewards;
  Episode e = m.make(model);
  EXPECT_EQ(read_bytes(e, PH_COL_PREDICATE), (std::vector<int>{0, 0, 0, 1, 0}));
  EXPECT_EQ(read_bytes(e, PH_COL_DONES), (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(read(e, PH_COL_REWARDS), (std::vector<double>{0, 0, 1, 0.5, 1}));
  EXPECT_EQ(findings(e),
            (Names{"oddity 2: dones: 3 of 5 are neither 0 nor 1, the first at step 2: 2",
                   "missing 4: success is recorded for the last action; the state after it is not "
                   "in the file"}));
  const ph_episode_meta *meta = ph_episode_meta_of(e.get());
  EXPECT_EQ(meta->success, 1);
  EXPECT_STREQ(meta->success_source, "rewards: 1 at the last action");
  EXPECT_EQ(meta->end_reason, PH_END_SUCCESS);
  EXPECT_LT(meta->hold_seconds, 0);
  EXPECT_EQ(ph_episode_stored_type(e.get(), PH_COL_REWARDS), PH_F32);
  EXPECT_EQ(ph_episode_stored_type(e.get(), PH_COL_DONES), PH_I64);
  EXPECT_EQ(ph_episode_stored_type(e.get(), PH_COL_ACTIONS), PH_F64);
}

TEST(Foreign, APieceOfThePredicateIsThatPiece) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(6));
  m.f.actions = m.add("actions", 1, ramp(5));
  m.f.success = m.add("success", 1, {1, 0, 1, 1, 0});
  Episode e = m.make(model);
  EXPECT_EQ(read_bytes(e, PH_COL_PREDICATE), (std::vector<int>{0, 1, 0, 1, 1, 0}));
  uint8_t two[2];
  ASSERT_EQ(PH_OK, ph_episode_read(e.get(), PH_COL_PREDICATE, 2, 2, two));
  EXPECT_EQ(two[0] + 10 * two[1], 10);
  ASSERT_EQ(PH_OK, ph_episode_read(e.get(), PH_COL_PREDICATE, 0, 1, two));
  EXPECT_EQ(two[0], 0);
  EXPECT_EQ(all(findings(e)), "");
  EXPECT_EQ(ph_episode_meta_of(e.get())->success, -1) << "the last action was none";
  EXPECT_EQ(channels(e), Names{"success"}) << "it stays readable as it is";
}

static bool append(void *to, const char *text, size_t size) {
  static_cast<std::string *>(to)->append(text, size);
  return true;
}

TEST(Foreign, TheFirstStateHasNoOutcomeInTracksAndExports) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(4));
  m.f.actions = m.add("actions", 1, ramp(4));
  m.f.rewards = m.f.success = m.add("rewards", 1, {1, 0, 1, 0});
  Episode e = m.make(model);
  ph_tracks *tracks = nullptr;
  size_t place = 0;
  double value[5];
  ASSERT_EQ(PH_OK, ph_tracks_make(&tracks, e.get(), model));
  ASSERT_EQ(1u, ph_tracks_find(tracks, "predicate", &place, 1));
  EXPECT_EQ(3, ph_tracks_at(tracks, place)->rows);
  EXPECT_EQ(1, ph_tracks_at(tracks, place)->shift);
  ASSERT_EQ(PH_OK, ph_tracks_read(tracks, place, 0, 5, value));
  EXPECT_TRUE(std::isnan(value[0]) && std::isnan(value[4])) << "as of a reward";
  EXPECT_EQ(std::vector<double>(value + 1, value + 4), (std::vector<double>{1, 0, 1}));
  ph_tracks_free(tracks);
  std::string csv;
  ph_export_options opt = PH_EXPORT_OPTIONS_INIT;
  opt.columns = "predicate,reward";
  ASSERT_EQ(PH_OK, ph_export_csv(e.get(), model, &opt, append, &csv)) << ph_error();
  EXPECT_EQ(csv, "step,predicate,reward\n0,,\n1,1,1\n2,0,0\n3,1,1\n4,,0\n");
}

TEST(Foreign, WhatTheFileSaysOfSuccessHolds) {
  Model model(scene());
  for (int said : {0, 1}) {
    Maker m;
    m.f.timed = true;
    m.f.states = m.add("states", 16, states(3));
    m.f.meta.success = said;
    snprintf(m.f.meta.success_source, sizeof m.f.meta.success_source, "attr success");
    Episode e = m.make(model);
    EXPECT_EQ(ph_episode_meta_of(e.get())->success, said);
    EXPECT_EQ(ph_episode_meta_of(e.get())->end_reason, said ? PH_END_SUCCESS : PH_END_UNKNOWN);
  }
  Maker m;
  m.f.states = m.add("states", 3, ramp(9));
  m.f.meta.success = 0; /* a reader that did not say */
  EXPECT_EQ(ph_episode_meta_of(m.make(nullptr).get())->success, -1);
}

TEST(Foreign, ShortRewardsAreSaidAndNotStretched) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(8));
  m.f.actions = m.add("actions", 1, ramp(7));
  m.f.rewards = m.f.success = m.add("rewards", 1, {0, 1, 1});
  m.f.dones = m.add("dones", 1, std::vector<double>(9, 1));
  Episode e = m.make(model);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_REWARDS), 3);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_DONES), 7);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_PREDICATE), 4);
  EXPECT_EQ(findings(e),
            (Names{"oddity 3: rewards: 3 rows for 7 actions: from step 3 on there are none",
                   "oddity -1: dones: 9 rows for 7 actions"}));
  EXPECT_STREQ(ph_episode_meta_of(e.get())->oddity,
               "rewards: 3 rows for 7 actions: from step 3 on there are none");
}

TEST(Foreign, RewardsWithoutActionsAreAChannelOfOutcomes) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(4));
  m.f.rewards = m.add("rewards", 1, ramp(4));
  Episode e = m.make(model);
  size_t n = 0;
  const ph_channel *c = ph_episode_channels(e.get(), &n);
  ASSERT_EQ(n, 1u);
  EXPECT_EQ(c[0].shift, 1);
  EXPECT_FALSE(ph_episode_has(e.get(), PH_COL_REWARDS));
}

TEST(Foreign, AnArrayThatCannotBeWhatItIsCalledIsSaid) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(4));
  m.f.actions = m.add_image("actions", 4);
  m.f.rewards = m.add("rewards", 3, ramp(12));
  Episode e = m.make(model);
  EXPECT_EQ(findings(e), (Names{"missing -1: actions: they cannot be read as actions",
                                "oddity -1: rewards: 3 numbers in a row: they are not taken as "
                                "rewards"}));
  EXPECT_EQ(channels(e), (Names{"actions", "rewards"}));
}

/* --- channels --- */

TEST(Foreign, EveryOtherArrayIsAChannel) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.add("next_obs/ee_pos", 3, ramp(12), PH_F32, 1);
  m.add_image("obs/agentview_rgb", 4);
  m.add("obs/ee_pos", 3, ramp(12), PH_F32, 1);
  m.f.states = m.add("states", 16, states(4));
  m.add("zero", 0, {});
  Episode e = m.make(model);
  size_t n = 0;
  const ph_channel *c = ph_episode_channels(e.get(), &n);
  ASSERT_EQ(channels(e), (Names{"zero", "obs/agentview_rgb", "obs/ee_pos", "next_obs/ee_pos"}))
      << "observations behind the rest, those of the state after last";
  EXPECT_EQ(c[0].kind, PH_CHANNEL_OTHER);
  EXPECT_STREQ(c[0].note, "a row has no numbers");
  EXPECT_EQ(c[1].kind, PH_CHANNEL_IMAGE);
  EXPECT_EQ(c[2].kind, PH_CHANNEL_NUMBERS);
  EXPECT_EQ(c[2].shift, 1);
  double row[3];
  EXPECT_EQ(PH_OK, ph_episode_channel_read(e.get(), 2, 2, 1, row));
  EXPECT_EQ(row[2], 8);
  EXPECT_EQ(PH_EINVAL, ph_episode_channel_read(e.get(), 1, 0, 1, row));
  EXPECT_EQ(PH_EINVAL, ph_episode_channel_read(e.get(), 2, 4, 1, row));
  EXPECT_EQ(PH_EINVAL, ph_episode_channel_read(e.get(), 9, 0, 1, row));
}

TEST(Foreign, StatesThatAreNoColumnAreTheFirstChannel) {
  Maker m;
  m.f.timed = true;
  m.add("obs/ee_pos", 3, ramp(12));
  m.f.actions = m.add("actions", 2, ramp(8));
  m.f.states = m.add("states", 16, states(4));
  Episode e = m.make(nullptr);
  ASSERT_EQ(channels(e), (Names{"states", "obs/ee_pos"}));
}

TEST(Foreign, LongColumnsAreReadInPieces) {
  Maker m;
  const int64_t n = 3000;
  m.f.timed = true;
  m.f.states = m.add("states", 100, ramp(100 * n));
  Rows *rows = &m.rows(m.f.states);
  Episode e = m.make(nullptr);
  rows->most = 0;
  std::vector<double> got = read(e, PH_COL_STATES);
  EXPECT_EQ(got.size(), 3000u);
  EXPECT_EQ(got[2999], 299900);
  EXPECT_LT(rows->most, 2000) << "not all at once";
}
