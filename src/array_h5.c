/* An array of an HDF5 file as a ph_array: named whatever it is, read on demand where it is of
 * numbers. */
#include "foreign.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

#define SLICE 8192                       /* bytes of the file converted at a time */
#define BLOCK_BYTES ((int64_t)256 << 10) /* of numbers kept at a time where they are packed */
#define BLOCK_MOST ((int64_t)4 << 20)    /* for the sake of a chunk that is larger */

struct source {
  hid_t file, dataset;
  ph_h5_array info;
  int fd; /* borrowed from file */
  /* Rows that were read last, as doubles, where they do not lie as they are in memory: unpacking a
   * chunk for each row of it is what takes time. All under the lock but block_rows. */
  int64_t block_rows; /* 0: none are kept */
  pthread_mutex_t lock;
  double *block; /* NULL: none yet */
  int64_t first, n;
};

/* --- kinds --- */

static void classify(ph_channel *channel, const ph_h5_array *info, const char *path,
                     const char *why) {
  const char *note = why;
  channel->kind = PH_CHANNEL_OTHER;
  if ((!why[0] || strcmp(info->name, "list") == 0) &&
      ph_is_picture(path, info->name, info->rank, info->dim, &note))
    channel->kind = PH_CHANNEL_IMAGE;
  else if (why[0])
    note = why;
  else if (info->rank == 0)
    note = "one value, not a row a step";
  else if (info->width == 0)
    note = "its rows are empty";
  else
    channel->kind = PH_CHANNEL_NUMBERS;
  channel->width = channel->kind == PH_CHANNEL_NUMBERS ? (size_t)info->width : 0;
  snprintf(channel->note, sizeof channel->note, "%s", note);
}

static void describe(ph_channel *channel, const ph_h5_array *info) {
  snprintf(channel->type, sizeof channel->type, "%s", info->name);
  channel->rank = info->rank;
  memcpy(channel->dim, info->dim, sizeof channel->dim);
  channel->rows = info->rank > 0 ? info->dim[0] : 0;
}

/* --- reading --- */

static void widen(ph_type type, const void *from, size_t n, double *out) {
  switch (type) {
  case PH_F64:
    memcpy(out, from, n * sizeof *out);
    break;
  case PH_F32:
    for (size_t i = 0; i < n; i++)
      out[i] = ((const float *)from)[i];
    break;
  case PH_I64:
    for (size_t i = 0; i < n; i++)
      out[i] = (double)((const int64_t *)from)[i];
    break;
  case PH_I32:
    for (size_t i = 0; i < n; i++)
      out[i] = ((const int32_t *)from)[i];
    break;
  case PH_U32:
    for (size_t i = 0; i < n; i++)
      out[i] = ((const uint32_t *)from)[i];
    break;
  case PH_U8:
    for (size_t i = 0; i < n; i++)
      out[i] = ((const uint8_t *)from)[i];
    break;
  case PH_STRING:
    break;
  }
}

static ph_status pread_all(const ph_array *array, int64_t at, size_t size, void *out) {
  const struct source *source = array->source;
  for (size_t done = 0; done < size;) {
    ssize_t n = pread(source->fd, (char *)out + done, size - done, (off_t)(at + (int64_t)done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return ph_fail(n < 0 ? PH_EIO : PH_ECORRUPT, "%s: %s", array->channel.name,
                     n < 0 ? strerror(errno) : "the file ends before its data does");
    done += (size_t)n;
  }
  return PH_OK;
}

static ph_status read_plain(const ph_array *array, int64_t first, int64_t n, double *out) {
  const struct source *source = array->source;
  size_t size = ph_type_size(source->info.type), width = (size_t)source->info.width;
  size_t left = (size_t)n * width;
  int64_t at = source->info.offset + first * (int64_t)(width * size);
  if (source->info.type == PH_F64)
    return pread_all(array, at, left * size, out);
  _Alignas(8) char slice[SLICE];
  ph_status status = PH_OK;
  while (left > 0 && !status) {
    size_t part = left < sizeof slice / size ? left : sizeof slice / size;
    status = pread_all(array, at, part * size, slice);
    if (!status)
      widen(source->info.type, slice, part, out);
    out += part;
    left -= part;
    at += (int64_t)(part * size);
  }
  return status;
}

/* Rows of a block: about BLOCK_BYTES, whole chunks where there are any. */
static int64_t rows_of_block(const struct source *source, int64_t chunk) {
  int64_t row = source->info.width * (int64_t)sizeof(double);
  int64_t rows = row > 0 ? BLOCK_BYTES / row : 0;
  chunk = chunk > 0 ? chunk : 1;
  if (row > BLOCK_MOST / chunk)
    return 0;
  return rows > chunk ? rows / chunk * chunk : chunk;
}

/* Fills the block that holds a row. */
static ph_status load_block(struct source *source, int64_t row) {
  int64_t first = row / source->block_rows * source->block_rows;
  int64_t left = source->info.dim[0] - first;
  int64_t n = left < source->block_rows ? left : source->block_rows;
  size_t size = (size_t)(source->block_rows * source->info.width) * sizeof(double);
  if (!source->block && !(source->block = malloc(size)))
    return ph_fail(PH_ENOMEM, "%zu bytes: out of memory", size);
  source->n = 0;
  ph_status status = ph_h5_read(source->dataset, &source->info, PH_F64, first, n, source->block);
  if (status)
    return status;
  source->first = first;
  source->n = n;
  return PH_OK;
}

static ph_status read_packed(struct source *source, int64_t first, int64_t n, double *out) {
  size_t width = (size_t)source->info.width;
  ph_status status = PH_OK;
  pthread_mutex_lock(&source->lock);
  while (n > 0 && !status) {
    bool there = first >= source->first && first < source->first + source->n;
    if (!there && load_block(source, first) != PH_OK) { /* maybe for damage in other rows of it */
      status = ph_h5_read(source->dataset, &source->info, PH_F64, first, n, out);
      break;
    }
    int64_t have = source->first + source->n - first, part = n < have ? n : have;
    memcpy(out, source->block + (size_t)(first - source->first) * width,
           (size_t)part * width * sizeof *out);
    out += (size_t)part * width;
    first += part;
    n -= part;
  }
  pthread_mutex_unlock(&source->lock);
  return status;
}

static ph_status read_numbers(const ph_array *array, int64_t first, int64_t n, double *out) {
  struct source *source = array->source;
  if (first < 0 || n < 0 || first > source->info.dim[0] || n > source->info.dim[0] - first)
    return ph_fail(PH_EINVAL, "%s: rows %lld to %lld: outside", array->channel.name,
                   (long long)first, (long long)(first + n - 1));
  if (n == 0)
    return PH_OK;
  if (source->info.native && source->info.offset >= 0)
    return read_plain(array, first, n, out);
  if (source->block_rows > 0)
    return read_packed(source, first, n, out);
  return ph_h5_read(source->dataset, &source->info, PH_F64, first, n, out);
}

static ph_status read_whole(const ph_array *array, int64_t first, int64_t n, uint64_t *out) {
  const struct source *source = array->source;
  return ph_h5_read_whole(source->dataset, &source->info, first, n, out);
}

static void close_source(void *arg) {
  struct source *source = arg;
  if (!source)
    return;
  ph_h5_close(source->dataset);
  ph_h5_close(source->file);
  pthread_mutex_destroy(&source->lock);
  free(source->block);
  free(source);
}

/* --- opening --- */

/* The reason alone, without file and object: "FILE: OBJECT: WHAT: WHY". */
static void keep_reason(ph_channel *channel) {
  const char *text = ph_error(), *why = text;
  for (const char *at = text; (at = strstr(at, ": ")); at += 2)
    why = at + 2;
  channel->kind = PH_CHANNEL_OTHER;
  snprintf(channel->note, sizeof channel->note, "cannot be read: %s", why);
}

ph_status ph_array_h5(ph_array *array, hid_t loc, const char *path) {
  const char *why;
  struct source *source = calloc(1, sizeof *source);
  if (!source)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  source->file = source->dataset = H5I_INVALID_HID;
  pthread_mutex_init(&source->lock, NULL);
  ph_status status = ph_h5_dataset_any(&source->dataset, &source->info, &why, loc, path);
  if (!status) {
    describe(&array->channel, &source->info);
    classify(&array->channel, &source->info, path, why);
    array->stored = source->info.type;
    status = ph_h5_hold(&source->file, &source->fd, source->dataset);
  }
  if (status)
    keep_reason(&array->channel);
  if (status || array->channel.kind != PH_CHANNEL_NUMBERS) {
    close_source(source);
    return status == PH_ENOMEM ? status : PH_OK;
  }
  array->together = ph_h5_chunk_rows(source->dataset);
  source->block_rows = rows_of_block(source, array->together);
  array->source = source;
  array->read = read_numbers;
  if (strcmp(source->info.name, "int64") == 0 || strcmp(source->info.name, "uint64") == 0)
    array->read_whole = read_whole;
  array->close = close_source;
  return PH_OK;
}
