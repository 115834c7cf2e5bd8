/* SPDX-License-Identifier: MIT */
/* --ledger and --dataset: a run that is paid for from a budget kept for a team. */
#ifndef TACIT_CLI_BUDGET_H
#define TACIT_CLI_BUDGET_H

#include <tacit/config.h>
#include <tacit/extra/ledger.h>
#include <tacit/train.h>

#include "options.h"

extern const struct cli_group cli_budget_group;

struct cli_budget {
  tacit_ledger_payer ledger; /* `where` is NULL without a ledger */
  tacit_payer payer;
  const char *key_file; /* key of the fingerprint, or NULL */
  char fingerprint[TACIT_LEDGER_FINGERPRINT_SIZE];
};

/* Returns 1 if a ledger is named, by the option or the environment. */
int cli_budget_named(const struct cli_args *args);
/* Reads the options, or TACIT_LEDGER and TACIT_DATASET. Returns 0, or prints one line
   and returns the exit code. The budget must not move afterwards. */
int cli_budget_open(const struct cli_args *args, struct cli_budget *budget);
/* Returns the payer for a config or for options, or NULL without a ledger. */
const tacit_payer *cli_budget_payer(const struct cli_budget *budget);
/* Takes the fingerprint of the input, if there is a key file; reads the data once. Call
   it before persons are counted. */
int cli_budget_identify(struct cli_budget *budget, tacit_reader *reader);
/* Prints what the ledger noticed: input that was paid for elsewhere, or an entry that
   could not be given back. Call it after the run was freed. */
void cli_budget_tell(const struct cli_budget *budget);

#endif
