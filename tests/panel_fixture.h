// A screen without an engine: a drawer-closing episode of 341 actions with all that a snapshot
// holds. Memory belongs to the fixture, so the app is never freed but for what it made itself.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "app.h"
#include "panel.h"
#include "text.h"
}

template <size_t N> void set_text(char (&to)[N], const std::string &from) {
  std::snprintf(to, N, "%s", from.c_str());
}

struct Fixture {
  app a;
  snapshot snap{};
  reel film{};
  catalog list{};
  std::vector<ph_entry> entries;
  std::shared_ptr<struct catalog> lines; // of those entries
  std::vector<uint8_t> predicate;
  std::vector<int64_t> hold;
  std::vector<event> events;
  std::vector<ph_signal> signals;
  std::vector<double> values, action, ctrl, next_ctrl, low, high;
  std::vector<int> action_ctrl;
  char action_name[16][64], ctrl_name[16][64], condition[16][64];
  std::vector<snapshot::snapshot_contact> contacts;
  std::vector<snapshot::snapshot_condition> conditions;
  ph_marks sheet{};
  size_t sheet_of = 0;
  std::vector<ph_mark> marks;
  std::vector<ph_note> notes;
  std::string note_text;

  Fixture() {
    app_init(&a);
    episodes();
    facts();
    judge();
    names();
    numbers();
    wire();
    go(213);
  }
  ~Fixture() { free(a.passed); }
  Fixture(const Fixture &) = delete;

  void episodes() {
    for (int i = 0; i < 200; i++) {
      ph_entry e{};
      set_text(e.id, "demo_" + std::to_string(i + 1));
      set_text(e.file, "runs/drawer.h5");
      e.env_id = (i + 3) % 4;
      e.episode = i / 4;
      e.actions = i == 16 ? 341 : 280 + (i * 37) % 221;
      e.states = e.actions + 1;
      e.end_reason = i % 5 == 3 ? PH_END_TRUNCATED : PH_END_SUCCESS;
      e.success = i % 5 != 3;
      set_text(e.determinism, i % 3 ? "unchecked" : "bitwise");
      if (i == 18)
        set_text(e.oddity, "its last state is missing");
      entries.push_back(e);
    }
    set_text(list.path, "runs/drawer.h5");
    set_text(list.layout, "dataset");
  }

  void facts() {
    ph_episode_meta &m = film.meta;
    set_text(m.id, "demo_17");
    m.actions = 341;
    m.states = 342;
    m.env_id = 3;
    set_text(m.seed, "91342");
    m.end_reason = PH_END_SUCCESS;
    m.success = 1;
    set_text(m.task_sha256, "ab12");
    m.hold_seconds = 0.5;
    m.hold_steps = 25;
    set_text(m.env_name, "drawer_close");
    m.control_dt = 0.02;
    m.timestep = 0.002;
    m.dims.control_steps = 10;
    film.episode = 16;
    film.guarantee = PH_EXACT;
    set_text(film.reason, "same MuJoCo 2.2.2, same model");
    set_text(film.task_name, "drawer_close");
    film.states = 342;
  }

  void judge() {
    film.latch = 287;
    film.hold_steps = 25;
    int64_t held = 0;
    for (int64_t t = 0; t < 342; t++) {
      bool yes = (t >= 239 && t <= 250) || t >= 263;
      held = yes ? held + 1 : 0;
      predicate.push_back(yes);
      hold.push_back(held);
    }
    events = {{60, EVENT_CLIPPED}, {213, EVENT_WARNED}, {239, EVENT_TRUE}, {251, EVENT_FALSE},
              {263, EVENT_TRUE},   {287, EVENT_LATCH},  {341, EVENT_END}};
  }

  void signal(const char *name, const char *unit, ph_signal_kind kind, double value) {
    ph_signal s{};
    set_text(s.name, name);
    s.unit = unit;
    s.kind = kind;
    signals.push_back(s);
    values.push_back(value);
  }

  void names() {
    const char *joints[] = {"arm_base", "arm_shldr", "arm_elbow", "arm_wrist"};
    double q[] = {0.01234, 0.3927, -1.90212, 1.2011}, v[] = {0.001, -0.25, 3.1e-7, -0.314};
    for (int i = 0; i < 4; i++)
      signal(joints[i], "rad", PH_SIGNAL_QPOS, q[i]);
    signal("drawer", "m", PH_SIGNAL_QPOS, 0.06556);
    signal("grip_l", "m", PH_SIGNAL_QPOS, 0.0399);
    signal("grip_r", "m", PH_SIGNAL_QPOS, 0.0399);
    for (const char *c : {"cup.x", "cup.y", "cup.z"})
      signal(c, "m", PH_SIGNAL_QPOS, 0.4211);
    for (const char *c : {"cup.qw", "cup.qx", "cup.qy", "cup.qz"})
      signal(c, "", PH_SIGNAL_QPOS, c[5] == 'w' ? 1.0 : 0.0);
    for (int i = 0; i < 4; i++)
      signal((std::string(joints[i]) + ".v").c_str(), "rad/s", PH_SIGNAL_QVEL, v[i]);
    signal("drawer.v", "m/s", PH_SIGNAL_QVEL, -0.1834);
    signal("target.x", "m", PH_SIGNAL_MOCAP, 0.5);
    signal("target.y", "m", PH_SIGNAL_MOCAP, 0.0);
    signal("wrist_force", "N", PH_SIGNAL_SENSOR, 123456.789);
    signal("wrist_torque", "N m", PH_SIGNAL_SENSOR, NAN);
    signal("gripper.x", "m", PH_SIGNAL_BODY, 0.6128);
    signal("gripper.z", "m", PH_SIGNAL_BODY, 0.4402);
  }

  void numbers() {
    const char *ctrls[] = {"arm_base_t", "arm_shldr_t", "arm_elbow_t", "arm_wrist_t", "grip"};
    const char *conds[] = {"closed", "near"};
    action = {0.12, -0.48, 0.031, 1.25, 0.9};
    ctrl = {0.001, 0.3687, -1.9, 1.2, 0.04};
    next_ctrl = {0.006, 0.3447, -1.89845, 1.25, 0.04};
    for (int i = 0; i < 5; i++) {
      set_text(ctrl_name[i], ctrls[i]);
      set_text(action_name[i], i < 4 ? signals[(size_t)i].name : "grip");
      low.push_back(-1);
      high.push_back(1);
      action_ctrl.push_back(i);
    }
    for (int i = 0; i < 2; i++)
      set_text(condition[i], conds[i]);
    conditions.resize(2);
    conditions[0] = {false, "joint.drawer", 0.06556, "", "< 0.01"};
    conditions[1] = {true, "dist(gripper,handle)", 0.081, "", "< 0.1"};
    for (const char *g : {"grip_l", "grip_r", "cup"}) {
      snapshot::snapshot_contact c{};
      set_text(c.geom[0], g);
      set_text(c.geom[1], g[0] == 'c' ? "table" : "handle");
      c.dist = -0.00012;
      c.force = 3.25;
      contacts.push_back(c);
    }
  }

  void fill_list() {
    lines.reset(catalog_new(entries.size()), catalog_unref);
    for (size_t i = 0; i < entries.size(); i++)
      catalog_write(lines.get(), i)->entry = entries[i];
    list.n = entries.size();
    list.leaf = lines->leaf;
  }

  // Points the structs at the vectors; again after a test has changed them.
  void wire() {
    fill_list();
    film.predicate = predicate.empty() ? nullptr : predicate.data();
    film.hold = hold.empty() ? nullptr : hold.data();
    film.nevents = events.size();
    film.events = events.data();
    film.nsignals = signals.size();
    film.signals = signals.data();
    film.nactions = (int)low.size();
    film.action_name = action_name;
    film.action_min = low.data();
    film.action_max = high.data();
    film.nctrl = (int)ctrl.size();
    film.ctrl_name = ctrl_name;
    film.action_ctrl = action_ctrl.data();
    film.nconditions = conditions.size();
    film.condition = condition;
    snap.catalog = &list;
    snap.reel = &film;
    snap.has_frame = true;
    snap.values = values.data();
    snap.action = action.data();
    snap.ctrl = ctrl.data();
    snap.next_ctrl = next_ctrl.data();
    snap.reward = 0;
    snap.flags = PH_FLAG_WARNED;
    snap.ncontacts = contacts.size();
    snap.contacts = contacts.data();
    snap.has_conditions = !conditions.empty();
    snap.conditions = conditions.data();
    sheet.mark = marks.data();
    sheet.nmarks = marks.size();
    sheet.note = notes.data();
    sheet.nnotes = notes.size();
    a.sheet = &sheet;
    a.sheet_of = &sheet_of;
    a.nsheets = a.nsources = 1;
    a.snap = &snap;
    a.want.episode = 16;
    a.cursor[PANEL_EPISODES] = 16;
  }

  void go(int64_t step) {
    a.want.step = snap.step = step;
    snap.time = 0.02 * (double)step;
    snap.predicate_now = step < (int64_t)predicate.size() && predicate[(size_t)step];
    bool last = step >= film.states - 1;
    snap.action = last ? nullptr : action.data();
    snap.next_ctrl = last ? nullptr : next_ctrl.data();
    snap.flags = step == 0 ? -1 : step == 213 ? PH_FLAG_WARNED : 0;
    snap.reward = step == 0 ? NAN : predicate.empty() ? 0.0 : predicate[(size_t)step];
  }

  void mark_at(const char *id, char name, int64_t step) {
    ph_mark m{};
    set_text(m.episode, id);
    m.name = name;
    m.step = step;
    marks.push_back(m);
    wire();
  }

  void note_at(const char *id, int64_t step, const char *text) {
    note_text = text;
    ph_note n{};
    set_text(n.episode, id);
    n.step = step;
    n.text = &note_text[0];
    notes.push_back(n);
    wire();
  }

  void draw(surface *s, int rows, int cols) {
    app_resize(&a, rows, cols);
    fill_list(); // tests change entries
    app_draw(&a, s);
  }

  std::string text(int rows, int cols) {
    surface s{};
    draw(&s, rows, cols);
    std::unique_ptr<char, void (*)(void *)> out(surface_text(&s), std::free);
    std::string result = out.get();
    surface_free(&s);
    return result + "\n";
  }
};

inline std::string golden_path(const std::string &name) {
  return std::string(TEST_SOURCE_ROOT) + "/tests/golden/" + name + ".txt";
}

// Compares with a golden screen; PH_GOLDEN_UPDATE=1 writes it instead.
inline void expect_golden(const std::string &name, const std::string &text) {
  std::string path = golden_path(name);
  if (std::getenv("PH_GOLDEN_UPDATE")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream want;
  want << file.rdbuf();
  EXPECT_EQ(want.str(), text) << name << " differs; look at it, and if it is right run this "
                              << "test with PH_GOLDEN_UPDATE=1";
}

inline bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
