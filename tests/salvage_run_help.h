/* Runs whose recorder was killed: the folder is copied while it records, which is what a killed
 * process leaves. */
#ifndef TESTS_SALVAGE_RUN_HELP_H
#define TESTS_SALVAGE_RUN_HELP_H

#include <functional>

#include "recorder_help.h"

extern "C" {
#include "index.h"
#include <playhead/salvage.h>
#include <playhead/verify.h>
}

namespace salvage_run {

namespace fs = std::filesystem;
using Key = std::pair<int, int64_t>;               /* env, episode */
using Folder = std::map<std::string, std::string>; /* name -> size and hash */

inline Folder folder_of(const std::string &dir) {
  Folder out;
  for (auto &file : fs::directory_iterator(dir)) {
    std::string bytes = fs::is_directory(file) ? "" : slurp(file.path());
    out[file.path().filename()] =
        std::to_string(bytes.size()) + " " + std::to_string(std::hash<std::string>()(bytes));
  }
  return out;
}

/* What ends so, sorted. */
inline std::vector<std::string> names_of(const std::string &dir, const std::string &end = "") {
  std::vector<std::string> out;
  for (auto &file : fs::directory_iterator(dir)) {
    std::string name = file.path().filename();
    if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Report {
  ph_salvage_report r = {};
  Report() = default;
  Report(const Report &) = delete;
  ~Report() { ph_salvage_free(&r); }
  std::string text() const {
    static const char *const fates[] = {"saved", "committed", "empty", "lost"};
    std::string out;
    for (size_t i = 0; i < r.n; i++)
      out += std::string(fates[r.items[i].fate]) + " " + r.items[i].id + " " +
             std::to_string(r.items[i].actions) + (r.items[i].why[0] ? ": " : "") + r.items[i].why +
             "\n";
    return out;
  }
  std::string why(size_t i) const { return i < r.n ? r.items[i].why : "(no such item)"; }
};

class SalvageRun : public testing::Test {
protected:
  TempDir tmp;
  Model model;
  Task task{rec_task("success = function(s) return s.step >= 12 end")};
  std::string live = tmp.path + "/live", dir = tmp.path + "/run";
  std::map<Key, Rollout> wanted;

  /* One episode of an env, as far as `limit` steps; it ends by itself before that or stays. */
  void play(RunRec &rec, int env_id, int limit = 1000) {
    Env e(task, model);
    int64_t k = ph_recorder_next_episode(rec.rec, env_id);
    wanted[{env_id, k}] = rollout(e.env, ph_env_seed(1, env_id, k), rec.rec, env_id, limit);
  }
  /* A folder as the recorder left it when it was killed now. */
  void kill_now() {
    fs::remove_all(dir);
    fs::copy(live, dir, fs::copy_options::recursive);
  }
  /* Records into `live`, and is killed. */
  void killed(const std::function<void(RunRec &)> &record) {
    RunRec rec(live, model, &task);
    record(rec);
    kill_now();
  }
  /* Env 0: one episode done, one of 7 steps under way. */
  void killed_midway() {
    killed([&](RunRec &rec) {
      play(rec, 0);
      play(rec, 0, 7);
    });
  }
  ph_status salvage(Report &report, const char *out = nullptr) {
    return ph_salvage_run(&report.r, dir.c_str(), out);
  }
  void expect(const std::string &text, const std::string &out = "") {
    Report report;
    EXPECT_EQ(PH_OK, salvage(report, out.empty() ? nullptr : out.c_str())) << ph_error();
    EXPECT_EQ(text, report.text());
  }

  /* Number of bytes of a head and of a record, as the file says. */
  static std::pair<size_t, size_t> sizes(const std::string &bytes) {
    uint64_t n[2];
    memcpy(n, bytes.data() + 16, sizeof n);
    return {n[0], n[1]};
  }
  /* Flips a byte in the middle of record t; t -1: of the head. */
  void damage(const std::string &name, int64_t t) {
    std::string bytes = slurp(dir + "/" + name);
    auto [head, record] = sizes(bytes);
    size_t at = t < 0 ? head / 2 : head + static_cast<size_t>(t) * record + record / 2;
    ASSERT_LT(at, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    spill(dir + "/" + name, bytes);
  }

  /* The episode is the first `actions` steps of what was simulated, in all its columns. */
  void expect_prefix(const ph_episode *e, const Rollout &r) {
    const ph_episode_meta *m = ph_episode_meta_of(e);
    size_t n = static_cast<size_t>(m->actions);
    ASSERT_GE(r.actions.size(), n);
    std::map<int, std::string> columns = columns_of(e);
    for (auto &[col, rows] : r.columns) {
      std::string all;
      for (size_t t = 0; t <= n; t++)
        all += rows[t];
      if (columns.count(col)) {
        EXPECT_EQ(all, columns[col]) << "column " << col;
      } else {
        EXPECT_FALSE(ph_schema_column((ph_column)col)->required);
      }
    }
    std::string actions;
    for (size_t t = 0; t < n; t++)
      actions.append(reinterpret_cast<const char *>(r.actions[t].data()), 8 * r.actions[t].size());
    EXPECT_EQ(actions, columns[PH_COL_ACTIONS]);
    EXPECT_EQ(0, memcmp(r.rewards.data(), columns[PH_COL_REWARDS].data(), 8 * n));
    EXPECT_EQ(0, memcmp(r.flags.data(), columns[PH_COL_FLAGS].data(), n));
    ph_verdict verdict;
    EXPECT_EQ(PH_OK, ph_verify_episode(&verdict, e, model.model, task.task, nullptr));
    EXPECT_EQ(0u, verdict.nflaws) << verdict.flaw[0].text;
    EXPECT_TRUE(verdict.checksums);
  }
  /* The folder has these episodes, with so many steps, and nothing of anything else. */
  void expect_run(const std::string &path, const std::map<Key, int64_t> &steps) {
    const char *paths[] = {path.c_str()};
    ph_store *store = nullptr;
    ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    std::map<Key, int64_t> got;
    for (size_t i = 0; i < ph_store_count(store); i++) {
      const ph_entry *entry = ph_store_entry(store, i);
      Key key = {entry->env_id, entry->episode};
      EXPECT_EQ(0u, got.count(key)) << "twice";
      got[key] = entry->actions;
      EXPECT_STREQ("", entry->oddity);
      ph_episode *e = nullptr;
      ASSERT_EQ(PH_OK, ph_store_episode(&e, store, i)) << ph_error();
      expect_prefix(e, wanted[key]);
      ph_episode_free(e);
    }
    ph_store_free(store);
    EXPECT_EQ(steps, got);
  }
};

} // namespace salvage_run

#endif
