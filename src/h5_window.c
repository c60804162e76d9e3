/* Metadata of a file that is read is small, and lies in heaps: what a look at an object reads, once
 * to check it and once by the library, is mostly within a page or two. */
#include "h5_window.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t ph_h5_read_at(int fd, uint64_t at, void *out, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t n = pread(fd, (char *)out + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = 0;
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  return done;
}

/* The pane that holds the first of those bytes, filled where none does. */
static ph_h5_pane *pane_of(ph_h5_window *window, uint64_t at) {
  ph_h5_pane *oldest = &window->pane[0];
  uint64_t first = at - at % PH_H5_PANE_STEP;
  for (size_t i = 0; i < PH_H5_PANES; i++) {
    ph_h5_pane *pane = &window->pane[i];
    if (pane->size > 0 && pane->at == first) {
      pane->used = ++window->clock;
      return pane;
    }
    if (pane->used < oldest->used)
      oldest = pane;
  }
  oldest->at = first;
  oldest->used = ++window->clock;
  oldest->size = ph_h5_read_at(window->fd, first, oldest->bytes, sizeof oldest->bytes);
  return oldest;
}

size_t ph_h5_window_read(ph_h5_window *window, uint64_t at, void *out, size_t size) {
  if (at > INT64_MAX / 2) {
    errno = EINVAL;
    return 0;
  }
  if (size <= sizeof window->pane->bytes - PH_H5_PANE_STEP) {
    const ph_h5_pane *pane = pane_of(window, at);
    size_t from = (size_t)(at - pane->at);
    if (from + size <= pane->size) {
      memcpy(out, pane->bytes + from, size);
      return size;
    }
  }
  return ph_h5_read_at(window->fd, at, out, size); /* it says how much there is, or why not */
}
