/* The HDF5 door on files of others: names, kinds, types, attributes, old headers. */
#include "foreign_layouts.h"
#include "h5_fixture.h"

class H5Foreign : public H5 {
protected:
  hid_t file = H5I_INVALID_HID;
  void open() { ASSERT_EQ(PH_OK, ph_h5_open(&file, path.c_str())) << ph_error(); }
  void TearDown() override {
    ph_h5_close(file);
    H5::TearDown();
  }
  /* Why a dataset cannot be read as numbers. */
  std::string why(const char *name, ph_h5_array *info) {
    hid_t set;
    const char *text;
    ph_status status = ph_h5_dataset_any(&set, info, &text, file, name);
    EXPECT_EQ(PH_OK, status) << ph_error();
    ph_h5_close(set);
    return status ? "!" : text;
  }
  std::vector<double> numbers(const std::string &name) {
    hid_t set;
    const char *text;
    ph_h5_array info;
    std::vector<double> out;
    if (ph_h5_dataset_any(&set, &info, &text, file, name.c_str()) == PH_OK && !*text) {
      out.resize((size_t)(info.dim[0] * info.width));
      EXPECT_EQ(PH_OK, ph_h5_read(set, &info, PH_F64, 0, info.dim[0], out.data())) << ph_error();
    }
    ph_h5_close(set);
    return out;
  }
};

/* --- names and kinds --- */

TEST_F(H5Foreign, NamesOfAGroupWithoutAWordOnWhatTheyLeadTo) {
  for (bool latest : {false, true}) {
    {
      foreign::File f(path, latest);
      for (int i = 0; i < 300; i++)
        f.group("/data/demo_" + std::to_string(i));
      f.soft("/data/soft", "/nowhere");
      f.external("/data/out", "no.h5", "/x");
      f.group("/empty");
    }
    hid_t group;
    char **names;
    size_t n;
    open();
    OK(ph_h5_group(&group, file, "data"));
    OK(ph_h5_names(&names, &n, group));
    ASSERT_EQ(302u, n);
    EXPECT_STREQ("demo_0", names[0]);
    EXPECT_STREQ("demo_1", names[1]);
    EXPECT_STREQ("demo_10", names[2]);
    EXPECT_STREQ("soft", names[301]);
    ph_h5_names_free(names, n);
    ph_h5_close(group);
    OK(ph_h5_group(&group, file, "empty"));
    OK(ph_h5_names(&names, &n, group));
    EXPECT_EQ(0u, n);
    ph_h5_names_free(names, n);
    ph_h5_close(group);
    EXPECT_EQ(PH_EFORMAT, ph_h5_names(&names, &n, group)) << "closed";
    EXPECT_EQ(nullptr, names);
    ph_h5_close(file);
    file = H5I_INVALID_HID;
  }
}

static ph_status note_kind(void *arg, const char *name, ph_h5_kind kind) {
  (*static_cast<std::map<std::string, int> *>(arg))[name] = kind;
  return strcmp(name, "stop") == 0 ? PH_END : PH_OK;
}

TEST_F(H5Foreign, EveryLinkHasAKind) {
  {
    foreign::File f(path);
    f.group("/g");
    f.array("/set", foreign::F64, {2}, {1, 2});
    f.soft("/soft", "/set");
    f.external("/far", "other.h5", "/set");
    foreign::Id named(H5Tcopy(H5T_IEEE_F64LE), "type");
    H5Tcommit2(f.id(), "type", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    f.array("/torn", foreign::F64, {2}, {1, 2});
  }
  std::string bytes = bytes_of(path);
  hid_t set = H5I_INVALID_HID;
  H5O_info_t info;
  open();
  ASSERT_GE(H5Oget_info_by_name2(file, "torn", &info, H5O_INFO_BASIC, H5P_DEFAULT), 0);
  ph_h5_close(file);
  bytes[info.addr] = 77;
  write_bytes(path, bytes);
  open();
  std::map<std::string, int> kinds;
  OK(ph_h5_walk(file, note_kind, &kinds));
  std::map<std::string, int> expected = {{"g", PH_H5_GROUP},    {"set", PH_H5_DATASET},
                                         {"soft", PH_H5_LINK},  {"far", PH_H5_LINK},
                                         {"type", PH_H5_OTHER}, {"torn", PH_H5_BROKEN}};
  EXPECT_EQ(expected, kinds);
  ph_h5_array array;
  const char *text;
  EXPECT_EQ(PH_EFORMAT, ph_h5_dataset_any(&set, &array, &text, file, "torn"));
  EXPECT_EQ(PH_EREFUSED, ph_h5_dataset_any(&set, &array, &text, file, "soft"));
}

TEST_F(H5Foreign, AVisitorEndsTheWalk) {
  {
    foreign::File f(path);
    for (const char *name : {"/a", "/stop", "/z"})
      f.group(name);
  }
  open();
  std::map<std::string, int> kinds;
  EXPECT_EQ(PH_END, ph_h5_walk(file, note_kind, &kinds));
  EXPECT_EQ(2u, kinds.size());
}

/* --- types --- */

TEST_F(H5Foreign, NumbersOfEveryTypeAndOrder) {
  static const char *const names[] = {"float64", "float32", "float16", "int8",   "int16",  "int32",
                                      "int64",   "uint8",   "uint16",  "uint32", "uint64", "bool"};
  std::vector<double> values = {0, 1, 1, 0, 1, 0};
  foreign::Store big, packed;
  big.big_endian = true;
  packed.chunk_rows = 2;
  packed.gzip = 4;
  packed.shuffle = true;
  {
    foreign::File f(path);
    for (int i = foreign::F64; i <= foreign::BOOL; i++) {
      f.array("/little/" + std::string(names[i]), (foreign::Number)i, {3, 2}, values);
      f.array("/big/" + std::string(names[i]), (foreign::Number)i, {3, 2}, values, big);
      f.array("/packed/" + std::string(names[i]), (foreign::Number)i, {3, 2}, values, packed);
    }
    f.array("/half", foreign::F16, {2}, {0.5, -2.25});
    f.array("/wide", foreign::U64, {1}, {18446744073709549568.0});
    f.array("/short", foreign::I16, {2}, {-300, 300}, big);
  }
  open();
  for (const char *name : names)
    for (const char *below : {"/little/", "/big/", "/packed/"}) {
      ph_h5_array info;
      std::string at = std::string(below) + name;
      EXPECT_EQ("", why(at.c_str(), &info));
      EXPECT_STREQ(name, info.name);
      EXPECT_EQ(2, info.rank);
      EXPECT_EQ(2, info.width);
      EXPECT_EQ(values, numbers(at)) << at;
    }
  EXPECT_EQ((std::vector<double>{0.5, -2.25}), numbers("/half"));
  EXPECT_EQ((std::vector<double>{18446744073709549568.0}), numbers("/wide"));
  EXPECT_EQ((std::vector<double>{-300, 300}), numbers("/short"));
}

TEST_F(H5Foreign, WhatIsNotOfNumbersIsDescribedWithAReason) {
  {
    foreign::File f(path);
    f.texts("/text", {"a", "bcd"});
    f.texts("/fixed", {"a", "bcd"}, 8);
    foreign::Id pair(H5Tcreate(H5T_COMPOUND, 16), "pair"),
        list(H5Tvlen_create(H5T_NATIVE_INT), "l");
    hsize_t three = 3;
    foreign::Id small(H5Tarray_create2(H5T_NATIVE_INT, 1, &three), "small");
    H5Tinsert(pair, "a", 0, H5T_IEEE_F64LE);
    f.typed("/pair", pair, {5, 2}, nullptr);
    f.typed("/list", list, {5}, nullptr);
    f.typed("/small", small, {5}, nullptr);
    f.typed("/reference", H5T_STD_REF_OBJ, {5}, nullptr);
    f.array("/deep", foreign::U8, {5, 2, 1, 1, 7}, {});
    f.array("/one", foreign::F64, {}, {3.5});
    f.array("/thin", foreign::F64, {5, 0}, {});
    foreign::Id none(H5Screate(H5S_NULL), "none");
    H5Dclose(
        H5Dcreate2(f.id(), "none", H5T_IEEE_F64LE, none, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  ph_h5_array info;
  open();
  EXPECT_EQ("text, not numbers", why("text", &info));
  EXPECT_STREQ("string", info.name);
  EXPECT_EQ(2, info.dim[0]);
  EXPECT_EQ("text, not numbers", why("fixed", &info));
  EXPECT_EQ(PH_STRING, info.type);
  EXPECT_EQ(8u, info.string_size);
  EXPECT_EQ("records of several fields, which are not read", why("pair", &info));
  EXPECT_STREQ("compound", info.name);
  EXPECT_EQ(2, info.rank);
  EXPECT_EQ("rows of varying length, which are not read", why("list", &info));
  EXPECT_EQ("small arrays within an array, which are not read", why("small", &info));
  EXPECT_EQ("references, which are not followed", why("reference", &info));
  EXPECT_EQ("more than 4 dimensions", why("deep", &info));
  EXPECT_EQ(5, info.rank);
  EXPECT_EQ(5, info.dim[0]);
  EXPECT_EQ("it holds nothing", why("none", &info));
  EXPECT_EQ(0, info.dim[0]);
  EXPECT_EQ("", why("thin", &info));
  EXPECT_EQ(0, info.width);
  EXPECT_EQ("", why("one", &info));
  EXPECT_EQ(0, info.rank);
  EXPECT_EQ((std::vector<double>{3.5}), numbers("one"));
}

TEST_F(H5Foreign, BytesThatAreNeverReadAreNamed) {
  write_bytes(dir / "raw", std::string(16, 'x'));
  {
    foreign::File f(path);
    hsize_t chunk = 4, dim = 4;
    foreign::Id out(H5Pcreate(H5P_DATASET_CREATE), ""), plugin(H5Pcreate(H5P_DATASET_CREATE), ""),
        virt(H5Pcreate(H5P_DATASET_CREATE), ""), space(H5Screate_simple(1, &dim, nullptr), "");
    H5Pset_external(out, (dir / "raw").c_str(), 0, 16);
    H5Pset_chunk(plugin, 1, &chunk);
    H5Pset_filter(plugin, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);
    H5Pset_virtual(virt, space, "other.h5", "x", space);
    dataset(f.id(), "out", H5T_IEEE_F64LE, {2}, nullptr, out);
    dataset(f.id(), "plugin", H5T_NATIVE_INT, {4}, nullptr, plugin);
    dataset(f.id(), "virtual", H5T_NATIVE_INT, {4}, nullptr, virt);
  }
  ph_h5_array info;
  open();
  EXPECT_EQ("its bytes are in another file, which is never read", why("out", &info));
  EXPECT_EQ("compressed with blosc, which is never run", why("plugin", &info));
  EXPECT_EQ("a virtual dataset, which is never read", why("virtual", &info));
  EXPECT_EQ(4, info.dim[0]);
}

/* --- attributes --- */

TEST_F(H5Foreign, AttributesAsH5pyWritesThem) {
  std::string xml(100000, 'x');
  {
    foreign::File f(path);
    f.attr("/", "text", "some\nt\xc3\xa9xt");
    f.attr("/", "xml", xml);
    f.attr_fixed("/", "fixed", "twelve chars");
    f.attr("/", "true", true);
    f.attr("/", "false", false);
    f.attr("/", "half", 0.5);
    f.attr("/", "whole", 20.0);
    f.attr("/", "huge", 1e300);
    f.attr("/", "not", (double)NAN);
    f.attr("/", "count", -7);
    f.attr("/", "list", std::vector<double>{1, 2});
    uint16_t big = 0x0102;
    f.attr_raw("/", "big", H5T_STD_U16BE, &big);
  }
  char text[64], *whole;
  int64_t i = 0;
  double x = 0;
  open();
  OK(ph_h5_attr_text(file, "text", &whole));
  EXPECT_STREQ("some\nt\xc3\xa9xt", whole);
  free(whole);
  OK(ph_h5_attr_string(file, "text", text, sizeof text));
  EXPECT_STREQ("some\\x0at\xc3\xa9xt", text);
  OK(ph_h5_attr_text(file, "xml", &whole));
  EXPECT_EQ(xml, whole);
  free(whole);
  OK(ph_h5_attr_string(file, "xml", text, sizeof text));
  EXPECT_EQ(63u, strlen(text));
  OK(ph_h5_attr_text(file, "fixed", &whole));
  EXPECT_STREQ("twelve chars", whole);
  free(whole);
  OK(ph_h5_attr_i64(file, "true", &i));
  EXPECT_EQ(1, i);
  OK(ph_h5_attr_f64(file, "true", &x));
  EXPECT_EQ(1, x);
  OK(ph_h5_attr_i64(file, "false", &i));
  EXPECT_EQ(0, i);
  OK(ph_h5_attr_i64(file, "whole", &i));
  EXPECT_EQ(20, i);
  OK(ph_h5_attr_i64(file, "count", &i));
  EXPECT_EQ(-7, i);
  OK(ph_h5_attr_f64(file, "count", &x));
  EXPECT_EQ(-7, x);
  OK(ph_h5_attr_i64(file, "big", &i));
  EXPECT_EQ(0x0201, i);
  for (const char *name : {"half", "huge", "not", "text", "list"})
    EXPECT_EQ(PH_EFORMAT, ph_h5_attr_i64(file, name, &i)) << name;
  EXPECT_EQ(PH_EFORMAT, ph_h5_attr_f64(file, "list", &x));
  EXPECT_EQ(PH_EFORMAT, ph_h5_attr_text(file, "count", &whole));
  EXPECT_EQ(PH_ENOTFOUND, ph_h5_attr_text(file, "none", &whole));
}

/* --- damage --- */

TEST_F(H5Foreign, TextsOfBothKindsWithinALimit) {
  {
    foreign::File f(path);
    f.texts("/own", {"one", "", "three and more"});
    f.texts("/long", {std::string(4000, 'x')});
    f.texts("/cut", {"one  ", "", "three"}, 5);
    f.texts("/none", {});
    f.array("/numbers", foreign::F64, {2}, {1, 2});
  }
  open();
  auto texts = [&](const char *name, size_t limit) {
    char **text = nullptr;
    size_t n = 0;
    std::string out;
    ph_status status = ph_h5_texts(&text, &n, file, name, limit);
    if (status)
      return "status " + std::to_string(status);
    for (size_t i = 0; i < n; i++)
      out += std::string(text[i]) + "|";
    ph_h5_names_free(text, n);
    return out;
  };
  EXPECT_EQ("one||three and more|", texts("own", 1000));
  EXPECT_EQ("one||three|", texts("cut", 1000));
  EXPECT_EQ("", texts("none", 1000));
  EXPECT_EQ("status " + std::to_string(PH_EFORMAT), texts("numbers", 1000));
  EXPECT_TRUE(says("/numbers: it is no list of texts")) << ph_error();
  EXPECT_EQ("status " + std::to_string(PH_ENOTFOUND), texts("nothing", 1000));
  EXPECT_EQ("status " + std::to_string(PH_EREFUSED), texts("own", 23)) << "pointers alone are more";
  EXPECT_EQ("status " + std::to_string(PH_ECORRUPT), texts("long", 3000)) << "4000 bytes of text";
  EXPECT_EQ(4001u, texts("long", 5000).size());
}

TEST_F(H5Foreign, AnIndexOfChunksIsWalkedOnce) {
  foreign::Store packed;
  packed.chunk_rows = 4;
  packed.gzip = 1;
  {
    foreign::File f(path);
    f.array("/x", foreign::F64, {400, 2}, foreign::wave(800), packed);
    f.array("/flat", foreign::F64, {4}, foreign::wave(4));
  }
  hid_t set;
  ph_h5_array info;
  open();
  for (const char *name : {"x", "flat"}) {
    OK(ph_h5_dataset(&set, &info, file, name));
    OK(ph_h5_check_chunks(set));
    ph_h5_close(set);
  }
  ph_h5_close(file);
  std::string bytes = bytes_of(path);
  int nodes = 0;
  for (size_t at = bytes.find("TREE"); at != std::string::npos; at = bytes.find("TREE", at + 1))
    if (bytes[at + 4] == 1 && ++nodes)
      bytes[at] = 'X'; /* nodes of chunks, not of names */
  ASSERT_GE(nodes, 2);
  write_bytes(path, bytes);
  open();
  ASSERT_EQ(PH_OK, ph_h5_dataset(&set, &info, file, "x"));
  EXPECT_EQ(PH_ECORRUPT, ph_h5_check_chunks(set));
  EXPECT_TRUE(says("index of chunks")) << ph_error();
  ph_h5_close(set);
}

TEST_F(H5Foreign, OldHeadersMustMakeSense) {
  {
    foreign::File f(path);
    f.group("/data/demo_0");
    for (int i = 0; i < 30; i++)
      f.attr("/data/demo_0", "attribute_" + std::to_string(i), "some text");
    f.array("/data/demo_0/x", foreign::F64, {2}, {1, 2});
  }
  const std::string whole = bytes_of(path);
  H5O_info_t info;
  open();
  ASSERT_GE(H5Oget_info_by_name2(file, "data/demo_0", &info, H5O_INFO_BASIC, H5P_DEFAULT), 0);
  ph_h5_close(file);
  size_t at = info.addr;
  ASSERT_EQ(1, whole[at]) << "an old header";
  auto status_with = [&](size_t place, std::string bytes) {
    std::string damaged = whole;
    damaged.replace(place, bytes.size(), bytes);
    write_bytes(path, damaged);
    hid_t group = H5I_INVALID_HID;
    open();
    ph_status status = ph_h5_group(&group, file, "data/demo_0");
    ph_h5_close(group);
    ph_h5_close(file);
    file = H5I_INVALID_HID;
    return status;
  };
  EXPECT_EQ(PH_OK, status_with(at, "\x01"));
  EXPECT_EQ(PH_EFORMAT, status_with(at, "\x07"));
  EXPECT_TRUE(says("no header where its link points to")) << ph_error();
  EXPECT_EQ(PH_EFORMAT, status_with(at + 8, "\xff\xff\xff\x7f"));
  EXPECT_TRUE(says("no sensible size")) << ph_error();
  EXPECT_EQ(PH_EFORMAT, status_with(at + 8, std::string("\0\0\x80\0", 4)));
  EXPECT_TRUE(says("longer than its file")) << ph_error();
  EXPECT_EQ(PH_EFORMAT, status_with(at + 18, "\xf8\xff"));
  EXPECT_TRUE(says("longer than the header")) << ph_error();
  /* A header that goes on within itself, for ever. */
  std::string loop = std::string("\x10\0\x10\0\0\0\0\0", 8);
  uint64_t place[2] = {at + 16, 24};
  loop.append((const char *)place, sizeof place);
  EXPECT_EQ(PH_EFORMAT, status_with(at + 16, loop));
  EXPECT_TRUE(says("header")) << ph_error();
}
