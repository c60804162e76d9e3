/* Numbers that a double does not hold, and such as mean something: they are exported as the file
 * has them. */
#include "export_help.h"

using namespace export_help;

namespace {

const int64_t stamps[4] = {1700000000123456789, (1LL << 53) + 1, INT64_MIN, 7};
const uint64_t hashes[4] = {UINT64_MAX, (1ULL << 63) + 1, 0, 9};
const vector<double> odd = {0, 0.5, NAN, 256};

void write_demo(const string &path, const vector<double> &dones, bool packed = false) {
  foreign::File file(path);
  foreign::Store store;
  store.chunk_rows = packed ? 3 : 0;
  store.gzip = packed ? 4 : 0;
  file.group("/data");
  file.attr("/data", "env", "Lift");
  file.array("/data/demo_0/states", foreign::F64, {4, 3}, foreign::wave(12));
  file.array("/data/demo_0/actions", foreign::F32, {4, 2}, vector<double>(8, 0.5));
  file.array("/data/demo_0/rewards", foreign::F32, {4, 1}, {0, 0, 0, 0.25});
  file.array("/data/demo_0/dones", foreign::F64, {4}, dones);
  file.raw("/data/demo_0/obs/hash", foreign::U64, {4}, hashes, store);
  file.raw("/data/demo_0/obs/stamp", foreign::I64, {4, 1}, stamps, store);
}

vector<string> column(const vector<vector<string>> &rows, const string &name) {
  vector<string> out;
  for (size_t i = 0; i < rows[0].size(); i++)
    for (size_t r = 1; rows[0][i] == name && r < rows.size(); r++)
      out.push_back(rows[r][i]);
  return out;
}

TEST_F(Export, WholeNumbersBeyondADoubleAreWrittenDigitForDigit) {
  for (bool packed : {false, true}) {
    write_demo(path("a.hdf5"), {0, 0, 0, 1}, packed);
    Opened o(path("a.hdf5"));
    ASSERT_TRUE(o.episode);
    auto rows = table(csv_of(o.episode.get(), nullptr, "obs/hash,obs/stamp"));
    EXPECT_EQ(column(rows, "obs/hash"),
              (vector<string>{"18446744073709551615", "9223372036854775809", "0", "9"}));
    EXPECT_EQ(column(rows, "obs/stamp"), (vector<string>{"1700000000123456789", "9007199254740993",
                                                         "-9223372036854775808", "7"}));
    auto part = table(csv_of(o.episode.get(), nullptr, "obs/stamp", 1, 3));
    EXPECT_EQ(column(part, "obs/stamp"),
              (vector<string>{"9007199254740993", "-9223372036854775808"}));
  }
}

TEST_F(Export, NumpyGetsWholeNumbersTypesAndShapesOfTheFile) {
  write_demo(path("a.hdf5"), odd);
  ASSERT_EQ(run("export a.hdf5 --as npz -o a.npz").status, 0);
  ASSERT_EQ(run("export a.hdf5 --as npz --range 1:3 -o part.npz").status, 0);
  ASSERT_EQ(run("export a.hdf5 --as npz --at 1 -o one.npz").status, 0);
  if (!python(R"(
f, d = h5py.File("a.hdf5", "r")["data/demo_0"], np.load("a.npz")
part = np.load("part.npz")
for name in ("actions", "rewards", "dones", "obs/hash", "obs/stamp", "states"):
    want = f[name][:]
    assert d[name].dtype == want.dtype and d[name].shape == want.shape, (name, d[name].dtype)
    assert d[name].tobytes() == want.tobytes(), name
    assert part[name].tobytes() == want[1:3].tobytes(), name
)"))
    GTEST_SKIP() << "Debian's python3-h5py is not here";
}

TEST_F(Export, ANumberAloneIsWholeTooOrRefused) {
  {
    foreign::File file(path("a.hdf5"));
    file.group("/data");
    file.attr("/data", "env", "Lift");
    file.array("/data/demo_0/states", foreign::F64, {2, 3}, foreign::wave(6));
    file.array("/data/demo_0/actions", foreign::F64, {2, 1}, foreign::wave(2));
    file.raw("/data/demo_0/obs/pair", foreign::I64, {2, 2}, stamps);
    file.array("/data/demo_1/states", foreign::F64, {3, 3}, foreign::wave(9));
    file.array("/data/demo_1/actions", foreign::F64, {2, 1}, foreign::wave(2));
    file.raw("/data/demo_1/obs/pair", foreign::I64, {2, 2}, stamps);
  }
  ASSERT_EQ(run("export a.hdf5 --as npz --columns 'obs/pair[1]' -o a.npz").status, 0);
  python(R"(
d = np.load("a.npz")["obs/pair[1]"]
assert d.dtype == np.int64 and d.tolist() == [2**53 + 1, 7], d
)");
  Opened o(path("a.hdf5"), 1);
  ASSERT_TRUE(o.episode);
  ph_export_options opt = {"obs/pair[1]", INT64_MIN, INT64_MAX};
  EXPECT_EQ(ph_export_npz(path("b.npz").c_str(), o.episode.get(), nullptr, &opt), PH_EINVAL);
  EXPECT_TRUE(read_help::says(ph_error(), "obs/pair[1]: step 0: a whole number beyond 2^53"))
      << ph_error();
}

TEST_F(Export, DonesThatAreNeitherAreKeptAndSaid) {
  write_demo(path("a.hdf5"), odd);
  Opened o(path("a.hdf5"));
  ASSERT_TRUE(o.episode);
  auto rows = table(csv_of(o.episode.get(), nullptr, "done"));
  EXPECT_EQ(column(rows, "done"), (vector<string>{"", "0", "0.5", "", "256"}));
  uint8_t bytes[4];
  ASSERT_EQ(ph_episode_read(o.episode.get(), PH_COL_DONES, 0, 4, bytes), PH_OK);
  EXPECT_EQ(vector<int>(bytes, bytes + 4), (vector<int>{0, 1, 1, 1}));
  size_t n, found = 0;
  const ph_finding *findings = ph_episode_findings(o.episode.get(), &n);
  for (size_t i = 0; i < n; i++)
    if (string(findings[i].text) == "dones: 3 of 4 are neither 0 nor 1, the first at step 1: 0.5") {
      EXPECT_EQ(findings[i].kind, PH_FINDING_ODDITY);
      EXPECT_EQ(findings[i].step, 1);
      found++;
    }
  EXPECT_EQ(found, 1u);
  write_demo(path("b.hdf5"), {0, 0, 0, 1});
  Opened plain(path("b.hdf5"));
  findings = ph_episode_findings(plain.episode.get(), &n);
  for (size_t i = 0; i < n; i++)
    EXPECT_EQ(string(findings[i].text).find("dones"), string::npos) << findings[i].text;
}

} // namespace
