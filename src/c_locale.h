/* The C locale, for as long as a number is written or read that a program is to understand: the
 * host may have chosen one with a decimal comma. Of the calling thread alone. */
#ifndef PLAYHEAD_C_LOCALE_H
#define PLAYHEAD_C_LOCALE_H

#include <locale.h>

/* Returns what ph_c_locale_leave is to put back. */
locale_t ph_c_locale_enter(void);
void ph_c_locale_leave(locale_t before);

#endif
