/* An arm on a rail with a gripper, and tasks whose terms drive it. */
#ifndef TESTS_ACTION_HELP_H
#define TESTS_ACTION_HELP_H

#include "rec_help.h"

/* A slide and six hinges, one of them in a ball joint's care and one with a geared servo; offsets,
 * tilted frames and anchors beside the body's origin; two fingers, a motor, a cube to hit. */
inline const char *arm_xml() {
  return "<mujoco><compiler angle='radian'/><option timestep='0.002'/>"
         "<default><joint damping='4' armature='.05'/><geom size='.03' mass='.3'/>"
         "<position kp='200'/></default>"
         "<worldbody><geom name='floor' type='plane' size='3 3 .1'/>"
         "<body name='post' mocap='true' pos='0 0 .4' euler='0 0 .3'>"
         "<geom type='box' size='.1 .1 .02' contype='0' conaffinity='0'/></body>"
         "<body name='cart' pos='0 0 .5' euler='.05 0 .2'>"
         "<joint name='rail' type='slide' axis='1 0 0' limited='true' range='-.5 .5'/>"
         "<geom type='box' size='.08 .08 .03' mass='2'/>"
         "<body name='turret' pos='0 0 .1'><joint name='yaw' axis='0 0 1' pos='.01 .02 0' "
         "limited='true' range='-2 2'/><geom type='capsule' fromto='0 0 0 0 0 .1'/>"
         "<body name='upper' pos='0 0 .1' euler='0 .2 0'><joint name='lift' axis='0 1 0' "
         "limited='true' range='-1.5 1.2'/><geom type='capsule' fromto='0 0 0 .3 0 0'/>"
         "<body name='fore' pos='.3 0 0'><joint name='elbow' axis='0 1 0' limited='true' "
         "range='-.2 2.4'/><geom type='capsule' fromto='0 0 0 .25 0 0'/>"
         "<body name='cuff' pos='.25 0 0'><joint name='loose' type='ball' stiffness='80' "
         "damping='3'/><geom type='sphere' size='.02' mass='.05'/>"
         "<body name='hand' pos='.03 0 0'><joint name='roll' axis='1 0 0' limited='true' "
         "range='-2.5 2.5'/><joint name='tilt' axis='0 1 0' limited='true' range='-1.8 1.8'/>"
         "<joint name='turn' axis='0 0 1' limited='true' range='-1.8 1.8'/>"
         "<geom type='box' size='.03 .04 .02'/>"
         "<site name='tool' pos='.1 .01 -.02' euler='.1 .2 .3'/>"
         "<body name='left' pos='.08 .01 0'><joint name='left' type='slide' axis='0 1 0' "
         "limited='true' range='0 .04'/><geom type='box' size='.03 .005 .01' mass='.05'/></body>"
         "<body name='right' pos='.08 -.01 0'><joint name='right' type='slide' axis='0 -1 0' "
         "limited='true' range='0 .04'/><geom type='box' size='.03 .005 .01' mass='.05'/></body>"
         "</body></body></body></body></body></body>"
         "<body name='fan' pos='1 1 1'><joint name='fan' axis='0 0 1'/><geom type='box' "
         "size='.2 .02 .01'/></body>"
         "<body name='lamp' pos='1 -1 1'><joint name='swing' axis='0 0 1'/><geom type='capsule' "
         "fromto='0 0 0 .2 0 0'/><body pos='.2 0 0'><joint name='nod' axis='0 1 0'/><geom "
         "type='capsule' fromto='0 0 0 .1 0 0'/><site name='bulb' pos='.1 0 0'/></body></body>"
         "<body name='cube' pos='.5 0 .05'><freejoint name='cube'/><geom type='box' "
         "size='.05 .05 .05' mass='.1'/></body></worldbody>"
         "<contact><exclude body1='left' body2='right'/></contact>"
         "<actuator><position name='rail_t' joint='rail' kp='800' ctrllimited='true' "
         "ctrlrange='-.4 .45'/>"
         "<position name='yaw_t' joint='yaw'/><position name='lift_t' joint='lift' kp='400'/>"
         "<position name='elbow_t' joint='elbow' gear='-2' kp='80' ctrllimited='true' "
         "ctrlrange='-4.6 .3'/>"
         "<position name='roll_t' joint='roll'/><position name='tilt_t' joint='tilt'/>"
         "<position name='turn_t' joint='turn'/>"
         "<position name='left_t' joint='left' ctrllimited='true' ctrlrange='0 .04'/>"
         "<position name='right_t' joint='right' ctrllimited='true' ctrlrange='0 .04'/>"
         "<position name='swing_p' joint='swing'/><position name='nod_p' joint='nod'/>"
         "<motor name='fan_m' joint='fan' ctrllimited='true' ctrlrange='-.1 .1'/>"
         "</actuator></mujoco>";
}

#define ARM_JOINTS "joints = {'rail', 'yaw', 'lift', 'elbow', 'roll', 'tilt', 'turn'}"

/* A task of these terms that runs for 60 steps, with a reset that moves things. */
inline std::string arm_task(const std::string &actions, const std::string &more = "") {
  return "return { name = 'arm', control_steps = 4, max_steps = 60,\nactions = {" + actions +
         "},\nreset = function(env, rng)\n"
         "  env.qpos.lift, env.qpos.elbow, env.qpos.tilt = 0.3 * rng() - 0.9, 1.2, 0.2 * rng()\n"
         "  env.ctrl.lift_t, env.ctrl.fan_m = -0.7, 0.05\n"
         "  env.model.site.tool.pos = {0.1, 0.02 * rng(), 0}\n"
         "end,\n" +
         more + "}";
}

/* Every term by itself, in each of its ways. */
inline const std::vector<std::string> &arm_terms() {
  static const std::vector<std::string> all = {
      "{type='ctrl', actuators={'*_t'}, scale=0.4}",
      "{type='joint_position', " ARM_JOINTS ", scale=0.5, offset=0.1}",
      "{type='joint_delta', " ARM_JOINTS ", scale=0.1}",
      "{type='joint_delta', " ARM_JOINTS ", scale=0.1, of='target', clip={min=-0.08, max=0.08}}",
      "{type='gripper', actuators={'left_t', 'right_t'}}",
      "{type='gripper', actuators={'left_t', 'right_t'}, open=0.03, closed={0, 0.01}}",
      "{type='gripper', actuators={'*t_t'}, open={0.1, 0.04, 0.04, 0.04}, closed=0, threshold=0.2}",
      "{type='eef_pose', site='tool', " ARM_JOINTS ", scale={position=0.03, rotation=0.1}}",
      "{type='eef_pose', site='tool', " ARM_JOINTS ", scale=0.04, of='target'}",
      "{type='eef_pose', site='tool', " ARM_JOINTS ", control='position', scale=0.05}",
      "{type='eef_pose', site='tool', " ARM_JOINTS
      ", control='orientation', scale=0.2, of='target', iterations=3, damping=0.2}",
      "{type='eef_pose', site='tool', " ARM_JOINTS ", mode='absolute', "
      "scale={position=0.6}, offset={position=0.4}, clip={min={position=0.1}, max={rotation=2}}}",
      "{type='eef_pose', site='tool', joints={'yaw', 'lift', 'elbow'}, mode='absolute', "
      "control='position'}",
  };
  return all;
}

/* Terms that share an action. */
inline const std::vector<std::string> &arm_mixes() {
  static const std::vector<std::string> all = {
      "{type='joint_delta', joints={'rail', 'yaw'}, scale=0.1, of='target'}, "
      "{type='gripper', actuators={'left_t', 'right_t'}}, "
      "{type='eef_pose', site='tool', joints={'lift', 'elbow', 'roll'}, control='position', "
      "scale=0.05, of='target'}, {type='joint_position', joints={'t.*'}, scale=0.3}, "
      "{type='ctrl', actuators={'fan_m'}, scale=0.1}",
      "{type='eef_pose', site='tool', joints={'yaw', 'lift', 'elbow', 'tilt'}, scale=0.05}, "
      "{type='eef_pose', site='bulb', joints={'swing', 'nod'}, mode='absolute', "
      "control='position', "
      "offset=0.5}",
      "{type='eef_pose', site='tool', joints={'lift', 'elbow', 'roll', 'tilt', 'turn'}, "
      "scale=0.05}, {type='joint_delta', joints={'rail'}, scale=0.02}, {type='joint_delta', "
      "joints={'yaw'}, of='target', scale=0.1}, {type='gripper', actuators={'right_t', 'left_t'}, "
      "threshold=0}",
  };
  return all;
}

/* Numbers in (-1, 1), the same wherever this runs. */
struct Dice {
  uint64_t state;
  explicit Dice(uint64_t seed) : state(seed * 2654435761u + 88172645463325252u) {}
  double operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
};

#endif
