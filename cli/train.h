/* SPDX-License-Identifier: MIT */
/* Training from files, shared by `train` and `demo`. */
#ifndef TACIT_CLI_TRAIN_H
#define TACIT_CLI_TRAIN_H

#include <tacit/train.h>

#include "options.h"

/* Reads the files (label_path: labels of a .npy file, or NULL), trains, and gives the
   model. `config` has everything but rows
   (0: count them), `shuffled` is what is wanted; both are set to what was found.
   Prints the one line and returns its exit code on failure. */
int tacit_cli_train_files(const struct cli_command *command, const char *const *paths,
                          size_t n_paths, const char *label_path, tacit_config *config,
                          int quiet, tacit_model **out_model);

#endif
