#include "report.h"

#include <stdio.h>
#include <string.h>

json_t *report_success(int success) {
  return success < 0 ? json_null() : json_boolean(success);
}

json_t *report_index(int64_t index) {
  return index < 0 ? json_null() : json_integer(index);
}

json_t *report_guarantee(ph_guarantee guarantee, const char *reason) {
  char text[400];
  bool bare = guarantee == PH_EXACT || !*reason;
  snprintf(text, sizeof text, "%s%s%s", ph_guarantee_name(guarantee), bare ? "" : ": ",
           bare ? "" : reason);
  return ph_json_text(text);
}

/* Where `part` stands in `text`, at its start or behind a colon; NULL: nowhere. */
static const char *find_part(const char *text, const char *part) {
  const char *at = *part ? strstr(text, part) : NULL;
  return at == text || (at && at - text >= 2 && memcmp(at - 2, ": ", 2) == 0) ? at : NULL;
}

bool report_merge(char *old, size_t size, const char *text) {
  enum { CUT = sizeof((ph_entry *)0)->oddity - 1 };
  size_t n = strlen(text), before = strlen(old);
  bool longer = n > before;
  const char *at = longer ? find_part(text, old) : find_part(old, text);
  bool ends = at && strlen(at) == (longer ? before : n);
  if (!ends && !(at && (longer ? before : n) == CUT))
    return false;
  char rest[1200];
  snprintf(rest, sizeof rest, "%s", ends && !longer ? text : ends ? old : at);
  snprintf(old, size, "%s", rest);
  return true;
}

const char *report_steps(int64_t n) {
  return n == 1 ? "step" : "steps";
}

int report_taken(bool *said, const char *unkept, int status, const char *error) {
  if (unkept[0] && !*said)
    cli_fail(EXIT_FINE, "predicate: %s", unkept);
  *said = *said || unkept[0];
  return status == EXIT_FINE ? EXIT_FINE : cli_fail((enum exit_status)status, "%s", error);
}

ph_model *report_model(ph_store *store, const ph_episode_meta *meta, char *why, size_t size) {
  ph_model *model = NULL;
  snprintf(why, size, "%s", meta->model_sha256[0] ? "" : "the file names no model");
  if (ph_store_model(&model, store, meta->model_sha256) == PH_OK)
    return model;
  if (meta->model_sha256[0])
    snprintf(why, size, "%s", ph_error());
  return NULL;
}

ph_task *report_task(ph_store *store, const char *sha256, char *why, size_t size) {
  ph_task *task = NULL;
  why[0] = 0;
  if (!sha256[0])
    return NULL;
  const char *source;
  if (ph_store_task(&source, store, sha256) != PH_OK ||
      ph_task_parse(&task, source, strlen(source), "recorded task") != PH_OK)
    snprintf(why, size, "%s", ph_error());
  return task;
}

ph_task *report_judge(ph_store *store, const struct options *opt, const ph_task *given,
                      const ph_episode_meta *meta, char *why, size_t size) {
  ph_task *judge = NULL, *task = NULL;
  why[0] = 0;
  if (!given || ph_task_info_of(given)->judges_only)
    task = report_task(store, meta->task_sha256, why, size);
  if (given) {
    if (ph_task_with_judge(&judge, task, given) != PH_OK)
      snprintf(why, size, "%s", ph_error());
    ph_task_unref(task);
    task = judge;
  }
  if (!opt->success)
    return task;
  if (ph_task_with_success(&judge, task, opt->success) != PH_OK)
    snprintf(why, size, "%s", ph_error());
  ph_task_unref(task);
  return judge;
}
