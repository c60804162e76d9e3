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

/* Or'ed into a code point that was pasted: text for the prompt, never a command. */
#define KEY_PASTED_ 0x80000000u

const char *key_name(uint32_t key, char *buf, size_t size);
uint32_t key_from_name(const char *name); /* KEY_NONE_: no such name */

/* UTF-8 of a code point into out, which it ends with 0; bytes written, 0 for other keys. */
size_t key_utf8(uint32_t key, char out[5]);

/* Decodes bytes as they arrive, in pieces or not; no clock of its own. Start from {0}. */
struct key_decoder {
  unsigned char buf[64]; /* parameters of a sequence, or a UTF-8 prefix */
  size_t n;
  size_t ended; /* bytes of the end of a paste that came */
  int mode;     /* enum in keys.c: where in a sequence */
  bool swallow; /* the sequence in hand gives no key: its Esc was given out */
  uint64_t at;  /* ms of the last byte */
  bool lone;    /* a lone Esc was given out at lone_at */
  uint64_t lone_at;
  uint32_t next; /* a key that is complete but was not given out yet */
};

/* Takes one byte at time now_ms. Returns true and *key when a key is complete. */
bool key_decode(struct key_decoder *d, unsigned char byte, uint64_t now_ms, uint32_t *key);
/* Called when no byte came, and after each key_decode until it returns false: gives the key that
 * came with the last byte, the lone Esc after 100 ms, and forgets what never ended. */
bool key_timeout(struct key_decoder *d, uint64_t now_ms, uint32_t *key);
/* When key_timeout wants to be called; UINT64_MAX: never. */
uint64_t key_deadline(const struct key_decoder *d);

#endif
