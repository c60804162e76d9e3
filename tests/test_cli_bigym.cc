// The program on BiGym's demonstrations: what is in them, their screens with a model and without.
#include "bigym_help.h"
#include "cli_help.h"

using cli_help::Outcome;
using std::string;

namespace {

/* PH_GOLDEN_UPDATE=1 writes it instead. */
void expect_golden(const string &name, const string &text) {
  string path = string(TEST_SOURCE_ROOT) + "/tests/golden/" + name + ".txt";
  if (getenv("PH_GOLDEN_UPDATE"))
    write_bytes(path, text);
  EXPECT_EQ(bytes_of(path), text) << "if it should be so: PH_GOLDEN_UPDATE=1";
}

class CliBigym : public cli_help::Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    std::filesystem::create_directory(top / "batch");
    Put("batch/metadata.json", bigym::metadata);
    Put("model.xml", bigym::model_xml);
    Put("batch/20260826T101112_0_30.npz", bigym::zip(moving(31)));
    Put("batch/20260826T101112_1_40.npz", bigym::zip(moving(41)));
  }
  /* A plate that slides and turns, and rests. */
  static std::vector<bigym::Member> moving(int64_t frames) {
    auto members = bigym::episode(frames);
    std::vector<double> qpos, qvel;
    for (int64_t t = 0; t < frames; t++) {
      double way = t < 20 ? (double)t / 20 : 1, speed = t < 20 ? 2.5 : 0;
      for (double part : {0.4, -0.2, 1.5}) {
        qpos.push_back(part * way);
        qvel.push_back(part * speed);
      }
    }
    bigym::set(members, "full_qpos", bigym::array_of("<f8", {frames, 3}, bigym::raw(qpos)));
    bigym::set(members, "full_qvel", bigym::array_of("<f8", {frames, 3}, bigym::raw(qvel)));
    bigym::set(members, "raw_outer_action", bigym::floats({frames, 2}, -2, 0.125f));
    bigym::set(members, "reward", bigym::steps(frames, 24));
    return members;
  }
  string Screen(std::vector<string> more) {
    std::vector<string> args = {"screen", "--size", "120x40"};
    args.insert(args.end(), more.begin(), more.end());
    args.push_back("batch");
    Outcome o = Run(args);
    EXPECT_EQ(0, o.status) << o.err;
    return o.out;
  }
};

TEST_F(CliBigym, InfoTellsWhatABatchHolds) {
  Outcome o = Run({"info", "batch"});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_EQ("", o.err);
  expect_golden("bigym_info", o.out);
}

TEST_F(CliBigym, InfoSaysWhatIsOdd) {
  std::filesystem::remove(top / "batch/metadata.json");
  std::filesystem::rename(top / "batch/20260826T101112_1_40.npz",
                          top / "batch/20260826T101112_1_50.npz");
  Put("batch/20260826T101112_2_30.npz", "junk");
  Outcome o = Run({"info", "batch"});
  expect_golden("bigym_info_odd", o.out + o.err + "= " + std::to_string(o.status) + "\n");
}

TEST_F(CliBigym, InfoAsJson) {
  Outcome o = Run({"info", "--json", "--model", "model.xml", "batch"});
  EXPECT_EQ(0, o.status) << o.err;
  json_t *root = Json(o), *episodes = json_object_get(root, "episodes");
  EXPECT_EQ("BiGym", Text(root, "layout"));
  EXPECT_EQ(2u, json_array_size(episodes));
  json_t *e = json_array_get(episodes, 1);
  EXPECT_EQ("20260826T101112_1_40.npz", Text(e, "id"));
  EXPECT_EQ(40, json_integer_value(json_object_get(e, "actions")));
  EXPECT_EQ(41, json_integer_value(json_object_get(e, "states")));
  EXPECT_EQ(0.02, json_number_value(json_object_get(e, "control_dt")));
  EXPECT_EQ("reward: 1 at the last frame", Text(e, "success_source"));
  EXPECT_EQ(0u, json_array_size(json_object_get(e, "oddities")));
  std::map<string, string> kinds;
  json_t *channel, *channels = json_object_get(e, "channels");
  size_t i;
  json_array_foreach(channels, i, channel) kinds[Text(channel, "name")] = Text(channel, "kind");
  EXPECT_EQ("image", kinds["rgb_obs"]);
  EXPECT_EQ("numbers", kinds["raw_outer_action"]);
  EXPECT_EQ("other", kinds["seed"]);
  EXPECT_EQ(0u, kinds.count("full_qpos and full_qvel"));
  json_decref(root);
}

TEST_F(CliBigym, ScreenWithoutAModel) {
  expect_golden("bigym_raw_120x40", Screen({"--at", "24"}));
}

TEST_F(CliBigym, ScreenWithAModel) {
  expect_golden("bigym_model_120x40", Screen({"--model", "model.xml", "--at", "12"}));
}

TEST_F(CliBigym, ItsStatesAreVerified) {
  Outcome o = Run({"verify", "--mode", "kinematic", "--model", "model.xml", "batch"});
  EXPECT_EQ(0, o.status) << o.out << o.err;
  o = Run({"verify", "--mode", "dynamic", "--model", "model.xml", "batch"});
  EXPECT_NE(string::npos, (o.out + o.err).find("2 actions feed BiGym's code of g1_dex1 (agile)"))
      << o.out << o.err;
}

TEST_F(CliBigym, FilesThatCannotBeReadAreOneLine) {
  Put("20260826T101112_0_30.npz", "PK\3\4");
  ExpectError({"info", "20260826T101112_0_30.npz"}, 3, "it was not written to the end");
  Put("x.npz", bigym::zip({{"a.npy", bigym::floats({3})}}));
  ExpectError({"info", "x.npz"}, 3, "only those of BiGym and of robosuite's raw folders are read");
  std::filesystem::remove(top / "batch/20260826T101112_0_30.npz");
  std::filesystem::remove(top / "batch/20260826T101112_1_40.npz");
  ExpectError({"info", "batch"}, 3, "batch: it holds no episode");
}

/* What the program prints of one file is what it prints of the folder. */
TEST_F(CliBigym, ExportsItsRows) {
  Outcome o = Run({"export", "--columns", "full_qpos*,reward", "--range", "19:21",
                   "batch/20260826T101112_0_30.npz"});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("0.38")) << o.out;
}

/* --- cut --- */

TEST_F(CliBigym, LatchTellsCutWhereEpisodesEnd) {
  Outcome latched = Run({"latch", "--hold", "0.1", "--json", "batch"});
  EXPECT_EQ(0, latched.status) << latched.err;
  Put("rows.json", latched.out);
  json_t *root = Json(latched), *first = json_array_get(json_object_get(root, "episodes"), 0);
  int64_t row = json_integer_value(json_object_get(first, "recorded"));
  json_decref(root);
  ASSERT_TRUE(row > 24 && row < 30) << latched.out;
  Outcome o = Run({"cut", "--steps", "rows.json", "--hold", "0.1", "batch"});
  EXPECT_EQ(0, o.status) << o.err;
  string made = Path("batch_hold0p1s/20260826T101112_0_" + std::to_string(row) + ".npz");
  auto was = bigym::unzip(Path("batch/20260826T101112_0_30.npz")), is = bigym::unzip(made);
  string qpos = bigym::elements(was["full_qpos.npy"].bytes);
  EXPECT_EQ(qpos.substr(0, (size_t)(row + 1) * 24), bigym::elements(is["full_qpos.npy"].bytes));
  EXPECT_EQ(bigym::elements(bigym::steps(row + 1, row)), bigym::elements(is["reward.npy"].bytes));
  o = Run({"info", "--json", "batch_hold0p1s"});
  EXPECT_EQ(0, o.status) << o.err;
  root = Json(o);
  first = json_array_get(json_object_get(root, "episodes"), 0);
  EXPECT_EQ(row, json_integer_value(json_object_get(first, "actions")));
  EXPECT_EQ(0u, json_array_size(json_object_get(first, "oddities"))) << "name and arrays agree";
  json_decref(root);
}

/* metadata.json says it, and a cut another one. */
TEST_F(CliBigym, TheHoldOfTheBatchIsTheOneInForce) {
  Outcome o = Run({"info", "batch"});
  EXPECT_NE(string::npos, o.out.find("\nhold       3 s = 150 steps\n")) << o.out;
  EXPECT_EQ(string::npos, o.out.find("\ncut from")) << o.out;
  EXPECT_NE(string::npos, Run({"latch", "batch"}).out.find("       3 = 150         24 ")) << o.out;
  Put("rows.json", "[20, 25]");
  EXPECT_EQ(0, Run({"cut", "--steps", "rows.json", "--hold", "0.1", "-o", "made", "batch"}).status);
  o = Run({"info", "made"});
  EXPECT_NE(string::npos,
            o.out.find("\nhold       0.1 s = 5 steps\n"
                       "cut from   batch by steps for a hold of 0.1 s (3 s before), 2"))
      << o.out;
  json_t *root = Json(Run({"info", "--json", "made"}));
  json_t *first = json_array_get(json_object_get(root, "episodes"), 0);
  EXPECT_EQ(0.1, json_number_value(json_object_get(first, "hold_seconds")));
  EXPECT_EQ(5, json_integer_value(json_object_get(first, "hold_steps")));
  EXPECT_EQ(1u, json_array_size(json_object_get(first, "provenance")));
  json_decref(root);
  o = Run({"latch", "made"}); /* its rewards are of that hold */
  EXPECT_EQ(0, o.status) << o.out;
  EXPECT_NE(string::npos, o.out.find("recorded: 2 of 2 latch, at rows 20 to 25\n")) << o.out;
  o = Run({"latch", "--hold", "0.2", "made"});
  EXPECT_EQ(1, o.status);
  EXPECT_NE(string::npos,
            o.out.find(": it was cut by steps for a hold of 0.1 s, and the file tells "
                       "success of its last row alone\n"))
      << o.out;
  EXPECT_EQ(0, Run({"verify", "made"}).status); /* what no row tells is no fault of them */
}

TEST_F(CliBigym, ItsStatesSayWhereItIsCut) {
  std::vector<string> args = {"cut",     "--hold",    "0.1",  "--success", "s.joint.x > 0.3",
                              "--model", "model.xml", "--by", "kinematic", "-o",
                              "made",    "batch"};
  Outcome o = Run(args);
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("2 of 2 episodes latch at a hold of 0.1 s (kinematic)"))
      << o.out;
  json_error_t error;
  json_t *meta = json_load_file(Path("made/metadata.json").c_str(), 0, &error);
  ASSERT_NE(nullptr, meta) << error.text;
  json_t *trim = json_object_get(meta, "success_hold_trim");
  EXPECT_EQ("kinematic", Text(trim, "method"));
  EXPECT_EQ(0.1, json_number_value(json_object_get(trim, "target_success_hold_seconds")));
  EXPECT_TRUE(json_is_object(json_object_get(trim, "substrate_fingerprint")));
  json_decref(meta);
  ExpectError(args, 3, "made: it exists already");
}

/* What cannot be cut is found before anything is written, and said in the same words. */
TEST_F(CliBigym, ADryRunSaysWhatARunSays) {
  auto both = [&](const string &why, int status, std::vector<string> more = {}) {
    std::vector<string> args = {"cut", "--range", ":20", "-o", "made", "batch"};
    args.insert(args.end(), more.begin(), more.end());
    auto dry = args;
    dry.push_back("--dry-run");
    Outcome would = Run(dry), does = Run(args);
    EXPECT_EQ(status, would.status) << would.out << would.err;
    EXPECT_EQ(status, does.status) << does.out << does.err;
    EXPECT_NE(string::npos, (would.out + would.err).find(why)) << would.out << would.err;
    EXPECT_NE(string::npos, (does.out + does.err).find(why)) << does.out << does.err;
    if (status == 3) {
      EXPECT_EQ(would.err, does.err);
      EXPECT_FALSE(std::filesystem::exists(top / "made"));
    }
    std::filesystem::remove_all(top / "made");
  };
  both("2 of 2 episodes are kept", 0);
  std::filesystem::rename(top / "batch/20260826T101112_1_40.npz",
                          top / "batch/20260826T101112_1_50.npz");
  both("_1_50.npz: left out: its name says 50 steps, its arrays have 40 (41 frames)", 1);
  Put("batch/20260826T101112_1_50.npz", "junk");
  both("_1_50.npz: left out: ", 1);
  Put("batch/odd\n.npz", bigym::zip(moving(31)));
  both("left out: its name is not <timestamp>_<index>_<length>.npz", 1);
  Put("batch/20260826T101112_0_40.npz", bigym::zip(moving(41)));
  both("20260826T101112_0_40.npz: left out: it would be named 20260826T101112_0_20.npz, as "
       "20260826T101112_0_30.npz is",
       1);
  std::filesystem::create_directory(top / "batch/videos.json");
  both("batch: videos.json: it is not a regular file", 3);
  std::filesystem::remove(top / "batch/videos.json");
  Put("batch/metadata.json", "[");
  both("batch: metadata.json: it is no JSON: line 1", 3);
  Put("batch/metadata.json", bigym::metadata);
  both("batch/made: it would be in batch, which is never written to", 3, {"-o", "batch/made"});
  both("none/made: its folder: No such file", 3, {"-o", "none/made"});
  std::filesystem::create_symlink("nowhere", top / "link");
  both("link/: it exists already", 3, {"-o", "link/"});
}

TEST_F(CliBigym, OfTwoThatWouldGetOneNameTheFirstIsKept) {
  Put("batch/20260826T101112_0_40.npz", bigym::zip(moving(41)));
  Outcome o = Run({"cut", "--range", ":20", "-o", "made", "batch"});
  EXPECT_EQ(1, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("2 of 3 episodes are kept")) << o.out;
  EXPECT_EQ(
      bigym::elements(bigym::unzip(Path("batch/20260826T101112_0_30.npz"))["action.npy"].bytes)
          .substr(0, 21 * 8),
      bigym::elements(bigym::unzip(Path("made/20260826T101112_0_20.npz"))["action.npy"].bytes));
  o = Run({"cut", "--range", ":20", "--strict", "-o", "strict", "batch"});
  EXPECT_EQ(1, o.status) << o.err;
  EXPECT_FALSE(std::filesystem::exists(top / "strict"));
}

TEST_F(CliBigym, ARangeThatDoesNotBeginAtItsFirstRowIsRefused) {
  Outcome o = Run({"cut", "--range", "3:20", "-o", "made", "batch"});
  EXPECT_EQ(1, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("_1_40.npz: left out: it cannot begin at row 3")) << o.out;
  EXPECT_FALSE(std::filesystem::exists(top / "made"));
}

} // namespace
