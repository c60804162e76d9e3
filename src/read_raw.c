#include "read_raw.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "json.h"

#define TEXT_MAX (64 << 20) /* bytes of model.xml */
#define META_MAX (16 << 20) /* and of ep_meta.json */

/* --- folders --- */

static bool is_episode_name(const char *name) {
  return strncmp(name, "ep_", 3) == 0 && name[3];
}

/* Whether a folder has a chunk; `any`: or a model. */
static bool is_episode(const char *folder, bool any) {
  struct stat st;
  char model[1024];
  ph_raw_chunks chunks;
  if ((size_t)snprintf(model, sizeof model, "%s/model.xml", folder) >= sizeof model)
    return false;
  if (any && stat(model, &st) == 0 && S_ISREG(st.st_mode))
    return true;
  if (ph_raw_chunks_list(&chunks, folder) != PH_OK)
    return false;
  bool yes = chunks.n > 0;
  ph_raw_chunks_clear(&chunks);
  return yes;
}

/* "folder/name", without a slash twice; false: too long to be opened. */
static bool join_path(char *out, size_t size, const char *folder, const char *name) {
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  return (size_t)snprintf(out, size, "%.*s%s%s", (int)n, folder,
                          n == 1 && *folder == '/' ? "" : "/", name) < size;
}

/* What a folder is called, whatever way leads to it. */
static void name_folder(char *out, size_t size, const char *path) {
  char *whole = realpath(path, NULL);
  const char *name = whole ? strrchr(whole, '/') : NULL;
  name = name && name[1] ? name + 1 : path;
  ph_escape(out, size, name, strlen(name));
  free(whole);
}

/* Whether the path is one episode, and no folder of them. Its name makes up for missing chunks. */
static bool is_single(const char *path) {
  char name[64];
  name_folder(name, sizeof name, path);
  return is_episode(path, is_episode_name(name));
}

static bool raw_detect(const char *path, hid_t h5) {
  (void)h5;
  if (is_single(path))
    return true;
  DIR *dir = opendir(path);
  bool yes = false;
  for (struct dirent *entry; dir && !yes && (entry = readdir(dir));) {
    char folder[1024];
    yes = is_episode_name(entry->d_name) && join_path(folder, sizeof folder, path, entry->d_name) &&
          is_episode(folder, true);
  }
  if (dir)
    closedir(dir);
  return yes;
}

/* --- the list of episodes --- */

/* ep_<seconds>_<fraction>: the seconds count as the episode's number, which puts them in order. */
static int64_t number_of(const char *id) {
  errno = 0;
  long long number =
      is_episode_name(id) && isdigit((unsigned char)id[3]) ? strtoll(id + 3, NULL, 10) : 0;
  return errno ? 0 : number;
}

static ph_status add_entry(ph_scan *out, const char *folder, const char *name) {
  if ((out->n & (out->n - 1)) == 0) {
    ph_entry *all = realloc(out->entries, (out->n ? 2 * out->n : 1) * sizeof *all);
    if (!all)
      return ph_fail(PH_ENOMEM, "%s: out of memory", folder);
    out->entries = all;
  }
  ph_entry *e = &out->entries[out->n];
  *e = (ph_entry){.actions = -1, .states = -1, .success = -1, .end_reason = PH_END_UNKNOWN};
  bool fits = name ? join_path(e->file, sizeof e->file, folder, name)
                   : (size_t)snprintf(e->file, sizeof e->file, "%s", folder) < sizeof e->file;
  if (!fits)
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", folder);
  if (name)
    ph_escape(e->id, sizeof e->id, name, strlen(name));
  else
    name_folder(e->id, sizeof e->id, folder);
  strcpy(e->group, "/");
  e->episode = number_of(e->id);
  out->n++;
  return PH_OK;
}

static int compare_entries(const void *a, const void *b) {
  const ph_entry *x = a, *y = b;
  int order = ph_natural_compare(x->id, y->id);
  return order ? order : strcmp(x->file, y->file);
}

static bool is_folder(const char *parent, const struct dirent *entry) {
  char path[1024];
  struct stat st;
  if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
    return entry->d_type == DT_DIR;
  return join_path(path, sizeof path, parent, entry->d_name) && stat(path, &st) == 0 &&
         S_ISDIR(st.st_mode);
}

static ph_status scan_folders(ph_scan *out, const char *path) {
  DIR *dir = opendir(path);
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", path, strerror(errno));
  ph_status status = PH_OK;
  for (struct dirent *entry; status == PH_OK && (entry = readdir(dir));)
    if (is_episode_name(entry->d_name) && is_folder(path, entry))
      status = add_entry(out, path, entry->d_name);
  closedir(dir);
  if (status == PH_OK && out->n == 0)
    status = ph_fail(PH_EFORMAT, "%s: it holds no folder of an episode, ep_...", path);
  if (out->n > 1)
    qsort(out->entries, out->n, sizeof *out->entries, compare_entries);
  return status;
}

static ph_status raw_scan(ph_scan *out, const char *path, hid_t h5) {
  (void)h5;
  memset(out, 0, sizeof *out);
  strcpy(out->layout, "robosuite raw");
  ph_status status = is_single(path) ? add_entry(out, path, NULL) : scan_folders(out, path);
  if (status)
    ph_scan_clear(out);
  return status;
}

/* --- a quick look --- */

static void odd(ph_entry *e, const char *text) {
  if (!e->oddity[0])
    ph_escape(e->oddity, sizeof e->oddity, text, strlen(text));
}

typedef struct glance {
  size_t width;  /* of a state */
  int64_t plain; /* rows of actions that are numbers */
  bool silent;   /* a chunk does not say whether it succeeded */
} glance;

/* Lengths of a chunk from its headers. */
static void look_at_chunk(ph_entry *e, glance *g, const char *name) {
  ph_npz *npz = NULL;
  char text[300];
  int64_t rows = 0;
  size_t width = 0, i = SIZE_MAX;
  if (ph_raw_chunk_open(&npz, e->file, name) != PH_OK) {
    odd(e, ph_raw_error(e->file));
    g->silent = true;
    return;
  }
  i = ph_npz_find(npz, "states");
  if (i == SIZE_MAX || !ph_raw_is_states(ph_npz_info(npz, i), &rows, &width) ||
      (rows > 0 && g->width > 0 && width != g->width)) {
    snprintf(text, sizeof text, "%s: its states cannot be joined to the others", name);
    odd(e, text);
    g->silent = true;
  } else {
    int success = ph_raw_success(npz);
    g->width = rows > 0 ? width : g->width;
    g->silent = g->silent || success < 0;
    e->states += rows;
    e->success = success > e->success ? success : e->success;
    i = ph_npz_find(npz, "actions");
    if (i != SIZE_MAX && ph_npz_info(npz, i)->numeric && ph_npz_info(npz, i)->rank > 0)
      g->plain += ph_npz_info(npz, i)->dim[0];
  }
  ph_npz_close(npz);
}

static ph_status raw_look(ph_entry *e, hid_t h5) {
  ph_raw_chunks chunks;
  glance g = {0};
  (void)h5;
  ph_status status = ph_raw_chunks_list(&chunks, e->file);
  if (status)
    return status;
  e->states = e->actions = 0;
  e->success = -1;
  for (size_t i = 0; i < chunks.n; i++)
    look_at_chunk(e, &g, chunks.name[i]);
  e->actions = g.plain < e->states ? g.plain : e->states;
  if (e->success == 0 && g.silent)
    e->success = -1;
  e->end_reason = e->success == 1 ? PH_END_SUCCESS : PH_END_UNKNOWN;
  if (e->states == 0)
    odd(e, "it holds no states");
  ph_raw_chunks_clear(&chunks);
  return PH_OK;
}

/* --- an episode --- */

/* A small file of the folder, a 0 byte behind its end. fault: why not, in words. */
static char *read_text(size_t *size, const char *path, size_t limit, char *fault, size_t room) {
  void *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int error = fd < 0 ? errno : ph_file_whole(&text, size, fd, limit);
  if (error == ENOTSUP)
    snprintf(fault, room, "it is not a regular file");
  else if (error == EFBIG)
    snprintf(fault, room, "it has more than the %zu bytes that are read", limit);
  else if (error)
    snprintf(fault, room, "%s", strerror(error));
  if (fd >= 0)
    close(fd);
  return text;
}

static void read_model(ph_foreign *out, const char *folder) {
  char why[200] = "the path is too long";
  if (join_path(out->model_path, sizeof out->model_path, folder, "model.xml"))
    out->model_text = read_text(&out->model_size, out->model_path, TEXT_MAX, why, sizeof why);
  if (!out->model_text)
    snprintf(out->model_fault, sizeof out->model_fault, "model.xml: %s", why);
}

/* What of ep_meta.json is shown, and the names of the rest. */
static void take_meta(ph_foreign *out, json_t *meta) {
  char rest[200] = "";
  size_t n = 0;
  const char *key;
  json_t *value;
  json_object_foreach(meta, key, value) {
    if (strcmp(key, "lang") == 0 && json_is_string(value))
      ph_escape(out->meta.instruction, sizeof out->meta.instruction, json_string_value(value),
                json_string_length(value));
    else if (n < sizeof rest)
      n += (size_t)snprintf(rest + n, sizeof rest - n, "%s%s", n > 0 ? ", " : "", key);
  }
  if (n > 0)
    ph_foreign_find(out, PH_FINDING_MISSING, -1, "ep_meta.json: not shown: %s%s", rest,
                    n < sizeof rest ? "" : "...");
}

static void read_meta(ph_foreign *out, const char *folder) {
  char path[1024], why[200] = "";
  struct stat st;
  size_t size = 0;
  if (!join_path(path, sizeof path, folder, "ep_meta.json") || lstat(path, &st) != 0)
    return;
  char *text = read_text(&size, path, META_MAX, why, sizeof why);
  json_error_t error;
  json_t *meta = text ? json_loadb(text, size, 0, &error) : NULL;
  if (text && !meta)
    snprintf(why, sizeof why, "line %d: %s", error.line, error.text);
  free(text);
  if (json_is_object(meta))
    take_meta(out, meta);
  else
    ph_foreign_find(out, PH_FINDING_MISSING, -1, "ep_meta.json: it cannot be read: %s",
                    why[0] ? why : "it is no JSON object");
  json_decref(meta);
}

/* ep_<seconds>_<fraction> is when it began. */
static void set_created(ph_episode_meta *m) {
  struct tm tm;
  time_t t = (time_t)m->episode;
  if (t > 1000000000 && t < 100000000000 && gmtime_r(&t, &tm))
    strftime(m->created, sizeof m->created, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void set_meta(ph_foreign *out, const ph_raw_rows *rows, const char *folder) {
  ph_episode_meta *m = &out->meta;
  name_folder(m->id, sizeof m->id, folder);
  snprintf(m->file, sizeof m->file, "%s", folder);
  strcpy(m->group, "/");
  strcpy(m->layout, "robosuite raw");
  strcpy(m->writer, "robosuite");
  m->episode = number_of(m->id);
  set_created(m);
  snprintf(m->env_name, sizeof m->env_name, "%s", rows->env);
  m->success = rows->success;
  if (rows->success >= 0)
    strcpy(m->success_source, "the chunks' successful");
}

/* Why there are states only. */
static void find_actions(ph_foreign *f) {
  int64_t pickled = -1;
  for (size_t i = 0; i < f->narrays; i++)
    if (strcmp(f->arrays[i].channel.name, "action_infos") == 0)
      pickled = f->arrays[i].channel.rows;
  if (f->actions >= 0)
    return;
  if (pickled >= 0)
    ph_foreign_find(f, PH_FINDING_MISSING, -1,
                    "%lld actions are pickled Python objects, which are not read: states only",
                    (long long)pickled);
  else
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "it holds no actions: states only");
}

static ph_status raw_open(ph_foreign *out, const char *file, const char *group, hid_t h5) {
  ph_raw_chunks chunks = {0};
  ph_raw_rows rows = {0};
  (void)group, (void)h5;
  out->states = out->actions = out->rewards = out->dones = out->success = -1;
  ph_status status = ph_raw_chunks_list(&chunks, file);
  if (status == PH_OK)
    status = ph_raw_join(&rows, out, file, &chunks);
  if (status == PH_OK && rows.states == 0)
    status = ph_fail(PH_EFORMAT, "%s: it holds no states%s%s", file, out->nfindings > 0 ? ": " : "",
                     out->nfindings > 0 ? out->findings[0].text : "");
  if (status == PH_OK)
    status = ph_raw_hand_over(out, &rows);
  if (status == PH_OK) {
    out->timed = true;
    set_meta(out, &rows, file);
    read_model(out, file);
    read_meta(out, file);
    find_actions(out);
  }
  ph_raw_rows_clear(&rows);
  ph_raw_chunks_clear(&chunks);
  if (status)
    ph_foreign_clear(out);
  return status;
}

const ph_reader ph_read_raw = {
    .name = "robosuite raw",
    .folder = true,
    .detect = raw_detect,
    .scan = raw_scan,
    .look = raw_look,
    .open = raw_open,
};
