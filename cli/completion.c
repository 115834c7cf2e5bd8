/* SPDX-License-Identifier: MIT */
/*
 * `tacit completion`: scripts that let a shell complete commands, options and their
 * values. They are written from the option tables, as --help and the man pages are, so
 * the three cannot disagree.
 */
#include <string.h>

#include "cli.h"

/* Prints the words that an option takes: its choices, or the names of its family. */
static void print_words(const struct cli_option *option) {
  if (option->kind == CLI_CHOICE) printf("%s", option->choices);
  if (option->family == CLI_NO_FAMILY) return;
  tacit_catalog_entry entry;
  for (size_t i = 0; tacit_catalog_get(cli_family(option), i, &entry); ++i)
    printf("%s%s", i > 0 ? " " : "", entry.name);
}

static int has_words(const struct cli_option *option) {
  return option->kind == CLI_CHOICE || option->family != CLI_NO_FAMILY;
}

/* Prints text with a backslash before each of `special`. Must stand between single
   quotes; a quote of the text is written as '\'' if the shell has no other way. */
static void print_quoted(const char *text, const char *special, int quote_closes) {
  for (; *text != '\0'; ++text)
    if (*text == '\'' && quote_closes)
      printf("'\\''");
    else
      printf("%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
}

/* ---- bash ---- */

static void print_bash_options(const struct cli_command *command) {
  const struct cli_option *option;
  printf("    %s)\n      options=\"", command->name);
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    if (!cli_is_left_out(command, option)) printf("--%s ", option->name);
  printf("--help --help-all\"\n");
  if (command->actions != NULL) printf("      actions=\"%s\"\n", command->actions);
  printf("      case $previous in\n");
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i) {
    if (option->kind == CLI_FLAG) continue;
    printf("        --%s", option->name);
    if (option->letter) printf(" | -%c", option->letter);
    printf(") value=%s", option->file != CLI_NO_FILE ? "file" : "words; words=\"");
    if (option->file == CLI_NO_FILE) {
      print_words(option);
      printf("\"");
    }
    printf(" ;;\n");
  }
  printf("      esac\n      ;;\n");
}

static void print_bash(const struct cli_program *program) {
  const char *name = program->name;
  printf("# bash completion of %s, written by \"%s completion bash\".\n_%s() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]}\n"
         "  local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local options= actions= value= words=\n"
         "  # --name=value arrives as three words.\n"
         "  if [[ $current == \"=\" ]]; then\n    current=\n"
         "  elif [[ $previous == \"=\" ]]; then\n"
         "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n"
         "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n    words=\"",
         name, name, name);
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c)
    printf("%s ", (*c)->name);
  printf("--help --version\"\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n    return\n  fi\n"
         "  case ${COMP_WORDS[1]} in\n");
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c)
    print_bash_options(*c);
  printf("  esac\n"
         "  if [[ $value == words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -z $value && $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [[ -z $value && -n $actions && $COMP_CWORD == 2 ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$actions\" -- \"$current\"))\n"
         "  else\n    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n  fi\n}\n"
         "complete -F _%s %s\n",
         name, name);
}

/* ---- zsh ---- */

static void print_zsh_option(const struct cli_option *option, const char *before,
                             const char *name) {
  printf(" \\\n        '%s%s[", before, name);
  print_quoted(option->help, "[]:\\", 1);
  printf("]");
  if (option->kind != CLI_FLAG) {
    printf(":%s:", option->placeholder != NULL ? option->placeholder : "value");
    if (option->file != CLI_NO_FILE) printf("_files");
    if (has_words(option)) {
      printf("(");
      print_words(option);
      printf(")");
    }
  }
  printf("'");
}

static void print_zsh_command(const struct cli_command *command) {
  printf("    %s)\n      _arguments -s -S", command->name);
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i) {
    char letter[2] = {option->letter, '\0'};
    if (cli_is_left_out(command, option)) continue;
    if (option->letter) print_zsh_option(option, "-", letter);
    print_zsh_option(option, "--", option->name);
  }
  printf(" \\\n        '--help[print help]' '--help-all[print all options]'");
  if (command->actions != NULL)
    printf(" \\\n        '1:action:(%s)'", command->actions);
  printf(" \\\n        '*:file:_files'\n      ;;\n");
}

static void print_zsh(const struct cli_program *program) {
  const char *name = program->name;
  printf("#compdef %s\n# zsh completion of %s, written by \"%s completion zsh\".\n"
         "_%s() {\n  local -a commands=(",
         name, name, name, name);
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c) {
    printf("\n    '%s:", (*c)->name);
    print_quoted((*c)->summary, ":\\", 1);
    printf("'");
  }
  printf("\n  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n"
         "    return\n  fi\n  shift words\n  ((CURRENT--))\n  case $words[1] in\n");
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c)
    print_zsh_command(*c);
  printf("  esac\n}\n_%s \"$@\"\n", name);
}

/* ---- fish ---- */

static void print_fish_option(const char *name, const char *command,
                              const struct cli_option *option) {
  printf("complete -c %s -n '__fish_seen_subcommand_from %s' -l %s", name, command,
         option->name);
  if (option->letter) printf(" -s %c", option->letter);
  if (option->kind != CLI_FLAG) printf(option->file != CLI_NO_FILE ? " -r -F" : " -x");
  if (has_words(option)) {
    printf(" -a '");
    print_words(option);
    printf("'");
  }
  printf(" -d '");
  print_quoted(option->help, "'\\", 0);
  printf("'\n");
}

static void print_fish(const struct cli_program *program) {
  const char *name = program->name;
  printf("# fish completion of %s, written by \"%s completion fish\".\n", name, name);
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c) {
    printf("complete -c %s -n __fish_use_subcommand -f -a %s -d '", name, (*c)->name);
    print_quoted((*c)->summary, "'\\", 0);
    printf("'\n");
    if ((*c)->actions != NULL)
      printf("complete -c %s -n '__fish_seen_subcommand_from %s' -a '%s'\n", name,
             (*c)->name, (*c)->actions);
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(*c, i, NULL)) != NULL; ++i)
      if (!cli_is_left_out(*c, option)) print_fish_option(name, (*c)->name, option);
  }
}

static const struct {
  const char *name;
  void (*print)(const struct cli_program *program);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static int run(const struct cli_args *args) {
  const char *name = args->operands[0];
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i) {
    if (strcmp(name, shells[i].name) != 0) continue;
    shells[i].print(cli_this());
    return cli_close_stdout();
  }
  return cli_refuse("no completion for %.60s: give bash, zsh or fish", name);
}

CLI_COMMAND(completion, "SHELL", 1, 1, "completion for bash, zsh or fish", GROUPS(NULL),
            .actions = "bash zsh fish");
