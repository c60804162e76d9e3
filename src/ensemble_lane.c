#include "ensemble_parts.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"

/* --- what is kept --- */

/* Bin b has steps b * states / bins .. (b + 1) * states / bins - 1. */
static int64_t bin_of(const ph_member *m, int64_t step) {
  return (int64_t)(((__int128)(step + 1) * m->bins - 1) / m->env.states);
}

ph_status ph_member_keep_lane(ph_member *m, const ph_analysis *a) {
  int64_t n = m->env.states < PH_ENSEMBLE_BINS ? m->env.states : PH_ENSEMBLE_BINS;
  double *lane = malloc((size_t)n * sizeof *lane);
  float *bin = malloc((size_t)n * sizeof *bin);
  if (lane && bin) {
    ph_analysis_lane(a, false, 0, m->env.states, lane, (size_t)n);
    for (int64_t b = 0; b < n; b++)
      bin[b] = (float)lane[b];
    m->bin = bin;
    m->bins = n;
  } else {
    free(bin);
  }
  free(lane);
  return m->bin ? PH_OK : ph_fail(PH_ENOMEM, "envs: no memory to keep the lane");
}

/* Largest of what is known. */
static double most_kept(const ph_member *m, int64_t first, int64_t end) {
  double most = NAN;
  for (int64_t b = bin_of(m, first); b <= bin_of(m, end - 1); b++)
    most = isnan(most) || m->bin[b] > most ? (double)m->bin[b] : most;
  return most;
}

/* --- asked for --- */

/* Over steps first .. end-1. The member's lock is held. */
static double most_within(const ph_member *m, int64_t first, int64_t end) {
  double most = NAN;
  if (m->analysis)
    ph_analysis_lane(m->analysis, false, first, end - first, &most, 1);
  else if (m->bin)
    most = most_kept(m, first, end);
  return most;
}

static double value_of(const ph_ensemble *e, const ph_member *m, int64_t from, int64_t to) {
  int64_t first = ph_member_wanted(e, m, from), end = ph_member_wanted(e, m, to);
  end = end > first ? end : first + 1;
  first = first > 0 ? first : 0;
  end = end < m->env.states ? end : m->env.states;
  return first < end ? most_within(m, first, end) : PH_LANE_NONE;
}

void ph_ensemble_lane(const ph_ensemble *e, size_t i, int64_t first, int64_t steps, double *out,
                      size_t n) {
  bool countable = steps > 0 && steps <= INT64_MAX / ((int64_t)n + 1) && first >= -INT64_MAX / 4 &&
                   first <= INT64_MAX / 4 && steps <= INT64_MAX / 4;
  ph_member *m = i < e->n ? &e->member[i] : NULL;
  for (size_t k = 0; k < n; k++)
    out[k] = PH_LANE_NONE;
  if (!m || !countable || m->env.reason[0] || m->env.refused[0])
    return;
  pthread_mutex_lock(&m->lock);
  bool refused = m->result.ended && !m->result.ran && m->result.status != PH_ECANCELED;
  for (size_t k = 0; k < n && !refused; k++) {
    int64_t from = first + (int64_t)k * steps / (int64_t)n;
    int64_t to = first + ((int64_t)k + 1) * steps / (int64_t)n;
    out[k] = value_of(e, m, from, to > from ? to : from + 1);
  }
  pthread_mutex_unlock(&m->lock);
}
