/* A file of another writer, made again with changes, through the HDF5 door: groups, links, arrays
 * and numbers stay what they are in the source but for what is asked for. */
#ifndef PLAYHEAD_H5_SAME_H
#define PLAYHEAD_H5_SAME_H

#include "h5_damaged.h"

/* n rows of a dataset from `first` on (n < 0: all of it) as one of the same type, layout, filters
 * and limits; attributes are another call's. All of it keeps the bytes of its chunks. PH_EIO;
 * PH_EFORMAT: this cannot be copied, or not this part of it. */
ph_status ph_h5_copy_slice(hid_t to, const char *path, hid_t dataset, int64_t first, int64_t n,
                           ph_h5_tick *tick, void *arg);
/* The same but that no row is written: what would be read is. */
ph_status ph_h5_try_slice(hid_t to, const char *path, hid_t dataset, int64_t first, int64_t n,
                          ph_h5_tick *tick, void *arg);
/* A group that is kept as that one is. PH_EIO. */
ph_status ph_h5_group_same(hid_t *out, hid_t to, const char *path, hid_t group);
/* Shape and type of a dataset as ph_h5_measure has them; all rows count as good, none is read. */
void ph_h5_extent_of(ph_h5_extent *out, hid_t dataset);
/* How many names an object has. */
size_t ph_h5_names_of(hid_t object);
/* A link that is not hard: to the same name, which is not looked up. PH_EIO, PH_EFORMAT. */
ph_status ph_h5_link_same(hid_t to, const char *path, hid_t group, const char *name);
/* As ph_h5_names, but in the order in which they were made where the group keeps that. */
ph_status ph_h5_names_made(char ***names, size_t *n, hid_t group);
/* What a name of a group leads to, as ph_h5_walk has it. */
ph_h5_kind ph_h5_kind_of(hid_t group, const char *name);

/* Writes a whole number over the one value of an attribute, in the type that it has; nothing where
 * there is no such attribute or its type is not one of numbers. PH_EIO. */
ph_status ph_h5_set_whole(hid_t loc, const char *name, int64_t value);
/* Writes 1 to the last row of a dataset with one number in a row, of n rows, and 0 to the others
 * unless they are kept; nothing where it is another kind of dataset. PH_EIO. */
ph_status ph_h5_mark_last(hid_t loc, const char *path, bool keep);

#endif
