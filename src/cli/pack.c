#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

#include "report.h"

static bool progress(void *user, size_t done, size_t all) {
  (void)user;
  cli_progress("pack: %zu of %zu episodes", done, all);
  return !cli_interrupted();
}

static json_t *episode_json(const ph_entry *e) {
  return json_pack("{s:s, s:i, s:I, s:I, s:o, s:s, s:o}", "id", e->id, "env_id", e->env_id,
                   "episode", (json_int_t)e->episode, "actions", (json_int_t)e->actions, "seed",
                   ph_json_text(e->seed), "end_reason", ph_end_name(e->end_reason), "success",
                   report_success(e->success));
}

static int print_json(const char *out, const ph_pack_tally *t) {
  ph_store *store = NULL;
  json_t *episodes = json_array();
  if (ph_store_open(&store, &out, 1, NULL) != PH_OK) {
    json_decref(episodes);
    return cli_error();
  }
  for (size_t i = 0; i < ph_store_count(store); i++)
    json_array_append_new(episodes, episode_json(ph_store_entry(store, i)));
  ph_store_free(store);
  json_t *root =
      json_pack("{s:n, s:o, s:o, s:I, s:I, s:I, s:I, s:i, s:i, s:[]}", "run_id", "path",
                ph_json_text(out), "episodes", episodes, "resets", (json_int_t)t->episodes,
                "commits", (json_int_t)t->episodes, "discards", (json_int_t)0, "steps",
                (json_int_t)t->steps, "models", t->models, "tasks", t->tasks, "errors");
  return ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}

static void print_tally(const char *out, const ph_pack_tally *t) {
  cli_print_text(out);
  printf(": %" PRId64 " %s, %" PRId64 " %s, %d %s, %d %s\n", t->episodes,
         t->episodes == 1 ? "episode" : "episodes", t->steps, report_steps(t->steps), t->models,
         t->models == 1 ? "model" : "models", t->tasks, t->tasks == 1 ? "task" : "tasks");
}

int verb_pack(const struct options *opt) {
  ph_pack_options how = PH_PACK_OPTIONS_INIT;
  ph_pack_tally tally = {0};
  how.compress = opt->compress;
  how.overwrite = opt->overwrite;
  how.progress = progress;
  if (!opt->out)
    return cli_fail(EXIT_USAGE, "pack: --out FILE is missing: see playhead pack --help");
  cli_catch_interrupt();
  ph_status status = ph_pack(opt->out, opt->paths, opt->npaths, &how, &tally);
  cli_progress_end();
  if (status != PH_OK && cli_interrupted())
    return cli_fail(EXIT_FINDING, "%s: interrupted: nothing is written", opt->out);
  if (status != PH_OK)
    return cli_error();
  if (opt->json)
    return cli_flush(print_json(opt->out, &tally));
  print_tally(opt->out, &tally);
  return cli_flush(EXIT_FINE);
}
