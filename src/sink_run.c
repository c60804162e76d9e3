/* A run directory: run.h5 with models and tasks, one file per episode. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "index.h"
#include "sink_run.h"

#define DEMO "/data/demo_0"

/* --- temporary files --- */

/* From the folder that is held, wherever that is now, and from whatever has its path. */
static bool remove_part(const ph_run *run, const char *path) {
  bool held = run->folder.fd < 0 || unlinkat(run->folder.fd, strrchr(path, '/') + 1, 0) == 0 ||
              errno == ENOENT;
  return (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) && held;
}

static void drop_stale(ph_run *run) {
  size_t kept = 0;
  for (size_t i = 0; i < run->nstale; i++) {
    if (remove_part(run, run->stale[i]))
      free(run->stale[i]);
    else
      run->stale[kept++] = run->stale[i];
  }
  run->nstale = kept;
}

/* One that cannot be removed now (the folder has become read-only) is, when that is over. */
static void drop_part(ph_run *run, ph_part *part) {
  ph_h5_close(part->h5);
  part->h5 = H5I_INVALID_HID;
  if (part->temporary && !remove_part(run, part->temporary)) {
    char **stale = realloc(run->stale, (run->nstale + 1) * sizeof *stale);
    if (stale) {
      run->stale = stale;
      stale[run->nstale++] = part->temporary;
      part->temporary = NULL;
    }
  }
  ph_part_drop(part);
}

/* --- run.h5 --- */

static void drop_references(ph_run *run) {
  for (size_t i = 0; i < run->nmodels; i++)
    ph_model_unref(run->models[i]);
  for (size_t i = 0; i < run->ntasks; i++)
    ph_task_unref((ph_task *)run->tasks[i]);
  free(run->models);
  free(run->tasks);
  run->models = NULL;
  run->tasks = NULL;
  run->nmodels = run->ntasks = 0;
}

static ph_status put_run(ph_run *run, hid_t file) {
  ph_status status = ph_sink_put_root(file, &run->origin);
  for (size_t i = 0; i < run->nmodels && !status; i++)
    status = ph_sink_put_model(file, run->models[i]);
  for (size_t i = 0; i < run->ntasks && !status; i++)
    status = ph_sink_put_task(file, run->tasks[i]);
  return status;
}

/* Writes run.h5 before the first episode appears; what was in the folder goes when it is ready.
 * After an error it is tried again. */
static ph_status write_run(ph_run *run) {
  if (run->written)
    return PH_OK;
  if (run->appended && run->nmodels == 0)
    return ph_fail(PH_EIO, "%s: its run.h5 was taken away, and nobody has given its model again",
                   run->folder.dir);
  ph_part part = {.h5 = H5I_INVALID_HID};
  char *path = ph_run_path(&run->folder, "run.h5");
  ph_status status = path ? ph_part_create_over(&part, path)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
  if (!status)
    status = put_run(run, part.h5);
  if (!status)
    status = ph_part_finish(&part);
  if (!status)
    status = ph_run_take_away(run);
  if (!status)
    status = ph_part_publish_in(&part, run->folder.fd);
  drop_part(run, &part);
  free(path);
  run->written = !status;
  return status;
}

/* Whether somebody has taken run.h5 out of the folder. */
static bool lost_run(const ph_run *run) {
  struct stat st;
  char *path = ph_run_path(&run->folder, "run.h5");
  bool lost = path && lstat(path, &st) != 0 && errno == ENOENT;
  free(path);
  return lost;
}

static const char *episodes_are(size_t n) {
  return n == 1 ? "episode is" : "episodes are";
}

/* All that was committed went with the folder. */
static void note_anew(ph_run *run) {
  size_t n = run->ndone - run->gone;
  if (n > 0)
    snprintf(run->news, sizeof run->news,
             "%s: the folder was taken away: %zu committed %s no longer in it; a new one is "
             "recorded into",
             run->folder.dir, n, episodes_are(n));
  else
    snprintf(run->news, sizeof run->news,
             "%s: the folder was taken away, with nothing that was committed; a new one is "
             "recorded into",
             run->folder.dir);
  run->gone = run->ndone;
  run->ended = false;
  run->nowed = 0;
}

/* The folder is the one that is held, and has its run.h5. */
static ph_status ready(ph_run *run) {
  bool anew = false;
  pthread_mutex_lock(&run->held);
  ph_status status = ph_run_folder_restore(&run->folder, &anew);
  pthread_mutex_unlock(&run->held);
  if (status)
    return status;
  drop_stale(run);
  if (anew)
    note_anew(run);
  if (anew || (run->written && lost_run(run)))
    run->written = false;
  return write_run(run);
}

ph_status ph_sink_run_start(ph_sink *sink) {
  return ready((ph_run *)sink);
}

void ph_sink_run_undo(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  bool ours = run->written && !run->ended && ph_run_folder_same(&run->folder);
  char *path = ours ? ph_run_path(&run->folder, "run.h5") : NULL;
  if (path && unlink(path) == 0)
    run->written = false;
  free(path);
}

bool ph_sink_run_in_place(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  pthread_mutex_lock(&run->held);
  bool same = ph_run_folder_same(&run->folder);
  pthread_mutex_unlock(&run->held);
  return same;
}

bool ph_sink_run_news(ph_sink *sink, char *line, size_t size) {
  ph_run *run = (ph_run *)sink;
  bool told = run->news[0] != 0;
  snprintf(line, size, "%s", run->news);
  run->news[0] = 0;
  return told;
}

size_t ph_sink_run_missing(const ph_sink *sink) {
  return ((const ph_run *)sink)->missing;
}

const ph_episode_meta *ph_sink_run_origin(const ph_sink *sink) {
  return &((const ph_run *)sink)->origin;
}

int64_t ph_sink_run_next(const ph_sink *sink, int env_id) {
  const ph_run *run = (const ph_run *)sink;
  for (size_t i = 0; i < run->nnext; i++)
    if (run->next[i].env_id == env_id)
      return run->next[i].episode;
  return 0;
}

static ph_status too_late(const ph_run *run, const char *what, const char *sha256) {
  return ph_fail(PH_EINVAL, "%s: %s %.12s: it comes after the first episode", run->folder.dir, what,
                 sha256);
}

static bool is_appended(const ph_run *run, const char *stored, const char *sha256) {
  return run->appended && strcmp(stored, sha256) == 0;
}

static ph_status run_model(ph_sink *sink, const ph_model *model) {
  ph_run *run = (ph_run *)sink;
  for (size_t i = 0; i < run->nmodels; i++)
    if (strcmp(ph_model_sha256(run->models[i]), ph_model_sha256(model)) == 0)
      return PH_OK;
  if (run->written && !is_appended(run, run->origin.model_sha256, ph_model_sha256(model)))
    return too_late(run, "model", ph_model_sha256(model));
  const ph_model **models = realloc(run->models, (run->nmodels + 1) * sizeof *models);
  if (!models)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
  run->models = models;
  run->models[run->nmodels++] = ph_model_ref(model);
  return PH_OK;
}

static ph_status run_task(ph_sink *sink, const ph_task *task) {
  ph_run *run = (ph_run *)sink;
  for (size_t i = 0; i < run->ntasks; i++)
    if (strcmp(ph_task_sha256(run->tasks[i]), ph_task_sha256(task)) == 0)
      return PH_OK;
  if (run->written && !is_appended(run, run->origin.task_sha256, ph_task_sha256(task)))
    return too_late(run, "task", ph_task_sha256(task));
  const ph_task **tasks = realloc(run->tasks, (run->ntasks + 1) * sizeof *tasks);
  if (!tasks)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
  run->tasks = tasks;
  run->tasks[run->ntasks++] = ph_task_ref(task);
  return PH_OK;
}

/* --- episodes --- */

static void run_cancel(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  ph_demo_close(&run->demo);
  drop_part(run, &run->part);
}

static ph_status begin_file(ph_run *run, const ph_begin *begin) {
  char name[PH_INDEX_NAME_SIZE];
  const ph_episode_meta *m = begin->meta;
  ph_index_file_name(name, sizeof name, m->env_id, m->episode, m->actions);
  char *path = ph_run_path(&run->folder, name);
  ph_status status = path ? ph_part_create_over(&run->part, path)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
  if (!status)
    status = ph_sink_put_root(run->part.h5, &run->origin);
  if (!status)
    status = ph_sink_put_data(run->part.h5, &run->origin, m->actions);
  if (!status)
    status = ph_demo_begin(&run->demo, run->part.h5, DEMO, begin, run->compress);
  free(path);
  return status;
}

static ph_status run_begin(ph_sink *sink, const ph_begin *begin) {
  ph_run *run = (ph_run *)sink;
  if (run->demo.open)
    return ph_fail(PH_EINVAL, "episode: begins before the last one has ended");
  ph_status status = ph_begin_check(begin, true);
  if (!status)
    status = ready(run);
  if (!status)
    status = begin_file(run, begin);
  if (status)
    run_cancel(sink);
  return status;
}

static ph_status run_rows(ph_sink *sink, ph_column col, int64_t first, int64_t n,
                          const void *data) {
  ph_run *run = (ph_run *)sink;
  ph_status status = ph_demo_rows(&run->demo, col, first, n, data);
  if (status)
    run_cancel(sink);
  return status;
}

static ph_status verify(const ph_part *part) {
  hid_t file;
  ph_status status = ph_h5_open(&file, part->temporary);
  if (!status)
    status = ph_demo_verify(file, DEMO);
  ph_h5_close(file);
  return status ? ph_fail_in(status, "%s: reading it back", part->final) : PH_OK;
}

/* --- the index --- */

/* Appends what the index lacks, in order. */
static ph_status pay_index(ph_run *run) {
  size_t n = 0;
  ph_status status = PH_OK;
  while (n < run->nowed &&
         !(status = ph_index_append_in(run->folder.fd, run->folder.dir, &run->owed[n])))
    n++;
  if (n > 0)
    memmove(run->owed, run->owed + n, (run->nowed - n) * sizeof *run->owed);
  run->nowed -= n;
  return status;
}

/* The episode is safe, and the folder is right where the two differ: a reader takes what the index
 * lacks from the file. So an index that cannot be written is no reason to take the episode back. */
static void list_episode(ph_run *run, ph_entry *entry) {
  run->done[run->ndone++] = (ph_run_done){entry->env_id, entry->episode, entry->actions};

  ph_index_file_name(entry->file, sizeof entry->file, entry->env_id, entry->episode,
                     entry->actions);
  snprintf(entry->id, sizeof entry->id, "env%03d_ep%06lld", entry->env_id,
           (long long)entry->episode);
  snprintf(entry->group, sizeof entry->group, DEMO);
  run->owed[run->nowed++] = *entry;
  pay_index(run);
}

/* Room for what list_episode adds: once an episode has its place it cannot be refused. */
static ph_status reserve(ph_run *run) {
  ph_entry *owed = realloc(run->owed, (run->nowed + 1) * sizeof *owed);
  ph_run_done *done = run->done;
  size_t room = run->ndone < run->done_room ? run->done_room : 2 * run->done_room + 16;
  run->owed = owed ? owed : run->owed;
  if (room != run->done_room && (done = realloc(run->done, room * sizeof *done))) {
    run->done = done;
    run->done_room = room;
  }
  return owed && done ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
}

static ph_status publish(ph_run *run) {
  if (!ph_run_folder_same(&run->folder))
    return ph_fail(PH_EIO, "%s: it was taken away or replaced while %s was written",
                   run->folder.dir, strrchr(run->part.final, '/') + 1);
  return ph_part_publish_in(&run->part, run->folder.fd);
}

static ph_status run_end(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  ph_entry entry;
  ph_begin_entry(&entry, &run->demo.meta);
  ph_status status = ph_demo_end(&run->demo);
  if (!status)
    status = ph_part_finish(&run->part);
  if (!status)
    status = verify(&run->part);
  if (!status)
    status = reserve(run);
  if (!status)
    status = publish(run);
  if (!status) {
    run->ended = true;
    list_episode(run, &entry);
  }
  run_cancel(sink);
  return status;
}

/* --- the sink --- */

/* Whether all that was put into its place is there, by the path that people have. */
static ph_status check_done(ph_run *run) {
  bool same = ph_run_folder_same(&run->folder);
  run->missing = 0;
  for (size_t i = 0; i < run->ndone; i++) {
    struct stat st;
    char name[PH_INDEX_NAME_SIZE];
    const ph_run_done *done = &run->done[i];
    ph_index_file_name(name, sizeof name, done->env_id, done->episode, done->actions);
    run->missing += !same || fstatat(run->folder.fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
  }
  if (run->missing == 0)
    return PH_OK;
  return ph_fail(PH_EIO, "%s: %zu committed %s not in it at the end: %s", run->folder.dir,
                 run->missing, episodes_are(run->missing),
                 same ? "they were taken away" : "the folder was taken away or replaced");
}

static ph_status run_finish(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  if (run->demo.open)
    return ph_fail(PH_EINVAL, "episode: it has not ended");
  ph_status status = run->written ? PH_OK : ready(run);
  if (!status)
    status = pay_index(run);
  if (run->nowed > 0 && status)
    status = ph_fail_in(status, "the index lacks %zu episodes", run->nowed);
  ph_status complete = check_done(run); /* the worse of the two is told of */
  return complete ? complete : status;
}

static void run_free(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  if (!sink)
    return;
  run_cancel(sink);
  drop_stale(run);
  drop_references(run);
  if (run->folder.made && !run->written && ph_run_folder_same(&run->folder))
    rmdir(run->folder.dir);
  ph_run_folder_close(&run->folder);
  ph_run_list_clear(&run->old);
  for (size_t i = 0; i < run->nstale; i++)
    free(run->stale[i]);
  free(run->stale);
  free(run->owed);
  free(run->done);
  free(run->next);
  pthread_mutex_destroy(&run->held);
  free(run->folder.dir);
  free(run);
}

ph_status ph_sink_run(ph_sink **out, const char *dir, const ph_episode_meta *origin,
                      const ph_sink_options *opt) {
  ph_run *run = calloc(1, sizeof *run);
  *out = NULL;
  if (!run)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  run->base = (ph_sink){run_model, run_task,   run_begin,  run_rows,
                        run_end,   run_cancel, run_finish, run_free};
  run->part.h5 = H5I_INVALID_HID;
  run->folder.fd = -1;
  pthread_mutex_init(&run->held, NULL);
  run->origin = *origin;
  run->origin.provenance = NULL;
  run->compress = opt && opt->compress;
  run->folder.dir = strdup(dir);
  ph_status status = run->folder.dir ? ph_sink_check_path(dir, 1 + PH_INDEX_NAME_SIZE)
                                     : ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (!status)
    status = ph_run_enter(run, opt);
  if (status)
    run_free(&run->base);
  else
    *out = &run->base;
  return status;
}
