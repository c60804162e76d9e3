// A run to be judged, and commands that judge it.
#ifndef TESTS_PREDICATE_HELP_H
#define TESTS_PREDICATE_HELP_H

#include "pool_help.h"
#include "program_help.h"

extern "C" {
#include "probe_child.h"
}

namespace predicate_help {

namespace fs = std::filesystem;
using std::string;

/* What a command does with a batch is the body; it has head, rows (lists of numbers), number. */
inline string Judge(const string &body) {
  return "import sys, json, array, os\n"
         "number = 0\n"
         "for text in sys.stdin.buffer:\n"
         "  head = json.loads(text)\n"
         "  flat = array.array('d')\n"
         "  flat.frombytes(sys.stdin.buffer.read(8 * head['count'] * head['row']))\n"
         "  rows = [flat[i * head['row']:(i + 1) * head['row']] for i in range(head['count'])]\n"
         "  at = {c['name']: c['at'] for c in head['columns']}\n" +
         body + "  number += 1\n";
}

const char kByA[] =
    "  a = [j['qpos'] for j in head['joints'] if j['name'] == 'a'][0]\n"
    "  print(''.join('1' if r[at['qpos'] + a] > 0.3 else '0' for r in rows), flush=True)\n";

class Predicates : public program_help::Programs {
protected:
  void SetUp() override {
    Programs::SetUp();
    setenv("XDG_STATE_HOME", Path("state").c_str(), 1);
    setenv("TMPDIR", Path("tmp").c_str(), 1);
    fs::create_directory(top / "tmp");
  }
  void TearDown() override {
    EXPECT_TRUE(fs::is_empty(top / "tmp")) << "the model's files are gone";
    unsetenv("TMPDIR");
    unsetenv("XDG_STATE_HOME");
    ph_server_end(); // the library's own child is not of the commands
    Programs::TearDown();
  }
  /* A run of one episode of `steps` steps. */
  void Record(int steps, const string &more = "") {
    Task task(
        "local n = 0\nreturn { name = 'wave', control_steps = 5, max_steps = " +
        std::to_string(steps) +
        ",\nactions = { { type = 'joint_position', joints = { 'a', 'b' } } },\n"
        "policy = function(s, rng) n = n + 1; return { 0.6 * math.sin(0.1 * n), rng() } end,\n" +
        more + "}\n");
    record(Path("run"), task, model, Pool::options(1, 1, 1));
    // What changed just now may change again: its answers would not be kept.
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
  /* Opens the run's episode for a judge. */
  ph_status Ask(ph_judge *judge, std::vector<uint8_t> &bits) {
    Store store(Path("run"));
    ph_episode *episode = nullptr;
    ph_model *stored = nullptr;
    EXPECT_EQ(ph_store_episode(&episode, store.store, 0), PH_OK) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    EXPECT_EQ(ph_store_model(&stored, store.store, meta->model_sha256), PH_OK) << ph_error();
    bits.assign(meta->states, 7);
    states.assign((size_t)meta->states * ph_schema_width(PH_COL_STATES, &meta->dims), 0);
    EXPECT_EQ(ph_episode_read(episode, PH_COL_STATES, 0, meta->states, states.data()), PH_OK);
    width = ph_schema_width(PH_COL_STATES, &meta->dims);
    ph_status status = ph_judge_episode(bits.data(), judge, episode, stored);
    ph_model_unref(stored);
    ph_episode_free(episode);
    return status;
  }
  /* The same with a judge of its own; whether it was kept from before. */
  bool AskOnce(const string &command, std::vector<uint8_t> &bits, bool forget = false) {
    ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
    opt.forget = forget;
    ph_judge *judge = nullptr;
    EXPECT_EQ(ph_judge_open(&judge, command.c_str(), &opt), PH_OK);
    EXPECT_EQ(Ask(judge, bits), PH_OK) << ph_error();
    note = ph_judge_note(judge);
    bool cached = ph_judge_cached(judge);
    ph_judge_close(judge);
    return cached;
  }
  void ExpectFault(const string &command, const string &part, ph_status expected = PH_EFORMAT,
                   double timeout = 20) {
    ph_judge_options opt = PH_JUDGE_OPTIONS_INIT;
    opt.timeout = timeout;
    ph_judge *judge = nullptr;
    std::vector<uint8_t> bits;
    ASSERT_EQ(ph_judge_open(&judge, command.c_str(), &opt), PH_OK);
    EXPECT_EQ(Ask(judge, bits), expected) << command;
    string error = ph_error();
    EXPECT_NE(error.find(part), string::npos) << error;
    EXPECT_EQ(error.rfind("env000_ep000000: step ", 0), 0u) << error;
    ph_judge_close(judge);
    EXPECT_TRUE(!fs::exists(Cache()) || fs::is_empty(Cache())) << "nothing is kept of it";
  }
  fs::path Cache() const { return top / "run.playhead-predicate"; }
  /* What it judged, judged here. */
  void ExpectByA(const std::vector<uint8_t> &bits) {
    int yes = 0;
    for (size_t t = 0; t < bits.size(); t++) {
      ASSERT_EQ(bits[t], states[t * width + 1] > 0.3) << t;
      yes += bits[t];
    }
    EXPECT_GT(yes, 3);
    EXPECT_LT(yes, (int)bits.size() - 3);
  }

  Model model;
  std::vector<double> states;
  size_t width = 0;
  string note;
};

} // namespace predicate_help

#endif
