/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CLI_PLAN_H
#define TACIT_CLI_PLAN_H

#include "options.h"

/* Prints the plan of the options' run, with the privacy statement before it if wanted;
   returns the exit code. */
int tacit_cli_print_plan(const struct cli_arguments *arguments, int with_statement);

#endif
