/* Many envs under one playhead: how many, how they are aligned, and what is done at their ends. */
#include "envs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static unsigned ask(struct app *app) {
  app->want.serial++;
  app_relayout(app);
  return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

static unsigned envs_off(struct app *app) {
  bool was = app->want.envs.n > 0;
  app->want.envs.n = 0;
  app->want.envs.past = 0;
  app_say(app, was ? "one env is on show" : "one env is on show already");
  return was ? ask(app) : REACT_REDRAW;
}

static unsigned envs_on(struct app *app, int n) {
  app->want.envs.n = n;
  app->want.envs.first = -1;
  if (n == PH_ENSEMBLE_MAX)
    app_say(app, "all envs of this round");
  else
    app_say(app, "up to %d env%s of this round", n, n == 1 ? "" : "s");
  return ask(app);
}

static unsigned envs_align(struct app *app, const char *name) {
  static const char *const words[PH_ALIGN_COUNT] = {
      "each shows the same step", "each shows the same time since its start",
      "their latches meet, as recorded", "their latches meet, of physics run again"};
  ph_align align;
  if (!ph_align_from_name(name, &align)) {
    app_complain(app, "envs align: expected step, time, latch or dynamic, got \"%s\"", name);
    return REACT_REDRAW;
  }
  app->want.envs.align = align;
  app_say(app, "%s", words[align]);
  return ask(app);
}

static unsigned envs_hold(struct app *app, const char *word) {
  bool on = strcmp(word, "on") == 0;
  if (!on && strcmp(word, "off") != 0) {
    app_complain(app, "envs hold: expected on or off, got \"%s\"", word);
    return REACT_REDRAW;
  }
  app->want.envs.hold = on;
  if (!on)
    app->want.envs.past = 0;
  app_say(app, on ? "envs that have ended are held, the others go on"
                  : "lockstep: all end where the first of them does");
  app_clamp_envs(app);
  return ask(app);
}

/* The argument behind a word; NULL: it is another word. */
static const char *behind(const char *args, const char *word) {
  size_t n = strlen(word);
  if (strncmp(args, word, n) != 0 || (args[n] && args[n] != ' '))
    return NULL;
  return args + n + strspn(args + n, " ");
}

unsigned do_ENVS(struct app *app, int64_t count, const char *args) {
  const char *rest;
  int64_t n = count;
  if (app->want.live.on) {
    app_complain(app, "envs: not in a preview: it is of one env");
    return REACT_REDRAW;
  }
  if (!*args && count <= 0) {
    prompt_open(&app->prompt, "envs ");
    snprintf(app->prompt.hint, sizeof app->prompt.hint,
             "N | all | off | align step, time, latch, dynamic | hold on, off");
    return REACT_REDRAW;
  }
  if (strcmp(args, "off") == 0)
    return envs_off(app);
  if (strcmp(args, "all") == 0)
    return envs_on(app, PH_ENSEMBLE_MAX);
  if ((rest = behind(args, "align")) || (rest = behind(args, "hold"))) {
    if (app->want.envs.n <= 0) {
      app_complain(app, "envs: one env is on show; :envs all opens its round");
      return REACT_REDRAW;
    }
    return *args == 'a' ? envs_align(app, rest) : envs_hold(app, rest);
  }
  if (*args && !cmd_count(args, &n)) {
    app_complain(app, "envs: \"%s\": expected a number, all, off, align HOW, or hold on|off", args);
    return REACT_REDRAW;
  }
  if (n > PH_ENSEMBLE_MAX) {
    app_complain(app, "envs: at most %d are shown", PH_ENSEMBLE_MAX);
    return REACT_REDRAW;
  }
  return envs_on(app, (int)n);
}
