#include <playhead/latch.h>

#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- taking rows --- */

/* Whether the last interval goes on to the row before the next. */
static bool is_open(const ph_intervals *iv) {
  return iv->n > 0 && !iv->at[iv->n - 1].broken;
}

static size_t count_begun(const ph_intervals *iv, const uint8_t *predicate, size_t n) {
  size_t begun = 0;
  bool before = is_open(iv);
  for (size_t i = iv->rows == 0; i < n; i++) {
    begun += predicate[i] && !before;
    before = predicate[i];
  }
  return begun;
}

static ph_status reserve(ph_intervals *iv, size_t more) {
  size_t room = iv->room > 0 ? iv->room : 8;
  while (room < iv->n + more)
    room *= 2;
  if (room == iv->room || more == 0)
    return PH_OK;
  ph_interval *at = realloc(iv->at, room * sizeof *at);
  if (!at)
    return ph_fail(PH_ENOMEM, "intervals: out of memory");
  iv->at = at;
  iv->room = room;
  return PH_OK;
}

ph_status ph_intervals_add(ph_intervals *iv, const uint8_t *predicate, size_t n) {
  ph_status status = reserve(iv, count_begun(iv, predicate, n));
  for (size_t i = 0; status == PH_OK && i < n; i++) {
    int64_t row = iv->rows++;
    if (row == 0)
      continue;
    iv->true_rows += predicate[i] != 0;
    if (is_open(iv) && predicate[i])
      iv->at[iv->n - 1].last = row;
    else if (is_open(iv))
      iv->at[iv->n - 1].broken = true;
    else if (predicate[i])
      iv->at[iv->n++] = (ph_interval){row, row, false};
  }
  return status;
}

void ph_intervals_free(ph_intervals *iv) {
  free(iv->at);
  *iv = (ph_intervals){0};
}

/* --- what a hold comes to --- */

static void take_miss(ph_latching *l, int64_t row, int64_t count) {
  size_t at = l->nmisses;
  while (at > 0 && l->miss[at - 1].count < count)
    at--;
  if (at >= PH_NEAR_MISSES)
    return;
  size_t last = l->nmisses < PH_NEAR_MISSES ? l->nmisses++ : PH_NEAR_MISSES - 1;
  memmove(&l->miss[at + 1], &l->miss[at], (last - at) * sizeof *l->miss);
  l->miss[at] = (ph_near_miss){row, count};
}

bool ph_near_enough(int64_t count, int64_t hold_steps) {
  return count >= hold_steps / 3 + (hold_steps % 3 > 0);
}

void ph_intervals_latch(const ph_intervals *iv, int64_t hold_steps, ph_latching *out) {
  int64_t needs = hold_steps > 1 ? hold_steps : 1;
  *out = (ph_latching){.latch = -1, .longest_first = -1};
  for (size_t i = 0; i < iv->n; i++) {
    const ph_interval *at = &iv->at[i];
    int64_t count = at->last - at->first + 1;
    if (count > out->longest) {
      out->longest = count;
      out->longest_first = at->first;
    }
    if (out->latch >= 0)
      continue;
    if (count >= needs) {
      out->latch = at->first + needs - 1;
      out->interval = i;
    } else if (at->broken && ph_near_enough(count, hold_steps)) {
      take_miss(out, at->last + 1, count);
    }
  }
}
