/* SPDX-License-Identifier: MIT */
/* The tacit program runs as one process: it has no group. */
#include "group.h"

const tacit_group *cli_group(void) { return NULL; }
json_t *cli_group_traffic(void) { return NULL; }
unsigned cli_group_threads(void) { return 0; }
