#include <playhead/policy.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "fail.h"
#include "json.h"
#include "object_names.h"
#include "program.h"
#include "program_child.h"
#include "scene.h"
#include "waiting.h"

enum { LINE_FIXED = 4096, LINE_NUMBER = 64 };

/* One member of an object in a line: numbers of an array under a name. */
typedef struct field {
  char *name;
  int at, size; /* size 1: a number, else a list */
} field;

typedef struct group {
  field *field;
  int n;
} group;

struct ph_policy {
  pthread_mutex_t lock; /* of all below */
  ph_program *program;
  char *command;
  ph_policy_options opt;
  int64_t asked;   /* [ms] */
  bool answered;   /* once at least */
  bool introduced; /* the first line is made */
  int dim;
  int nreadouts;
  double *readouts;
  group qpos, qvel, ctrl, sensors, names; /* names: of readouts */
  ph_bytes line;
};

/* --- life --- */

static ph_status no_memory(void) {
  return ph_fail(PH_ENOMEM, "policy: out of memory");
}

static bool is_cancelled(void *user) {
  const ph_policy *p = user;
  double seconds = 1e-3 * (double)(ph_process_now() - p->asked);
  double limit = p->opt.timeout + (p->answered ? 0 : PH_POLICY_FIRST);
  return (p->opt.cancel && p->opt.cancel(p->opt.user)) ||
         !ph_wait_command(p->command, seconds, (int)fmin(limit, 1e9));
}

ph_status ph_policy_open(ph_policy **out, const char *command, const ph_policy_options *opt) {
  static const ph_policy_options standard = PH_POLICY_OPTIONS_INIT;
  *out = NULL;
  if (!opt)
    opt = &standard;
  ph_policy *policy = calloc(1, sizeof *policy);
  if (!policy)
    return no_memory();
  pthread_mutex_init(&policy->lock, NULL);
  const ph_program_options po = {.what = "policy",
                                 .command = command,
                                 .timeout = opt->timeout,
                                 .first = PH_POLICY_FIRST,
                                 .longest = LINE_FIXED,
                                 .cancel = is_cancelled,
                                 .user = policy};
  policy->opt = *opt;
  policy->command = strdup(command);
  ph_status status = policy->command ? ph_program_start(&policy->program, &po) : no_memory();
  if (status == PH_OK)
    *out = policy;
  else
    ph_policy_close(policy);
  return status;
}

static void group_free(group *g) {
  for (int i = 0; i < g->n; i++)
    free(g->field[i].name);
  free(g->field);
}

void ph_policy_close(ph_policy *policy) {
  if (!policy)
    return;
  ph_program_end(policy->program);
  group_free(&policy->qpos);
  group_free(&policy->qvel);
  group_free(&policy->ctrl);
  group_free(&policy->sensors);
  group_free(&policy->names);
  free(policy->readouts);
  free(policy->command);
  free(policy->line.data);
  pthread_mutex_destroy(&policy->lock);
  free(policy);
}

/* --- what there is --- */

static bool group_make(group *g, int n) {
  g->field = calloc((size_t)n + 1, sizeof *g->field);
  return g->field != NULL;
}

/* `name` as JSON has it. */
static bool group_add(group *g, const char *name, int at, int size) {
  ph_bytes text = {0};
  ph_bytes_string(&text, name);
  if (text.lost) {
    free(text.data);
    return false;
  }
  g->field[g->n++] = (field){text.data, at, size};
  return true;
}

static bool make_joints(ph_policy *p, const ph_model *model) {
  int n = ph_model_count(model, PH_JOINT);
  char name[PH_OBJECT_NAME];
  bool ok = group_make(&p->qpos, n) && group_make(&p->qvel, n);
  for (int i = 0; ok && i < n; i++) {
    const ph_joint_info *joint = ph_model_joint(model, i);
    bool free_joint = joint->type == PH_FREE, ball = joint->type == PH_BALL;
    ph_object_name(name, sizeof name, model, PH_JOINT, i);
    ok = group_add(&p->qpos, name, joint->qposadr,
                   free_joint ? 7
                   : ball     ? 4
                              : 1) &&
         group_add(&p->qvel, name, joint->dofadr,
                   free_joint ? 6
                   : ball     ? 3
                              : 1);
  }
  return ok;
}

static bool make_others(ph_policy *p, const ph_env *env, const ph_model *model) {
  const ph_task *task = ph_env_task(env);
  int nu = ph_model_count(model, PH_ACTUATOR), ns = ph_model_count(model, PH_SENSOR);
  char name[PH_OBJECT_NAME];
  p->nreadouts = (int)ph_task_info_of(task)->nreadouts;
  p->readouts = calloc((size_t)p->nreadouts + 1, sizeof *p->readouts);
  bool ok = p->readouts && group_make(&p->ctrl, nu) && group_make(&p->sensors, ns) &&
            group_make(&p->names, p->nreadouts);
  for (int i = 0; ok && i < nu; i++) {
    ph_object_name(name, sizeof name, model, PH_ACTUATOR, i);
    ok = group_add(&p->ctrl, name, i, 1);
  }
  for (int i = 0; ok && i < ns; i++) {
    ph_object_name(name, sizeof name, model, PH_SENSOR, i);
    ok = group_add(&p->sensors, name, ph_scene_sensor_address(ph_env_sim(env), i),
                   ph_scene_sensor_dim(ph_env_sim(env), i));
  }
  for (int i = 0; ok && i < p->nreadouts; i++)
    ok = group_add(&p->names, ph_task_readout(task, (size_t)i), i, 1);
  return ok;
}

/* --- lines --- */

static void add_action(ph_policy *p, const ph_actions *actions) {
  ph_bytes_text(&p->line, ", \"action\": [");
  for (int i = 0; i < p->dim; i++) {
    const ph_action_element *e = ph_actions_element(actions, i);
    ph_bytes_text(&p->line, i ? ", {\"name\": " : "{\"name\": ");
    ph_bytes_string(&p->line, e->name);
    ph_bytes_text(&p->line, ", \"term\": ");
    ph_bytes_string(&p->line, e->term);
    ph_bytes_text(&p->line, ", \"min\": ");
    ph_bytes_number(&p->line, e->min);
    ph_bytes_text(&p->line, ", \"max\": ");
    ph_bytes_number(&p->line, e->max);
    ph_bytes_text(&p->line, "}");
  }
  ph_bytes_text(&p->line, "]");
}

static void add_joints(ph_policy *p, const ph_model *model) {
  ph_bytes_text(&p->line, ", \"joints\": [");
  for (int i = 0; i < p->qpos.n; i++)
    ph_bytes_print(ph_object_begin(&p->line, i, p->qpos.field[i].name),
                   ", \"type\": \"%s\", \"qpos\": %d, \"qvel\": %d}",
                   ph_joint_type_name(ph_model_joint(model, i)->type), p->qpos.field[i].size,
                   p->qvel.field[i].size);
  ph_bytes_text(&p->line, "]");
}

static void add_names(ph_policy *p, const char *key, const group *g) {
  ph_bytes_print(&p->line, ", \"%s\": [", key);
  for (int i = 0; i < g->n; i++) {
    ph_bytes_text(&p->line, i ? ", " : "");
    ph_bytes_text(&p->line, g->field[i].name);
  }
  ph_bytes_text(&p->line, "]");
}

static void add_sensors(ph_policy *p) {
  ph_bytes_text(&p->line, ", \"sensors\": [");
  for (int i = 0; i < p->sensors.n; i++)
    ph_bytes_print(ph_object_begin(&p->line, i, p->sensors.field[i].name), ", \"size\": %d}",
                   p->sensors.field[i].size);
  ph_bytes_text(&p->line, "]");
}

/* The first line; it goes with the first question. */
static ph_status introduce(ph_policy *p, const ph_env *env) {
  const ph_model *model = ph_env_model(env);
  p->dim = ph_env_dims(env)->action_dim;
  if (!make_joints(p, model) || !make_others(p, env, model))
    return no_memory();
  ph_bytes_text(&p->line, "{\"protocol\": \"playhead-policy\", \"version\": 1, \"task\": ");
  ph_bytes_string(&p->line, ph_task_info_of(ph_env_task(env))->name);
  ph_bytes_text(&p->line, ", \"control_dt\": ");
  ph_bytes_number(&p->line, ph_env_control_dt(env));
  add_action(p, ph_env_actions(env));
  add_joints(p, model);
  add_names(p, "actuators", &p->ctrl);
  add_sensors(p);
  add_names(p, "readouts", &p->names);
  ph_bytes_text(&p->line, "}\n");
  ph_program_set_longest(p->program, LINE_FIXED + LINE_NUMBER * (size_t)p->dim);
  p->introduced = !p->line.lost;
  return p->introduced ? ph_program_prepare(p->program, p->line.data, p->line.n) : no_memory();
}

static void add_values(ph_policy *p, const char *key, const group *g, const double *values) {
  ph_bytes_print(&p->line, ", \"%s\": {", key);
  for (int i = 0; i < g->n; i++) {
    const field *f = &g->field[i];
    ph_bytes_text(&p->line, i ? ", " : "");
    ph_bytes_text(&p->line, f->name);
    ph_bytes_text(&p->line, f->size == 1 ? ": " : ": [");
    for (int k = 0; k < f->size; k++) {
      ph_bytes_text(&p->line, k ? ", " : "");
      ph_bytes_number(&p->line, values[f->at + k]);
    }
    ph_bytes_text(&p->line, f->size == 1 ? "" : "]");
  }
  ph_bytes_text(&p->line, "}");
}

static ph_status describe(ph_policy *p, int env_id, int64_t episode, uint64_t seed, ph_env *env) {
  ph_view view;
  int64_t step = ph_env_step_index(env);
  ph_view_of(&view, ph_env_sim(env));
  ph_status status = p->nreadouts > 0 ? ph_env_readouts(env, p->readouts) : PH_OK;
  if (status != PH_OK)
    return status;
  p->line.n = 0;
  ph_bytes_print(&p->line,
                 "{\"env\": %d, \"episode\": %" PRId64 ", \"seed\": \"%" PRIu64
                 "\", \"step\": %" PRId64,
                 env_id, episode, seed, step);
  ph_bytes_text(&p->line, ", \"time\": ");
  ph_bytes_number(&p->line, *view.time);
  ph_bytes_text(&p->line, step == 0 ? ", \"reset\": true" : ", \"reset\": false");
  add_values(p, "qpos", &p->qpos, view.qpos);
  add_values(p, "qvel", &p->qvel, view.qvel);
  add_values(p, "ctrl", &p->ctrl, view.ctrl);
  add_values(p, "sensors", &p->sensors, view.sensordata);
  add_values(p, "readouts", &p->names, p->readouts);
  ph_bytes_text(&p->line, "}\n");
  return p->line.lost ? no_memory() : PH_OK;
}

/* --- answers --- */

static ph_status take_answer(ph_policy *p, const char *text, size_t size, double *action) {
  json_error_t why;
  ph_status status = PH_OK;
  if (memchr(text, 0, size))
    return ph_program_refuse(
        p->program, "its answer is no list of %d numbers: there is a byte 0 in it", p->dim);
  json_t *list = json_loadb(text, size, JSON_DECODE_ANY, &why);
  if (!list)
    return ph_program_refuse(p->program, "its answer is no list of %d numbers: %.80s", p->dim,
                             why.text);
  if (!json_is_array(list))
    status = ph_program_refuse(p->program, "its answer is no list of %d numbers: \"%.60s\"", p->dim,
                               text);
  else if (json_array_size(list) != (size_t)p->dim)
    status = ph_program_refuse(p->program, "its answer is a list of %zu, not of %d numbers",
                               json_array_size(list), p->dim);
  for (int i = 0; status == PH_OK && i < p->dim; i++) {
    const json_t *number = json_array_get(list, (size_t)i);
    action[i] = json_number_value(number);
    if (!json_is_number(number))
      status = ph_program_refuse(p->program, "action[%d] of its answer is no number: \"%.60s\"", i,
                                 text);
  }
  json_decref(list);
  return status;
}

static ph_status ask(ph_policy *p, int env_id, int64_t episode, uint64_t seed, ph_env *env,
                     double *action) {
  const char *text;
  size_t size;
  ph_status status = p->introduced ? PH_OK : introduce(p, env);
  if (status == PH_OK && ph_env_dims(env)->action_dim != p->dim)
    status = ph_fail(PH_EINVAL, "policy: an env of another task");
  if (status == PH_OK)
    status = describe(p, env_id, episode, seed, env);
  p->asked = ph_process_now();
  if (status == PH_OK)
    status = ph_program_ask(p->program, p->line.data, p->line.n, &text, &size);
  if (status == PH_OK)
    status = take_answer(p, text, size, action);
  p->answered = p->answered || status == PH_OK;
  return status;
}

ph_status ph_policy_ask(ph_policy *policy, int env_id, int64_t episode, uint64_t seed, ph_env *env,
                        double *action) {
  pthread_mutex_lock(&policy->lock);
  ph_status status = ask(policy, env_id, episode, seed, env, action);
  pthread_mutex_unlock(&policy->lock);
  if (status == PH_EIO || status == PH_EFORMAT)
    return ph_fail_in(status, "step %" PRId64, ph_env_step_index(env));
  return status;
}
