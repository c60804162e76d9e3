/* The list of episodes under its filter. The places that pass are kept, so that a line costs
 * nothing however many episodes there are; they are found anew when filter or catalog change. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool app_filter_match(const struct app *app, enum panel_id panel, const char *text) {
  return !app->filter[panel][0] || strcasestr(text, app->filter[panel]);
}

const char *app_success_word(const ph_entry *entry) {
  return entry->success == 1 ? "yes" : entry->success == 0 ? "NO" : "-";
}

static bool episode_matches(const struct app *app, const ph_entry *entry) {
  char text[sizeof *entry];
  snprintf(text, sizeof text, "%s  env %d  %s  %s  %s  %s", entry->id, entry->env_id,
           ph_end_name(entry->end_reason), app_success_word(entry), entry->determinism,
           entry->oddity);
  return app_filter_match(app, PANEL_EPISODES, text);
}

const struct group *app_group(const struct app *app) {
  const struct group *group = app->snap ? app->snap->group : NULL;
  return group && strcmp(group->name, app->want.group) == 0 ? group : NULL;
}

/* Whether the list is of some episodes only: those are kept. */
static bool is_part(const struct app *app) {
  return app->filter[PANEL_EPISODES][0] || app_group(app);
}

void app_refilter(struct app *app) {
  const struct group *group = app_group(app);
  size_t n = group ? group->n : app_count(app);
  bool filter = app->filter[PANEL_EPISODES][0] != 0;
  snprintf(app->passed_filter, sizeof app->passed_filter, "%s", app->filter[PANEL_EPISODES]);
  snprintf(app->passed_group, sizeof app->passed_group, "%s", group ? group->name : "");
  free(app->passed);
  app->passed = NULL;
  app->npassed = 0;
  if (n == 0 || !is_part(app))
    return;
  app->passed = malloc(n * sizeof *app->passed);
  if (!app->passed) {
    app_log(app, true, "filter: out of memory");
    return;
  }
  app->entries_read += filter ? n : 0;
  for (size_t i = 0; i < n; i++) {
    size_t at = group ? group->place[i] : i;
    if (at < app_count(app) &&
        (!filter || episode_matches(app, catalog_entry(app->snap->catalog, at))))
      app->passed[app->npassed++] = at;
  }
}

void app_refilter_if_changed(struct app *app) {
  const struct group *group = app_group(app);
  if (strcmp(app->passed_filter, app->filter[PANEL_EPISODES]) != 0 ||
      strcmp(app->passed_group, group ? group->name : "") != 0)
    app_refilter(app);
}

int app_episode_lines(const struct app *app) {
  return (int)(is_part(app) ? app->npassed : app_count(app));
}

size_t app_episode_at(const struct app *app, int line) {
  if (line < 0 || line >= app_episode_lines(app))
    return SIZE_MAX;
  return is_part(app) ? app->passed[line] : (size_t)line;
}

void app_show_episode(struct app *app) {
  int low = 0, high = app_episode_lines(app);
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (app_episode_at(app, middle) < app->want.episode)
      low = middle + 1;
    else
      high = middle;
  }
  if (app_episode_at(app, low) == app->want.episode)
    app->cursor[PANEL_EPISODES] = low;
}
