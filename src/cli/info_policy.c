#include "info_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

void policies_free(struct policies *policies) {
  for (size_t i = 0; i < policies->n; i++)
    free(policies->policy[i].text);
  free(policies->policy);
  *policies = (struct policies){0};
}

/* Takes text, which is nullable. */
static void count(struct policies *policies, char *text) {
  for (size_t i = 0; text && i < policies->n; i++)
    if (strcmp(policies->policy[i].text, text) == 0) {
      policies->policy[i].count++;
      free(text);
      return;
    }
  struct policy_count *more =
      text ? realloc(policies->policy, (policies->n + 1) * sizeof *more) : NULL;
  if (!more) {
    free(text);
    return;
  }
  policies->policy = more;
  more[policies->n++] = (struct policy_count){text, 1};
}

static char *join(const char *before, const char *text) {
  size_t size = strlen(before) + strlen(text) + 1;
  char *out = malloc(size);
  if (out)
    snprintf(out, size, "%s%s", before, text);
  return out;
}

/* "those of a branch of run/env000_ep000000.h5:env000_ep000000 from step 50, held": nobody has
 * chosen them since. NULL: out of memory. */
static char *branch_text(const json_t *step) {
  char text[700];
  const char *file = json_string_value(json_object_get(step, "file"));
  const char *id = json_string_value(json_object_get(step, "id"));
  const char *actions = json_string_value(json_object_get(step, "actions"));
  const json_t *others = json_object_get(step, "overridden");
  size_t n = json_object_size(others); /* 0 also for the "true" of older ones */
  int at = snprintf(text, sizeof text, "those of a branch of %.400s:%.64s from step %lld, %.20s",
                    file ? file : "?", id ? id : "?",
                    (long long)json_integer_value(json_object_get(step, "from")),
                    actions ? actions : "?");
  if ((n > 0 || json_is_true(others)) && at > 0 && (size_t)at < sizeof text)
    snprintf(text + at, sizeof text - (size_t)at,
             n > 0 ? " but for %zu element%s" : " but for some elements", n, n == 1 ? "" : "s");
  return strdup(text);
}

void policies_add(struct policies *policies, const char *provenance) {
  json_t *array = json_loads(provenance, 0, NULL);
  const char *policy = NULL, *command = NULL;
  const json_t *branch = NULL;
  for (size_t i = json_array_size(array); i-- > 0 && !policy && !branch;) {
    const json_t *step = json_array_get(array, i);
    const char *op = json_string_value(json_object_get(step, "op"));
    branch = op && strcmp(op, "branch") == 0 ? step : NULL;
    policy = json_string_value(json_object_get(step, "policy"));
    command = json_string_value(json_object_get(step, "policy_command"));
  }
  if (branch)
    count(policies, branch_text(branch));
  else if (policy && command)
    count(policies, join("chosen by the command ", command));
  else if (policy)
    count(policies, join("chosen by ", strcmp(policy, "task") == 0 ? "the task's policy" : policy));
  else
    count(policies, strdup(""));
  json_decref(array);
}

void policies_print(const struct policies *policies) {
  if (policies->n == 0 || (policies->n == 1 && !*policies->policy[0].text))
    return;
  for (size_t i = 0; i < policies->n; i++) {
    const struct policy_count *p = &policies->policy[i];
    printf("actions    ");
    if (policies->n > 1)
      printf("of %zu %s: ", p->count, p->count == 1 ? "episode" : "episodes");
    cli_print_text(*p->text ? p->text : "it is not said who chose them");
    putchar('\n');
  }
}
