/* A run that is appended to: of the same model and task, and every episode of it looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "probe.h"
#include "sink_run.h"
#include "store.h"

/* --- the same recording --- */

static ph_status differs(const char *dir, const char *what, const char *is, const char *wanted) {
  return ph_fail(PH_EMISMATCH, "%s: its %s is %.64s, that of this recording is %.64s: not appended",
                 dir, what, is, wanted);
}

static ph_status check_model(const ph_run *run, ph_store *store) {
  const char *wanted = run->origin.model_sha256, *is = ph_store_model_hash(store, 0);
  const ph_known_model *model = ph_store_find_model(store, wanted);
  if (model && model->home != SIZE_MAX)
    return PH_OK;
  return differs(run->folder.dir, "model", is ? is : "none", wanted);
}

static ph_status check_task(const ph_run *run, ph_store *store) {
  const char *wanted = run->origin.task_sha256, *is = ph_store_task_hash(store, 0);
  if (wanted[0] ? ph_store_find_task(store, wanted) != NULL : !is)
    return PH_OK;
  return differs(run->folder.dir, "task", is ? is : "none", wanted[0] ? wanted : "none");
}

static ph_status check_number(const char *dir, const char *what, int is, int wanted) {
  char a[16], b[16];
  snprintf(a, sizeof a, "%d", is);
  snprintf(b, sizeof b, "%d", wanted);
  return is == wanted ? PH_OK : differs(dir, what, a, b);
}

static ph_status check_sizes(const ph_run *run, const ph_episode *episode) {
  const ph_dims *is = &ph_episode_meta_of(episode)->dims, *wanted = &run->origin.dims;
  ph_status status =
      check_number(run->folder.dir, "control_steps", is->control_steps, wanted->control_steps);
  return status ? status
                : check_number(run->folder.dir, "action_dim", is->action_dim, wanted->action_dim);
}

/* For salvage, which gives back what it can also where another episode is damaged: by the first
 * episode that can be opened. */
static ph_status check_first(const ph_run *run, ph_store *store) {
  ph_episode *episode = NULL;
  for (size_t i = 0; i < ph_store_count(store) && !episode; i++)
    if (ph_store_episode(&episode, store, i) != PH_OK)
      episode = NULL;
  ph_status status = episode ? check_sizes(run, episode) : PH_OK;
  ph_episode_free(episode);
  return status;
}

/* --- every episode --- */

enum { AT_ONCE = 64 }; /* episodes that one child opens */

typedef struct opening {
  const ph_run *run;
  ph_store *store;
  size_t first, n;
} opening;

/* why begins with the file. PH_EMISMATCH: so PH_ECORRUPT is that the child died. */
static ph_status unfit(const ph_run *run, const char *why) {
  return ph_fail(PH_EMISMATCH, "%.900s: not appended: `playhead verify %s` checks all of it", why,
                 run->folder.dir);
}

static ph_status check_episode(const ph_run *run, ph_store *store, size_t i) {
  ph_episode *episode = NULL;
  const ph_entry *e = ph_store_entry(store, i);
  char why[1000];
  ph_status status = e->oddity[0] ? PH_OK : ph_store_episode(&episode, store, i);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    snprintf(why, sizeof why, "%s", ph_error());
  else
    snprintf(why, sizeof why, "%s: %s", e->file, e->oddity);
  if (status || e->oddity[0])
    status = unfit(run, why);
  else
    status = check_sizes(run, episode);
  ph_episode_free(episode);
  return status;
}

static ph_status check_some(void *arg) {
  const opening *o = arg;
  ph_status status = PH_OK;
  for (size_t i = o->first; i < o->first + o->n && !status; i++)
    status = check_episode(o->run, o->store, i);
  return status;
}

/* Which one of them it is that a child died of. */
static ph_status check_singly(const opening *all) {
  ph_status status = PH_OK;
  for (size_t i = all->first; i < all->first + all->n && !status; i++) {
    opening one = {all->run, all->store, i, 1};
    status = ph_probe_run(ph_store_entry(all->store, i)->file, check_some, &one);
  }
  if (status != PH_ECORRUPT)
    return status;
  char why[1200];
  snprintf(why, sizeof why, "%s", ph_error());
  return unfit(all->run, why);
}

/* Only children open them, many each: a child for each, which reads the rows too, would take a
 * minute for thousands. */
static ph_status check_all(const ph_run *run, ph_store *store) {
  size_t n = ph_store_count(store);
  ph_status status = PH_OK;
  for (size_t i = 0; i < n && !status; i += AT_ONCE) {
    opening some = {run, store, i, n - i < AT_ONCE ? n - i : AT_ONCE};
    status = ph_probe_run(run->folder.dir, check_some, &some);
    if (status == PH_ECORRUPT)
      status = check_singly(&some);
  }
  return status;
}

/* --- numbers --- */

/* Entries are in order of env and episode. */
static ph_status number_on(ph_run *run, const ph_store *store) {
  size_t n = ph_store_count(store);
  run->next = calloc(n + 1, sizeof *run->next);
  if (!run->next)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
  for (size_t i = 0; i < n; i++) {
    const ph_entry *e = ph_store_entry(store, i);
    if (e->episode == INT64_MAX)
      return ph_fail(PH_EMISMATCH, "%s: %s: no number comes after it: not appended",
                     run->folder.dir, e->id);
    if (run->nnext == 0 || run->next[run->nnext - 1].env_id != e->env_id)
      run->next[run->nnext++].env_id = e->env_id;
    run->next[run->nnext - 1].episode = e->episode + 1;
  }
  return PH_OK;
}

/* --- all of it --- */

static ph_status check_appended(ph_run *run, bool salvage) {
  const char *dir = run->folder.dir;
  ph_store *store = NULL;
  ph_status status = ph_store_open(&store, &dir, 1, NULL);
  if (status)
    return status;
  const ph_home *home = &store->homes[0];
  if (home->fault[0])
    status = ph_fail(home->failed, "%s", home->fault);
  else if (!home->run_id[0])
    status = ph_fail(PH_EFORMAT, "%s/run.h5: it names no run", dir);
  if (!status)
    status = check_model(run, store);
  if (!status)
    status = check_task(run, store);
  if (!status)
    status = salvage ? check_first(run, store) : check_all(run, store);
  if (!status)
    status = number_on(run, store);
  memcpy(run->origin.run_id, home->run_id, sizeof home->run_id);
  ph_store_free(store);
  return status;
}

ph_status ph_run_enter_append(ph_run *run, const ph_run_list *list, bool salvage) {
  const char *dir = run->folder.dir;
  if (!list->count[PH_RUN_FILE])
    return ph_fail(PH_ENOTFOUND, "%s: it holds no run.h5: there is no run to append to", dir);
  if (list->count[PH_RUN_JOURNAL] && !salvage)
    return ph_run_killed(&run->folder, ph_run_list_first(list, PH_RUN_JOURNAL));
  ph_status status = ph_run_check_file(&run->folder);
  if (!status)
    status = check_appended(run, salvage);
  run->written = run->appended = run->ended = !status;
  return status;
}
