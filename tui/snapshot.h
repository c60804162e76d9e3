/* The two values that cross between the UI thread and the worker: a request (the whole desired
 * state, never an increment) and a snapshot (a finished value with one owner). Neither has a
 * pointer into the engine. */
#ifndef TUI_SNAPSHOT_H
#define TUI_SNAPSHOT_H

#include "catalog.h"
#include "clock.h"
#include "dynamic.h"
#include "envs_view.h"
#include "ghost.h"
#include "held.h"

#define PLOT_CURVES 4 /* shown at most */
#define PLOT_WISHES 8 /* named at most in one request */
#define PLOT_NAME 160

/* What the worker waits for, so that the screen can say so. */
struct waiting {
  bool on;
  bool model;  /* it is collected and compiled; else a file is opened */
  int seconds; /* so far */
  bool judge;  /* a command judges its states */
};

/* Which numbers are to be plotted, over which steps. */
struct plot_wish {
  uint64_t serial; /* rises when the names change */
  bool chosen;     /* a person named them, or none; else the session chooses for a raw episode */
  size_t n;
  /* As ph_tracks_find takes them, in order; what is named a second time goes. */
  char name[PLOT_WISHES][PLOT_NAME];
  int64_t first, last; /* steps in sight; last <= first: all */
};

#define LIVE_ELEMENTS 128 /* of an action that can be nudged */

/* What is wanted of a live env, in totals: whatever requests are passed over, the newest says it
 * all. */
struct live_wish {
  bool on;
  uint64_t resets;  /* in all: each begins an episode, from `seed` */
  uint64_t reloads; /* in all: each loads the task's file anew, and begins an episode */
  uint64_t seed;
  int64_t substeps; /* since the last reset, in all */
  bool row;         /* of a step that is under way its first state is to be shown, not the last */
  ph_drive drive;
  bool set[LIVE_ELEMENTS]; /* elements of the action that a person has chosen: */
  double value[LIVE_ELEMENTS];
};

/* What a live env has come to. */
struct live_answer {
  bool on;
  bool settled; /* it is where the wish wants it, or cannot go on */
  bool running; /* the episode has not ended */
  bool has_policy;
  int control_steps;
  int substep;      /* of the control step that is under way; 0: none is */
  bool last_action; /* at the head: the action is that of the step before */
  bool between;     /* the frame is of that substep, and no row */
  bool in_force;    /* the frame is of the step that is under way: so is its action */
  uint64_t resets, reloads, seed;
  int64_t substeps; /* since the last reset, in all */
  ph_end end;       /* how it ended; PH_END_UNKNOWN while it runs, or where it failed: */
  char detail[400];
  uint64_t refused;           /* reloads that came to nothing: what was there goes on */
  char why[400];              /* the last of them */
  char names[400];            /* "" or what the task's text names that there is not */
  double head[LIVE_ELEMENTS]; /* the action under way at the head, else its last; 0 before any */
  int64_t cut[LIVE_ELEMENTS]; /* how often each element of the action was cut since the reset */
};

struct request {
  uint64_t serial;
  struct live_wish live;
  size_t episode; /* place in the catalog */
  int64_t step;
  struct plot_wish plot;
  char group[GROUP_NAME]; /* the group of episodes that is listed; "" all */
  size_t look;            /* place in the catalog from which on episodes are looked at first */
  bool follow;            /* episodes that a recorder adds are listed */
  struct dynamic_wish dyn;
  struct envs_wish envs;
  struct ghost_wish ghost;
  struct hold_wish hold;
  enum count_by count_by; /* where hold.count */
  struct cut_wish cut;
};

/* The episodes of one group; immutable once published, shared by reference count. */
struct group {
  tui_refs refs;
  char name[GROUP_NAME];
  size_t n;
  size_t *place; /* in the catalog, rising */
};

enum event_kind {
  EVENT_TRUE,  /* predicate became true */
  EVENT_FALSE, /* ... and broke */
  EVENT_LATCH,
  EVENT_STAGE, /* a stage of the task was reached: of the snapshot, not of its reel */
  EVENT_END,
  EVENT_CLIPPED, /* first of a run of clipped steps */
  EVENT_WARNED,
  EVENT_FINDING, /* a finding that has a step */
  EVENT_KIND_COUNT
};

struct event {
  int64_t step;
  enum event_kind kind;
};

/* The word for a kind, as F and :event-kinds take it and the timeline's legend has it: "true",
 * "broke", "latch", "stage", "end", "clipped", "warned", "finding"; and what happened in words:
 * "predicate broke". */
const char *event_name(enum event_kind kind);
const char *event_words(enum event_kind kind);

struct snapshot;
/* The events of a snapshot's episode: those of its reel, then stages as far as they were judged and
 * the findings of the pass, which come later than the reel. */
size_t event_count(const struct snapshot *snap);
struct event event_at(const struct snapshot *snap, size_t i);

/* What belongs to a whole episode, as DESIGN's episode is a rollout in a file: a reel is what the
 * screen keeps of one while it is on show. Immutable once published, shared by reference count. */
struct reel {
  tui_refs refs;
  /* That of the file's own hold, referenced: this one counts another, and all but its hold, latch
   * and events is borrowed of that. NULL: it is that. */
  struct reel *of;
  size_t episode;       /* place in the catalog */
  ph_episode_meta meta; /* provenance is NULL here */
  ph_guarantee guarantee;
  char reason[240];
  char model_note[400]; /* "" or why there is no model */
  char task_note[400];
  char judge_note[300]; /* "" or why a command did not judge */
  char task_name[64];
  int64_t states;
  uint8_t *predicate; /* states; NULL: not stored */
  int64_t *hold;      /* count after each state; NULL likewise */
  bool judged;        /* ... and is none of the file's, but what a command says */
  int64_t latch;      /* -1: none */
  int64_t hold_steps; /* in force; the file's is in meta */
  size_t nevents;
  struct event *events; /* by step */
  size_t nsignals;
  ph_signal *signals;
  int nactions; /* action_dim */
  char (*action_name)[64];
  double *action_min, *action_max; /* raw range; -inf, inf */
  int nctrl;
  char (*ctrl_name)[64];
  int *action_ctrl; /* which ctrl an action element drives; -1 unknown */
  size_t nconditions;
  char (*condition)[64];
  size_t nstages;
  char (*stage)[64]; /* in order */
  size_t nchannels;
  ph_channel *channels; /* what else the file holds per step */
  size_t nfindings;
  ph_finding *findings; /* by kind, the worst first, then by step */
  bool live, running;   /* of a live env; its end is not yet known */
  bool raw;             /* no model: the states are a channel, numbers without names */
  struct clock clock;
  bool no_flags, no_rewards; /* the file holds none, at no step */
  bool late;                 /* its last action succeeded; the state after it is not stored */
  double late_reward;        /* of that action; NaN: none is stored, or its state is */
};

/* What a track holds over the steps first .. first+steps-1: part k is of the `per` steps from
 * first + k per. Shared by reference count; parts below a curve's `ready` never change again. */
struct series {
  tui_refs refs;
  int64_t first, steps, per;
  size_t n;
  ph_span *part;
};

struct curve {
  char name[PLOT_NAME];
  char unit[16];
  double value;          /* at the snapshot's step; NaN */
  struct series *series; /* referenced */
  size_t ready;          /* parts that are there, from the first on */
  char note[200];        /* "" or what of it is damaged */
};

/* The answer to a plot_wish: those of its names that this episode has. */
struct plot_answer {
  uint64_t serial; /* of the wish */
  size_t n;
  struct curve curve[PLOT_CURVES];
  char note[300]; /* "" or which names it has not, or that they are too many */
};

/* The task's stages along the states: reached so far, as far as they were judged. */
struct stages_known {
  ph_stages stages; /* after the last judged state */
  int64_t rows;     /* states that were judged, from the first on */
  bool complete;    /* no more will be */
  char note[200];   /* "" or why not all of them */
};

/* What is known of the recorders of the runs that are followed. */
enum following {
  FOLLOW_NONE,   /* nothing is followed */
  FOLLOW_WAIT,   /* nothing is known yet, or the system does not say */
  FOLLOW_LIVE,   /* a recorder has a run open */
  FOLLOW_DONE,   /* none has */
  FOLLOW_BROKEN, /* a run cannot be looked at: the snapshot's lost says why */
};

/* One served request. */
struct snapshot {
  uint64_t serial;         /* of the request it answers */
  char error[400];         /* "" or one line; then frame is not there */
  struct catalog *catalog; /* referenced */
  struct reel *reel;       /* referenced; NULL when the episode does not open */
  bool has_frame;
  char note[400]; /* "" or which columns are damaged at this step, and so not shown */
  int64_t step;
  double time;
  double *values;            /* reel->nsignals; NaN unknown */
  double *action;            /* reel->nactions; NULL at the last state */
  double *ctrl;              /* reel->nctrl: in force at this state */
  double *next_ctrl;         /* ctrl that the action led to (row t+1); NULL at the last state */
  double *qpos, *qvel, *act; /* the row itself, sizes of reel->meta.dims; NULL: not stored */
  double *mocap_pos, *mocap_quat; /* (nmocap x 3), (nmocap x 4); NULL: not stored */
  double reward;                  /* of the transition that led here; NaN */
  int flags;                      /* likewise; -1 */
  size_t ncontacts;
  struct snapshot_contact {
    char geom[2][64];
    double dist, force;
  } * contacts;
  bool has_conditions;
  struct snapshot_condition {
    bool value;
    char reads[48];
    double read;
    char unit[8];
    char limit[28];           /* as ph_condition's */
  } * conditions;             /* reel->nconditions */
  bool predicate_now;         /* recomputed here */
  char judge_error[300];      /* "" or why a condition failed here */
  bool judging;               /* it wants stages of states that are still to be judged */
  struct stages_known stages; /* of reel->nstages */
  struct plot_answer plot;
  size_t unseen;       /* episodes whose lengths are still to be looked at */
  struct group *group; /* referenced; of the request; NULL: all episodes */
  enum following following;
  char lost[400]; /* of FOLLOW_BROKEN; else "" */
  struct live_answer live;
  struct dynamic_answer *dyn; /* owned; NULL: nothing is known of physics run again */
  struct envs_answer *envs;   /* owned; NULL: many envs are not asked for */
  struct ghost_answer *ghost; /* owned; NULL: no other episode is beside it */
  struct held_answer *held;   /* owned; NULL: there is no hold to be moved */
};

struct reel *reel_ref(struct reel *r);
void reel_unref(struct reel *r); /* Nullable */
/* Whether both, if there are, are of one opening of an episode, whatever the hold. */
bool reel_same(const struct reel *a, const struct reel *b);
struct group *group_ref(struct group *g);
void group_unref(struct group *g); /* Nullable */
/* Place of `episode` among those of the group, or where it would be. */
size_t group_find(const struct group *g, size_t episode);
struct series *series_ref(struct series *s);
void series_unref(struct series *s);    /* Nullable */
void snapshot_free(struct snapshot *s); /* Nullable */

#endif
