/* The outcomes of an episode in parts: what is asked of them (outcomes.c), and where they are taken
 * from: the file (outcomes_take.c), its states (outcomes_kinematic.c), physics
 * (outcomes_dynamic.c). */
#ifndef PLAYHEAD_OUTCOMES_PARTS_H
#define PLAYHEAD_OUTCOMES_PARTS_H

#include <playhead/outcomes.h>

#include "referee.h"

typedef struct ph_taking {
  ph_outcomes *out;
  const ph_episode *episode;
  const ph_episode_meta *meta;
  const ph_model *model; /* NULL */
  const ph_task *task;   /* NULL */
  const ph_outcomes_options *opt;
} ph_taking;

ph_status ph_take_recorded(const ph_taking *t);
ph_status ph_take_kinematic(const ph_taking *t);
ph_status ph_take_dynamic(const ph_taking *t);

/* This source has no predicate. PH_OK. */
ph_status ph_take_unknown(const ph_taking *t, ph_lack lack, const char *fmt, ...) PH_PRINTF(3, 4);
/* What it has none for want of, where its states are of no model. */
ph_lack ph_take_lack(const ph_taking *t);
/* ph_error() without the episode's id. */
const char *ph_take_error(const ph_taking *t);
/* Outcomes of this row and later ones are not known, for ph_error() of that status. PH_OK. */
ph_status ph_take_stop(const ph_taking *t, ph_status status, int64_t row);
/* The env ends at this row; only the first end counts. */
void ph_take_end(const ph_taking *t, int64_t row, ph_end end, const char *detail);
/* Takes what the referee came to at a row, 0 among them. *nan: a number was none there: nothing of
 * that row counts. PH_ENOMEM. */
ph_status ph_take_ruling(const ph_taking *t, int64_t row, bool predicate, ph_end end,
                         const char *detail, bool *nan);
/* The outcomes that were taken are known. PH_OK. */
ph_status ph_take_known(const ph_taking *t);
/* PH_ECANCELED where progress says so. */
ph_status ph_take_go_on(const ph_taking *t, int64_t step);

#endif
