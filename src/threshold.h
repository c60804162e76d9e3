/* What a condition compares the one thing that it reads with: "< 0.1" of
 * `function(s) return s.dist("gripper", "handle") < 0.1 end`. Taken from the text: Lua itself does
 * not tell. */
#ifndef PLAYHEAD_THRESHOLD_H
#define PLAYHEAD_THRESHOLD_H

#include <stdbool.h>
#include <stddef.h>

/* Operator and number of a comparison, the thing that is read on its left. */
typedef struct ph_threshold {
  char compare[3]; /* "<" "<=" ">" ">=" */
  char number[24]; /* as it is written */
} ph_threshold;

/* Of an expression over `s`. False: it is anything else than one comparison of one thing that is
 * read ("s.joint.drawer", "s.dist('a', 'b')") with a number that is written there. */
bool ph_threshold_of_expression(ph_threshold *out, const char *text, size_t size);
/* Of the function that a text has from line `first` to line `last`, both from 1, which returns
 * such an expression and does nothing else. False besides: more than one function is there. */
bool ph_threshold_of_function(ph_threshold *out, const char *text, size_t size, int first,
                              int last);

#endif
