/* SPDX-License-Identifier: MIT */
/* The options that define a run, shared by `train` and `plan`; the options that
   describe the data are in data.h. */
#ifndef TACIT_CLI_SETTINGS_H
#define TACIT_CLI_SETTINGS_H

#include <tacit/config.h>
#include <tacit/matrix.h>
#include <tacit/model.h>

#include "options.h"

extern const struct cli_group cli_privacy_group, cli_problem_group, cli_algorithm_group,
    cli_noise_group;

/* A config and the objects it points to. */
struct cli_run {
  tacit_config config;
  tacit_schema *schema;
  tacit_model *init;     /* NULL if --init is not given */
  tacit_matrix matrix;   /* of --mechanism matrix:file=FILE */
  double *class_weights; /* NULL if --class-weight is not given */
};

/* Fills a config from the options of these groups and loads schema and initial model.
   `rows` is 0 if --rows is not given. Returns 0, or prints one line and returns the
   exit code; then there is nothing to free. */
int cli_settings(const struct cli_arguments *args, struct cli_run *out);
void cli_settings_free(struct cli_run *run);

#endif
