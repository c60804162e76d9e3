/* Named groups of episodes: one list for all homes, a bit for each entry. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- ids of one home --- */

typedef struct id_place {
  const char *id;
  size_t i;
} id_place;

static int compare_places(const void *a, const void *b) {
  return strcmp(((const id_place *)a)->id, ((const id_place *)b)->id);
}

/* The entries of a home by id; *out is the caller's. */
static ph_status sort_ids(id_place **out, size_t *n, const ph_store *store, size_t home) {
  id_place *at = calloc(store->n + 1, sizeof *at);
  *out = at;
  *n = 0;
  if (!at)
    return ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
  for (size_t i = 0; i < store->n; i++)
    if (store->home_of[i] == home)
      at[(*n)++] = (id_place){store->entries[i].id, i};
  qsort(at, *n, sizeof *at, compare_places);
  return PH_OK;
}

/* --- making --- */

static ph_store_group_list *add_group(ph_store *store, const char *name) {
  size_t known = ph_store_find_group(store, name);
  if (known != SIZE_MAX)
    return &store->groups[known];
  ph_store_group_list *all = realloc(store->groups, (store->ngroups + 1) * sizeof *all);
  if (!all)
    return NULL;
  store->groups = all;
  ph_store_group_list *group = &all[store->ngroups];
  memset(group, 0, sizeof *group);
  ph_escape(group->name, sizeof group->name, name, strlen(name));
  group->member = calloc(store->n / 8 + 1, 1);
  if (!group->member)
    return NULL;
  store->ngroups++;
  return group;
}

static ph_status add_members(ph_store *store, const ph_group_list *from, const id_place *ids,
                             size_t n) {
  ph_store_group_list *group = add_group(store, from->name);
  if (!group)
    return ph_fail(PH_ENOMEM, "%s: group %s: out of memory", ph_store_path(store), from->name);
  for (size_t k = 0; k < from->n; k++) {
    id_place key = {from->ids[k], 0};
    const id_place *found = bsearch(&key, ids, n, sizeof *ids, compare_places);
    if (found)
      group->member[found->i / 8] |= (uint8_t)(1u << (found->i % 8));
  }
  return PH_OK;
}

ph_status ph_store_make_groups(ph_store *store) {
  ph_status status = PH_OK;
  for (size_t home = 0; status == PH_OK && home < store->nhomes; home++) {
    ph_home *h = &store->homes[home];
    id_place *ids = NULL;
    size_t n = 0;
    if (h->ngroups > 0)
      status = sort_ids(&ids, &n, store, home);
    for (size_t k = 0; status == PH_OK && k < h->ngroups; k++)
      status = add_members(store, &h->groups[k], ids, n);
    free(ids);
    ph_scan spent = {.groups = h->groups, .ngroups = h->ngroups};
    if (h->groups)
      ph_scan_clear(&spent);
    h->groups = NULL;
    h->ngroups = 0;
  }
  return status;
}

ph_status ph_store_widen_groups(ph_store *store, size_t n) {
  size_t from = store->n / 8 + 1, to = n / 8 + 1;
  for (size_t i = 0; i < store->ngroups && to > from; i++) {
    uint8_t *member = realloc(store->groups[i].member, to);
    if (!member)
      return ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
    memset(member + from, 0, to - from);
    store->groups[i].member = member;
  }
  return PH_OK;
}

void ph_store_free_groups(ph_store *store) {
  for (size_t i = 0; i < store->ngroups; i++)
    free(store->groups[i].member);
  free(store->groups);
}

/* --- what is there --- */

size_t ph_store_groups(const ph_store *store) {
  return store->ngroups;
}

const char *ph_store_group(const ph_store *store, size_t group) {
  return group < store->ngroups ? store->groups[group].name : NULL;
}

bool ph_store_in_group(const ph_store *store, size_t group, size_t i) {
  return group < store->ngroups && i < store->n &&
         (store->groups[group].member[i / 8] >> (i % 8) & 1);
}

size_t ph_store_find_group(const ph_store *store, const char *name) {
  for (size_t i = 0; i < store->ngroups; i++)
    if (strcmp(store->groups[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}
