#include "task_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <playhead/env.h>

#include "fail.h"
#include "finite.h"
#include "scene.h"
#include "script.h"

/* An env runs the task as everything else does. A sim of our own goes with it, from the same row
 * under the same ctrl: there each part is asked and timed by itself. */

enum part { PHYSICS, ACTIONS, POLICY, CONDITIONS, REWARD, READOUTS, PARTS };

struct run {
  ph_checking *c;
  const ph_task_info *info;
  ph_env *env;
  const ph_dims *dims;
  ph_sim *sim;
  ph_actions *actions;
  double *took[PARTS]; /* [us] of each step */
  size_t ntook[PARTS], room;
  double *action, *ctrl, *readouts;
  ph_condition *conditions, *again;
  uint64_t first_bits; /* of the first seed's rows */
  uint64_t first_row;  /* of its row 0 */
  bool alike;          /* every row 0 so far has those bits */
  /* of the episode */
  ph_script *script;
  struct ph_start *start;
  ph_stages stages;
  uint64_t seed, bits;
  bool failed; /* what the failure condition says of the state */
};

/* --- bits --- */

static uint64_t add_bits(uint64_t hash, const void *data, size_t n) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t add_row(uint64_t hash, const ph_row *row, const ph_dims *dims) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const void *data = ph_row_column(row, (ph_column)col);
    if (data)
      hash = add_bits(hash, data,
                      ph_schema_width((ph_column)col, dims) *
                          ph_type_size(ph_schema_column((ph_column)col)->type));
  }
  return hash;
}

static uint64_t add_edits(uint64_t hash, const ph_env *env) {
  size_t n = 0;
  const ph_edit *edits = ph_env_edits(env, &n);
  for (size_t i = 0; i < n; i++) {
    hash = add_bits(hash, edits[i].field, strlen(edits[i].field));
    hash = add_bits(hash, edits[i].data,
                    (size_t)(edits[i].shape[0] * edits[i].shape[1]) * ph_type_size(edits[i].type));
  }
  return hash;
}

/* --- time --- */

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void took(struct run *r, enum part part, double since) {
  if (r->ntook[part] < r->room)
    r->took[part][r->ntook[part]++] = now_us() - since;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(struct run *r, enum part part) {
  size_t n = r->ntook[part];
  if (n == 0)
    return NAN;
  qsort(r->took[part], n, sizeof(double), by_value);
  return r->took[part][n / 2];
}

/* --- what a script says of a state --- */

/* A function that failed ends the episode; only memory ends the check. */
static ph_status script_failed(struct run *r, ph_status status, int64_t step) {
  char where[80];
  if (status == PH_OK || status == PH_ENOMEM)
    return status;
  snprintf(where, sizeof where, "seed %" PRIu64 " step %" PRId64, r->seed, step);
  ph_check_add(r->c, PH_CHECK_ERROR, where, "%s", ph_error());
  return status;
}

/* Where the conditions of a stage begin in the list. */
static size_t stage_base(const struct run *r, size_t stage) {
  size_t base = r->info->nconditions;
  for (size_t i = 0; i < stage; i++)
    base += ph_task_spec_of(r->c->task)->stages[i].n;
  return base;
}

static void count_conditions(struct run *r, size_t base, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ph_check_condition *condition = &r->c->out->condition[base + i];
    condition->judged++;
    condition->yes += r->conditions[i].value;
    if (r->conditions[i].value != r->again[i].value)
      ph_check_add(r->c, PH_CHECK_MEMORY, condition->name,
                   "says %s and, asked again of the same state, %s",
                   r->conditions[i].value ? "true" : "false", r->again[i].value ? "true" : "false");
  }
}

static ph_status ask_stages(struct run *r, ph_scene *scene, double *spent) {
  size_t stage = r->stages.done;
  bool value = false, twice = false;
  if (stage >= r->stages.n)
    return PH_OK;
  double since = now_us();
  ph_status status = ph_script_stage(r->script, scene, stage, &value, r->conditions);
  *spent += now_us() - since;
  if (status == PH_OK)
    status = ph_script_stage(r->script, scene, stage, &twice, r->again);
  if (status != PH_OK)
    return status;
  count_conditions(r, stage_base(r, stage), ph_task_spec_of(r->c->task)->stages[stage].n);
  ph_stages_update(&r->stages, scene->step, value);
  return PH_OK;
}

static ph_status ask_success(struct run *r, ph_scene *scene, double *spent) {
  bool twice = false;
  if (!r->info->has_success)
    return PH_OK;
  double since = now_us();
  ph_status status = ph_script_success(r->script, scene, &scene->predicate, r->conditions);
  *spent += now_us() - since;
  if (status == PH_OK)
    status = ph_script_success(r->script, scene, &twice, r->again);
  if (status == PH_OK)
    count_conditions(r, 0, r->info->nconditions);
  return status;
}

static ph_status ask_failure(struct run *r, ph_scene *scene, double *spent) {
  bool value = false;
  if (!r->info->has_failure)
    return PH_OK;
  ph_check_condition *condition = &r->c->out->condition[r->c->out->nconditions - 1];
  double since = now_us();
  ph_status status = ph_script_failure(r->script, scene, &value);
  *spent += now_us() - since;
  condition->judged += status == PH_OK;
  condition->yes += value;
  r->failed = value;
  return status;
}

static ph_status ask_conditions(struct run *r, ph_scene *scene) {
  double spent = 0;
  ph_status status = ask_stages(r, scene, &spent);
  if (status == PH_OK)
    status = ask_success(r, scene, &spent);
  if (status == PH_OK)
    status = ask_failure(r, scene, &spent);
  bool any = r->info->has_success || r->info->has_failure || r->info->nstages > 0;
  if (status == PH_OK && any && r->ntook[CONDITIONS] < r->room)
    r->took[CONDITIONS][r->ntook[CONDITIONS]++] = spent;
  return status;
}

static ph_status ask_numbers(struct run *r, const ph_scene *scene) {
  double reward = 0, since = now_us();
  ph_status status = PH_OK;
  if (r->info->has_reward) {
    status = ph_script_reward(r->script, scene, &reward);
    took(r, REWARD, since);
  }
  since = now_us();
  if (status == PH_OK && r->info->nreadouts > 0) {
    status = ph_script_readouts(r->script, scene, r->readouts);
    took(r, READOUTS, since);
  }
  return status;
}

/* --- a step --- */

static ph_status choose_action(struct run *r, int64_t step) {
  ph_check *out = r->c->out;
  memset(r->action, 0, (size_t)r->dims->action_dim * sizeof *r->action);
  double since = now_us();
  if (r->info->has_policy) {
    ph_status status = ph_env_policy(r->env, r->action);
    if (status != PH_OK)
      return script_failed(r, status, step);
    took(r, POLICY, since);
  }
  for (size_t i = 0; i < out->nelements; i++) {
    out->element[i].least = fmin(out->element[i].least, r->action[i]);
    out->element[i].most = fmax(out->element[i].most, r->action[i]);
  }
  return PH_OK;
}

/* The action manager and the physics, on our own sim. */
static ph_status go_beside(struct run *r) {
  bool clipped = false, warned = false;
  double since = now_us();
  ph_status status = ph_actions_apply(r->actions, r->sim, r->action, r->ctrl, &clipped);
  if (status != PH_OK)
    return status;
  took(r, ACTIONS, since);
  since = now_us();
  status = ph_sim_step(r->sim, r->ctrl, r->dims->control_steps, &warned);
  if (status == PH_OK)
    status = ph_sim_forward(r->sim);
  if (status == PH_OK)
    took(r, PHYSICS, since);
  return status;
}

static void compare_rows(struct run *r, const ph_outcome *outcome, int64_t step) {
  ph_row row;
  char where[80];
  size_t n = ph_schema_width(PH_COL_STATES, r->dims) * sizeof(double);
  snprintf(where, sizeof where, "seed %" PRIu64 " step %" PRId64, r->seed, step);
  if (ph_sim_get_row(r->sim, &row) == PH_OK && memcmp(row.state, outcome->row.state, n) != 0)
    ph_check_add(r->c, PH_CHECK_REPEAT, where, "the same step from the same state has other bits");
}

static void count_outcome(struct run *r, const ph_outcome *outcome) {
  ph_check *out = r->c->out;
  out->steps++;
  out->ends[outcome->end] += outcome->done;
  if (!r->info->has_reward)
    return;
  out->reward_min = out->steps == 1 ? outcome->reward : fmin(out->reward_min, outcome->reward);
  out->reward_max = out->steps == 1 ? outcome->reward : fmax(out->reward_max, outcome->reward);
}

static void tell_both(struct run *r, int64_t step) {
  char where[80];
  snprintf(where, sizeof where, "seed %" PRIu64 " step %" PRId64, r->seed, step);
  ph_check_add(r->c, PH_CHECK_BOTH, where,
               "success had been held and failure was true in one step: it ends as a success");
}

/* *done: the episode has ended, for whatever reason. */
static ph_status take_step(struct run *r, int64_t step, bool *done) {
  ph_outcome outcome;
  char where[80];
  *done = true;
  ph_status status = choose_action(r, step);
  if (status != PH_OK)
    return status;
  status = ph_env_step(r->env, r->action, &outcome);
  if (status != PH_OK)
    return script_failed(r, status, step + 1);
  if (outcome.end == PH_END_NAN) {
    r->c->out->ends[PH_END_NAN]++;
    snprintf(where, sizeof where, "seed %" PRIu64, r->seed);
    ph_check_add(r->c, PH_CHECK_FINITE, where, "%s", outcome.detail);
    return PH_OK;
  }
  status = go_beside(r);
  if (status != PH_OK)
    return script_failed(r, status, step);
  compare_rows(r, &outcome, step + 1);
  count_outcome(r, &outcome);
  r->bits = add_row(r->bits, &outcome.row, r->dims);
  r->bits = add_bits(r->bits, &outcome.reward, sizeof outcome.reward);
  ph_scene scene = {.sim = r->sim,
                    .step = step + 1,
                    .action = r->action,
                    .naction = r->dims->action_dim,
                    .start = r->start,
                    .stages = &r->stages,
                    .latched = ph_env_hold(r->env)->latched};
  status = ask_conditions(r, &scene);
  if (status == PH_OK && outcome.success && r->failed)
    tell_both(r, step + 1);
  if (status == PH_OK)
    status = ask_numbers(r, &scene);
  *done = outcome.done;
  return script_failed(r, status, step + 1);
}

/* --- an episode --- */

static void end_episode(struct run *r) {
  ph_script_free(r->script);
  ph_start_free(r->start);
  r->script = NULL;
  r->start = NULL;
}

/* Brings our own sim to row 0. */
static ph_status begin_beside(struct run *r, const ph_row *row0) {
  size_t n = 0;
  const ph_edit *edits = ph_env_edits(r->env, &n);
  ph_status status = ph_sim_reset(r->sim);
  if (status == PH_OK)
    status = ph_sim_edit(r->sim, edits, n);
  if (status == PH_OK)
    status = ph_sim_set_row(r->sim, row0);
  if (status == PH_OK)
    status = ph_sim_forward(r->sim);
  if (status != PH_OK)
    return status;
  memcpy(r->ctrl, row0->ctrl, (size_t)r->dims->nu * sizeof *r->ctrl);
  ph_actions_reset(r->actions, r->sim);
  status = ph_stages_begin(&r->stages, r->c->task, ph_env_control_dt(r->env));
  r->start = ph_start_new(r->sim);
  if (status == PH_OK && !r->start)
    status = ph_fail(PH_ENOMEM, "check: out of memory");
  return status == PH_OK ? ph_task_script(&r->script, r->c->task) : status;
}

/* What the resets have done to row 0 and the model. */
static ph_status look_at_reset(struct run *r, const ph_row *row0, bool first) {
  ph_row plain;
  uint64_t bits = add_edits(add_row(0, row0, r->dims), r->env);
  r->bits = bits;
  if (!first) {
    r->alike = r->alike && bits == r->first_row;
    return PH_OK;
  }
  r->first_row = bits;
  r->alike = true;
  size_t edits = 0;
  ph_env_edits(r->env, &edits);
  ph_status status = ph_sim_reset(r->sim);
  if (status == PH_OK)
    status = ph_sim_get_row(r->sim, &plain);
  if (status != PH_OK)
    return status;
  plain.predicate = row0->predicate;
  plain.action_state = row0->action_state;
  bool same = edits == 0 && add_row(0, &plain, r->dims) == add_row(0, row0, r->dims);
  if (same && r->info->has_reset)
    ph_check_add(r->c, PH_CHECK_RESET, "reset", "changes nothing: row 0 is what the model has");
  return PH_OK;
}

/* Of the episode, as our own manager has counted. */
static void count_cuts(struct run *r) {
  for (size_t i = 0; i < r->c->out->nelements; i++)
    r->c->out->element[i].clipped += ph_actions_clip_count(r->actions, (int)i);
}

static ph_status run_episode(struct run *r, uint64_t seed, bool first) {
  ph_row row0;
  bool done = false;
  r->seed = seed;
  ph_status status = ph_env_reset(r->env, seed, &row0);
  if (status != PH_OK)
    return script_failed(r, status, 0);
  r->c->out->episodes++;
  status = look_at_reset(r, &row0, first);
  if (status == PH_OK)
    status = script_failed(r, begin_beside(r, &row0), 0);
  bool begun = status == PH_OK;
  for (int64_t step = 0; status == PH_OK && !done && step < r->c->opt.steps; step++)
    status = take_step(r, step, &done);
  if (begun)
    count_cuts(r);
  end_episode(r);
  return status;
}

/* The first seed once more, by an env of its own. */
static ph_status repeat_first(struct run *r, uint64_t seed, int64_t steps) {
  ph_env *env = NULL;
  ph_row row0;
  ph_outcome outcome = {0};
  ph_status status = ph_env_create(&env, r->c->task, r->c->model, NULL);
  if (status == PH_OK)
    status = ph_env_reset(env, seed, &row0);
  uint64_t bits = status == PH_OK ? add_edits(add_row(0, &row0, r->dims), env) : 0;
  memset(r->action, 0, (size_t)r->dims->action_dim * sizeof *r->action);
  for (int64_t step = 0; status == PH_OK && !outcome.done && step < steps; step++) {
    status = r->info->has_policy ? ph_env_policy(env, r->action) : PH_OK;
    if (status == PH_OK)
      status = ph_env_step(env, r->action, &outcome);
    if (status != PH_OK || outcome.end == PH_END_NAN)
      break;
    bits = add_row(bits, &outcome.row, r->dims);
    bits = add_bits(bits, &outcome.reward, sizeof outcome.reward);
  }
  ph_env_free(env);
  if (status == PH_ENOMEM)
    return status;
  if (status != PH_OK || bits != r->first_bits)
    ph_check_add(r->c, PH_CHECK_REPEAT, "run", "a second run of seed %" PRIu64 " %s", seed,
                 status == PH_OK ? "has other bits" : ph_error());
  return PH_OK;
}

/* --- the whole --- */

static void name_conditions(struct run *r) {
  ph_check *out = r->c->out;
  const ph_task_spec *spec = ph_task_spec_of(r->c->task);
  size_t n = 0;
  for (size_t i = 0; i < r->info->nconditions; i++) {
    bool plain = strcmp(spec->conditions[i], "success") == 0 && r->info->nconditions == 1;
    snprintf(out->condition[n++].name, sizeof out->condition->name, "%s%s", plain ? "" : "success.",
             spec->conditions[i]);
  }
  for (size_t i = 0; i < r->info->nstages; i++) {
    const ph_stage_spec *stage = &spec->stages[i];
    for (size_t k = 0; k < stage->n; k++) {
      bool plain = stage->name[k] == stage->stage.name;
      snprintf(out->condition[n++].name, sizeof out->condition->name, "stages.%s%s%s",
               stage->stage.name, plain ? "" : ".", plain ? "" : stage->name[k]);
    }
  }
  if (r->info->has_failure)
    snprintf(out->condition[n].name, sizeof out->condition->name, "failure");
}

static void name_elements(struct run *r) {
  for (size_t i = 0; i < r->c->out->nelements; i++) {
    const ph_action_element *from = ph_actions_element(r->actions, (int)i);
    ph_check_element *to = &r->c->out->element[i];
    *to = (ph_check_element){
        .min = from->min, .max = from->max, .least = INFINITY, .most = -INFINITY};
    snprintf(to->term, sizeof to->term, "%s", from->term);
    snprintf(to->name, sizeof to->name, "%s", from->name);
  }
}

static ph_status allocate(struct run *r) {
  ph_check *out = r->c->out;
  const ph_task_spec *spec = ph_task_spec_of(r->c->task);
  size_t most = r->info->nconditions;
  out->nconditions = stage_base(r, r->info->nstages) + r->info->has_failure;
  for (size_t i = 0; i < r->info->nstages; i++)
    most = spec->stages[i].n > most ? spec->stages[i].n : most;
  out->nelements = (size_t)r->dims->action_dim;
  out->nseeds = (size_t)r->c->opt.episodes;
  out->condition = calloc(out->nconditions + 1, sizeof *out->condition);
  out->element = calloc(out->nelements + 1, sizeof *out->element);
  out->seed = calloc(out->nseeds, sizeof *out->seed);
  int64_t steps = r->c->opt.steps < 10000 ? r->c->opt.steps : 10000; /* as many are timed */
  r->room = (size_t)steps * (out->nseeds < 10 ? out->nseeds : 10);
  bool ok = out->condition && out->element && out->seed;
  for (int i = 0; i < PARTS; i++)
    ok = (r->took[i] = calloc(r->room, sizeof(double))) && ok;
  ok = (r->action = calloc(out->nelements + 1, sizeof(double))) && ok;
  ok = (r->ctrl = calloc((size_t)r->dims->nu + 1, sizeof(double))) && ok;
  ok = (r->readouts = calloc(r->info->nreadouts + 1, sizeof(double))) && ok;
  ok = (r->conditions = calloc(most + 1, sizeof *r->conditions)) && ok;
  ok = (r->again = calloc(most + 1, sizeof *r->again)) && ok;
  return ok ? PH_OK : ph_fail(PH_ENOMEM, "check: out of memory");
}

static ph_status open_run(struct run *r) {
  ph_check *out = r->c->out;
  ph_status status = ph_env_create(&r->env, r->c->task, r->c->model, NULL);
  if (status != PH_OK)
    return status;
  r->dims = ph_env_dims(r->env);
  out->ran = true;
  out->control_steps = r->dims->control_steps;
  out->control_dt = ph_env_control_dt(r->env);
  if (r->info->has_success)
    status = ph_hold_steps(&out->hold_steps, r->info->hold_seconds, out->control_dt);
  if (status == PH_OK)
    status = ph_sim_create(&r->sim, r->c->model);
  if (status == PH_OK)
    status = ph_actions_create(&r->actions, r->c->task, r->c->model);
  if (status == PH_OK)
    status = allocate(r);
  if (status != PH_OK)
    return status;
  name_conditions(r);
  name_elements(r);
  return PH_OK;
}

static void close_run(struct run *r) {
  end_episode(r);
  for (int i = 0; i < PARTS; i++)
    free(r->took[i]);
  free(r->action);
  free(r->ctrl);
  free(r->readouts);
  free(r->conditions);
  free(r->again);
  ph_actions_free(r->actions);
  ph_sim_free(r->sim);
  ph_env_free(r->env);
}

static void sum_up(struct run *r) {
  ph_check *out = r->c->out;
  out->cost = (ph_check_cost){median(r, PHYSICS),    median(r, ACTIONS), median(r, POLICY),
                              median(r, CONDITIONS), median(r, REWARD),  median(r, READOUTS)};
  for (size_t i = 0; i < out->nelements; i++)
    if (out->element[i].least > out->element[i].most)
      out->element[i].least = out->element[i].most = NAN;
  bool silent = out->nfindings > 0 && out->finding[0].kind == PH_CHECK_RESET;
  if (r->info->has_reset && r->alike && out->episodes > 1 && !silent)
    ph_check_add(r->c, PH_CHECK_RESET, "reset", "%" PRId64 " seeds begin alike, bit for bit",
                 out->episodes);
}

ph_status ph_check_run(ph_checking *c) {
  struct run r = {.c = c, .info = ph_task_info_of(c->task)};
  ph_status status = open_run(&r), first = PH_OK;
  for (size_t i = 0; status == PH_OK && i < c->out->nseeds; i++) {
    c->out->seed[i] = c->opt.seed + i;
    status = run_episode(&r, c->out->seed[i], i == 0);
    if (i == 0) {
      r.first_bits = r.bits;
      first = status;
    }
    status = status == PH_ENOMEM ? status : PH_OK;
  }
  if (status == PH_OK && first == PH_OK)
    status = repeat_first(&r, c->opt.seed, c->opt.steps);
  if (status == PH_OK)
    sum_up(&r);
  close_run(&r);
  return status;
}
