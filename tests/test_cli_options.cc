// Each option of each verb changes what the verb does: a table of them, which the verbs' own help
// is held against.
#include <map>
#include <regex>
#include <set>

#include "cli_help.h"

using namespace cli_help;

namespace {

using Args = std::vector<string>;

struct Case {
  string verb, option;
  Args without, with; /* arguments after the verb; those of `with` stand behind the others */
};

/* Options that change nothing here, and why. */
const std::map<string, string> kElsewhere = {
    {"jobs", "of verify, latch and cut: they say the same whatever it is, see their tests"},
    {"group", "of files with groups"},
    {"follow", "goes on until it is ended"},
    {"missing-assets", "of models with assets"},
    {"policy-timeout", "waits: see below"},
    {"help", "of all verbs: see test_cli"},
    {"version", "of all verbs: see test_cli"},
};

const char kPolicy[] = "read first; while read x; do echo [2]; done";

const Args kRecord = {"cart.lua", "--out", "new", "--json"};
const Args kCut = {"run", "--hold", "0.01", "--dry-run"};

const std::vector<Case> kCases = {
    {"screen", "episode", {"run"}, {"--episode", "1"}},
    {"screen", "at", {"run"}, {"--at", "5"}},
    {"screen", "size", {"run"}, {"--size", "100x30"}},
    {"screen", "keys", {"run"}, {"--keys", "n n"}},
    {"screen", "task", {"run", "--at", "last"}, {"--task", "judge.lua"}},
    {"screen", "predicate-command", {"run"}, {"--predicate-command", "exit 4"}},
    {"screen", "mode", {"run", "--at", "5"}, {"--mode", "both"}},
    {"screen", "hold", {"run"}, {"--hold", "0.1"}},
    {"screen", "envs", {"run", "--size", "120x40"}, {"--envs", "all"}},
    {"screen", "success", {"run", "--at", "last"}, {"--success", "s.joint.cart > 1"}},
    {"screen", "ghost", {"run"}, {"--ghost", "run:1"}},
    {"screen", "model", {"run"}, {"--model", "other.xml"}},
    {"screen", "assets", {"run"}, {"--assets", "none"}},
    {"screen", "scheme", {"run", "--color"}, {"--scheme", "light"}},
    {"screen", "color", {"run"}, {"--color"}},
    {"screen", "ascii", {"run"}, {"--ascii"}},
    {"info", "model", {"run"}, {"--model", "other.xml"}},
    {"info", "assets", {"run"}, {"--assets", "none"}},
    {"info", "json", {"run"}, {"--json"}},
    {"export", "episode", {"run"}, {"--episode", "1"}},
    {"export", "at", {"run", "--as", "key"}, {"--at", "3"}},
    {"export", "range", {"run"}, {"--range", "2:4"}},
    {"export", "columns", {"run"}, {"--columns", "time"}},
    {"export", "as", {"run"}, {"--as", "npz", "--out", "new"}},
    {"export", "out", {"run"}, {"--out", "new"}},
    {"export", "model", {"run"}, {"--model", "bad.xml"}},
    {"export", "assets", {"run"}, {"--assets", "none"}},
    {"record", "envs", {"cart.lua", "--out", "new", "--json"}, {"--envs", "2"}},
    {"record", "episodes", kRecord, {"--episodes", "2"}},
    {"record", "seed", kRecord, {"--seed", "9"}},
    {"record", "hold", kRecord, {"--hold", "0.1"}},
    {"record", "max-steps", kRecord, {"--max-steps", "3"}},
    {"record", "model", {"free.lua", "--out", "new", "--json"}, {"--model", "other.xml"}},
    {"record", "success", kRecord, {"--success", "s.joint.cart > 0.002"}},
    {"record", "policy-command", kRecord, {"--policy-command", kPolicy}},
    {"record", "out", {"cart.lua", "--json"}, {"--out", "new"}},
    {"record", "assets", kRecord, {"--assets", "none"}},
    {"record",
     "jobs",
     {"cart.lua", "--out", "new", "--json", "--envs", "2", "--jobs", "1"},
     {"--jobs", "2"}},
    {"record", "only-success", {"idle.lua", "--out", "new", "--json"}, {"--only-success"}},
    {"record", "append", {"cart.lua", "--out", "run", "--json"}, {"--append"}},
    {"record", "overwrite", {"cart.lua", "--out", "run", "--json"}, {"--overwrite"}},
    {"record", "compress", {"long.lua", "--out", "new", "--json"}, {"--compress"}},
    {"record", "verify", kRecord, {"--verify"}},
    {"diff", "episode", {"run", "pack.h5"}, {"--episode", "0"}},
    {"diff", "view", {"run", "run"}, {"--view"}},
    {"diff", "model", {"run", "run"}, {"--model", "bad.xml"}},
    {"diff", "assets", {"run", "run"}, {"--assets", "none"}},
    {"diff", "tol", {"run", "heavy"}, {"--tol", "pos=9,rot=9,vel=9"}},
    {"diff", "json", {"run", "run"}, {"--json"}},
    {"record", "json", {"cart.lua", "--out", "new"}, {"--json"}},
    {"verify", "episode", {"run"}, {"--episode", "1"}},
    {"verify", "task", {"run"}, {"--task", "judge.lua"}},
    {"verify", "success", {"run"}, {"--success", "s.joint.cart > 1"}},
    {"verify", "predicate-command", {"run"}, {"--predicate-command", "exit 4"}},
    {"verify", "model", {"run"}, {"--model", "bad.xml"}},
    {"verify", "assets", {"run"}, {"--assets", "none"}},
    {"verify", "mode", {"run"}, {"--mode", "kinematic"}},
    {"verify", "tol", {"run", "--model", "heavy.xml"}, {"--tol", "pos=1e9,rot=1e9,vel=1e9"}},
    {"verify", "expect", {"run", "--model", "heavy.xml"}, {"--expect", "close"}},
    {"verify", "json", {"run"}, {"--json"}},
    {"latch", "episode", {"run"}, {"--episode", "1"}},
    {"latch", "hold", {"run"}, {"--hold", "0.04"}},
    {"latch", "by", {"run"}, {"--by", "recorded"}},
    {"latch", "intervals", {"run", "--json"}, {"--intervals"}},
    {"latch", "task", {"run"}, {"--task", "judge.lua"}},
    {"latch", "success", {"run"}, {"--success", "s.joint.cart > 1"}},
    {"latch", "predicate-command", {"run"}, {"--predicate-command", "exit 4"}},
    {"latch", "model", {"run"}, {"--model", "bad.xml"}},
    {"latch", "assets", {"run"}, {"--assets", "none"}},
    {"latch", "tol", {"run", "--model", "heavy.xml"}, {"--tol", "pos=1e9,rot=1e9,vel=1e9"}},
    {"latch", "json", {"run"}, {"--json"}},
    {"cut", "out", {"run", "--range", "1:3"}, {"--out", "new"}},
    {"cut", "hold", kCut, {"--hold", "0.04"}},
    {"cut", "by", kCut, {"--by", "recorded"}},
    {"cut", "steps", {"heavy", "--out", "new"}, {"--steps", "rows.json"}},
    {"cut", "to-latch", {"run", "--range", "1:3", "--out", "new"}, {"--to-latch"}},
    {"cut", "range", {"run", "--out", "new"}, {"--range", "1:3"}},
    {"cut", "trim-idle", {"run", "--out", "new"}, {"--trim-idle", "0"}},
    {"cut", "drop-failed", {"heavy", "--steps", "null.json", "--out", "new"}, {"--drop-failed"}},
    {"cut", "dry-run", {"run", "--hold", "0.01", "--out", "new"}, {"--dry-run"}},
    {"cut", "strict", {"heavy", "--steps", "bad.json", "--out", "new"}, {"--strict"}},
    {"cut", "keep-rewards", {"run", "--hold", "0.01", "--out", "new"}, {"--keep-rewards"}},
    {"cut", "compress", {"long", "--range", "0:60", "--out", "new"}, {"--compress"}},
    {"cut", "task", kCut, {"--task", "judge.lua"}},
    {"cut", "success", kCut, {"--success", "s.joint.cart > 1"}},
    {"cut", "predicate-command", kCut, {"--predicate-command", "exit 4"}},
    {"cut", "model", kCut, {"--model", "bad.xml"}},
    {"cut", "assets", kCut, {"--assets", "none"}},
    {"cut",
     "tol",
     {"run", "--hold", "0.01", "--dry-run", "--by", "dynamic", "--model", "heavy.xml"},
     {"--tol", "pos=1e9,rot=1e9,vel=1e9"}},
    {"cut", "json", kCut, {"--json"}},
    {"pack", "out", {"run"}, {"--out", "new"}},
    {"pack", "overwrite", {"run", "--out", "pack.h5"}, {"--overwrite"}},
    {"pack", "compress", {"long", "--out", "new"}, {"--compress"}},
    {"pack", "json", {"run", "--out", "new"}, {"--json"}},
    {"salvage", "out", {"pack.h5"}, {"--out", "new"}},
    {"salvage", "json", {"run"}, {"--json"}},
    {"task", "seed", {"check", "cart.lua"}, {"--seed", "5"}},
    {"task", "steps", {"check", "cart.lua"}, {"--steps", "7"}},
    {"task", "model", {"check", "bare.lua"}, {"--model", "cart.xml"}},
    {"task", "assets", {"check", "cart.lua"}, {"--assets", "none"}},
    {"task", "json", {"check", "cart.lua"}, {"--json"}},
    {"preview", "seed", {"cart.lua", "--keys", "n"}, {"--seed", "5"}},
    {"preview", "hold", {"cart.lua", "--keys", "n"}, {"--hold", "0.1"}},
    {"preview", "policy-command", {"cart.lua", "--keys", "n"}, {"--policy-command", kPolicy}},
    {"preview", "success", {"cart.lua", "--keys", "n"}, {"--success", "s.joint.cart > 9"}},
    {"preview", "model", {"bare.lua", "--keys", "n"}, {"--model", "cart.xml"}},
    {"preview", "assets", {"cart.lua", "--keys", "n"}, {"--assets", "none"}},
    {"preview", "scheme", {"cart.lua", "--keys", "n", "--color"}, {"--scheme", "light"}},
    {"preview", "ascii", {"cart.lua", "--keys", "n"}, {"--ascii"}},
    {"preview", "size", {"cart.lua", "--keys", "n"}, {"--size", "100x30"}},
    {"preview", "keys", {"cart.lua"}, {"--keys", "n"}},
    {"preview", "color", {"cart.lua", "--keys", "n"}, {"--color"}},
};

class CliOptions : public Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    setenv("XDG_CACHE_HOME", Path("cache").c_str(), 1); /* files are probed once */
    string rest = "control_steps = 2, policy = function(s, rng) return {0.5} end";
    Put("other.xml", std::regex_replace(string(kModel), std::regex("size=\".1\""), "size=\".2\""));
    Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"2\""));
    Put("bad.xml", "<mujoco>");
    Put("bare.lua", "return { name = 'bare', max_steps = 5, " + rest + " }");
    Put("free.lua", "return { name = 'free', max_steps = 5, model = 'cart.xml', " + rest + " }");
    Put("long.lua", "return { name = 'long', model = 'cart.xml', max_steps = 900, " + rest + " }");
    Put("idle.lua", "return { name = 'idle', model = 'cart.xml', max_steps = 5, " + rest +
                        ", success = function(s) return s.time > 9 end }");
    Put("judge.lua", "return { success = function(s) return s.joint.cart > 1 end }");
    Put("rows.json", "[3, 4]");
    Put("bad.json", "[3, 99999]");
    Put("null.json", "[3, null]");
    Restore();
    ASSERT_EQ(Run({"pack", "run", "--out", "pack.h5"}).status, 0);
    ASSERT_EQ(Run({"record", "cart.lua", "--model", "heavy.xml", "--episodes", "2", "--seed", "7",
                   "--out", "heavy"})
                  .status,
              0);
    ASSERT_EQ(Run({"record", "long.lua", "--out", "long"}).status, 0);
  }
  void Restore() {
    fs::remove_all(top / "run");
    ASSERT_EQ(Run({"record", "cart.lua", "--episodes", "2", "--seed", "7", "--out", "run"}).status,
              0);
  }

  /* Facts of a run that do not depend on when and where it was recorded. */
  string Facts(const string &folder) {
    json_t *info = Json(Run({"info", folder, "--json"}));
    json_object_del(info, "path");
    char *text = json_dumps(info, JSON_INDENT(1));
    string facts = text;
    free(text);
    json_decref(info);
    uintmax_t size = 0;
    for (auto &file : fs::directory_iterator(top / folder))
      if (file.path().filename().string().rfind("env", 0) == 0)
        size += file.file_size();
    return facts + std::to_string(size);
  }

  /* Of a dataset; "" of another file. */
  string DataHash(const string &path) {
    Outcome o = Run({"info", path, "--json"});
    json_t *info = json_loads(o.out.c_str(), 0, nullptr);
    string hash = Text(info, "data_hash");
    json_decref(info);
    return hash;
  }

  /* What a call does: its status, what it prints, and what it leaves in `new` and `run`. */
  string Does(const string &verb, const Args &without, const Args &with) {
    fs::remove_all(top / "new");
    Args args = {verb};
    args.insert(args.end(), without.begin(), without.end());
    args.insert(args.end(), with.begin(), with.end());
    bool writes = std::count(args.begin(), args.end(), "run") && verb == "record";
    if (writes)
      Restore();
    Outcome o = Run(args);
    std::regex changing("\"run_id\":\"[^\"]*\"|[0-9]{8}T[0-9]{6}Z[-0-9a-f]*|"
                        " +[0-9.]+ us.*|\"cost_us\".*\"findings\"");
    string text = std::to_string(o.status) + "\n" + std::regex_replace(o.out + o.err, changing, "");
    if (fs::is_directory(top / "new"))
      text += Facts("new");
    else if (fs::exists(top / "new"))
      text += std::to_string(fs::file_size(top / "new")) + DataHash("new");
    return writes ? text + Facts("run") : text;
  }

  /* Names in the options of `VERB --help`. */
  std::set<string> Named(const string &verb) {
    string help = Run({verb, "--help"}).out;
    std::set<string> names;
    std::regex line("\n  --([a-z-]+)");
    for (std::sregex_iterator i(help.begin(), help.end(), line), end; i != end; ++i)
      names.insert((*i)[1]);
    return names;
  }
};

TEST_F(CliOptions, EachHasItsEffect) {
  std::map<string, std::set<string>> named;
  std::map<Args, string> plain; /* what a call does without the option: twice the same */
  for (const Case &c : kCases) {
    string name = c.verb + " --" + c.option;
    if (named.count(c.verb) == 0)
      named[c.verb] = Named(c.verb);
    ASSERT_TRUE(named[c.verb].count(c.option)) << name;
    Args call = {c.verb};
    call.insert(call.end(), c.without.begin(), c.without.end());
    if (plain.count(call) == 0) {
      plain[call] = Does(c.verb, c.without, {});
      EXPECT_EQ(plain[call], Does(c.verb, c.without, {})) << name;
    }
    EXPECT_NE(plain[call], Does(c.verb, c.without, c.with)) << name;
  }
}

TEST_F(CliOptions, TheTableHasAllOfThem) {
  std::set<string> verbs, cases;
  for (const Case &c : kCases)
    cases.insert(c.verb + " --" + c.option);
  string help = Run({"--help"}).out;
  std::regex line("\n  ([a-z]+) ");
  for (std::sregex_iterator i(help.begin(), help.end(), line), end; i != end; ++i)
    verbs.insert((*i)[1]);
  EXPECT_GE(verbs.size(), 10u);
  verbs.erase("view");   /* screen without a terminal */
  verbs.erase("replay"); /* verify */
  for (const string &verb : verbs) {
    std::set<string> options = Named(verb);
    EXPECT_GE(options.size(), 4u) << verb;
    for (const string &option : options)
      EXPECT_TRUE(kElsewhere.count(option) || cases.count(verb + " --" + option))
          << verb << " --" << option << " has no test";
  }
}

/* record, verify and preview are three ways to run; none takes what is another's. */
TEST_F(CliOptions, OneVerbRefusesThoseOfAnother) {
  std::map<string, std::set<string>> options;
  string help = Run({"--help"}).out;
  for (const char *verb : {"record", "verify", "preview"})
    if (help.find(string("\n  ") + verb + " ") != string::npos)
      options[verb] = Named(verb);
  ASSERT_GE(options.size(), 2u);
  for (auto &mine : options)
    for (auto &other : options)
      for (const string &option : other.second) {
        if (mine.second.count(option))
          continue;
        string what = mine.first + ": --" + option + ": not an option of this verb, but of ";
        ExpectError({mine.first, "x", "--" + option, "1"}, 2, what);
        Outcome o = Run({mine.first, "x", "--" + option});
        string verbs = o.err.substr(o.err.find("but of ") + 7);
        EXPECT_NE(verbs.find(other.first), string::npos) << o.err;
        EXPECT_EQ(verbs.find(mine.first), string::npos) << o.err;
      }
}

TEST_F(CliOptions, APolicyThatIsSlowIsWaitedForAsLongAsIsSaid) {
  Args args = {"record",
               "cart.lua",
               "--out",
               "new",
               "--policy-command",
               "read x; read x; echo [2]; read x; sleep 2; echo [2]; "
               "while read x; do echo [2]; done"};
  Outcome o = Run(args);
  EXPECT_EQ(o.status, 0) << o.err;
  fs::remove_all(top / "new");
  args.insert(args.end(), {"--policy-timeout", "0.2"});
  o = Run(args);
  EXPECT_EQ(o.status, 3) << o.out;
  EXPECT_NE(o.err.find("0.2"), string::npos) << o.err;
  EXPECT_NE(Run({"info", "new"}).out.find("aborted"), string::npos);
  for (const char *bad : {"-1", "nan", "x", ""})
    ExpectError({"record", "cart.lua", "--policy-timeout", bad}, 2, "not a number of seconds");
}

} // namespace
