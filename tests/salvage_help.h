/* Small files of each kind that are cut, and what may be given back of them. */
#ifndef TESTS_SALVAGE_HELP_H
#define TESTS_SALVAGE_HELP_H

#include <functional>

#include "foreign_layouts.h"
#include "sink_help.h"

extern "C" {
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

/* Every array of the file is the beginning of the source's of that name. Rows in all. */
inline int64_t expect_beginnings(const std::string &file, const std::string &source,
                                 const std::vector<std::string> &but = {}) {
  hid_t a = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t b = H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  int64_t rows = 0;
  EXPECT_GE(a, 0);
  EXPECT_GE(b, 0);
  for (const auto &name : a < 0 ? std::vector<std::string>() : array_names(a)) {
    bool skip = false;
    for (const auto &part : but)
      skip |= name.find(part) != std::string::npos;
    if (skip)
      continue;
    Array got = read_array(a, name), want = read_array(b, name);
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

class Salvage : public testing::Test {
protected:
  Folder dir;
  std::string whole = dir / "whole.hdf5", cut = dir / "cut.hdf5", out = dir / "out.hdf5";
  void SetUp() override { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }
  void TearDown() override {
    ph_probe_reset();
    EXPECT_EQ(0u, ph_h5_open_ids()) << "ids leaked";
    for (const auto &name : dir.names())
      EXPECT_EQ(std::string::npos, name.find(".part")) << name;
  }

  /* Salvages `cut`; the input stays as it is, and what is written opens. */
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
      EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
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
      most = std::max(most, expect_beginnings(out, whole, {"/mask", "/index", "crc", "final_"}));
      if (check)
        check(report);
    }
    EXPECT_GT(most, 0);
  }
};

} // namespace salvage

#endif
