/* SPDX-License-Identifier: MIT */
/* `--mechanism matrix:file=FILE`: a matrix of the user's, as text. */
#ifndef TACIT_CLI_MATRIX_H
#define TACIT_CLI_MATRIX_H

#include <tacit/matrix.h>

#include "options.h"

/* The file of "matrix:file=FILE"; NULL if the text is anything else. */
const char *cli_matrix_file(const char *mechanism);
/* Reads a matrix: a line "rounds R bits B", then R lines, line t with the t entries
   C_t1 … C_tt times 2^B. Empty lines and lines that begin with # are skipped. Returns
   0, or prints one line and returns the exit code. Free out->entries with free. */
int cli_matrix_load(const struct cli_arguments *args, const char *path,
                    tacit_matrix *out);

#endif
