/* What a killed recorder left in its run directory. Two rounds: with the folder locked, every
 * journal is looked at, and those that nobody needs go; then, with the lock in the hands of the
 * sink, the others become episodes. A recorder that comes in between finds journals and is refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <playhead/verify.h>

#include "fail.h"
#include "file.h"
#include "index.h"
#include "salvage_report.h"
#include "sink_run.h"
#include "store.h"
#include "take.h"

typedef struct rescue {
  ph_salvage_report *report;
  ph_run_folder folder;
  const char *out;  /* a new run for the episodes; NULL: this one */
  ph_store *store;  /* NULL: it cannot be read */
  char fault[200];  /* then why */
  ph_run_list list; /* of the folder */
  char **pending;   /* names of journals that become episodes */
  size_t npending;
  ph_sink *sink; /* NULL: not needed yet */
} rescue;

static ph_status out_of_memory(void) {
  return ph_fail(PH_ENOMEM, "salvage: out of memory");
}

static void episode_id(char *out, size_t size, const ph_take *take) {
  snprintf(out, size, "env%03d_ep%06" PRId64, take->env_id, take->episode);
}

/* Nobody needs the journal any more; where the episodes go to another folder, all stays here. */
static ph_status give_away(const rescue *r, const char *name) {
  char *path = r->out ? NULL : ph_run_path(&r->folder, name);
  if (!r->out && !path)
    return out_of_memory();
  if (path && unlink(path) == 0)
    ph_file_sync_folder(path);
  free(path);
  return PH_OK;
}

/* --- the first round --- */

/* A bare name is all that is known of a journal whose head cannot be read. */
static ph_status lose_journal(const rescue *r, const char *name, const char *why) {
  char line[300];
  snprintf(line, sizeof line, "%s: %s", name, why);
  return ph_salvage_say(r->report, PH_SALVAGE_LOST, "", 0, NULL, line);
}

static ph_status lose(const rescue *r, const ph_take *take, const char *why) {
  char id[64];
  episode_id(id, sizeof id, take);
  return ph_salvage_say(r->report, PH_SALVAGE_LOST, id, 0, NULL, why);
}

/* The entry of the take's episode whose file is there; SIZE_MAX: there is none. */
static size_t find_committed(const rescue *r, const ph_take *take) {
  for (size_t i = 0; i < ph_store_count(r->store); i++) {
    const ph_entry *e = ph_store_entry(r->store, i);
    if (e->env_id == take->env_id && e->episode == take->episode && access(e->file, F_OK) == 0)
      return i;
  }
  return SIZE_MAX;
}

/* What is wrong with the episode that has the take's place already; "" nothing. */
static ph_status check_committed(char *why, size_t size, const rescue *r, const ph_take *take,
                                 size_t i) {
  ph_episode *episode = NULL;
  ph_verdict verdict;
  const ph_entry *e = ph_store_entry(r->store, i);
  const char *slash = strrchr(e->file, '/');
  int64_t actions = ph_rowlog_states(take->log) - 1;
  *why = 0;
  ph_status status = ph_store_episode(&episode, r->store, i);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    snprintf(why, size, "%s", ph_error());
  else if (ph_episode_meta_of(episode)->actions < actions)
    snprintf(why, size, "%.80s has %" PRId64 " steps, its journal %" PRId64 ": the journal stays",
             slash ? slash + 1 : e->file, ph_episode_meta_of(episode)->actions, actions);
  else
    status = ph_verify_episode(&verdict, episode, NULL, NULL, NULL);
  if (!status && !*why && verdict.nflaws > 0)
    snprintf(why, size, "%.80s is damaged: %.80s: the journal stays", slash ? slash + 1 : e->file,
             verdict.flaw[0].text);
  ph_episode_free(episode);
  return *why ? PH_OK : status;
}

static ph_status look_committed(const rescue *r, const char *name, const ph_take *take, size_t i) {
  char why[200], id[64];
  ph_status status = check_committed(why, sizeof why, r, take, i);
  if (status)
    return status;
  if (*why)
    return lose(r, take, why);
  episode_id(id, sizeof id, take);
  status = ph_salvage_say(r->report, PH_SALVAGE_COMMITTED, id, 0, NULL, NULL);
  return status ? status : give_away(r, name);
}

static ph_status wait_for(rescue *r, const char *name) {
  char **pending = realloc(r->pending, (r->npending + 1) * sizeof *pending);
  if (!pending)
    return out_of_memory();
  r->pending = pending;
  pending[r->npending] = strdup(name);
  return pending[r->npending] ? (r->npending++, PH_OK) : out_of_memory();
}

/* A take that could be opened. */
static ph_status look_take(rescue *r, const char *name, const ph_take *take,
                           const ph_episode_meta *origin) {
  char id[64];
  if (!r->store)
    return lose(r, take, r->fault);
  if (strcmp(origin->run_id, r->store->homes[0].run_id) != 0)
    return lose(r, take, "its journal is of another run than the run.h5 beside it");
  size_t i = find_committed(r, take);
  if (i != SIZE_MAX)
    return look_committed(r, name, take, i);
  if (ph_rowlog_states(take->log) > 1)
    return wait_for(r, name);
  if (ph_journal_beyond(take->journal) > 0)
    return lose(r, take, "the first record of its journal is damaged: the journal stays");
  episode_id(id, sizeof id, take);
  ph_status status = ph_salvage_say(r->report, PH_SALVAGE_EMPTY, id, 0, NULL,
                                    "it was killed before its first step was finished");
  return status ? status : give_away(r, name);
}

static ph_status look_at(rescue *r, const char *name) {
  ph_take take;
  ph_episode_meta origin;
  char *path = ph_run_path(&r->folder, name);
  if (!path)
    return out_of_memory();
  ph_status status = ph_take_open(&take, &origin, path);
  free(path);
  if (status == PH_ENOTFOUND) /* it is void */
    return give_away(r, name);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    return lose_journal(r, name, ph_error());
  status = look_take(r, name, &take, &origin);
  ph_take_clear(&take);
  return status;
}

static int compare_names(const void *a, const void *b) {
  return ph_natural_compare(((const ph_run_name *)a)->name, ((const ph_run_name *)b)->name);
}

static ph_status open_store(rescue *r) {
  const char *dir = r->folder.dir;
  ph_store_free(r->store);
  r->store = NULL;
  ph_status status = ph_store_open(&r->store, &dir, 1, NULL);
  if (status == PH_ENOMEM)
    return status;
  if (status)
    snprintf(r->fault, sizeof r->fault, "the run cannot be read: %.150s", ph_error());
  else if (r->store->homes[0].fault[0])
    snprintf(r->fault, sizeof r->fault, "%.190s", r->store->homes[0].fault);
  else if (!r->store->homes[0].facts)
    snprintf(r->fault, sizeof r->fault,
             "run.h5 is gone, and with it the model: the journal stays until it is back");
  if (r->fault[0]) {
    ph_store_free(r->store);
    r->store = NULL;
  }
  return PH_OK;
}

static ph_status look_around(rescue *r) {
  ph_status status = ph_run_list_read(&r->list, r->folder.dir);
  if (status)
    return status;
  const size_t *count = r->list.count;
  if (!count[PH_RUN_FILE] && !count[PH_RUN_EPISODE] && !count[PH_RUN_INDEX] &&
      !count[PH_RUN_JOURNAL])
    return ph_fail(PH_EFORMAT,
                   "%s: it is no run: it holds neither run.h5 nor episodes nor journals",
                   r->folder.dir);
  if (r->list.n > 0)
    qsort(r->list.at, r->list.n, sizeof *r->list.at, compare_names);
  if (count[PH_RUN_JOURNAL])
    status = open_store(r);
  for (size_t i = 0; i < r->list.n && !status; i++) {
    if (r->list.at[i].kind == PH_RUN_JOURNAL)
      status = look_at(r, r->list.at[i].name);
    else if (r->list.at[i].kind == PH_RUN_PART && r->folder.locked)
      status = give_away(r, r->list.at[i].name);
  }
  return status;
}

/* --- the second round --- */

static ph_status put_task(const rescue *r, const char *sha256) {
  ph_task *task = NULL;
  const char *source = NULL;
  if (!sha256[0])
    return PH_OK;
  ph_status status = ph_store_task(&source, r->store, sha256);
  if (!status)
    status = ph_task_parse(&task, source, strlen(source), "recorded task");
  if (!status)
    status = r->sink->task(r->sink, task);
  ph_task_unref(task);
  return status;
}

static ph_status open_sink(rescue *r, const ph_episode_meta *origin, const ph_model *model) {
  ph_sink_options opt = {.existing = r->out ? PH_EXISTING_REFUSE : PH_EXISTING_APPEND,
                         .salvage = !r->out};
  if (r->sink)
    return PH_OK;
  ph_status status = ph_sink_run(&r->sink, r->out ? r->out : r->folder.dir, origin, &opt);
  if (!status && r->out)
    status = r->sink->model(r->sink, model);
  if (!status && r->out)
    status = put_task(r, origin->task_sha256);
  if (!status && r->out)
    status = ph_sink_run_start(r->sink);
  if (status && r->sink) {
    r->sink->free(r->sink);
    r->sink = NULL;
  }
  return status;
}

/* One that holds more than what could be read is not taken away, but nobody finds it again. */
static ph_status put_aside(const rescue *r, const char *name) {
  char *path = r->out ? NULL : ph_run_path(&r->folder, name), *aside = NULL;
  if (r->out)
    return PH_OK;
  ph_status status = path && asprintf(&aside, "%s.damaged", path) >= 0 ? PH_OK : out_of_memory();
  if (!status)
    ph_file_rename_new(path, aside);
  free(path);
  free(aside);
  return status;
}

static ph_status say_saved(const rescue *r, const char *name, const ph_take *take, int64_t beyond) {
  char id[64], file[PH_INDEX_NAME_SIZE], path[512], why[200] = "";
  int64_t actions = ph_rowlog_states(take->log) - 1;
  episode_id(id, sizeof id, take);
  ph_index_file_name(file, sizeof file, take->env_id, take->episode, actions);
  snprintf(path, sizeof path, "%s/%s", r->out ? r->out : r->folder.dir, file);
  if (beyond > 0)
    snprintf(why, sizeof why,
             "%" PRId64 " %s behind a damaged record: the journal is kept as %s.damaged", beyond,
             beyond == 1 ? "step is" : "steps are", name);
  return ph_salvage_say(r->report, PH_SALVAGE_SAVED, id, actions, path, why);
}

/* *error is the first of writing: the journals stay then. */
static ph_status give_back(rescue *r, const char *name, ph_status *error) {
  ph_take take;
  ph_episode_meta origin;
  ph_model *model = NULL;
  char *path = ph_run_path(&r->folder, name);
  ph_status status = path ? ph_take_open(&take, &origin, path) : out_of_memory();
  free(path);
  if (status)
    return status == PH_ENOMEM ? status : lose_journal(r, name, ph_error());
  int64_t beyond = ph_journal_beyond(take.journal);
  snprintf(take.detail, sizeof take.detail, "its recorder ended before it did");
  ph_status written = ph_store_model(&model, r->store, origin.model_sha256);
  if (!written)
    written = open_sink(r, &origin, model);
  if (!written)
    written = ph_take_commit(&take, r->sink, &origin, model);
  if (written) {
    *error = *error ? *error : written;
    status = lose(r, &take, ph_error());
  } else {
    status = say_saved(r, name, &take, beyond);
    if (!status)
      status = beyond > 0 ? put_aside(r, name) : give_away(r, name);
  }
  ph_model_unref(model);
  ph_take_clear(&take);
  return status;
}

static ph_status give_all_back(rescue *r) {
  char text[600] = "";
  ph_status status = PH_OK, error = PH_OK;
  for (size_t i = 0; i < r->npending && !status; i++) {
    ph_status before = error;
    status = give_back(r, r->pending[i], &error);
    if (error != before)
      snprintf(text, sizeof text, "%s", r->report->items[r->report->n - 1].why);
  }
  if (r->sink && !status && !error) {
    error = r->sink->finish(r->sink);
    snprintf(text, sizeof text, "%s", error ? ph_error() : "");
  }
  return status ? status : error ? ph_fail(error, "%s", text) : PH_OK;
}

/* --- all of it --- */

static void rescue_clear(rescue *r) {
  if (r->sink)
    r->sink->free(r->sink);
  ph_store_free(r->store);
  ph_run_folder_close(&r->folder);
  ph_run_list_clear(&r->list);
  for (size_t i = 0; i < r->npending; i++)
    free(r->pending[i]);
  free(r->pending);
  free(r->folder.dir);
}

static ph_status check_paths(const char *dir, const char *out) {
  struct stat st;
  if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
    return ph_fail(PH_EFORMAT, "%s: it is no folder of a run", dir);
  if (out && lstat(out, &st) == 0)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", out);
  return PH_OK;
}

ph_status ph_salvage_run(ph_salvage_report *report, const char *dir, const char *out) {
  rescue r = {.report = report, .out = out, .folder = {.fd = -1}};
  size_t n = strlen(dir);
  memset(report, 0, sizeof *report);
  while (n > 1 && dir[n - 1] == '/')
    n--;
  ph_status status = check_paths(dir, out);
  if (status)
    return status;
  r.folder.dir = strndup(dir, n);
  status = r.folder.dir ? ph_run_folder_open(&r.folder, false) : out_of_memory();
  if (!status)
    status = look_around(&r);
  ph_run_folder_close(&r.folder);
  if (!status)
    status = give_all_back(&r);
  rescue_clear(&r);
  return status;
}
