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
