#include "info_survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../provenance.h"

#define SAID_MAX 2000
#define ARRAYS_MAX 5000
#define IN_LINE 3 /* distinct texts in one line */

/* --- texts --- */

void survey_free(struct survey *survey) {
  free(survey->said);
  *survey = (struct survey){0};
}

/* The block with room for one more of `size` bytes; NULL: there is none, and it stays as it is. */
static void *make_room(void *all, size_t n, size_t *room, size_t size, size_t most) {
  if (n < *room || n >= most)
    return n < most ? all : NULL;
  size_t more = *room ? 2 * *room : 16;
  void *grown = realloc(all, more * size);
  *room = grown ? more : *room;
  return grown;
}

void survey_add(struct survey *survey, size_t i, int kind, int64_t step, const char *text) {
  char cut[sizeof survey->said->text];
  snprintf(cut, sizeof cut, "%s", text);
  if (!cut[0])
    return;
  for (size_t k = 0; k < survey->n; k++) {
    struct said *said = &survey->said[k];
    if (said->kind == kind && said->step == step && strcmp(said->text, cut) == 0) {
      said->count++;
      return;
    }
  }
  struct said *all =
      make_room(survey->said, survey->n, &survey->room, sizeof *survey->said, SAID_MAX);
  if (!all) {
    survey->left++;
    return;
  }
  survey->said = all;
  struct said *said = &survey->said[survey->n++];
  *said = (struct said){.kind = kind, .step = step, .count = 1, .first = i};
  memcpy(said->text, cut, sizeof cut);
}

void survey_line(const struct survey *survey, char *out, size_t size) {
  size_t used = 0;
  out[0] = 0;
  for (size_t k = 0; k < survey->n && k < IN_LINE && used < size; k++) {
    const struct said *said = &survey->said[k];
    used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", said->text);
    if (survey->n > 1 && used < size)
      used += (size_t)snprintf(out + used, size - used, " in %zu", said->count);
  }
  if (survey->n > IN_LINE && used < size)
    snprintf(out + used, size - used, ", and %zu more", survey->n - IN_LINE + survey->left);
}

/* Of an episode's file in a run, the run: "run/env000_ep000000_162.h5" is "run". */
static void name_run(char *file) {
  char *slash = strrchr(file, '/');
  int env, episode, end = 0;
  if (slash && slash > file && sscanf(slash, "/env%d_ep%d_%n", &env, &episode, &end) == 2 &&
      end > 0)
    *slash = 0;
}

void survey_add_cut(struct survey *survey, size_t i, const ph_episode_meta *meta) {
  char text[sizeof survey->said->text];
  ph_cut_step step;
  if (!ph_cut_step_read(&step, meta->provenance))
    return;
  name_run(step.file);
  ph_cut_step_text(text, sizeof text, &step);
  survey_add(survey, i, 0, -1, text);
}

/* --- arrays --- */

void array_survey_free(struct array_survey *survey) {
  free(survey->line);
  *survey = (struct array_survey){0};
}

static void say_rows(char out[16], int64_t rows, const ph_episode_meta *m) {
  if (rows == m->states && rows == m->actions)
    snprintf(out, 16, "steps");
  else if (rows == m->states)
    snprintf(out, 16, "%s", strcmp(m->layout, "arrays") == 0 ? "rows" : "states");
  else if (rows == m->actions && rows > 0)
    snprintf(out, 16, "actions");
  else
    snprintf(out, 16, "%" PRId64, rows);
}

static void count_array(struct array_survey *survey, const ph_channel *channel,
                        const ph_episode_meta *m) {
  char rows[16];
  say_rows(rows, channel->rows, m);
  for (size_t k = 0; k < survey->n; k++) {
    struct array_line *line = &survey->line[k];
    if (strcmp(line->channel.name, channel->name) != 0)
      continue;
    line->count++;
    if (strcmp(line->rows, rows) != 0)
      snprintf(line->rows, sizeof line->rows, "varies");
    return;
  }
  struct array_line *all =
      make_room(survey->line, survey->n, &survey->room, sizeof *survey->line, ARRAYS_MAX);
  survey->more = survey->more || !all;
  if (!all)
    return;
  survey->line = all;
  struct array_line *line = &survey->line[survey->n++];
  *line = (struct array_line){.channel = *channel, .count = 1};
  memcpy(line->rows, rows, sizeof rows);
}

static const char *type_words(ph_type type) {
  switch (type) {
  case PH_F64:
    return "float64";
  case PH_F32:
    return "float32";
  case PH_I64:
    return "int64";
  case PH_I32:
    return "int32";
  case PH_U32:
    return "uint32";
  case PH_U8:
    return "uint8";
  case PH_STRING:
    break;
  }
  return "string";
}

/* A column of the schema as if it were a channel. */
static void count_column(struct array_survey *survey, const ph_episode *episode, ph_column col) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  ph_channel c = {.kind = PH_CHANNEL_NUMBERS, .rank = 2};
  size_t width = ph_schema_width(col, &m->dims);
  bool raw = col == PH_COL_STATES && !m->model_sha256[0];
  if (!ph_episode_has(episode, col) || width == 0 || raw)
    return;
  snprintf(c.name, sizeof c.name, "%s", ph_schema_column(col)->path);
  snprintf(c.type, sizeof c.type, "%s", type_words(ph_episode_stored_type(episode, col)));
  c.rank = ph_schema_column(col)->shape[0] ? 2 : 1;
  c.rows = c.dim[0] = ph_episode_rows(episode, col);
  c.dim[1] = (int64_t)(c.width = width);
  count_array(survey, &c, m);
}

void array_survey_add(struct array_survey *survey, const ph_episode *episode) {
  static const ph_column columns[] = {PH_COL_STATES, PH_COL_ACTIONS, PH_COL_REWARDS, PH_COL_DONES};
  size_t n;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    count_column(survey, episode, columns[i]);
  for (size_t i = 0; i < n; i++)
    count_array(survey, &channels[i], ph_episode_meta_of(episode));
}

static void say_shape(char *out, size_t size, const ph_channel *c) {
  int rank = c->rank < 4 ? c->rank : 4;
  size_t used = 0;
  snprintf(out, size, "1");
  for (int i = 1; i < rank && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, i > 1 ? " x " : "", c->dim[i]);
  if (c->rank > 4 && used < size)
    snprintf(out + used, size - used, " x ...");
}

static void say_note(char *out, size_t size, const struct array_line *line, size_t opened) {
  const ph_channel *c = &line->channel;
  const char *kind = c->kind == PH_CHANNEL_IMAGE   ? "image, not shown"
                     : c->kind == PH_CHANNEL_OTHER ? "not shown"
                                                   : "";
  size_t used =
      (size_t)snprintf(out, size, "%s%s%s", kind, *kind && c->note[0] ? "; " : "", c->note);
  if (line->count < opened && used < size)
    snprintf(out + used, size - used, "%sin %zu of %zu", used ? "; " : "", line->count, opened);
}

void array_survey_print(const struct array_survey *survey, size_t opened) {
  int wide = 5, shape_wide = 5;
  char shape[120], note[240], shift[16];
  for (size_t k = 0; k < survey->n; k++) {
    int n = (int)strlen(survey->line[k].channel.name);
    say_shape(shape, sizeof shape, &survey->line[k].channel);
    wide = n > wide ? n : wide;
    shape_wide = (int)strlen(shape) > shape_wide ? (int)strlen(shape) : shape_wide;
  }
  wide = wide > 48 ? 48 : wide;
  printf("\n%-*s  %-8s  %-*s  %-8s %5s  %s\n", wide, "array", "type", shape_wide, "a row", "rows",
         "shift", "note");
  for (size_t k = 0; k < survey->n; k++) {
    const struct array_line *line = &survey->line[k];
    say_shape(shape, sizeof shape, &line->channel);
    say_note(note, sizeof note, line, opened);
    snprintf(shift, sizeof shift, "%+d", line->channel.shift);
    printf("%-*s  %-8s  %-*s  ", wide, line->channel.name, line->channel.type, shape_wide, shape);
    if (line->channel.shift || note[0])
      printf("%-8s %5s%s%s\n", line->rows, line->channel.shift ? shift : "", note[0] ? "  " : "",
             note);
    else
      printf("%s\n", line->rows);
  }
  if (survey->more)
    printf("... and more: %d different arrays are listed at most\n", ARRAYS_MAX);
}
