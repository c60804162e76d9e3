#include "task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "hash.h"

/* Tasks that judge otherwise than the file that says how an env runs. A layered task keeps the
 * texts it is made of, so that messages name their files and lines; its source is one file that
 * says the same. */

/* What a task is made of: itself, where it has no layers. */
static ph_script_layers layers_of(const ph_task *task) {
  if (!task)
    return (ph_script_layers){0};
  if (!task->layered)
    return (ph_script_layers){.source = task->source, .size = task->size, .name = task->name};
  return (ph_script_layers){task->base,       task->base_size,  task->name, task->judge,
                            task->judge_size, task->judge_name, task->expr, task->max_steps};
}

/* One line, as it is compiled. */
static void put_on_one_line(char *expr) {
  for (; *expr; expr++)
    if (strchr("\t\r\n\v\f", *expr))
      *expr = ' ';
}

/* The base keeps its lines. */
static void write_layers(const ph_task *task, FILE *out) {
  if (task->expr)
    fprintf(out, "local success = function(s) return (%s) end ", task->expr);
  fputs("local task = (function(...) ", out);
  fwrite(task->base, 1, task->base_size, out);
  fputs("\nend)() ", out);
  if (task->judge) {
    fputs("local judge = (function(...)\n", out);
    fwrite(task->judge, 1, task->judge_size, out);
    fputs("\nend)() for _, key in ipairs({ 'success', 'stages', 'hold_seconds', 'readouts' }) do "
          "if judge[key] ~= nil then task[key] = judge[key] end end ",
          out);
  }
  if (task->expr)
    fputs("task.success = success ", out);
  if (task->max_steps > 0)
    fprintf(out, "task.max_steps = %" PRId64 " ", task->max_steps);
  fputs("return task\n", out);
}

static bool write_source(ph_task *task) {
  FILE *out = open_memstream(&task->source, &task->size);
  if (!out)
    return false;
  if (task->base)
    write_layers(task, out);
  else
    fprintf(out, "return { success = function(s) return (%s) end }\n", task->expr);
  return fclose(out) == 0;
}

static bool copy_text(char **to, size_t *size, const char *from, size_t n) {
  *to = ph_task_copy(from, n);
  *size = n;
  return *to || !from;
}

/* base: the task whose folder the model is looked for in; nullable. */
static ph_status make_layered(ph_task **out, const ph_script_layers *layers, const ph_task *base) {
  const char *name = layers->source ? layers->name : "--success";
  const char *dir = base ? base->dir : "";
  size_t n;
  ph_task *task = calloc(1, sizeof *task);
  *out = NULL;
  bool ok = task && copy_text(&task->base, &task->base_size, layers->source, layers->size) &&
            copy_text(&task->judge, &task->judge_size, layers->judge, layers->judge_size) &&
            copy_text(&task->judge_name, &n, layers->judge_name,
                      layers->judge ? strlen(layers->judge_name) : 0) &&
            copy_text(&task->expr, &n, layers->expr, layers->expr ? strlen(layers->expr) : 0) &&
            (task->name = ph_task_copy(name, strlen(name))) &&
            (task->dir = ph_task_copy(dir, strlen(dir)));
  if (task)
    task->max_steps = layers->max_steps;
  if (ok && task->expr)
    put_on_one_line(task->expr);
  if (!ok || !write_source(task)) {
    ph_task_destroy(task);
    return ph_fail(PH_ENOMEM, "task: out of memory");
  }
  task->layered = true;
  if (task->base)
    ph_sha256_of(task->base, task->base_size, task->base_sha256);
  return ph_task_begin(out, task);
}

ph_status ph_task_with_success(ph_task **out, const ph_task *base, const char *expr) {
  ph_script_layers layers = layers_of(base);
  layers.expr = expr;
  return make_layered(out, &layers, base);
}

ph_status ph_task_with_max_steps(ph_task **out, const ph_task *base, int64_t max_steps) {
  ph_script_layers layers = layers_of(base);
  *out = NULL;
  if (max_steps < 1 || max_steps > PH_TASK_STEPS)
    return ph_fail(PH_EINVAL, "max_steps: %" PRId64 ": not from 1 to %" PRId64, max_steps,
                   PH_TASK_STEPS);
  if (!layers.source) /* an expression alone: the file that it is */
    layers = (ph_script_layers){.source = base->source, .size = base->size, .name = base->name};
  layers.max_steps = max_steps;
  return make_layered(out, &layers, base);
}

ph_status ph_task_with_judge(ph_task **out, const ph_task *base, const ph_task *judge) {
  ph_script_layers layers = layers_of(base), other = layers_of(judge);
  if (!layers.source || !ph_task_info_of(judge)->judges_only || other.judge) {
    *out = ph_task_ref(judge);
    return PH_OK;
  }
  if (other.source) {
    layers.judge = other.source;
    layers.judge_size = other.size;
    layers.judge_name = other.name;
  }
  layers.expr = other.expr;
  return make_layered(out, &layers, base);
}

const char *ph_task_base_sha256(const ph_task *task) {
  return task->layered && task->base ? task->base_sha256 : task->sha256;
}
