/* SPDX-License-Identifier: MIT */
/* The options that define a run, shared by `train` and `plan`; those that say
   what the data is are in data.h. */
#ifndef TACIT_CLI_SETTINGS_H
#define TACIT_CLI_SETTINGS_H

#include <tacit/config.h>
#include <tacit/model.h>

#include "options.h"

extern const struct cli_group tacit_cli_privacy_group, tacit_cli_problem_group,
    tacit_cli_algorithm_group, tacit_cli_noise_group;

/* A config with what it borrows. */
struct cli_run {
  tacit_config config;
  tacit_schema *schema;
  tacit_model *init; /* NULL without --init */
};

/* Fills a config from the options of these groups and loads schema and initial model.
   `rows` stays 0 when --rows is not given. Prints the one line and returns its exit
   code on failure; then there is nothing to free. */
int tacit_cli_settings(const struct cli_arguments *arguments, struct cli_run *out);
void tacit_cli_settings_free(struct cli_run *run);

#endif
