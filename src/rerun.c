#include "rerun_parts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "guarantee.h"
#include "replay_fit.h"

static const char *const recipes[PH_RECIPE_COUNT] = {"step", "forward_step", "step1_step2"};

const char *ph_recipe_name(ph_recipe r) {
  return (unsigned)r < PH_RECIPE_COUNT ? recipes[r] : "unknown";
}

bool ph_recipe_from_name(const char *name, ph_recipe *out) {
  for (int i = 0; i < PH_RECIPE_COUNT; i++)
    if (!strcmp(recipes[i], name)) {
      *out = (ph_recipe)i;
      return true;
    }
  return false;
}

const char *ph_feed_name(ph_feed f) {
  static const char *const names[PH_FEED_COUNT] = {"recorded", "held", "zero"};
  return (unsigned)f < PH_FEED_COUNT ? names[f] : "unknown";
}

/* --- what is asked for --- */

static ph_status no_memory(const ph_rerun *run) {
  return ph_fail(PH_ENOMEM, "%s: no memory to run it", ph_episode_meta_of(run->episode)->id);
}

/* The caller's pointers become copies of our own; `from` is only looked at while it is created. */
static ph_status copy_options(ph_rerun *run, const ph_rerun_options *opt) {
  size_t n = (size_t)ph_episode_meta_of(run->episode)->dims.action_dim;
  run->opt = opt ? *opt : (ph_rerun_options)PH_RERUN_OPTIONS_INIT;
  opt = &run->opt;
  if (opt->override) {
    run->override = malloc((n + 1) * sizeof(double));
    if (!run->override)
      return no_memory(run);
    memcpy(run->override, opt->override, n * sizeof(double));
  }
  if (opt->nchanges > 0) {
    run->changes = malloc(opt->nchanges * sizeof *run->changes);
    if (!run->changes)
      return no_memory(run);
    memcpy(run->changes, opt->changes, opt->nchanges * sizeof *run->changes);
  }
  run->opt.override = NULL;
  run->opt.changes = NULL;
  return PH_OK;
}

static ph_status check_options(const ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  const ph_rerun_options *opt = &run->opt;
  if (meta->states < 1)
    return ph_fail(PH_ENOTFOUND, "%s: it has no states", meta->id);
  if (opt->anchor < 0 || opt->anchor >= meta->states)
    return ph_fail(PH_EINVAL, "%s: anchor %lld: its states are 0 to %lld", meta->id,
                   (long long)opt->anchor, (long long)meta->states - 1);
  if ((unsigned)opt->feed >= PH_FEED_COUNT || opt->recipe >= PH_RECIPE_COUNT ||
      opt->control_steps < 0)
    return ph_fail(PH_EINVAL, "%s: no such way to run it", meta->id);
  if (opt->from && !opt->from->state)
    return ph_fail(PH_EINVAL, "%s: a row to start from that has no state", meta->id);
  return PH_OK;
}

/* --- what is in force --- */

/* What maps actions is the task: where it has terms, or where it is the one that recorded, whose
 * env takes an action without terms to ctrl in its own way. */
static bool is_managed(const ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  if (!run->task)
    return false;
  return ph_task_info_of(run->task)->nterms > 0 ||
         (meta->task_sha256[0] && (strcmp(meta->task_sha256, ph_task_sha256(run->task)) == 0 ||
                                   strcmp(meta->task_sha256, ph_task_base_sha256(run->task)) == 0));
}

/* A pose is where the engine derived it to be; the other terms look at joints alone. */
static bool needs_derived(const ph_rerun *run) {
  const ph_task_spec *spec = run->managed ? ph_task_spec_of(run->task) : NULL;
  for (size_t i = 0; spec && i < spec->info.nterms; i++)
    if (!strcmp(spec->terms[i].type, "eef_pose"))
      return true;
  return false;
}

static ph_status fill(ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  const ph_rerun_options *opt = &run->opt;
  ph_recipe recipe = PH_RECIPE_STEP;
  ph_recipe_from_name(meta->recipe,
                      &recipe); /* who does not say stepped plainly, as far as known */
  run->recipe = opt->recipe >= 0 ? (ph_recipe)opt->recipe : recipe;
  run->dims = *ph_model_dims(run->model);
  run->dims.action_dim = meta->dims.action_dim;
  run->dims.control_steps = opt->control_steps > 0 ? opt->control_steps : meta->dims.control_steps;
  run->actions = ph_episode_rows(run->episode, PH_COL_ACTIONS);
  run->states = opt->states > 0 ? opt->states : meta->states;
  run->managed = is_managed(run);
  run->derived = needs_derived(run);
  run->substeps = run->dims.nu > 0 && ph_episode_has(run->episode, PH_COL_CTRL_SUBSTEPS) &&
                  !run->override && opt->feed != PH_FEED_ZERO;
  if (run->states <= opt->anchor || (run->actions == 0 && opt->feed != PH_FEED_ZERO))
    run->states = opt->anchor + 1;
  if (!run->substeps && !run->managed && run->dims.action_dim != run->dims.nu)
    return ph_fail(PH_ENOTFOUND,
                   "%s: what an action does to ctrl is not known: only the ctrl of its substeps "
                   "that the file holds can be fed, as it is",
                   meta->id);
  return PH_OK;
}

/* An action of the task has to be what the file has. */
static ph_status fit_actions(ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  ph_actions *actions = NULL;
  if (!run->managed)
    return PH_OK;
  ph_status status = ph_cursor_actions(&actions, run);
  if (status != PH_OK)
    return ph_fail_in(status, "%s", meta->id);
  int dim = ph_actions_dim(actions);
  run->dims.action_state = ph_actions_state_dim(actions);
  ph_actions_free(actions);
  if (dim != meta->dims.action_dim)
    return ph_fail(PH_EMISMATCH, "%s: an action has %d numbers in the episode, %d in task %s",
                   meta->id, meta->dims.action_dim, dim, ph_task_called(run->task));
  if (meta->dims.action_state > 0 && meta->dims.action_state != run->dims.action_state)
    return ph_fail(
        PH_EMISMATCH, "%s: the action terms remember %d numbers in the episode, %d in task %s",
        meta->id, meta->dims.action_state, run->dims.action_state, ph_task_called(run->task));
  return PH_OK;
}

/* A decimation that is overruled need not be the task's. */
static ph_status check_fit(const ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  char why[400];
  if (ph_states_only(run->episode, run->model, run->task, run->opt.control_steps, why, sizeof why))
    return ph_fail(PH_ENOTFOUND, "%s: %s: %s", meta->id, ph_guarantee_name(PH_STATES_ONLY), why);
  return ph_replay_fit(run->episode, run->model, run->opt.control_steps > 0 ? NULL : run->task);
}

/* --- life --- */

static void destroy(ph_rerun *run) {
  for (int i = 0; i < PH_STILL; i++)
    free(run->still[i]);
  ph_state_cache_free(run->cache);
  ph_sim_free(run->spare);
  ph_start_free(run->start);
  free(run->override);
  free(run->changes);
  ph_task_unref(run->task);
  ph_model_unref(run->model);
  free(run);
}

/* Goes to where it starts, and keeps that state. */
static ph_status begin(ph_cursor *c) {
  ph_status status = ph_rerun_anchor_set(c);
  if (status == PH_OK)
    status = ph_rerun_cache_make(c->run);
  free(c->blob);
  c->blob = malloc(c->run->blob + 1);
  if (status == PH_OK && !c->blob)
    status = no_memory(c->run);
  return status == PH_OK ? ph_rerun_keep(c) : status;
}

static ph_status make(ph_rerun *run) {
  ph_cursor *c = NULL;
  bool trusted = false;
  ph_status status = ph_cursor_new(&c, run);
  if (status == PH_OK) {
    run->timestep = c->sim->m->opt.timestep;
    run->control_dt = run->dims.control_steps * run->timestep;
    status = ph_rerun_judge_init(run);
  }
  if (status == PH_OK)
    status = ph_cursor_judge(c);
  if (status == PH_OK)
    status = begin(c);
  if (status == PH_OK)
    status = ph_rerun_trust(c, &trusted);
  if (status == PH_OK && !trusted) {
    run->full = true;
    status = ph_cursor_fresh(c);
    if (status == PH_OK)
      status = begin(c);
  }
  if (status == PH_OK && !run->full) { /* engine data costs more than all else here */
    run->spare = c->sim;
    c->sim = NULL;
  }
  ph_cursor_delete(c);
  run->given = run->opt.from != NULL;
  run->opt.from = NULL;
  return status;
}

ph_status ph_rerun_create(ph_rerun **out, const ph_episode *episode, const ph_model *model,
                          const ph_task *task, const ph_rerun_options *opt) {
  *out = NULL;
  ph_rerun *run = calloc(1, sizeof *run);
  if (!run)
    return ph_fail(PH_ENOMEM, "rerun: out of memory");
  atomic_init(&run->refs, 1);
  run->episode = episode;
  run->model = model ? ph_model_ref(model) : NULL;
  run->task = task ? ph_task_ref(task) : NULL;
  run->lossy = ph_rerun_loses_warmstart();
  ph_status status = copy_options(run, opt);
  if (status == PH_OK)
    status = check_options(run);
  if (status == PH_OK)
    status = check_fit(run);
  if (status == PH_OK)
    status = fill(run);
  if (status == PH_OK)
    status = fit_actions(run);
  if (status == PH_OK)
    status = make(run);
  if (status == PH_OK)
    *out = run;
  else
    destroy(run);
  return status;
}

ph_rerun *ph_rerun_ref(ph_rerun *run) {
  atomic_fetch_add(&run->refs, 1);
  return run;
}

void ph_rerun_unref(ph_rerun *run) {
  if (run && atomic_fetch_sub(&run->refs, 1) == 1)
    destroy(run);
}

/* --- facts --- */

const ph_episode *ph_rerun_episode(const ph_rerun *run) {
  return run->episode;
}
const ph_model *ph_rerun_model(const ph_rerun *run) {
  return run->model;
}
const ph_task *ph_rerun_task(const ph_rerun *run) {
  return run->task;
}
int64_t ph_rerun_anchor(const ph_rerun *run) {
  return run->opt.anchor;
}
int64_t ph_rerun_states(const ph_rerun *run) {
  return run->states;
}
int ph_rerun_control_steps(const ph_rerun *run) {
  return run->dims.control_steps;
}
double ph_rerun_control_dt(const ph_rerun *run) {
  return run->control_dt;
}

void ph_rerun_cached(const ph_rerun *run, ph_rerun_cache *out) {
  ph_state_cache_facts facts;
  ph_state_cache_look(run->cache, &facts);
  *out = (ph_rerun_cache){.every = facts.every,
                          .cached = facts.cached,
                          .wanted = facts.wanted,
                          .bytes = facts.bytes,
                          .full_copies = run->full};
}
