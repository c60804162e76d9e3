#include "diagnosis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "rerun_parts.h"

enum { FEW = 4, PAIR = 2, KEPT = 6 };

/* --- the search --- */

/* Ways that were tried, the best first. */
struct board {
  ph_trial top[KEPT];
  int n;
};

static bool same_variant(const ph_variant *x, const ph_variant *y) {
  return x->shift == y->shift && x->control_steps == y->control_steps && x->recipe == y->recipe &&
         x->cold == y->cold && x->timestep == y->timestep;
}

/* What is as good as another stays behind it: the file's own way is tried first. */
static void enter(struct board *board, const ph_trial *trial) {
  int at = board->n;
  for (int i = 0; i < board->n; i++)
    if (same_variant(&board->top[i].variant, &trial->variant))
      return;
  while (at > 0 && ph_trial_better(trial, &board->top[at - 1]))
    at--;
  if (at >= KEPT)
    return;
  int last = board->n < KEPT ? board->n++ : KEPT - 1;
  memmove(&board->top[at + 1], &board->top[at], (size_t)(last - at) * sizeof *board->top);
  board->top[at] = *trial;
}

struct search {
  ph_bench *bench;
  ph_variant as_is;
  ph_pick probe[PH_PROBES];
  size_t nprobes;
  struct board board;
};

static ph_status try_on(struct search *s, struct board *board, const ph_variant *v, size_t n) {
  ph_trial trial;
  ph_status status = ph_bench_try(s->bench, v, s->probe, n < s->nprobes ? n : s->nprobes, &trial);
  if (status == PH_OK && trial.n > 0)
    enter(board, &trial);
  return status;
}

/* All but one in four come back. */
static bool explains(const ph_trial *t) {
  return t->n > 0 && t->fits * 4 >= t->n * 3;
}

static bool found(const struct search *s) {
  return s->board.n > 0 && explains(&s->board.top[0]);
}

/* All but one in four have the bits. */
static bool exact(const struct search *s) {
  return s->board.n > 0 && s->board.top[0].same * 4 >= s->board.top[0].n * 3;
}

/* Small beside the tolerance: what is left when digits or a warmstart are lost. */
static bool small(const ph_trial *t) {
  return t->n > 0 && t->median <= 0.05;
}

/* Whether the file's own way is not far off. */
static bool nearly(const struct search *s) {
  for (int i = 0; i < s->board.n; i++)
    if (same_variant(&s->board.top[i].variant, &s->as_is))
      return small(&s->board.top[i]);
  return false;
}

static const int shifts[] = {0, -1, 1};

/* Other offsets, with as many substeps as the file and as its times say. */
static ph_status try_offsets(struct search *s) {
  ph_status status = PH_OK;
  for (int d = 0; d < 2 && status == PH_OK; d++)
    for (int i = 0; i < 3 && status == PH_OK; i++) {
      ph_variant v = s->as_is;
      v.shift = shifts[i];
      v.control_steps = d == 0 ? v.control_steps : s->bench->implied;
      if (d == 0 || (v.control_steps > 0 && v.control_steps != s->as_is.control_steps))
        status = try_on(s, &s->board, &v, FEW);
    }
  return status;
}

/* One transition rules most ways out; the others are tried on a second. */
static ph_status try_quickly(struct search *s, struct board *board, const ph_variant *v) {
  ph_trial trial;
  ph_status status = ph_bench_try(s->bench, v, s->probe, 1, &trial);
  if (status != PH_OK)
    return status;
  if (board->n == KEPT && trial.fits == 0 && trial.median > 10 * board->top[KEPT - 1].median)
    return PH_OK;
  return try_on(s, board, v, PAIR);
}

/* All decimations with all offsets on few transitions, the best of them on more. */
static ph_status try_decimations(struct search *s) {
  struct board quick = {.n = 0};
  ph_status status = PH_OK;
  for (int steps = 1; steps <= PH_SUBSTEPS; steps++)
    for (int i = 0; i < 3 && status == PH_OK; i++) {
      ph_variant v = s->as_is;
      v.shift = shifts[i];
      v.control_steps = steps;
      if (steps != s->as_is.control_steps)
        status = try_quickly(s, &quick, &v);
    }
  for (int i = 0; i < quick.n && status == PH_OK; i++)
    status = try_on(s, &s->board, &quick.top[i].variant, FEW);
  return status;
}

/* The roundest number that is as good as the one that was measured. */
static double rounded(double x, bool float32) {
  char text[32];
  for (int digits = 1; digits < 10; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    double round = strtod(text, NULL);
    if (fabs(round - x) <= (float32 ? 1e-4 : 1e-8) * x)
      return round;
  }
  return x;
}

/* Timesteps of which a step is so long as the states' times say, with all offsets. */
static ph_status try_timesteps(struct search *s) {
  struct board quick = {.n = 0};
  const ph_bench *b = s->bench;
  ph_status status = PH_OK;
  for (int steps = 1; b->dt > 0 && steps <= PH_SUBSTEPS; steps++)
    for (int i = 0; i < 3 && status == PH_OK; i++) {
      ph_variant v = s->as_is;
      v.shift = shifts[i];
      v.control_steps = steps;
      v.timestep = rounded(b->dt / steps, b->float32);
      if (fabs(v.timestep - b->run->timestep) > 1e-6 * b->run->timestep)
        status = try_quickly(s, &quick, &v);
    }
  for (int i = 0; i < quick.n && status == PH_OK; i++)
    status = try_on(s, &s->board, &quick.top[i].variant, FEW);
  return status;
}

/* Recipes, and no warmstart, on top of what did best so far. */
static ph_status try_recipes(struct search *s, int most) {
  ph_variant base[3];
  int n = 0;
  ph_status status = PH_OK;
  base[n++] = s->as_is;
  for (int i = 0; i < s->board.n && n < most; i++)
    if (!same_variant(&s->board.top[i].variant, &s->as_is))
      base[n++] = s->board.top[i].variant;
  for (int i = 0; i < n; i++)
    for (int recipe = 0; recipe < PH_RECIPE_COUNT; recipe++)
      for (int cold = 0; cold < 2 && status == PH_OK; cold++) {
        ph_variant v = base[i];
        v.recipe = (ph_recipe)recipe;
        v.cold = cold;
        status = try_on(s, &s->board, &v, FEW);
      }
  return status;
}

/* Transitions that the solver has no part in come first: they tell alignment and decimation without
 * a warmstart. For recipes some are needed that it has. */
static void choose_probes(struct search *s, const ph_evidence *e) {
  size_t free = 0;
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < e->ncandidates && s->nprobes < PH_PROBES; i++) {
      bool wanted = e->candidate[i].begins_free == (round == 0);
      if (!wanted || (round == 0 && free >= PH_PROBES - PAIR))
        continue;
      free += round == 0;
      s->probe[s->nprobes++] = e->candidate[i];
    }
}

/* Those of one sort are spread: the k-th is taken from all over the episode. */
static void spread_candidates(ph_evidence *e) {
  ph_pick all[PH_CANDIDATES];
  size_t n = e->ncandidates, stride = n > PH_PROBES ? n / PH_PROBES : 1, at = 0;
  memcpy(all, e->candidate, sizeof all);
  for (size_t start = 0; start < stride; start++)
    for (size_t i = start; i < n; i += stride)
      e->candidate[at++] = all[i];
}

static ph_status search(struct search *s, ph_evidence *e) {
  ph_status status = ph_bench_mark_free(s->bench, e->candidate, e->ncandidates);
  if (status != PH_OK)
    return status;
  spread_candidates(e);
  choose_probes(s, e);
  if (s->nprobes == 0)
    return PH_OK;
  status = try_offsets(s);
  /* Where little is wrong the solver is asked first, else alignment and decimation. */
  if (status == PH_OK && !exact(s) && (e->bad == 0 || nearly(s)))
    status = try_recipes(s, 1);
  if (status == PH_OK && !found(s) && e->bad > 0)
    status = try_decimations(s);
  if (status == PH_OK && !exact(s) && e->bad > 0)
    status = try_recipes(s, 3);
  if (status == PH_OK && !found(s) && e->bad > 0)
    status = try_timesteps(s);
  return status;
}

/* --- what follows --- */

static bool other_way(const ph_diagnosis *out) {
  return !same_variant(&out->best, &out->as_is);
}

/* Whether the best way explains what the file's own does not. */
static bool variant_explains(const ph_findings *f, const struct search *s, const ph_evidence *e) {
  const ph_trial *best = &f->best, *as_is = &f->as_is;
  bool lossy = f->float32 || ph_findings_lack_warmstart(f, best);
  if (best->n == 0 || same_variant(&best->variant, &as_is->variant))
    return false;
  if (!f->float32 && best->same < as_is->same)
    return false; /* less comes back bit for bit */
  if (e->bad == 0)
    return best->same > as_is->same && best->same * 10 >= best->n * 9;
  if (best->fits * 2 >= best->n && best->fits > as_is->fits && explains(&s->board.top[0]))
    return true;
  if (ph_trial_right_when_free(best, as_is))
    return true;
  return lossy && small(best) && best->median * 20 <= as_is->median;
}

/* The solver began elsewhere: all is right but where it has a part. */
static bool warmstart_explains(const ph_findings *f, const ph_evidence *e) {
  const ph_trial *t = &f->as_is;
  bool wrong = t->warm_n > 0 && t->warm_unequal * 2 > t->warm_n;
  if (t->n == 0 || (f->warmstart && !wrong))
    return false;
  if (t->free_fits < t->free_n || !f->solver.all)
    return false;
  if (e->bad > 0 && (f->solver.n == 0 || f->solver.moved * 4 < f->solver.n * 3))
    return false;
  return e->bad == 0 || small(t) || (e->run_known && !e->run_apart);
}

/* The ctrl of the file brings back what its actions do not. */
static bool actions_explain(const ph_findings *f, const ph_evidence *e) {
  const ph_trial *own = &f->own_ctrl, *bad = &f->own_bad;
  if (e->sum.ctrl_unequal == 0)
    return false;
  return e->bad == 0 || (bad->n > 0 && bad->fits * 4 >= bad->n * 3) ||
         (own->n > 0 && own->fits > f->as_is.fits && own->fits * 4 >= own->n * 3);
}

/* Steps with contact alone do not come back. */
static bool contacts_alone(const ph_findings *f) {
  const ph_trial *t = &f->as_is;
  int touched = t->n - t->free_n, fits = t->fits - t->free_fits;
  return f->solver.all && t->free_n >= 3 && t->free_fits == t->free_n && fits * 2 < touched;
}

/* The warmstart is right up to a state. */
static bool parts(const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  return ph_findings_part(f) &&
         (e->bad == 0 || small(&f->as_is) || (e->run_known && !e->run_apart));
}

static bool few_bad(const ph_evidence *e) {
  return e->bad > 0 && e->bad * 5 <= e->transitions;
}

static ph_cause decide(const ph_findings *f, const struct search *s) {
  const ph_evidence *e = f->evidence;
  if (ph_findings_hold_none(f))
    return PH_CAUSE_EVENTS;
  if (parts(f))
    return PH_CAUSE_WARMSTART;
  if (variant_explains(f, s, e))
    return f->best.variant.cold && f->best.variant.recipe == f->as_is.variant.recipe &&
                   f->best.variant.shift == f->as_is.variant.shift &&
                   f->best.variant.control_steps == f->as_is.variant.control_steps &&
                   f->best.variant.timestep == f->as_is.variant.timestep
               ? PH_CAUSE_WARMSTART
               : PH_CAUSE_VARIANT;
  if (ph_findings_refused(f))
    return PH_CAUSE_EVENTS;
  if (actions_explain(f, e))
    return PH_CAUSE_ACTIONS;
  if (f->float32 && f->as_is.n > 0 && e->equal < e->transitions && small(&f->as_is))
    return PH_CAUSE_FLOAT32;
  if (e->equal < e->transitions && warmstart_explains(f, e))
    return PH_CAUSE_WARMSTART;
  if (e->first_alone)
    return PH_CAUSE_START;
  if (few_bad(e) || (ph_evidence_regime(e) && !contacts_alone(f)))
    return PH_CAUSE_EVENTS;
  if (e->bad > 0)
    return PH_CAUSE_UNKNOWN;
  return e->run_apart && e->equal == e->transitions ? PH_CAUSE_START : PH_CAUSE_NONE;
}

/* --- all of it --- */

static ph_variant variant_of(const ph_analysis *a) {
  const ph_rerun *run = ph_analysis_rerun(a);
  return (ph_variant){run->opt.shift, run->dims.control_steps, run->recipe, false, 0};
}

/* What the file itself says of bad steps. */
static ph_status confront(struct search *s, ph_evidence *e, ph_findings *f) {
  ph_pick spike[PH_SPIKES];
  bool all = e->bad <= (int64_t)e->nspikes;
  for (size_t i = 0; i < e->nspikes; i++)
    spike[i] = (ph_pick){.step = e->spike[i] - 1, .bad = true};
  ph_status status = PH_OK;
  if (e->sum.ctrl_unequal > 0 && s->as_is.recipe == PH_RECIPE_STEP && e->bad > 0)
    status = ph_bench_own_ctrl(s->bench, &s->as_is, all ? spike : e->candidate,
                               all ? e->nspikes : e->ncandidates, &f->own_bad);
  if (status == PH_OK)
    status = ph_bench_solver(s->bench, &s->as_is, e, &f->solver);
  if (status == PH_OK)
    status = ph_bench_parting(s->bench, &s->as_is, e, &f->parting);
  if (status == PH_OK && ph_evidence_regime(e))
    status = ph_bench_turned(s->bench, e->bad_first - 1, &f->turned);
  return status;
}

/* A sample may pass by what else is wrong. A step without an action of its own is left out. */
static ph_status hold_against_all(struct search *s, ph_findings *f) {
  const ph_episode_meta *meta = ph_episode_meta_of(s->bench->episode);
  int64_t n = meta->states - 1, most = n < PH_ALL ? n : PH_ALL, shift = f->best.variant.shift;
  ph_pick *pick = calloc((size_t)most + 1, sizeof *pick);
  ph_trial best, as_is;
  size_t k = 0;
  if (!pick)
    return ph_fail(PH_ENOMEM, "diagnosis: no memory");
  for (int64_t i = 0; i < most; i++) {
    int64_t step = i * n / most, action = step + shift;
    if (action >= 0 && action < meta->actions)
      pick[k++].step = step;
  }
  ph_status status = ph_bench_mark_free(s->bench, pick, k);
  if (status == PH_OK)
    status = ph_bench_try(s->bench, &f->best.variant, pick, k, &best);
  if (status == PH_OK)
    status = ph_bench_try(s->bench, &s->as_is, pick, k, &as_is);
  if (status == PH_OK && best.n > 0 && best.n == as_is.n)
    f->best = best, f->as_is = as_is;
  free(pick);
  return status;
}

/* The best of the search and the file's own way, on the same evenly spread transitions. */
static ph_status confirm(struct search *s, ph_evidence *e, ph_findings *f) {
  ph_status status = ph_bench_mark_free(s->bench, e->check, e->nchecks);
  if (status == PH_OK)
    status = ph_bench_try(s->bench, &s->as_is, e->check, e->nchecks, &f->as_is);
  f->best = f->as_is;
  if (status == PH_OK && s->board.n > 0 && !same_variant(&s->board.top[0].variant, &s->as_is))
    status = ph_bench_try(s->bench, &s->board.top[0].variant, e->check, e->nchecks, &f->best);
  if (status == PH_OK && e->sum.ctrl_unequal > 0 && s->as_is.recipe == PH_RECIPE_STEP)
    status = ph_bench_own_ctrl(s->bench, &s->as_is, e->check, e->nchecks, &f->own_ctrl);
  if (status == PH_OK && e->sum.ctrl_unequal > 0)
    status = ph_bench_ctrl(s->bench, &s->as_is, e->sum.ctrl_first, f);
  return status == PH_OK && variant_explains(f, s, e) ? hold_against_all(s, f) : status;
}

static void note_alone(ph_evidence *e, const ph_pick *pick, const ph_trial *t) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (e->transitions == 0 || t->difference.max[m] > e->sum.one_max[m]) {
      e->sum.one_max[m] = t->difference.max[m];
      e->sum.one_max_step[m] = pick->step + 1;
      e->sum.one_worst[m] = t->difference.worst[m];
    }
  e->transitions++;
  e->last = pick->step + 1;
  e->equal += t->same;
  e->bad += !t->fits;
  if (!t->same)
    e->unequal_first = e->unequal_first ? e->unequal_first : e->last, e->unequal_last = e->last;
  if (t->stops > 0 && e->stopped++ < PH_SPIKES)
    e->stop[e->nstops++] = e->last;
  if (!t->fits)
    e->bad_first = e->bad_first ? e->bad_first : pick->step + 1, e->bad_last = pick->step + 1;
  if (!t->fits && e->nspikes < PH_SPIKES)
    e->spike[e->nspikes++] = pick->step + 1;
  if ((!t->fits || !t->same) && e->ncandidates < PH_CANDIDATES)
    e->candidate[e->ncandidates++] = (ph_pick){.step = pick->step, .bad = !t->fits};
}

/* Where the analysis left single steps out: some are taken here, evenly spread. */
static ph_status step_alone(struct search *s, ph_evidence *e) {
  int64_t n = ph_episode_meta_of(s->bench->episode)->states - 1;
  ph_status status = PH_OK;
  for (int64_t i = 0; i < n && i < PH_CHECKS && status == PH_OK; i++) {
    ph_pick pick = {.step = n <= PH_CHECKS ? i : i * n / PH_CHECKS};
    ph_trial trial;
    status = ph_bench_try(s->bench, &s->as_is, &pick, 1, &trial);
    if (status != PH_OK || trial.n == 0)
      continue;
    note_alone(e, &pick, &trial);
    e->check[e->nchecks++] = pick;
  }
  return status;
}

static ph_status examine(struct search *s, ph_evidence *e, ph_findings *f) {
  ph_bench *b = s->bench;
  f->float32 = b->float32;
  f->warmstart = b->warmstart;
  f->implied = b->implied;
  f->dt = b->dt;
  f->control_dt = ph_rerun_control_dt(b->run);
  f->timestep = b->run->timestep;
  f->tolerance = b->tolerance;
  ph_status status = ph_bench_none(b, e, &f->none);
  if (status == PH_OK && e->transitions == 0)
    status = step_alone(s, e);
  if (status != PH_OK)
    return status;
  if (e->equal == e->transitions && e->sum.ctrl_unequal == 0)
    return PH_OK;
  status = ph_bench_refused(s->bench, &s->as_is, e, &f->refused);
  if (status != PH_OK)
    return status;
  status = search(s, e);
  if (status == PH_OK)
    status = confirm(s, e, f);
  return status == PH_OK ? confront(s, e, f) : status;
}

static void fill(ph_diagnosis *out, const ph_findings *f, const struct search *s) {
  const ph_evidence *e = f->evidence;
  out->as_is = s->as_is;
  out->best = f->best.n > 0 ? f->best.variant : s->as_is;
  out->cause = decide(f, s);
  bool cold = out->cause == PH_CAUSE_WARMSTART && variant_explains(f, s, e) && !parts(f);
  if (out->cause != PH_CAUSE_VARIANT && !cold && out->cause != PH_CAUSE_UNKNOWN)
    out->best = s->as_is;
  out->error = f->as_is.n > 0 ? f->as_is.median : 0;
  out->best_error = !other_way(out) ? out->error : f->best.median;
  out->sampled = f->as_is.n;
  out->fits = other_way(out) ? f->best.fits : f->as_is.fits;
  if (out->cause == PH_CAUSE_EVENTS || out->cause == PH_CAUSE_START) {
    memcpy(out->event, e->spike, sizeof out->event);
    if (ph_findings_hold_none(f))
      out->nevents = ph_findings_steps(f, out->event);
    else
      out->nevents = ph_evidence_regime(e) ? 1 : e->nspikes;
  }
}

static ph_status ready(const ph_analysis *a) {
  const ph_rerun *run = ph_analysis_rerun(a);
  char why[300];
  ph_analysis_progress progress;
  ph_analysis_look(a, &progress);
  if (!progress.ended)
    return ph_fail(PH_EINVAL, "diagnosis: the analysis has not ended");
  const ph_episode *episode = ph_rerun_episode(run);
  if (ph_episode_guarantee(episode, run->model, run->task, why, sizeof why) == PH_STATES_ONLY)
    return ph_fail(PH_ENOTFOUND, "%s: %s", ph_episode_meta_of(episode)->id, why);
  return PH_OK;
}

ph_status ph_diagnose(ph_diagnosis *out, const ph_analysis *a, bool (*cancel)(void *arg),
                      void *arg) {
  ph_bench bench = {0};
  memset(out, 0, sizeof *out);
  ph_status status = ready(a);
  if (status != PH_OK)
    return status;
  ph_evidence *e = calloc(1, sizeof *e);
  ph_findings *f = calloc(1, sizeof *f);
  struct search *s = calloc(1, sizeof *s);
  if (!e || !f || !s)
    status = ph_fail(PH_ENOMEM, "diagnosis: no memory");
  if (status == PH_OK)
    status = ph_evidence_gather(e, a);
  if (status == PH_OK)
    status = ph_bench_open(&bench, a, cancel, arg);
  if (status == PH_OK) {
    s->bench = &bench;
    s->as_is = variant_of(a);
    f->episode = bench.episode;
    f->model = ph_rerun_model(ph_analysis_rerun(a));
    f->evidence = e;
    f->ctrl_step = -1;
    f->turned = PH_COL_COUNT;
    status = examine(s, e, f);
  }
  if (status == PH_OK) {
    fill(out, f, s);
    ph_diagnosis_say(out, f);
  }
  ph_bench_close(&bench);
  free(s);
  free(f);
  free(e);
  return status;
}
