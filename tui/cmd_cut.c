/* The dataset on show, cut where success latches by the hold in force: first what it would come to,
 * then, when that is confirmed, in the background into a new file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "held_view.h"

/* What a cut would do, once it is known. */
static void preview(struct app *app) {
  const struct cut_plan *p = &app_held(app)->plan;
  char hold[32];
  held_seconds(hold, sizeof hold, app_held(app)->count.dt, app_held(app)->count.steps[1]);
  if (p->kept == 0 && !p->known && p->why[0])
    app_complain(app, "cut: nothing would be left: %s", p->why);
  else if (p->kept == 0)
    app_complain(app, "cut: by %s at a hold of %s none of %zu episodes latches",
                 ph_latch_source_name(p->by), hold, p->dropped);
  else
    app_say(app, ":cut! writes %zu of %zu by %s at %s into %s", p->kept, p->kept + p->dropped,
            ph_latch_source_name(p->by), hold, app->cut_out);
}

static bool is_ready(const struct app *app) {
  const struct held_answer *h = app_held(app);
  return h && app_wanted_reel(app) && h->count.on && h->plan.ready &&
         h->plan.asked == app->want.count_by;
}

/* Where it is to go, the name as given or the default one. False: complained. */
static bool name_output(struct app *app, const char *file) {
  const char *slash = strrchr(file, '/');
  size_t most = sizeof app->cut_out - 1, name = strlen(slash ? slash + 1 : file);
  if (strlen(file) > most || name > NAME_MAX) {
    app_complain(app, "cut: the name has more than %zu bytes",
                 name > NAME_MAX ? (size_t)NAME_MAX : most);
    return false;
  }
  snprintf(app->cut_out, sizeof app->cut_out, "%s", file);
  app->cut_named = *file != 0;
  return true;
}

/* "FILE SOURCE": how long the file's name is; *by: the source. */
static size_t name_length(const char *args, enum count_by *by) {
  size_t n = strlen(args);
  *by = COUNT_STRICTEST;
  for (int i = COUNT_RECORDED; i <= COUNT_DYNAMIC; i++) {
    const char *word = count_by_name((enum count_by)i);
    size_t w = strlen(word);
    if (n < w || strcmp(args + n - w, word) != 0 || (n > w && args[n - w - 1] != ' '))
      continue;
    *by = (enum count_by)i;
    for (n -= w; n > 0 && args[n - 1] == ' ';)
      n--;
    break;
  }
  return n;
}

static bool take_default_name(struct app *app) {
  if (!app->cut_named)
    snprintf(app->cut_out, sizeof app->cut_out, "%s", app_held(app)->plan.out);
  return app->cut_out[0] != 0;
}

/* Whether it can be written there; else complained, and there is nothing to confirm. */
static bool check_name(struct app *app) {
  if (!take_default_name(app))
    app_complain(app, "cut: the default name is too long: :cut FILE");
  else if (ph_cut_check_out(app->cut_out, app_held(app)->plan.source) != PH_OK)
    app_complain(app, "cut: %s", ph_error());
  else
    return true;
  app->cut_shown = false;
  return false;
}

static void show(struct app *app) {
  if (check_name(app))
    preview(app);
}

static unsigned propose(struct app *app, const char *args) {
  char file[PROMPT_SIZE];
  enum count_by by;
  snprintf(file, sizeof file, "%.*s", (int)name_length(args, &by), args);
  if (!name_output(app, file))
    return REACT_REDRAW;
  bool other = app->want.count_by != by || !app->want.hold.count;
  app->want.count_by = by;
  app->want.hold.count = true;
  app->cut_shown = true;
  app->cursor[PANEL_SUCCESS] = app->scroll[PANEL_SUCCESS] = 0;
  app->cut_waits = other || !is_ready(app);
  if (app->cut_waits) {
    app->want.serial++;
    app_say(app, "cut: its episodes are looked at first");
  } else {
    show(app);
  }
  return REACT_REDRAW | REACT_RELAYOUT | (app->cut_waits ? REACT_SEEK : 0);
}

static unsigned confirm(struct app *app, const char *file) {
  if (!app->cut_shown || app->cut_waits || !is_ready(app)) {
    if (app->cut_shown)
      app_complain(app, "cut: its episodes are still being looked at");
    else
      app_complain(app, "cut!: first :cut%s%s shows what it would do", *file ? " " : "", file);
    return REACT_REDRAW;
  }
  const struct held_answer *h = app_held(app);
  if ((*file && !name_output(app, file)) || !check_name(app))
    return REACT_REDRAW | REACT_RELAYOUT;
  if (h->plan.kept == 0) {
    preview(app);
    return REACT_REDRAW;
  }
  struct cut_wish *wish = &app->want.cut;
  wish->serial++;
  wish->episode = app->want.episode;
  wish->hold = app->want.hold;
  wish->by = h->plan.by;
  snprintf(wish->out, sizeof wish->out, "%s", app->cut_out);
  app->cut_shown = false;
  app->want.serial++;
  app_say(app, "cutting into %s", wish->out);
  return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

unsigned do_CUT(struct app *app, int64_t count, const char *args) {
  (void)count;
  if (app->want.live.on) {
    app_complain(app, "cut: not in a preview: nothing is recorded");
    return REACT_REDRAW;
  }
  if (*args != '!')
    return propose(app, args);
  return confirm(app, args + 1 + strspn(args + 1, " "));
}

const char *app_cutting(const struct app *app) {
  const struct held_answer *h = app_held(app);
  bool asked = app->want.cut.serial > 0 && !(h && h->cuts >= app->want.cut.serial);
  return asked && app->want.cut.dropped != app->want.cut.serial ? app->want.cut.out : NULL;
}

bool app_lapse_cut(struct app *app) {
  bool shown = app->cut_shown;
  app->cut_shown = app->cut_waits = false;
  return shown;
}

void app_leave_cut(struct app *app, size_t episode) {
  const struct catalog *c = app->snap ? app->snap->catalog : NULL;
  if (!c || episode >= c->n || app->want.episode >= c->n ||
      catalog_source(c, episode) == catalog_source(c, app->want.episode))
    return;
  if (app_lapse_cut(app))
    app_say(app, "of another path: :cut shows it anew");
}

bool app_drop_cut(struct app *app) {
  struct cut_wish *wish = &app->want.cut;
  if (app->cut_shown) {
    app->cut_shown = app->cut_waits = false;
    app_say(app, "nothing is cut");
    return true;
  }
  if (!app_cutting(app))
    return false;
  wish->dropped = wish->serial;
  app->want.serial++;
  app_say(app, "giving up: %s", wish->out);
  return true;
}

void app_take_cut(struct app *app, uint64_t cuts) {
  const struct held_answer *h = app_held(app);
  if (h && app->cut_waits && is_ready(app)) {
    app->cut_waits = false;
    show(app);
  }
  if (h && h->cuts > cuts)
    app_log(app, h->cut_failed, "%s", h->cut);
}
