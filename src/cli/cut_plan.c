/* Which rows of each episode are kept. */
#include "cut.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a thread finds of one episode. */
struct found {
  size_t place;
  int64_t from, to, actions, states;
  int success;
  char reason[400];   /* "": it is kept */
  char alien[600];    /* why the list of --steps is none of it, or "" */
  char unjudged[600]; /* why the judge cannot be started at all, or "" */
  bool foreign;       /* of another writer: its rows have no checksums */
  bool failed;        /* it is one of those that --drop-failed is about */
  char *fingerprint;
  ph_task *task;      /* it latches by; NULL: by what the file stores, or by a judge */
  uint8_t *predicate; /* the judge's */
};

void cut_leave_out(struct cut *c, size_t i, bool bad, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(c->plan[i].reason, sizeof c->plan[i].reason, fmt, args);
  va_end(args);
  c->plan[i].dropped = true;
  c->plan[i].from = c->plan[i].to = 0;
  c->bad[i] = bad;
}

/* ph_error() without the file or the episode in front. */
static void say_error(struct found *f, const ph_entry *e) {
  const char *text = ph_text_without(ph_text_without(ph_error(), e->file), e->id);
  snprintf(f->reason, sizeof f->reason, "%s", text);
}

/* --- by what an episode latches --- */

/* An episode with all that its latch may depend on. */
struct opened {
  const ph_entry *entry;
  ph_episode *episode;
  ph_model *model;
  ph_task *task;
};

static void close_it(struct opened *o) {
  ph_episode_free(o->episode);
  ph_model_unref(o->model);
  ph_task_unref(o->task);
}

/* Under the desk. */
static ph_status open_it(struct opened *o, struct cut *c, size_t place) {
  char why[400];
  *o = (struct opened){.entry = ph_store_entry(c->store, place)};
  ph_status status = ph_store_episode(&o->episode, c->store, place);
  if (status != PH_OK || c->mode != CUT_TO_LATCH)
    return status;
  const ph_episode_meta *meta = ph_episode_meta_of(o->episode);
  o->model = report_model(c->store, meta, why, sizeof why);
  o->task = report_judge(c->store, c->opt, c->task, meta, why, sizeof why);
  return PH_OK;
}

static ph_latch_source strictest(const struct cut *c, const struct opened *o) {
  if (c->judge)
    return o->model ? PH_LATCH_KINEMATIC : PH_LATCH_RECORDED;
  return ph_outcomes_strictest(o->episode, o->model, o->task, c->opt->tolerance != NULL);
}

/* The strictest source that every episode allows: those that cannot be opened have no say. */
static int choose_source(struct cut *c) {
  struct opened o;
  ph_latch_source by = PH_LATCH_DYNAMIC;
  for (size_t i = 0; i < c->n && by != PH_LATCH_RECORDED; i++) {
    cli_progress("cut: looking at episode %zu of %zu", i + 1, c->n);
    if (open_it(&o, c, i) == PH_OK) {
      ph_latch_source this = strictest(c, &o);
      by = this < by ? this : by;
    }
    close_it(&o);
  }
  cli_progress_end();
  /* What a file stores is of its own condition: --success is judged, or a reason says why not. */
  c->by = by == PH_LATCH_RECORDED && c->opt->success ? PH_LATCH_KINEMATIC : by;
  return EXIT_FINE;
}

static ph_status take(struct found *f, ph_outcomes *out, struct cut *c, const struct opened *o) {
  ph_outcomes_options how = {.judge = c->judge,
                             .tolerance = c->opt->tolerance ? &c->tolerance : NULL,
                             .progress = each_progress,
                             .arg = &c->each};
  if (c->judge)
    pthread_mutex_lock(&c->desk);
  ph_status status = ph_outcomes_take(out, c->by, o->episode, o->model, o->task, &how);
  if (status != PH_OK && c->judge && ph_judge_state_of(c->judge) == PH_JUDGE_MISSING)
    snprintf(f->unjudged, sizeof f->unjudged, "%s", ph_error());
  if (c->judge)
    pthread_mutex_unlock(&c->desk);
  return status;
}

static ph_status find_latch(struct found *f, struct cut *c, const struct opened *o) {
  const ph_episode_meta *meta = ph_episode_meta_of(o->episode);
  ph_outcomes outcomes = {0};
  ph_latch_answer answer;
  int64_t steps = 0;
  ph_hold_recorded recorded = {meta->hold_seconds, meta->hold_steps, meta->control_dt};
  ph_status status = ph_hold_of(&steps, c->hold, &recorded);
  if (status == PH_OK)
    status = take(f, &outcomes, c, o);
  if (status != PH_OK)
    return status;
  ph_outcomes_latch(&outcomes, steps, &answer);
  bool latches = answer.refusal == PH_REFUSAL_NONE;
  if (latches && c->judge)
    f->predicate = cut_bits(&outcomes.intervals, answer.latching.latch);
  else if (latches && c->by != PH_LATCH_RECORDED)
    f->task = ph_task_ref(o->task);
  ph_outcomes_free(&outcomes);
  f->to = answer.latching.latch;
  f->failed = answer.refusal == PH_REFUSAL_NEVER || answer.refusal == PH_REFUSAL_ENDED;
  if (answer.refusal != PH_REFUSAL_NONE)
    snprintf(f->reason, sizeof f->reason, "%s", answer.text);
  ph_latch_inputs in = {.meta = meta,
                        .model = o->model,
                        .task = o->task,
                        .command = c->judge ? ph_judge_command(c->judge) : NULL,
                        .tolerance = c->opt->tolerance ? &c->tolerance : NULL,
                        .hold_seconds = c->hold,
                        .hold_steps = steps};
  return ph_latch_fingerprint(&f->fingerprint, &in);
}

/* --- what else there is to say of one --- */

static void find_range(struct found *f, const struct cut *c) {
  f->from = c->first;
  f->to = c->end < 0 ? f->actions : c->end;
  if (f->to > f->actions)
    snprintf(f->reason, sizeof f->reason,
             "the range ends at step %" PRId64 ", and it has %" PRId64 " %s", f->to, f->actions,
             report_steps(f->actions));
  else if (f->from >= f->to)
    snprintf(f->reason, sizeof f->reason, "it has no step behind %" PRId64, f->from);
}

static ph_status find_rows(struct found *f, struct cut *c, const struct opened *o) {
  ph_status status = PH_OK;
  f->to = c->plan[f->place].to; /* of --steps */
  if (c->mode == CUT_TO_LATCH)
    status = find_latch(f, c, o);
  else if (c->mode == CUT_RANGE)
    find_range(f, c);
  else if (c->mode == CUT_IDLE)
    status = ph_cut_busy(&f->from, &f->to, o->episode, c->opt->trim_idle);
  if (status != PH_OK || f->reason[0])
    return status;
  if (f->to > f->actions)
    snprintf(f->reason, sizeof f->reason, "row %" PRId64 ": its last is %" PRId64, f->to,
             f->actions);
  else if (f->to <= f->from)
    snprintf(f->reason, sizeof f->reason, "%s",
             c->mode == CUT_IDLE ? "nothing in it moves" : "less than 2 states are left");
  return PH_OK;
}

static void find_out(struct found *f, struct cut *c, const struct opened *o) {
  const ph_episode_meta *meta = ph_episode_meta_of(o->episode);
  f->actions = meta->actions;
  f->states = meta->states;
  f->success = meta->success;
  if (c->claims && !cut_claim_holds(&c->claims[f->place], meta, c->opt->model != NULL, f->alien,
                                    sizeof f->alien))
    return;
  f->foreign = meta->layout[0];
  ph_status status = f->foreign ? PH_OK : ph_cut_read(o->episode);
  if (status == PH_OK)
    status = find_rows(f, c, o);
  if (status != PH_OK)
    say_error(f, o->entry);
  if (!f->reason[0] && c->opt->drop_failed && c->mode != CUT_TO_LATCH && f->success == 0) {
    f->failed = true;
    snprintf(f->reason, sizeof f->reason, "the file says that it failed");
  }
}

static void *make(void *arg, size_t place) {
  struct cut *c = arg;
  struct opened o;
  struct found *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->place = place;
  f->success = -1;
  pthread_mutex_lock(&c->desk);
  ph_status status = open_it(&o, c, place);
  if (status != PH_OK)
    say_error(f, o.entry);
  pthread_mutex_unlock(&c->desk);
  if (status == PH_OK)
    find_out(f, c, &o);
  close_it(&o);
  return f;
}

static void note_fingerprint(struct cut *c, struct found *f) {
  if (!f->fingerprint)
    return;
  c->several = c->several || (c->fingerprint && strcmp(c->fingerprint, f->fingerprint) != 0);
  if (!c->fingerprint) {
    c->fingerprint = f->fingerprint;
    f->fingerprint = NULL;
  }
}

static int take_found(void *arg, void *result) {
  struct cut *c = arg;
  struct found *f = result;
  ph_cut_episode *e = &c->plan[f->place];
  bool dropped = e->dropped; /* by --steps */
  if (f->unjudged[0])
    return cli_fail(EXIT_ERROR, "%s", f->unjudged);
  if (f->alien[0])
    return cli_fail(EXIT_ERROR, "cut: --steps %s: %s: %s", c->opt->steps_file, e->id, f->alien);
  e->actions = f->actions;
  e->states = f->states;
  c->foreign = c->foreign || f->foreign;
  c->opened = c->opened || f->states > 0;
  if (dropped)
    return EXIT_FINE;
  e->from = f->from;
  e->to = f->to;
  if (f->reason[0])
    cut_leave_out(c, f->place, !(f->failed && c->opt->drop_failed), "%s", f->reason);
  else
    note_fingerprint(c, f);
  if (!f->reason[0]) {
    cut_keep_judge(c, f->place, f->task, f->predicate);
    f->task = NULL;
    f->predicate = NULL;
  }
  return EXIT_FINE;
}

static void drop(void *result) {
  struct found *f = result;
  free(f->fingerprint);
  ph_task_unref(f->task);
  free(f->predicate);
  free(f);
}

int cut_make_plan(struct cut *c) {
  int status = EXIT_FINE;
  size_t *places = calloc(c->n + 1, sizeof *places);
  if (!places)
    return cli_fail(EXIT_ERROR, "cut: no memory");
  for (size_t i = 0; i < c->n; i++)
    places[i] = i;
  c->each.verb = "cut";
  c->each.arg = c;
  c->each.make = make;
  c->each.take = take_found;
  c->each.drop = drop;
  each_share(&c->each, (int)c->opt->jobs, c->n);
  if (c->mode == CUT_TO_LATCH && c->by == PH_LATCH_SOURCES)
    status = choose_source(c);
  if (status == EXIT_FINE)
    status = each_run(&c->each, places, c->n);
  cli_progress_end();
  if (status == EXIT_FINE && c->judge && ph_judge_note(c->judge)[0])
    cli_fail(EXIT_FINE, "predicate: %s", ph_judge_note(c->judge));
  free(places);
  return status;
}
