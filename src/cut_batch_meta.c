/* The JSON texts of a BiGym batch that was cut: metadata.json with the holds and where the batch
 * comes from, the others as they are. */
#include "cut_batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "file.h"
#include "numeral.h"

#define HOLD "success_hold_seconds"
#define TRIM "success_hold_trim"

/* --- the source's --- */

ph_status ph_batch_meta_read(ph_batch *b) {
  static const char *const objects[] = {"task", "env_config"};
  b->meta = ph_bigym_metadata_kept(b->source);
  if (!b->meta)
    return ph_fail_in(PH_EFORMAT, "%s", b->source);
  const char *format = json_string_value(json_object_get(b->meta, "format"));
  if (!format || strcmp(format, PH_BIGYM_FORMAT) != 0)
    return ph_fail(PH_EFORMAT, "%s: metadata.json: its format is %s, and no \"%s\"", b->source,
                   format ? "another" : "not said", PH_BIGYM_FORMAT);
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
    const json_t *value = json_object_get(b->meta, objects[i]);
    if (value && !json_is_null(value) && !json_is_object(value))
      return ph_fail(PH_EFORMAT, "%s: metadata.json: %s: it is no object", b->source, objects[i]);
  }
  return PH_OK;
}

/* The hold that the source says it has; borrowed, NULL: it does not. */
static json_t *source_hold(const json_t *meta) {
  json_t *const places[] = {json_object_get(json_object_get(meta, "task"), HOLD),
                            json_object_get(json_object_get(meta, "env_config"), HOLD),
                            json_object_get(meta, "training_" HOLD)};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (ph_numeral_is(places[i]))
      return places[i];
  return NULL;
}

/* --- what is new --- */

/* All of these take over value; -1: no memory. */
static int set(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value);
}

static int set_below(json_t *meta, const char *name, const char *key, json_t *value) {
  json_t *object = json_object_get(meta, name);
  if (!json_is_object(object) && set(meta, name, json_object()) == 0)
    object = json_object_get(meta, name);
  return set(object, key, value);
}

static json_t *hold_of(const ph_batch *b) {
  bool kept = b->opt->hold_seconds < 0 && !b->opt->no_hold;
  json_t *hold = kept ? source_hold(b->meta) : NULL;
  return b->opt->hold_seconds >= 0 && !b->opt->no_hold ? ph_numeral_of(b->opt->hold_seconds)
         : hold                                        ? json_deep_copy(hold)
                                                       : json_null();
}

static json_t *or_null(json_t *borrowed) {
  return borrowed ? json_deep_copy(borrowed) : json_null();
}

/* Where the demonstrations were collected the hold was that of the first source. */
static json_t *collected_of(json_t *meta) {
  json_t *below = json_object_get(json_object_get(meta, "task"), "collect_" HOLD);
  json_t *above = json_object_get(meta, "collect_" HOLD);
  return or_null(ph_numeral_is(below) ? below : ph_numeral_is(above) ? above : source_hold(meta));
}

/* BiGym has those of training and collecting in its task; they are told at the top as well. */
static int set_holds(const ph_batch *b) {
  if (b->opt->hold_seconds < 0 && !b->opt->no_hold)
    return 0;
  json_t *collected = collected_of(b->meta);
  int failed = set(b->meta, "collect_" HOLD, json_incref(collected));
  failed += set_below(b->meta, "task", "collect_" HOLD, collected);
  failed += set(b->meta, "training_" HOLD, hold_of(b));
  failed += set_below(b->meta, "task", "training_" HOLD, hold_of(b));
  failed += set_below(b->meta, "task", HOLD, hold_of(b));
  return failed + set_below(b->meta, "env_config", HOLD, hold_of(b));
}

static json_t *frames_of(const ph_batch *b) {
  json_t *frames = json_object();
  for (size_t i = 0; i < b->files.n; i++) {
    const ph_batch_item *item = &b->items[i];
    if (!item->plan->dropped)
      set(frames, item->renamed, json_integer(item->frames - 1 - item->plan->to));
  }
  return frames;
}

static json_t *fingerprint_of(const ph_cut_options *opt) {
  const char *text = opt->fingerprint;
  json_error_t ignored;
  json_t *value = text ? ph_numeral_load(&ignored, text, strlen(text)) : NULL;
  return value ? value : ph_numeral_text(text);
}

static json_t *date_of(const ph_cut_options *opt) {
  char text[32] = "";
  time_t now = time(NULL);
  struct tm tm;
  if (!opt->date && gmtime_r(&now, &tm))
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return ph_numeral_text(opt->date ? opt->date : text);
}

/* What the folder is called, whatever way leads to it. */
static json_t *name_of(const char *folder) {
  char *whole = realpath(folder, NULL);
  const char *slash = whole ? strrchr(whole, '/') : NULL;
  json_t *name = ph_numeral_text(slash && slash[1] ? slash + 1 : folder);
  free(whole);
  return name;
}

static int set_trim(const ph_batch *b) {
  json_t *trim = json_object(), *before = json_object_get(b->meta, TRIM);
  int failed = set(trim, "source_batch", name_of(b->source));
  failed += set(trim, "source_" HOLD, or_null(source_hold(b->meta)));
  failed += set(trim, "target_" HOLD, hold_of(b));
  failed += set(trim, "trim_frames", frames_of(b));
  failed +=
      set(trim, "control_step_seconds", or_null(json_object_get(b->meta, "control_step_seconds")));
  failed += set(trim, "method", ph_numeral_text(b->opt->method));
  failed += set(trim, "substrate_fingerprint", fingerprint_of(b->opt));
  failed += set(trim, "date", date_of(b->opt));
  if (before)
    failed += set(trim, "source_trim", json_deep_copy(before));
  return failed + set(b->meta, TRIM, trim);
}

/* --- files --- */

static ph_status write_text(const ph_batch *b, const char *name, const char *text, size_t size) {
  char path[1024];
  ph_new_file file = PH_NEW_FILE_NONE;
  if (!ph_bigym_path(path, sizeof path, b->folder, name))
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", b->folder);
  ph_status status = ph_new_file_create(&file, path);
  if (status)
    return status;
  int error = ph_file_write(file.fd, 0, text, size);
  if (error)
    status = ph_fail(PH_EIO, "%s: cannot be written: %s", path, strerror(error));
  else
    status = ph_new_file_publish(&file);
  ph_new_file_drop(&file);
  return status;
}

static ph_status copy_text(const ph_batch *b, const char *name) {
  char path[1024], why[200] = "the path is too long";
  size_t size = 0;
  bool fits = ph_bigym_path(path, sizeof path, b->source, name);
  char *text = fits ? ph_bigym_text(&size, path, why, sizeof why) : NULL;
  if (!text)
    return ph_fail(PH_EIO, "%s: %s: %s", b->source, name, why);
  ph_status status = b->folder ? write_text(b, name, text, size) : PH_OK;
  free(text);
  return status;
}

/* Copies the other texts, or only reads them: where there is no folder yet. */
ph_status ph_batch_texts(const ph_batch *b) {
  ph_bigym_list texts;
  ph_status status = ph_bigym_texts(&texts, b->source);
  for (size_t i = 0; status == PH_OK && i < texts.n; i++)
    status = copy_text(b, texts.name[i]);
  ph_bigym_list_clear(&texts);
  return status;
}

ph_status ph_batch_meta_write(ph_batch *b) {
  size_t size = 0;
  bool made = set_trim(b) == 0 && set_holds(b) == 0;
  char *text = made ? ph_numeral_dump(&size, b->meta) : NULL;
  if (!text)
    return ph_fail(PH_ENOMEM, "%s: metadata.json: out of memory", b->source);
  ph_status status = write_text(b, "metadata.json", text, size);
  free(text);
  return status == PH_OK ? ph_batch_texts(b) : status;
}
