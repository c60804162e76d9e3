/* Records two episodes of a simulator of its own, then goes to a step of the second one.
 *   record_rows cart.xml FOLDER
 * The model gives names and sizes; nothing of MuJoCo runs while it records. */
#include <playhead/playhead.h>

#include <stdio.h>

enum { STEPS = 50, CONTROL_STEPS = 5 };

/* The simulator: a cart of 1 kg on a rail. state: time [s], position [m], speed [m/s]. */
static void advance(double state[3], double force, double dt) {
  for (int i = 0; i < CONTROL_STEPS; i++) {
    state[2] += force * dt;
    state[1] += state[2] * dt;
    state[0] += dt;
  }
}

static ph_status record_episode(ph_recorder *rec, uint64_t seed, double dt) {
  double state[3] = {0, 0.1 * (double)seed, 0}, warmstart[1] = {0}, force[1] = {0};
  ph_row row = {.state = state, .warmstart = warmstart, .ctrl = force};
  const double *action = force;
  const int env_id = 0;
  ph_status status = ph_recorder_begin(rec, env_id, seed, NULL, 0, &row);
  for (int t = 1; t <= STEPS && status == PH_OK; t++) {
    force[0] = -4 * state[1] - 2 * state[2];
    advance(state, force[0], dt);
    double reward = -state[1] * state[1];
    uint8_t flags = t == STEPS ? PH_FLAG_TRUNCATED : 0;
    status = ph_recorder_rows(rec, &env_id, 1, &action, NULL, &reward, &flags, &row);
  }
  if (status == PH_OK)
    status = ph_recorder_end(rec, env_id, PH_END_TRUNCATED, -1, "all steps done");
  return status;
}

static ph_status record(const char *model_path, const char *folder) {
  ph_model *model = NULL;
  ph_recorder *rec = NULL;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = CONTROL_STEPS;
  opt.engine = "cart loop"; /* not MuJoCo: nobody may promise the same bits from it */
  ph_status status = ph_model_open(&model, model_path, NULL);
  if (status == PH_OK)
    status = ph_recorder_open(&rec, folder, model, &opt);
  for (uint64_t seed = 1; seed <= 2 && status == PH_OK; seed++)
    status = record_episode(rec, seed, ph_model_timestep(model));
  if (rec) {
    ph_status closed = ph_recorder_close(rec, NULL);
    status = status == PH_OK ? closed : status;
  }
  ph_model_unref(model);
  return status;
}

/* Prints every named number of one state. */
static ph_status show(const char *folder, const char *id, int64_t step) {
  ph_store *store = NULL;
  ph_episode *episode = NULL;
  ph_model *model = NULL;
  ph_replay *replay = NULL;
  ph_status status = ph_store_open(&store, &folder, 1, NULL);
  if (status == PH_OK)
    status = ph_store_episode(&episode, store, ph_store_find(store, id));
  if (status == PH_OK)
    status = ph_store_model(&model, store, ph_episode_meta_of(episode)->model_sha256);
  if (status == PH_OK)
    status = ph_replay_create(&replay, episode, model, NULL);
  if (status == PH_OK)
    status = ph_replay_seek(replay, step, 0, PH_KINEMATIC);
  if (status == PH_OK) {
    size_t n;
    const ph_signal *signals = ph_replay_signals(replay, &n);
    const ph_frame *frame = ph_replay_frame(replay);
    printf("%s step %lld at %.3f s\n", id, (long long)frame->step, frame->time);
    for (size_t i = 0; i < n; i++)
      printf("  %-10s %10.6f %s\n", signals[i].name, frame->values[i], signals[i].unit);
  }
  ph_replay_free(replay);
  ph_model_unref(model);
  ph_episode_free(episode);
  ph_store_free(store);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: record_rows MODEL.xml FOLDER\n");
    return 2;
  }
  if (record(argv[1], argv[2]) != PH_OK || show(argv[2], "env000_ep000001", 50) != PH_OK) {
    fprintf(stderr, "%s\n", ph_error());
    return 1;
  }
  return 0;
}
