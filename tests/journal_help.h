/* A head of a small model and rows of it that are told apart by their numbers. */
#ifndef TESTS_JOURNAL_HELP_H
#define TESTS_JOURNAL_HELP_H

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "rec_help.h"

extern "C" {
#include "hash.h"
#include "journal.h"
#include "rows.h"
}

inline std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

inline void spill(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/* A file may not become longer than this while it lives. */
struct FileLimit {
  rlimit old = {};
  explicit FileLimit(rlim_t bytes) {
    EXPECT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
    rlimit less = {bytes, old.rlim_max};
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &less));
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &old); }
};

struct Head {
  ph_journal_head head = {};
  ph_record_layout layout = {};
  double friction[6] = {1, 2, 3, 4, 5, 6};
  ph_edit edits[2] = {};
  explicit Head(int nq = 5, size_t nedits = 2) {
    ph_episode_meta &m = head.meta;
    snprintf(m.run_id, sizeof m.run_id, "run-1");
    snprintf(m.seed, sizeof m.seed, "18446744073709551615");
    snprintf(m.env_name, sizeof m.env_name, "wave");
    snprintf(m.model_sha256, sizeof m.model_sha256, "%064d", 7);
    snprintf(m.recipe, sizeof m.recipe, "step");
    m.env_id = 3;
    m.episode = 12;
    m.hold_seconds = -1;
    m.control_dt = 0.1;
    m.timestep = 1.0 / 3;
    m.dims.nq = m.dims.nv = nq;
    m.dims.nu = m.dims.action_dim = 2;
    m.dims.nbody = 4;
    m.dims.control_steps = 5;
    m.provenance = "[{\"op\":\"record\"}]";
    head.columns = PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_WARMSTART) |
                   PH_COL_BIT(PH_COL_CTRL) | PH_COL_BIT(PH_COL_PREDICATE) |
                   PH_COL_BIT(PH_COL_XFRC_APPLIED);
    ph_record_layout_of(&layout, &m.dims, head.columns);
    head.columns = layout.columns;
    edits[0] = {"geom_friction", PH_F64, {2, 3}, friction};
    edits[1] = {"body_mass", PH_F64, {1, 1}, friction};
    head.edits = edits;
    head.nedits = nedits;
  }
};

/* Payload of record t; `salt` tells episodes apart. */
inline std::string payload(const Head &h, int64_t t, int salt = 0) {
  std::string bytes(h.layout.payload, 0);
  for (size_t i = 0; i < bytes.size(); i++)
    bytes[i] = static_cast<char>(t * 131 + static_cast<int64_t>(i) * 7 + salt * 29);
  return bytes;
}

inline bool append(ph_journal *journal, const Head &h, int salt = 0) {
  void *place = ph_journal_next(journal);
  if (place == nullptr)
    return false;
  std::string bytes = payload(h, ph_journal_count(journal), salt);
  memcpy(place, bytes.data(), bytes.size());
  ph_journal_seal(journal);
  return true;
}

struct Journal {
  ph_journal *j = nullptr;
  explicit Journal(const std::string &path, bool fresh = true) {
    EXPECT_EQ(PH_OK, ph_journal_create(&j, path.c_str(), fresh)) << ph_error();
  }
  ~Journal() { ph_journal_close(j, false); }
  void episode(const Head &h, int64_t records, int salt = 0) {
    ASSERT_EQ(PH_OK, ph_journal_start(j, &h.head, h.layout.payload)) << ph_error();
    for (int64_t t = 0; t < records; t++)
      ASSERT_TRUE(append(j, h, salt)) << ph_error();
  }
};

/* What somebody finds in a file. */
struct Left {
  ph_journal *j = nullptr;
  ph_journal_head head = {};
  ph_status status;
  explicit Left(const std::string &path) { status = ph_journal_open(&j, &head, path.c_str()); }
  ~Left() {
    ph_journal_close(j, false);
    ph_journal_head_clear(&head);
  }
  int64_t count() const { return j != nullptr ? ph_journal_count(j) : -1; }
  std::string records(const Head &h) const {
    std::string out(static_cast<size_t>(count()) * h.layout.payload, 0);
    EXPECT_EQ(PH_OK, ph_journal_read(j, 0, count(), out.data())) << ph_error();
    return out;
  }
};

inline std::string payloads(const Head &h, int64_t n, int salt = 0) {
  std::string all;
  for (int64_t t = 0; t < n; t++)
    all += payload(h, t, salt);
  return all;
}

#endif
