#include "export.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "file.h"

enum { BLOCK_ROWS = 4096, BLOCK_BYTES = 8 << 20, TEXT_SIZE = 1 << 16 };

/* One array that picked tracks are part of, and its rows of the block. */
struct source {
  const ph_track *track; /* any of them */
  size_t width;
  bool whole, is_signed; /* of whole numbers that a double may not hold */
  void *rows;            /* doubles; where whole, the 64 bits of each */
  int64_t from, n;       /* rows that are there: steps from .. from+n-1 */
};

struct csv {
  const ph_episode *episode;
  ph_tracks *tracks;
  size_t *picked, npicked;
  bool *seen;        /* of each track: it is picked */
  size_t *source_of; /* of each picked track */
  struct source *sources;
  size_t nsources;
  int64_t first, end, block;
  char *text; /* TEXT_SIZE */
  size_t used;
  ph_export_write write;
  void *arg;
};

/* --- what is picked --- */

static ph_status pick(struct csv *csv, const size_t *places, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!csv->seen[places[i]])
      csv->picked[csv->npicked++] = places[i];
    csv->seen[places[i]] = true;
  }
  return PH_OK;
}

static ph_status pick_word(void *arg, const char *word) {
  struct csv *csv = arg;
  size_t count = ph_tracks_count(csv->tracks);
  size_t *places = malloc((count > 0 ? count : 1) * sizeof *places);
  if (!places)
    return ph_fail(PH_ENOMEM, "%s: out of memory", word);
  size_t n = ph_tracks_find(csv->tracks, word, places, count);
  ph_status status = n > 0 ? pick(csv, places, n) : ph_export_unknown(csv->tracks, word);
  free(places);
  return status;
}

static ph_status pick_columns(struct csv *csv, const char *columns) {
  if (columns)
    return ph_words_each(columns, pick_word, csv);
  csv->npicked = ph_tracks_count(csv->tracks);
  for (size_t i = 0; i < csv->npicked; i++)
    csv->picked[i] = i;
  return PH_OK;
}

static size_t source_for(struct csv *csv, const ph_track *track) {
  for (size_t i = csv->nsources; i-- > 0;)
    if (csv->sources[i].track->column == track->column &&
        csv->sources[i].track->channel == track->channel)
      return i;
  csv->sources[csv->nsources] =
      (struct source){.track = track, .width = ph_track_width(csv->episode, track)};
  struct source *s = &csv->sources[csv->nsources];
  s->whole = ph_track_whole(csv->episode, track, &s->is_signed);
  return csv->nsources++;
}

static ph_status make_sources(struct csv *csv) {
  size_t numbers = 1, room = csv->npicked + 1;
  csv->source_of = calloc(room, sizeof *csv->source_of);
  csv->sources = calloc(room, sizeof *csv->sources);
  csv->text = malloc(TEXT_SIZE);
  if (!csv->source_of || !csv->sources || !csv->text)
    return ph_fail(PH_ENOMEM, "export: out of memory");
  for (size_t i = 0; i < csv->npicked; i++)
    csv->source_of[i] = source_for(csv, ph_tracks_at(csv->tracks, csv->picked[i]));
  for (size_t i = 0; i < csv->nsources; i++)
    numbers += csv->sources[i].width;
  csv->block = BLOCK_BYTES / (int64_t)(numbers * sizeof(double));
  csv->block = csv->block < 1 ? 1 : csv->block > BLOCK_ROWS ? BLOCK_ROWS : csv->block;
  for (size_t i = 0; i < csv->nsources; i++) {
    struct source *s = &csv->sources[i];
    s->rows = malloc((size_t)csv->block * s->width * sizeof(double));
    if (!s->rows)
      return ph_fail(PH_ENOMEM, "%s: out of memory", s->track->array);
  }
  return PH_OK;
}

/* All states, and what the picked arrays have before and after them; of these what is asked for. */
static ph_status choose_steps(struct csv *csv, const ph_export_options *opt) {
  int64_t low = 0, high = ph_episode_meta_of(csv->episode)->states;
  for (size_t i = 0; i < csv->nsources; i++) {
    const ph_track *track = csv->sources[i].track;
    low = track->shift < low && track->rows > 0 ? track->shift : low;
    high = track->rows + track->shift > high ? track->rows + track->shift : high;
  }
  csv->first = opt->first > low ? opt->first : low;
  csv->end = opt->end < high ? opt->end : high;
  bool all = opt->first == INT64_MIN && opt->end == INT64_MAX;
  if (csv->first < csv->end || all)
    return PH_OK;
  return ph_export_no_step(csv->episode, opt->first, opt->end, low, high);
}

/* --- text --- */

static ph_status flush(struct csv *csv) {
  errno = 0;
  bool ok = csv->used == 0 || csv->write(csv->arg, csv->text, csv->used);
  csv->used = 0;
  return ok ? PH_OK
            : ph_fail(PH_EIO, "export: writing failed: %s",
                      errno ? strerror(errno) : "it was refused");
}

static ph_status put(struct csv *csv, const char *text, size_t n) {
  ph_status status = n > TEXT_SIZE - csv->used ? flush(csv) : PH_OK;
  memcpy(csv->text + csv->used, text, n);
  csv->used += n;
  return status;
}

/* ",name", quoted as RFC 4180 has it where the name asks for it. */
static ph_status put_name(struct csv *csv, const char *name) {
  char field[2 * sizeof((ph_track *)NULL)->name + 4];
  size_t n = 0;
  bool quoted = strpbrk(name, ",\"\r\n") != NULL;
  field[n++] = ',';
  if (quoted)
    field[n++] = '"';
  for (const char *c = name; *c; c++) {
    if (*c == '"')
      field[n++] = '"';
    field[n++] = *c;
  }
  if (quoted)
    field[n++] = '"';
  return put(csv, field, n);
}

static ph_status put_header(struct csv *csv) {
  ph_status status = put(csv, "step", 4);
  for (size_t i = 0; i < csv->npicked && status == PH_OK; i++)
    status = put_name(csv, ph_tracks_at(csv->tracks, csv->picked[i])->name);
  return status ? status : put(csv, "\n", 1);
}

static size_t number_text(char out[PH_NUMBER_SIZE], const struct source *s, size_t i) {
  const uint64_t *bits = s->rows;
  if (!s->whole)
    return ph_number_text(out, ((const double *)s->rows)[i]);
  if (s->is_signed)
    return (size_t)snprintf(out, PH_NUMBER_SIZE, "%" PRId64, (int64_t)bits[i]);
  return (size_t)snprintf(out, PH_NUMBER_SIZE, "%" PRIu64, bits[i]);
}

static ph_status put_number(struct csv *csv, size_t i, int64_t step) {
  const struct source *s = &csv->sources[csv->source_of[i]];
  size_t element = (size_t)ph_tracks_at(csv->tracks, csv->picked[i])->element, n = 1;
  char field[PH_NUMBER_SIZE + 1] = ",";
  if (step >= s->from && step < s->from + s->n)
    n += number_text(field + 1, s, (size_t)(step - s->from) * s->width + element);
  return put(csv, field, n);
}

static ph_status put_step(struct csv *csv, int64_t step) {
  char field[PH_NUMBER_SIZE];
  ph_status status = put(csv, field, (size_t)snprintf(field, sizeof field, "%" PRId64, step));
  for (size_t i = 0; i < csv->npicked && status == PH_OK; i++)
    status = put_number(csv, i, step);
  return status ? status : put(csv, "\n", 1);
}

/* --- blocks --- */

static ph_status read_source(struct csv *csv, struct source *s, int64_t first, int64_t end) {
  const ph_track *track = s->track;
  int64_t low = track->shift, high = track->rows + track->shift;
  s->from = first > low ? first : low;
  s->n = (end < high ? end : high) - s->from;
  if (s->n <= 0) {
    s->n = 0;
    return PH_OK;
  }
  int64_t row = s->from - track->shift;
  return s->whole ? ph_track_whole_rows(csv->episode, track, row, s->n, s->rows)
                  : ph_track_rows(csv->episode, track, row, s->n, s->rows);
}

static ph_status put_block(struct csv *csv, int64_t first, int64_t end) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < csv->nsources && status == PH_OK; i++)
    status = read_source(csv, &csv->sources[i], first, end);
  for (int64_t step = first; step < end && status == PH_OK; step++)
    status = put_step(csv, step);
  return status;
}

static ph_status put_all(struct csv *csv) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old;
  if (!c)
    return ph_fail(PH_ENOMEM, "export: no C locale");
  old = uselocale(c);
  ph_status status = put_header(csv);
  for (int64_t step = csv->first; step < csv->end && status == PH_OK; step += csv->block)
    status = put_block(csv, step, csv->end - step < csv->block ? csv->end : step + csv->block);
  if (status == PH_OK)
    status = flush(csv);
  uselocale(old);
  freelocale(c);
  return status;
}

static void csv_clear(struct csv *csv) {
  for (size_t i = 0; i < csv->nsources; i++)
    free(csv->sources[i].rows);
  free(csv->sources);
  free(csv->source_of);
  free(csv->picked);
  free(csv->seen);
  free(csv->text);
  ph_tracks_free(csv->tracks);
}

ph_status ph_export_csv(const ph_episode *episode, const ph_model *model,
                        const ph_export_options *opt, ph_export_write write, void *arg) {
  static const ph_export_options everything = PH_EXPORT_OPTIONS_INIT;
  struct csv csv = {.episode = episode, .write = write, .arg = arg};
  opt = opt ? opt : &everything;
  ph_status status = ph_tracks_make(&csv.tracks, episode, model);
  if (status == PH_OK) {
    csv.picked = calloc(ph_tracks_count(csv.tracks) + 1, sizeof *csv.picked);
    csv.seen = calloc(ph_tracks_count(csv.tracks) + 1, sizeof *csv.seen);
    status = csv.picked && csv.seen ? PH_OK : ph_fail(PH_ENOMEM, "export: out of memory");
  }
  if (status == PH_OK)
    status = pick_columns(&csv, opt->columns);
  if (status == PH_OK)
    status = make_sources(&csv);
  if (status == PH_OK)
    status = choose_steps(&csv, opt);
  if (status == PH_OK)
    status = put_all(&csv);
  csv_clear(&csv);
  return status;
}

/* --- to a file --- */

struct file {
  ph_new_file new;
  uint64_t size;
  int failed; /* the first errno */
};

static bool write_file(void *arg, const char *text, size_t size) {
  struct file *file = arg;
  file->failed = ph_file_write(file->new.fd, file->size, text, size);
  file->size += size;
  return file->failed == 0;
}

ph_status ph_export_csv_file(const char *path, const ph_episode *episode, const ph_model *model,
                             const ph_export_options *opt) {
  struct file file = {0};
  ph_status status = ph_new_file_create(&file.new, path);
  if (status)
    return status;
  status = ph_export_csv(episode, model, opt, write_file, &file);
  if (file.failed)
    status = ph_fail(PH_EIO, "%s: cannot be written: %s", path, strerror(file.failed));
  if (status == PH_OK)
    status = ph_new_file_publish(&file.new);
  ph_new_file_drop(&file.new);
  return status;
}
