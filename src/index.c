/* A record is 256 bytes, little-endian, so that a torn one shows by the file's size alone:
 *   0 magic[8]       8 episode i64   16 actions i64   24 states i64   32 env_id i32
 *  36 success i8     40 seed[24]     64 determinism[48]
 * 112 model[32]    144 task[32]     (SHA-256 as bytes, all zero: none)
 * 176 end_reason[16]                192 file[60]     252 CRC-32 of the 252 bytes before it */
#include "index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "file.h"
#include "hash.h"

enum {
  RECORD = PH_INDEX_RECORD,
  AT_EPISODE = 8,
  AT_ACTIONS = 16,
  AT_STATES = 24,
  AT_ENV = 32,
  AT_SUCCESS = 36,
  AT_SEED = 40,
  AT_DETERMINISM = 64,
  AT_MODEL = 112,
  AT_TASK = 144,
  AT_END = 176,
  AT_FILE = 192,
  AT_CRC = 252,
};

static const char magic[8] = {'P', 'H', 'I', 'D', 'X', '0', '1', '\n'};

/* Decimal digits, at least `width` of them; returns behind the last. */
static char *put_digits(char *at, int64_t value, int width) {
  char digits[24];
  int n = 0;
  for (uint64_t rest = (uint64_t)value; rest > 0 || n < width; rest /= 10)
    digits[n++] = (char)('0' + rest % 10);
  while (n > 0)
    *at++ = digits[--n];
  return at;
}

/* "env<III>_ep<NNNNNN>"; at most 38 characters. Twenty thousand of them are made when a run is
 * opened: printf would take longer than reading the index. */
static char *put_id(char *at, int env_id, int64_t episode) {
  at = put_digits(stpcpy(at, "env"), env_id < 0 ? 0 : env_id, 3);
  at = put_digits(stpcpy(at, "_ep"), episode < 0 ? 0 : episode, 6);
  *at = 0;
  return at;
}

static void copy_name(char *out, size_t size, const char *name) {
  size_t n = strlen(name);
  if (size == 0)
    return;
  n = n < size ? n : size - 1;
  memcpy(out, name, n);
  out[n] = 0;
}

void ph_index_file_name(char *out, size_t size, int env_id, int64_t episode, int64_t actions) {
  char name[PH_INDEX_NAME_SIZE];
  char *at = stpcpy(put_id(name, env_id, episode), "_");
  stpcpy(put_digits(at, actions < 0 ? 0 : actions, 1), ".h5");
  copy_name(out, size, name);
}

void ph_index_journal_name(char *out, size_t size, int env_id, int64_t episode) {
  char name[PH_INDEX_NAME_SIZE];
  char *at = episode < 0 ? put_digits(stpcpy(name, "env"), env_id < 0 ? 0 : env_id, 3)
                         : put_id(name, env_id, episode);
  stpcpy(at, ".journal");
  copy_name(out, size, name);
}

/* Reads decimal digits as put_digits writes them; false for anything else. */
static bool parse_digits(const char **text, int width, int64_t *out) {
  const char *s = *text;
  int64_t value = 0;
  for (; *s >= '0' && *s <= '9'; s++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *s - '0', &value))
      return false;
  ptrdiff_t n = s - *text;
  if (n < width || (n > width && **text == '0'))
    return false;
  *text = s;
  *out = value;
  return true;
}

/* "env<III>" */
static bool parse_env(const char **text, int *env_id) {
  int64_t env;
  if (strncmp(*text, "env", 3) != 0)
    return false;
  *text += 3;
  if (!parse_digits(text, 3, &env) || env > INT32_MAX)
    return false;
  *env_id = (int)env;
  return true;
}

/* "_ep<NNNNNN>" */
static bool parse_episode(const char **text, int64_t *episode) {
  if (strncmp(*text, "_ep", 3) != 0)
    return false;
  *text += 3;
  return parse_digits(text, 6, episode);
}

bool ph_index_parse_name(const char *name, int *env_id, int64_t *episode, int64_t *actions) {
  const char *s = name;
  int env;
  if (!parse_env(&s, &env) || !parse_episode(&s, episode) || *s++ != '_' ||
      !parse_digits(&s, 1, actions))
    return false;
  *env_id = env;
  return strcmp(s, ".h5") == 0;
}

bool ph_index_parse_journal(const char *name, int *env_id, int64_t *episode) {
  const char *s = name;
  *episode = -1;
  if (!parse_env(&s, env_id) || (*s == '_' && !parse_episode(&s, episode)))
    return false;
  return strcmp(s, ".journal") == 0;
}

/* --- one record --- */

static void put_u(unsigned char *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_u(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool put_hash(unsigned char *at, const char *hex) {
  if (!*hex)
    return true;
  for (int i = 0; i < 32; i++) {
    int high = hex_digit(hex[2 * i]), low = high < 0 ? -1 : hex_digit(hex[2 * i + 1]);
    if (low < 0)
      return false;
    at[i] = (unsigned char)(high << 4 | low);
  }
  return hex[64] == 0;
}

static void get_hash(char hex[PH_SHA256_SIZE], const unsigned char *at) {
  static const unsigned char none[32];
  static const char digits[] = "0123456789abcdef";
  hex[0] = 0;
  if (memcmp(at, none, 32) == 0)
    return;
  for (int i = 0; i < 32; i++) {
    hex[2 * i] = digits[at[i] >> 4];
    hex[2 * i + 1] = digits[at[i] & 15];
  }
  hex[64] = 0;
}

static bool put_text(unsigned char *at, size_t size, const char *text) {
  size_t n = strlen(text);
  if (n >= size)
    return false;
  memcpy(at, text, n);
  return true;
}

/* Copies a field that may lack its zero. */
static void get_text(char *out, size_t size, const unsigned char *at, size_t n) {
  ph_escape(out, size, (const char *)at, strnlen((const char *)at, n));
}

static bool record_put(unsigned char record[RECORD], const ph_entry *e) {
  memset(record, 0, RECORD);
  memcpy(record, magic, sizeof magic);
  put_u(record + AT_EPISODE, (uint64_t)e->episode, 8);
  put_u(record + AT_ACTIONS, (uint64_t)e->actions, 8);
  put_u(record + AT_STATES, (uint64_t)e->states, 8);
  put_u(record + AT_ENV, (uint32_t)e->env_id, 4);
  put_u(record + AT_SUCCESS, (uint8_t)(int8_t)e->success, 1);
  bool fits = put_text(record + AT_SEED, 24, e->seed) &&
              put_text(record + AT_DETERMINISM, 48, e->determinism) &&
              put_hash(record + AT_MODEL, e->model_sha256) &&
              put_hash(record + AT_TASK, e->task_sha256) &&
              put_text(record + AT_END, 16, ph_end_name(e->end_reason)) &&
              put_text(record + AT_FILE, 60, e->file);
  put_u(record + AT_CRC, ph_crc32(record, AT_CRC), 4);
  return fits;
}

static bool record_checks(const unsigned char record[RECORD]) {
  return memcmp(record, magic, sizeof magic) == 0 &&
         get_u(record + AT_CRC, 4) == ph_crc32(record, AT_CRC);
}

static void record_get(ph_entry *e, const unsigned char record[RECORD]) {
  char end[20];
  e->episode = (int64_t)get_u(record + AT_EPISODE, 8);
  e->actions = (int64_t)get_u(record + AT_ACTIONS, 8);
  e->states = (int64_t)get_u(record + AT_STATES, 8);
  e->env_id = (int32_t)get_u(record + AT_ENV, 4);
  e->success = (int8_t)record[AT_SUCCESS];
  get_text(e->seed, sizeof e->seed, record + AT_SEED, 24);
  get_text(e->determinism, sizeof e->determinism, record + AT_DETERMINISM, 48);
  get_hash(e->model_sha256, record + AT_MODEL);
  get_hash(e->task_sha256, record + AT_TASK);
  get_text(end, sizeof end, record + AT_END, 16);
  e->end_reason = ph_end_from_name(end);
}

/* --- writing --- */

/* Appends whole; what a full disk or a killed writer left of a record is cut off. */
static ph_status append(int fd, const char *path, const unsigned char record[RECORD]) {
  struct stat st;
  if (fstat(fd, &st) != 0)
    return ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  off_t whole = st.st_size - st.st_size % RECORD;
  if (whole != st.st_size && ftruncate(fd, whole) != 0)
    return ph_fail(PH_EIO, "%s: a torn record cannot be cut off: %s", path, strerror(errno));
  int error = ph_file_write(fd, (uint64_t)whole, record, RECORD);
  if (error && fstat(fd, &st) == 0 && st.st_size % RECORD != 0 && ftruncate(fd, whole) != 0)
    error = errno;
  if (!error && fsync(fd) != 0)
    error = errno;
  if (!error)
    return PH_OK;
  return ph_fail(PH_EIO, "%s: a record cannot be written: %s", path, strerror(error));
}

static ph_status prepare(unsigned char record[RECORD], const char *dir, const ph_entry *entry) {
  if (record_put(record, entry))
    return PH_OK;
  return ph_fail(PH_EINVAL, "%s/index: %s: its facts do not fit a record", dir, entry->file);
}

static ph_status append_record(int folder, const char *dir, const unsigned char record[RECORD]) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = openat(folder, "index", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: cannot be opened for writing: %s", path, strerror(errno));
  ph_status status = append(fd, path, record);
  if (close(fd) != 0 && status == PH_OK)
    status = ph_fail(PH_EIO, "%s: closing it failed: %s", path, strerror(errno));
  return status;
}

ph_status ph_index_append_in(int folder, const char *dir, const ph_entry *entry) {
  unsigned char record[RECORD];
  ph_status status = prepare(record, dir, entry);
  return status ? status : append_record(folder, dir, record);
}

ph_status ph_index_append(const char *dir, const ph_entry *entry) {
  unsigned char record[RECORD];
  ph_status status = prepare(record, dir, entry);
  if (status)
    return status;
  int folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return ph_fail(PH_EIO, "%s/index: cannot be opened for writing: %s", dir, strerror(errno));
  status = append_record(folder, dir, record);
  close(folder);
  return status;
}

/* --- reading --- */

/* A file of the folder or a record, by what its name says. */
typedef struct named {
  int env_id;
  int64_t episode, actions;
  size_t record; /* number in the index; SIZE_MAX: a file of the folder */
} named;

typedef struct named_list {
  named *at;
  size_t n, room;
} named_list;

static int named_compare(const void *a, const void *b) {
  const named *x = a, *y = b;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  if (x->actions != y->actions)
    return x->actions < y->actions ? -1 : 1;
  return x->record < y->record ? -1 : x->record > y->record;
}

static bool list_add(named_list *list, named item) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 256;
    named *at = realloc(list->at, room * sizeof *at);
    if (!at)
      return false;
    list->at = at;
    list->room = room;
  }
  list->at[list->n++] = item;
  return true;
}

static void list_sort(named_list *list) {
  bool sorted = true;
  for (size_t i = 1; i < list->n && sorted; i++)
    sorted = named_compare(&list->at[i - 1], &list->at[i]) <= 0;
  if (!sorted)
    qsort(list->at, list->n, sizeof *list->at, named_compare);
}

/* Zeroed memory, to be freed. Twenty thousand entries are 22 MB: in pages of 4 kB their first touch
 * would cost more than everything else (145 ms against 2 ms in a virtual machine). */
static void *big_new(size_t size) {
  const size_t page = (size_t)2 << 20;
  if (size < page || size > SIZE_MAX / 2)
    return calloc(1, size + 1);
  size = (size + page - 1) / page * page;
  void *memory = aligned_alloc(page, size);
  if (!memory)
    return NULL;
  madvise(memory, size, MADV_HUGEPAGE);
  return memset(memory, 0, size);
}

/* The whole index; *out NULL and *n 0 when there is none. */
static ph_status read_records(unsigned char **out, size_t *n, const char *dir) {
  char path[4096];
  ph_status status = PH_OK;
  struct stat st;
  size_t size = 0, got = 0;
  *out = NULL;
  *n = 0;
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return PH_OK;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
    goto out;
  size = (size_t)st.st_size - (size_t)st.st_size % RECORD;
  *out = size > 0 ? big_new(size) : NULL;
  if (size > 0 && !*out) {
    status = ph_fail(PH_ENOMEM, "%s: %zu bytes: out of memory", path, size);
    goto out;
  }
  while (got < size) {
    ssize_t r = pread(fd, *out + got, size - got, (off_t)got);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      break;
    got += (size_t)r;
  }
  *n = got / RECORD;
out:
  close(fd);
  return status;
}

/* Whether a record checks, and its name is that of an episode file with these very facts. */
static bool name_record(named *item, const unsigned char *r) {
  char name[64];
  if (!record_checks(r))
    return false;
  memcpy(name, r + AT_FILE, 60);
  name[60] = 0;
  if (!ph_index_parse_name(name, &item->env_id, &item->episode, &item->actions))
    return false;
  if ((int64_t)get_u(r + AT_EPISODE, 8) != item->episode ||
      (int64_t)get_u(r + AT_ACTIONS, 8) != item->actions ||
      (int32_t)get_u(r + AT_ENV, 4) != item->env_id)
    return false;
  int64_t states = (int64_t)get_u(r + AT_STATES, 8);
  return states == item->actions || states == item->actions + 1;
}

/* False: out of memory. */
static bool list_records(named_list *list, const unsigned char *records, size_t n) {
  for (size_t i = 0; i < n; i++) {
    named item = {.record = i};
    if (name_record(&item, records + i * RECORD) && !list_add(list, item))
      return false;
  }
  list_sort(list);
  return true;
}

static ph_status list_folder(named_list *list, const char *dir) {
  DIR *d = opendir(dir);
  struct dirent *entry;
  if (!d)
    return ph_fail(PH_EIO, "%s: cannot be listed: %s", dir, strerror(errno));
  ph_status status = PH_OK;
  while ((entry = readdir(d))) {
    named item = {.record = SIZE_MAX};
    if (!ph_index_parse_name(entry->d_name, &item.env_id, &item.episode, &item.actions))
      continue;
    if (!list_add(list, item)) {
      status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
      break;
    }
  }
  closedir(d);
  list_sort(list);
  return status;
}

/* Facts of a file without a record, from its attributes; what is wrong with it becomes its oddity.
 */
static void entry_from_file(ph_entry *e) {
  ph_entry facts;
  if (ph_episode_peek(&facts, e->file, "/data/demo_0") != PH_OK) {
    ph_oddity(e->oddity, sizeof e->oddity, e->file);
    e->success = -1;
    e->end_reason = PH_END_UNKNOWN;
    e->states = e->actions;
    return;
  }
  if (facts.actions != e->actions || facts.env_id != e->env_id || facts.episode != e->episode)
    snprintf(e->oddity, sizeof e->oddity,
             "its name does not fit its facts: env %d episode %lld, %lld actions", facts.env_id,
             (long long)facts.episode, (long long)facts.actions);
  memcpy(facts.id, e->id, sizeof facts.id);
  memcpy(facts.file, e->file, sizeof facts.file);
  memcpy(facts.oddity, e->oddity, sizeof facts.oddity);
  *e = facts;
}

static ph_status fill(ph_entry *e, const char *dir, const named *item,
                      const unsigned char *record) {
  size_t n = strlen(dir);
  if (n + 1 + PH_INDEX_NAME_SIZE > sizeof e->file)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  memcpy(e->file, dir, n);
  e->file[n] = '/';
  ph_index_file_name(e->file + n + 1, PH_INDEX_NAME_SIZE, item->env_id, item->episode,
                     item->actions);
  put_id(e->id, item->env_id, item->episode);
  memcpy(e->group, "/data/demo_0", sizeof "/data/demo_0");
  e->env_id = item->env_id;
  e->episode = item->episode;
  e->actions = item->actions;
  if (record)
    record_get(e, record);
  else
    entry_from_file(e);
  return PH_OK;
}

static bool same_episode(const named *a, const named *b) {
  return a->env_id == b->env_id && a->episode == b->episode;
}

/* Adds to the files the records whose episode has none: it was there, and is lost. */
static bool list_lost(named_list *files, const named_list *listed) {
  size_t n = files->n;
  for (size_t i = 0, j = 0; j < listed->n; j++) {
    const named *item = &listed->at[j];
    if (j + 1 < listed->n && same_episode(item, item + 1))
      continue;
    while (i < n && !same_episode(&files->at[i], item) && named_compare(&files->at[i], item) < 0)
      i++;
    if ((i == n || !same_episode(&files->at[i], item)) && !list_add(files, *item))
      return false;
  }
  list_sort(files);
  return true;
}

static void note_lost(ph_entry *e) {
  snprintf(e->oddity, sizeof e->oddity, "the index names %s, which is not in the folder",
           strrchr(e->file, '/') + 1);
}

/* Walks both sorted lists; the last record of a file wins. */
static ph_status merge(ph_entry *entries, const char *dir, const named_list *files,
                       const named_list *listed, const unsigned char *records) {
  size_t j = 0;
  for (size_t i = 0; i < files->n; i++) {
    const unsigned char *record = NULL;
    named key = files->at[i];
    key.record = 0;
    while (j < listed->n && named_compare(&listed->at[j], &key) < 0)
      j++;
    for (; j < listed->n; j++) {
      named next = listed->at[j];
      next.record = 0;
      if (named_compare(&next, &key) != 0)
        break;
      record = records + listed->at[j].record * RECORD;
    }
    ph_status status = fill(&entries[i], dir, &files->at[i], record);
    if (status)
      return status;
    if (files->at[i].record != SIZE_MAX)
      note_lost(&entries[i]);
    if (i > 0 && strcmp(entries[i].id, entries[i - 1].id) == 0 && !entries[i].oddity[0])
      snprintf(entries[i].oddity, sizeof entries[i].oddity,
               "the run has two files of this episode");
  }
  return PH_OK;
}

ph_status ph_index_load(ph_entry **out, size_t *n, const char *dir) {
  unsigned char *records = NULL;
  named_list files = {0}, listed = {0};
  ph_entry *entries = NULL;
  size_t nrecords;
  *out = NULL;
  *n = 0;
  /* The index first: whatever it names is in the folder by the time that is listed. */
  ph_status status = read_records(&records, &nrecords, dir);
  if (status == PH_OK && !list_records(&listed, records, nrecords))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (status == PH_OK)
    status = list_folder(&files, dir);
  if (status == PH_OK && !list_lost(&files, &listed))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dir);
  if (status)
    goto out;
  entries = big_new((files.n + 1) * sizeof *entries);
  status = entries ? merge(entries, dir, &files, &listed, records)
                   : ph_fail(PH_ENOMEM, "%s: %zu episodes: out of memory", dir, files.n);
  if (status)
    goto out;
  *out = entries;
  *n = files.n;
  entries = NULL;
out:
  free(entries);
  free(files.at);
  free(listed.at);
  free(records);
  return status;
}

/* --- a run that grows --- */

ph_status ph_index_entry(ph_entry *out, const char *dir, int env_id, int64_t episode,
                         int64_t actions) {
  named item = {env_id, episode, actions, SIZE_MAX};
  memset(out, 0, sizeof *out);
  return fill(out, dir, &item, NULL);
}

static ph_status visit_record(const unsigned char *record, const char *dir, ph_index_visit *visit,
                              void *arg) {
  named item = {0};
  ph_entry entry = {0};
  if (!name_record(&item, record))
    return PH_OK;
  ph_status status = fill(&entry, dir, &item, record);
  return status == PH_OK ? visit(arg, &entry) : status;
}

ph_status ph_index_follow(size_t *next, const char *dir, ph_index_visit *visit, void *arg) {
  unsigned char records[64 * RECORD];
  char path[4096];
  ph_status status = PH_OK;
  struct stat st;
  ssize_t got = 0;
  if (snprintf(path, sizeof path, "%s/index", dir) >= (int)sizeof path)
    return ph_fail(PH_EINVAL, "%s: the path is too long", dir);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return PH_OK;
  bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  while (regular && status == PH_OK &&
         (got = pread(fd, records, sizeof records, (off_t)(*next * RECORD))) >= RECORD)
    for (size_t i = 0; status == PH_OK && i < (size_t)got / RECORD; i++, ++*next)
      status = visit_record(records + i * RECORD, dir, visit, arg);
  close(fd);
  return status;
}
