/* Episodes that a thread of the recorder's own commits while their envs go on. An env's journal
 * goes with its episode, under that episode's name, and when it is void serves whichever env
 * begins next. */
#include "recorder_parts.h"

#include <stdlib.h>

#include "thread.h"

void ph_behind_init(ph_recorder *rec, bool wanted) {
  rec->behind.wanted = wanted;
  rec->behind.last = &rec->behind.first;
  pthread_cond_init(&rec->behind.more, NULL);
  pthread_cond_init(&rec->behind.less, NULL);
}

/* --- journals --- */

/* Room for all that are in line, and the one that is committed. */
static void put_journal(ph_recorder *rec, ph_take *take) {
  ph_behind *b = &rec->behind;
  ph_journal *journal = take->journal;
  take->journal = NULL;
  if (journal && ph_journal_void(journal) == PH_OK) {
    pthread_mutex_lock(&rec->lock);
    if (b->nspare < PH_BEHIND + 1) {
      b->spare[b->nspare++] = journal;
      journal = NULL;
    }
    pthread_mutex_unlock(&rec->lock);
  }
  ph_journal_close(journal, true);
}

static ph_journal *take_journal(ph_recorder *rec) {
  ph_behind *b = &rec->behind;
  pthread_mutex_lock(&rec->lock);
  ph_journal *journal = b->nspare > 0 ? b->spare[--b->nspare] : NULL;
  pthread_mutex_unlock(&rec->lock);
  return journal;
}

ph_journal *ph_behind_journal(ph_recorder *rec, const char *path) {
  ph_journal *journal = take_journal(rec);
  if (!journal || (ph_journal_in_place(journal) && ph_journal_rename(journal, path) == PH_OK))
    return journal;
  ph_journal_close(journal, true);
  return NULL;
}

/* --- the line --- */

/* The first in line, once there is one; NULL: no more will come. */
static ph_kept *next_in_line(ph_recorder *rec) {
  ph_behind *b = &rec->behind;
  pthread_mutex_lock(&rec->lock);
  b->busy = false;
  pthread_cond_broadcast(&b->less);
  while (!b->first && !b->stop)
    pthread_cond_wait(&b->more, &rec->lock);
  ph_kept *ended = b->first;
  if (ended) {
    b->first = ended->next;
    b->last = b->first ? b->last : &b->first;
    b->n--;
    b->busy = true;
    ended->next = NULL;
  }
  pthread_mutex_unlock(&rec->lock);
  return ended;
}

static void *commit_all(void *arg) {
  ph_recorder *rec = arg;
  for (ph_kept *ended; (ended = next_in_line(rec));) {
    if (ph_recorder_commit(rec, ended) != PH_OK)
      continue;
    put_journal(rec, &ended->take);
    ph_take_clear(&ended->take);
    free(ended);
  }
  return NULL;
}

/* Under `lock`. */
static bool thread_runs(ph_recorder *rec) {
  ph_behind *b = &rec->behind;
  if (!b->tried)
    b->on = ph_thread_start(&b->thread, commit_all, rec);
  b->tried = true;
  return b->on;
}

static void put(ph_recorder *rec, ph_kept *ended) {
  ph_behind *b = &rec->behind;
  while (b->n >= PH_BEHIND)
    pthread_cond_wait(&b->less, &rec->lock);
  *b->last = ended;
  b->last = &ended->next;
  b->n++;
  pthread_cond_signal(&b->more);
}

/* The env's next episode needs the journal's name. */
bool ph_behind_put(ph_recorder *rec, ph_kept *ended) {
  if (!rec->behind.wanted)
    return false;
  pthread_mutex_lock(&rec->lock);
  bool runs = thread_runs(rec);
  pthread_mutex_unlock(&rec->lock);
  if (!runs)
    return false;
  if (ended->take.journal)
    ph_take_to_journal(rec, &ended->take);
  pthread_mutex_lock(&rec->lock);
  put(rec, ended);
  pthread_mutex_unlock(&rec->lock);
  return true;
}

void ph_recorder_flush(ph_recorder *rec) {
  ph_behind *b = &rec->behind;
  pthread_mutex_lock(&rec->lock);
  while (b->n > 0 || b->busy)
    pthread_cond_wait(&b->less, &rec->lock);
  pthread_mutex_unlock(&rec->lock);
}

/* --- end --- */

void ph_behind_stop(ph_recorder *rec) {
  ph_behind *b = &rec->behind;
  pthread_mutex_lock(&rec->lock);
  bool on = b->on;
  b->stop = true;
  b->on = false;
  pthread_cond_signal(&b->more);
  pthread_mutex_unlock(&rec->lock);
  if (on)
    pthread_join(b->thread, NULL);
  for (ph_journal *journal; (journal = take_journal(rec));)
    ph_journal_close(journal, true);
}

void ph_behind_destroy(ph_recorder *rec) {
  pthread_cond_destroy(&rec->behind.more);
  pthread_cond_destroy(&rec->behind.less);
}
