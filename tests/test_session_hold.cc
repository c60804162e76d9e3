// The hold behind the screen, on recorded runs: what follows it, what is counted over all episodes
// against a naive count, what is cut.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "panel_fixture.h"

extern "C" {
#include "session.h"
#include "session_parts.h"
}

namespace {

namespace fs = std::filesystem;

using Shot = std::unique_ptr<snapshot, void (*)(snapshot *)>;

struct Held {
  std::string dir;
  session *s = nullptr;
  request want{};

  explicit Held(const std::string &run, const char *success = nullptr, bool copy = false) {
    std::string path = std::string(TEST_SOURCE_ROOT) + "/data/runs/" + run;
    if (copy) {
      char name[] = "/tmp/heldXXXXXX";
      dir = mkdtemp(name);
      fs::copy(path, dir + "/run", fs::copy_options::recursive);
      path = dir + "/run";
    }
    const char *paths[1] = {path.c_str()};
    session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    opt.success = success;
    EXPECT_EQ(PH_OK, session_open(&s, &opt)) << ph_error();
  }
  ~Held() {
    session_free(s);
    if (!dir.empty())
      fs::remove_all(dir);
  }

  Shot serve() {
    snapshot *snap = nullptr;
    want.serial++;
    EXPECT_EQ(PH_OK, session_serve(s, &want, &snap));
    return Shot(snap, snapshot_free);
  }
  Shot settled() {
    Shot shot = serve();
    snapshot *snap = nullptr;
    EXPECT_EQ(PH_OK, session_settle(s, 1000, &snap));
    return snap ? Shot(snap, snapshot_free) : std::move(shot);
  }
  void hold(int64_t steps, double dt = 0.02) { want.hold = {true, (double)steps * dt, true}; }
  std::vector<uint8_t> predicate(size_t place) {
    ph_episode *e = nullptr;
    EXPECT_EQ(PH_OK, ph_store_episode(&e, s->store, place)) << ph_error();
    std::vector<uint8_t> bits((size_t)ph_episode_meta_of(e)->states);
    EXPECT_EQ(PH_OK, ph_episode_read(e, PH_COL_PREDICATE, 0, (int64_t)bits.size(), bits.data()));
    ph_episode_free(e);
    return bits;
  }
};

int64_t naive_latch(const std::vector<uint8_t> &bits, int64_t steps) {
  int64_t count = 0;
  for (size_t t = 1; t < bits.size(); t++) {
    count = bits[t] ? count + 1 : 0;
    if (bits[t] && count >= steps)
      return (int64_t)t;
  }
  return -1;
}

// Hold, latch and events of the reel, by the plainest of loops.
void expect_counted(const snapshot &snap, const std::vector<uint8_t> &bits, int64_t steps) {
  const reel *r = snap.reel;
  ASSERT_EQ(r->hold_steps, steps);
  ASSERT_EQ((size_t)r->states, bits.size());
  EXPECT_EQ(r->latch, naive_latch(bits, steps));
  int64_t count = 0, latches = 0;
  for (size_t t = 1; t < bits.size(); t++) {
    count = bits[t] ? count + 1 : 0;
    ASSERT_EQ(r->hold[t], count) << t;
  }
  for (size_t i = 0; i < r->nevents; i++) {
    latches += r->events[i].kind == EVENT_LATCH;
    if (i > 0) {
      EXPECT_LE(r->events[i - 1].step, r->events[i].step);
    }
    if (r->events[i].kind == EVENT_LATCH) {
      EXPECT_EQ(r->events[i].step, r->latch);
    }
  }
  EXPECT_EQ(latches, r->latch >= 0);
}

TEST(SessionHold, EveryHoldIsCountedAndTheFilesOwnComesBack) {
  Held h("drawer_close");
  Shot own = h.serve();
  const reel *first = own->reel;
  std::vector<uint8_t> bits = h.predicate(0);
  for (int64_t steps = 0; steps <= 60; steps++) {
    h.hold(steps);
    Shot shot = h.serve();
    expect_counted(*shot, bits, steps);
    EXPECT_TRUE(reel_same(first, shot->reel));
    EXPECT_EQ(shot->reel->predicate, first->predicate) << "it is not read again";
    EXPECT_EQ(shot->reel->meta.hold_steps, 25);
    EXPECT_EQ(shot->held->own, 25);
    EXPECT_EQ(shot->held->steps, steps);
  }
  h.want.hold = {};
  Shot back = h.serve();
  EXPECT_EQ(back->reel, first);
  expect_counted(*back, bits, 25);
}

TEST(SessionHold, AHoldThatAnEpisodeCannotCountIsItsOwn) {
  Held h("drawer_close");
  h.want.hold = {true, 1e-9, true};
  EXPECT_EQ(h.serve()->reel->hold_steps, 25);
}

// In the count it is not its own: it is not known there, and a cut leaves it out.
TEST(SessionHold, AHoldThatAnEpisodeCannotCountIsNotKnownOfIt) {
  Held h("drawer_close");
  h.want.hold = {true, 1e-9, true};
  Shot shot = h.settled();
  const hold_count &c = shot->held->count;
  ASSERT_TRUE(c.on);
  ASSERT_GT(c.all, 0u);
  ASSERT_EQ(c.done, c.all);
  EXPECT_EQ(c.unknown, c.all);
  EXPECT_EQ(c.latch[1], 0u);
  const cut_plan &plan = shot->held->plan;
  EXPECT_EQ(plan.kept, 0u);
  EXPECT_EQ(plan.dropped, c.all);
  EXPECT_TRUE(strstr(plan.drop[0].why, "comes to 0 steps")) << plan.drop[0].why;
}

size_t count_findings(const snapshot &snap, ph_finding_kind kind, const char *text) {
  size_t n = 0;
  for (size_t i = 0; snap.dyn && i < snap.dyn->nfindings; i++)
    n += snap.dyn->findings[i].kind == kind && strstr(snap.dyn->findings[i].text, text);
  return n;
}

// Physics is run once: its latch, findings and what broke it follow the hold alone.
TEST(SessionHold, PhysicsRunAgainFollows) {
  Held h("drawer_close");
  h.want.dyn.mode = MODE_BOTH;
  h.want.dyn.columns = 80;
  Shot own = h.settled();
  ASSERT_TRUE(own->dyn && own->dyn->pass.ended);
  int64_t latch = own->dyn->sum.latch;
  ASSERT_EQ(latch, 162);
  EXPECT_EQ(1u, count_findings(*own, PH_FINDING_LATCH, "25/25"));
  EXPECT_EQ(1u, count_findings(*own, PH_FINDING_NEAR_MISS, "24/25"));
  h.hold(23);
  Shot shot = h.settled();
  EXPECT_EQ(shot->dyn->sum.latch, 96);
  EXPECT_EQ(1u, count_findings(*shot, PH_FINDING_LATCH, "recorded and dynamic: true 74..97"));
  EXPECT_EQ(0u, count_findings(*shot, PH_FINDING_NEAR_MISS, ""));
  EXPECT_EQ(0u, count_findings(*shot, PH_FINDING_DISAGREEMENT, ""));
  for (const held_source &source : shot->held->source)
    EXPECT_EQ(source.latch, 96);
  h.hold(40);
  shot = h.settled();
  EXPECT_EQ(shot->dyn->sum.latch, -1);
  EXPECT_TRUE(shot->dyn->breaks);
  EXPECT_EQ(shot->dyn->broke.steps, 40);
  EXPECT_EQ(0u, count_findings(*shot, PH_FINDING_LATCH, ""));
  for (const held_source &source : shot->held->source)
    EXPECT_EQ(source.refusal, PH_REFUSAL_NEVER);
  h.want.hold = {};
  shot = h.settled();
  EXPECT_EQ(shot->dyn->sum.latch, latch);
  EXPECT_EQ(shot->dyn->nfindings, own->dyn->nfindings);
  for (size_t i = 0; i < own->dyn->nfindings; i++)
    EXPECT_STREQ(shot->dyn->findings[i].text, own->dyn->findings[i].text);
}

TEST(SessionHold, WhatBecameOfABranchFollows) {
  Held h("drawer_close");
  h.want.dyn.mode = MODE_BOTH;
  h.want.dyn.columns = 80;
  h.want.dyn.branch.serial = 1;
  h.want.dyn.branch.at = 50;
  std::vector<uint8_t> bits = h.predicate(0);
  Shot shot = h.settled();
  ASSERT_TRUE(shot->dyn);
  EXPECT_TRUE(has(shot->dyn->branch_text, ", latches at 162")) << shot->dyn->branch_text;
  EXPECT_FALSE(has(shot->dyn->branch_text, "(hold")) << shot->dyn->branch_text;
  for (int64_t steps : {0, 1, 7, 20, 23, 24, 26, 40}) {
    h.hold(steps);
    shot = h.settled();
    int64_t row = naive_latch(bits, steps);
    std::string text = row < 0 ? "never latches" : "latches at " + std::to_string(row);
    EXPECT_TRUE(has(shot->dyn->branch_text, text + " (hold " + std::to_string(steps) + ")"))
        << shot->dyn->branch_text;
  }
  h.want.dyn.branch.serial = 2;
  h.want.dyn.branch.at = 90; /* in the middle of what holds */
  h.hold(23);
  shot = h.settled();
  EXPECT_TRUE(has(shot->dyn->branch_text, "latches at 96 (hold 23)")) << shot->dyn->branch_text;
}

TEST(SessionHold, IntervalsSayWhatBrokeThem) {
  Held h("drawer_close");
  Shot shot = h.settled();
  std::vector<uint8_t> bits = h.predicate(0);
  const held_answer *a = shot->held;
  ASSERT_EQ(a->of, PH_LATCH_RECORDED);
  ASSERT_EQ(a->n, 2u);
  size_t at = 0;
  for (size_t t = 1; t < bits.size(); t++) {
    if (bits[t] && !bits[t - 1]) {
      EXPECT_EQ(a->interval[at].first, (int64_t)t);
    }
    if (bits[t] && (t + 1 == bits.size() || !bits[t + 1])) {
      EXPECT_EQ(a->interval[at++].last, (int64_t)t);
    }
  }
  EXPECT_TRUE(a->interval[0].broken);
  EXPECT_STREQ(a->interval[0].by, "near 0.1221 m");
  EXPECT_FALSE(a->interval[1].broken);
  EXPECT_STREQ(a->interval[1].by, "");
}

// --- all episodes ---

void expect_naive(Held &h, const hold_count &c, int64_t own) {
  size_t n = session_count(h.s), latch[3] = {0}, at_own = 0;
  std::vector<int64_t> shift;
  for (size_t i = 0; i < n; i++) {
    std::vector<uint8_t> bits = h.predicate(i);
    int64_t now = naive_latch(bits, c.steps[1]), was = naive_latch(bits, own);
    for (int k = 0; k < 3; k++)
      latch[k] += c.steps[k] >= 0 && naive_latch(bits, c.steps[k]) >= 0;
    at_own += was >= 0;
    if (now >= 0 && was >= 0)
      shift.push_back(now - was);
  }
  std::sort(shift.begin(), shift.end());
  EXPECT_EQ(c.all, n);
  EXPECT_EQ(c.done, n);
  for (int k = 0; k < 3; k++)
    EXPECT_EQ(c.latch[k], latch[k]) << c.steps[k];
  EXPECT_EQ(c.own, at_own);
  ASSERT_EQ(c.both, shift.size());
  if (!shift.empty()) {
    EXPECT_EQ(c.median, shift[(shift.size() - 1) / 2]);
    EXPECT_EQ(c.least, shift.front());
    EXPECT_EQ(c.most, shift.back());
  }
}

TEST(SessionSurvey, CountsAreThoseOfANaiveCount) {
  for (const char *run : {"drawer_close", "muscle_reach", "quadruped_stand"}) {
    Held h(run);
    Shot own = h.serve();
    int64_t file = own->reel->meta.hold_steps;
    EXPECT_FALSE(own->held->count.asked) << "nobody asked";
    for (int64_t steps : {0, 1, 5, 12, 18, 20, 24, 25, 26, 40, 500}) {
      SCOPED_TRACE(std::string(run) + " " + std::to_string(steps));
      h.hold(steps, own->reel->meta.control_dt);
      Shot shot = h.settled();
      expect_naive(h, shot->held->count, file);
      EXPECT_EQ(shot->held->count.steps[1], steps);
    }
  }
}

// Of those, episodes are opened once; a hold is a recount.
TEST(SessionSurvey, AnotherHoldReadsNothing) {
  Held h("drawer_close", nullptr, true);
  h.hold(25);
  h.settled();
  for (const auto &file : fs::directory_iterator(h.dir + "/run"))
    fs::remove(file.path());
  h.hold(23);
  Shot shot = h.serve();
  EXPECT_EQ(shot->held->count.done, 8u);
  EXPECT_EQ(shot->held->count.latch[1], 6u);
  EXPECT_EQ(shot->reel->latch, 96);
}

bool never(void *) {
  return false;
}
bool always(void *) {
  return true;
}

// A request that waits comes first; what is left goes on from where it was.
TEST(SessionSurvey, GoesOnAfterItWasInterrupted) {
  Held h("drawer_close");
  h.hold(23);
  h.serve();
  bool due;
  struct opened *o = session_opened(h.s);
  size_t done = 0, turns = 0;
  for (; turns < 2000 && done < 8; turns++) {
    session_held_work(h.s, o, turns % 2 ? always : never, nullptr, &due);
    if (turns % 3 == 0)
      h.want.step = (int64_t)(turns % 100);
    Shot shot = h.serve();
    ASSERT_GE(shot->held->count.done, done) << "nothing is counted twice or lost";
    done = shot->held->count.done;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(done, 8u);
  Shot shot = h.settled();
  expect_naive(h, shot->held->count, 25);
}

TEST(SessionSurvey, StopsWhereNobodyWantsItAndGoesOnLater) {
  Held h("drawer_close");
  h.hold(23);
  h.serve();
  h.want.hold.count = false;
  h.serve();
  bool due;
  EXPECT_FALSE(session_held_work(h.s, session_opened(h.s), never, nullptr, &due) && due &&
               h.serve()->held->count.asked);
  h.hold(23);
  Shot shot = h.settled();
  expect_naive(h, shot->held->count, 25);
}

// Episodes that a recorder adds are counted with the others.
TEST(SessionSurvey, NewEpisodesAreCounted) {
  Held h("drawer_close", nullptr, true);
  h.hold(23);
  Shot before = h.settled();
  ASSERT_EQ(before->held->count.all, 8u);
  std::string record = std::string(getenv("PLAYHEAD_PROGRAM") ? getenv("PLAYHEAD_PROGRAM") : "");
  if (record.empty())
    GTEST_SKIP() << "no program";
  record += " record " + std::string(TEST_SOURCE_ROOT) +
            "/data/drawer_close.lua --append --envs 1 --episodes 1 --seed 12 --out " + h.dir +
            "/run >/dev/null 2>&1";
  ASSERT_EQ(0, system(record.c_str()));
  h.want.follow = true;
  for (int i = 0; i < 6000 && session_count(h.s) == 8; i++) { /* it looks the rarer the slower */
    h.serve();
    snapshot *snap = nullptr;
    session_work(h.s, never, nullptr, &snap);
    snapshot_free(snap);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(session_count(h.s), 9u);
  Shot shot = h.settled();
  EXPECT_EQ(shot->held->count.all, 9u);
  expect_naive(h, shot->held->count, 25);
}

// --- cuts ---

TEST(SessionCut, WritesWhatThePlanSaid) {
  Held h("drawer_close", nullptr, true);
  h.hold(23);
  h.want.count_by = COUNT_RECORDED;
  Shot shot = h.settled();
  const cut_plan plan = shot->held->plan;
  ASSERT_TRUE(plan.ready);
  EXPECT_EQ(plan.by, PH_LATCH_RECORDED);
  EXPECT_EQ(plan.kept, 6u);
  EXPECT_EQ(plan.dropped, 2u);
  EXPECT_EQ(std::string(plan.out), h.dir + "/run_hold0p46s.h5");
  h.want.cut.serial = 1;
  h.want.cut.hold = h.want.hold;
  set_text(h.want.cut.out, h.dir + "/out.h5");
  shot = h.settled();
  EXPECT_EQ(shot->held->cuts, 1u);
  EXPECT_FALSE(shot->held->cut_failed) << shot->held->cut;
  EXPECT_TRUE(has(shot->held->cut, "6 of 8 episodes are in " + h.dir + "/out.h5"))
      << shot->held->cut;
  ph_store *store = nullptr;
  std::string out = h.dir + "/out.h5";
  const char *path = out.c_str();
  ASSERT_EQ(PH_OK, ph_store_open(&store, &path, 1, nullptr)) << ph_error();
  ASSERT_EQ(ph_store_count(store), 6u);
  int64_t least = 1 << 30, most = -1;
  for (size_t i = 0; i < 6; i++) {
    ph_episode *e = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&e, store, i)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(e);
    EXPECT_EQ(meta->hold_steps, 23);
    EXPECT_EQ(meta->success, 1);
    ph_episode_free(e);
  }
  for (size_t i = 0; i < 8; i++) {
    std::vector<uint8_t> bits = h.predicate(i);
    int64_t row = naive_latch(bits, 23), off = (int64_t)bits.size() - 1 - row;
    least = row >= 0 ? std::min(least, off) : least;
    most = row >= 0 ? std::max(most, off) : most;
  }
  EXPECT_EQ(plan.least, least);
  EXPECT_EQ(plan.most, most);
  ph_store_free(store);
  // Once more into the same file: one line, and it stays.
  auto size = fs::file_size(out);
  h.want.cut.serial = 2;
  shot = h.settled();
  EXPECT_EQ(shot->held->cuts, 2u);
  EXPECT_TRUE(shot->held->cut_failed);
  EXPECT_TRUE(has(shot->held->cut, "not cut: ")) << shot->held->cut;
  EXPECT_TRUE(has(shot->held->cut, "out.h5")) << shot->held->cut;
  EXPECT_FALSE(has(shot->held->cut, "\n"));
  EXPECT_EQ(fs::file_size(out), size);
}

TEST(SessionCut, WhatWasGivenUpBeforeItBeganIsNotBegun) {
  Held h("drawer_close", nullptr, true);
  h.hold(23);
  h.want.count_by = COUNT_RECORDED;
  h.settled();
  h.want.cut.serial = 1;
  h.want.cut.dropped = 1;
  h.want.cut.hold = h.want.hold;
  set_text(h.want.cut.out, h.dir + "/out.h5");
  Shot shot = h.settled();
  EXPECT_TRUE(shot->held->cut_failed);
  EXPECT_TRUE(has(shot->held->cut, "canceled")) << shot->held->cut;
  EXPECT_FALSE(fs::exists(h.dir + "/out.h5"));
}

// The source that `cut` takes, its rows, and its words for what is left out.
TEST(SessionCut, ChoosesAsTheProgramDoes) {
  Held h("drawer_close", "s.joint.drawer < 0.05");
  h.hold(10);
  h.want.count_by = COUNT_STRICTEST;
  Shot shot = h.settled();
  const cut_plan &plan = shot->held->plan;
  ASSERT_TRUE(plan.ready);
  EXPECT_EQ(plan.by, PH_LATCH_DYNAMIC);
  EXPECT_EQ(shot->held->count.by, PH_LATCH_DYNAMIC);
  EXPECT_EQ(plan.kept, 7u);
  ASSERT_EQ(plan.dropped, 1u);
  EXPECT_STREQ(plan.drop[0].id, "env000_ep000001");
  EXPECT_STREQ(plan.drop[0].why,
               "the env ends the episode at row 88 without success (terminated: failure)");
  EXPECT_EQ(plan.least, 23);
  EXPECT_EQ(plan.most, 245);
  // Another source on demand, and back.
  h.want.count_by = COUNT_RECORDED;
  shot = h.settled();
  EXPECT_EQ(shot->held->plan.by, PH_LATCH_RECORDED);
  EXPECT_EQ(shot->held->plan.kept, 6u);
  h.want.count_by = COUNT_STRICTEST;
  EXPECT_EQ(h.settled()->held->plan.kept, 7u);
}

// Where success is judged otherwise than the file says, it is that which is counted.
TEST(SessionSurvey, CountsThePredicateOnShow) {
  Held h("drawer_close", "s.joint.drawer < 0.05");
  h.hold(10);
  Shot shot = h.settled();
  EXPECT_EQ(shot->held->count.judged, 8u);
  EXPECT_EQ(shot->held->count.latch[1], 7u);
  EXPECT_FALSE(shot->held->plan.ready) << "a cut is by one source";
}

// A cut by what is no longer counted is not begun.
TEST(SessionCut, IsOfTheSourceThatWasShown) {
  Held h("drawer_close", nullptr, true);
  h.hold(23);
  h.want.count_by = COUNT_RECORDED;
  h.settled();
  h.want.cut.serial = 1;
  h.want.cut.hold = h.want.hold;
  h.want.cut.by = PH_LATCH_DYNAMIC;
  set_text(h.want.cut.out, h.dir + "/out.h5");
  Shot shot = h.settled();
  EXPECT_TRUE(shot->held->cut_failed);
  EXPECT_FALSE(fs::exists(h.dir + "/out.h5"));
}

// What --success judged is what the result latches by.
TEST(SessionCut, StoresTheTaskThatJudged) {
  Held h("drawer_close", "s.joint.drawer < 0.05", true);
  h.hold(5);
  h.want.count_by = COUNT_KINEMATIC;
  Shot shot = h.settled();
  ASSERT_TRUE(shot->held->plan.ready);
  h.want.cut.serial = 1;
  h.want.cut.hold = h.want.hold;
  h.want.cut.by = PH_LATCH_KINEMATIC;
  set_text(h.want.cut.out, h.dir + "/out.h5");
  shot = h.settled();
  EXPECT_FALSE(shot->held->cut_failed) << shot->held->cut;
  ph_store *store = nullptr;
  std::string out = h.dir + "/out.h5";
  const char *path = out.c_str(), *source = nullptr;
  ASSERT_EQ(PH_OK, ph_store_open(&store, &path, 1, nullptr)) << ph_error();
  EXPECT_EQ(ph_store_count(store), 7u);
  for (size_t i = 0; i < ph_store_count(store); i++) {
    ph_episode *e = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&e, store, i)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(e);
    std::vector<uint8_t> bits((size_t)meta->states);
    EXPECT_EQ(PH_OK, ph_episode_read(e, PH_COL_PREDICATE, 0, meta->states, bits.data()));
    EXPECT_EQ(meta->hold_steps, 5);
    EXPECT_EQ(naive_latch(bits, 5), meta->actions);
    EXPECT_EQ(PH_OK, ph_store_task(&source, store, meta->task_sha256));
    EXPECT_TRUE(has(source, "s.joint.drawer < 0.05"));
    ph_episode_free(e);
  }
  ph_store_free(store);
}

// --- a storm ---

TEST(SessionHold, AStormOfHoldsEndsAtTheLastOne) {
  Held h("drawer_close");
  h.want.dyn.mode = MODE_BOTH;
  std::vector<uint8_t> bits = h.predicate(0);
  uint32_t random = 1;
  for (int i = 0; i < 300; i++) {
    random = random * 1664525u + 1013904223u;
    h.hold((random >> 16) % 60);
    h.want.step = (random >> 8) % 163;
    h.serve();
    snapshot *snap = nullptr;
    session_work(h.s, i % 2 ? always : never, nullptr, &snap);
    snapshot_free(snap);
  }
  h.hold(23);
  Shot shot = h.settled();
  expect_counted(*shot, bits, 23);
  expect_naive(h, shot->held->count, 25);
  EXPECT_EQ(shot->dyn->sum.latch, 96);
  EXPECT_EQ(1u, count_findings(*shot, PH_FINDING_LATCH, "23/23"));
}

} // namespace
