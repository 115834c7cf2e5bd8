/* SPDX-License-Identifier: MIT */
/* What `eval --epsilon` and `describe` share: their budget, and one release. */
#ifndef TACIT_CLI_RELEASE_H
#define TACIT_CLI_RELEASE_H

#include <jansson.h>
#include <tacit/extra/evaluate.h>

#include "budget.h"
#include "options.h"

/* "Privacy": epsilon, delta, adjacency, seed, key-file. */
extern const struct cli_group cli_release_group;

/* Sets the options of the library from the group. */
void cli_release_options(const struct cli_args *args, tacit_evaluation_options *out);

/* A release that is being made: of the quality of `model`, or of the columns of
   `schema`. */
struct cli_release {
  const struct cli_args *args;
  const tacit_model *model;
  const tacit_schema *schema;
  tacit_evaluation_options options;
  const char *const *paths;
  size_t n_paths;
  tacit_reader_options reading;
  struct cli_budget budget;
};

/* Opens the data, pays, releases, and sets *out to the result. Returns 0, or prints one
   line and returns the exit code. */
int cli_release_run(struct cli_release *release, json_t **out);
/* Prints the number of persons, or of rows. */
void cli_release_print_count(const json_t *result);
/* Prints "name value (low to high)", or that it is too noisy. */
void cli_release_print_number(const char *name, const json_t *interval);
/* Prints what the release guarantees. */
void cli_release_print_guarantee(const json_t *result);

#endif
