// Who may not write into a folder, root too.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <sys/stat.h>
#include <unistd.h>

/* Somebody who may not write into the folder while it lives. */
struct ReadOnly {
  std::string folder;
  bool root = geteuid() == 0;
  explicit ReadOnly(const std::string &path) : folder(path) {
    chmod(folder.c_str(), 0555);
    if (root) {
      EXPECT_EQ(0, seteuid(65534));
    }
  }
  ~ReadOnly() {
    if (root) {
      EXPECT_EQ(0, seteuid(0));
    }
    chmod(folder.c_str(), 0777);
  }
};
