/* The verb export: what NumPy reads is what h5py reads in the file, bit for bit; files of other
 * recorders, groups, and what is refused. */
#include "export_help.h"

using namespace export_help;
namespace fs = std::filesystem;

namespace {

/* --- arrays, by NumPy --- */

TEST_F(Export, NumpyReadsTheArraysOfTheFile) {
  record();
  ASSERT_EQ(run("export run --as npz -o all.npz").status, 0) << text_of(path("err"));
  ASSERT_EQ(run("export run --as npz --range 3:9 --columns 'states,act*s,a,playhead/ctrl' --out "
                "some.npz")
                .status,
            0)
      << text_of(path("err"));
  if (!python(R"(
demo = h5py.File(sorted(glob.glob("run/env000_ep000000_*.h5"))[0], "r")["data/demo_0"]
d = np.load("all.npz")
paths = []
demo.visititems(lambda n, o: paths.append(n) if isinstance(o, h5py.Dataset) else None)
paths = [p for p in paths if p not in ("playhead/final_state", "playhead/crc")
         and not p.startswith("playhead/model/")]
assert sorted(d.files) == sorted(paths), (d.files, paths)
assert "playhead/userdata" in paths or "playhead/ctrl" in paths
last = demo["playhead/final_state"][:]
for p in paths:
    want = demo[p][:]
    if p == "states":
        want = np.concatenate([want, last[None]])
    assert d[p].dtype == want.dtype and d[p].shape == want.shape, p
    assert d[p].tobytes() == want.tobytes(), p
s = np.load("some.npz")
assert sorted(s.files) == ["a", "actions", "playhead/ctrl", "states"], s.files
assert s["states"].tobytes() == d["states"][3:9].tobytes()
assert s["actions"].tobytes() == d["actions"][3:9].tobytes()
assert s["a"].tobytes() == d["states"][3:9, 1].tobytes()
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

TEST_F(Export, NumpyReadsOneState) {
  record();
  ASSERT_EQ(run("export run --episode 1 --at 4 --as npz -o one.npz").status, 0)
      << text_of(path("err"));
  if (!python(R"(
demo = h5py.File(sorted(glob.glob("run/env000_ep000001_*.h5"))[0], "r")["data/demo_0"]
d = np.load("one.npz")
row = demo["states"][4]
assert d["time"].shape == () and d["time"] == row[0]
assert d["qpos"].tobytes() == row[1:10].tobytes()
assert d["qvel"].tobytes() == row[10:18].tobytes()
assert d["ctrl"].tobytes() == demo["playhead/ctrl"][4].tobytes()
assert d["qacc_warmstart"].tobytes() == demo["playhead/warmstart"][4].tobytes()
assert "act" not in d.files and "actions" not in d.files
for name in ("mocap_pos", "mocap_quat", "userdata", "eq_active"):
    assert (name in d.files) == ("playhead/" + name in demo), name
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

TEST_F(Export, NumpyReadsTheText) {
  record();
  ASSERT_EQ(run("export run -o a.csv").status, 0) << text_of(path("err"));
  if (!python(R"(
demo = h5py.File(sorted(glob.glob("run/env000_ep000000_*.h5"))[0], "r")["data/demo_0"]
rows = list(csv.DictReader(open("a.csv", newline="")))
n = demo.attrs["num_samples"]
assert len(rows) == n + 1
column = lambda name: np.array([float(r[name] or "nan") for r in rows])
assert column("time")[:n].tobytes() == demo["states"][:, 0].tobytes()
assert column("b")[:n].tobytes() == demo["states"][:, 2].tobytes()
assert column("action[1]")[:n].tobytes() == demo["actions"][:, 1].tobytes()
assert column("reward")[1:].tobytes() == demo["rewards"][:].tobytes()
assert rows[0]["reward"] == "" and rows[n]["action[0]"] == ""
assert column("ctrl.pb").tobytes() == demo["playhead/ctrl"][:, 1].tobytes()
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

/* --- files of other recorders --- */

TEST_F(Export, TypesOfAForeignFileAreKept) {
  foreign::Options options;
  options.images = true;
  options.rows = {12};
  { foreign::write_robomimic(path("r.hdf5"), options); }
  Outcome o = run("export r.hdf5 --as npz -o r.npz");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("export: 1 array is left out: obs/agentview_image (pictures)"), string::npos)
      << o.err;
  EXPECT_EQ(run("export r.hdf5 --columns time").err, "") << "what is not asked for is not missing";
  if (!python(R"(
demo = h5py.File("r.hdf5", "r")["data/demo_0"]
d = np.load("r.npz")
for name in ("obs/robot0_eef_pos", "obs/robot0_gripper_qpos", "obs/object", "actions", "states"):
    want = demo[name][:]
    assert d[name].dtype == want.dtype and d[name].shape == want.shape, (name, d[name].dtype)
    assert d[name].tobytes() == want.tobytes(), name
assert not any("image" in n for n in d.files), d.files
assert not any(n.startswith("playhead/") for n in d.files), d.files
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
  refused("r.hdf5 --columns obs/agentview_image", 3, "pictures are not exported");
}

TEST_F(Export, EveryTypeIsTheFiles) {
  {
    foreign::File file(path("a.hdf5"));
    vector<double> small = {-3, 0, 127, 1}, flags = {0, 1, 1, 0};
    int64_t large[4] = {1, (1LL << 60) + 1, -(1LL << 53) - 1, 4};
    uint64_t huge[4] = {1, UINT64_MAX, (1ULL << 63) + 1, 4};
    foreign::Store big;
    big.big_endian = true;
    file.array("x", foreign::F64, {4, 2}, foreign::wave(8));
    file.array("i8", foreign::I8, {4}, small);
    file.array("i64", foreign::I64, {4}, small);
    file.array("u32", foreign::U32, {4}, {0, 1, 4294967295.0, 7});
    file.array("bool", foreign::BOOL, {4}, flags);
    file.array("half", foreign::F16, {4, 2},
               {0.5, -2, 65504, -0.0, 0x1p-24, 0x1.004p-14, 3, INFINITY});
    file.raw("large", foreign::I64, {4, 1}, large);
    file.raw("huge", foreign::U64, {4}, huge);
    file.array("i16", foreign::I16, {4}, small, big);
    file.array("u16", foreign::U16, {4}, {0, 1, 65535, 7}, big);
    file.array("single", foreign::F32, {4}, {0.5, -2, 1e10, 0}, big);
  }
  Outcome o = run("export a.hdf5 --as npz -o a.npz");
  ASSERT_EQ(o.status, 0) << o.err;
  if (!python(R"(
f, d = h5py.File("a.hdf5", "r"), np.load("a.npz")
for name in f:
    assert d[name].dtype == f[name].dtype.newbyteorder("="), (name, d[name].dtype)
    assert (d[name] == f[name][:]).all(), name
    assert d[name].shape == f[name].shape, name
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

TEST_F(Export, ATimeIsTheFiles) {
  foreign::Options options;
  options.rows = {12};
  options.start = 0.8;
  foreign::write_robosuite(path("r.hdf5"), options);
  Outcome o = run("export r.hdf5 --at 1.05s --columns time");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.rfind("step,time\n5,1.05", 0), 0u) << o.out;
  EXPECT_NE(run("screen r.hdf5 --at 1.35s").out.find("step 11/11"), std::string::npos);
  EXPECT_NE(run("screen r.hdf5 --at 0.2s").out.find("step 0/11"), std::string::npos);
}

TEST_F(Export, WithoutAModelAStateIsTheRowAsItIs) {
  foreign::Options options;
  options.models = false;
  options.rows = {12};
  foreign::write_robosuite(path("r.hdf5"), options);
  Outcome o = run("export r.hdf5 --at 5 --as npz -o one.npz");
  ASSERT_EQ(o.status, 0) << o.err;
  refused("r.hdf5 --at 5 --as key", 3, "a key needs a model");
  o = run("export r.hdf5 --at 5 --columns 'states*'");
  EXPECT_EQ(o.out.substr(0, 30), "step,states[0],states[1],state");
  ASSERT_EQ(run("export r.hdf5 --as npz -o all.npz").status, 0);
  if (!python(R"(
demo = h5py.File("r.hdf5", "r")["data/demo_1"]
d, a = np.load("one.npz"), np.load("all.npz")
assert d.files == ["states"] and d["states"].tobytes() == demo["states"][5].tobytes()
assert a["states"].tobytes() == demo["states"][:].tobytes() and a["states"].shape == (12, 20)
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

TEST_F(Export, AModelOfItsOwnGivesForeignStatesTheirNames) {
  foreign::Options options;
  options.rows = {12};
  foreign::write_robosuite(path("r.hdf5"), options);
  Outcome o = run("export r.hdf5 --range 2:4 --columns time,elbow,cube.z,states[2]");
  ASSERT_EQ(o.status, 0) << o.err;
  auto rows = table(o.out);
  EXPECT_EQ(rows[0], (vector<string>{"step", "time", "elbow", "cube.z"}));
  ASSERT_EQ(rows.size(), 3u);
  auto want = foreign::state_rows(12, true, 0.05, 0, 0);
  EXPECT_EQ(strtod(rows[1][1].c_str(), nullptr), want[2 * 20]);
  EXPECT_EQ(strtod(rows[2][2].c_str(), nullptr), want[3 * 20 + 2]);
  EXPECT_EQ(run("export r.hdf5 --at 3 --as key").out.rfind("<key name=\"step_3\" time=\"0.15", 0),
            0u);
}

/* --- groups --- */

TEST_F(Export, GroupsAreThoseOfTheFile) {
  foreign::write_robomimic(path("r.hdf5"));
  Opened o(path("r.hdf5"));
  ASSERT_EQ(ph_store_groups(o.store.get()), 2u);
  size_t valid = ph_store_find_group(o.store.get(), "valid"), in = 0;
  ASSERT_LT(valid, 2u);
  while (!ph_store_in_group(o.store.get(), valid, in))
    in++;
  string id = ph_store_entry(o.store.get(), in)->id;
  string mine = run("export r.hdf5 --group valid").out;
  EXPECT_EQ(mine, run("export r.hdf5 --episode " + id).out);
  EXPECT_GT(mine.size(), 1000u);
  EXPECT_EQ(mine, run("export r.hdf5 --group valid --episode " + id).out);
  string other = ph_store_entry(o.store.get(), in ? 0 : 1)->id;
  refused("r.hdf5 --group valid --episode " + other, 3, other + ": it is not in the group valid");
  refused("r.hdf5 --group vald", 3, "--group vald: no such group: it has ");
  for (const char *verb : {"verify", "screen", "info"}) {
    Outcome bad = run(string(verb) + " r.hdf5 --group vald");
    EXPECT_EQ(bad.status, 3) << verb;
    EXPECT_NE(bad.err.find("valid"), string::npos) << verb << bad.err;
    Outcome good = run(string(verb) + " r.hdf5 --group valid");
    EXPECT_NE(good.out.find(id), string::npos) << verb << good.out << good.err;
    if (verb == string("info") || verb == string("verify")) {
      EXPECT_EQ(good.out.find(other + " "), string::npos) << verb << good.out;
    }
  }
  record();
  refused("run --group valid", 3, "no such group: the file names none");
}

/* --- the command line --- */

TEST_F(Export, WhatCannotBeIsRefusedInOneLine) {
  record();
  refused("run --as npz", 2, "it needs --out FILE");
  refused("run --as key", 2, "--at STEP");
  refused("run --as key --at 3 --out k", 2, "standard output");
  refused("run --as xlsx", 2, "csv npz key");
  refused("run --at 3 --range 1:4", 2, "only one of them");
  refused("run --at 3 --as npz --columns a --out k", 2, "one state is written whole");
  for (const char *bad :
       {"5", "a:b", "-1:4", "1:2:3", "1:-2", "5:5", "7:3", "99999999999999999999:"})
    refused("run --range " + string(bad), 2, "--range " + string(bad));
  refused("run --range 100:200", 3, "steps 100 to 199: it has steps 0 to 40");
  refused("run --columns balx", 3, "balx: no such column; did you mean 'ball.x'");
  refused("run --episode 9", 3, "9: no such episode");
  refused("run --out wave.lua", 3, "wave.lua: it exists already");
  refused("run --out ''", 2, "an empty path");
  refused("nothing", 3, "nothing");
  refused("", 2, "is missing");
  EXPECT_EQ(names(), (vector<string>{"err", "out", "run", "wave.lua", "wave.xml"}));
  Outcome o = run("export run --range :2 --columns time");
  EXPECT_EQ(o.out, "step,time\n0,0\n1,0.01\n") << o.err;
  EXPECT_EQ(run("export run --at 1 --columns time").out, "step,time\n1,0.01\n");
  EXPECT_EQ(run("export run --range 40: --columns reward").out.substr(0, 15), "step,reward\n40,");
  EXPECT_EQ(run("export run --columns time -o new.csv --range 0:1").out, "");
  EXPECT_EQ(text_of(path("new.csv")), "step,time\n0,0\n");
}

TEST_F(Export, AFullDiskIsAnError) {
  if (access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "no /dev/full";
  record();
  string program = getenv("PLAYHEAD_PROGRAM");
  int status =
      system((program + " export " + path("run") + " >/dev/full 2>" + path("err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(text_of(path("err")).find("No space left"), string::npos) << text_of(path("err"));
}

/* --- the README --- */

/* Runs the lines of a block of the README but `view` in the test's folder. */
void run_block(const string &name, const string &folder) {
  string text = text_of(TEST_SOURCE_ROOT "/README.md"), open = "<!-- " + name + " -->\n```sh\n";
  size_t from = text.find(open);
  ASSERT_NE(from, string::npos) << name;
  from += open.size();
  std::istringstream block(text.substr(from, text.find("```", from) - from));
  string script = "set -e\nplayhead=" + string(getenv("PLAYHEAD_PROGRAM")) + "\n";
  int lines = 0;
  for (string line; std::getline(block, line);)
    if (line.find("$playhead view") != 0) {
      script += line + "\n";
      lines++;
    }
  EXPECT_GE(lines, 5);
  read_help::spill(folder + "/block.sh", script);
  EXPECT_EQ(
      system(("cd " + folder + " && HOME=" + folder + " LC_ALL=C.UTF-8 sh block.sh >said").c_str()),
      0)
      << script;
}

TEST_F(Export, TheReadmesCommandsRun) {
  fs::create_directory_symlink(TEST_SOURCE_ROOT "/data", path("data"));
  run_block("export", folder.path());
  EXPECT_EQ(table(text_of(path("drawer.csv"))).size(), 1u + 163);
  EXPECT_EQ(table(text_of(path("said"))).size(), 1u + 20);
  EXPECT_EQ(text_of(path("key.xml")).rfind("<key name=\"step_162\"", 0), 0u);
  EXPECT_GT(fs::file_size(path("drawer.npz")), 10000u);
  EXPECT_GT(fs::file_size(path("state.npz")), 500u);
  for (auto &entry : fs::directory_iterator(TEST_SOURCE_ROOT "/data/runs/drawer_close"))
    EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST_F(Export, TheReadmesCommandsForFilesOfOthersRun) {
  foreign::write_robomimic(path("demo.hdf5"));
  fs::create_directory(path("assets"));
  read_help::spill(path("arm.xml"), foreign::arm_model());
  string before = text_of(path("demo.hdf5"));
  run_block("foreign", folder.path());
  EXPECT_NE(text_of(path("said")).find("robomimic, 2 episodes"), string::npos);
  EXPECT_EQ(text_of(path("demo.hdf5")), before);
}

} // namespace
