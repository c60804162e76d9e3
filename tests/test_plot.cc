// Spans to columns of dots to braille cells, without a screen.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

extern "C" {
#include "panel_timeline.h"
#include "plot.h"
}

namespace {

struct Curve {
  series of{};
  std::vector<ph_span> parts;

  explicit Curve(const std::vector<double> &values, int64_t per = 1, int64_t first = 0) {
    for (size_t i = 0; i < values.size(); i += (size_t)per) {
      ph_span span = {INFINITY, -INFINITY};
      for (size_t k = i; k < values.size() && k < i + (size_t)per; k++) {
        span.min = std::fmin(span.min, std::isnan(values[k]) ? INFINITY : values[k]);
        span.max = std::fmax(span.max, std::isnan(values[k]) ? -INFINITY : values[k]);
      }
      parts.push_back(span);
    }
    of.first = first;
    of.steps = (int64_t)values.size();
    of.per = per;
    of.n = parts.size();
    of.part = parts.data();
  }
  Curve(const Curve &) = delete;

  std::vector<plot_dot> fold(int n, int64_t first, int64_t last, size_t ready = SIZE_MAX) {
    std::vector<plot_dot> dots((size_t)n);
    plot_fold(&of, ready < parts.size() ? ready : parts.size(), first, last, dots.data(), n);
    return dots;
  }
  std::vector<plot_dot> fold(int n) { return fold(n, of.first, of.first + of.steps - 1); }
};

// Cells of w columns and h rows, as lines of text.
std::string draw(std::vector<plot_dot> dots, int h) {
  double low, high;
  int n = (int)dots.size();
  std::string text;
  plot_join(dots.data(), n);
  if (!plot_range(dots.data(), n, &low, &high))
    return "";
  plot_place(dots.data(), n, 4 * h, low, high);
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < n / 2; x++) {
      unsigned bits = plot_cell(dots.data(), x, y);
      char glyph[4] = {(char)0xE2, (char)(0xA0 | bits >> 6), (char)(0x80 | (bits & 0x3F)), 0};
      text += bits ? glyph : " ";
    }
    text += "\n";
  }
  return text;
}

std::vector<double> ramp(int n) {
  std::vector<double> out;
  for (int i = 0; i < n; i++)
    out.push_back(i);
  return out;
}

TEST(PlotFold, AStepIsInTheTimelinesColumn) {
  for (int steps : {1, 2, 3, 7, 10, 49, 50, 51, 99, 100, 101, 342, 1000, 16384})
    for (int w : {1, 3, 50, 109}) {
      std::vector<double> values((size_t)steps, 0);
      Curve curve(values);
      timeline t = {0, steps - 1, w, 9};
      for (int step = 0; step<steps; step += steps> 400 ? 37 : 1) {
        curve.parts[(size_t)step] = {1, 1};
        std::vector<plot_dot> dots = curve.fold(2 * w);
        curve.parts[(size_t)step] = {0, 0};
        int column = -1;
        for (int x = 0; x < 2 * w; x++)
          if (dots[(size_t)x].kind == PLOT_DATA && dots[(size_t)x].max == 1) {
            EXPECT_EQ(column, -1) << "one column";
            column = x / 2;
          }
        ASSERT_EQ(column, timeline_column(&t, step)) << step << " of " << steps << " in " << w;
      }
    }
}

TEST(PlotFold, KeepsEveryExtremeOfMany) {
  std::vector<double> values(1000000, 0.5);
  values[123457] = 9;
  values[777777] = -7;
  Curve curve(values, 62);
  std::vector<plot_dot> dots = curve.fold(200);
  double low, high;
  ASSERT_TRUE(plot_range(dots.data(), 200, &low, &high));
  EXPECT_EQ(low, -7);
  EXPECT_EQ(high, 9);
  EXPECT_EQ(dots[123457 * 200 / 1000000].max, 9);
  EXPECT_EQ(dots[777777 * 200 / 1000000].min, -7);
}

TEST(PlotFold, AWindowShowsItsStepsAlone) {
  Curve curve(ramp(100));
  std::vector<plot_dot> dots = curve.fold(20, 40, 59);
  for (int x = 0; x < 20; x++) {
    EXPECT_EQ(dots[(size_t)x].min, 40 + x);
    EXPECT_EQ(dots[(size_t)x].max, 40 + x);
  }
}

TEST(PlotFold, ASeriesOfOtherStepsShowsWhatIsCommon) {
  Curve curve(ramp(10), 1, 50); // steps 50 .. 59 hold 0 .. 9
  std::vector<plot_dot> dots = curve.fold(20, 40, 59);
  EXPECT_EQ(dots[9].kind, PLOT_NONE);
  EXPECT_EQ(dots[10].min, 0);
  EXPECT_EQ(dots[19].max, 9);
  dots = curve.fold(20, 55, 74);
  EXPECT_EQ(dots[0].min, 5);
  EXPECT_EQ(dots[5].kind, PLOT_NONE);
}

TEST(PlotFold, WhatIsNotReadYetIsEmpty) {
  Curve curve(ramp(100));
  std::vector<plot_dot> dots = curve.fold(100, 0, 99, 30);
  EXPECT_EQ(dots[29].kind, PLOT_DATA);
  EXPECT_EQ(dots[30].kind, PLOT_NONE);
  EXPECT_EQ(draw(dots, 1).find_last_not_of(" \n") < 3 * 15 + 3, true) << "no line to the right";
}

TEST(PlotGaps, StayGaps) {
  std::vector<double> values = ramp(20);
  for (int i = 8; i < 12; i++)
    values[(size_t)i] = NAN;
  Curve curve(values);
  std::vector<plot_dot> dots = curve.fold(20);
  EXPECT_EQ(dots[7].kind, PLOT_DATA);
  for (size_t i = 8; i < 12; i++)
    EXPECT_EQ(dots[i].kind, PLOT_GAP);
  plot_join(dots.data(), 20);
  for (size_t i = 8; i < 12; i++)
    EXPECT_EQ(dots[i].kind, PLOT_GAP) << "no line over it";
  EXPECT_EQ(draw(curve.fold(20), 1), "⣀⣀⠤⠤  ⠒⠒⠉⠉\n");
}

TEST(PlotGaps, AreNoNumbersAtAll) {
  Curve curve(std::vector<double>(10, NAN));
  double low, high;
  std::vector<plot_dot> dots = curve.fold(20);
  EXPECT_FALSE(plot_range(dots.data(), 20, &low, &high));
  EXPECT_EQ(draw(dots, 3), "");
}

TEST(PlotJoin, StepsThatAreApartAreJoinedByALine) {
  Curve curve({0, 1, 0});
  std::vector<plot_dot> dots = curve.fold(12);
  EXPECT_EQ(dots[0].kind, PLOT_DATA);
  EXPECT_EQ(dots[1].kind, PLOT_NONE);
  EXPECT_EQ(dots[4].kind, PLOT_DATA);
  plot_join(dots.data(), 12);
  EXPECT_EQ(dots[2].kind, PLOT_DATA);
  EXPECT_DOUBLE_EQ(dots[2].min, 0.5);
  EXPECT_EQ(dots[8].min, 0);
  EXPECT_EQ(dots[9].kind, PLOT_NONE) << "nothing after the last step";
}

TEST(PlotPlace, NeighboursTouch) {
  std::vector<double> values;
  for (int i = 0; i < 60; i++)
    values.push_back(std::sin(i * 0.9) * (i % 7 == 0 ? 3 : 1));
  Curve curve(values);
  std::vector<plot_dot> dots = curve.fold(60);
  double low, high;
  ASSERT_TRUE(plot_range(dots.data(), 60, &low, &high));
  plot_place(dots.data(), 60, 16, low, high);
  for (int x = 0; x < 60; x++) {
    ASSERT_GE(dots[(size_t)x].top, 0);
    ASSERT_LT(dots[(size_t)x].bottom, 16);
    ASSERT_LE(dots[(size_t)x].top, dots[(size_t)x].bottom);
    if (x == 0)
      continue;
    EXPECT_LE(dots[(size_t)x].top, dots[(size_t)x - 1].bottom + 1) << x;
    EXPECT_GE(dots[(size_t)x].bottom, dots[(size_t)x - 1].top - 1) << x;
  }
}

TEST(PlotPlace, TheWholeHeightIsUsed) {
  Curve curve(ramp(40));
  std::vector<plot_dot> dots = curve.fold(40);
  plot_place(dots.data(), 40, 12, 0, 39);
  EXPECT_EQ(dots[0].bottom, 11);
  EXPECT_EQ(dots[39].top, 0);
}

TEST(PlotPlace, AConstantIsInTheMiddle) {
  EXPECT_EQ(draw(Curve(std::vector<double>(20, 4.2)).fold(20), 3),
            "          \n⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤\n          \n");
}

TEST(PlotPlace, WhatRoundingMakesOfAConstantIsOne) {
  std::vector<double> values;
  for (int i = 0; i < 20; i++)
    values.push_back(i % 3 ? 0.0625 : std::nextafter(0.0625, 1));
  std::vector<plot_dot> dots = Curve(values).fold(20);
  double low, high;
  ASSERT_TRUE(plot_range(dots.data(), 20, &low, &high));
  EXPECT_EQ(low, high);
  EXPECT_EQ(draw(dots, 3), "          \n⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤\n          \n");
  dots = Curve({1e-300, 3e-300}).fold(4);
  ASSERT_TRUE(plot_range(dots.data(), 4, &low, &high));
  EXPECT_LT(low, high) << "small is not the same";
}

TEST(PlotPlace, HugeAndInfiniteNumbersHaveAPlace) {
  std::vector<double> values = {-1.7e308, 1.7e308, -INFINITY, INFINITY, 0, 0};
  std::vector<plot_dot> dots = Curve(values).fold(6);
  double low, high;
  ASSERT_TRUE(plot_range(dots.data(), 6, &low, &high));
  EXPECT_EQ(low, -1.7e308);
  EXPECT_EQ(high, 1.7e308);
  plot_place(dots.data(), 6, 9, low, high);
  EXPECT_EQ(dots[0].bottom, 8);
  EXPECT_EQ(dots[2].bottom, 8);
  EXPECT_EQ(dots[3].top, 0);
  EXPECT_EQ(dots[5].bottom, 4);
  dots = Curve({INFINITY, INFINITY}).fold(4);
  EXPECT_FALSE(plot_range(dots.data(), 4, &low, &high)) << "no scale without a finite number";
}

TEST(PlotCell, Golden) {
  std::vector<double> values;
  for (int i = 0; i < 400; i++)
    values.push_back(std::sin(i / 40.0) + (i == 300 ? 2 : 0));
  EXPECT_EQ(draw(Curve(values).fold(80), 4), R"(                              ⡇         
     ⣀⣀⡀                      ⣇⣀⡀       
⣠⠴⠒⠋⠉⠁ ⠉⠉⠑⠲⢤⣀           ⢀⣠⠤⠒⠋⠉⠁ ⠈⠉⠙⠲⠤⣀⡀ 
            ⠈⠉⠒⠦⢤⣀⣀⣀⣀⠤⠴⠚⠉             ⠉⠓
)");
}

} // namespace
