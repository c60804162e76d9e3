#include "mj_words.h"

#include <stddef.h>
#include <string.h>

#include "mj.h"

const ph_mj_word ph_mj_words[] = {
    {"solver", "PGS", mjSOL_PGS},
    {"solver", "CG", mjSOL_CG},
    {"solver", "Newton", mjSOL_NEWTON},
    {"integrator", "Euler", mjINT_EULER},
    {"integrator", "RK4", mjINT_RK4},
    {"integrator", "implicit", mjINT_IMPLICIT},
#if mjVERSION_HEADER >= 235
    {"integrator", "implicitfast", mjINT_IMPLICITFAST},
#endif
    {"cone", "pyramidal", mjCONE_PYRAMIDAL},
    {"cone", "elliptic", mjCONE_ELLIPTIC},
    {"jacobian", "dense", mjJAC_DENSE},
    {"jacobian", "sparse", mjJAC_SPARSE},
    {"jacobian", "auto", mjJAC_AUTO},
};
const int ph_mj_nwords = sizeof ph_mj_words / sizeof *ph_mj_words;

const char *ph_mj_word_of(const char *option, int value) {
  for (int i = 0; i < ph_mj_nwords; i++)
    if (ph_mj_words[i].value == value && strcmp(ph_mj_words[i].option, option) == 0)
      return ph_mj_words[i].word;
  return NULL;
}
