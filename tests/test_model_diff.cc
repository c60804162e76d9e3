// Two models in words.
#include <fstream>

#include "rec_help.h"

namespace {

struct Diff {
  ph_model_diff diff = {};
  Diff(const ph_model *a, const ph_model *b, size_t room = 100) {
    EXPECT_EQ(PH_OK, ph_model_compare(&diff, a, b, room)) << ph_error();
  }
  Diff(const Diff &) = delete;
  ~Diff() { ph_model_diff_clear(&diff); }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < diff.kept; i++)
      all.emplace_back(diff.change[i].text);
    return all;
  }
};

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  size_t at = text.find(what);
  EXPECT_NE(std::string::npos, at) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string scene(const std::string &bodies, const std::string &more = "") {
  return "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 .1'/>" + bodies +
         "</worldbody>" + more + "</mujoco>";
}

std::vector<std::string> compared(const std::string &a, const std::string &b) {
  ph_model *x = help_model(a), *y = help_model(b);
  Diff diff(x, y);
  std::vector<std::string> lines = diff.lines();
  EXPECT_EQ(lines.size(), diff.diff.n);
  ph_model_unref(x);
  ph_model_unref(y);
  return lines;
}

typedef std::vector<std::string> Lines;

const char *kArm = "<body name='arm'><joint name='shoulder' damping='.1'/><geom name='upper' "
                   "size='.1'/><body name='hand' pos='.3 0 0'><joint name='wrist'/><geom "
                   "name='palm' size='.05'/><geom size='.02' pos='.1 0 0'/></body></body>";
const char *kMotors = "<actuator><motor name='m1' joint='shoulder'/><position name='m2' "
                      "joint='wrist' kp='10'/></actuator>";

std::string arm(const std::string &what = "", const std::string &with = "") {
  std::string text = scene(kArm, kMotors);
  return what.empty() ? text : replaced(text, what, with);
}

TEST(ModelDiff, EqualModelsHaveNone) {
  EXPECT_EQ(Lines(), compared(arm(), arm()));
  EXPECT_EQ(Lines(), compared(help_scene(), help_scene() + "<!-- words -->"));
}

TEST(ModelDiff, NamesOptionsWithTheirUnits) {
  EXPECT_EQ(Lines({"timestep 0.004 s -> 0.005 s"}),
            compared(help_scene(), help_scene("Newton", "Euler", "0.005")));
  EXPECT_EQ(Lines({"timestep 0.004 s -> 0.0040000001 s"}),
            compared(help_scene(), help_scene("Newton", "Euler", "0.0040000001")));
  EXPECT_EQ(Lines({"integrator Euler -> RK4", "solver Newton -> PGS"}),
            compared(help_scene(), help_scene("PGS", "RK4")));
  auto with = [](const char *option) { return replaced(arm(), "<worldbody>", option); };
  EXPECT_EQ(Lines({"iterations 100 -> 7", "gravity.z -9.81 m/s^2 -> -1.62 m/s^2"}),
            compared(arm(), with("<option gravity='0 0 -1.62' iterations='7'/><worldbody>")));
  EXPECT_EQ(
      Lines({"cone pyramidal -> elliptic", "flag contact: on -> off", "flag energy: off -> on"}),
      compared(arm(), with("<option cone='elliptic'><flag contact='disable' "
                           "energy='enable'/></option><worldbody>")));
}

TEST(ModelDiff, NamesTheObjectAndItsField) {
  EXPECT_EQ(Lines({"geom palm: friction 0.6 -> 1"}),
            compared(arm("name='palm'", "name='palm' friction='.6'"), arm()));
  EXPECT_EQ(Lines({"geom upper: friction torsional 0.005 -> 0.02"}),
            compared(arm(), arm("name='upper'", "name='upper' friction='1 .02 .0001'")));
  EXPECT_EQ(Lines({"joint shoulder: damping 0.1 -> 0.2"}),
            compared(arm(), arm("'.1'/>", "'.2'/>")));
  EXPECT_EQ(Lines({"body hand: position.x 0.3 m -> 0.35 m"}),
            compared(arm(), arm("pos='.3 0 0'", "pos='.35 0 0'")));
  EXPECT_EQ(Lines({"actuator m2: gain 10 -> 12", "actuator m2: bias[1] -10 -> -12"}),
            compared(arm(), arm("kp='10'", "kp='12'")));
  EXPECT_EQ(Lines({"geom 3 (of hand): friction 1 -> 0.5"}),
            compared(arm(), arm("<geom size='.02'", "<geom friction='.5' size='.02'")));
  EXPECT_EQ(Lines({"geom palm: colour.r 0.5 -> 1"}),
            compared(arm(), arm("name='palm'", "name='palm' rgba='1 .5 .5 1'")));
  EXPECT_EQ(Lines({"actuator m1: target shoulder -> wrist"}),
            compared(arm(), arm("name='m1' joint='shoulder'", "name='m1' joint='wrist'")));
}

TEST(ModelDiff, SaysMassBeforeWhatFollowsFromIt) {
  std::string light = "<body name='b'><freejoint name='f'/><geom name='g' size='.1' mass='1'/>"
                      "</body>";
  std::string heavy = replaced(light, "mass='1'", "mass='1.5'");
  Lines lines = compared(scene(light), scene(heavy));
  ASSERT_EQ(2u, lines.size());
  EXPECT_EQ("body b: mass 1 kg -> 1.5 kg", lines[0]);
  EXPECT_EQ(0u, lines[1].find("body b: inertia.x")) << lines[1];
}

TEST(ModelDiff, ManyObjectsAreOneLine) {
  std::string boxes, other, mixed;
  for (int i = 0; i < 12; i++) {
    std::string name = "b" + std::to_string(i);
    std::string front = "<body name='" + name + "'><freejoint name='" + name + "'/><geom name='" +
                        name + "' size='.1' friction='";
    boxes += front + ".6'/></body>";
    other += front + "1'/></body>";
    mixed += front + std::to_string(i + 1) + "'/></body>";
  }
  EXPECT_EQ(Lines({"12 geoms: friction 0.6 -> 1 (b0, b1, b2, b3 and 8 more)"}),
            compared(scene(boxes), scene(other)));
  EXPECT_EQ(Lines({"12 geoms: friction: b0 0.6 -> 1, b1 0.6 -> 2 and 10 more"}),
            compared(scene(boxes), scene(mixed)));
  std::string damped = boxes;
  for (size_t at = 0; (at = damped.find("<freejoint", at)) != std::string::npos; at++)
    damped.replace(at, 10, "<joint type='free' damping='.1'");
  EXPECT_EQ(Lines({"72 joint axes: damping 0 -> 0.1 (b0 (dof 0), b0 (dof 1), b0 (dof 2), b0 "
                   "(dof 3) and 68 more)"}),
            compared(scene(boxes), scene(damped)));
}

TEST(ModelDiff, SaysThatJointsAreSwapped) {
  std::string
      a = "<body name='a'><joint name='ja' type='slide'/><geom name='ga' size='.1'/></body>",
      b = "<body name='b'><joint name='jb' type='slide'/><geom name='gb' size='.2'/></body>",
      c = "<body name='c'><joint name='jc' type='slide'/><geom name='gc' size='.3'/></body>";
  ph_model *x = help_model(scene(a + b + c)), *y = help_model(scene(a + c + b));
  {
    Diff diff(x, y);
    EXPECT_EQ(Lines({"joints 1 and 2 are swapped: jb, jc", "bodies 2 and 3 are swapped: b, c",
                     "geoms 2 and 3 are swapped: gb, gc"}),
              diff.lines());
    EXPECT_TRUE(diff.diff.change[0].structure);
    EXPECT_TRUE(diff.diff.change[1].structure);
    EXPECT_FALSE(diff.diff.change[2].structure);
  }
  ph_model_unref(y);
  y = help_model(scene(c + a + b));
  {
    Diff diff(x, y, 1);
    EXPECT_EQ(Lines({"joints are in another order: ja 0 -> 1, jb 1 -> 2, jc 2 -> 0"}),
              diff.lines());
    EXPECT_EQ(3u, diff.diff.n);
    EXPECT_EQ(1u, diff.diff.kept);
  }
  ph_model_unref(x);
  ph_model_unref(y);
}

TEST(ModelDiff, StaysWithTheObjectThatWasMoved) {
  std::string
      a = "<body name='a'><joint name='ja' type='slide'/><geom name='ga' size='.1'/></body>",
      b = "<body name='b'><joint name='jb' type='slide'/><geom name='gb' size='.2'/></body>";
  std::string b2 = replaced(b, "size='.2'", "size='.2' friction='.3'");
  Lines lines = compared(scene(a + b), scene(b2 + a));
  ASSERT_EQ(4u, lines.size());
  EXPECT_EQ("geom gb: friction 1 -> 0.3", lines[3]);
}

TEST(ModelDiff, NamesWhatOnlyOneHas) {
  std::string lid = "<body name='lid'><joint name='lid'/><geom name='lid' size='.1'/></body>";
  Lines lines = compared(arm(), arm("</worldbody>", lid + "</worldbody>"));
  EXPECT_EQ(Lines({"joint lid: only in the second", "body lid: only in the second",
                   "geom lid: only in the second"}),
            lines);
  lines = compared(arm("</worldbody>", lid + "</worldbody>"), arm());
  ASSERT_LE(1u, lines.size());
  EXPECT_EQ("joint lid: only in the first", lines[0]);
  EXPECT_EQ(Lines({"actuator m2: only in the first"}),
            compared(arm(), replaced(arm(), "<position name='m2' joint='wrist' kp='10'/>", "")));
  /* Unnamed ones by their place. */
  lines = compared(arm(), arm("<geom size='.02' pos='.1 0 0'/>",
                              "<geom size='.02' pos='.1 0 0'/><geom size='.01' mass='0'/>"));
  ASSERT_LE(1u, lines.size());
  EXPECT_EQ("geom 4 (of hand): only in the second", lines[0]);
  EXPECT_EQ(1u, lines.size());
}

TEST(ModelDiff, NamesWhatWasRenamedOrIsOfAnotherType) {
  EXPECT_EQ(Lines({"joint 0: shoulder -> elbow"}),
            compared(scene(kArm), scene(replaced(kArm, "name='shoulder'", "name='elbow'"))));
  Lines lines = compared(scene(kArm), scene(replaced(kArm, "name='wrist'",
                                                     "name='wrist' "
                                                     "type='slide'")));
  ASSERT_LE(1u, lines.size());
  EXPECT_EQ("joint wrist: hinge -> slide", lines[0]);
  EXPECT_EQ(Lines({"nuserdata 0 -> 4"}),
            compared(arm(), arm("<worldbody>", "<size nuserdata='4'/><worldbody>")));
}

/* Nothing that the hash sees may be missed: each array, option, statistic. */
TEST(ModelDiff, FindsEveryByteThatDiffers) {
  ph_model *a = help_model(help_scene());
  ph_model *b = help_model(help_scene());
  ph_field field;
  for (int i = 0; ph_mj_array_at(b->m, i, &field); i++) {
    size_t size = ph_mj_field_size(&field), element = ph_type_size(field.type);
    /* Names end where they end; indices are believed by the engine's own lookups. */
    if (size == 0 || !strncmp(field.name, "name", 4))
      continue;
    for (size_t at = 0; at < size; at += element * (1 + size / element / 8)) {
      unsigned char *byte = static_cast<unsigned char *>(field.data) + at;
      *byte ^= 1;
      Diff diff(a, b);
      EXPECT_LE(1u, diff.diff.n) << field.name << " at " << at;
      *byte ^= 1;
    }
  }
  for (size_t at = 0; at < sizeof b->m->opt; at += 4) {
    unsigned char *byte = reinterpret_cast<unsigned char *>(&b->m->opt) + at, was = *byte;
    *byte ^= 1;
    char x[PH_SHA256_SIZE], y[PH_SHA256_SIZE];
    ASSERT_EQ(PH_OK, ph_mj_hash(a->m, x));
    ASSERT_EQ(PH_OK, ph_mj_hash(b->m, y));
    Diff diff(a, b);
    EXPECT_EQ(strcmp(x, y) != 0, diff.diff.n > 0) << "option at " << at;
    *byte = was;
  }
  b->m->stat.meaninertia += 1;
  {
    Diff diff(a, b);
    EXPECT_EQ(1u, diff.diff.n);
  }
  ph_model_unref(a);
  ph_model_unref(b);
}

ph_model *uncompiled(const std::string &xml, const char *solver = nullptr) {
  ph_model *good = help_model(xml), *bad = nullptr;
  ph_names names;
  ph_model_facts facts;
  EXPECT_EQ(PH_OK, ph_mj_describe(good->m, &names, &facts));
  if (solver != nullptr)
    snprintf(facts.solver, sizeof facts.solver, "%s", solver);
  EXPECT_EQ(PH_OK, ph_model_from_names(&bad, "00", &facts, &names, "no source")) << ph_error();
  ph_model_unref(good);
  return bad;
}

TEST(ModelDiff, ComparesWhatIsKnownOfModelsThatDoNotCompile) {
  ph_model *a = help_model(help_scene()), *b = uncompiled(help_scene(), "CG"),
           *c = uncompiled(
               replaced(help_scene("Newton", "Euler", "0.01"), "name='wrist'", "name='ankle'"));
  EXPECT_EQ(Lines({"solver Newton -> CG"}), Diff(a, b).lines());
  EXPECT_EQ(Lines({"solver CG -> Newton"}), Diff(b, a).lines());
  EXPECT_EQ(Lines({"joint 4: wrist -> ankle", "timestep 0.004 s -> 0.01 s"}), Diff(a, c).lines());
  EXPECT_EQ(Lines(), Diff(b, b).lines());
  ph_model_unref(a);
  ph_model_unref(b);
  ph_model_unref(c);
}

TEST(ModelDiff, NamesMayBeOfAnyLengthAndBytes) {
  std::string name(500, 'x');
  std::string odd = arm("name='palm'", "name='" + name + "&#10;'");
  Lines lines = compared(arm(), odd);
  ASSERT_EQ(1u, lines.size());
  EXPECT_EQ(0u, lines[0].find("geom 2: palm -> xxx")) << lines[0];
  for (char c : lines[0])
    EXPECT_LE(' ', c);
  ph_model *a = help_model(arm()), *b = help_model(odd);
  Diff none(a, b, 0);
  EXPECT_EQ(0u, none.diff.kept);
  EXPECT_EQ(1u, none.diff.n);
  ph_model_unref(a);
  ph_model_unref(b);
}

/* --- where a file is opened with another model than its own --- */

TEST(ModelDiff, IsWhatTheGuaranteeSays) {
  TempDir dir;
  std::string source = std::string(TEST_SOURCE_ROOT) + "/data/",
              run = source + "runs/quadruped_stand";
  std::ifstream in(source + "quadruped.xml");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string path = dir.path + "/quadruped.xml";
  std::ofstream(path) << replaced(text, "<option", "<option impratio='2'");
  for (bool other : {true, false}) {
    const char *paths[1] = {run.c_str()};
    ph_store_options opt = {};
    ph_store *store = nullptr;
    ph_episode *episode = nullptr;
    ph_model *model = nullptr;
    char why[400] = "";
    opt.model_path = other ? path.c_str() : nullptr;
    ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, &opt)) << ph_error();
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    const char *script = nullptr;
    ph_task *task = nullptr;
    ASSERT_EQ(PH_OK, ph_store_model(&model, store, meta->model_sha256)) << ph_error();
    ASSERT_EQ(PH_OK, ph_store_task(&script, store, meta->task_sha256)) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_parse(&task, script, strlen(script), "t.lua")) << ph_error();
    ph_episode_guarantee(episode, model, task, why, sizeof why);
    if (other)
      EXPECT_STREQ("another model is in use: impratio 1 -> 2", why);
    else
      EXPECT_EQ(nullptr, strstr(why, "another model")) << why;
    ph_task_unref(task);
    ph_model_unref(model);
    ph_episode_free(episode);
    ph_store_free(store);
  }
}

} // namespace
