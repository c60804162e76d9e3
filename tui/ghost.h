/* A second episode beside the one on show: its states are held against those at the same step, by
 * the names of joints and bodies, so that models may differ. It is only read. */
#ifndef TUI_GHOST_H
#define TUI_GHOST_H

#include <playhead/model_diff.h>

#include "dynamic.h"

#define GHOST_PATH 400   /* "PATH[:ID]" with its end */
#define GHOST_CHANGES 12 /* of the model that are kept in words */

/* Part of a request. */
struct ghost_wish {
  uint64_t serial;       /* rises whenever another one is asked for */
  char path[GHOST_PATH]; /* as a person writes it; "": none */
};

/* One line of the comparison: a joint, a body, or a single number of both. */
struct ghost_row {
  char name[172];
  const char *unit; /* static */
  int signal;       /* the first of the shown episode's that it is about */
  bool apart;       /* of more numbers than one: no value is shown */
  double value;     /* the ghost's; NaN: not known */
  double now;       /* error at this step; NaN: not known */
  bool equal;       /* bits */
  double worst;     /* over the steps that both have; NaN: none is kept */
  int64_t step;     /* of that */
};

/* Part of a snapshot; NULL there: no ghost was asked for. Owned by the snapshot. */
struct ghost_answer {
  uint64_t serial; /* of the wish */
  bool opening;    /* it is being opened; nothing but error is known */
  char error[400]; /* "" or why there is none beside this episode */
  char file[512];  /* the episode that it is */
  char id[64];
  int64_t states;
  double control_dt; /* [s]; 0 unknown */
  /* the models */
  bool no_model;   /* one of the two has none, or it does not compile */
  size_t nchanges; /* in all; 0: they are the same */
  size_t kept;
  ph_model_change *change;
  size_t only_here, only_there; /* joints and bodies that only one of the two has, by name */
  /* the whole */
  int64_t both;         /* steps that both have, from 0 on */
  int64_t scanned;      /* states of the shown episode that were compared */
  int64_t total;        /* ... of so many; 0: no number of the states is in both */
  int64_t first;        /* first of `both` where bits of the state differ; -1 none so far */
  char first_name[172]; /* what is worst there */
  const char *first_unit;
  double first_error;
  int64_t beyond;   /* first of `both` beyond the tolerance; -1 */
  int64_t actions;  /* first action that differs; -1: none so far, or they are of two sizes */
  char damage[400]; /* "" or why no more was compared */
  /* the frame */
  bool has_frame;
  int64_t step; /* the ghost's */
  bool held;    /* it has ended before */
  char note[400];
  size_t nrows;
  struct ghost_row *row; /* joints worst first, bodies worst first, the rest in order */
  struct lanes *lanes;   /* referenced; NULL; its `ghost` alone is there */
};
void ghost_answer_free(struct ghost_answer *g); /* Nullable */

/* "FILE:ID" where there is no file of the whole name: what is in front, and the id; "" none. False:
 * longer than there is room. */
bool ghost_split(const char *given, char *path, size_t size, char *id, size_t id_size);

#endif
