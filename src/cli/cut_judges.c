/* Who says where episodes latch, where that is not what their file stores: the result has to store
 * it. */
#include "cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cut_name_judge(struct cut *c) {
  const struct options *opt = c->opt;
  const char *option = opt->predicate ? "--predicate-command"
                       : opt->success ? "--success"
                       : opt->task    ? "--task"
                                      : "--steps";
  const char *value = opt->predicate ? opt->predicate
                      : opt->success ? opt->success
                      : opt->task    ? opt->task
                                     : opt->steps_file;
  bool other = c->by != PH_LATCH_RECORDED || c->mode == CUT_STEPS;
  c->judged[0] = 0;
  if (value && other)
    snprintf(c->judged, sizeof c->judged, "%s %s", option, value);
}

static const ph_task *share(struct cut *c, ph_task *task) {
  for (size_t k = 0; k < c->njudges; k++)
    if (strcmp(ph_task_sha256(c->judges[k]), ph_task_sha256(task)) == 0) {
      ph_task_unref(task);
      return c->judges[k];
    }
  ph_task **more = realloc(c->judges, (c->njudges + 1) * sizeof *more);
  if (!more) {
    ph_task_unref(task);
    return NULL;
  }
  c->judges = more;
  return c->judges[c->njudges++] = task;
}

void cut_keep_judge(struct cut *c, size_t i, ph_task *task, uint8_t *predicate) {
  c->plan[i].task = task ? share(c, task) : NULL;
  c->plan[i].predicate = predicate;
}

uint8_t *cut_bits(const ph_intervals *iv, int64_t last) {
  uint8_t *bits = calloc((size_t)last + 1, 1);
  for (size_t i = 0; bits && i < iv->n; i++)
    for (int64_t row = iv->at[i].first; row <= iv->at[i].last && row <= last; row++)
      bits[row] = 1;
  return bits;
}

void cut_free_judges(struct cut *c) {
  for (size_t i = 0; c->plan && i < c->n; i++)
    free((void *)c->plan[i].predicate);
  for (size_t k = 0; k < c->njudges; k++)
    ph_task_unref(c->judges[k]);
  free(c->judges);
}
