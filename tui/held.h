/* What success has to last, as a person moves it on the screen: what is wanted, what it comes to
 * for the episode on show by each source, and for all episodes of the list. No file is touched and
 * no predicate computed anew: another hold is a question to the intervals that are known. */
#ifndef TUI_HELD_H
#define TUI_HELD_H

#include <playhead/outcomes.h>

#define HELD_INTERVALS 256 /* of an episode that are listed */
#define HELD_TEXT 100
#define HELD_REASON 240
#define HELD_PATH 1100  /* names of files, whole */
#define HELD_SAID 2000  /* a sentence with one in it */
#define HELD_DROPPED 64 /* episodes without a latch that are named */

/* By which predicate the whole list is counted. */
enum count_by {
  COUNT_SHOWN,     /* the file's; by the task where it has none, and where it is judged otherwise */
  COUNT_STRICTEST, /* the strictest source that all episodes of the path on show allow, as cut has
                      it; those below likewise, by one for all: */
  COUNT_RECORDED,
  COUNT_KINEMATIC,
  COUNT_DYNAMIC
};

/* Part of a request. All zero: each episode's own hold, and nothing is counted. */
struct hold_wish {
  bool on;        /* another hold than each episode's own: */
  double seconds; /* in steps of each episode's own length */
  bool count;     /* over all episodes of the list, and by the task along this one */
};

/* The hold of an episode in steps under a wish. False: it cannot be counted in its steps;
 * ph_error() says why. */
bool hold_wish_count(int64_t *steps, const struct hold_wish *wish, double control_dt, int64_t own);
/* The same for an episode that is shown: `own` where it cannot be counted in its steps. */
int64_t hold_wish_steps(const struct hold_wish *wish, double control_dt, int64_t own);
const char *count_by_name(enum count_by by); /* "recorded", ...; "": it is still to be chosen */
/* Holds beside one, that are counted with it: a fifth of it away, at least a step. */
int64_t hold_beside(int64_t steps);

/* By one source. */
struct held_source {
  bool waits; /* it is still to come; `rows` of `all` are known */
  int64_t rows, all;
  bool known;           /* false, and nothing to wait for: `text` says why */
  int64_t latch;        /* -1 */
  int64_t longest;      /* true outcomes in a row */
  ph_refusal refusal;   /* why there is no latch */
  int64_t refused;      /* its row; -1 */
  char text[HELD_TEXT]; /* "" or its reason */
};

struct held_interval {
  int64_t first, last;
  bool broken;
  char by[HELD_TEXT]; /* what did not hold in the row behind it; "" not known */
};

/* Over the episodes of the list. */
struct hold_count {
  bool on;
  bool asked;       /* else it is of the first episodes alone, by what their files store: */
  bool stopped;     /* no more will be counted */
  size_t all, done; /* episodes, and those that were looked at */
  size_t unknown;   /* of these: no source has a predicate */
  size_t judged; /* of these: by the task, for the file has no predicate or is judged otherwise */
  bool choosing; /* the source is still being chosen: `done` are looked at for that */
  ph_latch_source by; /* of those that are not `judged` */
  double dt;          /* of the episode on show: the seconds of the holds */
  int64_t steps[3];   /* one below it, the hold, one above; below is -1 where there is none */
  size_t latch[3];    /* how many latch */
  /* against each episode's own hold: */
  size_t own;                  /* that latch at it */
  size_t both;                 /* at either */
  int64_t median, least, most; /* shift of the latch row of those, in steps */
};

/* What :cut would do with the path of the episode on show, at the hold in force. */
struct cut_plan {
  bool ready; /* all its episodes were looked at, by: */
  enum count_by asked;
  ph_latch_source by;
  bool known; /* of some of them it is known when success was true; else: */
  char why[HELD_REASON];
  double hold;            /* s */
  char source[HELD_PATH]; /* as given */
  char out[HELD_PATH];    /* its default name; "": there is none */
  size_t kept, dropped;
  int64_t least, most; /* steps that are cut off of a kept one; -1 */
  size_t named;
  struct {
    char id[64], why[HELD_REASON];
  } drop[HELD_DROPPED];
};

/* Part of a snapshot; owned by it. NULL: nothing was recorded, as of a live env. */
struct held_answer {
  int64_t steps; /* in force */
  int64_t own;   /* of the file */
  struct held_source source[PH_LATCH_SOURCES];
  ph_latch_source of; /* whose intervals are listed */
  size_t all, n;      /* intervals there are; listed */
  struct held_interval *interval;
  struct hold_count count;
  struct cut_plan plan;
  uint64_t cuts;           /* that were done */
  bool cut_failed;         /* of the last one: */
  char cut[HELD_SAID];     /* what became of it */
  char cutting[HELD_SAID]; /* "" or how far the one under way is */
};
void held_answer_free(struct held_answer *h); /* Nullable */

/* Part of a request: "cut this". */
struct cut_wish {
  uint64_t serial;       /* rises with each that is asked for; 0: none */
  uint64_t dropped;      /* of serial: that one is given up; 0 */
  size_t episode;        /* one of the path that is cut, by its place in the catalog */
  struct hold_wish hold; /* at which */
  ph_latch_source by;    /* as the plan said */
  char out[HELD_PATH];
};

#endif
