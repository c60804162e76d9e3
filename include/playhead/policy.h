/* A policy from outside: a command that chooses the actions, in any language.
 *
 * It is run by `/bin/sh -c` and reads lines of JSON from its standard input. The first one says
 * what there is, and is not answered:
 *   {"protocol": "playhead-policy", "version": 1, "task": name, "control_dt": seconds,
 *    "action": [{"name": .., "term": .., "min": number or null, "max": ..}, ..],
 *    "joints": [{"name": .., "type": "hinge", "qpos": numbers in qpos, "qvel": ..}, ..],
 *    "actuators": [name, ..], "sensors": [{"name": .., "size": ..}, ..], "readouts": [name, ..]}
 * Each of the others asks for one action:
 *   {"env": 0, "episode": 3, "seed": "1234", "step": 17, "time": 0.34, "reset": false,
 *    "qpos": {joint: number, or a list for a free or ball joint}, "qvel": {likewise},
 *    "ctrl": {actuator: number}, "sensors": {sensor: number or list}, "readouts": {name: number}}
 * and is answered by one line, a list of as many numbers as `action` has, before the next line
 * comes. `reset` is true at the first step of an episode, and `seed` is the episode's own. A number
 * that is not finite is null. What has no name is called "joint 3", "actuator 3" or "sensor 3"; a
 * joint without one has its body's. The answer has to be flushed. Standard error is for whatever
 * else it has to say; its last line is in the message when the policy fails. The end of its
 * standard input is the end of its work.
 *
 * One process serves all envs, so that a network is loaded once; the physics of other envs goes on
 * while it thinks. Lines of several envs come in any order, those of one env in theirs. What is
 * recorded is a function of task, seed, envs and episodes as long as an answer is a function of the
 * lines of its own env and episode; of a policy that remembers more, or draws numbers from another
 * seed, nothing of that kind is promised. Python is told not to keep its output back
 * (PYTHONUNBUFFERED is set where it is not). */
#ifndef PLAYHEAD_POLICY_H
#define PLAYHEAD_POLICY_H

#include <playhead/env.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_policy ph_policy;

/* Seconds more that the first answer may take: modules and networks are loaded. */
#define PH_POLICY_FIRST 60.0

typedef struct ph_policy_options {
  double timeout; /* [s] that an answer may take */
  /* Nullable: asked every 50 ms while an answer is waited for, by the thread that waits, with other
   * threads waiting for it; true: it is no longer waited for. So is whoever watches that thread
   * (<playhead/wait.h>). */
  bool (*cancel)(void *user);
  void *user;
} ph_policy_options;
#define PH_POLICY_OPTIONS_INIT                                                                     \
  { 10.0, NULL, NULL }

/* Starts the command. opt is nullable. It has a process group of its own: a terminal's Ctrl-C does
 * not reach it. The group is ended with this process too, however that ends: a second one, of
 * /bin/sh, waits for it. What the command puts into a session of its own (setsid) is not ended by
 * anybody here. PH_EIO: there can be no further process. PH_EINVAL: an empty command, or a timeout
 * that is no positive number. */
PH_API ph_status ph_policy_open(ph_policy **out, const char *command, const ph_policy_options *opt);

/* Asks for an action (action_dim) at the env's present state, whose derived values are fresh; all
 * envs have to be of one task and model. From any thread; one at a time is answered.
 *
 * PH_EIO: it gave no answer in time, ended, or wrote more than an answer; PH_EFORMAT: what it wrote
 * is no answer. The text names it, step and reason, and it is ended at once. PH_ECANCELED: `cancel`
 * said so, or it has failed before: who asked then has the reason. PH_ETASK: a readout failed. */
PH_API ph_status ph_policy_ask(ph_policy *policy, int env_id, int64_t episode, uint64_t seed,
                               ph_env *env, double *action);

/* Ends the command: it has 2 s from the end of its standard input, then its process group is ended.
 * Nullable; nobody asks any more. */
PH_API void ph_policy_close(ph_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
