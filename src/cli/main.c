#include "cli.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANY (OPTION_BIT(HELP) | OPTION_BIT(VERSION))
#define SOURCE (OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) | OPTION_BIT(MISSING) | OPTION_BIT(GROUP))
#define LOOK                                                                                       \
  (OPTION_BIT(EPISODE) | OPTION_BIT(AT) | OPTION_BIT(TASK) | OPTION_BIT(SUCCESS) |                 \
   OPTION_BIT(PREDICATE) | OPTION_BIT(SHOW) | OPTION_BIT(GHOST) | OPTION_BIT(SCHEME) |             \
   OPTION_BIT(ASCII))
#define VERIFY                                                                                     \
  (ANY | SOURCE | OPTION_BIT(MODE) | OPTION_BIT(EPISODE) | OPTION_BIT(TASK) |                      \
   OPTION_BIT(SUCCESS) | OPTION_BIT(PREDICATE) | OPTION_BIT(TOLERANCE) | OPTION_BIT(EXPECT) |      \
   OPTION_BIT(JOBS) | OPTION_BIT(JSON))

#define VERIFY_TEXT                                                                                \
  "Checksums, shapes, finite numbers, time against the control step, norms of quaternions,\n"      \
  "whether model and task fit, and the predicate and hold recomputed against the recorded\n"       \
  "ones. Then physics is run again: the recorded actions are fed from the first recorded state\n"  \
  "on, and every state is compared with the recorded one; so is each single step from each\n"      \
  "recorded state. Where physics cannot be run again the episode's line says why, and the first\n" \
  "part is all. The exit status is 1 when anything is wrong, or physics is not as --expect "       \
  "says.\n"                                                                                        \
  "Bits that are equal are `bitwise`; errors below 1e-9 are `rounding`, within --tol `close`,\n"   \
  "beyond it `diverged`. Where bits differ a sentence says what explains it. What the file of\n"   \
  "another recorder says beside its rows, as a count that they do not bear out, and what the "     \
  "task\n"                                                                                         \
  "says otherwise of physics run again, is a note and not wrong. The columns:\n"                   \
  "  class      the worst of all steps\n"                                                          \
  "  unequal    the first step whose bits differ\n"                                                \
  "  over tol   the first step beyond the tolerance\n"                                             \
  "  joint err  largest error of a joint, in rad or m\n"                                           \
  "  body err   largest error of a body's rotation or place, in rad or m\n"                        \
  "  vel err    largest error of a joint's velocity, in rad/s or m/s\n"                            \
  "  one step   class of the single steps, free of what adds up\n"                                 \
  "  reward     sum of the recorded rewards / that of physics run again, where it differs\n"       \
  "With --mode kinematic nothing is integrated, and the columns are:\n"                            \
  "  latch      the step at which success had held long enough, by the recorded predicate\n"       \
  "  computed   the same step by the predicate recomputed from the recorded states\n"              \
  "  reward     sum of the recorded rewards\n"                                                     \
  "  time err   largest difference of a step's duration from the control step, in seconds\n"       \
  "  quat err   largest difference of a quaternion's norm from 1\n"                                \
  "With --predicate-command a command judges every state in place of the task: it gets them as\n"  \
  "rows of numbers and answers a line of 0s and 1s; <playhead/judge.h> says what is in them. "     \
  "Its\n"                                                                                          \
  "answers are kept beside the file."

#define LATCH_TEXT                                                                                 \
  "Success latches at the row where it has held for the hold: row t is the state after action\n"   \
  "t-1, and the reset row never counts. Three sources say when:\n"                                 \
  "  recorded   the predicate that the file stores\n"                                              \
  "  kinematic  the task on the recorded states\n"                                                 \
  "  dynamic    the task on physics run again, as long as every state is bit for bit the "         \
  "recorded\n"                                                                                     \
  "             one; --tol relaxes that\n"                                                         \
  "With --success the recorded one has nothing to say: what a file stores is of its own "          \
  "condition.\n"                                                                                   \
  "Where there is no row a line says why: the replay leaves the recording, the env ends the "      \
  "episode,\n"                                                                                     \
  "or success does not latch within the recorded steps; `-` is a source that has nothing to "      \
  "say.\n"                                                                                         \
  "true and longest count outcomes by the first source that is known. With --hold A:B:STEP it "    \
  "is\n"                                                                                           \
  "a plot of how many latch at each hold; the predicate is computed once for all of them. The "    \
  "exit\n"                                                                                         \
  "status is 1 when an episode has no latch, sources disagree, or stored rows are damaged. What\n" \
  "--task computes is not held against what a file recorded by another task. `playhead latch\n"    \
  "--json` says what `playhead cut --steps` takes; `strictest` in it is the source that cut "      \
  "would\n"                                                                                        \
  "take for an episode."

#define LATCH                                                                                      \
  (ANY | SOURCE | OPTION_BIT(EPISODE) | OPTION_BIT(HOLDS) | OPTION_BIT(SOURCES) |                  \
   OPTION_BIT(INTERVALS) | OPTION_BIT(TASK) | OPTION_BIT(SUCCESS) | OPTION_BIT(PREDICATE) |        \
   OPTION_BIT(TOLERANCE) | OPTION_BIT(JOBS) | OPTION_BIT(JSON))

#define DIFF_TEXT                                                                                  \
  "A and B are episodes (FILE:ID, or --episode ID for both), or runs, datasets and files, whose\n" \
  "episodes are matched by env and episode. Compared are what they say of themselves, but for "    \
  "when\n"                                                                                         \
  "and where they were recorded; their models, in words; actions, rewards, predicates; and "       \
  "every\n"                                                                                        \
  "state that both have, bit for bit, by joint and by body, in classes as verify has them. The\n"  \
  "exit status is 1 where anything differs. With --view the scrubber opens on A, and B is its "    \
  "ghost:\n"                                                                                       \
  "the first episode of A that is meant, and > < go on to the others."

#define EXPORT_TEXT                                                                                \
  "Writes one episode, the first where none is named; nothing is simulated, no number is "         \
  "rounded.\n"                                                                                     \
  "  csv   a line of names, then a line for each step; a reward, done or flags stands at the "     \
  "step\n"                                                                                         \
  "        that it led to, and a field is empty where a step has no number\n"                      \
  "  npz   each array under its own name, with its own rows, shape and type; row t of rewards "    \
  "is\n"                                                                                           \
  "        the outcome of action t\n"                                                              \
  "With --at it is one state: --as key gives a line for the <keyframe> of the model, --as npz\n"   \
  "arrays as mjData names them. Pictures and texts are left out and named on stderr. A range "     \
  "A:B\n"                                                                                          \
  "ends before B, as in Python: 0:10 are ten steps."

#define PACK_TEXT                                                                                  \
  "Copies the episodes of runs, datasets and episode files into one dataset, as demo_0, demo_1,\n" \
  "and so on: by path, then by episode and env. Every bit of a row and every fact of an episode\n" \
  "stays; each one's provenance names where it was. Models and tasks that are the same are kept\n" \
  "once. Episodes whose actions differ in size do not go together, and one that is damaged or\n"   \
  "cannot be read stops it: nothing is left then. No source is changed. A run may be recording:\n" \
  "what it has finished is taken. A folder of .h5 and .hdf5 files stands for all of them."

#define CUT_TEXT                                                                                   \
  "Writes a dataset whose episodes end at the row where success latches, or at the rows that\n"    \
  "--steps gives: a run, a dataset or an episode file gives a dataset; a file of robosuite's\n"    \
  "family one of the same layout; a folder of BiGym batches a folder. Row t is the state after\n"  \
  "action t-1; it becomes the last one. What is per step is cut, everything else stays bit for\n"  \
  "bit. Where there are rewards, dones and a success they become 0 but 1 on the last row, done\n"  \
  "there, and true; none is added. Where success is looked for is what latch does: by recorded,\n" \
  "kinematic or dynamic; the last line says which. With --range or --trim-idle steps are cut, "    \
  "and\n"                                                                                          \
  "rewards and flags stay.\n"                                                                      \
  "Episodes of a run are numbered by episode, then env (demo_0, demo_1, ...), as pack does;\n"     \
  "--dry-run and --json tell which becomes which. A BiGym batch records 1 on its last frame "      \
  "alone,\n"                                                                                       \
  "so --hold finds no latch in it by recorded: rows come by --steps, from latch with --model "     \
  "and\n"                                                                                          \
  "--success or from its own env, or --hold 0 keeps it as it is; --hold beside --steps is the "    \
  "hold\n"                                                                                         \
  "that they are of. Models in models/ beside a file of demos are copied with it to another "      \
  "folder.\n"                                                                                      \
  "An episode that cannot be cut is listed with its reason and left out, and the exit status is\n" \
  "1. What was done is in the provenance of each episode. The source is never written to; what\n"  \
  "is written has its name only when all of it is there. A cut that is killed leaves a hidden\n"   \
  "file .NAME.<pid>-<n>.part at most, which nothing reads and which may be deleted."

#define CUT                                                                                        \
  (ANY | OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) | OPTION_BIT(MISSING) | OPTION_BIT(CUT_OUT) |      \
   OPTION_BIT(CUT_HOLD) | OPTION_BIT(CUT_BY) | OPTION_BIT(ROWS) | OPTION_BIT(TO_LATCH) |           \
   OPTION_BIT(RANGE) | OPTION_BIT(TRIM_IDLE) | OPTION_BIT(DROP_FAILED) | OPTION_BIT(DRY_RUN) |     \
   OPTION_BIT(STRICT) | OPTION_BIT(KEEP_REWARDS) | OPTION_BIT(COMPRESS) | OPTION_BIT(TOLERANCE) |  \
   OPTION_BIT(TASK) | OPTION_BIT(SUCCESS) | OPTION_BIT(PREDICATE) | OPTION_BIT(JOBS) |             \
   OPTION_BIT(JSON))

#define SALVAGE_TEXT                                                                               \
  "A run whose recorder was killed gets back every finished step of its unfinished episodes, as\n" \
  "episodes that end as `salvaged`; what is there is not touched. With --out they go to a new\n"   \
  "folder. Of an HDF5 file, also of another recorder, that was cut off or never closed, what "     \
  "can\n"                                                                                          \
  "be read goes to the new file --out; the file itself is only read. What is lost is listed, "     \
  "with\n"                                                                                         \
  "the reason. The exit status is 1 when anything is lost."

static const struct verb verbs[] = {
    {"view", "PATH...", "open the scrubber",
     "Opens runs, datasets or episode files in the terminal. `playhead PATH` is the same. ? shows\n"
     "all keys; marks and notes are kept beside the file, which itself is never written to. A\n"
     "folder of .h5 and .hdf5 files stands for all of them. With --follow the episodes that a\n"
     "recorder adds appear while it is at work.",
     ANY | SOURCE | LOOK | OPTION_BIT(FOLLOW) | OPTION_BIT(ROUND) | OPTION_BIT(HOLD_SHOWN), 1,
     SIZE_MAX, verb_view},
    {"screen", "PATH...", "print the scrubber's screen as text",
     "The same picture as view draws, without a terminal. The exit status is 1 when the episode\n"
     "cannot be read, which the picture says.",
     ANY | SOURCE | LOOK | OPTION_BIT(ROUND) | OPTION_BIT(HOLD_SHOWN) | OPTION_BIT(SIZE) |
         OPTION_BIT(KEYS) | OPTION_BIT(COLOR),
     1, SIZE_MAX, verb_screen},
    {"info", "PATH...", "say what is in a file, what is missing, and which guarantee holds",
     "Lists models, tasks, episodes and components. The guarantee says what re-simulating here\n"
     "may promise: EXACT, NOT EXACT or STATES ONLY, with the reason. With --follow it goes on and\n"
     "tells of each episode that a recorder adds, until Ctrl-C; no recorder waits for it.",
     ANY | SOURCE | OPTION_BIT(JSON) | OPTION_BIT(FOLLOW), 1, SIZE_MAX, verb_info},
    {"export", "PATH...", "write what an episode stores as CSV or NPZ, or one state for MuJoCo",
     EXPORT_TEXT,
     ANY | SOURCE | OPTION_BIT(EPISODE) | OPTION_BIT(AT) | OPTION_BIT(RANGE) | OPTION_BIT(COLUMNS) |
         OPTION_BIT(AS) | OPTION_BIT(FILE),
     1, SIZE_MAX, verb_export},
    {"record", "TASK.lua", "record episodes of a task",
     "Runs the task's policy in N envs until M episodes are complete, one for each env when M is\n"
     "not given: env i records ceil((M-i)/N) of them. Each is one file in the folder of the run.\n"
     "What is recorded does not depend on --jobs. With --only-success M episodes are tried, not\n"
     "saved: of those that were begun, the ones without success, aborted ones too, are dropped "
     "and\n"
     "counted. Ctrl-C saves what is unfinished as aborted; a second one ends at once, and "
     "playhead\n"
     "salvage gives the steps back. SIGQUIT (Ctrl-\\) ends at once the first time. While the disk\n"
     "cannot be written to, one line says why, the rows are kept, and it is tried again. How far\n"
     "it is, is shown on stderr while it records, only where that is a terminal.\n"
     "--append opens each episode that is there first, once: one that is missing, odd or cannot "
     "be\n"
     "opened is named, and nothing is recorded. Rows are not read: playhead verify reads them.\n"
     "--overwrite says how many episodes it took away, and of which run; it refuses a folder that\n"
     "holds steps of a killed recorder, which are for playhead salvage to give back.\n"
     "With --policy-command a command chooses the actions: one process for all envs, which gets a\n"
     "line of JSON a step and answers with a list of numbers; <playhead/policy.h> says what is in\n"
     "it. That the run can be repeated, whatever --jobs is, is then up to that command. One that\n"
     "gives no answer in time, ends, or answers anything else ends the run: its episode is saved\n"
     "as aborted. The command is kept in the provenance of each episode, which info shows.\n"
     "A task without max_steps goes on until success or failure, which is said when it begins;\n"
     "--max-steps ends it as truncated, and is in the task that the run stores. One that names no\n"
     "model takes --model, which stands before its own; each run stores the model.\n"
     "With --verify a spare thread runs each episode again while the envs go on, before the\n"
     "episode gets its name, and the lists say `bitwise`, `tol(x)` or `fails(t)` of it. One that\n"
     "fails or cannot be checked is named, the exit status is 1, and it is saved all the same.\n"
     "Without --out the run goes to\n"
     "${PLAYHEAD_DATA_ROOT:-$XDG_DATA_HOME/playhead}/trajectories/. The last lines say how many\n"
     "episodes were started, saved and discarded (those that ended before their first step), and\n"
     "how to open the run.",
     ANY | OPTION_BIT(ENVS) | OPTION_BIT(EPISODES) | OPTION_BIT(SEED) | OPTION_BIT(OUT) |
         OPTION_BIT(HOLD) | OPTION_BIT(MAX_STEPS) | OPTION_BIT(SUCCESS) | OPTION_BIT(POLICY) |
         OPTION_BIT(POLICY_TIMEOUT) | OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) | OPTION_BIT(JOBS) |
         OPTION_BIT(ONLY_SUCCESS) | OPTION_BIT(APPEND) | OPTION_BIT(OVERWRITE) |
         OPTION_BIT(COMPRESS) | OPTION_BIT(VERIFY) | OPTION_BIT(JSON),
     1, 1, verb_record},
    {"preview", "TASK.lua", "run a task live in the scrubber's screen; nothing is recorded",
     "The same screen as view's, over an env that runs: n goes on by a step, s by a substep, "
     "Space\n"
     "plays. What was lived is kept in memory and can be scrubbed; behind its end physics goes "
     "on.\n"
     "A begins the episode again, N the one of the next seed, :reset 7 that of seed 7. d changes\n"
     "who acts: the policy, zeros, or the last action held; i and I nudge the action element that\n"
     "is chosen in its panel, c frees it. :reload loads the file anew after it was edited. A\n"
     "recorded episode comes again from its own seed, which info shows. With --policy-command a\n"
     "command is the policy, as for record; :reload starts it anew. With --keys the picture that\n"
     "they lead to is printed.",
     ANY | OPTION_BIT(POLICY) | OPTION_BIT(POLICY_TIMEOUT) | OPTION_BIT(SEED) | OPTION_BIT(HOLD) |
         OPTION_BIT(SUCCESS) | OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) | OPTION_BIT(MISSING) |
         OPTION_BIT(SCHEME) | OPTION_BIT(ASCII) | OPTION_BIT(SIZE) | OPTION_BIT(KEYS) |
         OPTION_BIT(COLOR),
     1, 1, verb_preview},
    {"verify", "PATH...", "check all episodes from the first to the last step", VERIFY_TEXT, VERIFY,
     1, SIZE_MAX, verb_verify},
    {"replay", "PATH...", "the same as verify", "Another name of verify: see there.", VERIFY, 1,
     SIZE_MAX, verb_verify},
    {"latch", "PATH...", "say at which row success latches: by the file, its states, physics",
     LATCH_TEXT, LATCH, 1, SIZE_MAX, verb_latch},
    {"diff", "A B", "say in what two episodes, or the episodes of two runs, differ", DIFF_TEXT,
     ANY | OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) | OPTION_BIT(MISSING) | OPTION_BIT(EPISODE) |
         OPTION_BIT(TOLERANCE) | OPTION_BIT(VIEW) | OPTION_BIT(JSON),
     2, 2, verb_diff},
    {"cut", "PATH", "write a dataset whose episodes end where success latches", CUT_TEXT, CUT, 1, 1,
     verb_cut},
    {"pack", "PATH...", "make one dataset of runs, datasets and episode files", PACK_TEXT,
     ANY | OPTION_BIT(DATASET) | OPTION_BIT(OVERWRITE) | OPTION_BIT(COMPRESS) | OPTION_BIT(JSON), 1,
     SIZE_MAX, verb_pack},
    {"salvage", "PATH", "give back what a killed recorder or a file cut off still holds",
     SALVAGE_TEXT, ANY | OPTION_BIT(RESCUE) | OPTION_BIT(JSON), 1, 1, verb_salvage},
    {"task", "check TASK.lua", "run a task for some steps and say what is odd about it",
     "Loads the task and its model, resets, and runs three episodes of some steps with its "
     "policy,\n"
     "or with zeros where it has none. Says what it found: functions that fail, names that the\n"
     "model does not have, also in what did not run, conditions that are never or always true, a\n"
     "reward that never changes, elements of the action that are cut, a reset that changes "
     "nothing,\n"
     "a second run that has other bits; and what policy, conditions and the rest cost beside a "
     "step\n"
     "of physics. A task without a model needs --model. The exit status is 1 where anything was\n"
     "found, 3 where the task does not load.",
     ANY | OPTION_BIT(SEED) | OPTION_BIT(STEPS) | OPTION_BIT(MODEL) | OPTION_BIT(ASSETS) |
         OPTION_BIT(JSON),
     2, 2, verb_task},
};

const struct verb *verb_at(size_t i) {
  return i < sizeof verbs / sizeof *verbs ? &verbs[i] : NULL;
}

static const struct verb *find_verb(const char *name) {
  for (size_t i = 0; verb_at(i); i++)
    if (strcmp(verbs[i].name, name) == 0)
      return &verbs[i];
  return NULL;
}

/* Only LC_CTYPE: numbers look the same everywhere. With no locale set at all, UTF-8 is tried. */
static void set_locale(void) {
  const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  bool named = false;
  for (size_t i = 0; i < 3; i++)
    named = named || (getenv(names[i]) && *getenv(names[i]));
  setlocale(LC_CTYPE, named ? "" : "C.UTF-8");
}

static int print_version(void) {
  printf("playhead %s (MuJoCo %s)\n", ph_version(), ph_engine_version());
  return cli_flush(EXIT_FINE);
}

/* Whether the model can be had as it is, or mended, as the episodes of other recorders get it. */
static bool model_opens(const struct options *opt) {
  ph_model_options how = cli_store_options(opt).model;
  ph_model *model = NULL;
  ph_status status = ph_model_open(&model, opt->model, &how);
  how.mend = true;
  if (status != PH_OK)
    status = ph_model_open(&model, opt->model, &how);
  ph_model_unref(model);
  return status == PH_OK;
}

/* Folders of assets: those of the command line must be there, those of the environment may. */
static int check_assets(const struct verb *verb, const struct options *opt) {
  struct stat st;
  if (!option_in(verb->options, OPTION_ASSETS))
    return EXIT_FINE;
  for (size_t i = 0; i < opt->nassets; i++)
    if (stat(opt->assets[i], &st) != 0)
      return cli_fail(EXIT_ERROR, "%s: --assets %s: %s", opt->verb, opt->assets[i],
                      strerror(errno));
    else if (!S_ISDIR(st.st_mode))
      return cli_fail(EXIT_ERROR, "%s: --assets %s: not a folder", opt->verb, opt->assets[i]);
  if (opt->nlost == 1)
    cli_fail(EXIT_FINE, "PLAYHEAD_ASSETS: %s: no such folder: it is passed over", opt->lost);
  else if (opt->nlost > 1)
    cli_fail(EXIT_FINE, "PLAYHEAD_ASSETS: %s and %zu more: no such folders: they are passed over",
             opt->lost, opt->nlost - 1);
  return EXIT_FINE;
}

static bool task_opens(const struct options *opt) {
  ph_task *task = NULL;
  ph_status status = cli_task(&task, opt->task, opt->success);
  ph_task_unref(task);
  return status == PH_OK;
}

/* A model, a task or an expression that the command line names is there and right, before any
 * episode is opened. */
static int check_named(const struct options *opt) {
  return (!opt->model || model_opens(opt)) && task_opens(opt) ? EXIT_FINE : cli_error();
}

/* A folder of files stands for its files. */
static int run_on_files(const struct verb *verb, struct options *opt) {
  const char **given = opt->paths;
  char **files = NULL;
  size_t n = 0, ngiven = opt->npaths;
  int status = EXIT_FINE;
  if (ph_store_expand(&files, &n, given, ngiven) != PH_OK)
    status = cli_error();
  opt->paths = (const char **)files;
  opt->npaths = n;
  if (status == EXIT_FINE)
    status = verb->run(opt);
  ph_store_expand_free(files, n);
  opt->paths = given;
  opt->npaths = ngiven;
  return status;
}

static int run_verb(const struct verb *verb, int argc, char **argv) {
  struct options opt;
  char error[600];
  int status;
  if (!options_parse(&opt, verb->name, verb->options, argc, argv, error, sizeof error)) {
    status = cli_fail(EXIT_USAGE, "%s", error);
  } else if (opt.help) {
    help_verb(stdout, verb);
    status = cli_flush(EXIT_FINE);
  } else if (opt.version) {
    status = print_version();
  } else if (opt.npaths < verb->least || opt.npaths > verb->most) {
    status = cli_fail(EXIT_USAGE, "%s: %s: %s: see playhead %s --help", verb->name, verb->operands,
                      opt.npaths < verb->least ? "is missing"
                      : verb->most == 1        ? "only one is taken"
                                               : "no more are taken",
                      verb->name);
  } else if (ph_engine_check() != PH_OK) {
    status = cli_error();
  } else {
    status = check_assets(verb, &opt);
    if (status == EXIT_FINE)
      status = check_named(&opt);
    if (status == EXIT_FINE)
      status = verb->options & (OPTION_BIT(GROUP) | OPTION_BIT(DATASET)) ? run_on_files(verb, &opt)
                                                                         : verb->run(&opt);
  }
  options_free(&opt);
  return status;
}

/* What is asked of the program itself. -1: nothing of that kind. */
static int run_program(int argc, char **argv) {
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    const struct verb *verb = argc > 2 ? find_verb(argv[2]) : NULL;
    if (argc > 2 && !verb)
      return cli_fail(EXIT_USAGE, "help: %s: no such verb: see playhead --help", argv[2]);
    if (verb)
      help_verb(stdout, verb);
    else
      help_program(stdout);
    return cli_flush(EXIT_FINE);
  }
  if (strcmp(argv[1], "--version") == 0)
    return print_version();
  if (strcmp(argv[1], "--man") == 0) {
    manual_print(stdout);
    return cli_flush(EXIT_FINE);
  }
  if (strcmp(argv[1], "--completion") == 0) {
    if (argc < 3 || !completion_print(stdout, argv[2]))
      return cli_fail(EXIT_USAGE, "--completion: bash, zsh or fish");
    return cli_flush(EXIT_FINE);
  }
  return -1;
}

enum { SAID_AFTER = 2 }; /* s */

/* One line for each wait that is long. */
static bool say_wait(void *arg, const ph_wait *wait) {
  static double last;
  (void)arg;
  if (wait->seconds >= SAID_AFTER && last < SAID_AFTER)
    fprintf(stderr, "playhead: %s: %s; no answer yet, for %d s at most\n", wait->where,
            wait->command ? "it was asked"
            : wait->model ? "the model is loaded and compiled"
                          : "the file is being opened",
            wait->limit);
  last = wait->seconds;
  return false;
}

int main(int argc, char **argv) {
  set_locale();
  if (isatty(STDERR_FILENO))
    ph_wait_watch(say_wait, NULL);
  if (argc < 2)
    return cli_fail(EXIT_USAGE, "a verb or a path is missing: see playhead --help");
  int status = run_program(argc, argv);
  if (status >= 0)
    return status;
  const struct verb *verb = find_verb(argv[1]);
  if (verb)
    return run_verb(verb, argc - 2, argv + 2);
  if (argv[1][0] != '-' && !strpbrk(argv[1], "/.") && access(argv[1], F_OK) != 0)
    return cli_fail(EXIT_USAGE, "%s: neither a verb nor a file: see playhead --help", argv[1]);
  return run_verb(&verbs[0], argc - 1, argv + 1);
}
