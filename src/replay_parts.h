/* What the files of a replay share. */
#ifndef PLAYHEAD_REPLAY_PARTS_H
#define PLAYHEAD_REPLAY_PARTS_H

#include <playhead/replay.h>

#include "scene.h"
#include "script.h"
#include "task.h"

enum { PH_REPLAY_GEOM = 64 };

struct ph_replay {
  const ph_episode *episode;
  const ph_model *model; /* referenced; NULL */
  const ph_task *task;   /* referenced; NULL */
  ph_sim *sim;           /* NULL without a compiled model */
  ph_frame frame;
  bool partial;               /* the frame lacks a damaged column that the engine would need */
  void *column[PH_COL_COUNT]; /* one row of each stored column: the file's bits */
  ph_signal *signals;
  size_t nsignals, nstates; /* of them, those that are not of channels come first */
  double *values;
  ph_contact *contacts;
  size_t room; /* in contacts */
  char (*geoms)[PH_REPLAY_GEOM];
  double *led_here; /* room for the action before this state */
  /* for conditions, made when they are first asked for */
  ph_script *script;
  struct ph_start *start;
  ph_condition *conditions;
  uint8_t *judged_bits; /* NULL, or what another says of each state */
  char *judged_by;
  ph_condition outside; /* of that */
  /* stages, judged from row 0 on */
  bool begun;       /* holds are known */
  ph_stages stages; /* after row `judged` - 1 */
  int64_t judged;   /* rows */
  ph_status stuck;  /* PH_OK, or why row `judged` is not: */
  char stuck_text[400];
};

/* replay_judge.c: what judging took. */
void ph_replay_judge_free(ph_replay *replay);

#endif
