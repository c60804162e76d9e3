/* What the files of a replay share. */
#ifndef PLAYHEAD_REPLAY_PARTS_H
#define PLAYHEAD_REPLAY_PARTS_H

#include <playhead/latch.h>
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
  bool shown;  /* the frame is none of the episode's rows */
  bool staged; /* and has stages of its own: */
  ph_stages own;
  bool partial;               /* the frame lacks a damaged column that the engine would need */
  void *column[PH_COL_COUNT]; /* one row of each stored column: the file's bits */
  ph_signal *signals;
  size_t nsignals, nstates;   /* of them, those that are not of channels come first, */
  size_t readouts, nreadouts; /* and of these the task's readouts last, from `readouts` on */
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
  /* readouts */
  ph_script *reader; /* one that spends its limits takes no condition along */
  bool reading;      /* who seeks now wants none */
  ph_hold hold;      /* what s.latched is: of the rows below `held` */
  int64_t held;
};

/* replay_judge.c: what judging took. */
void ph_replay_judge_free(ph_replay *replay);
/* Values at step 0 and the task's script, once. The frame comes back, without a new readout. */
ph_status ph_replay_prepare(ph_replay *replay);
/* What scripts see of the current frame, but for stages and outcomes. */
ph_status ph_replay_scene(ph_replay *replay, const char *what, ph_scene *scene);
/* Stages at the frame: where they are known, or one row away. */
ph_status ph_replay_stages_here(ph_replay *replay, ph_stages *stages, bool *known);
/* The same where a script asked for them: walks there, if that is not far. PH_ENOTFOUND. */
ph_status ph_replay_catch_up(ph_replay *replay, const char *what, ph_stages *stages);

/* replay_readouts.c: fills in the readouts of the frame; one that fails is in its note. PH_ENOMEM.
 */
ph_status ph_replay_read_out(ph_replay *replay);
void ph_replay_readouts_free(ph_replay *replay);

#endif
