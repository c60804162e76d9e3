#include "prompt.h"

#include "command.h"
#include "snapshot.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

void prompt_open(struct prompt *p, const char *text) {
  p->open = true;
  snprintf(p->text, sizeof p->text, "%s", text);
  p->cursor = strlen(p->text);
  p->at = p->nhistory;
  p->plain = false;
  p->hint[0] = 0;
}

static size_t before(const struct prompt *p, size_t at) {
  while (at > 0 && (p->text[--at] & 0xc0) == 0x80) {
  }
  return at;
}

static size_t after(const struct prompt *p, size_t at) {
  if (p->text[at])
    at++;
  while ((p->text[at] & 0xc0) == 0x80)
    at++;
  return at;
}

static void cut(struct prompt *p, size_t from, size_t to) {
  memmove(p->text + from, p->text + to, strlen(p->text + to) + 1);
  p->cursor = from;
}

static bool insert(struct prompt *p, const char *text, size_t n) {
  size_t length = strlen(p->text);
  if (length + n >= sizeof p->text)
    return false;
  memmove(p->text + p->cursor + n, p->text + p->cursor, length - p->cursor + 1);
  memcpy(p->text + p->cursor, text, n);
  p->cursor += n;
  return true;
}

static size_t word_before(const struct prompt *p) {
  size_t at = p->cursor;
  while (at > 0 && p->text[at - 1] == ' ')
    at--;
  while (at > 0 && p->text[at - 1] != ' ')
    at--;
  return at;
}

static void remember(struct prompt *p) {
  if (p->plain || !p->text[0])
    return;
  if (p->nhistory && strcmp(p->history[p->nhistory - 1], p->text) == 0)
    return;
  if (p->nhistory == PROMPT_HISTORY) {
    memmove(p->history, p->history + 1, sizeof p->history - sizeof *p->history);
    p->nhistory--;
  }
  memcpy(p->history[p->nhistory++], p->text, sizeof p->text);
}

static void walk_history(struct prompt *p, int by) {
  int to = p->at + by;
  if (p->plain || to < 0 || to > p->nhistory)
    return;
  if (p->at == p->nhistory)
    memcpy(p->saved, p->text, sizeof p->saved);
  p->at = to;
  memcpy(p->text, to == p->nhistory ? p->saved : p->history[to], sizeof p->text);
  p->cursor = strlen(p->text);
}

/* The i-th word that may stand at a place of the line: its number `word` and the words before it.
 */
static const char *candidate(const struct prompt *p, const char *verb, int word, int i) {
  static const char *const settings[] = {"ascii", "scheme", "speed"};
  if (word == 0 || (word == 2 && strcmp(verb, "bind") == 0))
    return i < CMD_COUNT ? command_info((enum command)i)->name : NULL;
  if (word == 1 && strcmp(verb, "set") == 0)
    return i < 3 ? settings[i] : NULL;
  if (word >= 1 && strcmp(verb, "event-kinds") == 0)
    return i < EVENT_KIND_COUNT ? event_name((enum event_kind)i) : NULL;
  return word >= 1 && p->names ? p->names(p->names_arg, verb, i) : NULL;
}

static int words_before(const char *text, size_t n) {
  int words = 0;
  for (size_t i = 0; i < n; i++)
    words += text[i] != ' ' && (i + 1 == n || text[i + 1] == ' ');
  return words;
}

static size_t common(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  return n;
}

/* What may stand for the word that is typed: how many words, and what is common to them. */
struct match {
  int found;
  const char *first;
  size_t same; /* bytes of `first` that all begin with */
};

/* Words that begin with what is typed, or have it inside. The hint lists them. */
static struct match match_words(struct prompt *p, size_t from, bool inside) {
  struct match m = {0};
  char verb[32] = "", typed[PROMPT_SIZE];
  size_t hint = 0;
  int word = words_before(p->text, from);
  const char *name;
  sscanf(p->text, "%31s", verb);
  snprintf(typed, sizeof typed, "%.*s", (int)(p->cursor - from), p->text + from);
  for (int i = 0; (name = candidate(p, verb, word, i)); i++) {
    bool fits = inside ? text_contains(name, typed) : strncmp(name, typed, strlen(typed)) == 0;
    if (!*name || !fits)
      continue;
    m.same =
        m.found ? (common(m.first, name) < m.same ? common(m.first, name) : m.same) : strlen(name);
    m.first = m.found ? m.first : name;
    m.found++;
    if (hint < sizeof p->hint)
      hint +=
          (size_t)snprintf(p->hint + hint, sizeof p->hint - hint, "%s%s", hint ? " " : "", name);
  }
  return m;
}

/* Commands are completed from their beginning; a name of the episode by any part of it, for it
 * often begins as many others do. */
static void complete(struct prompt *p) {
  size_t from = p->cursor;
  while (from > 0 && p->text[from - 1] != ' ')
    from--;
  struct match m = match_words(p, from, false);
  if (m.found == 0 && from > 0 && p->cursor > from && p->names) {
    m = match_words(p, from, true);
    if (m.found > 1)
      return;
    if (m.found == 1)
      cut(p, from, p->cursor);
  }
  if (m.found == 0) {
    snprintf(p->hint, sizeof p->hint, "%s", "nothing to complete");
    return;
  }
  size_t typed = p->cursor - from;
  insert(p, m.first + typed, m.same - typed);
  if (m.found == 1) {
    p->hint[0] = 0;
    if (p->text[p->cursor] != ' ')
      insert(p, " ", 1);
  }
}

static enum prompt_result done(struct prompt *p, enum prompt_result result) {
  if (result == PROMPT_DONE)
    remember(p);
  p->open = false;
  return result;
}

/* Keys that move or cut; false: it is none. */
static bool edit(struct prompt *p, uint32_t key) {
  switch (key) {
  case KEY_LEFT_:
  case 2:
    p->cursor = before(p, p->cursor);
    return true;
  case KEY_RIGHT_:
  case 6:
    p->cursor = after(p, p->cursor);
    return true;
  case KEY_HOME_:
  case 1:
    p->cursor = 0;
    return true;
  case KEY_END_:
  case 5:
    p->cursor = strlen(p->text);
    return true;
  case KEY_UP_:
  case 16:
    walk_history(p, -1);
    return true;
  case KEY_DOWN_:
  case 14:
    walk_history(p, 1);
    return true;
  case KEY_BACKSPACE_:
  case 8:
    cut(p, before(p, p->cursor), p->cursor);
    return true;
  case KEY_DELETE_:
  case 4: {
    size_t at = p->cursor;
    cut(p, at, after(p, at));
    return true;
  }
  case 11:
    p->text[p->cursor] = 0;
    return true;
  case 21:
    cut(p, 0, p->cursor);
    return true;
  case 23:
    cut(p, word_before(p), p->cursor);
    return true;
  default:
    return false;
  }
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key) {
  char text[5];
  p->hint[0] = 0;
  if (key == KEY_ENTER_)
    return done(p, PROMPT_DONE);
  if (key == KEY_ESC_ || key == 3)
    return done(p, PROMPT_CANCELED);
  if ((key == KEY_BACKSPACE_ || key == 8) && !p->text[0])
    return done(p, PROMPT_CANCELED);
  if (key == KEY_TAB_) {
    if (!p->plain)
      complete(p);
  } else if (!edit(p, key) && key >= 32 && (key < 127 || key >= 0xa0)) {
    size_t n = key_utf8(key, text);
    if (n && !insert(p, text, n))
      snprintf(p->hint, sizeof p->hint, "%s", "the line is full");
  }
  return PROMPT_EDITING;
}
