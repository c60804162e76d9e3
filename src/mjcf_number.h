/* Numbers of MJCF that were written as another language's lists. */
#ifndef PLAYHEAD_MJCF_NUMBER_H
#define PLAYHEAD_MJCF_NUMBER_H

#include <stdbool.h>

/* Whether an attribute holds real numbers by MJCF. */
bool ph_mjcf_is_number(const char *element, const char *attribute);
/* The numbers of a list as MJCF wants them, allocated; NULL: it is no list of numbers, or no
 * memory.
 */
char *ph_mjcf_plain_numbers(const char *value);

#endif
