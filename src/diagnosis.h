/* What the files of the diagnosis share.
 *   diagnosis.c         the search, and what follows from it
 *   diagnosis_facts.c   what the analysis knows, counted; which transitions are tried
 *   diagnosis_try.c     single steps in one way of feeding and stepping
 *   diagnosis_file.c    what the file itself says of steps that do not come back
 *   diagnosis_text.c    the sentence */
#ifndef PLAYHEAD_DIAGNOSIS_PRIVATE_H
#define PLAYHEAD_DIAGNOSIS_PRIVATE_H

#include <playhead/diagnosis.h>

#include "mj.h"

enum {
  PH_PROBES = 8,      /* transitions that a search tries its ways on */
  PH_CHECKS = 100,    /* those that the best is confirmed on */
  PH_SUBSTEPS = 20,   /* decimations that are tried */
  PH_SPIKES = 8,      /* events that are named */
  PH_CANDIDATES = 32, /* of which the probes are chosen */
  PH_ALL = 20000,     /* those that a way that explains is held against, spread over more */
};

/* A transition, from recorded state `step` to the next. */
typedef struct ph_pick {
  int64_t step;
  bool bad;         /* it does not come back as the file says */
  bool begins_free; /* no contact, limit or constraint where it begins */
  bool free;        /* nor where it ends: the solver has nothing to do */
} ph_pick;

/* What the analysis knows, counted. */
typedef struct ph_evidence {
  int64_t transitions;         /* that are known */
  int64_t equal;               /* of them, with equal bits */
  int64_t bad;                 /* with an error of 1e-9 or more */
  int64_t bad_first, bad_last; /* states that the first and the last of them lead to */
  int64_t last;                /* state that a known transition leads to */
  int64_t spike[PH_SPIKES];    /* states that the first bad ones lead to */
  size_t nspikes;
  int64_t gap[PH_SPIKES]; /* states that the first ones lead to of which nothing is known */
  size_t ngaps;
  int64_t stopped; /* of the bad ones, those at which there is no state to compare: */
  int64_t stop[PH_SPIKES];
  size_t nstops;
  int64_t unequal_first, unequal_last; /* states without equal bits; 0: none */
  bool first_alone;                    /* the only bad one is the first of the episode */
  bool run_known;                      /* of the run as a whole, accumulated, something is known: */
  bool run_apart;                      /* it has an error of 1e-9 or more somewhere */
  int64_t run_first;
  ph_analysis_summary sum;
  ph_pick candidate[PH_CANDIDATES];
  size_t ncandidates;
  ph_pick check[PH_CHECKS]; /* evenly spread */
  size_t nchecks;
} ph_evidence;

/* How a variant does. */
typedef struct ph_trial {
  ph_variant variant;
  int n;
  int fits;   /* no error of 1e-9 */
  int same;   /* bits of the state */
  int timely; /* time within 1e-9 s */
  int free_n, free_fits, free_same;
  int warm_n, warm_unequal; /* of those with the same state, where a warmstart is stored */
  double median, worst;     /* error in tolerances, inf where the engine stopped */
  int64_t worst_step;       /* the state that it leads to */
  ph_difference difference; /* there */
  int64_t left[PH_SPIKES];  /* states that the first that do not fit lead to */
  int nleft;
  int stops;      /* those that the engine refuses; of the first: */
  char stop[160]; /* why */
} ph_trial;

typedef struct ph_bench {
  const ph_analysis *analysis;
  const ph_episode *episode;
  ph_rerun *run; /* nobody else's: it is changed from variant to variant */
  ph_cursor *cursor;
  ph_divergence *divergence;
  ph_sim *sim; /* a plain one */
  const ph_tolerance *tolerance;
  bool (*cancel)(void *arg);
  void *arg;
  bool float32;   /* states hold no more digits */
  bool warmstart; /* is stored, or there is none to store */
  int implied;    /* substeps of a step by the times of the states; 0: they say nothing */
  double dt;      /* [s] a step by them; 0 */
} ph_bench;

/* Numbers of the file that are none, at the first steps that are bad, or not known. */
typedef struct ph_none {
  int64_t n;     /* of these steps, those with one */
  int64_t gaps;  /* of steps of which nothing is known, those with one */
  ph_column col; /* the first: */
  int64_t step;
  size_t element;
} ph_none;

/* Steps that cannot be run as the file says. */
typedef struct ph_refused {
  ph_trial trial; /* of the first of them */
  int64_t action; /* row that holds a number that no engine takes; -1 */
} ph_refused;

/* Where a step comes to the state of the file, and to another warmstart. */
typedef struct ph_parting {
  int64_t state; /* the first; 0: there is none */
  int element;   /* that is furthest off: */
  double file, run;
} ph_parting;

/* Whether errors may be a warmstart's. */
typedef struct ph_solver_part {
  bool all;     /* every step that was looked at and does not come back has constraints */
  int n, moved; /* of some of them: those that another warmstart leads elsewhere */
  bool worst;   /* with the largest error: it does there */
} ph_solver_part;

/* What the sentence is made of. */
typedef struct ph_findings {
  const ph_episode *episode;
  const ph_model *model;
  const ph_evidence *evidence;
  ph_trial as_is, best; /* on the same transitions */
  ph_trial own_ctrl;    /* stepped with the ctrl that the file holds; n 0: not tried */
  ph_trial own_bad;     /* the same on steps that do not come back */
  ph_none none;
  ph_solver_part solver;
  ph_refused refused;
  ph_parting parting;
  ph_column turned; /* what drives physics is another in the file where a regime ends, or COUNT */
  bool float32, warmstart;
  int implied;
  double dt, control_dt, timestep;
  const ph_tolerance *tolerance;
  /* the first ctrl that is another */
  int64_t ctrl_step;
  int ctrl_element;
  double ctrl_file, ctrl_run;
} ph_findings;

/* --- diagnosis_facts.c --- */

/* Reads all facts. PH_ENOMEM. */
ph_status ph_evidence_gather(ph_evidence *out, const ph_analysis *a);
/* Whether a fact says that the step does not come back. */
bool ph_fact_bad(const ph_step_facts *fact);
/* Right before or after a step, and wrong all along on the other side, or between two. */
bool ph_evidence_regime(const ph_evidence *e);
/* The state that the step with the largest one-step error leads to; -1: none. */
int64_t ph_evidence_worst(const ph_evidence *e, const ph_tolerance *tolerance);

/* --- diagnosis_try.c --- */

ph_status ph_bench_open(ph_bench *out, const ph_analysis *a, bool (*cancel)(void *), void *arg);
void ph_bench_close(ph_bench *b);
/* Finds out which transitions are free of constraints. */
ph_status ph_bench_mark_free(ph_bench *b, ph_pick *picks, size_t n);
/* Runs a variant over n transitions. PH_ECANCELED, PH_ENOMEM, PH_ECORRUPT passes over the step. */
ph_status ph_bench_try(ph_bench *b, const ph_variant *v, const ph_pick *picks, size_t n,
                       ph_trial *out);
/* The same with the file's own ctrl in place of its actions. */
ph_status ph_bench_own_ctrl(ph_bench *b, const ph_variant *v, const ph_pick *picks, size_t n,
                            ph_trial *out);
/* Whether the warmstart of the file parts from the physics where bits begin to differ. */
ph_status ph_bench_parting(ph_bench *b, const ph_variant *v, const ph_evidence *e, ph_parting *out);
/* The first number of ctrl that is another at a state. */
ph_status ph_bench_ctrl(ph_bench *b, const ph_variant *v, int64_t state, ph_findings *out);
/* Whether x does better than y. */
bool ph_trial_better(const ph_trial *x, const ph_trial *y);
/* Whether x brings back all transitions without contact, and y few: alignment and decimation are
 * right, and what is left is the solver's. */
bool ph_trial_right_when_free(const ph_trial *x, const ph_trial *y);
/* Largest error of positions, speeds and activations, in tolerances; inf: a number that is none. */
double ph_ratio(const ph_difference *d, const ph_tolerance *tolerance);

/* --- diagnosis_file.c --- */

/* Whether no warmstart is stored, and steps that were tried have a use for one. */
bool ph_findings_lack_warmstart(const ph_findings *f, const ph_trial *t);
/* Whether numbers that are none are all that is wrong with steps. */
bool ph_findings_hold_none(const ph_findings *f);
/* Whether steps that the engine refuses are all that is wrong. */
bool ph_findings_refused(const ph_findings *f);
/* Whether what is wrong is the warmstart of the file from a state on: all before it comes back. */
bool ph_findings_part(const ph_findings *f);
/* The first steps that are bad or not known, in their order. */
size_t ph_findings_steps(const ph_findings *f, int64_t out[PH_SPIKES]);

/* Looks for numbers that are none where these steps begin and end. PH_ENOMEM. */
ph_status ph_bench_none(ph_bench *b, const ph_evidence *e, ph_none *out);
/* Looks why steps cannot be run. */
ph_status ph_bench_refused(ph_bench *b, const ph_variant *v, const ph_evidence *e, ph_refused *out);
/* Looks what the solver may have to do with bad steps. */
ph_status ph_bench_solver(ph_bench *b, const ph_variant *v, ph_evidence *e, ph_solver_part *out);
/* Which column that drives physics from outside is another in the file from a state on. */
ph_status ph_bench_turned(ph_bench *b, int64_t state, ph_column *out);

/* --- diagnosis_text.c --- */

void ph_diagnosis_say(ph_diagnosis *out, const ph_findings *f);

#endif
