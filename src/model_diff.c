#include "model_diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

void ph_differ_add(ph_differ *d, bool structure, const char *fmt, ...) {
  ph_model_diff *out = d->out;
  va_list args;
  if (out->n++ >= d->room)
    return;
  ph_model_change *change = &out->change[out->kept++];
  change->structure = structure;
  va_start(args, fmt);
  vsnprintf(change->text, sizeof change->text, fmt, args);
  va_end(args);
}

/* --- names and order --- */

/* "a, b, c and 2 more" of those of a side that have nothing opposite. */
static int list_lonely(char *out, size_t size, const ph_side *side, const int *opposite) {
  enum { SAID = 4 };
  size_t used = 0;
  int n = 0;
  out[0] = 0;
  for (int i = 0; i < side->n; i++)
    if (opposite[i] < 0 && n++ < SAID && used < size)
      used +=
          (size_t)snprintf(out + used, size - used, "%s%.40s", n > 1 ? ", " : "", side->label[i]);
  if (n > SAID && used < size)
    snprintf(out + used, size - used, " and %d more", n - SAID);
  return n;
}

static void diff_lonely(ph_differ *d, const ph_object_info *info, const ph_side *side,
                        const int *opposite, const char *which) {
  char list[240];
  int n = list_lonely(list, sizeof list, side, opposite);
  if (n == 1)
    ph_differ_add(d, info->rows, "%s %s: only in the %s", info->word, list, which);
  else if (n > 1)
    ph_differ_add(d, info->rows, "%d %s only in the %s: %s", n, info->words, which, list);
}

static void diff_renamed(ph_differ *d, const ph_object_info *info, const ph_match *match) {
  for (int i = 0; i < match->a.n; i++) {
    int k = match->to[i];
    if (k >= 0 && (match->a.named[i] || match->b.named[k]) &&
        strcmp(match->a.key[i], match->b.key[k]))
      ph_differ_add(d, info->rows, "%s %d: %.80s -> %.80s", info->word, i,
                    match->a.named[i] ? match->a.label[i] : "without a name",
                    match->b.named[k] ? match->b.label[k] : "without a name");
  }
}

/* Objects that are elsewhere; *first, *second: the first two. */
static int count_moved(const ph_match *match, int *first, int *second) {
  int n = 0;
  for (int i = 0; i < match->a.n; i++) {
    if (match->to[i] < 0 || match->to[i] == i)
      continue;
    if (n < 2)
      *(n ? second : first) = i;
    n++;
  }
  return n;
}

/* Whether those in both come in another order, whatever is between them; *at: the first that does.
 */
static bool out_of_order(const ph_match *match, int *at) {
  int last = -1;
  for (int i = 0; i < match->a.n; i++) {
    if (match->to[i] < 0)
      continue;
    if (match->to[i] < last) {
      *at = i;
      return true;
    }
    last = match->to[i];
  }
  return false;
}

static void diff_order(ph_differ *d, const ph_object_info *info, const ph_match *match) {
  int first = 0, second = 0, at = 0;
  if (!out_of_order(match, &at))
    return;
  int n = count_moved(match, &first, &second);
  if (n == 2 && match->to[first] == second) {
    ph_differ_add(d, info->rows, "%s %d and %d are swapped: %.60s, %.60s", info->words, first,
                  second, match->a.label[first], match->a.label[second]);
    return;
  }
  char list[200];
  size_t used = 0;
  int said = 0;
  for (int i = first; i < match->a.n && said < 3; i++) {
    int k = match->to[i];
    if (k >= 0 && k != i && used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s %d -> %d",
                               said++ ? ", " : "", match->a.label[i], i, k);
  }
  ph_differ_add(d, info->rows, "%s are in another order: %s%s", info->words, list,
                n > said ? ", ..." : "");
}

static void diff_types(ph_differ *d) {
  static const char *const type[] = {"free", "ball", "slide", "hinge"};
  const ph_match *match = &d->match[PH_OBJECT_JOINT];
  for (int i = 0; i < match->a.n; i++) {
    const ph_joint_info *a = ph_model_joint(d->a, i);
    const ph_joint_info *b = match->to[i] >= 0 ? ph_model_joint(d->b, match->to[i]) : NULL;
    if (a && b && a->type != b->type)
      ph_differ_add(d, true, "joint %s: %s -> %s", match->a.label[i], type[a->type & 3],
                    type[b->type & 3]);
  }
}

static void diff_names(ph_differ *d, bool rows) {
  for (int o = 0; o < PH_OBJECT_COUNT; o++) {
    const ph_object_info *info = ph_object_of((ph_object)o);
    const ph_match *match = &d->match[o];
    if (info->rows != rows || !match->to)
      continue;
    diff_renamed(d, info, match);
    diff_lonely(d, info, &match->a, match->to, "first");
    diff_lonely(d, info, &match->b, match->from, "second");
    diff_order(d, info, match);
    if (o == PH_OBJECT_JOINT)
      diff_types(d);
  }
}

/* Sizes of rows that names do not tell, or all where they are all that is known. */
static void diff_sizes(ph_differ *d, bool all) {
  const ph_dims *a = ph_model_dims(d->a), *b = ph_model_dims(d->b);
  const struct {
    const char *name;
    int a, b;
    bool named;
  } sizes[] = {
      {"nq", a->nq, b->nq, true},
      {"nv", a->nv, b->nv, true},
      {"nu", a->nu, b->nu, true},
      {"na", a->na, b->na, false},
      {"nbody", a->nbody, b->nbody, true},
      {"nmocap", a->nmocap, b->nmocap, false},
      {"nuserdata", a->nuserdata, b->nuserdata, false},
      {"neq", a->neq, b->neq, true},
      {"nplugin", a->nplugin, b->nplugin, false},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].a != sizes[i].b && (all || !sizes[i].named))
      ph_differ_add(d, true, "%s %d -> %d", sizes[i].name, sizes[i].a, sizes[i].b);
}

/* --- what the files say of models that did not compile --- */

static void diff_facts(ph_differ *d) {
  double a = ph_model_timestep(d->a), b = ph_model_timestep(d->b);
  if (a > 0 && b > 0 && a != b) {
    char was[40], is[40];
    ph_value_number(was, sizeof was, a, b);
    ph_value_number(is, sizeof is, b, a);
    ph_differ_add(d, false, "timestep %s s -> %s s", was, is);
  }
  const char *x = ph_model_integrator(d->a), *y = ph_model_integrator(d->b);
  if (x[0] && y[0] && strcmp(x, y))
    ph_differ_add(d, false, "integrator %s -> %s", x, y);
  x = ph_model_solver(d->a);
  y = ph_model_solver(d->b);
  if (x[0] && y[0] && strcmp(x, y))
    ph_differ_add(d, false, "solver %s -> %s", x, y);
}

static ph_status diff_all(ph_differ *d) {
  bool compiled = d->ma && d->mb;
  ph_status status = ph_match_all(d);
  if (status != PH_OK)
    return status;
  diff_names(d, true);
  diff_sizes(d, d->out->n == 0);
  diff_names(d, false);
  if (!compiled) {
    diff_facts(d);
    return PH_OK;
  }
  ph_differ_options(d);
  status = ph_differ_fields(d);
  if (status == PH_OK && d->out->n == 0)
    ph_differ_rest(d);
  return status;
}

ph_status ph_model_compare(ph_model_diff *out, const ph_model *a, const ph_model *b, size_t room) {
  memset(out, 0, sizeof *out);
  out->change = calloc(room + 1, sizeof *out->change);
  ph_differ *d = calloc(1, sizeof *d);
  ph_status status = PH_OK;
  if (!out->change || !d)
    status = ph_fail(PH_ENOMEM, "models: no memory to compare them");
  if (status == PH_OK) {
    d->a = a;
    d->b = b;
    d->ma = a->m;
    d->mb = b->m;
    d->out = out;
    d->room = room;
    status = diff_all(d);
    ph_match_free(d);
  }
  free(d);
  if (status != PH_OK)
    ph_model_diff_clear(out);
  return status;
}

void ph_model_diff_clear(ph_model_diff *diff) {
  free(diff->change);
  memset(diff, 0, sizeof *diff);
}
