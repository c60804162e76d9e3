/* The program's turn: snapshot, signals, size, draw, sleep, keys. */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include "session.h"
#include "term.h"

struct view_options {
  struct session_options session;
  const char *episode; /* Nullable: id */
  int64_t step;        /* -1: where it was left, or 0 */
  bool follow;         /* list what a recorder adds */
  enum tui_mode mode;
  int envs;               /* under the playhead, as of struct envs_wish; 0: one */
  const char *ghost;      /* Nullable: PATH[:ID] of another episode beside it */
  ph_tolerance tolerance; /* all 0: the default one */
  struct hold_wish hold;  /* all 0: each episode's own */
  uint64_t seed;          /* of a preview's first episode */
  struct term_options term;
};

/* Opens the scrubber and runs it to its end. Returns the exit status. */
int loop_run(const struct view_options *opt);

struct app;

/* The app's first state: catalog, marks, and where to begin. PH_ENOTFOUND: no such episode;
 * PH_EINVAL: a path that is no run cannot be followed; a line in text. */
ph_status view_begin(struct app *app, const struct session *session, const struct view_options *opt,
                     char *text, size_t size);

/* One screen without a terminal: opens, plays `keys` ("n n e", names as in the help; nullable),
 * draws. *out is malloc'd text (ANSI with color). PH_EINVAL: a key or an episode has no such name.
 * Keys are the defaults, marks are shown and never saved, playback stands still. Whatever the
 * status, screen_error says why in one line. */
ph_status screen_render(char **out, const struct view_options *opt, int rows, int cols,
                        const char *keys, bool color);
/* The last screen says that its episode or step cannot be read. */
bool screen_refused(void);
const char *screen_error(void); /* of the last screen_render that failed; static */

#endif
