#include "held.h"

#include <math.h>
#include <stdlib.h>

int64_t hold_wish_steps(const struct hold_wish *wish, double control_dt, int64_t own) {
  int64_t steps = own;
  if (!wish->on || ph_hold_steps(&steps, wish->seconds, control_dt) != PH_OK)
    return own;
  return steps;
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
