/* SPDX-License-Identifier: MIT */
/*
 * A program with commands: finds the command, parses its options, runs it. Uses only
 * the public headers of the library, and refuses a library with another binary
 * interface.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <tacit/version.h>
#include <unistd.h>

#include "cli.h"
#include "group.h"
#include "paths.h"

const struct cli_exit_code cli_exit_codes[] = {
    {0, "success", "success"},
    {1, "input or output", "input or output failed, or anything not listed here"},
    {2, "usage", "wrong use: options that are unknown, out of range or contradictory"},
    {3, "data", "bad data: a row, a schema, a model or a checkpoint breaks its rules"},
    {4, "budget", "privacy budget refused"},
    {5, "precondition", "privacy precondition not met"},
    {130, "SIGINT", "stopped by SIGINT"},
    {143, "SIGTERM", "stopped by SIGTERM"},
    {0, NULL, NULL}};

/* Set once, before anything reads them. */
static const struct cli_program *program;
static const char *called;
static const struct cli_command *current;
static char last_line[248]; /* the last message, for the other processes */

const char *cli_program(void) { return called; }
const struct cli_command *cli_current(void) { return current; }
const char *cli_name(void) { return program->name; }
const struct cli_program *cli_this(void) { return program; }
const char *cli_last_line(void) { return last_line; }

static void print_line(const char *message) {
  char line[1024];
  snprintf(last_line, sizeof last_line, "%.*s", (int)sizeof last_line - 1, message);
  if (!cli_speaks()) return;
  if (current != NULL)
    snprintf(line, sizeof line, "%s %s: %s", program->name, current->name, message);
  else
    snprintf(line, sizeof line, "%s: %s", program->name, message);
  /* A file name may contain control characters; the message must stay one line. */
  for (char *c = line; *c != '\0'; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  fprintf(stderr, "%s\n", line);
}

static void print_format(const char *format, va_list values) {
  char message[960];
  vsnprintf(message, sizeof message, format, values);
  print_line(message);
}

int cli_fail(int exit_code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_format(format, values);
  va_end(values);
  return exit_code;
}

int cli_refuse(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_format(format, values);
  va_end(values);
  return CLI_USAGE;
}

int cli_fail_error(const tacit_error *err) {
  print_line(err->message);
  return tacit_status_exit_code(err->status);
}

int cli_judge(tacit_status status, const tacit_error *err) {
  return status == TACIT_OK ? 0 : cli_fail_error(err);
}

int cli_close_stdout() {
  if (fflush(stdout) != 0 || ferror(stdout))
    return cli_fail(CLI_FAILED,
                    "standard output could not be written: is the disk full, "
                    "or the pipe closed?");
  return CLI_OK;
}

static const struct cli_command *find_command(const char *name) {
  for (const struct cli_command *const *c = program->commands; *c != NULL; ++c)
    if (strcmp((*c)->name, name) == 0) return *c;
  return NULL;
}

static int unknown_command(const char *name) {
  const char *names[32];
  size_t n = 0;
  for (; program->commands[n] != NULL; ++n)
    names[n] = program->commands[n]->name;
  names[n] = NULL;
  const char *closest = cli_closest(name, names);
  if (closest != NULL)
    return cli_refuse("unknown command \"%.60s\"; did you mean %s?", name, closest);
  if (program->elsewhere != NULL)
    return cli_refuse("unknown command \"%.60s\"; %s", name, program->elsewhere);
  return cli_refuse("unknown command \"%.60s\"; \"%s --help\" lists them", name,
                    program->name);
}

/* `tacit man [COMMAND]` writes a manual page. Only the build calls it, so no help lists
   it. */
static int print_man(int n_words, char **words) {
  if (n_words == 0) {
    cli_print_overview_man(program->commands);
    return cli_close_stdout();
  }
  const struct cli_command *command = find_command(words[0]);
  if (command == NULL) return unknown_command(words[0]);
  cli_print_man(command);
  return cli_close_stdout();
}

/* One command, from its words to its exit code. */
static int run_command(const struct cli_command *command, int n_words, char **words) {
  struct cli_args args;
  current = command;
  int exit_code = cli_parse(command, n_words, words, &args);
  if (exit_code == 0 && args.help != CLI_NO_HELP) {
    cli_print_help(command, args.help);
    exit_code = cli_close_stdout();
  } else if (exit_code == 0) {
    exit_code = cli_check_paths(&args);
    if (exit_code == 0) exit_code = command->run(&args);
  }
  cli_args_free(&args);
  return exit_code;
}

static int run_words(int n_words, char **words) {
  if (tacit_abi() != TACIT_ABI)
    return cli_fail(CLI_FAILED,
                    "built for library interface %d but the library has %d: "
                    "install matching versions",
                    TACIT_ABI, tacit_abi());
  if (n_words < 2)
    return cli_refuse("a command is missing; \"%s --help\" lists them", program->name);
  const char *word = words[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
      (strcmp(word, "help") == 0 && n_words == 2)) {
    cli_print_overview_help(program);
    return cli_close_stdout();
  }
  if (strcmp(word, "--version") == 0) {
    printf("%s %s\n", program->name, tacit_version());
    return cli_close_stdout();
  }
  if (strcmp(word, "man") == 0) return print_man(n_words - 2, words + 2);
  if (word[0] == '-')
    return cli_refuse("the command comes first: %s COMMAND [options], not \"%.60s\"",
                      program->name, word);
  int wants_help = strcmp(word, "help") == 0 && n_words == 3;
  if (wants_help) word = words[2];
  const struct cli_command *command = find_command(word);
  if (command == NULL) return unknown_command(word);
  if (!wants_help) return run_command(command, n_words - 2, words + 2);
  current = command;
  cli_print_help(command, CLI_HELP);
  return cli_close_stdout();
}

int cli_open_standard(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    /* open() returns the lowest free descriptor, which is this one. */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return CLI_FAILED;
  }
  return CLI_OK;
}

int cli_run(const struct cli_program *which, int n_words, char **words) {
  program = which;
  called = n_words > 0 ? words[0] : which->name;
  int exit_code = run_words(n_words, words);
  current = NULL;
  return cli_agree(CLI_ENDED, exit_code);
}
