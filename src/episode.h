/* What stands behind a ph_episode: facts, edits, and a backend that reads rows. Readers of other
 * people's formats supply backends of their own. */
#ifndef PLAYHEAD_EPISODE_PRIVATE_H
#define PLAYHEAD_EPISODE_PRIVATE_H

#include <playhead/episode.h>

typedef struct ph_backend ph_backend;
struct ph_backend {
  /* Reads rows of a stored column; bounds are checked already. Thread safe. */
  ph_status (*read)(const ph_backend *backend, ph_column col, int64_t first, int64_t n, void *out);
  void (*free)(ph_backend *backend);
  /* Rows of a channel as doubles, likewise. NULL: there are no channels. */
  ph_status (*read_channel)(const ph_backend *backend, size_t channel, int64_t first, int64_t n,
                            double *out);
  /* The file's own array behind a column that the episode stores (or a channel: col is
   * PH_COL_COUNT), whose row *first is row 0; NULL: the column is made of more than one. NULL:
   * ours.
   */
  const struct ph_array *(*behind)(const ph_backend *backend, ph_column col, size_t channel,
                                   int64_t *first);
};

struct ph_episode {
  ph_episode_meta meta;
  uint32_t columns; /* PH_COL_BIT */
  ph_edit *edits;   /* owned, with their data */
  size_t nedits;
  char *provenance; /* owned */
  ph_backend *backend;
  /* Of foreign files; owned. */
  int64_t rows[PH_COL_COUNT];   /* of each stored column; A or S unless set otherwise */
  ph_type stored[PH_COL_COUNT]; /* how the file has it */
  ph_channel *channels;
  size_t nchannels;
  ph_finding *findings;
  size_t nfindings;
  int8_t last_outcome; /* -1, or the predicate after the last action, whose state is not stored */
  bool late_predicate; /* its row 0 is of no action: of the first state nothing is known */
  bool time_odd;       /* a finding says that its times are not even */
  char no_model[360];  /* "" or why its states have no names, a sentence */
  bool no_model_named; /* that sentence says no more than that there is no model */
  ph_model *recorded; /* its own model, where another was asked for and it can be had; referenced */
  char other_model[320]; /* "" or what the one in use is beside that, a sentence */
  bool own_model;        /* the model is of a text that the file holds or names */
  bool rounded;          /* that text has numbers of six digits and none of more */
};

/* Takes backend and copies the rest. */
ph_status ph_episode_new(ph_episode **out, const ph_episode_meta *meta, uint32_t columns,
                         const ph_edit *edits, size_t nedits, ph_backend *backend);

/* Opens one demo group of an own file (run episode or dataset). origin: file-level facts. */
ph_status ph_episode_open(ph_episode **out, const char *file, const char *group);

/* Deep copy of edits; free with ph_edits_free. */
ph_status ph_edits_copy(ph_edit **out, const ph_edit *edits, size_t n);
void ph_edits_free(ph_edit *edits, size_t n);

#endif
