/* Arrays that go from one archive into another with the bytes that they have, or with the first of
 * their rows only. libzip pulls them through a source of our own while the new archive is written,
 * so that one block is held and no array. */
#include "npz_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "npy.h"

#define BLOCK 65536

typedef struct copy {
  ph_npz_writer *to;  /* borrowed */
  const ph_npz *from; /* borrowed */
  const ph_npz_member *m;
  ph_npz_cut cut;
  unsigned char *head; /* owned, m->head bytes: as the new array has it */
  size_t given;        /* of head */
  zip_file_t *file;
  uint64_t at, all; /* bytes of elements that were read, and that there are */
  /* Elements lie in columns of `column` bytes, of each of which the first `keep` stay; rows follow
   * each other in them, `row` bytes each. Row-major arrays are one column. */
  uint64_t row, column, keep;
  unsigned char flag[2][8]; /* a 0 and a 1 of the array's type */
  size_t element;           /* bytes of one; 0: none is put in */
  zip_error_t error;
} copy;

/* --- shapes --- */

/* Whether every byte stays as it is. */
static bool is_whole(const ph_npy *info, const ph_npz_cut *cut) {
  return cut->keep < 0 || (info->rank > 0 && cut->keep == info->dim[0] && !cut->last && !cut->rest);
}

const char *ph_npz_cannot(const ph_npz *from, size_t i, const ph_npz_cut *cut) {
  const ph_npz_member *m = &from->at[i];
  unsigned char flag[8];
  if (m->head == 0)
    return m->info.why;
  if (is_whole(&m->info, cut))
    return NULL;
  uint64_t there = m->size - m->head;
  if (m->info.rank < 1 || cut->keep > m->info.dim[0])
    return "it has not as many rows";
  if (m->info.descr[1] == 'O' || strcmp(m->info.descr, "record") == 0)
    return "it cannot be cut: its elements are pickled Python objects, or records";
  if (m->info.dim[0] > 0 && there % (uint64_t)m->info.dim[0] != 0)
    return "it cannot be cut: its rows are not of one size";
  if (m->info.fortran && m->info.rank > 1 && ph_npy_element(&m->info) == 0)
    return "it cannot be cut: how large its elements are is not known";
  if ((cut->last || cut->rest) && ph_npy_flag(flag, &m->info, true) == 0)
    return "it cannot be set: its elements are no numbers";
  return NULL;
}

static void measure(copy *c) {
  const ph_npy *info = &c->m->info;
  c->all = c->column = c->keep = c->row = c->m->size - c->m->head;
  if (is_whole(info, &c->cut) || info->dim[0] == 0 || c->all == 0)
    return;
  if (info->fortran && info->rank > 1)
    c->column = ph_npy_element(info) * (uint64_t)info->dim[0];
  c->row = c->column / (uint64_t)info->dim[0];
  c->keep = c->row * (uint64_t)c->cut.keep;
  if (c->cut.last || c->cut.rest) {
    c->element = ph_npy_flag(c->flag[0], info, false);
    ph_npy_flag(c->flag[1], info, true);
  }
}

static ph_status damaged(const copy *c, const char *why) {
  return ph_fail(PH_ECORRUPT, "%s: %s: it is damaged: %s", c->from->path, c->m->info.name, why);
}

/* --- the header --- */

/* Puts another number of rows into a header; its size stays: blanks fill what is left. */
static void set_rows(unsigned char *head, size_t size, int64_t rows) {
  size_t at = 0, length = 0, place = 0;
  char digits[24];
  if (ph_npy_lead(&at, &length, head, size))
    return;
  char *text = (char *)head + at;
  size_t old = ph_npy_rows(&place, text, length);
  size_t n = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)rows);
  if (old == 0 || n > old)
    return;
  size_t end = length > 0 && text[length - 1] == '\n' ? length - 1 : length;
  memcpy(text + place, digits, n);
  memmove(text + place + n, text + place + old, end - place - old);
  memset(text + end - (old - n), ' ', old - n);
}

static ph_status read_head(copy *c) {
  c->head = malloc(c->m->head);
  zip_file_t *file = c->head ? zip_fopen_index(c->from->zip, c->m->place, 0) : NULL;
  if (!c->head)
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->from->path);
  bool ok = file && ph_npz_bytes(file, c->head, c->m->head);
  ph_status status = ok ? PH_OK : damaged(c, "its header cannot be read");
  if (file)
    zip_fclose(file);
  if (ok && c->cut.keep >= 0)
    set_rows(c->head, c->m->head, c->cut.keep);
  return status;
}

/* --- elements --- */

static zip_int64_t fail(copy *c, ph_status status) {
  c->to->fault = status;
  zip_error_set(&c->error, ZIP_ER_READ, 0);
  return -1;
}

static zip_int64_t fail_reading(copy *c) {
  return fail(c, damaged(c, zip_error_strerror(zip_file_get_error(c->file))));
}

static bool open_elements(copy *c) {
  char skipped[1024];
  c->file = zip_fopen_index(c->from->zip, c->m->place, 0);
  for (size_t left = c->m->head, n; c->file && left > 0; left -= n) {
    n = left < sizeof skipped ? left : sizeof skipped;
    if (!ph_npz_bytes(c->file, skipped, n))
      return false;
  }
  c->given = 0;
  c->at = 0;
  return c->file != NULL;
}

/* Numbers of n bytes that begin `from` bytes into a column. */
static void put_flags(const copy *c, unsigned char *bytes, uint64_t from, size_t n) {
  for (size_t i = 0; i < n; i++) {
    bool last = (from + i) / c->row == (uint64_t)c->cut.keep - 1;
    if (last ? c->cut.last : c->cut.rest)
      bytes[i] = c->flag[last == c->cut.one][(from + i) % c->element];
  }
}

static bool is_stopped(const copy *c) {
  return c->cut.go_on && !c->cut.go_on(c->cut.arg);
}

static zip_int64_t stop(copy *c) {
  return fail(c, ph_fail(PH_ECANCELED, "%s: it was stopped", c->from->path));
}

/* The rest of a column that is not kept; negative: it failed. */
static zip_int64_t skip(copy *c, uint64_t n) {
  char bytes[BLOCK];
  for (uint64_t now; n > 0; n -= now, c->at += now) {
    now = n < sizeof bytes ? n : sizeof bytes;
    if (is_stopped(c))
      return stop(c);
    if (!ph_npz_bytes(c->file, bytes, now))
      return fail_reading(c);
  }
  return 0;
}

/* The checksum is compared when the end is met. */
static zip_int64_t meet_end(copy *c) {
  char more;
  zip_int64_t n = zip_fread(c->file, &more, 1);
  return n < 0 ? fail_reading(c) : n > 0 ? fail(c, damaged(c, "it is longer than it says")) : 0;
}

static zip_int64_t read_elements(copy *c, unsigned char *out, uint64_t size) {
  if (is_stopped(c))
    return stop(c);
  uint64_t within = c->at < c->all ? c->at % c->column : 0;
  if (c->at < c->all && within >= c->keep) {
    zip_int64_t skipped = skip(c, c->column - within);
    if (skipped < 0)
      return skipped;
    within = 0;
  }
  if (c->at == c->all)
    return meet_end(c);
  uint64_t n = size < c->keep - within ? size : c->keep - within;
  n = n < BLOCK ? n : BLOCK;
  if (!ph_npz_bytes(c->file, out, n))
    return fail_reading(c);
  if (c->element > 0)
    put_flags(c, out, within, n);
  c->at += n;
  return (zip_int64_t)n;
}

static zip_int64_t read_copy(copy *c, unsigned char *out, uint64_t size) {
  size_t left = c->m->head - c->given, n = size < left ? size : left;
  if (left == 0)
    return size > 0 ? read_elements(c, out, size) : 0;
  memcpy(out, c->head + c->given, n);
  c->given += n;
  return (zip_int64_t)n;
}

/* --- the source --- */

static zip_int64_t stat_copy(const copy *c, void *data, zip_uint64_t size) {
  zip_stat_t *st = data;
  if (size < sizeof *st)
    return -1;
  zip_stat_init(st);
  st->size = c->m->head + (c->all > 0 ? c->all / c->column * c->keep : 0);
  st->valid = ZIP_STAT_SIZE;
  return sizeof *st;
}

static void close_copy(copy *c) {
  if (c->file)
    zip_fclose(c->file);
  c->file = NULL;
}

static void free_copy(copy *c) {
  if (!c)
    return;
  close_copy(c);
  zip_error_fini(&c->error);
  free(c->head);
  free(c);
}

static zip_int64_t copy_call(void *arg, void *data, zip_uint64_t size, zip_source_cmd_t cmd) {
  copy *c = arg;
  switch (cmd) {
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                          ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  case ZIP_SOURCE_OPEN:
    return open_elements(c) ? 0 : fail(c, damaged(c, "it cannot be opened"));
  case ZIP_SOURCE_READ:
    return read_copy(c, data, size);
  case ZIP_SOURCE_CLOSE:
    close_copy(c);
    return 0;
  case ZIP_SOURCE_STAT:
    return stat_copy(c, data, size);
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&c->error, data, size);
  case ZIP_SOURCE_FREE:
    free_copy(c);
    return 0;
  default:
    return -1;
  }
}

ph_status ph_npz_copy(ph_npz_writer *npz, const ph_npz *from, size_t i, const ph_npz_cut *cut) {
  const ph_npz_member *m = &from->at[i];
  const char *why = ph_npz_cannot(from, i, cut);
  zip_error_t error;
  if (why)
    return ph_fail(PH_EFORMAT, "%s: %s: %s", from->path, m->info.name, why);
  copy *c = calloc(1, sizeof *c);
  if (!c)
    return ph_fail(PH_ENOMEM, "%s: out of memory", from->path);
  *c = (copy){.to = npz, .from = from, .m = m, .cut = *cut};
  zip_error_init(&c->error);
  measure(c);
  ph_status status = read_head(c);
  if (status) {
    free_copy(c);
    return status;
  }
  zip_error_init(&error);
  zip_source_t *source = zip_source_function_create(copy_call, c, &error);
  zip_error_fini(&error);
  if (!source) {
    free_copy(c);
    return ph_fail(PH_ENOMEM, "%s: out of memory", from->path);
  }
  return ph_npz_put(npz, zip_get_name(from->zip, m->place, ZIP_FL_ENC_RAW), ZIP_FL_ENC_GUESS,
                    source, ZIP_CM_DEFLATE);
}
