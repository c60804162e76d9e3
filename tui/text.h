/* One module owns how wide text is, where it is cut, and how numbers look. It depends on no locale.
 */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one code point from s (n bytes); returns its length in bytes (>= 1 when n > 0). Invalid
 * bytes give U+FFFD and length 1. */
size_t text_decode(const char *s, size_t n, uint32_t *out);
/* Columns of a code point: 0 combining, 1, 2; control characters 1. */
int text_width_of(uint32_t code);
/* Columns of a string, and in *cut (nullable) the bytes that fit into `max` columns; combining
 * marks stay with the character before the cut. */
int text_width(const char *s, int max, size_t *cut);
/* Writes s, and "…" in the place of what does not fit into `width` columns. size counts bytes. */
void text_fit(char *out, size_t size, const char *s, int width);
/* The same for names, which differ at their ends: "…" stands between a beginning and the end. */
void text_fit_name(char *out, size_t size, const char *s, int width);
/* Whether s contains `part`, letters of ASCII compared without case; "" is in everything. */
bool text_contains(const char *s, const char *part);

/* Fixed-width numbers so that columns do not dance: " 1.57080", "-2.4e+05", "       -" for NaN.
 * A point for decimals whatever the locale. size >= width + 1. */
void text_number(char *out, size_t size, double value, int width);
/* 12.345 s, 2:03.450, 1:02:03.4; fixed width for a total of that length. "-" unknown. */
void text_time(char *out, size_t size, double seconds, double total);
/* "3.2 GiB" */
void text_bytes(char *out, size_t size, uint64_t bytes);

#endif
