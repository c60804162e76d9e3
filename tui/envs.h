/* Many envs as panels and commands see them. Nothing here asks the engine. */
#ifndef TUI_ENVS_H
#define TUI_ENVS_H

#include "app.h"
#include "strip.h"

/* What is known of the envs that are asked for; NULL: nothing, or none are. */
const struct envs_answer *app_envs(const struct app *app);
/* The same where it is all there, as it is wanted, and led by the wanted episode. */
const struct envs_answer *app_envs_here(const struct app *app);

/* The playhead among the envs: the wanted step, and what goes beyond the episode's end. */
int64_t app_playhead(const struct app *app);
/* The last playhead: that of the episode, or of the envs in lockstep or held. */
int64_t app_end(const struct app *app);
/* Why there is none behind it, "env 0 ends at 162; :envs hold on goes on to 320"; "". */
void app_end_text(const struct app *app, char *out, size_t size);
/* The cursor is on the env on show, once they are there. */
void app_take_envs(struct app *app);
/* What is beyond the last playhead. */
void app_clamp_envs(struct app *app);
/* Opens another env at the playhead, as the envs are aligned; without envs at `step`. */
unsigned app_open_env(struct app *app, size_t episode, int64_t step);
/* Asks for the lines around the cursor where they are not here. */
unsigned app_look_envs(struct app *app);
/* Enter on a line. */
unsigned app_enter_envs(struct app *app);

/* Pieces of the status line. */
void envs_status(struct strip *strip, const struct app *app);

#endif
