/* Playback: real time from control_dt, speed, direction, loops. app_tick turns time into steps; the
 * deadline is when the next step is due, at most one frame of 60 Hz apart. */
#include "cmd.h"
#include "envs.h"

#include <math.h>

#define FRAME_MS 16.0
#define SPEED_MIN 0.01
#define SPEED_MAX 100.0
#define STEP_UNKNOWN 0.02 /* [s] where the file does not say how long a step takes */

static double step_seconds(const struct app *app) {
  double dt = app_step_seconds(app);
  return dt > 0 ? dt : STEP_UNKNOWN;
}

/* Steps per ms, signed. */
static double rate(const struct app *app) {
  double steps = app->speed / step_seconds(app) / 1000;
  return app->backwards ? -steps : steps;
}

unsigned do_PLAY(struct app *app, int64_t count, const char *args) {
  unsigned react = REACT_REDRAW;
  int64_t end = app->backwards ? 0 : app_end(app);
  (void)count, (void)args;
  app->playing = !app->playing;
  app->tick_at = 0;
  app->play_from = (double)app_playhead(app);
  if (app->playing && app->want.live.on && !app->backwards && app_playhead(app) == end) {
    if (!app_live_runs(app))
      react |= app_live_go(app, end + 1); /* says why not */
    app->playing = app_live_runs(app);
  } else if (app->playing && app_playhead(app) == end)
    react |= app_go(app, app->backwards ? app_end(app) : 0, true);
  if (app->playing && app_step_seconds(app) <= 0 && app_wanted_reel(app))
    app_say(app, "how long a step takes is not known: playing 50 steps a second");
  return react;
}

static unsigned set_speed(struct app *app, double speed) {
  if (fabs(speed - 1) < 1e-6)
    speed = 1;
  app->speed = fmin(fmax(speed, SPEED_MIN), SPEED_MAX);
  app_say(app, "speed %.3gx", app->speed);
  return REACT_REDRAW;
}

static unsigned scale_speed(struct app *app, double factor, int64_t count) {
  double times = count > 0 ? fmin((double)count, 200) : 1;
  return set_speed(app, app->speed * pow(factor, times));
}

unsigned do_FASTER(struct app *app, int64_t count, const char *args) {
  (void)args;
  return scale_speed(app, 1.1, count);
}

unsigned do_SLOWER(struct app *app, int64_t count, const char *args) {
  (void)args;
  return scale_speed(app, 1 / 1.1, count);
}

unsigned do_DOUBLE(struct app *app, int64_t count, const char *args) {
  (void)args;
  return scale_speed(app, 2, count);
}

unsigned do_HALF(struct app *app, int64_t count, const char *args) {
  (void)args;
  return scale_speed(app, 0.5, count);
}

unsigned do_NORMAL_SPEED(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return set_speed(app, 1);
}

unsigned do_REVERSE(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  app->backwards = !app->backwards;
  app->play_from = (double)app_playhead(app);
  app->tick_at = 0;
  app_say(app, app->backwards ? "plays backwards" : "plays forwards");
  return REACT_REDRAW;
}

unsigned do_LOOP(struct app *app, int64_t count, const char *args) {
  int64_t at = app->want.step;
  (void)count, (void)args;
  if (app->loop_a < 0) {
    app->loop_a = at;
    app_say(app, "loop from %lld; l again sets its end", (long long)at);
  } else if (app->loop_b < 0 && at != app->loop_a) {
    app->loop_b = at > app->loop_a ? at : app->loop_a;
    app->loop_a = at > app->loop_a ? app->loop_a : at;
    app_say(app, "loop %lld to %lld; l again clears it", (long long)app->loop_a,
            (long long)app->loop_b);
  } else {
    app->loop_a = app->loop_b = -1;
    app_say(app, "no loop");
  }
  return REACT_REDRAW;
}

unsigned do_LOOP_ALL(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  app->loop_all = !app->loop_all;
  app_say(app, app->loop_all ? "the whole episode loops" : "playback stops at the end");
  return REACT_REDRAW;
}

/* Where playback turns round, and where it goes on from there. */
static void turn_points(const struct app *app, int64_t *turn, int64_t *start) {
  bool loop = app->loop_b >= 0;
  int64_t low = loop ? app->loop_a : 0, high = loop ? app->loop_b : app_end(app);
  if (!loop && !app->loop_all && app_live_runs(app))
    high = INT64_MAX / 4; /* it is made as it is played */
  *turn = app->backwards ? low : high;
  *start = app->backwards ? high : low;
}

static unsigned arrive(struct app *app, double at) {
  int64_t step = (int64_t)(app->backwards ? ceil(at) : floor(at));
  uint64_t tick_at = app->tick_at;
  unsigned react = step == app_playhead(app) ? 0 : app_go(app, step, false);
  app->tick_at = tick_at;
  app->play_from = at;
  return react;
}

/* At the turning point. A loop goes on when that state was on show for a step's time, however often
 * the loop wakes up meanwhile; else playback ends there. */
static unsigned turn_round(struct app *app, double at) {
  int64_t turn, start;
  turn_points(app, &turn, &start);
  bool loops = (app->loop_b >= 0 || app->loop_all) && start != turn;
  bool before = app->backwards ? app_playhead(app) > turn : app_playhead(app) < turn;
  bool stays = app->backwards ? at > (double)turn - 1 : at < (double)turn + 1;
  if (loops && (before || !stays))
    return arrive(app, (double)(before ? turn : start));
  if (!loops)
    app->playing = false;
  return loops ? arrive(app, at) : arrive(app, (double)turn) | REACT_REDRAW;
}

unsigned app_tick(struct app *app, uint64_t now_ms) {
  int64_t turn, start;
  if (!app->playing)
    return 0;
  if (!app_has_episode(app)) {
    app->playing = false;
    return REACT_REDRAW;
  }
  if (app->tick_at == 0 || now_ms < app->tick_at) {
    app->tick_at = now_ms ? now_ms : 1;
    return 0;
  }
  double ms = fmin((double)(now_ms - app->tick_at), 1000); /* asleep is not playing */
  app->tick_at = now_ms;
  turn_points(app, &turn, &start);
  double at = app->play_from + ms * rate(app);
  if (app_live_runs(app)) /* no further ahead of what there is than a quarter of a second */
    at = fmin(at, fmax(app->play_from, (double)app_shown_step(app) + fmax(1, rate(app) * 250)));
  bool past = app->backwards ? at <= (double)turn : at >= (double)turn;
  return past ? turn_round(app, at) : arrive(app, at);
}

uint64_t app_deadline(const struct app *app) {
  if (!app->playing)
    return UINT64_MAX;
  if (app->tick_at == 0)
    return 0;
  double next = app->backwards ? floor(app->play_from) : ceil(app->play_from);
  if (next == app->play_from)
    next += app->backwards ? -1 : 1;
  double ms = ceil((next - app->play_from) / rate(app));
  return app->tick_at + (uint64_t)fmin(fmax(ms, FRAME_MS), 1000);
}
