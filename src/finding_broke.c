#include "finding_broke.h"

#include <playhead/finding_dynamic.h>
#include <playhead/outcomes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hold_scan.h"
#include "replay_parts.h"

enum { NAMED = 3 }; /* conditions that are named; more are counted */

void ph_asker_end(ph_asker *asker) {
  ph_cursor_close(asker->cursor);
  ph_replay_free(asker->replay);
  asker->cursor = NULL;
  asker->replay = NULL;
}

static bool can_ask(ph_asker *asker) {
  const ph_rerun *run = ph_analysis_rerun(asker->a);
  const ph_task *task = ph_rerun_task(run);
  if (!task || !ph_task_info_of(task)->has_success)
    return false;
  if (!asker->tried &&
      ph_replay_create(&asker->replay, ph_rerun_episode(run), ph_rerun_model(run), task) != PH_OK)
    asker->replay = NULL;
  asker->tried = true;
  return asker->replay != NULL;
}

/* --- in words --- */

/* " >= 0.1": why the number that was seen is not "< 0.1". */
static void beyond_text(const ph_condition *c, char *out, size_t size) {
  static const char *const yes[] = {"<= ", ">= ", "< ", "> "}, *const no[] = {">", "<", ">=", "<="};
  out[0] = 0;
  for (size_t k = 0; k < sizeof yes / sizeof *yes && !isnan(c->read); k++)
    if (strncmp(c->limit, yes[k], strlen(yes[k])) == 0)
      snprintf(out, size, " %s %s", no[k], c->limit + strlen(yes[k]));
}

/* "near false (dist(hand,cup) 0.104 m >= 0.1)"; a single function has no name but "success". */
static int condition_text(const ph_condition *c, bool only, char *out, size_t size) {
  char read[140] = "", beyond[36];
  bool named = !only || strcmp(c->name, "success") != 0;
  beyond_text(c, beyond, sizeof beyond);
  if (c->reads[0])
    snprintf(read, sizeof read, "%s %.4g%s%s%s", c->reads, c->read, c->unit[0] ? " " : "", c->unit,
             beyond);
  if (!named)
    return snprintf(out, size, "%s", read);
  return snprintf(out, size, "%.60s false%s%s%s", c->name, read[0] ? " (" : "", read,
                  read[0] ? ")" : "");
}

/* Of the frame where the replay is. */
static void ask(ph_replay *replay, size_t all, char *out, size_t size) {
  const ph_condition *condition = NULL;
  size_t named = 0, more = 0, n = 0;
  bool value = true;
  if (ph_replay_predicate(replay, &value, &condition) != PH_OK || value || !condition)
    return;
  for (size_t i = 0; i < all && n + 1 < size; i++) {
    char text[200];
    if (condition[i].value || (named == NAMED && ++more))
      continue;
    if (condition_text(&condition[i], all == 1, text, sizeof text) > 0)
      n += (size_t)snprintf(out + n, size - n, "%s%s", named++ ? ", " : ": ", text);
  }
  if (more > 0 && n + 1 < size)
    snprintf(out + n, size - n, ", %zu more", more);
}

static void ask_it(const ph_asker *asker, char *out, size_t size) {
  const ph_task *task = ph_rerun_task(ph_analysis_rerun(asker->a));
  ask(asker->replay, ph_task_info_of(task)->nconditions, out, size);
}

void ph_replay_broke(ph_replay *replay, int64_t row, char *out, size_t size) {
  char text[300] = "";
  const ph_task *task = replay->task;
  size_t all = replay->judged_bits ? 1 : task ? ph_task_info_of(task)->nconditions : 0;
  if (all > 0 && ph_replay_seek(replay, row, 0, PH_KINEMATIC) == PH_OK)
    ask(replay, all, text, sizeof text);
  snprintf(out, size, "%s", text[0] ? text + 2 : "");
}

/* --- rows --- */

/* What the file stores was said by its own task. */
void ph_asker_recorded(ph_asker *asker, int64_t row, char *out, size_t size) {
  const ph_rerun *run = ph_analysis_rerun(asker->a);
  const ph_episode_meta *meta = ph_episode_meta_of(ph_rerun_episode(run));
  out[0] = 0;
  if (can_ask(asker) && strcmp(meta->task_sha256, ph_task_sha256(ph_rerun_task(run))) == 0 &&
      ph_replay_seek(asker->replay, row, 0, PH_KINEMATIC) == PH_OK)
    ask_it(asker, out, size);
}

void ph_asker_dynamic(ph_asker *asker, int64_t row, char *out, size_t size) {
  out[0] = 0;
  if (!can_ask(asker) ||
      (!asker->cursor && ph_cursor_open(&asker->cursor, ph_analysis_rerun(asker->a)) != PH_OK) ||
      ph_cursor_seek(asker->cursor, row, 0, NULL, NULL) != PH_OK)
    return;
  const ph_instant *now = ph_cursor_now(asker->cursor);
  if (now->step == row && now->judged &&
      ph_replay_show_judged(asker->replay, row, &now->row, now->action, &now->stages) == PH_OK)
    ask_it(asker, out, size);
}

bool ph_analysis_broke(const ph_analysis *a, int64_t hold_steps, ph_broke *out) {
  ph_asker asker = {.a = a};
  ph_analysis_progress now;
  ph_hold_scan dynamic;
  char text[sizeof out->text + 2];
  ph_analysis_look(a, &now);
  *out = (ph_broke){.step = -1};
  if (!ph_hold_scan_dynamic(&dynamic, a, &now, hold_steps) || dynamic.hold.latched ||
      dynamic.nmisses == 0)
    return false;
  out->step = dynamic.miss[0].row;
  out->count = dynamic.miss[0].count;
  out->steps = dynamic.hold.steps;
  ph_asker_dynamic(&asker, out->step, text, sizeof text);
  snprintf(out->text, sizeof out->text, "%s", text[0] ? text + 2 : "");
  ph_asker_end(&asker);
  return true;
}
