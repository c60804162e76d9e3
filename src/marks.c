/* The file: {"marks": [{"episode", "name", "step"}], "notes": [{"episode", "step", "text"}],
 * "last": {"episode", "step"}}. Keys of others in it are kept. */
#include <playhead/marks.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "fail.h"
#include "file.h"
#include "json.h"

enum { FILE_LIMIT = 16 << 20 };

/* --- values --- */

static bool name_ok(char name) {
  return (name >= 'a' && name <= 'z') || (name >= 'A' && name <= 'Z') ||
         (name >= '0' && name <= '9');
}

void ph_marks_clear(ph_marks *m) {
  for (size_t i = 0; i < m->nnotes; i++)
    free(m->note[i].text);
  free(m->mark);
  free(m->note);
  memset(m, 0, sizeof *m);
}

const ph_mark *ph_marks_find(const ph_marks *m, const char *episode, char name) {
  for (size_t i = 0; i < m->nmarks; i++)
    if (m->mark[i].name == name && strcmp(m->mark[i].episode, episode) == 0)
      return &m->mark[i];
  return NULL;
}

static ph_status no_memory(void) {
  return ph_fail(PH_ENOMEM, "marks: out of memory");
}

static ph_status check_place(const char *episode, int64_t step) {
  if (step < 0 || strlen(episode) >= sizeof((ph_mark *)NULL)->episode)
    return ph_fail(PH_EINVAL, "marks: step %lld of episode %.80s: no such place", (long long)step,
                   episode);
  return PH_OK;
}

ph_status ph_marks_set(ph_marks *m, const char *episode, char name, int64_t step) {
  ph_mark *old = (ph_mark *)ph_marks_find(m, episode, name);
  if (!name_ok(name))
    return ph_fail(PH_EINVAL, "marks: a mark is named by a letter or a digit");
  ph_status status = check_place(episode, step);
  if (status)
    return status;
  if (old) {
    old->step = step;
    m->changed = true;
    return PH_OK;
  }
  ph_mark *grown = realloc(m->mark, (m->nmarks + 1) * sizeof *grown);
  if (!grown)
    return no_memory();
  m->mark = grown;
  ph_mark *new = &grown[m->nmarks++];
  memset(new, 0, sizeof *new);
  strcpy(new->episode, episode);
  new->name = name;
  new->step = step;
  m->changed = true;
  return PH_OK;
}

ph_status ph_marks_unset(ph_marks *m, const char *episode, char name) {
  const ph_mark *old = ph_marks_find(m, episode, name);
  if (!old)
    return ph_fail(PH_ENOTFOUND, "marks: %s: no such mark", episode);
  size_t at = (size_t)(old - m->mark);
  memmove(&m->mark[at], &m->mark[at + 1], (m->nmarks - at - 1) * sizeof *m->mark);
  m->nmarks--;
  m->changed = true;
  return PH_OK;
}

void ph_marks_leave(ph_marks *m, const char *episode, int64_t step) {
  if (!episode && !m->last.set)
    return;
  m->changed = true;
  m->last.set = episode != NULL;
  m->last.step = step;
  snprintf(m->last.episode, sizeof m->last.episode, "%s", episode ? episode : "");
}

const ph_note *ph_marks_note_at(const ph_marks *m, const char *episode, int64_t step) {
  for (size_t i = 0; i < m->nnotes; i++)
    if (m->note[i].step == step && strcmp(m->note[i].episode, episode) == 0)
      return &m->note[i];
  return NULL;
}

static void note_remove(ph_marks *m, ph_note *note) {
  size_t i = (size_t)(note - m->note);
  free(note->text);
  memmove(note, note + 1, (m->nnotes - i - 1) * sizeof *note);
  m->nnotes--;
  m->changed = true;
}

/* A copy that a file can hold. */
static ph_status copy_text(char **out, const char *text) {
  json_t *utf8 = json_string(text); /* NULL: no UTF-8, or no memory */
  *out = utf8 ? strdup(text) : NULL;
  json_decref(utf8);
  if (*out)
    return PH_OK;
  return utf8 ? no_memory() : ph_fail(PH_EINVAL, "marks: a note is text in UTF-8");
}

ph_status ph_marks_note(ph_marks *m, const char *episode, int64_t step, const char *text) {
  ph_note *old = (ph_note *)ph_marks_note_at(m, episode, step);
  char *copy = NULL;
  ph_status status = check_place(episode, step);
  if (status == PH_OK && *text)
    status = copy_text(&copy, text);
  if (status)
    return status;
  if (!copy) {
    if (old)
      note_remove(m, old);
    return PH_OK;
  }
  if (old) {
    free(old->text);
    old->text = copy;
    m->changed = true;
    return PH_OK;
  }
  ph_note *grown = realloc(m->note, (m->nnotes + 1) * sizeof *grown);
  if (!grown) {
    free(copy);
    return no_memory();
  }
  m->note = grown;
  ph_note *new = &grown[m->nnotes++];
  memset(new, 0, sizeof *new);
  strcpy(new->episode, episode);
  new->step = step;
  new->text = copy;
  m->changed = true;
  return PH_OK;
}

/* --- reading --- */

/* *out NULL with PH_OK: there is no such file. */
static ph_status read_file(json_t **out, const char *path) {
  json_error_t why;
  struct stat st;
  *out = NULL;
  FILE *file = fopen(path, "re");
  if (!file && (errno == ENOENT || errno == ENOTDIR))
    return PH_OK;
  if (!file)
    return ph_fail(PH_EIO, "%s: cannot open: %s", path, strerror(errno));
  if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_LIMIT)
    *out = json_loadf(file, 0, &why);
  else
    snprintf(why.text, sizeof why.text, "no regular file of a sane size");
  fclose(file);
  if (*out && !json_is_object(*out)) {
    json_decref(*out);
    *out = NULL;
    snprintf(why.text, sizeof why.text, "no JSON object");
  }
  if (*out)
    return PH_OK;
  return ph_fail(PH_EFORMAT, "%s: cannot read marks and notes: %s", path, why.text);
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static int64_t step_of(const json_t *object) {
  const json_t *step = json_object_get(object, "step");
  return json_is_integer(step) ? json_integer_value(step) : -1;
}

static void take(ph_marks *m, const json_t *root) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(root, "marks"), i, item) {
    const char *name = text_of(item, "name");
    if (strlen(name) == 1)
      ph_marks_set(m, text_of(item, "episode"), name[0], step_of(item));
  }
  json_array_foreach(json_object_get(root, "notes"), i, item)
      ph_marks_note(m, text_of(item, "episode"), step_of(item), text_of(item, "text"));
  const json_t *last = json_object_get(root, "last");
  if (step_of(last) >= 0 && strlen(text_of(last, "episode")) < sizeof m->last.episode) {
    m->last.set = true;
    m->last.step = step_of(last);
    strcpy(m->last.episode, text_of(last, "episode"));
  }
}

ph_status ph_marks_load(ph_marks *m, const char *source) {
  json_t *root = NULL;
  ph_marks_clear(m);
  m->aside = ph_beside(m->file, m->other, source, ".playhead.json");
  ph_status status = read_file(&root, m->file);
  if (status == PH_OK && !root && m->other[0])
    status = read_file(&root, m->other);
  if (root)
    take(m, root);
  m->changed = false;
  json_decref(root);
  return status;
}

/* --- writing --- */

static bool set_all(json_t *root, const ph_marks *m) {
  json_t *marks = json_array(), *notes = json_array();
  bool ok = marks && notes;
  for (size_t i = 0; ok && i < m->nmarks; i++) {
    const ph_mark *k = &m->mark[i];
    ok = !json_array_append_new(marks, json_pack("{s:s, s:s#, s:I}", "episode", k->episode, "name",
                                                 &k->name, 1, "step", (json_int_t)k->step));
  }
  for (size_t i = 0; ok && i < m->nnotes; i++) {
    const ph_note *k = &m->note[i];
    ok = !json_array_append_new(notes, json_pack("{s:s, s:I, s:s}", "episode", k->episode, "step",
                                                 (json_int_t)k->step, "text", k->text));
  }
  ok = !json_object_set(root, "marks", marks) && ok;
  ok = !json_object_set(root, "notes", notes) && ok;
  if (m->last.set)
    ok = !json_object_set_new(root, "last",
                              json_pack("{s:s, s:I}", "episode", m->last.episode, "step",
                                        (json_int_t)m->last.step)) &&
         ok;
  else
    json_object_del(root, "last");
  json_decref(marks);
  json_decref(notes);
  return ok;
}

static void make_folders(const char *path) {
  char part[600];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(part, 0700);
    *slash = '/';
  }
}

/* A write beyond the limit would raise SIGXFSZ. */
static bool within_limit(size_t n) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      n <= limit.rlim_cur)
    return true;
  errno = EFBIG;
  return false;
}

static bool write_all(int fd, const char *text, size_t n) {
  if (!within_limit(n))
    return false;
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    text += done;
    n -= (size_t)done;
  }
  return fsync(fd) == 0;
}

/* Returns 0 or errno. */
static int write_file(const char *path, const char *text) {
  char temporary[640];
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) { /* left by a process of this number that was killed */
    unlink(temporary);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  }
  if (fd < 0)
    return errno;
  int failed = write_all(fd, text, strlen(text)) ? 0 : errno ? errno : EIO;
  if (close(fd) != 0 && !failed)
    failed = errno;
  if (!failed && rename(temporary, path) != 0)
    failed = errno;
  if (failed)
    unlink(temporary);
  else
    ph_file_sync_folder(path);
  return failed;
}

/* What is there by others stays; what cannot be read is not written over. *failed: errno of the
 * writing, 0 where it is not at fault. */
static ph_status save_to(const ph_marks *m, const char *path, int *failed) {
  json_t *root = NULL;
  char *text = NULL;
  *failed = 0;
  ph_status status = read_file(&root, path);
  if (status)
    goto out;
  root = root ? root : json_object();
  text = root && set_all(root, m) ? json_dumps(root, JSON_INDENT(1)) : NULL;
  if (!text) {
    status = no_memory();
    goto out;
  }
  *failed = write_file(path, text);
  if (*failed)
    status = ph_fail(PH_EIO, "%s: cannot save marks and notes: %s", path, strerror(*failed));
out:
  free(text);
  json_decref(root);
  return status;
}

/* Beside the source, or else where marks of read-only folders are. */
ph_status ph_marks_save(ph_marks *m) {
  int failed;
  if (!m->file[0])
    return ph_fail(PH_EINVAL, "marks: cannot save: no file belongs to them");
  if (m->aside)
    make_folders(m->file);
  ph_status status = save_to(m, m->file, &failed);
  bool refused = failed == EACCES || failed == EROFS || failed == EPERM || failed == ENOENT;
  if (status && refused && m->other[0]) {
    if (!m->aside)
      make_folders(m->other);
    status = save_to(m, m->other, &failed);
  }
  if (status == PH_OK)
    m->changed = false;
  return status;
}
