/* An archive of arrays, which is read and cut, or the text of a header. The first byte chooses:
 * even, the rest is a whole archive; odd, the rest is a .npy. What is read is within its limit;
 * what is numeric has a shape that its numbers fill. */
#include "npy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT ((size_t)1 << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64], copy[80];

static void remove_file(void) {
  unlink(path);
  unlink(copy);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  strcpy(path, "/tmp/playhead-fuzz-XXXXXX");
  int fd = mkstemp(path);
  assert(fd >= 0);
  close(fd);
  snprintf(copy, sizeof copy, "%s-copy", path);
  atexit(remove_file);
  return 0;
}

static void check_shape(const ph_npy *npy) {
  size_t count = 1;
  assert(npy->numeric == !npy->why[0]);
  if (!npy->numeric)
    return;
  assert(npy->rank <= 4 && ph_npy_element(npy) > 0);
  for (int i = 0; i < npy->rank; i++)
    count *= (size_t)npy->dim[i];
  assert(count == npy->count);
}

static void read_array(const ph_npz *npz, size_t i) {
  const ph_npy *npy = ph_npz_info(npz, i);
  double *numbers = NULL;
  char text[64];
  check_shape(npy);
  if (ph_npz_numbers(&numbers, npz, i, LIMIT) == PH_OK) {
    assert(npy->numeric && npy->count * sizeof *numbers <= LIMIT);
    assert(ph_npz_check(npz, i) == PH_OK);
  } else {
    assert(!numbers);
  }
  free(numbers);
  if (ph_npz_text(npz, i, text, sizeof text) == PH_OK)
    assert(strlen(text) < sizeof text);
}

/* What is written can be read. */
static void check_copy(void) {
  ph_npz *npz = NULL;
  assert(ph_npz_open(&npz, copy) == PH_OK);
  for (size_t i = 0; i < ph_npz_count(npz); i++)
    assert(ph_npz_check(npz, i) == PH_OK);
  ph_npz_close(npz);
  unlink(copy);
}

/* Half of the rows of each array that can be cut so, in all three ways; the others whole. */
static void cut_archive(const ph_npz *npz) {
  ph_npz_writer *to = NULL;
  size_t bytes = 0;
  if (ph_npz_create(&to, copy) != PH_OK)
    return;
  for (size_t i = 0; i < ph_npz_count(npz); i++) {
    const ph_npy *npy = ph_npz_info(npz, i);
    ph_npz_cut cut = PH_NPZ_WHOLE;
    if (npy->rank > 0)
      cut.keep = npy->dim[0] / 2;
    cut.last = i % 3 > 0;
    cut.rest = i % 3 > 1;
    cut.one = i % 2;
    if (ph_npz_cannot(npz, i, &cut))
      cut = PH_NPZ_WHOLE;
    bytes += npy->count * ph_npy_element(npy);
    if (bytes <= LIMIT)
      (void)ph_npz_copy(to, npz, i, &cut);
  }
  if (ph_npz_finish(to) == PH_OK)
    check_copy();
}

static void read_archive(const uint8_t *data, size_t size) {
  ph_npz *npz = NULL;
  FILE *file = fopen(path, "wb");
  assert(file);
  fwrite(data, 1, size, file);
  fclose(file);
  if (ph_npz_open(&npz, path) != PH_OK)
    return;
  for (size_t i = 0; i < ph_npz_count(npz); i++)
    read_array(npz, i);
  cut_archive(npz);
  ph_npz_close(npz);
}

static void read_header(const uint8_t *data, size_t size) {
  ph_npy npy = {.name = "x"};
  size_t at = 0, length = 0, lead = size < PH_NPY_LEAD ? size : PH_NPY_LEAD;
  if (ph_npy_lead(&at, &length, data, lead) || at + length > size)
    return;
  if (!ph_npy_parse(&npy, (const char *)data + at, length))
    check_shape(&npy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0 && data[0] & 1)
    read_header(data + 1, size - 1);
  else if (size > 0)
    read_archive(data + 1, size - 1);
  return 0;
}
