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

/* --- JSON --- */

static json_t *item_json(const ph_salvaged *item) {
  return json_pack("{s:o, s:I, s:s, s:o}", "id", ph_json_text(item->id), "actions",
                   (json_int_t)item->actions, "end_reason", ph_end_name(PH_END_SALVAGED), "file",
                   ph_json_text(item->file));
}

static json_t *lost_json(const ph_salvaged *item) {
  return json_pack("{s:o, s:o}", "id", item->id[0] ? ph_json_text(item->id) : json_null(), "why",
                   ph_json_text(item->why));
}

static void run_id_of(char *out, size_t size, const char *path) {
  ph_store *store = NULL;
  ph_episode *episode = NULL;
  *out = 0;
  if (ph_store_open(&store, &path, 1, NULL) == PH_OK && ph_store_count(store) > 0 &&
      ph_store_episode(&episode, store, 0) == PH_OK)
    snprintf(out, size, "%s", ph_episode_meta_of(episode)->run_id);
  ph_episode_free(episode);
  ph_store_free(store);
}

static int print_json(const struct options *opt, const ph_salvage_report *report,
                      const char *error) {
  char run_id[64];
  const char *path = opt->out && report->saved > 0 ? opt->out : opt->paths[0];
  json_t *episodes = json_array(), *lost = json_array(), *errors = json_array();
  for (size_t i = 0; i < report->n; i++) {
    const ph_salvaged *item = &report->items[i];
    if (item->fate == PH_SALVAGE_SAVED)
      json_array_append_new(episodes, item_json(item));
    if (item->fate == PH_SALVAGE_LOST || (item->fate == PH_SALVAGE_SAVED && item->why[0]))
      json_array_append_new(lost, lost_json(item));
  }
  if (error)
    json_array_append_new(errors, ph_json_text(error));
  run_id_of(run_id, sizeof run_id, path);
  int64_t empty = count(report, PH_SALVAGE_EMPTY);
  json_t *root =
      json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "run_id",
                run_id[0] ? ph_json_text(run_id) : json_null(), "path", ph_json_text(path),
                "episodes", episodes, "resets", (json_int_t)(report->saved + empty + report->lost),
                "commits", (json_int_t)report->saved, "discards", (json_int_t)empty, "steps",
                (json_int_t)report->steps, "lost", lost, "errors", errors);
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

/* Whether something is not there any more, also of what was given back. */
static bool anything_lost(const ph_salvage_report *report) {
  for (size_t i = 0; i < report->n; i++)
    if (report->items[i].fate == PH_SALVAGE_LOST ||
        (report->items[i].fate == PH_SALVAGE_SAVED && report->items[i].why[0]))
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
