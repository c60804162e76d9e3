/* Runs a task for some steps and says what it found. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <playhead/check.h>

#include "../json.h"

/* What one run of the verb has. */
struct checked {
  const struct options *opt;
  const char *path;
  ph_task *task;
  const ph_task_info *info;
  ph_model *model; /* NULL: the task names none */
  ph_check *check;
};

/* The parts of a step that have a cost of their own. */
static const struct part {
  const char *key, *name;
  size_t offset;
} parts[] = {{"policy", "policy", offsetof(ph_check_cost, policy)},
             {"actions", "action terms", offsetof(ph_check_cost, actions)},
             {"conditions", "conditions", offsetof(ph_check_cost, conditions)},
             {"reward", "reward", offsetof(ph_check_cost, reward)},
             {"readouts", "readouts", offsetof(ph_check_cost, readouts)}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static double cost_of(const ph_check *check, const struct part *part) {
  return *(const double *)((const char *)&check->cost + part->offset);
}

/* --- as text --- */

static void print_range(double min, double max, int width) {
  char text[60] = "-";
  if (isfinite(min) && isfinite(max))
    snprintf(text, sizeof text, "%.4g to %.4g", min, max);
  else if (isfinite(min) || isfinite(max))
    snprintf(text, sizeof text, "%s %.4g", isfinite(min) ? "from" : "to",
             isfinite(min) ? min : max);
  printf(" %-*s", width, text);
}

/* A name of the task, padded. */
static void print_name(const char *name, int width) {
  char text[200];
  snprintf(text, sizeof text, "%-*s", width, name);
  cli_print_text(text);
}

static void print_head(const struct checked *c) {
  const ph_check *check = c->check;
  cli_print_text(c->info->name[0] ? c->info->name : "a task without a name");
  printf(" (");
  cli_print_text(c->path);
  printf(")\n");
  if (!c->model) {
    printf("  model      none is named: only the text was looked at; --model M.xml gives one\n");
    return;
  }
  const ph_dims *dims = ph_model_dims(c->model);
  printf("  model      nq %d, nv %d, nu %d, na %d\n", dims->nq, dims->nv, dims->nu, dims->na);
  printf("  step       %d substeps of %g s: %g s", check->control_steps,
         ph_model_timestep(c->model), check->control_dt);
  if (c->info->max_steps > 0)
    printf("; at most %" PRId64 " steps", c->info->max_steps);
  if (c->info->has_success)
    printf("; success holds for %" PRId64 " steps", check->hold_steps);
  printf("\n");
}

static void print_run(const struct checked *c) {
  const ph_check *check = c->check;
  bool first = true;
  printf("  ran        %" PRId64 " steps in %" PRId64 " episodes, seeds %" PRIu64 " to %" PRIu64
         ", with %s\n",
         check->steps, check->episodes, check->seed[0], check->seed[check->nseeds - 1],
         check->has_policy ? "the task's policy" : "zeros: the task has no policy");
  for (int end = 0; end < PH_END_COUNT; end++) {
    if (check->ends[end] == 0)
      continue;
    printf("%s%" PRId64 " %s", first ? "  ended      " : ", ", check->ends[end],
           ph_end_name((ph_end)end));
    first = false;
  }
  if (!first)
    printf("\n");
}

static void print_elements(const struct checked *c) {
  const ph_check *check = c->check;
  if (check->nelements > 0)
    printf("  action     %-20s %-16s %-22s %-22s cut\n", "element", "term", "range", "sent");
  for (size_t i = 0; i < check->nelements; i++) {
    const ph_check_element *element = &check->element[i];
    printf("  %8zu   ", i + 1);
    print_name(element->name, 20);
    printf(" %-16s", element->term);
    print_range(element->min, element->max, 22);
    print_range(element->least, element->most, 22);
    printf(" %" PRId64 "\n", element->clipped);
  }
}

static void print_conditions(const struct checked *c) {
  const ph_check *check = c->check;
  for (size_t i = 0; i < check->nconditions; i++) {
    const ph_check_condition *condition = &check->condition[i];
    printf("  %-11s", i == 0 ? "conditions" : "");
    print_name(condition->name, 28);
    if (condition->judged > 0)
      printf(" true at %" PRId64 " of %" PRId64 " steps\n", condition->yes, condition->judged);
    else
      printf(" not judged\n");
  }
  if (isfinite(check->reward_min))
    printf("  reward     %.6g to %.6g\n", check->reward_min, check->reward_max);
}

static void print_cost(const ph_check *check) {
  if (!(check->cost.physics > 0))
    return;
  printf("  cost       %-18s %8.1f us\n", "a step of physics", check->cost.physics);
  for (int i = 0; i < PARTS; i++)
    if (isfinite(cost_of(check, &parts[i])))
      printf("             %-18s %8.1f us, %.3f of it\n", parts[i].name, cost_of(check, &parts[i]),
             cost_of(check, &parts[i]) / check->cost.physics);
}

static void print_findings(const ph_check *check) {
  for (size_t i = 0; i < check->nfindings; i++) {
    const ph_check_finding *finding = &check->finding[i];
    printf("  %-10s ", finding->note ? "note" : ph_check_name(finding->kind));
    cli_print_text(finding->where);
    printf(": ");
    cli_print_text(finding->text);
    printf("\n");
  }
  size_t n = check->nfindings - check->nnotes;
  if (n == 0)
    printf("nothing odd was found\n");
  else
    printf("%zu finding%s\n", n, n == 1 ? "" : "s");
}

static void print_check(const struct checked *c) {
  print_head(c);
  if (c->check->ran) {
    print_run(c);
    print_elements(c);
    print_conditions(c);
    print_cost(c->check);
  }
  print_findings(c->check);
}

/* --- as JSON --- */

static json_t *elements_json(const ph_check *check) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < check->nelements; i++) {
    const ph_check_element *e = &check->element[i];
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:I}", "name", ph_json_text(e->name),
                        "term", e->term, "min", ph_json_number(e->min), "max",
                        ph_json_number(e->max), "least", ph_json_number(e->least), "most",
                        ph_json_number(e->most), "clipped", (json_int_t)e->clipped));
  }
  return list;
}

static json_t *conditions_json(const ph_check *check) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < check->nconditions; i++)
    json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "name",
                                          ph_json_text(check->condition[i].name), "true_steps",
                                          (json_int_t)check->condition[i].yes, "judged",
                                          (json_int_t)check->condition[i].judged));
  return list;
}

static json_t *findings_json(const ph_check *check, bool notes) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < check->nfindings; i++)
    if (check->finding[i].note == notes)
      json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "kind",
                                            ph_check_name(check->finding[i].kind), "where",
                                            ph_json_text(check->finding[i].where), "text",
                                            ph_json_text(check->finding[i].text)));
  return list;
}

static json_t *ends_json(const ph_check *check) {
  json_t *ends = json_object();
  for (int end = 0; ends && end < PH_END_COUNT; end++)
    if (check->ends[end] > 0)
      json_object_set_new(ends, ph_end_name((ph_end)end), json_integer(check->ends[end]));
  return ends;
}

static json_t *seeds_json(const ph_check *check) {
  json_t *list = json_array();
  char seed[24];
  for (size_t i = 0; list && i < check->nseeds; i++) {
    snprintf(seed, sizeof seed, "%" PRIu64, check->seed[i]);
    json_array_append_new(list, json_string(seed));
  }
  return list;
}

/* Microseconds, and parts of a step of physics. */
static json_t *cost_json(const ph_check *check, bool ratio) {
  double unit = ratio ? check->cost.physics : 1;
  json_t *cost = json_object();
  if (cost && !ratio)
    json_object_set_new(cost, "physics", ph_json_number(check->cost.physics));
  for (int i = 0; cost && i < PARTS; i++)
    json_object_set_new(cost, parts[i].key, ph_json_number(cost_of(check, &parts[i]) / unit));
  return cost;
}

static int print_json(const struct checked *c) {
  const ph_check *check = c->check;
  json_t *all = json_pack(
      "{s:o, s:o, s:b, s:b, s:I, s:I, s:o, s:o, s:I, s:o}", "task", ph_json_text(c->info->name),
      "path", ph_json_text(c->path), "ran", check->ran, "policy", check->has_policy, "episodes",
      (json_int_t)check->episodes, "steps", (json_int_t)check->steps, "seeds", seeds_json(check),
      "control_dt", check->ran ? ph_json_number(check->control_dt) : json_null(), "hold_steps",
      (json_int_t)check->hold_steps, "ends", ends_json(check));
  json_t *more =
      json_pack("{s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o}", "actions", elements_json(check),
                "conditions", conditions_json(check), "reward", "min",
                ph_json_number(check->reward_min), "max", ph_json_number(check->reward_max),
                "cost_us", cost_json(check, false), "cost_ratio", cost_json(check, true),
                "findings", findings_json(check, false), "notes", findings_json(check, true));
  if (!all || !more || json_object_update(all, more) != 0) {
    json_decref(all);
    json_decref(more);
    return cli_fail(EXIT_ERROR, "task check: out of memory");
  }
  json_decref(more);
  return ph_json_write(all, stdout) == PH_OK ? EXIT_FINE : cli_error();
}

/* --- the verb --- */

static int open_model(struct checked *c) {
  const struct options *opt = c->opt;
  ph_model_options mo = {.assets = opt->assets, .nassets = opt->nassets};
  ph_status status = PH_OK;
  if (opt->model)
    status = ph_model_open(&c->model, opt->model, &mo);
  else if (c->info->model[0])
    status = ph_task_model(&c->model, c->task, &mo);
  return status == PH_OK ? EXIT_FINE : cli_error();
}

static int check_task(struct checked *c) {
  ph_check_options co = PH_CHECK_OPTIONS_INIT;
  co.seed = c->opt->seed;
  if (c->opt->steps > 0)
    co.steps = c->opt->steps;
  if (ph_task_open(&c->task, c->path) != PH_OK)
    return cli_error();
  c->info = ph_task_info_of(c->task);
  int status = open_model(c);
  if (status != EXIT_FINE)
    return status;
  if (ph_task_check(&c->check, c->task, c->model, &co) != PH_OK)
    return cli_error();
  if (c->opt->json)
    status = print_json(c);
  else
    print_check(c);
  return status == EXIT_FINE && c->check->nfindings > c->check->nnotes ? EXIT_FINDING : status;
}

int verb_task(const struct options *opt) {
  struct checked c = {.opt = opt, .path = opt->paths[1]};
  if (strcmp(opt->paths[0], "check") != 0)
    return cli_fail(EXIT_USAGE, "task: %s: there is no such thing to do with a task: check",
                    opt->paths[0]);
  int status = check_task(&c);
  ph_check_free(c.check);
  ph_model_unref(c.model);
  ph_task_unref(c.task);
  return cli_flush(status);
}
