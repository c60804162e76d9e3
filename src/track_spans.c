#include "track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "foreign.h"

enum { BLOCK_ROWS = 4096, BLOCK_BYTES = 1 << 20 };

size_t ph_track_width(const ph_episode *episode, const ph_track *track) {
  size_t n;
  if (track->channel < 0)
    return ph_schema_width(track->column, &ph_episode_meta_of(episode)->dims);
  return ph_episode_channels(episode, &n)[track->channel].width;
}

/* Bytes to doubles where they lie, from the last: a double is never narrower. */
static void widen(double *rows, size_t n) {
  const uint8_t *bytes = (const uint8_t *)rows;
  for (size_t i = n; i-- > 0;) {
    double value = bytes[i];
    memcpy(&rows[i], &value, sizeof value);
  }
}

const ph_array *ph_track_behind(const ph_episode *episode, const ph_track *track, int64_t *first) {
  const ph_backend *backend = episode->backend;
  *first = 0;
  if (!backend->behind || (track->channel < 0 && !ph_episode_has(episode, track->column)))
    return NULL;
  return track->channel < 0 ? backend->behind(backend, track->column, 0, first)
                            : backend->behind(backend, PH_COL_COUNT, (size_t)track->channel, first);
}

bool ph_track_whole(const ph_episode *episode, const ph_track *track, bool *is_signed) {
  int64_t first;
  const ph_array *array = ph_track_behind(episode, track, &first);
  *is_signed = array && array->channel.type[0] != 'u';
  return array && array->read_whole && first >= 0;
}

ph_status ph_track_whole_rows(const ph_episode *episode, const ph_track *track, int64_t first,
                              int64_t n, uint64_t *out) {
  int64_t at;
  const ph_array *array = ph_track_behind(episode, track, &at);
  return array->read_whole(array, first + at, n, out);
}

ph_status ph_track_rows(const ph_episode *episode, const ph_track *track, int64_t first, int64_t n,
                        double *out) {
  if (track->channel >= 0)
    return ph_episode_channel_read(episode, (size_t)track->channel, first, n, out);
  int64_t at;
  const ph_array *own = track->column == PH_COL_DONES ? ph_track_behind(episode, track, &at) : NULL;
  if (own) /* its own numbers, whatever they are taken for */
    return ph_array_shifted(own, first + at, n, out);
  int64_t skipped = ph_track_void(episode, track->column);
  ph_status status = ph_episode_read(episode, track->column, first + skipped, n, out);
  if (status == PH_OK && ph_schema_column(track->column)->type == PH_U8)
    widen(out, (size_t)n * ph_track_width(episode, track));
  return status;
}

/* --- one number of many rows --- */

/* Takes n values of the steps from `step` on; false ends the walk. */
typedef bool (*take_block)(void *arg, int64_t step, int64_t n, const double *values);

struct walk {
  const ph_tracks *tracks;
  const ph_track *track;
  double *rows;
  int64_t room; /* rows in a block */
  size_t width;
};

static ph_status walk_begin(struct walk *w, const ph_tracks *tracks, size_t i) {
  const ph_episode *episode = ph_tracks_episode(tracks);
  *w = (struct walk){.tracks = tracks, .track = ph_tracks_at(tracks, i)};
  if (!w->track)
    return ph_fail(PH_EINVAL, "%s: track %zu of %zu", ph_episode_meta_of(episode)->id, i,
                   ph_tracks_count(tracks));
  w->width = ph_track_width(episode, w->track);
  w->room = BLOCK_BYTES / (int64_t)(w->width * sizeof *w->rows);
  w->room = w->room < 1 ? 1 : w->room > BLOCK_ROWS ? BLOCK_ROWS : w->room;
  if (w->track->rows < w->room)
    w->room = w->track->rows > 0 ? w->track->rows : 1;
  w->rows = malloc((size_t)w->room * w->width * sizeof *w->rows);
  return w->rows ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", w->track->name);
}

/* The steps of a span that have a row: first .. end-1; first == end: none. */
static void clip(const ph_track *track, int64_t *first, int64_t *end) {
  int64_t from = track->shift, to = track->rows + track->shift;
  *first = *first < from ? from : *first;
  *end = *end > to ? to : *end;
  if (*end < *first)
    *end = *first;
}

/* Walks the rows of steps first .. end-1. What cannot be read is left out, and said at the end. */
static ph_status walk(struct walk *w, int64_t first, int64_t end, take_block take, void *arg) {
  const ph_episode *episode = ph_tracks_episode(w->tracks);
  ph_status status = PH_OK;
  char why[1200] = "";
  for (int64_t step = first, n; step < end; step += n) {
    n = end - step < w->room ? end - step : w->room;
    ph_status here = ph_track_rows(episode, w->track, step - w->track->shift, n, w->rows);
    if (here && !status) {
      status = here;
      strncpy(why, ph_error(), sizeof why - 1);
    }
    for (int64_t i = 0; i < n; i++)
      w->rows[i] = here ? NAN : w->rows[(size_t)i * w->width + (size_t)w->track->element];
    if (!take(arg, step, n, w->rows))
      return ph_fail(PH_ECANCELED, "%s: canceled", w->track->name);
  }
  return status ? ph_fail(status, "%s", why) : PH_OK;
}

/* --- reading --- */

struct reading {
  double *out;
  int64_t first;
};

static bool take_values(void *arg, int64_t step, int64_t n, const double *values) {
  const struct reading *r = arg;
  memcpy(r->out + (step - r->first), values, (size_t)n * sizeof *values);
  return true;
}

/* The step after a span; INT64_MAX where that is past all numbers. */
static int64_t end_of(int64_t first, int64_t n) {
  int64_t end;
  return __builtin_add_overflow(first, n, &end) ? INT64_MAX : end;
}

ph_status ph_tracks_read(const ph_tracks *tracks, size_t i, int64_t first, int64_t n, double *out) {
  struct reading reading = {out, first};
  struct walk w;
  ph_status status = walk_begin(&w, tracks, i);
  for (int64_t k = 0; k < n; k++)
    out[k] = NAN;
  if (status == PH_OK && n > 0) {
    int64_t from = first, end = end_of(first, n);
    clip(w.track, &from, &end);
    status = walk(&w, from, end, take_values, &reading);
  }
  free(w.rows);
  return status;
}

/* --- spans --- */

struct spans {
  ph_span *out;
  size_t n, k; /* k: the first that may still get a value */
  int64_t first, steps;
  bool (*cancel)(void *arg);
  void *arg;
};

static int64_t part_begin(const struct spans *s, size_t k) {
  return s->first + (int64_t)((__int128)k * s->steps / (__int128)s->n);
}

static int64_t part_end(const struct spans *s, size_t k) {
  int64_t begin = part_begin(s, k), end = part_begin(s, k + 1);
  return end > begin ? end : begin + 1;
}

static void widen_span(ph_span *span, const double *values, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    span->min = values[i] < span->min ? values[i] : span->min;
    span->max = values[i] > span->max ? values[i] : span->max;
  }
}

static bool take_spans(void *arg, int64_t step, int64_t n, const double *values) {
  struct spans *s = arg;
  if (s->cancel && s->cancel(s->arg))
    return false;
  for (; s->k < s->n; s->k++) {
    int64_t begin = part_begin(s, s->k), end = part_end(s, s->k);
    if (begin >= step + n)
      break;
    int64_t from = begin > step ? begin : step, to = end < step + n ? end : step + n;
    if (to > from)
      widen_span(&s->out[s->k], values + (from - step), to - from);
    if (end > step + n)
      break;
  }
  return true;
}

ph_status ph_tracks_spans(const ph_tracks *tracks, size_t i, int64_t first, int64_t steps,
                          ph_span *out, size_t n, bool (*cancel)(void *arg), void *arg) {
  struct spans s = {.out = out, .n = n, .first = first, .cancel = cancel, .arg = arg};
  struct walk w;
  ph_status status = walk_begin(&w, tracks, i);
  for (size_t k = 0; k < n; k++)
    out[k] = (ph_span){INFINITY, -INFINITY};
  if (status == PH_OK && n > 0 && steps > 0) {
    int64_t from = first, end = end_of(first, steps);
    s.steps = end == INT64_MAX ? end - 1 - (first > 0 ? first : 0) : steps;
    clip(w.track, &from, &end);
    status = walk(&w, from, end, take_spans, &s);
  }
  free(w.rows);
  return status;
}
