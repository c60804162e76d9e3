/* A batch of BiGym demonstrations: a folder of <timestamp>_<index>_<length>.npz, one episode each,
 * beside metadata.json. What its reader and its cutting share. Row t of an array that counts frames
 * is what action t has led to; row 0 is of no action, so `length` is a frame less. */
#ifndef PLAYHEAD_BIGYM_H
#define PLAYHEAD_BIGYM_H

#include "json.h"
#include "npz.h"

#define PH_BIGYM_FORMAT "bigym_replay_npz"

typedef struct ph_bigym_name {
  char stamp[16]; /* "20260826T101112" */
  int64_t index, length;
  char stem[64]; /* what is before the length, "20260826T101112_0_" */
} ph_bigym_name;
/* Whether a file's name, without its folder, is one of the pattern. */
bool ph_bigym_parse(ph_bigym_name *out, const char *name);

/* Names of files of a folder in natural order. */
typedef struct ph_bigym_list {
  char **name; /* owned */
  size_t n;
} ph_bigym_list;
/* Those of its .npz files. PH_EIO, PH_ENOMEM. */
ph_status ph_bigym_files(ph_bigym_list *out, const char *folder);
/* Those of its .json files but metadata.json. PH_EIO, PH_ENOMEM. */
ph_status ph_bigym_texts(ph_bigym_list *out, const char *folder);
void ph_bigym_list_clear(ph_bigym_list *list);

/* Whether a folder is a batch: an .npz is named as they are, or its metadata.json says so. */
bool ph_bigym_is_batch(const char *folder);
/* "folder/name"; false: too long. */
bool ph_bigym_path(char *out, size_t size, const char *folder, const char *name);
/* metadata.json of a folder, an object; the caller's. NULL: ph_error() says why, without the
 * folder: "metadata.json: ...". */
json_t *ph_bigym_metadata(const char *folder);
/* The same with its numbers as they are written (numeral.h). */
json_t *ph_bigym_metadata_kept(const char *folder);
/* A regular file that is not long, a zero behind its end; the caller's. NULL: `why` says it. */
char *ph_bigym_text(size_t *size, const char *path, char *why, size_t room);

/* Whether an array is of the episode as a whole, however many rows it has: init_*, lb_state.*,
 * seed, pre_engage_steps. */
bool ph_bigym_is_fact(const char *name);
/* Frames by the first of the arrays that always count them; 0: there is none of those. odd: names
 * another one that says otherwise; "". */
int64_t ph_bigym_frames(const ph_npz *npz, char *odd, size_t size);
/* In what a file's name, without its folder, contradicts so many frames; "": in nothing. */
void ph_bigym_compare(char *out, size_t size, const char *name, int64_t frames);

#endif
