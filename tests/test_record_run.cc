// What `record` does with threads, with a run that is there, and with episodes nobody wants.
#include "cli_help.h"

using namespace cli_help;

namespace {

int64_t Number(json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

class Run : public Cli {
protected:
  string Hash(const string &path) {
    json_t *info = Json(Cli::Run({"info", path, "--json"}));
    string text = Text(info, "data_hash");
    json_decref(info);
    return text;
  }
};

/* The coin of a reset tells whether the cart can come there in time. */
const char kOdds[] =
    "return { name = 'odds', model = 'cart.xml', control_steps = 2, hold_seconds = 0,\n"
    "  max_steps = 40, success = function(s) return s.joint.cart > 0.0005 end,\n"
    "  reset = function(env, rng) env.qpos.cart = rng() < 0.5 and 0 or -1 end,\n"
    "  policy = function(s, rng) return {0.5 + rng()} end }\n";

TEST_F(Run, AnyNumberOfThreadsRecordsTheSame) {
  Put("cart.lua", kOdds);
  string first;
  for (const char *jobs : {"1", "2", "16"}) {
    string run = string("run") + jobs + std::to_string(first.size());
    Outcome o = Cli::Run({"record", "cart.lua", "--envs", "3", "--episodes", "5", "--seed", "3",
                          "--out", run, "--jobs", jobs, "--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    json_t *tally = Json(o);
    EXPECT_EQ(Number(tally, "jobs"), std::min(3, atoi(jobs)));
    json_t *episodes = json_object_get(tally, "episodes");
    ASSERT_EQ(json_array_size(episodes), 5u);
    EXPECT_EQ(Text(json_array_get(episodes, 0), "id"), "env000_ep000000");
    EXPECT_EQ(Text(json_array_get(episodes, 3), "id"), "env000_ep000001") << "in order";
    EXPECT_EQ(Text(json_array_get(episodes, 4), "id"), "env001_ep000001");
    EXPECT_EQ(Keys(json_array_get(episodes, 0)), "id env_id actions seed end_reason success");
    json_decref(tally);
    string hash = Hash(run);
    first = first.empty() ? hash : first;
    EXPECT_EQ(hash, first) << jobs;
    fs::remove_all(top / run);
  }
}

TEST_F(Run, OnlySuccessDropsOthersAndCountsThem) {
  Put("cart.lua", kOdds);
  Outcome o = Cli::Run({"record", "cart.lua", "--envs", "3", "--episodes", "6", "--only-success",
                        "--out", "run", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  json_t *tally = Json(o), *e;
  EXPECT_EQ(Number(tally, "resets"), 6);
  EXPECT_GT(Number(tally, "unsuccessful"), 0);
  EXPECT_EQ(Number(tally, "unsuccessful"), Number(tally, "discards"));
  EXPECT_EQ(Number(tally, "commits") + Number(tally, "discards"), 6);
  size_t i;
  json_array_foreach(json_object_get(tally, "episodes"), i, e)
      EXPECT_EQ(Text(e, "end_reason"), "success");
  int64_t saved = 0;
  json_array_foreach(json_object_get(tally, "episodes"), i, e) saved += Number(e, "actions");
  EXPECT_EQ(Number(tally, "steps_saved"), saved);
  EXPECT_EQ(Number(tally, "steps"), saved + 40 * Number(tally, "discards"));
  string text = std::to_string(Number(tally, "discards")) + " discarded (" +
                std::to_string(Number(tally, "discards")) + " without success); " +
                std::to_string(saved) + " steps saved of " +
                std::to_string(Number(tally, "steps")) + ", ";
  json_decref(tally);
  o = Cli::Run(
      {"record", "cart.lua", "--envs", "3", "--episodes", "6", "--only-success", "--out", "again"});
  EXPECT_NE(o.out.find(text), string::npos) << o.out;
  Put("aim.lua", "return { model = 'cart.xml', control_steps = 2, max_steps = 9, "
                 "policy = function() return {0} end }");
  ExpectError({"record", "aim.lua", "--only-success", "--out", "none"}, 3,
              "aim.lua: --only-success: the task has no success condition");
  EXPECT_FALSE(fs::exists(top / "none"));
}

TEST_F(Run, AppendGoesOnAndOverwriteStartsAnew) {
  Put("cart.lua", kOdds);
  auto record = [&](const string &run, const char *episodes, const char *how) {
    std::vector<string> args = {"record", "cart.lua", "--envs", "2",     "--episodes",
                                episodes, "--out",    run,      "--json"};
    if (*how)
      args.push_back(how);
    return Cli::Run(args);
  };
  ASSERT_EQ(record("long", "4", "").status, 0);
  json_t *first = Json(record("run", "2", ""));
  Outcome o = record("run", "2", "--append");
  ASSERT_EQ(o.status, 0) << o.err;
  json_t *more = Json(o);
  EXPECT_EQ(Text(more, "run_id"), Text(first, "run_id")) << "it is one run";
  EXPECT_EQ(Number(more, "commits"), 2);
  EXPECT_EQ(Text(json_array_get(json_object_get(more, "episodes"), 0), "id"), "env000_ep000001");
  string before = Hash("run");
  EXPECT_EQ(before, Hash("long"));
  EXPECT_EQ(Cli::Run({"verify", "run"}).status, 0);
  EXPECT_EQ(record("run", "4", "").status, 3) << "it is there";
  EXPECT_EQ(Hash("run"), before);
  o = record("run", "2", "--overwrite");
  ASSERT_EQ(o.status, 0) << o.err;
  string taken = "run: 4 episodes of run " + Text(first, "run_id") + " were taken away";
  EXPECT_EQ(o.err, "playhead: " + taken + "\n") << "and no other line";
  json_t *tally = Json(o), *notices = json_object_get(tally, "notices");
  ASSERT_EQ(json_array_size(notices), 1u) << o.out;
  EXPECT_EQ(json_string_value(json_array_get(notices, 0)), taken);
  EXPECT_EQ(json_array_size(json_object_get(tally, "errors")), 0u);
  json_decref(tally);
  ASSERT_EQ(record("short", "2", "").status, 0);
  EXPECT_EQ(Hash("run"), Hash("short"));
  json_decref(first);
  json_decref(more);
  ExpectError({"record", "cart.lua", "--append"}, 2, "--append: which run is meant");
  ExpectError({"record", "cart.lua", "--overwrite"}, 2, "--overwrite: which run is meant");
  ExpectError({"record", "cart.lua", "--out", "run", "--append", "--overwrite"}, 2,
              "only one of them");
}

TEST_F(Run, AppendTakesTheSameTaskOnly) {
  ASSERT_EQ(Record("run").status, 0);
  string before = Slurp(top / "run" / "index");
  Put("cart.lua", kOdds);
  Outcome o = Cli::Run({"record", "cart.lua", "--out", "run", "--append"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("task"), string::npos) << o.err;
  EXPECT_EQ(Slurp(top / "run" / "index"), before);
}

TEST_F(Run, CompressedEpisodesHaveTheSameContent) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 500));
  ASSERT_EQ(Cli::Run({"record", "cart.lua", "--out", "plain"}).status, 0);
  ASSERT_EQ(Cli::Run({"record", "cart.lua", "--out", "small", "--compress"}).status, 0);
  EXPECT_EQ(Hash("plain"), Hash("small"));
  string file = "env000_ep000000_500.h5";
  EXPECT_LT(fs::file_size(top / "small" / file), fs::file_size(top / "plain" / file) / 2);
  EXPECT_EQ(Cli::Run({"verify", "small"}).status, 0);
}

} // namespace
