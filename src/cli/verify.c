/* `verify`: all episodes, from the first to the last state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_parts.h"

static void count(struct verify *v, const struct verify_result *r) {
  v->bare = v->bare || (r->opened && !r->verdict.checksums);
  v->checked++;
  v->rewards_set += r->rewards_set;
  v->noted += r->foreign && r->nnotes > 0;
  for (int k = 0; k < VERIFY_PARTS; k++)
    v->part[k] += r->part[k];
  if (r->dynamic && r->run.ran)
    v->classes[r->run.cls]++;
  else if (v->dynamic)
    v->not_run++;
  if (r->nfound && v->wrong++ == 0) {
    snprintf(v->first, sizeof v->first, "%s", r->entry.id);
    v->fault = r->found[0];
  }
}

static void *make(void *arg, size_t place) {
  struct verify_result *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->place = place;
  verify_check(arg, r);
  return r;
}

static int take(void *arg, void *result) {
  struct verify *v = arg;
  const struct verify_result *r = result;
  int status = report_taken(&v->unkept, r->unkept, r->status, r->error);
  if (status != EXIT_FINE)
    return status;
  count(v, r);
  if (v->episodes)
    verify_add(v, r);
  else
    verify_print(v, r);
  return EXIT_FINE;
}

static int check_all(struct verify *v) {
  size_t *places = NULL, n = 0;
  int status = cli_places(v->opt, v->store, &places, &n);
  v->each.verb = v->opt->verb;
  v->each.arg = v;
  v->each.make = make;
  v->each.take = take;
  v->each.drop = free;
  v->jobs_each = each_share(&v->each, (int)v->opt->jobs, n);
  if (status == EXIT_FINE)
    status = each_run(&v->each, places, n);
  if (status == EXIT_FINE && !v->episodes)
    verify_print_end(v);
  free(places);
  return status;
}

static int read_options(struct verify *v) {
  const struct options *opt = v->opt;
  v->dynamic = strcmp(opt->mode, "dynamic") == 0;
  v->tolerance = ph_tolerance_default();
  v->expect = -1;
  ph_class cls;
  if (opt->tolerance && ph_tolerance_parse(&v->tolerance, opt->tolerance) != PH_OK)
    return cli_fail(EXIT_USAGE, "%s: --tol: %s", opt->verb, ph_error());
  if (!v->dynamic && (opt->tolerance || opt->expect))
    return cli_fail(EXIT_USAGE, "%s: --%s: only of --mode dynamic", opt->verb,
                    opt->tolerance ? "tol" : "expect");
  if (opt->expect && ph_class_from_name(opt->expect, &cls))
    v->expect = (int)cls;
  return EXIT_FINE;
}

static int open_all(struct verify *v) {
  const struct options *opt = v->opt;
  ph_store_options so = cli_store_options(opt);
  if (opt->task && ph_task_open(&v->task, opt->task) != PH_OK)
    return cli_error();
  if (opt->predicate && ph_judge_open(&v->judge, opt->predicate, NULL) != PH_OK)
    return cli_error();
  return ph_store_open(&v->store, opt->paths, opt->npaths, &so) == PH_OK ? EXIT_FINE : cli_error();
}

static int write_json(const struct verify *v, json_t *root) {
  json_object_set_new(root, "ok", json_boolean(v->checked > 0 && v->wrong == 0));
  json_object_set_new(root, "wrong", json_integer((json_int_t)v->wrong));
  json_object_set_new(root, "first_wrong", ph_json_text(v->first));
  if (v->opt->predicate)
    json_object_set_new(root, "predicate_by", ph_json_text(v->opt->predicate));
  return ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}

int verb_verify(const struct options *opt) {
  struct verify v = {.opt = opt};
  json_t *root = NULL;
  int status = read_options(&v);
  pthread_mutex_init(&v.desk, NULL);
  if (status == EXIT_FINE)
    status = open_all(&v);
  if (status == EXIT_FINE && opt->json) {
    root = json_pack("{s:s, s:[]}", "mode", opt->mode, "episodes");
    v.episodes = json_object_get(root, "episodes");
  }
  if (status == EXIT_FINE)
    status = check_all(&v);
  ph_judge_close(v.judge); /* its files are gone even where nobody reads on */
  if (status == EXIT_FINE && root)
    status = write_json(&v, root);
  else
    json_decref(root);
  if (status == EXIT_FINE && (v.wrong || v.checked == 0))
    status = EXIT_FINDING;
  ph_store_free(v.store);
  ph_task_unref(v.task);
  pthread_mutex_destroy(&v.desk);
  return cli_flush(status);
}
