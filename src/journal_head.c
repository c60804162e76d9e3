/* The head of a journal: what its episode is of, and where the columns are in a record. */
#include "journal_parts.h"

#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "hash.h"
#include "json.h"

/* X(member): texts of ph_episode_meta that are kept under their own names. */
#define TEXT_LIST(X)                                                                               \
  X(writer)                                                                                        \
  X(run_id)                                                                                        \
  X(created)                                                                                       \
  X(substrate)                                                                                     \
  X(rng)                                                                                           \
  X(seed)                                                                                          \
  X(determinism)                                                                                   \
  X(model_sha256)                                                                                  \
  X(task_sha256)                                                                                   \
  X(env_name)                                                                                      \
  X(recipe)                                                                                        \
  X(derived)                                                                                       \
  X(engine)                                                                                        \
  X(parent)

/* X(member): sizes of ph_dims. */
#define DIM_LIST(X)                                                                                \
  X(nq)                                                                                            \
  X(nv)                                                                                            \
  X(nu)                                                                                            \
  X(na)                                                                                            \
  X(nmocap)                                                                                        \
  X(nuserdata)                                                                                     \
  X(neq)                                                                                           \
  X(nplugin)                                                                                       \
  X(nbody)                                                                                         \
  X(action_dim)                                                                                    \
  X(action_state)                                                                                  \
  X(control_steps)

/* --- writing --- */

/* A name that is no UTF-8 is written escaped. */
static json_t *text_of(const char *text) {
  json_t *value = json_string(text);
  char escaped[1024];
  if (!value) {
    ph_escape(escaped, sizeof escaped, text, strlen(text));
    value = json_string(escaped);
  }
  return value;
}

static json_t *layout_of(const ph_record_layout *layout) {
  json_t *array = json_array();
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    const ph_column_info *info = ph_schema_column(col);
    if ((layout->columns & PH_COL_BIT(col)) == 0)
      continue;
    json_t *line =
        json_pack("{s:s, s:s, s:I, s:I}", "name", info->path, "type", ph_type_name(info->type),
                  "offset", (json_int_t)layout->offset[col], "size", (json_int_t)layout->size[col]);
    json_array_append_new(array, line);
  }
  return array;
}

static char *text_of_head(const ph_journal_head *head, const ph_record_layout *layout) {
  const ph_episode_meta *m = &head->meta;
  json_t *object = json_object(), *dims = json_object();
#define PUT_TEXT(member) json_object_set_new(object, #member, text_of(m->member));
  TEXT_LIST(PUT_TEXT)
#undef PUT_TEXT
#define PUT_DIM(member) json_object_set_new(dims, #member, json_integer(m->dims.member));
  DIM_LIST(PUT_DIM)
#undef PUT_DIM
  json_object_set_new(object, "dims", dims);
  json_object_set_new(object, "env_id", json_integer(m->env_id));
  json_object_set_new(object, "episode", json_integer(m->episode));
  json_object_set_new(object, "hold_seconds", json_real(m->hold_seconds));
  json_object_set_new(object, "hold_steps", json_integer(m->hold_steps));
  json_object_set_new(object, "control_dt", json_real(m->control_dt));
  json_object_set_new(object, "timestep", json_real(m->timestep));
  json_object_set_new(object, "provenance", text_of(m->provenance ? m->provenance : "[]"));
  json_object_set_new(object, "layout", layout_of(layout));
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  return text;
}

static size_t edit_bytes(const ph_edit *edit) {
  return (size_t)edit->shape[0] * (size_t)edit->shape[1] * ph_type_size(edit->type);
}

static size_t edits_bytes(const ph_edit *edits, size_t n) {
  size_t size = 0;
  for (size_t i = 0; i < n; i++)
    size += PH_JOURNAL_EDIT + edit_bytes(&edits[i]);
  return size;
}

static unsigned char *put_edit(unsigned char *to, const ph_edit *edit) {
  uint32_t type[2] = {(uint32_t)edit->type, 0};
  memset(to, 0, PH_JOURNAL_EDIT);
  memcpy(to, edit->field, strnlen(edit->field, sizeof edit->field));
  memcpy(to + 40, type, sizeof type);
  memcpy(to + 48, edit->shape, sizeof edit->shape);
  memcpy(to + PH_JOURNAL_EDIT, edit->data, edit_bytes(edit));
  return to + PH_JOURNAL_EDIT + edit_bytes(edit);
}

ph_status ph_journal_encode(unsigned char **out, size_t *size, const ph_journal_head *head,
                            const ph_record_layout *layout, uint64_t nonce) {
  char *text = text_of_head(head, layout);
  size_t n = text ? strlen(text) : 0, edits = edits_bytes(head->edits, head->nedits);
  uint64_t record = ph_journal_round(sizeof(uint64_t) + layout->payload + sizeof(uint32_t));
  *out = NULL;
  *size = (size_t)ph_journal_round(PH_JOURNAL_FIXED + n + edits + sizeof(uint32_t));
  if (*size > PH_JOURNAL_HEAD_LIMIT) {
    free(text);
    return ph_fail(PH_EINVAL, "journal: a head of %zu bytes is too large", *size);
  }
  ph_journal_fixed fixed = {.order = PH_JOURNAL_ORDER,
                            .version = PH_JOURNAL_VERSION,
                            .head = *size,
                            .record = record,
                            .nonce = nonce,
                            .text = n,
                            .edits = edits};
  memcpy(fixed.magic, PH_JOURNAL_MAGIC, sizeof fixed.magic);
  unsigned char *bytes = text ? calloc(1, *size) : NULL;
  *out = bytes;
  if (bytes) {
    memcpy(bytes, &fixed, sizeof fixed);
    memcpy(bytes + sizeof fixed, text, n);
    unsigned char *at = bytes + sizeof fixed + n;
    for (size_t i = 0; i < head->nedits; i++)
      at = put_edit(at, &head->edits[i]);
    uint32_t crc = ph_crc32(bytes, *size - sizeof crc);
    memcpy(bytes + *size - sizeof crc, &crc, sizeof crc);
  }
  free(text);
  return bytes ? PH_OK : ph_fail(PH_ENOMEM, "journal: out of memory");
}

/* --- reading --- */

static bool get_text(const json_t *object, const char *key, char *out, size_t size) {
  const json_t *value = json_object_get(object, key);
  size_t n = json_string_length(value);
  if (!json_is_string(value) || n >= size || strlen(json_string_value(value)) != n)
    return false;
  memcpy(out, json_string_value(value), n + 1);
  return true;
}

static bool get_int(const json_t *object, const char *key, int64_t limit, int64_t *out) {
  const json_t *value = json_object_get(object, key);
  *out = json_integer_value(value);
  return json_is_integer(value) && *out >= 0 && *out <= limit;
}

static bool get_real(const json_t *object, const char *key, double *out) {
  const json_t *value = json_object_get(object, key);
  *out = json_number_value(value);
  return json_is_number(value);
}

static bool get_dims(const json_t *object, ph_dims *dims) {
  bool ok = json_is_object(object);
  int64_t n = 0;
#define GET_DIM(member)                                                                            \
  ok = ok && get_int(object, #member, PH_JOURNAL_SIZE_LIMIT, &n);                                  \
  dims->member = (int)n;
  DIM_LIST(GET_DIM)
#undef GET_DIM
  return ok;
}

static bool get_facts(const json_t *object, ph_journal_head *head) {
  ph_episode_meta *m = &head->meta;
  int64_t env_id = 0;
  bool ok = true;
#define GET_TEXT(member) ok = ok && get_text(object, #member, m->member, sizeof m->member);
  TEXT_LIST(GET_TEXT)
#undef GET_TEXT
  ok = ok && get_int(object, "env_id", INT32_MAX, &env_id) &&
       get_int(object, "episode", INT64_MAX, &m->episode) &&
       get_real(object, "hold_seconds", &m->hold_seconds) &&
       get_int(object, "hold_steps", INT64_MAX, &m->hold_steps) &&
       get_real(object, "control_dt", &m->control_dt) &&
       get_real(object, "timestep", &m->timestep) &&
       get_dims(json_object_get(object, "dims"), &m->dims);
  m->env_id = (int)env_id;
  const char *provenance = json_string_value(json_object_get(object, "provenance"));
  head->provenance = ok && provenance ? strdup(provenance) : NULL;
  m->provenance = head->provenance;
  return head->provenance != NULL;
}

/* The layout that the columns give must be the one that is written, to the byte. */
static bool get_layout(const json_t *array, ph_journal_head *head, ph_record_layout *layout) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    const char *name = json_string_value(json_object_get(json_array_get(array, i), "name"));
    ph_column col = name ? ph_schema_find(name) : PH_COL_COUNT;
    if (col == PH_COL_COUNT)
      return false;
    head->columns |= PH_COL_BIT(col);
  }
  ph_record_layout_of(layout, &head->meta.dims, head->columns);
  json_t *expected = layout_of(layout);
  bool same = json_is_array(array) && json_equal(array, expected);
  json_decref(expected);
  return same;
}

/* One edit from n bytes; the bytes that it takes, 0 where it is none. Its data is borrowed. */
static size_t get_edit(ph_edit *edit, const unsigned char *at, size_t n) {
  uint32_t type;
  if (n < PH_JOURNAL_EDIT)
    return 0;
  memcpy(edit->field, at, sizeof edit->field);
  memcpy(&type, at + 40, sizeof type);
  memcpy(edit->shape, at + 48, sizeof edit->shape);
  edit->data = at + PH_JOURNAL_EDIT;
  edit->type = (ph_type)type;
  if (type >= PH_STRING || edit->field[0] == 0 || edit->field[sizeof edit->field - 1] != 0)
    return 0;
  uint64_t elements, bytes;
  if (edit->shape[0] < 0 || edit->shape[1] < 0 ||
      __builtin_mul_overflow((uint64_t)edit->shape[0], (uint64_t)edit->shape[1], &elements) ||
      __builtin_mul_overflow(elements, (uint64_t)ph_type_size(edit->type), &bytes) ||
      bytes > n - PH_JOURNAL_EDIT)
    return 0;
  return PH_JOURNAL_EDIT + (size_t)bytes;
}

static ph_status get_edits(ph_journal_head *head, const unsigned char *at, size_t n) {
  ph_edit *edits = NULL;
  size_t count = 0;
  ph_status status = PH_OK;
  for (size_t used = 0; n > 0 && status == PH_OK; at += used, n -= used) {
    ph_edit *more = realloc(edits, (count + 1) * sizeof *edits);
    if (!more) {
      status = PH_ENOMEM;
      break;
    }
    edits = more;
    used = get_edit(&edits[count++], at, n);
    if (used == 0)
      status = PH_EFORMAT;
  }
  if (status == PH_OK)
    status = ph_edits_copy(&head->edits, edits, count);
  if (status == PH_OK)
    head->nedits = count;
  free(edits);
  return status;
}

ph_status ph_journal_decode(ph_journal_head *head, ph_record_layout *layout,
                            const unsigned char *bytes, const char *path) {
  ph_journal_fixed fixed;
  memcpy(&fixed, bytes, sizeof fixed);
  memset(head, 0, sizeof *head);
  const char *text = (const char *)bytes + sizeof fixed;
  json_t *object = json_loadb(text, (size_t)fixed.text, JSON_REJECT_DUPLICATES, NULL);
  bool ok = json_is_object(object) && get_facts(object, head) &&
            get_layout(json_object_get(object, "layout"), head, layout);
  json_decref(object);
  ph_status status = ok ? PH_OK : PH_EFORMAT;
  if (status == PH_OK)
    status = get_edits(head, bytes + sizeof fixed + fixed.text, (size_t)fixed.edits);
  if (status == PH_OK) {
    head->meta.end_reason = PH_END_SALVAGED;
    head->meta.success = -1;
    return PH_OK;
  }
  ph_journal_head_clear(head);
  return status == PH_ENOMEM ? ph_fail(status, "%s: out of memory", path)
                             : ph_fail(status, "%s: its head says what no recorder writes", path);
}

void ph_journal_head_clear(ph_journal_head *head) {
  ph_edits_free(head->edits, head->nedits);
  free(head->provenance);
  memset(head, 0, sizeof *head);
}
