/* A panel has no state of its own and computes nothing: it draws the app into its rectangle. */
#ifndef TUI_PANEL_H
#define TUI_PANEL_H

#include "app.h"

struct panel {
  const char *name;
  bool focusable;
  void (*draw)(struct surface *s, struct rect r, const struct app *app);
  /* Lines that can be moved in with j and k; 0: none. */
  int (*lines)(const struct app *app);
  const char *hint; /* keys that matter in it */
};

const struct panel *panel_get(enum panel_id id);

#endif
