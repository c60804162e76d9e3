// Files of robosuite's family, cut: what h5py reads in the result is what it reads in the source,
// but for the rows, counts and marks that a cut is about.
#include "cut_compare.h"
#include "cut_help.h"
#include "foreign_layouts.h"

using namespace cut_help;

namespace {

class CutDemos : public testing::Test {
protected:
  Folder dir;

  /* What h5py finds otherwise; "-" where there is no h5py. */
  string Compare(const string &a, const string &b, const Plan &plan, bool marks) {
    static const bool there = system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") == 0;
    if (!there)
      return "-";
    spill(dir / "compare.py", kCompare);
    string command =
        "/usr/bin/python3 " + dir / "compare.py " + a + " " + b + (marks ? " marks" : " none");
    for (const auto &e : plan)
      command += string(" ") + e.id +
                 (e.dropped ? ":drop" : ":" + std::to_string(e.from) + ":" + std::to_string(e.to));
    command += " >" + dir / "differs" + " 2>&1";
    int status = system(command.c_str());
    Bytes text = slurp(dir / "differs");
    unlink((dir / "differs").c_str());
    unlink((dir / "compare.py").c_str());
    EXPECT_EQ(status, 0);
    return string(text.begin(), text.end());
  }
  void ExpectCut(const string &name, const Plan &plan, ph_cut_options opt = options()) {
    string source = dir / name, out = dir / ("cut_" + name);
    auto before = contents_of(source);
    ASSERT_EQ(cut(out, source, plan, opt), PH_OK) << ph_error();
    EXPECT_EQ(contents_of(source), before) << name;
    string differs = Compare(source, out, plan, opt.latched);
    if (differs != "-") {
      EXPECT_EQ(differs, "\n") << name;
    }
    for (const string &n : names(dir.path()))
      EXPECT_NE(n[0], '.') << n;
  }
};

const foreign::Store kPacked = {7, 4, true};

TEST_F(CutDemos, EveryLayoutStaysWhatItIs) {
  foreign::Options o;
  int k = 0;
  for (bool latest : {false, true})
    for (foreign::Store store : {foreign::Store{}, kPacked, foreign::Store{16, 0, false, true}}) {
      o.latest = latest;
      o.store = store;
      o.images = o.next_obs = true;
      string n = std::to_string(k++);
      foreign::write_robosuite(dir / ("suite" + n + ".hdf5"), o);
      foreign::write_robomimic(dir / ("mimic" + n + ".hdf5"), o);
      foreign::write_libero(dir / ("libero" + n + ".hdf5"), o);
      foreign::write_mimicgen(dir / ("gen" + n + ".hdf5"), o);
      ExpectCut("suite" + n + ".hdf5", {line("demo_1", 0, 12), line("demo_2", 0, 41)});
      ExpectCut("mimic" + n + ".hdf5", {line("demo_0", 0, 29), line("demo_1", 0, 7)});
      ExpectCut("libero" + n + ".hdf5", {line("demo_0", 0, 1), line("demo_1", 0, 0, true)});
      ExpectCut("gen" + n + ".hdf5", {line("demo_0", 0, 0, true), line("demo_1", 0, 40)});
    }
}

TEST_F(CutDemos, ARangeMayBeginLaterAndLeavesTheMarks) {
  foreign::Options o;
  o.store = kPacked;
  o.next_obs = o.images = true;
  foreign::write_robomimic(dir / "a.hdf5", o);
  ph_cut_options opt = options();
  opt.latched = false;
  ExpectCut("a.hdf5", {line("demo_0", 5, 21), line("demo_1", 13, 14)}, opt);
  Store s = open_store({dir / "cut_a.hdf5"}), was = open_store({dir / "a.hdf5"});
  Episode e = episode_of(s, 0), from = episode_of(was, 0);
  ASSERT_TRUE(e && from) << ph_error();
  double x[20], y[20];
  ASSERT_EQ(ph_episode_meta_of(e.get())->actions, 16);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 0, 1, x), PH_OK);
  ASSERT_EQ(ph_episode_read(from.get(), PH_COL_STATES, 5, 1, y), PH_OK);
  EXPECT_EQ(memcmp(x, y, sizeof x), 0);
}

TEST_F(CutDemos, OneStateMoreThanActionsStaysOneMore) {
  {
    foreign::File f(dir / "a.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env_args", "{\"env_name\": \"Lift\", \"env_kwargs\": {\"control_freq\": 20}}");
    f.array("/data/demo_0/states", foreign::F64, {11, 4}, foreign::wave(44));
    f.array("/data/demo_0/actions", foreign::F32, {10, 2}, foreign::wave(20), kPacked);
    f.array("/data/demo_0/obs/eef", foreign::F16, {11, 3}, foreign::wave(33));
    f.array("/data/demo_0/obs/deltas", foreign::F64, {10, 2}, foreign::wave(20));
    f.array("/data/demo_0/calibration", foreign::F64, {3, 3}, foreign::wave(9));
    f.array("/data/demo_0/gain", foreign::F64, {}, {3});
    f.array("/data/demo_0/dones", foreign::BOOL, {10, 1}, foreign::last_is_one(10));
    f.array("/data/demo_0/rewards", foreign::F16, {10}, foreign::last_is_one(10), kPacked);
    f.texts("/data/demo_0/obs/words", {"a", "bc", "", "d", "e", "f", "gh", "i", "j", "kkk", "l"});
    f.texts("/data/demo_0/names", {"arm", "hand"});
    f.attr("/data/demo_0", "success", false);
    f.hard("/data/demo_0/obs/eef_again", "/data/demo_0/obs/eef");
  }
  ExpectCut("a.hdf5", {line("demo_0", 0, 6)});
  hid_t file;
  int64_t success = -1;
  uint64_t one = 0, other = 1;
  ASSERT_EQ(ph_h5_open(&file, (dir / "cut_a.hdf5").c_str()), PH_OK);
  hid_t demo, eef, again;
  ph_h5_array info;
  const char *why;
  ASSERT_EQ(ph_h5_group(&demo, file, "/data/demo_0"), PH_OK);
  EXPECT_EQ(ph_h5_attr_i64(demo, "success", &success), PH_OK) << ph_error();
  EXPECT_EQ(success, 1);
  ASSERT_EQ(ph_h5_dataset_any(&eef, &info, &why, demo, "obs/eef"), PH_OK);
  EXPECT_EQ(info.dim[0], 7);
  ASSERT_EQ(ph_h5_dataset_any(&again, &info, &why, demo, "obs/eef_again"), PH_OK);
  ph_h5_address(&one, eef);
  ph_h5_address(&other, again);
  EXPECT_EQ(one, other); /* two names of one array stay that */
  for (hid_t id : {again, eef, demo, file})
    ph_h5_close(id);
}

TEST_F(CutDemos, ProvenanceIsAnAttributeAndChained) {
  foreign::write_robomimic(dir / "a.hdf5");
  ph_cut_options opt = options(0.5);
  opt.method = "kinematic";
  ASSERT_EQ(
      cut(dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 20), line("demo_1", 0, 30)}, opt),
      PH_OK)
      << ph_error();
  ASSERT_EQ(cut(dir / "c.hdf5", dir / "b.hdf5", {line("demo_0", 0, 9), line("demo_1", 0, 0, true)},
                options(0.25)),
            PH_OK)
      << ph_error();
  hid_t file, demo;
  char *provenance = nullptr;
  ASSERT_EQ(ph_h5_open(&file, (dir / "c.hdf5").c_str()), PH_OK);
  ASSERT_EQ(ph_h5_group(&demo, file, "/data/demo_0"), PH_OK);
  ASSERT_EQ(ph_h5_attr_text(demo, "playhead_provenance", &provenance), PH_OK) << ph_error();
  json_t *first = step_of(provenance, 0), *second = step_of(provenance, 1);
  EXPECT_EQ(text(first, "file"), dir / "a.hdf5");
  EXPECT_EQ(text(first, "group"), "/data/demo_0");
  EXPECT_EQ(text(first, "method"), "kinematic");
  EXPECT_TRUE(json_is_null(json_object_get(first, "source_hold_seconds")));
  EXPECT_EQ(number(first, "hold_seconds"), 0.5);
  EXPECT_EQ(number(first, "hold_steps"), 10); /* at 20 Hz */
  EXPECT_EQ(number(first, "steps_dropped"), 10);
  EXPECT_EQ(text(second, "file"), dir / "b.hdf5");
  EXPECT_EQ(number(second, "source_hold_seconds"), 0.5);
  EXPECT_EQ(number(second, "hold_steps"), 5);
  EXPECT_EQ(number(second, "source_actions"), 20);
  json_decref(first);
  json_decref(second);
  free(provenance);
  ph_h5_close(demo);
  ph_h5_close(file);
}

/* The reason is that of the hold, and not that of what is written of it. */
TEST_F(CutDemos, AHoldThatCannotBeCountedIsRefusedInItsOwnWords) {
  foreign::write_robomimic(dir / "a.hdf5");
  expect_refused(dir, dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 9), line("demo_1", 0, 9)},
                 PH_EINVAL, "comes to 0 steps", options(0.001));
}

TEST_F(CutDemos, TheReaderFindsWhatWasCut) {
  foreign::write_robomimic(dir / "a.hdf5");
  ASSERT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 20), line("demo_1", 0, 30)}),
            PH_OK);
  Store s = open_store({dir / "b.hdf5"});
  ASSERT_EQ(ph_store_look(s.get(), 0), PH_OK);
  EXPECT_EQ(entry(s, 0)->actions, 20);
  EXPECT_EQ(entry(s, 0)->success, 1);
  EXPECT_STREQ(entry(s, 0)->oddity, "");
  EXPECT_EQ(ph_store_groups(s.get()), 2u);
  EXPECT_STREQ(ph_store_layout(s.get()), "robomimic");
}

TEST_F(CutDemos, OtherThingsInTheFileStay) {
  {
    foreign::File f(dir / "a.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env", "Lift");
    f.array("/data/demo_0/states", foreign::F64, {10, 4}, foreign::wave(40));
    f.array("/data/demo_0/actions", foreign::F64, {10, 2}, foreign::wave(20));
    f.array("/data/norms", foreign::F64, {10, 2}, foreign::wave(20));
    f.array("/stats/mean", foreign::F32, {10}, foreign::wave(10), kPacked);
    f.soft("/latest", "/data/demo_0");
    f.external("/other", "other.h5", "/x");
  }
  ExpectCut("a.hdf5", {line("demo_0", 0, 4)});
  hid_t file, set;
  ph_h5_array info;
  const char *why;
  ASSERT_EQ(ph_h5_open(&file, (dir / "cut_a.hdf5").c_str()), PH_OK);
  ASSERT_EQ(ph_h5_dataset_any(&set, &info, &why, file, "/stats/mean"), PH_OK) << ph_error();
  EXPECT_EQ(info.dim[0], 10); /* as long as the demo was, and none of its rows */
  ph_h5_close(set);
  EXPECT_GT(H5Lexists(file, "/latest", H5P_DEFAULT), 0);
  EXPECT_GT(H5Lexists(file, "/other", H5P_DEFAULT), 0);
  ph_h5_close(file);
}

/* h5py's track_order, and room to grow that has an end. */
TEST_F(CutDemos, OrderAndLimitsStay) {
  const char *made[] = {"states", "zeta", "actions", "alpha"};
  {
    foreign::File f(dir / "a.hdf5");
    f.group("/data");
    f.attr("/data", "env", "Lift");
    foreign::Id list(H5Pcreate(H5P_GROUP_CREATE), "order");
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    foreign::Id demo(H5Gcreate2(f.id(), "/data/demo_0", H5P_DEFAULT, list, H5P_DEFAULT), "demo");
    for (const char *name : made)
      f.attr("/data/demo_0", name, 1);
    for (const char *name : made)
      if (strcmp(name, "zeta") != 0) {
        f.array(string("/data/demo_0/") + name, foreign::F64, {10, 2}, foreign::wave(20));
      } else {
        hsize_t dim[] = {10, 2}, most[] = {100, 2}, chunk[] = {4, 2};
        foreign::Id space(H5Screate_simple(2, dim, most), name),
            how(H5Pcreate(H5P_DATASET_CREATE), name);
        H5Pset_chunk(how, 2, chunk);
        foreign::Id set(
            H5Dcreate2(demo, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT), name);
      }
  }
  ASSERT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 6)}), PH_OK) << ph_error();
  hid_t file;
  ASSERT_EQ(ph_h5_open(&file, (dir / "b.hdf5").c_str()), PH_OK);
  {
    foreign::Id demo(H5Gopen2(file, "/data/demo_0", H5P_DEFAULT), "demo");
    for (hsize_t i = 0; i < 4; i++) {
      char name[20];
      H5Lget_name_by_idx(demo, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                         H5P_DEFAULT);
      EXPECT_STREQ(name, made[i]);
      H5Aget_name_by_idx(demo, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                         H5P_DEFAULT);
      EXPECT_STREQ(name, made[i]);
    }
    hsize_t dim[2] = {}, most[2] = {};
    foreign::Id set(H5Dopen2(demo, "zeta", H5P_DEFAULT), "zeta"), space(H5Dget_space(set), "zeta");
    H5Sget_simple_extent_dims(space, dim, most);
    EXPECT_EQ(dim[0], 6u);
    EXPECT_EQ(most[0], 100u);
  }
  ph_h5_close(file);
}

/* robosuite 1.0 names a file of models/ beside its own: a result in another folder needs it there.
 */
TEST_F(CutDemos, ModelsBesideTheFileGoAlong) {
  string from = dir / "from", to = dir / "to";
  for (const string &folder : {from, from + "/models", to})
    std::filesystem::create_directory(folder);
  string model = foreign::arm_model();
  spill(from + "/models/model_1.xml", model);
  foreign::Options o;
  o.model = "model_1.xml";
  foreign::write_robosuite(from + "/a.hdf5", o);
  auto before = contents_of(from);
  Plan plan = {line("demo_1", 0, 12), line("demo_2", 0, 20)};
  ph_cut_tally tally{};
  ASSERT_EQ(cut(to + "/b.hdf5", from + "/a.hdf5", plan, options(), &tally), PH_OK) << ph_error();
  EXPECT_EQ(tally.models, 1u);
  EXPECT_EQ(contents_of(from), before);
  EXPECT_EQ(names(to), (pack_help::Paths{"b.hdf5", "models"}));
  EXPECT_EQ(slurp(to + "/models/model_1.xml"), slurp(from + "/models/model_1.xml"));
  Store s = open_store({to + "/b.hdf5"});
  Episode e = episode_of(s, 0);
  ASSERT_TRUE(e) << ph_error();
  EXPECT_NE(ph_episode_meta_of(e.get())->model_sha256[0], 0);
  /* Those that are there already are fine where they are the same, and never replaced. */
  ASSERT_EQ(cut(to + "/c.hdf5", from + "/a.hdf5", plan), PH_OK) << ph_error();
  spill(to + "/models/model_1.xml", "<mujoco/>");
  unlink((to + "/b.hdf5").c_str());
  auto there = contents_of(to);
  EXPECT_EQ(cut(to + "/b.hdf5", from + "/a.hdf5", plan), PH_EEXIST);
  EXPECT_TRUE(says(ph_error(), "models/model_1.xml: another model is there"));
  EXPECT_EQ(contents_of(to), there);
  EXPECT_EQ(names(to), (pack_help::Paths{"c.hdf5", "models"}));
  /* A try finds it too, where it is told of the place, and says the same. */
  string said = ph_error(), result = to + "/b.hdf5", beside = from + "/b.hdf5";
  Store source = open_store({from + "/a.hdf5"});
  ph_cut_options how = options();
  size_t all = ph_store_count(source.get());
  ASSERT_EQ(all, plan.size());
  EXPECT_EQ(ph_cut_try(source.get(), all, plan.data(), &how), PH_OK) << ph_error();
  how.out = result.c_str();
  EXPECT_EQ(ph_cut_try(source.get(), all, plan.data(), &how), PH_EEXIST);
  EXPECT_EQ(said, ph_error());
  Plan none = plan;
  for (auto &e : none)
    e.dropped = true;
  EXPECT_EQ(ph_cut_try(source.get(), all, none.data(), &how), PH_OK) << ph_error();
  how.out = beside.c_str();
  EXPECT_EQ(ph_cut_try(source.get(), all, plan.data(), &how), PH_OK) << ph_error();
  EXPECT_EQ(contents_of(to), there);
  /* In the same folder nothing is copied; demos that are left out name nothing. */
  ASSERT_EQ(cut(from + "/b.hdf5", from + "/a.hdf5", plan, options(), &tally), PH_OK);
  EXPECT_EQ(tally.models, 0u);
  EXPECT_EQ(names(from + "/models"), (pack_help::Paths{"model_1.xml"}));
}

/* A result that cannot be put into place takes the models with it. */
TEST_F(CutDemos, ModelsOfWhatIsStoppedDoNotStay) {
  std::filesystem::create_directory(dir / "models");
  std::filesystem::create_directory(dir / "to");
  spill(dir / "models/m.xml", foreign::arm_model());
  foreign::Options o;
  o.model = "m.xml";
  foreign::write_robosuite(dir / "a.hdf5", o);
  for (int left : {0, 1, 2}) {
    ph_cut_options opt = options();
    opt.arg = &left;
    opt.progress = [](void *arg, size_t, size_t) { return (*static_cast<int *>(arg))-- > 0; };
    EXPECT_EQ(
        cut(dir / "to/b.hdf5", dir / "a.hdf5", {line("demo_1", 0, 5), line("demo_2", 0, 5)}, opt),
        PH_ECANCELED);
    EXPECT_EQ(names(dir / "to"), (pack_help::Paths{}));
  }
}

/* Hidden files that have the names which would come first are not this cut's. */
TEST_F(CutDemos, HiddenFilesOfOthersStay) {
  string to = dir / "to", first = to + "/.b.hdf5." + std::to_string(getpid()) + "-";
  for (const string &folder : {dir / "models", to, first + "1.part"})
    std::filesystem::create_directory(folder);
  spill(dir / "models/m.xml", foreign::arm_model());
  foreign::Options o;
  o.model = "m.xml";
  foreign::write_robosuite(dir / "a.hdf5", o);
  spill(first + "0.part", "of somebody else");
  spill(first + "1.part/m.xml", "so is this");
  spill(first + "2.part", "and this");
  auto there = contents_of(to);
  for (int left : {0, 1, 2, 1000}) {
    ph_cut_options opt = options();
    opt.arg = &left;
    opt.progress = [](void *arg, size_t, size_t) { return (*static_cast<int *>(arg))-- > 0; };
    ph_status status = left == 1000 ? PH_OK : PH_ECANCELED;
    EXPECT_EQ(
        cut(to + "/b.hdf5", dir / "a.hdf5", {line("demo_1", 0, 5), line("demo_2", 0, 5)}, opt),
        status)
        << ph_error();
    unlink((to + "/b.hdf5").c_str());
    std::filesystem::remove_all(to + "/models");
    EXPECT_EQ(contents_of(to), there);
  }
}

TEST_F(CutDemos, WhatIsRefusedLeavesNothing) {
  foreign::Options o;
  o.store = kPacked;
  foreign::write_robomimic(dir / "a.hdf5", o);
  string a = dir / "a.hdf5", out = dir / "out.hdf5";
  Plan fine = {line("demo_0", 0, 20), line("demo_1", 0, 30)};
  expect_refused(dir, out, a, {line("demo_0", 0, 20)}, PH_EINVAL, "demo_1");
  expect_refused(dir, out, a, {line("demo_0", 0, 20), line("demo_1", 0, 42)}, PH_EINVAL, "demo_1");
  expect_refused(dir, out, a, {line("demo_0", 0, 20), line("demo_1", 3, 3)}, PH_EINVAL, "demo_1");
  expect_refused(dir, a, a, fine, PH_EEXIST, "exists already");
  {
    foreign::File f(dir / "links.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env", "Lift");
    f.array("/data/demo_0/states", foreign::F64, {10, 4}, foreign::wave(40));
    f.array("/data/demo_0/actions", foreign::F64, {10, 2}, foreign::wave(20));
    f.external("/data/demo_0/video", "video.h5", "/frames");
  }
  expect_refused(dir, out, dir / "links.hdf5", {line("demo_0", 0, 2)}, PH_EFORMAT,
                 "/data/demo_0/video: a link is never followed");
  {
    foreign::File f(dir / "lengths.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env", "Lift");
    f.array("/data/demo_0/states", foreign::F64, {20, 4}, foreign::wave(80));
    f.array("/data/demo_0/actions", foreign::F64, {10, 2}, foreign::wave(20));
  }
  expect_refused(dir, out, dir / "lengths.hdf5", {line("demo_0", 0, 2)}, PH_EFORMAT,
                 "20 states and 10 actions");
  {
    foreign::File f(dir / "isaac.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env_args", "{}");
    f.array("/data/demo_0/actions", foreign::F32, {10, 2}, foreign::wave(20));
    f.array("/data/demo_0/states/articulation/robot/joint_position", foreign::F32, {10, 3},
            foreign::wave(30));
    f.array("/data/demo_0/initial_state/articulation/robot/joint_position", foreign::F32, {1, 3},
            foreign::wave(3));
  }
  expect_refused(dir, out, dir / "isaac.hdf5", {line("demo_0", 1, 4)}, PH_EFORMAT, "initial_state");
  ExpectCut("isaac.hdf5", {line("demo_0", 0, 1)});
  {
    foreign::File f(dir / "arrays.h5");
    f.array("/qpos", foreign::F64, {10, 3}, foreign::wave(30));
    f.array("/qvel", foreign::F64, {10, 3}, foreign::wave(30));
  }
  Store s = open_store({dir / "arrays.h5"});
  ASSERT_TRUE(s) << ph_error();
  expect_refused(dir, out, dir / "arrays.h5", {line(entry(s, 0)->id, 0, 2)}, PH_EFORMAT,
                 "its layout (arrays) cannot be cut");
}

/* Of /data everything that counts as a demo is of the list, or it is not in the result. */
TEST_F(CutDemos, WhatIsLeftOutIsNotThere) {
  string longer(150, 'x');
  {
    foreign::File f(dir / "a.hdf5");
    f.group("/data");
    f.attr("/data", "env", "Lift");
    for (const string &name : {string("demo_0"), string("demo_1"), "demo_" + longer, longer}) {
      f.array("/data/" + name + "/states", foreign::F64, {10, 4}, foreign::wave(40));
      f.array("/data/" + name + "/actions", foreign::F64, {10, 2}, foreign::wave(20));
    }
    f.soft("/data/demo_7", "/data/demo_1");
    f.array("/data/demo_8", foreign::F64, {10, 2}, foreign::wave(20));
    f.array("/data/norms", foreign::F64, {10, 2}, foreign::wave(20));
    f.texts("/mask/train", {"demo_1", "demo_" + longer, "demo_0", longer, "demo_7", "other"});
  }
  Plan plan;
  Store s = open_store({dir / "a.hdf5"});
  for (size_t i = 0; i < ph_store_count(s.get()); i++)
    plan.push_back(line(entry(s, i)->id, 0, 5, strcmp(entry(s, i)->id, "demo_0") != 0));
  ASSERT_EQ(plan.size(), 6u);
  ASSERT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", plan), PH_OK) << ph_error();
  hid_t file, data, mask;
  char **name = nullptr;
  size_t n = 0;
  ASSERT_EQ(ph_h5_open(&file, (dir / "b.hdf5").c_str()), PH_OK);
  ASSERT_EQ(ph_h5_group(&data, file, "/data"), PH_OK);
  ASSERT_EQ(ph_h5_names(&name, &n, data), PH_OK);
  EXPECT_EQ(pack_help::Paths(name, name + n), (pack_help::Paths{"demo_0", "norms"}));
  ph_h5_names_free(name, n);
  ASSERT_EQ(ph_h5_group(&mask, file, "/mask"), PH_OK);
  ASSERT_EQ(ph_h5_texts(&name, &n, mask, "train", 1000), PH_OK) << ph_error();
  EXPECT_EQ(pack_help::Paths(name, name + n), (pack_help::Paths{"demo_0", "other"}));
  ph_h5_names_free(name, n);
  for (hid_t id : {mask, data, file})
    ph_h5_close(id);
}

/* Of a demo, or of all of them: it would be whole at its other place. */
TEST_F(CutDemos, AnotherNameOfADemoIsRefused) {
  for (const char *of : {"/data/demo_1", "/data"}) {
    string source = dir / (string(of + 1) == "data" ? "all.hdf5" : "one.hdf5");
    foreign::write_robomimic(source);
    {
      foreign::Id file(H5Fopen(source.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), source.c_str());
      ASSERT_GE(H5Lcreate_hard(file, of, file, "/best", H5P_DEFAULT, H5P_DEFAULT), 0);
    }
    expect_refused(dir, dir / "b.hdf5", source, {line("demo_0", 0, 9), line("demo_1", 0, 0, true)},
                   PH_EFORMAT, "/best: it is another name of");
  }
}

TEST_F(CutDemos, AMaskThatCannotBeReadIsRefusedWhereDemosAreLeftOut) {
  foreign::write_robomimic(dir / "a.hdf5");
  {
    foreign::Id file(H5Fopen((dir / "a.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "a.hdf5");
    hsize_t dim[] = {2};
    foreign::Id space(H5Screate_simple(1, dim, nullptr), "numbers");
    foreign::Id create(H5Pcreate(H5P_LINK_CREATE), "numbers");
    H5Pset_create_intermediate_group(create, 1);
    foreign::Id set(
        H5Dcreate2(file, "/mask/numbers", H5T_STD_I32LE, space, create, H5P_DEFAULT, H5P_DEFAULT),
        "numbers");
  }
  expect_refused(dir, dir / "b.hdf5", dir / "a.hdf5",
                 {line("demo_0", 0, 9), line("demo_1", 0, 0, true)}, PH_EFORMAT,
                 "/mask/numbers: it may name demos that are left out");
  Store s = open_store({dir / "a.hdf5"}); /* a try knows of one demo alone, and refuses none */
  EXPECT_EQ(ph_cut_try(s.get(), 2, nullptr, nullptr), PH_OK) << ph_error();
  EXPECT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 9), line("demo_1", 0, 9)}),
            PH_OK)
      << ph_error();
}

/* A chain of 22 groups, of each of which two names lead to the next one. */
TEST_F(CutDemos, GroupsWithSeveralNamesAreCopiedOnce) {
  {
    foreign::File f(dir / "a.hdf5");
    f.group("/data/demo_0");
    f.attr("/data", "env", "Lift");
    f.array("/data/demo_0/states", foreign::F64, {10, 4}, foreign::wave(40));
    f.array("/data/demo_0/actions", foreign::F64, {10, 2}, foreign::wave(20));
    for (string at : {"/data/demo_0/obs", "/extra"})
      for (int i = 0; i < 22; i++, at += "/a") {
        f.group(at + "/a");
        f.hard(at + "/b", at + "/a");
        if (i == 21)
          f.array(at + "/a/eef", foreign::F64, {10, 2}, foreign::wave(20));
      }
  }
  ASSERT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", {line("demo_0", 0, 6)}), PH_OK) << ph_error();
  hid_t file, one, other;
  uint64_t a = 0, b = 1;
  ASSERT_EQ(ph_h5_open(&file, (dir / "b.hdf5").c_str()), PH_OK);
  for (string at : {"/data/demo_0/obs", "/extra"}) {
    ASSERT_EQ(ph_h5_group(&one, file, (at + "/a/b/a").c_str()), PH_OK);
    ASSERT_EQ(ph_h5_group(&other, file, (at + "/b/a/b").c_str()), PH_OK) << ph_error();
    ph_h5_address(&a, one);
    ph_h5_address(&b, other);
    EXPECT_EQ(a, b) << at;
    ph_h5_close(one);
    ph_h5_close(other);
  }
  ph_h5_close(file);
}

TEST_F(CutDemos, ProgressNeverPassesItsEnd) {
  foreign::Options o;
  o.rows.assign(8, 12);
  foreign::write_robomimic(dir / "a.hdf5", o);
  Plan plan;
  for (size_t i = 0; i < 8; i++)
    plan.push_back(line(foreign::demo_name(i), 0, 6));
  struct Seen {
    size_t last = 0, calls = 0;
  } seen;
  ph_cut_options opt = options();
  opt.arg = &seen;
  opt.progress = [](void *arg, size_t done, size_t all) {
    Seen *s = static_cast<Seen *>(arg);
    EXPECT_LE(done, all);
    EXPECT_GE(done, s->last);
    s->last = done;
    s->calls++;
    return true;
  };
  ph_cut_tally tally = {};
  ASSERT_EQ(cut(dir / "b.hdf5", dir / "a.hdf5", plan, opt, &tally), PH_OK) << ph_error();
  EXPECT_EQ(seen.last, 8u);
  EXPECT_EQ(tally.kept, 8u);
}

TEST_F(CutDemos, ADiskThatIsFullLeavesNothing) {
  foreign::Options o;
  o.images = true;
  foreign::write_robomimic(dir / "a.hdf5", o);
  Plan plan = {line("demo_0", 0, 20), line("demo_1", 0, 30)};
  for (rlim_t most : {1000, 9000, 30000}) {
    SmallDisk disk(most);
    expect_refused(dir, dir / "out.hdf5", dir / "a.hdf5", plan, PH_EIO, "out.hdf5");
  }
  ExpectCut("a.hdf5", plan);
}

TEST_F(CutDemos, OneThatIsStoppedLeavesNothing) {
  foreign::Options o;
  o.rows.assign(30, 12);
  foreign::write_robomimic(dir / "a.hdf5", o);
  Plan plan;
  for (size_t i = 0; i < 30; i++)
    plan.push_back(line(foreign::demo_name(i), 0, 6));
  for (int left : {0, 1, 7, 29}) {
    ph_cut_options opt = options();
    opt.arg = &left;
    opt.progress = [](void *arg, size_t, size_t) { return (*static_cast<int *>(arg))-- > 0; };
    expect_refused(dir, dir / "out.hdf5", dir / "a.hdf5", plan, PH_ECANCELED, "stopped", opt);
  }
}

TEST_F(CutDemos, BytesThatAreDamagedStopIt) {
  foreign::Options o;
  o.store = kPacked;
  foreign::write_robomimic(dir / "a.hdf5", o);
  Bytes bytes = slurp(dir / "a.hdf5");
  Plan plan = {line("demo_0", 0, 20), line("demo_1", 0, 30)};
  int refused = 0;
  std::mt19937 rng(7);
  for (int i = 0; i < 60; i++) {
    Bytes bad = bytes;
    for (int k = 0; k < 4; k++)
      bad[rng() % bad.size()] ^= (uint8_t)(1 + rng() % 255);
    spill(dir / "bad.hdf5", bad, bad.size());
    ph_status status = cut(dir / "out.hdf5", dir / "bad.hdf5", plan);
    EXPECT_EQ(std::filesystem::exists(dir / "out.hdf5"), status == PH_OK);
    EXPECT_EQ(slurp(dir / "bad.hdf5"), bad);
    refused += status != PH_OK;
    unlink((dir / "out.hdf5").c_str());
    EXPECT_EQ(names(dir.path()), (pack_help::Paths{"a.hdf5", "bad.hdf5"}));
  }
  EXPECT_GT(refused, 5);
}

} // namespace
