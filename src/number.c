#include <playhead/number.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

size_t ph_number_text(char out[PH_NUMBER_SIZE], double value) {
  out[0] = 0;
  if (isnan(value))
    return 0;
  if (fabs(value) < 1e15 && value == trunc(value) && !(value == 0 && signbit(value)))
    return (size_t)snprintf(out, PH_NUMBER_SIZE, "%" PRId64, (int64_t)value);
  int n = 0;
  for (int digits = 15; digits <= 17; digits++) {
    n = snprintf(out, PH_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(out, NULL) == value)
      break;
  }
  return (size_t)n;
}

const char *ph_number_word(char out[PH_NUMBER_SIZE], double value) {
  if (ph_number_text(out, value) == 0)
    snprintf(out, PH_NUMBER_SIZE, "nan");
  return out;
}
