/* What the tests of export share: a folder, the program, NumPy, a little CSV. */
#ifndef TESTS_EXPORT_HELP_H
#define TESTS_EXPORT_HELP_H

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "foreign_layouts.h"
#include "mj_help.h"
#include "read_help.h"
#include "rec_help.h"

extern "C" {
#include "export.h"
#include "model.h"
}

namespace export_help {

using std::string;
using std::vector;

struct Outcome {
  int status;
  string out, err;
};

inline string text_of(const string &path) {
  auto bytes = read_help::slurp(path);
  return string(bytes.begin(), bytes.end());
}

/* Fields of a line without quoted ones. */
inline vector<string> fields(const string &line) {
  vector<string> out(1);
  for (char c : line) {
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

inline vector<vector<string>> table(const string &text) {
  vector<vector<string>> rows;
  std::istringstream in(text);
  for (string line; std::getline(in, line);)
    rows.push_back(fields(line));
  return rows;
}

struct Export : testing::Test {
  read_help::Folder folder;

  string path(const string &name) { return folder / name; }
  Outcome run(const string &args) {
    const char *program = getenv("PLAYHEAD_PROGRAM");
    string command = "cd " + folder.path() + " && HOME=" + folder.path() + " LC_ALL=C.UTF-8 " +
                     string(program ? program : "playhead") + " " + args + " >" + path("out") +
                     " 2>" + path("err") + " </dev/null";
    int status = system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path("out")),
            text_of(path("err"))};
  }
  void refused(const string &args, int status, const string &part) {
    Outcome o = run("export " + args);
    EXPECT_EQ(o.status, status) << args;
    EXPECT_EQ(o.out, "") << args;
    EXPECT_EQ(o.err.rfind("playhead: ", 0), 0u) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(part), string::npos) << args << ": " << o.err;
  }
  vector<string> names() {
    vector<string> out;
    for (auto &entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().filename().string()[0] != '.')
        out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  /* A run of one env: robots of rec_help, 40 steps at most. */
  string record() {
    read_help::spill(path("wave.xml"), string(rec_xml()));
    read_help::spill(path("wave.lua"), rec_task("model = 'wave.xml'"));
    Outcome o = run("record wave.lua --episodes 2 --seed 3 --out run");
    EXPECT_EQ(o.status, 0) << o.err;
    return path("run");
  }
  /* Runs Python lines; they have np and, where it is there, h5py. Skips without NumPy. */
  bool python(const string &lines) {
    if (system("/usr/bin/python3 -c 'import numpy, h5py' 2>/dev/null") != 0)
      return false;
    read_help::spill(path("check.py"), "import numpy as np, h5py, glob, csv\n" + lines);
    EXPECT_EQ(system(("cd " + folder.path() + " && /usr/bin/python3 check.py").c_str()), 0);
    return true;
  }
};

struct Opened {
  read_help::Store store;
  read_help::Episode episode;
  ph_model *model = nullptr;
  explicit Opened(const string &path, size_t i = 0) {
    ph_episode *e = nullptr;
    store = read_help::open_store({path});
    EXPECT_TRUE(store) << ph_error();
    EXPECT_EQ(ph_store_episode(&e, store.get(), i), PH_OK) << ph_error();
    episode.reset(e);
    if (e)
      ph_store_model(&model, store.get(), ph_episode_meta_of(e)->model_sha256);
  }
  ~Opened() { ph_model_unref(model); }
};

/* An episode in memory: four states of a hinge with an activation and of a mocap body. */
struct Memory {
  ph_backend base; /* first: the backend is this */
  ph_dims dims;
  int64_t nan = -1; /* the step whose third number is none */

  static double value(int col, int64_t row, size_t element) {
    return 100 * (double)col + 10 * (double)row + (double)element + 1 / 3.0;
  }
  static ph_status read(const ph_backend *b, ph_column col, int64_t first, int64_t n, void *out) {
    const Memory *m = (const Memory *)b;
    size_t width = ph_schema_width(col, &m->dims);
    for (int64_t i = 0; i < n; i++)
      for (size_t e = 0; e < width; e++)
        ((double *)out)[(size_t)i * width + e] =
            first + i == m->nan && e == 2 ? NAN : value(col, first + i, e);
    return PH_OK;
  }
  static void free(ph_backend *) {}

  read_help::Episode open() {
    ph_episode *episode = nullptr;
    ph_episode_meta meta = {};
    dims = {};
    dims.nq = dims.nv = dims.na = dims.nu = dims.nmocap = 1;
    strcpy(meta.id, "demo_0");
    strcpy(meta.model_sha256, "a");
    meta.actions = 3;
    meta.states = 4;
    meta.dims = dims;
    base = {read, free, nullptr, nullptr};
    uint32_t columns = PH_COL_BIT(PH_COL_STATES) | PH_COL_BIT(PH_COL_CTRL) |
                       PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_MOCAP_QUAT);
    EXPECT_EQ(ph_episode_new(&episode, &meta, columns, nullptr, 0, &base), PH_OK) << ph_error();
    return read_help::Episode(episode);
  }
};

inline bool append(void *arg, const char *text, size_t size) {
  ((string *)arg)->append(text, size);
  return true;
}

inline string csv_of(const ph_episode *episode, const ph_model *model,
                     const char *columns = nullptr, int64_t first = INT64_MIN,
                     int64_t end = INT64_MAX) {
  string text;
  ph_export_options opt = {columns, first, end};
  EXPECT_EQ(ph_export_csv(episode, model, &opt, append, &text), PH_OK) << ph_error();
  return text;
}

} // namespace export_help

#endif
