/* SPDX-License-Identifier: MIT */
/* The options that define a run, shared by `train` and `plan`. */
#ifndef TACIT_CLI_SETTINGS_H
#define TACIT_CLI_SETTINGS_H

#include <tacit/config.h>

#include "options.h"

extern const struct cli_group tacit_cli_privacy_group, tacit_cli_data_group,
    tacit_cli_problem_group, tacit_cli_algorithm_group, tacit_cli_noise_group;

/* Fills a config from the options of these groups and loads the schema. `rows` stays 0
   when --rows is not given. Prints the one line and returns its exit code on failure;
   then *out_schema is untouched. config->schema is *out_schema: free it last. */
int tacit_cli_settings(const struct cli_arguments *arguments, tacit_config *config,
                       tacit_schema **out_schema);

#endif
