/* Damage to own files: whatever is read without an error is what was written. The number of flips
 * is PLAYHEAD_TEST_FLIPS (300 unless set), their places come from PLAYHEAD_TEST_SEED; the suite
 * `slow` runs 10 000 of two seeds. */
#include "read_help.h"

#include <fcntl.h>
#include <unistd.h>

using namespace read_help;

namespace {

int flips() {
  const char *n = getenv("PLAYHEAD_TEST_FLIPS");
  return n ? atoi(n) : 300;
}

unsigned seed() {
  const char *n = getenv("PLAYHEAD_TEST_SEED");
  return n ? (unsigned)atoi(n) : 0;
}

/* What the good file says; facts are compared as a whole. */
struct Truth {
  Demo demo;
  ph_episode_meta meta;
  std::string provenance;
  ph_entry entry;
  std::string model, task;
};

void expect_meta(const ph_episode_meta &got, const Truth &truth) {
  ph_episode_meta m = got, t = truth.meta;
  EXPECT_EQ(std::string(got.provenance), truth.provenance);
  m.provenance = t.provenance = nullptr;
  memset(m.file, 0, sizeof m.file);
  memset(t.file, 0, sizeof t.file);
  EXPECT_EQ(memcmp(&m, &t, sizeof m), 0) << "wrong facts";
}

/* Reads all that there is; returns whether anything was an error. */
bool read_all(const std::string &path, const Truth &truth) {
  bool error = false;
  Episode e = open_episode(path);
  if (!e)
    return true;
  expect_meta(*ph_episode_meta_of(e.get()), truth);
  size_t n;
  const ph_edit *edits = ph_episode_edits(e.get(), &n);
  EXPECT_EQ(n, 1u);
  if (n == 1) {
    EXPECT_STREQ(edits[0].field, "body_pos");
    EXPECT_EQ(memcmp(edits[0].data, truth.demo.body_pos.data(), 96), 0);
  }
  for (ph_column col : truth.demo.columns) {
    ph_status status;
    EXPECT_TRUE(ph_episode_has(e.get(), col)) << ph_schema_column(col)->path << " went away";
    Bytes got = read_column(e.get(), col, &status);
    if (status == PH_OK) {
      EXPECT_EQ(got, truth.demo.data.at(col)) << ph_schema_column(col)->path << " is wrong";
    }
    error |= status != PH_OK;
  }
  return error;
}

/* The same through a store: list, model group, task. */
bool read_store(const std::string &path, const Truth &truth) {
  Store s = open_store({path});
  if (!s)
    return true;
  bool error = false;
  if (ph_store_count(s.get()) == 1) {
    ph_entry e = *ph_store_entry(s.get(), 0), t = truth.entry;
    error |= e.oddity[0] != 0;
    memset(e.file, 0, sizeof e.file);
    memset(t.file, 0, sizeof t.file);
    memset(e.oddity, 0, sizeof e.oddity);
    if (!error) {
      EXPECT_EQ(memcmp(&e, &t, sizeof e), 0) << "a wrong line in the list";
    }
  } else {
    ADD_FAILURE() << ph_store_count(s.get()) << " episodes";
  }
  const char *task = nullptr;
  if (ph_store_task(&task, s.get(), truth.demo.task.c_str()) == PH_OK) {
    EXPECT_EQ(std::string(task), truth.task);
  }
  char hex[PH_SHA256_SIZE];
  error |= ph_store_content_hash(s.get(), hex) != PH_OK;
  return error || !task;
}

void make(const std::string &path, Truth &truth, bool compress, int64_t actions) {
  truth.task = "return { name = 'push' }";
  char sha[65];
  ph_sha256_of(truth.task.data(), truth.task.size(), sha);
  truth.demo.task = sha;
  truth.demo.compress = compress;
  truth.demo.actions = actions;
  write_file(path, {{"demo_0", &truth.demo}}, [&](hid_t h5) {
    ph_entry e = {};
    std::string source = "/tasks/" + truth.demo.task + "/source";
    require(ph_h5_put_bytes(h5, source.c_str(), truth.task.data(), truth.task.size()));
    strcpy(e.id, "demo_0");
    e.actions = truth.demo.actions;
    e.states = truth.demo.states();
    strcpy(e.seed, "1");
    e.success = 1;
    e.end_reason = PH_END_SUCCESS;
    strcpy(e.determinism, "unchecked");
    strcpy(e.task_sha256, truth.demo.task.c_str());
    require(ph_h5_put_index(h5, &e, 1));
  });
  Episode e = open_episode(path);
  ASSERT_TRUE(e) << ph_error();
  truth.meta = *ph_episode_meta_of(e.get());
  truth.provenance = truth.meta.provenance;
  Store s = open_store({path});
  ASSERT_TRUE(s) << ph_error();
  truth.entry = *ph_store_entry(s.get(), 0);
  ASSERT_FALSE(read_all(path, truth)) << ph_error();
  ASSERT_FALSE(read_store(path, truth)) << ph_error();
}

class Damage : public ::testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    good = dir / "good.h5";
    bad = dir / "bad.h5";
    make(good, truth, GetParam(), 300);
    bytes = slurp(good);
    ids = ph_h5_open_ids();
  }
  void TearDown() override { EXPECT_EQ(ph_h5_open_ids(), ids) << "ids are left open"; }
  Folder dir;
  Truth truth;
  std::string good, bad;
  Bytes bytes;
  size_t ids = 0;
};
INSTANTIATE_TEST_SUITE_P(Corruption, Damage, ::testing::Bool(), [](const auto &p) {
  return std::string(p.param ? "compressed" : "contiguous");
});

TEST_P(Damage, EveryTruncationIsAnError) {
  for (size_t n = 0; n < bytes.size(); n += 512) {
    spill(bad, bytes, n);
    EXPECT_FALSE(open_episode(bad)) << n << " of " << bytes.size() << " bytes";
    EXPECT_TRUE(says(ph_error(), bad));
    EXPECT_FALSE(open_store({bad})) << n;
  }
}

TEST_P(Damage, AFlippedByteGivesAnErrorOrTheRightData) {
  std::mt19937 rng(11 + 100 * seed());
  int found = 0, n = flips();
  spill(bad, bytes, bytes.size());
  int fd = open(bad.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  for (int i = 0; i < n && !HasFailure(); i++) {
    size_t at = rng() % bytes.size();
    uint8_t flipped = bytes[at] ^ (uint8_t)(1 + rng() % 255);
    SCOPED_TRACE("byte " + std::to_string(at) + " becomes " + std::to_string(flipped));
    ASSERT_EQ(pwrite(fd, &flipped, 1, (off_t)at), 1);
    bool noticed = read_all(bad, truth);
    noticed = (i % 4 == 0 && read_store(bad, truth)) || noticed;
    found += noticed;
    ASSERT_EQ(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
  }
  close(fd);
  EXPECT_GT(found, n / 10) << "hardly any flip was noticed: are checksums read at all?";
}

/* Metadata is a small part of the file: flips there alone. */
TEST_P(Damage, AFlippedByteOfMetadataGivesAnErrorOrTheRightData) {
  std::vector<size_t> places;
  for (size_t at = 0; at < bytes.size(); at++) {
    static const char *const marks[] = {"OHDR", "OCHK", "FRHP", "FHDB", "BTHD",   "BTLF",
                                        "FAHD", "FADB", "EAHD", "EAIB", "\x89HDF"};
    for (const char *mark : marks)
      if (at + 4 < bytes.size() && memcmp(&bytes[at], mark, 4) == 0)
        for (size_t k = 0; k < 400 && at + k < bytes.size(); k++)
          places.push_back(at + k);
  }
  ASSERT_GT(places.size(), 1000u);
  std::mt19937 rng(12 + 100 * seed());
  spill(bad, bytes, bytes.size());
  int fd = open(bad.c_str(), O_RDWR), n = flips();
  ASSERT_GE(fd, 0);
  for (int i = 0; i < n && !HasFailure(); i++) {
    size_t at = places[rng() % places.size()];
    uint8_t flipped = bytes[at] ^ (uint8_t)(1 << rng() % 8);
    SCOPED_TRACE("byte " + std::to_string(at) + " becomes " + std::to_string(flipped));
    ASSERT_EQ(pwrite(fd, &flipped, 1, (off_t)at), 1);
    read_all(bad, truth);
    if (i % 4 == 0)
      read_store(bad, truth);
    ASSERT_EQ(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
  }
  close(fd);
}

TEST_P(Damage, ABlockOfZerosGivesAnErrorOrTheRightData) {
  for (size_t at = 0; at < bytes.size() && !HasFailure(); at += 4096) {
    Bytes hole = bytes;
    std::fill(hole.begin() + (long)at, hole.begin() + (long)std::min(at + 512, hole.size()),
              (uint8_t)0);
    spill(bad, hole, hole.size());
    SCOPED_TRACE("zeros at " + std::to_string(at));
    read_all(bad, truth);
    read_store(bad, truth);
  }
}

} // namespace
