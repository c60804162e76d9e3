/* Many envs under the playhead: what is wanted of them, and what is known. The envs are those of
 * the round of the episode on show, which leads: its step is where the playhead is. */
#ifndef TUI_ENVS_VIEW_H
#define TUI_ENVS_VIEW_H

#include <playhead/ensemble.h>

#define ENVS_ROWS 96 /* lines in one answer at most */

/* Part of a request. All zero: none are shown. */
struct envs_wish {
  int n; /* envs at most, PH_ENSEMBLE_MAX: all; a recording of one env so many times. 0: none */
  ph_align align;
  bool hold;        /* envs that have ended keep their last state, and the others go on */
  int64_t past;     /* the playhead is so many steps beyond the last one of the episode on show */
  int first, lines; /* in sight; first < 0: those around the one that leads */
  int columns;      /* of a lane */
};

/* From one env to another and on, with nothing moved in between: where it began says where all of
 * them are, so that a state that is clamped or rounded to in one of them moves none of the others.
 * All zero: none is under way. */
struct envs_walk {
  bool on;
  ph_align align;
  size_t from, here; /* episodes: that it began with, and the one on show */
  int64_t began, at; /* playhead in the first one, and in the one on show */
  double rate;       /* of the one on show: rint(began * rate) + shift, before it is clamped */
  int64_t shift;
};

/* One line of the panel. */
struct envs_line {
  size_t episode; /* place in the catalog */
  char id[64];
  int env_id; /* of a broadcast: which of them */
  int64_t states;
  bool runs;         /* physics can be run again; else: */
  char trouble[400]; /* why not, or why the episode cannot be read; or why it stopped */
  /* where it is */
  ph_ensemble_place at;
  bool by_step;   /* it cannot be aligned as it is asked for */
  double rate;    /* step of it under a playhead: rint(p * rate) + shift */
  int64_t shift;  /* likewise */
  int equal;      /* recorded and dynamic state there: 1, 0, -1 not known */
  double now;     /* error there in tolerances; NaN not known, PH_LANE_NONE: there is none */
  int64_t beyond; /* its dynamic run is so many steps past its end; 0 */
  /* the whole */
  bool ended;
  int64_t known, stopped; /* states that were measured; step at which physics stopped, -1 */
  ph_class cls;
  int64_t first; /* step of that class or a worse one; -1 */
  int64_t latch[PH_LATCH_SOURCES];
  const double *lane; /* (columns of the answer) */
};

/* Part of a snapshot; NULL there: none are shown. Owned by the snapshot. */
struct envs_answer {
  int asked;           /* n of the wish */
  char refused[400];   /* "" or why there are none */
  size_t episode;      /* place of the episode that leads */
  size_t opened, n;    /* so many of n are open; nothing else is known before all are: */
  bool ready;          /* all are */
  bool broadcast;      /* of one episode */
  size_t lead;         /* its line among all */
  bool hold;           /* as it is */
  ph_align align;      /* likewise */
  size_t by_step;      /* envs that are aligned by step all the same */
  char note[120];      /* "" or why the first of them is */
  int64_t playhead;    /* clamped */
  int64_t least, most; /* last step in lockstep; and with the last states held */
  char shortest[64];   /* the env that ends at `least`, "env 3" */
  bool sought;         /* states under the playhead are there */
  size_t unequal;      /* envs whose two states differ there, of: */
  size_t compared;     /* those that have both */
  ph_ensemble_progress pass;
  int64_t lane_first, lane_last; /* lanes are of these playheads */
  int columns;
  size_t first, lines; /* lines first .. first+lines-1 are here */
  struct envs_line *line;
  double *lanes;
};
void envs_answer_free(struct envs_answer *e); /* Nullable */

#endif
