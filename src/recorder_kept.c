/* What a recorder does when the disk does not take its rows: journals with their faults, and
 * episodes that are kept. */
#include "recorder_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "index.h"

enum { PATIENCE_LIMIT = 64 };

/* --- journals --- */

static void journal_path(char *out, size_t size, const ph_recorder *rec, int env_id,
                         int64_t episode) {
  char name[PH_INDEX_NAME_SIZE];
  ph_index_journal_name(name, sizeof name, env_id, episode);
  snprintf(out, size, "%s/%s", rec->path, name);
}

enum { PATH_ROOM = sizeof((ph_recorder *)0)->path + PH_INDEX_NAME_SIZE + 1 };

static ph_status start_journal(const ph_recorder *rec, ph_journal *journal, ph_journal_head *head,
                               uint64_t seed) {
  ph_record_layout layout;
  ph_record_layout_of(&layout, &rec->origin.dims, head->columns);
  snprintf(head->meta.seed, sizeof head->meta.seed, "%" PRIu64, seed);
  return ph_journal_start(journal, head, layout.payload);
}

ph_journal *ph_slot_journal(ph_recorder *rec, ph_slot *slot, const ph_take_begin *begin,
                            uint64_t seed) {
  char path[PATH_ROOM];
  ph_status status = PH_OK;
  if (!rec->run)
    return NULL;
  if (slot->journal && !ph_journal_in_place(slot->journal)) {
    ph_journal_close(slot->journal, false);
    slot->journal = NULL;
  }
  if (!slot->journal && !ph_sink_run_in_place(rec->sink)) {
    status = ph_fail(PH_EIO, "%s: it is gone, or something else has taken its place", rec->path);
  } else if (!slot->journal) {
    journal_path(path, sizeof path, rec, slot->env_id, -1);
    slot->journal = ph_behind_journal(rec, path);
    if (!slot->journal)
      status = ph_journal_create(&slot->journal, path, true);
  }
  if (status == PH_OK) {
    ph_journal_head head = {.meta = rec->origin,
                            .columns = begin->columns,
                            .edits = (ph_edit *)begin->edits,
                            .nedits = begin->nedits};
    head.meta.env_id = slot->env_id;
    head.meta.episode = slot->next;
    status = start_journal(rec, slot->journal, &head, seed);
  }
  if (status != PH_OK) {
    ph_slot_unsafe(rec, slot, ph_error());
    return NULL;
  }
  if (!ph_journal_short(slot->journal))
    ph_slot_safe(rec, slot);
  return slot->journal;
}

void ph_slot_journal_back(ph_slot *slot, ph_take *take) {
  if (!take->journal)
    return;
  if (slot->journal || ph_journal_void(take->journal) != PH_OK)
    ph_journal_close(take->journal, true);
  else
    slot->journal = take->journal;
  take->journal = NULL;
}

/* A journal for a take that has none. */
static void give_journal(const ph_recorder *rec, ph_take *take, const char *path) {
  ph_journal *journal = NULL;
  ph_journal_head head = {.meta = rec->origin,
                          .columns = ph_rowlog_layout(take->log)->columns,
                          .edits = take->edits,
                          .nedits = take->nedits};
  head.meta.env_id = take->env_id;
  head.meta.episode = take->episode;
  if (ph_journal_create(&journal, path, true) != PH_OK)
    return;
  if (start_journal(rec, journal, &head, take->seed) != PH_OK) {
    ph_journal_close(journal, true);
    return;
  }
  take->journal = journal;
  ph_rowlog_attach(take->log, journal);
}

bool ph_take_to_journal(const ph_recorder *rec, ph_take *take) {
  char path[PATH_ROOM];
  if (!rec->run)
    return false;
  journal_path(path, sizeof path, rec, take->env_id, take->episode);
  if (!take->journal && ph_sink_run_in_place(rec->sink))
    give_journal(rec, take, path);
  else if (take->journal && strcmp(path, ph_journal_path(take->journal)) != 0 &&
           ph_journal_in_place(take->journal))
    ph_journal_rename(take->journal, path);
  return take->journal && ph_rowlog_settle(take->log) && ph_journal_in_place(take->journal);
}

/* --- kept episodes --- */

/* By the first letter of what running it again came to. */
static void count_verified(ph_tally *tally, const char *determinism) {
  switch (determinism[0]) {
  case 'b':
    tally->bitwise++;
    break;
  case 't':
    tally->within++;
    break;
  case 'f':
    tally->failing++;
    break;
  default:
    tally->unchecked++;
  }
}

void ph_recorder_committed(ph_recorder *rec, const ph_take *take) {
  pthread_mutex_lock(&rec->lock);
  rec->tally.commits++;
  rec->tally.saved_steps += ph_rowlog_states(take->log) - 1;
  rec->tally.by_end[take->reason]++;
  if (rec->unverified)
    count_verified(&rec->tally, take->determinism);
  pthread_mutex_unlock(&rec->lock);
}

static void count_failed(ph_recorder *rec, int n) {
  pthread_mutex_lock(&rec->lock);
  rec->tally.failed += n;
  pthread_mutex_unlock(&rec->lock);
}

/* A long time without a disk must not take all descriptors. */
static void rest(ph_recorder *rec, ph_take *take) {
  if (take->journal)
    ph_journal_rest(take->journal, rec->awake++ >= PH_AWAKE);
}

static ph_status commit_kept(ph_recorder *rec, ph_sink *sink, const ph_take *take) {
  ph_status status = take->journal ? ph_journal_wake(take->journal) : PH_OK;
  if (status != PH_OK)
    return ph_fail_in(status, "recorder: env %d episode %" PRId64, take->env_id, take->episode);
  status = ph_take_commit(take, sink, &rec->origin, rec->model);
  ph_recorder_news(rec);
  return status;
}

/* Its journal may have gone elsewhere with its folder: nobody finds an episode in it there. */
static void drop_kept(ph_kept *kept) {
  ph_journal *journal = kept->take.journal;
  if (journal && !ph_journal_in_place(journal))
    ph_journal_void(journal);
  ph_journal_close(journal, true);
  kept->take.journal = NULL;
  ph_take_clear(&kept->take);
  free(kept);
}

void ph_recorder_keep(ph_recorder *rec, ph_kept *kept) {
  ph_kept **last = &rec->kept;
  ph_take_to_journal(rec, &kept->take);
  rest(rec, &kept->take);
  while (*last)
    last = &(*last)->next;
  *last = kept;
  count_failed(rec, 1);
}

ph_status ph_recorder_try_kept(ph_recorder *rec, ph_sink *sink) {
  char text[600] = "";
  ph_status first = PH_OK;
  rec->awake = 0;
  for (ph_kept **at = &rec->kept; *at;) {
    ph_kept *kept = *at;
    ph_status status = commit_kept(rec, sink, &kept->take);
    if (status != PH_OK) {
      if (first == PH_OK)
        snprintf(text, sizeof text, "%s", ph_error());
      first = first == PH_OK ? status : first;
      rest(rec, &kept->take);
      at = &kept->next;
      continue;
    }
    ph_recorder_committed(rec, &kept->take);
    count_failed(rec, -1);
    *at = kept->next;
    drop_kept(kept);
  }
  if (first != PH_OK) {
    ph_recorder_trouble(rec, PH_TROUBLE_COMMIT, text);
    return ph_fail(first, "%s", text);
  }
  ph_recorder_relief(rec, PH_TROUBLE_COMMIT);
  return PH_OK;
}

/* A long episode that does not fit on the disk is not written over and over while short ones do. */
void ph_recorder_try_later(ph_recorder *rec) {
  if (!rec->kept || ++rec->waited < rec->patience)
    return;
  rec->waited = 0;
  if (ph_recorder_try_kept(rec, rec->sink) == PH_OK)
    rec->patience = 1;
  else if (rec->patience < PATIENCE_LIMIT)
    rec->patience *= 2;
}

ph_status ph_recorder_retry(ph_recorder *rec) {
  pthread_mutex_lock(&rec->commits);
  ph_status status = ph_recorder_try_kept(rec, rec->sink);
  pthread_mutex_unlock(&rec->commits);
  return status;
}
