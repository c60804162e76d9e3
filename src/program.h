/* A program from outside: a child process that a user's command starts, asked through pipes. It
 * may do anything: not answer, write without end, die, leave children behind that keep its pipes.
 * Nothing of that can hold up the asker for longer than the time it gives, nor end it: SIGPIPE is
 * kept from it, and no handler is installed. Belongs to one thread at a time. */
#ifndef PLAYHEAD_PROGRAM_H
#define PLAYHEAD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

typedef struct ph_program ph_program;

typedef struct ph_program_options {
  const char *what;           /* "policy": for messages */
  const char *command;        /* run by /bin/sh -c */
  double timeout;             /* [s] of each question */
  double first;               /* [s] more for the first */
  size_t longest;             /* bytes of an answer without its newline */
  bool (*cancel)(void *user); /* Nullable: asked every 50 ms */
  void *user;
} ph_program_options;

/* Starts it in a process group of its own, with no descriptor but its standard streams and no
 * signal blocked or ignored. Texts are copied. PH_EINVAL: an empty command, or a time that is no
 * positive number. PH_EIO, PH_ENOMEM. */
ph_status ph_program_start(ph_program **out, const ph_program_options *opt);

/* Sends what is not to be answered with the next question. PH_ENOMEM. */
ph_status ph_program_prepare(ph_program *program, const void *data, size_t size);

void ph_program_set_longest(ph_program *program, size_t bytes);

/* Sends a question and waits for one line. *line (borrowed until the next call) ends with a 0 in
 * place of its newline; *length is without that: there may be zeros in it. PH_EIO: no answer in
 * time, it ended, it wrote more than a line, or before it was asked; PH_ECANCELED. It is ended
 * then, and so are all later questions, with PH_ECANCELED. The text is "WHAT: COMMAND: WHY", with
 * the last line that it wrote to its standard error. */
ph_status ph_program_ask(ph_program *program, const void *data, size_t size, const char **line,
                         size_t *length);

/* The answer is none: ends it and sets "WHAT: COMMAND: " in front of fmt. Returns PH_EFORMAT. */
ph_status ph_program_refuse(ph_program *program, const char *fmt, ...) PH_PRINTF(2, 3);

/* Closes its standard input, gives it 2 s, then ends its process group. Nullable. */
void ph_program_end(ph_program *program);

/* Whether it can still be asked. */
bool ph_program_runs(const ph_program *program);

/* Whether it has ended as the shell does that finds no such program, or cannot run it, before it
 * answered anything. */
bool ph_program_missing(const ph_program *program);

#endif
