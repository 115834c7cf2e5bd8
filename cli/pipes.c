/* SPDX-License-Identifier: MIT */
/* What a run cannot do with a pipe. */
#include "settings.h"

#include "cli.h"
#include "data.h"
#include "group.h"

/* The first operand that is not a regular file; NULL if all are. */
static const char *first_pipe(const struct cli_args *args) {
  for (size_t i = 0; i < args->n_operands; ++i)
    if (cli_is_pipe(args->operands[i])) return args->operands[i];
  return NULL;
}

int cli_pipes_check(const struct cli_args *args) {
  const char *path = first_pipe(args);
  if (cli_given(args, "cache")) /* which counts the rows and can be read again */
    return cli_group() == NULL
               ? 0
               : cli_refuse("--cache is for one process: make the file with "
                            "\"tacit cache\" first and train on it");
  if (path == NULL) return 0;
  if (cli_group() != NULL)
    return cli_refuse("%s is not a regular file and cannot be divided among processes: "
                      "store it in a file",
                      path);
  if (!cli_given(args, "rows") && !cli_given(args, "units"))
    return cli_refuse("%s is not a regular file and cannot be counted first: give "
                      "--rows N (--units N for persons)",
                      path);
  if (cli_given(args, "checkpoint"))
    return cli_refuse("%s is not a regular file and cannot be read again, so the run "
                      "cannot be resumed: drop --checkpoint, or give --cache FILE to "
                      "keep its rows",
                      path);
  if (cli_integer(args, "passes", 1) > 1 && !cli_given(args, "units"))
    return cli_refuse("%s is not a regular file and can be read once only: drop "
                      "--passes, or give --cache FILE to keep its rows",
                      path);
  return 0;
}

/* Rows of persons and those in a cache are kept. */
void cli_pipes_settings(const struct cli_args *args, tacit_config *config) {
  if (cli_given(args, "cache") || cli_given(args, "units") || first_pipe(args) == NULL)
    return;
  config->rereadable = config->shuffled = 0;
  if (config->centre == TACIT_CENTRE_ON) config->centre = TACIT_CENTRE_HEAD;
}

int cli_pipes_persons(const struct cli_args *args, const tacit_config *config) {
  const char *path = first_pipe(args);
  if (cli_given(args, "cache") || config->units > 0 || path == NULL ||
      (tacit_schema_unit(config->schema) == NULL && !cli_given(args, "unit")))
    return 0;
  return cli_refuse("%s is not a regular file, and its rows belong to persons: give "
                    "their number, --units N",
                    path);
}
