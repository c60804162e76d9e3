/* Elements of an archive's arrays: numbers, text, and whether they can be read at all. */
#include "npz_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "npy.h"

#define TEXT_MAX (1 << 20) /* bytes of a scalar of text */
#define BLOCK 65536        /* bytes that are converted at a time; a multiple of every element */

/* What libzip says of a member that failed. */
static const char *reason(zip_file_t *file) {
  return zip_error_strerror(zip_file_get_error(file));
}

/* --- elements --- */

static ph_status damaged(const ph_npz *npz, const ph_npz_member *m, const char *why) {
  return ph_fail(PH_ECORRUPT, "%s: %s: it is damaged: %s", npz->path, m->info.name, why);
}

/* Opens a member and skips its header. */
static ph_status open_elements(zip_file_t **out, const ph_npz *npz, const ph_npz_member *m) {
  char skipped[1024];
  *out = NULL;
  if (m->head == 0)
    return ph_fail(PH_EFORMAT, "%s: %s: %s", npz->path, m->info.name, m->info.why);
  zip_file_t *file = zip_fopen_index(npz->zip, m->place, 0);
  if (!file)
    return damaged(npz, m, zip_strerror(npz->zip));
  for (size_t left = m->head, n; left > 0; left -= n) {
    n = left < sizeof skipped ? left : sizeof skipped;
    if (!ph_npz_bytes(file, skipped, n)) {
      ph_status status = damaged(npz, m, reason(file));
      zip_fclose(file);
      return status;
    }
  }
  *out = file;
  return PH_OK;
}

/* The checksum is compared when the end is met. */
static ph_status meet_end(const ph_npz *npz, const ph_npz_member *m, zip_file_t *file) {
  char more;
  zip_int64_t n = zip_fread(file, &more, 1);
  if (n < 0)
    return damaged(npz, m, reason(file));
  return n > 0 ? damaged(npz, m, "it is longer than it says") : PH_OK;
}

/* Converts block after block into out, which has place for all. */
static ph_status read_numbers(double *out, const ph_npz *npz, const ph_npz_member *m,
                              zip_file_t *file) {
  unsigned char bytes[BLOCK];
  double block[BLOCK / sizeof(double)];
  const ph_npy *info = &m->info;
  size_t element = ph_npy_element(info), fit = sizeof block / sizeof *block;
  int64_t at[4] = {0};
  for (size_t done = 0, n; done < info->count; done += n) {
    n = info->count - done < fit ? info->count - done : fit;
    if (!ph_npz_bytes(file, bytes, n * element))
      return damaged(npz, m, reason(file));
    ph_npy_numbers(info->fortran ? block : out + done, info, bytes, n);
    for (size_t i = 0; info->fortran && i < n; i++)
      out[ph_npy_next(info, at)] = block[i];
  }
  return meet_end(npz, m, file);
}

ph_status ph_npz_numbers(double **out, const ph_npz *npz, size_t i, size_t limit) {
  const ph_npz_member *m = &npz->at[i];
  zip_file_t *file = NULL;
  double *numbers = NULL;
  *out = NULL;
  if (!m->info.numeric)
    return ph_fail(PH_EFORMAT, "%s: %s: %s", npz->path, m->info.name, m->info.why);
  if (m->info.count > limit / sizeof *numbers)
    return ph_fail(PH_EREFUSED, "%s: %s: it takes %zu bytes, more than the %zu that are allowed",
                   npz->path, m->info.name, m->info.count * sizeof *numbers, limit);
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  numbers = malloc(m->info.count > 0 ? m->info.count * sizeof *numbers : 1);
  if (!numbers)
    status = ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->path, m->info.name);
  if (status == PH_OK)
    status = read_numbers(numbers, npz, m, file);
  zip_fclose(file);
  if (status)
    free(numbers);
  else
    *out = numbers;
  return status;
}

ph_status ph_npz_check(const ph_npz *npz, size_t i) {
  const ph_npz_member *m = &npz->at[i];
  char bytes[BLOCK];
  zip_file_t *file = NULL;
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  for (uint64_t left = m->size - m->head, n; left > 0 && status == PH_OK; left -= n) {
    n = left < sizeof bytes ? left : sizeof bytes;
    if (!ph_npz_bytes(file, bytes, (size_t)n))
      status = damaged(npz, m, reason(file));
  }
  if (status == PH_OK)
    status = meet_end(npz, m, file);
  zip_fclose(file);
  return status;
}

/* --- text --- */

static size_t put_utf8(char *out, uint32_t c) {
  if (c > 0x10ffff)
    c = 0xfffd;
  if (c < 0x80)
    return out[0] = (char)c, 1;
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, c >>= 6)
    out[i] = (char)(0x80 | (c & 63));
  out[0] = (char)((0xf00 >> n & 0xf0) | c);
  return n;
}

/* UCS-4 in place: no character takes more bytes than before. */
static size_t to_utf8(char *text, size_t n, bool big) {
  size_t out = 0;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    uint32_t c = 0;
    for (size_t b = 0; b < 4; b++)
      c = c << 8 | (unsigned char)text[i + (big ? b : 3 - b)];
    out += put_utf8(text + out, c);
  }
  return out;
}

ph_status ph_npz_text(const ph_npz *npz, size_t i, char *out, size_t size) {
  const ph_npz_member *m = &npz->at[i];
  zip_file_t *file = NULL;
  size_t n = ph_npy_element(&m->info);
  bool text = m->head > 0 && strcmp(m->info.type, "text") == 0;
  if (!text || m->info.count != 1 || m->info.rank > 1 || n > TEXT_MAX)
    return ph_fail(PH_EFORMAT, "%s: %s: it is not one text", npz->path, m->info.name);
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  char *raw = malloc(n + 1);
  if (!raw)
    status = ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->path, m->info.name);
  else if (!ph_npz_bytes(file, raw, n))
    status = damaged(npz, m, reason(file));
  if (status == PH_OK)
    status = meet_end(npz, m, file);
  if (status == PH_OK) {
    if (m->info.descr[1] == 'U')
      n = to_utf8(raw, n, m->info.descr[0] == '>');
    while (n > 0 && raw[n - 1] == 0)
      n--;
    ph_escape(out, size, raw, n);
  }
  free(raw);
  zip_fclose(file);
  return status;
}
