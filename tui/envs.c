#include "envs_view.h"

#include <stdlib.h>

void envs_answer_free(struct envs_answer *e) {
  if (!e)
    return;
  free(e->line);
  free(e->lanes);
  free(e);
}
