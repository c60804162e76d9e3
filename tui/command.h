/* Commands: the table from commands.def, lookup by key and by name. */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

#include "keys.h"

enum command {
#define COMMAND(id, name, keys, args, flags, group, help) CMD_##id,
#include "commands.def"
#undef COMMAND
  CMD_COUNT,
  CMD_NONE = CMD_COUNT
};

enum command_flags {
  CF_REPEAT = 1,  /* a count before it multiplies; safe while held */
  CF_EPISODE = 2, /* needs an open episode */
  CF_PAUSE = 4,   /* stepping: pauses playback */
  CF_MARK = 8,    /* the next key names a mark */
  CF_LIVE = 16,   /* for a preview alone */
};

struct command_info {
  const char *name; /* of the prompt: "step-forward" */
  const char *keys; /* defaults, as a user would write them, separated by blanks */
  const char *args; /* "" or "STEP", "[TEXT]" */
  unsigned flags;
  const char *group;
  const char *help; /* at most 60 columns */
};

const struct command_info *command_info(enum command cmd);
enum command command_find(const char *name); /* CMD_NONE */

/* Names that a mistyped one could mean, "near: step-back, step-forward"; "" none. */
const char *command_near(const char *name, char *buf, size_t size);

#define BINDING_ARGS 64

struct binding {
  uint32_t key;
  enum command cmd;
  char args[BINDING_ARGS]; /* "" none */
};

/* Which key does what; starts with the defaults. */
struct keymap {
  size_t n;
  struct binding binding[256];
};
void keymap_default(struct keymap *map);
/* "bind KEY COMMAND [ARGUMENTS]" or "unbind KEY": one line of the keys file or of the prompt. False
 * with a sentence in error. */
bool keymap_line(struct keymap *map, const char *line, char *error, size_t size);
/* Reads a keys file: such lines, blank lines and # comments. A missing file is no error. `bad` is
 * called for each line that is none and for a file that cannot be read (line 0). */
void keymap_load(struct keymap *map, const char *path,
                 void (*bad)(void *arg, int line, const char *error), void *arg);
enum command keymap_find(const struct keymap *map, uint32_t key);
const struct binding *keymap_binding(const struct keymap *map, uint32_t key); /* NULL: free */
/* The first key of a command without arguments, as text; "" if unbound. */
const char *keymap_key(const struct keymap *map, enum command cmd, char *buf, size_t size);
/* The same picture of the table for README, man page and help: one line per command. */
char *command_table_markdown(void); /* malloc'd */

#endif
