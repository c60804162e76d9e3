/* Archives that playhead writes: as NumPy has them, and whole or not at all. */
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "npz_help.h"

using namespace npz;

struct Write : ::testing::Test {
  Folder folder;
  std::string path = folder / "a.npz";
  ph_npz_writer *writer = nullptr;

  void add(const char *name, ph_type type, const std::vector<int64_t> &dim, const void *data) {
    OK(ph_npz_add(writer, name, type, (int)dim.size(), dim.data(), data));
  }
  void TearDown() override { ph_npz_drop(writer); }
  ph_status finish() {
    ph_npz_writer *w = writer;
    writer = nullptr;
    return ph_npz_finish(w);
  }
  void one(const char *name = "x") {
    double value = 1.5;
    OK(ph_npz_create(&writer, path.c_str()));
    add(name, PH_F64, {1}, &value);
  }
};

TEST_F(Write, WhatIsWrittenIsReadBitForBit) {
  std::vector<uint64_t> bits = {0x7ff4dead0000beef, 0x8000000000000000, 1, 0x3fb999999999999a};
  std::vector<int64_t> i64 = {-3, 1ll << 40};
  std::vector<uint32_t> u32 = {0xfffffffe};
  std::vector<int32_t> i32 = {-7, 8, 9};
  std::vector<float> f32 = {1.5f, -2.5f};
  uint8_t u8 = 200;
  OK(ph_npz_create(&writer, path.c_str()));
  add("states", PH_F64, {2, 1, 2, 1}, bits.data());
  add("sub/long.name", PH_I64, {2}, i64.data());
  add("u32", PH_U32, {1, 1}, u32.data());
  add("i32", PH_I32, {1, 3}, i32.data());
  add("f32", PH_F32, {2}, f32.data());
  add("u8", PH_U8, {}, &u8);
  add("none", PH_F32, {0, 5}, nullptr);
  add("gr\u00fcn", PH_U8, {1}, &u8);
  OK(finish());
  EXPECT_EQ(std::vector<std::string>{"a.npz"}, folder.names());
  Open z(path);
  OK(z.status);
  EXPECT_STREQ("states", ph_npz_info(z.npz, 0)->name) << "in the order given";
  std::vector<double> got = z.numbers("states");
  ASSERT_EQ(4u, got.size());
  EXPECT_EQ(0, memcmp(bits.data(), got.data(), 32));
  EXPECT_EQ(4, z["states"].rank);
  EXPECT_EQ((std::vector<double>{-3, 1099511627776.0}), z.numbers("sub/long.name"));
  EXPECT_EQ(std::vector<double>{4294967294.0}, z.numbers("u32"));
  EXPECT_EQ((std::vector<double>{-7, 8, 9}), z.numbers("i32"));
  EXPECT_EQ((std::vector<double>{1.5, -2.5}), z.numbers("f32"));
  EXPECT_EQ(std::vector<double>{200}, z.numbers("u8"));
  EXPECT_EQ(5, z["none"].dim[1]);
  EXPECT_EQ(std::vector<double>{200}, z.numbers("gr\u00fcn"));
}

TEST_F(Write, HeadersAreAlignedAndTheSameArraysGiveTheSameBytes) {
  one();
  OK(finish());
  std::string bytes = bytes_of(path), head = "\x93NUMPY";
  size_t at = bytes.find(head);
  ASSERT_NE(std::string::npos, at);
  size_t length = (unsigned char)bytes[at + 8] + 256u * (unsigned char)bytes[at + 9];
  EXPECT_EQ(0u, (10 + length) % 64);
  EXPECT_EQ('\n', bytes[at + 10 + length - 1]);
  EXPECT_EQ(1, bytes[at + 6]);
  EXPECT_EQ(0u, bytes.find("PK\3\4"));
  EXPECT_EQ('\0', bytes[8]) << "stored";
  unlink(path.c_str());
  one();
  OK(finish());
  EXPECT_EQ(bytes, bytes_of(path));
}

TEST_F(Write, TheLongestHeaderHasItsPlace) {
  unsigned char head[PH_NPY_HEAD];
  int64_t most[4] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  EXPECT_EQ(192u, ph_npy_head(head, PH_F64, 4, most));
  EXPECT_EQ('\n', head[191]);
  EXPECT_EQ(128u, ph_npy_head(head, PH_U8, 0, nullptr)) << "65 bytes and a new line";
}

/* --- whole or not at all --- */

TEST_F(Write, NothingIsThereBeforeTheEnd) {
  one();
  EXPECT_NE(0, access(path.c_str(), F_OK));
  ph_npz_drop(writer);
  writer = nullptr;
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(Write, WhatIsThereStays) {
  write_bytes(path, "mine");
  EXPECT_EQ(PH_EEXIST, ph_npz_create(&writer, path.c_str()));
  EXPECT_EQ(nullptr, writer);
  unlink(path.c_str());
  ASSERT_EQ(0, symlink("nowhere", path.c_str()));
  EXPECT_EQ(PH_EEXIST, ph_npz_create(&writer, path.c_str())) << "a link to nothing is there too";
  unlink(path.c_str());
  one();
  write_bytes(path, "mine, written meanwhile");
  EXPECT_EQ(PH_EEXIST, finish());
  EXPECT_EQ("mine, written meanwhile", bytes_of(path));
  EXPECT_EQ(std::vector<std::string>{"a.npz"}, folder.names());
}

TEST_F(Write, TwoWritersDoNotMeet) {
  ph_npz_writer *other = nullptr;
  one();
  OK(ph_npz_create(&other, path.c_str()));
  uint8_t value = 1;
  OK(ph_npz_add(other, "y", PH_U8, 0, nullptr, &value));
  OK(finish());
  EXPECT_EQ(PH_EEXIST, ph_npz_finish(other));
  Open z(path);
  EXPECT_EQ(1u, z.numbers("x").size());
  EXPECT_EQ(std::vector<std::string>{"a.npz"}, folder.names());
}

TEST_F(Write, AFullDiskLeavesNothing) {
  std::vector<double> many(20000, 1);
  struct rlimit old, small = {};
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
  small.rlim_cur = 100000;
  small.rlim_max = old.rlim_max;
  OK(ph_npz_create(&writer, path.c_str()));
  add("x", PH_F64, {20000}, many.data());
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
  ph_status status = finish();
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(PH_EIO, status);
  EXPECT_EQ(path + ": cannot be written: File too large", ph_error());
  EXPECT_TRUE(folder.names().empty());
}

/* It can be written to, and not opened: its sync fails, and the archive is whole. */
TEST_F(Write, AFolderThatCannotBeSyncedKeepsTheArchive) {
  ASSERT_EQ(0, chmod(folder.path.c_str(), 0333));
  pid_t pid = fork();
  if (pid == 0) {
    if (getuid() == 0 && setuid(65534) != 0)
      _exit(10);
    one();
    _exit(finish() == PH_OK ? 0 : 1);
  }
  int how = 0;
  waitpid(pid, &how, 0);
  chmod(folder.path.c_str(), 0700);
  ASSERT_TRUE(WIFEXITED(how));
  if (WEXITSTATUS(how) == 10)
    GTEST_SKIP() << "no other user to be";
  EXPECT_EQ(0, WEXITSTATUS(how));
  EXPECT_EQ(std::vector<std::string>{"a.npz"}, folder.names());
  Open z(path);
  EXPECT_EQ(1u, z.numbers("x").size());
}

TEST_F(Write, AFolderThatIsNotThereIsSaid) {
  EXPECT_EQ(PH_EIO, ph_npz_create(&writer, (folder / "no/a.npz").c_str()));
  EXPECT_EQ(folder / "no/a.npz: cannot be created: No such file or directory", ph_error());
}

TEST_F(Write, NamesAndShapesAreChecked) {
  double value = 1;
  int64_t negative = -1, huge[2] = {1ll << 40, 1ll << 40};
  one();
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "x", PH_F64, 0, nullptr, &value)) << "twice";
  EXPECT_EQ(path + ": x: there is an array of that name already", ph_error());
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "", PH_F64, 0, nullptr, &value));
  EXPECT_EQ(PH_EINVAL,
            ph_npz_add(writer, std::string(128, 'n').c_str(), PH_F64, 0, nullptr, &value));
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "\xff\xfe", PH_F64, 0, nullptr, &value));
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "y", PH_STRING, 0, nullptr, &value));
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "y", PH_F64, 1, &negative, &value));
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "y", PH_F64, 2, huge, &value));
  EXPECT_EQ(PH_EINVAL, ph_npz_add(writer, "y", PH_F64, 5, huge, &value));
  OK(ph_npz_add(writer, std::string(127, 'n').c_str(), PH_F64, 0, nullptr, &value));
  OK(finish());
  Open z(path);
  EXPECT_EQ(2u, ph_npz_count(z.npz));
  EXPECT_EQ(1u, z.numbers(std::string(127, 'n')).size());
}

TEST_F(Write, AnArchiveOfNothingIsNotWritten) {
  OK(ph_npz_create(&writer, path.c_str()));
  EXPECT_EQ(PH_EINVAL, finish());
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(Write, MoreArraysThanAnOldArchiveHolds) {
  const int n = 66000;
  OK(ph_npz_create(&writer, path.c_str()));
  for (int32_t i = 0; i < n; i++)
    add(("a" + std::to_string(i)).c_str(), PH_I32, {}, &i);
  OK(finish());
  Open z(path);
  OK(z.status);
  ASSERT_EQ((size_t)n, ph_npz_count(z.npz));
  EXPECT_EQ(std::vector<double>{65999}, z.numbers("a65999"));
}

/* --- NumPy --- */

struct NumPy : Write {
  void SetUp() override {
    if (system("python3 -c 'import numpy' 2>/dev/null") == 0)
      python = "python3";
    else if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0)
      python = "/usr/bin/python3";
    else
      GTEST_SKIP() << "NumPy is not here";
  }
  std::string run(const std::string &script) const {
    std::string file = folder / "script.py", out;
    write_bytes(file, "import numpy as np, sys\n" + script);
    FILE *pipe = popen((python + " " + file + " " + path + " 2>&1").c_str(), "r");
    if (!pipe)
      return "no pipe";
    char line[500];
    while (fgets(line, sizeof line, pipe))
      out += line;
    pclose(pipe);
    return out;
  }
  std::string python;
};

TEST_F(NumPy, OpensWhatIsWritten) {
  std::vector<double> a = {0.1, 2, 3, 4, 5, 1e300};
  std::vector<int32_t> b = {-1, 2};
  uint8_t c = 7;
  OK(ph_npz_create(&writer, path.c_str()));
  add("data/demo_0/states", PH_F64, {2, 3}, a.data());
  add("b", PH_I32, {2}, b.data());
  add("c", PH_U8, {}, &c);
  add("d", PH_F32, {0, 4}, nullptr);
  add("e", PH_F64, {1, 2, 3, 1}, a.data());
  OK(finish());
  EXPECT_EQ("data/demo_0/states float64 (2, 3) [[0.1, 2.0, 3.0], [4.0, 5.0, 1e+300]]\n"
            "b int32 (2,) [-1, 2]\n"
            "c uint8 () 7\n"
            "d float32 (0, 4) []\n"
            "e float64 (1, 2, 3, 1) [[[[0.1], [2.0], [3.0]], [[4.0], [5.0], [1e+300]]]]\n"
            "None\n",
            run("z = np.load(sys.argv[1])\n"
                "for k in z.files: print(k, z[k].dtype, z[k].shape, z[k].tolist())\n"
                "import zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip())\n"));
}

TEST_F(NumPy, WritesWhatIsRead) {
  for (const char *how : {"savez", "savez_compressed"}) {
    unlink(path.c_str());
    EXPECT_EQ("",
              run(std::string("np.") + how +
                  "(sys.argv[1], f=np.asfortranarray(np.arange(24.).reshape(2,3,4)),"
                  "h=np.array([1.5,-0.0],'f2'), b=np.array([1,-2],'>i2'), t=np.array('L\u00fcft'),"
                  "s=np.array(b'abc'), o=np.array([{},None],object), yes=np.array(True),"
                  "r=np.zeros(3,[('a','f4'),('b','O')]), c=np.zeros(2,complex),"
                  "five=np.zeros((1,1,1,1,1)), l=np.array([1],'g'), big=np.ones((500,300)))\n"));
    Open z(path);
    OK(z.status);
    EXPECT_EQ(12u, ph_npz_count(z.npz));
    std::vector<double> f = z.numbers("f");
    for (size_t i = 0; i < 24; i++)
      EXPECT_EQ((double)i, f.at(i));
    EXPECT_TRUE(z["f"].fortran);
    EXPECT_EQ((std::vector<double>{1.5, 0}), z.numbers("h"));
    EXPECT_EQ((std::vector<double>{1, -2}), z.numbers("b"));
    EXPECT_EQ(std::vector<double>{1}, z.numbers("yes"));
    EXPECT_EQ(150000u, z.numbers("big", nullptr, 1200000).size());
    EXPECT_EQ("L\u00fcft", z.text("t"));
    EXPECT_EQ("abc", z.text("s"));
    EXPECT_STREQ("object", z["o"].type);
    EXPECT_EQ(2, z["o"].dim[0]);
    EXPECT_STREQ("record", z["r"].type);
    EXPECT_STREQ("complex128", z["c"].type);
    EXPECT_EQ(5, z["five"].rank);
    for (size_t i = 0; i < ph_npz_count(z.npz); i++)
      OK(ph_npz_check(z.npz, i));
  }
}
