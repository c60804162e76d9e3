/* A BiGym batch whose episodes end where success latches: a new folder, made as a hidden sibling
 * and renamed when all of it is there. What kill -9 leaves is that sibling alone,
 * ".NAME.<pid>-<n>.part", which nobody takes for a batch: its name is hidden, and a later cut makes
 * one of its own. */
#include "cut_batch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"

bool ph_cut_is_batch(const char *source) {
  struct stat st;
  return stat(source, &st) == 0 && S_ISDIR(st.st_mode) && ph_bigym_is_batch(source);
}

bool ph_batch_go_on(void *batch) {
  const ph_batch *b = batch;
  return !b->opt->progress || b->opt->progress(b->opt->arg, b->done, b->kept);
}

/* --- the output --- */

/* The folder that a path lies in, as it really is; the caller's. NULL: errno. */
static char *parent_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  char *real = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return real;
}

static ph_status check_output(const ph_batch *b) {
  struct stat st;
  if (lstat(b->out, &st) == 0)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", b->out);
  char *parent = parent_of(b->out), *source = parent ? realpath(b->source, NULL) : NULL;
  size_t n = source ? strlen(source) : 0;
  ph_status status = PH_OK;
  if (!source)
    status = ph_fail(PH_EIO, "%s: its folder: %s", parent ? b->source : b->out, strerror(errno));
  else if (strncmp(parent, source, n) == 0 && (parent[n] == '/' || parent[n] == 0))
    status = ph_fail(PH_EINVAL, "%s: it is in the source, which is never written to", b->out);
  free(parent);
  free(source);
  return status;
}

/* --- the list --- */

static ph_status list_files(ph_batch *b) {
  ph_status status = ph_bigym_files(&b->files, b->source);
  if (status)
    return status;
  if (b->files.n == 0)
    return ph_fail(PH_ENOTFOUND, "%s: it holds no episode: there is nothing to cut", b->source);
  b->items = calloc(b->files.n, sizeof *b->items);
  if (!b->items)
    return ph_fail(PH_ENOMEM, "%s: out of memory", b->source);
  for (size_t i = 0; i < b->files.n; i++) {
    b->items[i].file = b->files.name[i];
    b->items[i].named = ph_bigym_parse(&b->items[i].name, b->files.name[i]);
  }
  return PH_OK;
}

static ph_batch_item *find_item(ph_batch *b, const char *file) {
  for (size_t i = 0; i < b->files.n; i++)
    if (strcmp(b->items[i].file, file) == 0)
      return &b->items[i];
  return NULL;
}

static ph_status match_list(ph_batch *b, const ph_cut_episode *plan, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ph_batch_item *item = find_item(b, plan[i].id);
    if (!item)
      return ph_fail(PH_EINVAL, "%s: the list names %s, which it does not hold", b->source,
                     plan[i].id);
    if (item->plan)
      return ph_fail(PH_EINVAL, "%s: the list names %s twice", b->source, plan[i].id);
    item->plan = &plan[i];
    b->kept += !plan[i].dropped;
  }
  for (size_t i = 0; i < b->files.n; i++) {
    const ph_batch_item *item = &b->items[i];
    if (!item->named && !(item->plan && item->plan->dropped))
      return ph_batch_refuse_name(b, item);
    if (!item->plan)
      return ph_fail(PH_EINVAL, "%s: the list does not name %s", b->source, item->file);
  }
  if (b->kept == 0)
    return ph_fail(PH_ENOTFOUND, "%s: no episode is kept", b->source);
  return PH_OK;
}

/* Two files of one moment and index would get one name where they are cut to one length. */
static ph_status check_names(const ph_batch *b) {
  for (size_t i = 0; i < b->files.n; i++)
    for (size_t k = 0; k < i && !b->items[i].plan->dropped; k++)
      if (!b->items[k].plan->dropped && strcmp(b->items[i].renamed, b->items[k].renamed) == 0)
        return ph_fail(PH_EINVAL, "%s: %s and %s would both become %s", b->source, b->items[k].file,
                       b->items[i].file, b->items[i].renamed);
  return PH_OK;
}

static ph_status check_files(ph_batch *b) {
  ph_status status = PH_OK;
  for (size_t i = 0; status == PH_OK && i < b->files.n; i++) {
    if (b->items[i].plan->dropped)
      continue;
    status = ph_batch_go_on(b) ? ph_batch_check(b, &b->items[i])
                               : ph_fail(PH_ECANCELED, "%s: it was stopped", b->source);
  }
  return status == PH_OK ? check_names(b) : status;
}

/* --- the folder --- */

static ph_status make_folder(ph_batch *b) {
  int error = EEXIST;
  for (int n = 0; error == EEXIST && n < 1000; n++) {
    free(b->folder);
    b->folder = ph_file_temporary(b->out, n);
    if (!b->folder)
      return ph_fail(PH_ENOMEM, "%s: out of memory", b->out);
    error = mkdir(b->folder, 0777) == 0 ? 0 : errno;
  }
  if (!error)
    return PH_OK;
  free(b->folder); /* whatever has that name is not ours */
  b->folder = NULL;
  return ph_fail(PH_EIO, "%s: cannot be created: %s", b->out, strerror(error));
}

static void drop_folder(ph_batch *b) {
  DIR *dir = b->folder ? opendir(b->folder) : NULL;
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
  if (b->folder)
    rmdir(b->folder);
}

/* File systems that cannot rename to a new name alone do it to one that is looked at before. */
static int rename_folder(const char *from, const char *to) {
  struct stat st;
  int error = ph_file_rename_new(from, to);
  if (error != EPERM && error != EINVAL && error != ENOSYS)
    return error;
  if (lstat(to, &st) == 0)
    return EEXIST;
  return rename(from, to) == 0 ? 0 : errno;
}

static ph_status put_into_place(ph_batch *b) {
  int fd = open(b->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int error = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
  if (fd >= 0)
    close(fd);
  if (!error)
    error = rename_folder(b->folder, b->out);
  if (error == EEXIST || error == ENOTEMPTY)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", b->out);
  if (error)
    return ph_fail(PH_EIO, "%s: cannot be put into place: %s", b->out, strerror(error));
  free(b->folder);
  b->folder = NULL;
  ph_file_sync_folder(b->out);
  return PH_OK;
}

static ph_status write_batch(ph_batch *b) {
  ph_status status = make_folder(b);
  for (size_t i = 0; status == PH_OK && i < b->files.n; i++) {
    if (b->items[i].plan->dropped)
      continue;
    status = ph_batch_write(b, &b->items[i]);
    b->done++;
    if (status == PH_OK && !ph_batch_go_on(b))
      status = ph_fail(PH_ECANCELED, "%s: it was stopped", b->source);
  }
  if (status == PH_OK)
    status = ph_batch_meta_write(b);
  return status == PH_OK ? put_into_place(b) : status;
}

/* --- all of it --- */

static void count(ph_cut_tally *t, const ph_batch *b) {
  *t = (ph_cut_tally){.least = -1, .most = -1};
  for (size_t i = 0; i < b->files.n; i++) {
    const ph_cut_episode *plan = b->items[i].plan;
    int64_t cut = b->items[i].frames - 1 - plan->to;
    t->dropped += plan->dropped;
    if (plan->dropped)
      continue;
    t->kept++;
    t->actions += plan->to;
    t->removed += cut;
    t->least = t->least < 0 || cut < t->least ? cut : t->least;
    t->most = cut > t->most ? cut : t->most;
  }
}

static void clear(ph_batch *b) {
  drop_folder(b);
  free(b->folder);
  free(b->items);
  ph_bigym_list_clear(&b->files);
  json_decref(b->meta);
}

ph_status ph_cut_try_batch(const char *source, const ph_cut_episode *plan,
                           const ph_cut_options *opt) {
  ph_batch b = {.out = source, .source = source, .opt = opt};
  if (plan) {
    ph_batch_item item = {.plan = plan, .file = plan->id};
    item.named = ph_bigym_parse(&item.name, plan->id);
    return ph_batch_try(&b, &item);
  }
  ph_status status = ph_batch_meta_read(&b);
  json_decref(b.meta);
  return status;
}

ph_status ph_cut_batch(const char *out, const char *source, const ph_cut_episode *plan, size_t n,
                       const ph_cut_options *opt, ph_cut_tally *tally) {
  size_t length = strlen(out);
  while (length > 1 && out[length - 1] == '/')
    length--;
  char *bare = strndup(out, length);
  if (!bare)
    return ph_fail(PH_ENOMEM, "%s: out of memory", out);
  ph_batch b = {.out = bare, .source = source, .opt = opt};
  ph_status status = check_output(&b);
  if (status == PH_OK)
    status = list_files(&b);
  if (status == PH_OK)
    status = match_list(&b, plan, n);
  if (status == PH_OK)
    status = ph_batch_meta_read(&b);
  if (status == PH_OK)
    status = check_files(&b);
  if (status == PH_OK)
    status = write_batch(&b);
  if (status == PH_OK && tally)
    count(tally, &b);
  clear(&b);
  free(bare);
  return status;
}
