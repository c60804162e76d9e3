/* What the sinks write, against the schema's table. */
#include <set>
#include <string.h>
#include <unistd.h>

#include "mj_help.h"
#include "sink_help.h"

using Format = Sink;

/* --- the format ------------------------------------------------------------------------------ */

TEST_F(Format, ChecksumsAreThoseOfTheRawBytes) {
  Fake a(600, 4);
  OK(dataset(a));
  OK(write_fake(sink, a, 113));
  OK(sink->finish(sink));
  close();
  hid_t file, demo, d;
  ph_h5_array info;
  char *list;
  void *data;
  size_t size;
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_group(&demo, file, "data/demo_0"));
  OK(ph_h5_dataset(&d, &info, demo, "playhead/crc"));
  OK(ph_h5_attr_text(d, "columns", &list));
  OK(ph_h5_read_all(&data, &size, demo, "playhead/crc", 100000));
  EXPECT_EQ(3, info.dim[1]) << "ceil(601/256)";
  uint32_t *crc = (uint32_t *)data;
  int line = 0;
  for (char *rest = list, *name; (name = strsep(&rest, ",")); line++) {
    int col = ph_schema_find(name);
    ASSERT_LT(col, (int)PH_COL_COUNT) << name;
    const std::string &bytes = a.rows[col];
    size_t row = a.row_bytes(col), rows = col == PH_COL_STATES ? 600 : (size_t)a.count(col);
    for (size_t block = 0; block < 3; block++) {
      size_t from = block * 256, n = std::min<size_t>(256, rows - from);
      EXPECT_EQ(ph_crc32(bytes.data() + from * row, n * row), crc[line * 3 + (int)block]) << name;
    }
  }
  EXPECT_EQ(info.dim[0], line);
  EXPECT_EQ((int)a.rows.size(), line);
  free(list);
  free(data);
  ph_h5_close(d);
  ph_h5_close(demo);
  ph_h5_close(file);
}

TEST_F(Format, ALineOfChecksumsMayEndInAnEmptyBlock) {
  Fake a(256, 4); /* 257 states: the columns of actions have no row in the second block */
  OK(dataset(a));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  expect_file(path, "/data/demo_0", a);
}

TEST_F(Format, ZeroSizedColumnsAreKept) {
  Fake a(20, 4);
  a.meta.dims.nu = 0;
  for (int col : {PH_COL_CTRL, PH_COL_CTRL_SUBSTEPS})
    a.add(col, 4);
  for (bool compress : {false, true}) {
    OK(dataset(a, compress));
    OK(write_fake(sink, a));
    OK(sink->finish(sink));
    close();
    expect_file(path, "/data/demo_0", a);
    unlink(path.c_str());
  }
}

TEST_F(Format, AnEpisodeWithoutATaskHasNoSuccessAndNoHold) {
  Fake a(3);
  a.meta.success = -1;
  a.meta.hold_seconds = -1;
  a.meta.hold_steps = 0;
  Fake::text(a.meta.task_sha256, "");
  a.drop(PH_COL_PREDICATE);
  a.meta.provenance = nullptr;
  OK(dataset(a));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  hid_t file, demo;
  char *text;
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_group(&demo, file, "data/demo_0"));
  for (const char *name : {"success", "hold_seconds", "hold_steps"})
    EXPECT_FALSE(ph_h5_has_attr(demo, name)) << name;
  OK(ph_h5_attr_text(demo, "provenance", &text));
  EXPECT_STREQ("[]", text);
  free(text);
  ph_h5_close(demo);
  ph_h5_close(file);
}

/* --- schema against a file ------------------------------------------------------------------- */

/* Walks a file and checks every object and attribute against the table. */
struct Walk {
  hid_t file;
  const Fake *fake;
  std::set<std::string> seen; /* table lines that the file has, "place name" */

  static bool match(const std::string &pattern, const std::string &path) {
    size_t open = pattern.find('<');
    if (open == std::string::npos)
      return pattern == path;
    return path.size() > open && path.compare(0, open, pattern, 0, open) == 0 &&
           path.find('/', open) == std::string::npos;
  }

  /* Splits a path into the place it belongs to and what is below. */
  static ph_place place(const std::string &path, std::string *below) {
    static const struct {
      const char *prefix;
      ph_place place;
    } places[] = {{"data/", PH_AT_DEMO}, {"models/", PH_AT_MODEL}, {"tasks/", PH_AT_TASK}};
    for (auto &p : places) {
      size_t n = strlen(p.prefix);
      if (path.compare(0, n, p.prefix) != 0)
        continue;
      size_t slash = path.find('/', n);
      *below = slash == std::string::npos ? "" : path.substr(slash + 1);
      return p.place;
    }
    *below = path;
    return path == "data" ? PH_AT_DATA : PH_AT_ROOT;
  }

  void attribute(hid_t object, const char *name, ph_place at) {
    size_t n;
    const ph_attr_info *attrs = ph_schema_attrs(&n), *found = nullptr;
    for (size_t i = 0; i < n; i++)
      if (attrs[i].place == at && !strcmp(attrs[i].name, name))
        found = &attrs[i];
    ASSERT_NE(nullptr, found) << "attribute " << name << " is not in the table";
    seen.insert(std::to_string(at) + " " + name);
    hid_t attr = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attr);
    hid_t expected = found->type == PH_F64   ? H5T_IEEE_F64LE
                     : found->type == PH_I64 ? H5T_STD_I64LE
                     : found->type == PH_U8  ? H5T_STD_U8LE
                                             : H5T_STD_U32LE;
    if (found->type == PH_STRING) {
      EXPECT_EQ(H5T_STRING, H5Tget_class(type)) << name;
      EXPECT_FALSE(H5Tis_variable_str(type)) << name;
    } else {
      EXPECT_GT(H5Tequal(type, expected), 0) << name;
    }
    H5Tclose(type);
    H5Aclose(attr);
  }

  void attributes(hid_t object, ph_place at) {
    std::vector<std::string> names;
    H5Aiterate2(
        object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char *name, const H5A_info_t *, void *arg) {
          static_cast<std::vector<std::string> *>(arg)->push_back(name);
          return 0;
        },
        &names);
    for (auto &name : names)
      attribute(object, name.c_str(), at);
  }

  void column(hid_t dataset, int col, const ph_h5_array &info) {
    const ph_column_info *c = ph_schema_column((ph_column)col);
    int64_t shape[3];
    int n = ph_schema_shape((ph_column)col, &fake->meta.dims, shape), at = 0;
    EXPECT_EQ(c->type, info.type) << c->path;
    EXPECT_TRUE(info.native) << c->path;
    if (c->rows != PH_ROWS_ONE) {
      int64_t rows = c->rows == PH_ROWS_A ? fake->meta.actions : fake->meta.actions + 1;
      EXPECT_EQ(rows, info.dim[at++]) << c->path;
      EXPECT_EQ(0, H5Aget_num_attrs(dataset)) << c->path;
    } else {
      EXPECT_TRUE(ph_h5_has_attr(dataset, "crc")) << c->path;
    }
    EXPECT_EQ(at + n, info.rank) << c->path;
    for (int i = 0; i < n; i++)
      EXPECT_EQ(shape[i], info.dim[at + i]) << c->path;
    EXPECT_GE(info.offset, 0) << c->path << ": contiguous";
    seen.insert(std::string("column ") + c->path);
  }

  void extra(hid_t dataset, ph_place at, const std::string &below, const char *type) {
    size_t n;
    const ph_extra_info *extras = ph_schema_extras(&n), *found = nullptr;
    for (size_t i = 0; i < n; i++) /* an exact path goes before one with <> */
      if (extras[i].place == at && match(extras[i].path, below) &&
          (!found || !strchr(extras[i].path, '<')))
        found = &extras[i];
    ASSERT_NE(nullptr, found) << "dataset " << below << " is not in the table";
    std::string types = std::string(",") + found->types + ",";
    EXPECT_NE(std::string::npos, types.find(std::string(",") + type + ",")) << below << " " << type;
    EXPECT_TRUE(ph_h5_has_attr(dataset, "crc")) << below;
    attributes(dataset, PH_AT_DATASET);
    seen.insert("extra " + std::to_string(at) + " " + found->path);
  }

  void object(const std::string &path, bool is_group) {
    std::string below;
    ph_place at = place(path, &below);
    hid_t id = H5Oopen(file, path.empty() ? "/" : path.c_str(), H5P_DEFAULT);
    if (is_group) {
      if (below.empty() || at == PH_AT_DATA)
        attributes(id, at);
      else
        EXPECT_EQ(0, H5Oget_attrs(id)) << path;
    } else if (path == "index") {
      extra(id, at, below, "row");
    } else {
      hid_t d;
      ph_h5_array info;
      OK(ph_h5_dataset(&d, &info, file, path.c_str()));
      int col = at == PH_AT_DEMO ? ph_schema_find(below.c_str()) : PH_COL_COUNT;
      if (col != PH_COL_COUNT)
        column(d, col, info);
      else
        extra(d, at, below, ph_type_name(info.type));
      ph_h5_close(d);
    }
    H5Oclose(id);
  }
  static int H5Oget_attrs(hid_t id) { return H5Aget_num_attrs(id); }

  void everything() {
    std::vector<std::pair<std::string, bool>> objects{{"", true}};
    struct Arg {
      std::vector<std::pair<std::string, bool>> *objects;
      hid_t file;
    } arg{&objects, file};
    H5Lvisit(
        file, H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t, const char *name, const H5L_info_t *link, void *a) {
          Arg *to = static_cast<Arg *>(a);
          EXPECT_EQ(H5L_TYPE_HARD, link->type);
          hid_t id = H5Oopen(to->file, name, H5P_DEFAULT);
          to->objects->emplace_back(name, H5Iget_type(id) == H5I_GROUP);
          H5Oclose(id);
          return 0;
        },
        &arg);
    for (auto &[path, is_group] : objects)
      object(path, is_group);
  }
};

static const char *task_text() {
  return "return { name = 'still', control_steps = 5, max_steps = 9, hold_seconds = 0.5,\n"
         "success = function(s) return s.time > 0 end }\n";
}

/* A model with two meshes of the kinds of data that a file holds. */
static ph_model *rich_model() {
  ph_source *source = help_source(help_scene());
  auto blob = [](const char *name, const char *data) {
    ph_blob b{};
    b.name = help_text(name);
    b.data = help_text(data);
    b.size = strlen(data);
    return b;
  };
  source->assets = static_cast<ph_blob *>(calloc(1, sizeof(ph_blob)));
  source->assets[source->nassets++] = blob("0_part.stl", "solid");
  source->originals = static_cast<ph_blob *>(calloc(2, sizeof(ph_blob)));
  source->originals[source->noriginals++] = blob("/somewhere/scene.xml", "<mujoco/>");
  source->originals[source->noriginals++] = blob("/somewhere/part.xml", "<a/>");
  ph_source_hash(source);
  ph_model *model = nullptr;
  EXPECT_EQ(PH_OK, ph_model_from_source(&model, source, nullptr, nullptr)) << ph_error();
  return model;
}

TEST_F(Format, AFileHoldsWhatTheTableSaysAndNothingElse) {
  Fake a(300, 4);
  snprintf(a.meta.success_source, sizeof a.meta.success_source, "given: by hand");
  ph_model *model = rich_model();
  ph_task *task = nullptr;
  OK(ph_task_parse(&task, task_text(), strlen(task_text()), "still.lua"));
  OK(dataset(a));
  for (int twice = 0; twice < 2; twice++) {
    OK(sink->model(sink, model));
    OK(sink->task(sink, task));
  }
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  Walk walk{H5I_INVALID_HID, &a, {}};
  OK(ph_h5_open(&walk.file, path.c_str()));
  walk.everything();
  size_t n;
  const ph_attr_info *attrs = ph_schema_attrs(&n);
  for (size_t i = 0; i < n; i++)
    EXPECT_TRUE(walk.seen.count(std::to_string(attrs[i].place) + " " + attrs[i].name))
        << ph_schema_place(attrs[i].place) << " lacks " << attrs[i].name;
  for (int col = 0; col < PH_COL_COUNT; col++)
    EXPECT_TRUE(walk.seen.count(std::string("column ") + ph_schema_column((ph_column)col)->path));
  const ph_extra_info *extras = ph_schema_extras(&n);
  for (size_t i = 0; i < n; i++)
    EXPECT_TRUE(walk.seen.count("extra " + std::to_string(extras[i].place) + " " + extras[i].path))
        << extras[i].path;
  std::string group = std::string("models/") + ph_model_sha256(model);
  void *data;
  size_t size;
  OK(ph_h5_read_all(&data, &size, walk.file, (group + "/xml").c_str(), 1 << 20));
  EXPECT_EQ(help_scene(), std::string((char *)data, size));
  free(data);
  OK(ph_h5_read_all(&data, &size, walk.file, (group + "/source/1").c_str(), 1 << 20));
  EXPECT_EQ("<a/>", std::string((char *)data, size));
  free(data);
  std::string source = std::string("tasks/") + ph_task_sha256(task) + "/source";
  OK(ph_h5_read_all(&data, &size, walk.file, source.c_str(), 1 << 20));
  EXPECT_EQ(task_text(), std::string((char *)data, size));
  free(data);
  ph_h5_close(walk.file);
  ph_model_unref(model);
  ph_task_unref(task);
}

TEST_F(Format, RunFileHoldsModelsAndTasksOnce) {
  Fake a(3);
  ph_model *model = rich_model();
  ph_task *task = nullptr;
  OK(ph_task_parse(&task, task_text(), strlen(task_text()), "still.lua"));
  OK(run(a));
  OK(sink->model(sink, model));
  OK(sink->model(sink, model));
  OK(sink->task(sink, task));
  OK(write_fake(sink, a));
  OK(sink->model(sink, model)) << "it is there";
  ph_model *late = help_model("<mujoco/>");
  EXPECT_EQ(PH_EINVAL, sink->model(sink, late));
  close();
  Walk walk{H5I_INVALID_HID, &a, {}};
  OK(ph_h5_open(&walk.file, (dir / "run/run.h5").c_str()));
  walk.everything();
  EXPECT_TRUE(ph_h5_exists(walk.file, (std::string("models/") + ph_model_sha256(model)).c_str()));
  EXPECT_TRUE(ph_h5_exists(walk.file, (std::string("tasks/") + ph_task_sha256(task)).c_str()));
  ph_h5_close(walk.file);
  OK(ph_h5_open(&walk.file, (dir / "run/env001_ep000001_3.h5").c_str()));
  walk.everything();
  ph_h5_close(walk.file);
  ph_model_unref(late);
  ph_model_unref(model);
  ph_task_unref(task);
}
