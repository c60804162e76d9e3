// Physics run again behind the screen, held against the library bit for bit.
#include <algorithm>
#include <chrono>

#include "dynamic_help.h"

extern "C" {
#include "session_parts.h"
}

using dynamic_help::Dynamic;
using dynamic_help::Library;
using dynamic_help::record_arm;

static bool always(void *) {
  return true;
}

static void expect_bits(const struct dynamic_answer *d, const ph_instant *now,
                        const ph_dims *dims) {
  const double *state = now->row.state;
  ASSERT_TRUE(d->has_frame) << d->error << d->refused;
  EXPECT_EQ(d->step, now->step);
  EXPECT_EQ(d->substep, now->substep);
  EXPECT_EQ(memcmp(&d->time, state, 8), 0);
  EXPECT_EQ(memcmp(d->qpos, state + 1, 8 * (size_t)dims->nq), 0);
  EXPECT_EQ(memcmp(d->qvel, state + 1 + dims->nq, 8 * (size_t)dims->nv), 0);
  EXPECT_EQ(memcmp(d->ctrl, now->row.ctrl, 8 * (size_t)dims->nu), 0);
}

TEST_F(Dynamic, EveryFrameIsTheLibrarysInAnyOrder) {
  for (const char *run : {"drawer_close", "muscle_reach", "quadruped_stand"}) {
    std::filesystem::remove_all(dir / "run");
    copy(run);
    ASSERT_EQ(open(), PH_OK) << ph_error();
    Library lib(dir / "run", 1);
    const ph_dims *dims = &ph_episode_meta_of(lib.episode)->dims;
    ph_replay *replay = nullptr;
    ASSERT_EQ(ph_replay_create(&replay, lib.episode, lib.model, lib.task), PH_OK) << ph_error();
    want.episode = 1;
    int64_t last = ph_episode_meta_of(lib.episode)->states - 1;
    int most = ph_rerun_control_steps(lib.run) - 1;
    const std::pair<int64_t, int> places[] = {{last, 0}, {17, 0},   {16, most}, {17, 1}, {0, 0},
                                              {0, most}, {last, 2}, {18, 0},    {5, 0},  {4, 1}};
    for (auto [step, substep] : places) {
      SCOPED_TRACE(std::string(run) + " " + std::to_string(step) + "+" + std::to_string(substep));
      const struct dynamic_answer *d = ask(MODE_BOTH, step, substep);
      const ph_instant *now = lib.at(step, substep);
      expect_bits(d, now, dims);
      ASSERT_EQ(ph_replay_show(replay, now->step, &now->row, now->action), PH_OK);
      const ph_frame *frame = ph_replay_frame(replay);
      EXPECT_EQ(memcmp(d->values, frame->values, 8 * snap->reel->nsignals), 0);
      EXPECT_EQ(d->ncontacts, frame->ncontact);
      EXPECT_EQ(d->judged, now->judged);
      if (now->judged) {
        EXPECT_EQ(d->predicate, now->predicate);
        EXPECT_EQ(d->held, now->hold.count);
        EXPECT_EQ(d->flags < 0, step == 0);
        EXPECT_EQ(d->nconditions, snap->reel->nconditions);
      }
      EXPECT_EQ(d->differs, now->substep == 0);
      EXPECT_EQ(d->action != nullptr, step < last);
    }
    ph_replay_free(replay);
  }
}

TEST_F(Dynamic, AnEpisodeThatIsExactSaysSoOverItsWholeLength) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  const struct dynamic_answer *d = ask(MODE_BOTH, 30);
  ASSERT_STREQ(d->refused, "");
  if (snap->reel->guarantee != PH_EXACT)
    GTEST_SKIP() << snap->reel->reason;
  EXPECT_TRUE(d->pass.ended);
  EXPECT_EQ(d->pass.free_run, snap->reel->states);
  EXPECT_EQ(d->pass.one_step, snap->reel->states - 1);
  EXPECT_EQ(d->sum.cls, PH_BITWISE);
  EXPECT_EQ(d->difference.cls, PH_BITWISE);
  EXPECT_TRUE(d->difference.equal);
  EXPECT_EQ(d->sum.latch, snap->reel->latch);
  EXPECT_EQ(d->cache.cached, snap->reel->states);
  EXPECT_EQ(finding(PH_FINDING_DIVERGENCE), nullptr);
  EXPECT_EQ(finding(PH_FINDING_DISAGREEMENT), nullptr);
  ASSERT_NE(finding(PH_FINDING_LATCH), nullptr);
  EXPECT_EQ(finding(PH_FINDING_LATCH)->step, snap->reel->latch);
  /* lanes: what the recording has, a column at a time */
  const struct lanes *l = d->lanes;
  ASSERT_NE(l, nullptr);
  ASSERT_EQ(l->n, 40);
  EXPECT_EQ(l->first, 0);
  EXPECT_EQ(l->last, snap->reel->states - 1);
  int64_t most = 0,
          was = *std::max_element(snap->reel->hold, snap->reel->hold + snap->reel->states);
  for (int i = 0; i < l->n; i++) {
    EXPECT_EQ(l->drift[i], 0) << i;
    EXPECT_EQ(l->one[i], 0) << i;
    EXPECT_NE(l->pred[i], 255) << i;
    most = std::max(most, l->hold[i]);
  }
  EXPECT_EQ(most, was);
  EXPECT_EQ(l->ghost, nullptr);
}

TEST_F(Dynamic, FindingsFillInInEveryMode) {
  record_arm(dir / "run", 120, 60);
  ASSERT_EQ(open(), PH_OK) << ph_error();
  const struct dynamic_answer *d = ask(MODE_KINEMATIC, 3);
  EXPECT_FALSE(d->has_frame);
  EXPECT_TRUE(d->pass.ended);
  EXPECT_EQ(d->sum.first[PH_DIVERGED], 61);
  const ph_finding *left = finding(PH_FINDING_DIVERGENCE);
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->step, 61);
  EXPECT_NE(strstr(left->text, "LEFT THE RECORDING"), nullptr) << left->text;
  EXPECT_NE(strstr(left->text, "equal bits before"), nullptr) << left->text;
  EXPECT_NE(strstr(left->text, "ctrl differs at 1 step, first at 61"), nullptr) << left->text;
  EXPECT_NE(strstr(left->text, "exactly 0 at the other 119"), nullptr) << left->text;
  EXPECT_TRUE(d->diagnosed);
  EXPECT_EQ(&d->findings[0], left);
}

TEST_F(Dynamic, TheDifferenceIsThatOfTheRows) {
  record_arm(dir / "run", 120, 60);
  ASSERT_EQ(open(), PH_OK);
  Library lib(dir / "run", 0);
  const struct dynamic_answer *d = ask(MODE_BOTH, 60);
  EXPECT_EQ(d->difference.cls, PH_BITWISE);
  d = ask(MODE_BOTH, 61);
  ASSERT_TRUE(d->differs);
  EXPECT_EQ(d->difference.cls, PH_DIVERGED);
  EXPECT_FALSE(d->difference.ctrl_equal);
  ASSERT_EQ(d->njoints, 2u);
  double dynamic = lib.at(61)->row.state[1];
  EXPECT_EQ(d->joints[0].now.rad, std::fabs(dynamic - snap->qpos[0]));
  EXPECT_GE(d->joints[0].worst.rad, d->joints[0].now.rad);
}

TEST_F(Dynamic, AnotherAnchorIsAnotherRun) {
  record_arm(dir / "run", 120, 60);
  ASSERT_EQ(open(), PH_OK);
  ASSERT_TRUE(ask(MODE_BOTH, 100)->has_frame);
  EXPECT_EQ(snap->dyn->difference.cls, PH_DIVERGED);
  want.dyn.anchor = 80;
  const struct dynamic_answer *d = ask(MODE_BOTH, 100);
  EXPECT_EQ(d->pass.anchor, 80);
  EXPECT_EQ(d->sum.cls, PH_BITWISE);
  EXPECT_EQ(d->difference.cls, PH_BITWISE);
  d = ask(MODE_BOTH, 40);
  EXPECT_FALSE(d->has_frame);
  EXPECT_NE(strstr(d->error, "begins at step 80"), nullptr) << d->error;
  ASSERT_NE(finding(PH_FINDING_DIVERGENCE), nullptr) << "the single step at 61 is still wrong";
  want.dyn.anchor = 0;
  d = ask(MODE_BOTH, 40);
  EXPECT_TRUE(d->has_frame);
  EXPECT_EQ(d->sum.first[PH_DIVERGED], 61);
}

TEST_F(Dynamic, AnotherToleranceIsAnotherPass) {
  record_arm(dir / "run", 120, 60);
  ASSERT_EQ(open(), PH_OK);
  EXPECT_EQ(ask(MODE_BOTH, 61)->sum.cls, PH_DIVERGED);
  want.dyn.tolerance = ph_tolerance_default();
  ASSERT_EQ(ph_tolerance_parse(&want.dyn.tolerance, "pos=100,rot=100,vel=1e6"), PH_OK);
  const struct dynamic_answer *d = ask(MODE_BOTH, 61);
  EXPECT_EQ(d->sum.cls, PH_CLOSE);
  EXPECT_EQ(d->difference.cls, PH_CLOSE);
  ASSERT_NE(finding(PH_FINDING_DIVERGENCE), nullptr);
  EXPECT_NE(strstr(finding(PH_FINDING_DIVERGENCE)->text, "within the tolerance"), nullptr);
}

/* The dynamic frame is thousands of control steps away: nobody waits for it. */
TEST_F(Dynamic, ARequestIsAnsweredAtOnceWhateverPhysicsCosts) {
  record_arm(dir / "run", 6000, -1);
  ASSERT_EQ(open(), PH_OK);
  struct snapshot *fresh = nullptr;
  want.dyn.mode = MODE_BOTH;
  serve();
  for (int64_t step : {5900, 10, 5990, 5500}) {
    want.step = step;
    serve();
    EXPECT_TRUE(snap->has_frame);
    EXPECT_EQ(snap->step, step);
    if (snap->dyn->has_frame) {
      EXPECT_EQ(snap->dyn->step, step);
    }
    session_work(s, always, nullptr, &fresh);
    EXPECT_EQ(fresh, nullptr) << "a request waits: it comes first";
    snapshot_free(fresh);
    fresh = nullptr;
  }
  settle();
  Library lib(dir / "run", 0);
  expect_bits(snap->dyn, lib.at(5500), &ph_episode_meta_of(lib.episode)->dims);
}

/* On its way to a frame that is far off, or to the state that a branch leaves, it says how far the
 * pass behind it is. */
TEST_F(Dynamic, AFarSeekFreezesNothing) {
  record_arm(dir / "run", 6000, -1);
  for (bool branch : {false, true}) {
    bool seen = false; /* the pass on its own thread may be there before the seek */
    for (int tries = 0; tries < 20 && !seen; tries++) {
      ASSERT_EQ(open(), PH_OK) << ph_error();
      want.dyn.mode = branch ? MODE_KINEMATIC : MODE_BOTH;
      want.step = branch ? 0 : 5900;
      want.dyn.branch.serial = branch;
      want.dyn.branch.dynamic = branch;
      want.dyn.branch.at = 5900;
      serve();
      struct snapshot *fresh = nullptr;
      const struct dynamic *d = session_opened(s)->dynamic;
      while (!(branch ? branch_wants(d) : dynamic_wants_frame(d))) { /* there is a run to seek in */
        session_work(s, always, nullptr, &fresh);
        ASSERT_EQ(fresh, nullptr);
        usleep(1000);
      }
      int asked = 0; /* a request comes in the middle of it, and is gone again */
      session_work(
          s, [](void *arg) { return ++*static_cast<int *>(arg) == 20; }, &asked, &fresh);
      ASSERT_NE(fresh, nullptr) << branch;
      seen = !fresh->dyn->has_frame && fresh->dyn->pass.states > 0;
      take(fresh);
    }
    EXPECT_TRUE(seen) << branch;
    settle();
    EXPECT_EQ(snap->dyn->has_frame, !branch);
    EXPECT_EQ(snap->dyn->pass.free_run, 6001);
  }
}

/* Without settling: pieces of work come to the same, and then there is nothing to do. */
TEST_F(Dynamic, PiecesOfWorkComeToTheSameAndEnd) {
  record_arm(dir / "run", 1500, 700);
  ASSERT_EQ(open(), PH_OK);
  want.dyn.mode = MODE_BOTH;
  want.step = 1400;
  serve();
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  int answers = 0;
  for (bool more = true; more || session_wait(s) != UINT64_MAX;) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    struct snapshot *fresh = nullptr;
    more = session_work(s, nullptr, nullptr, &fresh);
    answers += fresh != nullptr;
    take(fresh);
    if (!more)
      usleep(1000 * (useconds_t)std::min<uint64_t>(session_wait(s), 20));
  }
  EXPECT_GT(answers, 0);
  EXPECT_TRUE(snap->dyn->pass.ended);
  EXPECT_TRUE(snap->dyn->diagnosed);
  EXPECT_EQ(snap->dyn->sum.first[PH_DIVERGED], 701);
  Library lib(dir / "run", 0);
  expect_bits(snap->dyn, lib.at(1400), &ph_episode_meta_of(lib.episode)->dims);
}

TEST_F(Dynamic, AnEpisodeThatIsLeftIsComeBackTo) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  ASSERT_TRUE(ask(MODE_BOTH, 10)->has_frame);
  std::vector<double> qpos(snap->dyn->qpos, snap->dyn->qpos + snap->reel->meta.dims.nq);
  want.episode = 1;
  serve(); /* its pass is canceled at once: */
  want.episode = 2;
  ASSERT_TRUE(ask(MODE_DYNAMIC, 5)->has_frame);
  want.episode = 0;
  want.step = 10;
  serve();
  EXPECT_TRUE(snap->dyn->pass.ended) << "what was known still is";
  settle();
  ASSERT_TRUE(snap->dyn->has_frame);
  EXPECT_EQ(memcmp(qpos.data(), snap->dyn->qpos, 8 * qpos.size()), 0);
  want.episode = 1;
  ASSERT_TRUE(ask(MODE_BOTH, 10)->pass.ended);
}

TEST_F(Dynamic, StatesOnlySaysWhy) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  std::string text = (dir / "none.lua").string(), run = (dir / "run").string();
  session_free(s);
  s = nullptr;
  /* another task's terms do not fit: what actions do is not known */
  FILE *file = fopen(text.c_str(), "w");
  fputs("return { name='other', model='drawer.xml', control_steps=10, actions={{type='ctrl', "
        "actuators={'.*'}}}, success=function(s) return true end }",
        file);
  fclose(file);
  const char *paths[] = {run.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 1;
  opt.task_path = text.c_str();
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  const struct dynamic_answer *d = ask(MODE_BOTH, 10);
  EXPECT_TRUE(snap->has_frame);
  EXPECT_FALSE(d->has_frame);
  EXPECT_NE(d->refused[0], 0) << snap->reel->reason << snap->reel->task_note;
  EXPECT_EQ(d->nfindings, 0u);
  EXPECT_EQ(session_wait(s), UINT64_MAX);
}

/* Pushed, the recorded arm reaches a stage that the dynamic one never does. */
TEST_F(Dynamic, ConditionsSeeTheStagesOfTheirOwnRun) {
  record_arm(dir / "run", 120, 60);
  std::string text = (dir / "stage.lua").string(), run = (dir / "run").string();
  FILE *file = fopen(text.c_str(), "w");
  fputs("return { name='staged', model='arm.xml', control_steps=5, actions={{type='ctrl', "
        "actuators={'m.'}}},\n"
        " stages={{name='late', test=function(s) return s.step == 61 and s.ctrl.ms > 0.1 end}},\n"
        " success={ reached=function(s) return s.stages_done == 1 end } }",
        file);
  fclose(file);
  const char *paths[] = {run.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 1;
  opt.task_path = text.c_str();
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  for (int substep : {0, 2}) {
    const struct dynamic_answer *d = ask(MODE_BOTH, 100, substep);
    ASSERT_TRUE(d->has_frame) << d->error << d->refused;
    ASSERT_EQ(snap->reel->nconditions, 1u);
    ASSERT_TRUE(snap->has_conditions) << snap->judge_error;
    EXPECT_TRUE(snap->conditions[0].value);
    ASSERT_EQ(d->nconditions, 1u);
    EXPECT_FALSE(d->condition[0]) << substep;
  }
}

TEST_F(Dynamic, ClosingInTheMiddleOfAPassWaitsForNothingLong) {
  record_arm(dir / "run", 6000, -1);
  ASSERT_EQ(open(), PH_OK);
  struct snapshot *fresh = nullptr;
  want.dyn.mode = MODE_BOTH;
  want.step = 5999;
  serve();
  session_work(s, nullptr, nullptr, &fresh);
  take(fresh);
  for (int64_t anchor = 1; anchor < 8; anchor++) {
    want.dyn.anchor = anchor;
    serve();
    fresh = nullptr;
    session_work(s, nullptr, nullptr, &fresh);
    take(fresh);
  }
}
