/* SPDX-License-Identifier: MIT */
/* Output files: complete or not there at all. */
#ifndef TACIT_CLI_OUTPUT_H
#define TACIT_CLI_OUTPUT_H

#include <stdio.h>
#include <tacit/output.h>

#include "options.h"

/* A file being written (tacit/output.h), or standard output. */
struct cli_output {
  const struct cli_command *command;
  const char *path;   /* NULL: standard output */
  FILE *stream;       /* of cli_output_open */
  tacit_output *file; /* NULL: standard output */
};

/* Opens a file for writing through output->stream; path NULL or "-" is standard output.
   Returns the exit code. */
int cli_output_open(struct cli_output *output, const struct cli_command *command,
                    const char *path);
/* Opens a file for writing through output->file; `mode` is the mode of a new file. */
int cli_output_begin(struct cli_output *output, const struct cli_command *command,
                     const char *path, unsigned mode);
/* Completes the file without placing it; reports any failed write. For `durable` see
   tacit_output_complete. */
int cli_output_complete(struct cli_output *output, int durable);
/* Gives the complete file its name: the last step of a command that can fail. */
int cli_output_place(struct cli_output *output);
/* Completes and places the file. */
int cli_output_close(struct cli_output *output);
/* Deletes an unfinished file. Has no effect after place or close. */
void cli_output_abandon(struct cli_output *output);

/* Checks, without touching it, that a file of this name could be written. Returns the
   exit code. *out_regular is 1 if a rename would place it, 0 for a device or pipe. */
int cli_output_check(const struct cli_command *command, const char *path,
                     int *out_regular);

#endif
