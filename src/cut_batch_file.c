/* One file of a BiGym batch, cut. */
#include "cut_batch.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "probe.h"

/* What becomes of an array of a file with so many frames. */
static ph_npz_cut cut_of(ph_batch *b, const ph_batch_item *item, const ph_npy *info) {
  ph_npz_cut cut = PH_NPZ_WHOLE;
  bool reward = strcmp(info->name, "reward") == 0, discount = strcmp(info->name, "discount") == 0;
  cut.go_on = ph_batch_go_on;
  cut.arg = b;
  if (info->rank < 1 || info->dim[0] != item->frames || ph_bigym_is_fact(info->name))
    return cut;
  cut.keep = item->plan->to + 1;
  cut.last = b->opt->latched && (reward || discount);
  cut.rest = b->opt->latched && (discount || (reward && !b->opt->keep_rewards));
  cut.one = reward;
  return cut;
}

/* --- before anything is written --- */

static ph_status check_rows(const ph_batch *b, const ph_batch_item *item) {
  const ph_cut_episode *plan = item->plan;
  long long frames = (long long)item->frames, kept = plan->to < INT64_MAX ? plan->to + 1 : plan->to;
  if (plan->states > 0 && plan->states != item->frames)
    return ph_fail(PH_EINVAL, "%s: %s: the list says that it has %lld frames; it has %lld",
                   b->source, item->file, (long long)plan->states, frames);
  if (plan->from != 0)
    return ph_fail(PH_EINVAL,
                   "%s: %s: it cannot begin at row %lld: what its init_ arrays hold is the state "
                   "before row 0, so only its end can be cut",
                   b->source, item->file, (long long)plan->from);
  if (kept < 2)
    return ph_fail(PH_EINVAL, "%s: %s: %lld frame%s would be left; at least 2 have to be",
                   b->source, item->file, kept > 0 ? kept : 0LL, kept == 1 ? "" : "s");
  if (kept > frames)
    return ph_fail(PH_EINVAL, "%s: %s: %lld frames are to be kept; it has %lld", b->source,
                   item->file, kept, frames);
  return PH_OK;
}

static ph_status check_arrays(ph_batch *b, ph_batch_item *item, const ph_npz *npz) {
  char odd[300];
  item->frames = ph_bigym_frames(npz, odd, sizeof odd);
  if (odd[0])
    return ph_fail(PH_ECORRUPT, "%s: %s: its arrays disagree on its frames: %s", b->source,
                   item->file, odd);
  if (item->frames == 0)
    return ph_fail(PH_EFORMAT, "%s: %s: it has no array that counts frames: %s", b->source,
                   item->file, "reward, action, discount, low_dim_obs, full_qpos");
  ph_bigym_compare(odd, sizeof odd, item->file, item->frames);
  if (odd[0])
    return ph_fail(PH_EFORMAT, "%s: %s: %s", b->source, item->file, odd);
  ph_status status = check_rows(b, item);
  for (size_t i = 0; status == PH_OK && i < ph_npz_count(npz); i++) {
    const ph_npy *info = ph_npz_info(npz, i);
    ph_npz_cut cut = cut_of(b, item, info);
    const char *why = ph_npz_cannot(npz, i, &cut);
    if (why)
      status = ph_fail(PH_EFORMAT, "%s: %s: %s: %s", b->source, item->file, info->name, why);
  }
  return status;
}

static ph_status open_source(ph_npz **out, const ph_batch *b, const ph_batch_item *item) {
  char path[1024];
  *out = NULL;
  if (!ph_bigym_path(path, sizeof path, b->source, item->file))
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", b->source);
  ph_status status = ph_probe_episode(path, "/");
  return status ? status : ph_npz_open(out, path);
}

ph_status ph_batch_refuse_name(const ph_batch *b, const ph_batch_item *item) {
  return ph_fail(PH_EFORMAT, "%s: %s: its name is not <timestamp>_<index>_<length>.npz", b->source,
                 item->file);
}

ph_status ph_batch_check(ph_batch *b, ph_batch_item *item) {
  ph_npz *npz = NULL;
  if (!item->named)
    return ph_batch_refuse_name(b, item);
  ph_status status = open_source(&npz, b, item);
  if (status == PH_OK)
    status = check_arrays(b, item, npz);
  ph_npz_close(npz);
  snprintf(item->renamed, sizeof item->renamed, "%s%lld.npz", item->name.stem,
           (long long)item->plan->to);
  return status;
}

ph_status ph_batch_try(ph_batch *b, ph_batch_item *item) {
  ph_npz *npz = NULL;
  ph_status status = ph_batch_check(b, item);
  if (status == PH_OK)
    status = open_source(&npz, b, item);
  for (size_t i = 0; status == PH_OK && i < ph_npz_count(npz); i++) {
    status = ph_npz_check(npz, i);
    if (status == PH_OK && !ph_batch_go_on(b))
      status = ph_fail(PH_ECANCELED, "%s: it was stopped", b->source);
  }
  ph_npz_close(npz);
  return status;
}

/* --- writing --- */

/* Whether what was written can be read, and has the shapes that it should have. */
static ph_status check_result(ph_batch *b, const ph_batch_item *item, const ph_npz *from,
                              const char *path) {
  ph_npz *npz = NULL;
  ph_status status = ph_npz_open(&npz, path);
  if (status == PH_OK && ph_npz_count(npz) != ph_npz_count(from))
    status = ph_fail(PH_ECORRUPT, "%s: arrays are missing", path);
  for (size_t i = 0; status == PH_OK && i < ph_npz_count(npz); i++) {
    const ph_npy *is = ph_npz_info(npz, i), *was = ph_npz_info(from, i);
    ph_npz_cut cut = cut_of(b, item, was);
    int64_t rows = was->rank < 1 || cut.keep < 0 ? was->dim[0] : cut.keep;
    bool same = strcmp(is->name, was->name) == 0 && strcmp(is->descr, was->descr) == 0 &&
                is->rank == was->rank && is->fortran == was->fortran && is->dim[0] == rows;
    status = ph_npz_check(npz, i);
    if (status == PH_OK && !same)
      status = ph_fail(PH_ECORRUPT, "%s: %s: it is not what was written", path, was->name);
    if (status == PH_OK && !ph_batch_go_on(b))
      status = ph_fail(PH_ECANCELED, "%s: it was stopped", path);
  }
  ph_npz_close(npz);
  return status;
}

/* Puts the arrays of `from` into a new archive. */
static ph_status write_arrays(ph_batch *b, const ph_batch_item *item, const ph_npz *from,
                              const char *path) {
  ph_npz_writer *to = NULL;
  ph_status status = ph_npz_create(&to, path);
  for (size_t i = 0; status == PH_OK && i < ph_npz_count(from); i++) {
    ph_npz_cut cut = cut_of(b, item, ph_npz_info(from, i));
    status = ph_npz_copy(to, from, i, &cut);
  }
  if (status == PH_OK)
    return ph_npz_finish(to);
  ph_npz_drop(to);
  return status;
}

ph_status ph_batch_write(ph_batch *b, const ph_batch_item *item) {
  char path[1024];
  ph_npz *from = NULL;
  if (!ph_bigym_path(path, sizeof path, b->folder, item->renamed))
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", b->folder);
  ph_status status = open_source(&from, b, item);
  if (status == PH_OK)
    status = write_arrays(b, item, from, path);
  if (status == PH_OK)
    status = check_result(b, item, from, path);
  ph_npz_close(from);
  return status;
}
