/* The child for files: one for the process, so that twenty thousand files do not cost as many
 * forks. A child that met a bad file is not used again: the next one begins clean. One that dies
 * although it had done well before may have died of what it kept: the file is tried once more in a
 * new one. */
#include "probe_child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "store.h"

enum { NAMES_MAX = 32000, REQUESTS_MAX = 4096, WATCH_MS = 50 };

typedef struct ph_request {
  int32_t kind;
  int32_t cpu;           /* [s] that it may compute */
  uint32_t groups;       /* where they begin in names, behind the path's end */
  uint32_t size;         /* of names */
  char names[NAMES_MAX]; /* each with its ending 0 */
} ph_request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static ph_child child = {.fd = -1};
static pid_t owner;  /* the process that forked it */
static uid_t user;   /* that it ran as */
static int requests; /* that it has answered */

/* --- the child's side --- */

static int served;   /* its end of the socket */
static bool telling; /* this is the child, and several objects are looked at */

void ph_probe_at(const char *object) {
  if (telling)
    ph_child_note(served, object);
}

/* The folder that a relative path starts from comes along with the request. */
static void enter_folder(struct msghdr *message) {
  struct cmsghdr *head = CMSG_FIRSTHDR(message);
  int fd = -1;
  if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len < CMSG_LEN(sizeof fd))
    return;
  memcpy(&fd, CMSG_DATA(head), sizeof fd);
  if (fchdir(fd) != 0)
    _exit(128);
  close(fd);
}

static bool next_request(int fd, ph_request *request) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec part = {request, sizeof *request};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t n;
  do
    n = recvmsg(fd, &message, 0);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return false;
  enter_folder(&message);
  return true;
}

static ph_status answer(const ph_request *request) {
  const char *groups[PH_PROBE_LOOKS], *group = request->names + request->groups;
  size_t n = 0;
  for (size_t at = request->groups; at < request->size && n < PH_PROBE_LOOKS; n++) {
    groups[n] = request->names + at;
    at += strlen(groups[n]) + 1;
  }
  switch ((ph_probe_kind)request->kind) {
  case PH_PROBE_EPISODE:
    return ph_store_try_episode(request->names, group);
  case PH_PROBE_LOOK:
    return ph_store_try_looks(request->names, groups, n);
  case PH_PROBE_STORED:
    return ph_store_try_stored(request->names, group);
  default:
    return ph_store_try_path(request->names);
  }
}

static void serve(int fd, void *arg) {
  static ph_request request;
  ph_status status = PH_OK;
  (void)arg;
  while (status == PH_OK && next_request(fd, &request)) {
    served = fd;
    telling = request.kind == PH_PROBE_LOOK;
    ph_child_may_compute(request.cpu);
    ph_child_begin();
    status = answer(&request);
    ph_child_answer(fd, status);
  }
  _exit(0);
}

/* --- the parent's side --- */

static void end(void) {
  if (owner == getpid())
    ph_child_end(&child);
  else if (ph_child_connected(&child)) /* of the process that this one was forked from */
    close(child.fd);
  child = PH_CHILD_NONE;
  requests = 0;
}

static ph_status ensure(const ph_probe_limits *limits, const char *path) {
  if (child.pid > 0 && owner == getpid() && user == geteuid() && requests < REQUESTS_MAX &&
      ph_child_connected(&child) && limits->memory == child.may.memory)
    return PH_OK;
  end();
  owner = getpid();
  user = geteuid();
  return ph_child_fork(&child, limits, path, serve, NULL);
}

static bool send_request(const ph_request *request, size_t size) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec part = {(void *)request, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  int folder = request->names[0] == '/' ? -1 : open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof folder);
    memcpy(CMSG_DATA(&control.head), &folder, sizeof folder);
  }
  ssize_t n;
  do
    n = sendmsg(child.fd, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (folder >= 0)
    close(folder);
  return n == (ssize_t)size;
}

static bool gave_none(const ph_reply *reply) {
  return reply->answer == PH_ANSWER_CPU || reply->answer == PH_ANSWER_TIME;
}

/* Its answer; of none, the text is what it was at. */
static void listen_to(ph_reply *reply) {
  char at[sizeof reply->text] = "";
  for (ph_child_receive(&child, reply); reply->answer == PH_ANSWER_NOTE;
       ph_child_receive(&child, reply))
    memcpy(at, reply->text, sizeof at);
  if (gave_none(reply))
    memcpy(reply->text, at, sizeof at);
}

/* An answer, in a second child where the first one's is no proof (it had other files before, or
 * hardly computed): each call has its own time. */
static ph_status ask(ph_reply *reply, const ph_request *request, size_t size,
                     const ph_probe_limits *limits) {
  for (bool waited = false;;) {
    ph_status status = ensure(limits, request->names);
    if (status)
      return status;
    child.where = request->names;
    child.may = *limits;
    bool fresh = requests == 0, sent = send_request(request, size);
    reply->answer = PH_ANSWER_NONE;
    if (sent)
      listen_to(reply);
    requests++;
    bool good = reply->answer == PH_ANSWER_STATUS && reply->status == PH_OK;
    if (!good)
      end();
    if (!waited && ph_reply_waited(reply, limits)) {
      waited = true;
      continue;
    }
    if (fresh || reply->answer == PH_ANSWER_STATUS || reply->answer == PH_ANSWER_STOPPED ||
        gave_none(reply))
      return PH_OK;
  }
}

const char *ph_engine_of(const char *path) {
  struct stat st;
  const char *dot = strrchr(path, '.');
  bool archive = dot && strcmp(dot, ".npz") == 0;
  return archive || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) ? "its reader" : "HDF5";
}

/* Takes the lock; another thread may wait for the child. false: whoever watches wants it stopped.
 */
static bool enter(const char *path, const ph_probe_limits *limits) {
  const ph_child other = {.where = path, .may = *limits};
  for (int64_t ms = 0;; ms += WATCH_MS) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WATCH_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&lock, &until) == 0)
      return true;
    if (!ph_wait_goes_on(&other, ms))
      return false;
  }
}

ph_status ph_server_ask(ph_reply *reply, const ph_question *question,
                        const ph_probe_limits *limits) {
  static ph_request request; /* under the lock */
  const char *path = question->path;
  size_t length = strlen(path) + 1;
  *reply = (ph_reply){.answer = PH_ANSWER_NONE};
  if (length + question->size > NAMES_MAX)
    return ph_fail(PH_EIO, "%.200s...: cannot be opened: %s", path, strerror(ENAMETOOLONG));
  if (!enter(path, limits))
    return ph_fail(PH_ECANCELED, "%s: it was stopped before it was open", path);
  request.kind = (int32_t)question->kind;
  request.cpu = limits->cpu;
  request.groups = (uint32_t)length;
  request.size = (uint32_t)(length + question->size);
  memcpy(request.names, path, length);
  if (question->size)
    memcpy(request.names + length, question->names, question->size);
  ph_status status = ask(reply, &request, offsetof(ph_request, names) + request.size, limits);
  pthread_mutex_unlock(&lock);
  return status ? status : ph_reply_status(reply, limits, PH_ECORRUPT, path, ph_engine_of(path));
}

void ph_server_end(void) {
  pthread_mutex_lock(&lock);
  end();
  pthread_mutex_unlock(&lock);
}

pid_t ph_server_pid(void) {
  pthread_mutex_lock(&lock);
  pid_t pid = owner == getpid() ? child.pid : 0;
  pthread_mutex_unlock(&lock);
  return pid;
}
