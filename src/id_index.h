/* Which of many names is at which place: names of one array of structs, looked up by halves. */
#ifndef PLAYHEAD_ID_INDEX_H
#define PLAYHEAD_ID_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

/* Zero it where it may be cleared unmade. The names are borrowed and may not change. */
typedef struct ph_id_index {
  const char *first; /* name of place 0 */
  size_t stride, n;  /* bytes from one name to the next */
  size_t *at;        /* owned: places in order of names, of equal ones in order of places */
  size_t compared;   /* names that were compared so far */
} ph_id_index;

/* PH_ENOMEM. */
PH_API ph_status ph_id_index_make(ph_id_index *out, const char *first, size_t stride, size_t n);
/* The first place of that name; SIZE_MAX: none. */
PH_API size_t ph_id_index_find(ph_id_index *index, const char *name);
PH_API void ph_id_index_clear(ph_id_index *index);

#endif
