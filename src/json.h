/* The only door to jansson. Exported for the scrubber and the program, not part of the public API.
 */
#ifndef PLAYHEAD_JSON_H
#define PLAYHEAD_JSON_H

#include <jansson.h>

#include <playhead/status.h>

/* A number with round-trip precision; null when it is not finite. */
PH_API json_t *ph_json_number(double value);
/* "" becomes null. */
PH_API json_t *ph_json_text(const char *text);
/* One object on stdout-like stream, compact, newline; frees it. PH_EIO. */
PH_API ph_status ph_json_write(json_t *object, void *file);
/* Reads a small file; NULL on any failure, ph_error() says why. */
PH_API json_t *ph_json_read(const char *path);

#endif
