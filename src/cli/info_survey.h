/* What many episodes have in common: each distinct text once, with how many have it. */
#ifndef CLI_INFO_SURVEY_H
#define CLI_INFO_SURVEY_H

#include <playhead/playhead.h>

struct said {
  char text[420];
  int kind;     /* the caller's */
  int64_t step; /* of the first one; -1: none */
  size_t count; /* how many episodes say it */
  size_t first; /* the first that does */
};

/* Zeroed at the start; survey_free frees what it owns. */
struct survey {
  struct said *said;
  size_t n, room;
  size_t left; /* texts beyond the limit of their number */
};
void survey_free(struct survey *survey);
/* Counts a text that the i-th episode has; "" is left out. The step matters where it is not -1. */
void survey_add(struct survey *survey, size_t i, int kind, int64_t step, const char *text);
/* All of them in one line: "Lift", or "Lift in 3, Door in 2"; "" for none. */
void survey_line(const struct survey *survey, char *out, size_t size);

/* Adds what the episode was cut from, if its last step was a cut. */
void survey_add_cut(struct survey *survey, size_t i, const ph_episode_meta *meta);

/* An array of the episodes. */
struct array_line {
  ph_channel channel; /* of the first episode that has it */
  char rows[16];      /* "steps", "actions", "states", a number, "varies" */
  size_t count;
};
struct array_survey {
  struct array_line *line;
  size_t n, room;
  bool more; /* than can be listed */
};
void array_survey_free(struct array_survey *survey);
/* Counts all arrays of an episode, columns first. */
void array_survey_add(struct array_survey *survey, const ph_episode *episode);
/* Prints them as a table; `opened` episodes were counted. */
void array_survey_print(const struct array_survey *survey, size_t opened);

#endif
