// What the tests of replay share: an episode recorded into memory, its replay, a task for it.
#pragma once

#include "mj_help.h"

extern "C" {
#include "episode.h"
}

namespace replay_help {

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

} // namespace replay_help
