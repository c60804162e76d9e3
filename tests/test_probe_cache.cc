/* What the probe remembers, in the process and on disk; models. */
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <pthread.h>
#include <sys/resource.h>

#include "mj_help.h"
#include "probe_help.h"

using namespace read_help;

class ProbeCache : public Probe {
protected:
  /* Whether the probe knows the file without asking a child. */
  static bool known(const std::string &path) {
    ph_server_end();
    ph_probe_path(path.c_str());
    return ph_server_pid() == 0;
  }
  void settled_good() {
    write_good(file);
    settle(file);
    ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  }
  /* As a new process would begin. */
  static void forget() { ph_probe_reset(); }
};

/* --- in the process --- */

TEST_F(ProbeCache, AFileIsTriedOnce) {
  settled_good();
  EXPECT_TRUE(known(file));
  ph_server_end();
  EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK);
  EXPECT_GT(ph_server_pid(), 0) << "an episode is another question";
  ph_server_end();
  EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK);
  EXPECT_EQ(ph_server_pid(), 0);
  EXPECT_NE(ph_probe_episode(file.c_str(), "/data/demo_1"), PH_OK);
}

TEST_F(ProbeCache, AFileThatChangesIsTriedAgain) {
  settled_good();
  Bytes bytes = slurp(file);
  struct stat before;
  ASSERT_EQ(stat(file.c_str(), &before), 0);
  int fd = open(file.c_str(), O_WRONLY);
  ASSERT_EQ(pwrite(fd, &bytes[0], 1, 0), 1);
  const struct timespec times[2] = {before.st_atim, before.st_mtim};
  futimens(fd, times); /* size and mtime are as they were */
  close(fd);
  EXPECT_FALSE(known(file)) << "it was written";
  settle(file);
  EXPECT_FALSE(known(file)) << "its time of change is another one";
  EXPECT_TRUE(known(file));
}

TEST_F(ProbeCache, AFileThatIsBeingWrittenIsNotRemembered) {
  write_good(file);
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK);
  EXPECT_FALSE(known(file)) << "within one tick of the clock it may change unseen";
}

TEST_F(ProbeCache, ABadFileIsRememberedWithItsSentence) {
  spill(file, "once upon a time");
  settle(file);
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_EFORMAT);
  std::string text = ph_error();
  ph_fail(PH_EIO, "something else");
  ph_server_end();
  EXPECT_EQ(ph_probe_path(file.c_str()), PH_EFORMAT);
  EXPECT_EQ(ph_error(), text);
  std::string other = dir / "cache/../a.h5";
  EXPECT_EQ(ph_probe_path(other.c_str()), PH_EFORMAT);
  EXPECT_TRUE(says(ph_error(), other)) << "the name is that of the question";
  EXPECT_FALSE(std::filesystem::exists(verdicts())) << "bad verdicts are not for other processes";
}

TEST_F(ProbeCache, ARunIsKnownByItsFolderAndWhatItIsOpenedBy) {
  for (const char *name : {"run", "run/run.h5"})
    if (strcmp(name, "run") == 0)
      mkdir((dir / name).c_str(), 0700);
    else
      write_good(dir / name);
  std::string episode = dir / "run/" + run_file(0, 0, 20);
  write_good(episode);
  settle(dir / "run");
  ph_probe_path((dir / "run").c_str());
  ph_probe_path((dir / "run/run.h5").c_str());
  ph_probe_path(episode.c_str());
  for (const char *name : {"run", "run/run.h5"})
    EXPECT_TRUE(known(dir / name)) << name << ": " << ph_error();
  EXPECT_TRUE(known(episode));
  chmod((dir / "run/run.h5").c_str(), 0640);
  EXPECT_FALSE(known(dir / "run"));
  EXPECT_FALSE(known(dir / "run/run.h5"));
  EXPECT_FALSE(known(episode)) << "run.h5 is opened with it";
}

TEST_F(ProbeCache, AnEpisodeThatTheListLacksIsProbedByItself) {
  std::string run = dir / "run", episode = run + "/" + run_file(0, 0, 20);
  ASSERT_EQ(mkdir(run.c_str(), 0700), 0);
  write_good(run + "/run.h5");
  write_good(episode);
  settle(run);
  settle(episode);
  for (bool first : {true, false}) {
    ph_server_end();
    EXPECT_TRUE(open_store({run})) << ph_error();
    EXPECT_EQ(ph_server_pid() > 0, first);
  }
  chmod(episode.c_str(), 0640);
  EXPECT_TRUE(known(run)) << "the folder is as it was";
  EXPECT_TRUE(open_store({run})) << ph_error();
  EXPECT_GT(ph_server_pid(), 0) << "the episode is not";
}

TEST_F(ProbeCache, ManyVerdictsAreBounded) {
  write_good(file);
  settle(file);
  ph_print print = {};
  for (uint64_t i = 1; i < 400000; i++) {
    uint64_t x = i * 0x9e3779b97f4a7c15u;
    memcpy(print.bytes, &x, sizeof x);
    if (i == 1)
      unlink(verdicts().c_str());
    ph_cache_keep(&print, "x", i % 1000 ? PH_OK : ph_fail(PH_EFORMAT, "bad"));
    if (i == 3000) /* enough of the disk */
      setenv("XDG_CACHE_HOME", "/nowhere", 1);
  }
  ph_status verdict;
  EXPECT_TRUE(ph_cache_find(&print, "x", &verdict));
  EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK);
  EXPECT_EQ(slurp(dir / "cache/playhead/verdicts").size(), 32u * 2997);
}

/* --- what gave no answer --- */

namespace {

ph_question asks(ph_probe_kind kind, const std::string &path, const char *names = nullptr,
                 size_t size = 0) {
  return {kind, path.c_str(), names, names && !size ? strlen(names) + 1 : size};
}

/* As a child would say that computed for too long. */
bool keep_late(const ph_question &question, ph_answer answer = PH_ANSWER_CPU, int computed = 0,
               const char *at = "") {
  ph_reply reply = {};
  ph_probe_limits limits = ph_probe_limits_of(&question);
  reply.answer = answer;
  reply.number = computed;
  strcpy(reply.text, at);
  return ph_late_keep(&reply, &question, &limits);
}

bool is_late(const ph_question &question) {
  ph_status status = PH_OK;
  ph_probe_limits limits = ph_probe_limits_of(&question);
  return ph_late_find(&status, &question, &limits) && status == PH_ECORRUPT;
}

} // namespace

TEST_F(ProbeCache, TimeGoesWithTheSizeOfTheFile) {
  spill(file, "x");
  const struct {
    off_t size;
    int cpu, wall;
  } sizes[] = {{1, 2, 30},
               {130000, 2, 30},
               {64 << 20, 4, 40},
               {(off_t)1 << 30, 20, 60},
               {(off_t)1 << 40, 20, 60}};
  const ph_question question = asks(PH_PROBE_PATH, file);
  for (auto &s : sizes) {
    ASSERT_EQ(truncate(file.c_str(), s.size), 0);
    ph_probe_limits limits = ph_probe_limits_of(&question);
    EXPECT_EQ(limits.cpu, s.cpu) << s.size;
    EXPECT_EQ(limits.wall, s.wall) << s.size;
  }
  ASSERT_EQ(truncate(file.c_str(), 1), 0);
  spill(dir / "run.h5", "x");
  ASSERT_EQ(truncate((dir / "run.h5").c_str(), 64 << 20), 0);
  EXPECT_EQ(ph_probe_limits_of(&question).cpu, 4) << "run.h5 is opened with it";
  const ph_question folder = asks(PH_PROBE_PATH, dir.path());
  EXPECT_EQ(ph_probe_limits_of(&folder).cpu, 20) << "nobody knows how much is in it";
  const ph_probe_limits own = {0, 7, 9};
  ph_probe_limit(&own);
  EXPECT_EQ(ph_probe_limits_of(&question).cpu, 7);
  EXPECT_EQ(ph_probe_limits_of(&question).wall, 9);
}

TEST_F(ProbeCache, AFileThatHangsIsWaitedForOnce) {
  const ph_probe_limits limits = {0, 0, 1};
  std::string other = dir / "b.h5";
  write_good(other);
  settled_good();
  ph_probe_limit(&limits);
  ASSERT_EQ(ph_probe_episode(other.c_str(), "/data/demo_0"), PH_OK) << ph_error();
  pid_t pid = ph_server_pid();
  ASSERT_GT(pid, 0);
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  const char *const groups[] = {"/data/demo_0"};
  EXPECT_EQ(ph_probe_looks(other.c_str(), groups, 1), PH_OK)
      << "a child that does not even compute is no proof: " << ph_error();
  EXPECT_NE(ph_server_pid(), pid);
  ph_server_end();
  ASSERT_TRUE(keep_late(asks(PH_PROBE_LOOK, file, groups[0]), PH_ANSWER_TIME, 0));
  EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_ECORRUPT);
  EXPECT_EQ(ph_error(), file + ": HDF5 gives no answer in 1 s") << "by no other step";
  EXPECT_EQ(ph_server_pid(), 0);
  ph_probe_limit(nullptr);
  EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK) << "there is more time";
  ph_probe_limit(&limits);
  forget();
  EXPECT_EQ(ph_probe_looks(file.c_str(), groups, 1), PH_OK)
      << "it did not compute: the machine may be at fault: " << ph_error();
}

TEST_F(ProbeCache, AFileThatComputesForTooLongIsKnownToTheNextProcess) {
  write_good(file);
  settle(file);
  ASSERT_FALSE(is_late(asks(PH_PROBE_PATH, file)));
  ASSERT_TRUE(keep_late(asks(PH_PROBE_PATH, file)));
  EXPECT_TRUE(known(file));
  EXPECT_EQ(ph_error(), file + ": HDF5 gives no answer in 2 s");
  forget();
  EXPECT_TRUE(known(file));
  EXPECT_EQ(ph_error(), file + ": HDF5 gave no answer in 2 s when it was tried before: touch the "
                               "file, or remove playhead's cache folder, to try again");
  const ph_probe_limits more = {0, 3, 0};
  ph_probe_limit(&more);
  EXPECT_FALSE(known(file)) << "with more time";
  ph_probe_limit(nullptr);
  forget();
  utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  settle(file);
  EXPECT_FALSE(known(file));
  EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
}

TEST_F(ProbeCache, WhatMayPassIsNotKept) {
  write_good(file);
  settle(file);
  const ph_question question = asks(PH_PROBE_PATH, file);
  for (ph_answer answer : {PH_ANSWER_STATUS, PH_ANSWER_SIGNAL, PH_ANSWER_EXIT, PH_ANSWER_MEMORY,
                           PH_ANSWER_STOPPED, PH_ANSWER_NONE})
    EXPECT_FALSE(keep_late(question, answer)) << answer;
  EXPECT_FALSE(is_late(question));
  ASSERT_TRUE(keep_late(question, PH_ANSWER_TIME, 900));
  EXPECT_TRUE(is_late(question));
  forget();
  known(file);
  EXPECT_FALSE(is_late(question)) << "it had less than half of the time to compute";
  ASSERT_TRUE(keep_late(question, PH_ANSWER_TIME, 1000));
  forget();
  known(file);
  EXPECT_TRUE(is_late(question));
}

TEST_F(ProbeCache, OfSeveralObjectsTheOneThatHangsIsKept) {
  const char names[] = "/a\0/b\0/c";
  write_good(file);
  settle(file);
  const ph_question all = asks(PH_PROBE_LOOK, file, names, sizeof names);
  EXPECT_FALSE(keep_late(all)) << "nobody knows which one";
  ASSERT_TRUE(keep_late(all, PH_ANSWER_CPU, 0, "/b"));
  EXPECT_TRUE(is_late(all));
  EXPECT_TRUE(is_late(asks(PH_PROBE_LOOK, file, "/b")));
  EXPECT_TRUE(is_late(asks(PH_PROBE_EPISODE, file, "/b")));
  EXPECT_FALSE(is_late(asks(PH_PROBE_EPISODE, file, "/a"))) << "others may be good";
  EXPECT_FALSE(is_late(asks(PH_PROBE_PATH, file)));
  ASSERT_TRUE(keep_late(asks(PH_PROBE_EPISODE, file, "/c")));
  ASSERT_TRUE(keep_late(asks(PH_PROBE_EPISODE, file, "/d")));
  EXPECT_TRUE(is_late(asks(PH_PROBE_EPISODE, file, "/a"))) << "three were enough";
  EXPECT_NE(ph_probe_episode(file.c_str(), "/a"), PH_OK);
  EXPECT_TRUE(says(ph_error(), "HDF5 gave no answer for 3 other parts of it: no more is tried"));
}

/* --- on disk --- */

TEST_F(ProbeCache, AGoodVerdictOutlivesTheProcess) {
  settled_good();
  EXPECT_EQ(slurp(verdicts()).size(), 32u);
  forget();
  EXPECT_TRUE(known(file));
  EXPECT_EQ(slurp(verdicts()).size(), 32u) << "it is not written twice";
  unlink(verdicts().c_str());
  forget();
  EXPECT_FALSE(known(file));
}

TEST_F(ProbeCache, EveryFlippedByteOnDiskIsNoticed) {
  settled_good();
  Bytes good = slurp(verdicts());
  ASSERT_EQ(good.size(), 32u);
  for (size_t at = 0; at < good.size(); at++) {
    Bytes bad = good;
    bad[at] ^= 0x10;
    spill(verdicts(), bad, bad.size());
    forget();
    EXPECT_FALSE(known(file)) << at;
    EXPECT_EQ(slurp(verdicts()), good) << "it heals";
  }
}

TEST_F(ProbeCache, ATornRecordAndGarbageAreLeftOut) {
  settled_good();
  Bytes good = slurp(verdicts()), torn = good;
  torn.insert(torn.end(), good.begin(), good.begin() + 13);
  spill(verdicts(), torn, torn.size());
  forget();
  EXPECT_TRUE(known(file));
  EXPECT_EQ(slurp(verdicts()), good) << "what is appended later is not shifted";
  Bytes garbage((size_t)5 << 20, 'x');
  spill(verdicts(), garbage, garbage.size());
  forget();
  EXPECT_FALSE(known(file));
  EXPECT_EQ(slurp(verdicts()), good);
}

TEST_F(ProbeCache, WithoutAFolderOfOursThereIsNoFile) {
  write_good(file);
  settle(file);
  auto probes = [&](const char *what) {
    forget();
    EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK) << what << ": " << ph_error();
    EXPECT_TRUE(known(file)) << what;
  };
  std::string folder = dir / "cache/playhead";
  mkdir(folder.c_str(), 0700);
  chmod(folder.c_str(), 0777);
  probes("others may write");
  EXPECT_FALSE(std::filesystem::exists(verdicts()));
  chmod(folder.c_str(), 0700);
  mkfifo(verdicts().c_str(), 0600);
  probes("a pipe, or it hangs");
  unlink(verdicts().c_str());
  spill(dir / "victim", "precious");
  ASSERT_EQ(symlink((dir / "victim").c_str(), verdicts().c_str()), 0);
  probes("a link");
  EXPECT_EQ(slurp(dir / "victim").size(), 8u);
  std::filesystem::remove_all(folder);
  spill(folder, "a file");
  probes("a file in the folder's place");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", (dir / "nowhere").c_str(), 1);
  probes("no home");
  EXPECT_FALSE(std::filesystem::exists(dir / "nowhere"));
  setenv("HOME", dir.path().c_str(), 1);
  probes("home");
  EXPECT_TRUE(std::filesystem::exists(dir / ".cache/playhead/verdicts"));
}

TEST_F(ProbeCache, NothingIsWrittenBeyondALimitOfTheHost) {
  write_good(file);
  settle(file);
  int code = in_host([&] {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none); /* SIGXFSZ would end it */
    forget();
    return ph_probe_path(file.c_str()) == PH_OK && known(file) ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

/* --- models --- */

TEST_F(ProbeCache, AModelIsTriedOnce) {
  ph_source *good = help_source("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  ph_source *bad = help_source("<mujoco><worldbody><geom sise='1'/></worldbody></mujoco>");
  EXPECT_EQ(ph_probe_model(good, "a.xml"), PH_OK) << ph_error();
  EXPECT_EQ(slurp(verdicts()).size(), 32u);
  EXPECT_EQ(ph_probe_model(bad, "a.xml"), PH_EMODEL);
  EXPECT_TRUE(says(ph_error(), "sise"));
  std::string text = ph_error();
  ph_fail(PH_EIO, "other");
  EXPECT_EQ(ph_probe_model(bad, "a.xml"), PH_EMODEL);
  EXPECT_EQ(ph_error(), text);
  /* No process can be made any more: what is known is not tried. */
  forget();
  int code = in_host([&] {
    struct rlimit none = {0, 0};
    if (getuid() == 0 && setuid(65534) != 0)
      return 10;
    setrlimit(RLIMIT_NPROC, &none);
    setenv("XDG_CACHE_HOME", "/nowhere", 1);
    return ph_probe_model(good, "a.xml") == PH_EIO ? 0 : 1;
  });
  EXPECT_TRUE(code == 0 || code == 10) << code;
  EXPECT_EQ(ph_probe_model(good, "a.xml"), PH_OK) << ph_error();
  EXPECT_EQ(slurp(verdicts()).size(), 32u) << "it was known from the file";
  ph_source_free(good);
  ph_source_free(bad);
}

/* Texts that MuJoCo 2.2.2 cannot bear; other versions may refuse them. */
TEST_F(ProbeCache, AModelThatKillsTheCompilerIsOneLine) {
  const struct {
    const char *xml, *line;
  } models[] = {
      {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 "
       "99999999'/></asset>"
       "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
       "m.xml: MuJoCo crashes on it (signal 11)"},
      {"<mujoco><asset><texture name='t' type='2d' builtin='flat' width='60000' height='60000' "
       "rgb1='1 1 1'/></asset><worldbody/></mujoco>",
       "m.xml: MuJoCo needs more than 4096 MiB for it"},
      {"<mujoco><worldbody><body><composite type='particle' count='1000 1000 10' spacing='.1'>"
       "<geom size='.01'/></composite></body></worldbody></mujoco>",
       "m.xml: MuJoCo gives no answer in 1 s"},
  };
  if (SANITIZED)
    GTEST_SKIP() << "there are no limits under sanitizers";
  const ph_probe_limits limits = {0, 1, 60};
  for (auto &model : models) {
    ph_source *source = help_source(model.xml);
    ph_probe_limit(strstr(model.line, " in 1 s") ? &limits : nullptr);
    EXPECT_EQ(ph_probe_model(source, "m.xml"), PH_EMODEL);
    if (mj_version() < 300) {
      EXPECT_STREQ(ph_error(), model.line);
    }
    ph_source_free(source);
  }
  ph_probe_limit(nullptr);
  const char *text = models[0].xml;
  spill(dir / "m.xml", text);
  ph_model *model = nullptr;
  EXPECT_EQ(ph_model_open(&model, (dir / "m.xml").c_str(), nullptr), PH_EMODEL);
  EXPECT_TRUE(says(ph_error(), dir / "m.xml"));
  EXPECT_EQ(model, nullptr);
}

/* --- texts --- */

/* What the host could do at all without a process: 10, it may not give up its right to make them.
 */
int open_without_processes(const std::string &path) {
  ph_model *model = nullptr;
  struct rlimit none = {0, 0};
  if (getuid() == 0 && setuid(65534) != 0)
    return 10;
  setrlimit(RLIMIT_NPROC, &none);
  ph_status status = ph_model_open(&model, path.c_str(), nullptr);
  return status == PH_OK ? 0 : status == PH_EIO ? 1 : 2;
}

std::string large_text() {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < 400000; i++)
    text += "<site name='a" + std::to_string(i) + "'/>";
  return text + "</worldbody></mujoco>";
}

TEST_F(ProbeCache, ATextIsParsedInAChildFirst) {
  if (SANITIZED)
    GTEST_SKIP() << "there are no limits under sanitizers";
  const ph_probe_limits limits = {(size_t)16 << 20, 0, 0};
  ph_model *model = nullptr;
  std::string path = dir / "large.xml", text = large_text();
  spill(path, text);
  ph_probe_limit(&limits);
  EXPECT_EQ(ph_model_open(&model, path.c_str(), nullptr), PH_EMODEL);
  EXPECT_EQ(ph_error(), path + ": the reader of models needs more than 16 MiB for it");
  EXPECT_EQ(ph_model_open_text(&model, text.data(), text.size(), path.c_str(), nullptr), PH_EMODEL);
  EXPECT_EQ(ph_error(), path + ": the reader of models needs more than 16 MiB for it");
}

TEST_F(ProbeCache, AModelWhoseChildOnlyWaitedIsNotKnownAsBad) {
  static bool stops = true;
  ph_source *source = help_source("<mujoco><worldbody><geom size='3'/></worldbody></mujoco>");
  const ph_probe_limits late = {0, 60, 1};
  int code = in_host([&] {
    pthread_atfork(nullptr, nullptr, [] {
      if (stops)
        raise(SIGSTOP);
    });
    ph_probe_limit(&late);
    if (ph_probe_model(source, "m.xml") != PH_EMODEL)
      return 1;
    stops = false;
    ph_probe_limit(nullptr);
    return ph_probe_model(source, "m.xml") == PH_OK ? 0 : 2;
  });
  EXPECT_EQ(code, 0) << "1: a child that is stopped gives no answer; 2: it is not tried anew";
  ph_source_free(source);
}

TEST_F(ProbeCache, ATextIsCollectedAndCompiledInAChildOnce) {
  ASSERT_EQ(chmod((dir / ".").c_str(), 0755), 0);
  ph_model *model = nullptr;
  std::string path = dir / "m.xml";
  spill(path, "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  int code = in_host([&] { return open_without_processes(path); });
  EXPECT_TRUE(code == 1 || code == 10) << code << ": it is opened without a child";
  ASSERT_EQ(ph_model_open(&model, path.c_str(), nullptr), PH_OK) << ph_error();
  ph_model_unref(model);
  code = in_host([&] { return open_without_processes(path); });
  EXPECT_TRUE(code == 0 || code == 10) << code << ": it is tried again";
  spill(path, "<mujoco><worldbody><geom size='2'/></worldbody></mujoco>");
  code = in_host([&] { return open_without_processes(path); });
  EXPECT_TRUE(code == 1 || code == 10) << code << ": another text is not tried";
}

TEST_F(ProbeCache, ATextThatIncludesAnotherIsCollectedInAChildEachTime) {
  ASSERT_EQ(chmod((dir / ".").c_str(), 0755), 0);
  ph_model *model = nullptr;
  std::string path = dir / "m.xml";
  spill(path, "<mujoco><include file='b.xml'/></mujoco>");
  spill(dir / "b.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(ph_model_open(&model, path.c_str(), nullptr), PH_OK) << ph_error();
    ph_model_unref(model);
    int code = in_host([&] { return open_without_processes(path); });
    EXPECT_TRUE(code == 1 || code == 10) << code;
  }
  EXPECT_EQ(slurp(verdicts()).size(), 32u) << "one verdict: that of the whole";
}

TEST_F(ProbeCache, ABadTextSaysWhatTheParentWouldSay) {
  ph_model *model = nullptr;
  std::string path = dir / "m.xml", text;
  const char *const bad[] = {"<mujoco><worldbody><geom sise='1'/></worldbody></mujoco>",
                             "<mujoco><worldbody>", "<mujoco><include file='none.xml'/></mujoco>"};
  for (const char *xml : bad) {
    spill(path, xml);
    for (int i = 0; i < 2; i++) {
      EXPECT_NE(ph_model_open(&model, path.c_str(), nullptr), PH_OK);
      EXPECT_TRUE(says(ph_error(), path)) << ph_error();
      EXPECT_TRUE(i == 0 || text == ph_error()) << text << "\n" << ph_error();
      text = ph_error();
    }
  }
}
