/* The first round of a run's salvage: every journal is looked at, and those that nobody needs go.
 */
#include "salvage_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "index.h"
#include "store.h"

static const char *bare_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* --- an episode that is in its place --- */

/* Whether an entry is the file of the take's episode. */
static bool is_of(const ph_entry *e, const ph_take *take) {
  return e->env_id == take->env_id && e->episode == take->episode && access(e->file, F_OK) == 0;
}

/* Why the journal is needed still; "" it is not. */
static ph_status check_episode(char *why, size_t size, const ph_entry *e, const ph_take *take,
                               const ph_episode *episode) {
  bool same = false;
  int64_t is = ph_episode_meta_of(episode)->actions, mine = ph_rowlog_states(take->log) - 1;
  if (is < mine) {
    snprintf(why, size, "%.80s has %" PRId64 " steps, its journal %" PRId64 ": the journal stays",
             bare_name(e->file), is, mine);
    return PH_OK;
  }
  ph_status status = ph_rescue_whole(episode);
  if (!status)
    status = ph_rescue_same(&same, take, episode);
  if (!status && !same)
    snprintf(why, size, "%.80s is another episode than its journal has: the journal stays",
             bare_name(e->file));
  return status;
}

static ph_status check_committed(char *why, size_t size, const ph_rescue *r, const ph_take *take,
                                 size_t i) {
  ph_episode *episode = NULL;
  *why = 0;
  ph_status status = ph_store_episode(&episode, r->store, i);
  if (!status)
    status = check_episode(why, size, ph_store_entry(r->store, i), take, episode);
  ph_episode_free(episode);
  if (!status || status == PH_ENOMEM)
    return status;
  snprintf(why, size, "%.170s: the journal stays", ph_error());
  return PH_OK;
}

/* Sees whether the take's episode is in its place; *found: then it was said and done what follows.
 */
static ph_status look_committed(bool *found, ph_rescue *r, const char *name, const ph_take *take) {
  char why[200], first[200] = "", id[64];
  ph_status status = PH_OK;
  bool good = false;
  *found = false;
  for (size_t i = 0; i < ph_store_count(r->store) && !good && !status; i++) {
    if (!is_of(ph_store_entry(r->store, i), take))
      continue;
    *found = true;
    status = check_committed(why, sizeof why, r, take, i);
    good = !status && !*why;
    if (!*first)
      memcpy(first, why, sizeof first);
  }
  if (status || !*found)
    return status;
  if (!good)
    return ph_rescue_lose(r, take, first);
  ph_rescue_id(id, sizeof id, take);
  ph_rescue_beyond(why, sizeof why, r, name, take);
  status = ph_salvage_say(r->report, PH_SALVAGE_COMMITTED, id, 0, NULL, why);
  return status ? status : ph_rescue_put_away(r, name, ph_journal_beyond(take->journal));
}

/* --- journals --- */

static ph_status wait_for(ph_rescue *r, const char *name) {
  char **pending = realloc(r->pending, (r->npending + 1) * sizeof *pending);
  if (!pending)
    return ph_rescue_no_memory();
  r->pending = pending;
  pending[r->npending] = strdup(name);
  return pending[r->npending] ? (r->npending++, PH_OK) : ph_rescue_no_memory();
}

/* A take that could be opened. */
static ph_status look_take(ph_rescue *r, const char *name, const ph_take *take,
                           const ph_episode_meta *origin) {
  char id[64];
  bool found = false;
  if (!r->store)
    return ph_rescue_lose(r, take, r->fault);
  if (strcmp(origin->run_id, r->store->homes[0].run_id) != 0)
    return ph_rescue_lose(r, take, "its journal is of another run than the run.h5 beside it");
  ph_status status = look_committed(&found, r, name, take);
  if (status || found)
    return status;
  if (ph_rowlog_states(take->log) > 1)
    return wait_for(r, name);
  if (ph_journal_beyond(take->journal) > 0)
    return ph_rescue_lose(r, take,
                          "its journal is damaged before the end of its first step: it stays");
  ph_rescue_id(id, sizeof id, take);
  status = ph_salvage_say(r->report, PH_SALVAGE_EMPTY, id, 0, NULL,
                          "it was killed before its first step was finished");
  return status ? status : ph_rescue_put_away(r, name, 0);
}

static ph_status look_at(ph_rescue *r, const char *name) {
  ph_take take;
  ph_episode_meta origin;
  char *path = ph_run_path(&r->folder, name);
  if (!path)
    return ph_rescue_no_memory();
  ph_status status = ph_take_open(&take, &origin, path);
  free(path);
  if (status == PH_ENOTFOUND) /* it is void */
    return ph_rescue_put_away(r, name, 0);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    return ph_rescue_lose_journal(r, ph_error());
  status = look_take(r, name, &take, &origin);
  ph_take_clear(&take);
  return status;
}

/* A link may lead anywhere, and a pipe never ends: what goes by a journal's name and is no file is
 * not read. */
static ph_status look_other(ph_rescue *r, const char *name) {
  int env_id;
  int64_t episode;
  char why[400];
  if (!ph_index_parse_journal(name, &env_id, &episode))
    return PH_OK;
  snprintf(why, sizeof why, "%s: it is a link, a folder or a device, no file: it is not read",
           name);
  return ph_rescue_lose_journal(r, why);
}

/* --- the folder --- */

static int compare_names(const void *a, const void *b) {
  return ph_natural_compare(((const ph_run_name *)a)->name, ((const ph_run_name *)b)->name);
}

/* The run, for its models and what is committed; where it cannot be read, r->fault says why. */
static ph_status open_store(ph_rescue *r) {
  const char *dir = r->folder.dir;
  ph_status status = ph_store_open(&r->store, &dir, 1, NULL);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    snprintf(r->fault, sizeof r->fault, "the run cannot be read: %.150s", ph_error());
  else if (r->store->nhomes == 0 || !r->store->homes[0].facts)
    snprintf(r->fault, sizeof r->fault, "run.h5 is missing: no model, no task: the journal stays");
  else if (r->store->homes[0].fault[0])
    snprintf(r->fault, sizeof r->fault, "%.170s: the journal stays", r->store->homes[0].fault);
  if (r->fault[0]) {
    ph_store_free(r->store);
    r->store = NULL;
  }
  return PH_OK;
}

/* What a killed recorder was writing; one that cannot be removed does no harm. */
static void remove_part(const ph_rescue *r, const char *name) {
  if (!r->out && r->folder.locked)
    unlinkat(r->folder.fd, name, 0);
}

static ph_status check_kind(const ph_rescue *r) {
  const size_t *count = r->list.count;
  if (count[PH_RUN_FILE] || count[PH_RUN_EPISODE] || count[PH_RUN_INDEX] || count[PH_RUN_JOURNAL] ||
      count[PH_RUN_PART])
    return PH_OK;
  return ph_fail(PH_EFORMAT, "%s: it is no run: it holds neither run.h5 nor episodes nor journals",
                 r->folder.dir);
}

/* Without a lock a recorder may be at work: its journals would be taken from under its hands. */
static ph_status check_lock(const ph_rescue *r) {
  if (r->folder.locked || r->out || !r->list.count[PH_RUN_JOURNAL])
    return PH_OK;
  return ph_fail(PH_EEXIST,
                 "%s: a recorder may be at work in it: it cannot be locked: %s: write what is "
                 "unfinished into a new run",
                 r->folder.dir, strerror(r->folder.lock_error));
}

ph_status ph_rescue_look(ph_rescue *r) {
  ph_status status = ph_run_list_read(&r->list, r->folder.dir);
  if (!status)
    status = check_kind(r);
  if (!status)
    status = check_lock(r);
  if (!status && r->list.n > 0)
    qsort(r->list.at, r->list.n, sizeof *r->list.at, compare_names);
  if (!status && r->list.count[PH_RUN_JOURNAL])
    status = open_store(r);
  for (size_t i = 0; i < r->list.n && !status; i++) {
    if (r->list.at[i].kind == PH_RUN_JOURNAL)
      status = look_at(r, r->list.at[i].name);
    else if (r->list.at[i].kind == PH_RUN_PART)
      remove_part(r, r->list.at[i].name);
    else if (r->list.at[i].kind == PH_RUN_OTHER)
      status = look_other(r, r->list.at[i].name);
  }
  return status;
}
