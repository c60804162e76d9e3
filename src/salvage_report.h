/* The list that a salvage makes. */
#ifndef PLAYHEAD_SALVAGE_REPORT_H
#define PLAYHEAD_SALVAGE_REPORT_H

#include <playhead/salvage.h>

/* Adds one thing and counts it; file and why are nullable. PH_ENOMEM. */
ph_status ph_salvage_say(ph_salvage_report *report, ph_salvage_fate fate, const char *id,
                         int64_t actions, const char *file, const char *why);

#endif
