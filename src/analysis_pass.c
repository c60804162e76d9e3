#include "analysis_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "finite.h"
#include "rerun_parts.h"

/* One thread's own. */
struct worker {
  ph_analysis *a;
  ph_cursor *cursor;
  ph_divergence *divergence;
  ph_rows_ahead rows;
  ph_tally tally; /* of a block of single steps */
  /* touching pairs of geoms, sorted: of this state and the one before */
  uint64_t *pair, *pair_before;
  size_t pairs, pairs_before, room;
};

static ph_status worker_make(struct worker *w, ph_analysis *a) {
  const ph_episode *episode = ph_rerun_episode(a->run);
  const ph_model *model = ph_rerun_model(a->run);
  size_t n;
  const ph_edit *edits = ph_episode_edits(episode, &n);
  *w = (struct worker){.a = a};
  ph_status status = ph_cursor_open(&w->cursor, a->run);
  if (status == PH_OK)
    status = ph_divergence_create(&w->divergence, model, edits, n);
  if (status == PH_OK)
    status = ph_rows_ahead_make(&w->rows, episode);
  if (status == PH_OK)
    status = ph_tally_make(&w->tally, model, !a->opt.no_bodies);
  if (status == PH_OK)
    ph_divergence_set_memory(w->divergence, ph_episode_meta_of(episode)->dims.action_state);
  return status;
}

static void worker_clear(struct worker *w) {
  free(w->pair);
  free(w->pair_before);
  ph_tally_clear(&w->tally);
  ph_rows_ahead_clear(&w->rows);
  ph_divergence_free(w->divergence);
  ph_cursor_close(w->cursor);
}

static bool canceled(void *arg) {
  ph_analysis *a = arg;
  return atomic_load_explicit(&a->cancel, memory_order_relaxed);
}

/* --- how it may end --- */

/* Of the pass as a whole; the others stop too. */
static void fail(ph_analysis *a, ph_status status) {
  pthread_mutex_lock(&a->lock);
  if (status == PH_ECANCELED) {
    a->cut = true;
  } else if (a->failed == PH_OK) {
    a->failed = status;
    snprintf(a->text, sizeof a->text, "%s", ph_error());
  }
  pthread_mutex_unlock(&a->lock);
  atomic_store(&a->cancel, true);
}

/* Of the free run alone, at a step that could not be reached. */
static void stop_at(ph_analysis *a, int64_t step, ph_status status) {
  pthread_mutex_lock(&a->lock);
  a->stop = status;
  a->stopped = step;
  if (a->failed == PH_OK)
    snprintf(a->text, sizeof a->text, "%s", ph_error());
  if (status == PH_ESIM && a->judged && a->end_of == PH_END_UNKNOWN) {
    a->end_of = PH_END_NAN;
    a->end_step = step;
    snprintf(a->end_detail, sizeof a->end_detail, "%s", ph_error());
  }
  pthread_mutex_unlock(&a->lock);
}

static void unread(ph_analysis *a, ph_unread *what, int64_t step) {
  pthread_mutex_lock(&a->lock);
  if (what->n++ == 0 || step < what->first) {
    what->first = step;
    snprintf(what->text, sizeof what->text, "%s", ph_error());
  }
  pthread_mutex_unlock(&a->lock);
}

/* Whether an error is of one step, not of the pass: also a step that the file has no state of. */
static bool of_step(ph_status status) {
  return ph_rerun_of_step(status) || status == PH_EINVAL;
}

/* --- contacts --- */

static int compare_pairs(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static bool pairs_reserve(struct worker *w, size_t n) {
  if (n <= w->room)
    return true;
  uint64_t *more = realloc(w->pair, 2 * n * sizeof *more);
  w->pair = more ? more : w->pair;
  uint64_t *before = more ? realloc(w->pair_before, 2 * n * sizeof *before) : NULL;
  w->pair_before = before ? before : w->pair_before;
  if (before)
    w->room = 2 * n;
  return before != NULL;
}

/* They come nearly in order. */
static void pairs_sort(uint64_t *pair, size_t n) {
  if (n > 100) {
    qsort(pair, n, sizeof *pair, compare_pairs);
    return;
  }
  for (size_t i = 1; i < n; i++) {
    uint64_t one = pair[i];
    size_t k = i;
    for (; k > 0 && pair[k - 1] > one; k--)
      pair[k] = pair[k - 1];
    pair[k] = one;
  }
}

/* Touching pairs of geoms in the cursor's state, each once. */
static ph_status pairs_find(struct worker *w, const mjData *d) {
  size_t n = 0, out = 0;
  if (!pairs_reserve(w, (size_t)d->ncon))
    return ph_fail(PH_ENOMEM, "analysis: no memory for %d contacts", (int)d->ncon);
  for (int i = 0; i < (int)d->ncon; i++) {
    const mjContact *c = &d->contact[i];
    uint64_t a = (uint32_t)c->geom1, b = (uint32_t)c->geom2;
    if (c->geom1 >= 0 && c->geom2 >= 0 && (c->efc_address >= 0 || c->dist <= 0))
      w->pair[n++] = a < b ? a << 32 | b : b << 32 | a;
  }
  pairs_sort(w->pair, n);
  for (size_t i = 0; i < n; i++)
    if (out == 0 || w->pair[out - 1] != w->pair[i])
      w->pair[out++] = w->pair[i];
  w->pairs = out;
  return PH_OK;
}

/* Whether they are others than those before, which they are from now on. */
static bool pairs_changed(struct worker *w) {
  bool same = w->pairs == w->pairs_before &&
              (w->pairs == 0 || memcmp(w->pair, w->pair_before, w->pairs * sizeof *w->pair) == 0);
  uint64_t *before = w->pair_before;
  w->pair_before = w->pair;
  w->pairs_before = w->pairs;
  w->pair = before;
  return !same;
}

/* --- the free run --- */

static void judge(ph_analysis *a, const ph_instant *now) {
  if (!now->judged)
    return;
  if (!a->judged) {
    a->judged = true;
    a->longest = 0;
    a->reward = 0;
  }
  if (now->hold.count > a->longest)
    a->longest = now->hold.count, a->longest_step = now->step;
  if (now->hold.latched)
    a->latch = now->hold.latch;
  if (!isnan(now->reward))
    a->reward += now->reward;
  if (now->end != PH_END_UNKNOWN && a->end_of == PH_END_UNKNOWN) {
    a->end_of = now->end;
    a->end_step = now->step;
    snprintf(a->end_detail, sizeof a->end_detail, "%s", now->detail ? now->detail : "");
  }
}

/* Compares the cursor's state with a recorded one; its bodies are derived where it is `derived`.
 * PH_ENOTFOUND: that cannot be read. */
static ph_status compare(struct worker *w, int64_t step, bool derived, ph_difference *out) {
  ph_row recorded;
  const ph_instant *now = ph_cursor_now(w->cursor);
  ph_status status = ph_rows_ahead_get(&w->rows, step, &recorded);
  if (status == PH_OK && !recorded.state)
    status = ph_fail(PH_ECORRUPT, "state %lld is not there", (long long)step);
  if (of_step(status)) {
    unread(w->a, &w->a->unread_state, step);
    return PH_ENOTFOUND;
  }
  if (status == PH_OK)
    status = ph_divergence_compare_with(w->divergence, &recorded, &now->row, now->sim,
                                        derived && !w->a->opt.no_bodies, &w->a->opt.tolerance, out);
  return status;
}

/* Whether a component that the file does not have is as a recorded state is completed: as after a
 * reset. */
static bool is_reset(const struct worker *w, int64_t step, ph_column col) {
  const ph_rerun *run = w->a->run;
  const ph_instant *now = ph_cursor_now(w->cursor);
  const void *reset = now->sim->reset[col], *value = ph_row_column(&now->row, col);
  if (!reset || (ph_episode_has(run->episode, col) && step < ph_episode_rows(run->episode, col)))
    return true;
  size_t size = ph_schema_width(col, &run->dims) * ph_type_size(ph_schema_column(col)->type);
  return value && memcmp(value, reset, size) == 0;
}

static bool is_whole(const struct worker *w, int64_t step) {
  const ph_rerun *run = w->a->run;
  bool whole = !run->full && (run->dims.action_state == 0 ||
                              step < ph_episode_rows(run->episode, PH_COL_ACTION_STATE));
  for (int i = 0; i < PH_MOVING; i++)
    whole = whole && is_reset(w, step, ph_moving[i]);
  for (int i = 0; i < PH_STILL; i++)
    whole = whole && is_reset(w, step, ph_still[i]);
  return whole;
}

static ph_status look_at(struct worker *w, int64_t step) {
  ph_analysis *a = w->a;
  const ph_instant *now = ph_cursor_now(w->cursor);
  ph_difference d;
  size_t n;
  ph_status status = pairs_find(w, now->sim->d);
  if (status != PH_OK)
    return status;
  bool changed = pairs_changed(w) && step > ph_rerun_anchor(a->run);
  ph_run_facts_put(&a->ran, step, now, w->pairs_before, changed, is_whole(w, step));
  status = compare(w, step, true, &d);
  if (status == PH_OK)
    status = ph_facts_put(&a->freely, step, &d);
  pthread_mutex_lock(&a->lock);
  judge(a, now);
  if (status == PH_OK)
    ph_tally_add(&a->freely_sum, step, &d, ph_divergence_joints(w->divergence, &n));
  pthread_mutex_unlock(&a->lock);
  return status == PH_ENOTFOUND ? PH_OK : status;
}

static ph_status run_freely(struct worker *w) {
  ph_analysis *a = w->a;
  for (int64_t t = ph_rerun_anchor(a->run); t < a->end; t++) {
    ph_status status = ph_cursor_seek(w->cursor, t, 0, canceled, a);
    if (of_step(status)) {
      stop_at(a, t, status);
      return PH_OK;
    }
    if (status == PH_OK)
      status = look_at(w, t);
    if (status != PH_OK)
      return status;
    atomic_store_explicit(&a->free_run, t + 1, memory_order_release);
  }
  return PH_OK;
}

/* --- single steps --- */

/* What is known of a step whose physics left the numbers. */
static void no_state(ph_difference *d) {
  *d = (ph_difference){.ctrl_equal = true, .memory_equal = true, .cls = PH_DIVERGED};
  d->unequal = PH_COL_STATES;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    d->max[m] = NAN, d->worst[m] = -1;
}

/* Equal bits have equal bodies: nothing is derived for them. */
static ph_status compare_alone(struct worker *w, int64_t to, ph_difference *d) {
  ph_status status = compare(w, to, false, d);
  if (status != PH_OK || w->a->opt.no_bodies)
    return status;
  if (d->cls != PH_BITWISE)
    status = ph_cursor_derive(w->cursor);
  return status == PH_OK ? compare(w, to, true, d) : status;
}

/* The free run took this very step: from the recorded bits it came to the recorded bits. */
static bool was_taken(const ph_analysis *a, int64_t to) {
  return ph_facts_bitwise(&a->freely, to - 1) && ph_run_facts_whole(&a->ran, to - 1) &&
         ph_facts_bitwise(&a->freely, to);
}

static ph_status compare_equal(struct worker *w, int64_t to, ph_difference *d) {
  ph_row recorded;
  ph_status status = ph_rows_ahead_get(&w->rows, to, &recorded);
  if (status == PH_OK)
    status = ph_divergence_compare(w->divergence, &recorded, &recorded, !w->a->opt.no_bodies,
                                   &w->a->opt.tolerance, d);
  return status;
}

/* Whether what the file has for a single step from a recorded state are numbers: else the physics
 * cannot be asked. */
static bool can_be_asked(const struct worker *w, int64_t from) {
  static const ph_column columns[] = {PH_COL_STATES,    PH_COL_ACTIONS,      PH_COL_WARMSTART,
                                      PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                                      PH_COL_CTRL,      PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};
  const ph_rerun *run = w->a->run;
  bool all = true;
  for (size_t i = 0; all && i < sizeof columns / sizeof *columns; i++) {
    size_t at, n = ph_schema_width(columns[i], &run->dims);
    if (!ph_episode_has(run->episode, columns[i]) || n == 0 ||
        from >= ph_episode_rows(run->episode, columns[i]))
      continue;
    double *row = malloc(n * sizeof *row);
    all = row && ph_episode_read(run->episode, columns[i], from, 1, row) == PH_OK &&
          ph_finite(row, n, &at);
    free(row);
  }
  return all;
}

/* PH_ENOTFOUND: nothing is known of it. */
static ph_status step_once(struct worker *w, int64_t to, ph_difference *d) {
  if (was_taken(w->a, to) && compare_equal(w, to, d) == PH_OK)
    return PH_OK;
  ph_status status = ph_cursor_one_row(w->cursor, to - 1);
  if (status == PH_OK)
    status = compare_alone(w, to, d);
  if (status == PH_OK || status == PH_ENOTFOUND)
    return status;
  if (!of_step(status))
    return status;
  char why[400];
  snprintf(why, sizeof why, "%s", ph_error());
  if (status == PH_ESIM && can_be_asked(w, to - 1)) {
    no_state(d);
    return PH_OK;
  }
  ph_fail(status, "%s", why);
  unread(w->a, &w->a->unread_step, to);
  return PH_ENOTFOUND;
}

static ph_status step_block(struct worker *w, int64_t block) {
  ph_analysis *a = w->a;
  int64_t from = block * PH_FACTS_BLOCK, to = from + PH_FACTS_BLOCK - 1;
  ph_status status = PH_OK;
  ph_tally_empty(&w->tally, &a->fresh);
  for (int64_t t = from > 1 ? from : 1; status == PH_OK && t <= to && t <= a->last_step; t++) {
    ph_difference d;
    size_t n;
    status = canceled(a) ? PH_ECANCELED : step_once(w, t, &d);
    if (status == PH_OK)
      status = ph_facts_put(&a->single, t, &d);
    if (status == PH_OK) {
      bool state = d.cls != PH_DIVERGED || d.unequal != PH_COL_STATES || !isnan(d.max[0]);
      ph_tally_add(&w->tally, t, &d, state ? ph_divergence_joints(w->divergence, &n) : NULL);
      atomic_fetch_add_explicit(&a->one_step, 1, memory_order_release);
    } else if (status == PH_ENOTFOUND) {
      status = PH_OK;
    }
  }
  pthread_mutex_lock(&a->lock);
  ph_tally_merge(&a->single_sum, &w->tally);
  pthread_mutex_unlock(&a->lock);
  return status;
}

static ph_status run_single(struct worker *w) {
  ph_status status = PH_OK;
  while (status == PH_OK) {
    int64_t block = atomic_fetch_add(&w->a->next, 1);
    if (block * PH_FACTS_BLOCK > w->a->last_step)
      break;
    status = step_block(w, block);
  }
  return status;
}

void ph_analysis_work(ph_analysis *a, bool first) {
  struct worker w;
  ph_status status = worker_make(&w, a);
  if (status == PH_OK && first)
    status = run_freely(&w);
  if (status == PH_OK && !a->opt.no_one_step)
    status = run_single(&w);
  if (status != PH_OK)
    fail(a, status);
  worker_clear(&w);
}
