/* One episode: what is checked of it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify_parts.h"

void verify_say(struct verify_result *r, int64_t step, const char *text) {
  text = ph_text_without(text, r->entry.id);
  for (size_t i = 0; i < r->nfound; i++)
    if (report_merge(r->found[i].text, sizeof r->found[i].text, text))
      return;
  if (r->nfound == sizeof r->found / sizeof *r->found)
    return;
  struct verify_found *found = &r->found[r->nfound++];
  found->step = step;
  snprintf(found->text, sizeof found->text, "%s", text);
}

static bool is_noted(const struct verify_result *r, const char *text) {
  for (size_t i = 0; i < r->nnotes; i++)
    if (strncmp(r->note[i], text, strlen(text)) == 0) /* that of the list may be cut */
      return true;
  return false;
}

void verify_note(struct verify_result *r, const char *text) {
  if (text[0] && r->nnotes < VERIFY_NOTES && !is_noted(r, text))
    snprintf(r->note[r->nnotes++], sizeof r->note[0], "%s", text);
}

static bool is_found(const struct verify_result *r, const char *text) {
  for (size_t i = 0; i < r->nfound; i++)
    if (strncmp(r->found[i].text, text, strlen(text)) == 0)
      return true;
  return false;
}

/* What the file of another recorder says of itself beside its rows. */
static void take_notes(struct verify_result *r, const ph_episode *episode) {
  size_t n = 0;
  const ph_finding *findings = ph_episode_findings(episode, &n);
  for (size_t i = 0; i < n; i++)
    if (findings[i].kind == PH_FINDING_ODDITY && findings[i].step < 0)
      verify_note(r, findings[i].text);
  const char *odd = ph_episode_meta_of(episode)->oddity; /* all that the list adds is noted */
  odd = odd[0] ? odd : r->entry.oddity;
  if (!is_found(r, odd))
    verify_note(r, odd);
}

static bool has_quaternions(const ph_episode *episode, const ph_model *model) {
  bool any = ph_episode_has(episode, PH_COL_MOCAP_QUAT);
  for (int j = 0; model && !any && j < ph_model_count(model, PH_JOINT); j++)
    any = ph_model_joint(model, j)->type == PH_FREE || ph_model_joint(model, j)->type == PH_BALL;
  return any;
}

static void note_parts(struct verify_result *r, const ph_episode *episode, const ph_model *model) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  r->part[PART_TIME] = m->control_dt > 0 && ph_episode_has(episode, PH_COL_STATES);
  r->part[PART_QUATERNIONS] = has_quaternions(episode, model);
  r->part[PART_MODEL] = model && ph_model_compiled(model);
  r->part[PART_PREDICATE] = r->verdict.predicate_checked;
  r->part[PART_HOLD] = m->hold_seconds >= 0 && !m->layout[0] && r->verdict.latch_known;
  r->part[PART_CTRL] = r->verdict.ctrl_checked;
}

/* What the episode holds; a judge is one command, and one episode's at a time. */
static ph_status check_rows(struct verify *v, struct verify_result *r, const ph_episode *episode,
                            const ph_model *model, const ph_task *task) {
  ph_verify_options opt = {.progress = each_progress, .arg = &v->each, .judge = v->judge};
  if (v->judge)
    pthread_mutex_lock(&v->desk);
  ph_status status = ph_verify_episode(&r->verdict, episode, model, task, &opt);
  const char *unkept = v->judge ? ph_judge_note(v->judge) : "";
  snprintf(r->unkept, sizeof r->unkept, "%s", unkept);
  if (v->judge)
    pthread_mutex_unlock(&v->desk);
  return status;
}

static ph_status check(struct verify *v, struct verify_result *r, const ph_episode *episode) {
  char why[400], task_why[400] = "";
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  pthread_mutex_lock(&v->desk);
  ph_model *model = report_model(v->store, meta, why, sizeof why);
  ph_task *task = report_judge(v->store, v->opt, v->task, meta, task_why, sizeof task_why);
  pthread_mutex_unlock(&v->desk);
  r->guarantee = ph_episode_guarantee(episode, model, task, r->reason, sizeof r->reason);
  if (!model && meta->model_sha256[0])
    verify_say(r, -1, why);
  if (task_why[0])
    verify_say(r, -1, task_why);
  ph_status status = check_rows(v, r, episode, model, task);
  for (size_t i = 0; i < r->verdict.nflaws; i++)
    verify_say(r, r->verdict.flaw[i].step, r->verdict.flaw[i].text);
  note_parts(r, episode, model);
  r->foreign = meta->layout[0] != 0;
  if (r->foreign)
    take_notes(r, episode);
  if (status == PH_OK && v->dynamic)
    status = verify_physics(v, r, episode, model, task);
  ph_task_unref(task);
  ph_model_unref(model);
  return status;
}

void verify_check(struct verify *v, struct verify_result *r) {
  ph_episode *episode = NULL;
  char listed[sizeof r->entry.oddity]; /* before opening, which may find another */
  r->verdict = (ph_verdict){.latch_recorded = -1, .latch_computed = -1, .reward = NAN};
  pthread_mutex_lock(&v->desk);
  memcpy(listed, ph_store_entry(v->store, r->place)->oddity, sizeof listed);
  r->opened = ph_store_episode(&episode, v->store, r->place) == PH_OK;
  r->entry = *ph_store_entry(v->store, r->place);
  pthread_mutex_unlock(&v->desk);
  if (listed[0] && !(r->opened && ph_episode_meta_of(episode)->layout[0]))
    verify_say(r, -1, listed);
  if (!r->opened) {
    verify_say(r, -1, ph_error());
  } else if (check(v, r, episode) != PH_OK) {
    r->status = EXIT_ERROR;
    snprintf(r->error, sizeof r->error, "%s", ph_error());
  }
  ph_episode_free(episode);
}
