#include <algorithm>
#include <fcntl.h>
#include <locale.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "h5_fixture.h"

extern "C" {
#include "h5_window.h"
}

/* --- writing and reading --------------------------------------------------------------------- */

TEST_F(H5, RowsComeBackContiguousAndCompressed) {
  hid_t file, d;
  std::vector<double> x(300 * 7), y(300 * 7);
  for (size_t i = 0; i < x.size(); i++)
    x[i] = 0.1 * (double)i;
  int64_t dim[2] = {300, 7};
  OK(ph_h5_create(&file, path.c_str()));
  for (bool compress : {false, true}) {
    OK(ph_h5_dataset_create(&d, file, compress ? "g/packed" : "g/plain", PH_F64, 2, dim, compress));
    for (int64_t first = 0; first < 300; first += 77)
      OK(ph_h5_write(d, PH_F64, first, std::min<int64_t>(77, 300 - first), x.data() + first * 7));
    ph_h5_close(d);
  }
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  for (const char *name : {"g/plain", "g/packed"}) {
    ph_h5_array info;
    OK(ph_h5_dataset(&d, &info, file, name));
    EXPECT_EQ(2, info.rank);
    EXPECT_EQ(300, info.dim[0]);
    EXPECT_EQ(7, info.width);
    EXPECT_TRUE(info.native);
    EXPECT_EQ(std::string(name) == "g/plain", info.offset >= 0);
    OK(ph_h5_read(d, &info, PH_F64, 0, 300, y.data()));
    EXPECT_EQ(x, y);
    double row[7];
    OK(ph_h5_read(d, &info, PH_F64, 123, 1, row));
    EXPECT_EQ(0, memcmp(row, &x[123 * 7], sizeof row));
    EXPECT_EQ(PH_EINVAL, ph_h5_read(d, &info, PH_F64, 299, 2, y.data()));
    EXPECT_EQ(PH_EINVAL, ph_h5_read(d, &info, PH_F64, -1, 2, y.data()));
    if (info.offset >= 0) {
      std::fill(y.begin(), y.end(), 0);
      ASSERT_EQ(300 * 7 * 8, pread(ph_h5_fd(file), y.data(), 300 * 7 * 8, info.offset));
      EXPECT_EQ(x, y);
    }
    ph_h5_close(d);
  }
  ph_h5_close(file);
}

TEST_F(H5, CompressedDatasetsHave64RowChunksAndThreeFilters) {
  hid_t file, d;
  int64_t dim[2] = {300, 7}, small[1] = {5};
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_dataset_create(&d, file, "x", PH_F64, 2, dim, true));
  hid_t list = H5Dget_create_plist(d);
  hsize_t chunk[2];
  EXPECT_EQ(2, H5Pget_chunk(list, 2, chunk));
  EXPECT_EQ(64u, chunk[0]);
  EXPECT_EQ(7u, chunk[1]);
  ASSERT_EQ(3, H5Pget_nfilters(list));
  H5Z_filter_t expected[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  for (unsigned i = 0; i < 3; i++)
    EXPECT_EQ(expected[i], H5Pget_filter2(list, i, nullptr, nullptr, nullptr, 0, nullptr, nullptr));
  H5Pclose(list);
  ph_h5_close(d);
  OK(ph_h5_dataset_create(&d, file, "few", PH_F64, 1, small, true));
  ph_h5_close(d);
  OK(ph_h5_finish(file, path.c_str()));
}

TEST_F(H5, EmptyDatasetsAreFine) {
  hid_t file, d;
  ph_h5_array info;
  int64_t no_rows[2] = {0, 3}, no_width[2] = {9, 0};
  OK(ph_h5_create(&file, path.c_str()));
  for (bool compress : {false, true}) {
    OK(ph_h5_dataset_create(&d, file, compress ? "r1" : "r0", PH_F64, 2, no_rows, compress));
    ph_h5_close(d);
    OK(ph_h5_dataset_create(&d, file, compress ? "w1" : "w0", PH_F64, 2, no_width, compress));
    OK(ph_h5_write(d, PH_F64, 0, 9, ""));
    ph_h5_close(d);
  }
  OK(ph_h5_put_bytes(file, "none", "", 0));
  OK(ph_h5_put_strings(file, "names", nullptr, 0));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_dataset(&d, &info, file, "w1"));
  EXPECT_EQ(9, info.dim[0]);
  EXPECT_EQ(0, info.width);
  OK(ph_h5_read(d, &info, PH_F64, 3, 4, nullptr));
  ph_h5_close(d);
  void *data;
  size_t size = 99;
  OK(ph_h5_read_all(&data, &size, file, "none", 10));
  EXPECT_EQ(0u, size);
  free(data);
  ph_h5_close(file);
}

TEST_F(H5, AttributesComeBack) {
  hid_t file;
  char text[40];
  int64_t i;
  double f;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_put_string(file, "s", "h\xc3\xa4nd\n"));
  OK(ph_h5_put_string(file, "empty", ""));
  OK(ph_h5_put_i64(file, "i", INT64_MIN));
  OK(ph_h5_put_f64(file, "f", 0.1));
  OK(ph_h5_put_u8(file, "b", 255));
  OK(ph_h5_put_u32(file, "u", 0xffffffffu));
  OK(ph_h5_put_i64(file, "twice", 1));
  OK(ph_h5_put_i64(file, "twice", 2));
  std::string longest(60000, 'x');
  OK(ph_h5_put_string(file, "long", longest.c_str()));
  longest += "x";
  EXPECT_EQ(PH_EINVAL, ph_h5_put_string(file, "longer", longest.c_str()));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_attr_string(file, "s", text, sizeof text));
  EXPECT_STREQ("h\xc3\xa4nd\\x0a", text);
  char *whole;
  OK(ph_h5_attr_text(file, "s", &whole));
  EXPECT_STREQ("h\xc3\xa4nd\n", whole);
  free(whole);
  OK(ph_h5_attr_text(file, "long", &whole));
  EXPECT_EQ(60000u, strlen(whole));
  free(whole);
  OK(ph_h5_attr_string(file, "long", text, sizeof text));
  EXPECT_EQ(39u, strlen(text));
  OK(ph_h5_attr_string(file, "empty", text, sizeof text));
  EXPECT_STREQ("", text);
  OK(ph_h5_attr_i64(file, "i", &i));
  EXPECT_EQ(INT64_MIN, i);
  OK(ph_h5_attr_i64(file, "u", &i));
  EXPECT_EQ(0xffffffff, i);
  OK(ph_h5_attr_i64(file, "b", &i));
  EXPECT_EQ(255, i);
  OK(ph_h5_attr_i64(file, "twice", &i));
  EXPECT_EQ(2, i);
  OK(ph_h5_attr_f64(file, "f", &f));
  EXPECT_EQ(0.1, f);
  EXPECT_EQ(PH_ENOTFOUND, ph_h5_attr_i64(file, "none", &i));
  EXPECT_EQ(PH_EFORMAT, ph_h5_attr_i64(file, "f", &i));
  EXPECT_EQ(PH_EFORMAT, ph_h5_attr_string(file, "i", text, sizeof text));
  EXPECT_TRUE(ph_h5_has_attr(file, "i"));
  EXPECT_FALSE(ph_h5_has_attr(file, "none"));
  ph_h5_close(file);
}

static ph_status stop(void *arg, const char *, bool) {
  ++*static_cast<int *>(arg);
  return PH_END;
}

TEST_F(H5, GroupsAreListedInNameOrder) {
  hid_t file, group;
  std::string names;
  size_t n;
  int calls = 0;
  OK(ph_h5_create(&file, path.c_str()));
  for (const char *name : {"data/b", "data/a/deep", "data/c"}) {
    OK(ph_h5_group_create(&group, file, name));
    ph_h5_close(group);
  }
  EXPECT_EQ(PH_EEXIST, ph_h5_group_create(&group, file, "data/a"));
  OK(ph_h5_put_bytes(file, "data/aa", "x", 1));
  OK(ph_h5_group(&group, file, "/data"));
  OK(ph_h5_list(group, collect, &names));
  EXPECT_EQ("a/ aa b/ c/ ", names);
  OK(ph_h5_count(group, &n));
  EXPECT_EQ(4u, n);
  EXPECT_EQ(PH_END, ph_h5_list(group, stop, &calls));
  EXPECT_EQ(1, calls);
  char where[64];
  EXPECT_STREQ("/data", ph_h5_name(group, where, sizeof where));
  ph_h5_close(group);
  EXPECT_TRUE(ph_h5_exists(file, "data/a/deep"));
  EXPECT_TRUE(ph_h5_exists(file, "/data/a/deep"));
  EXPECT_FALSE(ph_h5_exists(file, "data/x/deep"));
  EXPECT_FALSE(ph_h5_exists(file, "data/aa/deep"));
  EXPECT_FALSE(ph_h5_exists(file, ""));
  OK(ph_h5_remove(file, "data/a"));
  OK(ph_h5_remove(file, "data/a"));
  EXPECT_FALSE(ph_h5_exists(file, "data/a"));
  EXPECT_EQ(PH_ENOTFOUND, ph_h5_group(&group, file, "data/a"));
  OK(ph_h5_finish(file, path.c_str()));
}

TEST_F(H5, WholeDatasetsAreChecked) {
  hid_t file;
  void *data;
  size_t size;
  std::string text(5000, 'q');
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_put_bytes(file, "xml", text.data(), text.size()));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_read_all(&data, &size, file, "xml", 5000));
  EXPECT_EQ(text, std::string((char *)data, size));
  EXPECT_EQ(0, ((char *)data)[size]);
  free(data);
  EXPECT_EQ(PH_EFORMAT, ph_h5_read_all(&data, &size, file, "xml", 4999));
  EXPECT_EQ(nullptr, data);
  ph_h5_close(file);
  std::string bytes = bytes_of(path);
  bytes[bytes.find("qqqq") + 100] ^= 1;
  write_bytes(path, bytes);
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_EQ(PH_ECORRUPT, ph_h5_read_all(&data, &size, file, "xml", 5000));
  EXPECT_TRUE(says("xml"));
  ph_h5_close(file);
}

TEST_F(H5, StringsComeBackPadded) {
  hid_t file;
  void *data;
  size_t size;
  char a[] = "ab", b[] = "", c[] = "cde";
  char *const text[] = {a, b, c};
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_put_strings(file, "names/x", text, 3));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_read_all(&data, &size, file, "names/x", 100));
  EXPECT_EQ(std::string("ab\0\0\0\0cde", 9), std::string((char *)data, size));
  free(data);
  ph_h5_close(file);
}

static ph_entry entry(const char *id, int64_t actions) {
  ph_entry e{};
  strcpy(e.id, id);
  strcpy(e.seed, "18446744073709551615");
  strcpy(e.determinism, "bitwise");
  memset(e.model_sha256, 'a', 64);
  e.actions = actions;
  e.states = actions + 1;
  e.env_id = 3;
  e.episode = 1LL << 40;
  e.success = -1;
  e.end_reason = PH_END_NAN;
  return e;
}

TEST_F(H5, IndexComesBack) {
  hid_t file;
  ph_entry in[2] = {entry("demo_0", 7), entry("demo_1", 8)}, *out;
  size_t n;
  OK(ph_h5_create(&file, path.c_str()));
  EXPECT_EQ(PH_ENOTFOUND, ph_h5_index(&out, &n, file));
  OK(ph_h5_put_index(file, in, 2));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_index(&out, &n, file));
  ASSERT_EQ(2u, n);
  strcpy(in[1].group, "/data/demo_1");
  EXPECT_EQ(0, memcmp(&in[1], &out[1], sizeof in[1]));
  free(out);
  ph_h5_close(file);
  std::string bytes = bytes_of(path);
  bytes[bytes.find("demo_1") + 5] = '2';
  write_bytes(path, bytes);
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_EQ(PH_ECORRUPT, ph_h5_index(&out, &n, file));
  ph_h5_close(file);
}

TEST_F(H5, ForeignIndexIsNotOurs) {
  hid_t file = foreign();
  double x = 1;
  dataset(file, "index", H5T_IEEE_F64LE, {1}, &x);
  H5Fclose(file);
  ph_entry *out;
  size_t n;
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_EQ(PH_EFORMAT, ph_h5_index(&out, &n, file));
  ph_h5_close(file);
}

TEST_F(H5, TheSameContentGivesTheSameBytes) {
  std::string bytes[2];
  for (int i = 0; i < 2; i++) {
    std::string name = dir / std::to_string(i);
    hid_t file, d;
    int64_t dim[2] = {10, 2};
    std::vector<double> x(20, 0.5);
    OK(ph_h5_create(&file, name.c_str()));
    OK(ph_h5_put_string(file, "format", "playhead"));
    OK(ph_h5_dataset_create(&d, file, "data/demo_0/x", PH_F64, 2, dim, false));
    OK(ph_h5_write(d, PH_F64, 0, 10, x.data()));
    ph_h5_close(d);
    OK(ph_h5_finish(file, name.c_str()));
    bytes[i] = bytes_of(name);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST_F(H5, ObjectsCarryNoTimes) {
  hid_t file, group;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_group_create(&group, file, "data/demo_0"));
  OK(ph_h5_put_bytes(group, "x", "y", 1));
  for (const char *name : {"/", "/data", "/data/demo_0", "/data/demo_0/x"}) {
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    hid_t list = H5Iget_type(object) == H5I_DATASET ? H5Dget_create_plist(object)
                                                    : H5Gget_create_plist(object);
    hbool_t times = 1;
    EXPECT_GE(H5Pget_obj_track_times(list, &times), 0);
    EXPECT_FALSE(times) << name;
    H5Pclose(list);
    H5Oclose(object);
  }
  ph_h5_close(group);
  OK(ph_h5_finish(file, path.c_str()));
}

/* --- foreign types --------------------------------------------------------------------------- */

TEST_F(H5, OtherNumberTypesAreConverted) {
  hid_t file = foreign();
  float f[3] = {1.5f, -2, 3};
  int16_t s[3] = {-1, 2, 3};
  int8_t flags[3] = {0, 1, 1};
  hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
  int8_t no = 0, yes = 1;
  H5Tenum_insert(boolean, "FALSE", &no);
  H5Tenum_insert(boolean, "TRUE", &yes);
  dataset(file, "be", H5T_IEEE_F32BE, {3}, f, H5P_DEFAULT, H5T_NATIVE_FLOAT);
  dataset(file, "i16", H5T_STD_I16LE, {3}, s);
  dataset(file, "bool", boolean, {3}, flags);
  H5Tclose(boolean);
  H5Fclose(file);
  ph_h5_array info;
  hid_t d;
  double x[3];
  uint8_t b[3];
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_dataset(&d, &info, file, "be"));
  EXPECT_EQ(PH_F32, info.type);
  EXPECT_FALSE(info.native);
  OK(ph_h5_read(d, &info, PH_F64, 0, 3, x));
  EXPECT_EQ(-2, x[1]);
  ph_h5_close(d);
  OK(ph_h5_dataset(&d, &info, file, "i16"));
  EXPECT_EQ(PH_I32, info.type);
  OK(ph_h5_read(d, &info, PH_F64, 0, 3, x));
  EXPECT_EQ(-1, x[0]);
  EXPECT_NE(PH_OK, ph_h5_read(d, &info, PH_STRING, 0, 3, x));
  ph_h5_close(d);
  OK(ph_h5_dataset(&d, &info, file, "bool"));
  EXPECT_EQ(PH_U8, info.type);
  EXPECT_FALSE(info.native);
  OK(ph_h5_read(d, &info, PH_U8, 0, 3, b));
  EXPECT_EQ(0, b[0]);
  EXPECT_EQ(1, b[2]);
  ph_h5_close(d);
  ph_h5_close(file);
}

TEST_F(H5, VariableLengthAttributesOfForeignFilesAreRead) {
  hid_t file = foreign();
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t attr = H5Acreate2(file, "env_args", type, space, H5P_DEFAULT, H5P_DEFAULT);
  const char *text = "{\"env_name\": \"Lift\"}";
  H5Awrite(attr, type, &text);
  H5Aclose(attr);
  H5Fclose(file);
  char *got;
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_attr_text(file, "env_args", &got));
  EXPECT_STREQ(text, got);
  free(got);
  ph_h5_close(file);
  /* The same in a file that says it is ours: we never write such. */
  file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  OK(ph_h5_put_string(file, "format", "playhead"));
  H5Fclose(file);
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_EQ(PH_EREFUSED, ph_h5_attr_text(file, "env_args", &got));
  EXPECT_EQ(nullptr, got);
  ph_h5_close(file);
  H5Tclose(type);
  H5Sclose(space);
}

/* --- manners --------------------------------------------------------------------------------- */

TEST_F(H5, ReadingLocksNothing) {
  hid_t file, again;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_finish(file, path.c_str()));
  int fd = open(path.c_str(), O_RDWR);
  ASSERT_EQ(0, flock(fd, LOCK_EX | LOCK_NB));
  OK(ph_h5_open(&file, path.c_str()));
  ASSERT_EQ(0, flock(fd, LOCK_UN));
  ASSERT_EQ(0, flock(fd, LOCK_EX | LOCK_NB)) << "an open file holds no lock";
  OK(ph_h5_open(&again, path.c_str()));
  ph_h5_close(again);
  ph_h5_close(file);
  close(fd);
}

TEST_F(H5, DescriptorsAreNotInherited) {
  hid_t file;
  OK(ph_h5_create(&file, path.c_str()));
  EXPECT_TRUE(fcntl(ph_h5_fd(file), F_GETFD) & FD_CLOEXEC);
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  EXPECT_TRUE(fcntl(ph_h5_fd(file), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(O_RDONLY, fcntl(ph_h5_fd(file), F_GETFL) & O_ACCMODE);
  ph_h5_close(file);
  EXPECT_EQ(-1, ph_h5_fd(H5I_INVALID_HID));
}

static herr_t host_printer(hid_t, void *calls) {
  return ++*static_cast<int *>(calls), 0;
}

TEST_F(H5, TheHostsSettingsAreLeftAlone) {
  H5E_auto2_t before, after;
  void *data;
  unsigned plugins = 0;
  int calls = 0;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, host_printer, &calls);
  H5PLset_loading_state(H5PL_ALL_PLUGIN);
  locale_t locale = uselocale((locale_t)0);
  hid_t file;
  write_bytes(path, "no HDF5");
  testing::internal::CaptureStderr();
  EXPECT_EQ(PH_EFORMAT, ph_h5_open(&file, path.c_str()));
  EXPECT_EQ("", testing::internal::GetCapturedStderr());
  EXPECT_EQ(0, calls) << "the library's own printing is off inside";
  EXPECT_EQ(locale, uselocale((locale_t)0));
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ((void *)host_printer, (void *)after);
  H5PLget_loading_state(&plugins);
  EXPECT_EQ((unsigned)H5PL_ALL_PLUGIN, plugins & H5PL_ALL_PLUGIN);
  H5Eset_auto2(H5E_DEFAULT, before, nullptr);
}

TEST_F(H5, ThreadsTakeTurns) {
  hid_t file;
  OK(ph_h5_create(&file, path.c_str()));
  std::string text(3000, 'z');
  OK(ph_h5_put_bytes(file, "x", text.data(), text.size()));
  OK(ph_h5_finish(file, path.c_str()));
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; i++) {
        hid_t f;
        void *data = nullptr;
        size_t size;
        if (ph_h5_open(&f, path.c_str()))
          continue;
        good += ph_h5_read_all(&data, &size, f, "x", 5000) == PH_OK && size == text.size() &&
                !memcmp(data, text.data(), size);
        free(data);
        ph_h5_close(f);
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(400, good);
}

TEST_F(H5, ErrorsAreOneLineWithFileAndObject) {
  hid_t file, group;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_group_create(&group, file, "data/demo_0"));
  ph_h5_array info;
  hid_t d;
  EXPECT_EQ(PH_ENOTFOUND, ph_h5_dataset(&d, &info, group, "playhead/x"));
  EXPECT_EQ(path + ": /data/demo_0: playhead: there is no such object", ph_error());
  ph_h5_close(group);
  OK(ph_h5_finish(file, path.c_str()));
}

// Either of the two would make looking at n objects take n^2.
TEST_F(H5, ClosingAnObjectWalksLittleMetadata) {
  hid_t file;
  OK(ph_h5_create(&file, path.c_str()));
  OK(ph_h5_finish(file, path.c_str()));
  OK(ph_h5_open(&file, path.c_str()));
  hid_t access = H5Fget_access_plist(file);
  hbool_t evicts = true;
  H5AC_cache_config_t kept = {};
  kept.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  EXPECT_GE(H5Pget_evict_on_close(access, &evicts), 0);
  EXPECT_FALSE(evicts);
  ASSERT_GE(H5Fget_mdc_config(file, &kept), 0);
  EXPECT_LE(kept.max_size, (size_t)1 << 20);
  H5Pclose(access);
  ph_h5_close(file);
}

// Bytes that are kept are those of the file, wherever they begin and end.
TEST_F(H5, AWindowGivesWhatTheFileHas) {
  std::vector<unsigned char> bytes(100001);
  for (size_t i = 0; i < bytes.size(); i++)
    bytes[i] = (unsigned char)(i * 7 + i / 251);
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ((ssize_t)bytes.size(), write(fd, bytes.data(), bytes.size()));
  ph_h5_window window = {};
  window.fd = fd;
  uint64_t at = 1;
  for (size_t size : {1, 34, 512, 4096, 8191, 8192, 8193, 30000})
    for (int i = 0; i < 200; i++) {
      at = (at * 6364136223846793005u + 1442695040888963407u) % (bytes.size() + 5000);
      std::vector<unsigned char> out(size, 0);
      size_t there = at < bytes.size() ? std::min(size, bytes.size() - (size_t)at) : 0;
      ASSERT_EQ(there, ph_h5_window_read(&window, at, out.data(), size)) << at << " " << size;
      if (there < size) {
        ASSERT_EQ(0, errno);
      }
      ASSERT_EQ(0, memcmp(out.data(), bytes.data() + (there ? at : 0), there)) << at << " " << size;
    }
  EXPECT_EQ(0u, ph_h5_window_read(&window, UINT64_MAX - 3, bytes.data(), 8));
  EXPECT_NE(0, errno);
  close(fd);
}
