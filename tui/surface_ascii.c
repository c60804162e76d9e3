#include "surface_ascii.h"

#include <stddef.h>

struct pair {
  uint32_t code;
  char ascii;
};

/* Sorted by code. */
static const struct pair pairs[] = {
    {0x00A0, ' '}, {0x00AB, '<'}, {0x00B0, 'o'},  {0x00B1, '~'},  {0x00B5, 'u'}, {0x00B7, '.'},
    {0x00BB, '>'}, {0x00D7, 'x'}, {0x2010, '-'},  {0x2011, '-'},  {0x2012, '-'}, {0x2013, '-'},
    {0x2014, '-'}, {0x2016, '='}, {0x2018, '\''}, {0x2019, '\''}, {0x201C, '"'}, {0x201D, '"'},
    {0x2022, '*'}, {0x2026, '~'}, {0x2190, '<'},  {0x2191, '^'},  {0x2192, '>'}, {0x2193, 'v'},
    {0x2212, '-'}, {0x2248, '~'}, {0x2260, '#'},  {0x2264, '<'},  {0x2265, '>'}, {0x23CE, '>'},
    {0x2591, '.'}, {0x2592, '%'}, {0x2593, '%'},  {0x25A0, '#'},  {0x25B2, '^'}, {0x25B6, '>'},
    {0x25B8, '>'}, {0x25BC, 'V'}, {0x25BD, 'v'},  {0x25C0, '<'},  {0x25C2, '<'}, {0x25C6, '*'},
    {0x25CB, 'o'}, {0x25CF, '*'}, {0x2713, '+'},  {0x2717, 'X'},
};

static char ascii_box(uint32_t code) {
  if (code == 0x2500 || code == 0x2501 || code == 0x2504 || code == 0x2505 || code == 0x254C)
    return '-';
  if (code == 0x2550)
    return '=';
  if (code == 0x2502 || code == 0x2503 || code == 0x2506 || code == 0x2551)
    return '|';
  return '+';
}

static char ascii_block(uint32_t code) {
  if (code >= 0x2581 && code <= 0x2588)
    return "_.:-=+*#"[code - 0x2581];
  if (code >= 0x2589 && code <= 0x258B)
    return '#';
  if (code >= 0x258C && code <= 0x258F)
    return '|';
  return code == 0x2590 || code == 0x2595 ? '|' : '#';
}

/* By the number of dots. */
static char ascii_braille(uint32_t code) {
  unsigned bits = code & 0xFF;
  return bits == 0 ? ' ' : " ..::**##"[__builtin_popcount(bits)];
}

char surface_ascii(uint32_t code) {
  if (code >= 0x2800 && code <= 0x28FF)
    return ascii_braille(code);
  if (code >= 0x2500 && code <= 0x257F)
    return ascii_box(code);
  if (code >= 0x2580 && code <= 0x2590)
    return ascii_block(code);
  if (code >= 0x2594 && code <= 0x259F)
    return ascii_block(code);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs && pairs[i].code <= code; i++)
    if (pairs[i].code == code)
      return pairs[i].ascii;
  return '?';
}
