/* What a recorder says of the disk: each cause once, and once when it is over. */
#include "recorder_parts.h"

#include <stdio.h>
#include <string.h>

/* --- causes --- */

static const char *cause_of(const char *text) {
  const char *why = text;
  for (const char *at = strstr(text, ": "); at; at = strstr(at + 2, ": "))
    why = at + 2;
  return why;
}

/* NULL: there is no room for another. *known: it is there already. */
static ph_in_the_way *cause_for(ph_recorder *rec, bool place, const char *why, bool *known) {
  ph_in_the_way cause = {.place = place};
  snprintf(cause.why, sizeof cause.why, "%s", why);
  for (size_t i = 0; i < rec->ncauses; i++) {
    ph_in_the_way *at = &rec->causes[i];
    *known = at->place == place && (place || strcmp(at->why, cause.why) == 0);
    if (*known)
      return at;
  }
  *known = false;
  if (rec->ncauses == PH_CAUSES)
    return NULL;
  rec->causes[rec->ncauses] = cause;
  return &rec->causes[rec->ncauses++];
}

static const char *consequence_of(ph_trouble kind) {
  return kind == PH_TROUBLE_COMMIT ? "its rows are kept and tried again"
                                   : "its rows are kept in memory alone";
}

static const char *relief_of(unsigned ever) {
  if (ever == PH_TROUBLE_COMMIT)
    return "what was kept is written";
  return ever == PH_TROUBLE_JOURNAL ? "rows are in journals again"
                                    : "what was kept is written, and rows are in journals again";
}

void ph_recorder_say(ph_recorder *rec, const char *line) {
  pthread_mutex_lock(&rec->warning);
  if (rec->warn)
    rec->warn(rec->user, line);
  pthread_mutex_unlock(&rec->warning);
}

void ph_recorder_trouble(ph_recorder *rec, ph_trouble kind, const char *text) {
  char line[800];
  bool known = false, place = rec->run && !ph_sink_run_in_place(rec->sink);
  snprintf(line, sizeof line, "%s; %s", text, consequence_of(kind));
  pthread_mutex_lock(&rec->warning);
  ph_in_the_way *cause = cause_for(rec, place, cause_of(text), &known);
  if (cause) {
    cause->now |= kind;
    cause->ever |= kind;
    if (!known && rec->warn)
      rec->warn(rec->user, line);
  }
  pthread_mutex_unlock(&rec->warning);
}

void ph_recorder_relief(ph_recorder *rec, unsigned kinds) {
  char line[800];
  size_t left = 0;
  pthread_mutex_lock(&rec->warning);
  for (size_t i = 0; i < rec->ncauses; i++) {
    ph_in_the_way *cause = &rec->causes[i];
    cause->now &= ~kinds;
    if (cause->now != 0) {
      rec->causes[left++] = *cause;
      continue;
    }
    snprintf(line, sizeof line, "%s: %s: no longer so: %s", rec->path, cause->why,
             relief_of(cause->ever));
    if (rec->relief)
      rec->relief(rec->user, line);
  }
  rec->ncauses = left;
  pthread_mutex_unlock(&rec->warning);
}

/* --- which slots are safe: decided and said under one lock --- */

static void set_unsafe(ph_recorder *rec, ph_slot *slot, bool unsafe) {
  if (slot->unsafe != unsafe)
    rec->unsafe += unsafe ? 1 : (size_t)-1;
  slot->unsafe = unsafe;
  slot->waits = 0;
}

void ph_slot_unsafe(ph_recorder *rec, ph_slot *slot, const char *why) {
  char text[600];
  snprintf(text, sizeof text, "recorder: env %d: %s", slot->env_id, why);
  pthread_mutex_lock(&rec->lock);
  set_unsafe(rec, slot, true);
  ph_recorder_trouble(rec, PH_TROUBLE_JOURNAL, text);
  pthread_mutex_unlock(&rec->lock);
}

/* An env is finished when others have begun more episodes since its last one ended than there are
 * envs: one of them has begun two. */
static void pass_finished(ph_recorder *rec) {
  for (size_t i = 0; i < rec->nslots; i++) {
    ph_slot *slot = rec->slots[i];
    if (slot->unsafe && !slot->running && ++slot->waits > rec->nslots)
      set_unsafe(rec, slot, false);
  }
}

void ph_slot_safe(ph_recorder *rec, ph_slot *slot) {
  pthread_mutex_lock(&rec->lock);
  if (rec->unsafe > 0) {
    set_unsafe(rec, slot, false);
    pass_finished(rec);
    if (rec->unsafe == 0)
      ph_recorder_relief(rec, PH_TROUBLE_JOURNAL);
  }
  pthread_mutex_unlock(&rec->lock);
}

/* --- the folder --- */

void ph_recorder_news(ph_recorder *rec) {
  char line[800];
  if (!rec->run || !ph_sink_run_news(rec->sink, line, sizeof line))
    return;
  pthread_mutex_lock(&rec->lock);
  for (size_t i = 0; i < rec->nslots; i++)
    if (rec->slots[i]->running)
      set_unsafe(rec, rec->slots[i], true);
  pthread_mutex_unlock(&rec->lock);
  ph_recorder_say(rec, line);
}
