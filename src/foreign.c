#include "foreign_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/latch.h>

#include "fail.h"
#include "model.h"

#define FINDINGS_MAX 1000
#define DONES_BLOCK 4096            /* read at a time */
#define WIDTH_MAX ((size_t)1 << 20) /* numbers in a state or an action */

/* --- the hand-over --- */

void ph_foreign_clear(ph_foreign *foreign) {
  for (size_t i = 0; i < foreign->narrays; i++)
    if (foreign->arrays[i].close)
      foreign->arrays[i].close(foreign->arrays[i].source);
  free(foreign->arrays);
  free(foreign->model_text);
  free(foreign->provenance);
  free(foreign->findings);
  memset(foreign, 0, sizeof *foreign);
}

ph_array *ph_foreign_add(ph_foreign *foreign, const char *name) {
  ph_foreign *f = foreign;
  if ((f->narrays & (f->narrays - 1)) == 0) {
    size_t room = f->narrays > 0 ? 2 * f->narrays : 1;
    ph_array *all = realloc(f->arrays, room * sizeof *all);
    if (!all) {
      ph_fail(PH_ENOMEM, "%s: out of memory", name);
      return NULL;
    }
    f->arrays = all;
  }
  ph_array *array = &f->arrays[f->narrays++];
  memset(array, 0, sizeof *array);
  ph_escape(array->channel.name, sizeof array->channel.name, name, strlen(name));
  return array;
}

void ph_foreign_find(ph_foreign *foreign, ph_finding_kind kind, int64_t step, const char *fmt,
                     ...) {
  ph_foreign *f = foreign;
  char raw[2 * sizeof f->findings->text];
  if (f->nfindings == FINDINGS_MAX) {
    ph_finding *last = &f->findings[FINDINGS_MAX - 1];
    f->unlisted += f->unlisted == 0 ? 2 : 1; /* that which was there, too */
    *last = (ph_finding){.kind = PH_FINDING_MISSING, .step = -1};
    snprintf(last->text, sizeof last->text, "%zu more findings are not listed", f->unlisted);
    return;
  }
  if ((f->nfindings & (f->nfindings - 1)) == 0) {
    size_t room = f->nfindings > 0 ? 2 * f->nfindings : 1;
    ph_finding *all = realloc(f->findings, room * sizeof *all);
    if (!all)
      return;
    f->findings = all;
  }
  va_list args;
  va_start(args, fmt);
  vsnprintf(raw, sizeof raw, fmt, args);
  va_end(args);
  ph_finding *finding = &f->findings[f->nfindings++];
  *finding = (ph_finding){.kind = kind, .step = step};
  ph_escape(finding->text, sizeof finding->text, raw, strlen(raw));
}

/* --- which array is what --- */

static const ph_array *array_at(const ph_foreign *f, int i) {
  return i >= 0 && (size_t)i < f->narrays ? &f->arrays[i] : NULL;
}

/* A place of an array that holds rows of numbers; -1 where it does not, which is said. */
static int settle_place(ph_foreign *f, int i, const char *what, bool scalar) {
  const ph_array *array = array_at(f, i);
  if (!array)
    return -1;
  const ph_channel *c = &array->channel;
  if (c->kind == PH_CHANNEL_NUMBERS && array->read && c->width > 0 && c->width <= WIDTH_MAX &&
      (!scalar || c->width == 1))
    return i;
  if (c->kind != PH_CHANNEL_NUMBERS || !array->read)
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "%s: they cannot be read as %s%s%s", c->name, what,
                    c->note[0] ? ": " : "", c->note);
  else
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s: %zu numbers in a row: they are not taken as %s",
                    c->name, c->width, what);
  return -1;
}

static int64_t rows_of(const ph_foreign *f, int i) {
  const ph_array *array = array_at(f, i);
  return array ? array->channel.rows : 0;
}

/* Rows of an array that count actions, from the action at state 0 on. */
static int64_t taken(const ph_foreign *f, int i) {
  int64_t rows = rows_of(f, i) - f->action_shift;
  return rows > 0 ? rows : 0;
}

static void settle_places(ph_foreign *f) {
  f->states = settle_place(f, f->states, "states", false);
  f->actions = settle_place(f, f->actions, "actions", false);
  f->rewards = settle_place(f, f->rewards, "rewards", true);
  f->dones = settle_place(f, f->dones, "dones", true);
  f->success = settle_place(f, f->success, "success", true);
  f->timed = f->timed && f->states >= 0;
}

static int64_t longest(const ph_foreign *f) {
  int64_t rows = 0;
  for (size_t i = 0; i < f->narrays; i++)
    if (f->arrays[i].channel.rows > rows)
      rows = f->arrays[i].channel.rows;
  return rows;
}

/* A and S, from shapes. */
static void settle_lengths(ph_foreign *f) {
  ph_episode_meta *m = &f->meta;
  m->states = f->states >= 0 ? rows_of(f, f->states) : m->states > 0 ? m->states : longest(f);
  int64_t rows = f->actions >= 0 ? taken(f, f->actions) : 0;
  m->actions = rows < m->states ? rows : m->states;
  m->dims.action_dim = m->actions > 0 ? (int)f->arrays[f->actions].channel.width : 0;
  if (rows > m->states)
    ph_foreign_find(f, PH_FINDING_ODDITY, m->states > 0 ? m->states - 1 : -1,
                    "%lld actions for %lld states: the last %lld have no state and are left out",
                    (long long)rows, (long long)m->states, (long long)(rows - m->states));
  else if (rows > 0 && rows + 1 < m->states)
    ph_foreign_find(f, PH_FINDING_ODDITY, rows,
                    "%lld actions for %lld states: from step %lld on the states have none",
                    (long long)rows, (long long)m->states, (long long)rows);
}

/* --- the model --- */

/* "1+nq+nv+na = 1+16+15+2 = 34". */
static void say_sum(char *out, size_t size, const ph_dims *d, bool timed) {
  const char *one = timed ? "1+" : "";
  int sum = timed + d->nq + d->nv + d->na;
  if (d->na > 0)
    snprintf(out, size, "%snq+nv+na = %s%d+%d+%d = %d", one, one, d->nq, d->nv, d->na, sum);
  else
    snprintf(out, size, "%snq+nv = %s%d+%d = %d", one, one, d->nq, d->nv, sum);
}

/* Whether a state of that many numbers is one of the model's, and which of them are there. */
static bool width_fits(ph_foreign_row *row, const ph_dims *d, size_t width, bool timed) {
  size_t bare = (size_t)d->nq + (size_t)d->nv + (timed ? 1 : 0);
  row->timed = timed;
  row->act = width == bare ? (size_t)d->na : 0;
  return width == bare || width == bare + (size_t)d->na;
}

/* Settles how a state is read; false: the model is none for it, and *fault says why. */
static bool fit_model(ph_foreign_row *row, ph_foreign *f, const ph_model *model, const char *why,
                      char *fault, size_t size) {
  char sum[96];
  *row = (ph_foreign_row){.raw = true, .timed = f->timed};
  row->width = f->states >= 0 ? f->arrays[f->states].channel.width : 0;
  if (!model) {
    snprintf(fault, size, "no model: %s",
             why && *why         ? why
             : f->model_fault[0] ? f->model_fault
                                 : "the file names none");
    return false;
  }
  if (!ph_model_compiled(model)) {
    snprintf(fault, size, "the model does not compile: %.320s", ph_model_error(model));
    return false;
  }
  const ph_dims *d = ph_model_dims(model);
  if (row->width == 0) {
    snprintf(fault, size, "the model does not fit: the file has no states of one row each");
    return false;
  }
  row->raw = false;
  if (width_fits(row, d, row->width, f->timed))
    return true;
  if (width_fits(row, d, row->width, !f->timed)) { /* the width knows better than the numbers */
    say_sum(sum, sizeof sum, d, false);
    if (f->timed)
      ph_foreign_find(f, PH_FINDING_ODDITY, -1, "states: a row has no time: %s", sum);
    f->timed = row->timed;
    return true;
  }
  say_sum(sum, sizeof sum, d, f->timed);
  snprintf(fault, size, "the model does not fit: a state has %zu numbers; the model wants %s",
           row->width, sum);
  *row = (ph_foreign_row){.raw = true, .timed = f->timed, .width = row->width};
  return false;
}

/* Sizes as the model has them; none where it is none. */
static void settle_dims(ph_foreign *f, const ph_foreign_row *row, const ph_model *model) {
  ph_dims *d = &f->meta.dims;
  int action_dim = d->action_dim;
  *d = row->raw ? (ph_dims){0} : *ph_model_dims(model);
  d->action_dim = action_dim;
  d->action_state = d->control_steps = 0;
  f->meta.model_sha256[0] = 0;
  if (!row->raw)
    snprintf(f->meta.model_sha256, sizeof f->meta.model_sha256, "%s", ph_model_sha256(model));
  if (row->act > 0)
    ph_foreign_find(f, PH_FINDING_MISSING, -1,
                    "states: the model's %zu activations are not in the file and are shown as 0",
                    row->act);
}

/* --- outcome --- */

/* Of the last action where no state follows it: -1 where one does, or it is not known. */
static int8_t last_outcome(const ph_foreign *f) {
  const ph_array *array = array_at(f, f->success);
  int64_t row = f->meta.actions - 1 + f->action_shift;
  double value = 0;
  bool told = array && f->meta.states == f->meta.actions && row >= 0 && row < array->channel.rows &&
              array->read(array, row, 1, &value) == PH_OK;
  return told ? value == 1 : -1;
}

/* A hold whose steps cannot be counted has -1 of them. */
static void settle_hold(ph_foreign *f) {
  ph_episode_meta *m = &f->meta;
  m->hold_seconds = f->has_hold ? f->hold : -1;
  m->hold_steps = 0;
  if (f->has_hold && f->hold > 0 &&
      (m->control_dt <= 0 || ph_hold_steps(&m->hold_steps, f->hold, m->control_dt) != PH_OK))
    m->hold_steps = -1;
}

static void settle_success(ph_foreign *f) {
  ph_episode_meta *m = &f->meta;
  const ph_array *array = array_at(f, f->success);
  int64_t last = m->actions - 1, row = last + f->action_shift;
  double value = 0;
  if (m->success < -1 || m->success > 1 || (m->success == 0 && !m->success_source[0]))
    m->success = -1;
  if (array && last >= 0 && row >= 0 && row < array->channel.rows &&
      array->read(array, row, 1, &value) == PH_OK && value == 1) {
    if (m->success < 0) {
      m->success = 1;
      snprintf(m->success_source, sizeof m->success_source, "%.64s: 1 at the last action",
               array->channel.name);
    }
    if (m->states == m->actions)
      ph_foreign_find(f, PH_FINDING_MISSING, last,
                      "success is recorded for the last action; the state after it is not in the "
                      "file");
  }
  m->end_reason = m->success == 1 ? PH_END_SUCCESS : PH_END_UNKNOWN;
  if (!m->determinism[0])
    snprintf(m->determinism, sizeof m->determinism, "unchecked");
}

static void find_short(ph_foreign *f, int i, const char *what) {
  int64_t rows = taken(f, i), a = f->meta.actions;
  if (i < 0 || a == 0 || rows == a)
    return;
  if (rows < a)
    ph_foreign_find(f, PH_FINDING_ODDITY, rows,
                    "%s: %lld rows for %lld actions: from step %lld on "
                    "there are none",
                    what, (long long)rows, (long long)a, (long long)rows);
  else if (taken(f, f->actions) != rows)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s: %lld rows for %lld actions", what,
                    (long long)rows, (long long)a);
}

/* dones are 0 or 1; others are kept and said. */
static void find_dones(ph_foreign *f) {
  const ph_array *array = array_at(f, f->dones);
  double rows[DONES_BLOCK], worst = 0;
  int64_t n = rows_of(f, f->dones), odd = 0, step = -1;
  if (!array || strcmp(array->channel.type, "bool") == 0)
    return;
  for (int64_t at = 0; at < n; at += DONES_BLOCK) {
    int64_t here = n - at < DONES_BLOCK ? n - at : DONES_BLOCK;
    if (array->read(array, at, here, rows) != PH_OK)
      continue; /* said where it is shown */
    for (int64_t i = 0; i < here; i++) {
      bool is_odd = rows[i] != 0 && rows[i] != 1;
      if (is_odd && odd++ == 0) {
        worst = rows[i];
        step = at + i - f->action_shift;
      }
    }
  }
  if (odd > 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, step < f->meta.states ? step : -1,
                    "dones: %lld of %lld are neither 0 nor 1, the first at step %lld: %.6g",
                    (long long)odd, (long long)n, (long long)step, worst);
}

/* --- channels --- */

/* Whether an array is shown as a column of the schema and so is no channel. */
static bool is_column(const ph_foreign *f, const ph_foreign_row *row, int i) {
  return (i == f->states && (!row->raw || f->joined)) ||
         (f->meta.actions > 0 && (i == f->actions || i == f->rewards || i == f->dones));
}

/* States first, observations behind the rest, those of the state after last. */
enum { RANKS = 4 };
static int rank_of(const ph_foreign *f, size_t i) {
  const char *name = f->arrays[i].channel.name;
  if ((int)i == f->states)
    return 0;
  return strncmp(name, "next_obs/", 9) == 0 ? 3 : strncmp(name, "obs/", 4) == 0 ? 2 : 1;
}

static ph_status make_channels(ph_episode *e, ph_foreign_backend *b) {
  ph_foreign *f = &b->foreign;
  e->channels = calloc(f->narrays + 1, sizeof *e->channels);
  b->channel = calloc(f->narrays + 1, sizeof *b->channel);
  if (!e->channels || !b->channel)
    return ph_fail(PH_ENOMEM, "%s: out of memory", f->meta.id);
  for (size_t k = 0; k < RANKS * f->narrays; k++) {
    size_t i = k % f->narrays;
    if (rank_of(f, i) != (int)(k / f->narrays) || is_column(f, &b->row, (int)i))
      continue;
    ph_channel *c = &e->channels[e->nchannels];
    *c = f->arrays[i].channel;
    if ((int)i == f->rewards || (int)i == f->dones || (int)i == f->success)
      c->shift = 1 - f->action_shift; /* of an action's outcome */
    if (c->kind == PH_CHANNEL_NUMBERS && (!f->arrays[i].read || c->width == 0)) {
      c->kind = PH_CHANNEL_OTHER;
      if (!c->note[0])
        snprintf(c->note, sizeof c->note, "%s",
                 c->width == 0 ? "a row has no numbers" : "it cannot be read");
    }
    b->channel[e->nchannels++] = i;
  }
  return PH_OK;
}

/* --- the episode --- */

static uint32_t columns_of(const ph_foreign *f) {
  uint32_t columns = PH_COL_BIT(PH_COL_STATES);
  if (f->meta.actions == 0)
    return columns;
  columns |= PH_COL_BIT(PH_COL_ACTIONS);
  columns |= f->rewards >= 0 ? PH_COL_BIT(PH_COL_REWARDS) : 0;
  columns |= f->dones >= 0 ? PH_COL_BIT(PH_COL_DONES) : 0;
  columns |= f->success >= 0 ? PH_COL_BIT(PH_COL_PREDICATE) : 0;
  return columns;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* How many rows of each column there are, and how the file has them. */
static void describe_columns(ph_episode *e, const ph_foreign *f, const ph_foreign_row *row) {
  int64_t a = e->meta.actions, s = e->meta.states;
  const struct {
    ph_column col;
    int array;
    int64_t rows;
  } columns[] = {
      {PH_COL_STATES, row->raw && !f->timed ? -1 : f->states, s},
      {PH_COL_ACTIONS, f->actions, a},
      {PH_COL_REWARDS, f->rewards, least(a, taken(f, f->rewards))},
      {PH_COL_DONES, f->dones, least(a, taken(f, f->dones))},
      {PH_COL_PREDICATE, f->success, least(s, 1 + taken(f, f->success))},
  };
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    e->rows[columns[i].col] = columns[i].rows;
    if (columns[i].array >= 0)
      e->stored[columns[i].col] = f->arrays[columns[i].array].stored;
  }
  e->stored[PH_COL_FINAL_STATE] = e->stored[PH_COL_STATES];
}

/* The first thing in which the file contradicts itself, for the list of episodes. */
static void settle_oddity(ph_foreign *f) {
  ph_episode_meta *m = &f->meta;
  for (size_t i = 0; i < f->nfindings && !m->oddity[0]; i++)
    if (f->findings[i].kind == PH_FINDING_ODDITY)
      ph_escape(m->oddity, sizeof m->oddity, f->findings[i].text, strlen(f->findings[i].text));
}

/* Whether six digits are all that the text's numbers have: MuJoCo's writer leaves no more. */
static bool is_rounded(const char *text, size_t size) {
  size_t digits = 0, six = 0;
  bool begun = false;
  for (size_t i = 0; i <= size; i++) {
    char c = i < size ? text[i] : 0;
    bool digit = c >= '0' && c <= '9';
    if (digit && (begun = begun || c != '0'))
      digits++;
    if (digit || c == '.')
      continue;
    if (digits > 6)
      return false;
    six += digits == 6;
    digits = 0;
    begun = false;
  }
  return six >= 3;
}

static ph_status assemble(ph_foreign_backend *b, char *fault, size_t size, const ph_model *model,
                          const char *why) {
  ph_foreign *f = &b->foreign;
  settle_places(f);
  bool fits = fit_model(&b->row, f, model, why, fault, size);
  settle_lengths(f);
  settle_dims(f, &b->row, model);
  ph_status status = ph_foreign_rate(f, b->row.timed, fits ? model : NULL);
  if (status)
    return status;
  ph_foreign_finite(f, b->row.timed, fits);
  b->row.dt = f->meta.control_dt > 0 ? f->meta.control_dt : 1;
  b->state_width = ph_schema_width(PH_COL_STATES, &f->meta.dims);
  find_short(f, f->rewards, "rewards");
  find_short(f, f->dones, "dones");
  find_dones(f);
  settle_success(f);
  settle_hold(f);
  f->meta.provenance = f->provenance;
  if (!fits)
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "%s", fault);
  settle_oddity(f);
  return PH_OK;
}

ph_status ph_foreign_episode(ph_episode **out, ph_foreign *foreign, const ph_model *model,
                             const char *why) {
  ph_episode *e = NULL;
  char fault[sizeof e->no_model] = "";
  *out = NULL;
  ph_foreign_backend *b = calloc(1, sizeof *b);
  if (!b) {
    ph_foreign_clear(foreign);
    return ph_fail(PH_ENOMEM, "episode: out of memory");
  }
  b->base =
      (ph_backend){ph_foreign_read, ph_foreign_free, ph_foreign_read_channel, ph_foreign_behind};
  b->foreign = *foreign;
  memset(foreign, 0, sizeof *foreign);
  ph_status status = assemble(b, fault, sizeof fault, model, why);
  if (status) {
    ph_foreign_free(&b->base);
    return status;
  }
  ph_foreign *f = &b->foreign;
  bool named = model || (why && *why) || f->model_fault[0];
  status = ph_episode_new(&e, &f->meta, columns_of(f), NULL, 0, &b->base);
  if (status)
    return status;
  describe_columns(e, f, &b->row);
  status = make_channels(e, b);
  if (status) {
    ph_episode_free(e);
    return status;
  }
  memcpy(e->no_model, fault, sizeof fault);
  e->no_model_named = !named;
  e->own_model = f->model_text != NULL;
  e->late_predicate = f->success >= 0;
  e->last_outcome = last_outcome(f);
  e->rounded = f->model_text && is_rounded(f->model_text, f->model_size);
  e->findings = f->findings;
  e->nfindings = f->nfindings;
  e->time_odd = f->time_odd;
  f->findings = NULL;
  f->nfindings = 0;
  free(f->model_text);
  f->model_text = NULL;
  *out = e;
  return PH_OK;
}
