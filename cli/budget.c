/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <stdlib.h>
#include <string.h>
#include <tacit/plan.h>

#include "cli.h"
#include "group.h"
#include "paths.h"

const struct cli_group cli_budget_group =
    GROUP("Ledger",
          INPUT("ledger", "LEDGER",
                "take the budget of the run from this ledger (\"tacit ledger\"): a "
                "file, or postgresql://USER@HOST/DATABASE",
                DEFAULT("TACIT_LEDGER, or none"), COMMON),
          TEXT("dataset", "NAME", "the data set of the ledger that DATA is",
               DEFAULT("TACIT_DATASET"), COMMON),
          TEXT("note", "TEXT", "why the run is made: a line that the ledger keeps"));

/* Returns an option, or the variable of the environment that stands for it. */
static const char *setting(const struct cli_args *args, const char *name,
                           const char *variable) {
  const char *text = cli_text(args, name, NULL);
  if (text == NULL) text = getenv(variable);
  return text != NULL && *text != '\0' ? text : NULL;
}

int cli_budget_named(const struct cli_args *args) {
  return setting(args, "ledger", "TACIT_LEDGER") != NULL;
}

/* Returns the text of an option that not all commands have, or NULL if it is not
   given. */
static const char *option_of(const struct cli_args *args, const char *name) {
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(args->command, i, NULL)) != NULL; ++i)
    if (strcmp(option->name, name) == 0) return cli_text(args, name, NULL);
  return NULL;
}

int cli_budget_open(const struct cli_args *args, struct cli_budget *budget) {
  *budget = (struct cli_budget){
      .where = setting(args, "ledger", "TACIT_LEDGER"),
      .dataset = setting(args, "dataset", "TACIT_DATASET"),
      .key_file = cli_text(args, "key-file", NULL),
      .note = cli_text(args, "note", NULL),
      .file = option_of(args, "output"),
  };
  if (budget->where == NULL && cli_given(args, "dataset"))
    return cli_refuse("--dataset names a data set of a ledger: give --ledger too");
  if (budget->where != NULL && budget->dataset == NULL)
    return cli_refuse("a ledger has budgets of several data sets: give --dataset "
                      "NAME");
  if (budget->where == NULL && budget->note != NULL)
    return cli_refuse("--note is for the entry in a ledger: give --ledger too");
  if (budget->where != NULL && budget->file != NULL &&
      cli_same_file(budget->where, budget->file))
    return cli_refuse("-o %s is the ledger: give another name", budget->file);
  return 0;
}

int cli_budget_reserve(struct cli_budget *budget, const tacit_train *train) {
  tacit_error err;
  int exit_code = 0;
  if (budget == NULL || budget->where == NULL) return 0;
  const tacit_ledger_run run = {
      .dataset = budget->dataset,
      .kind = "train",
      .statement = tacit_plan_statement_json(tacit_train_plan(train)),
      .id = tacit_train_id(train),
      .resumes = budget->resumes,
      .note = budget->note,
  };
  if (cli_speaks() &&
      tacit_ledger_reserve(budget->where, &run, &budget->id, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  return cli_agree(CLI_RESERVED, exit_code);
}

int cli_budget_reserve_for(struct cli_budget *budget, const char *kind,
                           const char *statement) {
  tacit_error err;
  const tacit_ledger_run run = {
      .dataset = budget->dataset,
      .kind = kind,
      .statement = statement,
      .note = budget->note,
  };
  if (budget->where == NULL) return 0;
  if (tacit_ledger_reserve(budget->where, &run, &budget->id, &err) != TACIT_OK)
    return cli_fail_error(&err);
  return 0;
}

int cli_budget_identify(struct cli_budget *budget, tacit_reader *reader) {
  tacit_error err;
  if (budget == NULL || budget->where == NULL || budget->key_file == NULL ||
      cli_group() != NULL || !tacit_reader_rewinds(reader))
    return 0;
  if (tacit_reader_fingerprint(reader, budget->key_file, budget->fingerprint, &err) !=
      TACIT_OK)
    return cli_fail_error(&err);
  return 0;
}

int cli_budget_commit(struct cli_budget *budget) {
  tacit_error err;
  int is_seen = 0;
  if (budget == NULL || budget->id == 0) return 0;
  const tacit_ledger_made made = {
      .fingerprint = budget->fingerprint[0] != '\0' ? budget->fingerprint : NULL,
      .digest = budget->digest,
      .file = budget->file,
  };
  tacit_status status =
      tacit_ledger_commit(budget->where, budget->id, &made, &is_seen, &err);
  if (status != TACIT_OK) return cli_fail_error(&err);
  if (is_seen)
    fprintf(stderr,
            "%s %s: caution: the same input was paid for under another data set or in "
            "another period of this ledger: its people have two budgets, whose costs "
            "add up\n",
            cli_name(), cli_current()->name);
  budget->id = 0;
  return 0;
}

int cli_budget_commit_json(struct cli_budget *budget, const char *json) {
  char digest[TACIT_LEDGER_DIGEST_SIZE];
  tacit_error err;
  if (budget->id == 0) return 0;
  if (tacit_ledger_digest(json, "the result", digest, &err) != TACIT_OK)
    return cli_fail_error(&err);
  budget->digest = digest;
  int exit_code = cli_budget_commit(budget);
  budget->digest = NULL;
  return exit_code;
}

int cli_budget_record(const struct cli_budget *budget) {
  tacit_error err;
  if (budget->where == NULL) return 0;
  const tacit_ledger_made made = {.digest = budget->digest, .file = budget->file};
  tacit_status status = tacit_ledger_add_made(budget->where, budget->id, &made, &err);
  return status == TACIT_OK ? 0 : cli_fail_error(&err);
}

void cli_budget_fail(struct cli_budget *budget, int noise_begun) {
  tacit_error err;
  if (budget == NULL || budget->id == 0 || noise_begun) return;
  if (tacit_ledger_refund(budget->where, budget->id, &err) != TACIT_OK)
    fprintf(stderr, "%s %s: entry %lld stays reserved: %s\n", cli_name(),
            cli_current()->name, (long long)budget->id, err.message);
  budget->id = 0;
}
