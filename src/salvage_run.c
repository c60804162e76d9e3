/* What a killed recorder left in its run directory. Two rounds: with the folder locked, every
 * journal is looked at, and those that nobody needs go (salvage_look.c); then, with the lock in the
 * hands of the sink, the others become episodes. A recorder that comes in between finds journals
 * and is refused; what another salvage has done meanwhile is not done again. */
#include "salvage_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "index.h"

/* --- what is found --- */

ph_status ph_rescue_no_memory(void) {
  return ph_fail(PH_ENOMEM, "salvage: out of memory");
}

void ph_rescue_id(char *out, size_t size, const ph_take *take) {
  snprintf(out, size, "env%03d_ep%06" PRId64, take->env_id, take->episode);
}

void ph_rescue_trouble(ph_rescue *r, ph_status status) {
  if (r->error)
    return;
  r->error = status;
  snprintf(r->text, sizeof r->text, "%s", ph_error());
}

/* Without the folder before each of its names: all is of one folder, and a long path would leave no
 * room for the reason. */
static void copy_bare(char *out, size_t size, const char *why, const char *dir) {
  size_t n = strlen(dir), used = 0;
  while (*why && used + 1 < size) {
    if (strncmp(why, dir, n) == 0 && why[n] == '/')
      why += n + 1;
    else
      out[used++] = *why++;
  }
  out[used] = 0;
}

ph_status ph_rescue_lose(ph_rescue *r, const ph_take *take, const char *why) {
  char id[64], bare[200];
  ph_rescue_id(id, sizeof id, take);
  copy_bare(bare, sizeof bare, why, r->folder.dir);
  return ph_salvage_say(r->report, PH_SALVAGE_LOST, id, 0, NULL, bare);
}

ph_status ph_rescue_lose_journal(ph_rescue *r, const char *why) {
  char bare[200];
  copy_bare(bare, sizeof bare, why, r->folder.dir);
  return ph_salvage_say(r->report, PH_SALVAGE_LOST, "", 0, NULL, bare);
}

/* NAME.damaged, NAME.damaged-2, ...: what has such a name already stays. */
static int put_aside(const char *path) {
  int error = EEXIST;
  for (int n = 1; n < 1000 && error == EEXIST; n++) {
    char *aside = NULL, number[16] = "";
    if (n > 1)
      snprintf(number, sizeof number, "-%d", n);
    if (asprintf(&aside, "%s.damaged%s", path, number) < 0)
      return ENOMEM;
    error = ph_file_rename_new(path, aside);
    free(aside);
  }
  return error;
}

ph_status ph_rescue_put_away(ph_rescue *r, const char *name, int64_t beyond) {
  if (r->out)
    return PH_OK;
  char *path = ph_run_path(&r->folder, name);
  if (!path)
    return ph_rescue_no_memory();
  int error = beyond > 0 ? put_aside(path) : unlink(path) == 0 ? 0 : errno;
  if (!error) {
    ph_file_sync_folder(path);
  } else if (error != ENOENT) {
    ph_fail(PH_EIO, "%s: it is not needed any more and cannot be taken away: %s", path,
            strerror(error));
    ph_rescue_trouble(r, PH_EIO);
  }
  free(path);
  return PH_OK;
}

/* --- the second round --- */

static ph_status put_task(const ph_rescue *r, const char *sha256) {
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

/* The folder is ours from here on. */
static ph_status open_sink(ph_rescue *r, const ph_episode_meta *origin, const ph_model *model) {
  ph_sink_options opt = {.existing = r->out ? PH_EXISTING_REFUSE : PH_EXISTING_APPEND,
                         .salvage = !r->out};
  if (r->sink)
    return PH_OK;
  ph_status status = ph_sink_run(&r->sink, r->out ? r->out : r->folder.dir, origin, &opt);
  if (!status)
    status = r->sink->model(r->sink, model);
  ph_status task = status ? status : put_task(r, origin->task_sha256);
  if (r->out) /* else run.h5 has it already */
    status = task;
  if (!status && r->out)
    status = ph_sink_run_start(r->sink);
  if (status && r->sink) {
    r->sink->free(r->sink);
    r->sink = NULL;
  }
  return status;
}

void ph_rescue_beyond(char *why, size_t size, const ph_rescue *r, const char *name,
                      const ph_take *take) {
  int64_t beyond = ph_journal_beyond(take->journal);
  *why = 0;
  if (beyond > 0)
    snprintf(why, size, "%" PRId64 " %s behind a damaged record: %s is kept%s", beyond,
             beyond == 1 ? "step is" : "steps are", name, r->out ? "" : " as .damaged");
}

static ph_status say_saved(ph_rescue *r, const char *name, const ph_take *take) {
  char id[64], file[PH_INDEX_NAME_SIZE], path[512], why[200];
  int64_t actions = ph_rowlog_states(take->log) - 1;
  ph_rescue_id(id, sizeof id, take);
  ph_index_file_name(file, sizeof file, take->env_id, take->episode, actions);
  snprintf(path, sizeof path, "%s/%s", r->out ? r->out : r->folder.dir, file);
  ph_rescue_beyond(why, sizeof why, r, name, take);
  return ph_salvage_say(r->report, PH_SALVAGE_SAVED, id, actions, path, why);
}

/* Two journals of one episode are nothing that a recorder leaves. */
static bool is_given_back(const ph_rescue *r, const ph_take *take) {
  char id[64];
  ph_rescue_id(id, sizeof id, take);
  for (size_t i = 0; i < r->report->n; i++)
    if (r->report->items[i].fate == PH_SALVAGE_SAVED && strcmp(r->report->items[i].id, id) == 0)
      return true;
  return false;
}

/* Between the rounds the folder was free: another salvage may have been through, or a recorder may
 * have overwritten all. */
static ph_status commit(ph_rescue *r, const char *name, const char *path, const ph_take *take,
                        const ph_episode_meta *origin, const ph_model *model) {
  if (access(path, F_OK) != 0)
    return PH_OK;
  if (strcmp(ph_sink_run_origin(r->sink)->run_id, origin->run_id) != 0)
    return ph_rescue_lose(r, take, "its journal is of another run than the run.h5 beside it");
  if (is_given_back(r, take))
    return ph_rescue_lose(r, take, "another journal had the same episode: this one stays");
  ph_status status = ph_take_commit(take, r->sink, origin, model);
  if (status) {
    ph_rescue_trouble(r, status);
    return ph_rescue_lose(r, take, ph_error());
  }
  status = say_saved(r, name, take);
  return status ? status : ph_rescue_put_away(r, name, ph_journal_beyond(take->journal));
}

static ph_status give_back(ph_rescue *r, const char *name) {
  ph_take take = {.log = NULL};
  ph_episode_meta origin;
  ph_model *model = NULL;
  char *path = ph_run_path(&r->folder, name);
  ph_status status = path ? ph_take_open(&take, &origin, path) : ph_rescue_no_memory();
  if (status) {
    bool gone = path && access(path, F_OK) != 0;
    free(path);
    if (gone || status == PH_ENOMEM)
      return gone ? PH_OK : status;
    return ph_rescue_lose_journal(r, ph_error());
  }
  snprintf(take.detail, sizeof take.detail, "its recorder ended before it did");
  ph_status ready = ph_store_model(&model, r->store, origin.model_sha256);
  if (!ready)
    ready = ph_rescue_success(&take, &origin);
  if (!ready)
    ready = open_sink(r, &origin, model);
  if (ready) {
    ph_rescue_trouble(r, ready);
    status = ph_rescue_lose(r, &take, ph_error());
  } else {
    status = commit(r, name, path, &take, &origin, model);
  }
  ph_model_unref(model);
  ph_take_clear(&take);
  free(path);
  return status;
}

/* A new run that got no episode is taken away again. */
static ph_status give_all_back(ph_rescue *r) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < r->npending && !status; i++)
    status = give_back(r, r->pending[i]);
  if (!r->sink)
    return status;
  if (r->out && r->report->saved == 0) {
    ph_sink_run_undo(r->sink);
    return status;
  }
  ph_status finished = r->sink->finish(r->sink);
  if (finished)
    ph_rescue_trouble(r, finished);
  return status;
}

/* --- all of it --- */

static void rescue_clear(ph_rescue *r) {
  if (r->sink)
    r->sink->free(r->sink);
  ph_store_free(r->store);
  ph_run_folder_close(&r->folder);
  ph_run_list_clear(&r->list);
  for (size_t i = 0; i < r->npending; i++)
    free(r->pending[i]);
  free(r->pending);
  free(r->folder.dir);
  free(r->out);
}

static ph_status check_paths(const char *dir, const char *out) {
  struct stat st;
  if (stat(dir, &st) != 0)
    return ph_fail(PH_EIO, "%s: it cannot be opened: %s", dir, strerror(errno));
  if (!S_ISDIR(st.st_mode))
    return ph_fail(PH_EFORMAT, "%s: it is no folder of a run", dir);
  if (out && lstat(out, &st) == 0)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", out);
  return PH_OK;
}

/* Without the slashes at its end; the caller's. */
static char *trimmed(const char *path) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  return strndup(path, n);
}

ph_status ph_salvage_run(ph_salvage_report *report, const char *dir, const char *out) {
  ph_rescue r = {.report = report, .folder = {.fd = -1}};
  memset(report, 0, sizeof *report);
  ph_status status = check_paths(dir, out);
  if (status)
    return status;
  r.folder.dir = trimmed(dir);
  r.out = out ? trimmed(out) : NULL;
  status = r.folder.dir && (r.out || !out) ? ph_run_folder_open(&r.folder, false)
                                           : ph_rescue_no_memory();
  if (!status)
    status = ph_rescue_look(&r);
  if (!r.out)
    ph_run_folder_close(&r.folder);
  if (!status)
    status = give_all_back(&r);
  if (!status && r.error)
    status = ph_fail(r.error, "%s", r.text);
  rescue_clear(&r);
  return status;
}
