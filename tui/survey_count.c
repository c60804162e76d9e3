/* The survey counted: how many latch at a hold and beside it, how their latch rows move, and what a
 * cut of one path would do. */
#include <playhead/cut.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "survey.h"

enum { RECOUNT_MS = 150 };

/* The latch row of one at a hold; -1. Of a dynamic one nothing is known behind what it left. */
static int64_t latch_of(const struct surveyed *e, int64_t steps) {
  ph_latching l;
  if (!e->known)
    return -1;
  ph_intervals_latch(&e->longer, e->held > 0 && steps == e->held ? 0 : steps, &l);
  return e->ended >= 0 && e->ended < l.latch ? -1 : l.latch;
}

static int compare_rows(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void count_one(struct hold_count *c, const struct surveyed *e, const struct hold_wish *wish,
                      int64_t *shift) {
  c->done++;
  int64_t steps;
  c->unknown += !e->known || !hold_wish_count(&steps, wish, e->dt, e->own);
  c->judged += e->judged;
  int64_t own = latch_of(e, e->own), now = -1;
  for (int i = 0; i < 3; i++) {
    struct hold_wish hold = {.on = true, .seconds = (double)c->steps[i] * c->dt};
    if (i == 1)
      hold = *wish;
    bool counts = c->steps[i] >= 0 && hold_wish_count(&steps, &hold, e->dt, e->own);
    int64_t row = counts ? latch_of(e, steps) : -1;
    c->latch[i] += row >= 0;
    now = i == 1 ? row : now;
  }
  c->own += own >= 0;
  if (own >= 0 && now >= 0)
    shift[c->both++] = now - own;
}

static void count_shifts(struct hold_count *c, int64_t *shift) {
  if (c->both == 0)
    return;
  qsort(shift, c->both, sizeof *shift, compare_rows);
  c->median = shift[(c->both - 1) / 2];
  c->least = shift[0];
  c->most = shift[c->both - 1];
}

static void count_asked(struct survey *v, size_t n, int64_t *shift) {
  for (size_t i = 0; i < n; i++) {
    size_t place = v->group ? v->group->place[i] : i;
    if (place < v->n && v->at[place].done)
      count_one(&v->count, &v->at[place], &v->wish, shift);
  }
}

/* Those from the first on. */
static void count_unasked(struct survey *v, size_t n, int64_t *shift) {
  struct hold_count *c = &v->count;
  for (size_t i = 0; i < n; i++) {
    size_t place = v->group ? v->group->place[i] : i;
    if (place >= v->n || !(v->at[place].done || v->at[place].passed))
      break;
    bool passed = !v->at[place].done;
    c->done += passed;
    c->unknown += passed;
    if (!passed)
      count_one(c, &v->at[place], &v->wish, shift);
  }
}

static void count_all(struct session *s, const struct opened *o, int64_t *shift) {
  struct survey *v = s->survey;
  struct hold_count *c = &v->count;
  int64_t by = hold_beside(v->steps);
  *c = (struct hold_count){.on = true, .asked = v->wish.count, .all = survey_size(s), .dt = v->dt};
  c->choosing = survey_wants_choice(v);
  c->by = v->asked == COUNT_SHOWN ? PH_LATCH_RECORDED : v->by;
  c->steps[0] = v->steps > 0 ? v->steps - by : -1;
  c->steps[1] = v->steps;
  c->steps[2] = v->steps + by;
  if (c->asked)
    count_asked(v, c->all, shift);
  else
    count_unasked(v, survey_unasked_size(s), shift);
  c->stopped = !c->asked && c->done < c->all && !survey_goes_on(s, o);
  count_shifts(c, shift);
}

/* --- what a cut would do --- */

/* In the words of `latch` and `cut`. */
static void drop_reason(const struct surveyed *e, int64_t steps, char *out, size_t size) {
  const char *why = e->why ? e->why : "";
  ph_latch_answer answer;
  ph_outcomes o = {.known = e->known,
                   .intervals = e->longer,
                   .actions = e->actions,
                   .held_steps = e->held,
                   .ended = e->ended,
                   .left = e->left};
  snprintf(!e->known       ? o.why
           : e->ended >= 0 ? o.ended_text
           : e->left >= 0  ? o.left_text
                           : o.why,
           sizeof o.left_text, "%s", why);
  ph_outcomes_latch(&o, steps, &answer);
  snprintf(out, size, "%s", answer.text[0] ? answer.text : "its outcomes are not known");
}

static void plan_one(struct session *s, size_t place, const struct hold_wish *hold,
                     ph_cut_episode *out) {
  const struct surveyed *e = &s->survey->at[place];
  int64_t steps;
  bool counts = hold_wish_count(&steps, hold, e->dt, e->own);
  *out = (ph_cut_episode){
      .to = counts ? latch_of(e, steps) : -1, .states = e->states, .actions = e->actions};
  snprintf(out->id, sizeof out->id, "%s", catalog_entry(s->catalog, place)->id);
  out->dropped = out->to < 1;
  if (out->dropped) {
    out->to = 0;
    if (counts || !e->known)
      drop_reason(e, steps, out->reason, sizeof out->reason);
    else
      snprintf(out->reason, sizeof out->reason, "%s",
               e->dt > 0 ? ph_error()
                         : "how long a step takes is not known, so no hold but 0 can be counted");
  }
}

static void plan_take(struct cut_plan *plan, const ph_cut_episode *e) {
  int64_t off = e->actions - e->to;
  if (e->dropped) {
    plan->dropped++;
    if (plan->named < HELD_DROPPED) {
      snprintf(plan->drop[plan->named].id, sizeof plan->drop->id, "%.63s", e->id);
      snprintf(plan->drop[plan->named++].why, sizeof plan->drop->why, "%.*s", HELD_REASON - 1,
               e->reason);
    }
    return;
  }
  plan->least = plan->kept == 0 || off < plan->least ? off : plan->least;
  plan->most = off > plan->most ? off : plan->most;
  plan->kept++;
}

bool session_survey_plan(struct session *s, size_t source, ph_latch_source by,
                         const struct hold_wish *hold, ph_cut_episode **out, size_t *n) {
  const struct survey *v = s->survey;
  *out = NULL;
  *n = 0;
  if (!v || v->n < s->catalog->n || v->asked == COUNT_SHOWN || survey_wants_choice(v) ||
      v->by != by)
    return false;
  ph_cut_episode *plan = calloc(v->n + 1, sizeof *plan);
  bool ok = plan != NULL;
  for (size_t i = 0; ok && i < v->n; i++) {
    if (catalog_source(s->catalog, i) != source)
      continue;
    ok = v->at[i].done;
    if (ok)
      plan_one(s, i, hold, &plan[(*n)++]);
  }
  if (ok)
    *out = plan;
  else
    free(plan);
  return ok;
}

/* In force, as it was typed where it was. */
static double hold_seconds(const struct survey *v) {
  return v->wish.on ? v->wish.seconds : (double)v->steps * v->dt;
}

static void plan_all(struct session *s, struct survey *v) {
  struct cut_plan *plan = &v->plan;
  *plan = (struct cut_plan){.ready = v->asked != COUNT_SHOWN && !survey_wants_choice(v),
                            .asked = v->asked,
                            .by = v->by,
                            .hold = hold_seconds(v),
                            .least = -1,
                            .most = -1};
  if (!v->wish.count)
    return;
  snprintf(plan->source, sizeof plan->source, "%s", s->catalog->source[v->source]);
  if (ph_cut_name(plan->out, sizeof plan->out, plan->source, hold_seconds(v)) != PH_OK)
    plan->out[0] = 0;
  for (size_t i = 0; i < v->n; i++) {
    ph_cut_episode e;
    if (catalog_source(s->catalog, i) != v->source)
      continue;
    plan->ready = plan->ready && v->at[i].done;
    if (!v->at[i].done)
      continue;
    plan_one(s, i, &v->wish, &e);
    plan_take(plan, &e);
    plan->known = plan->known || v->at[i].known;
    if (!plan->why[0] && !v->at[i].known)
      snprintf(plan->why, sizeof plan->why, "%.*s", HELD_REASON - 1, e.reason);
  }
}

/* While episodes are still looked at, those that came in the last moment are left for the next
 * count. */
static bool is_counted(const struct survey *v, const struct session *s, const struct opened *o) {
  bool recent = survey_goes_on(s, o) && session_clock() - v->counted_at < RECOUNT_MS;
  bool same = v->counted_done == v->done && v->counted_passed == v->passed;
  return v->counted && v->counted_chosen == v->chosen && (same || recent) && v->counted_n == v->n &&
         v->group == s->group && v->steps == o->reel->hold_steps &&
         v->dt == o->reel->meta.control_dt && v->wish.on == s->last.hold.on &&
         v->wish.seconds == s->last.hold.seconds && v->wish.count == s->last.hold.count &&
         v->source == catalog_source(s->catalog, o->place);
}

static void count_anew(struct session *s, const struct opened *o) {
  struct survey *v = s->survey;
  int64_t *shift = malloc((v->n + 1) * sizeof *shift);
  v->counted = shift != NULL;
  v->counted_done = v->done;
  v->counted_passed = v->passed;
  v->counted_n = v->n;
  v->counted_chosen = v->chosen;
  v->counted_at = session_clock();
  v->group = s->group;
  v->steps = o->reel->hold_steps;
  v->dt = o->reel->meta.control_dt;
  v->wish = s->last.hold;
  v->source = catalog_source(s->catalog, o->place);
  if (shift) {
    count_all(s, o, shift);
    plan_all(s, v);
  }
  free(shift);
}

void session_survey_answer(struct session *s, const struct opened *o, struct held_answer *out) {
  if (!survey_ready(s, o)) {
    out->count = (struct hold_count){.on = survey_unasked(s, o),
                                     .all = survey_size(s),
                                     .dt = o->reel->meta.control_dt,
                                     .steps = {-1, o->reel->hold_steps, -1}};
    return;
  }
  if (!is_counted(s->survey, s, o))
    count_anew(s, o);
  out->count = s->survey->count;
  out->plan = s->survey->plan;
}
