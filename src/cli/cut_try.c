/* Episodes of other writers are read as cutting reads them before anything is written: what cannot
 * be cut is left out by itself. Rows of ours were read with their checksums. */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

static bool progress(void *arg, size_t done, size_t all) {
  (void)arg, (void)done, (void)all;
  return !cli_interrupted();
}

static int interrupted(const struct cut *c) {
  cli_progress_end();
  return cli_fail(EXIT_FINDING, "%s: interrupted: nothing is written", c->out);
}

/* ph_error() without the file or the episode in front. */
static const char *reason(const struct cut *c, const ph_entry *e) {
  const char *text = ph_text_without(ph_text_without(ph_error(), c->source), e->file);
  return ph_text_without(ph_text_without(text, e->group), e->id);
}

/* What is of no episode; where a run would write nothing it would not meet it. */
static int try_rest(struct cut *c, const ph_cut_options *how) {
  size_t kept = 0, bad = 0;
  for (size_t i = 0; i < c->n; i++) {
    kept += !c->plan[i].dropped;
    bad += c->bad[i];
  }
  if (kept == 0 || (c->opt->strict && bad > 0))
    return EXIT_FINE;
  ph_status status = ph_cut_try(c->store, c->n, c->plan, how);
  return status == PH_OK ? EXIT_FINE : cli_error();
}

int cut_try_all(struct cut *c) {
  ph_cut_options how = cut_how(c);
  how.progress = progress;
  if (!c->foreign)
    return EXIT_FINE;
  cli_catch_interrupt();
  for (size_t i = 0; i < c->n; i++) {
    if (c->plan[i].dropped)
      continue;
    cli_progress("cut: trying episode %zu of %zu", i + 1, c->n);
    ph_status status = ph_cut_try(c->store, i, &c->plan[i], &how);
    if (cli_interrupted())
      return interrupted(c);
    if (status != PH_OK)
      cut_leave_out(c, i, true, "%s", reason(c, ph_store_entry(c->store, i)));
  }
  cli_progress_end();
  return c->opt->dry_run ? try_rest(c, &how) : EXIT_FINE;
}

/* --- names --- */

struct twin {
  const char *id; /* in the result */
  size_t i;
};

static int compare_twins(const void *a, const void *b) {
  const struct twin *x = a, *y = b;
  int order = strcmp(x->id, y->id);
  return order ? order : (x->i > y->i) - (x->i < y->i);
}

int cut_leave_out_twins(struct cut *c) {
  struct twin *twins = calloc(c->n + 1, sizeof *twins);
  size_t n = 0, first = 0;
  if (!twins)
    return cli_fail(EXIT_ERROR, "cut: no memory");
  for (size_t i = 0; i < c->n; i++)
    if (c->ids[i][0])
      twins[n++] = (struct twin){c->ids[i], i};
  qsort(twins, n, sizeof *twins, compare_twins);
  for (size_t k = 1; k < n; k++) {
    size_t i = twins[k].i;
    if (strcmp(twins[first].id, twins[k].id) != 0) {
      first = k;
      continue;
    }
    cut_leave_out(c, i, true, "it would be named %s, as %s is", c->ids[i],
                  c->plan[twins[first].i].id);
    c->ids[i][0] = 0;
  }
  free(twins);
  return EXIT_FINE;
}
