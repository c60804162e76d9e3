/* What a session does while no request waits: it reads what is to be plotted, and looks at the
 * episodes whose lengths and outcomes cost a look each. */
#include "session_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  PUBLISH_MS = 60, /* between two answers that nobody asked for */
  LIST_MS = 250,   /* between two lists of episodes at least */
  LIST_SHARE = 8,  /* making lists takes no more than one part in so many */
  COUNT_MS = 200,  /* between two answers that only say how far the looks are */
  BATCH_MS = 8,    /* one batch of looks, or of states for stages */
  JUDGE_STATES = 32,
};

uint64_t session_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* --- groups --- */

/* The group's episodes; NULL: out of memory. */
static struct group *make_group(const ph_store *store, size_t at) {
  size_t n = ph_store_count(store);
  struct group *group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  atomic_init(&group->refs, 1);
  snprintf(group->name, sizeof group->name, "%s", ph_store_group(store, at));
  group->place = malloc((n ? n : 1) * sizeof *group->place);
  if (!group->place) {
    group_unref(group);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    if (ph_store_in_group(store, at, i))
      group->place[group->n++] = i;
  return group;
}

bool session_use_group(struct session *s, const char *name) {
  size_t at = *name ? ph_store_find_group(s->store, name) : SIZE_MAX;
  if (s->group && strcmp(s->group->name, name) == 0)
    return true;
  struct group *group = at == SIZE_MAX ? NULL : make_group(s->store, at);
  if (at != SIZE_MAX && !group)
    return false;
  group_unref(s->group);
  s->group = group;
  return true;
}

size_t session_group_first(const struct session *s, const char *name) {
  if (s->live)
    return SIZE_MAX;
  size_t at = ph_store_find_group(s->store, name);
  for (size_t i = 0; at != SIZE_MAX && i < s->catalog->n; i++)
    if (ph_store_in_group(s->store, at, i))
      return i;
  return SIZE_MAX;
}

/* --- looking --- */

/* The next one to look at from s->next on, then from the first. */
static size_t next_unseen(struct session *s) {
  size_t n = s->catalog->n;
  for (size_t i = 0; i < n; i++) {
    size_t at = s->next + i < n ? s->next + i : s->next + i - n;
    if (ph_store_entry(s->store, at)->actions < 0)
      return at;
  }
  return SIZE_MAX;
}

static bool look_at_one(struct session *s) {
  s->next = s->next < s->catalog->n ? s->next : 0;
  size_t at = next_unseen(s);
  if (at == SIZE_MAX)
    return false;
  ph_store_look(s->store, at); /* what is wrong with it is its oddity */
  session_changed(s, at);
  s->next = at + 1;
  return true;
}

static void look_at_some(struct session *s, bool (*interrupted)(void *arg), void *arg) {
  uint64_t until = session_clock() + BATCH_MS;
  while (ph_store_unseen(s->store) > 0 && look_at_one(s) && session_clock() < until)
    if (interrupted && interrupted(arg))
      return;
}

/* --- stages --- */

static void judge_some(struct opened *o, bool (*interrupted)(void *arg), void *arg) {
  uint64_t until = session_clock() + BATCH_MS;
  do
    opened_judge_stages(o, JUDGE_STATES);
  while (opened_wants_stages(o) && session_clock() < until && !(interrupted && interrupted(arg)));
}

/* --- a piece at a time --- */

/* A new list is due: the last one is a while old, and making them takes a small part of the time.
 */
static bool list_is_due(const struct session *s, uint64_t now) {
  uint64_t wait = s->catalog_cost * LIST_SHARE;
  wait = wait > LIST_MS ? wait : LIST_MS;
  return s->news && (ph_store_unseen(s->store) == 0 || now - s->catalog_at >= wait);
}

static void renew_list(struct session *s, uint64_t now) {
  session_renew_catalog(s);
  s->catalog_at = session_clock();
  s->catalog_cost = s->catalog_at - now;
}

static bool count_unasked(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                          void *arg, struct snapshot **out) {
  bool due;
  if (!session_survey_idle(s, o, interrupted, arg, &due))
    return false;
  if (due && !(interrupted && interrupted(arg)) && session_answer(s, true, out) == PH_OK)
    s->published = session_clock();
  return true;
}

bool session_work(struct session *s, bool (*interrupted)(void *arg), void *arg,
                  struct snapshot **out) {
  if (s->live)
    return session_live_work(s, out);
  struct opened *o = session_opened(s);
  bool plotting = o && plots_wanting(&s->plots);
  bool judging = !plotting && o && opened_wants_stages(o);
  *out = NULL;
  if (session_follow(s, session_clock())) {
    if (!(interrupted && interrupted(arg)) && session_answer(s, true, out) == PH_OK)
      s->published = session_clock();
    return true;
  }
  bool due = false;
  if (s->answered && o &&
      (session_ghost_work(s, o, interrupted, arg, &due) ||
       session_dynamic_work(s, o, interrupted, arg, &due) ||
       session_envs_work(s, o, interrupted, arg, &due) ||
       (!plotting && !judging && session_held_work(s, o, interrupted, arg, &due)))) {
    if (due && !(interrupted && interrupted(arg)) && session_answer(s, true, out) == PH_OK)
      s->published = session_clock();
    return true;
  }
  if (!s->answered || (!plotting && !judging && ph_store_unseen(s->store) == 0 && !s->news))
    return s->answered && o && count_unasked(s, o, interrupted, arg, out);
  if (plotting)
    plots_work(&s->plots, o, interrupted, arg);
  else if (judging)
    judge_some(o, interrupted, arg);
  else
    look_at_some(s, interrupted, arg);
  uint64_t now = session_clock();
  uint64_t since = now - s->published;
  due = plotting  ? !plots_wanting(&s->plots) || since >= PUBLISH_MS
        : judging ? !opened_wants_stages(o) || since >= PUBLISH_MS
                  : since >= COUNT_MS;
  if (s->catalog_at == 0)
    s->catalog_at = now;
  if (list_is_due(s, now)) {
    renew_list(s, now);
    due = true;
  }
  if (due && !(interrupted && interrupted(arg)) && session_answer(s, true, out) == PH_OK)
    s->published = session_clock();
  return true;
}

/* The last answer is of all that was asked for. */
static ph_status settle_live(struct session *s, struct snapshot **out) {
  struct snapshot *snap = NULL;
  *out = NULL;
  while (session_live_work(s, &snap)) {
    if (snap)
      snapshot_free(*out);
    *out = snap ? snap : *out;
  }
  return PH_OK;
}

ph_status session_settle(struct session *s, size_t looks, struct snapshot **out) {
  if (s->live)
    return settle_live(s, out);
  struct opened *o = session_opened(s);
  bool news = false;
  *out = NULL;
  while (o && plots_wanting(&s->plots)) {
    plots_work(&s->plots, o, NULL, NULL);
    news = true;
  }
  while (o && opened_wants_stages(o)) {
    opened_judge_stages(o, INT64_MAX);
    news = true;
  }
  news = (o && session_dynamic_settle(s, o)) || news;
  news = (o && session_envs_settle(s, o)) || news;
  news = (o && session_ghost_settle(s, o)) || news;
  news = (o && session_held_settle(s, o)) || news;
  while (looks-- > 0 && look_at_one(s))
    ;
  if (o && ph_store_unseen(s->store) == 0)
    news = session_survey_idle_settle(s, o) || news;
  if (s->news)
    session_renew_catalog(s);
  else if (!news)
    return PH_OK;
  return s->answered ? session_answer(s, true, out) : PH_OK;
}
