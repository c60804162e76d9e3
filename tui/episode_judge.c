/* A command that judges an open episode in place of its task. */
#include "episode_reel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ph_status opened_ask_judge(struct opened *o, ph_judge *judge) {
  size_t n = o->reel->states > 0 ? (size_t)o->reel->states : 0;
  if (!judge)
    return PH_OK;
  snprintf(o->judge, sizeof o->judge, "by %s", ph_judge_command(judge));
  o->bits = calloc(n + 1, 1);
  ph_status status = o->bits ? ph_judge_episode(o->bits, judge, o->episode, o->model) : PH_ENOMEM;
  if (status == PH_OK)
    return ph_replay_judged(o->replay, o->bits, o->judge);
  free(o->bits);
  o->bits = NULL;
  snprintf(o->reel->judge_note, sizeof o->reel->judge_note, "%s", ph_error());
  return status == PH_ENOMEM || status == PH_ECANCELED ? status : PH_OK;
}
