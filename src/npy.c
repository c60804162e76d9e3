#include "npy.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define COUNT_MAX ((size_t)1 << 31)

const char *ph_npy_lead(size_t *at, size_t *length, const unsigned char *bytes, size_t n) {
  if (n < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return "it does not begin as an array of NumPy";
  int version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0)
    return "its header is of a version that is not known";
  *at = version == 1 ? 10 : 12;
  *length = bytes[8] | (size_t)bytes[9] << 8;
  if (version > 1 && n >= 12)
    *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (n < *at)
    return "it ends within its header";
  return *length > PH_NPY_TEXT ? "its header is longer than any that is read" : NULL;
}

/* --- the text of the header --- */

typedef struct cursor {
  const char *at, *end;
  const char *rows; /* the digits of the first size; NULL: none were met */
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
    c->at++;
}

/* Takes the character if it is next, behind space. */
static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted)
    return false;
  c->at++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  size_t n = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
    return false;
  c->at += n;
  return true;
}

/* A quoted string without escapes; what is between the quotes. */
static bool take_string(cursor *c, const char **text, size_t *n) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
    return false;
  char quote = *c->at++;
  *text = c->at;
  while (c->at < c->end && *c->at != quote && *c->at != '\\' && *c->at != '\n')
    c->at++;
  *n = (size_t)(c->at - *text);
  if (c->at == c->end || *c->at != quote)
    return false;
  c->at++;
  return true;
}

static bool take_size(cursor *c, int64_t *out) {
  skip_space(c);
  const char *from = c->at;
  *out = 0;
  for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
    if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *c->at - '0', out))
      return false;
  if (c->at == from)
    return false;
  if (c->at < c->end && *c->at == 'L') /* Python 2 wrote it so */
    c->at++;
  return true;
}

static bool take_shape(cursor *c, ph_npy *out) {
  if (!take(c, '('))
    return false;
  bool comma = true;
  while (!take(c, ')')) {
    int64_t size;
    skip_space(c);
    if (out->rank == 0)
      c->rows = c->at;
    if (!comma || !take_size(c, &size))
      return false;
    if (out->rank < 4)
      out->dim[out->rank] = size;
    out->rank++;
    comma = take(c, ',');
    if (!comma && out->rank == 1)
      return false; /* (3) is a number, (3,) a tuple */
  }
  return true;
}

/* A list or tuple of a record's fields: skipped with its brackets, whatever is in it. */
static bool skip_fields(cursor *c) {
  int depth = 0;
  do {
    skip_space(c);
    const char *text;
    size_t n;
    if (c->at == c->end)
      return false;
    if (*c->at == '\'' || *c->at == '"') {
      if (!take_string(c, &text, &n))
        return false;
      continue;
    }
    depth += *c->at == '[' || *c->at == '(';
    depth -= *c->at == ']' || *c->at == ')';
    c->at++;
  } while (depth > 0);
  return true;
}

static bool take_descr(cursor *c, ph_npy *out) {
  const char *text;
  size_t n;
  skip_space(c);
  if (c->at < c->end && (*c->at == '[' || *c->at == '(')) {
    strcpy(out->descr, "record");
    return skip_fields(c);
  }
  if (!take_string(c, &text, &n) || n == 0 || n >= sizeof out->descr)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!isgraph((unsigned char)text[i]))
      return false;
  memcpy(out->descr, text, n);
  out->descr[n] = 0;
  return true;
}

static bool take_bool(cursor *c, bool *out) {
  *out = take_word(c, "True");
  return *out || take_word(c, "False");
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

/* One "key: value"; seen gets the key's bit. A key that comes twice or is not known is wrong. */
static bool take_pair(cursor *c, ph_npy *out, int *seen) {
  const char *key;
  size_t n;
  if (!take_string(c, &key, &n) || !take(c, ':'))
    return false;
  int bit = n == 5 && memcmp(key, "descr", n) == 0            ? DESCR
            : n == 13 && memcmp(key, "fortran_order", n) == 0 ? ORDER
            : n == 5 && memcmp(key, "shape", n) == 0          ? SHAPE
                                                              : 0;
  if (bit == 0 || (*seen & bit))
    return false;
  *seen |= bit;
  return bit == DESCR   ? take_descr(c, out)
         : bit == ORDER ? take_bool(c, &out->fortran)
                        : take_shape(c, out);
}

static bool take_dict(cursor *c, ph_npy *out) {
  int seen = 0;
  bool comma = true;
  if (!take(c, '{'))
    return false;
  while (!take(c, '}')) {
    if (!comma || !take_pair(c, out, &seen))
      return false;
    comma = take(c, ',');
  }
  skip_space(c);
  return c->at == c->end && seen == ALL;
}

/* --- what an element is --- */

typedef struct element {
  char kind;
  int bytes;
  const char *name;
  ph_type stored;
} element;

static const element elements[] = {
    {'b', 1, "bool", PH_U8},     {'f', 2, "float16", PH_F32}, {'f', 4, "float32", PH_F32},
    {'f', 8, "float64", PH_F64}, {'i', 1, "int8", PH_I32},    {'i', 2, "int16", PH_I32},
    {'i', 4, "int32", PH_I32},   {'i', 8, "int64", PH_I64},   {'u', 1, "uint8", PH_U8},
    {'u', 2, "uint16", PH_U32},  {'u', 4, "uint32", PH_U32},  {'u', 8, "uint64", PH_I64},
};

/* NULL: not of numbers. */
static const element *element_of(const ph_npy *npy) {
  char order = npy->descr[0];
  if (order != '<' && order != '>' && order != '|')
    return NULL;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    const element *e = &elements[i];
    if (npy->descr[1] == e->kind && npy->descr[2] == '0' + e->bytes && npy->descr[3] == 0)
      return order != '|' || e->bytes == 1 ? e : NULL;
  }
  return NULL;
}

/* Bytes that the number in a descr stands for; 0: there is none. */
static size_t descr_size(const ph_npy *npy) {
  char *end;
  if (!isdigit((unsigned char)npy->descr[2]))
    return 0;
  unsigned long n = strtoul(npy->descr + 2, &end, 10);
  return *end || n > PH_NPY_TEXT * 64ul ? 0 : n;
}

size_t ph_npy_element(const ph_npy *npy) {
  const element *e = element_of(npy);
  if (e)
    return (size_t)e->bytes;
  if (!strchr("<>|", npy->descr[0]) || !npy->descr[1])
    return 0;
  switch (npy->descr[1]) {
  case 'U':
    return 4 * descr_size(npy);
  case 'S':
  case 'c':
  case 'f':
  case 'V':
    return descr_size(npy);
  default:
    return 0;
  }
}

static void name_others(ph_npy *out) {
  bool ordered = strchr("<>|", out->descr[0]) && out->descr[1];
  char kind = strcmp(out->descr, "record") == 0 ? 'r' : ordered ? out->descr[1] : '?';
  size_t bits = 8 * ph_npy_element(out);
  const char *name = "unknown", *why = "its elements are of a type that is not known";
  switch (kind) {
  case 'O':
    name = "object", why = "its elements are pickled Python objects";
    break;
  case 'U':
  case 'S':
    name = "text", why = "its elements are text";
    break;
  case 'V':
  case 'r':
    name = "record", why = "its elements are records";
    break;
  case 'M':
  case 'm':
    name = kind == 'M' ? "datetime" : "timedelta", why = "its elements are times of the calendar";
    break;
  case 'c':
  case 'f':
    why = kind == 'c' ? "its elements are complex numbers" : "its elements are of an unusual width";
    snprintf(out->type, sizeof out->type, "%s%zu", kind == 'c' ? "complex" : "float", bits % 10000);
    snprintf(out->why, sizeof out->why, "%s", why);
    return;
  default:
    break;
  }
  snprintf(out->type, sizeof out->type, "%s", name);
  snprintf(out->why, sizeof out->why, "%s", why);
}

/* The sizes that are not 0 are bounded too: an empty array may have others. */
static bool count_elements(ph_npy *out) {
  size_t n = 1;
  bool empty = false;
  for (int i = 0; i < out->rank && i < 4; i++) {
    empty |= out->dim[i] == 0;
    size_t size = out->dim[i] > 0 ? (size_t)out->dim[i] : 1;
    if (__builtin_mul_overflow(n, size, &n) || n > COUNT_MAX)
      return false;
  }
  out->count = empty ? 0 : n;
  return true;
}

const char *ph_npy_parse(ph_npy *out, const char *text, size_t n) {
  cursor c = {text, text + n, NULL};
  char name[sizeof out->name];
  memcpy(name, out->name, sizeof name);
  memset(out, 0, sizeof *out);
  memcpy(out->name, name, sizeof name);
  if (!take_dict(&c, out))
    return "its header is none that NumPy writes";
  if (!count_elements(out))
    return "it has more elements than can be read";
  const element *e = element_of(out);
  if (!e) {
    name_others(out);
  } else {
    out->stored = e->stored;
    snprintf(out->type, sizeof out->type, "%s", e->name);
  }
  if (out->rank > 4)
    snprintf(out->why, sizeof out->why, "it has %d dimensions", out->rank);
  out->numeric = !out->why[0];
  return NULL;
}

size_t ph_npy_rows(size_t *at, const char *text, size_t n) {
  ph_npy npy = {0};
  cursor c = {text, text + n, NULL};
  size_t digits = 0;
  if (!take_dict(&c, &npy) || npy.rank == 0)
    return 0;
  *at = (size_t)(c.rows - text);
  while (*at + digits < n && isdigit((unsigned char)c.rows[digits]))
    digits++;
  return digits;
}

/* --- elements --- */

size_t ph_npy_flag(unsigned char out[8], const ph_npy *npy, bool one) {
  static const struct {
    int bytes;
    uint64_t bits;
  } ones[] = {{2, 0x3c00}, {4, 0x3f800000}, {8, 0x3ff0000000000000}};
  const element *e = element_of(npy);
  uint64_t bits = one;
  if (!e)
    return 0;
  for (size_t i = 0; one && e->kind == 'f' && i < sizeof ones / sizeof *ones; i++)
    if (ones[i].bytes == e->bytes)
      bits = ones[i].bits;
  for (int b = 0; b < e->bytes; b++)
    out[npy->descr[0] == '>' ? e->bytes - 1 - b : b] = (unsigned char)(bits >> 8 * b);
  return (size_t)e->bytes;
}

static double half_value(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023, word;
  float value;
  if (exponent == 0) {
    value = (float)fraction * 0x1p-24f;
    return bits >> 15 ? -value : value;
  }
  word = (uint32_t)(bits >> 15) << 31 | fraction << 13 |
         (exponent == 31 ? 255u : exponent + 112) << 23;
  memcpy(&value, &word, sizeof value);
  return value;
}

static double value_of(char kind, int bytes, uint64_t bits) {
  double wide;
  float narrow;
  uint32_t word = (uint32_t)bits;
  switch (kind) {
  case 'f':
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &word, sizeof narrow);
    return bytes == 8 ? wide : bytes == 4 ? (double)narrow : half_value((uint16_t)bits);
  case 'i':
    return bytes == 8   ? (double)(int64_t)bits
           : bytes == 4 ? (double)(int32_t)bits
           : bytes == 2 ? (double)(int16_t)bits
                        : (double)(int8_t)bits;
  default:
    return (double)bits;
  }
}

void ph_npy_numbers(double *out, const ph_npy *npy, const unsigned char *bytes, size_t n) {
  const element *e = element_of(npy);
  assert(e && npy->numeric);
  bool big = npy->descr[0] == '>';
  if (e->kind == 'f' && e->bytes == 8 && big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
    memcpy(out, bytes, n * sizeof *out);
    return;
  }
  for (size_t i = 0; i < n; i++, bytes += e->bytes) {
    uint64_t bits = 0;
    for (int b = 0; b < e->bytes; b++)
      bits = bits << 8 | bytes[big ? b : e->bytes - 1 - b];
    out[i] = value_of(e->kind, e->bytes, bits);
  }
}

size_t ph_npy_next(const ph_npy *npy, int64_t at[4]) {
  size_t place = 0;
  for (int i = 0; i < npy->rank; i++)
    place = place * (size_t)npy->dim[i] + (size_t)at[i];
  for (int i = 0; i < npy->rank && ++at[i] == npy->dim[i]; i++)
    at[i] = 0;
  return place;
}

/* --- writing --- */

static const char *descr_of(ph_type type) {
  static const char *const little[] = {[PH_F64] = "<f8", [PH_I64] = "<i8", [PH_U8] = "|u1",
                                       [PH_U32] = "<u4", [PH_I32] = "<i4", [PH_F32] = "<f4"};
  static const char *const big[] = {[PH_F64] = ">f8", [PH_I64] = ">i8", [PH_U8] = "|u1",
                                    [PH_U32] = ">u4", [PH_I32] = ">i4", [PH_F32] = ">f4"};
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? little[type] : big[type];
}

size_t ph_npy_head(unsigned char out[PH_NPY_HEAD], ph_type type, int rank, const int64_t *dim) {
  assert(type != PH_STRING);
  return ph_npy_head_of(out, descr_of(type), rank, dim);
}

size_t ph_npy_head_of(unsigned char out[PH_NPY_HEAD], const char *descr, int rank,
                      const int64_t *dim) {
  char text[PH_NPY_HEAD];
  assert(rank >= 0 && rank <= 4);
  size_t n = (size_t)snprintf(text, sizeof text,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int i = 0; i < rank; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld%s", i > 0 ? ", " : "",
                          (long long)dim[i], rank == 1 ? "," : "");
  n += (size_t)snprintf(text + n, sizeof text - n, "), }");
  size_t size = (10 + n + 1 + 63) / 64 * 64, length = size - 10;
  assert(size <= PH_NPY_HEAD);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (unsigned char)length;
  out[9] = (unsigned char)(length >> 8);
  memcpy(out + 10, text, n);
  memset(out + 10 + n, ' ', length - n - 1);
  out[size - 1] = '\n';
  return size;
}
