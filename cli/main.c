/* SPDX-License-Identifier: MIT */
/* The tacit program. */
#include "cli.h"

static const struct cli_command *const commands[] = {
    &cli_train,  &cli_predict, &cli_eval,       &cli_describe, &cli_infer,
    &cli_show,   &cli_report,  &cli_export,     &cli_audit,    &cli_account,
    &cli_plan,   &cli_schema,  &cli_check,      &cli_cache,    &cli_ledger,
    &cli_stream, &cli_demo,    &cli_completion, &cli_version,  NULL};

static const struct cli_program program = {
    .name = "tacit",
    .about = "trains differentially private linear models in a few passes.",
    .hint = "Start with: tacit demo",
    .commands = commands,
};

int main(int n_words, char **words) {
  if (cli_open_standard() != CLI_OK) return CLI_FAILED;
  return cli_run(&program, n_words, words);
}
