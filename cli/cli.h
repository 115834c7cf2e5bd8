/* SPDX-License-Identifier: MIT */
/* What the commands share: error lines, exit codes, the list of commands. */
#ifndef TACIT_CLI_H
#define TACIT_CLI_H

#include <tacit/status.h>

#include "options.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Prints one line, "tacit COMMAND: message", on standard error and returns exit_code.
   Control characters are replaced, so that it is one line. `command` may be NULL. */
int cli_fail(const struct cli_command *command, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints such a line about wrong use and returns CLI_USAGE. */
int cli_refuse(const struct cli_arguments *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for the error of a library call. */
int cli_fail_error(const struct cli_command *command, const tacit_error *err);
/* Flushes standard output. If that fails, prints a line and returns exit code 1. */
int cli_close_stdout(const struct cli_command *command);

/* A program and its commands. */
struct cli_program {
  const char *name;
  const char *about; /* what it does, after its name and version */
  const char *hint;  /* the last line of its help */
  const struct cli_command *const *commands; /* NULL-ended */
};

/* Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the
   first file that a command opens would become its standard output. Must be the first
   call of a program; returns the exit code. */
int cli_open_standard(void);
/* Runs the command the words ask for and returns the exit code of the process. */
int cli_run(const struct cli_program *program, int n_words, char **words);
/* The program that cli_run runs. */
const struct cli_program *cli_this(void);
/* The name of the program, and its last error line without that name. */
const char *cli_name(void);
const char *cli_last_line(void);
/* The path this program was called by, for commands to paste. */
const char *cli_program(void);

/* The documented exit codes. A NULL text ends the list. */
struct cli_exit_code {
  int code;
  const char *brief; /* for the short help */
  const char *text;
};
extern const struct cli_exit_code cli_exit_codes[];

extern const struct cli_command cli_account, cli_audit, cli_cache, cli_check,
    cli_completion, cli_demo, cli_describe, cli_eval, cli_export, cli_ledger, cli_plan,
    cli_predict, cli_report, cli_schema, cli_show, cli_stream, cli_train, cli_version;

#endif
