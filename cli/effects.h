/* SPDX-License-Identifier: MIT */
/* How a table of effects is printed, shared by `infer` and `show`. */
#ifndef TACIT_CLI_EFFECTS_H
#define TACIT_CLI_EFFECTS_H

#include <tacit/model.h>

#include "options.h"

/* "Table": level, side, contrast, csv. The command also has --json. */
extern const struct cli_group cli_effects_group;

/* Prints the table of a model as these options say, and the statement if it is for
   people. Returns the exit code. */
int cli_effects_show(const struct cli_args *args, const tacit_model *model);
/* Prints the plan of a table: `plan --infer`. */
int cli_effects_plan(const struct cli_args *args);

#endif
