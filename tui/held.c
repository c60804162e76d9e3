#include "held.h"

#include <math.h>
#include <stdlib.h>

bool hold_wish_count(int64_t *steps, const struct hold_wish *wish, double control_dt, int64_t own) {
  ph_hold_recorded recorded = {-1, own, control_dt};
  return ph_hold_of(steps, wish->on ? wish->seconds : -1, &recorded) == PH_OK;
}

int64_t hold_wish_steps(const struct hold_wish *wish, double control_dt, int64_t own) {
  int64_t steps;
  return hold_wish_count(&steps, wish, control_dt, own) ? steps : own;
}

const char *count_by_name(enum count_by by) {
  return by < COUNT_RECORDED ? "" : ph_latch_source_name((ph_latch_source)(by - COUNT_RECORDED));
}

int64_t hold_beside(int64_t steps) {
  int64_t by = steps / 5 + (steps % 5 >= 3);
  return by > 0 ? by : 1;
}

void held_answer_free(struct held_answer *h) {
  if (!h)
    return;
  free(h->interval);
  free(h);
}
