/* One episode: its predicate by each source, and what broke it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latch_parts.h"

enum { BROKE_MOST = 1000 };

/* --- what broke it --- */

static bool add_row(struct latch_result *r, size_t *room, int64_t row) {
  if (r->nbroke == *room) {
    size_t more = *room ? 2 * *room : 8;
    struct latch_broke *at = realloc(r->broke, more * sizeof *at);
    if (!at)
      return false;
    r->broke = at;
    *room = more;
  }
  r->broke[r->nbroke++] = (struct latch_broke){.row = row};
  return true;
}

/* Rows that are told of: of all intervals, or of those that came near. */
static bool choose_rows(const struct latch *v, struct latch_result *r) {
  char why[200];
  double seconds;
  int64_t steps;
  size_t room = 0;
  int base = latch_base(v, r);
  if (base < 0 || v->sweep)
    return true;
  const ph_intervals *iv = &r->of[base].intervals;
  for (size_t i = 0; v->intervals && i < iv->n && i < BROKE_MOST; i++)
    if (iv->at[i].broken && !add_row(r, &room, iv->at[i].last + 1))
      return false;
  if (v->intervals || !latch_steps(v, r, 0, &seconds, &steps, why, sizeof why))
    return true;
  ph_latching latching;
  ph_intervals_latch(iv, steps, &latching);
  for (size_t i = 0; i < latching.nmisses; i++)
    if (!add_row(r, &room, latching.miss[i].row))
      return false;
  return true;
}

static void ask_rows(const struct latch *v, struct latch_result *r, const ph_episode *episode,
                     const ph_model *model, const ph_task *task) {
  ph_replay *replay = NULL;
  if (r->nbroke == 0 || v->judge || !task || !model ||
      ph_replay_create(&replay, episode, model, task) != PH_OK)
    return;
  for (size_t i = 0; i < r->nbroke && !atomic_load(&v->each.stop); i++)
    ph_replay_broke(replay, r->broke[i].row, r->broke[i].text, sizeof r->broke[i].text);
  ph_replay_free(replay);
}

const char *latch_why(const struct latch_result *r, int64_t row) {
  for (size_t i = 0; i < r->nbroke; i++)
    if (r->broke[i].row == row)
      return r->broke[i].text;
  return "";
}

/* --- its predicate --- */

static void leave_unknown(ph_outcomes *o, const char *why) {
  ph_outcomes_free(o);
  o->lack = PH_LACK_OTHER;
  o->left = o->ended = -1;
  snprintf(o->why, sizeof o->why, "%s", why);
}

static ph_status take(struct latch *v, struct latch_result *r, ph_latch_source source,
                      const ph_episode *episode, const ph_model *model, const ph_task *task) {
  bool judged = v->judge && source == PH_LATCH_KINEMATIC;
  ph_outcomes_options opt = {.judge = judged ? v->judge : NULL,
                             .tolerance = v->opt->tolerance ? &v->tolerance : NULL,
                             .progress = each_progress,
                             .arg = &v->each};
  if (v->judge && source == PH_LATCH_DYNAMIC) {
    leave_unknown(&r->of[source], "the command judges recorded states alone");
    return PH_OK;
  }
  if (judged)
    pthread_mutex_lock(&v->desk);
  ph_status status = ph_outcomes_take(&r->of[source], source, episode, model, task, &opt);
  if (v->opt->success && source == PH_LATCH_RECORDED && r->of[source].known)
    leave_unknown(&r->of[source], "what the file stores is of another condition than --success");
  if (judged && status != PH_OK && ph_judge_state_of(v->judge) == PH_JUDGE_FAILED) {
    leave_unknown(&r->of[source], ph_text_without(ph_error(), ph_episode_meta_of(episode)->id));
    r->unjudged = true;
    status = PH_OK;
  }
  if (judged) {
    snprintf(r->unkept, sizeof r->unkept, "%s", ph_judge_note(v->judge));
    pthread_mutex_unlock(&v->desk);
  }
  return status;
}

/* The reason why model or task cannot be had is the one that a source has not got it. */
static void tell_why(struct latch_result *r) {
  for (int k = PH_LATCH_KINEMATIC; k <= PH_LATCH_DYNAMIC; k++) {
    ph_outcomes *o = &r->of[k];
    const char *why = o->known                   ? ""
                      : o->lack == PH_LACK_MODEL ? r->refused[0]
                      : o->lack == PH_LACK_TASK  ? r->refused[1]
                                                 : "";
    if (why[0])
      snprintf(o->why, sizeof o->why, "%s", why);
  }
}

static double control_dt(const ph_episode_meta *meta, const ph_model *model) {
  if (meta->control_dt > 0 || !model)
    return meta->control_dt;
  return meta->dims.control_steps * ph_model_timestep(model);
}

static void find_hold(const struct latch *v, struct latch_result *r, const ph_episode_meta *meta,
                      const ph_task *task) {
  double given = v->task ? ph_task_info_of(v->task)->hold_seconds : 0;
  bool recorded = meta->hold_seconds >= 0 && given <= 0;
  r->in_force = given > 0  ? given
                : recorded ? meta->hold_seconds
                : task     ? ph_task_info_of(task)->hold_seconds
                           : 0;
  r->no_hold = !recorded && !v->task && !meta->task_sha256[0];
}

static ph_status print_finger(const struct latch *v, struct latch_result *r,
                              const ph_episode *episode, const ph_model *model,
                              const ph_task *task) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  char why[200];
  double seconds;
  int64_t steps;
  if (v->sweep || !v->episodes || !latch_steps(v, r, 0, &seconds, &steps, why, sizeof why))
    return PH_OK;
  ph_latch_inputs in = {.meta = meta,
                        .model = model,
                        .task = task,
                        .command = v->judge ? ph_judge_command(v->judge) : NULL,
                        .tolerance = v->opt->tolerance ? &v->tolerance : NULL,
                        .hold_seconds = seconds,
                        .hold_steps = steps};
  ph_status status = ph_latch_edits(r->edits, episode);
  return status == PH_OK ? ph_latch_fingerprint(&r->fingerprint, &in) : status;
}

/* As cut chooses: what the file stores is of another condition than --success. */
static ph_latch_source strictest(const struct latch *v, const ph_episode *episode,
                                 const ph_model *model, const ph_task *task) {
  ph_latch_source by = v->judge
                           ? model ? PH_LATCH_KINEMATIC : PH_LATCH_RECORDED
                           : ph_outcomes_strictest(episode, model, task, v->opt->tolerance != NULL);
  return by == PH_LATCH_RECORDED && v->opt->success ? PH_LATCH_KINEMATIC : by;
}

static ph_status look(struct latch *v, struct latch_result *r, const ph_episode *episode) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  pthread_mutex_lock(&v->desk);
  ph_model *model = report_model(v->store, meta, r->refused[0], sizeof r->refused[0]);
  ph_task *task =
      report_judge(v->store, v->opt, v->task, meta, r->refused[1], sizeof r->refused[1]);
  pthread_mutex_unlock(&v->desk);
  ph_status status = PH_OK;
  r->states = meta->states;
  snprintf(r->run_id, sizeof r->run_id, "%s", meta->run_id);
  r->actions = meta->actions;
  r->recorded = (ph_hold_recorded){meta->hold_seconds, meta->hold_steps, control_dt(meta, model)};
  find_hold(v, r, meta, task);
  for (int k = 0; k < PH_LATCH_SOURCES && status == PH_OK; k++)
    if (v->asked[k])
      status = take(v, r, (ph_latch_source)k, episode, model, task);
  tell_why(r);
  r->strictest = strictest(v, episode, model, task);
  if (status == PH_OK)
    status = print_finger(v, r, episode, model, task);
  if (status == PH_OK && choose_rows(v, r))
    ask_rows(v, r, episode, model, task);
  ph_task_unref(task);
  ph_model_unref(model);
  return status;
}

void *latch_make(void *arg, size_t place) {
  struct latch *v = arg;
  struct latch_result *r = calloc(1, sizeof *r);
  ph_episode *episode = NULL;
  if (!r)
    return NULL;
  r->place = place;
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    r->of[k].left = r->of[k].ended = -1;
  pthread_mutex_lock(&v->desk);
  r->opened = ph_store_episode(&episode, v->store, place) == PH_OK;
  if (!r->opened)
    snprintf(r->why, sizeof r->why, "%s", ph_error());
  r->entry = *ph_store_entry(v->store, place);
  pthread_mutex_unlock(&v->desk);
  if (r->opened && look(v, r, episode) != PH_OK) {
    r->status = EXIT_ERROR;
    snprintf(r->error, sizeof r->error, "%s", ph_error());
  }
  ph_episode_free(episode);
  return r;
}

void latch_drop(void *result) {
  struct latch_result *r = result;
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    ph_outcomes_free(&r->of[k]);
  free(r->fingerprint);
  free(r->broke);
  free(r);
}
