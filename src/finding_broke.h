/* Which conditions of success broke a hold: the task is asked again at that row, recorded or
 * dynamic. */
#ifndef PLAYHEAD_FINDING_BROKE_H
#define PLAYHEAD_FINDING_BROKE_H

#include <playhead/analysis.h>

/* Zero but for `a`; what it takes to ask is made when it is first asked. */
typedef struct ph_asker {
  const ph_analysis *a;
  ph_cursor *cursor;
  ph_replay *replay;
  bool tried; /* to make the replay */
} ph_asker;
void ph_asker_end(ph_asker *asker);

/* ": near false (dist(hand,cup) 0.104 m), open false" of the conditions that do not hold at a row;
 * "" where none is known. */
void ph_asker_recorded(ph_asker *asker, int64_t row, char *out, size_t size);
void ph_asker_dynamic(ph_asker *asker, int64_t row, char *out, size_t size);

#endif
