/* A panel has no state of its own and computes nothing: it draws the app into its rectangle. */
#ifndef TUI_PANEL_H
#define TUI_PANEL_H

#include "app.h"

struct panel {
  const char *name;
  bool focusable;
  void (*draw)(struct surface *s, struct rect r, const struct app *app);
  /* Lines that can be moved in with j and k; 0: none. The cursor is in 0 .. lines-1. */
  int (*lines)(const struct app *app);
  const char *hint; /* names of the commands that matter in it, separated by blanks */
};

const struct panel *panel_get(enum panel_id id);

void panel_header_draw(struct surface *s, struct rect r, const struct app *app);
void panel_timeline_draw(struct surface *s, struct rect r, const struct app *app);
void panel_state_draw(struct surface *s, struct rect r, const struct app *app);
int panel_state_lines(const struct app *app);
/* What a line of the state panel is: a signal, or a channel that is not shown; -1 for the other. */
bool panel_state_at(const struct app *app, int line, int *signal, int *channel);
void panel_plot_draw(struct surface *s, struct rect r, const struct app *app);
int panel_plot_lines(const struct app *app);
void panel_envs_draw(struct surface *s, struct rect r, const struct app *app);
int panel_envs_lines(const struct app *app);
void panel_findings_draw(struct surface *s, struct rect r, const struct app *app);
int panel_findings_lines(const struct app *app);
/* The mark of a kind of findings, and the word for it. */
const char *panel_finding_mark(ph_finding_kind kind, enum style *style);
const char *panel_finding_word(ph_finding_kind kind);
const ph_finding *panel_findings_at(const struct app *app, int line); /* NULL past the last */
void panel_action_draw(struct surface *s, struct rect r, const struct app *app);
int panel_action_lines(const struct app *app);
/* Whether a person holds an element, of which the next action's value is shown; and that value. */
bool panel_action_by_hand(const struct app *app, int i);
double panel_action_value(const struct app *app, int i);
int panel_action_at(const struct app *app, int line); /* element; -1 past the last */
void panel_success_draw(struct surface *s, struct rect r, const struct app *app);
int panel_success_lines(const struct app *app);
void panel_cut_draw(struct surface *s, struct rect r, const struct app *app); /* in its place */
int panel_cut_lines(const struct app *app);
void panel_episodes_draw(struct surface *s, struct rect r, const struct app *app);
int panel_episodes_lines(const struct app *app);
void panel_log_draw(struct surface *s, struct rect r, const struct app *app);
int panel_log_lines(const struct app *app);
void panel_help_draw(struct surface *s, struct rect r, const struct app *app);
int panel_help_lines(const struct app *app);
void panel_status_draw(struct surface *s, struct rect r, const struct app *app);
void panel_hints_draw(struct surface *s, struct rect r, const struct app *app);

/* The title row of a panel (marked where it has the focus) if there are rows for it; returns the
 * rectangle below. right is nullable. */
struct rect panel_frame(struct surface *s, struct rect r, const struct app *app, enum panel_id id,
                        const char *title, const char *right);
/* First line to show so that the cursor is among `rows` of `lines`. */
int panel_top(const struct app *app, enum panel_id id, int lines, int rows);
/* The cursor of a panel, inside its lines. */
int panel_cursor(const struct app *app, enum panel_id id, int lines);
/* Text in as many rows as it needs, from row y, between blanks at both sides. */
void panel_wrap(struct surface *s, struct rect r, int y, enum style style, const char *text);
/* Rows that panel_wrap would take of a rectangle so wide. */
int panel_wrap_rows(const char *text, int width);
/* " 12 more  j k scroll  f filter" into the last row. */
void panel_more(struct surface *s, struct rect r, int y, const struct app *app, int hidden);
/* Without an episode on show: whether the wanted one has not been answered for yet. */
bool panel_opening(const struct app *app);
/* Whether success must last: files of others say nothing of a hold. */
bool panel_has_hold(const struct reel *reel);
/* Whether the stored predicate says something of a step: other recorders keep the outcome of each
 * action, and the first state has none. */
bool panel_has_outcome(const struct reel *reel, int64_t step);
/* Lines of facts that the success panel has of an episode that was judged. */
int panel_success_facts(const struct reel *reel);
enum { PANEL_NOTES = 3 };
/* What the header has to say besides: damage at this step, missing model, task. Returns how many.
 */
int panel_notes(const struct app *app, const char *notes[PANEL_NOTES]);
/* Whether a panel can be reached with Tab: without curves or findings theirs cannot. */
bool panel_reachable(const struct app *app, enum panel_id id);
/* What the layout needs to know of an app. */
void panel_layout_options(const struct app *app, struct layout_options *out);

#endif
