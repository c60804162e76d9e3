/* Episodes of other writers are read as cutting reads them before anything is written: what cannot
 * be cut is left out by itself. Rows of ours were read with their checksums. */
#include "cut.h"

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

/* What is of no episode. */
static int try_rest(struct cut *c, const ph_cut_options *how) {
  ph_status status = ph_cut_try(c->store, c->n, NULL, how);
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
