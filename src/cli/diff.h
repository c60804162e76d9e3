/* The verb `diff` in parts: what is compared with what (diff.c), one pair (diff_pair.c), what is
 * told of it (diff_report.c). */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "report.h"

enum { DIFF_FACTS = 24, DIFF_MODEL = 12 };

/* What two models differ in, once for all the episodes of both. */
struct diff_models {
  ph_model_diff differ;
  char hash[2][PH_SHA256_SIZE];
  char first[132]; /* the pair of episodes that it was made for: "demo_0, demo_3" */
  struct diff_models *next;
};
void diff_models_free(struct diff_models *models); /* Nullable; all of the list */

struct diff_pair {
  ph_entry a, b;
  size_t nfacts;
  char fact[DIFF_FACTS][320];      /* "seed: 7, 8" */
  const struct diff_models *model; /* borrowed; NULL: they are one */
  bool model_known;                /* an earlier pair of episodes was told of it */
  bool compared;                   /* states were: else why says what is in the way */
  char why[320];
  char missing[200]; /* "" or what one of the two has not, and what was done without it */
  int64_t states;    /* that were compared: those that both have */
  int64_t actions;   /* first action that differs; -1: none, or they are not of one size */
  ph_class cls;
  int64_t first[PH_CLASS_COUNT]; /* first step of that class or a worse one; -1 */
  double max[PH_MEASURE_COUNT];
  int64_t max_step[PH_MEASURE_COUNT];
  char name[PH_MEASURE_COUNT][64]; /* of what is worst */
  ph_column unequal;               /* at the first step whose bits differ; PH_COL_COUNT: none */
  double reward[2];                /* sums; NaN */
};

/* Compares the i-th episode of a with the j-th of b. What the models differ in is looked for in
 * *models first, and kept there. PH_ENOMEM, or an episode cannot be opened. */
ph_status diff_compare(struct diff_pair *pair, ph_store *a, size_t i, ph_store *b, size_t j,
                       const ph_tolerance *tolerance, struct diff_models **models);
bool diff_is_same(const struct diff_pair *pair);

void diff_print(const struct diff_pair *pair);
json_t *diff_json(const struct diff_pair *pair);

#endif
