/* What a list of rows says of the episodes that it is of: rows of one recording are none of
 * another, though its episodes have the same names. */
#include "cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int64_t whole_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void take_text(char *out, size_t size, const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  snprintf(out, size, "%s", text ? text : "");
}

void cut_claim_read(struct cut_claim *claim, const json_t *episode, const json_t *latch) {
  char file[512];
  const json_t *finger = json_object_get(episode, "fingerprint");
  if (!json_is_object(finger))
    finger = json_object_get(latch, "fingerprint");
  take_text(file, sizeof file, episode, "file");
  snprintf(claim->file, sizeof claim->file, "%s", base_of(file));
  take_text(claim->run_id, sizeof claim->run_id, episode, "run_id");
  take_text(claim->model, sizeof claim->model, finger, "model_sha256");
  claim->states = whole_of(episode, "states");
  claim->actions = whole_of(episode, "actions");
}

static bool differ(const char *claimed, const char *is) {
  return claimed[0] && strcmp(claimed, is) != 0;
}

bool cut_claim_holds(const struct cut_claim *claim, const ph_episode_meta *meta, bool other_model,
                     char *why, size_t size) {
  why[0] = 0;
  if (claim->states >= 0 && claim->states != meta->states)
    snprintf(why, size, "the list is of an episode of %" PRId64 " states, this one has %" PRId64,
             claim->states, meta->states);
  else if (claim->actions >= 0 && claim->actions != meta->actions)
    snprintf(why, size, "the list is of an episode of %" PRId64 " actions, this one has %" PRId64,
             claim->actions, meta->actions);
  else if (meta->run_id[0] && differ(claim->run_id, meta->run_id))
    snprintf(why, size, "the list is of the run %s, this one is of %s", claim->run_id,
             meta->run_id);
  else if (differ(claim->file, base_of(meta->file)))
    snprintf(why, size, "the list is of the file %.200s, this one is in %.200s", claim->file,
             base_of(meta->file));
  else if (!other_model && meta->model_sha256[0] && differ(claim->model, meta->model_sha256))
    snprintf(why, size, "the list's rows were found with the model %.12s, this one has %.12s%s",
             claim->model, meta->model_sha256, " (was it latch --model? give it here too)");
  return !why[0];
}
