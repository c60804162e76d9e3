/* How episodes end, and how a recording does. */
#include "recorder_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static void drop(ph_recorder *rec, ph_slot *slot) {
  ph_slot_journal_back(slot, &slot->take);
  ph_take_clear(&slot->take);
  pthread_mutex_lock(&rec->lock);
  slot->running = false;
  slot->waits = 0;
  rec->tally.discards++;
  pthread_mutex_unlock(&rec->lock);
}

static ph_recorded recorded(const ph_take *take, ph_status status, const char *error) {
  ph_recorded episode = {.env_id = take->env_id,
                         .episode = take->episode,
                         .seed = take->seed,
                         .actions = ph_rowlog_states(take->log) - 1,
                         .end = take->reason,
                         .success = take->success,
                         .detail = take->detail,
                         .status = status,
                         .error = status == PH_OK ? NULL : error};
  return episode;
}

/* Once an episode is kept another thread may commit it: it is told of before. */
ph_status ph_recorder_commit(ph_recorder *rec, ph_kept *ended) {
  char text[600] = "";
  ph_recorder_verify(rec, &ended->take);
  pthread_mutex_lock(&rec->commits);
  ph_status status = ph_take_commit(&ended->take, rec->sink, &rec->origin, rec->model);
  if (status != PH_OK)
    snprintf(text, sizeof text, "%s", ph_error());
  ph_recorder_news(rec);
  ph_recorded episode = recorded(&ended->take, status, text);
  if (status == PH_OK)
    ph_recorder_committed(rec, &ended->take);
  if (rec->ended)
    rec->ended(rec->ended_user, &episode);
  if (status == PH_OK)
    ph_recorder_try_later(rec);
  else
    ph_recorder_keep(rec, ended);
  pthread_mutex_unlock(&rec->commits);
  if (status != PH_OK)
    ph_recorder_trouble(rec, PH_TROUBLE_COMMIT, text);
  return status == PH_OK ? PH_OK : ph_fail(status, "%s", text);
}

/* Errors stay those of the commit, whatever is done about them. */
static ph_status commit(ph_recorder *rec, ph_slot *slot) {
  ph_kept *ended = slot->spare;
  ph_status status = PH_OK;
  slot->spare = NULL;
  *ended = (ph_kept){.take = slot->take};
  memset(&slot->take, 0, sizeof slot->take);
  if (!ph_behind_put(rec, ended)) {
    status = ph_recorder_commit(rec, ended);
    if (status == PH_OK) {
      ph_slot_journal_back(slot, &ended->take);
      ph_take_clear(&ended->take);
      slot->spare = ended;
    }
  }
  pthread_mutex_lock(&rec->lock);
  slot->running = false;
  slot->waits = 0;
  pthread_mutex_unlock(&rec->lock);
  return status;
}

ph_status ph_slot_end(ph_recorder *rec, ph_slot *slot, ph_end reason, int success,
                      const char *detail) {
  ph_take *take = &slot->take;
  if (ph_rowlog_states(take->log) < 2) {
    drop(rec, slot);
    return PH_OK;
  }
  take->reason = reason;
  take->success = success;
  snprintf(take->detail, sizeof take->detail, "%s", detail ? detail : "");
  return commit(rec, slot);
}

ph_status ph_recorder_end(ph_recorder *rec, int env_id, ph_end reason, int success,
                          const char *detail) {
  ph_slot *slot = NULL;
  if ((unsigned)reason >= PH_END_COUNT || success < -1 || success > 1) {
    return ph_fail(PH_EINVAL, "recorder: env %d: end %d, success %d: out of range", env_id,
                   (int)reason, success);
  }
  ph_status status = ph_slot_running(&slot, rec, env_id);
  return status == PH_OK ? ph_slot_end(rec, slot, reason, success, detail) : status;
}

ph_status ph_recorder_discard(ph_recorder *rec, int env_id) {
  ph_slot *slot = NULL;
  ph_status status = ph_slot_running(&slot, rec, env_id);
  if (status == PH_OK)
    drop(rec, slot);
  return status;
}

/* --- close --- */

/* What could not be written, and where its rows are. */
static ph_status say_what_is_left(ph_recorder *rec, ph_status status, const char *first) {
  char names[300] = "";
  size_t n = 0, lost = 0, used = 0;
  for (ph_kept *kept = rec->kept; kept; kept = kept->next) {
    bool safe = ph_take_to_journal(rec, &kept->take);
    n++;
    lost += !safe;
    if (kept->take.journal)
      ph_journal_rest(kept->take.journal, true);
    if (!kept->take.journal || !ph_journal_in_place(kept->take.journal))
      continue;
    const char *path = ph_journal_path(kept->take.journal);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (used + strlen(name) + 8 < sizeof names)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    else if (used > 0 && names[used - 1] != '.')
      used += (size_t)snprintf(names + used, sizeof names - used, " ...");
  }
  if (n == 0)
    return ph_fail(status, "%s", first);
  if (used == 0)
    return ph_fail(status, "%s: %zu episode%s could not be written and %s lost: %s", rec->path, n,
                   n == 1 ? "" : "s", n == 1 ? "is" : "are", first);
  return ph_fail(status,
                 "%s: %zu episode%s could not be written%s; rows are in %s: `playhead salvage` "
                 "gives them back: %s",
                 rec->path, n, n == 1 ? "" : "s", lost ? ", not all rows could be kept" : "", names,
                 first);
}

/* --- where another folder has the run's place --- */

/* A run of its own in a new folder <path>-<run_id>, all set to take episodes. */
static ph_status open_beside(ph_sink **out, char *path, size_t size, const ph_recorder *rec) {
  ph_sink_options how = {.compress = rec->compress};
  size_t n = strlen(rec->path);
  ph_status status = PH_EEXIST;
  while (n > 1 && rec->path[n - 1] == '/')
    n--;
  for (int k = 1; status == PH_EEXIST && k < 100; k++) {
    char again[16] = "";
    if (k > 1)
      snprintf(again, sizeof again, "-%d", k);
    snprintf(path, size, "%.*s-%s%s", (int)n, rec->path, rec->origin.run_id, again);
    status = ph_sink_run(out, path, &rec->origin, &how);
  }
  if (status == PH_OK)
    status = (*out)->model(*out, rec->model);
  if (status == PH_OK && rec->task)
    status = (*out)->task(*out, rec->task);
  return status == PH_OK ? ph_sink_run_start(*out) : status;
}

static ph_status write_beside(ph_recorder *rec, ph_sink *sink) {
  ph_status status = ph_recorder_try_kept(rec, sink);
  ph_status finished = sink->finish(sink);
  return status == PH_OK ? finished : status;
}

enum { TOLD = 2400 }; /* bytes of what is told at the end: two paths and a reason */

/* Writes what is kept into that run. text is what stands against the place of its own, and becomes
 * what is told of it: nothing is lost, but it is not where it was to be. Returns the number of
 * episodes that are there. */
static int64_t save_beside(ph_recorder *rec, char *text, size_t size) {
  char path[sizeof rec->path + 90], line[TOLD];
  ph_sink *sink = NULL;
  int64_t before = rec->tally.commits;
  if (open_beside(&sink, path, sizeof path, rec) == PH_OK)
    write_beside(rec, sink); /* what it does not take stays kept, and is told of by close */
  int64_t saved = rec->tally.commits - before;
  if (sink && saved == 0)
    ph_sink_run_undo(sink);
  if (sink)
    sink->free(sink);
  if (saved > 0) {
    snprintf(line, sizeof line, "%s: %lld episode%s not be written into it and %s in %s: %.800s",
             rec->path, (long long)saved, saved == 1 ? " could" : "s could",
             saved == 1 ? "is" : "are", path, text);
    ph_recorder_say(rec, line);
    snprintf(text, size, "%s", line);
  }
  return saved;
}

/* --- all of it --- */

ph_status ph_recorder_close(ph_recorder *rec, ph_tally *tally) {
  char text[TOLD] = "";
  int success = (rec->required & PH_COL_BIT(PH_COL_PREDICATE)) != 0 ? 0 : -1;
  for (size_t i = 0; i < rec->nslots; i++)
    if (rec->slots[i]->running)
      ph_slot_end(rec, rec->slots[i], PH_END_ABORTED, success, "the recording was closed");
  ph_behind_stop(rec);
  ph_status status = ph_recorder_retry(rec);
  if (status != PH_OK)
    snprintf(text, sizeof text, "%s", ph_error());
  if (status != PH_OK && rec->run && !ph_sink_run_in_place(rec->sink))
    rec->tally.missing = save_beside(rec, text, sizeof text);
  ph_status finished = rec->sink->finish(rec->sink);
  if (status == PH_OK && finished != PH_OK) {
    status = finished;
    snprintf(text, sizeof text, "%s", ph_error());
  }
  ph_recorder_news(rec);
  if (rec->run)
    rec->tally.missing += (int64_t)ph_sink_run_missing(rec->sink);
  if (status != PH_OK)
    status = say_what_is_left(rec, status, text);
  else
    ph_recorder_relief(rec, PH_TROUBLE_COMMIT | PH_TROUBLE_JOURNAL);
  if (tally)
    *tally = rec->tally;
  snprintf(text, sizeof text, "%s", ph_error());
  ph_recorder_free_all(rec);
  if (status != PH_OK)
    ph_fail(status, "%s", text);
  return status;
}
