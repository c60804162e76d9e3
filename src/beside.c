#include "beside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void folder_of(char *out, size_t size, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(out, size, ".");
  else
    snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* FNV-1a, so that two files of one name in two folders do not share what is kept. */
static unsigned long long path_hash(const char *path) {
  unsigned long long hash = 0xcbf29ce484222325ULL;
  for (; *path; path++)
    hash = (hash ^ (unsigned char)*path) * 0x100000001b3ULL;
  return hash;
}

static void state_file(char out[PH_BESIDE], const char *path, const char *ending) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  unsigned long long hash = path_hash(path);
  if (state && *state == '/')
    snprintf(out, PH_BESIDE, "%s/playhead/%.100s-%016llx%s", state, name, hash, ending);
  else if (home && *home)
    snprintf(out, PH_BESIDE, "%s/.local/state/playhead/%.100s-%016llx%s", home, name, hash, ending);
  else
    snprintf(out, PH_BESIDE, "%s", "");
}

bool ph_beside(char file[PH_BESIDE], char other[PH_BESIDE], const char *source,
               const char *ending) {
  char path[500], folder[PH_BESIDE], swap[PH_BESIDE];
  char *real = realpath(source, NULL);
  snprintf(path, sizeof path, "%s", real ? real : source);
  free(real);
  for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
    path[--n] = 0;
  snprintf(file, PH_BESIDE, "%s%s", path, ending);
  state_file(other, path, ending);
  folder_of(folder, sizeof folder, file);
  if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0 || !other[0])
    return false;
  memcpy(swap, file, PH_BESIDE);
  memcpy(file, other, PH_BESIDE);
  memcpy(other, swap, PH_BESIDE);
  return true;
}
