/* Kinematic seek against its own floor: `pread` of the row's columns and a pure forward. Both run
 * interleaved in one process; medians are compared. Two lengths must cost the same.
 * Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "mj.h"
#include "mjcf.h"
#include "sink.h"

#include <playhead/playhead.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SEEKS = 3000, ROUNDS = 5 };

static const char model_xml[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 1'><freejoint/><geom size='.1'/>"
    "<body pos='0 0 .2'><joint type='ball'/><geom type='capsule' fromto='0 0 0 0 0 .3' size='.04'/>"
    "<body pos='0 0 .3'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 "
    ".3' "
    "size='.04'/><body pos='0 0 .3'><joint type='hinge' axis='1 0 0'/><geom type='capsule' "
    "fromto='0 0 0 0 0 .3' size='.04'/></body></body></body></body></worldbody></mujoco>";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *times, int n, double q) {
  qsort(times, (size_t)n, sizeof *times, compare);
  return times[(int)(q * (n - 1))];
}

static void need(ph_status status, const char *what) {
  if (status == PH_OK)
    return;
  fprintf(stderr, "bench_seek: %s: %s\n", what, ph_error());
  exit(3);
}

/* Writes an episode of n actions by repeating one short rollout. */
static void write_run(const char *dir, const ph_model *model, int64_t n) {
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 10;
  ph_recorder *rec = NULL;
  ph_sim *sim = NULL;
  ph_row row;
  double action[1] = {0}, reward = 0;
  const double *actions = action;
  uint8_t flags = 0;
  int env = 0;
  need(ph_recorder_open(&rec, dir, model, &opt), "open");
  need(ph_sim_create(&sim, model), "sim");
  need(ph_sim_get_row(sim, &row), "row");
  need(ph_recorder_begin(rec, 0, 1, NULL, 0, &row), "begin");
  for (int64_t t = 0; t < n; t++) {
    bool warned;
    if (t < 1000)
      need(ph_sim_step(sim, action, 10, &warned), "step");
    need(ph_sim_get_row(sim, &row), "row");
    need(ph_recorder_rows(rec, &env, 1, &actions, NULL, &reward, &flags, &row), "rows");
  }
  need(ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, ""), "end");
  need(ph_recorder_close(rec, NULL), "close");
  ph_sim_free(sim);
}

struct bench {
  ph_store *store;
  ph_episode *episode;
  ph_model *model;
  ph_replay *replay;
  ph_sim *bare;
  int fd;
  int64_t states;
  off_t size;
  double *bytes;
};

static void open_bench(struct bench *b, const char *dir) {
  const char *paths[] = {dir};
  need(ph_store_open(&b->store, paths, 1, NULL), "store");
  need(ph_store_episode(&b->episode, b->store, 0), "episode");
  const ph_episode_meta *meta = ph_episode_meta_of(b->episode);
  need(ph_store_model(&b->model, b->store, meta->model_sha256), "model");
  need(ph_replay_create(&b->replay, b->episode, b->model, NULL), "replay");
  need(ph_sim_create(&b->bare, b->model), "bare");
  b->states = meta->states;
  b->fd = open(meta->file, O_RDONLY);
  b->size = lseek(b->fd, 0, SEEK_END);
  b->bytes = calloc(4096, sizeof *b->bytes);
  for (int64_t t = 0; t < b->states; t++) /* warm: every block verified */
    if (t % PH_CRC_BLOCK_ROWS == 0 || t == b->states - 1)
      need(ph_replay_seek(b->replay, t, 0, PH_KINEMATIC), "warm");
}

static void close_bench(struct bench *b) {
  close(b->fd);
  free(b->bytes);
  ph_sim_free(b->bare);
  ph_replay_free(b->replay);
  ph_model_unref(b->model);
  ph_episode_free(b->episode);
  ph_store_free(b->store);
}

/* The floor: as many bytes by one pread per stored column, the row written, a pure forward. */
static void bare_seek(struct bench *b, int64_t step) {
  struct ph_sim *sim = b->bare;
  const ph_dims *dims = &ph_episode_meta_of(b->episode)->dims;
  ph_row row = {0};
  for (int col = 0; col < PH_COL_COUNT; col++) {
    size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    if (!ph_episode_has(b->episode, col) || col == PH_COL_FINAL_STATE || size == 0)
      continue;
    off_t spread = (off_t)((double)step / (double)b->states * (double)(b->size - 8192));
    if (pread(b->fd, b->bytes, size, spread) < 0)
      exit(3);
  }
  const ph_frame *frame = ph_replay_frame(b->replay);
  row = frame->row;
  need(ph_sim_set_row(sim, &row), "set");
  need(ph_sim_forward(sim), "forward");
}

static void measure(struct bench *b, double *ours, double *floor_time, int *n) {
  unsigned random = 12345;
  for (int i = 0; i < SEEKS; i++) {
    random = random * 1664525u + 1013904223u;
    int64_t step = (int64_t)((double)random / 4294967296.0 * (double)b->states);
    double t0 = now();
    need(ph_replay_seek(b->replay, step, 0, PH_KINEMATIC), "seek");
    double t1 = now();
    bare_seek(b, step);
    double t2 = now();
    ours[*n] = t1 - t0;
    floor_time[(*n)++] = t2 - t1;
  }
}

int main(void) {
  static double ours[2][SEEKS * ROUNDS], bare[2][SEEKS * ROUNDS];
  int n[2] = {0, 0}, missed = 0;
  const int64_t actions[2] = {1000, 1000000};
  char root[] = "/tmp/playhead-bench-XXXXXX", dir[2][80], command[120];
  ph_source *source = NULL;
  ph_model *model = NULL;
  struct bench bench[2];
  if (!mkdtemp(root))
    return 3;
  need(ph_mjcf_parse(&source, model_xml, strlen(model_xml), "bench.xml"), "parse");
  need(ph_model_from_source(&model, source, NULL, NULL), "model");
  for (int k = 0; k < 2; k++) {
    snprintf(dir[k], sizeof dir[k], "%s/%d", root, k);
    write_run(dir[k], model, actions[k]);
    open_bench(&bench[k], dir[k]);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < 2; k++)
      measure(&bench[k], ours[k], bare[k], &n[k]);
  double p50[2], relative[2];
  for (int k = 0; k < 2; k++) {
    p50[k] = quantile(ours[k], n[k], 0.5);
    double floor50 = quantile(bare[k], n[k], 0.5), p99 = quantile(ours[k], n[k], 0.99);
    double ratio = p50[k] / floor50, tail = p99 / p50[k];
    double floor99 = quantile(bare[k], n[k], 0.99);
    printf("{\"bench\":\"kinematic_seek\",\"steps\":%lld,\"p50_us\":%.2f,\"floor_p50_us\":%.2f,"
           "\"ratio\":%.3f,\"goal\":1.25,\"p99_over_p50\":%.2f,\"tail_goal\":4,"
           "\"floor_p99_us\":%.2f}\n",
           (long long)actions[k], 1e6 * p50[k], 1e6 * floor50, ratio, tail, 1e6 * floor99);
    /* A tail that the floor has too is the machine's. */
    missed += ratio > 1.25 || (tail > 4 && p99 > 1.5 * floor99);
    relative[k] = ratio;
    close_bench(&bench[k]);
  }
  /* Each against its own floor: random rows of 500 MB miss the processor's caches in both. */
  printf("{\"bench\":\"seek_length\",\"ratio\":%.3f,\"goal\":1.2,\"p50_ratio\":%.3f}\n",
         relative[1] / relative[0], p50[1] / p50[0]);
  missed += relative[1] / relative[0] > 1.2;
  ph_model_unref(model);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command) || missed ? 1 : 0;
}
