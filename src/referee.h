/* What a step came to by its task: stages, predicate, hold, failure, reward, truncation, and the
 * end, in the order nan > success > terminated > truncated. Whoever steps a simulation asks it
 * after each step: an env, and a recorded episode that is run again. Plain data but for the script;
 * belongs to one thread. */
#ifndef PLAYHEAD_REFEREE_H
#define PLAYHEAD_REFEREE_H

#include <playhead/episode.h>
#include <playhead/latch.h>

#include "script.h"
#include "task.h"

typedef struct ph_referee {
  const ph_task *task;    /* borrowed */
  int64_t hold_steps;     /* in force */
  ph_stages plain;        /* before row 0 */
  ph_script *script;      /* of the episode; NULL before it begins, and after it ended */
  struct ph_start *start; /* owned: values at row 0 */
  /* of the last step */
  int64_t step;
  ph_hold hold;
  ph_stages stages;
  bool predicate;
  char detail[200]; /* of its end */
} ph_referee;

/* How a transition is judged. */
typedef struct ph_ruling {
  double reward;   /* 0 where the task has none */
  uint8_t flags;   /* PH_FLAG_TERMINATED, PH_FLAG_TRUNCATED */
  bool success;    /* latched with this step */
  bool terminated; /* success or failure */
  bool truncated;
  ph_end end; /* PH_END_UNKNOWN: it goes on */
} ph_ruling;

/* hold_seconds: negative is the task's. PH_EINVAL: a hold that cannot be counted in steps. */
ph_status ph_referee_init(ph_referee *r, const ph_task *task, double hold_seconds,
                          double control_dt);
/* A fresh script and counters; nothing is judged yet. PH_ETASK, PH_ENOMEM. */
ph_status ph_referee_begin(ph_referee *r);
/* Forgets the script and the start. */
void ph_referee_end(ph_referee *r);
/* Takes the sim's values as those of row 0, and judges it. Derived quantities belong to it. */
ph_status ph_referee_start(ph_referee *r, const ph_sim *sim);

/* What scripts see now. action is nullable. */
ph_scene ph_referee_scene(const ph_referee *r, const ph_sim *sim, const double *action,
                          int naction);
/* Judges the state of the present step alone: stages, then the predicate, which may ask for them.
 */
ph_status ph_referee_look(ph_referee *r, const ph_sim *sim, const double *action, int naction);
/* Judges the transition that led to the sim's state: the step after the last. A reward that is not
 * finite makes no row: out->end is PH_END_NAN and all counters are those of before. After an error
 * the step has been counted. */
ph_status ph_referee_judge(ph_referee *r, const ph_sim *sim, const double *action, int naction,
                           ph_ruling *out);
/* Writes the sentence of an end into detail, from what is counted now. */
void ph_referee_tell(ph_referee *r, ph_end end);
/* The same for an end as nan: "step 12: qvel[3] (arm_elbow) is not finite". */
void ph_referee_tell_nan(ph_referee *r, const char *what);

#endif
