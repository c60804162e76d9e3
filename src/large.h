/* Memory for long lists. */
#ifndef PLAYHEAD_LARGE_H
#define PLAYHEAD_LARGE_H

#include <stddef.h>

/* n zeroed elements, as calloc gives them; for free() and realloc(). Large pages are asked for
 * where there are many: the first touch of each small page of a long list takes longer than to fill
 * it. NULL: out of memory. */
void *ph_large(size_t n, size_t size);

#endif
