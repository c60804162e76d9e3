// The verb pack, from outside.
#include "cli_help.h"

extern "C" {
#include <playhead/store.h>
}

using namespace cli_help;

namespace {

class CliPack : public Cli {
protected:
  /* Names in the folder, but what the tests themselves put there. */
  std::vector<string> Names() {
    std::vector<string> names;
    for (const auto &entry : fs::directory_iterator(top))
      if (entry.path().filename() != "out" && entry.path().filename() != "err")
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  string DataHash(const string &path) {
    json_t *info = Json(Run({"info", "--json", path}));
    string hash = Text(info, "data_hash");
    json_decref(info);
    return hash;
  }
};

TEST_F(CliPack, ARunBecomesADatasetThatOtherVerbsRead) {
  ASSERT_EQ(Record("run").status, 0);
  Outcome o = Run({"pack", "run", "-o", "all.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out.rfind("all.h5: 3 episodes, ", 0), 0u) << o.out;
  EXPECT_NE(o.out.find(", 1 model, 1 task\n"), string::npos) << o.out;
  EXPECT_EQ(DataHash("all.h5"), DataHash("run"));
  EXPECT_EQ(DataHash("all.h5").size(), 64u);
  EXPECT_EQ(Run({"verify", "all.h5"}).status, 0);
  Outcome screen = Run({"screen", "all.h5", "--episode", "demo_2"});
  EXPECT_EQ(screen.status, 0);
  EXPECT_NE(screen.out.find("demo_2"), string::npos);
}

TEST_F(CliPack, JsonIsAsThatOfRecord) {
  ASSERT_EQ(Record("run").status, 0);
  Outcome o = Run({"pack", "--json", "run", "--out", "all.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  json_t *pack = Json(o), *record = Json(Record("more", {"--json"}));
  for (const char *key : {"run_id", "path", "episodes", "resets", "commits", "discards", "errors"})
    EXPECT_NE(json_object_get(pack, key), nullptr) << key;
  EXPECT_EQ(Text(pack, "path"), "all.h5");
  json_t *episodes = json_object_get(pack, "episodes");
  ASSERT_EQ(json_array_size(episodes), 3u);
  json_t *first = json_array_get(episodes, 0), *theirs = nullptr, *their;
  size_t i;
  json_array_foreach(json_object_get(record, "episodes"), i, their) {
    if (Text(their, "id") == "env000_ep000000")
      theirs = their;
  }
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(Text(first, "id"), "demo_0");
  for (const char *key : {"env_id", "actions", "seed", "end_reason", "success"})
    EXPECT_TRUE(json_equal(json_object_get(first, key), json_object_get(theirs, key))) << key;
  EXPECT_EQ(json_integer_value(json_object_get(pack, "commits")), 3);
  EXPECT_EQ(json_integer_value(json_object_get(pack, "models")), 1);
  json_decref(pack);
  json_decref(record);
}

TEST_F(CliPack, AFolderOfFilesStandsForThemButNotForItsOwnOutput) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Record("more").status, 0);
  fs::create_directory(top / "sets");
  ASSERT_EQ(Run({"pack", "run", "-o", "sets/a.h5"}).status, 0);
  ASSERT_EQ(Run({"pack", "more", "-o", "sets/b.h5", "--compress"}).status, 0);
  Outcome o = Run({"pack", "sets", "-o", "sets/all.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.rfind("sets/all.h5: 6 episodes, ", 0), 0u) << o.out;
  string before = Slurp(top / "sets/all.h5");
  ExpectError({"pack", "sets", "-o", "sets/all.h5"}, 3, "sets/all.h5: it exists already");
  ExpectError({"pack", "sets", "-o", "sets/all.h5", "--overwrite"}, 3, "one of the sources");
  EXPECT_EQ(Slurp(top / "sets/all.h5"), before);
  o = Run({"pack", "run", "-o", "sets/all.h5", "--overwrite"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(DataHash("sets/all.h5"), DataHash("run"));
}

TEST_F(CliPack, ErrorsAreOneLineAndLeaveNothing) {
  ASSERT_EQ(Record("run").status, 0);
  std::vector<string> before = Names();
  ExpectError({"pack", "run"}, 2, "--out FILE is missing");
  ExpectError({"pack", "-o", "all.h5"}, 2, "PATH...: is missing");
  ExpectError({"pack", "run", "-o", ""}, 2, "an empty path");
  ExpectError({"pack", "run", "-o", "all.h5", "--append"}, 2, "not an option of this verb");
  ExpectError({"record", "cart.lua", "--append", "--overwrite"}, 2,
              "--append and --overwrite: only one");
  ExpectError({"record", "cart.lua", "--jobs", "0"}, 2, "from 1 to 1024");
  ExpectError({"pack", "nothing", "-o", "all.h5"}, 3, "nothing: cannot be opened");
  ExpectError({"pack", "run", "-o", "no/all.h5"}, 3, "no/all.h5: its folder: No such file");
  ExpectError({"pack", "run", "run", "-o", "all.h5"}, 3, "twice");
  file_limit = 4096; /* a disk that is full */
  ExpectError({"pack", "run", "-o", "all.h5"}, 3, "all.h5");
  EXPECT_EQ(Names(), before);
}

TEST_F(CliPack, HelpManualAndCompletionsKnowIt) {
  Outcome help = Run({"pack", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out.rfind("usage: playhead pack [OPTIONS] PATH...", 0), 0u) << help.out;
  for (const char *option : {"--out FILE", "--overwrite", "--compress", "--json"})
    EXPECT_NE(help.out.find(option), string::npos) << option;
  for (size_t at = 0; at < help.out.size(); at = help.out.find('\n', at) + 1)
    EXPECT_LE(help.out.find('\n', at) - at, 100u) << help.out.substr(at, 120);
  string manual = Run({"--man"}).out;
  for (const char *part : {".SS pack", "\\-\\-only\\-success", "\\-\\-jobs", "\\-\\-follow"})
    EXPECT_NE(manual.find(part), string::npos) << part;
  for (const char *shell : {"bash", "zsh", "fish"}) {
    string text = Run({"--completion", shell}).out;
    EXPECT_NE(text.find("pack"), string::npos) << shell;
    EXPECT_NE(text.find("compress"), string::npos) << shell;
  }
}

/* Wherever it is when the signal comes, there is a whole dataset or nothing at all. */
TEST_F(CliPack, InterruptedItLeavesNothing) {
  Put("cart.lua", "return { name = 'cart', model = 'cart.xml', control_steps = 1,\n"
                  "  max_steps = 30000, policy = function(s, rng) return {rng()} end }\n");
  ASSERT_EQ(Run({"record", "cart.lua", "--envs", "2", "--out", "run"}).status, 0);
  std::vector<string> before = Names();
  int stopped = 0;
  for (int wait : {0, 2, 5, 20, 80}) {
    pid_t pid = Start({"pack", "run", "-o", "all.h5", "--compress"});
    int status = 0;
    while (Names() == before && waitpid(pid, &status, WNOHANG) == 0)
      usleep(500);
    usleep((useconds_t)wait * 1000);
    kill(pid, SIGINT);
    Outcome o = Wait(pid);
    if (o.status == 0) {
      EXPECT_EQ(Run({"verify", "all.h5"}).status, 0);
      fs::remove(top / "all.h5");
    } else {
      stopped++;
      EXPECT_EQ(o.status, 1) << o.err;
      EXPECT_EQ(o.err, "playhead: all.h5: interrupted: nothing is written\n");
    }
    EXPECT_EQ(Names(), before);
  }
  EXPECT_GT(stopped, 0);
}

} // namespace
