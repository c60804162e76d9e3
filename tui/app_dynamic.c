/* What the screen makes of the answer about physics run again: which mode it is really in, and
 * whether the dynamic frame is the one that is wanted. */
#include "dynamic_view.h"

#include "cmd.h"

#include <math.h>
#include <string.h>

const struct dynamic_answer *app_dyn(const struct app *app) {
  return app->snap && app->snap->reel && !app->want.live.on ? app->snap->dyn : NULL;
}

enum tui_mode app_mode(const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (app->want.live.on || (d && d->refused[0]))
    return MODE_KINEMATIC;
  return app->want.dyn.mode;
}

const struct dynamic_answer *app_dyn_frame(const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || !d->has_frame || app_mode(app) == MODE_KINEMATIC || d->step != app->snap->step)
    return NULL;
  bool newest = app->snap->serial == app->want.serial;
  return newest && d->substep != app->want.dyn.substep ? NULL : d;
}

const struct dynamic_answer *app_dyn_alone(const struct app *app) {
  return app_mode(app) == MODE_DYNAMIC ? app_dyn_frame(app) : NULL;
}

void app_take_refusal(struct app *app, bool before) {
  const struct dynamic_answer *d = app_dyn(app);
  enum tui_mode wanted = app->want.dyn.mode;
  if (d && d->refused[0] && !before && wanted != MODE_KINEMATIC)
    app_complain(app, "%s: physics cannot be run again: %s", mode_name(wanted), d->refused);
}

bool app_dyn_whole(const struct dynamic_answer *d) {
  return d->pass.ended && d->pass.status == PH_OK && d->pass.stopped < 0 &&
         d->pass.free_run >= d->pass.states;
}

bool app_dyn_known(const struct dynamic_answer *d) {
  return d->pass.free_run > d->pass.anchor && d->pass.states > 0;
}

bool app_has_lanes(const struct app *app) {
  const struct request *want = &app->want;
  return app_mode(app) != MODE_KINEMATIC || want->dyn.branch.serial || want->ghost.path[0] ||
         want->envs.n > 0;
}

int app_control_steps(const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  const struct reel *reel = app_reel(app);
  int n = d && d->control_steps > 0 ? d->control_steps : reel ? reel->meta.dims.control_steps : 0;
  return n > 0 ? n : 1;
}

ph_tolerance app_tolerance(const struct app *app) {
  return wish_tolerance(&app->want.dyn);
}

/* --- findings: the file's and those of the pass, one list --- */

/* As it is told by both: of a clip or a warning the pass has nothing to say that is new. */
static bool told(const struct reel *reel, const ph_finding *finding) {
  for (size_t i = 0; i < reel->nfindings; i++)
    if (reel->findings[i].step == finding->step &&
        strcmp(reel->findings[i].text, finding->text) == 0)
      return true;
  return false;
}

size_t app_finding_count(const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *d = app_dyn(app);
  size_t n = reel ? reel->nfindings : 0;
  for (size_t i = 0; d && i < d->nfindings; i++)
    n += !told(reel, &d->findings[i]);
  return n;
}

/* Both lists are sorted by kind: they are merged, of one kind the pass's first. */
const ph_finding *app_finding(const struct app *app, size_t at) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *d = app_dyn(app);
  size_t i = 0, k = 0, nfile = reel ? reel->nfindings : 0, npass = d ? d->nfindings : 0;
  while (i < nfile || k < npass) {
    if (k < npass && told(reel, &d->findings[k])) {
      k++;
      continue;
    }
    bool pass = k < npass && (i >= nfile || d->findings[k].kind <= reel->findings[i].kind);
    const ph_finding *finding = pass ? &d->findings[k] : &reel->findings[i];
    if (at-- == 0)
      return finding;
    if (pass)
      k++;
    else
      i++;
  }
  return NULL;
}
