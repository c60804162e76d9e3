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
  static const size_t sizes[] = {[PH_F64] = 8, [PH_I64] = 8, [PH_U8] = 1,    [PH_U32] = 4,
                                 [PH_I32] = 4, [PH_F32] = 4, [PH_STRING] = 0};
  return (size_t)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

const char *ph_type_name(ph_type type) {
  static const char *const names[] = {
      [PH_F64] = "f64", [PH_I64] = "i64", [PH_U8] = "u8",        [PH_U32] = "u32",
      [PH_I32] = "i32", [PH_F32] = "f32", [PH_STRING] = "string"};
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

/* --- symbolic shapes --- */

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

/* --- attributes and other datasets --- */

static const ph_attr_info attrs[] = {
    {PH_AT_ROOT, "format", PH_STRING, true, "\"" PH_FORMAT_NAME "\""},
    {PH_AT_ROOT, "format_version", PH_I64, true, "1"},
    {PH_AT_ROOT, "writer", PH_STRING, true, "program and version"},
    {PH_AT_ROOT, "run_id", PH_STRING, true, "the recording session"},
    {PH_AT_ROOT, "created", PH_STRING, true, "ISO 8601, UTC"},
    {PH_AT_ROOT, "substrate", PH_STRING, true, "hash of what bits depend on here"},
    {PH_AT_ROOT, "rng", PH_STRING, true, "name of the random generator"},

    {PH_AT_DATA, "total", PH_I64, true, "actions in all episodes"},
    {PH_AT_DATA, "env_args", PH_STRING, true,
     "JSON: env_name, type, env_kwargs{control_steps, control_freq, control_dt, timestep}"},

    {PH_AT_DEMO, "num_samples", PH_I64, true, "A, the number of actions"},
    {PH_AT_DEMO, "env_id", PH_I64, true, "simulation slot"},
    {PH_AT_DEMO, "episode", PH_I64, true, "per env, from 0"},
    {PH_AT_DEMO, "seed", PH_STRING, true, "decimal; the episode's own"},
    {PH_AT_DEMO, "end_reason", PH_STRING, true,
     "success, terminated, truncated, nan, aborted, salvaged or unknown"},
    {PH_AT_DEMO, "end_detail", PH_STRING, true, "how, in a sentence; may be empty"},
    {PH_AT_DEMO, "success", PH_U8, false, "1 or 0; absent without a task"},
    {PH_AT_DEMO, "success_source", PH_STRING, false,
     "who says so where no predicate that is stored does"},
    {PH_AT_DEMO, "determinism", PH_STRING, true, "unchecked, bitwise, tol(x) or fails(t)"},
    {PH_AT_DEMO, "model_sha256", PH_STRING, true, "names a group of /models"},
    {PH_AT_DEMO, "task_sha256", PH_STRING, true, "names a group of /tasks; empty without a task"},
    {PH_AT_DEMO, "hold_seconds", PH_F64, false, "hold in force; absent without a task"},
    {PH_AT_DEMO, "hold_steps", PH_I64, false, "the same in control steps"},
    {PH_AT_DEMO, "recipe", PH_STRING, true, "step, forward_step or step1_step2"},
    {PH_AT_DEMO, "derived", PH_STRING, true, "fresh or stale readouts"},
    {PH_AT_DEMO, "engine", PH_STRING, true, "mujoco, or another's name"},
    {PH_AT_DEMO, "parent", PH_STRING, true, "what it was made from; may be empty"},
    {PH_AT_DEMO, "provenance", PH_STRING, true, "JSON array, newest last"},

    {PH_AT_MODEL, "compiled_sha256", PH_STRING, true, "of the compiled model"},
    {PH_AT_MODEL, "mujoco_version", PH_STRING, true, "MuJoCo that compiled it"},
    {PH_AT_MODEL, "arch", PH_STRING, true, "processor family"},
    {PH_AT_MODEL, "nq", PH_I64, true, "positions"},
    {PH_AT_MODEL, "nv", PH_I64, true, "degrees of freedom"},
    {PH_AT_MODEL, "nu", PH_I64, true, "controls"},
    {PH_AT_MODEL, "na", PH_I64, true, "activations"},
    {PH_AT_MODEL, "nmocap", PH_I64, true, "mocap bodies"},
    {PH_AT_MODEL, "nuserdata", PH_I64, true, "user numbers"},
    {PH_AT_MODEL, "neq", PH_I64, true, "equality constraints"},
    {PH_AT_MODEL, "nplugin", PH_I64, true, "numbers of plugin state"},
    {PH_AT_MODEL, "nbody", PH_I64, true, "bodies"},
    {PH_AT_MODEL, "timestep", PH_F64, true, "s, one substep"},
    {PH_AT_MODEL, "integrator", PH_STRING, true, "Euler, RK4, implicit, ..."},
    {PH_AT_MODEL, "solver", PH_STRING, true, "PGS, CG or Newton"},

    {PH_AT_TASK, "name", PH_STRING, true, "the task's name"},
    {PH_AT_TASK, "control_steps", PH_I64, true, "substeps in one control step"},
    {PH_AT_TASK, "hold_seconds", PH_F64, true, "s, the task's own hold"},
    {PH_AT_TASK, "max_steps", PH_I64, true, "0: no limit"},

    {PH_AT_DATASET, "crc", PH_U32, true, "CRC-32 of all its bytes"},
    {PH_AT_DATASET, "columns", PH_STRING, false,
     "of playhead/crc: the paths that its lines belong to, comma separated"},
    {PH_AT_DATASET, "path", PH_STRING, false, "of source/<n>: the file's name as it was found"},
};

static const ph_extra_info extras[] = {
    {PH_AT_DEMO, "playhead/crc", "u32", "columns, ceil((A+1)/256)", true,
     "CRC-32 of each per-step column's blocks of 256 rows, raw little-endian row bytes"},
    {PH_AT_DEMO, "playhead/model/<field>", "f64,f32,i32,u8", "objects, elements", false,
     "model field that this episode's reset changed, the full array"},
    {PH_AT_MODEL, "xml", "u8", "bytes", true, "the rewritten, self-contained text that is loaded"},
    {PH_AT_MODEL, "assets/<name>", "u8", "bytes", false, "file that the text names"},
    {PH_AT_MODEL, "source/<n>", "u8", "bytes", false, "original XML file, 0 the main one"},
    {PH_AT_MODEL, "names/<kind>", "string", "count", false,
     "body, joint, geom, site, actuator, sensor, equality, mocap, tendon"},
    {PH_AT_MODEL, "names/joint_type", "i32", "joints", true, "0 free, 1 ball, 2 slide, 3 hinge"},
    {PH_AT_MODEL, "names/joint_qposadr", "i32", "joints", true, "first index in qpos"},
    {PH_AT_MODEL, "names/joint_dofadr", "i32", "joints", true, "first index in qvel"},
    {PH_AT_TASK, "source", "u8", "bytes", true, "the Lua text"},
    {PH_AT_ROOT, "index", "row", "episodes", false,
     "datasets only: id env_id episode A S seed end_reason success determinism model task"},
};

const ph_attr_info *ph_schema_attrs(size_t *n) {
  *n = sizeof attrs / sizeof *attrs;
  return attrs;
}

const ph_extra_info *ph_schema_extras(size_t *n) {
  *n = sizeof extras / sizeof *extras;
  return extras;
}

const char *ph_schema_place(ph_place place) {
  static const char *const paths[] = {
      [PH_AT_ROOT] = "/",
      [PH_AT_DATA] = "/data",
      [PH_AT_DEMO] = "/data/demo_<k>",
      [PH_AT_MODEL] = "/models/<sha256>",
      [PH_AT_TASK] = "/tasks/<sha256>",
      [PH_AT_DATASET] = "every dataset that is not per step",
  };
  return (size_t)place < sizeof paths / sizeof *paths ? paths[place] : "?";
}

const char *ph_schema_kind(int i) {
  static const char *const kinds[PH_SCHEMA_KINDS] = {
      "body", "joint", "geom", "site", "actuator", "sensor", "equality", "mocap", "tendon"};
  return i >= 0 && i < PH_SCHEMA_KINDS ? kinds[i] : NULL;
}

/* --- markdown --- */

/* Text in a table's cell: a bar would end it. */
static void print_cell(FILE *out, const char *text) {
  for (; *text; text++)
    fprintf(out, *text == '|' ? "\\|" : "%c", *text);
  fputs(" | ", out);
}

/* "(A, 1+nq+nv+na)" */
static void print_shape(FILE *out, const ph_column_info *column) {
  const char *rows = column->rows == PH_ROWS_A ? "A" : column->rows == PH_ROWS_S ? "A+1" : "";
  char shape[80];
  snprintf(shape, sizeof shape, "(%s%s%s)", rows, *rows && *column->shape ? "," : "",
           column->shape);
  for (const char *s = shape; *s; s++)
    fprintf(out, *s == ',' ? ", " : "%c", *s);
  fputs(" | ", out);
}

static void print_columns(FILE *out) {
  fprintf(out, "Per step, under `%s`; A actions lead through A+1 states:\n\n",
          ph_schema_place(PH_AT_DEMO));
  fputs("| dataset | type | shape | unit | | |\n|---|---|---|---|---|---|\n", out);
  for (int i = 0; i < PH_COL_COUNT; i++) {
    const ph_column_info *c = &columns[i];
    fprintf(out, "| `%s` | %s | ", c->path, ph_type_name(c->type));
    print_shape(out, c);
    print_cell(out, c->unit);
    print_cell(out, c->required ? "" : "optional");
    print_cell(out, c->help);
    fputs("\n", out);
  }
}

static void print_extras(FILE *out) {
  fputs("\nOther datasets:\n\n| dataset | type | shape | | |\n|---|---|---|---|---|\n", out);
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    const ph_extra_info *e = &extras[i];
    bool root = e->place == PH_AT_ROOT;
    fprintf(out, "| `%s/%s` | %s | (%s) | %s | ", root ? "" : ph_schema_place(e->place), e->path,
            e->types, e->shape, e->required ? "" : "optional");
    print_cell(out, e->help);
    fputs("\n", out);
  }
}

static void print_attrs(FILE *out) {
  fputs("\nAttributes:\n\n| of | attribute | type | | |\n|---|---|---|---|---|\n", out);
  for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
    const ph_attr_info *a = &attrs[i];
    bool path = a->place != PH_AT_DATASET;
    fprintf(out, "| %s%s%s | `%s` | %s | %s | ", path ? "`" : "", ph_schema_place(a->place),
            path ? "`" : "", a->name, ph_type_name(a->type), a->required ? "" : "optional");
    print_cell(out, a->help);
    fputs("\n", out);
  }
}

char *ph_schema_markdown(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  print_columns(out);
  print_extras(out);
  print_attrs(out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
