/* Groups of episodes that the files hold (robomimic's filter keys). */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

static void list_groups(const struct catalog *catalog, char *out, size_t size) {
  size_t n = 0;
  snprintf(out, size, "%s", "");
  for (size_t i = 0; i < catalog->ngroups && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", catalog->group[i]);
}

static bool has_group(const struct catalog *catalog, const char *name) {
  for (size_t i = 0; i < catalog->ngroups; i++)
    if (strcmp(catalog->group[i], name) == 0)
      return true;
  return false;
}

unsigned do_GROUP(struct app *app, int64_t count, const char *args) {
  char groups[200];
  (void)count;
  const struct catalog *catalog = app->snap ? app->snap->catalog : NULL;
  if (!catalog || catalog->ngroups == 0) {
    app_complain(app, "the file names no groups of episodes");
    return REACT_REDRAW;
  }
  list_groups(catalog, groups, sizeof groups);
  if (*args && !has_group(catalog, args)) {
    app_complain(app, "no group is called \"%s\"; there are: %s", args, groups);
    return REACT_REDRAW;
  }
  if (strcmp(app->want.group, args) == 0) {
    app_say(app, *args ? "the list is of that group" : "all are listed; groups: %s", groups);
    return REACT_REDRAW;
  }
  snprintf(app->want.group, sizeof app->want.group, "%s", args);
  app->cursor[PANEL_EPISODES] = app->scroll[PANEL_EPISODES] = 0;
  app->want.serial++;
  return REACT_REDRAW | REACT_SEEK;
}
