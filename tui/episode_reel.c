#include "episode_reel.h"

#include "session_dynamic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(char *out, size_t size, const char *what) {
  size_t n = strlen(out);
  if (n < size)
    snprintf(out + n, size - n, "%s%s", n ? "; " : "", what);
}

/* The last error without the episode's id in front: who shows a note says whose it is. */
static const char *error_of(const struct reel *reel) {
  return ph_text_without(ph_error(), reel->meta.id);
}

/* --- model, task, replay --- */

static void open_model(struct opened *o, ph_store *store) {
  struct reel *reel = o->reel;
  if (ph_store_model(&o->model, store, reel->meta.model_sha256) != PH_OK) {
    o->model = NULL;
    note(reel->model_note, sizeof reel->model_note, error_of(reel));
  } else if (!ph_model_compiled(o->model)) {
    note(reel->model_note, sizeof reel->model_note, ph_model_error(o->model));
  }
}

static void open_recorded_task(struct opened *o, ph_store *store) {
  struct reel *reel = o->reel;
  const char *text, *sha256 = reel->meta.task_sha256;
  if (!*sha256)
    return;
  ph_status status = ph_store_task(&text, store, sha256);
  if (status == PH_ENOTFOUND)
    note(reel->task_note, sizeof reel->task_note, "the file does not hold the task that it names");
  else if (status != PH_OK)
    note(reel->task_note, sizeof reel->task_note, error_of(reel));
  else if (ph_task_parse(&o->task, text, strlen(text), reel->meta.env_name) != PH_OK) {
    o->task = NULL;
    note(reel->task_note, sizeof reel->task_note, error_of(reel));
  }
}

static void take_task(struct opened *o, ph_task *task) {
  ph_task_unref(o->task);
  o->task = task;
}

/* A task that only judges leaves the recorded one to say what actions are. The expression was
 * checked when the session began: it fails where memory does. */
static ph_status open_task(struct opened *o, ph_store *store, ph_task *instead,
                           const char *success) {
  ph_task *other = NULL;
  ph_status status = PH_OK;
  if (!instead || ph_task_info_of(instead)->judges_only)
    open_recorded_task(o, store);
  if (instead)
    status = ph_task_with_judge(&other, o->task, instead);
  if (status == PH_OK && instead)
    take_task(o, other);
  if (status == PH_OK && success) {
    status = ph_task_with_success(&other, o->task, success);
    if (status == PH_OK)
      take_task(o, other);
  }
  return status;
}

/* First with all there is; a task or a model that does not fit is left out and said. */
static ph_status open_replay(struct opened *o) {
  struct reel *reel = o->reel;
  ph_status status = ph_replay_create(&o->replay, o->episode, o->model, o->task);
  if (status != PH_OK && o->task) {
    note(reel->task_note, sizeof reel->task_note, error_of(reel));
    ph_task_unref(o->task);
    o->task = NULL;
    status = ph_replay_create(&o->replay, o->episode, o->model, NULL);
    if (status != PH_OK)
      reel->task_note[0] = 0; /* the model is at fault */
  }
  if (status != PH_OK && o->model) {
    note(reel->model_note, sizeof reel->model_note, error_of(reel));
    ph_model_unref(o->model);
    o->model = NULL;
    status = ph_replay_create(&o->replay, o->episode, NULL, NULL);
  }
  if (status != PH_OK)
    o->replay = NULL;
  return status;
}

/* --- names --- */

static bool copy_signals(struct opened *o) {
  struct reel *reel = o->reel;
  size_t n = 0;
  const ph_signal *signals = ph_replay_signals(o->replay, &n);
  reel->signals = calloc(n ? n : 1, sizeof *reel->signals);
  if (!reel->signals)
    return false;
  if (n)
    memcpy(reel->signals, signals, n * sizeof *signals);
  reel->nsignals = n;
  return true;
}

static bool name_ctrl(struct opened *o) {
  struct reel *reel = o->reel;
  int n = reel->meta.dims.nu;
  reel->ctrl_name = calloc(n > 0 ? (size_t)n : 1, sizeof *reel->ctrl_name);
  if (!reel->ctrl_name)
    return false;
  for (int i = 0; i < n; i++) {
    const char *name = o->model && i < ph_model_count(o->model, PH_ACTUATOR)
                           ? ph_model_name(o->model, PH_ACTUATOR, i)
                           : "";
    if (*name)
      snprintf(reel->ctrl_name[i], sizeof *reel->ctrl_name, "%s", name);
    else
      snprintf(reel->ctrl_name[i], sizeof *reel->ctrl_name, "ctrl %d", i);
  }
  reel->nctrl = n > 0 ? n : 0;
  return true;
}

/* What the task's terms say of each element; without them elements have numbers only. */
static void ask_terms(struct opened *o) {
  struct reel *reel = o->reel;
  ph_actions *actions = NULL;
  if (!o->task || !o->model || !ph_model_compiled(o->model))
    return;
  if (ph_actions_create(&actions, o->task, o->model) != PH_OK) {
    note(reel->task_note, sizeof reel->task_note, error_of(reel));
    return;
  }
  if (ph_actions_dim(actions) == reel->nactions) {
    for (int i = 0; i < reel->nactions; i++) {
      const ph_action_element *element = ph_actions_element(actions, i);
      snprintf(reel->action_name[i], sizeof *reel->action_name, "%s", element->name);
      reel->action_min[i] = element->min;
      reel->action_max[i] = element->max;
      reel->action_ctrl[i] = element->actuator;
    }
  } else if (!ph_task_info_of(o->task)->judges_only) {
    note(reel->task_note, sizeof reel->task_note,
         "the task's terms do not fit the recorded actions");
  }
  ph_actions_free(actions);
}

static bool name_actions(struct opened *o) {
  struct reel *reel = o->reel;
  int n = reel->meta.dims.action_dim > 0 ? reel->meta.dims.action_dim : 0;
  size_t size = n > 0 ? (size_t)n : 1;
  reel->action_name = calloc(size, sizeof *reel->action_name);
  reel->action_min = calloc(size, sizeof *reel->action_min);
  reel->action_max = calloc(size, sizeof *reel->action_max);
  reel->action_ctrl = calloc(size, sizeof *reel->action_ctrl);
  if (!reel->action_name || !reel->action_min || !reel->action_max || !reel->action_ctrl)
    return false;
  reel->nactions = n;
  for (int i = 0; i < n; i++) {
    snprintf(reel->action_name[i], sizeof *reel->action_name, "action %d", i);
    reel->action_min[i] = -INFINITY;
    reel->action_max[i] = INFINITY;
    reel->action_ctrl[i] = -1;
  }
  ask_terms(o);
  return true;
}

static bool name_stages(struct opened *o) {
  struct reel *reel = o->reel;
  size_t n = o->task ? ph_task_info_of(o->task)->nstages : 0;
  reel->stage = calloc(n ? n : 1, sizeof *reel->stage);
  if (!reel->stage)
    return false;
  for (size_t i = 0; i < n; i++)
    snprintf(reel->stage[i], sizeof *reel->stage, "%s", ph_task_stage(o->task, i)->name);
  reel->nstages = n;
  o->stages.complete = n == 0;
  return true;
}

/* An expression is its own name. */
static bool name_task(struct opened *o, const char *success) {
  struct reel *reel = o->reel;
  snprintf(reel->task_name, sizeof reel->task_name, "%s",
           o->task ? ph_task_info_of(o->task)->name : reel->meta.env_name);
  size_t n = o->judge[0] ? 1 : o->task ? ph_task_info_of(o->task)->nconditions : 0;
  reel->condition = calloc(n ? n : 1, sizeof *reel->condition);
  if (!reel->condition)
    return false;
  reel->nconditions = n;
  for (size_t i = 0; i < n; i++)
    snprintf(reel->condition[i], sizeof *reel->condition, "%s",
             o->judge[0] ? o->judge
             : success   ? success
                         : ph_task_condition(o->task, i));
  return true;
}

/* --- what else the file holds, and what is to be said of it --- */

static bool copy_channels(struct opened *o) {
  struct reel *reel = o->reel;
  size_t n = 0;
  const ph_channel *channels = ph_episode_channels(o->episode, &n);
  reel->channels = calloc(n ? n : 1, sizeof *reel->channels);
  if (!reel->channels)
    return false;
  if (n)
    memcpy(reel->channels, channels, n * sizeof *channels);
  reel->nchannels = n;
  reel->raw = !o->model && n > 0 && reel->meta.dims.nq == 0 && reel->meta.dims.nv == 0;
  return true;
}

static int compare_findings(const void *a, const void *b) {
  const ph_finding *x = a, *y = b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* Bytes of the mesh's name in "mesh NAME: file missing: 2 geoms left out"; 0: it is another note.
 */
static size_t lost_mesh(const char *note) {
  static const char what[] = "mesh ", why[] = ": file missing: ";
  const char *end = strstr(note, why);
  return strncmp(note, what, sizeof what - 1) == 0 && end ? (size_t)(end - note) - (sizeof what - 1)
                                                          : 0;
}

/* "22 meshes have no file and are left out: finger, hand, ... and 9 more". */
static void tell_meshes(ph_finding *finding, const ph_model *model, size_t notes, size_t lost) {
  const size_t size = 180, tail = 20; /* info lists all of them */
  size_t told = 0;
  size_t n =
      (size_t)snprintf(finding->text, size, "%zu meshes have no file and are left out", lost);
  for (size_t i = 0; i < notes; i++) {
    const char *text = ph_model_note(model, i);
    size_t name = lost_mesh(text);
    if (name == 0)
      continue;
    if (n + name + 2 + tail >= size) {
      snprintf(finding->text + n, size - n, " and %zu more", lost - told);
      return;
    }
    n += (size_t)snprintf(finding->text + n, size - n, "%s%.*s", told++ ? ", " : ": ", (int)name,
                          text + strlen("mesh "));
  }
}

/* What was changed in the loaded copy of the model; meshes without a file are one finding. */
static void add_notes(struct opened *o, size_t notes) {
  struct reel *reel = o->reel;
  size_t lost = 0;
  bool told = false;
  for (size_t i = 0; i < notes; i++)
    lost += lost_mesh(ph_model_note(o->model, i)) > 0;
  for (size_t i = 0; i < notes; i++) {
    const char *text = ph_model_note(o->model, i);
    bool mesh = lost > 1 && lost_mesh(text) > 0;
    if (mesh && told)
      continue;
    ph_finding *finding = &reel->findings[reel->nfindings++];
    *finding = (ph_finding){.kind = PH_FINDING_MENDED, .step = -1};
    if (mesh)
      tell_meshes(finding, o->model, notes, lost);
    else
      snprintf(finding->text, sizeof finding->text, "%s", text);
    told |= mesh;
  }
}

/* The file's, then those of the model. */
static bool copy_findings(struct opened *o) {
  struct reel *reel = o->reel;
  size_t n = 0, notes = 0;
  const ph_finding *findings = ph_episode_findings(o->episode, &n);
  while (o->model && ph_model_note(o->model, notes))
    notes++;
  reel->findings = calloc(n + notes ? n + notes : 1, sizeof *reel->findings);
  if (!reel->findings)
    return false;
  if (n)
    memcpy(reel->findings, findings, n * sizeof *findings);
  reel->nfindings = n;
  add_notes(o, notes);
  if (reel->nfindings)
    qsort(reel->findings, reel->nfindings, sizeof *reel->findings, compare_findings);
  return true;
}

/* Without a model the header and the state panel say why: a finding says it best. */
static void explain_raw(struct reel *reel) {
  for (size_t i = 0; i < reel->nfindings && reel->raw; i++) {
    const ph_finding *finding = &reel->findings[i];
    if (finding->kind == PH_FINDING_MISSING && strstr(finding->text, "model")) {
      snprintf(reel->model_note, sizeof reel->model_note, "%s", finding->text);
      return;
    }
  }
}

/* --- events --- */

/* The file has none: it is what the command says. */
static bool take_bits(struct opened *o, size_t *room) {
  struct reel *reel = o->reel;
  bool ok = true;
  reel->predicate = malloc((size_t)reel->states);
  reel->hold = calloc((size_t)reel->states, sizeof *reel->hold);
  if (!reel->predicate || !reel->hold)
    return false;
  memcpy(reel->predicate, o->bits, (size_t)reel->states);
  reel->judged = true;
  reel_count_hold(reel, room, &ok);
  return ok;
}

static bool read_predicate(struct opened *o, size_t *room) {
  struct reel *reel = o->reel;
  bool ok = true;
  if (reel->states <= 0)
    return true;
  if (!ph_episode_has(o->episode, PH_COL_PREDICATE))
    return o->bits ? take_bits(o, room) : true;
  if (ph_episode_rows(o->episode, PH_COL_PREDICATE) < reel->states) {
    note(reel->task_note, sizeof reel->task_note,
         "the predicate has fewer rows than there are states");
    return true;
  }
  reel->predicate = malloc((size_t)reel->states);
  reel->hold = calloc((size_t)reel->states, sizeof *reel->hold);
  if (!reel->predicate || !reel->hold)
    return false;
  if (ph_episode_read(o->episode, PH_COL_PREDICATE, 0, reel->states, reel->predicate) == PH_OK) {
    reel_count_hold(reel, room, &ok);
    return ok;
  }
  note(reel->task_note, sizeof reel->task_note, error_of(reel));
  free(reel->predicate);
  free(reel->hold);
  reel->predicate = NULL;
  reel->hold = NULL;
  return true;
}

/* The flags of action t belong to the state that it led to, t+1. */
static bool read_flags(struct opened *o, size_t *room) {
  struct reel *reel = o->reel;
  int64_t n = ph_episode_rows(o->episode, PH_COL_FLAGS);
  bool ok = true;
  if (n <= 0)
    return true;
  uint8_t *flags = malloc((size_t)n), before = 0;
  if (!flags)
    return false;
  if (ph_episode_read(o->episode, PH_COL_FLAGS, 0, n, flags) != PH_OK) {
    note(reel->task_note, sizeof reel->task_note, error_of(reel));
    n = 0;
  }
  for (int64_t t = 0; t < n && t + 1 < reel->states && ok; t++) {
    uint8_t rose = flags[t] & (uint8_t)~before;
    before = flags[t];
    if (rose & PH_FLAG_CLIPPED)
      ok = reel_add_event(reel, room, t + 1, EVENT_CLIPPED);
    if (ok && (rose & PH_FLAG_WARNED))
      ok = reel_add_event(reel, room, t + 1, EVENT_WARNED);
  }
  free(flags);
  return ok;
}

/* What is missing after the last state is no place to go to: the end is there already. */
static bool is_place(const struct reel *reel, const ph_finding *finding) {
  int64_t last = reel->states - 1;
  return finding->step >= 0 && finding->step <= last &&
         !(finding->kind == PH_FINDING_MISSING && finding->step == last);
}

static bool collect_events(struct opened *o) {
  struct reel *reel = o->reel;
  size_t room = 0;
  reel->latch = -1;
  bool ok = read_predicate(o, &room) && read_flags(o, &room);
  for (size_t i = 0; i < reel->nfindings && ok; i++)
    if (is_place(reel, &reel->findings[i]))
      ok = reel_add_event(reel, &room, reel->findings[i].step, EVENT_FINDING);
  if (ok && reel->states > 0 && !reel->running)
    ok = reel_add_event(reel, &room, reel->states - 1, EVENT_END);
  if (ok)
    reel_sort_events(reel);
  return ok;
}

/* --- what the last action led to, where its state is not stored --- */

static void read_late(struct opened *o) {
  struct reel *reel = o->reel;
  const ph_episode_meta *meta = &reel->meta;
  int64_t last = meta->actions - 1;
  uint8_t done = 0;
  reel->late_reward = NAN;
  if (last < 0 || meta->states != meta->actions)
    return;
  if (ph_episode_rows(o->episode, PH_COL_REWARDS) <= last ||
      ph_episode_read(o->episode, PH_COL_REWARDS, last, 1, &reel->late_reward) != PH_OK)
    reel->late_reward = NAN;
  if (ph_episode_rows(o->episode, PH_COL_DONES) <= last ||
      ph_episode_read(o->episode, PH_COL_DONES, last, 1, &done) != PH_OK)
    done = 0;
  reel->late = meta->success == 1 && meta->success_source[0] && reel->predicate &&
               !reel->predicate[reel->states - 1] && (reel->late_reward == 1 || done);
}

/* --- all together --- */

static ph_status start_reel(struct opened *o) {
  struct reel *reel = calloc(1, sizeof *reel);
  if (!reel)
    return PH_ENOMEM;
  atomic_init(&reel->refs, 1);
  o->reel = reel;
  reel->episode = o->place;
  reel->meta = *ph_episode_meta_of(o->episode);
  reel->meta.provenance = NULL;
  reel->states = reel->meta.states;
  reel->live = o->live;
  reel->running = o->running;
  reel->hold_steps = reel->meta.hold_steps;
  return PH_OK;
}

static void finish_reel(struct opened *o) {
  explain_raw(o->reel);
  clock_read(&o->reel->clock, o->episode);
  o->reel->no_flags = !ph_episode_has(o->episode, PH_COL_FLAGS);
  o->reel->no_rewards = !ph_episode_has(o->episode, PH_COL_REWARDS);
  read_late(o);
}

static ph_status fill_reel(struct opened *o, const char *success) {
  o->reel->guarantee =
      ph_episode_guarantee(o->episode, o->model, o->task, o->reel->reason, sizeof o->reel->reason);
  if (!copy_signals(o) || !name_ctrl(o) || !name_actions(o) || !name_task(o, success) ||
      !name_stages(o) || !copy_channels(o) || !copy_findings(o) || !collect_events(o))
    return PH_ENOMEM;
  finish_reel(o);
  return PH_OK;
}

ph_status opened_open(struct opened *o, ph_store *store, size_t place, ph_task *task,
                      const char *success, ph_judge *judge) {
  memset(o, 0, sizeof *o);
  o->place = place;
  ph_status status = ph_store_episode(&o->episode, store, place);
  if (status != PH_OK) {
    o->episode = NULL;
    goto out;
  }
  status = start_reel(o);
  if (status != PH_OK)
    goto out;
  open_model(o, store);
  status = open_task(o, store, task, success);
  if (status == PH_OK)
    status = open_replay(o);
  if (status == PH_OK)
    status = opened_ask_judge(o, judge);
  if (status == PH_OK)
    status = fill_reel(o, success);
out:
  if (status != PH_OK)
    opened_close(o);
  return status;
}

ph_status opened_live(struct opened *o, const ph_episode *episode, ph_model *model, ph_task *task,
                      const char *success) {
  memset(o, 0, sizeof *o);
  o->episode = (ph_episode *)episode;
  o->model = ph_model_ref(model);
  o->task = ph_task_ref(task);
  o->live = o->running = true;
  ph_status status = start_reel(o);
  if (status == PH_OK)
    status = open_replay(o);
  if (status == PH_OK)
    status = fill_reel(o, success);
  if (status != PH_OK)
    opened_close(o);
  return status;
}

ph_status opened_renew(struct opened *o, bool running, const char *success) {
  struct reel *old = o->reel;
  o->reel = NULL;
  o->running = running;
  ph_status status = start_reel(o);
  if (status == PH_OK)
    status = fill_reel(o, success);
  reel_unref(status == PH_OK ? old : o->reel);
  o->reel = status == PH_OK ? o->reel : old;
  ph_tracks_free(o->tracks); /* they have as many rows as there were */
  o->tracks = NULL;
  return status;
}

bool opened_wants_stages(const struct opened *o) {
  return !o->stages.complete;
}

void opened_judge_stages(struct opened *o, int64_t most) {
  struct stages_known *known = &o->stages;
  ph_status status = ph_replay_stages(o->replay, most, &known->stages, &known->rows);
  known->complete = status != PH_OK || known->rows >= o->reel->states;
  if (status != PH_OK)
    snprintf(known->note, sizeof known->note, "%s", error_of(o->reel));
}

void opened_close(struct opened *o) {
  dynamic_close(o->dynamic);
  held_close(o->held);
  ph_tracks_free(o->tracks);
  ph_replay_free(o->replay);
  free(o->bits);
  ph_task_unref(o->task);
  ph_model_unref(o->model);
  if (!o->live)
    ph_episode_free(o->episode);
  reel_unref(o->reel);
  memset(o, 0, sizeof *o);
}
