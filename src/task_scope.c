#include "task_scope.h"

#include <string.h>

enum reading {
  NOTHING,
  LOCALS,   /* behind local: names */
  LOOP,     /* behind for: names */
  FUNCTION, /* behind function: its name, up to the parenthesis */
  LOCAL_FUNCTION,
  PARAMETERS
};

static ph_scope_frame *top(ph_scope *scope) {
  return &scope->frame[scope->nframes - 1];
}

static void push(ph_scope *scope, ph_frame_kind kind, ph_frame_role role) {
  if (scope->nframes == PH_SCOPE_FRAMES) {
    scope->lost = true;
    return;
  }
  scope->frame[scope->nframes++] =
      (ph_scope_frame){.kind = kind, .role = role, .first = scope->nnames};
}

/* The chunk stays. */
static void pop(ph_scope *scope) {
  if (scope->nframes == 1)
    return;
  scope->nnames = top(scope)->first;
  scope->nframes--;
}

static void add_name(ph_scope *scope, const ph_token *token, ph_meaning means) {
  if (scope->nnames == PH_SCOPE_NAMES) {
    scope->lost = true;
    return;
  }
  scope->name[scope->nnames].token = *token;
  scope->name[scope->nnames++].means = means;
}

/* --- where an expression ends --- */

static bool ends_operand(const ph_token *token) {
  static const char *const words[] = {"end", "nil", "true", "false", ")", "]", "}", "..."};
  if (token->kind == PH_TOKEN_NAME || token->kind == PH_TOKEN_NUMBER ||
      token->kind == PH_TOKEN_STRING)
    return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (token->kind != PH_TOKEN_END && ph_token_is(token, words[i]))
      return true;
  return false;
}

/* Whether a statement begins with the token, or the text ends. */
static bool ends_expression(const ph_scope *scope, const ph_token *token) {
  bool word =
      token->kind == PH_TOKEN_NAME ||
      (token->kind == PH_TOKEN_KEYWORD && !ph_token_is(token, "and") && !ph_token_is(token, "or"));
  return token->kind == PH_TOKEN_END || ph_token_is(token, ";") ||
         (ends_operand(&scope->before) && (word || ph_token_is(token, "::")));
}

/* Names of a local begin behind its expressions; those of a repeat end behind its condition. */
static void end_expression(ph_scope *scope, const ph_token *token) {
  bool until = top(scope)->kind == PH_FRAME_UNTIL;
  if ((!until && top(scope)->waiting == 0) || !ends_expression(scope, token))
    return;
  top(scope)->waiting = 0;
  if (until)
    pop(scope);
}

/* --- names --- */

/* Takes the token where it is one of those after local or for. */
static bool take_names(ph_scope *scope, const ph_token *token) {
  bool attribute = ph_token_is(&scope->before, "<");
  if (token->kind == PH_TOKEN_NAME && !attribute) {
    add_name(scope, token, PH_MEANS_OTHER);
    top(scope)->waiting++;
    return true;
  }
  if (attribute || ph_token_is(token, ",") || ph_token_is(token, "<") || ph_token_is(token, ">"))
    return true;
  if (scope->reading == LOCALS && !ph_token_is(token, "="))
    top(scope)->waiting = 0;
  scope->reading = NOTHING;
  return false;
}

static void take_parameter(ph_scope *scope, const ph_token *token) {
  ph_scope_frame *f = top(scope);
  ph_meaning means = PH_MEANS_OTHER;
  if (ph_token_is(token, ")"))
    scope->reading = NOTHING;
  if (token->kind != PH_TOKEN_NAME) /* the task of a text of layers is in such a function */
    return;
  if (f->role != PH_ROLE_NONE && f->nparams == 0)
    means = f->role == PH_ROLE_ENV ? PH_MEANS_ENV : PH_MEANS_SCENE;
  else if (f->role == PH_ROLE_NONE && ph_token_is(token, "s"))
    means = PH_MEANS_SCENE_TOO;
  else if (f->role == PH_ROLE_NONE && ph_token_is(token, "env"))
    means = PH_MEANS_ENV_TOO;
  add_name(scope, token, means);
  f->nparams++;
}

/* The name of a local function is one of the block that it is in. */
static void take_function(ph_scope *scope, const ph_token *token) {
  if (ph_token_is(token, "(")) {
    scope->reading = PARAMETERS;
  } else if (scope->reading == LOCAL_FUNCTION && token->kind == PH_TOKEN_NAME) {
    add_name(scope, token, PH_MEANS_OTHER);
    top(scope)->first = scope->nnames;
  }
}

/* --- blocks and tables --- */

static bool is_one_of(const ph_token *token, const char *const *words) {
  while (*words && !ph_token_is(token, *words))
    words++;
  return *words != NULL;
}

/* Of what begins as the value of a field of the table on the top. */
static ph_frame_role role_of_value(ph_scope *scope, bool function) {
  static const char *const plain[] = {"success", "failure", "reward", "policy", NULL},
                           *const tables[] = {"success", "readouts", "stages", NULL};
  const ph_scope_frame *f = top(scope);
  if (f->kind != PH_FRAME_TABLE || f->role == PH_ROLE_NONE)
    return PH_ROLE_NONE;
  if (f->role == PH_ROLE_SCENES)
    return PH_ROLE_SCENES;
  if (function && ph_token_is(&f->key, "reset"))
    return PH_ROLE_ENV;
  return is_one_of(&f->key, function ? plain : tables) ? PH_ROLE_SCENES : PH_ROLE_NONE;
}

/* The table that the text returns: in no function, or in one of layers, which has no parameters. */
static ph_frame_role role_of_table(ph_scope *scope) {
  bool outside = ph_token_is(&scope->before, "return");
  for (size_t i = 0; i < scope->nframes; i++)
    outside =
        outside && (scope->frame[i].kind != PH_FRAME_FUNCTION || scope->frame[i].nparams == 0);
  return outside ? PH_ROLE_TASK : role_of_value(scope, false);
}

static void take_sign(ph_scope *scope, const ph_token *token) {
  bool table = top(scope)->kind == PH_FRAME_TABLE;
  if (ph_token_is(token, "{"))
    push(scope, PH_FRAME_TABLE, role_of_table(scope));
  else if (ph_token_is(token, "(") || ph_token_is(token, "["))
    push(scope, PH_FRAME_BRACKETS, PH_ROLE_NONE);
  else if (ph_token_is(token, "}") || ph_token_is(token, ")") || ph_token_is(token, "]"))
    pop(scope);
  else if (table && ph_token_is(token, "="))
    top(scope)->key = scope->before;
  else if (table && (ph_token_is(token, ",") || ph_token_is(token, ";")))
    top(scope)->key = (ph_token){0};
}

/* The head of a loop becomes its body, where its names begin. */
static void take_do(ph_scope *scope) {
  if (top(scope)->kind != PH_FRAME_HEAD) {
    push(scope, PH_FRAME_BLOCK, PH_ROLE_NONE);
    return;
  }
  top(scope)->kind = PH_FRAME_BLOCK;
  top(scope)->waiting = 0;
}

static void take_keyword(ph_scope *scope, const ph_token *token) {
  bool loop = ph_token_is(token, "for");
  if (ph_token_is(token, "function")) {
    bool local = ph_token_is(&scope->before, "local");
    push(scope, PH_FRAME_FUNCTION, role_of_value(scope, true));
    scope->reading = local ? LOCAL_FUNCTION : FUNCTION;
  } else if (ph_token_is(token, "local")) {
    scope->reading = LOCALS;
  } else if (loop || ph_token_is(token, "while")) {
    push(scope, PH_FRAME_HEAD, PH_ROLE_NONE);
    scope->reading = loop ? LOOP : NOTHING;
  } else if (ph_token_is(token, "do")) {
    take_do(scope);
  } else if (ph_token_is(token, "then") || ph_token_is(token, "repeat")) {
    push(scope, PH_FRAME_BLOCK, PH_ROLE_NONE);
  } else if (ph_token_is(token, "else")) {
    pop(scope);
    push(scope, PH_FRAME_BLOCK, PH_ROLE_NONE);
  } else if (ph_token_is(token, "elseif") || ph_token_is(token, "end")) {
    pop(scope);
  } else if (ph_token_is(token, "until")) {
    top(scope)->kind = PH_FRAME_UNTIL;
  }
}

/* --- doors --- */

void ph_scope_begin(ph_scope *scope) {
  memset(scope, 0, sizeof *scope);
  push(scope, PH_FRAME_BLOCK, PH_ROLE_NONE);
}

void ph_scope_take(ph_scope *scope, const ph_token *token) {
  if (scope->lost)
    return;
  bool taken = (scope->reading == LOCALS || scope->reading == LOOP) && take_names(scope, token);
  if (scope->reading == PARAMETERS) {
    take_parameter(scope, token);
  } else if (scope->reading == FUNCTION || scope->reading == LOCAL_FUNCTION) {
    take_function(scope, token);
  } else if (!taken) {
    if (top(scope)->kind != PH_FRAME_HEAD)
      end_expression(scope, token);
    if (token->kind == PH_TOKEN_KEYWORD)
      take_keyword(scope, token);
    else if (token->kind == PH_TOKEN_SIGN)
      take_sign(scope, token);
  }
  scope->before = *token;
}

/* Names of a frame that are waiting are its last; the newest that has begun is meant. */
ph_meaning ph_scope_means(const ph_scope *scope, const ph_token *name) {
  size_t end = scope->nnames;
  for (size_t f = scope->nframes; !scope->lost && f-- > 0; end = scope->frame[f].first) {
    size_t last = end - scope->frame[f].waiting;
    for (size_t i = last; i-- > scope->frame[f].first;) {
      const ph_token *t = &scope->name[i].token;
      if (t->n == name->n && memcmp(t->at, name->at, t->n) == 0)
        return scope->name[i].means;
    }
  }
  return PH_MEANS_OTHER;
}
