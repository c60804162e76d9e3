/* What the files of the npz door share; nobody else includes it. */
#ifndef PLAYHEAD_NPZ_DOOR_H
#define PLAYHEAD_NPZ_DOOR_H

#include <zip.h>

#include "file.h"
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

/* What libzip writes to; ends with its source. */
typedef struct ph_npz_target ph_npz_target;

struct ph_npz_writer {
  ph_new_file file;
  zip_t *zip;
  ph_npz_target *target; /* as long as zip */
  size_t n;
  ph_status fault; /* of a source that could not be read; ph_error() has its text */
};

/* Takes the source, also on failure. name: of the member, in `encoding` (ZIP_FL_ENC_...). */
ph_status ph_npz_put(ph_npz_writer *npz, const char *name, zip_flags_t encoding,
                     zip_source_t *source, zip_int32_t method);

/* All n bytes, or false. */
bool ph_npz_bytes(zip_file_t *file, void *out, size_t n);

#endif
