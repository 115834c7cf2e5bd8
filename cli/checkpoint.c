/* SPDX-License-Identifier: MIT */
/* The options of checkpoints, and messages that name these options. */
#include "settings.h"

#include "budget.h"
#include "cli.h"
#include "group.h"
#include "paths.h"

const struct cli_group cli_checkpoint_group = GROUP(
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

static int check_options(const struct cli_args *args) {
  const char *path = cli_text(args, "checkpoint", NULL);
  const char *key = cli_text(args, "key-file", NULL);
  if (path == NULL && key != NULL && !cli_budget_named(args))
    return cli_refuse("--key-file is for a --checkpoint or a --ledger: give one");
  if (path == NULL && cli_given(args, "resume"))
    return cli_refuse("--resume continues from a --checkpoint: say which");
  if (path == NULL) return 0;
  if (key == NULL)
    return cli_refuse("--checkpoint needs --key-file FILE: the checkpoint holds "
                      "sums without noise and is encrypted");
  return 0;
}

int cli_checkpoint_settings(const struct cli_args *args, tacit_config *config) {
  int exit_code = check_options(args);
  config->checkpoint = cli_text(args, "checkpoint", NULL);
  if (config->checkpoint != NULL) config->key_file = cli_text(args, "key-file", NULL);
  config->resume = cli_given(args, "resume");
  if (exit_code != 0 || config->checkpoint == NULL) return exit_code;
  cli_stop_advise("add --resume to continue");
  if (!cli_speaks()) return 0; /* rank 0 writes it */
  tacit_error err;
  int is_found = 0;
  CLI_TRY(cli_judge(tacit_checkpoint_check(config->checkpoint, config->key_file,
                                           config->resume, &is_found, &err),
                    &err));
  if (config->resume && !is_found && !cli_given(args, "quiet"))
    fprintf(stderr, "%s %s: no checkpoint %s yet: starting at the first round\n",
            cli_name(), args->command->name, config->checkpoint);
  return 0;
}

void cli_checkpoint_remove(const struct cli_args *args) {
  const char *path = cli_text(args, "checkpoint", NULL);
  tacit_error err;
  /* The model may have replaced the checkpoint, under another spelling of its name. */
  if (path == NULL || cli_same_file(path, cli_text(args, "output", ""))) return;
  if (tacit_checkpoint_remove(path, &err) != TACIT_OK)
    fprintf(stderr, "%s %s: the model is written, but %s\n", cli_name(),
            args->command->name, err.message);
}
