/* The hold moved live: what it comes to is shown, and no file is touched. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "held_view.h"
#include "panel.h"

/* Whether the wanted episode has a hold to be moved; else complained. */
static const struct reel *held_reel(struct app *app) {
  const struct reel *reel = app_wanted_reel(app);
  if (app->want.live.on)
    app_complain(app, "hold: not in a preview, whose env ends by it: preview --hold SECONDS");
  else if (!reel)
    app_complain(app, "hold: the episode is still being opened");
  else if (!(reel->meta.control_dt > 0))
    app_complain(app, "hold: how long a step takes is not known");
  else if (!reel->predicate && reel->nconditions == 0)
    app_complain(app, "hold: nothing says of this episode's states whether they are a success");
  else
    return reel;
  return NULL;
}

static unsigned use_hold(struct app *app, const struct reel *reel, int64_t steps, double seconds) {
  double dt = reel->meta.control_dt;
  int64_t own = reel->meta.hold_steps;
  char now[32], file[40] = "says none";
  bool said = reel->meta.hold_seconds >= 0;
  const char *anew = app_lapse_cut(app) ? "; :cut shows it anew" : "";
  app->want.hold = (struct hold_wish){.on = true, .seconds = seconds, .count = true};
  app->want.serial++;
  snprintf(now, sizeof now, "%.9g s", seconds);
  if (said)
    snprintf(file, sizeof file, "%.4g s", (double)own * dt);
  if (said && steps == own)
    app_say(app, "hold %s = %lld steps, as in the file%s", now, (long long)steps, anew);
  else
    app_say(app, "hold %s = %lld steps, file %s: not saved%s", now, (long long)steps, file, anew);
  return REACT_REDRAW | REACT_SEEK | (*anew ? REACT_RELAYOUT : 0);
}

/* As a person would write them: 0.3 of 3 steps of 0.1 s. */
static double seconds_of(const struct reel *reel, int64_t steps) {
  char text[40];
  double seconds = (double)steps * reel->meta.control_dt;
  int64_t same;
  snprintf(text, sizeof text, "%.12g", seconds);
  double plain = strtod(text, NULL);
  bool ok = ph_hold_steps(&same, plain, reel->meta.control_dt) == PH_OK && same == steps;
  return ok ? plain : seconds;
}

static unsigned move_hold(struct app *app, int64_t by) {
  enum { MOST = 1 << 30 };
  const struct reel *reel = held_reel(app);
  if (!reel)
    return REACT_REDRAW;
  int64_t steps = hold_wish_steps(&app->want.hold, reel->meta.control_dt, reel->meta.hold_steps);
  if (steps + by < 0 || steps + by > MOST) {
    app_complain(app, by < 0 ? "hold: there is none below 0 steps" : "hold: that is too long");
    return REACT_REDRAW;
  }
  return use_hold(app, reel, steps + by, seconds_of(reel, steps + by));
}

static int64_t some(int64_t count) {
  return count < 1 ? 1 : count < 1000000 ? count : 1000000;
}

unsigned do_HOLD_SHORTER(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_hold(app, -some(count));
}

unsigned do_HOLD_LONGER(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_hold(app, some(count));
}

unsigned do_HOLD(struct app *app, int64_t count, const char *args) {
  const struct reel *reel = held_reel(app);
  char *end = NULL;
  int64_t steps = 0;
  (void)count;
  if (!reel)
    return REACT_REDRAW;
  if (!*args) {
    use_hold(app, reel, reel->meta.hold_steps, reel->meta.hold_seconds);
    app->want.hold.on = false; /* each episode's own */
    return REACT_REDRAW | REACT_SEEK;
  }
  double seconds = strtod(args, &end);
  end += end != args && strcmp(end, "s") == 0;
  if (end == args || *end || !isfinite(seconds)) {
    app_complain(app, "hold: expected seconds, got \"%s\"", args);
    return REACT_REDRAW;
  }
  if (ph_hold_steps(&steps, seconds, reel->meta.control_dt) != PH_OK) {
    app_complain(app, "%s", ph_error());
    return REACT_REDRAW;
  }
  return use_hold(app, reel, steps, seconds);
}

unsigned app_enter_success(struct app *app) {
  if (app->cut_shown) {
    app_say(app, ":cut! writes it, Esc leaves it");
    return REACT_REDRAW;
  }
  int lines = panel_success_lines(app);
  int line = panel_cursor(app, PANEL_SUCCESS, lines) - (lines - held_lines(app));
  int64_t step = held_step(app, line);
  if (step >= 0)
    return app_go(app, step, true);
  app_say(app, "Enter goes to an interval, or to where a source latches");
  return REACT_REDRAW;
}
