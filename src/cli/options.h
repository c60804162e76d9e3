/* One table of options for all verbs: the parser, --help, errors, the man page and the shell
 * completions are made from it. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
  KIND_FLAG,   /* bool */
  KIND_TEXT,   /* const char * */
  KIND_FILE,   /* const char *: a path, for completion */
  KIND_FOLDER, /* likewise; may be given again: added to `assets` where it is that option */
  KIND_INT,    /* int64_t from low to high */
  KIND_SEED,   /* uint64_t */
  KIND_NUMBER, /* double from low to high, in seconds */
  KIND_AMOUNT, /* double from low to high */
  KIND_SIZE,   /* WxH into cols, rows */
  KIND_CHOICE, /* const char *: one of choices */
};

/* X(ID, name, argument, kind, field, low, high, choices, standard, help): `standard` is what holds
 * when the option is not given, in words; where it is a value of the option, the parser sets it. */
#define OPTION_LIST(X)                                                                             \
  X(EPISODE, "episode", "ID", KIND_TEXT, episode, 0, 0, NULL,                                      \
    "where Q left, else the first; of verify all", "the episode: its id, or its place from 0")     \
  X(GROUP, "group", "NAME", KIND_TEXT, group, 0, 0, NULL, "all episodes",                          \
    "only the episodes of this group: a filter key of the file")                                   \
  X(AT, "at", "STEP", KIND_TEXT, at, 0, 0, NULL, "where Q left it, else 0; of export all",         \
    "the step: 213, 4.2s, 90%, middle or last")                                                    \
  X(RANGE, "range", "A:B", KIND_TEXT, range, 0, 0, NULL, "all steps",                              \
    "steps from A up to, not with, B; without A from the first, without B to the last")            \
  X(COLUMNS, "columns", "LIST", KIND_TEXT, columns, 0, 0, NULL, "all numbers",                     \
    "names, arrays or patterns with commas between: \"time,arm_*,obs/eef_pos\"")                   \
  X(AS, "as", "KIND", KIND_CHOICE, as, 0, 0, "csv npz key", "csv",                                 \
    "csv, npz, or with --at key: a line for the model's keyframe")                                 \
  X(SIZE, "size", "WxH", KIND_SIZE, cols, 1, 1000, NULL, "120x40",                                 \
    "size of the screen in columns and rows")                                                      \
  X(KEYS, "keys", "KEYS", KIND_TEXT, keys, 0, 0, NULL, "none",                                     \
    "keys to play first, with blanks between: \"n n e\"; names as in the help")                    \
  X(TASK, "task", "T.lua", KIND_FILE, task, 0, 0, NULL, "the recorded one", "judge by this task")  \
  X(SUCCESS, "success", "EXPR", KIND_TEXT, success, 0, 0, NULL, "the task's",                      \
    "success is what this says of a state: \"s.body.cube.z > 0.84\"")                              \
  X(MODEL, "model", "M.xml", KIND_FILE, model, 0, 0, NULL, "the recorded one, or the task's",      \
    "use this model")                                                                              \
  X(ASSETS, "assets", "DIR", KIND_FOLDER, assets, 0, 0, NULL, "those of PLAYHEAD_ASSETS",          \
    "a folder that the model may read too; may be given again")                                    \
  X(MISSING, "missing-assets", "WHAT", KIND_CHOICE, missing, 0, 0, "refuse drop", "refuse",        \
    "what to do when a model's files are not found: refuse it, or drop what needs them")           \
  X(ENVS, "envs", "N", KIND_INT, envs, 1, 4096, NULL, "1", "how many envs record side by side")    \
  X(ROUND, "envs", "N", KIND_TEXT, round, 0, 0, NULL, "one",                                       \
    "so many envs under one playhead, or all: the same episode of each env of the run")            \
  X(EPISODES, "episodes", "M", KIND_INT, episodes, 1, 1000000000, NULL, "one for each env",        \
    "how many episodes all envs record together")                                                  \
  X(SEED, "seed", "S", KIND_SEED, seed, 0, 0, NULL, "0", "seed of the run, a whole number")        \
  X(STEPS, "steps", "N", KIND_INT, steps, 1, 1000000, NULL, "100",                                 \
    "how many steps of each episode are run at most")                                              \
  X(MAX_STEPS, "max-steps", "N", KIND_INT, max_steps, 1, 1000000000000, NULL, "the task's",        \
    "how many steps an episode has at most")                                                       \
  X(HOLD, "hold", "SECONDS", KIND_NUMBER, hold, 0, 1e9, NULL, "the task's",                        \
    "how long success must hold")                                                                  \
  X(HOLD_SHOWN, "hold", "SECONDS", KIND_NUMBER, hold, 0, 1e9, NULL, "each episode's own",          \
    "how long success must hold, as on the screen :hold has it; no file is touched")               \
  X(HOLDS, "hold", "S|A:B:STEP", KIND_TEXT, holds, 0, 0, NULL,                                     \
    "the hold in force of each episode, or that of --task",                                        \
    "how long success must hold, in seconds; or all holds from A to B")                            \
  X(SOURCES, "by", "SOURCE", KIND_CHOICE, by, 0, 0, "recorded kinematic dynamic", "all three",     \
    "by what the file stores, by its states, or by physics run again, alone")                      \
  X(INTERVALS, "intervals", NULL, KIND_FLAG, intervals, 0, 0, NULL, NULL,                          \
    "all intervals in which success held, and what broke each; of one episode they are shown")     \
  X(POLICY, "policy-command", "CMD", KIND_TEXT, policy, 0, 0, NULL, "the task's policy",           \
    "a command that chooses the actions: it gets a line of JSON a step, answers one")              \
  X(POLICY_TIMEOUT, "policy-timeout", "SECONDS", KIND_NUMBER, policy_timeout, 0, 1e6, NULL, "10",  \
    "how long an answer of that command may take; the first one 60 s more")                        \
  X(PREDICATE, "predicate-command", "CMD", KIND_TEXT, predicate, 0, 0, NULL, "the task's success", \
    "a command that judges the recorded states: it gets rows of numbers, answers 0s and 1s")       \
  X(OUT, "out", "DIR", KIND_FOLDER, out, 0, 0, NULL, "a new folder among all runs",                \
    "folder of the run; it must be new or empty, but with --append or --overwrite")                \
  X(FILE, "out", "FILE", KIND_FILE, out, 0, 0, NULL, "standard output",                            \
    "the file to write; it must be new; -o is the same")                                           \
  X(DATASET, "out", "FILE", KIND_FILE, out, 0, 0, NULL, "none: it must be given",                  \
    "the dataset to write; it must be new, but with --overwrite; -o is the same")                  \
  X(RESCUE, "out", "PATH", KIND_FILE, out, 0, 0, NULL, "a run's own folder; a file needs it",      \
    "where what is found is written: a new folder for a run, a new file for a file")               \
  X(CUT_HOLD, "hold", "SECONDS", KIND_NUMBER, hold, 0, 1e9, NULL,                                  \
    "none: it must be given, but with --steps, --range or --trim-idle",                            \
    "how long success must hold")                                                                  \
  X(CUT_BY, "by", "SOURCE", KIND_CHOICE, by, 0, 0, "recorded kinematic dynamic",                   \
    "the strictest that all episodes allow",                                                       \
    "where success latches by what the file stores, by its states, or by physics run again")       \
  X(ROWS, "steps", "FILE", KIND_FILE, steps_file, 0, 0, NULL, "where success latches",             \
    "the rows at which episodes end: JSON of latch, {\"id\": row, ...} or [row, ...]; - is stdin") \
  X(TO_LATCH, "to-latch", NULL, KIND_FLAG, to_latch, 0, 0, NULL, NULL,                             \
    "each episode ends where success latches: so it is where nothing else is asked for")           \
  X(TRIM_IDLE, "trim-idle", "EPS", KIND_AMOUNT, trim_idle, 0, 1e9, NULL, "none is cut off",        \
    "cut off both ends, where no action and no position (m, rad) changes by more in a step")       \
  X(DROP_FAILED, "drop-failed", NULL, KIND_FLAG, drop_failed, 0, 0, NULL, NULL,                    \
    "episodes that do not latch, or failed as the file says, are left out and no finding")         \
  X(DRY_RUN, "dry-run", NULL, KIND_FLAG, dry_run, 0, 0, NULL, NULL,                                \
    "say what would be cut; nothing is written")                                                   \
  X(STRICT, "strict", NULL, KIND_FLAG, strict, 0, 0, NULL, NULL,                                   \
    "one episode that cannot be cut, and nothing is written")                                      \
  X(KEEP_REWARDS, "keep-rewards", NULL, KIND_FLAG, keep_rewards, 0, 0, NULL, NULL,                 \
    "rewards and dones of the rows before the last stay as they are")                              \
  X(CUT_OUT, "out", "FILE", KIND_FILE, out, 0, 0, NULL, "the source's name with _hold0p5s",        \
    "what is written; it must be new; -o is the same")                                             \
  X(JOBS, "jobs", "N", KIND_INT, jobs, 1, 1024, NULL, "as many as the machine has cores",          \
    "how many threads work")                                                                       \
  X(ONLY_SUCCESS, "only-success", NULL, KIND_FLAG, only_success, 0, 0, NULL, NULL,                 \
    "save none but episodes that end with success; --episodes counts those tried")                 \
  X(APPEND, "append", NULL, KIND_FLAG, append, 0, 0, NULL, NULL,                                   \
    "go on with the run that is there, of the same model and task")                                \
  X(OVERWRITE, "overwrite", NULL, KIND_FLAG, overwrite, 0, 0, NULL, NULL,                          \
    "put the new one in the place of the one that is there")                                       \
  X(VERIFY, "verify", NULL, KIND_FLAG, verify, 0, 0, NULL, NULL,                                   \
    "run each episode again before it is saved, and stamp it: bitwise, tol(x) or fails(t)")        \
  X(COMPRESS, "compress", NULL, KIND_FLAG, compress, 0, 0, NULL, NULL,                             \
    "smaller files that are slower to read: the same bits, in deflated chunks")                    \
  X(FOLLOW, "follow", NULL, KIND_FLAG, follow, 0, 0, NULL, NULL,                                   \
    "go on looking: what a recorder adds to a run appears")                                        \
  X(SHOW, "mode", "MODE", KIND_CHOICE, mode, 0, 0, "kinematic dynamic both", "kinematic",          \
    "show the recorded states, physics run again, or both beside each other")                      \
  X(MODE, "mode", "MODE", KIND_CHOICE, mode, 0, 0, "dynamic kinematic", "dynamic",                 \
    "dynamic: physics is run again too, where it can; kinematic: nothing is integrated")           \
  X(GHOST, "ghost", "B[:ID]", KIND_FILE, ghost, 0, 0, NULL, "none",                                \
    "another episode beside the one on show: of a file by its id, of a run the same env and "      \
    "number")                                                                                      \
  X(VIEW, "view", NULL, KIND_FLAG, view, 0, 0, NULL, NULL,                                         \
    "open the scrubber on A with B as its ghost, instead of printing")                             \
  X(TOLERANCE, "tol", "LIST", KIND_TEXT, tolerance, 0, 0, NULL, "pos=1e-3,rot=1e-3,vel=0.1",       \
    "how far physics run again may be off and still be close: in m, rad, m/s and rad/s")           \
  X(EXPECT, "expect", "CLASS", KIND_CHOICE, expect, 0, 0, "bitwise rounding close",                \
    "bitwise of episodes that are EXACT, nothing of others",                                       \
    "what physics run again must be: bitwise, rounding (1e-9) or close (--tol)")                   \
  X(SCHEME, "scheme", "NAME", KIND_CHOICE, scheme, 0, 0, "dark light mono", "dark",                \
    "colours: dark, light or mono; mono where NO_COLOR is set")                                    \
  X(COLOR, "color", NULL, KIND_FLAG, color, 0, 0, NULL, NULL,                                      \
    "ANSI colours in the output; not where NO_COLOR is set")                                       \
  X(ASCII, "ascii", NULL, KIND_FLAG, ascii, 0, 0, NULL, NULL, "draw with ASCII characters only")   \
  X(JSON, "json", NULL, KIND_FLAG, json, 0, 0, NULL, NULL, "one JSON object on stdout")            \
  X(HELP, "help", NULL, KIND_FLAG, help, 0, 0, NULL, NULL, "print this and exit")                  \
  X(VERSION, "version", NULL, KIND_FLAG, version, 0, 0, NULL, NULL, "print the version and exit")

enum option_id {
#define OPTION_ENUM(id, name, arg, kind, field, low, high, choices, standard, help) OPTION_##id,
  OPTION_LIST(OPTION_ENUM)
#undef OPTION_ENUM
      OPTION_COUNT
};

#define OPTION_BIT(id) (UINT64_C(1) << OPTION_##id)
_Static_assert(OPTION_COUNT <= 64, "a verb's options are the bits of a uint64_t");
static inline bool option_in(uint64_t options, unsigned id) {
  return options >> id & 1;
}

struct option_info {
  const char *name, *arg;
  enum option_kind kind;
  size_t offset; /* in struct options */
  double low, high;
  const char *choices;  /* separated by blanks */
  const char *standard; /* NULL: a flag, off when not given */
  const char *help;
};
const struct option_info *option_info(enum option_id id);
/* What the option does and what holds without it, for people: "help (default: standard)". */
void option_text(const struct option_info *info, char *out, size_t size);

/* What was asked for. Strings are borrowed from argv and the environment; options_free frees the
 * lists. */
struct options {
  const char *verb;
  const char **paths;
  size_t npaths;
  const char *episode, *at, *keys, *task, *model, *out, *mode, *scheme;
  const char *group, *range, *columns, *as, *missing, *tolerance, *expect;
  const char *success, *policy, *predicate, *ghost;
  const char *holds; /* --hold of latch: seconds, or A:B:STEP */
  const char *by;
  const char *round;   /* --envs of the scrubber: a number, or all */
  const char **assets; /* of --assets, then of PLAYHEAD_ASSETS */
  size_t nassets;
  char *environment; /* owned: copy of PLAYHEAD_ASSETS */
  const char *lost;  /* the first folder of it that is not there; NULL: none */
  size_t nlost;
  int64_t cols, rows, envs;
  int64_t episodes, jobs, steps, max_steps; /* 0: not given */
  uint64_t seed;
  double hold; /* negative: not given */
  double policy_timeout;
  double trim_idle;       /* negative: not given */
  const char *steps_file; /* --steps of cut */
  bool to_latch, drop_failed, dry_run, strict, keep_rewards;
  bool color, ascii, json, help, version;
  bool only_success, append, overwrite, compress, follow, verify, view, intervals;
};

/* Parses what follows the verb; `allowed` has the bits of its options. On failure writes one line
 * "WHERE: WHAT: WHY" into error. */
bool options_parse(struct options *opt, const char *verb, uint64_t allowed, int argc, char **argv,
                   char *error, size_t size);
void options_free(struct options *opt);

#endif
