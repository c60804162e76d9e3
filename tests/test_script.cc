#include "script_help.h"

#include <locale.h>

namespace {

std::string load_error(const std::string &source) {
  std::string error = "loaded";
  ph_script_free(script_open(source, &error));
  return error;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/* --- what is not there --- */

TEST(Script, GlobalsAreTheWhitelist) {
  const char *absent[] = {"setmetatable",
                          "getmetatable",
                          "rawset",
                          "rawget",
                          "rawequal",
                          "rawlen",
                          "coroutine",
                          "load",
                          "loadstring",
                          "loadfile",
                          "dofile",
                          "next",
                          "require",
                          "package",
                          "io",
                          "os",
                          "debug",
                          "collectgarbage",
                          "_G",
                          "print",
                          "warn",
                          "utf8",
                          "xpcall",
                          "_VERSION",
                          "string.find",
                          "string.match",
                          "string.gmatch",
                          "string.gsub",
                          "string.dump",
                          "string.pack",
                          "string.unpack",
                          "string.packsize",
                          "math.random",
                          "math.randomseed"};
  for (const char *name : absent)
    EXPECT_EQ("t.lua: a task file returns a table, this one a nil",
              load_error(std::string("return ") + name))
        << name;
  for (const char *name :
       {"assert", "error", "ipairs", "pairs", "pcall", "select", "tonumber", "tostring", "type",
        "abs", "min", "max", "floor", "sqrt", "norm", "math.sin", "string.format", "table.sort"})
    EXPECT_EQ("t.lua: a task file returns a table, this one a function",
              load_error(std::string("return ") + name))
        << name;
}

TEST(Script, WhoDrawsNumbersIsToldOfRng) {
  const char said[] = ": reset and policy are given rng, whose numbers are the same for the same "
                      "seed: rng(), rng(a, b), rng:normal()";
  EXPECT_EQ("t.lua:1: attempt to call a nil value (field 'random')" + std::string(said),
            load_error("return math.random()"));
  EXPECT_TRUE(has(load_error("math.randomseed(1)"), said));
  EXPECT_FALSE(has(load_error("math.sinn(1)"), said));
}

TEST(Script, StringsHaveTheWhitelistedMethodsAlone) {
  EXPECT_TRUE(has(load_error("return ('x'):find('x')"), "t.lua:1: attempt to call a nil value"));
  EXPECT_TRUE(
      has(load_error("local s = '' return s.gsub('a', 'b')"), "attempt to call a nil value"));
  EXPECT_TRUE(has(load_error("return ('a'):rep(3):upper()"), "this one a string"));
  EXPECT_TRUE(has(load_error("return '1' + 1"), "attempt to perform arithmetic on a string value"));
}

TEST(Script, OnlyText) {
  EXPECT_EQ("t.lua: attempt to load a binary chunk (mode is 't')", load_error("\x1bLua"));
  EXPECT_EQ("t.lua:2: _ENV: is not available to tasks",
            load_error("x = 1\nlocal _ENV <const> = 11; X = 'hi' return {}"));
  EXPECT_TRUE(has(load_error(std::string(300 << 10, ' ') + "return {}"), "a task may have 262144"));
  EXPECT_EQ("t.lua: a task file returns a table, this one a nil", load_error(""));
  EXPECT_TRUE(has(load_error(std::string("return {}\0x", 11)), "t.lua:1:"));
}

/* --- hostile scripts: all end by a limit, none crash --- */

struct Hostile {
  const char *what, *source, *says;
};

const Hostile hostile[] = {
    {"endless", "while true do end", "t.lua:1: instruction limit"},
    {"endless goto", "::a:: goto a", "t.lua:1: instruction limit"},
    {"pcall loop", "while true do pcall(function() while true do end end) end",
     "instruction limit"},
    {"pcall of pcall",
     "local function f() pcall(f) while true do pcall(f) end end while true do pcall(f) end",
     "limit"},
    {"error in error",
     "local function f() pcall(error, pcall) return pcall(f) end while true do f() end", "limit"},
    {"metatables", "setmetatable({}, {__gc = function() while true do end end})",
     "t.lua:1: attempt"},
    {"closing", "local x <close> = setmetatable({}, {})", "t.lua:1: attempt to call a nil value"},
    {"backtracking", "return string.find(string.rep('a', 3000), string.rep('.-', 6) .. 'b')",
     "t.lua:1: attempt"},
    {"coroutine", "coroutine.wrap(function() while true do end end)()", "t.lua:1: attempt"},
    {"huge rep", "local s = string.rep('x', 1e9)", "t.lua:1: string.rep: the result has more"},
    {"huge rep of nothing", "return string.rep('', math.maxinteger)", "this one a string"},
    {"rep by separator", "return string.rep('', 1e9, 'xy')", "string.rep: the result has more"},
    {"rep loop", "local s while true do s = string.rep('x', 60000) end", "instruction limit"},
    {"doubling", "local s = 'x' while true do s = s .. s end", "t.lua:1: memory limit"},
    {"doubling in pcall",
     "local s = 'x' while true do pcall(function() while true do s = s .. s end end) s = 'x' end",
     "memory limit"},
    {"long comparisons",
     "local a, b = string.rep('x', 60000), string.rep('x', 59999) .. 'x' local n = 0 "
     "while true do if a == b then n = n + 1 end if a < b then n = n - 1 end end",
     "instruction limit"},
    {"long number", "local a = string.rep('1', 60000) while true do local x = tonumber(a) end",
     "instruction limit"},
    {"evil comparison",
     "local t = {} for i = 1, 200000 do t[i] = i end table.sort(t, function() return true end)",
     "instruction limit"},
    {"erring comparison",
     "local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function() error('no') end)",
     "t.lua:1: no"},
    {"sort that shrinks",
     "local t = {} for i = 1, 50 do t[i] = i end "
     "table.sort(t, function(a, b) for i = 1, 50 do t[i] = nil end return a < b end)",
     "t.lua:1: attempt to compare"},
    {"recursion", "local function f() return 1 + f() end f()", "t.lua:1: stack limit"},
    {"recursion in pcall", "local function f() pcall(f) f() end f()", "limit"},
    {"tail calls", "local function f() return f() end f()", "t.lua:1: instruction limit"},
    {"huge move", "table.move({}, 1, math.maxinteger - 1, 2, {})", "instruction limit"},
    {"move loop", "local t = {} while true do table.move(t, 1, 100000, 2) end",
     "instruction limit"},
    {"huge concat", "table.concat({}, '', 1, 2^31)", "instruction limit"},
    {"huge unpack", "return select('#', table.unpack({}, 1, 1e6))", "t.lua:1: table.unpack: more"},
    {"unpack overflow", "return table.unpack({}, math.mininteger, math.maxinteger)",
     "table.unpack: more"},
    {"unpack loop", "while true do select('#', table.unpack({}, 1, 1000)) end",
     "instruction limit"},
    {"growing arguments",
     "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) end f()", "limit"},
    {"passing results on",
     "local function g(n) if n == 0 then return 1 end return 1, 2, 3, 4, 5, 6, 7, 8, g(n - 1) end "
     "local function h(n) if n == 0 then return g(3000) end return 1, h(n - 1) end "
     "while true do h(300) end",
     "limit"},
    {"one big table", "local t = {} local i = 0 while true do i = i + 1 t[i] = i end", "limit"},
    {"many tables", "local t = {} while true do t = {t, {}, {}, {}} end", "memory limit"},
    {"table churn",
     "local t = {} for i = 1, 30000 do t['k' .. i] = i end "
     "while true do t[{}] = 1 for i = 1, 3 do t['z' .. i] = 1 t['z' .. i] = nil end end",
     "limit"},
    {"pairs of an emptied table",
     "local t = {} for i = 1, 300000 do t[i] = i end for i = 1, 300000 do t[i] = nil end "
     "while true do for k in pairs(t) do end end",
     "instruction limit"},
    {"insert at front", "local t = {} while true do table.insert(t, 1, 1) end",
     "instruction limit"},
    {"remove at front",
     "local t = {} for i = 1, 100000 do t[i] = 1 end while true do table.remove(t, 1) t[100000] = "
     "1 end",
     "instruction limit"},
    {"format width", "return string.format('%9999d', 1)", "t.lua:1: invalid conversion"},
    {"format address", "return string.format('%p', {})", "t.lua:1: string.format: %p is not"},
    {"format address flags", "return string.format('%-20p', {})", "string.format: %p is not"},
    {"format of a table", "return string.format('%q', {})", "t.lua:1: bad argument"},
    {"format end", "return string.format('%')", "t.lua:1: bad argument"},
    {"closures",
     "local function f(n) return function() return f(n + 1) end end "
     "local g = f(1) while true do g = g() end",
     "limit"},
    {"deep nesting by text", "return ((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))",
     "this one a number"},
};

TEST(Script, HostileScriptsEndWithinTheLimits) {
  for (const Hostile &h : hostile) {
    std::string error = load_error(h.source);
    EXPECT_TRUE(has(error, h.says)) << h.what << ": " << error;
    EXPECT_EQ(std::string::npos, error.find('\n')) << h.what;
  }
}

TEST(Script, DeepTextIsAnError) {
  std::string open, close;
  for (int i = 0; i < 1000; i++)
    open += "(", close += ")";
  EXPECT_EQ("t.lua: C stack overflow", load_error("return " + open + "1" + close));
  for (int i = 0; i < 20000; i++)
    open += "{", close += "}";
  EXPECT_EQ("t.lua: C stack overflow", load_error("return " + open + close));
  std::string not_not = "return ";
  for (int i = 0; i < 5000; i++)
    not_not += "not ";
  EXPECT_EQ("t.lua: C stack overflow", load_error(not_not + "1"));
}

TEST(Script, LongTextsWithinTheLimitLoad) {
  std::string many = "return {readouts = {";
  for (int i = 0; i < 900; i++)
    many += "r" + std::to_string(i) + " = function(s) return " + std::to_string(i) + ".5 end,\n";
  EXPECT_EQ("loaded", load_error(many + "}}"));
  std::string constants = "local t = {";
  for (int i = 0; i < 12000; i++)
    constants += std::to_string(i) + ".25,";
  EXPECT_EQ("loaded", load_error(constants + "} assert(t[11999] == 11998.25) return {}"));
}

TEST(Script, ArgumentsOfEveryFunctionAreChecked) {
  const char *functions[] = {
      "assert",       "error",          "ipairs",        "pairs",        "pcall",
      "select",       "tonumber",       "tostring",      "type",         "norm",
      "string.byte",  "string.char",    "string.format", "string.len",   "string.lower",
      "string.rep",   "string.reverse", "string.sub",    "string.upper", "table.concat",
      "table.insert", "table.move",     "table.pack",    "table.remove", "table.sort",
      "table.unpack", "math.floor",     "math.max",      "math.fmod"};
  const char *values[] = {
      "",    "nil",  "0",         "-1",  "1e308", "0/0",         "{}",
      "'x'", "true", "math.type", "1/0", "{1}",   "'%s%d%5.3f'", "math.mininteger"};
  std::string source;
  for (const char *f : functions)
    for (const char *a : values)
      for (const char *b : values)
        if (*a || !*b)
          source += std::string("pcall(") + f + (*a ? "," : "") + a + (*b ? "," : "") + b + ")\n";
  EXPECT_EQ("loaded", load_error(source + "return {}"));
}

TEST_F(ScriptTest, ALimitThatWasHitStaysHit) {
  std::string error;
  script = script_open("return {reward = function(s) if s.step == 7 then while true do end end "
                       "return 1 end,\nfailure = function(s) return false end}",
                       &error);
  ASSERT_NE(nullptr, script) << error;
  double value;
  bool flag;
  scene.step = 6;
  EXPECT_EQ(PH_OK, ph_script_reward(script, &scene, &value));
  scene.step = 7;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, &value));
  std::string first = ph_error();
  EXPECT_TRUE(has(first, "t.lua:1: reward: instruction limit")) << first;
  EXPECT_LE(script->work, PH_SCRIPT_WORK + 2000);
  scene.step = 6;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, &value));
  EXPECT_EQ(first, ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_failure(script, &scene, &flag));
}

TEST_F(ScriptTest, EachCallHasABudgetOfItsOwn) {
  std::string error;
  script =
      script_open("return {reward = function(s) for i = 1, 1000000 do end return 1 end}", &error);
  ASSERT_NE(nullptr, script) << error;
  for (int i = 0; i < 20; i++) {
    double value;
    ASSERT_EQ(PH_OK, ph_script_reward(script, &scene, &value)) << i << ": " << ph_error();
    EXPECT_GT(script->work, 900000);
  }
}

TEST_F(ScriptTest, MemoryOverCallsIsLimited) {
  std::string error;
  script = script_open("local t = {} return {reward = function(s) for i = 1, 20000 do "
                       "t[#t + 1] = {} end return 1 end}",
                       &error);
  ASSERT_NE(nullptr, script) << error;
  double value;
  ph_status st = PH_OK;
  int calls = 0;
  for (; st == PH_OK && calls < 1000; calls++)
    st = ph_script_reward(script, &scene, &value);
  EXPECT_EQ(PH_ETASK, st);
  EXPECT_TRUE(has(ph_error(), "memory limit: it needs more than 64 MiB")) << ph_error();
  EXPECT_GT(calls, 20);
  EXPECT_LE(script->used, PH_SCRIPT_MEMORY + PH_SCRIPT_MEMORY / 8);
}

/* --- determinism --- */

const char *const walk =
    "local t = {shoulder=1, elbow=2, wrist=3, [3]='c', [1]='a', [2.5]='x', [true]=1, [false]=0, "
    "gripper=4, drawer=5, cup=6, [-7]=1} "
    "local s = '' for k, v in pairs(t) do s = s .. tostring(k) .. '=' .. tostring(v) .. ' ' end ";

TEST_F(ScriptTest, PairsGivesNumbersThenStringsInOrder) {
  EXPECT_EQ(
      "t.lua:1: reward: -7=1 1=a 2.5=x 3=c cup=6 drawer=5 elbow=2 gripper=4 shoulder=1 wrist=3 "
      "false=0 true=1 ",
      fails(std::string(walk) + "error(s)"));
  EXPECT_TRUE(has(fails("for k in pairs({[{}] = 1}) do end return 1"), "pairs: a key is a table"));
  EXPECT_EQ(3, eval("(function() local n = 0 local t = {a=1, b=2, c=3, d=4} for k in pairs(t) do "
                    "n = n + 1 t.c = nil t.e = 1 end return n end)()"));
  EXPECT_EQ(0, eval("(function() local n = 0 for k in pairs({}) do n = n + 1 end return n end)()"));
}

TEST_F(ScriptTest, TostringHasNoAddresses) {
  EXPECT_EQ("t.lua:1: reward: table function userdata nil true 1 1.5",
            fails("error(tostring({}) .. ' ' .. tostring(norm) .. ' ' .. tostring(s) .. ' ' .. "
                  "tostring(nil) .. ' ' .. tostring(true) .. ' ' .. tostring(1) .. ' ' .. 1.5)"));
  EXPECT_EQ("t.lua:1: reward: table|userdata|     x",
            fails("error(string.format('%s|%s|%6s', {}, s.joint, 'x'))"));
  EXPECT_EQ("t.lua:1: reward: error with a table for a message", fails("error({})").substr(0));
  EXPECT_EQ("t.lua:1: reward: error 12", fails("error(12)"));
  EXPECT_EQ("t.lua:1: reward: error with a nil for a message", fails("error()"));
}

TEST_F(ScriptTest, SortIsStable) {
  std::string keys = "local t = {} for i = 1, 500 do t[i] = {key = i * 7 % 5, at = i} end "
                     "table.sort(t, function(a, b) return a.key < b.key end) "
                     "for i = 2, 500 do local a, b = t[i - 1], t[i] "
                     "assert(a.key < b.key or a.key == b.key and a.at < b.at) end return #t";
  double value = 0;
  EXPECT_EQ("", reward(keys, &value));
  EXPECT_EQ(500, value);
  EXPECT_EQ(
      "", reward("local t = {3, 1, 2} table.sort(t) return t[1] + 10 * t[2] + 100 * t[3]", &value));
  EXPECT_EQ(321, value);
  EXPECT_TRUE(has(fails("table.sort({1, 'x'}) return 1"), "attempt to compare"));
}

TEST_F(ScriptTest, TwoStatesGiveTheSameBits) {
  std::string source = std::string("return {reward = function(scene) ") + walk +
                       "local x = #s for i = 1, #s do x = x * 1.000001 + string.byte(s, i) * "
                       "math.sin(i) end return x + scene.dist('cup', 'grip') end, "
                       "policy = function(s, rng) return {rng(), rng(-1, 1), rng:normal()} end}";
  double values[2], actions[2][3];
  for (int i = 0; i < 2; i++) {
    std::string error;
    ph_script *one = script_open(source, &error);
    ASSERT_NE(nullptr, one) << error;
    ph_rng_seed(&rng, 5, 1);
    EXPECT_EQ(PH_OK, ph_script_reward(one, &scene, &values[i])) << ph_error();
    EXPECT_EQ(PH_OK, ph_script_policy(one, &scene, &rng, actions[i], 3)) << ph_error();
    ph_script_free(one);
  }
  EXPECT_EQ(0, memcmp(&values[0], &values[1], sizeof values[0]));
  EXPECT_EQ(0, memcmp(actions[0], actions[1], sizeof actions[0]));
}

TEST_F(ScriptTest, TheHostsLocaleChangesNothing) {
  locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
  locale_t before = comma ? uselocale(comma) : (locale_t)0;
  EXPECT_EQ(1.5, eval("tonumber('1.5')"));
  EXPECT_EQ("t.lua:1: reward: 2.5", fails("error(tostring(2.5))"));
  if (comma) {
    EXPECT_EQ(comma, uselocale((locale_t)0)); /* and is put back */
    uselocale(before);
    freelocale(comma);
  }
}

/* --- errors --- */

TEST_F(ScriptTest, ErrorsNameFileLineAndFunction) {
  std::string error;
  script = script_open("return {\n"
                       "  reward = function(s)\n    return s.x.y\n  end,\n"
                       "  failure = function(s) return 1 end,\n"
                       "  success = {\n    a = function(s) return 'yes' end,\n"
                       "    b = function(s) return true end },\n"
                       "  readouts = { r = function(s)\n return 1 / 0 end },\n"
                       "  policy = function(s, rng) return {1, 2} end,\n"
                       "  reset = function(env, rng) assert(false, 'no\\nway') end,\n}",
                       &error);
  ASSERT_NE(nullptr, script) << error;
  double values[4];
  bool flag;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, values));
  EXPECT_STREQ("t.lua:3: reward: s has no 'x'", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_failure(script, &scene, &flag));
  EXPECT_STREQ("t.lua:5: failure: must return true or false, returned number", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_success(script, &scene, &flag, nullptr));
  EXPECT_STREQ("t.lua:7: success.a: must return true or false, returned string", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_readouts(script, &scene, values));
  EXPECT_STREQ("t.lua:9: readouts.r: must return a finite number, returned inf", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_policy(script, &scene, &rng, values, 3));
  EXPECT_STREQ("t.lua:11: policy: must return 3 numbers, returned 2", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_reset(script, sim, &rng));
  EXPECT_STREQ("t.lua:12: reset: no\\x0away", ph_error());
}

TEST_F(ScriptTest, LongFileNamesKeepTheirEndAndTheLine) {
  std::string name = std::string(400, 'd') + "/drawer.lua", error;
  EXPECT_EQ(nullptr, script_open("\nreturn {", &error, name.c_str()));
  EXPECT_TRUE(has(error, "drawer.lua:2: unexpected symbol near <eof>")) << error;
  script = script_open("return {\nreward = function() return {} end}", &error, name.c_str());
  ASSERT_NE(nullptr, script) << error;
  double value;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, &value));
  EXPECT_TRUE(has(ph_error(), "drawer.lua:2: reward: must return a number, returned table"))
      << ph_error();
}

TEST_F(ScriptTest, PcallCatchesWhatIsNoLimit) {
  EXPECT_EQ(1, eval("pcall(error, 'x') and 0 or 1"));
  EXPECT_EQ(7, eval("select(2, pcall(function(a) return a + 3 end, 4))"));
  EXPECT_EQ(1, eval("(function() local ok, e = pcall(function() return s.joint.drawr end) "
                    "return (not ok and type(e) == 'string') and 1 or 0 end)()"));
}

TEST_F(ScriptTest, HelpersCompute) {
  EXPECT_EQ(5, eval("norm(3, 4)"));
  EXPECT_EQ(5, eval("norm({0, 3, 4})"));
  EXPECT_EQ(0, eval("norm({})"));
  EXPECT_TRUE(has(fails("return norm({1, {}})"), "norm: element 2 is a table"));
  EXPECT_EQ(6, eval("abs(-1) + min(2, 3) + max(0, 1) + floor(1.5) + sqrt(1)"));
  EXPECT_EQ(3, eval("table.unpack({1, 2, 3}, 3)"));
  EXPECT_EQ(6, eval("#table.concat({'ab', 'c'}, ', ') + #('%'):rep(1)"));
  EXPECT_EQ(1, eval("(function() local t = {1, 2} table.insert(t, 1, 0) table.remove(t, 1) "
                    "return table.move(t, 1, 2, 1)[1] end)()"));
  EXPECT_EQ(20, eval("tonumber(string.format('%d%%', 20):sub(1, 2))"));
}

TEST_F(ScriptTest, ThePolicysActionIsChecked) {
  auto policy = [&](const char *value, size_t n, double *out) {
    ph_script_free(script);
    std::string error;
    script = script_open(std::string("return {policy = function(s, rng) return ") + value + " end}",
                         &error);
    EXPECT_NE(nullptr, script) << error;
    return ph_script_policy(script, &scene, &rng, out, n) == PH_OK ? "" : std::string(ph_error());
  };
  double out[3];
  EXPECT_EQ("", policy("{1, 2, 0/0}", 3, out));
  EXPECT_EQ(2, out[1]);
  EXPECT_TRUE(std::isnan(out[2])); /* the env says which element is not finite */
  EXPECT_EQ("", policy("4", 1, out));
  EXPECT_EQ(4, out[0]);
  EXPECT_TRUE(has(policy("4", 2, out), "must return a table of numbers, returned number"));
  EXPECT_TRUE(has(policy("nil", 2, out), "returned nothing"));
  EXPECT_TRUE(has(policy("{1, '2'}", 2, out), "action[1] is a string"));
  EXPECT_EQ("", policy("{}", 0, out));
  ph_script_free(script);
  script = script_open("return {}");
  EXPECT_EQ(PH_ENOTFOUND, ph_script_policy(script, &scene, &rng, out, 1));
  bool flag = true;
  EXPECT_EQ(PH_ENOTFOUND, ph_script_success(script, &scene, &flag, nullptr));
  EXPECT_FALSE(flag);
  EXPECT_EQ(PH_OK, ph_script_failure(script, &scene, &flag));
  EXPECT_EQ(PH_OK, ph_script_reset(script, sim, &rng));
}

TEST_F(ScriptTest, ThePolicyKeepsItsMemoryForOneScript) {
  std::string error;
  const char *source = "local n = 0 return {policy = function() n = n + 1 return n end}";
  script = script_open(source, &error);
  double out = 0;
  for (int i = 1; i <= 3; i++) {
    ASSERT_EQ(PH_OK, ph_script_policy(script, &scene, &rng, &out, 1));
    EXPECT_EQ(i, out);
  }
  ph_script *fresh = script_open(source, &error);
  EXPECT_EQ(PH_OK, ph_script_policy(fresh, &scene, &rng, &out, 1));
  EXPECT_EQ(1, out);
  ph_script_free(fresh);
}

TEST_F(ScriptTest, RngIsTheStream) {
  ph_rng other;
  ph_rng_seed(&rng, 9, 0);
  ph_rng_seed(&other, 9, 0);
  EXPECT_EQ("", reset("env.userdata[1] = rng() env.userdata[2] = rng(2, 5) "
                      "env.userdata[3] = rng:normal() + rng.normal() + rng:normal(10, 2)"));
  double u = ph_rng_uniform(&other), v = 2 + 3 * ph_rng_uniform(&other);
  double a = ph_rng_normal(&other), b = ph_rng_normal(&other), c = 10 + 2 * ph_rng_normal(&other);
  EXPECT_EQ(u, sim->d->userdata[0]);
  EXPECT_EQ(v, sim->d->userdata[1]);
  EXPECT_EQ(a + b + c, sim->d->userdata[2]);
  EXPECT_EQ(0, memcmp(&rng, &other, sizeof rng));
  EXPECT_TRUE(has(reset("rng(1)"), "bad argument"));
  EXPECT_TRUE(has(reset("rng.norml()"), "rng has no 'norml'; did you mean 'normal'?"));
  EXPECT_TRUE(has(reset("rng.x = 1"), "rng is read only"));
}

} // namespace
