/* The whole of the rows API: several envs of a simulator of its own, episodes of different lengths,
 * one that is dropped, a snapshot of what runs, a tally at the end.
 *   rows_many_envs cart.xml FOLDER SNAPSHOT.h5 [append]
 * With `append` it goes on with the run in FOLDER, which must be of the same model. */
#include <playhead/playhead.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ENVS = 4, STEPS = 120, CONTROL_STEPS = 5 };

/* A cart of 1 kg on a rail: time [s], position [m], speed [m/s]. */
typedef struct cart {
  double state[3], warmstart[1], force[1];
  int left; /* steps to the end of its episode */
} cart;

static void advance(cart *c, double dt) {
  c->force[0] = -4 * c->state[1] - 2 * c->state[2];
  for (int i = 0; i < CONTROL_STEPS; i++) {
    c->state[2] += c->force[0] * dt;
    c->state[1] += c->state[2] * dt;
    c->state[0] += dt;
  }
}

/* Pointers into the cart: the recorder copies what they point to. */
static ph_row row_of(const cart *c) {
  ph_row row = {.state = c->state, .warmstart = c->warmstart, .ctrl = c->force};
  return row;
}

/* The number that the episode will have is known before it begins: a seed can be made of it. */
static ph_status begin(ph_recorder *rec, cart *c, int env_id) {
  uint64_t seed = (uint64_t)(100 * env_id) + (uint64_t)ph_recorder_next_episode(rec, env_id);
  *c = (cart){.state = {0, 0.1 * (double)(seed % 7 + 1), 0}, .left = 20 + 10 * env_id};
  ph_row row = row_of(c);
  return ph_recorder_begin(rec, env_id, seed, NULL, 0, &row);
}

/* One step of the envs whose turn it is, in one call; episodes that are over make room for the next
 * ones. Env 3 is only asked every other time: envs need not keep pace. */
static ph_status step(ph_recorder *rec, cart *carts, double dt, int t) {
  int env_ids[ENVS];
  const double *action[ENVS];
  double reward[ENVS];
  uint8_t flags[ENVS];
  ph_row row[ENVS];
  size_t n = 0;
  for (int e = 0; e < ENVS; e++) {
    if (e == 3 && t % 2 == 1)
      continue;
    cart *c = &carts[e];
    advance(c, dt);
    c->left--;
    env_ids[n] = e;
    action[n] = c->force;
    reward[n] = -c->state[1] * c->state[1];
    flags[n] = c->left == 0 ? PH_FLAG_TRUNCATED : 0;
    row[n++] = row_of(c);
  }
  ph_status status = ph_recorder_rows(rec, env_ids, n, action, NULL, reward, flags, row);
  for (size_t i = 0; i < n && status == PH_OK; i++) {
    int e = env_ids[i];
    if (carts[e].left > 0)
      continue;
    status = ph_recorder_end(rec, e, PH_END_TRUNCATED, -1, "all steps done");
    if (status == PH_OK || status == PH_EIO) /* EIO: its rows are kept and tried again */
      status = begin(rec, &carts[e], e);
  }
  return status;
}

/* What runs in envs 1 and 2 now, as a dataset of its own; recording goes on. */
static ph_status snapshot(ph_recorder *rec, const char *path) {
  const int env_ids[] = {1, 2};
  return ph_recorder_save_trajectory(rec, path, env_ids, 2);
}

static ph_status run(ph_recorder *rec, double dt, const char *snapshot_path) {
  cart carts[ENVS];
  ph_status status = PH_OK;
  for (int e = 0; e < ENVS && status == PH_OK; e++)
    status = begin(rec, &carts[e], e);
  for (int t = 0; t < STEPS && status == PH_OK; t++) {
    status = step(rec, carts, dt, t);
    if (status == PH_OK && t == STEPS / 2)
      status = snapshot(rec, snapshot_path);
  }
  if (status == PH_OK)
    status = ph_recorder_discard(rec, 0); /* not wanted; its number is not used again */
  return status;                          /* the others are saved as `aborted` by close */
}

static void warn(void *user, const char *line) {
  (void)user;
  fprintf(stderr, "warning: %s\n", line);
}

static void print_tally(const ph_tally *tally) {
  printf("%" PRId64 " begun = %" PRId64 " saved + %" PRId64 " dropped; %" PRId64 " steps\n",
         tally->resets, tally->commits, tally->discards, tally->steps);
  for (int end = 0; end < PH_END_COUNT; end++)
    if (tally->by_end[end] > 0)
      printf("  %s: %" PRId64 "\n", ph_end_name((ph_end)end), tally->by_end[end]);
}

int main(int argc, char **argv) {
  bool append = argc == 5 && strcmp(argv[4], "append") == 0;
  if (argc != 4 && !append) {
    fprintf(stderr, "usage: rows_many_envs MODEL.xml FOLDER SNAPSHOT.h5 [append]\n");
    return 2;
  }
  ph_model *model = NULL;
  ph_recorder *rec = NULL;
  ph_tally tally;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = CONTROL_STEPS;
  opt.env_name = "carts";
  opt.engine = "cart loop";
  opt.existing = append ? PH_EXISTING_APPEND : PH_EXISTING_REFUSE;
  opt.warn = warn;
  ph_status status = ph_model_open(&model, argv[1], NULL);
  if (status == PH_OK)
    status = ph_recorder_open(&rec, argv[2], model, &opt);
  if (status == PH_OK)
    status = run(rec, ph_model_timestep(model), argv[3]);
  if (status != PH_OK)
    fprintf(stderr, "%s\n", ph_error());
  if (rec) {
    ph_status closed = ph_recorder_close(rec, &tally);
    if (closed != PH_OK)
      fprintf(stderr, "%s\n", ph_error());
    else
      print_tally(&tally);
    status = status == PH_OK ? closed : status;
  }
  ph_model_unref(model);
  return status != PH_OK;
}
