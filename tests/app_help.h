// An app on synthetic episodes, without an engine: what the tests of the app stand on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "app.h"
}

struct fake_episode {
  const char *id;
  int env;
  int64_t number, states;
};

static inline const std::vector<fake_episode> &fake_list() {
  static const std::vector<fake_episode> list = {
      {"env000_ep000000", 0, 0, 342}, {"env001_ep000000", 1, 0, 101}, {"env000_ep000001", 0, 1, 1},
      {"env001_ep000001", 1, 1, 50},  {"env002_ep000003", 2, 3, 20},
  };
  return list;
}

template <typename T> static inline T *zeroed(size_t n = 1) {
  return static_cast<T *>(calloc(n ? n : 1, sizeof(T)));
}

// An entry of a catalog that is not on show yet.
static inline ph_entry *fake_entry(struct catalog *catalog, size_t i) {
  return &catalog_write(catalog, i)->entry;
}

static inline struct catalog *fake_catalog() {
  const auto &list = fake_list();
  auto *catalog = catalog_new(list.size());
  strcpy(catalog->path, "runs/fake");
  strcpy(catalog->layout, "run");
  for (size_t i = 0; i < list.size(); i++) {
    ph_entry *entry = fake_entry(catalog, i);
    strcpy(entry->id, list[i].id);
    entry->env_id = list[i].env;
    entry->episode = list[i].number;
    entry->states = list[i].states;
    entry->actions = list[i].states - 1;
    entry->end_reason = i == 1 ? PH_END_TRUNCATED : PH_END_SUCCESS;
  }
  return catalog;
}

// Events of an episode of S states: true at 30 %, broken at 40 %, true at 60 %, latch at 80 %, a
// clip at 10 % and one together with the latch, the end.
static inline void fake_events(struct reel *reel) {
  int64_t last = reel->states - 1;
  std::vector<event> events;
  if (last >= 10)
    events = {{last / 10, EVENT_CLIPPED},   {last * 3 / 10, EVENT_TRUE},
              {last * 4 / 10, EVENT_FALSE}, {last * 6 / 10, EVENT_TRUE},
              {last * 8 / 10, EVENT_LATCH}, {last * 8 / 10, EVENT_CLIPPED}};
  events.push_back({last, EVENT_END});
  reel->nevents = events.size();
  reel->events = zeroed<event>(events.size());
  memcpy(reel->events, events.data(), events.size() * sizeof(event));
}

// As those events have it.
static inline void fake_predicate(struct reel *reel) {
  int64_t last = reel->states - 1;
  reel->predicate = zeroed<uint8_t>((size_t)reel->states);
  reel->hold = zeroed<int64_t>((size_t)reel->states);
  for (int64_t t = 1; t <= last && last >= 10; t++) {
    reel->predicate[t] = (t >= last * 3 / 10 && t < last * 4 / 10) || t >= last * 6 / 10;
    reel->hold[t] = reel->predicate[t] ? reel->hold[t - 1] + 1 : 0;
  }
}

// Two of five episodes latch at any hold but at 0.6 s: then one.
static inline struct held_answer *fake_held(const struct request &want, const struct reel *reel) {
  auto *h = zeroed<struct held_answer>();
  int64_t last = reel->states - 1;
  h->own = 25;
  h->steps = hold_wish_steps(&want.hold, 0.02, 25);
  for (auto &source : h->source)
    source.latch = source.refused = -1;
  h->source[0].known = true;
  h->source[0].latch = reel->latch;
  h->n = h->all = last >= 10 ? 2 : 0;
  h->interval = zeroed<held_interval>(2);
  h->interval[0] = {last * 3 / 10, last * 4 / 10 - 1, true, "near 0.104 m"};
  h->interval[1] = {last * 6 / 10, last, false, ""};
  if (want.hold.count) {
    h->count.on = true;
    h->count.all = h->count.done = fake_list().size();
    h->count.dt = 0.02;
    h->count.steps[1] = h->steps;
    h->count.latch[1] = h->steps == 30 ? 1 : 2;
    h->plan.ready = want.count_by != COUNT_SHOWN;
    h->plan.asked = want.count_by;
    h->plan.by = want.count_by > COUNT_STRICTEST ? (ph_latch_source)(want.count_by - COUNT_RECORDED)
                                                 : PH_LATCH_DYNAMIC;
    h->plan.known = true;
    strcpy(h->plan.source, "runs/fake");
    h->plan.kept = h->count.latch[1];
    h->plan.dropped = h->count.all - h->plan.kept;
    strcpy(h->plan.out, "runs/fake_hold");
  }
  return h;
}

static inline struct reel *fake_reel(size_t place) {
  auto *reel = zeroed<struct reel>();
  reel->refs = 1;
  reel->episode = place;
  reel->states = fake_list()[place].states;
  strcpy(reel->meta.id, fake_list()[place].id);
  reel->meta.states = reel->states;
  reel->meta.actions = reel->states - 1;
  reel->meta.control_dt = 0.02;
  reel->meta.dims.nq = reel->meta.dims.nv = 2;
  reel->latch = reel->states > 10 ? (reel->states - 1) * 8 / 10 : -1;
  reel->hold_steps = reel->meta.hold_steps = 25;
  fake_predicate(reel);
  reel->nsignals = 2;
  reel->signals = zeroed<ph_signal>(2);
  for (int i = 0; i < 2; i++) {
    snprintf(reel->signals[i].name, sizeof reel->signals[i].name, "joint_%d", i);
    reel->signals[i].unit = "rad";
  }
  reel->nctrl = 1;
  reel->ctrl_name = static_cast<char(*)[64]>(calloc(1, 64));
  strcpy(reel->ctrl_name[0], "motor");
  fake_events(reel);
  return reel;
}

// What the session would answer.
static inline struct snapshot *fake_answer(const struct request &want) {
  auto *snap = zeroed<struct snapshot>();
  snap->serial = want.serial;
  snap->catalog = fake_catalog();
  snap->reel = fake_reel(want.episode);
  snap->has_frame = true;
  snap->step = std::min(want.step, snap->reel->states - 1);
  snap->time = 0.02 * (double)snap->step;
  snap->values = zeroed<double>(2);
  snap->qpos = zeroed<double>(2);
  snap->qvel = zeroed<double>(2);
  snap->ctrl = zeroed<double>(1);
  snap->qpos[0] = 0.1 * (double)snap->step;
  snap->reward = 0;
  snap->flags = 0;
  snap->held = fake_held(want, snap->reel);
  return snap;
}

struct FakeApp {
  struct app app;
  uint64_t now = 1000;

  explicit FakeApp(bool opened = true) {
    app_init(&app);
    app_resize(&app, 40, 120);
    if (opened)
      answer();
  }
  ~FakeApp() { app_free(&app); }
  FakeApp(const FakeApp &) = delete;

  void answer() { app_take(&app, fake_answer(app.want)); }
  unsigned key(uint32_t code) {
    now += 20;
    unsigned react = app_key(&app, code, now);
    if (react & REACT_SEEK)
      answer();
    return react;
  }
  // Key names separated by blanks; returns the reactions of all.
  unsigned keys(const char *names) {
    unsigned react = 0;
    std::string copy = names;
    char *rest = nullptr;
    for (char *name = strtok_r(copy.data(), " ", &rest); name;
         name = strtok_r(nullptr, " ", &rest)) {
      uint32_t code = key_from_name(name);
      if (code == KEY_NONE_)
        abort();
      react |= key(code);
    }
    return react;
  }
  unsigned line(const char *text) {
    unsigned react = app_line(&app, text);
    if (react & REACT_SEEK)
      answer();
    return react;
  }
  int64_t step() const { return app.want.step; }
  // Marks and notes of the wanted episode's file.
  const ph_marks &sheet() const { return *app_marks(&app, app.want.episode); }
  std::string said() const { return app.message; }
};

inline bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// What holds of an app after anything.
inline void expect_sound(const struct app *app) {
  ASSERT_LT(app->want.episode, fake_list().size());
  ASSERT_GE(app->want.step, 0);
  ASSERT_LE(app->want.step, app_last_step(app));
  ASSERT_GE(app->speed, 0.01);
  ASSERT_LE(app->speed, 100);
  ASSERT_LE(app->nundo, APP_UNDO);
  ASSERT_LT(strlen(app->digits), sizeof app->digits);
  ASSERT_LT(app->focus, PANEL_COUNT);
  if (app->loop_b >= 0) {
    ASSERT_LT(app->loop_a, app->loop_b);
    ASSERT_LE(app->loop_b, app_last_step(app));
  }
  if (app->zoom_first >= 0) {
    ASSERT_LT(app->zoom_first, app->zoom_last);
    ASSERT_LE(app->zoom_last, app_last_step(app));
    ASSERT_LE(app->zoom_first, app->want.step);
    ASSERT_GE(app->zoom_last, app->want.step);
  }
  for (int i = 0; i < PANEL_COUNT; i++) {
    const struct rect &r = app->layout.panel[i];
    if (r.h <= 0 || r.w <= 0)
      continue;
    ASSERT_GE(r.y, 0);
    ASSERT_GE(r.x, 0);
    ASSERT_LE(r.y + r.h, app->rows);
    ASSERT_LE(r.x + r.w, app->cols);
  }
}
