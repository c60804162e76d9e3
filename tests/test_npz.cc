/* Reading and writing archives of NumPy, against bytes made by hand and against NumPy itself. */
#include <cmath>
#include <limits>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npz_help.h"

using namespace npz;

struct Npz : ::testing::Test {
  Folder folder;
  std::string path = folder / "a.npz";

  void put(const std::vector<Member> &members) { write_bytes(path, zip(members)); }
  /* The one array of a new archive. */
  std::vector<double> values(const std::string &npy, bool deflate = false) {
    put({{"x.npy", npy, deflate}});
    Open z(path);
    EXPECT_EQ(PH_OK, z.status) << ph_error();
    return z.numbers("x");
  }
  /* Why it cannot be read as numbers. */
  std::string why(const Member &member) {
    put({member});
    Open z(path);
    EXPECT_EQ(PH_OK, z.status) << ph_error();
    EXPECT_EQ(1u, ph_npz_count(z.npz));
    const ph_npy *info = ph_npz_info(z.npz, 0);
    double *data = nullptr;
    EXPECT_EQ(!info->why[0], info->numeric);
    if (!info->numeric) {
      EXPECT_EQ(PH_EFORMAT, ph_npz_numbers(&data, z.npz, 0, 1 << 20));
      EXPECT_NE(nullptr, strstr(ph_error(), info->why)) << ph_error();
    }
    return info->why;
  }
  std::string refusal() {
    Open z(path);
    EXPECT_EQ(PH_EFORMAT, z.status);
    EXPECT_EQ(nullptr, z.npz);
    EXPECT_EQ(0u, std::string(ph_error()).find(path + ": ")) << ph_error();
    return std::string(ph_error()).substr(std::min(strlen(ph_error()), path.size() + 2));
  }
};

/* --- elements --- */

TEST_F(Npz, EveryTypeIsReadInBothByteOrders) {
  const struct {
    const char *descr, *type, *bytes;
    ph_type stored;
    double value;
  } cases[] = {
      {"|b1", "bool", "01", PH_U8, 1},
      {"|i1", "int8", "fe", PH_I32, -2},
      {"|u1", "uint8", "fe", PH_U8, 254},
      {"<i1", "int8", "80", PH_I32, -128},
      {"<i2", "int16", "feff", PH_I32, -2},
      {">i2", "int16", "fffe", PH_I32, -2},
      {"<u2", "uint16", "feff", PH_U32, 65534},
      {">u2", "uint16", "fffe", PH_U32, 65534},
      {"<i4", "int32", "00000080", PH_I32, -2147483648.0},
      {">i4", "int32", "80000000", PH_I32, -2147483648.0},
      {"<u4", "uint32", "00000080", PH_U32, 2147483648.0},
      {">u4", "uint32", "80000000", PH_U32, 2147483648.0},
      {"<i8", "int64", "feffffffffffffff", PH_I64, -2},
      {">i8", "int64", "fffffffffffffffe", PH_I64, -2},
      {"<u8", "uint64", "0000000000000080", PH_I64, 9223372036854775808.0},
      {">u8", "uint64", "8000000000000000", PH_I64, 9223372036854775808.0},
      {"<f2", "float16", "003c", PH_F32, 1},
      {">f2", "float16", "c000", PH_F32, -2},
      {"<f2", "float16", "0100", PH_F32, 0x1p-24},
      {"<f2", "float16", "ff83", PH_F32, -1023 * 0x1p-24},
      {"<f2", "float16", "ff7b", PH_F32, 65504},
      {"<f2", "float16", "00fc", PH_F32, -INFINITY},
      {"<f4", "float32", "0000c03f", PH_F32, 1.5},
      {">f4", "float32", "3fc00000", PH_F32, 1.5},
      {"<f8", "float64", "9a9999999999b93f", PH_F64, 0.1},
      {">f8", "float64", "3fb999999999999a", PH_F64, 0.1},
  };
  for (auto &c : cases) {
    std::string bytes;
    for (size_t i = 0; c.bytes[i]; i += 2)
      bytes += (char)std::stoi(std::string(c.bytes + i, 2), nullptr, 16);
    for (bool deflate : {false, true}) {
      put({{"x.npy", array(c.descr, "(2,)", bytes + bytes), deflate}});
      Open z(path);
      OK(z.status);
      EXPECT_STREQ(c.type, z["x"].type);
      EXPECT_STREQ(c.descr, z["x"].descr);
      EXPECT_EQ(c.stored, z["x"].stored) << c.descr;
      EXPECT_EQ((std::vector<double>{c.value, c.value}), z.numbers("x")) << c.descr << c.bytes;
    }
  }
  std::vector<double> nan = values(array("<f2", "(1,)", std::string("\x01\x7e", 2)));
  EXPECT_TRUE(nan.size() == 1 && std::isnan(nan[0]));
}

TEST_F(Npz, Float64KeepsItsBits) {
  std::vector<uint64_t> bits = {0x7ff4dead0000beef, 0x8000000000000000, 1, 0xfff0000000000000};
  std::vector<double> got = values(array("<f8", "(4,)", raw(bits)), true);
  ASSERT_EQ(4u, got.size());
  EXPECT_EQ(0, memcmp(bits.data(), got.data(), 32));
  for (auto &b : bits)
    b = __builtin_bswap64(b);
  got = values(array(">f8", "(2, 2)", raw(bits)));
  for (auto &b : bits)
    b = __builtin_bswap64(b);
  ASSERT_EQ(4u, got.size());
  EXPECT_EQ(0, memcmp(bits.data(), got.data(), 32));
}

TEST_F(Npz, ColumnMajorArraysComeRowMajor) {
  std::vector<int32_t> v;
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 2; i++)
        v.push_back(100 * i + 10 * j + k);
  std::vector<double> got = values(array("<i4", "(2, 3, 4)", raw(v), "True"));
  ASSERT_EQ(24u, got.size());
  for (int i = 0, n = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++, n++)
        EXPECT_EQ(100 * i + 10 * j + k, got[(size_t)n]);
}

TEST_F(Npz, LongColumnMajorArraysGoOverBlocks) {
  std::vector<float> v;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 50000; i++)
      v.push_back((float)(i * 4 + j));
  put({{"x.npy", array("<f4", "(50000, 3)", raw(v), "True"), true}});
  Open z(path);
  std::vector<double> got = z.numbers("x", nullptr, 1200000);
  ASSERT_EQ(150000u, got.size());
  for (int i = 0; i < 50000; i++)
    for (int j = 0; j < 3; j++)
      ASSERT_EQ(i * 4 + j, got[(size_t)(3 * i + j)]);
}

TEST_F(Npz, ScalarsAndEmptyArrays) {
  EXPECT_EQ(std::vector<double>{1}, values(array("|b1", "()", std::string(1, 1))));
  EXPECT_TRUE(values(array("<f8", "(0,)", "")).empty());
  put({{"x.npy", array("<f8", "(3, 0, 7)", "")}});
  Open z(path);
  EXPECT_EQ(3, z["x"].rank);
  EXPECT_EQ(7, z["x"].dim[2]);
  EXPECT_TRUE(z["x"].numeric);
  EXPECT_TRUE(z.numbers("x").empty());
}

TEST_F(Npz, ALimitIsKept) {
  put({{"x.npy", array("|u1", "(5,)", "12345")}});
  Open z(path);
  ph_status status;
  EXPECT_EQ(5u, z.numbers("x", nullptr, 40).size());
  z.numbers("x", &status, 39);
  EXPECT_EQ(PH_EREFUSED, status) << "five doubles are 40 bytes";
}

TEST_F(Npz, TextIsReadAndEscaped) {
  std::vector<uint32_t> wide = {'L', 0xfc, 0x20ac, 0x1f600, 0x110000, 10, 0, 0}, big = wide;
  for (auto &c : big)
    c = __builtin_bswap32(c);
  put({{"u.npy", array("<U8", "()", raw(wide))},
       {"b.npy", array(">U8", "()", raw(big))},
       {"s.npy", array("|S6", "(1,)", std::string("Lift\0\0", 6))},
       {"two.npy", array("|S1", "(2,)", "ab")},
       {"n.npy", array("|u1", "()", "x")},
       {"none.npy", array("<U0", "()", "")}});
  Open z(path);
  OK(z.status);
  EXPECT_EQ("L\u00fc\u20ac\U0001f600\ufffd\\x0a", z.text("u"));
  EXPECT_EQ(z.text("u"), z.text("b"));
  EXPECT_EQ("Lift", z.text("s"));
  EXPECT_EQ("Li", z.text("s", 3)) << "cut to size";
  EXPECT_EQ("", z.text("none"));
  EXPECT_EQ(0u, z.text("two").find("error: " + path + ": two: it is not one text"));
  EXPECT_EQ(0u, z.text("n").find("error: "));
  EXPECT_STREQ("text", z["u"].type);
  EXPECT_FALSE(z["u"].numeric);
}

/* --- headers --- */

TEST_F(Npz, HeadersOfOtherWritersAreUnderstood) {
  const char *good[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
      "{'shape': (2,3,), 'fortran_order':False, 'descr':'<f8'}",
      " {\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (2L, 3L)}  ",
  };
  std::string data = raw(std::vector<double>(6, 1.5));
  for (auto text : good)
    for (int version : {1, 2, 3})
      EXPECT_EQ(std::vector<double>(6, 1.5), values(npy(text, data, version))) << text;
}

TEST_F(Npz, HeadersThatNumPyDoesNotWriteAreRefused) {
  const char *bad[] = {
      "",
      "{}",
      "{'descr': '<f8', 'fortran_order': False}",
      "{'descr': '<f8', 'shape': (2,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': 2}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1+1,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2.0,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
      "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x",
      "{'descr': '<f8, 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f\\x38', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f8<f8<f8<f8<f8<f8<f8<f8', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (2,)}",
      "{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}{}",
  };
  std::string data(16, 0);
  for (auto text : bad)
    EXPECT_EQ("its header is none that NumPy writes", why({"x.npy", npy(text, data)})) << text;
}

TEST_F(Npz, TypesThatAreNoNumbersAreNamed) {
  const struct {
    const char *descr, *type, *why;
  } cases[] = {
      {"|O", "object", "its elements are pickled Python objects"},
      {"|O8", "object", "its elements are pickled Python objects"},
      {"<c16", "complex128", "its elements are complex numbers"},
      {"<c8", "complex64", "its elements are complex numbers"},
      {"<f16", "float128", "its elements are of an unusual width"},
      {"<M8[ns]", "datetime", "its elements are times of the calendar"},
      {"|V4", "record", "its elements are records"},
      {"|S2", "text", "its elements are text"},
      {"=f8", "unknown", "its elements are of a type that is not known"},
      {"f8", "unknown", "its elements are of a type that is not known"},
      {"|f8", "float64", "its elements are of an unusual width"},
      {"<i3", "unknown", "its elements are of a type that is not known"},
      {"<", "unknown", "its elements are of a type that is not known"},
  };
  for (auto &c : cases) {
    EXPECT_EQ(c.why, why({"x.npy", array(c.descr, "(0,)", "")})) << c.descr;
    Open z(path);
    EXPECT_STREQ(c.type, z["x"].type) << c.descr;
    EXPECT_STREQ(c.descr, z["x"].descr);
    EXPECT_FALSE(z["x"].numeric);
  }
  EXPECT_EQ("its elements are records",
            why({"x.npy", npy("{'descr': [('a', '<f8'), (\"b\", '|O', (2, 3))], "
                              "'fortran_order': False, 'shape': (2,)}",
                              "")}));
  EXPECT_EQ("it has 5 dimensions", why({"x.npy", array("|u1", "(1, 1, 1, 1, 1)", "x")}));
}

TEST_F(Npz, NoLengthIsBelieved) {
  std::string sixteen(16, 0);
  EXPECT_EQ("its shape takes 24 bytes, and 16 are there",
            why({"x.npy", array("<f8", "(3,)", sixteen)}));
  EXPECT_EQ("its shape takes 8 bytes, and 16 are there",
            why({"x.npy", array("<f8", "(1,)", sixteen)}));
  EXPECT_EQ("its shape takes 40 bytes, and 16 are there",
            why({"x.npy", array("<U5", "(2,)", sixteen)}));
  EXPECT_EQ("it has more elements than can be read",
            why({"x.npy", array("<f8", "(4294967296, 4294967296)", sixteen)}));
  EXPECT_EQ("it has more elements than can be read",
            why({"x.npy", array("|u1", "(2147483649,)", sixteen)}));
  EXPECT_EQ("it has more elements than can be read",
            why({"x.npy", array("|u1", "(0, 9223372036854775807, 3)", "")}));
  EXPECT_EQ("it does not begin as an array of NumPy", why({"x.npy", "PNG, and more of it"}));
  EXPECT_EQ("it does not begin as an array of NumPy", why({"x.npy", ""}));
  EXPECT_EQ("its header is of a version that is not known",
            why({"x.npy", npy(dict("<f8", "(2,)"), sixteen, 4)}));
  std::string whole = array("<f8", "(2,)", sixteen), v2 = npy(dict("<f8", "(2,)"), sixteen, 2);
  EXPECT_EQ("it ends within its header", why({"x.npy", whole.substr(0, 60)}));
  EXPECT_EQ("it ends within its header", why({"x.npy", v2.substr(0, 11)}));
  v2[10] = 2;
  EXPECT_EQ("its header is longer than any that is read", why({"x.npy", v2}));
}

TEST_F(Npz, WhatTheArchiveSaysIsCheckedToo) {
  std::string one = array("<f8", "(2,)", std::string(16, 0));
  EXPECT_EQ("the archive states two sizes for it", why({"x.npy", one, false, 1000}));
  EXPECT_EQ("it would unpack to more than its bytes can hold",
            why({"x.npy", one, true, 2000000000}));
  EXPECT_EQ("it is packed in a way that NumPy does not use",
            why({"x.npy", one, false, -1, -1, -1, 12}));
  EXPECT_EQ("it is encrypted", why({"x.npy", one, false, -1, -1, -1, -1, 1}));
  EXPECT_EQ("it is no array", why({"notes.txt", "hello"}));
  EXPECT_EQ("its name is too long", why({std::string(200, 'n') + ".npy", one}));
}

TEST_F(Npz, OneBadMemberLeavesTheOthers) {
  std::string one = array("<f8", "(2,)", std::string(16, 1)), two = array("|u1", "(1,)", "7");
  put({{"folder/", ""},
       {"a/b.c.npy", one},
       {"bad.npy", "junk and junk"},
       {"x.npy", one},
       {"x.npy", two},
       {"last.npy", two, true}});
  Open z(path);
  OK(z.status);
  ASSERT_EQ(5u, ph_npz_count(z.npz)) << "a folder is none";
  EXPECT_STREQ("a/b.c", ph_npz_info(z.npz, 0)->name);
  EXPECT_STREQ("damaged", ph_npz_info(z.npz, 1)->type);
  EXPECT_EQ(2u, z.numbers("x").size());
  EXPECT_STREQ("an array before it has the same name", ph_npz_info(z.npz, 3)->why);
  EXPECT_EQ(std::vector<double>{'7'}, z.numbers("last"));
  EXPECT_EQ(SIZE_MAX, ph_npz_find(z.npz, "none"));
}

TEST_F(Npz, AChecksumThatDoesNotHoldGivesNothing) {
  std::string one = array("<f8", "(2,)", std::string(16, 1)), text = array("|S2", "()", "ab");
  for (bool deflate : {false, true}) {
    put({{"x.npy", one, deflate, -1, -1, 12345}, {"t.npy", text, deflate, -1, -1, 12345}});
    Open z(path);
    OK(z.status);
    ph_status status;
    z.numbers("x", &status);
    EXPECT_EQ(PH_ECORRUPT, status);
    EXPECT_EQ(path + ": x: it is damaged: CRC error", ph_error());
    EXPECT_EQ(PH_ECORRUPT, ph_npz_check(z.npz, 0));
    EXPECT_EQ("error: " + path + ": t: it is damaged: CRC error", z.text("t"));
  }
  put({{"x.npy", one}, {"o.npy", array("|O", "(3,)", "pickle"), true}});
  Open z(path);
  OK(ph_npz_check(z.npz, 0));
  OK(ph_npz_check(z.npz, 1));
}

/* --- files that are no archive --- */

TEST_F(Npz, FilesThatAreNoArchiveAreNamed) {
  write_bytes(path, "");
  EXPECT_EQ("the file is empty", refusal());
  write_bytes(path, "hello, this is a text");
  EXPECT_EQ("it is not a ZIP archive", refusal());
  write_bytes(path, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n");
  EXPECT_EQ("a Git LFS pointer stands here instead of the file: git lfs pull", refusal());
  write_bytes(path, zip({{"x.npy", array("|u1", "(1,)", "7")}}).substr(0, 150));
  EXPECT_EQ("it was not written to the end: its list of arrays is missing", refusal());
  unlink(path.c_str());
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  EXPECT_EQ("it is not a regular file", refusal());
  Open none(folder / "none.npz"), dir(folder.path);
  EXPECT_EQ(PH_EIO, none.status);
  EXPECT_EQ(PH_EFORMAT, dir.status);
}

TEST_F(Npz, AListThatClaimsTooMuchTakesNoMemory) {
  std::string good = zip({{"x.npy", array("|u1", "(1,)", "7")}});
  size_t end = good.size() - 22, list = good.find("PK\1\2");
  std::string size64 = le(end - list, 8), at64 = le(list, 8);
  std::string end64 = "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 8) + le(1ull << 33, 8) +
                      le(1ull << 33, 8) + size64 + at64;
  std::string locator = "PK\6\7" + le(0, 4) + le(end, 8) + le(1, 4);
  write_bytes(path, good.substr(0, end) + end64 + locator + "PK\5\6" + le(0, 4) + le(65535, 2) +
                        le(65535, 2) + le(0xffffffff, 4) + le(0xffffffff, 4) + le(0, 2));
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  Open z(path);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_NE(PH_OK, z.status);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 200000);
}

/* --- damage --- */

/* All that can be read of an archive is what was written, whatever its name is now. */
static void expect_originals(const std::string &path, const std::set<std::string> &originals,
                             const std::string &what) {
  ph_npz *z = nullptr;
  if (ph_npz_open(&z, path.c_str()) != PH_OK) {
    ASSERT_EQ(nullptr, z);
    ASSERT_NE('\0', ph_error()[0]);
    return;
  }
  for (size_t i = 0; i < ph_npz_count(z); i++) {
    double *data = nullptr;
    if (ph_npz_numbers(&data, z, i, 1 << 20) == PH_OK) {
      std::string got((const char *)data, ph_npz_info(z, i)->count * 8);
      EXPECT_EQ(1u, originals.count(got)) << what << ": " << ph_npz_info(z, i)->name;
    }
    free(data);
  }
  ph_npz_close(z);
}

struct Damage : Npz {
  std::string whole;
  std::set<std::string> originals;

  void SetUp() override {
    std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {7, 8};
    whole = zip({{"states.npy", array("<f8", "(3, 2)", raw(a))},
                 {"b.npy", array("<f8", "(2,)", raw(b)), true},
                 {"env.npy", array("|S4", "()", "Lift")}});
    originals = {raw(a), raw(b)};
  }
};

TEST_F(Damage, EveryPrefixIsRefused) {
  for (size_t n = 0; n < whole.size(); n++) {
    write_bytes(path, whole.substr(0, n));
    Open z(path);
    ASSERT_NE(PH_OK, z.status) << n;
  }
  write_bytes(path, whole);
  expect_originals(path, originals, "whole");
}

TEST_F(Damage, AFlipOfAnyByteChangesNoNumber) {
  for (size_t i = 0; i < whole.size(); i++)
    for (int bit : {1 << i % 8, 0xff}) {
      std::string flipped = whole;
      flipped[i] = (char)(flipped[i] ^ bit);
      write_bytes(path, flipped);
      expect_originals(path, originals, "byte " + std::to_string(i));
    }
}
