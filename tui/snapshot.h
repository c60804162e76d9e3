/* The two values that cross between the UI thread and the worker: a request (the whole desired
 * state, never an increment) and a snapshot (a finished value with one owner). Neither has a
 * pointer into the engine. */
#ifndef TUI_SNAPSHOT_H
#define TUI_SNAPSHOT_H

#include <playhead/playhead.h>

#ifdef __cplusplus
typedef int tui_refs; /* tests only build and read values; counting is done in C */
#else
#include <stdatomic.h>
typedef atomic_int tui_refs;
#endif

struct request {
  uint64_t serial;
  size_t episode; /* place in the catalog */
  int64_t step;
};

/* The list of episodes; immutable once published, shared by reference count. */
struct catalog {
  tui_refs refs;
  char path[512], layout[24];
  size_t n;
  ph_entry *entry;
  size_t *source_of; /* per entry: which path it came from; NULL: all from the first */
  size_t nsources;
  char **source; /* the paths as given */
};

enum event_kind {
  EVENT_TRUE,  /* predicate became true */
  EVENT_FALSE, /* ... and broke */
  EVENT_LATCH,
  EVENT_END,
  EVENT_CLIPPED, /* first of a run of clipped steps */
  EVENT_WARNED,
  EVENT_KIND_COUNT
};

struct event {
  int64_t step;
  enum event_kind kind;
};

/* The word for a kind, as F and :event-kinds take it and the timeline's legend has it: "true",
 * "broke", "latch", "end", "clipped", "warned"; and what happened in words: "predicate broke". */
const char *event_name(enum event_kind kind);
const char *event_words(enum event_kind kind);

/* What belongs to a whole episode, as DESIGN's episode is a rollout in a file: a reel is what the
 * screen keeps of one while it is on show. Immutable once published, shared by reference count. */
struct reel {
  tui_refs refs;
  size_t episode;       /* place in the catalog */
  ph_episode_meta meta; /* provenance is NULL here */
  ph_guarantee guarantee;
  char reason[240];
  char model_note[400]; /* "" or why there is no model */
  char task_note[400];
  char task_name[64];
  int64_t states;
  uint8_t *predicate; /* states; NULL: not stored */
  int64_t *hold;      /* count after each state; NULL likewise */
  int64_t latch;      /* -1: none */
  int64_t hold_steps;
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
  } * conditions;     /* reel->nconditions */
  bool predicate_now; /* recomputed here */
};

struct catalog *catalog_ref(struct catalog *c);
/* Place of the episode that a person names: its id (the first of that name), PATH:ID where PATH is
 * a source or the last part of one, or a place from 0. SIZE_MAX: none. */
size_t catalog_find(const struct catalog *c, const char *name);
size_t catalog_source(const struct catalog *c, size_t episode); /* place of its path */
void catalog_unref(struct catalog *c);                          /* Nullable */
struct reel *reel_ref(struct reel *r);
void reel_unref(struct reel *r);        /* Nullable */
void snapshot_free(struct snapshot *s); /* Nullable */

#endif
