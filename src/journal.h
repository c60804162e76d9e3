/* The journal of one env: the rows of its running episode, in a preallocated file that is mapped
 * window by window, so that memory and cost of a row are constant however long it gets and a killed
 * process loses no complete row. Format of env<III>.journal, all numbers in the order of bytes that
 * the head names:
 *   head     magic "PHJRNL1\n", byte order mark, version, size of the head, size of a record,
 * nonce, JSON text (run_id, hashes, env, episode, seed, facts, row layout by name), model edits,
 *            CRC-32
 *   record t step (u64), its columns in the order of the layout, CRC-32 started with the nonce
 * The nonce differs for every episode, so records that an earlier episode left are none of this
 * one. The first record that does not check is the end. Belongs to one thread. */
#ifndef PLAYHEAD_JOURNAL_H
#define PLAYHEAD_JOURNAL_H

#include <playhead/episode.h>

typedef struct ph_journal ph_journal;

/* What a head says. meta: run_id, hashes, env_id, episode, seed, dims, hold, recipe, derived,
 * engine, env_name, control_dt, timestep, writer, created, substrate, rng. */
typedef struct ph_journal_head {
  ph_episode_meta meta;
  uint32_t columns; /* PH_COL_BIT of the columns of a record */
  ph_edit *edits;
  size_t nedits;
} ph_journal_head;

/* A new file, with room for some records; made with O_EXCL where `fresh`, else what is there is
 * taken over. PH_EEXIST, PH_EIO (no room, no permission), PH_ENOMEM. The caller's. */
ph_status ph_journal_create(ph_journal **out, const char *path, bool fresh);
/* Starts an episode: what was in the file is void. */
ph_status ph_journal_start(ph_journal *journal, const ph_journal_head *head, size_t payload);
/* Place for the payload of the next record, in the map; NULL and ph_error(): it has no room and the
 * file cannot grow. It counts once it is sealed: then its step and CRC are written. */
void *ph_journal_next(ph_journal *journal);
void ph_journal_seal(ph_journal *journal);
int64_t ph_journal_count(const ph_journal *journal);
/* Copies the payloads of n records, from first. PH_EIO. */
ph_status ph_journal_read(const ph_journal *journal, int64_t first, int64_t n, void *out);
/* Gives the file another name, without replacing one; it goes on being this journal's. */
ph_status ph_journal_rename(ph_journal *journal, const char *path);
const char *ph_journal_path(const ph_journal *journal);
void ph_journal_close(ph_journal *journal, bool remove); /* Nullable */

/* A journal that somebody left, to be read only; head.edits, the caller's (ph_journal_head_clear).
 * PH_EFORMAT: it is none, or of a later version. PH_ECORRUPT: its head does not check. PH_EIO. */
ph_status ph_journal_open(ph_journal **out, ph_journal_head *head, const char *path);
void ph_journal_head_clear(ph_journal_head *head);

#endif
