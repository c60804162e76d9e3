/* What episodes are called in the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigym.h"
#include "cut_parts.h"
#include "fail.h"

/* Episodes of a run are numbered as pack does; those of a dataset stay as they are. */
struct place {
  int64_t episode;
  int env_id;
  size_t i;
};

static int compare_places(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

size_t *ph_cut_order(const ph_store *store) {
  struct place *places = calloc(store->n + 1, sizeof *places);
  size_t *order = calloc(store->n + 1, sizeof *order);
  for (size_t i = 0; places && i < store->n; i++)
    places[i] = (struct place){store->entries[i].episode, store->entries[i].env_id, i};
  if (places && strcmp(store->homes[0].layout, "run") == 0)
    qsort(places, store->n, sizeof *places, compare_places);
  for (size_t k = 0; places && order && k < store->n; k++)
    order[k] = places[k].i;
  if (!places) {
    free(order);
    order = NULL;
  }
  free(places);
  return order;
}

static ph_status number_them(char (*ids)[128], const ph_store *store, const ph_cut_episode *plan) {
  size_t *order = ph_cut_order(store), n = 0;
  if (!order)
    return ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
  for (size_t k = 0; k < store->n; k++)
    if (!plan[order[k]].dropped)
      snprintf(ids[order[k]], sizeof *ids, "demo_%zu", n++);
  free(order);
  return PH_OK;
}

static void name_file(char id[128], const ph_cut_episode *plan) {
  ph_bigym_name name;
  if (ph_bigym_parse(&name, plan->id))
    snprintf(id, 128, "%s%lld.npz", name.stem, (long long)plan->to);
}

ph_status ph_cut_ids(char (*ids)[128], const ph_store *store, const ph_cut_episode *plan) {
  const ph_home *home = &store->homes[0];
  bool batch = ph_cut_is_batch(home->path);
  memset(ids, 0, store->n * sizeof *ids);
  if (!home->reader)
    return number_them(ids, store, plan);
  for (size_t i = 0; i < store->n; i++)
    if (!plan[i].dropped && batch)
      name_file(ids[i], &plan[i]);
    else if (!plan[i].dropped)
      snprintf(ids[i], sizeof *ids, "%s", plan[i].id);
  return PH_OK;
}
