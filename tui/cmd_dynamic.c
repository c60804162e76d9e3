/* Physics run again: modes, anchor, substeps, tolerance. What is wanted is said whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dynamic_view.h"

static unsigned ask(struct app *app) {
  app->want.serial++;
  app_relayout(app);
  return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

/* Of a live env there is one run, which is physics itself. */
static bool is_live(struct app *app, const char *what) {
  if (app->want.live.on)
    app_complain(app, "%s: not in a preview: nothing was recorded to be run again", what);
  return app->want.live.on;
}

static bool is_refused(struct app *app, const char *what) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || !d->refused[0])
    return false;
  app_complain(app, "%s: physics cannot be run again: %s", what, d->refused);
  return true;
}

/* --- modes --- */

static unsigned set_mode(struct app *app, enum tui_mode mode) {
  static const char *const words[MODE_COUNT] = {"K: recorded states",
                                                "D: physics run again from the recorded actions",
                                                "B: recorded and dynamic side by side"};
  if (is_live(app, mode_name(mode)))
    return REACT_REDRAW;
  app->want.dyn.mode = mode;
  if (mode == MODE_KINEMATIC)
    app->want.dyn.substep = 0;
  if (mode == MODE_KINEMATIC || !is_refused(app, mode_name(mode)))
    app_say(app, "%s", words[mode]);
  return ask(app);
}

unsigned do_KINEMATIC(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return set_mode(app, MODE_KINEMATIC);
}

unsigned do_DYNAMIC(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return set_mode(app, MODE_DYNAMIC);
}

unsigned do_BOTH(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return set_mode(app, MODE_BOTH);
}

/* --- anchor --- */

/* The step that is named, else the one on show; a second time there it is step 0 again. */
static bool anchor_step(struct app *app, const char *args, int64_t *out) {
  int64_t last = app_last_step(app);
  *out = app->want.step == app->want.dyn.anchor ? 0 : app->want.step;
  if (!*args)
    return true;
  bool zero = strcmp(args, "0") == 0;
  if (!zero && !cmd_count(args, out)) {
    app_complain(app, "anchor: \"%s\" is no step", args);
    return false;
  }
  if (zero)
    *out = 0;
  if (*out > last)
    app_complain(app, "anchor: step %s is past the last, %lld", args, (long long)last);
  return *out <= last;
}

unsigned do_ANCHOR(struct app *app, int64_t count, const char *args) {
  int64_t to, last = app_last_step(app);
  (void)count;
  if (is_live(app, "anchor") || is_refused(app, "anchor") || !anchor_step(app, args, &to))
    return REACT_REDRAW;
  if (to == last && to > 0) {
    app_complain(app, "anchor: no action follows step %lld, so there is nothing to run from it",
                 (long long)to);
    return REACT_REDRAW;
  }
  const char *more = app_mode(app) == MODE_KINEMATIC ? "; D or B shows it"
                     : app->want.envs.n > 0          ? "; those of the other envs from step 0"
                                                     : "";
  app->want.dyn.anchor = to;
  app_say(app, "the dynamic run starts from the recorded state at %lld%s", (long long)to, more);
  return ask(app);
}

/* --- substeps --- */

/* Places are counted in substeps from step 0 on; past the last step there is none. */
static unsigned substep_by(struct app *app, int64_t by) {
  int64_t n = app_control_steps(app), last = app_last_step(app);
  int64_t at = app->want.step * n + app->want.dyn.substep, end = last * n;
  int64_t to = by > end - at ? end : by < -at ? 0 : at + by;
  if (to == at)
    app_say(app, by > 0 ? "this is the last step" : "this is step 0");
  return app_go_within(app, to / n, (int)(to % n), !app->stepping);
}

unsigned app_substep(struct app *app, int64_t count, const char *args, int sign) {
  int64_t times;
  if (!cmd_times(app, count, args, &times))
    return REACT_REDRAW;
  if (is_refused(app, "substep"))
    return REACT_REDRAW;
  if (app_mode(app) == MODE_KINEMATIC) {
    app_complain(app, "substep: recorded states have none; D or B walks physics run again");
    return REACT_REDRAW;
  }
  return substep_by(app, sign * times);
}

unsigned do_SUBSTEP_BACK(struct app *app, int64_t count, const char *args) {
  if (is_live(app, "substep-back"))
    return REACT_REDRAW;
  return app_substep(app, count, args, -1);
}

/* --- tolerance --- */

unsigned do_TOL(struct app *app, int64_t count, const char *args) {
  ph_tolerance tolerance = app_tolerance(app);
  char text[120];
  (void)count;
  if (is_live(app, "tol"))
    return REACT_REDRAW;
  if (!*args) {
    ph_tolerance_text(&tolerance, text, sizeof text);
    app_say(app, "tolerance: %s; :tol pos=1e-3,rot=1e-3,vel=0.1 or :tol default sets another",
            text);
    return REACT_REDRAW;
  }
  if (strcmp(args, "default") == 0) {
    tolerance = ph_tolerance_default();
  } else if (ph_tolerance_parse(&tolerance, args) != PH_OK) {
    app_complain(app, "tol: %s", ph_error());
    return REACT_REDRAW;
  }
  app->want.dyn.tolerance = tolerance;
  ph_tolerance_text(&tolerance, text, sizeof text);
  app_say(app, "tolerance: %s", text);
  return ask(app);
}
