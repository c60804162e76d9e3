#include "replay_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "task.h"

/* The readouts of a task, as its own functions say them of the frame. */

void ph_replay_readouts_free(ph_replay *replay) {
  ph_script_free(replay->reader);
}

/* --- what was judged so far, as the file has it --- */

/* Rows below `end` of the stored predicate, once each. */
static ph_status hold_rows(ph_replay *r, int64_t end) {
  uint8_t value[256];
  while (r->held < end) {
    int64_t n = end - r->held < 256 ? end - r->held : 256;
    ph_status status = ph_episode_read(r->episode, PH_COL_PREDICATE, r->held, n, value);
    if (status != PH_OK)
      return status;
    for (int64_t i = 0; i < n; i++)
      ph_hold_update(&r->hold, r->held + i, value[i] != 0);
    r->held += n;
  }
  return PH_OK;
}

/* s.predicate and s.latched are those of the recorded task, so of no other. */
static ph_status take_outcome(ph_replay *r, ph_scene *scene) {
  const ph_episode_meta *meta = ph_episode_meta_of(r->episode);
  uint8_t value = 0;
  int64_t step = r->frame.step;
  if (strcmp(meta->task_sha256, ph_task_sha256(r->task)) != 0 ||
      ph_episode_rows(r->episode, PH_COL_PREDICATE) <= step)
    return PH_OK;
  if (r->held == 0)
    r->hold = (ph_hold){.steps = meta->hold_steps};
  ph_status status = hold_rows(r, step + 1);
  if (status == PH_OK)
    status = ph_episode_read(r->episode, PH_COL_PREDICATE, step, 1, &value);
  if (status != PH_OK)
    return status == PH_ENOMEM ? status : PH_OK; /* a damaged one is not known */
  scene->no_outcome = false;
  scene->predicate = value != 0;
  scene->latched = r->hold.latched && r->hold.latch <= step;
  return PH_OK;
}

/* --- the frame --- */

static ph_status make_scene(ph_replay *r, ph_scene *scene, ph_stages *stages) {
  bool known = false;
  ph_status status = r->reader ? PH_OK : ph_task_script(&r->reader, r->task);
  if (status == PH_OK)
    status = ph_replay_prepare(r);
  if (status == PH_OK)
    status = ph_replay_stages_here(r, stages, &known);
  if (status == PH_OK)
    status = ph_replay_scene(r, "readouts", scene);
  if (status != PH_OK)
    return status;
  scene->stages = known ? stages : NULL;
  return take_outcome(r, scene);
}

/* What went wrong in a pass over the readouts. */
struct failures {
  size_t n;
  bool stages; /* one asked for stages that are not known */
  char first[sizeof((ph_frame *)0)->note];
};

static ph_status read_all(ph_replay *r, const ph_scene *scene, struct failures *failed) {
  *failed = (struct failures){0};
  for (size_t i = 0; i < r->nreadouts; i++) {
    double *value = &r->values[r->readouts + i];
    ph_status status = ph_script_readout(r->reader, scene, i, value);
    if (status == PH_OK)
      continue;
    *value = NAN;
    failed->stages = failed->stages || ph_script_wants_stages(r->reader);
    if (failed->n++ == 0)
      snprintf(failed->first, sizeof failed->first, "%s", ph_error());
    if (status == PH_ENOMEM)
      return status;
  }
  return PH_OK;
}

/* The first that failed, in words, and how many more did. */
static void note_failed(ph_replay *r, const char *text, size_t failed) {
  size_t n = strlen(r->frame.note);
  char more[40] = "";
  text = ph_text_without(text, ph_episode_meta_of(r->episode)->id);
  if (failed > 1)
    snprintf(more, sizeof more, " (and %zu more)", failed - 1);
  snprintf(r->frame.note + n, sizeof r->frame.note - n, "%s%.300s%s", n ? "; " : "", text, more);
}

/* Stages that are not far are judged, and it is begun anew: that takes the frame along. */
static ph_status read_with_stages(ph_replay *r, struct failures *failed) {
  ph_scene scene;
  ph_stages stages;
  ph_status status = make_scene(r, &scene, &stages);
  if (status == PH_OK)
    status = read_all(r, &scene, failed);
  if (status != PH_OK || !failed->stages)
    return status;
  status = ph_replay_catch_up(r, "readouts", &stages);
  if (status == PH_ENOMEM)
    return status;
  status = make_scene(r, &scene, &stages);
  return status == PH_OK ? read_all(r, &scene, failed) : status;
}

ph_status ph_replay_read_out(ph_replay *r) {
  struct failures failed = {0};
  if (r->nreadouts == 0 || r->reading || !r->frame.forward)
    return PH_OK;
  r->reading = true;
  ph_status status = read_with_stages(r, &failed);
  r->reading = false;
  if (status == PH_ENOMEM)
    return status;
  if (status != PH_OK) {
    failed.n = 1;
    snprintf(failed.first, sizeof failed.first, "readouts: %s", ph_error());
  }
  if (failed.n > 0)
    note_failed(r, failed.first, failed.n);
  return PH_OK;
}
