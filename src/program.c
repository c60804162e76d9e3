#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "fail.h"
#include "program_child.h"

enum {
  SLICE_MS = 50,   /* between two looks at whether it lives, and whether somebody still waits */
  DYING_MS = 1000, /* from its last word to its end, which says more than the word */
  GRACE_MS = 2000,
  TAIL = 2048, /* of what it writes to its standard error */
  CHUNK = 1 << 16,
  SHOWN = 60, /* of its words in a message */
  CANNOT_RUN = 126,
  NOT_FOUND = 127 /* by which the shell ends */
};

struct ph_program {
  ph_process child;
  char *what, *command;
  double timeout, first;
  size_t longest;
  bool (*cancel)(void *user);
  void *user;
  bool answered; /* once at least */
  bool failed, missing;
  ph_bytes question; /* what is to be sent */
  size_t sent;
  ph_bytes answer;
  char tail[TAIL];
  size_t ntail;
};

/* --- life --- */

static void put_away(ph_program *p) {
  free(p->what);
  free(p->command);
  free(p->question.data);
  free(p->answer.data);
  free(p);
}

ph_status ph_program_start(ph_program **out, const ph_program_options *opt) {
  *out = NULL;
  const char *command = opt->command + strspn(opt->command, " \t\r\n");
  if (!*command)
    return ph_fail(PH_EINVAL, "%s: an empty command", opt->what);
  if (!(opt->timeout > 0) || !isfinite(opt->timeout) || !(opt->first >= 0) || !isfinite(opt->first))
    return ph_fail(PH_EINVAL, "%s: timeout %g: no positive number of seconds", opt->what,
                   opt->timeout);
  ph_program *p = calloc(1, sizeof *p);
  if (!p)
    return ph_fail(PH_ENOMEM, "%s: out of memory", opt->what);
  p->child = PH_PROCESS_NONE;
  p->what = strdup(opt->what);
  p->command = strdup(command);
  p->timeout = opt->timeout;
  p->first = opt->first;
  p->longest = opt->longest;
  p->cancel = opt->cancel;
  p->user = opt->user;
  ph_status status = p->what && p->command ? ph_process_start(&p->child, p->command)
                                           : ph_fail(PH_ENOMEM, "out of memory");
  if (status == PH_OK)
    *out = p;
  else {
    ph_fail_in(status, "%s", opt->what);
    put_away(p);
  }
  return status;
}

bool ph_program_runs(const ph_program *program) {
  return !program->failed;
}

bool ph_program_missing(const ph_program *program) {
  return program->missing;
}

/* --- bytes --- */

void ph_program_set_longest(ph_program *program, size_t bytes) {
  program->longest = bytes;
}

ph_status ph_program_prepare(ph_program *program, const void *data, size_t size) {
  ph_bytes_add(&program->question, data, size);
  return program->question.lost ? ph_fail(PH_ENOMEM, "%s: out of memory", program->what) : PH_OK;
}

/* The last line with something in it. */
static void last_words(const ph_program *p, char *out, size_t size) {
  size_t end = p->ntail, begin;
  while (end > 0 && strchr("\r\n\t ", p->tail[end - 1]))
    end--;
  for (begin = end; begin > 0 && p->tail[begin - 1] != '\n'; begin--) {
  }
  ph_escape(out, size, p->tail + begin, end - begin);
}

static void keep_tail(ph_program *p, const char *data, size_t n) {
  if (n >= TAIL) {
    memcpy(p->tail, data + n - TAIL, TAIL);
    p->ntail = TAIL;
    return;
  }
  size_t keep = p->ntail + n > TAIL ? TAIL - n : p->ntail;
  memmove(p->tail, p->tail + p->ntail - keep, keep);
  memcpy(p->tail + keep, data, n);
  p->ntail = keep + n;
}

/* --- reading and writing, never waiting --- */

/* What one read gave; 0: nothing is there now; -1: the end. */
static ssize_t read_some(int *fd, char *out, size_t room) {
  if (*fd < 0)
    return -1;
  ssize_t n = read(*fd, out, room);
  if (n > 0)
    return n;
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return 0;
  close(*fd);
  *fd = -1;
  return -1;
}

static void read_errors(ph_program *p) {
  char chunk[4096];
  ssize_t n = read_some(&p->child.err, chunk, sizeof chunk);
  if (n > 0)
    keep_tail(p, chunk, (size_t)n);
}

/* false: out of memory. */
static bool read_answer(ph_program *p) {
  if (!ph_bytes_reserve(&p->answer, CHUNK))
    return false;
  ssize_t n = read_some(&p->child.out, p->answer.data + p->answer.n, CHUNK);
  if (n > 0)
    p->answer.n += (size_t)n;
  return true;
}

/* What it does not take any more is not wanted: its end, or its silence, is told of. */
static void send_some(ph_program *p) {
  ssize_t n = ph_process_write(&p->child, p->question.data + p->sent, p->question.n - p->sent);
  if (n > 0)
    p->sent += (size_t)n;
}

/* Waits for something to happen, at most a slice. */
static void wait_some(ph_program *p, int64_t left_ms) {
  struct pollfd fds[3] = {{.fd = p->child.out, .events = POLLIN},
                          {.fd = p->child.err, .events = POLLIN},
                          {.fd = p->sent < p->question.n ? p->child.in : -1, .events = POLLOUT}};
  int slice = left_ms < 0 ? 0 : left_ms < SLICE_MS ? (int)left_ms : SLICE_MS;
  if (poll(fds, 3, slice) <= 0)
    return;
  if (fds[1].revents)
    read_errors(p);
  if (fds[2].revents)
    send_some(p);
}

/* --- what went wrong --- */

/* Whether it ends within that time; *how as waitpid has it. What it says meanwhile is kept. */
static bool ends_within(ph_program *p, int64_t ms, int *how) {
  int64_t end = ph_process_now() + ms;
  p->question.n = p->sent; /* nothing more is sent */
  while (!ph_process_ended(&p->child, how)) {
    char chunk[4096];
    struct pollfd fds[2] = {{.fd = p->child.out, .events = POLLIN},
                            {.fd = p->child.err, .events = POLLIN}};
    int64_t left = end - ph_process_now();
    if (left <= 0)
      return false;
    poll(fds, 2, left < 5 ? (int)left : 5);
    read_some(&p->child.out, chunk, sizeof chunk);
    read_errors(p);
  }
  for (int i = 0; i < TAIL && p->child.err >= 0; i++) { /* others may go on writing */
    size_t before = p->ntail;
    read_errors(p);
    if (p->ntail == before && p->ntail < TAIL)
      break;
  }
  return true;
}

static ph_status fail_with(ph_program *p, ph_status status, const char *why) {
  char words[240];
  last_words(p, words, sizeof words);
  ph_process_end(&p->child, NULL);
  p->failed = true;
  return ph_fail(status, "%s: %.120s%s: %s%s%s", p->what, p->command,
                 strlen(p->command) > 120 ? "..." : "", why, words[0] ? ": " : "", words);
}

/* It has closed a pipe, or somebody else holds it after its end. One that waits for more of a
 * question is told that no more comes: how it ends says more. */
static ph_status fail_ended(ph_program *p, const char *closed) {
  char why[120];
  int how = -1;
  ph_process_close_input(&p->child);
  if (!ends_within(p, DYING_MS, &how))
    snprintf(why, sizeof why, "it closed its %s", closed);
  else
    ph_process_how(how, why, sizeof why);
  p->missing = !p->answered && how >= 0 && WIFEXITED(how) &&
               (WEXITSTATUS(how) == CANNOT_RUN || WEXITSTATUS(how) == NOT_FOUND);
  return fail_with(p, PH_EIO, why);
}

/* "it wrote ...: "the first of it"". */
static ph_status fail_words(ph_program *p, const char *what, size_t from) {
  char shown[4 * SHOWN + 1], why[400];
  size_t n = strcspn(p->answer.data + from, "\n");
  ph_escape(shown, sizeof shown, p->answer.data + from, n < SHOWN ? n : SHOWN);
  snprintf(why, sizeof why, "%s: \"%s%s\"", what, shown, n > SHOWN ? "..." : "");
  return fail_with(p, PH_EIO, why);
}

ph_status ph_program_refuse(ph_program *program, const char *fmt, ...) {
  char why[600];
  va_list args;
  va_start(args, fmt);
  vsnprintf(why, sizeof why, fmt, args);
  va_end(args);
  return fail_with(program, PH_EFORMAT, why);
}

/* --- a question --- */

/* Nothing may be there before it is asked. */
static ph_status look_before(ph_program *p) {
  p->answer.n = 0;
  if (!read_answer(p))
    return fail_with(p, PH_ENOMEM, "out of memory");
  p->answer.data[p->answer.n] = 0;
  if (p->answer.n > 0)
    return fail_words(p, "it wrote before it was asked", 0);
  return p->child.out < 0 ? fail_ended(p, "standard output") : PH_OK;
}

/* Whether there is a line; *status: PH_OK, or why there will be none. */
static bool has_line(ph_program *p, ph_status *status) {
  char *end = memchr(p->answer.data, '\n', p->answer.n);
  size_t length = end ? (size_t)(end - p->answer.data) : p->answer.n;
  char why[80];
  p->answer.data[p->answer.n] = 0;
  *status = PH_OK;
  if (length > p->longest) {
    snprintf(why, sizeof why, "it wrote a line of more than %zu bytes", p->longest);
    *status = fail_words(p, why, 0);
    return false;
  }
  if (end && length + 1 < p->answer.n)
    *status = fail_words(p, "it wrote more than one line", length + 1);
  return end && *status == PH_OK;
}

static ph_status fail_late(ph_program *p, double seconds) {
  char why[80];
  snprintf(why, sizeof why, "it gave no answer in %g s", seconds);
  return fail_with(p, PH_EIO, why);
}

static ph_status converse(ph_program *p) {
  double seconds = p->timeout + (p->answered ? 0 : p->first);
  int64_t end = ph_process_now() + (int64_t)fmin(1e3 * seconds, 1e15);
  ph_status status = look_before(p);
  send_some(p);
  while (status == PH_OK) {
    int how;
    size_t before = p->answer.n;
    wait_some(p, end - ph_process_now());
    if (!read_answer(p))
      return fail_with(p, PH_ENOMEM, "out of memory");
    if (has_line(p, &status))
      return PH_OK;
    if (status != PH_OK)
      return status;
    if (p->child.out < 0)
      return fail_ended(p, "standard output");
    if (p->child.in < 0)
      return fail_ended(p, "standard input");
    if (p->answer.n == before && ph_process_ended(&p->child, &how))
      return fail_ended(p, "standard output"); /* others hold it open */
    if (ph_process_now() >= end)
      return fail_late(p, seconds);
    if (p->cancel && p->cancel(p->user))
      return fail_with(p, PH_ECANCELED, "it was not waited for");
  }
  return status;
}

ph_status ph_program_ask(ph_program *program, const void *data, size_t size, const char **line,
                         size_t *length) {
  *line = NULL;
  *length = 0;
  if (program->failed)
    return ph_fail(PH_ECANCELED, "%s: %s: it has ended", program->what, program->command);
  ph_status status = ph_program_prepare(program, data, size);
  if (status == PH_OK)
    status = converse(program);
  program->question.n = program->sent = 0;
  if (status != PH_OK)
    return status;
  program->answered = true;
  *length = (size_t)((char *)memchr(program->answer.data, '\n', program->answer.n) -
                     program->answer.data);
  program->answer.data[*length] = 0;
  *line = program->answer.data;
  return PH_OK;
}

void ph_program_end(ph_program *program) {
  if (!program)
    return;
  int how;
  if (!program->failed) {
    ph_process_close_input(&program->child);
    ends_within(program, GRACE_MS, &how);
  }
  ph_process_end(&program->child, NULL);
  put_away(program);
}
