/* Where an episode begins and ceases to move. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/cut.h>

#include "fail.h"

enum { CHUNK = 256 };

/* Rows of one column, with the one before them in front. */
struct moving {
  const ph_episode *episode;
  ph_column col;
  size_t width, skip, n; /* numbers of a row; those from skip on are looked at, n of them */
  double *rows;          /* (CHUNK + 1 x width) */
};

static bool moves(const struct moving *m, int64_t i, double eps) {
  const double *before = m->rows + (size_t)i * m->width + m->skip, *now = before + m->width;
  for (size_t k = 0; k < m->n; k++)
    if (!(fabs(now[k] - before[k]) <= eps)) /* a number that is none moves */
      return true;
  return false;
}

/* Rows that differ from the one before them: the first and the last; -1 where none does. */
static ph_status find_moving(int64_t *first, int64_t *last, const struct moving *m, double eps) {
  int64_t rows = ph_episode_rows(m->episode, m->col);
  ph_status status = PH_OK;
  *first = *last = -1;
  for (int64_t at = 1; at < rows && !status; at += CHUNK) {
    int64_t n = rows - at < CHUNK ? rows - at : CHUNK;
    status = ph_episode_read(m->episode, m->col, at - 1, n + 1, m->rows);
    for (int64_t i = 0; i < n && !status; i++) {
      if (!moves(m, i, eps))
        continue;
      *first = *first < 0 ? at + i : *first;
      *last = at + i;
    }
  }
  return status;
}

static ph_status look(int64_t *first, int64_t *last, const ph_episode *episode, ph_column col,
                      double eps) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  struct moving m = {.episode = episode, .col = col, .width = ph_schema_width(col, dims)};
  m.skip = col == PH_COL_STATES;
  m.n = col == PH_COL_STATES ? (size_t)dims->nq : m.width;
  *first = *last = -1;
  if (!ph_episode_has(episode, col) || m.n == 0)
    return PH_OK;
  m.rows = malloc((CHUNK + 1) * m.width * sizeof *m.rows);
  ph_status status = m.rows
                         ? find_moving(first, last, &m, eps)
                         : ph_fail(PH_ENOMEM, "%s: out of memory", ph_episode_meta_of(episode)->id);
  free(m.rows);
  return status;
}

/* A position that is other at row t was moved by action t-1; an action that is other is itself. */
ph_status ph_cut_busy(int64_t *from, int64_t *to, const ph_episode *episode, double eps) {
  int64_t first, last, begun, ended;
  *from = *to = 0;
  ph_status status = look(&first, &last, episode, PH_COL_STATES, eps);
  if (!status)
    status = look(&begun, &ended, episode, PH_COL_ACTIONS, eps);
  if (status)
    return status;
  first = first < 0 ? INT64_MAX : first - 1;
  begun = begun < 0 ? INT64_MAX : begun;
  int64_t begin = first < begun ? first : begun, end = last > ended + 1 ? last : ended + 1;
  if (begin == INT64_MAX)
    return PH_OK;
  int64_t actions = ph_episode_meta_of(episode)->actions;
  *from = begin;
  *to = end < actions ? end : actions;
  return PH_OK;
}
