/* What the parts of the journal share: how it is laid out in the file, and what one is. */
#ifndef PLAYHEAD_JOURNAL_PARTS_H
#define PLAYHEAD_JOURNAL_PARTS_H

#include "journal.h"

#define PH_JOURNAL_MAGIC "PHJRNL1\n"
#define PH_JOURNAL_ORDER 0x01020304u

enum {
  PH_JOURNAL_VERSION = 1,
  PH_JOURNAL_FIXED = 56, /* bytes of a head before its text */
  PH_JOURNAL_EDIT = 64,  /* of an edit before its data */
  PH_JOURNAL_HEAD_LIMIT = 1 << 28,
};

/* The numbers at the start of a head, as they are in the file. */
typedef struct ph_journal_fixed {
  char magic[8];
  uint32_t order, version;
  uint64_t head, record, nonce, text, edits; /* sizes in bytes, but for the nonce */
} ph_journal_fixed;

struct ph_journal {
  int fd;                 /* -1 asleep */
  uint64_t device, inode; /* of a file that was made here */
  char *path;             /* owned */
  bool left;              /* opened to be read only */
  uint64_t nonce;
  uint32_t seed; /* CRC-32 of the nonce */
  uint64_t head; /* where record 0 is */
  size_t record, payload;
  int64_t count;
  int64_t beyond;
  uint64_t room;    /* bytes of the file that are allocated */
  uint64_t refused; /* where an allocation that failed was to end; 0 none */
  unsigned char *map;
  uint64_t map_at;
  size_t map_size;
  uint64_t looked_at; /* up to here the window's pages are there, in this episode */
  int64_t windows;
};

static inline uint64_t ph_journal_round(uint64_t size) {
  return (size + 7) / 8 * 8;
}

/* Sets what follows from nonce, head and layout. */
void ph_journal_lay(ph_journal *journal, uint64_t nonce, uint64_t head, size_t payload);
/* Whether these bytes are record t. */
bool ph_journal_checks(const ph_journal *journal, const unsigned char *record, int64_t t);
/* Reads n whole records as they are in the file; *got of them are there. PH_EIO. */
ph_status ph_journal_raw(const ph_journal *journal, int64_t first, int64_t n, unsigned char *out,
                         int64_t *got);

/* A head as bytes, its magic in place; the caller's (free). PH_ENOMEM, PH_EINVAL. */
ph_status ph_journal_encode(unsigned char **out, size_t *size, const ph_journal_head *head,
                            const ph_record_layout *layout, uint64_t nonce);
/* The same back, from n bytes that begin with a head and of which the file has no more. PH_EFORMAT,
 * PH_ECORRUPT, PH_ENOMEM; *head is empty then. */
ph_status ph_journal_decode(ph_journal_head *head, ph_record_layout *layout,
                            const unsigned char *bytes, const char *path);

#endif
