#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "fail.h"
#include "npz.h"

struct arrays {
  const ph_episode *episode;
  ph_tracks *tracks;
  ph_track *at; /* element 0 of each array, also of those that are too wide to have tracks */
  size_t n;
  bool *picked; /* of each array */
  bool *alone;  /* of each track */
  int64_t first, end;
  ph_npz_writer *npz;
};

/* --- what is there --- */

static void add_array(struct arrays *a, ph_column col, int channel, int64_t rows, int shift,
                      const char *name) {
  ph_track *track = &a->at[a->n++];
  *track = (ph_track){.unit = "", .column = col, .channel = channel, .rows = rows, .shift = shift};
  snprintf(track->array, sizeof track->array, "%s", name);
  snprintf(track->name, sizeof track->name, "%s", name);
}

/* The file's own array goes before a column that was made of it. */
static bool channel_named(const ph_channel *channels, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (channels[i].kind == PH_CHANNEL_NUMBERS && strcmp(channels[i].name, name) == 0)
      return true;
  return false;
}

static ph_status find_arrays(struct arrays *a) {
  size_t n, tracks = ph_tracks_count(a->tracks);
  const ph_channel *channels = ph_episode_channels(a->episode, &n);
  a->at = calloc(PH_COL_COUNT + n, sizeof *a->at);
  a->picked = calloc(PH_COL_COUNT + n, sizeof *a->picked);
  a->alone = calloc(tracks + 1, sizeof *a->alone);
  if (!a->at || !a->picked || !a->alone)
    return ph_fail(PH_ENOMEM, "export: out of memory");
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    const char *name = ph_schema_column(col)->path;
    if (col == PH_COL_STATES && !ph_track_divided(a->episode))
      name = "time"; /* that is all of it, and the file's own states keep their name */
    else if (ph_episode_meta_of(a->episode)->layout[0] && strrchr(name, '/'))
      name = strrchr(name, '/') + 1; /* the file has no folder of ours */
    if (ph_track_shown(a->episode, col) && !channel_named(channels, n, name))
      add_array(a, col, -1, ph_episode_rows(a->episode, col) - ph_track_void(a->episode, col), 0,
                name);
  }
  for (size_t i = 0; i < n; i++)
    if (channels[i].kind == PH_CHANNEL_NUMBERS)
      add_array(a, PH_COL_COUNT, (int)i, channels[i].rows, channels[i].shift, channels[i].name);
  return PH_OK;
}

/* --- what is picked --- */

static ph_status pick_tracks(struct arrays *a, const char *word) {
  size_t count = ph_tracks_count(a->tracks);
  size_t *places = malloc((count > 0 ? count : 1) * sizeof *places);
  if (!places)
    return ph_fail(PH_ENOMEM, "%s: out of memory", word);
  size_t n = ph_tracks_find(a->tracks, word, places, count);
  for (size_t i = 0; i < n; i++)
    a->alone[places[i]] = true;
  free(places);
  return n > 0 ? PH_OK : ph_export_unknown(a->tracks, word);
}

static ph_status pick_word(void *arg, const char *word) {
  struct arrays *a = arg;
  bool found = false;
  for (size_t i = 0; i < a->n; i++)
    if (ph_track_in(&a->at[i], word))
      a->picked[i] = found = true;
  return found ? PH_OK : pick_tracks(a, word);
}

/* --- writing --- */

static ph_status write_array(struct arrays *a, const ph_track *array) {
  int64_t from = a->first > 0 ? a->first : 0, to = a->end < array->rows ? a->end : array->rows;
  from = from < to ? from : to > 0 ? to : 0;
  return ph_export_rows(a->npz, a->episode, array, from, to > from ? to - from : 0, false);
}

/* One number of each of n rows, of an array of whole numbers that a double may not hold. */
static ph_status write_whole(struct arrays *a, const ph_track *track, int64_t row, int64_t n,
                             const char *descr) {
  size_t width = ph_track_width(a->episode, track), size;
  if (__builtin_mul_overflow((size_t)n, width * sizeof(uint64_t), &size))
    return ph_fail(PH_ENOMEM, "%s: out of memory", track->name);
  uint64_t *rows = malloc(size > 0 ? size : 1);
  if (!rows)
    return ph_fail(PH_ENOMEM, "%s: %zu bytes: out of memory", track->name, size);
  ph_status status = ph_track_whole_rows(a->episode, track, row, n, rows);
  for (size_t i = 0; i < (size_t)n && status == PH_OK; i++)
    rows[i] = rows[i * width + (size_t)track->element];
  if (status == PH_OK)
    status = ph_npz_add_as(a->npz, track->name, descr, sizeof *rows, 1, &n, rows);
  free(rows);
  return status;
}

/* One track at each step that there is of what is asked for. */
static ph_status write_track(struct arrays *a, size_t i) {
  const ph_track *track = ph_tracks_at(a->tracks, i);
  int64_t states = ph_episode_meta_of(a->episode)->states;
  int64_t last = track->rows + track->shift > states ? track->rows + track->shift : states;
  int64_t from = a->first > 0 ? a->first : 0, to = a->end < last ? a->end : last;
  int64_t n = to > from ? to - from : 0;
  bool is_signed, whole = ph_track_whole(a->episode, track, &is_signed);
  if (whole && from >= track->shift && to <= track->rows + track->shift)
    return write_whole(a, track, from - track->shift, n, is_signed ? "<i8" : "<u8");
  double *values = malloc((size_t)(n > 0 ? n : 1) * sizeof *values);
  if (!values)
    return ph_fail(PH_ENOMEM, "%s: out of memory", track->name);
  ph_status status = ph_tracks_read(a->tracks, i, from, n, values);
  for (int64_t k = 0; k < n && whole && status == PH_OK; k++)
    if (fabs(values[k]) >= 9007199254740992.0)
      status = ph_fail(PH_EINVAL,
                       "%s: step %lld: a whole number beyond 2^53, and steps without any: no type "
                       "of NumPy's holds both; --columns %s takes the array",
                       track->name, (long long)(from + k), track->array);
  if (status == PH_OK)
    status = ph_npz_add(a->npz, track->name, PH_F64, 1, &n, values);
  free(values);
  return status;
}

/* Rows that the longest of what is picked has, all states at least. */
static ph_status check_steps(const struct arrays *a) {
  int64_t high = ph_episode_meta_of(a->episode)->states;
  for (size_t i = 0; i < a->n; i++)
    high = a->picked[i] && a->at[i].rows > high ? a->at[i].rows : high;
  bool all = a->first == INT64_MIN && a->end == INT64_MAX;
  if (all || (a->first < a->end && a->first < high && a->end > 0))
    return PH_OK;
  return ph_export_no_step(a->episode, a->first, a->end, 0, high);
}

static ph_status write_picked(struct arrays *a) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < a->n && status == PH_OK; i++)
    if (a->picked[i])
      status = write_array(a, &a->at[i]);
  for (size_t i = 0; i < ph_tracks_count(a->tracks) && status == PH_OK; i++)
    if (a->alone[i])
      status = write_track(a, i);
  return status;
}

ph_status ph_export_npz(const char *path, const ph_episode *episode, const ph_model *model,
                        const ph_export_options *opt) {
  static const ph_export_options everything = PH_EXPORT_OPTIONS_INIT;
  opt = opt ? opt : &everything;
  struct arrays a = {.episode = episode, .first = opt->first, .end = opt->end};
  ph_status status = ph_tracks_make(&a.tracks, episode, model);
  if (status == PH_OK)
    status = find_arrays(&a);
  if (status == PH_OK && opt->columns)
    status = ph_words_each(opt->columns, pick_word, &a);
  for (size_t i = 0; i < a.n && !opt->columns; i++)
    a.picked[i] = true;
  if (status == PH_OK)
    status = check_steps(&a);
  if (status == PH_OK)
    status = ph_npz_create(&a.npz, path);
  if (status == PH_OK)
    status = write_picked(&a);
  if (status == PH_OK)
    status = ph_npz_finish(a.npz);
  else
    ph_npz_drop(a.npz);
  free(a.at);
  free(a.picked);
  free(a.alone);
  ph_tracks_free(a.tracks);
  return status;
}
