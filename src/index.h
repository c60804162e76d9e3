/* A run's list of episodes: append-only records with a CRC each. Rebuilt from the folder when the
 * two disagree; the folder is right. */
#ifndef PLAYHEAD_INDEX_H
#define PLAYHEAD_INDEX_H

#include <playhead/store.h>

/* Name of an episode file in a run directory: env<III>_ep<NNNNNN>_<A>.h5 */
void ph_index_file_name(char *out, size_t size, int env_id, int64_t episode, int64_t actions);
/* Parses such a name; false if it is none. */
bool ph_index_parse_name(const char *name, int *env_id, int64_t *episode, int64_t *actions);

/* Appends one record and syncs it. entry->file is the bare file name. */
ph_status ph_index_append(const char *dir, const ph_entry *entry);
/* Reads the records that check; *n entries in *out (free). A torn tail is left out. Files are
 * compared with the folder: missing records are read from the files, extra ones dropped. */
ph_status ph_index_load(ph_entry **out, size_t *n, const char *dir);

#endif
