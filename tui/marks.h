/* Marks and notes kept beside a file in <file>.playhead.json, or under $XDG_STATE_HOME/playhead/
 * where the folder is read-only. The source file is never touched. */
#ifndef TUI_MARKS_H
#define TUI_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mark {
  char episode[64]; /* id */
  char name;        /* a..z, A..Z, 0..9 */
  int64_t step;
};

struct note {
  char episode[64];
  int64_t step;
  char *text;
};

struct marks {
  char file[600];  /* where they are kept; "" nowhere yet */
  char other[600]; /* where they go when that folder is read-only */
  bool aside;      /* file is the one under $XDG_STATE_HOME */
  size_t nmarks, nnotes;
  struct mark *mark;
  struct note *note;
  struct {
    bool set;
    char episode[64];
    int64_t step;
  } last;       /* where Q left */
  bool changed; /* since it was loaded or saved */
};

/* Loads what is kept for a source path; a missing file is empty. False: message in error. */
bool marks_load(struct marks *m, const char *source, char *error, size_t size);
/* Writes by temporary file and rename. */
bool marks_save(struct marks *m, char *error, size_t size);
void marks_clear(struct marks *m);
bool marks_set(struct marks *m, const char *episode, char name, int64_t step);
/* Where Q left; episode NULL: not in this file. */
void marks_leave(struct marks *m, const char *episode, int64_t step);
const struct mark *marks_find(const struct marks *m, const char *episode, char name);
bool marks_note(struct marks *m, const char *episode, int64_t step,
                const char *text); /* "" removes; false: no UTF-8, no memory */
const struct note *marks_note_at(const struct marks *m, const char *episode, int64_t step);

#endif
