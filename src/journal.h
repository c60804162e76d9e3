/* The journal of one env: the rows of its running episode, in a preallocated file that is mapped
 * window by window, so that memory and cost of a row are constant however long it gets and a killed
 * process loses no complete row. Format of env<III>.journal, all numbers in the order of bytes that
 * the head names:
 *   head      0 magic "PHJRNL1\n"   8 byte order mark u32 0x01020304   12 version u32
 *            16 size of the head u64   24 size of a record u64   32 nonce u64
 *            40 size of the text u64   48 size of the edits u64
 *            56 JSON text (run_id, hashes, env, episode, seed, facts, row layout by name), then for
 *            each model edit: field[40], type u32, 0 u32, shape i64[2], its bytes;
 *            the last four bytes are the CRC-32 of all before them
 *   record t step u64, its columns in the order of the layout, zeros, and in the last four bytes
 *            the CRC-32 of the nonce and all before them
 * Head and records have sizes that are multiples of 8. The nonce differs for every episode, so
 * records that an earlier episode left are none of this one. The first record that does not check
 * is the end. A file without a byte, or whose magic is zeros, is void: no episode is in it; the
 * magic of a head is written after the rest of it. Belongs to one thread.
 *
 * A store into a mapped page that the file has no more, or that the disk does not take, is a
 * SIGBUS, which only a signal handler could survive, and the library installs none. So a window is
 * looked at, stretch by stretch, before an episode's rows get there: it is within the file, its
 * room is allocated and its pages are there for writing, and what stands against that is an error
 * (PH_EIO). The first window stays mapped between episodes, and is looked at again in each. What
 * remains is a file that somebody cuts off, or a device that fails, while its window is in use: the
 * process ends there, and what the file has of complete rows is for salvage. */
#ifndef PLAYHEAD_JOURNAL_H
#define PLAYHEAD_JOURNAL_H

#include <stdbool.h>

#include <playhead/episode.h>

typedef struct ph_journal ph_journal;

/* No head names a greater size, so that no width overflows. */
enum { PH_JOURNAL_SIZE_LIMIT = 1 << 24 };

/* Where the columns of a row are in a record's payload. */
typedef struct ph_record_layout {
  uint32_t columns;            /* PH_COL_BIT; REWARDS, FLAGS and STATES always are in it */
  size_t offset[PH_COL_COUNT]; /* [bytes] */
  size_t size[PH_COL_COUNT];   /* of one row [bytes]; 0 where the model has none of it */
  size_t payload;              /* of one record [bytes] */
} ph_record_layout;

/* FINAL_STATE and DONES are no columns of a record: they are left out. */
void ph_record_layout_of(ph_record_layout *out, const ph_dims *dims, uint32_t columns);

/* What a head says. meta: run_id, hashes, env_id, episode, seed, dims, hold, recipe, derived,
 * engine, env_name, control_dt, timestep, writer, created, substrate, rng, provenance. */
typedef struct ph_journal_head {
  ph_episode_meta meta;
  uint32_t columns; /* PH_COL_BIT of the columns of a record */
  ph_edit *edits;
  size_t nedits;
  char *provenance; /* what meta.provenance points to; owned where the head was read */
} ph_journal_head;

/* A new file, with room for some records; made with O_EXCL where `fresh`, else what is there is
 * taken over. PH_EEXIST, PH_EIO (no room, no permission), PH_ENOMEM. The caller's. */
ph_status ph_journal_create(ph_journal **out, const char *path, bool fresh);
/* Starts an episode: what was in the file is void, also after a failure. payload: that of
 * ph_record_layout_of. PH_EINVAL, PH_ENOMEM, PH_EIO. */
ph_status ph_journal_start(ph_journal *journal, const ph_journal_head *head, size_t payload);
/* Place for the payload of the next record, in the map; NULL and ph_error(): it has no room and the
 * file cannot grow. It counts once it is sealed: then its step and CRC are written. */
void *ph_journal_next(ph_journal *journal);
void ph_journal_seal(ph_journal *journal);
int64_t ph_journal_count(const ph_journal *journal);
/* Its episode is in its place, or not wanted: the file is void until the next start. PH_EIO. */
ph_status ph_journal_void(ph_journal *journal);
/* Whether it was refused room that it still has not got. */
bool ph_journal_short(const ph_journal *journal);
/* Whether the file still has its name, in the folder as it is now. */
bool ph_journal_in_place(const ph_journal *journal);
/* Windows that were mapped so far. */
int64_t ph_journal_windows(const ph_journal *journal);
/* Copies the payloads of n records, from first, as they are in the file now. PH_EIO, PH_ENOMEM,
 * PH_ECORRUPT: somebody has changed one. */
ph_status ph_journal_read(const ph_journal *journal, int64_t first, int64_t n, void *out);
/* No more records come for now: window and unused room are given back. Where `asleep` and its name
 * is still its own, the descriptor too; then nothing but these two, ph_journal_in_place, rename and
 * close may follow until ph_journal_wake has opened it again. PH_EIO: it cannot be, or is gone. */
void ph_journal_rest(ph_journal *journal, bool asleep);
ph_status ph_journal_wake(ph_journal *journal);
/* Gives the file another name, without replacing one; it goes on being this journal's. */
ph_status ph_journal_rename(ph_journal *journal, const char *path);
const char *ph_journal_path(const ph_journal *journal);
void ph_journal_close(ph_journal *journal, bool remove); /* Nullable */

/* A journal that somebody left, to be read only; *head is the caller's (ph_journal_head_clear).
 * PH_ENOTFOUND: it is void. PH_EFORMAT: it is none, or of a later version. PH_ECORRUPT: its head
 * does not check. PH_EIO. PH_ENOMEM. */
ph_status ph_journal_open(ph_journal **out, ph_journal_head *head, const char *path);
/* Of an opened one: records of this episode behind the first that does not check. */
int64_t ph_journal_beyond(const ph_journal *journal);
void ph_journal_head_clear(ph_journal_head *head);

#endif
