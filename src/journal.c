#include "journal_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "hash.h"

/* A window is mapped at a time, and looked at in strides. The first one stays mapped from episode
 * to episode: the first store into a page costs more than all rows in it. What a long episode has
 * allocated beyond KEPT_ROOM is given back when the next one starts. */
enum { WINDOW = 1 << 20, STRIDE = 64 << 10, KEPT_ROOM = 16 << 20 };

/* --- records --- */

void ph_record_layout_of(ph_record_layout *out, const ph_dims *dims, uint32_t columns) {
  const uint32_t always =
      PH_COL_BIT(PH_COL_STATES) | PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_FLAGS);
  const uint32_t never = PH_COL_BIT(PH_COL_FINAL_STATE) | PH_COL_BIT(PH_COL_DONES);
  memset(out, 0, sizeof *out);
  out->columns = (columns | always) & ~never;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    if ((out->columns & PH_COL_BIT(col)) != 0) {
      out->offset[col] = out->payload;
      out->size[col] = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
      out->payload += out->size[col];
    }
  }
}

void ph_journal_lay(ph_journal *journal, uint64_t nonce, uint64_t head, size_t payload) {
  journal->nonce = nonce;
  journal->seed = ph_crc32(&nonce, sizeof nonce);
  journal->head = head;
  journal->payload = payload;
  journal->record = (size_t)ph_journal_round(sizeof(uint64_t) + payload + sizeof(uint32_t));
}

static uint32_t record_crc(const ph_journal *journal, const unsigned char *record) {
  return ph_crc32_add(journal->seed, record, journal->record - sizeof(uint32_t));
}

bool ph_journal_checks(const ph_journal *journal, const unsigned char *record, int64_t t) {
  uint64_t step;
  uint32_t crc;
  memcpy(&step, record, sizeof step);
  memcpy(&crc, record + journal->record - sizeof crc, sizeof crc);
  return step == (uint64_t)t && crc == record_crc(journal, record);
}

/* --- room --- */

static int allocate(int fd, uint64_t from, uint64_t to) {
  int error;
  do
    error = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
  while (error == EINTR);
  return error;
}

/* The file has room up to `end`, or an errno. What a failed attempt got goes back to the disk. */
static int grow(ph_journal *journal, uint64_t end) {
  if (end <= journal->room)
    return 0;
  int error = end > INT64_MAX ? EFBIG : ph_file_limit(end);
  if (!error)
    error = allocate(journal->fd, journal->room, end);
  if (!error) {
    journal->room = end;
    journal->refused = 0;
  } else {
    if (ftruncate(journal->fd, (off_t)journal->room) != 0)
      error = error ? error : errno;
    journal->refused = end;
  }
  return error;
}

static void unmap(ph_journal *journal) {
  if (journal->map)
    munmap(journal->map, journal->map_size);
  journal->map = NULL;
  journal->map_size = 0;
  journal->looked_at = 0;
}

/* Somebody else may have cut the file. What is missing behind the records is made again, for a
 * store into a page that is not there kills the process; where records are missing, an errno. */
static int look_at_size(ph_journal *journal, uint64_t at) {
  struct stat st;
  if (fstat(journal->fd, &st) != 0)
    return errno;
  if ((uint64_t)st.st_size < journal->room)
    journal->room = (uint64_t)st.st_size;
  return journal->room < at ? ESTALE : 0;
}

/* The pages are there for writing: what a quota or a device has against it is an errno here. */
static int populate(void *map, size_t size) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(map, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
    return errno == EFAULT ? EIO : errno;
#else
  (void)map, (void)size;
#endif
  return 0;
}

/* Maps the window that begins with the record at `at`, or with the file where that has it too; a
 * smaller one where the disk is almost full. */
static int move_window(ph_journal *journal, uint64_t at) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t least = (at + journal->record + page - 1) / page * page;
  uint64_t from = least <= WINDOW ? 0 : at / page * page;
  uint64_t end = from + WINDOW > least ? from + WINDOW : least;
  int error = look_at_size(journal, at);
  if (error)
    return error;
  error = grow(journal, end);
  if (error && least < end) {
    end = least;
    error = grow(journal, end);
  }
  if (error)
    return error;
  unmap(journal);
  void *map = mmap(NULL, (size_t)(end - from), PROT_READ | PROT_WRITE, MAP_SHARED, journal->fd,
                   (off_t)from);
  if (map == MAP_FAILED)
    return errno;
  journal->map = map;
  journal->map_at = from;
  journal->map_size = (size_t)(end - from);
  journal->looked_at = at / page * page;
  journal->windows++;
  return 0;
}

static uint64_t place_of(const ph_journal *journal, int64_t t) {
  return journal->head + (uint64_t)t * journal->record;
}

/* NULL: it is not in the window. */
static unsigned char *in_window(const ph_journal *journal, uint64_t at) {
  return journal->map && at >= journal->map_at &&
                 at + journal->record <= journal->map_at + journal->map_size
             ? journal->map + (at - journal->map_at)
             : NULL;
}

/* Looks at the pages of the next stride, which has the record at `at`. */
static int look_on(ph_journal *journal, uint64_t at) {
  uint64_t end = journal->map_at + journal->map_size;
  uint64_t to = at + journal->record;
  int error = look_at_size(journal, at);
  if (error || journal->room < end)
    return error ? error : EAGAIN;
  to = to + STRIDE < end ? to / STRIDE * STRIDE + STRIDE : end;
  error = populate(journal->map + (journal->looked_at - journal->map_at),
                   (size_t)(to - journal->looked_at));
  if (!error)
    journal->looked_at = to;
  return error;
}

/* The record at `at` has its place in a window, which was looked at as far as its end. */
static int make_place(ph_journal *journal, uint64_t at) {
  int error = in_window(journal, at) ? 0 : move_window(journal, at);
  if (error || at + journal->record <= journal->looked_at)
    return error;
  error = look_on(journal, at);
  if (error == EAGAIN) { /* the file has become shorter than the window */
    error = move_window(journal, at);
    error = error ? error : look_on(journal, at);
  }
  if (error)
    unmap(journal);
  return error;
}

void *ph_journal_next(ph_journal *journal) {
  uint64_t at = place_of(journal, journal->count);
  int error = journal->head == 0 ? EINVAL : 0;
  if (!error)
    error = make_place(journal, at);
  if (error) {
    ph_fail(PH_EIO, "%s: it cannot take row %lld: %s", journal->path, (long long)journal->count,
            error == ESTALE ? "somebody has cut it off" : strerror(error));
    return NULL;
  }
  return in_window(journal, at) + sizeof(uint64_t);
}

void ph_journal_seal(ph_journal *journal) {
  unsigned char *record = in_window(journal, place_of(journal, journal->count));
  uint64_t step = (uint64_t)journal->count;
  size_t used = sizeof step + journal->payload;
  memcpy(record, &step, sizeof step);
  memset(record + used, 0, journal->record - sizeof(uint32_t) - used);
  uint32_t crc = record_crc(journal, record);
  memcpy(record + journal->record - sizeof crc, &crc, sizeof crc);
  journal->count++;
}

int64_t ph_journal_count(const ph_journal *journal) {
  return journal->count;
}
bool ph_journal_short(const ph_journal *journal) {
  return journal->refused != 0;
}
int64_t ph_journal_windows(const ph_journal *journal) {
  return journal->windows;
}
const char *ph_journal_path(const ph_journal *journal) {
  return journal->path;
}

/* --- files --- */

static uint64_t first_nonce(void) {
  uint64_t nonce;
  if (getrandom(&nonce, sizeof nonce, GRND_NONBLOCK) == sizeof nonce)
    return nonce;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec) * 0x9E3779B97F4A7C15u +
         (uint64_t)getpid();
}

/* Two numbers that differ in their low half alone have different checksums: no record of one
 * episode is one of the next. */
static uint64_t next_nonce(uint64_t nonce) {
  return (nonce & 0xFFFFFFFF00000000u) | (uint32_t)(nonce + 1);
}

static int open_file(ph_journal *journal, bool fresh) {
  int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (fresh ? O_EXCL : 0);
  journal->fd = open(journal->path, flags, 0666);
  if (journal->fd < 0)
    return errno;
  struct stat st = {.st_size = 0};
  int error = fstat(journal->fd, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : ENOTSUP;
  journal->device = (uint64_t)st.st_dev;
  journal->inode = (uint64_t)st.st_ino;
  if (!error && st.st_size > 0 && ftruncate(journal->fd, 0) != 0)
    error = errno;
  if (!error)
    error = grow(journal, WINDOW);
  if (error && fresh)
    unlink(journal->path);
  return error;
}

ph_status ph_journal_create(ph_journal **out, const char *path, bool fresh) {
  ph_journal *journal = calloc(1, sizeof *journal);
  *out = NULL;
  if (journal)
    journal->path = strdup(path);
  if (!journal || !journal->path) {
    free(journal);
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  }
  journal->nonce = first_nonce();
  int error = open_file(journal, fresh);
  if (!error) {
    *out = journal;
    return PH_OK;
  }
  ph_journal_close(journal, false);
  return error == EEXIST ? ph_fail(PH_EEXIST, "%s: it is there already", path)
                         : ph_fail(PH_EIO, "%s: it cannot be created: %s", path, strerror(error));
}

/* Zeros over the magic: from here on there is no episode in the file. */
static int make_void(ph_journal *journal) {
  const char none[sizeof PH_JOURNAL_MAGIC - 1] = {0};
  journal->count = 0;
  journal->head = 0;
  if (journal->map_at > 0 || journal->map_size > WINDOW)
    unmap(journal);
  journal->looked_at = 0;
  int error = ph_file_write(journal->fd, 0, none, sizeof none);
  if (!error && journal->room > KEPT_ROOM && ftruncate(journal->fd, KEPT_ROOM) == 0)
    journal->room = KEPT_ROOM;
  return error;
}

ph_status ph_journal_void(ph_journal *journal) {
  int error = make_void(journal);
  return error ? ph_fail(PH_EIO, "%s: it cannot be written: %s", journal->path, strerror(error))
               : PH_OK;
}

/* The magic goes last: a process that is killed before leaves a void file. */
static int write_head(ph_journal *journal, const unsigned char *head, size_t size) {
  const size_t magic = sizeof PH_JOURNAL_MAGIC - 1;
  if (journal->refused)
    grow(journal, journal->refused); /* what an episode before was refused may be there now */
  int error = grow(journal, size);
  if (!error)
    error = ph_file_write(journal->fd, magic, head + magic, size - magic);
  return error ? error : ph_file_write(journal->fd, 0, head, magic);
}

ph_status ph_journal_start(ph_journal *journal, const ph_journal_head *head, size_t payload) {
  unsigned char *bytes = NULL;
  size_t size = 0;
  ph_record_layout layout;
  ph_record_layout_of(&layout, &head->meta.dims, head->columns);
  if (layout.payload != payload)
    return ph_fail(PH_EINVAL, "%s: records of %zu bytes where the columns need %zu", journal->path,
                   payload, layout.payload);
  ph_status status = ph_journal_void(journal);
  uint64_t nonce = next_nonce(journal->nonce);
  if (status == PH_OK)
    status = ph_journal_encode(&bytes, &size, head, &layout, nonce);
  if (status != PH_OK)
    return status;
  int error = write_head(journal, bytes, size);
  free(bytes);
  if (error) {
    make_void(journal);
    return ph_fail(PH_EIO, "%s: it cannot be written: %s", journal->path, strerror(error));
  }
  ph_journal_lay(journal, nonce, size, payload);
  return PH_OK;
}

ph_status ph_journal_rename(ph_journal *journal, const char *path) {
  char *name = strdup(path);
  if (!name)
    return ph_fail(PH_ENOMEM, "%s: out of memory", journal->path);
  int error = ph_file_rename_new(journal->path, path);
  if (error) {
    free(name);
    return ph_fail(error == EEXIST ? PH_EEXIST : PH_EIO, "%s: it cannot be renamed to %s: %s",
                   journal->path, path, strerror(error));
  }
  free(journal->path);
  journal->path = name;
  return PH_OK;
}

static bool is_own(const ph_journal *journal, const struct stat *st) {
  return (uint64_t)st->st_dev == journal->device && (uint64_t)st->st_ino == journal->inode;
}

bool ph_journal_in_place(const ph_journal *journal) {
  struct stat st;
  return lstat(journal->path, &st) == 0 && is_own(journal, &st);
}

void ph_journal_rest(ph_journal *journal, bool asleep) {
  uint64_t end = place_of(journal, journal->count);
  unmap(journal);
  if (journal->fd < 0)
    return;
  if (end < journal->room && ftruncate(journal->fd, (off_t)end) == 0)
    journal->room = end;
  if (asleep && ph_journal_in_place(journal)) {
    close(journal->fd);
    journal->fd = -1;
  }
}

ph_status ph_journal_wake(ph_journal *journal) {
  struct stat st;
  if (journal->fd >= 0)
    return PH_OK;
  int fd = open(journal->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: it cannot be opened: %s", journal->path, strerror(errno));
  if (fstat(fd, &st) != 0 || !is_own(journal, &st)) {
    close(fd);
    return ph_fail(PH_EIO, "%s: another file has taken its place", journal->path);
  }
  journal->fd = fd;
  return PH_OK;
}

void ph_journal_close(ph_journal *journal, bool remove) {
  if (!journal)
    return;
  unmap(journal);
  if (remove && !journal->left && ph_journal_in_place(journal))
    unlink(journal->path);
  if (journal->fd >= 0)
    close(journal->fd);
  free(journal->path);
  free(journal);
}
