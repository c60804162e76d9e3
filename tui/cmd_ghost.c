/* Another episode beside the one on show. */
#include <stdio.h>
#include <stdlib.h>
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

enum { MOST = 500 };

/* The id as it is in the episode's own file: several paths have a name in front. */
static const char *own_id(const struct catalog *catalog, size_t i) {
  const char *id = catalog_entry(catalog, i)->id, *colon = strrchr(id, ':');
  return catalog->nsources > 1 && colon ? colon + 1 : id;
}

static void list(struct app *app, const struct catalog *catalog, size_t n) {
  for (size_t k = 0; k < catalog->nsources && app->nghost_names < n; k++)
    snprintf(app->ghost_name[app->nghost_names++], APP_GHOST_NAME, "%.440s", catalog->source[k]);
  for (size_t i = 0; i < catalog->n && app->nghost_names < n; i++) {
    size_t source = catalog_source(catalog, i);
    if (source < catalog->nsources)
      snprintf(app->ghost_name[app->nghost_names++], APP_GHOST_NAME, "%.380s:%.60s",
               catalog->source[source], own_id(catalog, i));
  }
}

void app_list_ghosts(struct app *app) {
  const struct catalog *catalog = app->snap ? app->snap->catalog : NULL;
  bool typed = strncmp(app->prompt.text, "ghost ", 6) == 0;
  free(app->ghost_name);
  app->ghost_name = NULL;
  app->nghost_names = 0;
  if (!typed || !catalog)
    return;
  size_t n = catalog->nsources + catalog->n;
  n = n < MOST ? n : MOST;
  app->ghost_name = calloc(n + 1, sizeof *app->ghost_name);
  if (app->ghost_name)
    list(app, catalog, n);
}

const char *app_ghost_name(const void *arg, const char *verb, int i) {
  const struct app *app = arg;
  if (strcmp(verb, "ghost") != 0 || i < 0)
    return NULL;
  if (i == 0)
    return "off";
  return (size_t)i <= app->nghost_names ? app->ghost_name[i - 1] : NULL;
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
