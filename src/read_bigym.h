/* What the files of the reader of BiGym demonstrations share. */
#ifndef PLAYHEAD_READ_BIGYM_H
#define PLAYHEAD_READ_BIGYM_H

#include "bigym.h"
#include "foreign.h"

/* Bytes of numbers that are kept of an episode. */
#define PH_BIGYM_BYTES_MAX ((size_t)192 << 20)

/* An episode that is being opened. */
typedef struct ph_bigym {
  const char *file;
  ph_npz *npz;
  const json_t *meta; /* NULL: there is none */
  int64_t frames;
} ph_bigym;

/* Hands over every array, and says which is what. PH_ENOMEM. */
ph_status ph_bigym_arrays(ph_foreign *out, const ph_bigym *b);
/* What metadata.json and the file's name tell: rate, environment, controller, date. */
void ph_bigym_facts(ph_foreign *out, const ph_bigym *b);
/* The last number of the rewards; NaN: there is none, or it cannot be read. */
double ph_bigym_last_reward(const ph_npz *npz);
/* 1 where it is one but for rounding, 0, -1 where it is no number. */
int ph_bigym_success(double reward);

#endif
