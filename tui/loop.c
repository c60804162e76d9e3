/* The turn: newest snapshot, signals, size, picture, sleep, keys. Signals are blocked but during
 * the sleep, so a flag is never missed. */
#include "loop.h"

#include "app.h"
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t resized, continued, stopped;
static volatile sig_atomic_t ended; /* by this signal; 0 */

struct loop {
  struct app app;
  struct worker *worker;
  struct key_decoder decoder;
  struct surface surface;
  sigset_t asleep; /* signals while it sleeps */
  unsigned react;  /* what the turn must still do */
  bool hung_up;
  bool crash_key; /* C-\ raises SIGSEGV: for the test that the terminal comes back */
  char unsaved[400];
};

static void on_signal(int number) {
  if (number == SIGWINCH)
    resized = 1;
  else if (number == SIGCONT)
    continued = 1;
  else
    stopped = 1;
}

/* The drawing ignores SIGTSTP for a while (doupdate of ncurses does), and what waits is lost when a
 * signal begins to be ignored; one that arrives later, blocked as it is, stays. */
static void keep_stop(void) {
  const struct timespec none = {0};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  if (sigtimedwait(&set, NULL, &none) == SIGTSTP)
    stopped = 1;
}

static void on_end(int number) {
  ended = number;
}

/* What is under way is given up, and leaves nothing behind, before the signal has its way. A second
 * one does not wait for that. */
static void catch_ends(struct loop *l, sigset_t *block) {
  static const int numbers[] = {SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, now;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    sigaction(numbers[i], NULL, &now);
    if (now.sa_handler == SIG_IGN) /* nohup stays */
      continue;
    sigaction(numbers[i], &action, NULL);
    sigaddset(block, numbers[i]);
    sigdelset(&l->asleep, numbers[i]);
  }
}

static void catch_signals(struct loop *l) {
  static const int numbers[] = {SIGWINCH, SIGCONT, SIGTSTP};
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t block;
  sigemptyset(&block);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    sigaction(numbers[i], &action, NULL);
    sigaddset(&block, numbers[i]);
  }
  sigprocmask(SIG_BLOCK, &block, &l->asleep);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigdelset(&l->asleep, numbers[i]);
  sigemptyset(&block);
  catch_ends(l, &block);
  sigprocmask(SIG_BLOCK, &block, NULL);
}

static uint64_t clock_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void save_marks(struct loop *l) {
  l->unsaved[0] = 0;
  for (size_t i = 0; i < l->app.nsheets; i++)
    if (l->app.sheet[i].changed && ph_marks_save(&l->app.sheet[i]) != PH_OK) {
      app_log(&l->app, true, "%s", ph_error());
      snprintf(l->unsaved, sizeof l->unsaved, "%s", ph_error());
    }
}

static void act_on_signals(struct loop *l) {
  if (stopped || l->react & REACT_SUSPEND) {
    stopped = 0;
    l->app.tick_at = 0;
    term_suspend();
    resized = 1;
  }
  if (continued) {
    continued = 0;
    l->app.tick_at = 0;
    term_repaint();
    resized = 1;
  }
  if (resized) {
    int rows, cols;
    resized = 0;
    term_size(&rows, &cols);
    l->react |= app_resize(&l->app, rows, cols);
  }
}

static void act_on_reactions(struct loop *l) {
  if (l->react & REACT_SEEK)
    worker_ask(l->worker, &l->app.want);
  if (l->react & REACT_SAVE && !l->app.want.live.on)
    save_marks(l);
  if (l->react & REACT_COPY && l->app.copy)
    term_copy(l->app.copy);
  if (l->react & REACT_REPAINT)
    term_repaint();
  if (l->react & (REACT_REDRAW | REACT_RELAYOUT | REACT_REPAINT)) {
    term_scheme(l->app.scheme);
    app_draw(&l->app, &l->surface);
    keep_stop();
    term_blit(&l->surface);
  }
  l->react &= REACT_QUIT;
}

static void wait_for_news(struct loop *l) {
  struct pollfd fds[] = {{.fd = term_fd(), .events = POLLIN},
                         {.fd = worker_fd(l->worker), .events = POLLIN}};
  uint64_t now = clock_ms(), due = app_deadline(&l->app), keys = key_deadline(&l->decoder);
  due = keys < due ? keys : due;
  due = stopped ? now : due;
  uint64_t ms = due > now ? due - now : 0;
  struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  if (ppoll(fds, 2, due == UINT64_MAX ? NULL : &t, &l->asleep) > 0 &&
      fds[0].revents & (POLLHUP | POLLERR | POLLNVAL) && !(fds[0].revents & POLLIN))
    l->hung_up = true;
}

static void press(struct loop *l, uint32_t key, uint64_t now) {
  if (l->crash_key && key == '\\' - '@')
    raise(SIGSEGV);
  l->react |= app_key(&l->app, key, now);
}

static void read_keys(struct loop *l) {
  unsigned char bytes[512];
  uint32_t key;
  struct pollfd fd = {.fd = term_fd(), .events = POLLIN};
  uint64_t now = clock_ms();
  ssize_t n = poll(&fd, 1, 0) > 0 ? read(term_fd(), bytes, sizeof bytes) : -2;
  if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
    l->hung_up = true;
  for (ssize_t i = 0; i < n; i++) {
    if (key_decode(&l->decoder, bytes[i], now, &key))
      press(l, key, now);
    while (key_timeout(&l->decoder, now, &key))
      press(l, key, now);
  }
  while (key_timeout(&l->decoder, now, &key))
    press(l, key, now);
}

/* Says what an episode that is not there yet waits for. */
static void take_waiting(struct loop *l) {
  const struct waiting now = worker_waiting(l->worker), old = l->app.waiting;
  l->app.waiting = now;
  if (now.on != old.on || now.model != old.model || now.seconds != old.seconds)
    l->react |= app_reel(&l->app) ? 0 : REACT_REDRAW;
}

static void run(struct loop *l) {
  l->react = REACT_SEEK | REACT_REDRAW;
  while (!ended && !l->hung_up && !(l->react & REACT_QUIT)) {
    struct snapshot *snap = worker_take(l->worker);
    if (snap)
      l->react |= app_take(&l->app, snap);
    take_waiting(l);
    if (worker_starved(l->worker))
      l->react |= app_starve(&l->app);
    act_on_signals(l);
    act_on_reactions(l);
    wait_for_news(l);
    read_keys(l);
    l->react |= app_tick(&l->app, clock_ms());
  }
  if (l->react & REACT_SAVE && !l->app.want.live.on)
    save_marks(l);
}

/* --- start and end --- */

struct keys_report {
  struct app *app;
  const char *path;
};

static void bad_line(void *arg, int line, const char *error) {
  const struct keys_report *report = arg;
  if (line)
    app_log(report->app, true, "%s:%d: %s", report->path, line, error);
  else
    app_log(report->app, true, "%s: %s", report->path, error);
}

static void load_keys(struct app *app) {
  char path[600];
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  if (config && *config == '/')
    snprintf(path, sizeof path, "%s/playhead/keys", config);
  else if (home && *home)
    snprintf(path, sizeof path, "%s/.config/playhead/keys", home);
  else
    return;
  struct keys_report report = {app, path};
  keymap_load(&app->keys, path, bad_line, &report);
}

static int complain(int status, const char *error) {
  fprintf(stderr, "playhead: %s\n", error);
  return status;
}

/* Takes the terminal, once the files are open and the episode is found. */
static int show(struct loop *l, struct session *session, const struct view_options *opt) {
  char error[400];
  const char *no_color = getenv("NO_COLOR");
  int rows, cols;
  if (worker_start(&l->worker, session) != PH_OK)
    return complain(3, "worker: no thread: out of memory");
  if (!term_open(&opt->term, error, sizeof error))
    return complain(3, error);
  if (term_colors() == 0 || (no_color && *no_color))
    l->app.scheme = SCHEME_MONO;
  if (!term_utf8())
    l->app.ascii = true;
  catch_signals(l);
  term_size(&rows, &cols);
  app_resize(&l->app, rows, cols);
  run(l);
  term_close();
  return l->unsaved[0] ? complain(3, l->unsaved) : 0;
}

int loop_run(const struct view_options *opt) {
  char error[400];
  struct session *session = NULL;
  struct loop *l = calloc(1, sizeof *l);
  if (!l)
    return complain(3, "view: out of memory");
  app_init(&l->app);
  l->crash_key = getenv("PLAYHEAD_TEST_CRASH") != NULL;
  int status = 0;
  ph_status opened = session_open(&session, &opt->session);
  if (opened != PH_OK)
    status = complain(3, opened == PH_ENOMEM ? ph_status_message(opened) : ph_error());
  else if (view_begin(&l->app, session, opt, error, sizeof error) != PH_OK)
    status = complain(3, error);
  if (status == 0) {
    load_keys(&l->app);
    status = show(l, session, opt); /* the worker owns the session from here on */
    session = NULL;
  }
  worker_stop(l->worker);
  session_free(session);
  surface_free(&l->surface);
  app_free(&l->app);
  sigset_t asleep = l->asleep;
  free(l);
  if (ended) {
    sigprocmask(SIG_SETMASK, &asleep, NULL);
    raise(ended);
  }
  return status;
}
