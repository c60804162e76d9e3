#include "mj_help.h"

extern "C" {
#include "episode.h"
#include "rng.h"
#include "signals.h"
}

namespace {

/* Rows in memory; can be told to fail. */
struct Memory {
  ph_backend backend;
  std::vector<double> data[PH_COL_COUNT];
  std::vector<uint8_t> bytes[PH_COL_COUNT];
  size_t width[PH_COL_COUNT];
  int64_t corrupt;      /* row that does not check; -1 none */
  int corrupt_col = -1; /* -1: every column */
  static ph_status read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                        void *out) {
    const Memory *m = reinterpret_cast<const Memory *>(backend);
    size_t at = static_cast<size_t>(first) * m->width[col];
    size_t count = static_cast<size_t>(n) * m->width[col];
    bool meant = m->corrupt_col < 0 || m->corrupt_col == col;
    if (meant && m->corrupt >= first && m->corrupt < first + n)
      return PH_ECORRUPT;
    if (ph_schema_column(col)->type == PH_U8)
      memcpy(out, m->bytes[col].data() + at, count);
    else
      memcpy(out, m->data[col].data() + at, count * sizeof(double));
    return PH_OK;
  }
  static void release(ph_backend *backend) { delete reinterpret_cast<Memory *>(backend); }
  void add(ph_column col, const void *from) {
    if (ph_schema_column(col)->type == PH_U8)
      bytes[col].insert(bytes[col].end(), static_cast<const uint8_t *>(from),
                        static_cast<const uint8_t *>(from) + width[col]);
    else
      data[col].insert(data[col].end(), static_cast<const double *>(from),
                       static_cast<const double *>(from) + width[col]);
  }
};

const int kActions = 120, kSteps = 2;
const ph_column kRow[] = {PH_COL_STATES,    PH_COL_WARMSTART,    PH_COL_CTRL,
                          PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                          PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};

struct Replay : testing::Test {
  ph_model *model = nullptr;
  ph_episode *episode = nullptr;
  ph_replay *replay = nullptr;
  Memory *memory = nullptr; /* the episode's */
  ph_episode_meta meta = {};
  uint32_t columns = 0;
  std::vector<ph_edit> edits;

  void SetUp() override {
    model = help_model(help_scene());
    ASSERT_NE(nullptr, model);
    snprintf(meta.id, sizeof meta.id, "demo_3");
    snprintf(meta.recipe, sizeof meta.recipe, "step");
    snprintf(meta.engine, sizeof meta.engine, "mujoco");
    snprintf(meta.substrate, sizeof meta.substrate, "%s", ph_substrate());
    snprintf(meta.model_sha256, sizeof meta.model_sha256, "%s", ph_model_sha256(model));
    meta.provenance = "[]";
    meta.actions = kActions;
    meta.states = kActions + 1;
    meta.timestep = ph_model_timestep(model);
    meta.control_dt = kSteps * meta.timestep;
    meta.dims = *ph_model_dims(model);
    meta.dims.action_dim = meta.dims.nu;
    meta.dims.control_steps = kSteps;
    for (ph_column col : kRow)
      columns |= PH_COL_BIT(col);
    for (ph_column col : {PH_COL_ACTIONS, PH_COL_REWARDS, PH_COL_FLAGS})
      columns |= PH_COL_BIT(col);
  }
  void TearDown() override {
    ph_replay_free(replay);
    ph_episode_free(episode);
    ph_model_unref(model);
  }
  void add_row(ph_sim *sim) {
    ph_row row;
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
    for (ph_column col : kRow)
      memory->add(col, ph_row_column(&row, col));
  }
  void record() {
    ph_sim *sim = nullptr;
    memory = new Memory();
    memory->backend = {Memory::read, Memory::release, nullptr, nullptr};
    memory->corrupt = -1;
    for (int i = 0; i < PH_COL_COUNT; i++)
      memory->width[i] = ph_schema_width(static_cast<ph_column>(i), &meta.dims);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
    ASSERT_EQ(PH_OK, ph_sim_edit(sim, edits.data(), edits.size())) << ph_error();
    add_row(sim);
    for (int t = 0; t < kActions; t++) {
      double ctrl[2], reward = 0.5 * t;
      uint8_t flags = static_cast<uint8_t>(t % 16), active[] = {t<50, t> 70};
      bool warned;
      help_ctrl(t, ctrl);
      sim->d->mocap_quat[0] = 0.9 + 0.01 * (t % 5);
      sim->d->userdata[1] = t;
      sim->d->xfrc_applied[13] = 0.1 * t;
      ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, active);
      ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl, kSteps, &warned)) << ph_error();
      double action[16] = {ctrl[0], ctrl[1]};
      memory->add(PH_COL_ACTIONS, action);
      memory->add(PH_COL_REWARDS, &reward);
      memory->add(PH_COL_FLAGS, &flags);
      add_row(sim);
    }
    ph_sim_free(sim);
  }
  void open() {
    if (!memory)
      record();
    ASSERT_EQ(PH_OK, ph_episode_new(&episode, &meta, columns, edits.data(), edits.size(),
                                    &memory->backend))
        << ph_error();
  }
  void start() {
    open();
    ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, nullptr)) << ph_error();
  }
  const ph_frame *seek(int64_t step) {
    EXPECT_EQ(PH_OK, ph_replay_seek(replay, step, 0, PH_KINEMATIC)) << ph_error();
    return ph_replay_frame(replay);
  }
  bool inside_engine(const void *p) {
    const mjData *d = ph_replay_sim(replay)->d;
    const char *at = static_cast<const char *>(p), *from = static_cast<const char *>(d->buffer);
    return at >= from && at < from + d->nbuffer;
  }
  /* All that a frame says, as bytes. */
  std::string said(const ph_frame *frame) {
    size_t n;
    std::string all;
    ph_replay_signals(replay, &n);
    all.assign(reinterpret_cast<const char *>(frame->values), n * sizeof(double));
    all.append(reinterpret_cast<const char *>(frame->row.state), memory->width[PH_COL_STATES] * 8);
    for (size_t i = 0; i < frame->ncontact; i++) {
      all += frame->contact[i].geom[0];
      all += frame->contact[i].geom[1];
      all.append(reinterpret_cast<const char *>(&frame->contact[i].dist), 16);
    }
    return all + (frame->action ? "a" : "-") + (frame->reward ? "r" : "-");
  }
  int signal(const char *name) {
    size_t n;
    const ph_signal *signals = ph_replay_signals(replay, &n);
    for (size_t i = 0; i < n; i++)
      if (!strcmp(signals[i].name, name))
        return static_cast<int>(i);
    ADD_FAILURE() << "no signal " << name;
    return 0;
  }
};

TEST_F(Replay, EveryStepGivesTheRowsBits) {
  start();
  EXPECT_EQ(-1, ph_replay_frame(replay)->step);
  for (int64_t t = 0; t <= kActions; t++) {
    const ph_frame *frame = seek(t);
    ASSERT_EQ(t, frame->step);
    for (ph_column col : kRow) {
      const void *row = ph_row_column(&frame->row, col);
      ASSERT_NE(nullptr, row) << ph_schema_column(col)->path;
      size_t n = memory->width[col], at = static_cast<size_t>(t) * n;
      if (col == PH_COL_EQ_ACTIVE)
        ASSERT_EQ(0, memcmp(row, memory->bytes[col].data() + at, n));
      else
        ASSERT_EQ(0, memcmp(row, memory->data[col].data() + at, n * 8)) << t;
      EXPECT_FALSE(inside_engine(row)); /* a copy, which the next forward cannot touch */
    }
    EXPECT_EQ(frame->row.state[0], frame->time);
    ASSERT_EQ(t < kActions, frame->action != nullptr);
    if (frame->action) {
      EXPECT_EQ(memory->data[PH_COL_ACTIONS][2 * t], frame->action[0]);
    }
    ASSERT_EQ(t > 0, frame->reward != nullptr);
    ASSERT_EQ(t > 0, frame->flags != nullptr);
    if (t > 0) {
      EXPECT_EQ(0.5 * (t - 1), *frame->reward);
      EXPECT_EQ((t - 1) % 16, *frame->flags);
    }
  }
}

/* Readouts equal an independent sim that knows only the stored row. */
TEST_F(Replay, ReadoutsAreAPureForwardOfTheRow) {
  start();
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  int contacts = 0;
  for (int64_t t = kActions; t >= 0; t -= 3) {
    const ph_frame *frame = seek(t);
    ASSERT_TRUE(frame->forward);
    ASSERT_EQ(PH_OK, ph_sim_set_row(other, &frame->row));
    mj_forward(other->m, other->d);
    size_t n;
    const ph_signal *signals = ph_replay_signals(replay, &n);
    for (size_t i = 0; i < n; i++) {
      int k = signals[i].index;
      const mjModel *m = other->m;
      const double *want = nullptr;
      switch (signals[i].kind) {
      case PH_SIGNAL_QPOS:
        want = frame->row.state + 1 + k;
        break;
      case PH_SIGNAL_QVEL:
        want = frame->row.state + 1 + m->nq + k;
        break;
      case PH_SIGNAL_ACT:
        want = frame->row.state + 1 + m->nq + m->nv + k;
        break;
      case PH_SIGNAL_CTRL:
        want = frame->row.ctrl + k;
        break;
      case PH_SIGNAL_MOCAP:
        want = k % 7 < 3 ? frame->row.mocap_pos + k % 7 : frame->row.mocap_quat + k % 7 - 3;
        break;
      case PH_SIGNAL_SENSOR:
        want = other->d->sensordata + k;
        break;
      case PH_SIGNAL_BODY:
        want = other->d->xpos + k;
        break;
      case PH_SIGNAL_CHANNEL:
        FAIL() << "own files have no channels";
      }
      ASSERT_EQ(0, memcmp(want, &frame->values[i], 8)) << signals[i].name << " at " << t;
    }
    ASSERT_EQ(static_cast<size_t>(other->d->ncon), frame->ncontact);
    for (size_t i = 0; i < frame->ncontact; i++) {
      double force[6];
      mj_contactForce(other->m, other->d, static_cast<int>(i), force);
      EXPECT_EQ(force[0], frame->contact[i].force);
      EXPECT_EQ(other->d->contact[i].dist, frame->contact[i].dist);
      contacts++;
    }
  }
  EXPECT_GT(contacts, 20);
  ph_sim_free(other);
}

TEST_F(Replay, RandomSeeksEqualSequentialOnes) {
  start();
  std::vector<std::string> want;
  for (int64_t t = 0; t <= kActions; t++)
    want.push_back(said(seek(t)));
  ph_rng rng;
  ph_rng_seed(&rng, 3, 0);
  for (int i = 0; i < 500; i++) {
    size_t t = static_cast<size_t>(ph_rng_uniform(&rng) * (kActions + 1));
    ASSERT_EQ(want[t], said(seek(static_cast<int64_t>(t)))) << t;
  }
}

TEST_F(Replay, SignalsHaveNamesAndUnits) {
  start();
  size_t n;
  const ph_signal *s = ph_replay_signals(replay, &n);
  const struct {
    const char *name, *unit;
    ph_signal_kind kind;
    int index;
  } want[] = {
      {"box.x", "m", PH_SIGNAL_QPOS, 0},          {"box.qz", "", PH_SIGNAL_QPOS, 6},
      {"pill.z", "m", PH_SIGNAL_QPOS, 9}, /* an unnamed joint has its body's name */
      {"shoulder", "rad", PH_SIGNAL_QPOS, 21},    {"wrist.qw", "", PH_SIGNAL_QPOS, 22},
      {"slide", "m", PH_SIGNAL_QPOS, 26},         {"box.vy", "m/s", PH_SIGNAL_QVEL, 1},
      {"box.wx", "rad/s", PH_SIGNAL_QVEL, 3},     {"shoulder.v", "rad/s", PH_SIGNAL_QVEL, 18},
      {"wrist.wz", "rad/s", PH_SIGNAL_QVEL, 21},  {"slide.v", "m/s", PH_SIGNAL_QVEL, 22},
      {"act.muscle", "", PH_SIGNAL_ACT, 0},       {"pull", "", PH_SIGNAL_CTRL, 0},
      {"target.x", "m", PH_SIGNAL_MOCAP, 0},      {"target.qy", "", PH_SIGNAL_MOCAP, 5},
      {"angle", "rad", PH_SIGNAL_SENSOR, 0},      {"acc.y", "m/s^2", PH_SIGNAL_SENSOR, 2},
      {"turn.qw", "", PH_SIGNAL_SENSOR, 4},       {"sensor 3", "N", PH_SIGNAL_SENSOR, 8},
      {"hand.z", "m", PH_SIGNAL_BODY, 3 * 5 + 2},
  };
  for (const auto &w : want) {
    const ph_signal &got = s[signal(w.name)];
    EXPECT_STREQ(w.unit, got.unit) << w.name;
    EXPECT_EQ(w.kind, got.kind) << w.name;
    EXPECT_EQ(w.index, got.index) << w.name;
  }
}

TEST_F(Replay, SignalsEndAtTheFirstThatIsTooMany) {
  ph_dims dims = {};
  ph_signal *signals = nullptr;
  size_t n = 0;
  dims.nmocap = 100000000;
  EXPECT_EQ(PH_EFORMAT, ph_signals_make(&signals, &n, nullptr, &dims));
  EXPECT_EQ(nullptr, signals);
  EXPECT_NE(nullptr, strstr(ph_error(), "more than")) << ph_error();
}

TEST_F(Replay, ContactsNameTheirGeoms) {
  start();
  bool named = false, numbered = false;
  for (int64_t t = 0; t <= kActions; t++) {
    const ph_frame *frame = seek(t);
    for (size_t i = 0; i < frame->ncontact; i++)
      for (const char *name : frame->contact[i].geom) {
        named = named || !strcmp(name, "floor");
        numbered = numbered || !strncmp(name, "geom ", 5);
      }
  }
  EXPECT_TRUE(named);
  EXPECT_TRUE(numbered);
}

TEST_F(Replay, SeeksAreClamped) {
  start();
  EXPECT_EQ(0, seek(-5)->step);
  EXPECT_EQ(kActions, seek(100000)->step);
  EXPECT_EQ(PH_EINVAL, ph_replay_seek(replay, 3, 1, PH_KINEMATIC));
  EXPECT_EQ(kActions, ph_replay_frame(replay)->step);
}

TEST_F(Replay, WithoutTheLastState) {
  meta.states = kActions;
  start();
  const ph_frame *frame = seek(kActions + 1);
  EXPECT_EQ(kActions - 1, frame->step);
  ASSERT_NE(nullptr, frame->action);
  EXPECT_EQ(memory->data[PH_COL_ACTIONS][2 * (kActions - 1)], frame->action[0]);
}

TEST_F(Replay, ColumnsThatAreLeftOutAreTheModelsResetValues) {
  columns &= ~(PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_CTRL) |
               PH_COL_BIT(PH_COL_EQ_ACTIVE) | PH_COL_BIT(PH_COL_REWARDS));
  start();
  const ph_frame *frame = seek(60);
  EXPECT_EQ(nullptr, frame->row.ctrl);
  EXPECT_EQ(nullptr, frame->row.mocap_pos);
  EXPECT_EQ(nullptr, frame->reward);
  EXPECT_TRUE(std::isnan(frame->values[signal("pull")]));
  EXPECT_EQ(-0.7, frame->values[signal("target.x")]);
  uint8_t active[2];
  ph_mj_get(ph_replay_sim(replay)->m, ph_replay_sim(replay)->d, PH_COL_EQ_ACTIVE, active);
  EXPECT_EQ(1, active[0]);
  EXPECT_EQ(0, active[1]);
}

TEST_F(Replay, EditsAreAppliedBeforeAnything) {
  std::vector<double> pos(model->m->body_pos, model->m->body_pos + 3 * model->m->nbody);
  pos[3 * 4] += 0.25; /* arm */
  ph_edit edit = {"body_pos", PH_F64, {model->m->nbody, 3}, pos.data()};
  edits.push_back(edit);
  start();
  const ph_frame *frame = seek(7);
  EXPECT_EQ(pos[3 * 4], frame->values[signal("arm.x")]);
  EXPECT_EQ(pos[3 * 4] - 0.25, model->m->body_pos[3 * 4]);
}

TEST_F(Replay, ABadEditIsNamed) {
  record();
  double one = 1;
  edits.push_back({"body_pos", PH_F64, {1, 1}, &one});
  open();
  EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&replay, episode, model, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "body_pos")) << ph_error();
  EXPECT_EQ(nullptr, replay);
}

TEST_F(Replay, ARowThatTheEngineCannotTakeIsStillShown) {
  start();
  std::string good = said(seek(11));
  memory->data[PH_COL_STATES][10 * memory->width[PH_COL_STATES] + 3] = NAN;
  const ph_frame *frame = seek(10);
  EXPECT_EQ(10, frame->step);
  EXPECT_FALSE(frame->forward);
  EXPECT_TRUE(std::isnan(frame->values[2]));
  EXPECT_FALSE(std::isnan(frame->values[1]));
  EXPECT_TRUE(std::isnan(frame->values[signal("angle")]));
  EXPECT_EQ(0u, frame->ncontact);
  EXPECT_EQ(good, said(seek(11)));
}

void raise_error(const mjModel *, mjData *) {
  mju_error("the sky fell");
}

TEST_F(Replay, AFatalErrorOfTheEngineIsOvercome) {
  std::vector<double> mass(model->m->body_mass, model->m->body_mass + model->m->nbody);
  mass[1] *= 2;
  edits.push_back({"body_mass", PH_F64, {model->m->nbody, 1}, mass.data()});
  start();
  std::string good = said(seek(11));
  mjcb_passive = raise_error;
  EXPECT_FALSE(seek(12)->forward);
  mjcb_passive = nullptr;
  EXPECT_EQ(good, said(seek(11)));
}

TEST_F(Replay, DamageOfOneColumnHidesNoOther) {
  start();
  std::string good = said(seek(30)), bare = good;
  bare.back() = '-';
  EXPECT_STREQ("", seek(30)->note);
  memory->corrupt_col = PH_COL_REWARDS;
  memory->corrupt = 29;
  const ph_frame *frame = seek(30);
  EXPECT_EQ(bare, said(frame));
  EXPECT_TRUE(frame->forward);
  EXPECT_NE(nullptr, frame->flags);
  EXPECT_STREQ("damaged here: rewards", frame->note);
  EXPECT_STREQ("", seek(31)->note);
  memory->corrupt_col = PH_COL_MOCAP_POS;
  memory->corrupt = 30;
  frame = seek(30);
  EXPECT_STREQ("damaged here: playhead/mocap_pos", frame->note);
  EXPECT_FALSE(frame->forward) << "nothing is derived from half a state";
  EXPECT_EQ(30, frame->step);
  EXPECT_NE(nullptr, frame->row.mocap_quat);
  EXPECT_EQ(nullptr, frame->row.mocap_pos);
  EXPECT_TRUE(std::isnan(frame->values[signal("target.x")]));
  EXPECT_FALSE(std::isnan(frame->values[signal("shoulder")]));
  EXPECT_TRUE(std::isnan(frame->values[signal("angle")]));
  memory->corrupt = -1;
  EXPECT_EQ(good, said(seek(30)));
}

TEST_F(Replay, DamagedStatesOrCtrlAreAnErrorAndNoFrame) {
  start();
  std::string good = said(seek(11));
  memory->corrupt = 30;
  memory->corrupt_col = PH_COL_CTRL;
  EXPECT_EQ(PH_ECORRUPT, ph_replay_seek(replay, 30, 0, PH_KINEMATIC));
  memory->corrupt_col = PH_COL_STATES;
  EXPECT_EQ(PH_ECORRUPT, ph_replay_seek(replay, 30, 0, PH_KINEMATIC));
  EXPECT_EQ(-1, ph_replay_frame(replay)->step);
  EXPECT_EQ(nullptr, ph_replay_frame(replay)->row.state);
  EXPECT_EQ(good, said(seek(11)));
}

/* --- without a model --- */

TEST_F(Replay, WithoutAModelTheColumnsAreShown) {
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, nullptr, nullptr)) << ph_error();
  const ph_frame *frame = seek(5);
  EXPECT_EQ(nullptr, ph_replay_sim(replay));
  EXPECT_FALSE(frame->forward);
  EXPECT_EQ(frame->row.state[1 + 21], frame->values[signal("qpos[21]")]);
  EXPECT_EQ(frame->row.ctrl[1], frame->values[signal("ctrl[1]")]);
  EXPECT_EQ(frame->row.mocap_quat[0], frame->values[signal("mocap 0.qw")]);
  bool value;
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_predicate(replay, &value, nullptr));
}

TEST_F(Replay, AModelThatDoesNotCompileNamesTheColumns) {
  ph_names names;
  ph_model_facts facts;
  ph_model *broken = nullptr;
  ASSERT_EQ(PH_OK, ph_mj_describe(model->m, &names, &facts));
  ASSERT_EQ(PH_OK,
            ph_model_from_source(&broken, help_source("<mujoco><x/></mujoco>"), &facts, &names));
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, broken, nullptr)) << ph_error();
  const ph_frame *frame = seek(5);
  EXPECT_EQ(frame->row.state[1 + 21], frame->values[signal("shoulder")]);
  EXPECT_EQ(frame->row.state[1 + 7], frame->values[signal("joint 1.x")]);
  EXPECT_EQ(frame->row.ctrl[0], frame->values[signal("pull")]);
  char why[200];
  EXPECT_EQ(PH_STATES_ONLY, ph_episode_guarantee(episode, broken, nullptr, why, sizeof why));
  EXPECT_STREQ(ph_model_error(broken), why);
  ph_model_unref(broken);
}

TEST_F(Replay, AModelThatCompilesToOtherFactsIsNotSaidNotToCompile) {
  ph_names names;
  ph_model_facts facts;
  ph_model *other = nullptr;
  char why[400];
  ASSERT_EQ(PH_OK, ph_mj_describe(model->m, &names, &facts));
  facts.timestep = 0.5;
  ASSERT_EQ(PH_OK, ph_model_from_source(&other, help_source(help_scene()), &facts, &names));
  open();
  EXPECT_EQ(PH_STATES_ONLY, ph_episode_guarantee(episode, other, nullptr, why, sizeof why));
  EXPECT_EQ(0, strncmp(why, "it compiles, but does not fit what the file says of it: ", 56)) << why;
  EXPECT_NE(nullptr, strstr(why, "the timestep is 0.5 s")) << why;
  ph_model_unref(other);
}

/* --- checks --- */

void expect_mismatch(Replay *test, const char *first, const char *second) {
  test->open();
  EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&test->replay, test->episode, test->model, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), first)) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), second)) << ph_error();
  EXPECT_EQ(nullptr, test->replay);
}

TEST_F(Replay, AnotherNqIsRefused) {
  record();
  meta.dims.nq = 33;
  expect_mismatch(this, "nq is 33 in the episode", "34 in the model");
}

TEST_F(Replay, AnotherNuIsRefused) {
  record();
  meta.dims.nu = 5;
  expect_mismatch(this, "nu is 5 in the episode", "2 in the model");
}

TEST_F(Replay, MoreMocapBodiesThanTheModelHasAreRefused) {
  columns &= ~(PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_MOCAP_QUAT));
  record();
  meta.dims.nmocap = 5000;
  expect_mismatch(this, "nmocap is 5000 in the episode", "1 in the model");
}

TEST_F(Replay, AnotherTimestepIsRefused) {
  record();
  meta.timestep = 0.002;
  expect_mismatch(this, "timestep is 0.002 s in the episode", "0.004 s in the model");
}

TEST_F(Replay, AnotherWidthOfAStoredColumnIsRefused) {
  record();
  meta.dims.nuserdata = 7;
  expect_mismatch(this, "userdata is 7 in the episode", "3 in the model");
}

/* --- tasks --- */

struct ReplayTask : Replay {
  ph_task *task = nullptr;
  void parse(const char *text) {
    ph_task_unref(task);
    task = nullptr;
    ASSERT_EQ(PH_OK, ph_task_parse(&task, text, strlen(text), "task.lua")) << ph_error();
  }
  void TearDown() override {
    Replay::TearDown();
    ph_task_unref(task);
  }
  void expect_refused(const char *first, const char *second) {
    open();
    EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&replay, episode, model, task));
    EXPECT_NE(nullptr, strstr(ph_error(), first)) << ph_error();
    EXPECT_NE(nullptr, strstr(ph_error(), second)) << ph_error();
  }
};

TEST_F(ReplayTask, ThePredicateIsThatOfTheFrame) {
  parse("return { hold_seconds = 0, success = {"
        " low = function(s) return s.body.box.z < 0.2 end,"
        " moved = function(s) return s.body.box.z < s.start.body.box.z - 0.05 end } }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  int z = 0, yes = 0;
  for (int i = 0; i < 120; i++) {
    int64_t t = i * 37 % (kActions + 1);
    const ph_frame *frame = seek(t);
    if (i == 0) {
      /* the one of the body, not of the free joint */
      z = signal("hand.z") - 3 * 4;
    }
    bool value = false;
    const ph_condition *conditions = nullptr;
    ASSERT_EQ(PH_OK, ph_replay_predicate(replay, &value, &conditions)) << ph_error();
    ASSERT_EQ(t, ph_replay_frame(replay)->step); /* judging does not move it */
    double height = frame->values[z];
    EXPECT_STREQ("low", conditions[0].name);
    EXPECT_EQ(height < 0.2, conditions[0].value) << t;
    EXPECT_EQ(height < 0.3 - 0.05, conditions[1].value) << t;
    EXPECT_EQ(conditions[0].value && conditions[1].value, value) << t;
    yes += value;
  }
  EXPECT_GT(yes, 5);
  EXPECT_LT(yes, 115);
}

TEST_F(ReplayTask, BeforeASeekThereIsNothingToJudge) {
  parse("return { hold_seconds = 0, success = function(s) return true end }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  bool value = true;
  EXPECT_EQ(PH_EINVAL, ph_replay_predicate(replay, &value, nullptr));
  EXPECT_FALSE(value);
  EXPECT_EQ(-1, ph_replay_frame(replay)->step);
  seek(3);
  EXPECT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << ph_error();
  EXPECT_TRUE(value);
}

TEST_F(ReplayTask, WithoutASuccessThereIsNothingToJudge) {
  parse("return { name = 'x' , reward = function(s) return 0 end }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  seek(0);
  bool value;
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_predicate(replay, &value, nullptr));
}

TEST_F(ReplayTask, AnotherDecimationIsRefused) {
  parse("return { name = 'slow', control_steps = 5, actions = { {type='ctrl', "
        "actuators={'.*'}} } }");
  expect_refused("2 substeps in the episode", "5 in task slow");
}

TEST_F(ReplayTask, AnotherActionSizeIsRefused) {
  parse("return { name = 'one', control_steps = 2, actions = { {type='ctrl', "
        "actuators={'pull'}} } }");
  expect_refused("2 numbers in the episode", "1 in task one");
}

/* --- guarantee --- */

struct Guarantee : ReplayTask {
  char why[300];
  ph_guarantee judge() {
    ph_episode_free(episode);
    episode = nullptr;
    memory = nullptr;
    open();
    return ph_episode_guarantee(episode, model, task, why, sizeof why);
  }
  void expect(ph_guarantee want, const char *text) {
    EXPECT_EQ(want, judge()) << why;
    EXPECT_NE(nullptr, strstr(why, text)) << why;
  }
};

TEST_F(Guarantee, IsExactOnlyWhenAllIsTheSame) {
  expect(PH_EXACT, "same");
  snprintf(meta.substrate, sizeof meta.substrate, "0123456789abcdef");
  expect(PH_NOT_EXACT, "substrate 0123456789abcdef");
  meta.substrate[0] = 0;
  expect(PH_NOT_EXACT, "substrate unknown");
  snprintf(meta.recipe, sizeof meta.recipe, "step1_step2");
  expect(PH_NOT_EXACT, "step1_step2");
}

TEST_F(Guarantee, KnowsWhatTheModelSaysOfItsRecording) {
  snprintf(model->facts.engine_version, sizeof model->facts.engine_version, "3.12.0");
  expect(PH_NOT_EXACT, "recorded with MuJoCo 3.12.0");
  snprintf(model->facts.engine_version, sizeof model->facts.engine_version, "%s",
           ph_engine_version());
  snprintf(model->facts.arch, sizeof model->facts.arch, "vax");
  expect(PH_NOT_EXACT, "recorded on vax");
  snprintf(model->facts.arch, sizeof model->facts.arch, "%s", ph_mj_arch());
  model->facts.compiled_sha256[0] = 'x';
  expect(PH_NOT_EXACT, "compiles to");
  memcpy(model->facts.compiled_sha256, model->compiled_sha256, PH_SHA256_SIZE);
  expect(PH_EXACT, "same");
  meta.model_sha256[0] = 'x';
  expect(PH_NOT_EXACT, "another model");
}

TEST_F(Guarantee, KnowsWhatIsMissing) {
  uint32_t all = columns;
  columns = all & ~PH_COL_BIT(PH_COL_WARMSTART);
  expect(PH_NOT_EXACT, "no warmstart is stored");
  columns = all & ~PH_COL_BIT(PH_COL_CTRL);
  expect(PH_NOT_EXACT, "no ctrl is stored");
  columns = all & ~PH_COL_BIT(PH_COL_ACTIONS);
  expect(PH_STATES_ONLY, "no actions");
  columns = all;
  snprintf(meta.engine, sizeof meta.engine, "physx");
  expect(PH_STATES_ONLY, "physx");
  snprintf(meta.engine, sizeof meta.engine, "mujoco");
  meta.dims.control_steps = 0;
  expect(PH_STATES_ONLY, "substeps");
  meta.dims.control_steps = kSteps;
  meta.dims.action_dim = 7;
  expect(PH_STATES_ONLY, "7 actions for 2 actuators");
}

TEST_F(Guarantee, NeedsTheTaskThatMapsTheActions) {
  const char *ctrl = "return { control_steps = 2, actions = { {type='ctrl', actuators={'.*'}} } }";
  expect(PH_EXACT, "taken as ctrl");
  parse("return { hold_seconds = 0, success = function(s) return true end }");
  expect(PH_EXACT, "taken as ctrl");
  parse(ctrl);
  expect(PH_NOT_EXACT, "recorded with none");
  snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  expect(PH_EXACT, "full state");
  ph_task_unref(task);
  task = nullptr;
  expect(PH_STATES_ONLY, "what an action does to ctrl is not known");
  EXPECT_NE(nullptr, strstr(why, std::string(meta.task_sha256, 12).c_str())) << why;
  parse("return { name = 'other', control_steps = 2, actions = { {type='ctrl', actuators={'.*'}} } "
        "}");
  expect(PH_NOT_EXACT, "another task is in use");
}

TEST_F(Guarantee, NeedsEditsThatTheModelTakes) {
  double one = 1;
  auto expect = [&](ph_guarantee want, const ph_edit &edit, const char *text) {
    ph_episode_free(episode);
    episode = nullptr;
    edits.clear();
    record();
    edits.push_back(edit);
    open();
    EXPECT_EQ(want, ph_episode_guarantee(episode, model, task, why, sizeof why));
    EXPECT_NE(nullptr, strstr(why, text)) << why;
  };
  expect(PH_STATES_ONLY, {"nonsense", PH_F64, {1, 1}, &one}, "nonsense: this engine has no such");
  expect(PH_STATES_ONLY, {"body_pos", PH_F64, {1, 1}, &one}, "body_pos: the edit is f64 (1 x 1)");
  std::vector<double> pos(model->m->body_pos, model->m->body_pos + 3 * model->m->nbody);
  ph_edit edit = {"body_pos", PH_F64, {model->m->nbody, 3}, pos.data()};
  expect(PH_EXACT, edit, "same");
  pos[7] = NAN;
  expect(PH_STATES_ONLY, edit, "body_pos[2][1] is not a number");
  EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&replay, episode, model, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "body_pos[2][1] is not a number")) << ph_error();
}

TEST_F(Guarantee, BelievesWhatTheFileSaysAgainstItself) {
  snprintf(meta.determinism, sizeof meta.determinism, "bitwise");
  snprintf(meta.derived, sizeof meta.derived, "fresh");
  expect(PH_EXACT, "same");
  snprintf(meta.determinism, sizeof meta.determinism, "fails(3)");
  expect(PH_NOT_EXACT, "fails(3)");
  snprintf(meta.determinism, sizeof meta.determinism, "tol(1e-9)");
  expect(PH_NOT_EXACT, "tol(1e-9)");
  snprintf(meta.determinism, sizeof meta.determinism, "unchecked");
  snprintf(meta.derived, sizeof meta.derived, "stale");
  expect(PH_NOT_EXACT, "stale");
  snprintf(meta.derived, sizeof meta.derived, "fresh");
  snprintf(meta.oddity, sizeof meta.oddity, "it says two things");
  expect(PH_NOT_EXACT, "it says two things");
  meta.oddity[0] = 0;
  meta.timestep *= 2;
  expect(PH_NOT_EXACT, "timestep is");
  meta.timestep /= 2;
  parse("return { control_steps = 10, actions = { {type='ctrl', actuators={'.*'}} } }");
  snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  expect(PH_NOT_EXACT, "a step has 2 substeps in the episode, 10 in task");
}

TEST_F(Guarantee, NamesAreFixed) {
  EXPECT_STREQ("EXACT", ph_guarantee_name(PH_EXACT));
  EXPECT_STREQ("NOT EXACT", ph_guarantee_name(PH_NOT_EXACT));
  EXPECT_STREQ("STATES ONLY", ph_guarantee_name(PH_STATES_ONLY));
}

} // namespace
