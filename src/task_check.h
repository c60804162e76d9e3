/* What the files of a task's check share. */
#ifndef PLAYHEAD_TASK_CHECK_H
#define PLAYHEAD_TASK_CHECK_H

#include <playhead/check.h>

#include "task.h"

typedef struct ph_checking {
  ph_check *out;
  const ph_task *task;
  const ph_model *model; /* Nullable */
  ph_check_options opt;
  size_t room; /* of findings */
  bool full;   /* no memory for one */
} ph_checking;

/* Adds a finding; one with the same place and text is there once, and so is an error that differs
 * in seed and step alone. */
void ph_check_add(ph_checking *c, ph_check_kind kind, const char *where, const char *fmt, ...)
    PH_PRINTF(4, 5);
/* The same for what is only worth knowing. */
void ph_check_note(ph_checking *c, ph_check_kind kind, const char *where, const char *fmt, ...)
    PH_PRINTF(4, 5);

/* task_check_run.c: runs the episodes. */
ph_status ph_check_run(ph_checking *c);
/* task_check_names.c: looks for names in the text. */
void ph_check_names(ph_checking *c);

#endif
