/* A run's list of episodes: append-only records with a CRC each. Whatever it says is compared with
 * the folder when it is read; the folder is right. Nothing is written by reading. */
#ifndef PLAYHEAD_INDEX_H
#define PLAYHEAD_INDEX_H

#include <playhead/store.h>

#define PH_INDEX_NAME_SIZE 72 /* room for any episode file's name */
#define PH_INDEX_RECORD 256   /* size of a record [B] */

/* Name of an episode file in a run directory: env<III>_ep<NNNNNN>_<A>.h5 */
void ph_index_file_name(char *out, size_t size, int env_id, int64_t episode, int64_t actions);
/* Parses such a name, exactly as it would be written; false if it is none. */
bool ph_index_parse_name(const char *name, int *env_id, int64_t *episode, int64_t *actions);

/* Name of a journal: env<III>.journal, or env<III>_ep<NNNNNN>.journal of an episode that has ended;
 * episode < 0: the running one. */
void ph_index_journal_name(char *out, size_t size, int env_id, int64_t episode);
/* Parses such a name, exactly as it would be written; *episode -1: the running one. */
bool ph_index_parse_journal(const char *name, int *env_id, int64_t *episode);

/* Appends one record and syncs it. entry->file is the bare file name. PH_EIO leaves the index as it
 * was, but for one that could not be synced: the record may be there. PH_EINVAL: a text does not
 * fit. */
ph_status ph_index_append(const char *dir, const ph_entry *entry);
/* The same in an open folder, wherever that is now; dir is for messages. */
ph_status ph_index_append_in(int folder, const char *dir, const ph_entry *entry);

/* One entry per episode file of the folder, by (env, episode); *n entries in *out (free). file is
 * dir/name. Facts come from the last record that checks and fits the name, else from the file's
 * attributes; a file that cannot be read is listed with its oddity, and so is an episode of which
 * there is a record and no file. A torn tail is left out. PH_EIO: the folder cannot be listed. */
ph_status ph_index_load(ph_entry **out, size_t *n, const char *dir);

/* For a run that grows. Calls visit with each record from number *next on that checks, in the order
 * of the index, as an entry whose file is dir/name; *next is then behind the last whole record.
 * Whether the file is there is for the caller to see. PH_EINVAL: the path is too long. The first
 * error of visit. */
typedef ph_status ph_index_visit(void *arg, const ph_entry *entry);
ph_status ph_index_follow(size_t *next, const char *dir, ph_index_visit *visit, void *arg);
/* The entry of a file without a record, as ph_index_load makes it: opens it. PH_EINVAL. */
ph_status ph_index_entry(ph_entry *out, const char *dir, int env_id, int64_t episode,
                         int64_t actions);

#endif
