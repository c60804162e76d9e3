/* JSON values that several verbs report. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "../json.h"
#include "cli.h"

json_t *report_success(int success);                                  /* true, false, null */
json_t *report_index(int64_t index);                                  /* null when negative */
json_t *report_guarantee(ph_guarantee guarantee, const char *reason); /* "NOT EXACT: reason" */

/* Whether a sentence says what `old` says, one of them maybe behind the path or cut off; old then
 * is the complete one without the path. */
bool report_merge(char *old, size_t size, const char *text);
/* "step" or "steps" */
const char *report_steps(int64_t n);

/* Says of an episode's result why a judge's answers are not kept, where that is so (once: every
 * episode would say the same, and *said is whether one has), and its error where it has a status.
 * Returns that status. */
int report_taken(bool *said, const char *unkept, int status, const char *error);

/* The model of an episode, NULL where it names none or none can be had; then `why` says so. The
 * caller's reference. */
ph_model *report_model(ph_store *store, const ph_episode_meta *meta, char *why, size_t size);
/* The task that the episode names, likewise. */
ph_task *report_task(ph_store *store, const char *sha256, char *why, size_t size);
/* What the episode is judged by: the task of --task (given; NULL: the recorded one, which one that
 * only judges is laid over too), with the condition of --success in place of its own. NULL: by
 * nothing; why is "" or the reason. The caller's reference. */
ph_task *report_judge(ph_store *store, const struct options *opt, const ph_task *given,
                      const ph_episode_meta *meta, char *why, size_t size);

#endif
