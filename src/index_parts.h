/* What the parts of the index share: its records (index_record.c), the whole list (index.c), and a
 * run that grows (index_follow.c). */
#ifndef PLAYHEAD_INDEX_PARTS_H
#define PLAYHEAD_INDEX_PARTS_H

#include "index.h"

/* A file of the folder or a record, by what its name says. */
typedef struct ph_index_named {
  int env_id;
  int64_t episode, actions;
  size_t record; /* number in the index; SIZE_MAX: a file of the folder */
} ph_index_named;

/* "env<III>_ep<NNNNNN>"; at most 38 characters. Returns its end. */
char *ph_index_put_id(char *at, int env_id, int64_t episode);

/* False: a text does not fit. */
bool ph_index_record_put(unsigned char record[PH_INDEX_RECORD], const ph_entry *e);
/* Whether a record checks, and its name is that of an episode file with these very facts; fills all
 * of *item but its record. */
bool ph_index_record_name(ph_index_named *item, const unsigned char *record);
/* Facts of a record that checks, but for file, id and group. */
void ph_index_record_get(ph_entry *e, const unsigned char record[PH_INDEX_RECORD]);

/* Fills a zeroed entry whose file is dir/name: from its record, or, where that is NULL, from the
 * file, and what is wrong with it becomes the oddity. PH_EINVAL: the path is too long. */
ph_status ph_index_fill(ph_entry *e, const char *dir, const ph_index_named *item,
                        const unsigned char *record);

#endif
