/* What a run directory has taken: its list of episodes on disk, and whether all of them stay. */
#include "sink_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "index.h"

/* --- the index --- */

/* Appends what the index lacks, in order. */
ph_status ph_run_pay_index(ph_run *run) {
  size_t n = 0;
  ph_status status = PH_OK;
  while (n < run->nowed &&
         !(status = ph_index_append_in(run->folder.fd, run->folder.dir, &run->owed[n])))
    n++;
  if (n > 0)
    memmove(run->owed, run->owed + n, (run->nowed - n) * sizeof *run->owed);
  run->nowed -= n;
  return status;
}

/* The episode is safe, and the folder is right where the two differ: a reader takes what the index
 * lacks from the file. So an index that cannot be written is no reason to take the episode back. */
void ph_run_done_add(ph_run *run, ph_entry *entry) {
  run->done[run->ndone++] = (ph_run_done){entry->env_id, entry->episode, entry->actions};
  ph_index_file_name(entry->file, sizeof entry->file, entry->env_id, entry->episode,
                     entry->actions);
  snprintf(entry->id, sizeof entry->id, "env%03d_ep%06lld", entry->env_id,
           (long long)entry->episode);
  snprintf(entry->group, sizeof entry->group, PH_RUN_DEMO);
  run->owed[run->nowed++] = *entry;
  ph_run_pay_index(run);
}

ph_status ph_run_done_reserve(ph_run *run) {
  ph_entry *owed = realloc(run->owed, (run->nowed + 1) * sizeof *owed);
  ph_run_done *done = run->done;
  size_t room = run->ndone < run->done_room ? run->done_room : 2 * run->done_room + 16;
  run->owed = owed ? owed : run->owed;
  if (room != run->done_room && (done = realloc(run->done, room * sizeof *done))) {
    run->done = done;
    run->done_room = room;
  }
  return owed && done ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", run->folder.dir);
}

/* --- whether all stay --- */

static const char *episodes_are(size_t n) {
  return n == 1 ? "episode is" : "episodes are";
}

/* All that was committed went with the folder. */
void ph_run_done_anew(ph_run *run) {
  size_t n = run->ndone - run->gone;
  if (n > 0)
    snprintf(run->news, sizeof run->news,
             "%s: the folder was taken away: %zu committed %s no longer in it; a new one is "
             "recorded into",
             run->folder.dir, n, episodes_are(n));
  else
    snprintf(run->news, sizeof run->news,
             "%s: the folder was taken away, with nothing that was committed; a new one is "
             "recorded into",
             run->folder.dir);
  run->gone = run->ndone;
  run->ended = false;
  run->nowed = 0;
}

/* Whether all that was put into its place is there, by the path that people have. */
ph_status ph_run_done_check(ph_run *run) {
  bool same = ph_run_folder_same(&run->folder);
  run->missing = 0;
  for (size_t i = 0; i < run->ndone; i++) {
    struct stat st;
    char name[PH_INDEX_NAME_SIZE];
    const ph_run_done *done = &run->done[i];
    ph_index_file_name(name, sizeof name, done->env_id, done->episode, done->actions);
    run->missing += !same || fstatat(run->folder.fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
  }
  if (run->missing == 0)
    return PH_OK;
  return ph_fail(PH_EIO, "%s: %zu committed %s not in it at the end: %s", run->folder.dir,
                 run->missing, episodes_are(run->missing),
                 same ? "they were taken away" : "the folder was taken away or replaced");
}

bool ph_sink_run_news(ph_sink *sink, char *line, size_t size) {
  ph_run *run = (ph_run *)sink;
  bool told = run->news[0] != 0;
  snprintf(line, size, "%s", run->news);
  run->news[0] = 0;
  return told;
}

size_t ph_sink_run_missing(const ph_sink *sink) {
  return ((const ph_run *)sink)->missing;
}
