/* The file: "PHPRED1\n", the key's hash in 64 digits, the number of states (int64), their bits
 * from the lowest on, and a CRC-32 of all that. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "beside.h"
#include "fail.h"
#include "file.h"
#include "hash.h"
#include "predicate_parts.h"

static const char magic[] = "PHPRED1\n";
enum { MAGIC = 8, HASH = 64, HEAD = MAGIC + HASH + 8, CRC = 4, SMALL = 4096 };

/* --- what it depends on --- */

static void add_number(struct ph_sha256 *sha, int64_t value) {
  ph_sha256_add(sha, &value, sizeof value);
}

static void add_file(struct ph_sha256 *sha, const char *path, const struct stat *st) {
  ph_sha256_add_string(sha, path);
  add_number(sha, (int64_t)st->st_dev);
  add_number(sha, (int64_t)st->st_ino);
  add_number(sha, st->st_size);
  add_number(sha, st->st_mtim.tv_sec);
  add_number(sha, st->st_mtim.tv_nsec);
  add_number(sha, st->st_ctim.tv_sec);
  add_number(sha, st->st_ctim.tv_nsec);
}

/* The clock for files moves in ticks, of some file systems in seconds: one that changed just now
 * may change again and look the same. */
static bool is_fresh(const struct stat *st) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double age = (double)(now.tv_sec - st->st_ctim.tv_sec) +
               1e-9 * (double)(now.tv_nsec - st->st_ctim.tv_nsec);
  return age < (st->st_ctim.tv_nsec ? 0.1 : 3);
}

/* What the shell makes something of: then the words are not the names of the files. */
static const char shell[] = "'\"\\`$~;&|<>(){}*?[]#!\r\n";
static const char blanks[] = " \t", ends[] = " \t\r\n";

/* One word, and what is behind its first '='. NULL, or why nothing is known of it. */
static const char *look_at_word(struct ph_sha256 *sha, const char *word, bool *fresh) {
  struct stat st;
  const char *value = strchr(word, '=');
  if (strcmp(word, "cd") == 0)
    return "the command changes its folder";
  if (stat(word, &st) == 0 && S_ISDIR(st.st_mode))
    return "the command names a folder";
  if (stat(word, &st) == 0 && S_ISREG(st.st_mode)) {
    add_file(sha, word, &st);
    *fresh = *fresh || is_fresh(&st);
  }
  return value && value[1] ? look_at_word(sha, value + 1, fresh) : NULL;
}

static const char *look_at_words(struct ph_sha256 *sha, const char *command, size_t size,
                                 bool *fresh) {
  char word[SMALL];
  const char *why = NULL;
  for (const char *c = command; c < command + size && !why;) {
    size_t n = strcspn(c, ends);
    if (n >= sizeof word)
      return "a word of the command is too long";
    memcpy(word, c, n);
    word[n] = 0;
    why = look_at_word(sha, word, fresh);
    c += n;
    c += strspn(c, blanks);
  }
  return why;
}

void ph_command_look_at(ph_command_look *out, const char *command) {
  struct ph_sha256 *sha = ph_sha256_new();
  *out = (ph_command_look){.why = sha ? NULL : "out of memory"};
  if (!sha)
    return;
  command += strspn(command, ends);
  size_t size = strlen(command);
  while (size > 0 && strchr(ends, command[size - 1]))
    size--;
  ph_sha256_add_string(sha, command);
  if (strcspn(command, shell) < size)
    out->why = "the command is more than plain words";
  else
    out->why = look_at_words(sha, command, size, &out->fresh);
  out->fresh = out->fresh && !out->why;
  ph_sha256_end(sha, out->sha256);
}

static void add_model(struct ph_sha256 *sha, const ph_model *model) {
  ph_sha256_add_string(sha, model ? ph_model_sha256(model) : "");
  ph_sha256_add_string(sha, model ? ph_model_compiled_sha256(model) : "");
  ph_sha256_add_string(sha, model ? ph_engine_version() : "");
}

/* --- where it is --- */

/* The source that it is kept beside: the file, or the run's folder. */
static void source_of(char *out, size_t size, const char *file) {
  char run[SMALL];
  const char *slash = strrchr(file, '/');
  if (!slash)
    snprintf(out, size, ".");
  else
    snprintf(out, size, "%.*s", (int)(slash - file), file);
  snprintf(run, sizeof run, "%.4000s/run.h5", out);
  if (access(run, F_OK) != 0)
    snprintf(out, size, "%s", file);
}

static void choose_place(ph_predicate_key *key, const char *command, const ph_episode_meta *meta) {
  char source[SMALL], name[65], file[PH_BESIDE], other[PH_BESIDE];
  const char *slash = strrchr(meta->file, '/');
  struct ph_sha256 *sha = ph_sha256_new();
  key->file[0] = key->other[0] = 0;
  if (!sha)
    return;
  ph_sha256_add_string(sha, command);
  ph_sha256_add_string(sha, slash ? slash + 1 : meta->file);
  ph_sha256_add_string(sha, meta->group);
  ph_sha256_add_string(sha, meta->id);
  ph_sha256_end(sha, name);
  source_of(source, sizeof source, meta->file);
  ph_beside(file, other, source, ".playhead-predicate");
  snprintf(key->file, sizeof key->file, "%s/%.32s", file, name);
  if (other[0])
    snprintf(key->other, sizeof key->other, "%s/%.32s", other, name);
}

/* Why what is said of it is not to be kept; NULL: it is. */
static const char *unkept(const ph_command_look *look, const struct stat *st) {
  if (look->why)
    return look->why;
  return look->fresh || is_fresh(st) ? "the file changed just now" : NULL;
}

bool ph_predicate_key_make(ph_predicate_key *key, const char *command, const ph_command_look *look,
                           const ph_episode *episode, const ph_model *model, char *why,
                           size_t size) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  struct stat st;
  memset(key, 0, sizeof *key);
  if (stat(meta->file, &st) != 0 || !S_ISREG(st.st_mode)) {
    snprintf(why, size, "%s: its answers are not kept: the episode is not in one file", meta->id);
    return false;
  }
  const char *no = unkept(look, &st);
  struct ph_sha256 *sha = no ? NULL : ph_sha256_new();
  if (!sha) {
    snprintf(why, size, "%s: its answers are not kept: %s", meta->id, no ? no : "out of memory");
    return false;
  }
  ph_sha256_add_string(sha, magic);
  ph_sha256_add_string(sha, look->sha256);
  add_file(sha, meta->group, &st);
  ph_sha256_add_string(sha, meta->id);
  add_number(sha, meta->states);
  add_model(sha, model);
  ph_sha256_end(sha, key->sha256);
  key->states = meta->states;
  choose_place(key, command, meta);
  return key->file[0];
}

/* --- reading and writing --- */

static size_t file_size(int64_t states) {
  return HEAD + ((size_t)states + 7) / 8 + CRC;
}

static bool take(uint8_t *bits, const ph_predicate_key *key, const uint8_t *data, size_t size) {
  uint32_t crc;
  int64_t states;
  if (size != file_size(key->states) || memcmp(data, magic, MAGIC) != 0 ||
      memcmp(data + MAGIC, key->sha256, HASH) != 0)
    return false;
  memcpy(&states, data + MAGIC + HASH, sizeof states);
  memcpy(&crc, data + size - CRC, sizeof crc);
  if (states != key->states || crc != ph_crc32(data, size - CRC))
    return false;
  for (int64_t i = 0; i < states; i++)
    bits[i] = data[HEAD + i / 8] >> (i % 8) & 1;
  return true;
}

static bool recall_from(uint8_t *bits, const ph_predicate_key *key, const char *path) {
  void *data = NULL;
  size_t size = 0;
  int fd = path[0] ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
  bool ok = fd >= 0 && ph_file_whole(&data, &size, fd, file_size(key->states)) == 0 &&
            take(bits, key, data, size);
  if (fd >= 0)
    close(fd);
  free(data);
  return ok;
}

bool ph_predicate_recall(uint8_t *bits, const ph_predicate_key *key) {
  return recall_from(bits, key, key->file) || recall_from(bits, key, key->other);
}

static uint8_t *pack(const uint8_t *bits, const ph_predicate_key *key) {
  size_t size = file_size(key->states);
  uint8_t *data = calloc(size, 1);
  if (!data)
    return NULL;
  memcpy(data, magic, MAGIC);
  memcpy(data + MAGIC, key->sha256, HASH);
  memcpy(data + MAGIC + HASH, &key->states, sizeof key->states);
  for (int64_t i = 0; i < key->states; i++)
    data[HEAD + i / 8] |= (uint8_t)((bits[i] != 0) << (i % 8));
  uint32_t crc = ph_crc32(data, size - CRC);
  memcpy(data + size - CRC, &crc, sizeof crc);
  return data;
}

/* Takes the place of one that is there. 0 or an errno. */
static int write_to(const char *path, const void *data, size_t size) {
  char *temporary = NULL;
  int fd = -1, error = EEXIST;
  for (int n = 0; n < 100 && error == EEXIST; n++) {
    free(temporary);
    temporary = ph_file_temporary(path, n);
    fd = temporary ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    error = !temporary ? ENOMEM : fd < 0 ? errno : 0;
  }
  if (!error)
    error = ph_file_write(fd, 0, data, size);
  if (fd >= 0 && close(fd) != 0 && !error)
    error = errno;
  if (!error && rename(temporary, path) != 0)
    error = errno;
  if (error && fd >= 0)
    unlink(temporary);
  free(temporary);
  return error;
}

ph_status ph_predicate_keep(const uint8_t *bits, const ph_predicate_key *key) {
  char folder[sizeof key->file];
  bool made;
  snprintf(folder, sizeof folder, "%s", key->file);
  *strrchr(folder, '/') = 0;
  ph_status status = ph_folder_create(folder, &made);
  if (status != PH_OK)
    return status;
  uint8_t *data = pack(bits, key);
  int error = data ? write_to(key->file, data, file_size(key->states)) : ENOMEM;
  free(data);
  return error ? ph_fail(PH_EIO, "%s: its answers are not kept: %s", key->file, strerror(error))
               : PH_OK;
}
