/* A recording that meets faults: what it must do is to go on, to say each cause once, to leave what
 * is committed alone, and to write the rest when the cause is gone. */
#ifndef TESTS_FAULTS_HELP_H
#define TESTS_FAULTS_HELP_H

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_only.h"
#include "rec_help.h"

using Files = std::map<std::string, std::string>; /* name -> bytes */

inline std::string file_bytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Faults : public testing::Test {
protected:
  TempDir tmp;
  std::string dir = tmp.path + "/run";
  Model model;
  Task task{rec_task("success = function(s) return s.step >= 12 end")};
  ph_recorder *rec = nullptr;
  std::vector<std::string> said;
  std::map<int, int64_t> next;
  std::map<std::string, Rollout> wanted; /* id -> what was simulated */

  static void hear(void *user, const char *line) {
    static_cast<Faults *>(user)->said.push_back(line);
  }
  ph_recorder_options options(ph_existing existing = PH_EXISTING_REFUSE) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task.task;
    opt.existing = existing;
    opt.warn = hear;
    opt.user = this;
    return opt;
  }
  ph_status start(ph_existing existing = PH_EXISTING_REFUSE) {
    ph_recorder_options opt = options(existing);
    return ph_recorder_open(&rec, dir.c_str(), model.model, &opt);
  }
  ph_status finish(ph_tally *tally = nullptr) {
    ph_status status = ph_recorder_close(rec, tally);
    rec = nullptr;
    return status;
  }
  void TearDown() override {
    if (rec)
      ph_recorder_close(rec, nullptr);
  }

  static std::string id_of(int env_id, int64_t k) {
    char id[64];
    snprintf(id, sizeof id, "env%03d_ep%06lld", env_id, static_cast<long long>(k));
    return id;
  }
  /* One episode of an env with a seed of its own. Steps are taken whatever the disk does; the
   * result is that of its end. `midway` is called when half of it is done. */
  ph_status play(int env_id, const std::function<void()> &midway = {}) {
    Env e(task, model);
    int64_t k = ph_recorder_next_episode(rec, env_id);
    uint64_t seed = ph_env_seed(1, env_id, k);
    Rollout &r = wanted[id_of(env_id, k)] = Rollout();
    ph_row row;
    EXPECT_EQ(PH_OK, ph_env_reset(e.env, seed, &row)) << ph_error();
    const ph_dims dims = *ph_env_dims(e.env);
    keep_row(r, row, dims);
    EXPECT_EQ(PH_OK, ph_recorder_begin(rec, env_id, seed, nullptr, 0, &row)) << ph_error();
    std::vector<double> action(static_cast<size_t>(dims.action_dim));
    ph_outcome out = {};
    for (int t = 0; !out.done; t++) {
      if (t == 6 && midway)
        midway();
      ph_env_policy(e.env, action.data());
      EXPECT_EQ(PH_OK, ph_env_step(e.env, action.data(), &out)) << ph_error();
      EXPECT_EQ(PH_OK, put_row(rec, env_id, action.data(), out.reward, out.flags, out.row))
          << ph_error();
      keep_row(r, out.row, dims);
    }
    r.end = out.end;
    return ph_recorder_end(rec, env_id, out.end, out.end == PH_END_SUCCESS, out.detail);
  }

  /* What is committed. */
  static Files committed(const std::string &folder) {
    Files out;
    std::error_code error;
    for (auto &entry : std::filesystem::directory_iterator(folder, error)) {
      std::string name = entry.path().filename();
      if (name.size() > 3 && name.compare(name.size() - 3, 3, ".h5") == 0)
        out[name] = file_bytes(entry.path());
    }
    return out;
  }
  Files committed() const { return committed(dir); }
  /* Whether all of these are there with the same bytes. */
  static bool untouched(const Files &before, const Files &now) {
    return std::all_of(before.begin(), before.end(), [&](auto &file) {
      auto it = now.find(file.first);
      return it != now.end() && it->second == file.second;
    });
  }
  static std::vector<std::string> names(const std::string &folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (auto &entry : std::filesystem::directory_iterator(folder, error))
      out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  /* Nothing but a run: no temporary file, no journal. */
  void expect_clean() const {
    for (const std::string &name : names(dir)) {
      bool h5 = name.size() > 3 && name.compare(name.size() - 3, 3, ".h5") == 0 && name[0] != '.';
      EXPECT_TRUE(h5 || name == "index") << name;
    }
  }
  /* The run holds exactly these episodes, each with the bits that were simulated. */
  void expect_episodes(std::vector<std::string> ids) {
    const char *path = dir.c_str();
    ph_store *store = nullptr;
    ASSERT_EQ(PH_OK, ph_store_open(&store, &path, 1, nullptr)) << ph_error();
    std::vector<std::string> got;
    for (size_t i = 0; i < ph_store_count(store); i++) {
      const ph_entry *entry = ph_store_entry(store, i);
      got.push_back(entry->id);
      EXPECT_STREQ("", entry->oddity);
      ph_episode *episode = nullptr;
      ASSERT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
      std::string all, states;
      for (const std::string &row : wanted[entry->id].columns[PH_COL_STATES])
        all += row;
      states.resize(all.size());
      int64_t rows = ph_episode_rows(episode, PH_COL_STATES);
      ASSERT_EQ(wanted[entry->id].columns[PH_COL_STATES].size(), static_cast<size_t>(rows));
      ASSERT_EQ(PH_OK, ph_episode_read(episode, PH_COL_STATES, 0, rows, states.data()));
      EXPECT_EQ(0, memcmp(all.data(), states.data(), all.size())) << entry->id;
      ph_episode_free(episode);
    }
    ph_store_free(store);
    std::sort(ids.begin(), ids.end());
    std::sort(got.begin(), got.end());
    EXPECT_EQ(ids, got);
  }
  size_t heard(const std::string &part) const {
    return static_cast<size_t>(std::count_if(
        said.begin(), said.end(), [&](auto &line) { return line.find(part) != line.npos; }));
  }
  std::string everything() const {
    std::string all;
    for (const std::string &line : said)
      all += line + "\n";
    return all;
  }
};

/* All descriptors of the process are in use while it lives. */
struct NoDescriptors {
  std::vector<int> taken;
  NoDescriptors() {
    for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
      taken.push_back(fd);
  }
  ~NoDescriptors() {
    for (int fd : taken)
      close(fd);
  }
};

/* No file may become longer while it lives. */
struct ShortFiles {
  rlimit before = {};
  explicit ShortFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit now = before;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~ShortFiles() { setrlimit(RLIMIT_FSIZE, &before); }
};

/* A small disk of its own; ok says whether one may be had. */
struct SmallDisk {
  std::string at, filler;
  bool ok;
  SmallDisk(const std::string &path, const char *size) : at(path), filler(path + "/filler") {
    std::filesystem::create_directory(at);
    std::string how = std::string("size=") + size;
    ok = mount("none", at.c_str(), "tmpfs", 0, how.c_str()) == 0;
  }
  ~SmallDisk() {
    if (ok)
      umount2(at.c_str(), MNT_DETACH);
  }
  void fill() {
    int fd = open(filler.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    std::string block(4096, 'x');
    while (write(fd, block.data(), block.size()) > 0)
      continue;
    close(fd);
  }
  void free() { unlink(filler.c_str()); }
};

#endif
