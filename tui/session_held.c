/* What the hold in force comes to for the episode on show: by the file, by the task on its states,
 * and by the task on states that physics comes to when it is run again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_held.h"

enum { STALE_MS = 150, POLL_MS = 30 };

void held_close(struct held *h) {
  if (!h)
    return;
  take_free(h->take);
  for (int i = 0; i < PH_LATCH_SOURCES; i++)
    ph_outcomes_free(&h->outcome[i]);
  free(h->why);
  free(h);
}

/* --- the three sources --- */

static void unknown(ph_outcomes *o, const char *why) {
  ph_outcomes_free(o);
  *o = (ph_outcomes){.left = -1, .ended = -1};
  snprintf(o->why, sizeof o->why, "%s", why);
}

static ph_status take_recorded(struct held *h, const struct opened *o) {
  ph_outcomes *out = &h->outcome[PH_LATCH_RECORDED];
  ph_status status = ph_outcomes_take(out, PH_LATCH_RECORDED, o->episode, o->model, o->task, NULL);
  if (status != PH_OK && status != PH_ENOMEM) {
    *out = (ph_outcomes){0};
    unknown(out, ph_error());
    status = PH_OK;
  }
  return status;
}

/* A command has judged its states when it was opened. */
static ph_status take_bits(struct held *h, const struct opened *o) {
  ph_outcomes *out = &h->outcome[PH_LATCH_KINEMATIC];
  *out = (ph_outcomes){.known = true,
                       .rows = o->reel->states - 1,
                       .actions = o->reel->meta.actions,
                       .left = -1,
                       .ended = -1};
  h->taken = true;
  return ph_intervals_add(&out->intervals, o->bits, (size_t)o->reel->states);
}

static ph_status make(struct opened *o) {
  struct held *h = calloc(1, sizeof *h);
  if (!h)
    return PH_ENOMEM;
  ph_status status = take_recorded(h, o);
  if (status == PH_OK && o->bits && o->reel->states > 0) {
    status = take_bits(h, o);
  } else if (o->judge[0]) {
    unknown(&h->outcome[PH_LATCH_KINEMATIC], o->reel->judge_note);
    h->taken = true;
  }
  if (status == PH_OK)
    o->held = h;
  else
    held_close(h);
  return status;
}

/* Before the anchor nothing was run: what the file says, where that leads to the count there. */
static ph_status begin_dynamic(ph_intervals *iv, const struct reel *reel,
                               const struct pass_judged *judged) {
  static const uint8_t no = 0, yes = 1;
  int64_t first = judged->first, count = judged->hold[first] - judged->predicate[first];
  ph_status status = PH_OK;
  if (reel->predicate && reel->hold && first > 0 && reel->hold[first - 1] == count)
    return ph_intervals_add(iv, reel->predicate, (size_t)first);
  for (int64_t t = 0; t < first && status == PH_OK; t++)
    status = ph_intervals_add(iv, t < first - count ? &no : &yes, 1);
  return status;
}

static void left_text(ph_outcomes *out, const ph_analysis *a) {
  ph_step_facts facts;
  ph_difference d = {0};
  if (ph_analysis_read(a, out->left, 1, &facts) != PH_OK || !facts.free_known)
    return;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    d.max[m] = facts.free_max[m];
    d.worst[m] = facts.free_worst[m];
  }
  ph_measure worst = ph_difference_worst(&d, ph_analysis_tolerance(a));
  if (worst < PH_MEASURE_COUNT)
    ph_difference_text(&d, ph_rerun_model(ph_analysis_rerun(a)), worst, out->left_text,
                       sizeof out->left_text);
}

static void end_dynamic(ph_outcomes *out, const ph_analysis *a) {
  ph_analysis_summary sum;
  ph_analysis_sum(a, &sum);
  out->left = sum.first[PH_ROUNDING];
  if (out->left >= 0)
    left_text(out, a);
  bool failed = sum.end != PH_END_UNKNOWN && sum.end != PH_END_SUCCESS;
  out->ended = failed ? sum.end_step : -1;
  snprintf(out->ended_text, sizeof out->ended_text, "%s%s%.200s",
           failed ? ph_end_name(sum.end) : "", failed && sum.end_detail[0] ? ": " : "",
           failed ? sum.end_detail : "");
}

/* Takes the rows that came since. */
static ph_status take_dynamic(struct held *h, const struct opened *o) {
  const struct dynamic *d = o->dynamic;
  const struct pass *pass = d ? d->pass : NULL;
  ph_outcomes *out = &h->outcome[PH_LATCH_DYNAMIC];
  struct pass_judged judged = {0};
  if (pass != h->of || (d && d->anchor != h->anchor)) {
    ph_outcomes_free(out);
    h->of = pass;
    h->anchor = d ? d->anchor : 0;
  }
  if (pass && pass_analysis(pass))
    pass_judged(pass, &judged);
  if (!judged.on || judged.end <= judged.first) {
    unknown(out, "");
    return PH_OK;
  }
  out->known = true;
  out->why[0] = 0;
  out->actions = o->reel->meta.actions;
  ph_status status = PH_OK;
  if (out->intervals.rows == 0)
    status = begin_dynamic(&out->intervals, o->reel, &judged);
  int64_t at = out->intervals.rows;
  if (status == PH_OK && judged.end > at)
    status = ph_intervals_add(&out->intervals, judged.predicate + at, (size_t)(judged.end - at));
  out->rows = out->intervals.rows - 1;
  end_dynamic(out, pass_analysis(pass));
  return status;
}

/* --- the answer --- */

static void answer_source(struct held_source *to, const ph_outcomes *o, int64_t steps) {
  ph_latch_answer a;
  ph_outcomes_latch(o, steps, &a);
  if (a.refusal == PH_REFUSAL_NONE && o->left >= 0 && a.latching.latch >= o->left) {
    a.refusal = PH_REFUSAL_LEFT; /* what comes behind it is of other states */
    a.row = o->left;
  }
  to->known = o->known;
  to->rows = o->rows;
  to->all = o->actions;
  to->latch = a.refusal == PH_REFUSAL_NONE ? a.latching.latch : -1;
  to->longest = a.latching.longest;
  to->refusal = a.refusal;
  to->refused = a.row;
  const char *text = a.refusal == PH_REFUSAL_UNKNOWN ? o->why
                     : a.refusal == PH_REFUSAL_LEFT  ? o->left_text
                     : a.refusal == PH_REFUSAL_ENDED ? o->ended_text
                                                     : "";
  snprintf(to->text, sizeof to->text, "%.*s", (int)sizeof to->text - 1, text);
}

/* The run counts its own hold. */
static void hold_dynamic(struct dynamic_answer *dyn, const ph_outcomes *o, int64_t steps) {
  ph_latching l;
  if (!dyn || !o->known)
    return;
  ph_intervals_latch(&o->intervals, steps, &l);
  dyn->sum.latch = l.latch;
}

/* What is not known yet is waited for. */
static void answer_waits(struct held_answer *out, const struct session *s, const struct opened *o) {
  struct held_source *kinematic = &out->source[PH_LATCH_KINEMATIC];
  struct held_source *dynamic = &out->source[PH_LATCH_DYNAMIC];
  const struct held *h = o->held;
  if (!h->taken) {
    kinematic->waits = s->last.hold.count;
    kinematic->rows = h->take ? take_at(h->take) : 0;
    kinematic->all = o->reel->meta.actions;
    snprintf(kinematic->text, sizeof kinematic->text, "not asked for");
  }
  const struct pass *pass = o->dynamic ? o->dynamic->pass : NULL;
  const char *why = o->dynamic && o->dynamic->refused[0] ? o->dynamic->refused
                    : pass                               ? pass_refused(pass)
                                                         : NULL;
  dynamic->waits = !why && dynamic->latch < 0 && dynamic->refusal != PH_REFUSAL_LEFT &&
                   !(dynamic->known && dynamic->rows >= dynamic->all) &&
                   !(pass && pass_ended(pass));
  if (dynamic->known)
    return;
  snprintf(dynamic->text, sizeof dynamic->text, "%.*s", (int)sizeof dynamic->text - 1,
           why              ? why
           : dynamic->waits ? ""
                            : "nothing judges it");
}

static ph_latch_source listed(const struct session *s, const struct held *h) {
  if (s->last.dyn.mode == MODE_DYNAMIC && h->outcome[PH_LATCH_DYNAMIC].known)
    return PH_LATCH_DYNAMIC;
  return h->outcome[PH_LATCH_RECORDED].known || !h->taken ? PH_LATCH_RECORDED : PH_LATCH_KINEMATIC;
}

/* Why an interval of the dynamic run broke is known where that is what kept it from its latch. */
static void dynamic_reasons(struct held_answer *out, const struct opened *o) {
  ph_broke broke;
  if (!o->dynamic || !o->dynamic->pass || !pass_broke(o->dynamic->pass, &broke))
    return;
  for (size_t i = 0; i < out->n; i++)
    if (out->interval[i].broken && out->interval[i].last + 1 == broke.step)
      snprintf(out->interval[i].by, sizeof out->interval[i].by, "%.*s", HELD_TEXT - 1, broke.text);
}

static ph_status answer_intervals(struct held_answer *out, const struct opened *o) {
  const struct held *h = o->held;
  const ph_intervals *iv = &h->outcome[out->of].intervals;
  out->all = iv->n;
  out->n = iv->n < HELD_INTERVALS ? iv->n : HELD_INTERVALS;
  out->interval = calloc(out->n + 1, sizeof *out->interval);
  if (!out->interval)
    return PH_ENOMEM;
  for (size_t i = 0; i < out->n; i++) {
    struct held_interval *to = &out->interval[i];
    *to = (struct held_interval){
        .first = iv->at[i].first, .last = iv->at[i].last, .broken = iv->at[i].broken};
    if (out->of == h->why_of && i < h->nwhy)
      memcpy(to->by, h->why[i], sizeof to->by);
  }
  if (out->of == PH_LATCH_DYNAMIC)
    dynamic_reasons(out, o);
  return PH_OK;
}

ph_status session_held_answer(struct session *s, struct opened *o, struct snapshot *snap) {
  if (o->live)
    return PH_OK;
  ph_status status = o->held ? PH_OK : make(o);
  struct held_answer *out = status == PH_OK ? calloc(1, sizeof *out) : NULL;
  if (!out)
    return PH_ENOMEM;
  snap->held = out;
  status = take_dynamic(o->held, o);
  if (status != PH_OK)
    return status;
  out->steps = o->reel->hold_steps;
  out->own = o->reel->meta.hold_steps;
  for (int i = 0; i < PH_LATCH_SOURCES; i++)
    answer_source(&out->source[i], &o->held->outcome[i], out->steps);
  answer_waits(out, s, o);
  if (s->last.hold.on)
    hold_dynamic(snap->dyn, &o->held->outcome[PH_LATCH_DYNAMIC], out->steps);
  out->of = listed(s, o->held);
  status = answer_intervals(out, o);
  session_survey_answer(s, o, out);
  session_cut_answer(s, out);
  return status;
}

/* --- a piece at a time --- */

/* "near 0.104 m, closed 0.012 m", of a single one "0.104 m dist(hand,cup)": the conditions that are
 * false where the replay is. */
static void name_false(struct opened *o, char *out) {
  const ph_condition *c = NULL;
  bool value = true;
  size_t n = 0;
  if (ph_replay_predicate(o->replay, &value, &c) != PH_OK || value || !c)
    return;
  for (size_t i = 0; i < o->reel->nconditions && n < HELD_TEXT - 1; i++) {
    char read[48] = "";
    bool only = o->reel->nconditions == 1; /* it has no name of its own */
    if (c[i].value)
      continue;
    if (c[i].reads[0])
      snprintf(read, sizeof read, "%.4g%s%.8s", c[i].read, c[i].unit[0] ? " " : "", c[i].unit);
    int more = snprintf(out + n, HELD_TEXT - n, "%s%s%s%.60s", n ? ", " : "",
                        only ? read : c[i].name, read[0] ? " " : "",
                        only && read[0] ? c[i].reads
                        : only          ? c[i].name
                                        : read);
    n += more > 0 ? (size_t)more : 0;
  }
}

/* Who judges here is who judged there: the task of the file, or whoever took the intervals. */
static bool can_tell(const struct opened *o, ph_latch_source of) {
  bool own = o->task && strcmp(o->reel->meta.task_sha256, ph_task_sha256(o->task)) == 0;
  return o->reel->nconditions > 0 && !opened_wants_stages(o) &&
         (of == PH_LATCH_KINEMATIC || (of == PH_LATCH_RECORDED && own));
}

/* Intervals of the source whose reasons are wanted, and how many of them. */
static size_t wanted_reasons(const struct session *s, const struct opened *o, ph_latch_source *of) {
  const struct held *h = o->held;
  *of = listed(s, h);
  size_t n = h->outcome[*of].intervals.n;
  if (*of == PH_LATCH_DYNAMIC || !can_tell(o, *of))
    return 0;
  return n < HELD_INTERVALS ? n : HELD_INTERVALS;
}

static bool wants_reason(const struct session *s, const struct opened *o) {
  ph_latch_source of;
  size_t n = wanted_reasons(s, o, &of);
  return n > 0 && (of != o->held->why_of || o->held->nwhy < n);
}

/* Of the next interval. */
static void tell_reason(struct session *s, struct opened *o) {
  struct held *h = o->held;
  ph_latch_source of;
  wanted_reasons(s, o, &of);
  if (of != h->why_of) {
    h->why_of = of;
    h->nwhy = 0;
  }
  if (!h->why)
    h->why = calloc(HELD_INTERVALS, sizeof *h->why);
  if (!h->why) {
    h->nwhy = HELD_INTERVALS; /* without memory they stay without a reason */
    return;
  }
  const ph_interval *iv = &h->outcome[of].intervals.at[h->nwhy];
  h->why[h->nwhy][0] = 0;
  if (iv->broken && ph_replay_seek(o->replay, iv->last + 1, 0, PH_KINEMATIC) == PH_OK)
    name_false(o, h->why[h->nwhy]);
  h->nwhy++;
}

static bool wants_take(const struct session *s, const struct opened *o) {
  return s->last.hold.count && !o->held->taken && !o->held->take;
}

static void begin_take(struct opened *o) {
  const struct take_wish wish = {
      .episode = o->episode, .model = o->model, .task = o->task, .source = PH_LATCH_KINEMATIC};
  o->held->take = take_start(&wish);
  if (o->held->take)
    return;
  o->held->taken = true;
  unknown(&o->held->outcome[PH_LATCH_KINEMATIC], ph_status_message(PH_ENOMEM));
}

static bool end_take(struct held *h) {
  if (!h->take || !take_ended(h->take))
    return false;
  take_result(h->take, &h->outcome[PH_LATCH_KINEMATIC]);
  take_free(h->take);
  h->take = NULL;
  h->taken = true;
  return true;
}

static bool is_stale(const struct session *s) {
  return session_clock() - s->published >= STALE_MS;
}

bool session_held_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                       void *arg, bool *due) {
  struct held *h = o->held;
  *due = false;
  if (!h)
    return false;
  if (session_cut_work(s, o)) {
    *due = true;
    return true;
  }
  if (wants_take(s, o)) {
    begin_take(o);
    return true;
  }
  if (end_take(h)) {
    *due = true;
    return true;
  }
  if (wants_reason(s, o)) {
    uint64_t until = session_clock() + 8;
    while (wants_reason(s, o) && session_clock() < until && !(interrupted && interrupted(arg)))
      tell_reason(s, o);
    *due = !wants_reason(s, o) || is_stale(s);
    return true;
  }
  if (session_survey_work(s, o, interrupted, arg, due)) {
    *due = *due || is_stale(s);
    return true;
  }
  *due = (h->take || s->cut.job) && is_stale(s);
  return *due;
}

uint64_t session_held_wait(const struct session *s, const struct opened *o) {
  const struct held *h = o->held;
  if (!h)
    return UINT64_MAX;
  if (wants_take(s, o) || wants_reason(s, o) || session_survey_idles(s, o) ||
      (h->take && take_ended(h->take)))
    return 0;
  uint64_t wait = session_survey_wait(s), cut = session_cut_wait(s);
  wait = cut < wait ? cut : wait;
  return h->take && wait > POLL_MS ? POLL_MS : wait;
}

bool session_held_settle(struct session *s, struct opened *o) {
  bool news = false;
  if (!o->held)
    return false;
  if (wants_take(s, o))
    begin_take(o);
  if (o->held->take) {
    take_wait(o->held->take);
    news = end_take(o->held);
  }
  while (wants_reason(s, o)) {
    tell_reason(s, o);
    news = true;
  }
  news = session_survey_settle(s, o) || news;
  return session_cut_settle(s, o) || news;
}
