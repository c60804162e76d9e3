/* Rows of episodes of our own format are good where their checksums say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode_file.h"
#include "fail.h"
#include "hash.h"
#include "salvage_dig.h"

struct crc {
  uint32_t *at; /* owned (lines x blocks) */
  char *list;   /* owned: its columns */
  int64_t lines, blocks;
};

static ph_status read_crc(struct crc *crc, hid_t demo) {
  hid_t dataset;
  ph_h5_array info;
  void *data = NULL;
  size_t size = 0;
  ph_status status = ph_h5_dataset(&dataset, &info, demo, "playhead/crc");
  if (!status && (info.type != PH_U32 || !info.native || info.rank != 2))
    status = ph_fail(PH_EFORMAT, "no table of checksums");
  if (!status)
    status = ph_h5_attr_text(dataset, "columns", &crc->list);
  if (!status)
    status = ph_file_checked(&data, &size, NULL, demo, "playhead/crc", (int64_t)1 << 30);
  ph_h5_close(dataset);
  crc->at = data;
  crc->lines = status ? 0 : info.dim[0];
  crc->blocks = status ? 0 : info.dim[1];
  return status;
}

static void check_rows(ph_dig *dig, ph_found *f, hid_t dataset, ph_type type, const uint32_t *crc,
                       int64_t blocks) {
  ph_h5_extent *e = &f->extent;
  char *rows = malloc(PH_CRC_BLOCK_ROWS * e->row_bytes + 1);
  for (int64_t block = 0; rows; block++) {
    int64_t first = block * PH_CRC_BLOCK_ROWS, n = e->rows - first;
    n = n < PH_CRC_BLOCK_ROWS ? n : PH_CRC_BLOCK_ROWS;
    ph_dig_tick(dig, (uint64_t)PH_CRC_BLOCK_ROWS * e->row_bytes);
    if (n <= 0 || first + n > e->good) /* of a block that is not all there nothing is known */
      break;
    if (block < blocks && ph_h5_extent_read(dataset, e, type, first, n, rows) == PH_OK &&
        ph_crc32(rows, (size_t)n * e->row_bytes) == crc[block])
      continue;
    e->good = first;
    snprintf(f->why, sizeof f->why, "they do not match their checksum");
    break;
  }
  free(rows);
}

static void check_column(ph_dig *dig, ph_unit *u, const char *path, const uint32_t *crc,
                         int64_t blocks) {
  hid_t dataset;
  ph_column col = ph_schema_find(path);
  ph_found *f = ph_dig_below(dig, u->root, path);
  if (col == PH_COL_COUNT || !f || f->kind != PH_H5_DATASET || f->extent.good == 0 ||
      f->extent.row_bytes > (1u << 20))
    return;
  if (!ph_dig_at(dig, f)) {
    f->extent.good = 0;
    return;
  }
  if (ph_h5_at(&dataset, dig->from, f->address) != PH_OK)
    return;
  check_rows(dig, f, dataset, ph_schema_column(col)->type, crc, blocks);
  ph_h5_close(dataset);
}

/* Time goes on from row to row; where it does not, nothing was written. */
static void check_time(ph_dig *dig, ph_unit *u) {
  hid_t dataset;
  ph_found *f = ph_dig_below(dig, u->root, "states");
  if (!f || f->kind != PH_H5_DATASET || f->extent.good == 0 || !ph_dig_at(dig, f) ||
      ph_h5_at(&dataset, dig->from, f->address) != PH_OK)
    return;
  int64_t good = f->extent.good, block = PH_CRC_BLOCK_ROWS;
  size_t width = f->extent.row_bytes / sizeof(double);
  double *rows = width > 0 && f->extent.row_bytes <= 1 << 20
                     ? malloc((size_t)block * f->extent.row_bytes)
                     : NULL;
  double last = -1e300;
  for (int64_t first = 0; rows && first < good; first += block) {
    int64_t n = good - first < block ? good - first : block, t = 0;
    if (ph_h5_extent_read(dataset, &f->extent, PH_F64, first, n, rows) != PH_OK)
      n = 0;
    for (; t < n && rows[(size_t)t * width] > last; t++)
      last = rows[(size_t)t * width];
    ph_dig_tick(dig, (uint64_t)block * f->extent.row_bytes);
    if (t == block || first + t == good)
      continue;
    f->extent.good = first + t;
    snprintf(f->why, sizeof f->why, "they were never written");
    break;
  }
  free(rows);
  ph_h5_close(dataset);
}

/* One that is kept whole with its own checksum. */
static void check_other(ph_dig *dig, hid_t demo, ph_found *f) {
  const char *path = ph_dig_within(dig, f);
  void *data = NULL;
  size_t size;
  ph_column col = ph_schema_find(path);
  if (f->kind != PH_H5_DATASET || f->why[0] || (col != PH_COL_COUNT && col != PH_COL_FINAL_STATE) ||
      !ph_dig_at(dig, f))
    return;
  if (ph_file_checked(&data, &size, NULL, demo, path, (int64_t)1 << 30) != PH_OK)
    snprintf(f->why, sizeof f->why, "it does not match its checksum");
  free(data);
}

void ph_dig_check(ph_dig *dig, ph_unit *u) {
  hid_t demo;
  struct crc crc = {0};
  char *rest = NULL;
  int64_t line = 0;
  ph_found *table = ph_dig_below(dig, u->root, "playhead/crc");
  if (!ph_dig_at(dig, &dig->at[u->root]) ||
      ph_h5_at(&demo, dig->from, dig->at[u->root].address) != PH_OK)
    return;
  for (size_t i = u->root + 1; i < u->end; i++)
    check_other(dig, demo, &dig->at[i]);
  if (!table || !ph_dig_at(dig, table) || read_crc(&crc, demo) != PH_OK)
    snprintf(u->why, sizeof u->why, "their checksums are lost: what is given back is not checked");
  for (char *path = crc.list ? strtok_r(crc.list, PH_CRC_SEPARATORS, &rest) : NULL;
       path && line < crc.lines; path = strtok_r(NULL, PH_CRC_SEPARATORS, &rest), line++)
    check_column(dig, u, path, crc.at + line * crc.blocks, crc.blocks);
  if (u->why[0])
    check_time(dig, u);
  free(crc.at);
  free(crc.list);
  ph_h5_close(demo);
}
