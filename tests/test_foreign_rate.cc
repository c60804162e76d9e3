/* How long a step lasts: by the time column, by the file, in substeps of the model. */
#include "foreign_help.h"

using namespace foreign_help;
using Names = std::vector<std::string>;

/* An episode of scene() whose times are given. */
struct Timed {
  Maker m;
  explicit Timed(const std::vector<double> &times, ph_type stored = PH_F64) {
    std::vector<double> rows = states(static_cast<int64_t>(times.size()));
    for (size_t i = 0; i < times.size(); i++)
      rows[16 * i] = times[i];
    m.f.timed = true;
    m.f.states = m.add("states", 16, rows, stored);
  }
  Timed &says(double dt, const char *source) {
    m.f.dt = dt;
    snprintf(m.f.dt_source, sizeof m.f.dt_source, "%s", source);
    return *this;
  }
};

static const ph_episode_meta *meta_of(const Episode &e) {
  return ph_episode_meta_of(e.get());
}

/* As the engine counts: one substep after the other. */
static std::vector<double> counted(int64_t n, int steps, double timestep, double start) {
  std::vector<double> out;
  double t = start;
  for (int64_t i = 0; i < n; i++) {
    out.push_back(t);
    for (int k = 0; k < steps; k++)
      t += timestep;
  }
  return out;
}

TEST(ForeignRate, TheTimeColumnGivesTheRate) {
  Model model(scene());
  Timed t(counted(500, 25, 0.002, 0.052));
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.05) << "exactly: rounding of sums is no rate";
  EXPECT_EQ(meta_of(e)->timestep, 0.002);
  EXPECT_EQ(meta_of(e)->dims.control_steps, 25);
  EXPECT_STREQ(meta_of(e)->rate_source, "median of the time column; 25 substeps of 0.002 s");
  EXPECT_EQ(all(findings(e)), "");
}

TEST(ForeignRate, BothSourcesThatAgreeAreShown) {
  Model model(scene());
  Timed t(counted(50, 25, 0.002, 0));
  t.says(0.05, "control_freq 20 Hz");
  Episode e = t.m.make(model);
  EXPECT_STREQ(meta_of(e)->rate_source,
               "median of the time column and control_freq 20 Hz; 25 substeps of 0.002 s");
  EXPECT_EQ(all(findings(e)), "");
}

TEST(ForeignRate, TheTimeColumnWinsAndTheOtherIsSaid) {
  Model model(scene());
  Timed t(counted(50, 25, 0.002, 0));
  t.says(0.1, "control_freq 10 Hz");
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.05);
  EXPECT_EQ(findings(e), Names{"oddity -1: a step lasts 0.05 s by the time column and 0.1 s by "
                               "control_freq 10 Hz: the time column is taken"});
  EXPECT_STREQ(meta_of(e)->rate_source, "median of the time column; 25 substeps of 0.002 s");
}

TEST(ForeignRate, WithoutATimeTheFileIsBelieved) {
  Model model(scene());
  Maker m;
  m.f.states = m.add("states", 15, states(4, 0, 0, false));
  m.f.dt = 0.04;
  snprintf(m.f.dt_source, sizeof m.f.dt_source, "control_freq 25 Hz");
  Episode e = m.make(model);
  EXPECT_EQ(meta_of(e)->dims.control_steps, 20);
  EXPECT_STREQ(meta_of(e)->rate_source, "control_freq 25 Hz; 20 substeps of 0.002 s");
}

TEST(ForeignRate, UnknownIsSaidAndNothingIsMadeUp) {
  Model model(scene());
  Timed one({0.5});
  Episode e = one.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0);
  EXPECT_EQ(meta_of(e)->dims.control_steps, 0);
  EXPECT_STREQ(meta_of(e)->rate_source, "rate unknown");
  EXPECT_EQ(read(e, PH_COL_STATES)[0], 0.5);

  Maker m;
  m.f.states = m.add("states", 3, ramp(12));
  m.f.dt = -1;
  Episode raw = m.make(nullptr);
  EXPECT_EQ(meta_of(raw)->control_dt, 0);
  EXPECT_STREQ(meta_of(raw)->rate_source, "rate unknown: one row is one unit");
  EXPECT_EQ(read(raw, PH_COL_STATES), ramp(4));
}

TEST(ForeignRate, RepeatedTimesAreCountedAndDoNotSpoilTheMedian) {
  Model model(scene());
  std::vector<double> times;
  for (int i = 0; i < 100; i++)
    times.push_back(0.05 * (i < 20 ? i : i < 50 ? 20 : i - 29));
  Timed t(times);
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.05);
  EXPECT_EQ(findings(e), Names{"oddity 21: time: it stands still at 29 steps, the first is 21"});
  EXPECT_STREQ(meta_of(e)->oddity, "time: it stands still at 29 steps, the first is 21");
}

TEST(ForeignRate, JitterIsMeasured) {
  Model model(scene());
  std::vector<double> times = {0};
  for (int i = 0; i < 60; i++)
    times.push_back(times.back() + (i % 6 == 4 ? 0.01 : i % 6 == 5 ? 0.024 : 0.012));
  Timed t(times);
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.012);
  EXPECT_EQ(meta_of(e)->dims.control_steps, 6);
  EXPECT_EQ(findings(e),
            Names{"oddity 5: time: steps are irregular: 0.01 to 0.024 s, median 0.012 s; not the "
                  "median at 20 steps, the first is 5"});
}

TEST(ForeignRate, WhereMostAreIrregularNoneIsCalledTheUsual) {
  Model model(scene());
  Timed t({0, 0.0302802, 0.0652516, 0.0985227, 0.131, 0.164});
  EXPECT_EQ(findings(t.m.make(model)).at(0),
            "oddity 1: time: steps are irregular: 0.0303 to 0.035 s, median 0.033 s");
  Timed u({0, 0.05, 0.1, 0.15001, 0.2, 0.25});
  EXPECT_EQ(findings(u.m.make(model)).at(0),
            "oddity 3: time: steps are irregular: 0.04999 to 0.05001 s, median 0.05 s; not the "
            "median at 2 steps, the first is 3")
      << "digits enough to tell them apart";
}

TEST(ForeignRate, TimeThatGoesBackOrIsNone) {
  Model model(scene());
  Timed t({0, 0.05, 0.1, 0.02, 0.07, NAN, 0.12, 0.17, 0.15, 0.2});
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.05);
  EXPECT_EQ(findings(e), (Names{"oddity 5: time: it is not finite at step 5",
                                "oddity 3: time: it goes back at 2 steps, the first is 3"}));
}

TEST(ForeignRate, WhatTheReaderHasSaidIsNotSaidAgain) {
  Model model(scene());
  Timed t({0, 0.05, 0.1, 0.02, 0.07, 0.12});
  EXPECT_EQ(findings(t.m.make(model)), Names{"oddity 3: time: it goes back at step 3"});
  Timed u({0, 0.05, 0.1, 0.02, 0.07, 0.12});
  ph_foreign_find(&u.m.f, PH_FINDING_ODDITY, 3, "the time goes back between two chunks");
  u.m.f.time_back = 3;
  Episode e = u.m.make(model);
  EXPECT_EQ(findings(e), Names{"oddity 3: the time goes back between two chunks"});
}

TEST(ForeignRate, RoundingToFloatIsNoJitter) {
  Model model(scene());
  std::vector<double> times = counted(2000, 25, 0.002, 0);
  for (double &x : times)
    x = static_cast<double>(static_cast<float>(x));
  Timed exact(times), shortened(times, PH_F32);
  Episode e = shortened.m.make(model);
  EXPECT_EQ(all(findings(e)), "");
  EXPECT_EQ(meta_of(e)->control_dt, 0.05);
  EXPECT_EQ(ph_episode_stored_type(e.get(), PH_COL_STATES), PH_F32);
  EXPECT_NE(all(findings(exact.m.make(model))), "") << "the same in doubles would be";
}

TEST(ForeignRate, AStepThatIsNoMultipleOfTheTimestep) {
  Model model(scene(false, "0.003"));
  Timed t(ramp(40, 0, 0.05));
  Episode e = t.m.make(model);
  EXPECT_EQ(meta_of(e)->control_dt, 0.05);
  EXPECT_EQ(meta_of(e)->dims.control_steps, 17);
  EXPECT_EQ(findings(e), Names{"oddity -1: a step lasts 0.05 s, which is no multiple of the "
                               "model's timestep, 0.003 s"});
  Model slow(scene(false, "0.2"));
  Timed u(ramp(40, 0, 0.05));
  Episode f = u.m.make(slow);
  EXPECT_EQ(meta_of(f)->dims.control_steps, 0) << "not even one substep";
  EXPECT_STREQ(meta_of(f)->rate_source, "median of the time column");
}

TEST(ForeignRate, AModelWhoseTimestepIsNoneIsOdd) {
  for (const char *timestep : {"0", "-0.002"}) {
    Model model(scene(false, timestep));
    Timed t(ramp(40, 0, 0.05));
    Episode e = t.m.make(model);
    EXPECT_EQ(findings(e), Names{std::string("oddity -1: the model's timestep is ") + timestep +
                                 " s: how many substeps a step has is not known"});
    EXPECT_EQ(meta_of(e)->dims.control_steps, 0);
    EXPECT_EQ(meta_of(e)->timestep, 0);
    EXPECT_STREQ(meta_of(e)->rate_source, "median of the time column");
  }
}

TEST(ForeignRate, OnlyTheFirstRowsOfALongEpisodeAreLookedAt) {
  Maker m;
  std::vector<double> times = ramp(70000, 0, 0.01);
  times[69000] = -5;
  m.f.timed = true;
  m.f.states = m.add("states", 1, times);
  Episode e = m.make(nullptr, "none");
  EXPECT_EQ(meta_of(e)->control_dt, 0.01);
  EXPECT_STREQ(meta_of(e)->rate_source, "median of the first 65536 times");
  EXPECT_EQ(all(findings(e)), "missing -1: no model: none\n");
}

TEST(ForeignRate, ADamagedTimeIsSaid) {
  Model model(scene());
  Timed t(ramp(10, 0, 0.05));
  t.m.rows(t.m.f.states).bad = 7;
  t.says(0.05, "control_freq 20 Hz");
  Episode e = t.m.make(model);
  EXPECT_EQ(findings(e), Names{"missing -1: time: it cannot be read: states: row 7 is damaged"});
  EXPECT_STREQ(meta_of(e)->rate_source, "control_freq 20 Hz; 25 substeps of 0.002 s");
  double row[16];
  EXPECT_EQ(PH_OK, ph_episode_read(e.get(), PH_COL_STATES, 3, 1, row));
  EXPECT_EQ(PH_ECORRUPT, ph_episode_read(e.get(), PH_COL_STATES, 7, 1, row));
}

TEST(ForeignRate, LongSourcesKeepTheirSubsteps) {
  Model model(scene());
  Timed t(ramp(10, 0, 0.05));
  t.says(0.05, std::string(95, 's').c_str());
  Episode e = t.m.make(model);
  std::string source = meta_of(e)->rate_source;
  EXPECT_EQ(source.size(), sizeof meta_of(e)->rate_source - 1);
  EXPECT_NE(source.find("s; 25 substeps of 0.002 s"), std::string::npos) << source;
}

TEST(ForeignRate, HostileNumbersAreNoRate) {
  Model model(scene());
  for (double wild : {1e308, 5e-324, HUGE_VAL}) {
    Timed t({0, wild, 2 * wild, 3 * wild});
    t.says(wild, "the file");
    Episode e = t.m.make(model);
    EXPECT_TRUE(std::isfinite(meta_of(e)->control_dt)) << wild;
    EXPECT_GE(meta_of(e)->dims.control_steps, 0);
  }
}
