-- Muscles bring a hand to a target and keep it there for 0.4 s.

local upper, fore = 0.3, 0.34 -- [m] shoulder to elbow, elbow to the tip of the hand

local function angles(x, z)
  local d2 = x * x + z * z
  local c = max(-1, min(1, (d2 - upper * upper - fore * fore) / (2 * upper * fore)))
  local elbow = math.acos(c)
  return math.atan(z, x) - math.atan(fore * math.sin(elbow), upper + fore * c), elbow
end

local function clip(x) return max(0, min(1, x)) end

-- What a pair of muscles pulls for a wanted torque, with some tension in both.
local function pair(torque, strength)
  return clip(0.05 + torque / strength), clip(0.05 - torque / strength)
end

local sum_shoulder, sum_elbow, slack = 0, 0, 0

return {
  name = "muscle_reach",
  model = "muscle.xml",
  control_steps = 10, -- 50 Hz
  max_steps = 200,
  hold_seconds = 0.4,

  actions = { { type = "ctrl", actuators = { ".*" } } },

  reset = function(env, rng)
    local a, r = -1.0 + 1.6 * rng(), 0.42 + 0.16 * rng()
    env.mocap.target.pos = { r * math.cos(a), 0, r * math.sin(a) }
    env.qpos.shoulder, env.qpos.elbow = -1.2 + 0.3 * rng(), 0.4 + 0.5 * rng()
    env.act.deltoid = 0.1 * rng()
    env.model.body.hand.mass = 0.08 + 0.12 * rng()
  end,

  success = function(s) return s.dist("hand", "target") < 0.04 end,
  reward = function(s) return -s.dist("hand", "target") end,
  readouts = {
    miss = function(s) return s.dist("hand", "target") end,
    biceps = function(s) return s.sensor.biceps_force end,
  },

  policy = function(s, rng)
    local shoulder, elbow = angles(s.body.target.x, s.body.target.z)
    local e1, e2 = shoulder - s.joint.shoulder, elbow - s.joint.elbow
    sum_shoulder = max(-2, min(2, sum_shoulder + 0.1 * e1))
    sum_elbow = max(-2, min(2, sum_elbow + 0.1 * e2))
    if rng() < 0.012 then slack = 8 end -- the arm goes limp for a moment
    slack = slack - 1
    local t1 = 14 * e1 - 1.6 * s.qvel.shoulder + 6 * sum_shoulder + 2
    local t2 = 9 * e2 - 0.9 * s.qvel.elbow + 5 * sum_elbow + 0.6
    if slack > 0 then t1, t2 = 0, 0 end
    local deltoid, lat = pair(t1 + 3 * (rng() - 0.5), 20)
    local biceps, triceps = pair(t2 + 2 * (rng() - 0.5), 14)
    return { deltoid, lat, biceps, triceps, -0.3 * s.joint.wrist }
  end,
}
