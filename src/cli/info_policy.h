/* Who chose the actions of the episodes, as their provenance says. */
#ifndef CLI_INFO_POLICY_H
#define CLI_INFO_POLICY_H

#include <stddef.h>

/* Zeroed at the start; policies_free frees what it owns. */
struct policies {
  struct policy_count {
    char *text; /* "chosen by the task's policy", "those of a branch of ..."; "" where it does not
                   say so */
    size_t count;
  } * policy; /* in the order of the episodes */
  size_t n;
};
void policies_free(struct policies *policies);
/* Counts an episode. provenance: a JSON array, newest last. */
void policies_add(struct policies *policies, const char *provenance);
/* A line for each; nothing where no episode says it. */
void policies_print(const struct policies *policies);

#endif
