/* What the files of the survey share: the hold over all episodes of the list, of each of which the
 * intervals stay that are longer than all before. No hold latches in another one, and of S states
 * there are at most sqrt(2 S) of them. */
#ifndef TUI_SURVEY_H
#define TUI_SURVEY_H

#include "session_held.h"

/* Of a list that nobody has asked to be counted so much is looked at; of a picture that is
 * waited for less. */
enum { UNASKED_EPISODES = 2000, UNASKED_STATES = 8 << 20, SETTLED_EPISODES = 256 };

struct surveyed {
  bool done, known, judged; /* judged: by the task, and that was not asked for */
  bool passed; /* unasked: its file stores no predicate, and nobody else is to be asked yet */
  double dt;
  int64_t own;  /* its file's hold in steps */
  int64_t held; /* a hold that its outcomes have in them already; 0 */
  int64_t states, actions;
  int64_t ended; /* for another reason than success; -1 */
  int64_t left;  /* dynamic: physics leaves the recording; -1 */
  ph_intervals longer;
  char *why; /* owned: why it is not known, has ended, or was left; NULL: nothing, or nobody says */
};

struct survey {
  enum count_by asked;
  size_t path; /* where the strictest source is asked for: that all episodes of this path allow: */
  bool chosen;
  size_t choosing; /* all before have been asked */
  ph_latch_source by;
  size_t n, done;
  struct surveyed *at; /* by place in the catalog */
  size_t next;         /* all before are done */
  size_t passed;       /* of all, and states that were looked at where nobody had asked */
  int64_t unasked_states;
  struct take_job *take; /* of the episode `taking`, which is open here: */
  struct opened taken;
  size_t taking;
  ph_judge *judge; /* of its own: a command serves one thread */

  bool counted; /* for what follows (survey_count.c): */
  size_t counted_done, counted_passed, counted_n;
  bool counted_chosen;
  uint64_t counted_at; /* ms */
  struct hold_wish wish;
  int64_t steps;
  double dt;
  size_t source;
  const struct group *group;
  struct hold_count count;
  struct cut_plan plan;
};

/* The source is still to be chosen. */
bool survey_wants_choice(const struct survey *v);
/* There is one to be counted from; where it is asked for it is made. */
bool survey_ready(struct session *s, const struct opened *o);
/* Whether the list is counted without being asked for: it is of more than one episode, and by
 * nothing but what the files store, as that of the episode on show does. */
bool survey_unasked(const struct session *s, const struct opened *o);
/* Episodes of the group on show, or all; and how many of them are counted unasked at most. */
size_t survey_size(const struct session *s);
size_t survey_unasked_size(const struct session *s);
/* Whether more of it will be known. */
bool survey_goes_on(const struct session *s, const struct opened *o);

#endif
