/* Success conditions that people know, as README.md writes them: judged on episodes of our own and,
 * where ../shared is, on demonstrations of 2020, each beside what plain arithmetic says. */
#include <fstream>
#include <functional>
#include <sstream>

#include "rec_help.h"

extern "C" {
#include "task.h"
}

namespace {

const std::string kRoot = TEST_SOURCE_ROOT;

std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  EXPECT_NE(std::string::npos, text.find(from)) << from;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/* The condition in README's line "| name | `condition` |". */
std::string condition(const std::string &name) {
  std::string text = slurp(kRoot + "/README.md"), line = "\n| " + name + " | `";
  size_t at = text.find(line);
  EXPECT_NE(std::string::npos, at) << name;
  at = at == std::string::npos ? 0 : at + line.size();
  return text.substr(at, text.find('`', at) - at);
}

/* Episodes of a task whose success is an expression, and what it says of each state. */
struct Judged {
  TempDir tmp;
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ph_replay *replay = nullptr;
  std::vector<double> states; /* of the episode, S x width */
  size_t width = 0;

  ~Judged() {
    close();
    ph_store_free(store);
    ph_task_unref(task);
    ph_model_unref(model);
  }
  void close() {
    ph_replay_free(replay);
    ph_episode_free(episode);
    replay = nullptr;
    episode = nullptr;
  }
  void record(const std::string &source, const std::string &expr, int episodes) {
    ph_task *base = nullptr;
    ph_env *env = nullptr;
    ph_recorder *rec = nullptr;
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    ASSERT_EQ(PH_OK, ph_task_parse(&base, source.data(), source.size(), "port.lua")) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_with_success(&task, base, expr.c_str())) << ph_error();
    ph_task_unref(base);
    opt.task = task;
    std::string run = tmp.path + "/run";
    ASSERT_EQ(PH_OK, ph_recorder_open(&rec, run.c_str(), model, &opt)) << ph_error();
    ASSERT_EQ(PH_OK, ph_env_create(&env, task, model, nullptr)) << ph_error();
    for (int k = 0; k < episodes; k++)
      rollout(env, ph_env_seed(3, 0, k), rec);
    ph_env_free(env);
    ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
    const char *paths[] = {run.c_str()};
    ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    ASSERT_EQ(static_cast<size_t>(episodes), ph_store_count(store));
  }
  void open(size_t i) {
    close();
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    if (!model) {
      ASSERT_EQ(PH_OK, ph_store_model(&model, store, meta->model_sha256)) << ph_error();
    }
    ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
    width = ph_schema_width(PH_COL_STATES, &meta->dims);
    states.resize(static_cast<size_t>(meta->states) * width);
    ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_STATES, 0, meta->states, states.data()));
  }
  int64_t count() const { return ph_episode_meta_of(episode)->states; }
  bool says(int64_t t) {
    bool value = false;
    EXPECT_EQ(PH_OK, ph_replay_seek(replay, t, 0, PH_KINEMATIC)) << ph_error();
    EXPECT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << ph_error();
    return value;
  }
  /* From the stored row: element `more` of the joint's position. */
  double joint(int64_t t, const char *name, int more = 0) const {
    int j = ph_model_find(model, PH_JOINT, name);
    EXPECT_GE(j, 0) << name;
    size_t at = 1 + static_cast<size_t>(ph_model_joint(model, j)->qposadr + more);
    return states[static_cast<size_t>(t) * width + at];
  }
  bool touch(const std::string &a, const std::string &b) const {
    const ph_frame *frame = ph_replay_frame(replay);
    for (size_t i = 0; i < frame->ncontact; i++)
      for (int k = 0; k < 2; k++)
        if (frame->contact[i].geom[k] == a && frame->contact[i].geom[1 - k] == b)
          return true;
    return false;
  }
  const double *site(const char *name) const {
    return ph_replay_sim(replay)->d->site_xpos + 3 * ph_model_find(model, PH_SITE, name);
  }
};

/* What the screen, `verify` and the recorder say of an episode is one thing. */
void expect_recorded(Judged &j) {
  std::vector<uint8_t> bits(static_cast<size_t>(j.count()));
  ASSERT_EQ(PH_OK, ph_episode_read(j.episode, PH_COL_PREDICATE, 0, j.count(), bits.data()));
  for (int64_t t = 0; t < j.count(); t++)
    EXPECT_EQ(bits[static_cast<size_t>(t)], j.says(t)) << t;
}

/* Of every state of every episode it says what `truth` says, and both occur; *ends gets which
 * episodes end with success. */
void expect_truth(Judged &j, const std::function<bool(int64_t)> &truth, std::string *ends) {
  int yes = 0, no = 0;
  for (size_t i = 0; i < ph_store_count(j.store); i++) {
    ASSERT_NO_FATAL_FAILURE(j.open(i));
    for (int64_t t = 0; t < j.count(); t++) {
      bool said = j.says(t);
      ASSERT_EQ(truth(t), said) << "episode " << i << " step " << t;
      (said ? yes : no)++;
    }
    expect_recorded(j);
    *ends += ph_episode_meta_of(j.episode)->end_reason == PH_END_SUCCESS ? '+' : '-';
  }
  EXPECT_GT(yes, 10);
  EXPECT_GT(no, 10);
}

/* --- cubes --- */

struct Cubes : testing::Test {
  Judged j;
  std::string source = slurp(kRoot + "/data/stack.lua"), ends;
  void SetUp() override {
    ASSERT_EQ(PH_OK, ph_model_open(&j.model, (kRoot + "/data/cubes.xml").c_str(), nullptr))
        << ph_error();
  }
  double z(int64_t t) const { return j.joint(t, "cubeA", 2); }
};

TEST_F(Cubes, Lift) {
  j.record(source, replaced(condition("lift a cube"), "s.body.cube.", "s.body.cubeA."), 3);
  expect_truth(
      j, [&](int64_t t) { return z(t) > 0.4 + 0.04; }, &ends);
  EXPECT_EQ("+++", ends);
}

TEST_F(Cubes, Stack) {
  int held_above = 0;
  j.record(source, condition("stack two"), 6);
  auto truth = [&](int64_t t) {
    bool held = j.touch("finger_l", "cubeA") && j.touch("finger_r", "cubeA");
    bool stacked = z(t) > 0.44 && j.touch("cubeA", "cubeB");
    held_above += stacked && held;
    return stacked && !held;
  };
  expect_truth(j, truth, &ends);
  EXPECT_GT(held_above, 0) << "a cube that is put down is no success before it is let go";
  EXPECT_NE(std::string::npos, ends.find('+'));
}

/* The named conditions of the task are the parts of the line. */
TEST_F(Cubes, NamedConditionsAreTheOneLine) {
  ph_task *named = nullptr;
  ph_replay *other = nullptr;
  j.record(source, condition("stack two"), 2);
  ASSERT_EQ(PH_OK, ph_task_open(&named, (kRoot + "/data/stack.lua").c_str())) << ph_error();
  ASSERT_NO_FATAL_FAILURE(j.open(1));
  ASSERT_EQ(PH_OK, ph_replay_create(&other, j.episode, j.model, named)) << ph_error();
  for (int64_t t = 0; t < j.count(); t++) {
    bool value = false;
    ASSERT_EQ(PH_OK, ph_replay_seek(other, t, 0, PH_KINEMATIC));
    ASSERT_EQ(PH_OK, ph_replay_predicate(other, &value, nullptr)) << ph_error();
    EXPECT_EQ(j.says(t), value) << t;
  }
  ph_replay_free(other);
  ph_task_unref(named);
}

TEST_F(Cubes, PlaceInABin) {
  int held_inside = 0;
  source = replaced(source, "local onto = \"cubeB\"", "local onto = \"bin\"");
  j.record(source, condition("place in a bin"), 3);
  auto truth = [&](int64_t t) {
    double p[] = {j.joint(t, "cubeA"), j.joint(t, "cubeA", 1), z(t)}, bin[] = {0.38, -0.24, 0.4};
    const double *tool = j.site("tool");
    bool in = fabs(p[0] - bin[0]) < 0.08 && fabs(p[1] - bin[1]) < 0.08 && p[2] > bin[2] &&
              p[2] < bin[2] + 0.1;
    double far = sqrt(pow(tool[0] - p[0], 2) + pow(tool[1] - p[1], 2) + pow(tool[2] - p[2], 2));
    held_inside += in && far <= 0.043;
    return in && far > 0.043;
  };
  expect_truth(j, truth, &ends);
  EXPECT_GT(held_inside, 0);
  EXPECT_EQ("+++", ends);
}

/* --- a door --- */

const char kDoor[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody>"
    "<body name='door' pos='0 0 .5'>"
    "<joint name='door_hinge' axis='0 0 1' damping='.4' limited='true' range='0 1.4'/>"
    "<geom type='box' size='.2 .01 .4' pos='.2 0 0' mass='2'/></body>"
    "<body name='hand' pos='.35 -.1 .5'><joint name='push' type='slide' axis='0 1 0'/>"
    "<geom type='sphere' size='.03' mass='.5'/></body></worldbody>"
    "<actuator><position name='push' joint='push' kp='200'/></actuator></mujoco>";
const char kOpen[] =
    "local v\nreturn { name = 'door', control_steps = 20, max_steps = 80, hold_seconds = 0.2,\n"
    "actions = { { type = 'joint_delta', joints = { 'push' }, of = 'target' } },\n"
    "policy = function(s, rng) v = v or rng(0.001, 0.012) return { v } end }";

TEST(Door, Opens) {
  Judged j;
  std::string ends;
  j.model = help_model(kDoor);
  j.record(kOpen, condition("open a door"), 6);
  expect_truth(
      j, [&](int64_t t) { return j.joint(t, "door_hinge") > 0.3; }, &ends);
  EXPECT_NE(std::string::npos, ends.find('+'));
  EXPECT_NE(std::string::npos, ends.find('-')) << "some push too slowly";
}

/* --- demonstrations of robosuite 1.0 ---
 *
 * They store states and actions: no reward, no done, no success. What is known of success is how
 * they were collected: the collector left its loop one action after success had been there for
 * eleven in a row, and dropped the last state. So a demonstration that went well ends on eleven
 * states of success, and has none right before them. */

struct Robosuite : testing::Test {
  Judged j;
  void judge(const std::string &name, const std::string &expr) {
    std::string folder = kRoot + "/../shared/samples/robosuite-2020/";
    std::string path = folder + name + "/panda/demo.hdf5", assets = folder + "assets_2020";
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << "../shared/samples is not there";
    const char *paths[] = {path.c_str()}, *folders[] = {assets.c_str()};
    ph_store_options opt = {};
    opt.model.assets = folders;
    opt.model.nassets = 1;
    ASSERT_EQ(PH_OK, ph_store_open(&j.store, paths, 1, &opt)) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_with_success(&j.task, nullptr, expr.c_str())) << ph_error();
    ASSERT_NO_FATAL_FAILURE(j.open(0));
    const ph_episode_meta *meta = ph_episode_meta_of(j.episode);
    EXPECT_EQ(-1, meta->success) << "it is not stored";
    for (ph_column col : {PH_COL_REWARDS, PH_COL_DONES, PH_COL_PREDICATE})
      EXPECT_FALSE(ph_episode_has(j.episode, col)) << ph_schema_column(col)->path;
  }
  void expect_end(const std::function<double(int64_t)> &height, double above) {
    for (int64_t t = 0; t < j.count(); t++) {
      bool said = j.says(t);
      EXPECT_EQ(height(t) > above, said) << t;
      EXPECT_EQ(t >= j.count() - 11, said) << t << " of " << j.count();
    }
  }
};

TEST_F(Robosuite, Lift) {
  judge("lift", condition("lift a cube"));
  if (j.episode)
    expect_end([&](int64_t t) { return j.joint(t, "cube_jnt0", 2); }, 0.8 + 0.04);
}

TEST_F(Robosuite, Door) {
  judge("door", condition("open a door"));
  if (j.episode)
    expect_end([&](int64_t t) { return j.joint(t, "door_hinge"); }, 0.3);
}

} // namespace
