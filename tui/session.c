/* Keeps the last few episodes open, so that going back and forth between them costs nothing. */
#include "session_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy_sources(struct catalog *catalog, const char *const *paths, size_t n) {
  catalog->source = calloc(n ? n : 1, sizeof *catalog->source);
  while (catalog->source && catalog->nsources < n) {
    char *copy = strdup(paths[catalog->nsources]);
    if (!copy)
      return false;
    catalog->source[catalog->nsources++] = copy;
  }
  return catalog->source != NULL;
}

static bool copy_groups(struct catalog *catalog, const ph_store *store) {
  size_t n = ph_store_groups(store);
  catalog->group = calloc(n ? n : 1, sizeof *catalog->group);
  for (size_t i = 0; catalog->group && i < n; i++)
    snprintf(catalog->group[i], sizeof *catalog->group, "%s", ph_store_group(store, i));
  catalog->ngroups = n;
  return catalog->group != NULL;
}

/* Padding too: bytes are compared to see what is new. */
static bool copy_line(struct catalog *catalog, const ph_store *store, size_t i) {
  struct catalog_line *line = catalog_write(catalog, i);
  if (!line)
    return false;
  memcpy(&line->entry, ph_store_entry(store, i), sizeof line->entry);
  line->source = ph_store_home(store, i);
  return true;
}

/* The list of the episodes as the store knows them now; NULL: out of memory. */
static struct catalog *first_catalog(const ph_store *store, const char *const *paths,
                                     size_t npaths) {
  size_t n = ph_store_count(store);
  struct catalog *catalog = catalog_new(n);
  if (!catalog)
    return NULL;
  bool ok = copy_sources(catalog, paths, npaths) && copy_groups(catalog, store);
  for (size_t i = 0; ok && i < n; i++)
    ok = copy_line(catalog, store, i);
  if (!ok) {
    catalog_unref(catalog);
    return NULL;
  }
  snprintf(catalog->path, sizeof catalog->path, "%s", ph_store_path(store));
  snprintf(catalog->layout, sizeof catalog->layout, "%s", ph_store_layout(store));
  for (size_t i = 0; i < npaths; i++)
    catalog->live = catalog->live || ph_store_activity(store, i) != PH_NO_RUN;
  return catalog;
}

/* The expression is compiled once to see that it is one. */
static ph_status open_judge(struct session *s, const struct session_options *opt) {
  ph_task *judge = NULL;
  ph_status status = opt->task_path ? ph_task_open(&s->task, opt->task_path) : PH_OK;
  if (status == PH_OK && opt->predicate)
    status = ph_judge_open(&s->judge, opt->predicate, NULL);
  if (status != PH_OK || !opt->success)
    return status;
  s->success = strdup(opt->success);
  status = s->success ? ph_task_with_success(&judge, s->task, s->success) : PH_ENOMEM;
  ph_task_unref(judge);
  return status;
}

ph_status session_open(struct session **out, const struct session_options *opt) {
  struct session *s = calloc(1, sizeof *s);
  ph_status status = s ? PH_OK : PH_ENOMEM;
  *out = NULL;
  if (status == PH_OK && opt->live)
    status = session_live_open(s, opt);
  if (status != PH_OK || opt->live)
    goto out;
  s->store_options = opt->store;
  status = ph_store_open(&s->store, opt->paths, opt->npaths, &opt->store);
  if (status != PH_OK) {
    s->store = NULL;
    goto out;
  }
  status = open_judge(s, opt);
  if (status != PH_OK)
    goto out;
  s->catalog = first_catalog(s->store, opt->paths, opt->npaths);
  s->changed = calloc(ph_store_count(s->store) + 1, 1);
  status = s->catalog && s->changed ? PH_OK : PH_ENOMEM;
out:
  if (status == PH_OK)
    *out = s;
  else
    session_free(s);
  return status;
}

void session_free(struct session *s) {
  if (!s)
    return;
  session_live_free(s);
  session_ghost_free(s);
  session_cut_free(s);
  session_survey_free(s);
  for (int i = 0; i < SESSION_KEPT; i++)
    if (s->slot[i].used)
      opened_close(&s->slot[i].opened);
  session_envs_free(s->envs);
  plots_clear(&s->plots);
  group_unref(s->group);
  free(s->changed);
  catalog_unref(s->catalog);
  ph_task_unref(s->task);
  free(s->success);
  ph_judge_close(s->judge);
  ph_store_free(s->store);
  free(s);
}

size_t session_count(const struct session *s) {
  return s->catalog->n;
}

size_t session_find(const struct session *s, const char *id) {
  return catalog_find(s->catalog, id);
}

struct snapshot *session_first(const struct session *s) {
  struct snapshot *snap = calloc(1, sizeof *snap);
  if (snap)
    snap->catalog = catalog_ref(s->catalog);
  if (snap && !s->live)
    snap->unseen = ph_store_unseen(s->store);
  if (snap && s->group)
    snap->group = group_ref(s->group);
  return snap;
}

void session_changed(struct session *s, size_t place) {
  s->changed[place] = 1;
  s->news = true;
}

/* Room to note what changed of the episodes that came; they have. */
static bool grow_changed(struct session *s, size_t n) {
  uint8_t *changed = n > s->catalog->n ? realloc(s->changed, n + 1) : s->changed;
  if (!changed)
    return false;
  memset(changed + s->catalog->n, 1, n - s->catalog->n);
  s->changed = changed;
  return true;
}

void session_renew_catalog(struct session *s) {
  size_t n = ph_store_count(s->store);
  bool ok = grow_changed(s, n);
  struct catalog *fresh = !ok                 ? NULL
                          : n > s->catalog->n ? catalog_grown(s->catalog, n)
                                              : catalog_copy(s->catalog);
  s->news = false;
  ok = fresh != NULL;
  for (size_t i = 0; ok && i < fresh->n; i++)
    ok = !s->changed[i] || copy_line(fresh, s->store, i);
  if (!ok) {
    catalog_unref(fresh);
    return;
  }
  memset(s->changed, 0, fresh->n);
  catalog_unref(s->catalog);
  s->catalog = fresh;
}

/* What the store learned of an episode when it opened, or did not, is published in a new list: the
 * old one may be on show. */
static void refresh_catalog(struct session *s, size_t place) {
  const ph_entry *now = ph_store_entry(s->store, place);
  if (memcmp(now, catalog_entry(s->catalog, place), sizeof *now) == 0)
    return;
  session_changed(s, place);
  session_renew_catalog(s);
}

struct opened *session_opened(struct session *s) {
  for (int i = 0; i < SESSION_KEPT && s->answered; i++)
    if (s->slot[i].used && s->slot[i].opened.place == s->last.episode)
      return &s->slot[i].opened;
  return NULL;
}

/* The open episode at a place; NULL with a line in error. */
static struct opened *get_episode(struct session *s, size_t place, char *error, size_t size) {
  struct slot *slot = &s->slot[0];
  s->turn++;
  for (int i = 0; i < SESSION_KEPT; i++) {
    if (s->slot[i].used && s->slot[i].opened.place == place) {
      s->slot[i].at = s->turn;
      return &s->slot[i].opened;
    }
    if (!s->slot[i].used || (slot->used && s->slot[i].at < slot->at))
      slot = &s->slot[i];
  }
  if (slot->used)
    opened_close(&slot->opened);
  ph_status status = opened_open(&slot->opened, s->store, place, s->task, s->success, s->judge);
  refresh_catalog(s, place);
  slot->used = status == PH_OK;
  slot->at = s->turn;
  if (status == PH_OK)
    return &slot->opened;
  snprintf(error, size, "%s", status == PH_ENOMEM ? ph_status_message(status) : ph_error());
  return NULL;
}

/* --- answers --- */

int64_t session_step(const struct session *s, const struct opened *o) {
  int64_t last = o->reel->states - 1, step = s->last.step;
  step = session_envs_clamp(s, step > last ? last : step);
  return step < 0 ? 0 : step;
}

/* The frame and the plots of the open episode. */
static ph_status fill_snapshot(struct session *s, struct opened *o, struct snapshot *snap) {
  if (opened_hold(o, &s->last.hold) != PH_OK || !session_envs_aim(s))
    return PH_ENOMEM;
  snap->reel = reel_ref(o->reel);
  snap->step = session_step(s, o);
  if (!plots_answer(&s->plots, o, &s->last.plot, snap->step, &snap->plot))
    return PH_ENOMEM;
  snap->stages = o->stages;
  ph_status status = session_frame(snap, o, snap->step);
  if (status == PH_OK)
    status = session_ghost_answer(s, o, snap);
  if (status == PH_OK)
    status = session_dynamic_answer(s, o, snap);
  if (status == PH_OK)
    status = session_held_answer(s, o, snap);
  return status == PH_OK ? session_envs_answer(s, o, snap) : status;
}

ph_status session_answer(struct session *s, bool again, struct snapshot **out) {
  const struct request *req = &s->last;
  struct opened *o = NULL;
  struct snapshot *snap = calloc(1, sizeof *snap);
  ph_status status = snap ? PH_OK : PH_ENOMEM;
  *out = NULL;
  if (status != PH_OK)
    return status;
  snap->serial = req->serial;
  snap->step = req->step;
  snap->reward = NAN;
  snap->flags = -1;
  s->plots.nnow = 0;
  if (s->catalog->n == 0 && req->follow && s->catalog->live) {
    s->failed = false; /* the first one may come */
  } else if (req->episode >= s->catalog->n) {
    snprintf(snap->error, sizeof snap->error, "%.300s: there is no episode in it",
             s->catalog->path);
  } else if (again && s->failed) {
    memcpy(snap->error, s->failure, sizeof snap->error);
  } else {
    o = get_episode(s, req->episode, snap->error, sizeof snap->error);
    s->failed = !o;
    memcpy(s->failure, snap->error, sizeof s->failure);
  }
  snap->catalog = catalog_ref(s->catalog);
  snap->group = s->group ? group_ref(s->group) : NULL;
  snap->unseen = ph_store_unseen(s->store);
  snap->following = s->following;
  memcpy(snap->lost, s->lost, sizeof snap->lost);
  if (o)
    status = fill_snapshot(s, o, snap);
  if (status == PH_OK)
    *out = snap;
  else
    snapshot_free(snap);
  return status;
}

ph_status session_serve(struct session *s, const struct request *req, struct snapshot **out) {
  *out = NULL;
  if (s->live)
    return session_live_serve(s, req, out);
  if (!s->answered || req->episode != s->last.episode)
    s->next = req->episode; /* where the list is, at first */
  if (s->answered && req->episode != s->last.episode)
    session_dynamic_leave(s, req->episode);
  if (s->answered ? req->look != s->last.look : req->look > 0)
    s->next = req->look;
  if (!s->answered || req->follow != s->last.follow) {
    s->following = req->follow && s->catalog->live ? FOLLOW_WAIT : FOLLOW_NONE;
    s->followed = 0;
    s->lost[0] = 0;
  }
  s->last = *req;
  s->answered = true;
  if (!session_use_group(s, req->group))
    return PH_ENOMEM;
  return session_answer(s, false, out);
}
