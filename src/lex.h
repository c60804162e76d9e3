/* Tokens of Lua text, with their places: what Lua's own messages, which know lines only, do not
 * tell. It never fails: what is no token is a token of its own kind. */
#ifndef PLAYHEAD_LEX_H
#define PLAYHEAD_LEX_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ph_token_kind {
  PH_TOKEN_END,
  PH_TOKEN_NAME, /* not a keyword */
  PH_TOKEN_KEYWORD,
  PH_TOKEN_NUMBER,
  PH_TOKEN_STRING, /* with its quotes or brackets */
  PH_TOKEN_SIGN,   /* an operator or bracket, of up to three bytes */
  PH_TOKEN_COMMENT,
  PH_TOKEN_BAD /* a byte that begins nothing, or a string or comment without an end */
} ph_token_kind;

typedef struct ph_token {
  ph_token_kind kind;
  const char *at; /* in the text */
  size_t n;       /* bytes */
  int line;       /* from 1 */
} ph_token;

typedef struct ph_lexer {
  const char *at, *end;
  int line;
} ph_lexer;

void ph_lex_begin(ph_lexer *lexer, const char *text, size_t size);
ph_token ph_lex_next(ph_lexer *lexer); /* comments too */
bool ph_token_is(const ph_token *token, const char *text);
/* The bytes of a string of plain ones ("cup", 'cup', [[cup]]) into out; false: it is another token,
 * has an escape in it, or does not fit. */
bool ph_token_text(const ph_token *token, char *out, size_t size);

#endif
