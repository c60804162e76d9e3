/* What run directories and datasets share: the groups of DESIGN's format, and files that appear
 * whole or not at all. */
#ifndef PLAYHEAD_SINK_H5_H
#define PLAYHEAD_SINK_H5_H

#include "h5.h"
#include "sink.h"

/* --- checks --- */

/* PH_EINVAL: no episode of this format; names what. In files every required column is asked for and
 * an episode without actions is refused. */
ph_status ph_begin_check(const ph_begin *begin, bool in_file);
/* Rows that the sink takes of a column: A, or S (for PH_COL_STATES too). */
int64_t ph_begin_rows(const ph_episode_meta *meta, ph_column col);
/* PH_EINVAL: the rows do not follow what is there. */
ph_status ph_begin_check_rows(const ph_episode_meta *meta, uint32_t columns, ph_column col,
                              int64_t next, int64_t first, int64_t n);
/* The line of the list of episodes that this is; file and id are the caller's. */
void ph_begin_entry(ph_entry *entry, const ph_episode_meta *meta);

/* PH_EINVAL: with `more` bytes behind it, the path is longer than what reads files can hold. */
ph_status ph_sink_check_path(const char *path, size_t more);

/* --- groups --- */

ph_status ph_sink_put_root(hid_t file, const ph_episode_meta *origin);
/* Attributes of /data, which is created where it is missing. */
ph_status ph_sink_put_data(hid_t file, const ph_episode_meta *origin, int64_t total);
/* Attributes of a demo for what an episode does not share with the file: those of the root, and
 * env_args. Nothing where it was recorded under the same origin. */
ph_status ph_sink_put_own(hid_t demo, const ph_episode_meta *meta, const ph_episode_meta *origin);
/* Nothing happens when the file has it already. */
ph_status ph_sink_put_model(hid_t file, const ph_model *model);
ph_status ph_sink_put_task(hid_t file, const ph_task *task);

/* One demo group while it is written. Zero it to start; ph_demo_close frees it in any state. */
typedef struct ph_demo {
  bool open;
  bool compress;
  hid_t group;
  uint32_t columns;
  ph_episode_meta meta; /* provenance is not kept */
  int64_t blocks;       /* of 256 rows, in every line of crc */
  uint32_t *crc;        /* (PH_COL_COUNT x blocks) */
  struct {
    hid_t dataset;
    int64_t next; /* row that is written next */
    size_t row_bytes;
  } col[PH_COL_COUNT];
} ph_demo;

/* Creates the group `path` with attributes, datasets and model edits. */
ph_status ph_demo_begin(ph_demo *demo, hid_t file, const char *path, const ph_begin *begin,
                        bool compress);
ph_status ph_demo_rows(ph_demo *demo, ph_column col, int64_t first, int64_t n, const void *data);
/* PH_EINVAL: a column is not complete. Writes the checksums and closes. */
ph_status ph_demo_end(ph_demo *demo);
void ph_demo_close(ph_demo *demo);

/* Reads a demo group back and compares all that has a checksum. PH_ECORRUPT. */
ph_status ph_demo_verify(hid_t file, const char *path);

/* --- files --- */

/* A file that is written beside its place. Zero it to start. */
typedef struct ph_part {
  hid_t h5;
  char *temporary, *final; /* owned paths; temporary NULL: it has its place, or was never made */
} ph_part;

/* Creates the temporary sibling of a path. PH_EEXIST: there is something at the path. */
ph_status ph_part_create(ph_part *part, const char *path);
/* The same, and what is at the path is looked at when this one is ready. */
ph_status ph_part_create_over(ph_part *part, const char *path);
/* Closes and syncs; the temporary can be read then. */
ph_status ph_part_finish(ph_part *part);
/* Renames it to its place without replacing anything, and syncs the folder. */
ph_status ph_part_publish(ph_part *part);
/* The same in an open folder, which is synced without another descriptor. A file that is there with
 * the very same bytes is this one, and PH_OK; it stays where the folder cannot be synced. */
ph_status ph_part_publish_in(ph_part *part, int folder);
/* In the place of a file that may be there. PH_EEXIST: something else is. */
ph_status ph_part_publish_over(ph_part *part);
/* Closes and removes what is not published. */
void ph_part_drop(ph_part *part);

#endif
