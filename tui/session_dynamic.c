#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session_parts.h"

enum {
  REST_MS = 120,    /* an episode that is only leafed through is not run */
  PUBLISH_MS = 100, /* between two answers while a pass runs */
  SEEK_MS = 6,      /* that an answer waits for the dynamic frame */
  SEEK_STEPS = 64,
  WAIT_MS = 5,            /* for what the frame that is wanted needs */
  PASS_CACHE = 48 << 20,  /* bytes of states of the episode on show */
  LEFT_CACHE = 16 << 20,  /* ... and of one that was left */
  LEFT_STATES = 100000,   /* it has at most */
  PASS_SUBSTEPS = 200000, /* of an episode that `screen` runs whatever is shown */
};

/* --- passes --- */

static void reap(struct dynamic *d) {
  for (int i = 0; i < DYNAMIC_LEFT; i++)
    if (d->left[i] && pass_ended(d->left[i])) {
      pass_free(d->left[i]);
      d->left[i] = NULL;
    }
}

/* It may go on for a moment; nobody waits for it unless there are too many. */
void dynamic_leave_pass(struct dynamic *d, struct pass *p) {
  if (!p)
    return;
  pass_cancel(p);
  reap(d);
  for (int i = 0; i < DYNAMIC_LEFT; i++)
    if (!d->left[i]) {
      d->left[i] = p;
      return;
    }
  pass_free(d->left[0]);
  d->left[0] = p;
}

/* What depends on the pass goes with it. */
static void drop_pass(struct dynamic *d) {
  dynamic_drop_frame(d);
  lanes_unref(d->lanes);
  d->lanes = NULL;
  dynamic_leave_pass(d, d->branch.pass);
  d->branch.pass = NULL;
  branch_clear(&d->branch);
  dynamic_leave_pass(d, d->pass);
  d->pass = NULL;
  d->aimed = false;
  d->told = d->told_branch = 0;
  d->refused[0] = d->broken[0] = d->error[0] = 0;
}

void dynamic_close(struct dynamic *d) {
  if (!d)
    return;
  drop_pass(d);
  for (int i = 0; i < DYNAMIC_LEFT; i++)
    pass_free(d->left[i]);
  free(d);
}

void dynamic_leave(struct dynamic *d) {
  ph_rerun_cache cache = {0};
  ph_analysis_progress now = {0};
  if (d->pass && pass_analysis(d->pass)) {
    ph_rerun_cached(pass_run(d->pass), &cache);
    ph_analysis_look(pass_analysis(d->pass), &now);
  }
  if (!d->pass || !pass_ended(d->pass) || branch_saving(d) || cache.bytes > LEFT_CACHE ||
      now.states > LEFT_STATES)
    drop_pass(d);
  dynamic_drop_frame(d);
  d->since = 0;
}

/* --- what is wanted --- */

bool dynamic_aim(struct opened *o, const struct dynamic_wish *wish, uint64_t now) {
  int64_t last = o->reel->states - 1, anchor = wish->anchor > last ? last : wish->anchor;
  ph_tolerance tolerance = wish_tolerance(wish);
  if (!o->dynamic)
    o->dynamic = calloc(1, sizeof *o->dynamic);
  struct dynamic *d = o->dynamic;
  if (!d)
    return false;
  anchor = anchor < 0 ? 0 : anchor;
  if (d->since == 0)
    d->since = now;
  if (d->aimed && (d->anchor != anchor || memcmp(&d->tolerance, &tolerance, sizeof tolerance) != 0))
    drop_pass(d);
  d->anchor = anchor;
  d->tolerance = tolerance;
  return true;
}

bool dynamic_idle(const struct dynamic *d) {
  return !d->aimed;
}

void dynamic_begin(struct dynamic *d, struct opened *o) {
  struct pass_wish wish = {.episode = o->episode,
                           .model = o->model,
                           .task = o->task,
                           .run = PH_RERUN_OPTIONS_INIT,
                           .tolerance = d->tolerance};
  d->aimed = true;
  if (o->reel->guarantee == PH_STATES_ONLY) {
    snprintf(d->refused, sizeof d->refused, "%s: %s", ph_guarantee_name(PH_STATES_ONLY),
             o->reel->reason);
    return;
  }
  wish.run.anchor = d->anchor;
  wish.run.budget = PASS_CACHE;
  d->pass = pass_start(&wish);
  if (!d->pass)
    snprintf(d->refused, sizeof d->refused, "%s", ph_status_message(PH_ENOMEM));
}

/* --- answers --- */

/* Without the episode's id in front: who shows it says whose it is. */
static void say_refused(struct dynamic_answer *out, const struct dynamic *d,
                        const struct reel *reel) {
  const char *text = d->refused[0] ? d->refused : d->pass ? pass_refused(d->pass) : NULL;
  text = ph_text_without(text ? text : d->broken, reel->meta.id);
  snprintf(out->refused, sizeof out->refused, "%s", text);
}

static bool fill_joints(struct dynamic_answer *out, const ph_analysis *a) {
  size_t n = ph_analysis_joints(a, NULL, 0);
  ph_joint_summary *sum = calloc(n ? n : 1, sizeof *sum);
  out->joints = calloc(n ? n : 1, sizeof *out->joints);
  if (!sum || !out->joints) {
    free(sum);
    return false;
  }
  ph_analysis_joints(a, sum, n);
  for (size_t i = 0; i < n; i++)
    out->joints[i].worst = sum[i];
  out->njoints = n;
  free(sum);
  return true;
}

static bool fill_findings(struct dynamic_answer *out, const struct pass *pass) {
  out->findings = calloc(PASS_FINDINGS, sizeof *out->findings);
  if (!out->findings)
    return false;
  out->nfindings = pass_findings(pass, out->findings);
  out->breaks = pass_broke(pass, &out->broke);
  return true;
}

static void fill_blank(struct dynamic_answer *out, const struct dynamic *d,
                       const struct opened *o) {
  out->control_steps = o->reel->meta.dims.control_steps;
  out->reward = NAN;
  out->flags = -1;
  out->pass = (ph_analysis_progress){
      .states = o->reel->states, .anchor = d->anchor, .free_run = d->anchor, .stopped = -1};
  out->sum.latch = out->sum.longest_hold = out->sum.longest_hold_step = out->sum.end_step = -1;
  for (int c = 0; c < PH_CLASS_COUNT; c++)
    out->sum.first[c] = out->sum.one_first[c] = -1;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    out->sum.worst[m] = out->sum.one_worst[m] = -1;
  out->sum.ctrl_first = -1;
  out->sum.reward = NAN;
  out->sum.end = PH_END_UNKNOWN;
}

static ph_status fill_whole(struct dynamic_answer *out, struct dynamic *d) {
  const struct pass *pass = d->pass;
  const ph_rerun *run = pass ? pass_run(pass) : NULL;
  const ph_analysis *a = pass ? pass_analysis(pass) : NULL;
  if (run) {
    ph_rerun_cached(run, &out->cache);
    out->control_steps = ph_rerun_control_steps(run);
  }
  if (!a)
    return PH_OK;
  ph_analysis_look(a, &out->pass);
  ph_analysis_sum(a, &out->sum);
  out->diagnosed = pass_diagnosis(pass, &out->diagnosis);
  out->lanes = d->lanes ? lanes_ref(d->lanes) : NULL;
  return fill_joints(out, a) && fill_findings(out, pass) ? PH_OK : PH_ENOMEM;
}

static ph_status fill_frame(struct dynamic_answer *out, struct dynamic *d, struct opened *o,
                            bool recorded) {
  if (!d->sought || !d->there)
    return PH_OK;
  snprintf(out->error, sizeof out->error, "%s", d->error);
  return d->error[0] ? PH_OK
                     : dynamic_take_frame(out, d, o, recorded ? ph_replay_frame(o->replay) : NULL);
}

/* What it finds is told by the hold that is wished for. */
static void tell_hold(const struct session *s, const struct opened *o) {
  if (o->dynamic->pass)
    pass_hold(o->dynamic->pass, s->last.hold.on ? o->reel->hold_steps : -1);
}

ph_status session_dynamic_answer(struct session *s, struct opened *o, struct snapshot *snap) {
  const struct dynamic_wish *wish = &s->last.dyn;
  const struct dynamic_budget quick = {.steps = SEEK_STEPS, .until = session_clock() + SEEK_MS};
  struct dynamic_answer *out = calloc(1, sizeof *out);
  if (!out || !dynamic_aim(o, wish, session_clock())) {
    free(out);
    return PH_ENOMEM;
  }
  struct dynamic *d = o->dynamic;
  snap->dyn = out;
  tell_hold(s, o);
  dynamic_aim_frame(d, wish, snap->step, o->reel->states);
  branch_aim(d, &wish->branch);
  dynamic_seek(d, &quick);
  d->told = d->pass ? pass_news(d->pass) : 0;
  d->told_branch = d->branch.pass ? pass_news(d->branch.pass) : 0;
  fill_blank(out, d, o);
  say_refused(out, d, o->reel);
  ph_status status = dynamic_make_lanes(d, o, wish);
  if (status == PH_OK)
    status = fill_whole(out, d);
  if (status == PH_OK)
    status = fill_frame(out, d, o, snap->has_frame);
  branch_answer(out, d, o);
  return status;
}

/* --- a piece at a time --- */

static bool has_news(const struct dynamic *d) {
  return (d->pass && pass_news(d->pass) != d->told) || branch_saving(d) ||
         (d->branch.pass && pass_news(d->branch.pass) != d->told_branch);
}

static bool is_running(const struct dynamic *d) {
  return (d->pass && !pass_ended(d->pass)) || (d->branch.pass && !pass_ended(d->branch.pass));
}

/* An answer of how far it all is: the last one is a while old. */
static bool is_stale(const struct session *s) {
  return session_clock() - s->published >= PUBLISH_MS;
}

/* The frame that is wanted, a piece nearer. */
static bool work_frame(struct dynamic *d, struct opened *o, const struct dynamic_budget *budget) {
  if (dynamic_ready(d, o))
    dynamic_seek(d, budget);
  return d->there || d->broken[0];
}

bool session_dynamic_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                          void *arg, bool *due) {
  struct dynamic *d = o->dynamic;
  uint64_t now = session_clock();
  const struct dynamic_budget budget = {
      .steps = -1, .until = now + PUBLISH_MS, .interrupted = interrupted, .arg = arg};
  *due = false;
  if (!d)
    return false;
  reap(d);
  if (dynamic_idle(d)) {
    if (s->last.dyn.mode == MODE_KINEMATIC && now - d->since < REST_MS)
      return false;
    dynamic_begin(d, o);
    *due = d->refused[0] != 0;
    return true;
  }
  if (dynamic_wants_frame(d)) {
    *due = work_frame(d, o, &budget) || is_stale(s);
    return true;
  }
  if (branch_wants(d)) {
    branch_work(d, o, &budget);
    *due = !branch_wants(d) || is_stale(s);
    return true;
  }
  *due = has_news(d) && is_stale(s);
  return *due;
}

uint64_t session_dynamic_wait(const struct session *s, const struct opened *o) {
  const struct dynamic *d = o->dynamic;
  uint64_t now = session_clock(), since = d ? now - d->since : 0, told = now - s->published;
  if (!d)
    return UINT64_MAX;
  if (dynamic_idle(d))
    return since < REST_MS ? REST_MS - since : 0;
  if (dynamic_wants_frame(d) || branch_wants(d))
    return 0;
  if (d->sought && !d->there && d->pass && !pass_ended(d->pass) && !pass_run(d->pass))
    return WAIT_MS;
  if (!is_running(d) && !has_news(d))
    return UINT64_MAX;
  return told >= PUBLISH_MS ? has_news(d) ? 0 : PUBLISH_MS / 4 : PUBLISH_MS - told;
}

static void nap(void) {
  const struct timespec ms = {0, 1000000};
  nanosleep(&ms, NULL);
}

bool session_dynamic_settle(struct session *s, struct opened *o) {
  const struct dynamic_budget all = {.steps = -1};
  struct dynamic *d = o->dynamic;
  int steps = o->reel->meta.dims.control_steps;
  if (!d || (dynamic_idle(d) && s->last.dyn.mode == MODE_KINEMATIC &&
             o->reel->states > PASS_SUBSTEPS / (steps > 0 ? steps : 1)))
    return false;
  bool news = dynamic_idle(d);
  if (dynamic_idle(d))
    dynamic_begin(d, o);
  if (d->pass) {
    pass_wait(d->pass);
    tell_hold(s, o);
    pass_wait(d->pass);
  }
  while (branch_wants(d)) {
    branch_work(d, o, &all);
    news = true;
  }
  if (d->branch.pass)
    pass_wait(d->branch.pass);
  while (branch_wants(d) || branch_saving(d)) {
    if (branch_wants(d))
      branch_work(d, o, &all);
    else
      nap();
    news = true;
  }
  if (dynamic_wants_frame(d)) {
    work_frame(d, o, &all);
    news = true;
  }
  return news || has_news(d);
}

void session_dynamic_leave(struct session *s, size_t episode) {
  for (int i = 0; i < SESSION_KEPT; i++) {
    struct opened *o = &s->slot[i].opened;
    if (s->slot[i].used && o->dynamic && o->place != episode)
      dynamic_leave(o->dynamic);
  }
}
