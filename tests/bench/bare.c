#include "bare.h"

#include "mj.h"

#include <pthread.h>

static const ph_column outside[] = {PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                                    PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};
enum { OUTSIDE = sizeof outside / sizeof *outside };

void bare_open(struct bare *b, const struct thing *thing) {
  size_t n;
  const ph_edit *edits = ph_episode_edits(thing->episode, &n);
  *b = (struct bare){.thing = thing, .n = thing->meta->actions};
  bench_need(ph_sim_create(&b->sim, thing->model), "sim");
  bench_need(ph_sim_edit(b->sim, edits, n), "edits");
}

void bare_close(struct bare *b) {
  ph_sim_free(b->sim);
}

/* What is in force from outside at a step, into the row; the caller's. */
static void read_outside(const struct thing *thing, int64_t step, void **bytes, ph_row *row) {
  for (int i = 0; i < OUTSIDE; i++) {
    size_t width = ph_schema_width(outside[i], &thing->meta->dims);
    bytes[i] = calloc(width + 1, sizeof(double));
    if (!bytes[i])
      exit(3);
    if (width == 0 || !ph_episode_has(thing->episode, outside[i]))
      continue;
    bench_need(ph_episode_read(thing->episode, outside[i], step, 1, bytes[i]), "read");
    ph_row_set_column(row, outside[i], bytes[i]);
  }
}

/* It has to come to what was recorded, bit for bit. */
static void *bare_loop(void *arg) {
  const struct bare *b = arg;
  const struct thing *thing = b->thing;
  ph_sim *sim = b->sim;
  size_t nu = (size_t)sim->m->nu, width = (size_t)ph_mj_width(sim->m, PH_COL_STATES);
  ph_row row = {.state = thing->state + (size_t)b->first * width,
                .warmstart = thing->warmstart + (size_t)b->first * (size_t)sim->m->nv,
                .ctrl = thing->ctrl + (size_t)b->first * nu};
  void *bytes[OUTSIDE];
  read_outside(thing, b->first, bytes, &row);
  bench_need(ph_sim_set_row(sim, &row), "row");
  for (int i = 0; i < OUTSIDE; i++)
    free(bytes[i]);
  for (int64_t t = b->first; t < b->first + b->n; t++) {
    memcpy(sim->d->ctrl, thing->ctrl + (size_t)(t + 1) * nu, nu * sizeof(double));
    for (int k = 0; k < thing->meta->dims.control_steps; k++)
      mj_step(sim->m, sim->d);
    ph_mj_pure_forward(sim->m, sim->d, sim->scratch);
  }
  bench_need(ph_sim_get_row(sim, &row), "row");
  if (memcmp(row.state, thing->state + (size_t)(b->first + b->n) * width, 8 * width) != 0) {
    fprintf(stderr, "%s: the bare loop of the %s is not what was recorded\n",
            program_invocation_short_name, thing->name);
    exit(3);
  }
  return NULL;
}

double bare_threads(struct bare *bare, int n) {
  pthread_t threads[THREADS_MAX];
  double begun = bench_now();
  for (int i = 0; i < n; i++) {
    bare[i].first = i * bare[i].thing->meta->actions / n;
    bare[i].n = (i + 1) * bare[i].thing->meta->actions / n - bare[i].first;
    if (pthread_create(&threads[i], NULL, bare_loop, &bare[i]) != 0)
      exit(3);
  }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  return bench_now() - begun;
}

int bench_cores(void) {
  cpu_set_t processors;
  int n = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
  return n < 1 ? 1 : n < THREADS_MAX ? n : THREADS_MAX;
}

double bare_cpu(struct bare *bare) {
  double used = bench_cpu();
  bare_threads(bare, 1);
  return bench_cpu() - used;
}
