/* What the HDF5 door never follows, reads or runs. */
#include <sys/stat.h>
#include <unistd.h>

#include "h5_fixture.h"

/* h5_door.h is C only. */
extern "C" const char *ph_h5_header_fault(int fd, uint64_t base, uint64_t address);
extern "C" uint32_t ph_h5_lookup3(const uint8_t *key, size_t length);

/* --- what is refused ------------------------------------------------------------------------- */

class H5Refuses : public H5 {};

TEST_F(H5Refuses, LinksOtherThanHardOnes) {
  double x[2] = {1, 2};
  hid_t other = foreign("other.h5");
  dataset(other, "secret", H5T_IEEE_F64LE, {2}, x);
  H5Fclose(other);
  hid_t file = foreign(), group;
  dataset(file, "real", H5T_IEEE_F64LE, {2}, x);
  H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Gclose(H5Gcreate2(file, "soft", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_soft("/real", file, "soft/link", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/", file, "up", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external((dir / "other.h5").c_str(), "/secret", file, "out", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external((dir / "other.h5").c_str(), "/", file, "far", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_EQ(PH_OK, open_dataset("real"));
  EXPECT_EQ(PH_EREFUSED, open_dataset("soft/link"));
  EXPECT_TRUE(says("soft link")) << ph_error();
  EXPECT_EQ(PH_EREFUSED, open_dataset("up/real"));
  EXPECT_EQ(PH_EREFUSED, open_dataset("out"));
  EXPECT_TRUE(says("external link")) << ph_error();
  EXPECT_EQ(PH_EREFUSED, open_dataset("far/secret"));
  EXPECT_EQ(PH_EREFUSED, open_dataset("/far/secret"));
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_FALSE(ph_h5_exists(file, "out"));
  EXPECT_FALSE(ph_h5_exists(file, "up/real"));
  EXPECT_EQ(PH_EREFUSED, ph_h5_group(&group, file, "up"));
  std::string names;
  EXPECT_EQ(PH_EREFUSED, ph_h5_list(file, collect, &names));
  OK(ph_h5_group(&group, file, "soft"));
  EXPECT_EQ(PH_EREFUSED, ph_h5_list(group, collect, &names));
  ph_h5_close(group);
  ph_h5_close(file);
}

TEST_F(H5Refuses, UserDefinedLinks) {
  H5L_class_t link = {};
  link.version = H5L_LINK_CLASS_T_VERS;
  link.id = (H5L_type_t)(H5L_TYPE_UD_MIN + 50);
  link.comment = "test";
  static bool followed = false;
  link.trav_func = [](const char *, hid_t, const void *, size_t, hid_t, hid_t) {
    followed = true;
    return (hid_t)-1;
  };
  ASSERT_GE(H5Lregister(&link), 0);
  hid_t file = foreign();
  ASSERT_GE(H5Lcreate_ud(file, "odd", link.id, "x", 1, H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Fclose(file);
  EXPECT_EQ(PH_EREFUSED, open_dataset("odd"));
  EXPECT_TRUE(says("user-defined link")) << ph_error();
  EXPECT_FALSE(followed);
  H5Lunregister(link.id);
}

TEST_F(H5Refuses, ExternalStorage) {
  write_bytes(dir / "raw", std::string(16, 'x'));
  hid_t file = foreign(), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(list, (dir / "raw").c_str(), 0, 16);
  dataset(file, "x", H5T_IEEE_F64LE, {2}, nullptr, list);
  H5Pclose(list);
  H5Fclose(file);
  EXPECT_EQ(PH_EREFUSED, open_dataset("x"));
  EXPECT_TRUE(says("external storage")) << ph_error();
}

TEST_F(H5Refuses, VirtualDatasets) {
  double x[2] = {1, 2};
  hid_t other = foreign("other.h5");
  dataset(other, "secret", H5T_IEEE_F64LE, {2}, x);
  H5Fclose(other);
  hsize_t dim = 2;
  hid_t file = foreign(), list = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &dim, nullptr);
  ASSERT_GE(H5Pset_virtual(list, space, (dir / "other.h5").c_str(), "secret", space), 0);
  dataset(file, "x", H5T_IEEE_F64LE, {2}, nullptr, list);
  H5Sclose(space);
  H5Pclose(list);
  H5Fclose(file);
  EXPECT_EQ(PH_EREFUSED, open_dataset("x"));
  EXPECT_TRUE(says("virtual")) << ph_error();
}

TEST_F(H5Refuses, FiltersThatAreNotOnTheList) {
  int x[4] = {1, 2, 3, 4};
  hsize_t chunk = 4;
  hid_t file = foreign(), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 1, &chunk);
  H5Pset_scaleoffset(list, H5Z_SO_INT, 0);
  dataset(file, "scaled", H5T_NATIVE_INT, {4}, x, list);
  H5Pclose(list);
  list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 1, &chunk);
  H5Pset_filter(list, 32015, H5Z_FLAG_OPTIONAL, 0, nullptr); /* a plugin's number */
  dataset(file, "plugin", H5T_NATIVE_INT, {4}, nullptr, list);
  H5Pclose(list);
  list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 1, &chunk);
  H5Pset_deflate(list, 1);
  H5Pset_shuffle(list);
  H5Pset_fletcher32(list);
  dataset(file, "fine", H5T_NATIVE_INT, {4}, x, list);
  H5Pclose(list);
  H5Fclose(file);
  EXPECT_EQ(PH_EREFUSED, open_dataset("scaled"));
  EXPECT_EQ(PH_EREFUSED, open_dataset("plugin"));
  EXPECT_TRUE(says("32015")) << ph_error();
  EXPECT_EQ(PH_OK, open_dataset("fine"));
}

TEST_F(H5Refuses, TypesThatHoldMoreThanNumbers) {
  hid_t file = foreign();
  hid_t text = H5Tcopy(H5T_C_S1), named = H5Tcopy(H5T_IEEE_F64LE);
  hid_t pair = H5Tcreate(H5T_COMPOUND, 16), list = H5Tvlen_create(H5T_NATIVE_INT);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tinsert(pair, "a", 0, H5T_IEEE_F64LE);
  H5Tcommit2(file, "type", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  dataset(file, "text", text, {2}, nullptr);
  dataset(file, "named", named, {2}, nullptr);
  dataset(file, "pair", pair, {2}, nullptr);
  dataset(file, "list", list, {2}, nullptr);
  dataset(file, "reference", H5T_STD_REF_OBJ, {2}, nullptr);
  dataset(file, "deep", H5T_IEEE_F64LE, {1, 1, 1, 1, 1}, nullptr);
  for (hid_t type : {text, named, pair, list})
    H5Tclose(type);
  H5Fclose(file);
  for (const char *name : {"text", "named", "pair", "list", "reference"})
    EXPECT_EQ(PH_EREFUSED, open_dataset(name)) << name;
  EXPECT_EQ(PH_EFORMAT, open_dataset("deep"));
  EXPECT_NE(PH_OK, open_dataset("type"));
}

TEST_F(H5Refuses, AFileThatEndsBeforeItsData) {
  hid_t file, d;
  int64_t dim = 4000;
  std::vector<double> x(4000, 1.5);
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_dataset_create(&d, file, "x", PH_F64, 1, &dim, false));
  OK(ph_h5_write(d, PH_F64, 0, 4000, x.data()));
  ph_h5_close(d);
  OK(ph_h5_finish(file, path.c_str()));
  ph_h5_array info;
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_dataset(&d, &info, file, "x"));
  ASSERT_EQ(0, truncate(path.c_str(), info.offset + 100)); /* while it is open */
  EXPECT_NE(PH_OK, ph_h5_read(d, &info, PH_F64, 3000, 1000, x.data()));
  ph_h5_close(d);
  ph_h5_close(file);
  EXPECT_EQ(PH_EFORMAT, ph_h5_open(&file, path.c_str()));
}

TEST_F(H5Refuses, WhatIsNoFile) {
  hid_t file;
  EXPECT_EQ(PH_EIO, ph_h5_open(&file, (dir / "none").c_str()));
  EXPECT_TRUE(says("none: cannot be opened: No such file")) << ph_error();
  EXPECT_EQ(PH_EIO, ph_h5_open(&file, dir.path.c_str()));
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  EXPECT_EQ(PH_EIO, ph_h5_open(&file, path.c_str())) << "and does not wait for a writer";
  write_bytes(dir / "text", "hello");
  EXPECT_EQ(PH_EFORMAT, ph_h5_open(&file, (dir / "text").c_str()));
  EXPECT_EQ(H5I_INVALID_HID, file);
  EXPECT_EQ(PH_EEXIST, ph_h5_create(&file, (dir / "text").c_str()));
  EXPECT_EQ("hello", bytes_of(dir / "text"));
  EXPECT_EQ(PH_EIO, ph_h5_create(&file, (dir / "no/such/folder").c_str()));
}

/* The library would notice too, but lose memory and complain when the process ends. */
TEST_F(H5Refuses, HeadersThatDoNotMatchTheirChecksum) {
  hid_t file, group;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_group_create(&group, file, "data/demo_0"));
  OK(ph_h5_put_bytes(group, "between", "x", 1)); /* so that the header goes on behind it */
  for (int i = 0; i < 40; i++)
    OK(ph_h5_put_string(group, ("attribute_" + std::to_string(i)).c_str(), "some text"));
  ph_h5_close(group);
  OK(ph_h5_finish(file, path.c_str()));
  std::string bytes = bytes_of(path);
  size_t first = bytes.find("attribute_0"), last = bytes.find("attribute_39");
  ASSERT_LT(bytes.rfind("OHDR", first), bytes.find("OCHK"));
  ASSERT_LT(bytes.find("OCHK"), last) << "the header goes on elsewhere";
  for (size_t at : {first, last, bytes.find("OCHK"), (size_t)20, bytes.find("OHDR") + 8}) {
    std::string damaged = bytes;
    damaged[at] ^= 4;
    write_bytes(path, damaged);
    ph_status status = ph_h5_open(&file, path.c_str());
    if (!status) {
      status = ph_h5_group(&group, file, "data/demo_0");
      EXPECT_FALSE(ph_h5_exists(file, "data/demo_0"));
    }
    EXPECT_EQ(PH_EFORMAT, status) << at;
    EXPECT_TRUE(says("does not match its checksum")) << at << ": " << ph_error();
    ph_h5_close(file);
  }
  write_bytes(path, bytes);
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_group(&group, file, "data/demo_0"));
  ph_h5_close(group);
  ph_h5_close(file);
}

/* A checksum is no secret: pieces that lead back to themselves would be read a thousand times. */
TEST(H5Header, ThatLeadsBackToItselfIsLeftAtOnce) {
  const size_t first = 64, second = 200 << 10, size = first + second;
  std::string bytes(size, 0);
  auto put = [&](size_t at, uint64_t value, int n) {
    for (int i = 0; i < n; i++)
      bytes[at + i] = (char)(value >> 8 * i);
  };
  auto follow = [&](size_t at) {
    put(at, 0x10, 1);
    put(at + 1, 16, 2);
    put(at + 4, first, 8);
    put(at + 12, second, 8);
  };
  auto seal = [&](size_t at, size_t n) {
    put(at + n - 4, ph_h5_lookup3((const uint8_t *)bytes.data() + at, n - 4), 4);
  };
  bytes.replace(0, 5, "OHDR\x02");
  put(6, first - 7 - 4, 1);
  follow(7);
  seal(0, first);
  bytes.replace(first, 4, "OCHK");
  follow(first + 4);
  seal(first, second);
  FILE *file = tmpfile();
  ASSERT_EQ(size, fwrite(bytes.data(), 1, size, file));
  fflush(file);
  EXPECT_STREQ("its header is longer than its file", ph_h5_header_fault(fileno(file), 0, 0));
  /* Without the way back it is a fine header. */
  put(first + 4, 0, 1);
  seal(first, second);
  rewind(file);
  ASSERT_EQ(size, fwrite(bytes.data(), 1, size, file));
  fflush(file);
  EXPECT_EQ(nullptr, ph_h5_header_fault(fileno(file), 0, 0));
  fclose(file);
}

TEST_F(H5Refuses, ChunksThatUnpackToMoreThanAGigabyte) {
  hid_t file = foreign();
  hsize_t n = (hsize_t)1 << 28, chunk[2] = {n / 2, n};
  for (int i = 0; i < 2; i++) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, nullptr);
    H5Pset_chunk(list, 1, &chunk[i]);
    H5Dclose(H5Dcreate2(file, i ? "large" : "fits", H5T_IEEE_F64LE, space, H5P_DEFAULT, list,
                        H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(list);
  }
  H5Fclose(file);
  EXPECT_EQ(PH_OK, open_dataset("fits")) << ph_error();
  EXPECT_EQ(PH_EREFUSED, open_dataset("large"));
  EXPECT_TRUE(says("chunks")) << ph_error();
}
