#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct found {
  int64_t step; /* -1: the whole episode */
  char text[1200];
};

/* What is checked where an episode has what it takes. */
enum part { TIME, QUATERNIONS, MODEL, PREDICATE, HOLD, CTRL, PARTS };

struct verify {
  const struct options *opt;
  ph_store *store;
  ph_task *task;    /* of --task; NULL: the recorded one */
  ph_judge *judge;  /* of --predicate-command; NULL: the task judges */
  bool titled;      /* the heads of the columns are printed */
  bool unkept;      /* it was said that its answers are not kept */
  json_t *episodes; /* NULL without --json */
  size_t checked, wrong, noted;
  size_t part[PARTS]; /* episodes in which it was checked */
  bool bare;          /* an episode has no checksums */
  const char *id;     /* for progress */
  char first[64];     /* the first that is wrong, and how */
  struct found fault;
};

struct result {
  const ph_entry *entry;
  bool opened, foreign;
  ph_verdict verdict;
  ph_guarantee guarantee;
  char reason[240];
  bool part[PARTS];
  size_t nfound;
  struct found found[PH_FLAW_ROOM + 3]; /* the list, model and task have their own */
  size_t nnotes;
  char note[PH_FLAW_ROOM][320]; /* oddities of the file by which no row is wrong */
};

static bool progress(void *arg, int64_t step, int64_t states) {
  const struct verify *v = arg;
  cli_progress("verify %s: step %" PRId64 " of %" PRId64, v->id, step, states);
  return true;
}

/* Without the episode's id in front: it stands before what is found. */
static void say(struct result *r, int64_t step, const char *text) {
  size_t n = strlen(r->entry->id);
  if (strncmp(text, r->entry->id, n) == 0 && strncmp(text + n, ": ", 2) == 0)
    text += n + 2;
  for (size_t i = 0; i < r->nfound; i++)
    if (report_merge(r->found[i].text, sizeof r->found[i].text, text))
      return;
  if (r->nfound == sizeof r->found / sizeof *r->found)
    return;
  struct found *found = &r->found[r->nfound++];
  found->step = step;
  snprintf(found->text, sizeof found->text, "%s", text);
}

static bool is_noted(const struct result *r, const char *text) {
  for (size_t i = 0; i < r->nnotes; i++)
    if (strncmp(r->note[i], text, strlen(text)) == 0) /* that of the list may be cut */
      return true;
  return false;
}

static void note(struct result *r, const char *text) {
  if (text[0] && r->nnotes < PH_FLAW_ROOM && !is_noted(r, text))
    snprintf(r->note[r->nnotes++], sizeof r->note[0], "%s", text);
}

static bool is_found(const struct result *r, const char *text) {
  for (size_t i = 0; i < r->nfound; i++)
    if (strncmp(r->found[i].text, text, strlen(text)) == 0)
      return true;
  return false;
}

/* What the file of another recorder says of itself beside its rows. */
static void take_notes(struct result *r, const ph_episode *episode) {
  size_t n = 0;
  const ph_finding *findings = ph_episode_findings(episode, &n);
  for (size_t i = 0; i < n; i++)
    if (findings[i].kind == PH_FINDING_ODDITY && findings[i].step < 0)
      note(r, findings[i].text);
  const char *odd = ph_episode_meta_of(episode)->oddity; /* all that the list adds is noted */
  odd = odd[0] ? odd : r->entry->oddity;
  if (!is_found(r, odd))
    note(r, odd);
}

static bool has_quaternions(const ph_episode *episode, const ph_model *model) {
  bool any = ph_episode_has(episode, PH_COL_MOCAP_QUAT);
  for (int j = 0; model && !any && j < ph_model_count(model, PH_JOINT); j++)
    any = ph_model_joint(model, j)->type == PH_FREE || ph_model_joint(model, j)->type == PH_BALL;
  return any;
}

static void note_parts(struct result *r, const ph_episode *episode, const ph_model *model) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  r->part[TIME] = m->control_dt > 0 && ph_episode_has(episode, PH_COL_STATES);
  r->part[QUATERNIONS] = has_quaternions(episode, model);
  r->part[MODEL] = model && ph_model_compiled(model);
  r->part[PREDICATE] = r->verdict.predicate_checked;
  r->part[HOLD] = m->hold_seconds >= 0 && r->verdict.latch_known;
  r->part[CTRL] = r->verdict.ctrl_checked;
}

/* What the episode is judged by. NULL: by nothing; why is "" or the reason. */
static ph_task *judge(const struct verify *v, const ph_episode_meta *meta, char *why, size_t size) {
  const char *success = v->opt->success;
  ph_task *judge = NULL, *task = NULL;
  if (!v->task || ph_task_info_of(v->task)->judges_only)
    task = report_task(v->store, meta->task_sha256, why, size);
  if (v->task) {
    if (ph_task_with_judge(&judge, task, v->task) != PH_OK)
      snprintf(why, size, "%s", ph_error());
    ph_task_unref(task);
    task = judge;
  }
  if (!success)
    return task;
  if (ph_task_with_success(&judge, task, success) != PH_OK)
    snprintf(why, size, "%s", ph_error());
  ph_task_unref(task);
  return judge;
}

/* Once: every episode would say the same. */
static void tell_unkept(struct verify *v) {
  const char *why = v->judge ? ph_judge_note(v->judge) : "";
  if (why[0] && !v->unkept)
    cli_fail(EXIT_FINE, "predicate: %s", why);
  v->unkept = v->unkept || why[0];
}

static ph_status check(struct verify *v, const ph_episode *episode, struct result *r) {
  char why[400], task_why[400] = "";
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_model *model = report_model(v->store, meta, why, sizeof why);
  ph_task *task = judge(v, meta, task_why, sizeof task_why);
  ph_verify_options opt = {.progress = progress, .arg = v, .judge = v->judge};
  r->guarantee = ph_episode_guarantee(episode, model, task, r->reason, sizeof r->reason);
  if (!model && meta->model_sha256[0])
    say(r, -1, why);
  if (task_why[0])
    say(r, -1, task_why);
  ph_status status = ph_verify_episode(&r->verdict, episode, model, task, &opt);
  tell_unkept(v);
  for (size_t i = 0; i < r->verdict.nflaws; i++)
    say(r, r->verdict.flaw[i].step, r->verdict.flaw[i].text);
  note_parts(r, episode, model);
  r->foreign = meta->layout[0] != 0;
  if (r->foreign)
    take_notes(r, episode);
  ph_task_unref(task);
  ph_model_unref(model);
  return status;
}

/* The two ends of one JSON pair; what only a dynamic run can know is null. */
static json_t *pair(const char *one, json_t *value, const char *other) {
  return json_pack("{s:o, s:n}", one, value, other);
}

/* All that is wrong in one line; null: nothing is. */
static json_t *diagnosis(const struct result *r) {
  char text[4096] = "";
  for (size_t i = 0, n = 0; i < r->nfound && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "; " : "", r->found[i].text);
  return ph_json_text(text);
}

static json_t *findings(const struct result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->nfound; i++)
    json_array_append_new(list, json_pack("{s:o, s:o}", "step", report_index(r->found[i].step),
                                          "text", ph_json_text(r->found[i].text)));
  return list;
}

static json_t *notes(const struct result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->nnotes; i++)
    json_array_append_new(list, ph_json_text(r->note[i]));
  return list;
}

/* What the kinematic check alone knows. */
static json_t *add_kinematic(json_t *episode, const struct result *r) {
  const ph_verdict *d = &r->verdict;
  json_t *latch = json_pack("{s:o, s:o}", "recorded", report_index(d->latch_recorded), "recomputed",
                            report_index(d->latch_computed));
  json_t *checked =
      json_pack("{s:I, s:I, s:b, s:b}", "columns", (json_int_t)d->columns, "blocks",
                (json_int_t)d->blocks, "predicate", d->predicate_checked, "ctrl", d->ctrl_checked);
  json_t *facts = json_pack(
      "{s:b, s:o, s:o, s:o, s:o, s:o}", "ok", r->nfound == 0, "findings", findings(r), "time_error",
      r->opened ? ph_json_number(d->time_error) : json_null(), "quat_error",
      r->opened ? ph_json_number(d->quat_error) : json_null(), "latch", latch, "checked", checked);
  json_object_update(episode, facts);
  if (r->foreign)
    json_object_set_new(episode, "notes", notes(r));
  json_decref(facts);
  return episode;
}

static void add(struct verify *v, const struct result *r) {
  const ph_entry *e = r->entry;
  json_t *reward = r->opened ? ph_json_number(r->verdict.reward) : json_null();
  json_t *episode =
      json_pack("{s:o, s:I, s:n, s:n, s:n, s:{s:n, s:n}, s:{s:n, s:n}, s:{s:n, s:n, s:n}, s:o, "
                "s:o, s:o, s:o}",
                "id", ph_json_text(e->id), "steps", (json_int_t)r->verdict.checked, "class",
                "first_unequal", "first_over_tolerance", "max_joint_error", "rad", "m",
                "max_body_error", "m", "rad", "one_step", "class", "first_unequal",
                "max_joint_error", "reward", pair("recorded", reward, "dynamic"), "end",
                pair("recorded", ph_json_text(ph_end_name(e->end_reason)), "dynamic"), "diagnosis",
                diagnosis(r), "guarantee",
                r->opened ? report_guarantee(r->guarantee, r->reason) : json_null());
  json_array_append_new(v->episodes, add_kinematic(episode, r));
}

static void latch_text(char *out, size_t size, int64_t latch, bool known) {
  if (!known)
    snprintf(out, size, "-");
  else if (latch < 0)
    snprintf(out, size, "never");
  else
    snprintf(out, size, "%" PRId64, latch);
}

static void number_text(char *out, size_t size, double value, int digits) {
  if (isfinite(value))
    snprintf(out, size, "%.*g", digits, value);
  else
    snprintf(out, size, "-");
}

static void print(struct verify *v, const struct result *r) {
  const ph_verdict *d = &r->verdict;
  char recorded[24], computed[24], reward[24], time[24], quat[24];
  latch_text(recorded, sizeof recorded, d->latch_recorded, d->latch_known);
  latch_text(computed, sizeof computed, d->latch_computed, d->predicate_checked);
  number_text(reward, sizeof reward, d->reward, 3);
  number_text(time, sizeof time, r->part[TIME] ? d->time_error : NAN, 2);
  number_text(quat, sizeof quat, r->part[QUATERNIONS] ? d->quat_error : NAN, 2);
  cli_progress_end();
  if (!v->titled)
    printf("%-18s %-5s %7s  %-10s  %8s  %8s  %9s  %8s  %8s\n", "episode", "check", "states", "end",
           "latch", "computed", "reward", "time err", "quat err");
  v->titled = true;
  printf("%-18s %-5s %7" PRId64 "  %-10s  %8s  %8s  %9s  %8s  %8s\n", r->entry->id,
         r->nfound ? "WRONG" : "ok", d->checked, ph_end_name(r->entry->end_reason), recorded,
         computed, reward, time, quat);
  for (size_t i = 0; i < r->nfound; i++)
    printf("    %s\n", r->found[i].text);
  for (size_t i = 0; i < r->nnotes; i++)
    printf("    note: %s\n", r->note[i]);
  if (r->opened && !d->predicate_checked && d->note[0])
    printf("    predicate not recomputed: %s\n", d->note);
}

static void remember(struct verify *v, const struct result *r) {
  snprintf(v->first, sizeof v->first, "%s", r->entry->id);
  v->fault = r->found[0];
}

static int check_entry(struct verify *v, size_t i) {
  struct result r = {.entry = ph_store_entry(v->store, i),
                     .verdict = {.latch_recorded = -1, .latch_computed = -1, .reward = NAN}};
  ph_episode *episode = NULL;
  int exit_status = EXIT_FINE;
  char listed[sizeof r.entry->oddity]; /* before opening, which may find another */
  v->id = r.entry->id;
  memcpy(listed, r.entry->oddity, sizeof listed);
  r.opened = ph_store_episode(&episode, v->store, i) == PH_OK;
  if (listed[0] && !(r.opened && ph_episode_meta_of(episode)->layout[0]))
    say(&r, -1, listed);
  if (!r.opened)
    say(&r, -1, ph_error());
  else if (check(v, episode, &r) != PH_OK)
    exit_status = cli_error();
  v->bare = v->bare || (r.opened && !r.verdict.checksums);
  v->checked++;
  v->noted += r.nnotes > 0;
  for (int k = 0; k < PARTS; k++)
    v->part[k] += r.part[k];
  if (r.nfound && v->wrong++ == 0)
    remember(v, &r);
  if (v->episodes)
    add(v, &r);
  else if (exit_status == EXIT_FINE)
    print(v, &r);
  ph_episode_free(episode);
  return exit_status;
}

/* "time, quaternions (in 3 of 5), model": those that were checked, or those that were not. */
static void list_parts(const struct verify *v, bool checked, const char *before) {
  static const char *const names[PARTS] = {"time",      "quaternions", "model",
                                           "predicate", "hold",        "ctrl of actions"};
  for (int k = 0; k < PARTS; k++) {
    if ((v->part[k] > 0) != checked)
      continue;
    printf("%s%s", before, names[k]);
    if (checked && v->part[k] < v->checked)
      printf(" (in %zu of %zu)", v->part[k], v->checked);
    before = ", ";
  }
}

/* How many are right, and the first that is not. */
static void print_end(const struct verify *v) {
  printf("%zu of %zu %s as recorded", v->checked - v->wrong, v->checked,
         v->checked == 1 ? "episode is" : "episodes are");
  if (v->checked == 0) {
    printf(": there is nothing to verify\n");
    return;
  }
  if (v->wrong) {
    printf("; the first that is not: %s: %s\n", v->first, v->fault.text);
    return;
  }
  printf(": %sshapes, numbers", v->bare ? "" : "checksums, ");
  list_parts(v, true, ", ");
  list_parts(v, false, "; there was nothing to check of: ");
  printf("%s\n", v->bare ? "; no checksums are stored in files of other recorders" : "");
  if (v->judge && v->part[PREDICATE] > 0) {
    printf("the predicate is judged by ");
    cli_print_text(v->opt->predicate);
    printf("\n");
  }
  if (v->noted)
    printf("the notes are of what the file says beside its rows, and no fault of these\n");
}

static int check_all(struct verify *v) {
  size_t n = ph_store_count(v->store), first = 0, group;
  int status = v->opt->episode ? cli_episode(v->opt, v->store, &first) : EXIT_FINE;
  if (status == EXIT_FINE)
    status = cli_group(v->opt, v->store, &group);
  if (status != EXIT_FINE)
    return status;
  if (v->opt->episode)
    n = first + 1;
  for (size_t i = first; i < n && status == EXIT_FINE; i++)
    if (cli_in_group(v->store, group, i))
      status = check_entry(v, i);
  cli_progress_end();
  if (status == EXIT_FINE && !v->episodes)
    print_end(v);
  return status;
}

int verb_verify(const struct options *opt) {
  struct verify v = {.opt = opt};
  ph_store_options so = cli_store_options(opt);
  json_t *root = NULL;
  int status = EXIT_FINE;
  if (opt->task && ph_task_open(&v.task, opt->task) != PH_OK)
    status = cli_error();
  else if (opt->predicate && ph_judge_open(&v.judge, opt->predicate, NULL) != PH_OK)
    status = cli_error();
  else if (ph_store_open(&v.store, opt->paths, opt->npaths, &so) != PH_OK)
    status = cli_error();
  if (status == EXIT_FINE && opt->json) {
    root = json_pack("{s:s, s:[]}", "mode", opt->mode, "episodes");
    v.episodes = json_object_get(root, "episodes");
  }
  if (status == EXIT_FINE)
    status = check_all(&v);
  ph_judge_close(v.judge); /* its files are gone even where nobody reads on */
  if (status == EXIT_FINE && root) {
    json_object_set_new(root, "ok", json_boolean(v.checked > 0 && v.wrong == 0));
    json_object_set_new(root, "wrong", json_integer((json_int_t)v.wrong));
    json_object_set_new(root, "first_wrong", ph_json_text(v.first));
    if (opt->predicate)
      json_object_set_new(root, "predicate_by", ph_json_text(opt->predicate));
    status = ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
    root = NULL;
  }
  if (status == EXIT_FINE && (v.wrong || v.checked == 0))
    status = EXIT_FINDING;
  json_decref(root);
  ph_store_free(v.store);
  ph_task_unref(v.task);
  return cli_flush(status);
}
