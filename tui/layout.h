/* Where each panel goes: a pure function of the size and a few options. */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include "surface.h"

/* clang-format off */
#define PANEL_LIST(X)                                                                              \
  X(HEADER, header) X(TIMELINE, timeline) X(PLOT, plot) X(ENVS, envs) X(STATE, state)              \
  X(FINDINGS, findings) X(SUCCESS, success) X(ACTION, action) X(EPISODES, episodes)                \
  X(LOG, log) X(HELP, help) X(STATUS, status) X(HINTS, hints)
/* clang-format on */

enum panel_id {
#define PANEL_ENUM(id, name) PANEL_##id,
  PANEL_LIST(PANEL_ENUM)
#undef PANEL_ENUM
      PANEL_COUNT
};

#define LAYOUT_MIN_ROWS 6
#define LAYOUT_MIN_COLS 20

struct layout_options {
  int zoomed;    /* panel that fills the body; -1 none */
  bool help;     /* help covers the body */
  int nepisodes; /* negative: they are not listed */
  bool has_task;
  int nsignals, nactions;
  int nenvs; /* lines about many envs; 0: they are not shown */
  int nconditions;
  int nspare; /* lines of the success panel that have a row where lists have theirs all the same */
  bool no_conditions; /* there can be none: no line says so */
  int nfacts;         /* lines about success above them; 0: the usual number */
  int nnotes;         /* sentences that the header has to say (no model, no task, ...) */
  int ncurves;
  int extra_lanes;              /* of the timeline, about physics run again */
  bool wide_state;              /* it has columns for two states */
  int nfindings, findings_text; /* how many, and columns that their sentences take together */
};

struct layout {
  struct rect panel[PANEL_COUNT]; /* empty (h or w 0) where there is no room */
  bool too_small;                 /* one message fills the screen */
};

/* Rects are inside the screen and disjoint; panels side by side leave one column between them, and
 * the first row of a panel in the body is its title. By priority: status line, header, timeline,
 * state, success, action, episodes, log. Plots and findings have a place, where there is any of
 * them, on screens that have room for it beside the state. Below LAYOUT_MIN_* all rects are empty.
 */
void layout_compute(struct layout *out, int rows, int cols, const struct layout_options *opt);

#endif
