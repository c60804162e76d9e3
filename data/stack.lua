-- An arm takes the small cube and puts it on the large one. A careless one lets it go beside the
-- middle, and it may fall.

local onto = "cubeB" -- a body: "bin" puts it in there

local far, twist = 0.02, 0.1 -- [m] [rad] that an action of 1 moves the tool in one step
local aim, goal, off -- the step of the plan, where the tool is to be {x, y, z, yaw}, carelessness

-- Joint angles that bring the tool, pointing down, to a point; the shoulder is at height 0.55.
local function reach(x, y, z)
  local r, h = sqrt(x * x + y * y), z + 0.11 - 0.55
  local bend = math.acos(min(1, sqrt(r * r + h * h) / 0.6))
  local shldr, elbow = -(math.atan(h, r) + bend), 2 * bend
  local yaw = math.atan(y, x)
  return { yaw, shldr, elbow, math.pi / 2 - shldr - elbow, yaw } -- fingers along the y axis
end

local function yaw_of(body) return 2 * math.atan(body.quat[4], body.quat[1]) end

-- Where to go: above the cube, down, close, up, above the other, down, open, up.
local function plan(s)
  local a, b, safe = s.body.cubeA, s.body[onto], s.site.table_top.z + 0.16
  local drop = b.z + (onto == "cubeB" and 0.046 or 0.045)
  local x, y = b.x + off[1], b.y + off[2]
  return ({
    { a.x, a.y, safe, yaw_of(a), grip = -1 },
    { a.x, a.y, a.z, yaw_of(a), grip = -1 },
    { goal[1], goal[2], goal[3], goal[4], grip = 1, steps = 10 },
    { goal[1], goal[2], safe, goal[4], grip = 1 },
    { x, y, safe, goal[4], grip = 1 },
    { x, y, drop, goal[4], grip = 1 },
    { x, y, drop, goal[4], grip = -1, steps = 8 },
    { x, y, safe, goal[4], grip = -1, steps = math.huge },
  })[aim[1]]
end

-- The screen shows what a condition read last.
local function lifted(s) return s.site.table_top.z + 0.04 < s.body.cubeA.z end
local function held(s) return s.contact("finger_l", "cubeA") and s.contact("finger_r", "cubeA") end

return {
  name = "stack",
  model = "cubes.xml",
  control_steps = 20, -- 25 Hz
  max_steps = 150,
  hold_seconds = 0.4,

  actions = {
    { type = "eef_pose", site = "tool", joints = { "arm_.*" }, of = "target" },
    { type = "gripper", actuators = { "grip" } },
  },
  action_range = {
    min = { -far, -far, -far, -twist, -twist, -twist, -1 },
    max = { far, far, far, twist, twist, twist, 1 },
  },

  reset = function(env, rng)
    local function cube(y, z)
      local yaw = rng(-0.4, 0.4)
      return { rng(0.33, 0.42), y, z, math.cos(yaw / 2), 0, 0, math.sin(yaw / 2) }
    end
    env.qpos.cubeA = cube(rng(0.08, 0.15), 0.42)
    env.qpos.cubeB = cube(rng(-0.04, 0), 0.425)
    for i, joint in ipairs({ "arm_base", "arm_shldr", "arm_elbow", "arm_wrist", "arm_turn" }) do
      local angle = reach(0.34, 0, 0.6)[i]
      env.qpos[joint], env.ctrl[joint .. "_t"] = angle, angle
    end
    env.qpos.grip_l, env.qpos.grip_r, env.ctrl.grip = 0.04, 0.04, 0.04
  end,

  success = {
    lifted = lifted,
    touching = function(s) return s.contact("cubeA", "cubeB") end,
    let_go = function(s) return not held(s) end,
  },
  failure = function(s) return s.body.cubeA.z < s.site.table_top.z - 0.1 end,
  stages = {
    { name = "reach", test = function(s) return s.dist("tool", "cubeA") < 0.02 end },
    { name = "grasp", test = held, hold_seconds = 0.2 },
    { name = "lift", test = lifted, hold_seconds = 0.2 },
    { name = "put", test = function(s) return s.contact("cubeA", "cubeB") end },
  },
  reward = function(s) return s.predicate and 1 or 0.25 * s.stages_done / 4 end,
  readouts = { pinch = function(s) return s.force("finger_.*", "cubeA") end },

  policy = function(s, rng)
    if not goal then
      local p = s.site.tool
      aim, goal = { 1, 0 }, { p.x, p.y, p.z, 0 }
      local slip = rng() < 0.3 and 0.035 or 0.004
      off = { slip * rng(-1, 1), slip * rng(-1, 1) }
    end
    local to, action, left = plan(s), {}, 0
    for i, unit in ipairs({ far, far, far, twist }) do
      local move = max(-1, min(1, (to[i] - goal[i]) / unit))
      goal[i] = goal[i] + move * unit
      left = max(left, abs(move))
      action[i < 4 and i or 6] = move
    end
    action[4], action[5], action[7] = 0, 0, to.grip
    aim[2] = aim[2] + 1
    if left < 0.1 and aim[2] > (to.steps or 4) then aim = { aim[1] + 1, 0 } end
    return action
  end,
}
