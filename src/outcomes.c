#include <playhead/outcomes.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ph_outcomes_free(ph_outcomes *o) {
  ph_intervals_free(&o->intervals);
  memset(o, 0, sizeof *o);
}

/* --- what a hold comes to --- */

static void refuse(ph_latch_answer *out, ph_refusal refusal, int64_t row) {
  out->refusal = refusal;
  out->row = row;
  out->latching.latch = -1;
}

void ph_outcomes_latch(const ph_outcomes *o, int64_t hold_steps, ph_latch_answer *out) {
  memset(out, 0, sizeof *out);
  bool held = o->held_steps > 0 && hold_steps == o->held_steps;
  ph_intervals_latch(&o->intervals, held ? 0 : hold_steps, &out->latching);
  int64_t latch = out->latching.latch;
  out->row = -1;
  if (!o->known) {
    refuse(out, PH_REFUSAL_UNKNOWN, -1);
    snprintf(out->text, sizeof out->text, "%s", o->why);
  } else if (o->ended >= 0 && (latch < 0 || latch > o->ended)) {
    refuse(out, PH_REFUSAL_ENDED, o->ended);
    snprintf(out->text, sizeof out->text,
             "the env ends the episode at row %" PRId64 " without success (%s)", o->ended,
             o->ended_text);
  } else if (latch < 0 && o->left >= 0) {
    refuse(out, PH_REFUSAL_LEFT, o->left);
    snprintf(out->text, sizeof out->text, "the replay leaves the recording at row %" PRId64 " (%s)",
             o->left, o->left_text);
  } else if (latch < 0) {
    refuse(out, PH_REFUSAL_NEVER, -1);
    snprintf(out->text, sizeof out->text,
             "success does not latch within the %" PRId64 " recorded steps%s%s", o->actions,
             o->why[0] ? ": " : "", o->why);
  }
}

/* --- disagreements --- */

static void latch_text(const ph_latch_answer *a, char *out, size_t size) {
  if (a->refusal == PH_REFUSAL_NONE)
    snprintf(out, size, "%" PRId64, a->latching.latch);
  else
    snprintf(out, size, "none");
}

static int64_t row_of(const ph_latch_answer *a) {
  return a->refusal == PH_REFUSAL_NONE ? a->latching.latch : a->row;
}

/* The first row that shows it. */
static int64_t first_row(int64_t a, int64_t b) {
  return a < 0 ? b : b < 0 || a < b ? a : b;
}

static void tell(ph_disagreement *out, ph_latch_source a, const ph_latch_answer *of_a,
                 ph_latch_source b, const ph_latch_answer *of_b) {
  char left[32], right[32];
  const char *why = of_a->refusal ? of_a->text : of_b->text;
  ph_finding *f = &out->finding;
  latch_text(of_a, left, sizeof left);
  latch_text(of_b, right, sizeof right);
  *out = (ph_disagreement){
      .a = a,
      .b = b,
      .both = of_a->refusal == PH_REFUSAL_NONE && of_b->refusal == PH_REFUSAL_NONE,
      .finding = {.kind = PH_FINDING_DISAGREEMENT, .step = first_row(row_of(of_a), row_of(of_b))}};
  int n = snprintf(f->text, sizeof f->text, "latch: %s %s, %s %s%s%s", ph_latch_source_name(a),
                   left, ph_latch_source_name(b), right, why[0] ? ": " : "", why);
  if (n >= (int)sizeof f->text)
    memcpy(f->text + sizeof f->text - 4, "...", 4);
}

/* The first source of the same judge; `i` itself: there is none before it. */
static int base_of(const ph_outcomes o[PH_LATCH_SOURCES], int i) {
  for (int k = 0; k < i; k++)
    if (o[k].known && strcmp(o[k].judge, o[i].judge) == 0)
      return k;
  return i;
}

size_t ph_outcomes_compare(const ph_outcomes o[PH_LATCH_SOURCES], int64_t hold_steps,
                           ph_disagreement *out, size_t room) {
  ph_latch_answer answer[PH_LATCH_SOURCES];
  size_t n = 0;
  for (int i = 0; i < PH_LATCH_SOURCES; i++) {
    if (!o[i].known)
      continue;
    ph_outcomes_latch(&o[i], hold_steps, &answer[i]);
    int base = base_of(o, i);
    if (answer[i].latching.latch != answer[base].latching.latch && n < room)
      tell(&out[n++], (ph_latch_source)base, &answer[base], (ph_latch_source)i, &answer[i]);
  }
  return n;
}

size_t ph_outcomes_findings(const ph_outcomes o[PH_LATCH_SOURCES], int64_t hold_steps,
                            ph_finding *out, size_t room) {
  ph_disagreement found[PH_LATCH_SOURCES];
  size_t n = ph_outcomes_compare(o, hold_steps, found, PH_LATCH_SOURCES);
  n = n < room ? n : room;
  for (size_t i = 0; i < n; i++)
    out[i] = found[i].finding;
  return n;
}
