/* The last two lines: where the playhead is and what was just said; the keys that matter now. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "dynamic_view.h"
#include "envs.h"
#include "held_view.h"
#include "panel.h"
#include "strip.h"
#include "text.h"

static void status_play(struct strip *strip, const struct app *app) {
  enum style style = app->playing ? STYLE_GOOD : STYLE_BOLD;
  const char *symbol = !app->playing ? "‖" : app->backwards ? "◀" : "▶";
  const char *word = !app->playing ? "PAUSED" : app->backwards ? "BACKWARDS" : "PLAYING";
  strip_add(strip, 1, style, STRIP_BLANK, "%s", symbol);
  strip_add(strip, 2, style, STRIP_TIGHT, "%s", word);
  if (!app->playing && app->backwards)
    strip_add(strip, 6, style, STRIP_TIGHT, "(backwards)");
}

static void status_place(struct strip *strip, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  int64_t last = reel->states > 0 ? reel->states - 1 : 0;
  const struct dynamic_answer *d = app_dyn_frame(app);
  bool within = d && d->substep > 0;
  char now[48], total[48];
  double seconds = clock_end(&reel->clock, &reel->meta);
  if (snap->live.between)
    strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK, "step %lld+%d/%d", (long long)app_shown_step(app),
              snap->live.substep, snap->live.control_steps);
  else if (within)
    strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK, "step %lld+%d/%d", (long long)d->step, d->substep,
              app_control_steps(app));
  else
    strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK, "step %lld/%lld", (long long)app_shown_step(app),
              (long long)last);
  if (app->want.episode == reel->episode && app->want.step != app_shown_step(app))
    strip_add(strip, 6, STYLE_DIM, STRIP_TIGHT, "→ %lld", (long long)app->want.step);
  if (!snap->has_frame || clock_counts(&reel->clock, &reel->meta))
    return;
  text_time(now, sizeof now, snap->time, seconds);
  text_time(total, sizeof total, seconds, seconds);
  char *unit = strstr(now, " s");
  if (unit && seconds > 0)
    *unit = 0;
  if (within)
    strip_add(strip, 4, STYLE_NORMAL, STRIP_BLANK, "t %.4f s", d->time);
  else if (seconds > 0 && !snap->live.between)
    strip_add(strip, 4, STYLE_NORMAL, STRIP_BLANK, "t %s/%s", now, total);
  else if (snap->live.between)
    strip_add(strip, 4, STYLE_NORMAL, STRIP_BLANK, "t %.4f s", snap->time);
  else
    strip_add(strip, 4, STYLE_NORMAL, STRIP_BLANK, "t %s", now);
}

static void status_loop(struct strip *strip, const struct app *app) {
  strip_add(strip, 5, STYLE_NORMAL, STRIP_BLANK, "%.3gx", app->speed);
  if (app->loop_a >= 0 && app->loop_b >= 0)
    strip_add(strip, 7, STYLE_NORMAL, STRIP_BAR, "loop %lld..%lld", (long long)app->loop_a,
              (long long)app->loop_b);
  else if (app->loop_a >= 0)
    strip_add(strip, 7, STYLE_NORMAL, STRIP_BAR, "loop from %lld ..", (long long)app->loop_a);
  else if (app->loop_all)
    strip_add(strip, 7, STYLE_NORMAL, STRIP_BAR, "loop all");
}

/* Marks and the note at the playhead, and how to come back. */
static void status_marks(struct strip *strip, const struct app *app) {
  const char *id = app_reel(app)->meta.id;
  const ph_marks *sheet = app_marks(app, app_reel(app)->episode);
  int64_t step = app_shown_step(app);
  int marks = 0;
  char here[80] = "";
  for (size_t i = 0; i < sheet->nmarks; i++) {
    const ph_mark *m = &sheet->mark[i];
    if (strcmp(m->episode, id) != 0)
      continue;
    marks++;
    size_t n = strlen(here);
    if (m->step == step && n + 3 < sizeof here)
      snprintf(here + n, sizeof here - n, " %c", m->name);
  }
  if (here[0])
    strip_add(strip, 3, STYLE_KEY, STRIP_BAR, "mark%s", here);
  else if (marks > 0)
    strip_add(strip, 11, STYLE_NORMAL, STRIP_BAR, "%d mark%s", marks, marks == 1 ? "" : "s");
  const ph_note *note = ph_marks_note_at(sheet, id, step);
  if (note)
    strip_add(strip, 3, STYLE_EVENT, STRIP_BAR | STRIP_CUT, "note: %s", note->text);
  char key[32];
  keymap_key(&app->keys, CMD_UNDO, key, sizeof key);
  bool there = app->nundo > 0 && app->undo[app->nundo - 1] == app->want.step &&
               app->undo_substep[app->nundo - 1] == app->want.dyn.substep;
  if (app->nundo > 0 && !there && key[0])
    strip_add(strip, 10, STYLE_HINT, STRIP_BAR, "%s = back to %lld", key,
              (long long)app->undo[app->nundo - 1]);
}

/* They stay through resets and reloads. */
static void status_by_hand(struct strip *strip, const struct app *app) {
  int n = app_live_by_hand(app);
  char key[32];
  if (n > 0 && *keymap_key(&app->keys, CMD_RELEASE, key, sizeof key))
    strip_add(strip, 4, STYLE_WARN, STRIP_BAR, "%d element%s by hand: %s releases", n,
              n == 1 ? "" : "s", key);
}

void panel_status_draw(struct surface *s, struct rect r, const struct app *app) {
  struct strip strip = {0};
  bool wants_other = app->snap && app_reel(app) && app_has_episode(app) &&
                     app->want.episode != app_reel(app)->episode;
  if (wants_other)
    strip_add(&strip, 2, STYLE_WARN, STRIP_BLANK, "opening %s ...",
              catalog_entry(app->snap->catalog, app->want.episode)->id);
  if (app_reel(app)) {
    status_play(&strip, app);
    status_place(&strip, app);
    status_loop(&strip, app);
  }
  if (app->snap && app->snap->catalog && app->snap->unseen > 0)
    strip_add(&strip, 9, STYLE_DIM, STRIP_BAR, "looking at episodes %zu/%zu",
              app->snap->catalog->n - app->snap->unseen, app->snap->catalog->n);
  if (app_reel(app))
    dyn_status(&strip, app);
  if (app_reel(app))
    envs_status(&strip, app);
  held_status(&strip, app);
  status_by_hand(&strip, app);
  if (app->message[0])
    strip_add(&strip, 2, app->message_bad ? STYLE_BAD : STYLE_NORMAL,
              STRIP_BAR | STRIP_CUT | STRIP_FIRST, "%s", app->message);
  if (app_reel(app))
    status_marks(&strip, app);
  strip_draw(s, r, 0, 1, &strip);
}

/* Keys of the last line, in its order; rank: what is left out last. */
static const struct hint {
  enum command cmd;
  enum command other; /* its counterpart, shown with it; CMD_NONE: none */
  int rank;
  const char *words;
} hints[] = {
    {CMD_STEP_BACK, CMD_STEP_FORWARD, 1, "step"},
    {CMD_PLAY, CMD_NONE, 2, "play"},
    {CMD_EVENT_NEXT, CMD_EVENT_PREVIOUS, 4, "event"},
    {CMD_NONE, CMD_NONE, 7, ""}, /* the focused panel's */
    {CMD_PANEL_NEXT, CMD_NONE, 5, "panel"},
    {CMD_ZOOM, CMD_NONE, 12, "zoom"},
    {CMD_EPISODE_PREVIOUS, CMD_EPISODE_NEXT, 6, "episode"},
    {CMD_SUBSTEP, CMD_SUBSTEP_BACK, 6, "substep"},
    {CMD_KINEMATIC, CMD_NONE, 8, ""}, /* and the other modes */
    {CMD_ANCHOR, CMD_NONE, 11, "anchor"},
    {CMD_RESET, CMD_RESET_NEXT, 4, "again, next seed"},
    {CMD_DRIVE, CMD_NONE, 8, "who acts"},
    {CMD_NUDGE_UP, CMD_NUDGE_DOWN, 9, "nudge"},
    {CMD_GO, CMD_NONE, 14, "go to (213g)"},
    {CMD_UNDO, CMD_NONE, 15, "undo"},
    {CMD_PROMPT, CMD_NONE, 13, "command"},
    {CMD_HELP, CMD_NONE, 0, "help"},
    {CMD_QUIT, CMD_NONE, 3, "quit"},
};

static const char *enter_words(enum panel_id id) {
  switch (id) {
  case PANEL_FINDINGS:
  case PANEL_SUCCESS:
    return "go there";
  case PANEL_PLOT:
    return "take away";
  case PANEL_STATE:
  case PANEL_ACTION:
    return "plot";
  default:
    return "open";
  }
}

static const char *hint_words(const struct app *app, enum command cmd) {
  switch (cmd) {
  case CMD_DOWN:
    return "down up";
  case CMD_FILTER:
    return "filter";
  case CMD_COPY:
    return "copy state";
  case CMD_ENTER:
    return enter_words(app_active(app));
  case CMD_CANCEL:
    return "close";
  case CMD_TIME_IN:
    return "time zoom";
  case CMD_MARK:
    return "mark";
  case CMD_LOOP:
    return "loop";
  case CMD_ENV_NEXT:
    return "env";
  case CMD_HOLD_SHORTER:
    return "hold";
  default:
    return command_info(cmd)->name;
  }
}

static void hint_add(struct strip *strip, const struct app *app, int rank, enum command cmd,
                     enum command pair, const char *words) {
  char key[32] = "", other[32] = "";
  keymap_key(&app->keys, cmd, key, sizeof key);
  if (pair != CMD_NONE)
    keymap_key(&app->keys, pair, other, sizeof other);
  if (!key[0] && !other[0])
    return;
  strip_add(strip, rank, STYLE_KEY, STRIP_BLANK, "%s%s%s", key, key[0] && other[0] ? " " : "",
            other);
  strip_add(strip, rank, STYLE_HINT, STRIP_TIGHT, "%s", words);
}

/* The command that undoes one, shown with it; CMD_NONE: none. */
static enum command hint_pair(enum command cmd) {
  return cmd == CMD_DOWN           ? CMD_UP
         : cmd == CMD_TIME_IN      ? CMD_TIME_OUT
         : cmd == CMD_ENV_NEXT     ? CMD_ENV_PREVIOUS
         : cmd == CMD_HOLD_SHORTER ? CMD_HOLD_LONGER
                                   : CMD_NONE;
}

enum { HOLD_RANK = 3 }; /* nothing else says that the hold can be moved */

/* The focused panel's own keys. */
static void hints_panel(struct strip *strip, const struct app *app, int rank) {
  const char *p = panel_get(app_active(app))->hint;
  for (; *p; rank++) {
    char name[40];
    size_t n = strcspn(p, " ");
    snprintf(name, sizeof name, "%.*s", (int)n, p);
    enum command cmd = command_find(name);
    if (cmd != CMD_NONE)
      hint_add(strip, app, cmd == CMD_HOLD_SHORTER ? HOLD_RANK : rank, cmd, hint_pair(cmd),
               hint_words(app, cmd));
    p += n + (p[n] == ' ');
  }
}

static bool hints_typing(struct strip *strip, const struct app *app) {
  char enter[32], cancel[32], go[32];
  keymap_key(&app->keys, CMD_ENTER, enter, sizeof enter);
  keymap_key(&app->keys, CMD_CANCEL, cancel, sizeof cancel);
  keymap_key(&app->keys, CMD_GO, go, sizeof go);
  if (app->pending != CMD_NONE) {
    strip_add(strip, 0, STYLE_PROMPT, STRIP_BLANK, "%s: the next key names it",
              command_info(app->pending)->name);
    strip_add(strip, 1, STYLE_HINT, STRIP_BLANK, "%s cancels", cancel);
    return true;
  }
  if (app->digits[0]) {
    strip_add(strip, 0, STYLE_PROMPT, STRIP_BLANK, "%s_", app->digits);
    strip_add(strip, 1, STYLE_HINT, STRIP_BLANK, "%s or %s goes to that step", enter, go);
    strip_add(strip, 3, STYLE_HINT, STRIP_BLANK, "%% to that part  a step key: that many");
    strip_add(strip, 2, STYLE_HINT, STRIP_BLANK, "%s drops it", cancel);
    return true;
  }
  return false;
}

/* "K D B mode", where there is more than recorded states. */
static void hints_modes(struct strip *strip, const struct app *app, int rank) {
  static const enum command modes[] = {CMD_KINEMATIC, CMD_DYNAMIC, CMD_BOTH};
  char keys[80] = "", key[32];
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (*keymap_key(&app->keys, modes[i], key, sizeof key)) {
      size_t n = strlen(keys);
      snprintf(keys + n, sizeof keys - n, "%s%s", n ? " " : "", key);
    }
  if (!keys[0])
    return;
  strip_add(strip, rank, STYLE_KEY, STRIP_BLANK, "%s", keys);
  strip_add(strip, rank, STYLE_HINT, STRIP_TIGHT, "mode");
}

/* What belongs to a preview alone, or to what a file can do. */
static bool hint_hidden(const struct app *app, enum command cmd) {
  const struct dynamic_answer *d = app_dyn(app);
  bool live = app->want.live.on, run = app_mode(app) != MODE_KINEMATIC;
  switch (cmd) {
  case CMD_NONE:
    return false;
  case CMD_EPISODE_PREVIOUS:
  case CMD_UNDO:
    return live;
  case CMD_SUBSTEP:
    return !live && !run;
  case CMD_KINEMATIC:
    return live || !d || d->refused[0];
  case CMD_ANCHOR:
    return !run;
  default:
    return !live && command_info(cmd)->flags & CF_LIVE;
  }
}

void panel_hints_draw(struct surface *s, struct rect r, const struct app *app) {
  struct strip strip = {0};
  if (!hints_typing(&strip, app))
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
      const struct hint *h = &hints[i];
      if (hint_hidden(app, h->cmd))
        continue;
      if (h->cmd == CMD_NONE)
        hints_panel(&strip, app, h->rank);
      else if (h->cmd == CMD_KINEMATIC)
        hints_modes(&strip, app, h->rank);
      else if (!app->help || h->cmd != CMD_HELP)
        hint_add(&strip, app, h->rank, h->cmd,
                 h->cmd == CMD_SUBSTEP && app->want.live.on ? CMD_NONE : h->other,
                 app->help && h->cmd == CMD_QUIT ? "close help" : h->words);
    }
  strip_draw(s, r, 0, 1, &strip);
}
