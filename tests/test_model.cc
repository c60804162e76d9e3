#include "mj_help.h"

#include <set>
#include <unistd.h>

namespace {

TEST(Model, DescribesWhatItCompiled) {
  ph_model *model = help_model(help_scene("CG", "RK4"));
  ASSERT_NE(nullptr, model);
  const ph_dims *dims = ph_model_dims(model);
  EXPECT_EQ(4 * 7 + 1 + 4 + 1, dims->nq);
  EXPECT_EQ(4 * 6 + 1 + 3 + 1, dims->nv);
  EXPECT_EQ(2, dims->nu);
  EXPECT_EQ(1, dims->na);
  EXPECT_EQ(1, dims->nmocap);
  EXPECT_EQ(3, dims->nuserdata);
  EXPECT_EQ(2, dims->neq);
  EXPECT_EQ(9, dims->nbody);
  EXPECT_EQ(0, dims->action_dim + dims->action_state + dims->control_steps);
  EXPECT_EQ(0.004, ph_model_timestep(model));
  EXPECT_STREQ("RK4", ph_model_integrator(model));
  EXPECT_STREQ("CG", ph_model_solver(model));
  EXPECT_STREQ(ph_engine_version(), ph_model_engine_version(model));
  EXPECT_STREQ("target", ph_model_name(model, PH_MOCAP, 0));
  EXPECT_STREQ("", ph_model_name(model, PH_JOINT, 1)); /* pill's has none */
  EXPECT_STREQ("", ph_model_name(model, PH_JOINT, 99));
  EXPECT_EQ(3, ph_model_find(model, PH_JOINT, "shoulder"));
  EXPECT_EQ(-1, ph_model_find(model, PH_JOINT, ""));
  EXPECT_EQ(-1, ph_model_find(model, PH_BODY, "nobody"));
  EXPECT_EQ(1, ph_model_find(model, PH_ACTUATOR, "muscle"));
  EXPECT_EQ(1, ph_model_find(model, PH_EQUALITY, "lock"));
  EXPECT_EQ(0, ph_model_find(model, PH_TENDON, "cord"));
  ASSERT_NE(nullptr, ph_model_joint(model, 4));
  EXPECT_EQ(PH_BALL, ph_model_joint(model, 4)->type);
  EXPECT_EQ(22, ph_model_joint(model, 4)->qposadr);
  EXPECT_EQ(19, ph_model_joint(model, 4)->dofadr);
  EXPECT_EQ(nullptr, ph_model_joint(model, 99));
  ph_model_unref(model);
}

TEST(Model, CompiledHashFollowsTheNumbersOnly) {
  ph_model *a = help_model(help_scene()), *b = help_model(help_scene() + "<!-- words -->"),
           *c = help_model(help_scene("Newton", "Euler", "0.0040000001"));
  EXPECT_STREQ(ph_model_compiled_sha256(a), ph_model_compiled_sha256(b));
  EXPECT_STRNE(ph_model_sha256(a), ph_model_sha256(b));
  EXPECT_STRNE(ph_model_compiled_sha256(a), ph_model_compiled_sha256(c));
  char hex[PH_SHA256_SIZE];
  ph_field field;
  ASSERT_TRUE(ph_mj_field(a->m, "body_mass", &field));
  static_cast<unsigned char *>(field.data)[8] ^= 1; /* one unit in the last place */
  ASSERT_EQ(PH_OK, ph_mj_hash(a->m, hex));
  EXPECT_STRNE(ph_model_compiled_sha256(a), hex);
  ph_model_unref(a);
  ph_model_unref(b);
  ph_model_unref(c);
}

TEST(Model, LivesAsLongAsItsLastUser) {
  ph_model *model = help_model(help_scene());
  ph_sim *sim = nullptr;
  EXPECT_EQ(model, ph_model_ref(model));
  ph_model_unref(model);
  ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
  ph_model_unref(model);
  EXPECT_EQ(PH_OK, ph_sim_forward(sim));
  ph_sim_free(sim);
  ph_model_unref(nullptr);
  ph_sim_free(nullptr);
}

ph_names names_of(const ph_model *model) {
  ph_names names;
  ph_model_facts facts;
  EXPECT_EQ(PH_OK, ph_mj_describe(model->m, &names, &facts));
  return names;
}

TEST(Model, ThatDoesNotCompileKeepsItsNames) {
  ph_model *good = help_model(help_scene()), *bad = nullptr;
  ph_names names = names_of(good);
  ph_model_facts facts = good->facts;
  ASSERT_EQ(PH_OK,
            ph_model_from_source(&bad, help_source("<mujoco><broken/></mujoco>"), &facts, &names))
      << ph_error();
  EXPECT_EQ(nullptr, names.joint); /* emptied */
  EXPECT_FALSE(ph_model_compiled(bad));
  EXPECT_STRNE("", ph_model_error(bad));
  EXPECT_EQ(nullptr, strchr(ph_model_error(bad), '\n'));
  EXPECT_STREQ("", ph_model_compiled_sha256(bad));
  EXPECT_STREQ("shoulder", ph_model_name(bad, PH_JOINT, 3));
  EXPECT_EQ(ph_model_dims(good)->nq, ph_model_dims(bad)->nq);
  ph_sim *sim = nullptr;
  EXPECT_EQ(PH_EMODEL, ph_sim_create(&sim, bad));
  EXPECT_EQ(nullptr, sim);
  ph_model *none = nullptr;
  EXPECT_EQ(PH_EMODEL, ph_model_from_source(&none, help_source("<mujoco><broken/></mujoco>"),
                                            nullptr, nullptr));
  EXPECT_EQ(nullptr, none);
  ph_model_unref(good);
  ph_model_unref(bad);
}

TEST(Model, RecordedFactsStayAndTheCompiledHashIsOfHere) {
  ph_model *model = help_model(help_scene()), *again = nullptr;
  ph_names names = names_of(model);
  ph_model_facts facts = model->facts;
  snprintf(facts.engine_version, sizeof facts.engine_version, "9.9.9");
  snprintf(facts.compiled_sha256, sizeof facts.compiled_sha256, "other");
  ASSERT_EQ(PH_OK, ph_model_from_source(&again, help_source(help_scene()), &facts, &names));
  EXPECT_TRUE(ph_model_compiled(again));
  EXPECT_STREQ("9.9.9", ph_model_engine_version(again));
  EXPECT_STREQ(ph_model_compiled_sha256(model), ph_model_compiled_sha256(again));
  EXPECT_STREQ("other", again->facts.compiled_sha256);
  ph_model_unref(model);
  ph_model_unref(again);
}

/* Tables of a file that name other joints than its own model would label numbers wrong. */
TEST(Model, NamesThatContradictTheSourceAreNotBelieved) {
  ph_model *model = help_model(help_scene()), *again = nullptr;
  ph_names names = names_of(model);
  std::swap(names.name[PH_JOINT][3], names.name[PH_JOINT][4]);
  ASSERT_EQ(PH_OK, ph_model_from_source(&again, help_source(help_scene()), nullptr, &names));
  EXPECT_FALSE(ph_model_compiled(again));
  EXPECT_NE(nullptr, strstr(ph_model_error(again), "\"wrist\"")) << ph_model_error(again);
  EXPECT_NE(nullptr, strstr(ph_model_error(again), "\"shoulder\"")) << ph_model_error(again);
  ph_model_unref(model);
  ph_model_unref(again);
}

std::string two_slides(const char *a, const char *b, const char *more = "") {
  return std::string("<mujoco><worldbody><body><joint type='slide' name='") + a +
         "'/><geom size='.1'/></body><body><joint type='slide' name='" + b +
         "'/><geom size='.1'/></body></worldbody>" + more + "</mujoco>";
}

TEST(Model, FitsNamesBothSides) {
  ph_model *ab = help_model(two_slides("a", "b")), *ba = help_model(two_slides("b", "a")),
           *dt = help_model(two_slides("a", "b", "<option timestep='.0021'/>")),
           *user = help_model(two_slides("a", "b", "<size nuserdata='4'/>"));
  EXPECT_EQ(PH_OK, ph_model_fits(ab, ab));
  EXPECT_EQ(PH_EMISMATCH, ph_model_fits(ab, ba));
  EXPECT_STREQ("model: joint 0 is \"a\" in the recorded one, \"b\" in this one", ph_error());
  EXPECT_EQ(PH_EMISMATCH, ph_model_fits(ab, dt));
  EXPECT_STREQ("model: the timestep is 0.002 s in the recorded one, 0.0021 s in this one",
               ph_error());
  EXPECT_NE(nullptr, strstr(ph_error(), "timestep"));
  EXPECT_EQ(PH_EMISMATCH, ph_model_fits(ab, user));
  EXPECT_NE(nullptr, strstr(ph_error(), "nuserdata is 0"));
  for (ph_model *model : {ab, ba, dt, user})
    ph_model_unref(model);
}

/* A tetrahedron as a binary STL file. */
std::string tetrahedron(float size) {
  const float p[4][3] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string stl(80, ' ');
  const uint32_t n = 4;
  stl.append(reinterpret_cast<const char *>(&n), 4);
  for (const int *f : face) {
    stl.append(12, '\0');
    for (int k = 0; k < 3; k++)
      stl.append(reinterpret_cast<const char *>(p[f[k]]), 12);
    stl.append(2, '\0');
  }
  return stl;
}

ph_source *mesh_source(const char *asset, float size) {
  ph_source *source = help_source("<mujoco><asset><mesh name='m' file='part_1.stl'/></asset>"
                                  "<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body>"
                                  "</worldbody></mujoco>");
  std::string stl = tetrahedron(size);
  source->assets = static_cast<ph_blob *>(calloc(1, sizeof *source->assets));
  source->nassets = 1;
  source->assets[0].name = help_text(asset);
  source->assets[0].data = help_text(stl);
  source->assets[0].size = stl.size();
  ph_source_hash(source);
  return source;
}

TEST(Model, AssetsComeFromTheSourceOnly) {
  ph_model *small = nullptr, *large = nullptr, *missing = nullptr;
  ASSERT_EQ(PH_OK, ph_model_from_source(&small, mesh_source("part_1.stl", 1), nullptr, nullptr))
      << ph_error();
  ASSERT_EQ(PH_OK, ph_model_from_source(&large, mesh_source("part_1.stl", 2), nullptr, nullptr));
  EXPECT_STRNE(ph_model_compiled_sha256(small), ph_model_compiled_sha256(large));
  EXPECT_NE(PH_OK, ph_model_from_source(&missing, mesh_source("other.stl", 1), nullptr, nullptr));
  EXPECT_EQ(nullptr, missing);
  ph_model_unref(small);
  ph_model_unref(large);
}

/* The engine keeps decoded assets by name, and its hash of their contents overlooks changes. */
TEST(Model, AssetsOfOneNameAreToldApart) {
  std::set<std::string> hashes;
  for (int i = 0; i < 40; i++) {
    ph_model *model = nullptr;
    float size = 1 + static_cast<float>(i) / 64;
    ASSERT_EQ(PH_OK,
              ph_model_from_source(&model, mesh_source("part_1.stl", size), nullptr, nullptr))
        << ph_error();
    hashes.insert(ph_model_compiled_sha256(model));
    ph_model_unref(model);
  }
  EXPECT_EQ(40u, hashes.size());
}

/* The engine looks on the disk for what its list of files lacks. */
TEST(Model, AFileBesideTheProcessIsNotRead) {
  char dir[] = "/tmp/ph_model_XXXXXX", old[4096];
  ASSERT_NE(nullptr, mkdtemp(dir));
  ASSERT_NE(nullptr, getcwd(old, sizeof old));
  ASSERT_EQ(0, chdir(dir));
  std::string stl = tetrahedron(1);
  FILE *file = fopen("part_1.stl", "wb");
  ASSERT_NE(nullptr, file);
  fwrite(stl.data(), 1, stl.size(), file);
  fclose(file);
  ph_model *model = nullptr;
  EXPECT_NE(PH_OK, ph_model_from_source(&model, mesh_source("other.stl", 1), nullptr, nullptr));
  EXPECT_EQ(nullptr, model);
  remove("part_1.stl");
  ASSERT_EQ(0, chdir(old));
  rmdir(dir);
}

TEST(Model, OpensAFile) {
  char path[] = "/tmp/ph_model_XXXXXX";
  int fd = mkstemp(path);
  std::string xml = help_scene();
  ASSERT_EQ(static_cast<ssize_t>(xml.size()), write(fd, xml.data(), xml.size()));
  close(fd);
  ph_model *model = nullptr;
  ASSERT_EQ(PH_OK, ph_model_open(&model, path, nullptr)) << ph_error();
  EXPECT_TRUE(ph_model_compiled(model));
  EXPECT_EQ(64u, strlen(ph_model_sha256(model)));
  ph_model_unref(model);
  remove(path);
  EXPECT_EQ(PH_EIO, ph_model_open(&model, path, nullptr));
  EXPECT_EQ(nullptr, model);
}

} // namespace
