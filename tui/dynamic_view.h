/* The second timeline as panels and commands see it. Nothing here asks the engine. */
#ifndef TUI_DYNAMIC_VIEW_H
#define TUI_DYNAMIC_VIEW_H

#include "app.h"
#include "strip.h"

/* What is known of physics run again on the episode on show; NULL: nothing, or it is live. */
const struct dynamic_answer *app_dyn(const struct app *app);
/* K, D or B as it is shown: where physics cannot be run again, K whatever is wanted. */
enum tui_mode app_mode(const struct app *app);
/* The answer where its frame is the one that belongs beside the recorded one on show; NULL: it is
 * on its way, or is not wanted. */
const struct dynamic_answer *app_dyn_frame(const struct app *app);
/* The same in D, where it stands in the place of the recorded one; else NULL. */
const struct dynamic_answer *app_dyn_alone(const struct app *app);
/* Says why it stays K, where D or B is wanted, once that is known. before: it was. */
void app_take_refusal(struct app *app, bool before);
/* Whether all of the run was compared; whether any of it was. */
bool app_dyn_whole(const struct dynamic_answer *d);
bool app_dyn_known(const struct dynamic_answer *d);
/* Substeps of a control step, at least 1. */
int app_control_steps(const struct app *app);
/* Whether something on show is made for the columns of the timeline. */
bool app_has_lanes(const struct app *app);
/* The tolerance in force. */
ph_tolerance app_tolerance(const struct app *app);

/* Findings of the file and of the pass in one order, worst first. */
size_t app_finding_count(const struct app *app);
const ph_finding *app_finding(const struct app *app, size_t at); /* NULL past the last */

/* "213", "213+4/10" */
void dyn_place(char *out, size_t size, const struct app *app, int64_t step, int substep);
/* Why there is no dynamic frame: "running 120/213", "the dynamic run ends at step 40: ...". */
void dyn_missing(char *out, size_t size, const struct app *app);
/* "8.93e-2": an error in seven columns; "=" of 0, "-" of NaN. */
void dyn_error(char *out, size_t size, double error);
/* Pieces of the header's lines. */
void dyn_verdict(struct strip *strip, const struct app *app);
void dyn_mode(struct strip *strip, const struct app *app);
/* ", dynamic NEVER" */
void dyn_latch(struct strip *strip, const struct app *app);
/* Where the dynamic hold broke, and what did not hold there, where it never latched. */
void dyn_broke(struct strip *strip, const struct app *app);
/* Pieces of the status line. */
void dyn_status(struct strip *strip, const struct app *app);

/* Lanes of the timeline, over w columns from r.x on in row y. */
struct timeline;
void lane_predicate(struct surface *s, struct rect r, int y, const struct timeline *t,
                    const struct app *app);
void lane_hold(struct surface *s, struct rect r, int y, const struct timeline *t,
               const struct app *app);
enum error_lane { ERROR_DRIFT, ERROR_ONE, ERROR_GHOST, ERROR_OTHER };
void lane_errors(struct surface *s, struct rect r, int y, const struct timeline *t,
                 const struct app *app, enum error_lane which);
/* "drift 1e-3..1e+1 x tol"; "" nothing is unequal. */
void lane_scale(char *out, size_t size, const struct app *app);
/* An error between the decades 10^low and 10^high: a block, in ASCII a digit. */
const char *lane_level(double v, int low, int high, bool ascii);
/* Whether there is something to draw. */
bool lane_judged(const struct app *app);
bool lane_ghost(const struct app *app);

/* Recorded against dynamic, joint by joint, worst first: the state panel in B. */
int compare_lines(const struct app *app);
int compare_signal(const struct app *app, int line); /* -1 past the last */
void compare_draw(struct surface *s, struct rect r, const struct app *app);

/* Lines about the outcomes of both in the success panel. */
enum { OUTCOME_FACTS = 5 };
void outcome_draw(struct surface *s, struct rect r, const struct app *app);

#endif
