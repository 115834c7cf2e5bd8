/* SPDX-License-Identifier: MIT */
/* Training from files, shared by `train` and `demo`. */
#ifndef TACIT_CLI_TRAIN_H
#define TACIT_CLI_TRAIN_H

#include <tacit/train.h>

#include "options.h"

/* Reads the files, trains, and returns the model. `reading` has the labels of a .npy
   file and the limits. config->rows may be 0 to count them, and config->shuffled is the
   wanted order; both are set to what the reader found. `budget` pays for the run; it
   may be NULL. Returns 0, or prints one line and returns the exit code. */
struct cli_budget;
int cli_train_files(const char *const *paths, size_t n_paths,
                    const tacit_reader_options *reading, tacit_config *config,
                    int quiet, struct cli_budget *budget, tacit_model **out_model);

/* Writes a model to an output and completes it without placing it. On failure prints
   one line and returns the exit code; then there is nothing to abandon. */
struct cli_output;
int cli_train_write(const char *path, const tacit_model *model,
                    struct cli_output *output);

#endif
