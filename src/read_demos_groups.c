/* Filter keys: /mask/NAME lists names of demos. */
#include "read_demos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode_file.h"
#include "fail.h"

enum { GROUPS_MAX = 1024, LOOKED_UP = 1024 };
#define IDS_LIMIT ((size_t)64 << 20) /* bytes of one group's names */

/* A group of which the name says how its episodes went. */
static const struct {
  const char *name;
  int success;
} outcomes[] = {{"success", 1}, {"successful", 1}, {"success_demos", 1},
                {"failure", 0}, {"failed", 0},     {"failed_demos", 0}};

static int outcome_of(const char *group) {
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
    if (strcmp(group, outcomes[i].name) == 0)
      return outcomes[i].success;
  return -1;
}

/* --- one group --- */

static int compare_id(const void *key, const void *entry) {
  const char *id = ((const ph_entry *)entry)->id;
  int order = ph_natural_compare(key, id);
  return order ? order : strcmp(key, id);
}

static ph_entry *find_entry(const ph_scan *scan, const char *id) {
  return bsearch(id, scan->entries, scan->n, sizeof *scan->entries, compare_id);
}

static int compare_texts(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  int order = ph_natural_compare(x, y);
  return order ? order : strcmp(x, y);
}

/* Sorts the ids and takes away those that come twice or are of no episode; how many of these. */
static size_t keep_known(ph_group_list *group, const ph_scan *scan) {
  size_t kept = 0, lost = 0;
  if (group->n > 1)
    qsort(group->ids, group->n, sizeof *group->ids, compare_texts);
  for (size_t i = 0; i < group->n; i++) {
    char *id = group->ids[i];
    bool twice = kept > 0 && strcmp(group->ids[kept - 1], id) == 0;
    bool known = find_entry(scan, id) != NULL;
    lost += !known;
    if (known && !twice)
      group->ids[kept++] = id;
    else
      free(id);
  }
  group->n = kept;
  return lost;
}

/* *out is zeroed. */
static ph_status read_group(ph_group_list *out, hid_t mask, const char *name) {
  ph_status status = ph_h5_texts(&out->ids, &out->n, mask, name, IDS_LIMIT);
  if (status == PH_OK)
    ph_escape(out->name, sizeof out->name, name, strlen(name));
  return status;
}

/* --- all of them --- */

static ph_status add_group(ph_scan *scan, hid_t mask, const char *name, char *oddity, size_t size) {
  ph_group_list *group = &scan->groups[scan->ngroups];
  char text[160];
  memset(group, 0, sizeof *group);
  ph_status status = read_group(group, mask, name);
  scan->ngroups++;
  if (status == PH_ENOMEM)
    return status;
  if (status) {
    scan->ngroups--;
    ph_oddity(text, sizeof text, scan->entries[0].file);
    ph_say_also(oddity, size, text);
    return PH_OK;
  }
  size_t lost = keep_known(group, scan);
  if (lost > 0) {
    snprintf(text, sizeof text, "mask/%s names %zu episode%s that the file does not hold",
             group->name, lost, lost == 1 ? "" : "s");
    ph_say_also(oddity, size, text);
  }
  int success = outcome_of(group->name);
  for (size_t i = 0; i < group->n && success >= 0; i++)
    find_entry(scan, group->ids[i])->success = success;
  return PH_OK;
}

static int compare_names(const void *a, const void *b) {
  return ph_natural_compare(*(char *const *)a, *(char *const *)b);
}

ph_status ph_demo_groups(ph_scan *scan, hid_t h5, char *oddity, size_t size) {
  hid_t mask;
  char **names = NULL;
  size_t n = 0;
  if (!ph_h5_exists(h5, "mask") || ph_h5_group(&mask, h5, "mask") != PH_OK)
    return PH_OK;
  ph_status status = ph_h5_names(&names, &n, mask) == PH_OK ? PH_OK : PH_END;
  size_t taken = n < GROUPS_MAX ? n : GROUPS_MAX;
  if (n > 1)
    qsort(names, n, sizeof *names, compare_names);
  if (status == PH_OK && !(scan->groups = calloc(taken + 1, sizeof *scan->groups)))
    status = ph_fail(PH_ENOMEM, "mask: out of memory");
  for (size_t i = 0; i < taken && status == PH_OK; i++)
    status = add_group(scan, mask, names[i], oddity, size);
  if (taken < n)
    ph_say_also(oddity, size, "mask holds too many groups: the first 1024 are listed");
  ph_h5_names_free(names, n);
  ph_h5_close(mask);
  return status == PH_END ? PH_OK : status;
}

/* Names of a group that are of no demo. */
static size_t count_lost(const ph_group_list *group, hid_t data) {
  size_t lost = 0;
  for (size_t i = 0; i < group->n && group->n <= LOOKED_UP; i++)
    lost += !ph_h5_exists(data, group->ids[i]);
  return lost;
}

static void find_odd_group(ph_foreign *out, hid_t mask, hid_t data, const char *name) {
  ph_group_list group = {0};
  char shown[sizeof group.name], why[200];
  ph_escape(shown, sizeof shown, name, strlen(name));
  if (read_group(&group, mask, name) != PH_OK) {
    ph_oddity(why, sizeof why, out->meta.file);
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s", why);
    return;
  }
  size_t lost = count_lost(&group, data);
  if (lost > 0)
    ph_foreign_find(out, PH_FINDING_ODDITY, -1,
                    "mask/%s names %zu episode%s that the file does not hold", shown, lost,
                    lost == 1 ? "" : "s");
  ph_h5_names_free(group.ids, group.n);
}

void ph_demo_groups_odd(ph_foreign *out, hid_t h5, hid_t data) {
  hid_t mask;
  char **names = NULL;
  size_t n = 0;
  if (!ph_h5_exists(h5, "mask") || ph_h5_group(&mask, h5, "mask") != PH_OK)
    return;
  if (ph_h5_names(&names, &n, mask) == PH_OK)
    for (size_t i = 0; i < n && i < GROUPS_MAX; i++)
      find_odd_group(out, mask, data, names[i]);
  ph_h5_names_free(names, n);
  ph_h5_close(mask);
}

/* Whether the group names that demo. */
static bool is_member(hid_t mask, const char *name, const char *id) {
  ph_group_list group = {0};
  bool yes = false;
  if (ph_h5_exists(mask, name) && read_group(&group, mask, name) == PH_OK)
    for (size_t i = 0; i < group.n && !yes; i++)
      yes = strcmp(group.ids[i], id) == 0;
  ph_h5_names_free(group.ids, group.n);
  return yes;
}

int ph_demo_mask_success(hid_t h5, const char *id, char *source, size_t size) {
  hid_t mask;
  int success = -1;
  if (!ph_h5_exists(h5, "mask") || ph_h5_group(&mask, h5, "mask") != PH_OK)
    return -1;
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes && success < 0; i++) {
    if (!is_member(mask, outcomes[i].name, id))
      continue;
    success = outcomes[i].success;
    snprintf(source, size, "group mask/%s", outcomes[i].name);
  }
  ph_h5_close(mask);
  return success;
}
