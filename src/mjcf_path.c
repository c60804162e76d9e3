#include <string.h>

#include "mjcf_files.h"

const char *ph_path_base(const char *path) {
  const char *base = path;
  for (const char *c = path; *c; c++)
    if (*c == '/' || *c == '\\')
      base = c + 1;
  return base;
}

bool ph_path_absolute(const char *path) {
  bool letter = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
  return path[0] == '/' || (letter && path[1] == ':' && (path[2] == '\\' || path[2] == '/'));
}

void ph_path_slashes(char out[PATH_MAX], const char *path) {
  size_t n = 0;
  for (const char *c = path; *c && n < PATH_MAX; c++) {
    char slash = *c == '\\' ? '/' : *c;
    if (slash != '/' || (n > 0 && out[n - 1] != '/'))
      out[n++] = slash;
  }
  out[n < PATH_MAX ? n : 0] = 0;
}

void ph_path_plain(char out[PATH_MAX], const char *path) {
  char copy[PATH_MAX], *rest = NULL;
  size_t n = 0;
  ph_path_slashes(copy, ph_path_absolute(path) && path[0] != '/' ? path + 2 : path);
  out[0] = 0;
  for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
    if (strcmp(part, ".") == 0)
      continue;
    if (strcmp(part, "..") == 0) {
      while (n > 0 && out[n - 1] != '/')
        n--;
      n -= n > 0;
    } else {
      if (n > 0)
        out[n++] = '/';
      memcpy(out + n, part, strlen(part));
      n += strlen(part);
    }
    out[n] = 0;
  }
}
