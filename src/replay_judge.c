#include "replay_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"

/* What a condition may ask to be judged before it, where it asks for stages. */
enum { WALK_MAX = 2000 };

void ph_replay_judge_free(ph_replay *replay) {
  ph_start_free(replay->start);
  ph_script_free(replay->script);
  free(replay->conditions);
  free(replay->judged_bits);
  free(replay->judged_by);
}

/* Whether there is something to judge by, and a step to judge. */
static ph_status can_judge(const ph_replay *r, const char *what, bool has) {
  const ph_episode_meta *meta = ph_episode_meta_of(r->episode);
  if (!r->task || !r->sim)
    return ph_fail(PH_ENOTFOUND, "%s: %s: no %s", meta->id, what, r->task ? "model" : "task");
  if (!has)
    return ph_fail(PH_ENOTFOUND, "%s: %s: the task has no such condition", meta->id, what);
  return PH_OK;
}

/* A frame to come back to. */
struct place {
  int64_t step;
  bool shown; /* it is none of the episode's rows, but this one: */
  ph_row row;
  const double *action;
  bool staged;
  ph_stages own;
};

static struct place place_of(const ph_replay *r) {
  return (struct place){r->frame.step, r->shown, r->frame.row, r->frame.action, r->staged, r->own};
}

static ph_status come_back(ph_replay *r, const struct place *at) {
  if (at->step < 0 || (r->frame.step == at->step && r->shown == at->shown))
    return PH_OK;
  return at->shown ? ph_replay_show_judged(r, at->step, &at->row, at->action,
                                           at->staged ? &at->own : NULL)
                   : ph_replay_seek(r, at->step, 0, PH_KINEMATIC);
}

/* Script and values at step 0. */
ph_status ph_replay_prepare(ph_replay *r) {
  const struct place at = place_of(r);
  bool reading = r->reading;
  if (r->script && r->start)
    return PH_OK;
  ph_status status = r->script ? PH_OK : ph_task_script(&r->script, r->task);
  if (status != PH_OK)
    return status;
  if (!r->conditions)
    r->conditions = calloc(ph_task_info_of(r->task)->nconditions + 1, sizeof *r->conditions);
  r->reading = true;
  status = ph_replay_seek(r, 0, 0, PH_KINEMATIC);
  if (status == PH_OK && !r->frame.forward)
    status = ph_fail(PH_ESIM, "%s: step 0 is not a state that the engine can take",
                     ph_episode_meta_of(r->episode)->id);
  if (status == PH_OK)
    r->start = ph_start_new(r->sim);
  if (status == PH_OK && (!r->start || !r->conditions))
    status = ph_fail(PH_ENOMEM, "%s: no memory to judge it", ph_episode_meta_of(r->episode)->id);
  r->reading = reading;
  ph_status back = come_back(r, &at);
  return status == PH_OK ? back : status;
}

/* The action that led here; between two rows that which is in force. */
ph_status ph_replay_scene(ph_replay *r, const char *what, ph_scene *scene) {
  const ph_episode_meta *meta = ph_episode_meta_of(r->episode);
  const ph_frame *frame = &r->frame;
  *scene = (ph_scene){.sim = r->sim, .step = frame->step, .start = r->start, .no_outcome = true};
  if (!frame->forward)
    return ph_fail(PH_ESIM, "%s: %s: there is no state to judge", meta->id, what);
  if (r->shown && frame->action) {
    scene->action = frame->action;
    scene->naction = meta->dims.action_dim;
    return PH_OK;
  }
  if (frame->step < 1 || ph_episode_rows(r->episode, PH_COL_ACTIONS) < frame->step)
    return PH_OK;
  scene->action = r->led_here;
  scene->naction = meta->dims.action_dim;
  return ph_episode_read(r->episode, PH_COL_ACTIONS, frame->step - 1, 1, r->led_here);
}

/* --- stages --- */

static ph_status begin_stages(ph_replay *r) {
  const ph_episode_meta *meta = ph_episode_meta_of(r->episode);
  if (r->begun)
    return PH_OK;
  double dt = meta->control_dt > 0 ? meta->control_dt : ph_model_timestep(r->model);
  ph_status status = ph_stages_begin(&r->stages, r->task, dt);
  r->begun = status == PH_OK;
  return status == PH_OK ? PH_OK : ph_fail_in(status, "%s", meta->id);
}

/* Goes to the first row that was not judged, and judges it. */
static ph_status judge_row(ph_replay *r) {
  ph_scene scene;
  ph_status status = r->frame.step == r->judged && !r->shown
                         ? PH_OK
                         : ph_replay_seek(r, r->judged, 0, PH_KINEMATIC);
  if (status == PH_OK)
    status = ph_replay_scene(r, "stages", &scene);
  if (status == PH_OK)
    status = ph_script_stages(r->script, &scene, &r->stages);
  if (status == PH_OK)
    r->judged++;
  if (status == PH_OK || status == PH_ENOMEM)
    return status;
  r->stuck = status;
  snprintf(r->stuck_text, sizeof r->stuck_text, "step %lld: %s", (long long)r->judged, ph_error());
  return PH_OK;
}

/* Judges rows below `end`, and comes back. */
static ph_status walk(ph_replay *r, int64_t end) {
  const struct place at = place_of(r);
  int64_t states = ph_episode_meta_of(r->episode)->states;
  bool reading = r->reading;
  ph_status status = begin_stages(r);
  r->reading = true;
  end = end < states ? end : states;
  while (status == PH_OK && r->stuck == PH_OK && r->judged < end) {
    if (r->stages.done == r->stages.n)
      r->judged = states; /* nothing is to come */
    else
      status = judge_row(r);
  }
  r->reading = reading;
  ph_status returned = come_back(r, &at);
  return status == PH_OK ? returned : status;
}

ph_status ph_replay_stages(ph_replay *replay, int64_t most, ph_stages *stages, int64_t *rows) {
  memset(stages, 0, sizeof *stages);
  *rows = 0;
  bool has = replay->task && ph_task_info_of(replay->task)->nstages > 0;
  ph_status status = can_judge(replay, "stages", has);
  if (status == PH_OK)
    status = ph_replay_prepare(replay);
  if (status == PH_OK)
    status = begin_stages(replay);
  if (status == PH_OK && most > 0)
    status = walk(replay, replay->judged > INT64_MAX - most ? INT64_MAX : replay->judged + most);
  *stages = replay->stages;
  *rows = replay->judged;
  if (status == PH_OK && replay->stuck != PH_OK)
    status = ph_fail(replay->stuck, "%s", replay->stuck_text);
  return status;
}

ph_status ph_replay_stages_here(ph_replay *r, ph_stages *stages, bool *known) {
  int64_t step = r->frame.step;
  ph_status status = PH_OK;
  *known = r->staged;
  if (r->staged)
    *stages = r->own;
  if (r->staged || ph_task_info_of(r->task)->nstages == 0 || begin_stages(r) != PH_OK)
    return PH_OK;        /* who asks for them is told */
  if (r->judged == step) /* one after the other: it costs one test */
    status = walk(r, step + 1);
  if (status == PH_OK && r->judged > step) {
    ph_stages_at(&r->stages, step, stages);
    *known = true;
  }
  return status;
}

/* --- the predicate --- */

/* A condition asked for stages that are not known: judges what is before, if that is not far. */
ph_status ph_replay_catch_up(ph_replay *r, const char *what, ph_stages *stages) {
  const char *id = ph_episode_meta_of(r->episode)->id;
  int64_t step = r->frame.step;
  ph_status status = r->judged + WALK_MAX > step ? walk(r, step + 1) : PH_OK;
  if (status == PH_OK && r->judged > step)
    ph_stages_at(&r->stages, step, stages);
  else if (status == PH_OK && r->stuck != PH_OK)
    status = ph_fail(r->stuck, "%s", r->stuck_text);
  else if (status == PH_OK)
    status = ph_fail(PH_ENOTFOUND, "%s: %s: the stages before step %lld are not judged yet", id,
                     what, (long long)step);
  return status;
}

static ph_status judge(ph_replay *r, bool *value) {
  ph_scene scene;
  ph_stages stages;
  bool known = false;
  ph_status status = ph_replay_stages_here(r, &stages, &known);
  if (status == PH_OK)
    status = ph_replay_scene(r, "success", &scene);
  if (status != PH_OK)
    return status;
  scene.stages = known ? &stages : NULL;
  status = ph_script_success(r->script, &scene, value, r->conditions);
  if (known || !ph_script_wants_stages(r->script))
    return status;
  status = ph_replay_catch_up(r, "success", &stages);
  if (status == PH_OK)
    status = ph_replay_scene(r, "success", &scene);
  scene.stages = &stages;
  return status == PH_OK ? ph_script_success(r->script, &scene, value, r->conditions) : status;
}

ph_status ph_replay_judged(ph_replay *replay, const uint8_t *bits, const char *by) {
  const ph_episode_meta *meta = ph_episode_meta_of(replay->episode);
  size_t n = meta->states > 0 ? (size_t)meta->states : 0;
  free(replay->judged_bits);
  free(replay->judged_by);
  replay->judged_bits = bits ? malloc(n + 1) : NULL;
  replay->judged_by = bits ? strdup(by) : NULL;
  if (!bits)
    return PH_OK;
  if (!replay->judged_bits || !replay->judged_by) {
    ph_replay_judged(replay, NULL, NULL);
    return ph_fail(PH_ENOMEM, "%s: no memory to judge it", meta->id);
  }
  memcpy(replay->judged_bits, bits, n);
  return PH_OK;
}

/* What another says of the frame. */
static ph_status judged_here(ph_replay *r, bool *value, const ph_condition **conditions) {
  int64_t step = r->frame.step;
  if (step < 0)
    return ph_fail(PH_EINVAL, "%s: success: no step was gone to",
                   ph_episode_meta_of(r->episode)->id);
  *value = r->judged_bits[step] != 0;
  r->outside = (ph_condition){.name = r->judged_by, .value = *value};
  if (conditions)
    *conditions = &r->outside;
  return PH_OK;
}

ph_status ph_replay_predicate(ph_replay *replay, bool *value, const ph_condition **conditions) {
  *value = false;
  if (conditions)
    *conditions = NULL;
  if (replay->judged_bits)
    return judged_here(replay, value, conditions);
  bool has = replay->task && ph_task_info_of(replay->task)->has_success;
  ph_status status = can_judge(replay, "success", has);
  if (status == PH_OK && replay->frame.step < 0)
    status = ph_fail(PH_EINVAL, "%s: success: no step was gone to",
                     ph_episode_meta_of(replay->episode)->id);
  if (status == PH_OK)
    status = ph_replay_prepare(replay);
  if (status == PH_OK)
    status = judge(replay, value);
  if (status == PH_OK && conditions)
    *conditions = replay->conditions;
  return status;
}
