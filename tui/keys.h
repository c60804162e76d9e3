/* Key codes, their names, and decoding of a terminal's bytes. Names are those of the help: "n",
 * "Right", "C-l", "S-Tab", "F1", "Enter", "Space", "Esc". */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A code point, or one of these above Unicode. Control characters are their own code (C-l = 12). */
enum key {
  KEY_NONE_ = 0,
  KEY_TAB_ = 9,
  KEY_ENTER_ = 13,
  KEY_ESC_ = 27,
  KEY_BACKSPACE_ = 127,
  KEY_SPECIAL_ = 0x110000,
  KEY_UP_ = KEY_SPECIAL_,
  KEY_DOWN_,
  KEY_LEFT_,
  KEY_RIGHT_,
  KEY_HOME_,
  KEY_END_,
  KEY_PGUP_,
  KEY_PGDN_,
  KEY_DELETE_,
  KEY_BTAB_,
  KEY_F1_,
  KEY_F12_ = KEY_F1_ + 11,
  KEY_LIMIT_
};

const char *key_name(uint32_t key, char *buf, size_t size);
uint32_t key_from_name(const char *name); /* KEY_NONE_: no such name */

/* Decodes bytes as they arrive, in pieces or not; no clock of its own. */
struct key_decoder {
  unsigned char buf[64];
  size_t n;
  uint64_t esc_at; /* ms: when a pending Esc arrived */
  uint64_t lone_at;/* ms: when a lone Esc was given out; 0 none */
};

/* Takes one byte at time now_ms. Returns true and *key when a key is complete. */
bool key_decode(struct key_decoder *d, unsigned char byte, uint64_t now_ms, uint32_t *key);
/* Called when no byte came: gives the lone Esc after 100 ms. */
bool key_timeout(struct key_decoder *d, uint64_t now_ms, uint32_t *key);
/* When key_timeout wants to be called; UINT64_MAX: never. */
uint64_t key_deadline(const struct key_decoder *d);

#endif
