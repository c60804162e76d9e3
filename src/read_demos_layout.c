#include "read_demos.h"

#include <stdio.h>
#include <string.h>

#define AHEAD "one step ahead of the states: taken after the action"
#define AFTER                                                                                      \
  { "next_obs/", 1, "taken after the action" }

/* States are before the action of their row everywhere, but for Isaac Lab, where the flat ones do
 * not exist and row 0 of the others is reached by action 0. */
static const ph_demo_layout layouts[] = {
    {.name = "LIBERO",
     .attr = {"bddl_file_name"},
     .rows = {{"obs/", 1, AHEAD}, {"robot_states", 1, AHEAD}, AFTER}},
    {.name = "RoboCasa",
     .attr = {"robocasa_version"},
     .arg = {"layout_ids", "layout_and_style_ids", "obj_instance_split"},
     .rows = {AFTER}},
    {.name = "MimicGen", .object = {"datagen_info", "src_demo_inds"}, .rows = {AFTER}},
    {.name = "Isaac Lab",
     .object = {"states/articulation", "initial_state/articulation"},
     .rows = {{"states/", 1, "reached by the action of the same row"}, AFTER}},
    {.name = "robomimic", .attr = {"env_args"}, .rows = {AFTER}},
    {.name = "robosuite",
     .attr = {"env", "env_info", "repository_version"},
     .object = {"joint_velocities", "gripper_actuations"},
     .rows = {AFTER}},
    {.name = "demos", .rows = {AFTER}},
};

static bool shows(const ph_demo_layout *layout, hid_t data, hid_t demo) {
  for (size_t i = 0; i < sizeof layout->attr / sizeof *layout->attr && layout->attr[i]; i++)
    if (ph_h5_has_attr(data, layout->attr[i]))
      return true;
  for (size_t i = 0; i < sizeof layout->object / sizeof *layout->object && layout->object[i]; i++)
    if (demo >= 0 && ph_h5_exists(demo, layout->object[i]))
      return true;
  for (size_t i = 0; i < sizeof layout->arg / sizeof *layout->arg && layout->arg[i]; i++)
    if (ph_demo_has_arg(data, layout->arg[i]))
      return true;
  return false;
}

const ph_demo_layout *ph_demo_layout_of(hid_t data, const char *demo) {
  size_t last = sizeof layouts / sizeof *layouts - 1, i = 0;
  hid_t group = H5I_INVALID_HID;
  if (demo && ph_h5_group(&group, data, demo) != PH_OK)
    group = H5I_INVALID_HID;
  while (i < last && !shows(&layouts[i], data, group))
    i++;
  ph_h5_close(group);
  return &layouts[i];
}

const ph_demo_rows *ph_demo_rows_of(const ph_demo_layout *layout, const char *name) {
  for (size_t i = 0; i < sizeof layout->rows / sizeof *layout->rows && layout->rows[i].prefix; i++)
    if (strncmp(name, layout->rows[i].prefix, strlen(layout->rows[i].prefix)) == 0)
      return &layout->rows[i];
  return NULL;
}
