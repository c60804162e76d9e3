/* Names, values and spans of every stored number: of episodes in memory, whose rows are a function
 * of the place, of own files, and of channels. */
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "mj_help.h"
#include "read_help.h"
#include "rec_help.h"

extern "C" {
#include "signals.h"
#include "track.h"
}

using std::string;
using std::vector;

namespace {

/* An episode in memory. A number is a function of its array, row and element. */
struct Memory {
  ph_backend base; /* first: the backend is this */
  size_t widths[PH_COL_COUNT];
  vector<ph_channel> channels;
  int64_t bad_first = -1, bad_end = -1; /* rows that cannot be read */
  mutable int64_t most = 0;             /* rows asked for at once */

  static double value(int array, int64_t row, size_t element) {
    uint64_t x = (uint64_t)row * 2654435761u + element * 40503u + (uint64_t)array * 97u;
    x ^= x >> 13;
    x *= 0x9E3779B97F4A7C15u;
    if (x % 11 == 0)
      return NAN;
    return (double)(int64_t)(x >> 20) / 1024 - 4e9;
  }
  ph_status check(int64_t first, int64_t n) const {
    most = std::max(most, n);
    if (first < bad_end && first + n > bad_first)
      return PH_ECORRUPT;
    return PH_OK;
  }
};

ph_status memory_read(const ph_backend *b, ph_column col, int64_t first, int64_t n, void *out) {
  const Memory *m = (const Memory *)b;
  for (int64_t i = 0; i < n; i++)
    for (size_t e = 0; e < m->widths[col]; e++) {
      size_t at = (size_t)i * m->widths[col] + e;
      double value = Memory::value(col, first + i, e);
      if (ph_schema_column(col)->type == PH_U8)
        ((uint8_t *)out)[at] = (uint8_t)(first + i + 3);
      else
        ((double *)out)[at] = value;
    }
  return m->check(first, n);
}

ph_status memory_read_channel(const ph_backend *b, size_t channel, int64_t first, int64_t n,
                              double *out) {
  const Memory *m = (const Memory *)b;
  size_t width = m->channels[channel].width;
  for (int64_t i = 0; i < n; i++)
    for (size_t e = 0; e < width; e++)
      out[(size_t)i * width + e] = Memory::value(100 + (int)channel, first + i, e);
  return m->check(first, n);
}

void memory_free(ph_backend *) {}

ph_channel channel(const string &name, int64_t rows, size_t width, int shift = 0,
                   ph_channel_kind kind = PH_CHANNEL_NUMBERS) {
  ph_channel c = {};
  snprintf(c.name, sizeof c.name, "%s", name.c_str());
  snprintf(c.type, sizeof c.type, "float64");
  c.kind = kind;
  c.rank = 2;
  c.dim[0] = c.rows = rows;
  c.dim[1] = (int64_t)width;
  c.width = kind == PH_CHANNEL_NUMBERS ? width : 0;
  c.shift = shift;
  return c;
}

struct Tracks : testing::Test {
  Memory memory = {};
  ph_episode *episode = nullptr;
  ph_tracks *tracks = nullptr;
  ph_episode_meta meta = {};
  uint32_t columns = PH_COL_BIT(PH_COL_STATES) | PH_COL_BIT(PH_COL_ACTIONS) |
                     PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_DONES) |
                     PH_COL_BIT(PH_COL_FLAGS) | PH_COL_BIT(PH_COL_PREDICATE) |
                     PH_COL_BIT(PH_COL_CTRL) | PH_COL_BIT(PH_COL_WARMSTART);

  void make(int64_t actions, const ph_dims &dims, const ph_model *model = nullptr) {
    strcpy(meta.id, "demo_0");
    strcpy(meta.model_sha256, "a");
    meta.actions = actions;
    meta.states = actions + 1;
    meta.dims = dims;
    meta.control_dt = 0.02;
    memory.base = {memory_read, memory_free, memory_read_channel, nullptr};
    for (int col = 0; col < PH_COL_COUNT; col++)
      memory.widths[col] = ph_schema_width((ph_column)col, &dims);
    ASSERT_EQ(ph_episode_new(&episode, &meta, columns, nullptr, 0, &memory.base), PH_OK);
    size_t n = memory.channels.size();
    episode->channels = (ph_channel *)calloc(n + 1, sizeof(ph_channel));
    std::copy(memory.channels.begin(), memory.channels.end(), episode->channels);
    episode->nchannels = n;
    ASSERT_EQ(ph_tracks_make(&tracks, episode, model), PH_OK) << ph_error();
  }
  void TearDown() override {
    ph_tracks_free(tracks);
    ph_episode_free(episode);
  }
  size_t place(const string &name) {
    size_t at = SIZE_MAX, n = ph_tracks_find(tracks, name.c_str(), &at, 1);
    EXPECT_EQ(n, 1u) << name;
    return n == 1 ? at : 0;
  }
  vector<string> found(const string &what) {
    vector<size_t> places(ph_tracks_count(tracks) + 1);
    size_t n = ph_tracks_find(tracks, what.c_str(), places.data(), places.size());
    vector<string> names;
    for (size_t i = 0; i < n; i++)
      names.push_back(ph_tracks_at(tracks, places[i])->name);
    return names;
  }
  vector<double> read(const string &name, int64_t first, int64_t n) {
    vector<double> out((size_t)n, -1);
    EXPECT_EQ(ph_tracks_read(tracks, place(name), first, n, out.data()), PH_OK) << ph_error();
    return out;
  }
};

ph_dims small() {
  ph_dims dims = {};
  dims.nq = 4;
  dims.nv = 3;
  dims.nu = 2;
  dims.action_dim = 2;
  dims.control_steps = 1;
  return dims;
}

bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

/* --- names --- */

TEST_F(Tracks, NamesAreThoseOfTheFramesSignals) {
  ph_model *model = help_model(rec_xml());
  ph_dims dims = *ph_model_dims(model);
  dims.action_dim = 2;
  columns |= PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_MOCAP_QUAT);
  make(3, dims, model);
  size_t n, shared = 0;
  ph_signal *signals = nullptr;
  ASSERT_EQ(ph_signals_make(&signals, &n, model, &dims), PH_OK);
  for (size_t i = 0; i < n; i++) {
    const ph_signal *s = &signals[i];
    if (s->kind == PH_SIGNAL_SENSOR || s->kind == PH_SIGNAL_BODY)
      continue;
    string name = s->name;
    if (s->kind == PH_SIGNAL_CTRL)
      name = "ctrl." + name;
    const ph_track *t = ph_tracks_at(tracks, place(name));
    EXPECT_EQ(t->name, name);
    EXPECT_STREQ(t->unit, s->unit) << name;
    shared++;
    switch (s->kind) {
    case PH_SIGNAL_QPOS:
      EXPECT_EQ(t->element, 1 + s->index) << name;
      break;
    case PH_SIGNAL_QVEL:
      EXPECT_EQ(t->element, 1 + dims.nq + s->index) << name;
      break;
    case PH_SIGNAL_CTRL:
      EXPECT_EQ(t->column, PH_COL_CTRL);
      EXPECT_EQ(t->element, s->index) << name;
      break;
    case PH_SIGNAL_MOCAP:
      EXPECT_EQ(t->column, s->index % 7 < 3 ? PH_COL_MOCAP_POS : PH_COL_MOCAP_QUAT) << name;
      EXPECT_EQ(t->element, s->index % 7 < 3 ? s->index : s->index - 3) << name;
      break;
    default:
      ADD_FAILURE() << name;
    }
  }
  EXPECT_EQ(shared, 9u + 8 + 2 + 7);
  for (const char *name : {"time", "a", "b", "ball.x", "ball.qw", "a.v", "ball.wz", "ctrl.pa",
                           "action[0]", "action[1]", "reward", "done", "predicate", "flags",
                           "warmstart[0]", "target.z", "target.qz"})
    EXPECT_EQ(found(name), vector<string>{name});
  EXPECT_STREQ(ph_tracks_at(tracks, place("time"))->unit, "s");
  free(signals);
  ph_model_unref(model);
}

TEST_F(Tracks, WithoutAModelNumbersAreNamedByPlace) {
  memory.channels = {channel("obs/eef_pos", 4, 3), channel("obs/gripper", 4, 1),
                     channel("obs/image", 4, 0, 0, PH_CHANNEL_IMAGE),
                     channel("obs/depth", 4, PH_TRACK_WIDTH_MAX + 1)};
  make(3, small());
  vector<string> names;
  for (size_t i = 0; i < ph_tracks_count(tracks); i++)
    names.push_back(ph_tracks_at(tracks, i)->name);
  EXPECT_EQ(names,
            (vector<string>{"action[0]",      "action[1]",      "time",         "qpos[0]",
                            "qpos[1]",        "qpos[2]",        "qpos[3]",      "qvel[0]",
                            "qvel[1]",        "qvel[2]",        "reward",       "done",
                            "warmstart[0]",   "warmstart[1]",   "warmstart[2]", "ctrl[0]",
                            "ctrl[1]",        "predicate",      "flags",        "obs/eef_pos[0]",
                            "obs/eef_pos[1]", "obs/eef_pos[2]", "obs/gripper"}));
  EXPECT_EQ(ph_tracks_at(tracks, names.size()), nullptr);
  const ph_track *t = ph_tracks_at(tracks, place("obs/eef_pos[2]"));
  EXPECT_EQ(t->channel, 0);
  EXPECT_EQ(t->column, PH_COL_COUNT);
  EXPECT_EQ(t->element, 2);
  EXPECT_STREQ(t->array, "obs/eef_pos");
  t = ph_tracks_at(tracks, place("ctrl[1]"));
  EXPECT_EQ(t->channel, -1);
  EXPECT_STREQ(t->array, "playhead/ctrl");
}

TEST_F(Tracks, OneActionIsStillAList) {
  ph_dims dims = small();
  dims.action_dim = 1;
  make(3, dims);
  EXPECT_EQ(found("actions"), vector<string>{"action[0]"});
}

TEST_F(Tracks, ANameIsThereOnce) {
  memory.channels = {channel("reward", 4, 1), channel("time", 4, 1), channel("x", 4, 1)};
  make(3, small());
  std::set<string> names;
  for (size_t i = 0; i < ph_tracks_count(tracks); i++)
    EXPECT_TRUE(names.insert(ph_tracks_at(tracks, i)->name).second);
  EXPECT_EQ(ph_tracks_at(tracks, place("reward"))->column, PH_COL_REWARDS);
  EXPECT_EQ(ph_tracks_at(tracks, place("reward[0]"))->channel, 0);
  EXPECT_EQ(ph_tracks_at(tracks, place("time[0]"))->channel, 1);
}

TEST_F(Tracks, ANameThatIsGivenIsNotThereEither) {
  memory.channels = {channel("time", 4, 1), channel("time[0]", 4, 1), channel("a", 4, 2),
                     channel("a[0]", 4, 1), channel("a[0]", 4, 1)};
  make(3, small());
  std::set<string> names;
  for (size_t i = 0; i < ph_tracks_count(tracks); i++)
    EXPECT_TRUE(names.insert(ph_tracks_at(tracks, i)->name).second)
        << ph_tracks_at(tracks, i)->name << " is there twice";
  EXPECT_EQ(ph_tracks_at(tracks, place("time[0]"))->channel, 1) << "a name of its own stays";
  EXPECT_EQ(ph_tracks_at(tracks, place("time[0]#2"))->channel, 0);
  EXPECT_EQ(ph_tracks_at(tracks, place("a[0]"))->channel, 2);
  EXPECT_EQ(ph_tracks_at(tracks, place("a[0][0]"))->channel, 3);
  EXPECT_EQ(ph_tracks_at(tracks, place("a[0][0]#2"))->channel, 4);
}

TEST_F(Tracks, ALongNameKeepsItsPlace) {
  memory.channels = {channel(string(120, 'x'), 4, 12)};
  make(3, small());
  EXPECT_EQ(found(string(120, 'x') + "[11]").size(), 1u);
}

TEST_F(Tracks, AnUnknownTimeIsNoTrack) {
  make(3, {});
  EXPECT_EQ(found("time"), vector<string>{"time"});
  ph_tracks_free(tracks);
  ph_episode_free(episode);
  tracks = nullptr;
  episode = nullptr;
  strcpy(meta.layout, "arrays");
  ph_episode_meta unknown = meta;
  unknown.control_dt = 0;
  unknown.model_sha256[0] = 0;
  ASSERT_EQ(ph_episode_new(&episode, &unknown, columns, nullptr, 0, &memory.base), PH_OK);
  ASSERT_EQ(ph_tracks_make(&tracks, episode, nullptr), PH_OK);
  EXPECT_EQ(found("time"), vector<string>{});
  ph_tracks_free(tracks);
  ph_episode_free(episode);
  unknown.control_dt = 0.1;
  ASSERT_EQ(ph_episode_new(&episode, &unknown, columns, nullptr, 0, &memory.base), PH_OK);
  ASSERT_EQ(ph_tracks_make(&tracks, episode, nullptr), PH_OK);
  EXPECT_EQ(found("time"), vector<string>{"time"});
  EXPECT_EQ(found("states"), vector<string>{}) << "the file's own states are none of it";
  EXPECT_EQ(found("reward"), vector<string>{"reward"});
}

/* --- finding --- */

TEST_F(Tracks, APersonNamesThemInManyWays) {
  ph_model *model = help_model(rec_xml());
  ph_dims dims = *ph_model_dims(model);
  dims.action_dim = 2;
  memory.channels = {channel("obs/eef_pos", 4, 3), channel("obs/eef_quat", 4, 4)};
  make(3, dims, model);
  ph_model_unref(model);
  using V = vector<string>;
  EXPECT_EQ(found("0"), V{"action[0]"});
  EXPECT_EQ(found("2"), V{"time"});
  EXPECT_EQ(found("9999"), V{});
  EXPECT_EQ(found("actions"), (V{"action[0]", "action[1]"}));
  EXPECT_EQ(found("action*"), (V{"action[0]", "action[1]"}));
  EXPECT_EQ(found("playhead/ctrl"), (V{"ctrl.pa", "ctrl.pb"}));
  EXPECT_EQ(found("ctrl"), (V{"ctrl.pa", "ctrl.pb"}));
  EXPECT_EQ(found("pa"), V{"ctrl.pa"});
  EXPECT_EQ(found("action"), (V{"action[0]", "action[1]"}));
  EXPECT_EQ(found("warmstart").size(), 8u);
  EXPECT_EQ(found("states[1]"), V{"a"});
  EXPECT_EQ(found("playhead/ctrl[1]"), V{"ctrl.pb"});
  EXPECT_EQ(found("ctrl[1]"), V{"ctrl.pb"});
  EXPECT_EQ(found("states").size(), 1u + 9 + 8);
  EXPECT_EQ(found("ball.[xyz]"), (V{"ball.x", "ball.y", "ball.z"}));
  EXPECT_EQ(found("obs/eef_pos"), (V{"obs/eef_pos[0]", "obs/eef_pos[1]", "obs/eef_pos[2]"}));
  EXPECT_EQ(found("obs/*").size(), 7u);
  EXPECT_EQ(found("*").size(), ph_tracks_count(tracks));
  for (const char *none : {"", "nothing", "states[99]", "states[", "[", "ctrl.pz", "1x", "-1"})
    EXPECT_EQ(found(none), V{}) << none;
  size_t two[2] = {77, 77};
  EXPECT_EQ(ph_tracks_find(tracks, "states", two, 2), 18u);
  EXPECT_EQ(two[0], 2u);
  EXPECT_EQ(two[1], 3u);
  EXPECT_EQ(ph_tracks_find(tracks, "states", nullptr, 0), 18u);
  EXPECT_EQ(ph_tracks_find(tracks, "2", nullptr, 0), 1u);
  char near[300];
  EXPECT_STREQ(ph_tracks_near(tracks, "obs/eef_ps", near, sizeof near),
               "; did you mean 'obs/eef_pos'?");
  EXPECT_STREQ(ph_tracks_near(tracks, "warmstrat", near, sizeof near),
               "; did you mean 'warmstart'?");
  EXPECT_STREQ(ph_tracks_near(tracks, "rewrad", near, sizeof near),
               "; did you mean 'reward' or 'rewards'?");
}

/* --- values --- */

TEST_F(Tracks, StepsWithoutARowAreNoNumbers) {
  memory.channels = {channel("late", 5, 2, 2), channel("early", 5, 1, -2)};
  make(3, small());
  auto state = read("qpos[2]", -2, 8);
  for (int64_t step = -2; step < 6; step++) {
    double want = step >= 0 && step < 4 ? Memory::value(PH_COL_STATES, step, 3) : NAN;
    EXPECT_TRUE(same_bits(state[(size_t)(step + 2)], want)) << step;
  }
  auto action = read("action[1]", 0, 4);
  EXPECT_TRUE(same_bits(action[2], Memory::value(PH_COL_ACTIONS, 2, 1)));
  EXPECT_TRUE(std::isnan(action[3])) << "none is taken at the last state";
  auto reward = read("reward", 0, 5), done = read("done", 0, 5);
  EXPECT_TRUE(std::isnan(reward[0])) << "an outcome stands where it led to";
  EXPECT_TRUE(same_bits(reward[1], Memory::value(PH_COL_REWARDS, 0, 0)));
  EXPECT_TRUE(same_bits(reward[3], Memory::value(PH_COL_REWARDS, 2, 0)));
  EXPECT_TRUE(std::isnan(reward[4]));
  EXPECT_EQ(done[1], 3);
  EXPECT_EQ(done[3], 5);
  auto flags = read("flags", 0, 2), predicate = read("predicate", 0, 2);
  EXPECT_TRUE(std::isnan(flags[0]));
  EXPECT_EQ(flags[1], 3);
  EXPECT_EQ(predicate[0], 3);
  auto late = read("late[1]", 0, 8), early = read("early", -3, 8);
  EXPECT_TRUE(std::isnan(late[1]));
  EXPECT_TRUE(same_bits(late[2], Memory::value(100, 0, 1)));
  EXPECT_TRUE(same_bits(late[6], Memory::value(100, 4, 1)));
  EXPECT_TRUE(std::isnan(late[7]));
  EXPECT_TRUE(std::isnan(early[0]));
  EXPECT_TRUE(same_bits(early[1], Memory::value(101, 0, 0)));
  EXPECT_TRUE(same_bits(early[5], Memory::value(101, 4, 0)));
}

TEST_F(Tracks, ReadingGoesInBlocksOfBoundedMemory) {
  memory.channels = {channel("wide", 20001, 4000)};
  make(20000, small());
  auto whole = read("qpos[1]", 0, 20001);
  for (int64_t step = 0; step < 20001; step++)
    ASSERT_TRUE(same_bits(whole[(size_t)step], Memory::value(PH_COL_STATES, step, 2))) << step;
  EXPECT_LE(memory.most, 4096);
  EXPECT_GT(memory.most, 1000);
  memory.most = 0;
  auto wide = read("wide[3999]", 100, 200);
  EXPECT_TRUE(same_bits(wide[199], Memory::value(100, 299, 3999)));
  EXPECT_LE(memory.most * 4000 * 8, 2 << 20);
  EXPECT_GE(memory.most, 1);
}

TEST_F(Tracks, OnlyWhatIsAskedForIsRead) {
  make(20000, small());
  memory.most = 0;
  read("qpos[1]", 500, 3);
  EXPECT_EQ(memory.most, 3);
  memory.most = 0;
  read("qpos[1]", 50000, 30);
  EXPECT_EQ(memory.most, 0);
}

TEST_F(Tracks, WhatCannotBeReadIsNoNumberAndTheRestIsThere) {
  make(20000, small());
  memory.bad_first = 5000;
  memory.bad_end = 5001;
  vector<double> out(20001, -1);
  EXPECT_EQ(ph_tracks_read(tracks, place("qpos[1]"), 0, 20001, out.data()), PH_ECORRUPT);
  EXPECT_TRUE(same_bits(out[100], Memory::value(PH_COL_STATES, 100, 2)));
  EXPECT_TRUE(std::isnan(out[5000]));
  EXPECT_TRUE(same_bits(out[20000], Memory::value(PH_COL_STATES, 20000, 2)));
  ph_span spans[4];
  EXPECT_EQ(ph_tracks_spans(tracks, place("qpos[1]"), 4096, 8192, spans, 2, nullptr, nullptr),
            PH_ECORRUPT);
  EXPECT_GT(spans[0].min, spans[0].max);
  EXPECT_LT(spans[1].min, spans[1].max);
}

TEST_F(Tracks, APlaceThatIsNotThereIsRefused) {
  make(3, small());
  double out[2] = {1, 1};
  ph_span span;
  size_t n = ph_tracks_count(tracks);
  EXPECT_EQ(ph_tracks_read(tracks, n, 0, 2, out), PH_EINVAL);
  EXPECT_TRUE(read_help::says(ph_error(), "track 19 of 19"));
  EXPECT_EQ(ph_tracks_spans(tracks, n, 0, 2, &span, 1, nullptr, nullptr), PH_EINVAL);
  EXPECT_EQ(ph_tracks_read(tracks, 0, 0, 0, out), PH_OK);
}

/* --- spans --- */

TEST_F(Tracks, SpansAreThoseOfTheNaiveWay) {
  memory.channels = {channel("late", 9000, 2, 3)};
  make(9000, small());
  std::mt19937 rng(3);
  const char *names[] = {"qvel[1]", "reward", "late[1]", "action[0]", "done"};
  for (int round = 0; round < 400; round++) {
    size_t track = place(names[round % 5]), n = 1 + rng() % (round % 4 ? 300 : 5);
    int64_t first = (int64_t)(rng() % 9400) - 200;
    int64_t steps = (int64_t)(rng() % (round % 3 ? 9300 : 40));
    vector<ph_span> got(n);
    vector<double> values((size_t)steps + 1);
    ASSERT_EQ(ph_tracks_spans(tracks, track, first, steps, got.data(), n, nullptr, nullptr), PH_OK);
    ASSERT_EQ(ph_tracks_read(tracks, track, first, steps, values.data()), PH_OK);
    for (size_t k = 0; k < n; k++) {
      int64_t from = (int64_t)k * steps / (int64_t)n, to = (int64_t)(k + 1) * steps / (int64_t)n;
      double low = INFINITY, high = -INFINITY;
      for (int64_t i = from; i < std::max(to, from + 1) && i < steps; i++)
        if (!std::isnan(values[(size_t)i])) {
          low = std::min(low, values[(size_t)i]);
          high = std::max(high, values[(size_t)i]);
        }
      ASSERT_EQ(got[k].min, low) << names[round % 5] << " " << first << " " << steps << " " << k;
      ASSERT_EQ(got[k].max, high) << names[round % 5] << " " << first << " " << steps << " " << k;
    }
  }
}

TEST_F(Tracks, SpansOfNothingAreEmpty) {
  make(10, small());
  ph_span spans[3];
  struct {
    int64_t first, steps;
  } const cases[] = {{0, 0}, {50, 5}, {-9, 9}, {11, INT64_MAX}, {5, -3}, {INT64_MIN, 5}};
  for (auto c : cases) {
    spans[0] = spans[2] = {1, 2};
    EXPECT_EQ(ph_tracks_spans(tracks, 2, c.first, c.steps, spans, 3, nullptr, nullptr), PH_OK);
    EXPECT_GT(spans[0].min, spans[0].max) << c.first;
    EXPECT_GT(spans[2].min, spans[2].max) << c.first;
  }
  EXPECT_EQ(ph_tracks_spans(tracks, 2, 0, INT64_MAX, spans, 3, nullptr, nullptr), PH_OK);
  EXPECT_LT(spans[0].min, spans[0].max) << "all of it is in the first third";
  EXPECT_GT(spans[1].min, spans[1].max);
}

TEST_F(Tracks, CancelIsAskedBeforeEachBlock) {
  make(20000, small());
  ph_span spans[2];
  int asked = 0;
  auto third = [](void *arg) { return ++*(int *)arg == 3; };
  EXPECT_EQ(ph_tracks_spans(tracks, place("time"), 0, 20001, spans, 2, third, &asked),
            PH_ECANCELED);
  EXPECT_EQ(asked, 3);
  asked = -100;
  EXPECT_EQ(ph_tracks_spans(tracks, place("time"), 0, 20001, spans, 2, third, &asked), PH_OK);
  EXPECT_EQ(asked, -95) << "five blocks of 4096";
}

/* --- own files --- */

TEST(TracksOfFiles, ValuesAreTheRowsOfTheFile) {
  read_help::Folder folder;
  read_help::Demo demo;
  read_help::write_file(folder / "a.h5", demo);
  auto episode = read_help::open_episode(folder / "a.h5");
  ASSERT_TRUE(episode) << ph_error();
  ph_tracks *tracks = nullptr;
  ASSERT_EQ(ph_tracks_make(&tracks, episode.get(), nullptr), PH_OK);
  EXPECT_EQ(ph_tracks_find(tracks, "playhead/final_state", nullptr, 0), 0u)
      << "it is the last row of the states";
  for (size_t i = 0; i < ph_tracks_count(tracks); i++) {
    const ph_track *t = ph_tracks_at(tracks, i);
    size_t width = ph_schema_width(t->column, &demo.dims);
    vector<double> got(601);
    ASSERT_EQ(ph_tracks_read(tracks, i, 0, 601, got.data()), PH_OK);
    ASSERT_EQ(t->rows, demo.rows(t->column));
    const read_help::Bytes &bytes = demo.data[t->column];
    for (int64_t step = 0; step < 601; step++) {
      int64_t row = step - t->shift;
      double want = NAN;
      size_t at = (size_t)row * width + (size_t)t->element;
      if (row >= 0 && row < t->rows && ph_schema_column(t->column)->type == PH_U8)
        want = bytes[at];
      else if (row >= 0 && row < t->rows)
        memcpy(&want, &bytes[8 * at], 8);
      ASSERT_TRUE(same_bits(got[(size_t)step], want)) << t->name << " " << step;
    }
  }
  ph_tracks_free(tracks);
}

} // namespace
