/* What the command handlers share. Only app*.c and cmd_*.c include it. */
#ifndef TUI_CMD_H
#define TUI_CMD_H

#include "app.h"

/* One handler per command. count 0: none given; args "" when there are none. */
#define COMMAND(id, name, keys, args, flags, group, help)                                          \
  unsigned do_##id(struct app *app, int64_t count, const char *args_);
#include "commands.def"
#undef COMMAND

/* The message line, without the log. */
void app_say(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_complain(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Goes to a step, clamped; remember: undo comes back to where it began. */
unsigned app_go(struct app *app, int64_t step, bool remember);
/* The same to a substep of it, of physics run again. */
unsigned app_go_within(struct app *app, int64_t step, int substep, bool remember);
/* Walks substeps of physics run again; where only recorded states are shown it says so. */
unsigned app_substep(struct app *app, int64_t count, const char *args, int sign);
/* The file that a branch is on its way into; NULL: none is. */
const char *app_saving_branch(const struct app *app);
/* Gives up the branch that is on its way into a file. False: none is. */
bool app_unsave_branch(struct app *app);
/* The episode is left: its branch goes, and what was on its way into a file is given up. */
void app_leave_branch(struct app *app);
/* Says what became of a branch that was to be saved; saves: how often one was before. */
void app_take_branch(struct app *app, uint64_t saves);
/* Opens an episode of the catalog at a step. */
unsigned app_open(struct app *app, size_t episode, int64_t step);
/* What a cut would do is no longer listed, or the one under way is given up. False: neither. */
bool app_drop_cut(struct app *app);
/* What a cut would do is no longer so: it has to be shown again. False: it was not shown. */
bool app_lapse_cut(struct app *app);
/* Likewise where another episode is gone to and is of another path. */
void app_leave_cut(struct app *app, size_t episode);
/* The output of the cut that is under way; NULL: none is. */
const char *app_cutting(const struct app *app);
/* Says what a cut would do, when that is known, and what became of one; cuts: ended before. */
void app_take_cut(struct app *app, uint64_t cuts);
/* The reel of the wanted episode; NULL while another one, or none, is on show. */
const struct reel *app_wanted_reel(const struct app *app);
const char *app_episode_id(const struct app *app); /* of the wanted episode; "" none */
/* Seconds of one step of the wanted episode; 0 unknown. */
double app_step_seconds(const struct app *app);
/* The step nearest to a time of the file [s]; app_step_seconds must be above 0. */
double app_step_at(const struct app *app, double seconds);
/* Sets the steps that timeline and plots show; -1, -1: all. */
void app_zoom_to(struct app *app, int64_t first, int64_t last);
/* Puts a number on the plot, or takes it off if it is there; the worker knows which. */
unsigned app_plot(struct app *app, const char *name);
/* For Tab after a command: the i-th word that may follow it; see prompt.h. */
const char *app_prompt_name(const void *app, const char *verb, int i);
/* Likewise of :ghost, once app_list_ghosts has listed them for the line that is typed. */
void app_list_ghosts(struct app *app);
const char *app_ghost_name(const void *app, const char *verb, int i);
/* What is in the way of another episode beside it is said; old is the snapshot before (nullable).
 * True: the panels need other room. */
bool app_take_ghost(struct app *app, const struct snapshot *old);
/* For Tab after a command: the i-th number of the wanted episode that :plot takes; see prompt.h. */
const char *app_plot_name(const void *app, const char *verb, int i);
/* The names as the worker understood them; what it did not is said. opened: another episode came.
 */
void app_take_plots(struct app *app, bool opened);
/* Steps that a live env has come to or was asked to come to. */
int64_t app_live_head(const struct app *app);
/* Asks a live env to come to a step behind its head. */
unsigned app_live_go(struct app *app, int64_t step);
/* Whether a control step of it is under way: substeps of it are done, and not all. */
bool app_live_under_way(const struct app *app);
/* Goes to the newest state, also where that is within a step. */
unsigned app_live_newest(struct app *app);
/* Whether the live env can be asked for more. */
bool app_live_runs(const struct app *app);
/* How many elements of the action are held by hand. */
int app_live_by_hand(const struct app *app);
/* What became of a live env since; old is the snapshot before (nullable). */
void app_take_live(struct app *app, const struct snapshot *old);
/* Says what became of the recorder since. */
void app_take_following(struct app *app, enum following before);
/* Enter on a line of the state, action, plot, findings and success panels. */
unsigned app_enter_state(struct app *app);
unsigned app_enter_action(struct app *app);
unsigned app_enter_plot(struct app *app);
unsigned app_enter_finding(struct app *app);
unsigned app_enter_success(struct app *app);
/* Keeps the time zoom around the playhead. */
void app_follow_zoom(struct app *app);
/* Rectangles anew; a focused panel without room beside the others is shown alone. */
void app_relayout(struct app *app);
/* Finds the episodes that pass the filter; the second one only if the filter is another. */
void app_refilter(struct app *app);
void app_refilter_if_changed(struct app *app);
/* Puts the cursor of the episode list on the wanted episode. */
void app_show_episode(struct app *app);
/* The sheet of the wanted episode, to write on; NULL: out of memory. */
ph_marks *app_own_marks(struct app *app);
void app_free_marks(struct app *app);
/* Writes the shown state as a MuJoCo <key>; malloc'd, NULL: no state or no memory. */
char *app_key_text(const struct app *app);

/* Reads the whole of text as a count > 0; false otherwise. */
bool cmd_count(const char *text, int64_t *out);
/* The count of a command: args if there are any, else count, else 1. False: complained. */
bool cmd_times(struct app *app, int64_t count, const char *args, int64_t *out);

#endif
