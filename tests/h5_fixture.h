/* A folder, and files as any other program would write them. */
#ifndef TESTS_H5_FIXTURE_H
#define TESTS_H5_FIXTURE_H

#include "sink_help.h"

class H5 : public testing::Test {
protected:
  Folder dir;
  std::string path = dir / "a.h5";
  void TearDown() override { EXPECT_EQ(0u, ph_h5_open_ids()) << "ids leaked"; }

  /* A file as any other program would write it. */
  hid_t foreign(const std::string &name = "a.h5") {
    hid_t file = H5Fcreate((dir / name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    return file;
  }
  static void dataset(hid_t file, const char *name, hid_t type, std::vector<hsize_t> dim,
                      const void *data, hid_t list = H5P_DEFAULT, hid_t memory = -1) {
    hid_t space = H5Screate_simple((int)dim.size(), dim.data(), nullptr);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    ASSERT_GE(d, 0);
    if (data) {
      ASSERT_GE(H5Dwrite(d, memory < 0 ? type : memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    }
    H5Dclose(d);
    H5Sclose(space);
  }
  /* Status of opening one dataset of the file at `path`. */
  ph_status open_dataset(const char *name, ph_h5_array *info = nullptr) {
    hid_t file, d;
    ph_h5_array own;
    ph_status status = ph_h5_open(&file, path.c_str());
    if (!status)
      status = ph_h5_dataset(&d, info ? info : &own, file, name);
    if (!status)
      ph_h5_close(d);
    ph_h5_close(file);
    return status;
  }
};

/* A visitor that lists names into a std::string. */
inline ph_status collect(void *arg, const char *name, bool is_group) {
  static_cast<std::string *>(arg)->append(name).append(is_group ? "/ " : " ");
  return PH_OK;
}

#endif
