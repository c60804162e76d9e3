/* Names of a run's files, and the index record of an episode. A record is 256 bytes, little-endian,
 * so that a torn one shows by the file's size alone:
 *   0 magic[8]       8 episode i64   16 actions i64   24 states i64   32 env_id i32
 *  36 success i8     40 seed[24]     64 determinism[48]
 * 112 model[32]    144 task[32]     (SHA-256 as bytes, all zero: none)
 * 176 end_reason[16]                192 file[60]     252 CRC-32 of the 252 bytes before it */
#include "index_parts.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "hash.h"

enum {
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
char *ph_index_put_id(char *at, int env_id, int64_t episode) {
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
  char *at = stpcpy(ph_index_put_id(name, env_id, episode), "_");
  stpcpy(put_digits(at, actions < 0 ? 0 : actions, 1), ".h5");
  copy_name(out, size, name);
}

void ph_index_journal_name(char *out, size_t size, int env_id, int64_t episode) {
  char name[PH_INDEX_NAME_SIZE];
  char *at = episode < 0 ? put_digits(stpcpy(name, "env"), env_id < 0 ? 0 : env_id, 3)
                         : ph_index_put_id(name, env_id, episode);
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

bool ph_index_record_put(unsigned char record[PH_INDEX_RECORD], const ph_entry *e) {
  memset(record, 0, PH_INDEX_RECORD);
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

static bool record_checks(const unsigned char record[PH_INDEX_RECORD]) {
  return memcmp(record, magic, sizeof magic) == 0 &&
         get_u(record + AT_CRC, 4) == ph_crc32(record, AT_CRC);
}

void ph_index_record_get(ph_entry *e, const unsigned char record[PH_INDEX_RECORD]) {
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
/* Whether a record checks, and its name is that of an episode file with these very facts. */
bool ph_index_record_name(ph_index_named *item, const unsigned char *r) {
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
