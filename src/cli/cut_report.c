#include "cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- for people --- */

static void print_line(const ph_cut_episode *e, const char *id) {
  cli_print_text(e->id);
  if (!e->dropped && strcmp(e->id, id) != 0) {
    printf(" -> ");
    cli_print_text(id);
  }
  if (e->dropped) {
    printf(": left out: ");
    cli_print_text(e->reason);
    printf("\n");
    return;
  }
  int64_t removed = e->actions - (e->to - e->from);
  printf(": rows %" PRId64 " to %" PRId64 " of %" PRId64 ", %" PRId64 " %s cut\n", e->from, e->to,
         e->actions, removed, report_steps(removed));
}

static void print_counts(const struct cut *c) {
  const ph_cut_tally *t = &c->tally;
  bool latch = c->mode == CUT_TO_LATCH || c->mode == CUT_STEPS;
  bool one = t->kept == 1 || c->n == 1;
  printf("%zu of %zu %s ", t->kept, c->n, c->n == 1 ? "episode" : "episodes");
  if (latch && c->hold >= 0)
    printf("%s at a hold of %.9g s", one ? "latches" : "latch", c->hold);
  else
    printf("%s", one ? "is kept" : "are kept");
  if (c->opened) /* of none nobody has looked for rows */
    printf(" (%s)", cut_method(c));
  if (c->mode == CUT_STEPS && c->hold < 0)
    printf(", no --hold: the result claims none");
  if (t->kept > 0 && t->least == t->most)
    printf(", %" PRId64 " %s cut of each", t->most, report_steps(t->most));
  else if (t->kept > 0)
    printf(", %" PRId64 " to %" PRId64 " steps cut", t->least, t->most);
}

void cut_print(const struct cut *c, bool written) {
  for (size_t i = 0; i < c->n; i++)
    if (c->opt->dry_run || c->plan[i].dropped)
      print_line(&c->plan[i], c->ids[i]);
  if (c->tally.models > 0)
    printf("models/: %zu %s that episodes name copied beside the output\n", c->tally.models,
           c->tally.models == 1 ? "file" : "files");
  print_counts(c);
  printf("; %s", written ? "written to " : "nothing is written");
  if (written)
    cli_print_text(c->out);
  printf("\n");
}

/* --- for programs --- */

static json_t *episode_json(const ph_cut_episode *e, const char *id) {
  json_t *from = e->dropped ? json_null() : json_integer((json_int_t)e->from);
  json_t *to = e->dropped ? json_null() : json_integer((json_int_t)e->to);
  return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:I}", "id", ph_json_text(e->id), "output_id",
                   ph_json_text(id), "from", from, "to", to, "dropped", e->dropped, "reason",
                   ph_json_text(e->reason), "actions", (json_int_t)e->actions);
}

int cut_print_json(const struct cut *c, bool written) {
  const ph_cut_tally *t = &c->tally;
  json_t *episodes = json_array();
  for (size_t i = 0; i < c->n; i++)
    json_array_append_new(episodes, episode_json(&c->plan[i], c->ids[i]));
  json_t *root =
      json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:o}", "output",
                written ? ph_json_text(c->out) : json_null(), "by", cut_method(c), "hold_seconds",
                c->hold >= 0 ? ph_json_number(c->hold) : json_null(), "fingerprint",
                c->fingerprint && !c->several ? json_loads(c->fingerprint, 0, NULL) : json_null(),
                "kept", (json_int_t)t->kept, "left_out", (json_int_t)t->dropped, "least_cut",
                report_index(t->least), "most_cut", report_index(t->most), "models_copied",
                (json_int_t)t->models, "episodes", episodes);
  return ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}
