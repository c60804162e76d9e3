/* Text as a model: collected, checked, and compiled where that was allowed. */
#include "mjcf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ph_source *source = NULL;
  if (ph_mjcf_parse(&source, (const char *)data, size, "fuzz.xml") == PH_OK &&
      ph_mjcf_check(source) != PH_OK)
    __builtin_trap(); /* what was collected must pass its own check */
  ph_source_free(source);
  return 0;
}
