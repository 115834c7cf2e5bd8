/* SPDX-License-Identifier: MIT */
/* Checks that no output destroys an input or another output. */
#ifndef TACIT_CLI_PATHS_H
#define TACIT_CLI_PATHS_H

#include "options.h"

/* Refuses an output that is the same regular file, by any name or link, as an input or
   another output. The option tables say which options are inputs and outputs. Touches
   nothing; returns the exit code. */
int cli_check_paths(const struct cli_args *args);
/* Like cli_check_paths, for a list of outputs. */
int cli_check_outputs(const char *const *paths, size_t n_paths);
/* Returns 1 if both exist and are the same file. */
int cli_same_file(const char *a, const char *b);

#endif
