/* The first block of an HDF5 file, read without the library. */
#ifndef PLAYHEAD_SUPERBLOCK_H
#define PLAYHEAD_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ph_superblock {
  uint64_t at; /* where it begins: 0, or behind a user block */
  int version; /* 0 to 3, or what stands there */
  bool marked; /* a writer has the file open, or had when it died */
  bool known;  /* the version is one of these, its addresses have 8 bytes, and all of it is there */
  uint64_t end; /* where the file should end, from its first byte; UINT64_MAX: not set */
} ph_superblock;

/* Looks where HDF5 looks: at 0, 512, 1024, 2048, ... false: no file of HDF5's. */
bool ph_superblock_find(ph_superblock *out, int fd, int64_t size);

#endif
