/* The process of a ph_program: spawned, written to without SIGPIPE, ended with its group. A second
 * process waits for the end of ours, however it comes (kill -9 leaves no time for anything), and
 * ends the group then. What makes itself a session of its own (setsid) is in no group of ours. */
#ifndef PLAYHEAD_PROGRAM_CHILD_H
#define PLAYHEAD_PROGRAM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <playhead/status.h>

typedef struct ph_process {
  pid_t pid;        /* 0: there is none, or it was waited for */
  int in, out, err; /* our ends, none of which blocks; -1: closed */
  int how;          /* as waitpid has it, once it was waited for; -1: not known */
  pid_t watcher;    /* 0: there is none */
  int life;         /* the watcher sees its other end close when we are gone; -1: closed */
} ph_process;

#define PH_PROCESS_NONE ((ph_process){.in = -1, .out = -1, .err = -1, .how = -1, .life = -1})

/* By /bin/sh -c. PH_EIO. */
ph_status ph_process_start(ph_process *out, const char *command);
/* Bytes that were taken; 0: none now, or its end of the pipe is closed, and ours then too. */
ssize_t ph_process_write(ph_process *process, const void *data, size_t size);
void ph_process_close_input(ph_process *process);
/* Whether it has ended; it stays a zombie, so that its number stays its own. */
bool ph_process_ended(const ph_process *process, int *how);
/* Ends it and all of its group at once, and its watcher; waits for these two. how is nullable. */
void ph_process_end(ph_process *process, int *how);
/* "it ended with status 127", "it was ended by signal 9 (Killed)". */
void ph_process_how(int how, char *out, size_t size);
int64_t ph_process_now(void); /* [ms], of a clock that nobody sets */

#endif
