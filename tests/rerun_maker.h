/* Episodes made in memory by plain stepping, for tests of reruns. */
#ifndef TESTS_RERUN_MAKER_H
#define TESTS_RERUN_MAKER_H

#include <functional>

#include "replay_help.h"
#include "rerun_help.h"

namespace rerun_help {

/* Contacts from the first steps on. */
inline std::string pile(const std::string &solver = "Newton",
                        const std::string &integrator = "Euler") {
  return "<mujoco><size nuserdata='2'/><option timestep='.004' solver='" + solver +
         "' integrator='" + integrator +
         "'/><worldbody><geom name='floor' type='plane' size='3 3 .1'/>"
         "<body name='box' pos='0 0 .1' euler='5 3 10'><freejoint name='box'/>"
         "<geom name='box' type='box' size='.1 .12 .08'/></body>"
         "<body name='top' pos='.02 .01 .3' euler='10 5 7'><freejoint/>"
         "<geom name='top' type='box' size='.08 .1 .06'/></body>"
         "<body name='arm' pos='.35 0 .2'><joint name='shoulder' axis='0 1 0' damping='.1'/>"
         "<geom name='arm' type='capsule' fromto='0 0 0 -.3 0 .05' size='.04'/>"
         "<body pos='-.3 0 .05'><joint name='wrist' type='ball' damping='.02'/>"
         "<geom type='capsule' fromto='0 0 0 -.1 0 0' size='.03'/></body></body>"
         "<body name='target' mocap='true' pos='-.5 .3 .4' quat='.6 0 .8 .1'><geom type='sphere' "
         "size='.02' contype='0' conaffinity='0'/></body>"
         "<body name='held' pos='-.5 .3 .3'><freejoint name='held'/><geom type='box' "
         "size='.05 .05 .05'/></body></worldbody>"
         "<equality><weld name='grip' body1='target' body2='held'/>"
         "<joint name='lock' joint1='shoulder' active='false'/></equality>"
         "<actuator><motor name='push' joint='shoulder' gear='3'/><general name='slow' "
         "joint='shoulder' dyntype='filter' dynprm='.1' gainprm='3'/></actuator>"
         "<sensor><jointpos joint='shoulder'/><framequat objtype='body' objname='box'/></sensor>"
         "</mujoco>";
}

struct Maker {
  ph_model *model;
  int actions = 60, steps = 4;
  int said = 0;        /* control_steps that the file says; 0: steps */
  int drop_states = 0; /* the last so many states are not there */
  int drop_actions = 0;
  bool substeps = false; /* ctrl differs in each substep, and is stored */
  ph_recipe recipe = PH_RECIPE_STEP;
  std::vector<ph_edit> edits;
  std::function<void(ph_sim *)> start;              /* before row 0 */
  std::function<void(ph_sim *, int)> between;       /* before each control step */
  std::function<void(std::vector<double> &)> amend; /* actions as stored */
  replay_help::Memory *memory = nullptr;            /* of the last one made */
  explicit Maker(ph_model *m) : model(m) {}

  static double ctrl_of(int t, int k, int i) { return std::sin(0.11 * t + 0.4 * k + i); }

  void advance(ph_sim *sim, int t, std::vector<double> &ctrls) {
    size_t nu = static_cast<size_t>(sim->m->nu);
    for (int k = 0; k < steps; k++) {
      std::vector<double> ctrl(nu);
      for (size_t i = 0; i < nu; i++)
        ctrl[i] = ctrl_of(t, substeps ? k : 0, static_cast<int>(i));
      memcpy(sim->d->ctrl, ctrl.data(), nu * sizeof(double));
      ctrls.insert(ctrls.end(), ctrl.begin(), ctrl.end());
      if (recipe == PH_RECIPE_FORWARD_STEP)
        mj_forward(sim->m, sim->d);
      if (recipe == PH_RECIPE_STEP1_STEP2) {
        mj_step1(sim->m, sim->d);
        mj_step2(sim->m, sim->d);
      } else {
        mj_step(sim->m, sim->d);
      }
    }
  }
  ph_episode_meta meta() const {
    ph_episode_meta m = {};
    snprintf(m.id, sizeof m.id, "demo_3");
    snprintf(m.recipe, sizeof m.recipe, "%s", ph_recipe_name(recipe));
    snprintf(m.engine, sizeof m.engine, "mujoco");
    snprintf(m.layout, sizeof m.layout, "%s", drop_actions > 0 ? "arrays" : "");
    snprintf(m.substrate, sizeof m.substrate, "%s", ph_substrate());
    snprintf(m.model_sha256, sizeof m.model_sha256, "%s", ph_model_sha256(model));
    m.provenance = "[]";
    m.hold_seconds = -1;
    m.actions = actions - drop_actions;
    m.states = actions + 1 - drop_states;
    m.timestep = ph_model_timestep(model);
    m.dims = *ph_model_dims(model);
    m.dims.action_dim = m.dims.nu;
    m.dims.control_steps = said > 0 ? said : steps;
    m.control_dt = m.dims.control_steps * m.timestep;
    return m;
  }
  void keep(ph_sim *sim) {
    ph_row row;
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
    for (ph_column col : kRowColumns)
      if (ph_row_column(&row, col) && memory->width[col] > 0)
        memory->add(col, ph_row_column(&row, col));
  }
  void run(ph_sim *sim) {
    double reward = 0;
    uint8_t flags = 0;
    std::vector<double> taken;
    keep(sim);
    for (int t = 0; t < actions; t++) {
      std::vector<double> ctrls;
      if (between)
        between(sim, t);
      advance(sim, t, ctrls);
      taken.insert(taken.end(), ctrls.end() - sim->m->nu, ctrls.end());
      memory->add(PH_COL_REWARDS, &reward);
      memory->add(PH_COL_FLAGS, &flags);
      if (substeps)
        memory->data[PH_COL_CTRL_SUBSTEPS].insert(memory->data[PH_COL_CTRL_SUBSTEPS].end(),
                                                  ctrls.begin(), ctrls.end());
      keep(sim);
    }
    if (amend)
      amend(taken);
    memory->data[PH_COL_ACTIONS] = taken;
  }
  ph_episode *make() {
    ph_episode_meta m = meta();
    ph_sim *sim = nullptr;
    ph_episode *episode = nullptr;
    memory = new replay_help::Memory();
    memory->backend = {replay_help::Memory::read, replay_help::Memory::release, nullptr, nullptr};
    memory->corrupt = -1;
    for (int i = 0; i < PH_COL_COUNT; i++)
      memory->width[i] = ph_schema_width(static_cast<ph_column>(i), &m.dims);
    EXPECT_EQ(PH_OK, ph_sim_create(&sim, model));
    EXPECT_EQ(PH_OK, ph_sim_edit(sim, edits.data(), edits.size())) << ph_error();
    if (start)
      start(sim);
    run(sim);
    uint32_t columns = PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_REWARDS) |
                       PH_COL_BIT(PH_COL_FLAGS) | (substeps ? PH_COL_BIT(PH_COL_CTRL_SUBSTEPS) : 0);
    for (ph_column col : kRowColumns)
      if (!memory->data[col].empty() || !memory->bytes[col].empty())
        columns |= PH_COL_BIT(col);
    EXPECT_EQ(PH_OK,
              ph_episode_new(&episode, &m, columns, edits.data(), edits.size(), &memory->backend))
        << ph_error();
    ph_sim_free(sim);
    return episode;
  }
};

/* Welds toggled, the mocap body moved, forces from outside. */
inline void disturb(ph_sim *sim) {
  uint8_t active[] = {0, 1};
  ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, active);
  sim->d->mocap_pos[0] += 0.1;
  sim->d->mocap_quat[0] = 0.9;
  sim->d->userdata[1] = 3;
  sim->d->xfrc_applied[7] = 0.7;
  sim->d->qfrc_applied[2] = -0.2;
}

/* All instants of a run, taken one after the other by a cursor that only goes forward. */
struct Straight {
  std::vector<std::vector<std::string>> at; /* by step and substep */
  explicit Straight(const Rerun &r, int substeps = 0) {
    Cursor c(r);
    int64_t anchor = ph_rerun_anchor(r.run), states = ph_rerun_states(r.run);
    at.resize(static_cast<size_t>(states));
    for (int64_t t = anchor; t < states; t++)
      for (int k = 0; k <= (t + 1 < states ? substeps : 0); k++)
        at[static_cast<size_t>(t)].push_back(bits(c.go(t, k), dims_of(r)));
  }
};

/* Seeks in an order that looks random, each against the straight run; the promise of the cost. */
inline void seek_around(const Rerun &r, const Straight &straight, int seeks, uint32_t seed = 1) {
  Cursor c(r);
  int64_t anchor = ph_rerun_anchor(r.run), states = ph_rerun_states(r.run);
  for (int i = 0; i < seeks; i++) {
    seed = seed * 1664525u + 1013904223u;
    int64_t t = anchor + static_cast<int64_t>((seed >> 8) % static_cast<uint32_t>(states - anchor));
    const std::vector<std::string> &here = straight.at[static_cast<size_t>(t)];
    int k = static_cast<int>((seed >> 3) % static_cast<uint32_t>(here.size()));
    int64_t every = r.cached().every;
    const ph_instant &now = c.go(t, k);
    ASSERT_EQ(t, now.step);
    ASSERT_EQ(k, now.substep);
    ASSERT_TRUE(here[static_cast<size_t>(k)] == bits(now, dims_of(r))) << t << "+" << k;
    ASSERT_LE(ph_cursor_cost(c.cursor), every - 1 + (k > 0)) << t << "+" << k;
  }
}

} // namespace rerun_help

#endif
