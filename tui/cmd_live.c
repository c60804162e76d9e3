/* A live env: substeps, resets, who acts, and elements of the action that a person holds. What is
 * wanted is said in totals; see live_wish. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "panel.h"

#define NUDGE (1.0 / 20) /* of an element's range */

static int control_steps(const struct app *app) {
  int n = app->snap ? app->snap->live.control_steps : 0;
  return n > 0 ? n : 1;
}

int64_t app_live_head(const struct app *app) {
  return app->want.live.substeps / control_steps(app);
}

bool app_live_under_way(const struct app *app) {
  return app->want.live.on && app->want.live.substeps % control_steps(app) != 0;
}

/* An episode that is still to begin can be asked to go on; not so one of a file that is still to be
 * loaded, whose control step may be another. */
bool app_live_runs(const struct app *app) {
  const struct live_wish *wish = &app->want.live;
  if (!wish->on || !app->snap || app->snap->live.reloads != wish->reloads)
    return false;
  return app->snap->live.resets == wish->resets ? app->snap->live.running
                                                : app->snap->live.control_steps > 0;
}

static unsigned ask(struct app *app) {
  app->want.serial++;
  return REACT_REDRAW | REACT_SEEK;
}

static unsigned ended(struct app *app) {
  char again[32], next[32];
  const struct live_answer *live = app->snap ? &app->snap->live : NULL;
  keymap_key(&app->keys, CMD_RESET, again, sizeof again);
  keymap_key(&app->keys, CMD_RESET_NEXT, next, sizeof next);
  if (live && live->resets != app->want.live.resets)
    app_say(app, "it is being reset");
  else if (!app_reel(app))
    app_complain(app, "no episode runs: %s begins it again, %s the next, :reload the edited file",
                 again, next);
  else
    app_complain(app, "the episode has ended (%s): %s begins it again, %s the next",
                 live->end != PH_END_UNKNOWN ? ph_end_name(live->end) : "an error", again, next);
  return REACT_REDRAW;
}

/* No more than a day at 1 kHz: a slip of the finger asks for no years. */
unsigned app_live_go(struct app *app, int64_t step) {
  const int64_t most = 100000000 / control_steps(app);
  uint64_t tick_at = app->tick_at;
  if (!app_live_runs(app))
    return ended(app);
  step = step > most ? most : step;
  app->want.live.substeps = step * control_steps(app);
  app->want.live.row = false;
  app->want.step = step;
  app->play_from = (double)step;
  app->tick_at = app->playing ? tick_at : 0;
  app_follow_zoom(app);
  return ask(app);
}

unsigned app_live_newest(struct app *app) {
  unsigned react = app_go(app, app_live_head(app), true);
  if (!app->want.live.row)
    return react;
  app->want.live.row = false;
  return react | ask(app);
}

/* --- what became of it --- */

static void say_end(struct app *app, const struct live_answer *live) {
  char again[32], next[32];
  keymap_key(&app->keys, CMD_RESET, again, sizeof again);
  keymap_key(&app->keys, CMD_RESET_NEXT, next, sizeof next);
  app_log(app, live->end != PH_END_SUCCESS && live->end != PH_END_TRUNCATED,
          "%s at step %" PRId64 "%s%s; %s: again, %s: next seed",
          live->end == PH_END_UNKNOWN ? "stopped" : ph_end_name(live->end),
          live->substeps / control_steps(app), live->detail[0] ? ": " : "", live->detail, again,
          next);
}

void app_take_live(struct app *app, const struct snapshot *old) {
  const struct live_answer *live = &app->snap->live;
  if (!live->on)
    return;
  bool newest = app->snap->serial == app->want.serial && live->settled;
  if (newest)
    app->want.live.substeps = live->substeps;
  bool ran = old && old->live.on && old->live.running && old->live.resets == live->resets;
  if (newest && !live->running)
    app->playing = false;
  if (ran && !live->running)
    say_end(app, live);
  if (old && old->live.on && live->refused != old->live.refused)
    app_log(app, true, "not reloaded: %s", live->why);
  else if (live->names[0] && !(old && old->live.on && old->live.reloads == live->reloads))
    app_log(app, true, "%s", live->names);
}

/* --- commands --- */

unsigned do_SUBSTEP(struct app *app, int64_t count, const char *args) {
  int64_t times;
  if (!app->want.live.on)
    return app_substep(app, count, args, 1);
  if (!cmd_times(app, count, args, &times))
    return REACT_REDRAW;
  if (!app_live_runs(app))
    return ended(app);
  bool past = app->want.step < app_live_head(app) || app->want.live.row;
  if (past) /* it is at the head that physics goes on */
    app_live_newest(app);
  times = times > 1000000 ? 1000000 : times;
  app->want.live.substeps += times;
  app->want.step = app_live_head(app);
  app->play_from = (double)app->want.step;
  if (past)
    app_say(app, "at the newest step: %" PRId64 "+%d/%d", app->want.step,
            (int)(app->want.live.substeps % control_steps(app)), control_steps(app));
  return ask(app);
}

int app_live_by_hand(const struct app *app) {
  const struct reel *reel = app_reel(app);
  int n = 0;
  for (int i = 0; app->want.live.on && reel && i < reel->nactions && i < LIVE_ELEMENTS; i++)
    n += app->want.live.set[i];
  return n;
}

static unsigned begin(struct app *app, uint64_t seed) {
  app->want.live.seed = seed;
  app->want.live.resets++;
  app->want.live.substeps = 0;
  app->want.live.row = false;
  app->want.step = 0;
  app->play_from = 0;
  app->tick_at = 0;
  app->nundo = 0;
  app->loop_a = app->loop_b = -1;
  app_zoom_to(app, -1, -1);
  int chosen = app_live_by_hand(app);
  if (chosen > 0)
    app_say(app, "seed %" PRIu64 ", %d element%s still by hand", seed, chosen,
            chosen == 1 ? "" : "s");
  else
    app_say(app, "seed %" PRIu64, seed);
  return ask(app);
}

unsigned do_RESET(struct app *app, int64_t count, const char *args) {
  char *end;
  (void)count;
  if (!*args)
    return begin(app, app->want.live.seed);
  errno = 0;
  uint64_t seed = strtoull(args, &end, 10);
  if (*args >= '0' && *args <= '9' && !*end && !errno)
    return begin(app, seed);
  app_complain(app, "reset: \"%s\" is no seed: a whole number from 0", args);
  return REACT_REDRAW;
}

unsigned do_RESET_NEXT(struct app *app, int64_t count, const char *args) {
  (void)args;
  return begin(app, app->want.live.seed + (uint64_t)(count > 0 ? count : 1));
}

unsigned do_DRIVE(struct app *app, int64_t count, const char *args) {
  ph_drive drive = (app->want.live.drive + 1) % PH_DRIVE_COUNT;
  (void)count;
  if (*args)
    for (drive = 0; drive < PH_DRIVE_COUNT && strcmp(args, ph_drive_name(drive)) != 0; drive++)
      ;
  if (drive == PH_DRIVE_COUNT) {
    app_complain(app, "drive: \"%s\": expected policy, zero or held", args);
    return REACT_REDRAW;
  }
  app->want.live.drive = drive;
  bool none = drive == PH_DRIVE_POLICY && app->snap && !app->snap->live.has_policy;
  app_say(app, none ? "the task has no policy: zeros act" : "%s acts from the next step on",
          drive == PH_DRIVE_HELD   ? "the last action, held,"
          : drive == PH_DRIVE_ZERO ? "zero"
                                   : "the policy");
  return ask(app);
}

/* The element under the action panel's cursor; -1: there is none. */
static int element(const struct app *app) {
  int i = panel_action_at(app, app->cursor[PANEL_ACTION]);
  return i < LIVE_ELEMENTS ? i : -1;
}

static unsigned set_element(struct app *app, int i, double value) {
  app->want.live.set[i] = true;
  app->want.live.value[i] = value;
  app_say(app, "%s is %.4g from the next step on", app_reel(app)->action_name[i], value);
  return ask(app);
}

/* What an element would be in the next step, as far as anybody knows: what a policy will answer is
 * taken to be near what it did. */
static double base(const struct app *app, int i) {
  const struct live_wish *wish = &app->want.live;
  const struct live_answer *live = &app->snap->live;
  if (wish->set[i])
    return wish->value[i];
  bool zero = wish->drive == PH_DRIVE_ZERO ||
              (wish->drive == PH_DRIVE_POLICY && !live->has_policy) || live->resets != wish->resets;
  return zero ? 0 : live->head[i];
}

static unsigned nudge(struct app *app, int64_t count, const char *args, double sign) {
  const struct reel *reel = app_reel(app);
  int64_t times;
  int i = element(app);
  if (!cmd_times(app, count, args, &times))
    return REACT_REDRAW;
  if (i < 0 || !reel) {
    app_complain(app, "there is no action element to nudge");
    return REACT_REDRAW;
  }
  double low = reel->action_min[i], high = reel->action_max[i];
  bool ranged = isfinite(low) && isfinite(high) && low < high;
  double to = base(app, i) + sign * (double)times * (ranged ? NUDGE * (high - low) : NUDGE);
  if (ranged)
    to = fmin(fmax(to, low), high);
  return set_element(app, i, fabs(to) < 1e-12 ? 0 : to);
}

unsigned do_NUDGE_UP(struct app *app, int64_t count, const char *args) {
  return nudge(app, count, args, 1);
}

unsigned do_NUDGE_DOWN(struct app *app, int64_t count, const char *args) {
  return nudge(app, count, args, -1);
}

unsigned do_ELEMENT(struct app *app, int64_t count, const char *args) {
  const struct reel *reel = app_reel(app);
  char *end = NULL, *behind = NULL;
  (void)count;
  long i = *args >= '0' && *args <= '9' ? strtol(args, &end, 10) : -1;
  if (!reel || i < 0 || i >= reel->nactions || i >= LIVE_ELEMENTS || (*end && *end != ' ')) {
    app_complain(app, "element: expected a place from 0 to %d and a value",
                 reel && reel->nactions > 0 ? reel->nactions - 1 : 0);
    return REACT_REDRAW;
  }
  end += strspn(end, " ");
  if (strcmp(end, "off") == 0) {
    app->want.live.set[i] = false;
    app_say(app, "%s is free again", reel->action_name[i]);
    return ask(app);
  }
  double value = strtod(end, &behind);
  if (behind != end && !*behind && isfinite(value))
    return set_element(app, (int)i, value);
  app_complain(app, "element: \"%s\" is no finite number, nor off", end);
  return REACT_REDRAW;
}

unsigned do_RELEASE(struct app *app, int64_t count, const char *args) {
  int i = element(app);
  (void)count;
  if (*args && strcmp(args, "all") != 0) {
    app_complain(app, "release: \"%s\": expected all, or nothing", args);
    return REACT_REDRAW;
  }
  if (*args)
    memset(app->want.live.set, 0, sizeof app->want.live.set);
  else if (i >= 0)
    app->want.live.set[i] = false;
  app_say(app, *args ? "no element is held by hand any more" : "the element is free again");
  return ask(app);
}

unsigned do_RELOAD(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  int64_t step = app->want.step;
  app->want.live.reloads++;
  unsigned react = begin(app, app->want.live.seed);
  app->want.step = step; /* a new episode has but its first; where it is refused this one stays */
  app->play_from = (double)step;
  return react;
}
