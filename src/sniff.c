#include "sniff.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "superblock.h"

enum { HEAD = 4096 }; /* of which a comment may take much */

/* --- opening --- */

static const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return strerror(EISDIR);
  case S_IFIFO:
    return "a pipe is not a regular file";
  case S_IFSOCK:
    return "a socket is not a regular file";
  case S_IFCHR:
  case S_IFBLK:
    return "a device is not a regular file";
  default:
    return "not a regular file";
  }
}

ph_status ph_file_regular(int *fd, const char *path) {
  struct stat st;
  *fd = -1;
  bool there = stat(path, &st) == 0;
  if (there && S_ISREG(st.st_mode)) {
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    there = *fd >= 0 && fstat(*fd, &st) == 0;
  }
  if (there && S_ISREG(st.st_mode))
    return PH_OK;
  ph_status status = ph_fail(PH_EIO, "%s: cannot be opened: %s", path,
                             there ? kind_of(st.st_mode) : strerror(errno));
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return status;
}

/* --- other things than HDF5 --- */

/* The value behind a key in a pointer's lines; as much as fits. */
static void lfs_value(char *out, size_t size, const char *text, const char *key) {
  const char *at = strstr(text, key);
  size_t n = at ? strcspn(at + strlen(key), "\r\n") : 0;
  snprintf(out, size, "%.*s", (int)n, at ? at + strlen(key) : "");
}

bool ph_file_is_lfs(const void *head, size_t n) {
  static const char lfs[] = "version https://git-lfs.github.com/spec/";
  return n >= sizeof lfs - 1 && memcmp(head, lfs, sizeof lfs - 1) == 0;
}

static ph_status lfs_pointer(const char *text, const char *path) {
  char oid[80], bytes[24];
  lfs_value(oid, sizeof oid, text, "oid sha256:");
  lfs_value(bytes, sizeof bytes, text, "size ");
  return ph_fail(PH_EFORMAT,
                 "%s: a Git LFS pointer stands here instead of the file (%s bytes, sha256 %.12s): "
                 "git lfs pull",
                 path, bytes[0] ? bytes : "?", oid[0] ? oid : "?");
}

static bool starts(const char *text, const char *word) {
  return strncasecmp(text, word, strlen(word)) == 0;
}

/* Behind the blanks, declarations (<?xml ...?>) and comments that an XML text begins with; where
 * one does not end in what was read, that one. */
static const char *skip_prolog(const char *text) {
  static const char *const parts[][2] = {{"<?", "?>"}, {"<!--", "-->"}};
  for (size_t i = 0; i < 2;) {
    text += strspn(text, " \t\r\n");
    bool here = strncmp(text, parts[i][0], strlen(parts[i][0])) == 0;
    const char *end = here ? strstr(text + strlen(parts[i][0]), parts[i][1]) : NULL;
    text = end ? end + strlen(parts[i][1]) : text;
    i = end ? 0 : i + 1;
  }
  return text;
}

/* Of text: what it is; NULL: it is no text. */
static const char *text_kind(const char *text, size_t n) {
  size_t at = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  for (size_t i = at; i < n; i++)
    if ((unsigned char)text[i] < 0x20 && !isspace((unsigned char)text[i]))
      return NULL;
  const char *begin = text + at + strspn(text + at, " \t\r\n"), *word = skip_prolog(begin);
  if (starts(word, "<!doctype html") || starts(word, "<html"))
    return "a web page stands here instead: the download was refused, or needs a login";
  if (starts(word, "<mujoco"))
    return "a MuJoCo model stands here: --model takes it";
  if (begin[0] == '<')
    return "it is an XML text";
  if (word[0] == '{' || word[0] == '[')
    return "it is a JSON text";
  return "it is a text";
}

/* Beginnings of what is commonly found under such names. */
static const struct {
  const char *bytes;
  unsigned char n;
  const char *what;
} others[] = {
    {"\x1f\x8b", 2, "it is packed by gzip: gunzip unpacks it"},
    {"BZh", 3, "it is packed by bzip2: bunzip2 unpacks it"},
    {"\xfd"
     "7zXZ",
     5, "it is packed by xz: unxz unpacks it"},
    {"\x28\xb5\x2f\xfd", 4, "it is packed by zstd: unzstd unpacks it"},
    {"7z\xbc\xaf", 4, "it is a 7z archive: unpack it first"},
    {"Rar!", 4, "it is a RAR archive: unpack it first"},
    {"\x93NUMPY", 6, "it is one NumPy array (.npy)"},
    {"PAR1", 4, "it is a Parquet table"},
    {"\x80\x02", 2, "it is a Python pickle: pickles run code and are not read"},
    {"\x80\x03", 2, "it is a Python pickle: pickles run code and are not read"},
    {"\x80\x04", 2, "it is a Python pickle: pickles run code and are not read"},
    {"\x80\x05", 2, "it is a Python pickle: pickles run code and are not read"},
    {"\x0e\x03\x13\x01", 4, "it is a file of HDF4, which HDF5 cannot read"},
    {"CDF\x01", 4, "it is a file of NetCDF 3, which HDF5 cannot read"},
    {"CDF\x02", 4, "it is a file of NetCDF 3, which HDF5 cannot read"},
    {"SQLite format 3", 15, "it is an SQLite database"},
    {"\x7f"
     "ELF",
     4, "it is a program"},
};

static bool all_zero(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i])
      return false;
  return true;
}

/* Files of the safetensors format begin with the length of a JSON text. */
static bool is_safetensors(const char *head, size_t n) {
  return n > 9 && head[8] == '{' && head[5] == 0 && head[6] == 0 && head[7] == 0;
}

static bool ends(const char *text, const char *tail) {
  size_t n = strlen(text), m = strlen(tail);
  return n >= m && strcmp(text + n - m, tail) == 0;
}

/* What a zip archive is, by the name of its first member. */
static ph_status zip_archive(const char *head, size_t n, const char *path) {
  enum { NAME = 30 };
  size_t length = n >= NAME ? (unsigned char)head[26] | (size_t)(unsigned char)head[27] << 8 : 0;
  char name[128] = "", shown[128];
  if (length > 0 && length < sizeof name && NAME + length <= n)
    memcpy(name, head + NAME, length);
  if (ends(name, ".npy"))
    return ph_fail(PH_EFORMAT,
                   "%s: it is not an HDF5 file: it is a zip archive of NumPy arrays (.npz): only "
                   "those of BiGym and of robosuite's raw folders are read, and of the latter the "
                   "folder is what opens (ep_*/state_*.npz and model.xml)",
                   path);
  if (ends(name, "/data.pkl"))
    return ph_fail(PH_EFORMAT,
                   "%s: it is not an HDF5 file: PyTorch saved it (a zip archive of a pickle): "
                   "pickles run code and are not read",
                   path);
  ph_escape(shown, sizeof shown, name, strlen(name));
  return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file: it is a zip archive%s%s: unpack it first",
                 path, name[0] ? ", first in it " : "", shown);
}

static ph_status not_hdf5(const char *head, size_t n, int64_t size, const char *path) {
  if (n >= 4 && memcmp(head, "PK\x03\x04", 4) == 0)
    return zip_archive(head, n, path);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (n >= others[i].n && memcmp(head, others[i].bytes, others[i].n) == 0)
      return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file: %s", path, others[i].what);
  if (n >= 262 && memcmp(head + 257, "ustar", 5) == 0)
    return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file: it is a tar archive: unpack it first",
                   path);
  if (is_safetensors(head, n))
    return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file: it is of the safetensors format", path);
  if (all_zero(head, n))
    return ph_fail(PH_EFORMAT,
                   "%s: it is not an HDF5 file: its first %zu bytes are zero, as when it was not "
                   "copied, or not written, to the end",
                   path, n);
  const char *text = text_kind(head, n);
  if (text)
    return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file: %s", path, text);
  return ph_fail(PH_EFORMAT, "%s: it is not an HDF5 file%s", path,
                 size < 512 ? ": it is too short to be one" : "");
}

/* --- HDF5 --- */

/* What the first block says of the file's end. */
static ph_status sniff_end(const ph_superblock *block, int64_t size, const char *path) {
  if (block->marked && block->version >= 3)
    return ph_fail(PH_EFORMAT,
                   "%s: it was not written to the end: its writer has it open still, or never "
                   "closed it (then h5clear -s takes the mark away)",
                   path);
  if (!block->known)
    return PH_OK;
  if (block->end == UINT64_MAX || (block->version >= 2 && block->end < 96))
    return ph_fail(PH_EFORMAT, "%s: it was not written to the end: its writer never closed it",
                   path);
  if (block->end > (uint64_t)size)
    return ph_fail(PH_EFORMAT, "%s: it was not written to the end: %lld of %llu bytes are there",
                   path, (long long)size, (unsigned long long)block->end);
  return PH_OK;
}

ph_status ph_file_sniff(int fd, const char *path) {
  char head[HEAD + 1] = "";
  ph_superblock block;
  struct stat st;
  if (fstat(fd, &st) != 0)
    return ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  if (!S_ISREG(st.st_mode))
    return ph_fail(PH_EFORMAT, "%s: it is not a regular file", path);
  if (st.st_size == 0)
    return ph_fail(PH_EFORMAT, "%s: the file is empty", path);
  if (ph_superblock_find(&block, fd, st.st_size))
    return sniff_end(&block, st.st_size, path);
  ssize_t n = pread(fd, head, HEAD, 0);
  if (n < 0)
    return ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  if (ph_file_is_lfs(head, (size_t)n))
    return lfs_pointer(head, path);
  return not_hdf5(head, (size_t)n, st.st_size, path);
}
