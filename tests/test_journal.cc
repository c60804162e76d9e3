#include <sys/stat.h>
#include <unistd.h>

#include "journal_help.h"

namespace {

TEST(Journal, WhatIsWrittenIsFound) {
  TempDir tmp;
  Head h;
  Journal w(tmp.path + "/env003.journal");
  w.episode(h, 700);
  Left left(tmp.path + "/env003.journal");
  ASSERT_EQ(PH_OK, left.status) << ph_error();
  const ph_episode_meta &m = left.head.meta;
  EXPECT_STREQ("run-1", m.run_id);
  EXPECT_STREQ("18446744073709551615", m.seed);
  EXPECT_STREQ("wave", m.env_name);
  EXPECT_STREQ("[{\"op\":\"record\"}]", m.provenance);
  EXPECT_EQ(3, m.env_id);
  EXPECT_EQ(12, m.episode);
  EXPECT_EQ(0, memcmp(&m.timestep, &h.head.meta.timestep, sizeof m.timestep)) << "to the bit";
  EXPECT_EQ(0, memcmp(&m.dims, &h.head.meta.dims, sizeof m.dims));
  EXPECT_EQ(h.head.columns, left.head.columns);
  ASSERT_EQ(2u, left.head.nedits);
  EXPECT_STREQ("geom_friction", left.head.edits[0].field);
  EXPECT_EQ(3, left.head.edits[0].shape[1]);
  EXPECT_EQ(0, memcmp(h.friction, left.head.edits[0].data, sizeof h.friction));
  EXPECT_EQ(700, left.count());
  EXPECT_EQ(0, ph_journal_beyond(left.j));
  EXPECT_EQ(payloads(h, 700), left.records(h));
}

TEST(Journal, ItsOwnRecordsCanBeReadWhileItGrows) {
  TempDir tmp;
  Head h;
  Journal w(tmp.path + "/j");
  w.episode(h, 300);
  std::string out(100 * h.layout.payload, 0);
  ASSERT_EQ(PH_OK, ph_journal_read(w.j, 200, 100, out.data())) << ph_error();
  EXPECT_EQ(payloads(h, 300).substr(200 * h.layout.payload), out);
  EXPECT_EQ(PH_EINVAL, ph_journal_read(w.j, 201, 100, out.data()));
}

TEST(Journal, ARecordThatIsNotSealedIsNone) {
  TempDir tmp;
  Head h;
  Journal w(tmp.path + "/j");
  w.episode(h, 5);
  std::string bytes = payload(h, 5);
  memcpy(ph_journal_next(w.j), bytes.data(), bytes.size());
  EXPECT_EQ(5, Left(tmp.path + "/j").count());
}

TEST(Journal, RecordsOfAnEarlierEpisodeAreNoneOfTheNext) {
  TempDir tmp;
  Head h;
  Journal w(tmp.path + "/j");
  w.episode(h, 400, 1);
  for (int64_t n : {0, 1, 37, 399}) {
    w.episode(h, n, 1); /* the same bytes: only the nonce differs */
    Left left(tmp.path + "/j");
    EXPECT_EQ(n, left.count());
    EXPECT_EQ(0, ph_journal_beyond(left.j));
  }
}

TEST(Journal, AVoidOneHasNoEpisode) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  Journal w(path);
  EXPECT_EQ(PH_ENOTFOUND, Left(path).status) << "made, not started";
  EXPECT_EQ(nullptr, ph_journal_next(w.j));
  w.episode(h, 5);
  EXPECT_EQ(PH_OK, ph_journal_void(w.j));
  EXPECT_EQ(PH_ENOTFOUND, Left(path).status);
  spill(tmp.path + "/empty", "");
  EXPECT_EQ(PH_ENOTFOUND, Left(tmp.path + "/empty").status);
}

/* A start writes zeros over the magic, then the rest of the head, then the magic. */
TEST(Journal, AKillWhileAnEpisodeStartsLeavesTheOldOneOrNone) {
  TempDir tmp;
  Head a, b(9, 1);
  std::string path = tmp.path + "/j";
  std::string before, after;
  {
    Journal w(path);
    w.episode(a, 20);
    before = slurp(path);
    w.episode(b, 0);
    after = slurp(path);
  }
  uint64_t size;
  memcpy(&size, after.data() + 16, sizeof size);
  std::string image = before;
  image.replace(0, 8, std::string(8, 0));
  for (size_t n = 8; n <= size; n++) {
    image.replace(8, n - 8, after, 8, n - 8);
    if (n % 7 == 0 || n == size) {
      spill(path, image);
      EXPECT_EQ(PH_ENOTFOUND, Left(path).status) << n;
    }
  }
  image.replace(0, 8, after, 0, 8);
  spill(path, image);
  Left left(path);
  EXPECT_EQ(PH_OK, left.status) << ph_error();
  EXPECT_EQ(0, left.count());
}

TEST(Journal, EveryTruncationGivesTheRecordsThatAreWhole) {
  TempDir tmp;
  Head h(1, 1);
  std::string path = tmp.path + "/j";
  {
    Journal w(path);
    w.episode(h, 6);
  }
  std::string all = slurp(path);
  uint64_t head, record;
  memcpy(&head, all.data() + 16, sizeof head);
  memcpy(&record, all.data() + 24, sizeof record);
  for (size_t n = 0; n <= head + 7 * record; n++) {
    ASSERT_EQ(0, truncate(path.c_str(), 0));
    spill(path, all.substr(0, n));
    Left left(path);
    if (n == 0) {
      EXPECT_EQ(PH_ENOTFOUND, left.status);
    } else if (n < head) {
      EXPECT_TRUE(left.status == PH_EFORMAT || left.status == PH_ECORRUPT) << n;
    } else {
      EXPECT_EQ(static_cast<int64_t>(std::min<size_t>(6, (n - head) / record)), left.count()) << n;
    }
  }
}

TEST(Journal, EveryFlippedByteIsSeen) {
  TempDir tmp;
  Head h(1, 1);
  std::string path = tmp.path + "/j";
  {
    Journal w(path);
    w.episode(h, 6);
  }
  std::string all = slurp(path);
  uint64_t head, record;
  memcpy(&head, all.data() + 16, sizeof head);
  memcpy(&record, all.data() + 24, sizeof record);
  all.resize(head + 8 * record);
  for (size_t at = 0; at < head + 6 * record; at++) {
    std::string bad = all;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    spill(path, bad);
    Left left(path);
    if (at < head) {
      EXPECT_TRUE(left.status == PH_EFORMAT || left.status == PH_ECORRUPT) << at;
      EXPECT_EQ(nullptr, left.j);
    } else {
      int64_t hit = static_cast<int64_t>((at - head) / record);
      EXPECT_EQ(hit, left.count()) << at;
      EXPECT_EQ(5 - hit, ph_journal_beyond(left.j)) << at;
      EXPECT_EQ(payloads(h, hit), left.records(h));
    }
  }
}

/* A head whose checksum is right, with something else in it. */
std::string forged(std::string all, size_t at, const std::string &bytes) {
  uint64_t head;
  all.replace(at, bytes.size(), bytes);
  memcpy(&head, all.data() + 16, sizeof head);
  if (head >= 4 && head <= all.size()) {
    uint32_t crc = ph_crc32(all.data(), head - 4);
    memcpy(all.data() + head - 4, &crc, sizeof crc);
  }
  return all;
}

std::string number(uint64_t n) {
  return std::string(reinterpret_cast<const char *>(&n), sizeof n);
}

TEST(Journal, SizesThatCannotBeAreRefused) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  {
    Journal w(path);
    w.episode(h, 6);
  }
  const std::string all = slurp(path);
  const uint64_t huge[] = {0,
                           1,
                           7,
                           55,
                           56,
                           1u << 20,
                           1u << 31,
                           UINT32_MAX,
                           1ull << 40,
                           1ull << 62,
                           INT64_MAX,
                           1ull << 63,
                           UINT64_MAX,
                           UINT64_MAX - 7,
                           UINT64_MAX - 63};
  for (size_t field : {16, 24, 40, 48}) {
    for (uint64_t n : huge) {
      spill(path, forged(all, field, number(n)));
      Left left(path);
      EXPECT_TRUE(left.status == PH_EFORMAT || left.status == PH_ECORRUPT) << field << " " << n;
    }
  }
  /* sizes that make each other right by overflow */
  spill(path, forged(forged(all, 40, number(UINT64_MAX - 59)), 48, number(8)));
  EXPECT_NE(PH_OK, Left(path).status);
}

TEST(Journal, TextsThatNoRecorderWritesAreRefused) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  {
    Journal w(path);
    w.episode(h, 6);
  }
  const std::string all = slurp(path);
  auto changed = [&](const std::string &from, const std::string &to) {
    EXPECT_EQ(from.size(), to.size());
    size_t at = all.find(from);
    EXPECT_NE(std::string::npos, at) << from;
    spill(path, forged(all, at, to));
    return Left(path).status;
  };
  EXPECT_EQ(PH_OK, changed("\"wave\"", "\"wove\""));
  EXPECT_EQ(PH_EFORMAT, changed("\"nq\":5", "\"nq\":4")) << "the layout is another one then";
  EXPECT_EQ(PH_EFORMAT, changed("\"nq\":5", "\"nq\":-"));
  EXPECT_EQ(PH_EFORMAT, changed("\"env_id\":3", "\"env_id\":x"));
  EXPECT_EQ(PH_EFORMAT, changed("\"nbody\":4", "\"nbody\": "));
  EXPECT_EQ(PH_EFORMAT, changed("\"rewards\"", "\"reworks\""));
  EXPECT_EQ(PH_EFORMAT, changed("\"episode\":12", "\"episode\":-1"));
  EXPECT_EQ(PH_EFORMAT, changed("{\"writer\"", "[\"writer\""));
  EXPECT_EQ(PH_EFORMAT, changed("\"run-1\"", "\"\\u0000"));
  size_t edit = all.find("geom_friction");
  spill(path, forged(all, edit + 40, number(99)));
  EXPECT_EQ(PH_EFORMAT, Left(path).status) << "a type";
  for (uint64_t n : {UINT64_MAX, uint64_t(1) << 62, uint64_t(1) << 32, uint64_t(4)}) {
    spill(path, forged(all, edit + 48, number(n)));
    EXPECT_EQ(PH_EFORMAT, Left(path).status) << "rows " << n;
  }
  spill(path, forged(all, edit, std::string(40, 'x')));
  EXPECT_EQ(PH_EFORMAT, Left(path).status) << "a name without an end";
}

TEST(Journal, OtherFilesAreNone) {
  TempDir tmp;
  std::string path = tmp.path + "/j";
  spill(path, "\x89HDF\r\n\x1a\n and more than fifty-six bytes of what an HDF5 file may hold");
  EXPECT_EQ(PH_EFORMAT, Left(path).status);
  EXPECT_EQ(PH_EIO, Left(tmp.path + "/none").status);
  EXPECT_NE(PH_OK, Left(tmp.path).status) << "a folder";
  ASSERT_EQ(0, symlink(path.c_str(), (tmp.path + "/link").c_str()));
  EXPECT_EQ(PH_EIO, Left(tmp.path + "/link").status);
  ASSERT_EQ(0, mkfifo((tmp.path + "/pipe").c_str(), 0600));
  EXPECT_EQ(PH_EFORMAT, Left(tmp.path + "/pipe").status) << "and does not wait";
}

/* --- files --- */

TEST(Journal, AFreshOneReplacesNothing) {
  TempDir tmp;
  std::string path = tmp.path + "/j";
  spill(path, "something");
  ph_journal *j = nullptr;
  EXPECT_EQ(PH_EEXIST, ph_journal_create(&j, path.c_str(), true));
  EXPECT_EQ("something", slurp(path));
  EXPECT_EQ(PH_EIO, ph_journal_create(&j, (tmp.path + "/no/j").c_str(), true));
  EXPECT_NE(nullptr, strstr(ph_error(), "/no/j")) << ph_error();
  EXPECT_EQ(nullptr, j);
  Head h;
  Journal w(path, false);
  w.episode(h, 3);
  EXPECT_EQ(3, Left(path).count());
}

/* A store into what is cut off would kill this process. */
TEST(Journal, RoomThatSomebodyCutsOffIsMadeAgain) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 3);
  ASSERT_EQ(PH_OK, ph_journal_void(w.j)) << ph_error();
  ASSERT_EQ(0, truncate(path.c_str(), 0));
  w.episode(h, 5000, 1);
  Left left(path);
  ASSERT_EQ(5000, left.count());
  EXPECT_EQ(payloads(h, 5000, 1), left.records(h));
}

TEST(Journal, RowsThatSomebodyCutsOffEndIt) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 1);
  ph_journal_rest(w.j, false); /* no window is in use */
  ASSERT_EQ(0, truncate(path.c_str(), 100));
  EXPECT_EQ(nullptr, ph_journal_next(w.j));
  EXPECT_NE(nullptr, strstr(ph_error(), "somebody has cut it off")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), path.c_str())) << ph_error();
  w.episode(h, 40, 2);
  EXPECT_EQ(40, Left(path).count()) << "the next episode has all of it";
}

TEST(Journal, ItGoesByItsNewName) {
  TempDir tmp;
  Head h;
  std::string a = tmp.path + "/a", b = tmp.path + "/b";
  Journal w(a);
  w.episode(h, 3);
  spill(b, "mine");
  EXPECT_EQ(PH_EEXIST, ph_journal_rename(w.j, b.c_str()));
  EXPECT_EQ("mine", slurp(b));
  unlink(b.c_str());
  ASSERT_EQ(PH_OK, ph_journal_rename(w.j, b.c_str())) << ph_error();
  EXPECT_EQ(b, ph_journal_path(w.j));
  EXPECT_TRUE(append(w.j, h));
  EXPECT_EQ(4, Left(b).count());
  EXPECT_TRUE(ph_journal_in_place(w.j));
  EXPECT_NE(0, access(a.c_str(), F_OK));
  /* what has the name by now is not this one's to remove */
  unlink(b.c_str());
  spill(b, "mine");
  EXPECT_FALSE(ph_journal_in_place(w.j));
  ph_journal_close(w.j, true);
  w.j = nullptr;
  EXPECT_EQ("mine", slurp(b));
}

TEST(Journal, ARefusedRowIsToldAndTheRestStays) {
  TempDir tmp;
  Head h(200);
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 10);
  int64_t n = 10;
  {
    FileLimit limit(600 << 10);
    while (n < 10000 && append(w.j, h))
      n++;
  }
  EXPECT_LT(n, 400);
  EXPECT_GT(n * static_cast<int64_t>(h.layout.payload), 590 << 10) << "up to the last page";
  EXPECT_NE(nullptr, strstr(ph_error(), path.c_str())) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "File too large")) << ph_error();
  EXPECT_TRUE(ph_journal_short(w.j));
  EXPECT_EQ(n, Left(path).count());
  w.episode(h, 3);
  EXPECT_FALSE(ph_journal_short(w.j)) << "there is room again";
  EXPECT_TRUE(append(w.j, h));
}

/* --- a long one --- */

size_t mapped_of(const std::string &path) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  size_t size = 0;
  while (std::getline(maps, line)) {
    if (line.find(path) != std::string::npos)
      size += std::stoull(line.substr(line.find('-') + 1), nullptr, 16) -
              std::stoull(line, nullptr, 16);
  }
  return size;
}

/* The first store into a page that is newly mapped costs more than all rows in it. */
TEST(Journal, TheFirstWindowStaysFromEpisodeToEpisode) {
  TempDir tmp;
  Head h(1);
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 50);
  int64_t windows = ph_journal_windows(w.j);
  for (int episode = 1; episode < 20; episode++) {
    w.episode(h, 50, episode);
    ASSERT_EQ(50, Left(path).count());
    EXPECT_EQ(payloads(h, 50, episode), Left(path).records(h));
    ASSERT_EQ(PH_OK, ph_journal_void(w.j)) << ph_error();
  }
  EXPECT_EQ(windows, ph_journal_windows(w.j));
}

TEST(Journal, WindowsDoNotGrow) {
  TempDir tmp;
  Head h(1);
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 1);
  size_t first = mapped_of(path);
  EXPECT_GT(first, 0u);
  int64_t before = ph_journal_windows(w.j);
  for (int t = 1; t < 200000; t++)
    ASSERT_TRUE(append(w.j, h));
  EXPECT_LE(mapped_of(path), first + (16u << 10));
  uint64_t bytes = 200000 * (h.layout.payload + 16);
  EXPECT_LE(static_cast<uint64_t>(ph_journal_windows(w.j) - before), bytes / (128 << 10));
  EXPECT_EQ(200000, Left(path).count());
  /* what it took is given back when the next episode starts */
  w.episode(h, 1);
  struct stat st;
  ASSERT_EQ(0, stat(path.c_str(), &st));
  EXPECT_LE(st.st_size, 16 << 20);
}

TEST(Journal, ALongHoleIsNotRead) {
  TempDir tmp;
  Head h;
  std::string path = tmp.path + "/j";
  Journal w(path);
  w.episode(h, 5);
  ASSERT_EQ(0, truncate(path.c_str(), off_t(1) << 40));
  Left left(path);
  EXPECT_EQ(5, left.count());
  EXPECT_EQ(0, ph_journal_beyond(left.j));
}

} // namespace
