/* SPDX-License-Identifier: MIT */
/* A pipe cannot be counted, read again or divided among ranks. Checked before it is
   opened, with messages that name the options. */
#ifndef TACIT_CLI_PIPES_H
#define TACIT_CLI_PIPES_H

#include <tacit/config.h>

#include "options.h"

/* These return 0, or print one line and return the exit code. */
int cli_pipes_check(const struct cli_arguments *args);
/* The number of persons is declared before a pipe is read, like that of rows. */
int cli_pipes_persons(const struct cli_arguments *args, const tacit_config *config);
/* A pipe keeps its order and is read once: one pass, and the mean of its first rows. */
void cli_pipes_settings(const struct cli_arguments *args, tacit_config *config);

#endif
