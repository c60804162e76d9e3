/* Numbers as text that gives their bits back. */
#ifndef PLAYHEAD_NUMBER_H
#define PLAYHEAD_NUMBER_H

#include <stddef.h>

#include <playhead/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PH_NUMBER_SIZE 32

/* The shortest decimal that reads back as the same bits, with the decimal point of the locale; ""
 * for NaN. Returns its length. */
PH_API size_t ph_number_text(char out[PH_NUMBER_SIZE], double value);
/* The same for a sentence: "nan" for NaN. Returns out. */
PH_API const char *ph_number_word(char out[PH_NUMBER_SIZE], double value);

#ifdef __cplusplus
}
#endif
#endif
