/* Models and helpers that several tests of the engine share. */
#ifndef TESTS_MJ_HELP_H
#define TESTS_MJ_HELP_H

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <playhead/playhead.h>

extern "C" {
#include "mj.h"
}

inline char *help_text(const std::string &text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

inline ph_source *help_source(const std::string &xml) {
  ph_source *source = static_cast<ph_source *>(calloc(1, sizeof *source));
  source->xml = help_text(xml);
  source->xml_size = xml.size();
  ph_source_hash(source);
  return source;
}

inline ph_model *help_model(const std::string &xml) {
  ph_model *model = nullptr;
  EXPECT_EQ(PH_OK, ph_model_from_source(&model, help_source(xml), nullptr, nullptr)) << ph_error();
  return model;
}

/* Contacts, free and ball joints, a mocap body with a weld, a tendon, an activation, userdata. */
inline std::string help_scene(const char *solver = "Newton", const char *integrator = "Euler",
                              const char *timestep = "0.004") {
  return std::string("<mujoco><size nuserdata='3'/><option timestep='") + timestep + "' solver='" +
         solver + "' integrator='" + integrator +
         "'/>"
         "<worldbody><geom name='floor' type='plane' size='3 3 .1'/>"
         "<body name='box' pos='0 0 .3' euler='20 35 10'><freejoint name='box'/>"
         "<geom name='box' type='box' size='.1 .12 .08'/></body>"
         "<body name='pill' pos='.05 .02 .7' euler='50 15 70'><freejoint/>"
         "<geom type='capsule' size='.06 .12'/><site name='tip' pos='0 0 .1'/></body>"
         "<body name='egg' pos='-.04 .03 1'><freejoint name='egg'/>"
         "<geom name='egg' type='ellipsoid' size='.08 .1 .06'/></body>"
         "<body name='arm' pos='.6 0 .6'><joint name='shoulder' axis='0 1 0' damping='.1' "
         "limited='true' range='-60 60'/><geom name='arm' type='capsule' fromto='0 0 0 .3 0 0' "
         "size='.04'/><body name='hand' pos='.3 0 0'><joint name='wrist' type='ball' "
         "damping='.02'/><geom name='hand' type='capsule' fromto='0 0 0 .2 0 -.1' size='.03'/>"
         "</body></body>"
         "<body name='rail' pos='-.7 0 .3'><joint name='slide' type='slide' axis='1 0 0'/>"
         "<geom type='sphere' size='.05'/></body>"
         "<body name='target' mocap='true' pos='-.7 .3 .6' quat='.6 0 .8 .1'><geom type='sphere' "
         "size='.02' contype='0' conaffinity='0'/></body>"
         "<body name='held' pos='-.7 .3 .5'><freejoint name='held'/><geom type='box' "
         "size='.05 .05 .05'/></body>"
         "</worldbody>"
         "<equality><weld name='grip' body1='target' body2='held'/>"
         "<joint name='lock' joint1='slide' active='false'/></equality>"
         "<tendon><fixed name='cord'><joint joint='slide' coef='1'/>"
         "<joint joint='shoulder' coef='.5'/></fixed></tendon>"
         "<actuator><motor name='pull' tendon='cord' gear='2'/><general name='muscle' "
         "joint='shoulder' dyntype='filter' dynprm='.1' gainprm='3'/></actuator>"
         "<sensor><jointpos name='angle' joint='shoulder'/><accelerometer name='acc' site='tip'/>"
         "<framequat name='turn' objtype='body' objname='box'/><touch site='tip'/></sensor>"
         "</mujoco>";
}

inline void help_ctrl(int t, double *ctrl) {
  ctrl[0] = std::sin(0.05 * t);
  ctrl[1] = std::cos(0.03 * t);
}

/* Every component of the state as bytes, in the order of the columns. */
inline std::string help_bits(const ph_sim *sim) {
  std::string all;
  for (int col = 0; col < PH_COL_COUNT; col++) {
    int n = ph_mj_width(sim->m, static_cast<ph_column>(col));
    std::string part(static_cast<size_t>(n) * sizeof(double), '\0');
    if (n > 0)
      ph_mj_get(sim->m, sim->d, static_cast<ph_column>(col), &part[0]);
    all += part;
  }
  return all;
}

/* A row with memory of its own. */
struct HelpRow {
  std::vector<double> data[PH_COL_COUNT];
  ph_row row = {};
  explicit HelpRow(const ph_sim *sim) {
    ph_row now;
    EXPECT_EQ(PH_OK, ph_sim_get_row(sim, &now));
    for (int col = 0; col < PH_COL_COUNT; col++) {
      const void *from = ph_row_column(&now, static_cast<ph_column>(col));
      if (!from)
        continue;
      size_t n = static_cast<size_t>(ph_mj_width(sim->m, static_cast<ph_column>(col)));
      size_t size = ph_schema_column(static_cast<ph_column>(col))->type == PH_U8 ? 1 : 8;
      data[col].resize(n + 1);
      memcpy(data[col].data(), from, n * size);
      ph_row_set_column(&row, static_cast<ph_column>(col), data[col].data());
    }
  }
};

#endif
