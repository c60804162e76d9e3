/* What a run directory takes on disk while it is recorded: its episodes, also those that are
 * written later, the journals, the index. Sizes are added as files come, and what grows is looked
 * at a few files at a time: a look costs the same however many there are. */
#ifndef PLAYHEAD_DISK_USE_H
#define PLAYHEAD_DISK_USE_H

#include <stdint.h>

typedef struct ph_disk_use ph_disk_use;

/* Counts what is in the folder, once; env ids are 0 to envs-1. NULL: no memory. */
ph_disk_use *ph_disk_use_new(const char *dir, int envs);
void ph_disk_use_free(ph_disk_use *use); /* Nullable */

/* An episode has ended: its file is there, or will be there. From any thread; nullable. */
void ph_disk_use_add(ph_disk_use *use, int env_id, int64_t episode, int64_t actions);
/* [B]; from any thread; nullable: 0. */
int64_t ph_disk_use_now(ph_disk_use *use);

#endif
