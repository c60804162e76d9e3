/* Files of other recorders against h5py and against their own floors, in one run:
 *   open, seek  a compressed robomimic file, against h5py opening it and reading the same rows
 *   many        20 000 demos: names, count and the first frame, against listing the names alone
 *   sparse      a file of 2 GB of images, opened: bytes that were read
 * Prints JSON lines; exit 1 when a ratio misses its goal. */
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../foreign_layouts.h"

#include "bench.h"

namespace fs = std::filesystem;

static const int SEEKS = 400, ROUNDS = 3, ROWS = 400, DEMOS = 20;

static double median(std::vector<double> times) {
  if (times.empty())
    return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/* Of times that differ by what else the machine does. */
static double least(const std::vector<double> &times) {
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

/* One row after another, the same in both languages. */
static std::vector<int64_t> places() {
  std::vector<int64_t> out;
  uint32_t random = 12345;
  for (int i = 0; i < SEEKS; i++) {
    random = random * 1664525u + 1013904223u;
    out.push_back((int64_t)((double)random / 4294967296.0 * ROWS));
  }
  return out;
}

/* --- h5py --- */

static const char *const kScript = R"(
import sys, time
import h5py
path, rows, seeks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def arrays(group, out):
  for key in group:
    item = group[key]
    if isinstance(item, h5py.Group):
      arrays(item, out)
    else:
      out.append(item)
  return out
opens, reads = [], []
for i in range(9):
  t = time.perf_counter()
  f = h5py.File(path, 'r')
  names = list(f['data'].keys())
  first = [a[0] for a in arrays(f['data'][names[0]], [])]
  opens.append(time.perf_counter() - t)
  f.close()
f = h5py.File(path, 'r')
all = arrays(f['data/demo_0'], [])
for a in all:
  a[0]
random = 12345
for i in range(seeks):
  random = (random * 1664525 + 1013904223) % 4294967296
  row = int(random / 4294967296.0 * rows)
  t = time.perf_counter()
  for a in all:
    a[row]
  reads.append(time.perf_counter() - t)
print(min(opens), sorted(reads)[len(reads) // 2], len(all))
)";

/* False: there is no h5py. */
static bool run_h5py(const std::string &script, const std::string &path, double *open_time,
                     double *seek_time, int *arrays) {
  std::string command = "/usr/bin/python3 " + script + " " + path + " " + std::to_string(ROWS) +
                        " " + std::to_string(SEEKS) + " 2>/dev/null";
  FILE *pipe = popen(command.c_str(), "r");
  int n = pipe ? fscanf(pipe, "%lf %lf %d", open_time, seek_time, arrays) : 0;
  return pipe && pclose(pipe) == 0 && n == 3;
}

/* --- the compressed file --- */

struct opened {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  explicit opened(const std::string &path) {
    const char *paths[] = {path.c_str()};
    bench_need(ph_store_open(&store, paths, 1, nullptr), "store");
    bench_need(ph_store_episode(&episode, store, 0), "episode");
  }
  opened(const opened &) = delete;
  opened &operator=(const opened &) = delete;
  ~opened() {
    ph_episode_free(episode);
    ph_store_free(store);
  }
};

/* One row of all that h5py reads too; returns how many arrays. */
static int read_row(const ph_episode *episode, int64_t row, std::vector<double> &out) {
  static const ph_column columns[] = {PH_COL_STATES, PH_COL_ACTIONS, PH_COL_REWARDS, PH_COL_DONES};
  size_t n;
  int arrays = 0;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  bool raw = !ph_episode_meta_of(episode)->model_sha256[0]; /* its states are a channel */
  for (ph_column column : columns)
    if (ph_episode_has(episode, column) && !(raw && column == PH_COL_STATES) && ++arrays)
      bench_need(ph_episode_read(episode, column, row, 1, out.data()), "read");
  for (size_t i = 0; i < n; i++)
    if (channels[i].kind == PH_CHANNEL_NUMBERS && ++arrays)
      bench_need(ph_episode_channel_read(episode, i, row, 1, out.data()), "channel");
  return arrays;
}

static double open_once(const std::string &path, std::vector<double> &out) {
  double t = bench_now();
  opened file(path);
  read_row(file.episode, 0, out);
  return bench_now() - t;
}

static bool compressed(const std::string &dir) {
  std::string path = dir + "/compressed.hdf5", script = dir + "/rows.py";
  std::string modelled = dir + "/modelled.hdf5";
  foreign::Options o;
  o.rows.assign(DEMOS, ROWS);
  o.next_obs = true;
  o.store.chunk_rows = 100;
  o.store.gzip = 4;
  o.store.shuffle = true;
  foreign::write_robomimic(modelled, o);
  o.models = false;
  foreign::write_robomimic(path, o);
  std::ofstream(script) << kScript;
  std::vector<double> opens, model_opens, seeks, h5py_opens, h5py_seeks, out(4096);
  int arrays = 0, h5py_arrays = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double h5py_open = 0, h5py_seek = 0;
    if (!run_h5py(script, path, &h5py_open, &h5py_seek, &h5py_arrays)) {
      printf("{\"bench\":\"foreign\",\"skipped\":\"h5py is not there\"}\n");
      return true;
    }
    h5py_opens.push_back(h5py_open);
    h5py_seeks.push_back(h5py_seek);
    for (int i = 0; i < 9; i++) {
      opens.push_back(open_once(path, out));
      model_opens.push_back(open_once(modelled, out));
    }
    opened file(path);
    arrays = read_row(file.episode, 0, out);
    for (int64_t row : places()) {
      double t = bench_now();
      read_row(file.episode, row, out);
      seeks.push_back(bench_now() - t);
    }
  }
  double open_ratio = least(opens) / least(h5py_opens);
  double seek_ratio = median(seeks) / median(h5py_seeks);
  bench_begin("foreign_open");
  bench_number("us", 1e6 * least(opens), 1);
  bench_number("with_model_us", 1e6 * least(model_opens), 1);
  bench_number("h5py_us", 1e6 * least(h5py_opens), 1);
  bench_number("ratio", open_ratio, 3);
  bench_end();
  bench_begin("foreign_seek");
  bool missed = bench_at_most(seek_ratio, 1);
  bench_whole("arrays", arrays);
  bench_whole("h5py_arrays", h5py_arrays);
  bench_number("us", 1e6 * median(seeks), 1);
  bench_number("h5py_us", 1e6 * median(h5py_seeks), 1);
  bench_end();
  return !missed && arrays == h5py_arrays;
}

/* --- 20 000 demos --- */

static double list_names(const std::string &path) {
  double t = bench_now();
  hid_t file = H5I_INVALID_HID, data = H5I_INVALID_HID;
  char **names = nullptr;
  size_t n = 0;
  bench_need(ph_h5_open(&file, path.c_str()), "open");
  bench_need(ph_h5_group(&data, file, "data"), "data");
  bench_need(ph_h5_names(&names, &n, data), "names");
  ph_h5_names_free(names, n);
  ph_h5_close(data);
  ph_h5_close(file);
  return bench_now() - t;
}

static double first_frame(const std::string &path, size_t *count) {
  double t = bench_now();
  opened file(path);
  ph_model *model = nullptr;
  ph_replay *replay = nullptr;
  const ph_episode_meta *meta = ph_episode_meta_of(file.episode);
  bench_need(ph_store_model(&model, file.store, meta->model_sha256), "model");
  bench_need(ph_replay_create(&replay, file.episode, model, nullptr), "replay");
  bench_need(ph_replay_seek(replay, 0, 0, PH_KINEMATIC), "seek");
  *count = ph_store_count(file.store);
  double time = bench_now() - t;
  ph_replay_free(replay);
  ph_model_unref(model);
  return time;
}

static bool many(const std::string &dir) {
  std::string path = dir + "/many.hdf5";
  foreign::Options o;
  o.rows.assign(20000, 3);
  foreign::write_robosuite(path, o);
  std::vector<double> frames, names;
  size_t count = 0;
  first_frame(path, &count);
  for (int i = 0; i < 9; i++) {
    names.push_back(list_names(path));
    frames.push_back(first_frame(path, &count));
  }
  double ratio = least(frames) / least(names);
  bench_begin("foreign_many");
  bench_whole("demos", (int64_t)count);
  bool missed = bench_at_most(ratio, 3);
  bench_number("first_frame_ms", 1e3 * least(frames), 1);
  bench_number("names_ms", 1e3 * least(names), 1);
  bench_end();
  fs::remove(path);
  return !missed && count == 20000;
}

/* --- 2 GB of images --- */

/* Bytes that this process has read, from files or from what is kept of them in memory. */
static int64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string word;
  int64_t n = -1;
  in >> word >> n;
  return word == "rchar:" ? n : -1;
}

static bool sparse(const std::string &dir) {
  std::string path = dir + "/images.hdf5";
  {
    foreign::Options o;
    foreign::write_robomimic(path, o);
    foreign::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path);
    foreign::Id list(H5Pcreate(H5P_DATASET_CREATE), path);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    hsize_t dim[4] = {30, 4000, 6000, 3};
    foreign::Id space(H5Screate_simple(4, dim, nullptr), path);
    foreign::Id set(H5Dcreate2(file, "/data/demo_0/obs/agentview_image", H5T_STD_U8LE, space,
                               H5P_DEFAULT, list, H5P_DEFAULT),
                    path);
  }
  size_t count = 0;
  int64_t before = bytes_read();
  double time = first_frame(path, &count);
  int64_t read = bytes_read() - before;
  uintmax_t size = fs::file_size(path);
  bench_begin("foreign_images");
  bench_whole("file_bytes", (int64_t)size);
  bench_whole("bytes_read", read);
  bench_number("ms", 1e3 * time, 1);
  bench_end();
  return size > 2000000000u && (before < 0 || read < 4 << 20);
}

int main() {
  std::string dir = (fs::temp_directory_path() / "playhead-bench-XXXXXX").string();
  if (!mkdtemp(dir.data()))
    return 3;
  setenv("XDG_CACHE_HOME", dir.c_str(), 1);
  bool fine = compressed(dir);
  fine = many(dir) && fine;
  fine = sparse(dir) && fine;
  fs::remove_all(dir);
  return fine ? 0 : 1;
}
