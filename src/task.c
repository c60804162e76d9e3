#include "task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "hash.h"
#include "name.h"
#include "task_line.h"

enum { TASK_MAX = 1 << 20 };

void ph_task_destroy(ph_task *task) {
  if (!task)
    return;
  ph_script_free(task->script);
  free(task->source);
  free(task->name);
  free(task->dir);
  free(task->base);
  free(task->judge);
  free(task->judge_name);
  free(task->expr);
  free(task);
}

ph_status ph_task_begin(ph_task **out, ph_task *task) {
  atomic_init(&task->refs, 1);
  ph_sha256_of(task->source, task->size, task->sha256);
  ph_status st = ph_task_script(&task->script, task);
  if (st == PH_OK)
    *out = task;
  else
    ph_task_destroy(task);
  return st;
}

/* Takes source, name and dir. */
static ph_status make_task(ph_task **out, char *source, size_t size, char *name, char *dir) {
  ph_task *task = calloc(1, sizeof *task);
  *out = NULL;
  if (!task || !source || !name || !dir) {
    free(source);
    free(name);
    free(dir);
    free(task);
    return ph_fail(PH_ENOMEM, "task: out of memory");
  }
  task->source = source;
  task->size = size;
  task->name = name;
  task->dir = dir;
  return ph_task_begin(out, task);
}

char *ph_task_copy(const char *from, size_t n) {
  char *copy = from ? malloc(n + 1) : NULL;
  if (!copy)
    return NULL;
  if (n > 0)
    memcpy(copy, from, n);
  copy[n] = 0;
  return copy;
}

ph_status ph_task_parse(ph_task **out, const char *source, size_t size, const char *name) {
  return make_task(out, ph_task_copy(source, size), size, ph_task_copy(name, strlen(name)),
                   ph_task_copy("", 0));
}

/* Reads at most TASK_MAX bytes of a regular file. */
static ph_status read_source(char **source, size_t *size, int fd, const char *path) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return ph_fail(PH_EIO, "%s: cannot read the task: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return ph_fail(PH_EIO, "%s: cannot read the task: not a regular file", path);
  if (info.st_size > TASK_MAX)
    return ph_fail(PH_ETASK, "%s: too large for a task: %lld bytes", path, (long long)info.st_size);
  *source = malloc((size_t)info.st_size + 1);
  if (!*source)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  for (*size = 0; *size < (size_t)info.st_size;) {
    ssize_t n = read(fd, *source + *size, (size_t)info.st_size - *size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ph_fail(PH_EIO, "%s: cannot read the task: %s", path, strerror(errno));
    if (n == 0)
      break;
    *size += (size_t)n;
  }
  (*source)[*size] = 0;
  return PH_OK;
}

ph_status ph_task_open(ph_task **out, const char *path) {
  char *source = NULL;
  size_t size = 0;
  const char *slash = strrchr(path, '/');
  *out = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: cannot open the task: %s", path, strerror(errno));
  ph_status st = read_source(&source, &size, fd, path);
  if (st == PH_OK) {
    st = make_task(out, source, size, ph_task_copy(path, strlen(path)),
                   ph_task_copy(path, slash ? (size_t)(slash - path) + 1 : 0));
    source = NULL;
  }
  free(source);
  close(fd);
  return st;
}

ph_task *ph_task_ref(const ph_task *task) {
  ph_task *mutable_task = (ph_task *)task; /* the count is all that changes */
  atomic_fetch_add(&mutable_task->refs, 1);
  return mutable_task;
}

void ph_task_unref(const ph_task *task) {
  ph_task *mutable_task = (ph_task *)task;
  if (mutable_task && atomic_fetch_sub(&mutable_task->refs, 1) == 1)
    ph_task_destroy(mutable_task);
}

const char *ph_task_called(const ph_task *task) {
  const char *name = ph_task_info_of(task)->name;
  return name[0] ? name : task->name;
}

const ph_task_info *ph_task_info_of(const ph_task *task) {
  return &ph_task_spec_of(task)->info;
}

const char *ph_task_sha256(const ph_task *task) {
  return task->sha256;
}

const char *ph_task_source(const ph_task *task) {
  return task->source;
}

const char *ph_task_condition(const ph_task *task, size_t i) {
  const ph_task_spec *spec = ph_task_spec_of(task);
  return i < spec->info.nconditions ? spec->conditions[i] : NULL;
}

const char *ph_task_readout(const ph_task *task, size_t i) {
  const ph_task_spec *spec = ph_task_spec_of(task);
  return i < spec->info.nreadouts ? spec->readouts[i] : NULL;
}

/* "task.lua:3: model: cubez.xml: no such file beside the task; did you mean 'cubes.xml'?" */
static void fail_model(const ph_task *task, const char *path) {
  const char *model = ph_task_info_of(task)->model, *slash = strrchr(path, '/');
  char *folder = slash ? ph_task_copy(path, (size_t)(slash - path) + 1) : ph_task_copy("./", 2);
  DIR *dir = folder ? opendir(folder) : NULL;
  ph_near near;
  char text[300], where[40] = "";
  int line = ph_task_line(task->base ? task->base : task->source,
                          task->base ? task->base_size : task->size, "model: ");
  ph_near_begin(&near, slash ? slash + 1 : path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ".xml") == 0)
      ph_near_add(&near, entry->d_name);
  }
  if (line > 0)
    snprintf(where, sizeof where, ":%d", line);
  ph_fail(PH_EIO, "%s%s: model: %s: no such model file%s", task->name, where, model,
          ph_near_text(&near, text, sizeof text));
  if (dir)
    closedir(dir);
  free(folder);
}

ph_status ph_task_model(ph_model **out, const ph_task *task, const ph_model_options *opt) {
  const char *model = ph_task_info_of(task)->model;
  char *path = NULL;
  *out = NULL;
  if (model[0] == 0)
    return ph_fail(PH_ENOTFOUND, "%s: the task names no model", task->name);
  if (asprintf(&path, "%s%s", model[0] == '/' ? "" : task->dir, model) < 0)
    return ph_fail(PH_ENOMEM, "%s: out of memory", task->name);
  ph_status st = ph_model_open(out, path, opt);
  if (st == PH_EIO && access(path, F_OK) != 0)
    fail_model(task, path);
  free(path);
  return st;
}

ph_status ph_task_script(ph_script **out, const ph_task *task) {
  ph_script_layers layers = {task->base,       task->base_size,  task->name, task->judge,
                             task->judge_size, task->judge_name, task->expr, task->max_steps};
  if (task->layered)
    return ph_script_open_layers(out, &layers);
  return ph_script_open(out, task->source, task->size, task->name);
}

const ph_task_spec *ph_task_spec_of(const ph_task *task) {
  return ph_script_spec(task->script);
}

const ph_stage *ph_task_stage(const ph_task *task, size_t i) {
  const ph_task_spec *spec = ph_task_spec_of(task);
  return i < spec->info.nstages ? &spec->stages[i].stage : NULL;
}
