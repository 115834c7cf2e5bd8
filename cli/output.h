/* SPDX-License-Identifier: MIT */
/* Output files: whole or not at all. */
#ifndef TACIT_CLI_OUTPUT_H
#define TACIT_CLI_OUTPUT_H

#include <stdio.h>
#include <tacit/output.h>

#include "options.h"

/* A file being written (tacit/output.h), or standard output. */
struct cli_output {
  const struct cli_command *command;
  const char *path;   /* NULL: standard output */
  FILE *stream;       /* of tacit_cli_output_open */
  tacit_output *file; /* NULL: standard output */
};

/* A file to write to through a stream; path NULL or "-" is standard output. Returns the
   exit code, 0 when all is well. */
int tacit_cli_output_open(struct cli_output *output, const struct cli_command *command,
                          const char *path);
/* A file to write to through output->file; `mode` is that of a new one. */
int tacit_cli_output_begin(struct cli_output *output, const struct cli_command *command,
                           const char *path, unsigned mode);
/* Completes the file but for its place; a failed write anywhere on the way is found
   here at the latest. For `durable` see tacit_output_complete. */
int tacit_cli_output_complete(struct cli_output *output, int durable);
/* Puts the complete file in its place, the last thing of a command that can fail. */
int tacit_cli_output_place(struct cli_output *output);
/* Both. */
int tacit_cli_output_close(struct cli_output *output);
/* Gives up: nothing is left of the file. For use instead of place and close, and
   harmless behind them. */
void tacit_cli_output_abandon(struct cli_output *output);

/* Whether a file of this name could be written, found out without touching it: exit
   code, 0 when it could. *out_regular is 1 when a rename would put it in place. */
int tacit_cli_output_check(const struct cli_command *command, const char *path,
                           int *out_regular);

#endif
