/* One demo as a ph_foreign: its arrays, which of them is what, and what is odd about it. */
#include "read_demos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { TIMES = 1024, DEMOS_MAX = 256 };

/* --- which array is what --- */

/* An array of numbers of rank 1 or 2 with something in it; else -1 and, where there is one of that
 * name, a finding that says why it is not used. */
static int usable(ph_foreign *f, const char *name, const char *as) {
  int i = ph_foreign_place(f, name);
  if (i < 0)
    return -1;
  const ph_channel *c = &f->arrays[i].channel;
  const char *why = ph_array_fault(&f->arrays[i]);
  if (!why)
    why = c->rank < 1 || c->rank > 2 ? "its rows are not flat"
          : c->rows == 0             ? "it has no rows"
                                     : NULL;
  if (!why)
    return i;
  ph_foreign_find(f, PH_FINDING_MISSING, -1, "%s cannot be used as %s: %s", name, as, why);
  return -1;
}

/* One number per action. */
static int series(ph_foreign *f, const char *name, const char *as) {
  int i = usable(f, name, as);
  if (i >= 0 && f->arrays[i].channel.width != 1) {
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s has %zu numbers per action, not one", name,
                    f->arrays[i].channel.width);
    return -1;
  }
  return i;
}

/* Whether the first number of a state can be its time: it seldom goes back. Old bindings of MuJoCo
 * wrote states without it. What cannot be read says nothing against it. */
static ph_status is_timed(bool *out, const ph_array *states) {
  int64_t n = states->channel.rows < TIMES ? states->channel.rows : TIMES, back = 0;
  double *time = calloc((size_t)n + 1, sizeof *time);
  ph_status status = time ? ph_array_first(states, n, time)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", states->channel.name);
  for (int64_t i = 1; status == PH_OK && i < n; i++)
    back += time[i] < time[i - 1];
  free(time);
  *out = back * 4 <= n;
  return status == PH_ENOMEM ? status : PH_OK;
}

static bool is_group(hid_t demo, const char *name) {
  hid_t group;
  bool yes = ph_h5_exists(demo, name) && ph_h5_group(&group, demo, name) == PH_OK;
  if (yes)
    ph_h5_close(group);
  return yes;
}

static ph_status find_states(ph_foreign *f, hid_t demo) {
  bool group = is_group(demo, "states");
  f->states = usable(f, "states", "states");
  if (group)
    ph_foreign_find(f, PH_FINDING_MISSING, -1,
                    "states is a group of arrays, not one flat state per row: they are channels");
  else if (f->states < 0 && ph_foreign_place(f, "states") < 0)
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "it holds no states");
  return f->states >= 0 ? is_timed(&f->timed, &f->arrays[f->states]) : PH_OK;
}

static void find_actions(ph_foreign *f, hid_t demo) {
  bool group = is_group(demo, "actions");
  if (f->actions < 0)
    f->actions = usable(f, "actions", "actions");
  else if (!f->meta.controller[0])
    snprintf(f->meta.controller, sizeof f->meta.controller, "JOINT_VELOCITY");
  if (group)
    ph_foreign_find(f, PH_FINDING_MISSING, -1,
                    "actions is a group of arrays, not one row per action: they are channels");
  else if (f->actions < 0 && ph_foreign_place(f, "actions") < 0)
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "it holds no actions: its states alone");
}

static void find_success(ph_foreign *f, hid_t h5, hid_t demo) {
  ph_demo_outcome outcome;
  ph_episode_meta *meta = &f->meta;
  char group[sizeof outcome.source] = "";
  ph_demo_outcome_of(&outcome, demo);
  ph_demo_outcome_group(&outcome, ph_demo_mask_success(h5, meta->id, group, sizeof group), group);
  meta->success = outcome.success;
  memcpy(meta->success_source, outcome.source, sizeof meta->success_source);
  f->success = outcome.array ? ph_foreign_place(f, outcome.array) : -1;
  if (f->success >= 0 && f->arrays[f->success].channel.width != 1)
    f->success = -1;
  if (outcome.contradicts[0])
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s, but %s", outcome.source, outcome.contradicts);
  if (outcome.odd[0])
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s", outcome.odd);
  if (outcome.unread[0])
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "%s", outcome.unread);
}

/* --- how many rows there are --- */

/* The first dimension that most arrays have; the longer of two. */
static int64_t common_rows(const ph_foreign *f) {
  int64_t best = 0;
  size_t most = 0;
  for (size_t i = 0; i < f->narrays; i++) {
    size_t n = 0;
    int64_t rows = f->arrays[i].channel.rank > 0 ? f->arrays[i].channel.rows : 0;
    for (size_t k = 0; k < f->narrays && rows > 0; k++)
      n += f->arrays[k].channel.rank > 0 && f->arrays[k].channel.rows == rows;
    if (n > most || (n == most && rows > best)) {
      most = n;
      best = rows;
    }
  }
  return best;
}

static int64_t rows_of(const ph_foreign *f, int place) {
  return place < 0 ? -1 : f->arrays[place].channel.rows;
}

static bool is_near(int64_t rows, int64_t n) {
  return n >= 0 && rows >= n - 1 && rows <= n + 1;
}

/* Marks the arrays whose rows are no steps, and says where those of the others are. */
static void align(ph_foreign *f, const ph_demo_layout *layout) {
  int64_t states = rows_of(f, f->states), actions = rows_of(f, f->actions);
  int64_t common = states < 0 && actions < 0 ? common_rows(f) : -1;
  int64_t steps = states >= 0 ? states : actions >= 0 ? actions : common;
  f->action_shift = layout->action_shift;
  f->meta.states = steps;
  for (size_t i = 0; i < f->narrays; i++) {
    ph_channel *c = &f->arrays[i].channel;
    const ph_demo_rows *rule = ph_demo_rows_of(layout, c->name);
    if (c->rank == 0 ||
        !(is_near(c->rows, states) || is_near(c->rows, actions) || is_near(c->rows, common))) {
      ph_channel_apart(c, steps);
    } else if (rule) {
      c->shift = rule->shift;
      ph_channel_note(c, rule->note);
    }
  }
}

/* --- what is odd --- */

/* How states and actions compare is said where they are put together. */
static void find_lengths(ph_foreign *f, hid_t demo) {
  int64_t actions = rows_of(f, f->actions), stored;
  int64_t rows = actions >= 0 ? actions : f->meta.states;
  if (ph_h5_has_attr(demo, "num_samples") &&
      ph_h5_attr_i64(demo, "num_samples", &stored) == PH_OK && stored != rows)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "num_samples is %lld, there are %lld %s",
                    (long long)stored, (long long)rows, actions >= 0 ? "actions" : "states");
}

static void find_odd_arrays(ph_foreign *f) {
  const ph_channel *states = f->states >= 0 ? &f->arrays[f->states].channel : NULL;
  for (size_t i = 0; i < f->narrays; i++) {
    const ph_channel *c = &f->arrays[i].channel;
    bool empty = false;
    for (int k = 1; k < c->rank && k < 4; k++)
      empty = empty || c->dim[k] == 0;
    if (c->rank > 0 && c->rows == 0)
      ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s has no rows", c->name);
    else if (empty)
      ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s is zero wide: its rows hold no numbers",
                      c->name);
    else if (states && (int)i != f->states && (int)i != f->actions && !strchr(c->name, '/') &&
             c->kind == PH_CHANNEL_NUMBERS && c->rank == states->rank && states->width > 1 &&
             c->width == states->width && is_near(c->rows, states->rows))
      ph_foreign_find(f, PH_FINDING_ODDITY, -1,
                      "%s is shaped like states, %lld x %zu: a second set of them", c->name,
                      (long long)c->rows, c->width);
  }
}

/* What there is of all demos. */
typedef struct all_demos {
  size_t n;     /* with rows; where they are too many all that are called demo... */
  int64_t rows; /* -1: too many to count, or they cannot be listed */
  bool first;   /* the demo that asks is the first of them */
} all_demos;

static void count_demos(all_demos *out, hid_t data, const char *name) {
  char **names = NULL;
  size_t n = 0;
  *out = (all_demos){.rows = -1, .first = true};
  if (ph_h5_names(&names, &n, data) != PH_OK)
    return;
  bool few = n <= DEMOS_MAX;
  out->rows = few ? 0 : -1;
  out->n = 0;
  for (size_t i = 0; i < n; i++) {
    hid_t demo;
    ph_demo_size size = {0};
    if (few && ph_h5_group(&demo, data, names[i]) != PH_OK)
      continue;
    if (few) {
      ph_demo_size_of(&size, demo);
      ph_h5_close(demo);
    }
    int64_t rows = size.actions >= 0 ? size.actions : size.states;
    out->n += few ? rows >= 0 : strncmp(names[i], "demo", 4) == 0;
    out->rows += few && rows > 0 ? rows : 0;
    out->first = out->first && (rows < 0 || ph_natural_compare(names[i], name) >= 0);
  }
  ph_h5_names_free(names, n);
}

/* A demo of that number, as names go. */
static bool has_number(hid_t data, int64_t number) {
  char name[64];
  snprintf(name, sizeof name, "demo_%lld", (long long)number);
  return number >= 0 && ph_h5_exists(data, name);
}

static void compare_total(ph_foreign *f, const all_demos *all, hid_t data) {
  int64_t stored;
  if (ph_h5_attr_i64(data, "total", &stored) != PH_OK)
    return;
  if (all->rows < 0)
    ph_foreign_find(f, PH_FINDING_MISSING, -1,
                    "the file's total of %lld rows was not compared: it has more than %d demos",
                    (long long)stored, DEMOS_MAX);
  else if (stored != all->rows)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1,
                    "the file's total is %lld, its %zu demos have %lld rows", (long long)stored,
                    all->n, (long long)all->rows);
}

/* What the file says of all its demos; said at the first one, which a name or two may tell before
 * all are listed. */
static void find_totals(ph_foreign *f, hid_t data, const char *name) {
  all_demos all = {.rows = -1, .first = true};
  int64_t stored, number = ph_demo_number(name, 0);
  bool total = ph_h5_has_attr(data, "total"), count = ph_h5_has_attr(data, "num_demos");
  if ((!total && !count) || has_number(data, number - 1))
    return;
  bool many = number < INT64_MAX - DEMOS_MAX && has_number(data, number + DEMOS_MAX);
  if (!many || count)
    count_demos(&all, data, name);
  if (!all.first)
    return;
  if (total)
    compare_total(f, &all, data);
  if (count && all.n > 0 && ph_h5_attr_i64(data, "num_demos", &stored) == PH_OK &&
      stored != (int64_t)all.n)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "the file's num_demos is %lld, it has %zu",
                    (long long)stored, all.n);
}

/* --- opening --- */

static void begin(ph_foreign *f, const char *file, const char *group, const char *name) {
  ph_episode_meta *meta = &f->meta;
  memset(f, 0, sizeof *f);
  f->states = f->actions = f->rewards = f->dones = f->success = -1;
  snprintf(meta->file, sizeof meta->file, "%s", file);
  snprintf(meta->group, sizeof meta->group, "%s", group);
  ph_escape(meta->id, sizeof meta->id, name, strlen(name));
  meta->episode = ph_demo_number(name, 0);
  meta->success = -1;
}

static ph_status fill(ph_foreign *f, hid_t h5, hid_t data, hid_t demo, const char *name) {
  const ph_demo_layout *layout = ph_demo_layout_of(data, name);
  snprintf(f->meta.layout, sizeof f->meta.layout, "%s", layout->name);
  ph_demo_facts(f, data, demo);
  ph_status status = ph_foreign_gather(f, demo);
  if (status == PH_OK && f->narrays == 0)
    status = ph_fail(PH_EFORMAT, "%s: %s: it holds no arrays", f->meta.file, f->meta.group);
  if (status == PH_OK && ph_foreign_place(f, "actions") < 0 && !ph_h5_exists(demo, "actions"))
    status = ph_demo_join_actions(f);
  if (status == PH_OK)
    status = find_states(f, demo);
  if (status)
    return status;
  find_actions(f, demo);
  f->rewards = series(f, "rewards", "rewards");
  f->dones = series(f, "dones", "dones");
  find_success(f, h5, demo);
  align(f, layout);
  find_lengths(f, demo);
  find_odd_arrays(f);
  find_totals(f, data, name);
  if (!has_number(data, f->meta.episode - 1)) /* said once, at the first */
    ph_demo_groups_odd(f, h5, data);
  ph_demo_model(f, f->meta.file, demo);
  return PH_OK;
}

ph_status ph_demo_open(ph_foreign *out, const char *file, const char *group, hid_t h5) {
  hid_t data = H5I_INVALID_HID, demo = H5I_INVALID_HID;
  const char *slash = strrchr(group, '/'), *name = slash ? slash + 1 : group;
  begin(out, file, group, name);
  ph_status status = *name ? ph_h5_group(&data, h5, "data")
                           : ph_fail(PH_EINVAL, "%s: the demo's name is too long", file);
  if (status == PH_OK)
    status = ph_h5_group(&demo, data, name);
  if (status == PH_OK)
    status = fill(out, h5, data, demo, name);
  ph_h5_close(demo);
  ph_h5_close(data);
  if (status)
    ph_foreign_clear(out);
  return status;
}
