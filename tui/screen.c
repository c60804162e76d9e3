#include "app.h"
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MS = 20 }; /* between two keys, on the clock of the picture */

static _Thread_local char error[400];
static _Thread_local bool refused;

bool screen_refused(void) {
  return refused;
}

const char *screen_error(void) {
  return error;
}

static ph_status fail(ph_status status, const char *text) {
  snprintf(error, sizeof error, "%s", text && *text ? text : ph_status_message(status));
  return status;
}

static ph_status serve(struct app *app, struct session *session) {
  struct snapshot *snap = NULL;
  ph_status status = session_serve(session, &app->want, &snap);
  if (status != PH_OK)
    return fail(status, NULL);
  app_take(app, snap);
  return PH_OK;
}

static ph_status press(struct app *app, struct session *session, uint32_t key, uint64_t *now) {
  *now += KEY_MS;
  unsigned react = app_key(app, key, *now);
  return react & REACT_SEEK ? serve(app, session) : PH_OK;
}

/* One word of --keys: a key's name, or digits with one at their end ("10n", "213Enter"). */
static ph_status press_word(struct app *app, struct session *session, const char *word,
                            uint64_t *now) {
  ph_status status = PH_OK;
  size_t digits = strspn(word, "0123456789");
  uint32_t last = word[digits] ? key_from_name(word + digits) : KEY_NONE_;
  if (word[digits] && last == KEY_NONE_) {
    char text[200];
    snprintf(text, sizeof text,
             "--keys: no key is called \"%.60s\"; names are n, Right, Enter, Space, "
             "C-l, F1 ...",
             word + digits);
    return fail(PH_EINVAL, text);
  }
  for (size_t i = 0; i < digits && status == PH_OK; i++)
    status = press(app, session, (unsigned char)word[i], now);
  return status == PH_OK && last != KEY_NONE_ ? press(app, session, last, now) : status;
}

static ph_status press_all(struct app *app, struct session *session, const char *keys) {
  uint64_t now = 1000;
  ph_status status = PH_OK;
  char *rest = NULL, *copy = strdup(keys);
  if (!copy)
    return fail(PH_ENOMEM, NULL);
  for (char *word = strtok_r(copy, " \t\n", &rest); word && status == PH_OK;
       word = strtok_r(NULL, " \t\n", &rest))
    status = press_word(app, session, word, &now);
  free(copy);
  return status;
}

/* The first path where Q left, and its episode of that name. */
static void begin_where_left(struct app *app) {
  const struct catalog *catalog = app->snap->catalog;
  for (size_t i = 0; i < catalog->n; i++) {
    const ph_marks *marks = app_marks(app, i);
    if (!marks->last.set || strcmp(marks->last.episode, catalog->entry[i].id) != 0)
      continue;
    app->want.episode = i;
    app->want.step = marks->last.step;
    return;
  }
}

ph_status view_begin(struct app *app, const struct session *session, const struct view_options *opt,
                     char *text, size_t size) {
  struct snapshot *first = session_first(session);
  if (!first) {
    snprintf(text, size, "%s", ph_status_message(PH_ENOMEM));
    return PH_ENOMEM;
  }
  app->ascii = opt->term.ascii;
  app->scheme = opt->term.scheme;
  app_take(app, first);
  if (!app_load_marks(app, opt->session.paths, opt->session.npaths)) {
    snprintf(text, size, "%s", ph_status_message(PH_ENOMEM));
    return PH_ENOMEM;
  }
  const char *id = opt->episode;
  if (!id && opt->step < 0)
    begin_where_left(app);
  if (id) {
    app->want.episode = session_find(session, id);
    if (app->want.episode >= session_count(session)) {
      snprintf(text, size, "%s: no episode is called \"%.100s\"", first->catalog->path, id);
      return PH_ENOTFOUND;
    }
  }
  if (opt->step >= 0)
    app->want.step = opt->step;
  app->play_from = (double)app->want.step;
  return PH_OK;
}

static ph_status render(char **out, struct app *app, struct session *session, const char *keys,
                        bool color) {
  struct surface surface = {0};
  ph_status status = serve(app, session);
  if (status == PH_OK && keys)
    status = press_all(app, session, keys);
  if (status != PH_OK)
    return status;
  refused = app->snap->error[0] != 0;
  app_draw(app, &surface);
  *out = color ? surface_ansi(&surface, app->scheme) : surface_text(&surface);
  surface_free(&surface);
  return *out ? PH_OK : fail(PH_ENOMEM, NULL);
}

ph_status screen_render(char **out, const struct view_options *opt, int rows, int cols,
                        const char *keys, bool color) {
  struct session *session = NULL;
  struct app *app = malloc(sizeof *app);
  *out = NULL;
  error[0] = 0;
  refused = false;
  if (!app)
    return fail(PH_ENOMEM, NULL);
  app_init(app);
  app_resize(app, rows, cols);
  ph_status status = session_open(&session, &opt->session);
  if (status != PH_OK) {
    fail(status, status == PH_ENOMEM ? NULL : ph_error());
    goto out;
  }
  status = view_begin(app, session, opt, error, sizeof error);
  if (status == PH_OK)
    status = render(out, app, session, keys, color);
out:
  session_free(session);
  app_free(app);
  free(app);
  return status;
}
