#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "../../tui/command.h"

/* Text with what roff would take for its own escaped. */
static void put(FILE *out, const char *text) {
  bool start = true;
  for (const char *c = text; *c; c++) {
    if (start && (*c == '.' || *c == '\''))
      fputs("\\&", out);
    if (*c == '\\')
      fputs("\\e", out);
    else if (*c == '-')
      fputs("\\-", out);
    else
      fputc(*c, out);
    start = *c == '\n';
  }
}

static void put_line(FILE *out, const char *before, const char *text, const char *after) {
  fputs(before, out);
  put(out, text);
  fputs(after, out);
}

static void put_option(FILE *out, const struct option_info *info) {
  char text[300];
  option_text(info, text, sizeof text);
  put_line(out, ".TP\n.B \\-\\-", info->name, "");
  if (info->arg)
    put_line(out, " \\fI", info->arg, "\\fR");
  put_line(out, "\n", text, "\n");
}

static void put_verbs(FILE *out) {
  fputs(".SH VERBS\n", out);
  for (size_t i = 0; verb_at(i); i++) {
    const struct verb *verb = verb_at(i);
    put_line(out, ".SS ", verb->name, " ");
    put_line(out, "\\fI", verb->operands, "\\fR\n");
    put_line(out, "", verb->summary, ".\n.br\n");
    put_line(out, "", verb->text, "\n.br\nOptions:");
    for (unsigned id = 0; id < OPTION_COUNT; id++)
      if (option_in(verb->options, id))
        put_line(out, " \\-\\-", option_info((enum option_id)id)->name, "");
    fputs(".\n", out);
  }
}

static void put_options(FILE *out) {
  fputs(".SH OPTIONS\n", out);
  for (unsigned id = 0; id < OPTION_COUNT; id++)
    put_option(out, option_info((enum option_id)id));
}

static void put_keys(FILE *out) {
  const char *group = "";
  fputs(".SH KEYS\nDefaults of the scrubber; ~/.config/playhead/keys changes them.\n", out);
  for (int i = 0; i < CMD_COUNT; i++) {
    const struct command_info *info = command_info((enum command)i);
    if (strcmp(group, info->group) != 0)
      put_line(out, ".SS ", info->group, "\n");
    group = info->group;
    put_line(out, ".TP\n.B ", info->keys[0] ? info->keys : "\\&", "");
    put_line(out, " \\fR:", info->name, "");
    put_line(out, info->args[0] ? " " : "", info->args, "");
    put_line(out, "\n", info->help, "\n");
  }
}

static const char tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nfine\n"
    ".TP\n.B 1\na finding: something in an episode is wrong, or a recording was cut short\n"
    ".TP\n.B 2\nusage\n"
    ".TP\n.B 3\na file, model, task or I/O error; one line on stderr says which\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B PLAYHEAD_ASSETS\nfolders, separated by colons, that a model may read besides its own\n"
    ".TP\n.B PLAYHEAD_DATA_ROOT\nfolder under which runs are recorded when there is no \\-\\-out\n"
    ".TP\n.B NO_COLOR\nwhen set, nothing is drawn in colour\n"
    ".TP\n.B XDG_DATA_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME\nwhere runs, marks of read\\-only "
    "files "
    "and the keys file are kept\n"
    ".SH FILES\n"
    ".TP\n.I RUN/env<III>_ep<NNNNNN>_<A>.h5\nan episode of a run: env, number, actions\n"
    ".TP\n.I RUN/env<III>.journal\nrows of an episode that is not saved yet; after a kill playhead "
    "salvage RUN makes an episode of them\n"
    ".TP\n.I FILE.playhead.json\nmarks and notes of a file\n"
    ".TP\n.I ~/.config/playhead/keys\nlines of bind KEY COMMAND [ARGUMENTS] and unbind KEY\n";

void manual_print(void *stream) {
  FILE *out = stream;
  fprintf(out, ".TH PLAYHEAD 1 \"\" \"playhead %s\"\n", ph_version());
  fputs(
      ".SH NAME\nplayhead \\- record MuJoCo episodes, open them in the terminal, go to any step\n"
      ".SH SYNOPSIS\n.B playhead\n\\fIVERB\\fR [\\fIOPTIONS\\fR] \\fIPATH\\fR...\n.br\n"
      ".B playhead\n\\fIPATH\\fR...\n.SH DESCRIPTION\n"
      "Records episodes of MuJoCo tasks, opens them in the terminal, and lets a person go to any\n"
      "step at once. \\fBplayhead\\fR \\fIPATH\\fR is \\fBplayhead view\\fR \\fIPATH\\fR.\n",
      out);
  put_verbs(out);
  put_options(out);
  put_keys(out);
  fputs(tail, out);
}
