/* Small files of each kind that are cut, and what may be given back of them. */
#ifndef TESTS_SALVAGE_HELP_H
#define TESTS_SALVAGE_HELP_H

#include <functional>

#include "foreign_layouts.h"
#include "sink_help.h"

extern "C" {
uint32_t ph_h5_lookup3(const uint8_t *key, size_t length);
#include "probe.h"
}

namespace salvage {

using Bytes = std::string;

struct Report {
  ph_salvage_report r{};
  ~Report() { free(r.items); }
  Report() = default;
  Report(const Report &) = delete;
  std::string text() const {
    std::string out;
    for (size_t i = 0; i < r.n; i++)
      out += std::to_string((int)r.items[i].fate) + " " + r.items[i].id + " " +
             std::to_string(r.items[i].actions) + " " + r.items[i].why + "\n";
    return out;
  }
  const ph_salvaged *of(const std::string &id) const {
    for (size_t i = 0; i < r.n; i++)
      if (r.items[i].id == id && r.items[i].fate == PH_SALVAGE_SAVED)
        return &r.items[i];
    return nullptr;
  }
};

/* Raw bytes of a dataset in a file; its rows. Of fixed types. */
struct Array {
  Bytes bytes;
  int64_t rows = -1;
  size_t row = 0;
};

inline Array read_array(hid_t file, const std::string &path) {
  Array a;
  hid_t d = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
  if (d < 0)
    return a;
  hid_t type = H5Dget_type(d), space = H5Dget_space(d);
  hsize_t dim[H5S_MAX_RANK] = {1};
  int rank = H5Sget_simple_extent_dims(space, dim, nullptr);
  size_t n = (size_t)H5Sget_simple_extent_npoints(space);
  a.rows = rank > 0 ? (int64_t)dim[0] : 1;
  a.bytes.resize(n * H5Tget_size(type));
  a.row = a.rows ? a.bytes.size() / (size_t)a.rows : 0;
  if (H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.bytes.data()) < 0)
    a.rows = -2;
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(d);
  return a;
}

inline std::vector<std::string> array_names(hid_t file) {
  std::vector<std::string> names;
  auto visit = [](hid_t, const char *name, const H5O_info_t *info, void *arg) -> herr_t {
    if (info->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string> *>(arg)->push_back(std::string("/") + name);
    return 0;
  };
#if H5_VERSION_GE(1, 12, 0)
  H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, visit, &names);
#else
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &names);
#endif
  return names;
}

/* "/data/demo_2" of "/data/demo_2/playhead/ctrl"; "" of what is in no episode. */
inline std::string episode_of(const std::string &name) {
  size_t end = name.compare(0, 6, "/data/") == 0 ? name.find('/', 6) : std::string::npos;
  return end == std::string::npos ? "" : name.substr(0, end);
}

/* The episode of the source of whose arrays those of a stray are the beginnings, if there is one
 * that the file does not have by its name. */
inline std::string episode_behind(hid_t file, const std::string &stray, hid_t source,
                                  const std::vector<std::string> &but) {
  std::map<std::string, bool> fits;
  for (const auto &name : array_names(source))
    if (!episode_of(name).empty())
      fits[episode_of(name)] = H5Lexists(file, episode_of(name).c_str(), H5P_DEFAULT) <= 0;
  for (const auto &name : array_names(file)) {
    bool skip = episode_of(name) != stray;
    for (const auto &part : but)
      skip |= name.find(part) != std::string::npos;
    Array got = skip ? Array() : read_array(file, name);
    for (auto &[episode, good] : fits) {
      if (skip || !good)
        continue;
      Array want = read_array(source, episode + name.substr(stray.size()));
      good = got.rows >= 0 && got.rows <= want.rows && (!got.rows || got.row == want.row) &&
             want.bytes.compare(0, got.bytes.size(), got.bytes) == 0;
    }
  }
  for (const auto &[episode, good] : fits)
    if (good)
      return episode;
  return "";
}

/* Every array of the file is the beginning of the source's of that name, or, where the name of an
 * episode is lost, all of them are of one and the same episode that is not there otherwise; then
 * the report (nullable) says so. Rows in all. */
inline int64_t expect_beginnings(const std::string &file, const std::string &source,
                                 const std::vector<std::string> &but = {},
                                 const Report *report = nullptr) {
  hid_t a = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t b = H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  int64_t rows = 0;
  EXPECT_GE(a, 0);
  EXPECT_GE(b, 0);
  std::map<std::string, std::string> behind;
  for (const auto &name : a < 0 ? std::vector<std::string>() : array_names(a)) {
    bool skip = false;
    for (const auto &part : but)
      skip |= name.find(part) != std::string::npos;
    if (skip)
      continue;
    std::string episode = episode_of(name), as = name;
    if (!episode.empty() && H5Lexists(b, episode.c_str(), H5P_DEFAULT) <= 0) {
      if (!behind.count(episode)) {
        const ph_salvaged *line = report ? report->of(episode.substr(6)) : nullptr;
        EXPECT_TRUE(!report || (line && strstr(line->why, "its name is lost"))) << episode;
        behind[episode] = episode_behind(a, episode, b, but);
        for (const auto &[other, of] : behind)
          EXPECT_TRUE(other == episode || of.empty() || of != behind[episode])
              << other << " and " << episode << " are the same";
      }
      EXPECT_NE("", behind[episode]) << episode << " is none of the source";
      as = behind[episode] + name.substr(episode.size());
    }
    Array got = read_array(a, name), want = read_array(b, as);
    EXPECT_GE(got.rows, 0) << name;
    EXPECT_LE(got.rows, want.rows) << name;
    EXPECT_EQ(got.row, got.rows ? want.row : 0) << name;
    EXPECT_EQ(0, want.bytes.compare(0, got.bytes.size(), got.bytes)) << name;
    rows += got.rows;
  }
  if (a >= 0)
    H5Fclose(a);
  if (b >= 0)
    H5Fclose(b);
  return rows;
}

inline foreign::Options small(bool latest, bool chunked) {
  foreign::Options o;
  o.rows = {12, 30, 9};
  o.latest = latest;
  if (chunked) {
    o.store.chunk_rows = 5;
    o.store.gzip = 4;
    o.store.shuffle = true;
  }
  return o;
}

/* An episode whose time goes on. */
struct Timed : Fake {
  explicit Timed(int64_t actions, unsigned seed) : Fake(actions, seed) {
    meta.model_sha256[0] = meta.task_sha256[0] = 0;
    meta.episode = seed;
    std::string &states = rows[PH_COL_STATES];
    for (int64_t t = 0; t < meta.states; t++) {
      double time = 0.02 * (double)t;
      memcpy(&states[(size_t)t * row_bytes(PH_COL_STATES)], &time, sizeof time);
    }
  }
};

inline void write_ours(const std::string &path, const std::vector<int> &lengths, bool compress) {
  ph_sink *sink = nullptr;
  ph_sink_options opt = {};
  opt.compress = compress;
  Timed first(lengths[0], 0);
  ASSERT_EQ(PH_OK, ph_sink_dataset(&sink, path.c_str(), &first.meta, &opt)) << ph_error();
  for (size_t i = 0; i < lengths.size(); i++)
    ASSERT_EQ(PH_OK, write_fake(sink, Timed(lengths[i], (unsigned)i))) << ph_error();
  ASSERT_EQ(PH_OK, sink->finish(sink)) << ph_error();
  sink->free(sink);
}

/* Every episode of `file` is one of those, or its beginning. */
inline void expect_ours(const std::string &file, const std::vector<int> &lengths) {
  ph_store *store = nullptr;
  const char *paths[] = {file.c_str()};
  ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  for (size_t i = 0; i < ph_store_count(store); i++) {
    ph_episode *e = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&e, store, i)) << ph_error();
    const ph_episode_meta *m = ph_episode_meta_of(e);
    Timed want(lengths[(size_t)m->episode], (unsigned)m->episode);
    bool all = true;
    for (int c = 0; c < PH_COL_COUNT; c++)
      if (c != PH_COL_FINAL_STATE && !ph_episode_has(e, (ph_column)c)) {
        EXPECT_TRUE(ph_schema_column((ph_column)c)->required || c == PH_COL_PREDICATE)
            << "what is absent is known";
        all = false;
      }
    if (m->actions == want.meta.actions && all && !strstr(m->provenance, "salvage")) {
      expect_same(e, want);
    } else if (m->actions < want.meta.actions) {
      EXPECT_EQ(PH_END_SALVAGED, m->end_reason);
      EXPECT_EQ(m->actions + 1, m->states);
      EXPECT_EQ(0, m->success);
      EXPECT_NE(nullptr, strstr(m->provenance, "\"salvage\""));
    }
    for (int c = 0; c < PH_COL_COUNT; c++) {
      ph_column col = (ph_column)c;
      int64_t n = ph_episode_rows(e, col);
      std::string got((size_t)n * want.row_bytes(c) + 1, 0);
      if (c == PH_COL_FINAL_STATE || !ph_episode_has(e, col))
        continue;
      ASSERT_EQ(PH_OK, ph_episode_read(e, col, 0, n, got.data())) << ph_error();
      EXPECT_EQ(0, memcmp(got.data(), want.rows.at(c).data(), got.size() - 1))
          << ph_schema_column(col)->path;
    }
    ph_episode_free(e);
  }
  ph_store_free(store);
}

class Salvage : public testing::Test {
protected:
  Folder dir;
  int unknown = 0; /* files that were written and do not open */
  std::string whole = dir / "whole.hdf5", cut = dir / "cut.hdf5", out = dir / "out.hdf5";
  void SetUp() override { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }
  void TearDown() override {
    ph_probe_reset();
    EXPECT_EQ(0u, ph_h5_open_ids()) << "ids leaked";
    for (const auto &name : dir.names())
      EXPECT_EQ(std::string::npos, name.find(".part")) << name;
  }

  /* Salvages `cut`; the input stays as it is, and what is written opens, or is said not to. */
  ph_status salvage(Report &report) {
    Bytes before = bytes_of(cut);
    std::filesystem::remove(out);
    ph_status status = ph_salvage_file(&report.r, cut.c_str(), out.c_str());
    EXPECT_TRUE(before == bytes_of(cut)) << "the input changed";
    bool there = std::filesystem::exists(out);
    EXPECT_TRUE(status == PH_OK || !there);
    if (there) {
      EXPECT_LE(std::filesystem::file_size(out), 3 * before.size() + 200000);
      ph_store *store = nullptr;
      const char *paths[] = {out.c_str()};
      bool opens = ph_store_open(&store, paths, 1, nullptr) == PH_OK;
      EXPECT_EQ(!opens, report.text().find("cannot be opened here") != std::string::npos)
          << ph_error();
      unknown += !opens;
      ph_store_free(store);
    }
    return status;
  }

  /* Cuts `whole` at every `step` bytes and checks what comes back. */
  void cut_everywhere(size_t step, const std::function<void(const Report &)> &check = {}) {
    Bytes all = bytes_of(whole);
    int64_t most = 0;
    for (size_t at = 0; at < all.size(); at += step) {
      SCOPED_TRACE("cut at " + std::to_string(at) + " of " + std::to_string(all.size()));
      write_bytes(cut, all.substr(0, at));
      Report report;
      ph_status status = salvage(report);
      if (status) {
        EXPECT_EQ(PH_EFORMAT, status) << ph_error();
        EXPECT_NE("", std::string(ph_error()));
        continue;
      }
      ASSERT_TRUE(std::filesystem::exists(out)) << report.text();
      most = std::max(most,
                      expect_beginnings(out, whole, {"/mask", "/index", "crc", "final_"}, &report));
      if (check)
        check(report);
    }
    EXPECT_GT(most, 0);
    EXPECT_EQ(0, unknown);
  }
};

} // namespace salvage

#endif
