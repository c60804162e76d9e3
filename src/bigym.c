#include "bigym.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <playhead/store.h>

#include "fail.h"
#include "file.h"
#include "numeral.h"

#define TEXT_MAX ((size_t)64 << 20) /* bytes of a JSON text */

/* --- names --- */

/* Digits of a number that an int64 holds; 0: there are none. */
static size_t take_number(int64_t *out, const char *text) {
  size_t n = strspn(text, "0123456789");
  *out = n > 0 && n <= 18 ? strtoll(text, NULL, 10) : 0;
  return n <= 18 ? n : 0;
}

bool ph_bigym_parse(ph_bigym_name *out, const char *name) {
  enum { DAY = 8, STAMP = 15 };
  ph_bigym_name is = {0};
  for (size_t i = 0; i < STAMP; i++)
    if (i == DAY ? name[i] != 'T' : !isdigit((unsigned char)name[i]))
      return false;
  memcpy(is.stamp, name, STAMP);
  size_t at = STAMP, n = name[at] == '_' ? take_number(&is.index, name + at + 1) : 0;
  at += n + 1;
  if (n == 0 || name[at] != '_')
    return false;
  at++;
  memcpy(is.stem, name, at);
  n = take_number(&is.length, name + at);
  if (n == 0 || strcmp(name + at + n, ".npz") != 0)
    return false;
  *out = is;
  return true;
}

static bool is_npz(const char *name) {
  size_t n = strlen(name);
  return name[0] != '.' && n > 4 && strcmp(name + n - 4, ".npz") == 0;
}

/* metadata.json is told apart: it is no other. */
static bool is_other_text(const char *name) {
  size_t n = strlen(name);
  return n > 5 && strcmp(name + n - 5, ".json") == 0 && strcmp(name, "metadata.json") != 0;
}

static int compare_names(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  int order = ph_natural_compare(x, y);
  return order ? order : strcmp(x, y);
}

static bool add_name(ph_bigym_list *list, const char *name) {
  if ((list->n & (list->n - 1)) == 0) {
    char **all = realloc(list->name, (list->n ? 2 * list->n : 1) * sizeof *all);
    if (!all)
      return false;
    list->name = all;
  }
  list->name[list->n] = strdup(name);
  return list->name[list->n] && ++list->n;
}

static ph_status list_names(ph_bigym_list *out, const char *folder, bool (*wanted)(const char *)) {
  DIR *dir = opendir(folder);
  bool ok = true;
  *out = (ph_bigym_list){0};
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", folder, strerror(errno));
  errno = 0;
  for (struct dirent *e; ok && (e = readdir(dir)); errno = 0)
    ok = !wanted(e->d_name) || add_name(out, e->d_name);
  int error = ok ? errno : ENOMEM;
  closedir(dir);
  if (out->n > 1)
    qsort(out->name, out->n, sizeof *out->name, compare_names);
  if (!error)
    return PH_OK;
  ph_bigym_list_clear(out);
  return ok ? ph_fail(PH_EIO, "%s: cannot be listed: %s", folder, strerror(error))
            : ph_fail(PH_ENOMEM, "%s: out of memory", folder);
}

ph_status ph_bigym_files(ph_bigym_list *out, const char *folder) {
  return list_names(out, folder, is_npz);
}

ph_status ph_bigym_texts(ph_bigym_list *out, const char *folder) {
  return list_names(out, folder, is_other_text);
}

void ph_bigym_list_clear(ph_bigym_list *list) {
  for (size_t i = 0; i < list->n; i++)
    free(list->name[i]);
  free(list->name);
  *list = (ph_bigym_list){0};
}

/* --- folders --- */

bool ph_bigym_path(char *out, size_t size, const char *folder, const char *name) {
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  return (size_t)snprintf(out, size, "%.*s%s%s", (int)n, folder,
                          n == 1 && *folder == '/' ? "" : "/", name) < size;
}

char *ph_bigym_text(size_t *size, const char *path, char *why, size_t room) {
  void *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  int error = fd < 0 ? errno : ph_file_whole(&text, size, fd, TEXT_MAX);
  if (error == ENOTSUP)
    snprintf(why, room, "it is not a regular file");
  else if (error == EFBIG)
    snprintf(why, room, "it has more than the %zu bytes that are read", TEXT_MAX);
  else if (error)
    snprintf(why, room, "%s", strerror(error));
  if (fd >= 0)
    close(fd);
  return text;
}

json_t *ph_bigym_metadata_kept(const char *folder) {
  char path[1024], why[200] = "the path is too long";
  size_t size = 0;
  json_error_t error = {.text = ""};
  bool fits = ph_bigym_path(path, sizeof path, folder, "metadata.json");
  char *text = fits ? ph_bigym_text(&size, path, why, sizeof why) : NULL;
  if (!text) {
    ph_fail(PH_EIO, "metadata.json: it cannot be read: %s", why);
    return NULL;
  }
  json_t *value = ph_numeral_load(&error, text, size);
  free(text);
  if (json_is_object(value))
    return value;
  if (value)
    ph_fail(PH_EFORMAT, "metadata.json: it is no JSON object");
  else
    ph_fail(PH_EFORMAT, "metadata.json: it is no JSON: line %d: %s", error.line, error.text);
  json_decref(value);
  return NULL;
}

json_t *ph_bigym_metadata(const char *folder) {
  json_t *kept = ph_bigym_metadata_kept(folder), *plain = kept ? ph_numeral_plain(kept) : NULL;
  if (kept && !plain)
    ph_fail(PH_ENOMEM, "metadata.json: out of memory");
  json_decref(kept);
  return plain;
}

bool ph_bigym_is_batch(const char *folder) {
  ph_bigym_name ignored;
  DIR *dir = opendir(folder);
  bool named = false;
  if (!dir)
    return false;
  for (struct dirent *e; !named && (e = readdir(dir));)
    named = ph_bigym_parse(&ignored, e->d_name);
  closedir(dir);
  if (named)
    return true;
  /* Also where it cannot be listed: whoever lists it says so. */
  json_t *meta = ph_bigym_metadata(folder);
  const char *format = json_string_value(json_object_get(meta, "format"));
  bool is = format && strcmp(format, PH_BIGYM_FORMAT) == 0;
  json_decref(meta);
  return is;
}

/* --- arrays --- */

bool ph_bigym_is_fact(const char *name) {
  return strncmp(name, "init_", 5) == 0 || strncmp(name, "lb_state.", 9) == 0 ||
         strcmp(name, "seed") == 0 || strcmp(name, "pre_engage_steps") == 0;
}

int64_t ph_bigym_frames(const ph_npz *npz, char *odd, size_t size) {
  static const char *const names[] = {"reward",    "action",    "discount", "low_dim_obs",
                                      "full_qpos", "full_qvel", "demo",     "is_expert"};
  const char *first = "";
  int64_t frames = 0;
  odd[0] = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t i = ph_npz_find(npz, names[k]);
    const ph_npy *info = i == SIZE_MAX ? NULL : ph_npz_info(npz, i);
    if (!info || info->rank < 1)
      continue;
    if (frames == 0) {
      frames = info->dim[0];
      first = names[k];
    } else if (info->dim[0] != frames && !odd[0]) {
      snprintf(odd, size, "%s has %lld rows, %s has %lld", names[k], (long long)info->dim[0], first,
               (long long)frames);
    }
  }
  return frames;
}

void ph_bigym_compare(char *out, size_t size, const char *name, int64_t frames) {
  ph_bigym_name is;
  out[0] = 0;
  if (frames > 0 && ph_bigym_parse(&is, name) && is.length != frames - 1)
    snprintf(out, size, "its name says %lld steps, its arrays have %lld (%lld frames)",
             (long long)is.length, (long long)frames - 1, (long long)frames);
}
