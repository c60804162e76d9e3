/* One demo: which of its arrays are per step, and what is said of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut_demos.h"
#include "fail.h"
#include "provenance.h"

/* What is of the episode however many rows it has. */
static const char *const apart[] = {"initial_state", "src_demo_inds"};

bool ph_cut_demo_apart(const char *name) {
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    size_t n = strlen(apart[i]);
    if (strncmp(name, apart[i], n) == 0 && (name[n] == 0 || name[n] == '/'))
      return true;
  }
  return false;
}

ph_status ph_cut_demo_read(ph_cut_demo *out, hid_t demo, const char *path,
                           const ph_cut_episode *plan) {
  ph_demo_size size;
  ph_demo_size_of(&size, demo);
  *out = (ph_cut_demo){plan, size.actions, size.states};
  if (size.actions < 0)
    return ph_fail(PH_EFORMAT, "%s: it has no actions by which it could be cut", path);
  if (size.states >= 0 && size.states != size.actions && size.states != size.actions + 1)
    return ph_fail(PH_EFORMAT,
                   "%s: %" PRId64 " states and %" PRId64 " actions: which go together is not known",
                   path, size.states, size.actions);
  if (plan->from > 0 && ph_h5_exists(demo, "initial_state"))
    return ph_fail(PH_EFORMAT,
                   "%s: its initial_state is that of row 0: it cannot begin at %" PRId64, path,
                   plan->from);
  return ph_cut_check(plan, size.actions);
}

/* As the reader takes an array for one whose rows are steps; one row more or less than there are
 * actions stays so. */
bool ph_cut_demo_rows(const ph_cut_demo *demo, const char *name, hid_t dataset, int64_t *first,
                      int64_t *n) {
  ph_h5_extent e;
  int64_t kept = demo->plan->to - demo->plan->from;
  ph_h5_extent_of(&e, dataset);
  int64_t more = e.rows - demo->actions;
  if (e.rank == 0 || more < -1 || more > 1 || e.rows == 0 || ph_cut_demo_apart(name))
    return false;
  *first = demo->plan->from;
  *n = kept + more;
  return true;
}

/* --- what is said of it --- */

/* What provenance names: the hold is the file's own business, if it has one. */
static void find_facts(ph_episode_meta *meta, double *dt, hid_t data, hid_t made) {
  ph_foreign facts = {.states = -1, .actions = -1, .rewards = -1, .dones = -1, .success = -1};
  ph_demo_facts(&facts, data, made);
  *dt = facts.dt;
  meta->hold_seconds = -1;
  ph_foreign_clear(&facts);
}

/* The hold that the last cut left. */
static void find_hold(ph_episode_meta *meta, const char *before) {
  double seconds;
  int64_t steps;
  if (ph_cut_hold_before(&seconds, &steps, before)) {
    meta->hold_seconds = seconds;
    meta->hold_steps = steps;
  }
}

static ph_status put_provenance(const ph_cut_file *f, const ph_cut_demo *demo, hid_t data,
                                hid_t made, const char *path) {
  char *before = NULL, *after = NULL;
  double dt = 0;
  ph_episode_meta meta = {.actions = demo->actions};
  snprintf(meta.id, sizeof meta.id, "%.63s", demo->plan->id);
  snprintf(meta.file, sizeof meta.file, "%.511s", f->c->source);
  snprintf(meta.group, sizeof meta.group, "%.127s", path);
  find_facts(&meta, &dt, data, made);
  meta.control_dt = dt;
  if (ph_h5_has_attr(made, PH_CUT_ATTR) && ph_h5_attr_text(made, PH_CUT_ATTR, &before) != PH_OK)
    return ph_fail(PH_EFORMAT, "%s: its " PH_CUT_ATTR " is no text, and is not overwritten", path);
  find_hold(&meta, before);
  ph_status status = ph_cut_provenance(&after, before, demo->plan, f->c->opt, &meta);
  if (!status)
    status = ph_h5_put_string(made, PH_CUT_ATTR, after);
  free(before);
  free(after);
  return status;
}

static ph_status mark(hid_t made, const ph_cut_demo *demo, const char *name, bool keep) {
  hid_t dataset;
  ph_h5_extent e;
  if (!ph_h5_exists(made, name) || ph_h5_kind_of(made, name) != PH_H5_DATASET)
    return PH_OK;
  ph_h5_array info;
  const char *why;
  ph_status status = ph_h5_dataset_any(&dataset, &info, &why, made, name);
  if (status)
    return status;
  ph_h5_extent_of(&e, dataset);
  ph_h5_close(dataset);
  bool per_step = e.rows == demo->plan->to - demo->plan->from;
  return per_step ? ph_h5_mark_last(made, name, keep) : PH_OK;
}

ph_status ph_cut_demo_settle(ph_cut_file *f, const ph_cut_demo *demo, hid_t data, hid_t made,
                             const char *path) {
  const ph_cut_options *opt = f->c->opt;
  int64_t kept = demo->plan->to - demo->plan->from;
  ph_status status = ph_h5_set_whole(made, "num_samples", kept);
  if (!status)
    status = ph_h5_set_whole(made, "total_steps", kept);
  if (!status && opt->latched)
    status = mark(made, demo, "rewards", opt->keep_rewards);
  if (!status && opt->latched)
    status = mark(made, demo, "dones", opt->keep_rewards);
  if (!status && opt->latched)
    status = ph_h5_set_whole(made, "success", 1);
  f->total += kept;
  return status ? status : put_provenance(f, demo, data, made, path);
}
