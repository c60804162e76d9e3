/* A run's list of episodes, as a whole: appending to it, and comparing it with the folder. */
#include "index_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"

/* --- writing --- */

/* Appends whole; what a full disk or a killed writer left of a record is cut off. */
static ph_status append(int fd, const char *path, const unsigned char record[PH_INDEX_RECORD]) {
  struct stat st;
  if (fstat(fd, &st) != 0)
    return ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  off_t whole = st.st_size - st.st_size % PH_INDEX_RECORD;
  if (whole != st.st_size && ftruncate(fd, whole) != 0)
    return ph_fail(PH_EIO, "%s: a torn record cannot be cut off: %s", path, strerror(errno));
  int error = ph_file_write(fd, (uint64_t)whole, record, PH_INDEX_RECORD);
  if (error && fstat(fd, &st) == 0 && st.st_size % PH_INDEX_RECORD != 0 &&
      ftruncate(fd, whole) != 0)
    error = errno;
  if (!error)
    return PH_OK;
  return ph_fail(PH_EIO, "%s: a record cannot be written: %s", path, strerror(error));
}

static ph_status prepare(unsigned char record[PH_INDEX_RECORD], const char *dir,
                         const ph_entry *entry) {
  if (ph_index_record_put(record, entry))
    return PH_OK;
  return ph_fail(PH_EINVAL, "%s/index: %s: its facts do not fit a record", dir, entry->file);
}

static ph_status append_record(int folder, const char *dir,
                               const unsigned char record[PH_INDEX_RECORD]) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = openat(folder, "index", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: cannot be opened for writing: %s", path, strerror(errno));
  ph_status status = append(fd, path, record);
  if (close(fd) != 0 && status == PH_OK)
    status = ph_fail(PH_EIO, "%s: closing it failed: %s", path, strerror(errno));
  return status;
}

ph_status ph_index_append_in(int folder, const char *dir, const ph_entry *entry) {
  unsigned char record[PH_INDEX_RECORD];
  ph_status status = prepare(record, dir, entry);
  return status ? status : append_record(folder, dir, record);
}

ph_status ph_index_append(const char *dir, const ph_entry *entry) {
  unsigned char record[PH_INDEX_RECORD];
  ph_status status = prepare(record, dir, entry);
  if (status)
    return status;
  int folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return ph_fail(PH_EIO, "%s/index: cannot be opened for writing: %s", dir, strerror(errno));
  status = append_record(folder, dir, record);
  close(folder);
  return status;
}

/* --- reading --- */

typedef struct named_list {
  ph_index_named *at;
  size_t n, room;
} named_list;

static int named_compare(const void *a, const void *b) {
  const ph_index_named *x = a, *y = b;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  if (x->actions != y->actions)
    return x->actions < y->actions ? -1 : 1;
  return x->record < y->record ? -1 : x->record > y->record;
}

static bool list_add(named_list *list, ph_index_named item) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 256;
    ph_index_named *at = realloc(list->at, room * sizeof *at);
    if (!at)
      return false;
    list->at = at;
    list->room = room;
  }
  list->at[list->n++] = item;
  return true;
}

static void list_sort(named_list *list) {
  bool sorted = true;
  for (size_t i = 1; i < list->n && sorted; i++)
    sorted = named_compare(&list->at[i - 1], &list->at[i]) <= 0;
  if (!sorted)
    qsort(list->at, list->n, sizeof *list->at, named_compare);
}

/* Zeroed memory, to be freed. Twenty thousand entries are 22 MB: in pages of 4 kB their first touch
 * would cost more than everything else (145 ms against 2 ms in a virtual machine). */
static void *big_new(size_t size) {
  const size_t page = (size_t)2 << 20;
  if (size < page || size > SIZE_MAX / 2)
    return calloc(1, size + 1);
  size = (size + page - 1) / page * page;
  void *memory = aligned_alloc(page, size);
  if (!memory)
    return NULL;
  madvise(memory, size, MADV_HUGEPAGE);
  return memset(memory, 0, size);
}

/* The whole index; *out NULL and *n 0 when there is none. */
static ph_status read_records(unsigned char **out, size_t *n, const char *dir) {
  char path[4096];
  ph_status status = PH_OK;
  struct stat st;
  size_t size = 0, got = 0;
  *out = NULL;
  *n = 0;
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return PH_OK;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
    goto out;
  size = (size_t)st.st_size - (size_t)st.st_size % PH_INDEX_RECORD;
  *out = size > 0 ? big_new(size) : NULL;
  if (size > 0 && !*out) {
    status = ph_fail(PH_ENOMEM, "%s: %zu bytes: out of memory", path, size);
    goto out;
  }
  while (got < size) {
    ssize_t r = pread(fd, *out + got, size - got, (off_t)got);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      break;
    got += (size_t)r;
  }
  *n = got / PH_INDEX_RECORD;
out:
  close(fd);
  return status;
}

/* False: out of memory. */
static bool list_records(named_list *list, const unsigned char *records, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ph_index_named item = {.record = i};
    if (ph_index_record_name(&item, records + i * PH_INDEX_RECORD) && !list_add(list, item))
      return false;
  }
  list_sort(list);
  return true;
}

static ph_status list_folder(named_list *list, const char *dir) {
  DIR *d = opendir(dir);
  struct dirent *entry;
  if (!d)
    return ph_fail(PH_EIO, "%s: cannot be listed: %s", dir, strerror(errno));
  ph_status status = PH_OK;
  while ((entry = readdir(d))) {
    ph_index_named item = {.record = SIZE_MAX};
    if (!ph_index_parse_name(entry->d_name, &item.env_id, &item.episode, &item.actions))
      continue;
    if (!list_add(list, item)) {
      status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
      break;
    }
  }
  closedir(d);
  list_sort(list);
  return status;
}

static bool same_episode(const ph_index_named *a, const ph_index_named *b) {
  return a->env_id == b->env_id && a->episode == b->episode;
}

/* Adds to the files the records whose episode has none: it was there, and is lost. */
static bool list_lost(named_list *files, const named_list *listed) {
  size_t n = files->n;
  for (size_t i = 0, j = 0; j < listed->n; j++) {
    const ph_index_named *item = &listed->at[j];
    if (j + 1 < listed->n && same_episode(item, item + 1))
      continue;
    while (i < n && !same_episode(&files->at[i], item) && named_compare(&files->at[i], item) < 0)
      i++;
    if ((i == n || !same_episode(&files->at[i], item)) && !list_add(files, *item))
      return false;
  }
  list_sort(files);
  return true;
}

static void note_lost(ph_entry *e) {
  snprintf(e->oddity, sizeof e->oddity, "the index names %s, which is not in the folder",
           strrchr(e->file, '/') + 1);
}

/* Walks both sorted lists; the last record of a file wins. */
static ph_status merge(ph_entry *entries, const char *dir, const named_list *files,
                       const named_list *listed, const unsigned char *records) {
  size_t j = 0;
  for (size_t i = 0; i < files->n; i++) {
    const unsigned char *record = NULL;
    ph_index_named key = files->at[i];
    key.record = 0;
    while (j < listed->n && named_compare(&listed->at[j], &key) < 0)
      j++;
    for (; j < listed->n; j++) {
      ph_index_named next = listed->at[j];
      next.record = 0;
      if (named_compare(&next, &key) != 0)
        break;
      record = records + listed->at[j].record * PH_INDEX_RECORD;
    }
    ph_status status = ph_index_fill(&entries[i], dir, &files->at[i], record);
    if (status)
      return status;
    if (files->at[i].record != SIZE_MAX)
      note_lost(&entries[i]);
    if (i > 0 && strcmp(entries[i].id, entries[i - 1].id) == 0 && !entries[i].oddity[0])
      snprintf(entries[i].oddity, sizeof entries[i].oddity,
               "the run has two files of this episode");
  }
  return PH_OK;
}

ph_status ph_index_load(ph_entry **out, size_t *n, const char *dir) {
  unsigned char *records = NULL;
  named_list files = {0}, listed = {0};
  ph_entry *entries = NULL;
  size_t nrecords;
  *out = NULL;
  *n = 0;
  /* The index first: whatever it names is in the folder by the time that is listed. */
  ph_status status = read_records(&records, &nrecords, dir);
  if (status == PH_OK && !list_records(&listed, records, nrecords))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (status == PH_OK)
    status = list_folder(&files, dir);
  if (status == PH_OK && !list_lost(&files, &listed))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (status)
    goto out;
  entries = big_new((files.n + 1) * sizeof *entries);
  status = entries ? merge(entries, dir, &files, &listed, records)
                   : ph_fail(PH_ENOMEM, "%s: %zu episodes: out of memory", dir, files.n);
  if (status)
    goto out;
  *out = entries;
  *n = files.n;
  entries = NULL;
out:
  free(entries);
  free(files.at);
  free(listed.at);
  free(records);
  return status;
}
