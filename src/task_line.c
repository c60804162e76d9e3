#include "task_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"

/* Where a field's value begins: behind its '='. */
typedef struct field {
  ph_lexer value;
  int line, depth; /* of brackets around it; line 0: not found */
} field;

static ph_token next(ph_lexer *lexer) {
  ph_token token;
  do
    token = ph_lex_next(lexer);
  while (token.kind == PH_TOKEN_COMMENT);
  return token;
}

static int step_depth(const ph_token *token) {
  if (token->kind != PH_TOKEN_SIGN || token->n != 1)
    return 0;
  return strchr("{([", *token->at) ? 1 : strchr("})]", *token->at) ? -1 : 0;
}

static bool separates(const ph_token *token) {
  return ph_token_is(token, "{") || ph_token_is(token, ",") || ph_token_is(token, ";");
}

/* The last of the outermost fields of that name: a file ends with the table that it returns. */
static field find_field(const char *text, size_t size, const char *key, size_t length) {
  field found = {.depth = 1000000};
  ph_lexer lexer;
  ph_token before = {PH_TOKEN_END, text, 0, 1};
  int depth = 0;
  ph_lex_begin(&lexer, text, size);
  for (ph_token token = next(&lexer); token.kind != PH_TOKEN_END; token = next(&lexer)) {
    depth += step_depth(&token);
    bool named = token.kind == PH_TOKEN_NAME && token.n == length &&
                 memcmp(token.at, key, length) == 0 && separates(&before);
    ph_lexer ahead = lexer;
    ph_token sign = named ? next(&ahead) : token;
    if (named && ph_token_is(&sign, "=") && depth > 0 && depth <= found.depth)
      found = (field){ahead, token.line, depth};
    before = token;
  }
  return found;
}

/* Line of the n-th table (from 1) in the list that begins there; 0: it is no list of tables. */
static int find_element(ph_lexer lexer, long n) {
  ph_token token = next(&lexer);
  int depth = 1;
  if (!ph_token_is(&token, "{"))
    return 0;
  for (token = next(&lexer); token.kind != PH_TOKEN_END && depth > 0; token = next(&lexer)) {
    if (depth == 1 && ph_token_is(&token, "{") && --n == 0)
      return token.line;
    depth += step_depth(&token);
  }
  return 0;
}

/* "unknown key 'sucess'": the key as it stands in the text. */
static int unknown_line(const char *text, size_t size, const char *message) {
  static const char what[] = "unknown key '";
  if (strncmp(message, what, sizeof what - 1) != 0)
    return 0;
  message += sizeof what - 1;
  return find_field(text, size, message, strcspn(message, "'")).line;
}

int ph_task_line(const char *text, size_t size, const char *message) {
  if (text && unknown_line(text, size, message) > 0)
    return unknown_line(text, size, message);
  size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz_");
  if (!text || length == 0 || !message[length] || !strchr(":.[ ", message[length]))
    return 0;
  field found = find_field(text, size, message, length);
  if (found.line == 0 || message[length] != '[')
    return found.line;
  int line = find_element(found.value, strtol(message + length + 1, NULL, 10));
  return line > 0 ? line : found.line;
}
