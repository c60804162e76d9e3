/* What the parts of `cut` share. The list of episodes is made first, by threads where rows are
 * looked for; the library writes afterwards. */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include <pthread.h>

#include <playhead/cut.h>

#include "../id_index.h"
#include "each.h"
#include "report.h"

/* What --steps says of an episode besides its row; "" and -1 where it does not. */
struct cut_claim {
  char file[512]; /* its name without folders */
  char run_id[64], model[PH_SHA256_SIZE];
  int64_t states, actions;
};

enum cut_mode { CUT_TO_LATCH, CUT_STEPS, CUT_RANGE, CUT_IDLE };

struct cut {
  const struct options *opt;
  enum cut_mode mode;
  const char *source;
  char out[1100];
  int64_t first, end; /* of --range; end -1: to the last */
  ph_tolerance tolerance;
  ph_latch_source by; /* PH_LATCH_SOURCES: not known yet, or of no source */
  double hold;        /* in force in the result; negative: as in the source */

  ph_store *store;
  ph_task *task;   /* of --task; NULL: the recorded one */
  ph_judge *judge; /* of --predicate-command; NULL: the task judges */
  struct each each;
  pthread_mutex_t desk; /* store, judge and fingerprint */
  char *fingerprint;    /* of the rows that were found; NULL: of none, or of several */
  bool several;

  char judged[700]; /* who judges in place of the file, for provenance; "": nobody */
  ph_task **judges; /* (njudges) owned; what episodes of the plan latch by */
  size_t njudges;

  ph_cut_episode *plan;     /* (n), with what they say of states */
  bool opened;              /* at least one of them could be */
  bool foreign;             /* another writer made it: episodes are tried before they are written */
  bool *bad;                /* (n) left out, and nobody asked for it */
  ph_id_index places;       /* of ids in plan, while a list of --steps is read */
  struct cut_claim *claims; /* (n) of the list of --steps; NULL: it says nothing of them */
  size_t n, nbad;
  char (*ids)[128]; /* (n) in the result; "": it is left out */
  ph_cut_tally tally;
};

/* The list of --steps into plan and bad; sets by, hold and fingerprint as it says. */
int cut_read_steps(struct cut *c);
/* One episode of what `latch --json` printed. */
void cut_claim_read(struct cut_claim *claim, const json_t *episode, const json_t *latch);
/* Whether it is so of the episode; else why has both. other_model: --model is given. */
bool cut_claim_holds(const struct cut_claim *claim, const ph_episode_meta *meta, bool other_model,
                     char *why, size_t size);
/* The list of every other mode, and what keeps an episode from being cut as --steps says. */
int cut_make_plan(struct cut *c);
/* Who judges, for those who read the result. */
void cut_name_judge(struct cut *c);
/* Of an episode that latches: the task it does by, and what another has said of its states. Both
 * are taken over, and nullable. */
void cut_keep_judge(struct cut *c, size_t i, ph_task *task, uint8_t *predicate);
/* As a judge has said it of states 0 .. last. NULL: no memory. */
uint8_t *cut_bits(const ph_intervals *iv, int64_t last);
void cut_free_judges(struct cut *c);
/* Leaves out what cannot be cut although its rows are known; in a dry run looks at the rest too. */
int cut_try_all(struct cut *c);
/* Leaves out what would get the name of one before it, in the result. */
int cut_leave_out_twins(struct cut *c);
/* How it is cut. */
ph_cut_options cut_how(struct cut *c);
/* Leaves an episode out for that reason. */
void cut_leave_out(struct cut *c, size_t i, bool bad, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* For people, and for programs. */
void cut_print(const struct cut *c, bool written);
int cut_print_json(const struct cut *c, bool written);
/* What the rows are by: "dynamic", "range", ... */
const char *cut_method(const struct cut *c);

#endif
