/* A limited child: forked from a process that may have threads, cut off from all that it inherited,
 * under limits of memory and time, and able to say how it died. What the parties of the probe
 * share; nobody else includes it. */
#ifndef PLAYHEAD_PROBE_CHILD_H
#define PLAYHEAD_PROBE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe.h"

/* What a child says, or what is known of its death. */
typedef enum ph_answer {
  PH_ANSWER_STATUS,  /* it did the calls: status and text */
  PH_ANSWER_SIGNAL,  /* number: the signal that ended it */
  PH_ANSWER_EXIT,    /* number: what something in it passed to exit() */
  PH_ANSWER_MEMORY,  /* it asked for more than it may have */
  PH_ANSWER_CPU,     /* it computed for longer than it may */
  PH_ANSWER_TIME,    /* it did not answer; it is ended */
  PH_ANSWER_STOPPED, /* whoever watches did not want to wait; it is ended */
  PH_ANSWER_NOTE,    /* it goes on: text is how far it came */
  PH_ANSWER_NONE     /* it is gone, and nobody knows why */
} ph_answer;

typedef struct ph_reply {
  int32_t answer;  /* ph_answer */
  int32_t status;  /* ph_status */
  int32_t number;  /* of PH_ANSWER_TIME: what it computed [ms], 0 not known */
  char text[1200]; /* ph_error() */
} ph_reply;

typedef struct ph_child {
  pid_t pid;           /* 0: there is none */
  int fd;              /* our end of the socket */
  ino_t socket;        /* of it: a host that closes all descriptors may give the number away */
  ph_probe_limits may; /* its limits */
  const char *where;   /* nullable; what is tried, borrowed as long as one waits for it */
  bool model;          /* it is a model */
} ph_child;

#define PH_CHILD_NONE ((ph_child){.fd = -1})

/* In the child, with its end of the socket: does not return. */
typedef void ph_child_body(int fd, void *arg);

/* PH_EIO: there can be no further process. where: for the message. */
ph_status ph_child_fork(ph_child *out, const ph_probe_limits *limits, const char *where,
                        ph_child_body *body, void *arg);
/* Waits for the answer; the child is ended unless it is PH_ANSWER_STATUS or PH_ANSWER_NOTE. */
void ph_child_receive(ph_child *child, ph_reply *reply);
/* Whether the child that ran out of time hardly computed: it waited for something that is no part
 * of what it tries (its turn on a busy machine, a lock that another thread held at the fork). */
bool ph_reply_waited(const ph_reply *reply, const ph_probe_limits *limits);
/* Forks a child and waits for its first reply, of a second one where the first only waited. The
 * caller ends it. PH_EIO as ph_child_fork. */
ph_status ph_child_ask(ph_child *out, ph_reply *reply, const ph_probe_limits *limits,
                       const char *where, ph_child_body *body, void *arg, bool model);
/* Whether whoever watches the calling thread (ph_wait_watch) lets it wait on; ms: so far. */
bool ph_wait_goes_on(const ph_child *child, int64_t ms);
/* Ends it and sets PH_CHILD_NONE. Returns the status of waitpid(), -1 where that is not known. */
int ph_child_end(ph_child *child);
/* Whether the descriptor is still the socket. */
bool ph_child_connected(const ph_child *child);

/* In the child: begins the calls that are tried, with a new limit of time, and sends their end. */
void ph_child_begin(void);
void ph_child_may_compute(int seconds); /* from the next beginning on */
void ph_child_answer(int fd, ph_status status);
/* In the child: says something before its answer. Only what the parent waits for. */
void ph_child_note(int fd, const char *text);

/* The reply as a status, its sentence in ph_error(): "WHERE: ENGINE crashes on it (signal 11)".
 * died: for a child that did not answer. */
ph_status ph_reply_status(const ph_reply *reply, const ph_probe_limits *limits, ph_status died,
                          const char *where, const char *engine);
/* Whether the same would happen again, as far as can be known. */
bool ph_reply_lasts(const ph_reply *reply);

/* --- the child for files (probe_server.c) --- */

typedef enum ph_probe_kind {
  PH_PROBE_PATH,
  PH_PROBE_EPISODE,
  PH_PROBE_LOOK,
  PH_PROBE_STORED,
  PH_PROBE_MODEL,
  PH_PROBE_OBJECT /* whatever is asked of it; never asked itself */
} ph_probe_kind;

/* What to try: a path, and objects in it, each with its ending 0. */
typedef struct ph_question {
  ph_probe_kind kind;
  const char *path;
  const char *names; /* nullable where there are none */
  size_t size;       /* of names */
} ph_question;

/* Asks the process's child for files, which is forked when there is none. The status and sentence
 * of *reply, which is PH_ANSWER_NONE where there could be no child. The text of one that gave no
 * answer is the object that it was at, "" where that is not known. */
ph_status ph_server_ask(ph_reply *reply, const ph_question *question,
                        const ph_probe_limits *limits);
/* Who reads the path, for messages. */
const char *ph_engine_of(const char *path);
void ph_server_end(void);
pid_t ph_server_pid(void); /* 0: there is none */

/* What limits are in force. */
ph_probe_limits ph_probe_limits_now(ph_probe_kind kind);
/* Of a question about a file: time goes with its size. */
ph_probe_limits ph_probe_limits_of(const ph_question *question);

#endif
