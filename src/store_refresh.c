/* A run that somebody records into while it is open. The index says what came, in the order in
 * which it ended; the folder says what is there. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "episode_file.h"
#include "fail.h"
#include "index.h"
#include "probe.h"
#include "sniff.h"

enum {
  LOOKS = 16,  /* files without a record that are opened in one refresh */
  COARSE_S = 2 /* changes of a folder that are nearer in time may look the same [s] */
};

/* --- places --- */

static int compare_places(const void *a, const void *b) {
  const ph_run_file *x = a, *y = b;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  return x->actions < y->actions ? -1 : x->actions > y->actions;
}

/* Where a place is, or would be. */
static size_t find_place(const ph_run_file *at, size_t n, const ph_run_file *place) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_places(&at[middle], place) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has_place(const ph_run_file *at, size_t n, const ph_run_file *place) {
  size_t i = find_place(at, n, place);
  return i < n && compare_places(&at[i], place) == 0;
}

static bool place_of(ph_run_file *place, const char *file) {
  const char *slash = strrchr(file, '/');
  return ph_index_parse_name(slash ? slash + 1 : file, &place->env_id, &place->episode,
                             &place->actions);
}

static bool make_room(ph_run_file **at, size_t n, size_t *room) {
  if (n <= *room)
    return true;
  size_t more = n > 2 * *room ? n : 2 * *room;
  ph_run_file *all = realloc(*at, more * sizeof *all);
  if (!all)
    return false;
  *at = all;
  *room = more;
  return true;
}

/* Into a sorted array with room for one more. */
static void insert_place(ph_run_file *at, size_t n, const ph_run_file *place) {
  size_t i = find_place(at, n, place);
  memmove(&at[i + 1], &at[i], (n - i) * sizeof *at);
  at[i] = *place;
}

/* Whether another file is of the same episode. */
static bool has_twin(const ph_run_file *at, size_t n, const ph_run_file *place) {
  const ph_run_file first = {place->env_id, place->episode, INT64_MIN};
  for (size_t i = find_place(at, n, &first); i < n; i++) {
    if (at[i].env_id != place->env_id || at[i].episode != place->episode)
      return false;
    if (at[i].actions != place->actions)
      return true;
  }
  return false;
}

/* --- one round --- */

typedef struct round {
  ph_store *store;
  size_t home;
  const char *dir;
  ph_run_seen *seen;
  ph_run_file *files; /* owned, sorted: what is in the folder */
  size_t nfiles, files_room;
  ph_run_file *taken; /* owned, sorted: what is in fresh */
  size_t taken_room;
  ph_entry *fresh; /* owned: to be added */
  size_t n, room;
  size_t record; /* of the index that comes next */
  bool rest;     /* some files were left for the next round */
} round;

static ph_status no_memory(const round *r) {
  return ph_fail(PH_ENOMEM, "%s: out of memory", r->dir);
}

/* The entries that the run had when it was opened. */
static ph_status know_entries(round *r) {
  ph_run_seen *seen = r->seen;
  if (seen->known)
    return PH_OK;
  seen->room = r->store->n + 64;
  seen->known = malloc(seen->room * sizeof *seen->known);
  if (!seen->known)
    return no_memory(r);
  for (size_t i = 0; i < r->store->n; i++)
    if (r->store->home_of[i] == r->home &&
        place_of(&seen->known[seen->nknown], r->store->entries[i].file))
      seen->nknown++;
  if (seen->nknown > 0)
    qsort(seen->known, seen->nknown, sizeof *seen->known, compare_places);
  return PH_OK;
}

static ph_status list_files(round *r) {
  DIR *dir = opendir(r->dir);
  ph_status status = PH_OK;
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be listed: %s", r->dir, strerror(errno));
  for (struct dirent *entry; status == PH_OK && (entry = readdir(dir));) {
    ph_run_file place;
    if (!place_of(&place, entry->d_name))
      continue;
    if (make_room(&r->files, r->nfiles + 1, &r->files_room))
      r->files[r->nfiles++] = place;
    else
      status = no_memory(r);
  }
  closedir(dir);
  if (r->nfiles > 1)
    qsort(r->files, r->nfiles, sizeof *r->files, compare_places);
  return status;
}

static ph_status take(round *r, const ph_entry *entry, const ph_run_file *place) {
  if (r->n == r->room) {
    size_t room = r->room ? 2 * r->room : 8;
    ph_entry *all = realloc(r->fresh, room * sizeof *all);
    if (!all)
      return no_memory(r);
    r->fresh = all;
    r->room = room;
  }
  if (!make_room(&r->taken, r->n + 1, &r->taken_room))
    return no_memory(r);
  insert_place(r->taken, r->n, place);
  r->fresh[r->n++] = *entry;
  return PH_OK;
}

static bool is_known(const round *r, const ph_run_file *place) {
  return has_place(r->seen->known, r->seen->nknown, place) || has_place(r->taken, r->n, place);
}

static ph_status take_record(void *arg, const ph_entry *entry) {
  round *r = arg;
  ph_run_file place;
  if (!place_of(&place, entry->file) || is_known(r, &place))
    return PH_OK;
  return take(r, entry, &place);
}

/* Records of files that are not there. */
static void drop_lost(round *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->n; i++) {
    ph_run_file place;
    if (!place_of(&place, r->fresh[i].file) || !has_place(r->files, r->nfiles, &place))
      continue;
    r->taken[n] = place;
    r->fresh[n++] = r->fresh[i];
  }
  r->n = n;
  if (n > 0)
    qsort(r->taken, n, sizeof *r->taken, compare_places);
}

/* A file without a record, or whose record is not written yet: a child opens it first. */
static ph_status take_file(round *r, const ph_run_file *place) {
  static const char group[] = "/data/demo_0";
  const char *const groups[] = {group};
  ph_entry entry = {.env_id = place->env_id,
                    .episode = place->episode,
                    .actions = place->actions,
                    .states = place->actions,
                    .success = -1,
                    .end_reason = PH_END_UNKNOWN};
  char name[PH_INDEX_NAME_SIZE];
  ph_index_file_name(name, sizeof name, place->env_id, place->episode, place->actions);
  if (snprintf(entry.file, sizeof entry.file, "%s/%s", r->dir, name) >= (int)sizeof entry.file)
    return ph_fail(PH_EINVAL, "%s: the path is too long", r->dir);
  snprintf(entry.id, sizeof entry.id, "%.*s", (int)(strrchr(name, '_') - name), name);
  memcpy(entry.group, group, sizeof group);
  ph_status status = ph_probe_looks(entry.file, groups, 1);
  if (status == PH_ENOMEM || status == PH_ECANCELED)
    return status;
  if (status != PH_OK ||
      ph_index_entry(&entry, r->dir, place->env_id, place->episode, place->actions) != PH_OK)
    ph_oddity(entry.oddity, sizeof entry.oddity, entry.file);
  return take(r, &entry, place);
}

static ph_status take_files(round *r) {
  ph_status status = PH_OK;
  int looks = 0;
  for (size_t i = 0; status == PH_OK && i < r->nfiles && !r->rest; i++) {
    if (is_known(r, &r->files[i]))
      continue;
    r->rest = looks++ == LOOKS;
    if (!r->rest)
      status = take_file(r, &r->files[i]);
  }
  return status;
}

/* Nothing is added, or all of it. */
static ph_status add(round *r) {
  size_t first = r->store->n;
  ph_run_seen *seen = r->seen;
  if (r->n == 0)
    return PH_OK;
  if (!make_room(&seen->known, seen->nknown + r->n, &seen->room))
    return no_memory(r);
  ph_status status = ph_store_widen_groups(r->store, r->store->n + r->n);
  size_t n = r->n;
  ph_entry *fresh = r->fresh;
  if (status != PH_OK)
    return status;
  for (size_t i = 0; i < n; i++) {
    ph_run_file place;
    bool twin = place_of(&place, fresh[i].file) &&
                (has_twin(seen->known, seen->nknown, &place) || has_twin(r->taken, n, &place));
    if (twin && !fresh[i].oddity[0])
      snprintf(fresh[i].oddity, sizeof fresh[i].oddity, "the run has two files of this episode");
  }
  r->fresh = NULL;
  r->n = r->room = 0;
  status = ph_store_add(r->store, fresh, n, r->home);
  for (size_t i = 0; status == PH_OK && i < n; i++)
    insert_place(seen->known, seen->nknown++, &r->taken[i]);
  return status == PH_OK ? ph_store_settle(r->store, r->home, first) : status;
}

static ph_status go_round(ph_store *store, size_t home, const char *dir) {
  round r = {.store = store, .home = home, .dir = dir, .seen = &store->homes[home].seen};
  r.record = r.seen->record;
  ph_status status = know_entries(&r);
  /* The index first: whatever it names is in the folder by the time that is listed. */
  if (status == PH_OK)
    status = ph_index_follow(&r.record, dir, take_record, &r);
  if (status == PH_OK)
    status = list_files(&r);
  if (status == PH_OK) {
    drop_lost(&r);
    status = take_files(&r);
  }
  if (status == PH_OK)
    status = add(&r);
  if (status == PH_OK)
    r.seen->record = r.record;
  r.seen->settled = r.seen->settled && status == PH_OK && !r.rest;
  free(r.files);
  free(r.taken);
  free(r.fresh);
  return status;
}

/* --- the run --- */

void ph_run_print(uint64_t out[3], const char *path) {
  struct stat st;
  memset(out, 0, 3 * sizeof *out);
  if (!path || stat(path, &st) != 0)
    return;
  out[0] = st.st_ino;
  out[1] = (uint64_t)st.st_size;
  out[2] = (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec;
}

char *ph_store_folder(const ph_home *home) {
  const char *path = home->path, *slash = strrchr(path, '/');
  size_t n = strlen(path);
  if (strcmp(slash ? slash + 1 : path, "run.h5") == 0)
    return !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
  while (n > 1 && path[n - 1] == '/')
    n--;
  return strndup(path, n);
}

static bool has_entries(const ph_store *store, size_t home) {
  for (size_t i = 0; i < store->n; i++)
    if (store->home_of[i] == home)
      return true;
  return false;
}

/* run.h5 is another one than it was. A run without an episode gives way to the next one. */
static ph_status learn_again(ph_store *store, size_t home, const char *dir) {
  ph_home *h = &store->homes[home];
  ph_episode_meta origin = {0};
  hid_t h5 = H5I_INVALID_HID;
  ph_status status = ph_probe_path(dir);
  if (status == PH_OK)
    status = ph_file_open(&h5, h->facts);
  if (status == PH_OK)
    status = ph_file_fail(ph_meta_root(&origin, h5), h->facts, NULL);
  ph_h5_close(h5);
  if (status)
    return status;
  if (h->run_id[0] && strcmp(h->run_id, origin.run_id) != 0 && has_entries(store, home))
    return ph_fail(PH_EIO, "%s: another run is in its place by now: open it anew", dir);
  h->fault[0] = 0;
  h->failed = PH_OK;
  return ph_store_learn(store, home);
}

static ph_status check_facts(ph_store *store, size_t home, const char *dir) {
  ph_home *h = &store->homes[home];
  uint64_t print[3];
  ph_run_print(print, h->facts);
  if (!h->facts || memcmp(print, h->seen.facts, sizeof print) == 0)
    return PH_OK;
  if (print[0] == 0)
    return ph_fail(PH_EIO, "%s: it is gone", h->facts);
  ph_status status = learn_again(store, home, dir);
  if (status == PH_OK)
    memcpy(h->seen.facts, print, sizeof print);
  return status;
}

/* An index that was made anew is read from its beginning. */
static void check_index(ph_run_seen *seen, const char *dir) {
  struct stat st;
  char path[4096];
  bool there =
      snprintf(path, sizeof path, "%s/index", dir) < (int)sizeof path && stat(path, &st) == 0;
  uint64_t inode = there ? st.st_ino : 0;
  if (inode != seen->index || (there && (uint64_t)st.st_size / PH_INDEX_RECORD < seen->record))
    seen->record = 0;
  seen->index = inode;
}

/* Whether the folder may hold something else than when it was listed. */
static bool note_folder(ph_run_seen *seen, const struct stat *st) {
  struct timespec now;
  bool same = seen->settled && st->st_ino == seen->inode && st->st_dev == seen->device &&
              st->st_ctim.tv_sec == seen->changed.tv_sec &&
              st->st_ctim.tv_nsec == seen->changed.tv_nsec;
  if (same)
    return false;
  clock_gettime(CLOCK_REALTIME, &now);
  seen->settled = now.tv_sec > st->st_ctim.tv_sec + COARSE_S;
  seen->inode = st->st_ino;
  seen->device = st->st_dev;
  seen->changed = st->st_ctim;
  return true;
}

static ph_status refresh_run(ph_store *store, size_t home, const char *dir) {
  ph_run_seen *seen = &store->homes[home].seen;
  struct stat st;
  ph_status status = PH_OK;
  if (stat(dir, &st) != 0)
    status = ph_fail(PH_EIO, "%s: cannot be opened: %s", dir, strerror(errno));
  else if (!note_folder(seen, &st))
    return PH_OK;
  if (status == PH_OK)
    status = check_facts(store, home, dir);
  if (status == PH_OK) {
    check_index(seen, dir);
    status = go_round(store, home, dir);
  }
  seen->settled = seen->settled && status == PH_OK;
  return status;
}

static bool is_run(const ph_home *home) {
  return !home->reader && strcmp(home->layout, "run") == 0;
}

ph_status ph_store_refresh(ph_store *store, size_t *added) {
  size_t before = store->n;
  ph_status status = PH_OK;
  char why[1024] = "";
  for (size_t i = 0; i < store->nhomes; i++) {
    if (!is_run(&store->homes[i]))
      continue;
    char *dir = ph_store_folder(&store->homes[i]);
    ph_status one = dir ? refresh_run(store, i, dir) : ph_fail(PH_ENOMEM, "store: out of memory");
    if (one != PH_OK && status == PH_OK) {
      status = one;
      snprintf(why, sizeof why, "%s", ph_error());
    }
    free(dir);
  }
  *added = store->n - before;
  return status == PH_OK ? PH_OK : ph_fail(status, "%s", why);
}

ph_activity ph_store_activity(const ph_store *store, size_t home) {
  if (home >= store->nhomes || !is_run(&store->homes[home]))
    return PH_NO_RUN;
  char *dir = ph_store_folder(&store->homes[home]);
  int locked = dir ? ph_folder_locked(dir) : -1;
  free(dir);
  return locked < 0 ? PH_UNKNOWN : locked ? PH_RECORDING : PH_IDLE;
}
