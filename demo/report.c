/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <tacit/extra/evaluate.h>
#include <tacit/extra/ledger.h>
#include <tacit/extra/report.h>
#include <unistd.h>

#include "cli.h"

int cli_demo_ledger(const char *path, double epsilon, struct cli_budget *out) {
  const tacit_ledger_terms terms = {.dataset = TACIT_CLI_DEMO_DATASET,
                                    .epsilon = 3 * epsilon,
                                    .delta = 1e-6,
                                    .adjacency = TACIT_REPLACE};
  tacit_error err;
  *out = (struct cli_budget){.where = path, .dataset = TACIT_CLI_DEMO_DATASET};
  if (path == NULL) return 0;
  (void)unlink(path); /* The file of an earlier demo; its patients were made up. */
  if (tacit_ledger_init(path, &terms, &err) != TACIT_OK) return cli_fail_error(&err);
  return 0;
}

/* Writes a text to a file and completes it. */
static int write_file(const char *path, const char *text, struct cli_output *output) {
  int exit_code = cli_output_open(output, path);
  if (exit_code != 0) return exit_code;
  (void)fputs(text, output->stream);
  return cli_output_complete(output, 0);
}

static int evaluate(const struct cli_demo_page *page, struct cli_budget *budget,
                    tacit_reader *reader, struct cli_output *output) {
  const struct cli_args *arguments = page->arguments;
  tacit_evaluation_options options;
  tacit_evaluation *evaluation = NULL;
  tacit_error err;
  tacit_evaluation_options_init(&options);
  options.epsilon = page->epsilon;
  options.seeded = cli_given(arguments, "seed");
  options.seed = cli_value(arguments, "seed")->integer;
  if (tacit_evaluation_new(page->model, reader, &options, &evaluation, &err) !=
      TACIT_OK)
    return cli_fail_error(&err);
  int exit_code = cli_budget_reserve_for(budget, "eval",
                                         tacit_evaluation_statement_json(evaluation));
  if (exit_code == 0 && tacit_evaluation_run(evaluation, reader, &err) != TACIT_OK) {
    cli_budget_fail(budget, tacit_evaluation_noise_begun(evaluation));
    exit_code = cli_fail_error(&err);
  }
  budget->file = page->eval_path;
  if (exit_code == 0)
    exit_code = cli_budget_commit_json(budget, tacit_evaluation_json(evaluation));
  if (exit_code == 0)
    exit_code = write_file(page->eval_path, tacit_evaluation_json(evaluation), output);
  tacit_evaluation_free(evaluation);
  return exit_code;
}

static int write_page(const struct cli_demo_page *page, const char *evaluation,
                      struct cli_output *output) {
  tacit_report_options options;
  tacit_error err;
  char *text = NULL;
  tacit_report_options_init(&options);
  options.models = &page->model;
  options.names = &page->model_path;
  options.n_models = 1;
  options.evaluations = &evaluation;
  options.n_evaluations = 1;
  options.ledger = page->ledger;
  options.dataset = TACIT_CLI_DEMO_DATASET;
  options.include_not_private = !tacit_model_statement(page->model)->is_private;
  if (tacit_report_text(&options, &text, &err) != TACIT_OK) return cli_fail_error(&err);
  int exit_code = write_file(page->page_path, text, output);
  tacit_string_free(text);
  return exit_code;
}

int cli_demo_page(const struct cli_demo_page *page, struct cli_budget *budget,
                  struct cli_output *out_page) {
  struct cli_output result = {0};
  tacit_reader_options reading;
  tacit_reader *reader = NULL;
  tacit_error err;
  tacit_reader_options_init(&reading);
  reading.schema = tacit_model_schema(page->model);
  reading.shuffle = -1;
  if (tacit_reader_open(&page->test_path, 1, &reading, &reader, &err) != TACIT_OK)
    return cli_fail_error(&err);
  int exit_code = evaluate(page, budget, reader, &result);
  tacit_reader_free(reader);
  if (exit_code == 0) exit_code = cli_output_place(&result);
  cli_output_abandon(&result);
  if (exit_code == 0) exit_code = write_page(page, page->eval_path, out_page);
  return exit_code;
}
