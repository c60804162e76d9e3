#include "foreign.h"

#include <stdlib.h>
#include <string.h>

void ph_scan_clear(ph_scan *scan) {
  for (size_t i = 0; i < scan->ngroups; i++) {
    for (size_t k = 0; k < scan->groups[i].n; k++)
      free(scan->groups[i].ids[k]);
    free(scan->groups[i].ids);
  }
  free(scan->groups);
  free(scan->entries);
  memset(scan, 0, sizeof *scan);
}

const ph_reader *ph_reader_for(const char *path, bool folder, hid_t h5) {
  static const ph_reader *const readers[] = {&ph_read_raw, &ph_read_bigym, &ph_read_demos,
                                             &ph_read_arrays};
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (readers[i]->folder == folder && readers[i]->detect(path, h5))
      return readers[i];
  return NULL;
}

const ph_reader *ph_reader_plain(const char *path) {
  return ph_read_bigym_file.detect(path, H5I_INVALID_HID) ? &ph_read_bigym_file : NULL;
}
