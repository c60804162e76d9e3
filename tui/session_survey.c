/* The hold over all episodes of the list. Each is looked at once, in the background: by the
 * predicate that its file stores, else by the task on its states; or for a cut by one source for
 * all, as it is asked for or as they allow it. Of an episode only the intervals
 * stay that are longer than all before: no hold latches in another one, and of S states there are
 * at most sqrt(2 S) of them. */
#include <playhead/cut.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_held.h"

enum { BATCH_MS = 8, POLL_MS = 20, RECOUNT_MS = 150 };

struct surveyed {
  bool done, known, judged; /* judged: by the task, and that was not asked for */
  double dt;
  int64_t own; /* its file's hold in steps */
  int64_t states, actions;
  int64_t ended; /* for another reason than success; -1 */
  int64_t left;  /* dynamic: physics leaves the recording; -1 */
  ph_intervals longer;
  char *why; /* owned: why it is not known, has ended, or was left; NULL: nothing, or nobody says */
};

struct survey {
  enum count_by asked;
  size_t path; /* where the strictest source is asked for: that all episodes of this path allow: */
  bool chosen;
  size_t choosing; /* all before have been asked */
  ph_latch_source by;
  size_t n, done;
  struct surveyed *at;   /* by place in the catalog */
  size_t next;           /* all before are done */
  struct take_job *take; /* of the episode `taking`, which is open here: */
  struct opened taken;
  size_t taking;
  ph_judge *judge; /* of its own: a command serves one thread */

  bool counted; /* for what follows: */
  size_t counted_done, counted_n;
  bool counted_chosen;
  uint64_t counted_at; /* ms */
  struct hold_wish wish;
  int64_t steps;
  double dt;
  size_t source;
  const struct group *group;
  struct hold_count count;
  struct cut_plan plan;
};

static void end_taken(struct survey *v) {
  take_free(v->take);
  v->take = NULL;
  if (v->taken.episode)
    opened_close(&v->taken);
}

static void clear_one(struct surveyed *e) {
  ph_intervals_free(&e->longer);
  free(e->why);
  *e = (struct surveyed){0};
}

void session_survey_free(struct session *s) {
  struct survey *v = s->survey;
  if (!v)
    return;
  end_taken(v);
  for (size_t i = 0; i < v->n; i++)
    clear_one(&v->at[i]);
  ph_judge_close(v->judge);
  free(v->at);
  free(v);
  s->survey = NULL;
}

/* --- looking at one --- */

static void keep_longer(ph_intervals *iv) {
  int64_t longest = 0;
  size_t kept = 0;
  for (size_t i = 0; i < iv->n; i++) {
    int64_t length = iv->at[i].last - iv->at[i].first + 1;
    if (length <= longest)
      continue;
    longest = length;
    iv->at[kept++] = iv->at[i];
  }
  iv->n = iv->room = kept;
  ph_interval *less = kept ? realloc(iv->at, kept * sizeof *less) : NULL;
  if (kept == 0)
    free(iv->at);
  iv->at = less || kept == 0 ? less : iv->at;
}

/* Takes what is in *o. */
static void finish_one(struct survey *v, size_t place, ph_outcomes *o, bool judged) {
  struct surveyed *to = &v->at[place];
  to->done = true;
  to->known = o->known;
  to->judged = judged && o->known;
  to->ended = o->ended;
  to->left = o->left;
  to->longer = o->intervals;
  o->intervals = (ph_intervals){0};
  keep_longer(&to->longer);
  const char *why = !to->known      ? o->why
                    : o->ended >= 0 ? o->ended_text
                    : o->left >= 0  ? o->left_text
                                    : o->why;
  to->why = *why ? strdup(why) : NULL;
  v->done++;
  ph_outcomes_free(o);
}

static void fail_one(struct survey *v, size_t place, const char *why) {
  ph_outcomes none = {.left = -1, .ended = -1};
  snprintf(none.why, sizeof none.why, "%s", why);
  finish_one(v, place, &none, false);
}

static void note_facts(struct surveyed *to, const ph_episode_meta *meta) {
  to->dt = meta->control_dt;
  to->own = meta->hold_steps;
  to->states = meta->states;
  to->actions = meta->actions;
}

/* By the task, on a thread: that takes as long as its states. */
static void begin_judging(struct session *s, size_t place, ph_latch_source source) {
  struct survey *v = s->survey;
  if (s->judge && !v->judge &&
      ph_judge_open(&v->judge, ph_judge_command(s->judge), NULL) != PH_OK) {
    v->judge = NULL;
    fail_one(v, place, ph_error());
    return;
  }
  if (opened_open(&v->taken, s->store, place, s->task, s->success, NULL) != PH_OK) {
    fail_one(v, place, ph_error());
    return;
  }
  const struct take_wish wish = {.episode = v->taken.episode,
                                 .model = v->taken.model,
                                 .task = v->taken.task,
                                 .judge = source == PH_LATCH_KINEMATIC ? v->judge : NULL,
                                 .source = source};
  note_facts(&v->at[place], ph_episode_meta_of(v->taken.episode));
  v->taking = place;
  v->take = take_start(&wish);
  if (v->take)
    return;
  end_taken(v);
  fail_one(v, place, ph_status_message(PH_ENOMEM));
}

static bool judged_otherwise(const struct session *s) {
  return s->judge || s->task || s->success;
}

/* By what the file stores; false: there the task is to be asked. */
static bool look_stored(struct session *s, size_t place) {
  struct survey *v = s->survey;
  ph_episode *episode = NULL;
  ph_outcomes recorded;
  if (ph_store_episode(&episode, s->store, place) != PH_OK) {
    fail_one(v, place, ph_error());
    return true;
  }
  note_facts(&v->at[place], ph_episode_meta_of(episode));
  ph_status status = ph_outcomes_take(&recorded, PH_LATCH_RECORDED, episode, NULL, NULL, NULL);
  if (status != PH_OK)
    fail_one(v, place, ph_error());
  else if (recorded.known || v->by == PH_LATCH_RECORDED)
    finish_one(v, place, &recorded, false);
  else
    ph_outcomes_free(&recorded);
  ph_episode_free(episode);
  return v->at[place].done;
}

static void look_at(struct session *s, size_t place) {
  struct survey *v = s->survey;
  bool one = v->asked != COUNT_SHOWN;
  if (one && v->by != PH_LATCH_RECORDED)
    begin_judging(s, place, v->by);
  else if ((!one && judged_otherwise(s)) || !look_stored(s, place))
    begin_judging(s, place, PH_LATCH_KINEMATIC);
}

/* --- the strictest source that all episodes of a path allow, as `cut` chooses --- */

static ph_latch_source strictest(struct session *s, size_t place) {
  struct opened o;
  if (opened_open(&o, s->store, place, s->task, s->success, NULL) != PH_OK)
    return PH_LATCH_DYNAMIC; /* what cannot be opened has no say */
  ph_latch_source by = s->judge ? o.model ? PH_LATCH_KINEMATIC : PH_LATCH_RECORDED
                                : ph_outcomes_strictest(o.episode, o.model, o.task, false);
  opened_close(&o);
  return by;
}

static bool wants_choice(const struct survey *v) {
  return v->asked == COUNT_STRICTEST && !v->chosen;
}

/* Asks the next one. One that came late may allow less than all before. */
static void choose(struct session *s) {
  struct survey *v = s->survey;
  while (v->choosing < v->n && catalog_source(s->catalog, v->choosing) != v->path)
    v->choosing++;
  if (v->choosing < v->n) {
    ph_latch_source this = strictest(s, v->choosing++);
    for (size_t i = 0; this < v->by && i < v->n; i++)
      clear_one(&v->at[i]);
    if (this < v->by)
      v->done = v->next = 0;
    v->by = this < v->by ? this : v->by;
  }
  v->chosen = v->choosing >= v->n || v->by == PH_LATCH_RECORDED;
}

static bool end_judging(struct survey *v) {
  ph_outcomes o;
  if (!v->take || !take_ended(v->take))
    return false;
  take_result(v->take, &o);
  end_taken(v);
  finish_one(v, v->taking, &o, v->asked == COUNT_SHOWN);
  return true;
}

/* --- all of them --- */

/* By another source it begins anew. */
static void aim(struct session *s, const struct opened *o) {
  struct survey *v = s->survey;
  enum count_by asked = s->last.count_by;
  size_t path = catalog_source(s->catalog, o->place);
  if (v && (v->asked != asked || (asked == COUNT_STRICTEST && v->path != path)))
    session_survey_free(s);
  if (s->survey || !(v = s->survey = calloc(1, sizeof *v)))
    return;
  v->asked = asked;
  v->path = path;
  v->chosen = asked != COUNT_STRICTEST;
  v->by = asked == COUNT_RECORDED    ? PH_LATCH_RECORDED
          : asked == COUNT_KINEMATIC ? PH_LATCH_KINEMATIC
                                     : PH_LATCH_DYNAMIC;
}

/* Room for all episodes that there are now: more may have come. False: out of memory. */
static bool make_room(struct session *s) {
  struct survey *v = s->survey;
  size_t n = s->catalog->n;
  if (!v || n <= v->n)
    return v != NULL;
  struct surveyed *grown = realloc(v->at, n * sizeof *grown);
  if (!grown)
    return false;
  memset(grown + v->n, 0, (n - v->n) * sizeof *grown);
  v->at = grown;
  v->n = n;
  v->chosen = v->chosen && (v->asked != COUNT_STRICTEST || v->by == PH_LATCH_RECORDED);
  return true;
}

static bool wants(const struct session *s) {
  const struct survey *v = s->survey;
  return s->last.hold.count && v && (v->take || v->done < v->n);
}

static size_t next_one(struct survey *v) {
  while (v->next < v->n && v->at[v->next].done)
    v->next++;
  return v->next;
}

bool session_survey_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                         void *arg, bool *due) {
  struct survey *v = s->survey;
  uint64_t until = session_clock() + BATCH_MS;
  (void)o;
  *due = false;
  if (v && v->take && !s->last.hold.count)
    end_taken(v); /* nobody wants it: another time from its first state */
  if (!wants(s))
    return false;
  bool worked = end_judging(v);
  while (wants_choice(v) && session_clock() < until && !(interrupted && interrupted(arg))) {
    choose(s);
    worked = true;
  }
  while (!wants_choice(v) && !v->take && v->done < v->n && session_clock() < until &&
         !(interrupted && interrupted(arg))) {
    look_at(s, next_one(v));
    worked = true;
  }
  *due = worked && v->done == v->n;
  return worked;
}

uint64_t session_survey_wait(const struct session *s) {
  const struct survey *v = s->survey;
  return !wants(s) ? UINT64_MAX : v->take && !take_ended(v->take) ? POLL_MS : 0;
}

bool session_survey_settle(struct session *s, struct opened *o) {
  bool news = false, due;
  while (wants(s)) {
    if (s->survey->take)
      take_wait(s->survey->take);
    news = session_survey_work(s, o, NULL, NULL, &due) || news;
  }
  return news;
}

/* --- counting --- */

/* The latch row of one at a hold; -1. Of a dynamic one nothing is known behind what it left. */
static int64_t latch_of(const struct surveyed *e, int64_t steps) {
  ph_latching l;
  if (!e->known)
    return -1;
  ph_intervals_latch(&e->longer, steps, &l);
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

static void count_all(struct survey *v, int64_t *shift) {
  struct hold_count *c = &v->count;
  size_t n = v->group ? v->group->n : v->n;
  int64_t by = hold_beside(v->steps);
  *c = (struct hold_count){.on = true, .all = n, .dt = v->dt};
  c->choosing = wants_choice(v);
  c->by = v->asked == COUNT_SHOWN ? PH_LATCH_RECORDED : v->by;
  c->steps[0] = v->steps > 0 ? v->steps - by : -1;
  c->steps[1] = v->steps;
  c->steps[2] = v->steps + by;
  for (size_t i = 0; i < n; i++) {
    size_t place = v->group ? v->group->place[i] : i;
    if (place < v->n && v->at[place].done)
      count_one(c, &v->at[place], &v->wish, shift);
  }
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
  if (!v || v->n < s->catalog->n || v->asked == COUNT_SHOWN || wants_choice(v) || v->by != by)
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
  *plan = (struct cut_plan){.ready = v->asked != COUNT_SHOWN && !wants_choice(v),
                            .asked = v->asked,
                            .by = v->by,
                            .hold = hold_seconds(v),
                            .least = -1,
                            .most = -1};
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
  bool recent = v->done < v->n && session_clock() - v->counted_at < RECOUNT_MS;
  return v->counted && v->counted_chosen == v->chosen && (v->counted_done == v->done || recent) &&
         v->counted_n == v->n && v->group == s->group && v->steps == o->reel->hold_steps &&
         v->dt == o->reel->meta.control_dt && v->wish.on == s->last.hold.on &&
         v->wish.seconds == s->last.hold.seconds &&
         v->source == catalog_source(s->catalog, o->place);
}

void session_survey_answer(struct session *s, const struct opened *o, struct held_answer *out) {
  if (!s->last.hold.count)
    return;
  aim(s, o);
  if (!make_room(s))
    return;
  struct survey *v = s->survey;
  if (!is_counted(v, s, o)) {
    int64_t *shift = malloc((v->n + 1) * sizeof *shift);
    v->counted = shift != NULL;
    v->counted_done = v->done;
    v->counted_n = v->n;
    v->counted_chosen = v->chosen;
    v->counted_at = session_clock();
    v->group = s->group;
    v->steps = o->reel->hold_steps;
    v->dt = o->reel->meta.control_dt;
    v->wish = s->last.hold;
    v->source = catalog_source(s->catalog, o->place);
    if (shift) {
      count_all(v, shift);
      plan_all(s, v);
    }
    free(shift);
  }
  out->count = v->count;
  out->plan = v->plan;
}
