/* The first block of an HDF5 file, read without the library. */
#ifndef PLAYHEAD_SUPERBLOCK_H
#define PLAYHEAD_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define PH_SUPERBLOCK_MAX 100 /* bytes of the longest */

typedef struct ph_superblock {
  uint64_t at; /* where it begins: 0, or behind a user block */
  int version; /* 0 to 3, or what stands there */
  bool marked; /* a writer has the file open, or had when it died */
  bool known;  /* the version is one of these, its addresses have 8 bytes, and all of it is there */
  uint64_t end; /* where the file should end, from its first byte; UINT64_MAX: not set */
} ph_superblock;

/* Looks where HDF5 looks: at 0, 512, 1024, 2048, ... false: no file of HDF5's. */
bool ph_superblock_find(ph_superblock *out, int fd, int64_t size);

/* The block as it would be if the file had been closed with `end` bytes: no marks of a writer, and
 * no `extension` (version 2 and 3) where that is false. Returns its size, 0: the block is not known
 * or not all there. *base is what addresses in the file are counted from; *root the address of the
 * root group's header. */
size_t ph_superblock_mend(unsigned char out[PH_SUPERBLOCK_MAX], uint64_t *base, uint64_t *root,
                          const ph_superblock *block, int fd, uint64_t end, bool extension);
/* Address of the extension's header; UINT64_MAX: there is none. */
uint64_t ph_superblock_extension(const ph_superblock *block, int fd);

#endif
