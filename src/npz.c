#include "npz_door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "npy.h"
#include "sniff.h"

#define DEFLATE_RATIO 1040 /* no deflated byte stands for more */

/* --- members --- */

static void because(ph_npy *info, const char *why) {
  snprintf(info->why, sizeof info->why, "%s", why);
  info->numeric = false;
}

bool ph_npz_bytes(zip_file_t *file, void *out, size_t n) {
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
static const char *read_head(ph_npz_member *m, zip_file_t *file) {
  unsigned char lead[PH_NPY_LEAD];
  char *text = NULL;
  size_t at = 0, length = 0, n = m->size < sizeof lead ? (size_t)m->size : sizeof lead;
  if (!ph_npz_bytes(file, lead, n))
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
  if (length > early && !ph_npz_bytes(file, text + early, length - early))
    why = "its header is damaged";
  if (!why)
    why = ph_npy_parse(&m->info, text, length);
  if (!why)
    m->head = at + length;
  free(text);
  return why;
}

/* The elements must fill what is behind the header, no more and no less. */
static void check_size(ph_npz_member *m) {
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

static void look_at(ph_npz_member *m, zip_t *zip, const char *name) {
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
    ph_npz_member *m = &npz->at[npz->n++];
    m->place = (zip_uint64_t)i;
    look_at(m, npz->zip, name);
  }
  return PH_OK;
}

/* --- opening --- */

/* What a file is that libzip does not take. */
static ph_status refuse(int fd, const char *path, zip_error_t *error) {
  char head[64] = "";
  bool none = zip_error_code_zip(error) == ZIP_ER_NOZIP;
  ssize_t n = pread(fd, head, sizeof head, 0);
  if (n > 0 && ph_file_is_lfs(head, (size_t)n))
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
