/* Episodes of our own format that are not whole, written anew from what is good of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode_file.h"
#include "fail.h"
#include "json.h"
#include "salvage_dig.h"
#include "sink_h5.h"

typedef struct taking {
  ph_dig *dig;
  ph_unit *unit;
  hid_t demo;
  ph_episode_meta meta, origin;
  char *provenance; /* owned */
  ph_edit *edits;   /* owned */
  size_t nedits;
  uint32_t columns;
  ph_found *of[PH_COL_COUNT];
} taking;

static ph_status add_provenance(taking *t) {
  const char *slash = strrchr(t->dig->path, '/');
  json_t *array = json_loads(t->provenance ? t->provenance : "[]", 0, NULL);
  json_t *step =
      json_pack("{s:s,s:s,s:o,s:I}", "op", "salvage", "by", "playhead " PH_VERSION, "source",
                ph_json_text(slash ? slash + 1 : t->dig->path), "steps", (json_int_t)t->unit->rows);
  if (!json_is_array(array)) {
    json_decref(array);
    array = json_array();
  }
  if (step)
    json_array_append_new(array, step);
  free(t->provenance);
  t->provenance = array ? json_dumps(array, JSON_COMPACT) : NULL;
  json_decref(array);
  t->meta.provenance = t->provenance ? t->provenance : "[]";
  return t->provenance ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", t->dig->path);
}

static ph_status read_meta(taking *t) {
  ph_meta_root(&t->origin, t->dig->from); /* as far as it can be read */
  t->meta = t->origin;
  t->meta.success = -1;
  ph_status status = ph_meta_demo(&t->meta, &t->provenance, t->demo);
  if (status)
    return status;
  snprintf(t->meta.id, sizeof t->meta.id, "%s", t->unit->id);
  bool cut = t->unit->keep < t->unit->rows;
  t->meta.actions = t->unit->keep;
  t->meta.states = t->unit->keep + 1;
  if (cut) {
    t->meta.end_reason = PH_END_SALVAGED;
    snprintf(t->meta.end_detail, sizeof t->meta.end_detail, "%lld of %lld steps were in %s",
             (long long)t->unit->keep, (long long)t->unit->rows, "a damaged file");
    t->meta.success = t->meta.success >= 0 ? 0 : -1;
    snprintf(t->meta.determinism, sizeof t->meta.determinism, "unchecked");
  }
  return add_provenance(t);
}

/* Whether the column is there as the format has it, with as many rows as are kept. */
static bool usable(const taking *t, ph_column col, ph_found *f) {
  const ph_column_info *schema = ph_schema_column(col);
  int64_t rows = schema->rows == PH_ROWS_S ? t->unit->keep + 1 : t->unit->keep;
  hid_t dataset;
  if (!f || f->kind != PH_H5_DATASET || f->extent.good < rows || f->extent.row_bytes > (1u << 24) ||
      ph_h5_at(&dataset, t->dig->from, f->address) != PH_OK)
    return false;
  bool same = ph_h5_has_type(dataset, schema->type);
  ph_h5_close(dataset);
  return same;
}

static int elements(const taking *t, ph_column col) {
  const ph_found *f = t->of[col];
  return f ? (int)(f->extent.row_bytes / ph_type_size(ph_schema_column(col)->type)) : 0;
}

/* Sizes by what the columns say; a state's numbers are not told apart here. */
static void set_dims(taking *t) {
  ph_dims *d = &t->meta.dims;
  int steps = d->control_steps;
  memset(d, 0, sizeof *d);
  d->control_steps = steps;
  d->nv = elements(t, PH_COL_WARMSTART) ? elements(t, PH_COL_WARMSTART)
                                        : elements(t, PH_COL_QFRC_APPLIED);
  d->nq = elements(t, PH_COL_STATES) - 1 - d->nv;
  d->nu = elements(t, PH_COL_CTRL);
  d->action_dim = elements(t, PH_COL_ACTIONS);
  d->action_state = elements(t, PH_COL_ACTION_STATE);
  d->nmocap = elements(t, PH_COL_MOCAP_POS) ? elements(t, PH_COL_MOCAP_POS) / 3
                                            : elements(t, PH_COL_MOCAP_QUAT) / 4;
  d->nuserdata = elements(t, PH_COL_USERDATA);
  d->neq = elements(t, PH_COL_EQ_ACTIVE);
  d->nplugin = elements(t, PH_COL_PLUGIN_STATE);
  d->nbody = elements(t, PH_COL_XFRC_APPLIED) / 6;
  if (steps == 0 && d->nu > 0)
    d->control_steps = elements(t, PH_COL_CTRL_SUBSTEPS) / d->nu;
  if (d->nu == 0 && steps > 0)
    d->nu = elements(t, PH_COL_CTRL_SUBSTEPS) / steps;
}

/* What is not there is said once: by the plan, where it knew of it. */
static void drop(taking *t, ph_column col, const ph_found *f, const char *why) {
  if (!(f->why[0] && f->keep < 0))
    ph_dig_say(t->dig, t->unit->id, PH_SALVAGE_LOST, 0, "%s: %s", ph_schema_column(col)->path,
               f->why[0] ? f->why : why);
  t->of[col] = NULL;
}

static ph_status choose_columns(taking *t) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const char *path = ph_schema_column((ph_column)col)->path;
    ph_found *f = ph_dig_below(t->dig, t->unit->root, path);
    if (!f || col == PH_COL_FINAL_STATE)
      continue;
    if (usable(t, (ph_column)col, f))
      t->of[col] = f;
    else if (!ph_dig_needs((ph_column)col))
      drop(t, (ph_column)col, f, "it is not of this format");
    else
      return ph_fail(PH_EFORMAT, "%s: %s: without it the states are not whole", path,
                     f->why[0] ? f->why : "not as many of its rows are there");
  }
  set_dims(t);
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const ph_column_info *schema = ph_schema_column((ph_column)col);
    if (t->of[col] &&
        (size_t)elements(t, (ph_column)col) != ph_schema_width((ph_column)col, &t->meta.dims)) {
      if (ph_dig_needs((ph_column)col))
        return ph_fail(PH_EFORMAT, "%s: its rows are not of the size of the others", schema->path);
      drop(t, (ph_column)col, t->of[col], "its rows are not of the size of the others");
    }
    t->columns |= t->of[col] ? PH_COL_BIT(col) : 0;
  }
  if (!t->of[PH_COL_STATES] || !t->of[PH_COL_ACTIONS])
    return ph_fail(PH_EFORMAT, "its columns are not of this format");
  return PH_OK;
}

static ph_status add_edit(taking *t, ph_found *f) {
  hid_t dataset;
  ph_h5_array info;
  ph_edit edit = {.field = ""};
  void *data = NULL;
  size_t size = 0;
  const char *name = ph_dig_name(f);
  if (!ph_dig_at(t->dig, f) || f->why[0] || strlen(name) >= sizeof edit.field)
    return ph_fail(PH_EFORMAT, "playhead/model/%s: what its reset changed in the model is lost",
                   name);
  ph_status status = ph_h5_dataset(&dataset, &info, t->demo, ph_dig_within(t->dig, f));
  ph_h5_close(dataset);
  if (!status && (info.rank < 1 || info.rank > 2 || info.type == PH_STRING || !info.native))
    status = ph_fail(PH_EFORMAT, "playhead/model/%s: it is no array of numbers", name);
  if (!status)
    status = ph_file_checked(&data, &size, NULL, t->demo, ph_dig_within(t->dig, f), 1 << 30);
  ph_edit *more = status ? NULL : realloc(t->edits, (t->nedits + 1) * sizeof *more);
  if (!more) {
    free(data);
    return status ? status : ph_fail(PH_ENOMEM, "%s: out of memory", t->dig->path);
  }
  snprintf(edit.field, sizeof edit.field, "%s", name);
  edit.type = info.type;
  edit.shape[0] = info.dim[0];
  edit.shape[1] = info.rank > 1 ? info.dim[1] : 1;
  edit.data = data;
  t->edits = more;
  t->edits[t->nedits++] = edit;
  return PH_OK;
}

static ph_status read_edits(taking *t) {
  ph_status status = PH_OK;
  const ph_found *group = ph_dig_below(t->dig, t->unit->root, "playhead/model");
  const ph_found *above = ph_dig_below(t->dig, t->unit->root, "playhead");
  if (!above || above->kind != PH_H5_GROUP || above->broken || above->mended ||
      (group && (group->kind != PH_H5_GROUP || group->broken || group->mended)))
    return ph_fail(PH_EFORMAT, "playhead: what it holds of the state cannot all be listed");
  for (size_t i = t->unit->root; i < t->unit->end && !status; i++) {
    ph_found *f = &t->dig->at[i];
    if (strncmp(ph_dig_within(t->dig, f), "playhead/model/", 15) == 0)
      status = add_edit(t, f);
  }
  return status;
}

/* Row `row` of a column that takes one row more than its dataset has: the state after the last
 * action, or the row of states behind those that are kept. */
static ph_status read_last(taking *t, void *out, size_t size) {
  void *data = NULL;
  size_t got = 0;
  ph_status status =
      ph_file_checked(&data, &got, NULL, t->demo, "playhead/final_state", (int64_t)1 << 24);
  if (!status && got != size)
    status = ph_fail(PH_EFORMAT, "playhead/final_state: its size is not that of a state");
  if (!status)
    memcpy(out, data, size);
  free(data);
  return status;
}

static ph_status put_column(taking *t, ph_demo *demo, ph_column col) {
  ph_found *f = t->of[col];
  hid_t dataset;
  int64_t rows = ph_begin_rows(&t->meta, col), block = PH_CRC_BLOCK_ROWS;
  if (!ph_dig_at(t->dig, f))
    return ph_fail(PH_EFORMAT, "%s: %s", ph_schema_column(col)->path, f->why);
  char *data = malloc((size_t)block * f->extent.row_bytes + 1);
  if (!data)
    return ph_fail(PH_ENOMEM, "%s: out of memory", t->dig->path);
  ph_status status = ph_h5_at(&dataset, t->dig->from, f->address);
  for (int64_t first = 0; first < rows && !status; first += block) {
    int64_t n = rows - first < block ? rows - first : block;
    int64_t there = f->extent.good - first < n ? f->extent.good - first : n;
    if (there > 0)
      status =
          ph_h5_extent_read(dataset, &f->extent, ph_schema_column(col)->type, first, there, data);
    if (!status && there < n) /* of states alone */
      status = read_last(t, data + (size_t)there * f->extent.row_bytes, f->extent.row_bytes);
    if (!status)
      status = ph_demo_rows(demo, col, first, n, data);
    ph_dig_tick(t->dig, (uint64_t)n * f->extent.row_bytes);
  }
  ph_h5_close(dataset);
  free(data);
  return status;
}

static ph_status write_demo(taking *t) {
  ph_demo demo = {.group = H5I_INVALID_HID};
  const ph_begin begin = {&t->meta, t->columns, t->edits, t->nedits};
  ph_status status =
      ph_demo_begin(&demo, t->dig->to, t->dig->at[t->unit->root].path, &begin, false);
  if (!status)
    status = ph_sink_put_own(demo.group, &t->meta, &t->origin);
  for (int col = 0; col < PH_COL_COUNT && !status; col++)
    if (t->columns & PH_COL_BIT(col))
      status = put_column(t, &demo, (ph_column)col);
  if (!status)
    status = ph_demo_end(&demo);
  ph_demo_close(&demo);
  return status;
}

ph_status ph_dig_take_own(ph_dig *dig, ph_unit *unit) {
  taking t = {.dig = dig, .unit = unit, .demo = H5I_INVALID_HID};
  ph_found *root = &dig->at[unit->root];
  if (!ph_dig_at(dig, root))
    return ph_fail(PH_EFORMAT, "%s", root->why);
  ph_status status = ph_h5_at(&t.demo, dig->from, root->address);
  if (!status)
    status = read_meta(&t);
  if (!status)
    status = choose_columns(&t);
  if (!status)
    status = read_edits(&t);
  if (!status)
    status = write_demo(&t);
  for (size_t i = 0; i < t.nedits; i++)
    free((void *)t.edits[i].data);
  free(t.edits);
  free(t.provenance);
  ph_h5_close(t.demo);
  return status;
}

ph_status ph_dig_put_index(ph_dig *dig) {
  ph_entry *entries = calloc(dig->nunits + 1, sizeof *entries);
  size_t n = 0;
  ph_status status = entries ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  for (size_t i = 0; i < dig->nunits && !status; i++) {
    if (dig->unit[i].own && !dig->unit[i].lost)
      status =
          ph_episode_peek_in(&entries[n++], dig->to, dig->out, dig->at[dig->unit[i].root].path);
    ph_dig_tick(dig, PH_DIG_OBJECT);
  }
  if (!status)
    status = ph_h5_put_index(dig->to, entries, n);
  free(entries);
  return status;
}
