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

struct saving {
  ph_rerun *run;
  ph_cursor *cursor;
  ph_episode_meta meta;
  char *provenance;
  ph_model *model; /* that the episode names: referenced */
  ph_edit *edits;  /* of its reset, as the run has them */
  size_t nedits;
  uint32_t columns;
  size_t size[PH_COL_COUNT]; /* bytes of a row */
  char *rows[PH_COL_COUNT];
  int64_t n; /* states so far */
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
    s->size[col] = size;
  }
}

static ph_status begin(struct saving *s) {
  const ph_instant *now = ph_cursor_now(s->cursor);
  int64_t most = s->run->states - s->run->opt.anchor;
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (ph_row_column(&now->row, (ph_column)i))
      add_column(s, (ph_column)i);
  add_column(s, PH_COL_ACTIONS);
  add_column(s, PH_COL_REWARDS);
  add_column(s, PH_COL_DONES);
  add_column(s, PH_COL_FLAGS);
  for (int i = 0; i < PH_COL_COUNT; i++) {
    if (s->size[i] == 0)
      continue;
    s->rows[i] = calloc((size_t)most, s->size[i]);
    if (!s->rows[i])
      return ph_fail(PH_ENOMEM, "%s: no memory to save it", s->meta.id);
  }
  return PH_OK;
}

static void put(struct saving *s, ph_column col, int64_t row, const void *data) {
  if (s->size[col] && data)
    memcpy(s->rows[col] + (size_t)row * s->size[col], data, s->size[col]);
}

/* The state where the cursor stands, and the transition that led there. */
static void take(struct saving *s) {
  const ph_instant *now = ph_cursor_now(s->cursor);
  double reward = now->judged ? now->reward : 0;
  uint8_t done = (now->flags & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) != 0;
  for (int i = 0; i < PH_COL_COUNT; i++)
    put(s, (ph_column)i, s->n, ph_row_column(&now->row, (ph_column)i));
  if (s->n > 0) {
    put(s, PH_COL_ACTIONS, s->n - 1, now->action);
    put(s, PH_COL_REWARDS, s->n - 1, &reward);
    put(s, PH_COL_DONES, s->n - 1, &done);
    put(s, PH_COL_FLAGS, s->n - 1, &now->flags);
  }
  s->n++;
}

/* As an env would: to its first end. */
static ph_status go_through(struct saving *s, bool (*cancel)(void *arg), void *arg) {
  ph_status status = PH_OK;
  const ph_instant *now = ph_cursor_now(s->cursor);
  take(s);
  while (now->step + 1 < s->run->states) {
    status = ph_cursor_seek(s->cursor, now->step + 1, 0, cancel, arg);
    if (status != PH_OK)
      break;
    take(s);
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
        ph_fail(PH_ENOTFOUND, "%s: no step of it was taken: there is nothing to save", s->meta.id);
  return status;
}

static void describe(struct saving *s) {
  const ph_rerun *run = s->run;
  const ph_episode_meta *from = ph_episode_meta_of(run->episode);
  ph_episode_meta *m = &s->meta;
  time_t now = time(NULL);
  struct tm utc;
  m->provenance = s->provenance;
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

static ph_status hand_over(struct saving *s, ph_sink *sink) {
  ph_begin head = {.meta = &s->meta, .columns = s->columns, .edits = s->edits, .nedits = s->nedits};
  ph_status status = sink->model(sink, s->model);
  if (status == PH_OK && s->run->task)
    status = sink->task(sink, s->run->task);
  if (status == PH_OK)
    status = sink->begin(sink, &head);
  for (int i = 0; i < PH_COL_COUNT && status == PH_OK; i++) {
    bool outcome =
        i == PH_COL_ACTIONS || i == PH_COL_REWARDS || i == PH_COL_DONES || i == PH_COL_FLAGS;
    if (s->size[i])
      status = sink->rows(sink, (ph_column)i, 0, outcome ? s->n - 1 : s->n, s->rows[i]);
  }
  if (status == PH_OK)
    status = sink->end(sink);
  return status == PH_OK ? sink->finish(sink) : status;
}

static ph_status write_out(struct saving *s, const char *path) {
  ph_sink *sink = NULL;
  ph_status status = ph_sink_dataset(&sink, path, &s->meta, NULL);
  if (status != PH_OK)
    return status;
  status = hand_over(s, sink);
  sink->free(sink);
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
    status = begin(&s);
  if (status == PH_OK)
    status = go_through(&s, cancel, arg);
  if (status == PH_OK) {
    describe(&s);
    status = write_out(&s, path);
  }
  ph_cursor_close(s.cursor);
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(s.rows[i]);
  free(s.provenance);
  free(s.edits);
  ph_model_unref(s.model);
  return status;
}
