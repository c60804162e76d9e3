#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_info table[CMD_COUNT] = {
#define COMMAND(id, name, keys, args, flags, group, help) {name, keys, args, flags, group, help},
#include "commands.def"
#undef COMMAND
};

const struct command_info *command_info(enum command cmd) {
  return cmd < CMD_COUNT ? &table[cmd] : NULL;
}

enum command command_find(const char *name) {
  for (int i = 0; i < CMD_COUNT; i++)
    if (strcmp(table[i].name, name) == 0)
      return (enum command)i;
  return CMD_NONE;
}

/* Edits that turn a into b, of at most 32 bytes each. */
static int distance(const char *a, const char *b) {
  int row[33];
  int na = (int)strnlen(a, 32), nb = (int)strnlen(b, 32);
  for (int j = 0; j <= nb; j++)
    row[j] = j;
  for (int i = 1; i <= na; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = corner + (a[i - 1] != b[j - 1]);
      best = row[j] + 1 < best ? row[j] + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[nb];
}

static bool is_near(const char *typed, const char *name) {
  size_t n = strlen(typed);
  if (n >= 2 && strstr(name, typed))
    return true;
  return distance(typed, name) <= (n < 5 ? 1 : 2);
}

const char *command_near(const char *name, char *buf, size_t size) {
  size_t n = 0;
  int found = 0;
  snprintf(buf, size, "%s", "");
  for (int i = 0; i < CMD_COUNT && found < 4 && n < size; i++)
    if (is_near(name, table[i].name)) {
      n += (size_t)snprintf(buf + n, size - n, "%s%s", found ? ", " : "near: ", table[i].name);
      found++;
    }
  return buf;
}

static bool map_add(struct keymap *map, uint32_t key, enum command cmd, const char *args) {
  size_t at = 0;
  while (at < map->n && map->binding[at].key != key)
    at++;
  if (at == sizeof map->binding / sizeof *map->binding)
    return false;
  map->n += at == map->n;
  map->binding[at] = (struct binding){.key = key, .cmd = cmd};
  snprintf(map->binding[at].args, sizeof map->binding[at].args, "%s", args);
  return true;
}

static bool map_remove(struct keymap *map, uint32_t key) {
  for (size_t i = 0; i < map->n; i++)
    if (map->binding[i].key == key) {
      memmove(&map->binding[i], &map->binding[i + 1], (map->n - i - 1) * sizeof *map->binding);
      map->n--;
      return true;
    }
  return false;
}

void keymap_default(struct keymap *map) {
  map->n = 0;
  for (int i = 0; i < CMD_COUNT; i++) {
    char keys[64], *rest = NULL;
    snprintf(keys, sizeof keys, "%s", table[i].keys);
    for (char *name = strtok_r(keys, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
      map_add(map, key_from_name(name), (enum command)i, "");
  }
}

static bool say(char *error, size_t size, const char *what, const char *name, const char *more) {
  snprintf(error, size, "%s \"%s\"%s%s", what, name, *more ? "; " : "", more);
  return false;
}

/* A key that may be bound; digits type numbers, Esc must always cancel. */
static bool bindable(uint32_t *key, const char *name, char *error, size_t size) {
  *key = key_from_name(name);
  if (*key == KEY_NONE_)
    return say(error, size, "no key is called", name, "keys look like n, Right, C-l, F1, Space");
  if ((*key >= '0' && *key <= '9') || *key == KEY_ESC_ || *key == 3)
    return say(error, size, "this key cannot be bound:", name, "");
  return true;
}

static const char forms[] = "expected \"bind KEY COMMAND [ARGUMENTS]\" or \"unbind KEY\"";

/* The next word of *text, cut to size; *text moves behind it and the blanks that follow. */
static bool next_word(const char **text, char *word, size_t size) {
  static const char blank[] = " \t\r\n";
  const char *p = *text + strspn(*text, blank);
  size_t n = strcspn(p, blank);
  snprintf(word, size, "%.*s", (int)(n < size ? n : size - 1), p);
  *text = p + n + strspn(p + n, blank);
  return n > 0;
}

static bool bind_words(struct keymap *map, uint32_t key, const char *rest, char *error,
                       size_t size) {
  char command[64], hints[200], args[BINDING_ARGS];
  size_t n;
  if (!next_word(&rest, command, sizeof command)) {
    snprintf(error, size, "no command is named; %s", forms);
    return false;
  }
  for (n = strlen(rest); n > 0 && strchr(" \t\r\n", rest[n - 1]);)
    n--;
  enum command cmd = command_find(command);
  if (cmd == CMD_NONE)
    return say(error, size, "no command is called", command,
               command_near(command, hints, sizeof hints));
  if (n >= sizeof args) {
    snprintf(error, size, "the arguments of %s are too long: at most %zu bytes", command,
             sizeof args - 1);
    return false;
  }
  snprintf(args, sizeof args, "%.*s", (int)n, rest);
  if (n && !*table[cmd].args) {
    snprintf(error, size, "%s takes no arguments, got \"%s\"", command, args);
    return false;
  }
  return map_add(map, key, cmd, args) ||
         say(error, size, "too many keys are bound already:", command, "");
}

bool keymap_line(struct keymap *map, const char *line, char *error, size_t size) {
  char verb[16], name[32];
  uint32_t key;
  snprintf(error, size, "%s", "");
  next_word(&line, verb, sizeof verb);
  bool binds = strcmp(verb, "bind") == 0;
  if (!binds && strcmp(verb, "unbind") != 0)
    return say(error, size, "this is neither bind nor unbind:", verb, forms);
  if (!next_word(&line, name, sizeof name)) {
    snprintf(error, size, "no key is named; %s", forms);
    return false;
  }
  if (!bindable(&key, name, error, size))
    return false;
  if (binds)
    return bind_words(map, key, line, error, size);
  if (*line) {
    snprintf(error, size, "unbind takes one key, got more: \"%.60s\"", line);
    return false;
  }
  return map_remove(map, key) || say(error, size, "nothing is bound to", name, "");
}

void keymap_load(struct keymap *map, const char *path,
                 void (*bad)(void *arg, int line, const char *error), void *arg) {
  char line[256], error[300];
  FILE *file = fopen(path, "re");
  if (!file) {
    if (errno != ENOENT && errno != ENOTDIR)
      bad(arg, 0, strerror(errno));
    return;
  }
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    if (!strchr(line, '\n') && !feof(file)) {
      bad(arg, number, "the line is too long");
      for (int c = 0; c != '\n' && c != EOF;)
        c = fgetc(file);
      continue;
    }
    const char *text = line + strspn(line, " \t\r\n");
    if (*text && *text != '#' && !keymap_line(map, text, error, sizeof error))
      bad(arg, number, error);
  }
  if (ferror(file))
    bad(arg, 0, strerror(errno));
  fclose(file);
}

const struct binding *keymap_binding(const struct keymap *map, uint32_t key) {
  for (size_t i = 0; i < map->n; i++)
    if (map->binding[i].key == key)
      return &map->binding[i];
  return NULL;
}

enum command keymap_find(const struct keymap *map, uint32_t key) {
  const struct binding *binding = keymap_binding(map, key);
  return binding ? binding->cmd : CMD_NONE;
}

const char *keymap_key(const struct keymap *map, enum command cmd, char *buf, size_t size) {
  snprintf(buf, size, "%s", "");
  for (size_t i = 0; i < map->n; i++)
    if (map->binding[i].cmd == cmd && !map->binding[i].args[0])
      return key_name(map->binding[i].key, buf, size);
  return buf;
}

/* A bar would end a table's cell. */
static void put_cell(FILE *out, const char *text) {
  for (; *text; text++)
    fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
}

char *command_table_markdown(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "| keys | command | what it does |\n|---|---|---|\n");
  for (int i = 0; i < CMD_COUNT; i++) {
    char keys[64], *rest = NULL;
    snprintf(keys, sizeof keys, "%s", table[i].keys);
    fprintf(out, "| ");
    for (char *name = strtok_r(keys, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
      fprintf(out, "`%s` ", name);
    fprintf(out, "| `%s%s", table[i].name, *table[i].args ? " " : "");
    put_cell(out, table[i].args);
    fprintf(out, "` | ");
    put_cell(out, table[i].help);
    fprintf(out, " |\n");
  }
  if (fclose(out)) {
    free(text);
    return NULL;
  }
  return text;
}
