/* Own files written by hand, so that the reader is tested against the format and not against the
 * writer, and so that a file can lie. */
#ifndef READ_HELP_H
#define READ_HELP_H

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "episode.h"
#include "h5.h"
#include "hash.h"
#include "index.h"
}

namespace read_help {

using Bytes = std::vector<uint8_t>;

/* A folder of the test's own. */
class Folder {
public:
  Folder() {
    const char *base = getenv("TMPDIR");
    std::string name = std::string(base ? base : "/tmp") + "/ph-read-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

inline Bytes slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void spill(const std::string &path, const Bytes &bytes, size_t n) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char *>(bytes.data()), (std::streamsize)n);
}

inline void spill(const std::string &path, const std::string &text) {
  spill(path, Bytes(text.begin(), text.end()), text.size());
}

struct Free {
  void operator()(ph_episode *e) const { ph_episode_free(e); }
  void operator()(ph_store *s) const { ph_store_free(s); }
};
using Episode = std::unique_ptr<ph_episode, Free>;
using Store = std::unique_ptr<ph_store, Free>;

/* One demo and the ways in which it may be wrong. */
struct Demo {
  int64_t actions = 600;
  bool final_state = true;
  bool compress = false;
  bool crc = true;
  bool edits = true;
  int env_id = 0;
  int64_t episode = 0;
  int success = 1;
  std::string run_id = "run-1";
  std::string model, task;
  std::string end = "success";
  uint32_t seed = 1;
  ph_dims dims = {};
  std::string env_args =
      R"({"env_name": "push", "type": 4, "env_kwargs": {"control_steps": 10, "control_freq": 50}})";
  std::vector<ph_column> columns = {
      PH_COL_ACTIONS, PH_COL_STATES,    PH_COL_REWARDS, PH_COL_DONES,     PH_COL_WARMSTART,
      PH_COL_CTRL,    PH_COL_PREDICATE, PH_COL_FLAGS,   PH_COL_MOCAP_POS, PH_COL_EQ_ACTIVE};
  std::map<ph_column, Bytes> data; /* filled by write; STATES has S rows */
  std::vector<double> body_pos;
  std::function<void(hid_t file, hid_t demo)> after; /* damage, before the file is closed */

  Demo() {
    dims.nq = 4;
    dims.nv = 3;
    dims.nu = 2;
    dims.nmocap = 1;
    dims.neq = 2;
    dims.action_dim = 2;
    dims.control_steps = 10;
  }
  int64_t states() const { return actions + (final_state ? 1 : 0); }
  int64_t rows(ph_column col) const {
    return ph_schema_column(col)->rows == PH_ROWS_A && col != PH_COL_STATES ? actions : states();
  }
  size_t row_bytes(ph_column col) const {
    return ph_schema_width(col, &dims) * ph_type_size(ph_schema_column(col)->type);
  }

  void fill() {
    std::mt19937 rng(seed);
    data.clear();
    for (ph_column col : columns) {
      Bytes bytes((size_t)rows(col) * row_bytes(col));
      if (ph_schema_column(col)->type == PH_F64) {
        for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
          double x = (double)(int32_t)rng() / 65536;
          memcpy(&bytes[i], &x, 8);
        }
      } else {
        for (uint8_t &b : bytes)
          b = rng() & 1;
      }
      data[col] = std::move(bytes);
    }
    body_pos.assign(12, 0.25 * seed);
  }
};

inline void require(ph_status status) {
  ASSERT_EQ(status, PH_OK) << ph_error();
}

inline void put_column(hid_t group, const Demo &demo, ph_column col) {
  const ph_column_info *schema = ph_schema_column(col);
  const Bytes &bytes = demo.data.at(col);
  int64_t dim[4], rows = col == PH_COL_STATES ? demo.actions : demo.rows(col);
  int n = ph_schema_shape(col, &demo.dims, dim + 1);
  hid_t dataset;
  dim[0] = rows;
  require(
      ph_h5_dataset_create(&dataset, group, schema->path, schema->type, n + 1, dim, demo.compress));
  require(ph_h5_write(dataset, schema->type, 0, rows, bytes.data()));
  ph_h5_close(dataset);
}

inline void put_crc(hid_t group, const Demo &demo) {
  int64_t blocks = (demo.actions + 1 + 255) / 256;
  std::vector<uint32_t> table;
  std::string names;
  for (ph_column col : demo.columns) {
    int64_t rows = col == PH_COL_STATES ? demo.actions : demo.rows(col);
    size_t width = demo.row_bytes(col);
    for (int64_t b = 0; b < blocks; b++) {
      int64_t from = b * 256, to = std::min<int64_t>(rows, from + 256);
      table.push_back(to > from ? ph_crc32(demo.data.at(col).data() + (size_t)from * width,
                                           (size_t)(to - from) * width)
                                : 0);
    }
    names += (names.empty() ? "" : ",") + std::string(ph_schema_column(col)->path);
  }
  int64_t dim[2] = {(int64_t)demo.columns.size(), blocks};
  require(ph_h5_put_array(group, "playhead/crc", PH_U32, 2, dim, table.data()));
  hid_t dataset;
  ph_h5_array info;
  require(ph_h5_dataset(&dataset, &info, group, "playhead/crc"));
  require(ph_h5_put_string(dataset, "columns", names.c_str()));
  ph_h5_close(dataset);
}

inline void put_attributes(hid_t group, const Demo &demo) {
  ph_h5_put_i64(group, "num_samples", demo.actions);
  ph_h5_put_i64(group, "env_id", demo.env_id);
  ph_h5_put_i64(group, "episode", demo.episode);
  ph_h5_put_string(group, "seed", std::to_string(demo.seed).c_str());
  ph_h5_put_string(group, "end_reason", demo.end.c_str());
  ph_h5_put_string(group, "end_detail", "held 0.5 s");
  if (demo.success >= 0)
    ph_h5_put_u8(group, "success", (uint8_t)demo.success);
  ph_h5_put_string(group, "determinism", "unchecked");
  ph_h5_put_string(group, "model_sha256", demo.model.c_str());
  ph_h5_put_string(group, "task_sha256", demo.task.c_str());
  ph_h5_put_f64(group, "hold_seconds", 0.5);
  ph_h5_put_i64(group, "hold_steps", 25);
  ph_h5_put_string(group, "recipe", "step");
  ph_h5_put_string(group, "derived", "fresh");
  ph_h5_put_string(group, "engine", "mujoco");
  ph_h5_put_string(group, "provenance", R"([{"by": "test"}])");
}

inline void put_root(hid_t file, const Demo &demo) {
  ph_h5_put_string(file, "format", PH_FORMAT_NAME);
  ph_h5_put_i64(file, "format_version", PH_FORMAT_VERSION);
  ph_h5_put_string(file, "writer", "playhead test");
  ph_h5_put_string(file, "run_id", demo.run_id.c_str());
  ph_h5_put_string(file, "created", "2026-01-02T03:04:05Z");
  ph_h5_put_string(file, "substrate", "0123456789abcdef");
  ph_h5_put_string(file, "rng", "test");
}

inline void put_demo(hid_t file, Demo &demo, const std::string &group) {
  hid_t id;
  demo.fill();
  require(ph_h5_group_create(&id, file, group.c_str()));
  put_attributes(id, demo);
  for (ph_column col : demo.columns)
    put_column(id, demo, col);
  if (demo.final_state) {
    int64_t width = (int64_t)ph_schema_width(PH_COL_STATES, &demo.dims);
    const uint8_t *last =
        demo.data[PH_COL_STATES].data() + (size_t)demo.actions * demo.row_bytes(PH_COL_STATES);
    require(ph_h5_put_array(id, "playhead/final_state", PH_F64, 1, &width, last));
  }
  if (demo.crc)
    put_crc(id, demo);
  if (demo.edits) {
    int64_t dim[2] = {4, 3};
    require(ph_h5_put_array(id, "playhead/model/body_pos", PH_F64, 2, dim, demo.body_pos.data()));
  }
  if (demo.after)
    demo.after(file, id);
  ph_h5_close(id);
}

/* A file of the given demos; the first names what the file says of itself. */
inline void write_file(const std::string &path, std::vector<std::pair<std::string, Demo *>> demos,
                       const std::function<void(hid_t)> &more = nullptr) {
  hid_t file, data;
  require(ph_h5_create(&file, path.c_str()));
  put_root(file, *demos[0].second);
  require(ph_h5_group_create(&data, file, "/data"));
  ph_h5_put_i64(data, "total", 0);
  ph_h5_put_string(data, "env_args", demos[0].second->env_args.c_str());
  ph_h5_close(data);
  for (auto &d : demos)
    put_demo(file, *d.second, "/data/" + d.first);
  if (more)
    more(file);
  require(ph_h5_finish(file, path.c_str()));
}

inline void write_file(const std::string &path, Demo &demo) {
  write_file(path, {{"demo_0", &demo}});
}

inline Episode open_episode(const std::string &path, const std::string &group = "/data/demo_0") {
  ph_episode *e = nullptr;
  ph_episode_open(&e, path.c_str(), group.c_str());
  return Episode(e);
}

inline Store open_store(const std::vector<std::string> &paths,
                        const ph_store_options *opt = nullptr) {
  std::vector<const char *> raw;
  ph_store *s = nullptr;
  for (const std::string &p : paths)
    raw.push_back(p.c_str());
  ph_store_open(&s, raw.data(), raw.size(), opt);
  return Store(s);
}

/* Reads a whole column; empty on an error. */
inline Bytes read_column(const ph_episode *e, ph_column col, ph_status *status) {
  int64_t rows = ph_episode_rows(e, col);
  size_t width = ph_schema_width(col, &ph_episode_meta_of(e)->dims) *
                 ph_type_size(ph_schema_column(col)->type);
  Bytes out((size_t)rows * width);
  *status = ph_episode_read(e, col, 0, rows, out.data());
  if (*status)
    out.clear();
  return out;
}

inline std::string run_file(int env, int64_t episode, int64_t actions) {
  char name[PH_INDEX_NAME_SIZE];
  ph_index_file_name(name, sizeof name, env, episode, actions);
  return name;
}

/* The error text is one line and has the word in it. */
inline ::testing::AssertionResult says(const char *text, const std::string &word) {
  std::string t = text;
  if (t.find(word) == std::string::npos)
    return ::testing::AssertionFailure() << "\"" << t << "\" lacks \"" << word << "\"";
  if (t.find('\n') != std::string::npos)
    return ::testing::AssertionFailure() << "more than one line: " << t;
  return ::testing::AssertionSuccess();
}

/* Every row of the columns that it was written with. */
inline void expect_equal(const ph_episode *e, const Demo &demo) {
  for (ph_column col : demo.columns) {
    ph_status status;
    ASSERT_TRUE(ph_episode_has(e, col)) << ph_schema_column(col)->path;
    Bytes got = read_column(e, col, &status);
    ASSERT_EQ(status, PH_OK) << ph_error();
    EXPECT_EQ(got, demo.data.at(col)) << ph_schema_column(col)->path;
  }
}

} // namespace read_help

#endif
