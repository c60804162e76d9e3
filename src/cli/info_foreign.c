#include "info_foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../finding.h"
#include "info_findings.h"
#include "info_survey.h"

#define ALL_LINES 100 /* with more episodes than this only the first are opened and listed */
#define FIRST_LINES 20
#define MODELS 8      /* that are printed */
#define SAME 200      /* letters by which two sentences are taken for one */
#define SAID_LINES 20 /* findings that several episodes share */

struct line { /* of an episode that was opened */
  ph_guarantee guarantee;
  char reason[400];
  char model[9]; /* the first digits, "" none */
};

struct sheet { /* of one of the paths */
  ph_store *store;
  const char *path;
  const char *layout; /* borrowed */
  bool written;       /* a file names its writer, not only a date */
  bool unknown;       /* arrays of a layout that is not known: nothing is taken for actions */
  size_t *place;      /* in the store, of each episode of the sheet */
  size_t n, listed, opened, refused;
  struct line *lines; /* (listed) */
  struct survey writer, env, told, controller, rate, hold, cut, outcome, guarantee;
  struct findings findings;
  struct array_survey arrays;
  int64_t rows, least, most; /* actions; where the layout is unknown, rows */
  size_t success, failure;
};

bool foreign_store(ph_store *store) {
  size_t n = ph_store_count(store);
  for (size_t i = 0; i < n && i < FIRST_LINES; i++) {
    ph_episode *episode = NULL;
    if (ph_store_episode(&episode, store, i) != PH_OK)
      continue;
    bool foreign = ph_episode_meta_of(episode)->layout[0] != 0;
    ph_episode_free(episode);
    return foreign;
  }
  return false;
}

/* --- gathering --- */

static const char not_interpreted[] = "not interpreted: arrays of an unknown layout";

static const ph_entry *entry_of(const struct sheet *s, size_t i) {
  return ph_store_entry(s->store, s->place[i]);
}

/* "unknown: one row is one unit" behind a label that says "rate". */
static const char *rate_unknown(const char *source) {
  return strncmp(source, "rate ", 5) == 0 ? source + 5 : source;
}

static void note_hold(struct sheet *s, size_t i, const ph_episode_meta *m) {
  char text[100];
  int n = snprintf(text, sizeof text, "%g s", m->hold_seconds);
  if (m->hold_steps >= 0)
    snprintf(text + n, sizeof text - (size_t)n, " = %" PRId64 " %s", m->hold_steps,
             report_steps(m->hold_steps));
  survey_add(&s->hold, i, 0, -1, text);
}

static void note_words(struct sheet *s, size_t i, const ph_episode_meta *m) {
  char text[420];
  snprintf(text, sizeof text, "%s%s%s", m->writer, m->writer[0] && m->created[0] ? ", " : "",
           m->created);
  survey_add(&s->writer, i, 0, -1, text);
  s->written = s->written || m->writer[0];
  survey_add(&s->env, i, 0, -1, m->env_name);
  survey_add(&s->told, i, 0, -1, m->instruction);
  snprintf(text, sizeof text, "%d a step%s%s", m->dims.action_dim, m->controller[0] ? " for " : "",
           m->controller);
  survey_add(&s->controller, i, 0, -1,
             m->actions > 0 ? text
             : s->unknown   ? not_interpreted
                            : "none");
  if (m->control_dt > 0)
    snprintf(text, sizeof text, "%.6g Hz, %.6g s a step: %s", 1 / m->control_dt, m->control_dt,
             m->rate_source);
  else
    snprintf(text, sizeof text, "%s", m->rate_source[0] ? rate_unknown(m->rate_source) : "unknown");
  survey_add(&s->rate, i, 0, -1, text);
  if (m->hold_seconds >= 0)
    note_hold(s, i, m);
  survey_add_cut(&s->cut, i, m);
  survey_add(&s->outcome, i, 0, -1, m->success_source);
}

static void note_episode(struct sheet *s, size_t i, const ph_episode *episode) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  struct line *line = &s->lines[i];
  char why[400], text[420];
  size_t n;
  ph_model *model = report_model(s->store, m, why, sizeof why);
  line->guarantee = ph_episode_guarantee(episode, model, NULL, line->reason, sizeof line->reason);
  ph_model_unref(model);
  snprintf(line->model, sizeof line->model, "%.8s", m->model_sha256);
  snprintf(text, sizeof text, "%s%s%s", ph_guarantee_name(line->guarantee),
           line->reason[0] ? ": " : "", line->reason);
  survey_add(&s->guarantee, i, 0, -1, text);
  note_words(s, i, m);
  array_survey_add(&s->arrays, episode);
  const ph_finding *findings = ph_episode_findings(episode, &n);
  for (size_t k = 0; k < n; k++)
    findings_add(&s->findings, i, true, (int)findings[k].kind, findings[k].step, findings[k].text);
  const char *unsaid = ph_unsaid(entry_of(s, i)->oddity, findings, n);
  if (unsaid[0])
    findings_add(&s->findings, i, true, PH_FINDING_ODDITY, -1, unsaid);
  s->opened++;
}

static void note_entry(struct sheet *s, size_t i) {
  const ph_entry *e = entry_of(s, i);
  int64_t rows = s->unknown ? e->states : e->actions, n = rows > 0 ? rows : 0;
  s->rows += n;
  s->least = i == 0 || n < s->least ? n : s->least;
  s->most = n > s->most ? n : s->most;
  s->success += e->success == 1;
  s->failure += e->success == 0;
}

static void gather(struct sheet *s) {
  for (size_t i = 0; i < s->n; i++) {
    ph_episode *episode = NULL;
    if (i % 64 == 0 && s->n > ALL_LINES)
      cli_progress("%zu of %zu episodes", i, s->n);
    if (i >= s->listed) {
      if (ph_store_look(s->store, s->place[i]) != PH_OK)
        s->refused++;
      findings_add(&s->findings, i, false, PH_FINDING_ODDITY, -1, entry_of(s, i)->oddity);
    } else if (ph_store_episode(&episode, s->store, s->place[i]) == PH_OK) {
      note_episode(s, i, episode);
    } else {
      s->refused++;
      findings_add(&s->findings, i, true, PH_FINDING_ODDITY, -1, ph_error());
      snprintf(s->lines[i].reason, sizeof s->lines[i].reason, "it does not open");
      s->lines[i].guarantee = PH_STATES_ONLY;
    }
    ph_episode_free(episode);
    note_entry(s, i);
  }
  cli_progress_end();
}

/* --- the head --- */

static void print_line(const char *label, const struct survey *survey) {
  char text[1200];
  survey_line(survey, text, sizeof text);
  if (text[0])
    printf("%-10s %s\n", label, text);
}

static void print_title(const struct sheet *s) {
  printf("%s: %s, %zu %s, %" PRId64 " %s", s->path, s->layout, s->n,
         s->n == 1 ? "episode" : "episodes", s->rows, s->unknown ? "rows" : "actions");
  if (s->n > 1)
    printf(", %" PRId64 " to %" PRId64 " each", s->least, s->most);
  printf("\n");
}

static void print_success(const struct sheet *s) {
  char source[600];
  size_t unknown = s->n - s->success - s->failure;
  survey_line(&s->outcome, source, sizeof source);
  printf("success    ");
  if (unknown == s->n) {
    printf("%s\n", s->unknown ? not_interpreted : "not recorded");
    return;
  }
  printf("%zu yes, %zu no", s->success, s->failure);
  if (unknown)
    printf(", %zu not known", unknown);
  printf("%s%s\n", source[0] ? "; from " : "", source);
}

/* Prints one, and counts its notes: those of all models are said once. */
static void print_model(ph_store *store, size_t i, struct survey *notes) {
  const char *hash = ph_store_model_hash(store, i), *note;
  ph_model *model = NULL;
  if (ph_store_model(&model, store, hash) != PH_OK) {
    printf("model      %.12s  %s\n", hash, ph_error());
    return;
  }
  const ph_dims *d = ph_model_dims(model);
  printf("model      %.12s  nq %d nv %d nu %d na %d  timestep %g s  %s %s\n",
         ph_model_sha256(model), d->nq, d->nv, d->nu, d->na, ph_model_timestep(model),
         ph_model_integrator(model), ph_model_solver(model));
  if (!ph_model_compiled(model))
    printf("           cannot be used here: %s\n", ph_model_error(model));
  for (size_t k = 0; (note = ph_model_note(model, k)); k++)
    survey_add(notes, i, 0, -1, note);
  ph_model_unref(model);
}

/* Why there is no model, as the reasons of the guarantee say it, and which episode says it first;
 * NULL: not for that. */
static const char *why_no_model(const struct sheet *s, size_t *at) {
  static const char no_model[] = "no model: ";
  for (*at = 0; *at < s->listed; ++*at)
    if (strncmp(s->lines[*at].reason, no_model, sizeof no_model - 1) == 0)
      return s->lines[*at].reason + sizeof no_model - 1;
  return NULL;
}

/* All names of a list, in lines of the width of a screen. */
static void print_list(const char *list) {
  enum { INDENT = 11, WIDTH = 100 };
  int column = WIDTH;
  bool first = true;
  for (size_t n; *list; list += n + (list[n] == '\n'), first = false) {
    n = strcspn(list, "\n");
    bool fits = column + (int)n + 2 <= WIDTH;
    if (!fits)
      printf("%s%*s", first ? "" : "\n", INDENT, "");
    column = (fits ? column + 1 : INDENT) + (int)n + 1;
    printf("%s%.*s%s", fits ? " " : "", (int)n, list, list[n] ? "," : "");
  }
  printf("\n");
}

/* What there is to do in the first line; a list of files, if there is one, below it. */
static void print_no_model(const struct sheet *s) {
  static const char *const advice[] = {"leaves them out: ", "leaves it out: "};
  size_t at;
  const char *why = why_no_model(s, &at), *list = NULL;
  for (size_t i = 0; why && i < 2 && !list; i++) {
    list = strstr(why, advice[i]);
    list = list ? list + strlen(advice[i]) : NULL;
  }
  if (!why || strcmp(why, "the file names none") == 0)
    printf("model      none%s: the states are shown as numbers without names\n",
           why ? ": the file names none" : "");
  else if (list) {
    char *all = NULL;
    printf("model      not loaded: %.*s\n", (int)(list - 2 - why), why);
    bool whole = ph_store_missing(&all, s->store, s->place[at]) == PH_OK && all[0];
    print_list(whole ? all : list);
    free(all);
  } else
    printf("model      not loaded: %s\n", why);
}

/* Whether an episode of the sheet has that model. */
static bool is_used(const struct sheet *s, const char *hash) {
  for (size_t i = 0; i < s->listed; i++)
    if (s->lines[i].model[0] && strncmp(s->lines[i].model, hash, 8) == 0)
      return true;
  return false;
}

static void print_notes(const struct sheet *s, const struct survey *notes, size_t n) {
  for (size_t k = 0; k < notes->n; k++) {
    const struct said *said = &notes->said[k];
    printf("           %s", said->text);
    if (n > 1 && said->count == (n < MODELS ? n : MODELS))
      printf("%s", n > MODELS ? "" : " (all)");
    else if (n > 1)
      printf(" (%zu of them, first %.8s)", said->count, ph_store_model_hash(s->store, said->first));
    printf("\n");
  }
}

static size_t count_models(const struct sheet *s) {
  const char *hash;
  size_t n = 0;
  for (size_t i = 0; (hash = ph_store_model_hash(s->store, i)); i++)
    n += is_used(s, hash);
  return n;
}

static void print_models(const struct sheet *s) {
  struct survey notes = {0};
  const char *hash;
  size_t n = 0;
  for (size_t i = 0; (hash = ph_store_model_hash(s->store, i)); i++)
    if (is_used(s, hash) && n++ < MODELS)
      print_model(s->store, i, &notes);
  if (n > MODELS)
    printf("           and %zu more models\n", n - MODELS);
  if (n == 0)
    print_no_model(s);
  print_notes(s, &notes, n);
  survey_free(&notes);
}

static size_t members(const struct sheet *s, size_t group) {
  size_t n = 0;
  for (size_t i = 0; i < s->n; i++)
    n += ph_store_in_group(s->store, group, s->place[i]);
  return n;
}

static void print_groups(const struct sheet *s) {
  size_t printed = 0;
  for (size_t g = 0; g < ph_store_groups(s->store); g++)
    if (members(s, g) > 0)
      printf("%s%s %zu", printed++ ? ", " : "groups     ", ph_store_group(s->store, g),
             members(s, g));
  if (printed)
    printf("\n");
}

/* What is said of the model already is not said again. */
static void print_guarantee(const struct sheet *s) {
  size_t at;
  if (s->guarantee.n == 1 && s->opened > 0 && count_models(s) == 0 && why_no_model(s, &at))
    printf("guarantee  %s: no model\n", ph_guarantee_name(s->lines[0].guarantee));
  else if (s->guarantee.n == 1)
    print_line("guarantee", &s->guarantee);
}

static void print_head(const struct sheet *s) {
  print_title(s);
  print_line(s->written ? "written by" : "recorded", &s->writer);
  print_line("env", &s->env);
  print_line("instruction", &s->told);
  print_line("actions", &s->controller);
  print_line("rate", &s->rate);
  print_line("hold", &s->hold);
  print_line("cut from", &s->cut);
  print_success(s);
  print_models(s);
  print_guarantee(s);
  print_groups(s);
}

/* --- episodes --- */

/* Whether the head says it already, as the reason of the guarantee; both may be cut. */
static bool said_above(const struct sheet *s, const char *text) {
  return s->guarantee.n == 1 && s->opened > 0 && strncmp(text, s->lines[0].reason, SAME) == 0;
}

static void print_kind(const char *before, int kind, const char *where, int64_t step,
                       const char *text) {
  printf("%s%s: %s", before, ph_finding_name((ph_finding_kind)kind), where);
  if (step >= 0)
    printf("step %" PRId64 ": ", step);
  printf("%s\n", text);
}

static void print_findings(const struct sheet *s, size_t i) {
  for (size_t k = 0; k < s->findings.nfound; k++) {
    const struct found *found = &s->findings.found[k];
    const struct family *family = &s->findings.family[found->family];
    if (found->episode == i && !family_shared(family, s->n) && !said_above(s, found->text))
      print_kind("    ", family->kind, "", found->step, found->text);
  }
}

static void print_episode(const struct sheet *s, size_t i, int wide, bool models) {
  const ph_entry *e = entry_of(s, i);
  const struct line *line = &s->lines[i];
  char actions[24];
  snprintf(actions, sizeof actions, "%" PRId64, e->actions);
  printf("%-*s %7s %7" PRId64 "  %-7s", wide, e->id, s->unknown ? "-" : actions, e->states,
         e->success < 0 ? "-"
         : e->success   ? "yes"
                        : "no");
  if (models)
    printf("  %-8s", line->model[0] ? line->model : "none");
  printf("  %s", ph_guarantee_name(line->guarantee));
  if (s->guarantee.n != 1 && line->reason[0])
    printf(": %s", line->reason);
  printf("\n");
  print_findings(s, i);
}

static void print_episodes(const struct sheet *s) {
  int wide = 8;
  bool models = count_models(s) > 1;
  for (size_t i = 0; i < s->listed; i++) {
    int n = (int)strlen(entry_of(s, i)->id);
    wide = n > wide ? n : wide;
  }
  printf("\n%-*s %7s %7s  %-7s%s  %s\n", wide, "episode", "actions", s->unknown ? "rows" : "states",
         "success", models ? "  model   " : "", "guarantee");
  for (size_t i = 0; i < s->listed; i++)
    print_episode(s, i, wide, models);
  if (s->listed < s->n)
    printf("... and %zu more, which were only looked at: --json opens and lists them all\n",
           s->n - s->listed);
}

static void print_family(const struct sheet *s, const struct family *m, const char *before) {
  char where[160];
  const char *worst = entry_of(s, m->worst)->id;
  if (m->count == 1)
    snprintf(where, sizeof where, "%.60s: ", worst);
  else if (m->same_text)
    snprintf(where, sizeof where, "in %zu of %zu episodes: ", m->count, s->n);
  else
    snprintf(where, sizeof where, "in %zu of %zu episodes, worst %.60s: ", m->count, s->n, worst);
  print_kind(before, m->kind, where, m->same_step || !m->same_text ? m->step : -1, m->text);
}

/* What several episodes say, and what those say that are not listed. */
static void print_shared(const struct sheet *s) {
  size_t printed = 0, left = 0;
  for (size_t k = 0; k < s->findings.n; k++) {
    const struct family *m = &s->findings.family[k];
    if (!family_shared(m, s->n) || (m->same_text && said_above(s, m->text)))
      continue;
    if (printed == SAID_LINES)
      left++;
    else
      print_family(s, m, printed++ ? "" : "\n");
  }
  if (left)
    printf("... and %zu more\n", left);
  if (s->findings.left)
    printf("... and %zu more findings, which are too many to be listed: --json lists them\n",
           s->findings.left);
}

/* The episodes of the group and the path, in the store's order. */
static bool find_places(struct sheet *s, size_t group, size_t home) {
  size_t n = ph_store_count(s->store);
  s->place = calloc(n + 1, sizeof *s->place);
  for (size_t i = 0; s->place && i < n; i++)
    if (cli_in_group(s->store, group, i) && ph_store_home(s->store, i) == home)
      s->place[s->n++] = i;
  s->listed = s->n > ALL_LINES ? FIRST_LINES : s->n;
  s->lines = calloc(s->listed + 1, sizeof *s->lines);
  return s->place && s->lines;
}

/* "arrays" is that of the fallback. */
static void find_layout(struct sheet *s, char *layout, size_t size) {
  ph_episode *episode = NULL;
  snprintf(layout, size, "%s", ph_store_layout(s->store));
  for (size_t i = 0; i < s->listed && !episode; i++)
    if (ph_store_episode(&episode, s->store, s->place[i]) == PH_OK)
      snprintf(layout, size, "%s",
               ph_episode_meta_of(episode)->layout[0] ? ph_episode_meta_of(episode)->layout
                                                      : "playhead");
  ph_episode_free(episode);
  s->layout = layout;
  s->unknown = strcmp(layout, "arrays") == 0;
}

static void print_sheet(struct sheet *s) {
  gather(s);
  print_head(s);
  print_episodes(s);
  print_shared(s);
  if (s->opened)
    array_survey_print(&s->arrays, s->opened);
}

size_t foreign_print(ph_store *store, size_t group, const char *const *paths, size_t npaths) {
  size_t refused = 0, printed = 0;
  for (size_t home = 0; home < npaths; home++) {
    struct sheet s = {.store = store, .path = paths[home]};
    char layout[32];
    if (!find_places(&s, group, home)) {
      refused++;
    } else if (s.n > 0 || npaths == 1) {
      find_layout(&s, layout, sizeof layout);
      printf("%s", printed++ ? "\n" : "");
      print_sheet(&s);
    }
    refused += s.refused;
    struct survey *all[] = {&s.writer, &s.env, &s.told,    &s.controller, &s.rate,
                            &s.hold,   &s.cut, &s.outcome, &s.guarantee};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      survey_free(all[i]);
    array_survey_free(&s.arrays);
    findings_free(&s.findings);
    free(s.lines);
    free(s.place);
  }
  return refused;
}
