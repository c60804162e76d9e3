#include "series.h"

#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_STEPS = 2048, CAREFUL_PARTS = 64, CHOSEN = 3 };

void plots_clear(struct plots *p) {
  for (int i = 0; i < PLOTS_KEPT; i++)
    series_unref(p->line[i].series);
  memset(p, 0, sizeof *p);
}

/* --- which tracks --- */

struct choice {
  size_t n;
  size_t track[PLOT_CURVES];
};

static void __attribute__((format(printf, 3, 4)))
note(char *out, size_t size, const char *fmt, ...) {
  size_t n = strlen(out);
  va_list args;
  if (n && n + 2 < size)
    n += (size_t)snprintf(out + n, size - n, "; ");
  va_start(args, fmt);
  if (n < size)
    vsnprintf(out + n, size - n, fmt, args);
  va_end(args);
}

static size_t choice_find(const struct choice *choice, size_t track) {
  size_t i = 0;
  while (i < choice->n && choice->track[i] != track)
    i++;
  return i;
}

static void choice_drop(struct choice *choice, size_t i) {
  memmove(&choice->track[i], &choice->track[i + 1], (choice->n - i - 1) * sizeof choice->track[0]);
  choice->n--;
}

/* The oldest gives way. */
static void choice_add(struct choice *choice, size_t track) {
  if (choice->n == PLOT_CURVES)
    choice_drop(choice, 0);
  choice->track[choice->n++] = track;
}

/* Whether a name ends in `tail`, a word of it or more. */
static bool ends_in(const char *name, const char *tail) {
  size_t n = strlen(name), m = strlen(tail);
  return m > 0 && m < n && strcmp(name + n - m, tail) == 0 && strchr("/_.", name[n - m - 1]);
}

/* The tracks of the one array, or the one track, whose name ends in this; what an action led to
 * comes last. 0: there is none, or there are two. */
static size_t find_tail(const ph_tracks *tracks, const char *tail, size_t *place, size_t room) {
  const char *whose = NULL;
  size_t found = 0;
  for (int next = 0; next < 2 && found == 0; next++)
    for (size_t i = 0; i < ph_tracks_count(tracks); i++) {
      const ph_track *track = ph_tracks_at(tracks, i);
      bool array = ends_in(track->array, tail);
      if ((strncmp(track->array, "next_", 5) == 0) != next ||
          (!array && !ends_in(track->name, tail)))
        continue;
      const char *name = array ? track->array : track->name;
      if (whose && strcmp(whose, name) != 0)
        return 0;
      whose = name;
      if (found < room)
        place[found] = i;
      found++;
    }
  return found;
}

/* Up to three names that have this text; an array is named once. */
static void near_names(const ph_tracks *tracks, const char *part, char *out, size_t size) {
  const char *before = "";
  size_t n = 0, found = 0;
  out[0] = 0;
  for (size_t i = 0; i < ph_tracks_count(tracks) && found < 3 && n < size; i++) {
    const ph_track *track = ph_tracks_at(tracks, i);
    const char *name = text_contains(track->array, part) ? track->array : track->name;
    if (!text_contains(name, part) || strcmp(name, before) == 0)
      continue;
    n += (size_t)snprintf(out + n, size - n, "%s%s", found ? ", " : "; near: ", name);
    before = name;
    found++;
  }
}

/* A name that is not there: computed numbers are not stored, others are misspelt. */
static void name_missing(const struct opened *o, const char *name, char *out, size_t size) {
  const struct reel *reel = o->reel;
  char near[160];
  for (size_t i = 0; i < reel->nsignals; i++)
    if (reel->signals[i].kind >= PH_SIGNAL_SENSOR && reel->signals[i].kind != PH_SIGNAL_CHANNEL &&
        strcmp(reel->signals[i].name, name) == 0) {
      note(out, size, "%s is computed from the state, not stored: only stored numbers are plotted",
           name);
      return;
    }
  near_names(o->tracks, name, near, sizeof near);
  note(out, size, "%s has no number called \"%s\"%s", reel->meta.id, name, near);
}

/* What a name stands for goes in; if all of it is in already, it goes out. */
static void choice_name(struct choice *choice, const struct opened *o, const char *name, char *out,
                        size_t size) {
  size_t place[PLOT_CURVES] = {0}, in = 0;
  size_t all = ph_tracks_find(o->tracks, name, place, PLOT_CURVES);
  if (all == 0)
    all = find_tail(o->tracks, name, place, PLOT_CURVES);
  size_t n = all < PLOT_CURVES ? all : PLOT_CURVES;
  if (n == 0)
    name_missing(o, name, out, size);
  for (size_t i = 0; i < n; i++)
    in += choice_find(choice, place[i]) < choice->n;
  for (size_t i = 0; i < n; i++) {
    size_t at = choice_find(choice, place[i]);
    if (in == n)
      choice_drop(choice, at);
    else if (at == choice->n && choice->n == PLOT_CURVES)
      note(out, size, "%s gives way: %d are shown at most",
           ph_tracks_at(o->tracks, choice->track[0])->name, PLOT_CURVES);
    if (in < n && at == choice->n)
      choice_add(choice, place[i]);
  }
  if (all > n)
    note(out, size, "%s names %zu numbers: the first %zu are shown", name, all, n);
}

/* The first numbers of a raw episode: of its states or observations where they are called so, but
 * for the first of them, which mostly is the time. */
static void choice_raw(struct choice *choice, const struct opened *o) {
  static const char *const likely[] = {"states", "observations", "obs"};
  size_t n = ph_tracks_count(o->tracks), from = 0;
  for (size_t k = 0; k < sizeof likely / sizeof *likely && from == 0; k++)
    for (size_t i = 0; i < n && from == 0; i++) {
      const ph_track *track = ph_tracks_at(o->tracks, i);
      bool like = track->channel >= 0 && strcmp(track->array, likely[k]) == 0;
      from = like && track->element == (k == 0) ? i : 0;
    }
  for (size_t i = from; i < n && choice->n < CHOSEN; i++)
    if (strcmp(ph_tracks_at(o->tracks, i)->name, "time") != 0)
      choice_add(choice, i);
}

/* --- series --- */

/* The steps that a series for the wish is of: all, unless they are too many for a part each. */
static void wished_range(const struct reel *reel, const struct plot_wish *wish, int64_t *first,
                         int64_t *steps) {
  int64_t last = reel->states - 1;
  *first = 0;
  *steps = reel->states;
  if (reel->states <= SERIES_PARTS || wish->last <= wish->first || wish->first < 0)
    return;
  *first = wish->first < last ? wish->first : last;
  *steps = (wish->last < last ? wish->last : last) - *first + 1;
}

static struct series *make_series(int64_t first, int64_t steps) {
  struct series *series = calloc(1, sizeof *series);
  if (!series)
    return NULL;
  atomic_init(&series->refs, 1);
  series->first = first;
  series->steps = steps;
  series->per = (steps + SERIES_PARTS - 1) / SERIES_PARTS;
  series->per = series->per > 0 ? series->per : 1;
  series->n = (size_t)((steps + series->per - 1) / series->per);
  series->part = calloc(series->n ? series->n : 1, sizeof *series->part);
  if (series->part)
    return series;
  series_unref(series);
  return NULL;
}

static struct plot_line *find_line(struct plots *p, size_t episode, const char *name, int64_t first,
                                   int64_t steps) {
  for (int i = 0; i < PLOTS_KEPT; i++) {
    struct plot_line *line = &p->line[i];
    if (line->series && line->episode == episode && line->series->first == first &&
        line->series->steps == steps && strcmp(line->name, name) == 0)
      return line;
  }
  return NULL;
}

/* A new line in the place of the one that was not used for longest; NULL: out of memory. */
static struct plot_line *new_line(struct plots *p, size_t episode, const char *name, int64_t first,
                                  int64_t steps) {
  struct series *series = make_series(first, steps);
  struct plot_line *line = &p->line[0];
  if (!series)
    return NULL;
  for (int i = 1; i < PLOTS_KEPT; i++)
    if (line->series && (!p->line[i].series || p->line[i].at < line->at))
      line = &p->line[i];
  series_unref(line->series);
  *line = (struct plot_line){.series = series, .episode = episode};
  snprintf(line->name, sizeof line->name, "%s", name);
  return line;
}

static void fill_curve(struct curve *curve, const struct opened *o, size_t track, int64_t step,
                       const struct plot_line *line) {
  const ph_track *t = ph_tracks_at(o->tracks, track);
  snprintf(curve->name, sizeof curve->name, "%s", t->name);
  snprintf(curve->unit, sizeof curve->unit, "%s", t->unit ? t->unit : "");
  snprintf(curve->note, sizeof curve->note, "%s", line->note);
  curve->series = series_ref(line->series);
  curve->ready = line->ready;
  if (ph_tracks_read(o->tracks, track, step, 1, &curve->value) != PH_OK)
    curve->value = NAN;
}

bool plots_answer(struct plots *p, struct opened *o, const struct plot_wish *wish, int64_t step,
                  struct plot_answer *out) {
  struct choice choice = {0};
  int64_t first, steps;
  out->serial = wish->serial;
  p->nnow = 0;
  if (wish->n == 0 && (wish->chosen || !o->reel->raw))
    return true;
  if (!o->tracks && ph_tracks_make(&o->tracks, o->episode, o->model) != PH_OK) {
    o->tracks = NULL;
    return false;
  }
  if (!wish->chosen)
    choice_raw(&choice, o);
  for (size_t i = 0; i < wish->n && i < PLOT_WISHES && wish->chosen; i++)
    choice_name(&choice, o, wish->name[i], out->note, sizeof out->note);
  wished_range(o->reel, wish, &first, &steps);
  p->turn++;
  for (size_t i = 0; i < choice.n; i++) {
    const char *name = ph_tracks_at(o->tracks, choice.track[i])->name;
    struct plot_line *line = find_line(p, o->place, name, first, steps);
    if (!line)
      line = new_line(p, o->place, name, first, steps);
    if (!line)
      return false;
    line->at = p->turn;
    line->track = choice.track[i];
    p->now[p->nnow++] = (int)(line - p->line);
    fill_curve(&out->curve[out->n++], o, choice.track[i], step, line);
  }
  return true;
}

/* --- reading --- */

/* The line of a curve that still has parts to read; -1: none. */
static int open_line(const struct plots *p) {
  for (int i = 0; i < p->nnow; i++) {
    const struct plot_line *line = &p->line[p->now[i]];
    if (line->series && line->ready < line->series->n)
      return p->now[i];
  }
  return -1;
}

bool plots_wanting(const struct plots *p) {
  return open_line(p) >= 0;
}

/* How many parts the next slice has, and how many steps; the last part may be shorter than the
 * others, and then it is one of its own. */
static size_t next_slice(const struct plot_line *line, int64_t *first, int64_t *steps) {
  const struct series *series = line->series;
  int64_t per = series->per, end = series->first + series->steps;
  size_t n = (size_t)(SLICE_STEPS / per), left = series->n - line->ready;
  if (line->ready < line->careful && n > CAREFUL_PARTS)
    n = CAREFUL_PARTS;
  n = n > left ? left : n < 1 ? 1 : n;
  *first = series->first + (int64_t)line->ready * per;
  if (n > 1 && *first + (int64_t)n * per > end)
    n--;
  *steps = (int64_t)n * per;
  if (*first + *steps > end)
    *steps = end - *first;
  return n;
}

/* Damage leaves a gap and is said; what is around it is shown. */
static bool damaged(struct plot_line *line, size_t n) {
  if (n > CAREFUL_PARTS) {
    line->careful = line->ready + n;
    return false;
  }
  if (!line->note[0])
    snprintf(line->note, sizeof line->note, "%s", ph_error());
  for (size_t i = line->ready; i < line->ready + n; i++)
    line->series->part[i] = (ph_span){INFINITY, -INFINITY};
  return true;
}

void plots_work(struct plots *p, struct opened *o, bool (*cancel)(void *arg), void *arg) {
  int at = open_line(p);
  int64_t first, steps;
  if (at < 0 || !o->tracks)
    return;
  struct plot_line *line = &p->line[at];
  size_t n = next_slice(line, &first, &steps);
  ph_status status = ph_tracks_spans(o->tracks, line->track, first, steps,
                                     &line->series->part[line->ready], n, cancel, arg);
  if (status == PH_ECANCELED || (status != PH_OK && !damaged(line, n)))
    return;
  line->ready += n;
  p->reads++;
}
