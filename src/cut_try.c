/* Whether episodes can be cut as planned, before anything is written: one that cannot is left out,
 * and does not end the others. */
#include <stdlib.h>
#include <string.h>

#include "cut_parts.h"
#include "fail.h"

ph_status ph_cut_read(const ph_episode *episode) {
  enum { CHUNK = 256 };
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  ph_status status = PH_OK;
  for (int i = 0; i < PH_COL_COUNT && status == PH_OK; i++) {
    ph_column col = (ph_column)i;
    int64_t rows = col == PH_COL_FINAL_STATE ? 0 : ph_episode_rows(episode, col);
    size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    void *block = rows > 0 ? malloc(CHUNK * size + 1) : NULL;
    if (rows > 0 && !block)
      status = ph_fail(PH_ENOMEM, "%s: out of memory", ph_episode_meta_of(episode)->id);
    for (int64_t at = 0; at < rows && status == PH_OK; at += CHUNK)
      status = ph_episode_read(episode, col, at, rows - at < CHUNK ? rows - at : CHUNK, block);
    free(block);
  }
  return status;
}

static ph_status try_own(ph_store *store, size_t i, const ph_cut_episode *plan) {
  ph_episode *episode = NULL;
  ph_status status = ph_store_episode(&episode, store, i);
  if (!status)
    status = ph_cut_check(plan, ph_episode_meta_of(episode)->actions);
  if (!status)
    status = ph_cut_read(episode);
  ph_episode_free(episode);
  return status;
}

/* The others are as good as left out. */
static ph_status try_demo(ph_store *store, size_t i, const ph_cut_episode *plan,
                          const ph_cut_options *opt) {
  const ph_cut_episode out = {.dropped = true};
  const char *source = store->homes[0].path;
  ph_cutting c = {.out = source, .source = source, .opt = opt, .store = store, .all = 1};
  c.at = calloc(store->n + 1, sizeof *c.at);
  if (!c.at)
    return ph_fail(PH_ENOMEM, "%s: out of memory", source);
  for (size_t k = 0; k < store->n; k++)
    c.at[k] = k == i ? plan : &out;
  c.list = i == store->n ? plan : NULL;
  ph_status status = ph_cut_try_demo(&c, i);
  free(c.at);
  return status;
}

ph_status ph_cut_try(ph_store *store, size_t i, const ph_cut_episode *plan,
                     const ph_cut_options *opt) {
  static const ph_cut_options none = PH_CUT_OPTIONS_INIT;
  const ph_home *home = &store->homes[0];
  opt = opt ? opt : &none;
  if (ph_cut_is_batch(home->path))
    return ph_cut_try_batch(home->path, i < store->n ? plan : NULL, opt);
  if (home->reader)
    return try_demo(store, i, plan, opt);
  return i < store->n ? try_own(store, i, plan) : PH_OK;
}
