#include "ensemble_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

static const double rate_max = 1000;

static const ph_member *lead_of(const ph_ensemble *e) {
  return &e->member[e->opt.lead];
}

static bool can_be_read(const ph_member *m) {
  return !m->env.reason[0];
}

/* --- places --- */

int64_t ph_member_wanted(const ph_ensemble *e, const ph_member *m, int64_t playhead) {
  if (m->rate != 1)
    return llrint((double)playhead * m->rate);
  return playhead + m->offset - lead_of(e)->offset;
}

ph_ensemble_place ph_ensemble_place_of(const ph_ensemble *e, size_t i, int64_t playhead) {
  ph_ensemble_place at = {.step = -1};
  if (i >= e->n || !can_be_read(&e->member[i]))
    return at;
  const ph_member *m = &e->member[i];
  int64_t last = m->env.states - 1;
  at.wanted = ph_member_wanted(e, m, playhead);
  at.held = at.wanted > last;
  at.waits = at.wanted < 0;
  at.step = at.held ? last : at.waits ? 0 : at.wanted;
  return at;
}

/* The last playhead at which it has a state. */
static int64_t last_of(const ph_ensemble *e, const ph_member *m) {
  int64_t last = m->env.states - 1;
  if (m->rate == 1)
    return last - m->offset + lead_of(e)->offset;
  int64_t p = (int64_t)((double)last / m->rate);
  while (ph_member_wanted(e, m, p + 1) <= last)
    p++;
  return p;
}

int64_t ph_ensemble_last(const ph_ensemble *e) {
  int64_t last = -1;
  for (size_t i = 0; i < e->n; i++) {
    const ph_member *m = &e->member[i];
    if (!can_be_read(m))
      continue;
    int64_t its = last_of(e, m);
    if (last < 0 || (e->opt.hold_last ? its > last : its < last))
      last = its > 0 ? its : 0;
  }
  return last > 0 ? last : 0;
}

/* --- alignment --- */

static void by_step(ph_member *m, const char *note) {
  m->by_step = true;
  snprintf(m->note, sizeof m->note, "%s: aligned by step", note);
}

static void align_time(ph_ensemble *e, ph_member *m) {
  double lead = lead_of(e)->env.control_dt, dt = m->env.control_dt;
  double rate = lead > 0 && dt > 0 ? lead / dt : 0;
  if (lead <= 0)
    by_step(m, "the control step of the env that leads is not known");
  else if (dt <= 0)
    by_step(m, "its control step is not known");
  else if (!(rate >= 1 / rate_max && rate <= rate_max))
    by_step(m, "its control step is of another order");
  else
    m->rate = rate;
}

/* Its latch, by the sources that count. */
static int64_t latch_of(ph_member *m, ph_align align) {
  pthread_mutex_lock(&m->lock);
  const int64_t *latch = m->result.latch;
  int64_t at = align == PH_ALIGN_DYNAMIC                      ? latch[PH_LATCH_DYNAMIC]
               : latch[PH_LATCH_RECORDED] != PH_LATCH_UNKNOWN ? latch[PH_LATCH_RECORDED]
                                                              : latch[PH_LATCH_KINEMATIC];
  pthread_mutex_unlock(&m->lock);
  return at;
}

static const char *missing_latch(int64_t latch, ph_align align) {
  bool dynamic = align == PH_ALIGN_DYNAMIC;
  if (latch == PH_LATCH_NEVER)
    return dynamic ? "its dynamic run never latches" : "it never latches";
  return dynamic ? "no latch of its dynamic run is known" : "no latch of it is known";
}

/* The common axis is that of the first env that latches. */
static void align_latches(ph_ensemble *e, ph_align align) {
  int64_t first = -1;
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    int64_t latch = latch_of(m, align);
    if (latch < 0) {
      by_step(m, missing_latch(latch, align));
      continue;
    }
    first = first < 0 ? latch : first;
    m->offset = latch - first;
  }
}

void ph_ensemble_align(ph_ensemble *e, ph_align align) {
  if ((unsigned)align >= PH_ALIGN_COUNT)
    return;
  e->opt.align = align;
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    m->rate = 1;
    m->offset = 0;
    m->by_step = false;
    m->note[0] = 0;
    if (align == PH_ALIGN_TIME && can_be_read(m))
      align_time(e, m);
  }
  if (align == PH_ALIGN_LATCH || align == PH_ALIGN_DYNAMIC)
    align_latches(e, align);
}

ph_alignment ph_ensemble_alignment(const ph_ensemble *e, size_t i) {
  ph_alignment out = {.rate = 1};
  if (i >= e->n)
    return out;
  const ph_member *m = &e->member[i];
  out.rate = m->rate;
  out.shift = m->offset - lead_of(e)->offset;
  out.by_step = m->by_step;
  memcpy(out.note, m->note, sizeof out.note);
  return out;
}

ph_status ph_ensemble_set_lead(ph_ensemble *e, size_t lead) {
  if (lead >= e->n)
    return ph_fail(PH_EINVAL, "envs: there is no env %zu to lead: they are 0 to %zu", lead,
                   e->n - 1);
  e->opt.lead = lead;
  if (e->opt.align == PH_ALIGN_TIME)
    ph_ensemble_align(e, PH_ALIGN_TIME);
  return PH_OK;
}

void ph_ensemble_set_hold(ph_ensemble *e, bool hold_last) {
  e->opt.hold_last = hold_last;
}

ph_align ph_ensemble_align_of(const ph_ensemble *e) {
  return e->opt.align;
}

size_t ph_ensemble_lead(const ph_ensemble *e) {
  return e->opt.lead;
}

bool ph_ensemble_holds(const ph_ensemble *e) {
  return e->opt.hold_last;
}
