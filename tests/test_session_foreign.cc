// What the session does for other people's files: plots in slices, looks that fill in behind,
// groups.
#include "session_foreign_help.h"

namespace {

TEST_F(Files, ANameIsShownAndANameTwiceIsNot) {
  foreign::write_robosuite(path());
  open(path());
  Answer none = serve();
  ASSERT_TRUE(none->reel);
  EXPECT_FALSE(none->reel->raw);
  EXPECT_EQ(none->plot.n, 0u) << "with a model nothing is plotted unless it is asked for";
  name({"elbow", "states[1]"});
  EXPECT_EQ(names(serve()), (strings{"elbow", "shoulder"}));
  name({"elbow", "states[1]", "elbow"});
  EXPECT_EQ(names(serve()), strings{"shoulder"});
  name({"shoulder", "states[1]"});
  EXPECT_EQ(names(serve()), strings{}) << "both are the same number";
  name({"shoulder", "elbow", "grip", "time", "action[3]"});
  EXPECT_EQ(names(serve()), (strings{"elbow", "grip", "time", "action[3]"}))
      << "the oldest gives way";
}

TEST_F(Files, PatternsAndUnknownNamesAreTold) {
  foreign::write_robosuite(path());
  open(path());
  name({"cube.*"});
  Answer many = serve();
  EXPECT_EQ(many->plot.n, 4u);
  EXPECT_NE(strstr(many->plot.note, "the first 4 are shown"), nullptr) << many->plot.note;
  name({"elbo"});
  Answer near = serve();
  EXPECT_EQ(near->plot.n, 0u);
  EXPECT_NE(strstr(near->plot.note, "has no number called \"elbo\"; near: elbow"), nullptr)
      << near->plot.note;
  name({"hand.x"});
  Answer derived = serve();
  EXPECT_EQ(derived->plot.n, 0u);
  EXPECT_NE(strstr(derived->plot.note, "computed from the state, not stored"), nullptr)
      << derived->plot.note;
}

TEST_F(Files, ATailOfANameIsEnoughWhereOneHasIt) {
  foreign::Options o;
  o.next_obs = true;
  foreign::write_robomimic(path(), o);
  open(path());
  name({"eef_pos"});
  Answer some = serve();
  ASSERT_EQ(some->plot.n, 3u) << some->plot.note;
  EXPECT_STREQ(some->plot.curve[2].name, "obs/robot0_eef_pos[2]") << "not of next_obs";
  name({"eef_pos[1]"});
  EXPECT_EQ(names(serve()), strings{"obs/robot0_eef_pos[1]"});
  name({"eef"});
  Answer none = serve();
  EXPECT_EQ(none->plot.n, 0u);
  EXPECT_NE(strstr(none->plot.note, "near: obs/robot0_eef_pos"), nullptr) << none->plot.note;
  EXPECT_EQ(strstr(none->plot.note, "[0]"), nullptr) << "arrays, not their numbers";
}

TEST_F(Files, APlotThatGivesWayIsNamed) {
  foreign::write_robosuite(path());
  open(path());
  name({"shoulder", "elbow", "grip", "time"});
  EXPECT_STREQ(serve()->plot.note, "");
  name({"shoulder", "elbow", "grip", "time", "action[3]"});
  EXPECT_STREQ(serve()->plot.note, "shoulder gives way: 4 are shown at most");
}

TEST_F(Files, SuccessAfterTheLastStateIsNoEventAndNotNever) {
  foreign::write_libero(path());
  open(path());
  Answer answer = serve();
  ASSERT_TRUE(answer->reel) << answer->error;
  const reel *r = answer->reel;
  EXPECT_TRUE(r->late);
  EXPECT_EQ(r->late_reward, 1);
  EXPECT_LT(r->latch, 0);
  EXPECT_TRUE(r->no_flags);
  for (size_t i = 0; i < r->nevents; i++)
    EXPECT_NE(r->events[i].kind, EVENT_FINDING) << r->events[i].step;
  EXPECT_NEAR(r->clock.last - r->clock.first, 0.05 * (double)(r->states - 1), 1e-9);
}

// An expression says nothing of actions, which belong to a controller that is not in the file.
TEST_F(Files, AnExpressionJudgesWhateverTheActionsAre) {
  foreign::write_robosuite(path());
  std::string file = path();
  const char *paths[] = {file.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 1;
  opt.success = "s.time > 0.2";
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  want.step = 10;
  Answer answer = serve();
  ASSERT_TRUE(answer->reel) << answer->error;
  EXPECT_EQ(answer->reel->nactions, 7);
  EXPECT_STREQ(answer->reel->task_note, "");
  EXPECT_TRUE(answer->predicate_now);
}

TEST_F(Files, MeshesWithoutAFileAreOneFinding) {
  foreign::Options o;
  std::string model = foreign::arm_model();
  std::string assets = "<asset>", geoms;
  for (int i = 0; i < 40; i++) {
    std::string n = std::to_string(i);
    assets += "<mesh name='part_of_the_arm_" + n + "' file='part" + n + ".stl'/>";
    geoms += "<geom name='g" + n + "' type='mesh' mesh='part_of_the_arm_" + n + "'/>";
  }
  model.insert(model.find("<worldbody>"), assets + "</asset>");
  model.insert(model.find("<geom name='hand'"), geoms);
  o.model = model;
  foreign::write_robosuite(path(), o);
  std::string file = path();
  const char *paths[] = {file.c_str()};
  struct session_options opt = {};
  opt.paths = paths;
  opt.npaths = 1;
  opt.store.model.drop_missing = true;
  ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  Answer answer = serve();
  ASSERT_TRUE(answer->reel) << answer->error;
  EXPECT_FALSE(answer->reel->raw) << answer->reel->model_note;
  int told = 0;
  for (size_t i = 0; i < answer->reel->nfindings; i++) {
    std::string text = answer->reel->findings[i].text;
    told +=
        text.find("mesh") != std::string::npos && text.find("part_of_the_arm") != std::string::npos;
    if (text.find("40 meshes have no file") != 0)
      continue;
    EXPECT_EQ(text.rfind(" more"), text.size() - 5) << text;
  }
  EXPECT_EQ(told, 1);
}

TEST_F(Files, TheValueIsThatOfTheStep) {
  write_long(path(), 3000);
  open(path());
  name({"observations[1]", "reward"});
  for (int64_t step : {0, 1, 6, 7, 2999}) {
    want.step = step;
    Answer answer = serve();
    ASSERT_EQ(answer->plot.n, 2u);
    if (step == 7)
      EXPECT_TRUE(std::isnan(answer->plot.curve[0].value));
    else
      EXPECT_EQ(answer->plot.curve[0].value, (double)step);
    EXPECT_EQ(answer->plot.curve[1].value, 0.25);
  }
}

TEST_F(Files, ARawEpisodeIsPlottedUntilAPersonChooses) {
  write_long(path(), 100);
  open(path());
  Answer first = serve();
  EXPECT_TRUE(first->reel->raw);
  EXPECT_EQ(names(first), (strings{"observations[0]", "observations[1]", "reward"}));
  name({});
  EXPECT_EQ(serve()->plot.n, 0u) << "none was chosen";
}

TEST_F(Files, SlicesGiveEveryStepOfAShortEpisode) {
  write_long(path(), 10000, 64);
  open(path());
  name({"observations[1]"});
  Answer answer = serve();
  ASSERT_EQ(answer->plot.n, 1u);
  const series *series = answer->plot.curve[0].series;
  EXPECT_EQ(answer->plot.curve[0].ready, 0u) << "a request waits for nothing";
  EXPECT_EQ(series->n, 10000u);
  EXPECT_EQ(series->per, 1);
  size_t before = 0, slices = 0;
  bool more = true;
  while (more) {
    struct snapshot *snap = nullptr;
    more = session_work(s, never, nullptr, &snap);
    if (snap) {
      EXPECT_EQ(snap->plot.curve[0].series, series);
      EXPECT_EQ(snap->serial, want.serial);
      EXPECT_TRUE(snap->has_frame);
      EXPECT_GT(snap->plot.curve[0].ready, before);
      before = snap->plot.curve[0].ready;
      snapshot_free(snap);
    }
    ASSERT_LT(++slices, 1000u);
  }
  EXPECT_EQ(before, 10000u) << "the last piece is published";
  EXPECT_GE(s->plots.reads, 5u);
  for (size_t i = 0; i < 10000; i++) {
    if (i % 1000 == 7)
      ASSERT_GT(series->part[i].min, series->part[i].max) << i;
    else
      ASSERT_EQ(series->part[i].min, i == 33333 ? 77 : (double)i);
  }
}

TEST_F(Files, ALongEpisodeKeepsItsExtremes) {
  const int64_t rows = 100001;
  write_long(path(), (hsize_t)rows, 4096);
  open(path());
  name({"observations[1]"});
  Answer answer = serve();
  Answer done = settle();
  ASSERT_TRUE(done);
  const curve &c = done->plot.curve[0];
  ASSERT_EQ(c.ready, c.series->n);
  EXPECT_LE(c.series->n, (size_t)SERIES_PARTS);
  EXPECT_EQ(c.series->per, 7);
  EXPECT_EQ((int64_t)c.series->n, (rows + 6) / 7);
  for (size_t k = 0; k < c.series->n; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = (int64_t)k * 7; i < (int64_t)k * 7 + 7 && i < rows; i++)
      if (i % 1000 != 7) {
        double y = i == 33333 ? 77 : (double)i;
        low = std::fmin(low, y);
        high = std::fmax(high, y);
      }
    ASSERT_EQ(c.series->part[k].min, low) << k;
    ASSERT_EQ(c.series->part[k].max, high) << k;
  }
}

TEST_F(Files, ZoomedIntoALongEpisodeEveryStepIsThere) {
  write_long(path(), 100001, 4096);
  open(path());
  name({"observations[1]"});
  want.plot.first = 33300;
  want.plot.last = 33400;
  Answer answer = serve();
  Answer done = settle();
  const curve &c = done->plot.curve[0];
  EXPECT_EQ(c.series->first, 33300);
  EXPECT_EQ(c.series->n, 101u);
  EXPECT_EQ(c.series->per, 1);
  EXPECT_EQ(c.series->part[33].max, 77);
  size_t reads = s->plots.reads;
  want.plot.first = want.plot.last = -1;
  Answer all = serve();
  want.plot.first = 33300;
  want.plot.last = 33400;
  Answer again = serve();
  EXPECT_EQ(again->plot.curve[0].ready, 101u) << "it was kept";
  EXPECT_EQ(s->plots.reads, reads);
}

TEST_F(Files, AnInterruptedSliceIsReadAnotherTime) {
  write_long(path(), 100000, 4096);
  open(path());
  name({"observations[0]"});
  Answer answer = serve();
  for (int i = 0; i < 20; i++) {
    struct snapshot *snap = nullptr;
    EXPECT_TRUE(session_work(s, always, nullptr, &snap));
    EXPECT_EQ(snap, nullptr);
  }
  EXPECT_EQ(s->plots.reads, 0u);
  EXPECT_EQ(settle()->plot.curve[0].ready, answer->plot.curve[0].series->n);
}

TEST_F(Files, DamageIsAGapAndIsSaid) {
  write_long(path(), 10000, 64);
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((std::streamoff)fs::file_size(path()) / 2);
    file.write(std::string(40, 0x55).data(), 40);
  }
  open(path());
  name({"observations[1]"});
  Answer answer = serve();
  ASSERT_EQ(answer->plot.n, 1u) << answer->error;
  Answer done = settle();
  const curve &c = done->plot.curve[0];
  ASSERT_EQ(c.ready, 10000u);
  EXPECT_NE(c.note[0], 0);
  size_t gaps = 0;
  for (size_t i = 0; i < 10000; i++) {
    bool gap = c.series->part[i].min > c.series->part[i].max;
    gaps += gap && i % 1000 != 7;
    ASSERT_TRUE(gap || c.series->part[i].min == (double)i) << i;
  }
  EXPECT_GE(gaps, 60u) << "the damaged chunk";
  EXPECT_LE(gaps, 64u * 4) << "and little beside it";
  EXPECT_EQ(serve()->plot.curve[0].ready, 10000u) << "it is not read again";
}

TEST_F(Files, ManyPlotsInTurnStayWithinTheirRoom) {
  foreign::write_robosuite(path());
  open(path());
  char text[32];
  for (int i = 0; i < 60; i++) {
    snprintf(text, sizeof text, "states[%d]", i % 20);
    name({text});
    Answer answer = serve();
    ASSERT_EQ(answer->plot.n, 1u);
    settle();
  }
}

TEST_F(Files, LooksFillInBehindAndAreInTheList) {
  foreign::Options o;
  o.rows = std::vector<int>(40, 5);
  for (int i = 0; i < 40; i++)
    o.rows[(size_t)i] = 3 + i;
  foreign::write_robomimic(path(), o);
  open(path());
  struct snapshot *first = session_first(s);
  EXPECT_EQ(first->unseen, 40u);
  EXPECT_LT(catalog_entry(first->catalog, 7)->actions, 0);
  snapshot_free(first);
  want.episode = 3;
  want.look = 20;
  Answer answer = serve();
  EXPECT_EQ(answer->unseen, 39u) << "the open one is known";
  EXPECT_EQ(catalog_entry(answer->catalog, 3)->actions, 6);
  Answer some = settle(5);
  EXPECT_EQ(some->unseen, 34u);
  EXPECT_GE(catalog_entry(some->catalog, 20)->actions, 0) << "from where the list is looked at";
  EXPECT_GE(catalog_entry(some->catalog, 24)->actions, 0);
  EXPECT_LT(catalog_entry(some->catalog, 0)->actions, 0);
  struct snapshot *last = nullptr;
  for (bool more = true; more;) {
    struct snapshot *snap = nullptr;
    more = session_work(s, never, nullptr, &snap);
    if (snap) {
      snapshot_free(last);
      last = snap;
    }
  }
  ASSERT_TRUE(last) << "the list is published when it is whole";
  EXPECT_EQ(last->unseen, 0u);
  EXPECT_EQ(last->step, answer->step);
  for (size_t i = 0; i < 40; i++)
    EXPECT_EQ(catalog_entry(last->catalog, i)->actions, (int64_t)i + 3) << i;
  snapshot_free(last);
  EXPECT_FALSE(settle()) << "nothing is left to do";
}

TEST_F(Files, AnEpisodeThatDoesNotOpenIsNotTriedAgainForEachAnswer) {
  foreign::Options o;
  o.rows = std::vector<int>(6, 5);
  foreign::write_robosuite(path(), o);
  open(path());
  {
    std::error_code error;
    fs::resize_file(path(), 600, error);
    ASSERT_FALSE(error);
  }
  Answer bad = serve();
  ASSERT_NE(bad->error[0], 0);
  EXPECT_EQ(bad->reel, nullptr);
  std::string error = bad->error;
  Answer after = settle();
  ASSERT_TRUE(after) << "looks found nothing, and that is news";
  EXPECT_EQ(after->error, error);
  EXPECT_EQ(after->unseen, 0u) << "looked at in vain is looked at";
}

TEST_F(Files, GroupsAreThoseOfTheFile) {
  foreign::Options o;
  o.rows = std::vector<int>(10, 5);
  foreign::write_robomimic(path(), o);
  open(path());
  Answer all = serve();
  EXPECT_EQ(all->group, nullptr);
  std::set<std::string> names;
  for (size_t i = 0; i < all->catalog->ngroups; i++)
    names.insert(all->catalog->group[i]);
  ASSERT_TRUE(names.count("train") && names.count("valid"));
  strcpy(want.group, "valid");
  Answer some = serve();
  ASSERT_TRUE(some->group);
  EXPECT_STREQ(some->group->name, "valid");
  EXPECT_GT(some->group->n, 0u);
  EXPECT_LT(some->group->n, 10u);
  EXPECT_EQ(some->group->place[0], session_group_first(s, "valid"));
  Answer again = serve();
  EXPECT_EQ(again->group, some->group) << "made once";
  want.group[0] = 0;
  EXPECT_EQ(serve()->group, nullptr);
  EXPECT_EQ(session_group_first(s, "no such"), SIZE_MAX);
}

// --- the worker on a real session ---

TEST_F(Files, TheWorkerPublishesAPlotWhileRequestsCome) {
  write_long(path(), 60000, 64);
  open(path());
  name({"observations[0]", "observations[1]"});
  struct worker *w = nullptr;
  ASSERT_EQ(worker_start(&w, s), PH_OK);
  s = nullptr; // the worker's
  want.plot.serial = 1;
  int64_t step = 0;
  for (bool whole = false; !whole;) {
    if (step++ % 5 == 0) { // the other answers come by themselves
      want.serial++;
      want.step = step * 7 % 60000;
      worker_ask(w, &want);
    }
    struct pollfd fd = {worker_fd(w), POLLIN, 0};
    ASSERT_EQ(poll(&fd, 1, 20000), 1);
    struct snapshot *snap = worker_take(w);
    if (!snap)
      continue;
    ASSERT_EQ(snap->plot.n, 2u);
    whole = true;
    for (size_t i = 0; i < 2; i++) {
      const curve &c = snap->plot.curve[i];
      for (size_t k = 0; i == 0 && k < c.ready; k++) // read while the thread writes behind
        ASSERT_LE(c.series->part[k].max, 1);
      whole = whole && c.ready == c.series->n;
    }
    snapshot_free(snap);
    ASSERT_LT(step, 1000000);
  }
  worker_stop(w);
}

// --- the hold ---

// What no file has of these episodes the task says, in the background, and a hold is a recount.
TEST_F(Files, AHoldIsCountedByTheTaskWhereThereIsNoPredicate) {
  foreign::Options o;
  o.rows = {30, 41, 8};
  foreign::write_robosuite(path(), o);
  std::string file = path();
  const char *paths[] = {file.c_str()};
  for (bool command : {false, true}) {
    struct session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    opt.success = command ? nullptr : "s.time > 0.2";
    opt.predicate = command ? "while IFS= read -r head; do n=${head#*'\"count\": '}; n=${n%%,*}; "
                              "row=${head#*'\"row\": '}; row=${row%%,*}; "
                              "head -c $((n * row * 8)) >/dev/null; "
                              "printf '%*s\\n' \"$n\" '' | tr ' ' 1; done"
                            : nullptr;
    session_free(s);
    s = nullptr;
    ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
    want.hold = {true, 0.5, true}; // 10 steps of 0.05 s
    serve();
    Answer answer = settle();
    ASSERT_TRUE(answer->held);
    const hold_count &c = answer->held->count;
    EXPECT_EQ(c.all, 3u);
    EXPECT_EQ(c.done, 3u);
    EXPECT_EQ(c.judged, 3u) << answer->held->plan.drop[0].why;
    EXPECT_EQ(c.unknown, 0u);
    EXPECT_EQ(c.steps[1], 10);
    EXPECT_EQ(c.latch[0], 2u);
    EXPECT_EQ(c.latch[1], 2u);
    const held_source &task = answer->held->source[PH_LATCH_KINEMATIC];
    EXPECT_TRUE(task.known);
    EXPECT_EQ(task.latch, command ? 10 : 14);
    EXPECT_FALSE(answer->held->source[PH_LATCH_RECORDED].known);
    want.hold.seconds = 0.1;
    Answer shorter = serve();
    EXPECT_EQ(shorter->held->count.done, 3u);
    EXPECT_EQ(shorter->held->count.latch[1], 3u);
  }
}

TEST_F(Files, AHoldThatIsBeingCountedMayBeLeftAtAnyTime) {
  foreign::Options o;
  o.rows = std::vector<int>(6, 400);
  foreign::write_robosuite(path(), o);
  std::string file = path();
  const char *paths[] = {file.c_str()};
  for (int pieces = 0; pieces < 8; pieces++) {
    struct session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    opt.success = "s.time > 0.2";
    session_free(s);
    s = nullptr;
    ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
    want.hold = {true, 0.5, true};
    want.episode = 0;
    serve();
    for (int i = 0; i < pieces; i++) {
      snapshot *snap = nullptr;
      session_work(s, nullptr, nullptr, &snap);
      snapshot_free(snap);
    }
    want.hold.count = pieces % 2;
    want.episode = 3;
    Answer answer = serve();
    ASSERT_TRUE(answer->held);
    snapshot *snap = nullptr;
    session_work(s, nullptr, nullptr, &snap);
    snapshot_free(snap);
  }
}

// Of a group its episodes are counted.
TEST_F(Files, AHoldIsCountedOverTheGroupThatIsListed) {
  foreign::Options o;
  o.rows = {30, 41, 52};
  foreign::write_robomimic(path(), o);
  open(path());
  want.hold = {true, 0.05, true};
  strcpy(want.group, "valid");
  serve();
  Answer answer = settle();
  ASSERT_TRUE(answer->held && answer->group);
  EXPECT_EQ(answer->held->count.all, answer->group->n);
  EXPECT_EQ(answer->held->count.done, answer->group->n);
  EXPECT_LT(answer->group->n, 3u);
  EXPECT_FALSE(answer->held->plan.ready) << "nobody asked for a cut";
  want.count_by = COUNT_RECORDED;
  serve();
  Answer cut = settle();
  ASSERT_TRUE(cut->held);
  EXPECT_TRUE(cut->held->plan.ready) << "a cut is of all its episodes";
  EXPECT_EQ(cut->held->plan.kept + cut->held->plan.dropped, 3u);
}

// As `cut` has it: a demo that cannot be cut is left out and named, and does not end the rest.
TEST_F(Files, ACutLeavesOutWhatCannotBeCut) {
  foreign::Options o;
  o.rows = {30, 41, 52};
  foreign::write_robomimic(path(), o);
  {
    foreign::Id file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path());
    ASSERT_GE(H5Lcreate_soft("/data/demo_0/obs", file, "/data/demo_1/obs/again", H5P_DEFAULT,
                             H5P_DEFAULT),
              0);
  }
  open(path());
  want.hold = {true, 0, true};
  want.count_by = COUNT_RECORDED;
  serve();
  Answer answer = settle();
  ASSERT_EQ(answer->held->plan.kept, 3u);
  want.cut.serial = 1;
  want.cut.hold = want.hold;
  std::string out = path((std::string(120, 'x') + "/" + std::string(120, 'y') + "/" +
                          std::string(120, 'z') + "/" + std::string(120, 'w') + "/out.hdf5")
                             .c_str()); // longer than a line, and said whole
  fs::create_directories(fs::path(out).parent_path());
  strcpy(want.cut.out, out.c_str());
  serve();
  Answer done = settle();
  ASSERT_EQ(done->held->cuts, 1u);
  std::string text = done->held->cut;
  EXPECT_FALSE(done->held->cut_failed) << text;
  EXPECT_NE(text.find("2 of 3 episodes are in " + out), std::string::npos) << text;
  EXPECT_NE(text.find("; left out: demo_1: "), std::string::npos) << text;
  EXPECT_NE(text.find("a link is never followed"), std::string::npos) << text;
  EXPECT_TRUE(fs::exists(out));
}

// --- the picture ---

TEST_F(Files, TheScreenIsFinished) {
  foreign::Options o;
  o.rows = {30, 41, 52};
  foreign::write_robomimic(path(), o);
  std::string file = path();
  const char *paths[] = {file.c_str()};
  struct view_options opt = {};
  opt.session.paths = paths;
  opt.session.npaths = 1;
  opt.step = -1;
  char *text = nullptr;
  ASSERT_EQ(screen_render(&text, &opt, 50, 120, ": p l o t Space e l b o w Enter", false), PH_OK)
      << screen_error();
  std::string screen = text;
  std::free(text);
  EXPECT_NE(screen.find("plot elbow rad"), std::string::npos) << screen;
  EXPECT_EQ(screen.find("reading"), std::string::npos);
  EXPECT_EQ(screen.find("looking at"), std::string::npos);
  EXPECT_NE(screen.find("52  "), std::string::npos) << "the last one's length: " << screen;
  opt.session.group = "nobody";
  EXPECT_EQ(screen_render(&text, &opt, 50, 120, nullptr, false), PH_ENOTFOUND);
  std::string error = screen_error();
  EXPECT_NE(error.find("\"nobody\"; groups: "), std::string::npos) << error;
  EXPECT_NE(error.find("train"), std::string::npos) << error;
  opt.session.group = "valid";
  ASSERT_EQ(screen_render(&text, &opt, 50, 120, nullptr, false), PH_OK) << screen_error();
  screen = text;
  std::free(text);
  EXPECT_NE(screen.find("group valid"), std::string::npos) << screen;
}

} // namespace
