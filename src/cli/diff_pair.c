/* Two episodes: what they are, their models, their actions, their states. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/number.h>

#include "diff.h"

/* One of the two while they are compared. */
struct side {
  ph_episode *episode;
  const ph_episode_meta *meta;
  ph_model *model;
  ph_replay *replay;
};

static void add(struct diff_pair *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct diff_pair *p, const char *fmt, ...) {
  va_list args;
  if (p->nfacts == DIFF_FACTS)
    return;
  va_start(args, fmt);
  vsnprintf(p->fact[p->nfacts++], sizeof p->fact[0], fmt, args);
  va_end(args);
}

/* --- facts --- */

static void text_fact(struct diff_pair *p, const char *name, const char *a, const char *b) {
  if (strcmp(a, b))
    add(p, "%s: %.100s, %.100s", name, *a ? a : "none", *b ? b : "none");
}

static void count_fact(struct diff_pair *p, const char *name, int64_t a, int64_t b) {
  if (a != b)
    add(p, "%s: %" PRId64 ", %" PRId64, name, a, b);
}

static void number_fact(struct diff_pair *p, const char *name, double a, double b) {
  char first[PH_NUMBER_SIZE], second[PH_NUMBER_SIZE];
  if (memcmp(&a, &b, sizeof a))
    add(p, "%s: %s, %s", name, ph_number_word(first, a), ph_number_word(second, b));
}

static void compare_facts(struct diff_pair *p, const ph_episode_meta *a, const ph_episode_meta *b) {
  count_fact(p, "states", a->states, b->states);
  count_fact(p, "actions", a->actions, b->actions);
  text_fact(p, "seed", a->seed, b->seed);
  text_fact(p, "end", ph_end_name(a->end_reason), ph_end_name(b->end_reason));
  text_fact(p, "end detail", a->end_detail, b->end_detail);
  count_fact(p, "success", a->success, b->success);
  text_fact(p, "task", a->task_sha256, b->task_sha256);
  number_fact(p, "hold seconds", a->hold_seconds, b->hold_seconds);
  number_fact(p, "control step", a->control_dt, b->control_dt);
  number_fact(p, "timestep", a->timestep, b->timestep);
  count_fact(p, "substeps of a step", a->dims.control_steps, b->dims.control_steps);
  count_fact(p, "numbers of an action", a->dims.action_dim, b->dims.action_dim);
  text_fact(p, "recipe", a->recipe, b->recipe);
  text_fact(p, "derived", a->derived, b->derived);
  text_fact(p, "engine", a->engine, b->engine);
  text_fact(p, "substrate", a->substrate, b->substrate);
}

static void compare_columns(struct diff_pair *p, const struct side *a, const struct side *b) {
  for (int c = 0; c < PH_COL_COUNT; c++) {
    ph_column col = (ph_column)c;
    bool in_a = ph_episode_has(a->episode, col), in_b = ph_episode_has(b->episode, col);
    if (in_a != in_b)
      add(p, "%s: only in the %s", ph_schema_column(col)->path, in_a ? "first" : "second");
  }
}

/* --- rows of numbers --- */

static double sum_rewards(const ph_episode *episode) {
  double sum = 0, value;
  if (!ph_episode_has(episode, PH_COL_REWARDS))
    return NAN;
  for (int64_t t = 0; t < ph_episode_rows(episode, PH_COL_REWARDS); t++, sum += value)
    if (ph_episode_read(episode, PH_COL_REWARDS, t, 1, &value) != PH_OK)
      return NAN;
  return sum;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* First row of a column, which both have and is of one width, whose bits differ; -1: none. */
static ph_status first_row(int64_t *row, const struct side *a, const struct side *b,
                           ph_column col) {
  size_t width = ph_schema_width(col, &a->meta->dims),
         size = ph_type_size(ph_schema_column(col)->type);
  int64_t rows = least(ph_episode_rows(a->episode, col), ph_episode_rows(b->episode, col));
  ph_status status = PH_OK;
  *row = -1;
  if (width != ph_schema_width(col, &b->meta->dims) || width == 0)
    return PH_OK;
  char *one = malloc(2 * width * size), *two = one ? one + width * size : NULL;
  if (!one)
    return PH_ENOMEM;
  for (int64_t t = 0; t < rows && *row < 0 && status == PH_OK; t++) {
    status = ph_episode_read(a->episode, col, t, 1, one);
    if (status == PH_OK)
      status = ph_episode_read(b->episode, col, t, 1, two);
    if (status == PH_OK && memcmp(one, two, width * size))
      *row = t;
  }
  free(one);
  return status;
}

static void compare_rows(struct diff_pair *p, const struct side *a, const struct side *b) {
  static const ph_column cols[] = {PH_COL_ACTIONS, PH_COL_REWARDS, PH_COL_PREDICATE, PH_COL_FLAGS};
  for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
    int64_t row;
    const char *path = ph_schema_column(cols[i])->path, *slash = strrchr(path, '/');
    if (!ph_episode_has(a->episode, cols[i]) || !ph_episode_has(b->episode, cols[i]))
      continue;
    if (first_row(&row, a, b, cols[i]) != PH_OK)
      add(p, "%s: %.250s", slash ? slash + 1 : path, ph_error());
    else if (row >= 0)
      add(p, "%s: they differ from row %" PRId64 " on", slash ? slash + 1 : path, row);
    if (i == 0)
      p->actions = row;
  }
}

/* --- states --- */

static void take(struct diff_pair *p, int64_t t, const ph_difference *d, const ph_model *model) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    if (!(d->max[m] > p->max[m]) && !(isnan(p->max[m]) && !isnan(d->max[m])))
      continue;
    p->max[m] = d->max[m];
    p->max_step[m] = t;
    bool body = m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE;
    bool actuator = m == PH_MEASURE_ACT || m == PH_MEASURE_CTRL;
    const char *name = d->worst[m] < 0 ? ""
                                       : ph_model_name(model,
                                                       body       ? PH_BODY
                                                       : actuator ? PH_ACTUATOR
                                                                  : PH_JOINT,
                                                       d->worst[m]);
    snprintf(p->name[m], sizeof p->name[m], "%s", name);
  }
  if (!d->equal && p->unequal == PH_COL_COUNT)
    p->unequal = d->unequal;
  for (int k = 0; k <= (int)d->cls; k++)
    if (p->first[k] < 0)
      p->first[k] = t;
  p->cls = d->cls > p->cls ? d->cls : p->cls;
}

static ph_status compare_states(struct diff_pair *p, struct side *a, struct side *b,
                                const ph_tolerance *tolerance) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(a->episode, &n);
  ph_divergence *d = NULL;
  ph_difference difference;
  int64_t states = least(a->meta->states, b->meta->states);
  ph_status status = ph_divergence_create(&d, a->model, edits, n);
  if (status == PH_OK && a->meta->dims.action_state == b->meta->dims.action_state)
    ph_divergence_set_memory(d, a->meta->dims.action_state);
  for (int64_t t = 0; t < states && status == PH_OK; t++) {
    status = ph_replay_seek(a->replay, t, 0, PH_KINEMATIC);
    if (status == PH_OK)
      status = ph_replay_seek(b->replay, t, 0, PH_KINEMATIC);
    if (status == PH_OK)
      status =
          ph_divergence_compare(d, &ph_replay_frame(a->replay)->row,
                                &ph_replay_frame(b->replay)->row, true, tolerance, &difference);
    if (status == PH_OK) {
      take(p, t, &difference, a->model);
      p->states = t + 1;
    }
    cli_progress("diff %s: step %" PRId64 " of %" PRId64, p->a.id, t, states);
  }
  ph_divergence_free(d);
  return status;
}

/* Without a model all that can be said of states is whether their bits are equal. */
static void compare_bits(struct diff_pair *p, const struct side *a, const struct side *b,
                         const char *missing) {
  int64_t first = -1, row;
  ph_status status = PH_OK;
  for (int c = 0; c < PH_COL_COUNT && status == PH_OK; c++) {
    if (!ph_episode_has(a->episode, (ph_column)c) || !ph_episode_has(b->episode, (ph_column)c))
      continue;
    status = first_row(&row, a, b, (ph_column)c);
    if (status == PH_OK && row >= 0 && (first < 0 || row < first))
      first = row;
  }
  snprintf(p->missing, sizeof p->missing,
           "the model of the %s cannot be had: rows are compared bit for bit", missing);
  if (status != PH_OK)
    snprintf(p->why, sizeof p->why, "%.310s", ph_error());
  else if (first >= 0)
    snprintf(p->why, sizeof p->why,
             "the model of the %s cannot be had; rows differ from step %" PRId64
             " on, how far is not known",
             missing, first);
  p->compared = status == PH_OK && first < 0 && ph_episode_has(a->episode, PH_COL_STATES) &&
                ph_episode_has(b->episode, PH_COL_STATES);
  if (p->compared) {
    p->first[PH_BITWISE] = 0;
    p->states = least(a->meta->states, b->meta->states);
  } else if (!p->why[0]) {
    snprintf(p->why, sizeof p->why, "the model of the %s cannot be had", missing);
  }
}

static bool usable(const struct side *s) {
  return s->model && ph_model_compiled(s->model);
}

/* Away from its run an episode has no model beside it, and names it. */
static void lend_model(struct diff_pair *p, struct side *to, ph_store *from, const char *which) {
  char why[400];
  ph_model *model = usable(to) || !to->meta->model_sha256[0]
                        ? NULL
                        : report_model(from, to->meta, why, sizeof why);
  if (!model)
    return;
  ph_model_unref(to->model);
  to->model = model;
  snprintf(p->missing, sizeof p->missing,
           "the %s has no model beside it: that of the other has its hash, and is taken", which);
}

void diff_models_free(struct diff_models *models) {
  for (struct diff_models *next; models; models = next) {
    next = models->next;
    ph_model_diff_clear(&models->differ);
    free(models);
  }
}

/* What differs of both models: as an earlier pair of episodes had it, or found out now. */
static ph_status compare_models(struct diff_pair *p, const struct side *a, const struct side *b,
                                struct diff_models **models) {
  const char *one = ph_model_sha256(a->model), *two = ph_model_sha256(b->model);
  struct diff_models *m = *models;
  if (strcmp(one, two) == 0)
    return PH_OK;
  while (m && (strcmp(m->hash[0], one) || strcmp(m->hash[1], two)))
    m = m->next;
  p->model_known = m != NULL;
  if (!m) {
    m = calloc(1, sizeof *m);
    if (!m || ph_model_compare(&m->differ, a->model, b->model, DIFF_MODEL) != PH_OK) {
      free(m);
      return PH_ENOMEM;
    }
    snprintf(m->hash[0], sizeof m->hash[0], "%s", one);
    snprintf(m->hash[1], sizeof m->hash[1], "%s", two);
    snprintf(m->first, sizeof m->first, "%s, %s", p->a.id, p->b.id);
    m->next = *models;
    *models = m;
  }
  p->model = m->differ.n > 0 ? m : NULL;
  return PH_OK;
}

/* Rows of one model are rows of the other. */
static bool fits(const struct diff_pair *p) {
  for (size_t i = 0; p->model && i < p->model->differ.kept; i++)
    if (p->model->differ.change[i].structure)
      return false;
  return true;
}

static ph_status compare_physics(struct diff_pair *p, struct side *a, struct side *b,
                                 const ph_tolerance *tolerance, struct diff_models **models) {
  const char *missing = !usable(a) ? "first" : !usable(b) ? "second" : NULL;
  if (missing) {
    text_fact(p, "model", a->meta->model_sha256, b->meta->model_sha256);
    compare_bits(p, a, b, missing);
    return PH_OK;
  }
  if (compare_models(p, a, b, models) != PH_OK)
    return PH_ENOMEM;
  if (!fits(p)) {
    snprintf(p->why, sizeof p->why, "a state of one is none of the other: %s",
             p->model->differ.change[0].text);
    return PH_OK;
  }
  ph_status status = ph_replay_create(&a->replay, a->episode, a->model, NULL);
  if (status == PH_OK)
    status = ph_replay_create(&b->replay, b->episode, b->model, NULL);
  if (status == PH_OK)
    status = compare_states(p, a, b, tolerance);
  p->compared = status == PH_OK;
  if (status != PH_OK && status != PH_ENOMEM)
    snprintf(p->why, sizeof p->why, "%.310s", ph_error());
  return status == PH_ENOMEM ? status : PH_OK;
}

/* --- both --- */

static ph_status open_side(struct side *s, ph_entry *entry, ph_store *store, size_t i) {
  char why[400];
  ph_status status = ph_store_episode(&s->episode, store, i);
  *entry = *ph_store_entry(store, i);
  if (status != PH_OK)
    return status;
  s->meta = ph_episode_meta_of(s->episode);
  s->model = report_model(store, s->meta, why, sizeof why);
  return PH_OK;
}

static void close_side(struct side *s) {
  ph_replay_free(s->replay);
  ph_model_unref(s->model);
  ph_episode_free(s->episode);
}

ph_status diff_compare(struct diff_pair *p, ph_store *a, size_t i, ph_store *b, size_t j,
                       const ph_tolerance *tolerance, struct diff_models **models) {
  struct side one = {0}, two = {0};
  memset(p, 0, sizeof *p);
  p->actions = -1;
  p->unequal = PH_COL_COUNT;
  for (int k = 0; k < PH_CLASS_COUNT; k++)
    p->first[k] = -1;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    p->max[m] = NAN;
  ph_status status = open_side(&one, &p->a, a, i);
  if (status == PH_OK)
    status = open_side(&two, &p->b, b, j);
  if (status == PH_OK) {
    lend_model(p, &one, b, "first");
    lend_model(p, &two, a, "second");
  }
  if (status == PH_OK) {
    compare_facts(p, one.meta, two.meta);
    compare_columns(p, &one, &two);
    compare_rows(p, &one, &two);
    p->reward[0] = sum_rewards(one.episode);
    p->reward[1] = sum_rewards(two.episode);
    status = compare_physics(p, &one, &two, tolerance, models);
  }
  close_side(&two);
  close_side(&one);
  return status;
}

bool diff_is_same(const struct diff_pair *p) {
  return p->compared && p->cls == PH_BITWISE && p->nfacts == 0 && !p->model;
}
