#include "store.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "index.h"

/* --- run directory --- */

static char *join(const char *dir, const char *name) {
  char *path;
  return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* dir/run.h5 where there is one; NULL otherwise or when memory is out (then the status says so). */
static ph_status find_run_file(char **out, const char *dir) {
  *out = join(dir, "run.h5");
  if (!*out)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (access(*out, F_OK) != 0) {
    free(*out);
    *out = NULL;
  }
  return PH_OK;
}

static ph_status scan_run(ph_home *home, ph_entry **entries, size_t *n, const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/')
    length--;
  char *dir = strndup(path, length);
  if (!dir)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  snprintf(home->layout, sizeof home->layout, "run");
  ph_status status = find_run_file(&home->facts, dir);
  if (status == PH_OK)
    status = ph_index_load(entries, n, dir);
  if (status == PH_OK && *n == 0 && !home->facts)
    status = ph_fail(PH_EFORMAT, "%s: it holds neither run.h5 nor episodes", path);
  free(dir);
  return status;
}

/* --- one file --- */

typedef struct name_list {
  char **at;
  size_t n, room;
} name_list;

static ph_status add_name(void *arg, const char *name, bool is_group) {
  name_list *list = arg;
  if (!is_group)
    return PH_OK;
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 64;
    char **at = realloc(list->at, room * sizeof *at);
    if (!at)
      return ph_fail(PH_ENOMEM, "/data: out of memory");
    list->at = at;
    list->room = room;
  }
  list->at[list->n] = strdup(name);
  return list->at[list->n] ? (list->n++, PH_OK) : ph_fail(PH_ENOMEM, "/data: out of memory");
}

static int compare_names(const void *a, const void *b) {
  return ph_natural_compare(*(char *const *)a, *(char *const *)b);
}

static int compare_ids(const void *a, const void *b) {
  return ph_natural_compare(((const ph_entry *)a)->id, ((const ph_entry *)b)->id);
}

static ph_status list_demos(name_list *list, hid_t data) {
  ph_status status = ph_h5_list(data, add_name, list);
  if (list->n > 1)
    qsort(list->at, list->n, sizeof *list->at, compare_names);
  return status;
}

/* Whether a row of /index can be true. */
static bool is_possible(const ph_entry *row) {
  bool numbers = row->actions >= 0 && row->env_id >= 0 && row->episode >= 0 && row->success >= -1 &&
                 row->success <= 1 &&
                 (row->states == row->actions || row->states == row->actions + 1);
  bool hashes = (!row->model_sha256[0] || ph_meta_is_sha256(row->model_sha256)) &&
                (!row->task_sha256[0] || ph_meta_is_sha256(row->task_sha256));
  return numbers && hashes && row->id[0] && !strchr(row->id, '/');
}

/* The row for a name, taken in order; NULL: there is none that can be true. */
static const ph_entry *index_row(const ph_entry *rows, size_t n, size_t *next, const char *name) {
  while (*next < n && ph_natural_compare(rows[*next].id, name) < 0)
    ++*next;
  if (*next == n || strcmp(rows[*next].id, name) != 0)
    return NULL;
  const ph_entry *row = &rows[(*next)++];
  return is_possible(row) ? row : NULL;
}

/* Whether the sorted rows are taken as they are: as many as there are groups, each another one. A
 * look at every group would take longer than all the rest. */
static bool is_whole(const ph_entry *rows, size_t n, hid_t data) {
  size_t groups = 0;
  if (ph_h5_count(data, &groups) != PH_OK || groups != n || n == 0)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!is_possible(&rows[i]) || (i > 0 && strcmp(rows[i - 1].id, rows[i].id) == 0))
      return false;
  return true;
}

/* An episode without a usable row: from its group, or only what is wrong with it. */
static void entry_from_group(ph_entry *e, hid_t h5, const char *path, const char *name,
                             const char *group) {
  if (ph_episode_peek_in(e, h5, path, group) == PH_OK)
    return;
  memset(e, 0, sizeof *e);
  ph_escape(e->id, sizeof e->id, name, strlen(name));
  e->success = -1;
  e->end_reason = PH_END_UNKNOWN;
  ph_oddity(e->oddity, sizeof e->oddity, path);
}

/* The groups are right; rows of the index only spare the look into them. */
static void fill_entries(ph_entry *entries, const name_list *names, const ph_entry *rows,
                         size_t nrows, hid_t h5, const char *path) {
  size_t next = 0;
  for (size_t i = 0; i < names->n; i++) {
    ph_entry *e = &entries[i];
    char group[sizeof e->group + 256];
    snprintf(group, sizeof group, "/data/%.300s", names->at[i]);
    const ph_entry *row = index_row(rows, nrows, &next, names->at[i]);
    if (row)
      *e = *row;
    else
      entry_from_group(e, h5, path, names->at[i], group);
    snprintf(e->file, sizeof e->file, "%s", path);
    snprintf(e->group, sizeof e->group, "%.*s", (int)sizeof e->group - 1, group);
  }
}

/* Rows of /index in natural order. One that cannot be read is left out, and *fault says why. */
static void read_index(ph_entry **rows, size_t *n, char *fault, size_t size, hid_t h5,
                       const char *path) {
  *rows = NULL;
  *n = 0;
  ph_status status = ph_h5_index(rows, n, h5);
  if (status && status != PH_ENOTFOUND)
    ph_oddity(fault, size, path);
  if (status)
    return;
  bool sorted = true;
  for (size_t i = 1; i < *n && sorted; i++)
    sorted = compare_ids(&(*rows)[i - 1], &(*rows)[i]) <= 0;
  if (!sorted)
    qsort(*rows, *n, sizeof **rows, compare_ids);
}

/* One entry per group below /data. */
static ph_status scan_groups(ph_entry **entries, size_t *n, const ph_entry *rows, size_t nrows,
                             hid_t data, hid_t h5, const char *path) {
  name_list names = {0};
  ph_status status = list_demos(&names, data);
  if (status == PH_OK && !(*entries = calloc(names.n + 1, sizeof **entries)))
    status = ph_fail(PH_ENOMEM, "%zu episodes: out of memory", names.n);
  if (status == PH_OK) {
    fill_entries(*entries, &names, rows, nrows, h5, path);
    *n = names.n;
  }
  for (size_t i = 0; i < names.n; i++)
    free(names.at[i]);
  free(names.at);
  return status;
}

static ph_status scan_demos(ph_entry **entries, size_t *n, hid_t h5, const char *path) {
  hid_t data = H5I_INVALID_HID;
  ph_entry *rows = NULL;
  size_t nrows = 0;
  char fault[sizeof((ph_entry *)0)->oddity] = "";
  ph_status status = ph_file_group(&data, h5, "/data");
  if (data < 0)
    goto out;
  read_index(&rows, &nrows, fault, sizeof fault, h5, path);
  if (is_whole(rows, nrows, data)) {
    for (size_t i = 0; i < nrows; i++)
      memcpy(rows[i].file, path, strlen(path) + 1);
    *entries = rows;
    *n = nrows;
    rows = NULL;
  } else {
    status = scan_groups(entries, n, rows, nrows, data, h5, path);
  }
  if (fault[0] && *n > 0 && !(*entries)[0].oddity[0])
    memcpy((*entries)[0].oddity, fault, sizeof fault);
out:
  ph_h5_close(data);
  free(rows);
  return ph_file_fail(status, path, NULL);
}

/* A file of a run keeps its name's id and finds models in the run.h5 beside it. */
static ph_status adopt_run(ph_home *home, ph_entry *entries, size_t n, const char *path) {
  int env_id;
  int64_t episode, actions;
  char *copy = strdup(path), *again = strdup(path);
  ph_status status = PH_OK;
  if (!copy || !again)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", path);
  if (status == PH_OK && n == 1 && ph_index_parse_name(basename(copy), &env_id, &episode, &actions))
    snprintf(entries[0].id, sizeof entries[0].id, "env%03d_ep%06lld", env_id, (long long)episode);
  if (status == PH_OK)
    status = find_run_file(&home->facts, dirname(again));
  free(copy);
  free(again);
  return status;
}

/* Takes h5. */
static ph_status scan_own(ph_home *home, ph_entry **entries, size_t *n, const char *path,
                          hid_t h5) {
  ph_episode_meta origin = {0};
  ph_status status = ph_file_fail(ph_meta_root(&origin, h5), path, NULL);
  if (status == PH_OK)
    status = scan_demos(entries, n, h5, path);
  bool models = false, index = false;
  if (status == PH_OK)
    status = ph_file_fail(ph_file_has(&models, h5, "/models"), path, NULL);
  if (status == PH_OK)
    status = ph_file_fail(ph_file_has(&index, h5, "/index"), path, NULL);
  ph_h5_close(h5);
  if (status)
    return status;
  bool dataset = models || index;
  snprintf(home->layout, sizeof home->layout, "%s", dataset ? "dataset" : "episode file");
  if (!dataset)
    return adopt_run(home, *entries, *n, path);
  home->facts = strdup(path);
  return home->facts ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
}

/* Whether a file says that it is ours, or would if it were not damaged. */
static bool is_own(hid_t h5) {
  char format[32] = "";
  ph_status status = ph_h5_attr_string(h5, "format", format, sizeof format);
  if (status == PH_OK && strcmp(format, PH_FORMAT_NAME) == 0)
    return true;
  return status != PH_ENOTFOUND && ph_h5_has_attr(h5, "format_version");
}

const ph_reader *ph_store_reader(const char *path, bool folder, hid_t h5) {
  return !folder && is_own(h5) ? NULL : ph_reader_for(path, folder, h5);
}

static ph_status scan_file(ph_home *home, ph_entry **entries, size_t *n, const char *path) {
  hid_t h5 = H5I_INVALID_HID;
  home->reader = ph_reader_plain(path);
  if (home->reader)
    return ph_store_scan_foreign(home, entries, n, H5I_INVALID_HID);
  ph_status status = ph_file_open(&h5, path);
  if (status)
    return status;
  home->reader = ph_store_reader(path, false, h5);
  return home->reader ? ph_store_scan_foreign(home, entries, n, h5)
                      : scan_own(home, entries, n, path, h5);
}

/* A folder is a run unless it is somebody else's. */
static ph_status scan_folder(ph_home *home, ph_entry **entries, size_t *n, const char *path) {
  char *run = NULL;
  ph_status status = find_run_file(&run, path);
  if (status == PH_OK && !run)
    home->reader = ph_store_reader(path, true, H5I_INVALID_HID);
  free(run);
  if (status == PH_OK && home->reader)
    return ph_store_scan_foreign(home, entries, n, H5I_INVALID_HID);
  return status == PH_OK ? scan_run(home, entries, n, path) : status;
}

/* run.h5 stands for its folder. */
static ph_status scan_run_of(ph_home *home, ph_entry **entries, size_t *n, const char *path) {
  char *copy = strdup(path);
  ph_status status = copy ? scan_run(home, entries, n, dirname(copy))
                          : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  free(copy);
  return status;
}

ph_status ph_store_scan(ph_home *home, ph_entry **entries, size_t *n, const char *path) {
  struct stat st;
  const char *slash = strrchr(path, '/');
  *entries = NULL;
  *n = 0;
  if (strlen(path) >= sizeof((ph_entry *)0)->file)
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", path);
  home->path = strdup(path);
  if (!home->path)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  if (stat(path, &st) != 0)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return scan_folder(home, entries, n, path);
  if (strcmp(slash ? slash + 1 : path, "run.h5") == 0)
    return scan_run_of(home, entries, n, path);
  return scan_file(home, entries, n, path);
}
