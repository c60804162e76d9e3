/* Bytes of a file that is read, some pages of them kept: part of the HDF5 door, under its lock. A
 * page that was read is not read again while it is kept, so what was checked is what is used. */
#ifndef PLAYHEAD_H5_WINDOW_H
#define PLAYHEAD_H5_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define PH_H5_PANES 4
#define PH_H5_PANE_STEP 4096 /* panes begin at multiples; what is no longer fits into one */

typedef struct ph_h5_pane {
  uint64_t at, used;
  size_t size; /* 0: empty */
  unsigned char bytes[3 * PH_H5_PANE_STEP];
} ph_h5_pane;

typedef struct ph_h5_window {
  int fd; /* borrowed */
  uint64_t clock;
  ph_h5_pane pane[PH_H5_PANES];
} ph_h5_window;

/* How many of the bytes there are; fewer: at the end of the file (errno is 0), or errno says why.
 */
size_t ph_h5_window_read(ph_h5_window *window, uint64_t at, void *out, size_t size);
/* The same without a window. */
size_t ph_h5_read_at(int fd, uint64_t at, void *out, size_t size);

#endif
