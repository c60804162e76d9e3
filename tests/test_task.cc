#include "script_help.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace {

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

ph_task *parse(const std::string &source) {
  ph_task *task = nullptr;
  EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << ph_error();
  return task;
}

std::string error_of(const std::string &source) {
  ph_task *task = nullptr;
  ph_status st = ph_task_parse(&task, source.data(), source.size(), "t.lua");
  EXPECT_EQ(PH_ETASK, st) << source;
  EXPECT_EQ(nullptr, task);
  ph_task_unref(task);
  return ph_error();
}

struct Folder {
  std::string path;
  Folder() {
    const char *tmp = getenv("TMPDIR");
    std::string pattern = std::string(tmp ? tmp : "/tmp") + "/playhead-task-XXXXXX";
    path = mkdtemp(&pattern[0]);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
    return path + "/" + name;
  }
};

TEST(Task, AWholeOne) {
  ph_task *task = parse(
      "return { name = 'drawer_close', model = 'drawer.xml', control_steps = 10, max_steps = 500,\n"
      "actions = { {type='joint_position', joints={'arm_.*', 'drawer'}, scale=0.05, offset=-1, "
      "clip={min=-2, max=3}}, {type='ctrl', actuators={'grip'}, clip={max=1}} },\n"
      "action_range = {min={-1, -2, -3}, max={1, 2, 3}},\n"
      "reset = function(env, rng) end, reward = function(s) return 0 end,\n"
      "success = { near = function(s) return true end, closed = function(s) return true end },\n"
      "failure = function(s) return false end, hold_seconds = 0.5,\n"
      "policy = function(s, rng) return {} end,\n"
      "readouts = { gap = function(s) return 1 end, angle = function(s) return 2 end } }");
  ASSERT_NE(nullptr, task);
  const ph_task_info *info = ph_task_info_of(task);
  EXPECT_STREQ("drawer_close", info->name);
  EXPECT_STREQ("drawer.xml", info->model);
  EXPECT_EQ(10, info->control_steps);
  EXPECT_EQ(500, info->max_steps);
  EXPECT_EQ(0.5, info->hold_seconds);
  EXPECT_TRUE(info->has_reset && info->has_reward && info->has_success && info->has_failure &&
              info->has_policy);
  ASSERT_EQ(2u, info->nconditions);
  EXPECT_STREQ("closed", ph_task_condition(task, 0));
  EXPECT_STREQ("near", ph_task_condition(task, 1));
  EXPECT_EQ(nullptr, ph_task_condition(task, 2));
  ASSERT_EQ(2u, info->nreadouts);
  EXPECT_STREQ("angle", ph_task_readout(task, 0));
  EXPECT_STREQ("gap", ph_task_readout(task, 1));
  EXPECT_EQ(nullptr, ph_task_readout(task, 2));
  const ph_task_spec *spec = ph_task_spec_of(task);
  ASSERT_EQ(2u, info->nterms);
  EXPECT_STREQ("joint_position", spec->terms[0].type);
  ASSERT_EQ(2u, spec->terms[0].npatterns);
  EXPECT_STREQ("arm_.*", spec->terms[0].patterns[0]);
  EXPECT_STREQ("drawer", spec->terms[0].patterns[1]);
  EXPECT_EQ(0.05, spec->terms[0].map.scale);
  EXPECT_EQ(-1, spec->terms[0].map.offset);
  EXPECT_EQ(-2, spec->terms[0].map.min);
  EXPECT_EQ(3, spec->terms[0].map.max);
  EXPECT_STREQ("ctrl", spec->terms[1].type);
  EXPECT_EQ(1, spec->terms[1].map.scale);
  EXPECT_EQ(-INFINITY, spec->terms[1].map.min);
  EXPECT_EQ(1, spec->terms[1].map.max);
  ASSERT_EQ(3u, spec->nrange);
  EXPECT_EQ(-3, spec->range_min[2]);
  EXPECT_EQ(2, spec->range_max[1]);
  ph_task_unref(task);
}

TEST(Task, OnlySuccessAndHold) {
  ph_task *task = parse("return {success = function(s) return true end, hold_seconds = 1}");
  ASSERT_NE(nullptr, task);
  const ph_task_info *info = ph_task_info_of(task);
  EXPECT_STREQ("", info->name);
  EXPECT_STREQ("", info->model);
  EXPECT_EQ(0, info->control_steps);
  EXPECT_EQ(0, info->max_steps);
  ASSERT_EQ(1u, info->nconditions);
  EXPECT_STREQ("success", ph_task_condition(task, 0));
  EXPECT_FALSE(info->has_reset || info->has_reward || info->has_failure || info->has_policy);
  EXPECT_EQ(nullptr, ph_task_spec_of(task)->range_min);
  ph_model *model = nullptr;
  EXPECT_EQ(PH_ENOTFOUND, ph_task_model(&model, task, nullptr));
  EXPECT_STREQ("t.lua: the task names no model", ph_error());
  ph_task_unref(task);
  task = parse("return {}");
  EXPECT_EQ(0u, ph_task_info_of(task)->nconditions);
  ph_task_unref(task);
}

TEST(Task, RefusesWhatItDoesNotKnow) {
  const char *cases[][2] = {
      {"hold_second = 1", "t.lua:1: unknown key 'hold_second'; did you mean 'hold_seconds'?"},
      {"b = 1, a = 1", "unknown key 'a'"},
      {"1, 2", "a key is a number, must be a name"},
      {"stages = {}", "stages: must be a list of 1 to 1000 elements"},
      {"name = 1", "name: must be a string, is a number"},
      {"name = ''", "name: must be text that is not empty"},
      {"name = 'a\\0b'", "name: must be text that is not empty"},
      {"name = ('x'):rep(64)", "name: has more than 63 bytes"},
      {"model = {}", "model: must be a string, is a table"},
      {"control_steps = 0", "control_steps: must be a whole number from 1 to 100000, is 0"},
      {"control_steps = 1.5", "control_steps: must be a whole number"},
      {"control_steps = '10'", "control_steps: must be a number, is a string"},
      {"control_steps = 1e9", "control_steps: must be a whole number"},
      {"max_steps = -1", "max_steps: must be a whole number"},
      {"max_steps = 1/0", "max_steps: inf is not finite"},
      {"hold_seconds = -0.5", "hold_seconds: must be 0 or more, is -0.5"},
      {"hold_seconds = 0/0", "hold_seconds: "},
      {"reset = 1", "reset: must be a function, is a number"},
      {"reward = {}", "reward: must be a function, is a table"},
      {"failure = true", "failure: must be a function, is a boolean"},
      {"policy = ''", "policy: must be a function, is a string"},
      {"success = 1", "success: must be a function or a table of named functions, is a number"},
      {"success = {}", "success: must have 1 to 1000 named functions, has 0"},
      {"success = {a = 1}", "success.a: must be a function, is a number"},
      {"success = {function() end}", "success: a name is a number, must be a string"},
      {"success = {[('x'):rep(64)] = function() end}", "success: a name has 1 to 63 bytes"},
      {"success = {['a\\0'] = function() end}", "success: a name has 1 to 63 bytes"},
      {"readouts = function() end", "readouts: must be a table, is a function"},
      {"readouts = {}", "readouts: must have 1 to 1000 named functions"},
      {"actions = 1", "actions: must be a table"},
      {"actions = {x = {}}", "actions: must be a list, has a key that is a string"},
      {"actions = {1}", "actions[1]: must be a table, is a number"},
      {"actions = {{}}", "actions[1]: needs a type: ctrl, joint_position, joint_delta"},
      {"actions = {{type = 'griper'}}",
       "actions[1]: unknown type 'griper'; did you mean 'gripper'?"},
      {"actions = {{type = 'ctrl'}}", "actions[1]: needs actuators, a list of names or patterns"},
      {"actions = {{type = 'ctrl', joints = {'a'}}}", "actions[1]: unknown key 'joints'"},
      {"actions = {{type = 'ctrl', actuators = 'a'}}", "actions[1]: actuators: must be a table"},
      {"actions = {{type = 'ctrl', actuators = {}}}", "actions[1]: actuators: must be a list"},
      {"actions = {{type = 'ctrl', actuators = {1}}}", "actuators: element 1 is a number"},
      {"actions = {{type = 'ctrl', actuators = {'a['}}}", "'a[' is no pattern"},
      {"actions = {{type = 'ctrl', actuators = {'a', nil, 'b'}}}", "actuators: must be a list"},
      {"actions = {{type = 'ctrl', actuators = {'a'}, scal = 1}}",
       "actions[1]: unknown key 'scal'; did you mean 'scale'?"},
      {"actions = {{type = 'ctrl', actuators = {'a'}, scale = 'x'}}", "scale: must be a number"},
      {"actions = {{type = 'ctrl', actuators = {'a'}, clip = {-1, 1}}}",
       "actions[1]: clip: must be {min = NUMBER, max = NUMBER}, is a list"},
      {"actions = {{type = 'ctrl', actuators = {'a'}, clip = {min = 2, max = 1}}}",
       "actions[1]: clip: min 2.0 is above max 1.0"},
      {"action_range = {min = {0}}", "action_range: needs max, a list of numbers"},
      {"action_range = {min = {0, 0}, max = {1}}", "action_range: min has 2 elements, max has 1"},
      {"action_range = {min = {1}, max = {1}}", "element 1: min 1.0 is not below max 1.0"},
      {"action_range = {min = {'x'}, max = {1}}", "action_range: min: element 1 must be a finite"},
      {"action_range = {min = {0}, max = {1, 1}}", "action_range: min has 1 element, max has 2"},
      {"action_range = {-1, 1}",
       "t.lua:1: action_range: must be {min = {NUMBER, ...}, max = {NUMBER, ...}}, is a list"},
      {"actions = {{type='eef_pose', site='x', joints={'a'}, scale={1, 1}}}",
       "actions[1]: scale: must be a number or {position = NUMBER, rotation = NUMBER}, is a list"},
      {"action_range = {mn = {0}}", "action_range: unknown key 'mn'; did you mean 'min'?"},
  };
  for (const auto &c : cases) {
    std::string error = error_of(std::string("return {") + c[0] + "}");
    EXPECT_TRUE(has(error, c[1])) << c[0] << ": " << error;
    EXPECT_TRUE(has(error, "t.lua")) << error;
  }
}

TEST(Task, HashAndSourceAreTheText) {
  ph_task *task = parse("return {}");
  EXPECT_STREQ("return {}", ph_task_source(task));
  /* printf 'return {}' | sha256sum */
  EXPECT_STREQ("7df8f0cd9e1cd0b204a760783671c0ccca4a3258dc7c51f59e9e2295c6c25315",
               ph_task_sha256(task));
  ph_task_unref(task);
}

TEST(Task, OpensFiles) {
  Folder folder;
  std::string path = folder.write("a.lua", "return {name = 'a'}");
  ph_task *task = nullptr;
  ASSERT_EQ(PH_OK, ph_task_open(&task, path.c_str())) << ph_error();
  EXPECT_STREQ("a", ph_task_info_of(task)->name);
  ph_task *again = ph_task_ref(task);
  ph_task_unref(task);
  EXPECT_STREQ("a", ph_task_info_of(again)->name);
  ph_task_unref(again);
  ph_task_unref(nullptr);
}

TEST(Task, FilesThatAreNone) {
  Folder folder;
  ph_task *task = nullptr;
  EXPECT_EQ(PH_EIO, ph_task_open(&task, (folder.path + "/none.lua").c_str()));
  EXPECT_TRUE(has(ph_error(), "none.lua: cannot open the task: No such file"));
  EXPECT_EQ(PH_EIO, ph_task_open(&task, folder.path.c_str()));
  EXPECT_TRUE(has(ph_error(), "not a regular file")) << ph_error();
  std::string fifo = folder.path + "/fifo";
  ASSERT_EQ(0, mkfifo(fifo.c_str(), 0600));
  EXPECT_EQ(PH_EIO, ph_task_open(&task, fifo.c_str())); /* and does not wait for a writer */
  std::string large = folder.write("large.lua", std::string(2 << 20, ' '));
  EXPECT_EQ(PH_ETASK, ph_task_open(&task, large.c_str()));
  std::string bad = folder.write("bad.lua", "return {\n  x = = 1 }");
  EXPECT_EQ(PH_ETASK, ph_task_open(&task, bad.c_str()));
  EXPECT_TRUE(has(ph_error(), "bad.lua:2: unexpected symbol near '='")) << ph_error();
  EXPECT_EQ(nullptr, task);
}

TEST(Task, FindsItsModelBesideItself) {
  Folder folder;
  folder.write("m.xml", "<mujoco><worldbody><body name='b'/></worldbody></mujoco>");
  std::string path = folder.write("a.lua", "return {model = 'm.xml'}");
  std::string other = folder.write("b.lua", "return {model = 'none.xml'}");
  ph_task *task = nullptr;
  ph_model *model = nullptr;
  ASSERT_EQ(PH_OK, ph_task_open(&task, path.c_str())) << ph_error();
  EXPECT_EQ(PH_OK, ph_task_model(&model, task, nullptr)) << ph_error();
  EXPECT_GE(ph_model_find(model, PH_BODY, "b"), 0);
  ph_model_unref(model);
  ph_task_unref(task);
  ASSERT_EQ(PH_OK, ph_task_open(&task, other.c_str())) << ph_error();
  EXPECT_NE(PH_OK, ph_task_model(&model, task, nullptr));
  EXPECT_EQ(nullptr, model);
  ph_task_unref(task);
}

TEST(Task, AModelThatIsNotThereIsNamedWithWhatIs) {
  Folder folder;
  ph_task *task = nullptr, *judged = nullptr;
  ph_model *model = nullptr;
  folder.write("cubes.xml", script_xml());
  folder.write("cubez.txt", "");
  std::string path = folder.write("t.lua", "return {\n name = 'x',\n model = 'cubez.xml' }");
  const std::string said =
      path + ":3: model: cubez.xml: no such model file; did you mean 'cubes.xml'?";
  ASSERT_EQ(PH_OK, ph_task_open(&task, path.c_str())) << ph_error();
  EXPECT_EQ(PH_EIO, ph_task_model(&model, task, nullptr));
  EXPECT_EQ(said, ph_error());
  ASSERT_EQ(PH_OK, ph_task_with_success(&judged, task, "true")) << ph_error();
  EXPECT_EQ(PH_EIO, ph_task_model(&model, judged, nullptr));
  EXPECT_EQ(said, ph_error());
  ph_task_unref(judged);
  ph_task_unref(task);
  path = folder.write("far.lua", "return { model = 'none/drawer.xml' }");
  ASSERT_EQ(PH_OK, ph_task_open(&task, path.c_str())) << ph_error();
  EXPECT_EQ(PH_EIO, ph_task_model(&model, task, nullptr));
  EXPECT_EQ(path + ":1: model: none/drawer.xml: no such model file", ph_error());
  ph_task_unref(task);
}

TEST(Task, IsSharedBetweenThreads) {
  ph_task *task = parse("local n = 0 return {policy = function(s, rng) n = n + 1 return n end}");
  std::atomic<int> opened{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      ph_task *mine = ph_task_ref(task);
      for (int j = 0; j < 20; j++) {
        ph_script *script = nullptr;
        opened += ph_task_script(&script, mine) == PH_OK;
        ph_script_free(script);
      }
      ph_task_unref(mine);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(80, opened);
  ph_task_unref(task);
}

TEST(Task, AnyTruncationOrFlippedByteIsATaskOrAnError) {
  std::string source =
      "return { name = 'x', control_steps = 10, actions = { {type='ctrl', actuators={'a.*'}, "
      "clip={min=-2, max=3}} }, action_range = {min={-1}, max={1}}, "
      "success = { a = function(s) return s.body.cup.z > 0.5 end }, hold_seconds = 0.5 }";
  for (size_t i = 0; i <= source.size(); i++) {
    ph_task *task = nullptr;
    ph_status st = ph_task_parse(&task, source.data(), i, "t.lua");
    EXPECT_TRUE(st == PH_ETASK || (st == PH_OK && i == source.size())) << i;
    ph_task_unref(task);
  }
  ph_rng rng;
  ph_rng_seed(&rng, 3, 0);
  for (int i = 0; i < 2000; i++) {
    std::string flipped = source;
    flipped[ph_rng_next(&rng) % flipped.size()] ^= (char)(1 + ph_rng_next(&rng) % 255);
    ph_task *task = nullptr;
    ph_status st = ph_task_parse(&task, flipped.data(), flipped.size(), "t.lua");
    EXPECT_TRUE(st == PH_OK || st == PH_ETASK) << ph_error();
    EXPECT_EQ(st == PH_OK, task != nullptr);
    ph_task_unref(task);
  }
}

} // namespace
