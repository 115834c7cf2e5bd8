/* SPDX-License-Identifier: MIT */
/* The end of the demo: a budget, a private evaluation, and a page about the model. */
#ifndef TACIT_DEMO_REPORT_H
#define TACIT_DEMO_REPORT_H

#include <tacit/model.h>

#include "budget.h"
#include "cli.h"

#define TACIT_CLI_DEMO_DATASET "registry"

/* Makes the ledger of the demo anew, with a budget of three times epsilon. Without a
   ledger (`path` NULL) the budget is empty and pays nothing. */
int cli_demo_ledger(const char *path, double epsilon, struct cli_budget *out);

/* A page about a model that was trained by the demo. */
struct cli_demo_page {
  const struct cli_args *arguments;
  const tacit_model *model;
  const char *model_path, *test_path; /* its name, and the rows to evaluate on */
  const char *eval_path, *page_path;  /* written */
  const char *ledger;                 /* NULL: none */
  double epsilon;
};
/* Evaluates and writes the evaluation; writes the page without placing it. Returns the
   exit code. */
int cli_demo_page(const struct cli_demo_page *page, struct cli_budget *budget,
                  struct cli_output *out_page);

#endif
