#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"

/* --- parts of a sentence --- */

static void add(ph_diagnosis *out, const char *fmt, ...) PH_PRINTF(2, 3);

static void add(ph_diagnosis *out, const char *fmt, ...) {
  size_t used = strlen(out->text);
  va_list args;
  va_start(args, fmt);
  vsnprintf(out->text + used, sizeof out->text - used, fmt, args);
  va_end(args);
}

/* "a, b and c" */
static void join(ph_diagnosis *out, const char *const *parts, int n) {
  for (int i = 0; i < n; i++)
    add(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", parts[i]);
}

/* "with the action of the step before (offset -1) and 5 substeps a step" */
static void add_variant(ph_diagnosis *out, const ph_variant *v, const ph_variant *as_is) {
  char timestep[48], steps[48], recipe[48];
  const char *parts[5];
  int n = 0;
  if (v->shift != as_is->shift)
    parts[n++] = v->shift < as_is->shift ? "the action of the step before (offset -1)"
                                         : "the action of the step after (offset +1)";
  if (v->timestep > 0) {
    snprintf(timestep, sizeof timestep, "a timestep of %.6g s", v->timestep);
    parts[n++] = timestep;
  }
  if (v->control_steps != as_is->control_steps) {
    snprintf(steps, sizeof steps, "%d substep%s a step", v->control_steps,
             v->control_steps == 1 ? "" : "s");
    parts[n++] = steps;
  }
  if (v->recipe != as_is->recipe) {
    snprintf(recipe, sizeof recipe, "the recipe %s", ph_recipe_name(v->recipe));
    parts[n++] = recipe;
  }
  if (v->cold && !as_is->cold)
    parts[n++] = "a warmstart of zero at each step";
  join(out, parts, n);
}

static void add_as_is(ph_diagnosis *out, const ph_findings *f) {
  const ph_variant *v = &out->best, *as_is = &out->as_is;
  add(out, "as the file says");
  if (v->timestep > 0)
    add(out, " (%d substep%s of %.6g s)", as_is->control_steps,
        as_is->control_steps == 1 ? "" : "s", f->timestep);
  else if (v->control_steps != as_is->control_steps)
    add(out, " (%d substep%s)", as_is->control_steps, as_is->control_steps == 1 ? "" : "s");
  else if (v->recipe != as_is->recipe)
    add(out, " (recipe %s)", ph_recipe_name(as_is->recipe));
}

/* "198 of 200 steps come back bit for bit" */
static void add_count(ph_diagnosis *out, const ph_findings *f, const ph_trial *t) {
  bool all = t->n >= f->evidence->transitions;
  add(out, "%d of %d steps%s come back %s", t->fits, t->n, all ? "" : " that were tried",
      t->fits > 0 && t->same == t->fits ? "bit for bit" : "within 1e-9");
}

/* Errors are named by joints: of where they are, where that has any, else of all that they have. */
static bool measured(ph_measure m, bool places) {
  if (places)
    return m == PH_MEASURE_JOINT_ANGLE || m == PH_MEASURE_JOINT_PLACE;
  return m != PH_MEASURE_BODY_PLACE && m != PH_MEASURE_BODY_ANGLE && m != PH_MEASURE_CTRL;
}

/* Of where joints are, where that has an error, else of their speeds and activations. */
static void name_worst(char *text, size_t size, const ph_difference *d, const ph_model *model,
                       const ph_tolerance *tolerance) {
  ph_difference some = *d;
  bool places = d->max[PH_MEASURE_JOINT_ANGLE] >= PH_ROUNDING_ERROR ||
                d->max[PH_MEASURE_JOINT_PLACE] >= PH_ROUNDING_ERROR;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (!measured((ph_measure)m, places))
      some.max[m] = 0;
  ph_measure m = ph_difference_worst(&some, tolerance);
  text[0] = 0;
  if (m < PH_MEASURE_COUNT)
    ph_difference_text(&some, model, m, text, size);
}

static void add_error(ph_diagnosis *out, const ph_findings *f, const ph_trial *t) {
  char text[160];
  name_worst(text, sizeof text, &t->difference, f->model, f->tolerance);
  if (isinf(t->worst))
    add(out, "the engine stops at step %lld", (long long)t->worst_step);
  else if (text[0])
    add(out, "%s at step %lld", text, (long long)t->worst_step);
}

/* The largest one-step or accumulated error that the analysis knows; *step: where. */
static void name_sum(char *text, size_t size, const ph_findings *f, bool one, int64_t *step) {
  const ph_analysis_summary *sum = &f->evidence->sum;
  const double *max = one ? sum->one_max : sum->max;
  ph_difference d = {.unequal = PH_COL_COUNT};
  bool places = max[PH_MEASURE_JOINT_ANGLE] >= PH_ROUNDING_ERROR ||
                max[PH_MEASURE_JOINT_PLACE] >= PH_ROUNDING_ERROR;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    d.max[m] = measured((ph_measure)m, places) ? max[m] : 0;
    d.worst[m] = one ? sum->one_worst[m] : sum->worst[m];
  }
  ph_measure m = ph_difference_worst(&d, f->tolerance);
  snprintf(text, size, "0");
  *step = -1;
  if (m >= PH_MEASURE_COUNT)
    return;
  ph_difference_text(&d, f->model, m, text, size);
  *step = one ? sum->one_max_step[m] : sum->max_step[m];
}

static void add_sum(ph_diagnosis *out, const ph_findings *f, bool one) {
  char text[160];
  int64_t step;
  name_sum(text, sizeof text, f, one, &step);
  if (step >= 0)
    add(out, "%s at step %lld", text, (long long)step);
  else
    add(out, "0");
}

static void add_tried(ph_diagnosis *out, const ph_findings *f) {
  add(out, "offset -1/+1, 1..%d substeps, %sthe recipes, no warmstart, float32", PH_SUBSTEPS,
      f->dt > 0 ? "other timesteps, " : "");
}

/* What the times of the states say where it is not what the file does. */
static void add_times(ph_diagnosis *out, const ph_findings *f) {
  int steps = out->as_is.control_steps;
  if (f->implied > 0 && f->implied != steps)
    add(out, " The times of its states say %d substeps.", f->implied);
  else if (f->implied == 0 && f->dt > 0 && fabs(f->dt - f->control_dt) > 1e-6 * f->control_dt)
    add(out,
        " The times of its states say %.6g s a step, which is no number of substeps of this "
        "model: another timestep.",
        f->dt);
}

/* --- sentences --- */

static void add_each(ph_diagnosis *out, const ph_evidence *e) {
  if (e->transitions == 1)
    add(out, "The only step comes back");
  else
    add(out, "Each of %lld steps comes back", (long long)e->transitions);
}

static void say_none(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  if (e->transitions == 0) {
    add(out, "No step can be compared.");
  } else if (e->equal == e->transitions) {
    add_each(out, e);
    add(out, " bit for bit%s.",
        e->run_known && !e->run_apart && e->ngaps == 0 ? ", and so does the run as a whole" : "");
  } else {
    add_each(out, e);
    add(out, " within 1e-9, %lld of them bit for bit.", (long long)e->equal);
    if (e->run_apart) {
      add(out, " Run on, it comes to ");
      add_sum(out, f, false);
      add(out, ": rounding that has grown.");
    }
  }
  add_times(out, f);
}

static void say_start(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  if (e->first_alone) {
    char text[160];
    int64_t step;
    name_sum(text, sizeof text, f, true, &step);
    add(out,
        "Another start: all %lld steps but the first come back, the first is off by %s. The "
        "recording did not begin in the state that the file has for step 0.",
        (long long)e->transitions, text);
    return;
  }
  add(out,
      "Another start: each of %lld steps comes back bit for bit from its recorded state, and "
      "the run as a whole does not, from step %lld on (",
      (long long)e->transitions, (long long)e->run_first);
  add_sum(out, f, false);
  add(out, "): it did not begin in the recorded state.");
}

static void add_rest(ph_diagnosis *out, const ph_evidence *e) {
  int64_t rest = e->transitions - e->bad;
  add(out, "the other %lld come%s back%s", (long long)rest, rest == 1 ? "s" : "",
      e->equal == rest ? " bit for bit" : "");
}

static bool is_stop(const ph_evidence *e, int64_t state) {
  for (size_t i = 0; i < e->nstops; i++)
    if (e->stop[i] == state)
      return true;
  return false;
}

/* Bad steps but those that cannot be run. */
static void add_spikes(ph_diagnosis *out, const ph_evidence *e) {
  bool first = true;
  for (size_t i = 0; i < e->nspikes; i++)
    if (!is_stop(e, e->spike[i])) {
      add(out, "%s%lld", first ? "" : ", ", (long long)e->spike[i]);
      first = false;
    }
  add(out, "%s", e->bad > (int64_t)e->nspikes ? ", ..." : "");
}

/* "element 3 of state 160 is no number" */
static void add_none(ph_diagnosis *out, const ph_none *none) {
  const char *of = none->col == PH_COL_ACTIONS  ? "action"
                   : none->col == PH_COL_STATES ? "state"
                                                : "the warmstart of state";
  add(out, "element %zu of %s %lld is no number", none->element, of, (long long)none->step);
}

/* The file holds what is wrong. */
static void say_none_of_file(ph_diagnosis *out, const ph_findings *f) {
  int64_t step[PH_SPIKES];
  size_t n = ph_findings_steps(f, step);
  add(out, "In the file ");
  add_none(out, &f->none);
  add(out, ": step%s ", n == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++)
    add(out, "%s%lld", i ? ", " : "", (long long)step[i]);
  add(out, "%s cannot come back; ", n == PH_SPIKES ? ", ..." : "");
  add_rest(out, f->evidence);
  add(out, ".");
}

/* "Step 61 cannot be run again: ctrl[0] (actuator "m1") is 1e+308 (the file's action 60)" */
static void add_refused(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  const ph_refused *refused = &f->refused;
  add(out, "Step%s ", e->stopped == 1 ? "" : "s");
  for (size_t i = 0; i < e->nstops; i++)
    add(out, "%s%lld", i ? ", " : "", (long long)e->stop[i]);
  add(out, "%s cannot be run again: ", e->stopped > (int64_t)e->nstops ? ", ..." : "");
  if (e->stopped > 1)
    add(out, "at %lld ", (long long)refused->trial.worst_step);
  add(out, "%s", refused->trial.stop);
  if (refused->action >= 0)
    add(out, " (the file's action %lld)", (long long)refused->action);
}

static void say_refused(ph_diagnosis *out, const ph_findings *f) {
  add_refused(out, f);
  if (f->evidence->transitions > f->evidence->bad) {
    add(out, "; ");
    add_rest(out, f->evidence);
  }
  add(out, ".");
}

/* What a step that is off may come from, where nothing else is known. */
static const char *event_text(const ph_findings *f) {
  return ph_episode_has(f->episode, PH_COL_CTRL) ? "(a push? an edit?)"
                                                 : "(a push? an edit? another action?)";
}

static void add_none_fits(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  if (e->sum.ctrl_unequal == 0 && ph_episode_has(f->episode, PH_COL_CTRL))
    add(out, "ctrl: equal bits. ");
  add(out, "Tried ");
  add_tried(out, f);
  add(out, ": none fits.");
}

/* "from step 160 on" */
static void add_span(ph_diagnosis *out, const ph_evidence *e) {
  if (e->bad_last < e->last && e->bad_first > 1)
    add(out, "from step %lld to %lld", (long long)e->bad_first, (long long)e->bad_last);
  else if (e->bad_last < e->last)
    add(out, "up to step %lld", (long long)e->bad_last);
  else
    add(out, "from step %lld on", (long long)e->bad_first);
}

static void say_regime(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  add(out, "A change of regime: ");
  add_span(out, e);
  int64_t span = e->bad_last - e->bad_first + 1;
  if (e->bad == span)
    add(out, " none of %lld steps comes back, ", (long long)span);
  else
    add(out, " %lld of %lld steps do not come back, ", (long long)e->bad, (long long)span);
  add_rest(out, e);
  add(out, ". 1-step error is up to ");
  add_sum(out, f, true);
  if (f->turned < PH_COL_COUNT)
    add(out, ". %s changes there in the file", ph_schema_column(f->turned)->path);
  else
    add(out, ". Something changes there that the file does not hold (model? constraint? edit?%s)",
        ph_episode_has(f->episode, PH_COL_CTRL) ? "" : " actions?");
  add(out, ". ");
  add_none_fits(out, f);
}

static void say_events(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  char text[160];
  int64_t step;
  if (ph_findings_hold_none(f)) {
    say_none_of_file(out, f);
    return;
  }
  if (ph_findings_refused(f)) {
    say_refused(out, f);
    return;
  }
  if (ph_evidence_regime(e)) {
    say_regime(out, f);
    return;
  }
  name_sum(text, sizeof text, f, true, &step);
  int64_t n = e->bad - e->stopped;
  if (n == 1)
    add(out, "1-step error is %s at step %lld", text, (long long)step);
  else {
    add(out, "1-step error is up to %s (at %lld), at %lld steps: ", text, (long long)step,
        (long long)n);
    add_spikes(out, e);
  }
  add(out, "; ");
  add_rest(out, e);
  add(out, ": %s that the file does not hold %s. ", n == 1 ? "an event" : "events", event_text(f));
  add_none_fits(out, f);
}

/* What is left with the best way. */
static void add_left(ph_diagnosis *out, const ph_findings *f) {
  const ph_trial *best = &f->best;
  int left = best->n - best->fits;
  if (left == 0)
    return;
  bool none = f->none.col < PH_COL_COUNT; /* that is said after it */
  bool few = left > 1 && left * 5 <= best->n;
  if (few)
    add(out, " Left are %d steps (", left);
  else
    add(out, " Left is ");
  for (int i = 0; few && i < best->nleft; i++)
    add(out, "%s%lld", i ? ", " : "", (long long)best->left[i]);
  add(out, "%s", !few ? "" : left > best->nleft ? ", ...): " : "): ");
  if (best->stops > 0)
    add(out, "step %lld, which stops the engine: %s", (long long)best->worst_step, best->stop);
  else if (isinf(best->worst))
    add(out, "step %lld", (long long)best->worst_step);
  else
    add_error(out, f, best);
  bool solver = best->free_n > 0 && best->free_fits == best->free_n && best->free_n < best->n;
  if (solver && !f->warmstart)
    add(out, ", in contact: no warmstart is stored.");
  else if (left * 5 <= best->n && !none && best->stops < left)
    add(out, ": %s that the file does not hold %s.", left == 1 ? "an event" : "events",
        event_text(f));
  else
    add(out, "%s", solver ? ", in contact." : ".");
}

static void say_variant(ph_diagnosis *out, const ph_findings *f) {
  const ph_trial *best = &f->best, *as_is = &f->as_is;
  add(out, "With ");
  add_variant(out, &out->best, &out->as_is);
  if (best->fits * 2 >= best->n || ph_trial_right_when_free(best, as_is)) {
    add(out, " ");
    if (best->fits * 2 < best->n)
      add(out, "all %d steps without contact come back, and ", best->free_n);
    add_count(out, f, best);
    add(out, "; ");
    add_as_is(out, f);
    add(out, " %d do.", as_is->same > 0 ? as_is->same : as_is->fits);
    add_left(out, f);
  } else {
    add(out, " the largest error is ");
    add_error(out, f, best);
    add(out, "; ");
    add_as_is(out, f);
    add(out, " it is ");
    add_error(out, f, as_is);
    add(out, ". The rest is what %s loses.",
        f->float32 && ph_findings_lack_warmstart(f, best) ? "storing float32 and no warmstart"
        : f->float32                                      ? "storing states as float32"
                                                          : "storing no warmstart");
  }
  if (out->best.timestep == 0 && out->best.control_steps != f->implied)
    add_times(out, f);
}

/* Some steps are beyond what the others lose. */
static void add_beyond(ph_diagnosis *out, const ph_findings *f, int64_t n) {
  add(out, "States are stored as float32, which the other steps tell by their last digits; beside "
           "that 1-step error is up to ");
  add_sum(out, f, true);
  add(out,
      ", at %lld step%s beyond the tolerance: an event that the file does not hold %s, or a "
      "contact that such digits decide",
      (long long)n, n == 1 ? "" : "s", event_text(f));
}

static void say_float32(ph_diagnosis *out, const ph_findings *f) {
  bool lacks = ph_findings_lack_warmstart(f, &f->as_is);
  int64_t beyond = f->evidence->sum.one_count[PH_DIVERGED] - f->evidence->stopped;
  if (beyond > 0) {
    add_beyond(out, f, beyond);
    add(out, lacks ? ". No warmstart is stored either" : "");
  } else {
    add(out, "States are stored as float32: a step comes back no closer than ");
    if (isinf(f->as_is.worst))
      add_sum(out, f, true);
    else
      add_error(out, f, &f->as_is);
    add(out, lacks                      ? ". No warmstart is stored either"
             : f->evidence->stopped > 0 ? ""
                                        : ". Nothing else is wrong with the steps");
  }
  if (f->evidence->run_apart) {
    add(out, "; run on, it comes to ");
    add_sum(out, f, false);
  }
  add(out, ".");
}

static void say_parting(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  const ph_parting *parting = &f->parting;
  add(out, "The warmstart in the file is not the one that was used from step %lld ",
      (long long)parting->state + 1);
  if (e->unequal_last < e->last)
    add(out, "to about %lld", (long long)e->unequal_last + 1);
  else
    add(out, "on");
  add(out,
      ": at state %lld its element %d is %.9g, physics comes to %.9g. The %lld steps up to there "
      "come back bit for bit, ",
      (long long)parting->state, parting->element, parting->file, parting->run,
      (long long)parting->state);
  if (e->bad == 0)
    add(out, "the others within 1e-9");
  else {
    add(out, "the largest 1-step error is ");
    add_sum(out, f, true);
  }
  if (e->bad > 0 && !f->solver.worst)
    add(out, ", which no warmstart brings about: an event that the file does not hold");
  if (e->run_known && !e->run_apart)
    add(out, ". Run on from its start every state comes back");
  add(out, ".");
}

static void say_warmstart(ph_diagnosis *out, const ph_findings *f) {
  const ph_trial *t = &f->as_is;
  if (out->best.cold) {
    add(out, "With ");
    add_variant(out, &out->best, &out->as_is);
    add(out, " ");
    add_count(out, f, &f->best);
    add(out, "; ");
    add_as_is(out, f);
    add(out, " %d do: the recording used no warmstart.", t->same);
    return;
  }
  if (ph_findings_part(f)) {
    say_parting(out, f);
    return;
  }
  add(out, "%s: ",
      f->warmstart ? "The warmstart in the file is not the one that was used"
                   : "The file holds no warmstart");
  if (t->free_n > 0)
    add(out, "all %d steps without contact come back, ", t->free_n);
  add(out, "the largest 1-step error is ");
  add_sum(out, f, true);
  if (!f->solver.worst)
    add(out, ", which no warmstart brings about: an event that the file does not hold");
  if (f->evidence->run_known && !f->evidence->run_apart)
    add(out, ". Run on from its start every state comes back");
  add(out, ".");
}

static void say_actions(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  const ph_trial *bad = &f->own_bad;
  if (e->bad > 0 && bad->n == e->bad && bad->fits == bad->n)
    add(out,
        "The physics is right, the actions are not: with the ctrl that the file holds each of %lld "
        "steps comes back, with its actions %lld",
        (long long)e->transitions, (long long)(e->transitions - e->bad));
  else if (e->bad > 0 && f->own_ctrl.fits <= f->as_is.fits)
    add(out,
        "The physics is right, the actions are not: %lld of %lld steps come back with them, and "
        "with the ctrl that the file holds %d of %d of the others",
        (long long)(e->transitions - e->bad), (long long)e->transitions, bad->fits, bad->n);
  else if (e->bad == 0)
    add(out,
        "The physics is right, ctrl is not: at %lld step%s the actions give another ctrl than "
        "the file holds",
        (long long)e->sum.ctrl_unequal, e->sum.ctrl_unequal == 1 ? "" : "s");
  else
    add(out,
        "The physics is right, the actions are not: with the ctrl that the file holds %d of "
        "%d steps come back, with its actions %d",
        f->own_ctrl.fits, f->own_ctrl.n, f->as_is.fits);
  if (f->ctrl_step >= 0) {
    const char *name = ph_model_name(f->model, PH_ACTUATOR, f->ctrl_element);
    add(out, "; first at step %lld: ctrl %d%s%.60s%s is %.6g in the file, %.6g from the action",
        (long long)f->ctrl_step, f->ctrl_element, name[0] ? " (" : "", name, name[0] ? ")" : "",
        f->ctrl_file, f->ctrl_run);
  }
  add(out, ".");
}

static void say_unknown(ph_diagnosis *out, const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  const ph_trial *t = &f->as_is;
  add(out, "None of what was tried fits (");
  add_tried(out, f);
  add(out, "): %lld of %lld steps come back, 1-step error is up to ",
      (long long)(e->transitions - e->bad), (long long)e->transitions);
  add_sum(out, f, true);
  add(out, ".");
  if (f->solver.all && t->free_n >= 3 && t->free_fits == t->free_n)
    add(out, " All %d without contact do: friction or another number of the contacts differs?",
        t->free_n);
  else if (f->best.fits > t->fits) {
    add(out, " Best is ");
    add_variant(out, &out->best, &out->as_is);
    add(out, ": %d of %d.", f->best.fits, f->best.n);
  } else if (f->implied == 0 || f->implied == out->as_is.control_steps)
    add(out, " Another model (mass, damping, gain) or controller?");
  add_times(out, f);
}

static void say_cause(ph_diagnosis *out, const ph_findings *f) {
  out->text[0] = 0;
  switch (out->cause) {
  case PH_CAUSE_NONE:
    say_none(out, f);
    break;
  case PH_CAUSE_START:
    say_start(out, f);
    break;
  case PH_CAUSE_EVENTS:
    say_events(out, f);
    break;
  case PH_CAUSE_VARIANT:
    say_variant(out, f);
    break;
  case PH_CAUSE_FLOAT32:
    say_float32(out, f);
    break;
  case PH_CAUSE_WARMSTART:
    say_warmstart(out, f);
    break;
  case PH_CAUSE_ACTIONS:
    say_actions(out, f);
    break;
  case PH_CAUSE_UNKNOWN:
  case PH_CAUSE_COUNT:
    say_unknown(out, f);
    break;
  }
}

void ph_diagnosis_say(ph_diagnosis *out, const ph_findings *f) {
  say_cause(out, f);
  bool said = ph_findings_hold_none(f) || out->cause == PH_CAUSE_VARIANT ||
              (out->cause == PH_CAUSE_EVENTS && ph_findings_refused(f));
  if (f->refused.trial.stops > 0 && !said) {
    add(out, " ");
    add_refused(out, f);
    add(out, ".");
  }
  if (f->none.col < PH_COL_COUNT && !ph_findings_hold_none(f)) {
    add(out, " In the file ");
    add_none(out, &f->none);
    add(out, ".");
  }
}
