// Frames of a replay: their bits, signals, contacts, edits, damage.
#include "replay_help.h"

extern "C" {
#include "rng.h"
#include "signals.h"
}

using namespace replay_help;

namespace {

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
      case PH_SIGNAL_READOUT:
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

} // namespace
