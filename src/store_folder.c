/* A folder of files of other recorders stands for its files. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "index.h"

typedef struct path_list {
  char **at;
  size_t n, room;
} path_list;

/* Takes the path. */
static ph_status add(path_list *list, char *path) {
  if (path && list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 16;
    char **at = realloc(list->at, room * sizeof *at);
    if (at) {
      list->at = at;
      list->room = room;
    }
  }
  if (!path || list->n == list->room) {
    free(path);
    return ph_fail(PH_ENOMEM, "store: out of memory");
  }
  list->at[list->n++] = path;
  return PH_OK;
}

static bool is_hdf5_name(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && name[0] != '.' && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* A run, or what is left of one. */
static bool is_run_name(const char *name) {
  int env_id;
  int64_t episode, actions;
  return strcmp(name, "run.h5") == 0 || strcmp(name, "index") == 0 ||
         ph_index_parse_name(name, &env_id, &episode, &actions);
}

static char *join(const char *folder, const char *name) {
  size_t n = strlen(folder);
  char *path;
  const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
  return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

static int compare_paths(const void *a, const void *b) {
  return ph_natural_compare(*(char *const *)a, *(char *const *)b);
}

/* Files of a folder that is no run, from list->n on; none where it is one. */
static ph_status add_files(path_list *list, const char *folder) {
  DIR *dir = opendir(folder);
  size_t first = list->n;
  ph_status status = PH_OK;
  bool run = false;
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", folder, strerror(errno));
  for (struct dirent *entry; status == PH_OK && !run && (entry = readdir(dir));) {
    struct stat st;
    char *path = is_hdf5_name(entry->d_name) ? join(folder, entry->d_name) : NULL;
    run = is_run_name(entry->d_name);
    if (is_hdf5_name(entry->d_name) && (!path || (stat(path, &st) == 0 && S_ISREG(st.st_mode))))
      status = add(list, path);
    else
      free(path);
  }
  closedir(dir);
  while (run && list->n > first)
    free(list->at[--list->n]);
  if (list->n > first)
    qsort(list->at + first, list->n - first, sizeof *list->at, compare_paths);
  return status;
}

static ph_status add_path(path_list *list, const char *path) {
  struct stat st;
  size_t first = list->n;
  ph_status status = PH_OK;
  bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  if (folder && !ph_store_reader(path, true, H5I_INVALID_HID))
    status = add_files(list, path);
  return status == PH_OK && list->n == first ? add(list, strdup(path)) : status;
}

ph_status ph_store_expand(char ***out, size_t *n, const char *const *paths, size_t npaths) {
  path_list list = {0};
  ph_status status = PH_OK;
  for (size_t i = 0; i < npaths && status == PH_OK; i++)
    status = add_path(&list, paths[i]);
  *out = list.at;
  *n = list.n;
  return status;
}

void ph_store_expand_free(char **paths, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(paths[i]);
  free(paths);
}
