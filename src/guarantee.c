#include <playhead/replay.h>

#include <stdio.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "guarantee.h"
#include "mj.h"
#include "replay_fit.h"
#include "task.h"

const char *ph_guarantee_name(ph_guarantee g) {
  switch (g) {
  case PH_EXACT:
    return "EXACT";
  case PH_NOT_EXACT:
    return "NOT EXACT";
  case PH_STATES_ONLY:
    return "STATES ONLY";
  }
  return "STATES ONLY";
}

static size_t terms_of(const ph_task *task) {
  return task ? ph_task_info_of(task)->nterms : 0;
}

/* Whether it is known what an action does to ctrl. */
static bool unmapped(const ph_episode *episode, const ph_task *task, char *why, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  if (ph_episode_has(episode, PH_COL_CTRL_SUBSTEPS))
    return false; /* the file has what they did */
  if (meta->task_sha256[0] && !task)
    snprintf(why, size, "task %.12s cannot be had, so what an action does to ctrl is not known",
             meta->task_sha256);
  else if (terms_of(task) == 0 && meta->dims.action_dim != meta->dims.nu)
    snprintf(why, size, "%d action%s for %d actuator%s, and no task that maps them",
             meta->dims.action_dim, meta->dims.action_dim == 1 ? "" : "s", meta->dims.nu,
             meta->dims.nu == 1 ? "" : "s");
  else
    return false;
  return true;
}

/* ph_error() without the episode's id in front. */
static void error_text(const ph_episode_meta *meta, char *why, size_t size) {
  snprintf(why, size, "%s", ph_text_without(ph_error(), meta->id));
}

/* Whether a reset's changes of the model cannot be made to this one. */
static bool unedited(const ph_episode *episode, const ph_model *model, char *why, size_t size) {
  size_t n = 0;
  ph_field field;
  const ph_edit *edits = ph_episode_edits(episode, &n);
  for (size_t i = 0; i < n; i++)
    if (ph_mj_edit_field(model->m, &edits[i], &field) != PH_OK) {
      error_text(ph_episode_meta_of(episode), why, size);
      return true;
    }
  return false;
}

/* Why nothing can be re-simulated; false when something can. */
static bool states_only(const ph_episode *episode, const ph_model *model, const ph_task *task,
                        int control_steps, char *why, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  if (meta->engine[0] && strcmp(meta->engine, "mujoco"))
    snprintf(why, size, "recorded with another engine, %s", meta->engine);
  else if (!ph_episode_has(episode, PH_COL_ACTIONS))
    snprintf(why, size, "no actions are stored");
  else if (!model)
    snprintf(why, size, "no model");
  else if (!ph_model_compiled(model))
    snprintf(why, size, "%s", ph_model_error(model));
  else if (meta->dims.control_steps <= 0 && control_steps <= 0)
    snprintf(why, size, "how many substeps a step has is not known");
  else
    return unmapped(episode, task, why, size) || unedited(episode, model, why, size);
  return true;
}

static const char *text_or(const char *text, const char *other) {
  return text[0] ? text : other;
}

/* Whether this machine computes other bits than the one that recorded. */
static bool other_substrate(const ph_episode_meta *meta, const ph_model *model, char *why,
                            size_t size) {
  const ph_model_facts *facts = &model->facts;
  if (strcmp(facts->engine_version, ph_engine_version()))
    snprintf(why, size, "recorded with MuJoCo %s, this is %s",
             text_or(facts->engine_version, "of an unknown version"), ph_engine_version());
  else if (strcmp(facts->arch, ph_mj_arch()))
    snprintf(why, size, "recorded on %s, this is %s", text_or(facts->arch, "an unknown machine"),
             ph_mj_arch());
  else if (strcmp(meta->substrate, ph_substrate()))
    snprintf(why, size, "recorded on substrate %s, this is %s", text_or(meta->substrate, "unknown"),
             ph_substrate());
  else
    return false;
  return true;
}

static bool other_model(const ph_episode *episode, const ph_model *model, char *why, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  char change[300];
  if (strcmp(meta->model_sha256, ph_model_sha256(model)) &&
      ph_replay_model_change(episode, model, change, sizeof change))
    snprintf(why, size, "another model is in use: %s", change);
  else if (strcmp(meta->model_sha256, ph_model_sha256(model)))
    snprintf(why, size, "another model is in use: %.8s, recorded with %.8s", ph_model_sha256(model),
             text_or(meta->model_sha256, "unknown"));
  else if (strcmp(model->facts.compiled_sha256, model->compiled_sha256))
    snprintf(why, size, "the model compiles to %.8s here, to %.8s where it was recorded",
             model->compiled_sha256, text_or(model->facts.compiled_sha256, "unknown"));
  else
    return false;
  return true;
}

/* A task without terms maps nothing: a condition alone changes no physics. */
static bool other_task(const ph_episode_meta *meta, const ph_task *task, char *why, size_t size) {
  if (!task || strcmp(meta->task_sha256, ph_task_sha256(task)) == 0 ||
      strcmp(meta->task_sha256, ph_task_base_sha256(task)) == 0 ||
      (!meta->task_sha256[0] && terms_of(task) == 0))
    return false;
  snprintf(why, size, "another task is in use: %.8s, recorded with %.8s", ph_task_sha256(task),
           text_or(meta->task_sha256, "none"));
  return true;
}

static bool incomplete(const ph_episode *episode, char *why, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  static const ph_column needed[] = {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (ph_schema_width(needed[i], &meta->dims) == 0 || ph_episode_has(episode, needed[i]))
      continue;
    const char *path = ph_schema_column(needed[i])->path, *slash = strrchr(path, '/');
    snprintf(why, size, "no %s is stored", slash ? slash + 1 : path);
    return true;
  }
  if (meta->dims.action_state > 0 && !ph_episode_has(episode, PH_COL_ACTION_STATE))
    snprintf(why, size, "the memory of the action terms is not stored");
  else if (strcmp(meta->recipe, "step"))
    snprintf(why, size, "recorded with the recipe %s", text_or(meta->recipe, "unknown"));
  else
    return false;
  return true;
}

/* Whether the file itself says that it is not, or contradicts itself or what it is used with. */
static bool contradicted(const ph_episode *episode, const ph_model *model, const ph_task *task,
                         char *why, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  if (meta->oddity[0])
    snprintf(why, size, "%s", meta->oddity);
  else if (ph_replay_fit(episode, model, task) != PH_OK)
    error_text(meta, why, size);
  else if (strncmp(meta->determinism, "fails", 5) == 0 || strncmp(meta->determinism, "tol", 3) == 0)
    snprintf(why, size, "when it was checked, its steps did not come back bit by bit: %s",
             meta->determinism);
  else if (strcmp(meta->derived, "stale") == 0)
    snprintf(why, size, "recorded with stale readouts, those of the state before");
  else
    return false;
  return true;
}

/* --- episodes of other recorders --- */

/* Why nothing can be re-simulated; false when something can. */
static bool foreign_states_only(const ph_episode *episode, const ph_model *model,
                                const ph_task *task, int control_steps, char *why, size_t size) {
  const ph_episode_meta *meta = &episode->meta;
  if (episode->no_model[0])
    snprintf(why, size, "%s", episode->no_model);
  else if (!ph_episode_has(episode, PH_COL_ACTIONS))
    snprintf(why, size, "no actions are stored");
  else if (meta->controller[0] && terms_of(task) == 0)
    snprintf(why, size, "%d action%s %s, which the file does not hold", meta->dims.action_dim,
             meta->dims.action_dim == 1 ? " feeds" : "s feed", meta->controller);
  else
    return states_only(episode, model, task, control_steps, why, size);
  return true;
}

/* What of the truth is lost, the worst first. */
static void foreign_lacks(const ph_episode *episode, const ph_model *model, const ph_task *task,
                          char *why, size_t size) {
  const ph_dims *dims = &episode->meta.dims;
  ph_type states = ph_episode_stored_type(episode, PH_COL_STATES);
  ph_type actions = ph_episode_stored_type(episode, PH_COL_ACTIONS);
  bool short_states = states != PH_F64, short_actions = actions != PH_F64;
  const char *parts[7];
  size_t n = 0, used = 0;
  if (model->source->reduced)
    parts[n++] = "parts of the model are left out";
  if (model->source->altered)
    parts[n++] = "what its writer's engine knew of forces or masses is left out";
  if (short_states || short_actions)
    parts[n++] = !short_actions  ? "states are stored as float32"
                 : !short_states ? "actions are stored as float32"
                                 : "states and actions are stored as float32";
  if (dims->nv > 0)
    parts[n++] = "no warmstart is stored";
  if (episode->rounded)
    parts[n++] = "the writer rounded the model's text";
  if (!episode->own_model)
    parts[n++] = episode->other_model[0] ? episode->other_model : "the model is not the file's own";
  if (terms_of(task) == 0)
    parts[n++] = "actions are taken as ctrl";
  for (size_t i = 0; i < n && used < size; i++)
    used += (size_t)snprintf(why + used, size - used, "%s%s", i > 0 ? "; " : "", parts[i]);
  if (n == 0)
    snprintf(why, size, "nobody says how it was stepped");
}

static ph_guarantee foreign_guarantee(const ph_episode *episode, const ph_model *model,
                                      const ph_task *task, char *reason, size_t size) {
  if (foreign_states_only(episode, model, task, 0, reason, size))
    return PH_STATES_ONLY;
  if (ph_replay_fit(episode, model, task) != PH_OK)
    error_text(&episode->meta, reason, size);
  else
    foreign_lacks(episode, model, task, reason, size);
  return PH_NOT_EXACT;
}

bool ph_states_only(const ph_episode *episode, const ph_model *model, const ph_task *task,
                    int control_steps, char *why, size_t size) {
  return ph_episode_meta_of(episode)->layout[0]
             ? foreign_states_only(episode, model, task, control_steps, why, size)
             : states_only(episode, model, task, control_steps, why, size);
}

ph_guarantee ph_episode_guarantee(const ph_episode *episode, const ph_model *model,
                                  const ph_task *task, char *reason, size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  if (meta->layout[0])
    return foreign_guarantee(episode, model, task, reason, size);
  if (states_only(episode, model, task, 0, reason, size))
    return PH_STATES_ONLY;
  const char *why = ph_mj_unrestorable(model->m);
  if (why) {
    snprintf(reason, size, "%s", why);
    return PH_NOT_EXACT;
  }
  if (incomplete(episode, reason, size) || other_model(episode, model, reason, size) ||
      other_task(meta, task, reason, size) || contradicted(episode, model, task, reason, size) ||
      other_substrate(meta, model, reason, size))
    return PH_NOT_EXACT;
  snprintf(reason, size, "same MuJoCo %s, machine, substrate and compiled model; full state%s",
           ph_engine_version(),
           ph_episode_has(episode, PH_COL_CTRL_SUBSTEPS) ? "; the ctrl of each substep is fed"
           : meta->task_sha256[0]                        ? ""
                                  : "; actions are taken as ctrl, since no task is named");
  return PH_EXACT;
}
