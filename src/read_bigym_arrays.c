/* The arrays of a BiGym demonstration: those that count frames become channels, two of them make
 * the states; what is of the episode as a whole is named with its numbers. */
#include "read_bigym.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { SHOWN = 4 }; /* numbers of the whole episode that are shown */

/* --- sources of rows --- */

static ph_status read_rows(const ph_array *array, int64_t first, int64_t n, double *out) {
  size_t width = array->channel.width;
  const double *data = array->source;
  assert(first >= 0 && n >= 0 && first + n <= array->channel.rows);
  if (n > 0)
    memcpy(out, data + (size_t)first * width, (size_t)n * width * sizeof *out);
  return PH_OK;
}

/* qpos and qvel side by side; both belong to the arrays that they are of. */
typedef struct joined {
  const double *part[2];
  size_t width[2];
} joined;

static ph_status read_joined(const ph_array *array, int64_t first, int64_t n, double *out) {
  const joined *j = array->source;
  for (int64_t r = first; r < first + n; r++)
    for (int k = 0; k < 2; k++) {
      memcpy(out, j->part[k] + (size_t)r * j->width[k], j->width[k] * sizeof *out);
      out += j->width[k];
    }
  return PH_OK;
}

/* -1..1 is min..max of each number of an action. */
typedef struct mapped {
  const double *rows; /* of the array that has them */
  size_t width;
  double range[]; /* min, then max */
} mapped;

static ph_status read_mapped(const ph_array *array, int64_t first, int64_t n, double *out) {
  const mapped *m = array->source;
  const double *row = m->rows + (size_t)first * m->width;
  for (int64_t r = 0; r < n; r++)
    for (size_t i = 0; i < m->width; i++) {
      double min = m->range[i], max = m->range[m->width + i];
      *out++ = min + (*row++ + 1) / 2 * (max - min);
    }
  return PH_OK;
}

/* --- one array --- */

/* Row t of these is what has led to state t. */
static bool is_action(const char *name) {
  static const char *const names[] = {"action",           "raw_outer_action",  "expanded_action",
                                      "lowerbody_action", "lowerbody_command", "leg_joint_targets",
                                      "torso_target",     "height_command"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static size_t width_of(const ph_npy *info) {
  size_t width = 1;
  for (int i = 1; i < info->rank && i < 4; i++)
    width *= (size_t)info->dim[i];
  return width;
}

static bool is_image(const ph_npy *info) {
  const char *note = "";
  bool named = strncmp(info->name, "rgb_", 4) == 0 || strncmp(info->name, "depth_", 6) == 0;
  return (named && info->rank >= 3) ||
         ph_is_picture(info->name, info->type, info->rank, info->dim, &note);
}

/* Names of the cameras, "head, left_wrist". */
static void name_cameras(char *out, size_t size, const json_t *meta) {
  json_t *names = json_object_get(json_object_get(meta, "task"), "camera_keys"), *name;
  char text[64];
  size_t i, n = 0;
  out[0] = 0;
  json_array_foreach(names, i, name) {
    if (!json_is_string(name) || n >= size)
      continue;
    ph_escape(text, sizeof text, json_string_value(name), json_string_length(name));
    n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "cameras: ", text);
  }
}

/* The numbers of the whole episode where they are few. */
static void describe_fact(char *out, size_t size, const ph_bigym *b, size_t i) {
  const ph_npy *info = ph_npz_info(b->npz, i);
  double *values = NULL;
  size_t n = (size_t)snprintf(out, size, "of the episode, no row a step");
  if (info->why[0] || info->count > SHOWN ||
      ph_npz_numbers(&values, b->npz, i, SHOWN * sizeof *values) != PH_OK) {
    if (info->why[0])
      snprintf(out + n, size - n, ": %.100s", info->why);
    return;
  }
  for (size_t k = 0; k < info->count && n < size; k++)
    n += (size_t)snprintf(out + n, size - n, "%s%.6g", k > 0 ? ", " : ": ", values[k]);
  free(values);
}

static ph_array *add(ph_foreign *out, const ph_npy *info) {
  ph_array *array = ph_foreign_add(out, info->name);
  if (!array)
    return NULL;
  ph_channel *c = &array->channel;
  snprintf(c->type, sizeof c->type, "%s", info->type);
  c->kind = PH_CHANNEL_OTHER;
  c->rank = info->rank;
  memcpy(c->dim, info->dim, sizeof c->dim);
  c->rows = info->rank > 0 ? info->dim[0] : 0;
  c->shift = is_action(info->name) ? -1 : 0;
  array->stored = info->stored;
  return array;
}

/* Why an array is not read; "": its numbers are in *data. */
static ph_status read_numbers(double **data, size_t *left, const ph_bigym *b, size_t i, char *why,
                              size_t size) {
  const ph_npy *info = ph_npz_info(b->npz, i);
  size_t n = strlen(b->file);
  why[0] = 0;
  ph_status status = ph_npz_numbers(data, b->npz, i, *left);
  if (status == PH_OK)
    *left -= info->count * sizeof **data;
  else if (status == PH_EREFUSED)
    snprintf(why, size, "too large: an episode's numbers take more than %zu MiB",
             PH_BIGYM_BYTES_MAX >> 20);
  else
    snprintf(why, size, "%s", strncmp(ph_error(), b->file, n) ? ph_error() : ph_error() + n + 2);
  return status == PH_ENOMEM ? status : PH_OK;
}

static ph_status add_frames(ph_foreign *out, const ph_bigym *b, size_t i, size_t *left) {
  const ph_npy *info = ph_npz_info(b->npz, i);
  ph_array *array = add(out, info);
  double *data = NULL;
  if (!array)
    return PH_ENOMEM;
  ph_channel *c = &array->channel;
  if (is_image(info)) {
    c->kind = PH_CHANNEL_IMAGE;
    name_cameras(c->note, sizeof c->note, b->meta);
    return PH_OK;
  }
  if (!info->numeric || info->count == 0) {
    snprintf(c->note, sizeof c->note, "%s", info->why[0] ? info->why : "its rows are empty");
    return PH_OK;
  }
  ph_status status = read_numbers(&data, left, b, i, c->note, sizeof c->note);
  if (!data) {
    if (status == PH_OK)
      ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s", c->note);
    return status;
  }
  c->kind = PH_CHANNEL_NUMBERS;
  c->width = width_of(info);
  array->read = read_rows;
  array->source = data;
  array->close = free;
  return PH_OK;
}

/* "float64, 3 x 4" */
static const char *shape_text(const ph_npy *info, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "%s", info->type);
  for (int i = 0; i < info->rank && i < 4 && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%lld", i == 0 ? ", " : " x ",
                          (long long)info->dim[i]);
  if (info->rank > 4 && n < size)
    snprintf(out + n, size - n, " x ...");
  return out;
}

static ph_status add_one(ph_foreign *out, const ph_bigym *b, size_t i, size_t *left) {
  const ph_npy *info = ph_npz_info(b->npz, i);
  char shape[96];
  if (ph_bigym_is_fact(info->name)) {
    ph_array *array = add(out, info);
    if (array)
      describe_fact(array->channel.note, sizeof array->channel.note, b, i);
    return array ? PH_OK : PH_ENOMEM;
  }
  if (strcmp(info->type, "damaged") == 0 || strcmp(info->type, "file") == 0) {
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s: %s", info->name, info->why);
    return PH_OK;
  }
  if (info->rank >= 1 && info->dim[0] == b->frames)
    return add_frames(out, b, i, left);
  ph_foreign_find(out, PH_FINDING_ODDITY, -1,
                  "%s (%s): its rows are not the %lld frames: not shown", info->name,
                  shape_text(info, shape, sizeof shape), (long long)b->frames);
  return PH_OK;
}

/* --- which is what --- */

/* An array of numbers by name; -1. */
static int find(const ph_foreign *f, const char *name) {
  for (size_t i = 0; i < f->narrays; i++)
    if (strcmp(f->arrays[i].channel.name, name) == 0 && f->arrays[i].read)
      return (int)i;
  return -1;
}

/* States are doubles in what BiGym writes. */
static void find_rounded(ph_foreign *f, const ph_channel *c) {
  if (strcmp(c->type, "float64") != 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s is stored as %s: the states are rounded", c->name,
                    c->type);
}

static ph_status join_states(ph_foreign *f) {
  static const char *const names[] = {"full_qpos", "full_qvel"};
  int at[2] = {find(f, names[0]), find(f, names[1])};
  for (int k = 0; k < 2; k++)
    if (at[k] < 0) {
      ph_foreign_find(f, PH_FINDING_MISSING, -1, "it holds no %s: its frames have no states",
                      names[k]);
      return PH_OK;
    }
  joined *j = malloc(sizeof *j);
  ph_array *array = j ? ph_foreign_add(f, "full_qpos and full_qvel") : NULL;
  if (!array) {
    free(j);
    return ph_fail(PH_ENOMEM, "states: out of memory");
  }
  const ph_array *part[2] = {&f->arrays[at[0]], &f->arrays[at[1]]};
  ph_channel *c = &array->channel;
  for (int k = 0; k < 2; k++) {
    j->part[k] = part[k]->source;
    j->width[k] = part[k]->channel.width;
    find_rounded(f, &part[k]->channel);
  }
  *c = (ph_channel){.kind = PH_CHANNEL_NUMBERS, .rank = 2, .rows = part[0]->channel.rows};
  strcpy(c->name, "full_qpos and full_qvel");
  strcpy(c->type, part[0]->channel.type);
  c->width = j->width[0] + j->width[1];
  c->dim[0] = c->rows;
  c->dim[1] = (int64_t)c->width;
  array->stored = part[0]->stored == PH_F64 ? part[1]->stored : part[0]->stored;
  array->read = read_joined;
  array->close = free;
  array->source = j;
  f->states = (int)f->narrays - 1;
  f->joined = true;
  return PH_OK;
}

/* Numbers of a list of `width`, or false. */
static bool take_range(double *out, const json_t *list, size_t width) {
  if (json_array_size(list) != width)
    return false;
  for (size_t i = 0; i < width; i++) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_number(value))
      return false;
    out[i] = json_number_value(value);
  }
  return true;
}

/* The ranges of metadata.json, the caller's; *out NULL: none that fit. PH_ENOMEM. */
static ph_status read_ranges(mapped **out, ph_foreign *f, const json_t *meta,
                             const ph_array *action) {
  const json_t *stats = json_object_get(meta, "action_stats");
  size_t width = action->channel.width;
  mapped *m = malloc(sizeof *m + 2 * width * sizeof *m->range);
  *out = NULL;
  if (!m)
    return ph_fail(PH_ENOMEM, "action_stats: out of memory");
  *m = (mapped){.rows = action->source, .width = width};
  if (take_range(m->range, json_object_get(stats, "min"), width) &&
      take_range(m->range + width, json_object_get(stats, "max"), width)) {
    *out = m;
    return PH_OK;
  }
  ph_foreign_find(f, stats ? PH_FINDING_ODDITY : PH_FINDING_MISSING, -1,
                  "metadata.json: action_stats %s: actions stay as they are stored, -1 to 1",
                  stats ? "has not a min and a max for each number of an action" : "is missing");
  free(m);
  return PH_OK;
}

static ph_status map_actions(ph_foreign *f, const json_t *meta) {
  static const char name[] = "action, mapped by action_stats";
  f->actions = find(f, "action");
  mapped *m = NULL;
  ph_status status = PH_OK;
  if (f->actions >= 0)
    status = read_ranges(&m, f, meta, &f->arrays[f->actions]);
  if (!m)
    return status;
  ph_array *array = ph_foreign_add(f, name);
  if (!array) {
    free(m);
    return PH_ENOMEM;
  }
  ph_array *action = &f->arrays[f->actions];
  snprintf(action->channel.note, sizeof action->channel.note,
           "normalised; the episode's actions are these, mapped by action_stats");
  *array = (ph_array){.channel = action->channel, .stored = action->stored, .read = read_mapped};
  strcpy(array->channel.name, name);
  array->channel.note[0] = 0;
  array->source = m;
  array->close = free;
  f->actions = (int)f->narrays - 1;
  return PH_OK;
}

/* --- all of them --- */

/* States and what tells the outcome first, so that they have the memory; then by name. */
static int rank_of(const char *name) {
  static const char *const first[] = {"full_qpos", "full_qvel", "action", "reward"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (strcmp(name, first[i]) == 0)
      return 0;
  return 1;
}

static int compare_infos(const void *a, const void *b) {
  const ph_npy *x = *(const ph_npy *const *)a, *y = *(const ph_npy *const *)b;
  int order = rank_of(x->name) - rank_of(y->name);
  return order ? order : strcmp(x->name, y->name);
}

static int compare_arrays(const void *a, const void *b) {
  return strcmp(((const ph_array *)a)->channel.name, ((const ph_array *)b)->channel.name);
}

ph_status ph_bigym_arrays(ph_foreign *out, const ph_bigym *b) {
  size_t n = ph_npz_count(b->npz), left = PH_BIGYM_BYTES_MAX;
  const ph_npy **infos = calloc(n + 1, sizeof *infos);
  ph_status status = infos ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", b->file);
  for (size_t i = 0; infos && i < n; i++)
    infos[i] = ph_npz_info(b->npz, i);
  if (infos && n > 1)
    qsort(infos, n, sizeof *infos, compare_infos);
  for (size_t i = 0; status == PH_OK && i < n; i++)
    for (size_t k = 0; k < n; k++)
      if (ph_npz_info(b->npz, k) == infos[i])
        status = add_one(out, b, k, &left);
  free(infos);
  if (out->narrays > 1)
    qsort(out->arrays, out->narrays, sizeof *out->arrays, compare_arrays);
  if (status == PH_OK)
    status = map_actions(out, b->meta);
  if (status == PH_OK)
    status = join_states(out);
  out->rewards = out->success = find(out, "reward");
  out->success_near = true;
  out->action_shift = 1;
  return status;
}
