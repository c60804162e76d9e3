/* A run that somebody records into while it is on show. */
#include "cmd.h"

#include <string.h>

unsigned do_FOLLOW(struct app *app, int64_t count, const char *args) {
  const struct catalog *catalog = app->snap ? app->snap->catalog : NULL;
  bool on = strcmp(args, "on") == 0 || (!*args && !app->want.follow);
  (void)count;
  if (*args && !on && strcmp(args, "off") != 0) {
    app_complain(app, "follow: expected on or off, got \"%s\"", args);
    return REACT_REDRAW;
  }
  if (on && !(catalog && catalog->live)) {
    app_complain(app, "follow: no folder of a run is open: only a recording adds episodes");
    return REACT_REDRAW;
  }
  app_say(app, on ? "new episodes are listed as they come" : "the list stays as it is");
  app->want.follow = on;
  app->want.serial++;
  return REACT_REDRAW | REACT_SEEK;
}

/* What changed of the recorder is said once. */
void app_take_following(struct app *app, enum following before) {
  const struct snapshot *snap = app->snap;
  if (snap->following == before)
    return;
  if (snap->following == FOLLOW_BROKEN)
    app_log(app, true, "%s", snap->lost);
  else if (snap->following == FOLLOW_DONE && before == FOLLOW_LIVE)
    app_log(app, false, "the recorder is done: %zu episode%s", app_count(app),
            app_count(app) == 1 ? "" : "s");
  else if (snap->following == FOLLOW_DONE)
    app_log(app, false, "no recorder has the run open");
}
