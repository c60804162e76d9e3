#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "foreign_model.h"

extern "C" {
#include "mjcf_number.h"
}

namespace fs = std::filesystem;
using std::string;

namespace {

/* --- numbers --- */

string Plain(const char *value) {
  char *plain = ph_mjcf_plain_numbers(value);
  string out = plain ? plain : "none";
  free(plain);
  return out;
}

TEST(MjcfNumbers, ListsBecomeNumbersAndNothingElseDoes) {
  EXPECT_EQ(Plain("[0, 0, 0.005]"), "0 0 0.005");
  EXPECT_EQ(Plain("[ 1. -2.5e-3\n +.5]"), "1. -2.5e-3 +.5");
  EXPECT_EQ(Plain("(1, 2,)"), "1 2");
  EXPECT_EQ(Plain("1,2"), "1 2");
  EXPECT_EQ(Plain("[[1, 0], [0, 1]]"), "1 0 0 1");
  EXPECT_EQ(Plain("[np.float64(0.1), np.float32(2)]"), "0.1 2");
  for (const char *other : {"0 0 1", "", "[]", "[a, b]", "[1, x]", "1,--2", "[1e]", "np.float64",
                            "[1 2]3.4.5", "[.]", "[nan]", "None", "[1, None]"})
    EXPECT_EQ(Plain(other), "none") << other;
}

TEST(MjcfNumbers, NamesAndTextsAreNoNumbers) {
  for (const char *name : {"pos", "quat", "size", "rgba", "actrange", "zaxis", "solimpfriction"})
    EXPECT_TRUE(ph_mjcf_is_number("geom", name)) << name;
  for (const char *name : {"name", "class", "file", "mesh", "contype", "type", "", "zz", "a"})
    EXPECT_FALSE(ph_mjcf_is_number("geom", name)) << name;
  EXPECT_TRUE(ph_mjcf_is_number("numeric", "data"));
  EXPECT_FALSE(ph_mjcf_is_number("text", "data"));
}

class MjcfMend : public ForeignModel {};

TEST_F(MjcfMend, AListOfNumbersIsReadAndReported) {
  const string body = "<worldbody>\n<body name='[1, 2]'><joint/>\n<geom size='[0.1]' "
                      "pos='[0, 0, 0.005]'/></body></worldbody><custom><text name='t' "
                      "data='[1, 2]'/></custom>";
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(model->m->geom_pos[2], 0.005);
  EXPECT_TRUE(Noted("line 3: pos=\"[0, 0, 0.005]\" of <geom> is read as \"0 0 0.005\"")) << Notes();
  EXPECT_TRUE(Has("name=\"[1, 2]\""));
  EXPECT_TRUE(Has("data=\"[1, 2]\""));
  mend = false;
  EXPECT_EQ(Model(body), PH_EMODEL);
}

TEST_F(MjcfMend, WhatTheEngineDoesNotKnowIsLeftOutWithWhatThatMeans) {
  ASSERT_TRUE(ph_mj_unknown("option", "apirate") || ph_mj_unknown("joint", "actuatorfrcrange"));
  ASSERT_EQ(Model("<option apirate='100' timestep='0.01'/><worldbody><body><joint "
                  "actuatorfrcrange='-1 1' actuatorfrclimited='true'/><geom size='.1'/></body>"
                  "<body><joint actuatorfrcrange='-1 1'/><geom size='.1'/></body></worldbody>"),
            PH_OK)
      << ph_error();
  EXPECT_EQ(model->m->opt.timestep, 0.01);
  EXPECT_NE(Has("apirate"), ph_mj_unknown("option", "apirate"));
  EXPECT_EQ(Noted("line 1: apirate of <option> is left out"), ph_mj_unknown("option", "apirate"));
  bool unknown = ph_mj_unknown("joint", "actuatorfrcrange");
  EXPECT_NE(Has("actuatorfrcrange"), unknown);
  EXPECT_EQ(Noted("line 1 and others: actuatorfrcrange of 2 <joint> is left out: not known to "
                  "MuJoCo " +
                  string(ph_engine_version()) + ": forces may differ from the recorded ones"),
            unknown)
      << Notes();
}

TEST_F(MjcfMend, RoomForConstraintsIsBoundWhereItMakesEveryResetSlow) {
  if (ph_mj_rows_most() == 0)
    GTEST_SKIP() << "this engine has an arena";
  const string body = "<size njmax='5000' nconmax='77'/><worldbody><body><joint/>"
                      "<geom size='1'/></body></worldbody>";
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(model->m->njmax, ph_mj_rows_most());
  EXPECT_EQ(model->m->nconmax, 77);
  EXPECT_TRUE(Noted("njmax=\"5000\" is read as")) << Notes();
  mend = false;
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(model->m->njmax, 5000);
}

TEST_F(MjcfMend, WhatNobodyKnowsIsNotLeftOut) {
  EXPECT_EQ(Model("<worldbody><body><joint sorcery='1'/><geom size='.1'/></body></worldbody>"),
            PH_EMODEL);
  EXPECT_TRUE(Says("sorcery")) << ph_error();
}

TEST_F(MjcfMend, TheEnginesTableIsAsked) {
  EXPECT_FALSE(ph_mj_unknown("option", "timestep"));
  EXPECT_FALSE(ph_mj_unknown("joint", "range"));
  EXPECT_FALSE(ph_mj_unknown("compiler", "exactmeshinertia") && mjVERSION_HEADER < 300);
  EXPECT_TRUE(ph_mj_unknown("option", "sorcery"));
  EXPECT_TRUE(ph_mj_unknown("option", "step"));
  EXPECT_FALSE(ph_mj_unknown("sorcery", "timestep")) << "nothing is known of such an element";
}

TEST_F(MjcfMend, ARangeWithoutAWordLimits) {
  const string body = "<default><default class='c'><joint range='-1 1'/><motor ctrlrange='0 2'/>"
                      "</default></default><worldbody><body><joint name='j' class='c'/><geom "
                      "size='.1'/></body></worldbody><actuator><motor class='c' joint='j'/>"
                      "</actuator>";
  for (const char *compiler :
       {"", "<compiler angle='radian'/>", "<compiler autolimits='false'/>"}) {
    ASSERT_EQ(Model(compiler + body), PH_OK) << ph_error();
    EXPECT_TRUE(model->m->jnt_limited[0]) << compiler;
    EXPECT_TRUE(model->m->actuator_ctrllimited[0]) << compiler;
    EXPECT_EQ(Noted("a range of <joint> that does not say if it limits: it does"),
              mjVERSION_HEADER < 230 || strstr(compiler, "auto") != nullptr)
        << Notes();
  }
}

TEST_F(MjcfMend, WhatCompilesStaysAsItIs) {
  const string body = "<compiler autolimits='false'/><default><joint limited='true' range='-1 1'/>"
                      "<general ctrllimited='false'/><tendon limited='false'/></default><worldbody>"
                      "<body><joint name='j'/><geom size='.1' contype='1,'/></body></worldbody>"
                      "<tendon><fixed range='0 1'><joint joint='j' coef='1'/></fixed></tendon>"
                      "<actuator><motor joint='j' ctrlrange='0 1'/></actuator>";
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(Notes(), "");
  string mended = model->source->xml, hash = ph_model_sha256(model);
  mend = false;
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(mended, model->source->xml);
  EXPECT_EQ(hash, ph_model_sha256(model));
}

TEST_F(MjcfMend, TexturesAreNeverNeeded) {
  const string body =
      "<compiler texturedir='/home/x/'/><asset><texture file='/y/wood.png'/><texture name='cube' "
      "type='cube' file='a.png' gridsize='3 4' gridlayout='.U..LFRB.D..'/><texture name='six' "
      "type='cube' fileright='r.png' fileup='u.png'/><texture type='skybox' file='sky.png' "
      "name='sky'/><texture name='two' type='2d' file='t.png'/><material name='m' "
      "texture='wood'/><material name='n' texture='two'/></asset><worldbody><geom size='.1' "
      "material='m'/><geom type='plane' size='1 1 1' material='n'/></worldbody>";
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(model->m->ntex, 5);
  EXPECT_EQ(model->m->nmat, 2);
  EXPECT_EQ(model->m->tex_type[3], mjTEXTURE_SKYBOX);
  EXPECT_EQ(Notes(), "textures: 5 from files: replaced by a flat one\n");
  mend = false;
  EXPECT_EQ(Model(body), PH_EIO);
  drop = true;
  ASSERT_EQ(Model(body), PH_OK) << ph_error();
  EXPECT_EQ(model->m->ntex, 5);
  EXPECT_TRUE(Noted("textures: 5 missing: replaced by a flat one")) << Notes();
}

/* --- leaving out --- */

class MjcfDrop : public ForeignModel {
protected:
  void SetUp() override {
    ForeignModel::SetUp();
    drop = true;
  }
  /* sizes and names of joints and actuators */
  string Shape() const {
    const ph_dims &d = dims();
    string out = std::to_string(d.nq) + " " + std::to_string(d.nv) + " " + std::to_string(d.nu) +
                 " " + std::to_string(ph_model_count(model, PH_BODY));
    for (ph_kind kind : {PH_JOINT, PH_ACTUATOR})
      for (int i = 0; i < ph_model_count(model, kind); i++)
        out += string(" ") + ph_model_name(model, kind, i);
    return out;
  }
};

const char kScene[] =
    "<asset><mesh name='a' file='/x/a.stl'/><mesh file='/x/b.stl'/><hfield name='h' "
    "file='/x/h.png' "
    "size='1 1 1 1'/><skin name='s' file='/x/s.skn'/></asset>"
    "<default><default class='outer'><geom type='mesh' mesh='a'/><default class='inner'>"
    "<geom rgba='1 0 0 1'/></default></default></default>"
    "<worldbody><geom name='hills' type='hfield' hfield='h'/><body name='one' childclass='inner'>"
    "<freejoint/><geom name='by_class'/><geom name='kept' class='main' type='sphere' size='.1' "
    "mesh='good'/></body><body name='two'><joint name='j'/><geom name='by_name' type='sphere' "
    "mesh='b'/><geom name='ball' size='.1'/><site name='p' pos='1 0 0'/></body><body name='three' "
    "pos='0 0 1'><joint name='k'/><geom type='mesh' mesh='b'/></body><site name='q'/></worldbody>"
    "<contact><pair geom1='ball' geom2='hills'/><pair geom1='ball' geom2='kept'/></contact>"
    "<tendon><spatial name='t'><site site='p'/><geom geom='by_name'/><site site='q'/></spatial>"
    "</tendon><actuator><motor name='m' joint='j'/><motor name='n' tendon='t'/></actuator>"
    "<sensor><framepos name='gone' objtype='geom' objname='by_name'/><framepos name='stays' "
    "objtype='geom' objname='ball'/></sensor><custom><tuple name='u'><element objtype='geom' "
    "objname='by_class'/></tuple><tuple name='v'><element objtype='geom' objname='ball'/></tuple>"
    "</custom>";

TEST_F(MjcfDrop, WhatNeedsAMissingFileGoesAndTheStateKeepsItsShape) {
  Put("assets/good.stl", Tetrahedron(1));
  string scene = kScene;
  scene.insert(scene.find("</asset>"), "<mesh name='good' file='good.stl'/>");
  assets = {top / "assets"};
  ASSERT_EQ(Model(scene), PH_OK) << ph_error();
  EXPECT_EQ(Shape(), "9 8 2 4  j k m n");
  EXPECT_EQ(ph_model_count(model, PH_GEOM), 2);
  EXPECT_GE(ph_model_find(model, PH_GEOM, "kept"), 0);
  EXPECT_GE(ph_model_find(model, PH_GEOM, "ball"), 0);
  EXPECT_EQ(model->m->npair, 1);
  EXPECT_EQ(model->m->nskin, 0);
  EXPECT_EQ(ph_model_count(model, PH_SENSOR), 1);
  EXPECT_EQ(model->m->ntuple, 1);
  EXPECT_EQ(model->m->nwrap, 2);
  EXPECT_TRUE(Noted("mesh a: file missing: 1 geom left out"));
  EXPECT_TRUE(Noted("mesh b: file missing: 2 geoms left out"));
  EXPECT_TRUE(Noted("height field h: file missing: 1 geom left out"));
  EXPECT_TRUE(Noted("skin s.skn: file missing: left out"));
  EXPECT_TRUE(Noted("line 1: <pair> needs geom hills: left out")) << Notes();
  EXPECT_TRUE(Noted("<framepos> needs geom by_name: left out"));
  EXPECT_TRUE(Noted("body three: its mass came from what is left out: a gram stands for it"));
  EXPECT_FALSE(Noted("body two: its mass"));
  EXPECT_TRUE(Noted("masses: bodies that are lighter without what is left out: 2")) << Notes();
  EXPECT_EQ(model->m->body_mass[3], 0.001);
}

TEST_F(MjcfDrop, AllThatIsThereLeavesTheSameShape) {
  for (const char *name : {"a.stl", "b.stl", "good.stl"})
    Put(string("assets/") + name, Tetrahedron(1));
  string scene = kScene;
  scene.insert(scene.find("</asset>"), "<mesh name='good' file='good.stl'/>");
  assets = {top / "assets"};
  ASSERT_EQ(Model(scene), PH_OK) << ph_error();
  string some = Shape();
  EXPECT_EQ(ph_model_count(model, PH_GEOM), 5);
  fs::remove(top / "assets/a.stl");
  fs::remove(top / "assets/b.stl");
  ASSERT_EQ(Model(scene), PH_OK) << ph_error();
  EXPECT_EQ(some, Shape());
}

TEST_F(MjcfDrop, AGramIsGivenOnlyWhereTheEngineWouldRefuseTheBody) {
  const string mesh = "<asset><mesh name='a' file='/x/a.stl'/></asset>";
  const string geom = "<geom type='mesh' mesh='a'/>";
  auto mass = [&](const string &compiler, const string &bodies, int body) {
    EXPECT_EQ(Model(compiler + mesh + "<worldbody>" + bodies + "</worldbody>"), PH_OK)
        << ph_error() << bodies;
    return model ? model->m->body_mass[body] : -1;
  };
  const string full = "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>";
  const string zero = "<geom size='.1' mass='0'/>";
  EXPECT_EQ(mass("", "<body><joint/>" + geom + "</body>", 1), 0.001);
  EXPECT_EQ(mass("", "<body>" + geom + "</body>", 1), 0);
  EXPECT_EQ(mass("", "<body><joint/>" + full + geom + "</body>", 1), 2);
  EXPECT_EQ(mass("", "<body><joint/>" + geom + "<body><geom size='.1'/></body></body>", 1), 0);
  EXPECT_EQ(mass("", "<body><joint/>" + geom + "<body><joint/><geom size='.1'/></body></body>", 1),
            0.001);
  EXPECT_EQ(mass("", "<body><joint/><geom size='.1'/><body>" + geom + "</body></body>", 2), 0);
  EXPECT_EQ(mass("", "<body><joint/>" + geom + zero + "</body>", 1), 0.001);
  EXPECT_EQ(mass("", "<body>" + geom + zero + zero + "</body>", 1), 0.001);
  EXPECT_EQ(mass("<compiler inertiagrouprange='1 2'/>",
                 "<body><joint/><geom group='1' type='mesh' mesh='a'/><geom size='.1'/></body>", 1),
            0.001);
  EXPECT_EQ(mass("<compiler inertiafromgeom='true'/>",
                 "<body><joint/>" + full + geom + zero + "</body>", 1),
            0.001);
  EXPECT_EQ(
      mass("<compiler inertiafromgeom='true'/>", "<body><joint/>" + full + geom + "</body>", 1), 2);
  EXPECT_FALSE(Noted("gram")) << Notes();
}

TEST_F(MjcfDrop, ABodyThatNeverHadMassIsNotHelped) {
  EXPECT_EQ(Model("<asset><mesh name='a' file='/x/a.stl'/></asset><worldbody><body><joint/>"
                  "<geom type='mesh' mesh='a' mass='0'/></body></worldbody>"),
            PH_EMODEL);
}

TEST_F(MjcfDrop, AMeshThatNothingNeedsIsOnlyNoted) {
  ASSERT_EQ(Model("<asset><mesh name='a' file='/x/a.stl'/></asset>"), PH_OK) << ph_error();
  EXPECT_EQ(Notes(), "mesh a: file missing: no geom needs it\n");
}

TEST_F(MjcfDrop, ManyNotesEndWithASayingSo) {
  string meshes;
  for (int i = 0; i < 500; i++)
    meshes += "<mesh name='m" + std::to_string(i) + "' file='/x/" + std::to_string(i) + ".stl'/>";
  ASSERT_EQ(Model("<asset>" + meshes + "</asset>"), PH_OK) << ph_error();
  EXPECT_STREQ(ph_model_note(model, 199), "and more of the kind");
  EXPECT_EQ(ph_model_note(model, 200), nullptr);
}

/* --- real files --- */

class MjcfSample : public MjcfDrop {
protected:
  void SetUp() override {
    MjcfDrop::SetUp();
    drop = false;
    samples = fs::path(TEST_SOURCE_ROOT) / "../shared/samples";
    if (!fs::exists(samples / "robosuite-2020"))
      GTEST_SKIP() << "no samples at ../shared/samples";
  }
  ph_status Sample(const fs::path &path) {
    std::ifstream in(samples / path, std::ios::binary);
    string xml((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    file = samples / path;
    return Text(xml);
  }
  /* Positions of bodies where the engine puts them at first. */
  std::vector<double> Positions() {
    ph_sim *sim = nullptr;
    EXPECT_EQ(ph_sim_create(&sim, model), PH_OK) << ph_error();
    EXPECT_EQ(ph_sim_forward(sim), PH_OK) << ph_error();
    std::vector<double> out(sim->d->xpos, sim->d->xpos + 3 * sim->m->nbody);
    ph_sim_free(sim);
    return out;
  }
  std::vector<double> Masses() const {
    return {model->m->body_mass, model->m->body_mass + model->m->nbody};
  }
  fs::path samples;
};

TEST_F(MjcfSample, ARecordedModelIsAsTheMendedOneOnceItsMeshesAreFound) {
  const string models = "robosuite-2020/lift/panda/models/";
  assets = {samples / "robosuite-2020/assets_2020"};
  ASSERT_EQ(Sample(models + "model_1.local.xml"), PH_OK) << ph_error();
  string shape = Shape();
  auto positions = Positions(), masses = Masses();
  int geoms = ph_model_count(model, PH_GEOM);

  ASSERT_EQ(Sample(models + "model_1.xml"), PH_OK) << ph_error();
  EXPECT_EQ(Shape(), shape);
  EXPECT_EQ(ph_model_count(model, PH_GEOM), geoms);
  EXPECT_EQ(Positions(), positions);
  EXPECT_EQ(Masses(), masses);
  EXPECT_TRUE(Noted("pedestal.stl: found by its name alone")) << Notes();

  assets.clear();
  drop = true;
  ASSERT_EQ(Sample(models + "model_1.xml"), PH_OK) << ph_error();
  EXPECT_EQ(Shape(), shape);
  EXPECT_EQ(Positions(), positions);
  EXPECT_EQ(Masses(), masses);
  EXPECT_LT(ph_model_count(model, PH_GEOM), geoms);
  EXPECT_TRUE(Noted("mesh robot0_link0_vis: file missing: 1 geom left out")) << Notes();
}

TEST_F(MjcfSample, WithoutMeshesTheyAreListedOrLeftOut) {
  const string door = "robosuite-2020/door/panda/models/model_1.xml";
  EXPECT_EQ(Sample(door), PH_EIO);
  EXPECT_TRUE(Says("22 files of the model cannot be had: --assets DIR ")) << ph_error();
  drop = true;
  ASSERT_EQ(Sample(door), PH_OK) << ph_error();
  EXPECT_EQ(dims().nq, 11);
  EXPECT_EQ(dims().nv, 11);
}

TEST_F(MjcfSample, AnOldModelOfARobotOpensWithItsMeshes) {
  if (!fs::exists(samples / "loco-mujoco/atlas/atlas.xml"))
    GTEST_SKIP() << "no loco-mujoco sample";
  ASSERT_EQ(Sample("loco-mujoco/atlas/atlas.xml"), PH_OK) << ph_error();
  EXPECT_EQ(dims().nq, 31);
  EXPECT_EQ(Notes(), "");
}

} // namespace
