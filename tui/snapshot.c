#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

const char *event_name(enum event_kind kind) {
  static const char *const names[EVENT_KIND_COUNT] = {"true", "broke",   "latch",  "stage",
                                                      "end",  "clipped", "warned", "finding"};
  return kind < EVENT_KIND_COUNT ? names[kind] : "";
}

const char *event_words(enum event_kind kind) {
  return kind == EVENT_TRUE    ? "predicate true"
         : kind == EVENT_FALSE ? "predicate broke"
         : kind == EVENT_STAGE ? "stage reached"
                               : event_name(kind);
}

size_t event_count(const struct snapshot *snap) {
  const struct dynamic_answer *d = snap->dyn;
  size_t n = snap->reel ? snap->reel->nevents + snap->stages.stages.done : 0;
  for (size_t i = 0; snap->reel && d && i < d->nfindings; i++)
    n += d->findings[i].step >= 0;
  return n;
}

/* The i-th finding of the pass that has a step. */
static struct event pass_event(const struct dynamic_answer *d, size_t i) {
  size_t at = 0;
  while (d->findings[at].step < 0 || i-- > 0)
    at++;
  return (struct event){d->findings[at].step, EVENT_FINDING};
}

struct event event_at(const struct snapshot *snap, size_t i) {
  size_t n = snap->reel->nevents, stages = snap->stages.stages.done;
  return i < n            ? snap->reel->events[i]
         : i < n + stages ? (struct event){snap->stages.stages.latch[i - n], EVENT_STAGE}
                          : pass_event(snap->dyn, i - n - stages);
}

struct reel *reel_ref(struct reel *r) {
  atomic_fetch_add(&r->refs, 1);
  return r;
}

void reel_unref(struct reel *r) {
  if (!r || atomic_fetch_sub(&r->refs, 1) != 1)
    return;
  free(r->hold);
  free(r->events);
  if (r->of) {
    reel_unref(r->of);
    free(r);
    return;
  }
  free(r->predicate);
  free(r->signals);
  free(r->action_name);
  free(r->action_min);
  free(r->action_max);
  free(r->ctrl_name);
  free(r->action_ctrl);
  free(r->condition);
  free(r->stage);
  free(r->channels);
  free(r->findings);
  free(r);
}

bool reel_same(const struct reel *a, const struct reel *b) {
  return (a && a->of ? a->of : a) == (b && b->of ? b->of : b);
}

struct group *group_ref(struct group *g) {
  atomic_fetch_add(&g->refs, 1);
  return g;
}

void group_unref(struct group *g) {
  if (!g || atomic_fetch_sub(&g->refs, 1) != 1)
    return;
  free(g->place);
  free(g);
}

size_t group_find(const struct group *g, size_t episode) {
  size_t low = 0, high = g->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->place[middle] < episode)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct series *series_ref(struct series *s) {
  atomic_fetch_add(&s->refs, 1);
  return s;
}

void series_unref(struct series *s) {
  if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
    return;
  free(s->part);
  free(s);
}

void snapshot_free(struct snapshot *s) {
  if (!s)
    return;
  catalog_unref(s->catalog);
  reel_unref(s->reel);
  free(s->values);
  free(s->action);
  free(s->ctrl);
  free(s->next_ctrl);
  free(s->qpos);
  free(s->qvel);
  free(s->act);
  free(s->mocap_pos);
  free(s->mocap_quat);
  free(s->contacts);
  free(s->conditions);
  for (size_t i = 0; i < s->plot.n; i++)
    series_unref(s->plot.curve[i].series);
  group_unref(s->group);
  dynamic_answer_free(s->dyn);
  envs_answer_free(s->envs);
  ghost_answer_free(s->ghost);
  held_answer_free(s->held);
  free(s);
}
