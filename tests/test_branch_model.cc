/* A branch whose model has other numbers is saved with a model of its own, and comes out the same.
 */
#include <filesystem>
#include <fstream>

#include <playhead/verify.h>

#include "rerun_help.h"

extern "C" {
#include "mjcf_change.h"
}

using namespace rerun_help;

namespace {

struct BranchModel : testing::Test {
  std::string dir;
  void SetUp() override {
    char name[] = "/tmp/ph_branch_XXXXXX";
    dir = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(dir); }

  /* From step 20 on, actions held. */
  ph_status save(const Recorded &run, size_t i, const std::vector<const char *> &words,
                 const std::string &path) {
    Episode e(run, i);
    std::vector<ph_change> changes(words.size());
    for (size_t k = 0; k < words.size(); k++)
      EXPECT_EQ(PH_OK, ph_change_parse(&changes[k], words[k])) << ph_error();
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = 20;
    opt.feed = PH_FEED_HELD;
    opt.changes = changes.data();
    opt.nchanges = changes.size();
    Rerun r(e.episode, run.model, run.task, opt);
    return r.run ? ph_rerun_save(r.run, path.c_str(), nullptr, nullptr) : PH_EINVAL;
  }
  void expect_bitwise(const Recorded &run) {
    Episode e(run, 0);
    char reason[300];
    EXPECT_EQ(PH_EXACT, ph_episode_guarantee(e.episode, run.model, run.task, reason, sizeof reason))
        << reason;
    ph_dynamics d;
    ASSERT_EQ(PH_OK, ph_verify_dynamic(&d, e.episode, run.model, run.task, nullptr)) << ph_error();
    ASSERT_TRUE(d.ran) << d.why;
    EXPECT_EQ(PH_BITWISE, d.cls);
    EXPECT_EQ(PH_BITWISE, d.sum.one_cls);
    EXPECT_EQ(e.meta().states, d.states);
    EXPECT_GT(d.states, 10);
    ph_verdict v;
    ASSERT_EQ(PH_OK, ph_verify_episode(&v, e.episode, run.model, run.task, nullptr));
    EXPECT_EQ(0u, v.nflaws) << v.flaw[0].text;
  }
};

TEST_F(BranchModel, EachChangeMakesAModelOfItsOwnThatVerifiesBitForBit) {
  const std::vector<std::vector<const char *>> sets = {{"timestep=0.0013"},
                                                       {"solver=CG", "iterations=7"},
                                                       {"friction=x0.37"},
                                                       {"gravity.x=0.3", "integrator=implicit",
                                                        "cone=elliptic", "tolerance=0.0001",
                                                        "timestep=0.001", "friction=x1.7"}};
  for (const std::string name : {"drawer_close", "quadruped_stand"}) {
    Recorded parent(std::string(TEST_SOURCE_ROOT) + "/data/runs/" + name);
    for (size_t i = name[0] == 'q' ? 3 : 0; i < sets.size(); i++) {
      SCOPED_TRACE(name + " " + sets[i][0]);
      std::string path = dir + "/" + name + std::to_string(i) + ".h5";
      ASSERT_EQ(PH_OK, save(parent, 0, sets[i], path)) << ph_error();
      Recorded saved(path);
      Episode e(saved, 0);
      EXPECT_STRNE(ph_model_sha256(parent.model), ph_model_sha256(saved.model));
      EXPECT_STREQ(ph_model_sha256(saved.model), e.meta().model_sha256);
      EXPECT_NE(nullptr, strstr(e.meta().provenance, "\"from\":20")) << e.meta().provenance;
      for (const char *word : sets[i])
        EXPECT_NE(nullptr, strstr(e.meta().provenance, word)) << e.meta().provenance;
      Episode source(parent, 0);
      EXPECT_NE(nullptr, strstr(e.meta().parent, source.meta().id)) << e.meta().parent;
      expect_bitwise(saved);
    }
  }
}

TEST_F(BranchModel, OneBodyAloneMayBeOfOtherFriction) {
  Recorded parent(std::string(TEST_SOURCE_ROOT) + "/data/runs/drawer_close");
  ASSERT_EQ(PH_OK, save(parent, 0, {"friction:cup=0.123"}, dir + "/cup.h5")) << ph_error();
  Recorded saved(dir + "/cup.h5");
  expect_bitwise(saved);
  int cup = ph_model_find(saved.model, PH_BODY, "cup"), other = 0;
  const mjModel *m = saved.model->m, *was = parent.model->m;
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_bodyid[g] == cup)
      EXPECT_EQ(0.123, m->geom_friction[3 * g]) << g;
    else
      other += m->geom_friction[3 * g] == was->geom_friction[3 * g];
  }
  EXPECT_GT(other, 3);
}

/* Without a change it is the parent's model, and no list of changes has anything in it. */
TEST_F(BranchModel, AsItWasItIsTheParentsModel) {
  Recorded parent(std::string(TEST_SOURCE_ROOT) + "/data/runs/drawer_close");
  ASSERT_EQ(PH_OK, save(parent, 0, {}, dir + "/same.h5")) << ph_error();
  Recorded saved(dir + "/same.h5");
  EXPECT_STREQ(ph_model_sha256(parent.model), ph_model_sha256(saved.model));
  expect_bitwise(saved);
}

/* Which state it leaves, what was put in the place of which element, and a run of its own. */
TEST_F(BranchModel, ItsProvenanceSaysWhatWasOther) {
  Recorded parent(std::string(TEST_SOURCE_ROOT) + "/data/runs/drawer_close");
  Episode e(parent, 0);
  std::string state = e.row(PH_COL_STATES, 20);
  ph_row from = {};
  from.state = reinterpret_cast<const double *>(state.data());
  std::vector<double> override((size_t)e.meta().dims.action_dim, NAN);
  override[1] = 0.25;
  for (bool given : {false, true}) {
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = 20;
    opt.from = given ? &from : nullptr;
    opt.override = given ? nullptr : override.data();
    Rerun r(e.episode, parent.model, parent.task, opt);
    ASSERT_TRUE(r.run);
    std::string path = dir + (given ? "/given.h5" : "/recorded.h5");
    ASSERT_EQ(PH_OK, ph_rerun_save(r.run, path.c_str(), nullptr, nullptr)) << ph_error();
    Recorded saved(path);
    Episode branch(saved, 0);
    const char *text = branch.meta().provenance;
    EXPECT_NE(nullptr, strstr(text, given ? "\"state\":\"given\"" : "\"state\":\"recorded\""))
        << text;
    EXPECT_NE(nullptr, strstr(text, given ? "\"overridden\":{}" : "\"overridden\":{\"1\":0.25}"))
        << text;
    EXPECT_STRNE(branch.meta().run_id, e.meta().run_id);
    EXPECT_NE(0, branch.meta().run_id[0]);
  }
}

/* Geoms that the compiler makes are in no text: it is said, and nothing is left. */
TEST_F(BranchModel, WhatNoTextCanSayIsRefused) {
  const char xml[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='3 3 .1'/>"
      "<body name='B0' pos='0 0 1'><composite type='rope' count='5 1 1' spacing='.1'>"
      "<geom type='sphere' size='.02'/></composite></body></worldbody></mujoco>";
  ph_model *model = nullptr, *made = nullptr;
  ASSERT_EQ(PH_OK, ph_model_open_text(&model, xml, sizeof xml - 1, "grid.xml", nullptr))
      << ph_error();
  ph_sim *sim = nullptr;
  ph_change change;
  ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
  ASSERT_EQ(PH_OK, ph_change_parse(&change, "friction=x0.5"));
  ASSERT_EQ(PH_OK, ph_rerun_apply(sim, &change, 1)) << ph_error();
  EXPECT_EQ(PH_EMISMATCH, ph_mjcf_change(&made, model, sim->m));
  EXPECT_EQ(nullptr, made);
  EXPECT_NE(nullptr, strstr(ph_error(), "bit for bit")) << ph_error();
  ph_sim_free(sim);
  ph_model_unref(model);
}

} // namespace
