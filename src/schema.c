#include <playhead/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ph_column_info columns[PH_COL_COUNT] = {
#define COLUMN(id, path, type, rows, shape, unit, required, help)                                  \
  {PH_COL_##id, path, type, rows, shape, unit, required, help},
    PH_COLUMN_LIST(COLUMN)
#undef COLUMN
};

size_t ph_type_size(ph_type type) {
  static const size_t sizes[] = {[PH_F64] = 8, [PH_I64] = 8, [PH_U8] = 1, [PH_U32] = 4,
                                 [PH_I32] = 4, [PH_F32] = 4, [PH_STRING] = 0};
  return (size_t)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

const char *ph_type_name(ph_type type) {
  static const char *const names[] = {[PH_F64] = "f64", [PH_I64] = "i64", [PH_U8] = "u8",
                                      [PH_U32] = "u32", [PH_I32] = "i32", [PH_F32] = "f32",
                                      [PH_STRING] = "string"};
  return (size_t)type < sizeof names / sizeof *names ? names[type] : "?";
}

const ph_column_info *ph_schema_column(ph_column col) {
  return (size_t)col < PH_COL_COUNT ? &columns[col] : NULL;
}

ph_column ph_schema_find(const char *path) {
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (strcmp(columns[i].path, path) == 0)
      return (ph_column)i;
  return PH_COL_COUNT;
}

/* --- symbolic shapes ------------------------------------------------------------------------------- */

/* Value of a name or a number of n characters. */
static int64_t term_value(const char *text, size_t n, const ph_dims *dims) {
  const struct {
    const char *name;
    int value;
  } names[] = {
      {"1", 1},
      {"3", 3},
      {"4", 4},
      {"6", 6},
      {"nq", dims->nq},
      {"nv", dims->nv},
      {"nu", dims->nu},
      {"na", dims->na},
      {"nmocap", dims->nmocap},
      {"nuserdata", dims->nuserdata},
      {"neq", dims->neq},
      {"nplugin", dims->nplugin},
      {"nbody", dims->nbody},
      {"action_dim", dims->action_dim},
      {"action_state", dims->action_state},
      {"control_steps", dims->control_steps},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i].name) == n && memcmp(names[i].name, text, n) == 0)
      return names[i].value > 0 ? names[i].value : 0;
  return 0;
}

int ph_schema_shape(ph_column col, const ph_dims *dims, int64_t shape[3]) {
  const char *s = columns[col].shape;
  int n = 0;
  while (*s && n < 3) {
    shape[n] = 0;
    for (bool more = true; more;) {
      size_t length = strcspn(s, "+,");
      shape[n] += term_value(s, length, dims);
      s += length;
      more = *s == '+';
      s += *s != 0;
    }
    n++;
  }
  return n;
}

size_t ph_schema_width(ph_column col, const ph_dims *dims) {
  int64_t shape[3], width = 1;
  int n = ph_schema_shape(col, dims, shape);
  for (int i = 0; i < n; i++)
    width *= shape[i];
  return (size_t)width;
}
