/* SPDX-License-Identifier: MIT */
/* What a run cannot do with a pipe. */
#include "pipes.h"

#include "cli.h"
#include "data.h"
#include "group.h"

int tacit_cli_pipes_check(const struct cli_arguments *arguments) {
  if (tacit_cli_given(arguments, "cache")) {
    if (tacit_cli_group() != NULL)
      return tacit_cli_refuse(arguments,
                              "--cache is for one process: make the file with \"tacit "
                              "cache\" first and train on it");
    return 0; /* a cache counts the rows and can be read again */
  }
  for (size_t i = 0; i < arguments->n_operands; ++i) {
    const char *path = arguments->operands[i];
    if (!tacit_cli_is_pipe(path)) continue;
    if (tacit_cli_group() != NULL)
      return tacit_cli_refuse(arguments,
                              "%s is not a regular file and cannot be divided among "
                              "processes: store it in a file",
                              path);
    if (!tacit_cli_given(arguments, "rows") && !tacit_cli_given(arguments, "units"))
      return tacit_cli_refuse(
          arguments,
          "%s is not a regular file and cannot be counted first: give "
          "--rows N (--units N for persons)",
          path);
    if (tacit_cli_given(arguments, "checkpoint"))
      return tacit_cli_refuse(
          arguments,
          "%s is not a regular file and cannot be read again, so the "
          "run cannot be resumed: drop --checkpoint, or give --cache "
          "FILE to keep its rows",
          path);
    if (tacit_cli_value(arguments, "passes")->integer > 1 &&
        !tacit_cli_given(arguments, "units"))
      return tacit_cli_refuse(
          arguments,
          "%s is not a regular file and can be read once only: drop "
          "--passes, or give --cache FILE to keep its rows",
          path);
  }
  return 0;
}

/* Rows of persons and those in a cache are kept. */
static int reads_once(const struct cli_arguments *arguments) {
  if (tacit_cli_given(arguments, "cache") || tacit_cli_given(arguments, "units"))
    return 0;
  for (size_t i = 0; i < arguments->n_operands; ++i)
    if (tacit_cli_is_pipe(arguments->operands[i])) return 1;
  return 0;
}

void tacit_cli_pipes_settings(const struct cli_arguments *arguments,
                              tacit_config *config) {
  if (!reads_once(arguments)) return;
  config->again = config->shuffled = 0;
  if (config->centre == TACIT_CENTRE_ON) config->centre = TACIT_CENTRE_HEAD;
}

int tacit_cli_pipes_persons(const struct cli_arguments *arguments,
                            const tacit_config *config) {
  if (tacit_cli_given(arguments, "cache") || config->units > 0 ||
      (tacit_schema_unit(config->schema) == NULL &&
       !tacit_cli_given(arguments, "unit")))
    return 0;
  for (size_t i = 0; i < arguments->n_operands; ++i) {
    if (tacit_cli_is_pipe(arguments->operands[i]))
      return tacit_cli_refuse(
          arguments,
          "%s is not a regular file, and its rows belong to persons: "
          "give their number, --units N",
          arguments->operands[i]);
  }
  return 0;
}
