/* The hold behind the screen: what it comes to for the open episode, and for all of the list.
 * Belongs to the session's thread. */
#ifndef TUI_SESSION_HELD_H
#define TUI_SESSION_HELD_H

#include <playhead/cut.h>

#include "session_parts.h"
#include "take_job.h"

/* Of an open episode. */
struct held {
  ph_outcomes outcome[PH_LATCH_SOURCES]; /* the dynamic one grows with its pass: */
  const struct pass *of;                 /* never looked into */
  int64_t anchor;
  bool taken;            /* by the task on recorded states; it is wanted where holds are counted */
  struct take_job *take; /* under way; NULL */
  ph_latch_source why_of;
  size_t nwhy;
  char (*why)[HELD_TEXT]; /* of the first intervals; NULL: none were asked */
};

/* What the whole list comes to at the wish of s->last into out; o is on show. */
void session_survey_answer(struct session *s, const struct opened *o, struct held_answer *out);
/* As of physics run again, in session_parts.h. */
bool session_survey_work(struct session *s, struct opened *o, bool (*interrupted)(void *arg),
                         void *arg, bool *due);
uint64_t session_survey_wait(const struct session *s);
bool session_survey_settle(struct session *s, struct opened *o);
/* Whether some of the list is still to be counted without being asked for. */
bool session_survey_idles(const struct session *s, const struct opened *o);
/* What a cut of a path at a hold would do to each of its episodes; the caller's.
 * False: not all its episodes were looked at by this source, or memory is out. */
bool session_survey_plan(struct session *s, size_t source, ph_latch_source by,
                         const struct hold_wish *hold, ph_cut_episode **out, size_t *n);

/* --- a cut (session_cut.c) --- */

void session_cut_answer(const struct session *s, struct held_answer *out);
/* Begins, ends, or gives up; false: there is nothing to do now. */
bool session_cut_work(struct session *s, struct opened *o);
uint64_t session_cut_wait(const struct session *s);
bool session_cut_settle(struct session *s, struct opened *o);

#endif
