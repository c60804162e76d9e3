/* The hold over all episodes of the list. Each is looked at once, in the background: by the
 * predicate that its file stores, else by the task on its states; or for a cut by one source for
 * all, as it is asked for or as they allow it. Where nobody has asked, the first of them are, by
 * what their files store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "survey.h"

enum { BATCH_MS = 8, POLL_MS = 20, UNASKED_MS = 500 };

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
  to->held = o->held_steps;
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

/* The store may have learned of it by opening it. */
static void note_seen(struct session *s, size_t place) {
  if (place < s->catalog->n && memcmp(ph_store_entry(s->store, place),
                                      catalog_entry(s->catalog, place), sizeof(ph_entry)) != 0)
    session_changed(s, place);
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
  note_seen(s, place);
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
  note_seen(s, place);
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

bool survey_wants_choice(const struct survey *v) {
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
static void aim(struct session *s, const struct opened *o, enum count_by asked) {
  struct survey *v = s->survey;
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

bool survey_ready(struct session *s, const struct opened *o) {
  const struct survey *v = s->survey;
  if (!s->last.hold.count)
    return v && v->asked == COUNT_SHOWN && survey_unasked(s, o);
  aim(s, o, s->last.count_by);
  return make_room(s);
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
  while (survey_wants_choice(v) && session_clock() < until && !(interrupted && interrupted(arg))) {
    choose(s);
    worked = true;
  }
  while (!survey_wants_choice(v) && !v->take && v->done < v->n && session_clock() < until &&
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

/* --- unasked --- */

size_t survey_size(const struct session *s) {
  return s->group ? s->group->n : s->catalog->n;
}

size_t survey_unasked_size(const struct session *s) {
  size_t n = survey_size(s);
  return n < UNASKED_EPISODES ? n : UNASKED_EPISODES;
}

bool survey_unasked(const struct session *s, const struct opened *o) {
  return !s->last.hold.count && !judged_otherwise(s) && survey_size(s) > 1 && o->held &&
         o->held->outcome[PH_LATCH_RECORDED].known;
}

/* The next one; SIZE_MAX: there is none, or it is enough. */
static size_t next_unasked(const struct session *s) {
  const struct survey *v = s->survey;
  size_t n = survey_unasked_size(s);
  for (size_t i = 0; v->unasked_states < UNASKED_STATES && i < n; i++) {
    size_t place = s->group ? s->group->place[i] : i;
    if (place >= v->n || !(v->at[place].done || v->at[place].passed))
      return place;
  }
  return SIZE_MAX;
}

bool session_survey_idles(const struct session *s, const struct opened *o) {
  const struct survey *v = s->survey;
  if (!survey_unasked(s, o) || s->no_survey)
    return false;
  return !v || v->asked != COUNT_SHOWN || next_unasked(s) != SIZE_MAX;
}

bool survey_goes_on(const struct session *s, const struct opened *o) {
  return s->last.hold.count ? s->survey->done < s->survey->n : session_survey_idles(s, o);
}

static void look_unasked(struct session *s, size_t place) {
  struct survey *v = s->survey;
  if (!look_stored(s, place)) {
    v->at[place].passed = true;
    v->passed++;
  }
  v->unasked_states += v->at[place].states;
}

bool session_survey_idle(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                         void *arg, bool *due) {
  uint64_t until = session_clock() + BATCH_MS;
  *due = false;
  if (!session_survey_idles(s, o))
    return false;
  aim(s, o, COUNT_SHOWN);
  s->no_survey = !make_room(s);
  for (size_t at; !s->no_survey && (at = next_unasked(s)) != SIZE_MAX;) {
    look_unasked(s, at);
    if (session_clock() >= until || (interrupted && interrupted(arg)))
      break;
  }
  *due = !session_survey_idles(s, o) || session_clock() - s->published >= UNASKED_MS;
  return true;
}

static bool one_is_enough(void *arg) {
  (void)arg;
  return true;
}

/* Nobody should wait long for it. */
bool session_survey_idle_settle(struct session *s, struct opened *o) {
  const struct survey *v = NULL;
  bool news = false, due;
  while ((!v || v->done + v->passed < SETTLED_EPISODES) &&
         session_survey_idle(s, o, one_is_enough, NULL, &due)) {
    news = true;
    v = s->survey;
  }
  return news;
}
