/* Runs, datasets and episode files of ours become a dataset: rows go through a tap into its sink.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut_parts.h"
#include "episode_file.h"
#include "fail.h"
#include "sink_dataset.h"
#include "sink_h5.h"

struct own {
  ph_cutting *c;
  ph_sink *sink;
  bool *models;
  char (*tasks)[PH_SHA256_SIZE]; /* (ntasks) that are in the result */
  size_t ntasks;
  void *block;
  const ph_cut_episode *plan; /* of the episode that is copied */
  const ph_episode *episode;
  ph_episode_meta meta; /* of the result */
  ph_cut_judged judged;
};

/* --- facts --- */

/* Where what is kept of the stored predicate latches; -1: nowhere. */
static ph_status find_latch(int64_t *row, const struct own *o) {
  ph_hold hold = {.steps = o->meta.hold_steps, .latch = -1};
  uint8_t some[PH_CRC_BLOCK_ROWS];
  int64_t end = o->plan->from + o->meta.states;
  ph_status status = PH_OK;
  for (int64_t at = o->plan->from; at < end && !status; at += PH_CRC_BLOCK_ROWS) {
    int64_t n = end - at < PH_CRC_BLOCK_ROWS ? end - at : PH_CRC_BLOCK_ROWS;
    status = ph_episode_read(o->episode, PH_COL_PREDICATE, at, n, some);
    for (int64_t i = 0; i < n && !status; i++)
      ph_hold_update(&hold, at + i - o->plan->from, some[i]);
  }
  *row = hold.latch;
  return status;
}

/* A range of an episode: how that one went need not be how this one does. */
static ph_status settle_range(struct own *o, int64_t actions) {
  ph_episode_meta *m = &o->meta;
  int64_t from = o->plan->from, to = o->plan->to, latch = -1;
  bool known = ph_episode_has(o->episode, PH_COL_PREDICATE);
  if (from == 0 && to == actions)
    return PH_OK;
  ph_status status = known ? find_latch(&latch, o) : PH_OK;
  if (to < actions) {
    snprintf(m->end_detail, sizeof m->end_detail, "cut at row %" PRId64 " of %" PRId64, to,
             actions);
    m->end_reason = PH_END_UNKNOWN;
  } else if (m->end_reason == PH_END_SUCCESS && known && latch != m->states - 1) {
    snprintf(m->end_detail, sizeof m->end_detail,
             "its success needs states before row %" PRId64 ", which are cut off", from);
    m->end_reason = PH_END_UNKNOWN;
  }
  if (m->success >= 0 && known)
    m->success = latch >= 0;
  else if (m->success == 1 && to < actions)
    m->success = -1;
  if (known || m->success < 0)
    m->success_source[0] = 0;
  return status;
}

static ph_status settle(struct own *o) {
  const ph_episode_meta *source = ph_episode_meta_of(o->episode);
  const ph_cut_episode *plan = o->plan;
  ph_episode_meta *m = &o->meta;
  *m = *source;
  m->actions = plan->to - plan->from;
  m->states = m->actions + (plan->to < source->states);
  ph_status status = ph_cut_hold(&m->hold_seconds, &m->hold_steps, o->c->opt, source);
  if (!status && m->hold_steps < 0)
    status = ph_fail(PH_EINVAL,
                     "%s: how long a step takes is not known: a hold of %g s cannot be counted",
                     source->id, m->hold_seconds);
  bool whole = plan->from == 0 && plan->to == source->actions;
  if (!whole)
    snprintf(m->determinism, sizeof m->determinism, "unchecked");
  if (plan->from > 0) { /* no seed leads there */
    m->seed[0] = 0;
    snprintf(m->parent, sizeof m->parent, "%.140s:%.40s@%" PRId64, source->run_id, source->id,
             plan->from);
  }
  if (!o->c->opt->latched)
    return status ? status : settle_range(o, source->actions);
  m->end_reason = PH_END_SUCCESS;
  m->end_detail[0] = 0;
  m->success = 1;
  m->success_source[0] = 0;
  return status;
}

/* --- rows --- */

/* Rows of the result from `first` on end as a latch does. */
static void mark_rows(const struct own *o, ph_column col, int64_t first, int64_t n) {
  int64_t last = o->meta.actions - 1;
  uint8_t *bytes = o->block;
  double *numbers = o->block;
  for (int64_t i = 0; i < n; i++) {
    bool end = first + i == last;
    if (col == PH_COL_DONES)
      bytes[i] = end;
    else if (col == PH_COL_FLAGS)
      bytes[i] = (uint8_t)((bytes[i] & ~(PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) |
                           (end ? PH_FLAG_TERMINATED : 0));
    else if (col == PH_COL_REWARDS && (end || !o->c->opt->keep_rewards))
      numbers[i] = end;
  }
}

static ph_status copy_column(struct own *o, ph_column col) {
  int64_t rows = ph_begin_rows(&o->meta, col);
  ph_status status = PH_OK;
  for (int64_t first = 0; first < rows && !status; first += PH_CRC_BLOCK_ROWS) {
    int64_t n = rows - first < PH_CRC_BLOCK_ROWS ? rows - first : PH_CRC_BLOCK_ROWS;
    if (col == PH_COL_PREDICATE && o->judged.predicate)
      memcpy(o->block, o->judged.predicate + first, (size_t)n);
    else
      status = ph_episode_read(o->episode, col, o->plan->from + first, n, o->block);
    if (!status && o->c->opt->latched)
      mark_rows(o, col, first, n);
    if (!status)
      status = o->sink->rows(o->sink, col, first, n, o->block);
    if (!status)
      status = ph_cut_go_on(o->c);
  }
  return status;
}

static ph_status get_block(struct own *o, uint32_t columns) {
  size_t most = 1;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    size_t row = ph_schema_width((ph_column)i, &o->meta.dims) *
                 ph_type_size(ph_schema_column((ph_column)i)->type);
    most = (columns & PH_COL_BIT(i)) && row > most ? row : most;
  }
  free(o->block);
  o->block = malloc(most * PH_CRC_BLOCK_ROWS);
  return o->block ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", o->meta.id);
}

static ph_status copy(struct own *o, char **provenance) {
  ph_begin begin = {.meta = &o->meta};
  begin.edits = ph_episode_edits(o->episode, &begin.nedits);
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (i != PH_COL_FINAL_STATE && ph_episode_has(o->episode, (ph_column)i))
      begin.columns |= PH_COL_BIT(i);
  if (o->judged.predicate)
    begin.columns |= PH_COL_BIT(PH_COL_PREDICATE);
  if (o->judged.given)
    begin.columns &= ~PH_COL_BIT(PH_COL_PREDICATE);
  const ph_episode_meta *source = ph_episode_meta_of(o->episode);
  ph_status status = ph_cut_provenance(provenance, source->provenance, o->plan, o->c->opt, source);
  o->meta.provenance = *provenance;
  if (!status)
    status = get_block(o, begin.columns);
  if (!status)
    status = o->sink->begin(o->sink, &begin);
  for (int i = 0; i < PH_COL_COUNT && !status; i++)
    if (begin.columns & PH_COL_BIT(i))
      status = copy_column(o, (ph_column)i);
  return status ? status : o->sink->end(o->sink);
}

/* --- models and tasks --- */

static size_t place_of(const ph_store *store, const char *hash(const ph_store *, size_t),
                       const char *sha256) {
  size_t i = 0;
  for (const char *known; (known = hash(store, i)) && strcmp(known, sha256) != 0;)
    i++;
  return i;
}

static ph_status put_model(struct own *o, const char *sha256) {
  ph_model *model = NULL;
  size_t i = place_of(o->c->store, ph_store_model_hash, sha256);
  if (!sha256[0] || o->models[i])
    return PH_OK;
  ph_status status = ph_store_model(&model, o->c->store, sha256);
  if (!status)
    status = o->sink->model(o->sink, model);
  ph_model_unref(model);
  o->models[i] = !status;
  return status;
}

static bool has_task(const struct own *o, const char *sha256) {
  for (size_t i = 0; i < o->ntasks; i++)
    if (strcmp(o->tasks[i], sha256) == 0)
      return true;
  return false;
}

static ph_status put_task(struct own *o, const ph_task *task) {
  char(*more)[PH_SHA256_SIZE] = realloc(o->tasks, (o->ntasks + 1) * sizeof *more);
  if (!more)
    return ph_fail(PH_ENOMEM, "%s: out of memory", o->meta.id);
  o->tasks = more;
  snprintf(o->tasks[o->ntasks++], PH_SHA256_SIZE, "%s", ph_task_sha256(task));
  return o->sink->task(o->sink, task);
}

static ph_status put_recorded_task(struct own *o, const char *sha256) {
  ph_task *task = NULL;
  const char *source = NULL;
  ph_status status = ph_store_task(&source, o->c->store, sha256);
  if (!status)
    status = ph_task_parse(&task, source, strlen(source), "recorded task");
  if (!status)
    status = put_task(o, task);
  ph_task_unref(task);
  return status;
}

/* The task that judges the result, which is the recorded one unless that did not. */
static ph_status put_judge(struct own *o) {
  char *sha256 = o->meta.task_sha256;
  if (o->judged.task)
    snprintf(sha256, PH_SHA256_SIZE, "%s", ph_task_sha256(o->judged.task));
  else if (o->judged.without_task)
    sha256[0] = 0;
  if (!sha256[0] || has_task(o, sha256))
    return PH_OK;
  return o->judged.task ? put_task(o, o->judged.task) : put_recorded_task(o, sha256);
}

/* --- all of them --- */

static ph_status may_finish(void *user) {
  const struct own *o = user;
  return ph_cut_go_on(o->c);
}

static ph_status open_sink(struct own *o, const ph_episode_meta *origin) {
  ph_sink_options how = {.compress = o->c->opt->compress};
  if (o->sink)
    return PH_OK;
  ph_status status = ph_sink_dataset(&o->sink, o->c->out, origin, &how);
  if (!status)
    ph_sink_dataset_ask(o->sink, may_finish, o);
  return status;
}

/* Somebody's word, which no predicate bears out: the hold that it is of is a part of it. */
static void name_giver(ph_episode_meta *m, const ph_cut_options *opt) {
  char hold[48] = "";
  const char *who = opt->judge && opt->judge[0] ? opt->judge : opt->method;
  if (m->hold_seconds >= 0)
    snprintf(hold, sizeof hold, " for a hold of %.9g s", m->hold_seconds);
  int room = (int)(sizeof m->success_source - sizeof "given: " - strlen(hold));
  bool whole = !who || strlen(who) <= (size_t)room;
  snprintf(m->success_source, sizeof m->success_source, "given: %.*s%s%s", whole ? room : room - 3,
           who ? who : "steps", whole ? "" : "...", hold);
  m->hold_seconds = -1;
  m->hold_steps = 0;
}

static ph_status find_judge(struct own *o) {
  ph_status status = ph_cut_judge(&o->judged, o->c, o->plan, o->episode, &o->meta);
  if (o->judged.given)
    name_giver(&o->meta, o->c->opt);
  return status;
}

static ph_status put_episode(struct own *o, size_t i) {
  ph_episode *episode = NULL;
  char *provenance = NULL;
  o->plan = o->c->at[i];
  ph_status status = ph_store_episode(&episode, o->c->store, i);
  if (status)
    return status;
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  o->episode = episode;
  status = ph_cut_check(o->plan, m->actions);
  if (!status)
    status = settle(o);
  if (!status)
    status = find_judge(o);
  if (!status)
    status = open_sink(o, m);
  if (!status)
    status = put_model(o, m->model_sha256);
  if (!status)
    status = put_judge(o);
  if (!status)
    status = copy(o, &provenance);
  if (!status)
    status = ph_cut_count(o->c, o->plan, m->actions);
  free(provenance);
  ph_cut_judged_clear(&o->judged);
  ph_episode_free(episode);
  return status;
}

static size_t count(const char *hash(const ph_store *, size_t), const ph_store *store) {
  size_t n = 0;
  while (hash(store, n))
    n++;
  return n;
}

ph_status ph_cut_own(ph_cutting *c) {
  struct own o = {.c = c};
  size_t *order = ph_cut_order(c->store);
  o.models = calloc(count(ph_store_model_hash, c->store) + 1, sizeof *o.models);
  ph_status status = order && o.models ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", c->source);
  for (size_t k = 0; k < c->store->n && !status; k++)
    if (!c->at[order[k]]->dropped)
      status = put_episode(&o, order[k]);
  if (!status)
    status = o.sink->finish(o.sink);
  if (o.sink)
    o.sink->free(o.sink);
  free(order);
  free(o.models);
  free(o.tasks);
  free(o.block);
  return status;
}
