/* A run directory while it is written: its folder (sink_run_folder.c), what may be in it when it is
 * opened (sink_run_open.c, sink_run_append.c), its files (sink_run.c), what it has taken
 * (sink_run_done.c). */
#ifndef PLAYHEAD_SINK_RUN_H
#define PLAYHEAD_SINK_RUN_H

#include <pthread.h>
#include <sys/types.h>

#include "sink_h5.h"

/* What a name in the folder is by its form. Only regular files are anything but OTHER. */
typedef enum ph_run_kind {
  PH_RUN_FILE, /* run.h5 */
  PH_RUN_JOURNAL,
  PH_RUN_PART, /* what a killed recorder was writing */
  PH_RUN_EPISODE,
  PH_RUN_INDEX,
  PH_RUN_OTHER,
  PH_RUN_KINDS
} ph_run_kind;

typedef struct ph_run_name {
  ph_run_kind kind;
  char name[256];
} ph_run_name;

/* Everything in a folder but . and .. */
typedef struct ph_run_list {
  ph_run_name *at; /* owned */
  size_t n, room;
  size_t count[PH_RUN_KINDS];
} ph_run_list;

ph_status ph_run_list_read(ph_run_list *list, const char *dir);
/* The first of a kind; NULL: there is none. */
const char *ph_run_list_first(const ph_run_list *list, ph_run_kind kind);
void ph_run_list_clear(ph_run_list *list);

/* The folder, held open and locked, so that no other recorder takes it over meanwhile and it is
 * known again. */
typedef struct ph_run_folder {
  char *dir; /* owned, as given */
  int fd;    /* -1: none */
  dev_t device;
  ino_t inode;
  bool made;      /* it was not there before */
  bool locked;    /* false too where the file system has no locks */
  int lock_error; /* then why: errno */
} ph_run_folder;

/* Opens and locks it; creates it, with those above, if asked to: what was made is synced.
 * PH_EEXIST: another process records into it. PH_EIO. */
ph_status ph_run_folder_open(ph_run_folder *folder, bool create);
/* Whether the path still leads to the folder that is held. */
bool ph_run_folder_same(const ph_run_folder *folder);
/* So it is again afterwards: one that is gone, or in whose place there is an empty one, is made
 * anew (*anew). PH_EIO: something else is in its place, or it cannot be made. */
ph_status ph_run_folder_restore(ph_run_folder *folder, bool *anew);
void ph_run_folder_close(ph_run_folder *folder);

typedef struct ph_run_next {
  int env_id;
  int64_t episode;
} ph_run_next;

/* An episode that was put into its place. */
typedef struct ph_run_done {
  int env_id;
  int64_t episode, actions;
} ph_run_done;

/* The sink of a run directory. */
typedef struct ph_run {
  ph_sink base;
  ph_run_folder folder;
  pthread_mutex_t held; /* for device and inode of the folder, which others ask for */
  bool written;         /* run.h5 is in place */
  bool appended;        /* and was before: it has the model and task of the origin */
  bool ended;           /* an episode is in place, or was before */
  bool compress;
  ph_episode_meta origin;
  ph_run_list old;   /* gives way to the new run.h5 */
  char old_id[64];   /* the name of that run, escaped; "" not known */
  size_t taken;      /* episodes of it that are gone, and it was not told */
  ph_run_next *next; /* owned: by env, of what was in the folder */
  size_t nnext;
  const ph_model **models; /* referenced: run.h5 may have to be written again */
  const ph_task **tasks;
  size_t nmodels, ntasks;
  ph_entry *owed; /* owned: records that the index could not take yet */
  size_t nowed;
  ph_run_done *done; /* owned */
  size_t ndone, done_room;
  size_t gone;    /* of those: put into a folder that was taken away */
  size_t missing; /* of those: not in the folder when the sink was finished */
  char news[700]; /* what befell the folder; "": nothing, or it was told */
  char **stale;   /* owned: temporary files that could not be removed yet */
  size_t nstale;
  ph_part part;
  ph_demo demo;
} ph_run;

/* Takes the folder as the options say; what run.h5 says of an appended run goes to origin. Errors
 * of ph_sink_run. */
ph_status ph_run_enter(ph_run *run, const ph_sink_options *opt);
/* The part of it for a run that is appended to. */
ph_status ph_run_enter_append(ph_run *run, const ph_run_list *list, bool salvage);
/* Whether run.h5 is one of a recorder: PH_EFORMAT and other errors of reading it. */
ph_status ph_run_check_file(const ph_run_folder *folder);
/* PH_EEXIST: says of a journal that it is to be salvaged first. */
ph_status ph_run_killed(const ph_run_folder *folder, const char *journal);
/* Takes run->old away, in an order in which what is left at any moment is a run without its run.h5
 * or with episodes that the index misses, and never a smaller one that looks whole. PH_EIO. */
ph_status ph_run_take_away(ph_run *run);

/* --- what it has taken (sink_run_done.c) --- */

#define PH_RUN_DEMO "/data/demo_0"

/* Room for what ph_run_done_add adds: once an episode has its place it cannot be refused. */
ph_status ph_run_done_reserve(ph_run *run);
/* An episode is in its place: lists it, as far as the index can be written. */
void ph_run_done_add(ph_run *run, ph_entry *entry);
/* Appends what the index lacks, in order. PH_EIO. */
ph_status ph_run_pay_index(ph_run *run);
/* The folder was made anew: all that was put into the other one went with it. */
void ph_run_done_anew(ph_run *run);
/* Whether all that was put into its place is there, by the path that people have. PH_EIO. */
ph_status ph_run_done_check(ph_run *run);

/* dir/name; the caller's. NULL: out of memory. */
char *ph_run_path(const ph_run_folder *folder, const char *name);

#endif
