/* BiGym's demonstrations: a folder of <timestamp>_<index>_<length>.npz beside metadata.json, or one
 * of its files. Row t of an array is what action t has led to, so the action taken at state t is
 * row t+1, and row 0 is of no action. */
#include "read_bigym.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "sniff.h"

#define ODD_NAME "its name is not <timestamp>_<index>_<length>.npz"

/* --- which paths --- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_archive(const char *path) {
  char head[4] = "";
  int fd;
  if (ph_file_regular(&fd, path) != PH_OK)
    return false;
  bool is = pread(fd, head, sizeof head, 0) == sizeof head && memcmp(head, "PK\3\4", 4) == 0;
  close(fd);
  return is;
}

/* Whether an archive of another name has the arrays. */
static bool has_arrays(const char *path) {
  static const char *const names[] = {"low_dim_obs", "full_qpos"};
  ph_npz *npz = NULL;
  char odd[300];
  bool has = false;
  if (ph_npz_open(&npz, path) != PH_OK)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    has = has || ph_npz_find(npz, names[i]) != SIZE_MAX;
  has = has && ph_bigym_frames(npz, odd, sizeof odd) > 0;
  ph_npz_close(npz);
  return has;
}

static bool detect_file(const char *path, hid_t h5) {
  ph_bigym_name name;
  (void)h5;
  return ph_bigym_parse(&name, base_name(path)) || (is_archive(path) && has_arrays(path));
}

static bool detect_folder(const char *path, hid_t h5) {
  (void)h5;
  return ph_bigym_is_batch(path);
}

/* --- the list of episodes --- */

static void folder_of(char *out, size_t size, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash)
    snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  else
    snprintf(out, size, ".");
}

/* What is odd about the metadata of a folder; "". */
static json_t *read_metadata(char *odd, size_t size, const char *folder) {
  json_t *meta = ph_bigym_metadata(folder);
  const char *format = json_string_value(json_object_get(meta, "format"));
  odd[0] = 0;
  if (!meta)
    snprintf(odd, size, "%s", ph_error());
  else if (!format || strcmp(format, PH_BIGYM_FORMAT) != 0)
    snprintf(odd, size, "metadata.json: its format is %s, and no \"" PH_BIGYM_FORMAT "\"",
             format ? "another" : "not said");
  return meta;
}

static ph_status set_entry(ph_entry *e, const char *path, const char *odd) {
  const char *file = base_name(path);
  ph_bigym_name name;
  *e = (ph_entry){.actions = -1, .states = -1, .success = -1, .end_reason = PH_END_UNKNOWN};
  if ((size_t)snprintf(e->file, sizeof e->file, "%s", path) >= sizeof e->file)
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", path);
  ph_escape(e->id, sizeof e->id, file, strlen(file));
  strcpy(e->group, "/");
  if (ph_bigym_parse(&name, file))
    e->episode = name.index;
  else
    ph_say_also(e->oddity, sizeof e->oddity, ODD_NAME);
  if (odd[0])
    ph_say_also(e->oddity, sizeof e->oddity, odd);
  return PH_OK;
}

static ph_status make_entries(ph_scan *out, size_t n, const char *path) {
  memset(out, 0, sizeof *out);
  strcpy(out->layout, "BiGym");
  out->entries = calloc(n, sizeof *out->entries);
  return out->entries ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
}

static ph_status scan_folder(ph_scan *out, const char *path, hid_t h5) {
  ph_bigym_list files = {0};
  char odd[160], file[1024];
  (void)h5;
  memset(out, 0, sizeof *out);
  ph_status status = ph_bigym_files(&files, path);
  if (status == PH_OK && files.n == 0)
    status = ph_fail(PH_EFORMAT, "%s: it holds no episode, <timestamp>_<index>_<length>.npz", path);
  if (status == PH_OK)
    json_decref(read_metadata(odd, sizeof odd, path));
  if (status == PH_OK)
    status = make_entries(out, files.n, path);
  for (size_t i = 0; status == PH_OK && i < files.n; i++, out->n += status == PH_OK)
    status = ph_bigym_path(file, sizeof file, path, files.name[i])
                 ? set_entry(&out->entries[i], file, odd)
                 : ph_fail(PH_EINVAL, "%.80s...: the path is too long", path);
  ph_bigym_list_clear(&files);
  if (status)
    ph_scan_clear(out);
  return status;
}

static ph_status scan_file(ph_scan *out, const char *path, hid_t h5) {
  char folder[1024], odd[160];
  ph_npz *npz = NULL;
  (void)h5;
  memset(out, 0, sizeof *out);
  ph_status status = ph_npz_open(&npz, path);
  if (status)
    return status;
  ph_npz_close(npz);
  folder_of(folder, sizeof folder, path);
  json_decref(read_metadata(odd, sizeof odd, folder));
  status = make_entries(out, 1, path);
  if (status == PH_OK)
    status = set_entry(out->entries, path, odd);
  out->n = status == PH_OK;
  if (status)
    ph_scan_clear(out);
  return status;
}

/* --- a quick look --- */

static ph_status open_archive(ph_npz **npz, int64_t *frames, char *odd, size_t size,
                              const char *path) {
  ph_status status = ph_npz_open(npz, path);
  if (status)
    return status;
  *frames = ph_bigym_frames(*npz, odd, size);
  if (*frames > 0)
    return PH_OK;
  ph_npz_close(*npz);
  *npz = NULL;
  return ph_fail(PH_EFORMAT, "%s: it has no array that counts frames (reward, action, full_qpos)",
                 path);
}

static ph_status look(ph_entry *e, hid_t h5) {
  ph_npz *npz = NULL;
  char odd[300], length[200];
  int64_t frames = 0;
  (void)h5;
  ph_status status = open_archive(&npz, &frames, odd, sizeof odd, e->file);
  if (status)
    return status;
  e->states = frames;
  e->actions = ph_npz_find(npz, "action") == SIZE_MAX ? 0 : frames - 1;
  e->success = ph_bigym_success(ph_bigym_last_reward(npz));
  e->end_reason = e->success == 1 ? PH_END_SUCCESS : PH_END_UNKNOWN;
  ph_bigym_compare(length, sizeof length, base_name(e->file), frames);
  for (int i = 0; i < 2; i++)
    if ((i == 0 ? odd : length)[0])
      ph_say_also(e->oddity, sizeof e->oddity, i == 0 ? odd : length);
  ph_npz_close(npz);
  return PH_OK;
}

/* --- an episode --- */

static void set_meta(ph_foreign *out, const char *file) {
  ph_episode_meta *m = &out->meta;
  const char *name = base_name(file);
  ph_escape(m->id, sizeof m->id, name, strlen(name));
  snprintf(m->file, sizeof m->file, "%s", file);
  strcpy(m->group, "/");
  strcpy(m->layout, "BiGym");
  strcpy(m->writer, "BiGym");
}

static void find_odd(ph_foreign *out, const ph_bigym *b, const char *odd) {
  char length[200];
  ph_bigym_name name;
  if (!ph_bigym_parse(&name, base_name(b->file)))
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, ODD_NAME);
  if (odd[0])
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s", odd);
  ph_bigym_compare(length, sizeof length, base_name(b->file), b->frames);
  if (length[0])
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s", length);
}

static ph_status open_episode(ph_foreign *out, const char *file, const char *group, hid_t h5) {
  ph_bigym b = {.file = file};
  char odd[300], folder[1024], unread[160];
  (void)group, (void)h5;
  out->states = out->actions = out->rewards = out->dones = out->success = -1;
  ph_status status = open_archive(&b.npz, &b.frames, odd, sizeof odd, file);
  if (status)
    return status;
  folder_of(folder, sizeof folder, file);
  json_t *meta = read_metadata(unread, sizeof unread, folder);
  b.meta = meta;
  set_meta(out, file);
  out->meta.states = b.frames;
  find_odd(out, &b, odd);
  if (unread[0])
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s", unread);
  status = ph_bigym_arrays(out, &b);
  if (status == PH_OK)
    ph_bigym_facts(out, &b);
  json_decref(meta);
  ph_npz_close(b.npz);
  if (status)
    ph_foreign_clear(out);
  return status;
}

const ph_reader ph_read_bigym = {
    .name = "BiGym",
    .folder = true,
    .detect = detect_folder,
    .scan = scan_folder,
    .look = look,
    .open = open_episode,
};

const ph_reader ph_read_bigym_file = {
    .name = "BiGym",
    .folder = false,
    .detect = detect_file,
    .scan = scan_file,
    .look = look,
    .open = open_episode,
};
