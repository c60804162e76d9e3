/* Where the playhead can go among many envs, and which of their lines are asked for. */
#include "envs.h"

#include <math.h>
#include <stdio.h>

#include "cmd.h"

const struct envs_answer *app_envs(const struct app *app) {
  bool on = app->want.envs.n > 0 && !app->want.live.on && app->snap && app->snap->reel;
  return on ? app->snap->envs : NULL;
}

const struct envs_answer *app_envs_here(const struct app *app) {
  const struct envs_answer *e = app_envs(app);
  const struct envs_wish *wish = &app->want.envs;
  bool here = e && e->ready && e->asked == wish->n && e->episode == app->want.episode &&
              e->align == wish->align && app_wanted_reel(app);
  return here ? e : NULL;
}

int64_t app_playhead(const struct app *app) {
  return app->want.step + app->want.envs.past;
}

int64_t app_end(const struct app *app) {
  const struct envs_answer *e = app_envs_here(app);
  int64_t last = app_last_step(app);
  if (!e)
    return last + app->want.envs.past; /* not known yet: where it is, it stays */
  if (app->want.envs.hold)
    return e->most > last ? e->most : last;
  return e->least < last ? e->least : last;
}

void app_end_text(const struct app *app, char *out, size_t size) {
  const struct envs_answer *e = app_envs_here(app);
  out[0] = 0;
  if (e && !app->want.envs.hold && e->least < e->most)
    snprintf(out, size, "%s ends at %lld; :envs hold on goes on to %lld", e->shortest,
             (long long)e->least, (long long)e->most);
}

/* Whether nothing has moved since another env was put on show. */
static bool is_walking(const struct app *app) {
  const struct envs_walk *walk = &app->walk;
  return walk->on && walk->here == app->want.episode && walk->at == app_playhead(app) &&
         walk->align == app->want.envs.align;
}

void app_clamp_envs(struct app *app) {
  int64_t end = app_end(app), at = app_playhead(app), last = app_last_step(app);
  char why[160];
  if (!app_envs_here(app) || at <= end)
    return;
  if (is_walking(app))
    app->walk.at = end; /* nobody moved */
  app->want.step = end < last ? end : last;
  app->want.envs.past = end - app->want.step;
  app->play_from = (double)end;
  app_follow_zoom(app);
  app_end_text(app, why, sizeof why);
  if (why[0])
    app_say(app, "lockstep: %s", why);
  else
    app_say(app, "%lld is the last step", (long long)end);
}

void app_take_envs(struct app *app) {
  const struct envs_answer *e = app_envs(app);
  if (!e || !e->ready || app->want.envs.first >= 0)
    return;
  app->want.envs.first = (int)e->first;
  app->cursor[PANEL_ENVS] = (int)e->lead;
  if (e->asked == app->want.envs.n && e->asked < PH_ENSEMBLE_MAX && e->n < (size_t)e->asked)
    app_say(app, "this round has %zu env%s, not %d", e->n, e->n == 1 ? "" : "s", e->asked);
}

/* --- lines --- */

/* The line of an episode, among those that are here. */
static const struct envs_line *line_of(const struct envs_answer *e, size_t episode) {
  for (size_t i = 0; e && i < e->lines; i++)
    if (e->line[i].episode == episode)
      return &e->line[i];
  return NULL;
}

/* Where the playhead is in the env of a line, `here` that of the one on show: unclamped. */
static int64_t walk_to(struct app *app, const struct envs_line *here,
                       const struct envs_line *line) {
  struct envs_walk *walk = &app->walk;
  if (!is_walking(app))
    *walk = (struct envs_walk){.on = true,
                               .align = app->want.envs.align,
                               .from = app->want.episode,
                               .began = app_playhead(app),
                               .rate = 1};
  bool back = line->episode == walk->from;
  walk->here = line->episode;
  walk->rate = back ? 1 : walk->rate * line->rate / here->rate;
  walk->shift = back ? 0 : walk->shift + line->shift - here->shift;
  return (int64_t)rint((double)walk->began * walk->rate) + walk->shift;
}

/* What says where the envs are to each other: another one of them may have led since. */
static const struct envs_answer *aligned(const struct app *app) {
  const struct envs_answer *e = app_envs(app);
  const struct envs_wish *wish = &app->want.envs;
  bool fits = e && e->ready && e->asked == wish->n && e->align == wish->align && !e->broadcast;
  return fits ? e : NULL;
}

unsigned app_open_env(struct app *app, size_t episode, int64_t step) {
  const struct envs_answer *e = aligned(app);
  const struct envs_line *line = line_of(e, episode), *here = line_of(e, app->want.episode);
  if (!line || line->states <= 0 || !here || !(here->rate > 0))
    return app_open(app, episode, step);
  int64_t at = walk_to(app, here, line), last = line->states - 1;
  int64_t own = at > last ? last : at < 0 ? 0 : at;
  unsigned react = app_open(app, episode, own);
  app->want.envs.past = at > last && app->want.envs.hold ? at - last : 0;
  app->cursor[PANEL_ENVS] = (int)(e->first + (size_t)(line - e->line));
  app->play_from = (double)app_playhead(app);
  app->walk.at = app_playhead(app);
  if (at < 0)
    app_say(app, "%s has not begun there: this is its step 0", app_episode_id(app));
  return react;
}

unsigned app_look_envs(struct app *app) {
  struct envs_wish *wish = &app->want.envs;
  int at = app->cursor[PANEL_ENVS], rows = app->layout.panel[PANEL_ENVS].h;
  int first = at - ENVS_ROWS / 2 > 0 ? at - ENVS_ROWS / 2 : 0;
  bool near = at - rows < wish->first && wish->first > 0;
  bool far = at + rows >= wish->first + ENVS_ROWS;
  if (wish->n <= 0 || first == wish->first || !(near || far))
    return REACT_REDRAW;
  wish->first = first;
  app->want.serial++;
  return REACT_REDRAW | REACT_SEEK;
}

unsigned app_enter_envs(struct app *app) {
  const struct envs_answer *e = app_envs_here(app);
  size_t at = (size_t)app->cursor[PANEL_ENVS];
  if (!e || at < e->first || at - e->first >= e->lines) {
    app_say(app, "the envs are still being opened");
    return REACT_REDRAW;
  }
  const struct envs_line *line = &e->line[at - e->first];
  if (e->broadcast || line->episode == app->want.episode) {
    app_say(app, e->broadcast ? "all of them are %s" : "%s is on show", line->id);
    return REACT_REDRAW;
  }
  return app_open_env(app, line->episode, app->want.step);
}
