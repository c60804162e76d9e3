/* Where the model of a demo is: in its attribute model_file, as text, or as a name in the folder
 * models/ beside the file. Nothing outside of that folder is read. */
#include "read_demos.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "file.h"

#define MODEL_LIMIT ((size_t)64 << 20) /* bytes of a model's text */
#define NAME_LIMIT 200

#define fault(out, ...) snprintf((out)->model_fault, sizeof(out)->model_fault, __VA_ARGS__)

/* Whether it begins as XML does. */
static bool is_xml(const char *text) {
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
    text += 3;
  text += strspn(text, " \t\r\n");
  return *text == '<';
}

/* A plain name: no folder, nothing hidden, nothing that a terminal would act on. */
static bool is_plain(const char *name) {
  size_t n = strlen(name);
  if (n == 0 || n > NAME_LIMIT || name[0] == '.' || strchr(name, '/') || strchr(name, '\\'))
    return false;
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
      return false;
  return true;
}

/* Folder of the file with models/NAME behind it; false: too long. */
static bool sidecar_path(char *out, size_t size, const char *file, const char *name) {
  const char *slash = strrchr(file, '/');
  int n = slash ? (int)(slash - file + 1) : 0;
  return snprintf(out, size, "%.*smodels/%s", n, file, name) < (int)size;
}

static const char *why_not(int error) {
  switch (error) {
  case ENOENT:
    return "there is no such file beside the HDF5 file";
  case ELOOP:
    return "it is a link, which is never followed";
  case ENOTSUP:
    return "it is not a regular file";
  case EFBIG:
    return "it is larger than 64 MiB";
  default:
    return strerror(error);
  }
}

static void read_sidecar(ph_foreign *out, const char *file, const char *name) {
  char path[sizeof out->model_path], shown[NAME_LIMIT + 1];
  void *text = NULL;
  ph_escape(shown, sizeof shown, name, strlen(name));
  if (!sidecar_path(path, sizeof path, file, name)) {
    fault(out, "model_file names models/%s: its path is too long", shown);
    return;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  int error = fd < 0 ? errno : ph_file_whole(&text, &out->model_size, fd, MODEL_LIMIT);
  if (error)
    fault(out, "model_file names models/%s: %s", shown, why_not(error));
  else
    snprintf(out->model_path, sizeof out->model_path, "%s", path);
  out->model_text = text;
  if (fd >= 0)
    close(fd);
}

void ph_demo_model(ph_foreign *out, const char *file, hid_t demo) {
  char *text = NULL;
  if (!ph_h5_has_attr(demo, "model_file"))
    return;
  if (ph_h5_attr_text(demo, "model_file", &text) != PH_OK) {
    char why[200];
    ph_oddity(why, sizeof why, file);
    fault(out, "model_file cannot be read: %s", why);
  } else if (is_xml(text)) {
    snprintf(out->model_path, sizeof out->model_path, "%s", file);
    out->model_size = strlen(text);
    out->model_text = text;
    text = NULL;
  } else if (is_plain(text)) {
    read_sidecar(out, file, text);
  } else {
    char shown[120];
    ph_escape(shown, sizeof shown, text, strnlen(text, 100));
    if (text[0])
      fault(out, "model_file is \"%s\": neither a model's text nor the name of a file in models/",
            shown);
    else
      fault(out, "model_file is empty");
  }
  free(text);
}
