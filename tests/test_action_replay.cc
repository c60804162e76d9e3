/* The raw action gives the stored ctrl again, bit for bit, wherever one begins. */
#include "action_help.h"

namespace {

/* An episode of the env under random actions, and the manager of a task to ask again. */
struct Episode {
  Model model;
  Task task;
  Env env;
  Rollout rows;
  std::vector<ph_edit> edits;
  std::vector<std::string> edit_data;
  ph_sim *sim = nullptr;
  ph_actions *actions = nullptr;

  explicit Episode(const std::string &source, uint64_t seed = 1, double size = 1.3)
      : model(arm_xml()), task(source), env(task, model) {
    ph_row row;
    EXPECT_EQ(PH_OK, ph_env_reset(env.env, seed, &row)) << ph_error();
    const ph_dims &dims = *ph_env_dims(env.env);
    keep_row(rows, row, dims);
    keep_edits();
    Dice dice(seed);
    std::vector<double> action(static_cast<size_t>(dims.action_dim));
    for (ph_outcome out = {}; !out.done;) {
      for (auto &x : action)
        x = size * dice();
      EXPECT_EQ(PH_OK, ph_env_step(env.env, action.data(), &out)) << ph_error();
      if (out.end == PH_END_NAN)
        ADD_FAILURE() << out.detail;
      else
        keep_row(rows, out.row, dims);
      rows.actions.push_back(action);
      rows.flags.push_back(out.flags);
    }
    EXPECT_EQ(PH_OK, ph_sim_create(&sim, model.model)) << ph_error();
    EXPECT_EQ(PH_OK, ph_actions_create(&actions, task.task, model.model)) << ph_error();
  }
  ~Episode() {
    ph_actions_free(actions);
    ph_sim_free(sim);
  }

  void keep_edits() {
    size_t n = 0;
    const ph_edit *list = ph_env_edits(env.env, &n);
    for (size_t i = 0; i < n; i++) {
      size_t size =
          static_cast<size_t>(list[i].shape[0] * list[i].shape[1]) * ph_type_size(list[i].type);
      edit_data.emplace_back(static_cast<const char *>(list[i].data), size);
      edits.push_back(list[i]);
    }
    for (size_t i = 0; i < n; i++)
      edits[i].data = edit_data[i].data();
  }

  /* Sets the row of a step, as a file that is replayed does. */
  void go(size_t t) {
    ph_row row = {};
    for (auto &column : rows.columns)
      ph_row_set_column(&row, static_cast<ph_column>(column.first), column.second[t].data());
    ASSERT_EQ(PH_OK, ph_sim_reset(sim));
    ASSERT_EQ(PH_OK, ph_sim_edit(sim, edits.data(), edits.size())) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row)) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_forward(sim)) << ph_error();
  }

  const std::string &column(ph_column col, size_t t) { return rows.columns[col][t]; }

  /* Applies the action of step t to what is set; whether ctrl and memory are the next row's. */
  void expect_step(size_t t) {
    const ph_dims &dims = *ph_env_dims(env.env);
    std::vector<double> ctrl(static_cast<size_t>(dims.nu)),
        memory(static_cast<size_t>(dims.action_state) + 1);
    bool clipped = false;
    memcpy(ctrl.data(), column(PH_COL_CTRL, t).data(), ctrl.size() * sizeof(double));
    ASSERT_EQ(PH_OK, ph_actions_apply(actions, sim, rows.actions[t].data(), ctrl.data(), &clipped));
    const std::string &want = column(PH_COL_CTRL, t + 1);
    ASSERT_EQ(want.size(), ctrl.size() * sizeof(double));
    ASSERT_EQ(0, memcmp(want.data(), ctrl.data(), want.size())) << "step " << t;
    ASSERT_EQ((rows.flags[t] & PH_FLAG_CLIPPED) != 0, clipped) << "step " << t;
    if (dims.action_state == 0)
      return;
    ph_actions_get_state(actions, memory.data());
    const std::string &state = column(PH_COL_ACTION_STATE, t + 1);
    ASSERT_EQ(0, memcmp(state.data(), memory.data(), state.size())) << "step " << t;
  }

  void remember(size_t t) {
    if (ph_actions_state_dim(actions) == 0)
      return;
    const std::string &state = column(PH_COL_ACTION_STATE, t);
    ASSERT_EQ(state.size(), static_cast<size_t>(ph_actions_state_dim(actions)) * sizeof(double));
    ph_actions_set_state(actions, reinterpret_cast<const double *>(state.data()));
  }
};

void from_step_0(Episode &e) {
  for (size_t t = 0; t < e.rows.actions.size(); t++) {
    e.go(t);
    if (t == 0)
      ph_actions_reset(e.actions, e.sim);
    e.expect_step(t);
  }
}

void from_any_step(Episode &e) {
  size_t n = e.rows.actions.size();
  for (size_t i = 0; i < n; i++) {
    size_t t = (i * 37 + 11) % n;
    e.go(t);
    e.remember(t);
    e.expect_step(t);
  }
}

/* The env's own way: physics from a row on, under what the manager makes of the actions. */
void dynamic_from(Episode &e, size_t t) {
  e.go(t);
  e.remember(t);
  std::vector<double> ctrl(static_cast<size_t>(ph_env_dims(e.env.env)->nu));
  memcpy(ctrl.data(), e.column(PH_COL_CTRL, t).data(), ctrl.size() * sizeof(double));
  for (; t < e.rows.actions.size(); t++) {
    bool clipped = false, warned = false;
    ph_row row;
    ASSERT_EQ(PH_OK,
              ph_actions_apply(e.actions, e.sim, e.rows.actions[t].data(), ctrl.data(), &clipped));
    ASSERT_EQ(PH_OK, ph_sim_step(e.sim, ctrl.data(), 4, &warned)) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_get_row(e.sim, &row));
    const std::string &want = e.column(PH_COL_STATES, t + 1);
    ASSERT_EQ(0, memcmp(want.data(), row.state, want.size())) << "step " << t;
    ASSERT_EQ(PH_OK, ph_sim_forward(e.sim));
  }
}

void check(const std::string &terms, const std::string &more = "") {
  SCOPED_TRACE(terms);
  Episode e(arm_task(terms, more));
  ASSERT_EQ(60u, e.rows.actions.size());
  from_step_0(e);
  from_any_step(e);
  dynamic_from(e, 0);
  dynamic_from(e, 23);
}

TEST(ActionReplay, EveryTermAlone) {
  for (const auto &term : arm_terms())
    check(term);
}

TEST(ActionReplay, TermsTogether) {
  for (const auto &terms : arm_mixes())
    check(terms);
}

TEST(ActionReplay, WithoutTermsToo) {
  Episode e("return { control_steps = 4, max_steps = 60 }", 3, 0.3);
  from_step_0(e);
  from_any_step(e);
}

TEST(ActionReplay, WithARangeOfActions) {
  check("{type='joint_delta', joints={'yaw', 'lift'}, of='target'}, {type='eef_pose', site='tool', "
        "joints={'elbow', 'roll', 'tilt', 'turn'}, control='position', of='target'}",
        "action_range = {min={-0.1, -0.2, -0.05, -0.05, -0.02}, max={0.1, 0.1, 0.05, 0.05, 0.1}}");
}

/* What memory is for: with another one the same action gives another ctrl. */
TEST(ActionReplay, TheMemoryIsNeeded) {
  Episode e(arm_task("{type='joint_delta', joints={'yaw', 'lift'}, scale=0.1, of='target'}"));
  bool clipped;
  size_t t = 30;
  e.go(t);
  ph_actions_reset(e.actions, e.sim);
  std::vector<double> ctrl(12);
  memcpy(ctrl.data(), e.column(PH_COL_CTRL, t).data(), 96);
  ASSERT_EQ(PH_OK,
            ph_actions_apply(e.actions, e.sim, e.rows.actions[t].data(), ctrl.data(), &clipped));
  EXPECT_NE(0, memcmp(e.column(PH_COL_CTRL, t + 1).data(), ctrl.data(), 96));
}

/* 10 000 actions over all terms, some of them of any size. */
TEST(ActionReplay, RandomActionsGiveNumbers) {
  std::vector<std::string> all = arm_terms();
  all.insert(all.end(), arm_mixes().begin(), arm_mixes().end());
  Dice dice(9);
  int actions = 0;
  for (size_t k = 0; k < all.size(); k++) {
    SCOPED_TRACE(all[k]);
    Episode e(arm_task(all[k]), k);
    const mjModel *m = e.sim->m;
    std::vector<double> action(e.rows.actions[0].size()), ctrl(static_cast<size_t>(m->nu)),
        memory(static_cast<size_t>(ph_actions_state_dim(e.actions)));
    for (int i = 0; i < 640; i++, actions++) {
      if (i % 10 == 0)
        e.go(static_cast<size_t>(i / 10) % 60);
      if (i == 0)
        ph_actions_reset(e.actions, e.sim);
      double size = i % 4 == 0 ? std::pow(10, 154 * (1 + dice())) : i % 4 == 1 ? 30 : 1;
      for (auto &x : action)
        x = size * dice();
      memcpy(ctrl.data(), e.column(PH_COL_CTRL, 0).data(), ctrl.size() * sizeof(double));
      bool clipped = false;
      ASSERT_EQ(PH_OK, ph_actions_apply(e.actions, e.sim, action.data(), ctrl.data(), &clipped));
      ph_actions_get_state(e.actions, memory.data());
      for (int a = 0; a < m->nu; a++) {
        ASSERT_TRUE(std::isfinite(ctrl[static_cast<size_t>(a)])) << a;
        if (m->actuator_ctrllimited[a]) {
          ASSERT_LE(m->actuator_ctrlrange[2 * a], ctrl[static_cast<size_t>(a)]);
          ASSERT_GE(m->actuator_ctrlrange[2 * a + 1], ctrl[static_cast<size_t>(a)]);
        }
      }
      for (double x : memory)
        ASSERT_TRUE(std::isfinite(x));
    }
  }
  EXPECT_GE(actions, 10000);
}

} // namespace
