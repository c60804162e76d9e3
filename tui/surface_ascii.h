/* Look-alikes for terminals that have ASCII only. */
#ifndef TUI_SURFACE_ASCII_H
#define TUI_SURFACE_ASCII_H

#include <stdint.h>

/* The ASCII character that stands for a code point; '?' where there is none. */
char surface_ascii(uint32_t code);

#endif
