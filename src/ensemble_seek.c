#include "ensemble_parts.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"

enum { FEW = 16 }; /* recorded rows of so few are read sooner than threads are woken */

static void note(ph_member *m, const char *text) {
  ph_ensemble_frame *frame = &m->frame;
  size_t n = strlen(frame->note);
  snprintf(frame->note + n, sizeof frame->note - n, "%s%s", n ? "; " : "", ph_member_text(m, text));
}

static void note_error(ph_ensemble *e, ph_member *m, ph_status status) {
  if (status == PH_ENOMEM)
    atomic_store(&e->no_memory, true);
  if (status != PH_OK)
    note(m, ph_error());
}

/* --- one env --- */

static void show_recorded(ph_ensemble *e, ph_member *m) {
  ph_row *row = &m->frame.recorded;
  int64_t step = m->frame.at.step;
  ph_status status = PH_OK;
  if (!m->has_rows) {
    m->has_rows = true;
    status = ph_rows_ahead_make(&m->rows, m->episode);
  }
  if (status == PH_OK)
    status = ph_rows_ahead_get(&m->rows, step, row);
  if (status == PH_OK && ph_episode_has(m->episode, PH_COL_PREDICATE) &&
      step < ph_episode_rows(m->episode, PH_COL_PREDICATE) &&
      ph_episode_read(m->episode, PH_COL_PREDICATE, step, 1, &m->predicate) == PH_OK)
    row->predicate = &m->predicate;
  if (status != PH_OK)
    *row = (ph_row){0};
  note_error(e, m, status);
}

/* The caller's is asked by one thread at a time. */
static bool asked_to_stop(void *arg) {
  ph_ensemble *e = arg;
  if (!e->cancel || atomic_load_explicit(&e->stopped, memory_order_relaxed))
    return atomic_load_explicit(&e->stopped, memory_order_relaxed);
  pthread_mutex_lock(&e->asking);
  bool stop = atomic_load(&e->stopped) || e->cancel(e->arg);
  if (stop)
    atomic_store(&e->stopped, true);
  pthread_mutex_unlock(&e->asking);
  return stop;
}

static ph_status open_cursor(ph_ensemble *e, ph_member *m) {
  ph_rerun *run = NULL;
  if (m->cursor)
    return PH_OK;
  ph_status status = ph_member_run(&run, e, m);
  if (status == PH_OK)
    status = ph_cursor_open(&m->cursor, run);
  ph_rerun_unref(run);
  return status;
}

/* Of all that is compared: a predicate is no part of a state. */
static bool equal_rows(const ph_row *a, const ph_row *b, const ph_dims *dims) {
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    const void *x = ph_row_column(a, col), *y = ph_row_column(b, col);
    size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    if (col != PH_COL_PREDICATE && x && y && memcmp(x, y, size) != 0)
      return false;
  }
  return true;
}

static int equal_states(const ph_member *m) {
  const ph_ensemble_frame *f = &m->frame;
  if (f->at.held || f->at.waits || f->dynamic->substep > 0 || !f->recorded.state ||
      !f->dynamic->row.state)
    return -1;
  return equal_rows(&f->recorded, &f->dynamic->row, &ph_episode_meta_of(m->episode)->dims);
}

/* Whether it is the lead or near enough to it. */
static bool has_engine(const ph_ensemble *e, size_t i) {
  size_t room = (size_t)e->opt.engines, lead = e->opt.lead;
  if (e->n <= room)
    return true;
  size_t first = lead > room / 2 ? lead - room / 2 : 0;
  first = first < e->n - room ? first : e->n - room;
  return i >= first && i - first < room;
}

static void drop_cursor(ph_ensemble *e, ph_member *m) {
  char text[100];
  ph_cursor_close(m->cursor);
  m->cursor = NULL;
  snprintf(text, sizeof text, "dynamic states of %d envs are shown at a time", e->opt.engines);
  note(m, text);
}

static void show_dynamic(ph_ensemble *e, ph_member *m) {
  int64_t step = m->frame.at.waits ? 0 : m->frame.at.wanted;
  ph_status status = PH_ECANCELED;
  if (!asked_to_stop(e)) {
    status = open_cursor(e, m);
    if (status == PH_OK)
      status =
          ph_cursor_seek(m->cursor, step, m->frame.at.waits ? 0 : e->substep, asked_to_stop, e);
  }
  if (status == PH_ECANCELED) {
    note(m, "its dynamic run is on its way");
    return;
  }
  note_error(e, m, status);
  if (status != PH_OK)
    return;
  m->frame.dynamic = ph_cursor_now(m->cursor);
  m->frame.equal = equal_states(m);
}

static void show(void *arg, int i) {
  ph_ensemble *e = arg;
  ph_member *m = &e->member[i];
  m->frame = (ph_ensemble_frame){.equal = -1};
  m->frame.at = ph_ensemble_place_of(e, (size_t)i, e->playhead);
  if (m->frame.at.step < 0) {
    note(m, m->env.reason);
    return;
  }
  show_recorded(e, m);
  if (e->dynamic && has_engine(e, (size_t)i))
    show_dynamic(e, m);
  else if (e->dynamic)
    drop_cursor(e, m);
}

/* --- all of them --- */

ph_status ph_ensemble_seek(ph_ensemble *e, int64_t playhead, int substep, bool dynamic,
                           bool (*cancel)(void *arg), void *arg) {
  int64_t last = ph_ensemble_last(e);
  e->playhead = playhead < 0 ? 0 : playhead < last ? playhead : last;
  e->substep = e->playhead == playhead ? substep : 0;
  e->dynamic = dynamic;
  e->cancel = cancel;
  e->arg = arg;
  atomic_store(&e->stopped, false);
  atomic_store(&e->no_memory, false);
  ph_status status = PH_OK;
  if (!e->crew && (dynamic || e->n > FEW))
    status = ph_crew_new(&e->crew, ph_ensemble_jobs(e));
  if (status != PH_OK)
    return status;
  if (e->crew && (dynamic || e->n > FEW))
    ph_crew_run(e->crew, show, e, (int)e->n);
  else
    for (size_t i = 0; i < e->n; i++)
      show(e, (int)i);
  if (atomic_load(&e->no_memory))
    return ph_fail(PH_ENOMEM, "envs: no memory to show all of them");
  if (atomic_load(&e->stopped))
    return ph_fail(PH_ECANCELED, "envs: canceled");
  return PH_OK;
}

int64_t ph_ensemble_playhead(const ph_ensemble *e) {
  return e->playhead;
}

const ph_ensemble_frame *ph_ensemble_frame_of(const ph_ensemble *e, size_t i) {
  return i < e->n ? &e->member[i].frame : NULL;
}
