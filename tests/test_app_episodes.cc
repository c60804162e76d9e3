// Events, marks and notes of an episode; the way from one episode to another.

#include <string>

#include "app_help.h"

TEST(AppEvents, Walk) {
  FakeApp f;
  f.keys("e");
  EXPECT_EQ(f.step(), 34) << "clipped steps are walked too";
  EXPECT_TRUE(has(f.said(), "at 34: clipped"));
  f.keys("e");
  EXPECT_EQ(f.step(), 102);
  EXPECT_TRUE(has(f.said(), "at 102: predicate true"));
  f.keys("e");
  EXPECT_TRUE(has(f.said(), "at 136: predicate broke"));
  f.keys("e e");
  EXPECT_EQ(f.step(), 272);
  EXPECT_TRUE(has(f.said(), "latch"));
  f.keys("e e");
  EXPECT_EQ(f.step(), 341);
  EXPECT_TRUE(has(f.said(), "no later event"));
  f.keys("E");
  EXPECT_EQ(f.step(), 272);
  f.keys("9 E");
  EXPECT_EQ(f.step(), 34);
  f.keys("r PgDn");
  EXPECT_EQ(f.step(), 34) << "any kind";
  EXPECT_TRUE(has(f.said(), "clipped"));
  f.keys("5 PgDn");
  EXPECT_EQ(f.step(), 341);
  f.keys("PgUp");
  EXPECT_EQ(f.step(), 272);
  EXPECT_TRUE(has(f.said(), "latch, clipped"));
  f.keys("5 0 Enter PgUp");
  EXPECT_EQ(f.step(), 34);
}

TEST(AppEvents, Kinds) {
  FakeApp f;
  f.line("event-kinds latch");
  f.keys("e");
  EXPECT_EQ(f.step(), 272);
  f.keys("e");
  EXPECT_TRUE(has(f.said(), "no later event of: latch"));
  f.line("event-kinds latsh");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "latch"));
  EXPECT_EQ(f.app.event_mask, 1u << EVENT_LATCH);
  f.line("event-kinds all");
  EXPECT_EQ(f.app.event_mask, (1u << EVENT_KIND_COUNT) - 1);
  f.keys("F");
  EXPECT_TRUE(f.app.prompt.open);
  EXPECT_STREQ(f.app.prompt.text, "event-kinds true broke latch stage end clipped warned finding");
  f.keys("Enter");
  EXPECT_EQ(f.app.event_mask, (1u << EVENT_KIND_COUNT) - 1);
  EXPECT_TRUE(has(f.said(), "true broke latch stage end clipped warned finding"));
  f.line("event-kinds broke");
  f.keys("r e");
  EXPECT_EQ(f.step(), 136);
  f.keys("F");
  EXPECT_STREQ(f.app.prompt.text, "event-kinds broke");
  EXPECT_TRUE(has(f.app.prompt.hint, "true broke latch stage end clipped warned finding all"));
}

// What a session knows of two stages, put into the app's present snapshot.
static void judge_stages(FakeApp &f, int64_t rows, bool complete) {
  auto *snap = const_cast<struct snapshot *>(f.app.snap);
  auto *reel = const_cast<struct reel *>(snap->reel);
  free(reel->stage);
  reel->nstages = 2;
  reel->stage = static_cast<char(*)[64]>(calloc(2, 64));
  strcpy(reel->stage[0], "grasp");
  strcpy(reel->stage[1], "lift");
  snap->stages = {};
  snap->stages.stages.n = 2;
  snap->stages.stages.done = 1;
  snap->stages.stages.latch[0] = 120;
  snap->stages.stages.latch[1] = -1;
  snap->stages.rows = rows;
  snap->stages.complete = complete;
}

TEST(AppEvents, StagesAreWalkedAsFarAsTheyAreJudged) {
  FakeApp f;
  f.line("event-kinds stage");
  EXPECT_FALSE(f.app.message_bad) << f.said();
  judge_stages(f, 200, false);
  f.keys("e");
  EXPECT_EQ(f.step(), 120);
  EXPECT_TRUE(has(f.said(), "at 120: stage reached: grasp")) << f.said();
  judge_stages(f, 200, false);
  f.keys("e");
  EXPECT_EQ(f.step(), 120);
  EXPECT_TRUE(has(f.said(), "no later event of: stage reached; stages are judged up to step 199"))
      << f.said();
  judge_stages(f, 342, true);
  f.keys("e");
  EXPECT_TRUE(has(f.said(), "no later event of: stage reached")) << f.said();
  EXPECT_FALSE(has(f.said(), "judged")) << f.said();
  f.line("event-kinds all");
  f.keys("r");
  judge_stages(f, 342, true);
  f.keys("3 e");
  EXPECT_EQ(f.step(), 120) << "clipped at 34, true at 102, then the stage";
  judge_stages(f, 342, true);
  f.keys("PgDn");
  judge_stages(f, 342, true);
  f.keys("PgUp");
  EXPECT_EQ(f.step(), 120);
}

TEST(AppMarks, SetAndJump) {
  FakeApp f;
  f.keys("4 2 Enter m");
  EXPECT_EQ(f.app.pending, CMD_MARK);
  EXPECT_TRUE(f.keys("x") & REACT_SAVE);
  f.keys("r '");
  EXPECT_TRUE(has(f.said(), "x 42"));
  f.keys("x");
  EXPECT_EQ(f.step(), 42);
  EXPECT_FALSE(f.keys("' b") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "no mark b"));
  f.keys("m Esc");
  EXPECT_EQ(f.app.pending, CMD_NONE);
  EXPECT_EQ(f.sheet().nmarks, 1u);
  f.keys("m !");
  EXPECT_TRUE(f.app.message_bad);
  f.keys("m q");
  EXPECT_EQ(f.sheet().nmarks, 2u) << "q names a mark here";
  f.keys(">");
  f.keys("' x");
  EXPECT_TRUE(has(f.said(), "no mark x in this episode"));
  f.line("mark z");
  EXPECT_NE(ph_marks_find(&f.sheet(), "env001_ep000000", 'z'), nullptr);
}

TEST(AppMarks, Unmark) {
  FakeApp f;
  f.keys("4 2 Enter m x n m y");
  EXPECT_TRUE(f.line("unmark x") & REACT_SAVE);
  EXPECT_EQ(ph_marks_find(&f.sheet(), "env000_ep000000", 'x'), nullptr);
  ASSERT_NE(ph_marks_find(&f.sheet(), "env000_ep000000", 'y'), nullptr);
  EXPECT_EQ(ph_marks_find(&f.sheet(), "env000_ep000000", 'y')->step, 43);
  EXPECT_FALSE(f.line("unmark x") & REACT_SAVE);
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "no mark x in this episode: y 43"));
  f.line("unmark");
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppMarks, Notes) {
  FakeApp f;
  f.keys("7 Enter");
  EXPECT_TRUE(f.line("note drawer jams here") & REACT_SAVE);
  ASSERT_NE(ph_marks_note_at(&f.sheet(), "env000_ep000000", 7), nullptr);
  EXPECT_STREQ(ph_marks_note_at(&f.sheet(), "env000_ep000000", 7)->text, "drawer jams here");
  EXPECT_TRUE(f.line("note") & REACT_SAVE);
  EXPECT_EQ(f.sheet().nnotes, 0u);
  EXPECT_FALSE(f.line("note") & REACT_SAVE);
  f.line("note \xff");
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppEpisodes, PreviousAndNext) {
  FakeApp f;
  f.keys("3 0 0 Enter + l >");
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_EQ(f.step(), 0);
  EXPECT_EQ(f.app.nundo, 0);
  EXPECT_EQ(f.app.loop_a, -1);
  EXPECT_EQ(f.app.zoom_first, -1);
  EXPECT_EQ(f.app.cursor[PANEL_EPISODES], 1);
  f.keys("9 9 >");
  EXPECT_EQ(f.app.want.episode, 4u);
  f.keys(">");
  EXPECT_TRUE(has(f.said(), "last episode"));
  f.keys("4 < <");
  EXPECT_EQ(f.app.want.episode, 0u);
  EXPECT_TRUE(has(f.said(), "first episode"));
}

TEST(AppEpisodes, StepIsClampedBeforeTheNewReelIsThere) {
  FakeApp f;
  f.keys("End");
  app_key(&f.app, '>', 9000); // not answered yet: the old reel is on show
  EXPECT_EQ(app_last_step(&f.app), 100);
  app_key(&f.app, KEY_END_, 9001);
  EXPECT_EQ(f.app.want.step, 100);
  expect_sound(&f.app);
}

TEST(AppEpisodes, Envs) {
  FakeApp f;
  f.keys("6 0 Enter )");
  EXPECT_EQ(f.app.want.episode, 1u) << "same number, next env";
  EXPECT_EQ(f.step(), 60) << "envs run in lockstep";
  f.keys("(");
  EXPECT_EQ(f.app.want.episode, 0u);
  f.keys("(");
  EXPECT_TRUE(has(f.said(), "env 0 is the first"));
  f.keys("2 )");
  EXPECT_EQ(f.app.want.episode, 0u);
  EXPECT_TRUE(has(f.said(), "env 2 has no episode 0"));
  f.keys("End )");
  EXPECT_EQ(f.step(), 100) << "clamped to the shorter one";
}

TEST(AppEpisodes, ByNameAndByThePanel) {
  FakeApp f;
  f.line("episode env002_ep000003");
  EXPECT_EQ(f.app.want.episode, 4u);
  f.line("episode 1");
  EXPECT_EQ(f.app.want.episode, 1u);
  f.line("episode env00");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "near: env000_ep000000"));
  f.app.focus = PANEL_EPISODES;
  f.app.cursor[PANEL_EPISODES] = 0;
  f.keys("j j j Enter");
  EXPECT_EQ(f.app.want.episode, 3u);
  f.keys("f");
  for (char c : std::string("trunc"))
    f.key((uint32_t)c);
  EXPECT_EQ(app_episode_lines(&f.app), 1);
  f.keys("Enter Enter");
  EXPECT_EQ(f.app.want.episode, 1u) << "Enter opens the line that the filter left";
  EXPECT_EQ(app_episode_at(&f.app, 1), SIZE_MAX);
  EXPECT_EQ(app_episode_at(&f.app, -1), SIZE_MAX);
}

// A screen of a large run: the catalog is the test's own.
static void take_many(FakeApp &f, size_t n) {
  auto *snap = fake_answer(f.app.want);
  catalog_unref(snap->catalog);
  snap->catalog = catalog_new(n);
  for (size_t i = 0; i < n; i++) {
    snprintf(fake_entry(snap->catalog, i)->id, 64, "env%03zu_ep%06zu", i % 4, i / 4);
    fake_entry(snap->catalog, i)->states = 100;
  }
  app_take(&f.app, snap);
}

TEST(AppEpisodes, TheFilterReadsWhatTheRowShows) {
  FakeApp f;
  auto *snap = fake_answer(f.app.want);
  for (size_t i = 0; i < snap->catalog->n; i++)
    fake_entry(snap->catalog, i)->success = i == 2 ? 0 : i == 4 ? -1 : 1;
  strcpy(fake_entry(snap->catalog, 3)->determinism, "bitwise");
  strcpy(fake_entry(snap->catalog, 1)->oddity, "cut short");
  app_take(&f.app, snap);
  f.app.focus = PANEL_EPISODES;
  const struct {
    const char *text;
    int lines;
    size_t first;
  } rows[] = {{"NO", 1, 2}, {"yes", 3, 0}, {"bitwise", 1, 3}, {"short", 1, 1}, {"env 1", 2, 1}};
  for (const auto &row : rows) {
    f.line((std::string("filter ") + row.text).c_str());
    EXPECT_EQ(app_episode_lines(&f.app), row.lines) << row.text;
    EXPECT_EQ(app_episode_at(&f.app, 0), row.first) << row.text;
  }
}

TEST(AppEpisodes, AFilterIsAppliedOncePerEntryHoweverManyThereAre) {
  enum { N = 20000 };
  FakeApp f;
  take_many(f, N);
  f.app.focus = PANEL_EPISODES;
  uint64_t before = f.app.entries_read;
  f.line("filter env");
  EXPECT_EQ(f.app.entries_read - before, N);
  EXPECT_EQ(app_episode_lines(&f.app), N);
  surface s = {};
  for (int i = 0; i < 20; i++) {
    app_key(&f.app, '>', 5000);
    app_key(&f.app, 'j', 5001);
    app_resize(&f.app, 40 + i, 120);
    app_draw(&f.app, &s);
  }
  EXPECT_EQ(f.app.want.episode, 20u);
  EXPECT_EQ(f.app.cursor[PANEL_EPISODES], 21);
  EXPECT_EQ(f.app.entries_read - before, N) << "lines are not searched for";
  f.line("filter env001");
  EXPECT_EQ(app_episode_lines(&f.app), N / 4);
  EXPECT_EQ(app_episode_at(&f.app, 7), 29u);
  EXPECT_EQ(f.app.entries_read - before, 2 * N);
  f.app.want.episode = 0; // the fake reels are few
  take_many(f, 8);
  EXPECT_EQ(app_episode_lines(&f.app), 2) << "another catalog is filtered anew";
  EXPECT_EQ(app_episode_at(&f.app, 1), 5u);
  EXPECT_EQ(app_episode_at(&f.app, 2), SIZE_MAX);
  f.keys("Esc");
  EXPECT_EQ(app_episode_lines(&f.app), 8);
  surface_free(&s);
}
