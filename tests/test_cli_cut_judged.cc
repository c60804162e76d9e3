// What cut writes where another has judged than the file: its own predicate and task bear it out.
#include "cli_help.h"

#include <playhead/store.h>
#include <set>

using cli_help::Cli;
using cli_help::Outcome;
using std::string;

namespace {

/* Success breaks once, and holds for good later. */
const char kCart[] =
    "return { name = 'cart', model = 'cart.xml', control_steps = 2, hold_seconds = 0.1,\n"
    "  max_steps = 200, success = function(s) return s.joint.cart > 0.01 end,\n"
    "  reset = function(env, rng) env.qpos.cart = 0.008 + 0.001 * rng() end,\n"
    "  policy = function(s, rng) if s.time < 0.04 then return {2 + rng()} end\n"
    "    if s.time < 0.09 then return {-4} end return {4} end }\n";
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
    Put("cart.lua", kCart);
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

/* Nothing in the file bears them out: which hold they are of is in provenance alone. */
TEST_F(CliCutJudged, RowsFromOutsideClaimNoHoldThatTheFileDoesNotShow) {
  Put("l.json", "[5, 7, 9]");
  ASSERT_EQ(Run({"cut", "run", "--steps", "l.json", "--hold", "0.1", "-o", "o.h5"}).status, 0);
  ExpectVerified("o.h5");
  EXPECT_EQ(Provenance("o.h5", "judge"), "--steps l.json");
  json_t *info = Json(Run({"info", "--json", "o.h5"}));
  json_t *e = json_array_get(json_object_get(info, "episodes"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(e, "hold_seconds")));
  json_decref(info);
}

} // namespace
