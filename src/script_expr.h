/* A success condition that is one expression of `s`, given beside a task's text. Its errors name
 * the expression and the column. For the files of the Lua door alone. */
#ifndef PLAYHEAD_SCRIPT_EXPR_H
#define PLAYHEAD_SCRIPT_EXPR_H

#include "script_lua.h"

/* Compiles the text and makes it the `success` of the table on the top of the stack. Raises an
 * error for what is no expression, and for names that s or the whitelist have not. */
void ph_script_set_success(lua_State *L, const char *text);

/* Whether a function's source, or its short form, is the expression (nullable). */
bool ph_script_is_expr(const ph_script_expr *expr, const char *source);
/* "--success 's.time > 2': column 3" into out; line 0: without a column. */
void ph_script_expr_where(const ph_script_expr *expr, int line, char *out, size_t size);
/* Takes a Lua message apart where it is of the expression (nullable): where it is, what is wrong.
 * 0: it is not. */
size_t ph_script_expr_message(const ph_script_expr *expr, const char *message, char *where,
                              size_t where_size, char *text, size_t size);

#endif
