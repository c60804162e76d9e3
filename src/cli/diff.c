/* `diff A B`: two episodes, or the episodes of two runs, matched by env and episode. */
#include "diff.h"
#include "look.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct side {
  char *path; /* owned */
  const char *id;
  ph_store *store; /* that of the other side, where both are in one place */
};

struct diff {
  const struct options *opt;
  struct side side[2];
  ph_tolerance tolerance;
  json_t *episodes, *only[2];
  size_t pairs, same, alone;
  struct diff_models *models; /* owned */
};

/* "FILE:ID" where there is no file of the whole name. */
static bool split(struct side *side, const char *given, const char *episode) {
  side->id = episode;
  side->path = strdup(given);
  char *colon = side->path ? strrchr(side->path, ':') : NULL;
  if (!colon || access(given, F_OK) == 0)
    return side->path != NULL;
  *colon = 0;
  if (access(side->path, F_OK) == 0)
    side->id = colon + 1;
  else
    *colon = ':';
  return true;
}

static bool in_one_place(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* One look serves both sides of one place: a run that is being recorded grows between two. */
static int open_side(struct side *side, const struct side *before, const struct options *opt,
                     const char *given) {
  ph_store_options so = cli_store_options(opt);
  char **paths = NULL;
  size_t n = 0;
  if (!split(side, given, opt->episode))
    return cli_fail(EXIT_ERROR, "diff: no memory");
  const char *path = side->path;
  if (before && in_one_place(before->path, path)) {
    side->store = before->store;
    return EXIT_FINE;
  }
  ph_status status = ph_store_expand(&paths, &n, &path, 1);
  if (status == PH_OK)
    status = ph_store_open(&side->store, (const char *const *)paths, n, &so);
  int exit_status = status == PH_OK ? EXIT_FINE : cli_error();
  ph_store_expand_free(paths, n);
  return exit_status;
}

static bool is_ours(const ph_store *store) {
  const char *layout = ph_store_layout(store);
  return strcmp(layout, "run") == 0 || strcmp(layout, "dataset") == 0 ||
         strcmp(layout, "episode file") == 0;
}

/* The episode of the store that is the other's; SIZE_MAX: none. */
static size_t match(const ph_store *store, const ph_store *other, const ph_entry *entry) {
  bool numbers = is_ours(store) && is_ours(other);
  for (size_t i = 0; i < ph_store_count(store); i++) {
    const ph_entry *e = ph_store_entry(store, i);
    if (numbers ? e->env_id == entry->env_id && e->episode == entry->episode
                : strcmp(e->id, entry->id) == 0)
      return i;
  }
  return SIZE_MAX;
}

static int compare(struct diff *d, size_t i, size_t j) {
  struct diff_pair pair;
  int status = EXIT_FINE;
  ph_status compared =
      diff_compare(&pair, d->side[0].store, i, d->side[1].store, j, &d->tolerance, &d->models);
  if (compared != PH_OK) {
    status = cli_error();
  } else {
    d->pairs++;
    d->same += diff_is_same(&pair);
    if (d->episodes)
      json_array_append_new(d->episodes, diff_json(&pair));
    else
      diff_print(&pair);
  }
  return status;
}

static int find(const struct side *side, size_t *i) {
  *i = side->id ? ph_store_find(side->store, side->id) : 0;
  size_t n = ph_store_count(side->store);
  if (*i >= n)
    return cli_fail(EXIT_ERROR, "%s: %s: no such episode", side->path, side->id ? side->id : "0");
  if (!side->id && n > 1)
    return cli_fail(EXIT_ERROR, "%s: it has %zu episodes: which one is meant is for %s:ID to say",
                    side->path, n, side->path);
  return EXIT_FINE;
}

static int compare_two(struct diff *d) {
  size_t i = 0, j = 0;
  int status = find(&d->side[0], &i);
  if (status == EXIT_FINE)
    status = find(&d->side[1], &j);
  return status == EXIT_FINE ? compare(d, i, j) : status;
}

static void tell_alone(struct diff *d, int which, const ph_entry *entry) {
  d->alone++;
  if (d->only[which])
    json_array_append_new(d->only[which], ph_json_text(entry->id));
  else
    printf("%s: only in %s\n", entry->id, d->side[which].path);
}

static int compare_all(struct diff *d) {
  ph_store *a = d->side[0].store, *b = d->side[1].store;
  int status = EXIT_FINE;
  for (size_t i = 0; i < ph_store_count(a) && status == EXIT_FINE; i++) {
    size_t j = match(b, a, ph_store_entry(a, i));
    if (j == SIZE_MAX)
      tell_alone(d, 0, ph_store_entry(a, i));
    else
      status = compare(d, i, j);
  }
  for (size_t j = 0; j < ph_store_count(b) && status == EXIT_FINE; j++)
    if (match(a, b, ph_store_entry(b, j)) == SIZE_MAX)
      tell_alone(d, 1, ph_store_entry(b, j));
  return status;
}

static int compare_sides(struct diff *d) {
  const struct side *a = &d->side[0], *b = &d->side[1];
  bool single = ph_store_count(a->store) == 1 && ph_store_count(b->store) == 1;
  return a->id || b->id || single ? compare_two(d) : compare_all(d);
}

static int print_end(struct diff *d, json_t *root) {
  bool same = d->pairs > 0 && d->same == d->pairs && d->alone == 0;
  int status = same ? EXIT_FINE : EXIT_FINDING;
  cli_progress_end();
  if (root) {
    json_object_set_new(root, "same", json_boolean(same));
    return ph_json_write(root, stdout) == PH_OK ? status : cli_error();
  }
  printf("%zu of %zu %s the same", d->same, d->pairs, d->pairs == 1 ? "pair is" : "pairs are");
  if (d->alone > 0)
    printf("; %zu %s in one of the two only", d->alone,
           d->alone == 1 ? "episode is" : "episodes are");
  printf("\n");
  return status;
}

/* The scrubber on A, with B beside it; --episode is meant of both where their paths name none. */
static int view(const struct diff *d) {
  const struct options *opt = d->opt;
  struct side a = {0}, b = {0};
  struct options of = *opt;
  char ghost[600], **paths = NULL;
  size_t n = 0;
  if (opt->json)
    return cli_fail(EXIT_USAGE, "diff: --view and --json: only one of them is taken");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return cli_fail(EXIT_USAGE, "diff: --view: not a terminal: playhead screen A --ghost B prints "
                                "the same as text");
  bool ok = split(&a, opt->paths[0], opt->episode) && split(&b, opt->paths[1], opt->episode);
  const char *path = a.path;
  int status = ok ? EXIT_FINE : cli_fail(EXIT_ERROR, "diff: no memory");
  if (ok && ph_store_expand(&paths, &n, &path, 1) != PH_OK)
    status = cli_error();
  if (status == EXIT_FINE) {
    snprintf(ghost, sizeof ghost, "%s%s%s", b.path, b.id ? ":" : "", b.id ? b.id : "");
    of.paths = (const char **)paths;
    of.npaths = n;
    of.episode = a.id;
    of.ghost = ghost;
    of.mode = NULL; /* that of verify is none of the screen's */
    struct view_options look = cli_view_options(&of);
    look.tolerance = d->tolerance;
    look.step = a.id ? 0 : -1;
    look.term.ascii |= strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    status = loop_run(&look);
  }
  ph_store_expand_free(paths, n);
  free(a.path);
  free(b.path);
  return status;
}

int verb_diff(const struct options *opt) {
  struct diff d = {.opt = opt, .tolerance = ph_tolerance_default()};
  json_t *root = NULL;
  int status = EXIT_FINE;
  if (opt->tolerance && ph_tolerance_parse(&d.tolerance, opt->tolerance) != PH_OK)
    return cli_fail(EXIT_USAGE, "diff: --tol: %s", ph_error());
  if (opt->view)
    return view(&d);
  for (int k = 0; k < 2 && status == EXIT_FINE; k++)
    status = open_side(&d.side[k], k > 0 ? d.side : NULL, opt, opt->paths[k]);
  if (status == EXIT_FINE && opt->json) {
    root = json_pack("{s:s, s:[], s:[], s:[]}", "mode", "diff", "episodes", "only_a", "only_b");
    d.episodes = json_object_get(root, "episodes");
    d.only[0] = json_object_get(root, "only_a");
    d.only[1] = json_object_get(root, "only_b");
  }
  if (status == EXIT_FINE)
    status = compare_sides(&d);
  if (status == EXIT_FINE)
    status = print_end(&d, root);
  else
    json_decref(root);
  if (d.side[1].store != d.side[0].store)
    ph_store_free(d.side[1].store);
  ph_store_free(d.side[0].store);
  diff_models_free(d.models);
  free(d.side[0].path);
  free(d.side[1].path);
  return cli_flush(status);
}
