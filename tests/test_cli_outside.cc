// The program with commands that choose actions and judge states; the examples in Python are run.
#include "cli_help.h"
#include "program_help.h"

using namespace cli_help;

namespace {

class Outside : public Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    // No policy of its own.
    Put("bare.lua", "return { name = 'cart', model = 'cart.xml', control_steps = 2,\n"
                    "  hold_seconds = 0.02, max_steps = 60,\n"
                    "  success = function(s) return s.joint.cart > 0.0005 end,\n"
                    "  reset = function(env, rng) env.qpos.cart = -0.001 * rng() end,\n"
                    "  readouts = { left = function(s) return 0.01 - s.joint.cart end } }\n");
  }
  std::string Example(const std::string &name) const {
    return python + " " + TEST_SOURCE_ROOT + "/tests/examples/" + name;
  }
  std::string Script(const std::string &name, const std::string &text) {
    Put(name, text);
    return "exec " + python + " " + Path(name);
  }
  std::vector<std::string> With(const std::string &out, const std::string &command,
                                const std::vector<std::string> &more = {}) {
    std::vector<std::string> args = {"record",     "bare.lua", "--envs",           "3",
                                     "--episodes", "5",        "--seed",           "7",
                                     "--out",      Path(out),  "--policy-command", command};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  std::string Hash(const std::string &run) {
    Outcome o = Run({"info", Path(run), "--json"});
    json_t *info = Json(o);
    std::string hash = Text(info, "data_hash");
    json_decref(info);
    return hash;
  }
  std::string python;
};

/* Answers so many questions, then does that. */
std::string Answers(int n, const std::string &then) {
  return "import sys, time, os\nfor i, line in enumerate(sys.stdin):\n  if i > " +
         std::to_string(n) + ": " + then + "\n  if i: print('[0.5]')\n";
}

TEST_F(Outside, TheExampleOfAPolicyRecordsTheSameWhateverJobsIs) {
  std::vector<std::string> hashes;
  for (const char *jobs : {"1", "3"}) {
    std::string out = std::string("run") + jobs;
    Outcome o = Run(With(out, Example("policy.py"), {"--jobs", jobs}));
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("5 episodes started, 5 saved, 0 discarded"), string::npos) << o.out;
    EXPECT_NE(o.out.find("5 success"), string::npos) << o.out;
    EXPECT_EQ(o.err.rfind("playhead: the policy is a command: what is recorded is the same again, "
                          "whatever --jobs is, only if each answer depends on nothing but",
                          0),
              0u)
        << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    hashes.push_back(Hash(out));
    EXPECT_EQ(Run({"verify", Path(out)}).status, 0);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0].size(), 64u);
}

TEST_F(Outside, TheCommandIsInTheProvenanceAndNotInTheHash) {
  // Two commands of one policy: the content is the same, and who chose it is not.
  std::string one = Example("policy.py"), other = "LC_ALL=C " + one + " # \"caf\xc3\xa9\"\t'$0'";
  ASSERT_EQ(Run(With("one", one)).status, 0);
  ASSERT_EQ(Run(With("other", other)).status, 0);
  auto expect_by = [&](const std::string &run, const std::string &command, const char *op) {
    json_t *info = Json(Run({"info", Path(run), "--json"})), *episode;
    json_t *episodes = json_object_get(info, "episodes");
    size_t i;
    EXPECT_EQ(json_array_size(episodes), 5u);
    json_array_foreach(episodes, i, episode) {
      json_t *steps = json_object_get(episode, "provenance"), *first = json_array_get(steps, 0);
      EXPECT_EQ(Text(first, "policy"), "command");
      EXPECT_EQ(Text(first, "policy_command"), command);
      EXPECT_EQ(Text(json_array_get(steps, json_array_size(steps) - 1), "op"), op);
    }
    std::string hash = Text(info, "data_hash");
    json_decref(info);
    return hash;
  };
  std::string hash = expect_by("one", one, "record");
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(hash, expect_by("other", other, "record"));
  EXPECT_NE(Run({"info", Path("one")}).out.find("\nactions    chosen by the command " + one + "\n"),
            string::npos);
  // What was appended by another one says so, and a pack takes it along.
  ASSERT_EQ(Run(With("one", "exec " + one, {"--append"})).status, 0);
  Outcome o = Run({"info", Path("one")});
  for (const std::string &command : {one, "exec " + one})
    EXPECT_NE(o.out.find("\nactions    of 5 episodes: chosen by the command " + command + "\n"),
              string::npos)
        << o.out;
  ASSERT_EQ(Run({"pack", Path("other"), "--out", Path("all.h5")}).status, 0);
  EXPECT_EQ(hash, expect_by("all.h5", other, "pack"));
}

TEST_F(Outside, ACommandThatIsNoTextOrHasNoPlaceInTheProvenance) {
  Outcome o = Run(With("run", Example("policy.py") + " # \xff\xfe"));
  EXPECT_EQ(o.status, 0) << o.err;
  o = Run({"info", Path("run")});
  EXPECT_NE(o.out.find(Example("policy.py") + " # \\xff\\xfe\n"), string::npos) << o.out;
  std::string most = Example("policy.py") + " # " + std::string(31000, 'x');
  EXPECT_EQ(Run(With("most", most)).status, 0);
  EXPECT_EQ(Run({"verify", Path("most")}).status, 0);
  o = Run(With("more", most + std::string(1500, 'x')));
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("recorder: the policy's command: the provenance of an episode would have 3"),
            string::npos)
      << o.err;
  EXPECT_FALSE(fs::exists(Path("more")));
}

TEST_F(Outside, OneThatDiesEndsTheRunAndItsEpisodesAreKept) {
  Outcome o = Run(With("run", Script("p.py", Answers(20, "raise ValueError('lost')")), {"--json"}));
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("it ended with status 1: ValueError: lost"), string::npos) << o.err;
  json_t *result = Json(o);
  json_t *episodes = json_object_get(result, "episodes"), *episode;
  size_t i;
  json_int_t actions = 0;
  json_array_foreach(episodes, i, episode) {
    EXPECT_EQ(Text(episode, "end_reason"), "aborted");
    actions += json_integer_value(json_object_get(episode, "actions"));
  }
  EXPECT_EQ(actions, 20) << "each answer is a step";
  int named = 0;
  json_t *line;
  json_array_foreach(json_object_get(result, "errors"), i, line) named +=
      string(json_string_value(line)).find("policy: ") != string::npos;
  EXPECT_EQ(named, 1) << o.out;
  json_decref(result);
  EXPECT_EQ(Run({"verify", Path("run")}).status, 0);
}

TEST_F(Outside, OneThatIsSlowOrLiesEndsTheRun) {
  struct {
    const char *what, *then, *part;
  } cases[] = {
      {"slow", "time.sleep(1000)", "it gave no answer in 0.7 s"},
      {"nan", "print('[NaN]'); sys.stdin.read()", "no list of 1 numbers: invalid token near 'NaN'"},
      {"wide", "print('[1, 2]'); sys.stdin.read()", "its answer is a list of 2, not of 1 numbers"},
      {"noise", "print('hello'); sys.stdin.read()",
       "no list of 1 numbers: invalid token near 'hello'"},
      {"more", "sys.stdout.write('[1]\\n[1]\\n'); sys.stdout.flush(); sys.stdin.read()",
       "it wrote more than one line"},
      {"quits", "os._exit(0)", "it ended with status 0"},
      {"forks", "os.fork() and os._exit(6); time.sleep(1000)", "it ended with status 6"},
  };
  for (auto &c : cases) {
    Outcome o = Run(With(c.what, Script("p.py", Answers(4, c.then)), {"--policy-timeout", "0.7"}));
    EXPECT_EQ(o.status, 3) << c.what << o.err;
    EXPECT_NE(o.err.find(c.part), string::npos) << c.what << ": " << o.err;
    EXPECT_NE(o.out.find("4 steps"), string::npos) << c.what << ": " << o.out;
    EXPECT_NE(o.out.find("aborted"), string::npos) << c.what << ": " << o.out;
  }
  Outcome o = Run(With("none", "no-such-policy"));
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("policy: no-such-policy: it ended with status 127: "), string::npos)
      << o.err;
}

TEST_F(Outside, CtrlCDoesNotWaitForTheAnswer) {
  std::string mark = Path("asked");
  pid_t pid = Start(With("run",
                         Script("p.py", Answers(3, "open('" + mark +
                                                       "', 'w').write(str(os.getpid())); "
                                                       "time.sleep(1000)")),
                         {"--policy-timeout", "600"}));
  for (int i = 0; i < 1500 && Slurp(mark).empty(); i++)
    usleep(20000);
  ASSERT_FALSE(Slurp(mark).empty());
  kill(pid, SIGINT);
  Outcome o = Wait(pid);
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("3 steps"), string::npos) << o.out;
  EXPECT_TRUE(program_help::IsGone(mark)) << "the command goes with it";
}

TEST_F(Outside, WhatIsAskedForWronglyIsRefused) {
  ExpectError({"record", "bare.lua"}, 3, "no policy");
  ExpectError(With("run", ""), 3, "policy: an empty command");
  ExpectError(With("run", "cat", {"--policy-timeout", "x"}), 2, "--policy-timeout x: not a number");
  ExpectError(With("run", "cat", {"--policy-timeout", "0"}), 3,
              "policy: timeout 0: no positive number");
  ExpectError({"verify", Path("run"), "--policy-command", "cat"}, 2, "--policy-command: ");
  ExpectError({"verify", Path("run"), "--success", "true", "--predicate-command", "cat"}, 2,
              "--success and --predicate-command: only one of them is taken");
  EXPECT_FALSE(fs::exists(Path("run")));
}

TEST_F(Outside, TheExampleOfAPredicateJudges) {
  ASSERT_EQ(Run(With("run", Example("policy.py"))).status, 0);
  std::string judge = Example("predicate.py 0.0005");
  for (int i = 0; i < 2; i++) { // the second time from what was kept
    Outcome o = Run({"verify", Path("run"), "--predicate-command", judge});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_NE(o.out.find("5 of 5 episodes are as recorded"), string::npos) << o.out;
    EXPECT_NE(o.out.find("the predicate is judged by " + judge + "\n"), string::npos) << o.out;
  }
  EXPECT_TRUE(fs::is_directory(Path("run.playhead-predicate")));
  Outcome o =
      Run({"verify", Path("run"), "--json", "--predicate-command", Example("predicate.py 1")});
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *result = Json(o);
  EXPECT_EQ(Text(result, "predicate_by"), Example("predicate.py 1"));
  EXPECT_EQ(json_integer_value(json_object_get(result, "wrong")), 5);
  json_decref(result);
  o = Run({"verify", Path("run"), "--predicate-command", "echo no mujoco >&2; exit 5"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("it ended with status 5: no mujoco"), string::npos) << o.err;
  EXPECT_EQ(o.out, "") << "there is no row that a head could stand above";
}

TEST_F(Outside, AKilledOneLeavesNothingForLong) {
  ASSERT_EQ(Run(With("run", Example("policy.py"))).status, 0);
  fs::create_directory(top / "tmp");
  std::string asked = Path("asked"), before = getenv("TMPDIR") ? getenv("TMPDIR") : "";
  setenv("TMPDIR", Path("tmp").c_str(), 1);
  auto left = [&] {
    int n = 0;
    for (auto &file : fs::directory_iterator(top / "tmp"))
      n += file.path().filename().string().rfind("playhead-model-", 0) == 0 &&
           fs::exists(file.path() / "model.xml");
    return n;
  };
  auto judge = [&] {
    return Start(
        {"verify", Path("run"), "--predicate-command", "echo $$ > " + asked + "; exec sleep 1000"});
  };
  pid_t first = judge();
  for (int i = 0; i < 1500 && Slurp(asked).empty(); i++)
    usleep(20000);
  EXPECT_EQ(left(), 1);
  EXPECT_EQ(Run({"verify", Path("run"), "--predicate-command", "exit 5"}).status, 3);
  EXPECT_EQ(left(), 1) << "it is at work";
  kill(first, SIGKILL);
  EXPECT_EQ(Wait(first).status, -SIGKILL);
  EXPECT_EQ(left(), 1);
  EXPECT_EQ(Run({"verify", Path("run"), "--predicate-command", "exit 5"}).status, 3);
  EXPECT_EQ(left(), 0);
  kill(atoi(Slurp(asked).c_str()), SIGKILL);
  before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
}

TEST_F(Outside, TheScreenSaysWhoJudges) {
  ASSERT_EQ(Run(With("run", Example("policy.py"))).status, 0);
  std::string judge = Example("predicate.py 0.0005");
  Put("judge", "exec " + judge + "\n");
  Outcome o = Run({"screen", Path("run"), "--at", "last", "--predicate-command", "sh judge"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("by sh judge yes"), string::npos) << o.out;
  EXPECT_NE(o.out.find("TRUE recorded and kinematic"), string::npos) << o.out;
  o = Run({"screen", Path("run"), "--at", "0", "--predicate-command", "sh judge"});
  EXPECT_NE(o.out.find("by sh judge NO"), string::npos) << o.out;
  o = Run({"screen", Path("run"), "--at", "0", "--predicate-command", "exit 5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("by exit 5"), string::npos) << o.out;
  EXPECT_NE(o.out.find("step 0: it ended with status 5"), string::npos) << o.out;
  EXPECT_EQ(o.out.find("same here"), string::npos) << "the task does not judge instead: " << o.out;
}

TEST_F(Outside, AFileWithoutAPredicateGetsTheLanesOfWhatIsJudged) {
  Put("free.lua", "return { name = 'free', model = 'cart.xml', control_steps = 2,\n"
                  "  max_steps = 40, policy = function(s) return {0.5} end }\n");
  ASSERT_EQ(Run({"record", "free.lua", "--out", Path("run")}).status, 0);
  std::string judge = Script("j.py", "import sys, json\nfor text in sys.stdin.buffer:\n"
                                     "  b = json.loads(text)\n"
                                     "  sys.stdin.buffer.read(8 * b['count'] * b['row'])\n"
                                     "  print(''.join('01'[6 <= t < 10 or t == 30] for t in\n"
                                     "    range(b['count'])), flush=True)\n");
  auto screen = [&](const std::string &at, bool judged) {
    std::vector<std::string> args = {"screen", Path("run"), "--at", at, "--size", "90x30"};
    if (judged)
      args.insert(args.end(), {"--predicate-command", judge});
    Outcome o = Run(args);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.out;
  };
  auto lane = [](const std::string &screen, const std::string &name) {
    size_t at = screen.find("\n " + name + " ");
    return at == string::npos ? "" : screen.substr(at + 1, screen.find('\n', at + 1) - at - 1);
  };
  std::string text = screen("8", true);
  EXPECT_EQ(lane(text, "events"), " events             ◆       ▽" + std::string(38, ' ') + "▲ ▽" +
                                      std::string(17, ' ') + "■")
      << text;
  EXPECT_EQ(lane(text, "pred"), " pred               ▒▒▒▒▒▒▒▒" + std::string(39, ' ') + "▒▒");
  EXPECT_EQ(lane(text, "hold"), " hold               ████████" + std::string(39, ' ') + "██");
  EXPECT_NE(text.find("latch: judged 6 "), string::npos) << text;
  EXPECT_NE(text.find("pred    TRUE judged here"), string::npos) << text;
  EXPECT_NE(text.find("by exec "), string::npos) << text;
  EXPECT_NE(screen("10", true).find("pred    FALSE judged here"), string::npos);
  EXPECT_EQ(text.find("recorded"), string::npos) << "nothing of it is the file's: " << text;
  text = screen("8", false);
  EXPECT_EQ(lane(text, "pred"), "") << text;
  EXPECT_EQ(lane(text, "events"), " events " + std::string(79, ' ') + "■");
  EXPECT_NE(text.find("latch: not recorded"), string::npos) << text;
}

TEST_F(Outside, APreviewActsByIt) {
  Outcome o = Run({"preview", "bare.lua", "--seed", "3", "--keys", "n n n n", "--policy-command",
                   Script("p.py", Answers(9, "pass"))});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("acts: policy"), string::npos) << o.out;
  EXPECT_NE(o.out.find("push      0.50000"), string::npos) << o.out;
  o = Run({"preview", "bare.lua", "--seed", "3", "--keys", "n n n n", "--policy-command",
           Script("p.py", Answers(2, "sys.exit('no more')"))});
  EXPECT_NE(o.out.find("step 2: policy: exec "), string::npos) << o.out;
  EXPECT_NE(o.out.find("2 actions"), string::npos) << o.out;
}

} // namespace
