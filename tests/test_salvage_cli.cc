// The verb `salvage`, of a recording that was killed.
#include "cli_help.h"

using namespace cli_help;

namespace {

class SalvageCli : public Cli {
protected:
  /* One episode that ended, two that nobody ended. */
  void Killed() {
    Put("long.lua", "return { name = 'cart', model = 'cart.xml', control_steps = 2,\n"
                    "hold_seconds = 0, max_steps = 1000000,\n"
                    "success = function(s) return s.joint.cart > 1e9 end,\n"
                    "policy = function(s, rng) return { rng() - 0.5 } end }\n");
    pid_t pid = Start({"record", "long.lua", "--envs", "2", "--jobs", "2", "--out", "run"});
    for (int i = 0; i < 20000 && !(Rows("env000") && Rows("env001")); i++)
      usleep(1000);
    usleep(20000);
    kill(pid, SIGKILL);
    EXPECT_EQ(-SIGKILL, Wait(pid).status);
  }
  /* Whether records of that env are in its journal. */
  bool Rows(const string &env) {
    string bytes = Slurp(top / "run" / (env + ".journal"));
    uint64_t head = 0, record = 0, step = 0;
    if (bytes.size() < 56 || bytes.compare(0, 8, "PHJRNL1\n") != 0)
      return false;
    memcpy(&head, bytes.data() + 16, 8);
    memcpy(&record, bytes.data() + 24, 8);
    if (bytes.size() >= head + 6 * record)
      memcpy(&step, bytes.data() + head + 5 * record, 8);
    return step == 5;
  }
  std::vector<string> Journals() {
    std::vector<string> names;
    for (auto &file : fs::directory_iterator(top / "run"))
      if (file.path().filename().string().find(".journal") != string::npos)
        names.push_back(file.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static int64_t Number(json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
  }
  /* Flips a byte of record 3 of a journal. */
  void Damage(const string &name) {
    string bytes = Slurp(top / "run" / name);
    uint64_t head = 0, record = 0;
    memcpy(&head, bytes.data() + 16, 8);
    memcpy(&record, bytes.data() + 24, 8);
    bytes[head + 3 * record + 12] ^= 1;
    std::ofstream(top / "run" / name, std::ios::binary) << bytes;
  }
};

TEST_F(SalvageCli, GivesBackWhatWasUnderWay) {
  Killed();
  ASSERT_EQ((std::vector<string>{"env000.journal", "env001.journal"}), Journals());
  ExpectError({"record", "long.lua", "--out", "run", "--append"}, 3,
              "run: it holds env000.journal, which a killed recorder has left: `playhead salvage "
              "run` first");
  Outcome o = Run({"salvage", "run"});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_EQ("", o.err);
  EXPECT_EQ(0u, o.out.find("env000_ep000000: given back, ")) << o.out;
  EXPECT_NE(string::npos, o.out.find("\nenv001_ep000000: given back, ")) << o.out;
  EXPECT_NE(string::npos, o.out.find("\nrun: 2 given back, ")) << o.out;
  EXPECT_NE(string::npos, o.out.find(" steps, 0 lost\n")) << o.out;
  EXPECT_EQ(std::vector<string>(), Journals());
  EXPECT_EQ(0, Run({"verify", "run"}).status) << "its replay is exact";
  o = Run({"salvage", "run"});
  EXPECT_EQ(0, o.status);
  EXPECT_EQ("run: nothing to give back\n", o.out);
  o = Run({"record", "cart.lua", "--out", "run", "--append"});
  EXPECT_EQ(3, o.status) << "it is of another task";
}

TEST_F(SalvageCli, TellsItAsJson) {
  Killed();
  Outcome o = Run({"salvage", "run", "--json"});
  EXPECT_EQ(0, o.status) << o.err;
  json_t *root = Json(o), *episodes = json_object_get(root, "episodes");
  EXPECT_EQ("run_id path episodes resets commits discards steps lost errors", Keys(root));
  EXPECT_EQ("run", Text(root, "path"));
  EXPECT_NE("", Text(root, "run_id"));
  ASSERT_EQ(2u, json_array_size(episodes));
  int64_t steps = 0;
  for (size_t i = 0; i < 2; i++) {
    json_t *e = json_array_get(episodes, i);
    EXPECT_EQ("id env_id actions seed end_reason success file", Keys(e));
    EXPECT_EQ("env00" + std::to_string(i) + "_ep000000", Text(e, "id"));
    EXPECT_EQ(static_cast<int64_t>(i), Number(e, "env_id"));
    EXPECT_EQ("salvaged", Text(e, "end_reason"));
    EXPECT_NE("", Text(e, "seed"));
    EXPECT_TRUE(json_is_false(json_object_get(e, "success")));
    EXPECT_TRUE(fs::exists(top / Text(e, "file"))) << Text(e, "file");
    EXPECT_GE(Number(e, "actions"), 5);
    steps += Number(e, "actions");
  }
  EXPECT_EQ(2, Number(root, "resets"));
  EXPECT_EQ(2, Number(root, "commits"));
  EXPECT_EQ(0, Number(root, "discards"));
  EXPECT_EQ(steps, Number(root, "steps"));
  EXPECT_EQ(0u, json_array_size(json_object_get(root, "lost")));
  EXPECT_EQ(0u, json_array_size(json_object_get(root, "errors")));
  json_decref(root);
  o = Run({"salvage", "run", "--json"});
  EXPECT_EQ(0, o.status);
  root = Json(o);
  EXPECT_EQ(0, Number(root, "resets"));
  json_decref(root);
}

TEST_F(SalvageCli, IntoANewRun) {
  Killed();
  Outcome o = Run({"salvage", "run", "--out", "saved"});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("\nsaved: 2 given back, ")) << o.out;
  EXPECT_EQ((std::vector<string>{"env000.journal", "env001.journal"}), Journals());
  EXPECT_EQ(0, Run({"verify", "saved"}).status);
  ExpectError({"salvage", "run", "--out", "saved"}, 3, "saved: it exists already");
}

TEST_F(SalvageCli, WhatIsLostIsAFinding) {
  Killed();
  Damage("env001.journal");
  Outcome o = Run({"salvage", "run"});
  EXPECT_EQ(1, o.status);
  EXPECT_EQ("", o.err);
  EXPECT_NE(string::npos, o.out.find("\nenv001_ep000000: given back, 2 steps: ")) << o.out;
  EXPECT_NE(string::npos, o.out.find("behind a damaged record: env001.journal is kept as .damaged"))
      << o.out;
  EXPECT_EQ(std::vector<string>{"env001.journal.damaged"}, Journals());
  fs::remove_all(top / "run");
  Killed();
  string bytes = Slurp(top / "run" / "env000.journal");
  bytes[60] ^= 1;
  std::ofstream(top / "run" / "env000.journal", std::ios::binary) << bytes;
  o = Run({"salvage", "run", "--json"});
  EXPECT_EQ(1, o.status);
  json_t *root = Json(o), *lost = json_object_get(root, "lost");
  ASSERT_EQ(1u, json_array_size(lost));
  EXPECT_TRUE(json_is_null(json_object_get(json_array_get(lost, 0), "id")));
  EXPECT_EQ("env000.journal: its head is damaged", Text(json_array_get(lost, 0), "why"));
  EXPECT_EQ(1, Number(root, "commits"));
  json_decref(root);
}

TEST_F(SalvageCli, AFullDiskIsAnError) {
  Killed();
  file_limit = 4096;
  Outcome o = Run({"salvage", "run"});
  EXPECT_EQ(3, o.status);
  EXPECT_EQ(0u, o.err.find("playhead: ")) << o.err;
  EXPECT_EQ(1, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
  EXPECT_NE(string::npos, o.err.find("File too large")) << o.err;
  EXPECT_NE(string::npos, o.out.find("run: 0 given back, 0 steps, 2 lost\n")) << o.out;
  EXPECT_EQ((std::vector<string>{"env000.journal", "env001.journal"}), Journals());
  o = Run({"salvage", "run", "--json"});
  EXPECT_EQ(3, o.status);
  json_t *root = Json(o);
  EXPECT_EQ(2u, json_array_size(json_object_get(root, "lost")));
  EXPECT_EQ(1u, json_array_size(json_object_get(root, "errors")));
  json_decref(root);
  file_limit = RLIM_INFINITY;
  EXPECT_EQ(0, Run({"salvage", "run"}).status);
}

TEST_F(SalvageCli, WhatIsNoRun) {
  fs::create_directory(top / "empty");
  ExpectError({"salvage", "empty"}, 3, "empty: it is no run");
  ExpectError({"salvage", "nowhere"}, 3, "nowhere: it cannot be opened: No such file");
  ExpectError({"salvage", "cart.xml"}, 2, "cart.xml is a file: --out FILE is missing");
  ExpectError({"salvage"}, 2, "salvage");
  ASSERT_EQ(0, Record("run").status);
  Outcome o = Run({"salvage", "run"});
  EXPECT_EQ(0, o.status);
  EXPECT_EQ("run: nothing to give back\n", o.out);
}

TEST_F(SalvageCli, ARunThatIsRecordedInto) {
  Put("long.lua", "return { model = 'cart.xml', control_steps = 2, max_steps = 100000000,\n"
                  "policy = function() return {0} end }");
  pid_t pid = Start({"record", "long.lua", "--out", "run"});
  for (int i = 0; i < 20000 && !Rows("env000"); i++)
    usleep(1000);
  ExpectError({"salvage", "run"}, 3, "run: another process records into it");
  kill(pid, SIGINT);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_EQ(0, Run({"verify", "run"}).status);
}

} // namespace
