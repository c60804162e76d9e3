#include "model_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { LABEL = 120 };

const ph_object_info *ph_object_of(ph_object o) {
  static const ph_object_info infos[] = {
#define INFO(id, prefix, word, words, type, count, rows) {prefix, word, words, type, (rows) != 0},
      PH_OBJECT_LIST(INFO)
#undef INFO
  };
  return &infos[o];
}

int ph_object_count(const mjModel *m, ph_object o) {
  switch (o) {
#define COUNT(id, prefix, word, words, type, count, rows)                                          \
  case PH_OBJECT_##id:                                                                             \
    return (int)m->count;
    PH_OBJECT_LIST(COUNT)
#undef COUNT
  default:
    return 0;
  }
}

/* Where the names come from that are known without a compiled model; -1: not known then. */
static int kind_of(ph_object o) {
  switch (o) {
  case PH_OBJECT_JOINT:
    return PH_JOINT;
  case PH_OBJECT_ACTUATOR:
    return PH_ACTUATOR;
  case PH_OBJECT_BODY:
    return PH_BODY;
  case PH_OBJECT_EQUALITY:
    return PH_EQUALITY;
  case PH_OBJECT_GEOM:
    return PH_GEOM;
  case PH_OBJECT_SITE:
    return PH_SITE;
  case PH_OBJECT_TENDON:
    return PH_TENDON;
  case PH_OBJECT_SENSOR:
    return PH_SENSOR;
  default:
    return -1;
  }
}

/* The body that an object is part of; -1: none. */
static int body_of(const mjModel *m, ph_object o, int i) {
  switch (o) {
  case PH_OBJECT_JOINT:
    return m->jnt_bodyid[i];
  case PH_OBJECT_BODY:
    return i > 0 ? m->body_parentid[i] : -1;
  case PH_OBJECT_GEOM:
    return m->geom_bodyid[i];
  case PH_OBJECT_SITE:
    return m->site_bodyid[i];
  case PH_OBJECT_CAMERA:
    return m->cam_bodyid[i];
  case PH_OBJECT_LIGHT:
    return m->light_bodyid[i];
  default:
    return -1;
  }
}

/* --- one side --- */

static void side_free(ph_side *side) {
  for (int i = 0; i < side->n; i++) {
    free(side->key ? side->key[i] : NULL);
    free(side->label ? side->label[i] : NULL);
  }
  free(side->key);
  free(side->label);
  free(side->named);
  memset(side, 0, sizeof *side);
}

static const char *name_of(const ph_model *model, const mjModel *m, ph_object o, int i) {
  const char *name =
      m ? mj_id2name(m, ph_object_of(o)->type, i) : ph_model_name(model, (ph_kind)kind_of(o), i);
  return name ? name : "";
}

/* Objects of a body come one after the other: how many without a name stood before in it. */
struct counter {
  int body, before;
};

static bool side_object(ph_side *side, int i, const char *name, const mjModel *m, ph_object o,
                        const ph_side *bodies, struct counter *count) {
  char key[LABEL + 60], label[LABEL], owner[LABEL] = "";
  int body = m && !name[0] ? body_of(m, o, i) : -1;
  side->named[i] = name[0] != 0;
  if (name[0]) {
    side->key[i] = strdup(name);
    ph_escape(label, sizeof label, name, strlen(name) < 60 ? strlen(name) : 60);
    side->label[i] = strdup(label);
    return side->key[i] && side->label[i];
  }
  if (body != count->body)
    *count = (struct counter){body, 0};
  if (body >= 0 && body < bodies->n && bodies->key[body])
    snprintf(owner, sizeof owner, "%s", bodies->label[body]);
  /* No name has a control character in front. */
  snprintf(key, sizeof key, "\001%d in %.100s", count->before++,
           body >= 0 && body < bodies->n && bodies->key[body] ? bodies->key[body] : "all");
  if (owner[0])
    snprintf(label, sizeof label, "%d (of %.80s)", i, owner);
  else
    snprintf(label, sizeof label, "%d", i);
  side->key[i] = strdup(key);
  side->label[i] = strdup(label);
  return side->key[i] && side->label[i];
}

static bool side_fill(ph_side *side, const ph_model *model, const mjModel *m, ph_object o,
                      const ph_side *bodies) {
  int n = m                 ? ph_object_count(m, o)
          : kind_of(o) >= 0 ? ph_model_count(model, (ph_kind)kind_of(o))
                            : 0;
  struct counter count = {-1, 0};
  side->key = calloc((size_t)n + 1, sizeof *side->key);
  side->label = calloc((size_t)n + 1, sizeof *side->label);
  side->named = calloc((size_t)n + 1, sizeof *side->named);
  side->n = side->key && side->label && side->named ? n : 0;
  if (side->n < n)
    return false;
  for (int i = 0; i < n; i++)
    if (!side_object(side, i, name_of(model, m, o, i), m, o, bodies, &count))
      return false;
  return side->key && side->label && side->named;
}

/* --- two sides --- */

struct entry {
  const char *key;
  int i;
};

static int by_key(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  int order = strcmp(a->key, b->key);
  return order ? order : (a->i > b->i) - (a->i < b->i);
}

static struct entry *sorted(const ph_side *side) {
  struct entry *all = calloc((size_t)side->n + 1, sizeof *all);
  for (int i = 0; all && i < side->n; i++)
    all[i] = (struct entry){side->key[i], i};
  if (all)
    qsort(all, (size_t)side->n, sizeof *all, by_key);
  return all;
}

/* The same place under another name is the same object, where neither name is known opposite. */
static void match_renamed(ph_match *match) {
  for (int i = 0; i < match->a.n && i < match->b.n && match->a.n == match->b.n; i++)
    if (match->to[i] < 0 && match->from[i] < 0) {
      match->to[i] = i;
      match->from[i] = i;
    }
}

static bool match_sides(ph_match *match) {
  struct entry *a = sorted(&match->a), *b = sorted(&match->b);
  match->to = calloc((size_t)match->a.n + 1, sizeof *match->to);
  match->from = calloc((size_t)match->b.n + 1, sizeof *match->from);
  bool made = a && b && match->to && match->from;
  for (int i = 0; made && i < match->a.n; i++)
    match->to[i] = -1;
  for (int i = 0; made && i < match->b.n; i++)
    match->from[i] = -1;
  for (int i = 0, k = 0; made && i < match->a.n && k < match->b.n;) {
    int order = strcmp(a[i].key, b[k].key);
    if (order == 0) {
      match->to[a[i].i] = b[k].i;
      match->from[b[k].i] = a[i].i;
    }
    i += order <= 0;
    k += order >= 0;
  }
  if (made)
    match_renamed(match);
  free(a);
  free(b);
  return made;
}

ph_status ph_match_all(ph_differ *d) {
  const ph_match *bodies = &d->match[PH_OBJECT_BODY];
  /* Bodies first: others are known by theirs. */
  for (int k = -1; k < PH_OBJECT_COUNT; k++) {
    ph_object o = k < 0 ? PH_OBJECT_BODY : (ph_object)k;
    ph_match *match = &d->match[o];
    if (k == PH_OBJECT_BODY)
      continue;
    /* What only one of the two can tell is not compared. */
    if (kind_of(o) < 0 && !(d->ma && d->mb))
      continue;
    bool both = d->ma && d->mb;
    if (!side_fill(&match->a, d->a, both ? d->ma : NULL, o, &bodies->a) ||
        !side_fill(&match->b, d->b, both ? d->mb : NULL, o, &bodies->b) || !match_sides(match))
      return ph_fail(PH_ENOMEM, "models: no memory to compare them");
  }
  return PH_OK;
}

void ph_match_free(ph_differ *d) {
  for (int k = 0; k < PH_OBJECT_COUNT; k++) {
    ph_match *match = &d->match[k];
    side_free(&match->a);
    side_free(&match->b);
    free(match->to);
    free(match->from);
    memset(match, 0, sizeof *match);
  }
}
