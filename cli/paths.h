/* SPDX-License-Identifier: MIT */
/* No output destroys what the command reads, or another output. */
#ifndef TACIT_CLI_PATHS_H
#define TACIT_CLI_PATHS_H

#include "options.h"

/* Refuses outputs that are the same regular file, by any name or link, as an input or
   another output; which options and operands are what, their tables say. Nothing is
   touched. Returns the exit code, 0 when all is well. */
int tacit_cli_check_paths(const struct cli_arguments *arguments);
/* The same for a list of outputs. */
int tacit_cli_check_outputs(const struct cli_command *command, const char *const *paths,
                            size_t n_paths);
/* 1 when both are there and are the same file. */
int tacit_cli_same_file(const char *a, const char *b);

#endif
