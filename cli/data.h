/* SPDX-License-Identifier: MIT */
/* What the data is, shared by the commands that read rows with a schema of options. */
#ifndef TACIT_CLI_DATA_H
#define TACIT_CLI_DATA_H

#include <tacit/files.h>

#include "options.h"

/* "Data": features, schema, labels, classes, rows, no-shuffle. "Arrays": label-file. */
extern const struct cli_group tacit_cli_data_group, tacit_cli_label_group;

/* The schema that the options of the data group and, for a cache or a .npy file, the
   first operand declare. Prints the one line and returns its exit code on failure. */
int tacit_cli_data_schema(const struct cli_arguments *arguments, tacit_schema **out);
/* 1 for standard input and for what is there and is no regular file. */
int tacit_cli_is_pipe(const char *path);

#endif
