/* MJCF as bytes: what is done before and after it is a tree. */
#ifndef PLAYHEAD_MJCF_TEXT_H
#define PLAYHEAD_MJCF_TEXT_H

#include <stdio.h>

#include <playhead/status.h>

/* Blanks comments and processing instructions in place, line breaks kept (MuJoCo allows "--" in a
 * comment and any encoding beside it; XML does not). PH_EFORMAT: a zero byte, an unclosed comment.
 * PH_EREFUSED: a document type declaration. */
ph_status ph_mjcf_blank(char *text, size_t size, const char *where);

/* Writes an attribute's value with what XML asks for escaped. */
void ph_mjcf_put_value(FILE *out, const char *value);

#endif
