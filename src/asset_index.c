#include "asset_index.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

enum {
  FILES_MAX = 100000,
  SEEN_MAX = 400000, /* entries of folders of any kind */
  DEPTH_MAX = 16,
  COMPARED_MAX = 16, /* equally good files whose bytes are looked at */
};

typedef struct found_file {
  char *path;       /* real */
  const char *base; /* in path */
  size_t root;
} found_file;

typedef struct folder {
  char *path; /* owned */
  size_t root;
  int depth;
} folder;

/* A folder as it was just before it was walked. */
typedef struct walked {
  char *path; /* owned */
  struct stat is;
} walked;

struct ph_asset_index {
  found_file *files; /* by base name without regard to case, root, path */
  size_t n;
  bool cut;
  walked *folders; /* the roots first */
  size_t nfolders, nroots;
  struct timespec when; /* the walk began */
};

typedef struct walk {
  struct ph_asset_index *index;
  folder *queue;
  size_t nqueue, next;
  size_t seen;
  size_t files_room, queue_room, walked_room;
} walk;

/* --- making --- */

static bool grow(void **items, size_t n, size_t *room, size_t size) {
  if (n < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  void *grown = realloc(*items, more * size);
  if (!grown)
    return false;
  *items = grown;
  *room = more;
  return true;
}

/* Takes path, also on failure. */
static bool add_file(walk *w, char *path, size_t root) {
  struct ph_asset_index *index = w->index;
  if (!grow((void **)&index->files, index->n, &w->files_room, sizeof *index->files)) {
    free(path);
    return false;
  }
  index->files[index->n++] = (found_file){path, strrchr(path, '/') + 1, root};
  return true;
}

static bool add_folder(walk *w, char *path, size_t root, int depth) {
  if (!grow((void **)&w->queue, w->nqueue, &w->queue_room, sizeof *w->queue)) {
    free(path);
    return false;
  }
  w->queue[w->nqueue++] = (folder){path, root, depth};
  return true;
}

static unsigned char type_of(const struct dirent *entry, const char *path) {
  struct stat info;
  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type;
  if (lstat(path, &info) != 0)
    return DT_UNKNOWN;
  return S_ISREG(info.st_mode) ? DT_REG : S_ISDIR(info.st_mode) ? DT_DIR : DT_UNKNOWN;
}

/* False: out of memory. */
static bool take_entry(walk *w, const folder *dir, const struct dirent *entry) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", strcmp(dir->path, "/") == 0 ? "" : dir->path, entry->d_name) < 0)
    return false;
  unsigned char type = type_of(entry, path);
  if (type == DT_REG && w->index->n < FILES_MAX)
    return add_file(w, path, dir->root);
  if (type == DT_DIR && dir->depth < DEPTH_MAX)
    return add_folder(w, path, dir->root, dir->depth + 1);
  w->index->cut = w->index->cut || type == DT_REG || type == DT_DIR;
  free(path);
  return true;
}

/* False: out of memory. */
static bool remember(walk *w, const folder *dir) {
  struct ph_asset_index *index = w->index;
  if (!grow((void **)&index->folders, index->nfolders, &w->walked_room, sizeof *index->folders))
    return false;
  walked *to = &index->folders[index->nfolders];
  *to = (walked){.path = strdup(dir->path)};
  if (stat(dir->path, &to->is) != 0)
    memset(&to->is, 0, sizeof to->is);
  index->nfolders += to->path != NULL;
  return to->path != NULL;
}

static bool walk_folder(walk *w, const folder *dir) {
  bool ok = remember(w, dir);
  DIR *open = ok ? opendir(dir->path) : NULL;
  for (struct dirent *entry; open && ok && (entry = readdir(open));) {
    if (++w->seen > SEEN_MAX) {
      w->index->cut = true;
      break;
    }
    if (entry->d_name[0] != '.')
      ok = take_entry(w, dir, entry);
  }
  if (open)
    closedir(open);
  return ok;
}

static int by_name(const void *a, const void *b) {
  const found_file *x = a, *y = b;
  int order = strcasecmp(x->base, y->base);
  if (order == 0 && x->root != y->root)
    order = x->root < y->root ? -1 : 1;
  return order != 0 ? order : strcmp(x->path, y->path);
}

ph_status ph_asset_index_new(struct ph_asset_index **out, char *const *roots, size_t nroots) {
  walk w = {.index = calloc(1, sizeof *w.index)};
  bool ok = w.index != NULL;
  if (ok) {
    w.index->nroots = nroots;
    clock_gettime(CLOCK_REALTIME, &w.index->when);
  }
  for (size_t i = 0; ok && i < nroots; i++) {
    char *copy = strdup(roots[i]);
    ok = copy && add_folder(&w, copy, i, 0);
  }
  while (ok && w.next < w.nqueue && w.seen <= SEEN_MAX) {
    folder dir = w.queue[w.next++]; /* the queue may move */
    ok = walk_folder(&w, &dir);
  }
  for (size_t i = 0; i < w.nqueue; i++)
    free(w.queue[i].path);
  free(w.queue);
  if (!ok) {
    ph_asset_index_free(w.index);
    return ph_fail(PH_ENOMEM, "assets: out of memory");
  }
  if (w.index->n > 0)
    qsort(w.index->files, w.index->n, sizeof *w.index->files, by_name);
  *out = w.index;
  return PH_OK;
}

void ph_asset_index_free(struct ph_asset_index *index) {
  if (!index)
    return;
  for (size_t i = 0; i < index->n; i++)
    free(index->files[i].path);
  for (size_t i = 0; i < index->nfolders; i++)
    free(index->folders[i].path);
  free(index->files);
  free(index->folders);
  free(index);
}

/* --- keeping --- */

static bool same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* What changed shortly before it was walked may change once more within the same tick of the file
 * system's clock, which some count in seconds. */
static bool is_settled(const walked *of, const struct timespec *when) {
  const struct timespec *changed = &of->is.st_ctim;
  int64_t age = (int64_t)(when->tv_sec - changed->tv_sec) * 1000 +
                (when->tv_nsec - changed->tv_nsec) / 1000000;
  return age > (changed->tv_nsec ? 100 : 3000);
}

static bool is_unchanged(const walked *of) {
  const struct stat *was = &of->is;
  struct stat is;
  if (stat(of->path, &is) != 0)
    return was->st_ino == 0;
  return is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
         same_time(&is.st_mtim, &was->st_mtim) && same_time(&is.st_ctim, &was->st_ctim);
}

static bool is_of(const struct ph_asset_index *index, char *const *roots, size_t nroots) {
  if (index->nroots != nroots || index->nfolders < nroots)
    return false;
  for (size_t i = 0; i < nroots; i++)
    if (strcmp(index->folders[i].path, roots[i]) != 0)
      return false;
  return true;
}

static bool is_fresh(const struct ph_asset_index *index) {
  for (size_t i = 0; i < index->nfolders; i++)
    if (!is_settled(&index->folders[i], &index->when) || !is_unchanged(&index->folders[i]))
      return false;
  return true;
}

ph_status ph_asset_index_get(const struct ph_asset_index **out, char *const *roots, size_t nroots) {
  static struct ph_asset_index *kept;
  ph_status status = PH_OK;
  if (!kept || !is_of(kept, roots, nroots) || !is_fresh(kept)) {
    ph_asset_index_free(kept);
    kept = NULL;
    status = ph_asset_index_new(&kept, roots, nroots);
  }
  *out = kept;
  return status;
}

size_t ph_asset_index_size(const struct ph_asset_index *index, bool *cut) {
  *cut = index->cut;
  return index->n;
}

/* --- finding --- */

size_t ph_asset_shared(const char *a, const char *b, bool folded) {
  size_t n = strlen(a), m = strlen(b), shared = 0;
  while (n > 0 && m > 0) {
    size_t i = n, k = m;
    while (i > 0 && a[i - 1] != '/')
      i--;
    while (k > 0 && b[k - 1] != '/')
      k--;
    bool same = n - i == m - k && (folded ? strncasecmp(a + i, b + k, n - i) == 0
                                          : strncmp(a + i, b + k, n - i) == 0);
    if (!same || n == i)
      break;
    shared++;
    n = i > 0 ? i - 1 : 0;
    m = k > 0 ? k - 1 : 0;
  }
  return shared;
}

static bool same_bytes(const char *a, const char *b) {
  char x[16384], y[16384];
  struct stat p, q;
  int f = open(a, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  int g = open(b, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool same = f >= 0 && g >= 0 && fstat(f, &p) == 0 && fstat(g, &q) == 0 && p.st_size == q.st_size;
  for (off_t at = 0; same && at < p.st_size;) {
    ssize_t n = pread(f, x, sizeof x, at), m = pread(g, y, sizeof y, at);
    same = n > 0 && n == m && memcmp(x, y, (size_t)n) == 0;
    at += n > 0 ? n : 0;
  }
  if (f >= 0)
    close(f);
  if (g >= 0)
    close(g);
  return same;
}

/* The first of those whose base name equals; their number in *n. */
static const found_file *range_of(const struct ph_asset_index *index, const char *base, size_t *n) {
  size_t low = 0, high = index->n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (strcasecmp(index->files[mid].base, base) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  for (high = low; high < index->n && strcasecmp(index->files[high].base, base) == 0;)
    high++;
  *n = high - low;
  return *n > 0 ? index->files + low : NULL;
}

static bool find_best(ph_asset_match *out, const found_file *files, size_t n, const char *path,
                      const char *base, bool folded) {
  const found_file *best = NULL;
  size_t shared = 0;
  int compared = 0;
  for (size_t i = 0; i < n; i++) {
    bool named = folded || strcmp(files[i].base, base) == 0;
    size_t tail = named ? ph_asset_shared(files[i].path, path, folded) : 0;
    if (tail > shared) {
      best = &files[i];
      shared = tail;
    }
  }
  if (!best || strlen(best->path) >= sizeof out->real)
    return false;
  *out = (ph_asset_match){.shared = shared, .folded = folded};
  strcpy(out->real, best->path);
  for (const found_file *f = best + 1; f < files + n && compared < COMPARED_MAX; f++) {
    bool named = folded || strcmp(f->base, base) == 0;
    if (!named || ph_asset_shared(f->path, path, folded) != shared)
      continue;
    compared++;
    if (strlen(f->path) < sizeof out->other && !same_bytes(best->path, f->path)) {
      strcpy(out->other, f->path);
      break;
    }
  }
  return true;
}

bool ph_asset_index_find(ph_asset_match *out, const struct ph_asset_index *index,
                         const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t n;
  const found_file *files = range_of(index, base, &n);
  return n > 0 && (find_best(out, files, n, path, base, false) ||
                   find_best(out, files, n, path, base, true));
}
