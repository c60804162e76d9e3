/* The tables under /models/<sha256>/names: columns keep their names when the model does not
 * compile. */
#include "store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode_file.h"
#include "fail.h"

#define OBJECTS_MAX (1 << 20) /* of one kind */

/* A table of n fixed-length cells, checked; *out is the caller's. */
static ph_status read_table(char **out, int *n, size_t *cell, hid_t names, const char *table,
                            int64_t limit) {
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  void *data = NULL;
  size_t size = 0;
  ph_status status = ph_h5_dataset(&dataset, &info, names, table);
  ph_h5_close(dataset);
  if (status == PH_OK && (info.type != PH_STRING || info.rank != 1 || info.dim[0] > OBJECTS_MAX ||
                          info.string_size > 4096))
    status = ph_fail(PH_EFORMAT, "names/%s: it is no table of names", table);
  if (status == PH_OK)
    status = ph_file_checked(&data, &size, NULL, names, table, limit);
  if (status == PH_OK && size != (size_t)info.dim[0] * info.string_size)
    status = ph_fail(PH_EFORMAT, "names/%s: its size is not that of its shape", table);
  if (status) {
    free(data);
    return status;
  }
  *out = data;
  *n = (int)info.dim[0];
  *cell = info.string_size;
  return PH_OK;
}

static ph_status read_kind(ph_names *out, ph_kind kind, hid_t names, int64_t limit) {
  char *cells = NULL;
  int n = 0;
  size_t size = 0;
  bool there = false;
  ph_status status = ph_file_has(&there, names, ph_schema_kind(kind));
  if (status || !there)
    return status;
  status = read_table(&cells, &n, &size, names, ph_schema_kind(kind), limit);
  if (status)
    return status;
  out->name[kind] = calloc((size_t)n + 1, sizeof *out->name[kind]);
  for (int i = 0; out->name[kind] && i < n; i++) {
    out->name[kind][i] = strndup(cells + (size_t)i * size, size);
    if (!out->name[kind][i])
      break;
    out->count[kind] = i + 1;
  }
  if (out->count[kind] != n || !out->name[kind])
    status = ph_fail(PH_ENOMEM, "names/%s: out of memory", ph_schema_kind(kind));
  free(cells);
  return status;
}

/* One integer per joint, within [0, max]; *out is the caller's. */
static ph_status read_numbers(int32_t **out, hid_t names, const char *table, int n, int32_t max,
                              int64_t limit) {
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  void *data = NULL;
  size_t size = 0;
  ph_status status = ph_h5_dataset(&dataset, &info, names, table);
  ph_h5_close(dataset);
  if (status == PH_OK &&
      (info.type != PH_I32 || !info.native || info.rank != 1 || info.dim[0] != n))
    status = ph_fail(PH_EFORMAT, "names/%s: it is no i32 for each of %d joints", table, n);
  if (status == PH_OK)
    status = ph_file_checked(&data, &size, NULL, names, table, limit);
  for (int i = 0; status == PH_OK && i < n; i++)
    if (((int32_t *)data)[i] < 0 || ((int32_t *)data)[i] > max)
      status = ph_fail(PH_EFORMAT, "names/%s: %d is out of its range", table, ((int32_t *)data)[i]);
  if (status) {
    free(data);
    return status;
  }
  *out = data;
  return PH_OK;
}

static ph_status read_joints(ph_names *out, hid_t names, const ph_dims *dims, int64_t limit) {
  int n = out->count[PH_JOINT];
  int32_t *type = NULL, *qpos = NULL, *dof = NULL;
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  ph_status status = PH_OK;
  if (n == 0)
    return PH_OK;
  out->joint = calloc((size_t)n, sizeof *out->joint);
  if (!out->joint)
    return ph_fail(PH_ENOMEM, "names: out of memory");
  status = read_numbers(&type, names, "joint_type", n, PH_HINGE, limit);
  if (status == PH_OK)
    status = read_numbers(&qpos, names, "joint_qposadr", n, INT_MAX, limit);
  if (status == PH_OK)
    status = read_numbers(&dof, names, "joint_dofadr", n, INT_MAX, limit);
  for (int i = 0; status == PH_OK && i < n; i++) {
    out->joint[i] = (ph_joint_info){(ph_joint_type)type[i], qpos[i], dof[i]};
    if (qpos[i] > dims->nq - nq[type[i]] || dof[i] > dims->nv - nv[type[i]])
      status = ph_fail(PH_EFORMAT, "names: joint %d ends outside of qpos or qvel", i);
  }
  free(type);
  free(qpos);
  free(dof);
  return status;
}

ph_status ph_names_read(ph_names *out, hid_t model, const ph_dims *dims, int64_t limit) {
  hid_t names = H5I_INVALID_HID;
  ph_status status = ph_file_group(&names, model, "names");
  if (names < 0)
    return status;
  for (int kind = 0; status == PH_OK && kind < PH_KIND_COUNT; kind++)
    status = read_kind(out, (ph_kind)kind, names, limit);
  if (status == PH_OK)
    status = read_joints(out, names, dims, limit);
  ph_h5_close(names);
  if (status)
    ph_names_clear(out);
  return status;
}
