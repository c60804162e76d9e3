/* Values of a simulation by name, as scripts, watches and signals read them. All are taken after a
 * pure forward. */
#ifndef PLAYHEAD_SCENE_H
#define PLAYHEAD_SCENE_H

#include <playhead/sim.h>

/* Arrays of one instant; borrowed from the sim, or from a ph_start. */
typedef struct ph_view {
  const double *time;       /* (1) [s] */
  const double *qpos;       /* (nq) */
  const double *qvel;       /* (nv) */
  const double *ctrl;       /* (nu) */
  const double *sensordata; /* (nsensordata) */
  const double *xpos;       /* (nbody x 3) [m] */
  const double *xquat;      /* (nbody x 4) */
  const double *site_xpos;  /* (nsite x 3) [m] */
  const double *site_xmat;  /* (nsite x 9) */
  const double *geom_xpos;  /* (ngeom x 3) [m] */
  const double *geom_xmat;  /* (ngeom x 9) */
} ph_view;

/* The sim's present values. */
void ph_view_of(ph_view *out, const ph_sim *sim);

/* Derived and stored values at one instant, copied; for s.start. Owns its memory. */
struct ph_start;
struct ph_start *ph_start_new(const ph_sim *sim); /* NULL: out of memory */
void ph_start_free(struct ph_start *start);       /* Nullable */
const ph_view *ph_start_view(const struct ph_start *start);

/* --- by index; kinds are bodies, sites and geoms --- */

const ph_model *ph_scene_model(const ph_sim *sim);
/* World frame of an object. pos and quat are nullable. */
void ph_scene_frame(const ph_sim *sim, const ph_view *view, ph_kind kind, int i, double pos[3],
                    double quat[4]);
int ph_scene_sensor_dim(const ph_sim *sim, int i);
int ph_scene_sensor_address(const ph_sim *sim, int i); /* in sensordata */
/* First activation of an actuator, or -1 where it has none. */
int ph_scene_act_address(const ph_sim *sim, int actuator);
/* Finds a site, body or geom of that name, in this order; false if there is none. */
bool ph_scene_find(const ph_sim *sim, const char *name, ph_kind *kind, int *i);
int ph_scene_ngeom(const ph_sim *sim);
/* Marks in mask (ngeom) the geoms of the body or geom `name`; with * or [ it is a pattern (see
 * name.h) and every body and geom counts that it matches. Returns how many objects matched. */
int ph_scene_geoms(const ph_sim *sim, const char *name, uint8_t *mask);
/* In how many points geoms of a touch geoms of b, and the sum of the normal forces between them
 * [N]. */
int ph_scene_touch(const ph_sim *sim, const uint8_t *a, const uint8_t *b, double *force);
double ph_scene_speed_at(const ph_sim *sim, int body); /* of the body's frame [m/s] */

/* --- by name; each returns false when there is no such name --- */

bool ph_scene_joint(const ph_sim *sim, const char *name, double *qpos, double *qvel);
bool ph_scene_position(const ph_sim *sim, ph_kind kind, const char *name, double pos[3],
                       double quat[4]);
bool ph_scene_sensor(const ph_sim *sim, const char *name, double *out, int *n /* in: room */);
bool ph_scene_ctrl(const ph_sim *sim, const char *actuator, double *out);
/* Distance between the frames of two sites, bodies or geoms. [m] */
bool ph_scene_distance(const ph_sim *sim, const char *a, const char *b, double *out);
/* Whether any geom of (body or geom) a touches any of b; force is the sum of normal forces [N]. */
bool ph_scene_contact(const ph_sim *sim, const char *a, const char *b, bool *touch, double *force);
bool ph_scene_speed(const ph_sim *sim, const char *body, double *out); /* [m/s] */

#endif
