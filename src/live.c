#include <playhead/live.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "recorder.h"

enum { FIRST_ROWS = 64 };
#define ROOM ((size_t)256 << 20)

/* Rows in memory; the episode reads them. */
typedef struct history {
  ph_backend base;
  char *data[PH_COL_COUNT]; /* NULL: the column is not there */
  size_t row_bytes[PH_COL_COUNT];
  int64_t rows; /* that there is room for, in each */
} history;

struct ph_live {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_env *env;
  size_t room;
  ph_episode_meta origin;
  char *provenance;
  ph_episode *episode; /* NULL: none */
  history *history;    /* the episode's */
  double *action;      /* (action_dim) of the control step that is under way, or was last */
  bool running;
  uint64_t seed;
  int64_t resets;
  ph_policy *policy; /* borrowed; NULL: the task's */
  ph_end end;
  char detail[400];
};

const char *ph_drive_name(ph_drive drive) {
  static const char *const names[] = {"policy", "zero", "held"};
  return (unsigned)drive < PH_DRIVE_COUNT ? names[drive] : "";
}

/* --- history --- */

static ph_status history_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                              void *out) {
  const history *h = (const history *)backend;
  if (n > 0)
    memcpy(out, h->data[col] + (size_t)first * h->row_bytes[col], (size_t)n * h->row_bytes[col]);
  return PH_OK;
}

static void history_free(ph_backend *backend) {
  history *h = (history *)backend;
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(h->data[i]);
  free(h);
}

static bool history_grow(history *h, int64_t rows, size_t room) {
  size_t row = 0;
  for (int i = 0; i < PH_COL_COUNT; i++)
    row += h->row_bytes[i];
  if (row > 0 && (size_t)rows > room / row)
    rows = (int64_t)(room / row);
  if (rows <= h->rows)
    return false;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    if (h->row_bytes[i] == 0)
      continue;
    char *more = realloc(h->data[i], (size_t)rows * h->row_bytes[i]);
    if (!more)
      return false;
    h->data[i] = more;
  }
  h->rows = rows;
  return true;
}

/* The columns that row 0 has, and those of transitions. */
static uint32_t columns_of(const ph_row *row, const ph_dims *dims) {
  uint32_t columns = PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_REWARDS) |
                     PH_COL_BIT(PH_COL_FLAGS) | PH_COL_BIT(PH_COL_DONES);
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if (ph_row_column(row, col) && ph_schema_width(col, dims) > 0)
      columns |= PH_COL_BIT(col);
  return columns;
}

static history *history_new(uint32_t columns, const ph_dims *dims, size_t room) {
  history *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->base = (ph_backend){.read = history_read, .free = history_free};
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if ((columns & PH_COL_BIT(col)) && col != PH_COL_FINAL_STATE)
      h->row_bytes[col] = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
  if (history_grow(h, FIRST_ROWS, room))
    return h;
  history_free(&h->base);
  return NULL;
}

static void put(history *h, ph_column col, int64_t at, const void *from) {
  if (h->data[col])
    memcpy(h->data[col] + (size_t)at * h->row_bytes[col], from, h->row_bytes[col]);
}

static void put_row(history *h, int64_t at, const ph_row *row) {
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if (ph_row_column(row, col))
      put(h, col, at, ph_row_column(row, col));
}

/* The episode has one more transition. */
static void push(ph_live *live, const ph_outcome *out) {
  ph_episode *e = live->episode;
  int64_t t = e->meta.actions;
  uint8_t done = (out->flags & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) != 0;
  put(live->history, PH_COL_ACTIONS, t, live->action);
  put(live->history, PH_COL_REWARDS, t, &out->reward);
  put(live->history, PH_COL_FLAGS, t, &out->flags);
  put(live->history, PH_COL_DONES, t, &done);
  put_row(live->history, t + 1, &out->row);
  e->meta.actions++;
  e->meta.states++;
  for (int i = 0; i < PH_COL_COUNT; i++)
    e->rows[i] += i == PH_COL_STATES || ph_schema_column((ph_column)i)->rows == PH_ROWS_S ||
                  ph_schema_column((ph_column)i)->rows == PH_ROWS_A;
}

/* --- life --- */

static ph_status origin(ph_live *live, const ph_live_options *opt) {
  const ph_dims *dims = ph_env_dims(live->env);
  ph_recorder_options how = PH_RECORDER_OPTIONS_INIT;
  how.task = live->task;
  how.hold_seconds = opt ? opt->hold_seconds : -1;
  how.control_steps = dims->control_steps;
  how.action_dim = dims->action_dim;
  how.action_state = dims->action_state;
  return ph_recorder_origin(&live->origin, &live->provenance, live->model, &how);
}

ph_status ph_live_open(ph_live **out, const ph_task *task, const ph_model *model,
                       const ph_live_options *opt) {
  ph_env_options env = {.hold_seconds = opt ? opt->hold_seconds : -1};
  ph_live *live = calloc(1, sizeof *live);
  *out = NULL;
  if (!live)
    return ph_fail(PH_ENOMEM, "preview: out of memory");
  live->task = ph_task_ref(task);
  live->model = ph_model_ref(model);
  live->room = opt && opt->room ? opt->room : ROOM;
  live->policy = opt ? opt->policy : NULL;
  ph_status status = ph_env_create(&live->env, task, model, &env);
  if (status == PH_OK)
    status = origin(live, opt);
  if (status == PH_OK) {
    live->action = calloc((size_t)ph_env_dims(live->env)->action_dim + 1, sizeof(double));
    status = live->action ? PH_OK : ph_fail(PH_ENOMEM, "preview: out of memory");
  }
  if (status == PH_OK)
    *out = live;
  else
    ph_live_free(live);
  return status;
}

void ph_live_free(ph_live *live) {
  if (!live)
    return;
  ph_episode_free(live->episode);
  ph_env_free(live->env);
  ph_model_unref(live->model);
  ph_task_unref(live->task);
  free(live->provenance);
  free(live->action);
  free(live);
}

/* --- reset --- */

static ph_status begin_history(ph_live *live, const ph_row *row0) {
  const ph_dims *dims = ph_env_dims(live->env);
  uint32_t columns = columns_of(row0, dims);
  size_t nedits = 0;
  const ph_edit *edits = ph_env_edits(live->env, &nedits);
  ph_episode_meta meta = live->origin;
  history *h = history_new(columns, dims, live->room);
  if (!h)
    return ph_fail(PH_ENOMEM, "preview: no memory for its history");
  meta.states = 1;
  snprintf(meta.id, sizeof meta.id, "live");
  snprintf(meta.seed, sizeof meta.seed, "%" PRIu64, live->seed);
  put_row(h, 0, row0);
  ph_status status = ph_episode_new(&live->episode, &meta, columns, edits, nedits, &h->base);
  live->history = status == PH_OK ? h : NULL;
  return status;
}

ph_status ph_live_reset(ph_live *live, uint64_t seed) {
  ph_row row0;
  ph_episode_free(live->episode);
  live->episode = NULL;
  live->history = NULL;
  live->seed = seed;
  live->end = PH_END_UNKNOWN;
  live->detail[0] = 0;
  live->running = false;
  memset(live->action, 0, (size_t)ph_env_dims(live->env)->action_dim * sizeof(double));
  ph_status status = ph_env_reset(live->env, seed, &row0);
  if (status == PH_OK)
    status = begin_history(live, &row0);
  live->running = status == PH_OK;
  live->resets++;
  return status;
}

/* --- going on --- */

static void end(ph_live *live, ph_end how, const char *detail) {
  live->running = false;
  live->end = how;
  snprintf(live->detail, sizeof live->detail, "%s", detail ? detail : "");
  live->episode->meta.end_reason = how;
  live->episode->meta.success =
      ph_task_info_of(live->task)->has_success ? how == PH_END_SUCCESS : -1;
  snprintf(live->episode->meta.end_detail, sizeof live->episode->meta.end_detail, "%.199s",
           live->detail);
}

/* Numbers of a policy that are not finite end the episode, as they do where it is recorded. */
static ph_status fail(ph_live *live, ph_status status) {
  char text[sizeof live->detail];
  snprintf(text, sizeof text, "%s", ph_error());
  end(live, status == PH_EINVAL ? PH_END_NAN : PH_END_UNKNOWN, text);
  return status == PH_EINVAL ? PH_OK : status;
}

static ph_status choose(ph_live *live, ph_drive drive, const double *override) {
  size_t n = (size_t)ph_env_dims(live->env)->action_dim;
  ph_status status = PH_OK;
  if (drive == PH_DRIVE_POLICY && live->policy)
    status = ph_policy_ask(live->policy, 0, live->resets - 1, live->seed, live->env, live->action);
  else if (drive == PH_DRIVE_POLICY && ph_task_info_of(live->task)->has_policy)
    status = ph_env_policy(live->env, live->action);
  else if (drive != PH_DRIVE_HELD)
    memset(live->action, 0, n * sizeof *live->action);
  for (size_t i = 0; override && i < n; i++)
    if (!isnan(override[i]))
      live->action[i] = override[i];
  return status;
}

static void take(ph_live *live, const ph_outcome *out) {
  if (out->row.state && !(out->done && out->end == PH_END_NAN))
    push(live, out);
  if (out->done)
    end(live, out->end, out->detail);
}

/* Room for the row that the control step will lead to. */
static bool reserve(ph_live *live) {
  history *h = live->history;
  return live->episode->meta.states < h->rows || history_grow(h, 2 * h->rows, live->room);
}

static ph_status act(ph_live *live, ph_drive drive, const double *override) {
  ph_outcome out;
  if (!reserve(live))
    return ph_fail(PH_ENOMEM, "preview: %" PRId64 " steps are all that its memory has room for",
                   live->episode->meta.actions);
  ph_status status = choose(live, drive, override);
  if (status == PH_OK)
    status = ph_env_act(live->env, live->action, &out);
  if (status != PH_OK)
    return fail(live, status);
  take(live, &out);
  return PH_OK;
}

ph_status ph_live_advance(ph_live *live, int n, ph_drive drive, const double *override) {
  ph_outcome out;
  if (!live->running || n < 1)
    return ph_fail(PH_EINVAL, "preview: %s", n < 1 ? "no substeps" : "no episode runs");
  ph_status status = PH_OK;
  if (!ph_env_acting(live->env))
    status = act(live, drive, override);
  if (status != PH_OK || !live->running)
    return status;
  status = ph_env_substeps(live->env, n, &out);
  if (status != PH_OK)
    return fail(live, status);
  take(live, &out);
  return PH_OK;
}

/* --- readers --- */

void ph_live_now(const ph_live *live, ph_live_state *out) {
  bool acting = live->running && ph_env_acting(live->env);
  *out = (ph_live_state){.running = live->running,
                         .substep = acting ? ph_env_substep(live->env) : 0,
                         .action = acting ? live->action : NULL,
                         .seed = live->seed,
                         .end = live->end,
                         .detail = live->detail};
}

const ph_episode *ph_live_episode(const ph_live *live) {
  return live->episode;
}
const ph_env *ph_live_env(const ph_live *live) {
  return live->env;
}
