/* SPDX-License-Identifier: MIT */
/* --checkpoint, --key-file and --resume. */
#ifndef TACIT_CLI_CHECKPOINT_H
#define TACIT_CLI_CHECKPOINT_H

#include <tacit/config.h>

#include "options.h"

extern const struct cli_group tacit_cli_checkpoint_group;

/* Fills the config and finds out, before any data is read, whether the checkpoint can
   be used. Prints the one line and returns its exit code on failure. */
int tacit_cli_checkpoint_settings(const struct cli_arguments *arguments,
                                  tacit_config *config);
/* The model is safe: the checkpoint goes. */
void tacit_cli_checkpoint_remove(const struct cli_arguments *arguments);

#endif
