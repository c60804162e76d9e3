/* What is said of a file before HDF5 looks at it. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "foreign_file.h"
#include "probe_help.h"

extern "C" {
#include "sniff.h"
#include "superblock.h"
}

using namespace read_help;

class Sniff : public ::testing::Test {
protected:
  Folder dir;
  std::string path = dir / "a.hdf5";

  void SetUp() override { setenv("XDG_CACHE_HOME", "/nowhere", 1); }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }
  ph_status sniff() {
    int fd = -1;
    ph_status status = ph_file_regular(&fd, path.c_str());
    if (status == PH_OK)
      status = ph_file_sniff(fd, path.c_str());
    if (fd >= 0)
      close(fd);
    return status;
  }
  std::string sentence() {
    ph_status status = sniff();
    std::string text = status ? ph_error() : "";
    return text.compare(0, path.size() + 2, path + ": ") == 0 ? text.substr(path.size() + 2) : text;
  }
  std::string writer() {
    char text[100];
    int fd = open(path.c_str(), O_RDONLY);
    ph_file_writer(text, sizeof text, fd);
    close(fd);
    return text;
  }
  /* A file of HDF5's; latest: superblock 3 in place of 0. */
  void write_h5(bool latest) {
    foreign::File h5(path, latest);
    h5.array("a", foreign::F64, {100}, std::vector<double>(100, 1.5));
  }
  ph_status opens() {
    const char *name = path.c_str();
    ph_store *store = nullptr;
    ph_status status = ph_store_open(&store, &name, 1, nullptr);
    ph_store_free(store);
    return status;
  }
};

struct Found {
  std::string bytes;
  const char *sentence;
};

/* The beginning of an archive whose first member is called so. */
static std::string zip(const std::string &name) {
  std::string head = "PK\x03\x04" + std::string(22, '\0');
  head += {(char)name.size(), 0, 0, 0};
  return head + name + std::string(600, 'x');
}

TEST_F(Sniff, OtherThingsAreNamed) {
  const std::string none = "it is not an HDF5 file: ", pad(600, 'x');
  const Found found[] = {
      {"", "the file is empty"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef\nsize 8192\n",
       "a Git LFS pointer stands here instead of the file (8192 bytes, sha256 0123456789ab): git "
       "lfs pull"},
      {"version https://git-lfs.github.com/spec/v1\n",
       "a Git LFS pointer stands here instead of the file (? bytes, sha256 ?): git lfs pull"},
      {"\n <!DOCTYPE html><html>", "it is not an HDF5 file: a web page stands here instead: the "
                                   "download was refused, or needs a login"},
      {"\xef\xbb\xbf<HTML>", "it is not an HDF5 file: a web page stands here instead: the download "
                             "was refused, or needs a login"},
      {"<mujoco model='a'/>",
       "it is not an HDF5 file: a MuJoCo model stands here: --model takes it"},
      {"<?xml version='1.0'?>", "it is not an HDF5 file: it is an XML text"},
      {"{\"error\": 404}", "it is not an HDF5 file: it is a JSON text"},
      {"once upon a time", "it is not an HDF5 file: it is a text"},
      {"\x1f\x8b\x08" + pad, "it is not an HDF5 file: it is packed by gzip: gunzip unpacks it"},
      {zip("states.npy"),
       "it is not an HDF5 file: it is a zip archive of NumPy arrays (.npz): only "
       "those of BiGym and of robosuite's raw folders are read, and of the latter the folder is "
       "what opens "
       "(ep_*/state_*.npz and model.xml)"},
      {zip("archive/data.pkl"), "it is not an HDF5 file: PyTorch saved it (a zip archive of a "
                                "pickle): pickles run code and are not read"},
      {zip("demo.hdf5"),
       "it is not an HDF5 file: it is a zip archive, first in it demo.hdf5: unpack "
       "it first"},
      {zip("a\x1b[2J"),
       "it is not an HDF5 file: it is a zip archive, first in it a\\x1b[2J: unpack it first"},
      {zip("states.npy").substr(0, 34),
       "it is not an HDF5 file: it is a zip archive: unpack it first"},
      {"PK\x03\x04", "it is not an HDF5 file: it is a zip archive: unpack it first"},
      {"\x93NUMPY" + pad, "it is not an HDF5 file: it is one NumPy array (.npy)"},
      {"\x80\x04\x95" + pad,
       "it is not an HDF5 file: it is a Python pickle: pickles run code and are not read"},
      {"<?xml version='1.0'?>\n<!-- " + std::string(2000, 'x') + " -->\n<!-- > -->\n<mujoco/>",
       "it is not an HDF5 file: a MuJoCo model stands here: --model takes it"},
      {"<!-- <mujoco> --><robot/>", "it is not an HDF5 file: it is an XML text"},
      {"<!-- never closed <mujoco/>", "it is not an HDF5 file: it is an XML text"},
      {"PAR1" + pad, "it is not an HDF5 file: it is a Parquet table"},
      {"CDF\x01" + pad, "it is not an HDF5 file: it is a file of NetCDF 3, which HDF5 cannot read"},
      {std::string("\x10\0\0\0\0\0\0\0{", 9) + pad,
       "it is not an HDF5 file: it is of the safetensors format"},
      {std::string(257, 'n') + "ustar" + std::string(300, '\0'),
       "it is not an HDF5 file: it is a tar archive: unpack it first"},
      {std::string(4096, '\0'),
       "it is not an HDF5 file: its first 4096 bytes are zero, as when it was not copied, or not "
       "written, to the end"},
      {std::string("\x89HDG\r\n\x1a\n", 8), "it is not an HDF5 file: it is too short to be one"},
      {std::string("\x01\x02\0\x03", 4) + pad, "it is not an HDF5 file"},
  };
  for (const Found &f : found) {
    spill(path, f.bytes);
    EXPECT_EQ(sentence(), f.sentence);
    EXPECT_EQ(sniff(), PH_EFORMAT);
  }
}

TEST_F(Sniff, WhatIsNoFileIsNotOpened) {
  EXPECT_EQ(sentence(), "cannot be opened: No such file or directory");
  mkfifo(path.c_str(), 0600);
  EXPECT_EQ(sentence(), "cannot be opened: a pipe is not a regular file") << "or it hangs";
  unlink(path.c_str());
  mkdir(path.c_str(), 0700);
  EXPECT_EQ(sentence(), "cannot be opened: Is a directory");
  rmdir(path.c_str());
  ASSERT_EQ(symlink("/dev/zero", path.c_str()), 0);
  EXPECT_EQ(sentence(), "cannot be opened: a device is not a regular file");
  unlink(path.c_str());
  ASSERT_EQ(symlink(path.c_str(), path.c_str()), 0);
  EXPECT_EQ(sentence(), "cannot be opened: Too many levels of symbolic links");
  unlink(path.c_str());
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  strcpy(name.sun_path, path.c_str());
  ASSERT_EQ(bind(s, (struct sockaddr *)&name, sizeof name), 0);
  EXPECT_EQ(sentence(), "cannot be opened: a socket is not a regular file");
  close(s);
}

TEST_F(Sniff, AFileThatOthersMayNotReadIsOneLine) {
  write_h5(false);
  chmod(path.c_str(), 0);
  chmod(dir.path().c_str(), 0755);
  int code = in_host([&] {
    if (getuid() == 0 && setuid(65534) != 0)
      return 10;
    return sentence() == "cannot be opened: Permission denied" ? 0 : 1;
  });
  EXPECT_TRUE(code == 0 || code == 10);
}

/* --- sizes --- */

TEST_F(Sniff, BothSizesOfACutFileAreNamed) {
  for (bool latest : {false, true}) {
    write_h5(latest);
    Bytes bytes = slurp(path);
    EXPECT_EQ(sentence(), "");
    ASSERT_EQ(bytes[8], latest ? 3 : 0);
    for (size_t n = 96; n < bytes.size(); n += 97) {
      spill(path, bytes, n);
      EXPECT_EQ(sentence(), "it was not written to the end: " + std::to_string(n) + " of " +
                                std::to_string(bytes.size()) + " bytes are there");
    }
    unlink(path.c_str());
  }
}

TEST_F(Sniff, AFileBehindAUserBlockIsMeasuredToo) {
  for (size_t block : {512, 1024, 8192}) {
    write_h5(false);
    Bytes bytes = slurp(path), moved(block, 'u');
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    spill(path, moved, moved.size());
    EXPECT_EQ(sentence(), "");
    spill(path, moved, moved.size() - 100);
    EXPECT_EQ(sentence(), "it was not written to the end: " + std::to_string(moved.size() - 100) +
                              " of " + std::to_string(moved.size()) + " bytes are there");
    unlink(path.c_str());
  }
}

TEST_F(Sniff, SuperblocksOfEveryVersionAreRead) {
  struct {
    int version;
    size_t base, end, flags;
  } places[] = {{0, 24, 40, 20}, {1, 28, 44, 20}, {2, 12, 28, 11}, {3, 12, 28, 11}};
  for (auto &p : places) {
    Bytes bytes(512, 0);
    memcpy(bytes.data(), "\x89HDF\r\n\x1a\n", 8);
    bytes[8] = (uint8_t)p.version;
    bytes[p.version < 2 ? 13 : 9] = 8;
    uint64_t end = 12345;
    memcpy(&bytes[p.end], &end, 8);
    spill(path, bytes, bytes.size());
    ph_superblock block;
    int fd = open(path.c_str(), O_RDONLY);
    EXPECT_TRUE(ph_superblock_find(&block, fd, 512));
    close(fd);
    EXPECT_TRUE(block.known && !block.marked && block.end == 12345 && block.version == p.version);
    EXPECT_EQ(sentence(), "it was not written to the end: 512 of 12345 bytes are there");
    for (size_t n : {8, 9, 20, 30, 40}) { /* less than a whole block is no reason to guess */
      spill(path, bytes, n);
      sniff();
    }
    bytes[p.flags] = 1;
    spill(path, bytes, bytes.size());
    EXPECT_EQ(sentence().find("its writer has it open still") != std::string::npos, p.version == 3);
    EXPECT_EQ(writer(), p.version < 3 ? "its writer has it open still, or never closed it" : "");
  }
}

/* --- writers --- */

TEST_F(Sniff, AFileThatIsOpenForWritingSaysSo) {
  for (bool latest : {false, true}) {
    Bytes bytes;
    {
      foreign::File h5(path, latest);
      h5.array("a", foreign::F64, {100}, std::vector<double>(100, 1.5));
      H5Fflush(h5.id(), H5F_SCOPE_GLOBAL);
      bytes = slurp(path);
    }
    EXPECT_EQ(opens(), PH_OK) << "it is closed now";
    spill(path, bytes, bytes.size());
    if (latest) {
      EXPECT_EQ(opens(), PH_EFORMAT);
      EXPECT_TRUE(says(ph_error(), "its writer has it open still, or never closed it"));
    } else {
      EXPECT_EQ(opens(), PH_OK) << "it was flushed, and the library takes it";
      EXPECT_EQ(writer(), "its writer has it open still, or never closed it");
    }
    unlink(path.c_str());
  }
}

/* Another process that holds a lock until the pipe is closed. */
class Holder {
  int pipe_of[2];
  pid_t pid;

public:
  Holder(const std::string &path, bool record) {
    int ready[2];
    char byte;
    EXPECT_EQ(pipe(pipe_of), 0);
    EXPECT_EQ(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
      int fd = open(path.c_str(), O_RDWR);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      int failed = record ? fcntl(fd, F_SETLK, &lock) : flock(fd, LOCK_EX | LOCK_NB);
      close(pipe_of[1]);
      if (failed || write(ready[1], "", 1) != 1 || read(pipe_of[0], &byte, 1) != 0)
        _exit(1);
      _exit(0);
    }
    close(ready[1]);
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
  }
  ~Holder() {
    close(pipe_of[0]);
    close(pipe_of[1]);
    waitpid(pid, nullptr, 0);
  }
  std::string sentence() const {
    return "process " + std::to_string(pid) + " holds a write lock on it";
  }
};

TEST_F(Sniff, ALockOfAnotherProcessIsNamedAndLeftAlone) {
  for (bool record : {false, true}) {
    write_h5(false);
    Bytes bytes = slurp(path);
    {
      Holder holder(path, record);
      std::string text = writer();
      if (text.empty())
        GTEST_SKIP() << "this kernel or file system does not list its locks";
      EXPECT_EQ(text, holder.sentence());
      EXPECT_EQ(opens(), PH_OK) << "what can be read is read: " << ph_error();
      spill(path, bytes, bytes.size() - 50);
      EXPECT_EQ(opens(), PH_EFORMAT);
      EXPECT_TRUE(says(ph_error(), holder.sentence() + ": it was not written to the end"));
    }
    EXPECT_EQ(writer(), "");
    unlink(path.c_str());
  }
}

TEST_F(Sniff, ALockOfOursIsNoWriter) {
  write_h5(false);
  int fd = open(path.c_str(), O_RDWR);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_EQ(writer(), "");
  close(fd);
}
