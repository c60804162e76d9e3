/* What the files of foreign.c share: the backend that reads columns and channels of a foreign
 * episode, and the rate of its steps. */
#ifndef PLAYHEAD_FOREIGN_PARTS_H
#define PLAYHEAD_FOREIGN_PARTS_H

#include "foreign.h"

/* How a row of `states` becomes one of the schema's. */
typedef struct ph_foreign_row {
  bool raw;     /* no model: a state is its time alone */
  bool timed;   /* the first number of a stored state is its time */
  size_t width; /* numbers in a stored state; 0: no states are stored */
  size_t act;   /* activations that the model has and the file lacks; they are 0 */
  double dt;    /* [s] between rows where it is not timed; 1 where the rate is not known */
} ph_foreign_row;

typedef struct ph_foreign_backend {
  ph_backend base;
  ph_foreign foreign; /* owned */
  ph_foreign_row row;
  size_t state_width; /* of the schema */
  size_t *channel;    /* owned: the array behind each channel */
} ph_foreign_backend;

/* The read, read_channel, behind and free of a ph_foreign_backend. */
ph_status ph_foreign_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                          void *out);
ph_status ph_foreign_read_channel(const ph_backend *backend, size_t channel, int64_t first,
                                  int64_t n, double *out);
const ph_array *ph_foreign_behind(const ph_backend *backend, ph_column col, size_t channel,
                                  int64_t *first);
void ph_foreign_free(ph_backend *backend);

/* Settles control_dt, timestep, control_steps and rate_source of foreign->meta by the time column
 * (where timed) and what the file says; what is odd about the time becomes findings, and that the
 * model's timestep is none. model: Nullable. PH_ENOMEM. */
ph_status ph_foreign_rate(ph_foreign *foreign, bool timed, const ph_model *model);

/* Looks through the first rows of the states, of which a bounded number is read, for numbers that
 * are not finite and, where `engine` is to take them, for those that it does not: findings. A time
 * (where timed) is left to ph_foreign_rate. */
void ph_foreign_finite(ph_foreign *foreign, bool timed, bool engine);

#endif
