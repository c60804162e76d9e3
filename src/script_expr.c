#include "script_expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "name.h"

/* Lua's messages have lines and no columns. So the chunk that is compiled has one token of the
 * expression on each line, behind a first line that opens it: line k is the token k - 2. What runs
 * is compiled again with operators behind the operand before them: an operand's instructions are
 * only made, and get their line, when the operator has been read. */

enum { EXPR_MAX = 2000, HEAD_LINES = 1 };

#define CHUNK "--success"

struct ph_script_expr {
  char *text;
  size_t n;          /* tokens */
  uint16_t column[]; /* of each, from 1; of the end behind the last */
};

/* --- checks before it is compiled --- */

/* Raises an error at a token; level 0: the message has no other place. */
static int at_token(lua_State *L, size_t i, const char *what) {
  lua_pushfstring(L, CHUNK ":%d: %s", (int)(i + 1 + HEAD_LINES), what);
  return lua_error(L);
}

static int unknown_at(lua_State *L, size_t i, const char *what, const ph_near *near) {
  char list[300];
  lua_pushfstring(L, "%s '%s'%s", what, near->word, ph_near_text(near, list, sizeof list));
  return at_token(L, i, lua_tostring(L, -1));
}

static const char *word_of(const ph_token *token, char *out, size_t size) {
  snprintf(out, size, "%.*s", (int)(token->n < size ? token->n : size - 1), token->at);
  return out;
}

static void check_field(lua_State *L, size_t i, const ph_token *token, bool start) {
  char word[64];
  ph_near near;
  const char *const *known = ph_script_s_fields(start), *const *k = known;
  while (*k && !ph_token_is(token, *k))
    k++;
  if (*k)
    return;
  ph_near_begin(&near, word_of(token, word, sizeof word));
  for (k = known; *k; k++)
    ph_near_add(&near, *k);
  unknown_at(L, i, start ? "s.start has no" : "s has no", &near);
}

static void check_global(lua_State *L, size_t i, const ph_token *token) {
  char word[64];
  ph_near near;
  if (ph_token_is(token, "s"))
    return;
  lua_pushglobaltable(L);
  int type = lua_getfield(L, -1, word_of(token, word, sizeof word));
  lua_pop(L, 2);
  if (type != LUA_TNIL)
    return;
  for (const char *const *k = ph_script_s_fields(false); *k; k++) {
    if (strcmp(word, *k) != 0)
      continue;
    lua_pushfstring(L, "no such name '%s'; did you mean 's.%s'?", word, word);
    at_token(L, i, lua_tostring(L, -1));
  }
  ph_near_begin(&near, word);
  for (const char *const *k = ph_script_globals(); *k; k++)
    ph_near_add(&near, *k);
  unknown_at(L, i, "no such name", &near);
}

static bool is_dot(const ph_token *token) {
  return ph_token_is(token, ".") || ph_token_is(token, ":");
}

/* Names that no model and no whitelist has. Inside functions of its own names may be anything. */
static void check_names(lua_State *L, const ph_token *token, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (ph_token_is(&token[i], "function"))
      return;
  for (size_t i = 0; i < n; i++) {
    if (token[i].kind != PH_TOKEN_NAME)
      continue;
    bool field = i > 0 && is_dot(&token[i - 1]);
    bool of_s = i > 1 && ph_token_is(&token[i - 1], ".") && ph_token_is(&token[i - 2], "s") &&
                !(i > 2 && is_dot(&token[i - 3]));
    bool of_start = i > 3 && ph_token_is(&token[i - 1], ".") &&
                    ph_token_is(&token[i - 2], "start") && ph_token_is(&token[i - 3], ".") &&
                    ph_token_is(&token[i - 4], "s");
    if (of_s || of_start)
      check_field(L, i, &token[i], of_start);
    else if (!field && !(i + 1 < n && ph_token_is(&token[i + 1], "=")))
      check_global(L, i, &token[i]);
  }
}

/* Refuses what would not stay inside the parentheses that are put around it. */
static void check_shape(lua_State *L, const ph_token *token, size_t n) {
  int depth = 0;
  if (n == 0)
    at_token(L, 0, "an expression is missing");
  for (size_t i = 0; i < n; i++) {
    if (token[i].kind == PH_TOKEN_COMMENT)
      at_token(L, i, "a comment has no place here");
    if (token[i].kind == PH_TOKEN_BAD && token[i].n > 1)
      at_token(L, i, "this string has no end");
    if (token[i].kind == PH_TOKEN_BAD)
      at_token(L, i, "this character has no place here");
    if (token[i].kind == PH_TOKEN_STRING && memchr(token[i].at, '\n', token[i].n))
      at_token(L, i, "a string of more than one line has no place here");
    if (ph_token_is(&token[i], "=") && depth == 0)
      at_token(L, i, "'=' sets; '==' compares");
    depth += ph_token_is(&token[i], "(") || ph_token_is(&token[i], "{");
    depth -= ph_token_is(&token[i], ")") || ph_token_is(&token[i], "}");
    if (depth < 0)
      at_token(L, i, "this closes nothing");
  }
}

/* --- compiling --- */

static const ph_script_expr *keep_expr(lua_State *L, const char *text) {
  ph_script *script = ph_script_of(L);
  size_t size = strlen(text), n = 0;
  if (size > EXPR_MAX)
    luaL_error(L, "success: the expression has %d bytes, may have %d", (int)size, EXPR_MAX);
  ph_script_expr *expr = ph_script_keep(L, sizeof *expr + (size + 1) * sizeof *expr->column);
  expr->text = ph_script_keep(L, size + 1);
  memcpy(expr->text, text, size);
  for (size_t i = 0; i < size; i++) /* blanks of any kind are blanks: it is one line */
    if (expr->text[i] && strchr("\t\r\n\v\f", expr->text[i]))
      expr->text[i] = ' ';
  ph_lexer lexer;
  ph_lex_begin(&lexer, expr->text, size);
  for (;; n++) {
    ph_token token = ph_lex_next(&lexer);
    expr->column[n] = (uint16_t)(token.at - expr->text + 1);
    if (token.kind == PH_TOKEN_END)
      break;
  }
  expr->n = n;
  script->expr = expr;
  return expr;
}

static bool is_operator(const ph_token *token) {
  return token->kind == PH_TOKEN_SIGN || ph_token_is(token, "and") || ph_token_is(token, "or");
}

/* Pushes the compiled chunk: a function that gives the condition. */
static void compile(lua_State *L, const ph_token *token, size_t n, bool to_run, char *room) {
  char *to = room;
  size_t lines = 0; /* begun so far */
  to += sprintf(to, "return function(s) return (");
  for (size_t i = 0; i <= n; i++) {
    bool stay = to_run && i > 0 && (i == n || is_operator(&token[i]));
    for (; !stay && lines <= i; lines++)
      *to++ = '\n';
    to += i < n ? sprintf(to, " %.*s", (int)token[i].n, token[i].at) : sprintf(to, " ) end");
  }
  if (luaL_loadbufferx(L, room, (size_t)(to - room), "=" CHUNK, "t") != LUA_OK)
    lua_error(L);
}

void ph_script_set_success(lua_State *L, const char *text) {
  int task = lua_gettop(L);
  const ph_script_expr *expr = keep_expr(L, text);
  size_t size = strlen(expr->text);
  ph_token *token = ph_script_keep(L, (expr->n + 1) * sizeof *token);
  char *room = ph_script_keep(L, size + 2 * expr->n + 100);
  ph_lexer lexer;
  ph_lex_begin(&lexer, expr->text, size);
  for (size_t i = 0; i < expr->n; i++)
    token[i] = ph_lex_next(&lexer);
  check_shape(L, token, expr->n);
  compile(L, token, expr->n, false, room);
  check_names(L, token, expr->n);
  compile(L, token, expr->n, true, room);
  lua_call(L, 0, 1);
  lua_setfield(L, task, "success");
  lua_settop(L, task);
}

/* --- messages --- */

bool ph_script_is_expr(const ph_script_expr *expr, const char *source) {
  if (!expr)
    return false;
  return strcmp(source, "=" CHUNK) == 0 || strcmp(source, CHUNK) == 0;
}

void ph_script_expr_where(const ph_script_expr *expr, int line, char *out, size_t size) {
  enum { SHOWN = 160 };
  bool cut = strlen(expr->text) > SHOWN;
  size_t n = (size_t)snprintf(out, size, "--success '%.*s%s'", SHOWN, expr->text, cut ? "..." : "");
  size_t i = line > HEAD_LINES ? (size_t)(line - HEAD_LINES - 1) : SIZE_MAX;
  if (i <= expr->n && n < size)
    snprintf(out + n, size - n, ": column %u", (unsigned)expr->column[i]);
}

/* Lines in the middle of a message: "(to close '(' at line 3)". */
static void columns_for_lines(const ph_script_expr *expr, char *message) {
  static const char mark[] = " at line ";
  char *at = strstr(message, mark);
  if (!at)
    return;
  char *digits = at + sizeof mark - 1, *end;
  long line = strtol(digits, &end, 10);
  size_t i = line > HEAD_LINES ? (size_t)(line - HEAD_LINES - 1) : SIZE_MAX;
  char tail[300];
  snprintf(tail, sizeof tail, "%s", end);
  if (i < expr->n) /* the caller has left room for it */
    sprintf(at, " in column %u%s", (unsigned)expr->column[i], tail);
}

size_t ph_script_expr_message(const ph_script_expr *expr, const char *message, char *where,
                              size_t where_size, char *text, size_t size) {
  size_t n = sizeof CHUNK - 1;
  if (!expr || strncmp(message, CHUNK ":", n + 1) != 0)
    return 0;
  char *end;
  long line = strtol(message + n + 1, &end, 10);
  if (*end != ':' || line < 1 || line > EXPR_MAX + 10)
    return 0;
  end += 1 + strspn(end + 1, " ");
  ph_script_expr_where(expr, (int)line, where, where_size);
  bool syntax = strstr(end, " near ") != NULL;
  if (syntax && (size_t)line > expr->n + HEAD_LINES)
    snprintf(text, size, "it ends too early");
  else
    snprintf(text, size, "%.*s", (int)size - 20, end);
  columns_for_lines(expr, text);
  return 1;
}
