// The worker around a session of the test's own: it holds each request until the test lets it go,
// so what is coalesced does not depend on time.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <poll.h>
#include <signal.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
#include "worker.h"
}

struct session {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<uint64_t> served;
  int allowed = 0;
  bool fail = false;
  int pieces = 0, released = 0, begun = 0, interrupted = 0;
  int early = 0; // pieces that were begun before the first request was served
};

static std::atomic<int> freed;

// These take the place of session.c's: the linker needs no other.
extern "C" ph_status session_serve(struct session *s, const struct request *req,
                                   struct snapshot **out) {
  std::unique_lock<std::mutex> hold(s->lock);
  s->early = s->served.empty() ? s->begun : s->early;
  s->served.push_back(req->serial);
  s->changed.notify_all();
  s->changed.wait(hold, [s] { return s->allowed > 0; });
  s->allowed--;
  if (s->fail)
    return PH_ENOMEM;
  *out = static_cast<struct snapshot *>(calloc(1, sizeof **out));
  (*out)->serial = req->serial;
  (*out)->step = req->step;
  return PH_OK;
}

// What can wait: as many pieces as the test says; each that is not interrupted gives an answer.
extern "C" bool session_work(struct session *s, bool (*interrupted)(void *), void *arg,
                             struct snapshot **out) {
  *out = nullptr;
  std::unique_lock<std::mutex> hold(s->lock);
  if (s->pieces == 0)
    return false;
  s->begun++;
  s->changed.notify_all();
  s->changed.wait(hold, [s] { return s->released > 0; });
  s->released--;
  hold.unlock();
  bool stop = interrupted(arg);
  hold.lock();
  s->interrupted += stop;
  if (!stop) {
    s->pieces--;
    *out = static_cast<struct snapshot *>(calloc(1, sizeof **out));
    (*out)->serial = s->served.back();
    (*out)->time = s->pieces;
  }
  return true;
}

extern "C" uint64_t session_wait(const struct session *) {
  return UINT64_MAX;
}

extern "C" void session_free(struct session *s) {
  delete s;
  freed++;
}

struct Worker : ::testing::Test {
  struct session *s = new struct session;
  struct worker *w = nullptr;

  void SetUp() override {
    freed = 0;
    ASSERT_EQ(worker_start(&w, s), PH_OK);
  }
  void TearDown() override {
    allow(1000);
    release(1000);
    worker_stop(w);
    EXPECT_EQ(freed, 1);
  }
  void ask(uint64_t serial) {
    request req = {};
    req.serial = serial;
    req.step = (int64_t)serial * 10;
    worker_ask(w, &req);
  }
  void allow(int n) {
    std::lock_guard<std::mutex> hold(s->lock);
    s->allowed = n > 1000000 ? n : s->allowed + n;
    s->changed.notify_all();
  }
  // Work that can wait, and how many pieces of it may be done.
  void give(int pieces, int released) {
    std::lock_guard<std::mutex> hold(s->lock);
    s->pieces = pieces;
    s->released = released;
    s->changed.notify_all();
  }
  void release(int n) {
    std::lock_guard<std::mutex> hold(s->lock);
    s->released += n;
    s->changed.notify_all();
  }
  void wait_piece(int n) {
    std::unique_lock<std::mutex> hold(s->lock);
    s->changed.wait(hold, [&] { return s->begun >= n; });
  }
  void wait_begun(size_t n) {
    std::unique_lock<std::mutex> hold(s->lock);
    s->changed.wait(hold, [&] { return s->served.size() >= n; });
  }
  bool readable(int ms) {
    struct pollfd fd = {worker_fd(w), POLLIN, 0};
    return poll(&fd, 1, ms) == 1;
  }
  struct snapshot *next() {
    EXPECT_TRUE(readable(10000));
    return worker_take(w);
  }
};

TEST_F(Worker, AnswersARequest) {
  EXPECT_EQ(worker_take(w), nullptr);
  allow(1);
  ask(7);
  struct snapshot *snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(snap->serial, 7u);
  EXPECT_EQ(snap->step, 70);
  snapshot_free(snap);
  EXPECT_EQ(worker_take(w), nullptr) << "each snapshot is given once";
  EXPECT_FALSE(readable(0)) << "worker_take drains the pipe";
}

TEST_F(Worker, NewestWinsAndNothingQueues) {
  ask(1);
  wait_begun(1);
  for (uint64_t i = 2; i <= 500; i++)
    ask(i);
  allow(1);
  wait_begun(2);
  {
    std::lock_guard<std::mutex> hold(s->lock);
    EXPECT_EQ(s->served, (std::vector<uint64_t>{1, 500}));
  }
  struct snapshot *snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(snap->serial, 1u) << "the older answer is there while the newest is made";
  snapshot_free(snap);
  allow(1);
  snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(snap->serial, 500u);
  snapshot_free(snap);
}

TEST_F(Worker, ANewerSnapshotReplacesOneThatWasNotTaken) {
  allow(2);
  ask(1);
  wait_begun(1);
  while (!readable(10)) {
  }
  ask(2);
  wait_begun(2);
  allow(1);
  ask(3);
  wait_begun(3);
  uint64_t last = 0;
  while (last != 3) {
    struct snapshot *snap = worker_take(w);
    if (!snap) {
      readable(10);
      continue;
    }
    EXPECT_GT(snap->serial, last);
    last = snap->serial;
    snapshot_free(snap);
  }
}

TEST_F(Worker, AFailedServeIsSaidAndTheNextOneWorks) {
  s->fail = true;
  EXPECT_FALSE(worker_starved(w));
  allow(1);
  ask(1);
  ASSERT_TRUE(readable(10000)) << "the loop is woken";
  EXPECT_EQ(worker_take(w), nullptr);
  EXPECT_TRUE(worker_starved(w));
  EXPECT_FALSE(worker_starved(w)) << "once";
  {
    std::lock_guard<std::mutex> hold(s->lock);
    s->fail = false;
  }
  allow(1);
  ask(2);
  struct snapshot *snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(snap->serial, 2u);
  EXPECT_FALSE(worker_starved(w));
  snapshot_free(snap);
}

TEST_F(Worker, WhatCanWaitIsDonePieceByPieceAfterTheAnswer) {
  give(3, 0);
  allow(1);
  ask(4);
  struct snapshot *snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(s->early, 0) << "nothing is done before the first request";
  EXPECT_EQ(snap->serial, 4u);
  snapshot_free(snap);
  for (int left = 2; left >= 0; left--) {
    release(1);
    snap = next();
    ASSERT_TRUE(snap);
    EXPECT_EQ(snap->serial, 4u);
    EXPECT_EQ(snap->time, left);
    snapshot_free(snap);
  }
  allow(1);
  ask(5);
  snap = next();
  ASSERT_TRUE(snap);
  EXPECT_EQ(snap->serial, 5u) << "it is done: nothing comes before the next answer";
  snapshot_free(snap);
  std::lock_guard<std::mutex> hold(s->lock);
  EXPECT_EQ(s->begun, 3);
}

TEST_F(Worker, ARequestInterruptsWhatCanWait) {
  give(1000, 0);
  allow(1);
  ask(1);
  wait_piece(1);
  ask(2);
  release(1); // the piece in hand ends, and says that it was interrupted
  wait_begun(2);
  {
    std::lock_guard<std::mutex> hold(s->lock);
    EXPECT_EQ(s->interrupted, 1);
    EXPECT_EQ(s->begun, 1) << "the request came before the next piece";
    EXPECT_EQ(s->served, (std::vector<uint64_t>{1, 2}));
  }
  allow(1);
  wait_piece(2);
}

TEST_F(Worker, StoppingInterruptsWhatCanWait) {
  give(1000000, 0);
  allow(1);
  ask(1);
  wait_piece(1);
} // TearDown stops it

static int report[2];

static void on_trap(int) {
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  char told = stack.ss_flags == SS_ONSTACK && stack.ss_size >= 32768;
  if (write(report[1], &told, 1) != 1)
    abort();
}

// A fault signal that only the worker can take: its handler must not need the thread's own stack,
// for that may be what overflowed.
TEST_F(Worker, HandlesItsFaultsOnAStackOfTheirOwn) {
  struct sigaction action = {}, before;
  sigset_t trap, mask;
  char told = -1;
  ASSERT_EQ(pipe(report), 0);
  ask(1);
  wait_begun(1); // the thread runs
  action.sa_handler = on_trap;
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, &mask);
  kill(getpid(), SIGTRAP);
  EXPECT_EQ(read(report[0], &told, 1), 1);
  EXPECT_EQ(told, 1);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTRAP, &before, nullptr);
  close(report[0]);
  close(report[1]);
}

TEST_F(Worker, StopsWithARequestUnderWayAndAnotherWaiting) {
  ask(1);
  wait_begun(1);
  ask(2);
} // TearDown stops it

TEST_F(Worker, StormOfRequestsAndTakes) {
  allow(1 << 30);
  uint64_t last = 0;
  for (uint64_t i = 1; i <= 20000; i++) {
    ask(i);
    struct snapshot *snap = worker_take(w);
    if (snap) {
      ASSERT_GT(snap->serial, last);
      last = snap->serial;
      snapshot_free(snap);
    }
  }
  while (last != 20000) {
    struct snapshot *snap = next();
    if (snap)
      last = snap->serial;
    snapshot_free(snap);
  }
}

TEST(WorkerStop, OfNothing) {
  worker_stop(nullptr);
}
