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

/* Behind "NAME: step 4: ": what is said of any step. */
static const char *cause(const char *text) {
  const char *step = strstr(text, "step ");
  size_t n = step ? strspn(step + 5, "0123456789") : 0;
  return n > 0 && step[5 + n] == ':' ? step + 5 + n : text;
}

static bool is_there(const ph_check *out, const ph_check_finding *finding) {
  for (size_t i = 0; i < out->nfindings; i++) {
    const ph_check_finding *other = &out->finding[i];
    bool same =
        strcmp(other->where, finding->where) == 0 && strcmp(other->text, finding->text) == 0;
    if (finding->kind == PH_CHECK_ERROR)
      same = strcmp(cause(other->text), cause(finding->text)) == 0;
    if (other->kind == finding->kind && same)
      return true;
  }
  return false;
}

static void add(ph_checking *c, ph_check_finding *finding, const char *where, const char *fmt,
                va_list args) {
  ph_check *out = c->out;
  char text[sizeof finding->text];
  vsnprintf(text, sizeof text, fmt, args);
  ph_escape(finding->text, sizeof finding->text, text, strlen(text));
  ph_escape(finding->where, sizeof finding->where, where, strlen(where));
  if (is_there(out, finding))
    return;
  if (out->nfindings == c->room && c->room < FINDINGS_MAX) {
    size_t room = c->room > 0 ? 2 * c->room : 16;
    ph_check_finding *more = realloc(out->finding, room * sizeof *more);
    c->full = c->full || !more;
    out->finding = more ? more : out->finding;
    c->room = more ? room : c->room;
  }
  if (out->nfindings == c->room)
    return;
  out->finding[out->nfindings++] = *finding;
  out->nnotes += finding->note;
}

void ph_check_add(ph_checking *c, ph_check_kind kind, const char *where, const char *fmt, ...) {
  ph_check_finding finding = {.kind = kind};
  va_list args;
  va_start(args, fmt);
  add(c, &finding, where, fmt, args);
  va_end(args);
}

void ph_check_note(ph_checking *c, ph_check_kind kind, const char *where, const char *fmt, ...) {
  ph_check_finding finding = {.kind = kind, .note = true};
  va_list args;
  va_start(args, fmt);
  add(c, &finding, where, fmt, args);
  va_end(args);
}

/* --- what is odd about the counts --- */

/* Whether a function failed: what was counted up to there says nothing. */
static bool has_failed(const ph_check *out) {
  for (size_t i = 0; i < out->nfindings; i++)
    if (out->finding[i].kind == PH_CHECK_ERROR)
      return true;
  return false;
}

static void judge_conditions(ph_checking *c) {
  for (size_t i = 0; i < c->out->nconditions; i++) {
    const ph_check_condition *condition = &c->out->condition[i];
    bool failure = strcmp(condition->name, "failure") == 0;
    bool stage = strncmp(condition->name, "stages.", 7) == 0;          /* judged until it is true */
    bool part = !failure && ph_task_info_of(c->task)->nconditions > 1; /* of what has to be true */
    if (condition->judged == 0)
      continue;
    if (condition->yes == 0 && !failure) /* that nothing fails is well */
      ph_check_add(c, PH_CHECK_CONDITION, condition->name, "never true in %lld steps",
                   (long long)condition->judged);
    else if (condition->yes == condition->judged && !stage)
      (part ? ph_check_note : ph_check_add)(c, PH_CHECK_CONDITION, condition->name,
                                            "always true in %lld steps",
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
    /* A policy in proportion to an error asks for too much where that is large. */
    (2 * element->clipped > c->out->steps ? ph_check_add : ph_check_note)(
        c, PH_CHECK_CLIPPED, where, "cut at %lld of %lld steps", (long long)element->clipped,
        (long long)c->out->steps);
  }
}

static void judge_reward(ph_checking *c) {
  const ph_check *out = c->out;
  if (ph_task_info_of(c->task)->has_reward && out->steps > 1 && out->reward_min == out->reward_max)
    ph_check_add(c, PH_CHECK_REWARD, "reward", "is %g at each of %lld steps", out->reward_min,
                 (long long)out->steps);
}

/* Nobody sees to it that a policy from outside comes to an end. */
static void judge_ends(ph_checking *c) {
  const ph_task_info *info = ph_task_info_of(c->task);
  if (info->max_steps == 0)
    ph_check_note(c, PH_CHECK_ENDLESS, "max_steps", "is missing: %s an episode",
                  info->has_failure && info->has_success ? "only success or failure end"
                  : info->has_failure                    ? "only failure ends"
                  : info->has_success                    ? "nothing but success ends"
                                                         : "nothing ends");
}

static bool is_before(const ph_check_finding *a, const ph_check_finding *b) {
  return a->note != b->note ? b->note : a->kind < b->kind;
}

/* Stable: findings of a kind stay in the order in which they were found. */
static void sort_findings(ph_check *out) {
  for (size_t i = 1; i < out->nfindings; i++) {
    ph_check_finding finding = out->finding[i];
    size_t k = i;
    for (; k > 0 && is_before(&finding, &out->finding[k - 1]); k--)
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
    if (!has_failed(c.out)) {
      judge_conditions(&c);
      judge_reward(&c);
    }
    judge_elements(&c);
    judge_ends(&c);
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

ph_status ph_task_check_names(ph_check **out, const ph_task *task, const ph_model *model) {
  ph_checking c = {.task = task, .model = model, .opt = PH_CHECK_OPTIONS_INIT};
  *out = NULL;
  c.out = calloc(1, sizeof *c.out);
  if (c.out)
    ph_check_names(&c);
  if (c.out && !c.full) {
    *out = c.out;
    return PH_OK;
  }
  ph_check_free(c.out);
  return ph_fail(PH_ENOMEM, "check: out of memory");
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
