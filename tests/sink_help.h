/* Made-up episodes and a folder of their own for the tests of files. */
#ifndef TESTS_SINK_HELP_H
#define TESTS_SINK_HELP_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include <playhead/playhead.h>

extern "C" {
#include "episode.h"
#include "h5.h"
#include "hash.h"
#include "sink.h"
}

struct Folder {
  std::string path;
  Folder() {
    const char *base = getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/playhead-test-XXXXXX";
    EXPECT_NE(nullptr, mkdtemp(name.data()));
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  /* Names in it, sorted. */
  std::vector<std::string> names(const std::string &below = "") const {
    std::vector<std::string> out;
    std::error_code error;
    for (auto &entry : std::filesystem::directory_iterator(path + "/" + below, error))
      out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
};

inline std::string bytes_of(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline void write_bytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/* An episode with every column, its bytes a function of `seed`. */
struct Fake {
  ph_episode_meta meta{};
  uint32_t columns = 0;
  std::map<int, std::string> rows; /* column -> bytes of all rows that a sink takes */
  std::vector<double> edit_data;
  std::vector<ph_edit> edits;
  bool final_state = true;

  explicit Fake(int64_t actions, unsigned seed = 1, bool final = true) : final_state(final) {
    meta.dims = {3, 2, 2, 1, 1, 2, 1, 1, 4, 2, 3, 5};
    meta.actions = actions;
    meta.states = actions + final;
    text(meta.id, "fake");
    text(meta.writer, "playhead test");
    text(meta.run_id, "run-1");
    text(meta.created, "2024-01-02T03:04:05Z");
    text(meta.substrate, "0123456789abcdef");
    text(meta.rng, "xoshiro256**");
    text(meta.seed, std::to_string(18446744073709551615u - seed));
    text(meta.end_detail, "held for 0.5 s");
    text(meta.determinism, "unchecked");
    text(meta.model_sha256, std::string(64, 'a'));
    text(meta.task_sha256, std::string(64, 'b'));
    text(meta.env_name, "drawer");
    text(meta.recipe, "step");
    text(meta.derived, "fresh");
    text(meta.engine, "mujoco");
    text(meta.parent, "");
    meta.env_id = 1;
    meta.episode = seed;
    meta.end_reason = PH_END_SUCCESS;
    meta.success = 1;
    meta.hold_seconds = 0.5;
    meta.hold_steps = 25;
    meta.provenance = "[{\"op\":\"record\"}]";
    meta.control_dt = 0.02;
    meta.timestep = 0.004;
    edit_data = {1, 2, 3, 4, 5, 6};
    ph_edit edit{};
    text(edit.field, "body_pos");
    edit.type = PH_F64;
    edit.shape[0] = 2;
    edit.shape[1] = 3;
    edit.data = edit_data.data();
    edits.push_back(edit);
    for (int col = 0; col < PH_COL_COUNT; col++)
      if (col != PH_COL_FINAL_STATE)
        add(col, seed);
  }
  Fake(const Fake &) = delete;

  template <size_t n> static void text(char (&to)[n], const std::string &from) {
    snprintf(to, n, "%s", from.c_str());
  }
  int64_t count(int col) const {
    bool all = col == PH_COL_STATES || ph_schema_column((ph_column)col)->rows == PH_ROWS_S;
    return all ? meta.states : meta.actions;
  }
  size_t row_bytes(int col) const {
    return ph_schema_width((ph_column)col, &meta.dims) *
           ph_type_size(ph_schema_column((ph_column)col)->type);
  }
  void add(int col, unsigned seed) {
    columns |= PH_COL_BIT(col);
    std::string &bytes = rows[col];
    bytes.resize((size_t)count(col) * row_bytes(col));
    uint64_t x = seed * 1000003u + (unsigned)col;
    if (ph_schema_column((ph_column)col)->type == PH_U8)
      for (char &byte : bytes)
        byte = (char)((x = x * 6364136223846793005u + 1442695040888963407u) >> 63);
    else
      for (size_t i = 0; i * 8 < bytes.size(); i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(int64_t)x / 9e18;
        memcpy(&bytes[i * 8], &value, 8);
      }
  }
  void drop(int col) {
    columns &= ~PH_COL_BIT(col);
    rows.erase(col);
  }
  ph_begin begin() const { return {&meta, columns, edits.data(), edits.size()}; }
};

/* Begins, writes all rows in pieces of `piece`, ends. */
inline ph_status write_fake(ph_sink *sink, const Fake &fake, int64_t piece = 100) {
  ph_begin begin = fake.begin();
  ph_status status = sink->begin(sink, &begin);
  for (auto &[col, bytes] : fake.rows)
    for (int64_t first = 0; first < fake.count(col) && !status; first += piece) {
      int64_t n = std::min(piece, fake.count(col) - first);
      status = sink->rows(sink, (ph_column)col, first, n,
                          bytes.data() + (size_t)first * fake.row_bytes(col));
    }
  return status ? status : sink->end(sink);
}

/* All stored rows equal the fake's, bit for bit; the facts too. */
inline void expect_same(const ph_episode *episode, const Fake &fake) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    if (col == PH_COL_FINAL_STATE)
      continue;
    ASSERT_EQ(fake.rows.count(i) > 0, ph_episode_has(episode, col)) << ph_schema_column(col)->path;
    if (!fake.rows.count(i))
      continue;
    ASSERT_EQ(fake.count(i), ph_episode_rows(episode, col)) << ph_schema_column(col)->path;
    const std::string &bytes = fake.rows.at(i);
    std::string got(bytes.size() + 1, 0);
    ASSERT_EQ(PH_OK, ph_episode_read(episode, col, 0, fake.count(i), got.data())) << ph_error();
    EXPECT_EQ(0, memcmp(got.data(), bytes.data(), bytes.size())) << ph_schema_column(col)->path;
  }
  EXPECT_EQ(fake.meta.actions, m->actions);
  EXPECT_EQ(fake.meta.states, m->states);
  EXPECT_EQ(fake.meta.env_id, m->env_id);
  EXPECT_EQ(fake.meta.episode, m->episode);
  EXPECT_STREQ(fake.meta.seed, m->seed);
  EXPECT_EQ(fake.meta.end_reason, m->end_reason);
  EXPECT_STREQ(fake.meta.end_detail, m->end_detail);
  EXPECT_EQ(fake.meta.success, m->success);
  EXPECT_EQ(fake.meta.hold_seconds, m->hold_seconds);
  EXPECT_EQ(fake.meta.hold_steps, m->hold_steps);
  EXPECT_STREQ(fake.meta.provenance, m->provenance);
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(episode, &n);
  ASSERT_EQ(fake.edits.size(), n);
  for (size_t i = 0; i < n; i++) {
    EXPECT_STREQ(fake.edits[i].field, edits[i].field);
    EXPECT_EQ(0, memcmp(fake.edits[i].data, edits[i].data, 48));
  }
}

using Names = std::vector<std::string>;

/* Whether the last error's text has it. */
inline bool says(const char *part) {
  return strstr(ph_error(), part) != nullptr;
}

#define OK(call) ASSERT_EQ(PH_OK, (call)) << ph_error()

class Sink : public testing::Test {
protected:
  Folder dir;
  std::string path = dir / "set.h5";
  ph_sink *sink = nullptr;
  void TearDown() override {
    close();
    EXPECT_EQ(0u, ph_h5_open_ids()) << "ids leaked";
  }
  void close() {
    if (sink)
      sink->free(sink);
    sink = nullptr;
  }
  ph_status dataset(const Fake &fake, bool compress = false) {
    ph_sink_options opt = {};
    opt.compress = compress;
    return ph_sink_dataset(&sink, path.c_str(), &fake.meta, &opt);
  }
  ph_status run(const Fake &fake, const std::string &name = "run") {
    return ph_sink_run(&sink, (dir / name).c_str(), &fake.meta, nullptr);
  }
  void expect_file(const std::string &file, const char *group, const Fake &fake) {
    ph_episode *episode = nullptr;
    OK(ph_episode_open(&episode, file.c_str(), group));
    expect_same(episode, fake);
    ph_episode_free(episode);
  }
};

#endif
