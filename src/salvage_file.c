/* Waits for the child that digs, and gives its file a name. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "probe_child.h"
#include "salvage_dig.h"
#include "sink_h5.h"

/* Bytes for which the child may take its full time. */
enum { TICK = 64 << 20 };

/* --- in the child --- */

static void begin_anew(ph_dig *dig) {
  dig->ticked = 0;
  if (dig->fd < 0)
    return;
  ph_child_begin();
  ph_child_note(dig->fd, "");
}

void ph_dig_tick(void *arg, uint64_t bytes) {
  ph_dig *dig = arg;
  dig->ticked += bytes;
  if (dig->ticked >= TICK)
    begin_anew(dig);
}

bool ph_dig_at(ph_dig *dig, ph_found *f) {
  ph_dig_board *board = dig->board;
  snprintf(board->current, sizeof board->current, "%s", f->path);
  for (size_t i = 0; i < board->ndeadly; i++)
    if (strcmp(board->deadly[i], board->current) == 0) {
      snprintf(f->why, sizeof f->why, "%s", board->died[i]);
      return false;
    }
  ph_dig_tick(dig, PH_DIG_OBJECT);
  return true;
}

void ph_dig_at_none(ph_dig *dig) {
  dig->board->current[0] = 0;
}

void ph_dig_say(ph_dig *dig, const char *id, ph_salvage_fate fate, int64_t actions, const char *fmt,
                ...) {
  ph_dig_board *board = dig->board;
  board->saved += fate == PH_SALVAGE_SAVED;
  board->lost += fate == PH_SALVAGE_LOST;
  board->steps += actions;
  if (board->nitems == PH_DIG_ITEMS) {
    board->unlisted++;
    return;
  }
  ph_salvaged *item = &board->items[board->nitems++];
  char why[sizeof item->why];
  va_list args;
  va_start(args, fmt);
  vsnprintf(why, sizeof why, fmt, args);
  va_end(args);
  memset(item, 0, sizeof *item);
  item->fate = fate;
  item->actions = actions;
  ph_escape(item->id, sizeof item->id, id, strlen(id));
  ph_escape(item->why, sizeof item->why, why, strlen(why));
  if (fate == PH_SALVAGE_SAVED)
    snprintf(item->file, sizeof item->file, "%s", dig->out);
}

void ph_dig_lose(ph_dig *dig, ph_unit *u, const char *why) {
  ph_dig_board *board = dig->board;
  u->lost = true;
  board->saved--;
  board->lost++;
  board->steps -= u->keep;
  if (u->first_item == u->end_item) /* it had no room */
    return;
  ph_salvaged *item = &board->items[u->first_item];
  item->fate = PH_SALVAGE_LOST;
  item->actions = 0;
  item->file[0] = 0;
  ph_escape(item->why, sizeof item->why, why, strlen(why));
}

void ph_dig_clear(ph_dig *dig) {
  for (size_t i = 0; i < dig->n; i++)
    free(dig->at[i].path);
  free(dig->at);
  free(dig->unit);
  ph_h5_close(dig->from);
  dig->at = NULL;
  dig->unit = NULL;
  dig->n = dig->room = dig->nunits = dig->units_room = 0;
  dig->from = H5I_INVALID_HID;
}

static ph_status find_and_plan(ph_dig *dig) {
  ph_dig_at_none(dig);
  ph_status status = ph_h5_open_cut(&dig->from, dig->path, &dig->cut);
  dig->own = !status && ph_h5_has_attr(dig->from, "format");
  if (!status)
    status = ph_dig_find(dig);
  return status ? status : ph_dig_plan(dig);
}

/* Zeros at the end may be what a copy left out, or what the writer wrote: no state of a simulation
 * is all zeros. */
static bool zeros_are_odd(const ph_dig *dig) {
  for (size_t i = 0; i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->kind == PH_H5_DATASET && !f->extent.chunked && f->extent.end > dig->cut.end &&
        f->extent.end - dig->cut.end >= f->extent.row_bytes && f->extent.row_bytes > 8 &&
        strcmp(ph_dig_name(f), "states") == 0)
      return true;
  }
  return false;
}

static bool anything_lost(const ph_dig *dig) {
  for (size_t i = 0; i < dig->nunits; i++)
    if (!dig->unit[i].whole)
      return true;
  for (size_t i = 0; i < dig->n; i++)
    if (dig->at[i].mended || (dig->at[i].why[0] && dig->at[i].kind != PH_H5_LINK))
      return true;
  return false;
}

static ph_status verify_out(ph_dig *dig) {
  hid_t file;
  ph_status status = ph_h5_open(&file, dig->temporary);
  for (size_t i = 0; i < dig->nunits && !status; i++) {
    const ph_unit *unit = &dig->unit[i];
    begin_anew(dig);
    char path[PH_DIG_PATH];
    snprintf(path, sizeof path, "%s", dig->at[unit->root].path);
    if (unit->own && !unit->lost)
      status = ph_demo_verify(file, path);
  }
  ph_h5_close(file);
  return status;
}

static size_t saved(const ph_dig *dig) {
  size_t n = 0;
  for (size_t i = 0; i < dig->nunits; i++)
    n += dig->unit[i].episode && !dig->unit[i].lost;
  return n;
}

static ph_status nothing(const ph_dig *dig) {
  const ph_dig_board *board = dig->board;
  return ph_fail(PH_EFORMAT, "%s: nothing of it can be given back: %s%s%s", dig->path,
                 board->nitems > 0 ? board->items[0].id : "",
                 board->nitems > 0 && board->items[0].id[0] ? ": " : "",
                 board->nitems > 0 ? board->items[0].why : "no array with a whole row is found");
}

static ph_status write_out(ph_dig *dig) {
  ph_status status = ph_h5_create(&dig->to, dig->temporary);
  if (status)
    return status;
  status = ph_dig_take(dig);
  if (!status && saved(dig) == 0)
    status = nothing(dig);
  if (!status)
    status = ph_h5_check(dig->to);
  ph_status closed = ph_h5_finish(dig->to, dig->out);
  dig->to = H5I_INVALID_HID;
  status = status ? status : closed;
  return status ? status : verify_out(dig);
}

static ph_status dig_all(ph_dig *dig) {
  ph_dig_board *board = dig->board;
  ph_h5_cut cut = dig->cut;
  board->nitems = board->unlisted = 0;
  board->saved = board->lost = board->steps = 0;
  dig->cut.end = cut.size;
  ph_status status = find_and_plan(dig);
  if (cut.end < cut.size) {
    dig->cut.end = cut.end;
    if (status || anything_lost(dig) || zeros_are_odd(dig)) {
      ph_dig_clear(dig);
      status = find_and_plan(dig);
    }
  }
  if (status)
    return status;
  ph_dig_at_none(dig);
  bool lost = ph_dig_report(dig);
  board->whole = !lost && !cut.marked && cut.wants <= cut.size;
  if (board->whole)
    return PH_OK;
  if (saved(dig) == 0)
    return nothing(dig);
  return write_out(dig);
}

typedef struct job {
  ph_dig *dig;
  rlim_t file_size; /* that the host may write */
} job;

static void dig_in_child(int fd, void *arg) {
  job *j = arg;
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
    limit.rlim_cur = j->file_size;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  j->dig->fd = fd;
  ph_child_begin();
  ph_status status = dig_all(j->dig);
  ph_dig_clear(j->dig);
  ph_child_answer(fd, status);
  _exit(0);
}

/* --- outside --- */

/* The object that the child was at is left out from now on. */
static bool leave_out(ph_dig_board *board, const char *how) {
  if (!board->current[0] || board->ndeadly == PH_DIG_DEADLY)
    return false;
  memcpy(board->deadly[board->ndeadly], board->current, PH_DIG_PATH);
  snprintf(board->died[board->ndeadly++], sizeof board->died[0], "%s", how);
  return true;
}

static ph_status run_child(ph_reply *reply, ph_dig *dig, const ph_probe_limits *limits) {
  ph_child child;
  struct rlimit size = {.rlim_cur = RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &size);
  job j = {dig, size.rlim_cur};
  ph_status status = ph_child_fork(&child, limits, dig->path, dig_in_child, &j);
  if (status)
    return status;
  do
    ph_child_receive(&child, reply);
  while (reply->answer == PH_ANSWER_NOTE);
  ph_child_end(&child);
  return PH_OK;
}

static ph_status dig_outside(ph_dig *dig) {
  ph_probe_limits limits = ph_probe_limits_now(PH_PROBE_PATH);
  for (;;) {
    ph_reply reply = {0};
    ph_dig_at_none(dig);
    ph_status status = run_child(&reply, dig, &limits);
    if (status)
      return status;
    status = ph_reply_status(&reply, &limits, PH_ECORRUPT, dig->path, "HDF5");
    if (reply.answer == PH_ANSWER_STATUS)
      return status;
    unlink(dig->temporary);
    const char *text = ph_error(), *how = strstr(text, ": HDF5");
    if (!leave_out(dig->board, how ? how + 2 : text))
      return status;
  }
}

static ph_status fill_report(ph_salvage_report *report, const ph_dig_board *board) {
  report->items = calloc(board->nitems + 3, sizeof *report->items);
  if (!report->items)
    return ph_fail(PH_ENOMEM, "salvage: out of memory");
  memcpy(report->items, board->items, board->nitems * sizeof *report->items);
  report->n = board->nitems;
  for (size_t i = 0; i < report->n && board->whole; i++)
    if (report->items[i].fate == PH_SALVAGE_SAVED) { /* it is in its place: nothing is written */
      report->items[i].fate = PH_SALVAGE_COMMITTED;
      report->items[i].file[0] = 0;
      report->items[i].actions = 0;
    }
  report->saved = board->whole ? 0 : board->saved;
  report->lost = board->lost;
  report->steps = board->whole ? 0 : board->steps;
  ph_salvaged *last = &report->items[report->n];
  if (board->unlisted > 0) {
    last->fate = PH_SALVAGE_LOST;
    snprintf(last->why, sizeof last->why, "%zu lines more have no room here", board->unlisted);
    report->n++;
  }
  return PH_OK;
}

static ph_status publish(const ph_dig *dig) {
  int error = ph_file_rename_new(dig->temporary, dig->out);
  if (!error)
    error = ph_file_sync_folder(dig->out);
  return error ? ph_fail(error == EEXIST ? PH_EEXIST : PH_EIO, "%s: cannot be put into place: %s",
                         dig->out, strerror(error))
               : PH_OK;
}

/* Names that damage has changed are given back as they are: then nobody may know the layout. */
static void say_what_opens(ph_salvage_report *report, const char *out) {
  ph_store *store = NULL;
  ph_status status = ph_store_open(&store, &out, 1, NULL);
  ph_store_free(store);
  if (status == PH_OK)
    return;
  ph_salvaged *last = &report->items[report->n++];
  const char *text = ph_error();
  size_t n = strlen(out);
  bool named = strncmp(text, out, n) == 0 && text[n] == ':';
  *last = (ph_salvaged){.fate = PH_SALVAGE_LOST};
  snprintf(last->why, sizeof last->why, "what is written cannot be opened here: %s",
           named ? text + n + 2 : text);
  report->lost++;
}

static ph_status salvage(ph_salvage_report *report, ph_dig *dig) {
  ph_status status = ph_h5_cut_of(&dig->cut, dig->path);
  if (!status)
    status = dig_outside(dig);
  ph_status filled = fill_report(report, dig->board);
  if (!status)
    status = filled;
  if (!status && !dig->board->whole)
    status = publish(dig);
  unlink(dig->temporary);
  if (!status && !dig->board->whole)
    say_what_opens(report, dig->out);
  return status;
}

ph_status ph_salvage_file(ph_salvage_report *report, const char *path, const char *out) {
  struct stat st;
  memset(report, 0, sizeof *report);
  ph_dig dig = {.path = path, .out = out, .fd = -1};
  dig.from = dig.to = H5I_INVALID_HID;
  if (lstat(out, &st) == 0)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", out);
  ph_status status = ph_sink_check_path(out, 1);
  if (status)
    return status;
  char *temporary = ph_file_temporary(out, 0);
  dig.temporary = temporary;
  dig.board = mmap(NULL, sizeof *dig.board, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!temporary || dig.board == MAP_FAILED)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", path);
  else
    status = salvage(report, &dig);
  if (dig.board != MAP_FAILED)
    munmap(dig.board, sizeof *dig.board);
  free(temporary);
  return status;
}
