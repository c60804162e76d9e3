/* The only door to jansson. */
#ifndef PLAYHEAD_JSON_H
#define PLAYHEAD_JSON_H

#include <jansson.h>

#include <playhead/status.h>

/* A number with round-trip precision; null when it is not finite. */
json_t *ph_json_number(double value);
/* "" becomes null. */
json_t *ph_json_text(const char *text);
/* One object on stdout-like stream, compact, newline; frees it. PH_EIO. */
ph_status ph_json_write(json_t *object, void *file);
/* Reads a small file; NULL on any failure, ph_error() says why. */
json_t *ph_json_read(const char *path);

#endif
