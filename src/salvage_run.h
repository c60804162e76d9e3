/* What the two rounds of a run's salvage share. */
#ifndef PLAYHEAD_SALVAGE_RUN_H
#define PLAYHEAD_SALVAGE_RUN_H

#include "salvage_report.h"
#include "sink_run.h"
#include "take.h"

typedef struct ph_rescue {
  ph_salvage_report *report;
  ph_run_folder folder;
  char *out;        /* a new run for the episodes; NULL: this one */
  ph_store *store;  /* NULL: it cannot be read */
  char fault[200];  /* then why */
  ph_run_list list; /* of the folder */
  char **pending;   /* names of journals that become episodes */
  size_t npending;
  ph_sink *sink;   /* NULL: not needed yet */
  ph_status error; /* the first of writing: the journal stays, and the others are gone on with */
  char text[600];  /* then what it says */
} ph_rescue;

ph_status ph_rescue_no_memory(void);
/* Notes what ph_error() says, if it is the first. */
void ph_rescue_trouble(ph_rescue *r, ph_status status);
ph_status ph_rescue_lose(ph_rescue *r, const ph_take *take, const char *why);
/* Of a journal whose head cannot be read: why names it. */
ph_status ph_rescue_lose_journal(ph_rescue *r, const char *why);
void ph_rescue_id(char *out, size_t size, const ph_take *take);

/* Nobody needs the journal any more; where it has records behind a damaged one it only gets another
 * name, so that nobody takes it for an unfinished episode. `beyond`: that many. Where the episodes
 * go to another folder, all stays as it is. PH_ENOMEM. */
ph_status ph_rescue_put_away(ph_rescue *r, const char *name, int64_t beyond);
/* Says how many steps are behind a damaged record of its journal; "" none. */
void ph_rescue_beyond(char *why, size_t size, const ph_rescue *r, const char *name,
                      const ph_take *take);

/* The first round: looks at all that is in the locked folder; journals that nobody needs go, those
 * that become episodes are `pending`. PH_EFORMAT: it is no run. PH_ENOMEM, PH_EIO. */
ph_status ph_rescue_look(ph_rescue *r);

/* Reads all rows of the episode, each block against its checksum. PH_ECORRUPT and other errors of
 * reading; PH_ENOMEM. */
ph_status ph_rescue_whole(const ph_episode *episode);
/* Whether the episode begins with the very rows of the take, and has its seed. Columns that the
 * episode lacks, because they never left the model's reset value, are not compared. Errors of
 * reading either; PH_ENOMEM. */
ph_status ph_rescue_same(bool *same, const ph_take *take, const ph_episode *episode);
/* Sets the take's success where the predicate has latched: an episode that was killed while it was
 * written had reached its end. Errors of reading; PH_ENOMEM. */
ph_status ph_rescue_success(ph_take *take, const ph_episode_meta *origin);

#endif
