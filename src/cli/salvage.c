#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

static int64_t count(const ph_salvage_report *report, ph_salvage_fate fate) {
  int64_t n = 0;
  for (size_t i = 0; i < report->n; i++)
    n += report->items[i].fate == fate;
  return n;
}

/* Whether something of it is not there any more, or not where it belongs. */
static bool is_loss(const ph_salvaged *item) {
  return item->fate == PH_SALVAGE_LOST || (item->fate != PH_SALVAGE_EMPTY && item->why[0]);
}

/* --- JSON --- */

/* What was written, to say of it what its files say; NULL: nothing was, or it cannot be read. */
static ph_store *open_written(const char *path) {
  ph_store *store = NULL;
  return ph_store_open(&store, &path, 1, NULL) == PH_OK ? store : NULL;
}

/* The entry of an episode, looked for from *next on: both lists have the same order. NULL: none. */
static const ph_entry *find_entry(const ph_store *store, const char *id, size_t *next) {
  size_t n = store ? ph_store_count(store) : 0;
  for (size_t i = 0; i < n; i++) {
    const ph_entry *e = ph_store_entry(store, (*next + i) % n);
    if (strcmp(e->id, id) != 0)
      continue;
    *next = (*next + i + 1) % n;
    return e;
  }
  return NULL;
}

static json_t *item_json(const ph_salvaged *item, const ph_entry *e) {
  return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "id", ph_json_text(item->id), "env_id",
                   e && e->env_id >= 0 ? json_integer(e->env_id) : json_null(), "actions",
                   (json_int_t)item->actions, "seed",
                   e && e->seed[0] ? ph_json_text(e->seed) : json_null(), "end_reason",
                   e ? json_string(ph_end_name(e->end_reason)) : json_null(), "success",
                   report_success(e ? e->success : -1), "file", ph_json_text(item->file));
}

static json_t *lost_json(const ph_salvaged *item) {
  return json_pack("{s:o, s:o}", "id", item->id[0] ? ph_json_text(item->id) : json_null(), "why",
                   ph_json_text(item->why));
}

static json_t *run_id_json(ph_store *store) {
  ph_episode *episode = NULL;
  json_t *run_id = NULL;
  if (store && ph_store_count(store) > 0 && ph_store_episode(&episode, store, 0) == PH_OK &&
      ph_episode_meta_of(episode)->run_id[0])
    run_id = ph_json_text(ph_episode_meta_of(episode)->run_id);
  ph_episode_free(episode);
  return run_id ? run_id : json_null();
}

static int print_json(const struct options *opt, const ph_salvage_report *report,
                      const char *error) {
  const char *path = opt->out && report->saved > 0 ? opt->out : opt->paths[0];
  ph_store *store = open_written(path);
  json_t *episodes = json_array(), *lost = json_array(), *errors = json_array();
  size_t next = 0;
  for (size_t i = 0; i < report->n; i++) {
    const ph_salvaged *item = &report->items[i];
    if (item->fate == PH_SALVAGE_SAVED)
      json_array_append_new(episodes, item_json(item, find_entry(store, item->id, &next)));
    if (is_loss(item))
      json_array_append_new(lost, lost_json(item));
  }
  if (error)
    json_array_append_new(errors, ph_json_text(error));
  int64_t empty = count(report, PH_SALVAGE_EMPTY);
  json_t *root = json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "run_id",
                           run_id_json(store), "path", ph_json_text(path), "episodes", episodes,
                           "resets", (json_int_t)(report->saved + empty + report->lost), "commits",
                           (json_int_t)report->saved, "discards", (json_int_t)empty, "steps",
                           (json_int_t)report->steps, "lost", lost, "errors", errors);
  ph_store_free(store);
  return ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}

/* --- text --- */

static void print_item(const ph_salvaged *item) {
  static const char *const fates[] = {"given back", "in its place already", "no step", "LOST"};
  if (item->id[0])
    printf("%s: ", item->id);
  printf("%s", fates[item->fate]);
  if (item->fate == PH_SALVAGE_SAVED)
    printf(", %" PRId64 " %s", item->actions, report_steps(item->actions));
  if (item->why[0]) {
    printf(": ");
    cli_print_text(item->why);
  }
  putchar('\n');
}

static void print_report(const struct options *opt, const ph_salvage_report *report) {
  const char *path = opt->out && report->saved > 0 ? opt->out : opt->paths[0];
  int64_t committed = count(report, PH_SALVAGE_COMMITTED), empty = count(report, PH_SALVAGE_EMPTY);
  for (size_t i = 0; i < report->n; i++)
    print_item(&report->items[i]);
  cli_print_text(path);
  if (report->n == 0) {
    printf(": nothing to give back\n");
    return;
  }
  printf(": %" PRId64 " given back, %" PRId64 " %s", report->saved, report->steps,
         report_steps(report->steps));
  if (committed > 0)
    printf(", %" PRId64 " in place already", committed);
  if (empty > 0)
    printf(", %" PRId64 " without a step", empty);
  printf(", %" PRId64 " lost\n", report->lost);
}

/* --- the verb --- */

static bool anything_lost(const ph_salvage_report *report) {
  for (size_t i = 0; i < report->n; i++)
    if (is_loss(&report->items[i]))
      return true;
  return false;
}

int verb_salvage(const struct options *opt) {
  ph_salvage_report report;
  struct stat st;
  char error[700] = "";
  const char *path = opt->paths[0];
  if (stat(path, &st) != 0)
    return cli_fail(EXIT_ERROR, "%s: it cannot be opened: %s", path, strerror(errno));
  bool folder = S_ISDIR(st.st_mode);
  if (!folder && !opt->out)
    return cli_fail(EXIT_USAGE, "salvage: %s is a file: --out FILE is missing, it is never changed",
                    path);
  ph_status status =
      folder ? ph_salvage_run(&report, path, opt->out) : ph_salvage_file(&report, path, opt->out);
  if (status != PH_OK)
    snprintf(error, sizeof error, "%s", ph_error());
  int end = status != PH_OK ? EXIT_ERROR : anything_lost(&report) ? EXIT_FINDING : EXIT_FINE;
  if (opt->json && print_json(opt, &report, *error ? error : NULL) != EXIT_FINE)
    end = EXIT_ERROR;
  else if (!opt->json && (status == PH_OK || report.n > 0))
    print_report(opt, &report);
  ph_salvage_free(&report);
  if (*error)
    cli_fail(EXIT_ERROR, "%s", error);
  return cli_flush(end);
}
