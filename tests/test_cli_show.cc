// What `verify`, `info` and `screen` say of a run; models with assets.
#include "cli_help.h"

using namespace cli_help;

namespace {

TEST_F(Cli, VerifyFindsAFlippedByte) {
  ASSERT_EQ(Record("run").status, 0);
  fs::path victim;
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env001", 0) == 0)
      victim = file.path();
  string bytes = Slurp(victim);
  /* the time of step 3, as it stands in the states */
  double time = 0;
  for (int i = 0; i < 6; i++)
    time += 0.002;
  size_t at = bytes.find(string(reinterpret_cast<char *>(&time), sizeof time));
  ASSERT_NE(at, string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(victim, std::ios::binary) << bytes;
  Outcome o = Run({"verify", "run", "--json"});
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *verdict = Json(o);
  json_t *e = json_array_get(json_object_get(verdict, "episodes"), 2);
  EXPECT_EQ(Text(e, "id").rfind("env001", 0), 0u);
  EXPECT_NE(Text(e, "diagnosis").find("states"), string::npos) << Text(e, "diagnosis");
  EXPECT_TRUE(json_is_false(json_object_get(e, "ok")));
  json_t *found = json_array_get(json_object_get(e, "findings"), 0);
  EXPECT_EQ(Keys(found), "step text");
  EXPECT_EQ(json_integer_value(json_object_get(found, "step")), 0) << "the block's first";
  EXPECT_EQ(Text(found, "text").rfind("states: ", 0), 0u) << Text(found, "text");
  EXPECT_LT(json_integer_value(json_object_get(json_object_get(e, "checked"), "columns")), 8);
  e = json_array_get(json_object_get(verdict, "episodes"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(e, "diagnosis")));
  EXPECT_TRUE(json_is_true(json_object_get(e, "ok")));
  EXPECT_TRUE(json_is_false(json_object_get(verdict, "ok")));
  EXPECT_EQ(json_integer_value(json_object_get(verdict, "wrong")), 1);
  EXPECT_EQ(Text(verdict, "first_wrong"), "env001_ep000000");
  json_decref(verdict);
  o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("\n2 of 3 episodes are as recorded; the first that is not: "
                       "env001_ep000000: states: "),
            string::npos)
      << o.out;
}

// The policy chose those of its parent.
TEST_F(Cli, InfoSaysWhatABranchIsOf) {
  ASSERT_EQ(Record("run").status, 0);
  auto typed = [](const string &line) {
    string keys;
    for (char c : line)
      keys += c == ' ' ? string("Space ") : string(1, c) + " ";
    return keys + "Enter ";
  };
  string keys = typed(":branch held 0=0.25") + typed(":branch save " + (top / "b.h5").string());
  ASSERT_EQ(Run({"screen", "--mode", "both", "--at", "5", "--keys", keys, "run"}).status, 0);
  Outcome o = Run({"info", "b.h5"});
  EXPECT_NE(o.out.find("actions    those of a branch of "), string::npos) << o.out;
  EXPECT_NE(o.out.find(":env000_ep000000 from step 5, held but for 1 element\n"), string::npos)
      << o.out;
  EXPECT_EQ(o.out.find("chosen by"), string::npos) << o.out;
  json_t *info = Json(Run({"info", "--json", "b.h5"}));
  json_t *e = json_array_get(json_object_get(info, "episodes"), 0);
  EXPECT_NE(Text(e, "parent").find("env000_ep000000"), string::npos) << Text(e, "parent");
  json_decref(info);
  o = Run({"verify", "b.h5"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out.find("run again it goes on"), string::npos) << o.out;
}

TEST_F(Cli, ALostEpisodeIsAFindingAndAnEmptyRunNoSuccess) {
  ASSERT_EQ(Record("run").status, 0);
  std::vector<fs::path> episodes;
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env", 0) == 0)
      episodes.push_back(file.path());
  ASSERT_GT(episodes.size(), 1u);
  fs::remove(episodes[0]);
  string lost =
      "the index names " + episodes[0].filename().string() + ", which is not in the folder";
  for (const char *verb : {"verify", "info"}) {
    Outcome o = Run({verb, "run"});
    EXPECT_EQ(o.status, 1) << verb;
    EXPECT_NE(o.out.find(lost), string::npos) << o.out;
  }
  for (auto &file : episodes)
    fs::remove(file);
  fs::remove(top / "run" / "index");
  Outcome o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("there is nothing to verify"), string::npos) << o.out;
}

/* What is damaged is named as that, and is a finding. */
TEST_F(Cli, InfoSaysWhatIsDamaged) {
  ASSERT_EQ(Record("run").status, 0);
  EXPECT_EQ(Run({"info", "run"}).status, 0);
  string run = Slurp(top / "run" / "run.h5"), bad = run;
  size_t at = bad.find("hold_seconds = ");
  ASSERT_NE(at, string::npos);
  bad[at] = 'H';
  Put("run/run.h5", bad);
  Outcome o = Run({"info", "run"});
  EXPECT_EQ(o.out.find("not stored"), string::npos) << o.out;
  EXPECT_NE(o.out.find("source: "), string::npos) << o.out;
  EXPECT_EQ(o.out.find("EXACT"), string::npos) << o.out;
  EXPECT_NE(o.out.find("STATES ONLY"), string::npos) << o.out;
  Put("run/run.h5", run);
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env001", 0) == 0)
      fs::resize_file(file.path(), 1000);
  o = Run({"info", "run"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(o.out.find("no checksums are stored"), string::npos) << o.out;
  EXPECT_NE(o.out.find("\n    odd: it was not written to the end: 1000 of"), string::npos) << o.out;
  size_t odd = o.out.find("    odd: ");
  EXPECT_EQ(o.out.find("    odd: ", odd + 1), string::npos) << "it is said once\n" << o.out;
  EXPECT_EQ(Run({"info", "--json", "run"}).status, 1);
  o = Run({"screen", "run", "--episode", "env001_ep000000"});
  EXPECT_EQ(o.status, 1) << "the picture says it";
  EXPECT_NE(o.out.find("1000 of"), string::npos) << o.out;
  EXPECT_EQ(Run({"screen", "run"}).status, 0);
}

TEST_F(Cli, ScreenIsTextOfTheSizeAskedFor) {
  ASSERT_EQ(Record("run").status, 0);
  Outcome o = Run({"screen", "run", "--at", "middle", "--size", "100x30"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_LE(std::count(o.out.begin(), o.out.end(), '\n'), 30);
  EXPECT_EQ(o.out.back(), '\n');
  EXPECT_EQ(o.out.find('\x1b'), string::npos);
  EXPECT_NE(o.out.find("cart"), string::npos);
  EXPECT_NE(Run({"screen", "run", "--at", "0"}).out, Run({"screen", "run", "--at", "last"}).out);
  EXPECT_NE(Run({"screen", "run", "--at", "1"}).out.find("step 1/"), string::npos);
  EXPECT_NE(Run({"screen", "run", "--at", "1", "--keys", "n n"}).out.find("step 3/"), string::npos);
  Outcome color = Run({"screen", "run", "--color"});
  EXPECT_NE(color.out.find('\x1b'), string::npos);
  no_color = true;
  EXPECT_EQ(Run({"screen", "run", "--color"}).out.find('\x1b'), string::npos);
  o = Run({"screen", "run", "--ascii"});
  for (char c : o.out)
    ASSERT_GE(c, 0) << o.out;
  ExpectError({"screen", "run", "--keys", "Nokey"}, 2, "Nokey");
  ExpectError({"screen", "run", "--episode", "nobody", "--at", "middle"}, 3, "no such episode");
  EXPECT_NE(Run({"screen", "run", "--episode", "nobody"}).status, 0);
}

TEST_F(Cli, ManyEnvsAreANumberOrAll) {
  ASSERT_EQ(Record("run").status, 0);
  for (const char *good : {"1", "2", "4096", "all"})
    EXPECT_NE(Run({"screen", "run", "--envs", good}).out.find("envs: "), string::npos) << good;
  for (const char *bad : {"0", "-1", "4097", "x", "2x", "", " 2", "99999999999999999999", "ALL"})
    ExpectError({"screen", "run", "--envs", bad}, 2, string("--envs ") + bad + ": not a whole");
  ExpectError({"info", "run", "--envs", "2"}, 2, "--envs");
}

TEST_F(Cli, APlaceInTimeIsAStepSecondsOrAShare) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 50));
  ASSERT_EQ(Run({"record", "cart.lua", "--out", "run"}).status, 0);
  auto at = [&](const string &place, const string &said) {
    Outcome o = Run({"screen", "run", "--at", place});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, said);
    size_t from = o.out.find("PAUSED  step ") + 13;
    return o.out.substr(from, o.out.find(' ', from) - from);
  };
  EXPECT_EQ(at("0", ""), "0/50");
  EXPECT_EQ(at("50", ""), "50/50");
  EXPECT_EQ(at("90%", ""), "45/50");
  EXPECT_EQ(at("0.1s", ""), "25/50");
  EXPECT_EQ(at("middle", ""), "25/50");
  EXPECT_EQ(at("last", ""), "50/50");
  EXPECT_EQ(at("999", "playhead: screen: --at 999: the last step is 50\n"), "50/50");
  EXPECT_EQ(at("150%", "playhead: screen: --at 150%: the last step is 50\n"), "50/50");
  for (const char *bad : {"", "%", "-1", "1.5", ".5s", "1e3", "4.2.1s", "5 s", "s", "5%%", "first",
                          "99999999999999999999", "0x10"})
    ExpectError({"screen", "run", "--at", bad}, 2, string("--at ") + bad + ": not a step");
  ExpectError({"screen", "none", "--at", "50%"}, 3, "none");
  ExpectError({"screen", "none", "--at", "5"}, 3, "none");
}

/* The picture and verify say what does not fit, after the episode's id, which is said once. */
TEST_F(Cli, AnotherTaskThatDoesNotFitIsNamedOnce) {
  ASSERT_EQ(Record("run").status, 0);
  string other = Task("function(s) return {0} end");
  Put("other.lua", other.replace(other.find("control_steps = 2"), 17, "control_steps = 4"));
  Outcome o = Run({"screen", "run", "--task", "other.lua", "--size", "200x50"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("env000_ep000000: a step has 2 substeps"), string::npos) << o.out;
  EXPECT_EQ(o.out.find("env000_ep000000: env000"), string::npos) << o.out;
  o = Run({"verify", "run", "--task", "other.lua"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("\n    a step has 2 substeps in the episode, 4 in task cart\n"),
            string::npos)
      << o.out;
  EXPECT_NE(o.out.find("is not: env000_ep000000: a step has 2 substeps"), string::npos) << o.out;
}

/* A condition that is none says nothing of the file: it is the judge's fault, not the episode's. */
TEST_F(Cli, AConditionThatCannotJudgeIsNoFaultOfTheFile) {
  ASSERT_EQ(Record("run").status, 0);
  Put("wrong.lua", "return { success = function(s) return s.joint.crt > 1 end }");
  Put("later.lua", "return { success = function(s) return s.step < 2 or s.joint.crt > 1 end }");
  const std::vector<std::vector<string>> wrong = {
      {"--success", "s.joint.crt > 1", "no joint 'crt'; did you mean 'cart'?"},
      {"--success", "1", "must return true or false, returned number"},
      {"--success", "s.joint.cart > s.joint", "attempt to compare"},
      {"--task", "wrong.lua", "wrong.lua:1: success: no joint 'crt'"},
      {"--task", "later.lua", "step 2: later.lua:1: success: no joint 'crt'"}};
  for (const auto &w : wrong) {
    Outcome o = Run({"verify", "run", w[0], w[1]});
    EXPECT_EQ(o.status, 3) << w[1];
    EXPECT_EQ(o.err.rfind("playhead: env000_ep000000: step ", 0), 0u) << o.err;
    EXPECT_NE(o.err.find(w[2]), string::npos) << o.err;
    EXPECT_EQ(o.out.find("WRONG"), string::npos) << o.out;
    EXPECT_EQ(o.out.find("as recorded"), string::npos) << o.out;
    o = Run({"screen", "run", w[0], w[1], "--at", "5", "--size", "200x50"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find(w[0] == "--task" ? "no joint 'crt'" : w[2].substr(0, 14)), string::npos)
        << o.out;
  }
  // The recorded task is part of the file: that it fails at a recorded state is found there.
  Put("cart.lua", Task("function(s, rng) return {0.5} end"));
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

TEST_F(Cli, AssetsOfTheEnvironmentAreRead) {
  fs::create_directories(top / "store");
  Put("store/part.xml", "<x><body><geom size=\".1\"/></body></x>");
  string xml = kModel;
  xml.insert(xml.find("</worldbody>"), "<include file=\"/home/else/part.xml\"/>");
  Put("cart.xml", xml);
  EXPECT_EQ(Record("a").status, 3);
  EXPECT_EQ(Record("a", {"--assets", Path("store")}).status, 0);
  assets = Path("store") + ":" + Path("store");
  EXPECT_EQ(Record("b").status, 0);
}

/* A model whose mesh is not there: refused with its name, or shown without it. */
TEST_F(Cli, MissingAssetsAreRefusedOrDropped) {
  Record("run");
  string xml = kModel;
  xml.insert(xml.find("<worldbody>"), "<asset><mesh name=\"m\" file=\"lost.stl\"/></asset>");
  xml.insert(xml.find("<geom size"), "<geom type=\"mesh\" mesh=\"m\"/>");
  Put("lost.xml", xml);
  ExpectError({"verify", "--model", "lost.xml", Path("run")}, 3, "lost.stl");
  ExpectError({"verify", "--model", "lost.xml", "--missing-assets", "refuse", Path("run")}, 3,
              "lost.stl");
  Outcome drop = Run({"export", "--model", "lost.xml", "--missing-assets", "drop", "--columns",
                      "cart", "--range", ":1", Path("run")});
  EXPECT_EQ(drop.status, 0) << drop.err;
  EXPECT_EQ(drop.out.rfind("step,cart\n0,", 0), 0u) << drop.out;
}

} // namespace
