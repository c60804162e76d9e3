#include "salvage_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

ph_status ph_salvage_say(ph_salvage_report *report, ph_salvage_fate fate, const char *id,
                         int64_t actions, const char *file, const char *why) {
  ph_salvaged *items = realloc(report->items, (report->n + 1) * sizeof *items);
  if (!items)
    return ph_fail(PH_ENOMEM, "salvage: out of memory");
  report->items = items;
  ph_salvaged *item = &items[report->n++];
  memset(item, 0, sizeof *item);
  item->fate = fate;
  item->actions = actions;
  snprintf(item->id, sizeof item->id, "%s", id);
  snprintf(item->file, sizeof item->file, "%s", file ? file : "");
  snprintf(item->why, sizeof item->why, "%s", why ? why : "");
  report->saved += fate == PH_SALVAGE_SAVED;
  report->lost += fate == PH_SALVAGE_LOST;
  report->steps += actions;
  return PH_OK;
}

void ph_salvage_free(ph_salvage_report *report) {
  free(report->items);
  memset(report, 0, sizeof *report);
}
