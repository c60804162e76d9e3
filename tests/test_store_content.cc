// Hash of the content, a run that grows, natural order.
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <unistd.h>

#include "store_help.h"

using namespace store_help;

namespace {

std::string content(const std::string &path) {
  Store s = open_store({path});
  char hex[PH_SHA256_SIZE] = "?";
  EXPECT_TRUE(s) << ph_error();
  if (s) {
    EXPECT_EQ(ph_store_content_hash(s.get(), hex), PH_OK) << ph_error();
  }
  return hex;
}

TEST(Store, EqualContentHasAnEqualHash) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "a", model, task, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  write_run(dir / "b", model, task, {{1, 0}, {1, 1}, {0, 0}, {0, 1}});
  write_run(dir / "c", model, task, {{0, 0}, {1, 0}, {0, 1}});
  write_dataset(dir / "d.h5", model, task, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  write_dataset(dir / "z.h5", model, task, {{1, 1}, {1, 0}, {0, 1}, {0, 0}}, true);
  std::string a = content(dir / "a");
  EXPECT_EQ(a.size(), 64u);
  EXPECT_EQ(a, content(dir / "b"));
  EXPECT_EQ(a, content(dir / "d.h5"));
  EXPECT_EQ(a, content(dir / "z.h5"));
  EXPECT_NE(a, content(dir / "c"));
}

/* What was noted is not opened again: the files may be gone. */
TEST(Store, TheHashOfWhatIsOpenedAnywayOpensNothingAgain) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  std::string whole = content(dir / "run");
  for (size_t left = 0; left < 4; left++) {
    Store s = open_store({dir / "run"});
    ph_content *noted = nullptr;
    char hex[PH_SHA256_SIZE] = "?";
    ASSERT_EQ(ph_content_new(&noted, s.get()), PH_OK);
    for (size_t i = 4; i-- > left;) {
      ph_episode *episode = nullptr;
      ASSERT_EQ(ph_store_episode(&episode, s.get(), i), PH_OK) << ph_error();
      ph_content_note(noted, i, episode);
      ph_content_note(noted, 4, episode); /* of none */
      ph_episode_free(episode);
      std::string file = ph_store_entry(s.get(), i)->file;
      std::filesystem::rename(file, file + ".gone");
    }
    EXPECT_EQ(ph_content_hash(noted, hex), PH_OK) << ph_error();
    EXPECT_EQ(whole, hex) << left << " were not noted";
    ph_content_free(noted);
    for (size_t i = left; i < 4; i++) {
      std::string file = ph_store_entry(s.get(), i)->file;
      std::filesystem::rename(file + ".gone", file);
    }
  }
}

TEST(Store, WhatIsContentChangesTheHash) {
  Folder dir;
  auto hash = [&](const std::function<void(Demo &)> &change) {
    Demo demo;
    demo.actions = 5;
    change(demo);
    write_file(dir / "e.h5", demo);
    std::string hex = content(dir / "e.h5");
    unlink((dir / "e.h5").c_str());
    return hex;
  };
  std::string same = hash([](Demo &) {});
  EXPECT_EQ(same, hash([](Demo &d) { d.run_id = "another"; }));
  EXPECT_EQ(same, hash([](Demo &d) {
              d.after = [](hid_t file, hid_t g) {
                ph_h5_put_string(file, "created", "1999");
                ph_h5_put_string(g, "determinism", "bitwise");
                ph_h5_put_string(g, "provenance", "[]");
              };
            }));
  EXPECT_NE(same, hash([](Demo &d) { d.seed = 2; }));
  EXPECT_NE(same, hash([](Demo &d) { d.end = "nan"; }));
  EXPECT_NE(same, hash([](Demo &d) { d.success = 0; }));
  EXPECT_NE(same, hash([](Demo &d) { d.edits = false; }));
  EXPECT_NE(same, hash([](Demo &d) { d.final_state = false; }));
  EXPECT_NE(same, hash([](Demo &d) { d.episode = 1; }));
  EXPECT_NE(same, hash([](Demo &d) {
              d.after = [](hid_t, hid_t g) {
                H5Ldelete(g, "playhead/final_state", H5P_DEFAULT);
                int64_t n = 8;
                double zero[8] = {};
                require(ph_h5_put_array(g, "playhead/final_state", PH_F64, 1, &n, zero));
              };
            }));
}

TEST(Store, OpeningARunThatIsRecordedSeesWholeEpisodesOnly) {
  Folder dir;
  Model model;
  Task task;
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_run(&sink, (dir / "run").c_str(), &origin, nullptr), PH_OK);
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, meta_of(model, task, 0, 0, 3));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int k = 1; k < 30; k++)
      put(sink, meta_of(model, task, 0, k, 3));
    done = true;
  });
  size_t seen = 0;
  for (bool last = false; !last;) {
    last = done;
    Store s = open_store({dir / "run"});
    ASSERT_TRUE(s) << ph_error();
    size_t n = ph_store_count(s.get());
    EXPECT_GE(n, seen) << "an episode went away";
    seen = n;
    for (size_t i = 0; i < n; i++)
      ASSERT_STREQ(entry(s, i)->oddity, "") << entry(s, i)->file;
    Episode e = episode_of(s, n - 1);
    ASSERT_TRUE(e) << ph_error();
    expect_rows(e.get(), meta_of(model, task, 0, (int64_t)n - 1, 3));
  }
  writer.join();
  EXPECT_EQ(seen, 30u);
  ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
}

TEST(Natural, DigitsCompareAsNumbers) {
  const char *ordered[] = {"",
                           "demo",
                           "demo_",
                           "demo_0",
                           "demo_00",
                           "demo_01",
                           "demo_1",
                           "demo_1a",
                           "demo_002",
                           "demo_2",
                           "demo_10",
                           "demo_10b",
                           "demo_99999999999999999999998",
                           "demo_99999999999999999999999",
                           "demo_a",
                           "demoa",
                           "e1f2",
                           "e1f10",
                           "e01f20",
                           "\xff"};
  const size_t n = sizeof ordered / sizeof *ordered;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      int c = ph_natural_compare(ordered[i], ordered[j]);
      EXPECT_EQ(c < 0, i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(c == 0, i == j) << ordered[i] << " " << ordered[j];
    }
}

TEST(Natural, IsATotalOrder) {
  std::mt19937 rng(3);
  auto word = [&] {
    std::string s;
    for (size_t n = rng() % 7; n > 0; n--)
      s += "0019a_/"[rng() % 7];
    return s;
  };
  for (int i = 0; i < 200000; i++) {
    std::string a = word(), b = word(), c = word();
    int ab = ph_natural_compare(a.c_str(), b.c_str()),
        bc = ph_natural_compare(b.c_str(), c.c_str());
    int ac = ph_natural_compare(a.c_str(), c.c_str()),
        ba = ph_natural_compare(b.c_str(), a.c_str());
    ASSERT_EQ(ab == 0, a == b) << a << " " << b;
    ASSERT_EQ(ab<0, ba> 0) << a << " " << b;
    if (ab < 0 && bc < 0) {
      ASSERT_LT(ac, 0) << a << " " << b << " " << c;
    }
  }
}

} // namespace
