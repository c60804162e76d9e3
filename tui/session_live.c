/* A session over a live env: what is asked of it is a total, and it goes on towards that in slices,
 * so that a newer wish never waits long. Its past is the one episode of the list. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/check.h>

#include "session_parts.h"

enum {
  SLICE_MS = 12,   /* of physics in one piece of work */
  PUBLISH_MS = 30, /* between two answers on the way */
  CURVE_MS = 5,    /* that curves may hold up an answer */
  OWED_MS = 100,   /* between two tries of an answer that there was no memory for */
  JUDGE_STATES = 256,
};

/* What a task's file comes to. */
struct loaded {
  ph_task *task;
  ph_model *model;
  ph_policy *policy; /* NULL: the task's */
  ph_live *live;
  struct opened o;
  bool open;       /* an episode has begun */
  char names[400]; /* "" or what its text names that there is not */
};

struct live_session {
  struct session_options opt; /* borrowed */
  struct loaded now;
  bool settled;
  uint64_t resets, reloads; /* done */
  int64_t states;           /* of the reel */
  bool running;             /* in the reel */
  uint64_t published;       /* ms */
  bool owed;                /* there was no memory for the last answer, tried at: */
  uint64_t owed_at;         /* ms */
  char error[400];          /* "" or why there is no episode, or it does not go on */
  uint64_t refused;         /* reloads that came to nothing: what was there goes on */
  char why[400];            /* the last of them */
};

/* --- life --- */

static void keep_line(char error[400], const char *line) {
  snprintf(error, 400, "%s", line);
}

/* Not all that is short of memory says so in words. */
static ph_status keep_error(char error[400], ph_status status) {
  keep_line(error, status == PH_ENOMEM ? ph_status_message(status) : ph_error());
  return status;
}

static void unload(struct loaded *l) {
  if (l->open)
    opened_close(&l->o);
  ph_live_free(l->live);
  ph_policy_close(l->policy);
  ph_model_unref(l->model);
  ph_task_unref(l->task);
  *l = (struct loaded){0};
}

static ph_status open_task(struct loaded *to, const struct session_options *opt) {
  ph_task *own = NULL;
  ph_status status = ph_task_open(&own, opt->paths[0]);
  if (status == PH_OK && opt->success)
    status = ph_task_with_success(&to->task, own, opt->success);
  else if (status == PH_OK)
    to->task = ph_task_ref(own);
  ph_task_unref(own);
  return status;
}

static ph_status open_policy(struct loaded *to, const struct session_options *opt) {
  const ph_policy_options how = {.timeout = opt->policy_timeout};
  return opt->policy ? ph_policy_open(&to->policy, opt->policy, &how) : PH_OK;
}

/* What no step may have come across yet. It hinders nothing. */
static ph_status look_at_names(struct loaded *to) {
  ph_check *check = NULL;
  ph_status status = ph_task_check_names(&check, to->task, to->model);
  if (status != PH_OK)
    return status;
  if (check->nfindings > 0)
    snprintf(to->names, sizeof to->names, "%.80s: %.270s", check->finding[0].where,
             check->finding[0].text);
  size_t n = strlen(to->names);
  if (check->nfindings > 1)
    snprintf(to->names + n, sizeof to->names - n, " (and %zu more: task check)",
             check->nfindings - 1);
  ph_check_free(check);
  return PH_OK;
}

/* After an error there is nothing to unload, and error says why. */
static ph_status load(struct loaded *to, const struct session_options *opt, char error[400]) {
  ph_live_options how = PH_LIVE_OPTIONS_INIT;
  how.hold_seconds = opt->hold;
  *to = (struct loaded){0};
  ph_status status = open_task(to, opt);
  if (status == PH_OK && opt->model)
    status = ph_model_open(&to->model, opt->model, &opt->store.model);
  else if (status == PH_OK)
    status = ph_task_model(&to->model, to->task, &opt->store.model);
  if (status == PH_OK)
    status = open_policy(to, opt);
  how.policy = to->policy;
  if (status == PH_OK)
    status = ph_live_open(&to->live, to->task, to->model, &how);
  if (status == PH_OK)
    status = look_at_names(to);
  if (status != PH_OK)
    keep_error(error, status);
  if (status == PH_OK && ph_env_dims(ph_live_env(to->live))->action_dim > LIVE_ELEMENTS) {
    snprintf(error, 400, "preview: an action has at most %d elements", LIVE_ELEMENTS);
    status = PH_EINVAL;
  }
  if (status != PH_OK)
    unload(to);
  return status;
}

/* The list: one episode that is not in any file. */
static struct catalog *list_of(const struct session_options *opt) {
  struct catalog *catalog = catalog_new(1);
  struct catalog_line *line = catalog ? catalog_write(catalog, 0) : NULL;
  if (catalog)
    catalog->source = calloc(1, sizeof *catalog->source);
  if (line && catalog->source)
    catalog->source[0] = strdup(opt->paths[0]);
  if (!line || !catalog->source || !catalog->source[0]) {
    catalog_unref(catalog);
    return NULL;
  }
  catalog->nsources = 1;
  snprintf(catalog->path, sizeof catalog->path, "%s", opt->paths[0]);
  snprintf(line->entry.id, sizeof line->entry.id, "live");
  line->entry.states = 1;
  line->entry.success = -1;
  line->entry.end_reason = PH_END_UNKNOWN;
  return catalog;
}

/* What cannot be loaded at first is an error; what cannot later is said on the screen. */
ph_status session_live_open(struct session *s, const struct session_options *opt) {
  s->live = calloc(1, sizeof *s->live);
  if (!s->live)
    return PH_ENOMEM;
  s->live->opt = *opt;
  s->catalog = list_of(opt);
  return s->catalog ? load(&s->live->now, opt, s->live->error) : PH_ENOMEM;
}

void session_live_free(struct session *s) {
  if (!s->live)
    return;
  unload(&s->live->now);
  free(s->live);
  s->live = NULL;
}

/* --- going on --- */

static ph_status start(struct loaded *l, const struct session_options *opt, uint64_t seed,
                       char error[400]) {
  if (l->open)
    opened_close(&l->o);
  l->open = false;
  error[0] = 0;
  ph_status status = ph_live_reset(l->live, seed);
  if (status == PH_OK)
    status = opened_live(&l->o, ph_live_episode(l->live), l->model, l->task, opt->success);
  l->open = status == PH_OK;
  return status == PH_OK ? PH_OK : keep_error(error, status);
}

static void reset(struct session *s, uint64_t seed) {
  struct live_session *ls = s->live;
  start(&ls->now, &ls->opt, seed, ls->error);
  ls->states = 1;
  ls->running = ls->now.open;
  plots_clear(&s->plots);
}

/* The file anew. Where it does not load, or its reset fails, all stays as it was. */
static void reload(struct session *s, uint64_t seed) {
  struct live_session *ls = s->live;
  struct loaded anew;
  ph_status status = load(&anew, &ls->opt, ls->why);
  if (status == PH_OK && start(&anew, &ls->opt, seed, ls->why) != PH_OK)
    unload(&anew);
  else if (status == PH_OK) {
    unload(&ls->now);
    ls->now = anew;
    ls->error[0] = 0;
    ls->states = 1;
    ls->running = true;
    plots_clear(&s->plots);
    return;
  }
  ls->refused++;
}

static int steps_of(const struct live_session *ls) {
  return ls->now.live ? ph_env_dims(ph_live_env(ls->now.live))->control_steps : 0;
}

/* Substeps done since the reset. */
static int64_t done(const struct live_session *ls) {
  ph_live_state now;
  if (!ls->now.open)
    return 0;
  ph_live_now(ls->now.live, &now);
  return ph_episode_meta_of(ls->now.o.episode)->actions * steps_of(ls) + now.substep;
}

static bool runs(const struct live_session *ls) {
  ph_live_state now = {0};
  if (ls->now.open)
    ph_live_now(ls->now.live, &now);
  return now.running;
}

/* NULL: no element is chosen. */
static const double *chosen(double out[LIVE_ELEMENTS], const struct live_wish *wish) {
  bool any = false;
  for (int i = 0; i < LIVE_ELEMENTS; i++) {
    out[i] = wish->set[i] ? wish->value[i] : NAN;
    any = any || wish->set[i];
  }
  return any ? out : NULL;
}

/* Towards the wish for a while. */
static void go_on(struct live_session *ls, const struct live_wish *wish) {
  double value[LIVE_ELEMENTS];
  const double *override = chosen(value, wish);
  uint64_t until = session_clock() + SLICE_MS;
  while (!ls->error[0] && runs(ls) && done(ls) < wish->substeps) {
    int64_t left = wish->substeps - done(ls);
    int n = left < steps_of(ls) ? (int)left : steps_of(ls);
    if (ph_live_advance(ls->now.live, n, wish->drive, override) != PH_OK)
      keep_line(ls->error, ph_error());
    if (session_clock() >= until)
      break;
  }
  ls->settled = ls->error[0] || !runs(ls) || done(ls) >= wish->substeps;
}

/* Each reload has a reset of its own among those that are wished for. */
static void begin(struct session *s, const struct live_wish *wish) {
  struct live_session *ls = s->live;
  uint64_t reloads = wish->reloads - ls->reloads, resets = wish->resets - ls->resets;
  uint64_t refused = ls->refused;
  if (reloads)
    reload(s, wish->seed);
  bool done = reloads && ls->refused == refused;
  if (!done && (resets > reloads || !ls->now.open))
    reset(s, wish->seed);
  ls->reloads = wish->reloads;
  ls->resets = wish->resets;
}

/* --- answers --- */

/* What a person's hand begins from, and what became of the numbers that were sent. */
static ph_status describe_elements(struct live_answer *to, const struct live_session *ls,
                                   const ph_live_state *now) {
  const ph_env *env = ph_live_env(ls->now.live);
  const ph_episode *episode = ls->now.o.episode;
  int64_t actions = ph_episode_meta_of(episode)->actions;
  int n = ph_env_dims(env)->action_dim;
  for (int i = 0; i < n; i++)
    to->cut[i] = ph_env_clip_count(env, i);
  if (now->substep > 0 && now->action)
    memcpy(to->head, now->action, (size_t)n * sizeof *to->head);
  else if (actions > 0 && n > 0)
    return ph_episode_read(episode, PH_COL_ACTIONS, actions - 1, 1, to->head);
  return PH_OK;
}

static ph_status describe(struct live_answer *to, const struct live_session *ls, uint64_t resets) {
  ph_live_state now = {0};
  *to = (struct live_answer){
      .on = true, .settled = ls->settled, .resets = resets, .end = PH_END_UNKNOWN};
  to->reloads = ls->reloads;
  to->refused = ls->refused;
  memcpy(to->why, ls->why, sizeof to->why);
  memcpy(to->names, ls->now.names, sizeof to->names);
  to->has_policy = ls->now.policy || (ls->now.task && ph_task_info_of(ls->now.task)->has_policy);
  to->control_steps = steps_of(ls);
  to->substeps = done(ls);
  if (!ls->now.open)
    return PH_OK;
  ph_live_now(ls->now.live, &now);
  to->running = now.running;
  to->substep = now.substep;
  to->seed = now.seed;
  to->end = now.end;
  snprintf(to->detail, sizeof to->detail, "%s", now.detail);
  return describe_elements(to, ls, &now);
}

/* What the action that is shown has led to: the ctrl of this state. */
static bool take_ctrl(struct snapshot *snap, const struct live_session *ls) {
  size_t n = (size_t)ls->now.o.reel->nctrl;
  if (!snap->ctrl || n == 0 || snap->next_ctrl)
    return true;
  snap->next_ctrl = malloc(n * sizeof *snap->next_ctrl);
  if (snap->next_ctrl)
    memcpy(snap->next_ctrl, snap->ctrl, n * sizeof *snap->next_ctrl);
  return snap->next_ctrl != NULL;
}

/* The state that is between two rows. */
static ph_status fill_between(struct snapshot *snap, struct live_session *ls) {
  ph_row row;
  ph_live_state now;
  ph_live_now(ls->now.live, &now);
  ph_status status = ph_sim_get_row(ph_env_sim(ph_live_env(ls->now.live)), &row);
  if (status == PH_OK)
    status = ph_replay_show(ls->now.o.replay, ls->now.o.reel->states - 1, &row, now.action);
  if (status == PH_OK) {
    snap->live.between = snap->live.in_force = true;
    status = session_take_frame(snap, &ls->now.o);
    return status == PH_OK && !take_ctrl(snap, ls) ? PH_ENOMEM : status;
  }
  snprintf(snap->error, sizeof snap->error, "%s", ph_error());
  return PH_OK;
}

/* Of the step that is under way. */
static bool take_action_in_force(struct snapshot *snap, const struct live_session *ls,
                                 const double *action) {
  size_t n = (size_t)ls->now.o.reel->nactions, nctrl = (size_t)ls->now.o.reel->nctrl;
  ph_row row;
  snap->live.in_force = true;
  snap->action = malloc(n * sizeof *snap->action);
  if (!snap->action)
    return false;
  memcpy(snap->action, action, n * sizeof *snap->action);
  if (nctrl == 0 || ph_sim_get_row(ph_env_sim(ph_live_env(ls->now.live)), &row) != PH_OK ||
      !row.ctrl)
    return true;
  snap->next_ctrl = malloc(nctrl * sizeof *snap->next_ctrl);
  if (snap->next_ctrl)
    memcpy(snap->next_ctrl, row.ctrl, nctrl * sizeof *snap->next_ctrl);
  return snap->next_ctrl != NULL;
}

/* At the head nobody has acted yet: what the last action was is more than nothing. Where a step is
 * under way its action is known. */
static ph_status fill_action(struct snapshot *snap, const struct live_session *ls) {
  size_t n = (size_t)ls->now.o.reel->nactions;
  ph_live_state now;
  ph_live_now(ls->now.live, &now);
  if (snap->action || !snap->has_frame || n == 0)
    return PH_OK;
  if (now.substep > 0 && now.action)
    return take_action_in_force(snap, ls, now.action) ? PH_OK : PH_ENOMEM;
  if (snap->step < 1)
    return PH_OK;
  snap->action = malloc(n * sizeof *snap->action);
  if (!snap->action || !take_ctrl(snap, ls))
    return PH_ENOMEM;
  snap->live.last_action = true;
  return ph_episode_read(ls->now.o.episode, PH_COL_ACTIONS, snap->step - 1, 1, snap->action);
}

static ph_status renew(struct session *s, struct live_session *ls) {
  int64_t states = ph_episode_meta_of(ls->now.o.episode)->states;
  bool running = runs(ls);
  if (states == ls->states && running == ls->running)
    return PH_OK;
  ph_status status = opened_renew(&ls->now.o, running, ls->opt.success);
  ls->states = states;
  ls->running = running;
  plots_clear(&s->plots);
  return status;
}

/* Curves are of the states that there are now, so they are read anew: at once where that is quick.
 */
static ph_status fill_plots(struct session *s, struct live_session *ls, struct snapshot *snap) {
  uint64_t until = session_clock() + CURVE_MS;
  struct plot_answer first;
  if (!plots_answer(&s->plots, &ls->now.o, &s->last.plot, snap->step, &snap->plot))
    return PH_ENOMEM;
  if (!plots_wanting(&s->plots))
    return PH_OK;
  while (plots_wanting(&s->plots) && session_clock() < until)
    plots_work(&s->plots, &ls->now.o, NULL, NULL);
  first = snap->plot;
  memset(&snap->plot, 0, sizeof snap->plot);
  for (size_t i = 0; i < first.n; i++)
    series_unref(first.curve[i].series);
  return plots_answer(&s->plots, &ls->now.o, &s->last.plot, snap->step, &snap->plot) ? PH_OK
                                                                                     : PH_ENOMEM;
}

static ph_status fill(struct session *s, struct live_session *ls, struct snapshot *snap) {
  ph_status status = renew(s, ls);
  int64_t last = ls->now.o.reel->states - 1, step = s->last.step;
  if (status != PH_OK)
    return status;
  snap->reel = reel_ref(ls->now.o.reel);
  snap->step = step > last ? last : step < 0 ? 0 : step;
  snap->stages = ls->now.o.stages;
  status = fill_plots(s, ls, snap);
  if (status != PH_OK)
    return status;
  if (snap->live.substep > 0 && step >= last && !s->last.live.row)
    return fill_between(snap, ls);
  status = session_frame(snap, &ls->now.o, snap->step);
  return status == PH_OK ? fill_action(snap, ls) : status;
}

static ph_status answer(struct session *s, struct snapshot **out) {
  struct live_session *ls = s->live;
  struct snapshot *snap = calloc(1, sizeof *snap);
  *out = NULL;
  if (!snap)
    return PH_ENOMEM;
  snap->serial = s->last.serial;
  snap->reward = NAN;
  snap->flags = -1;
  snap->catalog = catalog_ref(s->catalog);
  memcpy(snap->error, ls->error, sizeof snap->error);
  ph_status status = describe(&snap->live, ls, ls->resets);
  if (status == PH_OK && ls->now.open)
    status = fill(s, ls, snap);
  ls->published = session_clock();
  if (status == PH_OK)
    *out = snap;
  else
    snapshot_free(snap);
  return status;
}

/* --- doors --- */

ph_status session_live_serve(struct session *s, const struct request *req, struct snapshot **out) {
  struct live_session *ls = s->live;
  s->last = *req;
  s->answered = true;
  begin(s, &req->live);
  go_on(ls, &req->live);
  ls->owed = false; /* that a request came to nothing is the caller's to say */
  return answer(s, out);
}

/* Where there is no memory for what is due it is tried again in a while. */
static void publish(struct session *s, struct snapshot **out) {
  s->live->owed = answer(s, out) != PH_OK;
  s->live->owed_at = session_clock();
}

uint64_t session_live_wait(const struct session *s) {
  uint64_t since = session_clock() - s->live->owed_at;
  if (!s->live->owed)
    return UINT64_MAX;
  return since < OWED_MS ? OWED_MS - since : 0;
}

bool session_live_work(struct session *s, struct snapshot **out) {
  struct live_session *ls = s->live;
  *out = NULL;
  if (!s->answered)
    return false;
  bool moving = !ls->settled;
  bool judging = ls->now.open && opened_wants_stages(&ls->now.o);
  if (!moving && !judging && !(ls->now.open && plots_wanting(&s->plots))) {
    if (session_live_wait(s) > 0)
      return false;
    publish(s, out);
    return true;
  }
  if (moving)
    go_on(ls, &s->last.live);
  else if (judging)
    opened_judge_stages(&ls->now.o, JUDGE_STATES);
  else
    plots_work(&s->plots, &ls->now.o, NULL, NULL);
  bool more = !ls->settled ||
              (ls->now.open && (opened_wants_stages(&ls->now.o) || plots_wanting(&s->plots)));
  if (!more || session_clock() - ls->published >= PUBLISH_MS)
    publish(s, out);
  return true;
}
