/* What the verbs share: exit status, errors, the table of verbs. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <playhead/playhead.h>

#include <signal.h>

#include "options.h"

enum exit_status { EXIT_FINE = 0, EXIT_FINDING = 1, EXIT_USAGE = 2, EXIT_ERROR = 3 };

struct verb {
  const char *name;
  const char *operands; /* "PATH..." */
  const char *summary;  /* one line */
  const char *text;     /* for --help and the man page */
  uint64_t options;     /* OPTION_BIT */
  size_t least, most;   /* paths */
  int (*run)(const struct options *opt);
};
/* The i-th verb; NULL past the last. */
const struct verb *verb_at(size_t i);

int verb_view(const struct options *opt);
int verb_screen(const struct options *opt);
int verb_info(const struct options *opt);
int verb_export(const struct options *opt);
int verb_record(const struct options *opt);
int verb_verify(const struct options *opt);
int verb_latch(const struct options *opt);
int verb_diff(const struct options *opt);
int verb_cut(const struct options *opt);
int verb_pack(const struct options *opt);
int verb_salvage(const struct options *opt);
int verb_task(const struct options *opt);
int verb_preview(const struct options *opt);

/* Prints "playhead: <text>" on one line of stderr and returns the status. */
int cli_fail(enum exit_status status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with ph_error(); the status that fits. */
int cli_error(void);
/* Flushes stdout; EXIT_ERROR with a line when that fails, else the status. */
int cli_flush(int status);

/* Text for people on one line of stdout: control characters are '?'. */
void cli_print_text(const char *text);

/* SIGINT, SIGTERM, SIGHUP, SIGPIPE: what ends a program. */
enum { CLI_ENDINGS = 4 };
extern const int cli_endings[CLI_ENDINGS];
/* The action is taken at the first n of them but for one that is ignored: nohup, and what a shell
 * starts in the background. */
void cli_catch(const struct sigaction *action, size_t n);
/* From here on the first SIGINT, SIGTERM or SIGHUP is only noted; a second one ends the program. */
void cli_catch_interrupt(void);
bool cli_interrupted(void);

/* The store options that the command line asks for; borrowed from opt. */
ph_store_options cli_store_options(const struct options *opt);
/* --at as a step: -1 not given. One past the end is the last, with a line on stderr; with a bare
 * number that is only looked at where `look` says so, for it opens the files. Another status than
 * EXIT_FINE comes with a line on stderr. */
int cli_step(const struct options *opt, bool look, int64_t *step);

/* The task of a file (nullable: none), with success as an expression (nullable: its own); NULL
 * where there is neither. The caller's. */
ph_status cli_task(ph_task **out, const char *path, const char *success);

/* "PATH: ID: no such episode". */
int cli_no_episode(const struct options *opt);

/* --group as a place among the store's groups: SIZE_MAX not given. An unknown one is a line on
 * stderr that lists those that are there. */
int cli_group(const struct options *opt, const ph_store *store, size_t *group);
/* Whether the i-th episode is in it; all are in SIZE_MAX. */
bool cli_in_group(const ph_store *store, size_t group, size_t i);
/* The episode that --episode and --group name: the first of the group where no id is given. */
int cli_episode(const struct options *opt, const ph_store *store, size_t *i);
/* Places of all the episodes that they name, in order; all of them where neither is given. *places
 * is the caller's. */
int cli_places(const struct options *opt, const ph_store *store, size_t **places, size_t *n);

/* Progress on stderr, only when it is a terminal; at most every tenth of a second. */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_end(void);

/* Text made of the tables; *out is a stream. */
void help_program(void *out);
void help_verb(void *out, const struct verb *verb);
void manual_print(void *out);
bool completion_print(void *out, const char *shell); /* false: no such shell */

#endif
