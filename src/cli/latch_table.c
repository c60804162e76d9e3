/* `latch` for people: a line for each episode, why it has no latch below it, and the end; of a
 * sweep a plot. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latch_parts.h"

enum { BAR = 20 };

/* --- one episode --- */

static void row_text(char *out, size_t size, const struct latch *v, const struct latch_result *r,
                     int k, int64_t steps) {
  ph_latch_answer answer;
  snprintf(out, size, "-");
  if (!v->asked[k] || steps < 0 || !r->of[k].known)
    return;
  ph_outcomes_latch(&r->of[k], steps, &answer);
  if (answer.refusal == PH_REFUSAL_NONE)
    snprintf(out, size, "%" PRId64, answer.latching.latch);
  else
    snprintf(out, size, "none");
}

static void print_line(struct latch *v, const struct latch_result *r, double seconds, int64_t steps,
                       const ph_latching *latching) {
  char hold[48] = "-", counted[24] = "-", longest[48] = "-";
  int base = latch_base(v, r);
  if (!v->titled) {
    printf("%-*s %14s", v->wide, "episode", "hold s = steps");
    for (int k = 0; k < PH_LATCH_SOURCES; k++)
      if (v->asked[k])
        printf("  %9s", ph_latch_source_name((ph_latch_source)k));
    printf("  %10s  %s\n", "true steps", "longest steps");
  }
  v->titled = true;
  if (steps >= 0 && r->no_hold && v->hold[0].seconds < 0)
    snprintf(hold, sizeof hold, "no hold");
  else if (steps >= 0)
    snprintf(hold, sizeof hold, "%.6g = %" PRId64, seconds, steps);
  printf("%-*s %14s", v->wide, r->entry.id, hold);
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    char row[24];
    row_text(row, sizeof row, v, r, k, steps);
    if (v->asked[k])
      printf("  %9s", row);
  }
  if (base >= 0)
    snprintf(counted, sizeof counted, "%" PRId64, r->of[base].intervals.true_rows);
  if (base >= 0 && latching->longest > 0)
    snprintf(longest, sizeof longest, "%" PRId64 " from %" PRId64, latching->longest,
             latching->longest_first);
  printf("  %10s  %s\n", counted, longest);
}

/* What a source lacks is most often the same in all episodes: it is said once. */
static bool was_said(struct latch *v, int k, const ph_latch_answer *answer) {
  if (answer->refusal != PH_REFUSAL_UNKNOWN)
    return !answer->text[0];
  bool same = strncmp(v->said[k], answer->text, sizeof v->said[k] - 1) == 0;
  snprintf(v->said[k], sizeof v->said[k], "%.*s", (int)sizeof v->said[k] - 1, answer->text);
  return same;
}

/* Sources that say the same are one line. */
static void print_refusals(struct latch *v, const struct latch_result *r, int64_t steps) {
  ph_latch_answer answer[PH_LATCH_SOURCES];
  bool told[PH_LATCH_SOURCES];
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    ph_outcomes_latch(&r->of[k], steps, &answer[k]);
    told[k] = !v->asked[k] || was_said(v, k, &answer[k]);
  }
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    if (told[k])
      continue;
    printf("    %s", ph_latch_source_name((ph_latch_source)k));
    for (int i = k + 1; i < PH_LATCH_SOURCES; i++) {
      if (told[i] || strcmp(answer[i].text, answer[k].text) != 0)
        continue;
      told[i] = true;
      printf(", %s", ph_latch_source_name((ph_latch_source)i));
    }
    printf(": ");
    cli_print_text(answer[k].text);
    printf("\n");
  }
}

/* Of a latch that is none for one of them the refusals have told. */
static void print_disagreements(const struct latch_result *r, int64_t steps) {
  ph_disagreement found[PH_LATCH_SOURCES];
  size_t n = ph_outcomes_compare(r->of, steps, found, PH_LATCH_SOURCES);
  for (size_t i = 0; i < n; i++)
    if (found[i].both)
      printf("    sources disagree: %s\n", found[i].finding.text);
}

static void print_why(const struct latch_result *r, int64_t row) {
  const char *why = latch_why(r, row);
  printf("%s", why[0] ? ": " : "");
  cli_print_text(why);
  printf("\n");
}

static void print_misses(const struct latch_result *r, const ph_latching *latching, int64_t steps) {
  for (size_t i = 0; i < latching->nmisses; i++) {
    const ph_near_miss *miss = &latching->miss[i];
    printf("    near miss: row %" PRId64 " broke it at %" PRId64 "/%" PRId64, miss->row,
           miss->count, steps);
    print_why(r, miss->row);
  }
}

static void print_intervals(const struct latch_result *r, const ph_intervals *iv) {
  for (size_t i = 0; i < iv->n; i++) {
    const ph_interval *at = &iv->at[i];
    int64_t n = at->last - at->first + 1;
    printf("    true %" PRId64 "..%" PRId64 ", %" PRId64 " %s", at->first, at->last, n,
           report_steps(n));
    if (!at->broken) {
      printf(", to the end\n");
      continue;
    }
    printf("; row %" PRId64 " broke it", at->last + 1);
    print_why(r, at->last + 1);
  }
}

static void print_one(struct latch *v, const struct latch_result *r) {
  char why[400] = "";
  double seconds = -1;
  int64_t steps = -1;
  ph_latching latching = {.latch = -1};
  int base = latch_base(v, r);
  if (r->opened && !latch_steps(v, r, 0, &seconds, &steps, why, sizeof why))
    steps = -1;
  if (steps >= 0 && base >= 0)
    ph_intervals_latch(&r->of[base].intervals, steps, &latching);
  print_line(v, r, seconds, steps, &latching);
  if (steps < 0) {
    printf("    ");
    cli_print_text(r->opened ? why : r->why);
    printf("\n");
    return;
  }
  print_refusals(v, r, steps);
  print_disagreements(r, steps);
  if (v->intervals && base >= 0)
    print_intervals(r, &r->of[base].intervals);
  else
    print_misses(r, &latching, steps);
}

void latch_print(struct latch *v, const struct latch_result *r) {
  if (v->sweep && r->opened)
    return;
  cli_progress_end();
  if (!v->sweep) {
    print_one(v, r);
    return;
  }
  printf("%s: ", r->entry.id);
  cli_print_text(r->why);
  printf("\n");
}

/* --- the end --- */

/* Columns of it. */
static int print_bar(size_t n, size_t all) {
  size_t full = all > 0 ? (n * BAR + all / 2) / all : 0;
  for (size_t i = 0; i < BAR; i++)
    putchar(i < full || (n > 0 && i == 0) ? '#' : '.');
  return BAR + printf(" %zu", n);
}

static void print_bars(const struct latch *v, const struct latch_count *c) {
  int pad = 0;
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    if (v->asked[k]) {
      printf("%*s", pad + 2, "");
      pad = BAR + 7 - print_bar(c->latched[k], v->checked);
    }
  printf("\n");
}

static void print_plot(const struct latch *v) {
  int pad = 0;
  printf("%10s  %6s", "hold", "steps");
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    if (v->asked[k]) {
      printf("%*s", pad + 2, "");
      pad = BAR + 7 - printf("%s", ph_latch_source_name((ph_latch_source)k));
    }
  printf("\n");
  for (size_t i = 0; i < v->nholds; i++) {
    const struct latch_count *c = &v->hold[i];
    char steps[24] = "-";
    if (c->steps >= 0)
      snprintf(steps, sizeof steps, "%" PRId64, c->steps);
    printf("%8.4g s  %6s", c->seconds, steps);
    if (c->steps == -2 && c->refused[0])
      printf("  %s\n", c->refused);
    else
      print_bars(v, c);
  }
}

/* A long list of what is missing was printed once. */
static void print_unknown(const struct latch *v, int k) {
  enum { SHORT = 120 };
  bool fits = strlen(v->unknown[k]) <= SHORT;
  printf("%s", fits && v->unknown[k][0] ? ": " : "");
  cli_print_text(fits ? v->unknown[k] : ", for the reason above");
  printf("\n");
}

/* "recorded: 18 of 20 latch, at rows 120 to 213" of those whose predicate is known. */
static void print_sources(const struct latch *v) {
  const struct latch_count *c = &v->hold[0];
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    const char *name = ph_latch_source_name((ph_latch_source)k);
    if (!v->asked[k])
      continue;
    if (v->known[k] == 0) {
      printf("%s: not known", name);
      print_unknown(v, k);
      continue;
    }
    printf("%s: %zu of %zu latch", name, c->latched[k], v->known[k]);
    if (c->latched[k] > 0 && c->least[k] == c->most[k])
      printf(", at row %" PRId64, c->least[k]);
    else if (c->latched[k] > 0)
      printf(", at rows %" PRId64 " to %" PRId64, c->least[k], c->most[k]);
    if (v->known[k] < v->checked) {
      printf("; not known of %zu", v->checked - v->known[k]);
      print_unknown(v, k);
    } else
      printf("\n");
  }
}

/* A hold that no episode can have may have been meant in steps. */
static void print_hint(const struct latch *v) {
  const struct latch_count *c = &v->hold[0];
  double given = c->seconds;
  if (v->sweep || c->steps <= v->most_actions || v->control_dt <= 0 || given != rint(given))
    return;
  printf("--hold is in seconds: %g s are %" PRId64 " steps, and no episode has more than %" PRId64
         "; %g steps are %g s\n",
         given, c->steps, v->most_actions, given, given * v->control_dt);
}

static void print_no_hold(const struct latch *v) {
  if (v->hold[0].seconds >= 0 || v->no_hold == 0)
    return;
  if (v->no_hold == v->checked)
    printf("no hold is said");
  else
    printf("%zu of %zu say no hold", v->no_hold, v->checked);
  printf(": 0 is taken, the first true row; --hold S asks for another\n");
}

/* Whose answers were not held against each other, and what could not be read. */
static void print_judges(const struct latch *v) {
  if (v->apart > 0) {
    printf("what is recorded is by the file's own judge, the rest by --task ");
    cli_print_text(v->opt->task ? v->opt->task : "");
    printf(": that they differ is no disagreement\n");
  }
  if (v->damaged > 0)
    printf("%zu %s rows that are damaged: nothing behind them counts\n", v->damaged,
           v->damaged == 1 ? "episode has" : "episodes have");
}

void latch_print_end(const struct latch *v) {
  const struct latch_count *c = &v->hold[0];
  cli_progress_end();
  if (v->checked == 0) {
    printf("there is no episode\n");
    return;
  }
  if (v->sweep)
    print_plot(v);
  else
    print_sources(v);
  printf("%zu of %zu %s", v->checked - v->without, v->checked,
         v->checked == 1 ? "episode latches" : "episodes latch");
  if (v->sweep)
    printf(" at one of these holds");
  else if (c->steps >= 0 && c->shown >= 0)
    printf(" at a hold of %g s, %" PRId64 " %s", c->shown, c->steps, report_steps(c->steps));
  else
    printf(", each at its own hold");
  if (v->unknown_all > 0)
    printf("; of %zu it is not known", v->unknown_all);
  if (v->disagree > 0)
    printf("; sources disagree on %zu", v->disagree);
  printf("\n");
  print_judges(v);
  if (!v->sweep)
    print_no_hold(v);
  print_hint(v);
}
