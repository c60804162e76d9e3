/* Values of a simulation by name, as scripts, watches and signals read them. All are taken after a
 * pure forward. */
#ifndef PLAYHEAD_SCENE_H
#define PLAYHEAD_SCENE_H

#include <playhead/sim.h>

/* Each returns false when there is no such name. */
bool ph_scene_joint(const ph_sim *sim, const char *name, double *qpos, double *qvel);
bool ph_scene_position(const ph_sim *sim, ph_kind kind, const char *name, double pos[3], double quat[4]);
bool ph_scene_sensor(const ph_sim *sim, const char *name, double *out, int *n /* in: room */);
bool ph_scene_ctrl(const ph_sim *sim, const char *actuator, double *out);
/* Distance between the frames of two sites, bodies or geoms. [m] */
bool ph_scene_distance(const ph_sim *sim, const char *a, const char *b, double *out);
/* Whether any geom of (body or geom) a touches one of b; force is the sum of normal forces [N]. */
bool ph_scene_contact(const ph_sim *sim, const char *a, const char *b, bool *touch, double *force);
bool ph_scene_speed(const ph_sim *sim, const char *body, double *out); /* [m/s] */

#endif
