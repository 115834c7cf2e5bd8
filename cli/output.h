/* SPDX-License-Identifier: MIT */
/* Output files: whole or not at all. */
#ifndef TACIT_CLI_OUTPUT_H
#define TACIT_CLI_OUTPUT_H

#include <stdio.h>

#include "options.h"

/*
 * A file being written. A regular file (or a new one) is written under a temporary name
 * beside its own and renamed when it is complete; anything else (a device, a pipe,
 * standard output) is written directly.
 */
struct cli_output {
  const struct cli_command *command;
  const char *path; /* NULL: standard output */
  FILE *stream;
  char *target;    /* where a symbolic link leads; owned */
  char *temporary; /* NULL: written directly; owned */
};

/* path NULL or "-" is standard output. Returns the exit code, 0 when all is well. */
int tacit_cli_output_open(struct cli_output *output, const struct cli_command *command,
                          const char *path);
/* Completes the file; a failed write anywhere on the way is found here at the latest.
 */
int tacit_cli_output_close(struct cli_output *output);
/* Gives up: the temporary file is removed. For use instead of close. */
void tacit_cli_output_abandon(struct cli_output *output);

/* Whether a file of this name could be written, found out without touching it: exit
   code, 0 when it could. *out_regular is 1 when a rename would put it in place. */
int tacit_cli_output_check(const struct cli_command *command, const char *path,
                           int *out_regular);

#endif
