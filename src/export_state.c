#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "export.h"
#include "fail.h"
#include "npz.h"

/* A piece of a state: where it lies in its column, and what mjData and a key call it. */
struct piece {
  const char *name, *key; /* key: NULL: a key has none of it */
  ph_column col;
  size_t from, n; /* in the row */
  ph_type type;
  int rank; /* as an array */
  int64_t dim[2];
};

enum { PIECES = 16 };

static void add(struct piece *pieces, size_t *n, const ph_episode *episode, struct piece piece) {
  if (piece.n > 0 && ph_episode_has(episode, piece.col))
    pieces[(*n)++] = piece;
}

/* The parts of the states row, which is time|qpos|qvel|act. */
static void add_states(struct piece *pieces, size_t *n, const ph_episode *episode) {
  const ph_dims *d = &ph_episode_meta_of(episode)->dims;
  const size_t size[] = {1, (size_t)d->nq, (size_t)d->nv, (size_t)d->na};
  static const char *const names[] = {"time", "qpos", "qvel", "act"};
  size_t from = 0;
  for (size_t i = 0; i < 4; from += size[i++])
    add(pieces, n, episode,
        (struct piece){.name = names[i],
                       .key = names[i],
                       .col = PH_COL_STATES,
                       .from = from,
                       .n = size[i],
                       .type = PH_F64,
                       .rank = i > 0,
                       .dim = {(int64_t)size[i]}});
}

static size_t pieces_of(struct piece *pieces, const ph_episode *episode) {
  static const struct {
    ph_column col;
    const char *name, *key;
  } rest[] = {{PH_COL_CTRL, "ctrl", "ctrl"},
              {PH_COL_WARMSTART, "qacc_warmstart", NULL},
              {PH_COL_MOCAP_POS, "mocap_pos", "mpos"},
              {PH_COL_MOCAP_QUAT, "mocap_quat", "mquat"},
              {PH_COL_USERDATA, "userdata", NULL},
              {PH_COL_EQ_ACTIVE, "eq_active", NULL},
              {PH_COL_PLUGIN_STATE, "plugin_state", NULL},
              {PH_COL_QFRC_APPLIED, "qfrc_applied", NULL},
              {PH_COL_XFRC_APPLIED, "xfrc_applied", NULL},
              {PH_COL_ACTION_STATE, "action_state", NULL}};
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  size_t n = 0;
  add_states(pieces, &n, episode);
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
    int64_t shape[3] = {1, 1, 1};
    int rank = ph_schema_shape(rest[i].col, dims, shape);
    add(pieces, &n, episode,
        (struct piece){.name = rest[i].name,
                       .key = rest[i].key,
                       .col = rest[i].col,
                       .n = ph_schema_width(rest[i].col, dims),
                       .type = ph_schema_column(rest[i].col)->type,
                       .rank = rank,
                       .dim = {shape[0], shape[1]}});
  }
  return n;
}

/* The bytes of a piece at a step; the caller's (free). */
static ph_status read_piece(void **out, const ph_episode *episode, const struct piece *piece,
                            int64_t step) {
  size_t size = ph_type_size(piece->type);
  size_t width = ph_schema_width(piece->col, &ph_episode_meta_of(episode)->dims);
  char *row = malloc(width * size);
  *out = NULL;
  if (!row)
    return ph_fail(PH_ENOMEM, "%s: out of memory", piece->name);
  ph_status status = ph_episode_read(episode, piece->col, step, 1, row);
  if (status) {
    free(row);
    return status;
  }
  memmove(row, row + piece->from * size, piece->n * size);
  *out = row;
  return PH_OK;
}

static ph_status check_step(const ph_episode *episode, int64_t step) {
  int64_t states = ph_episode_meta_of(episode)->states;
  if (step >= 0 && step < states)
    return PH_OK;
  return ph_export_no_step(episode, step, step < INT64_MAX ? step + 1 : step, 0, states);
}

/* --- arrays --- */

static ph_status write_piece(ph_npz_writer *npz, const ph_episode *episode,
                             const struct piece *piece, int64_t step) {
  void *data;
  if (step >= ph_episode_rows(episode, piece->col))
    return PH_OK;
  ph_status status = read_piece(&data, episode, piece, step);
  if (status == PH_OK)
    status = ph_npz_add(npz, piece->name, piece->type, piece->rank, piece->dim, data);
  free(data);
  return status;
}

static ph_status write_channel(ph_npz_writer *npz, const ph_episode *episode, size_t i,
                               int64_t step) {
  size_t n;
  const ph_channel *c = &ph_episode_channels(episode, &n)[i];
  int64_t row = step - c->shift;
  if (c->kind != PH_CHANNEL_NUMBERS || c->width == 0 || row < 0 || row >= c->rows)
    return PH_OK;
  ph_track array = {.column = PH_COL_COUNT, .channel = (int)i, .rows = c->rows};
  snprintf(array.name, sizeof array.name, "%s", c->name);
  return ph_export_rows(npz, episode, &array, row, 1, true);
}

/* The states row as it is; of a file without any, all that it has in that step. */
static ph_status write_undivided(ph_npz_writer *npz, const ph_episode *episode, int64_t step) {
  size_t n;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  ph_status status = PH_OK;
  for (size_t i = 0; i < n; i++)
    if (strcmp(channels[i].name, "states") == 0 && channels[i].kind == PH_CHANNEL_NUMBERS)
      return write_channel(npz, episode, i, step);
  for (size_t i = 0; i < n && status == PH_OK; i++)
    status = write_channel(npz, episode, i, step);
  return status;
}

ph_status ph_export_state_npz(const char *path, const ph_episode *episode, int64_t step) {
  struct piece pieces[PIECES];
  size_t n = pieces_of(pieces, episode);
  ph_npz_writer *npz = NULL;
  ph_status status = check_step(episode, step);
  if (status == PH_OK)
    status = ph_npz_create(&npz, path);
  if (status == PH_OK && !ph_track_divided(episode))
    status = write_undivided(npz, episode, step);
  for (size_t i = 0; i < n && status == PH_OK && ph_track_divided(episode); i++)
    status = write_piece(npz, episode, &pieces[i], step);
  if (status == PH_OK)
    return ph_npz_finish(npz);
  ph_npz_drop(npz);
  return status;
}

/* --- a key --- */

static ph_status put_piece(FILE *out, const ph_episode *episode, const struct piece *piece,
                           int64_t step) {
  void *data;
  char text[PH_NUMBER_SIZE];
  if (!piece->key || step >= ph_episode_rows(episode, piece->col))
    return PH_OK;
  ph_status status = read_piece(&data, episode, piece, step);
  const double *numbers = data;
  if (status == PH_OK)
    fprintf(out, " %s=\"", piece->key);
  for (size_t i = 0; i < piece->n && status == PH_OK; i++) {
    if (!isfinite(numbers[i]))
      status = ph_fail(PH_EINVAL, "%s: step %" PRId64 ": %s[%zu] is not finite: no key holds it",
                       ph_episode_meta_of(episode)->id, step, piece->name, i);
    ph_number_text(text, numbers[i]);
    fprintf(out, "%s%s", i > 0 ? " " : "", text);
  }
  if (status == PH_OK)
    fputc('"', out);
  free(data);
  return status;
}

static ph_status put_key(FILE *out, const ph_episode *episode, int64_t step) {
  struct piece pieces[PIECES];
  size_t n = pieces_of(pieces, episode);
  ph_status status = PH_OK;
  fprintf(out, "<key name=\"step_%" PRId64 "\"", step);
  for (size_t i = 0; i < n && status == PH_OK; i++)
    status = put_piece(out, episode, &pieces[i], step);
  fputs("/>", out);
  return status;
}

static const char *why_no_model(const ph_episode *episode) {
  return episode->no_model[0] ? episode->no_model : "how its states divide is not known";
}

ph_status ph_export_key(char **out, const ph_episode *episode, int64_t step) {
  char *text = NULL;
  size_t size = 0;
  *out = NULL;
  if (!ph_track_divided(episode))
    return ph_fail(PH_ENOTFOUND, "%s: a key needs a model: %s", ph_episode_meta_of(episode)->id,
                   why_no_model(episode));
  ph_status status = check_step(episode, step);
  if (status)
    return status;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = (locale_t)0;
  FILE *stream = c ? open_memstream(&text, &size) : NULL;
  if (stream) {
    old = uselocale(c);
    status = put_key(stream, episode, step);
    uselocale(old);
  }
  bool written = stream && fclose(stream) == 0;
  if (c)
    freelocale(c);
  if (!written && !status)
    status = ph_fail(PH_ENOMEM, "%s: key: out of memory", ph_episode_meta_of(episode)->id);
  if (status)
    free(text);
  else
    *out = text;
  return status;
}
