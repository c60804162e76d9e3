/* What the result stores of who judged: a success that it claims has to be in its own predicate, by
 * its own task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/replay.h>

#include "cut_parts.h"
#include "fail.h"

void ph_cut_judged_clear(ph_cut_judged *j) {
  free(j->predicate);
  ph_task_unref(j->task);
  *j = (ph_cut_judged){0};
}

/* Whether it latches at the last state, and not before. */
static bool ends_there(const uint8_t *predicate, const ph_episode_meta *result) {
  ph_hold hold = {.steps = result->hold_steps, .latch = -1};
  for (int64_t row = 1; row < result->states; row++)
    ph_hold_update(&hold, row, predicate[row] != 0);
  return hold.latched && hold.latch == result->states - 1;
}

static ph_status recorded_ends_there(bool *out, const ph_episode *episode, int64_t from,
                                     const ph_episode_meta *result) {
  *out = false;
  if (!ph_episode_has(episode, PH_COL_PREDICATE))
    return PH_OK;
  uint8_t *bits = malloc((size_t)result->states + 1);
  ph_status status = bits ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", result->id);
  if (!status)
    status = ph_episode_read(episode, PH_COL_PREDICATE, from, result->states, bits);
  *out = !status && ends_there(bits, result);
  free(bits);
  return status;
}

/* --- who judges instead --- */

/* What the task says of the states that are kept. Where it cannot, *known stays false. */
static ph_status walk(uint8_t *bits, bool *known, const ph_cutting *c, ph_replay *replay,
                      int64_t from, int64_t n) {
  ph_status status = PH_OK;
  for (int64_t i = 0; i < n; i++) {
    bool value = false;
    if (i % 64 == 0 && (status = ph_cut_go_on(c)) != PH_OK)
      return status;
    status = ph_replay_seek(replay, from + i, 0, PH_KINEMATIC);
    if (!status)
      status = ph_replay_predicate(replay, &value, NULL);
    if (status)
      return status == PH_ENOMEM ? status : PH_OK;
    bits[i] = value;
  }
  *known = true;
  return PH_OK;
}

static ph_status ask_task(ph_cut_judged *out, const ph_cutting *c, const ph_cut_episode *plan,
                          const ph_episode *episode, const ph_episode_meta *result) {
  ph_model *model = NULL;
  ph_replay *replay = NULL;
  bool known = false;
  out->predicate = calloc((size_t)result->states + 1, 1);
  if (!out->predicate)
    return ph_fail(PH_ENOMEM, "%s: out of memory", result->id);
  ph_status status = ph_store_model(&model, c->store, result->model_sha256);
  if (!status)
    status = ph_replay_create(&replay, episode, model, plan->task);
  if (!status)
    status = walk(out->predicate, &known, c, replay, plan->from, result->states);
  else if (status != PH_ENOMEM)
    status = PH_OK; /* it cannot be asked */
  ph_replay_free(replay);
  ph_model_unref(model);
  if (!known) {
    free(out->predicate);
    out->predicate = NULL;
  }
  return status;
}

static ph_status take_given(ph_cut_judged *out, const ph_cut_episode *plan,
                            const ph_episode_meta *result) {
  out->predicate = malloc((size_t)result->states + 1);
  if (!out->predicate)
    return ph_fail(PH_ENOMEM, "%s: out of memory", result->id);
  memcpy(out->predicate, plan->predicate + plan->from, (size_t)result->states);
  return PH_OK;
}

/* --- the task without its success --- */

static ph_status recorded_task(ph_task **out, ph_store *store, const char *sha256) {
  const char *source;
  ph_status status = ph_store_task(&source, store, sha256);
  return status ? status : ph_task_parse(out, source, strlen(source), "recorded task");
}

/* It says how the env runs, and nothing of success any more. */
static ph_status unjudge(ph_task **out, const ph_task *task) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return ph_fail(PH_ENOMEM, "task: out of memory");
  fprintf(file,
          "local task = (function(...) %s\nend)() task.success = nil task.stages = nil "
          "return task\n",
          ph_task_source(task));
  ph_status status = fclose(file) == 0 ? ph_task_parse(out, text, size, "recorded task")
                                       : ph_fail(PH_ENOMEM, "task: out of memory");
  free(text);
  return status;
}

/* A task that has nothing but its success is left out with it. */
static ph_status take_success_away(ph_cut_judged *out, const ph_cutting *c,
                                   const ph_episode_meta *result) {
  ph_task *task = NULL;
  bool has = result->task_sha256[0] != 0;
  ph_status status = has ? recorded_task(&task, c->store, result->task_sha256) : PH_OK;
  if (!status && task && ph_task_info_of(task)->has_success) {
    out->without_task = ph_task_info_of(task)->judges_only;
    status = out->without_task ? PH_OK : unjudge(&out->task, task);
  }
  ph_task_unref(task);
  return status;
}

/* --- all of it --- */

/* Whoever else it was that said it, the result has to store what bears it out. */
static ph_status find_predicate(ph_cut_judged *out, const ph_cutting *c, const ph_cut_episode *plan,
                                const ph_episode *episode, const ph_episode_meta *result,
                                bool other) {
  bool fine = false;
  ph_status status = PH_OK;
  if (!plan->predicate && !other)
    status = recorded_ends_there(&fine, episode, plan->from, result);
  if (status || fine)
    return status;
  if (plan->predicate)
    status = take_given(out, plan, result);
  else if (plan->task)
    status = ask_task(out, c, plan, episode, result);
  out->given = !status && !(out->predicate && ends_there(out->predicate, result));
  return status;
}

ph_status ph_cut_judge(ph_cut_judged *out, const ph_cutting *c, const ph_cut_episode *plan,
                       const ph_episode *episode, const ph_episode_meta *result) {
  bool other = plan->task && strcmp(ph_task_sha256(plan->task), result->task_sha256) != 0;
  ph_status status = PH_OK;
  *out = (ph_cut_judged){0};
  if (!c->opt->latched || !(c->opt->no_hold || c->opt->judge || plan->task || plan->predicate))
    return PH_OK;
  if (result->hold_seconds < 0)
    out->given = true;
  else
    status = find_predicate(out, c, plan, episode, result, other);
  if (status || (!out->given && !out->predicate))
    return status;
  if (out->given) {
    free(out->predicate);
    out->predicate = NULL;
  }
  if (out->given || !plan->task)
    return take_success_away(out, c, result);
  if (other)
    out->task = ph_task_ref(plan->task);
  return PH_OK;
}
