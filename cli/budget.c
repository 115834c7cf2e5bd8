/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/ledger.h>
#include <tacit/plan.h>

#include "cli.h"
#include "group.h"
#include "paths.h"

const struct cli_group tacit_cli_budget_group =
    GROUP("Ledger",
          INPUT("ledger", "LEDGER",
                "take the budget of the run from this ledger (\"tacit ledger\"): a "
                "file, or postgresql://USER@HOST/DATABASE",
                DEFAULT("TACIT_LEDGER, or none"), COMMON),
          TEXT("dataset", "NAME", "the data set of the ledger that DATA is",
               DEFAULT("TACIT_DATASET"), COMMON));

/* An option, or the variable of the environment that stands for it. */
static const char *setting(const struct cli_arguments *arguments, const char *name,
                           const char *variable) {
  const char *text = tacit_cli_text(arguments, name, NULL);
  if (text == NULL) text = getenv(variable);
  return text != NULL && *text != '\0' ? text : NULL;
}

int tacit_cli_budget_named(const struct cli_arguments *arguments) {
  return setting(arguments, "ledger", "TACIT_LEDGER") != NULL;
}

/* The text of an option that not all commands have; NULL: not given. */
static const char *option_of(const struct cli_arguments *arguments, const char *name) {
  const struct cli_option *option;
  for (size_t i = 0;
       (option = tacit_cli_option_at(arguments->command, i, NULL)) != NULL; ++i)
    if (strcmp(option->name, name) == 0) return tacit_cli_text(arguments, name, NULL);
  return NULL;
}

int tacit_cli_budget_open(const struct cli_arguments *arguments,
                          struct cli_budget *budget) {
  *budget = (struct cli_budget){
      .command = arguments->command,
      .where = setting(arguments, "ledger", "TACIT_LEDGER"),
      .dataset = setting(arguments, "dataset", "TACIT_DATASET"),
      .key_file = tacit_cli_text(arguments, "key-file", NULL),
  };
  if (budget->where == NULL && tacit_cli_given(arguments, "dataset"))
    return tacit_cli_refuse(
        arguments, "--dataset names a data set of a ledger: give --ledger too");
  if (budget->where != NULL && budget->dataset == NULL)
    return tacit_cli_refuse(arguments,
                            "a ledger has budgets of several data sets: give --dataset "
                            "NAME");
  const char *output = option_of(arguments, "output");
  if (budget->where != NULL && output != NULL &&
      tacit_cli_same_file(budget->where, output))
    return tacit_cli_refuse(arguments, "-o %s is the ledger: give another name",
                            output);
  return 0;
}

int tacit_cli_budget_reserve(struct cli_budget *budget, const tacit_train *train) {
  tacit_error err;
  int exit_code = 0;
  if (budget == NULL || budget->where == NULL) return 0;
  const tacit_ledger_run run = {
      .dataset = budget->dataset,
      .kind = "train",
      .statement = tacit_plan_statement_json(tacit_train_plan(train)),
      .id = tacit_train_id(train),
      .resumes = budget->resumes,
  };
  if (tacit_cli_speaks() &&
      tacit_ledger_reserve(budget->where, &run, &budget->id, &err) != TACIT_OK)
    exit_code = tacit_cli_fail_error(budget->command, &err);
  return tacit_cli_agree(budget->command, CLI_RESERVED, exit_code);
}

int tacit_cli_budget_reserve_for(struct cli_budget *budget, const char *statement) {
  tacit_error err;
  const tacit_ledger_run run = {.dataset = budget->dataset,
                                .kind = budget->command->name,
                                .statement = statement};
  if (budget->where == NULL) return 0;
  if (tacit_ledger_reserve(budget->where, &run, &budget->id, &err) != TACIT_OK)
    return tacit_cli_fail_error(budget->command, &err);
  return 0;
}

int tacit_cli_budget_identify(struct cli_budget *budget, tacit_reader *reader) {
  tacit_error err;
  if (budget == NULL || budget->where == NULL || budget->key_file == NULL ||
      tacit_cli_group() != NULL || !tacit_reader_rewinds(reader))
    return 0;
  if (tacit_reader_fingerprint(reader, budget->key_file, budget->fingerprint, &err) !=
      TACIT_OK)
    return tacit_cli_fail_error(budget->command, &err);
  return 0;
}

int tacit_cli_budget_commit(struct cli_budget *budget) {
  tacit_error err;
  int is_seen = 0;
  if (budget == NULL || budget->id == 0) return 0;
  const char *fingerprint = budget->fingerprint[0] != '\0' ? budget->fingerprint : NULL;
  if (tacit_ledger_commit(budget->where, budget->id, fingerprint, &is_seen, &err) !=
      TACIT_OK)
    return tacit_cli_fail_error(budget->command, &err);
  if (is_seen)
    fprintf(stderr,
            "%s %s: caution: the same input was paid for under another data set of "
            "this ledger: its people have two budgets, whose costs add up\n",
            tacit_cli_name(), budget->command->name);
  budget->id = 0;
  return 0;
}

void tacit_cli_budget_fail(struct cli_budget *budget, int noise_begun) {
  tacit_error err;
  if (budget == NULL || budget->id == 0 || noise_begun) return;
  if (tacit_ledger_refund(budget->where, budget->id, &err) != TACIT_OK)
    fprintf(stderr, "%s %s: entry %lld stays reserved: %s\n", tacit_cli_name(),
            budget->command->name, (long long)budget->id, err.message);
  budget->id = 0;
}
