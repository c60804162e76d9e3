/* Files that gave no answer: they are not waited for again. What hung is kept by object, so that no
 * step of another kind tries it once more; it is known with the limits that held, so that a longer
 * one tries it anew. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "hash.h"
#include "probe_cache.h"

enum {
  LATE_MAX = 256,  /* the oldest goes first */
  OBJECTS_MAX = 3, /* of one file may hang; then no other is tried either */
};

typedef struct late {
  ph_print print; /* of the object and the limits; all zero: the place is free */
  ph_print file;  /* of the file and the limits; all zero: not known */
  int seconds;
  bool before; /* another process met it */
} late;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static late known[LATE_MAX];
static size_t nknown; /* ever */

/* --- prints --- */

static bool same(const ph_print *a, const ph_print *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* Of an object in a file ("": the file), or of a path with what is opened along with it. */
static bool print_of(ph_print *out, const ph_question *question, const char *object,
                     const ph_probe_limits *limits) {
  ph_question asked = {PH_PROBE_PATH, question->path, NULL, 0};
  if (question->kind != PH_PROBE_PATH)
    asked = (ph_question){PH_PROBE_OBJECT, question->path, object, strlen(object) + 1};
  if (!ph_print_of_file(out, &asked))
    return false;
  ph_print_mix(out, limits);
  return true;
}

/* --- what is known --- */

void ph_late_load(const ph_print *print, int seconds) {
  pthread_mutex_lock(&lock);
  known[nknown++ % LATE_MAX] = (late){.print = *print, .seconds = seconds, .before = true};
  pthread_mutex_unlock(&lock);
}

void ph_late_forget(void) {
  pthread_mutex_lock(&lock);
  memset(known, 0, sizeof known);
  nknown = 0;
  pthread_mutex_unlock(&lock);
}

static bool none_known(void) {
  pthread_mutex_lock(&lock);
  bool none = nknown == 0;
  pthread_mutex_unlock(&lock);
  return none;
}

static bool find(late *out, const ph_print *print) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; !found && i < LATE_MAX && i < nknown; i++)
    if (same(&known[i].print, print)) {
      *out = known[i];
      found = true;
    }
  pthread_mutex_unlock(&lock);
  return found;
}

static bool too_many(late *out, const ph_print *file) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < LATE_MAX && i < nknown; i++)
    if (same(&known[i].file, file)) {
      *out = known[i];
      n++;
    }
  pthread_mutex_unlock(&lock);
  return n >= OBJECTS_MAX;
}

static ph_status say(const late *l, const char *path) {
  const char *engine = ph_engine_of(path);
  if (l->before)
    return ph_fail(PH_ECORRUPT,
                   "%s: %s gave no answer in %d s when it was tried before: touch the file, or "
                   "remove playhead's cache folder, to try again",
                   path, engine, l->seconds);
  return ph_fail(PH_ECORRUPT, "%s: %s gives no answer in %d s", path, engine, l->seconds);
}

bool ph_late_find(ph_status *status, const ph_question *question, const ph_probe_limits *limits) {
  ph_print print;
  late l;
  const char *object = question->names ? question->names : "";
  if (none_known())
    return false;
  for (size_t at = 0; at == 0 || at < question->size; at += strlen(object + at) + 1)
    if (print_of(&print, question, object + at, limits) && find(&l, &print)) {
      *status = say(&l, question->path);
      return true;
    }
  if (question->kind == PH_PROBE_PATH || !print_of(&print, question, "", limits) ||
      !too_many(&l, &print))
    return false;
  *status = ph_fail(PH_ECORRUPT, "%s: %s gave no answer for %d other parts of it: no more is tried",
                    question->path, ph_engine_of(question->path), OBJECTS_MAX);
  return true;
}

/* Whether it computed rather than waited for a disk or its turn on the machine. */
static bool computed(const ph_reply *reply, const ph_probe_limits *limits) {
  return reply->answer == PH_ANSWER_CPU || reply->number >= limits->cpu * 500;
}

bool ph_late_keep(const ph_reply *reply, const ph_question *question,
                  const ph_probe_limits *limits) {
  late l = {.seconds = reply->answer == PH_ANSWER_CPU ? limits->cpu : limits->wall};
  const char *object = question->names ? question->names : "";
  if (reply->answer != PH_ANSWER_CPU && reply->answer != PH_ANSWER_TIME)
    return false;
  if (question->size > strlen(object) + 1) /* of several, the one that it was at */
    object = reply->text;
  if (question->kind != PH_PROBE_PATH && !object[0])
    return false;
  if (!print_of(&l.print, question, object, limits))
    return false;
  if (question->kind != PH_PROBE_PATH)
    print_of(&l.file, question, "", limits);
  pthread_mutex_lock(&lock);
  known[nknown++ % LATE_MAX] = l;
  pthread_mutex_unlock(&lock);
  if (computed(reply, limits))
    ph_disk_append(&l.print, l.seconds);
  return true;
}
