#include "task_check.h"

#include <stdio.h>
#include <string.h>

#include "lex.h"
#include "name.h"
#include "script_names.h"
#include "task_scope.h"

/* Names of the model in the text, as they stand behind the scene and the env that functions of the
 * task are given, whatever they call them: s.joint.NAME, s["joint"] not,
 * s.body["NAME"].z, s.dist("NAME", "NAME"), env.qpos.NAME. So names in branches that no step has
 * taken are looked up too. What is put together when it runs is not. */

enum { CHAIN = 6, WORD = 96, ARGUMENTS = 2, GROUP = 2 /* the last word that may be one */ };

struct scan {
  ph_checking *c;
  ph_lexer lexer;
  ph_token token;  /* the current one */
  ph_token before; /* the one before it */
  ph_scope scope;  /* as of the current one */
  const char *file;
};

struct chain {
  char word[CHAIN][WORD]; /* "s", "joint", "drawer" */
  size_t n;
  int line;
  bool maybe; /* the first word may be anything: where no group follows, nothing is said */
};

static void next(struct scan *s) {
  s->before = s->token;
  do
    s->token = ph_lex_next(&s->lexer);
  while (s->token.kind == PH_TOKEN_COMMENT);
  ph_scope_take(&s->scope, &s->token);
}

static bool take_word(struct chain *chain, const ph_token *token) {
  if (chain->n == CHAIN || token->n >= WORD)
    return false;
  snprintf(chain->word[chain->n++], WORD, "%.*s", (int)token->n, token->at);
  return true;
}

/* Reads ".name" and '["name"]' as long as they follow; the current token is the one behind. */
static void read_chain(struct scan *s, struct chain *chain) {
  *chain = (struct chain){.line = s->token.line};
  take_word(chain, &s->token);
  next(s);
  while (chain->n < CHAIN) {
    if (ph_token_is(&s->token, ".")) {
      next(s);
      if (s->token.kind != PH_TOKEN_NAME || !take_word(chain, &s->token))
        return;
      next(s);
    } else if (ph_token_is(&s->token, "[")) {
      next(s);
      if (!ph_token_text(&s->token, chain->word[chain->n], WORD))
        return;
      next(s);
      if (!ph_token_is(&s->token, "]"))
        return;
      chain->n++;
      next(s);
    } else {
      return;
    }
  }
}

/* --- findings --- */

/* Whether a function that ran has complained of that word in that line. */
static bool is_known(const ph_checking *c, int line, const char *word) {
  char place[40], quoted[WORD + 2];
  snprintf(place, sizeof place, ":%d: ", line);
  snprintf(quoted, sizeof quoted, "'%s'", word);
  for (size_t i = 0; i < c->out->nfindings; i++) {
    const ph_check_finding *finding = &c->out->finding[i];
    if (finding->kind == PH_CHECK_ERROR && strstr(finding->text, place) &&
        strstr(finding->text, quoted))
      return true;
  }
  return false;
}

static void unknown(struct scan *s, int line, const char *said, const char *what,
                    const ph_near *near) {
  char where[200], list[300], text[600];
  snprintf(where, sizeof where, "%s:%d", s->file, line);
  snprintf(text, sizeof text, "%s '%s'%s", what, near->word, ph_near_text(near, list, sizeof list));
  if (!is_known(s->c, line, near->word))
    ph_check_add(s->c, PH_CHECK_NAME, where, "%s: %s", said, text);
}

/* "s.joint.drwer" up to the first n words. */
static const char *said(const struct chain *chain, size_t n, char *out, size_t size) {
  size_t at = 0;
  out[0] = 0;
  for (size_t i = 0; i < n && i < chain->n && at < size; i++)
    at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "." : "", chain->word[i]);
  return out;
}

static bool in_list(const char *word, const char *const *list) {
  while (*list && strcmp(*list, word) != 0)
    list++;
  return *list != NULL;
}

/* Word i of the chain has to be in the list. */
static bool need_word(struct scan *s, const struct chain *chain, size_t i, const char *what,
                      const char *const *list) {
  ph_near near;
  char text[CHAIN * WORD];
  if (chain->n <= i || in_list(chain->word[i], list))
    return true;
  if (chain->maybe && i <= GROUP)
    return false;
  ph_near_begin(&near, chain->word[i]);
  for (; *list; list++)
    ph_near_add(&near, *list);
  unknown(s, chain->line, said(chain, i + 1, text, sizeof text), what, &near);
  return false;
}

/* Word i of the chain has to name an object. */
static bool need_object(struct scan *s, const struct chain *chain, size_t i, const char *noun,
                        ph_kind kind) {
  const ph_model *model = s->c->model;
  ph_near near;
  char text[CHAIN * WORD], what[60];
  if (chain->n <= i || !model || ph_model_find(model, kind, chain->word[i]) >= 0)
    return true;
  ph_near_begin(&near, chain->word[i]);
  for (int k = 0; k < ph_model_count(model, kind); k++)
    ph_near_add(&near, ph_model_name(model, kind, k));
  snprintf(what, sizeof what, "no %s", noun);
  unknown(s, chain->line, said(chain, i + 1, text, sizeof text), what, &near);
  return false;
}

/* --- s.dist("a", "b") --- */

struct places {
  const char *what; /* "no site, body or geom" */
  ph_kind kind[3];
  int n;
  bool patterns;
};

static bool has_place(const ph_model *model, const struct places *places, const char *word) {
  bool pattern = places->patterns && strpbrk(word, "*[");
  for (int k = 0; k < places->n; k++) {
    if (!pattern && ph_model_find(model, places->kind[k], word) >= 0)
      return true;
    for (int i = 0; pattern && i < ph_model_count(model, places->kind[k]); i++)
      if (ph_pattern_match(word, ph_model_name(model, places->kind[k], i)))
        return true;
  }
  return false;
}

static void check_place(struct scan *s, const struct chain *chain, const struct places *places,
                        const char *word, int line) {
  ph_near near;
  char text[CHAIN * WORD];
  if (!s->c->model || has_place(s->c->model, places, word))
    return;
  ph_near_begin(&near, word);
  for (int k = 0; k < places->n; k++)
    for (int i = 0; i < ph_model_count(s->c->model, places->kind[k]); i++)
      ph_near_add(&near, ph_model_name(s->c->model, places->kind[k], i));
  unknown(s, line, said(chain, chain->n, text, sizeof text), places->what, &near);
}

/* Arguments that are strings as they stand. The current token is the parenthesis. */
static void check_call(struct scan *s, const struct chain *chain, const char *function) {
  static const struct places any = {"no site, body or geom", {PH_SITE, PH_BODY, PH_GEOM}, 3, false},
                             solid = {"no body or geom", {PH_BODY, PH_GEOM}, 2, true},
                             body = {"no body", {PH_BODY}, 1, false};
  const struct places *places = strcmp(function, "dist") == 0    ? &any
                                : strcmp(function, "speed") == 0 ? &body
                                                                 : &solid;
  char word[WORD];
  for (int i = 0; i < ARGUMENTS; i++) {
    next(s);
    int line = s->token.line;
    bool text = ph_token_text(&s->token, word, sizeof word);
    if (!text)
      return;
    next(s);
    bool more = ph_token_is(&s->token, ",");
    if (more || ph_token_is(&s->token, ")"))
      check_place(s, chain, places, word, line);
    if (!more)
      return;
  }
}

/* --- chains --- */

static void check_model(struct scan *s, const struct chain *chain, size_t at) {
  static const struct {
    const char *name, *noun;
    ph_kind kind;
  } kinds[] = {{"body", "body", PH_BODY},
               {"geom", "geom", PH_GEOM},
               {"joint", "joint", PH_JOINT},
               {"dof", "joint", PH_JOINT},
               {"site", "site", PH_SITE},
               {"actuator", "actuator", PH_ACTUATOR},
               {"tendon", "tendon", PH_TENDON},
               {"sensor", "sensor", PH_SENSOR},
               {"equality", "equality", PH_EQUALITY}};
  for (size_t i = 0; chain->n > at && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(chain->word[at], kinds[i].name) == 0)
      need_object(s, chain, at + 1, kinds[i].noun, kinds[i].kind);
}

static void check_s(struct scan *s, const struct chain *chain) {
  bool start = chain->n > 1 && strcmp(chain->word[1], "start") == 0;
  size_t at = start ? 2 : 1;
  const char *group = chain->n > at ? chain->word[at] : "";
  if (!need_word(s, chain, at, start ? "s.start has no" : "s has no", ph_script_s_fields(start)))
    return;
  if (strcmp(group, "model") == 0)
    check_model(s, chain, at + 1);
  for (size_t i = 0; ph_script_group(i); i++) {
    const ph_script_group_info *info = ph_script_group(i);
    if (strcmp(group, info->name) != 0 || !need_object(s, chain, at + 1, info->noun, info->kind))
      continue;
    bool frame = info->kind == PH_BODY || info->kind == PH_SITE || info->kind == PH_GEOM;
    char what[WORD + 40];
    snprintf(what, sizeof what, "%s '%s' has no", info->noun,
             chain->n > at + 1 ? chain->word[at + 1] : "");
    if (frame)
      need_word(s, chain, at + 2, what, ph_script_frame_fields());
  }
  static const char *const functions[] = {"dist", "contact", "force", "speed", NULL};
  if (chain->n == at + 1 && in_list(group, functions) && ph_token_is(&s->token, "("))
    check_call(s, chain, group);
}

static void check_env(struct scan *s, const struct chain *chain) {
  static const struct {
    const char *name, *noun;
    ph_kind kind;
  } arrays[] = {{"qpos", "joint", PH_JOINT},       {"qvel", "joint", PH_JOINT},
                {"act", "actuator", PH_ACTUATOR},  {"ctrl", "actuator", PH_ACTUATOR},
                {"mocap", "mocap body", PH_MOCAP}, {"eq_active", "equality", PH_EQUALITY},
                {"xfrc", "body", PH_BODY}};
  static const char *const fields[] = {"qpos",      "qvel", "act",      "ctrl",  "mocap",
                                       "eq_active", "xfrc", "userdata", "model", NULL};
  if (!need_word(s, chain, 1, "env has no", fields))
    return;
  if (chain->n > 1 && strcmp(chain->word[1], "model") == 0)
    check_model(s, chain, 2);
  for (size_t i = 0; chain->n > 1 && i < sizeof arrays / sizeof *arrays; i++)
    if (strcmp(chain->word[1], arrays[i].name) == 0)
      need_object(s, chain, 2, arrays[i].noun, arrays[i].kind);
}

/* The name of the file alone. */
static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void ph_check_names(ph_checking *c) {
  struct scan s = {.c = c, .file = file_name(c->task->name)};
  const char *source = ph_task_source(c->task);
  ph_lex_begin(&s.lexer, source, strlen(source));
  ph_scope_begin(&s.scope);
  next(&s);
  while (s.token.kind != PH_TOKEN_END) {
    bool field = ph_token_is(&s.before, ".") || ph_token_is(&s.before, ":");
    bool name = s.token.kind == PH_TOKEN_NAME && !field;
    ph_meaning means = name ? ph_scope_means(&s.scope, &s.token) : PH_MEANS_OTHER;
    if (means == PH_MEANS_OTHER) {
      next(&s);
      continue;
    }
    struct chain chain;
    read_chain(&s, &chain);
    chain.maybe = means == PH_MEANS_SCENE_TOO || means == PH_MEANS_ENV_TOO;
    if (means == PH_MEANS_SCENE || means == PH_MEANS_SCENE_TOO)
      check_s(&s, &chain);
    else
      check_env(&s, &chain);
  }
}
