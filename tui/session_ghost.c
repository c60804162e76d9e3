/* The session's side of a ghost: it is opened on a thread of its own, its states are held against
 * those of the episode on show a slice at a time, and its frame is made with each answer. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ghost_open.h"
#include "ghost_pairs.h"
#include "session_parts.h"

enum {
  OPEN_MS = 10,     /* between two looks at whether it is open */
  PUBLISH_MS = 100, /* between two answers while it is compared */
  SLICE_MS = 8,
  SLICE_ROWS = 64,
};

struct ghost {
  uint64_t serial; /* of the wish that all below is for */
  char path[GHOST_PATH];
  struct ghost_job *job;
  uint64_t job_serial;
  size_t job_of; /* place of the episode on show that it is looked for beside */

  struct ghost_found found;
  bool looked; /* found is for the episode `of`: */
  size_t of;
  ph_replay *replay;
  struct ghost_pairs pairs;
  char error[400]; /* "" or why there is none */

  /* states */
  ph_tolerance tolerance;
  int64_t both, scanned, total;
  float *ratio; /* (total) worst error in tolerances; 0 equal bits */
  double *rows; /* a slice of each */
  int64_t first, beyond, actions;
  struct ghost_pair worst_first; /* what is worst at `first`, by */
  double first_error;
  int64_t actions_read;
  char damage[400];

  struct lanes *lanes;
  int64_t lanes_scanned;
};

/* --- clearing --- */

static void drop_scan(struct ghost *g) {
  free(g->ratio);
  free(g->rows);
  g->ratio = NULL;
  g->rows = NULL;
  lanes_unref(g->lanes);
  g->lanes = NULL;
  g->scanned = g->total = g->both = g->actions_read = 0;
  g->first = g->beyond = g->actions = -1;
  g->damage[0] = 0;
}

/* All but the store, which has the ghosts of other episodes too. */
static void drop_pair(struct ghost *g) {
  ph_store *store = g->found.store;
  drop_scan(g);
  ph_replay_free(g->replay);
  g->replay = NULL;
  ghost_pairs_clear(&g->pairs);
  g->found.store = NULL;
  ghost_found_clear(&g->found);
  g->found.store = store;
  g->error[0] = 0;
  g->looked = false;
}

static void drop_all(struct ghost *g) {
  drop_pair(g);
  ghost_found_clear(&g->found);
  if (g->job)
    ghost_job_cancel(g->job);
}

void session_ghost_free(struct session *s) {
  struct ghost *g = s->ghost;
  if (!g)
    return;
  drop_all(g);
  if (g->job)
    ghost_job_end(g->job, NULL);
  free(g);
  s->ghost = NULL;
}

/* --- finding it --- */

static void start_job(struct session *s, struct ghost *g, const struct opened *o) {
  const ph_episode_meta *meta = &o->reel->meta;
  struct ghost_search search = {.options = s->store_options,
                                .store = g->found.store,
                                .model = o->model,
                                .env_id = meta->env_id,
                                .episode = meta->episode,
                                .ours = !meta->layout[0]};
  memcpy(search.path, g->path, sizeof search.path);
  memcpy(search.id, meta->id, sizeof search.id);
  g->found.store = NULL;
  g->job_serial = g->serial;
  g->job_of = o->place;
  g->job = ghost_job_start(&search);
  if (g->job)
    return;
  snprintf(g->error, sizeof g->error, "%s", ph_status_message(PH_ENOMEM));
  g->looked = true;
  g->of = o->place;
}

/* What is wanted, and what of the old is in its way. False: out of memory. */
static bool aim(struct session *s, const struct opened *o) {
  const struct ghost_wish *wish = &s->last.ghost;
  struct ghost *g = s->ghost;
  if (!g && !wish->path[0])
    return true;
  if (!g) {
    g = s->ghost = calloc(1, sizeof *g);
    if (!g)
      return false;
    drop_scan(g);
  }
  if (wish->serial != g->serial || strcmp(wish->path, g->path) != 0) {
    drop_all(g);
    g->serial = wish->serial;
    memcpy(g->path, wish->path, sizeof g->path);
  }
  if (g->looked && g->of != o->place)
    drop_pair(g);
  ph_tolerance tolerance = wish_tolerance(&s->last.dyn);
  if (memcmp(&tolerance, &g->tolerance, sizeof tolerance) != 0)
    drop_scan(g);
  g->tolerance = tolerance;
  if (g->path[0] && !g->looked && !g->job)
    start_job(s, g, o);
  return true;
}

/* Joints and bodies by the names of both; what is in the way is in g->error. */
static void pair(struct ghost *g, const struct opened *o) {
  size_t n = 0;
  const ph_model *model = g->found.model;
  ph_status status = ph_replay_create(&g->replay, g->found.episode, model, NULL);
  if (status != PH_OK && model)
    status = ph_replay_create(&g->replay, g->found.episode, NULL, NULL);
  if (status != PH_OK) {
    g->replay = NULL;
    snprintf(g->error, sizeof g->error, "%s",
             status == PH_ENOMEM ? ph_status_message(status) : ph_error());
    return;
  }
  const ph_signal *there = ph_replay_signals(g->replay, &n);
  if (!ghost_pairs_make(&g->pairs, o->reel->signals, o->reel->nsignals, &o->reel->meta.dims, there,
                        n, &ph_episode_meta_of(g->found.episode)->dims))
    snprintf(g->error, sizeof g->error, "%s", ph_status_message(PH_ENOMEM));
  else if (g->pairs.n == 0)
    snprintf(g->error, sizeof g->error,
             "%.200s: no joint and no number of it has a name that this one has",
             ph_episode_meta_of(g->found.episode)->id);
}

/* The job has ended: what it found is taken if it is still wanted. */
static void take_job(struct session *s, struct ghost *g, struct opened *o) {
  struct ghost_found found;
  bool wanted = g->job_serial == g->serial;
  ghost_job_end(g->job, &found);
  g->job = NULL;
  if (!wanted) {
    ghost_found_clear(&found);
  } else {
    ghost_found_clear(&g->found);
    g->found = found;
    g->looked = true;
    g->of = g->job_of;
    memcpy(g->error, found.error, sizeof g->error);
  }
  if (g->looked && g->of != o->place)
    drop_pair(g);
  if (g->path[0] && !g->looked)
    start_job(s, g, o);
  else if (g->looked && !g->error[0])
    pair(g, o);
}

/* --- comparing states --- */

static bool wants_scan(const struct ghost *g) {
  return g->looked && g->replay && !g->error[0] && !g->damage[0] && g->pairs.states > 0 &&
         (!g->ratio || g->scanned < g->total);
}

static int state_width(const ph_dims *d) {
  return 1 + d->nq + d->nv + d->na;
}

static bool begin_scan(struct ghost *g, const struct opened *o) {
  const ph_episode_meta *a = &o->reel->meta, *b = ph_episode_meta_of(g->found.episode);
  size_t width = (size_t)(state_width(&a->dims) + state_width(&b->dims));
  g->total = ph_episode_rows(o->episode, PH_COL_STATES);
  int64_t there = ph_episode_rows(g->found.episode, PH_COL_STATES);
  g->both = there < g->total ? there : g->total;
  for (size_t i = 0; i < g->pairs.n; i++) {
    g->pairs.pair[i].worst = g->pairs.pair[i].a >= 0 ? 0 : NAN;
    g->pairs.pair[i].step = -1;
  }
  if (g->total <= 0 || there <= 0) {
    g->total = 0;
    snprintf(g->damage, sizeof g->damage, "no states are stored of one of the two");
    return false;
  }
  g->ratio = malloc((size_t)g->total * sizeof *g->ratio);
  g->rows = malloc(width * SLICE_ROWS * sizeof *g->rows);
  if (g->ratio && g->rows)
    return true;
  free(g->ratio);
  free(g->rows);
  g->ratio = NULL;
  g->rows = NULL;
  g->total = 0;
  snprintf(g->damage, sizeof g->damage, "%s", ph_status_message(PH_ENOMEM));
  return false;
}

/* Worst of a step in tolerances; 0 for equal bits alone. */
static double compare_row(struct ghost *g, int64_t step, const double *a, const double *b,
                          size_t *worst, double *error) {
  double most = 0;
  for (size_t i = 0; i < g->pairs.states; i++) {
    struct ghost_pair *p = &g->pairs.pair[i];
    if (memcmp(a + p->a, b + p->b, (size_t)p->n * sizeof *a) == 0)
      continue;
    double e = ghost_error(a + p->a, b + p->b, p->n);
    double ratio = isnan(e) ? INFINITY : fmax(e / g->tolerance.of[p->measure], DBL_EPSILON);
    double kept = isnan(e) ? INFINITY : e;
    if (step < g->both && (p->step < 0 || kept > p->worst)) {
      p->worst = kept;
      p->step = step;
    }
    if (ratio <= most)
      continue;
    most = ratio;
    *worst = i;
    *error = e;
  }
  return most;
}

static void take_row(struct ghost *g, int64_t step, const double *a, const double *b) {
  size_t worst = 0;
  double error = 0, ratio = compare_row(g, step, a, b, &worst, &error);
  g->ratio[step] = (float)ratio;
  if (step >= g->both || ratio == 0)
    return;
  if (g->first < 0) {
    g->first = step;
    g->worst_first = g->pairs.pair[worst];
    g->first_error = error;
  }
  if (g->beyond < 0 && ratio > 1)
    g->beyond = step;
}

/* Up to SLICE_ROWS states of both; past its end the ghost's last one stands for all. */
static bool scan_slice(struct ghost *g, const struct opened *o) {
  const ph_episode *there = g->found.episode;
  int wa = state_width(&o->reel->meta.dims), wb = state_width(&ph_episode_meta_of(there)->dims);
  int64_t at = g->scanned, n = g->total - at < SLICE_ROWS ? g->total - at : SLICE_ROWS;
  bool held = at >= g->both;
  n = !held && at + n > g->both ? g->both - at : n;
  double *a = g->rows, *b = a + (size_t)wa * SLICE_ROWS;
  ph_status status = ph_episode_read(o->episode, PH_COL_STATES, at, n, a);
  if (status == PH_OK)
    status = ph_episode_read(there, PH_COL_STATES, held ? g->both - 1 : at, held ? 1 : n, b);
  if (status != PH_OK) {
    snprintf(g->damage, sizeof g->damage, "%s", ph_error());
    return false;
  }
  for (int64_t i = 0; i < n; i++)
    take_row(g, at + i, a + i * wa, held ? b : b + i * wb);
  g->scanned = at + n;
  return true;
}

/* The first action that is another; they are read as far as states are. */
static void scan_actions(struct ghost *g, const struct opened *o) {
  const ph_episode *a = o->episode, *b = g->found.episode;
  int width = o->reel->meta.dims.action_dim;
  int64_t rows = ph_episode_rows(a, PH_COL_ACTIONS), other = ph_episode_rows(b, PH_COL_ACTIONS);
  rows = other < rows ? other : rows;
  rows = g->scanned < rows ? g->scanned : rows;
  if (width <= 0 || width != ph_episode_meta_of(b)->dims.action_dim || g->actions >= 0)
    return;
  size_t size = (size_t)width * sizeof(double);
  double *row = malloc(2 * size);
  for (; row && g->actions < 0 && g->actions_read < rows; g->actions_read++) {
    if (ph_episode_read(a, PH_COL_ACTIONS, g->actions_read, 1, row) != PH_OK ||
        ph_episode_read(b, PH_COL_ACTIONS, g->actions_read, 1, row + width) != PH_OK)
      break;
    if (memcmp(row, row + width, size) != 0)
      g->actions = g->actions_read;
  }
  free(row);
}

static void scan(struct ghost *g, const struct opened *o, uint64_t until,
                 bool (*interrupted)(void *arg), void *arg) {
  if (!g->ratio && !begin_scan(g, o))
    return;
  while (g->scanned < g->total && scan_slice(g, o)) {
    scan_actions(g, o);
    if ((until && session_clock() >= until) || (interrupted && interrupted(arg)))
      return;
  }
}

/* --- a piece at a time --- */

bool session_ghost_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                        void *arg, bool *due) {
  struct ghost *g = s->ghost;
  *due = false;
  if (g && g->job && ghost_job_ended(g->job)) {
    take_job(s, g, o);
    *due = g->looked;
    return true;
  }
  if (!g || !wants_scan(g))
    return false;
  scan(g, o, session_clock() + SLICE_MS, interrupted, arg);
  *due = !wants_scan(g) || session_clock() - s->published >= PUBLISH_MS;
  return true;
}

uint64_t session_ghost_wait(const struct session *s) {
  const struct ghost *g = s->ghost;
  return !g ? UINT64_MAX : g->job ? OPEN_MS : wants_scan(g) ? 0 : UINT64_MAX;
}

bool session_ghost_settle(struct session *s, struct opened *o) {
  struct ghost *g = s->ghost;
  bool news = false;
  for (; g && g->job; news = true)
    take_job(s, g, o);
  if (g && wants_scan(g)) {
    scan(g, o, 0, NULL, NULL);
    news = true;
  }
  return news;
}

/* --- the answer --- */

/* The lane, as the timeline has it. */
static bool make_lanes(struct ghost *g, const struct opened *o, const struct dynamic_wish *wish) {
  int64_t first, last;
  int columns = lanes_window(wish, o->reel->states, &first, &last);
  struct lanes *l = g->lanes;
  if (columns <= 0 || !g->ratio) {
    lanes_unref(l);
    g->lanes = NULL;
    return true;
  }
  if (l && l->first == first && l->last == last && l->n == columns &&
      g->lanes_scanned == g->scanned)
    return true;
  l = calloc(1, sizeof *l);
  double *value = l ? malloc((size_t)columns * sizeof *value) : NULL;
  if (!value) {
    free(l);
    return false;
  }
  atomic_init(&l->refs, 1);
  *l = (struct lanes){.refs = 1, .first = first, .last = last, .n = columns, .ghost = value};
  for (int i = 0; i < columns; i++) {
    int64_t from, to;
    lanes_steps(l, i, &from, &to);
    value[i] = from < g->scanned ? 0 : NAN;
    for (int64_t t = from; t <= to && t < g->scanned; t++)
      value[i] = fmax(value[i], (double)g->ratio[t]);
  }
  lanes_unref(g->lanes);
  g->lanes = l;
  g->lanes_scanned = g->scanned;
  return true;
}

static bool copy_changes(struct ghost_answer *out, const ph_model_diff *diff) {
  out->nchanges = diff->n;
  if (diff->kept == 0)
    return true;
  out->change = malloc(diff->kept * sizeof *out->change);
  if (!out->change)
    return false;
  out->kept = diff->kept;
  memcpy(out->change, diff->change, diff->kept * sizeof *out->change);
  return true;
}

/* A frame's numbers, by signal, and the sim that is at it; NULL: none. */
struct shown {
  const double *values;
  const ph_sim *sim;
};

/* Numbers that a pair is about. NULL: not known here. */
static const double *numbers_of(const struct shown *f, int signal, int body) {
  const double *place = f->values ? f->values + signal : NULL;
  if (body < 0 || !place)
    return place;
  return isnan(*place) || !f->sim ? NULL : ph_sim_body_quat(f->sim, body);
}

/* known: how it is over the whole. */
static void fill_row(struct ghost_row *row, const struct ghost_pair *p, bool known,
                     const struct shown *shown_here, const struct shown *shown_there) {
  const double *here = numbers_of(shown_here, p->here, p->body_here);
  const double *there = numbers_of(shown_there, p->there, p->body_there);
  *row = (struct ghost_row){.unit = p->unit,
                            .signal = p->here,
                            .apart = p->n > 1,
                            .value = NAN,
                            .now = NAN,
                            .worst = known ? p->worst : NAN,
                            .step = p->step};
  memcpy(row->name, p->name, sizeof row->name);
  if (!there)
    return;
  row->value = p->n == 1 ? *there : NAN;
  if (!here)
    return;
  row->now = ghost_error(here, there, p->n);
  row->equal = memcmp(here, there, (size_t)p->n * sizeof *here) == 0;
  row->equal = row->equal && !(p->a < 0 && isnan(row->now)); /* neither is known */
}

/* By which rows are sorted: what is in the states by its worst, bodies by now, the rest last. */
static double rank_of(const struct ghost *g, const struct ghost_pair *p,
                      const struct ghost_row *row) {
  double of = p->measure < PH_MEASURE_COUNT ? g->tolerance.of[p->measure] : 1;
  double e = p->a >= 0 ? row->worst : row->now;
  return isnan(e) || p->measure == PH_MEASURE_COUNT ? 0 : e / of;
}

struct ranked {
  int group; /* 0 states, 1 bodies, 2 the rest */
  double rank;
  size_t place;
};

static int by_rank(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool fill_rows(struct ghost_answer *out, const struct ghost *g, const struct shown *here,
                      const struct shown *there) {
  size_t n = g->pairs.n;
  struct ranked *order = malloc((n + 1) * sizeof *order);
  struct ghost_row *rows = malloc((n + 1) * sizeof *rows);
  out->row = malloc((n + 1) * sizeof *out->row);
  bool ok = order && rows && out->row;
  for (size_t i = 0; ok && i < n; i++) {
    const struct ghost_pair *p = &g->pairs.pair[i];
    fill_row(&rows[i], p, g->scanned > 0, here, there);
    order[i] = (struct ranked){.group = p->a >= 0                   ? 0
                                        : p->kind == PH_SIGNAL_BODY ? 1
                                                                    : 2,
                               .rank = rank_of(g, p, &rows[i]),
                               .place = i};
  }
  if (ok) {
    qsort(order, n, sizeof *order, by_rank);
    for (size_t i = 0; i < n; i++)
      out->row[i] = rows[order[i].place];
    out->nrows = n;
  }
  free(order);
  free(rows);
  return ok;
}

static bool fill_frame(struct ghost_answer *out, struct ghost *g, const struct opened *o,
                       const struct snapshot *snap) {
  int64_t last = out->states - 1;
  out->step = snap->step > last ? last : snap->step;
  out->held = snap->step > last;
  struct shown here = {0}, there = {0};
  if (ph_replay_seek(g->replay, out->step, 0, PH_KINEMATIC) == PH_OK) {
    const ph_frame *frame = ph_replay_frame(g->replay);
    there = (struct shown){frame->values, ph_replay_sim(g->replay)};
    out->has_frame = true;
    snprintf(out->note, sizeof out->note, "%s", frame->note);
  } else {
    snprintf(out->note, sizeof out->note, "%s", ph_error());
  }
  if (snap->has_frame)
    here = (struct shown){snap->values, ph_replay_sim(o->replay)};
  return fill_rows(out, g, &here, &there);
}

static void fill_whole(struct ghost_answer *out, const struct ghost *g, const struct opened *o) {
  const ph_episode_meta *meta = ph_episode_meta_of(g->found.episode);
  snprintf(out->file, sizeof out->file, "%s", meta->file);
  snprintf(out->id, sizeof out->id, "%s", meta->id);
  out->states = meta->states;
  out->control_dt = meta->control_dt;
  out->no_model = !g->found.model || !ph_model_compiled(g->found.model) || !o->model ||
                  !ph_model_compiled(o->model);
  out->only_here = g->pairs.only_here;
  out->only_there = g->pairs.only_there;
  out->both = meta->states < o->reel->states ? meta->states : o->reel->states;
  out->scanned = g->scanned;
  out->total = g->pairs.states > 0 ? o->reel->states : 0;
  out->first = g->first;
  out->beyond = g->beyond;
  out->actions = g->actions;
  if (g->first >= 0) {
    memcpy(out->first_name, g->worst_first.name, sizeof out->first_name);
    out->first_unit = g->worst_first.unit;
    out->first_error = g->first_error;
  }
  memcpy(out->damage, g->damage, sizeof out->damage);
  out->lanes = g->lanes ? lanes_ref(g->lanes) : NULL;
}

ph_status session_ghost_answer(struct session *s, struct opened *o, struct snapshot *snap) {
  if (!aim(s, o))
    return PH_ENOMEM;
  struct ghost *g = s->ghost;
  if (!g || !g->path[0])
    return PH_OK;
  struct ghost_answer *out = snap->ghost = calloc(1, sizeof *out);
  if (!out)
    return PH_ENOMEM;
  out->serial = g->serial;
  out->first = out->beyond = out->actions = -1;
  out->opening = !g->looked;
  memcpy(out->error, g->error, sizeof out->error);
  if (out->opening || out->error[0])
    return PH_OK;
  if (!make_lanes(g, o, &s->last.dyn))
    return PH_ENOMEM;
  fill_whole(out, g, o);
  if (!copy_changes(out, &g->found.diff))
    return PH_ENOMEM;
  return fill_frame(out, g, o, snap) ? PH_OK : PH_ENOMEM;
}
