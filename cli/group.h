/* SPDX-License-Identifier: MIT */
/*
 * The processes that train one model together. A program brings the first three
 * functions (cli/alone.c, mpi/group.c); the others are the same for all.
 */
#ifndef TACIT_CLI_GROUP_H
#define TACIT_CLI_GROUP_H

#include <jansson.h>
#include <tacit/group.h>

#include "options.h"

/* The group this process is a rank of; NULL: it is alone. */
const tacit_group *tacit_cli_group(void);
/* Bytes every rank has sent and received, as JSON on rank 0, NULL elsewhere and alone.
   Called by all ranks. */
json_t *tacit_cli_group_traffic(void);
/* Threads a rank should start when none are asked for; 0: one for each core. */
unsigned tacit_cli_group_threads(void);

/* 1 for the process that prints and writes: rank 0, or the only one. */
int tacit_cli_speaks(void);

/* Points at which the ranks make sure of each other. */
enum cli_place {
  CLI_PREPARED,
  CLI_TRAINED,
  CLI_WRITTEN, /* the last one: behind it a rank fails or succeeds alone */
  CLI_ENDED
};

/* Brings the exit code of any rank that failed to all of them: rank 0 prints the line
   of the lowest one. Alone, or once a failure is known to all: returns exit_code. */
int tacit_cli_agree(const struct cli_command *command, enum cli_place place,
                    int exit_code);
/* The same for a failure of the library that all ranks have had at once. */
int tacit_cli_agreed(const struct cli_command *command, const tacit_error *err);

#endif
