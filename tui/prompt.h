/* A line being edited: text, cursor, history, completion. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROMPT_SIZE 512
#define PROMPT_HISTORY 50

struct prompt {
  bool open;
  char text[PROMPT_SIZE]; /* UTF-8, ends with 0 */
  size_t cursor;          /* byte */
  char history[PROMPT_HISTORY][PROMPT_SIZE];
  int nhistory, at; /* at == nhistory: the line itself */
  char saved[PROMPT_SIZE];
  bool plain;     /* no history, no completion: a filter */
  char hint[256]; /* what Tab found, "" nothing */
  /* Words that may follow a command and are in no table: the i-th, "" none at this place, NULL past
   * the last. Nullable. */
  const char *(*names)(const void *arg, const char *verb, int i);
  const void *names_arg; /* borrowed */
};

enum prompt_result { PROMPT_EDITING, PROMPT_DONE, PROMPT_CANCELED };

void prompt_open(struct prompt *p, const char *text);
/* Takes a key; DONE: p->text is the line (history has it). */
enum prompt_result prompt_key(struct prompt *p, uint32_t key);

#endif
