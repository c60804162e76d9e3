/* A run as an episode of its own: what it came to goes into a new dataset, and the episode that it
 * was made from is named as its parent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <playhead/recorder.h>

#include "fail.h"
#include "json.h"
#include "mjcf_change.h"
#include "rerun_parts.h"
#include "sink.h"

enum { BLOCK_BYTES = 4 << 20 }; /* of rows that wait to be written */

/* Rows of one column that wait to be written: all of them would not fit in memory. */
struct pending {
  size_t size; /* bytes of a row; 0: it is not written */
  char *rows;
  int64_t first, n;
};

struct saving {
  ph_rerun *run;
  ph_cursor *cursor;
  ph_episode_meta meta;
  char *provenance;
  ph_model *model; /* that the episode names: referenced */
  ph_edit *edits;  /* of its reset, as the run has them */
  size_t nedits;
  uint32_t columns;
  struct pending column[PH_COL_COUNT];
  int64_t block; /* rows that wait at most */
  ph_sink *sink;
  int64_t n; /* states */
};

/* --- the model --- */

/* What of the model is other than in the parent's: ["timestep=0.001", "friction=x0.5"]. */
static json_t *changes_of(const ph_rerun *run) {
  json_t *all = json_array();
  for (size_t i = 0; all && i < run->opt.nchanges; i++) {
    char text[160];
    ph_change_text(&run->changes[i], text, sizeof text);
    json_array_append_new(all, ph_json_text(text));
  }
  return all;
}

/* A reset that sets friction itself comes after the model: what was changed of it then. */
static void own_edits(struct saving *s) {
  const mjModel *m = s->cursor->sim->m;
  for (size_t i = 0; i < s->nedits; i++)
    if (strcmp(s->edits[i].field, "geom_friction") == 0)
      s->edits[i].data = m->geom_friction;
    else if (strcmp(s->edits[i].field, "pair_friction") == 0)
      s->edits[i].data = m->pair_friction;
}

static ph_status changed_model(struct saving *s) {
  const ph_rerun *run = s->run;
  ph_sim *sim = NULL;
  ph_status status = ph_sim_create(&sim, run->model);
  if (status == PH_OK)
    status = ph_rerun_apply(sim, run->changes, run->opt.nchanges);
  if (status == PH_OK)
    status = ph_mjcf_change(&s->model, run->model, sim->m);
  ph_sim_free(sim);
  return status == PH_OK ? PH_OK : ph_fail_in(status, "%s", s->meta.id);
}

/* The model as it ran, and what the reset set in it. */
static ph_status find_model(struct saving *s) {
  const ph_edit *edits = ph_episode_edits(s->run->episode, &s->nedits);
  s->edits = calloc(s->nedits + 1, sizeof *s->edits);
  if (!s->edits)
    return ph_fail(PH_ENOMEM, "%s: no memory to save it", s->meta.id);
  if (s->nedits > 0)
    memcpy(s->edits, edits, s->nedits * sizeof *edits);
  if (s->run->opt.nchanges > 0) {
    own_edits(s);
    return changed_model(s);
  }
  s->model = ph_model_ref(s->run->model);
  return PH_OK;
}

/* --- the episode --- */

/* Elements of the action that were put in the place of what was fed: {"1": 0.3}. */
static json_t *overridden(const ph_rerun *run) {
  json_t *all = json_object();
  for (int i = 0; all && run->override && i < run->dims.action_dim; i++) {
    char element[16];
    snprintf(element, sizeof element, "%d", i);
    if (!isnan(run->override[i]))
      json_object_set_new(all, element, json_real(run->override[i]));
  }
  return all;
}

static ph_status add_provenance(struct saving *s) {
  const ph_episode_meta *m = ph_episode_meta_of(s->run->episode);
  json_t *array = json_loads(m->provenance && *m->provenance ? m->provenance : "[]", 0, NULL);
  json_t *step =
      json_pack("{s:s, s:s, s:o, s:o, s:I, s:s, s:s, s:o, s:o}", "op", "branch", "by",
                "playhead " PH_VERSION, "file", ph_json_text(m->file), "id", ph_json_text(m->id),
                "from", (json_int_t)s->run->opt.anchor, "state",
                s->run->given ? "given" : "recorded", "actions", ph_feed_name(s->run->opt.feed),
                "overridden", overridden(s->run), "changes", changes_of(s->run));
  bool ok = array && step && json_array_append(array, step) == 0;
  s->provenance = ok ? json_dumps(array, JSON_COMPACT) : NULL;
  json_decref(step);
  json_decref(array);
  return s->provenance ? PH_OK : ph_fail(PH_ENOMEM, "%s: no memory to save it", m->id);
}

static void add_column(struct saving *s, ph_column col) {
  size_t size = ph_schema_width(col, &s->run->dims) * ph_type_size(ph_schema_column(col)->type);
  if (size > 0) {
    s->columns |= PH_COL_BIT(col);
    s->column[col].size = size;
  }
}

static ph_status begin(struct saving *s) {
  const ph_instant *now = ph_cursor_now(s->cursor);
  size_t row = 1;
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (ph_row_column(&now->row, (ph_column)i))
      add_column(s, (ph_column)i);
  add_column(s, PH_COL_ACTIONS);
  add_column(s, PH_COL_REWARDS);
  add_column(s, PH_COL_DONES);
  add_column(s, PH_COL_FLAGS);
  for (int i = 0; i < PH_COL_COUNT; i++)
    row += s->column[i].size;
  s->block = row < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / row) : 1;
  s->block = s->block < s->n ? s->block : s->n;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    struct pending *p = &s->column[i];
    p->rows = p->size ? calloc((size_t)s->block, p->size) : NULL;
    if (p->size && !p->rows)
      return ph_fail(PH_ENOMEM, "%s: no memory to save it", s->meta.id);
  }
  return PH_OK;
}

static ph_status flush(struct saving *s, ph_column col) {
  struct pending *p = &s->column[col];
  ph_status status = p->n ? s->sink->rows(s->sink, col, p->first, p->n, p->rows) : PH_OK;
  p->first += p->n;
  p->n = 0;
  return status;
}

static ph_status put(struct saving *s, ph_column col, const void *data) {
  struct pending *p = &s->column[col];
  if (p->size == 0)
    return PH_OK;
  if (data)
    memcpy(p->rows + (size_t)p->n * p->size, data, p->size);
  else
    memset(p->rows + (size_t)p->n * p->size, 0, p->size);
  return ++p->n == s->block ? flush(s, col) : PH_OK;
}

static bool is_outcome(ph_column col) {
  return col == PH_COL_ACTIONS || col == PH_COL_REWARDS || col == PH_COL_DONES ||
         col == PH_COL_FLAGS;
}

/* The state where the cursor stands, and the transition that led there. */
static ph_status take(struct saving *s, bool led) {
  const ph_instant *now = ph_cursor_now(s->cursor);
  double reward = now->judged ? now->reward : 0;
  uint8_t done = (now->flags & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) != 0;
  ph_status status = PH_OK;
  for (int i = 0; i < PH_COL_COUNT && status == PH_OK; i++)
    if (!is_outcome((ph_column)i))
      status = put(s, (ph_column)i, ph_row_column(&now->row, (ph_column)i));
  if (!led || status != PH_OK)
    return status;
  status = put(s, PH_COL_ACTIONS, now->action);
  if (status == PH_OK)
    status = put(s, PH_COL_REWARDS, &reward);
  if (status == PH_OK)
    status = put(s, PH_COL_DONES, &done);
  return status == PH_OK ? put(s, PH_COL_FLAGS, &now->flags) : status;
}

/* Asks here, and not on the way: a state that is kept takes no step. */
static ph_status next(struct saving *s, int64_t step, bool (*cancel)(void *arg), void *arg) {
  if (cancel && cancel(arg))
    return ph_fail(PH_ECANCELED, "%s: canceled", s->meta.id);
  return ph_cursor_seek(s->cursor, step, 0, NULL, NULL);
}

/* Once more, now that it is known how long it is: block by block into the sink. */
static ph_status take_all(struct saving *s, bool (*cancel)(void *arg), void *arg) {
  int64_t anchor = s->run->opt.anchor;
  ph_status status = ph_cursor_seek(s->cursor, anchor, 0, NULL, NULL);
  for (int64_t i = 0; i < s->n && status == PH_OK; i++) {
    if (i > 0)
      status = next(s, anchor + i, cancel, arg);
    if (status == PH_OK)
      status = take(s, i > 0);
  }
  for (int i = 0; i < PH_COL_COUNT && status == PH_OK; i++)
    status = flush(s, (ph_column)i);
  return status;
}

/* As an env would: to its first end. */
static ph_status go_through(struct saving *s, bool (*cancel)(void *arg), void *arg) {
  ph_status status = PH_OK;
  const ph_instant *now = ph_cursor_now(s->cursor);
  s->n = 1;
  while (now->step + 1 < s->run->states) {
    status = next(s, now->step + 1, cancel, arg);
    if (status != PH_OK)
      break;
    s->n++;
    if (now->judged && now->end != PH_END_UNKNOWN)
      break;
  }
  s->meta.end_reason = PH_END_ABORTED;
  snprintf(s->meta.end_detail, sizeof s->meta.end_detail, "a branch, followed to its last action");
  if (status == PH_ESIM) { /* what came before it is worth having */
    s->meta.end_reason = PH_END_NAN;
    snprintf(s->meta.end_detail, sizeof s->meta.end_detail, "%.199s", ph_error());
    status = PH_OK;
  } else if (now->judged && now->end != PH_END_UNKNOWN) {
    s->meta.end_reason = now->end;
    snprintf(s->meta.end_detail, sizeof s->meta.end_detail, "%.199s", now->detail);
  }
  s->meta.success = now->judged ? s->meta.end_reason == PH_END_SUCCESS : -1;
  if (status == PH_OK && s->n < 2)
    status =
        ph_fail(PH_ENOTFOUND, "%s: no step of it was taken: %s", s->meta.id,
                s->meta.end_reason == PH_END_NAN ? s->meta.end_detail : "there is nothing to save");
  return status;
}

static void describe(struct saving *s) {
  const ph_rerun *run = s->run;
  const ph_episode_meta *from = ph_episode_meta_of(run->episode);
  ph_episode_meta *m = &s->meta;
  time_t now = time(NULL);
  struct tm utc;
  m->provenance = s->provenance;
  m->success_source[0] = 0;
  m->dims = run->dims;
  m->timestep = run->timestep;
  m->control_dt = run->control_dt;
  m->episode = 0;
  m->actions = s->n - 1;
  m->states = s->n;
  ph_recorder_make_run_id(m->run_id, sizeof m->run_id);
  snprintf(m->writer, sizeof m->writer, "playhead " PH_VERSION);
  snprintf(m->substrate, sizeof m->substrate, "%s", ph_substrate());
  snprintf(m->recipe, sizeof m->recipe, "%s", ph_recipe_name(run->recipe));
  snprintf(m->determinism, sizeof m->determinism, "unchecked");
  snprintf(m->model_sha256, sizeof m->model_sha256, "%s", ph_model_sha256(s->model));
  snprintf(m->parent, sizeof m->parent, "%.130s:%s", from->file, from->id);
  strftime(m->created, sizeof m->created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  snprintf(m->task_sha256, sizeof m->task_sha256, "%s", run->task ? ph_task_sha256(run->task) : "");
  if (!run->judges)
    return;
  m->hold_steps = ph_cursor_now(s->cursor)->hold.steps;
  m->hold_seconds =
      run->hold_seconds >= 0 ? run->hold_seconds : ph_task_info_of(run->task)->hold_seconds;
}

static ph_status hand_over(struct saving *s, bool (*cancel)(void *arg), void *arg) {
  ph_begin head = {.meta = &s->meta, .columns = s->columns, .edits = s->edits, .nedits = s->nedits};
  ph_sink *sink = s->sink;
  ph_status status = sink->model(sink, s->model);
  if (status == PH_OK && s->run->task)
    status = sink->task(sink, s->run->task);
  if (status == PH_OK)
    status = sink->begin(sink, &head);
  if (status == PH_OK)
    status = take_all(s, cancel, arg);
  if (status == PH_OK)
    status = sink->end(sink);
  return status == PH_OK ? sink->finish(sink) : status;
}

static ph_status write_out(struct saving *s, const char *path, bool (*cancel)(void *arg),
                           void *arg) {
  ph_status status = ph_sink_dataset(&s->sink, path, &s->meta, NULL);
  if (status != PH_OK)
    return status;
  status = hand_over(s, cancel, arg);
  s->sink->free(s->sink);
  return status;
}

static ph_status check(const ph_rerun *run) {
  const char *id = ph_episode_meta_of(run->episode)->id;
  if (run->substeps)
    return ph_fail(PH_EINVAL, "%s: ctrl is fed substep by substep: no action says it", id);
  return PH_OK;
}

ph_status ph_rerun_save(ph_rerun *run, const char *path, bool (*cancel)(void *arg), void *arg) {
  struct saving s = {.run = run, .meta = *ph_episode_meta_of(run->episode)};
  ph_status status = check(run);
  if (status == PH_OK)
    status = add_provenance(&s);
  if (status == PH_OK)
    status = ph_cursor_open(&s.cursor, run);
  if (status == PH_OK)
    status = find_model(&s);
  if (status == PH_OK)
    status = go_through(&s, cancel, arg);
  if (status == PH_OK)
    status = begin(&s);
  if (status == PH_OK) {
    describe(&s);
    status = write_out(&s, path, cancel, arg);
  }
  ph_cursor_close(s.cursor);
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(s.column[i].rows);
  free(s.provenance);
  free(s.edits);
  ph_model_unref(s.model);
  return status;
}
