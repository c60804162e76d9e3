/* `latch`: the rows at which success latches, by all sources. */
#include <stdlib.h>
#include <string.h>

#include "latch_parts.h"

/* --- counting --- */

static void count_row(struct latch_count *c, int k, int64_t row) {
  c->latched[k]++;
  if (c->least[k] < 0 || row < c->least[k])
    c->least[k] = row;
  if (row > c->most[k])
    c->most[k] = row;
}

static void note_hold(struct latch_count *c, double seconds, int64_t steps) {
  c->steps = c->steps == -2 || c->steps == steps ? steps : -1;
  c->shown = c->shown == -2.0 || c->shown == seconds ? seconds : -1; /* the very number, or not */
}

/* Whether it latches by any source, and whether sources disagree. */
static void count_hold(struct latch *v, const struct latch_result *r, size_t i, bool *latched,
                       bool *disagree) {
  struct latch_count *c = &v->hold[i];
  ph_finding found[PH_LATCH_SOURCES];
  char why[400];
  double seconds;
  int64_t steps;
  if (!latch_steps(v, r, i, &seconds, &steps, why, sizeof why)) {
    if (!c->refused[0])
      snprintf(c->refused, sizeof c->refused, "%s", why);
    return;
  }
  note_hold(c, seconds, steps);
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    ph_latch_answer answer;
    if (!r->of[k].known)
      continue;
    ph_outcomes_latch(&r->of[k], steps, &answer);
    if (answer.refusal == PH_REFUSAL_NONE) {
      count_row(c, k, answer.latching.latch);
      *latched = true;
    }
  }
  *disagree = *disagree || ph_outcomes_findings(r->of, steps, found, PH_LATCH_SOURCES) > 0;
}

static bool is_damaged(const struct latch_result *r) {
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    if (r->of[k].damaged)
      return true;
  return false;
}

/* Whether what the file stores is of another judge than what is computed. */
static bool is_apart(const struct latch_result *r) {
  const ph_outcomes *recorded = &r->of[PH_LATCH_RECORDED];
  for (int k = PH_LATCH_KINEMATIC; k <= PH_LATCH_DYNAMIC; k++)
    if (recorded->known && r->of[k].known && strcmp(recorded->judge, r->of[k].judge) != 0)
      return true;
  return false;
}

static void count(struct latch *v, const struct latch_result *r) {
  bool latched = false, disagree = false, known = false;
  v->apart += is_apart(r);
  v->damaged += is_damaged(r);
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    v->known[k] += r->of[k].known;
    known = known || r->of[k].known;
    if (!r->of[k].known && !v->unknown[k][0])
      snprintf(v->unknown[k], sizeof v->unknown[k], "%.*s", (int)sizeof v->unknown[k] - 1,
               r->opened ? r->of[k].why : r->why);
  }
  v->no_hold += r->opened && r->no_hold;
  if (r->actions > v->most_actions) {
    v->most_actions = r->actions;
    v->control_dt = r->recorded.control_dt;
  }
  for (size_t i = 0; r->opened && i < v->nholds; i++)
    count_hold(v, r, i, &latched, &disagree);
  v->checked++;
  v->unjudged += r->unjudged;
  v->without += !latched;
  v->unknown_all += !known;
  v->disagree += disagree;
}

/* One hold for all that is none somewhere was asked for wrongly. */
static int check_hold(const struct latch *v, const struct latch_result *r) {
  char why[400];
  double seconds;
  int64_t steps;
  if (v->sweep || !v->opt->holds || !r->opened || r->recorded.control_dt <= 0 ||
      latch_steps(v, r, 0, &seconds, &steps, why, sizeof why))
    return EXIT_FINE;
  return cli_fail(EXIT_USAGE, "%s: --hold %s: %s", v->opt->verb, v->opt->holds, why);
}

static int take(void *arg, void *result) {
  struct latch *v = arg;
  const struct latch_result *r = result;
  int status = report_taken(&v->unkept, r->unkept, r->status, r->error);
  if (status == EXIT_FINE)
    status = check_hold(v, r);
  if (status != EXIT_FINE)
    return status;
  count(v, r);
  if (v->episodes)
    latch_add(v, r);
  else
    latch_print(v, r);
  return EXIT_FINE;
}

/* --- the verb --- */

static int run_all(struct latch *v) {
  size_t *places = NULL, n = 0;
  int status = cli_places(v->opt, v->store, &places, &n);
  v->intervals = v->opt->intervals || (n == 1 && !v->episodes);
  v->wide = 18;
  for (size_t i = 0; i < n; i++) {
    int columns = (int)strlen(ph_store_entry(v->store, places[i])->id);
    v->wide = columns > v->wide ? columns : v->wide;
  }
  v->each.verb = v->opt->verb;
  v->each.arg = v;
  v->each.make = latch_make;
  v->each.take = take;
  v->each.drop = latch_drop;
  each_share(&v->each, (int)v->opt->jobs, n);
  if (status == EXIT_FINE)
    status = each_run(&v->each, places, n);
  if (status == EXIT_FINE && !v->episodes)
    latch_print_end(v);
  free(places);
  return status;
}

static int read_options(struct latch *v) {
  const struct options *opt = v->opt;
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    v->asked[k] = !opt->by || strcmp(opt->by, ph_latch_source_name((ph_latch_source)k)) == 0;
  v->tolerance = ph_tolerance_default();
  if (opt->tolerance && ph_tolerance_parse(&v->tolerance, opt->tolerance) != PH_OK)
    return cli_fail(EXIT_USAGE, "%s: --tol: %s", opt->verb, ph_error());
  if (opt->tolerance && !v->asked[PH_LATCH_DYNAMIC])
    return cli_fail(EXIT_USAGE, "%s: --tol: only of --by dynamic", opt->verb);
  if (opt->predicate && !v->asked[PH_LATCH_KINEMATIC])
    return cli_fail(EXIT_USAGE, "%s: --predicate-command: only of --by kinematic", opt->verb);
  if (opt->success && opt->by && v->asked[PH_LATCH_RECORDED])
    return cli_fail(EXIT_USAGE,
                    "%s: --success: not of --by recorded: what a file stores is of its own "
                    "condition",
                    opt->verb);
  return latch_holds(v);
}

static int open_all(struct latch *v) {
  const struct options *opt = v->opt;
  ph_store_options so = cli_store_options(opt);
  if (opt->task && ph_task_open(&v->task, opt->task) != PH_OK)
    return cli_error();
  if (opt->predicate && ph_judge_open(&v->judge, opt->predicate, NULL) != PH_OK)
    return cli_error();
  return ph_store_open(&v->store, opt->paths, opt->npaths, &so) == PH_OK ? EXIT_FINE : cli_error();
}

int verb_latch(const struct options *opt) {
  struct latch v = {.opt = opt};
  json_t *root = NULL;
  int status = read_options(&v);
  pthread_mutex_init(&v.desk, NULL);
  if (status == EXIT_FINE)
    status = open_all(&v);
  if (status == EXIT_FINE && opt->json) {
    root = json_pack("{s:[]}", "episodes");
    v.episodes = json_object_get(root, "episodes");
  }
  if (status == EXIT_FINE)
    status = run_all(&v);
  ph_judge_close(v.judge); /* its files are gone even where nobody reads on */
  if (status == EXIT_FINE && root)
    status = latch_write(&v, root);
  else
    json_decref(root);
  if (status == EXIT_FINE && (v.without || v.disagree || v.damaged || v.unjudged || v.checked == 0))
    status = EXIT_FINDING;
  ph_store_free(v.store);
  ph_task_unref(v.task);
  pthread_mutex_destroy(&v.desk);
  free(v.hold);
  return cli_flush(status);
}
