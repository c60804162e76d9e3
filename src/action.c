#include <playhead/action.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_term.h"
#include "fail.h"
#include "ik.h"
#include "task.h"
#include "task_line.h"

/* --- what terms are made of --- */

ph_status ph_term_element(ph_term *term, int actuator, const char *name, const ph_term_map *map,
                          double low, double high) {
  ph_actions *a = term->actions;
  if (a->dim == a->room) {
    int room = 2 * a->room + 16;
    ph_element *more = realloc(a->elements, (size_t)room * sizeof *more);
    if (!more)
      return ph_fail(PH_ENOMEM, "actions: out of memory");
    a->elements = more;
    a->room = room;
  }
  ph_element *e = &a->elements[a->dim++];
  *e = (ph_element){.shown = {.actuator = actuator, .term = term->type->name},
                    .map = *map,
                    .low = low,
                    .high = high};
  snprintf(e->name, sizeof e->name, "%s", name);
  term->nelements++;
  return PH_OK;
}

ph_status ph_term_remember(ph_term *term, int n) {
  ph_actions *a = term->actions;
  double *more = realloc(a->memory, (size_t)(a->nmemory + n) * sizeof *more);
  if (!more)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  memset(more + a->nmemory, 0, (size_t)n * sizeof *more);
  a->memory = more;
  term->memory = a->nmemory;
  term->nmemory = n;
  a->nmemory += n;
  return PH_OK;
}

/* --- life --- */

static const ph_term_type *find_type(const char *name) {
  static const ph_term_type *const types[] = {&ph_term_ctrl, &ph_term_joint_position,
                                              &ph_term_joint_delta, &ph_term_gripper,
                                              &ph_term_eef_pose};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i]->name, name) == 0)
      return types[i];
  return NULL;
}

static ph_status add_term(ph_actions *a, const ph_term_spec *spec) {
  ph_term *term = &a->terms[a->nterms++];
  *term = (ph_term){.type = find_type(spec->type),
                    .spec = spec,
                    .actions = a,
                    .number = a->nterms,
                    .first = a->dim,
                    .threshold = NAN};
  if (!term->type)
    return ph_fail(PH_EMISMATCH, "actions[%d]: unknown type '%s'", term->number, spec->type);
  ph_status st = term->type->create(term);
  term->spec = NULL;
  return st;
}

/* The raw values between which nothing is cut. */
static void show_range(ph_element *e) {
  const ph_term_map *map = &e->map;
  double low = fmax(map->min, e->low), high = fmin(map->max, e->high);
  double ends[2] = {(low - map->offset) / map->scale, (high - map->offset) / map->scale};
  e->shown.min = e->mapped ? -1 : map->scale == 0 ? -INFINITY : fmin(ends[0], ends[1]);
  e->shown.max = e->mapped ? 1 : map->scale == 0 ? INFINITY : fmax(ends[0], ends[1]);
}

static ph_status set_ranges(ph_actions *a, const ph_task_spec *spec) {
  if (spec->range_min && spec->nrange != (size_t)a->dim)
    return ph_fail(PH_EMISMATCH, "action_range: has %zu element%s, the action has %d", spec->nrange,
                   spec->nrange == 1 ? "" : "s", a->dim);
  for (int i = 0; i < a->dim; i++) {
    ph_element *e = &a->elements[i];
    e->shown.name = e->name;
    e->mapped = spec->range_min != NULL;
    e->range_min = e->mapped ? spec->range_min[i] : 0;
    e->range_max = e->mapped ? spec->range_max[i] : 0;
    show_range(e);
  }
  return PH_OK;
}

static ph_status allocate_actions(ph_actions **out, const ph_model *model, size_t nterms) {
  ph_actions *a = calloc(1, sizeof *a);
  *out = a;
  if (!a)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  a->model = ph_model_ref(model);
  a->terms = calloc(nterms + 1, sizeof *a->terms);
  a->driver = calloc((size_t)model->m->nu + 1, sizeof *a->driver);
  if (!a->terms || !a->driver)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  return PH_OK;
}

static ph_status allocate_buffers(ph_actions *a) {
  size_t n = (size_t)a->dim + 1;
  a->x = calloc(n, sizeof *a->x);
  a->clipped = calloc(n, sizeof *a->clipped);
  a->clips = calloc(n, sizeof *a->clips);
  return a->x && a->clipped && a->clips ? PH_OK : ph_fail(PH_ENOMEM, "actions: out of memory");
}

/* "task.lua:12: " before a message about its table. */
static ph_status fail_where(ph_status st, const ph_task *task) {
  const char *text = task->base ? task->base : task->source;
  int line = ph_task_line(text, task->base ? task->base_size : task->size, ph_error());
  return line > 0 ? ph_fail_in(st, "%s:%d", task->name, line) : ph_fail_in(st, "%s", task->name);
}

ph_status ph_actions_create(ph_actions **out, const ph_task *task, const ph_model *model) {
  static char everything[] = "*";
  char *patterns[] = {everything};
  const ph_term_map same = {1, 0, -INFINITY, INFINITY};
  const ph_term_spec plain = {
      .type = "ctrl", .patterns = patterns, .npatterns = 1, .map = same, .rotation = same};
  const ph_task_spec *spec = ph_task_spec_of(task);
  size_t n = spec->info.nterms;
  ph_actions *a = NULL;
  *out = NULL;
  if (!model->m)
    return ph_fail(PH_EMODEL, "actions: the model does not compile: %s", model->error);
  ph_status st = allocate_actions(&a, model, n);
  if (st == PH_OK && spec->no_terms && model->m->nu > 0)
    st = ph_fail(PH_EMISMATCH, "actions: the list is empty, the model has %d actuators",
                 (int)model->m->nu);
  for (size_t i = 0; st == PH_OK && i < n; i++)
    st = add_term(a, &spec->terms[i]);
  if (st == PH_OK && n == 0 && model->m->nu > 0)
    st = add_term(a, &plain);
  if (st == PH_OK)
    st = set_ranges(a, spec);
  if (st == PH_OK)
    st = allocate_buffers(a);
  if (st == PH_OK)
    *out = a;
  else
    ph_actions_free(a);
  return st == PH_OK ? PH_OK : fail_where(st, task);
}

void ph_actions_free(ph_actions *actions) {
  if (!actions)
    return;
  for (int i = 0; i < actions->nterms; i++) {
    ph_ik_free(actions->terms[i].ik);
    free(actions->terms[i].drives);
    free(actions->terms[i].work);
  }
  ph_model_unref((ph_model *)actions->model);
  free(actions->terms);
  free(actions->elements);
  free(actions->memory);
  free(actions->driver);
  free(actions->x);
  free(actions->clipped);
  free(actions->clips);
  free(actions);
}

/* --- facts --- */

int ph_actions_dim(const ph_actions *actions) {
  return actions->dim;
}

int ph_actions_state_dim(const ph_actions *actions) {
  return actions->nmemory;
}

const ph_action_element *ph_actions_element(const ph_actions *actions, int i) {
  return i >= 0 && i < actions->dim ? &actions->elements[i].shown : NULL;
}

bool ph_actions_clipped(const ph_actions *actions, int i) {
  return i >= 0 && i < actions->dim && actions->clipped[i];
}

int64_t ph_actions_clip_count(const ph_actions *actions, int i) {
  return i >= 0 && i < actions->dim ? actions->clips[i] : 0;
}

/* --- memory --- */

void ph_actions_reset(ph_actions *actions, const ph_sim *sim) {
  for (int i = 0; i < actions->nterms; i++)
    if (actions->terms[i].type->reset)
      actions->terms[i].type->reset(&actions->terms[i], sim);
  for (int i = 0; i < actions->dim; i++) {
    actions->clipped[i] = 0;
    actions->clips[i] = 0;
  }
}

void ph_actions_get_state(const ph_actions *actions, double *out) {
  if (actions->nmemory > 0)
    memcpy(out, actions->memory, (size_t)actions->nmemory * sizeof *out);
}

void ph_actions_set_state(ph_actions *actions, const double *state) {
  if (actions->nmemory > 0)
    memcpy(actions->memory, state, (size_t)actions->nmemory * sizeof *state);
}

/* --- apply --- */

static double map_element(const ph_element *e, double raw, uint8_t *clipped) {
  double x = raw;
  if (e->mapped) {
    x = ph_clip(x, -1, 1, clipped);
    x = e->range_min + (x + 1) / 2 * (e->range_max - e->range_min);
  }
  return ph_clip(e->map.offset + e->map.scale * x, e->map.min, e->map.max, clipped);
}

ph_status ph_actions_apply(ph_actions *actions, const ph_sim *sim, const double *action,
                           double *ctrl, bool *clipped) {
  *clipped = false;
  for (int i = 0; i < actions->dim; i++)
    if (!isfinite(action[i]))
      return ph_fail(PH_EINVAL, "action[%d] (%s): %g is not finite", i, actions->elements[i].name,
                     action[i]);
  for (int i = 0; i < actions->dim; i++) {
    actions->clipped[i] = 0;
    actions->x[i] = map_element(&actions->elements[i], action[i], &actions->clipped[i]);
  }
  for (int i = 0; i < actions->nterms; i++) {
    ph_term *term = &actions->terms[i];
    term->type->apply(term, sim, actions->x + term->first, ctrl, actions->clipped + term->first);
  }
  for (int i = 0; i < actions->dim; i++) {
    actions->clips[i] += actions->clipped[i];
    *clipped = *clipped || actions->clipped[i];
  }
  return PH_OK;
}
