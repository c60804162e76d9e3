/* What the parts of cutting a file of robosuite's family share; all in the child. */
#ifndef PLAYHEAD_CUT_DEMOS_H
#define PLAYHEAD_CUT_DEMOS_H

#include "cut_parts.h"
#include "h5_same.h"
#include "id_index.h"
#include "read_demos.h"

typedef struct ph_cut_file {
  ph_cutting *c;
  char *temporary; /* owned: NULL: it has its place, or was never made */
  hid_t from, to;
  bool dry;     /* nothing is written: `to` is in memory, and rows are read only */
  size_t entry; /* where it is dry: of the store; behind its last: what is of none */
  int fd;       /* the child's end of its socket */
  uint64_t ticked;
  size_t done;     /* demos that are kept and written */
  int64_t total;   /* actions in them */
  char **left_out; /* owned, by strcmp: names below /data of demos that are not kept */
  size_t nleft_out;
  bool drops;         /* also where it is dry: some of them are to be left out */
  ph_id_index groups; /* of the store's entries */
  uint64_t *alias;    /* owned: of /data and its demos, those that have other names too */
  size_t naliases;
  struct ph_cut_twin *twin; /* owned: objects that were copied as they are */
  size_t ntwins, twins_room;
  char *models;  /* owned: a hidden folder for those beside the source; NULL: they stay there */
  char **placed; /* owned: those that have their names beside the result */
  size_t nplaced;
  bool made_folder; /* models/ was not there */
} ph_cut_file;

/* ph_h5_tick of a file. */
void ph_cut_tick(void *file, uint64_t bytes);
/* Tells the parent. */
void ph_cut_demo_done(ph_cut_file *f);

/* Copies all of f->from to f->to. */
ph_status ph_cut_copy(ph_cut_file *f);
/* Copies one demo. */
ph_status ph_cut_copy_entry(ph_cut_file *f, size_t entry);

/* Whether models have to be copied. PH_ENOMEM. */
ph_status ph_cut_models_begin(ph_cut_file *f);
/* In the child: that of a demo, if it lies beside the file. PH_EIO. */
ph_status ph_cut_models_add(ph_cut_file *f, hid_t demo);
/* In a try: whether another model is in the way of one that a demo of the list names. PH_EEXIST,
 * PH_EINVAL. */
ph_status ph_cut_models_try(const ph_cut_file *f);
/* Gives all of them their names; after an error none has one. PH_EEXIST, PH_EIO. */
ph_status ph_cut_models_publish(ph_cut_file *f);
/* Takes the names away again. */
void ph_cut_models_withdraw(ph_cut_file *f);
/* Removes the hidden folder. */
void ph_cut_models_drop(ph_cut_file *f);

/* A demo that is kept. */
typedef struct ph_cut_demo {
  const ph_cut_episode *plan;
  int64_t actions, states; /* of the source; states -1: it has none */
} ph_cut_demo;

/* Lengths of a demo of the source. PH_EFORMAT: it is none that can be cut. */
ph_status ph_cut_demo_read(ph_cut_demo *out, hid_t demo, const char *path,
                           const ph_cut_episode *plan);
/* Whether rows of that array are cut, and which are kept. name: its path below the demo. */
bool ph_cut_demo_rows(const ph_cut_demo *demo, const char *name, hid_t dataset, int64_t *first,
                      int64_t *n);
/* Whether that is kept as it is however many rows it has. name: as above. */
bool ph_cut_demo_apart(const char *name);
/* Counts, flags, and provenance of a demo that is copied; data is /data of the source. */
ph_status ph_cut_demo_settle(ph_cut_file *f, const ph_cut_demo *demo, hid_t data, hid_t made,
                             const char *path);

#endif
