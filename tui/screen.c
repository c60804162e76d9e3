#include "app.h"
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MS = 20, LOOKS = 64 }; /* between two keys, on the clock of the picture */

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

/* Where many envs are asked for: whether they are still being opened. The next key may ask where
 * they end. */
static bool opens_envs(const struct app *app) {
  const struct envs_answer *e = app->snap ? app->snap->envs : NULL;
  return app->want.envs.n > 0 && e && !e->ready && !e->refused[0];
}

static ph_status serve(struct app *app, struct session *session) {
  struct snapshot *snap = NULL;
  ph_status status = session_serve(session, &app->want, &snap);
  if (status != PH_OK)
    return fail(status, NULL);
  app_take(app, snap);
  while ((app->want.live.on || opens_envs(app)) && session_work(session, NULL, NULL, &snap))
    if (snap)
      app_take(app, snap);
  return PH_OK;
}

/* What would fill in behind on a terminal: all plots, and the lengths of some episodes. */
static ph_status settle(struct app *app, struct session *session) {
  struct snapshot *snap = NULL;
  ph_status status = session_settle(session, LOOKS, &snap);
  if (status != PH_OK)
    return fail(status, NULL);
  if (snap)
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

/* "train, valid" */
static void list_groups(const struct catalog *catalog, char *out, size_t size) {
  size_t n = 0;
  snprintf(out, size, "%s", catalog->ngroups ? "" : "it has none");
  for (size_t i = 0; i < catalog->ngroups && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", catalog->group[i]);
}

/* Begins with the episodes of one group. */
static ph_status begin_in_group(struct app *app, const struct session *session, const char *name,
                                char *text, size_t size) {
  const struct catalog *catalog = app->snap->catalog;
  size_t first = session_group_first(session, name);
  char groups[200];
  if (first == SIZE_MAX) {
    list_groups(catalog, groups, sizeof groups);
    snprintf(text, size, "%.120s: no group with episodes is called \"%.60s\"; groups: %s",
             catalog->path, name, groups);
    return PH_ENOTFOUND;
  }
  snprintf(app->want.group, sizeof app->want.group, "%s", name);
  app->want.episode = first;
  return PH_OK;
}

/* The first path where Q left, and its episode of that name. */
static void begin_where_left(struct app *app) {
  const struct catalog *catalog = app->snap->catalog;
  for (size_t i = 0; i < catalog->n; i++) {
    const ph_marks *marks = app_marks(app, i);
    if (!marks->last.set || strcmp(marks->last.episode, catalog_entry(catalog, i)->id) != 0)
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
  app->want.live.on = opt->session.live;
  app->want.live.seed = opt->seed;
  app->want.dyn.mode = opt->mode;
  app->want.envs.n = opt->envs;
  app->want.envs.first = -1;
  app->want.dyn.tolerance = opt->tolerance;
  app->want.hold = opt->hold;
  if (opt->ghost && strlen(opt->ghost) >= sizeof app->want.ghost.path) {
    snprintf(text, size, "--ghost: more than %zu bytes", sizeof app->want.ghost.path - 1);
    snapshot_free(first);
    return PH_EINVAL;
  }
  snprintf(app->want.ghost.path, sizeof app->want.ghost.path, "%s", opt->ghost ? opt->ghost : "");
  app->want.ghost.serial = opt->ghost != NULL;
  app_take(app, first);
  if (!app_load_marks(app, opt->session.paths, opt->session.live ? 0 : opt->session.npaths)) {
    snprintf(text, size, "%s", ph_status_message(PH_ENOMEM));
    return PH_ENOMEM;
  }
  const char *id = opt->episode, *group = opt->session.group;
  const char *other = opt->follow ? session_no_run(session) : NULL;
  if (other) {
    snprintf(text, size,
             "%.250s: --follow: it is no folder of a run: only a recording adds episodes", other);
    return PH_EINVAL;
  }
  app->want.follow = opt->follow;
  if (group) {
    ph_status status = begin_in_group(app, session, group, text, size);
    if (status != PH_OK)
      return status;
  }
  if (!id && !group && opt->step < 0)
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
  if (status == PH_OK)
    status = settle(app, session);
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
