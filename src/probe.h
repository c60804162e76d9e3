/* A limited child goes first. libhdf5, libzip's callers and the model compiler can crash, hang or
 * eat all memory on hostile bytes, and a C++ exception cannot be caught in C: so before the parent
 * opens a file or collects and compiles a model, a child process with limits of memory and CPU
 * makes the same calls. What the parent is the first to do: unpack chunks in the middle of arrays
 * whose rows are wide (images) or behind the first 32 MiB of an episode's rows, and read what was
 * changed between child and parent without a trace in its times. A child that dies or says no is
 * one line in ph_error(). Verdicts are cached by device, inode, size, mtime and ctime (models: by
 * content), in the process; good ones, and that a file gave no answer, in
 * $XDG_CACHE_HOME/playhead/verdicts too. */
#ifndef PLAYHEAD_PROBE_H
#define PLAYHEAD_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

struct ph_source;
struct ph_model_options;

/* Before ph_store_scan and the learning of models: of a file or folder. PH_OK; the error that the
 * parent would get; PH_ECORRUPT: the child died (of what: signal, memory, time). */
ph_status ph_probe_path(const char *path);
/* Before an episode of it is opened and its rows are read. group: as in its entry. */
ph_status ph_probe_episode(const char *file, const char *group);
/* Before n entries of a file are looked at (at most PH_PROBE_LOOKS), and before a stored
 * model or task is read: "/models/<sha256>", "/tasks/<sha256>/source". Only that the child died is
 * an error; what is merely wrong with them, the parent will find. */
#define PH_PROBE_LOOKS 64
ph_status ph_probe_looks(const char *file, const char *const *groups, size_t n);
ph_status ph_probe_stored(const char *file, const char *group);
/* Before a model is compiled. where: its file, for the message. PH_EMODEL: the compiler died. */
ph_status ph_probe_model(const struct ph_source *source, const char *where);
/* Before a model's text is collected: parsed, mended, its files read, and compiled. PH_OK; the
 * error that the parent would get; PH_EMODEL: the child died. A text that includes no other is
 * collected in a child once; one that does, every time, since what it includes may have changed. */
ph_status ph_probe_model_file(const char *path, const struct ph_model_options *opt);
ph_status ph_probe_model_text(const char *xml, size_t size, const char *path,
                              const struct ph_model_options *opt);

/* In the child: which of several objects is looked at from here on. */
void ph_probe_at(const char *object);

/* Runs fn(arg) in a fresh child: what it returns, with its ph_error() text. PH_ECORRUPT: it died.
 * Nothing that it changes is seen here. */
typedef ph_status ph_probe_fn(void *arg);
ph_status ph_probe_run(const char *where, ph_probe_fn *fn, void *arg);

/* What a child may use; tests make it less. A member that is 0 stays as it is, NULL puts all back.
 */
typedef struct ph_probe_limits {
  size_t memory; /* [B] above its size at the fork */
  int cpu, wall; /* [s] for each call; less for small files */
} ph_probe_limits;
void ph_probe_limit(const ph_probe_limits *limits);

/* true: this is the child; what would probe does not. */
bool ph_probe_inside(void);
/* Forgets what the process remembers and ends its child; tests only. */
void ph_probe_reset(void);

#endif
