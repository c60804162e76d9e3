/* What makes MuJoCo reset a scene silently, found and named. */
#ifndef PLAYHEAD_SIM_CHECK_H
#define PLAYHEAD_SIM_CHECK_H

#include "mj.h"

/* Whether a counter rose that stands for a reset of the scene, or for controls taken as zero. */
bool ph_sim_bad_counter(const mjData *d);
/* PH_ESIM that says which, from the counters; substep from 1. */
ph_status ph_sim_fail_bad(const ph_sim *sim, int substep);
/* PH_ESIM naming the first value of ctrl (nu) that is not finite or beyond 1e10. */
ph_status ph_sim_check_ctrl(const ph_sim *sim, const double *ctrl);
/* The same for time, qpos, qvel and act: the engine would reset the scene on its next step. */
ph_status ph_sim_check_state(const ph_sim *sim);

#endif
