#include "rerun_parts.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Steps that are taken in one go, and again after each of the first of them. */
enum { STEPS = 3, AGAIN = 2 };

static _Thread_local bool loses_warmstart;

void ph_rerun_lose_warmstart(bool lose) {
  loses_warmstart = lose;
}
bool ph_rerun_loses_warmstart(void) {
  return loses_warmstart;
}

/* The components that checkpoints leave out. */
static bool still_same(const ph_cursor *c) {
  ph_row row;
  if (ph_sim_get_row(c->sim, &row) != PH_OK)
    return false;
  for (int i = 0; i < PH_STILL; i++) {
    size_t size = ph_schema_width(ph_still[i], &c->run->dims) *
                  ph_type_size(ph_schema_column(ph_still[i])->type);
    if (c->run->still[i] && !ph_rerun_drives(c->run, ph_still[i]) &&
        memcmp(c->run->still[i], ph_row_column(&row, ph_still[i]), size) != 0)
      return false;
  }
  return true;
}

/* A run without a break from where the cursor stands: blobs 0 .. *n. Physics or a script that stops
 * is no fault of a checkpoint's: what is before it counts. */
static ph_status straight(ph_cursor *c, char *blobs, int *n, bool *trusted) {
  size_t size = c->run->blob;
  ph_status status = ph_rerun_pack(c, blobs);
  *n = 0;
  for (int taken = 1; status == PH_OK && taken <= STEPS; taken++) {
    status = ph_rerun_advance(c);
    if (ph_rerun_of_step(status))
      return PH_OK;
    if (status == PH_OK) {
      status = ph_rerun_pack(c, blobs + (size_t)taken * size);
      *n = taken;
    }
    *trusted = *trusted && still_same(c);
  }
  return status;
}

/* The same after a restore of blob `at`. */
static ph_status again(ph_cursor *c, int64_t first, const char *blobs, int at, int n, char *room,
                       bool *trusted) {
  size_t size = c->run->blob;
  bool alone = c->alone;
  ph_status status = ph_rerun_unpack(c, first + at, blobs + (size_t)at * size);
  c->alone = alone;
  for (int i = at + 1; status == PH_OK && *trusted && i <= n; i++) {
    status = ph_rerun_advance(c);
    if (status == PH_OK)
      status = ph_rerun_pack(c, room);
    if (ph_rerun_of_step(status))
      *trusted = false;
    else if (status == PH_OK)
      *trusted = memcmp(room, blobs + (size_t)i * size, size) == 0;
  }
  return ph_rerun_of_step(status) ? PH_OK : status;
}

static ph_status try_here(ph_cursor *c, char *blobs, bool *trusted) {
  int64_t first = c->step;
  int n = 0;
  ph_status status = straight(c, blobs, &n, trusted);
  for (int at = 0; status == PH_OK && *trusted && at < AGAIN && at < n; at++)
    status = again(c, first, blobs, at, n, blobs + (STEPS + 1) * c->run->blob, trusted);
  return status;
}

/* A recorded state half way, under what drives physics there. False: it cannot be run. */
static bool half_way(ph_cursor *c) {
  const ph_rerun *run = c->run;
  int64_t states = ph_episode_meta_of(run->episode)->states;
  int64_t step = run->opt.anchor + (states - 1 - run->opt.anchor) / 2;
  ph_row row;
  if (step <= run->opt.anchor || ph_rerun_row(c, step, &row) != PH_OK)
    return false;
  for (int i = 0; i < PH_STILL; i++)
    if (!ph_rerun_drives(run, ph_still[i]))
      ph_row_set_column(&row, ph_still[i], run->still[i]);
  return ph_rerun_put(c, step, &row) == PH_OK;
}

ph_status ph_rerun_trust(ph_cursor *c, bool *trusted) {
  *trusted = !ph_mj_unrestorable(c->sim->m);
  if (!*trusted || c->run->states <= c->run->opt.anchor + 1)
    return PH_OK;
  char *blobs = malloc((STEPS + 2) * c->run->blob);
  if (!blobs)
    return ph_fail(PH_ENOMEM, "rerun: out of memory");
  ph_status status = try_here(c, blobs, trusted);
  c->alone = true;
  if (status == PH_OK && *trusted && half_way(c))
    status = try_here(c, blobs, trusted);
  c->alone = false;
  free(blobs);
  return status;
}
