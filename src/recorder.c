#include "recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "finite.h"
#include "take.h"

typedef struct ph_slot {
  int env_id;
  int64_t episodes; /* begun so far */
  bool running;
  ph_take take;
} ph_slot;

struct ph_recorder {
  ph_sink *sink;
  ph_model *model; /* referenced */
  ph_episode_meta origin;
  char *provenance;
  char path[512];
  bool substeps;
  bool run;          /* the sink is a run directory that was started here */
  uint32_t required; /* columns that every row 0 must have */
  ph_slot *slots;
  size_t nslots;
  ph_take *kept; /* commits that failed */
  size_t nkept;
  ph_tally tally;
};

/* --- open --- */

static void recorder_free(ph_recorder *rec) {
  for (size_t i = 0; i < rec->nslots; i++)
    ph_take_clear(&rec->slots[i].take);
  for (size_t i = 0; i < rec->nkept; i++)
    ph_take_clear(&rec->kept[i]);
  if (rec->run && rec->tally.commits == 0)
    ph_sink_run_undo(rec->sink);
  rec->sink->free(rec->sink);
  ph_model_unref(rec->model);
  free(rec->slots);
  free(rec->kept);
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
  rec->model = ph_model_ref(model);
  rec->origin = *origin;
  rec->provenance = provenance;
  rec->substeps = opt->ctrl_substeps;
  rec->required = required_columns(&origin->dims, opt);
  snprintf(rec->path, sizeof rec->path, "%s", path);
  ph_status status = sink->model(sink, model);
  if (status == PH_OK && opt->task)
    status = sink->task(sink, opt->task);
  if (status != PH_OK) {
    recorder_free(rec);
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

ph_status ph_recorder_open(ph_recorder **out, const char *path, const ph_model *model,
                           const ph_recorder_options *opt) {
  ph_episode_meta origin;
  char *provenance = NULL;
  ph_sink *sink = NULL;
  *out = NULL;
  ph_status status = ph_recorder_origin(&origin, &provenance, model, opt);
  if (status == PH_OK)
    status = ph_sink_run(&sink, path, &origin, NULL);
  if (status != PH_OK) {
    free(provenance);
    return status;
  }
  status = recorder_new(out, sink, &origin, provenance, path, model, opt);
  if (status == PH_OK) {
    status = ph_sink_run_start(sink);
    (*out)->run = status == PH_OK;
    if (status != PH_OK) {
      recorder_free(*out);
      *out = NULL;
    }
  }
  return status;
}

/* --- slots --- */

static ph_slot *find_slot(const ph_recorder *rec, int env_id) {
  if (env_id >= 0 && (size_t)env_id < rec->nslots && rec->slots[env_id].env_id == env_id)
    return &rec->slots[env_id];
  for (size_t i = 0; i < rec->nslots; i++)
    if (rec->slots[i].env_id == env_id)
      return &rec->slots[i];
  return NULL;
}

static ph_slot *make_slot(ph_recorder *rec, int env_id) {
  ph_slot *slot = find_slot(rec, env_id);
  if (slot)
    return slot;
  ph_slot *slots = realloc(rec->slots, (rec->nslots + 1) * sizeof *slots);
  if (!slots)
    return NULL;
  rec->slots = slots;
  slot = &slots[rec->nslots++];
  memset(slot, 0, sizeof *slot);
  slot->env_id = env_id;
  return slot;
}

static ph_status running_slot(ph_slot **out, const ph_recorder *rec, int env_id) {
  *out = find_slot(rec, env_id);
  if (!*out || !(*out)->running)
    return ph_fail(PH_EINVAL, "recorder: env %d: no episode has begun", env_id);
  return PH_OK;
}

/* --- begin --- */

static uint32_t row_columns(const ph_row *row, const ph_dims *dims) {
  uint32_t columns = 0;
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if (ph_row_column(row, col) != NULL && ph_schema_width(col, dims) > 0)
      columns |= PH_COL_BIT(col);
  return columns;
}

/* A row must have exactly the columns of `columns`, all finite. */
static ph_status check_row(const ph_recorder *rec, int env_id, int64_t step, uint32_t columns,
                           const ph_row *row) {
  char what[120];
  const ph_dims *dims = &rec->origin.dims;
  uint32_t differ = row_columns(row, dims) ^ columns;
  for (ph_column col = 0; differ != 0 && col < PH_COL_COUNT; col++) {
    if ((differ & PH_COL_BIT(col)) != 0) {
      return ph_fail(PH_EINVAL, "recorder: env %d: row %" PRId64 ": column %s is %s", env_id, step,
                     ph_schema_column(col)->path,
                     (columns & PH_COL_BIT(col)) != 0 ? "missing" : "there, but not in row 0");
    }
  }
  if (!ph_finite_row(row, dims, rec->model, what, sizeof what)) {
    return ph_fail(PH_EINVAL, "recorder: env %d: row %" PRId64 ": %s is not finite", env_id, step,
                   what);
  }
  return PH_OK;
}

static uint32_t log_columns(const ph_recorder *rec, uint32_t row) {
  uint32_t columns = row | PH_COL_BIT(PH_COL_ACTIONS);
  if (rec->substeps && rec->origin.dims.nu > 0)
    columns |= PH_COL_BIT(PH_COL_CTRL_SUBSTEPS);
  return columns;
}

ph_status ph_recorder_begin(ph_recorder *rec, int env_id, uint64_t seed, const ph_edit *edits,
                            size_t n, const ph_row *row0) {
  if (env_id < 0)
    return ph_fail(PH_EINVAL, "recorder: env %d: ids start at 0", env_id);
  uint32_t columns = row_columns(row0, &rec->origin.dims);
  ph_status status = check_row(rec, env_id, 0, columns | rec->required, row0);
  if (status != PH_OK)
    return status;
  ph_slot *slot = make_slot(rec, env_id);
  if (!slot)
    return ph_fail(PH_ENOMEM, "recorder: out of memory");
  if (slot->running) {
    return ph_fail(PH_EINVAL, "recorder: env %d: its episode %" PRId64 " has not ended", env_id,
                   slot->take.episode);
  }
  status = ph_take_start(&slot->take, &rec->origin.dims, log_columns(rec, columns), edits, n, row0);
  if (status != PH_OK)
    return status;
  slot->take.env_id = env_id;
  slot->take.seed = seed;
  slot->take.episode = slot->episodes++;
  slot->running = true;
  rec->tally.resets++;
  return PH_OK;
}

/* --- rows --- */

static ph_status check_numbers(int env_id, int64_t step, const char *name, const double *x,
                               size_t n) {
  size_t at = 0;
  if (!x && n > 0) {
    return ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": %s is missing", env_id, step,
                   name);
  }
  if (!ph_finite(x, n, &at)) {
    return ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": %s[%zu] is not finite", env_id,
                   step, name, at);
  }
  return PH_OK;
}

static ph_status check_transition(const ph_recorder *rec, const ph_slot *slot,
                                  const ph_transition *how, const ph_row *row) {
  const ph_dims *dims = &rec->origin.dims;
  int64_t step = ph_rowlog_states(slot->take.log) - 1;
  uint32_t known = PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED | PH_FLAG_CLIPPED | PH_FLAG_WARNED;
  size_t nsub = rec->substeps ? (size_t)dims->control_steps * (size_t)dims->nu : 0;
  uint32_t mask = ~(PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_CTRL_SUBSTEPS) |
                    PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_FLAGS));
  ph_status status =
      check_numbers(slot->env_id, step, "action", how->action, (size_t)dims->action_dim);
  if (status == PH_OK)
    status = check_numbers(slot->env_id, step, "ctrl_substeps", how->ctrl_substeps, nsub);
  if (status == PH_OK)
    status = check_numbers(slot->env_id, step, "reward", &how->reward, 1);
  if (status == PH_OK && (how->flags & ~known) != 0) {
    status = ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": flags %u: unknown bits",
                     slot->env_id, step, how->flags);
  }
  if (status == PH_OK)
    status = check_row(rec, slot->env_id, step + 1, ph_rowlog_columns(slot->take.log) & mask, row);
  return status;
}

static ph_transition transition_at(const ph_recorder *rec, size_t i, const double *const *action,
                                   const double *const *ctrl_substeps, const double *reward,
                                   const uint8_t *flags) {
  ph_transition how = {
      .action = action[i],
      .ctrl_substeps = rec->substeps && ctrl_substeps ? ctrl_substeps[i] : NULL,
      .reward = reward[i],
      .flags = flags[i],
  };
  return how;
}

ph_status ph_recorder_rows(ph_recorder *rec, const int *env_ids, size_t n,
                           const double *const *action, const double *const *ctrl_substeps,
                           const double *reward, const uint8_t *flags, const ph_row *row) {
  ph_slot *slot = NULL;
  for (size_t i = 0; i < n; i++) {
    ph_transition how = transition_at(rec, i, action, ctrl_substeps, reward, flags);
    ph_status status = running_slot(&slot, rec, env_ids[i]);
    for (size_t j = 0; status == PH_OK && j < i; j++)
      if (env_ids[j] == env_ids[i])
        status = ph_fail(PH_EINVAL, "recorder: env %d: twice in one call", env_ids[i]);
    if (status == PH_OK)
      status = check_transition(rec, slot, &how, &row[i]);
    if (status == PH_OK)
      status = ph_rowlog_reserve(slot->take.log);
    if (status != PH_OK)
      return status;
  }
  for (size_t i = 0; i < n; i++) {
    ph_transition how = transition_at(rec, i, action, ctrl_substeps, reward, flags);
    ph_rowlog_push(find_slot(rec, env_ids[i])->take.log, &how, &row[i]);
    rec->tally.steps++;
  }
  return PH_OK;
}

/* --- end --- */

static ph_status commit(ph_recorder *rec, const ph_take *take) {
  ph_status status = ph_take_commit(take, rec->sink, &rec->origin, rec->model);
  if (status == PH_OK) {
    rec->tally.commits++;
    rec->tally.by_end[take->reason]++;
  }
  return status;
}

/* Keeps a take whose commit failed for another try at close. */
static ph_status keep(ph_recorder *rec, ph_take *take) {
  ph_take *kept = realloc(rec->kept, (rec->nkept + 1) * sizeof *kept);
  if (!kept)
    return PH_ENOMEM;
  rec->kept = kept;
  kept[rec->nkept++] = *take;
  memset(take, 0, sizeof *take);
  rec->tally.failed++;
  return PH_OK;
}

static void drop(ph_recorder *rec, ph_slot *slot) {
  ph_take_clear(&slot->take);
  slot->running = false;
  rec->tally.discards++;
}

static ph_status end_slot(ph_recorder *rec, ph_slot *slot, ph_end reason, int success,
                          const char *detail) {
  ph_take *take = &slot->take;
  if (ph_rowlog_states(take->log) < 2) {
    drop(rec, slot);
    return PH_OK;
  }
  take->reason = reason;
  take->success = success;
  snprintf(take->detail, sizeof take->detail, "%s", detail ? detail : "");
  ph_status status = commit(rec, take);
  if (status == PH_OK) {
    ph_take_clear(take);
    slot->running = false;
  } else if (keep(rec, take) == PH_OK) {
    slot->running = false;
  }
  return status;
}

ph_status ph_recorder_end(ph_recorder *rec, int env_id, ph_end reason, int success,
                          const char *detail) {
  ph_slot *slot = NULL;
  if ((unsigned)reason >= PH_END_COUNT || success < -1 || success > 1) {
    return ph_fail(PH_EINVAL, "recorder: env %d: end %d, success %d: out of range", env_id,
                   (int)reason, success);
  }
  ph_status status = running_slot(&slot, rec, env_id);
  return status == PH_OK ? end_slot(rec, slot, reason, success, detail) : status;
}

ph_status ph_recorder_discard(ph_recorder *rec, int env_id) {
  ph_slot *slot = NULL;
  ph_status status = running_slot(&slot, rec, env_id);
  if (status == PH_OK)
    drop(rec, slot);
  return status;
}

const ph_tally *ph_recorder_tally(const ph_recorder *rec) {
  return &rec->tally;
}
const char *ph_recorder_path(const ph_recorder *rec) {
  return rec->path;
}
const char *ph_recorder_run_id(const ph_recorder *rec) {
  return rec->origin.run_id;
}

/* --- close --- */

/* Remembers the first error. */
static void note(ph_status *first, char *text, size_t size, ph_status status) {
  if (*first == PH_OK && status != PH_OK) {
    *first = status;
    snprintf(text, size, "%s", ph_error());
  }
}

static void retry(ph_recorder *rec, ph_status *status, char *text, size_t size) {
  for (size_t i = 0; i < rec->nkept; i++) {
    ph_status again = commit(rec, &rec->kept[i]);
    if (again == PH_OK)
      rec->tally.failed--;
    note(status, text, size, again);
  }
}

ph_status ph_recorder_close(ph_recorder *rec, ph_tally *tally) {
  char text[600] = "";
  ph_status status = PH_OK;
  int success = (rec->required & PH_COL_BIT(PH_COL_PREDICATE)) != 0 ? 0 : -1;
  for (size_t i = 0; i < rec->nslots; i++) {
    ph_slot *slot = &rec->slots[i];
    if (!slot->running)
      continue;
    ph_status ended = end_slot(rec, slot, PH_END_ABORTED, success, "the recording was closed");
    if (slot->running) { /* neither written nor kept */
      rec->tally.failed++;
      note(&status, text, sizeof text, ended);
    }
  }
  retry(rec, &status, text, sizeof text);
  note(&status, text, sizeof text, rec->sink->finish(rec->sink));
  if (status != PH_OK)
    ph_fail(status, "%s", text);
  if (tally)
    *tally = rec->tally;
  recorder_free(rec);
  return status;
}
