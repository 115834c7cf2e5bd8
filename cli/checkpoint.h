/* SPDX-License-Identifier: MIT */
/* --checkpoint, --key-file and --resume. */
#ifndef TACIT_CLI_CHECKPOINT_H
#define TACIT_CLI_CHECKPOINT_H

#include <tacit/config.h>

#include "options.h"

extern const struct cli_group cli_checkpoint_group;

/* Fills the config and checks, before any data is read, that the checkpoint is usable.
   Returns 0, or prints one line and returns the exit code. */
int cli_checkpoint_settings(const struct cli_arguments *args, tacit_config *config);
/* 1 if cli_checkpoint_settings found a checkpoint to resume from. */
int cli_checkpoint_found(void);
/* Deletes the checkpoint after the model was stored. */
void cli_checkpoint_remove(const struct cli_arguments *args);

#endif
