#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100, LEFT = 25 };

void help_program(void *stream) {
  FILE *out = stream;
  fputs("usage: playhead VERB [OPTIONS] PATH...\n"
        "       playhead PATH...    is playhead view PATH...\n\n"
        "Record MuJoCo episodes, open them in the terminal, go to any step.\n\nverbs:\n",
        out);
  for (size_t i = 0; verb_at(i); i++)
    fprintf(out, "  %-8s %s\n", verb_at(i)->name, verb_at(i)->summary);
  fputs("\nplayhead VERB --help says more. Exit status: 0 fine, 1 a finding, 2 usage, 3 a file,\n"
        "model or task error.\n",
        out);
}

/* Words from column `left` on, in lines of that many columns. */
static void wrap(FILE *out, const char *text, int left) {
  int column = left;
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (column > left && column + 1 + n > COLUMNS) {
      fprintf(out, "\n%*s", left, "");
      column = left;
    }
    column += fprintf(out, "%s%.*s", column > left ? " " : "", n, text);
    text += n + strspn(text + n, " ");
  }
  fputc('\n', out);
}

void help_verb(void *stream, const struct verb *verb) {
  FILE *out = stream;
  fprintf(out, "usage: playhead %s [OPTIONS] %s\n\n%s\n\noptions:\n", verb->name, verb->operands,
          verb->text);
  for (unsigned id = 0; id < OPTION_COUNT; id++) {
    const struct option_info *info = option_info((enum option_id)id);
    char left[48], text[300];
    if (!option_in(verb->options, id))
      continue;
    int n = snprintf(left, sizeof left, "  --%s %s", info->name, info->arg ? info->arg : "");
    option_text(info, text, sizeof text);
    if (n < LEFT)
      fprintf(out, "%-*s", LEFT, left);
    else
      fprintf(out, "%s\n%*s", left, LEFT, "");
    wrap(out, text, LEFT);
  }
}
