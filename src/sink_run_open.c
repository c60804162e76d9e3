/* What a folder may hold that a run is recorded into: nothing, a run that is appended to
 * (sink_run_append.c), or one that is taken away. */
#include "sink_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "index.h"
#include "journal.h"
#include "probe.h"

/* --- run.h5 --- */

/* In the probe's child: whether it is a file that a recorder has written beside its episodes. */
static ph_status try_run_file(void *path) {
  ph_episode_meta meta = {0};
  hid_t file = H5I_INVALID_HID;
  ph_status status = ph_h5_open(&file, path);
  if (!status)
    status = ph_file_fail(ph_meta_root(&meta, file), path, NULL);
  if (!status && ph_h5_exists(file, "data"))
    status = ph_fail(PH_EFORMAT, "%s: it holds episodes: not the run.h5 of a run", (char *)path);
  ph_h5_close(file);
  return status;
}

ph_status ph_run_check_file(const ph_run_folder *folder) {
  char *path = ph_run_path(folder, "run.h5");
  ph_status status = path ? ph_probe_run(path, try_run_file, path)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", folder->dir);
  free(path);
  return status;
}

/* --- a new run --- */

ph_status ph_run_killed(const ph_run_folder *folder, const char *journal) {
  return ph_fail(PH_EEXIST,
                 "%s: it holds %s, which a killed recorder has left: `playhead salvage %s` first",
                 folder->dir, journal, folder->dir);
}

static ph_status enter_new(ph_run *run, ph_run_list *list) {
  const char *dir = run->folder.dir;
  if (list->count[PH_RUN_EPISODE] || list->count[PH_RUN_INDEX])
    return ph_fail(PH_EEXIST, "%s: exists already: it holds a run: append to it or overwrite it",
                   dir);
  if (list->count[PH_RUN_JOURNAL])
    return ph_run_killed(&run->folder, ph_run_list_first(list, PH_RUN_JOURNAL));
  if (list->count[PH_RUN_FILE] && (!run->folder.locked || ph_run_check_file(&run->folder) != PH_OK))
    return ph_fail(PH_EEXIST, "%s/run.h5: exists already", dir);
  if (list->count[PH_RUN_OTHER])
    return ph_fail(PH_EEXIST,
                   "%s: exists already: it holds %s, which no recorder has written: a run needs a "
                   "new or an empty folder",
                   dir, ph_run_list_first(list, PH_RUN_OTHER));
  return PH_OK;
}

/* --- overwriting --- */

/* A step counts once the row that it led to is there. */
static bool has_steps(const ph_journal *journal) {
  return ph_journal_count(journal) > 1 || ph_journal_beyond(journal) > 0;
}

/* Of a journal that cannot be read nobody knows what it holds: it is no reason to go on. */
static ph_status check_journal(const ph_run_folder *folder, const char *name) {
  ph_journal *journal = NULL;
  ph_journal_head head;
  char *path = ph_run_path(folder, name);
  ph_status status = path ? ph_journal_open(&journal, &head, path)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", folder->dir);
  free(path);
  if (status == PH_ENOTFOUND)
    return PH_OK;
  if (status)
    return status == PH_ENOMEM ? status
                               : ph_fail_in(PH_EEXIST, "%s: it is not overwritten", folder->dir);
  if (has_steps(journal))
    status = ph_run_killed(folder, name);
  ph_journal_close(journal, false);
  ph_journal_head_clear(&head);
  return status;
}

static ph_status check_journals(const ph_run_folder *folder, const ph_run_list *list) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < list->n && !status; i++)
    if (list->at[i].kind == PH_RUN_JOURNAL)
      status = check_journal(folder, list->at[i].name);
  return status;
}

/* What its run.h5 says, after a child has read it. */
static ph_status read_run_id(char *out, size_t size, const ph_run_folder *folder) {
  ph_episode_meta meta = {0};
  hid_t file = H5I_INVALID_HID;
  char *path = ph_run_path(folder, "run.h5");
  ph_status status =
      path ? ph_h5_open(&file, path) : ph_fail(PH_ENOMEM, "%s: out of memory", folder->dir);
  if (!status)
    status = ph_file_fail(ph_meta_root(&meta, file), path, NULL);
  ph_h5_close(file);
  free(path);
  ph_escape(out, size, meta.run_id, strlen(meta.run_id));
  return status;
}

static ph_status enter_over(ph_run *run, const ph_run_list *list) {
  const char *dir = run->folder.dir;
  if (list->count[PH_RUN_OTHER])
    return ph_fail(PH_EEXIST, "%s: it holds %s, which no recorder has written: not overwritten",
                   dir, ph_run_list_first(list, PH_RUN_OTHER));
  if (list->n > 0 && !run->folder.locked)
    return ph_fail(PH_EEXIST, "%s: another process may record into it: it cannot be locked: %s",
                   dir, strerror(run->folder.lock_error));
  if (list->count[PH_RUN_FILE] &&
      (ph_run_check_file(&run->folder) != PH_OK ||
       read_run_id(run->old_id, sizeof run->old_id, &run->folder) != PH_OK))
    return ph_fail_in(PH_EEXIST, "%s: it is not overwritten", dir);
  return check_journals(&run->folder, list);
}

static ph_status take_kind(ph_run *run, ph_run_kind kind) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < run->old.n && !status; i++) {
    if (run->old.at[i].kind != kind)
      continue;
    char *path = ph_run_path(&run->folder, run->old.at[i].name);
    if (!path)
      status = ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
    else if (unlink(path) != 0 && errno != ENOENT)
      status = ph_fail(PH_EIO, "%s: cannot be taken away: %s", path, strerror(errno));
    run->taken += !status && kind == PH_RUN_EPISODE;
    free(path);
  }
  if (!status && run->old.count[kind] && fsync(run->folder.fd) != 0 && errno != EINVAL)
    status = ph_fail(PH_EIO, "%s: cannot be synced: %s", run->folder.dir, strerror(errno));
  return status;
}

ph_status ph_run_take_away(ph_run *run) {
  static const ph_run_kind order[] = {PH_RUN_FILE, PH_RUN_JOURNAL, PH_RUN_PART, PH_RUN_EPISODE,
                                      PH_RUN_INDEX};
  ph_status status = PH_OK;
  for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
    status = take_kind(run, order[i]);
  if (!status)
    ph_run_list_clear(&run->old);
  return status;
}

bool ph_sink_run_taken(ph_sink *sink, char *line, size_t size) {
  ph_run *run = (ph_run *)sink;
  size_t n = run->taken;
  run->taken = 0;
  snprintf(line, size, "%s: %zu %s of %s%s %s taken away", run->folder.dir, n,
           n == 1 ? "episode" : "episodes", run->old_id[0] ? "run " : "a run without a run.h5",
           run->old_id, n == 1 ? "was" : "were");
  return n > 0;
}

/* --- all of it --- */

static ph_status enter(ph_run *run, ph_run_list *list, ph_existing existing, bool salvage) {
  ph_status status;
  if (existing == PH_EXISTING_APPEND)
    status = ph_run_enter_append(run, list, salvage);
  else if (existing == PH_EXISTING_OVERWRITE)
    status = enter_over(run, list);
  else
    status = enter_new(run, list);
  if (status)
    return status;
  run->old = *list;
  *list = (ph_run_list){0};
  /* Nobody else writes here: what is called like a temporary file was left by somebody killed. */
  if (existing == PH_EXISTING_APPEND) {
    if (run->folder.locked)
      take_kind(run, PH_RUN_PART);
    ph_run_list_clear(&run->old);
  }
  return PH_OK;
}

ph_status ph_run_enter(ph_run *run, const ph_sink_options *opt) {
  ph_existing existing = opt ? opt->existing : PH_EXISTING_REFUSE;
  ph_run_list list = {0};
  struct stat st;
  if (stat(run->folder.dir, &st) == 0 && !S_ISDIR(st.st_mode))
    return ph_fail(PH_EIO, "%s: exists already: it is no folder", run->folder.dir);
  if (existing == PH_EXISTING_APPEND && access(run->folder.dir, F_OK) != 0 && errno == ENOENT)
    return ph_fail(PH_ENOTFOUND, "%s: it is not there: there is no run to append to",
                   run->folder.dir);
  ph_status status = ph_run_folder_open(&run->folder, existing != PH_EXISTING_APPEND);
  if (!status)
    status = ph_run_list_read(&list, run->folder.dir);
  if (!status)
    status = enter(run, &list, existing, opt && opt->salvage);
  ph_run_list_clear(&list);
  return status;
}
