/* All that the screen knows. Commands change it and say by reaction flags what must follow; panels
 * read it. No engine, no terminal, no clock of its own. */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "command.h"
#include "layout.h"
#include "prompt.h"
#include "snapshot.h"

enum reaction {
  REACT_REDRAW = 1,
  REACT_RELAYOUT = 2,
  REACT_SEEK = 4, /* app->want changed: ask the worker */
  REACT_SAVE = 8, /* marks or notes changed */
  REACT_QUIT = 16,
  REACT_SUSPEND = 32,
  REACT_REPAINT = 64, /* Ctrl-L: the terminal is to be drawn anew */
  REACT_COPY = 128,   /* app->copy is to go to the clipboard (OSC 52) */
};

#define APP_LOG_LINES 200
#define APP_UNDO 32
#define APP_GHOST_NAME 448

struct app {
  /* what is wanted, and the newest answer */
  struct request want;
  struct snapshot *snap;  /* owned; NULL before the first */
  struct waiting waiting; /* what the next one waits for */

  /* playback */
  bool playing, backwards;
  double speed;           /* 1.0: real time */
  double play_from;       /* fractional step, advanced by app_tick */
  uint64_t tick_at;       /* ms of the last tick; 0: not running */
  int64_t loop_a, loop_b; /* -1: not set */
  bool loop_all;
  bool stepping; /* the last command was a step: a run of them is one entry of undo */
  int64_t undo[APP_UNDO];
  int undo_substep[APP_UNDO]; /* likewise */
  int nundo;

  /* input */
  char digits[20];      /* the number being typed; "" none */
  enum command pending; /* waiting for a mark's letter; CMD_NONE */
  uint64_t cancel_at;   /* ms of the last Ctrl-C; 0: none */
  uint64_t quit_at; /* ms of the last quit that a branch on its way into a file was in the way of */
  uint64_t now;     /* ms of the key being handled */
  struct keymap keys;
  struct prompt prompt;

  /* view */
  int rows, cols;
  bool ascii;
  enum scheme scheme;
  enum panel_id focus;
  int zoomed;   /* panel or -1 */
  bool crowded; /* the focused panel has no room beside the others: it is shown alone */
  bool help;
  int scroll[PANEL_COUNT], cursor[PANEL_COUNT];
  char filter[PANEL_COUNT][64];
  bool filtering;                /* the prompt edits the focused panel's filter */
  char filter_before[64];        /* what Esc puts back */
  size_t *passed, npassed;       /* owned: places of the episodes that pass their filter */
  char passed_filter[64];        /* by this filter; "": every episode passes */
  char passed_group[GROUP_NAME]; /* of this group; "" all. Without both none is listed */
  uint64_t entries_read;         /* put through the filter so far: its cost, for tests */
  int64_t zoom_first, zoom_last; /* steps that the timeline shows; -1: all */
  uint64_t branches;             /* that were asked for in all */
  uint64_t branch_told;          /* the last one whose end was looked at */
  struct envs_walk walk;
  bool cut_shown; /* what a cut would do is listed: it waits for :cut! */
  bool cut_waits; /* ... once it is known */
  bool cut_named; /* where it goes was given; else it is the default name: */
  char cut_out[HELD_PATH];
  bool plot_asked;     /* names were given that the worker has not looked up yet */
  unsigned event_mask; /* kinds that e and E walk: 1 << event_kind */
  struct layout layout;

  /* marks and notes: a sheet per file that they are kept in */
  ph_marks *sheet;
  size_t nsheets;
  size_t *sheet_of; /* per path that was opened; two that are one file have one sheet */
  size_t nsources;
  uint64_t told_sheets; /* bits: where this sheet is kept was said */

  /* words that Tab offers after :ghost: the paths that are open, and their episodes */
  char (*ghost_name)[APP_GHOST_NAME]; /* owned */
  size_t nghost_names;

  /* messages */
  char message[400];
  bool message_bad;
  char log[APP_LOG_LINES][400];
  int nlog;   /* total ever; ring */
  char *copy; /* owned: text for REACT_COPY; NULL none */
};

void app_init(struct app *app);
void app_free(struct app *app);

/* Takes the snapshot (owned from here on). Returns reactions. */
unsigned app_take(struct app *app, struct snapshot *snap);
/* The wanted step was not made for want of memory: says so, for the one on show is another. */
unsigned app_starve(struct app *app);
/* One key at time now_ms: prompt, digits, marks, then the key map. What is pasted is for the prompt
 * alone. */
unsigned app_key(struct app *app, uint32_t key, uint64_t now_ms);
/* A command with a count (0: none given) and arguments of the prompt (nullable). */
unsigned app_apply(struct app *app, enum command cmd, int64_t count, const char *args);
/* A line of the prompt: command name and arguments, or a number to go to. */
unsigned app_line(struct app *app, const char *line);
unsigned app_resize(struct app *app, int rows, int cols);
/* Advances playback. */
unsigned app_tick(struct app *app, uint64_t now_ms);
/* When app_tick wants to be called, ms; UINT64_MAX: never. */
uint64_t app_deadline(const struct app *app);
/* Loads what is kept beside each of the paths that were opened. What cannot be read is logged. */
bool app_load_marks(struct app *app, const char *const *paths, size_t n); /* false: out of memory */
void app_log(struct app *app, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Facts that panels and commands share. */
int64_t app_last_step(const struct app *app);       /* S-1; 0 without an episode */
int64_t app_shown_step(const struct app *app);      /* of the snapshot on show */
const struct reel *app_reel(const struct app *app); /* NULL: none */
size_t app_count(const struct app *app);            /* episodes in the catalog */
bool app_has_episode(const struct app *app);        /* want.episode names one of the catalog */
enum panel_id app_active(const struct app *app);    /* where j and k move: help while it is open */
/* Whether a line of a panel passes the panel's filter (case does not matter). */
bool app_filter_match(const struct app *app, enum panel_id panel, const char *text);
/* Place in the catalog of the panel's line `line` under its filter; SIZE_MAX past the end. The
 * filter reads id, "env N", end reason, success, determinism and oddity as the row shows them. */
size_t app_episode_at(const struct app *app, int line);
const char *app_success_word(const ph_entry *entry); /* "yes", "NO", "-": not judged */
int app_episode_lines(const struct app *app);
/* The group that is wanted, once its episodes are known; NULL: all of them are listed. */
const struct group *app_group(const struct app *app);
/* Marks and notes of the file that holds an episode of the catalog; an empty sheet if none. */
const ph_marks *app_marks(const struct app *app, size_t episode);
/* Draws everything into the surface (resized to the app). Nothing is computed or kept here. */
void app_draw(const struct app *app, struct surface *s);

#endif
