/* A run directory: run.h5 with models and tasks, one file per episode. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "index.h"
#include "sink_run.h"

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
    ph_run_done_anew(run);
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
    status = ph_demo_begin(&run->demo, run->part.h5, PH_RUN_DEMO, begin, run->compress);
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
    status = ph_demo_verify(file, PH_RUN_DEMO);
  ph_h5_close(file);
  return status ? ph_fail_in(status, "%s: reading it back", part->final) : PH_OK;
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
    status = ph_run_done_reserve(run);
  if (!status)
    status = publish(run);
  if (!status) {
    run->ended = true;
    ph_run_done_add(run, &entry);
  }
  run_cancel(sink);
  return status;
}

/* --- the sink --- */

static ph_status run_finish(ph_sink *sink) {
  ph_run *run = (ph_run *)sink;
  if (run->demo.open)
    return ph_fail(PH_EINVAL, "episode: it has not ended");
  ph_status status = run->written ? PH_OK : ready(run);
  if (!status)
    status = ph_run_pay_index(run);
  if (run->nowed > 0 && status)
    status = ph_fail_in(status, "the index lacks %zu episodes", run->nowed);
  ph_status complete = ph_run_done_check(run); /* the worse of the two is told of */
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
