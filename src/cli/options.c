#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static const struct option_info table[OPTION_COUNT] = {
#define OPTION_INFO(id, name, arg, kind, field, low, high, choices, standard, help)                \
  {name, arg, kind, offsetof(struct options, field), low, high, choices, standard, help},
    OPTION_LIST(OPTION_INFO)
#undef OPTION_INFO
};

const struct option_info *option_info(enum option_id id) {
  return &table[id];
}

void option_text(const struct option_info *info, char *out, size_t size) {
  snprintf(out, size, "%s%s%s%s", info->help, info->standard ? " (default: " : "",
           info->standard ? info->standard : "", info->standard ? ")" : "");
}

struct parser {
  struct options *opt;
  uint64_t allowed;
  char *error;
  size_t size;
};

static bool refuse(const struct parser *p, const struct option_info *info, const char *value,
                   const char *why) {
  snprintf(p->error, p->size, "%s: --%s %s: %s", p->opt->verb, info->name, value, why);
  return false;
}

static bool is_choice(const char *choices, const char *value) {
  size_t n = strlen(value);
  for (const char *c = choices; *c; c += strspn(c, " ")) {
    size_t length = strcspn(c, " ");
    if (n > 0 && length == n && memcmp(c, value, n) == 0)
      return true;
    c += length;
  }
  return false;
}

/* Digits only: no sign, no blank. */
static bool whole(const char *text, uint64_t *out) {
  size_t n = strspn(text, "0123456789");
  errno = 0;
  *out = n > 0 ? strtoull(text, NULL, 10) : 0;
  return n > 0 && text[n] == 0 && errno == 0;
}

static bool set_int(const struct parser *p, const struct option_info *info, const char *value,
                    int64_t *out) {
  uint64_t number;
  char why[80];
  snprintf(why, sizeof why, "not a whole number from %.0f to %.0f", info->low, info->high);
  if (!whole(value, &number) || (double)number < info->low || (double)number > info->high)
    return refuse(p, info, value, why);
  *out = (int64_t)number;
  return true;
}

static bool set_number(const struct parser *p, const struct option_info *info, const char *value,
                       double *out) {
  char *end;
  char why[80];
  double number = strtod(value, &end);
  snprintf(why, sizeof why, "not a number%s from %g on",
           info->kind == KIND_NUMBER ? " of seconds" : "", info->low);
  if (end == value || *end || !isfinite(number) || number < info->low || number > info->high)
    return refuse(p, info, value, why);
  *out = number;
  return true;
}

static bool set_size(const struct parser *p, const struct option_info *info, const char *value) {
  char left[24];
  uint64_t cols, rows;
  const char *x = strchr(value, 'x');
  size_t n = x ? (size_t)(x - value) : 0;
  bool ok = x && n < sizeof left;
  if (ok) {
    memcpy(left, value, n);
    left[n] = 0;
  }
  if (!ok || !whole(left, &cols) || !whole(x + 1, &rows) || cols < 1 || rows < 1 ||
      (double)cols > info->high || (double)rows > info->high)
    return refuse(p, info, value, "not a size like 120x40, up to 1000x1000");
  p->opt->cols = (int64_t)cols;
  p->opt->rows = (int64_t)rows;
  return true;
}

static bool set(const struct parser *p, const struct option_info *info, const char *value) {
  void *field = (char *)p->opt + info->offset;
  switch (info->kind) {
  case KIND_FLAG:
    *(bool *)field = true;
    return true;
  case KIND_TEXT:
    *(const char **)field = value;
    return true;
  case KIND_FILE:
    *(const char **)field = value;
    return *value ? true : refuse(p, info, value, "an empty path");
  case KIND_FOLDER:
    if (field == &p->opt->assets)
      p->opt->assets[p->opt->nassets++] = value;
    else
      *(const char **)field = value;
    return *value ? true : refuse(p, info, value, "an empty path");
  case KIND_INT:
    return set_int(p, info, value, field);
  case KIND_SEED:
    return whole(value, field) ? true : refuse(p, info, value, "not a whole number below 2^64");
  case KIND_NUMBER:
  case KIND_AMOUNT:
    return set_number(p, info, value, field);
  case KIND_SIZE:
    return set_size(p, info, value);
  case KIND_CHOICE:
    if (!is_choice(info->choices, value)) {
      char why[120];
      snprintf(why, sizeof why, "not in this version, which knows %s", info->choices);
      return refuse(p, info, value, why);
    }
    *(const char **)field = value;
    return true;
  }
  return false;
}

static bool named(const struct option_info *info, const char *name, size_t n) {
  return strlen(info->name) == n && memcmp(info->name, name, n) == 0;
}

/* The verb's option of that name, else another verb's. */
static const struct option_info *find(uint64_t allowed, const char *name, size_t n, bool *ours) {
  const struct option_info *other = NULL;
  *ours = true;
  for (unsigned id = 0; id < OPTION_COUNT; id++) {
    if (!named(&table[id], name, n))
      continue;
    if (option_in(allowed, id))
      return &table[id];
    other = &table[id];
  }
  *ours = false;
  return other;
}

static bool has_named(const struct verb *verb, const char *name) {
  for (unsigned id = 0; id < OPTION_COUNT; id++)
    if (option_in(verb->options, id) && strcmp(table[id].name, name) == 0)
      return true;
  return false;
}

/* Another verb's: says whose it is. */
static bool refuse_other(const struct parser *p, const struct option_info *info) {
  size_t n = (size_t)snprintf(p->error, p->size, "%s: --%s: not an option of this verb, but of",
                              p->opt->verb, info->name);
  const char *before = " ";
  for (size_t i = 0; verb_at(i) && n < p->size; i++) {
    if (!has_named(verb_at(i), info->name))
      continue;
    n += (size_t)snprintf(p->error + n, p->size - n, "%s%s", before, verb_at(i)->name);
    before = ", ";
  }
  return false;
}

/* Takes the option in argv[*i], and its value behind it. */
static bool take(const struct parser *p, int argc, char **argv, int *i) {
  bool brief = strcmp(argv[*i], "-o") == 0, ours;
  const char *name = brief ? "out" : argv[*i] + 2, *equals = strchr(name, '=');
  size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const struct option_info *info = find(p->allowed, name, n, &ours);
  const char *value = equals ? equals + 1 : NULL;
  if (info && !ours)
    return refuse_other(p, info);
  if (!ours) {
    snprintf(p->error, p->size, "%s: --%.*s: no such option: see --help", p->opt->verb, (int)n,
             name);
    return false;
  }
  if (!info->arg && value)
    return refuse(p, info, value, "takes no value");
  if (info->arg && !value && *i + 1 < argc)
    value = argv[++*i];
  if (info->arg && !value)
    return refuse(p, info, info->arg, "the value is missing");
  return set(p, info, value);
}

/* Adds the folders of PLAYHEAD_ASSETS, separated by colons, that are there. One that is not harms
 * nothing: it may be meant for another machine. */
static void add_environment(struct options *opt) {
  char *rest = NULL;
  struct stat st;
  for (char *dir = strtok_r(opt->environment, ":", &rest); dir; dir = strtok_r(NULL, ":", &rest)) {
    bool there = stat(dir, &st) == 0 && S_ISDIR(st.st_mode);
    if (there)
      opt->assets[opt->nassets++] = dir;
    else if (opt->nlost++ == 0)
      opt->lost = dir;
  }
}

static bool prepare(struct options *opt, const char *verb, int argc) {
  const char *assets = getenv("PLAYHEAD_ASSETS");
  *opt = (struct options){.verb = verb, .hold = -1, .trim_idle = -1};
  opt->environment = strdup(assets ? assets : "");
  size_t folders = opt->environment ? strlen(opt->environment) : 0;
  opt->paths = calloc((size_t)argc + 1, sizeof *opt->paths);
  opt->assets = calloc((size_t)argc + folders + 1, sizeof *opt->assets);
  return opt->environment && opt->paths && opt->assets;
}

/* Sets what the table gives as a value; a default in words is the field's zero, or what prepare
 * set. Where two options have one field, that of the verb comes last. */
static void set_defaults(const struct parser *p, uint64_t ids) {
  for (size_t id = 0; id < OPTION_COUNT; id++) {
    enum option_kind kind = table[id].kind;
    bool number = kind == KIND_INT || kind == KIND_SEED || kind == KIND_SIZE ||
                  kind == KIND_NUMBER || kind == KIND_AMOUNT;
    bool choice = kind == KIND_CHOICE && is_choice(table[id].choices, table[id].standard);
    bool value = choice || (number && strspn(table[id].standard, "0123456789") > 0);
    if (value && option_in(ids, (unsigned)id))
      set(p, &table[id], table[id].standard);
  }
}

bool options_parse(struct options *opt, const char *verb, uint64_t allowed, int argc, char **argv,
                   char *error, size_t size) {
  struct parser p = {opt, allowed, error, size};
  bool ended = false;
  if (!prepare(opt, verb, argc)) {
    snprintf(error, size, "%s: out of memory", verb);
    return false;
  }
  set_defaults(&p, UINT64_MAX);
  set_defaults(&p, allowed);
  for (int i = 0; i < argc; i++) {
    if (ended || argv[i][0] != '-' || argv[i][1] == 0) {
      opt->paths[opt->npaths++] = argv[i];
    } else if (strcmp(argv[i], "--") == 0) {
      ended = true;
    } else if (strcmp(argv[i], "-h") == 0) {
      opt->help = true;
    } else if (argv[i][1] != '-' && strcmp(argv[i], "-o") != 0) {
      snprintf(error, size, "%s: %s: no such option: see --help", verb, argv[i]);
      return false;
    } else if (!take(&p, argc, argv, &i)) {
      return false;
    }
  }
  add_environment(opt);
  if (opt->success && opt->predicate) {
    snprintf(error, size, "%s: --success and --predicate-command: only one of them is taken", verb);
    return false;
  }
  if (opt->append && opt->overwrite) {
    snprintf(error, size, "%s: --append and --overwrite: only one of them is taken", verb);
    return false;
  }
  return true;
}

void options_free(struct options *opt) {
  free(opt->paths);
  free(opt->assets);
  free(opt->environment);
}
