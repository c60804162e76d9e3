-- A four-legged body gets up from a crouch and has to stand, level, for one second.

local legs = { "fl", "fr", "rl", "rr" }
local sign = { fl = 1, fr = -1, rl = 1, rr = -1 } -- left legs spread to the left

local function level(s) return s.body.trunk.up end

return {
  name = "quadruped_stand",
  model = "quadruped.xml",
  control_steps = 5, -- 50 Hz
  max_steps = 250,
  hold_seconds = 1.0,

  actions = { { type = "ctrl", actuators = { ".*" } } },

  reset = function(env, rng)
    env.qpos.trunk = { 0, 0, 0.2, 1, 0.05 * (rng() - 0.5), 0.05 * (rng() - 0.5), 0 }
    env.qvel.trunk = { 0.2 * (rng() - 0.5), 0.2 * (rng() - 0.5), 0, 0, 0, 0 }
    for _, leg in ipairs(legs) do
      env.qpos[leg .. "_hip"] = { math.cos(0.4), 0, math.sin(0.4), 0 }
      env.qpos[leg .. "_knee"] = -1.6
      env.ctrl[leg .. "_swing"], env.ctrl[leg .. "_knee"] = 0.8, -1.6
    end
    if rng() < 0.5 then -- a steady push from the side
      env.xfrc.trunk = { 0, 26 * (rng() - 0.5), 0, 0, 0, 0 }
    end
    env.model.geom.floor.friction = { 0.5 + 0.7 * rng(), 0.02, 0.001 }
  end,

  success = {
    high = function(s) return s.body.trunk.z > 0.28 end,
    level = function(s) return level(s) > 0.97 end,
    still = function(s) return s.speed("trunk") < 0.25 end,
  },
  failure = function(s) return level(s) < 0.2 end,
  reward = function(s) return min(s.body.trunk.z / 0.3, 1) * max(level(s), 0) end,

  policy = function(s, rng)
    local rise = min(1, s.step / 80)
    local sway = 0.2 * (rng() - 0.5)
    local stumble = rng() < 0.05 -- one leg gives way for a moment
    local weak = 1 + floor(4 * rng())
    local action = {}
    for i, leg in ipairs(legs) do
      local knee = -1.6 + 1.0 * rise
      if stumble and i == weak then knee = knee - 1.2 end
      action[#action + 1] = -0.5 * knee + 0.05 * (rng() - 0.5)
      action[#action + 1] = sign[leg] * 0.08 + sway
      action[#action + 1] = knee + 0.1 * (rng() - 0.5)
    end
    return action
  end,
}
