/* Runs that a recorder adds to while they are on show. */
#include "session_parts.h"

#include <stdio.h>
#include <string.h>

enum {
  FOLLOW_MS = 500,  /* between two looks for new episodes */
  FOLLOW_SHARE = 8, /* and they take no more than one part in so many */
};

/* The best that is known of all runs. */
static enum following recorders(const struct session *s) {
  bool unknown = false;
  for (size_t i = 0; i < s->catalog->nsources; i++) {
    ph_activity activity = ph_store_activity(s->store, i);
    if (activity == PH_RECORDING)
      return FOLLOW_LIVE;
    unknown = unknown || activity == PH_UNKNOWN;
  }
  return unknown ? FOLLOW_WAIT : FOLLOW_DONE;
}

static bool is_followed(const struct session *s) {
  return s->answered && s->last.follow && s->catalog->live;
}

static uint64_t pause_of(const struct session *s) {
  uint64_t cost = s->follow_cost * FOLLOW_SHARE;
  return cost > FOLLOW_MS ? cost : FOLLOW_MS;
}

bool session_follow(struct session *s, uint64_t now) {
  size_t added = 0;
  char lost[sizeof s->lost] = "";
  if (!is_followed(s) || (s->followed && now - s->followed < pause_of(s)))
    return false;
  /* Who records first: an episode that came before the end is then seen before it. */
  enum following following = recorders(s);
  if (ph_store_refresh(s->store, &added) != PH_OK) {
    snprintf(lost, sizeof lost, "%s", ph_error());
    following = FOLLOW_BROKEN;
  }
  if (ph_store_count(s->store) > s->catalog->n)
    session_renew_catalog(s);
  s->followed = session_clock();
  s->follow_cost = s->followed - now;
  bool news = added > 0 || following != s->following || strcmp(lost, s->lost) != 0;
  s->following = following;
  memcpy(s->lost, lost, sizeof s->lost);
  return news;
}

uint64_t session_wait(const struct session *s) {
  if (s->live)
    return session_live_wait(s);
  const struct opened *o = session_opened((struct session *)s);
  uint64_t dynamic = o ? session_dynamic_wait(s, o) : UINT64_MAX;
  uint64_t ghost = o ? session_ghost_wait(s) : UINT64_MAX;
  dynamic = ghost < dynamic ? ghost : dynamic;
  uint64_t envs = o ? session_envs_wait(s, o) : UINT64_MAX;
  uint64_t behind = envs < dynamic ? envs : dynamic;
  uint64_t held = o ? session_held_wait(s, o) : UINT64_MAX;
  behind = held < behind ? held : behind;
  if (!is_followed(s))
    return behind;
  uint64_t now = session_clock(), due = s->followed ? s->followed + pause_of(s) : now;
  uint64_t wait = due > now ? due - now : 0;
  return wait < behind ? wait : behind;
}

const char *session_no_run(const struct session *s) {
  for (size_t i = 0; i < s->catalog->nsources; i++)
    if (ph_store_activity(s->store, i) == PH_NO_RUN)
      return s->catalog->source[i];
  return NULL;
}
