/* SPDX-License-Identifier: MIT */
/* The cache of `train --cache`. */
#ifndef TACIT_CLI_CACHE_H
#define TACIT_CLI_CACHE_H

#include <tacit/files.h>

#include "options.h"

/* The sources of a cache. */
struct cli_cache {
  const struct cli_args *args; /* of the command, for its limits */
  const char *path;
  const char *const *sources;
  size_t n_sources;
  const tacit_schema *schema;
  int64_t rows; /* declared number of rows, or 0 */
  int shuffle;
};

/* Prepares the cache for `train --cache`: makes it if it does not exist, otherwise
   checks that it was made from these sources. Returns 0, or prints one line and returns
   the exit code. */
int cli_cache_use(const struct cli_cache *cache);

#endif
