/* Files of no known layout: how long their arrays are, and whether their groups are episodes. */
#include "read_arrays.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define BESIDE_MAX 8 /* other things beside the groups that are looked into */

/* --- which dimension --- */

static bool has_rows(const ph_channel *c) {
  return c->rank > 0 && c->rows > 1;
}

static int compare_rows(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

int64_t ph_arrays_rows(const ph_foreign *f) {
  int64_t *rows = malloc((f->narrays + 1) * sizeof *rows), best = 0, last = 0;
  size_t n = 0, most = 0, count = 0, less = 0;
  for (size_t i = 0; rows && i < f->narrays; i++)
    if (has_rows(&f->arrays[i].channel))
      rows[n++] = f->arrays[i].channel.rows;
  if (n > 0)
    qsort(rows, n, sizeof *rows, compare_rows);
  for (size_t i = 0; i < n; i++) {
    if (rows[i] != last)
      less = rows[i] - 1 == last ? count : 0;
    count = rows[i] == last ? count + 1 : 1;
    last = rows[i];
    if (count + less >= most) {
      most = count + less;
      best = last;
    }
  }
  free(rows);
  return 2 * most > n ? best : 0;
}

int64_t ph_arrays_last_axis(const ph_foreign *f) {
  int64_t axis = 0, least = INT64_MAX, most = 0;
  for (size_t i = 0; i < f->narrays; i++) {
    const ph_channel *c = &f->arrays[i].channel;
    if (!has_rows(c))
      continue;
    int64_t last = c->rank >= 2 && c->rank <= 4 ? c->dim[c->rank - 1] : 0;
    if (last <= 1 || (axis > 0 && last != axis))
      return 0;
    axis = last;
    least = c->rows < least ? c->rows : least;
    most = c->rows > most ? c->rows : most;
  }
  return axis > 0 && most - least > 1 ? axis : 0; /* states are one more than actions */
}

ph_status ph_arrays_gather(ph_foreign *out, int64_t *rows, hid_t h5, const char *group) {
  hid_t at = H5I_INVALID_HID;
  ph_status status = ph_h5_group(&at, h5, group);
  if (status == PH_OK)
    status = ph_foreign_gather(out, at);
  ph_h5_close(at);
  *rows = status == PH_OK && ph_arrays_last_axis(out) == 0 ? ph_arrays_rows(out) : 0;
  return status;
}

/* --- names --- */

static int compare_names(const void *a, const void *b) {
  return ph_natural_compare(*(char *const *)a, *(char *const *)b);
}

static bool has_number(const char *name) {
  return strpbrk(name, "0123456789") != NULL;
}

/* Whether the names differ in their numbers alone. */
static bool same_stem(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      a += strspn(a, "0123456789");
      b += strspn(b, "0123456789");
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

/* Moves the names that are numbered like the first numbered one to the front, in their order; how
 * many. */
static size_t numbered_first(char **names, size_t n) {
  const char *like = NULL;
  size_t kept = 0;
  for (size_t i = 0; i < n && !like; i++)
    like = has_number(names[i]) ? names[i] : NULL;
  for (size_t i = 0; like && i < n; i++)
    if (same_stem(names[i], like)) {
      char *name = names[i];
      memmove(names + kept + 1, names + kept, (i - kept) * sizeof *names);
      names[kept++] = name;
    }
  return kept;
}

/* --- likeness --- */

/* A few of the groups: the first two and the last. */
struct probe {
  ph_foreign f[3];
  int64_t rows[3];
};

static bool is_alike(const ph_foreign *a, const ph_foreign *b) {
  size_t same = 0, more = a->narrays > b->narrays ? a->narrays : b->narrays;
  for (size_t i = 0, k = 0; i < a->narrays && k < b->narrays;) {
    int order = ph_natural_compare(a->arrays[i].channel.name, b->arrays[k].channel.name);
    same += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  return 2 * same > more;
}

static bool look_alike(struct probe *p, char *const *names, size_t n, hid_t parent) {
  const size_t place[3] = {0, 1, n - 1};
  bool ok = true;
  for (int i = 0; i < 3 && ok; i++) {
    ok = ph_h5_exists(parent, names[place[i]]) &&
         ph_arrays_gather(&p->f[i], &p->rows[i], parent, names[place[i]]) == PH_OK &&
         p->rows[i] > 0;
    ok = ok && (i == 0 || is_alike(&p->f[0], &p->f[i]));
  }
  return ok;
}

/* --- what is beside them --- */

struct beside {
  char *const *names; /* of the groups, sorted */
  size_t n, others;
  hid_t parent;
  const struct probe *probe;
  bool shares; /* it has as many rows as they have: all of it is one episode */
};

static void compare_with(struct beside *b, const ph_foreign *f) {
  for (size_t i = 0; i < f->narrays; i++)
    for (int k = 0; k < 3; k++)
      b->shares = b->shares || (has_rows(&f->arrays[i].channel) &&
                                f->arrays[i].channel.rows == b->probe->rows[k]);
}

static ph_status look_beside(void *arg, const char *name, ph_h5_kind kind) {
  struct beside *b = arg;
  ph_foreign f = {0};
  int64_t rows;
  if (bsearch(&name, b->names, b->n, sizeof *b->names, compare_names))
    return PH_OK;
  if (kind == PH_H5_GROUP && ph_arrays_gather(&f, &rows, b->parent, name) == PH_OK)
    compare_with(b, &f);
  else if (kind == PH_H5_DATASET && ph_foreign_add(&f, name) &&
           ph_array_h5(&f.arrays[0], b->parent, name) == PH_OK)
    compare_with(b, &f);
  ph_foreign_clear(&f);
  b->shares = b->shares || ++b->others > BESIDE_MAX;
  return b->shares ? PH_END : PH_OK;
}

/* --- the groups --- */

/* Whether the first `kept` of the names are episodes. */
static bool are_episodes(char *const *names, size_t n, size_t kept, hid_t parent) {
  struct probe p = {0};
  bool numbered = kept >= 2;
  struct beside beside = {names, kept, 0, parent, &p, false};
  kept = numbered ? kept : n; /* all of them, where no number tells */
  bool yes = kept >= 2 && look_alike(&p, names, kept, parent);
  if (yes && !numbered)
    yes = p.rows[0] != p.rows[1] || p.rows[0] != p.rows[2];
  if (yes && kept < n)
    ph_h5_walk(parent, look_beside, &beside);
  for (int i = 0; i < 3; i++)
    ph_foreign_clear(&p.f[i]);
  return yes && !beside.shares;
}

static ph_status find_below(ph_array_groups *out, hid_t parent) {
  char **names = NULL;
  size_t n = 0;
  ph_status status = ph_h5_names(&names, &n, parent);
  if (status != PH_OK)
    return status;
  if (n > 1)
    qsort(names, n, sizeof *names, compare_names);
  size_t kept = numbered_first(names, n);
  if (n < 2 || !are_episodes(names, n, kept, parent)) {
    ph_h5_names_free(names, n);
    return PH_OK;
  }
  out->n = kept >= 2 ? kept : n;
  for (size_t i = out->n; i < n; i++)
    free(names[i]);
  out->names = names;
  return PH_OK;
}

ph_status ph_array_groups_find(ph_array_groups *out, hid_t h5) {
  static const char *const parents[] = {"/", "/data"};
  ph_status status = PH_OK;
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < 2 && status == PH_OK && out->n == 0; i++) {
    hid_t parent = H5I_INVALID_HID;
    out->parent = parents[i];
    if ((i == 0 || ph_h5_exists(h5, "data")) && ph_h5_group(&parent, h5, parents[i]) == PH_OK)
      status = find_below(out, parent);
    ph_h5_close(parent);
  }
  return status == PH_ENOMEM ? status : PH_OK;
}

void ph_array_groups_clear(ph_array_groups *groups) {
  ph_h5_names_free(groups->names, groups->n);
  memset(groups, 0, sizeof *groups);
}
