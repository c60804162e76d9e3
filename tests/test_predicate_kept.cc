// Which command an answer is of that is kept: one whose files are known, and as they were.
#include "predicate_help.h"

extern "C" {
#include "model.h"
#include "predicate_parts.h"
}

using namespace predicate_help;

namespace {

void Settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
}

class Kept : public Predicates {
protected:
  void SetUp() override {
    Predicates::SetUp();
    home = fs::current_path();
  }
  void TearDown() override {
    fs::current_path(home);
    Predicates::TearDown();
  }
  /* A script that says always or never. */
  void Put(const string &name, char bit) {
    std::ofstream(top / name) << Judge(string("  print('") + bit +
                                       "' * head['count'], flush=True)\n");
  }
  static string Interpreter() {
    return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
  }
  string Command() const { return "exec " + Interpreter() + " " + Path("q.py"); }
  fs::path home;
};

TEST_F(Kept, OnlyOfACommandWhoseFilesAreKnown) {
  fs::current_path(top);
  fs::create_directory(top / "sub");
  const struct {
    string command, script, why;
  } cases[] = {
      {"python3 q.py", "q.py", ""},
      {" exec python3 sub/q.py a=b\n", "sub/q.py", ""},
      {"env A=1 python3 " + Path("sub/q.py") + " -x", "sub/q.py", ""},
      {"python3 -u q.py --rules=rules.txt", "q.py", ""},
      {"python3 'sub/my judge.py'", "sub/my judge.py", "more than plain words"},
      {"python3 \"q.py\"", "q.py", "more than plain words"},
      {"python3 sub/my\\ judge.py", "sub/my judge.py", "more than plain words"},
      {"cd sub && python3 q.py", "sub/q.py", "more than plain words"},
      {"cd sub; python3 q.py", "sub/q.py", "more than plain words"},
      {"cd sub\npython3 q.py", "sub/q.py", "more than plain words"},
      {"python3 $PWD/sub/q.py", "sub/q.py", "more than plain words"},
      {"python3 `pwd`/sub/q.py", "sub/q.py", "more than plain words"},
      {"HOME=. && python3 ~/q.py", "q.py", "more than plain words"},
      {"python3 sub/q.p?", "sub/q.py", "more than plain words"},
      {"python3 sub/q*", "sub/q.py", "more than plain words"},
      {"python3 sub/[q].py", "sub/q.py", "more than plain words"},
      {"(python3 q.py)", "q.py", "more than plain words"},
      {"cat | python3 q.py", "q.py", "more than plain words"},
      {"python3 q.py 2>log", "q.py", "more than plain words"},
      {"python3 q.py # x", "q.py", "more than plain words"},
      {"env -C sub python3 q.py", "sub/q.py", "names a folder"},
      {"env --chdir=sub python3 q.py", "sub/q.py", "names a folder"},
  };
  for (const auto &c : cases) {
    ph_command_look before, after;
    Put(c.script, '0');
    ph_command_look_at(&before, c.command.c_str());
    fs::remove(top / c.script);
    Put(c.script, '1');
    ph_command_look_at(&after, c.command.c_str());
    if (c.why.empty()) {
      EXPECT_EQ(after.why, nullptr) << c.command << after.why;
      EXPECT_STRNE(before.sha256, after.sha256) << c.command;
    } else {
      ASSERT_NE(after.why, nullptr) << c.command;
      EXPECT_EQ(string(after.why).rfind("the command ", 0), 0u) << after.why;
      EXPECT_NE(string(after.why).find(c.why), string::npos) << c.command << after.why;
    }
  }
}

TEST_F(Kept, NothingOfAnyOther) {
  Record(20);
  fs::current_path(top);
  fs::create_directory(top / "sub");
  Put("sub/q.py", '0');
  Settle();
  std::vector<uint8_t> bits;
  for (char bit : {'0', '1', '1'}) {
    Put("sub/q.py", bit);
    EXPECT_FALSE(AskOnce("cd sub && exec " + Interpreter() + " q.py", bits));
    EXPECT_EQ(bits[0], bit == '1') << "not an answer of the script before";
    EXPECT_EQ(note, "env000_ep000000: its answers are not kept: the command is more than plain "
                    "words");
  }
}

TEST_F(Kept, AFileBehindAnEqualSignIsNamedToo) {
  Record(20);
  Put("q.py", '0');
  std::ofstream(top / "rules") << "a";
  string command = Command() + " --rules=" + Path("rules");
  std::vector<uint8_t> bits;
  Settle();
  AskOnce(command, bits);
  EXPECT_TRUE(AskOnce(command, bits));
  std::ofstream(top / "rules") << "b";
  Settle();
  EXPECT_FALSE(AskOnce(command, bits));
}

/* One command lives across episodes, or the same one again. */
TEST_F(Kept, ALivingCommandWhoseScriptChangedIsStartedAnew) {
  Record(20);
  Put("q.py", '0');
  Settle();
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  string command = Command();
  ASSERT_EQ(ph_judge_open(&judge, command.c_str(), nullptr), PH_OK);
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  EXPECT_EQ(bits[0], 0);
  EXPECT_STREQ(ph_judge_note(judge), "");
  Put("q.py", '1');
  Settle();
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  EXPECT_FALSE(ph_judge_cached(judge));
  EXPECT_EQ(bits[0], 1) << "of the script as it is";
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  EXPECT_TRUE(ph_judge_cached(judge));
  EXPECT_EQ(bits[0], 1);
  ph_judge_close(judge);
}

TEST_F(Kept, NothingOfACommandWhoseScriptChangesWhileItJudges) {
  Record(20);
  std::ofstream(top / "q.py") << Judge("  text = open(sys.argv[0]).read() + '# more\\n'\n"
                                       "  if number == 0 and not os.path.exists('" +
                                       Path("once") +
                                       "'):\n"
                                       "    open('" +
                                       Path("once") +
                                       "', 'w')\n"
                                       "    open(sys.argv[0], 'w').write(text)\n"
                                       "  print('1' * head['count'], flush=True)\n");
  Settle();
  std::vector<uint8_t> bits;
  string command = Command();
  EXPECT_FALSE(AskOnce(command, bits));
  EXPECT_EQ(note, "env000_ep000000: its answers are not kept: a file of the command changed");
  Settle();
  EXPECT_FALSE(AskOnce(command, bits)) << "nothing had been kept";
  EXPECT_EQ(note, "");
  EXPECT_TRUE(AskOnce(command, bits));
}

/* One that was just written when it was started may have been read before its end. */
TEST_F(Kept, ACommandStartedOnAFreshScriptIsStartedAnew) {
  Record(20);
  Put("q.py", '0');
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  // Fresh as long as this is, whatever time it takes.
  fs::last_write_time(top / "q.py", fs::file_time_type::clock::now());
  string command = Command();
  ASSERT_EQ(ph_judge_open(&judge, command.c_str(), nullptr), PH_OK);
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  Settle();
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  EXPECT_STREQ(ph_judge_note(judge), "");
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  EXPECT_TRUE(ph_judge_cached(judge)) << "its second start was of what there is";
  ph_judge_close(judge);
}

/* Episodes of two models in turn, by one command. */
TEST_F(Kept, TheModelsFileIsThereWheneverABatchNamesIt) {
  Record(20);
  std::ofstream(top / "q.py") << Judge("  open('" + Path("seen") +
                                       "', 'a').write(head['model'] + ' ' + "
                                       "str('half' in open(head['model']).read()) + ' ' + "
                                       "str(len(os.listdir(os.environ['TMPDIR']))) + '\\n')\n"
                                       "  print('1' * head['count'], flush=True)\n");
  ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
  opt.forget = true;
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  string command = Command();
  ASSERT_EQ(ph_judge_open(&judge, command.c_str(), &opt), PH_OK);
  Store store(Path("run"));
  ph_episode *episode = nullptr;
  ph_model *stored = nullptr, *other = nullptr;
  ASSERT_EQ(ph_store_episode(&episode, store.store, 0), PH_OK) << ph_error();
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ASSERT_EQ(ph_store_model(&stored, store.store, meta->model_sha256), PH_OK) << ph_error();
  string xml(stored->source->xml, stored->source->xml_size);
  size_t at = xml.find("</mujoco>");
  ASSERT_NE(at, string::npos);
  xml.insert(at, "<custom><text name='half' data='x'/></custom>");
  ASSERT_EQ(ph_model_open_text(&other, xml.data(), xml.size(), "other.xml", nullptr), PH_OK)
      << ph_error();
  bits.assign(meta->states, 7);
  for (const ph_model *one : {stored, stored, other, stored})
    ASSERT_EQ(ph_judge_episode(bits.data(), judge, episode, one), PH_OK) << ph_error();
  std::ifstream in(top / "seen");
  std::vector<string> path(4), other_model(4), folders(4);
  for (int i = 0; i < 4; i++)
    ASSERT_TRUE(in >> path[i] >> other_model[i] >> folders[i]) << i;
  EXPECT_EQ(path[0], path[1]);
  EXPECT_NE(path[1], path[2]);
  EXPECT_EQ(other_model, (std::vector<string>{"False", "False", "True", "False"}));
  EXPECT_EQ(folders, std::vector<string>(4, "1")) << "one folder at a time";
  ph_model_unref(other);
  ph_model_unref(stored);
  ph_episode_free(episode);
  ph_judge_close(judge);
}

} // namespace
