/* The rows of the success panel that are of the task's stages. */
#ifndef TUI_PANEL_STAGES_H
#define TUI_PANEL_STAGES_H

#include "panel.h"

/* Draws stage i in line y: its name in `width` columns, what it is at the playhead, and where it
 * was reached. */
void panel_stage_row(struct surface *s, struct rect r, int y, const struct app *app, size_t i,
                     int width);

#endif
