// `diff`: what two episodes or runs have in common, in words and bit for bit; `record --verify`.
#include <array>
#include <regex>

#include "cli_help.h"

using namespace cli_help;

namespace {

class CliDiff : public Cli {
protected:
  void Heavy() {
    Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"2\""));
    Put("heavy.lua",
        std::regex_replace(Slurp(top / "cart.lua"), std::regex("cart.xml"), "heavy.xml"));
  }
  static bool Has(const string &text, const string &part) {
    return text.find(part) != string::npos;
  }
};

TEST_F(CliDiff, TwoRunsOfOneSeedAreTheSame) {
  ASSERT_EQ(Record("a").status, 0);
  ASSERT_EQ(Record("b").status, 0);
  ASSERT_EQ(Run({"pack", "b", "--out", "b.h5"}).status, 0);
  for (const char *other : {"b", "b.h5"}) {
    Outcome o = Run({"diff", "a", other});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_TRUE(Has(o.out, "\n3 of 3 pairs are the same\n")) << o.out;
  }
  Outcome o = Run({"diff", "a:env000_ep000001", "b.h5:demo_2"});
  EXPECT_EQ(o.status, 0) << o.out << "packed by episode, then env";
}

TEST_F(CliDiff, TheScrubberNeedsATerminal) {
  ASSERT_EQ(Record("a").status, 0);
  Outcome o = Run({"diff", "--view", "a:0", "a:1"});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, "playhead: diff: --view: not a terminal: playhead screen A --ghost B prints the "
                   "same as text\n");
  o = Run({"diff", "--view", "--json", "a:0", "a:1"});
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(Has(o.err, "--view and --json: only one of them is taken")) << o.err;
  o = Run({"screen", "a", "--ghost", "a:1", "--size", "120x40"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(Has(o.out, " ghost env000_ep000001 ")) << o.out;
  EXPECT_TRUE(Has(o.out, "differs from 0: cart by ")) << o.out;
  o = Run({"screen", "a", "--ghost", string(500, 'x')});
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(Has(o.err, "--ghost: more than 399 bytes")) << o.err;
  o = Run({"screen", "a", "--ghost", "none"});
  EXPECT_EQ(o.status, 0) << "the episode itself is there";
  EXPECT_TRUE(Has(o.out, "none: cannot be opened")) << o.out;
}

TEST_F(CliDiff, TwoEpisodesDifferInSeedAndStates) {
  ASSERT_EQ(Record("a").status, 0);
  Outcome o = Run({"diff", "a:0", "a:1", "--json"});
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *root = Json(o), *e = json_array_get(json_object_get(root, "episodes"), 0);
  EXPECT_EQ(Text(root, "mode"), "diff");
  EXPECT_TRUE(json_is_false(json_object_get(root, "same")));
  EXPECT_EQ(Text(json_array_get(json_object_get(root, "episodes"), 0), "id"), "env000_ep000000");
  EXPECT_EQ(Text(e, "id_b"), "env000_ep000001");
  EXPECT_EQ(json_integer_value(json_object_get(e, "first_unequal")), 0);
  EXPECT_TRUE(Has(json_string_value(json_array_get(json_object_get(e, "facts"), 0)), ": "));
  EXPECT_EQ(Keys(json_object_get(e, "max_joint_error")), "rad m");
  EXPECT_GT(json_array_size(json_object_get(e, "worst")), 0u);
  json_decref(root);
}

TEST_F(CliDiff, ModelsDifferInWordsAndWhatIsAloneIsNamed) {
  Heavy();
  ASSERT_EQ(Record("a").status, 0);
  ASSERT_EQ(Run({"record", "heavy.lua", "--envs", "2", "--episodes", "2", "--seed", "7", "--out",
                 Path("b")})
                .status,
            0);
  Outcome o = Run({"diff", "a", "b"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(std::regex_search(o.out, std::regex("\n    model: [^\n]*mass"))) << o.out;
  EXPECT_TRUE(Has(o.out, "env000_ep000001: only in a\n")) << o.out;
  EXPECT_TRUE(Has(o.out, "0 of 2 pairs are the same; 1 episode is in one of the two only"))
      << o.out;
  EXPECT_TRUE(std::regex_search(o.out, std::regex("states: [a-z]+; bits differ from step [1-9]")))
      << o.out;
}

// What is different of two models is told once, whatever the number of their episodes.
TEST_F(CliDiff, ModelsAreToldOfOnce) {
  Heavy();
  ASSERT_EQ(Record("a").status, 0);
  ASSERT_EQ(Run({"record", "heavy.lua", "--envs", "2", "--episodes", "3", "--seed", "7", "--out",
                 Path("b")})
                .status,
            0);
  Outcome o = Run({"diff", "a", "b"});
  EXPECT_EQ(o.status, 1);
  size_t told = 0, again = 0;
  for (size_t at = 0; (at = o.out.find("    model: ", at)) != string::npos; at++) {
    string line = o.out.substr(at, o.out.find('\n', at) - at);
    told += Has(line, "mass");
    again += Has(line, ", as of env000_ep000000, env000_ep000000");
  }
  EXPECT_EQ(told, 1u) << o.out;
  EXPECT_EQ(again, 2u) << o.out;
  json_t *root = Json(Run({"diff", "a", "b", "--json"})), *e;
  size_t i;
  json_array_foreach(json_object_get(root, "episodes"), i, e)
          EXPECT_GT(json_array_size(json_object_get(e, "model")), 0u)
      << i;
  json_decref(root);
}

// An episode that was taken out of its run has no model beside it, and is the same for all that.
TEST_F(CliDiff, AnEpisodeAwayFromItsRunIsComparedAsFarAsItGoes) {
  ASSERT_EQ(Record("a").status, 0);
  ASSERT_EQ(system(("cp " + Path("a") + "/env000_ep000000_*.h5 " + Path("one.h5")).c_str()), 0);
  ASSERT_EQ(system(("cp " + Path("one.h5") + " " + Path("two.h5")).c_str()), 0);
  for (auto [a, b, which] :
       {std::array<const char *, 3>{"a:0", "one.h5", "second"}, {"one.h5", "a:0", "first"}}) {
    Outcome o = Run({"diff", a, b});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_TRUE(Has(o.out, ": the same\n    not there: the " + string(which) +
                               " has no model beside it: that of the other has its hash"))
        << o.out;
  }
  Outcome o = Run({"diff", "one.h5", "two.h5"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_TRUE(Has(o.out, "not there: the model of the first cannot be had: rows are compared bit "
                         "for bit\n"))
      << o.out;
  o = Run({"diff", "a:1", "one.h5"});
  EXPECT_EQ(o.status, 1) << o.out;
  EXPECT_TRUE(Has(o.out, "    states: close; bits differ from step 0 on")) << o.out;
  ASSERT_EQ(system(("cp " + Path("a") + "/env000_ep000001_*.h5 " + Path("two.h5")).c_str()), 0);
  o = Run({"diff", "one.h5", "two.h5"});
  EXPECT_EQ(o.status, 1) << o.out;
  EXPECT_TRUE(Has(o.out, "states: not compared: the model of the first cannot be had; rows differ "
                         "from step 0 on, how far is not known"))
      << o.out;
}

TEST_F(CliDiff, StatesOfAModelWithOtherJointsAreNotCompared) {
  ASSERT_EQ(Record("a").status, 0);
  string wagon =
      std::regex_replace(string(kModel), std::regex("joint=\"cart\""), "joint=\"wagon\"");
  Put("cart.xml",
      std::regex_replace(wagon, std::regex("joint name=\"cart\""), "joint name=\"wagon\""));
  Put("cart.lua", "return { model = 'cart.xml', control_steps = 2, max_steps = 5, policy = "
                  "function(s, rng) return {0.5} end }");
  ASSERT_EQ(Record("b").status, 0);
  Outcome o = Run({"diff", "a:0", "b:0"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(Has(o.out, "states: not compared: a state of one is none of the other: ")) << o.out;
  EXPECT_TRUE(Has(o.out, "wagon")) << o.out;
}

TEST_F(CliDiff, WhatIsNotThereIsNamed) {
  ASSERT_EQ(Record("a").status, 0);
  ExpectError({"diff", "a"}, 2, "A B: is missing");
  ExpectError({"diff", "a", "a", "a"}, 2, "no more are taken");
  ExpectError({"diff", "a", "nowhere"}, 3, "nowhere");
  ExpectError({"diff", "a:nobody", "a:0"}, 3, "a: nobody: no such episode");
  ExpectError({"diff", "a:0", "a"}, 3, "which one is meant is for a:ID to say");
  ExpectError({"diff", "a", "a", "--tol", "x"}, 2, "diff: --tol: ");
}

TEST_F(CliDiff, RecordVerifyStampsWhatTheListsShow) {
  Outcome o = Record("a", {"--verify"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(Has(o.out, "\nphysics run again: 3 bitwise, 0 tol, 0 fails, 0 unchecked\n")) << o.out;
  json_t *told = Json(Record("c", {"--verify", "--json"}));
  json_t *counts = json_object_get(told, "determinism");
  EXPECT_EQ(json_integer_value(json_object_get(counts, "bitwise")), 3);
  EXPECT_EQ(json_integer_value(json_object_get(counts, "fails")), 0);
  json_decref(told);
  json_t *verdict = Json(Run({"info", "a", "--json"}));
  json_decref(verdict);
  string table = Run({"info", "a"}).out;
  std::regex stamp("\nenv[^\n]* bitwise ");
  EXPECT_EQ(std::distance(std::sregex_iterator(table.begin(), table.end(), stamp),
                          std::sregex_iterator()),
            3)
      << table;
  o = Record("b");
  ASSERT_EQ(o.status, 0);
  EXPECT_FALSE(Has(o.out, "physics run again")) << "it was not asked for";
  EXPECT_EQ(Run({"diff", "a", "b"}).status, 0) << "the stamp is no difference";
}

} // namespace
