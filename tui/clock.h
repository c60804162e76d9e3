/* The file's own time of an episode's states, and which step a time means. */
#ifndef TUI_CLOCK_H
#define TUI_CLOCK_H

#include <playhead/playhead.h>

struct clock {
  double first, last; /* [s] time of state 0 and of the last state; NaN: not read */
};

void clock_read(struct clock *clock, const ph_episode *episode);
/* Seconds that a step lasts: by both ends where time goes on between them, else control_dt; 0 not
 * known. */
double clock_dt(const struct clock *clock, const ph_episode_meta *meta);
/* Time of the last state [s]; where the file has none, what control_dt makes of the steps. */
double clock_end(const struct clock *clock, const ph_episode_meta *meta);
/* The step nearest to a time [s]; it may be outside of the episode. clock_dt must be above 0. */
double clock_step(const struct clock *clock, const ph_episode_meta *meta, double seconds);
/* Whether states are only counted: no rate is known, and their time is their place. */
bool clock_counts(const struct clock *clock, const ph_episode_meta *meta);

#endif
