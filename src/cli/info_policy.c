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

void policies_add(struct policies *policies, const char *provenance) {
  json_t *array = json_loads(provenance, 0, NULL);
  const char *policy = NULL, *command = NULL;
  for (size_t i = json_array_size(array); i-- > 0 && !policy;) {
    const json_t *step = json_array_get(array, i);
    policy = json_string_value(json_object_get(step, "policy"));
    command = json_string_value(json_object_get(step, "policy_command"));
  }
  if (policy && command)
    count(policies, join("the command ", command));
  else if (policy)
    count(policies, strcmp(policy, "task") == 0 ? strdup("the task's policy") : strdup(policy));
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
    printf(*p->text ? "chosen by " : "it is not said who chose them");
    cli_print_text(p->text);
    putchar('\n');
  }
}
