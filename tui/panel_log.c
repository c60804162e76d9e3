/* What has been said, newest first. */
#include "panel.h"

static int log_kept(const struct app *app) {
  return app->nlog < APP_LOG_LINES ? app->nlog : APP_LOG_LINES;
}

int panel_log_lines(const struct app *app) {
  return log_kept(app);
}

void panel_log_draw(struct surface *s, struct rect r, const struct app *app) {
  r = panel_frame(s, r, app, PANEL_LOG, "log, newest first", NULL);
  int kept = log_kept(app);
  if (r.h < 1)
    return;
  if (kept == 0)
    surface_put(s, r, 0, 1, STYLE_DIM, "nothing yet");
  int top = panel_top(app, PANEL_LOG, kept, r.h), cursor = panel_cursor(app, PANEL_LOG, kept);
  for (int y = 0; y < r.h && top + y < kept; y++) {
    int at = (app->nlog - 1 - top - y) % APP_LOG_LINES;
    surface_put(s, r, y, 1, STYLE_NORMAL, app->log[at]);
    if (top + y == cursor && app_active(app) == PANEL_LOG)
      surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
  }
}
