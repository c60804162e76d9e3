/* What the files of the cutting of BiGym batches share. */
#ifndef PLAYHEAD_CUT_BATCH_H
#define PLAYHEAD_CUT_BATCH_H

#include "bigym.h"
#include "cut_parts.h"

/* A file of the batch. */
typedef struct ph_batch_item {
  const ph_cut_episode *plan;         /* borrowed; NULL: it has none yet */
  const char *file;                   /* borrowed */
  char id[sizeof((ph_entry *)0)->id]; /* that the store gives it */
  ph_bigym_name name;
  bool named; /* as they are */
  char renamed[96];
  int64_t frames; /* that it has; 0 where it is dropped */
} ph_batch_item;

typedef struct ph_batch {
  const char *out, *source;
  const ph_cut_options *opt;
  ph_bigym_list files;
  ph_batch_item *items;  /* owned, one for each file */
  ph_batch_item **order; /* owned: all of them, by what is looked for */
  size_t kept, done;
  json_t *meta; /* owned: the source's metadata.json, its numbers as they are written */
  char *folder; /* owned: where the result is made; NULL: it has its place, or there is none */
} ph_batch;

/* Whether whoever asked still wants it. */
bool ph_batch_go_on(void *batch);

/* Whether a file can be cut as planned; sets its frames and its new name. PH_EINVAL, PH_EFORMAT,
 * PH_ECORRUPT, PH_EIO. */
ph_status ph_batch_check(ph_batch *b, ph_batch_item *item);
/* PH_EFORMAT: it is not named as they are. */
ph_status ph_batch_refuse_name(const ph_batch *b, const ph_batch_item *item);
/* As ph_batch_check, and reads all of it. */
ph_status ph_batch_try(ph_batch *b, ph_batch_item *item);
/* Writes it into the folder, and reads it again. */
ph_status ph_batch_write(ph_batch *b, const ph_batch_item *item);

/* Reads the source's metadata.json. PH_EFORMAT: it is none that can be changed. */
ph_status ph_batch_meta_read(ph_batch *b);
/* Copies the other JSON texts; where there is no folder they are only read. PH_EIO. */
ph_status ph_batch_texts(const ph_batch *b);
/* Writes that of the result, and copies the other JSON texts. */
ph_status ph_batch_meta_write(ph_batch *b);

#endif
