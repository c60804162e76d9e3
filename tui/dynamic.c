#include "dynamic.h"

#include <stdlib.h>
#include <string.h>

static const char *const modes[MODE_COUNT] = {"kinematic", "dynamic", "both"};

const char *mode_name(enum tui_mode mode) {
  return (unsigned)mode < MODE_COUNT ? modes[mode] : "";
}

bool mode_from_name(const char *name, enum tui_mode *out) {
  for (int i = 0; i < MODE_COUNT; i++)
    if (strcmp(name, modes[i]) == 0) {
      *out = (enum tui_mode)i;
      return true;
    }
  return false;
}

ph_tolerance wish_tolerance(const struct dynamic_wish *wish) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (wish->tolerance.of[m] != 0)
      return wish->tolerance;
  return ph_tolerance_default();
}

struct lanes *lanes_ref(struct lanes *l) {
  atomic_fetch_add(&l->refs, 1);
  return l;
}

void lanes_unref(struct lanes *l) {
  if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
    return;
  free(l->drift);
  free(l->one);
  free(l->ghost);
  free(l->pred);
  free(l->hold);
  free(l);
}

void dynamic_answer_free(struct dynamic_answer *d) {
  if (!d)
    return;
  free(d->values);
  free(d->action);
  free(d->ctrl);
  free(d->next_ctrl);
  free(d->qpos);
  free(d->qvel);
  free(d->act);
  free(d->contacts);
  free(d->condition);
  free(d->condition_reads);
  free(d->joints);
  lanes_unref(d->lanes);
  free(d->findings);
  free(d);
}
