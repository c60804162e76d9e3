-- What bench_record records: a body that falls, lies there and fights its joints.
return {
  name = "humanoid",
  model = "humanoid.xml",
  control_steps = 10, -- 50 Hz
  max_steps = 500,
  actions = { { type = "ctrl", actuators = { ".*" } } },
  reset = function(env, rng)
    env.qpos.root = { 0, 0, 1.3 + 0.1 * rng(), 1, 0.1 * (rng() - 0.5), 0.1 * (rng() - 0.5), 0 }
  end,
  success = function(s) return s.body.torso.z > 10 end,
  reward = function(s) return s.body.torso.up end,
  policy = function(s, rng)
    local action = {}
    for i = 1, 21 do action[i] = 0.6 * (rng() - 0.5) - 0.1 * s.joint.abdomen_y end
    return action
  end,
}
