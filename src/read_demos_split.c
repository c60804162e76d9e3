/* robosuite of 2018 wrote an action in parts, joint_velocities and gripper_actuations: put side by
 * side they are the array of actions. */
#include "read_demos.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define BLOCK_ROWS 1024

typedef struct pair {
  ph_array part[2]; /* moved here from the episode */
} pair;

/* Puts the columns of one part into rows of both. */
static ph_status read_part(const ph_array *part, size_t at, size_t width, int64_t first, int64_t n,
                           double *buffer, double *out) {
  size_t own = part->channel.width;
  ph_status status = part->read(part, first, n, buffer);
  for (int64_t i = 0; status == PH_OK && i < n; i++)
    memcpy(out + (size_t)i * width + at, buffer + (size_t)i * own, own * sizeof *out);
  return status;
}

static ph_status read_pair(const ph_array *array, int64_t first, int64_t n, double *out) {
  const pair *p = array->source;
  size_t width = array->channel.width, left = p->part[0].channel.width;
  size_t wide = left > width - left ? left : width - left;
  double *buffer = malloc(BLOCK_ROWS * wide * sizeof *buffer);
  ph_status status = buffer ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", array->channel.name);
  for (int64_t at = 0; status == PH_OK && at < n; at += BLOCK_ROWS) {
    int64_t here = n - at < BLOCK_ROWS ? n - at : BLOCK_ROWS;
    double *rows = out + (size_t)at * width;
    status = read_part(&p->part[0], 0, width, first + at, here, buffer, rows);
    if (status == PH_OK)
      status = read_part(&p->part[1], left, width, first + at, here, buffer, rows);
  }
  free(buffer);
  return status;
}

static void close_pair(void *source) {
  pair *p = source;
  for (int i = 0; i < 2; i++)
    if (p->part[i].close)
      p->part[i].close(p->part[i].source);
  free(p);
}

/* Takes the i-th array out of the episode. */
static ph_array take(ph_foreign *out, int i) {
  ph_array array = out->arrays[i];
  out->narrays--;
  memmove(&out->arrays[i], &out->arrays[i + 1], (out->narrays - (size_t)i) * sizeof *out->arrays);
  return array;
}

static bool is_part(const ph_foreign *f, int i) {
  return i >= 0 && f->arrays[i].read && f->arrays[i].channel.width > 0 &&
         f->arrays[i].channel.rank <= 2;
}

ph_status ph_demo_join_actions(ph_foreign *out) {
  static const char left[] = "joint_velocities", right[] = "gripper_actuations";
  int i = ph_foreign_place(out, left), k = ph_foreign_place(out, right);
  if (!is_part(out, i) || !is_part(out, k) ||
      out->arrays[i].channel.rows != out->arrays[k].channel.rows)
    return PH_OK;
  ph_array *array = ph_foreign_add(out, "joint_velocities|gripper_actuations");
  pair *p = calloc(1, sizeof *p);
  if (!array || !p) {
    free(p);
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  }
  ph_array joined = *array;
  out->narrays--;
  p->part[0] = take(out, i);
  p->part[1] = take(out, ph_foreign_place(out, right));
  ph_channel *channel = &joined.channel;
  const ph_channel *first = &p->part[0].channel, *second = &p->part[1].channel;
  memcpy(channel->type, first->type, sizeof channel->type);
  channel->rank = 2;
  channel->rows = first->rows;
  channel->width = first->width + second->width;
  channel->dim[0] = first->rows;
  channel->dim[1] = (int64_t)channel->width;
  channel->dim[2] = channel->dim[3] = 1;
  joined.stored = p->part[0].stored == PH_F64 ? p->part[1].stored : p->part[0].stored;
  joined.read = read_pair;
  joined.close = close_pair;
  joined.source = p;
  out->arrays[out->narrays] = joined;
  out->actions = (int)out->narrays++;
  return PH_OK;
}
