/* How the terminal comes back. Normal ends: term_close, also by atexit. Fatal signals: a handler
 * that sets the saved termios, writes one fixed string, gives stderr back with what it caught
 * (tcsetattr, write, poll, fcntl, pread and dup2 are all that it calls), puts the previous handler
 * in place and raises the signal again. It never touches curses. Keys are read from term_fd by the
 * loop, not here. */
#include "term.h"

#include "text.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* Bracketed paste off, attributes off, cursor on, application keys off, main screen. */
static const char reset_text[] = "\033[?2004l\033[0m\033[?25h\033[?1l\033>\033[?1049l\r\n";
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

/* Every signal whose default is to end the program. */
static const int fatal[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT,  SIGTERM, SIGHUP,
                            SIGINT,  SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1,  SIGUSR2, SIGSYS,
                            SIGTRAP, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM};
enum { NFATAL = sizeof fatal / sizeof *fatal };

static struct {
  volatile sig_atomic_t taken;
  SCREEN *screen;
  struct termios saved;
  int stderr_fd;  /* the real one; -1 not captured */
  int capture_fd; /* what is written to fd 2 meanwhile */
  struct sigaction before[NFATAL];
  bool utf8;
  enum scheme scheme;
} term = {.stderr_fd = -1, .capture_fd = -1};

static char alternate_stack[1 << 16];

static bool write_all(int fd, const char *text, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno != EINTR && errno != EAGAIN)
      return false;
    if (done > 0) {
      text += done;
      n -= (size_t)done;
    }
  }
  return true;
}

/* --- stderr --- */

static void capture_stderr(void) {
  fflush(stderr);
  term.capture_fd = memfd_create("stderr", MFD_CLOEXEC);
  term.stderr_fd = term.capture_fd < 0 ? -1 : dup(STDERR_FILENO);
  if (term.stderr_fd >= 0)
    dup2(term.capture_fd, STDERR_FILENO);
}

/* Writes to a terminal that may not drain, as a stalled SSH connection does: half a second, then
 * the rest is lost. Async-signal-safe. */
static bool write_bounded(int fd, const char *text, size_t n) {
  int flags = fcntl(fd, F_GETFL);
  struct pollfd ready = {.fd = fd, .events = POLLOUT};
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done > 0) {
      text += done;
      n -= (size_t)done;
    } else if ((done < 0 && errno != EAGAIN && errno != EINTR) || poll(&ready, 1, 500) <= 0) {
      break;
    }
  }
  fcntl(fd, F_SETFL, flags);
  return n == 0;
}

/* Async-signal-safe. */
static void release_stderr(void) {
  char block[512];
  ssize_t n;
  if (term.stderr_fd < 0)
    return;
  dup2(term.stderr_fd, STDERR_FILENO);
  for (off_t at = 0; (n = pread(term.capture_fd, block, sizeof block, at)) > 0; at += n)
    if (!write_bounded(STDERR_FILENO, block, (size_t)n))
      break;
  close(term.stderr_fd);
  close(term.capture_fd);
  term.stderr_fd = term.capture_fd = -1;
}

/* --- fatal signals --- */

static void on_fatal(int signal_number) {
  int saved_errno = errno;
  if (term.taken) {
    term.taken = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
    write_bounded(STDOUT_FILENO, reset_text, sizeof reset_text - 1);
    release_stderr();
  }
  for (int i = 0; i < NFATAL; i++)
    if (fatal[i] == signal_number)
      sigaction(signal_number, &term.before[i], NULL);
  errno = saved_errno;
  raise(signal_number); /* blocked until this handler returns */
}

static void catch_fatal(void) {
  stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack}, had;
  struct sigaction action = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK};
  sigfillset(&action.sa_mask);
  if (sigaltstack(NULL, &had) == 0 && (had.ss_flags & SS_DISABLE))
    sigaltstack(&stack, NULL);
  for (int i = 0; i < NFATAL; i++) {
    sigaction(fatal[i], NULL, &term.before[i]);
    if (term.before[i].sa_handler != SIG_IGN) /* nohup stays */
      sigaction(fatal[i], &action, NULL);
  }
}

static void release_fatal(void) {
  for (int i = 0; i < NFATAL; i++)
    sigaction(fatal[i], &term.before[i], NULL);
}

/* --- open, close, suspend --- */

bool term_utf8(void) {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int term_fd(void) {
  return STDIN_FILENO;
}

int term_colors(void) {
  if (!term.taken || !has_colors())
    return 0;
  return COLORS >= 256 ? 256 : COLORS >= 8 ? 16 : 0;
}

static void set_modes(void) {
  raw();
  noecho();
  nonl();
  typeahead(-1);
  curs_set(0);
  scrollok(stdscr, FALSE);
  if (has_colors()) {
    start_color();
    use_default_colors();
  }
}

static void no_terminal(char *error, size_t size, const char *what) {
  snprintf(error, size, "terminal: %s: playhead screen prints the same picture without one", what);
}

bool term_open(const struct term_options *opt, char *error, size_t size) {
  static bool at_exit;
  const char *name = getenv("TERM");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
    no_terminal(error, size, "stdin and stdout must be one");
    return false;
  }
  if (tcgetattr(STDIN_FILENO, &term.saved) != 0) {
    no_terminal(error, size, strerror(errno));
    return false;
  }
  term.utf8 = term_utf8();
  catch_fatal();
  term.screen = newterm(NULL, stdout, stdin);
  if (!term.screen || !tigetstr("cup")) {
    if (term.screen)
      endwin();
    release_fatal();
    tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
    snprintf(error, size, "terminal: TERM=%s: it cannot place the cursor, or is not known",
             name ? name : "");
    return false;
  }
  if (!at_exit)
    atexit(term_close);
  at_exit = true;
  capture_stderr();
  term.taken = 1;
  set_modes();
  term_scheme(opt->scheme);
  write_all(STDOUT_FILENO, paste_on, sizeof paste_on - 1);
  return true;
}

void term_close(void) {
  if (!term.taken)
    return;
  write_all(STDOUT_FILENO, paste_off, sizeof paste_off - 1);
  endwin();
  term.taken = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
  release_fatal();
  fflush(stderr);
  release_stderr();
}

void term_suspend(void) {
  struct sigaction stop = {.sa_handler = SIG_DFL}, before;
  sigset_t set, mask;
  if (!term.taken)
    return;
  write_all(STDOUT_FILENO, paste_off, sizeof paste_off - 1);
  endwin();
  tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  sigaction(SIGTSTP, &stop, &before);
  sigprocmask(SIG_UNBLOCK, &set, &mask);
  kill(0, SIGTSTP);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGTSTP, &before, NULL);
  write_all(STDOUT_FILENO, paste_on, sizeof paste_on - 1);
  term_repaint();
}

void term_repaint(void) {
  if (!term.taken)
    return;
  reset_prog_mode();
  clearok(curscr, TRUE);
}

void term_size(int *rows, int *cols) {
  struct winsize size = {0};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    *rows = term.taken ? LINES : 24;
    *cols = term.taken ? COLS : 80;
    return;
  }
  *rows = size.ws_row;
  *cols = size.ws_col;
  if (term.taken && (*rows != LINES || *cols != COLS))
    resizeterm(*rows, *cols);
}

/* --- drawing --- */

void term_scheme(enum scheme scheme) {
  int colors = term_colors();
  term.scheme = colors ? scheme : SCHEME_MONO;
  if (!colors || scheme == SCHEME_MONO)
    return;
  for (int i = 0; i < STYLE_COUNT; i++) {
    const struct look *look = theme_look(scheme, (enum style)i);
    short fg = colors == 256 ? look->fg256 : look->fg16;
    short bg = colors == 256 ? look->bg256 : look->bg16;
    if (COLORS < 16) {
      fg = fg > 7 ? (short)(fg - 8) : fg;
      bg = bg > 7 ? (short)(bg - 8) : bg;
    }
    init_pair((short)(i + 1), fg, bg);
  }
}

static attr_t look_attrs(enum style style) {
  const struct look *look = theme_look(term.scheme, style);
  attr_t attrs = 0;
  attrs |= look->attrs & ATTR_BOLD ? A_BOLD : 0;
  attrs |= look->attrs & ATTR_DIM ? A_DIM : 0;
  attrs |= look->attrs & ATTR_REVERSE ? A_REVERSE : 0;
  attrs |= look->attrs & ATTR_UNDERLINE ? A_UNDERLINE : 0;
  if (term.scheme != SCHEME_MONO && COLORS < 16 && look->fg16 > 7)
    attrs |= A_BOLD;
  return attrs;
}

/* The cell's text as wide characters; what this locale cannot show, or shows in another width than
 * the surface counted, becomes '?'. */
static void cell_text(wchar_t out[CCHARW_MAX + 1], const struct cell *cell) {
  size_t n = strnlen(cell->text, sizeof cell->text), at = 0;
  int count = 0;
  while (at < n && count < CCHARW_MAX) {
    uint32_t code;
    at += text_decode(cell->text + at, n - at, &code);
    out[count++] = (wchar_t)code;
  }
  bool fits = count > 0 && (out[0] < 0x7f || term.utf8) && wcwidth(out[0]) == cell->width;
  for (int i = 1; i < count; i++)
    fits = fits && wcwidth(out[i]) == 0;
  if (!fits) {
    out[0] = count ? L'?' : L' ';
    count = 1;
  }
  out[count] = 0;
}

static void blit_row(const struct surface *s, int y, int cols, cchar_t *line) {
  wchar_t text[CCHARW_MAX + 1];
  int n = 0;
  for (int x = 0; x < cols;) {
    const struct cell *cell = &s->cells[y * s->cols + x];
    short pair = term.scheme == SCHEME_MONO ? 0 : (short)(cell->style + 1);
    cell_text(text, cell);
    int width = cell->width == 2 && text[0] != L'?' ? 2 : 1;
    setcchar(&line[n++], text, look_attrs((enum style)cell->style), pair, NULL);
    x += width;
  }
  mvadd_wchnstr(y, 0, line, n);
}

void term_blit(const struct surface *s) {
  int rows = s->rows < LINES ? s->rows : LINES, cols = s->cols < COLS ? s->cols : COLS;
  cchar_t *line = calloc((size_t)(cols > 0 ? cols : 1), sizeof *line);
  if (!term.taken || !line) {
    free(line);
    return;
  }
  erase();
  for (int y = 0; y < rows; y++)
    blit_row(s, y, cols, line);
  refresh();
  free(line);
}

/* --- clipboard --- */

static char *base64(const char *text, size_t *size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t n = strlen(text), at = 0;
  char *out = malloc(n / 3 * 4 + 5);
  for (size_t i = 0; out && i < n; i += 3) {
    uint32_t word = (uint32_t)(unsigned char)text[i] << 16;
    word |= i + 1 < n ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0;
    word |= i + 2 < n ? (uint32_t)(unsigned char)text[i + 2] : 0;
    out[at++] = digits[word >> 18];
    out[at++] = digits[word >> 12 & 63];
    out[at++] = i + 1 < n ? digits[word >> 6 & 63] : '=';
    out[at++] = i + 2 < n ? digits[word & 63] : '=';
  }
  *size = at;
  return out;
}

void term_copy(const char *text) {
  size_t n;
  char *coded = base64(text, &n);
  if (!coded || !term.taken) {
    free(coded);
    return;
  }
  write_all(STDOUT_FILENO, "\033]52;c;", 7);
  write_all(STDOUT_FILENO, coded, n);
  write_all(STDOUT_FILENO, "\a", 1);
  free(coded);
}
