// What a screen shows of other people's files: findings, numbers without a model, channels.
#include "panel_foreign.h"

namespace {

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

TEST(FindingsPanel, SaysWhatItsMarksMean) {
  Foreign f;
  f.three_findings();
  EXPECT_TRUE(has(f.text(40, 120), "findings: 3 (2 ! odd, 1 + mended)")) << f.text(40, 120);
}

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

} // namespace
