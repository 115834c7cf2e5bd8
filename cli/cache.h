/* SPDX-License-Identifier: MIT */
/* The cache of `train --cache`. */
#ifndef TACIT_CLI_CACHE_H
#define TACIT_CLI_CACHE_H

#include <tacit/files.h>

#include "options.h"

/* What a cache is made from, or was. */
struct cli_cache {
  const struct cli_arguments *arguments; /* of the command, for its limits */
  const char *path;
  const char *const *sources;
  size_t n_sources;
  const char *label_path; /* NULL: none */
  const tacit_schema *schema;
  int64_t rows; /* declared; 0: not */
  int shuffle;
};

/* The cache that `train --cache` reads: made when there is none, otherwise checked to
   be one of these sources. Prints the one line and returns its exit code on failure. */
int tacit_cli_cache_use(const struct cli_cache *cache);

#endif
