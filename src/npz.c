#include "npz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "fail.h"
#include "npy.h"

#define TEXT_MAX (1 << 20) /* bytes of a scalar of text */
#define BLOCK 65536        /* bytes that are converted at a time; a multiple of every element */
#define DEFLATE_RATIO 1040 /* no deflated byte stands for more */

typedef struct member {
  ph_npy info;
  zip_uint64_t place; /* in the archive */
  uint64_t size;      /* unpacked, header included */
  size_t head;        /* bytes before the elements; 0: there are none that could be read */
} member;

struct ph_npz {
  zip_t *zip;
  char *path;
  member *at;
  size_t n;
};

/* --- members --- */

static void because(ph_npy *info, const char *why) {
  snprintf(info->why, sizeof info->why, "%s", why);
  info->numeric = false;
}

/* What libzip says of a member that failed. */
static const char *reason(zip_file_t *file) {
  return zip_error_strerror(zip_file_get_error(file));
}

/* All n bytes, or false. */
static bool read_all(zip_file_t *file, void *out, size_t n) {
  char *to = out;
  while (n > 0) {
    zip_int64_t got = zip_fread(file, to, n);
    if (got <= 0)
      return false;
    to += got;
    n -= (size_t)got;
  }
  return true;
}

/* Whether the sizes that the archive states can be true. NULL or a static phrase. */
static const char *check_stat(const zip_stat_t *st) {
  zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((st->valid & needed) != needed)
    return "the archive does not say how large it is";
  if ((st->valid & ZIP_STAT_ENCRYPTION_METHOD) && st->encryption_method != ZIP_EM_NONE)
    return "it is encrypted";
  if (st->comp_method != ZIP_CM_STORE && st->comp_method != ZIP_CM_DEFLATE)
    return "it is packed in a way that NumPy does not use";
  if (st->comp_method == ZIP_CM_STORE && st->size != st->comp_size)
    return "the archive states two sizes for it";
  if (st->comp_size > UINT64_MAX / DEFLATE_RATIO - 1 ||
      st->size > (st->comp_size + 1) * DEFLATE_RATIO)
    return "it would unpack to more than its bytes can hold";
  return NULL;
}

/* Reads and parses the header. NULL or a static phrase. */
static const char *read_head(member *m, zip_file_t *file) {
  unsigned char lead[PH_NPY_LEAD];
  char *text = NULL;
  size_t at = 0, length = 0, n = m->size < sizeof lead ? (size_t)m->size : sizeof lead;
  if (!read_all(file, lead, n))
    return "its first bytes are damaged";
  const char *why = ph_npy_lead(&at, &length, lead, n);
  if (why)
    return why;
  if (length > m->size - at)
    return "it ends within its header";
  text = malloc(length + sizeof lead);
  if (!text)
    return "there is no memory for its header";
  size_t early = n - at; /* of the text, read with the lead */
  memcpy(text, lead + at, early);
  if (length > early && !read_all(file, text + early, length - early))
    why = "its header is damaged";
  if (!why)
    why = ph_npy_parse(&m->info, text, length);
  if (!why)
    m->head = at + length;
  free(text);
  return why;
}

/* The elements must fill what is behind the header, no more and no less. */
static void check_size(member *m) {
  size_t element = ph_npy_element(&m->info), bytes = 0;
  uint64_t there = m->size - m->head;
  if (element == 0 || m->info.rank > 4)
    return;
  if (__builtin_mul_overflow(element, m->info.count, &bytes) || bytes != there) {
    snprintf(m->info.why, sizeof m->info.why, "its shape takes %zu bytes, and %llu are there",
             bytes, (unsigned long long)there);
    m->info.numeric = false;
    m->head = 0;
  }
}

/* The name without ".npy"; false: the member is no array. */
static bool name_member(ph_npy *info, bool *cut, const char *name) {
  char whole[2 * sizeof info->name];
  size_t n = strlen(name);
  bool array = n > 4 && strcmp(name + n - 4, ".npy") == 0;
  ph_escape(whole, sizeof whole, name, array ? n - 4 : n);
  ph_escape(info->name, sizeof info->name, name, array ? n - 4 : n);
  *cut = strcmp(whole, info->name) != 0;
  return array;
}

static void look_at(member *m, zip_t *zip, const char *name) {
  zip_stat_t st;
  zip_stat_init(&st);
  bool cut;
  if (!name_member(&m->info, &cut, name)) {
    strcpy(m->info.type, "file");
    because(&m->info, "it is no array");
    return;
  }
  const char *why = "the archive does not describe it";
  if (zip_stat_index(zip, m->place, 0, &st) == 0)
    why = check_stat(&st);
  if (!why && zip_name_locate(zip, name, ZIP_FL_ENC_RAW) != (zip_int64_t)m->place)
    why = "an array before it has the same name";
  m->size = st.size;
  if (!why) {
    zip_file_t *file = zip_fopen_index(zip, m->place, 0);
    why = file ? read_head(m, file) : zip_strerror(zip);
    if (file)
      zip_fclose(file);
  }
  if (why) {
    because(&m->info, why);
    if (!m->info.type[0])
      strcpy(m->info.type, "damaged");
    return;
  }
  check_size(m);
  if (cut)
    because(&m->info, "its name is too long");
}

static ph_status list_members(ph_npz *npz) {
  zip_int64_t n = zip_get_num_entries(npz->zip, 0);
  npz->at = calloc(n > 0 ? (size_t)n : 1, sizeof *npz->at);
  if (!npz->at)
    return ph_fail(PH_ENOMEM, "%s: out of memory", npz->path);
  for (zip_int64_t i = 0; i < n; i++) {
    const char *name = zip_get_name(npz->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
    if (!name || !*name || name[strlen(name) - 1] == '/')
      continue;
    member *m = &npz->at[npz->n++];
    m->place = (zip_uint64_t)i;
    look_at(m, npz->zip, name);
  }
  return PH_OK;
}

/* --- opening --- */

/* What a file is that libzip does not take. */
static ph_status refuse(int fd, const char *path, zip_error_t *error) {
  static const char lfs[] = "version https://git-lfs.github.com/spec/";
  char head[sizeof lfs] = "";
  bool none = zip_error_code_zip(error) == ZIP_ER_NOZIP;
  ssize_t n = pread(fd, head, sizeof lfs - 1, 0);
  if (n == sizeof lfs - 1 && memcmp(head, lfs, sizeof lfs - 1) == 0)
    return ph_fail(PH_EFORMAT,
                   "%s: a Git LFS pointer stands here instead of the file: git lfs pull", path);
  if (none && n >= 4 && memcmp(head, "PK\3\4", 4) == 0)
    return ph_fail(PH_EFORMAT, "%s: it was not written to the end: its list of arrays is missing",
                   path);
  if (none)
    return ph_fail(PH_EFORMAT, "%s: it is not a ZIP archive", path);
  bool memory = zip_error_code_zip(error) == ZIP_ER_MEMORY;
  return ph_fail(memory ? PH_ENOMEM : PH_EFORMAT, "%s: the archive cannot be read: %s", path,
                 zip_error_strerror(error));
}

/* fd stays the caller's. */
static ph_status open_zip(zip_t **out, int fd, const char *path) {
  zip_error_t error;
  zip_source_t *source = NULL;
  int taken = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = taken < 0 ? NULL : fdopen(taken, "rb");
  if (!file) {
    if (taken >= 0)
      close(taken);
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", path, strerror(errno));
  }
  zip_error_init(&error);
  source = zip_source_filep_create(file, 0, -1, &error);
  if (source)
    *out = zip_open_from_source(source, ZIP_RDONLY, &error);
  ph_status status = *out ? PH_OK : refuse(fd, path, &error);
  if (!source)
    fclose(file);
  else if (!*out)
    zip_source_free(source);
  zip_error_fini(&error);
  return status;
}

static ph_status open_file(zip_t **out, const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", path, strerror(errno));
  ph_status status = PH_OK;
  if (fstat(fd, &st) != 0)
    status = ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  else if (!S_ISREG(st.st_mode))
    status = ph_fail(PH_EFORMAT, "%s: it is not a regular file", path);
  else if (st.st_size == 0)
    status = ph_fail(PH_EFORMAT, "%s: the file is empty", path);
  else
    status = open_zip(out, fd, path);
  close(fd);
  return status;
}

ph_status ph_npz_open(ph_npz **out, const char *path) {
  *out = NULL;
  ph_npz *npz = calloc(1, sizeof *npz);
  if (!npz || !(npz->path = strdup(path))) {
    free(npz);
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  }
  ph_status status = open_file(&npz->zip, path);
  if (status == PH_OK)
    status = list_members(npz);
  if (status)
    ph_npz_close(npz);
  else
    *out = npz;
  return status;
}

void ph_npz_close(ph_npz *npz) {
  if (!npz)
    return;
  if (npz->zip)
    zip_discard(npz->zip);
  free(npz->path);
  free(npz->at);
  free(npz);
}

size_t ph_npz_count(const ph_npz *npz) {
  return npz->n;
}

const ph_npy *ph_npz_info(const ph_npz *npz, size_t i) {
  return &npz->at[i].info;
}

size_t ph_npz_find(const ph_npz *npz, const char *name) {
  for (size_t i = 0; i < npz->n; i++)
    if (strcmp(npz->at[i].info.name, name) == 0)
      return i;
  return SIZE_MAX;
}

/* --- elements --- */

static ph_status damaged(const ph_npz *npz, const member *m, const char *why) {
  return ph_fail(PH_ECORRUPT, "%s: %s: it is damaged: %s", npz->path, m->info.name, why);
}

/* Opens a member and skips its header. */
static ph_status open_elements(zip_file_t **out, const ph_npz *npz, const member *m) {
  char skipped[1024];
  *out = NULL;
  if (m->head == 0)
    return ph_fail(PH_EFORMAT, "%s: %s: %s", npz->path, m->info.name, m->info.why);
  zip_file_t *file = zip_fopen_index(npz->zip, m->place, 0);
  if (!file)
    return damaged(npz, m, zip_strerror(npz->zip));
  for (size_t left = m->head, n; left > 0; left -= n) {
    n = left < sizeof skipped ? left : sizeof skipped;
    if (!read_all(file, skipped, n)) {
      ph_status status = damaged(npz, m, reason(file));
      zip_fclose(file);
      return status;
    }
  }
  *out = file;
  return PH_OK;
}

/* The checksum is compared when the end is met. */
static ph_status meet_end(const ph_npz *npz, const member *m, zip_file_t *file) {
  char more;
  zip_int64_t n = zip_fread(file, &more, 1);
  if (n < 0)
    return damaged(npz, m, reason(file));
  return n > 0 ? damaged(npz, m, "it is longer than it says") : PH_OK;
}

/* Converts block after block into out, which has place for all. */
static ph_status read_numbers(double *out, const ph_npz *npz, const member *m, zip_file_t *file) {
  unsigned char bytes[BLOCK];
  double block[BLOCK / sizeof(double)];
  const ph_npy *info = &m->info;
  size_t element = ph_npy_element(info), fit = sizeof block / sizeof *block;
  int64_t at[4] = {0};
  for (size_t done = 0, n; done < info->count; done += n) {
    n = info->count - done < fit ? info->count - done : fit;
    if (!read_all(file, bytes, n * element))
      return damaged(npz, m, reason(file));
    ph_npy_numbers(info->fortran ? block : out + done, info, bytes, n);
    for (size_t i = 0; info->fortran && i < n; i++)
      out[ph_npy_next(info, at)] = block[i];
  }
  return meet_end(npz, m, file);
}

ph_status ph_npz_numbers(double **out, const ph_npz *npz, size_t i, size_t limit) {
  const member *m = &npz->at[i];
  zip_file_t *file = NULL;
  double *numbers = NULL;
  *out = NULL;
  if (!m->info.numeric)
    return ph_fail(PH_EFORMAT, "%s: %s: %s", npz->path, m->info.name, m->info.why);
  if (m->info.count > limit / sizeof *numbers)
    return ph_fail(PH_EREFUSED, "%s: %s: it takes %zu bytes, more than the %zu that are allowed",
                   npz->path, m->info.name, m->info.count * sizeof *numbers, limit);
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  numbers = malloc(m->info.count > 0 ? m->info.count * sizeof *numbers : 1);
  if (!numbers)
    status = ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->path, m->info.name);
  if (status == PH_OK)
    status = read_numbers(numbers, npz, m, file);
  zip_fclose(file);
  if (status)
    free(numbers);
  else
    *out = numbers;
  return status;
}

ph_status ph_npz_check(const ph_npz *npz, size_t i) {
  const member *m = &npz->at[i];
  char bytes[BLOCK];
  zip_file_t *file = NULL;
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  for (uint64_t left = m->size - m->head, n; left > 0 && status == PH_OK; left -= n) {
    n = left < sizeof bytes ? left : sizeof bytes;
    if (!read_all(file, bytes, (size_t)n))
      status = damaged(npz, m, reason(file));
  }
  if (status == PH_OK)
    status = meet_end(npz, m, file);
  zip_fclose(file);
  return status;
}

/* --- text --- */

static size_t put_utf8(char *out, uint32_t c) {
  if (c > 0x10ffff)
    c = 0xfffd;
  if (c < 0x80)
    return out[0] = (char)c, 1;
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, c >>= 6)
    out[i] = (char)(0x80 | (c & 63));
  out[0] = (char)((0xf00 >> n & 0xf0) | c);
  return n;
}

/* UCS-4 in place: no character takes more bytes than before. */
static size_t to_utf8(char *text, size_t n, bool big) {
  size_t out = 0;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    uint32_t c = 0;
    for (size_t b = 0; b < 4; b++)
      c = c << 8 | (unsigned char)text[i + (big ? b : 3 - b)];
    out += put_utf8(text + out, c);
  }
  return out;
}

ph_status ph_npz_text(const ph_npz *npz, size_t i, char *out, size_t size) {
  const member *m = &npz->at[i];
  zip_file_t *file = NULL;
  size_t n = ph_npy_element(&m->info);
  bool text = m->head > 0 && strcmp(m->info.type, "text") == 0;
  if (!text || m->info.count != 1 || m->info.rank > 1 || n > TEXT_MAX)
    return ph_fail(PH_EFORMAT, "%s: %s: it is not one text", npz->path, m->info.name);
  ph_status status = open_elements(&file, npz, m);
  if (status)
    return status;
  char *raw = malloc(n + 1);
  if (!raw)
    status = ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->path, m->info.name);
  else if (!read_all(file, raw, n))
    status = damaged(npz, m, reason(file));
  if (status == PH_OK)
    status = meet_end(npz, m, file);
  if (status == PH_OK) {
    if (m->info.descr[1] == 'U')
      n = to_utf8(raw, n, m->info.descr[0] == '>');
    while (n > 0 && raw[n - 1] == 0)
      n--;
    ph_escape(out, size, raw, n);
  }
  free(raw);
  zip_fclose(file);
  return status;
}
