/* "What if from here": a branch is asked for in words, and saved in a file of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dynamic_view.h"

static unsigned ask(struct app *app) {
  app->want.serial++;
  app_relayout(app);
  return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

/* The element of the action that is called so: by place, by its own name, by the ctrl that it
 * drives. -1: none. */
static int find_element(const struct reel *reel, const char *name) {
  char *end;
  long place = *name >= '0' && *name <= '9' ? strtol(name, &end, 10) : -1;
  if (place >= 0 && !*end)
    return place < reel->nactions ? (int)place : -1;
  for (int i = 0; i < reel->nactions; i++) {
    int ctrl = reel->action_ctrl ? reel->action_ctrl[i] : -1;
    if ((reel->action_name && strcmp(reel->action_name[i], name) == 0) ||
        (ctrl >= 0 && ctrl < reel->nctrl && strcmp(reel->ctrl_name[ctrl], name) == 0))
      return i;
  }
  return -1;
}

/* ELEMENT=VALUE. False: it is none; *bad: and complained. */
static bool element_word(struct app *app, struct branch_wish *b, const char *word, bool *bad) {
  const struct reel *reel = app_wanted_reel(app);
  char name[64], *end = NULL;
  const char *equals = strchr(word, '=');
  size_t n = equals ? (size_t)(equals - word) : 0;
  if (n == 0 || n >= sizeof name || !reel)
    return false;
  snprintf(name, sizeof name, "%.*s", (int)n, word);
  int i = find_element(reel, name);
  if (i < 0)
    return false;
  double value = strtod(equals + 1, &end);
  *bad = i >= BRANCH_ELEMENTS || end == equals + 1 || *end || !isfinite(value);
  if (i >= BRANCH_ELEMENTS)
    app_complain(app, "branch: only the first %d elements can be held", BRANCH_ELEMENTS);
  else if (*bad)
    app_complain(app, "branch: %s: \"%s\" is no finite number", name, equals + 1);
  if (*bad)
    return true;
  b->set[i] = true;
  b->value[i] = value;
  return true;
}

static bool change_word(struct app *app, struct branch_wish *b, const char *word) {
  if (b->nchanges == BRANCH_CHANGES) {
    app_complain(app, "branch: at most %d numbers of the model can be other", BRANCH_CHANGES);
    return false;
  }
  if (ph_change_parse(&b->change[b->nchanges], word) == PH_OK) {
    b->nchanges++;
    return true;
  }
  app_complain(app, "branch: %s; or ELEMENT=VALUE of the action", ph_error());
  return false;
}

/* The first word says which state it leaves, the next what is fed. */
static bool branch_word(struct app *app, struct branch_wish *b, const char *word, bool *from,
                        bool *fed) {
  ph_feed feed;
  bool bad = false;
  if (!*from && !*fed && (strcmp(word, "recorded") == 0 || strcmp(word, "dynamic") == 0)) {
    b->dynamic = *word == 'd';
    *from = true;
    return true;
  }
  for (feed = 0; feed < PH_FEED_COUNT && strcmp(word, ph_feed_name(feed)) != 0; feed++)
    ;
  if (feed < PH_FEED_COUNT && !*fed) {
    b->feed = feed;
    *fed = true;
    return true;
  }
  if (feed < PH_FEED_COUNT || !strchr(word, '=')) {
    app_complain(app,
                 "branch: \"%s\": expected [recorded|dynamic] [held|zero|recorded] "
                 "ELEMENT=VALUE... timestep=0.001 ..., off, or save FILE",
                 word);
    return false;
  }
  return element_word(app, b, word, &bad) ? !bad : change_word(app, b, word);
}

static unsigned branch_off(struct app *app) {
  struct branch_wish *b = &app->want.dyn.branch;
  bool was = b->serial != 0;
  *b = (struct branch_wish){.saves = b->saves};
  app_say(app, was ? "the branch is gone" : "there is no branch");
  return was ? ask(app) : REACT_REDRAW;
}

const char *app_saving_branch(const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  const struct branch_wish *b = &app->want.dyn.branch;
  bool on_its_way = d && b->serial != 0 && b->unsaved != b->saves && d->saves < b->saves;
  return on_its_way ? b->save : NULL;
}

bool app_unsave_branch(struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  struct branch_wish *b = &app->want.dyn.branch;
  if (!d || !d->saving[0] || !app_saving_branch(app))
    return false;
  b->unsaved = b->saves;
  app_say(app, "giving up: %s", b->save);
  ask(app);
  return true;
}

static unsigned branch_save(struct app *app, const char *file) {
  struct branch_wish *b = &app->want.dyn.branch;
  if (b->serial == 0)
    app_complain(app, "branch save: there is no branch; :branch held begins one here");
  else if (!*file)
    app_complain(app, "branch save: it needs the name of a file");
  else if (strlen(file) >= sizeof b->save)
    app_complain(app, "branch save: the name has more than %zu bytes", sizeof b->save - 1);
  else {
    snprintf(b->save, sizeof b->save, "%s", file);
    b->saves++;
    app_say(app, "writing %s", file);
    return ask(app);
  }
  return REACT_REDRAW;
}

static unsigned branch_begin(struct app *app, const char *args) {
  struct branch_wish b = {.at = app->want.step,
                          .dynamic = app_mode(app) != MODE_KINEMATIC,
                          .saves = app->want.dyn.branch.saves};
  char text[PROMPT_SIZE], *rest = NULL;
  bool from = false, fed = false;
  snprintf(text, sizeof text, "%s", args);
  for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
    if (!branch_word(app, &b, word, &from, &fed))
      return REACT_REDRAW;
  b.serial = ++app->branches;
  app->want.dyn.branch = b;
  if (app->want.dyn.substep > 0 && app_mode(app) != MODE_KINEMATIC)
    app_complain(app, "the branch leaves step %lld: none begins within one, at %lld+%d",
                 (long long)b.at, (long long)b.at, app->want.dyn.substep);
  return ask(app);
}

unsigned do_BRANCH(struct app *app, int64_t count, const char *args) {
  const struct dynamic_answer *d = app_dyn(app);
  (void)count;
  if (app->want.live.on) {
    app_complain(app, "branch: not in a preview: nothing was recorded to be left");
    return REACT_REDRAW;
  }
  if (!*args) {
    prompt_open(&app->prompt, "branch ");
    snprintf(app->prompt.hint, sizeof app->prompt.hint,
             "[recorded|dynamic] [held|zero|recorded] ELEMENT=VALUE friction=x0.5 | off | save");
    return REACT_REDRAW;
  }
  if (strcmp(args, "off") == 0)
    return branch_off(app);
  if (strcmp(args, "save") == 0 || strncmp(args, "save ", 5) == 0)
    return branch_save(app, args + 4 + strspn(args + 4, " "));
  if (d && d->refused[0]) {
    app_complain(app, "branch: physics cannot be run again: %s", d->refused);
    return REACT_REDRAW;
  }
  return branch_begin(app, args);
}

void app_leave_branch(struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (d && d->saving[0])
    app_complain(app, "%s was given up with its episode", app->want.dyn.branch.save);
  app->want.dyn.branch = (struct branch_wish){.saves = app->want.dyn.branch.saves};
}

/* One that was asked for before it was known that physics cannot be run again. */
static void refuse_branch(struct app *app, const char *why) {
  if (app->want.dyn.branch.serial == 0 || !app_wanted_reel(app))
    return;
  app_complain(app, "branch: physics cannot be run again: %s", why);
  app->want.dyn.branch = (struct branch_wish){.saves = app->want.dyn.branch.saves};
}

/* One that physics stopped, once: the status line may have no room for its whole text. */
static void tell_end(struct app *app, const struct dynamic_answer *d) {
  if (d->branch != app->want.dyn.branch.serial || d->branch == app->branch_told || !d->branch_ended)
    return;
  app->branch_told = d->branch;
  if (d->branch_stopped >= 0)
    app_complain(app, "the branch stopped at %lld: %s", (long long)d->branch_stopped,
                 d->branch_why);
  else if (d->branch_why[0])
    app_complain(app, "the branch cannot be run: %s", d->branch_why);
}

void app_take_branch(struct app *app, uint64_t saves) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d)
    return;
  if (d->refused[0])
    refuse_branch(app, d->refused);
  tell_end(app, d);
  if (d->saves > saves && d->saved[0])
    app_log(app, strncmp(d->saved, "not saved", 9) == 0, "%s", d->saved);
}
