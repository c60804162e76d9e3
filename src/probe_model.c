/* Models in a child: the way of a text from its file to the first frame. The child says when it has
 * collected the text, so that the parent can tell it what became of the same model before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "hash.h"
#include "mj.h"
#include "mjcf.h"
#include "mjcf_files.h"
#include "probe_cache.h"

static const char compiled[] = "model"; /* what a compiled source is called in messages */

/* --- compiling --- */

static void first_frame(void *arg) {
  mjData *d = mj_makeData(arg);
  if (d)
    mj_forward(arg, d);
}

/* Up to the first frame. That the engine cannot advance it is no verdict here; that it dies of it
 * is one. */
static ph_status try_source(const ph_source *source) {
  mjModel *m = NULL;
  ph_names names = {0};
  ph_model_facts facts;
  ph_status status = ph_mj_compile(&m, source);
  if (status == PH_OK)
    status = ph_mj_describe(m, &names, &facts);
  if (status == PH_OK)
    ph_mj_guard(first_frame, m);
  return status;
}

static void compile_in_child(int fd, void *arg) {
  ph_child_begin();
  ph_child_answer(fd, try_source(arg));
  _exit(0);
}

ph_status ph_probe_model(const ph_source *source, const char *where) {
  ph_print print;
  ph_child child;
  ph_reply reply = {0};
  ph_status status = PH_OK;
  if (ph_probe_inside())
    return PH_OK;
  ph_print_of_model(&print, source->sha256);
  if (source->sha256[0] && ph_cache_find(&print, where, &status))
    return status;
  ph_probe_limits limits = ph_probe_limits_now(PH_PROBE_MODEL);
  status = ph_child_ask(&child, &reply, &limits, where, compile_in_child, (void *)source, true);
  if (status)
    return status;
  ph_child_end(&child);
  status = ph_reply_status(&reply, &limits, PH_EMODEL, where, "MuJoCo");
  if (source->sha256[0] && ph_reply_lasts(&reply) && !ph_reply_waited(&reply, &limits))
    ph_cache_keep(&print, where, status);
  return status;
}

/* --- collecting --- */

typedef struct text {
  const char *xml; /* NULL: what the file at path holds */
  size_t size;
  const char *path;
  const ph_model_options *opt; /* nullable */
} text;

static ph_status collect(ph_source **out, const text *t) {
  return t->xml ? ph_mjcf_collect_text(out, t->xml, t->size, t->path, t->opt)
                : ph_mjcf_collect(out, t->path, t->opt);
}

static void collect_in_child(int fd, void *arg) {
  ph_source *source = NULL;
  char note[PH_SHA256_SIZE + 8];
  ph_child_begin();
  ph_status status = collect(&source, arg);
  if (status == PH_OK) {
    snprintf(note, sizeof note, "%s%s", source->sha256, source->noriginals > 1 ? "+" : "");
    ph_child_note(fd, note);
    status = ph_mjcf_check(source);
    if (status == PH_OK)
      status = try_source(source);
  }
  ph_child_answer(fd, status);
  _exit(0);
}

/* Of the text, its place and the options: false, there is none. What becomes of its files of assets
 * is not in it: they are copied, and their bytes are compiled under a verdict of their own. */
static bool print_of_text(ph_print *out, const text *t) {
  ph_blob blob = {0};
  char hex[PH_SHA256_SIZE], folder[PATH_MAX], *real = realpath(t->path, NULL);
  bool ok = real && getcwd(folder, sizeof folder) &&
            (t->xml || ph_files_read(&blob, real, t->path) == PH_OK);
  struct ph_sha256 *sha = ok ? ph_sha256_new() : NULL;
  if (sha) {
    const ph_model_options none = {0}, *opt = t->opt ? t->opt : &none;
    const char how[] = {t->xml != NULL, opt->mend, opt->drop_missing};
    ph_sha256_add_string(sha, ph_mjcf_parser_version());
    ph_sha256_add(sha, how, sizeof how);
    ph_sha256_add_string(sha, folder);
    ph_sha256_add_string(sha, real);
    for (size_t i = 0; i < opt->nassets; i++)
      ph_sha256_add_string(sha, opt->assets[i]);
    ph_sha256_add(sha, "", 1);
    ph_sha256_add(sha, t->xml ? t->xml : blob.data, t->xml ? t->size : blob.size);
    ph_sha256_end(sha, hex);
    ph_print_of_collecting(out, hex);
  }
  free(real);
  free(blob.name);
  free(blob.data);
  return sha != NULL;
}

/* The child has collected: `note` is the hash of what, and a mark where it read other texts. Waits
 * for its end, unless that is known of another time. */
static ph_status follow(ph_child *child, ph_reply *reply, const ph_probe_limits *limits) {
  char sha256[PH_SHA256_SIZE];
  ph_print model;
  ph_status status = PH_OK;
  snprintf(sha256, sizeof sha256, "%.64s", reply->text);
  bool known = strlen(sha256) == sizeof sha256 - 1;
  if (known)
    ph_print_of_model(&model, sha256);
  if (known && ph_cache_find(&model, compiled, &status))
    return status;
  ph_child_receive(child, reply);
  status = ph_reply_status(reply, limits, PH_EMODEL, compiled, "MuJoCo");
  if (known && ph_reply_lasts(reply) && !ph_reply_waited(reply, limits))
    ph_cache_keep(&model, compiled, status);
  return status;
}

/* print: nullable, what is kept of it. */
static ph_status ask_text(ph_reply *reply, const text *t, const ph_print *print,
                          const ph_probe_limits *limits) {
  ph_child child;
  ph_status status = ph_child_fork(&child, limits, t->path, collect_in_child, (void *)t);
  *reply = (ph_reply){.answer = PH_ANSWER_NONE};
  if (status)
    return status;
  child.model = true;
  ph_child_receive(&child, reply);
  if (reply->answer == PH_ANSWER_NOTE) {
    if (print && !strchr(reply->text, '+'))
      ph_cache_keep(print, t->path, PH_OK);
    status = follow(&child, reply, limits);
    if (status)
      ph_fail_in(status, "%s", t->path);
  } else {
    status = ph_reply_status(reply, limits, PH_EMODEL, t->path, "the reader of models");
  }
  ph_child_end(&child);
  return status;
}

static ph_status probe_text(const text *t) {
  ph_print print;
  ph_reply reply;
  ph_status status = PH_OK;
  if (ph_probe_inside())
    return PH_OK;
  bool steady = print_of_text(&print, t);
  if (steady && ph_cache_find(&print, t->path, &status))
    return status;
  ph_probe_limits limits = ph_probe_limits_now(PH_PROBE_MODEL);
  status = ask_text(&reply, t, steady ? &print : NULL, &limits);
  if (ph_reply_waited(&reply, &limits)) /* as in ph_child_ask, at any time */
    status = ask_text(&reply, t, steady ? &print : NULL, &limits);
  return status;
}

ph_status ph_probe_model_file(const char *path, const ph_model_options *opt) {
  return probe_text(&(text){NULL, 0, path, opt});
}

ph_status ph_probe_model_text(const char *xml, size_t size, const char *path,
                              const ph_model_options *opt) {
  return probe_text(&(text){xml, size, path, opt});
}
