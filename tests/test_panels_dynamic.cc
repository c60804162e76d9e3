// Screens of physics run again, against tests/golden/*.txt.
#include "panel_dynamic.h"

namespace {

const int sizes[][2] = {{120, 40}, {80, 24}, {200, 60}, {40, 12}};

TEST(GoldenDynamic, Both) {
  for (auto &size : sizes) {
    Dynamic f;
    std::string name = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    expect_golden("dynamic_both_" + name, f.at(size[1], size[0]));
    f.a.ascii = true;
    std::string ascii = f.at(size[1], size[0]);
    expect_golden("dynamic_both_" + name + "_ascii", ascii);
    for (char c : ascii)
      ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << name << " has the byte " << (int)c;
  }
}

TEST(GoldenDynamic, AloneAndFirst) {
  Dynamic f(MODE_DYNAMIC);
  expect_golden("dynamic_alone_120x40", f.at(40, 120));
  expect_golden("dynamic_alone_80x24", f.at(24, 80));
  Dynamic g;
  g.walk(0);
  expect_golden("dynamic_first_120x40", g.at(40, 120));
}

} // namespace
