/* What is asked of arrays: first numbers in blocks, gaps of times, pictures, sentences. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" {
#include "foreign.h"
}

namespace {

/* An array whose number k of row r is r + k / 1e6; it notes how it is read. */
struct Rows {
  ph_array array{};
  int64_t most = 0, reads = 0;
  int64_t fail_at = INT64_MAX;

  Rows(int64_t rows, size_t width, int64_t together = 0) {
    array.channel.rows = rows;
    array.channel.width = width;
    array.together = together;
    array.source = this;
    array.read = [](const ph_array *a, int64_t first, int64_t n, double *out) {
      Rows *self = static_cast<Rows *>(a->source);
      self->reads++;
      self->most = std::max(self->most, n);
      for (int64_t i = 0; i < n; i++)
        for (size_t k = 0; k < a->channel.width; k++)
          *out++ = (double)(first + i) + (double)k / 1e6;
      return first + n > self->fail_at ? PH_ECORRUPT : PH_OK;
    };
  }
};

TEST(Array, FirstNumbersAreReadInBlocksThatFit) {
  Rows narrow(5000, 3), wide(1000, 65000);
  for (Rows *rows : {&narrow, &wide}) {
    std::vector<double> out((size_t)rows->array.channel.rows, -1);
    ASSERT_EQ(PH_OK, ph_array_first(&rows->array, rows->array.channel.rows, out.data()));
    for (size_t i = 0; i < out.size(); i++)
      ASSERT_EQ((double)i, out[i]);
  }
  EXPECT_EQ(1, narrow.reads);
  EXPECT_LE(wide.most * 65000, 200000) << "numbers in memory at once";
}

TEST(Array, WhatIsPackedTogetherIsReadTogetherWithinReason) {
  Rows rows(256, 65000, 64), huge(256, 65000, 100);
  std::vector<double> out(256);
  ASSERT_EQ(PH_OK, ph_array_first(&rows.array, 256, out.data()));
  EXPECT_EQ(4, rows.reads) << "each chunk is unpacked once";
  ASSERT_EQ(PH_OK, ph_array_first(&huge.array, 256, out.data()));
  EXPECT_LT(huge.most, 100);
}

TEST(Array, FailuresOfTheReadAreTold) {
  Rows rows(5000, 1000);
  rows.fail_at = 3000;
  std::vector<double> out(5000);
  EXPECT_EQ(PH_ECORRUPT, ph_array_first(&rows.array, 5000, out.data()));
}

TEST(Array, MedianOfThePositiveGapsInPlaceToo) {
  std::vector<double> time = {0, 1, 1, 3, 2, 5, INFINITY, NAN, 9}, gaps(time.size());
  EXPECT_EQ(2, ph_median_gap(gaps.data(), time.data(), (int64_t)time.size()));
  EXPECT_EQ(2, ph_median_gap(time.data(), time.data(), (int64_t)time.size()));
  EXPECT_EQ(0, ph_median_gap(gaps.data(), gaps.data(), 1));
}

TEST(Array, Pictures) {
  struct {
    const char *name, *type;
    int rank;
    int64_t dim[4];
    bool picture;
    const char *note;
  } cases[] = {
      {"obs/a", "uint8", 4, {9, 84, 84, 3}, true, ""},
      {"obs/a", "uint8", 4, {9, 3, 84, 84}, true, ""},
      {"obs/a", "uint8", 4, {9, 84, 84, 5}, false, ""},
      {"obs/a", "float32", 4, {9, 84, 84, 3}, false, ""},
      {"obs/a", "uint8", 4, {9, 0, 84, 3}, false, ""},
      {"obs/rgb", "uint8", 3, {9, 84, 84, 1}, true, ""},
      {"obs/a", "uint8", 3, {9, 84, 84, 1}, false, ""},
      {"obs/rgb", "uint8", 3, {9, 4, 84, 1}, false, ""},
      {"obs/camera", "uint8", 2, {9, 4000, 1, 1}, true, "encoded pictures, not decoded"},
      {"obs/camera", "uint8", 2, {9, 40, 1, 1}, false, ""},
      {"obs/image", "list", 1, {9, 1, 1, 1}, true, "encoded pictures, not decoded"},
      {"obs/words", "list", 1, {9, 1, 1, 1}, false, ""},
  };
  for (const auto &c : cases) {
    const char *note = "";
    EXPECT_EQ(c.picture, ph_is_picture(c.name, c.type, c.rank, c.dim, &note))
        << c.name << c.type << c.rank;
    EXPECT_STREQ(c.note, note) << c.name;
  }
}

TEST(Array, ASentenceThatIsCutSaysSo) {
  char out[20] = "";
  ph_say_also(out, sizeof out, "one");
  ph_say_also(out, sizeof out, "two");
  EXPECT_STREQ("one; two", out);
  ph_say_also(out, sizeof out, "three, four, five");
  EXPECT_STREQ("one; two; three,...", out);
  ph_say_also(out, sizeof out, "six");
  EXPECT_STREQ("one; two; three,...", out);
}

} // namespace
