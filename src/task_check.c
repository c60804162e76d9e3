#include "task_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { FINDINGS_MAX = 1000 };

const char *ph_check_name(ph_check_kind kind) {
  static const char *const names[] = {
#define CHECK_NAME(id, name) name,
      PH_CHECK_LIST(CHECK_NAME)
#undef CHECK_NAME
  };
  return kind < PH_CHECK_KINDS ? names[kind] : "";
}

void ph_check_add(ph_checking *c, ph_check_kind kind, const char *where, const char *fmt, ...) {
  ph_check *out = c->out;
  ph_check_finding finding = {.kind = kind};
  char text[sizeof finding.text];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  ph_escape(finding.text, sizeof finding.text, text, strlen(text));
  ph_escape(finding.where, sizeof finding.where, where, strlen(where));
  for (size_t i = 0; i < out->nfindings; i++)
    if (out->finding[i].kind == kind && strcmp(out->finding[i].where, finding.where) == 0 &&
        strcmp(out->finding[i].text, finding.text) == 0)
      return;
  if (out->nfindings == c->room && c->room < FINDINGS_MAX) {
    size_t room = c->room > 0 ? 2 * c->room : 16;
    ph_check_finding *more = realloc(out->finding, room * sizeof *more);
    c->full = c->full || !more;
    out->finding = more ? more : out->finding;
    c->room = more ? room : c->room;
  }
  if (out->nfindings < c->room)
    out->finding[out->nfindings++] = finding;
}

/* --- what is odd about the counts --- */

static void judge_conditions(ph_checking *c) {
  for (size_t i = 0; i < c->out->nconditions; i++) {
    const ph_check_condition *condition = &c->out->condition[i];
    bool failure = strcmp(condition->name, "failure") == 0;
    bool stage = strncmp(condition->name, "stages.", 7) == 0; /* judged until it is true */
    if (condition->judged == 0)
      continue;
    if (condition->yes == 0 && !failure) /* that nothing fails is well */
      ph_check_add(c, PH_CHECK_CONDITION, condition->name, "never true in %lld steps",
                   (long long)condition->judged);
    else if (condition->yes == condition->judged && !stage)
      ph_check_add(c, PH_CHECK_CONDITION, condition->name, "always true in %lld steps",
                   (long long)condition->judged);
  }
}

static void judge_elements(ph_checking *c) {
  for (size_t i = 0; i < c->out->nelements; i++) {
    const ph_check_element *element = &c->out->element[i];
    char where[120];
    if (element->clipped == 0)
      continue;
    snprintf(where, sizeof where, "action[%zu] %s", i, element->name);
    ph_check_add(c, PH_CHECK_CLIPPED, where, "cut at %lld of %lld steps",
                 (long long)element->clipped, (long long)c->out->steps);
  }
}

static void judge_reward(ph_checking *c) {
  const ph_check *out = c->out;
  if (ph_task_info_of(c->task)->has_reward && out->steps > 1 && out->reward_min == out->reward_max)
    ph_check_add(c, PH_CHECK_REWARD, "reward", "is %g at each of %lld steps", out->reward_min,
                 (long long)out->steps);
}

/* Stable: findings of a kind stay in the order in which they were found. */
static void sort_findings(ph_check *out) {
  for (size_t i = 1; i < out->nfindings; i++) {
    ph_check_finding finding = out->finding[i];
    size_t k = i;
    for (; k > 0 && out->finding[k - 1].kind > finding.kind; k--)
      out->finding[k] = out->finding[k - 1];
    out->finding[k] = finding;
  }
}

/* --- the whole --- */

ph_status ph_task_check(ph_check **out, const ph_task *task, const ph_model *model,
                        const ph_check_options *opt) {
  ph_checking c = {.task = task, .model = model, .opt = PH_CHECK_OPTIONS_INIT};
  ph_status status = PH_OK;
  *out = NULL;
  if (opt)
    c.opt = *opt;
  if (c.opt.episodes < 1 || c.opt.episodes > 1000 || c.opt.steps < 1)
    return ph_fail(PH_EINVAL, "check: %d episodes of %lld steps", c.opt.episodes,
                   (long long)c.opt.steps);
  c.out = calloc(1, sizeof *c.out);
  if (!c.out)
    return ph_fail(PH_ENOMEM, "check: out of memory");
  c.out->reward_min = c.out->reward_max = NAN;
  c.out->cost = (ph_check_cost){NAN, NAN, NAN, NAN, NAN, NAN};
  c.out->has_policy = ph_task_info_of(task)->has_policy;
  if (model)
    status = ph_check_run(&c);
  if (status == PH_OK) {
    ph_check_names(&c);
    judge_conditions(&c);
    judge_elements(&c);
    judge_reward(&c);
    sort_findings(c.out);
  }
  if (status == PH_OK && c.full)
    status = ph_fail(PH_ENOMEM, "check: out of memory");
  if (status == PH_OK)
    *out = c.out;
  else
    ph_check_free(c.out);
  return status;
}

void ph_check_free(ph_check *check) {
  if (!check)
    return;
  free(check->seed);
  free(check->element);
  free(check->condition);
  free(check->finding);
  free(check);
}
