/* What is worth a person's attention in this episode: a mark, the step where it has one, and a
 * sentence. */
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "panel.h"
#include "text.h"

static const struct {
  const char *glyph, *word;
  enum style style;
} looks[PH_FINDING_COUNT] = {
    [PH_FINDING_DIVERGENCE] = {"!", "left", STYLE_BAD},
    [PH_FINDING_DIAGNOSIS] = {"?", "why", STYLE_WARN},
    [PH_FINDING_STOPPED] = {"✗", "stopped", STYLE_BAD},
    [PH_FINDING_DISAGREEMENT] = {"≠", "disagree", STYLE_BAD},
    [PH_FINDING_ODDITY] = {"!", "odd", STYLE_BAD},
    [PH_FINDING_MISSING] = {"-", "missing", STYLE_WARN},
    [PH_FINDING_LATCH] = {"◆", "latch", STYLE_LATCH},
    [PH_FINDING_NEAR_MISS] = {"~", "near miss", STYLE_WARN},
    [PH_FINDING_CLIPPED] = {"c", "clipped", STYLE_EVENT},
    [PH_FINDING_WARNED] = {"w", "warned", STYLE_BAD},
    [PH_FINDING_MENDED] = {"+", "mended", STYLE_NORMAL},
};

enum { INDENT = 3 };

const char *panel_finding_mark(ph_finding_kind kind, enum style *style) {
  unsigned i = (unsigned)kind < PH_FINDING_COUNT ? kind : PH_FINDING_ODDITY;
  *style = looks[i].style;
  return looks[i].glyph;
}

const char *panel_finding_word(ph_finding_kind kind) {
  return looks[(unsigned)kind < PH_FINDING_COUNT ? kind : PH_FINDING_ODDITY].word;
}

static bool finding_shows(const struct app *app, const ph_finding *finding) {
  return app_filter_match(app, PANEL_FINDINGS, finding->text);
}

int panel_findings_lines(const struct app *app) {
  size_t all = app_finding_count(app);
  int n = 0;
  for (size_t i = 0; i < all; i++)
    n += finding_shows(app, app_finding(app, i));
  return n;
}

const ph_finding *panel_findings_at(const struct app *app, int line) {
  size_t all = app_finding_count(app);
  for (size_t i = 0; i < all; i++) {
    const ph_finding *finding = app_finding(app, i);
    if (finding_shows(app, finding) && line-- == 0)
      return finding;
  }
  return NULL;
}

/* "!213 the sentence", as it is wrapped. */
static void finding_text(char *buf, size_t size, const ph_finding *finding) {
  if (finding->step >= 0)
    snprintf(buf, size, "%lld: %s", (long long)finding->step, finding->text);
  else
    snprintf(buf, size, "%s", finding->text);
}

static struct rect text_rect(struct rect r) {
  return (struct rect){r.y, r.x + INDENT - 1, r.h, r.w - INDENT + 1};
}

static int finding_rows(const ph_finding *finding, int width) {
  char text[400];
  finding_text(text, sizeof text, finding);
  int rows = panel_wrap_rows(text, width - INDENT + 1);
  return rows > 0 ? rows : 1;
}

/* The first finding to show so that the cursor's is whole, or begins at the top. */
static int findings_top(const struct app *app, int lines, struct rect r) {
  int top = panel_cursor(app, PANEL_FINDINGS, lines);
  int rows = finding_rows(panel_findings_at(app, top), r.w);
  while (top > 0) {
    rows += finding_rows(panel_findings_at(app, top - 1), r.w);
    if (rows > r.h)
      break;
    top--;
  }
  return top;
}

static bool findings_fit(const struct app *app, int lines, struct rect r) {
  int rows = 0;
  for (int i = 0; i < lines && rows <= r.h; i++)
    rows += finding_rows(panel_findings_at(app, i), r.w);
  return rows <= r.h;
}

/* "findings: 3 (2 ! odd, 1 + mended)": what the marks mean. */
static void findings_counts(char *buf, size_t size, const struct app *app) {
  size_t count[PH_FINDING_COUNT] = {0}, told = 0, all = app_finding_count(app);
  size_t n = (size_t)snprintf(buf, size, "findings: %zu", all);
  for (size_t i = 0; i < all; i++) {
    unsigned kind = app_finding(app, i)->kind;
    count[kind < PH_FINDING_COUNT ? kind : PH_FINDING_ODDITY]++;
  }
  for (int i = 0; i < PH_FINDING_COUNT && n < size; i++) {
    char number[24] = "";
    if (count[i] == 0)
      continue;
    if (count[i] < all)
      snprintf(number, sizeof number, "%zu ", count[i]);
    n += (size_t)snprintf(buf + n, size - n, "%s%s%s %s", told++ ? ", " : " (", number,
                          looks[i].glyph, looks[i].word);
  }
  if (told && n + 1 < size)
    snprintf(buf + n, size - n, ")");
}

static void findings_title(char *buf, size_t size, const struct app *app, int lines) {
  const struct reel *reel = app_reel(app);
  const char *filter = app->filter[PANEL_FINDINGS];
  if (!reel)
    snprintf(buf, size, "findings");
  else if (filter[0])
    snprintf(buf, size, "findings: %d of %zu with \"%s\"", lines, app_finding_count(app), filter);
  else
    findings_counts(buf, size, app);
}

static void findings_keys(char *buf, size_t size, const struct app *app) {
  static const struct {
    enum command cmd;
    const char *word;
  } keys[] = {{CMD_EVENT_NEXT, "next"}, {CMD_EVENT_PREVIOUS, "previous"}, {CMD_ENTER, "go"}};
  size_t n = 0;
  buf[0] = 0;
  for (size_t i = 0; i < sizeof keys / sizeof *keys && n < size; i++) {
    char key[32];
    if (*keymap_key(&app->keys, keys[i].cmd, key, sizeof key))
      n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? "  " : "", key, keys[i].word);
  }
}

/* One finding from row y on; returns its rows. */
static int finding_draw(struct surface *s, struct rect r, int y, const ph_finding *finding,
                        bool here) {
  enum style style;
  const char *glyph = panel_finding_mark(finding->kind, &style);
  int rows = finding_rows(finding, r.w), room = r.h - y;
  char text[400];
  finding_text(text, sizeof text, finding);
  surface_put(s, r, y, 1, style, glyph);
  panel_wrap(s, text_rect(r), y, style, text);
  if (rows > room)
    surface_put(s, r, r.h - 1, r.w - 1, style, "…");
  if (here) {
    surface_put(s, r, y, 0, STYLE_BOLD, ">");
    surface_style(s, (struct rect){r.y + y, r.x, rows < room ? rows : room, r.w}, STYLE_SELECTED);
  }
  return rows;
}

void panel_findings_draw(struct surface *s, struct rect r, const struct app *app) {
  int lines = panel_findings_lines(app), y = 0;
  bool active = app_active(app) == PANEL_FINDINGS;
  char title[160], keys[120];
  findings_title(title, sizeof title, app, lines);
  findings_keys(keys, sizeof keys, app);
  int need = text_width(title, 1 << 20, NULL) + text_width(keys, 1 << 20, NULL) + 10;
  r = panel_frame(s, r, app, PANEL_FINDINGS, title, r.w >= need && lines > 0 ? keys : NULL);
  if (lines == 0 && r.h > 0)
    surface_put(s, r, 0, 1, STYLE_DIM,
                app->filter[PANEL_FINDINGS][0] ? "none has that text" : "there are none");
  if (lines == 0 || r.h < 1)
    return;
  struct rect list = r;
  list.h -= r.h >= 3 && lines > 1 && !findings_fit(app, lines, r);
  int at = findings_top(app, lines, list), top = at;
  for (; at < lines && y < list.h; at++) {
    const ph_finding *finding = panel_findings_at(app, at);
    if (at > top && y + finding_rows(finding, r.w) > list.h)
      break;
    y +=
        finding_draw(s, list, y, finding, active && at == panel_cursor(app, PANEL_FINDINGS, lines));
  }
  if (list.h < r.h)
    panel_more(s, r, list.h, app, lines - (at - top));
}
