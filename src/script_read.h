/* Reading the fields of a task's table. Everything raises a Lua error that begins with `where`
 * ("actions[2]: "); kept memory lives as long as the script. For the files of the Lua door alone.
 */
#ifndef PLAYHEAD_SCRIPT_READ_H
#define PLAYHEAD_SCRIPT_READ_H

#include "script_lua.h"

enum { PH_SCRIPT_NAME = 63 /* bytes of a name */, PH_SCRIPT_LIST = 1000 /* elements of a list */ };

/* A kept copy of the string at a stack index. */
const char *ph_script_keep_string(lua_State *L, int index);
/* Refuses keys of the table at index t that are not in the list, which ends with NULL. */
void ph_script_check_keys(lua_State *L, int t, const char *where, const char *const *known);
/* Refuses a list where a table of `form` has to be: "{min = ..., max = ...}". */
void ph_script_check_form(lua_State *L, int t, const char *where, const char *form);
/* Pushes t[key]; false and nothing pushed where it is absent. Another type is an error. */
bool ph_script_push_field(lua_State *L, int t, const char *key, int type, const char *where);
/* A finite number, or `otherwise` where it is absent. */
double ph_script_read_number(lua_State *L, int t, const char *key, double otherwise,
                             const char *where);
/* Elements of the list at index t, at least `min`; refuses other keys. */
int ph_script_list_length(lua_State *L, int t, int min, const char *where);
/* A list of at least one finite number that has to be there; kept. */
double *ph_script_read_numbers(lua_State *L, int t, const char *key, const char *where, size_t *n);

/* script_terms.c: `actions` and `action_range` of the task's table at index t. */
void ph_script_read_terms(lua_State *L, int t);
void ph_script_read_range(lua_State *L, int t);

#endif
