#include "episode_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- columns --- */

/* Dimensions after the rows: 0, 1 or 2, from the symbolic shape alone. */
static int row_rank(ph_column col) {
  ph_dims dims = {0};
  int64_t shape[3];
  return ph_schema_shape(col, &dims, shape);
}

/* What the column claims to hold must be possible in a file of this size. */
static ph_status check_extent(const ph_file_backend *b, const ph_file_column *c, const char *path) {
  size_t bytes;
  if (__builtin_mul_overflow((size_t)c->rows, c->row_bytes, &bytes) || bytes > INT64_MAX)
    return ph_fail(PH_EFORMAT, "%s: its size is impossible", path);
  if (bytes == 0)
    return PH_OK;
  if (c->info.offset >= 0 &&
      (c->info.offset > b->size || bytes > (size_t)(b->size - c->info.offset)))
    return ph_fail(PH_EFORMAT, "%s: it ends beyond the end of the file", path);
  if (c->info.offset < 0 && bytes / PH_INFLATE_MAX > (size_t)b->size)
    return ph_fail(PH_EFORMAT, "%s: %zu bytes cannot be in a file of %lld", path, bytes,
                   (long long)b->size);
  return PH_OK;
}

/* What a demo group holds, by listing it: a lookup could not tell what is damaged or refused from
 * what is not there. */
typedef struct contents {
  const char *prefix;
  uint32_t columns; /* PH_COL_BIT */
  bool playhead, crc, model;
} contents;

static ph_status note_object(void *arg, const char *name, bool is_group) {
  contents *c = arg;
  char path[64];
  if ((size_t)snprintf(path, sizeof path, "%s%s", c->prefix, name) >= sizeof path)
    return PH_OK;
  ph_column col = ph_schema_find(path);
  if (col < PH_COL_COUNT)
    c->columns |= PH_COL_BIT(col);
  c->playhead |= is_group && strcmp(path, "playhead") == 0;
  c->crc |= strcmp(path, "playhead/crc") == 0;
  c->model |= strcmp(path, "playhead/model") == 0;
  return PH_OK;
}

static ph_status list_contents(contents *c, hid_t demo) {
  hid_t group = H5I_INVALID_HID;
  c->prefix = "";
  ph_status status = ph_h5_list(demo, note_object, c);
  if (status || !c->playhead)
    return status;
  status = ph_h5_group(&group, demo, "playhead");
  c->prefix = "playhead/";
  if (status == PH_OK)
    status = ph_h5_list(group, note_object, c);
  ph_h5_close(group);
  return status;
}

/* Opens a column and checks type, rank and number of rows; the row's shape is checked later, when
 * all sizes are known. */
static ph_status open_column(ph_file_backend *b, hid_t demo, ph_column col,
                             const ph_episode_meta *m) {
  const ph_column_info *schema = ph_schema_column(col);
  ph_file_column *c = &b->col[col];
  ph_status status = ph_h5_dataset(&c->dataset, &c->info, demo, schema->path);
  if (status)
    return status;
  const ph_h5_array *info = &c->info;
  if (info->type != schema->type || !info->native)
    return ph_fail(PH_EFORMAT, "%s: its type is not %s, little-endian", schema->path,
                   ph_type_name(schema->type));
  int lead = schema->rows == PH_ROWS_ONE ? 0 : 1;
  if (info->rank != lead + row_rank(col))
    return ph_fail(PH_EFORMAT, "%s: it has %d dimensions instead of %d", schema->path, info->rank,
                   lead + row_rank(col));
  c->rows = lead ? info->dim[0] : 1;
  c->width = 1;
  for (int i = lead; i < info->rank; i++)
    if (info->dim[i] < 0 || info->dim[i] > INT_MAX / 16 ||
        __builtin_mul_overflow(c->width, (size_t)info->dim[i], &c->width))
      return ph_fail(PH_EFORMAT, "%s: its rows are impossibly long", schema->path);
  if (__builtin_mul_overflow(c->width, ph_type_size(schema->type), &c->row_bytes))
    return ph_fail(PH_EFORMAT, "%s: its rows are impossibly long", schema->path);
  bool fits = schema->rows == PH_ROWS_ONE || c->rows == m->actions ||
              (schema->rows == PH_ROWS_S && c->rows == m->actions + 1);
  if (schema->rows == PH_ROWS_S && m->states > m->actions)
    fits = c->rows == m->states;
  if (!fits)
    return ph_fail(PH_EFORMAT, "%s: it has %lld rows where num_samples is %lld", schema->path,
                   (long long)c->rows, (long long)m->actions);
  c->stored = true;
  return check_extent(b, c, schema->path);
}

static ph_status open_columns(ph_file_backend *b, hid_t demo, uint32_t columns,
                              const ph_episode_meta *m) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    ph_status status = columns & PH_COL_BIT(col) ? open_column(b, demo, (ph_column)col, m) : PH_OK;
    if (status)
      return status;
  }
  if (!b->col[PH_COL_STATES].stored || !b->col[PH_COL_ACTIONS].stored)
    return ph_fail(PH_EFORMAT, "it has no dataset %s",
                   b->col[PH_COL_STATES].stored ? "actions" : "states");
  if (m->actions == 0)
    return ph_fail(PH_EFORMAT, "it has no step: num_samples is 0");
  return PH_OK;
}

/* A writer that had the state after the last action wrote all of it. */
static void find_lost_state(const ph_file_backend *b, ph_episode_meta *m) {
  for (int col = 0; col < PH_COL_COUNT && m->states == m->actions && !m->oddity[0]; col++)
    if (b->col[col].stored && b->col[col].rows == m->actions + 1)
      snprintf(m->oddity, sizeof m->oddity,
               "playhead/final_state: not stored, though %s has the row that belongs to it",
               ph_schema_column((ph_column)col)->path);
}

/* --- sizes --- */

static int column_dim(const ph_file_backend *b, ph_column col, int i) {
  const ph_file_column *c = &b->col[col];
  return c->stored && i < c->info.rank ? (int)c->info.dim[i] : 0;
}

/* What only the model's attribute says bounds nothing: a column must hold as many, if no table of
 * names does. Columns are compared later. */
static ph_status check_backed(const ph_file_backend *b, const ph_model_facts *facts) {
  const ph_dims *d = &facts->dims;
  const struct {
    const char *name;
    int value;
    ph_kind kind;
    ph_column column, other;
  } sizes[] = {
      {"nu", d->nu, PH_ACTUATOR, PH_COL_CTRL, PH_COL_CTRL_SUBSTEPS},
      {"nmocap", d->nmocap, PH_MOCAP, PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT},
      {"neq", d->neq, PH_EQUALITY, PH_COL_EQ_ACTIVE, PH_COL_EQ_ACTIVE},
      {"nbody", d->nbody, PH_BODY, PH_COL_XFRC_APPLIED, PH_COL_XFRC_APPLIED},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].value > 0 && (facts->unnamed & 1u << sizes[i].kind) &&
        !b->col[sizes[i].column].stored && !b->col[sizes[i].other].stored)
      return ph_fail(PH_EFORMAT,
                     "attribute %s of its model: %d where %s and names/%s are not there: 0",
                     sizes[i].name, sizes[i].value, ph_schema_column(sizes[i].column)->path,
                     ph_schema_kind(sizes[i].kind));
  return PH_OK;
}

/* Sizes by the model's facts where there are any, else by what the columns say of themselves.
 * Without facts qpos and act cannot be told apart: the rest of the state counts as qpos. */
static ph_status set_dims(ph_dims *d, const ph_file_backend *b, const ph_model_facts *facts) {
  int steps = d->control_steps, width = column_dim(b, PH_COL_STATES, 1);
  memset(d, 0, sizeof *d);
  if (facts)
    *d = facts->dims;
  if (!facts) {
    int forces = column_dim(b, PH_COL_QFRC_APPLIED, 1);
    d->nv = b->col[PH_COL_WARMSTART].stored ? column_dim(b, PH_COL_WARMSTART, 1) : forces;
    d->nu = b->col[PH_COL_CTRL].stored ? column_dim(b, PH_COL_CTRL, 1)
                                       : column_dim(b, PH_COL_CTRL_SUBSTEPS, 2);
    d->nq = width - 1 - d->nv;
    if (d->nq < 0)
      return ph_fail(PH_EFORMAT, "states: %d elements cannot hold time and %d velocities", width,
                     d->nv);
  }
  if (!facts || !d->nmocap)
    d->nmocap = column_dim(b, PH_COL_MOCAP_POS, 1) ? column_dim(b, PH_COL_MOCAP_POS, 1)
                                                   : column_dim(b, PH_COL_MOCAP_QUAT, 1);
  if (!facts || !d->nuserdata)
    d->nuserdata = column_dim(b, PH_COL_USERDATA, 1);
  if (!facts || !d->neq)
    d->neq = column_dim(b, PH_COL_EQ_ACTIVE, 1);
  if (!facts || !d->nplugin)
    d->nplugin = column_dim(b, PH_COL_PLUGIN_STATE, 1);
  if (!facts || !d->nbody)
    d->nbody = column_dim(b, PH_COL_XFRC_APPLIED, 1);
  d->action_dim = column_dim(b, PH_COL_ACTIONS, 1);
  d->action_state = column_dim(b, PH_COL_ACTION_STATE, 1);
  d->control_steps = steps ? steps : column_dim(b, PH_COL_CTRL_SUBSTEPS, 1);
  return PH_OK;
}

static ph_status check_shapes(const ph_file_backend *b, const ph_dims *dims) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const ph_file_column *c = &b->col[col];
    int64_t shape[3];
    if (!c->stored)
      continue;
    const ph_column_info *schema = ph_schema_column((ph_column)col);
    int n = ph_schema_shape((ph_column)col, dims, shape);
    const int64_t *dim = c->info.dim + (c->info.rank - n);
    for (int i = 0; i < n; i++)
      if (dim[i] != shape[i])
        return ph_fail(PH_EFORMAT, "%s: %lld elements in a row where %s is %lld", schema->path,
                       (long long)dim[i], schema->shape, (long long)shape[i]);
  }
  return PH_OK;
}

/* --- checksums --- */

static int64_t blocks_of(int64_t rows) {
  return rows / PH_CRC_BLOCK_ROWS + (rows % PH_CRC_BLOCK_ROWS != 0);
}

/* Gives every column that the list names its line of the table. A name that is not known belongs to
 * a dataset that is ignored. */
static ph_status assign_lines(ph_file_backend *b, char *list) {
  char *rest = list;
  int64_t line = 0;
  for (char *name; (name = strtok_r(rest, PH_CRC_SEPARATORS, &rest)); line++) {
    ph_column col = ph_schema_find(name);
    if (line >= b->listed)
      return ph_fail(PH_EFORMAT, "playhead/crc: it lists more columns than it has lines");
    if (col == PH_COL_COUNT)
      continue;
    if (!b->col[col].stored)
      return ph_fail(PH_EFORMAT, "playhead/crc: it lists %s, which is not there", name);
    if (b->col[col].crc)
      return ph_fail(PH_EFORMAT, "playhead/crc: it lists %s twice", name);
    b->col[col].crc = b->crc + line * b->blocks;
  }
  if (line != b->listed)
    return ph_fail(PH_EFORMAT, "playhead/crc: it lists %lld columns and has %lld lines",
                   (long long)line, (long long)b->listed);
  for (int col = 0; col < PH_COL_COUNT; col++)
    if (b->col[col].stored && col != PH_COL_FINAL_STATE && !b->col[col].crc)
      return ph_fail(PH_EFORMAT, "playhead/crc: it lacks a line for %s",
                     ph_schema_column((ph_column)col)->path);
  return PH_OK;
}

static ph_status read_crc(ph_file_backend *b, hid_t demo, const ph_episode_meta *m) {
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  char *list = NULL;
  void *data = NULL;
  size_t size = 0;
  ph_status status = ph_h5_dataset(&dataset, &info, demo, "playhead/crc");
  if (status)
    goto out;
  if (info.type != PH_U32 || !info.native || info.rank != 2) {
    status = ph_fail(PH_EFORMAT, "playhead/crc: it is no table of u32");
    goto out;
  }
  int64_t most = blocks_of(m->actions + 1);
  for (int col = 0; col < PH_COL_COUNT; col++)
    if (b->col[col].stored && col != PH_COL_FINAL_STATE &&
        info.dim[1] < blocks_of(b->col[col].rows))
      most = 0;
  if (info.dim[1] < 1 || info.dim[1] > most) {
    status = ph_fail(PH_EFORMAT, "playhead/crc: %lld blocks do not cover the rows",
                     (long long)info.dim[1]);
    goto out;
  }
  status = ph_h5_attr_text(dataset, "columns", &list);
  if (status == PH_OK)
    status = ph_file_checked(&data, &size, NULL, demo, "playhead/crc", b->size);
  if (status)
    goto out;
  b->crc = data;
  b->listed = info.dim[0];
  b->blocks = info.dim[1];
  if (size != (size_t)b->listed * (size_t)b->blocks * sizeof *b->crc) {
    status = ph_fail(PH_EFORMAT, "playhead/crc: its size is not that of its shape");
    goto out;
  }
  b->verified = calloc(PH_COL_COUNT, (size_t)b->blocks * sizeof *b->verified);
  status = b->verified ? assign_lines(b, list) : ph_fail(PH_ENOMEM, "playhead/crc: out of memory");
  for (int col = 0; b->verified && col < PH_COL_COUNT; col++)
    b->col[col].verified = b->verified + col * b->blocks;
out:
  ph_h5_close(dataset);
  free(list);
  return status;
}

static ph_status read_final_state(ph_file_backend *b, hid_t demo) {
  const ph_file_column *c = &b->col[PH_COL_FINAL_STATE];
  size_t size = 0;
  if (!c->stored)
    return PH_OK;
  ph_status status =
      ph_file_checked(&b->final_state, &size, &b->final_crc, demo, "playhead/final_state", b->size);
  if (status == PH_OK && size != c->row_bytes)
    status = ph_fail(PH_EFORMAT, "playhead/final_state: its size is not that of its shape");
  return status;
}

/* --- all of it --- */

ph_status ph_columns_open(ph_file_backend *b, bool *edits, hid_t demo, ph_episode_meta *m,
                          const ph_model_facts *facts) {
  contents held = {0};
  ph_status status = list_contents(&held, demo);
  m->states = m->actions + (held.columns & PH_COL_BIT(PH_COL_FINAL_STATE) ? 1 : 0);
  *edits = held.model;
  if (status == PH_OK)
    status = open_columns(b, demo, held.columns, m);
  if (status == PH_OK)
    find_lost_state(b, m);
  if (status == PH_OK && !held.crc)
    status = ph_fail(PH_EFORMAT, "playhead/crc: it is not there: without checksums it is no whole "
                                 "file of this format");
  if (status == PH_OK && facts)
    status = check_backed(b, facts);
  if (status == PH_OK)
    status = set_dims(&m->dims, b, facts);
  if (status == PH_OK)
    status = check_shapes(b, &m->dims);
  if (status == PH_OK)
    status = read_crc(b, demo, m);
  if (status == PH_OK)
    status = read_final_state(b, demo);
  return status;
}
