/* A recording that is killed at a moment that is drawn, and what its folder holds then. */
#ifndef TESTS_KILL_HELP_H
#define TESTS_KILL_HELP_H

#include <functional>
#include <map>
#include <poll.h>
#include <random>
#include <sys/inotify.h>

#include "cli_help.h"
#include "recorder_help.h"

extern "C" {
#include "index.h"
#include <playhead/salvage.h>
#include <playhead/verify.h>
}

namespace kill_help {

using cli_help::Cli;
using cli_help::Outcome;
using cli_help::Slurp;
using std::string;
namespace fs = std::filesystem;
using Key = std::pair<int, int64_t>; /* env, episode */

/* A pole with a mass of its own in every episode, which a noisy policy swings up or not. */
const char kPole[] =
    "<mujoco><size nstack='20000' njmax='50' nconmax='10'/><option timestep='0.002'/>"
    "<worldbody><body name='pole'>"
    "<joint name='hinge' axis='0 1 0' damping='0.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.5' size='.02' mass='1'/></body></worldbody>"
    "<actuator><motor name='push' joint='hinge'/></actuator></mujoco>";
const char kSwing[] =
    "return { name = 'swing', model = 'pole.xml', control_steps = 2, hold_seconds = 0.01,\n"
    "max_steps = 90, success = function(s) return s.joint.hinge > 0.3 end,\n"
    "reset = function(env, rng) env.qpos.hinge = 0.2 * rng()\n"
    "  env.model.body.pole.mass = 0.5 + rng() end,\n"
    "policy = function(s, rng) return { 5 * (rng() - 0.4) } end }\n";

/* An episode as it was recorded: all its rows, and its facts but for what differs by run and end.
 */
struct Told {
  std::map<int, string> columns;
  string facts;
  int64_t actions;
};

inline string facts_of(const ph_episode *e) {
  const ph_episode_meta *m = ph_episode_meta_of(e);
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(e, &n);
  std::ostringstream out;
  out.precision(17);
  for (const char *text :
       {m->writer, m->seed, m->substrate, m->rng, m->model_sha256, m->task_sha256, m->env_name,
        m->recipe, m->derived, m->engine, m->determinism, m->provenance})
    out << text << "|";
  out << m->env_id << " " << m->episode << " " << m->hold_seconds << " " << m->hold_steps << " "
      << m->timestep << " " << m->control_dt << "|";
  out.write(reinterpret_cast<const char *>(&m->dims), sizeof m->dims);
  for (size_t i = 0; i < n; i++) {
    size_t bytes = static_cast<size_t>(edits[i].shape[0] * edits[i].shape[1]);
    out << edits[i].field << edits[i].shape[0] << "x" << edits[i].shape[1] << "=";
    out.write(static_cast<const char *>(edits[i].data),
              static_cast<std::streamsize>(bytes * ph_type_size(edits[i].type)));
  }
  return out.str();
}

/* What is in a run: each episode is opened and verified. */
struct Run {
  std::map<Key, Told> episodes;
  std::map<Key, ph_end> ends;
  bool twice = false;
};

inline Run read_run(const string &path, const ph_model *model, const ph_task *task) {
  Run run;
  ph_store *store = nullptr;
  const char *paths[] = {path.c_str()};
  EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  for (size_t i = 0; store && i < ph_store_count(store); i++) {
    const ph_entry *entry = ph_store_entry(store, i);
    ph_episode *e = nullptr;
    ph_verdict verdict;
    EXPECT_STREQ("", entry->oddity) << entry->file;
    EXPECT_EQ(PH_OK, ph_store_episode(&e, store, i)) << ph_error();
    if (!e)
      continue;
    EXPECT_EQ(PH_OK, ph_verify_episode(&verdict, e, model, task, nullptr)) << ph_error();
    EXPECT_EQ(0u, verdict.nflaws) << entry->id << ": " << verdict.flaw[0].text;
    EXPECT_TRUE(verdict.checksums);
    const ph_episode_meta *m = ph_episode_meta_of(e);
    Key key = {m->env_id, m->episode};
    run.twice |= run.episodes.count(key) > 0;
    run.episodes[key] = {columns_of(e), facts_of(e), m->actions};
    run.ends[key] = m->end_reason;
    ph_episode_free(e);
  }
  ph_store_free(store);
  return run;
}

/* Rows of a journal whose record is whole, counted by the format and not by its reader. */
inline int64_t whole_records(const string &bytes) {
  uint64_t head = 0, record = 0;
  if (bytes.size() < 56 || bytes.compare(0, 8, "PHJRNL1\n") != 0)
    return 0;
  memcpy(&head, bytes.data() + 16, 8);
  memcpy(&record, bytes.data() + 24, 8);
  uint32_t seed = ph_crc32(bytes.data() + 32, 8);
  int64_t t = 0;
  for (size_t at = head; at + record <= bytes.size(); at += record, t++) {
    uint64_t step;
    uint32_t crc;
    memcpy(&step, bytes.data() + at, 8);
    memcpy(&crc, bytes.data() + at + record - 4, 4);
    if (step != static_cast<uint64_t>(t) ||
        crc != ph_crc32_add(seed, bytes.data() + at, record - 4))
      break;
  }
  return t;
}

/* What was in the folder when the recorder was dead. */
struct Remains {
  std::map<string, string> files; /* committed episodes and run.h5, byte for byte */
  std::map<Key, int64_t> steps;   /* of the journals: complete transitions */
  size_t journals = 0, parts = 0;
};

inline bool ends_with(const string &name, const string &end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

inline Remains look(const string &dir) {
  Remains left;
  std::error_code none;
  for (auto &file : fs::directory_iterator(dir, none)) {
    string name = file.path().filename();
    if (ends_with(name, ".part"))
      left.parts++;
    else if (ends_with(name, ".h5"))
      left.files[name] = Slurp(file.path());
    if (!ends_with(name, ".journal"))
      continue;
    left.journals++;
    ph_journal *j = nullptr;
    ph_journal_head head = {};
    if (ph_journal_open(&j, &head, file.path().c_str()) == PH_OK)
      left.steps[{head.meta.env_id, head.meta.episode}] = whole_records(Slurp(file.path())) - 1;
    ph_journal_close(j, false);
    ph_journal_head_clear(&head);
  }
  return left;
}

/* Sees what happens in folders, so that a process can be killed in the midst of it. */
class Watch {
public:
  Watch() : fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
  ~Watch() { close(fd); }
  bool add(const string &dir) {
    return inotify_add_watch(fd, dir.c_str(), IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MODIFY) >= 0;
  }
  /* Waits for the n-th event (from 0) of that mask with such a name, or for the end of the child.
   */
  void wait(pid_t pid, uint32_t mask, const string &end, int n) {
    alignas(inotify_event) char buffer[4096];
    for (siginfo_t info = {}; info.si_pid == 0;
         waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT)) {
      pollfd p = {fd, POLLIN, 0};
      poll(&p, 1, 10);
      ssize_t got = read(fd, buffer, sizeof buffer);
      for (ssize_t at = 0; at < got;) {
        auto *event = reinterpret_cast<inotify_event *>(buffer + at);
        at += static_cast<ssize_t>(sizeof *event + event->len);
        if ((event->mask & mask) && event->len > 0 && ends_with(event->name, end) && n-- == 0)
          return;
      }
    }
  }

private:
  int fd;
};

} // namespace kill_help

#endif
