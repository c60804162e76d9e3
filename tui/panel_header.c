/* Which episode this is, how it ended, and what may be promised about it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "ghost_view.h"
#include "held_view.h"
#include "panel.h"
#include "strip.h"
#include "text.h"

enum { WHOLE_DETAIL = 30 }; /* bytes of a detail of the end that is shown whole or not at all */

/* Whether there is still somebody who records, where that is asked for. */
static void header_recorder(struct strip *strip, const struct app *app) {
  switch (app->snap->following) {
  case FOLLOW_NONE:
    return;
  case FOLLOW_WAIT:
    strip_add(strip, 2, STYLE_DIM, STRIP_BLANK, "followed");
    return;
  case FOLLOW_LIVE:
    strip_add(strip, 2, STYLE_WARN, STRIP_BLANK, "recording");
    return;
  case FOLLOW_DONE:
    strip_add(strip, 6, STYLE_DIM, STRIP_BLANK, "recorder done");
    return;
  case FOLLOW_BROKEN:
    strip_add(strip, 2, STYLE_BAD, STRIP_BLANK, "run lost");
    return;
  }
}

/* What the rate is taken from, in a word: "time" of a median of times, "control_freq" of
 * "env_args.env_kwargs.control_freq 20 Hz". */
static void rate_word(char *out, size_t size, const char *source) {
  bool times = strncmp(source, "median ", 7) == 0;
  size_t n = strcspn(source, " ;:"), from = n;
  while (from > 0 && source[from - 1] != '.')
    from--;
  snprintf(out, size, "%.*s", times ? 4 : (int)(n - from), times ? "time" : source + from);
}

/* "@50 Hz" and "(10 x 2 ms)" from what is known of them; of a file of another recorder "@50 Hz
 * (time), 10 x 2 ms". */
static void header_rate(struct strip *strip, const ph_episode_meta *meta) {
  char word[24];
  if (!(meta->control_dt > 0))
    return;
  bool substeps = meta->dims.control_steps > 0 && meta->timestep > 0;
  if (!meta->rate_source[0]) {
    strip_add(strip, 7, STYLE_NORMAL, STRIP_TIGHT, "@%.4g Hz", 1 / meta->control_dt);
    if (substeps)
      strip_add(strip, 9, STYLE_NORMAL, STRIP_TIGHT, "(%d x %.4g ms)", meta->dims.control_steps,
                meta->timestep * 1e3);
    return;
  }
  rate_word(word, sizeof word, meta->rate_source);
  strip_add(strip, 7, STYLE_NORMAL, STRIP_TIGHT, "@%.4g Hz (%s)", 1 / meta->control_dt, word);
  if (substeps)
    strip_add(strip, 10, STYLE_NORMAL, STRIP_GLUE, ", %d x %.4g ms", meta->dims.control_steps,
              meta->timestep * 1e3);
}

static void header_seconds(char *buf, size_t size, const ph_episode_meta *meta) {
  int64_t steps = meta->actions > 0 || meta->states < 1 ? meta->actions : meta->states - 1;
  double seconds = meta->control_dt * (double)steps;
  buf[0] = 0;
  if (meta->control_dt > 0)
    text_time(buf, size, seconds, seconds);
}

static enum style header_success_style(const ph_episode_meta *meta) {
  return meta->success == 1 ? STYLE_GOOD : meta->success == 0 ? STYLE_BAD : STYLE_NORMAL;
}

/* A live env's episode has no end yet, or one of this very minute. */
static void header_live(struct strip *strip, const struct app *app) {
  const struct live_answer *live = &app->snap->live;
  ph_drive drive = app->want.live.drive;
  bool none = drive == PH_DRIVE_POLICY && !live->has_policy;
  strip_add(strip, 2, STYLE_WARN, STRIP_BAR, "PREVIEW, nothing is recorded");
  strip_add(strip, 4, STYLE_NORMAL, STRIP_BAR, "acts: %s",
            none ? "zero (no policy)" : ph_drive_name(drive));
  int chosen = 0;
  for (int i = 0; i < LIVE_ELEMENTS; i++)
    chosen += app->want.live.set[i];
  if (chosen > 0)
    strip_add(strip, 4, STYLE_WARN, STRIP_TIGHT, "+ %d element%s by hand", chosen,
              chosen == 1 ? "" : "s");
}

static void header_end(struct strip *strip, const ph_episode_meta *meta) {
  const char *end = ph_end_name(meta->end_reason);
  strip_add(strip, 1, header_success_style(meta), STRIP_BAR, "ended: %s", end);
  if (meta->success >= 0 && (meta->success == 1) != (meta->end_reason == PH_END_SUCCESS))
    strip_add(strip, 3, header_success_style(meta), STRIP_TIGHT, "(success: %s)",
              meta->success ? "yes" : "no");
  if (meta->success_source[0])
    strip_add(strip, 11, STYLE_NORMAL, STRIP_TIGHT | STRIP_CUT, "by %s", meta->success_source);
  unsigned cut = strlen(meta->end_detail) > WHOLE_DETAIL ? STRIP_CUT : 0;
  if (meta->end_detail[0])
    strip_add(strip, 8, STYLE_NORMAL, STRIP_TIGHT | cut, "(%s)", meta->end_detail);
}

static void header_identity(struct strip *strip, const struct app *app, const struct reel *reel) {
  const ph_episode_meta *meta = &reel->meta;
  const char *task = reel->task_name[0] ? reel->task_name : meta->env_name;
  strip_add(strip, 4, STYLE_BOLD, STRIP_BLANK | STRIP_CUT, "%s", task);
  strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK, "%s", meta->id);
  if (app->snap->catalog && !reel->live)
    strip_add(strip, 2, STYLE_NORMAL, STRIP_BLANK, "%zu/%zu", reel->episode + 1,
              app->snap->catalog->n);
  header_recorder(strip, app);
  /* only of ours is there more than one env: elsewhere the rate says more */
  if (!reel->live)
    strip_add(strip, meta->layout[0] ? 13 : 5, STYLE_NORMAL, STRIP_BLANK, "env %d", meta->env_id);
  if (meta->layout[0])
    strip_add(strip, 9, STYLE_NORMAL, STRIP_BLANK, "%s", meta->layout);
  if (meta->seed[0])
    strip_add(strip, reel->live ? 2 : 10, STYLE_NORMAL, STRIP_BLANK, "seed %s", meta->seed);
}

static void header_first(struct surface *s, struct rect r, const struct app *app,
                         const struct reel *reel) {
  struct strip strip = {0};
  char seconds[48];
  const ph_episode_meta *meta = &reel->meta;
  header_seconds(seconds, sizeof seconds, meta);
  header_identity(&strip, app, reel);
  if (strcmp(meta->layout, "arrays") == 0)
    strip_add(&strip, 3, STYLE_NORMAL, STRIP_BAR, "%lld row%s, actions not interpreted",
              (long long)meta->states, meta->states == 1 ? "" : "s");
  else if (meta->actions == 0 && meta->states > 1)
    strip_add(&strip, 3, STYLE_NORMAL, STRIP_BAR, "%lld states, no actions",
              (long long)meta->states);
  else
    strip_add(&strip, 3, STYLE_NORMAL, STRIP_BAR, "%lld action%s", (long long)meta->actions,
              meta->actions == 1 ? "" : "s");
  strip_add(&strip, 6, STYLE_NORMAL, STRIP_BLANK, "%s", seconds);
  header_rate(&strip, meta);
  if (reel->running)
    strip_add(&strip, 1, STYLE_GOOD, STRIP_BAR, "live");
  else if (reel->live && meta->end_reason == PH_END_UNKNOWN)
    strip_add(&strip, 1, STYLE_BAD, STRIP_BAR, "stopped: an error");
  else
    header_end(&strip, meta);
  dyn_mode(&strip, app);
  if (meta->instruction[0])
    strip_add(&strip, 12, STYLE_NORMAL, STRIP_BAR | STRIP_CUT, "\"%s\"", meta->instruction);
  strip_draw(s, r, 0, 1, &strip);
}

/* Where success latched by the file's own predicate, in words. */
static void header_latch(struct strip *strip, const struct reel *reel) {
  const ph_episode_meta *meta = &reel->meta;
  if (!reel->predicate && !meta->task_sha256[0] && reel->task_note[0])
    return;
  if (!reel->predicate) {
    strip_add(strip, 1, STYLE_NORMAL, STRIP_BAR, "%s",
              meta->task_sha256[0] ? "latch: not recorded" : "no task: nothing was judged");
    return;
  }
  if (reel->latch >= 0)
    strip_add(strip, 1, STYLE_GOOD, STRIP_BAR, "latch: %s%lld",
              reel->live     ? ""
              : reel->judged ? "judged "
                             : "recorded ",
              (long long)reel->latch);
  else if (reel->live)
    strip_add(strip, 1, reel->running ? STYLE_NORMAL : STYLE_BAD, STRIP_BAR, "latch: %s",
              reel->running ? "not yet" : "NEVER");
  else if (reel->late)
    strip_add(strip, 1, STYLE_GOOD, STRIP_BAR, "succeeds at %lld, after the last stored state",
              (long long)reel->states);
  else
    strip_add(strip, 1, STYLE_BAD, STRIP_BAR, "latch: %s NEVER",
              reel->judged ? "judged" : "recorded");
}

static void header_hold(struct strip *strip, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const ph_episode_meta *meta = &reel->meta;
  if (held_unsaved(app))
    held_header(strip, app);
  else if (reel->predicate && meta->control_dt > 0 && panel_has_hold(reel))
    strip_add(strip, 5, STYLE_NORMAL, STRIP_TIGHT, "(hold %lld steps = %.4g s)",
              (long long)reel->hold_steps, (double)reel->hold_steps * meta->control_dt);
}

static void header_promise(struct strip *strip, const struct app *app) {
  const struct reel *reel = app_reel(app);
  bool unsaved = held_unsaved(app); /* which comes before it */
  enum style style = reel->guarantee == PH_EXACT ? STYLE_GOOD : STYLE_WARN;
  strip_add(strip, unsaved ? 3 : 2, style, STRIP_BAR, "promised %s",
            ph_guarantee_name(reel->guarantee));
  if (reel->reason[0])
    strip_add(strip, unsaved ? 9 : 3, style, STRIP_GLUE | STRIP_CUT, ": %s", reel->reason);
}

/* "20 Hz: median of the time column": what the rate was taken from. */
static void header_source(struct strip *strip, const struct reel *reel) {
  const ph_episode_meta *meta = &reel->meta;
  if (!meta->rate_source[0])
    return;
  if (meta->control_dt > 0)
    strip_add(strip, 6, STYLE_NORMAL, STRIP_BAR | STRIP_CUT, "%.4g Hz: %s", 1 / meta->control_dt,
              meta->rate_source);
  else
    strip_add(strip, 6, STYLE_NORMAL, STRIP_BAR | STRIP_CUT, "%s", meta->rate_source);
}

/* Findings that have no room on the screen are counted. */
static void header_findings(struct strip *strip, const struct app *app) {
  const struct rect *place = &app->layout.panel[PANEL_FINDINGS];
  char key[32];
  size_t n = app_finding_count(app);
  if (n == 0 || (place->h > 0 && place->w > 0))
    return;
  keymap_key(&app->keys, CMD_PANEL_NEXT, key, sizeof key);
  strip_add(strip, 1, STYLE_WARN, STRIP_BAR, "%zu finding%s%s%s", n, n == 1 ? "" : "s",
            key[0] ? ": " : "", key);
}

/* "no model: 22 files of the model cannot be had: --assets DIR ...": the cure stands at its end,
 * where a promise is cut. */
static bool header_cure(struct strip *strip, const struct reel *reel) {
  if (!reel->raw || !strstr(reel->model_note, "--missing-assets"))
    return false;
  const char *files = strstr(reel->model_note, " file");
  while (files && files > reel->model_note && files[-1] >= '0' && files[-1] <= '9')
    files--;
  int n = files ? (int)strspn(files, "0123456789") : 0;
  if (n > 0 && strncmp(files, "1 ", 2) != 0)
    strip_add(strip, 0, STYLE_WARN, STRIP_BLANK, "! model not loaded: %.*s files are missing", n,
              files);
  else
    strip_add(strip, 0, STYLE_WARN, STRIP_BLANK, "! model not loaded: a file is missing");
  strip_add(strip, 0, STYLE_WARN, STRIP_GLUE, ": give --assets DIR, or --missing-assets drop");
  return true;
}

/* Notes without rows of their own: what is wrong comes before latch and promise, which are shown
 * only if the notes fit whole. */
static bool header_warn(struct strip *strip, const char *const *notes, int n, int width) {
  int need = 0;
  for (int i = 0; i < n; i++)
    need += text_width(notes[i], 1 << 20, NULL) + 5;
  bool whole = need <= width;
  for (int i = 0; i < n; i++)
    strip_add(strip, 0, STYLE_WARN, STRIP_BAR | (whole ? 0u : STRIP_CUT), "! %s", notes[i]);
  return whole;
}

static void header_notes(struct surface *s, struct rect r, const struct app *app,
                         const struct reel *reel) {
  const char *notes[PANEL_NOTES];
  int n = panel_notes(app, notes);
  struct strip strip = {0};
  bool ghost = ghost_wanted(app) && r.h >= 3;
  bool own_rows = r.h - ghost >= 2 + n;
  if (own_rows || header_warn(&strip, notes, n, r.w)) {
    dyn_verdict(&strip, app);
    if (!header_cure(&strip, reel)) {
      header_latch(&strip, reel);
      dyn_latch(&strip, app);
      header_hold(&strip, app);
      dyn_broke(&strip, app);
    }
    if (reel->live)
      header_live(&strip, app);
    else
      header_promise(&strip, app);
    header_source(&strip, reel);
  }
  header_findings(&strip, app);
  if (!ghost)
    ghost_verdict(&strip, app, false);
  strip_draw(s, r, 1, 1, &strip);
  if (ghost) {
    struct strip line = {0};
    ghost_verdict(&line, app, true);
    strip_draw(s, r, r.h - 1, 1, &line);
  }
  for (int i = 0; i < n && own_rows; i++) {
    struct strip line = {0};
    strip_add(&line, 0, STYLE_WARN, STRIP_BLANK, "! %s", notes[i]);
    strip_draw(s, r, 2 + i, 1, &line);
  }
}

/* What an episode that is being opened waits for; seconds once there are some. */
static void header_waiting(struct strip *strip, const struct waiting *waiting) {
  const char *what = !waiting->on     ? "its data and its model are read"
                     : waiting->judge ? "a command judges its states"
                     : waiting->model ? "its model is loaded and compiled"
                                      : "its file is being opened";
  if (waiting->on && waiting->seconds > 0)
    strip_add(strip, 0, STYLE_DIM, STRIP_BLANK, "%s (%d s)", what, waiting->seconds);
  else
    strip_add(strip, 0, STYLE_DIM, STRIP_BLANK, "%s", what);
}

static void header_unopened(struct strip *strip, const struct app *app,
                            const struct catalog *catalog) {
  const char *id = catalog_entry(catalog, app->want.episode)->id;
  if (app->want.live.on) {
    strip_add(strip, 0, panel_opening(app) ? STYLE_WARN : STYLE_BAD, STRIP_BLANK,
              panel_opening(app) ? "seed %llu ..." : "no episode of seed %llu",
              (unsigned long long)app->want.live.seed);
    strip_add(strip, 1, STYLE_NORMAL, STRIP_BLANK, "%s", catalog->path);
    return;
  }
  if (panel_opening(app))
    strip_add(strip, 0, STYLE_WARN, STRIP_BLANK, "opening %s ...", id);
  else
    strip_add(strip, 0, STYLE_BAD, STRIP_BLANK, "%s does not open", id);
  strip_add(strip, 1, STYLE_NORMAL, STRIP_BLANK, "%zu/%zu", app->want.episode + 1, catalog->n);
  strip_add(strip, 2, STYLE_NORMAL, STRIP_BLANK, "%s",
            catalog_entry(catalog, app->want.episode)->file);
}

/* Without an episode: what is wrong, in words. */
static void header_nothing(struct surface *s, struct rect r, const struct app *app) {
  const struct snapshot *snap = app->snap;
  const struct catalog *catalog = snap ? snap->catalog : NULL;
  struct strip first = {0}, second = {0};
  if (!snap) {
    strip_add(&first, 0, STYLE_BOLD, STRIP_BLANK, "opening ...");
  } else if (!catalog || catalog->n == 0) {
    bool waits = snap->following == FOLLOW_LIVE || snap->following == FOLLOW_WAIT;
    strip_add(&first, 0, STYLE_BOLD, STRIP_BLANK,
              waits ? "no episode yet; waiting" : "there are no episodes");
    strip_add(&first, 1, STYLE_NORMAL, STRIP_BLANK, "in %s", catalog ? catalog->path : "the path");
    header_recorder(&first, app);
  } else if (app_has_episode(app)) {
    header_unopened(&first, app, catalog);
  }
  strip_draw(s, r, 0, 1, &first);
  if (snap && panel_opening(app))
    header_waiting(&second, &app->waiting);
  else if (snap)
    strip_add(&second, 0, STYLE_BAD, STRIP_BLANK, "%s", snap->error[0] ? snap->error : snap->lost);
  strip_draw(s, r, 1, 1, &second);
}

void panel_header_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  if (!reel) {
    header_nothing(s, r, app);
  } else {
    header_first(s, r, app, reel);
    if (app->snap->error[0] && r.h >= 2) {
      struct strip error = {0};
      strip_add(&error, 0, STYLE_BAD, STRIP_BLANK, "%s", app->snap->error);
      strip_draw(s, r, 1, 1, &error);
    } else if (r.h >= 2) {
      header_notes(s, r, app, reel);
    }
  }
}
