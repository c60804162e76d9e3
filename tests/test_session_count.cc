// The list counted without being asked: by what the files store, so much of it, and behind all
// other work.
#include "session_foreign_help.h"

extern "C" {
#include "survey.h"
}

namespace {

struct Count : Files {
  void many(size_t n) {
    foreign::Options o;
    o.rows.assign(n, 3);
    o.rows.back() = 5;
    foreign::write_robomimic(path(), o);
  }
  hold_count last() {
    Answer answer = serve();
    EXPECT_TRUE(answer->held);
    return answer->held ? answer->held->count : hold_count{};
  }
};

int64_t naive(session *s, size_t place, int64_t steps) {
  ph_episode *e = nullptr;
  EXPECT_EQ(PH_OK, ph_store_episode(&e, s->store, place)) << ph_error();
  std::vector<uint8_t> bits((size_t)ph_episode_meta_of(e)->states);
  EXPECT_EQ(PH_OK, ph_episode_read(e, PH_COL_PREDICATE, 0, (int64_t)bits.size(), bits.data()));
  ph_episode_free(e);
  int64_t count = 0;
  for (size_t t = 1; t < bits.size(); t++) {
    count = bits[t] ? count + 1 : 0;
    if (bits[t] && count >= steps)
      return (int64_t)t;
  }
  return -1;
}

TEST_F(Count, IsThatOfANaiveCountAndNoTaskIsRun) {
  for (const char *run : {"drawer_close", "muscle_reach", "muscle_hold", "quadruped_stand"}) {
    SCOPED_TRACE(run);
    open(std::string(TEST_SOURCE_ROOT) + "/data/runs/" + run);
    Answer first = serve();
    ASSERT_TRUE(first->held);
    EXPECT_TRUE(first->held->count.on) << "its place is kept";
    EXPECT_EQ(first->held->count.done, 0u) << "the first answer waits for none of it";
    EXPECT_EQ(s->survey, nullptr);
    settle();
    Answer answer = serve();
    const hold_count &c = answer->held->count;
    size_t n = session_count(s), latch[3] = {0};
    for (size_t i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        latch[k] += c.steps[k] >= 0 && naive(s, i, c.steps[k]) >= 0;
    EXPECT_TRUE(c.on && !c.asked && !c.stopped);
    EXPECT_EQ(c.all, n);
    EXPECT_EQ(c.done, n);
    EXPECT_EQ(c.steps[1], answer->reel->meta.hold_steps);
    EXPECT_EQ(c.unknown + c.judged, 0u);
    for (int k = 0; k < 3; k++)
      EXPECT_EQ(c.latch[k], latch[k]) << k;
    EXPECT_FALSE(session_opened(s)->held->taken) << "nor along this one";
    EXPECT_FALSE(answer->held->plan.ready);
  }
}

// Of a long list the first ones are, up to so many states.
TEST_F(Count, IsBounded) {
  many(SETTLED_EPISODES + 40);
  open(path());
  serve();
  settle();
  EXPECT_EQ(last().done, (size_t)SETTLED_EPISODES) << "a picture is not waited for so long";
  EXPECT_FALSE(last().stopped);
  s->survey->unasked_states = UNASKED_STATES - 1;
  for (int i = 0; i < 100000 && session_wait(s) == 0; i++) {
    snapshot *snap = nullptr;
    session_work(s, never, nullptr, &snap);
    snapshot_free(snap);
  }
  hold_count c = last();
  EXPECT_TRUE(c.on && c.stopped && !c.asked);
  EXPECT_EQ(c.done, (size_t)SETTLED_EPISODES + 1);
  EXPECT_EQ(c.all, (size_t)SETTLED_EPISODES + 40);
  EXPECT_EQ(c.latch[1], c.done);
  EXPECT_EQ(session_wait(s), UINT64_MAX) << "there is nothing more to do";
  size_t n = s->catalog->n;
  s->catalog->n = 20000;
  EXPECT_EQ(survey_unasked_size(s), (size_t)UNASKED_EPISODES);
  s->catalog->n = n;
}

TEST_F(Count, IsOfTheGroupThatIsListed) {
  many(9);
  open(path());
  strcpy(want.group, "train");
  want.episode = session_group_first(s, "train");
  serve();
  settle();
  Answer answer = serve();
  ASSERT_TRUE(answer->group);
  EXPECT_LT(answer->group->n, 9u);
  EXPECT_EQ(answer->held->count.all, answer->group->n);
  EXPECT_EQ(answer->held->count.done, answer->group->n);
  want.group[0] = 0;
  serve();
  settle();
  EXPECT_EQ(last().done, 9u);
}

// What would take a task, or somebody else's word for it, is not begun.
TEST_F(Count, IsOfNothingThatIsNotStored) {
  foreign::Options o;
  o.rows = {30, 41, 8};
  foreign::write_robosuite(path(), o);
  open(path());
  serve();
  settle();
  EXPECT_FALSE(last().on) << "the file has no predicate";
  EXPECT_EQ(s->survey, nullptr);
  many(4);
  std::string file = path();
  const char *paths[] = {file.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 1;
  opt.success = "s.time > 0.2";
  session_free(s);
  s = nullptr;
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  serve();
  settle();
  EXPECT_FALSE(last().on) << "it is judged otherwise";
  EXPECT_EQ(s->survey, nullptr);
  many(1);
  open(path());
  serve();
  settle();
  EXPECT_FALSE(last().on) << "a list of one";
}

// Files beside it that store none are not known, until the task is asked.
TEST_F(Count, FilesWithoutAPredicateAreNotKnown) {
  many(3);
  foreign::Options o;
  o.rows = {30, 41};
  foreign::write_robosuite(path("none.hdf5"), o);
  std::string with = path(), without = path("none.hdf5");
  const char *paths[] = {with.c_str(), without.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 2;
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  serve();
  settle();
  hold_count c = last();
  EXPECT_EQ(c.all, 5u);
  EXPECT_EQ(c.done, 5u);
  EXPECT_EQ(c.unknown, 2u);
  EXPECT_EQ(c.latch[1], 3u);
  EXPECT_FALSE(s->survey->at[4].done) << "whoever asks has it judged";
}

// One episode at a time where somebody waits, and none before the list itself is known.
TEST_F(Count, ComesLast) {
  many(40);
  open(path());
  serve();
  for (int i = 0; i < 10000 && !s->survey; i++) {
    snapshot *snap = nullptr;
    session_work(s, always, nullptr, &snap);
    snapshot_free(snap);
  }
  ASSERT_NE(s->survey, nullptr);
  EXPECT_EQ(ph_store_unseen(s->store), 0u);
  EXPECT_EQ(s->survey->done, 1u);
  while (s->survey->done < 10) {
    snapshot *snap = nullptr;
    size_t before = s->survey->done;
    EXPECT_TRUE(session_work(s, always, nullptr, &snap));
    EXPECT_EQ(snap, nullptr);
    EXPECT_LE(s->survey->done, before + 1);
  }
  EXPECT_EQ(session_wait(s), 0u);
}

// Others store that success has held: at the hold that is in their outcomes the first row is it.
TEST_F(Count, AHoldThatIsInTheOutcomesIsNotCountedTwice) {
  many(2);
  open(path());
  serve();
  settle();
  ASSERT_NE(s->survey, nullptr);
  surveyed &e = s->survey->at[0];
  ASSERT_TRUE(e.known);
  e.held = e.own = 3;
  s->survey->counted = false;
  want.hold = {true, 3 * e.dt, false};
  EXPECT_EQ(last().latch[1], 1u);
  want.hold.seconds = 4 * e.dt;
  EXPECT_EQ(last().latch[1], 0u);
}

} // namespace
