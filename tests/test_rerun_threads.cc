/* Cursors of several threads on one rerun. */
#include <thread>

#include "rerun_maker.h"

using namespace rerun_help;

namespace {

void around(const Rerun &r, const Straight &straight, uint32_t seed) {
  Cursor c(r);
  int64_t states = ph_rerun_states(r.run);
  for (int i = 0; i < 60; i++) {
    seed = seed * 1664525u + 1013904223u;
    int64_t t = static_cast<int64_t>((seed >> 8) % static_cast<uint32_t>(states));
    const std::vector<std::string> &here = straight.at[static_cast<size_t>(t)];
    int k = static_cast<int>((seed >> 3) % static_cast<uint32_t>(here.size()));
    ASSERT_TRUE(here[static_cast<size_t>(k)] == bits(c.go(t, k), dims_of(r))) << t << "+" << k;
    if (i % 5 == 0) {
      ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, t)) << ph_error();
    }
    r.cached();
  }
}

void together(const ph_episode *episode, const ph_model *model, const ph_task *task,
              size_t budget) {
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.budget = budget;
  Rerun alone(episode, model, task), r(episode, model, task, opt);
  ASSERT_TRUE(alone.run && r.run);
  Straight straight(alone, 2);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 3; i++)
    threads.emplace_back([&, i] { around(r, straight, i); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(RerunThreads, OneCacheForAll) {
  Model model(pile());
  Maker maker(model.model);
  maker.start = disturb;
  maker.actions = 50;
  Episode e(maker.make());
  together(e.episode, model.model, nullptr, 0);
  together(e.episode, model.model, nullptr, 16 << 10);
}

TEST(RerunThreads, WithATask) {
  Recorded run(std::string(TEST_SOURCE_ROOT) + "/data/runs/muscle_reach");
  Episode e(run, 1);
  together(e.episode, run.model, run.task, 16 << 10);
}

/* A cursor outlives the caller's reference. */
TEST(RerunThreads, ACursorHoldsTheRun) {
  Model model(pile());
  Maker maker(model.model);
  maker.actions = 10;
  Episode e(maker.make());
  ph_cursor *cursor = nullptr;
  ph_rerun *run = nullptr;
  ASSERT_EQ(PH_OK, ph_rerun_create(&run, e.episode, model.model, nullptr, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_cursor_open(&cursor, run)) << ph_error();
  ph_rerun_unref(ph_rerun_ref(run));
  ph_rerun_unref(run);
  std::thread([&] {
    EXPECT_EQ(PH_OK, ph_cursor_seek(cursor, 10, 0, nullptr, nullptr)) << ph_error();
    ph_cursor_close(cursor);
  }).join();
}

} // namespace
