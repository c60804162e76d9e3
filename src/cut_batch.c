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

/* --- the list --- */

static ph_status list_files(ph_batch *b) {
  ph_status status = ph_bigym_files(&b->files, b->source);
  if (status)
    return status;
  if (b->files.n == 0)
    return ph_fail(PH_ENOTFOUND, "%s: it holds no episode: there is nothing to cut", b->source);
  b->items = calloc(b->files.n, sizeof *b->items);
  b->order = calloc(b->files.n, sizeof(ph_batch_item *));
  if (!b->items || !b->order)
    return ph_fail(PH_ENOMEM, "%s: out of memory", b->source);
  for (size_t i = 0; i < b->files.n; i++) {
    const char *name = b->files.name[i];
    b->order[i] = &b->items[i];
    b->items[i].file = name;
    b->items[i].named = ph_bigym_parse(&b->items[i].name, name);
    ph_escape(b->items[i].id, sizeof b->items[i].id, name, strlen(name));
  }
  return PH_OK;
}

static int compare_ids(const void *a, const void *b) {
  const ph_batch_item *x = *(ph_batch_item *const *)a, *y = *(ph_batch_item *const *)b;
  int order = strcmp(x->id, y->id);
  return order ? order : (x > y) - (x < y);
}

static int compare_renamed(const void *a, const void *b) {
  const ph_batch_item *x = *(ph_batch_item *const *)a, *y = *(ph_batch_item *const *)b;
  int order = strcmp(x->renamed, y->renamed);
  return order ? order : (x > y) - (x < y);
}

/* The first of that id that has no plan yet; else one that has; NULL: there is none. */
static ph_batch_item *find_item(ph_batch *b, const char *file) {
  char id[sizeof b->items->id];
  size_t low = 0, high = b->files.n;
  ph_escape(id, sizeof id, file, strlen(file));
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (strcmp(b->order[mid]->id, id) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  if (low == b->files.n || strcmp(b->order[low]->id, id) != 0)
    return NULL;
  while (b->order[low]->plan && low + 1 < b->files.n && strcmp(b->order[low + 1]->id, id) == 0)
    low++;
  return b->order[low];
}

static ph_status place_lines(ph_batch *b, const ph_cut_episode *plan, size_t n) {
  qsort(b->order, b->files.n, sizeof(ph_batch_item *), compare_ids);
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
  return PH_OK;
}

static ph_status match_list(ph_batch *b, const ph_cut_episode *plan, size_t n) {
  ph_status status = place_lines(b, plan, n);
  for (size_t i = 0; status == PH_OK && i < b->files.n; i++) {
    const ph_batch_item *item = &b->items[i];
    if (!item->named && !(item->plan && item->plan->dropped))
      return ph_batch_refuse_name(b, item);
    if (!item->plan)
      return ph_fail(PH_EINVAL, "%s: the list does not name %s", b->source, item->id);
  }
  if (status == PH_OK && b->kept == 0)
    status = ph_fail(PH_ENOTFOUND, "%s: no episode is kept", b->source);
  return status;
}

/* Two files of one moment and index would get one name where they are cut to one length. */
static ph_status check_names(const ph_batch *b) {
  qsort(b->order, b->files.n, sizeof(ph_batch_item *), compare_renamed);
  for (size_t i = 1; i < b->files.n; i++) {
    const ph_batch_item *x = b->order[i - 1], *y = b->order[i];
    if (x->renamed[0] && strcmp(x->renamed, y->renamed) == 0)
      return ph_fail(PH_EINVAL, "%s: %s and %s would both become %s", b->source, x->file, y->file,
                     y->renamed);
  }
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
  ph_status status = ph_folder_create_hidden(&b->folder, b->out);
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
  *t = (ph_cut_tally)PH_CUT_TALLY_NONE;
  for (size_t i = 0; i < b->files.n; i++)
    ph_cut_tally_add(t, b->items[i].plan, b->items[i].frames - 1);
}

static void clear(ph_batch *b) {
  drop_folder(b);
  free(b->folder);
  free(b->items);
  free(b->order);
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
  return status == PH_OK ? ph_batch_texts(&b) : status;
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
  ph_status status = list_files(&b);
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
