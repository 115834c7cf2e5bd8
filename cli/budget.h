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
  const char *where; /* the ledger, or NULL, and then all calls do nothing */
  const char *dataset;
  int resumes;          /* 1 if a checkpoint was found */
  int64_t id;           /* number of the entry, or 0 if nothing is reserved */
  const char *key_file; /* key of the fingerprint, or NULL */
  char fingerprint[TACIT_LEDGER_FINGERPRINT_SIZE]; /* fingerprint of the input, or "" */
  const char *note;   /* what people wrote about the run, or NULL */
  const char *file;   /* name of the result, or NULL for standard output */
  const char *digest; /* digest of the result (tacit_ledger_digest), or NULL */
};

/* Returns 1 if a ledger is named, by the option or the environment. */
int cli_budget_named(const struct cli_args *args);
/* Reads the options, or TACIT_LEDGER and TACIT_DATASET. Returns 0, or prints one line
   and returns the exit code. */
int cli_budget_open(const struct cli_args *args, struct cli_budget *budget);
/* Reserves what a run costs, before its first row is read. In a group rank 0 does it,
   and all ranks fail if it cannot. */
int cli_budget_reserve(struct cli_budget *budget, const tacit_train *train);
/* Like cli_budget_reserve, for a release with this statement, of one process. `kind` is
   the name of the command that makes such releases. */
int cli_budget_reserve_for(struct cli_budget *budget, const char *kind,
                           const char *statement);
/* Takes the fingerprint of the input, if there is a key file; reads the data once. Call
   it before persons are counted. */
int cli_budget_identify(struct cli_budget *budget, tacit_reader *reader);
/* Makes the entry final; then the model may get its name. */
int cli_budget_commit(struct cli_budget *budget);
/* Like cli_budget_commit, with the digest of a result that is JSON. */
int cli_budget_commit_json(struct cli_budget *budget, const char *json);
/* Adds a result to the entry, which stays as it is. */
int cli_budget_record(const struct cli_budget *budget);
/* Ends the entry of a run that failed. Gives its budget back unless noise was drawn. */
void cli_budget_fail(struct cli_budget *budget, int noise_begun);

#endif
