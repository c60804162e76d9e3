// :ghost: what it wishes for, what it refuses, what it says, and what Tab offers.
#include "app_help.h"

extern "C" {
#include "ghost_view.h"
#include "panel.h"
}

namespace {

struct GhostApp : FakeApp {
  void reply(const char *error = "", size_t rows = 2) {
    struct snapshot *snap = fake_answer(app.want);
    if (app.want.ghost.path[0]) {
      struct ghost_answer *g = snap->ghost = zeroed<struct ghost_answer>();
      g->serial = app.want.ghost.serial;
      g->first = g->beyond = g->actions = -1;
      snprintf(g->error, sizeof g->error, "%s", error);
      g->nrows = *error ? 0 : rows;
      g->row = (struct ghost_row *)calloc(g->nrows + 1, sizeof *g->row);
      for (size_t i = 0; i < g->nrows; i++) {
        snprintf(g->row[i].name, sizeof g->row[i].name, i ? "elbow" : "wrist");
        g->row[i].signal = i ? 0 : 1;
        g->row[i].step = -1;
      }
    }
    app_take(&app, snap);
  }
  void tab(const char *typed) {
    prompt_open(&app.prompt, typed);
    app_key(&app, KEY_TAB_, now += 20);
  }
};

} // namespace

TEST(AppGhost, APathIsWishedForAndGivenUp) {
  GhostApp f;
  EXPECT_TRUE(f.line("ghost run_b:demo_3") & REACT_SEEK);
  EXPECT_STREQ(f.app.want.ghost.path, "run_b:demo_3");
  EXPECT_EQ(f.app.want.ghost.serial, 1u);
  EXPECT_EQ(app_ghost(&f.app), nullptr) << "the answer on show is older";
  EXPECT_TRUE(ghost_wanted(&f.app));
  f.reply();
  ASSERT_NE(app_ghost(&f.app), nullptr);
  EXPECT_TRUE(ghost_in_state(&f.app));
  EXPECT_EQ(panel_state_lines(&f.app), 2);
  EXPECT_EQ(ghost_signal(&f.app, 0), 1);
  EXPECT_EQ(ghost_signal(&f.app, 1), 0);
  EXPECT_EQ(ghost_signal(&f.app, 2), -1);
  f.app.want.dyn.mode = MODE_BOTH;
  EXPECT_FALSE(ghost_in_state(&f.app)) << "B is of physics run again";
  f.app.want.dyn.mode = MODE_KINEMATIC;
  f.line("ghost other");
  EXPECT_EQ(f.app.want.ghost.serial, 2u);
  EXPECT_EQ(app_ghost(&f.app), nullptr) << "that was another one's";
  EXPECT_TRUE(f.line("ghost off") & REACT_SEEK);
  EXPECT_FALSE(ghost_wanted(&f.app));
  EXPECT_FALSE(f.line("ghost off") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "there is no ghost"));
}

TEST(AppGhost, WhatIsInTheWayIsSaidOnce) {
  GhostApp f;
  f.line("ghost nothing");
  f.reply("nothing: cannot be opened");
  EXPECT_TRUE(has(f.said(), "ghost: nothing: cannot be opened"));
  int lines = f.app.nlog;
  f.reply("nothing: cannot be opened");
  EXPECT_EQ(f.app.nlog, lines);
  EXPECT_FALSE(ghost_in_state(&f.app));
  EXPECT_FALSE(ghost_has_lane(&f.app));
  std::string longer(500, 'x');
  EXPECT_FALSE(f.line(("ghost " + longer).c_str()) & REACT_SEEK);
  EXPECT_STREQ(f.app.want.ghost.path, "nothing");
}

TEST(AppGhost, InAPreviewThereIsNone) {
  GhostApp f;
  f.app.want.live.on = true;
  f.line("ghost run_b");
  EXPECT_EQ(f.app.want.ghost.serial, 0u);
  EXPECT_TRUE(has(f.said(), "not in a preview"));
}

TEST(AppGhost, WithoutAPathThePromptOpens) {
  GhostApp f;
  f.line("ghost");
  EXPECT_TRUE(f.app.prompt.open);
  EXPECT_STREQ(f.app.prompt.text, "ghost ");
}

TEST(AppGhost, TabOffersWhatIsOpen) {
  GhostApp f;
  ASSERT_GT(app_count(&f.app), 1u);
  f.tab("ghost o");
  EXPECT_STREQ(f.app.prompt.text, "ghost off ");
  auto *c = const_cast<struct catalog *>(f.app.snap->catalog);
  ASSERT_EQ(c->nsources, 0u) << "the fake one has no paths";
  free(c->source);
  c->source = (char **)calloc(1, sizeof *c->source);
  c->source[c->nsources++] = strdup("runs/one");
  for (size_t i = 0; i < app_count(&f.app); i++)
    ASSERT_EQ(catalog_source(c, i), 0u);
  std::string id = catalog_entry(c, 1)->id;
  f.tab("ghost r");
  EXPECT_STREQ(f.app.prompt.text, "ghost runs/one") << "an id may follow";
  f.tab(("ghost runs/one:" + id).c_str());
  EXPECT_EQ(std::string(f.app.prompt.text).substr(0, 15 + id.size()), "ghost runs/one:" + id);
  f.tab("plot ru");
  EXPECT_STREQ(f.app.prompt.text, "plot ru");
}

TEST(AppGhost, ZoomingAsksForAnotherLane) {
  GhostApp f;
  EXPECT_FALSE(f.line("time-in") & REACT_SEEK);
  f.line("ghost run_b");
  f.reply();
  EXPECT_TRUE(f.line("time-in") & REACT_SEEK);
  EXPECT_TRUE(app_resize(&f.app, 40, f.app.cols + 20) & REACT_SEEK);
}
