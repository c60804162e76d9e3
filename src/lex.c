#include "lex.h"

#include <string.h>

void ph_lex_begin(ph_lexer *lexer, const char *text, size_t size) {
  *lexer = (ph_lexer){text, text + size, 1};
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char ahead(const ph_lexer *lexer, size_t n) {
  return (size_t)(lexer->end - lexer->at) > n ? lexer->at[n] : 0;
}

static void skip_space(ph_lexer *lexer) {
  while (lexer->at < lexer->end && *lexer->at && strchr(" \t\r\n\v\f", *lexer->at))
    lexer->line += *lexer->at++ == '\n';
}

static size_t name_length(const char *at, const char *end) {
  size_t n = 0;
  while (at + n < end && (is_letter(at[n]) || is_digit(at[n])))
    n++;
  return n;
}

/* As Lua reads one: digits, letters, points, and a sign behind an exponent. */
static size_t number_length(const char *at, const char *end) {
  bool hex = end - at > 1 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  size_t n = hex ? 2 : 0;
  for (; at + n < end; n++) {
    char before = n > 0 ? at[n - 1] : 0;
    bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
    if (!is_digit(at[n]) && !is_letter(at[n]) && at[n] != '.' &&
        !((at[n] == '+' || at[n] == '-') && exponent))
      break;
  }
  return n;
}

/* Level of the long bracket at `at`: 0 for [[, 1 for [=[; -1: none. */
static int bracket_level(const char *at, const char *end) {
  int level = 0;
  if (at >= end || *at != '[')
    return -1;
  for (at++; at < end && *at == '='; at++)
    level++;
  return at < end && *at == '[' ? level : -1;
}

/* Bytes of the long string at `at`; 0: it has no end. */
static size_t long_length(const char *at, const char *end, int level) {
  for (const char *c = at + 2 + level; c < end; c++) {
    int n = 0;
    if (*c != ']')
      continue;
    while (c + 1 + n < end && c[1 + n] == '=')
      n++;
    if (n == level && c + 1 + n < end && c[1 + n] == ']')
      return (size_t)(c + 2 + n - at);
  }
  return 0;
}

/* Bytes of the quoted string at `at`; 0: it has no end in its line. */
static size_t quoted_length(const char *at, const char *end) {
  for (const char *c = at + 1; c < end && *c != '\n'; c++) {
    if (*c == *at)
      return (size_t)(c + 1 - at);
    if (*c == '\\' && c + 1 < end)
      c++;
  }
  return 0;
}

static size_t comment_length(const char *at, const char *end) {
  int level = bracket_level(at + 2, end);
  if (level >= 0) {
    size_t n = long_length(at + 2, end, level);
    return n > 0 ? n + 2 : 0;
  }
  const char *eol = memchr(at, '\n', (size_t)(end - at));
  return (size_t)((eol ? eol : end) - at);
}

static size_t sign_length(const ph_lexer *lexer) {
  static const char *const signs[] = {"...", "..", "==", "~=", "<=", ">=", "//", "<<", ">>", "::"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    size_t n = strlen(signs[i]);
    if ((size_t)(lexer->end - lexer->at) >= n && memcmp(lexer->at, signs[i], n) == 0)
      return n;
  }
  return strchr("+-*/%^#&~|<>=(){}[];:,.", *lexer->at) ? 1 : 0;
}

static bool is_keyword(const char *at, size_t n) {
  static const char *const words[] = {"and",   "break", "do",       "else",  "elseif", "end",
                                      "false", "for",   "function", "goto",  "if",     "in",
                                      "local", "nil",   "not",      "or",    "repeat", "return",
                                      "then",  "true",  "until",    "while", NULL};
  for (size_t i = 0; words[i]; i++)
    if (strlen(words[i]) == n && memcmp(words[i], at, n) == 0)
      return true;
  return false;
}

/* Kind and length of what begins here, which is no space. Length 0: it has no end. */
static ph_token_kind measure(const ph_lexer *lexer, size_t *n) {
  const char *at = lexer->at, *end = lexer->end;
  if (is_letter(*at)) {
    *n = name_length(at, end);
    return is_keyword(at, *n) ? PH_TOKEN_KEYWORD : PH_TOKEN_NAME;
  }
  if (is_digit(*at) || (*at == '.' && is_digit(ahead(lexer, 1)))) {
    *n = number_length(at, end);
    return PH_TOKEN_NUMBER;
  }
  if (*at == '-' && ahead(lexer, 1) == '-') {
    *n = comment_length(at, end);
    return PH_TOKEN_COMMENT;
  }
  int level = bracket_level(at, end);
  if (*at == '"' || *at == '\'' || level >= 0) {
    *n = level >= 0 ? long_length(at, end, level) : quoted_length(at, end);
    return PH_TOKEN_STRING;
  }
  *n = *at ? sign_length(lexer) : 0;
  return *n > 0 ? PH_TOKEN_SIGN : PH_TOKEN_BAD;
}

ph_token ph_lex_next(ph_lexer *lexer) {
  skip_space(lexer);
  ph_token token = {PH_TOKEN_END, lexer->at, 0, lexer->line};
  if (lexer->at >= lexer->end)
    return token;
  token.kind = measure(lexer, &token.n);
  if (token.n == 0) {
    bool endless = token.kind != PH_TOKEN_BAD;
    token.kind = PH_TOKEN_BAD;
    token.n = endless ? (size_t)(lexer->end - lexer->at) : 1;
  }
  for (size_t i = 0; i < token.n; i++)
    lexer->line += token.at[i] == '\n';
  lexer->at += token.n;
  return token;
}

bool ph_token_is(const ph_token *token, const char *text) {
  return token->kind != PH_TOKEN_END && strlen(text) == token->n &&
         memcmp(token->at, text, token->n) == 0;
}

bool ph_token_text(const ph_token *token, char *out, size_t size) {
  const char *at = token->at;
  size_t n = token->n, edge = 1;
  if (token->kind != PH_TOKEN_STRING)
    return false;
  if (*at == '[') {
    edge = (size_t)bracket_level(at, at + n) + 2;
    if (n > 2 * edge && at[edge] == '\n')
      return false;
  } else if (memchr(at, '\\', n)) {
    return false;
  }
  if (n - 2 * edge >= size)
    return false;
  memcpy(out, at + edge, n - 2 * edge);
  out[n - 2 * edge] = 0;
  return true;
}
