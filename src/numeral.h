/* JSON whose numbers stay as they are written. Python writes integers of any length, NaN and
 * Infinity, none of which jansson takes, and a decimal that is read and written again may be
 * another text: here a number is a string of its own kind until the text is written. */
#ifndef PLAYHEAD_NUMERAL_H
#define PLAYHEAD_NUMERAL_H

#include <stdbool.h>

#include "json.h"

/* As json_loadb, of any value, with NaN, Infinity and -Infinity; the caller's. Keys that come twice
 * are refused. NULL: error says why. */
json_t *ph_numeral_load(json_error_t *error, const char *text, size_t size);
/* The text, indented by 2, keys sorted, a newline at its end; the caller's (free). NULL: no memory.
 */
char *ph_numeral_dump(size_t *size, const json_t *value);
/* A number as Python writes a float: the shortest that reads back, with a point or an exponent. */
json_t *ph_numeral_of(double value);
/* As ph_json_text: a string in the midst of them. */
json_t *ph_numeral_text(const char *text);
/* Whether it is a finite number. Nullable. */
bool ph_numeral_is(const json_t *value);
/* A copy with numbers that jansson has: integers beyond 64 bits become reals, and null what is not
 * finite. NULL: no memory. */
json_t *ph_numeral_plain(const json_t *value);

#endif
