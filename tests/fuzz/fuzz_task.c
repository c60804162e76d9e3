/* Text as a task: loaded, and its pure functions called where they need no simulation. */
#include <playhead/playhead.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ph_task *task = NULL;
  if (ph_task_parse(&task, (const char *)data, size, "fuzz.lua") == PH_OK)
    ph_task_info_of(task);
  ph_task_unref(task);
  return 0;
}
