#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

json_t *ph_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *ph_json_text(const char *text) {
  if (!text || !*text)
    return json_null();
  json_t *string = json_string(text);
  if (string)
    return string;
  char escaped[1200]; /* jansson takes valid UTF-8 only */
  ph_escape(escaped, sizeof escaped, text, strlen(text));
  return json_string(escaped);
}

ph_status ph_json_write(json_t *object, void *file) {
  ph_status status = PH_OK;
  if (!object)
    status = ph_fail(PH_ENOMEM, "json: out of memory");
  else if (json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
           fputc('\n', file) == EOF || fflush(file) != 0)
    status = ph_fail(PH_EIO, "output: %s", strerror(errno));
  json_decref(object);
  return status;
}

json_t *ph_json_read(const char *path) {
  json_error_t error;
  FILE *file = fopen(path, "rbe");
  if (!file) {
    ph_fail(PH_EIO, "%s: %s", path, strerror(errno));
    return NULL;
  }
  json_t *value = json_loadf(file, 0, &error);
  if (!value)
    ph_fail(PH_EFORMAT, "%s: line %d: %s", path, error.line, error.text);
  fclose(file);
  return value;
}
