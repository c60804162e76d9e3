/* Words for the engine's enums, as MJCF spells them. */
#ifndef PLAYHEAD_MJ_WORDS_H
#define PLAYHEAD_MJ_WORDS_H

typedef struct ph_mj_word {
  const char *option, *word; /* "solver", "CG" */
  int value;
} ph_mj_word;

extern const ph_mj_word ph_mj_words[]; /* of solver, integrator, cone and jacobian in this order */
extern const int ph_mj_nwords;

/* The word of a value of an option; NULL: this engine has none. Static. */
const char *ph_mj_word_of(const char *option, int value);

#endif
