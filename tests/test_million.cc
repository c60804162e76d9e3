// A million steps in one episode, as seen from outside: by the program with a task and by a process
// of its own that gives rows. Memory is that of /proc, work is what is read and written; no times.
#include "cli_help.h"

#include <playhead/playhead.h>

#include <chrono>
#include <sys/stat.h>
#include <thread>

namespace {

using namespace cli_help;

enum { MILLION = 1000000 };
const size_t kMiB = 1u << 20;

/* A line of a file in /proc, "VmRSS:" or "rchar:", as a number; 0: it is gone. */
size_t Number(const string &path, const string &name) {
  std::ifstream in(path);
  string word;
  size_t value = 0;
  while (in >> word)
    if (word == name && in >> value)
      return value;
  return 0;
}

size_t Resident(pid_t pid) {
  return Number("/proc/" + std::to_string(pid) + "/status", "VmRSS:") * 1024;
}

/* What files of a folder take on disk. [bytes] */
size_t Blocks(const fs::path &path) {
  struct stat st = {};
  return stat(path.c_str(), &st) == 0 ? static_cast<size_t>(st.st_blocks) * 512 : 0;
}

/* Bytes that this process has read so far. Where the system does not count them, it says 0. */
size_t BytesRead() {
  return Number("/proc/self/io", "rchar:");
}

class Million : public Cli {
protected:
  string Tasks(int steps) {
    return "return { name = 'long', model = 'cart.xml', control_steps = 1, max_steps = " +
           std::to_string(steps) +
           ",\n  success = function(s) return s.time < 0 end,\n"
           "  policy = function(s) return {-s.joint.cart} end }\n";
  }
  /* The only episode file of a run. */
  fs::path File(const string &run) {
    for (auto &entry : fs::directory_iterator(top / run))
      if (entry.path().extension() == ".h5" && entry.path().filename() != "run.h5")
        return entry.path();
    return {};
  }
  /* Opens a run and goes to steps of it; returns the bytes that this takes to read. */
  size_t Look(const string &run, int64_t steps) {
    string path = Path(run);
    const char *paths[] = {path.c_str()};
    ph_store *store = nullptr;
    ph_episode *episode = nullptr;
    ph_model *model = nullptr;
    ph_replay *replay = nullptr;
    size_t before = BytesRead();
    EXPECT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
    EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    EXPECT_EQ(meta->actions, steps);
    EXPECT_EQ(ph_store_model(&model, store, meta->model_sha256), PH_OK) << ph_error();
    EXPECT_EQ(ph_replay_create(&replay, episode, model, nullptr), PH_OK) << ph_error();
    for (int64_t step : {steps, int64_t(0), steps / 2, steps / 3, steps - 1}) {
      EXPECT_EQ(ph_replay_seek(replay, step, 0, PH_KINEMATIC), PH_OK) << ph_error();
      EXPECT_EQ(ph_replay_frame(replay)->step, step);
    }
    ph_replay_free(replay);
    ph_model_unref(model);
    ph_episode_free(episode);
    ph_store_free(store);
    return BytesRead() - before;
  }
  /* The program, and the most memory that it took. */
  Outcome RunMeasured(const std::vector<string> &args, size_t *peak) {
    pid_t pid = Start(args);
    *peak = 0;
    for (siginfo_t info = {}; info.si_pid == 0;) {
      EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT), 0);
      size_t now = Number("/proc/" + std::to_string(pid) + "/status", "VmHWM:") * 1024;
      *peak = now > *peak ? now : *peak;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GT(*peak, kMiB);
    return Wait(pid);
  }
  /* What the columns of the cart take for each step: 8 bytes each of action, time, position, speed,
   * reward, warmstart, ctrl, and one each of done, flags and predicate; and a checksum of each
   * column for 256 rows. */
  void ExpectSize(const fs::path &file, bool judged) {
    double columns = judged ? 8 : 7, bytes = 7 * 8 + (judged ? 3 : 2) + columns * 4 / 256;
    double size = static_cast<double>(fs::file_size(file));
    EXPECT_GE(size, bytes * MILLION);
    EXPECT_LE(size, 1.001 * bytes * MILLION + 64 * 1024);
  }
};

TEST_F(Million, TheProgramRecordsInConstantMemory) {
  Put("short.lua", Tasks(1000));
  Put("long.lua", Tasks(MILLION));
  ASSERT_EQ(Run({"record", "short.lua", "--out", "short"}).status, 0);
  pid_t pid = Start({"record", "long.lua", "--out", "long"});
  fs::path journal = top / "long/env000.journal";
  size_t early = 0, most = 0;
  int samples = 0;
  for (siginfo_t info = {}; info.si_pid == 0;) {
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT), 0);
    size_t now = Resident(pid);
    bool begun = Blocks(journal) > 8 * kMiB; /* 100 000 rows */
    if (begun && early == 0)
      early = now;
    most = begun && now > most ? now : most;
    samples += begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Outcome o = Wait(pid);
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_GT(samples, 10);
  EXPECT_LE(most, early + 24 * kMiB) << "from the first tenth to the end, the file included";
  EXPECT_FALSE(fs::exists(journal));
  ExpectSize(File("long"), true);
  size_t brief_peak = 0, peak = 0;
  EXPECT_EQ(RunMeasured({"verify", "short"}, &brief_peak).status, 0);
  o = RunMeasured({"verify", "long"}, &peak);
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_LE(peak, brief_peak + 64 * kMiB) << "physics of a million steps run again";
  o = RunMeasured({"screen", "--mode", "both", "--at", "last", "--size", "100x30", "long"}, &peak);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("1000000"), string::npos) << o.out;
  EXPECT_LE(peak, brief_peak + 256 * kMiB) << "cached states keep to their budget";
  size_t brief = Look("short", 1000), whole = Look("long", MILLION);
  EXPECT_LE(whole, brief + 4 * kMiB) << "of " << fs::file_size(File("long"));
  o = Run({"screen", "--at", "last", "--size", "100x30", "long"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("1000000"), string::npos) << o.out;
}

TEST_F(Million, RowsOfAnotherSimulatorInConstantMemory) {
  ph_model *model = nullptr;
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_tally tally;
  double state[3] = {0, 0, 0}, warmstart[1] = {0}, ctrl[1] = {0}, reward = 0;
  const double *action = ctrl;
  const int env_id = 0;
  uint8_t flags = 0;
  ph_row row = {};
  row.state = state;
  row.warmstart = warmstart;
  row.ctrl = ctrl;
  opt.control_steps = 1;
  ASSERT_EQ(ph_model_open(&model, Path("cart.xml").c_str(), nullptr), PH_OK) << ph_error();
  ASSERT_EQ(ph_recorder_open(&rec, Path("run").c_str(), model, &opt), PH_OK) << ph_error();
  ASSERT_EQ(ph_recorder_begin(rec, env_id, 1, nullptr, 0, &row), PH_OK) << ph_error();
  size_t early = 0, most = 0, room = 0;
  for (int64_t t = 1; t <= MILLION; t++) {
    state[0] = 0.002 * static_cast<double>(t);
    state[1] = static_cast<double>(t % 97);
    ctrl[0] = static_cast<double>(t % 13);
    flags = t == MILLION ? PH_FLAG_TRUNCATED : 0;
    ASSERT_EQ(ph_recorder_rows(rec, &env_id, 1, &action, nullptr, &reward, &flags, &row), PH_OK)
        << ph_error();
    if (t == MILLION / 10)
      early = Resident(getpid());
    if (t >= MILLION / 10 && t % 50000 == 0)
      most = std::max(most, Resident(getpid()));
  }
  room = Blocks(top / "run/env000.journal");
  EXPECT_LE(most, early + 4 * kMiB);
  EXPECT_LE(room, size_t(MILLION) * 100 + 16 * kMiB) << "a record is a row and 12 bytes";
  ASSERT_EQ(ph_recorder_end(rec, env_id, PH_END_TRUNCATED, -1, nullptr), PH_OK) << ph_error();
  EXPECT_LE(Resident(getpid()), early + 24 * kMiB);
  ASSERT_EQ(ph_recorder_close(rec, &tally), PH_OK) << ph_error();
  EXPECT_EQ(tally.steps, MILLION);
  ph_model_unref(model);
  ExpectSize(File("run"), false);
  EXPECT_EQ(Run({"verify", "--mode", "kinematic", "run"}).status, 0);
  Outcome o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 1) << "these rows are no physics of the cart: " << o.out;
  EXPECT_NE(o.out.find("diverged from step 1 on"), string::npos) << o.out;
}

} // namespace
