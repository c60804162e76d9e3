#include "mjcf_number.h"

#include <stdlib.h>
#include <string.h>

/* Attributes of real numbers, sorted. Whole numbers are not here: a comma behind one is taken by
 * the engine. */
static const char *const numbers[] = {
    "act",          "actrange",     "actuatorfrcrange",
    "ambient",      "anchor",       "apirate",
    "area",         "armature",     "attenuation",
    "axis",         "axisangle",    "azimuth",
    "bias",         "biasprm",      "bindpos",
    "bindquat",     "boundinertia", "boundmass",
    "center",       "coef",         "cranklength",
    "ctrl",         "ctrlrange",    "cutoff",
    "damping",      "data",         "density",
    "diameter",     "diaginertia",  "diffuse",
    "dir",          "divisor",      "dynprm",
    "emission",     "euler",        "exponent",
    "extent",       "fitscale",     "fluidcoef",
    "force",        "forcerange",   "fovy",
    "fpmax",        "friction",     "frictionloss",
    "fromto",       "fullinertia",  "fvmax",
    "gain",         "gainprm",      "gap",
    "gear",         "gravity",      "impratio",
    "inflate",      "ipd",          "kp",
    "kv",           "lengthrange",  "lmax",
    "lmin",         "magnetic",     "margin",
    "markrgb",      "mass",         "meaninertia",
    "meanmass",     "meansize",     "mpos",
    "mquat",        "noise",        "normal",
    "o_margin",     "o_solimp",     "o_solref",
    "offset",       "polycoef",     "pos",
    "prm",          "qpos",         "quat",
    "qvel",         "random",       "range",
    "ref",          "reflectance",  "refpos",
    "refquat",      "relpose",      "rgb1",
    "rgb2",         "rgba",         "scale",
    "settotalmass", "shininess",    "size",
    "solimp",       "solimpfix",    "solimpfriction",
    "solimplimit",  "solimpsmooth", "solmix",
    "solref",       "solreffix",    "solreffriction",
    "solreflimit",  "solrefsmooth", "spacing",
    "specular",     "springdamper", "springlength",
    "springref",    "stiffness",    "texcoord",
    "texrepeat",    "time",         "timeconst",
    "timestep",     "tolerance",    "torquescale",
    "user",         "vertex",       "vertweight",
    "viscosity",    "vmax",         "width",
    "wind",         "xyaxes",       "zaxis",
};

static int by_name(const void *key, const void *item) {
  return strcmp(key, *(const char *const *)item);
}

bool ph_mjcf_is_number(const char *element, const char *attribute) {
  bool text = strcmp(attribute, "data") == 0 && strcmp(element, "numeric") != 0;
  return !text && bsearch(attribute, numbers, sizeof numbers / sizeof *numbers, sizeof *numbers,
                          by_name) != NULL;
}

/* Length of a decimal number at the start; 0: none. */
static size_t number_length(const char *text) {
  size_t n = strspn(text, "+-"), digits = strspn(text + n, "0123456789");
  if (n > 1)
    return 0;
  n += digits;
  if (text[n] == '.') {
    size_t fraction = strspn(text + n + 1, "0123456789");
    digits += fraction;
    n += 1 + fraction;
  }
  if (digits == 0)
    return 0;
  if (text[n] == 'e' || text[n] == 'E') {
    size_t sign = strspn(text + n + 1, "+-"), power = strspn(text + n + 1 + sign, "0123456789");
    n += sign <= 1 && power > 0 ? 1 + sign + power : 0;
  }
  return n;
}

/* What Python puts in front of a number in a list. */
static size_t prefix_length(const char *text) {
  static const char *const prefixes[] = {"np.float64", "np.float32"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0 && text[strlen(prefixes[i])] == '(')
      return strlen(prefixes[i]);
  return 0;
}

char *ph_mjcf_plain_numbers(const char *value) {
  static const char between[] = " \t\r\n[](),";
  char *out = strpbrk(value, "[](),") ? malloc(strlen(value) + 1) : NULL;
  size_t n = 0;
  for (const char *at = value; out && *at;) {
    size_t skip = strspn(at, between);
    skip += prefix_length(at + skip);
    size_t number = skip ? 0 : number_length(at);
    bool ends = number > 0 && (at[number] == 0 || strchr(between, at[number]));
    if (ends) {
      if (n > 0)
        out[n++] = ' ';
      memcpy(out + n, at, number);
      n += number;
    } else if (skip == 0) {
      free(out);
      return NULL;
    }
    at += ends ? number : skip;
  }
  if (out)
    out[n] = 0;
  if (n == 0) {
    free(out);
    return NULL;
  }
  return out;
}
