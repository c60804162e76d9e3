/* What measuring and copying of a damaged file's datasets share; door-private. */
#ifndef PLAYHEAD_H5_EXTENT_H
#define PLAYHEAD_H5_EXTENT_H

#include "h5_damaged.h"
#include "h5_door.h"

/* A dataset, opened up. */
typedef struct ph_h5_shape {
  hid_t type, creation; /* owned */
  H5D_layout_t layout;
  size_t element; /* [B] */
  bool empty;     /* of a space that holds nothing */
  bool unpacked;  /* chunks whose filters are run; others are taken as they are */
  hsize_t dim[H5S_MAX_RANK], most[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  hsize_t chunk_bytes;
} ph_h5_shape;

/* Fills both but for e->good and e->why. Why none of it can be taken (static), or NULL. */
const char *ph_h5_shape_read(ph_h5_shape *shape, ph_h5_extent *extent, hid_t dataset);
void ph_h5_shape_clear(ph_h5_shape *shape);
/* 1: of texts or lists of their own length, 2: of what cannot be copied, 0: of plain bytes. */
int ph_h5_pointers(hid_t type);
/* No byte of it was ever stored: all of it is the fill value. */
bool ph_h5_unwritten(hid_t dataset);
/* The next chunk's first element, of those whose first row is below limit. */
bool ph_h5_next_chunk(const ph_h5_shape *shape, int rank, hsize_t limit, hsize_t *at);
/* n rows through the library; as they lie in the file; what the library took for texts given back.
 */
bool ph_h5_read_rows(hid_t dataset, const ph_h5_shape *shape, const ph_h5_extent *extent,
                     int64_t first, int64_t n, void *out);
bool ph_h5_rows_there(hid_t dataset, const ph_h5_extent *extent, int64_t first, int64_t n,
                      void *out);
void ph_h5_reclaim(const ph_h5_shape *shape, const ph_h5_extent *extent, int64_t n, void *data);

#endif
