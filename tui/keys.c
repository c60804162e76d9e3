/* How a sequence is read. Modes: GROUND, then after Esc ESCAPE; Esc [ opens CSI (parameters
 * 0x20-0x3f, final byte 0x40-0x7e; Esc [ [ is the Linux console's function keys), Esc O opens SS3;
 * CSI 200~ opens PASTE, which lasts to CSI 201~ and gives its text, without control characters, as
 * pasted keys. A lone Esc is given out after 100
 * ms; should [ or O still follow within 500 ms of it, the sequence was cut on its way and is
 * swallowed. What never ends is forgotten after 500 ms, so a person who types Esc [ loses at most
 * that. */
#include "keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { GROUND, UTF8, ESCAPE, CSI, CSI_CONSOLE, SS3, PASTE };

enum { ESC_DELAY = 100, ESC_CUT = 500, PASTE_END = 1000 };

static const struct {
  const char *name;
  uint32_t key;
} names[] = {
    {"Tab", KEY_TAB_},       {"Enter", KEY_ENTER_},   {"Esc", KEY_ESC_},
    {"Space", ' '},          {"Up", KEY_UP_},         {"Down", KEY_DOWN_},
    {"Left", KEY_LEFT_},     {"Right", KEY_RIGHT_},   {"Home", KEY_HOME_},
    {"End", KEY_END_},       {"PgUp", KEY_PGUP_},     {"PgDn", KEY_PGDN_},
    {"Delete", KEY_DELETE_}, {"S-Tab", KEY_BTAB_},    {"Backspace", KEY_BACKSPACE_},
    {"Return", KEY_ENTER_},  {"Escape", KEY_ESC_},    {"PageUp", KEY_PGUP_},
    {"Del", KEY_DELETE_},    {"PageDown", KEY_PGDN_},
};

/* CSI final bytes and SS3 final bytes share letters. */
static uint32_t letter_key(unsigned char final) {
  switch (final) {
  case 'A':
    return KEY_UP_;
  case 'B':
    return KEY_DOWN_;
  case 'C':
    return KEY_RIGHT_;
  case 'D':
    return KEY_LEFT_;
  case 'F':
    return KEY_END_;
  case 'H':
    return KEY_HOME_;
  case 'M':
    return KEY_ENTER_;
  case 'P':
  case 'Q':
  case 'R':
  case 'S':
    return KEY_F1_ + final - 'P';
  case 'Z':
    return KEY_BTAB_;
  default:
    return KEY_NONE_;
  }
}

static uint32_t tilde_key(int number) {
  static const unsigned char at[] = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24};
  for (size_t i = 0; i < sizeof at; i++)
    if (at[i] == number)
      return KEY_F1_ + (uint32_t)i;
  switch (number) {
  case 1:
  case 7:
    return KEY_HOME_;
  case 3:
    return KEY_DELETE_;
  case 4:
  case 8:
    return KEY_END_;
  case 5:
    return KEY_PGUP_;
  case 6:
    return KEY_PGDN_;
  default:
    return KEY_NONE_;
  }
}

size_t key_utf8(uint32_t key, char out[5]) {
  size_t n = 0;
  if (key == 0 || key >= KEY_SPECIAL_ || (key >= 0xd800 && key < 0xe000)) {
    out[0] = 0;
    return 0;
  }
  if (key < 0x80) {
    out[n++] = (char)key;
  } else if (key < 0x800) {
    out[n++] = (char)(0xc0 | key >> 6);
  } else if (key < 0x10000) {
    out[n++] = (char)(0xe0 | key >> 12);
    out[n++] = (char)(0x80 | (key >> 6 & 0x3f));
  } else {
    out[n++] = (char)(0xf0 | key >> 18);
    out[n++] = (char)(0x80 | (key >> 12 & 0x3f));
    out[n++] = (char)(0x80 | (key >> 6 & 0x3f));
  }
  if (key >= 0x80)
    out[n++] = (char)(0x80 | (key & 0x3f));
  out[n] = 0;
  return n;
}

/* Length that a first byte announces; 0: it cannot be one. */
static size_t utf8_length(unsigned char byte) {
  if (byte >= 0xc2 && byte < 0xe0)
    return 2;
  if (byte >= 0xe0 && byte < 0xf0)
    return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

/* The code point of n bytes that start well; KEY_NONE_ when overlong, a surrogate or too large. */
static uint32_t utf8_value(const unsigned char *s, size_t n) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t value = s[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++)
    value = value << 6 | (s[i] & 0x3f);
  if (value < least[n] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
    return KEY_NONE_;
  return value;
}

const char *key_name(uint32_t key, char *buf, size_t size) {
  char text[5];
  if (key >= KEY_F1_ && key <= KEY_F12_) {
    snprintf(buf, size, "F%d", (int)(key - KEY_F1_) + 1);
    return buf;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].key == key) {
      snprintf(buf, size, "%s", names[i].name);
      return buf;
    }
  if (key > 0 && key < 32)
    snprintf(buf, size, "C-%c", key <= 26 ? (int)key + 'a' - 1 : (int)key + '@');
  else if (key_utf8(key, text))
    snprintf(buf, size, "%s", text);
  else
    snprintf(buf, size, "%s", "");
  return buf;
}

uint32_t key_from_name(const char *name) {
  const unsigned char *s = (const unsigned char *)name;
  size_t n = strlen(name);
  if (n == 1)
    return s[0] > ' ' && s[0] < 127 ? s[0] : KEY_NONE_;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(names[i].name, name) == 0)
      return names[i].key;
  if (n == 3 && (s[0] == 'C' || s[0] == 'c') && s[1] == '-') {
    if (s[2] == '\\' || (s[2] >= ']' && s[2] <= '_'))
      return (uint32_t)(s[2] - '@');
    unsigned char low = s[2] | 0x20;
    return low >= 'a' && low <= 'z' ? (uint32_t)(low - 'a') + 1 : KEY_NONE_;
  }
  if ((s[0] == 'F' || s[0] == 'f') && s[1] >= '1' && s[1] <= '9' && (n == 2 || n == 3)) {
    int number = s[1] - '0';
    if (n == 3)
      number = s[2] >= '0' && s[2] <= '9' ? 10 * number + s[2] - '0' : 99;
    return number <= 12 ? KEY_F1_ + (uint32_t)number - 1 : KEY_NONE_;
  }
  if (n == utf8_length(s[0])) {
    for (size_t i = 1; i < n; i++)
      if ((s[i] & 0xc0) != 0x80)
        return KEY_NONE_;
    return utf8_value(s, n);
  }
  return KEY_NONE_;
}

static void to_ground(struct key_decoder *d) {
  d->mode = GROUND;
  d->n = d->ended = 0;
  d->swallow = false;
}

static bool give(struct key_decoder *d, uint32_t found, uint32_t *key) {
  bool swallowed = d->swallow;
  to_ground(d);
  *key = found;
  return found != KEY_NONE_ && !swallowed;
}

static bool on_ground(struct key_decoder *d, unsigned char byte, uint64_t now, uint32_t *key) {
  if (d->lone && now - d->lone_at < ESC_CUT && (byte == '[' || byte == 'O')) {
    d->lone = false;
    d->swallow = true;
    d->mode = byte == '[' ? CSI : SS3;
    return false;
  }
  d->lone = false;
  if (byte == KEY_ESC_) {
    d->mode = ESCAPE;
    return false;
  }
  if (utf8_length(byte)) {
    d->mode = UTF8;
    d->buf[d->n++] = byte;
    return false;
  }
  if (byte == 0 || byte >= 0x80)
    return false;
  *key = byte == 8 ? KEY_BACKSPACE_ : byte == 10 ? KEY_ENTER_ : byte;
  return true;
}

static bool in_utf8(struct key_decoder *d, unsigned char byte, uint64_t now, uint32_t *key) {
  if ((byte & 0xc0) != 0x80) {
    to_ground(d);
    return on_ground(d, byte, now, key);
  }
  d->buf[d->n++] = byte;
  if (d->n < utf8_length(d->buf[0]))
    return false;
  return give(d, utf8_value(d->buf, d->n), key);
}

/* The byte after Esc: a sequence begins, or the Esc was a key and so is the byte. */
static bool in_escape(struct key_decoder *d, unsigned char byte, uint64_t now, uint32_t *key) {
  uint32_t after = KEY_NONE_;
  if (byte == '[' || byte == 'O') {
    d->mode = byte == '[' ? CSI : SS3;
    return false;
  }
  if (byte != KEY_ESC_) {
    to_ground(d);
    if (on_ground(d, byte, now, &after))
      d->next = after;
  }
  *key = KEY_ESC_;
  return true;
}

static bool in_csi(struct key_decoder *d, unsigned char byte, uint64_t now, uint32_t *key) {
  if (byte >= 0x20 && byte < 0x40) {
    if (d->n + 1 < sizeof d->buf)
      d->buf[d->n++] = byte;
    return false;
  }
  if (byte == '[' && d->n == 0) {
    d->mode = CSI_CONSOLE;
    return false;
  }
  if (byte < 0x40 || byte > 0x7e) { /* no part of a sequence: drop it, the byte counts */
    to_ground(d);
    return on_ground(d, byte, now, key);
  }
  int number = 0;
  for (size_t i = 0; i < d->n && d->buf[i] >= '0' && d->buf[i] <= '9' && number < 1000; i++)
    number = 10 * number + d->buf[i] - '0';
  if (byte == '~' && number == 200) {
    bool swallow = d->swallow;
    to_ground(d);
    d->swallow = swallow;
    d->mode = PASTE;
    return false;
  }
  /* private answers of the terminal (CSI ? ... and the like) are no keys */
  bool foreign = d->n > 0 && d->buf[0] >= '<';
  uint32_t found = byte == '~' ? tilde_key(number) : byte == 'M' ? KEY_NONE_ : letter_key(byte);
  return give(d, foreign ? KEY_NONE_ : found, key);
}

static bool in_ss3(struct key_decoder *d, unsigned char byte, uint64_t now, uint32_t *key) {
  if ((byte >= '0' && byte <= '9') || byte == ';')
    return false;
  if (byte < 0x20 || byte > 0x7e) {
    to_ground(d);
    return on_ground(d, byte, now, key);
  }
  uint32_t found = byte >= 'p' && byte <= 'y' ? (uint32_t)(byte - 'p') + '0' : letter_key(byte);
  return give(d, found, key);
}

static bool in_paste(struct key_decoder *d, unsigned char byte, uint32_t *key) {
  static const char end[] = "\033[201~";
  uint32_t found = KEY_NONE_;
  if (byte == (unsigned char)end[d->ended]) {
    d->n = 0;
    if (++d->ended == sizeof end - 1)
      to_ground(d);
    return false;
  }
  d->ended = byte == KEY_ESC_;
  bool goes_on = d->n > 0 && (byte & 0xc0) == 0x80;
  d->n = goes_on ? d->n : 0;
  if (goes_on || utf8_length(byte)) {
    d->buf[d->n++] = byte;
    if (d->n < utf8_length(d->buf[0]))
      return false;
    found = utf8_value(d->buf, d->n);
    d->n = 0;
  } else if (byte >= 32 && byte < 127) {
    found = byte;
  }
  *key = found | KEY_PASTED_;
  return found >= 32 && (found < 127 || found >= 0xa0) && !d->swallow;
}

bool key_decode(struct key_decoder *d, unsigned char byte, uint64_t now_ms, uint32_t *key) {
  d->at = now_ms;
  switch (d->mode) {
  case UTF8:
    return in_utf8(d, byte, now_ms, key);
  case ESCAPE:
    return in_escape(d, byte, now_ms, key);
  case CSI:
    return in_csi(d, byte, now_ms, key);
  case CSI_CONSOLE:
    return give(d, byte >= 'A' && byte <= 'E' ? KEY_F1_ + (uint32_t)(byte - 'A') : KEY_NONE_, key);
  case SS3:
    return in_ss3(d, byte, now_ms, key);
  case PASTE:
    return in_paste(d, byte, key);
  default:
    return on_ground(d, byte, now_ms, key);
  }
}

uint64_t key_deadline(const struct key_decoder *d) {
  if (d->next != KEY_NONE_)
    return 0;
  switch (d->mode) {
  case GROUND:
    return UINT64_MAX;
  case ESCAPE:
    return d->at + ESC_DELAY;
  case PASTE:
    return d->at + PASTE_END;
  default:
    return d->at + ESC_CUT;
  }
}

bool key_timeout(struct key_decoder *d, uint64_t now_ms, uint32_t *key) {
  if (d->next != KEY_NONE_) {
    *key = d->next;
    d->next = KEY_NONE_;
    return true;
  }
  if (now_ms < key_deadline(d))
    return false;
  bool lone = d->mode == ESCAPE;
  to_ground(d);
  if (!lone)
    return false;
  d->lone = true;
  d->lone_at = d->at;
  *key = KEY_ESC_;
  return true;
}
