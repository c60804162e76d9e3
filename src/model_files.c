/* A model as files that another program can load: its text and its assets in one folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "model.h"
#include "predicate_parts.h"

static const char text_name[] = "model.xml";

/* 0 or an errno. */
static int write_one(const char *folder, const char *name, const void *data, size_t size) {
  char path[4200];
  if (strchr(name, '/') ||
      (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
    return EINVAL;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return errno;
  int error = ph_file_write(fd, 0, data, size);
  if (close(fd) != 0 && !error)
    error = errno;
  return error;
}

static ph_status write_all(ph_model_files *files, const ph_source *source) {
  int error = write_one(files->folder, text_name, source->xml, source->xml_size);
  for (size_t i = 0; i < source->nassets && !error; i++)
    error = write_one(files->folder, source->assets[i].name, source->assets[i].data,
                      source->assets[i].size);
  if (error)
    return ph_fail(PH_EIO, "%s: the model cannot be written there: %s", files->folder,
                   strerror(error));
  snprintf(files->path, sizeof files->path, "%s/%s", files->folder, text_name);
  return PH_OK;
}

static ph_status make_folder(ph_model_files *files) {
  const char *tmp = getenv("TMPDIR");
  char path[4000];
  snprintf(path, sizeof path, "%s/playhead-model-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  if (!mkdtemp(path))
    return ph_fail(PH_EIO, "%s: no temporary folder for the model: %s", path, strerror(errno));
  files->folder = strdup(path);
  if (files->folder)
    return PH_OK;
  rmdir(path);
  return ph_fail(PH_ENOMEM, "predicate: out of memory");
}

void ph_model_files_remove(ph_model_files *files) {
  int fd =
      files->folder ? open(files->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder && fd >= 0)
    close(fd);
  for (struct dirent *e; folder && (e = readdir(folder));)
    unlinkat(dirfd(folder), e->d_name, 0);
  if (folder)
    closedir(folder);
  if (files->folder)
    rmdir(files->folder);
  free(files->folder);
  *files = (ph_model_files){0};
}

ph_status ph_model_files_make(ph_model_files *files, const ph_model *model) {
  const char *sha256 = model ? ph_model_sha256(model) : "";
  if (strcmp(files->sha256, sha256) == 0)
    return PH_OK;
  ph_model_files_remove(files);
  if (!model || !model->source || !model->source->xml || model->source->xml_size == 0)
    return PH_OK;
  ph_status status = make_folder(files);
  if (status == PH_OK)
    status = write_all(files, model->source);
  if (status == PH_OK)
    snprintf(files->sha256, sizeof files->sha256, "%s", sha256);
  else
    ph_model_files_remove(files);
  return status;
}
