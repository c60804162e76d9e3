/* The line of a task's text that a message about its table is about. Lua tells the lines of code
 * only. */
#ifndef PLAYHEAD_TASK_LINE_H
#define PLAYHEAD_TASK_LINE_H

#include <stddef.h>

/* The message begins with the place: "hold_seconds: must be", "success.closed: ", "actions[2] ".
 * The line of the field in the table that the text returns (of actions: of that term), from 1; 0:
 * there is no such field in the text as it stands. */
int ph_task_line(const char *text, size_t size, const char *message);

#endif
