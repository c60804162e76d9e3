// What panels say where a file of another recorder says nothing.
#include "panel_fixture.h"

// The row that has `part`; "" none.
static std::string row_of(const std::string &text, const std::string &part) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (has(line, part))
      return line;
  return "";
}

TEST(Outcome, TheFirstStateOfAnotherRecordersFileHasNone) {
  Fixture f;
  f.snap.has_conditions = false;
  f.go(0);
  EXPECT_TRUE(has(f.text(40, 120), "pred    FALSE")) << "of ours it is stored";
  set_text(f.film.meta.layout, "robosuite");
  EXPECT_TRUE(has(f.text(40, 120), "pred    -")) << f.text(40, 120);
  f.go(1);
  EXPECT_TRUE(has(f.text(40, 120), "pred    FALSE")) << f.text(40, 120);
}

TEST(Outcome, AColumnOfTheTimelineIsTrueWhereverThereIsOne) {
  Fixture f;
  f.predicate.assign(f.predicate.size(), 1);
  f.predicate[0] = 0;
  f.wire();
  EXPECT_TRUE(has(row_of(f.text(40, 120), " pred "), "░"));
  set_text(f.film.meta.layout, "robosuite");
  std::string lane = row_of(f.text(40, 120), " pred ");
  EXPECT_FALSE(has(lane, "░")) << lane;
  EXPECT_TRUE(has(lane, "▒")) << lane;
}

TEST(Outcome, AContactIsCountedInPointsAndAForceInNewtons) {
  Fixture f;
  f.conditions[0] = {true, "contact(grip_*,cup)", 3, "points", "> 2"};
  f.conditions[1] = {false, "force(cup,table)", 0.502, "N", ""};
  f.wire();
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, " yes         3 points contact(grip_*,cup)")) << text;
  EXPECT_TRUE(has(text, " NO    0.50200 N force(cup,table)")) << text;
}

TEST(Outcome, ThatStagesAreStillJudgedIsSaid) {
  Fixture f;
  f.snap.has_conditions = false;
  f.snap.judging = true;
  f.snap.stages.rows = 120;
  EXPECT_TRUE(has(row_of(f.text(40, 120), " near "), "judging 120/342")) << f.text(40, 120);
  f.snap.judging = false;
  EXPECT_FALSE(has(f.text(40, 120), "judging"));
}

TEST(Actions, ArraysOfAnUnknownLayoutAreNotInterpreted) {
  Fixture f;
  f.film.nactions = 0;
  set_text(f.film.meta.layout, "robosuite");
  EXPECT_TRUE(has(f.text(40, 120), "the file holds no actions"));
  set_text(f.film.meta.layout, "arrays");
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "not interpreted: arrays of an unknown layout")) << text;
  EXPECT_FALSE(has(text, "the file holds no actions"));
}

TEST(Actions, WhatNobodyKnowsOfAControllerHasNoColumns) {
  Fixture f;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "action 213 -> ctrl"));
  EXPECT_TRUE(has(row_of(text, " #  "), "value")) << text;
  f.action_ctrl.assign(f.action_ctrl.size(), -1);
  f.low.assign(f.low.size(), -INFINITY);
  f.high.assign(f.high.size(), INFINITY);
  f.wire();
  text = f.text(40, 120);
  std::string head = row_of(text, " #  ");
  EXPECT_TRUE(has(text, " action 213 ─")) << text;
  EXPECT_FALSE(has(text, "-> ctrl")) << text;
  EXPECT_TRUE(has(head, "action  name")) << head;
  for (const char *column : {"ctrl", "value", "in force", "min action max"})
    EXPECT_FALSE(has(head, column)) << head;
}

TEST(Actions, ThoseOfAnUnknownLayoutAreNotCounted) {
  Fixture f;
  f.film.meta.actions = 0;
  set_text(f.film.meta.layout, "arrays");
  for (ph_entry &e : f.entries) {
    e.actions = 0;
    e.uninterpreted = true;
  }
  std::string text = f.text(40, 120), row = row_of(text, "*demo_17 ");
  EXPECT_TRUE(has(text, "342 rows, actions not interpreted")) << text;
  EXPECT_FALSE(has(text, "no actions"));
  EXPECT_TRUE(has(row, "       -  ")) << row;
  EXPECT_FALSE(has(row, " 0 ")) << row;
}
