#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record.h"

static bool ends_with(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

/* What a recorder that was killed before its first episode has left. Whether the run.h5 may go, and
 * that journals may not, is for ph_recorder_open to say. */
static bool is_leftover(const char *name) {
  return strcmp(name, "run.h5") == 0 ||
         (strncmp(name, ".run.h5.", 8) == 0 && ends_with(name, ".part")) ||
         (strncmp(name, ".env", 4) == 0 && ends_with(name, ".part")) ||
         (strncmp(name, "env", 3) == 0 && ends_with(name, ".journal"));
}

/* 0: the path is free, or a folder without anything in it that no recorder left. EEXIST: it is
 * another thing. Else the errno that says why nobody can tell. */
static int look_at_folder(const char *path) {
  DIR *dir = opendir(path);
  struct stat st;
  int error = dir || errno == ENOENT ? 0 : errno;
  if (!dir)
    return error == ENOTDIR && lstat(path, &st) == 0 ? EEXIST : error;
  const struct dirent *entry;
  bool empty = true;
  while (empty && (entry = readdir(dir)))
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            is_leftover(entry->d_name);
  closedir(dir);
  return empty ? 0 : EEXIST;
}

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
  if (opt->append || opt->overwrite)
    return EXIT_FINE;
  int error = look_at_folder(r->path);
  if (error == EEXIST)
    return cli_fail(EXIT_ERROR,
                    "%s: exists already: a run needs a new or an empty folder, or --append or "
                    "--overwrite",
                    r->path);
  if (error)
    return cli_fail(EXIT_ERROR, "%s: %s", r->path, strerror(error));
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
