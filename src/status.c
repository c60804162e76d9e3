#include <playhead/status.h>

const char *ph_status_message(ph_status status) {
  switch (status) {
#define PH_STATUS_CASE(name, value, message)                                                       \
  case PH_##name:                                                                                  \
    return message;
    PH_STATUS_LIST(PH_STATUS_CASE)
#undef PH_STATUS_CASE
  }
  return "an unknown status";
}

const char *ph_version(void) {
  return PH_VERSION;
}
