#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export {
  const struct options *opt;
  ph_store *store;
  ph_episode *episode;
  ph_model *model; /* NULL: none can be had, and numbers have no names */
  ph_export_options what;
  int64_t at; /* -1: not one state */
};

static bool is(const struct export *e, const char *kind) {
  return strcmp(e->opt->as, kind) == 0;
}

/* Digits, or nothing at all. */
static bool parse_end(const char *text, size_t n, int64_t *out) {
  char digits[20];
  if (n == 0)
    return true;
  if (n >= sizeof digits || strspn(text, "0123456789") < n)
    return false;
  memcpy(digits, text, n);
  digits[n] = 0;
  *out = strtoll(digits, NULL, 10);
  return true;
}

static int parse_range(const char *text, int64_t *first, int64_t *end) {
  const char *colon = strchr(text, ':');
  if (!colon || !parse_end(text, (size_t)(colon - text), first) ||
      !parse_end(colon + 1, strlen(colon + 1), end))
    return cli_fail(EXIT_USAGE, "export: --range %s: not a range of steps: 100:200, 100: or :200",
                    text);
  if (*end <= *first)
    return cli_fail(EXIT_USAGE,
                    "export: --range %s: there is no step in it: it ends before %" PRId64, text,
                    *end);
  return EXIT_FINE;
}

/* What does not go together, before any file is opened. */
static int check(struct export *e) {
  const struct options *opt = e->opt;
  if (opt->at && opt->range)
    return cli_fail(EXIT_USAGE, "export: --at and --range: only one of them is taken");
  if (is(e, "key") && !opt->at)
    return cli_fail(EXIT_USAGE, "export: --as key: --at STEP says of which state");
  if (opt->columns && opt->at && !is(e, "csv"))
    return cli_fail(EXIT_USAGE, "export: --columns: one state is written whole");
  if (is(e, "npz") && !opt->out)
    return cli_fail(EXIT_USAGE, "export: --as npz: it needs --out FILE: an archive is no text");
  if (is(e, "key") && opt->out)
    return cli_fail(EXIT_USAGE, "export: --as key: one line goes to standard output");
  if (opt->out && access(opt->out, F_OK) == 0)
    return cli_fail(EXIT_ERROR, "%s: it exists already", opt->out);
  return opt->range ? parse_range(opt->range, &e->what.first, &e->what.end) : EXIT_FINE;
}

static int open_episode(struct export *e) {
  ph_store_options so = cli_store_options(e->opt);
  size_t i = 0;
  if (ph_store_open(&e->store, e->opt->paths, e->opt->npaths, &so) != PH_OK)
    return cli_error();
  int status = cli_episode(e->opt, e->store, &i);
  if (status != EXIT_FINE)
    return status;
  if (ph_store_episode(&e->episode, e->store, i) != PH_OK)
    return cli_error();
  const char *hash = ph_episode_meta_of(e->episode)->model_sha256;
  if (ph_store_model(&e->model, e->store, hash) != PH_OK)
    e->model = NULL;
  return EXIT_FINE;
}

static bool to_stdout(void *arg, const char *text, size_t size) {
  (void)arg;
  return fwrite(text, 1, size, stdout) == size;
}

static ph_status write_key(const struct export *e) {
  char *line = NULL;
  ph_status status = ph_export_key(&line, e->episode, e->at);
  if (status == PH_OK)
    puts(line);
  free(line);
  return status;
}

static ph_status write_out(const struct export *e) {
  const char *out = e->opt->out;
  if (is(e, "key"))
    return write_key(e);
  if (is(e, "npz") && e->at >= 0)
    return ph_export_state_npz(out, e->episode, e->at);
  if (is(e, "npz"))
    return ph_export_npz(out, e->episode, e->model, &e->what);
  if (out)
    return ph_export_csv_file(out, e->episode, e->model, &e->what);
  return ph_export_csv(e->episode, e->model, &e->what, to_stdout, NULL);
}

/* Names what an episode has and no export holds: pictures, texts, arrays without a row a step. */
static void say_left_out(const struct export *e) {
  size_t n, left = 0, used = 0;
  char list[900] = "";
  const ph_channel *channels = ph_episode_channels(e->episode, &n);
  for (size_t i = 0; i < n; i++) {
    const ph_channel *c = &channels[i];
    if (c->kind == PH_CHANNEL_NUMBERS)
      continue;
    left++;
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%s)", used ? ", " : "",
                               c->name, c->kind == PH_CHANNEL_IMAGE ? "pictures" : c->note);
  }
  if (left > 0)
    cli_fail(EXIT_FINE, "export: %zu %s left out: %s%s", left,
             left == 1 ? "array is" : "arrays are", list, used >= sizeof list ? "..." : "");
}

int verb_export(const struct options *opt) {
  struct export e = {.opt = opt, .what = PH_EXPORT_OPTIONS_INIT, .at = -1};
  e.what.columns = opt->columns;
  int status = check(&e);
  if (status == EXIT_FINE)
    status = cli_step(opt, true, &e.at);
  if (e.at >= 0) {
    e.what.first = e.at;
    e.what.end = e.at + 1;
  }
  if (status == EXIT_FINE)
    status = open_episode(&e);
  if (status == EXIT_FINE && write_out(&e) != PH_OK)
    status = cli_error();
  else if (status == EXIT_FINE && e.at < 0 && !opt->columns)
    say_left_out(&e);
  ph_model_unref(e.model);
  ph_episode_free(e.episode);
  ph_store_free(e.store);
  return cli_flush(status);
}
