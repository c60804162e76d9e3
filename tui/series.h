/* What is plotted of an episode, read in slices and kept: the session's side of a plot_wish.
 * Belongs to one thread; the parts that a published snapshot shows are not written again. */
#ifndef TUI_SERIES_H
#define TUI_SERIES_H

#include "episode_reel.h"

/* Parts of a series at most: an episode of no more states has one part per step. */
#define SERIES_PARTS 16384

enum { PLOTS_KEPT = 16 };

/* Start from {0}. */
struct plots {
  uint64_t turn;
  struct plot_line {
    struct series *series; /* one reference; NULL: free */
    size_t episode;        /* place in the catalog */
    char name[PLOT_NAME];
    size_t track;
    size_t ready;   /* parts that are there */
    size_t careful; /* damage was met below this part: slices are small there */
    uint64_t at;    /* turn of its last use */
    char note[200]; /* the first damage met */
  } line[PLOTS_KEPT];
  int now[PLOT_CURVES], nnow; /* lines of the last answer */
  size_t reads;               /* slices read so far, for tests */
};

void plots_clear(struct plots *p);

/* Answers a wish with what is there at once: names, values at the step, the parts read so far.
 * False: out of memory. */
bool plots_answer(struct plots *p, struct opened *o, const struct plot_wish *wish, int64_t step,
                  struct plot_answer *out);

/* Whether something that the last answer shows is still to be read. */
bool plots_wanting(const struct plots *p);

/* Reads one slice of the first curve of the last answer that is not complete; o is the episode that
 * it was of. cancel (nullable) is asked now and then: a slice that is canceled is read another
 * time.
 */
void plots_work(struct plots *p, struct opened *o, bool (*cancel)(void *arg), void *arg);

#endif
