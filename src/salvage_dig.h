/* What the parts of salvaging a damaged HDF5 file share. All of it but the waiting runs in a child
 * of its own (probe_child.h): `find` lists what is there and measures it, `plan` decides which rows
 * of which episode go together, `take` writes them. A child that dies of an object is followed by
 * one that leaves the object out. */
#ifndef PLAYHEAD_SALVAGE_DIG_H
#define PLAYHEAD_SALVAGE_DIG_H

#include <playhead/salvage.h>

#include "h5_damaged.h"

#define PH_DIG_STRAY "an object that no list leads to, at "

enum {
  PH_DIG_ITEMS = 1 << 17,
  PH_DIG_DEADLY = 16,
  PH_DIG_PATH = 1024,
  PH_DIG_OBJECT = 64 << 10 /* what an object counts as, of bytes [B] */
};

/* What child and parent share: memory of both. */
typedef struct ph_dig_board {
  char current[PH_DIG_PATH]; /* object that the child is at */
  size_t ndeadly;
  char deadly[PH_DIG_DEADLY][PH_DIG_PATH]; /* objects that a child died of */
  char died[PH_DIG_DEADLY][160];           /* how */
  bool whole;                              /* nothing is lost, and the file opens as it is */
  size_t nitems, unlisted;
  int64_t saved, lost, steps; /* with those that are unlisted */
  ph_salvaged items[PH_DIG_ITEMS];
} ph_dig_board;

/* One object that was found, the parents before what is in them. */
typedef struct ph_found {
  char *path; /* owned; "" is the root */
  uint64_t address;
  size_t parent, twin; /* SIZE_MAX: none; the first object with the same header */
  size_t unit;         /* SIZE_MAX: of no episode */
  ph_h5_kind kind;
  ph_h5_extent extent; /* of datasets */
  int64_t keep;        /* rows that are taken; -1: none of it */
  bool broken;         /* its list is not all there */
  bool stray;          /* its name is lost: it has one by its place, or another */
  bool mended;         /* a part of its header is lost */
  char why[160];       /* what of it is lost; "" */
} ph_found;

/* What is given back as one: an episode, a model, a task. */
typedef struct ph_unit {
  size_t root, end; /* of found: all between them is in it */
  char id[64];
  bool episode, own; /* own: an episode of our format */
  bool together;     /* whole or not at all */
  bool whole;        /* taken as it is */
  bool lost;
  size_t first_item, end_item; /* its lines in the report; the first is its own */
  int64_t rows, keep; /* transitions that it says it has (-1: it does not), that are taken */
  char why[200];
} ph_unit;

typedef struct ph_dig {
  const char *path, *out, *temporary;
  ph_h5_cut cut;
  ph_dig_board *board;
  int fd; /* the child's end of its socket; -1: none */
  uint64_t ticked;
  hid_t from, to;
  bool own; /* the file is of our format */
  ph_found *at;
  size_t n, room;
  ph_unit *unit;
  size_t nunits, units_room;
  size_t planned; /* lines in the report when the taking began */
} ph_dig;

/* ph_h5_tick of a dig. */
void ph_dig_tick(void *dig, uint64_t bytes);
/* Says where the child is; false: a child has died of it (why is set). */
bool ph_dig_at(ph_dig *dig, ph_found *f);
/* What follows concerns no one object: none is to blame for it. */
void ph_dig_at_none(ph_dig *dig);
/* Adds a line to the report. */
void ph_dig_say(ph_dig *dig, const char *id, ph_salvage_fate fate, int64_t actions, const char *fmt,
                ...) PH_PRINTF(5, 6);
/* An episode that was to be given back is lost after all: its line says so. */
void ph_dig_lose(ph_dig *dig, ph_unit *unit, const char *why);
void ph_dig_clear(ph_dig *dig);

/* Fills at. PH_ENOMEM, PH_EFORMAT. */
ph_status ph_dig_find(ph_dig *dig);
/* The object at a path below one; NULL: none was found. */
ph_found *ph_dig_below(const ph_dig *dig, size_t root, const char *path);
/* Name behind the last slash. */
const char *ph_dig_name(const ph_found *f);
/* Path below its unit. */
const char *ph_dig_within(const ph_dig *dig, const ph_found *f);

/* Fills unit, as far as what belongs to it. PH_ENOMEM. */
ph_status ph_dig_units(ph_dig *dig);
/* Fills unit and what is kept of each object. PH_ENOMEM. */
ph_status ph_dig_plan(ph_dig *dig);
/* Adds what is lost to the report; whether anything is. */
bool ph_dig_report(ph_dig *dig);
/* Whether an episode of ours ends where that column does: without it the states are not whole, or a
 * reader would take the model's reset value for it. Others are left out. */
bool ph_dig_needs(ph_column col);
/* Compares the rows of an episode of ours with their checksums: extent.good becomes less, unit->why
 * says it. */
void ph_dig_check(ph_dig *dig, ph_unit *unit);

/* Writes dig->to. PH_EIO, PH_ENOMEM. */
ph_status ph_dig_take(ph_dig *dig);
/* An episode of ours that is not whole. */
ph_status ph_dig_take_own(ph_dig *dig, ph_unit *unit);
/* /index of a dataset of ours. */
ph_status ph_dig_put_index(ph_dig *dig);

#endif
