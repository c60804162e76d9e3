#include "threshold.h"

#include <stdio.h>
#include <string.h>

#include "lex.h"

enum { MOST = 64 }; /* tokens of a condition */

/* Tokens without comments, from the first of interest on. */
typedef struct run {
  ph_token at[MOST];
  size_t n;
  bool whole; /* none had no room */
} run;

static void add(run *r, const ph_token *token) {
  if (token->kind == PH_TOKEN_COMMENT)
    return;
  if (r->n < MOST)
    r->at[r->n++] = *token;
  else
    r->whole = false;
}

static bool is(const run *r, size_t i, const char *text) {
  return i < r->n && ph_token_is(&r->at[i], text);
}

static bool is_kind(const run *r, size_t i, ph_token_kind kind) {
  return i < r->n && r->at[i].kind == kind;
}

/* Behind what is in brackets: strings alone. 0: there is something else. */
static size_t skip_arguments(const run *r, size_t i) {
  if (is(r, i, ")"))
    return i + 1;
  for (; is_kind(r, i, PH_TOKEN_STRING); i += 2) {
    if (is(r, i + 1, ")"))
      return i + 2;
    if (!is(r, i + 1, ","))
      return 0;
  }
  return 0;
}

/* Behind "s.joint.drawer", "s.dist('a', 'b')", "s.body['my cube'].z" of that parameter; 0: it is
 * none. */
static size_t skip_reading(const run *r, size_t i, const ph_token *param) {
  size_t from = i + 1;
  if (!is_kind(r, i, PH_TOKEN_NAME) || r->at[i].n != param->n ||
      memcmp(r->at[i].at, param->at, param->n) != 0)
    return 0;
  for (i = from; i < r->n;) {
    size_t next = 0;
    if (is(r, i, ".") && is_kind(r, i + 1, PH_TOKEN_NAME))
      next = i + 2;
    else if (is(r, i, "[") && is_kind(r, i + 1, PH_TOKEN_STRING) && is(r, i + 2, "]"))
      next = i + 3;
    else if (is(r, i, "("))
      next = skip_arguments(r, i + 1);
    if (next == 0)
      break;
    i = next;
  }
  return i > from ? i : 0;
}

/* Behind a number; 0: it is none. */
static size_t skip_number(const run *r, size_t i, ph_threshold *out) {
  bool minus = is(r, i, "-");
  i += minus;
  if (!is_kind(r, i, PH_TOKEN_NUMBER) || r->at[i].n + minus >= sizeof out->number)
    return 0;
  snprintf(out->number, sizeof out->number, "%s%.*s", minus ? "-" : "", (int)r->at[i].n,
           r->at[i].at);
  return i + 1;
}

static size_t skip_compare(const run *r, size_t i, bool turned, ph_threshold *out) {
  static const char *const sign[] = {"<", "<=", ">", ">="}, *const other[] = {">", ">=", "<", "<="};
  for (size_t k = 0; k < sizeof sign / sizeof *sign; k++)
    if (is(r, i, sign[k])) {
      snprintf(out->compare, sizeof out->compare, "%s", turned ? other[k] : sign[k]);
      return i + 1;
    }
  return 0;
}

/* The tokens [from, to) are one comparison. */
static bool is_comparison(ph_threshold *out, const run *r, size_t from, size_t to,
                          const ph_token *param) {
  for (; to - from > 2 && is(r, from, "(") && is(r, to - 1, ")"); to--)
    from++;
  size_t i = skip_reading(r, from, param);
  bool turned = i == 0;
  if (turned)
    i = skip_number(r, from, out);
  if (i > 0)
    i = skip_compare(r, i, turned, out);
  if (i > 0)
    i = turned ? skip_reading(r, i, param) : skip_number(r, i, out);
  return i > 0 && i == to;
}

bool ph_threshold_of_expression(ph_threshold *out, const char *text, size_t size) {
  const ph_token param = {.kind = PH_TOKEN_NAME, .at = "s", .n = 1};
  run r = {.whole = true};
  ph_lexer lexer;
  ph_token token;
  ph_lex_begin(&lexer, text, size);
  while ((token = ph_lex_next(&lexer)).kind != PH_TOKEN_END && r.whole)
    add(&r, &token);
  return r.whole && is_comparison(out, &r, 0, r.n, &param);
}

/* function ( s ) return EXPRESSION end */
bool ph_threshold_of_function(ph_threshold *out, const char *text, size_t size, int first,
                              int last) {
  run r = {.whole = true};
  ph_lexer lexer;
  ph_token token;
  size_t functions = 0, end = 0;
  ph_lex_begin(&lexer, text, size);
  while ((token = ph_lex_next(&lexer)).kind != PH_TOKEN_END && token.line <= last && r.whole) {
    bool begins = token.line >= first && ph_token_is(&token, "function");
    functions += begins;
    if (functions == 1 && end == 0)
      add(&r, &token);
    if (functions == 1 && end == 0 && ph_token_is(&token, "end"))
      end = r.n;
  }
  if (!r.whole || functions != 1 || end < 6)
    return false;
  size_t to = is(&r, end - 2, ";") ? end - 2 : end - 1;
  return is(&r, 1, "(") && is_kind(&r, 2, PH_TOKEN_NAME) && is(&r, 3, ")") && is(&r, 4, "return") &&
         is_comparison(out, &r, 5, to, &r.at[2]);
}
