/* A run directory: run.h5 with models and tasks, one file per episode. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "file.h"
#include "index.h"
#include "sink_h5.h"

#define DEMO "/data/demo_0"

struct run {
  ph_sink base;
  char *dir;
  int folder;   /* the open folder, locked while it is written into; -1 none */
  bool locked;  /* false too where the file system has no locks */
  bool made;    /* the folder was not there before */
  bool written; /* run.h5 is in place */
  bool ended;   /* an episode is in place */
  bool compress;
  ph_episode_meta origin;
  const ph_model **models; /* referenced, until run.h5 is written */
  const ph_task **tasks;
  size_t nmodels, ntasks;
  ph_part part;
  ph_demo demo;
};

/* --- run.h5 --- */

static void drop_references(struct run *run) {
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

static char *join(const char *dir, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* Writes run.h5 before the first episode appears. After an error it is tried again. */
static ph_status write_run(struct run *run) {
  if (run->written)
    return PH_OK;
  ph_part part = {.h5 = H5I_INVALID_HID};
  char *path = join(run->dir, "run.h5");
  ph_status status =
      path ? ph_part_create(&part, path) : ph_fail(PH_ENOMEM, "%s: out of memory", run->dir);
  if (!status)
    status = ph_sink_put_root(part.h5, &run->origin);
  for (size_t i = 0; i < run->nmodels && !status; i++)
    status = ph_sink_put_model(part.h5, run->models[i]);
  for (size_t i = 0; i < run->ntasks && !status; i++)
    status = ph_sink_put_task(part.h5, run->tasks[i]);
  if (!status)
    status = ph_part_finish(&part);
  if (!status)
    status = ph_part_publish(&part);
  ph_part_drop(&part);
  free(path);
  if (status)
    return status;
  run->written = true;
  return PH_OK;
}

ph_status ph_sink_run_start(ph_sink *sink) {
  return write_run((struct run *)sink);
}

void ph_sink_run_undo(ph_sink *sink) {
  struct run *run = (struct run *)sink;
  char *path = run->written && !run->ended ? join(run->dir, "run.h5") : NULL;
  if (path && unlink(path) == 0)
    run->written = false;
  free(path);
}

static ph_status too_late(const struct run *run, const char *what, const char *sha256) {
  return ph_fail(PH_EINVAL, "%s: %s %.12s: it comes after the first episode", run->dir, what,
                 sha256);
}

static ph_status run_model(ph_sink *sink, const ph_model *model) {
  struct run *run = (struct run *)sink;
  for (size_t i = 0; i < run->nmodels; i++)
    if (strcmp(ph_model_sha256(run->models[i]), ph_model_sha256(model)) == 0)
      return PH_OK;
  if (run->written)
    return too_late(run, "model", ph_model_sha256(model));
  const ph_model **models = realloc(run->models, (run->nmodels + 1) * sizeof *models);
  if (!models)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->dir);
  run->models = models;
  run->models[run->nmodels++] = ph_model_ref(model);
  return PH_OK;
}

static ph_status run_task(ph_sink *sink, const ph_task *task) {
  struct run *run = (struct run *)sink;
  for (size_t i = 0; i < run->ntasks; i++)
    if (strcmp(ph_task_sha256(run->tasks[i]), ph_task_sha256(task)) == 0)
      return PH_OK;
  if (run->written)
    return too_late(run, "task", ph_task_sha256(task));
  const ph_task **tasks = realloc(run->tasks, (run->ntasks + 1) * sizeof *tasks);
  if (!tasks)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->dir);
  run->tasks = tasks;
  run->tasks[run->ntasks++] = ph_task_ref(task);
  return PH_OK;
}

/* --- episodes --- */

static void run_cancel(ph_sink *sink) {
  struct run *run = (struct run *)sink;
  ph_demo_close(&run->demo);
  ph_part_drop(&run->part);
}

static ph_status begin_file(struct run *run, const ph_begin *begin) {
  char name[PH_INDEX_NAME_SIZE];
  const ph_episode_meta *m = begin->meta;
  ph_index_file_name(name, sizeof name, m->env_id, m->episode, m->actions);
  char *path = join(run->dir, name);
  ph_status status =
      path ? ph_part_create(&run->part, path) : ph_fail(PH_ENOMEM, "%s: out of memory", run->dir);
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
  struct run *run = (struct run *)sink;
  if (run->demo.open)
    return ph_fail(PH_EINVAL, "episode: begins before the last one has ended");
  ph_status status = ph_begin_check(begin, true);
  if (!status)
    status = write_run(run);
  if (!status)
    status = begin_file(run, begin);
  if (status)
    run_cancel(sink);
  return status;
}

static ph_status run_rows(ph_sink *sink, ph_column col, int64_t first, int64_t n,
                          const void *data) {
  struct run *run = (struct run *)sink;
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

static ph_status run_end(ph_sink *sink) {
  struct run *run = (struct run *)sink;
  ph_entry entry;
  ph_begin_entry(&entry, &run->demo.meta);
  ph_status status = ph_demo_end(&run->demo);
  if (!status)
    status = ph_part_finish(&run->part);
  if (!status)
    status = verify(&run->part);
  if (!status)
    status = ph_part_publish(&run->part);
  if (!status) {
    ph_index_file_name(entry.file, sizeof entry.file, entry.env_id, entry.episode, entry.actions);
    snprintf(entry.id, sizeof entry.id, "env%03d_ep%06lld", entry.env_id, (long long)entry.episode);
    snprintf(entry.group, sizeof entry.group, DEMO);
    /* The episode is safe, and the folder is right where the two differ: a reader takes what the
     * index lacks from the file. So this is no reason to take the episode back. */
    run->ended = true;
    ph_index_append(run->dir, &entry);
  }
  run_cancel(sink);
  return status;
}

/* --- the sink --- */

static ph_status run_finish(ph_sink *sink) {
  struct run *run = (struct run *)sink;
  return run->demo.open ? ph_fail(PH_EINVAL, "episode: it has not ended") : write_run(run);
}

static void run_free(ph_sink *sink) {
  struct run *run = (struct run *)sink;
  if (!sink)
    return;
  run_cancel(sink);
  drop_references(run);
  if (run->made && !run->written)
    rmdir(run->dir);
  if (run->folder >= 0)
    close(run->folder);
  free(run->dir);
  free(run);
}

/* So that no other recorder takes the folder over meanwhile. */
static ph_status lock_folder(struct run *run) {
  run->folder = open(run->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (run->folder < 0)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", run->dir, strerror(errno));
  run->locked = flock(run->folder, LOCK_EX | LOCK_NB) == 0;
  if (!run->locked && errno == EWOULDBLOCK)
    return ph_fail(PH_EEXIST, "%s: another process records into it", run->dir);
  return PH_OK;
}

/* PH_EEXIST: the folder holds episodes, or the index of some. *begun: it has a run.h5. */
static ph_status check_folder(const char *dir, bool *begun) {
  int env_id;
  int64_t episode, actions;
  DIR *folder = opendir(dir);
  ph_status status =
      folder ? PH_OK : ph_fail(PH_EIO, "%s: cannot be listed: %s", dir, strerror(errno));
  for (struct dirent *entry = NULL; !status && (entry = readdir(folder));) {
    if (strcmp(entry->d_name, "run.h5") == 0)
      *begun = true;
    else if (strcmp(entry->d_name, "index") == 0 ||
             ph_index_parse_name(entry->d_name, &env_id, &episode, &actions))
      status = ph_fail(PH_EEXIST, "%s: it holds a run already", dir);
  }
  if (folder)
    closedir(folder);
  return status;
}

/* Takes away the run.h5 of a run that ended, or was killed, before its first episode. */
static ph_status take_over(const struct run *run) {
  ph_episode_meta meta = {0};
  hid_t file = H5I_INVALID_HID;
  char *path = join(run->dir, "run.h5");
  if (!path)
    return ph_fail(PH_ENOMEM, "%s: out of memory", run->dir);
  bool ours = run->locked && ph_h5_open(&file, path) == PH_OK &&
              ph_meta_root(&meta, file) == PH_OK && !ph_h5_exists(file, "data");
  ph_h5_close(file);
  ph_status status = PH_OK;
  if (!ours)
    status = ph_fail(PH_EEXIST, "%s: it is there already", path);
  else if (unlink(path) != 0)
    status = ph_fail(PH_EIO, "%s: cannot be replaced: %s", path, strerror(errno));
  free(path);
  return status;
}

static ph_status enter_folder(struct run *run) {
  bool begun = false;
  ph_status status = ph_folder_create(run->dir, &run->made);
  if (!status)
    status = lock_folder(run);
  if (!status)
    status = check_folder(run->dir, &begun);
  return !status && begun ? take_over(run) : status;
}

ph_status ph_sink_run(ph_sink **out, const char *dir, const ph_episode_meta *origin,
                      const ph_sink_options *opt) {
  struct run *run = calloc(1, sizeof *run);
  *out = NULL;
  if (!run)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  run->base = (ph_sink){run_model, run_task,   run_begin,  run_rows,
                        run_end,   run_cancel, run_finish, run_free};
  run->part.h5 = H5I_INVALID_HID;
  run->folder = -1;
  run->origin = *origin;
  run->origin.provenance = NULL;
  run->compress = opt && opt->compress;
  run->dir = strdup(dir);
  ph_status status = run->dir ? ph_sink_check_path(dir, 1 + PH_INDEX_NAME_SIZE)
                              : ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (!status)
    status = enter_folder(run);
  if (status)
    run_free(&run->base);
  else
    *out = &run->base;
  return status;
}
