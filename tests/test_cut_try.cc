// One episode that cannot be cut is left out with its reason, and does not end the others; a dry
// run finds the same.
#include <functional>

#include "bigym_help.h"
#include "cli_help.h"
#include "cut_help.h"
#include "foreign_layouts.h"

using cli_help::Cli;
using cli_help::Outcome;
using cut_help::contents_of;
using std::string;
namespace fs = std::filesystem;

namespace {

class CutTry : public Cli {
protected:
  /* Three demos; what is odd is in the second. */
  void Write(const string &name, const std::function<void(foreign::File &)> &odd) {
    foreign::File f(Path(name));
    f.group("/data");
    f.attr("/data", "env_args", "{\"env_name\": \"Lift\", \"env_kwargs\": {\"control_freq\": 20}}");
    for (int k = 0; k < 3; k++) {
      string demo = "/data/demo_" + std::to_string(k);
      f.group(demo);
      f.array(demo + "/actions", foreign::F32, {10, 2}, foreign::wave(20));
      f.array(demo + "/obs/eef", foreign::F64, {10, 3}, foreign::wave(30));
      f.array(demo + "/rewards", foreign::F64, {10}, foreign::last_is_one(10));
      f.array(demo + "/states", foreign::F64, {10, 4}, foreign::wave(40));
    }
    odd(f);
  }
  std::vector<string> Names() {
    std::vector<string> names;
    for (const auto &entry : fs::directory_iterator(top))
      if (entry.path().filename() != "out" && entry.path().filename() != "err")
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  /* The others are written, without it; neither a dry run nor --strict writes anything. */
  void ExpectLeftOut(const string &source, const std::vector<string> &how, const string &id,
                     const string &why, size_t all) {
    auto bytes = contents_of(source[0] == '/' ? source : Path(source));
    auto names = Names();
    std::vector<string> args = {"cut", source, "-o", Path("result")};
    args.insert(args.end(), how.begin(), how.end());
    string kept = std::to_string(all - 1) + " of " + std::to_string(all) + " episodes ";
    for (const char *more : {"--dry-run", "--strict", ""}) {
      std::vector<string> now = args;
      if (*more)
        now.push_back(more);
      Outcome o = Run(now);
      EXPECT_EQ(o.status, 1) << more << o.err << o.out;
      EXPECT_EQ(o.err, "") << more;
      EXPECT_NE(o.out.find(id + ": left out: " + why), string::npos) << more << o.out;
      EXPECT_NE(o.out.find(kept), string::npos) << more << o.out;
      if (*more) {
        EXPECT_EQ(Names(), names) << more;
      }
    }
    EXPECT_TRUE(fs::exists(Path("result")));
    Outcome info = Run({"info", Path("result")});
    EXPECT_EQ(info.status, 0) << info.err;
    EXPECT_EQ(info.out.find(id), string::npos) << info.out;
    fs::remove_all(Path("result"));
    EXPECT_EQ(Names(), names);
    EXPECT_EQ(contents_of(source[0] == '/' ? source : Path(source)), bytes);
  }
};

TEST_F(CutTry, ADemoThatCannotBeCutIsLeftOut) {
  struct {
    const char *why;
    std::function<void(foreign::File &)> odd;
  } const all[] = {
      {"/data/demo_1/obs/again: a link is never followed",
       [](foreign::File &f) { f.soft("/data/demo_1/obs/again", "/data/demo_0/obs/eef"); }},
      {"/data/demo_1/ext: a link is never followed",
       [](foreign::File &f) { f.external("/data/demo_1/ext", "other.hdf5", "/x"); }},
      {"12 states and 10 actions: which go together is not known",
       [](foreign::File &f) {
         f.remove("/data/demo_1/states");
         f.array("/data/demo_1/states", foreign::F64, {12, 4}, foreign::wave(48));
       }},
      {"its playhead_provenance is no text, and is not overwritten",
       [](foreign::File &f) { f.attr("/data/demo_1", "playhead_provenance", 3); }},
  };
  for (auto &t : all) {
    Write("a.hdf5", t.odd);
    ExpectLeftOut("a.hdf5", {"--range", "0:5"}, "demo_1", t.why, 3);
    fs::remove(Path("a.hdf5"));
  }
}

TEST_F(CutTry, AFileOfABatchThatIsDamagedIsLeftOut) {
  bigym::Batch batch;
  string b = batch / batch.b, bytes = bytes_of(b);
  string bad = bytes;
  size_t at = bad.find("rgb_obs.npy"); /* in its elements, far behind the headers */
  ASSERT_NE(at, string::npos);
  bad[at + 400] ^= 0x55;
  write_bytes(b, bad);
  Put("rows.json", "{\"" + batch.a + "\": 9, \"" + batch.b + "\": 12, \"" + batch.c + "\": 3}");
  ExpectLeftOut(batch.path, {"--steps", "rows.json"}, batch.b, "", 3);
  auto members = bigym::episode(41);
  bigym::set(members, "notes", bigym::array_of("|O", {41}, string(41 * 8, 'x')));
  batch.put(batch.b, bigym::zip(members));
  ExpectLeftOut(batch.path, {"--steps", "rows.json"}, batch.b, "notes: it cannot be cut: its", 3);
}

TEST_F(CutTry, FilesOfABatchThatWouldBeginLaterAreEachLeftOut) {
  bigym::Batch batch;
  auto files = contents_of(batch.path);
  Outcome o = Run({"cut", batch.path, "--range", "3:8", "-o", Path("o")});
  EXPECT_EQ(o.status, 1) << o.err;
  for (const string &id : {batch.a, batch.b, batch.c})
    EXPECT_NE(o.out.find(id + ": left out: it cannot begin at row 3"), string::npos) << o.out;
  EXPECT_FALSE(fs::exists(Path("o")));
  EXPECT_EQ(contents_of(batch.path), files);
}

TEST_F(CutTry, WhatIsOfNoEpisodeIsFoundByADryRunToo) {
  bigym::Batch batch;
  for (const char *text : {"", "{", "{\"format\": \"bigym_replay_npz\", \"a\": nan}"}) {
    if (*text)
      batch.put("metadata.json", text);
    else
      unlink((batch / "metadata.json").c_str());
    for (const char *more : {"--json", "--dry-run"})
      ExpectError({"cut", batch.path, "--hold", "0.1", "-o", Path("o"), more}, 3,
                  *text ? "metadata.json: it is no JSON: line 1"
                        : "metadata.json: it cannot be read: No such file");
  }
}

/* A list of demos that cannot be read may be copied, but nobody can be taken out of it. */
TEST_F(CutTry, AMaskThatCannotBeReadIsOnlyRefusedWhereDemosAreLeftOut) {
  for (bool drops : {false, true}) {
    Write("a.hdf5", [&](foreign::File &f) {
      f.group("/mask");
      f.array("/mask/numbers", foreign::F64, {3}, foreign::wave(3));
      if (drops)
        f.soft("/data/demo_1/obs/again", "/data/demo_0/obs/eef");
    });
    std::vector<string> args = {"cut", "a.hdf5", "--range", "0:5", "-o", Path("o.hdf5")};
    auto dry = args, strict = args;
    dry.push_back("--dry-run");
    strict.push_back("--strict");
    auto both = strict;
    both.push_back("--dry-run");
    if (drops) {
      const char *why = "a.hdf5: /mask/numbers: it may name demos that are left out, and cannot";
      ExpectError(dry, 3, why);
      ExpectError(args, 3, why);
      EXPECT_EQ(1, Run(both).status) << "nothing would be written";
      EXPECT_EQ(1, Run(strict).status);
    } else {
      Outcome o = Run(dry);
      EXPECT_EQ(0, o.status) << o.err;
      o = Run(args);
      EXPECT_EQ(0, o.status) << o.err;
    }
    EXPECT_EQ(!drops, fs::exists(Path("o.hdf5")));
    fs::remove(Path("o.hdf5"));
    fs::remove(Path("a.hdf5"));
  }
}

TEST_F(CutTry, WhatIsNoFileIsSaidSo) {
  Write("a.hdf5", [](foreign::File &) {});
  auto names = Names();
  ExpectError({"cut", "a.hdf5", "--steps", ".", "-o", "o.h5"}, 3, "--steps .: it is a folder");
  ExpectError({"cut", "a.hdf5", "--range", "0:5", "-o", "nodir/"}, 3,
              "nodir/: it names a folder, and the result is a file");
  EXPECT_EQ(Names(), names);
}

TEST_F(CutTry, AHoldOfMinusNoughtIsNought) {
  Write("a.hdf5", [](foreign::File &) {});
  Outcome o = Run({"cut", "a.hdf5", "--hold", "-0", "--dry-run"});
  EXPECT_NE(o.out.find(" at a hold of 0 s ("), string::npos) << o.out << o.err;
}

TEST_F(CutTry, OfEpisodesThatDoNotOpenNoSourceIsNamed) {
  bigym::Batch batch;
  for (const string &id : {batch.a, batch.b, batch.c})
    batch.put(id, "PK");
  Outcome o = Run({"cut", batch.path, "--hold", "0.1", "-o", Path("o")});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("0 of 3 episodes latch at a hold of 0.1 s; nothing"), string::npos) << o.out;
}

TEST_F(CutTry, NothingIsWrittenByTheLibraryEither) {
  Write("a.hdf5", [](foreign::File &f) { f.soft("/data/demo_1/x", "/data"); });
  auto before = contents_of(top.string());
  auto s = store_help::open_store({Path("a.hdf5")});
  for (size_t i = 0; i < 3; i++) {
    auto plan = cut_help::line("demo_" + std::to_string(i), 0, 4);
    EXPECT_EQ(ph_cut_try(s.get(), i, &plan, nullptr), i == 1 ? PH_EFORMAT : PH_OK) << ph_error();
  }
  auto far = cut_help::line("demo_0", 0, 11);
  EXPECT_EQ(ph_cut_try(s.get(), 0, &far, nullptr), PH_EINVAL);
  EXPECT_EQ(ph_cut_try(s.get(), 3, nullptr, nullptr), PH_OK) << ph_error();
  EXPECT_EQ(contents_of(top.string()), before);
}

} // namespace
