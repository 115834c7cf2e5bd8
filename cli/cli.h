/* SPDX-License-Identifier: MIT */
/* What the commands share: error lines, exit codes, the list of commands. */
#ifndef TACIT_CLI_H
#define TACIT_CLI_H

#include <tacit/status.h>

#include "options.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* One line on standard error, "tacit COMMAND: message", control characters replaced so
   that it stays one line; returns exit_code. command NULL: the program itself. */
int tacit_cli_fail(const struct cli_command *command, int exit_code, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));
/* The same for a failed library call. */
int tacit_cli_fail_error(const struct cli_command *command, const tacit_error *err);
/* Flushes standard output; exit code 1 and a line when it could not be written. */
int tacit_cli_close_stdout(const struct cli_command *command);

/* A program and its commands. */
struct cli_program {
  const char *name;
  const char *about; /* what it does, after its name and version */
  const char *hint;  /* the last line of its help */
  const struct cli_command *const *commands; /* NULL-ended */
};

/* Opens those of descriptors 0 to 2 that are closed on /dev/null, or the first file of
   the command would be taken for standard output. The first call of a program; returns
   the exit code. */
int tacit_cli_open_standard(void);
/* Runs the command the words ask for and returns the exit code of the process. */
int tacit_cli_run(const struct cli_program *program, int n_words, char **words);
/* Name of the program, and its last error line without it. */
const char *tacit_cli_name(void);
const char *tacit_cli_last_line(void);
/* How this program was called, for commands to paste. */
const char *tacit_cli_program(void);

/* Exit codes as documented, one per line of help: code and text; NULL text ends. */
struct cli_exit_code {
  int code;
  const char *text;
};
extern const struct cli_exit_code tacit_cli_exit_codes[];

extern const struct cli_command tacit_cli_train, tacit_cli_predict, tacit_cli_eval,
    tacit_cli_account, tacit_cli_plan, tacit_cli_schema, tacit_cli_cache,
    tacit_cli_demo, tacit_cli_version;

#endif
