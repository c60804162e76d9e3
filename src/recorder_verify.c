/* Each episode is run again before it is written, and its attribute says what came of it. */
#include "recorder_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <playhead/verify.h>

#include "fail.h"

/* The episode as it will be, in memory; the caller's. */
static ph_status in_memory(ph_episode **out, const ph_recorder *rec, const ph_take *take) {
  ph_sink *sink = NULL;
  ph_status status = ph_sink_memory(&sink);
  if (status != PH_OK)
    return status;
  status = sink->model(sink, rec->model);
  if (status == PH_OK && rec->task)
    status = sink->task(sink, rec->task);
  if (status == PH_OK)
    status = ph_take_commit(take, sink, &rec->origin, rec->model);
  if (status == PH_OK)
    status = sink->finish(sink);
  if (status == PH_OK)
    status = ph_sink_memory_take(sink, 0, out);
  sink->free(sink);
  return status;
}

static void tell(ph_recorder *rec, const ph_take *take, const char *what) {
  char line[600];
  snprintf(line, sizeof line, "env %d episode %" PRId64 ": %s", take->env_id, take->episode, what);
  rec->unverified(rec->user, line);
}

static void stamp(ph_recorder *rec, ph_take *take, const ph_episode *episode) {
  ph_dynamics_options how = {
      .tolerance = ph_tolerance_default(), .jobs = 1, .no_one_step = true, .no_diagnosis = true};
  ph_dynamics run;
  char text[500];
  if (ph_verify_dynamic(&run, episode, rec->model, rec->task, &how) != PH_OK) {
    snprintf(text, sizeof text, "it is saved unchecked: %.400s", ph_error());
    tell(rec, take, text);
    return;
  }
  ph_dynamics_stamp(&run, take->determinism, sizeof take->determinism);
  if (!run.ran)
    snprintf(text, sizeof text, "it is saved unchecked: %s", run.why);
  else if (strncmp(take->determinism, "fails", 5) == 0)
    snprintf(text, sizeof text, "physics run again is not what was recorded: %s%s%s",
             take->determinism, run.why[0] ? ": " : "", run.why);
  else
    return;
  tell(rec, take, text);
}

void ph_recorder_verify(ph_recorder *rec, ph_take *take) {
  ph_episode *episode = NULL;
  char text[500];
  if (!rec->unverified || take->determinism[0])
    return;
  if (in_memory(&episode, rec, take) == PH_OK) {
    stamp(rec, take, episode);
  } else {
    snprintf(text, sizeof text, "it is saved unchecked: %.400s", ph_error());
    tell(rec, take, text);
  }
  ph_episode_free(episode);
}
