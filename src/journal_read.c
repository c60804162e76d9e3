/* Reading records: of a journal that is written here, and of one that somebody left. */
#include "journal_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "hash.h"

enum { BLOCK = 256 << 10 }; /* bytes that are read at a time */

/* Up to size bytes; *got of them were there. An errno. */
static int read_at(int fd, uint64_t at, void *out, size_t size, size_t *got) {
  *got = 0;
  while (*got < size) {
    ssize_t n = pread(fd, (char *)out + *got, size - *got, (off_t)(at + *got));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    if (n == 0)
      break;
    *got += (size_t)n;
  }
  return 0;
}

ph_status ph_journal_raw(const ph_journal *journal, int64_t first, int64_t n, unsigned char *out,
                         int64_t *got) {
  size_t bytes = 0;
  uint64_t at = journal->head + (uint64_t)first * journal->record;
  int error = read_at(journal->fd, at, out, (size_t)n * journal->record, &bytes);
  *got = (int64_t)(bytes / journal->record);
  return error ? ph_fail(PH_EIO, "%s: it cannot be read: %s", journal->path, strerror(error))
               : PH_OK;
}

static int64_t block_records(const ph_journal *journal) {
  return BLOCK > journal->record ? (int64_t)(BLOCK / journal->record) : 1;
}

static ph_status no_memory(const ph_journal *journal) {
  return ph_fail(PH_ENOMEM, "%s: out of memory", journal->path);
}

/* Payloads of n raw records, which begin with record t. */
static ph_status unpack(const ph_journal *journal, const unsigned char *raw, int64_t t, int64_t n,
                        unsigned char *out) {
  for (int64_t i = 0; i < n; i++) {
    const unsigned char *record = raw + (size_t)i * journal->record;
    if (!ph_journal_checks(journal, record, t + i))
      return ph_fail(PH_ECORRUPT, "%s: row %lld is not what was written", journal->path,
                     (long long)(t + i));
    memcpy(out + (size_t)i * journal->payload, record + sizeof(uint64_t), journal->payload);
  }
  return PH_OK;
}

ph_status ph_journal_read(const ph_journal *journal, int64_t first, int64_t n, void *out) {
  int64_t most = block_records(journal);
  if (first < 0 || n < 0 || first > journal->count || n > journal->count - first)
    return ph_fail(PH_EINVAL, "%s: rows that it does not have", journal->path);
  most = n < most ? n : most;
  unsigned char *raw = malloc((size_t)most * journal->record + 1);
  ph_status status = raw ? PH_OK : no_memory(journal);
  for (int64_t done = 0, got = 0; done < n && !status; done += most) {
    int64_t part = n - done < most ? n - done : most;
    status = ph_journal_raw(journal, first + done, part, raw, &got);
    if (!status && got < part)
      status = ph_fail(PH_EIO, "%s: it is cut off at row %lld", journal->path,
                       (long long)(first + done + got));
    if (!status)
      status = unpack(journal, raw, first + done, part,
                      (unsigned char *)out + (size_t)done * journal->payload);
  }
  free(raw);
  return status;
}

/* --- what somebody left --- */

/* First record from `from` on that has bytes in the file: long holes are not read. */
static int64_t behind_hole(const ph_journal *journal, int64_t from) {
  uint64_t at = journal->head + (uint64_t)from * journal->record;
  off_t data = lseek(journal->fd, (off_t)at, SEEK_DATA);
  if (data < 0 && errno == ENXIO)
    return INT64_MAX;
  if (data < 0 || (uint64_t)data <= at)
    return from;
  return (int64_t)(((uint64_t)data - journal->head) / journal->record);
}

/* Counts the records, and those of this episode that are behind the first that does not check. */
static ph_status count_records(ph_journal *journal, int64_t records) {
  int64_t most = block_records(journal), got = 0;
  bool gap = false;
  unsigned char *raw = malloc((size_t)most * journal->record);
  ph_status status = raw ? PH_OK : no_memory(journal);
  for (int64_t t = 0; t < records && !status; t += got) {
    t = gap ? behind_hole(journal, t) : t;
    if (t >= records)
      break;
    int64_t part = records - t < most ? records - t : most;
    status = ph_journal_raw(journal, t, part, raw, &got);
    if (got == 0)
      break;
    for (int64_t i = 0; i < got && !status; i++) {
      bool checks = ph_journal_checks(journal, raw + (size_t)i * journal->record, t + i);
      gap = gap || !checks;
      journal->count += !gap;
      journal->beyond += gap && checks;
    }
  }
  free(raw);
  return status;
}

/* The fixed part of a head, and whether there can be as much as it says. */
static ph_status check_fixed(const ph_journal_fixed *fixed, size_t got, uint64_t size,
                             const char *path) {
  const char zeros[sizeof fixed->magic] = {0};
  if (size == 0 || (got >= sizeof zeros && memcmp(fixed, zeros, sizeof zeros) == 0))
    return ph_fail(PH_ENOTFOUND, "%s: no episode is in it", path);
  if (got < sizeof *fixed || memcmp(fixed->magic, PH_JOURNAL_MAGIC, sizeof fixed->magic) != 0)
    return ph_fail(PH_EFORMAT, "%s: it is no journal", path);
  if (fixed->order != PH_JOURNAL_ORDER)
    return fixed->order == __builtin_bswap32(PH_JOURNAL_ORDER)
               ? ph_fail(PH_EFORMAT, "%s: it is of a machine with another order of bytes", path)
               : ph_fail(PH_ECORRUPT, "%s: its head is damaged", path);
  if (fixed->version > PH_JOURNAL_VERSION && fixed->version < 1000)
    return ph_fail(PH_EFORMAT, "%s: version %u of the journal is not known", path, fixed->version);
  if (fixed->version != PH_JOURNAL_VERSION || fixed->head > size ||
      fixed->head > PH_JOURNAL_HEAD_LIMIT || fixed->text > fixed->head ||
      fixed->edits > fixed->head - fixed->text ||
      fixed->head !=
          ph_journal_round(PH_JOURNAL_FIXED + fixed->text + fixed->edits + sizeof(uint32_t)))
    return ph_fail(PH_ECORRUPT, "%s: its head is damaged", path);
  return PH_OK;
}

/* *bytes: the head, the caller's (free). */
static ph_status read_head(unsigned char **bytes, int fd, const char *path, uint64_t size) {
  ph_journal_fixed fixed = {.head = 0};
  size_t got = 0;
  int error = read_at(fd, 0, &fixed, sizeof fixed, &got);
  *bytes = NULL;
  if (error)
    return ph_fail(PH_EIO, "%s: it cannot be read: %s", path, strerror(error));
  ph_status status = check_fixed(&fixed, got, size, path);
  if (status != PH_OK)
    return status;
  *bytes = malloc((size_t)fixed.head);
  if (!*bytes)
    return ph_fail(PH_ENOMEM, "%s: out of memory for a head of %llu bytes", path,
                   (unsigned long long)fixed.head);
  error = read_at(fd, 0, *bytes, (size_t)fixed.head, &got);
  uint32_t crc = 0;
  memcpy(&crc, *bytes + fixed.head - sizeof crc, sizeof crc);
  /* The fixed part is read again with the rest: it must be the one that was looked at. */
  if (error)
    return ph_fail(PH_EIO, "%s: it cannot be read: %s", path, strerror(error));
  if (got < fixed.head || memcmp(*bytes, &fixed, sizeof fixed) != 0 ||
      crc != ph_crc32(*bytes, (size_t)fixed.head - sizeof crc))
    return ph_fail(PH_ECORRUPT, "%s: its head is damaged", path);
  return PH_OK;
}

static ph_status open_left(ph_journal *journal, uint64_t *size) {
  struct stat st;
  journal->fd = open(journal->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (journal->fd < 0 || fstat(journal->fd, &st) != 0)
    return ph_fail(PH_EIO, "%s: it cannot be opened: %s", journal->path, strerror(errno));
  if (!S_ISREG(st.st_mode))
    return ph_fail(PH_EFORMAT, "%s: it is no journal", journal->path);
  *size = (uint64_t)st.st_size;
  return PH_OK;
}

static ph_status read_left(ph_journal *journal, ph_journal_head *head) {
  unsigned char *bytes = NULL;
  ph_journal_fixed fixed;
  ph_record_layout layout;
  uint64_t size = 0;
  ph_status status = open_left(journal, &size);
  if (status == PH_OK)
    status = read_head(&bytes, journal->fd, journal->path, size);
  if (status == PH_OK)
    status = ph_journal_decode(head, &layout, bytes, journal->path);
  if (status == PH_OK) {
    memcpy(&fixed, bytes, sizeof fixed);
    ph_journal_lay(journal, fixed.nonce, fixed.head, layout.payload);
    if (fixed.record != journal->record)
      status = ph_fail(PH_EFORMAT, "%s: records of %llu bytes where its columns need %zu",
                       journal->path, (unsigned long long)fixed.record, journal->record);
  }
  if (status == PH_OK)
    status = count_records(journal, (int64_t)((size - fixed.head) / journal->record));
  free(bytes);
  return status;
}

ph_status ph_journal_open(ph_journal **out, ph_journal_head *head, const char *path) {
  ph_journal *journal = calloc(1, sizeof *journal);
  *out = NULL;
  memset(head, 0, sizeof *head);
  if (journal)
    journal->path = strdup(path);
  if (!journal || !journal->path) {
    free(journal);
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  }
  journal->left = true;
  ph_status status = read_left(journal, head);
  if (status == PH_OK) {
    *out = journal;
  } else {
    ph_journal_close(journal, false);
    ph_journal_head_clear(head);
  }
  return status;
}

int64_t ph_journal_beyond(const ph_journal *journal) {
  return journal->beyond;
}
