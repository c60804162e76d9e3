/* Records from a plain mj_step loop of its own: mjModel, mjData and the loop are the program's, and
 * the recorder gets arrays.
 *   record_mj_loop puppet.xml FOLDER
 * So that a replay may give the same bits, a row is taken right after mj_step and before any
 * mj_forward, which changes qacc_warmstart and quaternions; and what the next step will see besides
 * ctrl (mocap bodies, applied forces) is set before the row is taken. */
#include <playhead/playhead.h>

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, CONTROL_STEPS = 5 };

/* The part of a row that mjData has not in one piece: time|qpos|qvel|act. */
static void pack_state(const mjModel *m, const mjData *d, double *state) {
  state[0] = d->time;
  memcpy(state + 1, d->qpos, (size_t)m->nq * sizeof *state);
  memcpy(state + 1 + m->nq, d->qvel, (size_t)m->nv * sizeof *state);
  if (m->na > 0)
    memcpy(state + 1 + m->nq + m->nv, d->act, (size_t)m->na * sizeof *state);
}

/* All else is where MuJoCo keeps it. */
static ph_row row_of(const mjModel *m, const mjData *d, double *state) {
  pack_state(m, d, state);
  ph_row row = {.state = state,
                .warmstart = d->qacc_warmstart,
                .ctrl = d->ctrl,
                .mocap_pos = d->mocap_pos,
                .mocap_quat = d->mocap_quat,
                .xfrc_applied = d->xfrc_applied};
  return row;
}

/* What the step from here will see. */
static void disturb(const mjModel *m, mjData *d, int t) {
  int hand = mj_name2id(m, mjOBJ_BODY, "hand");
  d->mocap_pos[0] = 0.25 * sin(0.05 * t);
  d->mocap_pos[2] = 0.3 + 0.05 * cos(0.03 * t);
  d->xfrc_applied[6 * hand + 1] = t % 50 < 10 ? 2 : 0; /* [N] */
}

static ph_status record_episode(ph_recorder *rec, const mjModel *m, mjData *d, double *state,
                                uint64_t seed) {
  double action[1];
  const double *actions = action;
  const int env_id = 0;
  mj_resetData(m, d); /* warmstart and forces too: nothing is left of the episode before */
  d->qpos[7] = 0.1 * (double)seed;
  disturb(m, d, 0);
  ph_row row = row_of(m, d, state);
  ph_status status = ph_recorder_begin(rec, env_id, seed, NULL, 0, &row);
  for (int t = 0; t < STEPS && status == PH_OK; t++) {
    action[0] = sin(0.07 * t + (double)seed);
    d->ctrl[0] = action[0];
    for (int i = 0; i < CONTROL_STEPS; i++)
      mj_step(m, d);
    disturb(m, d, t + 1);
    double reward = -fabs(d->qpos[7]);
    uint8_t flags = t == STEPS - 1 ? PH_FLAG_TRUNCATED : 0;
    row = row_of(m, d, state);
    status = ph_recorder_rows(rec, &env_id, 1, &actions, NULL, &reward, &flags, &row);
  }
  if (status == PH_OK)
    status = ph_recorder_end(rec, env_id, PH_END_TRUNCATED, -1, "all steps done");
  return status;
}

static ph_status record(const char *model_path, const char *folder, const mjModel *m, mjData *d) {
  ph_model *model = NULL; /* what is stored: the text and its files */
  ph_recorder *rec = NULL;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT; /* engine "mujoco", recipe "step" */
  opt.control_steps = CONTROL_STEPS;
  double *state = malloc((size_t)(1 + m->nq + m->nv + m->na) * sizeof *state);
  ph_status status = state ? ph_model_open(&model, model_path, NULL) : PH_ENOMEM;
  if (status == PH_OK)
    status = ph_recorder_open(&rec, folder, model, &opt);
  for (uint64_t seed = 0; seed < 3 && status == PH_OK; seed++)
    status = record_episode(rec, m, d, state, seed);
  if (rec) {
    ph_status closed = ph_recorder_close(rec, NULL);
    status = status == PH_OK ? closed : status;
  }
  ph_model_unref(model);
  free(state);
  return status;
}

int main(int argc, char **argv) {
  char error[500] = "no memory";
  if (argc != 3) {
    fprintf(stderr, "usage: record_mj_loop MODEL.xml FOLDER\n");
    return 2;
  }
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  mjData *d = m ? mj_makeData(m) : NULL;
  if (!d) {
    fprintf(stderr, "%s: %s\n", argv[1], error);
    return 1;
  }
  ph_status status = record(argv[1], argv[2], m, d);
  if (status != PH_OK)
    fprintf(stderr, "%s\n", ph_error());
  mj_deleteData(d);
  mj_deleteModel(m);
  return status != PH_OK;
}
