/* Files of robosuite's family: the whole file is made again, object by object, and what is per step
 * under a demo is cut. It is done in a child (probe_child.h): nobody knows what the library does
 * with the bytes of others. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cut_demos.h"
#include "fail.h"
#include "file.h"
#include "probe_child.h"

enum { TICK = 8 << 20 }; /* bytes for which the child may take its full time */

/* --- in the child --- */

static void note(ph_cut_file *f) {
  char text[24];
  ph_child_begin();
  snprintf(text, sizeof text, "%zu", f->done);
  ph_child_note(f->fd, text);
  f->ticked = 0;
}

void ph_cut_tick(void *arg, uint64_t bytes) {
  ph_cut_file *f = arg;
  f->ticked += bytes;
  if (f->ticked >= TICK)
    note(f);
}

void ph_cut_demo_done(ph_cut_file *f) {
  f->done++;
  note(f);
}

/* No demo is there that is not kept. */
static ph_status count_demos(const ph_cut_file *f, hid_t file) {
  char **names = NULL;
  hid_t data;
  size_t n = 0;
  ph_status status = ph_h5_group(&data, file, "/data");
  if (!status)
    status = ph_demo_names(&names, &n, data);
  if (!status && n != f->done)
    status =
        ph_fail(PH_ECORRUPT, "%s: %zu demos are in it: %zu are to be kept", f->c->out, n, f->done);
  ph_h5_names_free(names, n);
  ph_h5_close(data);
  return status;
}

/* What was written opens, and has the lengths that were asked for. */
static ph_status verify(ph_cut_file *f, const char *path) {
  hid_t file = H5I_INVALID_HID, demo;
  const ph_store *store = f->c->store;
  ph_status status = ph_h5_open(&file, path);
  for (size_t i = 0; i < store->n && !status; i++) {
    const ph_cut_episode *plan = f->c->at[i];
    ph_demo_size size;
    if (plan->dropped)
      continue;
    status = ph_h5_group(&demo, file, store->entries[i].group);
    if (status)
      break;
    ph_demo_size_of(&size, demo);
    if (size.actions != plan->to - plan->from)
      status = ph_fail(PH_ECORRUPT, "%s: %s: what was read back is not what was written", f->c->out,
                       plan->id);
    ph_h5_close(demo);
    if (i % 64 == 0)
      note(f);
  }
  if (!status)
    status = count_demos(f, file);
  ph_h5_close(file);
  return status;
}

/* The file that its parent has made for it. */
static ph_status open_made(ph_cut_file *f) {
  int fd = open(f->temporary, O_RDWR | O_CLOEXEC);
  return fd < 0 ? ph_fail(PH_EIO, "%s: cannot be written: %s", f->c->out, strerror(errno))
                : ph_h5_create_in(&f->to, fd, f->temporary);
}

static ph_status write_all(ph_cut_file *f) {
  ph_status status = ph_h5_open(&f->from, f->c->source);
  if (!status)
    status = open_made(f);
  if (!status)
    status = ph_cut_copy(f);
  if (!status)
    status = ph_h5_check(f->to);
  if (f->to >= 0) {
    ph_status closed = ph_h5_finish(f->to, f->c->out);
    status = status ? status : closed;
  }
  ph_h5_close(f->from);
  return status ? status : verify(f, f->temporary);
}

/* Nothing of it comes to a disk. */
static ph_status try_it(ph_cut_file *f) {
  bool all = f->entry >= f->c->store->n;
  ph_status status = ph_h5_open(&f->from, f->c->source);
  if (!status)
    status = ph_h5_create_scratch(&f->to, f->c->source);
  if (!status)
    status = all ? ph_cut_copy(f) : ph_cut_copy_entry(f, f->entry);
  if (!status && all)
    status = ph_cut_models_try(f);
  ph_h5_close(f->to);
  ph_h5_close(f->from);
  return status;
}

struct job {
  ph_cut_file *file;
  rlim_t size; /* that the host may write */
};

static void write_in_child(int fd, void *arg) {
  struct job *job = arg;
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
    limit.rlim_cur = job->size;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  job->file->fd = fd;
  ph_child_begin();
  ph_child_answer(fd, job->file->dry ? try_it(job->file) : write_all(job->file));
  _exit(0);
}

/* --- outside --- */

/* Its answer; PH_ECANCELED where progress ends it. */
static ph_status wait_for(ph_cut_file *f, ph_child *child, const ph_probe_limits *limits) {
  ph_cutting *c = f->c;
  ph_reply reply = {0};
  ph_status status = PH_OK;
  do {
    ph_child_receive(child, &reply);
    if (reply.answer == PH_ANSWER_NOTE)
      c->done = (size_t)strtoull(reply.text, NULL, 10);
    if (reply.answer == PH_ANSWER_NOTE)
      status = ph_cut_go_on(c);
  } while (reply.answer == PH_ANSWER_NOTE && !status);
  return status ? status : ph_reply_status(&reply, limits, PH_ECORRUPT, c->source, "HDF5");
}

static ph_status run_child(ph_cut_file *f) {
  ph_child child;
  struct rlimit size = {.rlim_cur = RLIM_INFINITY};
  ph_probe_limits limits = ph_probe_limits_now(PH_PROBE_PATH);
  getrlimit(RLIMIT_FSIZE, &size);
  struct job job = {f, size.rlim_cur};
  ph_status status = ph_child_fork(&child, &limits, f->c->source, write_in_child, &job);
  if (status)
    return status;
  status = wait_for(f, &child, &limits);
  ph_child_end(&child);
  return status;
}

static ph_status publish(ph_cut_file *f) {
  int error = ph_file_rename_new(f->temporary, f->c->out);
  if (error)
    return ph_fail(error == EEXIST ? PH_EEXIST : PH_EIO, "%s: cannot be put into place: %s",
                   f->c->out, strerror(error));
  free(f->temporary);
  f->temporary = NULL;
  error = ph_file_sync_folder(f->c->out);
  if (!error)
    return PH_OK;
  unlink(f->c->out);
  return ph_fail(PH_EIO, "%s: its folder cannot be synced: %s", f->c->out, strerror(error));
}

static void count_all(ph_cutting *c) {
  for (size_t i = 0; i < c->store->n; i++)
    if (!c->at[i]->dropped)
      ph_cut_tally_add(&c->tally, c->at[i], c->store->entries[i].actions);
}

static void clear(ph_cut_file *f) {
  if (f->temporary)
    unlink(f->temporary);
  ph_cut_models_drop(f);
  for (size_t i = 0; i < f->nplaced; i++)
    free(f->placed[i]);
  free(f->placed);
  free(f->models);
  free(f->temporary);
}

ph_status ph_cut_demos(ph_cutting *c) {
  ph_cut_file f = {.c = c, .from = H5I_INVALID_HID, .to = H5I_INVALID_HID, .fd = -1};
  int fd;
  ph_status status = ph_file_create_hidden(&f.temporary, &fd, c->out);
  if (status)
    return status;
  close(fd);
  status = ph_cut_models_begin(&f);
  if (!status)
    status = run_child(&f);
  if (!status)
    status = ph_cut_go_on(c);
  if (!status)
    status = ph_cut_models_publish(&f);
  if (!status && (status = publish(&f)))
    ph_cut_models_withdraw(&f);
  clear(&f);
  if (!status)
    count_all(c);
  return status;
}

ph_status ph_cut_try_demo(ph_cutting *c, size_t entry) {
  ph_cut_file f = {.c = c, .from = H5I_INVALID_HID, .to = H5I_INVALID_HID, .fd = -1};
  f.dry = true;
  f.entry = entry;
  return run_child(&f);
}
