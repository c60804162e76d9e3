#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cut_parts.h"
#include "fail.h"
#include "id_index.h"
#include "sink_h5.h"

/* --- names --- */

/* Bytes of a source's name that its result's begins with: without slashes at the end, and without
 * the ending of a file. */
static size_t stem(const char *source) {
  static const char *const endings[] = {".h5", ".hdf5"};
  size_t n = strlen(source);
  while (n > 1 && source[n - 1] == '/')
    n--;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t length = strlen(endings[i]);
    if (n > length && source[n - length - 1] != '/' &&
        strncmp(source + n - length, endings[i], length) == 0)
      return n - length;
  }
  return n;
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

ph_status ph_cut_name(char *out, size_t size, const char *source, double hold_seconds) {
  char hold[40];
  const char *ending = ph_cut_is_batch(source) ? "" : ".h5";
  size_t n = stem(source);
  if (!(hold_seconds >= 0) || !isfinite(hold_seconds))
    return ph_fail(PH_EINVAL, "%s: a hold of %g s: none has a name", source, hold_seconds);
  if (!is_folder(source) && n < strlen(source))
    ending = source + n;
  snprintf(hold, sizeof hold, "%.9g", hold_seconds);
  for (char *c = hold; *c; c++)
    *c = (char)(*c == '.' ? 'p' : *c);
  int length = snprintf(out, size, "%.*s_hold%ss%s", (int)n, source, hold, ending);
  return length > 0 && (size_t)length < size
             ? PH_OK
             : ph_fail(PH_EINVAL, "%.80s...: the name of its cut would be too long", source);
}

void ph_cut_folder(char *out, const char *path) {
  char *copy = strdup(path);
  if (!copy || !realpath(dirname(copy), out))
    out[0] = 0;
  free(copy);
}

static bool is_in(const char *out, const char *source) {
  char folder[PATH_MAX], root[PATH_MAX];
  ph_cut_folder(folder, out);
  if (!is_folder(source) || !realpath(source, root))
    return false;
  size_t n = strlen(root);
  return strncmp(folder, root, n) == 0 && (folder[n] == 0 || folder[n] == '/');
}

ph_status ph_cut_check_out(const char *out, const char *source) {
  struct stat st;
  char folder[PATH_MAX], bare[PATH_MAX];
  size_t n = strlen(out);
  while (n > 1 && out[n - 1] == '/') /* behind which a link would be followed */
    n--;
  if (snprintf(bare, sizeof bare, "%.*s", (int)n, out) >= (int)sizeof bare)
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", out);
  if (lstat(bare, &st) == 0)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", out);
  if (out[0] && out[strlen(out) - 1] == '/' && !ph_cut_is_batch(source))
    return ph_fail(PH_EINVAL, "%s: it names a folder, and the result is a file", out);
  ph_cut_folder(folder, out);
  if (!folder[0] || access(folder, W_OK | X_OK) != 0)
    return ph_fail(PH_EIO, "%s: its folder: %s", out, strerror(errno));
  if (is_in(out, source))
    return ph_fail(PH_EINVAL, "%s: it would be in %s, which is never written to", out, source);
  return ph_sink_check_path(out, 1);
}

/* --- the list --- */

static ph_status place_line(ph_cutting *c, ph_id_index *ids, const ph_cut_episode *line) {
  size_t i = ph_id_index_find(ids, line->id);
  if (i == SIZE_MAX)
    return ph_fail(PH_EINVAL, "%s: %s: the list names it, and there is no such episode", c->source,
                   line->id);
  if (c->at[i])
    return ph_fail(PH_EINVAL, "%s: %s: the list names it twice", c->source, line->id);
  c->at[i] = line;
  return PH_OK;
}

/* The list is mostly in the order of the store. */
static ph_status place_all(ph_cutting *c, ph_id_index *ids, const ph_cut_episode *plan, size_t n) {
  ph_status status = PH_OK;
  for (size_t k = 0; k < n && !status; k++)
    if (k < c->store->n && !c->at[k] && strcmp(c->store->entries[k].id, plan[k].id) == 0)
      c->at[k] = &plan[k];
    else
      status = place_line(c, ids, &plan[k]);
  for (size_t i = 0; i < c->store->n && !status; i++)
    if (!c->at[i])
      status = ph_fail(PH_EINVAL, "%s: %s: the list does not name it", c->source,
                       c->store->entries[i].id);
  return status;
}

ph_status ph_cut_place(ph_cutting *c, const ph_cut_episode *plan, size_t n, size_t *compared) {
  ph_id_index ids;
  const ph_entry *entries = c->store->entries;
  ph_status status =
      ph_id_index_make(&ids, entries ? entries->id : NULL, sizeof *entries, c->store->n);
  if (!status)
    status = place_all(c, &ids, plan, n);
  if (compared)
    *compared = ids.compared;
  ph_id_index_clear(&ids);
  return status;
}

ph_status ph_cut_check(const ph_cut_episode *plan, int64_t actions) {
  if (plan->from < 0 || plan->to > actions)
    return ph_fail(PH_EINVAL, "%s: rows %" PRId64 " to %" PRId64 ": the last is %" PRId64, plan->id,
                   plan->from, plan->to, actions);
  if (plan->to <= plan->from)
    return ph_fail(PH_EINVAL, "%s: rows %" PRId64 " to %" PRId64 ": less than 2 states are left",
                   plan->id, plan->from, plan->to);
  return PH_OK;
}

static ph_status check_lines(ph_cutting *c) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < c->store->n && !status; i++) {
    const ph_entry *e = &c->store->entries[i];
    if (c->at[i]->dropped) {
      ph_cut_tally_add(&c->tally, c->at[i], e->actions);
      continue;
    }
    c->all++;
    status = ph_store_look(c->store, i);
    if (!status)
      status = ph_cut_check(c->at[i], e->actions);
    if (status)
      ph_fail_in(status, "%s", c->source);
  }
  if (!status && c->all == 0)
    status = ph_fail(PH_ENOTFOUND, "%s: no episode is kept: nothing is written", c->source);
  return status;
}

/* --- what is told of it --- */

ph_status ph_cut_go_on(const ph_cutting *c) {
  bool more = !c->opt->progress || c->opt->progress(c->opt->arg, c->done, c->all);
  return more ? PH_OK : ph_fail(PH_ECANCELED, "%s: it was stopped: nothing is written", c->out);
}

void ph_cut_tally_add(ph_cut_tally *t, const ph_cut_episode *plan, int64_t actions) {
  int64_t kept = plan->to - plan->from, removed = actions - kept;
  if (plan->dropped) {
    t->dropped++;
    return;
  }
  t->least = t->kept == 0 || removed < t->least ? removed : t->least;
  t->most = removed > t->most ? removed : t->most;
  t->kept++;
  t->actions += kept;
  t->removed += removed;
}

ph_status ph_cut_count(ph_cutting *c, const ph_cut_episode *plan, int64_t actions) {
  ph_cut_tally_add(&c->tally, plan, actions);
  c->done++;
  return ph_cut_go_on(c);
}

/* --- all of it --- */

static bool is_family(const ph_home *home) {
  return home->reader == &ph_read_demos;
}

ph_status ph_cut_can(const ph_store *store) {
  const ph_home *home = &store->homes[0];
  if (!home->reader || is_family(home))
    return PH_OK;
  if (ph_cut_is_batch(home->path))
    return ph_cut_try_batch(home->path, NULL, NULL);
  return ph_fail(PH_EFORMAT,
                 "%s: its layout (%s) cannot be cut: only runs, datasets and episode files of "
                 "playhead, robosuite's family of files, and folders of BiGym batches can",
                 home->path, home->layout);
}

static ph_status cut(ph_cutting *c, const ph_cut_episode *plan, size_t n) {
  ph_status status = ph_store_open(&c->store, &c->source, 1, NULL);
  if (!status)
    status = ph_cut_can(c->store);
  if (!status && c->store->n == 0)
    status = ph_fail(PH_ENOTFOUND, "%s: it holds no episode: there is nothing to cut", c->source);
  if (!status && !(c->at = calloc(c->store->n + 1, sizeof *c->at)))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", c->source);
  if (!status)
    status = ph_cut_place(c, plan, n, NULL);
  if (!status)
    status = check_lines(c);
  if (status)
    return status;
  return is_family(&c->store->homes[0]) ? ph_cut_demos(c) : ph_cut_own(c);
}

ph_status ph_cut(const char *out, const char *source, const ph_cut_episode *plan, size_t n,
                 const ph_cut_options *opt, ph_cut_tally *tally) {
  static const ph_cut_options none = PH_CUT_OPTIONS_INIT;
  ph_cutting c = {
      .out = out, .source = source, .opt = opt ? opt : &none, .tally = PH_CUT_TALLY_NONE};
  ph_status status = ph_cut_check_out(out, source);
  if (status)
    return status;
  if (ph_cut_is_batch(source))
    return ph_cut_batch(out, source, plan, n, c.opt, tally);
  status = cut(&c, plan, n);
  if (tally && !status)
    *tally = c.tally;
  free(c.at);
  ph_store_free(c.store);
  return status;
}
