/* Datasets of text of other writers: of fixed length, or each of its own (as h5py writes it). */
#include "h5_door.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* What the library takes for texts of their own length: it asks for as much as the file says. */
struct pool {
  void **at; /* owned, as what they point to */
  size_t n, room;
  size_t left; /* bytes that may still be taken */
};

static void *take(size_t size, void *arg) {
  struct pool *pool = arg;
  if (size > pool->left || pool->n == pool->room)
    return NULL;
  void *block = calloc(1, size + 1);
  if (!block)
    return NULL;
  pool->left -= size;
  return pool->at[pool->n++] = block;
}

static void leave(void *block, void *arg) {
  (void)block, (void)arg; /* the pool frees them all */
}

static void free_pool(struct pool *pool) {
  for (size_t i = 0; i < pool->n; i++)
    free(pool->at[i]);
  free(pool->at);
}

/* Cells of one length: blanks and zeros that fill them are no part of the text. */
static char *cell_text(const char *cell, size_t size) {
  size_t n = strnlen(cell, size);
  while (n > 0 && cell[n - 1] == ' ')
    n--;
  return strndup(cell, n);
}

static ph_status read_fixed(char **text, size_t n, hid_t dataset, hid_t type, size_t limit) {
  size_t size = H5Tget_size(type), made = 0;
  if (size == 0 || size > limit / n)
    return ph_h5_refuse(PH_EREFUSED, dataset, "", "it is too long");
  char *cells = malloc(n * size);
  ph_status status = cells ? PH_OK : ph_h5_refuse(PH_ENOMEM, dataset, "", "out of memory");
  if (!status && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) < 0)
    status = ph_h5_error(PH_ECORRUPT, dataset, "");
  while (!status && made < n && (text[made] = cell_text(cells + made * size, size)))
    made++;
  if (!status && made < n)
    status = ph_h5_refuse(PH_ENOMEM, dataset, "", "out of memory");
  free(cells);
  return status;
}

static ph_status read_variable(char **text, size_t n, hid_t dataset, hid_t type, size_t limit) {
  struct pool pool = {.room = n, .left = limit};
  char **given = calloc(n, sizeof *given);
  hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  ph_status status = PH_OK;
  pool.at = calloc(n, sizeof *pool.at);
  if (!given || !pool.at || transfer < 0 ||
      H5Pset_vlen_mem_manager(transfer, take, &pool, leave, &pool) < 0)
    status = ph_h5_refuse(PH_ENOMEM, dataset, "", "out of memory");
  if (!status && H5Dread(dataset, type, H5S_ALL, H5S_ALL, transfer, given) < 0)
    status = ph_h5_error(PH_ECORRUPT, dataset, "");
  for (size_t i = 0; !status && i < n; i++)
    if (!(text[i] = strdup(given[i] ? given[i] : "")))
      status = ph_h5_refuse(PH_ENOMEM, dataset, "", "out of memory");
  ph_h5_close(transfer);
  free_pool(&pool);
  free(given);
  return status;
}

static ph_status read_texts(char ***out, size_t *n, hid_t dataset, size_t limit) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  ph_status status = ph_h5_check_storage(dataset);
  if (!status && (type < 0 || count < 0))
    status = ph_h5_error(PH_EFORMAT, dataset, "");
  if (!status && (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) > 2))
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", "it is no list of texts");
  if (!status && (size_t)count > limit / sizeof **out)
    status = ph_h5_refuse(PH_EREFUSED, dataset, "", "it is too long");
  char **text = status ? NULL : calloc((size_t)count + 1, sizeof *text);
  if (!status && !text)
    status = ph_h5_refuse(PH_ENOMEM, dataset, "", "out of memory");
  if (!status && count > 0)
    status = H5Tis_variable_str(type) > 0 ? read_variable(text, (size_t)count, dataset, type, limit)
                                          : read_fixed(text, (size_t)count, dataset, type, limit);
  if (!status) {
    *out = text;
    *n = (size_t)count;
  } else if (text) {
    ph_h5_names_free(text, (size_t)count);
  }
  ph_h5_close(space);
  ph_h5_close(type);
  return status;
}

ph_status ph_h5_texts(char ***out, size_t *n, hid_t loc, const char *path, size_t limit) {
  hid_t dataset = H5I_INVALID_HID;
  *out = NULL;
  *n = 0;
  ph_h5_enter();
  ph_status status = ph_h5_path(loc, path);
  if (!status && (dataset = H5Dopen2(loc, path, H5P_DEFAULT)) < 0)
    status = ph_h5_error(PH_EFORMAT, loc, path);
  if (!status)
    status = read_texts(out, n, dataset, limit);
  ph_h5_close(dataset);
  ph_h5_leave();
  return status;
}
