/* SPDX-License-Identifier: MIT */
/* Training from files, shared by `train` and `demo`. */
#ifndef TACIT_CLI_TRAIN_H
#define TACIT_CLI_TRAIN_H

#include <tacit/train.h>

#include "options.h"

/* Reads the files, trains, and gives the model. `reading` has the labels of a .npy file
   and the limits. `config` has everything but rows (0: count them), `shuffled` is what
   is wanted; both are set to what was found. Prints the one line and returns its exit
   code on failure. */
int tacit_cli_train_files(const struct cli_command *command, const char *const *paths,
                          size_t n_paths, const tacit_reader_options *reading,
                          tacit_config *config, int quiet, tacit_model **out_model);

/* Writes a model to an output, complete but for its place. On failure prints the one
   line, returns its exit code, and there is nothing to abandon. */
struct cli_output;
int tacit_cli_train_write(const struct cli_command *command, const char *path,
                          const tacit_model *model, struct cli_output *output);

#endif
