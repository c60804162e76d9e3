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
  char *expr; /* NULL, or what success is instead of base's */
  char *base; /* its source; NULL: there is none */
  size_t base_size;
  ph_script *script; /* the one that was loaded to check; read its spec only */
};

/* A fresh script of the task, for one episode. */
ph_status ph_task_script(ph_script **out, const ph_task *task);
const ph_task_spec *ph_task_spec_of(const ph_task *task);

#endif
