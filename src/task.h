/* What stands behind a ph_task. */
#ifndef PLAYHEAD_TASK_PRIVATE_H
#define PLAYHEAD_TASK_PRIVATE_H

#include <playhead/task.h>

#include "model.h"
#include "script.h"

struct ph_task {
  ph_refs refs;
  char *source;
  size_t size;
  char *name; /* for messages: the path as given */
  char *dir;  /* folder of the file, "" for text */
  char sha256[65];
  /* Where it is made of layers, as ph_script_layers has them; else none of these. */
  bool layered;
  char *base, *judge, *judge_name, *expr;
  size_t base_size, judge_size;
  int64_t max_steps;
  char base_sha256[65];
  ph_script *script; /* the one that was loaded to check; read its spec only */
};

/* A fresh script of the task, for one episode. */
ph_status ph_task_script(ph_script **out, const ph_task *task);
const ph_task_spec *ph_task_spec_of(const ph_task *task);
/* What messages call it: its name, or the file where it has none. Borrowed. */
const char *ph_task_called(const ph_task *task);
/* Hash of the task that says how an env runs: what judges instead of it left out. */
const char *ph_task_base_sha256(const ph_task *task);

/* task.c: hashes the source of a new task and reads it; frees the task where that fails. */
ph_status ph_task_begin(ph_task **out, ph_task *task);
void ph_task_destroy(ph_task *task);
/* n bytes and a zero behind them; NULL: no memory, or `from` is NULL. */
char *ph_task_copy(const char *from, size_t n);

#endif
