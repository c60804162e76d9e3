#include "journal_help.h"

namespace {

enum { NQ = 3, NU = 2, ROWS = 12000 };

/* A log over nothing, over a journal, or over one that is refused room midway. */
struct Log {
  TempDir tmp;
  Head head{NQ, 0};
  ph_journal *journal = nullptr;
  ph_rowlog *log = nullptr;
  explicit Log(bool journaled) {
    if (journaled) {
      EXPECT_EQ(PH_OK, ph_journal_create(&journal, (tmp.path + "/j").c_str(), true));
      EXPECT_EQ(PH_OK, ph_journal_start(journal, &head.head, head.layout.payload));
    }
    EXPECT_EQ(PH_OK, ph_rowlog_create(&log, &head.head.meta.dims, head.head.columns, journal));
  }
  ~Log() {
    ph_rowlog_free(log);
    ph_journal_close(journal, false);
  }
  void push(int t, double force = 0) {
    double state[1 + 2 * NQ], warm[NQ], ctrl[NU], action[NU], forces[24] = {force};
    uint8_t predicate = t % 3 == 0;
    for (double &x : state)
      x = t + 0.25;
    for (double &x : warm)
      x = t * 2.0;
    ctrl[0] = action[0] = t;
    ctrl[1] = action[1] = -t;
    ph_row row = {};
    row.state = state;
    row.warmstart = warm;
    row.ctrl = ctrl;
    row.predicate = &predicate;
    row.xfrc_applied = forces;
    ph_transition how = {action, nullptr, t * 0.5, static_cast<uint8_t>(t % 4)};
    ASSERT_EQ(PH_OK, ph_rowlog_reserve(log)) << ph_error();
    ph_rowlog_push(log, t == 0 ? nullptr : &how, &row);
  }
  std::string records() {
    int64_t n = ph_rowlog_states(log);
    std::string out(static_cast<size_t>(n) * head.layout.payload, 0);
    EXPECT_EQ(PH_OK, ph_rowlog_records(log, 0, n, out.data())) << ph_error();
    return out;
  }
};

TEST(Rows, TheSameInMemoryInAJournalAndInBoth) {
  Log memory(false), journal(true), both(true);
  for (int t = 0; t < ROWS; t++) {
    memory.push(t);
    journal.push(t);
  }
  for (int t = 0; t < ROWS; t++) {
    FileLimit limit(t < 1000 ? RLIM_INFINITY : 1);
    both.push(t);
  }
  EXPECT_EQ(ROWS, ph_journal_count(journal.journal));
  EXPECT_GE(ph_journal_count(both.journal), 1000);
  EXPECT_LT(ph_journal_count(both.journal), ROWS);
  EXPECT_EQ(nullptr, ph_rowlog_trouble(journal.log));
  ASSERT_NE(nullptr, ph_rowlog_trouble(both.log));
  EXPECT_NE(nullptr, strstr(ph_rowlog_trouble(both.log), "File too large"));
  EXPECT_EQ(ROWS, ph_rowlog_states(both.log));
  EXPECT_TRUE(memory.records() == journal.records());
  EXPECT_TRUE(memory.records() == both.records());
}

TEST(Rows, APartIsTheSamePartWhereverItIs) {
  Log both(true);
  for (int t = 0; t < ROWS; t++) {
    FileLimit limit(t < 1000 ? RLIM_INFINITY : 1);
    both.push(t);
  }
  std::string all = both.records();
  int64_t edge = ph_journal_count(both.journal);
  for (int64_t first : {int64_t(0), edge - 2, edge - 1, edge, edge + 1}) {
    std::string part(3 * both.head.layout.payload, 0);
    ASSERT_EQ(PH_OK, ph_rowlog_records(both.log, first, 3, part.data())) << ph_error();
    EXPECT_TRUE(all.substr(static_cast<size_t>(first) * both.head.layout.payload, part.size()) ==
                part)
        << first;
  }
}

TEST(Rows, AColumnIsPickedFromRecords) {
  Log log(false);
  for (int t = 0; t < 5; t++)
    log.push(t);
  std::string all = log.records();
  double ctrl[5][NU], reward[5];
  ph_rowlog_pick(log.log, PH_COL_CTRL, all.data(), 5, ctrl);
  ph_rowlog_pick(log.log, PH_COL_REWARDS, all.data(), 5, reward);
  EXPECT_EQ(-4.0, ctrl[4][1]);
  EXPECT_EQ(0.0, reward[0]) << "row 0 has no transition";
  EXPECT_EQ(1.5, reward[3]);
}

TEST(Rows, WhatNeverChangedIsKnownWithoutLooking) {
  Log log(true);
  const double zero[24] = {};
  const void *values[PH_COL_COUNT] = {};
  values[PH_COL_XFRC_APPLIED] = zero;
  ASSERT_EQ(PH_OK, ph_rowlog_watch(log.log, values)) << ph_error();
  for (int t = 0; t < 600; t++)
    log.push(t);
  EXPECT_TRUE(ph_rowlog_all(log.log, PH_COL_XFRC_APPLIED));
  EXPECT_FALSE(ph_rowlog_all(log.log, PH_COL_CTRL)) << "not asked";
  log.push(600, 1e-300);
  EXPECT_FALSE(ph_rowlog_all(log.log, PH_COL_XFRC_APPLIED));
  log.push(601);
  EXPECT_FALSE(ph_rowlog_all(log.log, PH_COL_XFRC_APPLIED));
}

TEST(Rows, WhatNeverChangedIsFoundInALogThatIsThere) {
  for (int odd : {-1, 0, 255, 256, 599}) {
    Log log(true);
    const double zero[24] = {};
    const void *values[PH_COL_COUNT] = {};
    values[PH_COL_XFRC_APPLIED] = zero;
    for (int t = 0; t < 600; t++)
      log.push(t, t == odd ? -0.0 : 0.0);
    EXPECT_FALSE(ph_rowlog_watched(log.log));
    ASSERT_EQ(PH_OK, ph_rowlog_watch(log.log, values)) << ph_error();
    EXPECT_EQ(odd < 0, ph_rowlog_all(log.log, PH_COL_XFRC_APPLIED)) << odd << ": by its bits";
  }
}

TEST(Rows, WhatIsInMemoryGoesToTheJournalWhenItCan) {
  Log both(true);
  for (int t = 0; t < ROWS; t++) {
    FileLimit limit(t < 1000 ? RLIM_INFINITY : 1);
    both.push(t);
  }
  std::string all = both.records();
  {
    FileLimit limit(1);
    EXPECT_FALSE(ph_rowlog_settle(both.log));
  }
  EXPECT_TRUE(all == both.records());
  EXPECT_TRUE(ph_rowlog_settle(both.log)) << ph_error();
  EXPECT_EQ(ROWS, ph_journal_count(both.journal));
  EXPECT_TRUE(all == both.records());
}

TEST(Rows, ALeftJournalIsALog) {
  Log log(true);
  for (int t = 0; t < 700; t++)
    log.push(t);
  Left left(log.tmp.path + "/j");
  ph_rowlog *found = nullptr;
  ASSERT_EQ(PH_OK, ph_rowlog_open(&found, left.j, &left.head)) << ph_error();
  ASSERT_EQ(700, ph_rowlog_states(found));
  std::string out(700 * log.head.layout.payload, 0);
  ASSERT_EQ(PH_OK, ph_rowlog_records(found, 0, 700, out.data()));
  EXPECT_TRUE(log.records() == out);
  ph_rowlog_free(found);
}

TEST(Rows, AChangedRecordIsSeen) {
  Log log(true);
  for (int t = 0; t < 700; t++)
    log.push(t);
  std::string path = log.tmp.path + "/j";
  FILE *file = fopen(path.c_str(), "r+b");
  ASSERT_NE(nullptr, file);
  fseek(file, 100000, SEEK_SET);
  fputc('!', file);
  fclose(file);
  std::string out(700 * log.head.layout.payload, 0);
  EXPECT_EQ(PH_ECORRUPT, ph_rowlog_records(log.log, 0, 700, out.data()));
  EXPECT_NE(nullptr, strstr(ph_error(), path.c_str())) << ph_error();
}

} // namespace
