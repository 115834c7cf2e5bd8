/* SPDX-License-Identifier: MIT */
/* The end of the demo: a budget, a private evaluation, and a page about the model. */
#ifndef TACIT_DEMO_REPORT_H
#define TACIT_DEMO_REPORT_H

#include <tacit/model.h>

#include "budget.h"
#include "cli.h"

#define TACIT_CLI_DEMO_DATASET "registry"

/* Makes a new ledger for the demo, with a budget of three times epsilon. If `path` is
   NULL there is no ledger, and *out pays for nothing. Returns the exit code. */
int cli_demo_ledger(const char *path, double epsilon, struct cli_budget *out);

/* The page about a model that was trained by the demo, and its files. */
struct cli_demo_page {
  const struct cli_args *arguments;
  const tacit_model *model;
  const char *model_path, *test_path; /* name of the model, and the rows to evaluate
                                         on */
  const char *eval_path, *page_path;  /* files to write */
  const char *ledger;                 /* ledger that pays, or NULL */
  double epsilon;
};
/* Evaluates the model and writes the evaluation and the page. Leaves it to the caller
   to put the page in its place. Returns the exit code. */
int cli_demo_page(const struct cli_demo_page *page, struct cli_budget *budget,
                  struct cli_output *out_page);

#endif
