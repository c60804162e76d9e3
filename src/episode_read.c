#include "episode_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "c_locale.h"
#include "fail.h"

void ph_file_free(ph_backend *backend) {
  ph_file_backend *b = (ph_file_backend *)backend;
  for (int col = 0; col < PH_COL_COUNT; col++)
    ph_h5_close(b->col[col].dataset);
  ph_h5_close(b->h5);
  if (b->fd >= 0)
    close(b->fd);
  free(b->file);
  free(b->group);
  free(b->crc);
  free(b->verified);
  free(b->final_state);
  free(b);
}

static ph_status read_bytes(const ph_file_backend *b, int64_t at, size_t n, void *out) {
  char *to = out;
  while (n > 0) {
    ssize_t got = pread(b->fd, to, n, at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ph_fail(PH_EIO, "reading failed: %s", strerror(errno));
    if (got == 0)
      return ph_fail(PH_ECORRUPT, "the file has become shorter");
    to += got;
    at += got;
    n -= (size_t)got;
  }
  return PH_OK;
}

/* Rows as stored, not checked. */
static ph_status read_raw(const ph_file_backend *b, ph_column col, int64_t first, int64_t n,
                          void *out) {
  const ph_file_column *c = &b->col[col];
  if (c->info.offset >= 0)
    return read_bytes(b, c->info.offset + first * (int64_t)c->row_bytes, (size_t)n * c->row_bytes,
                      out);
  ph_status status = ph_h5_read(c->dataset, &c->info, c->info.type, first, n, out);
  return status == PH_OK || status == PH_ENOMEM ? status : PH_ECORRUPT;
}

static ph_status fail_at(ph_status status, const ph_file_backend *b, ph_column col, int64_t first,
                         int64_t n) {
  return ph_fail_in(status, "%s: %s/%s: rows %lld to %lld", b->file, b->group,
                    ph_schema_column(col)->path, (long long)first, (long long)(first + n - 1));
}

/* Checks one block and copies those of its rows that are asked for. A block that is asked for whole
 * is read where it belongs. */
static ph_status read_block(const ph_file_backend *b, ph_column col, int64_t block, int64_t first,
                            int64_t n, char *out) {
  const ph_file_column *c = &b->col[col];
  int64_t from = block * PH_CRC_BLOCK_ROWS;
  int64_t rows = c->rows - from < PH_CRC_BLOCK_ROWS ? c->rows - from : PH_CRC_BLOCK_ROWS;
  size_t size = (size_t)rows * c->row_bytes;
  char *own = NULL, *at = out;
  if (first != from || n != rows) {
    own = at = malloc(size);
    if (!own)
      return fail_at(ph_fail(PH_ENOMEM, "out of memory"), b, col, from, rows);
  }
  ph_status status = read_raw(b, col, from, rows, at);
  if (status == PH_OK && ph_crc32(at, size) != c->crc[block])
    status = ph_fail(PH_ECORRUPT, "the bytes do not match their checksum");
  if (status)
    fail_at(status, b, col, from, rows);
  else
    atomic_store_explicit(&c->verified[block], 1, memory_order_relaxed);
  if (status == PH_OK && own)
    memcpy(out, own + (size_t)(first - from) * c->row_bytes, (size_t)n * c->row_bytes);
  free(own);
  return status;
}

static bool is_verified(const ph_file_column *c, int64_t first, int64_t n) {
  if (!c->crc)
    return true;
  for (int64_t block = first / PH_CRC_BLOCK_ROWS; block * PH_CRC_BLOCK_ROWS < first + n; block++)
    if (!atomic_load_explicit(&c->verified[block], memory_order_relaxed))
      return false;
  return true;
}

static ph_status read_rows(const ph_file_backend *b, ph_column col, int64_t first, int64_t n,
                           char *out) {
  const ph_file_column *c = &b->col[col];
  if (is_verified(c, first, n)) {
    ph_status status = read_raw(b, col, first, n, out);
    return status ? fail_at(status, b, col, first, n) : PH_OK;
  }
  while (n > 0) {
    int64_t block = first / PH_CRC_BLOCK_ROWS;
    int64_t here = (block + 1) * PH_CRC_BLOCK_ROWS - first;
    if (here > n)
      here = n;
    ph_status status = read_block(b, col, block, first, here, out);
    if (status)
      return status;
    out += (size_t)here * c->row_bytes;
    first += here;
    n -= here;
  }
  return PH_OK;
}

ph_status ph_file_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                       void *out) {
  const ph_file_backend *b = (const ph_file_backend *)backend;
  const ph_file_column *c = &b->col[col];
  if (col != PH_COL_STATES || first + n <= c->rows)
    return read_rows(b, col, first, n, out);
  ph_status status = n > 1 ? read_rows(b, col, first, n - 1, out) : PH_OK;
  if (status == PH_OK)
    memcpy((char *)out + (size_t)(n - 1) * c->row_bytes, b->final_state, c->row_bytes);
  return status;
}

/* --- content --- */

/* With its ending zero, so that neighbours cannot run into each other. */
static void add(FILE *out, const char *text) {
  fwrite(text, 1, strlen(text) + 1, out);
}

static void add_number(FILE *out, const char *name, double value) {
  char text[32];
  locale_t before = ph_c_locale_enter();
  snprintf(text, sizeof text, "%.17g", value);
  ph_c_locale_leave(before);
  add(out, name);
  add(out, text);
}

static void add_integer(FILE *out, const char *name, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  add(out, name);
  add(out, text);
}

static void add_text(FILE *out, const char *name, const char *text) {
  add(out, name);
  add(out, text);
}

static void add_meta(FILE *out, const ph_episode_meta *m) {
  add_integer(out, "num_samples", m->actions);
  add_integer(out, "states", m->states);
  add_integer(out, "env_id", m->env_id);
  add_integer(out, "episode", m->episode);
  add_text(out, "seed", m->seed);
  add_text(out, "end_reason", ph_end_name(m->end_reason));
  add_text(out, "end_detail", m->end_detail);
  add_integer(out, "success", m->success);
  if (m->success_source[0])
    add_text(out, "success_source", m->success_source);
  add_text(out, "model_sha256", m->model_sha256);
  add_text(out, "task_sha256", m->task_sha256);
  add_number(out, "hold_seconds", m->hold_seconds);
  add_integer(out, "hold_steps", m->hold_steps);
  add_text(out, "env_name", m->env_name);
  add_integer(out, "control_steps", m->dims.control_steps);
  add_text(out, "recipe", m->recipe);
  add_text(out, "derived", m->derived);
  add_text(out, "engine", m->engine);
}

static void add_edit(FILE *out, const ph_edit *edit) {
  size_t n = (size_t)edit->shape[0] * (size_t)edit->shape[1] * ph_type_size(edit->type);
  add_text(out, "edit", edit->field);
  add_text(out, "type", ph_type_name(edit->type));
  add_integer(out, "rows", edit->shape[0]);
  add_integer(out, "cols", edit->shape[1]);
  add_integer(out, "crc", ph_crc32(edit->data, n));
}

char *ph_episode_content(size_t *size, const ph_episode *episode) {
  char *text = NULL;
  const ph_file_backend *b = (const ph_file_backend *)episode->backend;
  if (episode->backend->read != ph_file_read || !b->crc)
    return NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    return NULL;
  add_meta(out, &episode->meta);
  for (size_t i = 0; i < episode->nedits; i++)
    add_edit(out, &episode->edits[i]);
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const ph_file_column *c = &b->col[col];
    if (!c->stored || !c->crc)
      continue;
    add_text(out, "column", ph_schema_column((ph_column)col)->path);
    add_integer(out, "width", (int64_t)c->width);
    for (int64_t block = 0; block * PH_CRC_BLOCK_ROWS < c->rows; block++)
      add_integer(out, "crc", c->crc[block]);
  }
  if (b->final_state)
    add_integer(out, "final_state", b->final_crc);
  bool whole = !ferror(out);
  if (fclose(out) == 0 && whole)
    return text;
  free(text);
  return NULL;
}
