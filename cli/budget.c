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
      .ledger = {.where = setting(args, "ledger", "TACIT_LEDGER"),
                 .dataset = setting(args, "dataset", "TACIT_DATASET"),
                 .note = cli_text(args, "note", NULL),
                 .file = option_of(args, "output")},
      .key_file = cli_text(args, "key-file", NULL),
  };
  const tacit_ledger_payer *ledger = &budget->ledger;
  if (ledger->where == NULL && cli_given(args, "dataset"))
    return cli_refuse("--dataset names a data set of a ledger: give --ledger too");
  if (ledger->where != NULL && ledger->dataset == NULL)
    return cli_refuse("a ledger has budgets of several data sets: give --dataset "
                      "NAME");
  if (ledger->where == NULL && ledger->note != NULL)
    return cli_refuse("--note is for the entry in a ledger: give --ledger too");
  if (ledger->where != NULL && ledger->file != NULL &&
      cli_same_file(ledger->where, ledger->file))
    return cli_refuse("-o %s is the ledger: give another name", ledger->file);
  budget->payer = tacit_ledger_pay(&budget->ledger);
  return 0;
}

const tacit_payer *cli_budget_payer(const struct cli_budget *budget) {
  return budget != NULL && budget->ledger.where != NULL ? &budget->payer : NULL;
}

int cli_budget_identify(struct cli_budget *budget, tacit_reader *reader) {
  tacit_error err;
  if (cli_budget_payer(budget) == NULL || budget->key_file == NULL ||
      cli_group() != NULL || !tacit_reader_rewinds(reader))
    return 0;
  if (tacit_reader_fingerprint(reader, budget->key_file, budget->fingerprint, &err) !=
      TACIT_OK)
    return cli_fail_error(&err);
  budget->ledger.fingerprint = budget->fingerprint;
  return 0;
}

void cli_budget_tell(const struct cli_budget *budget) {
  if (budget == NULL) return;
  if (budget->ledger.is_same)
    fprintf(stderr,
            "%s %s: caution: the same input was paid for under another data set or in "
            "another period of this ledger: its people have two budgets, whose costs "
            "add up\n",
            cli_name(), cli_current()->name);
  if (budget->ledger.kept.status != TACIT_OK)
    fprintf(stderr, "%s %s: entry %lld stays reserved: %s\n", cli_name(),
            cli_current()->name, (long long)budget->ledger.id,
            budget->ledger.kept.message);
}
