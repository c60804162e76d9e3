// Recorders that are killed at any moment: what is committed is whole, and every complete step of
// the rest comes back, once. PLAYHEAD_TEST_KILLS says how many, PLAYHEAD_TEST_SEED which moments.
#include "kill_help.h"

using namespace kill_help;

namespace {

int Number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

class Kill : public Cli {
protected:
  const int envs = 3, episodes = 12;
  std::mt19937 rng{static_cast<unsigned>(Number("PLAYHEAD_TEST_SEED", 1))};
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  string dir, reference;
  kill_help::Run whole; /* a recording that nobody killed */
  int64_t duration = 0; /* [us] of it */
  /* How often: something was found at all, of each kind. */
  int early = 0, salvaged = 0, committed = 0, empty = 0, parts = 0, rekilled = 0, appended = 0;
  int64_t steps = 0;

  void SetUp() override {
    Cli::SetUp();
    dir = Path("run");
    reference = Path("reference");
    Put("pole.xml", kPole);
    Put("swing.lua", kSwing);
    ASSERT_EQ(PH_OK, ph_task_open(&task, Path("swing.lua").c_str())) << ph_error();
    ASSERT_EQ(PH_OK, ph_task_model(&model, task, nullptr)) << ph_error();
    auto start = std::chrono::steady_clock::now();
    Outcome o = Wait(Record(reference, 2 * episodes));
    ASSERT_EQ(0, o.status) << o.err;
    duration = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now() - start)
                   .count() /
               2;
    whole = read_run(reference, model, task);
    ASSERT_EQ(2u * static_cast<size_t>(episodes), whole.episodes.size());
  }
  void TearDown() override {
    ph_model_unref(model);
    ph_task_unref(task);
    Cli::TearDown();
  }
  int Draw(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }
  void Sleep(int64_t most) {
    usleep(static_cast<useconds_t>(std::uniform_int_distribution<int64_t>(0, most)(rng)));
  }
  pid_t Record(const string &out, int n, const char *how = nullptr) {
    std::vector<string> args = {"record",     "swing.lua",
                                "--envs",     std::to_string(envs),
                                "--episodes", std::to_string(n),
                                "--jobs",     "2",
                                "--seed",     "11",
                                "--out",      out};
    if (how)
      args.push_back(how);
    return Start(args);
  }

  /* At any time, or in the midst of a commit. */
  void KillRecorder() {
    Watch watch;
    watch.add(top.string());
    pid_t pid = Record(dir, episodes);
    int kind = Draw(9);
    if (kind > 0) {
      watch.wait(pid, IN_CREATE, "run", 0);
      watch.add(dir);
    }
    if (kind < 4)
      Sleep(duration);
    else if (kind < 6)
      watch.wait(pid, IN_CREATE, ".part", Draw(episodes)), Sleep(8000);
    else if (kind == 6)
      watch.wait(pid, IN_MOVED_TO, ".h5", Draw(episodes)), Sleep(500);
    else if (kind == 7)
      watch.wait(pid, IN_MODIFY, "index", Draw(episodes)), Sleep(300);
    else /* a head or a void one: rows are not seen by a watch */
      watch.wait(pid, IN_MODIFY, ".journal", Draw(4 * episodes)), Sleep(50);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  void KillSalvage() {
    Watch watch;
    watch.add(dir);
    pid_t pid = Start({"salvage", "run"});
    switch (Draw(3)) {
    case 0:
      watch.wait(pid, IN_CREATE, ".part", Draw(envs)), Sleep(5000);
      break;
    case 1:
      watch.wait(pid, IN_MOVED_TO, ".h5", Draw(envs)), Sleep(200);
      break;
    default:
      watch.wait(pid, IN_DELETE, ".journal", Draw(envs)), Sleep(200);
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    rekilled++;
  }

  /* All rows and facts are those of the recording that nobody killed, as far as they go. */
  void ExpectPrefix(const Key &key, const Told &told, bool all) {
    ASSERT_EQ(1u, whole.episodes.count(key)) << "invented";
    const Told &of = whole.episodes[key];
    EXPECT_EQ(of.facts, told.facts);
    EXPECT_LE(told.actions, of.actions);
    if (all) {
      EXPECT_EQ(of.actions, told.actions);
    }
    ASSERT_EQ(of.columns.size(), told.columns.size());
    for (auto &[col, bytes] : told.columns) {
      auto it = of.columns.find(col);
      ASSERT_NE(it, of.columns.end()) << col;
      EXPECT_LE(bytes.size(), it->second.size());
      EXPECT_EQ(0, memcmp(bytes.data(), it->second.data(), bytes.size())) << "column " << col;
    }
  }
  void ExpectRun(const Remains &left) {
    kill_help::Run run = read_run(dir, model, task);
    EXPECT_FALSE(run.twice);
    std::map<Key, int64_t> wanted; /* of the journals, which no file had yet */
    for (auto &[key, n] : left.steps)
      if (n > 0)
        wanted[key] = n;
    for (auto &[key, told] : run.episodes) {
      SCOPED_TRACE("env " + std::to_string(key.first) + " episode " + std::to_string(key.second));
      bool saved = run.ends[key] == PH_END_SALVAGED;
      ExpectPrefix(key, told, !saved);
      if (wanted.count(key)) {
        EXPECT_EQ(wanted[key], told.actions) << "every complete step, and no other";
      } else {
        EXPECT_FALSE(saved) << "out of nothing";
      }
      wanted.erase(key);
      salvaged += saved;
      steps += saved ? told.actions : 0;
    }
    EXPECT_TRUE(wanted.empty()) << "lost";
    Remains now = look(dir);
    EXPECT_EQ(0u, now.journals);
    EXPECT_EQ(0u, now.parts);
    for (auto &[name, bytes] : left.files)
      EXPECT_TRUE(now.files[name] == bytes) << name;
  }
  void Salvage() {
    ph_salvage_report report = {};
    EXPECT_EQ(PH_OK, ph_salvage_run(&report, dir.c_str(), nullptr)) << ph_error();
    for (size_t i = 0; i < report.n; i++) {
      EXPECT_NE(PH_SALVAGE_LOST, report.items[i].fate) << report.items[i].why;
      EXPECT_TRUE(report.items[i].fate != PH_SALVAGE_SAVED || !report.items[i].why[0])
          << report.items[i].why;
      committed += report.items[i].fate == PH_SALVAGE_COMMITTED;
      empty += report.items[i].fate == PH_SALVAGE_EMPTY;
    }
    ph_salvage_free(&report);
    EXPECT_EQ(PH_OK, ph_salvage_run(&report, dir.c_str(), nullptr)) << ph_error();
    EXPECT_EQ(0u, report.n) << "again it finds nothing";
    ph_salvage_free(&report);
  }
  /* Goes on with the numbering of each env. */
  void GoOn() {
    Outcome o = Wait(Record(dir, envs, "--append"));
    EXPECT_EQ(0, o.status) << o.err;
    kill_help::Run run = read_run(dir, model, task);
    EXPECT_FALSE(run.twice);
    for (auto &[key, told] : run.episodes)
      ExpectPrefix(key, told, run.ends[key] != PH_END_SALVAGED);
    appended++;
  }
  void Once(int i) {
    fs::remove_all(dir);
    KillRecorder();
    Remains left = look(dir);
    parts += left.parts > 0;
    if (!left.files.count("run.h5")) {
      EXPECT_EQ(0u, left.journals) << "the first thing that is written";
      EXPECT_EQ(0u, left.files.size());
      EXPECT_EQ(0, Wait(Record(dir, envs)).status) << "a new run may be begun there";
      early++;
      return;
    }
    if (left.journals > 0 && i % 3 == 0)
      KillSalvage();
    Salvage();
    ExpectRun(left);
    if (i % 6 == 0)
      GoOn();
  }
};

TEST_F(Kill, AtAnyMoment) {
  int kills = Number("PLAYHEAD_TEST_KILLS", 12);
  for (int i = 0; i < kills && !HasFailure(); i++) {
    SCOPED_TRACE("kill " + std::to_string(i));
    Once(i);
  }
  printf("%d kills: %d before the run was there; %d episodes given back, %lld steps; %d were in "
         "place already, %d had no step; %d in the midst of a file; salvage was killed %d times; "
         "%d runs went on\n",
         kills, early, salvaged, static_cast<long long>(steps), committed, empty, parts, rekilled,
         appended);
  if (kills >= 200) {
    for (int n : {early, salvaged, committed, empty, parts, rekilled, appended})
      EXPECT_GT(n, 0);
  }
}

} // namespace
