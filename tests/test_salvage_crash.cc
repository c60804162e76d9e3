/* Objects that the library dies of are left out, and said; the rest of the file is given back. The
 * library is made to die by an attribute of the object: some of its calls are taken over here. */
#include <dlfcn.h>

#include "salvage_help.h"

using namespace salvage;

namespace {

void *next(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

void die_of(hid_t object, const char *phase) {
  char how[16] = "";
  if (!ph_probe_inside() || H5Aexists(object, phase) <= 0)
    return;
  hid_t attr = H5Aopen(object, phase, H5P_DEFAULT), type = H5Aget_type(attr);
  if (H5Tget_size(type) < sizeof how)
    H5Aread(attr, type, how);
  if (how[0] == 's')
    for (volatile int on = 1; on;)
      ;
  abort();
}

} // namespace

extern "C" hid_t H5Dget_create_plist(hid_t dataset) {
  die_of(dataset, "deadly_to_measure");
  return reinterpret_cast<hid_t (*)(hid_t)>(next("H5Dget_create_plist"))(dataset);
}

extern "C" herr_t H5Aiterate2(hid_t object, H5_index_t index, H5_iter_order_t order, hsize_t *at,
                              H5A_operator2_t op, void *arg) {
  die_of(object, "deadly_to_copy");
  return reinterpret_cast<decltype(&H5Aiterate2)>(next("H5Aiterate2"))(object, index, order, at, op,
                                                                       arg);
}

extern "C" hid_t H5Aopen(hid_t object, const char *name, hid_t access) {
  if (strcmp(name, "num_samples") == 0)
    die_of(object, "deadly_to_ask");
  return reinterpret_cast<decltype(&H5Aopen)>(next("H5Aopen"))(object, name, access);
}

namespace {

class Crash : public Salvage {
protected:
  /* Three episodes that were never closed; what is in `deadly` has that attribute. */
  void write(const std::vector<std::string> &deadly, const std::string &phase,
             const std::string &how = "abort") {
    foreign::write_robomimic(whole, small(false, false));
    hid_t file = H5Fopen(whole.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, how.size() + 1);
    for (const auto &path : deadly) {
      hid_t object = H5Oopen(file, path.c_str(), H5P_DEFAULT);
      ASSERT_GE(object, 0) << path;
      hid_t attr = H5Acreate2(object, phase.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
      ASSERT_GE(H5Awrite(attr, type, how.c_str()), 0);
      H5Aclose(attr);
      H5Oclose(object);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
    Bytes all = bytes_of(whole);
    for (size_t i = 0; i < 8; i++)
      all[40 + i] = (char)0xff;
    write_bytes(cut, all);
  }
  void TearDown() override {
    ph_probe_limit(nullptr);
    Salvage::TearDown();
  }
};

TEST_F(Crash, AnArrayThatKillsWhoMeasuresOrCopiesItIsLeftOut) {
  for (const char *phase : {"deadly_to_measure", "deadly_to_copy"}) {
    SCOPED_TRACE(phase);
    write({"/data/demo_1/rewards", "/data/demo_2/rewards"}, phase);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error() << report.text();
    EXPECT_EQ(3, report.r.saved) << report.text();
    EXPECT_EQ(2, report.r.lost) << report.text();
    EXPECT_NE(std::string::npos, report.text().find("demo_1 0 rewards: HDF5 crashes on it (signal"))
        << report.text();
    EXPECT_GT(expect_beginnings(out, whole), 0);
    hid_t file = H5Fopen(out.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_EQ(30, read_array(file, "/data/demo_1/states").rows);
    EXPECT_EQ(-1, read_array(file, "/data/demo_1/rewards").rows);
    H5Fclose(file);
  }
}

TEST_F(Crash, AnEpisodeWhoseGroupOrActionsKillIsLostAlone) {
  for (const char *path : {"/data/demo_1", "/data/demo_1/actions"}) {
    SCOPED_TRACE(path);
    write({path}, strchr(path + 7, '/') ? "deadly_to_measure" : "deadly_to_copy");
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error() << report.text();
    EXPECT_EQ(2, report.r.saved) << report.text();
    EXPECT_EQ(nullptr, report.of("demo_1")) << report.text();
    EXPECT_NE(std::string::npos, report.text().find("crashes on it (signal")) << report.text();
    EXPECT_GT(expect_beginnings(out, whole, {"/mask"}), 0);
  }
}

/* What was looked at before is not to blame. */
TEST_F(Crash, OneThatKillsWhoAsksForItsLengthIsBlamedItself) {
  write({"/data/demo_1"}, "deadly_to_ask");
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error() << report.text();
  EXPECT_EQ(2, report.r.saved) << report.text();
  EXPECT_EQ(1, report.r.lost) << report.text();
  EXPECT_NE(std::string::npos, report.text().find("demo_1 0 ")) << report.text();
}

TEST_F(Crash, AnArrayThatNeverEndsIsLeftOut) {
  write({"/data/demo_0/dones"}, "deadly_to_copy", "spin");
  ph_probe_limits limits = {0, 1, 0};
  ph_probe_limit(&limits);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error() << report.text();
  EXPECT_EQ(3, report.r.saved) << report.text();
  EXPECT_NE(std::string::npos, report.text().find("dones: HDF5 gives no answer in 1 s"))
      << report.text();
}

TEST_F(Crash, AFileWhoseEveryArrayKillsSaysSo) {
  std::vector<std::string> deadly;
  for (const char *demo : {"/data/demo_0/", "/data/demo_1/", "/data/demo_2/"})
    for (const char *name : {"actions", "states", "rewards", "dones"})
      deadly.push_back(std::string(demo) + name);
  write(deadly, "deadly_to_measure");
  Report report;
  EXPECT_EQ(PH_EFORMAT, salvage(report)) << report.text();
  EXPECT_NE(nullptr, strstr(ph_error(), "nothing of it can be given back")) << ph_error();
  EXPECT_FALSE(std::filesystem::exists(out));
}

} // namespace
