#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include <playhead/schema.h>
#include <playhead/sim.h>

static const ph_dims dims = {7, 6, 3, 2, 2, 5, 4, 9, 11, 8, 10, 13};

static std::string shape_of(ph_column col) {
  int64_t shape[3] = {-1, -1, -1};
  std::string out;
  int n = ph_schema_shape(col, &dims, shape);
  for (int i = 0; i < n; i++)
    out += (i ? "x" : "") + std::to_string(shape[i]);
  return out;
}

TEST(Schema, EveryColumnIsFoundByItsPath) {
  std::set<std::string> paths;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    const ph_column_info *info = ph_schema_column((ph_column)i);
    EXPECT_EQ(i, info->id);
    EXPECT_EQ(i, ph_schema_find(info->path));
    EXPECT_TRUE(paths.insert(info->path).second) << info->path;
    EXPECT_GT(ph_type_size(info->type), 0u);
    EXPECT_GT(strlen(info->help), 5u) << info->path;
    EXPECT_LT(strlen(info->path), 39u) << "the list of crc columns has room for 40 each";
  }
  EXPECT_EQ(PH_COL_COUNT, ph_schema_find("nothing"));
  EXPECT_EQ(PH_COL_COUNT, ph_schema_find(""));
}

TEST(Schema, ShapesAreEvaluated) {
  EXPECT_EQ("8", shape_of(PH_COL_ACTIONS));
  EXPECT_EQ("16", shape_of(PH_COL_STATES));
  EXPECT_EQ("16", shape_of(PH_COL_FINAL_STATE));
  EXPECT_EQ("", shape_of(PH_COL_REWARDS));
  EXPECT_EQ("6", shape_of(PH_COL_WARMSTART));
  EXPECT_EQ("3", shape_of(PH_COL_CTRL));
  EXPECT_EQ("13x3", shape_of(PH_COL_CTRL_SUBSTEPS));
  EXPECT_EQ("10", shape_of(PH_COL_ACTION_STATE));
  EXPECT_EQ("2x3", shape_of(PH_COL_MOCAP_POS));
  EXPECT_EQ("2x4", shape_of(PH_COL_MOCAP_QUAT));
  EXPECT_EQ("5", shape_of(PH_COL_USERDATA));
  EXPECT_EQ("4", shape_of(PH_COL_EQ_ACTIVE));
  EXPECT_EQ("9", shape_of(PH_COL_PLUGIN_STATE));
  EXPECT_EQ("6", shape_of(PH_COL_QFRC_APPLIED));
  EXPECT_EQ("11x6", shape_of(PH_COL_XFRC_APPLIED));
}

TEST(Schema, EveryPartOfEveryShapeIsKnown) {
  /* With all sizes 1 a term that is not known would count 0. */
  ph_dims ones = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 0; i < PH_COL_COUNT; i++)
    EXPECT_GT(ph_schema_width((ph_column)i, &ones), 0u) << ph_schema_column((ph_column)i)->path;
  EXPECT_EQ(4u, ph_schema_width(PH_COL_STATES, &ones));
}

TEST(Schema, WidthIsTheProduct) {
  EXPECT_EQ(1u, ph_schema_width(PH_COL_REWARDS, &dims));
  EXPECT_EQ(39u, ph_schema_width(PH_COL_CTRL_SUBSTEPS, &dims));
  ph_dims none = {};
  EXPECT_EQ(0u, ph_schema_width(PH_COL_CTRL, &none));
  EXPECT_EQ(1u, ph_schema_width(PH_COL_STATES, &none));
  ph_dims bad = dims;
  bad.nu = -5;
  EXPECT_EQ(0u, ph_schema_width(PH_COL_CTRL, &bad));
}

TEST(Schema, TypesHaveSizesAndNames) {
  EXPECT_EQ(8u, ph_type_size(PH_F64));
  EXPECT_EQ(8u, ph_type_size(PH_I64));
  EXPECT_EQ(4u, ph_type_size(PH_F32));
  EXPECT_EQ(4u, ph_type_size(PH_I32));
  EXPECT_EQ(4u, ph_type_size(PH_U32));
  EXPECT_EQ(1u, ph_type_size(PH_U8));
  EXPECT_EQ(0u, ph_type_size(PH_STRING));
  EXPECT_STREQ("f64", ph_type_name(PH_F64));
  EXPECT_STREQ("string", ph_type_name(PH_STRING));
}

TEST(Schema, NothingIsNamedTwice) {
  std::set<std::string> names;
  size_t n = 0;
  const ph_attr_info *attrs = ph_schema_attrs(&n);
  for (size_t i = 0; i < n; i++) {
    EXPECT_TRUE(names.insert(std::to_string(attrs[i].place) + attrs[i].name).second)
        << attrs[i].name;
    EXPECT_GT(strlen(attrs[i].help), 0u);
  }
  const ph_extra_info *extras = ph_schema_extras(&n);
  for (size_t i = 0; i < n; i++) {
    EXPECT_TRUE(names.insert(std::to_string(extras[i].place) + extras[i].path).second);
    EXPECT_EQ(PH_COL_COUNT, ph_schema_find(extras[i].path)) << extras[i].path;
    EXPECT_FALSE(extras[i].required && strchr(extras[i].path, '<')) << extras[i].path;
  }
}

TEST(Schema, KindsAreNamed) {
  EXPECT_STREQ("body", ph_schema_kind(PH_BODY));
  EXPECT_STREQ("joint", ph_schema_kind(PH_JOINT));
  EXPECT_STREQ("geom", ph_schema_kind(PH_GEOM));
  EXPECT_STREQ("site", ph_schema_kind(PH_SITE));
  EXPECT_STREQ("actuator", ph_schema_kind(PH_ACTUATOR));
  EXPECT_STREQ("sensor", ph_schema_kind(PH_SENSOR));
  EXPECT_STREQ("equality", ph_schema_kind(PH_EQUALITY));
  EXPECT_STREQ("mocap", ph_schema_kind(PH_MOCAP));
  EXPECT_STREQ("tendon", ph_schema_kind(PH_TENDON));
  EXPECT_EQ(nullptr, ph_schema_kind(PH_KIND_COUNT));
  EXPECT_EQ(nullptr, ph_schema_kind(-1));
}

TEST(Schema, MarkdownHasEveryLine) {
  char *text = ph_schema_markdown();
  ASSERT_NE(nullptr, text);
  std::string all = text;
  free(text);
  size_t n = 0;
  for (int i = 0; i < PH_COL_COUNT; i++)
    EXPECT_NE(std::string::npos,
              all.find(std::string("| `") + ph_schema_column((ph_column)i)->path + "` |"));
  const ph_attr_info *attrs = ph_schema_attrs(&n);
  for (size_t i = 0; i < n; i++)
    EXPECT_NE(std::string::npos, all.find(std::string("| `") + attrs[i].name + "` |"));
  const ph_extra_info *extras = ph_schema_extras(&n);
  for (size_t i = 0; i < n; i++)
    EXPECT_NE(std::string::npos, all.find(std::string("/") + extras[i].path + "` |"));
  EXPECT_NE(std::string::npos, all.find("| `states` | f64 | (A, 1+nq+nv+na) |"));
}

TEST(Schema, MarkdownTablesHaveTheSameNumberOfCells) {
  char *text = ph_schema_markdown();
  std::string all = text;
  free(text);
  size_t expected = 0;
  for (size_t at = 0; at < all.size();) {
    size_t end = all.find('\n', at);
    std::string line = all.substr(at, end - at);
    at = end + 1;
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); i++)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (bars == 0)
      expected = 0;
    else if (expected == 0)
      expected = bars;
    EXPECT_EQ(expected, bars) << line;
  }
}
