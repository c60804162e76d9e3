#include "object_names.h"

#include <stdio.h>
#include <string.h>

#include "signals.h"

static const char *kind_name(ph_kind kind) {
  static const char *const names[PH_KIND_COUNT] = {
      "body", "joint", "geom", "site", "actuator", "sensor", "equality", "mocap", "tendon"};
  return names[kind];
}

/* Whether a joint without a name may have its body's. */
static bool is_alone(const ph_model *model, int joint, const char *name) {
  char other[PH_OBJECT_NAME];
  for (int i = 0; i < ph_model_count(model, PH_JOINT); i++) {
    ph_signal_joint_name(model, i, other, sizeof other);
    if (i != joint && strcmp(other, name) == 0)
      return false;
  }
  return true;
}

void ph_object_name(char *out, size_t size, const ph_model *model, ph_kind kind, int i) {
  const char *name = ph_model_name(model, kind, i);
  snprintf(out, size, "%s", name);
  if (!name[0] && kind == PH_JOINT) {
    ph_signal_joint_name(model, i, out, size);
    if (is_alone(model, i, out))
      return;
    out[0] = 0;
  }
  if (!out[0])
    snprintf(out, size, "%s %d", kind_name(kind), i);
}

const char *ph_joint_type_name(ph_joint_type type) {
  static const char *const names[] = {"free", "ball", "slide", "hinge"};
  return names[type];
}

ph_bytes *ph_object_begin(ph_bytes *bytes, int i, const char *name) {
  ph_bytes_text(bytes, i ? ", {\"name\": " : "{\"name\": ");
  ph_bytes_text(bytes, name);
  return bytes;
}
