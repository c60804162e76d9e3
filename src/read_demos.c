#include "read_demos.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "large.h"

#define NAME_MOST 1000 /* bytes of a name that can be opened */

/* Attributes of /data that mark it as a group of demos. */
static const char *const marks[] = {"env_args",       "env_info", "env",
                                    "bddl_file_name", "total",    "repository_version"};

/* demo_12, demo12 */
static bool is_demo_name(const char *name) {
  if (strncmp(name, "demo", 4) != 0)
    return false;
  name += 4;
  name += *name == '_';
  if (!*name)
    return false;
  while (isdigit((unsigned char)*name))
    name++;
  return !*name;
}

static int compare_names(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  int order = ph_natural_compare(x, y);
  return order ? order : strcmp(x, y);
}

/* Under another name: a group that holds states or actions. One that is too long to be opened is
 * taken for a demo by how it begins. */
static bool is_other_demo(hid_t data, const char *name) {
  hid_t group;
  if (strlen(name) >= NAME_MOST)
    return strncmp(name, "demo", 4) == 0;
  if (ph_h5_group(&group, data, name) != PH_OK)
    return false;
  bool yes = ph_h5_exists(group, "states") || ph_h5_exists(group, "actions");
  ph_h5_close(group);
  return yes;
}

ph_status ph_demo_names(char ***names, size_t *n, hid_t data) {
  size_t kept = 0;
  ph_status status = ph_h5_names(names, n, data);
  if (status)
    return status;
  for (size_t i = 0; i < *n; i++) {
    char *name = (*names)[i];
    if (is_demo_name(name) || is_other_demo(data, name))
      (*names)[kept++] = name;
    else
      free(name);
  }
  *n = kept;
  if (kept > 1)
    qsort(*names, kept, sizeof **names, compare_names);
  return PH_OK;
}

/* /data without a demo: one that is marked as theirs, or the only thing in the file. */
static bool is_empty_data(hid_t h5, hid_t data) {
  size_t n = 0;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (ph_h5_has_attr(data, marks[i]))
      return true;
  return ph_h5_count(h5, &n) == PH_OK && n == 1;
}

struct search {
  hid_t data;
  bool found;
};

/* Ends the walk at the first demo: a file may have very many. */
static ph_status find_demo(void *arg, const char *name, ph_h5_kind kind) {
  struct search *search = arg;
  search->found = is_demo_name(name) || (kind == PH_H5_GROUP && is_other_demo(search->data, name));
  return search->found ? PH_END : PH_OK;
}

/* Spares the list of names, which takes longer than all the rest in a file of very many. */
static bool has_usual_demo(hid_t data) {
  static const char *const usual[] = {"demo_0", "demo_1", "demo0", "demo1"};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (ph_h5_exists(data, usual[i]))
      return true;
  return false;
}

static bool demos_detect(const char *path, hid_t h5) {
  struct search search = {.found = false};
  size_t n = 0;
  (void)path;
  if (ph_h5_group(&search.data, h5, "data") != PH_OK)
    return false;
  if (has_usual_demo(search.data)) /* before the count, which reads all that an old group is */
    search.found = true;
  else if (ph_h5_count(search.data, &n) == PH_OK && n == 0)
    search.found = is_empty_data(h5, search.data);
  else
    ph_h5_walk(search.data, find_demo, &search);
  ph_h5_close(search.data);
  return search.found;
}

int64_t ph_demo_number(const char *name, size_t place) {
  size_t n = strlen(name), at = n;
  while (at > 0 && isdigit((unsigned char)name[at - 1]))
    at--;
  errno = 0;
  long long number = at < n ? strtoll(name + at, NULL, 10) : 0;
  return at < n && errno == 0 ? number : (int64_t)place;
}

static void fill_entry(ph_entry *e, const char *path, const char *name, size_t place) {
  size_t length = strlen(name);
  ph_escape(e->id, sizeof e->id, name, length);
  snprintf(e->file, sizeof e->file, "%s", path);
  e->episode = ph_demo_number(name, place);
  e->actions = e->states = -1;
  e->success = -1;
  e->end_reason = PH_END_UNKNOWN;
  if (length + sizeof "/data/" <= sizeof e->group)
    snprintf(e->group, sizeof e->group, "/data/%s", name);
  else
    snprintf(e->oddity, sizeof e->oddity, "its name has %zu bytes: it is too long to be opened",
             length);
}

static ph_status fill_entries(ph_scan *out, char *const *names, size_t n, const char *path) {
  out->entries = ph_large(n, sizeof *out->entries);
  if (!out->entries)
    return ph_fail(PH_ENOMEM, "%s: %zu episodes: out of memory", path, n);
  out->n = n;
  for (size_t i = 0; i < n; i++)
    fill_entry(&out->entries[i], path, names[i], i);
  return PH_OK;
}

static ph_status demos_scan(ph_scan *out, const char *path, hid_t h5) {
  hid_t data = H5I_INVALID_HID;
  char **names = NULL, oddity[sizeof((ph_entry *)0)->oddity] = "";
  size_t n = 0;
  memset(out, 0, sizeof *out);
  ph_status status = ph_h5_group(&data, h5, "data");
  if (status == PH_OK)
    status = ph_demo_names(&names, &n, data);
  if (status == PH_OK && n == 0) {
    status = ph_fail(PH_EFORMAT, "%s: it holds no episode: /data has no demo", path);
    goto out;
  }
  if (status == PH_OK)
    status = fill_entries(out, names, n, path);
  if (status == PH_OK) {
    snprintf(out->layout, sizeof out->layout, "%s", ph_demo_layout_of(data, names[0])->name);
    status = ph_demo_groups(out, h5, oddity, sizeof oddity);
  }
  if (status == PH_OK && oddity[0])
    ph_say_also(out->entries[0].oddity, sizeof oddity, oddity);
out:
  ph_h5_names_free(names, n);
  ph_h5_close(data);
  if (status)
    ph_scan_clear(out);
  return status;
}

const ph_reader ph_read_demos = {
    .name = "demos",
    .detect = demos_detect,
    .scan = demos_scan,
    .look = ph_demo_look,
    .open = ph_demo_open,
};
