-- An arm closes a drawer that a spring pushes open again, and has to hold it closed for half a
-- second. The policy is noisy: in some episodes it lets go too early and comes back, in some it
-- gives up, in some it sweeps the cup off the table.

-- Joint angles that bring the gripper, kept level, to a point; the shoulder is at height 0.55.
local function reach(x, y, z)
  local yaw = math.atan(y, x)
  local r, h = sqrt(x * x + y * y) - 0.11, z - 0.55
  local d = max(0.08, min(0.595, sqrt(r * r + h * h)))
  local bend = math.acos(d / 0.6)
  local shldr, elbow = -(math.atan(h, r) + bend), 2 * bend
  return yaw, shldr, elbow, -(shldr + elbow)
end

local arm = { "arm_base", "arm_shldr", "arm_elbow", "arm_wrist" }
local turn = 0.05 -- [rad] that an action of 1 moves a joint's target, and the most in one step

local phase, since, goal = "approach", 0, nil
local style, lapse_after, lapses

local function begin(s, rng)
  lapse_after, lapses = 6 + floor(14 * rng()), floor(2.6 * rng())
  local dice = rng()
  style = dice < 0.2 and "clumsy" or dice < 0.4 and "lazy" or "steady"
  local p = s.site.gripper
  goal = { p.x, p.y, p.z }
end

local function go(next)
  phase, since = next, 0
end

-- Where the gripper should be, and the fingers: -1 open, 1 closed.
local function plan(s, rng)
  local hx, hy, hz = s.site.handle.x, s.site.handle.y, s.site.handle.z
  local gap = s.dist("gripper", "handle")
  since = since + 1
  if style == "clumsy" and s.step < 120 then
    return s.body.cup.x - 0.02, s.body.cup.y + (s.step < 60 and -0.12 or 0.3), 0.47, -0.5
  elseif phase == "approach" then
    if abs(hx - 0.12 - s.site.gripper.x) < 0.03 and abs(hy - s.site.gripper.y) < 0.02 then
      go("grasp")
    end
    return hx - 0.12, hy, hz, -1
  elseif phase == "grasp" then
    if since > 40 or gap < 0.035 then go("push") end
    return hx - 0.01, hy, hz, since > 25 and 1 or -1
  elseif phase == "push" then
    if style == "lazy" and s.joint.drawer < 0.02 then go("rest") end
    if s.joint.drawer < 0.008 then go("hold") end
    return hx + 0.05, hy, hz, 1
  elseif phase == "hold" then
    if lapses > 0 and since > lapse_after then
      lapses, lapse_after = lapses - 1, 8 + floor(12 * rng())
      go("lapse")
    end
    return hx + 0.06, hy, hz, 1
  elseif phase == "lapse" then
    if since > 22 then go("grasp") end
    return hx - 0.09, hy, hz, -1
  end
  return hx - 0.15, hy, hz + 0.1, -1
end

return {
  name = "drawer_close",
  model = "drawer.xml",
  control_steps = 10, -- 50 Hz
  max_steps = 320,
  hold_seconds = 0.5,

  actions = {
    {
      type = "joint_delta",
      joints = { "arm_.*" },
      of = "target",
      scale = turn,
      clip = { min = -turn, max = turn },
    },
    { type = "gripper", actuators = { "grip" } },
  },

  reset = function(env, rng)
    local dx, dy = 0.04 * rng() - 0.02, 0.16 * rng() - 0.08
    env.model.body.table.pos = { 0.62 + dx, dy, 0.4 }
    if rng() < 0.5 then
      env.model.geom.handle.friction = { 0.3 + 0.6 * rng(), 0.01, 0.0005 }
    end
    env.qpos.drawer = 0.14 + 0.08 * rng()

    local cup_x, cup_y = 0.40 + dx + 0.04 * rng(), dy + 0.24 + 0.06 * rng()
    env.qpos.cup = { cup_x, cup_y, 0.4452, 1, 0, 0, 0 }
    env.mocap.target.pos = { cup_x, cup_y, 0.4452 }
    env.eq_active.pin = rng() < 0.35 -- a pinned cup cannot be knocked over

    local yaw, shldr, elbow, wrist = reach(0.3, 0.1 * rng() - 0.05, 0.6)
    env.qpos.arm_base, env.qpos.arm_shldr = yaw, shldr
    env.qpos.arm_elbow, env.qpos.arm_wrist = elbow, wrist
    env.ctrl.arm_base_t, env.ctrl.arm_shldr_t = yaw, shldr
    env.ctrl.arm_elbow_t, env.ctrl.arm_wrist_t = elbow, wrist
    env.qpos.grip_l, env.qpos.grip_r, env.ctrl.grip = 0.03, 0.03, 0.03
  end,

  success = {
    closed = function(s) return s.joint.drawer < 0.01 end,
    near = function(s) return s.dist("gripper", "handle") < 0.1 end,
  },
  failure = function(s) return s.body.cup.z < 0.3 end,
  reward = function(s) return s.predicate and 1 or -s.joint.drawer end,

  readouts = {
    gap = function(s) return s.dist("gripper", "handle") end,
    cup_tilt = function(s) return 1 - s.body.cup.up end,
  },

  policy = function(s, rng)
    if goal == nil then begin(s, rng) end
    local x, y, z, grip = plan(s, rng)
    local step = (style == "clumsy" or phase == "lapse") and 0.016 or 0.005 -- [m] per step
    local dx, dy, dz = x - goal[1], y - goal[2], z - goal[3]
    local far = max(1, norm({ dx, dy, dz }) / step)
    goal = { goal[1] + dx / far, goal[2] + dy / far, goal[3] + dz / far }
    local most = style == "clumsy" and 2 or 1 -- a clumsy arm asks for more than its terms give
    local angles, action = { reach(goal[1], goal[2], goal[3]) }, {}
    for i, joint in ipairs(arm) do
      local tremor = 0.6 * (rng() + rng() - 1)
      local wanted = (angles[i] - s.ctrl[joint .. "_t"]) / turn + tremor
      action[i] = max(-most, min(most, wanted))
    end
    action[5] = grip
    return action
  end,
}
