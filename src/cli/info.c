#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info_follow.h"
#include "info_foreign.h"
#include "info_policy.h"
#include "info_survey.h"
#include "report.h"

enum { ODDITIES = 4 };

struct info {
  const struct options *opt;
  ph_store *store;
  size_t group;            /* as cli_group gives it */
  json_t *root, *episodes; /* NULL without --json */
  size_t stored[PH_COL_COUNT], opened, refused;
  ph_content *content;                     /* NULL: the hash is known */
  FILE *out;                               /* of the lines of episodes */
  char hash[PH_SHA256_SIZE], no_hash[400]; /* one of them is "" */
  ph_dims dims;                            /* of the episode that was opened last */
  struct hold {
    double seconds;
    int64_t steps;
  } hold, own;  /* in force in the episodes so far, and their task's; own.steps -1: not known */
  bool foreign; /* of other recorders */
  char no_model[240]; /* the reason that was said last */
  int different;      /* holds so far: 0, 1, or 2 for more */
  struct policies policies;
  struct survey cut, given;
};

/* One episode as far as it can be known. */
struct facts {
  const ph_entry *entry;
  const ph_episode_meta *meta; /* NULL: does not open */
  ph_guarantee guarantee;
  char reason[240];
  const char *missing[PH_COL_COUNT + 2];
  size_t nmissing;
  char oddity[ODDITIES][400];
  size_t noddities;
};

/* --- gathering --- */

static void odd(struct facts *f, const char *text) {
  for (size_t i = 0; i < f->noddities; i++)
    if (report_merge(f->oddity[i], sizeof f->oddity[i], text))
      return;
  if (*text && f->noddities < ODDITIES)
    snprintf(f->oddity[f->noddities++], sizeof f->oddity[0], "%s", text);
}

/* A column that ought to be there: required, or implied by what else is. */
static bool expected(ph_column col, const ph_episode_meta *meta) {
  if (ph_schema_width(col, &meta->dims) == 0)
    return false;
  return ph_schema_column(col)->required || col == PH_COL_FINAL_STATE ||
         (col == PH_COL_PREDICATE && meta->task_sha256[0] && meta->success >= 0 &&
          !meta->success_source[0]);
}

static void find_missing(struct info *info, struct facts *f, const ph_episode *episode) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    bool has = col == PH_COL_FINAL_STATE ? f->meta->states > f->meta->actions
                                         : ph_episode_has(episode, (ph_column)col);
    info->stored[col] += has;
    if (!has && expected((ph_column)col, f->meta))
      f->missing[f->nmissing++] = ph_schema_column((ph_column)col)->path;
  }
}

/* The hold in force, beside that of the task. */
static void note_hold(struct info *info, const ph_episode_meta *meta, const ph_task *task) {
  struct hold hold = {meta->hold_seconds, meta->hold_steps}, own = {-1, -1};
  if (meta->hold_seconds < 0)
    return;
  if (task)
    own.seconds = ph_task_info_of(task)->hold_seconds;
  if (task && ph_hold_steps(&own.steps, own.seconds, meta->control_dt) != PH_OK)
    own.steps = -1;
  bool same = info->hold.seconds == hold.seconds && info->hold.steps == hold.steps &&
              info->own.seconds == own.seconds && info->own.steps == own.steps;
  info->different = info->different == 0 ? 1 : info->different == 1 && same ? 1 : 2;
  info->hold = hold;
  info->own = own;
}

static void judge(struct info *info, struct facts *f, const ph_episode *episode) {
  char why[400], task_why[400];
  ph_model *model = report_model(info->store, f->meta, why, sizeof why);
  ph_task *task = report_task(info->store, f->meta->task_sha256, task_why, sizeof task_why);
  f->guarantee = ph_episode_guarantee(episode, model, task, f->reason, sizeof f->reason);
  if (!model)
    f->missing[f->nmissing++] = "model";
  if (!task && f->meta->task_sha256[0])
    f->missing[f->nmissing++] = "task";
  if (!model && f->meta->model_sha256[0])
    odd(f, why);
  odd(f, task_why);
  note_hold(info, f->meta, task);
  ph_task_unref(task);
  ph_model_unref(model);
}

/* --- text --- */

static void print_head(const struct info *info) {
  int64_t actions = 0;
  size_t n = 0;
  for (size_t i = 0; i < ph_store_count(info->store); i++) {
    bool in = cli_in_group(info->store, info->group, i);
    n += in;
    actions += in ? ph_store_entry(info->store, i)->actions : 0;
  }
  printf("%s: %s, %zu %s, %" PRId64 " actions\n", ph_store_path(info->store),
         ph_store_layout(info->store), n, n == 1 ? "episode" : "episodes", actions);
  printf("data hash  %s%s\n",
         info->hash[0] ? "" : "none: ", info->hash[0] ? info->hash : info->no_hash);
}

static void print_origin(const ph_episode_meta *m) {
  printf("written by %s, %s, run %s\n", m->writer, m->created, m->run_id);
  printf("substrate  %s%s, %s, %s\n", m->substrate,
         strcmp(m->substrate, ph_substrate()) == 0 ? " (as here)" : " (another one here)",
         m->engine, m->rng);
}

static void print_model(const ph_model *model) {
  const ph_dims *d = ph_model_dims(model);
  printf("model      %.12s  MuJoCo %s  nq %d nv %d nu %d na %d  timestep %g s  %s %s\n",
         ph_model_sha256(model), ph_model_engine_version(model), d->nq, d->nv, d->nu, d->na,
         ph_model_timestep(model), ph_model_integrator(model), ph_model_solver(model));
  if (!ph_model_compiled(model))
    printf("           cannot be used here: %s\n", ph_model_error(model));
}

static const char *yes_no(int success) {
  return success < 0 ? "-" : success ? "yes" : "no";
}

static void print_episode(FILE *out, const struct facts *f) {
  const ph_entry *e = f->entry;
  char hold[32] = "-";
  bool given = f->meta && strncmp(f->meta->success_source, "given: ", 7) == 0;
  if (f->meta && f->meta->hold_seconds >= 0)
    snprintf(hold, sizeof hold, "%g s", f->meta->hold_seconds);
  fprintf(out, "%-18s %4d %7" PRId64 " %7" PRId64 "  %-20s  %-10s  %-7s  %-7s  %-11s  %s%s%s\n",
          e->id, e->env_id, e->actions, e->states, e->seed[0] ? e->seed : "-",
          ph_end_name(e->end_reason), given ? "given" : yes_no(e->success), hold, e->determinism,
          ph_guarantee_name(f->guarantee), f->guarantee == PH_EXACT ? "" : ": ",
          f->guarantee == PH_EXACT ? "" : f->reason);
  if (f->nmissing) {
    fprintf(out, "    missing:");
    for (size_t i = 0; i < f->nmissing; i++)
      fprintf(out, " %s", f->missing[i]);
    fprintf(out, "\n");
  }
  for (size_t i = 0; i < f->noddities; i++)
    fprintf(out, "    odd: %s\n", f->oddity[i]);
}

static void print_steps(const struct hold *hold) {
  printf("%g s", hold->seconds);
  if (hold->steps >= 0)
    printf(" = %" PRId64 " %s", hold->steps, report_steps(hold->steps));
}

static void print_hold(const struct info *info) {
  if (info->different == 0)
    return;
  printf("\nhold       ");
  if (info->different > 1) {
    printf("not the same in all episodes: see their column\n");
    return;
  }
  print_steps(&info->hold);
  printf(" in force");
  if (info->own.seconds >= 0 && info->own.seconds == info->hold.seconds) {
    printf(", as in the task");
  } else if (info->own.seconds >= 0) {
    printf("; the task's is ");
    print_steps(&info->own);
  }
  printf("\n");
}

static void print_cut(const struct info *info) {
  char text[1200];
  survey_line(&info->cut, text, sizeof text);
  if (text[0])
    printf("cut from   %s\n", text);
  survey_line(&info->given, text, sizeof text);
  if (text[0])
    printf("success    %s\n", text);
}

static const char *why_none(const struct info *info, const ph_column_info *c) {
  if (ph_schema_width(c->id, &info->dims) == 0)
    return "its size is 0";
  if (c->id == PH_COL_CTRL_SUBSTEPS)
    return "ctrl is written once a step";
  if (c->id == PH_COL_PREDICATE)
    return info->given.n ? "success is given" : "no task";
  return c->required || c->id == PH_COL_FINAL_STATE ? "MISSING" : "always as the model resets it";
}

static void print_components(const struct info *info) {
  printf("\n%-24s %-5s %-8s %-16s stored in\n", "component", "type", "rows", "of each row");
  for (int col = 0; col < PH_COL_COUNT; col++) {
    const ph_column_info *c = ph_schema_column((ph_column)col);
    const char *rows = c->rows == PH_ROWS_A ? "A" : c->rows == PH_ROWS_S ? "A+1" : "-";
    printf("%-24s %-5s %-8s %-16s ", c->path, ph_type_name(c->type), rows,
           c->shape[0] ? c->shape : "1");
    if (info->stored[col] == info->opened)
      printf("all\n");
    else if (info->stored[col] > 0)
      printf("%zu of %zu\n", info->stored[col], info->opened);
    else
      printf("none: %s\n", why_none(info, c));
  }
}

/* --- JSON --- */

static json_t *strings(size_t n, const char *const *text) {
  json_t *array = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(array, ph_json_text(text[i]));
  return array;
}

static json_t *provenance(const ph_episode_meta *meta) {
  json_t *array = meta ? json_loads(meta->provenance, 0, NULL) : NULL;
  return array ? array : json_null();
}

static void add_episode(struct info *info, const struct facts *f, const ph_episode *episode) {
  const ph_entry *e = f->entry;
  const char *odds[ODDITIES];
  bool held = f->meta && f->meta->hold_seconds >= 0;
  for (size_t i = 0; i < f->noddities; i++)
    odds[i] = f->oddity[i];
  json_t *object = json_pack(
      "{s:o, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
      ph_json_text(e->id), "env_id", e->env_id, "states", (json_int_t)e->states, "actions",
      (json_int_t)e->actions, "seed", ph_json_text(e->seed), "end_reason",
      ph_json_text(ph_end_name(e->end_reason)), "success", report_success(e->success), "missing",
      strings(f->nmissing, f->missing), "guarantee",
      f->meta ? report_guarantee(f->guarantee, f->reason) : json_null(), "oddities",
      strings(f->noddities, odds), "hold_seconds",
      held ? ph_json_number(f->meta->hold_seconds) : json_null(), "hold_steps",
      held ? report_index(f->meta->hold_steps) : json_null(), "provenance", provenance(f->meta));
  if (f->meta && f->meta->parent[0])
    json_object_set_new(object, "parent", ph_json_text(f->meta->parent));
  if (f->meta && !f->meta->layout[0] && f->meta->success_source[0])
    json_object_set_new(object, "success_source", ph_json_text(f->meta->success_source));
  if (f->meta && f->meta->layout[0])
    foreign_episode_keys(object, episode, e->oddity);
  json_array_append_new(info->episodes, object);
}

static bool has_text(const json_t *array, const char *text) {
  for (size_t i = 0; i < json_array_size(array); i++)
    if (strcmp(json_string_value(json_array_get(array, i)), text) == 0)
      return true;
  return false;
}

/* The files that the models lack: asked for where the reason is not that of the episode before. */
static void add_missing_files(struct info *info, const struct facts *f, size_t i) {
  char *list = NULL;
  json_t *files = json_object_get(info->root, "missing_files");
  if (strncmp(f->reason, "no model: ", 10) != 0 || strcmp(f->reason, info->no_model) == 0)
    return;
  memcpy(info->no_model, f->reason, sizeof info->no_model);
  if (ph_store_missing(&list, info->store, i) == PH_OK)
    for (char *name = list, *next; *name; name = next) {
      size_t n = strcspn(name, "\n");
      next = name + n + (name[n] == '\n');
      name[n] = 0;
      json_t *text = ph_json_text(name);
      if (has_text(files, json_string_value(text)))
        json_decref(text);
      else
        json_array_append_new(files, text);
    }
  free(list);
}

static void add_model(struct info *info, const ph_model *model) {
  const ph_dims *d = ph_model_dims(model);
  json_t *object = json_pack(
      "{s:o, s:o, s:i, s:i, s:i, s:i, s:o}", "sha256", ph_json_text(ph_model_sha256(model)),
      "mujoco_version", ph_json_text(ph_model_engine_version(model)), "nq", d->nq, "nv", d->nv,
      "nu", d->nu, "na", d->na, "timestep", ph_json_number(ph_model_timestep(model)));
  if (info->foreign)
    json_object_set_new(object, "notes", foreign_notes(model));
  json_array_append_new(json_object_get(info->root, "models"), object);
}

static void add_task(struct info *info, const ph_task *task, int64_t hold_steps) {
  const ph_task_info *t = ph_task_info_of(task);
  json_array_append_new(json_object_get(info->root, "tasks"),
                        json_pack("{s:o, s:i, s:o, s:o}", "name", ph_json_text(t->name),
                                  "control_steps", t->control_steps, "hold_seconds",
                                  ph_json_number(t->hold_seconds), "hold_steps",
                                  report_index(hold_steps)));
}

/* --- the verb --- */

static double first_timestep(struct info *info) {
  ph_model *model = NULL;
  const char *hash = ph_store_model_hash(info->store, 0);
  double timestep = 0;
  if (hash && ph_store_model(&model, info->store, hash) == PH_OK)
    timestep = ph_model_timestep(model);
  ph_model_unref(model);
  return timestep;
}

static void show_models(struct info *info) {
  const char *hash;
  for (size_t i = 0; (hash = ph_store_model_hash(info->store, i)); i++) {
    ph_model *model = NULL;
    if (ph_store_model(&model, info->store, hash) != PH_OK) {
      if (!info->root)
        printf("model      %.12s  %s\n", hash, ph_error());
      continue;
    }
    if (info->root)
      add_model(info, model);
    else
      print_model(model);
    ph_model_unref(model);
  }
}

static void print_task(const char *hash, const ph_task_info *task, int64_t hold_steps) {
  struct hold hold = {task->hold_seconds, hold_steps};
  printf("task       %.12s  %s  %d substeps a step  its own hold ", hash, task->name,
         task->control_steps);
  print_steps(&hold);
  putchar('\n');
}

static void show_tasks(struct info *info) {
  const char *hash;
  double timestep = first_timestep(info);
  for (size_t i = 0; (hash = ph_store_task_hash(info->store, i)); i++) {
    char why[400];
    int64_t steps = -1;
    ph_task *task = report_task(info->store, hash, why, sizeof why);
    const ph_task_info *t = task ? ph_task_info_of(task) : NULL;
    if (t && (timestep <= 0 || t->control_steps <= 0 ||
              ph_hold_steps(&steps, t->hold_seconds, t->control_steps * timestep) != PH_OK))
      steps = -1;
    if (t && info->root)
      add_task(info, task, steps);
    else if (t)
      print_task(hash, t, steps);
    else if (!info->root)
      printf("task       %.12s  %s\n", hash, why);
    ph_task_unref(task);
  }
}

static void show_episode(struct info *info, size_t i) {
  struct facts f = {.entry = ph_store_entry(info->store, i), .guarantee = PH_STATES_ONLY};
  ph_episode *episode = NULL;
  odd(&f, f.entry->oddity);
  ph_status status = ph_store_episode(&episode, info->store, i);
  odd(&f, f.entry->oddity); /* opening may have found one */
  if (status == PH_OK) {
    f.meta = ph_episode_meta_of(episode);
    info->opened++;
    if (info->content)
      ph_content_note(info->content, i, episode);
    info->dims = f.meta->dims;
    find_missing(info, &f, episode);
    judge(info, &f, episode);
    policies_add(&info->policies, f.meta->provenance);
    survey_add_cut(&info->cut, i, f.meta);
    survey_add(&info->given, i, 0, -1, f.meta->success_source);
  } else {
    info->refused++;
    odd(&f, ph_error());
    snprintf(f.reason, sizeof f.reason, "it does not open");
  }
  if (info->root && info->foreign)
    add_missing_files(info, &f, i);
  if (info->root)
    add_episode(info, &f, episode);
  else
    print_episode(info->out, &f);
  ph_episode_free(episode);
}

static void show_origin(struct info *info) {
  ph_episode *episode = NULL;
  if (ph_store_count(info->store) && ph_store_episode(&episode, info->store, 0) == PH_OK)
    print_origin(ph_episode_meta_of(episode));
  ph_episode_free(episode);
}

static void find_hash(struct info *info) {
  if (ph_content_hash(info->content, info->hash) != PH_OK)
    snprintf(info->no_hash, sizeof info->no_hash, "%s", ph_error());
  else if (!info->hash[0])
    snprintf(info->no_hash, sizeof info->no_hash,
             ph_store_count(info->store) ? "no checksums are stored" : "there is no episode");
  ph_content_free(info->content);
  info->content = NULL;
}

/* The lines of all episodes, the caller's; what stands above them is known afterwards. */
static char *episode_lines(struct info *info) {
  char *lines = NULL;
  size_t size = 0;
  info->out = open_memstream(&lines, &size);
  if (!info->out)
    return NULL;
  for (size_t i = 0; i < ph_store_count(info->store); i++)
    if (cli_in_group(info->store, info->group, i))
      show_episode(info, i);
  bool whole = !ferror(info->out);
  whole = fclose(info->out) == 0 && whole;
  info->out = stdout;
  if (!whole)
    free(lines);
  return whole ? lines : NULL;
}

static int show_text(struct info *info) {
  size_t n = ph_store_count(info->store);
  char *lines = episode_lines(info);
  if (!lines)
    return cli_fail(EXIT_ERROR, "info: no memory");
  find_hash(info);
  print_head(info);
  show_origin(info);
  show_models(info);
  show_tasks(info);
  if (n)
    printf("\n%-18s %4s %7s %7s  %-20s  %-10s  %-7s  %-7s  %-11s  %s\n", "episode", "env",
           "actions", "states", "seed", "end", "success", "hold", "determinism", "guarantee");
  fputs(lines, stdout);
  free(lines);
  print_hold(info);
  print_cut(info);
  policies_print(&info->policies);
  if (info->opened)
    print_components(info);
  return EXIT_FINE;
}

static int show_json(struct info *info) {
  info->root = json_pack("{s:o, s:o, s:o, s:[], s:[], s:[]}", "path",
                         ph_json_text(ph_store_path(info->store)), "layout",
                         ph_json_text(ph_store_layout(info->store)), "data_hash", json_null(),
                         "models", "tasks", "episodes");
  info->episodes = json_object_get(info->root, "episodes");
  if (info->foreign)
    json_object_set_new(info->root, "missing_files", json_array());
  if (!info->foreign)
    show_models(info);
  show_tasks(info);
  for (size_t i = 0; i < ph_store_count(info->store); i++)
    if (cli_in_group(info->store, info->group, i))
      show_episode(info, i);
  find_hash(info);
  json_object_set_new(info->root, "data_hash", ph_json_text(info->hash));
  if (info->foreign) /* their models are known once they were opened */
    show_models(info);
  if (info->foreign)
    json_object_set_new(info->root, "groups", foreign_groups(info->store));
  return ph_json_write(info->root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}

/* One that came while the run is followed: a line, or an object as in episodes[]. */
static bool show_followed(void *arg, size_t i) {
  struct info *info = arg;
  if (!info->opt->json) {
    show_episode(info, i);
    return true;
  }
  info->root = json_pack("{s:[]}", "episodes");
  info->episodes = json_object_get(info->root, "episodes");
  show_episode(info, i);
  json_t *object = json_incref(json_array_get(info->episodes, 0));
  json_decref(info->root);
  info->root = info->episodes = NULL;
  return ph_json_write(object, stdout) == PH_OK;
}

int verb_info(const struct options *opt) {
  struct info info = {.opt = opt, .out = stdout};
  ph_store_options so = cli_store_options(opt);
  int status = EXIT_FINE;
  if (ph_store_open(&info.store, opt->paths, opt->npaths, &so) != PH_OK)
    return cli_error();
  struct follow follow = {opt, info.store, show_followed, &info};
  status = opt->follow ? follow_check(&follow) : EXIT_FINE;
  if (status == EXIT_FINE)
    status = cli_group(opt, info.store, &info.group);
  if (status != EXIT_FINE)
    goto out;
  if (ph_content_new(&info.content, info.store) != PH_OK) {
    status = cli_error();
    goto out;
  }
  info.foreign = foreign_store(info.store);
  if (opt->json)
    status = show_json(&info);
  else if (info.foreign)
    info.refused = foreign_print(info.store, info.group, opt->paths, opt->npaths);
  else
    status = show_text(&info);
  if (status == EXIT_FINE && opt->follow)
    status = follow_run(&follow);
out:
  ph_content_free(info.content);
  policies_free(&info.policies);
  survey_free(&info.cut);
  survey_free(&info.given);
  ph_store_free(info.store);
  if (status == EXIT_FINE && info.refused)
    status = EXIT_FINDING;
  return cli_flush(status);
}
