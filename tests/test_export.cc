/* Text by step and one state as a key, through the library: every number reads back bit for bit. */
#include <sys/resource.h>
#include <unistd.h>

#include "export_help.h"

using namespace export_help;

namespace {

/* --- text --- */

TEST(Number, IsTheShortestThatReadsBack) {
  char text[PH_NUMBER_SIZE];
  std::mt19937_64 rng(1);
  for (int i = 0; i < 200000; i++) {
    uint64_t bits = rng();
    double value, back;
    memcpy(&value, &bits, 8);
    if (i % 3 == 0)
      value = (double)(int64_t)(bits >> 40) / 1000;
    if (!std::isfinite(value))
      continue;
    size_t n = ph_number_text(text, value);
    ASSERT_EQ(n, strlen(text));
    back = strtod(text, nullptr);
    ASSERT_EQ(memcmp(&value, &back, 8), 0) << text;
  }
  auto is = [&](double value) {
    ph_number_text(text, value);
    return string(text);
  };
  EXPECT_EQ(is(0.1), "0.1");
  EXPECT_EQ(is(-0.0), "-0");
  EXPECT_EQ(is(0), "0");
  EXPECT_EQ(is(170), "170");
  EXPECT_EQ(is(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(is(1e300), "1e+300");
  EXPECT_EQ(is(5e-324), "4.94065645841247e-324");
  EXPECT_EQ(is(INFINITY), "inf");
  EXPECT_EQ(is(NAN), "");
  EXPECT_STREQ(ph_number_word(text, 0.0021), "0.0021");
  EXPECT_STREQ(ph_number_word(text, NAN), "nan");
}

TEST_F(Export, EveryNumberOfTheTextIsTheRows) {
  read_help::Demo demo;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  ASSERT_TRUE(episode) << ph_error();
  auto rows = table(csv_of(episode.get(), nullptr));
  ph_tracks *tracks = nullptr;
  ASSERT_EQ(ph_tracks_make(&tracks, episode.get(), nullptr), PH_OK);
  ASSERT_EQ(rows.size(), 1u + 601);
  ASSERT_EQ(rows[0].size(), 1 + ph_tracks_count(tracks));
  EXPECT_EQ(rows[0][0], "step");
  for (size_t i = 0; i < ph_tracks_count(tracks); i++) {
    vector<double> values(601);
    ASSERT_EQ(ph_tracks_read(tracks, i, 0, 601, values.data()), PH_OK);
    ASSERT_EQ(rows[0][i + 1], ph_tracks_at(tracks, i)->name);
    for (size_t step = 0; step < 601; step++) {
      const string &field = rows[step + 1][i + 1];
      double back = strtod(field.c_str(), nullptr);
      if (field.empty())
        ASSERT_TRUE(std::isnan(values[step])) << rows[0][i + 1] << " " << step;
      else
        ASSERT_EQ(memcmp(&back, &values[step], 8), 0) << rows[0][i + 1] << " " << step;
    }
  }
  EXPECT_EQ(rows[1][0], "0");
  EXPECT_EQ(rows[601][0], "600");
  ph_tracks_free(tracks);
}

TEST_F(Export, ColumnsAreThoseThatAreNamedInThatOrderAndOnce) {
  read_help::Demo demo;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  auto rows = table(csv_of(episode.get(), nullptr, " reward,time , qpos*, reward,,3", 5, 8));
  EXPECT_EQ(rows[0],
            (vector<string>{"step", "reward", "time", "qpos[0]", "qpos[1]", "qpos[2]", "qpos[3]"}));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1][0], "5");
  EXPECT_EQ(rows[3][0], "7");
  auto all = table(csv_of(episode.get(), nullptr, "time"));
  EXPECT_EQ(rows[2][2], all[1 + 6][1]);
  EXPECT_EQ(table(csv_of(episode.get(), nullptr, "time", 599)).size(), 1u + 2);
  EXPECT_EQ(table(csv_of(episode.get(), nullptr, "time", INT64_MIN, 2)).size(), 1u + 2);
  string text;
  ph_export_options bad[] = {{"time,qpoz", INT64_MIN, INT64_MAX},
                             {" , ", INT64_MIN, INT64_MAX},
                             {"time", 601, INT64_MAX},
                             {"time", 3, 3},
                             {"time", INT64_MIN, 0}};
  const char *why[] = {"qpoz: no such column; did you mean 'qpos'?", "names none",
                       "steps from 601 on: it has steps 0 to 600", "there is none between them",
                       "steps before 0: it has steps 0 to 600"};
  for (size_t i = 0; i < 5; i++) {
    EXPECT_LT(ph_export_csv(episode.get(), nullptr, &bad[i], append, &text), 0);
    EXPECT_TRUE(read_help::says(ph_error(), why[i]));
  }
  EXPECT_EQ(text, "");
}

TEST_F(Export, LongEpisodesGoInBlocks) {
  read_help::Demo demo;
  demo.actions = 9000;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  auto rows = table(csv_of(episode.get(), nullptr, "time,done"));
  ASSERT_EQ(rows.size(), 1u + 9001);
  for (size_t step = 0; step < 9001; step++) {
    double want, back = strtod(rows[step + 1][1].c_str(), nullptr);
    memcpy(&want, &demo.data[PH_COL_STATES][step * demo.row_bytes(PH_COL_STATES)], 8);
    ASSERT_EQ(memcmp(&want, &back, 8), 0) << step;
    ASSERT_EQ(rows[step + 1][2],
              step ? std::to_string(demo.data[PH_COL_DONES][step - 1]) : string())
        << step;
  }
}

TEST_F(Export, NamesAreQuotedWhereTheyMustBe) {
  foreign::File *file = new foreign::File(path("a.hdf5"));
  file->group("/data");
  file->attr("/data", "env", "Lift");
  file->array("/data/demo_0/states", foreign::F64, {4, 3}, foreign::wave(12));
  file->array("/data/demo_0/actions", foreign::F64, {4, 1}, foreign::wave(4));
  file->array("/data/demo_0/obs/a,\"b\"", foreign::F64, {4}, foreign::wave(4));
  delete file;
  Opened o(path("a.hdf5"));
  ASSERT_TRUE(o.episode);
  string head = csv_of(o.episode.get(), nullptr, "obs/*,action[0]");
  EXPECT_EQ(head.substr(0, head.find('\n')), "step,\"obs/a,\"\"b\"\"\",action[0]");
}

TEST_F(Export, AnotherLocaleChangesNothing) {
  read_help::Demo demo;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  string here = csv_of(episode.get(), nullptr), before = setlocale(LC_NUMERIC, nullptr);
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
    GTEST_SKIP() << "no locale with a decimal comma is installed";
  string there = csv_of(episode.get(), nullptr);
  setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(here, there);
}

TEST_F(Export, FilesAreNewWholeOrNotThere) {
  read_help::Demo demo;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  ASSERT_EQ(ph_export_csv_file(path("b.csv").c_str(), episode.get(), nullptr, nullptr), PH_OK);
  EXPECT_EQ(text_of(path("b.csv")), csv_of(episode.get(), nullptr));
  EXPECT_EQ(ph_export_csv_file(path("b.csv").c_str(), episode.get(), nullptr, nullptr), PH_EEXIST);
  EXPECT_TRUE(read_help::says(ph_error(), "b.csv: it exists already"));
  EXPECT_EQ(ph_export_csv_file(path("none/b.csv").c_str(), episode.get(), nullptr, nullptr),
            PH_EIO);
  auto bytes = read_help::slurp(path("a.h5"));
  auto &states = demo.data[PH_COL_STATES];
  auto at =
      std::search(bytes.begin(), bytes.end(), states.begin() + 300 * 64, states.begin() + 301 * 64);
  ASSERT_NE(at, bytes.end());
  *at ^= 1;
  read_help::spill(path("c.h5"), bytes, bytes.size());
  auto damaged = read_help::open_episode(path("c.h5"));
  EXPECT_EQ(ph_export_csv_file(path("c.csv").c_str(), damaged.get(), nullptr, nullptr),
            PH_ECORRUPT);
  EXPECT_TRUE(read_help::says(ph_error(), "rows 256 to 511"));
  EXPECT_EQ(ph_export_npz(path("c.npz").c_str(), damaged.get(), nullptr, nullptr), PH_ECORRUPT);
  ph_export_options before = {nullptr, 0, 256};
  EXPECT_EQ(ph_export_csv_file(path("d.csv").c_str(), damaged.get(), nullptr, &before), PH_OK)
      << "what is not damaged can be had: " << ph_error();
  EXPECT_EQ(names(), (vector<string>{"a.h5", "b.csv", "c.h5", "d.csv"}));
}

TEST_F(Export, AFullDiskIsTheReasonAndALinkToNothingStays) {
  read_help::Demo demo;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  struct rlimit old, small = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  small.rlim_cur = 20000;
  small.rlim_max = old.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  ph_status status = ph_export_csv_file(path("b.csv").c_str(), episode.get(), nullptr, nullptr);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(status, PH_EIO);
  EXPECT_EQ(ph_error(), path("b.csv") + ": cannot be written: File too large");
  ASSERT_EQ(symlink("nothing", path("c.csv").c_str()), 0);
  EXPECT_EQ(ph_export_csv_file(path("c.csv").c_str(), episode.get(), nullptr, nullptr), PH_EEXIST);
  EXPECT_EQ(names(), (vector<string>{"a.h5", "c.csv"}));
}

TEST_F(Export, AWriterThatRefusesEndsIt) {
  read_help::Demo demo;
  demo.actions = 3000;
  read_help::write_file(path("a.h5"), demo);
  auto episode = read_help::open_episode(path("a.h5"));
  int calls = 0;
  auto second = [](void *arg, const char *, size_t) { return ++*(int *)arg < 2; };
  EXPECT_EQ(ph_export_csv(episode.get(), nullptr, nullptr, second, &calls), PH_EIO);
  EXPECT_EQ(calls, 2);
}

/* --- a state --- */

TEST_F(Export, AKeyGivesTheEngineTheSameBits) {
  Opened o(record());
  ASSERT_TRUE(o.episode && o.model);
  const ph_dims &d = ph_episode_meta_of(o.episode.get())->dims;
  for (int64_t step : {0, 1, 7}) {
    char *line = nullptr;
    ASSERT_EQ(ph_export_key(&line, o.episode.get(), step), PH_OK) << ph_error();
    string xml = rec_xml(), key = line;
    free(line);
    EXPECT_EQ(key.rfind("<key name=\"step_" + std::to_string(step) + "\" time=\"", 0), 0u) << key;
    EXPECT_EQ(key.find('\n'), string::npos);
    xml.insert(xml.find("</mujoco>"), "<keyframe>" + key + "</keyframe>");
    ph_model *model = help_model(xml);
    ASSERT_TRUE(model && model->m) << key;
    ASSERT_EQ(model->m->nkey, 1);
    vector<double> state(1 + (size_t)(d.nq + d.nv + d.na)), ctrl((size_t)d.nu);
    ASSERT_EQ(ph_episode_read(o.episode.get(), PH_COL_STATES, step, 1, state.data()), PH_OK);
    ASSERT_EQ(ph_episode_read(o.episode.get(), PH_COL_CTRL, step, 1, ctrl.data()), PH_OK);
    EXPECT_EQ(memcmp(model->m->key_time, &state[0], 8), 0);
    EXPECT_EQ(memcmp(model->m->key_qpos, &state[1], 16), 0) << "the hinges";
    for (int i = 0; i < d.nq; i++) /* the engine makes quaternions of length 1 */
      EXPECT_NEAR(model->m->key_qpos[i], state[1 + (size_t)i], 1e-15) << i;
    EXPECT_EQ(memcmp(model->m->key_qvel, &state[1 + (size_t)d.nq], 8 * (size_t)d.nv), 0);
    EXPECT_EQ(memcmp(model->m->key_ctrl, ctrl.data(), 8 * (size_t)d.nu), 0);
    ph_model_unref(model);
  }
  char *line = nullptr;
  EXPECT_EQ(ph_export_key(&line, o.episode.get(), 99), PH_EINVAL);
  EXPECT_TRUE(read_help::says(ph_error(), "step 99: it has steps 0 to 40"));
  EXPECT_EQ(ph_export_key(&line, o.episode.get(), -1), PH_EINVAL);
  EXPECT_EQ(line, nullptr);
}

TEST_F(Export, MocapAndActivationAreInTheKey) {
  Memory memory;
  auto episode = memory.open();
  char *line = nullptr;
  ASSERT_EQ(ph_export_key(&line, episode.get(), 3), PH_OK) << ph_error();
  string key = line;
  free(line);
  auto number = [&](const string &attr, size_t i) {
    size_t at = key.find(" " + attr + "=\"");
    EXPECT_NE(at, string::npos) << attr << " of " << key;
    std::istringstream in(at == string::npos ? "" : key.substr(at + attr.size() + 3));
    double x = 0;
    for (size_t k = 0; k <= i; k++)
      in >> x;
    return x;
  };
  EXPECT_EQ(number("time", 0), Memory::value(PH_COL_STATES, 3, 0));
  EXPECT_EQ(number("qpos", 0), Memory::value(PH_COL_STATES, 3, 1));
  EXPECT_EQ(number("qvel", 0), Memory::value(PH_COL_STATES, 3, 2));
  EXPECT_EQ(number("act", 0), Memory::value(PH_COL_STATES, 3, 3));
  EXPECT_EQ(number("ctrl", 0), Memory::value(PH_COL_CTRL, 3, 0));
  EXPECT_EQ(number("mpos", 2), Memory::value(PH_COL_MOCAP_POS, 3, 2));
  EXPECT_EQ(number("mquat", 3), Memory::value(PH_COL_MOCAP_QUAT, 3, 3));
}

TEST_F(Export, NoKeyHoldsWhatIsNotFinite) {
  Memory memory;
  auto episode = memory.open();
  memory.nan = 2;
  char *line = nullptr;
  EXPECT_EQ(ph_export_key(&line, episode.get(), 2), PH_EINVAL);
  EXPECT_TRUE(read_help::says(ph_error(), "step 2: qvel[0] is not finite: no key holds it"));
  EXPECT_EQ(line, nullptr);
  EXPECT_EQ(ph_export_key(&line, episode.get(), 1), PH_OK) << ph_error();
  free(line);
}

} // namespace
