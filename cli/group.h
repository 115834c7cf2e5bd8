/* SPDX-License-Identifier: MIT */
/*
 * The processes that train one model together. Each program defines the first three
 * functions (cli/alone.c, mpi/group.c); the others are common.
 */
#ifndef TACIT_CLI_GROUP_H
#define TACIT_CLI_GROUP_H

#include <jansson.h>
#include <tacit/group.h>

#include "options.h"

/* Returns the group of this process, or NULL if it is alone. */
const tacit_group *cli_group(void);
/* Returns the bytes that every rank sent and received, as JSON, on rank 0 of a group.
   Returns NULL elsewhere. All ranks must call it. */
json_t *cli_group_traffic(void);
/* Returns the default number of threads per rank. 0 means one per core. */
unsigned cli_group_threads(void);

/* Returns 1 in the process that prints and writes: rank 0, or the only process. */
int cli_speaks(void);

/* The points where the ranks agree. */
enum cli_place {
  CLI_PREPARED,
  CLI_TRAINED,
  CLI_WRITTEN, /* the last one: after it a rank fails or succeeds alone */
  CLI_ENDED
};

/* Agrees on one exit code: if any rank failed, all get the exit code of the lowest rank
   that failed, and rank 0 prints its line. Returns exit_code without a group, or if all
   ranks know of a failure already. */
int cli_agree(enum cli_place place, int exit_code);
/* Like cli_agree, for an error that the library returned on all ranks. */
int cli_agreed(const tacit_error *err);

#endif
