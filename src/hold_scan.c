#include "hold_scan.h"

#include <string.h>

enum { CHUNK = 256 };

static void take_miss(ph_hold_scan *s, int64_t row, int64_t count) {
  size_t at = s->nmisses;
  while (at > 0 && s->miss[at - 1].count < count)
    at--;
  if (at >= PH_MISSES)
    return;
  size_t last = s->nmisses < PH_MISSES ? s->nmisses++ : PH_MISSES - 1;
  memmove(&s->miss[at + 1], &s->miss[at], (last - at) * sizeof *s->miss);
  s->miss[at] = (struct ph_miss){row, count};
}

static void take_row(ph_hold_scan *s, int64_t row, bool predicate) {
  int64_t before = s->hold.count;
  bool was = s->hold.latched;
  s->rows = row + 1;
  if (row < 1)
    return;
  if (ph_hold_update(&s->hold, row, predicate))
    s->from = row - s->hold.count + 1;
  if (s->hold.latched && !s->ended && predicate)
    s->to = row;
  s->ended = s->ended || (was && !predicate);
  if (!predicate && !was && before > 0 && 3 * before >= s->hold.steps)
    take_miss(s, row, before);
}

bool ph_hold_scan_recorded(ph_hold_scan *out, const ph_episode *episode) {
  uint8_t some[CHUNK];
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  int64_t n = ph_episode_rows(episode, PH_COL_PREDICATE);
  *out = (ph_hold_scan){.hold.steps = meta->hold_steps};
  if (n < 1 || meta->hold_seconds < 0)
    return false;
  for (int64_t at = 0; at < n; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    if (ph_episode_read(episode, PH_COL_PREDICATE, at, part, some) != PH_OK)
      return false;
    for (int64_t i = 0; i < part; i++)
      take_row(out, at + i, some[i]);
  }
  return true;
}

/* What was counted where the dynamic run begins. */
static bool begin(ph_hold_scan *s, const ph_analysis *a) {
  ph_cursor *cursor = NULL;
  if (ph_cursor_open(&cursor, ph_analysis_rerun(a)) != PH_OK)
    return false;
  const ph_instant *now = ph_cursor_now(cursor);
  bool judges = now->judged && now->row.predicate;
  s->hold = now->hold;
  s->from = s->to = now->hold.latched ? now->hold.latch : 0;
  ph_cursor_close(cursor);
  return judges;
}

bool ph_hold_scan_dynamic(ph_hold_scan *out, const ph_analysis *a,
                          const ph_analysis_progress *now) {
  ph_step_facts facts[CHUNK];
  *out = (ph_hold_scan){.rows = now->anchor + 1};
  if (!begin(out, a))
    return false;
  for (int64_t at = now->anchor + 1; at < now->free_run; at += CHUNK) {
    int64_t n = now->free_run - at < CHUNK ? now->free_run - at : CHUNK;
    if (ph_analysis_read(a, at, n, facts) != PH_OK)
      return true;
    for (int64_t i = 0; i < n; i++) {
      if (!facts[i].judged)
        return true;
      take_row(out, at + i, facts[i].predicate);
    }
  }
  return true;
}
