// `info` on files of other recorders, written here.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "foreign_layouts.h"

extern "C" {
#include "json.h"
}

namespace fs = std::filesystem;
using std::string;

namespace {

class InfoForeign : public testing::Test {
protected:
  string top, path, program;
  int status = -1;

  void SetUp() override {
    const char *tmp = getenv("TMPDIR");
    top = string(tmp && *tmp ? tmp : "/tmp") + "/infoXXXXXX";
    ASSERT_NE(mkdtemp(top.data()), nullptr);
    path = top + "/demo.hdf5";
    ASSERT_NE(getenv("PLAYHEAD_PROGRAM"), nullptr);
    program = getenv("PLAYHEAD_PROGRAM");
  }
  void TearDown() override { fs::remove_all(top); }

  /* What `info` prints, errors too. */
  string Info(const string &more = "") { return Run("info " + more); }
  string Run(const string &verb) {
    string command = "cd " + top + " && HOME=" + top + " XDG_CACHE_HOME=" + top +
                     "/cache LC_ALL=C.UTF-8 " + program + " " + verb + " demo.hdf5 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    string text;
    char part[4096];
    for (size_t n; pipe && (n = fread(part, 1, sizeof part, pipe)) > 0;)
      text.append(part, n);
    int ended = pipe ? pclose(pipe) : -1;
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return text;
  }
  /* How often a piece of text is in it. */
  static int Count(const string &text, const string &piece) {
    int n = 0;
    for (size_t at = 0; (at = text.find(piece, at)) != string::npos; at += piece.size())
      n++;
    return n;
  }
  static bool Has(const string &text, const string &piece) { return Count(text, piece) > 0; }
};

TEST_F(InfoForeign, SaysWhatAllEpisodesShareOnce) {
  foreign::Options o;
  o.images = o.next_obs = true;
  foreign::write_robomimic(path, o);
  string text = Info();
  EXPECT_EQ(0, status);
  EXPECT_TRUE(Has(text, "demo.hdf5: robomimic, 2 episodes, 71 actions, 30 to 41 each\n")) << text;
  EXPECT_TRUE(Has(text, "\nenv        Lift\n")) << text;
  EXPECT_TRUE(Has(text, "\nactions    7 a step for OSC_POSE\n")) << text;
  EXPECT_TRUE(Has(text, "\nrate       20 Hz, 0.05 s a step: ")) << text;
  EXPECT_TRUE(Has(text, "\nsuccess    2 yes, 0 no; from ")) << text;
  EXPECT_TRUE(Has(text, "nq 10 nv 9 nu 2 na 0  timestep 0.002 s")) << text;
  EXPECT_TRUE(Has(text, "\ngroups     train 1, valid 1\n")) << text;
  EXPECT_EQ(1, Count(text, "\nguarantee  STATES ONLY: ")) << text;
  EXPECT_EQ(1, Count(text, "\nmodel ")) << text;
  EXPECT_TRUE(Has(text, "\ndemo_0        30      30  yes      STATES ONLY\n")) << text;
  EXPECT_FALSE(Has(text, "run ")) << "nothing of runs: " << text;
}

TEST_F(InfoForeign, NamesEveryArray) {
  foreign::Options o;
  o.images = o.next_obs = true;
  foreign::write_robomimic(path, o);
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    foreign::Id text(foreign::text_type(), path);
    hsize_t dim = 30;
    foreign::Id space(H5Screate_simple(1, &dim, nullptr), path);
    foreign::Id set(
        H5Dcreate2(file, "/data/demo_0/notes", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        path);
  }
  string text = Info();
  EXPECT_TRUE(Has(text, "\narray ")) << text;
  EXPECT_TRUE(Has(text, "obs/robot0_gripper_qpos  ")) << text;
  for (const char *line :
       {"uint8     8 x 8 x 3  steps           image, not shown\n",
        "uint8     8 x 8 x 3  steps       +1  image, not shown; taken after the action\n",
        "not shown; text, not numbers; in 1 of 2\n"})
    EXPECT_TRUE(Has(text, line)) << line << text;
}

TEST_F(InfoForeign, SaysWhichEpisodeHasWhichModelAndWhatIsOddOfEach) {
  foreign::Options o;
  o.rows = {20, 20, 25};
  o.two_models = true;
  foreign::write_robosuite(path, o);
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    foreign::Id demo(H5Oopen(file, "/data/demo_2", H5P_DEFAULT), path);
    foreign::Id space(H5Screate(H5S_SCALAR), path);
    foreign::Id attr(
        H5Acreate2(demo, "num_samples", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), path);
    int64_t wrong = 99;
    H5Awrite(attr, H5T_STD_I64LE, &wrong);
  }
  string text = Info();
  EXPECT_EQ(2, Count(text, "\nmodel ")) << text;
  EXPECT_TRUE(Has(text, "success  model     guarantee")) << text;
  size_t second = text.find("\ndemo_2 "), third = text.find("\ndemo_3 ");
  size_t odd = text.find("    oddity: num_samples is 99");
  ASSERT_NE(string::npos, odd) << text;
  EXPECT_TRUE(second < odd && odd < third) << text;
}

TEST_F(InfoForeign, OfAFolderEachFileHasAHeadOfItsOwn) {
  foreign::Options o;
  o.two_models = true;
  fs::create_directory(top + "/many");
  foreign::write_robosuite(top + "/many/b2.hdf5", o);
  foreign::write_robomimic(top + "/many/b10.hdf5", {});
  std::ofstream(top + "/many/readme.txt") << "no data";
  foreign::write_robosuite(path, o);
  string text = Info("many");
  EXPECT_EQ(0, status) << text;
  size_t first = text.find("many/b2.hdf5: robosuite"),
         second = text.find("\n\nmany/b10.hdf5: robomimic");
  size_t third = text.find("\n\ndemo.hdf5: robosuite");
  ASSERT_NE(string::npos, third) << text;
  EXPECT_TRUE(first == 0 && first < second && second < third) << text;
  EXPECT_EQ(3, Count(text, "\nguarantee ")) << text;
  EXPECT_EQ(1, Count(text, "\ngroups ")) << "those of its own file: " << text;
  EXPECT_EQ(5, Count(text, "\nmodel ")) << "two of each robosuite file, one between: " << text;
}

TEST_F(InfoForeign, ModelsThatLackFilesAreNotLoadedAndTheCureIsFirst) {
  foreign::Options o;
  o.model = "<mujoco><asset><mesh file='/home/a/arm.stl'/><mesh file='/home/a/hand.stl'/></asset>"
            "<worldbody><geom type='mesh' mesh='arm'/><geom type='mesh' mesh='hand'/></worldbody>"
            "</mujoco>";
  foreign::write_robosuite(path, o);
  string text = Info();
  EXPECT_TRUE(Has(text, "\nmodel      not loaded: 2 files of the model cannot be had: --assets DIR "
                        "finds them, --missing-assets drop leaves them out\n"
                        "           arm.stl, hand.stl\n"))
      << text;
  EXPECT_TRUE(Has(text, "\nguarantee  STATES ONLY: no model\n")) << text;
}

TEST_F(InfoForeign, AllFilesThatAreMissingAreListed) {
  foreign::Options o;
  o.model = "<mujoco><asset>";
  for (int i = 10; i < 40; i++)
    o.model += "<mesh name='m" + std::to_string(i) + "' file='/home/a/a_long_name_of_a_link_" +
               std::to_string(i) + ".stl'/>";
  o.model += "<mesh name='again' file='/home/b/a_long_name_of_a_link_10.stl'/></asset></mujoco>";
  foreign::write_robosuite(path, o);
  string text = Info();
  json_t *root = json_loads(Info("--json").c_str(), 0, nullptr);
  json_t *files = json_object_get(root, "missing_files");
  ASSERT_EQ(30u, json_array_size(files)) << text;
  EXPECT_TRUE(Has(text, "not loaded: 30 files of the model cannot be had: ")) << text;
  EXPECT_FALSE(Has(text, ", \n")) << text;
  for (size_t i = 0; i < 30; i++) {
    string name = "a_long_name_of_a_link_" + std::to_string(10 + i) + ".stl";
    EXPECT_EQ(name, json_string_value(json_array_get(files, i)));
    EXPECT_EQ(1, Count(text, name)) << text;
  }
  json_decref(root);
}

TEST_F(InfoForeign, ArraysOfNoKnownLayoutAreNotCalledNone) {
  {
    foreign::File file(path);
    file.array("/actions", foreign::F64, {9, 2}, std::vector<double>(18, 1));
    file.array("/rewards", foreign::F64, {9}, std::vector<double>(9, 1));
  }
  string text = Info();
  EXPECT_EQ(0, status) << text;
  EXPECT_TRUE(Has(text, "demo.hdf5: arrays, 1 episode, 9 rows\n")) << text;
  EXPECT_TRUE(Has(text, "\nactions    not interpreted: arrays of an unknown layout\n")) << text;
  EXPECT_TRUE(Has(text, "\nsuccess    not interpreted: arrays of an unknown layout\n")) << text;
  EXPECT_TRUE(Has(text, "\nmodel      none: the file names none: ")) << text;
  EXPECT_TRUE(Has(text, "\narrays         -       9  ")) << text;
  EXPECT_FALSE(Has(text, "0 actions")) << text;
}

TEST_F(InfoForeign, ADateIsNoWriter) {
  {
    foreign::File file(path);
    file.group("/data/demo_1");
    file.array("/data/demo_1/states", foreign::F64, {4, 3}, std::vector<double>(12, 0.5));
    file.attr("/data", "date", "9-4-2021");
    file.attr("/data", "time", "1:2:3");
  }
  string text = Info();
  EXPECT_TRUE(Has(text, "\nrecorded   2021-09-04T01:02:03\n")) << text;
  EXPECT_FALSE(Has(text, "written by")) << text;
}

/* A folder of assets that is mistyped is said at once; one of the environment is passed over. */
TEST_F(InfoForeign, FoldersOfAssetsThatAreNotThere) {
  foreign::write_robomimic(path);
  string text = Info("--assets /nonexist");
  EXPECT_EQ("playhead: info: --assets /nonexist: No such file or directory\n", text);
  EXPECT_EQ(3, status);
  text = Info("--assets demo.hdf5");
  EXPECT_EQ("playhead: info: --assets demo.hdf5: not a folder\n", text);
  EXPECT_EQ(3, status);
  string plain = Info();
  const char *before = getenv("PLAYHEAD_ASSETS");
  setenv("PLAYHEAD_ASSETS", "/nonexist:/nor/this", 1);
  text = Info();
  EXPECT_EQ("playhead: PLAYHEAD_ASSETS: /nonexist and 1 more: no such folders: they are passed "
            "over\n" +
                plain,
            text);
  setenv("PLAYHEAD_ASSETS", ("/nonexist:" + top).c_str(), 1);
  text = Info();
  EXPECT_EQ("playhead: PLAYHEAD_ASSETS: /nonexist: no such folder: it is passed over\n" + plain,
            text);
  EXPECT_EQ(0, status);
  if (before)
    setenv("PLAYHEAD_ASSETS", before, 1);
  else
    unsetenv("PLAYHEAD_ASSETS");
}

/* verify lists what it checked, and a count that is wrong is a note. */
TEST_F(InfoForeign, VerifyClaimsNoMoreThanItChecked) {
  foreign::Options o;
  o.models = false;
  foreign::write_robosuite(path, o);
  string text = Run("verify");
  EXPECT_EQ(0, status) << text;
  EXPECT_TRUE(Has(text, "2 of 2 episodes are as recorded: shapes, numbers, time; there was nothing "
                        "to check of: quaternions, model, predicate, hold, ctrl of actions; no "
                        "checksums"))
      << text;
  fs::remove(path);
  foreign::write_robosuite(path, {});
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    foreign::Id demo(H5Oopen(file, "/data/demo_1", H5P_DEFAULT), path);
    foreign::Id space(H5Screate(H5S_SCALAR), path);
    foreign::Id attr(
        H5Acreate2(demo, "num_samples", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), path);
    int64_t wrong = 99;
    H5Awrite(attr, H5T_STD_I64LE, &wrong);
  }
  text = Run("verify");
  EXPECT_EQ(0, status) << text;
  EXPECT_TRUE(Has(text, "    note: num_samples is 99, there are 30 actions\n")) << text;
  EXPECT_FALSE(Has(text, "WRONG")) << text;
  EXPECT_TRUE(Has(text, "shapes, numbers, time, quaternions, model; there")) << text;
  json_t *root = json_loads(Run("verify --json").c_str(), 0, nullptr);
  json_t *episode = json_array_get(json_object_get(root, "episodes"), 0);
  EXPECT_EQ(1u, json_array_size(json_object_get(episode, "notes")));
  EXPECT_TRUE(json_is_true(json_object_get(episode, "ok")));
  json_decref(root);
}

TEST_F(InfoForeign, SaysThatAGroupNamesEpisodesThatAreNotThere) {
  foreign::Options o;
  o.mask = false;
  foreign::write_robomimic(path, o);
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    foreign::Id text(foreign::text_type(8, false), path);
    hsize_t dim = 3;
    foreign::Id space(H5Screate_simple(1, &dim, nullptr), path);
    foreign::Id mask(H5Gcreate2(file, "/mask", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), path);
    foreign::Id set(H5Dcreate2(mask, "train", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    path);
    H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, "demo_0\0\0demo_8\0\0demo_9\0");
  }
  string out = Info();
  EXPECT_TRUE(Has(out, "\ngroups     train 1\n")) << out;
  EXPECT_EQ(1, Count(out, "    oddity: ")) << out;
  json_t *root = json_loads(Info("--json").c_str(), 0, nullptr);
  json_t *episode = json_array_get(json_object_get(root, "episodes"), 0);
  EXPECT_EQ(1u, json_array_size(json_object_get(episode, "oddities")));
  json_decref(root);
}

/* Every robomimic file: the last action is a success, and the state after it is not stored. */
TEST_F(InfoForeign, WhatMostEpisodesShareIsSaidOnce) {
  foreign::Options o;
  o.rows = {20, 21, 22};
  foreign::write_robomimic(path, o);
  string text = Info();
  EXPECT_EQ(1, Count(text, "success is recorded for the last action")) << text;
  EXPECT_TRUE(Has(text, "\nmissing: in 3 of 3 episodes: success is recorded for the last action; "
                        "the state after it is not in the file\n"))
      << text;
}

TEST_F(InfoForeign, LengthsThatAreWrongInMoreThanAHandfulAreOneLine) {
  for (int wrong : {5, 6}) {
    foreign::Options o;
    o.rows = {20, 20, 20, 20, 20, 20, 20};
    foreign::write_robosuite(path, o);
    {
      foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
      foreign::Id space(H5Screate(H5S_SCALAR), path);
      for (int i = 1; i <= wrong; i++) {
        foreign::Id demo(H5Oopen(file, ("/data/demo_" + std::to_string(i)).c_str(), H5P_DEFAULT),
                         path);
        foreign::Id attr(
            H5Acreate2(demo, "num_samples", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), path);
        int64_t samples = i == 3 ? 500 : 30 + i;
        H5Awrite(attr, H5T_STD_I64LE, &samples);
      }
    }
    string text = Info();
    string line = "oddity: in 6 of 7 episodes, worst demo_3: num_samples is 500, there are 20 "
                  "actions\n";
    EXPECT_EQ(wrong == 5 ? 5 : 1, Count(text, "num_samples is")) << text;
    EXPECT_EQ(wrong == 6, Has(text, line)) << text;
  }
}

/* Numbers in names are no numbers: each of these is another array. */
TEST_F(InfoForeign, ArraysOfManyNamesAreEachNamed) {
  foreign::Options o;
  foreign::write_robosuite(path, o);
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    for (int i = 0; i < 8; i++)
      H5Lcreate_soft("/data", file, ("/data/demo_1/joint_" + std::to_string(i)).c_str(),
                     H5P_DEFAULT, H5P_DEFAULT);
  }
  string text = Info();
  for (int i = 0; i < 8; i++)
    EXPECT_TRUE(Has(text, "    missing: joint_" + std::to_string(i) + " is a link")) << text;
}

TEST_F(InfoForeign, ListsTheFirstOfVeryMany) {
  foreign::Options o;
  o.rows.assign(150, 3);
  o.models = false;
  foreign::write_robosuite(path, o);
  {
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    H5Ldelete(file, "/data/demo_140/actions", H5P_DEFAULT);
  }
  string text = Info();
  EXPECT_TRUE(Has(text, "150 episodes, 447 actions, 0 to 3 each\n")) << text;
  EXPECT_TRUE(Has(text, "\ndemo_20 ")) << text;
  EXPECT_FALSE(Has(text, "\ndemo_21 ")) << text;
  EXPECT_TRUE(Has(text, "... and 130 more")) << text;
}

TEST_F(InfoForeign, JsonKeepsTheDocumentedKeysAndHasMoreBehindThem) {
  foreign::Options o;
  o.images = true;
  foreign::write_libero(path, o);
  string text = Info("--json");
  EXPECT_EQ(0, status);
  json_error_t error;
  json_t *root = json_loads(text.c_str(), 0, &error);
  ASSERT_NE(nullptr, root) << text;
  for (const char *key : {"path", "layout", "data_hash", "models", "tasks", "episodes", "groups"})
    EXPECT_NE(nullptr, json_object_get(root, key)) << key;
  json_t *model = json_array_get(json_object_get(root, "models"), 0);
  EXPECT_NE(nullptr, json_object_get(model, "notes"));
  json_t *episode = json_array_get(json_object_get(root, "episodes"), 1);
  for (const char *key :
       {"id",         "env_id",     "states",      "actions",        "seed",
        "end_reason", "success",    "missing",     "guarantee",      "oddities",
        "layout",     "writer",     "created",     "env_name",       "instruction",
        "controller", "control_dt", "rate_source", "success_source", "model_sha256",
        "findings",   "channels"})
    EXPECT_NE(nullptr, json_object_get(episode, key)) << key;
  EXPECT_STREQ("put the cube in the drawer",
               json_string_value(json_object_get(episode, "instruction")));
  EXPECT_EQ(0.05, json_real_value(json_object_get(episode, "control_dt")));
  EXPECT_EQ(0u, json_array_size(json_object_get(episode, "missing")));
  json_t *channels = json_object_get(episode, "channels");
  bool image = false;
  for (size_t i = 0; i < json_array_size(channels); i++) {
    json_t *c = json_array_get(channels, i);
    if (strcmp(json_string_value(json_object_get(c, "name")), "obs/agentview_rgb") != 0)
      continue;
    image = true;
    EXPECT_STREQ("image", json_string_value(json_object_get(c, "kind")));
    EXPECT_EQ(4u, json_array_size(json_object_get(c, "shape")));
    EXPECT_EQ(1, json_integer_value(json_object_get(c, "shift")));
  }
  EXPECT_TRUE(image);
  json_decref(root);
}

TEST_F(InfoForeign, JsonHasAllOdditiesAndWhatIsMissing) {
  foreign::Options o;
  o.rows = {20};
  o.models = false;
  foreign::write_robosuite(path, o);
  json_t *root = json_loads(Info("--json").c_str(), 0, nullptr);
  ASSERT_NE(nullptr, root);
  json_t *episode = json_array_get(json_object_get(root, "episodes"), 0);
  string missing;
  json_t *list = json_object_get(episode, "missing");
  for (size_t i = 0; i < json_array_size(list); i++)
    missing += string(json_string_value(json_array_get(list, i))) + " ";
  EXPECT_EQ("rewards dones model ", missing);
  EXPECT_TRUE(json_is_null(json_object_get(episode, "model_sha256")));
  json_decref(root);
}

TEST_F(InfoForeign, AFileOfNoLayoutIsOneSentence) {
  {
    foreign::File f(path);
    for (int i = 0; i < 6; i++)
      f.array("/x" + std::to_string(i), foreign::F64, {(hsize_t)i + 3}, {});
  }
  string text = Info();
  EXPECT_EQ(3, status);
  EXPECT_EQ(1, Count(text, "\n")) << text;
  EXPECT_TRUE(Has(text, "playhead: demo.hdf5: ")) << text;
}

// The list's oddity and that of the episode stand beside each other in the list, not in `info`.
TEST_F(InfoForeign, SaysWhatTheListAndTheEpisodeFoundOnceEach) {
  {
    foreign::File f(path);
    f.array("/data/demo_0/states", foreign::F64, {4, 3}, foreign::wave(12));
    f.array("/data/demo_0/actions", foreign::F64, {4, 2}, foreign::wave(8));
    f.attr("/data/demo_0", "num_samples", 9);
    std::vector<string> all(1101, "demo_1");
    f.texts("/mask/all", all, 12);
  }
  for (const char *verb : {"info", "info --json", "verify"}) {
    string text = Run(verb);
    bool json = string(verb) == "info --json";
    EXPECT_EQ(json ? 2 : 1, Count(text, "mask/all names 1101 episodes")) << verb << text;
    EXPECT_EQ(json ? 2 : 1, Count(text, "num_samples is 9, there are 4 actions")) << verb << text;
  }
}

} // namespace
