/* Ready-made demonstrations of the robosuite family, as their programs lay them down: a small model
 * without meshes, and rows that move like a trajectory. */
#ifndef TESTS_FOREIGN_LAYOUTS_H
#define TESTS_FOREIGN_LAYOUTS_H

#include <algorithm>
#include <cmath>

#include "foreign_file.h"

namespace foreign {

/* Two hinges, a slide (unless without) and a free box: nq 10, nv 9, nu 2; without 9, 8, 2. */
inline std::string arm_model(bool slide = true) {
  std::string gripper = slide ? "<joint name='grip' type='slide' axis='0 1 0' range='0 .04'/>" : "";
  return "<mujoco model='arm'><option timestep='0.002'/><worldbody>"
         "<geom name='floor' type='plane' size='2 2 .1'/>"
         "<body name='upper' pos='0 0 .6'><joint name='shoulder' axis='0 1 0'/>"
         "<geom name='upper' type='capsule' fromto='0 0 0 .3 0 0' size='.04'/>"
         "<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0'/>"
         "<geom name='lower' type='capsule' fromto='0 0 0 .25 0 0' size='.03'/>"
         "<body name='hand' pos='.25 0 0'>" +
         gripper +
         "<geom name='hand' type='box' size='.03 .03 .03'/><site name='tip' pos='.04 0 0'/>"
         "</body></body></body>"
         "<body name='cube' pos='.5 0 .1'><freejoint name='cube'/>"
         "<geom name='cube' type='box' size='.04 .04 .04'/></body></worldbody>"
         "<actuator><motor name='shoulder' joint='shoulder' ctrlrange='-1 1'/>"
         "<motor name='elbow' joint='elbow' ctrlrange='-1 1'/></actuator></mujoco>";
}

/* Sizes of arm_model. */
struct Sizes {
  int nq, nv;
  int state() const { return 1 + nq + nv; }
};
inline Sizes arm_sizes(bool slide = true) {
  return slide ? Sizes{10, 9} : Sizes{9, 8};
}

/* How demonstrations are written. */
struct Options {
  std::vector<int> rows = {30, 41}; /* of each demo */
  int first = -1; /* number of the first demo; -1: as the layout has it (robosuite 1, else 0) */
  bool latest = false;     /* newest headers */
  bool two_models = false; /* every second demo has the model without the slide */
  std::string model;       /* instead of arm_model(); the rows keep its sizes */
  bool models = true;      /* model_file is there */
  Store store;             /* of everything below a demo */
  bool images = false;     /* obs of robomimic: agentview_image (T, 8, 8, 3) */
  bool next_obs = false;
  bool mask = true;            /* robomimic, MimicGen: /mask/train, /mask/valid */
  int control_freq = 20;       /* 0: not in the file */
  double dt = 0.05, start = 0; /* of the time column */
};

/* Flat rows of a demo: time, qpos, qvel; quaternions are of length 1. */
inline std::vector<double> state_rows(int rows, bool slide, double dt, double start,
                                      unsigned seed) {
  std::vector<double> out;
  int hinges = slide ? 3 : 2;
  for (int r = 0; r < rows; r++) {
    double t = r * dt, phase = 0.3 * seed;
    out.push_back(start + t);
    for (int j = 0; j < hinges; j++)
      out.push_back(j == 2 ? 0.02 + 0.02 * sin(t) : 0.4 * sin((j + 1) * t + phase));
    double half = 0.25 * sin(t),
           box[7] = {0.5 + 0.01 * t, 0.1 * sin(t + phase), 0.04, cos(half), 0, 0, sin(half)};
    out.insert(out.end(), box, box + 7);
    for (int j = 0; j < hinges; j++)
      out.push_back(j == 2 ? 0.02 * cos(t) : 0.4 * (j + 1) * cos((j + 1) * t + phase));
    double twist[6] = {0.01, 0.1 * cos(t + phase), 0, 0, 0, 0.5 * cos(t)};
    out.insert(out.end(), twist, twist + 6);
  }
  return out;
}

/* A wave for arrays whose numbers do not matter. */
inline std::vector<double> wave(hsize_t n, double scale = 1) {
  std::vector<double> out(n);
  for (hsize_t i = 0; i < n; i++)
    out[i] = scale * sin(0.1 * (double)i);
  return out;
}

inline std::vector<double> bytes(hsize_t n) {
  std::vector<double> out(n);
  for (hsize_t i = 0; i < n; i++)
    out[i] = (double)(i * 7 % 256);
  return out;
}

inline std::vector<double> last_is_one(int rows) {
  std::vector<double> out((size_t)rows, 0.0);
  if (rows > 0)
    out.back() = 1;
  return out;
}

inline std::string demo_name(size_t i) {
  return "demo_" + std::to_string(i);
}

/* Group, model, states and actions: what all of them have. */
inline std::string write_demo(File &file, const Options &o, size_t i, int first) {
  std::string demo = "/data/" + demo_name(i + (size_t)(o.first < 0 ? first : o.first));
  bool slide = !(o.two_models && i % 2 == 1);
  hsize_t rows = (hsize_t)o.rows[i], width = (hsize_t)arm_sizes(slide).state();
  file.group(demo);
  if (o.models)
    file.attr(demo, "model_file", o.model.empty() ? arm_model(slide) : o.model);
  file.array(demo + "/states", F64, {rows, width},
             state_rows(o.rows[i], slide, o.dt, o.start, (unsigned)i), o.store);
  file.array(demo + "/actions", F64, {rows, 7}, wave(rows * 7, 0.5), o.store);
  return demo;
}

/* robosuite 1.x: demo_1 ..., nothing but states and actions. */
inline void write_robosuite(const std::string &path, const Options &o = {}) {
  File file(path, o.latest);
  file.group("/data");
  file.attr("/data", "date", "9-4-2020");
  file.attr("/data", "time", "13:5:7");
  file.attr("/data", "repository_version", "1.0.0");
  file.attr("/data", "env", "Lift");
  file.attr("/data", "env_info",
            "{\"env_name\": \"Lift\", \"robots\": \"Panda\", \"controller_configs\": {\"type\": "
            "\"OSC_POSE\"}}");
  for (size_t i = 0; i < o.rows.size(); i++)
    write_demo(file, o, i, 1);
}

inline std::string env_args(const Options &o, const std::string &more = "") {
  std::string freq =
      o.control_freq ? ", \"control_freq\": " + std::to_string(o.control_freq) : std::string();
  return "{\"env_name\": \"Lift\", \"env_version\": \"1.2.0\", \"type\": 1, \"env_kwargs\": "
         "{\"robots\": [\"Panda\"], \"controller_configs\": {\"type\": \"OSC_POSE\"}" +
         freq + "}" + more + "}";
}

/* Observations, rewards and dones below a demo. */
inline void write_obs(File &file, const Options &o, const std::string &demo, int rows,
                      const std::string &below) {
  hsize_t n = (hsize_t)rows;
  file.array(demo + below + "/robot0_eef_pos", F64, {n, 3}, wave(n * 3), o.store);
  file.array(demo + below + "/robot0_gripper_qpos", F32, {n, 2}, wave(n * 2, 0.04), o.store);
  file.array(demo + below + "/object", F64, {n, 10}, wave(n * 10), o.store);
  if (o.images)
    file.array(demo + below + "/agentview_image", U8, {n, 8, 8, 3}, bytes(n * 192), o.store);
}

inline void write_mask(File &file, size_t n, int first) {
  std::vector<std::string> train, valid;
  for (size_t i = 0; i < n; i++)
    (i + 1 < n || n == 1 ? train : valid).push_back(demo_name(i + (size_t)first));
  size_t size = std::max((size_t)8, demo_name(n - 1 + (size_t)first).size());
  file.texts("/mask/train", train, size);
  file.texts("/mask/valid", valid, size);
}

inline void write_robomimic(const std::string &path, const Options &o = {}) {
  File file(path, o.latest);
  int total = 0, first = o.first < 0 ? 0 : o.first;
  file.group("/data");
  file.attr("/data", "env_args", env_args(o));
  for (size_t i = 0; i < o.rows.size(); i++) {
    std::string demo = write_demo(file, o, i, 0);
    hsize_t n = (hsize_t)o.rows[i];
    total += o.rows[i];
    file.attr(demo, "num_samples", o.rows[i]);
    file.array(demo + "/rewards", F64, {n}, last_is_one(o.rows[i]), o.store);
    file.array(demo + "/dones", I64, {n}, last_is_one(o.rows[i]), o.store);
    write_obs(file, o, demo, o.rows[i], "/obs");
    if (o.next_obs)
      write_obs(file, o, demo, o.rows[i], "/next_obs");
  }
  file.attr("/data", "total", total);
  if (o.mask)
    write_mask(file, o.rows.size(), first);
}

/* LIBERO's processed files: images of 8 x 8, obs taken after the action. */
inline void write_libero(const std::string &path, const Options &o = {}) {
  File file(path, o.latest);
  file.group("/data");
  file.attr("/data", "env_name", "Libero_Kitchen_Tabletop_Manipulation");
  file.attr("/data", "problem_info",
            "{\"problem_name\": \"libero_kitchen\", \"domain_name\": \"robosuite\", "
            "\"language_instruction\": \"put the cube in the drawer\"}");
  file.attr("/data", "macros_image_convention", "opengl");
  file.attr("/data", "bddl_file_name", "KITCHEN_SCENE1_put_the_cube_in_the_drawer.bddl");
  file.attr("/data", "bddl_file_content", "(define (problem libero_kitchen))");
  file.attr("/data", "env_args", env_args(o, ", \"problem_name\": \"libero_kitchen\""));
  file.attr("/data", "num_demos", (int)o.rows.size());
  int total = 0;
  for (size_t i = 0; i < o.rows.size(); i++) {
    std::string demo = write_demo(file, o, i, 0);
    hsize_t n = (hsize_t)o.rows[i];
    total += o.rows[i];
    bool slide = !(o.two_models && i % 2 == 1);
    file.attr(demo, "num_samples", o.rows[i]);
    file.attr(demo, "init_state", state_rows(1, slide, o.dt, o.start, (unsigned)i));
    file.array(demo + "/robot_states", F64, {n, 9}, wave(n * 9), o.store);
    file.array(demo + "/rewards", U8, {n}, last_is_one(o.rows[i]), o.store);
    file.array(demo + "/dones", U8, {n}, last_is_one(o.rows[i]), o.store);
    file.array(demo + "/obs/ee_states", F64, {n, 6}, wave(n * 6), o.store);
    file.array(demo + "/obs/gripper_states", F64, {n, 2}, wave(n * 2), o.store);
    file.array(demo + "/obs/joint_states", F64, {n, 7}, wave(n * 7), o.store);
    file.array(demo + "/obs/agentview_rgb", U8, {n, 8, 8, 3}, bytes(n * 192), o.store);
    file.array(demo + "/obs/eye_in_hand_rgb", U8, {n, 8, 8, 3}, bytes(n * 192), o.store);
  }
  file.attr("/data", "total", total);
}

/* MimicGen: no rewards, no dones; where the source segments came from. */
inline void write_mimicgen(const std::string &path, const Options &o = {}) {
  File file(path, o.latest);
  int total = 0, first = o.first < 0 ? 0 : o.first;
  file.group("/data");
  file.attr("/data", "env_args", env_args(o));
  for (size_t i = 0; i < o.rows.size(); i++) {
    std::string demo = write_demo(file, o, i, 0), info = demo + "/datagen_info";
    hsize_t n = (hsize_t)o.rows[i];
    total += o.rows[i];
    file.attr(demo, "num_samples", o.rows[i]);
    file.array(demo + "/src_demo_inds", I64, {2}, {0, 3});
    file.array(demo + "/src_demo_labels", I64, {n}, wave(n, 2), o.store);
    write_obs(file, o, demo, o.rows[i], "/obs");
    file.array(info + "/eef_pose", F64, {n, 4, 4}, wave(n * 16), o.store);
    file.array(info + "/target_pose", F64, {n, 4, 4}, wave(n * 16), o.store);
    file.array(info + "/gripper_action", F64, {n, 1}, wave(n), o.store);
    file.array(info + "/object_poses/cube", F64, {n, 4, 4}, wave(n * 16), o.store);
    file.array(info + "/subtask_term_signals/grasp", I64, {n}, last_is_one(o.rows[i]), o.store);
    file.attr(info, "env_interface_name", "MG_Lift");
    file.attr(info, "env_interface_type", "robosuite");
  }
  file.attr("/data", "total", total);
  if (o.mask)
    write_mask(file, o.rows.size(), first);
}

} // namespace foreign

#endif
