#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "model_diff.h"

/* A field of both models, and which row of one is which of the other. */
struct rows {
  ph_field a, b;
  int object;       /* ph_object; -1: whole, row by row */
  const int *to;    /* (a.rows) -1: none opposite */
  const int *owner; /* (a.rows) object that the row belongs to; NULL: itself */
};

/* Rows of joints that have several numbers: of qpos or of dofs. */
struct spread {
  int *to, *owner;
};

static int joint_size(const mjModel *m, int j, bool dofs) {
  int type = m->jnt_type[j];
  return type == mjJNT_FREE ? (dofs ? 6 : 7) : type == mjJNT_BALL ? (dofs ? 3 : 4) : 1;
}

static int joint_address(const mjModel *m, int j, bool dofs) {
  return dofs ? m->jnt_dofadr[j] : m->jnt_qposadr[j];
}

static bool spread_make(struct spread *out, const ph_differ *d, bool dofs) {
  int n = dofs ? (int)d->ma->nv : (int)d->ma->nq;
  const ph_match *joints = &d->match[PH_OBJECT_JOINT];
  out->to = calloc((size_t)n + 1, sizeof *out->to);
  out->owner = calloc((size_t)n + 1, sizeof *out->owner);
  if (!out->to || !out->owner)
    return false;
  for (int i = 0; i < n; i++)
    out->to[i] = -1;
  for (int j = 0; j < joints->a.n; j++) {
    int k = joints->to[j], from = joint_address(d->ma, j, dofs);
    bool alike = k >= 0 && d->ma->jnt_type[j] == d->mb->jnt_type[k];
    for (int i = 0; i < joint_size(d->ma, j, dofs); i++) {
      out->owner[from + i] = j;
      if (alike)
        out->to[from + i] = joint_address(d->mb, k, dofs) + i;
    }
  }
  return true;
}

static int object_of_field(const char *name) {
  for (int o = 0; o < PH_OBJECT_COUNT; o++) {
    const char *prefix = ph_object_of((ph_object)o)->prefix;
    if (strncmp(name, prefix, strlen(prefix)) == 0)
      return o;
  }
  return -1;
}

/* --- lines --- */

/* "cup", "ankle (dof 2)" */
static void row_label(char *out, size_t size, const ph_differ *d, const struct rows *rows, int i) {
  int owner = rows->owner ? rows->owner[i] : i;
  const char *label = d->match[rows->object].a.label[owner];
  bool dofs = strncmp(rows->a.name, "dof_", 4) == 0;
  if (rows->owner && joint_size(d->ma, owner, dofs) > 1)
    snprintf(out, size, "%s (%s %d)", label, dofs ? "dof" : "number",
             i - joint_address(d->ma, owner, dofs));
  else
    snprintf(out, size, "%s", label);
}

static bool row_differs(const ph_differ *d, const struct rows *rows, int i) {
  return rows->to[i] >= 0 && !ph_value_equal(d, &rows->a, i, &rows->b, rows->to[i]);
}

/* Whether all rows that differ do so in the same words. */
static bool all_alike(const ph_differ *d, const struct rows *rows, const char *first) {
  char text[240];
  for (int i = 0; i < rows->a.rows; i++) {
    if (!row_differs(d, rows, i))
      continue;
    ph_value_change(text, sizeof text, d, &rows->a, i, &rows->b, rows->to[i]);
    if (strcmp(text, first))
      return false;
  }
  return true;
}

/* "cup, lid and 3 more", with the change of each where they are not alike. */
static void list_rows(char *out, size_t size, const ph_differ *d, const struct rows *rows, int n,
                      bool alike) {
  size_t used = 0;
  int said = 0, most = alike ? 4 : 2;
  size_t skip = strlen(ph_value_word(rows->a.name));
  out[0] = 0;
  for (int i = 0; i < rows->a.rows && said < most; i++) {
    char text[240], label[140];
    if (!row_differs(d, rows, i))
      continue;
    row_label(label, sizeof label, d, rows, i);
    ph_value_change(text, sizeof text, d, &rows->a, i, &rows->b, rows->to[i]);
    if (used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%.50s%.60s", said++ ? ", " : "", label,
                               alike ? "" : text + skip);
  }
  if (said < n && used < size)
    snprintf(out + used, size - used, " and %d more", n - said);
}

static void say_rows(ph_differ *d, const struct rows *rows, int n, int first) {
  const ph_object_info *info = ph_object_of((ph_object)rows->object);
  char text[240], list[240], label[140];
  ph_value_change(text, sizeof text, d, &rows->a, first, &rows->b, rows->to[first]);
  if (n == 1) {
    row_label(label, sizeof label, d, rows, first);
    ph_differ_add(d, false, "%s %s: %s", info->word, label, text);
    return;
  }
  bool alike = all_alike(d, rows, text);
  bool dofs = rows->owner != NULL;
  list_rows(list, sizeof list, d, rows, n, alike);
  if (alike)
    ph_differ_add(d, false, "%d %s: %s (%s)", n, dofs ? "joint axes" : info->words, text, list);
  else
    ph_differ_add(d, false, "%d %s: %s: %s", n, dofs ? "joint axes" : info->words,
                  ph_value_word(rows->a.name), list);
}

static void diff_rows(ph_differ *d, const struct rows *rows) {
  int n = 0, first = -1;
  for (int i = 0; i < rows->a.rows; i++)
    if (row_differs(d, rows, i)) {
      first = n++ == 0 ? i : first;
    }
  if (n > 0)
    say_rows(d, rows, n, first);
  else if (rows->a.cols != rows->b.cols && rows->a.rows > 0)
    ph_differ_add(d, false, "%s: %d numbers each -> %d", rows->a.name, rows->a.cols, rows->b.cols);
}

/* --- what lies in one block for all objects: vertices, heights, wraps --- */

static void diff_block(ph_differ *d, const ph_field *a, const ph_field *b) {
  size_t size = ph_type_size(a->type), n = (size_t)a->rows * (size_t)a->cols, differ = 0;
  if (a->rows != b->rows || a->cols != b->cols) {
    ph_differ_add(d, false, "%s: %d numbers -> %d", a->name, a->rows * a->cols, b->rows * b->cols);
    return;
  }
  for (size_t i = 0; i < n; i++)
    differ += memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size) != 0;
  if (differ > 0)
    ph_differ_add(d, false, "%s: %zu of %zu numbers are others", a->name, differ, n);
}

/* --- all of them --- */

struct walk {
  ph_differ *d;
  struct spread qpos, dofs;
};

static void diff_field(struct walk *w, const ph_field *a, const ph_field *b) {
  ph_differ *d = w->d;
  struct rows rows = {*a, *b, object_of_field(a->name), NULL, NULL};
  bool qpos = !strncmp(a->name, "qpos", 4), dofs = !strncmp(a->name, "dof_", 4);
  if (qpos || dofs) {
    const struct spread *spread = qpos ? &w->qpos : &w->dofs;
    rows.object = PH_OBJECT_JOINT;
    rows.to = spread->to;
    rows.owner = spread->owner;
  } else if (rows.object >= 0) {
    rows.to = d->match[rows.object].to;
  }
  if (qpos || dofs ||
      (rows.object >= 0 && a->rows == ph_object_count(d->ma, (ph_object)rows.object) &&
       b->rows == ph_object_count(d->mb, (ph_object)rows.object)))
    diff_rows(d, &rows);
  else
    diff_block(d, a, b);
}

static void diff_rank(struct walk *w, ph_field_rank rank) {
  ph_field a, b;
  for (int i = 0; ph_mj_array_at(w->d->ma, i, &a); i++)
    if (ph_mj_array_at(w->d->mb, i, &b) && ph_value_rank(a.name) == rank)
      diff_field(w, &a, &b);
}

ph_status ph_differ_fields(ph_differ *d) {
  struct walk w = {d, {NULL, NULL}, {NULL, NULL}};
  bool made = spread_make(&w.qpos, d, false) && spread_make(&w.dofs, d, true);
  if (made) {
    diff_rank(&w, PH_FIELD_PHYSICS);
    diff_rank(&w, PH_FIELD_PICTURE);
    if (d->out->n == 0)
      diff_rank(&w, PH_FIELD_DERIVED);
  }
  free(w.qpos.to);
  free(w.qpos.owner);
  free(w.dofs.to);
  free(w.dofs.owner);
  return made ? PH_OK : ph_fail(PH_ENOMEM, "models: no memory to compare them");
}

/* --- the rest --- */

static void rest_sizes(ph_differ *d) {
#define X(name)                                                                                    \
  if (d->ma->name != d->mb->name)                                                                  \
    ph_differ_add(d, false, "%s %lld -> %lld", #name, (long long)d->ma->name,                      \
                  (long long)d->mb->name);
#ifdef MJMODEL_SIZES
  MJMODEL_SIZES
#else
  MJMODEL_INTS
#endif
#undef X
}

void ph_differ_rest(ph_differ *d) {
  ph_field a, b;
  rest_sizes(d);
  for (int i = 0; d->out->n == 0 && ph_mj_array_at(d->ma, i, &a); i++)
    if (ph_mj_array_at(d->mb, i, &b))
      diff_block(d, &a, &b);
  if (d->out->n == 0 && memcmp(&d->ma->stat, &d->mb->stat, sizeof d->ma->stat))
    ph_differ_add(d, false, "statistics: meaninertia %.9g -> %.9g, extent %.9g -> %.9g",
                  d->ma->stat.meaninertia, d->mb->stat.meaninertia, d->ma->stat.extent,
                  d->mb->stat.extent);
}
