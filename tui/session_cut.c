/* A cut behind the screen: what is asked for is begun with the rows that the survey has counted,
 * and goes on in the background whatever else is on show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut_job.h"
#include "session_held.h"

enum { POLL_MS = 40 };

void session_cut_free(struct session *s) {
  cut_job_free(s->cut.job);
  s->cut.job = NULL;
}

static void end_cut(struct session_cut *c, bool failed, const char *text) {
  c->cuts = c->serial;
  c->failed = failed;
  snprintf(c->text, sizeof c->text, "%s", text);
}

/* What a latch row depends on; without it there is none. */
static char *fingerprint(const struct opened *o, const struct hold_wish *hold) {
  char *text = NULL;
  const ph_episode_meta *meta = &o->reel->meta;
  int64_t steps = hold_wish_steps(hold, meta->control_dt, meta->hold_steps);
  ph_latch_inputs in = {.meta = meta,
                        .model = o->model,
                        .task = o->task,
                        .hold_seconds = hold->on ? hold->seconds : meta->hold_seconds,
                        .hold_steps = steps};
  return ph_latch_fingerprint(&text, &in) == PH_OK ? text : NULL;
}

/* Rows that are not by what the files store: the result stores the task that they are by. Episodes
 * of one recorded task are judged by one. */
static void take_judge(const struct session *s, const struct opened *o, size_t source,
                       ph_latch_source by, struct cut_order *order) {
  if (by == PH_LATCH_RECORDED)
    return;
  order->judge = "playhead view";
  if (o->judge[0] || !o->task)
    return;
  order->task = ph_task_ref(o->task);
  for (size_t k = 0, i = 0; i < s->catalog->n && k < order->n; i++) {
    const ph_entry *e = catalog_entry(s->catalog, i);
    if (catalog_source(s->catalog, i) != source || strcmp(e->id, order->plan[k].id) != 0)
      continue;
    bool same = strcmp(e->task_sha256, o->reel->meta.task_sha256) == 0;
    order->plan[k++].task = same ? order->task : NULL;
  }
}

static void begin_cut(struct session *s, struct opened *o) {
  struct session_cut *c = &s->cut;
  const struct cut_wish *wish = &s->last.cut;
  size_t source = wish->episode < s->catalog->n ? catalog_source(s->catalog, wish->episode) : 0;
  struct cut_order order = {.hold_seconds = wish->hold.on ? wish->hold.seconds : -1};
  const char *why = NULL;
  if (wish->dropped == c->serial)
    why = "canceled";
  else if (strlen(s->catalog->source[source]) >= sizeof order.source)
    why = "the path of the source is too long";
  else if (!session_survey_plan(s, source, wish->by, &wish->hold, &order.plan, &order.n))
    why = "its episodes were not all looked at; :cut counts them";
  if (!why) {
    snprintf(order.out, sizeof order.out, "%s", wish->out);
    snprintf(order.source, sizeof order.source, "%s", s->catalog->source[source]);
    order.method = ph_latch_source_name(wish->by);
    order.fingerprint = o->place == wish->episode ? fingerprint(o, &wish->hold) : NULL;
    if (o->place == wish->episode)
      take_judge(s, o, source, wish->by, &order);
    c->job = cut_job_start(&order);
    why = c->job ? NULL : ph_status_message(PH_ENOMEM);
  }
  if (!why)
    return;
  char text[200];
  snprintf(text, sizeof text, "not cut: %s", why);
  end_cut(c, true, text);
}

/* One that is asked for while another is under way waits for it. */
static bool wants(const struct session *s) {
  return s->cut.job ? cut_job_ended(s->cut.job) : s->last.cut.serial != s->cut.serial;
}

bool session_cut_work(struct session *s, struct opened *o) {
  struct session_cut *c = &s->cut;
  char text[sizeof c->text];
  if (c->job && s->last.cut.dropped == c->serial)
    cut_job_cancel(c->job);
  if (!wants(s))
    return false;
  if (!c->job) {
    c->serial = s->last.cut.serial;
    begin_cut(s, o);
    return true;
  }
  cut_job_text(c->job, text, sizeof text);
  end_cut(c, !cut_job_done(c->job), text);
  session_cut_free(s);
  return true;
}

uint64_t session_cut_wait(const struct session *s) {
  return wants(s) ? 0 : s->cut.job ? POLL_MS : UINT64_MAX;
}

bool session_cut_settle(struct session *s, struct opened *o) {
  bool news = false;
  while (session_cut_work(s, o)) {
    news = true;
    if (s->cut.job)
      cut_job_wait(s->cut.job);
  }
  return news;
}

void session_cut_answer(const struct session *s, struct held_answer *out) {
  const struct session_cut *c = &s->cut;
  out->cuts = c->cuts;
  out->cut_failed = c->failed;
  snprintf(out->cut, sizeof out->cut, "%s", c->text);
  if (c->job)
    cut_job_text(c->job, out->cutting, sizeof out->cutting);
}
