#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct verify {
  const struct options *opt;
  ph_store *store;
  ph_task *task;    /* of --task; NULL: the recorded one */
  json_t *episodes; /* NULL without --json */
  size_t checked, wrong;
  const char *id; /* for progress */
};

struct result {
  const ph_entry *entry;
  bool opened;
  ph_verdict verdict;
  ph_guarantee guarantee;
  char reason[240];
  char diagnosis[1400]; /* all that is wrong, in sentences; "" nothing */
};

static bool progress(void *arg, int64_t step, int64_t states) {
  const struct verify *v = arg;
  cli_progress("verify %s: step %" PRId64 " of %" PRId64, v->id, step, states);
  return true;
}

static void say(struct result *r, const char *text) {
  size_t n = strlen(r->diagnosis);
  snprintf(r->diagnosis + n, sizeof r->diagnosis - n, "%s%s", n ? "; " : "", text);
}

static ph_status check(struct verify *v, const ph_episode *episode, struct result *r) {
  char why[400], task_why[400] = "";
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_model *model = report_model(v->store, meta, why, sizeof why);
  ph_task *task = v->task ? ph_task_ref(v->task)
                          : report_task(v->store, meta->task_sha256, task_why, sizeof task_why);
  ph_verify_options opt = {.progress = progress, .arg = v};
  r->guarantee = ph_episode_guarantee(episode, model, task, r->reason, sizeof r->reason);
  if (!model && meta->model_sha256[0])
    say(r, why);
  if (task_why[0])
    say(r, task_why);
  ph_status status = ph_verify_episode(&r->verdict, episode, model, task, &opt);
  for (size_t i = 0; i < r->verdict.nflaws; i++)
    say(r, r->verdict.flaw[i].text);
  ph_task_unref(task);
  ph_model_unref(model);
  return status;
}

/* The two ends of one JSON pair; what only a dynamic run can know is null. */
static json_t *pair(const char *one, json_t *value, const char *other) {
  return json_pack("{s:o, s:n}", one, value, other);
}

static void add(struct verify *v, const struct result *r) {
  const ph_entry *e = r->entry;
  json_t *reward = r->opened ? ph_json_number(r->verdict.reward) : json_null();
  json_array_append_new(
      v->episodes,
      json_pack("{s:o, s:I, s:n, s:n, s:n, s:{s:n, s:n}, s:{s:n, s:n}, s:{s:n, s:n, s:n}, s:o, "
                "s:o, s:o, s:o}",
                "id", ph_json_text(e->id), "steps", (json_int_t)r->verdict.checked, "class",
                "first_unequal", "first_over_tolerance", "max_joint_error", "rad", "m",
                "max_body_error", "m", "rad", "one_step", "class", "first_unequal",
                "max_joint_error", "reward", pair("recorded", reward, "dynamic"), "end",
                pair("recorded", ph_json_text(ph_end_name(e->end_reason)), "dynamic"), "diagnosis",
                ph_json_text(r->diagnosis), "guarantee",
                r->opened ? report_guarantee(r->guarantee, r->reason) : json_null()));
}

static void latch_text(char *out, size_t size, int64_t latch, bool known) {
  if (!known)
    snprintf(out, size, "-");
  else if (latch < 0)
    snprintf(out, size, "never");
  else
    snprintf(out, size, "%" PRId64, latch);
}

static void print(const struct result *r) {
  const ph_verdict *d = &r->verdict;
  char recorded[24], computed[24];
  latch_text(recorded, sizeof recorded, d->latch_recorded, r->opened && r->entry->success >= 0);
  latch_text(computed, sizeof computed, d->latch_computed, d->predicate_checked);
  cli_progress_end();
  printf("%-18s %-5s %7" PRId64 "  %-10s  %8s  %8s  %9.3g  %8.2g  %8.2g\n", r->entry->id,
         r->diagnosis[0] ? "WRONG" : "ok", d->checked, ph_end_name(r->entry->end_reason), recorded,
         computed, d->reward, d->time_error, d->quat_error);
  if (r->diagnosis[0])
    printf("    %s\n", r->diagnosis);
  if (r->opened && !d->predicate_checked && d->note[0])
    printf("    predicate not recomputed: %s\n", d->note);
}

static int check_entry(struct verify *v, size_t i) {
  struct result r = {.entry = ph_store_entry(v->store, i),
                     .verdict = {.latch_recorded = -1, .latch_computed = -1, .reward = NAN}};
  ph_episode *episode = NULL;
  int exit_status = EXIT_FINE;
  v->id = r.entry->id;
  if (r.entry->oddity[0])
    say(&r, r.entry->oddity);
  if (ph_store_episode(&episode, v->store, i) != PH_OK) {
    say(&r, ph_error());
  } else {
    r.opened = true;
    if (check(v, episode, &r) != PH_OK)
      exit_status = cli_error();
  }
  v->checked++;
  v->wrong += r.diagnosis[0] != 0;
  if (v->episodes)
    add(v, &r);
  else if (exit_status == EXIT_FINE)
    print(&r);
  ph_episode_free(episode);
  return exit_status;
}

static int check_all(struct verify *v) {
  size_t n = ph_store_count(v->store), first = 0;
  int status = EXIT_FINE;
  if (v->opt->episode) {
    first = ph_store_find(v->store, v->opt->episode);
    if (first >= n)
      return cli_no_episode(v->opt);
    n = first + 1;
  }
  if (!v->episodes)
    printf("%-18s %-5s %7s  %-10s  %8s  %8s  %9s  %8s  %8s\n", "episode", "", "states", "end",
           "latch", "computed", "reward", "time err", "quat err");
  for (size_t i = first; i < n && status == EXIT_FINE; i++)
    status = check_entry(v, i);
  cli_progress_end();
  if (status == EXIT_FINE && !v->episodes)
    printf("%zu of %zu episodes are as recorded: checksums, shapes, numbers, time, quaternions, "
           "model, predicate and hold\n",
           v->checked - v->wrong, v->checked);
  return status;
}

int verb_verify(const struct options *opt) {
  struct verify v = {.opt = opt};
  ph_store_options so = cli_store_options(opt);
  json_t *root = NULL;
  int status = EXIT_FINE;
  if (opt->task && ph_task_open(&v.task, opt->task) != PH_OK)
    status = cli_error();
  else if (ph_store_open(&v.store, opt->paths, opt->npaths, &so) != PH_OK)
    status = cli_error();
  if (status == EXIT_FINE && opt->json) {
    root = json_pack("{s:s, s:[]}", "mode", opt->mode, "episodes");
    v.episodes = json_object_get(root, "episodes");
  }
  if (status == EXIT_FINE)
    status = check_all(&v);
  if (status == EXIT_FINE && root) {
    status = ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
    root = NULL;
  }
  if (status == EXIT_FINE && v.wrong)
    status = EXIT_FINDING;
  json_decref(root);
  ph_store_free(v.store);
  ph_task_unref(v.task);
  return cli_flush(status);
}
