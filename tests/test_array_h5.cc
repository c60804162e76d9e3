/* Arrays of HDF5 files as a foreign episode holds them: what they are, and their numbers. */
#include <thread>
#include <unistd.h>

#include "foreign_layouts.h"
#include "h5_fixture.h"

extern "C" {
#include "foreign.h"
}

class ArrayH5 : public H5 {
protected:
  hid_t file = H5I_INVALID_HID;
  std::vector<ph_array> arrays;
  void TearDown() override {
    for (auto &array : arrays)
      if (array.close)
        array.close(array.source);
    ph_h5_close(file);
    H5::TearDown();
  }
  void open() { ASSERT_EQ(PH_OK, ph_h5_open(&file, path.c_str())) << ph_error(); }
  const ph_array *array(const std::string &name) {
    ph_array made{};
    snprintf(made.channel.name, sizeof made.channel.name, "%s", name.c_str());
    EXPECT_EQ(PH_OK, ph_array_h5(&made, file, name.c_str())) << ph_error();
    arrays.reserve(64);
    arrays.push_back(made);
    return &arrays.back();
  }
  std::string what(const std::string &name) {
    const ph_array *a = array(name);
    static const char *const kinds[] = {"numbers", "image", "other"};
    EXPECT_EQ(a->channel.kind == PH_CHANNEL_NUMBERS, a->read != nullptr);
    EXPECT_EQ(a->channel.kind == PH_CHANNEL_NUMBERS, a->channel.width > 0);
    return std::string(kinds[a->channel.kind]) + (a->channel.note[0] ? ": " : "") + a->channel.note;
  }
};

TEST_F(ArrayH5, KindsByTypeAndShape) {
  using namespace foreign;
  {
    File f(path);
    f.array("/obs/rgb", U8, {5, 8, 9, 3}, bytes(1080));
    f.array("/obs/grey", U8, {5, 8, 9, 1}, bytes(360));
    f.array("/obs/chw", U8, {5, 3, 9, 8}, bytes(1080));
    f.array("/obs/odd", U8, {5, 7, 9, 8}, bytes(2520));
    f.array("/obs/depth_float", F32, {5, 8, 9, 1}, wave(360));
    f.array("/obs/images/top", U8, {5, 300}, bytes(1500));
    f.array("/obs/camera_flat", U8, {5, 20}, bytes(100));
    f.array("/obs/bytes", U8, {5, 300}, bytes(1500));
    f.array("/obs/grey_image", U8, {5, 32, 32}, bytes(5120));
    f.array("/obs/thin", F64, {5, 0}, {});
    f.array("/obs/none", F64, {0, 3}, {});
    f.array("/obs/one", F64, {}, {1});
    f.array("/obs/deep", F64, {5, 1, 1, 1, 2}, wave(10));
    f.texts("/obs/words", {"a", "b"});
    f.soft("/obs/soft", "/obs/rgb");
    Id list(H5Tvlen_create(H5T_NATIVE_UINT8), "list");
    f.typed("/obs/front_image", list, {5}, nullptr);
    f.typed("/obs/lists", list, {5}, nullptr);
  }
  open();
  EXPECT_EQ("image", what("obs/rgb"));
  EXPECT_EQ("image", what("obs/grey"));
  EXPECT_EQ("image", what("obs/chw"));
  EXPECT_EQ("numbers", what("obs/odd"));
  EXPECT_EQ("numbers", what("obs/depth_float"));
  EXPECT_EQ("image: encoded pictures, not decoded", what("obs/images/top"));
  EXPECT_EQ("numbers", what("obs/camera_flat"));
  EXPECT_EQ("numbers", what("obs/bytes"));
  EXPECT_EQ("image", what("obs/grey_image"));
  EXPECT_EQ("other: its rows are empty", what("obs/thin"));
  EXPECT_EQ("numbers", what("obs/none"));
  EXPECT_EQ("other: one value, not a row a step", what("obs/one"));
  EXPECT_EQ("other: more than 4 dimensions", what("obs/deep"));
  EXPECT_EQ("other: text, not numbers", what("obs/words"));
  EXPECT_EQ("other: cannot be read: a soft link is never followed", what("obs/soft"));
  EXPECT_EQ("other: cannot be read: there is no such object", what("obs/missing"));
  EXPECT_EQ("image: encoded pictures, not decoded", what("obs/front_image"));
  EXPECT_EQ("other: rows of varying length, which are not read", what("obs/lists"));
  const ph_array *a = array("obs/rgb");
  EXPECT_STREQ("uint8", a->channel.type);
  EXPECT_EQ(4, a->channel.rank);
  EXPECT_EQ(5, a->channel.rows);
  EXPECT_EQ(9, a->channel.dim[2]);
}

TEST_F(ArrayH5, NumbersAreTheSameHoweverTheyLie) {
  using namespace foreign;
  Store packed, big;
  packed.chunk_rows = 16;
  packed.gzip = 4;
  packed.shuffle = true;
  big.big_endian = true;
  std::vector<double> values(100 * 130);
  for (size_t i = 0; i < values.size(); i++)
    values[i] = (double)(i % 97);
  {
    File f(path);
    for (int i = F64; i < BOOL; i++) {
      f.array("/plain/" + std::to_string(i), (Number)i, {100, 130}, values);
      f.array("/packed/" + std::to_string(i), (Number)i, {100, 130}, values, packed);
      f.array("/big/" + std::to_string(i), (Number)i, {100, 130}, values, big);
    }
  }
  open();
  std::vector<double> out(values.size());
  for (const char *below : {"plain/", "packed/", "big/"})
    for (int i = F64; i < BOOL; i++) {
      const ph_array *a = array(below + std::to_string(i));
      ASSERT_NE(nullptr, a->read);
      std::fill(out.begin(), out.end(), -1.0);
      OK(a->read(a, 0, 100, out.data()));
      EXPECT_EQ(values, out) << below << i;
      OK(a->read(a, 37, 5, out.data()));
      EXPECT_EQ(0, memcmp(out.data(), &values[37 * 130], 5 * 130 * sizeof(double))) << below << i;
      OK(a->read(a, 100, 0, out.data()));
      EXPECT_EQ(PH_EINVAL, a->read(a, 99, 2, out.data()));
      EXPECT_EQ(PH_EINVAL, a->read(a, -1, 1, out.data()));
      EXPECT_EQ(PH_EINVAL, a->read(a, 0, INT64_MAX, out.data()));
    }
}

TEST_F(ArrayH5, TheFileStaysOpenAsLongAsAnArrayIs) {
  using namespace foreign;
  Store packed;
  packed.chunk_rows = 4;
  packed.gzip = 1;
  {
    File f(path);
    f.array("/x", F64, {10, 2}, wave(20));
    f.array("/y", F32, {10, 2}, wave(20), packed);
  }
  open();
  const ph_array *x = array("x"), *y = array("y");
  ph_h5_close(file);
  file = H5I_INVALID_HID;
  double out[20], other[20];
  OK(x->read(x, 0, 10, out));
  OK(y->read(y, 0, 10, other));
  std::vector<double> expected = wave(20);
  for (int i = 0; i < 20; i++) {
    EXPECT_EQ(expected[(size_t)i], out[i]);
    EXPECT_EQ((double)(float)expected[(size_t)i], other[i]);
  }
}

TEST_F(ArrayH5, ThreadsReadAtOnce) {
  using namespace foreign;
  Store packed;
  packed.chunk_rows = 8;
  packed.gzip = 1;
  std::vector<double> values = wave(3000);
  {
    File f(path);
    f.array("/x", F64, {1000, 3}, values);
    f.array("/y", F64, {1000, 3}, values, packed);
  }
  open();
  const ph_array *x = array("x"), *y = array("y");
  int wrong[4] = {0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      double row[3];
      const ph_array *a = t % 2 ? x : y;
      for (int64_t i = 0; i < 300; i++) {
        int64_t at = (i * 37 + t * 11) % 1000;
        if (a->read(a, at, 1, row) || memcmp(row, &values[(size_t)at * 3], sizeof row) != 0)
          wrong[t]++;
      }
    });
  for (auto &thread : threads)
    thread.join();
  for (int n : wrong)
    EXPECT_EQ(0, n);
}

TEST_F(ArrayH5, ADamagedChunkSpoilsItsOwnRowsOnly) {
  using namespace foreign;
  Store packed;
  packed.chunk_rows = 10;
  packed.gzip = 6;
  std::vector<double> values = wave(300);
  {
    File f(path);
    f.array("/x", F64, {100, 3}, values, packed);
  }
  hsize_t corner[2] = {50, 0}, size;
  unsigned mask;
  haddr_t at = 0;
  hid_t set;
  ph_h5_array info;
  open();
  OK(ph_h5_dataset(&set, &info, file, "x"));
  ASSERT_GE(H5Dget_chunk_info_by_coord(set, corner, &mask, &at, &size), 0);
  ph_h5_close(set);
  ph_h5_close(file);
  std::string bytes = bytes_of(path);
  bytes.replace(at, size, std::string(size, 'x'));
  write_bytes(path, bytes);
  open();
  const ph_array *x = array("x");
  double row[6];
  for (int64_t i = 0; i < 100; i++)
    if (i / 10 == 5) {
      EXPECT_NE(PH_OK, x->read(x, i, 1, row)) << i;
    } else {
      ASSERT_EQ(PH_OK, x->read(x, i, 1, row)) << i << ph_error();
      EXPECT_EQ(0, memcmp(row, &values[(size_t)i * 3], 24)) << i;
    }
  EXPECT_NE(PH_OK, x->read(x, 49, 2, row)) << "half of it";
}

TEST_F(ArrayH5, AFileThatWasCutIsSaidSo) {
  using namespace foreign;
  {
    File f(path);
    f.array("/x", F64, {4000, 3}, wave(12000));
  }
  open();
  const ph_array *x = array("x");
  std::vector<double> out(12000);
  ASSERT_EQ(0, truncate(path.c_str(), 5000));
  EXPECT_EQ(PH_ECORRUPT, x->read(x, 3000, 1000, out.data()));
  EXPECT_TRUE(says("x: the file ends before its data does")) << ph_error();
}
