/* Kinematic seek against its own floor: `pread` of the row's columns and a pure forward. Both run
 * interleaved in one process; medians are compared. Two lengths must cost the same.
 * Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "mj.h"
#include "mjcf.h"
#include "sink.h"

#include "bench.h"

#include <fcntl.h>

enum { SEEKS = 3000, ROUNDS = 5 };

static const char model_xml[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 1'><freejoint/><geom size='.1'/>"
    "<body pos='0 0 .2'><joint type='ball'/><geom type='capsule' fromto='0 0 0 0 0 .3' size='.04'/>"
    "<body pos='0 0 .3'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 "
    ".3' "
    "size='.04'/><body pos='0 0 .3'><joint type='hinge' axis='1 0 0'/><geom type='capsule' "
    "fromto='0 0 0 0 0 .3' size='.04'/></body></body></body></body></worldbody></mujoco>";

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
  bench_need(ph_recorder_open(&rec, dir, model, &opt), "open");
  bench_need(ph_sim_create(&sim, model), "sim");
  bench_need(ph_sim_get_row(sim, &row), "row");
  bench_need(ph_recorder_begin(rec, 0, 1, NULL, 0, &row), "begin");
  for (int64_t t = 0; t < n; t++) {
    bool warned;
    if (t < 1000)
      bench_need(ph_sim_step(sim, action, 10, &warned), "step");
    bench_need(ph_sim_get_row(sim, &row), "row");
    bench_need(ph_recorder_rows(rec, &env, 1, &actions, NULL, &reward, &flags, &row), "rows");
  }
  bench_need(ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, ""), "end");
  bench_need(ph_recorder_close(rec, NULL), "close");
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
  bench_need(ph_store_open(&b->store, paths, 1, NULL), "store");
  bench_need(ph_store_episode(&b->episode, b->store, 0), "episode");
  const ph_episode_meta *meta = ph_episode_meta_of(b->episode);
  bench_need(ph_store_model(&b->model, b->store, meta->model_sha256), "model");
  bench_need(ph_replay_create(&b->replay, b->episode, b->model, NULL), "replay");
  bench_need(ph_sim_create(&b->bare, b->model), "bare");
  b->states = meta->states;
  b->fd = open(meta->file, O_RDONLY);
  b->size = lseek(b->fd, 0, SEEK_END);
  b->bytes = calloc(4096, sizeof *b->bytes);
  for (int64_t t = 0; t < b->states; t++) /* warm: every block verified */
    if (t % PH_CRC_BLOCK_ROWS == 0 || t == b->states - 1)
      bench_need(ph_replay_seek(b->replay, t, 0, PH_KINEMATIC), "warm");
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
  bench_need(ph_sim_set_row(sim, &row), "set");
  bench_need(ph_sim_forward(sim), "forward");
}

static void measure(struct bench *b, double *ours, double *floor_time, int *n) {
  unsigned random = 12345;
  for (int i = 0; i < SEEKS; i++) {
    int64_t step = bench_random(&random, b->states);
    double t0 = bench_now();
    bench_need(ph_replay_seek(b->replay, step, 0, PH_KINEMATIC), "seek");
    double t1 = bench_now();
    bare_seek(b, step);
    double t2 = bench_now();
    ours[*n] = t1 - t0;
    floor_time[(*n)++] = t2 - t1;
  }
}

int main(void) {
  static double ours[2][SEEKS * ROUNDS], bare[2][SEEKS * ROUNDS];
  int n[2] = {0, 0}, missed = 0;
  const int64_t actions[2] = {1000, 1000000};
  char root[300], dir[2][400];
  ph_source *source = NULL;
  ph_model *model = NULL;
  struct bench bench[2];
  bench_folder(root, sizeof root);
  bench_need(ph_mjcf_parse(&source, model_xml, strlen(model_xml), "bench.xml"), "parse");
  bench_need(ph_model_from_source(&model, source, NULL, NULL), "model");
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
    p50[k] = bench_quantile(ours[k], n[k], 0.5);
    double floor50 = bench_quantile(bare[k], n[k], 0.5), p99 = bench_quantile(ours[k], n[k], 0.99);
    double ratio = p50[k] / floor50, tail = p99 / p50[k];
    double floor99 = bench_quantile(bare[k], n[k], 0.99);
    bench_begin("kinematic_seek");
    bench_whole("steps", actions[k]);
    bool slow = bench_at_most(ratio, 1.25);
    bench_number("p50_us", 1e6 * p50[k], 2);
    bench_number("floor_p50_us", 1e6 * floor50, 2);
    bench_number("p99_over_p50", tail, 2);
    bench_number("tail_goal", 4, 0);
    bench_number("floor_p99_us", 1e6 * floor99, 2);
    bench_end();
    /* A tail that the floor has too is the machine's. */
    missed += slow || (tail > 4 && p99 > 1.5 * floor99);
    relative[k] = ratio;
    close_bench(&bench[k]);
  }
  /* Each against its own floor: random rows of 500 MB miss the processor's caches in both. */
  bench_begin("seek_length");
  missed += bench_at_most(relative[1] / relative[0], 1.2);
  bench_number("p50_ratio", p50[1] / p50[0], 3);
  bench_end();
  ph_model_unref(model);
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
