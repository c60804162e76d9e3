/* What the files of the reader of demos share: layouts, facts of the file, outcomes, models. */
#ifndef PLAYHEAD_READ_DEMOS_H
#define PLAYHEAD_READ_DEMOS_H

#include "foreign.h"

/* Arrays below a prefix, and how far their rows are ahead of the states. */
typedef struct ph_demo_rows {
  const char *prefix; /* "obs/", or a whole name */
  int shift;          /* row r belongs to step r + shift */
  const char *note;   /* "" or a sentence of at most 79 bytes */
} ph_demo_rows;

/* A way to write demos. The first of the table that shows one of its signs is taken. */
typedef struct ph_demo_layout {
  const char *name;
  const char *attr[3];   /* of /data */
  const char *object[2]; /* below a demo */
  const char *arg[3];    /* keys of env_args */
  int action_shift;      /* the action taken at state t is row t + action_shift */
  ph_demo_rows rows[5];  /* the first whose prefix fits */
} ph_demo_layout;

/* The layout of a file. demo: name of one of its demos; nullable. Never NULL. */
const ph_demo_layout *ph_demo_layout_of(hid_t data, const char *demo);
/* The rule for an array; NULL: its rows are at the states. */
const ph_demo_rows *ph_demo_rows_of(const ph_demo_layout *layout, const char *name);

/* What /data and the demo's attributes tell of writer, date, env, controller, rate and
 * instruction. What cannot be understood becomes a finding. */
void ph_demo_facts(ph_foreign *out, hid_t data, hid_t demo);
/* Whether env_args has that key, at any of its levels. */
bool ph_demo_has_arg(hid_t data, const char *key);

/* The attribute model_file: a model's text, or a name in models/ beside the file. */
void ph_demo_model(ph_foreign *out, const char *file, hid_t demo);

/* How an episode went, from what it stores. */
typedef struct ph_demo_outcome {
  int success;           /* 1, 0, -1: it does not say */
  const char *array;     /* whose 1 is a success, per action: "rewards", "dones", ...; NULL: none */
  char source[120];      /* "rewards: 1 at the last action"; "" */
  char contradicts[120]; /* another source that says otherwise; "" */
  char odd[120];         /* what it says that is neither yes nor no; "" */
  char unread[120];      /* what of it was not read, in a sentence; "" */
} ph_demo_outcome;
void ph_demo_outcome_of(ph_demo_outcome *out, hid_t demo);
/* What a group of that name says of it, 1, 0 or -1: it holds where nothing in the demo does, and is
 * compared where something does. */
void ph_demo_outcome_group(ph_demo_outcome *out, int group, const char *name);

/* Names of the demos below /data in natural order; ph_h5_names_free. */
ph_status ph_demo_names(char ***names, size_t *n, hid_t data);
/* The number that a demo's name ends in; place where there is none. */
int64_t ph_demo_number(const char *name, size_t place);
/* Where actions are in two parts, one array of both takes their place and is out->actions.
 * PH_ENOMEM. */
ph_status ph_demo_join_actions(ph_foreign *out);

/* Rows of states and actions of a demo from shapes; -1: there is no such array of numbers. */
typedef struct ph_demo_size {
  int64_t states, actions;
  bool split; /* actions are those of joint_velocities and gripper_actuations */
} ph_demo_size;
void ph_demo_size_of(ph_demo_size *out, hid_t demo);

/* Groups of names under /mask; sets success of entries where a group is called so. What is wrong
 * with a group is said in oddity. entries are sorted. */
ph_status ph_demo_groups(ph_scan *scan, hid_t h5, char *oddity, size_t size);
/* Says what is wrong with the groups under /mask; names of a very large group are not looked up. */
void ph_demo_groups_odd(ph_foreign *out, hid_t h5, hid_t data);
/* 1 or 0 where a group under /mask says it of that id, else -1; source gets "mask/success". */
int ph_demo_mask_success(hid_t h5, const char *id, char *source, size_t size);

ph_status ph_demo_look(ph_entry *entry, hid_t h5);
ph_status ph_demo_open(ph_foreign *out, const char *file, const char *group, hid_t h5);

/* --- of use to other readers of HDF5 --- */

/* Adds every array below a group, named by its path, in natural order; what cannot be added is a
 * finding. Bounded in depth and number. PH_ENOMEM; errors of the group itself. */
ph_status ph_foreign_gather(ph_foreign *out, hid_t group);
/* The array of that name; -1: none. */
int ph_foreign_place(const ph_foreign *foreign, const char *name);
/* Appends a sentence to a note, "; " between. */
void ph_channel_note(ph_channel *channel, const char *sentence);
/* The array is named and not read: its rows are no steps. */
void ph_channel_apart(ph_channel *channel, int64_t rows);

#endif
