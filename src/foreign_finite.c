/* Numbers among the states of a foreign episode that are none, or that no engine takes. */
#include <math.h>
#include <stdlib.h>

#include "foreign_parts.h"

#define LOOKED_AT ((int64_t)1 << 18) /* numbers of the states that are looked at */
#define BLOCK 4096                   /* numbers that are read at a time, where a row has fewer */
#define ENGINE_MAX 1e10              /* the engine takes no number beyond it */

struct bad {
  int64_t n, step, element; /* how many, and where the first is */
  double value;
};

static void count(struct bad *bad, int64_t step, int64_t element, double value) {
  if (bad->n++ == 0) {
    bad->step = step;
    bad->element = element;
    bad->value = value;
  }
}

/* Reads what of the rows can be read. */
static void look(const ph_array *array, double *room, int64_t block, int64_t rows, bool timed,
                 struct bad *none, struct bad *huge) {
  int64_t width = (int64_t)array->channel.width;
  for (int64_t at = 0; at < rows; at += block) {
    int64_t n = rows - at < block ? rows - at : block;
    if (array->read(array, at, n, room) != PH_OK)
      continue; /* the reader of the rows is told */
    for (int64_t i = 0; i < n * width; i++) {
      if (timed && i % width == 0)
        continue;
      if (!isfinite(room[i]))
        count(none, at + i / width, i % width, room[i]);
      else if (fabs(room[i]) > ENGINE_MAX)
        count(huge, at + i / width, i % width, room[i]);
    }
  }
}

void ph_foreign_finite(ph_foreign *foreign, bool timed, bool engine) {
  struct bad none = {0}, huge = {0};
  if (foreign->states < 0)
    return;
  const ph_array *array = &foreign->arrays[foreign->states];
  int64_t width = (int64_t)array->channel.width, rows = LOOKED_AT / width;
  int64_t block = width < BLOCK ? BLOCK / width : 1;
  double *room = malloc((size_t)(block * width) * sizeof *room);
  if (!room)
    return; /* a sentence less */
  rows = rows < array->channel.rows ? rows : array->channel.rows;
  look(array, room, block, rows, timed, &none, &huge);
  if (none.n > 0)
    ph_foreign_find(foreign, PH_FINDING_ODDITY, none.step,
                    "%s: element %lld is not finite; %lld such", array->channel.name,
                    (long long)none.element, (long long)none.n);
  if (huge.n > 0 && engine)
    ph_foreign_find(foreign, PH_FINDING_ODDITY, huge.step,
                    "%s: element %lld is %.6g, which the engine does not take; %lld such",
                    array->channel.name, (long long)huge.element, huge.value, (long long)huge.n);
  free(room);
}
