/* The hold of an open episode: counted along its predicate, by the file's or by another. */
#include "episode_reel.h"

#include <stdlib.h>

bool reel_add_event(struct reel *reel, size_t *room, int64_t step, enum event_kind kind) {
  if (reel->nevents == *room) {
    size_t more = *room ? 2 * *room : 16;
    struct event *grown = realloc(reel->events, more * sizeof *grown);
    if (!grown)
      return false;
    reel->events = grown;
    *room = more;
  }
  reel->events[reel->nevents++] = (struct event){step, kind};
  return true;
}

static int compare_events(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return (int)x->kind - (int)y->kind;
}

void reel_sort_events(struct reel *reel) {
  if (reel->nevents)
    qsort(reel->events, reel->nevents, sizeof *reel->events, compare_events);
}

/* Others store that success has held for the hold of their file. */
static bool is_held_already(const struct reel *reel) {
  return reel->meta.layout[0] && !reel->judged && reel->hold_steps > 0 &&
         reel->hold_steps == reel->meta.hold_steps;
}

void reel_count_hold(struct reel *reel, size_t *room, bool *ok) {
  bool held = is_held_already(reel);
  ph_hold hold = {.steps = held ? 0 : reel->hold_steps};
  for (int64_t t = 1; t < reel->states && *ok; t++) {
    bool was = reel->predicate[t - 1], is = reel->predicate[t];
    if (is != was)
      *ok = reel_add_event(reel, room, t, is ? EVENT_TRUE : EVENT_FALSE);
    if (*ok && ph_hold_update(&hold, t, is)) {
      reel->latch = t;
      *ok = reel_add_event(reel, room, t, EVENT_LATCH);
    }
    reel->hold[t] = !held ? hold.count : is ? reel->hold_steps : 0;
  }
}

/* Of its events those that no hold has a say in. */
static bool copy_events(struct reel *held, const struct reel *own, size_t *room) {
  held->events = NULL;
  held->nevents = 0;
  for (size_t i = 0; i < own->nevents; i++) {
    enum event_kind kind = own->events[i].kind;
    if (kind != EVENT_TRUE && kind != EVENT_FALSE && kind != EVENT_LATCH &&
        !reel_add_event(held, room, own->events[i].step, kind))
      return false;
  }
  return true;
}

/* Whether success after the last stored state is one by this hold too. */
static bool is_late(const struct reel *held) {
  return held->of->late && held->latch < 0 &&
         (!held->hold || held->hold[held->states - 1] + 1 >= held->hold_steps);
}

static struct reel *reel_held(struct reel *own, int64_t steps) {
  size_t room = 0;
  struct reel *held = malloc(sizeof *held);
  if (!held)
    return NULL;
  *held = *own;
  atomic_init(&held->refs, 1);
  held->of = reel_ref(own);
  held->hold_steps = steps;
  held->latch = -1;
  held->hold = own->hold ? calloc((size_t)own->states, sizeof *held->hold) : NULL;
  bool ok = copy_events(held, own, &room) && (held->hold || !own->hold);
  if (ok && held->hold)
    reel_count_hold(held, &room, &ok);
  if (!ok) {
    reel_unref(held);
    return NULL;
  }
  reel_sort_events(held);
  held->late = is_late(held);
  return held;
}

ph_status opened_hold(struct opened *o, const struct hold_wish *wish) {
  struct reel *own = o->reel->of ? o->reel->of : o->reel;
  int64_t steps = hold_wish_steps(wish, own->meta.control_dt, own->meta.hold_steps);
  if (o->live || steps == o->reel->hold_steps)
    return PH_OK;
  struct reel *wanted = steps == own->hold_steps ? reel_ref(own) : reel_held(own, steps);
  if (!wanted)
    return PH_ENOMEM;
  reel_unref(o->reel);
  o->reel = wanted;
  return PH_OK;
}
