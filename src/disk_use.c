#include "disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index.h"

enum { LOOKS = 64 }; /* files in one look */

/* Files whose size changes: an env's journal; or that of an episode which has ended, until its file
 * is in its place and its journal serves another. */
typedef struct growing {
  int env_id;
  int64_t episode; /* -1: the env's journal */
  int64_t actions;
  bool placed;   /* the episode's file is, and is counted */
  int64_t bytes; /* of the journal, at the last look */
} growing;

struct ph_disk_use {
  char dir[4096];
  pthread_mutex_t lock;
  growing *files; /* the envs' journals first */
  size_t n, room, next;
  int64_t settled; /* of files that stay as they are */
  int64_t moving;  /* sum of files[].bytes */
  int64_t index;
};

/* 0 where there is no such file. */
static int64_t size_of(const ph_disk_use *use, const char *name) {
  char path[sizeof use->dir + 300];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", use->dir, name);
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_blocks * 512 : 0;
}

static bool settles(const char *name) {
  int env_id;
  int64_t episode, actions;
  return strcmp(name, "run.h5") == 0 || ph_index_parse_name(name, &env_id, &episode, &actions);
}

static void count_folder(ph_disk_use *use) {
  DIR *dir = opendir(use->dir);
  const struct dirent *entry;
  while (dir && (entry = readdir(dir)))
    if (settles(entry->d_name))
      use->settled += size_of(use, entry->d_name);
  if (dir)
    closedir(dir);
}

ph_disk_use *ph_disk_use_new(const char *dir, int envs) {
  ph_disk_use *use = calloc(1, sizeof *use);
  growing *files = calloc((size_t)envs + 1, sizeof *files);
  if (!use || !files) {
    free(use);
    free(files);
    return NULL;
  }
  pthread_mutex_init(&use->lock, NULL);
  snprintf(use->dir, sizeof use->dir, "%s", dir);
  use->files = files;
  use->room = (size_t)envs + 1;
  for (int i = 0; i < envs; i++)
    files[use->n++] = (growing){.env_id = i, .episode = -1};
  count_folder(use);
  return use;
}

void ph_disk_use_free(ph_disk_use *use) {
  if (!use)
    return;
  pthread_mutex_destroy(&use->lock);
  free(use->files);
  free(use);
}

/* The episode's file; 0: it is not in its place. */
static int64_t episode_size(const ph_disk_use *use, const growing *file) {
  char name[PH_INDEX_NAME_SIZE];
  if (file->episode < 0)
    return 0;
  ph_index_file_name(name, sizeof name, file->env_id, file->episode, file->actions);
  return size_of(use, name);
}

/* Without memory an episode that is kept is not counted. */
static void watch(ph_disk_use *use, const growing *file) {
  if (use->n == use->room) {
    growing *more = realloc(use->files, 2 * use->room * sizeof *more);
    if (!more)
      return;
    use->files = more;
    use->room *= 2;
  }
  use->files[use->n++] = *file;
}

/* False: nothing of it changes any more. */
static bool look(ph_disk_use *use, growing *file) {
  char name[PH_INDEX_NAME_SIZE];
  int64_t bytes = file->placed ? 0 : episode_size(use, file);
  file->placed = file->placed || bytes > 0;
  use->settled += bytes;
  use->moving -= file->bytes;
  ph_index_journal_name(name, sizeof name, file->env_id, file->episode);
  file->bytes = size_of(use, name);
  use->moving += file->bytes;
  return !file->placed || file->bytes > 0;
}

/* All of them where they are no more than that: from the first on, since what goes is replaced by
 * the last, which must not have been looked at already. */
static void look_at_some(ph_disk_use *use, size_t looks) {
  if (use->n <= looks) {
    use->next = 0;
    looks = use->n;
  }
  for (size_t k = 0; k < looks && use->n > 0; k++) {
    use->next = use->next < use->n ? use->next : 0;
    if (look(use, &use->files[use->next]))
      use->next++;
    else
      use->files[use->next] = use->files[--use->n];
  }
}

/* Nobody need ask for the sum: so that the list does not grow with the episodes, two are looked at
 * for each that comes. */
void ph_disk_use_add(ph_disk_use *use, int env_id, int64_t episode, int64_t actions) {
  growing file = {.env_id = env_id, .episode = episode, .actions = actions};
  if (!use)
    return;
  pthread_mutex_lock(&use->lock);
  if (look(use, &file))
    watch(use, &file);
  look_at_some(use, 2);
  pthread_mutex_unlock(&use->lock);
}

int64_t ph_disk_use_now(ph_disk_use *use) {
  if (!use)
    return 0;
  pthread_mutex_lock(&use->lock);
  look_at_some(use, LOOKS);
  use->index = size_of(use, "index");
  int64_t bytes = use->settled + use->moving + use->index;
  pthread_mutex_unlock(&use->lock);
  return bytes;
}
