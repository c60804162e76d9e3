#include "snapshot.h"

#include <stdlib.h>

const char *event_name(enum event_kind kind) {
  static const char *const names[EVENT_KIND_COUNT] = {"true", "false",   "latch",
                                                      "end",  "clipped", "warned"};
  return kind < EVENT_KIND_COUNT ? names[kind] : "";
}

struct catalog *catalog_ref(struct catalog *c) {
  atomic_fetch_add(&c->refs, 1);
  return c;
}

void catalog_unref(struct catalog *c) {
  if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
    return;
  free(c->entry);
  free(c);
}

struct reel *reel_ref(struct reel *r) {
  atomic_fetch_add(&r->refs, 1);
  return r;
}

void reel_unref(struct reel *r) {
  if (!r || atomic_fetch_sub(&r->refs, 1) != 1)
    return;
  free(r->predicate);
  free(r->hold);
  free(r->events);
  free(r->signals);
  free(r->action_name);
  free(r->action_min);
  free(r->action_max);
  free(r->ctrl_name);
  free(r->action_ctrl);
  free(r->condition);
  free(r);
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
  free(s);
}
