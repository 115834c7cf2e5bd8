/* SPDX-License-Identifier: MIT */
/* The tacit program. */
#include "cli.h"

static const struct cli_command *const commands[] = {&tacit_cli_train,
                                                     &tacit_cli_predict,
                                                     &tacit_cli_eval,
                                                     &tacit_cli_describe,
                                                     &tacit_cli_show,
                                                     &tacit_cli_report,
                                                     &tacit_cli_export,
                                                     &tacit_cli_audit,
                                                     &tacit_cli_account,
                                                     &tacit_cli_plan,
                                                     &tacit_cli_schema,
                                                     &tacit_cli_check,
                                                     &tacit_cli_cache,
                                                     &tacit_cli_ledger,
                                                     &tacit_cli_stream,
                                                     &tacit_cli_demo,
                                                     &tacit_cli_completion,
                                                     &tacit_cli_version,
                                                     NULL};

static const struct cli_program program = {
    .name = "tacit",
    .about = "trains differentially private linear models in a few passes.",
    .hint = "Start with: tacit demo",
    .commands = commands,
};

int main(int n_words, char **words) {
  if (tacit_cli_open_standard() != CLI_OK) return CLI_FAILED;
  return tacit_cli_run(&program, n_words, words);
}
