#include "hold_scan.h"

#include <string.h>

enum { CHUNK = 256 };

/* Forgets the intervals. */
static void finish(ph_hold_scan *s, ph_intervals *iv) {
  ph_latching l;
  ph_intervals_latch(iv, s->hold.steps, &l);
  const ph_interval *last = iv->n > 0 ? &iv->at[iv->n - 1] : NULL;
  s->rows = iv->rows;
  s->hold.count = last && !last->broken ? last->last - last->first + 1 : 0;
  s->hold.latched = l.latch >= 0;
  if (s->hold.latched) {
    s->hold.latch = l.latch;
    s->from = iv->at[l.interval].first;
    s->to = iv->at[l.interval].last;
    s->ended = iv->at[l.interval].broken;
  }
  s->nmisses = l.nmisses;
  memcpy(s->miss, l.miss, sizeof s->miss);
  ph_intervals_free(iv);
}

bool ph_hold_scan_recorded(ph_hold_scan *out, const ph_episode *episode, int64_t hold_steps) {
  uint8_t some[CHUNK];
  ph_intervals iv = {0};
  ph_status status = PH_OK;
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  int64_t n = ph_episode_rows(episode, PH_COL_PREDICATE);
  *out = (ph_hold_scan){.hold.steps = hold_steps < 0 ? meta->hold_steps : hold_steps};
  /* What others store is no predicate that a hold is counted along: it has held. */
  if (n < 1 || (hold_steps < 0 && (meta->hold_seconds < 0 || meta->layout[0])))
    return false;
  for (int64_t at = 0; at < n && status == PH_OK; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    status = ph_episode_read(episode, PH_COL_PREDICATE, at, part, some);
    if (status == PH_OK)
      status = ph_intervals_add(&iv, some, (size_t)part);
  }
  finish(out, &iv);
  return status == PH_OK;
}

/* What was counted where the dynamic run begins. */
static bool begin(ph_hold *hold, const ph_analysis *a) {
  ph_cursor *cursor = NULL;
  if (ph_cursor_open(&cursor, ph_analysis_rerun(a)) != PH_OK)
    return false;
  const ph_instant *now = ph_cursor_now(cursor);
  bool judges = now->judged && now->row.predicate;
  *hold = now->hold;
  ph_cursor_close(cursor);
  return judges;
}

/* Rows up to the anchor, true where the counter says that they were. */
static ph_status add_counted(ph_intervals *iv, const ph_hold *hold, int64_t anchor) {
  uint8_t some[CHUNK];
  int64_t needs = hold->steps > 1 ? hold->steps : 1;
  ph_status status = PH_OK;
  while (iv->rows <= anchor && status == PH_OK) {
    int64_t left = anchor + 1 - iv->rows, n = left < CHUNK ? left : CHUNK;
    for (int64_t i = 0; i < n; i++) {
      int64_t row = iv->rows + i;
      some[i] = row > anchor - hold->count ||
                (hold->latched && row <= hold->latch && row > hold->latch - needs);
    }
    status = ph_intervals_add(iv, some, (size_t)n);
  }
  return status;
}

static ph_status add_facts(ph_intervals *iv, const ph_step_facts *facts, int64_t n,
                           int64_t *judged) {
  uint8_t some[CHUNK];
  for (*judged = 0; *judged < n && facts[*judged].judged; ++*judged)
    some[*judged] = facts[*judged].predicate;
  return ph_intervals_add(iv, some, (size_t)*judged);
}

bool ph_hold_scan_dynamic(ph_hold_scan *out, const ph_analysis *a, const ph_analysis_progress *now,
                          int64_t hold_steps) {
  ph_step_facts facts[CHUNK];
  ph_intervals iv = {0};
  *out = (ph_hold_scan){.rows = now->anchor + 1};
  if (!begin(&out->hold, a))
    return false;
  ph_status status = add_counted(&iv, &out->hold, now->anchor);
  out->hold.steps = hold_steps < 0 ? out->hold.steps : hold_steps;
  while (iv.rows < now->free_run && status == PH_OK) {
    int64_t left = now->free_run - iv.rows, n = left < CHUNK ? left : CHUNK, judged = 0;
    if (ph_analysis_read(a, iv.rows, n, facts) != PH_OK)
      break;
    status = add_facts(&iv, facts, n, &judged);
    if (judged < n)
      break;
  }
  finish(out, &iv);
  return status == PH_OK;
}
