// What cut writes where another has judged than the file: its own predicate and task bear it out.
#include "cut_cart.h"

#include <playhead/store.h>
#include <set>

using cli_help::Cli;
using cli_help::Outcome;
using std::string;
namespace fs = std::filesystem;

namespace {

const char kEarlier[] = "s.joint.cart > 0.0095";
/* By the same rule, row for row. */
const char kJudge[] =
    "import json, struct, sys\n"
    "while True:\n"
    "  head = sys.stdin.buffer.readline()\n"
    "  if not head: break\n"
    "  h = json.loads(head)\n"
    "  n = h['count'] * h['row']\n"
    "  d = struct.unpack(h['dtype'][0] + str(n) + 'd', sys.stdin.buffer.read(8 * n))\n"
    "  at = [c['at'] for c in h['columns'] if c['name'] == 'qpos'][0]\n"
    "  print(''.join('01'[d[k * h['row'] + at] > 0.0095] for k in range(h['count'])), "
    "flush=True)\n";

class CliCutJudged : public Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    Put("cart.lua", cut_help::kCart);
    Put("judge.py", kJudge);
    ASSERT_EQ(Record("run").status, 0);
  }
  /* In order of the file: the row by that source; -1. */
  std::vector<int64_t> Latches(std::vector<string> args, const char *source) {
    std::vector<int64_t> rows;
    args.insert(args.begin(), {"latch", "--json"});
    json_t *latch = Json(Run(args)), *e;
    size_t i;
    json_array_foreach(json_object_get(latch, "episodes"), i, e) {
      json_t *row = json_object_get(e, source);
      rows.push_back(json_is_integer(row) ? json_integer_value(row) : -1);
    }
    json_decref(latch);
    return rows;
  }
  std::vector<int64_t> Lengths(const string &file) {
    std::vector<int64_t> rows;
    json_t *info = Json(Run({"info", "--json", file})), *e;
    size_t i;
    json_array_foreach(json_object_get(info, "episodes"), i, e) {
      rows.push_back(json_integer_value(json_object_get(e, "actions")));
      EXPECT_EQ(Text(e, "guarantee"), "EXACT");
      EXPECT_TRUE(json_is_true(json_object_get(e, "success")));
    }
    json_decref(info);
    return rows;
  }
  void ExpectVerified(const string &file) {
    Outcome o = Run({"verify", "--expect", "bitwise", file});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_NE(o.out.find("3 bitwise"), string::npos) << o.out;
  }
  /* Of every episode, and nothing beside it. */
  void ExpectGiven(const string &file, const string &said) {
    json_t *info = Json(Run({"info", "--json", file})), *e;
    size_t i;
    EXPECT_EQ(json_array_size(json_object_get(info, "episodes")), 3u);
    json_array_foreach(json_object_get(info, "episodes"), i, e) {
      EXPECT_TRUE(json_is_true(json_object_get(e, "success")));
      EXPECT_EQ(Text(e, "success_source"), said);
      EXPECT_TRUE(json_is_null(json_object_get(e, "hold_seconds")));
    }
    json_decref(info);
  }
  string Provenance(const string &file, const char *key) {
    ph_store *store = nullptr;
    ph_episode *episode = nullptr;
    string path = Path(file);
    const char *paths[] = {path.c_str()};
    EXPECT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK);
    EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK);
    json_t *steps = json_loads(ph_episode_meta_of(episode)->provenance, 0, nullptr);
    string text = Text(json_array_get(steps, json_array_size(steps) - 1), key);
    json_decref(steps);
    ph_episode_free(episode);
    ph_store_free(store);
    return text;
  }
};

TEST_F(CliCutJudged, AnotherSuccessIsStoredWithTheTask) {
  for (string by : {"kinematic", "dynamic"}) {
    auto rows = Latches({"run", "--hold", "0.02", "--success", kEarlier, "--by", by}, by.c_str());
    ASSERT_NE(rows, Latches({"run", "--hold", "0.02"}, "recorded"));
    string out = by + ".h5";
    Outcome o = Run({"cut", "run", "--hold", "0.02", "--success", kEarlier, "--by", by, "-o", out});
    ASSERT_EQ(o.status, 0) << o.err << o.out;
    ExpectVerified(out);
    auto lengths = Lengths(out);
    EXPECT_EQ(std::multiset<int64_t>(lengths.begin(), lengths.end()),
              std::multiset<int64_t>(rows.begin(), rows.end()));
    for (const char *source : {"recorded", "kinematic", "dynamic"})
      EXPECT_EQ(Latches({out}, source), lengths) << source;
    EXPECT_EQ(Provenance(out, "judge"), string("--success ") + kEarlier);
    EXPECT_EQ(Provenance(out, "source_task_sha256").size(), 64u);
    /* What is cut again latches by what is stored now. */
    ASSERT_EQ(Run({"cut", out, "--hold", "0.01", "-o", "again" + out}).status, 0);
    ExpectVerified("again" + out);
  }
}

TEST_F(CliCutJudged, ATaskThatJudgesIsStoredToo) {
  Put("t.lua", string("return { success = function(s) return ") + kEarlier + " end }\n");
  ASSERT_EQ(Run({"cut", "run", "--hold", "0.02", "--task", "t.lua", "-o", "o.h5"}).status, 0);
  ExpectVerified("o.h5");
  for (const char *source : {"recorded", "kinematic", "dynamic"})
    EXPECT_EQ(Latches({"o.h5"}, source), Lengths("o.h5")) << source;
}

/* No task says what a command does: its answers are stored, and the task has no success any more.
 */
TEST_F(CliCutJudged, ACommandsAnswersAreStored) {
  std::vector<string> judge = {"--predicate-command", "python3 judge.py"};
  ASSERT_EQ(Run({"cut", "run", "--hold", "0.02", judge[0], judge[1], "-o", Path("o.h5")}).status,
            0);
  ASSERT_EQ(Run({"cut", "run", "--hold", "0.02", "--success", kEarlier, "-o", Path("s.h5")}).status,
            0);
  ExpectVerified("o.h5");
  EXPECT_EQ(Lengths("o.h5"), Lengths("s.h5"));
  EXPECT_EQ(Latches({"o.h5"}, "recorded"), Lengths("o.h5"));
  EXPECT_EQ(Latches({"o.h5"}, "kinematic"), std::vector<int64_t>(3, -1));
  EXPECT_EQ(Provenance("o.h5", "judge"), "--predicate-command python3 judge.py");
}

/* Nothing in the file bears them out: it says whose word it is, and nothing that contradicts it. */
TEST_F(CliCutJudged, RowsFromOutsideAreASuccessThatIsGiven) {
  Put("l.json", "[5, 7, 9]");
  for (bool held : {true, false}) {
    std::vector<string> args = {"cut", "run", "--steps", "l.json", "-o", held ? "h.h5" : "n.h5"};
    string file = args.back(),
           said = held ? "given: --steps l.json for a hold of 0.1 s" : "given: --steps l.json";
    if (held)
      args.insert(args.end(), {"--hold", "0.1"});
    ASSERT_EQ(Run(args).status, 0);
    ExpectVerified(file);
    EXPECT_EQ(Provenance(file, "judge"), "--steps l.json");
    ExpectGiven(file, said);
    string info = Run({"info", file}).out;
    EXPECT_NE(info.find("  given    -  "), string::npos) << info;
    EXPECT_NE(info.find("success    " + said + "\n"), string::npos) << info;
    EXPECT_EQ(info.find("missing:"), string::npos) << info;
    Outcome latch = Run({"latch", file});
    EXPECT_EQ(latch.status, 1);
    EXPECT_NE(latch.out.find("the whole episode is a success (" + said + ")"), string::npos)
        << latch.out;
    for (const char *source : {"recorded", "kinematic", "dynamic"})
      EXPECT_EQ(Latches({file}, source), std::vector<int64_t>(3, -1)) << source;
  }
}

/* The file's own predicate does latch at them: the success is its own. */
TEST_F(CliCutJudged, RowsThatTheFileShowsAreNotGiven) {
  auto rows = Latches({"run", "--hold", "0.1"}, "recorded");
  Put("l.json", "[" + std::to_string(rows[0]) + "," + std::to_string(rows[1]) + ",9]");
  ASSERT_EQ(Run({"cut", "run", "--steps", "l.json", "--hold", "0.1", "-o", "o.h5"}).status, 0);
  json_t *info = Json(Run({"info", "--json", "o.h5"})), *e;
  size_t i, given = 0;
  json_array_foreach(json_object_get(info, "episodes"), i, e) {
    bool is = json_object_get(e, "success_source");
    given += is;
    EXPECT_EQ(json_is_null(json_object_get(e, "hold_seconds")), is);
    EXPECT_EQ(json_integer_value(json_object_get(e, "actions")), is ? 9 : rows[0]);
  }
  EXPECT_EQ(given, 1u);
  json_decref(info);
  ExpectVerified("o.h5");
}

/* What was given holds for what it was said of alone. */
TEST_F(CliCutJudged, WhatWasGivenIsCutAgainByAJudgeOnly) {
  Put("l.json", "[5, 7, 9]");
  ASSERT_EQ(Run({"cut", "run", "--steps", "l.json", "--hold", "0.1", "-o", "o.h5"}).status, 0);
  for (string hold : {"0", "0.02", "0.1"}) {
    Outcome o = Run({"cut", "o.h5", "--hold", hold, "-o", "p.h5"});
    EXPECT_EQ(o.status, 1);
    EXPECT_NE(o.out.find("only that the whole episode is a success (given: --steps"), string::npos)
        << o.out;
    EXPECT_FALSE(fs::exists(top / "p.h5"));
  }
  const string latch = Run({"latch", "o.h5", "--hold", "0.02"}).out;
  EXPECT_NE(
      latch.find("0 of 3 episodes latch at a hold of 0.02 s, 5 steps; of 3 it is not known\n"),
      string::npos)
      << latch;
  /* By the task, at its own hold, as its rows are. */
  Outcome o = Run({"cut", "o.h5", "--hold", "0", "--task", "cart.lua", "-o", "t.h5"});
  ASSERT_EQ(o.status, 1) << o.err; /* two are no success by it */
  for (const char *source : {"recorded", "kinematic", "dynamic"})
    EXPECT_EQ(Latches({"t.h5"}, source), Lengths("t.h5")) << source;
  /* By another list: its word, for its hold. */
  Put("m.json", "[3, 4, 6]");
  ASSERT_EQ(Run({"cut", "o.h5", "--steps", "m.json", "--hold", "0.02", "-o", "m.h5"}).status, 0);
  ExpectGiven("m.h5", "given: --steps m.json for a hold of 0.02 s");
  ExpectVerified("m.h5");
  /* A range of it: whole it is the same word, and without its end there is none. */
  ASSERT_EQ(Run({"cut", "o.h5", "--range", "1:", "-o", "r.h5"}).status, 0);
  ExpectGiven("r.h5", "given: --steps l.json for a hold of 0.1 s");
  ASSERT_EQ(Run({"cut", "o.h5", "--range", ":4", "-o", "q.h5"}).status, 0);
  json_t *info = Json(Run({"info", "--json", "q.h5"}));
  json_t *e = json_array_get(json_object_get(info, "episodes"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(e, "success")));
  EXPECT_EQ(json_object_get(e, "success_source"), nullptr);
  EXPECT_EQ(json_array_size(json_object_get(e, "missing")), 0u);
  json_decref(info);
}

TEST_F(CliCutJudged, ALongNameOfWhoGaveItIsCutShort) {
  string name = string(150, 'l') + ".json";
  Put(name, "[5, 7, 9]");
  ASSERT_EQ(Run({"cut", "run", "--steps", name, "--hold", "0.1", "-o", "o.h5"}).status, 0);
  string lead = "given: --steps ", end = "... for a hold of 0.1 s";
  ExpectGiven("o.h5", lead + string(119 - lead.size() - end.size(), 'l') + end);
}

/* One rule for both: it is left out, and the others are not. */
TEST_F(CliCutJudged, AnEpisodeForWhichTheCommandFailsIsLeftOut) {
  string picky = kJudge;
  string at = "  n = h['count']";
  picky.insert(picky.find(at),
               "  if h['episode'] == 'env000_ep000001': sys.exit('not this one')\n");
  Put("picky.py", picky);
  string why = "predicate: python3 picky.py: it ended with status 1: not this one";
  for (string jobs : {"1", "3"}) {
    std::vector<string> judge = {"--predicate-command", "python3 picky.py", "--jobs", jobs};
    std::vector<string> latch = {"latch", "run", "--hold", "0.02"},
                        cut = {"cut", "run", "--hold", "0.02", "-o", "o" + jobs + ".h5"};
    latch.insert(latch.end(), judge.begin(), judge.end());
    cut.insert(cut.end(), judge.begin(), judge.end());
    Outcome o = Run(latch);
    EXPECT_EQ(o.status, 1) << o.err;
    EXPECT_NE(o.out.find("    kinematic: step 0: " + why), string::npos) << o.out;
    EXPECT_NE(o.out.find("kinematic: 2 of 2 latch"), string::npos) << o.out;
    o = Run(cut);
    EXPECT_EQ(o.status, 1) << o.err;
    EXPECT_NE(o.out.find("env000_ep000001: left out: step 0: " + why), string::npos) << o.out;
    EXPECT_NE(o.out.find("2 of 3 episodes latch"), string::npos) << o.out;
    EXPECT_EQ(Latches({"o" + jobs + ".h5"}, "recorded"), Lengths("o" + jobs + ".h5"));
  }
}

TEST_F(CliCutJudged, ACommandThatCannotBeStartedEndsBoth) {
  Put("plain.txt", "");
  for (string command : {"no-such-judge", "./plain.txt"}) {
    for (string verb : {"latch", "cut"}) {
      Outcome o = Run({verb, "run", "--hold", "0.02", "--predicate-command", command});
      EXPECT_EQ(o.status, 3) << verb << o.out;
      EXPECT_NE(o.err.find("predicate: " + command + ": it ended with status 12"), string::npos)
          << o.err;
    }
    EXPECT_FALSE(fs::exists(top / "run_hold0p02s.h5"));
  }
}

} // namespace
