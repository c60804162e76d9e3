#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "object_names.h"
#include "predicate_parts.h"

/* --- columns --- */

static void add_column(ph_predicate_rows *rows, const char *name, int size) {
  if (size <= 0)
    return;
  rows->column[rows->ncolumns++] = (ph_rows_column){name, size};
  rows->width += size;
}

static int sensor_numbers(const ph_sim *sim) {
  int n = 0;
  const ph_model *model = ph_scene_model(sim);
  for (int i = 0; i < ph_model_count(model, PH_SENSOR); i++)
    n += ph_scene_sensor_dim(sim, i);
  return n;
}

/* In the order in which ph_predicate_rows_add writes them. */
static void make_columns(ph_predicate_rows *rows) {
  const ph_episode *e = rows->episode;
  const ph_dims *d = &ph_episode_meta_of(e)->dims;
  const ph_sim *sim = ph_replay_sim(rows->replay);
  add_column(rows, "time", 1);
  add_column(rows, "qpos", d->nq);
  add_column(rows, "qvel", d->nv);
  add_column(rows, "act", d->na);
  if (sim || ph_episode_has(e, PH_COL_MOCAP_POS))
    add_column(rows, "mocap_pos", 3 * d->nmocap);
  if (sim || ph_episode_has(e, PH_COL_MOCAP_QUAT))
    add_column(rows, "mocap_quat", 4 * d->nmocap);
  if (ph_episode_has(e, PH_COL_CTRL))
    add_column(rows, "ctrl", d->nu);
  if (ph_episode_has(e, PH_COL_ACTIONS))
    add_column(rows, "action", d->action_dim);
  if (!sim)
    return;
  add_column(rows, "xpos", 3 * ph_model_count(rows->model, PH_BODY));
  add_column(rows, "xquat", 4 * ph_model_count(rows->model, PH_BODY));
  add_column(rows, "site_xpos", 3 * ph_model_count(rows->model, PH_SITE));
  add_column(rows, "sensordata", sensor_numbers(sim));
}

static bool has(const ph_predicate_rows *rows, const char *name) {
  for (int i = 0; i < rows->ncolumns; i++)
    if (strcmp(rows->column[i].name, name) == 0)
      return true;
  return false;
}

/* --- the line --- */

static void add_columns(ph_predicate_rows *rows, ph_bytes *out) {
  int at = 0;
  ph_bytes_text(out, ", \"columns\": [");
  for (int i = 0; i < rows->ncolumns; i++) {
    ph_bytes_print(out, "%s{\"name\": \"%s\", \"at\": %d, \"size\": %d}", i ? ", " : "",
                   rows->column[i].name, at, rows->column[i].size);
    at += rows->column[i].size;
  }
  ph_bytes_text(out, "]");
}

static void add_name(ph_bytes *out, const ph_model *model, ph_kind kind, int i) {
  char name[PH_OBJECT_NAME];
  ph_object_name(name, sizeof name, model, kind, i);
  ph_bytes_string(out, name);
}

static void add_names(ph_bytes *out, const char *key, const ph_model *model, ph_kind kind) {
  ph_bytes_print(out, ", \"%s\": [", key);
  for (int i = 0; model && i < ph_model_count(model, kind); i++) {
    ph_bytes_text(out, i ? ", " : "");
    add_name(out, model, kind, i);
  }
  ph_bytes_text(out, "]");
}

static void add_joints(ph_bytes *out, const ph_model *model) {
  ph_bytes_text(out, ", \"joints\": [");
  for (int i = 0; model && i < ph_model_count(model, PH_JOINT); i++) {
    const ph_joint_info *joint = ph_model_joint(model, i);
    ph_bytes_text(out, i ? ", {\"name\": " : "{\"name\": ");
    add_name(out, model, PH_JOINT, i);
    ph_bytes_print(out, ", \"type\": \"%s\", \"qpos\": %d, \"qvel\": %d}",
                   ph_joint_type_name(joint->type), joint->qposadr, joint->dofadr);
  }
  ph_bytes_text(out, "]");
}

static void add_sensors(ph_bytes *out, const ph_sim *sim) {
  int n = sim ? ph_model_count(ph_scene_model(sim), PH_SENSOR) : 0;
  ph_bytes_text(out, ", \"sensors\": [");
  for (int i = 0; i < n; i++) {
    ph_bytes_text(out, i ? ", {\"name\": " : "{\"name\": ");
    add_name(out, ph_scene_model(sim), PH_SENSOR, i);
    ph_bytes_print(out, ", \"at\": %d, \"size\": %d}", ph_scene_sensor_address(sim, i),
                   ph_scene_sensor_dim(sim, i));
  }
  ph_bytes_text(out, "]");
}

static double element(const ph_edit *edit, int64_t i) {
  switch (edit->type) {
  case PH_F64:
    return ((const double *)edit->data)[i];
  case PH_F32:
    return (double)((const float *)edit->data)[i];
  case PH_I32:
    return ((const int32_t *)edit->data)[i];
  case PH_U8:
    return ((const uint8_t *)edit->data)[i];
  case PH_I64:
    return (double)((const int64_t *)edit->data)[i];
  case PH_U32:
    return ((const uint32_t *)edit->data)[i];
  case PH_STRING:
    break;
  }
  return NAN;
}

static void add_edits(ph_bytes *out, const ph_episode *episode) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(episode, &n);
  ph_bytes_text(out, ", \"edits\": [");
  for (size_t k = 0; k < n; k++) {
    const ph_edit *e = &edits[k];
    ph_bytes_text(out, k ? ", {\"field\": " : "{\"field\": ");
    ph_bytes_string(out, e->field);
    ph_bytes_print(out, ", \"shape\": [%" PRId64 ", %" PRId64 "], \"values\": [", e->shape[0],
                   e->shape[1]);
    for (int64_t i = 0; i < e->shape[0] * e->shape[1]; i++) {
      ph_bytes_text(out, i ? ", " : "");
      ph_bytes_number(out, element(e, i));
    }
    ph_bytes_text(out, "]}");
  }
  ph_bytes_text(out, "]");
}

static void make_header(ph_predicate_rows *rows, const char *model_path) {
  const ph_episode_meta *meta = ph_episode_meta_of(rows->episode);
  ph_bytes *out = &rows->header;
  const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "<f8" : ">f8";
  ph_bytes_print(out, ", \"row\": %d, \"dtype\": \"%s\", \"states\": %" PRId64 ", \"file\": ",
                 rows->width, order, meta->states);
  ph_bytes_string(out, meta->file);
  ph_bytes_text(out, ", \"episode\": ");
  ph_bytes_string(out, meta->id);
  ph_bytes_text(out, ", \"control_dt\": ");
  ph_bytes_number(out, meta->control_dt > 0 ? meta->control_dt : NAN);
  add_columns(rows, out);
  add_joints(out, rows->model);
  add_names(out, "actuators", rows->model, PH_ACTUATOR);
  add_names(out, "mocap", rows->model, PH_MOCAP);
  add_names(out, "bodies", rows->model, PH_BODY);
  add_names(out, "sites", rows->model, PH_SITE);
  add_sensors(out, ph_replay_sim(rows->replay));
  ph_bytes_text(out, ", \"model\": ");
  if (model_path)
    ph_bytes_string(out, model_path);
  else
    ph_bytes_text(out, "null");
  add_edits(out, rows->episode);
}

/* --- life --- */

ph_status ph_predicate_rows_open(ph_predicate_rows *rows, const ph_episode *episode,
                                 const ph_model *model, const char *model_path) {
  int dim = ph_episode_meta_of(episode)->dims.action_dim;
  *rows = (ph_predicate_rows){.episode = episode, .model = model};
  if (!ph_episode_has(episode, PH_COL_STATES))
    return ph_fail(PH_ENOTFOUND, "predicate: there are no states to judge");
  ph_status status = ph_replay_create(&rows->replay, episode, model, NULL);
  if (status != PH_OK)
    return status;
  make_columns(rows);
  make_header(rows, model_path);
  rows->action = malloc(((size_t)dim + 1) * sizeof *rows->action);
  for (int i = 0; rows->action && i < dim; i++)
    rows->action[i] = NAN;
  return rows->action && !rows->header.lost ? PH_OK
                                            : ph_fail(PH_ENOMEM, "predicate: out of memory");
}

void ph_predicate_rows_close(ph_predicate_rows *rows) {
  ph_replay_free(rows->replay);
  free(rows->action);
  free(rows->header.data);
}

/* --- rows --- */

static void put(ph_bytes *out, const double *from, int n) {
  static const double nan = NAN;
  if (from)
    ph_bytes_add(out, from, (size_t)n * sizeof *from);
  for (int i = 0; !from && i < n; i++)
    ph_bytes_add(out, &nan, sizeof nan);
}

/* In the order of make_columns. */
static void put_row(ph_predicate_rows *rows, ph_bytes *out) {
  const ph_dims *d = &ph_episode_meta_of(rows->episode)->dims;
  const ph_frame *frame = ph_replay_frame(rows->replay);
  const ph_sim *sim = ph_replay_sim(rows->replay);
  ph_row derived = {0};
  ph_view view = {0};
  if (sim && frame->forward && ph_sim_get_row(sim, &derived) == PH_OK)
    ph_view_of(&view, sim);
  const double *pos = frame->row.mocap_pos ? frame->row.mocap_pos : derived.mocap_pos;
  const double *quat = frame->row.mocap_quat ? frame->row.mocap_quat : derived.mocap_quat;
  put(out, frame->row.state, 1 + d->nq + d->nv + d->na);
  put(out, pos, has(rows, "mocap_pos") ? 3 * d->nmocap : 0);
  put(out, quat, has(rows, "mocap_quat") ? 4 * d->nmocap : 0);
  put(out, frame->row.ctrl, has(rows, "ctrl") ? d->nu : 0);
  put(out, rows->action, has(rows, "action") ? d->action_dim : 0);
  if (!sim)
    return;
  put(out, view.xpos, 3 * ph_model_count(rows->model, PH_BODY));
  put(out, view.xquat, 4 * ph_model_count(rows->model, PH_BODY));
  put(out, view.site_xpos, 3 * ph_model_count(rows->model, PH_SITE));
  put(out, view.sensordata, sensor_numbers(sim));
}

static void keep_action(ph_predicate_rows *rows) {
  const ph_frame *frame = ph_replay_frame(rows->replay);
  int dim = ph_episode_meta_of(rows->episode)->dims.action_dim;
  for (int i = 0; i < dim; i++)
    rows->action[i] = frame->action ? frame->action[i] : NAN;
}

ph_status ph_predicate_rows_add(ph_predicate_rows *rows, int64_t first, int64_t n, ph_bytes *out) {
  ph_bytes_print(out,
                 "{\"protocol\": \"playhead-predicate\", \"version\": 1, \"count\": %" PRId64
                 ", \"first\": %" PRId64,
                 n, first);
  ph_bytes_add(out, rows->header.data, rows->header.n);
  ph_bytes_text(out, "}\n");
  for (int64_t i = 0; i < n; i++) {
    ph_status status = ph_replay_seek(rows->replay, first + i, 0, PH_KINEMATIC);
    if (status != PH_OK)
      return status;
    put_row(rows, out);
    keep_action(rows);
  }
  return out->lost ? ph_fail(PH_ENOMEM, "predicate: out of memory") : PH_OK;
}
