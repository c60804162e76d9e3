// The verb cut, from outside.
#include <sys/mount.h>

#include "cli_cut_help.h"

namespace {

TEST_F(CliCut, EpisodesEndAtTheirLatchAndComeBackBitForBit) {
  auto rows = Latches("run", "0.02", "dynamic"), longer = Latches("run", "0.1", "dynamic");
  Outcome o = Run({"cut", "run", "--hold", "0.02"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out.rfind("3 of 3 episodes latch at a hold of 0.02 s (dynamic), ", 0), 0u) << o.out;
  EXPECT_NE(o.out.find("; written to run_hold0p02s.h5\n"), string::npos) << o.out;
  EXPECT_EQ(Names(), (std::vector<string>{"cart.lua", "cart.xml", "run", "run_hold0p02s.h5"}));
  json_t *info = Json(Run({"info", "--json", "run_hold0p02s.h5"})), *e;
  size_t i;
  std::vector<int64_t> got, want;
  json_array_foreach(json_object_get(info, "episodes"), i, e) {
    got.push_back(Whole(e, "actions"));
    EXPECT_EQ(Text(e, "end_reason"), "success");
    EXPECT_EQ(Text(e, "guarantee"), "EXACT");
  }
  json_decref(info);
  for (auto &[id, row] : rows) {
    want.push_back(row);
    EXPECT_LT(row, longer[id]); /* it broke before it held for long */
  }
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  EXPECT_EQ(got, want);
  Outcome verify = Run({"verify", "--expect", "bitwise", "run_hold0p02s.h5"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  EXPECT_NE(verify.out.find("3 bitwise"), string::npos) << verify.out;
  for (auto &[id, row] : Latches("run_hold0p02s.h5", "0.02", "recorded"))
    EXPECT_TRUE(std::count(want.begin(), want.end(), row)) << id;
}

TEST_F(CliCut, JsonSaysWhatWasDone) {
  auto rows = Latches("run", "0.02", "kinematic");
  json_t *cut = Cut({"run", "--hold", "0.02", "--by", "kinematic", "-o", "o.h5"}), *e;
  EXPECT_EQ(
      Keys(cut),
      "output by hold_seconds fingerprint kept left_out least_cut most_cut models_copied episodes");
  EXPECT_EQ(Text(cut, "output"), "o.h5");
  EXPECT_EQ(Text(cut, "by"), "kinematic");
  EXPECT_EQ(json_number_value(json_object_get(cut, "hold_seconds")), 0.02);
  EXPECT_NE(Text(json_object_get(cut, "fingerprint"), "arch"), "");
  EXPECT_EQ(Whole(cut, "kept"), 3);
  size_t i;
  json_array_foreach(json_object_get(cut, "episodes"), i, e) {
    EXPECT_EQ(Keys(e), "id output_id from to dropped reason actions");
    EXPECT_EQ(Whole(e, "from"), 0);
    EXPECT_EQ(Whole(e, "to"), rows[Text(e, "id")]);
    EXPECT_TRUE(json_is_false(json_object_get(e, "dropped")));
    EXPECT_TRUE(json_is_null(json_object_get(e, "reason")));
  }
  json_decref(cut);
}

TEST_F(CliCut, ThreadsChangeNothing) {
  json_t *one = Cut({"run", "--hold", "0.02", "--dry-run", "--jobs", "1"}),
         *four = Cut({"run", "--hold", "0.02", "--dry-run", "--jobs", "4"});
  EXPECT_TRUE(json_equal(one, four));
  json_decref(one);
  json_decref(four);
}

TEST_F(CliCut, LatchPipesIntoIt) {
  ASSERT_EQ(Run({"cut", "run", "--hold", "0.02", "-o", "direct.h5"}).status, 0);
  Outcome o = Shell("$P latch --json --hold 0.02 run | $P cut run --steps - -o piped.h5");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("latch at a hold of 0.02 s (dynamic)"), string::npos) << o.out;
  json_t *a = Json(Run({"info", "--json", "direct.h5"})),
         *b = Json(Run({"info", "--json", "piped.h5"}));
  EXPECT_EQ(Text(a, "data_hash"), Text(b, "data_hash"));
  EXPECT_EQ(Text(a, "data_hash").size(), 64u);
  json_decref(a);
  json_decref(b);
  o = Shell("$P latch --json --hold 0.02 --by recorded run >l.json; $P cut run --steps l.json");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("(recorded)"), string::npos) << o.out;
  EXPECT_NE(o.out.find("written to run_hold0p02s.h5"), string::npos) << o.out;
  o = Shell("$P latch --json --hold 9 run | $P cut run --steps - -o none.h5");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("env000_ep000000: left out: "), string::npos) << o.out;
  EXPECT_NE(o.out.find("nothing is written"), string::npos) << o.out;
  EXPECT_FALSE(fs::exists(top / "none.h5"));
}

/* Episodes of every run have the same names. */
/* One rule by either way: what some episode does not allow is not chosen for the others. */
TEST_F(CliCut, AListIsCutByTheSourceThatAllEpisodesAllow) {
  string plain = kCart, success = "success = function(s) return s.joint.cart > 0.01 end,";
  plain.replace(plain.find(success), success.size(), "");
  Put("cart.lua", plain.c_str());
  ASSERT_EQ(Record("plain").status, 0);
  Outcome o = Run({"pack", "run", "plain", "-o", "both.h5"});
  ASSERT_EQ(o.status, 0) << o.err;
  Outcome direct = Run({"cut", "--json", "--dry-run", "--hold", "0.02", "both.h5"});
  Outcome piped =
      Shell("$P latch --json --hold 0.02 both.h5 | $P cut --json --dry-run --steps - both.h5");
  json_t *a = Json(direct), *b = Json(piped);
  EXPECT_EQ(Text(a, "by"), "recorded");
  EXPECT_EQ(Text(b, "by"), "recorded");
  EXPECT_TRUE(json_equal(json_object_get(a, "episodes"), json_object_get(b, "episodes")))
      << direct.out << piped.out;
  json_decref(a);
  json_decref(b);
}

TEST_F(CliCut, AHoldBelowNoughtInAListIsRefused) {
  Put("l.json", R"({"hold_seconds": -0.5, "episodes": []})");
  ExpectNothingNew({"cut", "run", "--steps", "l.json", "-o", "o.h5"}, 3, "hold_seconds");
}

TEST_F(CliCut, RowsOfAnotherRecordingAreRefused) {
  auto refused = [&](const string &line, const string &source, const string &part) {
    auto names = Names();
    Outcome o = Shell("$P " + line + " | $P cut --steps - -o o.h5 " + source);
    EXPECT_EQ(o.status, 3) << o.out << o.err;
    EXPECT_NE(o.err.find(part), string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(Names(), names);
  };
  ASSERT_EQ(Record("again").status, 0); /* the very same rows */
  refused("latch --json --hold 0.02 again", "run", "env000_ep000000: the list is of the run ");
  Put("short.lua", string(kCart).replace(string(kCart).find("200"), 3, "5"));
  ASSERT_EQ(Run({"record", "short.lua", "--envs", "2", "--episodes", "3", "--out", "short"}).status,
            0);
  Outcome latch = Run({"latch", "--json", "--hold", "0.004", "short"});
  ASSERT_EQ(Latches("short", "0.004", "recorded").size(), 3u) << latch.err;
  refused("latch --json --hold 0.004 short", "run", "the list is of an episode of 6 states, this ");
  ASSERT_EQ(Run({"pack", "run", "--out", "a.h5"}).status, 0);
  fs::copy(top / "a.h5", top / "b.h5");
  refused("latch --json --hold 0.02 a.h5", "b.h5",
          "demo_0: the list is of the file a.h5, this one is in b.h5");
  Put("heavy.xml", kHeavy);
  refused("latch --json --hold 0.02 --model heavy.xml --by kinematic a.h5", "a.h5",
          "found with the model ");
  Outcome o = Shell("$P latch --json --hold 0.02 --model heavy.xml --by kinematic a.h5 | "
                    "$P cut --steps - --model heavy.xml -o h.h5 a.h5");
  EXPECT_EQ(o.status, 0) << o.err;
}

TEST_F(CliCut, RowsFromOutsideByIdOrByPlace) {
  Put("id.json", "{\"env000_ep000001\": 7, \"env001_ep000000\": null, \"env000_ep000000\": 5}");
  Put("place.json", "[5, 7, 9]");
  json_t *cut = Cut({"run", "--steps", "id.json", "-o", "id.h5", "--hold", "0.02"}, 1), *e;
  std::map<string, int64_t> to;
  size_t i;
  json_array_foreach(json_object_get(cut, "episodes"), i, e) {
    to[Text(e, "id")] = json_is_true(json_object_get(e, "dropped")) ? -1 : Whole(e, "to");
  }
  EXPECT_EQ(to, (std::map<string, int64_t>{
                    {"env000_ep000000", 5}, {"env000_ep000001", 7}, {"env001_ep000000", -1}}));
  EXPECT_EQ(Text(cut, "by"), "steps");
  json_decref(cut);
  EXPECT_EQ(Run({"cut", "run", "--steps", "place.json", "-o", "place.h5"}).status, 0);
  json_t *info = Json(Run({"info", "--json", "place.h5"}));
  int64_t total = 0;
  json_array_foreach(json_object_get(info, "episodes"), i, e) {
    total += Whole(e, "actions");
  }
  EXPECT_EQ(total, 21);
  json_decref(info);
}

/* They may end before any hold of the source: what the file says has to be so. */
TEST_F(CliCut, RowsWithoutAHoldClaimNone) {
  Put("l.json", "[1, 2, 3]");
  ASSERT_EQ(Run({"cut", "run", "--steps", "l.json", "-o", "o.h5"}).status, 0);
  Outcome verify = Run({"verify", "o.h5"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  json_t *info = Json(Run({"info", "--json", "o.h5"})), *e;
  size_t i;
  json_array_foreach(json_object_get(info, "episodes"), i, e) {
    EXPECT_TRUE(json_is_null(json_object_get(e, "hold_seconds"))) << i;
  }
  EXPECT_EQ(i, 3u);
  json_decref(info);
  ASSERT_EQ(Run({"cut", "o.h5", "--range", "0:1", "-o", "p.h5"}).status, 0);
  verify = Run({"verify", "p.h5"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
}

/* A hold that began before it is not in it. */
TEST_F(CliCut, ARangeUpToTheEndSaysHowItWentItself) {
  auto rows = Latches("run", "0.1", "recorded");
  int64_t least = 1000;
  for (auto &[id, row] : rows)
    least = std::min(least, row);
  ASSERT_GT(least, 27);
  for (int64_t from : {int64_t(1), least - 24, least - 1}) {
    string out = "r" + std::to_string(from) + ".h5";
    ASSERT_EQ(Run({"cut", "run", "--range", std::to_string(from) + ":", "-o", out}).status, 0);
    Outcome verify = Run({"verify", out});
    EXPECT_EQ(verify.status, 0) << from << verify.out << verify.err;
    json_t *info = Json(Run({"info", "--json", out})), *e;
    size_t i, kept = 0;
    json_array_foreach(json_object_get(info, "episodes"), i, e) {
      bool success = json_is_true(json_object_get(e, "success"));
      kept += success;
      EXPECT_EQ(Text(e, "end_reason"), success ? "success" : "unknown");
    }
    EXPECT_EQ(kept, from == 1 ? 3u : from == least - 1 ? 0u : kept);
    json_decref(info);
  }
}

TEST_F(CliCut, ListsThatDoNotMatchAreRefused) {
  auto refused = [&](const string &list, const string &part, int status = 3) {
    Put("l.json", list);
    ExpectNothingNew({"cut", "run", "--steps", "l.json", "-o", "o.h5"}, status, part);
  };
  refused("[1, 2]", "it has 2 rows, the source has 3 episodes");
  refused("[1, 2, 3, 4]", "4 rows");
  refused("[]", "0 rows");
  refused("{\"env000_ep000000\": 5}", "it is not named");
  refused("{\"env000_ep000000\": 5, \"demo_9\": 3}", "demo_9: there is no such episode");
  refused("{\"env000_ep000000\": 5, \"env000_ep000000\": 5}", "duplicate");
  refused("[1, 2, \"3\"]", "no whole number");
  refused("[1, 2, 3.5]", "no whole number");
  refused("[1, 2, -3]", "no whole number");
  refused("nonsense", "line 1");
  refused("", "line 1");
  refused("7", "expected");
  refused("{\"holds\": [], \"episodes\": []}", "a sweep");
  refused("{\"episodes\": [{\"dynamic\": 3}]}", "no id");
  Put("l.json", "[1, 2, 3]");
  ExpectNothingNew({"cut", "run", "--steps", "l.json", "-o", "o.h5", "--by", "recorded"}, 2,
                   "nothing of sources");
  ExpectNothingNew({"cut", "run", "--steps", "none.json", "-o", "o.h5"}, 3, "none.json");
}

/* What is out of range is one episode's fault, and the others are cut. */
TEST_F(CliCut, AnEpisodeThatCannotBeCutIsListedAndLeftOut) {
  Put("l.json", "[5, 100000, 0]");
  Outcome o = Run({"cut", "run", "--steps", "l.json", "-o", "o.h5"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find(": left out: row 100000: its last is "), string::npos) << o.out;
  EXPECT_NE(o.out.find(": left out: less than 2 states are left\n"), string::npos) << o.out;
  EXPECT_NE(o.out.find("1 of 3 episodes is kept (steps)"), string::npos) << o.out;
  ExpectNothingNew({"cut", "none", "--hold", "1"}, 3, "none");
  fs::remove(top / "o.h5");
  o = Run({"cut", "run", "--steps", "l.json", "-o", "o.h5", "--strict"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("nothing is written"), string::npos) << o.out;
  EXPECT_FALSE(fs::exists(top / "o.h5"));
}

TEST_F(CliCut, ADamagedEpisodeIsLeftOut) {
  fs::copy(top / "run", top / "bad");
  for (const auto &file : fs::directory_iterator(top / "bad"))
    if (file.path().filename().string().rfind("env001", 0) == 0) {
      string text = Slurp(file.path());
      std::ofstream(file.path(), std::ios::binary)
          << text.substr(0, text.size() - text.size() / 3); /* cut off */
    }
  Outcome o = Run({"cut", "bad", "--hold", "0.02"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("env001_ep000000: left out: "), string::npos) << o.out;
  EXPECT_NE(o.out.find("2 of 3 episodes latch"), string::npos) << o.out;
  EXPECT_EQ(Run({"verify", "bad_hold0p02s.h5"}).status, 0);
  ExpectNothingNew({"cut", "bad", "--hold", "0.02"}, 3, "exists already");
}

TEST_F(CliCut, ADryRunWritesNothing) {
  Outcome o = Run({"cut", "run", "--hold", "0.02", "--dry-run"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 4) << o.out;
  EXPECT_NE(o.out.find("env000_ep000001 -> demo_2: rows 0 to "), string::npos) << o.out;
  EXPECT_NE(o.out.find("nothing is written"), string::npos) << o.out;
  EXPECT_EQ(Names(), (std::vector<string>{"cart.lua", "cart.xml", "run"}));
}

TEST_F(CliCut, FailedEpisodesAreNoFindingWhereThatIsAskedFor) {
  Outcome o = Run({"cut", "run", "--hold", "5", "-o", "o.h5"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("does not latch within the"), string::npos) << o.out;
  EXPECT_NE(o.out.find("0 of 3 episodes latch"), string::npos) << o.out;
  EXPECT_FALSE(fs::exists(top / "o.h5"));
  Put("l.json", "[5, null, 5]");
  EXPECT_EQ(Run({"cut", "run", "--steps", "l.json", "-o", "a.h5"}).status, 1);
  EXPECT_EQ(Run({"cut", "run", "--steps", "l.json", "-o", "b.h5", "--drop-failed"}).status, 0);
}

/* lerobot #2775, PR #3024, #3096, #630: idle heads and tails trimmed, failed episodes dropped, into
 * a new file that says what was done. */
TEST_F(CliCut, ARangeAndWhatDoesNotMove) {
  Outcome o = Run({"cut", "run", "--range", "2:9", "-o", "r.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("3 of 3 episodes are kept (range)"), string::npos) << o.out;
  EXPECT_EQ(Run({"verify", "--expect", "bitwise", "r.h5"}).status, 0); /* from its row 0 on */
  o = Run({"cut", "run", "--range", "3:100000", "-o", "x.h5"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("the range ends at step 100000, and it has "), string::npos) << o.out;
  o = Run({"cut", "run", "--range", "100000:", "-o", "x.h5"});
  EXPECT_EQ(o.status, 1);
  EXPECT_FALSE(fs::exists(top / "x.h5"));
  /* It rests, is pushed for 5 steps, and rests again. */
  Put("rest.lua",
      "return { name = 'rest', model = 'still.xml', control_steps = 2, max_steps = 40,\n"
      "  policy = function(s, rng) local i = math.floor(s.time / 0.004 + 0.5)\n"
      "    return {i >= 10 and i < 15 and 1 or 0} end }\n");
  Put("still.xml", "<mujoco><option timestep=\"0.002\"/><worldbody><body name=\"cart\">"
                   "<joint name=\"cart\" type=\"slide\" axis=\"1 0 0\" damping=\"1e6\"/>"
                   "<geom size=\".1\" mass=\"1\"/></body></worldbody>"
                   "<actuator><motor name=\"push\" joint=\"cart\"/></actuator></mujoco>");
  ASSERT_EQ(Run({"record", "rest.lua", "--out", "rest"}).status, 0);
  json_t *cut = Cut({"rest", "--trim-idle", "0.001", "-o", "t.h5"});
  json_t *e = json_array_get(json_object_get(cut, "episodes"), 0);
  EXPECT_EQ(Whole(e, "from"), 10);
  EXPECT_EQ(Whole(e, "to"), 16); /* the action that is 0 again is the last that is other */
  EXPECT_EQ(Text(cut, "by"), "trim-idle");
  json_decref(cut);
  o = Run({"cut", "rest", "--trim-idle", "100", "-o", "n.h5"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("nothing in it moves"), string::npos) << o.out;
}

/* Which demo has come of which episode: told before it is written, and so it is. */
TEST_F(CliCut, TheResultsIdsAreTold) {
  Put("l.json", "{\"env000_ep000001\": 7, \"env001_ep000000\": 9, \"env000_ep000000\": 5}");
  std::map<string, int64_t> told, is;
  json_t *cut = Cut({"run", "--steps", "l.json", "-o", "o.h5"}), *e;
  size_t i;
  json_array_foreach(json_object_get(cut, "episodes"), i, e) {
    told[Text(e, "output_id")] = Whole(e, "to");
  }
  json_t *info = Json(Run({"info", "--json", "o.h5"}));
  json_array_foreach(json_object_get(info, "episodes"), i, e) {
    is[Text(e, "id")] = Whole(e, "actions");
  }
  EXPECT_EQ(told, is);
  EXPECT_EQ(is, (std::map<string, int64_t>{{"demo_0", 5}, {"demo_1", 9}, {"demo_2", 7}}));
  json_decref(cut);
  json_decref(info);
  Put("l.json", "[null, 7, 9]");
  Outcome o = Run({"cut", "run", "--steps", "l.json", "--dry-run"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("env000_ep000001 -> demo_1: rows 0 to 7"), string::npos) << o.out;
  EXPECT_NE(o.out.find("env001_ep000000 -> demo_0: rows 0 to 9"), string::npos) << o.out;
  EXPECT_NE(o.out.find("2 of 3 episodes are kept (steps), no --hold: the result claims none"),
            string::npos)
      << o.out;
}

TEST_F(CliCut, OneOfOne) {
  ASSERT_EQ(Run({"cut", "run", "--range", "0:9", "-o", "all.h5"}).status, 0);
  Put("l.json", "[9, null, null]");
  Run({"cut", "all.h5", "--steps", "l.json", "-o", "one.h5"});
  Outcome o = Run({"cut", "one.h5", "--hold", "5", "--dry-run"});
  EXPECT_NE(o.out.find("0 of 1 episode latches at"), string::npos) << o.out;
  o = Run({"cut", "one.h5", "--range", "0:1", "--dry-run"});
  EXPECT_NE(o.out.find("1 of 1 episode is kept (range)"), string::npos) << o.out;
  o = Run({"cut", "one.h5", "--range", "0:99", "--dry-run"});
  EXPECT_NE(o.out.find("0 of 1 episode is kept (range)"), string::npos) << o.out;
  EXPECT_NE(o.out.find("the range ends at step 99, and it has 9 steps"), string::npos) << o.out;
}

TEST_F(CliCut, WhatDoesNotGoTogetherIsRefused) {
  ExpectNothingNew({"cut", "run"}, 2, "--hold SECONDS is missing");
  ExpectNothingNew({"cut", "run", "--range", "1:4"}, 2, "--out FILE is missing");
  EXPECT_EQ(Run({"cut", "run", "--range", "1:4", "--dry-run"}).status, 0);
  ExpectNothingNew({"cut", "run", "--range", "1:4", "--to-latch"}, 2, "only one of them");
  ExpectNothingNew({"cut", "run", "--range", "1:4", "--trim-idle", "1"}, 2, "only one of them");
  ExpectNothingNew({"cut", "run", "--range", "4:4", "-o", "x"}, 2, "no step in it");
  ExpectNothingNew({"cut", "run", "--range", "4", "-o", "x"}, 2, "not a range");
  ExpectNothingNew({"cut", "run", "--range", "-1:4", "-o", "x"}, 2, "not a range");
  ExpectNothingNew({"cut", "run", "--range", "1:4", "--hold", "1", "-o", "x"}, 2, "--hold");
  ExpectNothingNew({"cut", "run", "--range", "1:4", "--task", "cart.lua", "-o", "x"}, 2, "--task");
  ExpectNothingNew({"cut", "run", "--hold", "-1"}, 2, "not a number of seconds");
  ExpectNothingNew({"cut", "run", "--hold", "1", "--by", "guess"}, 2, "guess");
  ExpectNothingNew({"cut", "run", "--trim-idle", "x"}, 2, "not a number from 0 on");
  ExpectNothingNew({"cut", "run", "run", "--hold", "1"}, 2, "");
  ExpectNothingNew({"cut", "--hold", "1"}, 2, "");
  ExpectNothingNew({"cut", "run", "--hold", "0.02", "-o", "cart.xml"}, 3, "exists already");
  ExpectNothingNew({"cut", "run", "--hold", "0.02", "-o", "run/x.h5"}, 3, "never written to");
  ExpectNothingNew({"cut", "run", "--hold", "0.02", "-o", "none/x.h5"}, 3, "its folder");
  ExpectNothingNew(
      {"cut", "run", "--hold", "0.02", "--predicate-command", "true", "--by", "dynamic"}, 2,
      "kinematic");
}

TEST_F(CliCut, ASourceIsChosenByWhatAllEpisodesAllow) {
  auto by = [&](std::vector<string> more, const string &path = "run") {
    std::vector<string> args = {path, "--hold", "0.02", "--dry-run"};
    args.insert(args.end(), more.begin(), more.end());
    Outcome o = Run([&] {
      std::vector<string> all = {"cut", "--json"};
      all.insert(all.end(), args.begin(), args.end());
      return all;
    }());
    json_t *cut = Json(o);
    string text = Text(cut, "by");
    json_decref(cut);
    return text;
  };
  EXPECT_EQ(by({}), "dynamic");
  EXPECT_EQ(by({"--by", "recorded"}), "recorded");
  EXPECT_EQ(by({"--predicate-command", "read head; while read x; do echo 1; done"}), "kinematic");
  Put("heavy.xml", kHeavy);
  EXPECT_EQ(by({"--model", "heavy.xml"}), "kinematic"); /* not EXACT any more */
  foreign::write_robomimic(Path("theirs.hdf5"));
  EXPECT_EQ(by({}, "theirs.hdf5"), "recorded");
}

TEST_F(CliCut, AFileOfAnotherRecorderStaysOne) {
  foreign::write_robomimic(Path("a.hdf5"));
  auto file = contents_of(Path("a.hdf5"));
  Outcome o = Run({"cut", "a.hdf5", "--hold", "0"});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_NE(o.out.find("written to a_hold0s.hdf5"), string::npos) << o.out;
  o = Run({"cut", "a.hdf5", "--range", "3:12", "-o", "b.hdf5"});
  EXPECT_EQ(o.status, 0) << o.err;
  json_t *info = Json(Run({"info", "--json", "b.hdf5"}));
  EXPECT_EQ(Text(info, "layout"), "robomimic");
  EXPECT_EQ(Whole(json_array_get(json_object_get(info, "episodes"), 0), "actions"), 9);
  json_decref(info);
  EXPECT_EQ(contents_of(Path("a.hdf5")), file);
}

TEST_F(CliCut, ALayoutThatCannotBeCutIsNamed) {
  {
    foreign::File f(Path("arrays.h5"));
    f.array("/actions", foreign::F64, {10, 3}, foreign::wave(30));
    f.array("/qpos", foreign::F64, {10, 3}, foreign::wave(30));
  }
  ExpectNothingNew({"cut", "arrays.h5", "--range", "0:3", "-o", "o.h5"}, 3,
                   "its layout (arrays) cannot be cut");
  ExpectNothingNew({"cut", "arrays.h5", "--range", "0:3", "--dry-run"}, 3, "cannot be cut");
  bigym::Batch batch; /* one file of it is none */
  for (const char *last : {"--dry-run", "--strict"})
    ExpectNothingNew({"cut", batch / batch.a, "--hold", "0", last}, 3,
                     "its layout (BiGym) cannot be cut");
}

TEST_F(CliCut, ABatchOfBiGymBecomesABatch) {
  bigym::Batch batch;
  auto files = contents_of(batch.path);
  string out = Path("cut");
  Outcome o = Run({"cut", batch.path, "--hold", "0", "-o", out});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_TRUE(fs::exists(out + "/" + batch.a));
  EXPECT_TRUE(fs::exists(out + "/metadata.json"));
  Put("l.json", "{\"" + batch.a + "\": 9, \"" + batch.b + "\": 12, \"" + batch.c + "\": 3}");
  o = Run({"cut", batch.path, "--steps", "l.json", "--hold", "0.02"});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_TRUE(fs::exists(batch.path + "_hold0p02s/20260826T101112_0_9.npz"));
  ExpectError({"cut", batch.path, "--steps", "l.json", "--hold", "0.02"}, 3, "exists already");
  EXPECT_EQ(contents_of(batch.path), files);
}

TEST_F(CliCut, ADiskThatIsFullLeavesNothing) {
  file_limit = 3000;
  auto names = Names();
  Outcome o = Run({"cut", "run", "--hold", "0.02"});
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_EQ(Names(), names);
  file_limit = RLIM_INFINITY;
  EXPECT_EQ(Run({"cut", "run", "--hold", "0.02"}).status, 0);
}

/* Rows of a hold come from a model and a condition: a batch's own reward is 1 at its end alone. */
TEST_F(CliCut, LatchPipesABatchIntoIt) {
  bigym::Batch batch;
  Put("scene.xml", bigym::model_xml);
  auto files = contents_of(batch.path);
  Outcome o = Run({"cut", batch.path, "--hold", "0.1", "--by", "recorded", "--dry-run"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("0 of 3 episodes latch"), string::npos) << o.out;
  o = Shell("$P latch --json --hold 0.1 --by kinematic --model scene.xml --success "
            "'s.joint.x > 0.12' " +
            batch.path + " >l.json; $P cut --steps l.json -o shorter " + batch.path);
  EXPECT_NE(o.out.find("at a hold of 0.1 s (kinematic)"), string::npos) << o.out << o.err;
  json_t *latch = json_loads(Slurp(top / "l.json").c_str(), 0, nullptr),
         *first = json_array_get(json_object_get(latch, "episodes"), 0);
  EXPECT_TRUE(fs::exists(Path("shorter/20260826T101112_0_") +
                         std::to_string(Whole(first, "kinematic")) + ".npz"))
      << o.out << o.err;
  json_decref(latch);
  EXPECT_EQ(contents_of(batch.path), files);
}

/* Only the ends of a batch's episodes can be cut: one that would begin later is left out alone. */
TEST_F(CliCut, ABatchsEpisodeThatWouldBeginLaterIsLeftOutAlone) {
  bigym::Batch batch;
  Put("scene.xml", bigym::model_xml);
  auto resting = bigym::episode(31); /* it moves from row 9 on, the others from row 0 on */
  bigym::set(resting, "action", bigym::floats({31, 2}));
  std::vector<double> x;
  for (int t = 0; t < 31; t++)
    for (int k = 0; k < 3; k++)
      x.push_back(t < 10 ? 0 : 0.01 * t);
  bigym::set(resting, "full_qpos", bigym::array_of("<f8", {31, 3}, bigym::raw(x)));
  batch.put(batch.a, bigym::zip(resting));
  auto files = contents_of(batch.path);
  for (bool dry : {true, false}) {
    std::vector<string> args = {"cut",     batch.path,  "--trim-idle", "0.0001",
                                "--model", "scene.xml", "-o",          Path("o")};
    if (dry)
      args.push_back("--dry-run");
    Outcome o = Run(args);
    EXPECT_EQ(o.status, 1) << o.err << o.out;
    EXPECT_NE(o.out.find(batch.a + ": left out: "), string::npos) << o.out;
    EXPECT_NE(o.out.find("only its end can be cut"), string::npos) << o.out;
    EXPECT_NE(o.out.find("2 of 3 episodes are kept (trim-idle)"), string::npos) << o.out;
    EXPECT_EQ(fs::exists(top / "o"), !dry);
  }
  EXPECT_EQ(contents_of(batch.path), files);
}

/* A disk of its own that has no room for the result. */
TEST_F(CliCut, ADiskThatIsReallyFullLeavesNothing) {
  bigym::Batch batch;
  foreign::Options more;
  more.images = true;
  foreign::write_robomimic(Path("a.hdf5"), more);
  fs::create_directory(top / "disk");
  if (mount("none", Path("disk").c_str(), "tmpfs", 0, "size=8k") != 0)
    GTEST_SKIP() << "no file system may be mounted here";
  for (string source : {Path("run"), Path("a.hdf5"), batch.path}) {
    auto files = contents_of(source);
    Outcome o = Run({"cut", source, "--range", "0:9", "-o", Path("disk/out")});
    EXPECT_EQ(o.status, 3) << source << "\n" << o.err << o.out;
    EXPECT_NE(o.err.find("No space left on device"), string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_TRUE(fs::is_empty(top / "disk")) << source;
    EXPECT_EQ(contents_of(source), files);
  }
  umount2(Path("disk").c_str(), MNT_DETACH);
}

} // namespace
