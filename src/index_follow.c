/* Entries one by one: of a file, and of a run that grows. */
#include "index_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"

/* Facts of a file without a record, from its attributes; what is wrong with it becomes its oddity.
 */
static void entry_from_file(ph_entry *e) {
  ph_entry facts;
  if (ph_episode_peek(&facts, e->file, "/data/demo_0") != PH_OK) {
    ph_oddity(e->oddity, sizeof e->oddity, e->file);
    e->success = -1;
    e->end_reason = PH_END_UNKNOWN;
    e->states = e->actions;
    return;
  }
  if (facts.actions != e->actions || facts.env_id != e->env_id || facts.episode != e->episode)
    snprintf(e->oddity, sizeof e->oddity,
             "its name does not fit its facts: env %d episode %lld, %lld actions", facts.env_id,
             (long long)facts.episode, (long long)facts.actions);
  memcpy(facts.id, e->id, sizeof facts.id);
  memcpy(facts.file, e->file, sizeof facts.file);
  memcpy(facts.oddity, e->oddity, sizeof facts.oddity);
  *e = facts;
}

ph_status ph_index_fill(ph_entry *e, const char *dir, const ph_index_named *item,
                        const unsigned char *record) {
  size_t n = strlen(dir);
  if (n + 1 + PH_INDEX_NAME_SIZE > sizeof e->file)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  memcpy(e->file, dir, n);
  e->file[n] = '/';
  ph_index_file_name(e->file + n + 1, PH_INDEX_NAME_SIZE, item->env_id, item->episode,
                     item->actions);
  ph_index_put_id(e->id, item->env_id, item->episode);
  memcpy(e->group, "/data/demo_0", sizeof "/data/demo_0");
  e->env_id = item->env_id;
  e->episode = item->episode;
  e->actions = item->actions;
  if (record)
    ph_index_record_get(e, record);
  else
    entry_from_file(e);
  return PH_OK;
}

/* --- a run that grows --- */

ph_status ph_index_entry(ph_entry *out, const char *dir, int env_id, int64_t episode,
                         int64_t actions) {
  ph_index_named item = {env_id, episode, actions, SIZE_MAX};
  memset(out, 0, sizeof *out);
  return ph_index_fill(out, dir, &item, NULL);
}

static ph_status visit_record(const unsigned char *record, const char *dir, ph_index_visit *visit,
                              void *arg) {
  ph_index_named item = {0};
  ph_entry entry = {0};
  if (!ph_index_record_name(&item, record))
    return PH_OK;
  ph_status status = ph_index_fill(&entry, dir, &item, record);
  return status == PH_OK ? visit(arg, &entry) : status;
}

ph_status ph_index_follow(size_t *next, const char *dir, ph_index_visit *visit, void *arg) {
  unsigned char records[64 * PH_INDEX_RECORD];
  char path[4096];
  ph_status status = PH_OK;
  struct stat st;
  ssize_t got = 0;
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return PH_OK;
  bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  while (regular && status == PH_OK &&
         (got = pread(fd, records, sizeof records, (off_t)(*next * PH_INDEX_RECORD))) >=
             PH_INDEX_RECORD)
    for (size_t i = 0; status == PH_OK && i < (size_t)got / PH_INDEX_RECORD; i++, ++*next)
      status = visit_record(records + i * PH_INDEX_RECORD, dir, visit, arg);
  close(fd);
  return status;
}
