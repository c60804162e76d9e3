return { name = "t", model = "m.xml", control_steps = 10, max_steps = 50,
  actions = { {type="joint_position", joints={"arm_.*"}, scale=0.5}, {type="ctrl", actuators={"grip"}} },
  action_range = {min={-1,-1}, max={1,1}},
  reset = function(env, rng) env.qpos.drawer = 0.2 + 0.1*rng() end,
  reward = function(s) return s.predicate and 1 or 0 end,
  success = { closed = function(s) return s.joint.drawer < 0.01 end },
  hold_seconds = 0.5, policy = function(s, rng) return {0, 0} end }
