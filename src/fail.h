/* Setting the thread's error text. The text is set where the error is found; callers on the way
 * up may only put a WHERE in front of it. */
#ifndef PLAYHEAD_FAIL_H
#define PLAYHEAD_FAIL_H

#include <stddef.h>

#include <playhead/status.h>

/* Sets "WHERE: WHAT: WHY" and returns status. Control characters are escaped, one line. */
ph_status ph_fail(ph_status status, const char *fmt, ...) PH_PRINTF(2, 3);

/* Puts "<fmt>: " in front of the text that is there and returns status. */
ph_status ph_fail_in(ph_status status, const char *fmt, ...) PH_PRINTF(2, 3);

/* Copies src into dst with control characters, marks that nobody sees (of direction, zero width,
 * tags; not the joiners) and invalid UTF-8 written as \xNN, byte for byte; always ends it. */
void ph_escape(char *dst, size_t size, const char *src, size_t n);

#endif
