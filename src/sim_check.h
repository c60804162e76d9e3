/* What makes MuJoCo reset a scene silently, found and named; and substeps that are watched for it.
 */
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

/* ph_sim_part with another way to take a substep; ctrl is in force when it is called. */
typedef void (*ph_substep)(const mjModel *m, mjData *d);
ph_status ph_sim_part_by(ph_sim *sim, ph_substep substep, const double *ctrl, int done, int n,
                         bool last, bool *warned);

#endif
