/* A foreign file, what its reader lists, and one episode of it as it is handed over. */
#ifndef TESTS_READER_HELP_H
#define TESTS_READER_HELP_H

#include <cstring>
#include <string>
#include <vector>

#include "foreign_layouts.h"
#include "read_help.h"

extern "C" {
#include "../src/foreign.h"
}

/* An episode, cleared with this. */
struct Handed {
  ph_foreign f = {};
  ph_status status = PH_OK;
  std::string error;
  ~Handed() { ph_foreign_clear(&f); }
  Handed() = default;
  Handed(const Handed &) = delete;

  const ph_array *array(const std::string &name) const {
    for (size_t i = 0; i < f.narrays; i++)
      if (name == f.arrays[i].channel.name)
        return &f.arrays[i];
    return nullptr;
  }
  const ph_channel *channel(const std::string &name) const {
    const ph_array *a = array(name);
    return a ? &a->channel : nullptr;
  }
  std::string name_at(int place) const { return place < 0 ? "" : f.arrays[place].channel.name; }
  std::vector<double> rows(const ph_array *a, int64_t first, int64_t n) const {
    std::vector<double> out((size_t)n * a->channel.width);
    EXPECT_EQ(PH_OK, a->read(a, first, n, out.data())) << ph_error();
    return out;
  }
  /* Kind and text of all findings, one a line. */
  std::string findings() const {
    std::string out;
    for (size_t i = 0; i < f.nfindings; i++)
      out += std::string(ph_finding_name(f.findings[i].kind)) + ": " + f.findings[i].text + "\n";
    return out;
  }
  bool found(const std::string &line) const {
    return findings().find(line + "\n") != std::string::npos;
  }
};

class Reader : public testing::Test {
protected:
  read_help::Folder dir;
  std::string path = dir / "demo.hdf5";
  hid_t h5 = H5I_INVALID_HID;
  const ph_reader *reader = nullptr;
  ph_scan scan = {};

  void TearDown() override {
    close();
    EXPECT_EQ(0u, ph_h5_open_ids()) << "ids leaked";
  }
  void close() {
    ph_scan_clear(&scan);
    ph_h5_close(h5);
    h5 = H5I_INVALID_HID;
  }
  /* Status of the scan; reader is NULL where nobody reads it. */
  ph_status list() {
    close();
    EXPECT_EQ(PH_OK, ph_h5_open(&h5, path.c_str())) << ph_error();
    reader = ph_reader_for(path.c_str(), false, h5);
    return reader ? reader->scan(&scan, path.c_str(), h5) : PH_ENOTFOUND;
  }
  std::string ids() const {
    std::string out;
    for (size_t i = 0; i < scan.n; i++)
      out += std::string(i ? " " : "") + scan.entries[i].id;
    return out;
  }
  std::string group(const std::string &name) const {
    std::string out;
    for (size_t i = 0; i < scan.ngroups; i++)
      for (size_t k = 0; name == scan.groups[i].name && k < scan.groups[i].n; k++)
        out += std::string(k ? " " : "") + scan.groups[i].ids[k];
    return out;
  }
  ph_entry look(size_t i) {
    ph_entry entry = scan.entries[i];
    EXPECT_EQ(PH_OK, reader->look(&entry, h5)) << ph_error();
    return entry;
  }
  void open(Handed &out, size_t i = 0) {
    ASSERT_LT(i, scan.n);
    out.status = reader->open(&out.f, path.c_str(), scan.entries[i].group, h5);
    out.error = out.status ? ph_error() : "";
  }
  /* Lists and opens. */
  void read(Handed &out, size_t i = 0) {
    ASSERT_EQ(PH_OK, list()) << ph_error();
    open(out, i);
    ASSERT_EQ(PH_OK, out.status) << out.error;
  }
};

#endif
