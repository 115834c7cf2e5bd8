/* SPDX-License-Identifier: MIT */
/* The options of checkpoints, and messages that name these options. */
#include "checkpoint.h"

#include <stdio.h>
#include <tacit/train.h>

#include "budget.h"
#include "cli.h"
#include "group.h"
#include "paths.h"
#include "stop.h"

const struct cli_group tacit_cli_checkpoint_group = GROUP(
    "Checkpoint",
    OUTPUT("checkpoint", "FILE",
           "store the state of the run in this file, so that it can be resumed; "
           "written after every round up to 64, then after every 1/16 more; reads the "
           "data once more at the start; deleted after the model is written"),
    INPUT("key-file", "FILE",
          "key of the checkpoint, which is encrypted because it holds sums without "
          "noise, and of the fingerprint of DATA in a ledger, by which the same file "
          "under two names is noticed: 32 bytes or more that only you can read (head "
          "-c 32 /dev/urandom > FILE; chmod 600 FILE)"),
    FLAG("resume", "continue from the checkpoint, with the same options on the same "
                   "data, which is compared: the model has the same bits as without a "
                   "break; if there is no checkpoint, start at the first round"));

static int check_options(const struct cli_arguments *arguments) {
  const char *path = tacit_cli_text(arguments, "checkpoint", NULL);
  const char *key = tacit_cli_text(arguments, "key-file", NULL);
  if (path == NULL && key != NULL && !tacit_cli_budget_named(arguments))
    return tacit_cli_refuse(arguments,
                            "--key-file is for a --checkpoint or a --ledger: give one");
  if (path == NULL && tacit_cli_given(arguments, "resume"))
    return tacit_cli_refuse(arguments,
                            "--resume continues from a --checkpoint: say which");
  if (path == NULL) return 0;
  if (key == NULL)
    return tacit_cli_refuse(arguments,
                            "--checkpoint needs --key-file FILE: the checkpoint holds "
                            "sums without noise and is encrypted");
  return 0;
}

static int is_found;

int tacit_cli_checkpoint_found(void) { return is_found; }

int tacit_cli_checkpoint_settings(const struct cli_arguments *arguments,
                                  tacit_config *config) {
  int exit_code = check_options(arguments);
  config->checkpoint = tacit_cli_text(arguments, "checkpoint", NULL);
  if (config->checkpoint != NULL)
    config->key_file = tacit_cli_text(arguments, "key-file", NULL);
  config->resume = tacit_cli_given(arguments, "resume");
  if (exit_code != 0 || config->checkpoint == NULL) return exit_code;
  tacit_cli_stop_advise("add --resume to continue");
  if (!tacit_cli_speaks()) return 0; /* rank 0 writes it */
  tacit_error err;
  if (tacit_checkpoint_check(config->checkpoint, config->key_file, config->resume,
                             &is_found, &err) != TACIT_OK)
    return tacit_cli_fail_error(arguments->command, &err);
  if (config->resume && !is_found && !tacit_cli_given(arguments, "quiet"))
    fprintf(stderr, "%s %s: no checkpoint %s yet: starting at the first round\n",
            tacit_cli_name(), arguments->command->name, config->checkpoint);
  return 0;
}

void tacit_cli_checkpoint_remove(const struct cli_arguments *arguments) {
  const char *path = tacit_cli_text(arguments, "checkpoint", NULL);
  tacit_error err;
  /* The model may have replaced the checkpoint, under another spelling of its name. */
  if (path == NULL ||
      tacit_cli_same_file(path, tacit_cli_text(arguments, "output", "")))
    return;
  if (tacit_checkpoint_remove(path, &err) != TACIT_OK)
    fprintf(stderr, "%s %s: the model is written, but %s\n", tacit_cli_name(),
            arguments->command->name, err.message);
}
