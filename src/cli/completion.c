#include "cli.h"

#include <stdio.h>
#include <string.h>

static bool has(const struct verb *verb, unsigned id) {
  return option_in(verb->options, id);
}

static const struct option_info *option(unsigned id) {
  return option_info((enum option_id)id);
}

static bool takes_path(const struct option_info *info) {
  return info->kind == KIND_FILE || info->kind == KIND_FOLDER;
}

/* What a verb does is a word of its own in front of its paths: "check" of task. Its length; 0:
 * there is none. */
static int word_of(const struct verb *verb) {
  return (int)strspn(verb->operands, "abcdefghijklmnopqrstuvwxyz");
}

/* --- bash --- */

/* Whether another verb takes a file by that name: bash then offers files, folders among them. */
static bool takes_file(const char *name) {
  for (unsigned id = 0; id < OPTION_COUNT; id++)
    if (option(id)->kind == KIND_FILE && strcmp(option(id)->name, name) == 0)
      return true;
  return false;
}

static void bash(FILE *out) {
  fputs("# bash completion of playhead, made from its option table\n"
        "_playhead() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=''\n"
        "  case $prev in\n",
        out);
  for (unsigned id = 0; id < OPTION_COUNT; id++) {
    const struct option_info *info = option(id);
    if (info->choices)
      fprintf(out, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", info->name,
              info->choices);
    else if (info->kind == KIND_FOLDER && !takes_file(info->name))
      fprintf(out, "    --%s) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", info->name);
    else if (info->arg && !takes_path(info))
      fprintf(out, "    --%s) return ;;\n", info->name);
  }
  fputs("  esac\n  case ${COMP_WORDS[1]} in\n", out);
  for (size_t i = 0; verb_at(i); i++) {
    fprintf(out, "    %s) options='", verb_at(i)->name);
    for (unsigned id = 0; id < OPTION_COUNT; id++)
      if (has(verb_at(i), id))
        fprintf(out, "--%s ", option(id)->name);
    fputs("' ;;\n", out);
  }
  fputs("  esac\n"
        "  if [[ $cur == -* ]]; then\n"
        "    COMPREPLY=($(compgen -W \"${options:---help --version}\" -- \"$cur\"))\n"
        "    return\n"
        "  fi\n",
        out);
  for (size_t i = 0; verb_at(i); i++)
    if (word_of(verb_at(i)) > 0)
      fprintf(out,
              "  [[ $COMP_CWORD == 2 && ${COMP_WORDS[1]} == %s ]] &&\n"
              "    COMPREPLY=($(compgen -W '%.*s' -- \"$cur\")) && return\n",
              verb_at(i)->name, word_of(verb_at(i)), verb_at(i)->operands);
  fputs("  COMPREPLY=($(compgen -f -- \"$cur\"))\n"
        "  [[ $COMP_CWORD == 1 ]] && COMPREPLY+=($(compgen -W '",
        out);
  for (size_t i = 0; verb_at(i); i++)
    fprintf(out, "%s ", verb_at(i)->name);
  fputs("' -- \"$cur\"))\n}\ncomplete -o filenames -F _playhead playhead\n", out);
}

/* --- zsh --- */

/* Text inside '...' of a zsh option description. */
static void zsh_text(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '\'')
      fputs("'\\''", out);
    else if (*c == ':' || *c == '[' || *c == ']')
      fprintf(out, "\\%c", *c);
    else
      fputc(*c, out);
  }
}

static void zsh_option(FILE *out, const struct option_info *info) {
  fprintf(out, "        '%s--%s%s[", strcmp(info->name, "assets") == 0 ? "*" : "", info->name,
          info->arg ? "=" : "");
  zsh_text(out, info->help);
  fputc(']', out);
  if (info->arg)
    fprintf(out, ":%s:", info->arg);
  if (info->choices)
    fprintf(out, "(%s)", info->choices);
  else if (info->kind == KIND_FOLDER)
    fputs("_files -/", out);
  else if (info->kind == KIND_FILE)
    fputs("_files", out);
  fputs("' \\\n", out);
}

static void zsh(FILE *out) {
  fputs("#compdef playhead\n# made from playhead's option table\n"
        "_playhead() {\n  local -a verbs\n  verbs=(\n",
        out);
  for (size_t i = 0; verb_at(i); i++) {
    fprintf(out, "    '%s:", verb_at(i)->name);
    zsh_text(out, verb_at(i)->summary);
    fputs("'\n", out);
  }
  fputs("  )\n"
        "  if (( CURRENT == 2 )); then\n"
        "    _describe verb verbs\n    _files\n    return\n  fi\n"
        "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n",
        out);
  for (size_t i = 0; verb_at(i); i++) {
    fprintf(out, "    %s)\n      _arguments \\\n", verb_at(i)->name);
    for (unsigned id = 0; id < OPTION_COUNT; id++)
      if (has(verb_at(i), id))
        zsh_option(out, option(id));
    if (word_of(verb_at(i)) > 0)
      fprintf(out, "        '1:what:(%.*s)' \\\n", word_of(verb_at(i)), verb_at(i)->operands);
    fputs("        '*:path:_files' ;;\n", out);
  }
  fputs("    *) _files ;;\n  esac\n}\n_playhead \"$@\"\n", out);
}

/* --- fish --- */

static void fish_text(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '\'' || *c == '\\')
      fputc('\\', out);
    fputc(*c, out);
  }
}

static void fish(FILE *out) {
  fputs("# fish completion of playhead, made from its option table\n", out);
  for (size_t i = 0; verb_at(i); i++) {
    fprintf(out, "complete -c playhead -n __fish_use_subcommand -a %s -d '", verb_at(i)->name);
    fish_text(out, verb_at(i)->summary);
    fputs("'\n", out);
  }
  for (size_t i = 0; verb_at(i); i++)
    if (word_of(verb_at(i)) > 0)
      fprintf(out, "complete -c playhead -n '__fish_seen_subcommand_from %s' -a %.*s\n",
              verb_at(i)->name, word_of(verb_at(i)), verb_at(i)->operands);
  for (unsigned id = 0; id < OPTION_COUNT; id++) {
    const struct option_info *info = option(id);
    fputs("complete -c playhead -n '__fish_seen_subcommand_from", out);
    for (size_t i = 0; verb_at(i); i++)
      if (has(verb_at(i), id))
        fprintf(out, " %s", verb_at(i)->name);
    fprintf(out, "' -l %s", info->name);
    if (info->choices)
      fprintf(out, " -x -a '%s'", info->choices);
    else if (takes_path(info))
      fputs(" -r -F", out);
    else if (info->arg)
      fputs(" -x", out);
    fputs(" -d '", out);
    fish_text(out, info->help);
    fputs("'\n", out);
  }
}

bool completion_print(void *out, const char *shell) {
  if (strcmp(shell, "bash") == 0)
    bash(out);
  else if (strcmp(shell, "zsh") == 0)
    zsh(out);
  else if (strcmp(shell, "fish") == 0)
    fish(out);
  else
    return false;
  return true;
}
