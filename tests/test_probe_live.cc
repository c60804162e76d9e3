/* The probe in a process that records: neither the run nor its lock notices. */
#include <fcntl.h>
#include <sys/file.h>

#include "rec_help.h"

#include "probe_help.h"

namespace {

/* Two episodes in turn by two envs, row by row; between rows `meanwhile` runs. */
std::string record(const std::string &dir, const Model &model, const Task &task,
                   const std::function<void(ph_recorder *)> &meanwhile) {
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  EXPECT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  Env a(task, model), b(task, model);
  rollout(a.env, 1, rec, 0);
  meanwhile(rec);
  rollout(b.env, 2, rec, 1, 7); /* is still going on */
  meanwhile(rec);
  rollout(a.env, 3, rec, 0);
  meanwhile(rec);
  EXPECT_EQ(PH_OK, ph_recorder_end(rec, 1, PH_END_TRUNCATED, -1, "enough")) << ph_error();
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  return dir;
}

std::string content(const std::string &dir) {
  read_help::Store store = read_help::open_store({dir});
  char hash[PH_SHA256_SIZE] = "";
  EXPECT_TRUE(store) << ph_error();
  EXPECT_EQ(ph_store_count(store.get()), 3u);
  EXPECT_EQ(PH_OK, ph_store_content_hash(store.get(), hash)) << ph_error();
  return hash;
}

TEST_F(Probe, ARunThatIsRecordedMeanwhileIsTheSame) {
  Model model;
  Task task(rec_task());
  std::string quiet = record(dir / "quiet", model, task, [](ph_recorder *) {});
  int looked = 0;
  std::string watched = record(dir / "watched", model, task, [&](ph_recorder *rec) {
    std::string path = ph_recorder_path(rec);
    read_help::Store store = read_help::open_store({path});
    ASSERT_TRUE(store) << ph_error();
    ASSERT_GT(ph_store_count(store.get()), 0u);
    ph_episode *episode = nullptr;
    ph_model *known = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, store.get(), 0)) << ph_error();
    const char *sha256 = ph_episode_meta_of(episode)->model_sha256;
    ASSERT_EQ(PH_OK, ph_store_model(&known, store.get(), sha256)) << ph_error();
    ph_model_unref(known);
    ph_episode_free(episode);
    ASSERT_GT(ph_server_pid(), 0);
    looked++;
  });
  EXPECT_EQ(looked, 3);
  EXPECT_EQ(content(quiet), content(watched));
  ASSERT_GT(ph_server_pid(), 0) << "a child that was forked while the run was open";
  int folder = open(watched.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(flock(folder, LOCK_EX | LOCK_NB), 0) << "it holds the lock of the run";
  close(folder);
}

} // namespace
