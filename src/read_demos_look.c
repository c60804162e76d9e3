/* A quick look at a demo: lengths from shapes, and how it went. */
#include "read_demos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "episode_file.h"
#include "fail.h"

#define BLOCK_ROWS 65536             /* rows of rewards and dones that are read at a time */
#define CHUNK_MOST (1 << 20)         /* more of them where they are packed so */
#define ROWS_MOST ((int64_t)1 << 24) /* more rows are not read for success */

/* --- lengths --- */

/* Rows of an array of numbers, with at least one in each row; -1: there is none. */
static int64_t rows_of(hid_t demo, const char *name) {
  hid_t dataset;
  ph_h5_array info;
  const char *why;
  if (!ph_h5_exists(demo, name) || ph_h5_dataset_any(&dataset, &info, &why, demo, name) != PH_OK)
    return -1;
  ph_h5_close(dataset);
  return why[0] || info.rank < 1 || info.rank > 2 || info.dim[0] == 0 || info.width == 0
             ? -1
             : info.dim[0];
}

void ph_demo_size_of(ph_demo_size *out, hid_t demo) {
  *out = (ph_demo_size){rows_of(demo, "states"), rows_of(demo, "actions"), false};
  if (out->actions >= 0 || ph_h5_exists(demo, "actions"))
    return;
  int64_t arm = rows_of(demo, "joint_velocities"), hand = rows_of(demo, "gripper_actuations");
  out->split = arm > 0 && arm == hand;
  if (out->split)
    out->actions = arm;
}

/* --- outcome --- */

typedef struct series {
  int64_t rows;
  int64_t ones, first_one, other; /* how many are 1, the first of them, how many neither 0 nor 1 */
  int64_t before_last;            /* how many are positive before the last row */
  double max;
  bool last;
} series;

static void count_rows(series *s, int64_t first, const double *value, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (value[i] == 1 && s->ones++ == 0)
      s->first_one = first + i;
    s->other += value[i] != 0 && value[i] != 1;
    s->before_last += first + i < s->rows - 1 && value[i] > 0;
    s->max = value[i] > s->max ? value[i] : s->max;
    s->last = value[i] == 1;
  }
}

/* All rows, block after block, of whole chunks where there are many. */
static bool read_rows(series *s, hid_t dataset, const ph_h5_array *info) {
  int64_t block = s->rows < BLOCK_ROWS ? s->rows : BLOCK_ROWS;
  int64_t chunk = s->rows > BLOCK_ROWS ? ph_h5_chunk_rows(dataset) : 0;
  if (chunk > block && chunk <= CHUNK_MOST)
    block = chunk;
  double *value = malloc((size_t)block * sizeof *value);
  bool fits = value;
  for (int64_t at = 0, n; fits && at < s->rows; at += n) {
    n = s->rows - at < block ? s->rows - at : block;
    fits = ph_h5_read(dataset, info, PH_F64, at, n, value) == PH_OK;
    if (fits)
      count_rows(s, at, value, n);
  }
  free(value);
  return fits;
}

/* One number per row. false: there is no such array, or one that is too long, which is said. */
static bool read_series(series *s, ph_demo_outcome *out, hid_t demo, const char *name) {
  hid_t dataset;
  ph_h5_array info;
  const char *why;
  *s = (series){.first_one = -1, .max = -INFINITY};
  if (!ph_h5_exists(demo, name) || ph_h5_dataset_any(&dataset, &info, &why, demo, name) != PH_OK)
    return false;
  bool fits = !why[0] && info.rank >= 1 && info.rank <= 2 && info.width == 1 && info.dim[0] > 0;
  s->rows = fits ? info.dim[0] : 0;
  if (s->rows > ROWS_MOST) {
    snprintf(out->unread, sizeof out->unread, "%s has %lld rows: they are not read for success",
             name, (long long)s->rows);
    fits = false;
  }
  fits = fits && read_rows(s, dataset, &info);
  ph_h5_close(dataset);
  return fits;
}

/* Where the array holds a 1 for each success. */
static void from_series(ph_demo_outcome *out, const series *s, const char *array) {
  out->array = array;
  out->success = s->ones > 0;
  if (s->ones == 0)
    snprintf(out->source, sizeof out->source, "%s: never 1", array);
  else if (s->last)
    snprintf(out->source, sizeof out->source, "%s: 1 at the last action%s", array,
             s->ones > 1 ? " and before" : "");
  else
    snprintf(out->source, sizeof out->source, "%s: 1 at action %lld, not at the last", array,
             (long long)s->first_one);
}

static int success_of_text(const char *text) {
  return strcasecmp(text, "true") == 0 ? 1 : strcasecmp(text, "false") == 0 ? 0 : -1;
}

/* 1 or 0 by a bool, a number that is one of these, or a text; -1: anything else, which is said. */
static int attr_success(ph_demo_outcome *out, hid_t demo) {
  char text[64];
  double value;
  int success = -1;
  if (ph_h5_attr_f64(demo, "success", &value) == PH_OK) {
    success = value == 1 ? 1 : value == 0 ? 0 : -1;
    snprintf(text, sizeof text, "%.6g", value);
  } else if (ph_h5_attr_string(demo, "success", text, sizeof text) == PH_OK) {
    success = success_of_text(text);
  } else {
    snprintf(text, sizeof text, "no single value");
  }
  if (success < 0)
    snprintf(out->odd, sizeof out->odd, "attribute success is %s: neither true nor false", text);
  return success;
}

/* A reward of 1 is a success where rewards are 0 or 1, or shaped and never above. `dones` are the
 * end of the demo, success, or both, by the way the file was made: only one that is true before the
 * last row, or never, tells; never tells nothing where rewards are neither 0 nor 1. */
static void from_arrays(ph_demo_outcome *out, hid_t demo) {
  series s;
  bool unclear = false;
  if (read_series(&s, out, demo, "success") && s.other == 0) {
    from_series(out, &s, "success");
    return;
  }
  if (read_series(&s, out, demo, "rewards")) {
    unclear = s.other > 0;
    if ((s.ones > 0 && s.max <= 1) || s.other == 0) {
      from_series(out, &s, "rewards");
      return;
    }
  }
  if (read_series(&s, out, demo, "dones") && s.other == 0 &&
      (s.before_last > 0 || (s.ones == 0 && !unclear)))
    from_series(out, &s, "dones");
}

void ph_demo_outcome_of(ph_demo_outcome *out, hid_t demo) {
  *out = (ph_demo_outcome){.success = -1};
  from_arrays(out, demo);
  if (!ph_h5_has_attr(demo, "success"))
    return;
  int said = attr_success(out, demo);
  if (said < 0) {
    out->success = -1;
    out->source[0] = 0;
    return;
  }
  if (out->success >= 0 && out->success != said)
    memcpy(out->contradicts, out->source, sizeof out->contradicts);
  out->success = said;
  snprintf(out->source, sizeof out->source, "attribute success: %s", said ? "true" : "false");
}

void ph_demo_outcome_group(ph_demo_outcome *out, int group, const char *name) {
  if (group < 0 || group == out->success)
    return;
  if (out->success >= 0) {
    if (!out->contradicts[0])
      snprintf(out->contradicts, sizeof out->contradicts, "%s names it", name);
    return;
  }
  out->success = group;
  out->array = NULL;
  snprintf(out->source, sizeof out->source, "%s", name);
}

/* --- one entry --- */

static void say(ph_entry *entry, const char *sentence) {
  ph_say_also(entry->oddity, sizeof entry->oddity, sentence);
}

static void compare_lengths(ph_entry *entry, const ph_demo_size *size, hid_t demo) {
  char text[100];
  int64_t stored, rows = size->actions >= 0 ? size->actions : size->states;
  if (rows >= 0 && ph_h5_has_attr(demo, "num_samples") &&
      ph_h5_attr_i64(demo, "num_samples", &stored) == PH_OK && stored != rows) {
    snprintf(text, sizeof text, "num_samples is %lld, there are %lld %s", (long long)stored,
             (long long)rows, size->actions >= 0 ? "actions" : "states");
    say(entry, text);
  }
  if (size->actions < 0)
    say(entry, "it holds no actions");
  else if (size->states >= 0 && size->states != size->actions &&
           size->states != size->actions + 1) {
    snprintf(text, sizeof text, "%lld states, %lld actions", (long long)size->states,
             (long long)size->actions);
    say(entry, text);
  }
}

static void look_at(ph_entry *entry, hid_t demo) {
  ph_demo_size size;
  ph_demo_outcome outcome;
  char text[sizeof outcome.source + sizeof outcome.contradicts + 8];
  ph_demo_size_of(&size, demo);
  ph_demo_outcome_of(&outcome, demo);
  ph_demo_outcome_group(&outcome, entry->success,
                        entry->success == 1 ? "a group of successes" : "a group of failures");
  entry->success = outcome.success;
  entry->end_reason = entry->success == 1 ? PH_END_SUCCESS : PH_END_UNKNOWN;
  entry->states = size.states >= 0 ? size.states : size.actions >= 0 ? size.actions : 0;
  entry->actions = size.actions < 0 ? 0 : size.actions;
  if (entry->actions > entry->states)
    entry->actions = entry->states;
  compare_lengths(entry, &size, demo);
  if (outcome.odd[0])
    say(entry, outcome.odd);
  if (outcome.contradicts[0]) {
    snprintf(text, sizeof text, "%s, but %s", outcome.source, outcome.contradicts);
    say(entry, text);
  }
}

ph_status ph_demo_look(ph_entry *entry, hid_t h5) {
  hid_t demo;
  char why[sizeof entry->oddity];
  if (!entry->group[0]) {
    entry->actions = entry->states = 0;
    return PH_OK;
  }
  if (ph_h5_group(&demo, h5, entry->group) != PH_OK) {
    entry->actions = entry->states = 0;
    ph_oddity(why, sizeof why, entry->file);
    say(entry, why);
    return PH_OK;
  }
  look_at(entry, demo);
  ph_h5_close(demo);
  return PH_OK;
}
