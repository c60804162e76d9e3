/* Episodes in memory, for previews, tests and empty ones. */
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "sink_h5.h"

struct rows {
  ph_backend base;
  char *data[PH_COL_COUNT];
  size_t row_bytes[PH_COL_COUNT];
};

struct memory {
  ph_sink base;
  bool open;
  ph_episode_meta meta;
  char *provenance;
  uint32_t columns;
  ph_edit *edits;
  size_t nedits;
  struct rows *rows;
  int64_t next[PH_COL_COUNT];
  ph_episode **ended;
  size_t n;
};

/* --- backend --- */

static ph_status rows_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                           void *out) {
  const struct rows *rows = (const struct rows *)backend;
  size_t row = rows->row_bytes[col];
  if (n > 0 && row > 0)
    memcpy(out, rows->data[col] + (size_t)first * row, (size_t)n * row);
  return PH_OK;
}

static void rows_free(ph_backend *backend) {
  struct rows *rows = (struct rows *)backend;
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(rows->data[i]);
  free(rows);
}

/* NULL: out of memory. */
static struct rows *rows_new(const ph_begin *begin) {
  struct rows *rows = calloc(1, sizeof *rows);
  bool ok = rows != NULL;
  if (ok)
    rows->base = (ph_backend){.read = rows_read, .free = rows_free};
  for (int i = 0; i < PH_COL_COUNT && ok; i++) {
    ph_column col = (ph_column)i;
    if (i == PH_COL_FINAL_STATE || !(begin->columns & PH_COL_BIT(i)))
      continue;
    rows->row_bytes[i] =
        ph_schema_width(col, &begin->meta->dims) * ph_type_size(ph_schema_column(col)->type);
    rows->data[i] = calloc((size_t)ph_begin_rows(begin->meta, col) + 1, rows->row_bytes[i] + 1);
    ok = rows->data[i] != NULL;
  }
  if (rows && !ok)
    rows_free(&rows->base);
  return ok ? rows : NULL;
}

/* --- sink --- */

static ph_status memory_model(ph_sink *sink, const ph_model *model) {
  (void)sink, (void)model;
  return PH_OK;
}

static ph_status memory_task(ph_sink *sink, const ph_task *task) {
  (void)sink, (void)task;
  return PH_OK;
}

static void memory_cancel(ph_sink *sink) {
  struct memory *m = (struct memory *)sink;
  if (m->rows)
    m->rows->base.free(&m->rows->base);
  ph_edits_free(m->edits, m->nedits);
  free(m->provenance);
  m->rows = NULL;
  m->edits = NULL;
  m->nedits = 0;
  m->provenance = NULL;
  m->open = false;
}

static ph_status memory_begin(ph_sink *sink, const ph_begin *begin) {
  struct memory *m = (struct memory *)sink;
  if (m->open)
    return ph_fail(PH_EINVAL, "episode: begins before the last one has ended");
  ph_status status = ph_begin_check(begin, false);
  if (status)
    return status;
  const char *provenance = begin->meta->provenance;
  m->open = true;
  m->meta = *begin->meta;
  m->columns = begin->columns;
  memset(m->next, 0, sizeof m->next);
  m->provenance = strdup(provenance && *provenance ? provenance : "[]");
  m->meta.provenance = m->provenance;
  m->rows = rows_new(begin);
  if (!m->provenance || !m->rows)
    status = ph_fail(PH_ENOMEM, "episode: out of memory");
  if (!status)
    status = ph_edits_copy(&m->edits, begin->edits, begin->nedits);
  if (!status)
    m->nedits = begin->nedits;
  if (status)
    memory_cancel(sink);
  return status;
}

static ph_status memory_rows(ph_sink *sink, ph_column col, int64_t first, int64_t n,
                             const void *data) {
  struct memory *m = (struct memory *)sink;
  if (!m->open)
    return ph_fail(PH_EINVAL, "episode: rows before it has begun");
  int64_t next = (unsigned)col < PH_COL_COUNT ? m->next[col] : 0;
  ph_status status = ph_begin_check_rows(&m->meta, m->columns, col, next, first, n);
  if (status) {
    memory_cancel(sink);
    return status;
  }
  size_t row = m->rows->row_bytes[col];
  if (n > 0 && row > 0)
    memcpy(m->rows->data[col] + (size_t)first * row, data, (size_t)n * row);
  m->next[col] += n;
  return PH_OK;
}

static ph_status check_complete(const struct memory *m) {
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (i != PH_COL_FINAL_STATE && (m->columns & PH_COL_BIT(i)) &&
        m->next[i] != ph_begin_rows(&m->meta, (ph_column)i))
      return ph_fail(PH_EINVAL, "episode: column %s: it ends after %lld of %lld rows",
                     ph_schema_column((ph_column)i)->path, (long long)m->next[i],
                     (long long)ph_begin_rows(&m->meta, (ph_column)i));
  return PH_OK;
}

static ph_status memory_end(ph_sink *sink) {
  struct memory *m = (struct memory *)sink;
  if (!m->open)
    return ph_fail(PH_EINVAL, "episode: ends before it has begun");
  ph_status status = check_complete(m);
  ph_episode **ended = status ? NULL : realloc(m->ended, (m->n + 1) * sizeof *ended);
  if (!status && !ended)
    status = ph_fail(PH_ENOMEM, "episode: out of memory");
  if (ended)
    m->ended = ended;
  if (!status) {
    ph_backend *backend = &m->rows->base;
    m->rows = NULL;
    m->meta.file[0] = 0;
    status = ph_episode_new(&m->ended[m->n], &m->meta, m->columns, m->edits, m->nedits, backend);
  }
  m->n += !status;
  memory_cancel(sink);
  return status;
}

static ph_status memory_finish(ph_sink *sink) {
  struct memory *m = (struct memory *)sink;
  return m->open ? ph_fail(PH_EINVAL, "episode: it has not ended") : PH_OK;
}

static void memory_free(ph_sink *sink) {
  struct memory *m = (struct memory *)sink;
  if (!sink)
    return;
  memory_cancel(sink);
  for (size_t i = 0; i < m->n; i++)
    ph_episode_free(m->ended[i]);
  free(m->ended);
  free(m);
}

ph_status ph_sink_memory(ph_sink **out) {
  struct memory *m = calloc(1, sizeof *m);
  *out = NULL;
  if (!m)
    return ph_fail(PH_ENOMEM, "memory sink: out of memory");
  m->base = (ph_sink){memory_model, memory_task,   memory_begin,  memory_rows,
                      memory_end,   memory_cancel, memory_finish, memory_free};
  *out = &m->base;
  return PH_OK;
}

ph_status ph_sink_memory_take(ph_sink *sink, size_t i, ph_episode **out) {
  struct memory *m = (struct memory *)sink;
  *out = NULL;
  if (i >= m->n || !m->ended[i])
    return ph_fail(PH_ENOTFOUND, "memory sink: it has no episode %zu to give", i);
  *out = m->ended[i];
  m->ended[i] = NULL;
  return PH_OK;
}
