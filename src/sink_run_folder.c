#include "sink_run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "index.h"

char *ph_run_path(const ph_run_folder *folder, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s", folder->dir, name) < 0 ? NULL : path;
}

/* --- names --- */

static bool skip_digits(const char **text) {
  const char *from = *text;
  while (isdigit((unsigned char)**text))
    ++*text;
  return *text > from;
}

/* ".NAME.<pid>-<n>.part" of run.h5 or an episode. */
static bool is_part(const char *name) {
  char of[256];
  int env_id;
  int64_t episode, actions;
  const char *end = strstr(name, ".h5.");
  if (name[0] != '.' || !end || strlen(name) >= sizeof of)
    return false;
  snprintf(of, sizeof of, "%.*s", (int)(end + 3 - (name + 1)), name + 1);
  end += 4;
  if (!skip_digits(&end) || *end++ != '-' || !skip_digits(&end) || strcmp(end, ".part") != 0)
    return false;
  return strcmp(of, "run.h5") == 0 || ph_index_parse_name(of, &env_id, &episode, &actions);
}

static ph_run_kind kind_of(const char *name) {
  int env_id;
  int64_t episode, actions;
  if (strcmp(name, "run.h5") == 0)
    return PH_RUN_FILE;
  if (strcmp(name, "index") == 0)
    return PH_RUN_INDEX;
  if (ph_index_parse_name(name, &env_id, &episode, &actions))
    return PH_RUN_EPISODE;
  if (ph_index_parse_journal(name, &env_id, &episode))
    return PH_RUN_JOURNAL;
  return is_part(name) ? PH_RUN_PART : PH_RUN_OTHER;
}

static bool is_regular(DIR *folder, const char *name) {
  struct stat st;
  return fstatat(dirfd(folder), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

static bool list_add(ph_run_list *list, ph_run_kind kind, const char *name) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 64;
    ph_run_name *at = realloc(list->at, room * sizeof *at);
    if (!at)
      return false;
    list->at = at;
    list->room = room;
  }
  ph_run_name *to = &list->at[list->n++];
  to->kind = kind;
  snprintf(to->name, sizeof to->name, "%s", name);
  list->count[kind]++;
  return true;
}

ph_status ph_run_list_read(ph_run_list *list, const char *dir) {
  *list = (ph_run_list){0};
  DIR *folder = opendir(dir);
  if (!folder)
    return ph_fail(PH_EIO, "%s: cannot be listed: %s", dir, strerror(errno));
  ph_status status = PH_OK;
  errno = 0;
  for (struct dirent *e; !status && (e = readdir(folder)); errno = 0) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    ph_run_kind kind = kind_of(e->d_name);
    if (kind != PH_RUN_OTHER && e->d_type != DT_REG && !is_regular(folder, e->d_name))
      kind = PH_RUN_OTHER;
    if (!list_add(list, kind, e->d_name))
      status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  }
  if (!status && errno)
    status = ph_fail(PH_EIO, "%s: cannot be listed: %s", dir, strerror(errno));
  closedir(folder);
  if (status)
    ph_run_list_clear(list);
  return status;
}

const char *ph_run_list_first(const ph_run_list *list, ph_run_kind kind) {
  for (size_t i = 0; i < list->n; i++)
    if (list->at[i].kind == kind)
      return list->at[i].name;
  return NULL;
}

void ph_run_list_clear(ph_run_list *list) {
  free(list->at);
  *list = (ph_run_list){0};
}

/* --- the folder --- */

static ph_status open_and_lock(ph_run_folder *folder) {
  struct stat st;
  folder->fd = open(folder->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->fd < 0)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", folder->dir, strerror(errno));
  if (fstat(folder->fd, &st) != 0)
    return ph_fail(PH_EIO, "%s: cannot be looked at: %s", folder->dir, strerror(errno));
  folder->device = st.st_dev;
  folder->inode = st.st_ino;
  folder->locked = flock(folder->fd, LOCK_EX | LOCK_NB) == 0;
  folder->lock_error = folder->locked ? 0 : errno;
  if (folder->lock_error == EWOULDBLOCK)
    return ph_fail(PH_EEXIST, "%s: another process records into it", folder->dir);
  return PH_OK;
}

/* Cuts the last name of a path off, and slashes before it; "" or "/": there is no more. */
static void cut_name(char *path) {
  char *slash = strrchr(path, '/');
  if (!slash)
    slash = path;
  while (slash > path && slash[-1] == '/')
    slash--;
  slash[slash == path && *slash == '/' ? 1 : 0] = 0;
}

static char *without_slashes(const char *path) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  return strndup(path, n);
}

/* How many names at the end of the path are not there. */
static size_t count_absent(const char *dir) {
  size_t n = 0;
  char *path = without_slashes(dir);
  struct stat st;
  while (path && *path && strcmp(path, "/") != 0 && lstat(path, &st) != 0) {
    cut_name(path);
    n++;
  }
  free(path);
  return n;
}

/* Syncs the folders in which the last n names of the path are. */
static ph_status sync_made(const char *dir, size_t n) {
  char *path = without_slashes(dir);
  int error = path ? 0 : ENOMEM;
  for (; n > 0 && !error && *path; n--) {
    error = ph_file_sync_folder(path);
    cut_name(path);
  }
  free(path);
  return error
             ? ph_fail(PH_EIO, "%s: the folder above it cannot be synced: %s", dir, strerror(error))
             : PH_OK;
}

static ph_status create_and_sync(ph_run_folder *folder) {
  size_t absent = count_absent(folder->dir);
  ph_status status = ph_folder_create(folder->dir, &folder->made);
  folder->made = folder->made || (!status && absent > 0); /* slashes at its end hide it */
  if (!status && folder->made)
    status = sync_made(folder->dir, absent);
  if (status && folder->made) {
    rmdir(folder->dir);
    folder->made = false;
  }
  return status;
}

ph_status ph_run_folder_open(ph_run_folder *folder, bool create) {
  ph_status status = create ? create_and_sync(folder) : PH_OK;
  return status ? status : open_and_lock(folder);
}

/* The lock goes at once, also where a child of this process has the descriptor. */
void ph_run_folder_close(ph_run_folder *folder) {
  if (folder->fd < 0)
    return;
  if (folder->locked)
    flock(folder->fd, LOCK_UN);
  close(folder->fd);
  folder->fd = -1;
  folder->locked = false;
}

bool ph_run_folder_same(const ph_run_folder *folder) {
  struct stat st;
  return folder->fd >= 0 && stat(folder->dir, &st) == 0 && st.st_dev == folder->device &&
         st.st_ino == folder->inode;
}

/* Journals are no content: those of this recorder are put there by name. */
static ph_status check_empty(const char *dir) {
  ph_run_list list;
  ph_status status = ph_run_list_read(&list, dir);
  for (size_t i = 0; i < list.n && !status; i++)
    if (list.at[i].kind != PH_RUN_JOURNAL)
      status = ph_fail(PH_EIO,
                       "%s: another folder has taken its place while it was recorded into: it "
                       "holds %s, and nothing is written into it",
                       dir, list.at[i].name);
  ph_run_list_clear(&list);
  return status;
}

ph_status ph_run_folder_restore(ph_run_folder *folder, bool *anew) {
  struct stat st;
  *anew = false;
  if (ph_run_folder_same(folder))
    return PH_OK;
  if (stat(folder->dir, &st) == 0 && !S_ISDIR(st.st_mode))
    return ph_fail(PH_EIO, "%s: something that is no folder has taken its place", folder->dir);
  ph_run_folder now = {.dir = folder->dir, .fd = -1};
  ph_status status = ph_run_folder_open(&now, true);
  if (!status)
    status = check_empty(now.dir);
  if (status) {
    ph_run_folder_close(&now);
    if (now.made)
      rmdir(now.dir);
    return status == PH_EEXIST ? PH_EIO : status;
  }
  now.made = now.made || folder->made;
  ph_run_folder_close(folder);
  *folder = now;
  *anew = true;
  return PH_OK;
}
