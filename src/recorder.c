#include "recorder_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- open --- */

static void slot_free(ph_slot *slot) {
  ph_take_clear(&slot->take);
  ph_journal_close(slot->journal, true);
  free(slot->spare);
  free(slot);
}

void ph_recorder_free_all(ph_recorder *rec) {
  ph_behind_stop(rec);
  bool left = rec->kept != NULL;
  for (size_t i = 0; i < rec->nslots; i++) {
    left = left || rec->slots[i]->running;
    slot_free(rec->slots[i]);
  }
  for (ph_kept *kept = rec->kept, *next; kept; kept = next) {
    next = kept->next;
    ph_take_clear(&kept->take);
    free(kept);
  }
  ph_behind_destroy(rec);
  if (rec->run && rec->tally.commits == 0 && !left) /* journals that are left need run.h5 */
    ph_sink_run_undo(rec->sink);
  rec->sink->free(rec->sink);
  ph_model_unref(rec->model);
  ph_task_unref(rec->task);
  pthread_mutex_destroy(&rec->lock);
  pthread_mutex_destroy(&rec->commits);
  pthread_mutex_destroy(&rec->warning);
  free(rec->slots);
  free(rec->provenance);
  free(rec);
}

static uint32_t required_columns(const ph_dims *dims, const ph_recorder_options *opt) {
  uint32_t columns = PH_COL_BIT(PH_COL_STATES);
  if (dims->nv > 0)
    columns |= PH_COL_BIT(PH_COL_WARMSTART);
  if (dims->nu > 0)
    columns |= PH_COL_BIT(PH_COL_CTRL);
  if (dims->action_state > 0)
    columns |= PH_COL_BIT(PH_COL_ACTION_STATE);
  if (opt->task && ph_task_info_of(opt->task)->has_success)
    columns |= PH_COL_BIT(PH_COL_PREDICATE);
  return columns;
}

static void fill(ph_recorder *rec, const ph_model *model, const ph_recorder_options *opt) {
  rec->model = ph_model_ref(model);
  rec->task = opt->task ? ph_task_ref((ph_task *)opt->task) : NULL;
  rec->substeps = opt->ctrl_substeps;
  rec->compress = opt->compress;
  rec->warn = opt->warn;
  rec->user = opt->user;
  rec->relief = opt->relief ? opt->relief : opt->warn;
  rec->unverified = opt->unverified;
  rec->patience = 1;
  rec->required = required_columns(&rec->origin.dims, opt);
  pthread_mutex_init(&rec->lock, NULL);
  pthread_mutex_init(&rec->commits, NULL);
  pthread_mutex_init(&rec->warning, NULL);
  ph_behind_init(rec, opt->behind);
}

/* Takes sink and provenance. */
static ph_status recorder_new(ph_recorder **out, ph_sink *sink, const ph_episode_meta *origin,
                              char *provenance, const char *path, const ph_model *model,
                              const ph_recorder_options *opt) {
  ph_recorder *rec = calloc(1, sizeof *rec);
  bool fits = strlen(path) < sizeof rec->path;
  if (!rec || !fits) {
    sink->free(sink);
    free(provenance);
    free(rec);
    return fits ? ph_fail(PH_ENOMEM, "recorder: out of memory")
                : ph_fail(PH_EINVAL, "%.80s...: the path is too long", path);
  }
  rec->sink = sink;
  rec->origin = *origin;
  rec->provenance = provenance;
  fill(rec, model, opt);
  snprintf(rec->path, sizeof rec->path, "%s", path);
  ph_status status = sink->model(sink, model);
  if (status == PH_OK && opt->task)
    status = sink->task(sink, opt->task);
  if (status != PH_OK) {
    ph_recorder_free_all(rec);
    return status;
  }
  *out = rec;
  return PH_OK;
}

ph_status ph_recorder_open_sink(ph_recorder **out, ph_sink *sink, const char *path,
                                const ph_model *model, const ph_recorder_options *opt) {
  ph_episode_meta origin;
  char *provenance = NULL;
  *out = NULL;
  ph_status status = ph_recorder_origin(&origin, &provenance, model, opt);
  if (status != PH_OK) {
    sink->free(sink);
    return status;
  }
  return recorder_new(out, sink, &origin, provenance, path, model, opt);
}

/* A run that is appended to keeps its name. */
static ph_status start_run(ph_recorder *rec) {
  char line[800];
  ph_status status = ph_sink_run_start(rec->sink);
  if (ph_sink_run_taken(rec->sink, line, sizeof line) && rec->relief)
    rec->relief(rec->user, line);
  if (status == PH_OK) {
    const ph_episode_meta *run = ph_sink_run_origin(rec->sink);
    snprintf(rec->origin.run_id, sizeof rec->origin.run_id, "%s", run->run_id);
    snprintf(rec->origin.created, sizeof rec->origin.created, "%s", run->created);
    rec->run = true;
  }
  return status;
}

ph_status ph_recorder_open(ph_recorder **out, const char *path, const ph_model *model,
                           const ph_recorder_options *opt) {
  ph_episode_meta origin;
  char *provenance = NULL;
  ph_sink *sink = NULL;
  ph_sink_options how = {.compress = opt->compress, .existing = opt->existing};
  *out = NULL;
  ph_status status = ph_recorder_origin(&origin, &provenance, model, opt);
  if (status == PH_OK)
    status = ph_sink_run(&sink, path, &origin, &how);
  if (status != PH_OK) {
    free(provenance);
    return status;
  }
  status = recorder_new(out, sink, &origin, provenance, path, model, opt);
  if (status == PH_OK)
    status = start_run(*out);
  if (status != PH_OK && *out) {
    ph_recorder_free_all(*out);
    *out = NULL;
  }
  return status;
}

/* --- slots --- */

/* Where the env's slot is, or would be. */
static size_t place_of(const ph_recorder *rec, int env_id) {
  size_t low = 0, high = rec->nslots;
  if (env_id >= 0 && (size_t)env_id < rec->nslots && rec->slots[env_id]->env_id == env_id)
    return (size_t)env_id;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rec->slots[middle]->env_id < env_id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

ph_slot *ph_slot_at(const ph_recorder *rec, int env_id) {
  size_t i = place_of(rec, env_id);
  return i < rec->nslots && rec->slots[i]->env_id == env_id ? rec->slots[i] : NULL;
}

ph_slot *ph_slot_find(const ph_recorder *rec, int env_id) {
  pthread_mutex_lock((pthread_mutex_t *)&rec->lock);
  ph_slot *slot = ph_slot_at(rec, env_id);
  pthread_mutex_unlock((pthread_mutex_t *)&rec->lock);
  return slot;
}

static int64_t first_episode(const ph_recorder *rec, int env_id) {
  return rec->run ? ph_sink_run_next(rec->sink, env_id) : 0;
}

/* Under `lock`. */
static ph_slot *add(ph_recorder *rec, int env_id) {
  ph_slot **slots = realloc(rec->slots, (rec->nslots + 1) * sizeof *slots);
  if (!slots)
    return NULL;
  rec->slots = slots;
  ph_slot *slot = calloc(1, sizeof *slot);
  if (slot) {
    size_t i = place_of(rec, env_id);
    slot->env_id = env_id;
    slot->next = first_episode(rec, env_id);
    memmove(slots + i + 1, slots + i, (rec->nslots++ - i) * sizeof *slots);
    slots[i] = slot;
  }
  return slot;
}

/* With all that is needed to keep an episode that cannot be written. */
static ph_slot *make_slot(ph_recorder *rec, int env_id) {
  pthread_mutex_lock(&rec->lock);
  ph_slot *slot = ph_slot_at(rec, env_id);
  if (!slot)
    slot = add(rec, env_id);
  pthread_mutex_unlock(&rec->lock);
  if (slot && !slot->spare)
    slot->spare = calloc(1, sizeof *slot->spare);
  return slot && slot->spare ? slot : NULL;
}

ph_status ph_slot_running(ph_slot **out, const ph_recorder *rec, int env_id) {
  *out = ph_slot_find(rec, env_id);
  if (!*out || !(*out)->running)
    return ph_fail(PH_EINVAL, "recorder: env %d: no episode has begun", env_id);
  return PH_OK;
}

int64_t ph_recorder_next_episode(const ph_recorder *rec, int env_id) {
  const ph_slot *slot = ph_slot_find(rec, env_id);
  return slot ? slot->next : first_episode(rec, env_id);
}

/* --- begin --- */

static uint32_t log_columns(const ph_recorder *rec, uint32_t row) {
  uint32_t columns = row | PH_COL_BIT(PH_COL_ACTIONS);
  if (rec->substeps && rec->origin.dims.nu > 0)
    columns |= PH_COL_BIT(PH_COL_CTRL_SUBSTEPS);
  return columns;
}

static ph_status start(ph_recorder *rec, ph_slot *slot, uint64_t seed, ph_take_begin *begin,
                       const ph_row *row0) {
  begin->journal = ph_slot_journal(rec, slot, begin, seed);
  ph_status status = ph_take_start(&slot->take, begin, row0);
  if (status != PH_OK) {
    if (begin->journal)
      ph_journal_void(begin->journal);
    return status;
  }
  if (begin->journal)
    slot->journal = NULL; /* the take has it */
  slot->take.env_id = slot->env_id;
  slot->take.seed = seed;
  slot->take.episode = slot->next++;
  if (begin->journal && ph_rowlog_trouble(slot->take.log))
    ph_slot_unsafe(rec, slot, ph_rowlog_trouble(slot->take.log));
  return PH_OK;
}

/* The env's slot, in which no episode runs. */
static ph_status idle_slot(ph_slot **out, ph_recorder *rec, int env_id) {
  *out = env_id >= 0 ? make_slot(rec, env_id) : NULL;
  if (env_id < 0)
    return ph_fail(PH_EINVAL, "recorder: env %d: ids start at 0", env_id);
  if (!*out)
    return ph_fail(PH_ENOMEM, "recorder: out of memory");
  if ((*out)->running) {
    return ph_fail(PH_EINVAL, "recorder: env %d: its episode %" PRId64 " has not ended", env_id,
                   (*out)->take.episode);
  }
  return PH_OK;
}

ph_status ph_recorder_begin(ph_recorder *rec, int env_id, uint64_t seed, const ph_edit *edits,
                            size_t n, const ph_row *row0) {
  if (env_id < 0)
    return ph_fail(PH_EINVAL, "recorder: env %d: ids start at 0", env_id);
  ph_slot *slot = NULL;
  uint32_t columns = ph_row_columns(row0, &rec->origin.dims);
  ph_status status = ph_row_check(rec, env_id, 0, columns | rec->required, row0);
  if (status == PH_OK)
    status = idle_slot(&slot, rec, env_id);
  if (status != PH_OK)
    return status;
  ph_take_begin begin = {.dims = &rec->origin.dims,
                         .model = rec->model,
                         .columns = log_columns(rec, columns),
                         .edits = edits,
                         .nedits = n};
  status = start(rec, slot, seed, &begin, row0);
  if (status != PH_OK)
    return status;
  pthread_mutex_lock(&rec->lock);
  slot->running = true;
  rec->tally.resets++;
  pthread_mutex_unlock(&rec->lock);
  return PH_OK;
}

ph_status ph_recorder_skip(ph_recorder *rec, int env_id) {
  ph_slot *slot = NULL;
  ph_status status = idle_slot(&slot, rec, env_id);
  if (status != PH_OK)
    return status;
  slot->next++;
  pthread_mutex_lock(&rec->lock);
  rec->tally.resets++;
  rec->tally.discards++;
  pthread_mutex_unlock(&rec->lock);
  return PH_OK;
}

/* --- what it says --- */

void ph_recorder_tally_now(const ph_recorder *rec, ph_tally *out) {
  pthread_mutex_lock((pthread_mutex_t *)&rec->lock);
  *out = rec->tally;
  pthread_mutex_unlock((pthread_mutex_t *)&rec->lock);
}

void ph_recorder_watch(ph_recorder *rec, void (*ended)(void *user, const ph_recorded *episode),
                       void *user) {
  rec->ended = ended;
  rec->ended_user = user;
}

const char *ph_recorder_path(const ph_recorder *rec) {
  return rec->path;
}
const char *ph_recorder_run_id(const ph_recorder *rec) {
  return rec->origin.run_id;
}
