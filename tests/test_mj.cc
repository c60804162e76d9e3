#include "mj_help.h"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <limits.h>
#include <thread>
#include <unistd.h>

namespace {

std::jmp_buf host_env;
std::string host_said, host_warned;

void host_error(const char *text) {
  host_said = text;
  std::longjmp(host_env, 1);
}

void host_warning(const char *text) {
  host_warned = text;
}

/* A host that has handlers of its own before this library is first used. */
struct Host {
  Host() {
    mju_user_error = host_error;
    mju_user_warning = host_warning;
  }
} host;

void nothing(void *) {}
/* printf-style from 2.3.3 on; a plain text before. */
void fail_inside(void *text) {
#if mjVERSION_HEADER >= 233
  mju_error("%s", static_cast<char *>(text));
#else
  mju_error(static_cast<char *>(text));
#endif
}
void warn_inside(void *text) {
#if mjVERSION_HEADER >= 233
  mju_warning("%s", static_cast<char *>(text));
#else
  mju_warning(static_cast<char *>(text));
#endif
}

char first[] = "first", second[] = "100%s of it\nand more";

void nested(void *status) {
  *static_cast<ph_status *>(status) = ph_mj_guard(fail_inside, first);
  mju_error("outer");
}

TEST(Guard, TurnsFatalErrorsIntoStatus) {
  EXPECT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
  EXPECT_EQ(PH_ESIM, ph_mj_guard(fail_inside, second));
  EXPECT_STREQ("physics engine: fatal error: 100%s of it\\x0aand more", ph_error());
  ph_status inner = PH_OK;
  EXPECT_EQ(PH_ESIM, ph_mj_guard(nested, &inner));
  EXPECT_EQ(PH_ESIM, inner);
  EXPECT_NE(nullptr, strstr(ph_error(), "outer"));
}

TEST(Guard, WithoutOneTheHostsHandlerIsCalled) {
  ASSERT_EQ(PH_ESIM, ph_mj_guard(fail_inside, first));
  host_said.clear();
  if (setjmp(host_env) == 0)
    mju_error("not guarded");
  EXPECT_EQ("not guarded", host_said);
}

void chaining_error(const char *text) {
  host_said = std::string("chained ") + text;
  std::longjmp(host_env, 1);
}

TEST(Guard, HoldsAgainstHandlersThatAreSetLater) {
  ASSERT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
  host_said.clear();
  mju_user_error = chaining_error;
  mju_user_warning = nullptr;
  if (setjmp(host_env) == 0) {
    EXPECT_EQ(PH_ESIM, ph_mj_guard(fail_inside, first));
  }
  EXPECT_EQ("", host_said) << "it was inside a guard";
  if (setjmp(host_env) == 0)
    mju_error("not guarded");
  EXPECT_EQ("chained not guarded", host_said) << "the latest handler is the host's";
  mju_user_error = host_error;
  mju_user_warning = host_warning;
  EXPECT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
}

void (*found_warning)(const char *);
int rounds;

void chaining_warning(const char *text) {
  rounds++;
  found_warning(text);
}

/* What a well-behaved host does, and found ours: it must end. */
TEST(Guard, AHandlerThatHandsOnDoesNotGoRoundForEver) {
  ASSERT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
  found_warning = mju_user_warning;
  mju_user_warning = chaining_warning;
  ASSERT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
  for (int i = 0; i < 3; i++) {
    rounds = 0;
    mju_warning("not guarded");
    EXPECT_GT(rounds, 0);
    EXPECT_LT(rounds, 100);
  }
  mju_user_warning = host_warning;
  EXPECT_EQ(PH_OK, ph_mj_guard(nothing, nullptr));
}

TEST(Guard, IsPerThread) {
  std::atomic<int> caught{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&caught] {
      for (int k = 0; k < 200; k++)
        caught += ph_mj_guard(k % 2 ? fail_inside : nothing, first) == PH_ESIM;
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(400, caught);
}

TEST(Guard, WarningsAreKeptAndWriteNoFile) {
  char dir[] = "/tmp/ph_mj_XXXXXX", old[PATH_MAX];
  char text[] = "something is odd";
  ASSERT_NE(nullptr, mkdtemp(dir));
  ASSERT_NE(nullptr, getcwd(old, sizeof old));
  ASSERT_EQ(0, chdir(dir));
  host_warned.clear();
  EXPECT_EQ(PH_OK, ph_mj_guard(warn_inside, text));
  EXPECT_STREQ(text, ph_mj_warning());
  EXPECT_EQ("", host_warned);
  EXPECT_EQ(PH_ESIM, ph_mj_guard(fail_inside, text));
  ph_model *bad = nullptr;
  EXPECT_EQ(PH_EMODEL, ph_model_from_source(&bad,
                                            help_source("<mujoco><worldbody><body><joint/></body>"
                                                        "</worldbody></mujoco>"),
                                            nullptr, nullptr));
  mju_warning("for the host");
  EXPECT_EQ("for the host", host_warned);
  EXPECT_NE(0, access("MUJOCO_LOG.TXT", F_OK));
  ASSERT_EQ(0, chdir(old));
  EXPECT_EQ(0, rmdir(dir)); /* not empty if anything was written */
}

/* --- compiling --- */

ph_status compile(const std::string &xml) {
  mjModel *m = nullptr;
  ph_source *source = help_source(xml);
  ph_status status = ph_mj_compile(&m, source);
  EXPECT_EQ(status == PH_OK, m != nullptr);
  ph_mj_free_model(m);
  ph_source_free(source);
  return status;
}

TEST(Compile, ErrorsAreOneLine) {
  const char *const broken[] = {
      "",
      "<",
      "<mujoco>",
      "<mujoco><worldbody><geom/></worldbody></mujoco>",
      "<sdf/>",
      "<mujoco><nonsense/></mujoco>",
      "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>",
      "<mujoco><option timestep='x'/></mujoco>",
      "<mujoco><asset><mesh name='m' file='no.stl'/></asset></mujoco>",
  };
  for (const char *xml : broken) {
    EXPECT_EQ(PH_EMODEL, compile(xml)) << xml;
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    EXPECT_EQ(nullptr, strstr(ph_error(), "\\x0a")) << ph_error();
    EXPECT_EQ(0, strncmp(ph_error(), "model: ", 7)) << ph_error();
  }
}

TEST(Compile, EveryTruncationIsAnErrorOrAModel) {
  std::string xml = help_scene();
  for (size_t n = 0; n < xml.size(); n += 7)
    EXPECT_EQ(PH_EMODEL, compile(xml.substr(0, n))) << n;
  EXPECT_EQ(PH_OK, compile(xml));
}

TEST(Compile, AnEmptyAssetIsAnError) {
  mjModel *m = nullptr;
  ph_source *source = help_source("<mujoco/>");
  source->assets = static_cast<ph_blob *>(calloc(2, sizeof *source->assets));
  source->nassets = 1;
  source->assets[0].name = help_text("a.png");
  source->assets[0].data = help_text("");
  EXPECT_EQ(PH_EMODEL, ph_mj_compile(&m, source));
  EXPECT_STREQ("model: a.png is empty", ph_error());
  source->nassets = 2;
  for (int i = 0; i < 2; i++)
    source->assets[i].size = 1;
  source->assets[1].name = help_text("a.png");
  source->assets[1].data = help_text("x");
  EXPECT_EQ(PH_EMODEL, ph_mj_compile(&m, source));
  EXPECT_STREQ("model: asset a.png: there are two of that name", ph_error());
  ph_source_free(source);
}

TEST(Compile, ALocaleWithCommasDoesNotMatter) {
  locale_t german = newlocale(LC_ALL_MASK, "de_DE.UTF-8", nullptr);
  std::string xml = "<mujoco><option timestep='0.0125'/></mujoco>";
  locale_t old = german ? uselocale(german) : nullptr;
  ph_model *model = help_model(xml);
  if (german) {
    uselocale(old);
    freelocale(german);
  }
  ASSERT_NE(nullptr, model);
  EXPECT_EQ(0.0125, ph_model_timestep(model));
  ph_model_unref(model);
}

TEST(Compile, ManyThreadsAtOnce) {
  std::atomic<int> good{0}, bad{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      for (int k = 0; k < 8; k++) {
        good += compile(help_scene()) == PH_OK;
        bad += compile("<mujoco><worldbody><geom/></worldbody></mujoco>") == PH_EMODEL;
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(32, good);
  EXPECT_EQ(32, bad);
}

/* --- fields --- */

TEST(Fields, AreWellFormedAndDistinct) {
  ph_model *model = help_model(help_scene());
  ASSERT_NE(nullptr, model);
  std::vector<std::string> names;
  ph_field field, again;
  for (int i = 0; ph_mj_field_at(model->m, i, &field); i++) {
    EXPECT_GE(field.rows, 0) << field.name;
    EXPECT_GE(field.cols, 0) << field.name;
    EXPECT_EQ(0, std::count(names.begin(), names.end(), field.name)) << field.name;
    names.push_back(field.name);
    ASSERT_TRUE(ph_mj_field(model->m, field.name, &again)) << field.name;
    EXPECT_EQ(field.data, again.data);
  }
  for (const char *name : {"body_pos", "body_mass", "geom_friction", "geom_rgba", "jnt_range",
                           "dof_damping", "site_pos", "cam_fovy", "light_pos", "tendon_stiffness",
                           "actuator_gear", "eq_data", "opt_gravity"})
    EXPECT_TRUE(ph_mj_field(model->m, name, &field)) << name;
  for (const char *name : {"opt_timestep", "eq_active", "body_parentid", "jnt_type", "names", "nq"})
    EXPECT_FALSE(ph_mj_field(model->m, name, &field)) << name;
  ASSERT_TRUE(ph_mj_field(model->m, "geom_rgba", &field));
  EXPECT_EQ(PH_F32, field.type);
  EXPECT_EQ(model->m->ngeom, field.rows);
  EXPECT_EQ(4, field.cols);
  ASSERT_TRUE(ph_mj_field(model->m, "geom_condim", &field));
  EXPECT_EQ(PH_I32, field.type);
  ASSERT_TRUE(ph_mj_field(model->m, "jnt_limited", &field));
  EXPECT_EQ(PH_U8, field.type);
  ASSERT_TRUE(ph_mj_field(model->m, "opt_gravity", &field));
  EXPECT_EQ(static_cast<void *>(model->m->opt.gravity), field.data);
  EXPECT_EQ(24u, ph_mj_field_size(&field));
  ph_model_unref(model);
}

/* Any editable field may be changed, is found by the diff, and comes back with a reset. */
TEST(Fields, EveryOneIsEditedDiffedAndRestored) {
  ph_model *model = help_model(help_scene());
  ph_sim *sim = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
  ASSERT_EQ(PH_OK, ph_sim_private_model(sim));
  ph_field field;
  int seen = 0;
  for (int i = 0; ph_mj_field_at(sim->m, i, &field); i++) {
    if (ph_mj_field_size(&field) == 0)
      continue;
    static_cast<unsigned char *>(field.data)[ph_mj_field_size(&field) - 1] ^= 1;
    ph_edit *diff = nullptr;
    size_t n = 0;
    ASSERT_EQ(PH_OK, ph_sim_diff_model(sim, &diff, &n));
    ASSERT_EQ(1u, n) << field.name;
    EXPECT_STREQ(field.name, diff[0].field);
    ASSERT_EQ(PH_OK, ph_sim_reset(sim));
    free(const_cast<void *>(diff[0].data));
    free(diff);
    ASSERT_EQ(PH_OK, ph_sim_diff_model(sim, &diff, &n));
    ASSERT_EQ(0u, n) << field.name;
    seen++;
  }
  EXPECT_GT(seen, 60);
  ph_sim_free(sim);
  ph_model_unref(model);
}

TEST(Engine, VersionsAgree) {
  EXPECT_EQ(PH_OK, ph_engine_check());
  EXPECT_STREQ(mj_versionString(), ph_engine_version());
  EXPECT_STRNE("", ph_mj_arch());
}

} // namespace
