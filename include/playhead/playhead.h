/* playhead: record MuJoCo episodes, open them, go to any step.
 *
 *   status    result codes, last error            task      a Lua task
 *   schema    what an episode file holds          action    raw action -> ctrl
 *   sim       models, simulations, rows           env       sim + task, one slot
 *   episode   one rollout, read on demand         recorder  rows -> files
 *   store     what a path holds                   replay    cursor over an episode -> frame
 *   envs      many of them, on threads            stage     what of a task's stages is reached
 *   check     what a task does in some steps
 *   latch     how long a predicate must hold      verify    whether an episode is what it says
 *   marks     marks and notes beside a file       track     every stored number, by name
 *   finding   a step and a sentence               export    text and arrays for other programs
 *   wait      what a call waits for, and its end
 *   number    text that gives the bits back
 *   divergence  how far one state is from another
 *   analysis  the divergence of a whole episode, on threads
 *   model_diff  two models in words
 *   diagnosis why it is not what was recorded
 *   rerun     physics run again           ensemble  many envs under one playhead
 *   policy    actions chosen by a command      judge     success judged by a command
 *   outcomes  the predicate by three sources   cut       datasets that end at the latch
 *
 * Functions return a ph_status; ph_error() has the sentence. Outputs come first. The library never
 * prints, never exits, installs no signal handler, and writes nothing but what it is told to, and
 * a file of at most 4 MiB in the user's cache folder.
 *
 * Files and models may be hostile, and the libraries that read them can crash: so they are opened
 * and compiled in a child process first, with limits of memory and time. It is forked by the first
 * call that opens something, inherits nothing but memory, ignores the terminal's signals, and ends
 * with the host; the host gets a SIGCHLD when one ends. What was found good, and which file gave
 * no answer, is remembered in $XDG_CACHE_HOME/playhead/verdicts (else ~/.cache/playhead; nothing
 * where there is no such folder). */
#ifndef PLAYHEAD_PLAYHEAD_H
#define PLAYHEAD_PLAYHEAD_H

#include <playhead/action.h>
#include <playhead/analysis.h>
#include <playhead/check.h>
#include <playhead/cut.h>
#include <playhead/diagnosis.h>
#include <playhead/divergence.h>
#include <playhead/ensemble.h>
#include <playhead/env.h>
#include <playhead/envs.h>
#include <playhead/episode.h>
#include <playhead/export.h>
#include <playhead/finding.h>
#include <playhead/finding_dynamic.h>
#include <playhead/judge.h>
#include <playhead/latch.h>
#include <playhead/live.h>
#include <playhead/marks.h>
#include <playhead/model_diff.h>
#include <playhead/number.h>
#include <playhead/outcomes.h>
#include <playhead/pack.h>
#include <playhead/policy.h>
#include <playhead/pool.h>
#include <playhead/recorder.h>
#include <playhead/replay.h>
#include <playhead/rerun.h>
#include <playhead/salvage.h>
#include <playhead/schema.h>
#include <playhead/sim.h>
#include <playhead/stage.h>
#include <playhead/status.h>
#include <playhead/store.h>
#include <playhead/task.h>
#include <playhead/track.h>
#include <playhead/verify.h>
#include <playhead/wait.h>

#endif
