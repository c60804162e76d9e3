#include "episode_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "probe.h"
#include "sniff.h"

/* --- files --- */

/* A file that cannot be opened may be one that is being written. */
static ph_status say_writer(ph_status status, int fd, const char *file) {
  char writer[100], why[600];
  if (status != PH_EFORMAT)
    return status;
  ph_file_writer(writer, sizeof writer, fd);
  if (!writer[0])
    return status;
  ph_oddity(why, sizeof why, file);
  return ph_fail(status, "%s: %s: %s", file, writer, why);
}

/* Opens both ways to one file and makes sure that it is one. */
static ph_status open_both(int *fd, hid_t *h5, int64_t *size, const char *file) {
  struct stat mine, theirs;
  *h5 = H5I_INVALID_HID;
  ph_status status = ph_file_regular(fd, file);
  if (status == PH_OK)
    status = ph_file_sniff(*fd, file);
  if (status == PH_OK)
    status = ph_h5_open(h5, file);
  if (status)
    return *fd < 0 ? status : say_writer(status, *fd, file);
  if (fstat(*fd, &mine) != 0 || fstat(ph_h5_fd(*h5), &theirs) != 0)
    return ph_fail(PH_EIO, "%s: cannot be read: %s", file, strerror(errno));
  if (mine.st_dev != theirs.st_dev || mine.st_ino != theirs.st_ino)
    return ph_fail(PH_EIO, "%s: it was replaced while it was opened", file);
  *size = mine.st_size;
  return PH_OK;
}

ph_status ph_file_open(hid_t *h5, const char *file) {
  int fd = -1;
  int64_t size;
  ph_status status = open_both(&fd, h5, &size, file);
  if (fd >= 0)
    close(fd);
  if (status) {
    ph_h5_close(*h5);
    *h5 = H5I_INVALID_HID;
  }
  return status;
}

ph_status ph_file_has(bool *yes, hid_t loc, const char *path) {
  hid_t id = H5I_INVALID_HID;
  *yes = ph_h5_exists(loc, path);
  if (*yes)
    return PH_OK;
  ph_status status = ph_h5_group(&id, loc, path);
  ph_h5_close(id);
  return status == PH_ENOTFOUND ? PH_OK : status;
}

ph_status ph_file_group(hid_t *out, hid_t loc, const char *path) {
  ph_status status = ph_h5_group(out, loc, path);
  return status == PH_ENOTFOUND ? PH_OK : status;
}

ph_status ph_episode_peek(ph_entry *out, const char *file, const char *group) {
  hid_t h5 = H5I_INVALID_HID;
  ph_episode_meta meta = {0};
  ph_status status = ph_probe_looks(file, &group, 1);
  if (status == PH_OK)
    status = ph_file_open(&h5, file);
  if (status == PH_OK)
    status = ph_file_fail(ph_meta_root(&meta, h5), file, NULL);
  if (status == PH_OK)
    status = ph_episode_peek_in(out, h5, file, group);
  ph_h5_close(h5);
  return status;
}

ph_status ph_file_checked(void **out, size_t *size, uint32_t *crc, hid_t loc, const char *path,
                          int64_t limit) {
  ph_h5_array info;
  hid_t dataset = H5I_INVALID_HID;
  int64_t stored = 0;
  *out = NULL;
  ph_status status = ph_h5_dataset(&dataset, &info, loc, path);
  if (status == PH_OK && !ph_h5_has_attr(dataset, "crc"))
    status = ph_fail(PH_EFORMAT, "%s: it has no attribute crc", path);
  if (status == PH_OK)
    status = ph_h5_attr_i64(dataset, "crc", &stored);
  ph_h5_close(dataset);
  if (status == PH_OK)
    status = ph_h5_read_all(out, size, loc, path, (size_t)limit);
  if (status == PH_OK && crc)
    *crc = (uint32_t)stored;
  return status;
}

/* --- model edits --- */

typedef struct edit_list {
  hid_t group;
  int64_t limit;
  ph_edit *at;
  size_t n;
} edit_list;

static ph_status read_edit(void *arg, const char *name, bool is_group) {
  edit_list *list = arg;
  ph_h5_array info;
  hid_t dataset = H5I_INVALID_HID;
  ph_edit edit = {.field = ""};
  void *data = NULL;
  size_t size = 0, expected = 0;
  if (is_group || strlen(name) >= sizeof edit.field)
    return ph_fail(PH_EFORMAT, "playhead/model/%.40s: it is no field of a model", name);
  ph_edit *at = realloc(list->at, (list->n + 1) * sizeof *at);
  if (!at)
    return ph_fail(PH_ENOMEM, "playhead/model/%s: out of memory", name);
  list->at = at;
  ph_status status = ph_h5_dataset(&dataset, &info, list->group, name);
  ph_h5_close(dataset);
  if (status)
    return status;
  if (info.rank < 1 || info.rank > 2 || info.type == PH_STRING || !info.native)
    return ph_fail(PH_EFORMAT, "playhead/model/%s: it is no array of numbers", name);
  status = ph_file_checked(&data, &size, NULL, list->group, name, list->limit);
  if (status)
    return status;
  memcpy(edit.field, name, strlen(name) + 1);
  edit.type = info.type;
  edit.shape[0] = info.dim[0];
  edit.shape[1] = info.rank > 1 ? info.dim[1] : 1;
  edit.data = data;
  if (__builtin_mul_overflow((size_t)edit.shape[0], (size_t)edit.shape[1], &expected) ||
      __builtin_mul_overflow(expected, ph_type_size(edit.type), &expected) || expected != size) {
    free(data);
    return ph_fail(PH_EFORMAT, "playhead/model/%s: its size is not that of its shape", name);
  }
  list->at[list->n++] = edit;
  return PH_OK;
}

static ph_status read_edits(edit_list *list, hid_t demo) {
  ph_status status = ph_h5_group(&list->group, demo, "playhead/model");
  if (status == PH_OK)
    status = ph_h5_list(list->group, read_edit, list);
  ph_h5_close(list->group);
  list->group = H5I_INVALID_HID;
  return status;
}

/* --- open --- */

/* The model's facts from the file itself, where it holds them. */
static ph_status own_facts(ph_model_facts *facts, bool *found, hid_t h5, const char *sha256) {
  char path[96];
  hid_t group = H5I_INVALID_HID;
  *found = false;
  if (!sha256[0])
    return PH_OK;
  snprintf(path, sizeof path, "/models/%s", sha256);
  ph_status status = ph_file_group(&group, h5, path);
  *found = group >= 0;
  if (*found)
    status = ph_meta_model(facts, group);
  ph_h5_close(group);
  return status;
}

static ph_status read_group(ph_file_backend *b, edit_list *edits, ph_episode_meta *m,
                            const ph_model_facts *facts) {
  hid_t demo = H5I_INVALID_HID;
  bool edited = false;
  ph_status status = ph_h5_group(&demo, b->h5, m->group);
  if (status == PH_OK)
    status = ph_columns_open(b, &edited, demo, m, facts);
  if (status == PH_OK && edited)
    status = read_edits(edits, demo);
  ph_h5_close(demo);
  return ph_file_fail(status, m->file, m->group);
}

/* HDF5 is needed later only for columns whose bytes do not lie in the file as they are. */
static void close_unneeded(ph_file_backend *b) {
  bool needed = false;
  for (int col = 0; col < PH_COL_COUNT; col++) {
    ph_file_column *c = &b->col[col];
    bool here = c->stored && col != PH_COL_FINAL_STATE && c->info.offset < 0 && c->row_bytes > 0;
    if (!here) {
      ph_h5_close(c->dataset);
      c->dataset = H5I_INVALID_HID;
    }
    needed |= here;
  }
  if (!needed) {
    ph_h5_close(b->h5);
    b->h5 = H5I_INVALID_HID;
  }
}

static ph_file_backend *backend_new(const char *file, const char *group) {
  ph_file_backend *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->base.read = ph_file_read;
  b->base.free = ph_file_free;
  b->fd = -1;
  b->h5 = H5I_INVALID_HID;
  for (int col = 0; col < PH_COL_COUNT; col++)
    b->col[col].dataset = H5I_INVALID_HID;
  b->file = strdup(file);
  b->group = strdup(group);
  if (b->file && b->group)
    return b;
  ph_file_free(&b->base);
  return NULL;
}

static uint32_t stored_columns(const ph_file_backend *b) {
  uint32_t columns = 0;
  for (int col = 0; col < PH_COL_COUNT; col++)
    columns |= b->col[col].stored ? PH_COL_BIT(col) : 0;
  return columns;
}

ph_status ph_episode_open_with(ph_episode **out, const char *file, const char *group,
                               ph_facts_of *facts_of, void *arg) {
  ph_episode_meta meta = {0};
  ph_model_facts own;
  const ph_model_facts *facts = NULL;
  edit_list edits = {.group = H5I_INVALID_HID};
  char *provenance = NULL;
  bool found = false;
  *out = NULL;
  ph_file_backend *b = backend_new(file, group);
  if (!b)
    return ph_fail(PH_ENOMEM, "%s: out of memory", file);
  ph_status status = open_both(&b->fd, &b->h5, &b->size, file);
  if (status)
    goto out;
  edits.limit = b->size;
  status = ph_file_fail(ph_meta_root(&meta, b->h5), file, NULL);
  if (status == PH_OK)
    status = ph_meta_read(&meta, &provenance, b->h5, file, group);
  if (status == PH_OK && facts_of && meta.model_sha256[0])
    facts = facts_of(arg, meta.model_sha256);
  if (status == PH_OK && !facts)
    status = ph_file_fail(own_facts(&own, &found, b->h5, meta.model_sha256), file, "/models");
  if (found)
    facts = &own;
  if (status == PH_OK)
    status = read_group(b, &edits, &meta, facts);
  if (status)
    goto out;
  ph_meta_clock(&meta, facts ? facts->timestep : 0);
  meta.provenance = provenance;
  close_unneeded(b);
  status = ph_episode_new(out, &meta, stored_columns(b), edits.at, edits.n, &b->base);
  b = NULL;
out:
  if (b)
    ph_file_free(&b->base);
  ph_edits_free(edits.at, edits.n);
  free(provenance);
  return status;
}

ph_status ph_episode_open(ph_episode **out, const char *file, const char *group) {
  return ph_episode_open_with(out, file, group, NULL, NULL);
}
