/* Envs that are led, aligned, held and sought at random, against a cursor of each alone. */
#include <filesystem>
#include <fstream>
#include <random>

#include "ensemble_help.h"

using namespace ensemble_help;

namespace {

/* Five lengths; each begins at another time on its clock, and the task latches by that: but the
 * last one, which never does. */
struct Storm : testing::Test {
  Model model{pile()};
  Task task{"return { name = 'late', control_steps = 4, hold_seconds = 0.032,\n"
            "success = function(s) return s.time > 0.29 and s.time < 9 end }"};
  Sources s;
  std::vector<std::unique_ptr<Rerun>> alone;
  std::vector<std::unique_ptr<Cursor>> cursor;
  Storm() {
    const int actions[] = {30, 55, 24, 42, 33};
    const double clock[] = {0, 0.2, 0.11, 0.055, 10};
    for (int i = 0; i < 5; i++) {
      Maker maker(model.model);
      maker.actions = actions[i];
      maker.start = [&](ph_sim *sim) {
        disturb(sim);
        sim->d->time = clock[i];
        sim->d->qvel[1] += 0.1 * i;
      };
      Episode &e = s.add(maker.make(), model.model, task.task);
      ph_rerun_options longer = PH_RERUN_OPTIONS_INIT;
      longer.states = 130;
      alone.push_back(std::make_unique<Rerun>(e.episode, model.model, task.task, longer));
      cursor.push_back(std::make_unique<Cursor>(*alone.back()));
    }
  }
  int64_t states(size_t i) const { return s.episodes[i]->meta().states; }
};

/* What is wanted of all, kept beside the ensemble. */
struct Wish {
  bool hold = false;
  ph_align align = PH_ALIGN_STEP;
  size_t lead = 0;
  std::vector<int64_t> latch;
  int64_t shift(size_t i) const {
    bool latches = align == PH_ALIGN_LATCH || align == PH_ALIGN_DYNAMIC;
    auto offset = [&](size_t k) { return latch[k] < 0 ? 0 : latch[k] - latch[0]; };
    return latches ? offset(i) - offset(lead) : 0;
  }
};

int64_t last_of(const Storm &storm, const Wish &wish) {
  int64_t last = storm.states(0) - 1 - wish.shift(0);
  for (size_t i = 1; i < 5; i++) {
    int64_t its = storm.states(i) - 1 - wish.shift(i);
    last = wish.hold ? std::max(last, its) : std::min(last, its);
  }
  return std::max<int64_t>(last, 0);
}

void change(std::mt19937 &any, Ensemble &e, Wish &wish) {
  wish.hold = any() % 2;
  wish.lead = any() % 5;
  if (any() % 3 == 0)
    wish.align = static_cast<ph_align>(any() % PH_ALIGN_COUNT);
  ph_ensemble_set_hold(e.e, wish.hold);
  ph_ensemble_align(e.e, wish.align);
  ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, wish.lead));
}

void expect_env(Storm &storm, const Ensemble &e, const Wish &wish, size_t i, int64_t p, int k) {
  const ph_ensemble_frame &f = e.frame(i);
  int64_t wanted = p + wish.shift(i), end = storm.states(i) - 1;
  int64_t step = std::max<int64_t>(0, std::min(wanted, end));
  ASSERT_EQ(wanted, f.at.wanted);
  ASSERT_EQ(step, f.at.step);
  ASSERT_EQ(wanted > end, f.at.held);
  ASSERT_EQ(wanted < 0, f.at.waits);
  std::string want = storm.s.episodes[i]->row(PH_COL_STATES, step);
  ASSERT_EQ(0, memcmp(want.data(), f.recorded.state, want.size()));
  ASSERT_NE(nullptr, f.dynamic) << f.note;
  const ph_instant &there = storm.cursor[i]->go(std::max<int64_t>(0, wanted), wanted < 0 ? 0 : k);
  ASSERT_EQ(bits(there, dims_of(*storm.alone[i])), bits(*f.dynamic, dims_of(*storm.alone[i])));
  ASSERT_EQ(f.at.held || f.at.waits || k > 0 ? -1 : 1, f.equal);
}

TEST_F(Storm, WhateverIsAskedForIsWhatEachIsAlone) {
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.jobs = 2;
  opt.budget = 60 << 10; /* some states of each */
  Ensemble e(s, opt);
  std::mt19937 any(7);
  Wish wish;
  e.measure();
  for (size_t i = 0; i < 5; i++)
    wish.latch.push_back(e.result(i).latch[PH_LATCH_DYNAMIC]);
  ASSERT_EQ((std::vector<int64_t>{20, 7, 13, 16, PH_LATCH_NEVER}), wish.latch);
  ph_rerun_cache cache;
  ph_ensemble_cached(e.e, &cache);
  ASSERT_GT(cache.every, 1);
  for (int turn = 0; turn < 120; turn++) {
    if (turn % 3 == 0)
      change(any, e, wish);
    int64_t last = last_of(*this, wish), p = static_cast<int64_t>(any() % 110) - 5;
    int k = static_cast<int>(any() % 4);
    ASSERT_EQ(last, ph_ensemble_last(e.e)) << turn;
    e.seek(p, true, k);
    int64_t clamped = std::max<int64_t>(0, std::min(p, last));
    ASSERT_EQ(clamped, ph_ensemble_playhead(e.e));
    for (size_t i = 0; i < 5; i++) {
      ASSERT_EQ(wish.shift(i), ph_ensemble_alignment(e.e, i).shift);
      expect_env(*this, e, wish, i, clamped, clamped == p ? k : 0);
    }
    if (HasFatalFailure())
      FAIL() << "turn " << turn << " at " << p << "+" << k << " led by " << wish.lead
             << " aligned by " << ph_align_name(wish.align);
  }
}

/* --- damage on disk --- */

using Bytes = std::vector<char>;

Bytes slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/* One byte is another, or the end is gone. */
void damage(std::mt19937 &any, const std::string &path, Bytes bytes) {
  size_t at = any() % bytes.size();
  if (any() % 8 == 0)
    bytes.resize(at);
  else
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << any() % 8));
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/* A sentence says what is wrong with an env that is not as it was recorded. */
void expect_told(const Ensemble &e, size_t i) {
  const ph_ensemble_env *env = ph_ensemble_env_of(e.e, i);
  ph_ensemble_result r = e.result(i);
  EXPECT_TRUE(r.ended);
  if (env->reason[0] || env->refused[0] || r.text[0]) {
    EXPECT_TRUE(r.status != PH_OK || r.text[0]);
    return;
  }
  EXPECT_TRUE(r.ran);
  EXPECT_EQ(PH_BITWISE, r.cls);
  EXPECT_EQ(env->states, r.known);
}

TEST(EnsembleDamage, OneEnvIsDamagedAndTheOtherIsNot) {
  TempDir folder;
  std::string run = folder.path + "/run", bad = run + "/env001_ep000002_100.h5";
  std::filesystem::copy(runs + "muscle_reach", run, std::filesystem::copy_options::recursive);
  Bytes whole = slurp(bad);
  ASSERT_GT(whole.size(), 1000u);
  std::mt19937 any(3);
  for (int turn = 0; turn < 10; turn++) {
    damage(any, bad, whole);
    Recorded store(run);
    Ensemble e(store.store, ph_store_find(store.store, "env000_ep000002"));
    ASSERT_EQ(2u, ph_ensemble_count(e.e));
    e.measure();
    EXPECT_EQ(PH_BITWISE, e.result(0).cls);
    EXPECT_EQ(50, e.result(0).known);
    expect_told(e, 1);
    ph_ensemble_set_hold(e.e, true);
    for (int64_t p : {0, 49, 100, 17}) {
      e.seek(p, true);
      EXPECT_EQ(e.frame(0).at.held ? -1 : 1, e.frame(0).equal) << turn;
    }
  }
}

} // namespace
