/* SPDX-License-Identifier: MIT */
/* The options that describe the data, shared by the commands that read rows. */
#ifndef TACIT_CLI_DATA_H
#define TACIT_CLI_DATA_H

#include <tacit/files.h>

#include "options.h"

/* "Data": features, schema, labels, classes, rows, no-shuffle. "Labels and
   weights": label-file, weights, max-weight. */
extern const struct cli_group cli_data_group, cli_label_group;
/* "Persons": unit, units, unit-rows; or unit alone. */
extern const struct cli_group cli_person_group, cli_unit_group;

/* Makes the schema from the options of the data group and, for a cache or a .npy file,
   from the first operand. Returns 0, or prints one line and returns the exit code. */
int cli_data_schema(const struct cli_arguments *args, tacit_schema **out);
/* Prints a note for every category of which "other" is declared. */
void cli_note_other(const struct cli_command *command, const tacit_schema *schema);
/* 1 for standard input, pipes and devices. */
int cli_is_pipe(const char *path);

#endif
