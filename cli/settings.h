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
int cli_settings(const struct cli_args *args, struct cli_run *out);
void cli_settings_free(struct cli_run *run);

/* ---- a matrix of the user ---- */

/* The file of "matrix:file=FILE"; NULL if the text is anything else. */
const char *cli_matrix_file(const char *mechanism);
/* Reads a matrix: a line "rounds R bits B", then R lines, line t with the t entries
   C_t1 … C_tt times 2^B. Empty lines and lines that begin with # are skipped. Returns
   0, or prints one line and returns the exit code. Free out->entries with free. */
int cli_matrix_load(const char *path, tacit_matrix *out);

/* ---- checkpoints ---- */

extern const struct cli_group cli_checkpoint_group;

/* Fills the config and checks, before any data is read, that the checkpoint is usable.
   Returns 0, or prints one line and returns the exit code. */
int cli_checkpoint_settings(const struct cli_args *args, tacit_config *config);
/* Deletes the checkpoint after the model was stored. */
void cli_checkpoint_remove(const struct cli_args *args);

/* ---- pipes: they cannot be counted, read again or divided among ranks ---- */

/* These return 0, or print one line and return the exit code. */
int cli_pipes_check(const struct cli_args *args);
/* Checks that the number of persons is declared before a pipe is read. */
int cli_pipes_persons(const struct cli_args *args, const tacit_config *config);
/* A pipe keeps its order and is read once: one pass, and the mean of its first rows. */
void cli_pipes_settings(const struct cli_args *args, tacit_config *config);

/* Prints the plan of the run that the options define, after its privacy statement if
   with_statement is 1. Returns the exit code. */
int cli_print_plan(const struct cli_args *args, int with_statement);

#endif
