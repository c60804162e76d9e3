/* Marks and notes of a person, kept beside a file in <file>.playhead.json, or under
 * $XDG_STATE_HOME/playhead/ where the folder is read-only. The source file is never touched. */
#ifndef PLAYHEAD_MARKS_H
#define PLAYHEAD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <playhead/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_mark {
  char episode[64]; /* id */
  char name;        /* a..z, A..Z, 0..9 */
  int64_t step;
} ph_mark;

typedef struct ph_note {
  char episode[64];
  int64_t step;
  char *text; /* owned */
} ph_note;

/* Those of one file. Plain data, to read; the functions below change it. Start from {0}. */
typedef struct ph_marks {
  char file[600];  /* where they are kept; "" nowhere yet */
  char other[600]; /* where they go when that folder is read-only */
  bool aside;      /* file is the one under $XDG_STATE_HOME */
  size_t nmarks, nnotes;
  ph_mark *mark;
  ph_note *note;
  struct {
    bool set;
    char episode[64];
    int64_t step;
  } last;       /* where the screen was left, if that is to be remembered */
  bool changed; /* since they were loaded or saved */
} ph_marks;

/* Loads what is kept for a source path in place of what m holds; a missing file is empty. PH_EIO,
 * PH_EFORMAT: there is a file, and it cannot be read; m is empty then. */
PH_API ph_status ph_marks_load(ph_marks *m, const char *source);
/* Writes by temporary file and rename; keys of others in the file stay. PH_EIO, PH_ENOMEM;
 * PH_EFORMAT: what is there is not written over, for it cannot be read. */
PH_API ph_status ph_marks_save(ph_marks *m);
PH_API void ph_marks_clear(ph_marks *m);

/* PH_EINVAL: no such name, a step below 0, an id that is too long. PH_ENOMEM. */
PH_API ph_status ph_marks_set(ph_marks *m, const char *episode, char name, int64_t step);
/* Removes a mark; PH_ENOTFOUND: the episode has none of that name. */
PH_API ph_status ph_marks_unset(ph_marks *m, const char *episode, char name);
/* "" removes the note. PH_EINVAL: likewise, or the text is no UTF-8. PH_ENOMEM. */
PH_API ph_status ph_marks_note(ph_marks *m, const char *episode, int64_t step, const char *text);
/* Remembers where the screen was left; episode NULL: not in this file. */
PH_API void ph_marks_leave(ph_marks *m, const char *episode, int64_t step);

/* Borrowed until the next change; NULL: none. */
PH_API const ph_mark *ph_marks_find(const ph_marks *m, const char *episode, char name);
PH_API const ph_note *ph_marks_note_at(const ph_marks *m, const char *episode, int64_t step);

#ifdef __cplusplus
}
#endif
#endif
