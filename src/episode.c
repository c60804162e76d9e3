#include "episode.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

const char *ph_end_name(ph_end end) {
  static const char *const names[] = {
#define PH_END_NAME(id, name) name,
      PH_END_LIST(PH_END_NAME)
#undef PH_END_NAME
  };
  return (unsigned)end < PH_END_COUNT ? names[end] : names[PH_END_UNKNOWN];
}

ph_end ph_end_from_name(const char *name) {
  for (int end = 0; end < PH_END_COUNT; end++)
    if (strcmp(name, ph_end_name((ph_end)end)) == 0)
      return (ph_end)end;
  return PH_END_UNKNOWN;
}

/* --- edits --- */

/* Bytes of an edit's array; false when its shape is none. */
static bool edit_size(const ph_edit *edit, size_t *size) {
  size_t element = ph_type_size(edit->type), rows, cols, n;
  if (element == 0 || edit->shape[0] < 0 || edit->shape[1] < 0)
    return false;
  rows = (size_t)edit->shape[0];
  cols = (size_t)edit->shape[1];
  return !__builtin_mul_overflow(rows, cols, &n) && !__builtin_mul_overflow(n, element, size);
}

ph_status ph_edits_copy(ph_edit **out, const ph_edit *edits, size_t n) {
  *out = NULL;
  if (n == 0)
    return PH_OK;
  ph_edit *copy = calloc(n, sizeof *copy);
  if (!copy)
    return ph_fail(PH_ENOMEM, "model edits: %zu of them: out of memory", n);
  for (size_t i = 0; i < n; i++) {
    size_t size = 0;
    void *data = NULL;
    copy[i] = edits[i];
    copy[i].data = NULL;
    if (edit_size(&edits[i], &size))
      data = malloc(size > 0 ? size : 1);
    if (!data) {
      ph_fail(PH_ENOMEM, "model edit %.40s: %zu bytes: out of memory", edits[i].field, size);
      ph_edits_free(copy, n);
      return PH_ENOMEM;
    }
    if (size > 0)
      memcpy(data, edits[i].data, size);
    copy[i].data = data;
  }
  *out = copy;
  return PH_OK;
}

void ph_edits_free(ph_edit *edits, size_t n) {
  for (size_t i = 0; edits && i < n; i++)
    free((void *)edits[i].data);
  free(edits);
}

/* --- episode --- */

static ph_status check_new(const ph_episode_meta *meta, uint32_t columns) {
  const ph_episode_meta *m = meta;
  bool ours = !m->layout[0]; /* others may lack actions */
  if (m->actions < 0 || m->states < m->actions || (ours && m->states > m->actions + 1))
    return ph_fail(PH_EINVAL, "%s: %lld actions and %lld states are no episode", m->id,
                   (long long)m->actions, (long long)m->states);
  if (!(columns & PH_COL_BIT(PH_COL_STATES)))
    return ph_fail(PH_EINVAL, "%s: no states", m->id);
  return PH_OK;
}

static void count_rows(ph_episode *e) {
  for (int i = 0; i < PH_COL_COUNT; i++) {
    const ph_column_info *info = ph_schema_column((ph_column)i);
    e->stored[i] = info->type;
    e->rows[i] = info->rows == PH_ROWS_A   ? e->meta.actions
                 : info->rows == PH_ROWS_S ? e->meta.states
                                           : 1;
  }
  e->rows[PH_COL_STATES] = e->meta.states;
}

ph_status ph_episode_new(ph_episode **out, const ph_episode_meta *meta, uint32_t columns,
                         const ph_edit *edits, size_t nedits, ph_backend *backend) {
  ph_status status = check_new(meta, columns);
  ph_episode *e = NULL;
  *out = NULL;
  if (status)
    goto out;
  e = calloc(1, sizeof *e);
  if (!e) {
    status = ph_fail(PH_ENOMEM, "%s: out of memory", meta->id);
    goto out;
  }
  e->meta = *meta;
  e->last_outcome = -1;
  e->columns = columns & ~PH_COL_BIT(PH_COL_FINAL_STATE);
  if (meta->states == meta->actions + 1)
    e->columns |= PH_COL_BIT(PH_COL_FINAL_STATE);
  count_rows(e);
  e->provenance = strdup(meta->provenance && *meta->provenance ? meta->provenance : "[]");
  if (!e->provenance) {
    status = ph_fail(PH_ENOMEM, "%s: out of memory", meta->id);
    goto out;
  }
  e->meta.provenance = e->provenance;
  status = ph_edits_copy(&e->edits, edits, nedits);
  if (status)
    goto out;
  e->nedits = nedits;
  e->backend = backend;
  backend = NULL;
  *out = e;
  e = NULL;
out:
  if (backend)
    backend->free(backend);
  ph_episode_free(e);
  return status;
}

void ph_episode_free(ph_episode *episode) {
  if (!episode)
    return;
  if (episode->backend)
    episode->backend->free(episode->backend);
  ph_edits_free(episode->edits, episode->nedits);
  ph_model_unref(episode->recorded);
  free(episode->provenance);
  free(episode->channels);
  free(episode->findings);
  free(episode);
}

const ph_episode_meta *ph_episode_meta_of(const ph_episode *episode) {
  return &episode->meta;
}

bool ph_episode_has(const ph_episode *episode, ph_column col) {
  return (unsigned)col < PH_COL_COUNT && (episode->columns & PH_COL_BIT(col));
}

int64_t ph_episode_rows(const ph_episode *episode, ph_column col) {
  return ph_episode_has(episode, col) ? episode->rows[col] : 0;
}

ph_type ph_episode_stored_type(const ph_episode *episode, ph_column col) {
  return episode->stored[col];
}

ph_status ph_episode_read(const ph_episode *episode, ph_column col, int64_t first, int64_t n,
                          void *out) {
  const ph_episode_meta *m = &episode->meta;
  if (!ph_episode_has(episode, col))
    return ph_fail(PH_ENOTFOUND, "%s: it stores no %s", m->id,
                   (unsigned)col < PH_COL_COUNT ? ph_schema_column(col)->path : "such column");
  int64_t rows = ph_episode_rows(episode, col);
  if (first < 0 || n < 0 || first > rows || n > rows - first)
    return ph_fail(PH_EINVAL, "%s: rows %lld to %lld of %s: it has %lld", m->id, (long long)first,
                   (long long)(first + (n > 0 ? n - 1 : 0)), ph_schema_column(col)->path,
                   (long long)rows);
  if (n == 0 || ph_schema_width(col, &m->dims) == 0)
    return PH_OK;
  if (col == PH_COL_FINAL_STATE)
    return episode->backend->read(episode->backend, PH_COL_STATES, m->actions, 1, out);
  return episode->backend->read(episode->backend, col, first, n, out);
}

const ph_edit *ph_episode_edits(const ph_episode *episode, size_t *n) {
  *n = episode->nedits;
  return episode->edits;
}

/* --- channels, findings --- */

const ph_channel *ph_episode_channels(const ph_episode *episode, size_t *n) {
  *n = episode->nchannels;
  return episode->channels;
}

ph_status ph_episode_channel_read(const ph_episode *episode, size_t channel, int64_t first,
                                  int64_t n, double *out) {
  const ph_backend *backend = episode->backend;
  const char *id = episode->meta.id;
  if (channel >= episode->nchannels)
    return ph_fail(PH_EINVAL, "%s: channel %zu of %zu", id, channel, episode->nchannels);
  const ph_channel *c = &episode->channels[channel];
  if (c->kind != PH_CHANNEL_NUMBERS || !backend->read_channel)
    return ph_fail(PH_EINVAL, "%s: %s: it is not read as numbers", id, c->name);
  if (first < 0 || n < 0 || first > c->rows || n > c->rows - first)
    return ph_fail(PH_EINVAL, "%s: rows %lld to %lld of %s: it has %lld", id, (long long)first,
                   (long long)(first + (n > 0 ? n - 1 : 0)), c->name, (long long)c->rows);
  if (n == 0 || c->width == 0)
    return PH_OK;
  return backend->read_channel(backend, channel, first, n, out);
}

const ph_finding *ph_episode_findings(const ph_episode *episode, size_t *n) {
  *n = episode->nfindings;
  return episode->findings;
}

const char *ph_finding_name(ph_finding_kind kind) {
  static const char *const names[] = {
#define PH_FINDING_TEXT(id, name) name,
      PH_FINDING_LIST(PH_FINDING_TEXT)
#undef PH_FINDING_TEXT
  };
  return (unsigned)kind < PH_FINDING_COUNT ? names[kind] : "finding";
}
