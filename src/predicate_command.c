#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "predicate_parts.h"
#include "program.h"
#include "program_child.h"
#include "waiting.h"

enum { BATCH = 256, BATCH_BYTES = 1 << 20 };
static const double first_seconds = 60;

struct ph_judge {
  char *command;
  ph_judge_options opt;
  ph_program *program;     /* NULL: not running */
  ph_command_look running; /* what it was when it was started */
  ph_model_files files;
  int64_t step, states; /* for who may cancel */
  bool answered;        /* once at least */
  int64_t asked;        /* [ms] when the last batch was sent */
  bool cached;
  ph_judge_state state;
  char note[300];
};

/* --- life --- */

ph_status ph_judge_open(ph_judge **out, const char *command, const ph_judge_options *opt) {
  static const ph_judge_options standard = PH_JUDGE_OPTIONS_INIT;
  *out = NULL;
  if (!opt)
    opt = &standard;
  if (!command[strspn(command, " \t\r\n")])
    return ph_fail(PH_EINVAL, "predicate: an empty command");
  if (!(opt->timeout > 0) || !isfinite(opt->timeout))
    return ph_fail(PH_EINVAL, "predicate: timeout %g: no positive number of seconds", opt->timeout);
  ph_judge *judge = calloc(1, sizeof *judge);
  if (judge)
    judge->command = strdup(command);
  if (!judge || !judge->command) {
    free(judge);
    return ph_fail(PH_ENOMEM, "predicate: out of memory");
  }
  judge->opt = *opt;
  ph_model_files_sweep();
  *out = judge;
  return PH_OK;
}

static void end_program(ph_judge *judge) {
  ph_program_end(judge->program);
  judge->program = NULL;
  judge->answered = false;
}

void ph_judge_close(ph_judge *judge) {
  if (!judge)
    return;
  end_program(judge);
  ph_model_files_remove(&judge->files);
  free(judge->command);
  free(judge);
}

const char *ph_judge_command(const ph_judge *judge) {
  return judge->command;
}

bool ph_judge_cached(const ph_judge *judge) {
  return judge->cached;
}

ph_judge_state ph_judge_state_of(const ph_judge *judge) {
  return judge->state;
}

const char *ph_judge_note(const ph_judge *judge) {
  return judge->note;
}

/* --- asking --- */

static bool is_cancelled(void *user) {
  ph_judge *judge = user;
  double seconds = 1e-3 * (double)(ph_process_now() - judge->asked);
  double limit = judge->opt.timeout + (judge->answered ? 0 : first_seconds);
  return (judge->opt.cancel && judge->opt.cancel(judge->opt.user, judge->step, judge->states)) ||
         !ph_wait_command(judge->command, seconds, (int)fmin(limit, 1e9));
}

static ph_status start_program(ph_judge *judge) {
  const ph_program_options po = {.what = "predicate",
                                 .command = judge->command,
                                 .timeout = judge->opt.timeout,
                                 .first = first_seconds,
                                 .longest = BATCH + 64,
                                 .cancel = is_cancelled,
                                 .user = judge};
  if (judge->program)
    return PH_OK;
  ph_command_look_at(&judge->running, judge->command);
  return ph_program_start(&judge->program, &po);
}

/* Whether what runs is, or may be, another command than there is now. */
static bool is_outdated(const ph_judge *judge, const ph_command_look *now) {
  const ph_command_look *then = &judge->running;
  return strcmp(then->sha256, now->sha256) != 0 || (then->fresh && !now->fresh);
}

static ph_status take_answer(ph_judge *judge, const char *text, size_t size, int64_t n,
                             uint8_t *bits) {
  for (size_t i = 0; i < size && i < (size_t)n; i++) {
    if (text[i] != '0' && text[i] != '1')
      return ph_program_refuse(judge->program,
                               "character %zu of its answer is neither 0 nor 1: "
                               "\"%.40s\"",
                               i, text);
    bits[i] = text[i] == '1';
  }
  if (size != (size_t)n)
    return ph_program_refuse(judge->program, "its answer has %zu characters for %" PRId64 " states",
                             size, n);
  return PH_OK;
}

static ph_status ask_program(ph_judge *judge, const ph_bytes *question, int64_t n, uint8_t *bits) {
  const char *text;
  size_t size;
  ph_status status = start_program(judge);
  judge->state = status == PH_EIO ? PH_JUDGE_MISSING : PH_JUDGE_FINE;
  judge->asked = ph_process_now();
  if (status == PH_OK)
    status = ph_program_ask(judge->program, question->data, question->n, &text, &size);
  if (status == PH_OK)
    status = take_answer(judge, text, size, n, bits);
  if (judge->program && (status == PH_EIO || status == PH_EFORMAT))
    judge->state = ph_program_missing(judge->program) ? PH_JUDGE_MISSING : PH_JUDGE_FAILED;
  return status;
}

static ph_status ask_batch(ph_judge *judge, ph_predicate_rows *rows, int64_t first, int64_t n,
                           ph_bytes *question, uint8_t *bits) {
  question->n = 0;
  ph_status status = ph_predicate_rows_add(rows, first, n, question);
  if (status == PH_OK)
    status = ask_program(judge, question, n, bits + first);
  judge->answered = judge->answered || status == PH_OK;
  if (judge->program && !ph_program_runs(judge->program))
    end_program(judge);
  return status;
}

static ph_status ask_all(ph_judge *judge, ph_predicate_rows *rows, uint8_t *bits) {
  ph_bytes question = {0};
  ph_status status = PH_OK;
  int64_t most = BATCH_BYTES / (8 * (int64_t)rows->width);
  most = most < 1 ? 1 : most > BATCH ? BATCH : most;
  for (judge->step = 0; judge->step < judge->states && status == PH_OK; judge->step += most) {
    int64_t left = judge->states - judge->step;
    judge->asked = ph_process_now();
    if (is_cancelled(judge))
      status = ph_fail(PH_ECANCELED, "predicate: it was not waited for");
    if (status == PH_OK)
      status = ask_batch(judge, rows, judge->step, left < most ? left : most, &question, bits);
    if (status == PH_EIO || status == PH_EFORMAT)
      ph_fail_in(status, "step %" PRId64, judge->step);
  }
  free(question.data);
  return status;
}

static ph_status judge_anew(ph_judge *judge, const ph_episode *episode, const ph_model *model,
                            uint8_t *bits) {
  ph_predicate_rows rows;
  ph_status status = ph_model_files_make(&judge->files, model);
  if (status != PH_OK)
    return status;
  status = ph_predicate_rows_open(&rows, episode, model,
                                  judge->files.path[0] ? judge->files.path : NULL);
  if (status == PH_OK)
    status = ask_all(judge, &rows, bits);
  ph_predicate_rows_close(&rows);
  return status;
}

/* Whether the answers are of the command as it was looked at: it was when it was started, and is
 * now that it has answered. */
static bool is_still(const ph_judge *judge, const ph_command_look *look) {
  ph_command_look now;
  ph_command_look_at(&now, judge->command);
  return !is_outdated(judge, look) && !is_outdated(judge, &now) && !now.fresh;
}

ph_status ph_judge_episode(uint8_t *bits, ph_judge *judge, const ph_episode *episode,
                           const ph_model *model) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_predicate_key key;
  ph_command_look look;
  judge->note[0] = 0;
  judge->state = PH_JUDGE_FINE;
  judge->states = meta->states;
  ph_command_look_at(&look, judge->command);
  bool keeps = ph_predicate_key_make(&key, judge->command, &look, episode, model, judge->note,
                                     sizeof judge->note);
  judge->cached = keeps && !judge->opt.forget && ph_predicate_recall(bits, &key);
  if (judge->cached || meta->states <= 0)
    return PH_OK;
  if (judge->program && is_outdated(judge, &look))
    end_program(judge);
  ph_status status = judge_anew(judge, episode, model, bits);
  if (status != PH_OK)
    return ph_fail_in(status, "%s", meta->id);
  if (keeps && !is_still(judge, &look)) {
    keeps = false;
    snprintf(judge->note, sizeof judge->note,
             "%s: its answers are not kept: a file of the command changed", meta->id);
  }
  if (keeps && ph_predicate_keep(bits, &key) != PH_OK)
    snprintf(judge->note, sizeof judge->note, "%s", ph_error());
  return PH_OK;
}
