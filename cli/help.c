/* SPDX-License-Identifier: MIT */
/*
 * --help and --help-all from the option tables. Losses, learners and mechanisms are
 * listed from the library's catalog, so the help cannot become outdated.
 */
#include <math.h>
#include <string.h>
#include <tacit/version.h>

#include "cli.h"

/* A command with more options than MANY has a short help. */
enum { WIDTH = 80, OPTION_COLUMN = 26, MANY = 20, SHORT_EXAMPLES = 2 };

/* Prints the words of `text` from column `at` on and indents further lines. Ends with a
   newline. */
static void print_wrapped(const char *text, size_t at, size_t indent) {
  int first = 1;
  while (*text != '\0') {
    size_t size = strcspn(text, " ");
    if (!first && at + 1 + size > WIDTH) {
      printf("\n%*s", (int)indent, "");
      at = indent;
      first = 1;
    }
    printf("%s%.*s", first ? "" : " ", (int)size, text);
    at += size + (first ? 0 : 1);
    first = 0;
    text += size;
    text += strspn(text, " ");
  }
  printf("\n");
}

/* Prints paragraphs, each wrapped and followed by an empty line. */
static void print_paragraphs(const char *text) {
  while (*text != '\0') {
    char paragraph[1024];
    const char *end = strstr(text, "\n\n");
    size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
    snprintf(paragraph, sizeof paragraph, "%.*s", (int)size, text);
    print_wrapped(paragraph, 0, 0);
    printf("\n");
    text += size;
    text += strspn(text, "\n");
  }
}

static void print_entry(const char *left, const char *text) {
  int written = printf("  %s", left);
  size_t at = written > 0 ? (size_t)written : 0;
  if (at + 2 > OPTION_COLUMN) {
    printf("\n");
    at = 0;
  }
  printf("%*s", (int)(OPTION_COLUMN - at), "");
  print_wrapped(text, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_option(const struct cli_option *option) {
  char left[96], text[512], range[160];
  snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
           option->letter ? option->letter : ' ', option->letter ? ", " : "  ",
           option->name, option->placeholder ? " " : "",
           option->placeholder ? option->placeholder : "");
  cli_range_text(option, range, sizeof range);
  int has_range = range[0] != '\0', has_default = option->fallback != NULL;
  snprintf(text, sizeof text, "%s%s%s%s%s%s%s", option->help,
           has_range || has_default ? " (" : "", range,
           has_range && has_default ? "; " : "", has_default ? "default " : "",
           has_default ? option->fallback : "", has_range || has_default ? ")" : "");
  print_entry(left, text);
}

tacit_family cli_family(const struct cli_option *option) {
  return option->family == CLI_LOSS      ? TACIT_LOSSES
         : option->family == CLI_LEARNER ? TACIT_LEARNERS
         : option->family == CLI_LAW     ? TACIT_LAWS
                                         : TACIT_MECHANISMS;
}

static void print_family(const struct cli_option *option) {
  printf("Values of --%s:\n", option->name);
  tacit_catalog_entry entry;
  for (size_t i = 0; tacit_catalog_get(cli_family(option), i, &entry); ++i) {
    print_entry(entry.name, entry.summary);
    for (const tacit_param *p = entry.params; p != NULL && p->name != NULL; ++p) {
      char left[64], text[256];
      snprintf(left, sizeof left, "  :%s=X", p->name);
      if (isnan(p->fallback))
        snprintf(text, sizeof text, "%s (%g to %g)", p->help, p->min, p->max);
      else
        snprintf(text, sizeof text, "%s (%g to %g; default %g)", p->help, p->min,
                 p->max, p->fallback);
      print_entry(left, text);
    }
  }
  printf("\n");
}

static void print_exit_codes(void) {
  printf("Exit codes:\n");
  for (const struct cli_exit_code *e = cli_exit_codes; e->text != NULL; ++e)
    printf("  %-5d%s\n", e->code, e->text);
}

static void print_exit_codes_briefly(void) {
  char line[256] = "Exit codes:";
  for (const struct cli_exit_code *e = cli_exit_codes; e->text != NULL; ++e) {
    size_t at = strlen(line);
    snprintf(line + at, sizeof line - at, " %d %s%s", e->code, e->brief,
             e[1].text != NULL ? "," : ".");
  }
  print_wrapped(line, 0, 0);
}

static void print_usage(const struct cli_command *command) {
  printf("Usage: %s %s [options]%s%s\n\n", cli_name(), command->name,
         command->operands[0] != '\0' ? " " : "", command->operands);
  if (command->actions != NULL)
    printf("%.*s: %s\n\n", (int)strcspn(command->operands, " "), command->operands,
           command->actions);
}

static void print_examples(const struct cli_command *command, size_t max_lines) {
  printf("Examples:\n");
  const char *line = command->prose->examples;
  for (size_t i = 0; i < max_lines && *line != '\0'; ++i) {
    size_t size = strcspn(line, "\n");
    printf("  %.*s\n", (int)size, line);
    line += size + (line[size] == '\n');
  }
  printf("\n");
}

static size_t count_options(const struct cli_command *command) {
  size_t count = 0;
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    count += !cli_is_left_out(command, option);
  return count;
}

static void print_short_help(const struct cli_command *command, size_t n_options) {
  char sentence[512];
  snprintf(sentence, sizeof sentence, "%s", command->prose->description);
  char *end = strstr(sentence, ". ");
  if (end != NULL) end[1] = '\0';
  print_usage(command);
  print_wrapped(sentence, 0, 0);
  printf("\nOptions to know first:\n");
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    if (option->common && !cli_is_left_out(command, option)) print_option(option);
  printf("\n");
  print_examples(command, SHORT_EXAMPLES);
  print_exit_codes_briefly();
  printf("--help-all lists all %zu options, \"man tacit-%s\" explains them.\n",
         n_options, command->name);
}

static void print_long_help(const struct cli_command *command) {
  print_usage(command);
  print_paragraphs(command->prose->description);
  const struct cli_group *group = NULL, *last = NULL;
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, &group)) != NULL; ++i) {
    if (cli_is_left_out(command, option)) continue;
    if (group != last) printf("%s%s:\n", last != NULL ? "\n" : "", group->title);
    last = group;
    print_option(option);
  }
  printf("%sHelp:\n", last != NULL ? "\n" : "");
  print_entry("-h, --help", count_options(command) > MANY
                                ? "print the options to know first"
                                : "print this help");
  print_entry("    --help-all", "print all options");
  printf("\n");
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    if (option->family != CLI_NO_FAMILY) print_family(option);
  print_examples(command, (size_t)-1);
  print_exit_codes();
}

void cli_print_help(const struct cli_command *command, enum cli_help which) {
  size_t n_options = count_options(command);
  which == CLI_HELP &&n_options > MANY ? print_short_help(command, n_options)
                                       : print_long_help(command);
}

void cli_print_overview_help(const struct cli_program *program) {
  const char *name = program->name;
  printf("Usage: %s COMMAND [options] ...\n\nTacit %s %s\n\nCommands:\n", name,
         tacit_version(), program->about);
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c)
    printf("  %-12s%s\n", (*c)->name, (*c)->summary);
  printf("\n\"%s COMMAND --help\" explains one. \"%s --version\" prints the "
         "version.\n%s\n\n",
         name, name, program->hint);
  print_exit_codes();
}
