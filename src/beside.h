/* Where what is known about a source is kept: the source itself is never written to. */
#ifndef PLAYHEAD_BESIDE_H
#define PLAYHEAD_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

enum { PH_BESIDE = 600 };

/* "<source><ending>" into file, "<state folder>/playhead/<name>-<hash of the path><ending>" into
 * other ("" where there is no such folder); where the source's folder cannot be written to they
 * change places. Whether they did. */
bool ph_beside(char file[PH_BESIDE], char other[PH_BESIDE], const char *source, const char *ending);

#endif
