/* Rows from outside: what `latch --json` prints, {"id": row, ...}, or [row, ...]. */
#include "cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(const struct cut *c, const char *id, const char *why) {
  return cli_fail(EXIT_ERROR, "cut: --steps %s: %s%s%s", c->opt->steps_file, id, id[0] ? ": " : "",
                  why);
}

/* A row, or null: there is none. */
static int set_row(struct cut *c, size_t i, const json_t *row, const char *reason) {
  ph_cut_episode *e = &c->plan[i];
  if (row && !json_is_null(row) && (!json_is_integer(row) || json_integer_value(row) < 0))
    return refuse(c, e->id, "its row is no whole number");
  e->to = json_is_integer(row) ? json_integer_value(row) : -1;
  if (e->to < 0)
    cut_leave_out(c, i, !c->opt->drop_failed, "%s", reason ? reason : "the list has no row for it");
  return EXIT_FINE;
}

/* The i-th episode by its id, which may have come only once. */
static int find(struct cut *c, const char *id, bool *seen, size_t *i) {
  *i = ph_id_index_find(&c->places, id);
  if (*i == SIZE_MAX)
    return refuse(c, id, "there is no such episode");
  if (seen[*i])
    return refuse(c, id, "it is named twice");
  seen[*i] = true;
  return EXIT_FINE;
}

static int all_seen(const struct cut *c, const bool *seen) {
  for (size_t i = 0; i < c->n; i++)
    if (!seen[i])
      return refuse(c, c->plan[i].id, "it is not named");
  return EXIT_FINE;
}

/* --- the three ways --- */

static int by_place(struct cut *c, const json_t *list) {
  char why[120];
  int status = EXIT_FINE;
  snprintf(why, sizeof why, "it has %zu rows, %s has %zu episodes", json_array_size(list),
           "the source", c->n);
  if (json_array_size(list) != c->n)
    return refuse(c, "", why);
  for (size_t i = 0; i < c->n && status == EXIT_FINE; i++)
    status = set_row(c, i, json_array_get(list, i), NULL);
  return status;
}

static int by_id(struct cut *c, json_t *object, bool *seen) {
  const char *id;
  json_t *row;
  size_t i;
  int status = EXIT_FINE;
  json_object_foreach(object, id, row) {
    status = find(c, id, seen, &i);
    if (status == EXIT_FINE)
      status = set_row(c, i, row, NULL);
    if (status != EXIT_FINE)
      return status;
  }
  return all_seen(c, seen);
}

static int source_of(const json_t *name) {
  for (int s = 0; s < PH_LATCH_SOURCES; s++)
    if (json_is_string(name) &&
        strcmp(json_string_value(name), ph_latch_source_name((ph_latch_source)s)) == 0)
      return s;
  return -1;
}

/* The strictest that an episode of the list allows; where the list does not say, by which it has a
 * row; -1: it has no say. */
static int strictest(const json_t *e) {
  int by = source_of(json_object_get(e, "strictest"));
  if (json_object_get(e, "strictest"))
    return by;
  for (by = PH_LATCH_SOURCES - 1; by >= 0; by--)
    if (json_is_integer(json_object_get(e, ph_latch_source_name((ph_latch_source)by))))
      break;
  return by;
}

/* The strictest source that every episode allows, as where no list is given. */
static void choose_source(struct cut *c, const json_t *episodes) {
  size_t i;
  json_t *e;
  int by = PH_LATCH_SOURCES;
  json_array_foreach(episodes, i, e) {
    int this = strictest(e);
    by = this >= 0 && this < by ? this : by;
  }
  if (c->by == PH_LATCH_SOURCES)
    c->by = (ph_latch_source)by;
}

static int take_facts(struct cut *c, const json_t *latch) {
  const json_t *hold = json_object_get(latch, "hold_seconds"),
               *fingerprint = json_object_get(latch, "fingerprint");
  if (c->hold >= 0 && json_is_number(hold) && json_number_value(hold) != c->hold)
    return refuse(c, "", "its hold is another than that of --hold");
  if (json_is_number(hold) && json_number_value(hold) < 0)
    return refuse(c, "", "its hold_seconds is less than 0");
  if (json_is_number(hold))
    c->hold = json_number_value(hold);
  if (json_is_object(fingerprint))
    c->fingerprint = json_dumps(fingerprint, JSON_COMPACT | JSON_REAL_PRECISION(17));
  return EXIT_FINE;
}

/* Why it has no row by the source: in words of its own, or in those of the episode. */
static const char *reason_of(const json_t *e, const char *source) {
  const json_t *reasons = json_object_get(e, "reasons");
  const char *own = json_string_value(json_object_get(reasons, source));
  return own ? own : json_string_value(json_object_get(e, "reason"));
}

static int by_latch(struct cut *c, const json_t *latch, bool *seen) {
  const json_t *episodes = json_object_get(latch, "episodes");
  size_t k, i;
  json_t *e;
  int status = take_facts(c, latch);
  choose_source(c, episodes);
  const char *source = c->by == PH_LATCH_SOURCES ? "recorded" : ph_latch_source_name(c->by);
  c->claims = calloc(c->n + 1, sizeof *c->claims);
  if (status != EXIT_FINE || !c->claims)
    return status == EXIT_FINE ? refuse(c, "", "no memory") : status;
  json_array_foreach(episodes, k, e) {
    const char *id = json_string_value(json_object_get(e, "id"));
    status = id ? find(c, id, seen, &i) : refuse(c, "", "an episode has no id");
    if (status == EXIT_FINE)
      status = set_row(c, i, json_object_get(e, source), reason_of(e, source));
    if (status != EXIT_FINE)
      return status;
    cut_claim_read(&c->claims[i], e, latch);
  }
  return all_seen(c, seen);
}

/* --- reading --- */

static json_t *read_list(const struct cut *c, char *why, size_t size) {
  json_error_t error = {.text = ""};
  struct stat st;
  bool input = strcmp(c->opt->steps_file, "-") == 0;
  if (!input && stat(c->opt->steps_file, &st) == 0 && S_ISDIR(st.st_mode)) {
    snprintf(why, size, "it is a folder");
    return NULL;
  }
  json_t *list = input ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &error)
                       : json_load_file(c->opt->steps_file, JSON_REJECT_DUPLICATES, &error);
  if (!list)
    snprintf(why, size, error.line > 0 ? "line %2$d: %1$s" : "%1$s", error.text, error.line);
  return list;
}

int cut_read_steps(struct cut *c) {
  char why[300];
  json_t *list = read_list(c, why, sizeof why);
  bool *seen = calloc(c->n + 1, sizeof *seen);
  int status;
  bool indexed = ph_id_index_make(&c->places, c->plan->id, sizeof *c->plan, c->n) == PH_OK;
  if (!list || !seen || !indexed)
    status = refuse(c, "", list ? "no memory" : why);
  else if (json_is_array(json_object_get(list, "holds")))
    status = refuse(c, "", "it is a sweep over many holds: one is needed");
  else if (json_is_array(json_object_get(list, "episodes")))
    status = by_latch(c, list, seen);
  else if (json_is_object(list))
    status = by_id(c, list, seen);
  else if (json_is_array(list))
    status = by_place(c, list);
  else
    status = refuse(c, "", "it is no list of rows");
  if (status == EXIT_FINE && c->opt->by && !json_is_array(json_object_get(list, "episodes")))
    status = cli_fail(EXIT_USAGE, "cut: --by: the list says nothing of sources");
  free(seen);
  ph_id_index_clear(&c->places);
  json_decref(list);
  return status;
}
