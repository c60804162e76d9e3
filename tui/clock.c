#include "clock.h"

#include <math.h>
#include <stdlib.h>

static double time_of(const ph_episode *episode, int64_t step, double *row) {
  return ph_episode_read(episode, PH_COL_STATES, step, 1, row) == PH_OK ? row[0] : NAN;
}

void clock_read(struct clock *clock, const ph_episode *episode) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  size_t width = ph_schema_width(PH_COL_STATES, &meta->dims);
  double *row = malloc((width + 1) * sizeof *row);
  *clock = (struct clock){NAN, NAN};
  if (row && meta->states > 0 && ph_episode_has(episode, PH_COL_STATES)) {
    clock->first = time_of(episode, 0, row);
    clock->last = time_of(episode, meta->states - 1, row);
  }
  free(row);
}

static bool goes_on(const struct clock *clock) {
  return isfinite(clock->first) && isfinite(clock->last) && clock->last > clock->first;
}

static double first_of(const struct clock *clock) {
  return isfinite(clock->first) ? clock->first : 0;
}

double clock_dt(const struct clock *clock, const ph_episode_meta *meta) {
  if (!(meta->control_dt > 0))
    return 0;
  if (meta->states > 1 && goes_on(clock))
    return (clock->last - clock->first) / (double)(meta->states - 1);
  return meta->control_dt;
}

double clock_end(const struct clock *clock, const ph_episode_meta *meta) {
  int64_t steps = meta->states > 0 ? meta->states - 1 : 0;
  double by_rate = meta->control_dt > 0 ? meta->control_dt * (double)steps : 0;
  return goes_on(clock) ? clock->last : first_of(clock) + by_rate;
}

double clock_step(const struct clock *clock, const ph_episode_meta *meta, double seconds) {
  return rint((seconds - first_of(clock)) / clock_dt(clock, meta));
}

bool clock_counts(const struct clock *clock, const ph_episode_meta *meta) {
  return !(meta->control_dt > 0) && meta->states > 1 && clock->first == 0 &&
         clock->last == (double)(meta->states - 1);
}
