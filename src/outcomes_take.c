#include "outcomes_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "provenance.h"

enum { CHUNK = 256 }; /* rows that have one checksum: damage takes no others with it */

/* --- what all sources share --- */

ph_status ph_take_unknown(const ph_taking *t, ph_lack lack, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(t->out->why, sizeof t->out->why, fmt, args);
  va_end(args);
  t->out->known = false;
  t->out->lack = lack;
  t->out->rows = 0;
  ph_intervals_free(&t->out->intervals);
  return PH_OK;
}

ph_lack ph_take_lack(const ph_taking *t) {
  bool said = t->episode->no_model[0] && !t->episode->no_model_named;
  return !t->model && !said ? PH_LACK_MODEL : PH_LACK_OTHER;
}

const char *ph_take_error(const ph_taking *t) {
  return ph_text_without(ph_error(), t->meta->id);
}

ph_status ph_take_known(const ph_taking *t) {
  ph_outcomes *out = t->out;
  int64_t rows = out->intervals.rows;
  out->known = true;
  out->rows = rows > 0 ? rows - 1 : 0;
  if (out->rows < out->actions && !out->why[0] && out->left < 0 && out->ended < 0)
    snprintf(out->why, sizeof out->why, "outcomes behind row %" PRId64 " are not in the file",
             out->rows);
  return PH_OK;
}

ph_status ph_take_stop(const ph_taking *t, ph_status status, int64_t row) {
  const char *text = ph_take_error(t);
  t->out->damaged = status == PH_ECORRUPT;
  if (row < 2)
    return ph_take_unknown(t, PH_LACK_OTHER, "%s", text);
  snprintf(t->out->why, sizeof t->out->why, "%s", text);
  return ph_take_known(t);
}

void ph_take_end(const ph_taking *t, int64_t row, ph_end end, const char *detail) {
  if (t->out->ended >= 0)
    return;
  t->out->ended = row;
  snprintf(t->out->ended_text, sizeof t->out->ended_text, "%s%s%s", ph_end_name(end),
           detail[0] ? ": " : "", detail);
}

ph_status ph_take_ruling(const ph_taking *t, int64_t row, bool predicate, ph_end end,
                         const char *detail, bool *nan) {
  uint8_t bit = predicate;
  *nan = end == PH_END_NAN;
  if (end == PH_END_NAN || end == PH_END_TERMINATED || end == PH_END_TRUNCATED)
    ph_take_end(t, row, end, detail);
  return *nan ? PH_OK : ph_intervals_add(&t->out->intervals, &bit, 1);
}

ph_status ph_take_go_on(const ph_taking *t, int64_t step) {
  const ph_outcomes_options *opt = t->opt;
  if (!opt->progress || opt->progress(opt->arg, step, t->meta->states))
    return PH_OK;
  return ph_fail(PH_ECANCELED, "%s: canceled at step %" PRId64, t->meta->id, step);
}

/* --- what the file stores --- */

static ph_status has_none(const ph_taking *t) {
  const ph_episode_meta *m = t->meta;
  if (m->success < 0)
    return ph_take_unknown(t, PH_LACK_OTHER, "the file stores no predicate");
  return ph_take_unknown(t, PH_LACK_OTHER,
                         "the file stores only that the whole episode is %s%s%s%s",
                         m->success ? "a success" : "no success", m->success_source[0] ? " (" : "",
                         m->success_source, m->success_source[0] ? ")" : "");
}

/* Forgets the rows behind `last`. */
static void keep_rows(ph_intervals *iv, int64_t last) {
  while (iv->n > 0 && iv->at[iv->n - 1].first > last)
    iv->n--;
  if (iv->n > 0 && iv->at[iv->n - 1].last >= last) {
    iv->at[iv->n - 1].last = last;
    iv->at[iv->n - 1].broken = false;
  }
  iv->true_rows = 0;
  for (size_t i = 0; i < iv->n; i++)
    iv->true_rows += iv->at[i].last - iv->at[i].first + 1;
  iv->rows = last + 1;
}

/* Whether the env has ended behind a row is not known. */
static ph_status stop_at_flags(const ph_taking *t, ph_status status, int64_t last) {
  if (status == PH_ENOMEM)
    return status;
  if (last + 1 < t->out->intervals.rows)
    keep_rows(&t->out->intervals, last);
  return ph_take_stop(t, status, last + 1);
}

/* The first row before the last that is flagged done. Success is no other end: it latches there. */
static ph_status find_flag(const ph_taking *t, int64_t latch) {
  uint8_t some[CHUNK];
  int64_t n = ph_episode_rows(t->episode, PH_COL_FLAGS);
  n = n < t->meta->actions ? n : t->meta->actions - 1;
  for (int64_t at = 0; at < n && t->out->ended < 0; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    ph_status status = ph_episode_read(t->episode, PH_COL_FLAGS, at, part, some);
    if (status != PH_OK)
      return stop_at_flags(t, status, at);
    for (int64_t i = 0; i < part; i++)
      if (some[i] & PH_FLAG_TRUNCATED)
        ph_take_end(t, at + i + 1, PH_END_TRUNCATED, "");
      else if (some[i] & PH_FLAG_TERMINATED && at + i + 1 != latch)
        ph_take_end(t, at + i + 1, PH_END_TERMINATED, "");
  }
  return PH_OK;
}

/* Others mark the end of a demo, success, or both as done: that says nothing. */
static ph_status find_end(const ph_taking *t) {
  const ph_episode_meta *m = t->meta;
  ph_latching recorded;
  ph_intervals_latch(&t->out->intervals, m->hold_steps, &recorded);
  ph_status status = m->layout[0] ? PH_OK : find_flag(t, recorded.latch);
  if (m->end_reason == PH_END_TERMINATED || m->end_reason == PH_END_TRUNCATED ||
      m->end_reason == PH_END_NAN)
    ph_take_end(t, m->actions, m->end_reason, m->end_detail);
  return status;
}

/* Others, and cuts of theirs, may tell success at the very end alone: then no hold is in it. */
static void tell_last_alone(const ph_taking *t) {
  ph_outcomes *out = t->out;
  const ph_intervals *iv = &out->intervals;
  char cut[400];
  ph_cut_step step;
  if (!t->meta->layout[0] || out->why[0] || iv->true_rows != 1 || iv->at[0].broken || iv->rows < 3)
    return;
  bool is_cut = ph_cut_step_read(&step, t->meta->provenance) && step.rewards_set;
  step.file[0] = step.date[0] = 0;
  step.source_hold_seconds = -1;
  ph_cut_step_text(cut, sizeof cut, &step);
  snprintf(out->why, sizeof out->why, "%s%.150s%sthe file tells success of its last row alone",
           is_cut ? "it was cut" : "", is_cut ? cut : "", is_cut ? ", and " : "");
}

ph_status ph_take_recorded(const ph_taking *t) {
  uint8_t some[CHUNK];
  int64_t n = ph_episode_rows(t->episode, PH_COL_PREDICATE), at = 0;
  ph_status status = PH_OK;
  if (!ph_episode_has(t->episode, PH_COL_PREDICATE))
    return has_none(t);
  for (; at < n && status == PH_OK; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    if ((status = ph_take_go_on(t, at)) != PH_OK)
      return status;
    status = ph_episode_read(t->episode, PH_COL_PREDICATE, at, part, some);
    if (status != PH_OK)
      break;
    status = ph_intervals_add(&t->out->intervals, some, (size_t)part);
  }
  if (status == PH_OK && t->episode->last_outcome >= 0) {
    some[0] = t->episode->last_outcome > 0;
    status = ph_intervals_add(&t->out->intervals, some, 1);
  }
  if (status == PH_ENOMEM)
    return status;
  if (status == PH_OK)
    ph_take_known(t);
  else
    ph_take_stop(t, status, at);
  if (t->out->known && t->meta->layout[0] && t->meta->hold_seconds > 0)
    t->out->held_steps = t->meta->hold_steps;
  if (t->out->known)
    tell_last_alone(t);
  return t->out->known ? find_end(t) : PH_OK;
}

/* --- one of them --- */

static void name_judge(const ph_taking *t, ph_latch_source source) {
  bool own = source == PH_LATCH_RECORDED || (t->opt->judge && source == PH_LATCH_KINEMATIC);
  const char *sha256 = own ? t->meta->task_sha256 : t->task ? ph_task_sha256(t->task) : "";
  snprintf(t->out->judge, sizeof t->out->judge, "%s", sha256);
}

ph_status ph_outcomes_take(ph_outcomes *out, ph_latch_source source, const ph_episode *episode,
                           const ph_model *model, const ph_task *task,
                           const ph_outcomes_options *opt) {
  static const ph_outcomes_options usual = {0};
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_taking t = {out, episode, meta, model, task, opt ? opt : &usual};
  int64_t outcomes = meta->states - 1;
  *out = (ph_outcomes){.left = -1, .ended = -1};
  out->actions = meta->actions > outcomes ? meta->actions : outcomes;
  ph_status status = source == PH_LATCH_RECORDED    ? ph_take_recorded(&t)
                     : source == PH_LATCH_KINEMATIC ? ph_take_kinematic(&t)
                                                    : ph_take_dynamic(&t);
  if (status != PH_OK)
    ph_outcomes_free(out);
  else
    name_judge(&t, source);
  return status;
}

/* --- which of them --- */

ph_latch_source ph_outcomes_strictest(const ph_episode *episode, const ph_model *model,
                                      const ph_task *task, bool anyway) {
  char why[400];
  if (!model || !task || !ph_task_info_of(task)->has_success)
    return PH_LATCH_RECORDED;
  bool exact = ph_episode_guarantee(episode, model, task, why, sizeof why) == PH_EXACT;
  return exact || anyway ? PH_LATCH_DYNAMIC : PH_LATCH_KINEMATIC;
}
