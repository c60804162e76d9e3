// Every step of every recorded episode: the frame has the file's bits, read here by HDF5 itself,
// and every readout is what MuJoCo says after a forward of that row in data of its own.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "h5.h"
#include "mj.h"
}
#include <playhead/playhead.h>

namespace {

class SeekData : public testing::TestWithParam<const char *> {
protected:
  ph_store *store = nullptr;

  void SetUp() override {
    std::string path = std::string(TEST_SOURCE_ROOT) + "/data/runs/" + GetParam();
    const char *paths[] = {path.c_str()};
    ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    ASSERT_GT(ph_store_count(store), 5u);
  }
  void TearDown() override { ph_store_free(store); }
};

struct Opened {
  ph_episode *episode = nullptr;
  ph_model *model = nullptr;
  ph_replay *replay = nullptr;
  Opened(ph_store *store, size_t i) {
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_model(&model, store, ph_episode_meta_of(episode)->model_sha256))
        << ph_error();
    EXPECT_EQ(PH_OK, ph_replay_create(&replay, episode, model, nullptr)) << ph_error();
  }
  ~Opened() {
    ph_replay_free(replay);
    ph_model_unref(model);
    ph_episode_free(episode);
  }
};

// All rows of a dataset as HDF5 reads them; states and final_state together.
std::string raw_column(hid_t group, ph_column col, const ph_dims *dims) {
  const ph_column_info *info = ph_schema_column(col);
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array array;
  if (ph_h5_dataset(&dataset, &array, group, info->path) != PH_OK)
    return "";
  size_t row = ph_schema_width(col, dims) * ph_type_size(info->type);
  int64_t n = info->rows == PH_ROWS_ONE ? 1 : array.dim[0];
  std::string bytes((size_t)n * row, '\0');
  hid_t memory = info->type == PH_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT8;
  EXPECT_GE(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  ph_h5_close(dataset);
  return bytes;
}

TEST_P(SeekData, EveryStepHasTheFilesBits) {
  int64_t compared = 0;
  for (size_t i = 0; i < ph_store_count(store); i++) {
    Opened o(store, i);
    const ph_episode_meta *meta = ph_episode_meta_of(o.episode);
    hid_t file = H5I_INVALID_HID, group = H5I_INVALID_HID;
    ASSERT_EQ(PH_OK, ph_h5_open(&file, meta->file)) << ph_error();
    ASSERT_EQ(PH_OK, ph_h5_group(&group, file, meta->group)) << ph_error();
    std::vector<std::string> columns(PH_COL_COUNT);
    for (int col = 0; col < PH_COL_COUNT; col++)
      if (ph_episode_has(o.episode, (ph_column)col))
        columns[col] = raw_column(group, (ph_column)col, &meta->dims);
    columns[PH_COL_STATES] += raw_column(group, PH_COL_FINAL_STATE, &meta->dims);
    for (int64_t t = 0; t < meta->states; t++) {
      ASSERT_EQ(PH_OK, ph_replay_seek(o.replay, t, 0, PH_KINEMATIC)) << ph_error();
      const ph_frame *frame = ph_replay_frame(o.replay);
      ASSERT_EQ(t, frame->step);
      for (int col = 0; col < PH_COL_COUNT; col++) {
        const void *shown = ph_row_column(&frame->row, (ph_column)col);
        size_t size = ph_schema_width((ph_column)col, &meta->dims) *
                      ph_type_size(ph_schema_column((ph_column)col)->type);
        if (columns[col].empty() || !shown)
          continue;
        ASSERT_LE((size_t)(t + 1) * size, columns[col].size());
        ASSERT_EQ(0, memcmp(shown, columns[col].data() + (size_t)t * size, size))
            << ph_schema_column((ph_column)col)->path << " at " << t;
        compared++;
      }
      if (t < meta->actions) {
        size_t size = (size_t)meta->dims.action_dim * sizeof(double);
        ASSERT_EQ(0,
                  memcmp(frame->action, columns[PH_COL_ACTIONS].data() + (size_t)t * size, size));
      } else {
        ASSERT_EQ(nullptr, frame->action);
      }
    }
    ph_h5_close(group);
    ph_h5_close(file);
  }
  EXPECT_GT(compared, 2000);
}

// Nothing of the replay's own: a copy of the model, edits written by hand, plain mj_forward.
struct Independent {
  mjModel *m;
  mjData *d;
  Independent(const ph_model *model, const ph_episode *episode) {
    size_t n;
    m = mj_copyModel(nullptr, model->m);
    const ph_edit *edits = ph_episode_edits(episode, &n);
    for (size_t i = 0; i < n; i++) {
      ph_field field;
      EXPECT_TRUE(ph_mj_field(m, edits[i].field, &field)) << edits[i].field;
      memcpy(field.data, edits[i].data, ph_mj_field_size(&field));
    }
    d = mj_makeData(m);
  }
  ~Independent() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  void forward(const ph_row &row) {
    mj_resetData(m, d);
    d->time = row.state[0];
    memcpy(d->qpos, row.state + 1, (size_t)m->nq * sizeof(double));
    memcpy(d->qvel, row.state + 1 + m->nq, (size_t)m->nv * sizeof(double));
    memcpy(d->act, row.state + 1 + m->nq + m->nv, (size_t)m->na * sizeof(double));
    memcpy(d->qacc_warmstart, row.warmstart, (size_t)m->nv * sizeof(double));
    memcpy(d->ctrl, row.ctrl, (size_t)m->nu * sizeof(double));
    if (row.mocap_pos)
      memcpy(d->mocap_pos, row.mocap_pos, 3 * (size_t)m->nmocap * sizeof(double));
    if (row.mocap_quat)
      memcpy(d->mocap_quat, row.mocap_quat, 4 * (size_t)m->nmocap * sizeof(double));
    if (row.qfrc_applied)
      memcpy(d->qfrc_applied, row.qfrc_applied, (size_t)m->nv * sizeof(double));
    if (row.xfrc_applied)
      memcpy(d->xfrc_applied, row.xfrc_applied, 6 * (size_t)m->nbody * sizeof(double));
    if (row.eq_active)
      ph_mj_set(m, d, PH_COL_EQ_ACTIVE, row.eq_active);
    mj_forward(m, d);
  }
};

TEST_P(SeekData, EveryReadoutIsAForwardOfTheRow) {
  int64_t derived = 0, contacts = 0;
  for (size_t i = 0; i < ph_store_count(store); i++) {
    Opened o(store, i);
    Independent plain(o.model, o.episode);
    size_t n;
    const ph_signal *signals = ph_replay_signals(o.replay, &n);
    int64_t states = ph_episode_meta_of(o.episode)->states;
    for (int64_t k = 0; k < states; k++) {
      int64_t t = k * 37 % states; /* not in order: a stale value would be another step's */
      ASSERT_EQ(PH_OK, ph_replay_seek(o.replay, t, 0, PH_KINEMATIC)) << ph_error();
      const ph_frame *frame = ph_replay_frame(o.replay);
      ASSERT_TRUE(frame->forward);
      plain.forward(frame->row);
      for (size_t s = 0; s < n; s++) {
        const double *want = signals[s].kind == PH_SIGNAL_SENSOR ? plain.d->sensordata
                             : signals[s].kind == PH_SIGNAL_BODY ? plain.d->xpos
                                                                 : nullptr;
        if (!want)
          continue;
        ASSERT_EQ(0, memcmp(want + signals[s].index, frame->values + s, sizeof(double)))
            << signals[s].name << " at " << t;
        derived++;
      }
      ASSERT_EQ((size_t)plain.d->ncon, frame->ncontact) << "at " << t;
      contacts += plain.d->ncon;
    }
  }
  EXPECT_GT(derived, 5000);
  EXPECT_GT(contacts, std::string(GetParam()) == "muscle_reach" ? -1 : 500);
}

INSTANTIATE_TEST_SUITE_P(Runs, SeekData,
                         testing::Values("drawer_close", "quadruped_stand", "muscle_reach"));

} // namespace
