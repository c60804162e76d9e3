#include "ghost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ghost_answer_free(struct ghost_answer *g) {
  if (!g)
    return;
  free(g->change);
  free(g->row);
  lanes_unref(g->lanes);
  free(g);
}

bool ghost_split(const char *given, char *path, size_t size, char *id, size_t id_size) {
  const char *colon = strrchr(given, ':');
  if (strlen(given) >= size)
    return false;
  snprintf(path, size, "%s", given);
  id[0] = 0;
  if (!colon || access(given, F_OK) == 0)
    return true;
  path[colon - given] = 0;
  if (access(path, F_OK) != 0) {
    path[colon - given] = ':';
    return true;
  }
  snprintf(id, id_size, "%s", colon + 1);
  return strlen(colon + 1) < id_size;
}
