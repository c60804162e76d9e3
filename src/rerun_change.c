#include "rerun_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/number.h>

#include "fail.h"
#include "mj_words.h"

#define WHAT_THERE_IS                                                                              \
  "there are timestep, solver, iterations, ls_iterations, tolerance, integrator, cone, "           \
  "gravity.x, gravity.y, gravity.z, friction=xFACTOR, friction:NAME"

/* Numbers that a change can set, and what they may be. */
static const struct number {
  const char *name;
  double low, high;
  bool whole;
} numbers[] = {
    {"timestep", 1e-9, 10, false},   {"iterations", 0, 1e6, true},
    {"ls_iterations", 1, 1e6, true}, {"tolerance", 0, 1, false},
    {"gravity.x", -1e6, 1e6, false}, {"gravity.y", -1e6, 1e6, false},
    {"gravity.z", -1e6, 1e6, false}, {"friction", 0, 1e6, false},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static bool equal_nocase(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 'a' - 'A') : *a;
    char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 'a' - 'A') : *b;
    if (x != y)
      return false;
  }
  return *a == *b;
}

/* --- parse --- */

static bool is_enum(const char *name) {
  return !strcmp(name, "solver") || !strcmp(name, "integrator") || !strcmp(name, "cone");
}

static ph_status parse_word(ph_change *out, const char *word) {
  char known[120] = "";
  size_t used = 0;
  for (const ph_mj_word *w = ph_mj_words; w < ph_mj_words + ph_mj_nwords; w++) {
    if (strcmp(w->option, out->name))
      continue;
    if (equal_nocase(w->word, word)) {
      out->value = w->value;
      return PH_OK;
    }
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", w->word);
  }
  return ph_fail(PH_EINVAL, "change: %s: '%s': there are %s", out->name, word, known);
}

static const struct number *number_of(const char *name) {
  const char *plain = strncmp(name, "friction:", 9) == 0 ? "friction" : name;
  for (int i = 0; i < NUMBERS; i++)
    if (!strcmp(numbers[i].name, plain))
      return &numbers[i];
  return NULL;
}

static ph_status check_number(const ph_change *change) {
  const struct number *n = number_of(change->name);
  if (!n)
    return ph_fail(PH_EINVAL, "change: %s: " WHAT_THERE_IS, change->name);
  if (!(change->value >= n->low && change->value <= n->high) ||
      (n->whole && change->value != floor(change->value)))
    return ph_fail(PH_EINVAL, "change: %s: %g: must be a%s number from %g to %g", change->name,
                   change->value, n->whole ? " whole" : "", n->low, n->high);
  return PH_OK;
}

static ph_status parse_number(ph_change *out, const char *text) {
  bool factor = *text == 'x', named = strncmp(out->name, "friction:", 9) == 0;
  bool all = !strcmp(out->name, "friction");
  char *end = NULL;
  if (!number_of(out->name))
    return ph_fail(PH_EINVAL, "change: %s: " WHAT_THERE_IS, out->name);
  if (named && !out->name[9])
    return ph_fail(PH_EINVAL, "change: friction: names no geom or body");
  if (factor != all)
    return ph_fail(PH_EINVAL,
                   all ? "change: %s: of all geoms it can only be multiplied, "
                         "friction=x0.5"
                       : "change: %s: it is set, not multiplied",
                   out->name);
  out->value = strtod(text + factor, &end);
  if (end == text + factor || *end)
    return ph_fail(PH_EINVAL, "change: %s: '%s' is no number", out->name, text);
  return check_number(out);
}

ph_status ph_change_parse(ph_change *out, const char *text) {
  const char *equals = strchr(text, '=');
  memset(out, 0, sizeof *out);
  if (!equals || equals == text || !equals[1])
    return ph_fail(PH_EINVAL, "change: '%s': must be NAME=VALUE; " WHAT_THERE_IS, text);
  size_t n = (size_t)(equals - text);
  if (n >= sizeof out->name)
    return ph_fail(PH_EINVAL, "change: '%.40s...': the name is too long", text);
  memcpy(out->name, text, n);
  return is_enum(out->name) ? parse_word(out, equals + 1) : parse_number(out, equals + 1);
}

void ph_change_text(const ph_change *change, char *out, size_t size) {
  bool factor = strcmp(change->name, "friction") == 0;
  const char *word = is_enum(change->name) ? ph_mj_word_of(change->name, (int)change->value) : NULL;
  char value[PH_NUMBER_SIZE];
  if (word) {
    snprintf(out, size, "%s=%s", change->name, word);
    return;
  }
  ph_number_text(value, change->value);
  snprintf(out, size, "%s=%s%s", change->name, factor ? "x" : "", value);
}

/* --- apply --- */

static ph_status apply_enum(mjOption *option, const ph_change *change) {
  int value = (int)change->value;
  if (value != change->value || !ph_mj_word_of(change->name, value))
    return ph_fail(PH_EMISMATCH, "change: %s: this engine has no %g", change->name, change->value);
  *(!strcmp(change->name, "solver")       ? &option->solver
    : !strcmp(change->name, "integrator") ? &option->integrator
                                          : &option->cone) = value;
  return PH_OK;
}

static ph_status apply_named_friction(ph_sim *sim, const ph_change *change) {
  const char *name = change->name + 9;
  uint8_t *mask = calloc((size_t)sim->m->ngeom + 1, 1);
  if (!mask)
    return ph_fail(PH_ENOMEM, "change: out of memory");
  ph_scene_geoms(sim, name, mask);
  int found = 0;
  for (int i = 0; i < (int)sim->m->ngeom; i++) {
    if (!mask[i])
      continue;
    sim->m->geom_friction[3 * i] = change->value;
    found++;
  }
  free(mask);
  if (found == 0)
    return ph_fail(PH_EMISMATCH, "change: friction: the model has no geom or body '%s' with geoms",
                   name);
  return PH_OK;
}

static void apply_friction(mjModel *m, double factor) {
  for (int i = 0; i < 3 * (int)m->ngeom; i++)
    m->geom_friction[i] *= factor;
  for (int i = 0; i < 5 * (int)m->npair; i++)
    m->pair_friction[i] *= factor;
}

static ph_status apply_number(ph_sim *sim, const ph_change *change) {
  mjOption *option = &sim->m->opt;
  const char *name = change->name;
  if (!strcmp(name, "timestep"))
    option->timestep = change->value;
  else if (!strcmp(name, "iterations"))
    option->iterations = (int)change->value;
  else if (!strcmp(name, "tolerance"))
    option->tolerance = change->value;
  else if (!strncmp(name, "gravity.", 8))
    option->gravity[name[8] - 'x'] = change->value;
  else if (!strcmp(name, "friction"))
    apply_friction(sim->m, change->value);
  else if (!strncmp(name, "friction:", 9))
    return apply_named_friction(sim, change);
  else
#if mjVERSION_HEADER >= 300
    option->ls_iterations = (int)change->value;
#else
    return ph_fail(PH_EMISMATCH, "change: %s: MuJoCo %s has none", name, ph_engine_version());
#endif
  return PH_OK;
}

static ph_status apply_one(ph_sim *sim, const ph_change *change) {
  if (is_enum(change->name))
    return apply_enum(&sim->m->opt, change);
  ph_status status = check_number(change);
  return status == PH_OK ? apply_number(sim, change) : status;
}

ph_status ph_rerun_apply(ph_sim *sim, const ph_change *changes, size_t n) {
  ph_status status = n > 0 ? ph_sim_private_model(sim) : PH_OK;
  for (size_t i = 0; status == PH_OK && i < n; i++)
    status = apply_one(sim, &changes[i]);
  sim->stale = sim->stale || n > 0;
  return status;
}
