/* Many envs behind the screen: the round of the episode on show is opened one by one, measured by a
 * pass of its own, and brought to where the playhead is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_parts.h"

enum {
  OPEN_MS = 8,            /* one batch of episodes that are opened */
  PIECE_MS = 100,         /* one piece of a seek; between two answers while the pass runs */
  WAIT_MS = 25,           /* for news of the pass */
  ENVS_CACHE = 48 << 20,  /* bytes of states of all of them */
  ENVS_RUN = 24,          /* at most so many engines stand where the playhead is */
  PASS_SUBSTEPS = 1000000 /* that `screen` runs whatever is shown */
};

struct envs {
  int asked; /* of the wish that it was made for, with: */
  ph_tolerance tolerance;
  bool broadcast;
  size_t known; /* episodes in the store when it was last looked for more of the round */
  size_t n;     /* episodes */
  size_t *entry;
  ph_ensemble_opening *opening; /* NULL: not begun, or it has ended */
  ph_ensemble *e;               /* NULL: not all are open, or: */
  char refused[400];
  bool started;
  /* where it was asked to be, and whether it is there */
  int64_t playhead;
  int substep;
  bool dynamic, sought;
  /* what was answered of the pass */
  int64_t told;
  size_t told_ended;
  bool told_over;
};

void session_envs_free(struct envs *v) {
  if (!v)
    return;
  ph_ensemble_free(v->e);
  ph_ensemble_opening_free(v->opening);
  free(v->entry);
  free(v);
}

/* --- which ones --- */

static ph_tolerance tolerance_of(const struct session *s) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (s->last.dyn.tolerance.of[m] != 0)
      return s->last.dyn.tolerance;
  return ph_tolerance_default();
}

static size_t place_in(const struct envs *v, size_t episode) {
  for (size_t i = 0; i < v->n; i++)
    if (v->entry[i] == episode)
      return i;
  return SIZE_MAX;
}

/* The round of the wanted episode, with nothing of it open; NULL: out of memory. */
static struct envs *begin(const struct session *s) {
  int asked = s->last.envs.n < PH_ENSEMBLE_MAX ? s->last.envs.n : PH_ENSEMBLE_MAX;
  struct envs *v = calloc(1, sizeof *v);
  if (!v)
    return NULL;
  v->asked = asked;
  v->tolerance = tolerance_of(s);
  v->playhead = -1;
  v->known = ph_store_count(s->store);
  v->entry = calloc((size_t)asked, sizeof *v->entry);
  if (v->entry) {
    size_t n = ph_ensemble_round(s->store, s->last.episode, v->entry, (size_t)asked);
    v->n = n < (size_t)asked ? n : (size_t)asked;
    v->broadcast = n == 1 && asked > 1 && asked < PH_ENSEMBLE_MAX;
    return v;
  }
  session_envs_free(v);
  return NULL;
}

/* Whether a recorder has added an episode of another env to it. */
static bool has_grown(struct envs *v, const struct session *s) {
  size_t known = ph_store_count(s->store), one;
  if (known == v->known)
    return false;
  v->known = known;
  size_t n = ph_ensemble_round(s->store, s->last.episode, &one, 1);
  return (n < (size_t)v->asked ? n : (size_t)v->asked) != v->n;
}

bool session_envs_aim(struct session *s) {
  const struct envs_wish *wish = &s->last.envs;
  struct envs *v = s->envs;
  ph_tolerance tolerance = tolerance_of(s);
  bool fits = v && wish->n == v->asked && place_in(v, s->last.episode) != SIZE_MAX &&
              memcmp(&tolerance, &v->tolerance, sizeof tolerance) == 0 && !has_grown(v, s);
  if (!fits) {
    session_envs_free(v);
    s->envs = wish->n > 0 ? begin(s) : NULL;
    return wish->n <= 0 || s->envs;
  }
  size_t lead = place_in(v, s->last.episode);
  if (v->e && !v->broadcast && ph_ensemble_lead(v->e) != lead)
    ph_ensemble_set_lead(v->e, lead);
  if (v->e)
    ph_ensemble_set_hold(v->e, wish->hold);
  return true;
}

/* --- opening --- */

static void refuse(struct envs *v, ph_status status) {
  snprintf(v->refused, sizeof v->refused, "%s",
           status == PH_ENOMEM ? ph_status_message(status) : ph_error());
}

/* As the episode on show is judged. */
static void begin_opening(struct envs *v, struct session *s) {
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = v->broadcast ? v->asked : 0;
  opt.budget = ENVS_CACHE;
  opt.engines = ENVS_RUN;
  opt.tolerance = v->tolerance;
  opt.hold_last = s->last.envs.hold;
  opt.align = s->last.envs.align;
  opt.lead = place_in(v, s->last.episode);
  opt.task = s->task;
  opt.success = s->success;
  ph_status status = ph_ensemble_opening_begin(&v->opening, s->store, v->entry, v->n, &opt);
  if (status != PH_OK)
    refuse(v, status);
}

/* Another env may lead by now. */
static void end_opening(struct envs *v, struct session *s) {
  ph_status status = ph_ensemble_opening_end(&v->e, v->opening);
  ph_ensemble_opening_free(v->opening);
  v->opening = NULL;
  if (status != PH_OK) {
    refuse(v, status);
    return;
  }
  if (!v->broadcast)
    ph_ensemble_set_lead(v->e, place_in(v, s->last.episode));
  ph_ensemble_set_hold(v->e, s->last.envs.hold);
  ph_ensemble_align(v->e, s->last.envs.align);
}

static bool is_opening(const struct envs *v) {
  return !v->e && !v->refused[0];
}

static void open_some(struct envs *v, struct session *s, uint64_t until,
                      bool (*interrupted)(void *arg), void *arg) {
  if (!v->opening)
    begin_opening(v, s);
  while (is_opening(v)) {
    ph_status status = ph_ensemble_opening_next(v->opening);
    if (status == PH_END)
      end_opening(v, s);
    else if (status != PH_OK)
      refuse(v, status);
    if ((until && session_clock() >= until) || (interrupted && interrupted(arg)))
      return;
  }
}

/* --- the pass --- */

/* It begins when that of the episode on show has ended: that one is waited for. */
static bool may_start(const struct session *s, const struct opened *o) {
  const struct dynamic *d = o->dynamic;
  return s->envs->e && !s->envs->started && d && !dynamic_idle(d) &&
         (!d->pass || pass_ended(d->pass));
}

static void start(struct envs *v) {
  v->started = true;
  if (ph_ensemble_start(v->e) != PH_OK)
    snprintf(v->refused, sizeof v->refused, "the pass: %s", ph_status_message(PH_ENOMEM));
}

static bool has_news(const struct envs *v) {
  ph_ensemble_progress now;
  if (!v->e || !v->started)
    return false;
  ph_ensemble_look(v->e, &now);
  return now.known != v->told || now.ended != v->told_ended || now.over != v->told_over;
}

/* --- where the playhead is --- */

/* The last playhead in lockstep, and with last states held. */
static void ends_of(const struct session *s, int64_t *least, int64_t *most) {
  ph_ensemble *e = s->envs->e;
  ph_ensemble_set_hold(e, true);
  *most = ph_ensemble_last(e);
  ph_ensemble_set_hold(e, false);
  *least = ph_ensemble_last(e);
  ph_ensemble_set_hold(e, s->last.envs.hold);
}

int64_t session_envs_clamp(const struct session *s, int64_t step) {
  int64_t least, most;
  if (!s->envs || !s->envs->e || s->last.envs.hold)
    return step;
  ends_of(s, &least, &most);
  return step < least ? step : least;
}

/* Latches that came since are aligned by, too. */
static void align(const struct session *s) {
  struct envs *v = s->envs;
  ph_align how = s->last.envs.align;
  bool latches = how == PH_ALIGN_LATCH || how == PH_ALIGN_DYNAMIC;
  if (how != ph_ensemble_align_of(v->e) || (latches && !v->told_over)) {
    ph_ensemble_align(v->e, how);
    v->sought = false;
  }
}

static void aim_seek(const struct session *s, int64_t playhead) {
  struct envs *v = s->envs;
  bool dynamic = s->last.dyn.mode != MODE_KINEMATIC;
  int substep = dynamic ? s->last.dyn.substep : 0;
  if (v->playhead != playhead || v->substep != substep || v->dynamic != dynamic)
    v->sought = false;
  v->playhead = playhead;
  v->substep = substep;
  v->dynamic = dynamic;
}

struct piece {
  uint64_t until; /* 0: as long as it takes */
  bool (*interrupted)(void *arg);
  void *arg;
};

static bool is_used_up(void *arg) {
  const struct piece *piece = arg;
  return (piece->until && session_clock() >= piece->until) ||
         (piece->interrupted && piece->interrupted(piece->arg));
}

/* Recorded states need no seek: what the panel says of them is known of all steps. */
static bool wants_seek(const struct envs *v) {
  return v->e && v->playhead >= 0 && v->dynamic && !v->sought && !v->refused[0];
}

static void seek(struct envs *v, struct piece *piece) {
  ph_status status = ph_ensemble_seek(v->e, v->playhead, v->substep, v->dynamic, is_used_up, piece);
  v->sought = status != PH_ECANCELED;
  if (status != PH_OK && status != PH_ECANCELED)
    refuse(v, status);
}

/* --- the answer --- */

static void fill_result(struct envs_line *line, const ph_ensemble *e, size_t i) {
  ph_ensemble_result r;
  ph_ensemble_result_of(e, i, &r);
  line->ended = r.ended;
  line->known = r.known;
  line->stopped = r.stopped;
  line->cls = r.cls;
  line->first = r.known > 0 && r.cls > PH_BITWISE ? r.sum.first[r.cls] : -1;
  memcpy(line->latch, r.latch, sizeof line->latch);
  if (!line->trouble[0] && r.status != PH_OK && r.status != PH_ECANCELED)
    snprintf(line->trouble, sizeof line->trouble, "%s", r.text);
}

static void fill_frame(struct envs_line *line, const struct envs *v, size_t i) {
  if (!v->sought || !v->dynamic)
    return;
  const ph_ensemble_frame *frame = ph_ensemble_frame_of(v->e, i);
  line->equal = frame->equal;
  if (frame->dynamic && frame->at.held && frame->dynamic->step > frame->at.step)
    line->beyond = frame->dynamic->step - frame->at.step;
}

static void fill_line(struct envs_line *line, const struct envs *v, size_t i, int64_t playhead) {
  const ph_ensemble_env *env = ph_ensemble_env_of(v->e, i);
  ph_alignment how = ph_ensemble_alignment(v->e, i);
  line->episode = v->entry[v->broadcast ? 0 : i];
  memcpy(line->id, env->id, sizeof line->id);
  line->env_id = v->broadcast ? (int)i : env->env_id;
  line->states = env->states;
  line->runs = !env->reason[0] && !env->refused[0];
  snprintf(line->trouble, sizeof line->trouble, "%s", env->reason[0] ? env->reason : env->refused);
  line->at = ph_ensemble_place_of(v->e, i, playhead);
  line->by_step = how.by_step;
  line->rate = how.rate;
  line->shift = how.shift;
  line->equal = -1;
  ph_ensemble_lane(v->e, i, playhead, 1, &line->now, 1);
  fill_result(line, v->e, i);
  fill_frame(line, v, i);
}

static void fill_all(struct envs_answer *out, const struct envs *v) {
  int64_t end = INT64_MAX;
  for (size_t i = 0; i < out->n; i++) {
    const ph_ensemble_env *env = ph_ensemble_env_of(v->e, i);
    ph_alignment how = ph_ensemble_alignment(v->e, i);
    double last = ((double)(env->states - 1 - how.shift)) / (how.rate > 0 ? how.rate : 1);
    out->by_step += how.by_step;
    if (how.by_step && !out->note[0])
      snprintf(out->note, sizeof out->note, "%s", how.note);
    if (env->states > 0 && last < (double)end) {
      end = (int64_t)floor(last);
      snprintf(out->shortest, sizeof out->shortest, "env %d", env->env_id);
    }
    int equal = v->sought && v->dynamic ? ph_ensemble_frame_of(v->e, i)->equal : -1;
    out->compared += equal >= 0;
    out->unequal += equal == 0;
  }
}

static void choose_lanes(struct envs_answer *out, const struct session *s) {
  const struct dynamic_wish *dyn = &s->last.dyn;
  bool zoomed = dyn->last > dyn->first && dyn->first >= 0 && dyn->first <= out->most;
  out->lane_first = zoomed ? dyn->first : 0;
  out->lane_last = zoomed ? dyn->last : out->most;
  out->columns = s->last.envs.columns > 0 ? s->last.envs.columns : 0;
  out->columns = out->columns < 1000 ? out->columns : 1000;
}

static ph_status fill_lines(struct envs_answer *out, const struct session *s) {
  const struct envs_wish *wish = &s->last.envs;
  struct envs *v = s->envs;
  size_t lines = wish->lines < 0 ? 0 : wish->lines > ENVS_ROWS ? ENVS_ROWS : (size_t)wish->lines;
  out->first = wish->first >= 0                    ? (size_t)wish->first
               : out->lead > (size_t)ENVS_ROWS / 2 ? out->lead - (size_t)ENVS_ROWS / 2
                                                   : 0;
  out->first = out->first < out->n ? out->first : 0;
  lines = lines < out->n - out->first ? lines : out->n - out->first;
  out->line = calloc(lines ? lines : 1, sizeof *out->line);
  out->lanes = malloc((lines * (size_t)out->columns + 1) * sizeof *out->lanes);
  if (!out->line || !out->lanes)
    return PH_ENOMEM;
  for (; out->lines < lines; out->lines++) {
    double *lane = out->lanes + out->lines * (size_t)out->columns;
    struct envs_line *line = &out->line[out->lines];
    fill_line(line, v, out->first + out->lines, out->playhead);
    ph_ensemble_lane(v->e, out->first + out->lines, out->lane_first,
                     out->lane_last - out->lane_first + 1, lane, (size_t)out->columns);
    line->lane = lane;
  }
  return PH_OK;
}

static void tell(struct envs *v, const ph_ensemble_progress *now) {
  v->told = now->known;
  v->told_ended = now->ended;
  v->told_over = now->over;
}

/* Where a step of the episode on show is among the envs, clamped to what they have. */
static int64_t playhead_of(const struct session *s, const struct opened *o, int64_t step) {
  int64_t least, most, past = s->last.envs.past;
  ends_of(s, &least, &most);
  bool held = s->last.envs.hold && past > 0 && step >= o->reel->states - 1;
  int64_t end = s->last.envs.hold ? most : least, at = step < end ? step : end;
  at += held ? (past < end - at ? past : end - at) : 0;
  return at > 0 ? at : 0;
}

static ph_status fill_ready(struct envs_answer *out, const struct session *s,
                            const struct opened *o, int64_t step) {
  struct envs *v = s->envs;
  align(s);
  ph_ensemble_look(v->e, &out->pass);
  ends_of(s, &out->least, &out->most);
  out->n = ph_ensemble_count(v->e);
  out->lead = ph_ensemble_lead(v->e);
  out->hold = s->last.envs.hold;
  out->align = s->last.envs.align;
  out->playhead = playhead_of(s, o, step);
  aim_seek(s, out->playhead);
  out->sought = v->sought && v->dynamic;
  fill_all(out, v);
  choose_lanes(out, s);
  tell(v, &out->pass);
  return fill_lines(out, s);
}

ph_status session_envs_answer(struct session *s, struct opened *o, struct snapshot *snap) {
  struct envs *v = s->envs;
  if (!v)
    return PH_OK;
  struct envs_answer *out = calloc(1, sizeof *out);
  if (!out)
    return PH_ENOMEM;
  snap->envs = out;
  out->asked = v->asked;
  out->episode = s->last.episode;
  out->broadcast = v->broadcast;
  out->opened = v->opening ? ph_ensemble_opening_done(v->opening) : v->e ? v->n : 0;
  out->n = v->n;
  out->ready = v->e != NULL;
  snprintf(out->refused, sizeof out->refused, "%s", v->refused);
  return v->e ? fill_ready(out, s, o, snap->step) : PH_OK;
}

/* --- a piece at a time --- */

bool session_envs_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                       void *arg, bool *due) {
  struct envs *v = s->envs;
  uint64_t now = session_clock();
  *due = false;
  if (!v)
    return false;
  if (is_opening(v)) {
    open_some(v, s, now + OPEN_MS, interrupted, arg);
    *due = !is_opening(v) || now - s->published >= PIECE_MS;
    return true;
  }
  if (may_start(s, o)) {
    start(v);
    return true;
  }
  if (wants_seek(v)) {
    struct piece piece = {now + PIECE_MS, interrupted, arg};
    seek(v, &piece);
    *due = !wants_seek(v);
    return true;
  }
  *due = has_news(v) && now - s->published >= PIECE_MS;
  return *due;
}

uint64_t session_envs_wait(const struct session *s, const struct opened *o) {
  const struct envs *v = s->envs;
  ph_ensemble_progress now;
  if (!v || v->refused[0])
    return UINT64_MAX;
  if (is_opening(v) || may_start(s, o) || wants_seek(v))
    return 0;
  if (!v->started)
    return UINT64_MAX;
  ph_ensemble_look(v->e, &now);
  return now.over && !has_news(v) ? UINT64_MAX : WAIT_MS;
}

/* Substeps that a pass over all of them takes. */
static double size_of(const struct envs *v, const struct opened *o) {
  int steps = o->reel->meta.dims.control_steps;
  double states = 0;
  for (size_t i = 0; i < ph_ensemble_count(v->e); i++)
    states += (double)ph_ensemble_env_of(v->e, i)->states;
  return states * (steps > 0 ? steps : 1);
}

bool session_envs_settle(struct session *s, struct opened *o) {
  struct envs *v = s->envs;
  struct piece all = {0};
  if (!v)
    return false;
  while (is_opening(v))
    open_some(v, s, 0, NULL, NULL);
  if (!v->e)
    return true;
  bool run = s->last.dyn.mode != MODE_KINEMATIC || size_of(v, o) <= PASS_SUBSTEPS;
  if (run && !v->started)
    start(v);
  if (v->started)
    ph_ensemble_wait(v->e, NULL, NULL);
  align(s);
  aim_seek(s, playhead_of(s, o, session_step(s, o)));
  if (wants_seek(v))
    seek(v, &all);
  return true;
}
