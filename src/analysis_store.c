#include "analysis_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Bits of a step: its class in the low two. */
enum { CLASS = 3, KNOWN = 4, EQUAL = 8, CTRL = 16, ERRORS = 32 };
enum { RAN = 1, JUDGED = 2, PREDICATE = 4, CHANGED = 8, WHOLE = 16 };

static uint8_t bits_of(const _Atomic uint8_t *bits, int64_t step) {
  return atomic_load_explicit(&bits[step], memory_order_acquire);
}

static void publish(_Atomic uint8_t *bits, int64_t step, unsigned value) {
  atomic_store_explicit(&bits[step], (uint8_t)value, memory_order_release);
}

/* --- life --- */

ph_status ph_facts_make(ph_facts *facts, int64_t states, const ph_analysis_options *opt) {
  facts->states = states;
  facts->blocks = (states + PH_FACTS_BLOCK - 1) / PH_FACTS_BLOCK;
  facts->tolerance = opt->tolerance;
  facts->bodies = !opt->no_bodies;
  facts->bits = calloc((size_t)states + 1, sizeof *facts->bits);
  facts->block = calloc((size_t)facts->blocks + 1, sizeof *facts->block);
  facts->ratio = calloc((size_t)facts->blocks + 1, sizeof *facts->ratio);
  if (!facts->bits || !facts->block || !facts->ratio)
    return ph_fail(PH_ENOMEM, "analysis: no memory for %lld steps", (long long)states);
  for (int64_t i = 0; i < facts->blocks; i++)
    atomic_init(&facts->ratio[i], NAN);
  return PH_OK;
}

void ph_facts_clear(ph_facts *facts) {
  for (int64_t i = 0; facts->block && i < facts->blocks; i++)
    free(atomic_load_explicit(&facts->block[i], memory_order_relaxed));
  free(facts->ratio);
  free((void *)facts->block);
  free(facts->bits);
}

ph_status ph_run_facts_make(ph_run_facts *facts, int64_t states) {
  size_t n = (size_t)states + 1;
  facts->bits = calloc(n, sizeof *facts->bits);
  facts->flags = calloc(n, sizeof *facts->flags);
  facts->contacts = calloc(n, sizeof *facts->contacts);
  facts->reward = calloc(n, sizeof *facts->reward);
  if (!facts->bits || !facts->flags || !facts->contacts || !facts->reward)
    return ph_fail(PH_ENOMEM, "analysis: no memory for %lld steps", (long long)states);
  return PH_OK;
}

void ph_run_facts_clear(ph_run_facts *facts) {
  free(facts->reward);
  free(facts->contacts);
  free(facts->flags);
  free(facts->bits);
}

/* --- writing --- */

static bool is_body(int m) {
  return m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE;
}

static void pack(ph_fact_errors *to, const ph_difference *d) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    to->max[m] = (float)d->max[m];
    to->worst[m] = (int16_t)(d->worst[m] <= INT16_MAX ? d->worst[m] : -1);
  }
}

/* For a lane: 0 for equal bits alone. */
static double ratio_of(const ph_facts *facts, uint8_t bits, const ph_fact_errors *e) {
  double most = 0;
  if ((bits & CLASS) == PH_BITWISE)
    return 0;
  for (int m = 0; e && m < PH_MEASURE_COUNT; m++)
    if (m != PH_MEASURE_CTRL && e->max[m] > 0)
      most = fmax(most, (double)e->max[m] / facts->tolerance.of[m]);
  if ((bits & CLASS) == PH_DIVERGED && !(most > 1))
    return INFINITY; /* a number that is none */
  return fmax(most, PH_LANE_BITS);
}

static ph_fact_errors *errors_at(const ph_facts *facts, int64_t step) {
  ph_fact_errors *block =
      atomic_load_explicit(&facts->block[step / PH_FACTS_BLOCK], memory_order_relaxed);
  return block ? block + step % PH_FACTS_BLOCK : NULL;
}

ph_status ph_facts_put(ph_facts *facts, int64_t step, const ph_difference *d) {
  unsigned bits = KNOWN | (unsigned)d->cls | (d->equal ? EQUAL : 0) | (d->ctrl_equal ? CTRL : 0);
  int64_t k = step / PH_FACTS_BLOCK;
  if (d->cls != PH_BITWISE) {
    if (!errors_at(facts, step)) {
      ph_fact_errors *block = calloc(PH_FACTS_BLOCK, sizeof *block);
      if (!block)
        return ph_fail(PH_ENOMEM, "analysis: no memory for step %lld", (long long)step);
      atomic_store_explicit(&facts->block[k], block, memory_order_relaxed);
    }
    pack(errors_at(facts, step), d);
    bits |= ERRORS;
  }
  float most = atomic_load_explicit(&facts->ratio[k], memory_order_relaxed);
  float ratio = (float)ratio_of(facts, (uint8_t)bits, errors_at(facts, step));
  publish(facts->bits, step, bits);
  if (!(ratio <= most))
    atomic_store_explicit(&facts->ratio[k], ratio, memory_order_relaxed);
  return PH_OK;
}

bool ph_facts_bitwise(const ph_facts *facts, int64_t step) {
  uint8_t bits = bits_of(facts->bits, step);
  return (bits & KNOWN) && (bits & CLASS) == PH_BITWISE;
}

void ph_run_facts_put(ph_run_facts *facts, int64_t step, const ph_instant *now, size_t contacts,
                      bool changed, bool whole) {
  facts->flags[step] = now->judged ? now->flags : 0;
  facts->reward[step] = now->judged ? now->reward : NAN;
  facts->contacts[step] = (uint16_t)(contacts < UINT16_MAX ? contacts : UINT16_MAX);
  publish(facts->bits, step,
          RAN | (now->judged ? JUDGED : 0u) | (now->judged && now->predicate ? PREDICATE : 0u) |
              (changed ? CHANGED : 0u) | (whole ? WHOLE : 0u));
}

bool ph_run_facts_whole(const ph_run_facts *facts, int64_t step) {
  return bits_of(facts->bits, step) & WHOLE;
}

/* --- reading --- */

static void unpack(const ph_facts *facts, int64_t step, uint8_t bits, float *max, int16_t *worst) {
  const ph_fact_errors *e = bits & ERRORS ? errors_at(facts, step) : NULL;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    float equal = is_body(m) && !facts->bodies ? NAN : 0.0f;
    max[m] = e ? e->max[m] : bits & KNOWN ? equal : NAN;
    worst[m] = e ? e->worst[m] : (int16_t)-1;
  }
}

static void read_one(const ph_analysis *a, int64_t step, ph_step_facts *out) {
  uint8_t freely = bits_of(a->freely.bits, step), single = bits_of(a->single.bits, step);
  uint8_t ran = bits_of(a->ran.bits, step);
  out->free_known = freely & KNOWN;
  out->one_known = single & KNOWN;
  out->free_class = (ph_class)(freely & CLASS);
  out->one_class = (ph_class)(single & CLASS);
  out->free_equal = freely & EQUAL;
  out->one_equal = single & EQUAL;
  out->ctrl_equal = single & KNOWN ? (single & CTRL) != 0 : !(freely & KNOWN) || (freely & CTRL);
  unpack(&a->freely, step, freely, out->free_max, out->free_worst);
  unpack(&a->single, step, single, out->one_max, out->one_worst);
  out->judged = ran & JUDGED;
  out->predicate = ran & PREDICATE;
  out->contacts_changed = ran & CHANGED;
  out->reward = ran ? a->ran.reward[step] : NAN;
  out->flags = ran ? a->ran.flags[step] : 0;
  out->contacts = ran ? a->ran.contacts[step] : 0;
}

ph_status ph_analysis_read(const ph_analysis *a, int64_t first, int64_t n, ph_step_facts *out) {
  if (first < 0 || n < 0 || first > a->states || n > a->states - first)
    return ph_fail(PH_EINVAL, "analysis: %lld steps from %lld on: there are 0..%lld", (long long)n,
                   (long long)first, (long long)a->states - 1);
  if (n > 0)
    memset(out, 0, (size_t)n * sizeof *out);
  for (int64_t i = 0; i < n; i++)
    read_one(a, first + i, &out[i]);
  return PH_OK;
}

static double larger(double most, double ratio) {
  return isnan(most) || ratio > most ? ratio : most;
}

/* Largest of steps from..to-1; NaN: none is known. Whole blocks have theirs at hand. */
static double ratio_within(const ph_facts *facts, int64_t from, int64_t to) {
  double most = NAN;
  while (from < to) {
    if (from % PH_FACTS_BLOCK == 0 && to - from >= PH_FACTS_BLOCK) {
      double ratio =
          atomic_load_explicit(&facts->ratio[from / PH_FACTS_BLOCK], memory_order_relaxed);
      if (!isnan(ratio))
        most = larger(most, ratio);
      from += PH_FACTS_BLOCK;
      continue;
    }
    uint8_t bits = bits_of(facts->bits, from);
    if (bits & KNOWN)
      most =
          larger(most, (float)ratio_of(facts, bits, bits & ERRORS ? errors_at(facts, from) : NULL));
    from++;
  }
  return most;
}

void ph_analysis_lane(const ph_analysis *a, bool one_step, int64_t first, int64_t steps,
                      double *out, size_t n) {
  const ph_facts *facts = one_step ? &a->single : &a->freely;
  bool countable = first >= 0 && steps > 0 && steps <= INT64_MAX / ((int64_t)n + 1) &&
                   first <= INT64_MAX - steps;
  for (size_t k = 0; k < n; k++) {
    out[k] = NAN;
    if (!countable)
      continue;
    int64_t from = first + (int64_t)k * steps / (int64_t)n;
    int64_t to = first + ((int64_t)k + 1) * steps / (int64_t)n;
    to = to > from ? to : from + 1;
    out[k] = ratio_within(facts, from, to < facts->states ? to : facts->states);
  }
}
