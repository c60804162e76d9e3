#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static bool default_path(char *path, size_t size, const char *run_id) {
  const char *root = getenv("PLAYHEAD_DATA_ROOT"), *data = getenv("XDG_DATA_HOME"),
             *home = getenv("HOME");
  int n = -1;
  if (root && *root)
    n = snprintf(path, size, "%s/trajectories/%s", root, run_id);
  else if (data && *data == '/')
    n = snprintf(path, size, "%s/playhead/trajectories/%s", data, run_id);
  else if (home && *home)
    n = snprintf(path, size, "%s/.local/share/playhead/trajectories/%s", home, run_id);
  return n > 0 && (size_t)n < size;
}

/* The folder that was asked for, without slashes at its end. */
static bool given_path(char *path, size_t size, const char *out) {
  size_t n = strlen(out);
  while (n > 1 && out[n - 1] == '/')
    n--;
  return snprintf(path, size, "%.*s", (int)n, out) < (int)size;
}

int record_folder(struct record *r, const char *run_id) {
  const struct options *opt = r->opt;
  bool ok = opt->out ? given_path(r->path, sizeof r->path, opt->out)
                     : default_path(r->path, sizeof r->path, run_id);
  if (!ok)
    return cli_fail(EXIT_ERROR, "record: no folder for the run: give one with --out");
  return EXIT_FINE;
}

/* --- paths for a shell --- */

static bool is_control(char c) {
  return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool has_control(const char *text) {
  while (*text && !is_control(*text))
    text++;
  return *text != 0;
}

void record_print_word(FILE *out, const char *path) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  bool control = has_control(path);
  const char *quote = path[strspn(path, plain)] ? "'" : "";
  fprintf(out, "%s%s%s", *path == '-' ? "./" : "", control ? "$" : "", quote);
  for (const char *c = path; *c; c++)
    if (control && (is_control(*c) || *c == '\\' || *c == '\''))
      fprintf(out, "\\%03o", (unsigned)*c);
    else if (*c == '\'')
      fprintf(out, "'\\''");
    else
      fputc(*c, out);
  fprintf(out, "%s", quote);
}
