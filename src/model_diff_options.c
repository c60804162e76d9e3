#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mj_words.h"
#include "model_diff.h"

/* Units as they are written behind a number. */
static const struct {
  const char *option, *unit;
} units[] = {
    {"timestep", " s"},     {"gravity", " m/s^2"},  {"wind", " m/s"},
    {"density", " kg/m^3"}, {"viscosity", " Pa s"}, {"o_margin", " m"},
};

static const char *unit_of(const char *option) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(units[i].option, option))
      return units[i].unit;
  return "";
}

/* --- numbers --- */

static void number(ph_differ *d, const char *name, double a, double b) {
  char was[40], is[40];
  const char *unit = unit_of(name);
  if (memcmp(&a, &b, sizeof a) == 0)
    return;
  ph_value_number(was, sizeof was, a, b);
  ph_value_number(is, sizeof is, b, a);
  ph_differ_add(d, false, "%s %s%s -> %s%s", name, was, unit, is, unit);
}

static void vector(ph_differ *d, const char *name, const mjtNum *a, const mjtNum *b, int n) {
  static const char *const axis[] = {".x", ".y", ".z"};
  char text[60];
  for (int i = 0; i < n; i++) {
    const char *unit = unit_of(name);
    char was[40], is[40];
    if (memcmp(&a[i], &b[i], sizeof *a) == 0)
      continue;
    if (n == 3)
      snprintf(text, sizeof text, "%s%s", name, axis[i]);
    else
      snprintf(text, sizeof text, "%s[%d]", name, i);
    ph_value_number(was, sizeof was, a[i], b[i]);
    ph_value_number(is, sizeof is, b[i], a[i]);
    ph_differ_add(d, false, "%s %s%s -> %s%s", text, was, unit, is, unit);
  }
}

/* --- integers --- */

static const char *on_off(int flags, int bit, bool on) {
  return (((flags >> bit) & 1) != 0) == on ? "on" : "off";
}

/* Bits that the engine has names for, one line each; on: what a set bit means. */
static void flags(ph_differ *d, int a, int b, const char **names, int n, bool on) {
  for (int i = 0; i < n; i++)
    if (((a ^ b) >> i) & 1) {
      const char *name = names[i];
      ph_differ_add(d, false, "flag %c%s: %s -> %s", tolower((unsigned char)name[0]),
                    name[0] ? name + 1 : "", on_off(a, i, on), on_off(b, i, on));
    }
  if ((a ^ b) >> n)
    ph_differ_add(d, false, "flags 0x%x -> 0x%x", (unsigned)a, (unsigned)b);
}

static void integer(ph_differ *d, const char *name, int a, int b) {
  const char *was = ph_mj_word_of(name, a), *is = ph_mj_word_of(name, b);
  if (a == b)
    return;
  if (!strcmp(name, "disableflags"))
    flags(d, a, b, mjDISABLESTRING, mjNDISABLE, false);
  else if (!strcmp(name, "enableflags"))
    flags(d, a, b, mjENABLESTRING, mjNENABLE, true);
  else if (was && is)
    ph_differ_add(d, false, "%s %s -> %s", name, was, is);
  else
    ph_differ_add(d, false, "%s %d -> %d", name, a, b);
}

static void field(ph_differ *d, const char *name, const void *a, const void *b, size_t size,
                  bool whole, int n) {
  if (whole && n == 1 && size == sizeof(int))
    integer(d, name, *(const int *)a, *(const int *)b);
  else if (!whole && n == 1)
    number(d, name, *(const mjtNum *)a, *(const mjtNum *)b);
  else if (!whole)
    vector(d, name, a, b, n);
  else if (memcmp(a, b, size))
    ph_differ_add(d, false, "%s is another", name);
}

#define WHOLE(value) _Generic((value), mjtNum : false, mjtNum * : false, default : true)

void ph_differ_options(ph_differ *d) {
  const mjOption *a = &d->ma->opt, *b = &d->mb->opt;
#ifdef MJOPTION_FIELDS
#define X(type, name, n)                                                                           \
  field(d, #name, &a->name, &b->name, sizeof a->name, WHOLE(((mjOption *)0)->name), n);
#define XVEC X
  MJOPTION_FIELDS
#undef XVEC
#undef X
#else
#define X(type, name)                                                                              \
  field(d, #name, &a->name, &b->name, sizeof a->name, WHOLE(((mjOption *)0)->name), 1);
  MJOPTION_SCALARS
#undef X
#define X(name, n) field(d, #name, a->name, b->name, sizeof a->name, false, n);
  MJOPTION_VECTORS
#undef X
#endif
#if mjVERSION_HEADER < 300
  integer(d, "njmax", d->ma->njmax, d->mb->njmax);
  integer(d, "nconmax", d->ma->nconmax, d->mb->nconmax);
#endif
}
