/* `cut`: a dataset whose episodes end where success latches. */
#include "cut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cut_method(const struct cut *c) {
  if (c->by != PH_LATCH_SOURCES)
    return ph_latch_source_name(c->by);
  return c->mode == CUT_RANGE ? "range" : c->mode == CUT_IDLE ? "trim-idle" : "steps";
}

/* --- options --- */

static int one_mode(struct cut *c) {
  const struct options *opt = c->opt;
  int n = opt->to_latch + (opt->steps_file != NULL) + (opt->range != NULL) + (opt->trim_idle >= 0);
  if (n > 1)
    return cli_fail(EXIT_USAGE,
                    "cut: --to-latch, --steps, --range, --trim-idle: only one of them is taken");
  c->mode = opt->steps_file       ? CUT_STEPS
            : opt->range          ? CUT_RANGE
            : opt->trim_idle >= 0 ? CUT_IDLE
                                  : CUT_TO_LATCH;
  return EXIT_FINE;
}

/* Digits, or nothing at all. */
static bool parse_end(const char *text, size_t n, int64_t *out) {
  if (n == 0)
    return true;
  if (n > 18 || strspn(text, "0123456789") < n)
    return false;
  *out = strtoll(text, NULL, 10);
  return true;
}

static int parse_range(struct cut *c) {
  const char *text = c->opt->range, *colon = text ? strchr(text, ':') : NULL;
  c->first = 0;
  c->end = -1;
  if (!text)
    return EXIT_FINE;
  if (!colon || !parse_end(text, (size_t)(colon - text), &c->first) ||
      !parse_end(colon + 1, strlen(colon + 1), &c->end))
    return cli_fail(EXIT_USAGE, "cut: --range %s: not a range of steps: 100:200, 100: or :200",
                    text);
  if (c->end >= 0 && c->end <= c->first)
    return cli_fail(EXIT_USAGE, "cut: --range %s: there is no step in it", text);
  return EXIT_FINE;
}

/* What is of the latch alone. */
static int check_latch(const struct cut *c) {
  const struct options *opt = c->opt;
  const char *only = opt->task        ? "task"
                     : opt->success   ? "success"
                     : opt->predicate ? "predicate-command"
                     : opt->tolerance ? "tol"
                                      : NULL;
  bool marks = c->mode == CUT_TO_LATCH || c->mode == CUT_STEPS;
  if (c->mode == CUT_TO_LATCH && opt->hold < 0)
    return cli_fail(EXIT_USAGE, "cut: --hold SECONDS is missing: how long success must hold; or "
                                "give --steps, --range or --trim-idle");
  if (c->mode != CUT_TO_LATCH && only)
    return cli_fail(EXIT_USAGE, "cut: --%s: only of --to-latch", only);
  if (!marks && (opt->by || opt->keep_rewards || opt->hold >= 0))
    return cli_fail(EXIT_USAGE, "cut: --%s: only where episodes end at a latch",
                    opt->by             ? "by"
                    : opt->keep_rewards ? "keep-rewards"
                                        : "hold");
  if (opt->success && opt->by && strcmp(opt->by, "recorded") == 0)
    return cli_fail(EXIT_USAGE,
                    "cut: --success: not of --by recorded: what a file stores is of its "
                    "own condition");
  if (opt->predicate && opt->by && strcmp(opt->by, "kinematic") != 0)
    return cli_fail(EXIT_USAGE,
                    "cut: --by %s: a command judges recorded states, which is "
                    "kinematic",
                    opt->by);
  return EXIT_FINE;
}

static int read_options(struct cut *c) {
  const struct options *opt = c->opt;
  int status = one_mode(c);
  if (status == EXIT_FINE)
    status = parse_range(c);
  if (status == EXIT_FINE)
    status = check_latch(c);
  if (status != EXIT_FINE)
    return status;
  c->source = opt->paths[0];
  c->hold = opt->hold + 0.0; /* of -0: 0 */
  c->by = PH_LATCH_SOURCES;
  if (opt->by)
    ph_latch_source_from_name(opt->by, &c->by);
  if (opt->tolerance && ph_tolerance_parse(&c->tolerance, opt->tolerance) != PH_OK)
    return cli_fail(EXIT_USAGE, "cut: --tol: %s", ph_error());
  return EXIT_FINE;
}

/* --- the output --- */

static int name_output(struct cut *c) {
  if (c->opt->out) {
    if (snprintf(c->out, sizeof c->out, "%s", c->opt->out) >= (int)sizeof c->out)
      return cli_fail(EXIT_ERROR, "cut: --out %.80s...: the path is too long", c->opt->out);
  } else if (c->hold < 0 && c->opt->dry_run) {
    return EXIT_FINE;
  } else if (c->hold < 0) {
    return cli_fail(EXIT_USAGE, "cut: --out FILE is missing: without --hold there is no name for "
                                "what is written");
  } else if (ph_cut_name(c->out, sizeof c->out, c->source, c->hold) != PH_OK) {
    return cli_error();
  }
  return ph_cut_check_out(c->out, c->source) == PH_OK ? EXIT_FINE : cli_error();
}

static int open_all(struct cut *c) {
  const struct options *opt = c->opt;
  ph_store_options so = cli_store_options(opt);
  if (opt->task && ph_task_open(&c->task, opt->task) != PH_OK)
    return cli_error();
  if (opt->predicate && ph_judge_open(&c->judge, opt->predicate, NULL) != PH_OK)
    return cli_error();
  if (ph_store_open(&c->store, &c->source, 1, &so) != PH_OK || ph_cut_can(c->store) != PH_OK)
    return cli_error();
  c->n = ph_store_count(c->store);
  c->plan = calloc(c->n + 1, sizeof *c->plan);
  c->bad = calloc(c->n + 1, sizeof *c->bad);
  if (!c->plan || !c->bad)
    return cli_fail(EXIT_ERROR, "cut: no memory");
  for (size_t i = 0; i < c->n; i++)
    snprintf(c->plan[i].id, sizeof c->plan[i].id, "%s", ph_store_entry(c->store, i)->id);
  return EXIT_FINE;
}

/* --- writing --- */

static bool progress(void *arg, size_t done, size_t all) {
  (void)arg;
  cli_progress("cut: %zu of %zu episodes", done, all);
  return !cli_interrupted();
}

static void count(struct cut *c) {
  c->tally = (ph_cut_tally)PH_CUT_TALLY_NONE;
  for (size_t i = 0; i < c->n; i++) {
    c->nbad += c->bad[i];
    ph_cut_tally_add(&c->tally, &c->plan[i], c->plan[i].actions);
  }
}

ph_cut_options cut_how(struct cut *c) {
  ph_cut_options how = PH_CUT_OPTIONS_INIT;
  how.keep_rewards = c->opt->keep_rewards;
  how.compress = c->opt->compress;
  how.latched = c->mode == CUT_TO_LATCH || c->mode == CUT_STEPS;
  how.hold_seconds = c->hold;
  how.no_hold = c->mode == CUT_STEPS && c->hold < 0;
  how.method = cut_method(c);
  cut_name_judge(c);
  how.judge = c->judged[0] ? c->judged : NULL;
  how.out = c->out[0] ? c->out : NULL;
  how.fingerprint = c->several ? NULL : c->fingerprint;
  return how;
}

static int write_out(struct cut *c) {
  ph_cut_options how = cut_how(c);
  ph_cut_tally done = {0};
  how.progress = progress;
  cli_catch_interrupt();
  ph_status status = ph_cut(c->out, c->source, c->plan, c->n, &how, &done);
  c->tally.models = done.models;
  cli_progress_end();
  if (status != PH_OK && cli_interrupted())
    return cli_fail(EXIT_FINDING, "%s: interrupted: nothing is written", c->out);
  return status == PH_OK ? EXIT_FINE : cli_error();
}

static int name_episodes(struct cut *c) {
  c->ids = calloc(c->n + 1, sizeof *c->ids);
  if (!c->ids)
    return cli_fail(EXIT_ERROR, "cut: no memory");
  return ph_cut_ids(c->ids, c->store, c->plan) == PH_OK ? cut_leave_out_twins(c) : cli_error();
}

static int report(const struct cut *c, bool written) {
  if (c->opt->json)
    return cut_print_json(c, written);
  cut_print(c, written);
  return EXIT_FINE;
}

static int run(struct cut *c) {
  int status = c->mode == CUT_STEPS ? cut_read_steps(c) : EXIT_FINE;
  if (status == EXIT_FINE)
    status = name_output(c);
  if (status == EXIT_FINE)
    status = cut_make_plan(c);
  if (status == EXIT_FINE)
    status = cut_try_all(c);
  if (status == EXIT_FINE)
    status = name_episodes(c);
  if (status != EXIT_FINE)
    return status;
  count(c);
  bool writes = !c->opt->dry_run && c->tally.kept > 0 && !(c->opt->strict && c->nbad > 0);
  if (writes)
    status = write_out(c);
  if (status == EXIT_FINE)
    status = report(c, writes);
  return status == EXIT_FINE && (c->nbad > 0 || c->tally.kept == 0) ? EXIT_FINDING : status;
}

int verb_cut(const struct options *opt) {
  struct cut c = {.opt = opt};
  pthread_mutex_init(&c.desk, NULL);
  int status = read_options(&c);
  if (status == EXIT_FINE)
    status = open_all(&c);
  if (status == EXIT_FINE)
    status = run(&c);
  ph_judge_close(c.judge);
  ph_store_free(c.store);
  ph_task_unref(c.task);
  pthread_mutex_destroy(&c.desk);
  free(c.fingerprint);
  cut_free_judges(&c);
  free(c.plan);
  free(c.ids);
  free(c.bad);
  free(c.claims);
  return cli_flush(status);
}
