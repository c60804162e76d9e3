#include "mjcf_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asset_index.h"
#include "fail.h"
#include "file.h"
#include "sniff.h"

enum { STEM_LIMIT = 60, EXTENSION_LIMIT = 16 };

struct ph_files {
  char **roots; /* real paths; the model's own folder first */
  size_t nroots;
  ph_blob *assets;
  char **real; /* of each asset */
  size_t nassets;
  bool foreign;                       /* paths are of another computer */
  ph_source *source;                  /* takes notes; borrowed */
  const char *why;                    /* the last file could not be had */
  const struct ph_asset_index *index; /* got when first needed; borrowed */
};

ph_status ph_blobs_add(ph_blob **blobs, size_t *n, ph_blob blob) {
  ph_blob *grown = realloc(*blobs, (*n + 1) * sizeof **blobs);
  if (!grown) {
    free(blob.name);
    free(blob.data);
    return ph_fail(PH_ENOMEM, "model: out of memory");
  }
  *blobs = grown;
  grown[(*n)++] = blob;
  return PH_OK;
}

static ph_status add_root(struct ph_files *files, const char *dir, const char *what) {
  char *real = realpath(dir, NULL);
  if (!real)
    return ph_fail(PH_EIO, "%s: %s: %s", dir, what, strerror(errno));
  struct stat info;
  if (stat(real, &info) != 0 || !S_ISDIR(info.st_mode)) {
    free(real);
    return ph_fail(PH_EIO, "%s: %s: not a folder", dir, what);
  }
  files->roots[files->nroots++] = real;
  return PH_OK;
}

ph_status ph_files_new(struct ph_files **out, const char *model, const ph_model_options *opt,
                       ph_source *source) {
  ph_status status = PH_ENOMEM;
  size_t nassets = opt ? opt->nassets : 0;
  const char *slash = strrchr(model, '/');
  char *dir = slash ? strndup(model, slash == model ? 1 : (size_t)(slash - model)) : strdup(".");
  struct ph_files *files = calloc(1, sizeof *files);
  if (files)
    files->roots = calloc(nassets + 1, sizeof *files->roots);
  if (!dir || !files || !files->roots) {
    ph_fail(status, "%s: out of memory", model);
    goto out;
  }
  files->foreign = opt && opt->mend;
  files->source = source;
  files->why = "";
  status = add_root(files, dir, "folder of the model");
  for (size_t i = 0; status == PH_OK && i < nassets; i++)
    status = add_root(files, opt->assets[i], "folder of assets");
  if (status == PH_OK) {
    *out = files;
    files = NULL;
  }
out:
  ph_files_free(files);
  free(dir);
  return status;
}

void ph_files_free(struct ph_files *files) {
  if (!files)
    return;
  for (size_t i = 0; i < files->nroots; i++)
    free(files->roots[i]);
  for (size_t i = 0; i < files->nassets; i++) {
    free(files->assets[i].name);
    free(files->assets[i].data);
    free(files->real[i]);
  }
  free(files->roots);
  free(files->assets);
  free(files->real);
  free(files);
}

static bool inside(const char *real, const char *root) {
  size_t n = strlen(root);
  return strcmp(root, "/") == 0 || (strncmp(real, root, n) == 0 && real[n] == '/');
}

/* Joins and resolves; false when it is too long or not there. */
static bool resolve(char real[PATH_MAX], const char *dir, const char *path) {
  char joined[PATH_MAX];
  int n = path[0] == '/' && dir[0] == 0 ? snprintf(joined, sizeof joined, "%s", path)
                                        : snprintf(joined, sizeof joined, "%s/%s", dir, path);
  return n > 0 && (size_t)n < sizeof joined && realpath(joined, real);
}

static bool regular(const char *real) {
  struct stat info;
  return stat(real, &info) == 0 && S_ISREG(info.st_mode);
}

static bool within(const struct ph_files *files, const char *real) {
  for (size_t i = 0; i < files->nroots; i++)
    if (inside(real, files->roots[i]))
      return true;
  return false;
}

/* The longest tail of the path that one of the folders from `first` on holds: how many components;
 * 0: none. */
static size_t find_tail(const struct ph_files *files, size_t first, const char *path,
                        size_t components, char real[PATH_MAX]) {
  size_t left = 1;
  for (const char *c = path; *c; c++)
    left += *c == '/';
  for (const char *tail = path; *tail; left--) {
    if (left < components)
      return 0;
    for (size_t i = first; i < files->nroots; i++)
      if (resolve(real, files->roots[i], tail) && inside(real, files->roots[i]) &&
          (!files->foreign || regular(real)))
        return left;
    tail += strcspn(tail, "/");
    tail += *tail == '/';
  }
  return 0;
}

/* --- of another computer --- */

/* That of several folders only the last is that of the file, which then may be another's. */
static void note_weak(struct ph_files *files, const char *path, const char *real) {
  size_t wanted = 1;
  for (const char *c = path; *c; c++)
    wanted += *c == '/' && c > path;
  if (wanted > 2 && ph_asset_shared(real, path, false) == 2)
    ph_source_note(files->source, "%s: taken from %s; only its last folder fits",
                   ph_path_base(path), real);
}

static ph_status note_match(struct ph_files *files, const char *path, const ph_asset_match *match) {
  const char *base = ph_path_base(path);
  if (match->folded)
    ph_source_note(files->source, "%s: found in other letters: %s", base, match->real);
  if (match->other[0])
    ph_source_note(files->source, "%s: two files fit equally: %s is taken, not %s", base,
                   match->real, match->other);
  else if (match->shared < 2 && strchr(path, '/') && !match->folded)
    ph_source_note(files->source, "%s: found by its name alone: %s", base, match->real);
  else if (!match->folded)
    note_weak(files, path, match->real);
  return PH_OK;
}

/* By its name, anywhere below the folders of assets. */
static ph_status find_name(struct ph_files *files, const char *path, char real[PATH_MAX],
                           bool *found) {
  ph_asset_match match;
  ph_status status = PH_OK;
  bool cut = false;
  *found = false;
  if (!files->index) {
    status = ph_asset_index_get(&files->index, files->roots + 1, files->nroots - 1);
    if (status != PH_OK)
      return status;
    size_t n = ph_asset_index_size(files->index, &cut);
    if (cut)
      ph_source_note(files->source, "assets: only the first %zu files are looked through", n);
  }
  if (!ph_asset_index_find(&match, files->index, path))
    return PH_OK;
  *found = realpath(match.real, real) && within(files, real) && regular(real);
  return *found ? note_match(files, path, &match) : PH_OK;
}

static ph_status find_foreign(struct ph_files *files, const char *path, char real[PATH_MAX]) {
  char plain[PATH_MAX];
  bool found = false;
  ph_path_plain(plain, path);
  if (!plain[0])
    return ph_fail(PH_EIO, "%s: no name of a file", path);
  size_t shared = find_tail(files, 1, plain, 2, real);
  if (shared == 2)
    note_weak(files, plain, real);
  if (shared > 0)
    return PH_OK;
  ph_status status = find_name(files, plain, real, &found);
  if (status != PH_OK || found || find_tail(files, 0, plain, 1, real))
    return status;
  return ph_fail(PH_EIO, "%s: no such file in the model's folder or below a folder of assets",
                 path);
}

/* --- finding --- */

ph_status ph_files_find(struct ph_files *files, const char *path, char real[PATH_MAX]) {
  char plain[PATH_MAX];
  bool there = resolve(real, path[0] == '/' ? "" : files->roots[0], path);
  bool allowed = there && within(files, real), plain_file = there && regular(real);
  files->why = !there ? "file missing" : !allowed ? "outside of what may be read" : "no plain file";
  if (allowed && (plain_file || !files->foreign))
    return PH_OK;
  if (files->foreign)
    return find_foreign(files, path, real);
  ph_path_slashes(plain, path);
  if (find_tail(files, 1, plain, 1, real))
    return PH_OK;
  if (there)
    return ph_fail(PH_EREFUSED,
                   "%s: outside of the model's folder: only that and folders of assets are read",
                   path);
  return ph_fail(PH_EIO, "%s: no such file in the model's folder or a folder of assets", path);
}

const char *ph_files_why(const struct ph_files *files) {
  return files->why;
}

static ph_status read_open(void **data, size_t *size, int fd, const char *name) {
  int error = ph_file_whole(data, size, fd, PH_FILE_LIMIT);
  switch (error) {
  case 0:
    return PH_OK;
  case ENOTSUP:
    return ph_fail(PH_EREFUSED, "%s: not a regular file", name);
  case EFBIG:
    return ph_fail(PH_EREFUSED, "%s: larger than the %zu bytes that a model's file may have", name,
                   PH_FILE_LIMIT);
  case ENOMEM:
    return ph_fail(PH_ENOMEM, "%s: out of memory", name);
  default:
    return ph_fail(PH_EIO, "%s: %s", name, strerror(error));
  }
}

ph_status ph_files_read(ph_blob *out, const char *real, const char *name) {
  /* A real path has no links left; nonblocking so that a pipe cannot hold us. */
  int fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: %s", name, strerror(errno));
  ph_blob blob = {0};
  ph_status status = read_open(&blob.data, &blob.size, fd, name);
  close(fd);
  if (status != PH_OK)
    return status;
  blob.name = strdup(name);
  if (!blob.name) {
    free(blob.data);
    return ph_fail(PH_ENOMEM, "%s: out of memory", name);
  }
  *out = blob;
  return PH_OK;
}

static char safe(char c) {
  if (c >= 'A' && c <= 'Z')
    return (char)(c - 'A' + 'a');
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
}

/* Copies n characters made safe, at most `limit`; returns how many. */
static size_t put_safe(char *dst, const char *src, size_t n, size_t limit) {
  size_t used = n < limit ? n : limit;
  for (size_t i = 0; i < used; i++)
    dst[i] = safe(src[i]);
  dst[used] = 0;
  return used;
}

static bool taken(const struct ph_files *files, const char *name) {
  for (size_t i = 0; i < files->nassets; i++)
    if (strcmp(files->assets[i].name, name) == 0)
      return true;
  return false;
}

static char *unique_name(const struct ph_files *files, const char *path) {
  char stem[STEM_LIMIT + 1], ext[EXTENSION_LIMIT + 1] = "", name[STEM_LIMIT + EXTENSION_LIMIT + 24];
  const char *base = ph_path_base(path);
  const char *dot = strrchr(base, '.');
  if (dot)
    put_safe(ext, dot + 1, strlen(dot + 1), EXTENSION_LIMIT);
  if (put_safe(stem, base, dot ? (size_t)(dot - base) : strlen(base), STEM_LIMIT) == 0)
    snprintf(stem, sizeof stem, "asset");
  const char *point = dot ? "." : "";
  snprintf(name, sizeof name, "%s%s%s", stem, point, ext);
  for (unsigned k = 2; taken(files, name); k++)
    snprintf(name, sizeof name, "%s_%u%s%s", stem, k, point, ext);
  return strdup(name);
}

/* What a checkout leaves where the file itself should be. */
static ph_status check_content(struct ph_files *files, const ph_blob *blob) {
  bool is_pointer = blob->size < 1024 && ph_file_is_lfs(blob->data, blob->size);
  if (!files->foreign || (blob->size > 0 && !is_pointer))
    return PH_OK;
  files->why = is_pointer ? "a Git LFS pointer" : "file empty";
  return ph_fail(PH_EFORMAT, "%s: %s", blob->name,
                 is_pointer ? "a Git LFS pointer, not the file: fetch it with git lfs pull"
                            : "an empty file");
}

static ph_status add_asset(struct ph_files *files, const char *path, const char *real) {
  char **grown = realloc(files->real, (files->nassets + 1) * sizeof *grown);
  if (!grown)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  files->real = grown;
  char *copy = strdup(real), *name = unique_name(files, path);
  ph_blob blob = {0};
  ph_status status = copy && name ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  files->why = "file not readable";
  if (status == PH_OK)
    status = ph_files_read(&blob, real, path);
  if (status == PH_OK)
    status = check_content(files, &blob);
  if (status == PH_OK) {
    free(blob.name);
    blob.name = name;
    name = NULL;
    files->real[files->nassets] = copy;
    status = ph_blobs_add(&files->assets, &files->nassets, blob);
  } else {
    free(blob.name);
    free(blob.data);
  }
  if (status == PH_OK)
    copy = NULL;
  free(copy);
  free(name);
  return status;
}

ph_status ph_files_asset(struct ph_files *files, const char *path, const char **name) {
  char real[PATH_MAX];
  ph_status status = ph_files_find(files, path, real);
  if (status != PH_OK)
    return status;
  size_t i = 0;
  while (i < files->nassets && strcmp(files->real[i], real) != 0)
    i++;
  if (i == files->nassets)
    status = add_asset(files, path, real);
  if (status == PH_OK)
    *name = files->assets[i].name;
  return status;
}

void ph_files_take(struct ph_files *files, ph_source *source) {
  source->assets = files->assets;
  source->nassets = files->nassets;
  for (size_t i = 0; i < files->nassets; i++)
    free(files->real[i]);
  free(files->real);
  files->assets = NULL;
  files->real = NULL;
  files->nassets = 0;
}
