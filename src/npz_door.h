/* What the files of the npz door share; nobody else includes it. */
#ifndef PLAYHEAD_NPZ_DOOR_H
#define PLAYHEAD_NPZ_DOOR_H

#include <zip.h>

#include "npz.h"

typedef struct ph_npz_member {
  ph_npy info;
  zip_uint64_t place; /* in the archive */
  uint64_t size;      /* unpacked, header included */
  size_t head;        /* bytes before the elements; 0: there are none that could be read */
} ph_npz_member;

struct ph_npz {
  zip_t *zip;
  char *path;        /* owned, as the rest */
  ph_npz_member *at; /* n of them */
  size_t n;
};

/* All n bytes, or false. */
bool ph_npz_bytes(zip_file_t *file, void *out, size_t n);

#endif
