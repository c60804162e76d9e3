/* A million steps in one episode: memory that does not grow, and the same work for each row. */
#include <unistd.h>

#include "recorder_help.h"
#include "sanitized.h"

namespace {

/* Memory of this process that is not shared with files, and that is. [bytes] */
size_t resident() {
  std::ifstream statm("/proc/self/statm");
  size_t size = 0, pages = 0;
  statm >> size >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/* Every number of a row is of its step alone. */
void check(const std::string &path, int64_t steps) {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  const char *paths[1] = {path.c_str()};
  ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  ASSERT_EQ(1u, ph_store_count(store));
  ASSERT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
  ASSERT_EQ(steps, ph_episode_meta_of(episode)->actions);
  for (int64_t t : {int64_t(0), int64_t(255), int64_t(256), steps / 2, steps - 1, steps}) {
    double state[3], warm, reward;
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_STATES, t, 1, state)) << ph_error();
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_WARMSTART, t, 1, &warm)) << ph_error();
    EXPECT_EQ(static_cast<double>(t), state[0]);
    EXPECT_EQ(t * 3.0, warm);
    if (t > 0) {
      ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_REWARDS, t - 1, 1, &reward)) << ph_error();
      EXPECT_EQ(t * 0.5, reward);
    }
  }
  ph_episode_free(episode);
  ph_store_free(store);
}

TEST(RecorderLong, AMillionStepsInConstantMemory) {
  const int64_t steps = 1000000;
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
  size_t early = 0, late = 0;
  for (int64_t t = 1; t <= steps; t++) {
    ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, static_cast<double>(t))) << ph_error();
    if (t == steps / 10)
      early = resident();
  }
  late = resident();
  if (!SANITIZED) {
    EXPECT_LE(late, early + (2u << 20)) << "while it records";
  }
  ASSERT_EQ(PH_OK, ph_recorder_end(run.rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  if (!SANITIZED) {
    EXPECT_LE(resident(), early + (24u << 20)) << "and when it is written";
  }
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  check(run.path, steps);
}

} // namespace
