/* Where the playhead goes: steps, go-to, events, undo, marks and notes. */
#include "cmd.h"
#include "dynamic_view.h"
#include "envs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cmd_count(const char *text, int64_t *out) {
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return !errno && !*end && *out > 0;
}

bool cmd_times(struct app *app, int64_t count, const char *args, int64_t *out) {
  *out = count > 0 ? count : 1;
  if (!*args || cmd_count(args, out))
    return true;
  app_complain(app, "\"%s\" is no count; expected a whole number above 0", args);
  return false;
}

/* --- going --- */

/* Whether the newest entry of undo is where the playhead is. */
static bool undo_here(const struct app *app) {
  int i = app->nundo - 1;
  return i >= 0 && app->undo[i] == app_playhead(app) &&
         app->undo_substep[i] == app->want.dyn.substep;
}

static void push_undo(struct app *app) {
  if (undo_here(app))
    return;
  if (app->nundo == APP_UNDO) {
    memmove(app->undo, app->undo + 1, sizeof app->undo - sizeof *app->undo);
    memmove(app->undo_substep, app->undo_substep + 1,
            sizeof app->undo_substep - sizeof *app->undo_substep);
    app->nundo--;
  }
  app->undo_substep[app->nundo] = app->want.dyn.substep;
  app->undo[app->nundo++] = app_playhead(app);
}

unsigned app_go(struct app *app, int64_t step, bool remember) {
  return app_go_within(app, step, 0, remember);
}

unsigned app_go_within(struct app *app, int64_t step, int substep, bool remember) {
  int64_t last = app_last_step(app), end = app_end(app), past;
  if (step > last && app->want.live.on)
    return app_live_go(app, step);
  step = step < 0 ? 0 : step > end ? end : step;
  app->play_from = (double)step;
  past = step > last ? step - last : 0;
  step -= past;
  app->tick_at = 0; /* time played before a jump does not count after it */
  bool row = app_live_under_way(app), same = row == app->want.live.row;
  app->want.live.row = row; /* a step that is named is its row */
  substep = step == last ? 0 : substep;
  if (step == app->want.step && past == app->want.envs.past && substep == app->want.dyn.substep &&
      same)
    return REACT_REDRAW;
  if (remember)
    push_undo(app);
  app->want.step = step;
  app->want.envs.past = past;
  app->want.dyn.substep = substep;
  app->want.serial++;
  app_follow_zoom(app);
  return REACT_REDRAW | REACT_SEEK;
}

/* A run of steps is one entry of undo: it began where the first of them did. */
static unsigned step_by(struct app *app, int64_t by) {
  int64_t last = app->want.live.on ? INT64_MAX : app_end(app), at = app_playhead(app);
  int64_t to = by > 0 ? (by > last - at ? last : at + by) : (-by > at ? 0 : at + by);
  return app_go(app, to, !app->stepping);
}

/* Back from within a step is to where it began. */
static unsigned step(struct app *app, int64_t count, const char *args, int sign) {
  int64_t n;
  bool live =
      app_live_under_way(app) && !app->want.live.row && app->want.step == app_live_head(app);
  bool within = live || app->want.dyn.substep > 0;
  if (!cmd_times(app, count, args, &n))
    return REACT_REDRAW;
  return step_by(app, sign > 0 ? n : within ? 1 - n : -n);
}

unsigned do_STEP_FORWARD(struct app *app, int64_t count, const char *args) {
  return step(app, count, args, 1);
}

unsigned do_STEP_BACK(struct app *app, int64_t count, const char *args) {
  return step(app, count, args, -1);
}

static unsigned seconds(struct app *app, int64_t count, const char *args, int sign) {
  int64_t n;
  double dt = app_step_seconds(app);
  if (!cmd_times(app, count, args, &n))
    return REACT_REDRAW;
  if (dt <= 0) {
    app_complain(app, "how long a step takes is not known, so there are no seconds to move by");
    return REACT_REDRAW;
  }
  double steps = fmin(fmax(rint((double)n / dt), 1), 1e18);
  return step_by(app, sign * (int64_t)steps);
}

unsigned do_SECOND_FORWARD(struct app *app, int64_t count, const char *args) {
  return seconds(app, count, args, 1);
}

unsigned do_SECOND_BACK(struct app *app, int64_t count, const char *args) {
  return seconds(app, count, args, -1);
}

unsigned do_FIRST(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return app_go(app, 0, true);
}

unsigned do_LAST(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return app->want.live.on ? app_live_newest(app) : app_go(app, app_end(app), true);
}

/* A number of digits with at most one point, then unit or the end. */
static bool parse_place(const char *text, double *value, char *unit) {
  char *end;
  size_t n = strspn(text, "0123456789.");
  if (n == 0 || *text == '.' || strlen(text + n) > 1)
    return false;
  *value = strtod(text, &end);
  *unit = text[n];
  return end == text + n && (*unit == 0 || *unit == 's' || *unit == '%');
}

/* STEP+SUBSTEP. False: it is no such place, and another form may fit. */
static bool go_within(struct app *app, const char *args, unsigned *react) {
  char digits[24], *end;
  size_t n = strspn(args, "0123456789"),
         more = args[n] == '+' ? strspn(args + n + 1, "0123456789") : 0;
  if (n == 0 || n > 18 || more == 0 || more > 9 || args[n + 1 + more])
    return false;
  snprintf(digits, sizeof digits, "%.*s", (int)n, args);
  int64_t step = strtoll(digits, NULL, 10);
  long substep = strtol(args + n + 1, &end, 10);
  *react = REACT_REDRAW;
  if (app->want.live.on || app_mode(app) == MODE_KINEMATIC)
    app_complain(app, "%s: recorded states have no substeps; D or B walks physics run again", args);
  else if (substep >= app_control_steps(app))
    app_complain(app, "%s: a step has %d substeps: +0 to +%d", args, app_control_steps(app),
                 app_control_steps(app) - 1);
  else if (step > app_last_step(app) || (step == app_last_step(app) && substep > 0))
    app_complain(app, "%s is past the end: the last step is %lld", args,
                 (long long)app_last_step(app));
  else
    *react = app_go_within(app, step, (int)substep, true);
  return true;
}

unsigned do_GO(struct app *app, int64_t count, const char *args) {
  double value, dt = app_step_seconds(app), to;
  char unit;
  int64_t last = app_end(app);
  char why[160];
  unsigned react;
  (void)count;
  if (!*args) {
    prompt_open(&app->prompt, "go ");
    return REACT_REDRAW;
  }
  if (go_within(app, args, &react))
    return react;
  if (!parse_place(args, &value, &unit) || (!unit && strchr(args, '.'))) {
    app_complain(app,
                 "\"%s\" is no place; expected a step (213), a substep (213+4), seconds (4.2s) or "
                 "percent (50%%)",
                 args);
    return REACT_REDRAW;
  }
  if (unit == 's' && dt <= 0) {
    app_complain(app, "how long a step takes is not known; go to a step or a percentage");
    return REACT_REDRAW;
  }
  to = unit == 's'   ? app_step_at(app, value)
       : unit == '%' ? rint(value / 100 * (double)last)
                     : value;
  if (to > (double)last) {
    app_end_text(app, why, sizeof why);
    if (why[0])
      app_say(app, "lockstep: %s", why);
    else
      app_say(app, "%s is past the end: this is the last step, %lld", args, (long long)last);
    return app_go(app, last, true);
  }
  if (to < 0) {
    app_say(app, "%s is before the first state: this is step 0", args);
    return app_go(app, 0, true);
  }
  return app_go(app, (int64_t)to, true);
}

/* "213", "213+4" */
static void place_text(const struct app *app, char out[48]) {
  int n = snprintf(out, 48, "%lld", (long long)app_playhead(app));
  if (app->want.dyn.substep > 0)
    snprintf(out + n, 48 - (size_t)n, "+%d", app->want.dyn.substep);
}

unsigned do_UNDO(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  while (undo_here(app))
    app->nundo--;
  if (app->nundo == 0) {
    app_say(app, "there is no seek to take back");
    return REACT_REDRAW;
  }
  char from[48], to[48];
  place_text(app, from);
  app->nundo--;
  unsigned react = app_go_within(app, app->undo[app->nundo], app->undo_substep[app->nundo], false);
  place_text(app, to);
  app_say(app, "back from %s to %s", from, to);
  return react;
}

/* --- events --- */

static void name_kinds(unsigned mask, char *out, size_t size) {
  size_t n = 0;
  snprintf(out, size, "%s", "");
  for (int i = 0; i < EVENT_KIND_COUNT && n < size; i++)
    if (mask & 1u << i)
      n +=
          (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", event_name((enum event_kind)i));
}

/* What happened, "predicate true, latch". */
static void tell_kinds(unsigned mask, char *out, size_t size) {
  size_t n = 0;
  snprintf(out, size, "%s", "");
  for (int i = 0; i < EVENT_KIND_COUNT && n < size; i++)
    if (mask & 1u << i)
      n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "",
                            event_words((enum event_kind)i));
}

/* The nearest step with an event of the mask beyond `from`; -1: none. *mask gets its kinds. */
static int64_t next_event(const struct snapshot *snap, int64_t from, int sign, unsigned *mask) {
  int64_t found = -1;
  unsigned kinds = 0;
  for (size_t i = 0; i < event_count(snap); i++) {
    struct event event = event_at(snap, i);
    if (!(*mask & 1u << event.kind) || (event.step - from) * sign <= 0)
      continue;
    if (found < 0 || (event.step - found) * sign < 0) {
      found = event.step;
      kinds = 0;
    }
    kinds |= event.step == found ? 1u << event.kind : 0;
  }
  *mask = kinds;
  return found;
}

/* A finding says itself what it is; the cursor of its panel goes along. */
static void tell_finding(struct app *app, int64_t step) {
  for (size_t i = 0; i < app_finding_count(app); i++) {
    const ph_finding *finding = app_finding(app, i);
    if (!finding || finding->step != step)
      continue;
    app_say(app, "at %lld: %s", (long long)step, finding->text);
    if (!app->filter[PANEL_FINDINGS][0])
      app->cursor[PANEL_FINDINGS] = (int)i;
    return;
  }
}

/* The stage that was reached there, by name; "": none was. */
static const char *stage_at(const struct snapshot *snap, int64_t step) {
  const ph_stages *stages = &snap->stages.stages;
  for (size_t i = 0; i < stages->done && i < snap->reel->nstages; i++)
    if (stages->latch[i] == step)
      return snap->reel->stage[i];
  return "";
}

/* No more of the kinds are there; of stages not as far as is known. */
static void tell_none(struct app *app, const char *kinds, unsigned mask, int sign) {
  const struct stages_known *known = &app->snap->stages;
  if (sign > 0 && mask & 1u << EVENT_STAGE && app->snap->reel->nstages > 0 && !known->complete)
    app_say(app, "no later event of: %s; stages are judged up to step %lld of %lld", kinds,
            (long long)(known->rows > 0 ? known->rows - 1 : 0),
            (long long)(app->snap->reel->states - 1));
  else
    app_say(app, "no %s event of: %s", sign > 0 ? "later" : "earlier", kinds);
}

static unsigned walk_events(struct app *app, int64_t count, unsigned mask, int sign) {
  const struct reel *reel = app_wanted_reel(app);
  char kinds[160];
  int64_t to = app->want.step;
  unsigned there = 0;
  if (!reel) {
    app_say(app, "this episode is still being opened");
    return REACT_REDRAW;
  }
  for (int64_t i = 0; i < (count > 0 ? count : 1); i++) {
    unsigned found = mask;
    int64_t next = next_event(app->snap, to, sign, &found);
    if (next < 0)
      break;
    to = next;
    there = found;
  }
  tell_kinds(there ? there : mask, kinds, sizeof kinds);
  if (!there) {
    tell_none(app, kinds, mask, sign);
    return REACT_REDRAW;
  }
  const char *stage = there & 1u << EVENT_STAGE ? stage_at(app->snap, to) : "";
  app_say(app, "at %lld: %s%s%s", (long long)to, kinds, stage[0] ? ": " : "", stage);
  if (there & 1u << EVENT_FINDING)
    tell_finding(app, to);
  return app_go(app, to, true);
}

unsigned do_EVENT_NEXT(struct app *app, int64_t count, const char *args) {
  (void)args;
  return walk_events(app, count, app->event_mask, 1);
}

unsigned do_EVENT_PREVIOUS(struct app *app, int64_t count, const char *args) {
  (void)args;
  return walk_events(app, count, app->event_mask, -1);
}

unsigned do_EVENT_NEXT_ANY(struct app *app, int64_t count, const char *args) {
  (void)args;
  return walk_events(app, count, ~0u, 1);
}

unsigned do_EVENT_PREVIOUS_ANY(struct app *app, int64_t count, const char *args) {
  (void)args;
  return walk_events(app, count, ~0u, -1);
}

/* Without arguments the prompt opens on the kinds in force. */
unsigned do_EVENT_KINDS(struct app *app, int64_t count, const char *args) {
  char text[PROMPT_SIZE], kinds[80], *rest = NULL;
  unsigned mask = 0;
  (void)count;
  name_kinds(app->event_mask, kinds, sizeof kinds);
  if (!*args) {
    snprintf(text, sizeof text, "event-kinds %s", kinds);
    prompt_open(&app->prompt, text);
    name_kinds(~0u, kinds, sizeof kinds);
    if (app->event_mask != (1u << EVENT_KIND_COUNT) - 1)
      snprintf(app->prompt.hint, sizeof app->prompt.hint, "kinds: %s all", kinds);
    return REACT_REDRAW;
  }
  snprintf(text, sizeof text, "%s", args);
  for (char *word = strtok_r(text, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
    unsigned bit = strcmp(word, "all") == 0 ? (1u << EVENT_KIND_COUNT) - 1 : 0;
    for (int i = 0; i < EVENT_KIND_COUNT; i++)
      bit |= strcmp(word, event_name((enum event_kind)i)) == 0 ? 1u << i : 0;
    if (!bit) {
      name_kinds(~0u, kinds, sizeof kinds);
      app_complain(app, "no event is called \"%s\"; near: %s all", word, kinds);
      return REACT_REDRAW;
    }
    mask |= bit;
  }
  if (!mask) {
    app_complain(app, "event-kinds: no kind is named in \"%s\"", args);
    return REACT_REDRAW;
  }
  app->event_mask = mask;
  name_kinds(mask, kinds, sizeof kinds);
  app_say(app, "e and E walk: %s", kinds);
  return REACT_REDRAW;
}

/* --- marks and notes --- */

/* Once for each file of them, in the log: a file appears beside the data. A live env has none: what
 * is to be said behind the first one, "" later. */
static const char *tell_where(struct app *app, const ph_marks *marks) {
  size_t at = (size_t)(marks - app->sheet);
  bool live = app->want.live.on;
  if (at >= 64 || (app->told_sheets >> at & 1) || (!live && !marks->file[0]))
    return "";
  app->told_sheets |= (uint64_t)1 << at;
  if (live)
    return "; a preview keeps marks and notes until it is left, and in no file";
  const char *slash = strrchr(marks->file, '/');
  if (marks->aside || !slash)
    app_log(app, false, "marks and notes are kept in %s", marks->file);
  else
    app_log(app, false, "marks and notes are kept beside it in %s", slash + 1);
  return "";
}

static bool mark_name(struct app *app, const char *args) {
  bool ok = args[0] && !args[1] &&
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789",
                   args[0]);
  if (!ok)
    app_complain(app, "\"%s\" is no name of a mark; expected one letter or digit", args);
  return ok;
}

unsigned do_MARK(struct app *app, int64_t count, const char *args) {
  (void)count;
  if (!*args) {
    app->pending = CMD_MARK;
    app_say(app, "mark step %lld as: a letter or digit", (long long)app->want.step);
    return REACT_REDRAW;
  }
  if (!mark_name(app, args))
    return REACT_REDRAW;
  ph_marks *marks = app_own_marks(app);
  if (!marks || ph_marks_set(marks, app_episode_id(app), args[0], app->want.step) != PH_OK) {
    app_complain(app, "mark %s: it cannot be kept: out of memory", args);
    return REACT_REDRAW;
  }
  const char *where = tell_where(app, marks);
  app_say(app, "mark %s at %lld%s", args, (long long)app->want.step, where);
  return REACT_REDRAW | REACT_SAVE;
}

/* The marks of this episode, "a 12, b 40". */
static void list_marks(const struct app *app, char *out, size_t size) {
  const ph_marks *marks = app_marks(app, app->want.episode);
  size_t n = 0;
  snprintf(out, size, "it has none");
  for (size_t i = 0; i < marks->nmarks && n + 1 < size; i++) {
    const ph_mark *mark = &marks->mark[i];
    if (strcmp(mark->episode, app_episode_id(app)) == 0)
      n += (size_t)snprintf(out + n, size - n, "%s%c %lld", n ? ", " : "", mark->name,
                            (long long)mark->step);
  }
}

unsigned do_UNMARK(struct app *app, int64_t count, const char *args) {
  char list[200];
  (void)count;
  if (!mark_name(app, args))
    return REACT_REDRAW;
  ph_marks *marks = app_own_marks(app);
  list_marks(app, list, sizeof list);
  if (!marks || ph_marks_unset(marks, app_episode_id(app), args[0]) != PH_OK) {
    app_complain(app, "no mark %s in this episode: %s", args, list);
    return REACT_REDRAW;
  }
  app_say(app, "mark %s is gone", args);
  return REACT_REDRAW | REACT_SAVE;
}

unsigned do_JUMP(struct app *app, int64_t count, const char *args) {
  char list[200];
  (void)count;
  list_marks(app, list, sizeof list);
  if (!*args) {
    app->pending = CMD_JUMP;
    app_say(app, "jump to mark: %s", list);
    return REACT_REDRAW;
  }
  if (!mark_name(app, args))
    return REACT_REDRAW;
  const ph_mark *mark =
      ph_marks_find(app_marks(app, app->want.episode), app_episode_id(app), args[0]);
  if (!mark) {
    app_complain(app, "no mark %s in this episode: %s", args, list);
    return REACT_REDRAW;
  }
  app_say(app, "mark %s at %lld", args, (long long)mark->step);
  return app_go(app, mark->step, true);
}

unsigned do_NOTE(struct app *app, int64_t count, const char *args) {
  const char *id = app_episode_id(app);
  (void)count;
  ph_marks *marks = app_own_marks(app);
  bool had = marks && ph_marks_note_at(marks, id, app->want.step) != NULL;
  if (!*args && !had) {
    app_say(app, "step %lld has no note; :note TEXT writes one", (long long)app->want.step);
    return REACT_REDRAW;
  }
  if (!marks || ph_marks_note(marks, id, app->want.step, args) != PH_OK) {
    app_complain(app, "note: it cannot be kept: no UTF-8, or out of memory");
    return REACT_REDRAW;
  }
  const char *where = tell_where(app, marks);
  app_say(app, *args ? "noted at %lld%s" : "the note at %lld is gone%s", (long long)app->want.step,
          where);
  return REACT_REDRAW | REACT_SAVE;
}
