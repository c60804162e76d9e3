/* Stores of other people's files: looks, groups, models that come with their episodes. */
#include <algorithm>
#include <fstream>
#include <set>

#include "foreign_layouts.h"
#include "read_help.h"

extern "C" {
#include "finding.h"
#include "foreign.h"
#include "probe.h"
#include "store.h"
}

using namespace read_help;
using foreign::Options;
using Names = std::vector<std::string>;

struct FreeModel {
  void operator()(ph_model *m) const { ph_model_unref(m); }
};
using Model = std::unique_ptr<ph_model, FreeModel>;

class ForeignStore : public testing::Test {
protected:
  Folder dir;
  void SetUp() override {
    setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
    ASSERT_EQ(ph_h5_open_ids(), 0u);
  }
  void TearDown() override {
    ph_probe_reset();
    EXPECT_EQ(ph_h5_open_ids(), 0u) << "everything is closed again";
  }

  Store open(const Names &paths, const ph_store_options *opt = nullptr) {
    std::vector<const char *> list;
    for (const auto &p : paths)
      list.push_back(p.c_str());
    ph_store *store = nullptr;
    EXPECT_EQ(PH_OK, ph_store_open(&store, list.data(), list.size(), opt)) << ph_error();
    return Store(store);
  }
  Episode episode(const Store &s, size_t i) {
    ph_episode *e = nullptr;
    EXPECT_EQ(PH_OK, ph_store_episode(&e, s.get(), i)) << ph_error();
    return Episode(e);
  }
  Model model(const Store &s, const char *sha256) {
    ph_model *m = nullptr;
    EXPECT_EQ(PH_OK, ph_store_model(&m, s.get(), sha256)) << ph_error();
    return Model(m);
  }
  std::string robosuite(const Options &o = {}, const char *name = "demo.hdf5") {
    foreign::write_robosuite(dir / name, o);
    return dir / name;
  }
  std::string robomimic(const Options &o = {}, const char *name = "low_dim.hdf5") {
    foreign::write_robomimic(dir / name, o);
    return dir / name;
  }
};

static const ph_episode_meta *meta_of(const Episode &e) {
  return ph_episode_meta_of(e.get());
}

static Names ids(const Store &s) {
  Names out;
  for (size_t i = 0; i < ph_store_count(s.get()); i++)
    out.push_back(ph_store_entry(s.get(), i)->id);
  return out;
}

static std::string findings(const Episode &e) {
  size_t n = 0;
  const ph_finding *f = ph_episode_findings(e.get(), &n);
  std::string out;
  for (size_t i = 0; i < n; i++)
    out += std::string(f[i].text) + "\n";
  return out;
}

/* --- looks --- */

// Times that this process asked for bytes of a file.
static long reads_so_far() {
  std::ifstream io("/proc/self/io");
  std::string key;
  long value = -1;
  while (io >> key >> value)
    if (key == "syscr:")
      return value;
  return -1;
}

// A file may have twenty thousand demos, and each of them is looked at.
TEST_F(ForeignStore, ALookAsksForFewBytesHoweverManyWereLookedAtBefore) {
  Options o;
  o.rows = std::vector<int>(200, 5);
  Store s = open({robomimic(o)});
  if (reads_so_far() < 0)
    GTEST_SKIP() << "reads cannot be counted here";
  long before[2];
  for (size_t i = 0; i < 200; i++) {
    if (i % 128 == 1)
      before[i / 128] = reads_so_far();
    ASSERT_EQ(PH_OK, ph_store_look(s.get(), i));
    if (i % 128 == 50)
      before[i / 128] = reads_so_far() - before[i / 128];
  }
  EXPECT_LT(before[0], 50 * 16);
  EXPECT_LT(before[1], 50 * 16);
}

TEST_F(ForeignStore, OpeningReadsNamesAloneAndALookTheRest) {
  Options o;
  o.rows = std::vector<int>(12, 7);
  o.rows[11] = 9;
  Store s = open({robomimic(o)});
  EXPECT_STREQ(ph_store_layout(s.get()), "robomimic");
  ASSERT_EQ(ph_store_count(s.get()), 12u);
  EXPECT_EQ(ids(s)[9], "demo_9");
  EXPECT_EQ(ids(s)[10], "demo_10") << "in natural order";
  for (size_t i = 0; i < 12; i++)
    EXPECT_EQ(ph_store_entry(s.get(), i)->actions, -1);
  EXPECT_EQ(ph_store_unseen(s.get()), 12u);
  ASSERT_EQ(PH_OK, ph_store_look(s.get(), 11));
  ASSERT_EQ(PH_OK, ph_store_look(s.get(), 11)) << "nothing is left to do";
  const ph_entry *e = ph_store_entry(s.get(), 11);
  EXPECT_EQ(e->actions, 9);
  EXPECT_EQ(e->states, 9);
  EXPECT_EQ(e->success, 1);
  EXPECT_EQ(ph_store_unseen(s.get()), 11u);
  episode(s, 3);
  EXPECT_EQ(ph_store_entry(s.get(), 3)->actions, 7) << "opening it is a look too";
  EXPECT_EQ(ph_store_unseen(s.get()), 10u);
  for (size_t i = 0; i < 12; i++)
    ASSERT_EQ(PH_OK, ph_store_look(s.get(), i));
  EXPECT_EQ(ph_store_unseen(s.get()), 0u);
  EXPECT_EQ(PH_EINVAL, ph_store_look(s.get(), 12));
}

TEST_F(ForeignStore, ALookThatFailsIsAnOddityAndALookDone) {
  Options o;
  o.rows = {5, 6};
  std::string path = robosuite(o);
  Store s = open({path});
  {
    foreign::File again(dir / "other.hdf5");
    again.group("/data/demo_2");
    again.attr("/data", "env", "Lift");
    again.array("/data/demo_1/states", foreign::F64, {2, 3}, {});
  }
  Store t = open({dir / "other.hdf5"});
  ASSERT_EQ(ph_store_count(t.get()), 2u);
  ASSERT_EQ(PH_OK, ph_store_look(t.get(), 1));
  EXPECT_NE(std::string(ph_store_entry(t.get(), 1)->oddity), "");
  EXPECT_EQ(ph_store_entry(t.get(), 1)->actions, 0);
  EXPECT_EQ(ph_store_unseen(t.get()), 1u);
}

TEST_F(ForeignStore, TheEpisodeIsRightAndNobodyIsBlamed) {
  Store s = open({robomimic()});
  ASSERT_EQ(PH_OK, ph_store_look(s.get(), 0));
  Episode e = episode(s, 0);
  const ph_entry *entry = ph_store_entry(s.get(), 0);
  EXPECT_STREQ(entry->oddity, meta_of(e)->oddity);
  EXPECT_STREQ(entry->model_sha256, meta_of(e)->model_sha256);
  EXPECT_EQ(entry->actions, meta_of(e)->actions);
  EXPECT_EQ(entry->end_reason, PH_END_SUCCESS);
  EXPECT_STREQ(entry->id, meta_of(e)->id);
}

/* --- groups --- */

TEST_F(ForeignStore, FilterKeysAreGroups) {
  Options o;
  o.rows = std::vector<int>(11, 3);
  Store s = open({robomimic(o)});
  ASSERT_EQ(ph_store_groups(s.get()), 2u);
  size_t train = ph_store_find_group(s.get(), "train"),
         valid = ph_store_find_group(s.get(), "valid");
  ASSERT_LT(train, 2u);
  ASSERT_LT(valid, 2u);
  for (size_t i = 0; i < 11; i++) {
    EXPECT_EQ(ph_store_in_group(s.get(), train, i), i < 10) << i;
    EXPECT_EQ(ph_store_in_group(s.get(), valid, i), i == 10) << i;
  }
  EXPECT_FALSE(ph_store_in_group(s.get(), train, 11));
  EXPECT_FALSE(ph_store_in_group(s.get(), 2, 0));
  EXPECT_EQ(ph_store_group(s.get(), 2), nullptr);
  EXPECT_EQ(ph_store_find_group(s.get(), "test"), SIZE_MAX);
}

TEST_F(ForeignStore, GroupsOfOneNameAreOneOverAllFiles) {
  Options o;
  o.rows = {3, 3, 3};
  std::string a = robomimic(o, "a.hdf5"), b = robosuite(o, "b.hdf5"), c = robomimic(o, "c.hdf5");
  Store s = open({a, b, c});
  ASSERT_EQ(ph_store_count(s.get()), 9u);
  ASSERT_EQ(ph_store_groups(s.get()), 2u);
  size_t valid = ph_store_find_group(s.get(), "valid");
  std::vector<size_t> in;
  for (size_t i = 0; i < 9; i++)
    if (ph_store_in_group(s.get(), valid, i))
      in.push_back(i);
  EXPECT_EQ(in, (std::vector<size_t>{2, 8})) << "the ids of b are the same and in no group";
}

/* --- models --- */

TEST_F(ForeignStore, EachEpisodeHasItsOwnModel) {
  Options o;
  o.rows = {6, 6, 6, 6};
  o.two_models = true;
  Store s = open({robosuite(o)});
  EXPECT_EQ(ph_store_model_hash(s.get(), 0), nullptr) << "nothing is read before it is asked for";
  std::vector<std::string> hash;
  for (size_t i = 0; i < 4; i++) {
    Episode e = episode(s, i);
    EXPECT_EQ(meta_of(e)->dims.nq, i % 2 ? 9 : 10);
    Model m = model(s, meta_of(e)->model_sha256);
    ASSERT_TRUE(m);
    EXPECT_TRUE(ph_model_compiled(m.get()));
    EXPECT_STREQ(ph_model_sha256(m.get()), meta_of(e)->model_sha256);
    EXPECT_EQ(ph_model_dims(m.get())->nq, meta_of(e)->dims.nq);
    hash.push_back(meta_of(e)->model_sha256);
  }
  EXPECT_EQ(hash[0], hash[2]);
  EXPECT_EQ(hash[1], hash[3]);
  EXPECT_NE(hash[0], hash[1]);
  EXPECT_NE(ph_store_model_hash(s.get(), 1), nullptr);
  EXPECT_EQ(ph_store_model_hash(s.get(), 2), nullptr) << "two models for four episodes";
  Model one = model(s, hash[0].c_str()), two = model(s, hash[2].c_str());
  EXPECT_EQ(one.get(), two.get()) << "equal texts share one model";
}

TEST_F(ForeignStore, AModelThatDoesNotCompileIsASentenceAndNoMore) {
  Options o;
  o.rows = {6};
  o.model = "<mujoco><worldbody><body><joint type='hinges'/></body></worldbody></mujoco>";
  Store s = open({robosuite(o)});
  for (int again = 0; again < 2; again++) {
    Episode e = episode(s, 0);
    EXPECT_STREQ(meta_of(e)->model_sha256, "");
    EXPECT_EQ(findings(e).rfind("no model: ", 0), 0u) << findings(e);
    EXPECT_NE(findings(e).find("hinges"), std::string::npos) << findings(e);
    EXPECT_EQ(findings(e).find(dir.path()), std::string::npos) << "the file is known";
    EXPECT_EQ(meta_of(e)->states, 6);
  }
  ph_model *m = nullptr;
  EXPECT_EQ(PH_ENOTFOUND, ph_store_model(&m, s.get(), ""));
  EXPECT_EQ(m, nullptr);
  EXPECT_EQ(s->ntexts, 1u) << "it is tried once";
}

TEST_F(ForeignStore, NoModelAtAll) {
  Options o;
  o.models = false;
  Store s = open({robosuite(o)});
  Episode e = episode(s, 0);
  EXPECT_STREQ(meta_of(e)->model_sha256, "");
  EXPECT_NE(findings(e).find("no model: "), std::string::npos);
}

TEST_F(ForeignStore, AGivenModelReplacesTheRecordedOneByWidthAlone) {
  Options o;
  o.rows = {6, 6};
  o.two_models = true;
  std::string path = robosuite(o), xml = dir / "mine.xml";
  std::string text = foreign::arm_model();
  text.replace(text.find("shoulder"), 8, "sholder2"); /* other names are no obstacle */
  text.replace(text.find("joint='shoulder'"), 16, "joint='sholder2'");
  spill(xml, text);
  ph_store_options opt = {};
  opt.model_path = xml.c_str();
  Store s = open({path}, &opt);
  Episode fits = episode(s, 0), other = episode(s, 1);
  Model m = model(s, meta_of(fits)->model_sha256);
  ASSERT_TRUE(m);
  EXPECT_EQ(ph_model_find(m.get(), PH_JOINT, "sholder2"), 0);
  EXPECT_STREQ(ph_model_sha256(m.get()), meta_of(fits)->model_sha256);
  EXPECT_EQ(meta_of(fits)->dims.nq, 10);
  EXPECT_STREQ(meta_of(other)->model_sha256, "");
  EXPECT_NE(findings(other).find("a state has 18 numbers; the model wants 1+nq+nv = 1+10+9 = 20"),
            std::string::npos)
      << findings(other);
  ph_model *none = nullptr;
  EXPECT_EQ(PH_EMISMATCH, ph_store_model(&none, s.get(), "")) << "it does not fit that one";
}

TEST_F(ForeignStore, AGivenModelThatIsNotThereIsAnError) {
  ph_store_options opt = {};
  std::string xml = dir / "none.xml";
  opt.model_path = xml.c_str();
  Store s = open({robosuite()}, &opt);
  ph_episode *e = nullptr;
  EXPECT_NE(PH_OK, ph_store_episode(&e, s.get(), 0));
  EXPECT_EQ(e, nullptr);
  EXPECT_NE(std::string(ph_error()).find("none.xml"), std::string::npos) << ph_error();
}

TEST_F(ForeignStore, MissingMeshesAreRefusedOrLeftOut) {
  Options o;
  o.rows = {4};
  o.model = foreign::arm_model();
  o.model.insert(o.model.find("<worldbody>"),
                 "<asset><mesh name='shell' file='/home/u/robosuite/shell.stl'/></asset>");
  o.model.insert(o.model.find("<site"), "<geom type='mesh' mesh='shell'/>");
  std::string path = robosuite(o);
  Store strict = open({path});
  Episode raw = episode(strict, 0);
  EXPECT_STREQ(meta_of(raw)->model_sha256, "");
  EXPECT_NE(findings(raw).find("shell.stl"), std::string::npos) << findings(raw);
  ph_store_options opt = {};
  opt.model.drop_missing = true;
  Store loose = open({path}, &opt);
  Episode shown = episode(loose, 0);
  EXPECT_EQ(meta_of(shown)->dims.nq, 10);
  Model m = model(loose, meta_of(shown)->model_sha256);
  ASSERT_TRUE(m);
  EXPECT_NE(ph_model_note(m.get(), 0), nullptr);
}

/* As many models as episodes: most are let go and come back when they are asked for. */
TEST_F(ForeignStore, ModelsAreBoundedAndComeBack) {
  const size_t n = 12;
  std::string path = dir / "many.hdf5";
  {
    foreign::File file(path);
    file.group("/data");
    file.attr("/data", "env", "Lift");
    for (size_t i = 0; i < n; i++) {
      std::string demo = "/data/demo_" + std::to_string(i), xml = foreign::arm_model();
      xml.replace(xml.find("0 0 .6"), 6, "0 0 ." + std::to_string(60 + i));
      file.group(demo);
      file.attr(demo, "model_file", xml);
      file.array(demo + "/states", foreign::F64, {3, 20}, foreign::state_rows(3, true, 0.05, 0, 0));
    }
  }
  Store s = open({path});
  std::vector<std::string> hash;
  std::set<std::string> distinct;
  for (size_t i = 0; i < n; i++) {
    Episode e = episode(s, i);
    hash.push_back(meta_of(e)->model_sha256);
    distinct.insert(hash.back());
  }
  ASSERT_EQ(distinct.size(), n);
  auto compiled = [&] {
    return std::count_if(s->models, s->models + s->nmodels,
                         [](const ph_known_model &m) { return m.model != nullptr; });
  };
  EXPECT_EQ(compiled(), 8);
  EXPECT_EQ(s->models[0].model, nullptr) << "the one that was not used for longest";
  for (size_t i = 0; i < n; i++) {
    Model m = model(s, hash[i].c_str());
    ASSERT_TRUE(m);
    EXPECT_STREQ(ph_model_sha256(m.get()), hash[i].c_str());
  }
  EXPECT_EQ(compiled(), 8);
  Episode again = episode(s, 0);
  EXPECT_EQ(hash[0], meta_of(again)->model_sha256);
}

/* --- several paths --- */

TEST_F(ForeignStore, OwnAndForeignPathsInOneStore) {
  Demo own;
  own.run_id = "run-7";
  std::string mine = dir / "own.h5", theirs = robosuite();
  write_file(mine, own);
  Store s = open({theirs, mine, theirs});
  ASSERT_EQ(ph_store_count(s.get()), 5u);
  EXPECT_STREQ(ph_store_layout(s.get()), "robosuite");
  EXPECT_EQ(ph_store_home(s.get(), 1), 0u);
  EXPECT_EQ(ph_store_home(s.get(), 2), 1u);
  EXPECT_EQ(ph_store_home(s.get(), 4), 2u);
  EXPECT_EQ(ph_store_unseen(s.get()), 4u) << "ours are known";
  EXPECT_STREQ(meta_of(episode(s, 2))->run_id, "run-7");
  EXPECT_STREQ(meta_of(episode(s, 2))->layout, "");
  EXPECT_STREQ(meta_of(episode(s, 3))->layout, "robosuite");
  char hash[PH_SHA256_SIZE] = "x";
  EXPECT_EQ(PH_OK, ph_store_content_hash(s.get(), hash));
  EXPECT_STREQ(hash, "") << "without checksums there is none";
}

TEST_F(ForeignStore, ABadPathIsNamed) {
  std::string good = robosuite(), bad = dir / "bad.hdf5", none = dir / "none.hdf5";
  spill(bad, std::string("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"));
  for (const std::string &wrong : {bad, none}) {
    const char *paths[] = {good.c_str(), wrong.c_str()};
    ph_store *s = nullptr;
    EXPECT_NE(PH_OK, ph_store_open(&s, paths, 2, nullptr));
    EXPECT_EQ(s, nullptr);
    EXPECT_EQ(std::string(ph_error()).rfind(wrong, 0), 0u) << ph_error();
  }
}

TEST_F(ForeignStore, AFileOfNobodysSaysSo) {
  std::string path = dir / "scalars.h5";
  {
    foreign::File file(path);
    file.attr("/", "format", "something else");
    file.array("/one", foreign::F64, {}, {1});
  }
  const char *paths[] = {path.c_str()};
  ph_store *s = nullptr;
  EXPECT_EQ(PH_EFORMAT, ph_store_open(&s, paths, 1, nullptr));
  EXPECT_EQ(std::string(ph_error()).rfind(path, 0), 0u) << ph_error();
}

TEST_F(ForeignStore, ArraysAloneAreOneRawEpisode) {
  std::string path = dir / "arrays.h5";
  {
    foreign::File file(path);
    file.attr("/", "format", "something else");
    file.array("/a", foreign::F32, {9, 2}, foreign::wave(18));
    file.array("/b", foreign::I16, {9}, foreign::bytes(9));
  }
  Store s = open({path});
  ASSERT_EQ(ph_store_count(s.get()), 1u);
  Episode e = episode(s, 0);
  EXPECT_EQ(meta_of(e)->states, 9);
  size_t n = 0;
  ph_episode_channels(e.get(), &n);
  EXPECT_EQ(n, 2u);
}

TEST_F(ForeignStore, NothingIsEverWritten) {
  std::string path = robomimic();
  Bytes before = slurp(path);
  auto when = std::filesystem::last_write_time(path);
  {
    Store s = open({path});
    ASSERT_EQ(PH_OK, ph_store_look(s.get(), 0));
    episode(s, 1);
  }
  EXPECT_EQ(before, slurp(path));
  EXPECT_EQ(when, std::filesystem::last_write_time(path));
  size_t files = 0;
  for (const auto &f : std::filesystem::directory_iterator(dir.path()))
    files += f.path() != dir / "cache";
  EXPECT_EQ(files, 1u) << "nor beside it";
}

/* --- what two say of one episode --- */

// More names than are looked up again at every opening: only the list knows of the ghosts.
TEST_F(ForeignStore, WhatTheListSaysStaysWhenTheEpisodeHasMoreToSay) {
  std::string path = dir / "ghosts.hdf5", ghosts =
                                              "mask/all names 1100 episodes that the file does "
                                              "not hold";
  {
    foreign::File f(path);
    f.array("/data/demo_0/states", foreign::F64, {4, 3}, foreign::wave(12));
    f.array("/data/demo_0/actions", foreign::F64, {4, 2}, foreign::wave(8));
    f.attr("/data/demo_0", "num_samples", 9);
    Names all;
    for (int i = 0; i < 1101; i++)
      all.push_back("demo_" + std::to_string(i));
    f.texts("/mask/all", all, 12);
  }
  Store s = open({path});
  const ph_entry *e = ph_store_entry(s.get(), 0);
  std::string both = ghosts + "; num_samples is 9, there are 4 actions";
  EXPECT_EQ(e->oddity, ghosts);
  ASSERT_EQ(PH_OK, ph_store_look(s.get(), 0));
  EXPECT_EQ(e->oddity, both);
  for (int time = 0; time < 2; time++) {
    std::string found = findings(episode(s, 0));
    EXPECT_EQ(e->oddity, both);
    EXPECT_NE(found.find(ghosts + "\n"), std::string::npos) << found;
    EXPECT_EQ(found.find(ghosts), found.rfind(ghosts)) << "once";
  }
  std::filesystem::resize_file(path, 900);
  ph_episode *none = nullptr;
  ph_probe_reset();
  ASSERT_NE(PH_OK, ph_store_episode(&none, s.get(), 0));
  EXPECT_EQ(std::string(e->oddity).rfind(ghosts + "; ", 0), 0u) << e->oddity;
  EXPECT_EQ(std::string(e->oddity).find("num_samples"), std::string::npos) << "of another look";
}

TEST_F(ForeignStore, ASentenceThatFindingsSayIsNotSaidAgain) {
  ph_finding found[2] = {};
  strcpy(found[0].text, "an oddity; 4 such");
  strcpy(found[1].text, "another that is rather long");
  EXPECT_STREQ(ph_unsaid("", found, 2), "");
  EXPECT_STREQ(ph_unsaid("an oddity; 4 such", found, 2), "");
  EXPECT_STREQ(ph_unsaid("another that is rather long; an oddity; 4 such", found, 2), "");
  EXPECT_STREQ(ph_unsaid("an oddity; 4 such; another that...", found, 2), "");
  EXPECT_STREQ(ph_unsaid("another that is ra", found, 2), "");
  EXPECT_STREQ(ph_unsaid("an oddity; 4 such; a third", found, 2), "a third");
  EXPECT_STREQ(ph_unsaid("an oddity; 4 suchlike", found, 2), "an oddity; 4 suchlike");
  EXPECT_STREQ(ph_unsaid("a third", found, 0), "a third");
}

/* --- another model than the recorded one --- */

static std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_F(ForeignStore, AGivenModelIsOneOfTheStoreAndSaysWhatItReplaces) {
  std::string path = robosuite(), given = dir / "given.xml", slides = "name='elbow' type='slide'";
  Options broken;
  broken.model = "<mujoco><asset><mesh file='/home/a/arm.stl'/></asset></mujoco>";
  std::string lost = robosuite(broken, "lost.hdf5");
  struct {
    std::string path, model, says;
  } cases[] = {
      {path, foreign::arm_model(), ""},
      {path, replaced(foreign::arm_model(), "'shoulder'", "'OTHER'"),
       "model given.xml is used instead of the recorded one: its joints differ: OTHER for "
       "shoulder\n"},
      {path, replaced(foreign::arm_model(), "joint name='elbow'", "joint " + slides),
       "its joints differ: elbow (slide) for elbow (hinge)\n"},
      {path, replaced(foreign::arm_model(), "0.002", "0.004"),
       "model given.xml is used instead of the recorded one: the timestep is"},
      {path, replaced(foreign::arm_model(), "timestep='0.002'", "timestep='0.002' solver='CG'"),
       "model given.xml is used instead of the recorded one: solver Newton -> CG\n"},
      {lost, foreign::arm_model(), "model given.xml is given, the file's own is not loaded\n"},
  };
  for (const auto &c : cases) {
    std::ofstream(given) << c.model;
    ph_store_options opt = {};
    opt.model_path = given.c_str();
    Store s = open({c.path}, &opt);
    Episode e = episode(s, 0), again = episode(s, 1);
    ASSERT_STRNE(meta_of(e)->model_sha256, "");
    EXPECT_NE((std::string(e->other_model) + "\n").find(c.says), std::string::npos)
        << "the guarantee's words: " << e->other_model;
    EXPECT_STREQ(ph_store_model_hash(s.get(), 0), meta_of(e)->model_sha256);
    EXPECT_EQ(ph_store_model_hash(s.get(), 1), nullptr) << "once for all episodes";
    for (const Episode *one : {&e, &again}) {
      if (c.says.empty())
        EXPECT_EQ(findings(*one).find("given.xml"), std::string::npos) << findings(*one);
      else
        EXPECT_NE(findings(*one).find(c.says), std::string::npos) << findings(*one);
    }
  }
  EXPECT_EQ(findings(episode(open({path}), 0)).find("recorded one"), std::string::npos);
}

/* --- what the probe's child does --- */

TEST_F(ForeignStore, TryingMakesTheSameCalls) {
  Options o;
  o.store.chunk_rows = 4;
  o.store.gzip = 4;
  std::string path = robomimic(o), lost = dir / "lost.hdf5";
  EXPECT_EQ(PH_OK, ph_store_try_path(path.c_str())) << ph_error();
  EXPECT_EQ(PH_OK, ph_store_try_episode(path.c_str(), "/data/demo_1")) << ph_error();
  EXPECT_NE(PH_OK, ph_store_try_episode(path.c_str(), "/data/demo_9"));
  EXPECT_EQ(std::string(ph_error()).rfind(path, 0), 0u) << ph_error();
  EXPECT_NE(PH_OK, ph_store_try_path(lost.c_str()));
  EXPECT_NE(PH_OK, ph_store_try_episode(lost.c_str(), "/data/demo_0"));
  EXPECT_NE(PH_OK, ph_store_try_episode(dir.path().c_str(), "/"));
  Demo own;
  std::string mine = dir / "own.h5";
  write_file(mine, own);
  EXPECT_EQ(PH_OK, ph_store_try_path(mine.c_str())) << ph_error();
  EXPECT_EQ(PH_OK, ph_store_try_episode(mine.c_str(), "/data/demo_0")) << ph_error();
}
