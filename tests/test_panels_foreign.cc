// What a screen shows of other people's files: plots, findings, numbers without a model, channels,
// groups, lengths that fill in. Against tests/golden/panels_*.txt where whole screens are meant.
#include <gtest/gtest.h>

#include <algorithm>

#include "panel_fixture.h"

extern "C" {
#include "cmd.h"
}

namespace {

void expect_golden(const std::string &name, const std::string &text) {
  std::string path = golden_path(name);
  if (std::getenv("PH_GOLDEN_UPDATE")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream want;
  want << file.rdbuf();
  EXPECT_EQ(want.str(), text) << name << " differs; look at it, and if it is right: "
                              << "PH_GOLDEN_UPDATE=1 meson test panels_foreign";
}

struct Foreign : Fixture {
  std::vector<ph_finding> findings;
  std::vector<ph_channel> channels;
  std::vector<std::vector<ph_span>> parts;
  series curves[PLOT_CURVES] = {};
  std::vector<size_t> members;
  group some{};

  void finding(ph_finding_kind kind, int64_t step, const char *text) {
    ph_finding f{};
    f.kind = kind;
    f.step = step;
    set_text(f.text, text);
    findings.push_back(f);
    film.findings = findings.data();
    film.nfindings = findings.size();
  }

  void three_findings() {
    finding(PH_FINDING_ODDITY, -1, "num_samples is 322, there are 341 actions");
    finding(PH_FINDING_ODDITY, 101,
            "time: 1 state has the time of the one before, the first is 101; a clock that stood");
    finding(PH_FINDING_MENDED, -1, "pos=\"[0, 0, 0.005]\" was read as 0 0 0.005");
  }

  void channel(const char *name, ph_channel_kind kind, const char *type, std::vector<int64_t> shape,
               const char *note = "") {
    ph_channel c{};
    set_text(c.name, name);
    c.kind = kind;
    set_text(c.type, type);
    c.rank = (int)shape.size();
    std::copy(shape.begin(), shape.end(), c.dim);
    c.rows = shape[0];
    c.width = kind == PH_CHANNEL_NUMBERS ? (shape.size() > 1 ? (size_t)shape[1] : 1) : 0;
    set_text(c.note, note);
    int at = (int)channels.size();
    channels.push_back(c);
    for (size_t i = 0; i < c.width; i++) {
      std::string number = name;
      if (shape.size() > 1)
        number += "[" + std::to_string(i) + "]";
      signal(number.c_str(), "", PH_SIGNAL_CHANNEL, 0.5 * (double)i + at);
      signals.back().channel = at;
      signals.back().index = (int)i;
    }
    film.channels = channels.data();
    film.nchannels = channels.size();
    wire();
  }

  void observations() {
    channel("obs/agentview_rgb", PH_CHANNEL_IMAGE, "uint8", {342, 128, 128, 3});
    const char *ahead = "one step ahead of the states: taken after the action";
    channel("obs/eef_pos", PH_CHANNEL_NUMBERS, "float64", {342, 3}, ahead);
    channel("obs/gripper", PH_CHANNEL_NUMBERS, "float32", {342}, ahead);
    channel("labels", PH_CHANNEL_OTHER, "object", {342}, "variable-length text");
  }

  // Without a model: the states are one more channel.
  void raw() {
    signals.clear();
    values.clear();
    contacts.clear();
    channel("states", PH_CHANNEL_NUMBERS, "float64", {342, 32});
    film.raw = true;
    film.guarantee = PH_STATES_ONLY;
    set_text(film.model_note, "no model: 2 files of it cannot be had: link0.stl, link1.stl");
    set_text(film.reason, film.model_note);
    wire();
    snap.has_conditions = false;
  }

  // A curve of a sine over the whole episode, of which `ready` parts are read.
  void plot(const char *name, const char *unit, double value, size_t ready = SIZE_MAX) {
    size_t i = snap.plot.n++;
    curve &c = snap.plot.curve[i];
    std::vector<ph_span> spans;
    for (int t = 0; t < 342; t++) {
      double y = std::sin((t + 40.0 * (double)i) / 30) * (t == 213 ? 1.5 : 1);
      spans.push_back({y, y});
    }
    parts.push_back(spans);
    for (size_t k = 0; k < parts.size(); k++)
      curves[k].part = parts[k].data();
    curves[i].steps = 342;
    curves[i].per = 1;
    curves[i].n = spans.size();
    set_text(c.name, name);
    set_text(c.unit, unit);
    c.value = value;
    c.series = &curves[i];
    c.ready = std::min(ready, spans.size());
  }

  void in_group(const char *name, std::vector<size_t> places) {
    members = places;
    set_text(some.name, name);
    some.n = members.size();
    some.place = members.data();
    snap.group = &some;
    set_text(a.want.group, name);
    app_refilter(&a);
  }

  // The first row that has `part`; "" none.
  std::string row(int rows, int cols, const std::string &part) {
    std::istringstream in(text(rows, cols));
    std::string line;
    while (std::getline(in, line))
      if (line.find(part) != std::string::npos)
        return line;
    return "";
  }
};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

int count(const std::string &text, const std::string &part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    n++;
  return n;
}

// --- plots ---

TEST(PlotPanel, Golden) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.90212);
  expect_golden("panels_plot_120x40", f.text(40, 120));
  expect_golden("panels_plot_80x24", f.text(24, 80));
  f.a.ascii = true;
  std::string ascii = f.text(40, 120);
  expect_golden("panels_plot_120x40_ascii", ascii);
  for (char c : ascii)
    ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << (int)c;
  f.a.ascii = false;
  f.plot("drawer", "m", 0.06556);
  f.plot("reward", "", 0);
  f.plot("obs/robot0_eef_pos[2]", "", 0.97, 120);
  expect_golden("panels_plot_four_200x60", f.text(60, 200));
}

TEST(PlotPanel, MonoShowsThePlayheadInReverse) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.9);
  f.a.scheme = SCHEME_MONO;
  surface s{};
  f.draw(&s, 40, 120);
  const rect &r = f.a.layout.panel[PANEL_PLOT];
  int column = -1;
  for (int y = r.y + 1; y < r.y + r.h; y++)
    for (int x = 0; x < 120; x++)
      if (s.cells[y * 120 + x].style == STYLE_PLAYHEAD) {
        EXPECT_TRUE(column < 0 || column == x);
        column = x;
      }
  ASSERT_GE(column, 0);
  const rect &t = f.a.layout.panel[PANEL_TIMELINE];
  bool same = false;
  for (int y = t.y; y < t.y + t.h; y++)
    same |= std::string(s.cells[y * 120 + column].text) == "▼";
  EXPECT_TRUE(same) << "under the playhead of the timeline";
  surface_free(&s);
}

TEST(PlotPanel, SaysWhatIsStillRead) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.9, 0);
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "reading ... 0 %"));
  EXPECT_FALSE(has(f.text(40, 120), "no number in these steps"));
  f.snap.plot.curve[0].ready = 171;
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "reading ... 50 %"));
  f.snap.plot.curve[0].ready = 342;
  EXPECT_FALSE(has(f.text(40, 120), "reading"));
  for (ph_span &span : f.parts[0])
    span = {INFINITY, -INFINITY};
  EXPECT_TRUE(has(f.text(40, 120), "no number in these steps"));
  set_text(f.snap.plot.curve[0].note, "block 3 of states is damaged");
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "! block 3 of states is damaged"));
}

TEST(PlotPanel, LabelsThatWouldLookAlikeSayTheDifference) {
  Foreign f;
  f.plot("cup.y", "m", 0.30596);
  for (size_t i = 0; i < 342; i++) {
    double y = 0.30596 + (i > 100 ? 3e-7 : 0);
    f.parts[0][i] = {y, y};
  }
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "0.30596┤"));
  EXPECT_TRUE(has(text, "+3.0e-07┤")) << text;
}

TEST(PlotPanel, IsReachedWithTabOnlyWhenThereIsACurve) {
  Foreign f;
  app_resize(&f.a, 40, 120);
  app_key(&f.a, KEY_TAB_, 1000);
  EXPECT_EQ(f.a.focus, PANEL_STATE);
  f.plot("arm_elbow", "rad", 0);
  f.a.focus = PANEL_TIMELINE;
  app_key(&f.a, KEY_TAB_, 2000);
  EXPECT_EQ(f.a.focus, PANEL_PLOT);
  f.snap.plot.n = 0;
  app_resize(&f.a, 40, 120);
  EXPECT_EQ(f.a.focus, PANEL_TIMELINE) << "a panel that is gone keeps no focus";
}

TEST(PlotPanel, CurvesWithoutRoomAreCountedAndReached) {
  Foreign f;
  for (const char *name : {"one", "two", "three", "four"})
    f.plot(name, "", 0);
  app_resize(&f.a, 24, 80);
  ASSERT_LT(f.a.layout.panel[PANEL_PLOT].h, 12);
  std::string text = f.text(24, 80);
  EXPECT_TRUE(has(text, "plot one"));
  EXPECT_TRUE(has(text, "more")) << text;
  f.a.focus = PANEL_PLOT;
  f.a.cursor[PANEL_PLOT] = 3;
  EXPECT_TRUE(has(f.text(24, 80), "four"));
}

// --- findings ---

TEST(FindingsPanel, Golden) {
  Foreign f;
  f.three_findings();
  f.events.insert(f.events.begin() + 1, {101, EVENT_FINDING});
  f.wire();
  expect_golden("panels_findings_120x40", f.text(40, 120));
  expect_golden("panels_findings_80x24", f.text(24, 80));
  f.a.focus = PANEL_FINDINGS;
  f.a.cursor[PANEL_FINDINGS] = 1;
  expect_golden("panels_findings_focus_80x24", f.text(24, 80));
  expect_golden("panels_findings_200x60", f.text(60, 200));
}

TEST(FindingsPanel, WithoutRoomTheHeaderCountsThem) {
  Foreign f;
  f.three_findings();
  std::string text = f.text(14, 60);
  ASSERT_EQ(f.a.layout.panel[PANEL_FINDINGS].h, 0);
  EXPECT_TRUE(has(text, "3 findings: Tab")) << text;
  EXPECT_FALSE(has(f.text(40, 120), "3 findings: Tab"));
  f.a.focus = PANEL_FINDINGS;
  EXPECT_TRUE(has(f.text(14, 60), "num_samples is 322")) << "alone for want of room";
}

TEST(FindingsPanel, EveryOneIsReached) {
  Foreign f;
  for (int i = 0; i < 200; i++)
    f.finding(PH_FINDING_ODDITY, i,
              ("finding number " + std::to_string(i) +
               " which goes on for as long as a row and more of it")
                  .c_str());
  f.a.focus = PANEL_FINDINGS;
  for (int i = 0; i < 200; i++) {
    f.a.cursor[PANEL_FINDINGS] = i;
    std::string text = f.text(24, 80);
    ASSERT_TRUE(has(text, std::to_string(i) + ": finding number " + std::to_string(i) + " "))
        << text;
  }
  EXPECT_TRUE(has(f.row(40, 120, "findings"), "findings: 200"));
}

TEST(FindingsPanel, Filters) {
  Foreign f;
  f.three_findings();
  f.a.focus = PANEL_FINDINGS;
  set_text(f.a.filter[PANEL_FINDINGS], "CLOCK");
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "findings: 1 of 3 with \"CLOCK\""));
  EXPECT_FALSE(has(text, "num_samples"));
  EXPECT_EQ(panel_findings_at(&f.a, 0)->step, 101);
  EXPECT_EQ(panel_findings_at(&f.a, 1), nullptr);
}

TEST(FindingsPanel, AStepHasAMarkOnTheTimeline) {
  Foreign f;
  f.events = {{101, EVENT_FINDING}, {101, EVENT_CLIPPED}, {213, EVENT_WARNED}};
  f.wire();
  std::string lane = f.row(40, 120, " events");
  EXPECT_EQ(count(lane, "!"), 1);
  EXPECT_EQ(count(lane, "c"), 0);
  EXPECT_EQ(count(lane, "w"), 1);
  EXPECT_TRUE(has(f.row(40, 120, "timeline"), "! finding"));
}

// --- the state panel ---

TEST(RawView, Golden) {
  Foreign f;
  f.raw();
  f.observations();
  f.finding(PH_FINDING_MISSING, -1, f.film.model_note);
  f.plot("states[1]", "", 0.5);
  expect_golden("panels_raw_120x40", f.text(40, 120));
  expect_golden("panels_raw_80x24", f.text(24, 80));
  expect_golden("panels_raw_40x12", f.text(12, 40));
}

TEST(RawView, TheTitleSaysWhy) {
  Foreign f;
  f.raw();
  std::string title = f.row(60, 200, "numbers of the file");
  EXPECT_TRUE(has(title, "numbers of the file at 213, no model: 2 files of it cannot be had"));
  EXPECT_EQ(count(title, "no model"), 1);
  set_text(f.film.model_note, "it does not fit");
  EXPECT_TRUE(has(f.row(60, 200, "numbers of the file"), "at 213, no model: it does not fit"));
  f.film.model_note[0] = 0;
  EXPECT_TRUE(has(f.row(60, 200, "numbers of the file"), "at 213, no model "));
}

TEST(Channels, ComeAfterTheModelsUnderTheirNames) {
  Foreign f;
  f.observations();
  f.a.focus = PANEL_STATE;
  f.a.zoomed = PANEL_STATE;
  std::string text = f.text(60, 200);
  size_t bodies = text.find("bodies"), note = text.find("obs: one step ahead of the states");
  EXPECT_NE(bodies, std::string::npos);
  EXPECT_NE(note, std::string::npos);
  EXPECT_EQ(count(text, "obs: one step ahead"), 1) << "once for channels of a folder";
  EXPECT_TRUE(has(text, "obs/eef_pos"));
  EXPECT_TRUE(has(text, "eef_pos[2]"));
  EXPECT_TRUE(!has(text, "obs/gripper")) << "under the heading of its folder";
  EXPECT_TRUE(has(text, " gripper "));
  EXPECT_TRUE(has(text, "obs/agentview_rgb  uint8 128x128x3 x 342 rows, not shown"));
  EXPECT_TRUE(has(text, "labels  object x 342 rows, not shown: variable-length text"));
}

TEST(Channels, AreLinesOfTheirOwnAndFilter) {
  Foreign f;
  int before = panel_state_lines(&f.a), signal, channel;
  f.observations();
  EXPECT_EQ(panel_state_lines(&f.a), before + 4 + 2) << "four numbers, two that are not shown";
  ASSERT_TRUE(panel_state_at(&f.a, before, &signal, &channel));
  EXPECT_STREQ(f.signals[(size_t)signal].name, "obs/eef_pos[0]");
  EXPECT_EQ(channel, -1);
  ASSERT_TRUE(panel_state_at(&f.a, before + 4, &signal, &channel));
  EXPECT_EQ(signal, -1);
  EXPECT_EQ(channel, 0);
  ASSERT_TRUE(panel_state_at(&f.a, before + 5, &signal, &channel));
  EXPECT_EQ(channel, 3);
  EXPECT_FALSE(panel_state_at(&f.a, before + 6, &signal, &channel));
  set_text(f.a.filter[PANEL_STATE], "RGB");
  EXPECT_EQ(panel_state_lines(&f.a), 1);
  EXPECT_TRUE(has(f.text(40, 120), "agentview_rgb  uint8 128x128x3 x 342 rows"));
  EXPECT_FALSE(has(f.text(40, 120), "eef_pos"));
}

TEST(Channels, SingleNumbersOfAFolderShareItsHeading) {
  Foreign f;
  f.raw();
  for (const char *name : {"qpos/Abs_r1", "qpos/Abs_r2", "qvel/Abs_r1", "reward"})
    f.channel(name, PH_CHANNEL_NUMBERS, "float64", {342});
  f.a.focus = PANEL_STATE;
  f.a.zoomed = PANEL_STATE;
  set_text(f.a.filter[PANEL_STATE], "r");
  std::string text = f.text(60, 100);
  EXPECT_EQ(count(text, "\n qpos\n"), 1) << text;
  EXPECT_EQ(count(text, "\n qvel\n"), 1);
  EXPECT_EQ(count(text, "Abs_r1 "), 2);
  EXPECT_EQ(count(text, "reward"), 1) << "no heading outside of folders";
  EXPECT_FALSE(has(text, "qpos/"));
}

TEST(Channels, CutNamesDifferAsTheNamesDo) {
  Foreign f;
  f.raw();
  f.channel("next_obs/robot0_gripper_qpos_of_the_left_hand", PH_CHANNEL_NUMBERS, "float64",
            {342, 2});
  f.channel("next_obs/robot0_gripper_qpos_of_the_left_foot", PH_CHANNEL_NUMBERS, "float64",
            {342, 2});
  set_text(f.a.filter[PANEL_STATE], "next_obs");
  std::string text = f.text(24, 80);
  EXPECT_EQ(count(text, "_left_hand"), 3) << text;
  EXPECT_EQ(count(text, "_left_foot"), 3) << text;
}

TEST(Contacts, SayThatForcesAreNotKnown) {
  Foreign f;
  EXPECT_TRUE(has(f.text(40, 120), "force N"));
  for (auto &contact : f.contacts)
    contact.force = NAN;
  f.wire();
  f.snap.ctrl = nullptr;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "contacts: 3; forces not known: no ctrl")) << text;
  EXPECT_FALSE(has(text, "force N"));
}

TEST(Channels, ACutNameKeepsItsPlace) {
  Foreign f;
  f.raw();
  f.channel("obs/robot0_proprioception_of_all_joints", PH_CHANNEL_NUMBERS, "float64", {342, 90});
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "ints[0]")) << text;
  EXPECT_TRUE(has(text, "nts[11]")) << text;
}

// --- episodes ---

TEST(Filling, UnseenEpisodesHaveDotsAndTheStatusSaysHowFar) {
  Foreign f;
  for (size_t i = 20; i < f.entries.size(); i++) {
    f.entries[i].actions = f.entries[i].states = -1;
    f.entries[i].success = -1;
    f.entries[i].end_reason = PH_END_UNKNOWN;
  }
  f.snap.unseen = 180;
  f.a.focus = PANEL_EPISODES;
  f.a.zoomed = PANEL_EPISODES;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "looking at episodes 20/200")) << text;
  std::string seen = f.row(40, 120, "demo_20 "), unseen = f.row(40, 120, "demo_21 ");
  EXPECT_FALSE(has(seen, "…")) << seen;
  EXPECT_EQ(count(unseen, "…"), 3) << unseen;
  EXPECT_FALSE(has(unseen, "-1"));
  expect_golden("panels_filling_120x40", text);
  f.snap.unseen = 0;
  EXPECT_FALSE(has(f.text(40, 120), "looking at"));
  EXPECT_FALSE(has(f.row(40, 120, "demo_21 "), "…")) << "looked at, and there is no length";
}

TEST(Groups, ListTheirEpisodesAlone) {
  Foreign f;
  f.in_group("valid", {3, 16, 40, 199});
  f.a.cursor[PANEL_EPISODES] = 1;
  EXPECT_EQ(panel_episodes_lines(&f.a), 4);
  EXPECT_EQ(app_episode_at(&f.a, 2), 40u);
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "group valid: 3 of 4 succeed")) << text;
  EXPECT_TRUE(has(text, "demo_200"));
  EXPECT_FALSE(has(text, "demo_18 "));
  set_text(f.a.filter[PANEL_EPISODES], "demo_2");
  app_refilter(&f.a);
  EXPECT_EQ(panel_episodes_lines(&f.a), 1);
  EXPECT_TRUE(has(f.text(40, 120), "group valid: 1 of 4 with \"demo_2\""));
  f.a.want.group[0] = 0; // another answer is still on show
  f.a.filter[PANEL_EPISODES][0] = 0;
  app_refilter(&f.a);
  EXPECT_EQ(panel_episodes_lines(&f.a), 200);
}

// --- header ---

// --- the clock ---

TEST(Clock, IsTheFilesOnBothSides) {
  Foreign f;
  f.film.clock = {0.8, 7.62};
  f.snap.time = 5.06;
  EXPECT_TRUE(has(f.text(40, 120), "t 5.060/7.620 s"));
}

TEST(Clock, StatesThatAreOnlyCountedHaveNoSeconds) {
  Foreign f;
  f.film.meta.control_dt = 0;
  f.film.clock = {0, 341};
  f.snap.time = 213;
  std::string status = f.row(40, 120, "PAUSED");
  EXPECT_FALSE(has(status, " t ")) << status;
  EXPECT_FALSE(has(status, " s ")) << status;
}

// --- success ---

// Success by rewards of an episode whose last state is not stored.
struct Late : Foreign {
  Late() {
    ph_episode_meta &m = film.meta;
    set_text(m.layout, "LIBERO");
    set_text(m.success_source, "rewards: 1 at the last action");
    m.task_sha256[0] = 0;
    m.actions = m.states = film.states;
    m.hold_steps = film.hold_steps = 0;
    m.hold_seconds = -1;
    conditions.clear();
    wire();
    std::fill(predicate.begin(), predicate.end(), 0);
    std::fill(hold.begin(), hold.end(), 0);
    film.latch = -1;
    film.late = true;
    film.late_reward = 1;
    film.no_flags = true;
    snap.flags = -1;
  }
};

TEST(Success, AfterTheLastStoredStateIsSaid) {
  Late f;
  f.go(341);
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "succeeds at 342, after the last stored state")) << text;
  EXPECT_TRUE(has(text, "latch   at 342, after the last stored state")) << text;
  EXPECT_TRUE(has(text, "reward  0.00000, then 1.00000 by action 341")) << text;
  EXPECT_FALSE(has(text, "NEVER"));
  EXPECT_FALSE(has(text, "never"));
  f.go(340);
  EXPECT_FALSE(has(f.text(40, 120), ", then 1"));
  f.film.late = false;
  EXPECT_TRUE(has(f.text(40, 120), "NEVER"));
}

TEST(Success, WhatTheFileHasNothingOfHasNoLine) {
  Late f;
  std::string text = f.text(40, 120);
  for (const char *line : {"flags", "held", "hold", "conditions", "0/0"})
    EXPECT_FALSE(has(text, line)) << line << "\n" << text;
  EXPECT_TRUE(has(text, "pred    FALSE recorded"));
  f.film.no_rewards = true;
  EXPECT_FALSE(has(f.text(40, 120), "reward"));
}

// --- opening ---

TEST(Opening, IsNotFailure) {
  Foreign f;
  f.snap.reel = nullptr;
  f.snap.has_frame = false;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "opening demo_17 ...")) << text;
  EXPECT_FALSE(has(text, "does not open")) << text;
  EXPECT_FALSE(has(text, "not open")) << text;
  set_text(f.snap.error, "demo_17: it is damaged");
  text = f.text(40, 120);
  EXPECT_TRUE(has(text, "demo_17 does not open")) << text;
  EXPECT_TRUE(has(text, "not open")) << text;
  f.a.want.serial++;
  EXPECT_TRUE(has(f.text(40, 120), "opening demo_17 ...")) << "another was asked for since";
}

TEST(Header, TheCureOfAModelThatIsNotLoadedIsReadWhole) {
  Foreign f;
  f.raw();
  set_text(f.film.model_note,
           "no model: 22 files of the model cannot be had: --assets DIR finds them, "
           "--missing-assets drop leaves them out: link0.stl, link1.stl");
  set_text(f.film.reason, f.film.model_note);
  EXPECT_TRUE(has(f.text(40, 120), "model not loaded: 22 files are missing: give --assets DIR, or "
                                   "--missing-assets drop"))
      << f.text(40, 120);
}

TEST(Episodes, TheirColumnsHaveHeadingsInTwoRows) {
  Foreign f;
  surface s{};
  surface_resize(&s, 3, 60);
  panel_episodes_draw(&s, {0, 0, 3, 60}, &f.a);
  std::unique_ptr<char, void (*)(void *)> out(surface_text(&s), std::free);
  EXPECT_TRUE(has(out.get(), "actions")) << out.get();
  EXPECT_TRUE(has(out.get(), "demo_17 ")) << out.get();
  surface_free(&s);
}

TEST(FindingsPanel, SaysWhatItsMarksMean) {
  Foreign f;
  f.three_findings();
  EXPECT_TRUE(has(f.text(40, 120), "findings: 3 (2 ! odd, 1 + mended)")) << f.text(40, 120);
}

TEST(Header, WithoutActionsCountsTheStates) {
  Foreign f;
  f.film.meta.actions = 0;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "342 states, no actions  6.820 s")) << text;
}

TEST(Header, SaysLayoutRateAndWhereSuccessIsFrom) {
  Foreign f;
  ph_episode_meta &m = f.film.meta;
  set_text(m.layout, "LIBERO");
  set_text(m.rate_source, "median of the time column");
  set_text(m.success_source, "dones: 1 at the last action");
  set_text(m.instruction, "put both moka pots on the stove");
  std::string text = f.text(60, 200);
  EXPECT_TRUE(has(text, "LIBERO"));
  EXPECT_TRUE(has(text, "50 Hz: median of the time column"));
  EXPECT_TRUE(has(text, "by dones: 1 at the last action"));
  EXPECT_TRUE(has(text, "\"put both moka pots on the stove\"")) << text;
  m.control_dt = 0;
  set_text(m.rate_source, "rate unknown: one row is one unit");
  EXPECT_TRUE(has(f.text(60, 200), "│ rate unknown: one row is one unit"));
}

} // namespace
