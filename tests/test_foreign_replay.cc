/* Episodes of other recorders in replay: channels as signals, what is promised, what is checked. */
#include "foreign_help.h"

extern "C" {
#include "episode.h"
#include "signals.h"
}

using namespace foreign_help;
using Names = std::vector<std::string>;

static Replay replay_of(const Episode &e, const ph_model *model) {
  ph_replay *r = nullptr;
  EXPECT_EQ(PH_OK, ph_replay_create(&r, e.get(), model, nullptr)) << ph_error();
  return Replay(r);
}

/* The frame's value of that name. */
static double value(const Replay &r, const std::string &name) {
  size_t n = 0;
  const ph_signal *s = ph_replay_signals(r.get(), &n);
  for (size_t i = 0; i < n; i++)
    if (name == s[i].name)
      return ph_replay_frame(r.get())->values[i];
  ADD_FAILURE() << "no signal " << name;
  return NAN;
}

static Names names(const Replay &r, ph_signal_kind kind) {
  size_t n = 0;
  const ph_signal *s = ph_replay_signals(r.get(), &n);
  Names out;
  for (size_t i = 0; i < n; i++)
    if (s[i].kind == kind)
      out.push_back(s[i].name);
  return out;
}

static void go(const Replay &r, int64_t step) {
  ASSERT_EQ(PH_OK, ph_replay_seek(r.get(), step, 0, PH_KINEMATIC)) << ph_error();
}

/* --- signals --- */

TEST(ForeignReplay, ChannelsAreSignalsBehindTheModels) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.add("obs/eef", 3, ramp(12));
  m.add_image("obs/image", 4);
  m.add("obs/width", 1, ramp(4, 100));
  m.f.states = m.add("states", 16, states(4));
  Episode e = m.make(model);
  Replay r = replay_of(e, model);
  EXPECT_EQ(names(r, PH_SIGNAL_CHANNEL),
            (Names{"obs/eef[0]", "obs/eef[1]", "obs/eef[2]", "obs/width"}));
  size_t n = 0;
  const ph_signal *s = ph_replay_signals(r.get(), &n);
  for (size_t i = 0; i < n; i++) {
    bool last = i + 4 >= n;
    EXPECT_EQ(s[i].kind == PH_SIGNAL_CHANNEL, last) << s[i].name;
    EXPECT_EQ(s[i].channel, !last ? -1 : i + 1 == n ? 2 : 0) << s[i].name;
  }
  EXPECT_EQ(s[n - 2].index, 2);
  go(r, 2);
  EXPECT_EQ(value(r, "obs/eef[1]"), 7);
  EXPECT_EQ(value(r, "obs/width"), 102);
  EXPECT_EQ(value(r, "elbow"), 0.2);
}

TEST(ForeignReplay, ARowBelongsToTheStepThatItsShiftSays) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.add("ahead", 1, ramp(4), PH_F64, 1);
  m.add("behind", 1, ramp(4), PH_F64, -1);
  m.add("short", 1, ramp(2));
  m.f.states = m.add("states", 16, states(4));
  Episode e = m.make(model);
  Replay r = replay_of(e, model);
  go(r, 0);
  EXPECT_TRUE(std::isnan(value(r, "ahead")));
  EXPECT_EQ(value(r, "behind"), 1);
  go(r, 3);
  EXPECT_EQ(value(r, "ahead"), 2);
  EXPECT_TRUE(std::isnan(value(r, "behind")));
  EXPECT_TRUE(std::isnan(value(r, "short")));
  EXPECT_STREQ(ph_replay_frame(r.get())->note, "");
  go(r, 1);
  EXPECT_EQ(value(r, "short"), 1);
}

TEST(ForeignReplay, NarrowChannelsComeFirstAndNoMoreThanThereIsRoomFor) {
  Maker m;
  m.add("a", 300, ramp(600));
  m.add("b", 2, ramp(4));
  m.add("c", 200, ramp(400));
  m.add("d", 5000, ramp(10000));
  m.add("e", 300, ramp(600));
  Episode e = m.make(nullptr);
  Replay r = replay_of(e, nullptr);
  Names shown = names(r, PH_SIGNAL_CHANNEL);
  ASSERT_EQ(shown.size(), 502u) << "b, c and the first of two that are as wide";
  EXPECT_EQ(shown[0], "a[0]") << "in the order of the channels";
  EXPECT_EQ(shown[300], "b[0]");
  EXPECT_EQ(shown[302], "c[0]");
  EXPECT_EQ(shown[501], "c[199]");
  Maker two;
  two.add("x", 512, ramp(1024));
  Episode full = two.make(nullptr);
  EXPECT_EQ(names(replay_of(full, nullptr), PH_SIGNAL_CHANNEL).size(), 512u);
}

TEST(ForeignReplay, ADamagedChannelIsNoNumberAndIsNamed) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  int bad = m.add("obs/bad", 2, ramp(8));
  m.add("obs/good", 1, ramp(4));
  m.f.states = m.add("states", 16, states(4));
  m.rows(bad).bad = 1;
  Episode e = m.make(model);
  Replay r = replay_of(e, model);
  go(r, 0);
  EXPECT_STREQ(ph_replay_frame(r.get())->note, "");
  EXPECT_EQ(value(r, "obs/bad[1]"), 1);
  go(r, 1);
  EXPECT_TRUE(std::isnan(value(r, "obs/bad[1]")));
  EXPECT_EQ(value(r, "obs/good"), 1);
  EXPECT_STREQ(ph_replay_frame(r.get())->note, "damaged here: obs/bad");
  EXPECT_TRUE(ph_replay_frame(r.get())->forward) << "the engine needs no channel";
}

TEST(ForeignReplay, AStateThatNoEngineTakesIsSaidWhereItIsShownAndListed) {
  Model model(scene());
  for (bool fits : {true, false}) {
    Maker m;
    m.f.timed = true;
    std::vector<double> rows = states(12);
    rows[16 * 5 + 8] = NAN;
    rows[16 * 9 + 15] = 1e300;
    m.f.states = m.add("states", 16, rows);
    int bad = m.add("obs/bad", 1, ramp(12));
    m.rows(bad).bad = 5;
    Episode e = m.make(fits ? (const ph_model *)model : nullptr, "none");
    std::string found = all(findings(e));
    EXPECT_NE(found.find("oddity 5: states: element 8 is not finite; 1 such\n"), std::string::npos)
        << found;
    EXPECT_EQ(found.find("oddity 9: states: element 15 is 1e+300, which the engine does not take; "
                         "1 such\n") != std::string::npos,
              fits)
        << found;
    Replay r = replay_of(e, fits ? (const ph_model *)model : nullptr);
    go(r, 4);
    EXPECT_STREQ(ph_replay_frame(r.get())->note, "");
    go(r, 5);
    EXPECT_STREQ(ph_replay_frame(r.get())->note,
                 fits ? "damaged here: obs/bad; the engine cannot take this state: qpos[7] "
                        "(joint \"elbow\") is nan"
                      : "damaged here: obs/bad; not finite in the file: states[8]");
    go(r, 9);
    EXPECT_STREQ(ph_replay_frame(r.get())->note,
                 fits ? "the engine cannot take this state: qvel[6] (joint \"elbow\") is 1e+300"
                      : "");
    go(r, 10);
    EXPECT_STREQ(ph_replay_frame(r.get())->note, "");
    EXPECT_EQ(ph_replay_frame(r.get())->forward, fits);
  }
}

TEST(ForeignReplay, OnlyTheFirstStatesOfALongEpisodeAreLookedThrough) {
  Maker m;
  std::vector<double> rows(4 * 70000, 1);
  rows[4 * 65535] = NAN;
  rows[4 * 65536] = NAN;
  m.f.states = m.add("states", 4, rows);
  Episode e = m.make(nullptr, "none");
  EXPECT_EQ(all(findings(e)), "oddity 65535: states: element 0 is not finite; 1 such\n"
                              "missing -1: no model: none\n");
}

TEST(ForeignReplay, ARawEpisodeShowsItsNumbersByPlace) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 18, states(3, 0.05, 0.65, true, 2));
  m.f.actions = m.add("actions", 2, ramp(6));
  Episode e = m.make(model);
  for (const ph_model *with : {static_cast<const ph_model *>(nullptr), (const ph_model *)model}) {
    Replay r = replay_of(e, with);
    EXPECT_EQ(ph_replay_sim(r.get()), nullptr) << "a model that does not fit is not used";
    EXPECT_EQ(names(r, PH_SIGNAL_CHANNEL).size(), 18u);
    EXPECT_EQ(names(r, PH_SIGNAL_QPOS).size(), 0u);
    go(r, 2);
    const ph_frame *frame = ph_replay_frame(r.get());
    EXPECT_DOUBLE_EQ(frame->time, 0.75);
    EXPECT_FALSE(frame->forward);
    EXPECT_EQ(value(r, "states[17]"), 0.25);
    EXPECT_EQ(value(r, "states[8]"), 0.2);
    ASSERT_NE(frame->action, nullptr);
    EXPECT_EQ(frame->action[1], 5);
  }
}

TEST(ForeignReplay, ForcesAreNotKnownWithoutCtrl) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(2));
  Episode e = m.make(model);
  Replay r = replay_of(e, model);
  go(r, 0);
  const ph_frame *frame = ph_replay_frame(r.get());
  ASSERT_TRUE(frame->forward);
  EXPECT_TRUE(std::isnan(value(r, "acc.x"))) << "an acceleration";
  EXPECT_FALSE(std::isnan(value(r, "angle"))) << "a position";
  ASSERT_GT(frame->ncontact, 0u);
  EXPECT_TRUE(std::isnan(frame->contact[0].force));
  EXPECT_TRUE(std::isfinite(frame->contact[0].dist));
}

TEST(ForeignReplay, FailureToAddAppendsNothing) {
  ph_signal *signals = nullptr;
  size_t n = 0;
  ph_channel channel = {};
  snprintf(channel.name, sizeof channel.name, "%s", std::string(120, 'n').c_str());
  channel.kind = PH_CHANNEL_NUMBERS;
  channel.width = 12;
  ASSERT_EQ(PH_OK, ph_signals_add_channels(&signals, &n, &channel, 1));
  ASSERT_EQ(n, 12u);
  EXPECT_EQ(signals[11].name, std::string(120, 'n') + "[11]");
  free(signals);
}

/* --- the guarantee --- */

struct Promise {
  Maker m;
  Promise() {
    m.f.timed = true;
    m.f.states = m.add("states", 16, states(4));
    m.f.actions = m.add("actions", 1, ramp(4));
  }
  std::string judge(const ph_model *model, const char *why = nullptr) {
    char reason[400];
    Episode e = m.make(model, why);
    ph_guarantee g = ph_episode_guarantee(e.get(), model, nullptr, reason, sizeof reason);
    return std::string(ph_guarantee_name(g)) + ": " + reason;
  }
};

TEST(ForeignGuarantee, WhatIsMissingFirstIsTheReason) {
  Model model(scene());
  {
    Promise p;
    EXPECT_EQ(p.judge(nullptr, "it wants 3 meshes"), "STATES ONLY: no model: it wants 3 meshes");
  }
  {
    Promise p;
    p.m.f.states = p.m.add("others", 18, states(4, 0.05, 0, true, 2));
    EXPECT_EQ(p.judge(model), "STATES ONLY: the model does not fit: a state has 18 numbers; the "
                              "model wants 1+nq+nv = 1+8+7 = 16");
  }
  {
    Promise p;
    p.m.f.actions = -1;
    EXPECT_EQ(p.judge(model), "STATES ONLY: no actions are stored");
  }
  {
    Promise p;
    p.m.f.actions = p.m.add("seven", 7, ramp(28));
    snprintf(p.m.f.meta.controller, sizeof p.m.f.meta.controller, "OSC_POSE");
    EXPECT_EQ(p.judge(model), "STATES ONLY: 7 actions feed OSC_POSE, which the file does not hold");
  }
  {
    Promise p;
    p.m.f.actions = p.m.add("one", 1, ramp(4));
    snprintf(p.m.f.meta.controller, sizeof p.m.f.meta.controller, "OSC_POSE");
    EXPECT_EQ(p.judge(model), "STATES ONLY: 1 action feeds OSC_POSE, which the file does not hold");
  }
  {
    Promise p;
    p.m.f.actions = p.m.add("seven", 7, ramp(28));
    EXPECT_EQ(p.judge(model), "STATES ONLY: 7 actions for 1 actuator, and no task that maps them");
  }
}

TEST(ForeignGuarantee, ActionsAsWideAsCtrlAreTriedAsCtrl) {
  Model model(scene());
  {
    Promise p;
    p.m.text(scene());
    EXPECT_EQ(p.judge(model), "NOT EXACT: no warmstart is stored; actions are taken as ctrl");
  }
  {
    Promise p;
    p.m.text("<mujoco a='0.123456 1.23457 -7.65432e-05 1'/>");
    EXPECT_EQ(p.judge(model), "NOT EXACT: no warmstart is stored; the writer rounded the model's "
                              "text; actions are taken as ctrl");
  }
  {
    Promise p;
    p.m.text("<mujoco a='0.123456 1.23457 -7.65432e-05 0.70710678'/>");
    EXPECT_EQ(p.judge(model), "NOT EXACT: no warmstart is stored; actions are taken as ctrl")
        << "a number of eight digits was not rounded to six";
  }
  {
    Promise p;
    p.m.text(scene());
    p.m.f.arrays[p.m.f.states].stored = PH_F32;
    EXPECT_EQ(p.judge(model), "NOT EXACT: states are stored as float32; no warmstart is stored; "
                              "actions are taken as ctrl");
  }
  {
    Promise p;
    EXPECT_EQ(p.judge(model), "NOT EXACT: no warmstart is stored; the model is not the file's own; "
                              "actions are taken as ctrl");
  }
}

TEST(ForeignGuarantee, WhatWasLeftOutOfTheModelIsTheWorst) {
  for (int left = 0; left < 4; left++) {
    ph_source *source = help_source(scene());
    source->notes = static_cast<char **>(calloc(1, sizeof *source->notes));
    source->notes[0] = help_text("line 3: colorspace of <texture> is left out: pictures only");
    source->nnotes = 1; /* words decide nothing */
    source->reduced = left & 1;
    source->altered = left & 2;
    ph_model *model = nullptr;
    ASSERT_EQ(PH_OK, ph_model_from_source(&model, source, nullptr, nullptr)) << ph_error();
    Promise p;
    p.m.text(scene());
    std::string lost;
    if (left & 1)
      lost += "parts of the model are left out; ";
    if (left & 2)
      lost += "what its writer's engine knew of forces or masses is left out; ";
    EXPECT_EQ(p.judge(model),
              "NOT EXACT: " + lost + "no warmstart is stored; actions are taken as ctrl");
    ph_model_unref(model);
  }
}

TEST(ForeignGuarantee, NothingIsPromisedWithoutARate) {
  Model model(scene());
  Maker m;
  m.f.states = m.add("states", 15, states(4, 0, 0, false));
  m.f.actions = m.add("actions", 1, ramp(4));
  Episode e = m.make(model);
  char reason[200];
  EXPECT_EQ(PH_STATES_ONLY, ph_episode_guarantee(e.get(), model, nullptr, reason, sizeof reason));
  EXPECT_STREQ(reason, "how many substeps a step has is not known");
}

/* --- verify --- */

static Names flaws(const ph_verdict &v) {
  Names out;
  for (size_t i = 0; i < v.nflaws; i++)
    out.push_back(std::to_string(v.flaw[i].step) + ": " + v.flaw[i].text);
  return out;
}

static ph_verdict verify(const Episode &e, const ph_model *model) {
  ph_verdict v;
  EXPECT_EQ(PH_OK, ph_verify_episode(&v, e.get(), model, nullptr, nullptr)) << ph_error();
  return v;
}

TEST(ForeignVerify, NothingIsClaimedOfAFileInOrder) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(5));
  m.f.actions = m.add("actions", 1, ramp(5));
  m.f.rewards = m.f.success = m.add("rewards", 1, {0, 1, 1, 1, 0});
  m.f.dones = m.add("dones", 1, {0, 1, 1, 1, 0}); /* 1 where the outcome is a success */
  Episode e = m.make(model);
  ph_verdict v = verify(e, model);
  EXPECT_EQ(flaws(v), Names{});
  EXPECT_EQ(v.checked, 5);
  EXPECT_EQ(v.columns, 5u);
  EXPECT_EQ(v.reward, 3);
  EXPECT_FALSE(v.checksums);
  EXPECT_LT(v.time_error, 1e-12);
}

TEST(ForeignVerify, TheLatchIsThatOfTheRecordedSuccess) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(5));
  m.f.actions = m.add("actions", 1, ramp(5));
  m.f.rewards = m.f.success = m.add("rewards", 1, {0, 1, 1, 1, 0});
  ph_verdict v = verify(m.make(model), model);
  EXPECT_TRUE(v.latch_known);
  EXPECT_EQ(v.latch_recorded, 2) << "the state that action 1 led to";
  EXPECT_EQ(flaws(v), Names{});
}

TEST(ForeignVerify, AnAttributeThatIsWrongMakesNoRowWrong) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(5));
  m.f.actions = m.add("actions", 1, ramp(5));
  ph_foreign_find(&m.f, PH_FINDING_ODDITY, -1, "num_samples is 9, there are 5 actions");
  ph_foreign_find(&m.f, PH_FINDING_ODDITY, 3, "a row is odd");
  Episode e = m.make(model);
  EXPECT_EQ(flaws(verify(e, model)), Names{"3: a row is odd"});
}

TEST(ForeignVerify, ActionsAreNoMustAndRawStatesNeither) {
  Model model(scene());
  for (bool fits : {true, false}) {
    Maker m;
    m.f.timed = true;
    m.f.states = m.add("states", fits ? 16 : 18, states(5, 0.05, 0, true, fits ? 0 : 2));
    Episode e = m.make(model);
    EXPECT_EQ(flaws(verify(e, fits ? (const ph_model *)model : nullptr)), Names{});
  }
}

TEST(ForeignVerify, WhatTheFileContradictsItselfInIsAFlawOnce) {
  Model model(scene());
  Maker m;
  std::vector<double> rows = states(8);
  rows[16 * 4] = rows[16 * 3];
  rows[16 * 6 + 3] = INFINITY;
  m.f.timed = true;
  m.f.states = m.add("states", 16, rows);
  m.f.actions = m.add("actions", 1, ramp(4));
  Episode e = m.make(model);
  EXPECT_EQ(flaws(verify(e, model)),
            (Names{"4: 4 actions for 8 states: from step 4 on the states have none",
                   "4: time: it stands still at step 4",
                   "5: time: steps are irregular: 0.05 to 0.1 s, median 0.05 s; not the median at "
                   "step 5",
                   "6: states: element 3 at step 6 is not finite; 1 such"}));
}

TEST(ForeignVerify, FloatsAreNotBlamedForTheirRounding) {
  Model model(scene());
  std::vector<double> rows = states(400);
  for (size_t i = 0; i < rows.size(); i += 16) {
    double half = 0.001 * static_cast<double>(i);
    rows[i + 4] = cos(half);
    rows[i + 7] = sin(half);
  }
  for (double &x : rows)
    x = static_cast<double>(static_cast<float>(x));
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, rows, PH_F32);
  Episode e = m.make(model);
  EXPECT_EQ(flaws(verify(e, model)), Names{});
  rows[16 * 9 + 4] += 0.1;
  Maker n;
  n.f.timed = true;
  n.f.states = n.add("states", 16, rows, PH_F32);
  Episode wrong = n.make(model);
  EXPECT_EQ(flaws(verify(wrong, model)).size(), 1u);
}

TEST(ForeignVerify, DamageIsFound) {
  Model model(scene());
  Maker m;
  m.f.timed = true;
  m.f.states = m.add("states", 16, states(5));
  m.f.actions = m.add("actions", 1, ramp(5));
  m.rows(m.f.actions).bad = 3;
  Episode e = m.make(model);
  EXPECT_EQ(flaws(verify(e, model)), Names{"0: actions: actions: row 3 is damaged"});
}
