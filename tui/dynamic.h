/* The second timeline: what is wanted of physics run again, and what has come of it. The recorded
 * frame is always in the snapshot's own fields; what is dynamic stands beside it here. */
#ifndef TUI_DYNAMIC_H
#define TUI_DYNAMIC_H

#include <playhead/analysis.h>
#include <playhead/diagnosis.h>
#include <playhead/finding_dynamic.h>

#include "catalog.h"

#define BRANCH_ELEMENTS 128 /* of an action that can be overridden */
#define BRANCH_CHANGES 8
#define BRANCH_PATH 400

/* What is on show: K, D, B. */
enum tui_mode { MODE_KINEMATIC, MODE_DYNAMIC, MODE_BOTH, MODE_COUNT };
const char *mode_name(enum tui_mode mode); /* "kinematic", "dynamic", "both": as --mode takes it */
bool mode_from_name(const char *name, enum tui_mode *out);

/* "What if from here". A branch is a rerun of its own; the episode is never touched. */
struct branch_wish {
  uint64_t serial; /* rises with each branch that is asked for; 0: none */
  int64_t at;      /* the step that it leaves */
  bool dynamic;    /* from the dynamic state there, else from the recorded one */
  ph_feed feed;
  bool set[BRANCH_ELEMENTS];
  double value[BRANCH_ELEMENTS];
  size_t nchanges;
  ph_change change[BRANCH_CHANGES];
  uint64_t saves; /* in all; the newest goes to: */
  char save[BRANCH_PATH];
  uint64_t unsaved; /* of saves: that one is given up, if it is still on its way; 0 */
};

/* Part of a request: the whole desired state. All zero: kinematic, from step 0, no lanes. */
struct dynamic_wish {
  enum tui_mode mode;
  int substep; /* of the step that is wanted; 0 in kinematic mode */
  int64_t anchor;
  ph_tolerance tolerance; /* all 0: the default one */
  struct branch_wish branch;
  int64_t first, last; /* steps in sight, for the lanes; last <= first: all */
  int columns;         /* of a lane; 0: none are made */
};

/* Those of the wish; the default ones where it has none. */
ph_tolerance wish_tolerance(const struct dynamic_wish *wish);

/* Lanes over the steps first .. last, a value a column. Immutable, shared by reference count. */
struct lanes {
  tui_refs refs;
  int64_t first, last;
  int n;         /* columns */
  double *drift; /* worst error of a column in tolerances; 0: equal bits, NaN: not known */
  double *one;   /* one-step, likewise */
  double *ghost; /* of a branch, or of another episode, against the recorded states; NULL: none */
  uint8_t *pred; /* 0 false, 1 some, 2 all, 255 not known; NULL: nothing judges */
  int64_t *hold; /* largest count; -1 not known; NULL likewise */
};
struct lanes *lanes_ref(struct lanes *l);
void lanes_unref(struct lanes *l); /* Nullable */

/* A joint in the state panel: recorded against dynamic at this step, and its worst. */
struct joint_errors {
  ph_joint_error now;
  ph_joint_summary worst;
};

/* Part of a snapshot; NULL there: nothing dynamic was asked for, or nothing is known yet. Owned by
 * the snapshot. */
struct dynamic_answer {
  char refused[400]; /* "" or why physics cannot be run again: STATES ONLY and the like */
  int control_steps;
  /* the frame */
  bool has_frame;  /* what follows is of `step`, `substep`; else it is on its way, or: */
  char error[400]; /* "" or why there is no such state */
  int64_t step;
  int substep;
  double time;
  double *values;    /* as many as the reel has signals */
  double *action;    /* that is taken from here; NULL */
  double *ctrl;      /* in force */
  double *next_ctrl; /* that the action comes to; NULL: not known, or no action is taken */
  double *qpos, *qvel, *act;
  size_t ncontacts;
  struct dynamic_contact {
    char geom[2][64];
    double dist, force;
  } * contacts;
  bool judged, predicate;
  int64_t held;
  double reward; /* of the transition that led here; NaN */
  int flags;     /* likewise; -1 */
  size_t nconditions;
  bool *condition;         /* value of each */
  double *condition_reads; /* what it looked at */
  bool differs;            /* difference and joints are known: the recorded row is there too */
  ph_difference difference;
  size_t njoints; /* of the model */
  struct joint_errors *joints;
  /* the whole */
  ph_rerun_cache cache;
  ph_analysis_progress pass;
  ph_analysis_summary sum;
  bool diagnosed;
  ph_diagnosis diagnosis;
  struct lanes *lanes; /* referenced; NULL */
  size_t nfindings;    /* that the pass found, worst first */
  ph_finding *findings;
  bool breaks; /* the dynamic hold never came to its end: */
  ph_broke broke;
  /* the branch */
  uint64_t branch;        /* serial of the one that is answered; 0: none */
  bool branch_ended;      /* nothing more of it will be known */
  int64_t branch_stopped; /* at this step; -1 */
  char branch_why[420];   /* of that, or why it could not begin; "" */
  char branch_text[680];  /* "from 213 (dynamic), actions held, friction x0.5: ..." or why not */
  uint64_t saves;         /* that were done */
  char saved[500];        /* what became of the last */
  char saving[500];       /* "" or how far the one under way is: "writing FILE: 120/341" */
};
void dynamic_answer_free(struct dynamic_answer *d); /* Nullable */

#endif
