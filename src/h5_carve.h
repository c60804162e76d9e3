/* Headers of objects in a damaged file that no list leads to; door-private. */
#ifndef PLAYHEAD_H5_CARVE_H
#define PLAYHEAD_H5_CARVE_H

#include <stdbool.h>
#include <stdint.h>

/* Where the tree and the heap of names of an old group are, as its parent's list says. */
bool ph_h5_lists_of(uint64_t *tree, uint64_t *heap, int fd, uint64_t base, uint64_t end,
                    uint64_t header);

#endif
