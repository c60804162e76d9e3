/* Findings of many episodes: what most of them share is said once. */
#ifndef CLI_INFO_FINDINGS_H
#define CLI_INFO_FINDINGS_H

#include <playhead/playhead.h>

/* Sentences that differ in their numbers alone. */
struct family {
  char key[420];  /* the sentence with its numbers blotted out */
  char text[420]; /* the sentence of `worst` */
  int kind;
  int64_t step;                      /* of `worst`; -1: none */
  size_t count, first, last;         /* episodes that say it */
  size_t worst;                      /* the one whose first two numbers are furthest apart */
  double apart;                      /* by how much */
  bool same_text, same_step, hidden; /* hidden: one of them is not listed */
};

struct found { /* by an episode that is listed */
  size_t family, episode;
  int64_t step;
  char text[420];
};

/* Zeroed at the start; findings_free frees what it owns. */
struct findings {
  struct family *family;
  size_t n, room;
  struct found *found; /* in the order of the episodes */
  size_t nfound, found_room;
  size_t left; /* findings beyond the limits of memory */
};
void findings_free(struct findings *findings);
/* Adds a finding of the i-th episode; "" is left out. Episodes come one after the other. */
void findings_add(struct findings *findings, size_t i, bool listed, int kind, int64_t step,
                  const char *text);
/* Whether the family is said once, n episodes being there, and not with each of them. */
bool family_shared(const struct family *family, size_t n);

#endif
