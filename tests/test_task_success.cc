/* A task whose success is one expression, and the tokens that its columns come from. */
#include "script_help.h"

extern "C" {
#include "lex.h"
}

namespace {

std::string kinds_of(const std::string &text) {
  ph_lexer lexer;
  std::string kinds;
  ph_lex_begin(&lexer, text.data(), text.size());
  for (;;) {
    ph_token token = ph_lex_next(&lexer);
    if (token.kind == PH_TOKEN_END)
      return kinds;
    kinds += "EnknssCB"[token.kind];
    if (token.kind == PH_TOKEN_NUMBER)
      kinds.back() = '1';
    if (token.kind == PH_TOKEN_STRING)
      kinds.back() = '"';
    kinds += std::to_string(token.n);
    kinds += ' ';
  }
}

TEST(Lex, Tokens) {
  EXPECT_EQ("n1 s1 n5 s2 14 ", kinds_of("s.joint>=1e-3"));
  EXPECT_EQ("k3 n4 k3 k5 ", kinds_of("not nots and false"));
  EXPECT_EQ("\"5 \"5 \"7 \"12 ", kinds_of("'a b' \"c d\" [[e f]] [==[g]]h]==]"));
  EXPECT_EQ("\"6 ", kinds_of("'a\\'b'"));
  EXPECT_EQ("16 ", kinds_of(".5..10"));
  EXPECT_EQ("C5 n1 C8 n1 ", kinds_of("-- x \na--[[\n\n]]b"));
  EXPECT_EQ("B3 ", kinds_of("'ab"));
  EXPECT_EQ("B1 n1 B1 ", kinds_of("$x\x01"));
  EXPECT_EQ("B4 ", kinds_of("[[ab"));
  EXPECT_EQ("15 16 ", kinds_of("0x1p4 0xA.8p"));
  EXPECT_EQ("", kinds_of(" \t\n"));
}

TEST(Lex, LinesAndTexts) {
  std::string text = "a\n[[x\ny]] 'b' [=[c]=] 'd\\n'";
  ph_lexer lexer;
  char out[4];
  int lines[] = {1, 2, 3, 3, 3};
  const char *texts[] = {nullptr, "x\ny", "b", "c", nullptr};
  ph_lex_begin(&lexer, text.data(), text.size());
  for (int i = 0; i < 5; i++) {
    ph_token token = ph_lex_next(&lexer);
    EXPECT_EQ(lines[i], token.line) << i;
    EXPECT_EQ(texts[i] != nullptr, ph_token_text(&token, out, sizeof out)) << i;
    if (texts[i]) {
      EXPECT_STREQ(texts[i], out);
    }
  }
}

TEST(Lex, AnyBytes) {
  uint32_t seed = 1;
  for (int round = 0; round < 3000; round++) {
    std::string text;
    for (int i = 0; i < 40; i++) {
      seed = seed * 1664525u + 1013904223u;
      text += "[]=-'\"\\a0.xp(\n ~\0\xff"[seed >> 24 & 15];
    }
    ph_lexer lexer;
    ph_lex_begin(&lexer, text.data(), text.size());
    const char *at = text.data();
    for (int n = 0;; n++) {
      ph_token token = ph_lex_next(&lexer);
      ASSERT_LE(at, token.at);
      ASSERT_LE(token.at + token.n, text.data() + text.size());
      if (token.kind == PH_TOKEN_END)
        break;
      ASSERT_GT(token.n, 0u);
      at = token.at + token.n;
      ASSERT_LT(n, 41);
    }
  }
}

/* --- expressions --- */

class Success : public ScriptTest {
protected:
  /* Compiles and runs it; "true", "false", or the message. */
  std::string judge(const std::string &expr, const char *base = nullptr) {
    ph_task *task = nullptr, *under = nullptr;
    bool value = false;
    if (base && ph_task_parse(&under, base, strlen(base), "base.lua") != PH_OK)
      return ph_error();
    ph_status st = ph_task_with_success(&task, under, expr.c_str());
    ph_task_unref(under);
    EXPECT_EQ(st == PH_OK, task != nullptr);
    if (st != PH_OK)
      return std::string("! ") + ph_error();
    ph_script_free(script);
    script = nullptr;
    st = ph_task_script(&script, task);
    if (st == PH_OK)
      st = ph_script_success(script, &scene, &value, nullptr);
    std::string text = st != PH_OK ? ph_error() : value ? "true" : "false";
    same_by_itself(task, st, value);
    ph_task_unref(task);
    return text;
  }

  /* The task's own source says the same. */
  void same_by_itself(const ph_task *task, ph_status expected, bool value) {
    ph_task *again = nullptr;
    const char *source = ph_task_source(task);
    ASSERT_EQ(PH_OK, ph_task_parse(&again, source, strlen(source), "again.lua"))
        << ph_error() << "\n"
        << source;
    EXPECT_STREQ(ph_task_sha256(task), ph_task_sha256(again));
    ph_script *other = nullptr;
    bool mine = false;
    ASSERT_EQ(PH_OK, ph_task_script(&other, again));
    EXPECT_EQ(expected, ph_script_success(other, &scene, &mine, nullptr)) << source;
    EXPECT_EQ(value, mine) << source;
    ph_script_free(other);
    ph_task_unref(again);
  }
};

TEST_F(Success, IsWhatItSays) {
  EXPECT_EQ("true", judge("s.body.cup.z > 0.2"));
  EXPECT_EQ("false", judge("s.body.cup.z > 0.84"));
  EXPECT_EQ("true", judge("abs(s.joint.drawer) < 1 and s.dist(\"grip\", 'cup') > 0"));
  EXPECT_EQ("true", judge("s.contact('table', 'cup') or true"));
  EXPECT_EQ("true", judge("(function(x) return x.time > 0 end)(s)"));
  EXPECT_EQ("true", judge(" \n s.time > 0\n"));
  EXPECT_EQ("true", judge("norm({s.joint.drawer, 1}) >= 1"));
  EXPECT_EQ("true", judge("#({a = 1, 2}) == 1"));
  EXPECT_EQ("true", judge("s.start.body.cup.z > 0"));
}

TEST_F(Success, ErrorsNameExpressionAndColumn) {
  EXPECT_EQ("--success 's.body.cp.z > 0.84': column 8: no body 'cp'; did you mean 'cup'?",
            judge("s.body.cp.z > 0.84"));
  EXPECT_EQ("! --success 's.bdy.cup.z > 0.84': column 3: s has no 'bdy'; did you mean 'body'?",
            judge("s.bdy.cup.z > 0.84"));
  EXPECT_EQ("! --success 's.start.step > 1': column 9: s.start has no 'step'; did you mean 'site'?",
            judge("s.start.step > 1"));
  EXPECT_EQ("--success '0.01 < s.joint.drwer': column 16: no joint 'drwer'; did you mean 'drawer'?",
            judge("0.01 < s.joint.drwer"));
  EXPECT_EQ("--success 's.joint.drwer < 0.01': column 9: no joint 'drwer'; did you mean 'drawer'?",
            judge("s.joint.drwer < 0.01"));
  EXPECT_EQ("--success 's.joint.drawer + nil < 1': column 9: attempt to perform arithmetic on a "
            "nil value",
            judge("s.joint.drawer + nil < 1"));
  EXPECT_EQ("! --success '0 < body.cup.z': column 5: no such name 'body'; did you mean 's.body'?",
            judge("0 < body.cup.z"));
  EXPECT_EQ("! --success 'asb(s.time) > 1': column 1: no such name 'asb'; did you mean 'abs'?",
            judge("asb(s.time) > 1"));
  EXPECT_EQ(
      "--success 's.time > s.body.cup': column 17: attempt to compare playhead.object with number",
      judge("s.time > s.body.cup"));
  EXPECT_EQ("--success 's.time': must return true or false, returned number", judge("s.time"));
  EXPECT_EQ("--success 's.predicate': column 3: s.predicate: is what the conditions decide; they "
            "cannot read it",
            judge("s.predicate"));
  EXPECT_EQ("--success 's.stage == \"x\"': column 3: s.stage: the task has no stages",
            judge("s.stage == \"x\""));
}

TEST_F(Success, WhatIsNoExpression) {
  EXPECT_EQ("! --success '': column 1: an expression is missing", judge(""));
  EXPECT_EQ("! --success ' ': column 2: an expression is missing", judge(" "));
  EXPECT_EQ("! --success 's.time >': column 9: it ends too early", judge("s.time >"));
  EXPECT_EQ("! --success 's.time > > 1': column 10: unexpected symbol near '>'",
            judge("s.time > > 1"));
  EXPECT_EQ("! --success '(s.time > 1': column 12: it ends too early", judge("(s.time > 1"));
  EXPECT_EQ("! --success 's.time > 1)': column 11: this closes nothing", judge("s.time > 1)"));
  EXPECT_EQ("! --success 'true) end, (function() return (1': column 5: this closes nothing",
            judge("true) end, (function() return (1"));
  EXPECT_EQ("! --success 's.time = 1': column 8: '=' sets; '==' compares", judge("s.time = 1"));
  EXPECT_EQ("! --success 'true -- yes': column 6: a comment has no place here",
            judge("true -- yes"));
  EXPECT_EQ("! --success 's.dist('a, b) > 1': column 8: this string has no end",
            judge("s.dist('a, b) > 1"));
  EXPECT_EQ("! --success 's.time > 1 €': column 12: this character has no place here",
            judge("s.time > 1 \xe2\x82\xac"));
  EXPECT_EQ("! --success '_ENV': _ENV: is not available to tasks", judge("_ENV"));
  EXPECT_EQ("! --success 'return true': column 1: unexpected symbol near 'return'",
            judge("return true"));
  std::string longest = judge(std::string(2001, '1'));
  EXPECT_NE(std::string::npos, longest.find("has 2001 bytes, may have 2000")) << longest;
  std::string endless = judge("(function() while true do end end)()");
  EXPECT_EQ(0u, endless.find("--success '(function() while true do end end)()': column "))
      << endless;
  EXPECT_NE(std::string::npos, endless.find("instruction limit")) << endless;
}

TEST_F(Success, ManyTokensAndLongLines) {
  std::string longest = "s.time > 0";
  while (longest.size() < 1900)
    longest += " and s.time > 0";
  EXPECT_EQ("true", judge(longest));
  std::string wrong = judge(longest + " and s.tme > 0");
  EXPECT_NE(std::string::npos, wrong.find("...': column ")) << wrong;
  EXPECT_NE(std::string::npos, wrong.find("s has no 'tme'")) << wrong;
}

const char kBase[] = "local limit = 0.2 -- of the cup\n"
                     "return { name = 'lift', control_steps = 5, hold_seconds = 0.25,\n"
                     "  success = function(s) return s.nonsense end,\n"
                     "  failure = function(s)\n"
                     "    return s.body.cop.z < limit end,\n"
                     "  readouts = { time = function(s) return s.time end } } -- end";

TEST_F(Success, TheRestIsOfTheBase) {
  EXPECT_EQ("true", judge("s.time > 0", kBase));
  EXPECT_EQ("! --success 's.tme': column 3: s has no 'tme'; did you mean 'time'?",
            judge("s.tme", kBase));
  ph_task *base = nullptr, *task = nullptr, *twice = nullptr;
  ASSERT_EQ(PH_OK, ph_task_parse(&base, kBase, strlen(kBase), "base.lua")) << ph_error();
  ASSERT_EQ(PH_OK, ph_task_with_success(&task, base, "s.time > 1")) << ph_error();
  EXPECT_STREQ("lift", ph_task_info_of(task)->name);
  EXPECT_EQ(0.25, ph_task_info_of(task)->hold_seconds);
  EXPECT_EQ(1u, ph_task_info_of(task)->nreadouts);
  EXPECT_STREQ("success", ph_task_condition(task, 0));
  EXPECT_STRNE(ph_task_sha256(base), ph_task_sha256(task));
  EXPECT_FALSE(ph_task_info_of(task)->judges_only);
  ASSERT_EQ(PH_OK, ph_task_with_success(&twice, task, "s.time > 2")) << ph_error();
  EXPECT_STREQ("lift", ph_task_info_of(twice)->name);
  ph_script_free(script);
  ASSERT_EQ(PH_OK, ph_task_script(&script, task));
  bool failed;
  EXPECT_EQ(PH_ETASK, ph_script_failure(script, &scene, &failed));
  EXPECT_STREQ("base.lua:5: failure: no body 'cop'; did you mean 'cup'?", ph_error());
  ph_task_unref(base);
  ph_task_unref(task);
  ph_task_unref(twice);
}

TEST_F(Success, AloneItOnlyJudges) {
  ph_task *task = nullptr;
  ASSERT_EQ(PH_OK, ph_task_with_success(&task, nullptr, "s.time > 1")) << ph_error();
  EXPECT_TRUE(ph_task_info_of(task)->judges_only);
  EXPECT_EQ(0.0, ph_task_info_of(task)->hold_seconds);
  EXPECT_STREQ("return { success = function(s) return (s.time > 1) end }\n", ph_task_source(task));
  ph_task_unref(task);
}

/* --- a file that only judges --- */

class Judge : public Success {
protected:
  ph_task *base = nullptr, *judge = nullptr, *task = nullptr;
  void TearDown() override {
    for (ph_task *t : {base, judge, task})
      ph_task_unref(t);
    Success::TearDown();
  }
  void make(const char *under, const char *text) {
    if (under) {
      ASSERT_EQ(PH_OK, ph_task_parse(&base, under, strlen(under), "base.lua")) << ph_error();
    }
    ASSERT_EQ(PH_OK, ph_task_parse(&judge, text, strlen(text), "only.lua")) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_with_judge(&task, base, judge)) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_script(&script, task)) << ph_error();
  }
};

TEST_F(Judge, JudgesInsteadAndTheRestIsOfTheBase) {
  bool value = false;
  double readout = 0;
  make(kBase, "local x = 1\nreturn { hold_seconds = 2, success = { a = function(s)\n"
              "  return s.step == 7 end, b = function(s)\n    return s.step > 7 and s.nonsense\n"
              "  or x == 1 end } }");
  EXPECT_STREQ("lift", ph_task_info_of(task)->name);
  EXPECT_EQ(2, ph_task_info_of(task)->hold_seconds);
  EXPECT_EQ(2u, ph_task_info_of(task)->nconditions);
  EXPECT_FALSE(ph_task_info_of(task)->judges_only);
  EXPECT_STREQ(ph_task_sha256(base), ph_task_base_sha256(task));
  EXPECT_EQ(PH_OK, ph_script_success(script, &scene, &value, nullptr)) << ph_error();
  EXPECT_TRUE(value);
  EXPECT_EQ(PH_OK, ph_script_readouts(script, &scene, &readout)) << "the base's";
  same_by_itself(task, PH_OK, true);
  scene.step = 8;
  EXPECT_EQ(PH_ETASK, ph_script_success(script, &scene, &value, nullptr));
  EXPECT_STREQ("only.lua:4: success.b: s has no 'nonsense'", ph_error());
  EXPECT_EQ(PH_ETASK, ph_script_failure(script, &scene, &value));
  EXPECT_STREQ("base.lua:5: failure: no body 'cop'; did you mean 'cup'?", ph_error());
}

TEST_F(Judge, ValuesOfTheWrongKindAreOfItsLine) {
  bool value;
  make(kBase, "return {\n  success = function(s) return 1 end }");
  EXPECT_EQ(PH_ETASK, ph_script_success(script, &scene, &value, nullptr));
  EXPECT_STREQ("only.lua:2: success: must return true or false, returned number", ph_error());
}

TEST_F(Judge, ItsStagesToo) {
  make(kBase, "return { stages = { { name = 'a', test = function(s) return true end } },\n"
              "  success = function(s) return s.stages_done == 1 end }");
  EXPECT_EQ(1u, ph_task_info_of(task)->nstages);
  EXPECT_EQ(0.25, ph_task_info_of(task)->hold_seconds) << "it has none of its own";
}

TEST_F(Judge, AnExpressionOverBoth) {
  ph_task *both = nullptr;
  bool value = false;
  make(kBase, "return { hold_seconds = 2, success = function(s) return false end }");
  ASSERT_EQ(PH_OK, ph_task_with_success(&both, task, "s.step == 7")) << ph_error();
  EXPECT_EQ(2, ph_task_info_of(both)->hold_seconds);
  EXPECT_STREQ(ph_task_sha256(base), ph_task_base_sha256(both));
  ph_script_free(script);
  ASSERT_EQ(PH_OK, ph_task_script(&script, both));
  EXPECT_EQ(PH_OK, ph_script_success(script, &scene, &value, nullptr)) << ph_error();
  EXPECT_TRUE(value);
  same_by_itself(both, PH_OK, true);
  ph_task_unref(both);
}

TEST_F(Judge, AWholeTaskIsTakenAsItIs) {
  make(kBase, "return { control_steps = 3, success = function(s) return true end }");
  EXPECT_STREQ(ph_task_sha256(judge), ph_task_sha256(task));
  EXPECT_STREQ(ph_task_sha256(judge), ph_task_base_sha256(task));
}

TEST_F(Judge, AloneItIsItself) {
  make(nullptr, "return { success = function(s) return true end }");
  EXPECT_EQ(judge, task);
}

} // namespace
