// A preview: what a person does to it by hand, and what it says of that and of the task's text.
#include "preview_help.h"

// Whether there is memory for answers.
static bool starved = false;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HEAP_IS_TAKEN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_TAKEN
#endif

#ifdef HEAP_IS_TAKEN
static bool can_starve() {
  return false;
}
#else
extern "C" void *__libc_calloc(size_t n, size_t size);
extern "C" void *calloc(size_t n, size_t size) noexcept {
  return starved && size == sizeof(struct snapshot) ? nullptr : __libc_calloc(n, size);
}
static bool can_starve() {
  return true;
}
#endif

namespace {

TEST_F(Preview, ASubstepFromThePastIsMadeAtTheHeadAndSaysSo) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("n n n n n n 1g s");
  EXPECT_EQ(6, app.snap->step);
  EXPECT_EQ(1, live().substep);
  EXPECT_EQ("at the newest step: 6+1/4", said());
  keys("p"); // where the step under way began
  ASSERT_FALSE(live().between);
  keys("s");
  EXPECT_EQ(2, live().substep) << "of a step under way its first state is past too";
  EXPECT_EQ("at the newest step: 6+2/4", said());
  keys("2g 2s");
  EXPECT_EQ("at the newest step: 7+0/4", said());
  EXPECT_EQ(8, states());
  app.message[0] = 0;
  keys("s");
  EXPECT_EQ("", said()) << "it was there";
  EXPECT_EQ(1, live().substep);
  keys("1g 3s u");
  EXPECT_EQ(1, app.snap->step) << "undo comes back";
}

// At the place of the head's next action, wherever the screen is.
TEST_F(Preview, ANudgeBeginsFromTheHeadsAction) {
  ASSERT_EQ(PH_OK, open(task("policy = function(s) return { s.step / 10 } end,"))) << ph_error();
  keys("5n 1g");
  ASSERT_NEAR(0.1, panel_action_value(&app, 0), 1e-12) << "on show";
  keys("i");
  EXPECT_NEAR(0.6, app.want.live.value[0], 1e-12) << "0.4 was the last, and a twentieth of 4";
  EXPECT_EQ("push is 0.6 from the next step on", said());
  EXPECT_NEAR(0.1, panel_action_value(&app, 0), 1e-12) << "history is as it was";
  EXPECT_NE(std::string::npos, screen().find("0 = ")) << screen();
  EXPECT_NE(std::string::npos, screen().find("action 1; by hand from 5 on: =")) << screen();
  keys("End s");
  EXPECT_NEAR(0.6, app.snap->action[0], 1e-12);
  keys("c 1g i");
  EXPECT_NEAR(0.8, app.want.live.value[0], 1e-12) << "from what is in force at the head";
  EXPECT_NE(std::string::npos, screen().find("by hand from 6 on: =")) << screen();
}

TEST_F(Preview, ANudgeBeginsFromZeroWhereZerosAct) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("3n d i");
  EXPECT_NEAR(0.2, app.want.live.value[0], 1e-12) << "the policy's last action is over";
  line("element 0 -1");
  keys("n c d"); // held
  ASSERT_EQ(PH_DRIVE_HELD, app.want.live.drive);
  keys("i");
  EXPECT_NEAR(-0.8, app.want.live.value[0], 1e-12) << "what is held";
}

TEST_F(Preview, ANudgeOfAnEpisodeThatIsStillToBeginIsFromZero) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("3n");
  app_key(&app, 'N', now += 20); // not served
  app_key(&app, 'i', now += 20);
  EXPECT_NEAR(0.2, app.want.live.value[0], 1e-12);
  serve();
}

TEST_F(Preview, WhatIsByHandStaysAndIsSaid) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  const char words[] = "1 element by hand: c releases";
  EXPECT_EQ(std::string::npos, screen().find("by hand: ")) << screen();
  line("element 0 -1");
  EXPECT_NE(std::string::npos, screen().find(words)) << screen();
  keys("n N");
  EXPECT_EQ("seed 4, 1 element still by hand", said());
  keys("n");
  EXPECT_EQ(-1, app.snap->action[0]);
  line("reset 7");
  EXPECT_EQ("seed 7, 1 element still by hand", said());
  line("reload");
  EXPECT_EQ("seed 7, 1 element still by hand", said());
  app.message[0] = 0;
  keys("n p");
  EXPECT_NE(std::string::npos, screen().find(words)) << "in the past too\n" << screen();
  keys("c");
  EXPECT_EQ(std::string::npos, screen().find("by hand: ")) << screen();
  keys("A");
  EXPECT_EQ("seed 7", said());
}

TEST_F(Preview, WhatIsCutIsCountedForEachElement) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("n n");
  EXPECT_EQ(0, live().cut[0]);
  EXPECT_EQ(std::string::npos, screen().find(" cut")) << screen();
  line("element 0 9");
  keys("3n");
  EXPECT_EQ(3, live().cut[0]);
  EXPECT_NE(std::string::npos, screen().find("  cut ")) << screen();
  EXPECT_NE(std::string::npos, screen().find(" 3x ")) << screen();
  keys("s");
  EXPECT_EQ(4, live().cut[0]) << "the step under way with it";
  app_resize(&app, 24, 80);
  EXPECT_NE(std::string::npos, screen().find(" 4x")) << screen();
  keys("A");
  EXPECT_EQ(0, live().cut[0]);
}

/* --- names in the text --- */

TEST_F(Preview, AMisspeltNameIsToldOfAsTheTaskIsLoaded) {
  for (const char *part : {"failure = function(s) return s.step > 99 and s.jont.x end,",
                           "reward = function(s) return s.step < 99 and 1 or s.jont.x end,",
                           "readouts = { a = function(s) return s.step < 99 and 1 or s.jont end },",
                           "policy = function(s) return { s.step < 99 and 1 or s.jont.x } end,"}) {
    ASSERT_EQ(PH_OK, open(task(part))) << ph_error();
    const char words[] = "t.lua:7: s.jont: s has no 'jont'; did you mean 'joint'?";
    EXPECT_EQ(words, said());
    EXPECT_NE(std::string::npos, screen().find(words)) << screen();
    keys("n n");
    EXPECT_EQ(3, states()) << "it hinders nothing";
    session_free(session);
    session = nullptr;
    app_free(&app);
    app_init(&app);
    app_resize(&app, 40, 160);
  }
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  EXPECT_EQ("", said());
  write("t.lua",
        task("failure = function(s) return s.step > 99 and s.joint.y > s.body.kart.x end,"));
  line("reload");
  EXPECT_EQ(1, states());
  EXPECT_EQ("t.lua:7: s.joint.y: no joint 'y' (and 1 more: task check)", said());
  keys("n N");
  EXPECT_EQ("seed 4", said()) << "once";
}

/* --- out of memory --- */

TEST_F(Preview, AnAnswerThatThereWasNoMemoryForIsOwed) {
  if (!can_starve())
    GTEST_SKIP() << "a sanitizer has the heap";
  ASSERT_EQ(PH_OK, open(task("stages = { { name = 'a', test = function() return false end } },")))
      << ph_error();
  EXPECT_EQ(UINT64_MAX, session_wait(session)) << "nothing is owed";
  app.want.live.substeps = 12;
  app.want.step = 3;
  app.want.serial++;
  struct snapshot *snap = nullptr;
  ASSERT_EQ(PH_OK, session_serve(session, &app.want, &snap));
  app_take(&app, snap);
  snap = nullptr;
  starved = true; // as the stages of the new states are judged, and their answer is due
  int pieces = 0;
  while (session_work(session, nullptr, nullptr, &snap) && pieces++ < 100)
    ASSERT_EQ(nullptr, snap);
  EXPECT_GT(pieces, 0);
  EXPECT_LE(session_wait(session), 100u) << "it is tried again";
  starved = false;
  for (int i = 0; i < 100 && !snap; i++) {
    usleep(1000 * (useconds_t)(session_wait(session) % 1000));
    session_work(session, nullptr, nullptr, &snap);
  }
  ASSERT_NE(nullptr, snap);
  EXPECT_EQ(app.want.serial, snap->serial);
  EXPECT_EQ(4, snap->stages.rows);
  app_take(&app, snap);
  EXPECT_FALSE(session_work(session, nullptr, nullptr, &snap)) << "once";
  EXPECT_EQ(UINT64_MAX, session_wait(session));
}

} // namespace
