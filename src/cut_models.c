/* Models that demos name beside their file: the result names them too, so where it lies in another
 * folder they go with it. The child puts them into a hidden folder, from where they get their names
 * in models/ before the result gets its own. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cut_demos.h"
#include "fail.h"
#include "file.h"

/* "folder/name"; false: too long. */
static bool join(char out[PATH_MAX], const char *folder, const char *name) {
  return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static ph_status too_long(const char *folder) {
  return ph_fail(PH_EINVAL, "%.80s...: the path is too long", folder);
}

/* Whether a result lies where its source does, and finds the models there. */
static bool is_beside(const ph_cut_file *f, const char *out) {
  char from[PATH_MAX], to[PATH_MAX];
  ph_cut_folder(from, f->c->source);
  ph_cut_folder(to, out);
  return strcmp(from, to) == 0;
}

/* "models" beside a result; false: too long. */
static bool models_of(char folder[PATH_MAX], const char *out) {
  const char *slash = strrchr(out, '/');
  int n = slash ? (int)(slash - out) + 1 : 0;
  return snprintf(folder, PATH_MAX, "%.*smodels", n, out) < PATH_MAX;
}

static ph_status in_the_way(const ph_cut_file *f, const char *path) {
  return ph_fail(PH_EEXIST,
                 "%s: another model is there, and %s names one like it: write to another folder",
                 path, f->c->source);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

ph_status ph_cut_models_begin(ph_cut_file *f) {
  return is_beside(f, f->c->out) ? PH_OK : ph_folder_create_hidden(&f->models, f->c->out);
}

/* --- in the child --- */

static ph_status write_model(const char *path, const ph_foreign *facts) {
  ph_new_file file = PH_NEW_FILE_NONE;
  ph_status status = ph_new_file_create(&file, path);
  if (status)
    return status;
  int error = ph_file_write(file.fd, 0, facts->model_text, facts->model_size);
  status = error ? ph_fail(PH_EIO, "%s: cannot be written: %s", path, strerror(error))
                 : ph_new_file_publish(&file);
  ph_new_file_drop(&file);
  return status;
}

static ph_status stage(const ph_cut_file *f, const ph_foreign *facts) {
  char path[PATH_MAX];
  if (!join(path, f->models, base_name(facts->model_path)))
    return too_long(f->models);
  if (access(path, F_OK) == 0) /* of another demo */
    return PH_OK;
  return write_model(path, facts);
}

ph_status ph_cut_models_add(ph_cut_file *f, hid_t demo) {
  ph_foreign facts = {.states = -1, .actions = -1, .rewards = -1, .dones = -1, .success = -1};
  if (!f->models)
    return PH_OK;
  ph_demo_model(&facts, f->c->source, demo);
  bool beside = facts.model_text && strcmp(facts.model_path, f->c->source) != 0;
  ph_status status = beside ? stage(f, &facts) : PH_OK;
  ph_foreign_clear(&facts);
  return status;
}

static ph_status try_one(const ph_cut_file *f, const char *folder, const char *group) {
  ph_foreign facts = {.states = -1, .actions = -1, .rewards = -1, .dones = -1, .success = -1};
  char to[PATH_MAX];
  hid_t demo;
  ph_status status = ph_h5_group(&demo, f->from, group);
  if (status)
    return status;
  ph_demo_model(&facts, f->c->source, demo);
  bool beside = facts.model_text && strcmp(facts.model_path, f->c->source) != 0;
  if (beside && !join(to, folder, base_name(facts.model_path)))
    status = too_long(folder);
  else if (beside && access(to, F_OK) == 0 && !ph_file_same(facts.model_path, to))
    status = in_the_way(f, to);
  ph_foreign_clear(&facts);
  ph_h5_close(demo);
  return status;
}

ph_status ph_cut_models_try(const ph_cut_file *f) {
  const ph_store *store = f->c->store;
  const char *out = f->c->opt->out;
  char folder[PATH_MAX];
  ph_status status = PH_OK;
  if (!f->c->list || !out || is_beside(f, out))
    return PH_OK;
  if (!models_of(folder, out))
    return too_long(out);
  for (size_t i = 0; i < store->n && !status; i++)
    if (!f->c->list[i].dropped)
      status = try_one(f, folder, store->entries[i].group);
  return status;
}

/* --- outside --- */

/* One of them; *mine: nobody had it before. */
static ph_status publish_one(const ph_cut_file *f, const char *folder, const char *name,
                             bool *mine) {
  char from[PATH_MAX], to[PATH_MAX];
  *mine = false;
  if (!join(from, f->models, name) || !join(to, folder, name))
    return too_long(folder);
  int error = ph_file_rename_new(from, to);
  if (error == EEXIST && ph_file_same(from, to))
    return PH_OK;
  *mine = !error;
  if (error == EEXIST)
    return in_the_way(f, to);
  return error ? ph_fail(PH_EIO, "%s: cannot be put into place: %s", to, strerror(error)) : PH_OK;
}

/* So that a cut that is stopped takes it back. */
static ph_status note_placed(ph_cut_file *f, const char *folder, const char *name) {
  char path[PATH_MAX];
  char *own = join(path, folder, name) ? strdup(path) : NULL;
  char **more = own ? realloc(f->placed, (f->nplaced + 1) * sizeof *more) : NULL;
  if (!more) {
    free(own);
    return ph_fail(PH_ENOMEM, "%s: out of memory", folder);
  }
  f->placed = more;
  f->placed[f->nplaced++] = own;
  return PH_OK;
}

static ph_status publish_all(ph_cut_file *f, const char *folder) {
  ph_status status = PH_OK;
  bool mine = false;
  DIR *dir = opendir(f->models);
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", f->models, strerror(errno));
  errno = 0;
  for (struct dirent *e; !status && (e = readdir(dir)); errno = 0) {
    if (e->d_name[0] == '.')
      continue;
    status = publish_one(f, folder, e->d_name, &mine);
    if (!status && mine)
      status = note_placed(f, folder, e->d_name);
    f->c->tally.models += !status;
  }
  if (!status && errno)
    status = ph_fail(PH_EIO, "%s: cannot be listed: %s", f->models, strerror(errno));
  closedir(dir);
  return status;
}

ph_status ph_cut_models_publish(ph_cut_file *f) {
  char folder[PATH_MAX];
  if (!f->models || rmdir(f->models) == 0) { /* nothing is in it */
    free(f->models);
    f->models = NULL;
    return PH_OK;
  }
  if (!models_of(folder, f->c->out))
    return too_long(f->c->out);
  ph_status status = ph_folder_create(folder, &f->made_folder);
  if (!status)
    status = publish_all(f, folder);
  char path[PATH_MAX];
  if (!status && f->nplaced > 0 && join(path, folder, ""))
    ph_file_sync_folder(path);
  if (status)
    ph_cut_models_withdraw(f);
  return status;
}

void ph_cut_models_withdraw(ph_cut_file *f) {
  for (size_t i = 0; i < f->nplaced; i++)
    if (f->placed[i])
      unlink(f->placed[i]);
  char folder[PATH_MAX];
  if (f->made_folder && models_of(folder, f->c->out))
    rmdir(folder);
  f->made_folder = false;
}

void ph_cut_models_drop(ph_cut_file *f) {
  DIR *dir = f->models ? opendir(f->models) : NULL;
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
  if (f->models)
    rmdir(f->models);
}
