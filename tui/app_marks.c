/* One sheet of marks and notes per file: two runs hold episodes of one name, so an id alone does
 * not say which of them is meant. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

/* Room for the marks of n paths; each that is new has an empty sheet of its own. */
static bool make_room(struct app *app, size_t n) {
  if (n <= app->nsources)
    return true;
  size_t more = n - app->nsources;
  ph_marks *sheet = realloc(app->sheet, (app->nsheets + more) * sizeof *sheet);
  if (sheet)
    app->sheet = sheet;
  size_t *sheet_of = realloc(app->sheet_of, n * sizeof *sheet_of);
  if (sheet_of)
    app->sheet_of = sheet_of;
  if (!sheet || !sheet_of)
    return false;
  memset(sheet + app->nsheets, 0, more * sizeof *sheet);
  for (size_t i = 0; i < more; i++)
    sheet_of[app->nsources + i] = app->nsheets + i;
  app->nsheets += more;
  app->nsources = n;
  return true;
}

void app_free_marks(struct app *app) {
  for (size_t i = 0; i < app->nsheets; i++)
    ph_marks_clear(&app->sheet[i]);
  free(app->sheet);
  free(app->sheet_of);
  app->sheet = NULL;
  app->sheet_of = NULL;
  app->nsheets = app->nsources = 0;
}

bool app_load_marks(struct app *app, const char *const *paths, size_t n) {
  app_free_marks(app);
  if (!make_room(app, n))
    return false;
  for (size_t i = 0; i < n; i++) {
    ph_marks *sheet = &app->sheet[i];
    if (ph_marks_load(sheet, paths[i]) != PH_OK)
      app_log(app, true, "%s", ph_error());
    for (size_t k = 0; k < i; k++)
      if (app->sheet_of[i] == i && strcmp(app->sheet[k].file, sheet->file) == 0)
        app->sheet_of[i] = app->sheet_of[k];
  }
  return true;
}

static size_t source_of(const struct app *app, size_t episode) {
  return episode < app_count(app) ? catalog_source(app->snap->catalog, episode) : 0;
}

const ph_marks *app_marks(const struct app *app, size_t episode) {
  static const ph_marks none;
  size_t source = source_of(app, episode);
  return source < app->nsources ? &app->sheet[app->sheet_of[source]] : &none;
}

ph_marks *app_own_marks(struct app *app) {
  size_t source = source_of(app, app->want.episode);
  return make_room(app, source + 1) ? &app->sheet[app->sheet_of[source]] : NULL;
}
