/* The analysis pass over a whole episode, on threads of its own: accumulated and one-step
 * divergence, the predicate, hold, reward and end of the dynamic run, changes of contact. What is
 * known can be read while it runs; what is read once never changes. */
#ifndef PLAYHEAD_ANALYSIS_H
#define PLAYHEAD_ANALYSIS_H

#include <playhead/divergence.h>
#include <playhead/rerun.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_analysis ph_analysis;

typedef struct ph_analysis_options {
  int jobs; /* threads; 0: as many as there are processors. The first runs freely, the others take
               single steps; with 1 the one does both */
  ph_tolerance tolerance; /* all zero: the default one */
  bool no_one_step;       /* leave that out */
  bool no_bodies;         /* measure joints alone */
} ph_analysis_options;

/* Begins. References the rerun; opt is nullable. *out is the caller's; free cancels and waits.
 * Cancel and start again when anything that it depends on has changed. PH_ENOMEM. */
PH_API ph_status ph_analysis_start(ph_analysis **out, ph_rerun *run,
                                   const ph_analysis_options *opt);
PH_API void ph_analysis_cancel(ph_analysis *a); /* at once; does not wait */
PH_API void ph_analysis_free(ph_analysis *a);   /* Nullable */
/* Waits until it has ended; progress (nullable) is asked now and then, false cancels. The status is
 * that of the pass: PH_OK also where physics or the script stopped it, which is in the progress. */
PH_API ph_status ph_analysis_wait(ph_analysis *a, bool (*progress)(void *arg), void *arg);

/* Everything below is thread safe. */

/* The rerun that is analysed, and the tolerance in force. Borrowed. */
PH_API ph_rerun *ph_analysis_rerun(const ph_analysis *a);
PH_API const ph_tolerance *ph_analysis_tolerance(const ph_analysis *a);

typedef struct ph_analysis_progress {
  int64_t states;   /* of the episode */
  int64_t anchor;   /* free-running starts there */
  int64_t free_run; /* states anchor .. free_run-1 are known */
  int64_t one_step; /* transitions that are known, of states-1 */
  bool ended;       /* no more will come: */
  ph_status status; /* PH_OK, PH_ECANCELED, or why it stopped before the end: */
  char text[300];
  int64_t stopped; /* at this step; -1 */
} ph_analysis_progress;
PH_API void ph_analysis_look(const ph_analysis *a, ph_analysis_progress *out);

/* What is known of one step. Plain data. */
typedef struct ph_step_facts {
  bool free_known; /* accumulated, against recorded state t: */
  bool one_known;  /* from recorded state t-1, against recorded state t; false also where that
                      state or its action holds a number that is none: */
  ph_class free_class, one_class;
  bool free_equal, one_equal; /* bits, ctrl apart */
  bool ctrl_equal;            /* of the one step, else of the free run */
  float free_max[PH_MEASURE_COUNT], one_max[PH_MEASURE_COUNT];
  int16_t free_worst[PH_MEASURE_COUNT], one_worst[PH_MEASURE_COUNT];
  bool judged; /* by the task on the dynamic state: */
  bool predicate;
  uint8_t flags;
  double reward;         /* of the transition that led here; NaN */
  uint16_t contacts;     /* touching pairs of geoms in the dynamic state */
  bool contacts_changed; /* other pairs touch than at the step before */
} ph_step_facts;

/* n steps from `first` on into out; what is not known has both `known` false. PH_EINVAL: outside.
 */
PH_API ph_status ph_analysis_read(const ph_analysis *a, int64_t first, int64_t n,
                                  ph_step_facts *out);

/* In a lane, for bits that differ where no error was measured (a warmstart's alone, ctrl's): above
 * 0 and below any error. */
#define PH_LANE_BITS 0x1p-126
/* Largest error of all measures' ratios to the tolerance, in n bins of nearly equal length over the
 * steps first .. first+steps-1, for a lane on a log scale: 0 equal bits, NaN not known yet. */
PH_API void ph_analysis_lane(const ph_analysis *a, bool one_step, int64_t first, int64_t steps,
                             double *out, size_t n);

/* One joint over what is known so far. */
typedef struct ph_joint_summary {
  double rad, m; /* largest accumulated error; NaN: it has none of it */
  int64_t rad_step, m_step;
  double rad_s, m_s; /* likewise of its velocity */
  int64_t rad_s_step, m_s_step;
  double one_rad, one_m; /* largest one-step error */
  int64_t one_rad_step, one_m_step;
} ph_joint_summary;
/* As many as the model has joints; room says how many fit. Returns how many there are. */
PH_API size_t ph_analysis_joints(const ph_analysis *a, ph_joint_summary *out, size_t room);

/* The whole of what is known so far. Plain data. */
typedef struct ph_analysis_summary {
  /* accumulated */
  ph_class cls;                       /* worst of all steps */
  int64_t first[PH_CLASS_COUNT];      /* first step of that class or a worse one; -1: none */
  double max[PH_MEASURE_COUNT];       /* largest error */
  int64_t max_step[PH_MEASURE_COUNT]; /* where */
  int worst[PH_MEASURE_COUNT];        /* of what */
  /* one-step */
  ph_class one_cls;
  int64_t one_first[PH_CLASS_COUNT];
  int64_t one_count[PH_CLASS_COUNT]; /* steps of each class */
  double one_max[PH_MEASURE_COUNT];
  int64_t one_max_step[PH_MEASURE_COUNT];
  int one_worst[PH_MEASURE_COUNT];
  int64_t ctrl_unequal; /* steps whose ctrl differs; first: */
  int64_t ctrl_first;
  /* the dynamic run, by the task; -1, NaN, PH_END_UNKNOWN where not known */
  int64_t latch; /* row at which the hold completes */
  int64_t longest_hold, longest_hold_step;
  double reward; /* sum */
  ph_end end;    /* the first end that it came to */
  int64_t end_step;
  char end_detail[200];
} ph_analysis_summary;
PH_API void ph_analysis_sum(const ph_analysis *a, ph_analysis_summary *out);

#ifdef __cplusplus
}
#endif
#endif
