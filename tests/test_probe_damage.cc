/* Damage to files of other people's formats, opened as the program opens them, with the probe. What
 * is read is not compared: these formats have no checksums. The process must live, answer, keep no
 * id open and stay small. PLAYHEAD_TEST_FLIPS flips for each kind of file (40 unless set); the
 * suite `slow` makes 20 000 in all. */
#include <fcntl.h>
#include <filesystem>
#include <malloc.h>
#include <sys/resource.h>

#include "foreign_layouts.h"
#include "npz_help.h"
#include "probe_help.h"

namespace {

using read_help::Bytes;

int flips() {
  const char *n = getenv("PLAYHEAD_TEST_FLIPS");
  return n ? atoi(n) : 40;
}

/* One kind: how it is written below a folder, what is opened, which file is damaged. */
struct Kind {
  const char *name, *opened, *damaged;
  void (*write)(const std::string &path);
};

void write_raw(const std::string &path) {
  std::string ep = path + "/ep_1700000000_1";
  std::filesystem::create_directories(ep);
  write_bytes(ep + "/model.xml", foreign::arm_model());
  std::vector<double> rows = foreign::state_rows(31, true, 0.05, 0, 1);
  std::string states = npz::array("<f8", "(31, 20)", npz::raw(rows));
  std::vector<npz::Member> members = {{"states.npy", states},
                                      {"env.npy", npz::array("<U4", "()", std::string(16, 'L'))}};
  members[0].deflate = true;
  write_bytes(ep + "/state_1700000000_1.npz", npz::zip(members));
  members[0].deflate = false;
  rows = foreign::state_rows(31, true, 0.05, 31 * 0.05, 1);
  members[0].data = npz::array("<f8", "(31, 20)", npz::raw(rows));
  write_bytes(ep + "/state_1700000001_1.npz", npz::zip(members));
}

foreign::Options small() {
  foreign::Options o;
  o.rows = {12, 9};
  return o;
}

foreign::Options packed() {
  foreign::Options o = small();
  o.store.chunk_rows = 4;
  o.store.gzip = 4;
  o.store.shuffle = true;
  o.images = o.two_models = true;
  return o;
}

const Kind kinds[] = {
    {"robosuite", "a.hdf5", "a.hdf5",
     [](const std::string &p) { foreign::write_robosuite(p + "/a.hdf5", small()); }},
    {"robomimic", "a.hdf5", "a.hdf5",
     [](const std::string &p) { foreign::write_robomimic(p + "/a.hdf5", packed()); }},
    {"latest", "a.hdf5", "a.hdf5",
     [](const std::string &p) {
       foreign::Options o = packed();
       o.latest = true;
       foreign::write_mimicgen(p + "/a.hdf5", o);
     }},
    {"raw_packed", "", "ep_1700000000_1/state_1700000000_1.npz", write_raw},
    {"raw_stored", "", "ep_1700000000_1/state_1700000001_1.npz", write_raw},
};

/* Opens the first episode and shows its ends; how far it came: 0 not opened, 1 a list, 2 an
 * episode, 3 frames. Every failure has one line. oddity: of the episode. */
int show(const std::string &path, std::string *oddity = nullptr) {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ph_model *model = nullptr;
  ph_replay *replay = nullptr;
  const char *raw = path.c_str();
  int came = 0;
  auto good = [&](ph_status status) {
    EXPECT_TRUE(status == PH_OK || (*ph_error() && !strchr(ph_error(), '\n'))) << ph_error();
    return status == PH_OK;
  };
  if (good(ph_store_open(&store, &raw, 1, nullptr))) {
    came = 1;
    for (size_t i = 0; i < ph_store_count(store); i++)
      good(ph_store_look(store, i));
    if (oddity && ph_store_count(store) > 0)
      *oddity = ph_store_entry(store, 0)->oddity;
    if (ph_store_count(store) > 0 && good(ph_store_episode(&episode, store, 0))) {
      came = 2;
      const ph_episode_meta *m = ph_episode_meta_of(episode);
      if (m->model_sha256[0])
        good(ph_store_model(&model, store, m->model_sha256));
      if (good(ph_replay_create(&replay, episode, model, nullptr)) && m->states > 0 &&
          good(ph_replay_seek(replay, 0, 0, PH_KINEMATIC)) &&
          good(ph_replay_seek(replay, m->states - 1, 0, PH_KINEMATIC)))
        came = 3;
    }
  }
  ph_replay_free(replay);
  ph_model_unref(model);
  ph_episode_free(episode);
  ph_store_free(store);
  return came;
}

/* Bytes that are allocated. Resident memory would say how the heap is cut up, not what is lost. */
size_t allocated() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

class ForeignDamage : public Probe, public ::testing::WithParamInterface<Kind> {
protected:
  std::string opened, damaged;
  Bytes bytes;
  size_t ids = 0;
  size_t memory = 0;
  std::string oddity; /* of the good file */

  void SetUp() override {
    Probe::SetUp();
    std::string data = dir / "data";
    ASSERT_EQ(mkdir(data.c_str(), 0700), 0);
    GetParam().write(data);
    opened = data + "/" + GetParam().opened;
    damaged = data + "/" + GetParam().damaged;
    bytes = read_help::slurp(damaged);
    ids = ph_h5_open_ids();
    ASSERT_EQ(show(opened, &oddity), 3) << ph_error();
    memory = allocated();
  }
  void TearDown() override {
    EXPECT_EQ(ph_h5_open_ids(), ids) << "ids are left open";
    if (!SANITIZED) {
      EXPECT_LT(allocated(), memory + (8 << 20)) << "bytes are lost";
    }
    EXPECT_EQ(read_help::slurp(damaged), bytes) << "the file was written";
    Probe::TearDown();
  }
};

INSTANTIATE_TEST_SUITE_P(Probe, ForeignDamage, ::testing::ValuesIn(kinds),
                         [](const auto &p) { return std::string(p.param.name); });

/* Where bytes are flipped: anywhere, and half of the time where structure is dense. */
size_t place(std::mt19937 &rng, const Bytes &bytes) {
  static const char *const marks[] = {"SNOD", "TREE", "HEAP", "GCOL",    "OHDR", "OCHK",
                                      "FRHP", "FHDB", "FSHD", "\x89HDF", "PK",   "\x93NUMPY"};
  if (rng() % 2)
    return rng() % bytes.size();
  size_t from = rng() % bytes.size();
  for (size_t i = 0; i < bytes.size(); i++) {
    size_t at = (from + i) % bytes.size();
    for (const char *mark : marks)
      if (at + 8 < bytes.size() && memcmp(&bytes[at], mark, strlen(mark)) == 0)
        return std::min(bytes.size() - 1, at + rng() % 120);
  }
  return from;
}

TEST_P(ForeignDamage, AFlippedByteEndsInAPictureOrInALine) {
  std::mt19937 rng(21);
  int fd = open(damaged.c_str(), O_RDWR), n = flips(), noticed = 0;
  ASSERT_GE(fd, 0);
  for (int i = 0; i < n && !HasFailure(); i++) {
    size_t at = place(rng, bytes);
    uint8_t flipped = bytes[at] ^ (uint8_t)(1 + rng() % 255);
    SCOPED_TRACE("byte " + std::to_string(at) + " becomes " + std::to_string(flipped));
    ASSERT_EQ(pwrite(fd, &flipped, 1, (off_t)at), 1);
    std::string now = oddity;
    noticed += show(opened, &now) < 3 || now != oddity;
    ASSERT_EQ(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
  }
  close(fd);
  if (n >= 40) {
    EXPECT_GT(noticed, n / 40) << "hardly any flip was noticed: is the right file damaged?";
  }
  EXPECT_EQ(show(opened), 3) << "nothing of it stays: " << ph_error();
}

TEST_P(ForeignDamage, EveryTruncationIsALine) {
  bool raw = !*GetParam().opened;
  size_t step = raw || flips() > 40 ? 512 : 4096, shown = 0, tried = 0;
  for (size_t n = 0; n < bytes.size() && !HasFailure(); n += step) {
    SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(bytes.size()) + " bytes");
    ASSERT_EQ(truncate(damaged.c_str(), (off_t)n), 0);
    std::string now;
    shown += show(opened, &now) == 3;
    tried++;
    if (raw) {
      EXPECT_NE(now, oddity) << "nothing is said of what is lost";
    }
    read_help::spill(damaged, bytes, bytes.size());
  }
  EXPECT_GT(tried, 2u);
  EXPECT_EQ(shown, raw ? tried : 0) << "a cut chunk costs its own rows only, a cut file all";
  EXPECT_EQ(show(opened), 3) << ph_error();
}

} // namespace
