/* Another episode beside the one on show. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "ghost_view.h"

static unsigned ask(struct app *app, const char *path) {
  struct ghost_wish *wish = &app->want.ghost;
  snprintf(wish->path, sizeof wish->path, "%s", path);
  wish->serial++;
  app->want.serial++;
  app->cursor[PANEL_STATE] = app->scroll[PANEL_STATE] = 0;
  return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

static unsigned ghost_off(struct app *app) {
  bool was = app->want.ghost.path[0];
  app_say(app, was ? "the ghost is gone" : "there is no ghost");
  return was ? ask(app, "") : REACT_REDRAW;
}

static unsigned ghost_prompt(struct app *app) {
  prompt_open(&app->prompt, "ghost ");
  if (app->want.ghost.path[0])
    snprintf(app->prompt.hint, sizeof app->prompt.hint, "now: %.200s; off ends it",
             app->want.ghost.path);
  else
    snprintf(app->prompt.hint, sizeof app->prompt.hint,
             "PATH[:ID]: a file or a run, and which of its episodes");
  return REACT_REDRAW;
}

unsigned do_GHOST(struct app *app, int64_t count, const char *args) {
  (void)count;
  if (app->want.live.on) {
    app_complain(app, "ghost: not in a preview: nothing was recorded to be compared");
    return REACT_REDRAW;
  }
  if (!*args)
    return ghost_prompt(app);
  if (strcmp(args, "off") == 0)
    return ghost_off(app);
  if (strlen(args) >= sizeof app->want.ghost.path) {
    app_complain(app, "ghost: the path has more than %zu bytes", sizeof app->want.ghost.path - 1);
    return REACT_REDRAW;
  }
  app_say(app, "opening %s", args);
  return ask(app, args);
}

/* --- completion --- */

const char *app_ghost_name(const void *arg, const char *verb, int i) {
  const struct app *app = arg;
  const struct catalog *catalog = app->snap ? app->snap->catalog : NULL;
  if (strcmp(verb, "ghost") != 0 || i < 0)
    return NULL;
  if (i == 0)
    return "off";
  return catalog && (size_t)i <= catalog->nsources ? catalog->source[i - 1] : NULL;
}

const char *app_prompt_name(const void *arg, const char *verb, int i) {
  return strcmp(verb, "ghost") == 0 ? app_ghost_name(arg, verb, i) : app_plot_name(arg, verb, i);
}

/* --- news --- */

static bool has_rows(const struct snapshot *snap) {
  return snap && snap->ghost && snap->ghost->nrows > 0;
}

static const char *error_of(const struct snapshot *snap) {
  return snap && snap->ghost ? snap->ghost->error : "";
}

bool app_take_ghost(struct app *app, const struct snapshot *old) {
  const char *error = error_of(app->snap);
  if (*error && strcmp(error, error_of(old)) != 0)
    app_log(app, true, "ghost: %s", error);
  return has_rows(app->snap) != has_rows(old) || (*error != 0) != (*error_of(old) != 0);
}
