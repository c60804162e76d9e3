// Runs, datasets and episode files of ours, cut.
#include "cut_help.h"

using namespace cut_help;

namespace {

size_t row_bytes(const ph_episode *e, ph_column col) {
  return ph_schema_width(col, &ph_episode_meta_of(e)->dims) *
         ph_type_size(ph_schema_column(col)->type);
}

Bytes rows(const ph_episode *e, ph_column col) {
  ph_status status;
  Bytes out = read_column(e, col, &status);
  EXPECT_EQ(status, PH_OK) << ph_error();
  return out;
}

bool is_marked(int col) {
  return col == PH_COL_REWARDS || col == PH_COL_DONES || col == PH_COL_FLAGS;
}

/* Rows of b are those of a from `from` on, bit for bit, in every column that a cut does not set. */
void expect_slice(const ph_episode *a, const ph_episode *b, int64_t from, int64_t to, bool marked) {
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    ASSERT_EQ(ph_episode_has(a, col), ph_episode_has(b, col)) << i;
    if (!ph_episode_has(a, col) || col == PH_COL_FINAL_STATE || (marked && is_marked(i)))
      continue;
    Bytes whole = rows(a, col), part = rows(b, col);
    size_t row = row_bytes(a, col), n = part.size() / row;
    ASSERT_EQ(n, (size_t)(to - from +
                          (rows_of(*ph_episode_meta_of(a), col) == ph_episode_meta_of(a)->states)));
    EXPECT_EQ(memcmp(part.data(), whole.data() + (size_t)from * row, part.size()), 0)
        << ph_schema_column(col)->path;
  }
}

void expect_marked(const ph_episode *e, const ph_episode *source, int64_t from, bool keep) {
  Bytes rewards = rows(e, PH_COL_REWARDS), dones = rows(e, PH_COL_DONES),
        flags = rows(e, PH_COL_FLAGS), old = rows(source, PH_COL_REWARDS),
        was = rows(source, PH_COL_FLAGS);
  size_t n = dones.size();
  for (size_t i = 0; i < n; i++) {
    double reward, before;
    memcpy(&reward, &rewards[8 * i], 8);
    memcpy(&before, &old[8 * (i + (size_t)from)], 8);
    EXPECT_EQ(reward, i + 1 == n ? 1 : keep ? before : 0) << i;
    EXPECT_EQ(dones[i], i + 1 == n) << i;
    EXPECT_EQ(flags[i] & 3, i + 1 == n ? PH_FLAG_TERMINATED : 0) << i;
    EXPECT_EQ(flags[i] & ~3, was[i + (size_t)from] & ~3) << i;
  }
}

class Cut : public testing::Test {
protected:
  Folder dir;
  Model model;
  Task task;
  Plan run_plan = {line("env000_ep000000", 0, 2), line("env001_ep000000", 0, 4),
                   line("env002_ep000000", 0, 0, true)};
  void WriteRun() { write_run(dir / "run", model, task, {{0, 0}, {1, 0}, {2, 0}}); }
};

TEST_F(Cut, ARunBecomesADatasetOfEpisodesThatEndAtTheirLatch) {
  WriteRun();
  auto before = contents_of(dir / "run");
  ph_cut_tally tally;
  ASSERT_EQ(cut(dir / "out.h5", dir / "run", run_plan, options(0.1), &tally), PH_OK) << ph_error();
  EXPECT_EQ(contents_of(dir / "run"), before);
  EXPECT_EQ(names(dir.path()), (pack_help::Paths{"out.h5", "run"}));
  EXPECT_EQ(tally.kept, 2u);
  EXPECT_EQ(tally.dropped, 1u);
  EXPECT_EQ(tally.least, 0);
  EXPECT_EQ(tally.most, 1);
  EXPECT_EQ(tally.actions, 6);
  EXPECT_EQ(tally.removed, 1);
  Store from = open_store({dir / "run"}), to = open_store({dir / "out.h5"});
  ASSERT_TRUE(from && to) << ph_error();
  EXPECT_STREQ(ph_store_layout(to.get()), "dataset");
  ASSERT_EQ(ph_store_count(to.get()), 2u);
  for (size_t k = 0; k < 2; k++) {
    Episode a = episode_of(from, k), b = episode_of(to, k);
    ASSERT_TRUE(a && b) << ph_error();
    const ph_episode_meta *x = ph_episode_meta_of(a.get()), *y = ph_episode_meta_of(b.get());
    expect_slice(a.get(), b.get(), 0, run_plan[k].to, true);
    expect_marked(b.get(), a.get(), 0, false);
    EXPECT_EQ(y->actions, run_plan[k].to);
    EXPECT_EQ(y->states, run_plan[k].to + 1);
    EXPECT_EQ(y->end_reason, PH_END_SUCCESS);
    EXPECT_EQ(y->success, 1);
    EXPECT_EQ(y->hold_seconds, 0.1);
    EXPECT_EQ(y->hold_steps, 5);
    EXPECT_STREQ(y->seed, x->seed);
    EXPECT_STREQ(y->run_id, x->run_id);
    EXPECT_STREQ(y->model_sha256, x->model_sha256);
    EXPECT_EQ(entry(to, k)->actions, run_plan[k].to);
    EXPECT_EQ(entry(to, k)->success, 1);
    EXPECT_STREQ(entry(to, k)->oddity, "");
  }
  hid_t file;
  int64_t total = 0;
  ASSERT_EQ(ph_h5_open(&file, (dir / "out.h5").c_str()), PH_OK);
  hid_t data;
  ASSERT_EQ(ph_h5_group(&data, file, "data"), PH_OK);
  EXPECT_EQ(ph_h5_attr_i64(data, "total", &total), PH_OK);
  EXPECT_EQ(total, 6);
  ph_h5_close(data);
  ph_h5_close(file);
}

TEST_F(Cut, DatasetsAndEpisodeFilesAreCutTheSameWay) {
  for (bool compress : {false, true}) {
    string name = compress ? "packed" : "plain", source = dir / (name + ".h5");
    write_dataset(source, model, task, {{0, 7}, {0, 2}}, compress);
    auto before = contents_of(source);
    Plan plan = {line("demo_0", 0, 3), line("demo_1", 0, 4)};
    ph_cut_options opt = options();
    opt.compress = !compress;
    ASSERT_EQ(cut(dir / (name + "_cut.h5"), source, plan, opt), PH_OK) << ph_error();
    EXPECT_EQ(contents_of(source), before);
    Store from = open_store({source}), to = open_store({dir / (name + "_cut.h5")});
    for (size_t k = 0; k < 2; k++) {
      Episode a = episode_of(from, k), b = episode_of(to, k);
      ASSERT_TRUE(a && b) << ph_error();
      EXPECT_EQ(entry(to, k)->episode, entry(from, k)->episode); /* in the order of the file */
      expect_slice(a.get(), b.get(), 0, plan[k].to, true);
      EXPECT_EQ(ph_episode_meta_of(b.get())->hold_seconds, 0.5); /* as in the source */
    }
  }
  WriteRun();
  string file = dir / "run/env001_ep000000_4.h5";
  Store from = open_store({file});
  ASSERT_TRUE(from) << ph_error();
  ASSERT_EQ(cut(dir / "one.h5", file, {line(entry(from, 0)->id, 0, 2)}), PH_OK) << ph_error();
  Store to = open_store({dir / "one.h5"});
  Episode a = episode_of(from, 0), b = episode_of(to, 0);
  expect_slice(a.get(), b.get(), 0, 2, true);
}

TEST_F(Cut, ManyRowsKeepTheirBitsAndTheirChecksums) {
  ph_sink *sink;
  ph_episode_meta m = meta_of(model, task, 0, 0, 1500);
  ASSERT_EQ(ph_sink_dataset(&sink, (dir / "long.h5").c_str(), &m, nullptr), PH_OK);
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, m);
  ASSERT_EQ(sink->finish(sink), PH_OK);
  sink->free(sink);
  Store from = open_store({dir / "long.h5"});
  Episode a = episode_of(from, 0);
  int k = 0;
  for (auto [first, last] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1500}, {0, 1499}, {0, 256}, {0, 257}, {0, 1}, {255, 1024}, {1499, 1500}}) {
    string out = dir / ("cut" + std::to_string(k++) + ".h5");
    ph_cut_options opt = options();
    opt.latched = false;
    ASSERT_EQ(cut(out, dir / "long.h5", {line("demo_0", first, last)}, opt), PH_OK) << ph_error();
    Store to = open_store({out});
    Episode b = episode_of(to, 0);
    ASSERT_TRUE(b) << ph_error();
    expect_slice(a.get(), b.get(), first, last, false);
  }
}

TEST_F(Cut, RewardsThatAreKeptAreKeptButForTheLast) {
  WriteRun();
  ph_cut_options opt = options();
  opt.keep_rewards = true;
  ASSERT_EQ(cut(dir / "out.h5", dir / "run", run_plan, opt), PH_OK) << ph_error();
  Store from = open_store({dir / "run"}), to = open_store({dir / "out.h5"});
  for (size_t k = 0; k < 2; k++) {
    Episode a = episode_of(from, k), b = episode_of(to, k);
    expect_marked(b.get(), a.get(), 0, true);
  }
}

TEST_F(Cut, ARangeKeepsFlagsAndSaysWhatItCannotKnow) {
  WriteRun();
  ph_cut_options opt = options();
  opt.latched = false;
  opt.method = "range";
  Plan plan = {line("env000_ep000000", 0, 3), line("env001_ep000000", 1, 4),
               line("env002_ep000000", 2, 4)};
  ASSERT_EQ(cut(dir / "out.h5", dir / "run", plan, opt), PH_OK) << ph_error();
  Store from = open_store({dir / "run"}), to = open_store({dir / "out.h5"});
  for (size_t k = 0; k < 3; k++) {
    Episode a = episode_of(from, k), b = episode_of(to, k);
    ASSERT_TRUE(a && b) << ph_error();
    expect_slice(a.get(), b.get(), plan[k].from, plan[k].to, false);
  }
  Episode whole = episode_of(to, 0), tail = episode_of(to, 1), middle = episode_of(to, 2);
  const ph_episode_meta *m = ph_episode_meta_of(whole.get());
  EXPECT_EQ(m->end_reason, PH_END_TRUNCATED);
  EXPECT_STREQ(m->seed, "0");
  EXPECT_STREQ(m->parent, "");
  m = ph_episode_meta_of(tail.get());
  EXPECT_EQ(m->end_reason, PH_END_TRUNCATED); /* it ends where the source does */
  EXPECT_STREQ(m->seed, "");                  /* no seed leads to its first state */
  EXPECT_STREQ(m->parent, "run-1:env001_ep000000@1");
  EXPECT_STREQ(m->determinism, "unchecked");
  m = ph_episode_meta_of(middle.get());
  EXPECT_EQ(m->end_reason, PH_END_UNKNOWN);
  EXPECT_STREQ(m->end_detail, "cut at row 4 of 5");
  json_t *step = step_of(m->provenance, -1);
  EXPECT_EQ(text(step, "method"), "range");
  EXPECT_EQ(number(step, "from"), 2);
  EXPECT_EQ(number(step, "to"), 4);
  EXPECT_EQ(text(step, "seed"), "200"); /* what the source says is not lost */
  EXPECT_EQ(text(step, "rewards_set"), "kept");
  json_decref(step);
}

TEST_F(Cut, AnEpisodeWithoutItsLastStateLosesNoAction) {
  ph_sink *sink;
  ph_episode_meta m = meta_of(model, task, 0, 0, 5);
  m.states = m.actions;
  ASSERT_EQ(ph_sink_dataset(&sink, (dir / "s.h5").c_str(), &m, nullptr), PH_OK);
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, m);
  ASSERT_EQ(sink->finish(sink), PH_OK);
  sink->free(sink);
  ASSERT_EQ(cut(dir / "all.h5", dir / "s.h5", {line("demo_0", 0, 5)}), PH_OK) << ph_error();
  ASSERT_EQ(cut(dir / "less.h5", dir / "s.h5", {line("demo_0", 0, 4)}), PH_OK) << ph_error();
  Store all = open_store({dir / "all.h5"}), less = open_store({dir / "less.h5"});
  EXPECT_EQ(entry(all, 0)->actions, 5);
  EXPECT_EQ(entry(all, 0)->states, 5);
  EXPECT_EQ(entry(less, 0)->actions, 4);
  EXPECT_EQ(entry(less, 0)->states, 5); /* row 4 is there: it is the last state now */
}

TEST_F(Cut, ProvenanceIsChainedWhenACutIsCut) {
  WriteRun();
  ph_cut_options opt = options(0.1);
  opt.method = "dynamic";
  opt.fingerprint = "{\"arch\":\"x\"}";
  ASSERT_EQ(cut(dir / "a.h5", dir / "run", run_plan, opt), PH_OK) << ph_error();
  ASSERT_EQ(
      cut(dir / "b.h5", dir / "a.h5", {line("demo_0", 0, 1), line("demo_1", 0, 3)}, options(0.06)),
      PH_OK)
      << ph_error();
  Store s = open_store({dir / "b.h5"});
  Episode e = episode_of(s, 0);
  const ph_episode_meta *m = ph_episode_meta_of(e.get());
  json_t *first = step_of(m->provenance, 0), *second = step_of(m->provenance, 1);
  EXPECT_EQ(text(first, "op"), "cut");
  EXPECT_EQ(text(first, "file"), dir / "run/env000_ep000000_3.h5");
  EXPECT_EQ(text(first, "run_id"), "run-1");
  EXPECT_EQ(text(first, "method"), "dynamic");
  EXPECT_EQ(text(first, "date"), "2026-05-06T07:08:09Z");
  EXPECT_EQ(text(json_object_get(first, "fingerprint"), "arch"), "x");
  EXPECT_EQ(number(first, "source_hold_seconds"), 0.5);
  EXPECT_EQ(number(first, "source_hold_steps"), 25);
  EXPECT_EQ(number(first, "hold_seconds"), 0.1);
  EXPECT_EQ(number(first, "hold_steps"), 5);
  EXPECT_EQ(number(first, "source_actions"), 3);
  EXPECT_EQ(number(first, "steps_dropped"), 1);
  EXPECT_EQ(text(second, "file"), dir / "a.h5");
  EXPECT_EQ(text(second, "group"), "/data/demo_0");
  EXPECT_EQ(number(second, "source_hold_seconds"), 0.1);
  EXPECT_EQ(number(second, "hold_steps"), 3);
  EXPECT_EQ(number(second, "steps_dropped"), 1);
  EXPECT_EQ(m->hold_steps, 3);
  json_decref(first);
  json_decref(second);
}

TEST_F(Cut, WhatIsRefusedLeavesNothing) {
  WriteRun();
  string run = dir / "run", out = dir / "out.h5";
  const char *id = "env000_ep000000";
  Plan plan = run_plan;
  auto with = [&](int64_t from, int64_t to) {
    plan = run_plan;
    plan[0] = line(id, from, to);
    return plan;
  };
  expect_refused(dir, out, run, with(0, 0), PH_EINVAL, "less than 2 states");
  expect_refused(dir, out, run, with(2, 1), PH_EINVAL, "less than 2 states");
  expect_refused(dir, out, run, with(0, 4), PH_EINVAL, "the last is 3");
  expect_refused(dir, out, run, with(-1, 2), PH_EINVAL, id);
  plan = run_plan;
  plan.pop_back();
  expect_refused(dir, out, run, plan, PH_EINVAL, "env002_ep000000: the list does not name it");
  plan.push_back(line("env009_ep000000", 0, 2));
  expect_refused(dir, out, run, plan, PH_EINVAL, "env009_ep000000: the list names it");
  plan.back() = line(id, 0, 2);
  expect_refused(dir, out, run, plan, PH_EINVAL, "twice");
  plan = run_plan;
  for (auto &e : plan)
    e.dropped = true;
  expect_refused(dir, out, run, plan, PH_ENOTFOUND, "no episode is kept");
  expect_refused(dir, run + "/out.h5", run, run_plan, PH_EINVAL, "never written to");
  expect_refused(dir, dir / "none/out.h5", run, run_plan, PH_EIO, "its folder");
  expect_refused(dir, out, dir / "none", run_plan, PH_EIO, "none");
  spill(out, "mine");
  expect_refused(dir, out, run, run_plan, PH_EEXIST, "exists already");
  EXPECT_EQ(slurp(out), (Bytes{'m', 'i', 'n', 'e'}));
  spill(dir / "text.h5", "no HDF5 at all");
  expect_refused(dir, dir / "o.h5", dir / "text.h5", {line("demo_0", 0, 2)}, PH_EFORMAT, "text.h5");
}

TEST_F(Cut, ADiskThatIsFullLeavesNothing) {
  write_dataset(dir / "s.h5", model, task, {{0, 200}, {0, 300}});
  Plan plan = {line("demo_0", 0, 200), line("demo_1", 0, 300)};
  for (rlim_t most : {1000, 9000, 40000}) {
    SmallDisk disk(most);
    expect_refused(dir, dir / "out.h5", dir / "s.h5", plan, PH_EIO, "out.h5");
  }
  ASSERT_EQ(cut(dir / "out.h5", dir / "s.h5", plan), PH_OK) << ph_error();
}

TEST_F(Cut, OneThatIsStoppedAtAnyMomentLeavesNothing) {
  WriteRun();
  struct Stop {
    int left, calls;
  };
  int calls = 1;
  for (int after = 0; after < calls; after++) {
    Stop stop = {after, 0};
    ph_cut_options opt = options();
    opt.arg = &stop;
    opt.progress = [](void *arg, size_t done, size_t all) {
      Stop *s = static_cast<Stop *>(arg);
      EXPECT_LE(done, all);
      EXPECT_EQ(all, 2u);
      return s->calls++ < s->left;
    };
    expect_refused(dir, dir / "out.h5", dir / "run", run_plan, PH_ECANCELED, "stopped", opt);
    stop = {1000, 0};
    ASSERT_EQ(cut(dir / "count.h5", dir / "run", run_plan, opt), PH_OK);
    unlink((dir / "count.h5").c_str());
    calls = stop.calls;
  }
  EXPECT_GT(calls, 10);
}

TEST_F(Cut, DamageStopsIt) {
  WriteRun();
  string file = dir / "run/env001_ep000000_4.h5";
  Bytes bytes = slurp(file);
  Bytes states = column_of(meta_of(model, task, 1, 0, 4), PH_COL_STATES);
  auto at = std::search(bytes.begin(), bytes.end(), states.begin(), states.begin() + 64);
  ASSERT_NE(at, bytes.end());
  at[9] ^= 1;
  spill(file, bytes, bytes.size());
  expect_refused(dir, dir / "out.h5", dir / "run", run_plan, PH_ECORRUPT, "env001_ep000000");
}

TEST(CutName, SaysTheHold) {
  char name[80];
  auto named = [&](const string &source, double hold) {
    EXPECT_EQ(ph_cut_name(name, sizeof name, source.c_str(), hold), PH_OK) << ph_error();
    return string(name);
  };
  Folder dir;
  EXPECT_EQ(named("a/b.h5", 0.5), "a/b_hold0p5s.h5");
  EXPECT_EQ(named("b.hdf5", 0.25), "b_hold0p25s.hdf5");
  EXPECT_EQ(named("no.ending", 0), "no.ending_hold0s.h5");
  std::filesystem::create_directory(dir / "run.h5");
  EXPECT_EQ(named(dir / "run.h5/", 2), dir / "run_hold2s.h5");
  EXPECT_EQ(ph_cut_name(name, sizeof name, string(100, 'x').c_str(), 1), PH_EINVAL);
  for (double none : {-1.0, -0.1, double(NAN), double(INFINITY)})
    EXPECT_EQ(ph_cut_name(name, sizeof name, "b.h5", none), PH_EINVAL) << name;
}

TEST(CutTally, CountsWhatAPlanComesTo) {
  ph_cut_tally t = PH_CUT_TALLY_NONE;
  EXPECT_EQ(t.least, -1);
  EXPECT_EQ(t.most, -1);
  ph_cut_episode e = {};
  e.dropped = true;
  ph_cut_tally_add(&t, &e, 100);
  EXPECT_EQ(t.dropped, 1u);
  EXPECT_EQ(t.least, -1);
  e.dropped = false;
  e.from = 2;
  e.to = 9;
  for (int64_t actions : {10, 7, 20})
    ph_cut_tally_add(&t, &e, actions);
  EXPECT_EQ(t.kept, 3u);
  EXPECT_EQ(t.least, 0);
  EXPECT_EQ(t.most, 13);
  EXPECT_EQ(t.actions, 21);
  EXPECT_EQ(t.removed, 16);
}

} // namespace
