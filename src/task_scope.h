/* What a name means at a place of a task's text: the scene, the env of a reset, or anything else.
 * Follows blocks, functions and tables by their tokens alone; text that Lua has compiled is meant,
 * and of any other the answer is some answer. */
#ifndef PLAYHEAD_TASK_SCOPE_H
#define PLAYHEAD_TASK_SCOPE_H

#include "lex.h"

typedef enum ph_meaning {
  PH_MEANS_OTHER,
  PH_MEANS_SCENE,     /* the first parameter of a function of the task */
  PH_MEANS_ENV,       /* ... of its reset */
  PH_MEANS_SCENE_TOO, /* maybe: a parameter named s of any other function */
  PH_MEANS_ENV_TOO,   /* ... named env */
} ph_meaning;

enum { PH_SCOPE_FRAMES = 240, PH_SCOPE_NAMES = 400 };

/* Private to task_scope.c. */
typedef enum ph_frame_kind {
  PH_FRAME_BLOCK,
  PH_FRAME_FUNCTION,
  PH_FRAME_HEAD,  /* of a for or while, up to its do */
  PH_FRAME_UNTIL, /* of a repeat, in its condition */
  PH_FRAME_TABLE,
  PH_FRAME_BRACKETS
} ph_frame_kind;

typedef enum ph_frame_role {
  PH_ROLE_NONE,
  PH_ROLE_TASK,   /* the table that is returned */
  PH_ROLE_SCENES, /* one of its tables of functions; or such a function */
  PH_ROLE_ENV     /* its reset */
} ph_frame_role;

typedef struct ph_scope_frame {
  ph_frame_kind kind;
  ph_frame_role role;
  size_t first;   /* its first name */
  size_t waiting; /* names at the end that are still to begin: behind the expressions of a local */
  size_t nparams; /* so far, of a function */
  ph_token key;   /* of the field of a table that is being read */
} ph_scope_frame;

/* Good as long as the text is. */
typedef struct ph_scope {
  ph_scope_frame frame[PH_SCOPE_FRAMES];
  size_t nframes;
  struct ph_scope_name {
    ph_token token;
    ph_meaning means;
  } name[PH_SCOPE_NAMES];
  size_t nnames;
  int reading; /* what the names that follow are */
  bool lost;   /* too deep: nothing means anything any more */
  ph_token before;
} ph_scope;

void ph_scope_begin(ph_scope *scope);
/* The next token of the text, comments left out. */
void ph_scope_take(ph_scope *scope, const ph_token *token);
/* What a name means that was taken last. */
ph_meaning ph_scope_means(const ph_scope *scope, const ph_token *name);

#endif
