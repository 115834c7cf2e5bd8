/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CLI_PLAN_H
#define TACIT_CLI_PLAN_H

#include "options.h"

/* Prints the plan of the run that the options define, after its privacy statement if
   with_statement is 1. Returns the exit code. */
int cli_print_plan(const struct cli_arguments *args, int with_statement);

#endif
