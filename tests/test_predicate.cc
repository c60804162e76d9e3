// A command that judges recorded states: what it is sent, what it may answer, what is kept of it.
#include <cmath>
#include <map>
#include <sys/stat.h>

#include "predicate_help.h"
#include "read_only.h"

extern "C" {
#include "json.h"
}

using namespace predicate_help;

namespace {

TEST_F(Predicates, EveryStateIsJudgedInBatches) {
  Record(600);
  string command = Python(Judge(string(kByA) + "  open('" + Path("n") +
                                "', 'a').write('%d %d\\n' % "
                                "(head['first'], head['count']))\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::vector<uint8_t> bits;
  EXPECT_FALSE(AskOnce(command, bits));
  ExpectByA(bits);
  std::ifstream in(top / "n");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), "0 256\n256 256\n512 89\n");
}

TEST_F(Predicates, RowsHaveTheBitsAndTheNames) {
  Record(20, "reset = function(env, rng) env.model.body.arm.pos = {0, 0.25, 0.5} end,\n");
  string command =
      Python(Judge("  head['rows'] = [[x.hex() for x in r] for r in rows]\n"
                   "  head['xml'] = open(head['model']).read()\n"
                   "  json.dump(head, open('" +
                   Path("seen") + "', 'w'))\n  print('0' * head['count'], flush=True)\n"));
  std::vector<uint8_t> bits;
  AskOnce(command, bits);
  json_error_t why;
  json_t *head = json_load_file(Path("seen").c_str(), 0, &why);
  ASSERT_NE(head, nullptr) << why.text;
  EXPECT_STREQ(json_string_value(json_object_get(head, "protocol")), "playhead-predicate");
  EXPECT_STREQ(json_string_value(json_object_get(head, "episode")), "env000_ep000000");
  EXPECT_STREQ(json_string_value(json_object_get(head, "dtype")), "<f8");
  EXPECT_EQ(json_integer_value(json_object_get(head, "states")), 21);
  EXPECT_NE(string(json_string_value(json_object_get(head, "xml"))).find("<mujoco"), string::npos);
  std::map<string, std::pair<int, int>> columns;
  size_t i;
  json_t *column;
  json_array_foreach(json_object_get(head, "columns"), i, column)
      columns[json_string_value(json_object_get(column, "name"))] = {
          json_integer_value(json_object_get(column, "at")),
          json_integer_value(json_object_get(column, "size"))};
  EXPECT_EQ(columns["qpos"], std::make_pair(1, 9));
  EXPECT_EQ(columns["action"].second, 2);
  EXPECT_EQ(columns["ctrl"].second, 2);
  EXPECT_EQ(columns["mocap_pos"].second, 3);
  EXPECT_EQ(columns["xpos"].second, 15);
  EXPECT_EQ(columns["xquat"].second, 20);
  EXPECT_EQ(columns["site_xpos"].second, 3);
  EXPECT_EQ(columns.count("sensordata"), 0u);
  json_t *rows = json_object_get(head, "rows"), *row;
  ASSERT_EQ(json_array_size(rows), 21u);
  json_array_foreach(rows, i, row) {
    std::vector<double> numbers;
    size_t k;
    json_t *number;
    json_array_foreach(row, k, number)
        numbers.push_back(strtod(json_string_value(number), nullptr));
    ASSERT_EQ((json_int_t)numbers.size(), json_integer_value(json_object_get(head, "row")));
    EXPECT_EQ(memcmp(numbers.data(), &states[i * width], width * sizeof(double)), 0) << i;
    EXPECT_EQ(std::isnan(numbers[columns["action"].first]), i == 0);
    EXPECT_EQ(numbers[columns["xpos"].first + 3 * 2 + 1], 0.25) << "the arm, as the reset put it";
    EXPECT_EQ(numbers[columns["mocap_pos"].first], 0.5);
  }
  json_t *edit = json_array_get(json_object_get(head, "edits"), 0);
  EXPECT_STREQ(json_string_value(json_object_get(edit, "field")), "body_pos");
  EXPECT_EQ(json_array_size(json_object_get(edit, "values")), 15u);
  json_decref(head);
}

TEST_F(Predicates, AnswersAreKeptBesideTheRun) {
  Record(40);
  string command = Python(Judge(string(kByA) + "  open('" + Path("n") + "', 'a').write('x')\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::vector<uint8_t> first, again;
  EXPECT_FALSE(AskOnce(command, first));
  EXPECT_EQ(note, "");
  EXPECT_TRUE(AskOnce(command, again));
  EXPECT_EQ(first, again);
  EXPECT_EQ(fs::file_size(top / "n"), 1u) << "it was asked once";
  EXPECT_FALSE(AskOnce(command, again, true)) << "unless they are to be forgotten";
  EXPECT_FALSE(AskOnce(command + " other", again)) << "another command";
  EXPECT_EQ(std::distance(fs::directory_iterator(Cache()), fs::directory_iterator()), 2);
  fs::last_write_time(Path("child.py"), fs::file_time_type::clock::now());
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_FALSE(AskOnce(command, again)) << "its script is another";
  EXPECT_TRUE(AskOnce(command, again));
  fs::path episode;
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env000_ep", 0) == 0)
      episode = file.path();
  fs::last_write_time(episode, fs::file_time_type::clock::now());
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_FALSE(AskOnce(command, again)) << "the file is another";
  EXPECT_EQ(first, again);
  EXPECT_EQ(std::distance(fs::directory_iterator(Cache()), fs::directory_iterator()), 2)
      << "old answers give way";
}

TEST_F(Predicates, ADamagedAnswerIsMadeAnew) {
  Record(40);
  string command = Python(Judge(string(kByA) + "  open('" + Path("n") + "', 'a').write('x')\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::vector<uint8_t> first, again;
  AskOnce(command, first);
  fs::path kept = fs::directory_iterator(Cache())->path();
  std::ifstream in(kept, std::ios::binary);
  string whole((std::istreambuf_iterator<char>(in)), {});
  size_t asked = 1;
  auto expect_anew = [&](const string &bytes, const string &what) {
    std::ofstream(kept, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_FALSE(AskOnce(command, again)) << what;
    EXPECT_EQ(first, again) << what;
    EXPECT_EQ(fs::file_size(top / "n"), ++asked) << what;
    EXPECT_TRUE(AskOnce(command, again)) << what << ": it was mended";
  };
  for (size_t at : {size_t(0), size_t(20), size_t(72), size_t(80), whole.size() - 1}) {
    string bytes = whole;
    bytes[at] = (char)(bytes[at] ^ 1);
    expect_anew(bytes, "byte " + std::to_string(at));
  }
  expect_anew("", "empty");
  expect_anew(whole.substr(0, whole.size() - 1), "cut");
  expect_anew(whole + "x", "longer");
  fs::remove(kept);
  ASSERT_EQ(mkfifo(kept.c_str(), 0600), 0);
  EXPECT_FALSE(AskOnce(command, again)) << "a pipe holds nothing up";
  EXPECT_TRUE(AskOnce(command, again)) << "and gives way";
}

TEST_F(Predicates, BesideAReadOnlyFolderAnswersAreKeptUnderTheState) {
  Record(40);
  for (const char *name : {"state", "tmp", "log"}) {
    fs::create_directory(top / name);
    chmod(Path(name).c_str(), 0777);
  }
  string command =
      Python(Judge(string(kByA) + "  open('" + Path("log/n") + "', 'a').write('x')\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::vector<uint8_t> first, again;
  {
    ReadOnly folder(top);
    EXPECT_FALSE(AskOnce(command, first));
    EXPECT_EQ(note, "");
    EXPECT_TRUE(AskOnce(command, again));
  }
  EXPECT_EQ(first, again);
  EXPECT_EQ(fs::file_size(top / "log" / "n"), 1u) << "it was asked once";
  EXPECT_FALSE(fs::exists(Cache()));
  std::vector<fs::path> kept;
  for (auto &folder : fs::directory_iterator(top / "state" / "playhead"))
    kept.push_back(folder.path());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].filename().string().rfind("run-", 0), 0u) << kept[0];
  EXPECT_EQ(kept[0].extension(), ".playhead-predicate");
  EXPECT_EQ(std::distance(fs::directory_iterator(kept[0]), {}), 1);
  EXPECT_TRUE(AskOnce(command, again)) << "they count where the folder can be written to again";
  EXPECT_FALSE(fs::exists(Cache()));
  EXPECT_FALSE(AskOnce(command, again, true));
  EXPECT_TRUE(fs::exists(Cache()));
  fs::remove_all(kept[0]);
  ReadOnly folder(top);
  EXPECT_TRUE(AskOnce(command, again)) << "and so do those beside it where it cannot";
  EXPECT_EQ(first, again);
}

TEST_F(Predicates, WhereNothingCanBeKeptItIsSaid) {
  Record(20);
  string command = Python(Judge(kByA));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::ofstream(Cache()) << "a file in its way";
  std::vector<uint8_t> bits;
  EXPECT_FALSE(AskOnce(command, bits));
  ExpectByA(bits);
  EXPECT_NE(note.find("run.playhead-predicate"), string::npos) << note;
}

TEST_F(Predicates, WhatAKilledOneLeftIsSweptAway) {
  fs::path tmp = top / "tmp";
  auto put = [&](const string &name, mode_t mode = 0700) {
    fs::create_directory(tmp / name);
    std::ofstream(tmp / name / "model.xml") << "<mujoco/>";
    chmod((tmp / name).c_str(), mode);
  };
  auto sweep = [] {
    ph_judge *judge = nullptr;
    ASSERT_EQ(ph_judge_open(&judge, "true", nullptr), PH_OK);
    ph_judge_close(judge);
  };
  put("playhead-model-123-aB3xyz");
  // Nobody's, but of another name, shape or owner; a link to what is somebody's.
  put("playhead-model-aB3xyz"), put("playhead-model-123-aB3xy"), put("playhead-model-123-aB3xyz2");
  put("playhead-model-12x-aB3xyz"), put("playhead-model-123-aB3xy."), put("playhead-model--aB3xyz");
  put("my-playhead-model-123-aB3xyz"), put("playhead-model-123-public", 0755);
  put("playhead-model-124-public", 0755), put("of somebody");
  fs::create_directory_symlink(tmp / "of somebody", tmp / "playhead-model-123-linked");
  std::ofstream(tmp / "playhead-model-123-afile1") << "x";
  put("playhead-model-125-folder");
  fs::create_directory(tmp / "playhead-model-125-folder" / "another");
  fs::create_symlink(tmp / "of somebody" / "model.xml", tmp / "playhead-model-125-folder" / "link");
  if (getuid() == 0) {
    put("playhead-model-126-others");
    ASSERT_EQ(chown((tmp / "playhead-model-126-others").c_str(), 65534, 65534), 0);
  }
  std::set<string> left;
  for (auto &file : fs::directory_iterator(tmp))
    left.insert(file.path().filename());
  sweep();
  left.erase("playhead-model-123-aB3xyz");
  std::set<string> now;
  for (auto &file : fs::directory_iterator(tmp))
    now.insert(file.path().filename());
  EXPECT_EQ(now, left);
  EXPECT_TRUE(fs::exists(tmp / "of somebody" / "model.xml")) << "a link is not followed";
  EXPECT_TRUE(fs::exists(tmp / "playhead-model-125-folder" / "another"));
  EXPECT_FALSE(fs::exists(tmp / "playhead-model-125-folder" / "model.xml"));
  if (getuid() == 0) {
    EXPECT_TRUE(fs::exists(tmp / "playhead-model-126-others" / "model.xml"));
  }
  for (auto &name : left)
    fs::remove_all(tmp / name);
}

TEST_F(Predicates, TheModelOfOneThatWorksIsNotSweptAway) {
  Record(20);
  string command = Python(Judge("  os.system('ls ' + os.path.dirname(head['model']) + ' > " +
                                Path("there") + "')\n" + string(kByA)));
  ph_judge *judge = nullptr, *other = nullptr;
  std::vector<uint8_t> bits;
  ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
  opt.forget = true;
  ASSERT_EQ(ph_judge_open(&judge, command.c_str(), &opt), PH_OK);
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  ASSERT_EQ(ph_judge_open(&other, "true", nullptr), PH_OK); // sweeps
  ph_judge_close(other);
  fs::remove(top / "there");
  ASSERT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  std::ifstream in(top / "there");
  string name;
  EXPECT_TRUE(in >> name) << "the folder is there";
  EXPECT_EQ(name, "model.xml");
  ph_judge_close(judge);
}

TEST_F(Predicates, WhatIsNoAnswerIsRefused) {
  Record(20);
  auto says = [&](const string &what) {
    return Python(Judge("  print(" + what + ", flush=True)\n"));
  };
  ExpectFault(says("'0' * 20"), "its answer has 20 characters for 21 states");
  ExpectFault(says("'0' * 22"), "its answer has 22 characters for 21 states");
  ExpectFault(says("''"), "its answer has 0 characters for 21 states");
  ExpectFault(says("'01' * 10 + 'x'"), "character 20 of its answer is neither 0 nor 1");
  ExpectFault(says("'nonsense'"), "character 0 of its answer is neither 0 nor 1: \"nonsense\"");
  ExpectFault(says("[True] * 21"), "character 0 of its answer is neither 0 nor 1");
  ExpectFault(says("'0' * 21 + '\\n' + '0' * 21"), "it wrote more than one line", PH_EIO);
  ExpectFault(says("'0' * 100000"), "it wrote a line of more than", PH_EIO);
}

TEST_F(Predicates, OneThatDoesNotAnswerIsNamed) {
  Record(20);
  ExpectFault("exec no-such-judge", "it ended with status 127", PH_EIO);
  ExpectFault(Python("raise ImportError('no robosuite')"), "ImportError: no robosuite", PH_EIO);
  ExpectFault("exec head -c 5 > /dev/null", "it ended with status 0", PH_EIO);
  ExpectFault("yes", "it wrote ", PH_EIO);
}

TEST_F(Predicates, OneThatFailedIsStartedAnew) {
  Record(20);
  string command = Python("import os, sys\n"
                          "if not os.path.exists('" +
                          Path("once") +
                          "'):\n"
                          "  open('" +
                          Path("once") + "', 'w'); sys.exit(1)\n" + Judge(kByA));
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  ASSERT_EQ(ph_judge_open(&judge, command.c_str(), nullptr), PH_OK);
  EXPECT_EQ(Ask(judge, bits), PH_EIO);
  EXPECT_EQ(Ask(judge, bits), PH_OK) << ph_error();
  ExpectByA(bits);
  ph_judge_close(judge);
}

TEST_F(Predicates, WhoWaitsMayStop) {
  Record(20);
  ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
  opt.cancel = [](void *user, int64_t, int64_t states) {
    EXPECT_EQ(states, 21);
    return ++*static_cast<int *>(user) > 2;
  };
  int asked = 0;
  opt.user = &asked;
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  ASSERT_EQ(ph_judge_open(&judge, "exec sleep 1000", &opt), PH_OK);
  EXPECT_EQ(Ask(judge, bits), PH_ECANCELED);
  ph_judge_close(judge);
}

TEST_F(Predicates, WhoWatchesTheThreadSeesTheCommandAndMayStopIt) {
  Record(20);
  ph_judge *judge = nullptr;
  std::vector<uint8_t> bits;
  ASSERT_EQ(ph_judge_open(&judge, "exec sleep 1000", nullptr), PH_OK);
  ph_wait_watch(
      [](void *, const ph_wait *wait) {
        if (wait->command) {
          EXPECT_STREQ(wait->where, "exec sleep 1000");
        }
        return wait->command && wait->seconds > 0.1;
      },
      nullptr);
  EXPECT_EQ(Ask(judge, bits), PH_ECANCELED);
  ph_wait_watch(nullptr, nullptr);
  ph_judge_close(judge);
}

TEST_F(Predicates, VerifyJudgesByIt) {
  Record(40, "success = function(s) return s.joint.a > 0.3 end, hold_seconds = 10,\n");
  Store store(Path("run"));
  ph_episode *episode = nullptr;
  ph_model *stored = nullptr;
  ASSERT_EQ(ph_store_episode(&episode, store.store, 0), PH_OK);
  ASSERT_EQ(ph_store_model(&stored, store.store, ph_episode_meta_of(episode)->model_sha256), PH_OK);
  for (bool right : {true, false}) {
    string command = right ? Python(Judge(kByA))
                           : Python(Judge("  print('0' * head['count'], flush=True)\n"), "no.py");
    ph_verify_options opt = {nullptr, nullptr, nullptr};
    ph_verdict verdict;
    ASSERT_EQ(ph_judge_open(&opt.judge, command.c_str(), nullptr), PH_OK);
    EXPECT_EQ(ph_verify_episode(&verdict, episode, stored, nullptr, &opt), PH_OK) << ph_error();
    EXPECT_TRUE(verdict.predicate_checked) << verdict.note;
    EXPECT_EQ(verdict.nflaws == 0, right) << verdict.flaw[0].text;
    if (!right) {
      EXPECT_NE(string(verdict.flaw[0].text).find("was recorded 1 and is 0 when recomputed"),
                string::npos)
          << verdict.flaw[0].text;
    }
    ph_judge_close(opt.judge);
  }
  ph_verify_options opt = {nullptr, nullptr, nullptr};
  ph_verdict verdict;
  ASSERT_EQ(ph_judge_open(&opt.judge, "exit 4", nullptr), PH_OK);
  EXPECT_EQ(ph_verify_episode(&verdict, episode, nullptr, nullptr, &opt), PH_EIO);
  EXPECT_NE(string(ph_error()).find("it ended with status 4"), string::npos) << ph_error();
  ph_judge_close(opt.judge);
  ph_model_unref(stored);
  ph_episode_free(episode);
}

TEST_F(Predicates, AReplayGivesWhatAnotherJudged) {
  Record(10);
  Store store(Path("run"));
  ph_episode *episode = nullptr;
  ph_replay *replay = nullptr;
  ASSERT_EQ(ph_store_episode(&episode, store.store, 0), PH_OK);
  ASSERT_EQ(ph_replay_create(&replay, episode, nullptr, nullptr), PH_OK);
  std::vector<uint8_t> bits(11, 0);
  bits[4] = 1;
  bool value = true;
  const ph_condition *condition = nullptr;
  ASSERT_EQ(ph_replay_judged(replay, bits.data(), "by them"), PH_OK);
  EXPECT_EQ(ph_replay_predicate(replay, &value, &condition), PH_EINVAL) << "no step yet";
  for (int t = 0; t < 11; t++) {
    ASSERT_EQ(ph_replay_seek(replay, t, 0, PH_KINEMATIC), PH_OK);
    ASSERT_EQ(ph_replay_predicate(replay, &value, &condition), PH_OK);
    EXPECT_EQ(value, t == 4);
    EXPECT_STREQ(condition->name, "by them");
  }
  ASSERT_EQ(ph_replay_judged(replay, nullptr, nullptr), PH_OK);
  EXPECT_EQ(ph_replay_predicate(replay, &value, &condition), PH_ENOTFOUND);
  ph_replay_free(replay);
  ph_episode_free(episode);
}

} // namespace
