#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "fail.h"

enum { CHUNK = 1024 };

bool ph_fact_bad(const ph_step_facts *fact) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (m != PH_MEASURE_CTRL && !(fact->one_max[m] < PH_ROUNDING_ERROR) && !isnan(fact->one_max[m]))
      return true;
  return fact->one_class == PH_DIVERGED;
}

static bool run_bad(const ph_step_facts *fact) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (m != PH_MEASURE_CTRL && fact->free_max[m] >= PH_ROUNDING_ERROR)
      return true;
  return fact->free_class == PH_DIVERGED;
}

/* No number at all: the step came to no state. */
static bool stopped(const ph_step_facts *fact) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (!isnan(fact->one_max[m]))
      return false;
  return fact->one_class == PH_DIVERGED;
}

/* --- counting --- */

struct gather {
  ph_evidence *out;
  int64_t states;
  int64_t loose; /* known, neither equal nor bad */
  /* second round: the k-th of each sort is taken where k reaches its next share */
  int64_t seen, seen_all;
};

static void count(struct gather *g, int64_t state, const ph_step_facts *fact) {
  ph_evidence *out = g->out;
  if (fact->free_known && !out->run_apart && run_bad(fact)) {
    out->run_apart = true;
    out->run_first = state;
  }
  out->run_known = out->run_known || fact->free_known;
  if (!fact->one_known) {
    if (state > 0 && out->ngaps < PH_SPIKES)
      out->gap[out->ngaps++] = state;
    return;
  }
  bool bad = ph_fact_bad(fact);
  out->transitions++;
  out->last = state;
  out->equal += fact->one_equal;
  out->bad += bad;
  if (bad)
    out->bad_first = out->bad_first ? out->bad_first : state, out->bad_last = state;
  if (!fact->one_equal)
    out->unequal_first = out->unequal_first ? out->unequal_first : state, out->unequal_last = state;
  if (stopped(fact) && out->stopped++ < PH_SPIKES)
    out->stop[out->nstops++] = state;
  g->loose += !bad && !fact->one_equal;
  if (bad && out->nspikes < PH_SPIKES)
    out->spike[out->nspikes++] = state;
}

/* --- choosing --- */

/* Whether the k-th of n is one of `most` that are evenly spread over them. */
static bool share(int64_t k, int64_t n, int64_t most) {
  return n <= most || k * most / n != (k + 1) * most / n;
}

/* At the ends another offset has no action of its own. */
static bool at_end(const struct gather *g, int64_t state) {
  return g->states > 8 && (state < 2 || state > g->states - 2);
}

static void choose(struct gather *g, int64_t state, const ph_step_facts *fact) {
  ph_evidence *out = g->out;
  if (!fact->one_known)
    return;
  bool bad = ph_fact_bad(fact), wanted = out->bad > 0 ? bad : !fact->one_equal;
  int64_t sort = out->bad > 0 ? out->bad : g->loose;
  ph_pick pick = {.step = state - 1, .bad = bad};
  if (share(g->seen_all++, out->transitions, PH_CHECKS) && out->nchecks < PH_CHECKS &&
      !at_end(g, state))
    out->check[out->nchecks++] = pick;
  if (wanted && share(g->seen++, sort, PH_CANDIDATES) && out->ncandidates < PH_CANDIDATES &&
      (!at_end(g, state) || sort <= 2))
    out->candidate[out->ncandidates++] = pick;
}

static ph_status walk(struct gather *g, const ph_analysis *a,
                      void (*each)(struct gather *, int64_t, const ph_step_facts *)) {
  ph_step_facts *facts = malloc(CHUNK * sizeof *facts);
  ph_status status = facts ? PH_OK : ph_fail(PH_ENOMEM, "diagnosis: no memory");
  for (int64_t first = 0; status == PH_OK && first < g->states; first += CHUNK) {
    int64_t n = g->states - first < CHUNK ? g->states - first : CHUNK;
    status = ph_analysis_read(a, first, n, facts);
    for (int64_t i = 0; status == PH_OK && i < n; i++)
      each(g, first + i, &facts[i]);
  }
  free(facts);
  return status;
}

bool ph_evidence_regime(const ph_evidence *e) {
  int64_t span = e->bad_last - e->bad_first + 1, outside = e->transitions - span;
  return e->bad >= 5 && e->bad * 4 >= span * 3 && outside >= 5 && outside * 10 >= e->transitions;
}

int64_t ph_evidence_worst(const ph_evidence *e, const ph_tolerance *tolerance) {
  int64_t step = -1;
  double worst = 0;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    double of = tolerance->of[m] > 0 ? tolerance->of[m] : 1e-3, ratio = e->sum.one_max[m] / of;
    bool body = m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE;
    if (m != PH_MEASURE_CTRL && !body && ratio > worst)
      worst = ratio, step = e->sum.one_max_step[m];
  }
  return step;
}

ph_status ph_evidence_gather(ph_evidence *out, const ph_analysis *a) {
  struct gather g = {.out = out};
  ph_analysis_progress progress;
  memset(out, 0, sizeof *out);
  ph_analysis_look(a, &progress);
  ph_analysis_sum(a, &out->sum);
  g.states = progress.states;
  ph_status status = walk(&g, a, count);
  if (status == PH_OK)
    status = walk(&g, a, choose);
  out->first_alone = out->bad == 1 && out->spike[0] == 1 && out->transitions > 1;
  return status;
}
